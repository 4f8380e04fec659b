// NonMaxSuppression: a loop whose iteration takes the best box left of every class of every image, and away what
// overlaps it. On a cpu it ends when nothing is left; on a GPU, which would have to wait for that, after as many
// iterations as a class has results at most.
#include "dialects/import/onnx/arithmetic.h"
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"

#include <math.h>

enum { TOP, LEFT, BOTTOM, RIGHT, AREA, N_SIDES };

typedef struct {
  strata_dim_t images, classes, boxes, most; // of results a class
  MlirValue sides;                           // [images, N_SIDES, boxes]
  MlirValue threshold;                       // of what overlaps too much
} nms_t;

enum { LEFT_OVER, FOUND, N_FOUND, N_STATES }; // scores of boxes left, places of the best so far, how many they are

static MlirValue both(onnx_node_t *n, MlirValue x, MlirValue y) { return onnx_binary(n, STRATA_OP_AND, x, y); }
static MlirValue is_positive(onnx_node_t *n, MlirValue x) { return onnx_with_number(n, STRATA_OP_GT, x, 0); }

//===-- Boxes ----------------------------------------------------------------------------------------------------===//

// Number |i| of each box, [images, 1, boxes].
static MlirValue column(onnx_node_t *n, MlirValue boxes, int i) {
  return onnx_move_axis(n, onnx_slice_axis(n, boxes, 2, i, 1, 1), 2, 1);
}

static MlirValue sides_of(onnx_node_t *n, MlirValue boxes) {
  MlirValue sides[N_SIDES];
  bool has_center = onnx_attr_int(n, "center_point_box", 0) != 0;
  for (int i = 0; i < 2; i++) {
    // Two corners, y before x, in any order; or the centre's x and y, width and height.
    MlirValue a = column(n, boxes, has_center ? 1 - i : i), b = column(n, boxes, has_center ? 3 - i : 2 + i);
    MlirValue half = has_center ? times(n, b, 0.5) : (MlirValue){0};
    sides[TOP + i] = has_center ? sub(n, a, half) : onnx_binary(n, STRATA_OP_MIN, a, b);
    sides[BOTTOM + i] = has_center ? add(n, a, half) : onnx_binary(n, STRATA_OP_MAX, a, b);
  }
  sides[AREA] = mul(n, sub(n, sides[BOTTOM], sides[TOP]), sub(n, sides[RIGHT], sides[LEFT]));
  return strata_build_concat(n->b, N_SIDES, sides, 1);
}

// Side |i| of all boxes as [images, 1, boxes], of the best ones, [images, N_SIDES, classes], as [images, classes, 1].
static MlirValue side(onnx_node_t *n, MlirValue sides, int i, bool is_best) {
  MlirValue one = onnx_slice_axis(n, sides, 1, i, 1, 1);
  return is_best ? onnx_move_axis(n, one, 1, 2) : one;
}

// How far the spans from |low| to |high| of the best box and of each overlap.
static MlirValue common_span(onnx_node_t *n, MlirValue all, MlirValue best, int low, int high) {
  MlirValue end = onnx_binary(n, STRATA_OP_MIN, side(n, all, high, false), side(n, best, high, true));
  MlirValue begin = onnx_binary(n, STRATA_OP_MAX, side(n, all, low, false), side(n, best, low, true));
  return onnx_with_number(n, STRATA_OP_MAX, sub(n, end, begin), 0);
}

