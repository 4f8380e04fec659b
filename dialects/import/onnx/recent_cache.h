// Caches of keys and values that hold the last tokens alone, in their order, from place 0 on.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_RECENT_CACHE_H
#define STRATA_DIALECTS_IMPORT_ONNX_RECENT_CACHE_H

#include "dialects/import/onnx/onnx.h"

// A step that adds |queries| tokens to a cache [batch, heads, room, size], of which begin and count, i64 [batch, 1],
// say how many tokens there were in front of the step and are behind it; new ones beyond that are not meant. The last
// |window| of all are kept, and those behind the last multiple of room - window + 1 that are not: so many leave at
// once.
typedef struct {
  int64_t window;
  strata_dim_t batch, queries, room;
  MlirValue begin, count;
} onnx_recent_t;

// |past| with |new| tokens, [batch, heads, queries, size], behind: [batch, heads, room + queries, size].
MlirValue onnx_recent_joined(onnx_node_t *n, MlirValue past, MlirValue new);
// Which tokens these are, counted from the first there was, i64 [batch, room + queries]; -1: none.
MlirValue onnx_recent_tokens(onnx_node_t *n, const onnx_recent_t *r);
// The cache behind the step, of what onnx_recent_joined() gives. Nothing is said of places behind the last token.
MlirValue onnx_recent_kept(onnx_node_t *n, const onnx_recent_t *r, MlirValue joined);

#endif
