// Bounds and values of sizes that depend on data, and the walk that takes them out; see counted.h.
#include "dialects/strata/counted.h"

#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/build.h"
#include "dialects/strata/counted_rules.h"
#include "dialects/strata/symbols.h"

#include <string.h>

//===-- Which they are -------------------------------------------------------------------------------------------===//

static MlirAffineExpr lhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetLHS(expr); }
static MlirAffineExpr rhs_of(MlirAffineExpr expr) { return mlirAffineBinaryOpExprGetRHS(expr); }

bool strata_dim_is_counted(const strata_symbols_t *symbols, strata_dim_t dim) {
  if (mlirAffineExprIsASymbol(dim)) {
    size_t number = (size_t)mlirAffineSymbolExprGetPosition(dim);
    const strata_symbol_t *symbol = number < symbols->list.count ? &symbols->list.data[number] : NULL;
    if (!symbol || symbol->op == STRATA_SYMBOL_GIVEN)
      return false;
    return symbol->op == STRATA_SYMBOL_COUNTED || strata_dim_is_counted(symbols, symbol->lhs) ||
           strata_dim_is_counted(symbols, symbol->rhs);
  }
  return mlirAffineExprIsABinary(dim) &&
         (strata_dim_is_counted(symbols, lhs_of(dim)) || strata_dim_is_counted(symbols, rhs_of(dim)));
}

//===-- Bounds ---------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_arena_t *arena;
  strata_symbols_t *symbols;
  bool keeps_derived; // those that depend on data stay
} bounds_t;

static strata_dim_t end_of(bounds_t *at, strata_dim_t dim, bool is_upper);

static strata_dim_t end_of_symbol(bounds_t *at, strata_dim_t dim, bool is_upper) {
  MlirContext context = mlirAffineExprGetContext(dim);
  strata_symbol_t symbol = at->symbols->list.data[mlirAffineSymbolExprGetPosition(dim)];
  if (symbol.op == STRATA_SYMBOL_COUNTED)
    return is_upper ? end_of(at, symbol.lhs, true) : strata_dim_constant(context, 0);
  if (at->keeps_derived)
    return dim;
  bool is_quotient = symbol.op == STRATA_SYMBOL_FLOORDIV;
  strata_dim_t lhs = end_of(at, symbol.lhs, is_upper), rhs = end_of(at, symbol.rhs, is_upper != is_quotient);
  if (symbol.op == STRATA_SYMBOL_MOD) // less than both
    return is_upper ? lhs : strata_dim_constant(context, 0);
  if (is_quotient) // sizes, of which the divisor is at least 1
    rhs = strata_symbols_derive(at->arena, at->symbols, STRATA_SYMBOL_MAX, rhs, strata_dim_constant(context, 1));
  return strata_symbols_derive(at->arena, at->symbols, symbol.op, lhs, rhs);
}

// The greatest value of |dim|, or the least. Sizes are never negative, and neither are the factors of a product.
static strata_dim_t end_of(bounds_t *at, strata_dim_t dim, bool is_upper) {
  int64_t number;
  if (!strata_dim_is_counted(at->symbols, dim))
    return dim;
  if (mlirAffineExprIsASymbol(dim))
    return end_of_symbol(at, dim, is_upper);
  strata_dim_t lhs = lhs_of(dim), rhs = rhs_of(dim);
  if (mlirAffineExprIsAAdd(dim))
    return strata_dim_add(end_of(at, lhs, is_upper), end_of(at, rhs, is_upper));
  if (strata_dim_is_constant(lhs, &number)) {
    strata_dim_t other = lhs;
    lhs = rhs;
    rhs = other;
  }
  bool has_number = strata_dim_is_constant(rhs, &number);
  if (mlirAffineExprIsAMul(dim))
    return has_number ? strata_dim_times(end_of(at, lhs, is_upper != (number < 0)), number)
                      : strata_dim_mul(end_of(at, lhs, is_upper), end_of(at, rhs, is_upper));
  return has_number && number > 0 ? strata_dim_floordiv(end_of(at, lhs, is_upper), number) : dim;
}

strata_dim_t strata_dim_bound(strata_arena_t *arena, strata_symbols_t *symbols, strata_dim_t dim) {
  return strata_dim_normal(end_of(&(bounds_t){arena, symbols, false}, dim, true));
}

