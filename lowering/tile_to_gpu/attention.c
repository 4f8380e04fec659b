// Attention: what a kernel is, and its producers.
//
//   scf.forall (%t) in (tasks) {
//     %q = tile.load
//     %r:3 = scf.for %j iter_args(%m, %l, %o) {
//       %k = tile.load; %s = vector.contract %q, %k, 0; ...arithmetic...; %v = tile.load
//       %o1 = vector.contract %p, %v, %o0; scf.yield } {tile.pipeline}
//     epilogue }
//
// Producers fetch %q for each task, then %k and %v of each step; each has a ring. Where %k and %v are made of bytes
// they fetch these, into rings of their own (attention_widen.c).
#include "lowering/tile_to_gpu/attention.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/pipelined_dynamic.h"
#include "lowering/tile_to_gpu/schedulers.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, ELEMENT_BYTES = 2 };

// |k| is the first member.
static const strata_gpu_attention_t *attention_of(const strata_pipelined_kernel_t *k) {
  return (const strata_gpu_attention_t *)k;
}

static MlirOperation rows_load(const strata_gpu_attention_t *a) {
  return strata_operand_load(&a->operands[STRATA_ATTENTION_ROWS].shared);
}

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

bool strata_gpu_is_attention(const strata_gpu_distribution_t *d) {
  strata_kernel_kind_t kind = strata_schedule_read(d->func).kind;
  return kind == STRATA_KERNEL_ATTENTION || kind == STRATA_KERNEL_SEGMENT_ATTENTION;
}

bool strata_gpu_attention_is_loop(const strata_gpu_distribution_t *d, MlirOperation loop) {
  return !mlirOperationIsNull(loop) && strata_op_is(loop, "scf.for") && strata_attr_flag(loop, "tile.pipeline") &&
         strata_gpu_is_attention(d);
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

// Boxes are of all rows (crossed: steps), or of whole groups of those that units are exchanged in.
static bool has_whole_boxes(const strata_shared_operand_t *operand) {
  const strata_bulk_t *bulk = operand->bulk;
  int64_t along = bulk->extents[1 - bulk->inner], all = bulk->box.space.extents[1 - bulk->inner];
  return along == all || (all % along == 0 && along % STRATA_SPAN_ROWS == 0);
}

static strata_status_t read_operand(strata_gpu_distribution_t *d, strata_gpu_attention_t *a, int which) {
  const strata_operand_terms_t terms = {.has_boxes = true, .may_cross = true, .splits_rows = true};
  MlirValue value = operand_value(a, which);
  MlirType type = mlirValueGetType(value);
  const char *from;
  MlirValue loaded = strata_gpu_attention_loaded(value, &from);
  strata_ring_operand_t *operand = *from ? &a->stored[which] : &a->operands[which];
  a->operands[which].shared.value = value;
  operand->shared.value = loaded;
  if (mlirOperationIsNull(strata_operand_load(&operand->shared)) || mlirShapedTypeGetRank(type) != 2 ||
      strata_element_bytes(mlirShapedTypeGetElementType(type)) != ELEMENT_BYTES)
    return strata_gpu_missing(a->scores, "an operand of attention other than a tile.load of 16 bits");
  STRATA_TRY(strata_ring_operand_read(d, loaded, &terms, STEP, operand));
  if (!strata_operand_is_bulk(&operand->shared) || !has_whole_boxes(&operand->shared))
    return strata_gpu_missing(strata_operand_load(&operand->shared),
                              "an operand of attention that the copy engine cannot fetch");
  if (*from)
    STRATA_TRY(strata_gpu_attention_read_stored(a, which));
  a->stored_rings[which].slots = a->kernel.product.slots;
  a->rings[which].slots = which == STRATA_ATTENTION_ROWS ? 1 : *from ? a->widened : a->kernel.product.slots;
  return NULL;
}

static strata_status_t check(const strata_gpu_distribution_t *d, const strata_schedule_t *schedule,
                             const strata_gpu_attention_t *a) {
  const strata_pipelined_t *p = &a->kernel.product;
  const strata_shared_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS].shared;
  if (!p->mma || strcmp(p->mma->family, d->device->mma_async) != 0 ||
      p->mma->k * ELEMENT_BYTES != 2 * STRATA_VECTOR_BYTES)
    return strata_gpu_missing(a->scores, "this matrix instruction");
  if (schedule->producers != (1 + a->kernel.wideners) * STRATA_GROUP_THREADS ||
      schedule->threads != p->groups * STRATA_GROUP_THREADS || schedule->group != schedule->threads ||
      schedule->slots < 2)
    return strata_gpu_missing(a->scores, "a schedule whose threads are not warp groups");
  if (rows->rows != p->groups * STRATA_GROUP_ROWS || rows->steps % p->mma->k || a->columns % p->mma->k ||
      a->columns > STRATA_MAX_COLUMNS || p->n % 8 || p->n > STRATA_MAX_COLUMNS ||
      a->columns != size_of(operand_value(a, STRATA_ATTENTION_VALUES), STEP))
    return strata_gpu_missing(a->scores, "a tile that no instruction fits");
  bool widens_both = strata_gpu_attention_is_stored(a, STRATA_ATTENTION_KEYS) &&
                     strata_gpu_attention_is_stored(a, STRATA_ATTENTION_VALUES);
  if (schedule->slots % a->widened != 0 || (!widens_both && a->widened != schedule->slots))
    return strata_gpu_missing(a->scores, "stages of widened bytes that are no part of the ring's");
  if (schedule->row_slots && (schedule->row_slots != STRATA_MIN_SLOTS || !d->plan.dynamic))
    return strata_gpu_missing(a->scores, "rows in other than one slot, or in two of tasks of a counter,");
  if (d->plan.dynamic && a->kernel.wideners)
    return strata_gpu_missing(a->scores, "bytes that are widened, of tasks of a counter,");
  return d->plan.dynamic ? strata_dynamic_check(d, a->scores) : NULL;
}

