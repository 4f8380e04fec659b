// Vector instructions: operands are gathered by lane, a row of vector.def computes all lanes, active ones are stored.
#include "test/support/driver/amdgpu/code.h"
#include "test/support/driver/amdgpu/numbers.h"

#include <stdlib.h>

typedef enum { NONE, U32, I32, F32, U16, I16, F16, U64, I64, F64, PK16, PK32, MIX } type_t;
enum { SUM = 1, IN = 2, OUT = 4, KEEPS = 8, HIGH = 16, TO_MASK = 32, TO_EXEC = 64 };

// What a row reads and writes: of every lane, words apart.
typedef struct {
  const uint32_t *low[3], *high[3];
  uint32_t *out_low, *out_high, *out_mask;
  const uint32_t *mask;
  unsigned n;
  uint32_t neg;   // of the dot products: which operands are signed
  uint32_t table; // of v_bitop3
  bool is_fnuz;   // what its floats of 8 bits are
} lanes_t;

typedef void run_t(const lanes_t *lanes);

typedef struct {
  const char *name;
  run_t *run;
  uint8_t result, sources[3];
  uint8_t flags;
} row_t;

//===-- Rows -----------------------------------------------------------------------------------------------------===//

// The machine that runs the tests may have wider vectors than the one they were built for.
#ifdef __x86_64__
#define WIDE __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define WIDE
#endif

typedef int of_NONE;
typedef uint32_t of_U32, of_PK16;
typedef int32_t of_I32;
typedef float of_F32, of_F16, of_MIX;
typedef uint16_t of_U16;
typedef int16_t of_I16;
typedef uint64_t of_U64, of_PK32;
typedef int64_t of_I64;
typedef double of_F64;

#define WORDS(k) (l->low[k][i] | (uint64_t)l->high[k][i] << 32)
#define GET_NONE(k) 0
#define GET_U32(k) l->low[k][i]
#define GET_I32(k) (int32_t) l->low[k][i]
#define GET_F32(k) as_f32(l->low[k][i])
#define GET_U16(k) (uint16_t) l->low[k][i]
#define GET_I16(k) (int16_t) l->low[k][i]
#define GET_F16(k) as_f16((uint16_t)l->low[k][i])
#define GET_U64(k) WORDS(k)
#define GET_I64(k) (int64_t) WORDS(k)
#define GET_F64(k) as_f64(WORDS(k))
#define GET_PK16(k) l->low[k][i]
#define GET_PK32(k) WORDS(k)
#define GET_MIX(k) as_f32(l->low[k][i])

#define PUT_WORDS(value) (l->out_low[i] = (uint32_t)(value), l->out_high[i] = (uint32_t)((value) >> 32))
#define PUT_U32(value) l->out_low[i] = (value)
#define PUT_I32(value) l->out_low[i] = (uint32_t)(value)
#define PUT_F32(value) l->out_low[i] = bits_f32(value)
#define PUT_U16(value) l->out_low[i] = (value)
#define PUT_I16(value) l->out_low[i] = (uint16_t)(value)
#define PUT_F16(value) l->out_low[i] = half_of(value)
#define PUT_U64(value) PUT_WORDS(value)
#define PUT_I64(value) PUT_WORDS((uint64_t)(value))
#define PUT_F64(value) PUT_WORDS(bits_f64(value))
#define PUT_PK16(value) l->out_low[i] = (value)
#define PUT_PK32(value) PUT_WORDS(value)

