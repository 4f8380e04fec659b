// Coalescing: the calls of kernels, whose operands become views of their buffers.
#include "passes/affine/coalesce.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"

// A kernel whose arguments have new shapes: for each argument the memref.collapse_shape's reassociation, or null.
typedef struct {
  MlirOperation func;
  const MlirAttribute *reassociations;
} kernel_t;

typedef struct view {
  MlirAttribute reassociation;
  MlirValue value;
  struct view *next;
} view_t;

struct strata_coalesced_calls {
  strata_compile_t *compile;
  STRATA_VECTOR(kernel_t) kernels;
  strata_pointer_map_t kernel_of; // symbol reference -> 1 + index of the kernel
  STRATA_VECTOR(view_t *) views;  // lists of views of one buffer
  strata_pointer_map_t views_of;  // buffer -> 1 + index of its list
};

strata_coalesced_calls_t *strata_coalesced_calls_create(strata_compile_t *compile) {
  strata_coalesced_calls_t *calls = strata_arena_new(compile->arena, strata_coalesced_calls_t);
  *calls = (strata_coalesced_calls_t){.compile = compile,
                                      .kernel_of = strata_pointer_map_create(compile->arena),
                                      .views_of = strata_pointer_map_create(compile->arena)};
  return calls;
}

static MlirAttribute reassociation(const strata_coalescing_t *coalescing, int buffer) {
  MlirContext context = coalescing->compile->context;
  const strata_coalesced_buffer_t *record = &coalescing->buffers[buffer];
  MlirAttribute dims[STRATA_MAX_DIMS], groups[STRATA_MAX_DIMS];
  int group[STRATA_MAX_DIMS], rank = strata_coalesce_groups(record, group);
  if (rank == record->rank)
    return mlirAttributeGetNull();
  for (int i = 0, dim = 0; i < rank; i++) {
    int count = 0;
    for (; dim < record->rank && group[dim] == i; dim++)
      dims[count++] = strata_i64_attr(context, dim);
    groups[i] = mlirArrayAttrGet(context, count, dims);
  }
  return mlirArrayAttrGet(context, rank, groups);
}

void strata_coalesced_calls_add(strata_coalesced_calls_t *calls, const strata_coalescing_t *coalescing) {
  strata_compile_t *compile = calls->compile;
  MlirOperation func = coalescing->graph.func;
  MlirBlock body = strata_func_body(func);
  intptr_t count = mlirBlockGetNumArguments(body);
  MlirAttribute *reassociations = strata_arena_array(compile->arena, MlirAttribute, count);
  for (intptr_t i = 0; i < count; i++) {
    const int64_t *buffer = strata_pointer_map_get(&coalescing->graph.buffer_of, mlirBlockGetArgument(body, i).ptr);
    reassociations[i] = buffer ? reassociation(coalescing, (int)*buffer - 1) : mlirAttributeGetNull();
  }
  *strata_vector_push(compile->arena, &calls->kernels) = (kernel_t){func, reassociations};
  MlirAttribute symbol = mlirFlatSymbolRefAttrGet(compile->context, strata_attr_str(func, "sym_name"));
  *strata_pointer_map_put(&calls->kernel_of, symbol.ptr) = (int64_t)calls->kernels.count;
}

// Sizes that vary are part of the type, which memref.collapse_shape does not know.
static MlirValue create_view(MlirOperation call, MlirValue buffer, MlirType type, MlirAttribute reassociation) {
  bool varies = !mlirShapedTypeHasStaticShape(type);
  MlirOperation op = strata_op_create(mlirOperationGetLocation(call),
                                      varies ? STRATA_VARYING_VIEW : "memref.collapse_shape", 1, &buffer, 1, &type,
                                      varies ? 0 : 1, &(strata_named_attr_t){"reassociation", reassociation}, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, op);
  return mlirOperationGetResult(op, 0);
}

// The view of |buffer| that a call needs; one made for an earlier call if there is one.
static MlirValue find_view(strata_coalesced_calls_t *calls, MlirOperation call, MlirValue buffer, MlirType type,
                           MlirAttribute reassociation) {
  strata_arena_t *arena = calls->compile->arena;
  int64_t *index = strata_pointer_map_put(&calls->views_of, buffer.ptr);
  if (*index == 0) {
    *strata_vector_push(arena, &calls->views) = NULL;
    *index = (int64_t)calls->views.count;
  }
  view_t **views = &calls->views.data[*index - 1];
  for (view_t *view = *views; view; view = view->next)
    if (mlirAttributeEqual(view->reassociation, reassociation))
      return view->value;
  view_t *view = strata_arena_new(arena, view_t);
  *view = (view_t){reassociation, create_view(call, buffer, type, reassociation), *views};
  *views = view;
  return view->value;
}

void strata_coalesced_calls_rewrite(strata_coalesced_calls_t *calls, MlirOperation call) {
  const int64_t *index = strata_pointer_map_get(&calls->kernel_of, strata_attr(call, "callee").ptr);
  if (!index)
    return;
  const kernel_t *kernel = &calls->kernels.data[*index - 1];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    if (mlirAttributeIsNull(kernel->reassociations[i]))
      continue;
    MlirType type = mlirValueGetType(mlirBlockGetArgument(strata_func_body(kernel->func), i));
    MlirValue buffer = mlirOperationGetOperand(call, i);
    mlirOperationSetOperand(call, i, find_view(calls, call, buffer, type, kernel->reassociations[i]));
  }
}
