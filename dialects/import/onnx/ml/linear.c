// Linear models and support vector machines: products with coefficients, or with kernels of support vectors.
#include "dialects/import/onnx/ml/ml.h"

#include <string.h>

static MlirValue plus(onnx_node_t *n, MlirValue x, int64_t count, const double *values) {
  return onnx_failed(n) ? x : onnx_binary(n, STRATA_OP_ADD, x, onnx_row(n, onnx_shape(x).type, count, values));
}

// x [rows, columns] times the transpose of |values|, [count, columns].
static MlirValue product(onnx_node_t *n, MlirValue x, int64_t count, int64_t columns, const double *values) {
  if (onnx_failed(n))
    return x;
  strata_type_t type = onnx_shape(x).type;
  MlirValue matrix = onnx_floats(n, type, 2, (int64_t[]){count, columns}, values);
  return onnx_contract(n, "mk,nk->mn", x, matrix, type, "matmul");
}

static void set_scores(onnx_node_t *n, int i, MlirValue scores) {
  if (!onnx_failed(n))
    onnx_set(n, i, onnx_convert(n, scores, false, STRATA_TYPE_F32, false));
}

static MlirValue linear_scores(onnx_node_t *n, MlirValue x, int64_t targets, int64_t columns, bool needs_intercepts) {
  int64_t n_coefficients, n_intercepts;
  const double *coefficients = onnx_attr_doubles(n, "coefficients", &n_coefficients);
  const double *intercepts = onnx_attr_doubles(n, "intercepts", &n_intercepts);
  if (targets < 1 || targets > INT32_MAX)
    onnx_invalid(n, "expected 1 target or more, got %lld", (long long)targets);
  if (onnx_failed(n) || !onnx_expect_count(n, "coefficients", n_coefficients, targets * columns))
    return x;
  MlirValue scores = product(n, x, targets, columns, coefficients);
  if (!n_intercepts && !needs_intercepts)
    return scores;
  return onnx_expect_count(n, "intercepts", n_intercepts, targets) ? plus(n, scores, targets, intercepts) : scores;
}

void onnx_import_linear_regressor(onnx_node_t *n) {
  int64_t columns, targets = onnx_attr_int(n, "targets", 1);
  onnx_post_t post = onnx_post_of(n);
  MlirValue x = onnx_matrix(n, 0, &columns);
  MlirValue scores = linear_scores(n, x, targets, columns, false);
  set_scores(n, 0, targets > 1 || post == ONNX_POST_PROBIT ? onnx_post(n, post, scores) : scores);
}

// The class is the second where the score is above 0.
static MlirValue is_above_zero(onnx_node_t *n, MlirValue score) {
  MlirValue is_second = onnx_with_number(n, STRATA_OP_GT, score, 0);
  return onnx_remove_axis(n, onnx_convert(n, is_second, false, STRATA_TYPE_I64, false), 1);
}

void onnx_import_linear_classifier(onnx_node_t *n) {
  int64_t columns, n_coefficients;
  onnx_labels_t labels;
  onnx_post_t post = onnx_post_of(n);
  MlirValue x = onnx_matrix(n, 0, &columns);
  onnx_attr_doubles(n, "coefficients", &n_coefficients);
  if (onnx_failed(n) || !onnx_labels_read(n, "classlabels_ints", "classlabels_strings", &labels))
    return;
  bool is_single = labels.count == 2 && n_coefficients == columns;
  MlirValue scores = linear_scores(n, x, is_single ? 1 : labels.count, columns, true);
  if (onnx_failed(n))
    return;
  MlirValue classes = is_single ? is_above_zero(n, scores) : onnx_greatest(n, scores);
  onnx_set_labels(n, 0, &labels, classes);
  set_scores(n, 1, is_single ? onnx_two_scores(n, post, scores, true) : onnx_post(n, post, scores));
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  double gamma, coef0, degree;
} kernel_t;

