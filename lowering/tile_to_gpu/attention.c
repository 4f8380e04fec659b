// Attention: what a kernel is, and its two roles.
//
//   scf.forall (%t) in (tasks) {
//     %q = tile.load
//     %r:3 = scf.for %j iter_args(%m, %l, %o) {
//       %k = tile.load; %s = vector.contract %q, %k, 0; ...arithmetic...; %v = tile.load
//       %o1 = vector.contract %p, %v, %o0; scf.yield } {tile.pipeline}
//     epilogue }
// becomes
//   barriers of the rings, set up by one thread
//   if the thread is a producer:  for its block's tasks: fetch %q, then %k and %v of each step
//   else:                         for its block's tasks: the loop, epilogue
#include "lowering/tile_to_gpu/attention.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, ELEMENT_BYTES = 2 };
enum { SPAN = STRATA_SPAN / ELEMENT_BYTES };

//===-- Reading --------------------------------------------------------------------------------------------------===//

static MlirBlock body_of(MlirOperation op) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)); }

// The contractions of a loop's body; returns how many there are.
static int find_contractions(MlirOperation loop, MlirOperation out[2]) {
  int n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "vector.contract"))
      continue;
    if (n < 2)
      out[n] = op;
    n++;
  }
  return n;
}

bool strata_gpu_attention_is_loop(const strata_gpu_distribution_t *d, MlirOperation loop) {
  return !mlirOperationIsNull(loop) && strata_op_is(loop, "scf.for") && strata_attr_flag(loop, "tile.pipeline") &&
         strata_schedule_read(d->func).kind == STRATA_KERNEL_ATTENTION;
}

// The second contraction is the one whose sum the loop carries.
static bool find_roles(MlirOperation loop, strata_gpu_attention_t *a) {
  MlirOperation contractions[2], yield = mlirBlockGetTerminator(body_of(loop));
  bool are_two = find_contractions(loop, contractions) == 2;
  for (intptr_t i = 0; are_two && i < mlirOperationGetNumOperands(yield); i++)
    for (int which = 0; which < 2; which++)
      if (mlirValueEqual(mlirOperationGetOperand(yield, i), mlirOperationGetResult(contractions[which], 0))) {
        a->carried = (int)i;
        a->values = contractions[which];
        a->scores = contractions[1 - which];
        return strata_value_is_zero(mlirOperationGetOperand(a->scores, 2));
      }
  return false;
}

static int64_t size_of(MlirValue value, int dim) { return mlirShapedTypeGetDimSize(mlirValueGetType(value), dim); }

static MlirValue operand_value(const strata_gpu_attention_t *a, int which) {
  if (which == STRATA_ATTENTION_VALUES)
    return mlirOperationGetOperand(a->values, 1);
  return mlirOperationGetOperand(a->scores, which == STRATA_ATTENTION_KEYS);
}

// Boxes of all rows and a span of steps, or, crossed, of a span of rows and all steps.
static bool find_boxes(strata_gpu_distribution_t *d, MlirType type, strata_gpu_attention_operand_t *operand) {
  strata_bulk_limits_t limits = {.span = STRATA_SPAN, .splits_rows = true};
  for (int crossed = 0; crossed < 2; crossed++) {
    limits.most[ROW] = crossed ? SPAN : STRATA_BULK_EXTENT;
    limits.most[STEP] = crossed ? STRATA_BULK_EXTENT : SPAN;
    operand->crossed = crossed != 0;
    if (strata_bulk_read(d, operand->load, 0, type, &limits, &operand->bulk) &&
        operand->bulk.inner == (crossed ? ROW : STEP)) {
      int64_t along = operand->bulk.extents[crossed ? STEP : ROW], all = crossed ? operand->steps : operand->rows;
      return along == all || (all % along == 0 && along % STRATA_SPAN_ROWS == 0);
    }
  }
  return false;
}

static strata_status_t read_operand(strata_gpu_distribution_t *d, strata_gpu_attention_t *a, int which) {
  MlirValue value = operand_value(a, which);
  strata_gpu_attention_operand_t *operand = &a->operands[which];
  MlirType type = mlirValueGetType(value);
  if (!mlirValueIsAOpResult(value) || !strata_op_is(mlirOpResultGetOwner(value), STRATA_TILE_LOAD) ||
      mlirShapedTypeGetRank(type) != 2 || strata_element_bytes(mlirShapedTypeGetElementType(type)) != ELEMENT_BYTES)
    return strata_gpu_missing(a->scores, "an operand of attention other than a tile.load of 16 bits");
  operand->load = mlirOpResultGetOwner(value);
  operand->element = mlirShapedTypeGetElementType(type);
  operand->rows = mlirShapedTypeGetDimSize(type, ROW);
  operand->steps = mlirShapedTypeGetDimSize(type, STEP);
  if (!find_boxes(d, type, operand))
    return strata_gpu_missing(operand->load, "an operand of attention that the copy engine cannot fetch");
  operand->slot = operand->crossed ? strata_round_up(operand->rows, SPAN) * operand->steps
                                   : operand->rows * strata_round_up(operand->steps, SPAN);
  return NULL;
}

