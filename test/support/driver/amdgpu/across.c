// Instructions that move values between lanes, and between lanes and scalars.
#include "test/support/driver/amdgpu/code.h"
#include "test/support/driver/amdgpu/numbers.h"

static unsigned first_active(const state_t *state) {
  uint64_t exec = exec_of(state);
  return exec ? (unsigned)__builtin_ctzll(exec) : 0;
}

static uint32_t word_in_lane(state_t *state, const operand_t *operand, unsigned lane) {
  uint32_t room[MAX_LANES];
  return lanes_of(state, operand, 0, room)[lane % state->n_lanes];
}

static void read_first_lane(state_t *state, const instruction_t *instruction) {
  const operand_t *operands = instruction->operands;
  scalar_write(state, &operands[0], word_in_lane(state, &operands[1], first_active(state)), 1);
}

static void read_lane(state_t *state, const instruction_t *instruction) {
  const operand_t *operands = instruction->operands;
  unsigned lane = (unsigned)scalar_value(state, &operands[2], 4);
  scalar_write(state, &operands[0], word_in_lane(state, &operands[1], lane), 1);
}

static void write_lane(state_t *state, const instruction_t *instruction) {
  const operand_t *operands = instruction->operands;
  unsigned lane = (unsigned)scalar_value(state, &operands[2], 4) % state->n_lanes;
  vector_of(state, operands[0].index)[lane] = (uint32_t)scalar_value(state, &operands[1], 4);
}

static void swap(state_t *state, const instruction_t *instruction) {
  uint32_t first[MAX_LANES], second[MAX_LANES];
  unsigned a = instruction->operands[0].index, b = instruction->operands[1].index;
  memcpy(first, vector_of(state, a), state->n_lanes * sizeof *first);
  memcpy(second, vector_of(state, b), state->n_lanes * sizeof *second);
  lanes_write(state, a, second);
  lanes_write(state, b, first);
}

// v_permlane16: each lane reads the one of its row that a nibble of two scalars names; the other: of the other row.
static void permute_rows(state_t *state, const instruction_t *instruction, unsigned other_row) {
  const operand_t *operands = instruction->operands;
  uint32_t room[MAX_LANES], moved[MAX_LANES];
  const uint32_t *from = lanes_of(state, &operands[1], 0, room);
  uint64_t nibbles = (uint32_t)scalar_value(state, &operands[2], 4) | scalar_value(state, &operands[3], 4) << 32;
  for (unsigned i = 0; i < state->n_lanes; i++)
    moved[i] = from[((i & ~15u) ^ other_row) + (nibbles >> 4 * (i & 15) & 15)];
  lanes_write(state, operands[0].index, moved);
}
static void permute_row(state_t *state, const instruction_t *instruction) { permute_rows(state, instruction, 0); }
static void permute_other_row(state_t *state, const instruction_t *instruction) {
  permute_rows(state, instruction, 16);
}

// Sixteen lanes have a matrix of sixteen columns, elements of |bytes| bytes, of which a lane has loaded 8 bytes of a
// row; it gets 8 bytes of a column. (CDNA4 ISA, "MFMA Transpose Load from LDS": neighbours along the depth for each of
// sixteen rows of an operand.)
void turn_matrices(state_t *state, unsigned index, unsigned group, unsigned piece, unsigned bytes) {
  enum { MOST = 16 };
  uint8_t loaded[MAX_LANES][MOST];
  unsigned n = piece / bytes, words = piece / 4;
  if (exec_of(state) != (state->n_lanes == 64 ? UINT64_MAX : (UINT64_C(1) << state->n_lanes) - 1))
    found(state, "a load that turns a matrix, of which some lanes are not active");
  for (unsigned lane = 0; lane < state->n_lanes; lane++)
    for (unsigned word = 0; word < words; word++)
      memcpy(&loaded[lane][4 * word], &vector_of(state, index + word)[lane], 4);
  for (unsigned lane = 0; lane < state->n_lanes; lane++) {
    uint8_t column[MOST];
    for (unsigned row = 0; row < n; row++)
      memcpy(&column[row * bytes], &loaded[lane / group * group + group / n * row + lane % group / n][lane % n * bytes],
             bytes);
    for (unsigned word = 0; word < words; word++)
      memcpy(&vector_of(state, index + word)[lane], &column[4 * word], 4);
  }
}

static void permute_halves(state_t *state, const instruction_t *instruction) {
  uint32_t room[MAX_LANES], moved[MAX_LANES];
  const uint32_t *from = lanes_of(state, &instruction->operands[1], 0, room);
  for (unsigned i = 0; i < state->n_lanes; i++)
    moved[i] = from[i ^ 32];
  lanes_write(state, instruction->operands[0].index, moved);
}

