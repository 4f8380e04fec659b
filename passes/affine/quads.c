// affine-quads: contractions of bytes read four at a time, on cpus that add up the products of four unsigned bytes with
// four signed ones (strata_cpu_device_t, quad_products).
//
//   affine.for %k = 0 to 64 { %x = affine.load %a[%m, %k] : memref<8x64xi8>   %u = arith.extui %x : i8 to i32
//                             %y = affine.load %b[%n, %k] ...                 %p = arith.muli %u, %s : i32 }
// becomes
//   affine.for %k = 0 to 16 { %x = affine.load %a[%m, %k] : memref<8x16xi32>  %y = affine.load %b[%n, %k] ...
//                             %p = arith.muli %x, %y {strata.quads} : i32 }
//
// and the calls take a strata.view of the buffers. An operand whose bytes do not lie along the dim is copied first,
// which the preparation program does for weights. From here on it is a contraction of i32 like any other, whose factors
// are packed and cut as ever; what its product is the expansion of arithmetic alone knows (lowering/expand).
#include "dialects/affine/quads.h"
#include "dialects/affine/contraction.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/nest_edit.h"
#include "passes/pass.h"
#include "passes/target.h"

enum { QUAD = 4 };

typedef struct {
  const strata_access_t *access;
  MlirOperation widening;
  intptr_t argument;
  int place;     // the coordinate that walks the dim
  bool is_moved; // it has to be made the last
} operand_t;

typedef struct {
  strata_compile_t *compile;
  const strata_called_kernel_t *called;
  strata_kernel_t kernel;
  const strata_nest_t *nest;
  MlirOperation product;
  operand_t operands[2]; // unsigned, signed
  int dim;               // of the nest
} quads_t;

//===-- Finding them ---------------------------------------------------------------------------------------------===//

// The load that |widening| widens from bytes, through its guard; false if anything else is widened.
static bool read_operand(const quads_t *q, MlirOperation widening, operand_t *out) {
  MlirOperation load = strata_def(mlirOperationGetOperand(widening, 0)), guard = {NULL};
  if (!mlirOperationIsNull(load) && strata_op_is(load, "affine.if")) {
    guard = load;
    MlirBlock inside = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 0));
    load = strata_def(mlirOperationGetOperand(mlirBlockGetTerminator(inside), 0));
  }
  for (int i = 0; i < q->nest->n_accesses; i++) {
    const strata_access_t *access = &q->nest->accesses[i];
    if (mlirOperationIsNull(load) || !mlirOperationEqual(access->op, load) || access->is_store)
      continue;
    *out = (operand_t){.access = access, .widening = widening};
    return strata_type_is_integer(mlirValueGetType(access->value), 8) && mlirValueIsABlockArgument(access->buffer) &&
           !mlirAffineMapIsNull(access->map) && mlirOperationEqual(access->guard, guard) &&
           strata_kernel_reaches_once(&q->kernel, access->buffer);
  }
  return false;
}

// The product that the nest sums up, of unsigned bytes with signed ones.
static bool read_product(quads_t *q) {
  if (!strata_type_is_integer(mlirValueGetType(mlirOperationGetResult(q->product, 0)), 32))
    return false;
  MlirOperation widenings[2];
  for (int i = 0; i < 2; i++) {
    widenings[i] = strata_def(mlirOperationGetOperand(q->product, i));
    if (mlirOperationIsNull(widenings[i]))
      return false;
  }
  int first = strata_op_is(widenings[0], "arith.extui") ? 0 : 1;
  return strata_op_is(widenings[first], "arith.extui") && strata_op_is(widenings[1 - first], "arith.extsi") &&
         read_operand(q, widenings[first], &q->operands[0]) && read_operand(q, widenings[1 - first], &q->operands[1]);
}

// Whether |expr|, over the nest's dims, is |dim| and multiples of four.
static bool walks_quads(const strata_nest_t *nest, MlirAffineExpr expr, int dim) {
  int64_t factor;
  MlirAffineExpr rest = expr;
  for (int i = 0; i < strata_nest_n_dims(nest); i++)
    if (!strata_affine_coefficient(expr, i, &factor) || (i == dim ? factor != 1 : factor % QUAD != 0))
      return false;
  MlirAffineExpr zeros[STRATA_MAX_DIMS];
  for (int i = 0; i < strata_nest_n_dims(nest); i++)
    zeros[i] = mlirAffineConstantExprGet(mlirAffineExprGetContext(expr), 0);
  MlirAffineMap origin = mlirAffineMapGet(mlirAffineExprGetContext(expr), 0, 0, strata_nest_n_dims(nest), zeros);
  rest = strata_affine_simplify(mlirAffineExprCompose(rest, origin), STRATA_STATIC_SPACE(0, NULL));
  return mlirAffineExprIsAConstant(rest) && mlirAffineConstantExprGetValue(rest) % QUAD == 0;
}

static bool guard_uses(const strata_nest_t *nest, const strata_access_t *access, int dim) {
  if (mlirOperationIsNull(access->guard))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(access->guard); i++)
    if (mlirValueEqual(mlirOperationGetOperand(access->guard, i), nest->dims[dim]))
      return true;
  return false;
}