// Which boxes overlap the best one of their class too much, [images, classes, boxes].
static MlirValue overlapping(onnx_node_t *n, const nms_t *nms, MlirValue best) {
  MlirValue common =
      mul(n, common_span(n, nms->sides, best, TOP, BOTTOM), common_span(n, nms->sides, best, LEFT, RIGHT));
  MlirValue area = side(n, nms->sides, AREA, false), other = side(n, best, AREA, true);
  MlirValue all = sub(n, add(n, area, other), common);
  MlirValue ratio = onnx_binary(n, STRATA_OP_DIV_EXACT, common, all);
  MlirValue is_box = both(n, is_positive(n, area), is_positive(n, other));
  return both(n, both(n, is_box, both(n, is_positive(n, common), is_positive(n, all))),
              onnx_binary(n, STRATA_OP_GT, ratio, nms->threshold));
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

static MlirValue last_axis(onnx_node_t *n, MlirValue x) { return onnx_insert_axis(n, x, 2); }

// The next states; whether a class had a box left.
static MlirValue iterate(onnx_node_t *n, const nms_t *nms, const MlirValue *states, MlirValue *next) {
  MlirValue scores = states[LEFT_OVER];
  const bool along_boxes[STRATA_MAX_RANK] = {false, false, true}, all[STRATA_MAX_RANK] = {true, true};
  MlirValue best = strata_build_arg_reduce(n->b, STRATA_COMBINER_MAX, scores, 2, false);
  MlirValue is_left =
      onnx_with_number(n, STRATA_OP_GT, onnx_reduce(n, STRATA_COMBINER_MAX, scores, along_boxes, false), -HUGE_VAL);
  MlirValue gone = overlapping(n, nms, strata_build_gather(n->b, nms->sides, best, 2, 1));
  MlirValue number = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &nms->boxes, 0);
  gone = onnx_binary(n, STRATA_OP_OR, gone, onnx_binary(n, STRATA_OP_EQ, number, last_axis(n, best)));
  gone = both(n, gone, last_axis(n, is_left));
  next[LEFT_OVER] = onnx_select(n, gone, onnx_number(n, scores, -HUGE_VAL), scores);
  MlirValue place = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &nms->most, 0);
  MlirValue is_place = onnx_binary(n, STRATA_OP_EQ, place, last_axis(n, states[N_FOUND]));
  next[FOUND] = onnx_select(n, both(n, is_place, last_axis(n, is_left)), last_axis(n, best), states[FOUND]);
  next[N_FOUND] = add(n, states[N_FOUND], onnx_convert(n, is_left, false, STRATA_TYPE_I64, false));
  return onnx_reduce(n, STRATA_COMBINER_OR, is_left, all, false);
}

static bool run_open(onnx_node_t *n, const nms_t *nms, MlirValue *states) {
  MlirValue open[N_STATES + 1] = {onnx_splat(n, STRATA_TYPE_I1, 0, NULL, 1)}, args[N_STATES + 1], next[N_STATES + 1];
  for (int i = 0; i < N_STATES; i++)
    open[i + 1] = states[i];
  MlirValue limit = strata_build_dim(n->b, nms->most, STRATA_TYPE_I64);
  strata_loop_builder_t *loop = strata_build_open_loop_begin(n->b, INT32_MAX, limit, N_STATES + 1, open, args);
  if (!loop)
    return false;
  next[0] = iterate(n, nms, args + 1, next + 1);
  bool is_built = strata_build_loop_end(loop, N_STATES + 1, next, NULL, open);
  for (int i = 0; i < N_STATES; i++)
    states[i] = open[i + 1];
  return is_built;
}

static bool run_closed(onnx_node_t *n, const nms_t *nms, MlirValue *states) {
  MlirValue args[N_STATES], next[N_STATES];
  strata_loop_builder_t *loop = strata_build_loop_begin(n->b, nms->most, N_STATES, states, 0, NULL, NULL, args);
  if (!loop)
    return false;
  iterate(n, nms, args, next);
  return strata_build_loop_end(loop, N_STATES, next, NULL, states);
}

//===-- The operator ---------------------------------------------------------------------------------------------===//

// Scores of boxes that are to be considered, -inf of the others.
static MlirValue considered(onnx_node_t *n, MlirValue scores) {
  if (!onnx_has(n, 4))
    return scores;
  MlirValue threshold = onnx_reshape(n, onnx_operand(n, 4), 0, NULL);
  return onnx_select(n, onnx_binary(n, STRATA_OP_GT, scores, threshold), scores, onnx_number(n, scores, -HUGE_VAL));
}

