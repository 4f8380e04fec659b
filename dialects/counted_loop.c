// See counted_loop.h.
#include "dialects/counted_loop.h"

#include "dialects/mlir_util.h"
#include "dialects/symbols.h"

enum { N_PARTS = 4 };

// Reads strata.count: false where it is neither a number nor one size.
static bool read_count(MlirOperation declaration, strata_counted_loop_t *loop) {
  MlirAttribute attr = strata_attr(declaration, STRATA_LOOP_COUNT);
  loop->count = strata_attr_i64(declaration, STRATA_LOOP_COUNT, -1);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return loop->count >= 0;
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  loop->count = 0;
  if (mlirAffineMapGetNumResults(map) != 1 || mlirAffineMapGetNumDims(map) != 0)
    return false;
  loop->size = mlirAffineMapGetResult(map, 0);
  return true;
}

bool strata_op_is_loop(MlirOperation func) {
  return strata_op_is(func, "func.func") && !mlirAttributeIsNull(strata_attr(func, "strata.body"));
}

strata_counted_loop_t strata_counted_loop_read(MlirOperation declaration) {
  strata_counted_loop_t loop = {.declaration = declaration};
  int64_t parts[N_PARTS] = {0}, reversed[STRATA_LOOP_MAX_ARGS] = {0};
  MlirAttribute body = strata_attr(declaration, "strata.body");
  loop.body = mlirAttributeIsAFlatSymbolRef(body) ? mlirFlatSymbolRefAttrGetValue(body) : strata_str("");
  read_count(declaration, &loop);
  strata_attr_i64s(declaration, "strata.parts", N_PARTS, parts);
  strata_attr_i64s(declaration, "strata.reversed", STRATA_LOOP_MAX_ARGS, reversed);
  loop.n_states = (int)parts[0];
  loop.n_inputs = (int)parts[1];
  loop.n_captured = (int)parts[2];
  loop.n_outputs = (int)parts[3];
  loop.has_condition = strata_attr_flag(declaration, "strata.condition");
  loop.has_limit = strata_attr_flag(declaration, "strata.limit");
  for (int i = 0; i < STRATA_LOOP_MAX_ARGS; i++)
    loop.reversed[i] = reversed[i] != 0;
  return loop;
}

void strata_counted_loop_write(const strata_counted_loop_t *loop) {
  MlirContext context = mlirOperationGetContext(loop->declaration);
  int64_t parts[N_PARTS] = {loop->n_states, loop->n_inputs, loop->n_captured, loop->n_outputs};
  int64_t reversed[STRATA_LOOP_MAX_ARGS];
  for (int i = 0; i < loop->n_inputs + loop->n_outputs; i++)
    reversed[i] = loop->reversed[i];
  strata_set_attr(loop->declaration, "strata.body", mlirFlatSymbolRefAttrGet(context, loop->body));
  strata_set_attr(loop->declaration, STRATA_LOOP_COUNT,
                  strata_counted_loop_varies(loop) ? mlirAffineMapAttrGet(strata_exprs_map(context, 1, &loop->size))
                                                   : strata_i64_attr(context, loop->count));
  strata_set_attr(loop->declaration, "strata.parts", strata_i64s_attr(context, N_PARTS, parts));
  strata_set_attr(loop->declaration, "strata.reversed",
                  strata_i64s_attr(context, loop->n_inputs + loop->n_outputs, reversed));
  if (loop->has_condition)
    strata_set_attr(loop->declaration, "strata.condition", mlirUnitAttrGet(context));
  if (loop->has_limit)
    strata_set_attr(loop->declaration, "strata.limit", mlirUnitAttrGet(context));
}

static MlirOperation first_of(MlirModule module) { return mlirBlockGetFirstOperation(mlirModuleGetBody(module)); }

// What a call of |func| has as callee.
static MlirAttribute callee_of(MlirOperation func) {
  return mlirFlatSymbolRefAttrGet(mlirOperationGetContext(func), strata_attr_str(func, "sym_name"));
}

strata_loop_table_t strata_loop_table(strata_arena_t *arena, MlirModule module) {
  strata_loop_table_t table = {.declarations = strata_pointer_map_create(arena)};
  for (MlirOperation op = first_of(module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op))
      *strata_pointer_map_put(&table.declarations, callee_of(op).ptr) = (int64_t)(uintptr_t)op.ptr;
  return table;
}

MlirOperation strata_called_loop(const strata_loop_table_t *table, MlirOperation call) {
  if (!strata_op_is(call, "func.call"))
    return (MlirOperation){0};
  const int64_t *found = strata_pointer_map_get(&table->declarations, strata_attr(call, "callee").ptr);
  return (MlirOperation){found ? (void *)(uintptr_t)*found : NULL};
}

//===-- Checking -------------------------------------------------------------------------------------------------===//

static bool has_body(MlirOperation func) {
  return !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
}

static MlirType function_type(MlirOperation func) { return mlirTypeAttrGetValue(strata_attr(func, "function_type")); }

