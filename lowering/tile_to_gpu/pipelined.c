// Pipelined products: a kernel of two roles.
//
//   scf.forall (%t) in (tasks) { ...; %sum = scf.for {tile.pipeline}; epilogue }
// becomes
//   barriers of the ring, set up by one thread
//   if the thread is a producer:  for its block's tasks: fetch the operands
//   else:                         for its block's tasks: multiply, epilogue
//
// The places in the ring go on from task to task, so producers fetch the next task's operands while consumers are still
// at the epilogue of the last. Several foralls are one launch. Those whose products are alike in everything that the
// ring depends on share it: their tasks are numbered one forall after the other, and both roles branch on the number.
// Those that are not have blocks of their own.
#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

// Registers of a thread, so that those of all roles are what a processor has (65,536): two or three groups of consumers
// with one of producers. With one group a thread may have the most there are anyway.
enum { WIDE_SUMS = 128 }; // of a consumer

typedef struct {
  int64_t producer, consumer;
} shares_t;

static shares_t shares_of(const strata_pipelined_t *p) {
  bool is_bulk = strata_pipelined_is_bulk(p),
       is_wide = strata_layout_registers(&p->layout) * p->parts * p->pair > WIDE_SUMS;
  if (p->groups > 2)
    return is_bulk ? (shares_t){32, 160} : (shares_t){104, 136};
  return is_bulk ? is_wide ? (shares_t){24, 240} : (shares_t){40, 232} : (shares_t){104, 200};
}

//===-- Level 4's ops --------------------------------------------------------------------------------------------===//

//===-- Setting up -----------------------------------------------------------------------------------------------===//

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
  if (!strata_index_bounds(mlirBlockGetArgument(body, 0), &lower, &step, &k->n_steps) || lower != 0 || step != 1)
    return strata_gpu_missing(k->loop, "a pipeline without constant bounds");
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  if (!mlirValueIsAOpResult(yielded))
    return strata_gpu_missing(k->loop, "a pipeline that does not carry one sum");
  k->contract = mlirOpResultGetOwner(yielded);
  k->blocks = strata_gpu_blocks(d);
  if (!strata_gpu_forall_tasks(forall, &k->n_tasks))
    return strata_gpu_missing(forall, "a task space that is dynamic");
  STRATA_TRY(strata_pipelined_read(d, k->contract, &k->product));
  k->scheduler = strata_scheduler_of(d, &k->product);
  return strata_pair_read(d, k);
}

