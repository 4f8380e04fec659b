// Several task spaces in one kernel: which part a block carries out is found by halves, and all threads of a block are
// in the same one, so that barriers and shuffles meet them all.
//
//   scf.forall (%t) in (8) {...}   scf.forall (%t) in (4) {...}     a group a block
// ->
//   scf.if %block < 8 { %t = %block ... } else { %t = %block - 8 ... }
#include "lowering/tile_to_gpu/parts.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/tasks.h"

typedef struct {
  MlirOperation forall;
  int64_t n_tasks, group, first_block;
} part_t;

typedef STRATA_VECTOR(part_t) parts_t;

int64_t strata_gpu_group_of(const strata_gpu_distribution_t *d, MlirOperation op) {
  while (d->plan.part_blocks && !mlirOperationIsNull(op) && !strata_op_is(op, "scf.forall"))
    op = mlirOperationGetParentOperation(op);
  return d->plan.part_blocks && !mlirOperationIsNull(op) ? strata_attr_i64(op, "tile.group", d->role.group)
                                                         : d->role.group;
}

static int64_t blocks_of(const strata_gpu_distribution_t *d, int64_t n_tasks, int64_t group) {
  return strata_ceil_div(n_tasks, d->role.threads / group);
}

// *out_blocks: of all.
static parts_t read_parts(const strata_gpu_distribution_t *d, int64_t *out_blocks) {
  parts_t parts = {0};
  *out_blocks = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(d->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    part_t part = {.forall = op, .group = strata_attr_i64(op, "tile.group", d->role.group), .first_block = *out_blocks};
    if (!strata_op_is(op, "scf.forall") || !strata_gpu_forall_tasks(op, &part.n_tasks))
      continue;
    *strata_vector_push(d->compile->arena, &parts) = part;
    *out_blocks += blocks_of(d, part.n_tasks, part.group);
  }
  return parts;
}

int64_t strata_gpu_count_part_blocks(const strata_gpu_distribution_t *d) {
  int64_t blocks;
  if (d->plan.producers || d->plan.blocks || d->role.group > d->role.threads)
    return 0;
  return read_parts(d, &blocks).count > 1 ? blocks : 0;
}

// The part's own blocks, threads and shared memory, of which all parts use the same.
static strata_status_t distribute_part(strata_gpu_distribution_t *d, const part_t *part) {
  strata_emitter_t *e = &d->e;
  const strata_gpu_distribution_t whole = *d;
  int64_t n_groups = d->role.threads / part->group;
  MlirValue group = strata_emit_index(e, part->group);
  d->role.group = part->group;
  d->role.thread = n_groups == 1 ? whole.role.thread : strata_emit_binary(e, "arith.remui", whole.role.thread, group);
  d->role.group_number = strata_emit_binary(e, "arith.divui", whole.role.thread, group);
  d->role.task = part->first_block ? strata_emit_plus(e, whole.role.task, -part->first_block) : whole.role.task;
  if (n_groups > 1) {
    d->role.task = strata_emit_binary(e, "arith.muli", d->role.task, strata_emit_index(e, n_groups));
    d->role.task = strata_emit_binary(e, "arith.addi", d->role.task, d->role.group_number);
  }
  strata_gpu_keep_inside(d, part->n_tasks);
  STRATA_TRY(strata_gpu_distribute_tasks(d, part->forall));
  d->role.group = whole.role.group;
  d->role.thread = whole.role.thread;
  d->role.group_number = whole.role.group_number;
  d->role.task = whole.role.task;
  d->role.active = whole.role.active;
  d->shared.is_dirty = whole.shared.is_dirty;
  d->shared.is_read = whole.shared.is_read;
  return NULL;
}

// Parts |first| to |end|, in which the block is.
static strata_status_t distribute_some(strata_gpu_distribution_t *d, const parts_t *parts, size_t first, size_t end,
                                       int64_t *most_shared) {
  strata_emitter_t *e = &d->e;
  if (end - first == 1) {
    const strata_shared_t shared = d->shared;
    STRATA_TRY(distribute_part(d, &parts->data[first]));
    *most_shared = strata_max(*most_shared, d->shared.size);
    d->shared = shared;
    return NULL;
  }
  size_t middle = (first + end) / 2;
  MlirValue bound = strata_emit_index(e, parts->data[middle].first_block);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, d->role.task, bound));
  STRATA_TRY(distribute_some(d, parts, first, middle, most_shared));
  strata_emit_if_else(e, branch);
  STRATA_TRY(distribute_some(d, parts, middle, end, most_shared));
  strata_emit_if_end(e, branch);
  return NULL;
}

strata_status_t strata_gpu_distribute_parts(strata_gpu_distribution_t *d, MlirOperation forall) {
  int64_t n_blocks, most_shared = d->shared.size;
  parts_t parts = read_parts(d, &n_blocks);
  if (!mlirOperationEqual(parts.data[0].forall, forall))
    return NULL;
  STRATA_TRY(distribute_some(d, &parts, 0, parts.count, &most_shared));
  d->shared.size = most_shared;
  return NULL;
}
