// Attention: the consumers' loop.
//
//   scores of step 0; wait; what follows from them
//   for each step j but the last:
//     issue scores of step j + 1; issue values of step j
//     wait for the scores; what follows from them alone
//     wait for the values; what needs them too: the sums rescaled, the weights packed
//   values of the last step; wait
//
// so that the matrix instructions of two steps are under way while the arithmetic of one is done. The weights are
// packed once the product that reads the last ones is done: packed earlier they would want other registers, and the
// assembler gives up.
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/attention.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/values.h"

enum { MAX_SUMS = 128, MAX_CARRIED = 16, FIXED = 3 }; // an scf.for's bounds come before what it carries

typedef struct {
  strata_gpu_distribution_t *d;
  strata_gpu_attention_t *a;
  MlirBlock body;
  bool is_masked;          // what only the first step chooses is there
  MlirOperation rows_mask; // the choice by rows that has been made in a branch; null: there is none
  int n_carried;
  STRATA_VECTOR(MlirOperation) late;   // what waits for the values' product
  MlirOperation row_sums[MAX_CARRIED]; // by carried value; null: it is none
  MlirValue scores[MAX_SUMS], weights[MAX_SUMS / 2], rows[MAX_SUMS];
} walk_t;

// What one step hands to the next: place of its values, all that the loop carries, the weights.
typedef struct {
  MlirValue values[STRATA_EMIT_CARRIED];
  int count, sums, weights; // where the sums and the weights begin
} state_t;

enum { SLOT, PARITY, CARRIED };
enum { ROW, COLUMN };

//===-- Early and late -------------------------------------------------------------------------------------------===//

static bool is_late(const walk_t *w, MlirOperation op) {
  for (size_t i = 0; i < w->late.count; i++)
    if (mlirOperationEqual(w->late.data[i], op))
      return true;
  return false;
}

static bool needs_sums(const walk_t *w, MlirOperation op) {
  MlirValue sums = mlirBlockGetArgument(w->body, w->a->carried + 1);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (mlirValueEqual(value, sums) || (mlirValueIsAOpResult(value) && is_late(w, mlirOpResultGetOwner(value))))
      return true;
  }
  return false;
}

static strata_status_t find_late(walk_t *w) {
  MlirValue weights = mlirOperationGetOperand(w->a->values, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(w->body); !mlirOperationEqual(op, w->a->values);
       op = mlirOperationGetNextInBlock(op)) {
    bool packs = mlirValueIsAOpResult(weights) && mlirOperationEqual(mlirOpResultGetOwner(weights), op) &&
                 strata_value_has_one_use(weights);
    if (packs || needs_sums(w, op))
      *strata_vector_push(w->d->compile->arena, &w->late) = op;
    if (mlirOperationGetNumRegions(op) > 0)
      return strata_gpu_missing(op, "a region in a pipeline");
  }
  if (!strata_value_has_one_use(mlirOperationGetResult(w->a->values, 0)))
    return strata_gpu_missing(w->a->values, "sums that are not only carried");
  if (is_late(w, w->a->scores))
    return strata_gpu_missing(w->a->scores, "scores that depend on the sums");
  return NULL;
}

//===-- Sums of rows ---------------------------------------------------------------------------------------------===//

// True if |value| is |carried|, or |carried| times a factor: then sums of its parts are its sum's.
static bool is_scaled(MlirValue value, MlirValue carried) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !strata_op_is(op, "arith.mulf") || !strata_value_has_one_use(value))
    return mlirValueEqual(value, carried);
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  MlirValue factor = mlirValueEqual(a, carried) ? b : a;
  return (mlirValueEqual(a, carried) || mlirValueEqual(b, carried)) && mlirValueIsAOpResult(factor);
}

