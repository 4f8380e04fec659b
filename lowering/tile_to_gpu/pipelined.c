// Pipelined products: a kernel of two roles or three, around any main loop (mainloops.def).
//
//   scf.forall (%t) in (tasks) { ...; %sum = scf.for {tile.pipeline}; epilogue }
// becomes
//   barriers of the ring, set up by one thread
//   if the thread is a producer:  for its block's tasks: fetch the operands
//   if it is a widener:           for its block's tasks: make what consumers read of what was fetched
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
#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/pipelined_dynamic.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

//===-- Setting up -----------------------------------------------------------------------------------------------===//

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
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, is_first);
  k->mainloop->init(d, k);
  if (d->plan.dynamic)
    strata_dynamic_init(d, k);
  strata_emit_fence(d, "barriers");
  strata_emit_if_end(e, branch);
  if (strata_pipelined_shares(d))
    strata_cluster_barrier(d, false); // of the barriers a fence has told
  else
    strata_emit_op(e, "gpu.barrier", 0, NULL, 0, NULL, 0, NULL);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

typedef strata_status_t (*task_t)(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

static strata_status_t consume(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// The number of which none means that the task is left out; null: there is none.
static MlirValue work_of(const strata_pipelined_kernel_t *k) {
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, k->loop);
       op = mlirOperationGetNextInBlock(op))
    if (strata_attr_flag(op, STRATA_TILE_WORK))
      return mlirOperationGetResult(op, 0);
  return (MlirValue){NULL};
}

// |emit| for the running task where it has |work|. Consumers of a cluster meet its producers in any case.
static strata_status_t emit_if_any(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue work,
                                   task_t emit) {
  strata_emitter_t *e = &d->e;
  strata_ring_place_t *place = &k->place, before = *place;
  MlirType types[] = {mlirValueGetType(place->slot), mlirValueGetType(place->parity)};
  MlirValue state[2];
  STRATA_TRY(strata_pipelined_addresses(d, k));
  MlirValue is_any = strata_emit_cmpi(e, STRATA_NE, strata_new_scalar(d, work), strata_emit_index(e, 0));
  strata_shared_t was = d->shared;
  strata_loop_t choice = strata_emit_choice_begin(e, is_any, 2, types);
  STRATA_TRY(emit(d, k));
  strata_emit_choice_else(e, choice, 2, (MlirValue[]){place->slot, place->parity});
  if (emit == consume && k->scheduler->meet)
    k->scheduler->meet(d);
  strata_emit_choice_end(e, choice, 2, (MlirValue[]){before.slot, before.parity}, state);
  *place = (strata_ring_place_t){state[0], state[1]};
  d->shared.is_dirty |= was.is_dirty;
  d->shared.is_read |= was.is_read;
  return NULL;
}

// |emit| for the running task, number d->role.task of |k|'s, or of |k|'s and its twins', which follow; |place| moves
// on.
static strata_status_t for_task(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, strata_ring_place_t *place,
                                bool are_twins, task_t emit) {
  d->state.pipelined = k;
  k->place = *place;
  if (are_twins)
    strata_twins_begin(d, k);
  strata_gpu_define_task(d, k->body);
  MlirValue work = work_of(k);
  STRATA_TRY(mlirValueIsNull(work) ? emit(d, k) : emit_if_any(d, k, work, emit));
  if (are_twins)
    strata_twins_end(d, k);
  *place = k->place;
  return NULL;
}

