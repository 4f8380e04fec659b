// Linear systems, inverses, determinants and Cholesky's factors: loops over the columns of a matrix.
#include "dialects/import/pt2/shape.h"

#include <string.h>

// The matrices [..., size, size] of an argument.
typedef struct {
  const char *name;
  int rank;
  int64_t known;           // the size; -1: it varies
  const char *size, *rows; // i64: the size, and 0, 1, ... as a column
} matrix_t;

static matrix_t new_matrix(pt2_node_t *n, const char *name, int rank, int64_t known) {
  int64_t one = 1, zero = 0;
  matrix_t m = {.name = name, .rank = rank, .known = known};
  m.size = known >= 0 ? graph_int(n->g, known) : graph_squeeze(n->g, pt2_shape(n, name, rank - 1, rank), 1, &zero);
  const char *places = graph_count_to(n->g, m.size);
  m.rows = graph_unsqueeze(n->g, places, 1, &one);
  return m;
}

static matrix_t read_matrix(pt2_node_t *n, const char *name) {
  pt2_value_t value = pt2_tensor(n, name);
  if (value.rank < 2)
    pt2_refuse(n, "expected matrices, got %d dims", value.rank);
  return n->has_failed ? (matrix_t){.name = "", .rank = 2}
                       : new_matrix(n, value.name, value.rank, value.sizes[value.rank - 1].number);
}

static const char *turned(pt2_node_t *n, const char *value, int rank) {
  int64_t order[STRATA_TENSOR_MAX_RANK];
  pt2_swapped_order(rank, rank - 2, rank - 1, order);
  return pt2_transpose(n, value, rank, order);
}

static const char *identity_like(pt2_node_t *n, const matrix_t *m, strata_dtype_t dtype) {
  graph_node_t *node = pt2_node(
      n, "EyeLike",
      GRAPH_VALUES(pt2_op(n, "Expand",
                          GRAPH_VALUES(pt2_number_value(n, dtype, 0), pt2_shape(n, m->name, m->rank - 2, m->rank)))));
  return node ? graph_result(node, NULL) : "";
}

// |value| with the dims in front of the last two that |other| has.
static const char *with_batch_of(pt2_node_t *n, const char *value, const char *other, int rank) {
  int64_t ones[] = {1, 1};
  if (rank == 2)
    return value;
  const char *batch = pt2_shape(n, other, 0, rank - 2);
  return pt2_op(n, "Expand",
                GRAPH_VALUES(value, pt2_along(n, "Concat", GRAPH_VALUES(batch, pt2_known_ints(n, 2, ones)), 0)));
}

//===-- Loops over columns ---------------------------------------------------------------------------------------===//

// The body of a loop of one state, in which everything that follows is made.
typedef struct {
  graph_t *g;
  const char *column, *columns; // which one it is about: a number, and a list of that one
  const char *state;
} step_t;

static step_t open_loop(pt2_node_t *n) {
  int64_t one = 1;
  step_t s = {.g = graph_create_body(n->g)};
  const char *goes_on = graph_fresh(s.g, "goes_on");
  s.column = graph_fresh(s.g, "column");
  s.state = graph_fresh(s.g, "state");
  graph_body_input(s.g, s.column);
  graph_body_input(s.g, goes_on);
  graph_body_input(s.g, s.state);
  graph_output(s.g, graph_fresh(s.g, "result"), goes_on);
  s.columns = graph_reshape(s.g, s.column, 1, &one);
  return s;
}

// |each|: a value of each iteration, stacked in front in |out_stack|; NULL: none.
static const char *close_loop(pt2_node_t *n, const step_t *s, const matrix_t *m, const char *start, const char *next,
                              const char *each, const char **out_stack) {
  graph_output(s->g, graph_fresh(s->g, "result"), next);
  if (each)
    graph_output(s->g, graph_fresh(s->g, "result"), each);
  graph_node_t *loop = graph_node(n->g, "Loop", GRAPH_VALUES(m->size, "", start));
  graph_set_body(loop, "body", s->g);
  const char *end = graph_result(loop, NULL);
  if (each)
    *out_stack = graph_result(loop, NULL);
  return end;
}

