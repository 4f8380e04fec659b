// Pipelined products: twins, products of one launch that differ in their buffers alone. Where their results go through
// much code, an op like exp, consumers have it once for all:
//
//   if %task < 8 { products, epilogue to %y } else { products, epilogue to %z }
// becomes
//   %which = %task / 8   %to = select %which = 0, %y, %z   products, epilogue to %to
//
// What the copy engine stores goes by maps, which are not selected: those few operations are there for each twin.
#include "dialects/pointer_map.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined.h"

//===-- Finding --------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_pointer_map_t values; // of the first -> the twin's, as addresses
  bool has_math;
} comparison_t;

static bool is_constant(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, "arith.constant");
}

// Values of the bodies have been noted; constants in front of both, and buffers, are met here.
static bool is_same_value(comparison_t *c, MlirValue a, MlirValue b) {
  const int64_t *known = strata_pointer_map_get(&c->values, a.ptr);
  if (known)
    return *known == (int64_t)(intptr_t)b.ptr;
  if (!mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)))
    return false;
  if (is_constant(a) && is_constant(b))
    return mlirAttributeEqual(strata_attr(strata_def(a), "value"), strata_attr(strata_def(b), "value"));
  if (!mlirValueIsABlockArgument(a) || !mlirValueIsABlockArgument(b))
    return false;
  *strata_pointer_map_put(&c->values, a.ptr) = (int64_t)(intptr_t)b.ptr;
  return true;
}

static bool note_values(comparison_t *c, MlirValue a, MlirValue b) {
  *strata_pointer_map_put(&c->values, a.ptr) = (int64_t)(intptr_t)b.ptr;
  return mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

static bool is_same_block(comparison_t *c, MlirBlock a, MlirBlock b);

static bool is_same_op(comparison_t *c, MlirOperation a, MlirOperation b) {
  MlirStringRef name = strata_op_name(a);
  intptr_t n_operands = mlirOperationGetNumOperands(a), n_results = mlirOperationGetNumResults(a);
  bool same = mlirStringRefEqual(name, strata_op_name(b)) && n_operands == mlirOperationGetNumOperands(b) &&
              n_results == mlirOperationGetNumResults(b) &&
              mlirOperationGetNumRegions(a) == mlirOperationGetNumRegions(b) && strata_op_attrs_equal(a, b);
  c->has_math |= name.length > 5 && !strncmp(name.data, "math.", 5);
  for (intptr_t i = 0; same && i < n_operands; i++)
    same = is_same_value(c, mlirOperationGetOperand(a, i), mlirOperationGetOperand(b, i));
  for (intptr_t i = 0; same && i < mlirOperationGetNumRegions(a); i++)
    same = is_same_block(c, mlirRegionGetFirstBlock(mlirOperationGetRegion(a, i)),
                         mlirRegionGetFirstBlock(mlirOperationGetRegion(b, i)));
  for (intptr_t i = 0; same && i < n_results; i++)
    same = note_values(c, mlirOperationGetResult(a, i), mlirOperationGetResult(b, i));
  return same;
}

static bool is_same_block(comparison_t *c, MlirBlock a, MlirBlock b) {
  if (mlirBlockIsNull(a) || mlirBlockIsNull(b))
    return mlirBlockIsNull(a) && mlirBlockIsNull(b);
  bool same = mlirBlockGetNumArguments(a) == mlirBlockGetNumArguments(b);
  for (intptr_t i = 0; same && i < mlirBlockGetNumArguments(a); i++)
    same = note_values(c, mlirBlockGetArgument(a, i), mlirBlockGetArgument(b, i));
  MlirOperation other = mlirBlockGetFirstOperation(b);
  for (MlirOperation op = mlirBlockGetFirstOperation(a); same && !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    same = !mlirOperationIsNull(other) && is_same_op(c, op, other);
    other = same ? mlirOperationGetNextInBlock(other) : other;
  }
  return same && mlirOperationIsNull(other);
}

// The buffers of the function that |twin| has in the place of |k|'s.
static void note_buffers(strata_gpu_distribution_t *d, const comparison_t *c, strata_pipelined_twin_t *twin) {
  MlirBlock entry = strata_func_body(d->func);
  intptr_t n = mlirBlockGetNumArguments(entry);
  twin->buffers = strata_arena_array(d->compile->arena, MlirValue, n);
  for (intptr_t i = 0; i < n; i++) {
    const int64_t *other = strata_pointer_map_get(&c->values, mlirBlockGetArgument(entry, i).ptr);
    twin->buffers[i] = other ? (MlirValue){(void *)(intptr_t)*other} : (MlirValue){NULL};
  }
}

void strata_twins_find(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  for (strata_pipelined_kernel_t *other = k->next; other; other = other->next) {
    comparison_t c = {.values = strata_pointer_map_create(d->compile->arena)};
    if (!strata_size_equal(other->n_tasks, k->n_tasks) || !is_same_block(&c, k->body, other->body) || !c.has_math)
      return;
    strata_pipelined_twin_t twin = {0};
    note_buffers(d, &c, &twin);
    *strata_vector_push(d->compile->arena, &k->twins) = twin;
  }
}

strata_pipelined_kernel_t *strata_twins_last(strata_pipelined_kernel_t *k) {
  for (size_t n = k->twins.count; n > 0; n--)
    k = k->next;
  return k;
}

//===-- Choosing -------------------------------------------------------------------------------------------------===//

static MlirValue is_twin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, size_t number) {
  return strata_emit_cmpi(&d->e, STRATA_EQ, k->which, strata_emit_index(&d->e, (int64_t)number));
}