strata_dim_t strata__dim_end(const strata_symbols_t *symbols, strata_dim_t dim, bool is_upper) {
  strata_symbols_t same = *symbols; // nothing is added to it
  return strata_dim_normal(end_of(&(bounds_t){NULL, &same, true}, dim, is_upper));
}

strata_dim_t strata__bound(strata__bounding_t *x, strata_dim_t dim) {
  return strata_dim_bound(x->b.compile->arena, x->symbols, dim);
}

strata_shape_t strata__bound_shape(strata__bounding_t *x, const strata_shape_t *shape) {
  strata_shape_t result = *shape;
  for (int i = 0; i < shape->rank; i++)
    result.dims[i] = strata__bound(x, shape->dims[i]);
  return result;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

static MlirValue number(strata__bounding_t *x, int64_t value) {
  return strata_build_dim(&x->b, strata_dim_constant(x->b.compile->context, value), STRATA_TYPE_I64);
}

static MlirValue binary(strata__bounding_t *x, strata_op_id_t op, MlirValue lhs, MlirValue rhs) {
  return strata_build_binary(&x->b, op, lhs, rhs);
}

// Rounded down, by a positive number.
static MlirValue quotient(strata__bounding_t *x, MlirValue lhs, MlirValue rhs) {
  MlirValue negative = binary(x, STRATA_OP_LT, binary(x, STRATA_OP_REM, lhs, rhs), number(x, 0));
  return binary(x, STRATA_OP_SUB, binary(x, STRATA_OP_DIV, lhs, rhs),
                strata_build_convert(&x->b, STRATA_OP_CONVERT, negative, STRATA_TYPE_I64));
}

static MlirValue symbol_value(strata__bounding_t *x, strata_dim_t dim, bool is_exact) {
  int index = (int)mlirAffineSymbolExprGetPosition(dim);
  strata_symbol_t symbol = x->symbols->list.data[index];
  if (symbol.op == STRATA_SYMBOL_COUNTED) {
    const strata_count_t *count = x->counts.list.data;
    while (count->symbol != index)
      count++;
    return count->may_exceed && !is_exact
               ? binary(x, STRATA_OP_MIN, count->value,
                        strata_build_dim(&x->b, strata__bound(x, symbol.lhs), STRATA_TYPE_I64))
               : count->value;
  }
  MlirValue lhs = strata__count_value(x, symbol.lhs, is_exact), rhs = strata__count_value(x, symbol.rhs, is_exact);
  if (symbol.op == STRATA_SYMBOL_FLOORDIV)
    return quotient(x, lhs, rhs);
  return binary(x,
                symbol.op == STRATA_SYMBOL_MAX   ? STRATA_OP_MAX
                : symbol.op == STRATA_SYMBOL_MIN ? STRATA_OP_MIN
                                                 : STRATA_OP_REM,
                lhs, rhs);
}

MlirValue strata__count_value(strata__bounding_t *x, strata_dim_t dim, bool is_exact) {
  if (!strata_dim_is_counted(x->symbols, dim))
    return strata_build_dim(&x->b, dim, STRATA_TYPE_I64);
  if (mlirAffineExprIsASymbol(dim))
    return symbol_value(x, dim, is_exact);
  MlirValue lhs = strata__count_value(x, lhs_of(dim), is_exact), rhs = strata__count_value(x, rhs_of(dim), is_exact);
  if (mlirAffineExprIsAFloorDiv(dim))
    return quotient(x, lhs, rhs);
  return binary(x, mlirAffineExprIsAAdd(dim) ? STRATA_OP_ADD : STRATA_OP_MUL, lhs, rhs);
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

bool strata_shape_is_counted(const strata_symbols_t *symbols, const strata_shape_t *shape) {
  for (int i = 0; i < shape->rank; i++)
    if (strata_dim_is_counted(symbols, shape->dims[i]))
      return true;
  return false;
}

static bool type_is_counted(const strata_symbols_t *symbols, MlirType type) {
  strata_shape_t shape = strata_shape_from_type(type);
  return shape.type != STRATA_TYPE_COUNT && strata_shape_is_counted(symbols, &shape);
}

static bool map_is_counted(const strata_symbols_t *symbols, MlirAttribute attr) {
  if (!mlirAttributeIsAAffineMap(attr))
    return false;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (strata_dim_is_counted(symbols, mlirAffineMapGetResult(map, i)))
      return true;
  return false;
}

static bool op_is_counted(const strata_symbols_t *symbols, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (type_is_counted(symbols, mlirValueGetType(mlirOperationGetOperand(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (type_is_counted(symbols, mlirValueGetType(mlirOperationGetResult(op, i))))
      return true;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++)
    if (map_is_counted(symbols, mlirOperationGetAttribute(op, i).attribute))
      return true;
  return false;
}

enum { LOCATION_SIZE = 200 };

// A call whose results have known sizes, or the end of a function: operands are what they are.
static bool takes_any(const strata_symbols_t *symbols, MlirOperation op) {
  bool takes = strata_op_is(op, "func.call") || strata_op_is(op, "func.return");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    takes = takes && !type_is_counted(symbols, mlirValueGetType(mlirOperationGetResult(op, i)));
  return takes;
}

static strata_status_t refuse(MlirOperation op) {
  char place[LOCATION_SIZE];
  return strata_error(STRATA_UNSUPPORTED, "(node %s): sizes that depend on data, in a loop",
                      strata_location_text(mlirOperationGetLocation(op), place, sizeof place));
}

typedef struct {
  MlirOperation op;
  strata__record_t was;
} counted_op_t;

static strata_status_t bound_op(strata__bounding_t *x, const counted_op_t *one) {
  x->op = x->b.before = one->op;
  x->b.block = mlirOperationGetBlock(one->op);
  x->b.location = mlirOperationGetLocation(one->op);
  x->was = one->was;
  MlirValue instead = strata__bound_op(x);
  STRATA_TRY(x->b.status);
  if (!mlirValueIsNull(instead)) {
    MlirValue result = mlirOperationGetResult(one->op, 0);
    for (size_t i = 0; i < x->counts.list.count; i++)
      if (strata_value_equal(x->counts.list.data[i].value, result))
        x->counts.list.data[i].value = instead;
    mlirValueReplaceAllUsesOfWith(result, instead);
    mlirOperationDestroy(one->op);
    return NULL;
  }
  for (int i = 0; i < one->was.n_results; i++) {
    strata_shape_t shape = strata__bound_shape(x, &one->was.results[i]);
    mlirValueSetType(mlirOperationGetResult(one->op, i), strata_shape_to_type(x->b.compile->context, &shape));
  }
  return NULL;
}

// A vector of the values of |shape|'s dims.
static MlirValue sizes_value(strata__bounding_t *x, const strata_shape_t *shape) {
  MlirValue values[STRATA_MAX_RANK];
  for (int i = 0; i < shape->rank; i++)
    values[i] = strata_build_reshape_static(&x->b, strata__count_value(x, shape->dims[i], true), 1, &(int64_t){1});
  return strata_build_concat(&x->b, shape->rank, values, 0);
}

static MlirAttribute sizes_attrs(strata_compile_t *compile, MlirAttribute of) {
  MlirContext context = compile->context;
  MlirAttribute name = mlirDictionaryAttrGetElementByName(of, strata_str("strata.name"));
  MlirStringRef text = mlirStringAttrGetValue(name);
  const char *sizes = strata_arena_printf(compile->arena, "%.*s_sizes", (int)text.length, text.data);
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("strata.name")), strata_str_attr(context, sizes)),
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(STRATA_SIZES_OF)), name)};
  return mlirDictionaryAttrGet(context, 2, attrs);
}