// One column, or row, as a dim of 1.
static const char *take(const step_t *s, const char *value, const char *places, int64_t axis) {
  graph_node_t *node = graph_node(s->g, "Gather", GRAPH_VALUES(value, places));
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

static const char *binary(const step_t *s, const char *op, const char *a, const char *b) {
  return graph_op(s->g, op, GRAPH_VALUES(a, b));
}

static const char *choose(const step_t *s, const char *condition, const char *a, const char *b) {
  return graph_op(s->g, "Where", GRAPH_VALUES(condition, a, b));
}

// Gauss and Jordan: [A B] becomes [I X] where A X = B. The row with the largest number of a column is brought where
// that is on the diagonal. |out_pivots|: the numbers divided by, [size, ..., 1, 1], negative where rows were swapped,
// so that their product is the determinant.
static const char *eliminate(pt2_node_t *n, const matrix_t *m, const char *joined, strata_dtype_t dtype,
                             const char **out_pivots) {
  int64_t last = m->rank - 1, behind = m->rank - 2;
  if (n->has_failed)
    return "";
  step_t s = open_loop(n);
  const char *zero = graph_number(s.g, dtype, 0), *least = graph_number(s.g, dtype, -1);
  const char *sizes = graph_op(s.g, "Abs", GRAPH_VALUES(take(&s, s.state, s.columns, last)));
  graph_node_t *most =
      graph_node(s.g, "ArgMax", GRAPH_VALUES(choose(&s, binary(&s, "Less", m->rows, s.column), least, sizes)));
  graph_set_int(most, "axis", behind);
  const char *place = graph_result(most, NULL);
  const char *is_place = binary(&s, "Equal", m->rows, place), *is_own = binary(&s, "Equal", m->rows, s.column);
  const char *found =
      graph_op(s.g, "ReduceSum", GRAPH_VALUES(choose(&s, is_place, s.state, zero), graph_ints(s.g, 1, &behind)));
  const char *pivot = take(&s, found, s.columns, last), *divisor = pivot;
  if (out_pivots) // where all are zero there is nothing to eliminate
    divisor = choose(&s, binary(&s, "Equal", pivot, zero), graph_number(s.g, dtype, 1), pivot);
  const char *row = binary(&s, "Div", found, divisor);
  const char *swapped = choose(&s, is_place, take(&s, s.state, s.columns, behind), s.state);
  const char *factors = take(&s, swapped, s.columns, last);
  const char *next = choose(&s, is_own, row, binary(&s, "Sub", swapped, binary(&s, "Mul", factors, row)));
  const char *is_kept = binary(&s, "Equal", place, s.column);
  const char *signed_pivot = choose(&s, is_kept, pivot, graph_op(s.g, "Neg", GRAPH_VALUES(pivot)));
  return close_loop(n, &s, m, joined, next, out_pivots ? signed_pivot : NULL, out_pivots);
}

// X where A X = B, A being a triangle: rows one after the other, from below where it is the upper one.
static const char *substitute(pt2_node_t *n, const matrix_t *m, const char *b, strata_dtype_t dtype, bool is_upper,
                              bool has_ones) {
  int64_t last = m->rank - 1, behind = m->rank - 2, one = 1;
  if (n->has_failed)
    return "";
  step_t s = open_loop(n);
  if (is_upper) {
    s.column = binary(&s, "Sub", binary(&s, "Sub", m->size, graph_int(s.g, 1)), s.column);
    s.columns = graph_reshape(s.g, s.column, 1, &one);
  }
  const char *row = take(&s, s.state, s.columns, behind), *column = take(&s, m->name, s.columns, last);
  if (!has_ones)
    row = binary(&s, "Div", row, take(&s, column, s.columns, behind));
  const char *is_next = binary(&s, is_upper ? "Less" : "Greater", m->rows, s.column);
  const char *factors = choose(&s, is_next, column, graph_number(s.g, dtype, 0));
  const char *next = choose(&s, binary(&s, "Equal", m->rows, s.column), row,
                            binary(&s, "Sub", s.state, binary(&s, "Mul", factors, row)));
  return close_loop(n, &s, m, b, next, NULL, NULL);
}

//===-- Operators ------------------------------------------------------------------------------------------------===//

static const char *right_columns(pt2_node_t *n, const matrix_t *m, const char *joined) {
  int64_t one = 1, end = INT64_MAX;
  const char *start = pt2_op(n, "Reshape", GRAPH_VALUES(m->size, pt2_known_ints(n, 1, &one)));
  return pt2_slice(n, joined, m->rank - 1, start, pt2_known_ints(n, 1, &end), pt2_known_ints(n, 1, &one));
}

static const char *solve(pt2_node_t *n, const matrix_t *m, const char *b, strata_dtype_t dtype) {
  const char *joined = pt2_along(n, "Concat", GRAPH_VALUES(m->name, b), m->rank - 1);
  return right_columns(n, m, eliminate(n, m, joined, dtype, NULL));
}

// The right sides: the argument, or a matrix of ones on the diagonal.
typedef struct {
  const char *name;
  bool is_vector, is_turned; // X A = B
} sides_t;

// Both sides get the dims of the other in front.
static sides_t read_sides(pt2_node_t *n, matrix_t *m, const char *argument, strata_dtype_t dtype) {
  sides_t sides = {.is_turned = pt2_has(n, "left") && !pt2_bool(n, "left")};
  int64_t last = -1;
  pt2_value_t b = pt2_tensor(n, argument);
  const pt2_meta_t *result = pt2_result(n, 0);
  sides.name = pt2_cast(n, &b, dtype);
  sides.is_vector = result && result->rank == m->rank - 1 && (b.rank == 1 || b.rank == m->rank - 1);
  if (sides.is_vector && !n->has_failed)
    sides.name = graph_unsqueeze(n->g, sides.name, 1, &last);
  int rank = b.rank + sides.is_vector;
  if (rank < 2 || (rank != m->rank && rank != 2 && m->rank != 2))
    pt2_refuse(n, "right sides of %d dims for matrices of %d", b.rank, m->rank);
  if (sides.is_turned && sides.is_vector)
    pt2_refuse(n, "vectors with left=False");
  if (n->has_failed)
    return sides;
  const char *value = m->name;
  if (sides.is_turned) {
    value = turned(n, value, m->rank);
    sides.name = turned(n, sides.name, rank);
  }
  m->rank = rank > m->rank ? rank : m->rank;
  m->name = with_batch_of(n, value, sides.name, rank);
  sides.name = with_batch_of(n, sides.name, m->name, m->rank);
  return sides;
}

static void set_solution(pt2_node_t *n, const matrix_t *m, const sides_t *sides, const char *value) {
  int64_t last = -1;
  if (sides->is_turned)
    value = turned(n, value, m->rank);
  pt2_set(n, 0, sides->is_vector && !n->has_failed ? graph_squeeze(n->g, value, 1, &last) : value);
}

// A X = B, or X A = B; without B the inverse.
void pt2_import_solve(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  matrix_t m = read_matrix(n, pt2_has(n, "A") ? "A" : "self");
  if (pt2_has(n, "B")) {
    sides_t sides = read_sides(n, &m, "B", dtype);
    set_solution(n, &m, &sides, solve(n, &m, sides.name, dtype));
  } else {
    pt2_set(n, 0, solve(n, &m, with_batch_of(n, identity_like(n, &m, dtype), m.name, m.rank), dtype));
  }
}

void pt2_import_solve_triangular(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  bool has_self = pt2_has(n, "B"), is_transposed = !has_self && pt2_bool(n, "transpose");
  matrix_t m = read_matrix(n, has_self ? "self" : "A");
  if (is_transposed)
    m.name = turned(n, m.name, m.rank);
  sides_t sides = read_sides(n, &m, has_self ? "B" : "self", dtype);
  bool is_upper = pt2_bool(n, "upper") != (sides.is_turned != is_transposed);
  set_solution(n, &m, &sides, substitute(n, &m, sides.name, dtype, is_upper, pt2_bool(n, "unitriangular")));
}

// The columns of L, L times its transpose being the matrix, of which one triangle is read.
void pt2_import_cholesky(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  matrix_t m = read_matrix(n, "self");
  bool is_upper = pt2_bool(n, "upper");
  int64_t last = m.rank - 1, behind = m.rank - 2, order[STRATA_TENSOR_MAX_RANK];
  const char *start = is_upper ? turned(n, m.name, m.rank) : m.name, *stack = NULL;
  if (n->has_failed)
    return;
  step_t s = open_loop(n);
  const char *column = take(&s, s.state, s.columns, last), *pivot = take(&s, column, s.columns, behind);
  const char *root = graph_op(s.g, "Sqrt", GRAPH_VALUES(pivot));
  column =
      choose(&s, binary(&s, "Less", m.rows, s.column), graph_number(s.g, dtype, 0), binary(&s, "Div", column, root));
  pt2_swapped_order(m.rank, behind, last, order);
  const char *row = graph_transpose(s.g, column, m.rank, order);
  const char *next = binary(&s, "Sub", s.state, binary(&s, "Mul", column, row));
  close_loop(n, &s, &m, start, next, graph_squeeze(s.g, column, 1, &last), &stack);
  // [columns, ..., rows]: rows and columns go where they belong.
  for (int i = 0; i < m.rank; i++)
    order[i] = (i + 1) % m.rank;
  if (is_upper) {
    order[last] = m.rank - 1;
    order[behind] = 0;
  }
  pt2_set(n, 0, graph_transpose(n->g, stack, m.rank, order));
}

// What Cholesky's factor, "self" of an inverse and else "input2", is of: A X = B.
void pt2_import_cholesky_solve(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  bool is_inverse = !pt2_has(n, "input2"), is_upper = pt2_bool(n, "upper");
  matrix_t m = read_matrix(n, is_inverse ? "self" : "input2");
  sides_t sides = {.name = is_inverse ? with_batch_of(n, identity_like(n, &m, dtype), m.name, m.rank) : ""};
  if (!is_inverse)
    sides = read_sides(n, &m, "self", dtype);
  matrix_t other = m;
  other.name = turned(n, m.name, m.rank);
  const matrix_t *lower = is_upper ? &other : &m, *upper = is_upper ? &m : &other;
  const char *half = substitute(n, lower, sides.name, dtype, false, false);
  pt2_set(n, 0, substitute(n, upper, half, dtype, true, false));
}

static const char *over_pivots(pt2_node_t *n, const char *op, const char *values) {
  int64_t first = 0, ones[] = {-2, -1};
  if (n->has_failed)
    return "";
  graph_node_t *node = graph_node(n->g, op, GRAPH_VALUES(values, graph_ints(n->g, 1, &first)));
  graph_set_int(node, "keepdims", 0);
  return graph_squeeze(n->g, graph_result(node, NULL), 2, ones);
}

// The determinant, its logarithm, or its sign and the logarithm of its size: as the row says.
void pt2_import_determinant(pt2_node_t *n) {
  enum { MOST_EXPANDED = 4 };
  strata_dtype_t dtype = pt2_result_dtype(n);
  matrix_t m = read_matrix(n, pt2_has(n, "A") ? "A" : "self");
  if (!*n->info->detail && m.known >= 0 && m.known <= MOST_EXPANDED) {
    pt2_set(n, 0, pt2_op(n, "Det", GRAPH_VALUES(m.name)));
    return;
  }
  const char *pivots = "";
  eliminate(n, &m, m.name, dtype, &pivots);
  const char *product =
      over_pivots(n, "ReduceProd", *n->info->detail ? pt2_op(n, "Sign", GRAPH_VALUES(pivots)) : pivots);
  const char *logarithms =
      *n->info->detail ? pt2_op(n, "Log", GRAPH_VALUES(pt2_op(n, "Abs", GRAPH_VALUES(pivots)))) : NULL;
  const char *sum = logarithms ? over_pivots(n, "ReduceSum", logarithms) : NULL;
  if (!strcmp(n->info->detail, "log")) { // NaN of a negative one
    product = pt2_op(n, "Add", GRAPH_VALUES(sum, pt2_op(n, "Log", GRAPH_VALUES(product))));
    pt2_set(n, 0, product);
    return;
  }
  pt2_set(n, 0, product);
  if (sum)
    pt2_set(n, 1, sum);
}
