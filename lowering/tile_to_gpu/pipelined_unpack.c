// Pipelined products whose left operand are numbers of few bits (dialects/affine/packed.h): the ring has tiles of words
// and of scales, each in one piece, which the threads that multiply make fragments of.
//
// A number q of 4 bits, put under the exponent of 1024, is the f16 1024 + q, or, 4 bits further up, 1024 + 16 * q: two
// numbers take one operation on a word's halves, one that takes off 1024 and the zero point, exactly, and one that
// scales and rounds them, as f32 rounded to 16 bits would be.
#include "lowering/tile_to_gpu/pipelined_unpack.h"
#include "dialects/affine/packed.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/roles.h"

enum { ROW = 0, STEP = 1, PAIR = 2, WORDS = STRATA_MMA_WORDS_A, LANES = 32, WARPS = 4, QUAD = 4, K = 16, VECTOR = 4 };

//===-- The ring -------------------------------------------------------------------------------------------------===//

bool strata_unpack_is(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, STRATA_TILE_UNPACK);
}

static strata_status_t read_part(strata_gpu_distribution_t *d, MlirValue value, strata_ring_operand_t *operand) {
  const strata_operand_terms_t terms = {.is_packed = true, .is_dense = true};
  STRATA_TRY(strata_ring_operand_read(d, value, &terms, STEP, operand));
  if (!strata_operand_is_bulk(&operand->shared))
    return strata_gpu_missing(strata_def(value), "packed weights that the copy engine does not take");
  operand->slot = operand->shared.rows * operand->shared.steps;
  operand->tiles = 1;
  return NULL;
}

strata_status_t strata_unpack_read(strata_gpu_distribution_t *d, MlirValue value, strata_ring_operand_t *operand) {
  MlirOperation op = strata_def(value);
  strata_ring_operand_t **end = &operand->with;
  STRATA_TRY(read_part(d, mlirOperationGetOperand(op, 0), operand));
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++) {
    *end = strata_arena_new(d->compile->arena, strata_ring_operand_t);
    STRATA_TRY(read_part(d, mlirOperationGetOperand(op, i), *end));
    end = &(*end)->with;
  }
  operand->unpack = op;
  return NULL;
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_gpu_distribution_t *d;
  MlirType pair, i32; // two weights; a word
  bool is_f16;
  int64_t bits, zero;
  int64_t row_scales; // of a row in a step
} unpack_t;

static MlirValue pair_of_word(const unpack_t *u, MlirValue word) {
  int64_t one = 1;
  strata_emitter_t *e = &u->d->e;
  word = strata_emit_value(e, "vector.from_elements", 1, &word, mlirVectorTypeGet(1, &one, u->i32), 0, NULL);
  return strata_emit_cast(e, "vector.bitcast", word, u->pair);
}

static MlirValue splat(const unpack_t *u, MlirValue value) {
  MlirValue values[PAIR] = {value, value};
  return strata_emit_value(&u->d->e, "vector.from_elements", PAIR, values, u->pair, 0, NULL);
}

static MlirValue real(const unpack_t *u, double value) { return strata_emit_real(&u->d->e, u->pair, value); }

static MlirValue with(const unpack_t *u, const char *name, MlirValue word, int64_t bits) {
  return strata_emit_binary(&u->d->e, name, word, strata_emit_integer(&u->d->e, u->i32, (int32_t)bits));
}

// What is taken off |first| + a number: it and the zero point, |zero| if that is not the same for all.
static MlirValue offset(const unpack_t *u, double first, MlirValue zero) {
  if (mlirValueIsNull(zero))
    return real(u, -first - (double)u->zero);
  return strata_emit_binary(&u->d->e, "arith.subf", real(u, -first), splat(u, zero));
}

// Pair |i| of a word of 4-bit numbers. bf16 has fewer bits behind its point than two numbers.
static MlirValue nibbles(const unpack_t *u, MlirValue word, int64_t i, MlirValue zero) {
  enum { F16_EXPONENT = 0x64006400, BF16_EXPONENT = 0x43004300, LOW = 0x000f000f, HIGH = 0x00f000f0 };
  strata_emitter_t *e = &u->d->e;
  bool is_high = u->is_f16 && i % 2;
  int64_t shift = u->is_f16 ? i / 2 * 8 : i * 4;
  if (shift)
    word = with(u, "arith.shrui", word, shift);
  word =
      with(u, "arith.ori", with(u, "arith.andi", word, is_high ? HIGH : LOW), u->is_f16 ? F16_EXPONENT : BF16_EXPONENT);
  MlirValue value = pair_of_word(u, word);
  if (!is_high)
    return strata_emit_binary(e, "arith.addf", value, offset(u, u->is_f16 ? 1024 : 128, zero));
  MlirValue operands[] = {value, real(u, 1.0 / 16), offset(u, 64, zero)};
  return strata_emit_value(e, "math.fma", 3, operands, u->pair, 0, NULL);
}

// The same of half |half| of a word of 8-bit numbers.
static MlirValue bytes(const unpack_t *u, MlirValue word, int64_t half, MlirValue zero) {
  enum { EXPONENT = 0x64006400, LOW = 0xff, HIGH = 0xff0000 };
  strata_emitter_t *e = &u->d->e;
  if (half)
    word = with(u, "arith.shrui", word, K);
  MlirValue low = with(u, "arith.andi", word, LOW), high = with(u, "arith.andi", with(u, "arith.shli", word, 8), HIGH);
  word = with(u, "arith.ori", strata_emit_binary(e, "arith.ori", low, high), EXPONENT);
  return strata_emit_binary(e, "arith.addf", pair_of_word(u, word), offset(u, 1024, zero));
}