// Gives @main the types of what it returns now, and results for sizes, of the shapes |was|.
static void finish_main(strata__bounding_t *x, MlirOperation main, MlirOperation end, const strata_shape_t *was) {
  strata_compile_t *compile = x->b.compile;
  MlirBlock body = mlirOperationGetBlock(end);
  intptr_t n_results = mlirOperationGetNumOperands(end), count = n_results;
  MlirValue *values = strata_arena_array(compile->arena, MlirValue, 2 * n_results + 1);
  MlirAttribute *attrs = strata_arena_array(compile->arena, MlirAttribute, 2 * n_results + 1);
  x->b.before = end;
  x->b.block = body;
  for (intptr_t i = 0; i < n_results; i++) {
    values[i] = mlirOperationGetOperand(end, i);
    attrs[i] = mlirArrayAttrGetElement(strata_attr(main, "res_attrs"), i);
    if (!strata_shape_is_counted(x->symbols, &was[i]))
      continue;
    attrs[count] = sizes_attrs(compile, attrs[i]);
    values[count++] = sizes_value(x, &was[i]);
  }
  if (x->b.status)
    return;
  strata_set_attr(main, "res_attrs", mlirArrayAttrGet(compile->context, count, attrs));
  mlirOperationDestroy(end);
  mlirBlockAppendOwnedOperation(
      body, strata_op_create(x->b.location, "func.return", (int)count, values, 0, NULL, 0, NULL, 0, NULL));
  strata_update_function_type(compile->arena, main);
}