// True if both can use one ring, by the same threads.
static bool is_alike(const strata_pipelined_t *a, const strata_pipelined_t *b) {
  bool same = a->mma == b->mma && a->swap == b->swap && a->groups == b->groups && a->teams == b->teams &&
              a->across == b->across && a->m_blocks == b->m_blocks && a->n == b->n && a->parts == b->parts &&
              a->pair + b->pair == 2 && a->slots == b->slots &&
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

// The foralls from |forall| on: a list of those that are alike, and one of lists.
static strata_status_t read_kernels(strata_gpu_distribution_t *d, MlirOperation forall,
                                    strata_pipelined_kernel_t **out_first) {
  *out_first = NULL;
  bool has_tiles = has_maps(forall);
  for (; !mlirOperationIsNull(forall); forall = mlirOperationGetNextInBlock(forall)) {
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
  for (strata_pipelined_kernel_t *first = *out_first; first; first = first->other)
    for (strata_pipelined_kernel_t *k = first; k; k = strata_twins_last(k)->next)
      strata_twins_find(d, k);
  return NULL;
}

static int64_t count_steps(const strata_pipelined_kernel_t *first) {
  int64_t count = 0;
  for (const strata_pipelined_kernel_t *k = first; k; k = k->next)
    count += k->n_tasks * k->n_steps;
  return count;
}

// The grid's blocks, to each list in proportion to its steps: at least one, at most as many as it has tasks.
static strata_status_t share_blocks(strata_gpu_distribution_t *d, MlirOperation forall,
                                    strata_pipelined_kernel_t *first) {
  int64_t blocks = strata_gpu_blocks(d), n = 0, steps = 0;
  for (strata_pipelined_kernel_t *k = first; k; k = k->other, n++)
    steps += count_steps(k);
  if (blocks < n)
    return strata_gpu_missing(forall, "products of more forms than there are blocks, in one launch,");
  if (d->plan.stream) { // a single product's
    first->blocks = blocks;
    return NULL;
  }
  for (strata_pipelined_kernel_t *k = first; k; k = k->other, n--) {
    int64_t own = count_steps(k), share = blocks * own / steps,
            most = strata_min(strata_pipelined_tasks(k), blocks - n + 1);
    k->blocks = strata_max(1, strata_min(share, most));
    blocks -= k->blocks;
    steps -= own;
  }
  for (strata_pipelined_kernel_t *k = first; k && blocks > 0; k = k->other) { // what lists of few tasks have left
    int64_t room = strata_pipelined_tasks(k) - k->blocks, more = strata_min(room, blocks);
    k->blocks += more;
    blocks -= more;
  }
  return NULL;
}

static strata_status_t allocate_barriers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  k->ring.slots = k->product.slots;
  STRATA_TRY(strata_ring_allocate(d, &k->ring));
  if (k->product.teams == 1)
    return NULL;
  return strata_shared_alloc(d, mlirIntegerTypeGet(d->e.context, 64), k->product.teams, &k->turns);
}

// Slots and staging first: they begin at multiples of 1024 bytes. Each team has its own staging memory, all else is the
// block's.
static strata_status_t allocate_all(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_pipelined_t *p = &k->product;
  int64_t group = d->role.group;
  d->role.group = d->role.threads;
  k->ring_at = d->shared.size;
  for (int side = 0; side < 2; side++) {
    strata_shared_operand_t *shared = &p->operands[side].shared;
    STRATA_TRY(strata_shared_alloc(d, shared->element, p->operands[side].slot * p->slots, &shared->memory));
    if (p->operands[side].other)
      p->operands[side].other->shared.memory = shared->memory;
  }
  d->role.group = group;
  STRATA_TRY(strata_shared_reserve(d, strata_pipelined_staging_bytes(p), &k->staging));
  d->role.group = d->role.threads;
  STRATA_TRY(allocate_barriers(d, k));
  d->role.group = group;
  return NULL;
}

// What the first has allocated is that of all.
static void share(strata_pipelined_kernel_t *first) {
  for (strata_pipelined_kernel_t *k = first->next; k; k = k->next) {
    for (int side = 0; side < 2; side++)
      k->product.operands[side].shared.memory = first->product.operands[side].shared.memory;
    k->ring_at = first->ring_at;
    k->staging = first->staging;
    k->ring = first->ring;
    k->turns = first->turns;
    k->group = first->group;
  }
}

static void init_barriers(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue thread) {
  strata_emitter_t *e = &d->e;
  int64_t arrivals = strata_pipelined_is_bulk(&k->product) ? 1 : STRATA_GROUP_THREADS;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, is_first);
  int64_t releases = k->product.instruction->releases(&k->product) * strata_share_senders(d);
  for (int64_t slot = 0; slot < k->ring.slots; slot++)
    strata_ring_init(d, &k->ring, slot, arrivals, releases);
  for (int64_t team = 0; team < k->product.teams && k->product.teams > 1; team++)
    strata_phase_init(d, k->turns, team, 1);
  strata_emit_fence(d, "barriers");
  strata_emit_if_end(e, branch);
  if (strata_pipelined_shares(d))
    strata_cluster_barrier(d, false); // of the barriers a fence has told
  else
    strata_emit_op(e, "gpu.barrier", 0, NULL, 0, NULL, 0, NULL);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

typedef strata_status_t (*task_t)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// |emit| for the running task, number d->role.task of |k|'s; |place| moves on.
static strata_status_t for_task(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, strata_ring_place_t *place,
                                task_t emit) {
  d->state.pipelined = k;
  k->place = *place;
  strata_gpu_define_task(d, k->body);
  STRATA_TRY(emit(d, k));
  *place = k->place;
  return NULL;
}

// The same of |k| and its twins, whose tasks follow.
static strata_status_t for_task_of_twins(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k,
                                         strata_ring_place_t *place, task_t emit) {
  strata_twins_begin(d, k);
  STRATA_TRY(for_task(d, k, place, emit));
  strata_twins_end(d, k);
  return NULL;
}

static strata_status_t produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// The same of |k| or those behind it; d->role.task counts from |k|'s first.
static strata_status_t for_task_of(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k,
                                   strata_ring_place_t *place, task_t emit) {
  strata_emitter_t *e = &d->e;
  bool are_twins = k->twins.count > 0 && emit != produce;
  strata_pipelined_kernel_t *last = are_twins ? strata_twins_last(k) : k;
  strata_status_t (*own)(strata_gpu_distribution_t *, strata_pipelined_kernel_t *, strata_ring_place_t *, task_t) =
      are_twins ? for_task_of_twins : for_task;
  if (!last->next)
    return own(d, k, place, emit);
  int64_t n_tasks = k->n_tasks * (are_twins ? 1 + (int64_t)k->twins.count : 1);
  MlirValue number = d->role.task, end = strata_emit_index(e, n_tasks), state[] = {place->slot, place->parity};
  MlirType types[] = {mlirValueGetType(place->slot), mlirValueGetType(place->parity)};
  bool was_dirty = d->shared.is_dirty, was_read = d->shared.is_read;
  strata_loop_t choice = strata_emit_choice_begin(e, strata_emit_cmpi(e, STRATA_ULT, number, end), 2, types);
  STRATA_TRY(own(d, k, place, emit));
  strata_emit_choice_else(e, choice, 2, (MlirValue[]){place->slot, place->parity});
  bool is_dirty = d->shared.is_dirty, is_read = d->shared.is_read;
  d->shared.is_dirty = was_dirty;
  d->shared.is_read = was_read;
  d->role.task = strata_emit_binary(e, "arith.subi", number, end);
  *place = (strata_ring_place_t){state[0], state[1]};
  STRATA_TRY(for_task_of(d, last->next, place, emit));
  strata_emit_choice_end(e, choice, 2, (MlirValue[]){place->slot, place->parity}, state);
  *place = (strata_ring_place_t){state[0], state[1]};
  d->shared.is_dirty |= is_dirty;
  d->shared.is_read |= is_read;
  return NULL;
}

// |emit| for each task of the block; |first|'s place is then behind the last of them.
static strata_status_t for_tasks(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block,
                                 task_t emit) {
  strata_emitter_t *e = &d->e;
  MlirValue state[] = {strata_emit_index(e, 0), strata_emit_integer(e, mlirIntegerTypeGet(e->context, 32), 0)};
  strata_loop_t loop = {0};
  strata_bounds_t bounds;
  bool is_loop = first->scheduler->bounds(d, first, block, &bounds);
  if (is_loop)
    loop = strata_emit_for_begin(e, bounds.lower, bounds.upper, bounds.step, 2, state, state);
  d->role.task = first->scheduler->task(d, first, block, is_loop ? loop.induction : block);
  d->shared.is_dirty = d->shared.is_read = is_loop;
  d->nest.loops += is_loop;
  strata_ring_place_t place = {state[0], state[1]};
  STRATA_TRY(for_task_of(d, first, &place, emit));
  d->nest.loops -= is_loop;
  state[0] = place.slot;
  state[1] = place.parity;
  if (is_loop)
    strata_emit_for_end(e, loop, 2, state, state);
  first->place = (strata_ring_place_t){state[0], state[1]};
  return NULL;
}

static strata_status_t produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  STRATA_TRY(strata_pipelined_addresses(d, k));
  STRATA_TRY(strata_pipelined_fetch(d, k));
  strata_epilogue_fetch(d, k);
  return NULL;
}

