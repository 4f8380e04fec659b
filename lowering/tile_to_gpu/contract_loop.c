// The loop around a contraction, as a pipeline.
//
//   %sum = scf.for %k = 0 to n iter_args(%a = %zero) { loads of step k; arithmetic; vector.contract } {tile.pipeline}
// becomes
//   loads of step 0
//   scf.for %k = 0 to n iter_args(fragments of %a, what was loaded) {
//     arithmetic, then stores to slot k mod 2 of shared memory; barrier
//     loads of step k + 1, if there is one
//     products from slot k mod 2 }
//
// So loads are under way while products are computed, and one barrier a step is enough: a slot is written again only
// two steps later, after a barrier that every thread passes with its reads of that slot done.
//
// Operands that need not pass through registers (contract_copy.c) are copied as many steps ahead as there are slots but
// one: with s slots step k + s - 1 is begun behind the barrier of step k, before which its copies were waited for.
//
// A pair carries the sums of two contractions with one left operand; each stages its right one.
//
// Loops in which matrix instructions need not wait for the barrier are in contract_ahead.c.
#include "lowering/tile_to_gpu/contract_loop.h"

#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/parts.h"

enum { LEFT = 0, FIRST_SUM = 3 };

typedef strata_pipeline_t pipeline_t;

//===-- What is in the body --------------------------------------------------------------------------------------===//

static bool is_load(MlirOperation op) { return strata_op_is(op, "tile.load"); }

bool strata_pipeline_copies(const pipeline_t *p, int side) {
  return p->products[0].operands[side].source->by == STRATA_FILLED_BY_COPIES;
}

static bool is_copied(const pipeline_t *p, MlirOperation op) {
  bool result = false;
  for (int side = 0; side < 2; side++)
    result |=
        strata_pipeline_copies(p, side) && mlirOperationEqual(strata_operand_load(&p->products[0].operands[side]), op);
  return result;
}

bool strata_pipeline_has_copies(const pipeline_t *p) {
  return strata_pipeline_copies(p, 0) || strata_pipeline_copies(p, 1);
}

// What addresses are made of: index values, the same in all threads.
static bool is_scalar(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 1 && !mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         (strata_op_is(op, "affine.apply") || strata_op_is(op, "arith.constant"));
}

static bool is_contract(const pipeline_t *p, MlirOperation op) {
  return mlirOperationEqual(op, p->contracts[0]) || (p->n_products > 1 && mlirOperationEqual(op, p->contracts[1]));
}

// The contractions that the loop carries the sums of.
static strata_status_t read_products(pipeline_t *p) {
  MlirOperation yield = mlirBlockGetTerminator(p->body);
  p->n_products = (int)mlirOperationGetNumOperands(yield);
  if (p->n_products < 1 || p->n_products > STRATA_PIPELINE_PRODUCTS)
    return strata_gpu_missing(p->loop, "a pipeline that does not carry the sums of a product or of a pair");
  for (int i = 0; i < p->n_products; i++) {
    MlirOperation contract = strata_def(mlirOperationGetOperand(yield, i));
    if (mlirOperationIsNull(contract))
      return strata_gpu_missing(p->loop, "a pipeline that does not carry sums");
    STRATA_TRY(strata_product_read(p->d, contract, &p->products[i]));
    if (!mlirValueEqual(mlirOperationGetOperand(contract, 2), mlirBlockGetArgument(p->body, 1 + i)))
      return strata_gpu_missing(contract, "a sum that the pipeline does not carry");
    p->contracts[i] = contract;
  }
  if (p->n_products > 1 &&
      !mlirValueEqual(mlirOperationGetOperand(p->contracts[0], LEFT), mlirOperationGetOperand(p->contracts[1], LEFT)))
    return strata_gpu_missing(p->loop, "a pair of products without a left operand in common");
  return NULL;
}

// Splits the body into what is done a step ahead and what is done with the values loaded.
static strata_status_t read_body(pipeline_t *p) {
  MlirOperation yield = mlirBlockGetTerminator(p->body);
  STRATA_TRY(read_products(p));
  for (MlirOperation op = mlirBlockGetFirstOperation(p->body); !mlirOperationEqual(op, yield);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_contract(p, op) || strata_op_is(op, STRATA_TILE_SCALED))
      continue;
    if (mlirOperationGetNumRegions(op) > 0)
      return strata_gpu_missing(op, "a region in a pipeline");
    if (is_load(op) || is_scalar(op))
      *strata_vector_push(p->d->compile->arena, &p->loads) = op;
    else
      *strata_vector_push(p->d->compile->arena, &p->arithmetic) = op;
  }
  return NULL;
}