static MlirAffineExpr count_of(const strata_counted_loop_t *loop) {
  return strata_counted_loop_varies(loop)
             ? loop->size
             : mlirAffineConstantExprGet(mlirOperationGetContext(loop->declaration), loop->count);
}

static bool has_dim(MlirType type, intptr_t dim, MlirAffineExpr size) {
  MlirAffineExpr own = strata_type_dim(type, dim);
  return !mlirAffineExprIsNull(own) && mlirAffineExprEqual(own, size);
}

// |row| is |whole| without its first dim, which has the loop's count.
static bool is_row(const strata_counted_loop_t *loop, MlirType row, MlirType whole) {
  if (!mlirTypeIsARankedTensor(row) || !mlirTypeIsARankedTensor(whole) || mlirShapedTypeGetRank(whole) < 1 ||
      mlirShapedTypeGetRank(whole) - 1 != mlirShapedTypeGetRank(row) || !has_dim(whole, 0, count_of(loop)) ||
      !mlirTypeEqual(mlirShapedTypeGetElementType(row), mlirShapedTypeGetElementType(whole)))
    return false;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(row); i++)
    if (!has_dim(whole, i + 1, strata_type_dim(row, i)))
      return false;
  return true;
}

static bool types_fit(const strata_counted_loop_t *loop, MlirType whole, MlirType body) {
  int n_operands = strata_counted_loop_n_operands(loop), n_results = strata_counted_loop_n_results(loop);
  if (mlirFunctionTypeGetNumInputs(whole) != n_operands || mlirFunctionTypeGetNumInputs(body) != n_operands ||
      mlirFunctionTypeGetNumResults(whole) != n_results || mlirFunctionTypeGetNumResults(body) != n_results)
    return false;
  for (int i = 0; i < n_operands; i++) {
    MlirType of_loop = mlirFunctionTypeGetInput(whole, i), of_body = mlirFunctionTypeGetInput(body, i);
    bool is_scan = i >= loop->n_states && i < loop->n_states + loop->n_inputs;
    if (is_scan ? !is_row(loop, of_body, of_loop) : !mlirTypeEqual(of_body, of_loop))
      return false;
  }
  for (int i = 0; i < n_results; i++) {
    MlirType of_loop = mlirFunctionTypeGetResult(whole, i), of_body = mlirFunctionTypeGetResult(body, i);
    bool fits = i < loop->n_states
                    ? mlirTypeEqual(of_body, of_loop) && mlirTypeEqual(of_loop, mlirFunctionTypeGetInput(whole, i))
                    : is_row(loop, of_body, of_loop);
    if (!fits)
      return false;
  }
  return true;
}

static bool is_integer(MlirType type, unsigned width) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeGetRank(type) == 0 &&
         strata_type_is_integer(mlirShapedTypeGetElementType(type), width);
}

// What decides when an open loop ends is where it should be.
static bool end_fits(const strata_counted_loop_t *loop, MlirType whole) {
  int first_captured = loop->n_states + loop->n_inputs;
  if (loop->has_condition && (loop->n_states < 1 || !is_integer(mlirFunctionTypeGetInput(whole, 0), 1)))
    return false;
  if (loop->has_limit && (loop->n_captured < 1 || !is_integer(mlirFunctionTypeGetInput(whole, first_captured), 64)))
    return false;
  return !strata_counted_loop_is_open(loop) ||
         (loop->n_inputs + loop->n_outputs == 0 && loop->has_condition != loop->has_limit);
}

static bool has_sane_parts(MlirOperation declaration) {
  int64_t parts[N_PARTS];
  if (strata_attr_i64s(declaration, "strata.parts", N_PARTS, parts) != N_PARTS)
    return false;
  for (int i = 0; i < N_PARTS; i++)
    if (parts[i] < 0 || parts[i] > STRATA_LOOP_MAX_ARGS)
      return false;
  int64_t reversed[STRATA_LOOP_MAX_ARGS], n_scans = parts[1] + parts[3];
  return 2 * parts[0] + n_scans + parts[2] < STRATA_LOOP_MAX_ARGS &&
         strata_attr_i64s(declaration, "strata.reversed", STRATA_LOOP_MAX_ARGS, reversed) == n_scans;
}

static strata_status_t broken(MlirOperation loop, const char *fault) {
  MlirStringRef name = strata_attr_str(loop, "sym_name");
  return strata_error(STRATA_INVALID_ARGUMENT, "loop @%.*s: %s", (int)name.length, name.data, fault);
}

typedef struct {
  MlirModule module;
  MlirSymbolTable symbols;
  strata_loop_table_t loops;
  strata_pointer_map_t owned;  // bodies that a loop has
  strata_pointer_map_t passed; // functions that come before the one that is looked at, and are not called yet
} checker_t;

