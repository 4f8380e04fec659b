// A kernel of rows times their sequences' matrices: the one nest that strata-to-affine makes of strata.segment_contract
// where it makes a table of tiles (segment_attention.h) as well, or two, read back.
#ifndef STRATA_DIALECTS_AFFINE_SEGMENT_CONTRACT_H
#define STRATA_DIALECTS_AFFINE_SEGMENT_CONTRACT_H

#include "dialects/affine/segment_attention.h"

// The fewest that tiles may have, which those of the second table have.
enum { STRATA_SEGMENT_FEW_ROWS = 8 };
// Up to as many rows of |sequences| a table by rows has no more tiles of |tile_rows| than one by sequences, which has
// rows / tile_rows + sequences.
static inline int64_t strata_segment_most_by_row(int64_t tile_rows, int64_t sequences) {
  return tile_rows * (sequences / (tile_rows - 1)) + sequences % (tile_rows - 1);
}

// The dims that places are over.
enum {
  STRATA_PRODUCT_ROW,
  STRATA_PRODUCT_COLUMN,
  STRATA_PRODUCT_SEQUENCE,
  STRATA_PRODUCT_STEP,
  STRATA_PRODUCT_DIMS,
};

typedef struct {
  MlirValue tiles, few; // null: there is no second table, by rows, for the few where their number varies
  strata_place_t rows, matrices, result;
  strata_size_t n_rows;
  int64_t columns, steps;
  int64_t tile_rows; // STRATA_SEGMENT_TILE_ATTR, of the first table
} strata_segment_contract_t;

// How many sequences there are, at least.
int64_t strata_segment_contract_sequences(const strata_segment_contract_t *a);
// The same kernel by the second table.
strata_segment_contract_t strata_segment_contract_of_few(const strata_segment_contract_t *a);

// False if the kernel is no such nest.
bool strata_segment_contract_read(const strata_kernel_t *kernel, strata_segment_contract_t *out);

#endif
