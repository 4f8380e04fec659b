// Weights of few bits in the order in which threads take a matrix instruction's left operand from them.
//
// A product's kernel reads them through a nest "unpack" of its own, which computes what is multiplied:
//
//   affine.parallel (%n, %k) = (0, 0) to (N, K) {
//     %w = affine.load %words[...] : memref<N/16 x K/64 x 128 x i32>   %s = affine.load %scales[...]
//     affine.store (bits of %w - zero) * %s, %weights[%n, %k] } {strata.nest = "unpack", strata.bits, ...}
//
// A tile of 16 rows and 64 steps lies in one piece, and so do its scales, one a row and |block| steps, and zero points.
// Lane l of a warp has rows l / 4 and l / 4 + 8 and steps 2 * (l mod 4) + {0, 1, 8, 9} + 16 * i, as mma's and wgmma's
// fragments have: a word of 4-bit numbers is the eight of one i, in pairs of neighbours along the reduction 16 bits
// apart; one of 8-bit numbers half of these.
#ifndef STRATA_DIALECTS_AFFINE_PACKED_H
#define STRATA_DIALECTS_AFFINE_PACKED_H

#include "dialects/affine/kernel.h"

#define STRATA_UNPACK "unpack"

enum { STRATA_PACKED_ROWS = 16, STRATA_PACKED_STEPS = 64 }; // of a tile

typedef struct {
  int64_t bits, block; // of a number; steps that have one scale
  int64_t zero;        // of all, where there are no zero points
  bool has_zeros;
} strata_packed_form_t;

typedef struct {
  strata_packed_form_t form;
  const strata_nest_t *nest;
  const strata_access_t *words, *scales, *zeros; // zeros: NULL if there are none
} strata_packed_t;

// True if |buffer| is what a nest "unpack" of the kernel stores.
bool strata_packed_read(const strata_kernel_t *kernel, MlirValue buffer, strata_packed_t *out);

// Of a tile: words, scales of a row, all scales; steps that have such, 64 or a block.
int64_t strata_packed_words(const strata_packed_form_t *form);
int64_t strata_packed_row_scales(const strata_packed_form_t *form);
int64_t strata_packed_scales(const strata_packed_form_t *form);
int64_t strata_packed_scale_steps(const strata_packed_form_t *form);
// Bytes of a row's 64 steps with all that belongs to them, shared among the tile's rows.
int64_t strata_packed_row_bytes(const strata_packed_form_t *form);

#endif