// True for a sum of rows of the scores' layout.
static bool adds_rows(const walk_t *w, MlirOperation op) {
  int64_t dims[STRATA_VALUE_RANK];
  MlirAttribute add = mlirAttributeParseGet(w->d->e.context, strata_str("#vector.kind<add>"));
  return strata_op_is(op, "vector.multi_reduction") && mlirAttributeEqual(strata_attr(op, "kind"), add) &&
         strata_attr_i64s(op, "reduction_dims", STRATA_VALUE_RANK, dims) == 1 && dims[0] == 1 &&
         strata_layout_equal(strata_layout_of(w->d, mlirOperationGetOperand(op, 0)), &w->a->layout);
}

// The reduction that adds to carried value |i|, which starts from zero, is scaled alike in all lanes and needed by
// nobody else: each lane may carry the part it holds itself, and the parts are added up behind the loop. A null
// operation if there is none.
static MlirOperation find_row_sum(const walk_t *w, int i) {
  const MlirOperation none = {0};
  MlirValue carried = mlirBlockGetArgument(w->body, i + 1);
  MlirValue sum = mlirOperationGetOperand(mlirBlockGetTerminator(w->body), i);
  MlirOperation op = strata_def(sum);
  if (mlirOperationIsNull(op) || !adds_rows(w, op) || !strata_value_has_one_use(sum) ||
      !strata_value_has_one_use(carried) ||
      !strata_value_is_zero(mlirOperationGetOperand(w->a->kernel.loop, FIXED + i)))
    return none;
  return is_scaled(mlirOperationGetOperand(op, 1), carried) ? op : none;
}

static bool is_row_sum(const walk_t *w, MlirOperation op) {
  for (int i = 0; i < w->n_carried; i++)
    if (!mlirOperationIsNull(w->row_sums[i]) && mlirOperationEqual(w->row_sums[i], op))
      return true;
  return false;
}

// True of |value|'s op and those that it is converted from.
static bool is_converted(MlirValue value, MlirOperation op) {
  MlirOperation def = strata_def(value);
  while (!mlirOperationEqual(def, op) && !strata_tile_is_load(def))
    def = strata_def(mlirOperationGetOperand(def, 0));
  return mlirOperationEqual(def, op);
}

// Products and what they fetch are emitted apart.
static bool is_product(const walk_t *w, MlirOperation op) {
  bool result = mlirOperationEqual(op, w->a->scores) || mlirOperationEqual(op, w->a->values);
  for (int which = STRATA_ATTENTION_KEYS; which < STRATA_ATTENTION_OPERANDS; which++)
    result |= is_converted(w->a->operands[which].shared.value, op);
  return result;
}

// What only the first step chooses is there: in others, or as it is masked already.
static strata_status_t keep_chosen(walk_t *w, MlirOperation select) {
  strata_registers_t registers;
  MlirValue result = mlirOperationGetResult(select, 0);
  STRATA_TRY(strata_registers_as(w->d, mlirOperationGetOperand(select, 1), strata_layout_of(w->d, result), &registers));
  strata_registers_define(w->d, result, &registers);
  return NULL;
}

static strata_status_t emit_op(walk_t *w, MlirOperation op) {
  bool is_chosen = !mlirOperationIsNull(w->rows_mask) && mlirOperationEqual(op, w->rows_mask);
  if (is_chosen || (w->is_masked && strata_attr_flag(op, "tile.first")))
    return keep_chosen(w, op);
  if (strata_op_is(op, "vector.multi_reduction"))
    return strata_gpu_reduce_in_chains(w->d, op, is_row_sum(w, op));
  return strata_gpu_distribute_op(w->d, op);
}