static kernel_t kernel_of(onnx_node_t *n) {
  int64_t count;
  kernel_t kernel = {.name = onnx_attr_string(n, "kernel_type", "LINEAR")};
  const double *params = onnx_attr_doubles(n, "kernel_params", &count);
  if (count && onnx_expect_count(n, "kernel_params", count, 3))
    kernel = (kernel_t){kernel.name, params[0], params[1], params[2]};
  return kernel;
}

// The squares of a row's elements, summed: [rows, 1].
static MlirValue squares(onnx_node_t *n, MlirValue x) {
  const bool axes[2] = {false, true};
  return onnx_reduce(n, STRATA_COMBINER_ADD, strata_build_binary(n->b, STRATA_OP_MUL, x, x), axes, true);
}

static const double *squares_of(onnx_node_t *n, int64_t count, int64_t columns, const double *vectors) {
  double *sums = strata_arena_array(n->b->compile->arena, double, count);
  for (int64_t i = 0; i < count * columns; i++)
    sums[i / columns] += vectors[i] * vectors[i];
  return sums;
}

// exp(-gamma |x - v|^2), by the product of x and v: |x|^2 - 2 x v + |v|^2.
static MlirValue radial(onnx_node_t *n, const kernel_t *kernel, MlirValue x, MlirValue products, int64_t count,
                        int64_t columns, const double *vectors) {
  MlirValue distance = onnx_binary(n, STRATA_OP_ADD, onnx_with_number(n, STRATA_OP_MUL, products, -2), squares(n, x));
  distance = plus(n, distance, count, squares_of(n, count, columns, vectors));
  distance = onnx_with_number(n, STRATA_OP_MAX, distance, 0);
  return onnx_unary(n, STRATA_OP_EXP, onnx_with_number(n, STRATA_OP_MUL, distance, -kernel->gamma));
}

// The kernel of each row with each of |count| vectors.
static MlirValue kernel_values(onnx_node_t *n, MlirValue x, int64_t count, int64_t columns, const double *vectors) {
  kernel_t kernel = kernel_of(n);
  MlirValue products = product(n, x, count, columns, vectors);
  if (onnx_failed(n) || !strcmp(kernel.name, "LINEAR"))
    return products;
  if (!strcmp(kernel.name, "RBF"))
    return radial(n, &kernel, x, products, count, columns, vectors);
  MlirValue y = onnx_with_number(n, STRATA_OP_MUL, products, kernel.gamma);
  y = onnx_with_number(n, STRATA_OP_ADD, y, kernel.coef0);
  if (!strcmp(kernel.name, "POLY"))
    return onnx_with_number(n, STRATA_OP_POW, y, kernel.degree);
  return onnx_unary(n, STRATA_OP_TANH, y);
}

// What all support vector machines have.
typedef struct {
  int64_t columns, n_vectors, n_coefficients, n_rho;
  const double *vectors, *coefficients, *rho;
} machine_t;

static bool read_machine(onnx_node_t *n, int64_t n_vectors, int64_t columns, machine_t *m) {
  int64_t count;
  *m = (machine_t){.columns = columns, .n_vectors = n_vectors};
  m->vectors = onnx_attr_doubles(n, "support_vectors", &count);
  m->coefficients = onnx_attr_doubles(n, "coefficients", &m->n_coefficients);
  m->rho = onnx_attr_doubles(n, "rho", &m->n_rho);
  if (n_vectors < 0 || n_vectors > INT32_MAX)
    onnx_invalid(n, "expected a number of support vectors, got %lld", (long long)n_vectors);
  if (!m->n_rho)
    onnx_invalid(n, "attribute 'rho' is missing");
  return !onnx_failed(n) && (!n_vectors || onnx_expect_count(n, "support_vectors", count, n_vectors * columns));
}

