// The operators that are ensembles of decision trees. Where the standard leaves open what they give, it is what ONNX
// Runtime gives: a single score is not transformed, but for PROBIT; of two classes of which one alone has weights, the
// score decides by its sign, or where all weights are positive by one half.
#include "dialects/import/onnx/ml/trees.h"

static onnx_trees_t trees_of(onnx_node_t *n, MlirValue x, int64_t columns, int64_t targets) {
  onnx_trees_t trees = {
      .n = n, .n_columns = columns, .n_targets = targets, .is_double = onnx_shape(x).type == STRATA_TYPE_F64};
  if (targets < 1 || targets > INT32_MAX)
    onnx_invalid(n, "expected 1 target or more, got %lld", (long long)targets);
  return trees;
}

// |scores| and the attribute base_values, if it is given.
static MlirValue with_base(onnx_trees_t *trees, MlirValue scores) {
  int64_t count;
  const double *base = onnx_attr_numbers(trees->n, "base_values", &count, &trees->is_double);
  if (!count || onnx_failed(trees->n) || !onnx_expect_count(trees->n, "base_values", count, trees->n_targets))
    return scores;
  return onnx_binary(trees->n, STRATA_OP_ADD, scores, onnx_row(trees->n, onnx_shape(scores).type, count, base));
}

static const struct {
  const char *name;
  strata_combiner_t combiner;
  bool is_mean;
} aggregates[] = {{"AVERAGE", STRATA_COMBINER_ADD, true},
                  {"SUM", STRATA_COMBINER_ADD, false},
                  {"MIN", STRATA_COMBINER_MIN, false},
                  {"MAX", STRATA_COMBINER_MAX, false}};

enum { SUM = 1, N_AGGREGATES = 4 };

static MlirValue aggregated(onnx_trees_t *trees, int64_t aggregate, MlirValue x) {
  MlirValue scores = onnx_trees_build(trees, aggregates[aggregate].combiner, x);
  if (aggregates[aggregate].is_mean && !onnx_failed(trees->n))
    scores = onnx_with_number(trees->n, STRATA_OP_DIV, scores, (double)trees->roots.count);
  return scores;
}

static MlirValue transformed(onnx_node_t *n, onnx_post_t post, MlirValue scores, int64_t count) {
  return count > 1 || post == ONNX_POST_PROBIT ? onnx_post(n, post, scores) : scores;
}

void onnx_import_tree_ensemble_regressor(onnx_node_t *n) {
  int64_t columns, aggregate = SUM;
  MlirValue x = onnx_matrix(n, 0, &columns);
  if (onnx_failed(n))
    return;
  onnx_trees_t trees = trees_of(n, x, columns, onnx_attr_int(n, "n_targets", 1));
  for (int64_t i = 0; i < N_AGGREGATES; i++)
    if (onnx_attr_is(n, "aggregate_function", aggregates[i].name))
      aggregate = i;
  if (onnx_failed(n) || !onnx_trees_read_lists(&trees, "target"))
    return;
  MlirValue scores = with_base(&trees, aggregated(&trees, aggregate, x));
  scores = transformed(n, onnx_post_of(n), scores, trees.n_targets);
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_convert(n, scores, false, STRATA_TYPE_F32, false));
}

void onnx_import_tree_ensemble(onnx_node_t *n) {
  int64_t columns, aggregate = onnx_attr_int(n, "aggregate_function", SUM),
                   post = onnx_attr_int(n, "post_transform", 0);
  MlirValue x = onnx_matrix(n, 0, &columns);
  if (onnx_failed(n))
    return;
  strata_type_t type = onnx_shape(x).type;
  onnx_trees_t trees = trees_of(n, x, columns, onnx_attr_int(n, "n_targets", 1));
  if (aggregate < 0 || aggregate >= N_AGGREGATES)
    onnx_invalid(n, "attribute 'aggregate_function': there is no %lld", (long long)aggregate);
  else if (post < 0 || post >= ONNX_POST_COUNT)
    onnx_invalid(n, "attribute 'post_transform': there is no %lld", (long long)post);
  if (onnx_failed(n) || !onnx_trees_read_tensors(&trees))
    return;
  MlirValue scores = transformed(n, (onnx_post_t)post, aggregated(&trees, aggregate, x), trees.n_targets);
  if (!onnx_failed(n))
    onnx_set(n, 0, onnx_convert(n, scores, false, type, false));
}

//===-- Classifiers ----------------------------------------------------------------------------------------------===//