// What |loop| is.
static strata_status_t read_loop(strata_gpu_distribution_t *d, MlirOperation loop, strata_gpu_attention_t *out) {
  strata_schedule_t schedule = strata_schedule_read(d->func);
  strata_gpu_attention_t *a = out;
  *a = (strata_gpu_attention_t){.kernel.loop = loop};
  if (!find_roles(loop, a))
    return strata_gpu_missing(loop, "a loop of two contractions that is no attention");
  a->columns = size_of(mlirOperationGetResult(a->scores, 0), COLUMN);
  a->few = strata_attr_i64(loop, STRATA_TILE_FEW, 0);
  a->widened = schedule.widened ? schedule.widened : schedule.slots;
  int64_t groups = schedule.threads / STRATA_GROUP_THREADS, n = size_of(mlirOperationGetResult(a->values, 0), COLUMN);
  const strata_pipelined_t scores = {.groups = groups, .depth = 1, .across = 1, .m_blocks = 1, .n = a->columns};
  a->layout = strata_wgmma_sum_layout(&scores);
  a->kernel.product = (strata_pipelined_t){.instruction = strata_instruction_of(a->values),
                                           .mma = strata_mma_named(strata_attr_str(a->values, "tile.mma")),
                                           .groups = groups,
                                           .depth = 1,
                                           .across = 1,
                                           .m_blocks = 1,
                                           .pair = 1,
                                           .parts = 1,
                                           .teams = 1,
                                           .n = n,
                                           .slots = schedule.slots};
  a->kernel.product.sum = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(a->values, 0)));
  a->kernel.product.layout = strata_wgmma_sum_layout(&a->kernel.product);
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    STRATA_TRY(read_operand(d, a, which));
  a->kernel.wideners =
      strata_gpu_attention_widens(a) ? strata_max(1, schedule.producers / STRATA_GROUP_THREADS - 1) : 0;
  return check(d, &schedule, a);
}

strata_status_t strata_attention_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_gpu_attention_t attention;
  STRATA_TRY(read_loop(d, mlirOperationGetParentOperation(op), &attention));
  bool is_scores = mlirOperationEqual(op, attention.scores);
  strata_layout_fix(d, mlirOperationGetResult(op, 0), is_scores ? &attention.layout : &attention.kernel.product.layout);
  return NULL;
}

