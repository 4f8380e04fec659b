// Scalar instructions, as scalar.def has them.
#include "test/support/driver/amdgpu/code.h"
#include "test/support/driver/amdgpu/numbers.h"

typedef enum { NOTHING, U32, I32, U64, F32, F16, K32, N16 } type_t;

typedef struct {
  uint64_t a, b, third, d, exec;
  uint32_t scc;
} values_t;

typedef struct {
  const char *name;
  void (*run)(values_t *values);
  uint8_t result, a, b;
  bool saves; // and changes exec
} row_t;

typedef int of_NOTHING;
typedef uint32_t of_U32, of_N16;
typedef int32_t of_I32, of_K32;
typedef uint64_t of_U64;
typedef float of_F32, of_F16;

// Registers as values, and back.
#define FROM_NOTHING (int)
#define FROM_U32 (uint32_t)
#define FROM_N16 (uint32_t)
#define FROM_I32 (int32_t)
#define FROM_K32 (int32_t)
#define FROM_U64 (uint64_t)
#define FROM_F32(bits) as_f32((uint32_t)(bits))
#define FROM_F16(bits) as_f16((uint16_t)(bits))
#define TO_NOTHING (uint64_t)
#define TO_U32 (uint64_t)
#define TO_I32 (uint64_t)
#define TO_U64 (uint64_t)
#define TO_F32 bits_f32
#define TO_F16 half_of
#define THIRD as_f32((uint32_t)values->third)

#define FIELD(a, from, width, bits)                                                                                    \
  ((width) == 0 ? 0 : (a) >> (from) & ((width) >= (bits) ? ~(a) | (a) : (((a)*0 + 1) << (width)) - 1))
#define SIGNED_FIELD(a, from, width, bits)                                                                             \
  ((width) == 0 || (from) + (width) >= (bits)                                                                          \
       ? shift_signed((a), (from), (width), (bits))                                                                    \
       : shift_signed((a) << ((bits) - (from) - (width)), (bits) - (width), 1, bits))

// Shifted right with its sign, of a number of |bits|.
static uint64_t shift_signed(uint64_t a, unsigned by, unsigned width, unsigned bits) {
  int64_t value = bits == 32 ? (int32_t)(uint32_t)a : (int64_t)a;
  return width ? (uint64_t)(value >> by) : 0;
}

// Of the tables' expressions, whose types are those of their rows.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-local-typedefs"

#define BODY(function, result, A, B, ...)                                                                              \
  static void function(values_t *values) {                                                                             \
    const of_##A a = FROM_##A(values->a);                                                                              \
    const of_##B b = FROM_##B(values->b);                                                                              \
    of_##result d = FROM_##result(values->d);                                                                          \
    uint32_t scc = values->scc;                                                                                        \
    uint64_t exec = values->exec;                                                                                      \
    __VA_ARGS__;                                                                                                       \
    values->d = TO_##result(d);                                                                                        \
    values->scc = scc;                                                                                                 \
    values->exec = exec;                                                                                               \
  }
#define SCALAR(name, result, A, B, ...) BODY(name, result, A, B, __VA_ARGS__)
#define OPERAND_u(type) type
#define OPERAND_NOTHING(type) NOTHING
#define WIDTH(name, type, c_type, n_bits, B, ...) WIDTH_(name, type, c_type, n_bits, B, __VA_ARGS__)
#define WIDTH_(name, type, c_type, n_bits, B, ...)                                                                     \
  BODY(name, type, type, B, typedef c_type u; const unsigned bits = n_bits; __VA_ARGS__)
#define SCALAR2(name, B, ...)                                                                                          \
  WIDTH(name##_b32, U32, uint32_t, 32, OPERAND_##B(U32), __VA_ARGS__)                                                  \
  WIDTH(name##_b64, U64, uint64_t, 64, OPERAND_##B(U64), __VA_ARGS__)
#define SAVING(name, ...)                                                                                              \
  BODY(name##_b32, U32, U32, NOTHING, typedef uint32_t u; d = (u)exec; __VA_ARGS__; exec &= UINT32_MAX;                \
       scc = exec != 0)                                                                                                \
  BODY(name##_b64, U64, U64, NOTHING, typedef uint64_t u; d = (u)exec; __VA_ARGS__; scc = exec != 0)
#include "test/support/driver/amdgpu/scalar.def"

#pragma GCC diagnostic pop

static const row_t rows[] = {
#define SCALAR(name, result, A, B, ...) {#name, name, result, A, B, false},
#define SCALAR2(name, B, ...)                                                                                          \
  {#name "_b32", name##_b32, U32, U32, OPERAND_##B(U32), false},                                                       \
      {#name "_b64", name##_b64, U64, U64, OPERAND_##B(U64), false},
#define SAVING(name, ...)                                                                                              \
  {#name "_b32", name##_b32, U32, U32, NOTHING, true}, {#name "_b64", name##_b64, U64, U64, NOTHING, true},
#include "test/support/driver/amdgpu/scalar.def"
};

static uint64_t value_of(const state_t *state, const operand_t *operand, type_t type) {
  if (type == K32)
    return (uint64_t)(int64_t)(int16_t)operand->integer;
  if (type == N16)
    return (uint16_t)operand->integer;
  return scalar_value(state, operand, type == U64 ? 8 : type == F16 ? 2 : 4);
}

static void carry_out_scalar(state_t *state, const instruction_t *instruction) {
  const row_t *row = instruction->row;
  uint32_t *scalars = state->wave->scalars;
  const operand_t *operands = instruction->operands;
  unsigned needed = (row->result != NOTHING) + 1u + (row->b != NOTHING), next = row->result != NOTHING;
  if (instruction->n_operands < needed)
    found(state, "%s with %u operands", row->name, instruction->n_operands);
  values_t values = {.scc = scalars[SCC], .exec = exec_of(state)};
  values.a = value_of(state, &operands[next], row->a);
  if (row->b != NOTHING)
    values.b = value_of(state, &operands[next + 1], row->b);
  if (instruction->n_operands > needed)
    values.third = value_of(state, &operands[needed], F32);
  if (row->result != NOTHING)
    values.d = scalar_value(state, &operands[0], row->result == U64 ? 8 : 4);
  row->run(&values);
  scalars[SCC] = values.scc;
  if (row->saves) {
    scalars[EXEC] = (uint32_t)values.exec;
    if (state->n_lanes == 64)
      scalars[EXEC + 1] = (uint32_t)(values.exec >> 32);
  }
  if (row->result != NOTHING)
    scalar_write(state, &operands[0], values.d, row->result == U64 ? 2 : 1);
}

bool scalar_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (strcmp(rows[i].name, name) == 0) {
      instruction->row = &rows[i];
      instruction->name = rows[i].name;
      instruction->carry_out = carry_out_scalar;
      return true;
    }
  return false;
}