static strata_status_t emit_range(walk_t *w, bool late, MlirOperation from, MlirOperation end) {
  for (MlirOperation op = from; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    if (!is_product(w, op) && is_late(w, op) == late)
      STRATA_TRY(emit_op(w, op));
  return NULL;
}

//===-- State ----------------------------------------------------------------------------------------------------===//

static MlirValue result_of(const walk_t *w, int i) { return mlirOperationGetResult(w->a->kernel.loop, i); }

static strata_registers_t registers_like(walk_t *w, int i) {
  MlirValue result = result_of(w, i);
  return strata_registers_in(w->d, mlirValueGetType(result), strata_layout_of(w->d, result));
}

// Defines the old loop's carried value |i| in its body as the registers from |values| on.
static int define_argument(walk_t *w, int i, const MlirValue *values) {
  strata_registers_t registers = registers_like(w, i);
  memcpy(registers.values, values, (size_t)registers.count * sizeof *values);
  strata_registers_define(w->d, mlirBlockGetArgument(w->body, i + 1), &registers);
  return (int)registers.count;
}

static strata_status_t push(walk_t *w, state_t *state, int i, MlirValue old) {
  strata_registers_t registers;
  STRATA_TRY(strata_registers_as(w->d, old, strata_layout_of(w->d, result_of(w, i)), &registers));
  memcpy(state->values + state->count, registers.values, (size_t)registers.count * sizeof *registers.values);
  state->count += (int)registers.count;
  return NULL;
}

// After all of a step but its second product.
static strata_status_t collect(walk_t *w, strata_ring_place_t place, state_t *state) {
  MlirOperation yield = mlirBlockGetTerminator(w->body);
  state->values[SLOT] = place.slot;
  state->values[PARITY] = place.parity;
  state->count = CARRIED;
  for (int i = 0; i < w->n_carried; i++) {
    bool is_sums = i == w->a->carried;
    if (is_sums)
      state->sums = state->count;
    STRATA_TRY(push(w, state, i, mlirOperationGetOperand(is_sums ? w->a->values : yield, is_sums ? 2 : i)));
  }
  int n_weights = (int)(w->a->columns / 4);
  state->weights = state->count;
  memcpy(state->values + state->count, w->weights, (size_t)n_weights * sizeof *w->weights);
  state->count += n_weights;
  return NULL;
}

// Carried values as the next step's body sees them; the sums are defined once they are there.
static void define_arguments(walk_t *w, const state_t *state) {
  int at = CARRIED;
  for (int i = 0; i < w->n_carried; i++)
    at += define_argument(w, i, state->values + at);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static int64_t n_sums(const walk_t *w) { return w->a->kernel.product.n / 2; }

// Warp groups issue their products one after the other, so that one's are under way while the other computes.
static void begin_turn(walk_t *w) {
  if (w->a->takes_turns)
    strata_emit_turn(w->d, STRATA_TILE_GROUP_BARRIER, w->a->kernel.group);
}

static void end_turn(walk_t *w) {
  strata_emitter_t *e = &w->d->e;
  if (!w->a->takes_turns)
    return;
  MlirValue next = strata_emit_binary(e, "arith.addi", w->a->kernel.group, strata_emit_index(e, 1));
  MlirValue wraps = strata_emit_cmpi(e, STRATA_EQ, next, strata_emit_index(e, w->a->kernel.product.groups));
  next = strata_emit_select(e, wraps, strata_emit_index(e, 0), next);
  strata_emit_turn(w->d, STRATA_TILE_GROUP_ARRIVE, next);
}

static void issue_scores(walk_t *w, strata_ring_place_t place, bool in_turn) {
  strata_ring_await(w->d, &w->a->rings[STRATA_ATTENTION_KEYS], place);
  if (in_turn)
    begin_turn(w);
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_FENCE, 0, NULL, -1);
  strata_gpu_attention_emit_scores(w->d, w->a, place.slot, w->rows, w->scores);
}

static void issue_values(walk_t *w, strata_ring_place_t place, state_t *state) {
  strata_ring_await(w->d, &w->a->rings[STRATA_ATTENTION_VALUES], place);
  MlirValue *sums = state->values + state->sums;
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_FENCE, n_sums(w), sums, -1);
  strata_gpu_attention_emit_values(w->d, w->a, place.slot, state->values + state->weights, sums);
}