// Whether the loop waits for copies: as the schedule says, or where those of warps take the place of a matrix
// instruction's loads and stores. None of a pair's operands are copied.
static bool may_copy(const pipeline_t *p, const strata_schedule_t *schedule) {
  const strata_mma_t *mma = p->products[0].mma;
  bool is_rounded = mma && strata_mma_rounds(mma);
  return !is_rounded && p->n_products == 1 &&
         (schedule->slots > 0 || (mma && p->d->device->copies == STRATA_GPU_COPIES_WARPS));
}

// How operands come, and how many slots there are.
static strata_status_t find_sources(pipeline_t *p) {
  strata_schedule_t schedule = strata_gpu_schedule_of(p->d, p->loop);
  for (int i = 0; i < p->n_products; i++)
    for (int side = 0; side < 2; side++) {
      strata_shared_operand_t *operand = &p->products[i].operands[side];
      MlirOperation load = strata_operand_load(operand);
      bool is_inside = !mlirOperationIsNull(load) && mlirOperationEqual(mlirOperationGetParentOperation(load), p->loop);
      const strata_operand_terms_t terms = {.has_copies = is_inside && may_copy(p, &schedule)};
      STRATA_TRY(strata_operand_find_source(p->d, operand, &terms));
      if (operand->source->by == STRATA_FILLED_BY_COPIES && p->d->device->copies == STRATA_GPU_COPIES_WARPS)
        operand->by_warps = strata_warp_copies(p->d, operand);
      const strata_operand_terms_t of_scales = {0};
      if (strata_product_has_scales(&p->products[i], side))
        STRATA_TRY(strata_operand_find_source(p->d, &p->products[i].scales[side], &of_scales));
    }
  p->n_slots = strata_pipeline_has_copies(p) && schedule.slots ? schedule.slots : STRATA_CONTRACT_SLOTS;
  return NULL;
}

//===-- Values that wait for their step --------------------------------------------------------------------------===//

// Registers of small types wait as vectors: a phi of its own for each would take a whole register.
static int64_t pack_width(const strata_registers_t *registers) {
  int64_t bytes = strata_element_bytes(registers->element), width = bytes < 4 ? STRATA_VECTOR_BYTES / bytes : 1;
  while (registers->count % width)
    width /= 2;
  return width;
}

static void pack_loaded(pipeline_t *p, MlirOperation load) {
  strata_gpu_distribution_t *d = p->d;
  const strata_registers_t *registers = strata_registers_of(d, mlirOperationGetResult(load, 0));
  int64_t width = pack_width(registers);
  for (int64_t i = 0; i < registers->count; i += width) {
    MlirValue value = registers->values[i];
    if (width > 1)
      value = strata_emit_value(&d->e, "vector.from_elements", (int)width, registers->values + i,
                                mlirVectorTypeGet(1, &width, registers->element), 0, NULL);
    *strata_vector_push(d->compile->arena, &p->state) = value;
  }
}

// Defines the load's registers as what is in the state from |at| on; returns where the next one's begin.
static int64_t unpack_loaded(pipeline_t *p, MlirOperation load, int64_t at) {
  strata_gpu_distribution_t *d = p->d;
  MlirValue old = mlirOperationGetResult(load, 0);
  strata_registers_t registers = strata_registers_new(d, old);
  int64_t width = pack_width(&registers);
  for (int64_t i = 0; i < registers.count; i++)
    registers.values[i] = strata_lanes_extract(&d->e, p->state.data[at + i / width], i % width);
  strata_registers_define(d, old, &registers);
  return at + registers.count / width;
}

int64_t strata_pipeline_loaded(const pipeline_t *p) {
  int64_t bytes = 0;
  for (size_t i = 0; i < p->loads.count; i++) {
    MlirOperation load = p->loads.data[i];
    if (!is_load(load) || is_copied(p, load))
      continue;
    strata_registers_t registers = strata_registers_new(p->d, mlirOperationGetResult(load, 0));
    bytes += registers.count * strata_element_bytes(registers.element);
  }
  return bytes / 4;
}