// Whether the operand can be read four bytes along |dim| at a time, moved or not. Buffers whose sizes vary stay as they
// are.
static bool place_operand(const quads_t *q, operand_t *operand, int dim) {
  const strata_access_t *access = operand->access;
  int rank = (int)mlirAffineMapGetNumResults(access->map);
  operand->place = -1;
  for (int i = 0; i < rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(access->map, i);
    if (!mlirAffineExprIsFunctionOfDim(expr, dim))
      continue;
    if (operand->place >= 0 || !walks_quads(q->nest, expr, dim))
      return false;
    operand->place = i;
  }
  int64_t size;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(access->buffer, sizes);
  operand->is_moved = operand->place != rank - 1;
  operand->argument = mlirBlockArgumentGetArgNumber(access->buffer);
  return operand->place >= 0 && strata_size_is_constant(sizes[operand->place], &size) && size % QUAD == 0 &&
         !(operand->is_moved && strata_sizes_vary(rank, sizes)) && !guard_uses(q->nest, access, dim);
}

static bool find_dim(quads_t *q) {
  int64_t extent;
  for (q->dim = strata_nest_n_dims(q->nest) - 1; q->dim >= q->nest->n_parallel; q->dim--)
    if (strata_size_is_constant(q->nest->space.sizes[q->dim], &extent) && extent % QUAD == 0 &&
        place_operand(q, &q->operands[0], q->dim) && place_operand(q, &q->operands[1], q->dim))
      return true;
  return false;
}

//===-- Moving bytes ---------------------------------------------------------------------------------------------===//

// The buffer's dim at place |i| of a copy whose last dim is that at |place|.
static int moved_dim(int rank, int place, int i) { return i == rank - 1 ? place : i < place ? i : i + 1; }

static const char *copy_text(quads_t *q, const operand_t *operand, const char *name, MlirType *out_type) {
  strata_arena_t *arena = q->compile->arena;
  MlirType from = mlirValueGetType(operand->access->buffer);
  int64_t sizes[STRATA_MAX_DIMS], moved[STRATA_MAX_DIMS];
  int rank = strata_memref_static_sizes(operand->access->buffer, sizes);
  const char *at[STRATA_MAX_DIMS], *dims = "", *zeros = "", *ends = "", *source = "";
  for (int i = 0; i < rank; i++) {
    const char *comma = i ? ", " : "";
    int dim = moved_dim(rank, operand->place, i);
    moved[i] = sizes[dim];
    at[dim] = strata_arena_printf(arena, "%%d%d", i);
    dims = strata_arena_printf(arena, "%s%s%%d%d", dims, comma, i);
    zeros = strata_arena_printf(arena, "%s%s0", zeros, comma);
    ends = strata_arena_printf(arena, "%s%s%lld", ends, comma, (long long)moved[i]);
  }
  for (int i = 0; i < rank; i++)
    source = strata_arena_printf(arena, "%s%s%s", source, i ? ", " : "", at[i]);
  *out_type = mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(from), rank, moved, (MlirAttribute){0});
  const char *from_text = strata_type_text(arena, from), *to_text = strata_type_text(arena, *out_type);
  return strata_arena_printf(arena,
                             "func.func private @%s(%%x: %s, %%y: %s) {\n"
                             "affine.parallel (%s) = (%s) to (%s) {\n%%v = affine.load %%x[%s] : %s\n"
                             "affine.store %%v, %%y[%s] : %s\n} {strata.nest = \"quads\"}\nreturn }",
                             name, from_text, to_text, dims, zeros, ends, source, from_text, dims, to_text);
}

