// Tasks to groups of threads: which task a thread works on, and what threads beyond the last task do.
//
//   scf.forall (%i, %j) in (8, 4) { ... }, threads = 256, group = 32
// ->
//   %task = block_id * 8 + thread_id / 32, %i = task / 4, %j = task mod 4, %thread = thread_id mod 32
//
// Where processors form chiplets, blocks of a product are numbered anew first:
//
//   %number = block_id mod 8 * (blocks / 8) + block_id / 8
//
// A thread on its own beyond the last task does nothing. A group repeats the last task without storing, so that
// shuffles and barriers meet all threads they wait for. A task of scalars alone that has memory is one thread's.
#include "lowering/tile_to_gpu/tasks.h"
#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "lowering/distribute/structure.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/index.h"

#include <string.h>

static MlirValue emit_id(strata_gpu_distribution_t *d, const char *name, int64_t bound) {
  strata_named_attr_t attrs[] = {
      {"dimension", mlirAttributeParseGet(d->e.context, strata_str("#gpu<dim x>"))},
      {"upper_bound", mlirIntegerAttrGet(mlirIndexTypeGet(d->e.context), bound)},
  };
  return strata_emit_value(&d->e, name, 0, NULL, mlirIndexTypeGet(d->e.context), 2, attrs);
}

// Neighbouring tasks share lines of what lies across their rows. What is in the L2 cache comes faster if blocks read
// different lines, each its own several times; what comes from memory if blocks read neighbouring parts at a time. Not
// where many blocks would have nothing to do.
int64_t strata_gpu_share(const strata_gpu_distribution_t *d) {
  enum { IDLE = 8 }; // one of so many blocks at most
  bool is_cached = strata_attr_i64(d->func, "strata.bytes", INT64_MAX) <= d->device->l2_bytes;
  int64_t n_tasks;
  if (d->plan.rows == 1 || !d->plan.blocks || !is_cached || !strata_size_is_constant(d->plan.n_tasks, &n_tasks))
    return 0;
  int64_t blocks = strata_min(d->plan.blocks, strata_ceil_div(n_tasks, strata_block_groups(d)));
  int64_t share = strata_ceil_div(n_tasks, blocks);
  return (blocks - strata_ceil_div(n_tasks, share)) * IDLE <= blocks ? share : 0;
}

// |blocks|, or one for each of |n_tasks| where these are known to be fewer: blocks without a task end at once.
static strata_size_t at_most(int64_t blocks, strata_size_t n_tasks) {
  int64_t number;
  return strata_size_constant(strata_size_is_constant(n_tasks, &number) ? strata_min(blocks, number) : blocks);
}

strata_size_t strata_gpu_blocks(const strata_gpu_distribution_t *d) {
  int64_t per_block = strata_block_groups(d), share = strata_gpu_share(d);
  if (share > 0)
    return strata_size_ceil_div(d->plan.n_tasks, share);
  if (strata_gpu_has_teams(d))
    return at_most(d->plan.blocks, strata_size_ceil_div(d->plan.n_tasks, per_block));
  if (d->plan.blocks)
    return d->plan.stream ? strata_size_constant(d->plan.blocks) : at_most(d->plan.blocks, d->plan.n_tasks);
  if (d->plan.producers && per_block == 1)
    return d->plan.n_tasks;
  if (d->plan.has_parts)
    return d->plan.part_blocks;
  return strata_size_product(strata_size_ceil_div(d->plan.n_tasks, per_block),
                             strata_size_constant(strata_cluster_blocks(d)));
}

int64_t strata_gpu_likely_blocks(const strata_gpu_distribution_t *d) {
  return strata_size_likely(&d->sizes, strata_gpu_blocks(d));
}

