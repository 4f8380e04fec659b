// Pieces of block-level vectors: their layout, and building one from others; see pieces.h.
#include "lowering/tile_to_cpu/pieces.h"

#include "dialects/integers.h"

#include <assert.h>

//===-- Layout ---------------------------------------------------------------------------------------------------===//

strata_pieces_t strata_pieces_layout(MlirType type, int64_t lanes) {
  strata_pieces_t pieces = {.type = type, .element = type, .row_length = 1, .lanes = 1, .per_row = 1, .n_elements = 1};
  if (mlirTypeIsAVector(type)) {
    pieces.element = mlirShapedTypeGetElementType(type);
    pieces.rank = (int)mlirShapedTypeGetRank(type);
    assert(pieces.rank <= STRATA_VECTOR_RANK);
    for (int i = 0; i < pieces.rank; i++)
      pieces.n_elements *= pieces.sizes[i] = mlirShapedTypeGetDimSize(type, i);
    pieces.lanes = lanes;
    pieces.row_length = pieces.rank ? pieces.sizes[pieces.rank - 1] : 1;
    pieces.per_row = strata_ceil_div(pieces.row_length, lanes);
  }
  pieces.n_pieces = pieces.n_elements / pieces.row_length * pieces.per_row;
  return pieces;
}

int64_t strata_piece_length(const strata_pieces_t *pieces, int64_t piece) {
  int64_t rest = pieces->row_length - piece % pieces->per_row * pieces->lanes;
  return strata_min(rest, pieces->lanes);
}

MlirType strata_piece_type(const strata_pieces_t *pieces, int64_t piece) {
  return strata_lanes_type(pieces->element, strata_piece_length(pieces, piece));
}

int64_t strata_piece_first(const strata_pieces_t *pieces, int64_t piece) {
  return piece / pieces->per_row * pieces->row_length + piece % pieces->per_row * pieces->lanes;
}

typedef struct {
  int64_t piece, lane;
} place_t;

static place_t place_of(const strata_pieces_t *pieces, int64_t element) {
  int64_t row = element / pieces->row_length, column = element % pieces->row_length;
  return (place_t){row * pieces->per_row + column / pieces->lanes, column % pieces->lanes};
}

//===-- Emission -------------------------------------------------------------------------------------------------===//

// Emits one element, as a scalar.
static MlirValue element_of(strata_emitter_t *e, const strata_pieces_t *pieces, int64_t element) {
  place_t place = place_of(pieces, element);
  return strata_lanes_extract(e, pieces->values[place.piece], place.lane);
}

enum { MAX_LANES = 64 };

// How the elements of a new piece lie in the old ones.
typedef struct {
  bool is_splat, is_whole; // one element everywhere; exactly one piece
  bool is_shuffle;         // of two pieces of vector type and equal length, |first| and |second|
  int64_t first, second;
} gathering_t;

static gathering_t classify(const strata_pieces_t *pieces, int64_t length, const int64_t *elements) {
  int64_t first = place_of(pieces, elements[0]).piece, first_length = strata_piece_length(pieces, first);
  gathering_t g = {true, first_length == length, first_length > 1, first, first};
  for (int64_t i = 0; i < length; i++) {
    place_t place = place_of(pieces, elements[i]);
    g.is_splat &= elements[i] == elements[0];
    g.is_whole &= place.piece == first && place.lane == i;
    if (place.piece == first)
      continue;
    if (g.second == first)
      g.second = place.piece;
    g.is_shuffle &= place.piece == g.second && strata_piece_length(pieces, g.second) == first_length;
  }
  return g;
}

static MlirValue shuffle_elements(strata_emitter_t *e, const strata_pieces_t *pieces, int64_t length,
                                  const int64_t *elements, const gathering_t *g) {
  int64_t mask[MAX_LANES], width = strata_piece_length(pieces, g->first);
  for (int64_t i = 0; i < length; i++) {
    place_t place = place_of(pieces, elements[i]);
    mask[i] = place.lane + (place.piece == g->first ? 0 : width);
  }
  return strata_lanes_shuffle(e, pieces->values[g->first], pieces->values[g->second], length, mask);
}

MlirValue strata_pieces_gather(strata_emitter_t *e, const strata_pieces_t *pieces, int64_t length,
                               const int64_t *elements) {
  assert(length <= MAX_LANES);
  if (length == 1)
    return element_of(e, pieces, elements[0]);
  gathering_t g = classify(pieces, length, elements);
  if (g.is_whole)
    return pieces->values[g.first];
  if (g.is_splat)
    return strata_lanes_splat(e, element_of(e, pieces, elements[0]), length);
  if (g.is_shuffle)
    return shuffle_elements(e, pieces, length, elements, &g);
  MlirValue scalars[MAX_LANES];
  for (int64_t i = 0; i < length; i++)
    scalars[i] = element_of(e, pieces, elements[i]);
  return strata_lanes_of_scalars(e, length, scalars);
}
