// Several task spaces in one kernel: which part a block carries out is found by halves, and all threads of a block are
// in the same one, so that barriers and shuffles meet them all.
//
//   scf.forall (%t) in (8) {...}   scf.forall (%t) in (4) {...}     a group a block
// ->
//   scf.if %block < 8 { %t = %block ... } else { %t = %block - 8 ... }
//
// Of very many parts of as many blocks each the number is a quotient, which chooses one of an scf.index_switch's cases.
//
// Those of a chain (tile.chain) have the same block, which carries out the tasks of one part after those of the other:
//
//   scf.for %round = 0 to 2 { %t = %round * 4 + %group ... }   gpu.barrier   %t = %group ...
#include "lowering/tile_to_gpu/parts.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/tasks.h"

enum { MANY_PARTS = 64 }; // more have only launches that copy, or whose parts do the same (share_launches.c)

typedef struct {
  MlirOperation forall;
  strata_size_t n_tasks;
  int64_t group;
  strata_size_t first_block;
} part_t;

typedef STRATA_VECTOR(part_t) parts_t;

// The part that |op| is in; null where there is one alone.
static MlirOperation part_of(const strata_gpu_distribution_t *d, MlirOperation op) {
  while (d->plan.has_parts && !mlirOperationIsNull(op) && !strata_op_is(op, "scf.forall"))
    op = mlirOperationGetParentOperation(op);
  return d->plan.has_parts ? op : (MlirOperation){NULL};
}

int64_t strata_gpu_group_of(const strata_gpu_distribution_t *d, MlirOperation op) {
  MlirOperation part = part_of(d, op);
  return mlirOperationIsNull(part) ? d->role.group : strata_attr_i64(part, "tile.group", d->role.group);
}

strata_schedule_t strata_gpu_schedule_of(const strata_gpu_distribution_t *d, MlirOperation op) {
  MlirOperation part = part_of(d, op);
  bool has_own = !mlirOperationIsNull(part) && !mlirAttributeIsNull(strata_attr(part, "strata.schedule"));
  return strata_schedule_read(has_own ? part : d->func);
}

static strata_size_t blocks_of(const strata_gpu_distribution_t *d, strata_size_t n_tasks, int64_t group) {
  return strata_size_ceil_div(n_tasks, d->role.threads / group);
}

// *out_blocks: of all.
static parts_t read_parts(strata_gpu_distribution_t *d, strata_size_t *out_blocks) {
  parts_t parts = {0};
  *out_blocks = strata_size_constant(0);
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(d->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    part_t part = {.forall = op, .group = strata_attr_i64(op, "tile.group", d->role.group), .first_block = *out_blocks};
    if (!strata_op_is(op, "scf.forall") || !strata_gpu_forall_tasks(d, op, &part.n_tasks))
      continue;
    *strata_vector_push(d->compile->arena, &parts) = part;
    *out_blocks = strata_size_sum(*out_blocks, blocks_of(d, part.n_tasks, part.group));
  }
  return parts;
}

bool strata_gpu_find_parts(strata_gpu_distribution_t *d, strata_size_t *out_blocks) {
  *out_blocks = strata_size_constant(0);
  if (d->plan.producers || d->plan.blocks || d->role.group > d->role.threads || read_parts(d, out_blocks).count <= 1)
    return false;
  d->plan.is_chain = strata_attr_flag(d->func, STRATA_TILE_CHAIN);
  if (d->plan.is_chain)
    *out_blocks = strata_size_constant(1);
  return true;
}

// Of the block among those of its part.
static MlirValue number_in(strata_gpu_distribution_t *d, const part_t *part) {
  int64_t first;
  if (!strata_size_is_constant(part->first_block, &first))
    return strata_emit_binary(&d->e, "arith.subi", d->role.task, strata_gpu_emit_size(d, part->first_block));
  return first ? strata_emit_plus(&d->e, d->role.task, -first) : d->role.task;
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
  d->role.task = number_in(d, part);
  if (n_groups > 1) {
    d->role.task = strata_emit_times(e, d->role.task, n_groups);
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
  MlirValue bound = strata_gpu_emit_size(d, parts->data[middle].first_block);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, d->role.task, bound));
  STRATA_TRY(distribute_some(d, parts, first, middle, most_shared));
  strata_emit_if_else(e, branch);
  STRATA_TRY(distribute_some(d, parts, middle, end, most_shared));
  strata_emit_if_end(e, branch);
  return NULL;
}

static bool have_equal_blocks(const parts_t *parts) {
  for (size_t i = 1; i < parts->count; i++)
    if (!strata_size_equal(parts->data[i].n_tasks, parts->data[0].n_tasks) ||
        parts->data[i].group != parts->data[0].group)
      return false;
  return true;
}

