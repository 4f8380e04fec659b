// Block-level vectors as pieces of native registers.
//
// A vector<AxBxN> is A * B rows of ceil(N / lanes) pieces: 1-d vectors of |lanes| elements, the last of a row shorter
// if need be. A piece of one element is a scalar, so with lanes = 1 every element has a register of its own: row
// maxima, or the side of a product that is broadcast. A scalar is one row of one piece.
//
// The layout is data, as it will be for GPUs: element (row, column) lives in piece row * per_row + column / lanes, lane
// column % lanes.
#ifndef STRATA_LOWERING_TILE_TO_CPU_PIECES_H
#define STRATA_LOWERING_TILE_TO_CPU_PIECES_H

#include "lowering/expand/ops.h"

enum { STRATA_VECTOR_RANK = 8 };

typedef struct {
  MlirType type; // of the block-level value
  MlirType element;
  int rank; // 0: a scalar
  int64_t sizes[STRATA_VECTOR_RANK];
  int64_t row_length; // the last size
  int64_t lanes;      // of a full piece
  int64_t per_row;    // pieces of a row
  int64_t n_elements, n_pieces;
  MlirValue *values; // n_pieces
} strata_pieces_t;

// The layout of |type| in pieces of at most |lanes| elements, without values. A type that is no vector is one scalar.
strata_pieces_t strata_pieces_layout(MlirType type, int64_t lanes);
int64_t strata_piece_length(const strata_pieces_t *pieces, int64_t piece);
MlirType strata_piece_type(const strata_pieces_t *pieces, int64_t piece);
// The row-major number of the first element of a piece.
int64_t strata_piece_first(const strata_pieces_t *pieces, int64_t piece);

// Emits a piece made of |length| elements given by their row-major numbers: nothing where it is a piece already.
MlirValue strata_pieces_gather(strata_emitter_t *e, const strata_pieces_t *pieces, int64_t length,
                               const int64_t *elements);

#endif