static strata_status_t consume(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  k->staged = 0;
  MlirOperation end = mlirBlockGetTerminator(k->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!strata_epilogue_has(k, op))
      STRATA_TRY(mlirOperationEqual(op, k->loop) ? strata_pipelined_multiply(d, k) : strata_gpu_distribute_op(d, op));
  if (k->scheduler->end)
    k->scheduler->end(d, k);
  return NULL;
}

// The same where it is the turn of the thread's team.
static strata_status_t consume_in_turn(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  strata_ring_place_t *place = &k->place, skipped = *place;
  MlirValue state[2];
  MlirType types[] = {mlirValueGetType(place->slot), mlirValueGetType(place->parity)};
  strata_loop_t choice = strata_emit_choice_begin(e, k->scheduler->owns(d, k), 2, types);
  STRATA_TRY(consume(d, k));
  strata_emit_choice_else(e, choice, 2, (MlirValue[]){place->slot, place->parity});
  strata_ring_skip(d, &k->ring, k->n_steps + strata_epilogue_slots(k), &skipped);
  strata_emit_choice_end(e, choice, 2, (MlirValue[]){skipped.slot, skipped.parity}, state);
  *place = (strata_ring_place_t){state[0], state[1]};
  return NULL;
}

//===-- Roles ----------------------------------------------------------------------------------------------------===//