// All ops of a block without composites.
static strata_status_t bound_block(strata__bounding_t *x, MlirBlock block) {
  strata_arena_t *arena = x->b.compile->arena;
  STRATA_VECTOR(counted_op_t) ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!op_is_counted(x->symbols, op) || takes_any(x->symbols, op))
      continue;
    if (strata_op_id(op) == STRATA_OP_COUNT)
      return refuse(op);
    counted_op_t *one = strata_vector_push(arena, &ops);
    one->op = op;
    STRATA_TRY(strata__decode(op, &one->was));
  }
  for (size_t i = 0; i < ops.count; i++)
    STRATA_TRY(bound_op(x, &ops.data[i]));
  return NULL;
}

static strata__bounding_t bounding(strata_compile_t *compile, strata_symbols_t *symbols,
                                   const strata_counts_t *counts) {
  return (strata__bounding_t){.b = {.compile = compile, .location = mlirLocationUnknownGet(compile->context)},
                              .symbols = symbols,
                              .counts = *counts};
}

strata_status_t strata__bound_body(strata_compile_t *compile, const strata_counting_t *counting, MlirBlock body) {
  if (!counting->counts->list.count)
    return NULL;
  strata__bounding_t x = bounding(compile, counting->symbols, counting->counts);
  STRATA_TRY(strata__decompose_block(compile, body));
  return bound_block(&x, body);
}

//===-- Loops ----------------------------------------------------------------------------------------------------===//

static MlirType bound_type(strata__bounding_t *x, MlirType type) {
  strata_shape_t shape = strata_shape_from_type(type);
  if (!type_is_counted(x->symbols, type))
    return type;
  shape = strata__bound_shape(x, &shape);
  return strata_shape_to_type(x->b.compile->context, &shape);
}

// What a loop reads from outside has the sizes of its bounds by now. (Its body's ops have since it ended.)
static strata_status_t bound_loop(strata__bounding_t *x, MlirOperation func) {
  strata_compile_t *compile = x->b.compile;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0));
  MlirAttribute count = strata_attr(func, STRATA_LOOP_COUNT); // a body has none
  if (!mlirAttributeIsNull(count) && map_is_counted(x->symbols, count))
    return refuse(func);
  for (intptr_t i = 0; !mlirBlockIsNull(body) && i < mlirBlockGetNumArguments(body); i++) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    mlirValueSetType(argument, bound_type(x, mlirValueGetType(argument)));
  }
  MlirType type = mlirTypeAttrGetValue(strata_attr(func, "function_type"));
  intptr_t n_inputs = mlirFunctionTypeGetNumInputs(type), n_results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = strata_arena_array(compile->arena, MlirType, n_inputs + n_results + 1);
  for (intptr_t i = 0; i < n_inputs; i++)
    types[i] = bound_type(x, mlirFunctionTypeGetInput(type, i));
  for (intptr_t i = 0; i < n_results; i++)
    types[n_inputs + i] = mlirFunctionTypeGetResult(type, i);
  type = mlirFunctionTypeGet(compile->context, n_inputs, types, n_results, types + n_inputs);
  strata_set_attr(func, "function_type", mlirTypeAttrGet(type));
  return NULL;
}

strata_status_t strata_bound_counts(strata_compile_t *compile, strata_symbols_t *symbols,
                                    const strata_counts_t *counts) {
  if (!counts->list.count)
    return NULL;
  STRATA_TRY(strata_decompose(compile));
  MlirOperation main = strata_find_func(compile->module, "main");
  MlirOperation end = mlirBlockGetTerminator(strata_func_body(main));
  strata__bounding_t x = bounding(compile, symbols, counts);
  intptr_t n_results = mlirOperationGetNumOperands(end);
  strata_shape_t *was = strata_arena_array(compile->arena, strata_shape_t, n_results + 1);
  for (intptr_t i = 0; i < n_results; i++)
    was[i] = strata_shape_of(mlirOperationGetOperand(end, i));
  STRATA_TRY(bound_block(&x, strata_func_body(main)));
  for (MlirOperation func = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func))
    if (strata_op_is(func, "func.func") && !mlirOperationEqual(func, main))
      STRATA_TRY(bound_loop(&x, func));
  finish_main(&x, main, end, was);
  return x.b.status;
}
