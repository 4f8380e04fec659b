// What operators of attention are made of.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_ATTENTION_H
#define STRATA_DIALECTS_IMPORT_ONNX_ATTENTION_H

#include "dialects/import/onnx/onnx.h"

// softmax(scale * q kᵀ + bias) v, where what is not allowed counts nothing. Values that an operator does not have are
// null.
typedef struct {
  MlirValue q, k, v;          // [batch, heads, length, size]; k and v may have fewer heads, each for as many of q
  double scale;               // 0: 1 / sqrt(size)
  double softcap;             // 0: none
  MlirValue bias;             // floats that can be broadcast to the scores [batch, heads, queries, keys]
  MlirValue allowed;          // booleans that can be
  bool has_empty_rows;        // whether a query may be allowed, or left by the bias, no key at all: its result is 0
  bool sees_a_key;            // whether each query has one for certain: scores of other keys are -inf, so that kernels
                              // may leave out whole blocks of them
  MlirValue sink;             // floats [heads]: a score more in each row, of no value; null: none
  strata_type_t softmax_type; // COUNT: that of the scores
} onnx_attention_t;

typedef enum { ONNX_SCORES, ONNX_CAPPED, ONNX_BIASED, ONNX_PROBABILITIES, ONNX_N_STAGES } onnx_attention_stage_t;

// The result, [batch, heads, queries, size of v]; *out_stages, if not NULL, gets the scores on their way.
MlirValue onnx_attend(onnx_node_t *n, const onnx_attention_t *attention, MlirValue out_stages[ONNX_N_STAGES]);

// [batch, length, heads * size] as [batch, heads, length, size], and back. The former is an error where |heads| do not
// divide what there is.
MlirValue onnx_split_heads(onnx_node_t *n, MlirValue x, int64_t heads);
MlirValue onnx_join_heads(onnx_node_t *n, MlirValue x);
// [batch, length, heads, size] as [batch, heads, length, size] and back.
MlirValue onnx_swap_heads(onnx_node_t *n, MlirValue x);

// The widths of queries, keys and values beside each other in |total| columns, by the attribute 'qkv_hidden_sizes'.
// False after an error.
bool onnx_projection_widths(onnx_node_t *n, int64_t total, int64_t heads, int64_t out[3]);

// Booleans [queries, keys]: key - query - offset compared with |bound|; the offset is a dim.
MlirValue onnx_band(onnx_node_t *n, strata_op_id_t compare, strata_dim_t queries, strata_dim_t keys,
                    strata_dim_t offset, int64_t bound);
// What is said of keys along the last dim of |x|, as a cache with |room| for as many and more has it: 0 of what is
// behind. A size of 1 stays.
MlirValue onnx_to_room(onnx_node_t *n, MlirValue x, strata_dim_t room);
// Both, or the one that is not null.
MlirValue onnx_both(onnx_node_t *n, MlirValue a, MlirValue b);

// Rotates pairs of the last dim of |x| [batch, length, heads, size] by angles whose cosines and sines are
// [batch or 1, length, pairs]: neighbours, if |interleaved|, or an element and the one |pairs| behind it. What is
// behind twice as many elements stays.
MlirValue onnx_rotate(onnx_node_t *n, MlirValue x, MlirValue cos, MlirValue sin, bool interleaved);

#endif