// The same of |k| or those behind it; d->role.task counts from |k|'s first.
static strata_status_t for_task_of(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k,
                                   strata_ring_place_t *place, task_t emit) {
  strata_emitter_t *e = &d->e;
  bool is_fetching = emit == k->mainloop->produce || emit == k->mainloop->fetch_early;
  bool are_twins = k->twins.count > 0 && !is_fetching;
  strata_pipelined_kernel_t *last = are_twins ? strata_twins_last(k) : k;
  if (!last->next)
    return for_task(d, k, place, are_twins, emit);
  strata_size_t n_alike = strata_size_constant(are_twins ? 1 + (int64_t)k->twins.count : 1);
  MlirValue end = strata_gpu_emit_size(d, strata_size_product(k->n_tasks, n_alike));
  MlirValue number = d->role.task, state[] = {place->slot, place->parity};
  MlirType types[] = {mlirValueGetType(place->slot), mlirValueGetType(place->parity)};
  bool was_dirty = d->shared.is_dirty, was_read = d->shared.is_read;
  strata_loop_t choice = strata_emit_choice_begin(e, strata_emit_cmpi(e, STRATA_ULT, number, end), 2, types);
  STRATA_TRY(for_task(d, k, place, are_twins, emit));
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

// |is_first|: the running task is the block's first; null: it has no other.
static void note_first(strata_pipelined_kernel_t *k, MlirValue is_first) {
  for (; k; k = k->next)
    k->is_first = is_first;
}

// |emit| for the block's first task, if it has one, in a fresh ring.
static strata_status_t for_first_task(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block,
                                      task_t emit) {
  strata_emitter_t *e = &d->e;
  strata_loop_t branch = {0};
  strata_bounds_t bounds;
  strata_ring_place_t place = {strata_emit_index(e, 0), strata_emit_integer(e, mlirIntegerTypeGet(e->context, 32), 0)};
  bool is_loop = first->scheduler->bounds(d, first, block, &bounds);
  if (is_loop)
    branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_ULT, bounds.lower, bounds.upper));
  d->role.task = first->scheduler->task(d, first, block, is_loop ? bounds.lower : block);
  note_first(first, (MlirValue){NULL});
  STRATA_TRY(for_task_of(d, first, &place, emit));
  if (is_loop)
    strata_emit_if_end(e, branch);
  return NULL;
}

// The places in the rings that a loop over tasks carries: of all slots, and of what is fetched once a task.
enum { SLOT, PARITY, ONCE, N_PLACES };

// |emit| for the running task; |places| move on.
static strata_status_t for_places(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue *places,
                                  task_t emit) {
  strata_ring_place_t place = {places[SLOT], places[PARITY]};
  MlirType i32 = mlirValueGetType(places[ONCE]);
  first->parity = places[ONCE];
  STRATA_TRY(for_task_of(d, first, &place, emit));
  places[SLOT] = place.slot;
  places[PARITY] = place.parity;
  if (first->mainloop->has_once)
    places[ONCE] = strata_emit_binary(&d->e, "arith.xori", first->parity, strata_emit_integer(&d->e, i32, 1));
  return NULL;
}

// |emit| for each task of the block, whose first is |bounds|', and its others those that the counter gives.
static strata_status_t for_counted_tasks(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first,
                                         strata_bounds_t bounds, const MlirValue *fresh, task_t emit) {
  enum { TASK, PLACES, ROUND = PLACES + N_PLACES, FIELDS };
  strata_emitter_t *e = &d->e;
  bool fetches = emit == first->mainloop->produce;
  int n_state = FIELDS + (fetches ? 0 : first->tasks.n_fields);
  MlirValue next = {NULL}, state[FIELDS + STRATA_DYNAMIC_FIELDS] = {bounds.lower, fresh[SLOT], fresh[PARITY],
                                                                    fresh[ONCE], fresh[ONCE]};
  if (!fetches)
    state[TASK] = strata_dynamic_take(d, first, fresh[ONCE], state + FIELDS);
  strata_loop_t loop = strata_emit_while_begin(e, bounds.upper, n_state, state, state);
  if (fetches)
    next = strata_dynamic_draw(d, first);
  else
    strata_dynamic_define(d, first, state + FIELDS);
  d->role.task = state[TASK];
  first->round = state[ROUND];
  first->tasks.are_counted = d->shared.is_dirty = d->shared.is_read = true;
  d->nest.loops++;
  STRATA_TRY(for_places(d, first, state + PLACES, emit));
  d->nest.loops--;
  first->tasks.are_counted = false;
  state[ROUND] = strata_emit_binary(e, "arith.xori", first->round, first->parity);
  state[TASK] = fetches ? next : strata_dynamic_take(d, first, state[PLACES + ONCE], state + FIELDS);
  strata_emit_while_end(e, loop, n_state, state, state);
  first->place = (strata_ring_place_t){state[PLACES + SLOT], state[PLACES + PARITY]};
  first->parity = state[PLACES + ONCE];
  first->round = (MlirValue){NULL};
  if (fetches)
    strata_dynamic_pass_end(d, first, state[TASK]);
  return NULL;
}

