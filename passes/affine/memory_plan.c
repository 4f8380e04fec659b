// affine-memory-plan: gives every intermediate buffer of @main its place in one pool.
//
//   %t = memref.alloc() : memref<8x64xf32>   ->   %t = memref.alloc() {strata.offset = 256} : memref<8x64xf32>
//
// A buffer lives from the first launch that uses it to the last, or where these are on several streams (streams.c) for
// all of their regions; buffers that live at the same time get disjoint
// places, aligned to 256 bytes: one after the other, each into the smallest gap that holds it among those already
// placed. The largest go first; where the pool is more than the most that lives at one time, a lower bound of any plan,
// those that live longest, then those with most of both are tried, and the smallest pool is taken. The report is left
// on @main: strata.pool_size; strata.pool_live, that bound; strata.pool_sum, what the buffers would take without
// sharing.
//
// Where sizes vary, offsets and pool_size are maps of the symbols (memory_varying.h); pool_live and pool_sum are then
// those of likely sizes.
//
// The bodies of loops are planned first. Where a loop works is one buffer of its caller, the last argument of the loop
// and of its body: the body's pool, and behind it, from the loop's strata.states on, two buffers for each state but the
// first and the last, which an iteration reads and writes in turn. On a GPU the flags of an open loop lie behind those,
// from the loop's strata.flags on.
//
// Preconditions: @main and the bodies are launch lists (launch_list.h).
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/memory_place.h"
#include "passes/affine/memory_varying.h"
#include "passes/pass.h"
#include "passes/target.h"

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable functions;
  strata_symbols_t symbols;
} planner_t;

// What the plan of a function needs: so many bytes, or where sizes vary an expression of them.
static MlirAttribute to_attr(const planner_t *planner, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_i64_attr(planner->compile->context, mlirAffineConstantExprGetValue(expr));
  intptr_t n = (intptr_t)planner->symbols.list.count;
  return mlirAffineMapAttrGet(mlirAffineMapGet(planner->compile->context, 0, n, 1, &expr));
}

static MlirAffineExpr number(const planner_t *planner, int64_t value) {
  return mlirAffineConstantExprGet(planner->compile->context, value);
}

static void set_offset(const planner_t *planner, const strata_buffer_t *buffer, MlirAffineExpr offset) {
  strata_set_attr(mlirOpResultGetOwner(buffer->value), "strata.offset", to_attr(planner, offset));
}

// The smallest pool of several orders; the first of equal ones. |live|: no pool is smaller.
static strata_placement_t best_placement(strata_arena_t *arena, const strata_launch_list_t *list, const int64_t *sizes,
                                         int64_t live) {
  strata_placement_t best = strata_place(arena, list, sizes, 0);
  for (int by = 1; by < STRATA_N_PLACINGS && best.pool_size > live; by++) {
    strata_placement_t placement = strata_place(arena, list, sizes, (strata_placing_t)by);
    if (placement.pool_size < best.pool_size)
      best = placement;
  }
  return best;
}

static strata_memory_plan_t plan_static(const planner_t *planner, const strata_launch_list_t *list) {
  strata_arena_t *arena = planner->compile->arena;
  int64_t *sizes = strata_arena_array(arena, int64_t, list->buffers.count + 1);
  for (size_t i = 0; i < list->buffers.count; i++)
    sizes[i] = list->buffers.data[i].size;
  int64_t live = strata_most_live(arena, list, sizes);
  strata_placement_t placement = best_placement(arena, list, sizes, live);
  strata_memory_plan_t plan = {.offsets = strata_arena_array(arena, MlirAffineExpr, list->buffers.count + 1),
                               .pool_size = number(planner, placement.pool_size),
                               .live = live,
                               .sum = placement.sum};
  for (size_t i = 0; i < list->buffers.count; i++)
    plan.offsets[i] = number(planner, placement.offsets[i]);
  return plan;
}

static bool varies(const strata_launch_list_t *list) {
  for (size_t i = 0; i < list->buffers.count; i++)
    if (strata_is_placed(&list->buffers.data[i]) && list->buffers.data[i].size < 0)
      return true;
  return false;
}

// An allocation in front of a loop's call. What is the operand of a dynamic one does not matter: its type has the size.
static MlirValue allocate(const planner_t *planner, MlirOperation call, MlirType type) {
  if (!strata_type_is_symbolic(type))
    return strata_alloc_before(call, type);
  MlirLocation location = mlirOperationGetLocation(call);
  MlirType index = mlirIndexTypeGet(planner->compile->context);
  strata_named_attr_t value = {"value", mlirIntegerAttrGet(index, 0)};
  MlirOperation size = strata_op_create(location, "arith.constant", 0, NULL, 1, &index, 1, &value, 0, NULL);
  MlirValue operand = mlirOperationGetResult(size, 0);
  const int32_t segments[] = {1, 0};
  strata_named_attr_t counts = {"operandSegmentSizes", mlirDenseI32ArrayGet(planner->compile->context, 2, segments)};
  MlirOperation alloc = strata_op_create(location, "memref.alloc", 1, &operand, 1, &type, 1, &counts, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, size);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, alloc);
  return mlirOperationGetResult(alloc, 0);
}