#define INTEGERS(name, type)                                                                                           \
  COMPARE(lt_##name, type, type, a < b)                                                                                \
  COMPARE(eq_##name, type, type, a == b)                                                                               \
  COMPARE(le_##name, type, type, a <= b)                                                                               \
  COMPARE(gt_##name, type, type, a > b)                                                                                \
  COMPARE(ne_##name, type, type, a != b)                                                                               \
  COMPARE(ge_##name, type, type, a >= b)
#define REALS(name, type)                                                                                              \
  COMPARE(lt_##name, type, type, a < b)                                                                                \
  COMPARE(eq_##name, type, type, a == b)                                                                               \
  COMPARE(le_##name, type, type, a <= b)                                                                               \
  COMPARE(gt_##name, type, type, a > b)                                                                                \
  COMPARE(lg_##name, type, type, a<b || a> b)                                                                          \
  COMPARE(ge_##name, type, type, a >= b)                                                                               \
  COMPARE(o_##name, type, type, a == a && b == b)                                                                      \
  COMPARE(u_##name, type, type, a != a || b != b)                                                                      \
  COMPARE(nge_##name, type, type, !(a >= b))                                                                           \
  COMPARE(nlg_##name, type, type, !(a < b || a > b))                                                                   \
  COMPARE(ngt_##name, type, type, !(a > b))                                                                            \
  COMPARE(nle_##name, type, type, !(a <= b))                                                                           \
  COMPARE(neq_##name, type, type, !(a == b))                                                                           \
  COMPARE(nlt_##name, type, type, !(a < b))

// Of the tables' expressions, whose types are those of their rows.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"

#define COMPARES_OF_INTEGERS(name, type) INTEGERS(name, type)
#define COMPARES_OF_REALS(name, type) REALS(name, type)
#define LANES(name, result, A, B, C, flags, value)                                                                     \
  WIDE static void name(const lanes_t *l) {                                                                            \
    const uint32_t neg = l->neg;                                                                                       \
    for (unsigned i = 0; i < l->n; i++) {                                                                              \
      const of_##A a = GET_##A(0);                                                                                     \
      const of_##B b = GET_##B(1);                                                                                     \
      const of_##C c = GET_##C(2);                                                                                     \
      const uint32_t m = (flags)&IN ? l->mask[i] : 0;                                                                  \
      uint32_t x = 0;                                                                                                  \
      const of_##result r = value;                                                                                     \
      PUT_##result(r);                                                                                                 \
      if ((flags)&OUT)                                                                                                 \
        l->out_mask[i] = x;                                                                                            \
    }                                                                                                                  \
  }
#define COMPARE(name, A, B, value)                                                                                     \
  WIDE static void compare_##name(const lanes_t *l) {                                                                  \
    for (unsigned i = 0; i < l->n; i++) {                                                                              \
      const of_##A a = GET_##A(0);                                                                                     \
      const of_##B b = GET_##B(1);                                                                                     \
      l->out_mask[i] = (value) != 0;                                                                                   \
    }                                                                                                                  \
  }
#include "test/support/driver/amdgpu/vector.def"

#pragma GCC diagnostic pop

static const row_t rows[] = {
#define COMPARES_OF_INTEGERS(name, type) INTEGERS(name, type)
#define COMPARES_OF_REALS(name, type) REALS(name, type)
#define LANES(name, result, A, B, C, flags, value) {#name, name, result, {A, B, C}, flags},
#define COMPARE(name, A, B, value)                                                                                     \
  {"v_cmp_" #name, compare_##name, NONE, {A, B, NONE}, TO_MASK},                                                       \
      {"v_cmpx_" #name, compare_##name, NONE, {A, B, NONE}, TO_MASK | TO_EXEC},
#include "test/support/driver/amdgpu/vector.def"
};

//===-- Operands -------------------------------------------------------------------------------------------------===//

static unsigned words_of(type_t type) { return type == U64 || type == I64 || type == F64 || type == PK32 ? 2 : 1; }
static bool is_half(type_t type) { return type == U16 || type == I16 || type == F16; }

typedef struct {
  uint32_t words[2][MAX_LANES];
} room_t;

static unsigned constant_bytes(type_t type) {
  return is_half(type) || type == PK16 ? 2 : words_of(type) == 2 && type != PK32 ? 8 : 4;
}

// The lane that each lane reads; MAX_LANES: none, which has 0 or keeps what it has.
static unsigned source_lane(const instruction_t *instruction, unsigned lane, unsigned n) {
  unsigned row = lane & ~15u, in_row = lane & 15, by = instruction->dpp[0];
  switch ((dpp_kind_t)instruction->dpp_kind) {
  case NO_DPP:
    return lane;
  case QUAD_PERM:
    return (lane & ~3u) + instruction->dpp[lane & 3];
  case ROW_SHL:
    return in_row + by < 16 ? lane + by : MAX_LANES;
  case ROW_SHR:
    return in_row >= by ? lane - by : MAX_LANES;
  case ROW_ROR:
    return row + ((in_row - by) & 15);
  case WAVE_SHL:
    return lane + 1 < n ? lane + 1 : MAX_LANES;
  case WAVE_ROL:
    return (lane + 1) % n;
  case WAVE_SHR:
    return lane ? lane - 1 : MAX_LANES;
  case WAVE_ROR:
    return (lane + n - 1) % n;
  case ROW_MIRROR:
    return row + 15 - in_row;
  case ROW_HALF_MIRROR:
    return (lane & ~7u) + 7 - (lane & 7);
  case ROW_BCAST: // 15: of the row before; 31: of lane 31 for the upper half
    return by == 15 ? (row ? row - 1 : MAX_LANES) : lane >= 32 ? 31 : MAX_LANES;
  case ROW_NEWBCAST:
  case ROW_SHARE:
    return row + by;
  case ROW_XMASK:
    return row + (in_row ^ by);
  case DPP8:
    return (lane & ~7u) + instruction->dpp[lane & 7];
  }
  return lane;
}

static void move_lanes(const state_t *state, const instruction_t *instruction, const uint32_t **words, uint32_t *room) {
  uint32_t moved[MAX_LANES];
  uint64_t exec = exec_of(state);
  for (unsigned lane = 0; lane < state->n_lanes; lane++) {
    unsigned from = source_lane(instruction, lane, state->n_lanes);
    moved[lane] = from < state->n_lanes && exec >> from & 1 ? (*words)[from] : 0;
  }
  memcpy(room, moved, sizeof moved);
  *words = room;
}

static uint32_t select_part(uint32_t word, unsigned select, bool is_signed) {
  if (select == SELECT_DWORD)
    return word;
  unsigned width = select >= SELECT_WORD_0 ? 16 : 8;
  unsigned from = select >= SELECT_WORD_0 ? 16 * (select - SELECT_WORD_0) : 8 * (select - SELECT_BYTE_0);
  return is_signed ? extract_signed(word, from, width) : word >> from & ((UINT32_C(1) << width) - 1);
}

static uint32_t mixed(uint32_t word, const instruction_t *instruction, unsigned k, const operand_t *operand) {
  float value = as_f32(word);
  if (instruction->op_sel_hi >> k & 1 && operand->kind != REAL)
    value = half_at(word, instruction->op_sel >> k & 1);
  if (operand->absolute || instruction->neg_hi >> k & 1)
    value = fabsf(value);
  return bits_f32(operand->negative || instruction->neg_lo >> k & 1 ? -value : value);
}

static uint32_t packed(uint32_t word, const instruction_t *instruction, unsigned k) {
  unsigned high = instruction->has_op_sel_hi ? instruction->op_sel_hi >> k & 1 : 1;
  uint32_t low = word >> 16 * (instruction->op_sel >> k & 1) & 0xFFFF, upper = word >> 16 * high & 0xFFFF;
  low ^= (instruction->neg_lo >> k & 1u) << 15;
  upper ^= (instruction->neg_hi >> k & 1u) << 15;
  return low | upper << 16;
}

// The word that holds the sign.
static uint32_t with_sign(uint32_t word, const operand_t *operand, type_t type) {
  uint32_t sign = UINT32_C(1) << (is_half(type) ? 15 : 31);
  if (operand->absolute)
    word &= ~sign;
  return operand->negative ? word ^ sign : word;
}

static void gather_pair(const instruction_t *instruction, unsigned k, const uint32_t **low, const uint32_t **high,
                        room_t *room, unsigned n) {
  const uint32_t *words[2] = {*low, *high};
  unsigned of_low = instruction->op_sel >> k & 1;
  unsigned of_high = instruction->has_op_sel_hi ? instruction->op_sel_hi >> k & 1 : 1;
  uint32_t signs[2] = {(instruction->neg_lo >> k & 1u) << 31, (instruction->neg_hi >> k & 1u) << 31};
  *low = words[of_low];
  *high = words[of_high];
  if (!signs[0] && !signs[1])
    return;
  uint32_t copies[2][MAX_LANES];
  for (unsigned i = 0; i < n; i++) {
    copies[0][i] = (*low)[i] ^ signs[0];
    copies[1][i] = (*high)[i] ^ signs[1];
  }
  memcpy(room->words, copies, sizeof copies);
  *low = room->words[0];
  *high = room->words[1];
}

// Whether the register's words are not what is computed with.
static bool is_changed(const instruction_t *instruction, unsigned k, const operand_t *operand, type_t type) {
  bool upper = operand->half == 2 || (is_half(type) && !operand->half && instruction->op_sel >> k & 1);
  return operand->negative || operand->absolute || type == MIX ||
         (instruction->is_sdwa && (instruction->select[k + 1] != SELECT_DWORD || operand->is_signed)) || upper ||
         (type == PK16 &&
          (instruction->op_sel || instruction->has_op_sel_hi || instruction->neg_lo || instruction->neg_hi));
}

static uint32_t changed(uint32_t word, const instruction_t *instruction, unsigned k, const operand_t *operand,
                        type_t type) {
  if (type == MIX)
    return mixed(word, instruction, k, operand);
  if (type == PK16)
    return packed(word, instruction, k);
  if (instruction->is_sdwa && k < 2)
    word = select_part(word, instruction->select[k + 1], operand->is_signed);
  else if (operand->half == 2 || (is_half(type) && !operand->half && instruction->op_sel >> k & 1))
    word >>= 16;
  return with_sign(word, operand, type);
}

static void gather(state_t *state, const instruction_t *instruction, unsigned k, const operand_t *operand, type_t type,
                   room_t *room, lanes_t *lanes) {
  operand_t plain = *operand;
  if (operand->kind == INTEGER || operand->kind == REAL) { // as bits of the operand's own size
    uint64_t bits = constant_bits(operand, type == MIX && instruction->op_sel_hi >> k & 1 ? 4 : constant_bytes(type));
    if (type == F64 && operand->kind == INTEGER && (uint64_t)operand->integer > 64 && operand->integer > 0 &&
        (uint64_t)operand->integer <= UINT32_MAX)
      bits <<= 32; // a literal is the upper half
    plain.kind = INTEGER;
    plain.integer = (int64_t)bits;
  }
  const uint32_t *low = lanes_of(state, &plain, 0, room->words[0]), *high = low;
  if (words_of(type) == 2)
    high = lanes_of(state, &plain, 1, room->words[1]);
  if (k == 0 && instruction->dpp_kind) {
    move_lanes(state, instruction, &low, room->words[0]);
    if (words_of(type) == 2)
      move_lanes(state, instruction, &high, room->words[1]);
  }
  if (type == PK32)
    gather_pair(instruction, k, &low, &high, room, state->n_lanes);
  else if (is_changed(instruction, k, operand, type) && words_of(type) == 2) {
    for (unsigned i = 0; i < state->n_lanes; i++)
      room->words[1][i] = with_sign(high[i], operand, type);
    high = room->words[1];
  } else if (is_changed(instruction, k, operand, type)) {
    for (unsigned i = 0; i < state->n_lanes; i++)
      room->words[0][i] = changed(low[i], instruction, k, operand, type);
    low = room->words[0];
  }
  lanes->low[k] = low;
  lanes->high[k] = high;
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static float scaled(float value, const instruction_t *instruction) {
  static const float by[] = {1, 2, 4, 0.5f};
  value *= by[instruction->output_scale];
  return !instruction->clamp ? value : !(value > 0) ? 0 : value > 1 ? 1 : value;
}

static uint64_t saturated_sum(uint64_t a, uint64_t b, bool is_sum) {
  return is_sum ? MIN(a + b, UINT32_MAX) : a > b ? a - b : 0;
}

static void change_results(state_t *state, const instruction_t *instruction, const row_t *row, const lanes_t *lanes) {
  bool is_sum = strcmp(row->name, "v_add_u32") == 0;
  if ((is_sum || strcmp(row->name, "v_sub_u32") == 0) && instruction->clamp) {
    for (unsigned i = 0; i < lanes->n; i++)
      lanes->out_low[i] = (uint32_t)saturated_sum(lanes->low[0][i], lanes->low[1][i], is_sum);
    return;
  }
  if (row->result != F32 && row->result != F16 && row->result != F64)
    found(state, "clamp or a scale of %s, which the executor does not know", row->name);
  for (unsigned i = 0; i < lanes->n; i++)
    if (row->result == F32)
      lanes->out_low[i] = bits_f32(scaled(as_f32(lanes->out_low[i]), instruction));
    else if (row->result == F16)
      lanes->out_low[i] = half_of(scaled(as_f16((uint16_t)lanes->out_low[i]), instruction));
    else {
      double value = as_f64(lanes->out_low[i] | (uint64_t)lanes->out_high[i] << 32);
      uint64_t bits = bits_f64(!(value > 0) ? 0 : value > 1 ? 1 : value);
      lanes->out_low[i] = (uint32_t)bits;
      lanes->out_high[i] = (uint32_t)(bits >> 32);
    }
}

static void select_results(const instruction_t *instruction, const uint32_t *old, uint32_t *values, unsigned n) {
  unsigned select = instruction->select[0];
  if (!instruction->is_sdwa || select == SELECT_DWORD)
    return;
  unsigned width = select >= SELECT_WORD_0 ? 16 : 8;
  unsigned from = select >= SELECT_WORD_0 ? 16 * (select - SELECT_WORD_0) : 8 * (select - SELECT_BYTE_0);
  uint32_t ones = ((UINT32_C(1) << width) - 1) << from;
  for (unsigned i = 0; i < n; i++) {
    uint32_t part = values[i] << from & ones;
    uint32_t upper = from + width < 32 && part >> (from + width - 1) & 1 ? UINT32_MAX << (from + width) : 0;
    values[i] = part | (instruction->unused == UNUSED_PRESERVE ? old[i] & ~ones
                        : instruction->unused == UNUSED_SEXT   ? upper
                                                               : 0);
  }
}

// A 16-bit result and what becomes of the register's other half.
static void place_half(const state_t *state, const instruction_t *instruction, const row_t *row, unsigned n_sources,
                       const uint32_t *old, uint32_t *values) {
  const operand_t *result = &instruction->operands[0];
  bool is_mix = row->sources[0] == MIX; // whose op_sel is of the operands alone
  bool is_high =
      result->half ? result->half == 2 : (row->flags & HIGH) || (!is_mix && instruction->op_sel >> n_sources & 1);
  bool keeps = is_high || result->half || (row->flags & KEEPS) || state->program->generation > 9;
  for (unsigned i = 0; i < state->n_lanes; i++)
    values[i] =
        is_high ? (old[i] & 0xFFFF) | values[i] << 16 : (values[i] & 0xFFFF) | (keeps ? old[i] & 0xFFFF0000 : 0);
}

// Lanes that DPP leaves out keep what they have.
static const uint32_t *lanes_written(state_t *state, const instruction_t *instruction, uint32_t *room) {
  const uint32_t *active = active_lanes(state);
  if (!instruction->dpp_kind)
    return active;
  for (unsigned i = 0; i < state->n_lanes; i++) {
    unsigned from = source_lane(instruction, i, state->n_lanes);
    bool is_read = from < state->n_lanes && exec_of(state) >> from & 1;
    bool is_in = instruction->row_mask >> (i / 16) & 1 && instruction->bank_mask >> (i / 4 % 4) & 1;
    room[i] = is_in && (is_read || instruction->has_dpp_bound || instruction->dpp_kind == DPP8) ? active[i] : 0;
  }
  return room;
}

static void store(const state_t *state, unsigned index, const uint32_t *values, const uint32_t *written) {
  uint32_t *to = vector_of(state, index);
  for (unsigned i = 0; i < state->n_lanes; i++)
    to[i] = (to[i] & ~written[i]) | (values[i] & written[i]);
}

static uint64_t bits_of(const state_t *state, const uint32_t *values) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < state->n_lanes; i++)
    mask |= (uint64_t)(values[i] & 1) << i;
  return mask & exec_of(state);
}

static const operand_t vcc = {.kind = SCALAR, .index = VCC, .count = 2};

static void store_comparison(state_t *state, const instruction_t *instruction, const row_t *row, const uint32_t *mask,
                             unsigned first) {
  static const operand_t exec = {.kind = SCALAR, .index = EXEC, .count = 2};
  uint64_t bits = bits_of(state, mask);
  if (first)
    mask_write(state, &instruction->operands[0], bits);
  if (row->flags & TO_EXEC)
    mask_write(state, &exec, bits);
}

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static void spread(const state_t *state, uint64_t mask, uint32_t *out) {
  for (unsigned i = 0; i < state->n_lanes; i++)
    out[i] = mask >> i & 1;
}

typedef struct {
  room_t rooms[3];
  uint32_t low[MAX_LANES], high[MAX_LANES], out_mask[MAX_LANES], mask[MAX_LANES], written[MAX_LANES];
} work_t;

static unsigned n_sources_of(const row_t *row) { return row->sources[2] ? 3 : row->sources[1] ? 2 : 1; }

// Computes into |work|; nothing is stored.
static void compute(state_t *state, const instruction_t *instruction, work_t *work, lanes_t *lanes) {
  const row_t *row = instruction->row;
  unsigned n_sources = n_sources_of(row), n = n_sources - (row->flags & SUM ? 1 : 0);
  unsigned first = row->flags & TO_MASK ? instruction->n_operands - n : row->flags & OUT ? 2 : 1;
  if (row->flags & OUT && instruction->n_operands < n + 2)
    first = 1;
  if (instruction->n_operands < first + n)
    found(state, "%s with %u operands", row->name, instruction->n_operands);
  *lanes = (lanes_t){.out_low = work->low,
                     .out_high = work->high,
                     .out_mask = work->out_mask,
                     .mask = work->mask,
                     .n = state->n_lanes,
                     .neg = instruction->neg_lo,
                     .table = instruction->modifiers,
                     .is_fnuz = has_fnuz(state->program->arch)};
  for (unsigned k = 0; k < n; k++)
    gather(state, instruction, k, &instruction->operands[first + k], row->sources[k], &work->rooms[k], lanes);
  if (row->flags & SUM)
    gather(state, instruction, 2, &instruction->operands[0], row->sources[2], &work->rooms[2], lanes);
  if (row->flags & IN) {
    bool is_given = instruction->n_operands > first + n;
    spread(state, mask_read(state, is_given ? &instruction->operands[first + n] : &vcc), work->mask);
  }
  row->run(lanes);
  if (instruction->clamp || instruction->output_scale)
    change_results(state, instruction, row, lanes);
}

static void put(state_t *state, const instruction_t *instruction, work_t *work) {
  const row_t *row = instruction->row;
  const operand_t *result = &instruction->operands[0];
  unsigned n_sources = n_sources_of(row);
  if (row->flags & TO_MASK) {
    store_comparison(state, instruction, row, work->out_mask, instruction->n_operands - n_sources);
    return;
  }
  if (result->kind != VECTOR)
    found(state, "%s into no vector register", row->name);
  const uint32_t *written = lanes_written(state, instruction, work->written), *old = vector_of(state, result->index);
  if (instruction->is_sdwa)
    select_results(instruction, old, work->low, state->n_lanes);
  else if (is_half(row->result))
    place_half(state, instruction, row, n_sources - (row->flags & SUM ? 1 : 0), old, work->low);
  store(state, result->index, work->low, written);
  if (words_of(row->result) == 2)
    store(state, result->index + 1u, work->high, written);
  if (row->flags & OUT)
    mask_write(state, instruction->n_operands > 1 ? &instruction->operands[1] : &vcc, bits_of(state, work->out_mask));
}

static void carry_out_vector(state_t *state, const instruction_t *instruction) {
  work_t work, second;
  lanes_t lanes;
  compute(state, instruction, &work, &lanes);
  if (instruction->also) // both read before either writes
    compute(state, instruction->also, &second, &lanes);
  put(state, instruction, &work);
  if (instruction->also)
    put(state, instruction->also, &second);
}

bool vector_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(rows[i].name, name) == 0) {
      instruction->row = &rows[i];
      instruction->name = rows[i].name;
      instruction->carry_out = carry_out_vector;
      return true;
    }
  return false;
}