static MlirOperation emit_switch(strata_gpu_distribution_t *d, MlirValue number, int count) {
  strata_emitter_t *e = &d->e;
  MlirRegion *regions = strata_arena_array(d->compile->arena, MlirRegion, count);
  int64_t *cases = strata_arena_array(d->compile->arena, int64_t, count);
  for (int i = 0; i < count; i++) {
    cases[i] = i;
    regions[i] = mlirRegionCreate();
    mlirRegionAppendOwnedBlock(regions[i], mlirBlockCreate(0, NULL, NULL));
  }
  strata_named_attr_t attr = {"cases", mlirDenseI64ArrayGet(e->context, count - 1, cases + 1)}; // 0 is the default
  MlirOperation op = strata_op_create(e->location, "scf.index_switch", 1, &number, 0, NULL, 1, &attr, count, regions);
  mlirBlockAppendOwnedOperation(e->block, op);
  return op;
}

// Very many parts of as many blocks each: the number of the part is a quotient, and parts that do the same with other
// buffers become one piece of code on the way to LLVM, before which a case only chooses constants.
static strata_status_t distribute_cases(strata_gpu_distribution_t *d, const parts_t *parts, int64_t *most_shared) {
  strata_emitter_t *e = &d->e;
  const strata_shared_t shared = d->shared;
  MlirValue whole = d->role.task, blocks = strata_gpu_emit_size(d, parts->data[1].first_block);
  MlirBlock outer = e->block;
  MlirOperation cases = emit_switch(d, strata_emit_binary(e, "arith.divui", whole, blocks), (int)parts->count);
  for (size_t i = 0; i < parts->count; i++) {
    part_t part = parts->data[i];
    part.first_block = strata_size_constant(0);
    e->block = mlirRegionGetFirstBlock(mlirOperationGetRegion(cases, (intptr_t)i));
    d->role.task = strata_emit_binary(e, "arith.remui", whole, blocks);
    STRATA_TRY(distribute_part(d, &part));
    *most_shared = strata_max(*most_shared, d->shared.size);
    d->shared = shared;
    mlirBlockAppendOwnedOperation(e->block,
                                  strata_op_create(e->location, "scf.yield", 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  }
  e->block = outer;
  d->role.task = whole;
  return NULL;
}

// All tasks of a part by the threads of one block, as many at a time as it has groups. What one round left in shared
// memory the next one may read or overwrite.
static strata_status_t distribute_in_turn(strata_gpu_distribution_t *d, const part_t *part) {
  strata_emitter_t *e = &d->e;
  const part_t own = {part->forall, part->n_tasks, part->group, strata_size_constant(0)};
  int64_t rounds = strata_size_static_value(blocks_of(d, part->n_tasks, part->group)); // a chain's
  MlirValue block = d->role.task;
  if (rounds == 1)
    return distribute_part(d, &own);
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, rounds), 1, 0, NULL, NULL);
  d->role.task = loop.induction;
  d->shared.is_dirty = d->shared.is_read = true;
  d->nest.loops++;
  STRATA_TRY(distribute_part(d, &own));
  d->nest.loops--;
  strata_emit_for_end(e, loop, 0, NULL, NULL);
  d->role.task = block;
  return NULL;
}

// Behind the barrier threads see what those of the part in front have stored.
static strata_status_t distribute_chain(strata_gpu_distribution_t *d, const parts_t *parts, int64_t *most_shared) {
  for (size_t i = 0; i < parts->count; i++) {
    const strata_shared_t shared = d->shared;
    if (i > 0)
      strata_emit_block_barrier(d);
    STRATA_TRY(distribute_in_turn(d, &parts->data[i]));
    *most_shared = strata_max(*most_shared, d->shared.size);
    d->shared = shared;
  }
  return NULL;
}

strata_status_t strata_gpu_distribute_parts(strata_gpu_distribution_t *d, MlirOperation forall) {
  int64_t most_shared = d->shared.size;
  strata_size_t n_blocks;
  parts_t parts = read_parts(d, &n_blocks);
  if (!mlirOperationEqual(parts.data[0].forall, forall))
    return NULL;
  d->plan.has_many_parts = !d->plan.is_chain && parts.count > MANY_PARTS;
  d->plan.has_cases = d->plan.has_many_parts && have_equal_blocks(&parts);
  if (d->plan.is_chain)
    STRATA_TRY(distribute_chain(d, &parts, &most_shared));
  else if (d->plan.has_cases)
    STRATA_TRY(distribute_cases(d, &parts, &most_shared));
  else
    STRATA_TRY(distribute_some(d, &parts, 0, parts.count, &most_shared));
  d->shared.size = most_shared;
  return NULL;
}
