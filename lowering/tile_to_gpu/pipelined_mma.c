// Pipelined products of few columns on a warp's matrix instruction (PTX ISA, "mma.sync"). Its left operand are weights
// of few bits: threads unpack them into registers anyway, and of few columns a warp group's instruction takes as long
// as of many. Four warps have 16 rows each of a tile's 64, as those of a warp group's instruction have, and the sums
// lie as there.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/pipelined_unpack.h"

enum { ROW = 0, STEP = 1, WARPS = 4, LANES = 32, EIGHT = STRATA_EIGHT };
enum { LEFT = STRATA_MMA_WORDS_A, RIGHT = STRATA_MMA_WORDS_B, SUM = STRATA_MMA_WORDS_C };
enum { MATRICES = 4 }; // that are loaded at once: eight columns of so many units of eight steps

bool strata_mma_is_asked(MlirOperation op) {
  const strata_mma_t *mma = strata_mma_named(strata_attr_str(op, "tile.mma"));
  return mma && mma->layout->lanes > 0;
}

//===-- What fits ------------------------------------------------------------------------------------------------===//

strata_operand_terms_t strata_mma_terms(MlirType type, bool left) {
  (void)type, (void)left;
  return (strata_operand_terms_t){.has_boxes = true};
}

// The rows that a thread names to tile.load_matrices: of each eight columns, one behind the other, all steps.
static strata_layout_t matrices_of(const strata_pipelined_t *p) {
  strata_layout_t layout = {0};
  strata_layout_push_reg(&layout, STEP, p->steps * p->mma->k / (MATRICES * EIGHT), MATRICES * EIGHT);
  strata_layout_push_reg(&layout, ROW, p->n / EIGHT, EIGHT);
  strata_layout_push_thread(&layout, ROW, EIGHT, 1);
  strata_layout_push_thread(&layout, STEP, MATRICES, EIGHT);
  strata_layout_push_thread(&layout, STRATA_COPIES, p->depth * WARPS, 0);
  return layout;
}

static strata_status_t check(const strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                             const strata_pipelined_t *p) {
  const strata_shared_operand_t *right = &p->operands[1 - strata_pipelined_left_side(p)].shared;
  if (!strata_mma_is_of(p->mma, d->device->mma) || !p->mma->layout->has_matrices || p->mma->n != EIGHT)
    return strata_gpu_missing(op, "this matrix instruction");
  if (!p->unpacks)
    return strata_gpu_missing(op, "a left operand that threads do not unpack");
  if (schedule->producers != STRATA_GROUP_THREADS || p->depth < 2 || schedule->threads != schedule->group ||
      schedule->group != p->depth * STRATA_GROUP_THREADS)
    return strata_gpu_missing(op, "a schedule whose threads are not warp groups");
  if (right->form != STRATA_SPANS || right->steps * right->element_bytes != STRATA_SPAN || right->rows != p->n)
    return strata_gpu_missing(op, "a tile that no instruction fits");
  return strata_pipelined_check(d, op, p);
}

strata_status_t strata_mma_finish(strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                                  strata_pipelined_t *p) {
  int left = strata_pipelined_left_side(p);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  p->n = mlirShapedTypeGetDimSize(type, 1 - left);
  p->m_blocks = mlirShapedTypeGetDimSize(type, left) / STRATA_GROUP_ROWS;
  p->unpacks = !mlirOperationIsNull(p->operands[left].unpack);
  if (!mlirOperationIsNull(p->operands[1 - left].unpack))
    return strata_gpu_missing(op, "a right operand that threads unpack");
  STRATA_TRY(check(d, op, schedule, p));
  p->steps = p->operands[1 - left].shared.steps / p->mma->k;
  p->layout = strata_wgmma_sum_layout(p);
  strata_layout_push_thread(&p->layout, STRATA_COPIES, p->depth, 0);
  p->operands[1 - left].shared.matrices = matrices_of(p);
  return NULL;
}

int64_t strata_mma_releases(const strata_pipelined_t *p) { return p->groups * WARPS; }