static strata_status_t check_loop(checker_t *checker, MlirOperation declaration) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration), count = loop;
  MlirOperation body = mlirSymbolTableLookup(checker->symbols, loop.body);
  if (has_body(declaration) || !has_sane_parts(declaration) || !read_count(declaration, &count))
    return broken(declaration, "expected a declaration with strata.count, strata.parts and strata.reversed");
  bool is_none = mlirOperationIsNull(body) || !strata_op_is(body, "func.func") || !has_body(body);
  if (is_none || strata_str_equal(loop.body, "main") || strata_pointer_map_get(&checker->owned, body.ptr))
    return broken(declaration, "its body is no function of the module that is its own");
  *strata_pointer_map_put(&checker->owned, body.ptr) = 1;
  if (!types_fit(&loop, function_type(declaration), function_type(body)))
    return broken(declaration, "the types of its body do not fit");
  if (!end_fits(&loop, function_type(declaration)))
    return broken(declaration, "strata.condition needs an i1 as first state, strata.limit an i64 as first captured "
                               "value, and neither goes with the other, or with scans");
  return NULL;
}

static strata_status_t check_calls_in(checker_t *checker, MlirOperation func) {
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.call"))
      continue;
    MlirOperation loop = strata_called_loop(&checker->loops, op);
    if (mlirOperationIsNull(loop))
      return strata_error(STRATA_INVALID_ARGUMENT, "expected calls of loops only");
    MlirOperation body = mlirSymbolTableLookup(checker->symbols, strata_counted_loop_read(loop).body);
    if (!strata_pointer_map_get(&checker->passed, body.ptr))
      return broken(loop, "expected its body before its one caller, and of no other loop");
    strata_pointer_map_remove(&checker->passed, body.ptr);
  }
  return NULL;
}

// Every loop is called once at most, by a function behind its body, and @main by none: no loop is inside itself.
static strata_status_t check_calls(checker_t *checker, strata_arena_t *arena) {
  strata_functions_t functions = strata_running_functions(arena, checker->module);
  for (size_t i = 0; i < functions.count; i++) {
    STRATA_TRY(check_calls_in(checker, functions.data[i]));
    *strata_pointer_map_put(&checker->passed, functions.data[i].ptr) = 1;
  }
  return NULL;
}

static strata_status_t check_loops(checker_t *checker) {
  for (MlirOperation op = first_of(checker->module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op))
      STRATA_TRY(check_loop(checker, op));
  return NULL;
}

strata_status_t strata_counted_loops_verify(strata_arena_t *arena, MlirModule module) {
  checker_t checker = {.module = module,
                       .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(module)),
                       .loops = strata_loop_table(arena, module),
                       .owned = strata_pointer_map_create(arena),
                       .passed = strata_pointer_map_create(arena)};
  strata_status_t status = check_loops(&checker);
  if (!status)
    status = check_calls(&checker, arena);
  mlirSymbolTableDestroy(checker.symbols);
  return status;
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

strata_functions_t strata_running_functions(strata_arena_t *arena, MlirModule module) {
  strata_functions_t functions = {0};
  for (MlirOperation op = first_of(module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.func") && !strata_str_equal(strata_attr_str(op, "sym_visibility"), "private") &&
        has_body(op) && !strata_str_equal(strata_attr_str(op, "sym_name"), "prepare"))
      *strata_vector_push(arena, &functions) = op;
  return functions;
}

// Callees of all calls.
static strata_pointer_map_t find_callees(strata_arena_t *arena, MlirModule module) {
  strata_pointer_map_t callees = strata_pointer_map_create(arena);
  strata_functions_t functions = strata_running_functions(arena, module);
  for (size_t i = 0; i < functions.count; i++)
    for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(functions.data[i])); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (strata_op_is(op, "func.call"))
        *strata_pointer_map_put(&callees, strata_attr(op, "callee").ptr) = 1;
  return callees;
}

static bool has_loop(MlirModule module) {
  for (MlirOperation op = first_of(module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op))
      return true;
  return false;
}

// One round: a loop inside a removed one is found in the next. True if something was removed.
static bool remove_uncalled(strata_arena_t *arena, MlirModule module) {
  strata_pointer_map_t callees = find_callees(arena, module);
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(module));
  STRATA_VECTOR(MlirOperation) unused = {0};
  for (MlirOperation op = first_of(module); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is_loop(op) && !strata_pointer_map_get(&callees, callee_of(op).ptr))
      *strata_vector_push(arena, &unused) = op;
  for (size_t i = 0; i < unused.count; i++) {
    MlirOperation body = mlirSymbolTableLookup(symbols, strata_counted_loop_read(unused.data[i]).body);
    if (!mlirOperationIsNull(body))
      mlirSymbolTableErase(symbols, body);
    mlirSymbolTableErase(symbols, unused.data[i]);
  }
  mlirSymbolTableDestroy(symbols);
  return unused.count > 0;
}

void strata_remove_unused_loops(strata_arena_t *arena, MlirModule module) {
  while (has_loop(module) && remove_uncalled(arena, module))
    ;
}