// gfx950: odd rows (or the upper half) of the first with even rows (the lower half) of the second.
static void swap_rows(state_t *state, const instruction_t *instruction, unsigned unit) {
  uint32_t a[MAX_LANES], b[MAX_LANES];
  unsigned of_a = instruction->operands[0].index, of_b = instruction->operands[1].index;
  memcpy(a, vector_of(state, of_a), state->n_lanes * sizeof *a);
  memcpy(b, vector_of(state, of_b), state->n_lanes * sizeof *b);
  for (unsigned i = 0; i < state->n_lanes; i++)
    if (i & unit) {
      uint32_t kept = a[i];
      a[i] = b[i ^ unit];
      b[i ^ unit] = kept;
    }
  lanes_write(state, of_a, a);
  lanes_write(state, of_b, b);
}
static void swap_rows_16(state_t *state, const instruction_t *instruction) { swap_rows(state, instruction, 16); }
static void swap_rows_32(state_t *state, const instruction_t *instruction) { swap_rows(state, instruction, 32); }

//===-- By way of LDS' network -----------------------------------------------------------------------------------===//

static void finish(state_t *state, const instruction_t *instruction, const uint32_t *moved) {
  lanes_write(state, instruction->operands[0].index, moved);
  waits_mark(state, &instruction->operands[0], 1, CLASS_LDS, waits_issue(state, CLASS_LDS));
}

// An inactive lane gives 0.
static void permute_backward(state_t *state, const instruction_t *instruction) {
  uint32_t moved[MAX_LANES], rooms[2][MAX_LANES];
  const uint32_t *address = lanes_of(state, &instruction->operands[1], 0, rooms[0]);
  const uint32_t *from = lanes_of(state, &instruction->operands[2], 0, rooms[1]);
  for (unsigned i = 0; i < state->n_lanes; i++) {
    unsigned lane = (address[i] + (uint32_t)instruction->offset) / 4 % state->n_lanes;
    moved[i] = exec_of(state) >> lane & 1 ? from[lane] : 0;
  }
  finish(state, instruction, moved);
}

static void permute_forward(state_t *state, const instruction_t *instruction) {
  uint32_t moved[MAX_LANES] = {0}, rooms[2][MAX_LANES];
  const uint32_t *address = lanes_of(state, &instruction->operands[1], 0, rooms[0]);
  const uint32_t *from = lanes_of(state, &instruction->operands[2], 0, rooms[1]);
  for (unsigned i = 0; i < state->n_lanes; i++)
    if (exec_of(state) >> i & 1)
      moved[(address[i] + (uint32_t)instruction->offset) / 4 % state->n_lanes] = from[i];
  finish(state, instruction, moved);
}

// The pattern is the encoding's lowest half, which the text has in words. Bit 15: within quads; else and, or and xor of
// the lane within 32.
static void swizzle(state_t *state, const instruction_t *instruction) {
  uint32_t moved[MAX_LANES], room[MAX_LANES];
  uint16_t pattern;
  const uint32_t *from = lanes_of(state, &instruction->operands[1], 0, room);
  memcpy(&pattern, state->program->memory + instruction->address, sizeof pattern);
  for (unsigned i = 0; i < state->n_lanes; i++) {
    unsigned lane = pattern >> 15
                        ? (i & ~3u) + (pattern >> 2 * (i & 3) & 3)
                        : (i & 32) + ((((i & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
    moved[i] = exec_of(state) >> lane & 1 ? from[lane] : 0;
  }
  finish(state, instruction, moved);
}

//===-- Eight bits -----------------------------------------------------------------------------------------------===//

static void convert_byte(state_t *state, const instruction_t *instruction, unsigned mantissa) {
  uint32_t room[MAX_LANES], values[MAX_LANES];
  const uint32_t *from = lanes_of(state, &instruction->operands[1], 0, room);
  unsigned select = instruction->select[1] != SELECT_DWORD
                        ? instruction->select[1] - SELECT_BYTE_0
                        : (instruction->op_sel >> 1 & 1) | (instruction->op_sel & 1) << 1;
  for (unsigned i = 0; i < state->n_lanes; i++)
    values[i] = bits_f32(as_f8((uint8_t)(from[i] >> 8 * select), mantissa, has_fnuz(state->program->arch)));
  lanes_write(state, instruction->operands[0].index, values);
}
static void convert_fp8(state_t *state, const instruction_t *instruction) { convert_byte(state, instruction, 3); }
static void convert_bf8(state_t *state, const instruction_t *instruction) { convert_byte(state, instruction, 2); }

static const handler_t handlers[] = {
    {"v_readfirstlane_b32", read_first_lane}, {"v_readlane_b32", read_lane},
    {"v_writelane_b32", write_lane},          {"v_swap_b32", swap},
    {"v_permlane16_b32", permute_row},        {"v_permlanex16_b32", permute_other_row},
    {"v_permlane64_b32", permute_halves},     {"v_permlane16_swap_b32", swap_rows_16},
    {"v_permlane32_swap_b32", swap_rows_32},  {"ds_bpermute_b32", permute_backward},
    {"ds_permute_b32", permute_forward},      {"ds_swizzle_b32", swizzle},
    {"v_cvt_f32_fp8", convert_fp8},           {"v_cvt_f32_bf8", convert_bf8},
};

bool across_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  return handler_find(handlers, sizeof handlers / sizeof handlers[0], name, instruction);
}
