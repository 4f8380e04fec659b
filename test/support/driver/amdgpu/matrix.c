// Products of matrices whose elements lie among a wave's registers: where, then the sums. The ISA documents leave the
// order of a sum open; here it is that of the depth, each step a fused multiply and add in the result's type.
#include "test/support/driver/amdgpu/code.h"
#include "test/support/driver/amdgpu/numbers.h"

// F8: FP8 or BF8, as a modifier says.
typedef enum { F64, F32, XF32, F16, BF16, FP8, BF8, I32, I8, I4, F8 } type_t;

typedef struct {
  const char *name, *older;
  type_t result, a, b;
  uint8_t rows, columns, depth, blocks;
  bool is_wmma, is_scaled;
} row_t;

static const row_t rows[] = {
#define MFMA(name, older, result, a, b, m, n, k, blocks) {name, older, result, a, b, m, n, k, blocks, false, false},
#define SCALED(name, result, a, b, m, n, k) {name, "", result, a, b, m, n, k, 1, false, true},
#define WMMA(name, result, a, b) {name, "", result, a, b, 16, 16, 16, 1, true, false},
#include "test/support/driver/amdgpu/matrix.def"
};

enum { MAX_SIZE = 32, MAX_DEPTH = 128 };

// One block's numbers; integers are numbers too.
typedef struct {
  double a[MAX_SIZE][MAX_DEPTH], b[MAX_DEPTH][MAX_SIZE], c[MAX_SIZE][MAX_SIZE];
} product_t;

//===-- Elements -------------------------------------------------------------------------------------------------===//

static unsigned bits_in(type_t type) {
  static const uint8_t bits[] = {64, 32, 32, 16, 16, 8, 8, 32, 8, 4, 8};
  return bits[type];
}

typedef struct {
  state_t *state;
  const instruction_t *instruction;
  const row_t *row;
} context_t;

// The |index|-th element of a lane's registers.
static uint64_t element(const state_t *state, const operand_t *operand, unsigned lane, unsigned index, unsigned bits) {
  uint32_t room[MAX_LANES];
  unsigned word = index * bits / 32;
  if (operand->kind != VECTOR)
    return constant_bits(operand, bits / 8 < 2 ? 4 : bits / 8);
  uint64_t value = lanes_of(state, operand, word, room)[lane];
  if (bits == 64)
    return value | (uint64_t)lanes_of(state, operand, word + 1, room)[lane] << 32;
  return bits == 32 ? value : value >> index * bits % 32 & ((UINT64_C(1) << bits) - 1);
}

static double number_of(const context_t *context, uint64_t bits, type_t type, bool is_signed) {
  uint32_t arch = context->state->program->arch;
  bool is_fnuz = has_fnuz(arch);
  switch (type) {
  case F64:
    return as_f64(bits);
  case F32:
    return (double)as_f32((uint32_t)bits);
  case XF32: // 10 bits of the mantissa
    return (double)as_f32(((uint32_t)bits + 0xFFF + (bits >> 13 & 1)) & ~UINT32_C(0x1FFF));
  case F16:
    return (double)as_f16((uint16_t)bits);
  case BF16:
    return (double)as_bf16((uint16_t)bits);
  case FP8:
    return (double)as_f8((uint8_t)bits, 3, is_fnuz);
  case BF8:
  case F8:
    return (double)as_f8((uint8_t)bits, 2, is_fnuz);
  case I32:
    return (int32_t)bits;
  case I8:
    return is_signed ? (int8_t)bits : (double)bits;
  case I4:
    return is_signed ? (double)((int)(bits ^ 8) - 8) : (double)bits;
  }
  return 0;
}

// cbsz says the format of a, blgp that of b: 1 is BF8, 0 FP8.
static unsigned format_of(const instruction_t *instruction, unsigned which) {
  return instruction->modifiers >> (which == 1 ? 0 : 16) & 0xFF;
}

