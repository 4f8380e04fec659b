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
// Where neither has to, matrix instructions need not wait for the barrier:
//   copies of steps 0 to s - 1; step 0 waited for; barrier; fragments of its first chunk
//   scf.for %k = 0 to n iter_args(fragments of %a, fragments of the first chunk) {
//     products of all chunks but the last, each behind the reads of the next one
//     step k + 1 waited for; barrier, behind which nobody reads step k any more; fragments of the next step's first
//     chunk copies of step k + s into its slot products of the last chunk }
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/operand.h"
#include "lowering/tile_to_gpu/parts.h"
#include "lowering/tile_to_gpu/values.h"

enum { LEFT = 0, MAX_PRODUCTS = 2, FIRST_SUM = 3 };

typedef struct {
  strata_gpu_distribution_t *d;
  MlirOperation loop, contracts[MAX_PRODUCTS];
  MlirBlock body;
  strata_size_t n_steps;
  int n_products; // 2 of a pair, which share the left operand
  strata_product_t products[MAX_PRODUCTS];
  int64_t n_slots;
  STRATA_VECTOR(MlirOperation) loads;      // of the body, in order, and index values
  STRATA_VECTOR(MlirOperation) arithmetic; // the rest
  int64_t n_sums;
  STRATA_VECTOR(MlirValue) state; // sums, then what was loaded, packed
} pipeline_t;

//===-- What is in the body --------------------------------------------------------------------------------------===//

static bool is_load(MlirOperation op) { return strata_op_is(op, "tile.load"); }

static bool are_copies(const pipeline_t *p, int side) {
  return p->products[0].operands[side].source->by == STRATA_FILLED_BY_COPIES;
}

static bool is_copied(const pipeline_t *p, MlirOperation op) {
  bool result = false;
  for (int side = 0; side < 2; side++)
    result |= are_copies(p, side) && mlirOperationEqual(strata_operand_load(&p->products[0].operands[side]), op);
  return result;
}

static bool has_copies(const pipeline_t *p) { return are_copies(p, 0) || are_copies(p, 1); }

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
  if (p->n_products < 1 || p->n_products > MAX_PRODUCTS)
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
    if (is_contract(p, op))
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

// How operands come, and how many slots there are. None of a pair's are copied.
static strata_status_t find_sources(pipeline_t *p) {
  strata_schedule_t schedule = strata_gpu_schedule_of(p->d, p->loop);
  bool is_rounded = p->products[0].mma && strata_mma_rounds(p->products[0].mma);
  for (int i = 0; i < p->n_products; i++)
    for (int side = 0; side < 2; side++) {
      strata_shared_operand_t *operand = &p->products[i].operands[side];
      MlirOperation load = strata_operand_load(operand);
      bool is_inside = !mlirOperationIsNull(load) && mlirOperationEqual(mlirOperationGetParentOperation(load), p->loop);
      const strata_operand_terms_t terms = {.has_copies =
                                                is_inside && !is_rounded && p->n_products == 1 && schedule.slots > 0};
      STRATA_TRY(strata_operand_find_source(p->d, operand, &terms));
    }
  p->n_slots = has_copies(p) ? schedule.slots : STRATA_CONTRACT_SLOTS;
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

// Loads of step |step|; the state keeps its sums, and gets what was loaded.
static strata_status_t emit_loads(pipeline_t *p, MlirValue step) {
  strata_define_step(p->d, p->body, step);
  p->state.count = (size_t)p->n_sums;
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

static MlirValue slot_of(const pipeline_t *p, MlirValue step) {
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

// Begins the copies of step |step|; of zeros, if |exists| is there and false.
static strata_status_t emit_copies(pipeline_t *p, MlirValue step, MlirValue slot, MlirValue exists) {
  strata_define_step(p->d, p->body, step);
  for (size_t i = 0; i < p->loads.count; i++)
    if (!is_load(p->loads.data[i]))
      STRATA_TRY(strata_gpu_distribute_op(p->d, p->loads.data[i]));
  for (int side = 0; side < 2; side++)
    if (are_copies(p, side))
      STRATA_TRY(fill(p, 0, side, slot, exists));
  return NULL;
}

static void commit_copies(pipeline_t *p) {
  strata_emit_op(&p->d->e, STRATA_TILE_COPY_COMMIT, 0, NULL, 0, NULL, 0, NULL);
}

// Of all steps but the |behind| begun last.
static void wait_for_copies(pipeline_t *p, int64_t behind) {
  strata_named_attr_t pending = {"pending", strata_i64_attr(p->d->e.context, behind)};
  strata_emit_op(&p->d->e, STRATA_TILE_COPY_WAIT, 0, NULL, 0, NULL, 1, &pending);
}

// Copies of the first |count| steps; every step has a group, be it empty.
static strata_status_t emit_first_copies(pipeline_t *p, int64_t count) {
  for (int64_t step = 0; step < count; step++) {
    MlirValue number = strata_emit_index(&p->d->e, step), exists = {0};
    if (step >= strata_size_min(p->n_steps) && step < strata_size_max(p->n_steps))
      exists = strata_emit_cmpi(&p->d->e, STRATA_SLT, number, strata_gpu_emit_size(p->d, p->n_steps));
    if (step < strata_size_max(p->n_steps))
      STRATA_TRY(emit_copies(p, number, number, exists));
    commit_copies(p);
  }
  return NULL;
}

// Copies of the step that |step| makes room for, if there is one.
static strata_status_t emit_next_copies(pipeline_t *p, MlirValue step) {
  strata_emitter_t *e = &p->d->e;
  MlirValue next = strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, p->n_slots - 1));
  MlirValue exists = strata_emit_cmpi(e, STRATA_SLT, next, strata_gpu_emit_size(p->d, p->n_steps));
  strata_loop_t branch = strata_emit_if_begin(e, exists);
  strata_status_t status = emit_copies(p, next, slot_of(p, next), (MlirValue){0});
  strata_emit_if_end(e, branch);
  commit_copies(p);
  return status;
}

//===-- Staging --------------------------------------------------------------------------------------------------===//

// Computes the operands of step |step| from what was loaded and puts them into |slot|.
static strata_status_t emit_stage(pipeline_t *p, MlirValue step, MlirValue slot) {
  strata_gpu_distribution_t *d = p->d;
  int64_t at = p->n_sums;
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
    for (int side = i ? LEFT + 1 : LEFT; side < 2; side++)
      if (p->products[i].operands[side].source->by == STRATA_FILLED_BY_THREADS)
        STRATA_TRY(fill(p, i, side, slot, (MlirValue){0}));
  if (has_copies(p))
    wait_for_copies(p, p->n_slots - 2); // the next one has not begun
  return strata_emit_barrier(d);
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
  STRATA_TRY(emit_loads(p, strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, 1))));
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
  MlirValue slot = slot_of(p, loop.induction);
  STRATA_TRY(emit_stage(p, loop.induction, slot));
  if (has_copies(p))
    STRATA_TRY(emit_next_copies(p, loop.induction));
  STRATA_TRY(emit_next_loads(p, loop.induction));
  for (int i = 0; i < p->n_products; i++)
    strata_product_emit(d, &p->products[i], slot, sums_of(p, i));
  d->nest.loops--;
  strata_emit_for_end(&d->e, loop, n_state, p->state.data, p->state.data);
  return NULL;
}