// |emit| for each task of the block; |first|'s place is then behind the last of them.
static strata_status_t for_tasks(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first, MlirValue block,
                                 task_t emit) {
  strata_emitter_t *e = &d->e;
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  const MlirValue first_slot = strata_emit_index(e, 0), zero = strata_emit_integer(e, i32, 0),
                  fresh[N_PLACES] = {first_slot, zero, zero};
  const MlirType types[N_PLACES] = {mlirValueGetType(first_slot), i32, i32};
  MlirValue state[N_PLACES] = {first_slot, zero, zero};
  int n_state = first->mainloop->has_once ? N_PLACES : ONCE;
  strata_loop_t loop = {0};
  strata_bounds_t bounds;
  bool is_bounded = first->scheduler->bounds(d, first, block, &bounds), is_once = is_bounded && bounds.is_once,
       is_loop = is_bounded && !is_once;
  if (is_loop && d->plan.dynamic)
    return for_counted_tasks(d, first, bounds, fresh, emit);
  if (is_loop)
    loop = strata_emit_for_begin(e, bounds.lower, bounds.upper, bounds.step, n_state, state, state);
  if (is_once)
    loop = strata_emit_choice_begin(e, strata_emit_cmpi(e, STRATA_ULT, bounds.lower, bounds.upper), n_state, types);
  d->role.task = first->scheduler->task(d, first, block, is_loop ? loop.induction : block);
  if (d->plan.fetches_early && is_loop)
    note_first(first, strata_emit_cmpi(e, STRATA_EQ, loop.induction, bounds.lower));
  d->shared.is_dirty = d->shared.is_read = is_loop;
  d->nest.loops += is_loop;
  STRATA_TRY(for_places(d, first, state, emit));
  d->nest.loops -= is_loop;
  if (is_loop)
    strata_emit_for_end(e, loop, n_state, state, state);
  if (is_once) {
    strata_emit_choice_else(e, loop, n_state, state);
    strata_emit_choice_end(e, loop, n_state, fresh, state);
  }
  first->place = (strata_ring_place_t){state[SLOT], state[PARITY]};
  return NULL;
}