// (image, class, box) of what has been found, [results, 3].
static MlirValue results_of(onnx_node_t *n, const nms_t *nms, const MlirValue *states) {
  MlirContext context = n->b->compile->context;
  strata_dim_t all = strata_dim_product(context, 3, (strata_dim_t[]){nms->images, nms->classes, nms->most});
  MlirValue place = onnx_iota_dims(n, STRATA_TYPE_I64, 1, &nms->most, 0);
  MlirValue flags = onnx_binary(n, STRATA_OP_LT, place, last_axis(n, states[N_FOUND]));
  MlirValue kept = onnx_kept_places(n, onnx_reshape_dims(n, flags, 1, &all));
  MlirValue box = strata_build_gather(n->b, onnx_reshape_dims(n, states[FOUND], 1, &all), kept, 0, 0);
  MlirValue row = onnx_with_dim(n, STRATA_OP_DIV, kept, nms->most);
  MlirValue parts[3] = {onnx_with_dim(n, STRATA_OP_DIV, row, nms->classes),
                        onnx_with_dim(n, STRATA_OP_REM, row, nms->classes), box};
  for (int i = 0; i < 3; i++)
    parts[i] = onnx_insert_axis(n, parts[i], 1);
  return strata_build_concat(n->b, 3, parts, 1);
}

// How many results a class has at most: what operand 2 says, if it is known, and no more than there are boxes.
static strata_dim_t most_results(onnx_node_t *n, strata_dim_t boxes, bool *is_known) {
  const int64_t *values;
  int64_t count, most = 0;
  *is_known = !onnx_has(n, 2);
  if (onnx_has(n, 2) && onnx_known_ints(n, onnx_operand(n, 2), &values, &count) && count == 1) {
    *is_known = true;
    most = values[0] > 0 ? values[0] : 0;
  }
  return *is_known ? onnx_derive(n, STRATA_SYMBOL_MIN, onnx_dim(n, most), boxes) : boxes;
}

// Operand 2, where it is known only when the library runs, ends the loop no earlier.
static MlirValue at_most_operand(onnx_node_t *n, MlirValue count) {
  MlirValue most = onnx_reshape(n, onnx_operand(n, 2), 0, NULL);
  return onnx_with_number(n, STRATA_OP_MAX, onnx_binary(n, STRATA_OP_MIN, count, most), 0);
}

void onnx_import_non_max_suppression(onnx_node_t *n) {
  MlirValue boxes = onnx_operand(n, 0), scores = onnx_operand(n, 1);
  strata_shape_t box = onnx_shape(boxes), score = onnx_shape(scores);
  if (!onnx_failed(n) && (box.rank != 3 || score.rank != 3 || !onnx_agree(n, box.dims[0], score.dims[0]) ||
                          !onnx_agree(n, box.dims[1], score.dims[2]) || !onnx_agree(n, box.dims[2], onnx_dim(n, 4))))
    onnx_invalid(n, "expected boxes [images, boxes, 4] and scores [images, classes, boxes]");
  if (onnx_failed(n))
    return;
  scores = onnx_fill_up(n, considered(n, scores), -HUGE_VAL);
  boxes = onnx_fill_up(n, boxes, 0);
  score = onnx_shape(scores);
  bool is_known;
  nms_t nms = {.images = score.dims[0], .classes = score.dims[1], .boxes = score.dims[2]};
  nms.most = most_results(n, nms.boxes, &is_known);
  if (strata_dim_is(nms.most, 0) || strata_dim_is(nms.images, 0) || strata_dim_is(nms.classes, 0)) {
    onnx_set(n, 0, onnx_ints_constant(n, 2, (int64_t[]){0, 3}, NULL));
    return;
  }
  nms.sides = sides_of(n, boxes);
  nms.threshold =
      onnx_has(n, 3) ? onnx_reshape(n, onnx_operand(n, 3), 0, NULL) : onnx_splat(n, STRATA_TYPE_F32, 0, NULL, 0);
  const strata_dim_t dims[3] = {nms.images, nms.classes, nms.most};
  MlirValue states[N_STATES] = {scores, onnx_splat_dims(n, STRATA_TYPE_I64, 3, dims, 0),
                                onnx_splat_dims(n, STRATA_TYPE_I64, 2, dims, 0)};
  bool is_gpu = n->b->compile->options->target != STRATA_TARGET_CPU;
  bool is_built = !onnx_failed(n) && (is_gpu ? run_closed(n, &nms, states) : run_open(n, &nms, states));
  if (!onnx_failed(n) && !is_built)
    onnx_unsupported(n, "boxes and scores that are known at compile time");
  if (onnx_failed(n))
    return;
  if (!is_known)
    states[N_FOUND] = at_most_operand(n, states[N_FOUND]);
  onnx_set(n, 0, results_of(n, &nms, states));
}