strata_status_t strata_pipeline_load(pipeline_t *p, MlirValue step) {
  strata_define_step(p->d, p->body, step);
  p->state.count = (size_t)(p->n_sums + p->n_ahead);
  for (size_t i = 0; i < p->loads.count; i++) {
    if (is_copied(p, p->loads.data[i]))
      continue;
    STRATA_TRY(strata_gpu_distribute_op(p->d, p->loads.data[i]));
    if (is_load(p->loads.data[i]))
      pack_loaded(p, p->loads.data[i]);
  }
  return NULL;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

MlirValue strata_pipeline_slot(const pipeline_t *p, MlirValue step) {
  strata_emitter_t *e = &p->d->e;
  bool is_power = (p->n_slots & (p->n_slots - 1)) == 0;
  return is_power ? strata_emit_binary(e, "arith.andi", step, strata_emit_index(e, p->n_slots - 1))
                  : strata_emit_binary(e, "arith.remui", step, strata_emit_index(e, p->n_slots));
}

// Puts the operand of a side of product |number| into |slot|, or has it copied there; zeros, if |exists| is false.
static strata_status_t fill(pipeline_t *p, int number, int side, MlirValue slot, MlirValue exists) {
  const strata_product_t *product = &p->products[number];
  const strata_fill_t to = {.slot = slot, .exists = exists, .mma = product->mma};
  return product->operands[side].source->fill(p->d, &product->operands[side], &to);
}

// The same of its scales, which threads store.
static strata_status_t fill_scales(pipeline_t *p, int number, int side, MlirValue slot) {
  const strata_shared_operand_t *scales = &p->products[number].scales[side];
  const strata_fill_t to = {.slot = slot};
  return strata_product_has_scales(&p->products[number], side) ? scales->source->fill(p->d, scales, &to) : NULL;
}

// Begins the copies of step |step|; of zeros, if |exists| is there and false.
strata_status_t strata_pipeline_copy(pipeline_t *p, MlirValue step, MlirValue slot, MlirValue exists) {
  strata_define_step(p->d, p->body, step);
  for (size_t i = 0; i < p->loads.count; i++)
    if (!is_load(p->loads.data[i]))
      STRATA_TRY(strata_gpu_distribute_op(p->d, p->loads.data[i]));
  for (int side = 0; side < 2; side++)
    if (strata_pipeline_copies(p, side))
      STRATA_TRY(fill(p, 0, side, slot, exists));
  return NULL;
}

void strata_pipeline_commit(pipeline_t *p) {
  strata_emit_op(&p->d->e, STRATA_TILE_COPY_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

// Of all steps but the |behind| begun last.
void strata_pipeline_wait(pipeline_t *p, int64_t behind) {
  strata_named_attr_t pending = {"pending", strata_i64_attr(p->d->e.context, behind)};
  strata_emit_op(&p->d->e, STRATA_TILE_COPY_WAIT, 0, NULL, 0, NULL, 1, &pending);
}

// Copies of the first |count| steps; every step has a group, be it empty.
strata_status_t strata_pipeline_first_copies(pipeline_t *p, int64_t count) {
  for (int64_t step = 0; step < count; step++) {
    MlirValue number = strata_emit_index(&p->d->e, step), exists = {0};
    if (step >= strata_size_min(p->n_steps) && step < strata_size_max(p->n_steps))
      exists = strata_emit_cmpi(&p->d->e, STRATA_SLT, number, strata_gpu_emit_size(p->d, p->n_steps));
    if (step < strata_size_max(p->n_steps))
      STRATA_TRY(strata_pipeline_copy(p, number, number, exists));
    strata_pipeline_commit(p);
  }
  return NULL;
}

// Copies of the step that |step| makes room for, if there is one.
static strata_status_t emit_next_copies(pipeline_t *p, MlirValue step) {
  strata_emitter_t *e = &p->d->e;
  MlirValue next = strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, p->n_slots - 1));
  MlirValue exists = strata_emit_cmpi(e, STRATA_SLT, next, strata_gpu_emit_size(p->d, p->n_steps));
  strata_loop_t branch = strata_emit_if_begin(e, exists);
  strata_status_t status = strata_pipeline_copy(p, next, strata_pipeline_slot(p, next), (MlirValue){0});
  strata_emit_if_end(e, branch);
  strata_pipeline_commit(p);
  return status;
}

//===-- Staging --------------------------------------------------------------------------------------------------===//

strata_status_t strata_pipeline_store(pipeline_t *p, MlirValue step, MlirValue slot) {
  strata_gpu_distribution_t *d = p->d;
  int64_t at = p->n_sums + p->n_ahead;
  strata_define_step(p->d, p->body, step);
  for (size_t i = 0; i < p->loads.count; i++)
    if (is_copied(p, p->loads.data[i]))
      continue;
    else if (is_load(p->loads.data[i]))
      at = unpack_loaded(p, p->loads.data[i], at);
    else
      STRATA_TRY(strata_gpu_distribute_op(d, p->loads.data[i]));
  for (size_t i = 0; i < p->arithmetic.count; i++)
    STRATA_TRY(strata_gpu_distribute_op(d, p->arithmetic.data[i]));
  for (int i = 0; i < p->n_products; i++)
    for (int side = i ? LEFT + 1 : LEFT; side < 2; side++) {
      if (p->products[i].operands[side].source->by == STRATA_FILLED_BY_THREADS)
        STRATA_TRY(fill(p, i, side, slot, (MlirValue){0}));
      STRATA_TRY(fill_scales(p, i, side, slot));
    }
  return NULL;
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

// The sums of product |number| in the state.
static MlirValue *sums_of(const pipeline_t *p, int number) {
  return p->state.data + (number ? strata_product_sums(&p->products[0]) : 0);
}

// Loads of the step after |step|, if there is one: what was loaded is replaced in the state.
static strata_status_t emit_next_loads(pipeline_t *p, MlirValue step) {
  strata_gpu_distribution_t *d = p->d;
  strata_emitter_t *e = &d->e;
  int n_state = (int)p->state.count, n_loaded = n_state - (int)p->n_sums;
  if (n_loaded == 0)
    return NULL;
  MlirValue condition = strata_emit_cmpi(e, STRATA_SLT, step, strata_gpu_emit_size_plus(d, p->n_steps, -1));
  MlirType *types = strata_arena_array(d->compile->arena, MlirType, n_loaded);
  MlirValue *loaded = strata_arena_array(d->compile->arena, MlirValue, n_loaded);
  for (int i = 0; i < n_loaded; i++) {
    loaded[i] = p->state.data[p->n_sums + i];
    types[i] = mlirValueGetType(loaded[i]);
  }
  strata_loop_t choice = strata_emit_choice_begin(e, condition, n_loaded, types);
  STRATA_TRY(strata_pipeline_load(p, strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, 1))));
  strata_emit_choice_else(e, choice, n_loaded, p->state.data + p->n_sums);
  strata_emit_choice_end(e, choice, n_loaded, loaded, p->state.data + p->n_sums);
  return NULL;
}

