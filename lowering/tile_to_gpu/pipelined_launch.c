// Pipelined products: those of a launch, their blocks, shared memory and registers.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"

//===-- Reading --------------------------------------------------------------------------------------------------===//

MlirOperation strata_pipelined_loop(MlirBlock body) {
  MlirOperation op = mlirBlockGetFirstOperation(body);
  while (!mlirOperationIsNull(op) && !(strata_op_is(op, "scf.for") && strata_attr_flag(op, "tile.pipeline")))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static strata_status_t read_kernel(strata_gpu_distribution_t *d, MlirOperation forall, strata_pipelined_kernel_t *k) {
  int64_t lower, step;
  k->body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  k->loop = strata_pipelined_loop(k->body);
  if (mlirOperationIsNull(k->loop) || mlirOperationGetNumResults(k->loop) != strata_pair_count(k->loop))
    return strata_gpu_missing(forall, "a schedule with producers, without a pipeline,");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(k->loop, 0));
  if (!strata_index_bounds(d, mlirBlockGetArgument(body, 0), &lower, &step, &k->n_steps) || lower != 0 || step != 1 ||
      strata_size_min(k->n_steps) < 1)
    return strata_gpu_missing(k->loop, "a pipeline of no known number of steps");
  k->contract = strata_pair_contract(k->loop, 0);
  if (mlirOperationIsNull(k->contract))
    return strata_gpu_missing(k->loop, "a pipeline that does not carry one sum");
  if (!strata_size_is_constant(strata_gpu_blocks(d), &k->blocks))
    k->blocks = 0;
  if (!strata_gpu_forall_tasks(d, forall, &k->n_tasks))
    return strata_gpu_missing(forall, "a task space of no known size");
  bool is_split = d->plan.stream || strata_cluster_along(d, STRATA_BY_STEPS) > 1;
  if (is_split && (strata_size_varies(k->n_steps) || (d->plan.stream && strata_size_varies(k->n_tasks))))
    return strata_gpu_missing(k->loop, "a number of steps that varies, shared by blocks,");
  STRATA_TRY(strata_pipelined_read(d, k->contract, &k->product));
  if (!strata_size_divides(k->product.depth, k->n_steps))
    return strata_gpu_missing(k->loop, "groups that share steps which are no multiple of them,");
  if (!k->blocks && k->product.teams > 1)
    return strata_gpu_missing(forall, "teams of blocks that are as many as tasks, which vary,");
  k->scheduler = strata_scheduler_of(d, &k->product);
  strata_early_find(d, k);
  k->fetchers = strata_pipelined_is_bulk(&k->product) ? 1 : STRATA_GROUP_THREADS;
  return NULL;
}

// True if both can use one ring, by the same threads.
static bool is_alike(const strata_pipelined_t *a, const strata_pipelined_t *b) {
  bool same = a->mma == b->mma && a->swap == b->swap && a->groups == b->groups && a->teams == b->teams &&
              a->across == b->across && a->depth == b->depth && a->m_blocks == b->m_blocks && a->n == b->n &&
              a->parts == b->parts && a->pair + b->pair == 2 && a->slots == b->slots &&
              strata_pipelined_is_bulk(a) == strata_pipelined_is_bulk(b);
  for (int side = 0; side < 2 && same; side++)
    same = a->operands[side].slot == b->operands[side].slot &&
           mlirTypeEqual(a->operands[side].shared.element, b->operands[side].shared.element);
  return same;
}

// True if the launch has maps enough for tiles of the epilogues' operands, too: of each of the foralls from |forall| on
// those of both operands, of boxes of three widths of its results, and these.
static bool has_maps(MlirOperation forall) {
  enum { MAPS = 2 + 3 + STRATA_EPILOGUE_TILES };
  int64_t count = 0;
  for (; !mlirOperationIsNull(forall); forall = mlirOperationGetNextInBlock(forall))
    count += strata_op_is(forall, "scf.forall");
  return count * MAPS <= STRATA_MAX_MAPS;
}

// Of all tasks at likely sizes.
static int64_t count_steps(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *first) {
  int64_t count = 0;
  for (const strata_pipelined_kernel_t *k = first; k; k = k->next)
    count += strata_max(1, strata_size_likely(&d->sizes, k->n_tasks)) * strata_size_likely(&d->sizes, k->n_steps);
  return count;
}

// The grid's blocks, to each list in proportion to its steps: at least one, at most as many as it ever has tasks.
static strata_status_t share_blocks(strata_gpu_distribution_t *d, MlirOperation forall,
                                    strata_pipelined_kernel_t *first) {
  if (!first->other)
    return NULL;
  int64_t blocks = strata_size_static_value(strata_gpu_blocks(d)), n = 0, steps = 0;
  for (strata_pipelined_kernel_t *k = first; k; k = k->other, n++)
    steps += count_steps(d, k);
  if (blocks < n)
    return strata_gpu_missing(forall, "products of more forms than there are blocks, in one launch,");
  for (strata_pipelined_kernel_t *k = first; k; k = k->other, n--) {
    int64_t own = count_steps(d, k), share = blocks * own / steps,
            most = strata_min(strata_size_max(strata_pipelined_tasks(k)), blocks - n + 1);
    k->blocks = strata_max(1, strata_min(share, most));
    blocks -= k->blocks;
    steps -= own;
  }
  for (strata_pipelined_kernel_t *k = first; k && blocks > 0; k = k->other) { // what lists of few tasks have left
    int64_t room = strata_size_max(strata_pipelined_tasks(k)) - k->blocks, more = strata_min(room, blocks);
    k->blocks += more;
    blocks -= more;
  }
  return NULL;
}

