// What a compile's target and options allow passes to do; devices/ has the devices themselves.
#ifndef STRATA_PASSES_TARGET_H
#define STRATA_PASSES_TARGET_H

#include "devices/cpu/device.h"
#include "devices/gpu/device.h"

// True if products of floats may be sums of integers, in another order and as exact: if nobody asks for a kind of
// arithmetic.
static inline bool strata_may_sum_as_bytes(const strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  return !options->disable_unsafe_math && !options->disable_fast_math && options->precision == STRATA_PRECISION_DEFAULT;
}

// The bytes that the device has instructions to multiply with signed ones: unsigned ones (x86's VNNI, matrix
// instructions) or at least signed ones (MFMA).
typedef enum {
  STRATA_BYTE_PRODUCTS_NONE,
  STRATA_BYTE_PRODUCTS_UNSIGNED,
  STRATA_BYTE_PRODUCTS_SIGNED
} strata_byte_products_t;
STRATA_MUST_CHECK strata_status_t strata_byte_products(strata_compile_t *compile, strata_byte_products_t *out_bytes);

#endif