// |pending|: groups issued since.
static void await_scores(walk_t *w, strata_ring_place_t place, int64_t pending) {
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_WAIT, w->a->columns / 2, w->scores, pending);
  strata_emit_group_arrive(w->d, w->a->rings[STRATA_ATTENTION_KEYS].empty, place.slot);
}

static void await_values(walk_t *w, strata_ring_place_t place, state_t *state) {
  strata_emit_mma_order(w->d, STRATA_TILE_MMA_WAIT, n_sums(w), state->values + state->sums, 0);
  strata_ring_release(w->d, &w->a->rings[STRATA_ATTENTION_VALUES], place.slot, w->d->device->lanes);
}

// Of few rows those of a thread's other registers exist in no warp: their scores are zero, so that all that is made of
// them is the same for all columns, and computed once.
static void clear_missing(const walk_t *w, strata_registers_t *registers) {
  MlirAttribute zero = mlirFloatAttrDoubleGet(w->d->e.context, registers->element, 0);
  for (int64_t i = 0; i < registers->count && w->a->few; i++)
    if (strata_layout_reg_coordinate(&w->a->layout, i, ROW) >= w->a->few)
      registers->values[i] = strata_emit_constant(&w->d->e, registers->element, zero);
}

static void define_scores(walk_t *w) {
  MlirValue result = mlirOperationGetResult(w->a->scores, 0);
  strata_registers_t registers = strata_registers_in(w->d, mlirValueGetType(result), &w->a->layout);
  memcpy(registers.values, w->scores, (size_t)registers.count * sizeof *w->scores);
  clear_missing(w, &registers);
  strata_registers_define(w->d, result, &registers);
}

static strata_status_t emit_sorted(walk_t *w, MlirOperation from, MlirOperation end) {
  MlirOperation first = mlirOpResultGetOwner(strata_emit_index(&w->d->e, 0));
  STRATA_TRY(emit_range(w, false, from, end));
  strata_gpu_sort_depth_first(w->d, first);
  return NULL;
}

// The op behind the first reduction, the rows' maximum; |end| if there is none.
static MlirOperation behind_reduction(const walk_t *w, MlirOperation end) {
  MlirOperation op = mlirBlockGetFirstOperation(w->body);
  while (!mlirOperationEqual(op, end) && !(strata_op_is(op, "vector.multi_reduction") && !is_late(w, op)))
    op = mlirOperationGetNextInBlock(op);
  return mlirOperationEqual(op, end) ? op : mlirOperationGetNextInBlock(op);
}

// |under_way|: the place of values that are being multiplied; NULL: none are. The wait for them comes behind all this,
// but the assembler would move it to the front: only a branch holds it back. One behind the reduction is best; a wait
// for the values in shared memory, which is over already, has it. It stays over as each warp releases them itself: else
// they could be given away by a faster one and fetched anew before this one has waited, which then waits for ever.
static strata_status_t emit_early(walk_t *w, const strata_ring_place_t *under_way) {
  MlirOperation end = mlirBlockGetTerminator(w->body), middle = behind_reduction(w, end);
  define_scores(w);
  STRATA_TRY(emit_sorted(w, mlirBlockGetFirstOperation(w->body), middle));
  if (under_way)
    strata_ring_await(w->d, &w->a->rings[STRATA_ATTENTION_VALUES], *under_way);
  return emit_sorted(w, middle, end);
}

static strata_status_t emit_late(walk_t *w) {
  strata_registers_t weights;
  STRATA_TRY(emit_range(w, true, mlirBlockGetFirstOperation(w->body), mlirBlockGetTerminator(w->body)));
  STRATA_TRY(strata_registers_as(w->d, mlirOperationGetOperand(w->a->values, 0), &w->a->layout, &weights));
  strata_gpu_attention_emit_weights(w->d, w->a, &weights, w->weights);
  return NULL;
}

//===-- Masks in branches ----------------------------------------------------------------------------------------===//

