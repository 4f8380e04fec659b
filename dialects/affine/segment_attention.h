// A kernel of attention within sequences: the one nest that strata-to-affine makes of strata.segment_attention, read
// back. What other code makes of the nest, and what it does not take, stays scalar.
#ifndef STRATA_DIALECTS_AFFINE_SEGMENT_ATTENTION_H
#define STRATA_DIALECTS_AFFINE_SEGMENT_ATTENTION_H

#include "dialects/affine/places.h"

// Of a task on a cpu: the rows that a tile of keys is packed for, at most, and about the keys of a tile. Of 16
// sequences of up to 2048, heads of 64, windows of 96, 192, 288 and 512 rows reach 73, 78, 82 and 85 GFLOP/s of a
// core's time; tiles of 256 keys are no faster.
enum { STRATA_SEGMENT_WINDOW = 512, STRATA_SEGMENT_KEYS = 128 };

// The dims that places are over. A step is of the sum of a score, or the element of a row of values.
enum {
  STRATA_SEGMENT_ROW,
  STRATA_SEGMENT_HEAD,
  STRATA_SEGMENT_KEY,
  STRATA_SEGMENT_STEP,
  STRATA_SEGMENT_DIMS,
};

// The table of tiles that the nest reads, too, where strata-to-affine makes one: of each tile its first row and how
// many are its own, then the first of its keys, how many of them the last of its rows sees, and, causal, how many its
// first row does, and a tile's rows more: what is less than that many is before the first key; then the sequence. A
// tile of no rows sees no keys.
enum { STRATA_SEGMENT_TILE_ROWS = 128 }; // that a tile has, unless something else is chosen
// Of the nest, an i64: rows of a tile of the (first) table, at most.
#define STRATA_SEGMENT_TILE_ATTR "strata.tile_rows"
enum {
  STRATA_SEGMENT_TILE_FIRST,
  STRATA_SEGMENT_TILE_OWN,
  STRATA_SEGMENT_TILE_KEYS,
  STRATA_SEGMENT_TILE_END,
  STRATA_SEGMENT_TILE_SEEN,
  STRATA_SEGMENT_TILE_SEQUENCE,
  STRATA_SEGMENT_TILE_FIELDS,
};

typedef struct {
  const strata_nest_t *nest;
  MlirValue tiles; // null: there is no table
  // Of the map of rows and of offsets, whose entry |key| is meant.
  strata_place_t q, k, v, rows, offsets, key_offsets, result;
  strata_size_t n_rows, n_keys; // in all
  strata_size_t n_sequences;
  int64_t heads, steps, values;
  int64_t tile_rows; // STRATA_SEGMENT_TILE_ATTR; 0: there is no table
  double scale;
  bool is_causal;
} strata_segment_attention_t;

// False if the kernel is no such nest, or not one on f32 or narrower floats.
bool strata_segment_attention_read(const strata_kernel_t *kernel, strata_segment_attention_t *out);

#endif