void strata_twins_begin(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  MlirBlock entry = strata_func_body(d->func);
  MlirValue count = strata_gpu_emit_size(d, k->n_tasks);
  k->which = strata_emit_binary(e, "arith.divui", d->role.task, count);
  d->role.task = strata_emit_binary(e, "arith.remui", d->role.task, count);
  k->own_buffers = strata_arena_array(d->compile->arena, MlirValue, mlirBlockGetNumArguments(entry));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
    k->own_buffers[i] = strata_new_scalar(d, mlirBlockGetArgument(entry, i));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue old = mlirBlockGetArgument(entry, i), chosen = k->own_buffers[i];
    for (size_t j = 0; j < k->twins.count; j++) {
      MlirValue other = k->twins.data[j].buffers[i];
      if (!mlirValueIsNull(other) && !mlirValueEqual(other, old))
        chosen =
            strata_emit_select(e, is_twin(d, k, j + 1), k->own_buffers[mlirBlockArgumentGetArgNumber(other)], chosen);
    }
    strata_define_scalar(d, old, chosen);
  }
}

void strata_twins_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  MlirBlock entry = strata_func_body(d->func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++)
    strata_define_scalar(d, mlirBlockGetArgument(entry, i), k->own_buffers[i]);
}

void strata_twins_store(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const strata_bulk_t *bulk,
                        int64_t span, int n_operands, const MlirValue *operands) {
  strata_emitter_t *e = &d->e;
  for (size_t i = 0; i <= k->twins.count; i++) {
    strata_bulk_t own = *bulk;
    strata_loop_t branch = {0};
    if (i > 0)
      own.buffer = k->twins.data[i - 1].buffers[mlirBlockArgumentGetArgNumber(bulk->buffer)];
    strata_named_attr_t map = {"map", strata_i64_attr(e->context, strata_bulk_map(d, &own, span))};
    if (k->twins.count)
      branch = strata_emit_if_begin(e, is_twin(d, k, i));
    strata_emit_op(e, STRATA_TILE_BULK_STORE, n_operands, operands, 0, NULL, 1, &map);
    if (k->twins.count)
      strata_emit_if_end(e, branch);
  }
}