// Adds an argument of |type| to the loop, its body and its call.
static void add_work_argument(const planner_t *planner, MlirOperation call, const strata_counted_loop_t *loop,
                              MlirOperation body, MlirType type) {
  strata_compile_t *compile = planner->compile;
  MlirValue operands[STRATA_LOOP_MAX_ARGS + 1];
  MlirType types[STRATA_LOOP_MAX_ARGS + 1];
  intptr_t n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n; i++) {
    operands[i] = mlirOperationGetOperand(call, i);
    types[i] = mlirValueGetType(operands[i]);
  }
  operands[n] = allocate(planner, call, type);
  types[n] = type;
  mlirOperationSetOperands(call, n + 1, operands);
  strata_set_attr(loop->declaration, "function_type",
                  mlirTypeAttrGet(mlirFunctionTypeGet(compile->context, n + 1, types, 0, NULL)));
  mlirBlockAddArgument(strata_func_body(body), type, mlirOperationGetLocation(body));
  mlirOperationRemoveAttributeByName(body, strata_str("arg_attrs")); // one an argument; nobody reads them any more
  strata_update_function_type(compile->arena, body);
}

static strata_status_t plan_function(planner_t *planner, MlirOperation func, MlirAffineExpr *out_pool_size);

static MlirAffineExpr add(MlirAffineExpr a, MlirAffineExpr b) { return mlirAffineAddExprGet(a, b); }

// Bytes of a state's two buffers.
static MlirAffineExpr size_of_states(const planner_t *planner, MlirType type) {
  MlirAffineExpr size = strata_round_up_expr(strata_memref_size_expr(type), STRATA_POOL_ALIGNMENT);
  return mlirAffineMulExprGet(size, number(planner, 2));
}

static MlirType bytes_type(const planner_t *planner, MlirAffineExpr size) {
  MlirContext context = planner->compile->context;
  MlirType byte = mlirIntegerTypeGet(context, 8);
  int64_t count = mlirShapedTypeGetDynamicSize();
  if (mlirAffineExprIsAConstant(size)) {
    count = strata_max(mlirAffineConstantExprGetValue(size), STRATA_POOL_ALIGNMENT);
    return mlirMemRefTypeContiguousGet(byte, 1, &count, (MlirAttribute){0});
  }
  MlirNamedAttribute sizes = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("sizes")),
                                                   to_attr(planner, add(size, number(planner, STRATA_POOL_ALIGNMENT))));
  return mlirMemRefTypeContiguousGet(byte, 1, &count, mlirDictionaryAttrGet(context, 1, &sizes));
}

// Plans the loop's body, and gives the loop the memory it works in.
static strata_status_t plan_loop(planner_t *planner, MlirOperation call, MlirOperation declaration) {
  strata_counted_loop_t loop = strata_counted_loop_read(declaration);
  MlirOperation body = mlirSymbolTableLookup(planner->functions, loop.body);
  MlirAffineExpr size;
  STRATA_TRY(plan_function(planner, body, &size));
  size = strata_round_up_expr(size, STRATA_POOL_ALIGNMENT);
  strata_set_attr(declaration, "strata.states", to_attr(planner, size));
  for (int i = 0; i < loop.n_states; i++)
    size = add(size, size_of_states(planner, mlirValueGetType(mlirOperationGetOperand(call, i))));
  if (strata_counted_loop_is_open(&loop) && strata_target_is_gpu(planner->compile)) {
    int64_t flags = (strata_counted_loop_n_flags(&loop) + 1) * STRATA_LOOP_FLAG_BYTES;
    strata_set_attr(declaration, "strata.flags", to_attr(planner, size));
    size = add(size, number(planner, strata_round_up(flags, STRATA_POOL_ALIGNMENT)));
  }
  add_work_argument(planner, call, &loop, body, bytes_type(planner, size));
  return NULL;
}

static strata_status_t plan_function(planner_t *planner, MlirOperation func, MlirAffineExpr *out_pool_size) {
  strata_compile_t *compile = planner->compile;
  strata_operations_t calls = strata_calls_of(compile->arena, func);
  for (size_t i = 0; i < calls.count; i++) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(strata_attr(calls.data[i], "callee"));
    MlirOperation declaration = mlirSymbolTableLookup(planner->functions, callee);
    if (strata_op_is_loop(declaration))
      STRATA_TRY(plan_loop(planner, calls.data[i], declaration));
  }
  strata_launch_list_t list;
  STRATA_TRY(strata_launch_list_read(compile, func, &list));
  strata_memory_plan_t plan =
      varies(&list) ? strata_plan_varying(compile, &planner->symbols, &list) : plan_static(planner, &list);
  for (size_t i = 0; i < list.buffers.count; i++)
    if (list.buffers.data[i].kind == STRATA_BUFFER_ALLOC)
      set_offset(planner, &list.buffers.data[i], plan.offsets[i]);
  strata_set_attr(func, "strata.pool_size", to_attr(planner, plan.pool_size));
  strata_set_attr(func, "strata.pool_live", strata_i64_attr(compile->context, plan.live));
  strata_set_attr(func, "strata.pool_sum", strata_i64_attr(compile->context, plan.sum));
  *out_pool_size = plan.pool_size;
  return NULL;
}

strata_status_t strata_pass_affine_memory_plan(strata_compile_t *compile) {
  MlirOperation main = strata_find_func(compile->module, "main");
  if (mlirOperationIsNull(main))
    return strata_error(STRATA_INTERNAL, "affine-memory-plan: no function main");
  planner_t planner = {.compile = compile};
  MlirAffineExpr pool_size;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &planner.symbols));
  planner.functions = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module));
  strata_status_t status = plan_function(&planner, main, &pool_size);
  mlirSymbolTableDestroy(planner.functions);
  if (!status)
    strata_symbols_write(compile->module, &planner.symbols);
  return status;
}