static strata_status_t check(const strata_gpu_distribution_t *d, const strata_schedule_t *schedule,
                             const strata_gpu_attention_t *a) {
  const strata_pipelined_t *p = &a->kernel.product;
  const strata_gpu_attention_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS];
  if (!a->mma || strcmp(a->mma->family, d->device->mma_async) != 0 ||
      a->mma->k * ELEMENT_BYTES != 2 * STRATA_VECTOR_BYTES)
    return strata_gpu_missing(a->scores, "this matrix instruction");
  if (schedule->producers != STRATA_GROUP_THREADS || schedule->threads != p->groups * STRATA_GROUP_THREADS ||
      schedule->group != schedule->threads || schedule->slots < 2)
    return strata_gpu_missing(a->scores, "a schedule whose threads are not warp groups");
  if (rows->rows != p->groups * STRATA_GROUP_ROWS || rows->steps % a->mma->k || a->columns % a->mma->k ||
      a->columns > STRATA_MAX_COLUMNS || p->n % 8 || p->n > STRATA_MAX_COLUMNS ||
      a->columns != size_of(operand_value(a, STRATA_ATTENTION_VALUES), STEP))
    return strata_gpu_missing(a->scores, "a tile that no instruction fits");
  return NULL;
}

strata_status_t strata_gpu_attention_read(strata_gpu_distribution_t *d, MlirOperation loop,
                                          strata_gpu_attention_t *out) {
  strata_schedule_t schedule = strata_schedule_read(d->func);
  strata_gpu_attention_t *a = out;
  *a = (strata_gpu_attention_t){.kernel.loop = loop};
  if (!find_roles(loop, a))
    return strata_gpu_missing(loop, "a loop of two contractions that is no attention");
  a->mma = strata_mma_named(strata_attr_str(a->values, "tile.mma"));
  a->columns = size_of(mlirOperationGetResult(a->scores, 0), COLUMN);
  int64_t groups = schedule.threads / STRATA_GROUP_THREADS, n = size_of(mlirOperationGetResult(a->values, 0), COLUMN);
  const strata_pipelined_t scores = {.groups = groups, .across = 1, .m_blocks = 1, .n = a->columns};
  a->layout = strata_wgmma_sum_layout(&scores);
  a->kernel.product = (strata_pipelined_t){.instruction = strata_instruction_of(a->values),
                                           .mma = a->mma,
                                           .groups = groups,
                                           .across = 1,
                                           .m_blocks = 1,
                                           .n = n,
                                           .slots = schedule.slots};
  a->kernel.product.sum = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(a->values, 0)));
  a->kernel.product.layout = strata_wgmma_sum_layout(&a->kernel.product);
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    STRATA_TRY(read_operand(d, a, which));
  a->operands[STRATA_ATTENTION_ROWS].ring.slots = 1;
  a->operands[STRATA_ATTENTION_KEYS].ring.slots = schedule.slots;
  a->operands[STRATA_ATTENTION_VALUES].ring.slots = schedule.slots;
  return check(d, &schedule, a);
}

strata_status_t strata_gpu_attention_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_gpu_attention_t attention;
  STRATA_TRY(strata_gpu_attention_read(d, mlirOperationGetParentOperation(op), &attention));
  bool is_scores = mlirOperationEqual(op, attention.scores);
  strata_layout_fix(d, mlirOperationGetResult(op, 0), is_scores ? &attention.layout : &attention.kernel.product.layout);
  return NULL;
}

//===-- Registers ------------------------------------------------------------------------------------------------===//

enum { LEAST_REGISTERS = 24, MOST_REGISTERS = 240, OTHER_REGISTERS = 48 };

// Registers of a consumer's thread, multiples of 8: what producers give up goes to consumers. A block is the
// processor's only one; more than the most where threads have as many from the start.
static int64_t consumer_registers(const strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  enum { UNIT = 8 };
  int64_t groups = a->kernel.product.groups, threads = (groups + 1) * STRATA_GROUP_THREADS;
  int64_t blocks = strata_ceil_div(a->kernel.blocks, d->device->n_processors); // of a processor
  int64_t entry = d->device->registers / (blocks * threads);
  if (entry > MOST_REGISTERS)
    return entry;
  int64_t most = (entry / UNIT * UNIT * (groups + 1) - LEAST_REGISTERS) / groups / UNIT * UNIT;
  return strata_min(most, MOST_REGISTERS);
}