static strata_status_t consume(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  k->staged = 0;
  MlirOperation end = mlirBlockGetTerminator(k->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(k->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (!k->mainloop->fetches(k, op))
      STRATA_TRY(mlirOperationEqual(op, k->loop) ? k->mainloop->multiply(d, k) : strata_gpu_distribute_op(d, op));
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
  strata_ring_skip(d, &k->ring, strata_gpu_emit_size_plus(d, k->n_steps, strata_epilogue_slots(k)), &skipped);
  strata_emit_choice_end(e, choice, 2, (MlirValue[]){skipped.slot, skipped.parity}, state);
  *place = (strata_ring_place_t){state[0], state[1]};
  return NULL;
}

//===-- Roles ----------------------------------------------------------------------------------------------------===//

// |count|: of ->mainloop's shares, the role's.
static void share_registers(strata_gpu_distribution_t *d, int64_t count, bool is_consumer) {
  if (count)
    strata_emit_registers(d, count, is_consumer);
}

// True if a block of the next kernel may find room in shared memory beside this one's: it is let in at the end, else at
// once, as it may be made ready but cannot get in this one's way.
static bool has_room_beside(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  return !k->mainloop->is_alone && 2 * d->shared.size <= d->device->shared_bytes_processor;
}

static strata_status_t emit_producers(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                      MlirValue thread) {
  strata_emitter_t *e = &d->e;
  strata_gpu_role_t block_role = strata_producers_begin(d, thread, 0);
  share_registers(d, k->mainloop->registers(d, k).producer, false);
  bool is_one = k->fetchers == 1, is_alone = k->mainloop->is_alone;
  strata_loop_t branch = {0};
  strata_depth_find_fetcher(d, k);
  if (!has_room_beside(d, k) && !is_alone)
    strata_emit_launch_next(d);
  if (is_one)
    branch = strata_emit_if_begin(e, strata_depth_fetches(d, k));
  if (is_alone)
    strata_emit_launch_next(d);
  if (d->plan.fetches_early)
    STRATA_TRY(for_first_task(d, k, block, k->mainloop->fetch_early));
  strata_emit_launch_wait(d);
  STRATA_TRY(for_tasks(d, k, block, k->mainloop->produce));
  if (has_room_beside(d, k))
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
  share_registers(d, k->mainloop->registers(d, k).consumer, true);
  strata_emit_launch_wait(d);
  if (k->mainloop->begin)
    k->mainloop->begin(d, k);
  STRATA_TRY(for_tasks(d, k, block, k->scheduler->owns ? consume_in_turn : consume));
  for (; k->next && !k->staged; k = k->next)
    ;
  if (k->staged)
    strata_pipelined_drain(d);
  return NULL;
}

// Of what the copy engine has brought, which tells them that it is there: they wait for no other launch.
static strata_status_t emit_wideners(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                     MlirValue thread) {
  strata_gpu_role_t block_role = strata_producers_begin(d, thread, 1 + k->widener);
  share_registers(d, k->mainloop->registers(d, k).widener, false);
  STRATA_TRY(for_tasks(d, k, block, k->mainloop->widen));
  d->role = block_role;
  return NULL;
}

// Those who do not fetch, wideners from number |widener| on.
static strata_status_t emit_others(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                   MlirValue thread, int64_t widener) {
  strata_emitter_t *e = &d->e;
  if (widener == k->wideners)
    return emit_consumers(d, k, block, thread);
  MlirValue number = strata_emit_index(e, d->role.threads / STRATA_GROUP_THREADS + 1 + widener);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, k->group, number));
  k->widener = widener;
  STRATA_TRY(emit_wideners(d, k, block, thread));
  strata_emit_if_else(e, branch);
  STRATA_TRY(emit_others(d, k, block, thread, widener + 1));
  strata_emit_if_end(e, branch);
  return NULL;
}

// All roles of |k| and those behind it.
static strata_status_t emit_roles(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue block,
                                  MlirValue thread) {
  strata_emitter_t *e = &d->e;
  STRATA_TRY(k->mainloop->allocate(d, k));
  if (d->plan.dynamic)
    STRATA_TRY(strata_dynamic_allocate(d, k));
  d->state.pipelined = k;
  init_barriers(d, k, thread);
  k->group = strata_emit_group_number(d, thread);
  share(k);
  MlirValue is_producer =
      strata_emit_cmpi(e, STRATA_EQ, k->group, strata_emit_index(e, d->role.threads / STRATA_GROUP_THREADS));
  strata_loop_t branch = strata_emit_if_begin(e, is_producer);
  STRATA_TRY(emit_producers(d, k, block, thread));
  strata_emit_if_else(e, branch);
  STRATA_TRY(emit_others(d, k, block, thread, 0));
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

strata_status_t strata_pipelined_forall(strata_gpu_distribution_t *d, MlirOperation forall,
                                        const strata_mainloop_t *mainloop) {
  strata_pipelined_kernel_t *k;
  MlirValue block = d->role.task, thread = d->role.thread; // of the launch
  STRATA_TRY(mainloop->read(d, forall, &k));
  for (strata_pipelined_kernel_t *list = k; list; list = list->other)
    for (strata_pipelined_kernel_t *each = list; each; each = each->next)
      each->mainloop = mainloop;
  return emit_lists(d, k, block, thread);
}