// Which classes have weights.
typedef struct {
  onnx_trees_t trees;
  onnx_labels_t labels;
  int64_t n_weighted, weighted; // how many, and the last of them
  bool *has_weights, are_positive;
} classifier_t;

static bool read_classifier(onnx_node_t *n, classifier_t *c, MlirValue x, int64_t columns) {
  if (!onnx_labels_read(n, "classlabels_int64s", "classlabels_strings", &c->labels))
    return false;
  c->trees = trees_of(n, x, columns, c->labels.count);
  if (onnx_failed(n) || !onnx_trees_read_lists(&c->trees, "class"))
    return false;
  c->has_weights = strata_arena_array(n->b->compile->arena, bool, c->labels.count);
  c->are_positive = true;
  for (size_t i = 0; i < c->trees.weights.count; i++) {
    const onnx_tree_weight_t *weight = &c->trees.weights.data[i];
    c->n_weighted += !c->has_weights[weight->target];
    c->has_weights[weight->target] = true;
    c->weighted = weight->target;
    c->are_positive &= weight->weight >= 0;
  }
  return true;
}

// The class with the greatest score, of those that have one.
static MlirValue winner(classifier_t *c, MlirValue scores, bool has_base) {
  onnx_node_t *n = c->trees.n;
  double *offsets = strata_arena_array(n->b->compile->arena, double, c->labels.count);
  if (has_base || !c->n_weighted || c->n_weighted == c->labels.count)
    return onnx_greatest(n, scores);
  for (int64_t i = 0; i < c->labels.count; i++)
    offsets[i] = c->has_weights[i] ? 0 : -1 / 0.0;
  return onnx_greatest(
      n, onnx_binary(n, STRATA_OP_ADD, scores, onnx_row(n, onnx_shape(scores).type, c->labels.count, offsets)));
}

// Two classes by the score of one: a row's class is 1 where that is above the limit.
static MlirValue decided(classifier_t *c, MlirValue score) {
  onnx_node_t *n = c->trees.n;
  MlirValue is_second = onnx_with_number(n, STRATA_OP_GT, score, c->are_positive ? 0.5 : 0);
  return onnx_remove_axis(n, onnx_convert(n, is_second, false, STRATA_TYPE_I64, false), 1);
}

static void set_classified(classifier_t *c, MlirValue classes, MlirValue scores) {
  onnx_node_t *n = c->trees.n;
  if (onnx_failed(n))
    return;
  onnx_set_labels(n, 0, &c->labels, classes);
  onnx_set(n, 1, onnx_convert(n, scores, false, STRATA_TYPE_F32, false));
}

// The score of the one class that has weights, of two; base_values may be one number.
static MlirValue single_score(classifier_t *c, MlirValue scores) {
  onnx_node_t *n = c->trees.n;
  int64_t count;
  const double *base = onnx_attr_numbers(n, "base_values", &count, &c->trees.is_double);
  MlirValue score = onnx_columns(n, scores, c->weighted, 1);
  return count && !onnx_failed(n) ? onnx_with_number(n, STRATA_OP_ADD, score, base[0]) : score;
}

void onnx_import_tree_ensemble_classifier(onnx_node_t *n) {
  classifier_t c = {0};
  int64_t columns, n_base;
  bool ignored = false;
  MlirValue x = onnx_matrix(n, 0, &columns);
  onnx_post_t post = onnx_post_of(n);
  if (onnx_failed(n) || !read_classifier(n, &c, x, columns))
    return;
  onnx_attr_numbers(n, "base_values", &n_base, &ignored);
  MlirValue scores = onnx_trees_build(&c.trees, STRATA_COMBINER_ADD, x), classes;
  bool is_single = c.labels.count == 2 && c.n_weighted == 1 && n_base < 2;
  if (onnx_failed(n))
    return;
  if (!is_single) {
    scores = with_base(&c.trees, scores);
    if (!onnx_failed(n))
      set_classified(&c, winner(&c, scores, n_base), transformed(n, post, scores, c.labels.count));
    return;
  }
  MlirValue score = single_score(&c, scores);
  if (onnx_failed(n))
    return;
  classes = decided(&c, score);
  if (c.weighted == 0)
    scores = onnx_two_scores(n, post, score, c.are_positive);
  else
    scores = onnx_post(n, post, strata_build_concat(n->b, 2, (MlirValue[]){onnx_number(n, score, 0), score}, 1));
  set_classified(&c, classes, scores);
}