// True if the rows' operand fits beside scores, weights and sums.
static bool has_room_for_rows(const strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  const strata_gpu_attention_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS];
  int64_t own = a->columns / 2 + a->columns / 4 + a->kernel.product.n / 2 + rows->steps / 4;
  return !rows->crossed && own + OTHER_REGISTERS <= consumer_registers(d, a);
}

//===-- Setting up -----------------------------------------------------------------------------------------------===//

static strata_status_t read_kernel(strata_gpu_distribution_t *d, MlirOperation forall, MlirOperation loop,
                                   strata_gpu_attention_t *a) {
  int64_t lower, step;
  STRATA_TRY(strata_gpu_attention_read(d, loop, a));
  strata_pipelined_kernel_t *k = &a->kernel;
  k->body = body_of(forall);
  if (!strata_index_bounds(mlirBlockGetArgument(body_of(loop), 0), &lower, &step, &k->n_steps) || lower != 0 ||
      step != 1 || k->n_steps < 1)
    return strata_gpu_missing(loop, "a pipeline without constant bounds");
  if (!mlirBlockEqual(mlirOperationGetBlock(a->operands[STRATA_ATTENTION_ROWS].load), k->body))
    return strata_gpu_missing(loop, "attention whose rows change in its loop");
  k->blocks = strata_gpu_blocks(d);
  a->holds_rows = has_room_for_rows(d, a);
  a->takes_turns = a->kernel.product.groups > 1 && k->n_steps > 1;
  if (!strata_gpu_forall_tasks(forall, &k->n_tasks) || k->n_tasks != d->plan.n_tasks)
    return strata_gpu_missing(forall, "attention in one of several task spaces");
  return NULL;
}

// Slots and staging first: they begin at multiples of 1024 bytes.
static strata_status_t allocate_all(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++) {
    strata_gpu_attention_operand_t *operand = &a->operands[which];
    STRATA_TRY(strata_shared_alloc(d, operand->element, operand->slot * operand->ring.slots, &operand->memory));
  }
  STRATA_TRY(strata_shared_reserve(d, strata_pipelined_staging_bytes(&a->kernel.product), &a->kernel.staging));
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    STRATA_TRY(strata_ring_allocate(d, &a->operands[which].ring));
  return NULL;
}

static void init_barriers(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue thread) {
  strata_emitter_t *e = &d->e;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, is_first);
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    for (int64_t slot = 0; slot < a->operands[which].ring.slots; slot++) {
      bool by_all = a->holds_rows && which == STRATA_ATTENTION_ROWS;
      strata_ring_init(d, &a->operands[which].ring, slot, 1, by_all ? d->role.group : a->kernel.product.groups);
    }
  strata_emit_fence(d, "barriers");
  strata_emit_if_end(e, branch);
  strata_emit_op(e, "gpu.barrier", 0, NULL, 0, NULL, 0, NULL);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

typedef strata_status_t (*task_t)(strata_gpu_distribution_t *d, strata_gpu_attention_t *a);

// |emit| for each task of the block. The place in the rings goes on from task to task.
static strata_status_t for_tasks(strata_gpu_distribution_t *d, strata_gpu_attention_t *a, MlirValue block,
                                 task_t emit) {
  enum { SLOT, PARITY, ROWS_PARITY, STATE };
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = &a->kernel;
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  MlirValue zero = strata_emit_integer(e, i32, 0), state[STATE] = {strata_emit_index(e, 0), zero, zero};
  strata_loop_t loop = {0};
  bool is_loop = d->plan.n_tasks > k->blocks;
  if (is_loop)
    loop = strata_emit_for_begin(e, block, strata_emit_index(e, d->plan.n_tasks), k->blocks, STATE, state, state);
  d->role.task = is_loop ? loop.induction : block;
  d->shared.is_dirty = d->shared.is_read = is_loop;
  d->nest.loops += is_loop;
  k->place = (strata_ring_place_t){state[SLOT], state[PARITY]};
  a->parity = state[ROWS_PARITY];
  strata_gpu_define_task(d, a->kernel.body);
  STRATA_TRY(emit(d, a));
  d->nest.loops -= is_loop;
  state[SLOT] = k->place.slot;
  state[PARITY] = k->place.parity;
  state[ROWS_PARITY] = strata_emit_binary(e, "arith.xori", a->parity, strata_emit_integer(e, i32, 1));
  if (is_loop)
    strata_emit_for_end(e, loop, STATE, state, state);
  return NULL;
}

