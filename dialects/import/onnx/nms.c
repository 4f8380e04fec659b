// NonMaxSuppression: strata.suppress, whose result is as many rows as it counts.
#include "dialects/import/onnx/arithmetic.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

//===-- Operands -------------------------------------------------------------------------------------------------===//

// Number |i| of each box, [images, 1, boxes].
static MlirValue column(onnx_node_t *n, MlirValue boxes, int i) {
  return onnx_move_axis(n, onnx_slice_axis(n, boxes, 2, i, 1, 1), 2, 1);
}

static MlirValue sides_of(onnx_node_t *n, MlirValue boxes) {
  MlirValue sides[STRATA_BOX_SIDES];
  bool has_center = onnx_attr_int(n, "center_point_box", 0) != 0;
  for (int i = 0; i < 2; i++) {
    // Two corners, y before x, in any order; or the centre's x and y, width and height.
    MlirValue a = column(n, boxes, has_center ? 1 - i : i), b = column(n, boxes, has_center ? 3 - i : 2 + i);
    MlirValue half = has_center ? times(n, b, 0.5) : (MlirValue){0};
    sides[STRATA_BOX_LOW + i] = has_center ? sub(n, a, half) : onnx_binary(n, STRATA_OP_MIN, a, b);
    sides[STRATA_BOX_HIGH + i] = has_center ? add(n, a, half) : onnx_binary(n, STRATA_OP_MAX, a, b);
  }
  return strata_build_concat(n->b, STRATA_BOX_SIDES, sides, 1);
}

// Operand |index|, a number, of rank 0; |other| where the node has none.
static MlirValue number_or(onnx_node_t *n, int index, strata_type_t type, double other) {
  return onnx_has(n, index) ? onnx_reshape(n, onnx_operand(n, index), 0, NULL) : onnx_splat(n, type, 0, NULL, other);
}

// How many results a class has room for: what operand 2 says, if it is known, and no more than there are boxes.
static strata_dim_t most_results(onnx_node_t *n, strata_dim_t boxes) {
  const int64_t *values;
  int64_t count, most = 0;
  if (onnx_has(n, 2)) {
    if (!onnx_known_ints(n, onnx_operand(n, 2), &values, &count) || count != 1)
      return boxes;
    most = values[0] > 0 ? values[0] : 0;
  }
  return onnx_derive(n, STRATA_SYMBOL_MIN, onnx_dim(n, most), boxes);
}

//===-- The operator ---------------------------------------------------------------------------------------------===//

void onnx_import_non_max_suppression(onnx_node_t *n) {
  MlirValue boxes = onnx_operand(n, 0), scores = onnx_operand(n, 1);
  strata_shape_t box = onnx_shape(boxes), score = onnx_shape(scores);
  if (!onnx_failed(n) && (box.rank != 3 || score.rank != 3 || !onnx_agree(n, box.dims[0], score.dims[0]) ||
                          !onnx_agree(n, box.dims[1], score.dims[2]) || !onnx_agree(n, box.dims[2], onnx_dim(n, 4))))
    onnx_invalid(n, "expected boxes [images, boxes, 4] and scores [images, classes, boxes]");
  if (onnx_failed(n))
    return;
  // What is behind a count scores no more than any threshold.
  scores = onnx_fill_up(n, onnx_convert(n, scores, false, STRATA_TYPE_F32, false), -HUGE_VAL);
  boxes = onnx_fill_up(n, onnx_convert(n, boxes, false, STRATA_TYPE_F32, false), 0);
  score = onnx_shape(scores);
  strata_dim_t room = most_results(n, score.dims[2]);
  if (strata_dim_is(room, 0) || strata_dim_is(score.dims[0], 0) || strata_dim_is(score.dims[1], 0)) {
    onnx_set(n, 0, onnx_ints_constant(n, 2, (int64_t[]){0, 3}, NULL));
    return;
  }
  const MlirValue operands[] = {sides_of(n, boxes), scores, number_or(n, 3, STRATA_TYPE_F32, 0),
                                number_or(n, 4, STRATA_TYPE_F32, -HUGE_VAL), number_or(n, 2, STRATA_TYPE_I64, 0)};
  if (onnx_failed(n))
    return;
  MlirValue count, found = strata_build_suppress(n->b, operands, room, &count);
  if (onnx_failed(n))
    return;
  strata_dim_t bound = onnx_shape(found).dims[0];
  onnx_set(n, 0, onnx_slice_dims(n, found, 0, onnx_dim(n, 0), 1, onnx_counted_dim(n, count, bound, false)));
}