static strata_status_t move_operand(quads_t *q, const operand_t *operand, const char *name) {
  MlirType type;
  const char *text = copy_text(q, operand, name, &type);
  MlirOperation func = mlirOperationCreateParse(q->compile->context, strata_str(text), strata_str("affine-quads"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(q->compile, "affine-quads: the copying kernel is malformed");
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(q->compile->module), q->called->func, func);
  for (size_t i = 0; i < q->called->calls.count; i++) {
    MlirOperation call = q->called->calls.data[i];
    MlirValue buffers[2] = {mlirOperationGetOperand(call, operand->argument), strata_alloc_before(call, type)};
    strata_call_before(call, name, 2, buffers);
    mlirOperationSetOperand(call, operand->argument, buffers[1]);
  }
  return NULL;
}

//===-- Reading quads --------------------------------------------------------------------------------------------===//

// The buffer's sizes with the walked dim last, counted in quads.
static MlirType quads_type(const quads_t *q, const operand_t *operand) {
  strata_size_t sizes[STRATA_MAX_DIMS], moved[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(operand->access->buffer, sizes);
  for (int i = 0; i < rank; i++)
    moved[i] = sizes[moved_dim(rank, operand->place, i)];
  moved[rank - 1] = strata_size_constant(strata_size_static_value(moved[rank - 1]) / QUAD);
  return strata_memref_type_of(mlirIntegerTypeGet(q->compile->context, 32), rank, moved);
}

// The same of the access, where dim |dim| counts quads.
static MlirAffineMap quads_map(const quads_t *q, const operand_t *operand) {
  MlirContext context = q->compile->context;
  MlirAffineMap map = operand->access->map;
  int n_dims = strata_nest_n_dims(q->nest), rank = (int)mlirAffineMapGetNumResults(map);
  MlirAffineExpr dims[STRATA_MAX_DIMS], results[STRATA_MAX_DIMS], four = mlirAffineConstantExprGet(context, QUAD);
  for (int i = 0; i < n_dims; i++)
    dims[i] = mlirAffineDimExprGet(context, i);
  dims[q->dim] = mlirAffineMulExprGet(dims[q->dim], four);
  intptr_t n_symbols = mlirAffineMapGetNumSymbols(map);
  MlirAffineMap scaled = mlirAffineMapGet(context, n_dims, n_symbols, n_dims, dims);
  for (int i = 0; i < rank; i++)
    results[i] = mlirAffineExprCompose(mlirAffineMapGetResult(map, moved_dim(rank, operand->place, i)), scaled);
  results[rank - 1] = mlirAffineFloorDivExprGet(results[rank - 1], four);
  strata_space_t space = q->nest->space;
  return strata_affine_simplify_map(mlirAffineMapGet(context, n_dims, n_symbols, rank, results), &space);
}

static void view_operand(const operand_t *operand, MlirOperation call, MlirType type) {
  MlirValue buffer = mlirOperationGetOperand(call, operand->argument);
  MlirOperation view =
      strata_op_create(mlirOperationGetLocation(call), STRATA_VARYING_VIEW, 1, &buffer, 1, &type, 0, NULL, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, view);
  mlirOperationSetOperand(call, operand->argument, mlirOperationGetResult(view, 0));
}

// A guard yields four bytes, or four times what it yielded outside, which is 0.
static void widen_guard(const quads_t *q, MlirOperation guard) {
  MlirType i32 = mlirIntegerTypeGet(q->compile->context, 32);
  MlirBlock outside = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 1));
  MlirOperation yield = mlirBlockGetTerminator(outside);
  strata_named_attr_t zero = {"value", mlirIntegerAttrGet(i32, 0)};
  MlirOperation constant =
      strata_op_create(mlirOperationGetLocation(guard), "arith.constant", 0, NULL, 1, &i32, 1, &zero, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(outside, yield, constant);
  mlirOperationSetOperand(yield, 0, mlirOperationGetResult(constant, 0));
  mlirValueSetType(mlirOperationGetResult(guard, 0), i32);
}

static void read_quads(quads_t *q, const operand_t *operand, int index) {
  MlirType type = quads_type(q, operand);
  MlirAffineMap map = quads_map(q, operand);
  MlirValue source = mlirOperationGetOperand(operand->widening, 0);
  for (size_t i = 0; i < q->called->calls.count; i++)
    view_operand(operand, q->called->calls.data[i], type);
  mlirValueSetType(operand->access->buffer, type);
  mlirValueSetType(operand->access->value, mlirIntegerTypeGet(q->compile->context, 32));
  strata_nest_set_map(operand->access->op, map, q->nest->dims);
  if (!mlirOperationIsNull(operand->access->guard))
    widen_guard(q, operand->access->guard);
  mlirOperationSetOperand(q->product, index, source);
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_status_t read_by_quads(strata_compile_t *compile, const strata_called_kernel_t *called) {
  quads_t q = {.compile = compile, .called = called};
  strata_contraction_kernel_t contraction;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &q.kernel));
  if (!strata_is_contraction(&q.kernel, &contraction) || contraction.other.nest)
    return NULL;
  q.nest = contraction.nest;
  q.product = strata_contraction_product(&contraction);
  if (!read_product(&q) || !find_dim(&q))
    return NULL;
  MlirStringRef symbol = strata_attr_str(called->func, "sym_name");
  for (int i = 0; i < 2; i++)
    if (q.operands[i].is_moved)
      STRATA_TRY(move_operand(&q, &q.operands[i],
                              strata_arena_printf(compile->arena, "%.*s_quads%d", (int)symbol.length, symbol.data, i)));
  for (int i = 0; i < 2; i++)
    read_quads(&q, &q.operands[i], i);
  for (int i = 0; i < 2; i++)
    mlirOperationDestroy(q.operands[i].widening);
  int64_t extent = strata_nest_static_extent(q.nest, q.dim);
  strata_loop_set_size(q.nest->loops[q.dim - q.nest->n_parallel], strata_size_constant(extent / QUAD));
  strata_set_attr(q.product, STRATA_QUADS, mlirUnitAttrGet(compile->context));
  strata_update_function_type(compile->arena, called->func);
  return NULL;
}

strata_status_t strata_pass_affine_quads(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile))
    return NULL;
  const strata_cpu_device_t *device;
  strata_calls_t calls;
  STRATA_TRY(strata_cpu_device(compile, &device));
  if (!device->quad_products)
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &calls));
  for (size_t i = 0; i < calls.kernels.count; i++)
    STRATA_TRY(read_by_quads(compile, &calls.kernels.data[i]));
  return NULL;
}