//===-- Registers ------------------------------------------------------------------------------------------------===//

enum { PAGING_REGISTERS = 56, WIDENING_REGISTERS = 72 };

static bool is_paged(const strata_ring_operand_t *operand) {
  MlirOperation load = strata_operand_load(&operand->shared);
  return !mlirOperationIsNull(load) && strata_op_is(load, STRATA_TILE_LOAD_PAGES);
}

static int64_t producer_registers(const strata_gpu_attention_t *a) {
  bool has_pages = is_paged(&a->operands[STRATA_ATTENTION_KEYS]) || is_paged(&a->operands[STRATA_ATTENTION_VALUES]);
  return has_pages ? PAGING_REGISTERS : STRATA_LEAST_REGISTERS;
}

// Registers of a consumer's thread, multiples of 8: what the others give up goes to consumers. A block is the
// processor's only one; more than the most where threads have as many from the start.
static int64_t consumer_registers(const strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  int64_t groups = a->kernel.product.groups, others = 1 + a->kernel.wideners;
  int64_t blocks = strata_ceil_div(a->kernel.blocks, d->device->n_processors); // of a processor
  int64_t registers = d->device->registers / blocks, entry = registers / ((groups + others) * STRATA_GROUP_THREADS);
  if (entry > STRATA_MOST_REGISTERS)
    return entry;
  int64_t kept = producer_registers(a) + a->kernel.wideners * WIDENING_REGISTERS;
  return strata_attention_consumer_registers(registers, groups, others, kept);
}

// Loads in the loop besides keys and values: scales and masks.
static int64_t count_other_loads(const strata_gpu_attention_t *a) {
  int64_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(a->kernel.loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count += strata_op_is(op, STRATA_TILE_LOAD);
  for (int which = STRATA_ATTENTION_KEYS; which <= STRATA_ATTENTION_VALUES; which++) {
    bool is_stored = strata_gpu_attention_is_stored(a, which);
    MlirOperation load = strata_operand_load(is_stored ? &a->stored[which].shared : &a->operands[which].shared);
    count -= strata_op_is(load, STRATA_TILE_LOAD);
  }
  return count;
}

// True if the rows' operand fits beside scores, weights and sums, and of bytes beside what is loaded for each column.
static bool has_room_for_rows(const strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  const strata_shared_operand_t *rows = &a->operands[STRATA_ATTENTION_ROWS].shared;
  int64_t own = strata_attention_registers_with_rows(a->columns, a->kernel.product.n, rows->steps);
  own += strata_gpu_attention_widens(a) ? count_other_loads(a) * a->columns / 4 : 0;
  return rows->form != STRATA_SPANS_CROSSED && own <= consumer_registers(d, a);
}

strata_register_shares_t strata_attention_registers(const strata_gpu_distribution_t *d,
                                                    const strata_pipelined_kernel_t *k) {
  int64_t consumers = consumer_registers(d, attention_of(k));
  return consumers > STRATA_MOST_REGISTERS ? (strata_register_shares_t){0}
                                           : (strata_register_shares_t){producer_registers(attention_of(k)), consumers,
                                                                        k->wideners ? WIDENING_REGISTERS : 0};
}

//===-- Setting up -----------------------------------------------------------------------------------------------===//

strata_status_t strata_attention_kernels(strata_gpu_distribution_t *d, MlirOperation forall,
                                         strata_pipelined_kernel_t **out_first) {
  strata_gpu_attention_t *a = strata_arena_new(d->compile->arena, strata_gpu_attention_t);
  MlirOperation loop = strata_pipelined_loop(body_of(forall));
  int64_t lower, step;
  STRATA_TRY(read_loop(d, loop, a));
  strata_pipelined_kernel_t *k = *out_first = &a->kernel;
  k->body = body_of(forall);
  if (!strata_index_bounds(d, mlirBlockGetArgument(body_of(loop), 0), &lower, &step, &k->n_steps) || lower != 0 ||
      step != 1 || strata_size_min(k->n_steps) < 1)
    return strata_gpu_missing(loop, "a pipeline of no known number of steps");
  if (!mlirBlockEqual(mlirOperationGetBlock(rows_load(a)), k->body))
    return strata_gpu_missing(loop, "attention whose rows change in its loop");
  k->scheduler = strata_scheduler_of(d, &k->product);
  k->fetchers = 1;
  if (!strata_size_is_constant(strata_gpu_blocks(d), &k->blocks))
    return strata_gpu_missing(forall, "attention whose blocks are as many as its tasks, which vary,");
  a->holds_rows = has_room_for_rows(d, a);
  if (strata_schedule_read(d->func).row_slots && !a->holds_rows)
    a->rings[STRATA_ATTENTION_ROWS].slots = STRATA_MIN_SLOTS;
  a->takes_turns = k->product.groups > 1 && strata_size_max(k->n_steps) > 1;
  if (!strata_gpu_forall_tasks(d, forall, &k->n_tasks) || !strata_size_equal(k->n_tasks, d->plan.n_tasks))
    return strata_gpu_missing(forall, "attention in one of several task spaces");
  return NULL;
}

// Slots and staging first: they begin at multiples of 1024 bytes.
strata_status_t strata_attention_allocate(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_gpu_attention_t *a = (strata_gpu_attention_t *)k;
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++) {
    strata_ring_operand_t *operand = &a->operands[which];
    STRATA_TRY(strata_shared_alloc(d, operand->shared.element, operand->slot * a->rings[which].slots,
                                   &operand->shared.memory));
    strata_ring_operand_t *stored = &a->stored[which];
    if (strata_gpu_attention_is_stored(a, which))
      STRATA_TRY(strata_shared_alloc(d, stored->shared.element, stored->slot * a->stored_rings[which].slots,
                                     &stored->shared.memory));
  }
  STRATA_TRY(strata_shared_reserve(d, strata_pipelined_staging_bytes(&k->product), &k->staging));
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++) {
    STRATA_TRY(strata_ring_allocate(d, &a->rings[which]));
    if (strata_gpu_attention_is_stored(a, which))
      STRATA_TRY(strata_ring_allocate(d, &a->stored_rings[which]));
  }
  k->ring.slots = k->product.slots; // of all that producers fetch step by step
  return NULL;
}