//===-- Fragments ------------------------------------------------------------------------------------------------===//

// The thread's |count| elements of |operand|'s tile of 16 rows number |tile| in |slot|, from |at| of the tile on.
static MlirValue load(const unpack_t *u, const strata_ring_operand_t *operand, MlirValue slot, MlirValue tile,
                      MlirValue at, int64_t count) {
  strata_emitter_t *e = &u->d->e;
  MlirValue place = strata_emit_binary(e, "arith.addi", strata_emit_times(e, slot, operand->slot),
                                       strata_emit_times(e, tile, operand->shared.steps));
  place = strata_emit_binary(e, "arith.addi", place, at);
  return strata_lanes_load(e, strata_lanes_type(operand->shared.element, count), operand->shared.memory, place);
}

// The thread's part of a tile of 64 rows in a slot.
typedef struct {
  MlirValue words[2], scales, zeros; // zeros: null if they are one number
} own_t;

struct strata_unpacking {
  unpack_t u;
  int64_t n_blocks;
  own_t *blocks;
};

// The words of instruction |step|: rows and those eight below, of the first eight steps and of the last.
static void emit_fragment(const unpack_t *u, const own_t *own, int64_t step, MlirValue *out) {
  strata_emitter_t *e = &u->d->e;
  int64_t block = step * u->row_scales * K / STRATA_PACKED_STEPS;
  for (int64_t i = 0; i < WORDS; i++) {
    int64_t half = i % 2, number = u->bits == 4 ? step : step * 2 + i / 2, at = half * u->row_scales + block;
    MlirValue word = strata_lanes_extract(e, own->words[number / VECTOR], number % VECTOR);
    MlirValue zero = mlirValueIsNull(own->zeros) ? own->zeros : strata_lanes_extract(e, own->zeros, at);
    MlirValue value = u->bits == 4 ? nibbles(u, word, i, zero) : bytes(u, word, half, zero);
    out[i] = strata_emit_binary(e, "arith.mulf", value, splat(u, strata_lanes_extract(e, own->scales, at)));
  }
}

strata_unpacking_t *strata_unpack_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                                        MlirValue slot) {
  const strata_pipelined_t *p = &k->product;
  const strata_ring_operand_t *operand = &p->operands[strata_pipelined_left_side(p)], *scales = operand->with;
  strata_emitter_t *e = &d->e;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(operand->unpack, 0)));
  int64_t pair = PAIR;
  strata_unpacking_t *result = strata_arena_new(d->compile->arena, strata_unpacking_t);
  *result = (strata_unpacking_t){.u = {.d = d,
                                       .pair = mlirVectorTypeGet(1, &pair, element),
                                       .i32 = operand->shared.element,
                                       .is_f16 = mlirTypeIsAF16(element),
                                       .bits = strata_attr_i64(operand->unpack, "bits", 0),
                                       .zero = strata_attr_i64(operand->unpack, "zero", 0),
                                       .row_scales = scales->shared.steps / STRATA_PACKED_ROWS},
                                 .n_blocks = p->m_blocks,
                                 .blocks = strata_arena_array(d->compile->arena, own_t, p->m_blocks)};
  const unpack_t *u = &result->u;
  MlirValue thread = strata_emit_group_lane(d), group = strata_emit_own_group(d, k);
  MlirValue lane = strata_emit_with(e, "arith.andi", thread, LANES - 1);
  MlirValue warp = strata_emit_with(e, "arith.divui", thread, LANES);
  MlirValue row = strata_emit_times(e, strata_emit_with(e, "arith.divui", lane, QUAD), 2 * u->row_scales);
  for (int64_t block = 0; block < p->m_blocks; block++) {
    own_t *own = &result->blocks[block];
    *own = (own_t){.zeros = {NULL}};
    MlirValue tile = strata_emit_plus(e, strata_emit_times(e, group, p->m_blocks * WARPS), block * WARPS);
    tile = strata_emit_binary(e, "arith.addi", tile, warp);
    for (int64_t i = 0; i * VECTOR * LANES < operand->shared.steps; i++)
      own->words[i] = load(u, operand, slot, tile,
                           strata_emit_plus(e, strata_emit_times(e, lane, VECTOR), i * VECTOR * LANES), VECTOR);
    own->scales = load(u, scales, slot, tile, row, 2 * u->row_scales);
    if (scales->with)
      own->zeros = load(u, scales->with, slot, tile, row, 2 * u->row_scales);
  }
  return result;
}

MlirValue *strata_unpack_step(strata_unpacking_t *unpacking, int64_t step) {
  strata_gpu_distribution_t *d = unpacking->u.d;
  int64_t count = unpacking->n_blocks * WORDS;
  MlirValue *words = strata_arena_array(d->compile->arena, MlirValue, count);
  for (int64_t block = 0; block < unpacking->n_blocks; block++)
    emit_fragment(&unpacking->u, &unpacking->blocks[block], step, words + block * WORDS);
  return words;
}