void onnx_import_svm_regressor(onnx_node_t *n) {
  int64_t columns;
  machine_t m;
  MlirValue x = onnx_matrix(n, 0, &columns), scores;
  if (onnx_failed(n) || !read_machine(n, onnx_attr_int(n, "n_supports", 0), columns, &m))
    return;
  if (!onnx_expect_count(n, "coefficients", m.n_coefficients, m.n_vectors ? m.n_vectors : columns))
    return;
  if (m.n_vectors)
    scores = product(n, kernel_values(n, x, m.n_vectors, columns, m.vectors), 1, m.n_vectors, m.coefficients);
  else
    scores = kernel_values(n, x, 1, columns, m.coefficients);
  scores = plus(n, scores, 1, m.rho);
  if (onnx_failed(n))
    return;
  if (onnx_attr_int(n, "one_class", 0))
    scores = onnx_select(n, onnx_with_number(n, STRATA_OP_GT, scores, 0), onnx_number(n, scores, 1),
                         onnx_number(n, scores, -1));
  else if (onnx_post_of(n) == ONNX_POST_PROBIT)
    scores = onnx_post(n, ONNX_POST_PROBIT, scores);
  set_scores(n, 0, scores);
}

//===-- Classes by pairs -----------------------------------------------------------------------------------------===//

// Coefficients of each pair's decision for each vector, [pairs, vectors]: those of the vectors of its two classes.
static const double *pair_coefficients(onnx_node_t *n, const machine_t *m, int64_t classes, const int64_t *sizes) {
  double *table = strata_arena_array(n->b->compile->arena, double, classes *classes * m->n_vectors);
  int64_t *first = strata_arena_array(n->b->compile->arena, int64_t, classes + 1);
  for (int64_t i = 0; i < classes; i++)
    first[i + 1] = first[i] + sizes[i];
  double *row = table;
  for (int64_t i = 0; i < classes; i++)
    for (int64_t j = i + 1; j < classes; j++, row += m->n_vectors) {
      for (int64_t v = first[i]; v < first[i + 1]; v++)
        row[v] = m->coefficients[(j - 1) * m->n_vectors + v];
      for (int64_t v = first[j]; v < first[j + 1]; v++)
        row[v] = m->coefficients[i * m->n_vectors + v];
    }
  return table;
}

// The class that most pairs decide for, the first of equals: a decision above 0 is one for the pair's first class.
static MlirValue voted(onnx_node_t *n, MlirValue decisions, int64_t classes, int64_t pairs) {
  double *for_first = strata_arena_array(n->b->compile->arena, double, classes *pairs);
  double *for_second = strata_arena_array(n->b->compile->arena, double, classes);
  for (int64_t i = 0, pair = 0; i < classes; i++)
    for (int64_t j = i + 1; j < classes; j++, pair++) {
      for_first[i * pairs + pair] = 1;
      for_first[j * pairs + pair] = -1;
      for_second[j]++;
    }
  MlirValue is_first = onnx_with_number(n, STRATA_OP_GT, decisions, 0);
  is_first = onnx_convert(n, is_first, false, onnx_shape(decisions).type, false);
  return onnx_greatest(n, plus(n, product(n, is_first, classes, pairs, for_first), classes, for_second));
}

// Of the first class of each pair.
static MlirValue first_probabilities(onnx_node_t *n, MlirValue decisions, int64_t pairs, const double *a,
                                     const double *b) {
  strata_type_t type = onnx_shape(decisions).type;
  MlirValue x = onnx_binary(n, STRATA_OP_MUL, decisions, onnx_row(n, type, pairs, a));
  x = onnx_binary(n, STRATA_OP_ADD, x, onnx_row(n, type, pairs, b));
  return onnx_composite(n, STRATA_COMPOSITE_SIGMOID, onnx_unary(n, STRATA_OP_NEG, x));
}

// Of two classes the probabilities are those of the one decision.
static MlirValue pair_probabilities(onnx_node_t *n, MlirValue decisions, double a, double b) {
  MlirValue x = onnx_with_number(n, STRATA_OP_ADD, onnx_with_number(n, STRATA_OP_MUL, decisions, a), b);
  MlirValue first = onnx_composite(n, STRATA_COMPOSITE_SIGMOID, onnx_unary(n, STRATA_OP_NEG, x));
  MlirValue second = onnx_composite(n, STRATA_COMPOSITE_SIGMOID, x);
  return onnx_failed(n) ? x : strata_build_concat(n->b, 2, (MlirValue[]){first, second}, 1);
}