static strata_status_t emit_loop(pipeline_t *p) {
  strata_gpu_distribution_t *d = p->d;
  MlirValue zero = strata_emit_index(&d->e, 0), end = strata_gpu_emit_size(d, p->n_steps);
  int n_state = (int)p->state.count;
  strata_loop_t loop = strata_emit_for_begin(&d->e, zero, end, 1, n_state, p->state.data, p->state.data);
  d->nest.loops++;
  MlirValue slot = strata_pipeline_slot(p, loop.induction);
  STRATA_TRY(strata_pipeline_store(p, loop.induction, slot));
  if (strata_pipeline_has_copies(p))
    strata_pipeline_wait(p, p->n_slots - 2); // the next one has not begun
  STRATA_TRY(strata_emit_barrier(d));
  if (strata_pipeline_has_copies(p))
    STRATA_TRY(emit_next_copies(p, loop.induction));
  STRATA_TRY(emit_next_loads(p, loop.induction));
  for (int i = 0; i < p->n_products; i++)
    strata_product_emit(d, &p->products[i], slot, sums_of(p, i));
  d->nest.loops--;
  strata_emit_for_end(&d->e, loop, n_state, p->state.data, p->state.data);
  return NULL;
}

static strata_status_t emit_staged(pipeline_t *p) {
  if (strata_pipeline_has_copies(p))
    STRATA_TRY(strata_pipeline_first_copies(p, p->n_slots - 1));
  STRATA_TRY(strata_pipeline_load(p, strata_emit_index(&p->d->e, 0)));
  return emit_loop(p);
}