static double load(const context_t *context, unsigned which, unsigned lane, unsigned index, type_t type) {
  const operand_t *operand = &context->instruction->operands[which];
  if (type == F8 && format_of(context->instruction, which) == 0)
    type = FP8;
  bool is_signed = !context->row->is_wmma || which > 2 || context->instruction->neg_lo >> (which - 1) & 1;
  return number_of(context, element(context->state, operand, lane, index, bits_in(type)), type, is_signed);
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

static uint64_t sum(const context_t *context, const product_t *product, unsigned i, unsigned j) {
  const row_t *row = context->row;
  const double *a = product->a[i];
  double c = product->c[i][j];
  if (row->result == I32) {
    int64_t total = (int64_t)c;
    for (unsigned k = 0; k < row->depth; k++)
      total += (int64_t)(a[k] * product->b[k][j]);
    if (context->instruction->clamp)
      total = MAX(MIN(total, INT32_MAX), INT32_MIN);
    return (uint32_t)total;
  }
  for (unsigned k = 0; k < row->depth; k++)
    c = row->is_scaled       ? (double)(float)fma(a[k], product->b[k][j], c) // numbers may be beyond f32's
        : row->result == F64 ? fma(a[k], product->b[k][j], c)
                             : (double)fmaf((float)a[k], (float)product->b[k][j], (float)c);
  return row->result == F64    ? bits_f64(c)
         : row->result == F32  ? bits_f32((float)c)
         : row->result == BF16 ? bf16_of((float)c)
                               : half_of((float)c);
}

//===-- MFMA -----------------------------------------------------------------------------------------------------===//

// Where a result's register lies: of f64 a column's rows are spread over the lanes, of others four lie in one.
static void place(const row_t *row, unsigned lane, unsigned index, unsigned *block, unsigned *i, unsigned *j) {
  unsigned per_block = (unsigned)row->rows * row->columns / 64, group = lane / row->columns;
  *j = lane % row->columns;
  if (row->rows == 4) { // blocks lie beside each other
    *block = group % row->blocks;
    *i = row->result == F64 ? group / row->blocks : index;
    return;
  }
  *block = index / per_block;
  index %= per_block;
  *i = row->result == F64 ? 64u / row->columns * index + group
                          : 256u / row->columns * (index / 4) + 4 * group + index % 4;
}

// A lane's elements are neighbours along the depth, of F8 two runs of 16; sums are the same wherever both operands have
// them alike.
static void load_block(const context_t *context, unsigned block, product_t *product) {
  const row_t *row = context->row;
  unsigned n = (unsigned)row->depth * row->rows * row->blocks / 64, together = row->a == F8 ? 16 : n;
  for (unsigned lane = 0; lane < 64; lane++) {
    unsigned group = lane / row->rows, first = group / row->blocks * together;
    for (unsigned index = 0; group % row->blocks == block && index < n; index++) {
      unsigned k = first + index / together * (row->depth / (n / together)) + index % together;
      product->a[lane % row->rows][k] = load(context, 1, lane, index, row->a);
      product->b[k][lane % row->columns] = load(context, 2, lane, index, row->b);
    }
  }
}

// The scale of operand |which| in |lane|: 2 to the power of a byte of its word and -127. op_sel has the lower bit of
// the byte's number, op_sel_hi the upper one.
static double scale_of(const context_t *context, unsigned which, unsigned lane) {
  enum { FIRST = 3, BIAS = 127, NO_NUMBER = 255 };
  const instruction_t *instruction = context->instruction;
  unsigned high = instruction->has_op_sel_hi ? instruction->op_sel_hi : NO_NUMBER;
  unsigned byte = (instruction->op_sel >> (which - 1) & 1) + 2 * (high >> (which - 1) & 1);
  uint64_t word = element(context->state, &instruction->operands[FIRST + which], lane, 0, 32);
  int code = (int)(word >> 8 * byte & 0xFF);
  return code == NO_NUMBER ? (double)NAN : ldexp(1, code - BIAS);
}

// A lane has the scale of its row, or column, for the block along the depth whose number is the lane's.
static void scale_block(const context_t *context, product_t *product) {
  enum { BLOCK = 32 };
  const row_t *row = context->row;
  for (unsigned lane = 0; lane < 64; lane++) {
    double a = scale_of(context, 1, lane), b = scale_of(context, 2, lane);
    unsigned first = lane / row->rows * BLOCK;
    for (unsigned k = first; k < first + BLOCK; k++) {
      product->a[lane % row->rows][k] *= a;
      product->b[k][lane % row->columns] *= b;
    }
  }
}

// Modifiers of MFMA say what our kernels never ask for, but of F8 the formats.
static bool has_known_form(const instruction_t *instruction, const row_t *row) {
  if (row->a != F8)
    return !instruction->modifiers;
  return !(instruction->modifiers & 0xFF00) && format_of(instruction, 1) <= 1 && format_of(instruction, 2) <= 1;
}

static void carry_out_mfma(state_t *state, const instruction_t *instruction) {
  const row_t *row = instruction->row;
  context_t context = {state, instruction, row};
  unsigned words = row->result == F64 ? 2 : 1, n = (unsigned)row->rows * row->columns * row->blocks / 64;
  uint32_t results[32][MAX_LANES];
  product_t product;
  if (state->n_lanes != 64 || !has_known_form(instruction, row) || instruction->neg_lo || instruction->n_operands < 4 ||
      instruction->operands[0].count != n * words || (row->is_scaled && instruction->n_operands != 6))
    found(state, "a form of it that the executor does not know");
  for (unsigned block = 0; block < row->blocks; block++) {
    load_block(&context, block, &product);
    if (row->is_scaled)
      scale_block(&context, &product);
    for (unsigned at = 0; at < n * 64; at++) {
      unsigned of, i, j, lane = at % 64, index = at / 64;
      place(row, lane, index, &of, &i, &j);
      if (of != block)
        continue;
      product.c[i][j] = load(&context, 3, lane, index, row->result);
      uint64_t value = sum(&context, &product, i, j);
      results[index * words][lane] = (uint32_t)value;
      if (words == 2)
        results[index * words + 1][lane] = (uint32_t)(value >> 32);
    }
  }
  for (unsigned word = 0; word < n * words; word++) // whatever exec says
    memcpy(vector_of(state, instruction->operands[0].index + word), results[word], 64 * sizeof(uint32_t));
}

//===-- WMMA -----------------------------------------------------------------------------------------------------===//

// gfx11: both halves of the wave hold all of a and b. gfx12: a half of the depth each.
static void load_halves(const context_t *context, product_t *product) {
  const row_t *row = context->row;
  bool is_split = context->state->program->generation >= 12;
  unsigned together = is_split ? 8 : 16;
  for (unsigned lane = 0; lane < 32; lane++)
    for (unsigned index = 0; index < together; index++) {
      unsigned k = is_split ? lane / 16 * together + index : index;
      double a = load(context, 1, lane, index, row->a), b = load(context, 2, lane, index, row->b);
      bool differs = !is_split && lane >= 16 && (product->a[lane % 16][k] != a || product->b[k][lane % 16] != b);
      if (differs && a == a && b == b)
        found(context->state, "lanes 0 to 15 and 16 to 31 hold different operands");
      product->a[lane % 16][k] = a;
      product->b[k][lane % 16] = b;
    }
}

// gfx11: rows alternate between the halves of the wave, and a narrow result has a register of its own, a half of it.
// gfx12: eight rows in each half, narrow ones two in a register.
static void carry_out_wmma(state_t *state, const instruction_t *instruction) {
  const row_t *row = instruction->row;
  context_t context = {state, instruction, row};
  bool is_split = state->program->generation >= 12, is_narrow = bits_in(row->result) == 16;
  unsigned high = !is_split && is_narrow ? instruction->op_sel >> 2 & 1 : 0;
  product_t product;
  uint32_t results[8][MAX_LANES];
  unsigned n = is_split && is_narrow ? 4 : 8;
  if (state->n_lanes != 32 || instruction->n_operands < 4 || instruction->operands[0].count != n ||
      (row->result != I32 && (instruction->neg_lo || instruction->neg_hi)))
    found(state, "a form of it that the executor does not know");
  if (exec_of(state) != UINT32_MAX)
    found(state, "some lanes are inactive");
  load_halves(&context, &product);
  for (unsigned word = 0; word < n; word++)
    memcpy(results[word], vector_of(state, instruction->operands[0].index + word), 32 * sizeof(uint32_t));
  for (unsigned at = 0; at < 8 * 32; at++) {
    unsigned lane = at % 32, index = at / 32, j = lane % 16;
    unsigned i = is_split ? 8 * (lane / 16) + index : 2 * index + lane / 16;
    unsigned place = is_narrow && !is_split ? 2 * index + high : index;
    product.c[i][j] = load(&context, 3, lane, place, row->result);
    uint32_t value = (uint32_t)sum(&context, &product, i, j);
    if (is_narrow) {
      unsigned shift = place % 2 * 16;
      results[place / 2][lane] = (results[place / 2][lane] & ~(UINT32_C(0xFFFF) << shift)) | value << shift;
    } else
      results[index][lane] = value;
  }
  for (unsigned word = 0; word < n; word++)
    memcpy(vector_of(state, instruction->operands[0].index + word), results[word], 32 * sizeof(uint32_t));
}

bool matrix_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(rows[i].name, name) == 0 || (*rows[i].older && strcmp(rows[i].older, name) == 0)) {
      instruction->row = &rows[i];
      instruction->name = rows[i].name;
      instruction->carry_out = rows[i].is_wmma ? carry_out_wmma : carry_out_mfma;
      return true;
    }
  return false;
}