static MlirValue machine_scores(onnx_node_t *n, onnx_post_t post, MlirValue decisions, int64_t classes) {
  int64_t n_a, n_b;
  const double *a = onnx_attr_doubles(n, "prob_a", &n_a), *b = onnx_attr_doubles(n, "prob_b", &n_b);
  const int64_t pairs = classes * (classes - 1) / 2;
  if (n_a && onnx_expect_count(n, "prob_a", n_a, pairs) && onnx_expect_count(n, "prob_b", n_b, pairs)) {
    MlirValue p = classes == 2 ? pair_probabilities(n, decisions, a[0], b[0])
                               : onnx_coupled_probabilities(n, first_probabilities(n, decisions, pairs, a, b), classes);
    return onnx_post(n, post, p);
  }
  if (onnx_failed(n) || classes > 2)
    return onnx_post(n, post, decisions);
  return onnx_two_scores(n, post, decisions, post != ONNX_POST_NONE);
}

// Coefficients of classes themselves.
static void linear_machine(onnx_node_t *n, const machine_t *m, const onnx_labels_t *labels, MlirValue x) {
  if (!onnx_expect_count(n, "coefficients", m->n_coefficients, labels->count * m->columns))
    return;
  MlirValue scores = kernel_values(n, x, labels->count, m->columns, m->coefficients);
  if (!onnx_failed(n))
    scores = onnx_with_number(n, STRATA_OP_ADD, scores, m->rho[0]);
  if (onnx_failed(n))
    return;
  onnx_set_labels(n, 0, labels, onnx_greatest(n, scores));
  set_scores(n, 1, onnx_post(n, onnx_post_of(n), scores));
}

static int64_t sum_of(onnx_node_t *n, int64_t count, const int64_t *sizes) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) {
    if (sizes[i] < 0 || sizes[i] > INT32_MAX)
      onnx_invalid(n, "attribute 'vectors_per_class': got %lld", (long long)sizes[i]);
    sum += sizes[i] < 0 || sizes[i] > INT32_MAX ? 0 : sizes[i];
  }
  return sum;
}

void onnx_import_svm_classifier(onnx_node_t *n) {
  enum { MOST_CLASSES = 1 << 12 };
  int64_t columns, n_sizes;
  onnx_labels_t labels;
  machine_t m;
  MlirValue x = onnx_matrix(n, 0, &columns);
  const int64_t *sizes = onnx_attr_ints(n, "vectors_per_class", &n_sizes);
  int64_t n_vectors = sum_of(n, n_sizes, sizes);
  if (onnx_failed(n) || !onnx_labels_read(n, "classlabels_ints", "classlabels_strings", &labels) ||
      !read_machine(n, n_vectors, columns, &m))
    return;
  if (!n_vectors) {
    linear_machine(n, &m, &labels, x);
    return;
  }
  const int64_t classes = labels.count, pairs = classes * (classes - 1) / 2;
  if (classes < 2 || classes > MOST_CLASSES)
    onnx_invalid(n, "expected 2 to %d labels, got %lld", MOST_CLASSES, (long long)classes);
  if (onnx_failed(n) || !onnx_expect_count(n, "vectors_per_class", n_sizes, classes) ||
      !onnx_expect_count(n, "coefficients", m.n_coefficients, (classes - 1) * n_vectors) ||
      !onnx_expect_count(n, "rho", m.n_rho, pairs))
    return;
  MlirValue kernels = kernel_values(n, x, n_vectors, columns, m.vectors);
  MlirValue decisions = product(n, kernels, pairs, n_vectors, pair_coefficients(n, &m, classes, sizes));
  decisions = plus(n, decisions, pairs, m.rho);
  MlirValue scores = machine_scores(n, onnx_post_of(n), decisions, classes);
  if (onnx_failed(n))
    return;
  onnx_set_labels(n, 0, &labels, voted(n, decisions, classes, pairs));
  set_scores(n, 1, scores);
}