// The first task of a group: |block| is the number of its block.
static MlirValue first_task(strata_gpu_distribution_t *d, MlirValue block) {
  strata_emitter_t *e = &d->e;
  int64_t per_block = strata_block_groups(d), share = strata_gpu_share(d);
  MlirValue high = block, low = d->role.group_number;
  if (share == 0 && per_block == 1)
    return block;
  int64_t step = share > 0 ? share : per_block;
  if (share == 0 && strata_gpu_has_teams(d)) {
    high = d->role.group_number;
    low = block;
    step = strata_size_static_value(strata_gpu_blocks(d)); // teams' blocks are a number
  }
  MlirValue first = strata_emit_times(e, high, step);
  return strata_emit_binary(e, "arith.addi", first, low);
}

// True if blocks of neighbouring numbers read the same operands, which a second-level cache has for them: those of a
// product. Not where several spaces of tasks are one launch, each of which chiplets have their part of.
static bool has_neighbours(const strata_gpu_distribution_t *d) {
  int n_spaces = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(d->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    n_spaces += strata_op_is(op, "scf.forall");
  return n_spaces == 1 && strata_schedule_read(d->func).kind == STRATA_KERNEL_CONTRACT;
}

// The number that |block| has among all if those of a chiplet follow one another: a device gives blocks to its
// chiplets in turn. Of the first |rest| chiplets each has one more.
static MlirValue order_by_chiplet(strata_gpu_distribution_t *d, MlirValue block) {
  strata_emitter_t *e = &d->e;
  int64_t processors = d->device->chiplet_processors, n_blocks;
  int64_t chiplets = processors > 0 ? d->device->n_processors / processors : 1;
  if (chiplets < 2 || !strata_size_is_constant(strata_gpu_blocks(d), &n_blocks) || n_blocks <= chiplets ||
      !has_neighbours(d))
    return block;
  int64_t rest = n_blocks % chiplets;
  MlirValue chiplet = strata_emit_with(e, "arith.remui", block, chiplets);
  MlirValue place = strata_emit_with(e, "arith.divui", block, chiplets);
  MlirValue first = strata_emit_times(e, chiplet, n_blocks / chiplets);
  if (rest > 0)
    first = strata_emit_binary(e, "arith.addi", first, strata_emit_with(e, "arith.minui", chiplet, rest));
  return strata_emit_binary(e, "arith.addi", first, place);
}

void strata_gpu_find_task(strata_gpu_distribution_t *d) {
  strata_emitter_t *e = &d->e;
  MlirValue block = emit_id(d, "gpu.block_id", strata_min(strata_size_max(strata_gpu_blocks(d)), INT32_MAX));
  MlirValue thread = emit_id(d, "gpu.thread_id", d->role.threads + d->plan.producers),
            group = strata_emit_index(e, d->role.group);
  if (strata_cluster_blocks(d) > 1 && !d->plan.producers) {
    strata_cluster_begin(d, block, thread);
    return;
  }
  if (d->plan.has_parts) { // each part finds its tasks itself
    d->role.thread = thread;
    d->role.task = block;
    return;
  }
  d->role.thread = d->role.group == d->role.threads ? thread : strata_emit_binary(e, "arith.remui", thread, group);
  d->role.group_number = strata_emit_binary(e, "arith.divui", thread, group);
  if (d->plan.producers) { // each role finds its tasks itself
    d->role.thread = thread;
    d->role.task = block;
    if (strata_cluster_blocks(d) > 1)
      d->role.rank = strata_emit_with(e, "arith.remui", block, strata_cluster_blocks(d));
    return;
  }
  d->role.task = first_task(d, order_by_chiplet(d, block));
  if (!strata_gpu_has_teams(d))
    strata_gpu_keep_inside(d, d->plan.n_tasks);
}

void strata_gpu_keep_inside(strata_gpu_distribution_t *d, strata_size_t n_tasks) {
  strata_emitter_t *e = &d->e;
  if (strata_size_divides(strata_block_groups(d), n_tasks))
    return;
  d->role.active = strata_emit_cmpi(e, STRATA_ULT, d->role.task, strata_gpu_emit_size(d, n_tasks));
  if (d->role.group > 1)
    d->role.task = strata_emit_binary(e, "arith.minui", d->role.task, strata_gpu_emit_size_plus(d, n_tasks, -1));
}

bool strata_gpu_forall_tasks(strata_gpu_distribution_t *d, MlirOperation forall, strata_size_t *out_n_tasks) {
  int64_t counts[STRATA_VALUE_RANK];
  int rank = strata_attr_i64s(forall, "staticUpperBound", STRATA_VALUE_RANK, counts);
  intptr_t n_varying = mlirOperationGetNumOperands(forall);
  if (rank == 1 && n_varying == 1)
    return strata_index_size(d, mlirOperationGetOperand(forall, 0), out_n_tasks);
  int64_t n_tasks = 1;
  for (int dim = 0; dim < rank; dim++)
    n_tasks *= counts[dim];
  *out_n_tasks = strata_size_constant(n_tasks);
  return rank >= 0 && n_varying == 0;
}

bool strata_gpu_count_tasks(strata_gpu_distribution_t *d, strata_size_t *out_n_tasks) {
  MlirBlock body = strata_func_body(d->func);
  bool has_forall = false;
  *out_n_tasks = strata_size_constant(1); // without one the whole body is one task
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    strata_size_t own;
    if (!strata_op_is(op, "scf.forall"))
      continue;
    if (!strata_gpu_forall_tasks(d, op, &own))
      return false;
    *out_n_tasks = has_forall ? strata_size_sum(*out_n_tasks, own) : own;
    has_forall = true;
  }
  return true;
}

