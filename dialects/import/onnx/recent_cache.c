// Caches of the last tokens: com.microsoft's GroupQueryAttention with sliding_window_cache.
#include "dialects/import/onnx/recent_cache.h"
#include "dialects/import/onnx/sizes.h"

MlirValue onnx_recent_joined(onnx_node_t *n, MlirValue past, MlirValue new) {
  return onnx_failed(n) ? new : strata_build_concat(n->b, 2, (MlirValue[]){past, new}, 2);
}

// The first token that a cache has where |count|, [batch, 1], have been.
static MlirValue first(onnx_node_t *n, const onnx_recent_t *r, MlirValue count) {
  MlirValue left = onnx_with_number(n, STRATA_OP_SUB, count, (double)r->window); // have left the window
  left = onnx_with_number(n, STRATA_OP_MAX, left, 0);
  strata_dim_t at_once = strata_dim_sub(r->room, onnx_dim(n, r->window - 1));
  return onnx_binary(n, STRATA_OP_SUB, left, onnx_with_dim(n, STRATA_OP_REM, left, at_once));
}

// Counts from 0 on, i64 [1, count].
static MlirValue counted(onnx_node_t *n, strata_dim_t count) {
  return onnx_iota_dims(n, STRATA_TYPE_I64, 2, (strata_dim_t[]){onnx_dim(n, 1), count}, 1);
}

MlirValue onnx_recent_tokens(onnx_node_t *n, const onnx_recent_t *r) {
  MlirValue place = counted(n, strata_dim_add(r->room, r->queries));
  MlirValue at = onnx_with_dim(n, STRATA_OP_SUB, place, r->room); // among the new ones
  MlirValue is_new = onnx_with_number(n, STRATA_OP_GE, at, 0);
  MlirValue old = onnx_binary(n, STRATA_OP_ADD, first(n, r, r->begin), place);
  MlirValue token = onnx_select(n, is_new, onnx_binary(n, STRATA_OP_ADD, r->begin, at), old);
  MlirValue end = onnx_select(n, is_new, r->count, r->begin);
  return onnx_select(n, onnx_binary(n, STRATA_OP_LT, token, end), token, onnx_number(n, token, -1));
}

MlirValue onnx_recent_kept(onnx_node_t *n, const onnx_recent_t *r, MlirValue joined) {
  MlirValue token = onnx_binary(n, STRATA_OP_ADD, first(n, r, r->count), counted(n, r->room));
  MlirValue old = onnx_binary(n, STRATA_OP_SUB, token, first(n, r, r->begin));
  MlirValue new = onnx_with_dim(n, STRATA_OP_ADD, onnx_binary(n, STRATA_OP_SUB, token, r->begin), r->room);
  MlirValue place = onnx_select(n, onnx_binary(n, STRATA_OP_LT, token, r->begin), old, new);
  return onnx_failed(n) ? joined : strata_build_gather(n->b, joined, place, 2, 1);
}