static strata_status_t emit_staged(pipeline_t *p) {
  if (has_copies(p))
    STRATA_TRY(emit_first_copies(p, p->n_slots - 1));
  STRATA_TRY(emit_loads(p, strata_emit_index(&p->d->e, 0)));
  return emit_loop(p);
}

//===-- The loop, of copies alone --------------------------------------------------------------------------------===//

static bool reads_ahead(const pipeline_t *p) { return p->products[0].mma && are_copies(p, 0) && are_copies(p, 1); }

// Copies of the step that takes the slot of |step|, without a branch: products go on around them.
static strata_status_t emit_copies_into(pipeline_t *p, MlirValue step, MlirValue slot) {
  strata_emitter_t *e = &p->d->e;
  MlirValue last = strata_gpu_emit_size_plus(p->d, p->n_steps, -1);
  MlirValue next = strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, p->n_slots));
  MlirValue exists = strata_emit_cmpi(e, STRATA_SLE, next, last);
  STRATA_TRY(emit_copies(p, strata_emit_binary(e, "arith.minsi", next, last), slot, exists));
  commit_copies(p);
  return NULL;
}

static strata_status_t emit_ahead_body(pipeline_t *p, MlirValue step) {
  strata_gpu_distribution_t *d = p->d;
  MlirValue *sums = p->state.data, *fragments = sums + p->n_sums, slot = slot_of(p, step);
  MlirValue *next = strata_arena_array(d->compile->arena, MlirValue, strata_product_fragments(&p->products[0]));
  strata_product_go_on(d, &p->products[0], slot, fragments, sums);
  wait_for_copies(p, p->n_slots - 2);
  STRATA_TRY(strata_emit_barrier(d));
  MlirValue following = strata_emit_binary(&d->e, "arith.addi", step, strata_emit_index(&d->e, 1));
  strata_product_begin(d, &p->products[0], slot_of(p, following), next);
  STRATA_TRY(emit_copies_into(p, step, slot));
  strata_product_multiply(d, &p->products[0], fragments, sums);
  memcpy(fragments, next, (size_t)strata_product_fragments(&p->products[0]) * sizeof *next);
  return NULL;
}

static strata_status_t emit_ahead(pipeline_t *p) {
  strata_gpu_distribution_t *d = p->d;
  STRATA_TRY(emit_first_copies(p, p->n_slots));
  wait_for_copies(p, p->n_slots - 1);
  STRATA_TRY(strata_emit_barrier(d));
  MlirValue zero = strata_emit_index(&d->e, 0), end = strata_gpu_emit_size(d, p->n_steps);
  int n_state = (int)(p->n_sums + strata_product_fragments(&p->products[0]));
  while (p->state.count < (size_t)n_state)
    *strata_vector_push(d->compile->arena, &p->state) = (MlirValue){0};
  strata_product_begin(d, &p->products[0], zero, p->state.data + p->n_sums);
  strata_loop_t loop = strata_emit_for_begin(&d->e, zero, end, 1, n_state, p->state.data, p->state.data);
  d->nest.loops++;
  STRATA_TRY(emit_ahead_body(p, loop.induction));
  d->nest.loops--;
  strata_emit_for_end(&d->e, loop, n_state, p->state.data, p->state.data);
  return NULL;
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
      if (i && side == LEFT)
        p->products[i].operands[LEFT] = p->products[0].operands[LEFT];
      else
        STRATA_TRY(strata_operand_allocate(p->d, &p->products[i].operands[side], p->n_slots));
  return NULL;
}

// The state begins with the sums.
static strata_status_t emit_starts(pipeline_t *p) {
  strata_registers_t starts[MAX_PRODUCTS];
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
  if (reads_ahead(p))
    STRATA_TRY(emit_ahead(p));
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