//===-- The result -----------------------------------------------------------------------------------------------===//

// What the sums of product |number| start with. The parts of a split all start with zero.
static strata_status_t emit_start(pipeline_t *p, int number, strata_registers_t *out) {
  strata_gpu_distribution_t *d = p->d;
  const strata_product_t *product = &p->products[number];
  MlirValue init = mlirOperationGetOperand(p->loop, FIRST_SUM + number);
  if (!strata_value_is_zero(init)) {
    if (product->split > 1)
      return strata_gpu_missing(p->loop, "a split sum that does not start with zero");
    return strata_registers_as(d, init, &product->partial, out);
  }
  *out = strata_registers_in(d, mlirValueGetType(init), &product->partial);
  MlirValue zero = mlirTypeIsAFloat(product->sum) ? strata_emit_real(&d->e, product->sum, 0)
                                                  : strata_emit_integer(&d->e, product->sum, 0);
  for (int64_t i = 0; i < out->count; i++)
    out->values[i] = zero;
  return NULL;
}

static strata_status_t allocate_operands(pipeline_t *p) {
  for (int i = 0; i < p->n_products; i++)
    for (int side = 0; side < 2; side++)
      if (i && side == LEFT) {
        p->products[i].operands[LEFT] = p->products[0].operands[LEFT];
        p->products[i].scales[LEFT] = p->products[0].scales[LEFT];
      } else {
        STRATA_TRY(strata_operand_allocate(p->d, &p->products[i].operands[side], p->n_slots));
        if (strata_product_has_scales(&p->products[i], side))
          STRATA_TRY(strata_operand_allocate(p->d, &p->products[i].scales[side], p->n_slots));
      }
  return NULL;
}

// The state begins with the sums.
static strata_status_t emit_starts(pipeline_t *p) {
  strata_registers_t starts[STRATA_PIPELINE_PRODUCTS];
  for (int i = 0; i < p->n_products; i++) {
    STRATA_TRY(emit_start(p, i, &starts[i]));
    p->n_sums += strata_product_sums(&p->products[i]);
  }
  STRATA_TRY(find_sources(p));
  STRATA_TRY(allocate_operands(p));
  for (int64_t i = 0; i < p->n_sums; i++)
    *strata_vector_push(p->d->compile->arena, &p->state) = (MlirValue){0};
  for (int i = 0; i < p->n_products; i++)
    strata_product_pack(p->d, &p->products[i], &starts[i], sums_of(p, i));
  return NULL;
}

static strata_status_t emit_result(pipeline_t *p, int number) {
  strata_gpu_distribution_t *d = p->d;
  const strata_product_t *product = &p->products[number];
  strata_registers_t partial, result;
  MlirValue old = mlirOperationGetResult(p->loop, number);
  partial = strata_registers_in(d, mlirValueGetType(old), &product->partial);
  strata_product_unpack(d, product, sums_of(p, number), &partial);
  STRATA_TRY(strata_product_combine(d, product, &partial, &result));
  strata_registers_define(d, old, &result);
  return NULL;
}

static strata_status_t emit_pipeline(pipeline_t *p) {
  STRATA_TRY(emit_starts(p));
  if (strata_pipeline_reads_ahead(p))
    STRATA_TRY(strata_pipeline_ahead(p));
  else
    STRATA_TRY(emit_staged(p));
  for (int i = 0; i < p->n_products; i++)
    STRATA_TRY(emit_result(p, i));
  return NULL;
}

strata_status_t strata_gpu_pipeline(strata_gpu_distribution_t *d, MlirOperation op) {
  int64_t lower, step;
  pipeline_t p = {.d = d, .loop = op, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))};
  if (!strata_index_bounds(d, mlirBlockGetArgument(p.body, 0), &lower, &step, &p.n_steps) || lower != 0 || step != 1 ||
      strata_size_min(p.n_steps) < 1)
    return strata_gpu_missing(op, "a pipeline of no known number of steps");
  STRATA_TRY(read_body(&p));
  return emit_pipeline(&p);
}