//===-- Fragments ------------------------------------------------------------------------------------------------===//

static MlirType vector_of(MlirType element, int64_t count) { return mlirVectorTypeGet(1, &count, element); }

// |count| words as a fragment of |element|.
static MlirValue fragment_of(strata_emitter_t *e, int64_t count, const MlirValue *words, MlirType element) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  MlirValue all = strata_emit_value(e, "vector.from_elements", (int)count, words, vector_of(i32, count), 0, NULL);
  return strata_emit_cast(e, "vector.bitcast", all, vector_of(element, 2 * count));
}

static MlirValue word_of_pair(strata_emitter_t *e, MlirValue pair) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  return strata_lanes_extract(e, strata_emit_cast(e, "vector.bitcast", pair, vector_of(i32, 1)), 0);
}

// Those of the right operand in |slot|: of each eight columns, instruction by instruction.
static MlirValue *load_right(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue slot) {
  strata_emitter_t *e = &d->e;
  const strata_shared_operand_t *right = &p->operands[1 - strata_pipelined_left_side(p)].shared;
  strata_operand_places_t places = strata_operand_places(d, right, &right->matrices, slot);
  MlirValue *fragments = strata_arena_array(d->compile->arena, MlirValue, p->steps * p->n / EIGHT);
  for (int64_t i = 0; i < strata_layout_registers(&right->matrices); i++) {
    MlirValue operands[] = {right->memory, strata_operand_place(d, &places, i)}, words[MATRICES];
    MlirValue all =
        strata_emit_value(e, STRATA_TILE_LOAD_MATRICES, 2, operands, vector_of(right->element, MATRICES * 2), 0, NULL);
    all = strata_emit_cast(e, "vector.bitcast", all, vector_of(mlirIntegerTypeGet(e->context, 32), MATRICES));
    for (int64_t j = 0; j < MATRICES; j++)
      words[j] = strata_lanes_extract(e, all, j);
    for (int64_t j = 0; j < MATRICES / RIGHT; j++)
      fragments[i * MATRICES / RIGHT + j] = fragment_of(e, RIGHT, words + j * RIGHT, right->element);
  }
  return fragments;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static void multiply_one(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue left, MlirValue right,
                         MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  strata_named_attr_t kind = {"kind", strata_str_attr(e->context, p->mma->name)};
  MlirValue sum = strata_emit_value(e, "vector.from_elements", SUM, sums, vector_of(p->sum, SUM), 0, NULL);
  sum = strata_emit_value(e, STRATA_TILE_MMA, 3, (MlirValue[]){left, right, sum}, vector_of(p->sum, SUM), 1, &kind);
  for (int64_t i = 0; i < SUM; i++)
    sums[i] = strata_lanes_extract(e, sum, i);
}

// The slot is empty as soon as its warps have loaded what they need of it.
void strata_mma_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue step,
                         MlirValue *sums) {
  (void)step;
  const strata_pipelined_t *p = &k->product;
  int64_t n_columns = p->n / EIGHT;
  MlirType element = p->operands[1 - strata_pipelined_left_side(p)].shared.element;
  strata_unpacking_t *unpacking = strata_unpack_begin(d, k, slot);
  MlirValue *right = load_right(d, p, slot);
  strata_emit_fence(d, "shared");
  strata_emit_fence(d, "warp");
  strata_ring_release(d, &k->ring, slot, LANES);
  for (int64_t i = 0; i < p->steps; i++) {
    MlirValue *pairs = strata_unpack_step(unpacking, i), words[LEFT];
    for (int64_t block = 0; block < p->m_blocks; block++) {
      for (int64_t j = 0; j < LEFT; j++)
        words[j] = word_of_pair(&d->e, pairs[block * LEFT + j]);
      MlirValue left = fragment_of(&d->e, LEFT, words, element);
      for (int64_t column = 0; column < n_columns; column++)
        multiply_one(d, p, left, right[column * p->steps + i], sums + (block * n_columns + column) * SUM);
    }
  }
}