// Constants, indices and what the loop's bound is computed from.
static bool is_scalar(MlirOperation op) {
  bool result = mlirOperationGetNumResults(op) == 1 && mlirOperationGetNumRegions(op) == 0 &&
                !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    result &= !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return result;
}

static void define_steps(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  bool is_constant = strata_attr_i64(a->kernel.loop, "tile.most", 0) == 0;
  a->steps = is_constant ? (MlirValue){0} : strata_new_scalar(d, mlirOperationGetOperand(a->kernel.loop, 1));
}

static strata_status_t produce(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  for (MlirOperation op = mlirBlockGetFirstOperation(a->kernel.body); !mlirOperationEqual(op, a->kernel.loop);
       op = mlirOperationGetNextInBlock(op))
    if (is_scalar(op))
      STRATA_TRY(strata_gpu_distribute_op(d, op));
  define_steps(d, a);
  return strata_gpu_attention_fetch(d, a);
}

static strata_status_t consume(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  MlirOperation end = mlirBlockGetTerminator(a->kernel.body);
  a->kernel.staged = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(a->kernel.body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (mlirOperationEqual(op, a->operands[STRATA_ATTENTION_ROWS].load))
      continue;
    if (mlirOperationEqual(op, a->kernel.loop))
      define_steps(d, a);
    STRATA_TRY(mlirOperationEqual(op, a->kernel.loop) ? strata_gpu_attention_loop(d, a)
                                                      : strata_gpu_distribute_op(d, op));
  }
  return NULL;
}

//===-- Roles ----------------------------------------------------------------------------------------------------===//

static void share_registers(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, bool is_producer) {
  int64_t consumers = consumer_registers(d, a);
  if (consumers <= MOST_REGISTERS)
    strata_emit_registers(d, is_producer ? LEAST_REGISTERS : consumers, !is_producer);
}

// The last of the groups lets the first begin.
static void begin_turns(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  strata_emitter_t *e = &d->e;
  if (!a->takes_turns)
    return;
  MlirValue last = strata_emit_index(e, a->kernel.product.groups - 1);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, a->kernel.group, last));
  strata_emit_turn(d, STRATA_TILE_GROUP_ARRIVE, strata_emit_index(e, 0));
  strata_emit_if_end(e, branch);
}

static strata_status_t emit_producers(strata_gpu_distribution_t *d, strata_gpu_attention_t *a, MlirValue block,
                                      MlirValue thread) {
  strata_emitter_t *e = &d->e;
  strata_gpu_role_t block_role = strata_producers_begin(d, thread);
  share_registers(d, a, true);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_is_first_thread(d));
  strata_emit_launch_next(d);
  strata_emit_launch_wait(d);
  STRATA_TRY(for_tasks(d, a, block, produce));
  strata_emit_if_end(e, branch);
  d->role = block_role;
  return NULL;
}

static strata_status_t emit_consumers(strata_gpu_distribution_t *d, strata_gpu_attention_t *a, MlirValue block,
                                      MlirValue thread) {
  d->role.thread = thread;
  share_registers(d, a, false);
  strata_emit_launch_wait(d);
  begin_turns(d, a);
  STRATA_TRY(for_tasks(d, a, block, consume));
  if (a->kernel.staged)
    strata_pipelined_drain(d);
  return NULL;
}

strata_status_t strata_gpu_attention_forall(strata_gpu_distribution_t *d, MlirOperation forall, MlirOperation loop) {
  strata_emitter_t *e = &d->e;
  strata_gpu_attention_t *a = strata_arena_new(d->compile->arena, strata_gpu_attention_t);
  MlirValue block = d->role.task, thread = d->role.thread; // of the launch
  STRATA_TRY(read_kernel(d, forall, loop, a));
  STRATA_TRY(allocate_all(d, a));
  d->state.pipelined = &a->kernel;
  init_barriers(d, a, thread);
  a->kernel.group = strata_emit_group_number(d, thread);
  MlirValue is_producer =
      strata_emit_cmpi(e, STRATA_EQ, a->kernel.group, strata_emit_index(e, a->kernel.product.groups));
  strata_loop_t branch = strata_emit_if_begin(e, is_producer);
  STRATA_TRY(emit_producers(d, a, block, thread));
  strata_emit_if_else(e, branch);
  STRATA_TRY(emit_consumers(d, a, block, thread));
  strata_emit_if_end(e, branch);
  return NULL;
}