static void share_registers(strata_gpu_distribution_t *d, const strata_pipelined_t *p, bool is_producer) {
  shares_t shares = shares_of(p);
  if (p->groups * p->teams > 1)
    strata_emit_registers(d, is_producer ? shares.producer : shares.consumer, !is_producer);
}

// True if a block of the next kernel finds room in shared memory beside this one's.
static bool has_room_beside(const strata_gpu_distribution_t *d) {
  return 2 * d->shared.size <= d->device->shared_bytes_processor;
}

static strata_status_t emit_producers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                      MlirValue thread) {
  strata_emitter_t *e = &d->e;
  strata_gpu_role_t block_role = strata_producers_begin(d, thread);
  share_registers(d, &k->product, true);
  bool is_one = strata_pipelined_is_bulk(&k->product);
  strata_loop_t branch = {0};
  if (!has_room_beside(d)) // it may be made ready, but cannot get in this one's way
    strata_emit_launch_next(d);
  if (is_one)
    branch = strata_emit_if_begin(e, strata_emit_is_first_thread(d));
  strata_emit_launch_wait(d);
  STRATA_TRY(for_tasks(d, k, block, produce));
  if (has_room_beside(d))
    strata_emit_launch_next(d);
  if (strata_pipelined_shares(d))
    strata_share_drain(d, k);
  if (is_one)
    strata_emit_if_end(e, branch);
  if (k->scheduler->meet)
    k->scheduler->meet(d);
  if (strata_cluster_along(d, STRATA_BY_PARTS_OF_ROWS) > 1)
    strata_row_meet(d, k);
  d->role = block_role;
  return NULL;
}

static strata_status_t emit_consumers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                      MlirValue thread) {
  bool are_teams = k->product.teams > 1;
  d->role.thread =
      are_teams ? strata_emit_binary(&d->e, "arith.remui", thread, strata_emit_index(&d->e, d->role.group)) : thread;
  d->role.group_number = k->group;
  share_registers(d, &k->product, false);
  strata_emit_launch_wait(d);
  STRATA_TRY(for_tasks(d, k, block, k->scheduler->owns ? consume_in_turn : consume));
  for (; k->next && !k->staged; k = k->next)
    ;
  if (k->staged)
    strata_pipelined_drain(d);
  return NULL;
}

// Both roles of |k| and those behind it.
static strata_status_t emit_roles(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                  MlirValue thread) {
  strata_emitter_t *e = &d->e;
  STRATA_TRY(allocate_all(d, k));
  d->state.pipelined = k;
  init_barriers(d, k, thread);
  k->group = strata_emit_group_number(d, thread);
  share(k);
  MlirValue is_producer =
      strata_emit_cmpi(e, STRATA_EQ, k->group, strata_emit_index(e, d->role.threads / STRATA_GROUP_THREADS));
  strata_loop_t branch = strata_emit_if_begin(e, is_producer);
  STRATA_TRY(emit_producers(d, k, block, thread));
  strata_emit_if_else(e, branch);
  STRATA_TRY(emit_consumers(d, k, block, thread));
  strata_emit_if_end(e, branch);
  return NULL;
}

// The same for the lists from |k| on, |block| counting from the first's. They use the same shared memory.
static strata_status_t emit_lists(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                  MlirValue thread) {
  strata_emitter_t *e = &d->e;
  if (!k->other)
    return emit_roles(d, k, block, thread);
  strata_shared_t before = d->shared;
  MlirValue end = strata_emit_index(e, k->blocks);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, block, end));
  STRATA_TRY(emit_roles(d, k, block, thread));
  strata_emit_if_else(e, branch);
  int64_t size = d->shared.size;
  d->shared = before;
  d->shared.is_dirty = d->shared.is_read = false;
  STRATA_TRY(emit_lists(d, k->other, strata_emit_binary(e, "arith.subi", block, end), thread));
  strata_emit_if_end(e, branch);
  d->shared.size = strata_max(d->shared.size, size);
  return NULL;
}

strata_status_t strata_pipelined_forall(strata_gpu_distribution_t *d, MlirOperation forall) {
  strata_pipelined_kernel_t *k;
  MlirValue block = d->role.task, thread = d->role.thread; // of the launch
  STRATA_TRY(read_kernels(d, forall, &k));
  STRATA_TRY(share_blocks(d, forall, k));
  return emit_lists(d, k, block, thread);
}
