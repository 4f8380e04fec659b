// Rows that are pieces in memory: a few channels of each pixel, where channels lie side by side.
#ifndef STRATA_PASSES_AFFINE_PIECES_H
#define STRATA_PASSES_AFFINE_PIECES_H

#include "dialects/affine/kernel.h"

// Bytes that lie side by side of what |access| reads or stores while the dims in |inner| go through their extents.
int64_t strata_piece_bytes(const strata_nest_t *nest, const strata_access_t *access, uint32_t inner);

// True if pieces of so many bytes have less than a sector of memory each.
bool strata_is_piece_short(int64_t bytes);

// Bytes of the sectors that a piece lies in, on an average, for one byte of it.
double strata_piece_traffic(int64_t bytes);

#endif