static MlirValue under_broadcasts(MlirValue value) {
  while (mlirValueIsAOpResult(value) && strata_op_is(mlirOpResultGetOwner(value), "vector.broadcast"))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

// A choice between scores and a number, marked |mark|: where a number is less than *out_end. A null op if there is none
// of |scores|.
static MlirOperation find_mask(const walk_t *w, const char *mark, MlirValue scores, MlirValue *out_end,
                               MlirAttribute *out_other) {
  MlirOperation op = mlirBlockGetFirstOperation(w->body);
  while (!mlirOperationIsNull(op) && !strata_attr_flag(op, mark))
    op = mlirOperationGetNextInBlock(op);
  if (mlirOperationIsNull(op) || !mlirValueEqual(mlirOperationGetOperand(op, 1), scores))
    return (MlirOperation){0};
  MlirValue exists = under_broadcasts(mlirOperationGetOperand(op, 0)),
            other = under_broadcasts(mlirOperationGetOperand(op, 2));
  *out_end = under_broadcasts(mlirOperationGetOperand(strata_def(exists), 1));
  *out_other = strata_attr(strata_def(other), "value");
  return op;
}

// What is compared of scores: columns, or how far they are behind their rows. That of the first is subtracted from
// |end|: the others are numbers more, which take no registers.
static MlirValue less_first(walk_t *w, MlirValue end, bool of_rows) {
  strata_emitter_t *e = &w->d->e;
  end = strata_emit_binary(e, "arith.subi", end, strata_emit_coordinate(w->d, &w->a->layout, 0, COLUMN));
  return of_rows ? strata_emit_binary(e, "arith.addi", end, strata_emit_coordinate(w->d, &w->a->layout, 0, ROW)) : end;
}

static MlirValue more_than_first(walk_t *w, int i, bool of_rows) {
  const strata_layout_t *layout = &w->a->layout;
  MlirType i32 = mlirIntegerTypeGet(w->d->e.context, 32);
  int64_t more = strata_layout_reg_coordinate(layout, i, COLUMN) - strata_layout_reg_coordinate(layout, 0, COLUMN);
  if (of_rows)
    more -= strata_layout_reg_coordinate(layout, i, ROW) - strata_layout_reg_coordinate(layout, 0, ROW);
  return strata_emit_constant(&w->d->e, i32, mlirIntegerAttrGet(i32, more));
}

// True where values behind the last column are somebody else's, and may be no numbers.
static bool clears_values(const walk_t *w) {
  const strata_shared_operand_t *values = &w->a->operands[STRATA_ATTENTION_VALUES].shared;
  return values->form == STRATA_SPANS_CROSSED && strata_attr_flag(strata_operand_load(values), "tile.first");
}

// Scores of which the compared number is not less than |old_end| are |number|. Mostly all are: then a branch that all
// threads take alike leaves them, as the greatest number compared is that of the last column and the first row.
static void mask(walk_t *w, MlirValue old_end, MlirAttribute number, bool of_rows) {
  strata_ring_place_t place = w->a->kernel.place;
  strata_emitter_t *e = &w->d->e;
  MlirType i32 = mlirIntegerTypeGet(e->context, 32), f32 = mlirF32TypeGet(e->context);
  MlirValue masked[MAX_SUMS];
  MlirType types[MAX_SUMS];
  strata_index_space_t space = strata_index_space(w->d, 0, NULL);
  MlirAffineExpr expr = strata_index_simplify(&space, strata_index_resolve(&space, old_end));
  MlirValue end = strata_index_emit(&space, expr), other = strata_emit_constant(e, f32, number);
  int n = (int)(w->a->columns / 2);
  for (int i = 0; i < n; i++)
    types[i] = f32;
  MlirValue is_part = strata_emit_cmpi(e, STRATA_SLT, end, strata_emit_index(e, w->a->columns));
  strata_loop_t branch = strata_emit_choice_begin(e, is_part, n, types);
  if (!of_rows && clears_values(w)) {
    strata_ring_await(w->d, &w->a->rings[STRATA_ATTENTION_VALUES], place);
    strata_gpu_attention_clear_values(w->d, w->a, place.slot,
                                      strata_emit_binary(e, "arith.maxsi", end, strata_emit_index(e, 0)));
  }
  end = strata_emit_cast(e, "arith.index_cast", less_first(w, end, of_rows), i32);
  for (int i = 0; i < n; i++) {
    MlirValue exists = strata_emit_cmpi(e, STRATA_SLT, more_than_first(w, i, of_rows), end);
    masked[i] = strata_emit_select(e, exists, w->scores[i], other);
  }
  strata_emit_choice_else(e, branch, n, masked);
  strata_emit_choice_end(e, branch, n, w->scores, w->scores);
}

// What is masked in a branch, of columns in the first step alone.
static void mask_step(walk_t *w, bool is_first) {
  MlirValue scores = mlirOperationGetResult(w->a->scores, 0), end;
  MlirAttribute number;
  MlirOperation columns = find_mask(w, "tile.first", scores, &end, &number);
  if (is_first && !mlirOperationIsNull(columns)) {
    mask(w, end, number, false);
    w->is_masked = true;
  }
  if (!mlirOperationIsNull(columns))
    scores = mlirOperationGetResult(columns, 0);
  w->rows_mask = find_mask(w, "tile.rows", scores, &end, &number);
  if (!mlirOperationIsNull(w->rows_mask))
    mask(w, end, number, true);
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

static void await_rows(walk_t *w) {
  const strata_ring_t *ring = &w->a->rings[STRATA_ATTENTION_ROWS];
  strata_ring_place_t place = strata_gpu_attention_rows_place(w->d, w->a);
  strata_ring_await(w->d, ring, place);
  if (ring->slots > 1)
    w->a->rows_at = strata_emit_times(&w->d->e, place.slot, w->a->operands[STRATA_ATTENTION_ROWS].slot);
  if (!w->a->holds_rows)
    return;
  strata_gpu_attention_load_rows(w->d, w->a, w->rows);
  strata_emit_fence(w->d, "shared"); // the copy engine would overtake loads that are under way
  strata_phase_arrive(w->d, ring->empty, place.slot);
}

// Nobody reads them any more.
static void release_rows(walk_t *w) {
  if (!w->a->holds_rows)
    strata_emit_group_arrive(w->d, w->a->rings[STRATA_ATTENTION_ROWS].empty,
                             strata_gpu_attention_rows_place(w->d, w->a).slot);
}

static strata_status_t emit_first(walk_t *w, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  strata_ring_place_t place = w->a->kernel.place;
  await_rows(w);
  issue_scores(w, place, false);
  strata_pipelined_place_store(w->d, &w->a->kernel);
  strata_define_step(w->d, w->body, strata_emit_index(e, 0));
  state->count = CARRIED;
  for (int i = 0; i < w->n_carried; i++)
    STRATA_TRY(push(w, state, i, mlirOperationGetOperand(w->a->kernel.loop, FIXED + i)));
  define_arguments(w, state);
  await_scores(w, place, 0);
  mask_step(w, true);
  STRATA_TRY(emit_early(w, NULL));
  STRATA_TRY(emit_late(w));
  return collect(w, place, state);
}

static strata_status_t emit_step(walk_t *w, MlirValue step, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  strata_ring_place_t place = {state->values[SLOT], state->values[PARITY]}, next = place;
  strata_ring_advance(w->d, &w->a->rings[STRATA_ATTENTION_KEYS], &next);
  issue_scores(w, next, true);
  issue_values(w, place, state);
  end_turn(w);
  if (!mlirValueIsNull(w->a->steps) && !strata_size_varies(w->a->kernel.n_steps)) // one to the most: that drops masks
    step = strata_emit_binary(e, "arith.minui", step, strata_emit_index(e, strata_size_max(w->a->kernel.n_steps) - 2));
  strata_define_step(w->d, w->body, strata_emit_binary(e, "arith.addi", step, strata_emit_index(e, 1)));
  define_arguments(w, state);
  await_scores(w, next, 1);
  mask_step(w, false);
  STRATA_TRY(emit_early(w, &place));
  await_values(w, place, state);
  define_argument(w, w->a->carried, state->values + state->sums);
  STRATA_TRY(emit_late(w));
  return collect(w, next, state);
}

// All but the first, which is apart. A counter whose range is known drops masks of the first step alone.
static MlirValue count_steps(walk_t *w) {
  strata_emitter_t *e = &w->d->e;
  strata_size_t all = w->a->kernel.n_steps;
  MlirValue steps = w->a->steps;
  bool varies = strata_size_varies(all), is_own = !mlirValueIsNull(steps);
  steps = is_own ? strata_emit_binary(e, "arith.subi", steps, strata_emit_index(e, 1))
                 : strata_gpu_emit_size_plus(w->d, all, -1);
  if (!varies)
    return steps;
  int64_t most = strata_min(strata_size_max(all) - 1, INT32_MAX);
  return strata_emit_binary(e, "arith.minui", is_own ? strata_emit_as_one(w->d, steps) : steps,
                            strata_emit_index(e, most));
}

static strata_status_t emit_steps(walk_t *w, state_t *state) {
  strata_emitter_t *e = &w->d->e;
  bool was_dirty = w->d->shared.is_dirty, was_read = w->d->shared.is_read;
  w->d->shared.is_dirty = w->d->shared.is_read = true;
  w->d->nest.loops++;
  MlirValue steps = count_steps(w);
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), steps, 1, state->count, state->values, state->values);
  STRATA_TRY(emit_step(w, loop.induction, state));
  strata_emit_for_end(e, loop, state->count, state->values, state->values);
  w->d->nest.loops--;
  w->d->shared.is_dirty |= was_dirty;
  w->d->shared.is_read |= was_read;
  return NULL;
}