// The foralls from |first| on: a list of those that are alike, and one of lists.
strata_status_t strata_pipelined_kernels(strata_gpu_distribution_t *d, MlirOperation first,
                                         strata_pipelined_kernel_t **out_first) {
  *out_first = NULL;
  bool has_tiles = has_maps(first);
  for (MlirOperation forall = first; !mlirOperationIsNull(forall); forall = mlirOperationGetNextInBlock(forall)) {
    if (!strata_op_is(forall, "scf.forall"))
      continue;
    strata_pipelined_kernel_t *k = strata_arena_new(d->compile->arena, strata_pipelined_kernel_t), **end = out_first;
    STRATA_TRY(read_kernel(d, forall, k));
    if (has_tiles)
      strata_epilogue_read(d, k);
    while (*end && !is_alike(&(*end)->product, &k->product))
      end = &(*end)->other;
    while (*end)
      end = &(*end)->next;
    *end = k;
    if ((strata_pipelined_shares(d) || d->plan.stream) && k != *out_first)
      return strata_gpu_missing(forall, "one of several products in a launch whose blocks share operands or steps");
  }
  for (strata_pipelined_kernel_t *list = *out_first; list; list = list->other)
    for (strata_pipelined_kernel_t *k = list; k; k = strata_twins_last(k)->next)
      strata_twins_find(d, k);
  return share_blocks(d, first, *out_first);
}

//===-- Setting up -----------------------------------------------------------------------------------------------===//

// Slots and staging first: they begin at multiples of 1024 bytes. Each team has its own staging memory, all else is the
// block's.
strata_status_t strata_pipelined_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_pipelined_t *p = &k->product;
  int64_t group = d->role.group;
  d->role.group = d->role.threads;
  k->ring_at = d->shared.size;
  for (int side = 0; side < 2; side++) {
    strata_shared_operand_t *shared = &p->operands[side].shared;
    STRATA_TRY(strata_shared_alloc(d, shared->element, p->operands[side].slot * p->slots, &shared->memory));
    for (strata_ring_operand_t *with = p->operands[side].with; with; with = with->with)
      STRATA_TRY(strata_shared_alloc(d, with->shared.element, with->slot * p->slots, &with->shared.memory));
    if (p->operands[side].next)
      p->operands[side].next->shared.memory = shared->memory;
  }
  d->role.group = group;
  STRATA_TRY(strata_shared_reserve(d, strata_pipelined_staging_bytes(p), &k->staging));
  d->role.group = d->role.threads;
  k->ring.slots = p->slots;
  STRATA_TRY(strata_ring_allocate(d, &k->ring));
  if (p->teams > 1)
    STRATA_TRY(strata_shared_alloc(d, mlirIntegerTypeGet(d->e.context, 64), p->teams, &k->turns));
  d->role.group = group;
  return NULL;
}

void strata_pipelined_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  int64_t releases = k->product.instruction->releases(&k->product) * strata_share_senders(d);
  for (int64_t slot = 0; slot < k->ring.slots; slot++)
    strata_ring_init(d, &k->ring, slot, k->fetchers, releases);
  for (int64_t team = 0; team < k->product.teams && k->product.teams > 1; team++)
    strata_phase_init(d, k->turns, team, 1);
}

// Registers of a thread, so that those of all roles are what a processor has (65,536): two or three groups of consumers
// with one of producers. With one group a thread may have the most there are anyway.
enum { WIDE_SUMS = 128 }; // of a consumer

strata_register_shares_t strata_pipelined_registers(const strata_gpu_distribution_t *d,
                                                    const strata_pipelined_kernel_t *k) {
  const strata_pipelined_t *p = &k->product;
  bool is_bulk = strata_pipelined_is_bulk(p),
       is_wide = strata_layout_registers(&p->layout) * p->parts * p->pair > WIDE_SUMS;
  (void)d;
  int64_t groups = p->groups * p->depth;
  if (groups * p->teams == 1)
    return (strata_register_shares_t){0};
  if (groups > 3)
    return (strata_register_shares_t){32, 112, 0}; // a launch gives its threads multiples of eight, 96
  if (groups > 2)
    return is_bulk ? (strata_register_shares_t){32, 160, 0} : (strata_register_shares_t){104, 136, 0};
  return !is_bulk  ? (strata_register_shares_t){104, 200, 0}
         : is_wide ? (strata_register_shares_t){24, 240, 0}
                   : (strata_register_shares_t){40, 232, 0};
}
