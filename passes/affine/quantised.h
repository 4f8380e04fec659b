// Weights that a kernel in front of a product dequantises: (number - zero) * scale, numbers of 4 or 8 bits.
#ifndef STRATA_PASSES_AFFINE_QUANTISED_H
#define STRATA_PASSES_AFFINE_QUANTISED_H

#include "dialects/affine/packed.h"
#include "passes/affine/schedule_gpu.h"

// A factor of the formula: what is in |buffer|, of the kernel, at map(weights' coordinates), or a constant.
typedef struct {
  MlirValue buffer;
  MlirAffineMap map;
  double constant;
  bool is_constant;
} strata_quantised_factor_t;

typedef struct {
  strata_kernel_t kernel; // that dequantises
  MlirType element;       // of the weights
  bool is_signed;         // of 4 or 8 bits; else without sign
  strata_quantised_factor_t number, scale, zero;
  strata_packed_form_t form; // |zero| of numbers that begin at 0
} strata_quantised_t;

// Of a kernel: another one may have taken the place of all its calls.
#define STRATA_REPLACED "strata.replaced"

// True if |func|, called by |call|, stores nothing but such weights into its last argument, whose dim |steps| is the
// reduction's; scales and zero points are the same for blocks of a power of two of its steps, 16 or more, and each
// result is that of the type's own arithmetic.
STRATA_MUST_CHECK strata_status_t strata_quantised_read(strata_compile_t *compile, MlirOperation func,
                                                        MlirOperation call, int steps, strata_quantised_t *out,
                                                        bool *out_is_one);

// Lets the question's product read its columns' operand packed where that is constant, dequantised, few rows are
// multiplied and the device has an instruction whose left operand threads hand on. *out_packed: it does; the question's
// records are stale then.
STRATA_MUST_CHECK strata_status_t strata_pack_quantised(const strata_gpu_contraction_t *question, bool *out_packed);

#endif