void strata_gpu_define_task(strata_gpu_distribution_t *d, MlirBlock body) {
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue index = mlirBlockGetArgument(body, i);
    MlirAffineExpr expr = strata_index_resolve(&space, index);
    strata_define_scalar(d, index, strata_index_emit(&space, expr));
  }
}

static strata_status_t distribute_task(strata_gpu_distribution_t *d, MlirBlock old) {
  strata_gpu_define_task(d, old);
  MlirOperation terminator = mlirBlockGetTerminator(old);
  for (MlirOperation inner = mlirBlockGetFirstOperation(old); !mlirOperationEqual(inner, terminator);
       inner = mlirOperationGetNextInBlock(inner))
    STRATA_TRY(strata_gpu_distribute_op(d, inner));
  return NULL;
}

typedef struct {
  bool has_memory, has_tiles;
} contents_t;

static MlirWalkResult look_at(MlirOperation op, void *contents) {
  contents_t *found = contents;
  found->has_memory |= strata_op_is(op, "memref.alloc");
  found->has_tiles |= strata_op_handles_vectors(op) || strncmp(strata_op_name(op).data, "tile.", 5) == 0;
  return MlirWalkResultAdvance;
}

// True if the task of a group keeps scalars in memory of its own and has no values of the block. Its first thread alone
// stores scalars, so that the others would read what is not there yet.
static bool is_one_threads(const strata_gpu_distribution_t *d, MlirOperation forall) {
  contents_t found = {0};
  mlirOperationWalk(forall, look_at, &found, MlirWalkPreOrder);
  return d->role.group > 1 && found.has_memory && !found.has_tiles;
}

// The condition under which a thread carries out tasks at all; null: every thread does.
static MlirValue condition_of_thread(strata_gpu_distribution_t *d, MlirOperation forall) {
  MlirValue active = d->role.active;
  if (!is_one_threads(d, forall))
    return d->role.group == 1 ? active : (MlirValue){0};
  MlirValue first = strata_emit_cmpi(&d->e, STRATA_EQ, d->role.thread, strata_emit_index(&d->e, 0));
  return mlirValueIsNull(active) ? first : strata_emit_binary(&d->e, "arith.andi", first, active);
}

strata_status_t strata_gpu_distribute_tasks(strata_gpu_distribution_t *d, MlirOperation forall) {
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  MlirValue condition = condition_of_thread(d, forall);
  if (mlirValueIsNull(condition))
    return distribute_task(d, old);
  strata_loop_t branch = strata_emit_if_begin(&d->e, condition);
  d->role.active = (MlirValue){0};
  STRATA_TRY(distribute_task(d, old));
  strata_emit_if_end(&d->e, branch);
  return NULL;
}