static void emit_last(walk_t *w, state_t *state) {
  strata_ring_place_t place = {state->values[SLOT], state->values[PARITY]};
  issue_values(w, place, state);
  await_values(w, place, state);
  strata_ring_advance(w->d, &w->a->rings[STRATA_ATTENTION_KEYS], &place);
  w->a->kernel.place = place;
}

static void define_results(walk_t *w, const state_t *state) {
  int at = CARRIED;
  for (int i = 0; i < w->n_carried; i++) {
    strata_registers_t registers = registers_like(w, i);
    memcpy(registers.values, state->values + at, (size_t)registers.count * sizeof *registers.values);
    if (!mlirOperationIsNull(w->row_sums[i]))
      strata_gpu_reduce_lanes(w->d, w->row_sums[i], &registers);
    strata_registers_define(w->d, result_of(w, i), &registers);
    at += (int)registers.count;
  }
}

strata_status_t strata_gpu_attention_loop(strata_gpu_distribution_t *d, strata_gpu_attention_t *a) {
  walk_t w = {.d = d, .a = a, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(a->kernel.loop, 0))};
  state_t state = {.count = 0};
  w.n_carried = (int)mlirOperationGetNumResults(a->kernel.loop);
  if (w.n_carried > MAX_CARRIED)
    return strata_gpu_missing(a->kernel.loop, "more than 16 carried values");
  for (int i = 0; i < w.n_carried; i++)
    w.row_sums[i] = find_row_sum(&w, i);
  STRATA_TRY(find_late(&w));
  a->kernel.is_full = true;
  STRATA_TRY(emit_first(&w, &state));
  w.is_masked = true;
  if (strata_size_max(a->kernel.n_steps) > 1)
    STRATA_TRY(emit_steps(&w, &state));
  release_rows(&w);
  emit_last(&w, &state);
  define_results(&w, &state);
  a->kernel.is_full = false;
  return NULL;
}