// How many times a slot is released: by each group; rows that are held in registers by every thread; values by each
// warp, which may wait for them twice (attention_loop.c), so that no other may give them away before.
static int64_t releases(const strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, int which) {
  if (which == STRATA_ATTENTION_ROWS && attention_of(k)->holds_rows)
    return d->role.group;
  return which == STRATA_ATTENTION_VALUES ? d->role.group / d->device->lanes : k->product.groups;
}

void strata_attention_init(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  const strata_gpu_attention_t *a = attention_of(k);
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    for (int64_t slot = 0; slot < a->rings[which].slots; slot++) {
      strata_ring_init(d, &a->rings[which], slot, 1, releases(d, k, which));
    }
  for (int which = 0; which < STRATA_ATTENTION_OPERANDS; which++)
    for (int64_t slot = 0; slot < a->stored_rings[which].slots && strata_gpu_attention_is_stored(a, which); slot++)
      strata_ring_init(d, &a->stored_rings[which], slot, 1, 1);
}

// The last of the groups lets the first begin.
void strata_attention_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_emitter_t *e = &d->e;
  if (!attention_of(k)->takes_turns)
    return;
  MlirValue last = strata_emit_index(e, k->product.groups - 1);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, k->group, last));
  strata_emit_turn(d, STRATA_TILE_GROUP_ARRIVE, strata_emit_index(e, 0));
  strata_emit_if_end(e, branch);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// Constants, indices and what the loop's bound is computed from.
static bool is_scalar(MlirOperation op) {
  bool result = mlirOperationGetNumResults(op) == 1 && mlirOperationGetNumRegions(op) == 0 &&
                !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    result &= !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return result;
}

static void define_steps(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  bool is_constant = mlirAttributeIsNull(strata_attr(a->kernel.loop, "tile.most"));
  a->steps = is_constant ? (MlirValue){0} : strata_new_scalar(d, mlirOperationGetOperand(a->kernel.loop, 1));
}

