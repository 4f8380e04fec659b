// A kernel of rows times their sequences' matrices: the one nest that strata-to-affine makes of strata.segment_contract
// where it makes a table of tiles (segment_attention.h) as well, read back.
#ifndef STRATA_DIALECTS_AFFINE_SEGMENT_CONTRACT_H
#define STRATA_DIALECTS_AFFINE_SEGMENT_CONTRACT_H

#include "dialects/affine/places.h"

// Of the nest, an i64: rows of a tile of the table, at most.
#define STRATA_SEGMENT_TILE_ATTR "strata.tile_rows"

// The dims that places are over.
enum {
  STRATA_PRODUCT_ROW,
  STRATA_PRODUCT_COLUMN,
  STRATA_PRODUCT_SEQUENCE,
  STRATA_PRODUCT_STEP,
  STRATA_PRODUCT_DIMS,
};

typedef struct {
  MlirValue tiles;
  strata_place_t rows, matrices, result;
  strata_size_t n_rows;
  int64_t columns, steps;
  int64_t tile_rows; // of a tile of the table, at most
} strata_segment_contract_t;

// False if the kernel is no such nest.
bool strata_segment_contract_read(const strata_kernel_t *kernel, strata_segment_contract_t *out);

#endif
