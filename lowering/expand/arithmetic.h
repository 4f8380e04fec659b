// Ops of arith and math, on scalars and vectors alike, by what a machine has: as they are, expanded to polynomials, or
// as calls of libm. The results of an op do not depend on the vector it is computed in.
#ifndef STRATA_LOWERING_EXPAND_ARITHMETIC_H
#define STRATA_LOWERING_EXPAND_ARITHMETIC_H

#include "lowering/emit/emit.h"

// What the machine has, and where code goes.
typedef struct {
  strata_emitter_t *e;
  strata_arena_t *arena;
  MlirModule libm;           // where functions of libm are declared; null: there is none to call
  bool has_fma;              // fused multiply-add
  bool has_f16, has_bf16;    // conversions from and to f32
  bool has_f8, has_f8_fnuz;  // the same of scalars of 8 bits, by tile.f8_widen and tile.f8_narrow
  bool has_approximations;   // exp2, log2, rsqrt and quotients of f32 in hardware, for ops that allow them (afn)
  bool rounds_to_16;         // all results of the kernel are floats of 16 bits: 2^-17 is close enough
  const char *quad_products; // LLVM's intrinsic of strata_cpu_device_t; NULL: there is none
  bool has_byte_pairs;       // of strata_cpu_device_t
  bool has_tanh; // tanh of f32 in hardware, to bf16's precision, for ops that round to it (tile.rounds_to_bf16)
} strata_arithmetic_t;

// True for the ops of arith and math, constants apart: same meaning element by element.
bool strata_op_is_arithmetic(MlirOperation op);
// Emits |op|, one of those, on new operands giving |type|. A null value if the machine has no way to compute it.
MlirValue strata_emit_arithmetic(const strata_arithmetic_t *m, MlirOperation op, int n_operands,
                                 const MlirValue *operands, MlirType type);
// k * (1 + erf(c * a)), as of a gelu, where |op| is that and the machine has a shorter form of it; and that form.
typedef struct {
  MlirValue a; // null: it is not
  double c, k;
} strata_normal_t;
strata_normal_t strata_match_normal(const strata_arithmetic_t *m, MlirOperation op);
MlirValue strata_emit_normal(const strata_arithmetic_t *m, const strata_normal_t *normal, MlirValue a);
// A function of libm, called lane by lane; operands and result are of |type|.
MlirValue strata_emit_libm(const strata_arithmetic_t *m, const char *name, int n_operands, const MlirValue *operands,
                           MlirType type);
// A widening conversion by its op's name.
MlirValue strata_emit_conversion(const strata_arithmetic_t *m, const char *name, MlirValue value, MlirType type);
// a * b + c, fused where the machine does that.
MlirValue strata_emit_multiply_add(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c);

// c plus the sum of four products of bytes (dialects/affine/quads.h), of i32.
// The same where the bytes of |a| are below 128.
MlirValue strata_emit_quads(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c);
MlirValue strata_emit_small_quads(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c);
// |sum| plus |products|, by one instruction if they are such a sum of the machine's from 0; false if not.
bool strata_emit_quads_sum(const strata_arithmetic_t *m, MlirValue sum, MlirValue products, MlirValue *out);

// Turns floats of at most |most_bits| bits in a kernel, given by its entry block, into integers: they are only moved.
void strata_store_small_floats(MlirBlock kernel, unsigned most_bits);

#endif
