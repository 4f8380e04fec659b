// Rows in sequences: what segments.c, segments_gpu.c and segment_tiles.c share. Internal to them.
#ifndef STRATA_LOWERING_STRATA_TO_AFFINE_SEGMENTS_H
#define STRATA_LOWERING_STRATA_TO_AFFINE_SEGMENTS_H

#include "lowering/strata_to_affine/lower.h"

typedef struct {
  MlirValue begin, end;
} strata__span_t;

// The rows of sequence |at|, clamped to the |total| that there are.
strata__span_t strata__segment_span(strata__nest_t *nest, const strata__tensor_t *offsets, MlirValue at,
                                    strata_size_t total);
// |initial| combined with the rows |span| of |rows|, at |point| but for its first dim.
MlirValue strata__segment_reduce_span(strata__nest_t *nest, strata_combiner_t combiner, const strata__tensor_t *rows,
                                      strata__span_t span, const MlirAffineExpr *point, MlirValue initial);
// The number of sequences.
strata_size_t strata__segment_count(const strata__lowering_t *l, const strata__tensor_t *offsets);

// The last of |count| sequences whose first place, an ascending number that |first| gives, is not behind |place|; the
// first one's is not asked for.
typedef MlirValue (*strata__first_place_t)(strata__nest_t *nest, MlirValue sequence, void *user);
MlirValue strata__segment_find(strata__nest_t *nest, strata_size_t count, MlirValue place, strata__first_place_t first,
                               void *user);

// Of many sequences in parts of |rows|: a number of parts that suffices. Those of sequence s begin at number
// offsets[s] / rows + s: no sum over the sequences in front is needed, and up to the next one's first part there is one
// at most that is empty.
strata_size_t strata__segment_parts(strata__lowering_t *l, strata_size_t total, strata_size_t count, int64_t rows);

// On a GPU (segments_gpu.c), where a thread is to do no more than a few rows, however long sequences are.
void strata__lower_segment_rows_gpu(strata__lowering_t *l, MlirOperation op);
// Reduces |rows| to parts of sequences, of which the result is then reduced; returns them.
const strata__tensor_t *strata__lower_segment_parts(strata__lowering_t *l, MlirOperation op,
                                                    const strata__tensor_t *rows, const strata__tensor_t *offsets);
// The parts of sequence |at|.
strata__span_t strata__segment_parts_of(strata__nest_t *nest, const strata__tensor_t *offsets, MlirValue at,
                                        strata_size_t total);

#endif