// Waits until the operand's slot is empty, and has it filled.
static strata_status_t fetch(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, int which,
                             strata_ring_place_t place) {
  bool is_stored = strata_gpu_attention_is_stored(a, which);
  const strata_ring_operand_t *fetched = is_stored ? &a->stored[which] : &a->operands[which];
  const strata_shared_operand_t *operand = &fetched->shared;
  const strata_ring_t *ring = is_stored ? &a->stored_rings[which] : &a->rings[which];
  strata_ring_acquire(d, ring, place);
  strata_ring_expect(d, ring, place.slot, operand->source->bytes(operand), (MlirValue){NULL});
  MlirValue at = strata_emit_times(&d->e, place.slot, fetched->slot);
  return operand->source->fill(d, operand, &(strata_fill_t){.slot = place.slot, .at = at, .full = ring->full});
}

// True of a page's place and what it is made of.
static bool leads_to_pages(MlirOperation op) {
  if (strata_op_is(op, STRATA_TILE_LOAD_PAGES))
    return true;
  if (!is_scalar(op))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    if (leads_to_pages(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

// By a producer: where the pages of the step that is defined lie.
static strata_status_t find_pages(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body_of(a->kernel.loop)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_scalar(op) && leads_to_pages(op))
      STRATA_TRY(strata_gpu_distribute_op(d, op));
  return NULL;
}

static strata_status_t fetch_step(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  STRATA_TRY(find_pages(d, attention_of(k)));
  STRATA_TRY(fetch(d, attention_of(k), STRATA_ATTENTION_KEYS, k->place));
  return fetch(d, attention_of(k), STRATA_ATTENTION_VALUES, k->place);
}

// Those operands that the running group of wideners has: all, or one of two.
static strata_status_t widen_step(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  for (int which = STRATA_ATTENTION_KEYS; which <= STRATA_ATTENTION_VALUES; which++)
    if (strata_gpu_attention_is_stored(attention_of(k), which) &&
        (k->wideners == 1 || k->widener == which - STRATA_ATTENTION_KEYS))
      strata_gpu_attention_widen_step(d, attention_of(k), which, k->place);
  return NULL;
}

// What is computed of the running task in front of its steps, and these.
static strata_status_t begin_steps(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue *out_lower,
                                   MlirValue *out_end) {
  strata_gpu_attention_t *a = (strata_gpu_attention_t *)k;
  STRATA_TRY(strata_pipelined_distribute(d, k, is_scalar));
  define_steps(d, a);
  k->scheduler->steps(d, k, out_lower, out_end);
  if (!mlirValueIsNull(a->steps))
    *out_end = a->steps;
  return NULL;
}

// The first of two is that of tasks of even numbers.
strata_ring_place_t strata_gpu_attention_rows_place(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a) {
  MlirValue parity = a->kernel.parity, round = a->kernel.round;
  if (a->rings[STRATA_ATTENTION_ROWS].slots == 1 || mlirValueIsNull(round))
    return (strata_ring_place_t){strata_emit_index(&d->e, 0), parity};
  MlirValue slot = strata_emit_cast(&d->e, "arith.index_cast", parity, mlirIndexTypeGet(d->e.context));
  return (strata_ring_place_t){slot, round};
}

strata_status_t strata_attention_produce(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirValue lower, end;
  STRATA_TRY(begin_steps(d, k, &lower, &end));
  strata_dynamic_pass(d, k);
  strata_ring_place_t place = strata_gpu_attention_rows_place(d, attention_of(k));
  STRATA_TRY(fetch(d, attention_of(k), STRATA_ATTENTION_ROWS, place));
  return strata_pipelined_for_steps(d, k, lower, end, fetch_step);
}

strata_status_t strata_attention_widen(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  MlirValue lower, upper;
  STRATA_TRY(begin_steps(d, k, &lower, &upper));
  return strata_pipelined_for_steps(d, k, lower, upper, widen_step);
}

strata_status_t strata_attention_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  define_steps(d, (strata_gpu_attention_t *)k);
  return strata_gpu_attention_loop(d, (strata_gpu_attention_t *)k);
}

bool strata_attention_fetches(const strata_pipelined_kernel_t *k, MlirOperation op) {
  return mlirOperationEqual(op, rows_load(attention_of(k))) || strata_dynamic_has(k, op);
}
