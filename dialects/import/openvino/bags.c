// Sums of rows of a table, a bag of rows each, and places in sorted numbers.
#include "dialects/import/openvino/openvino.h"

#include <string.h>

//===-- Bags -----------------------------------------------------------------------------------------------------===//

static const char *index64(ir_node_t *n, int i) { return graph_cast(n->g, ir_operand(n, i), STRATA_DTYPE_I64); }

// [bags, indices]: whether an index is in a bag, which is from one offset up to the next.
static const char *members_by_offsets(ir_node_t *n) {
  int64_t one = 1;
  const char *starts = index64(n, 2), *size = graph_op(n->g, "Size", GRAPH_VALUES(ir_operand(n, 1)));
  const char *later = graph_op(
      n->g, "Slice", GRAPH_VALUES(starts, graph_ints(n->g, 1, &one), graph_ints(n->g, 1, &(int64_t){INT64_MAX})));
  graph_node_t *ends = graph_node(n->g, "Concat", GRAPH_VALUES(later, graph_reshape(n->g, size, 1, &one)));
  graph_set_int(ends, "axis", 0);
  const char *places = graph_count_to(n->g, size), *behind = graph_unsqueeze(n->g, graph_result(ends, NULL), 1, &one);
  return ir_binary(n, "And", ir_binary(n, "GreaterOrEqual", places, graph_unsqueeze(n->g, starts, 1, &one)),
                   ir_binary(n, "Less", places, behind));
}

static const char *members_by_segments(ir_node_t *n) {
  int64_t one = 1;
  const char *bags = graph_count_to(n->g, graph_reshape(n->g, index64(n, 3), 0, NULL));
  return ir_binary(n, "Equal", index64(n, 2), graph_unsqueeze(n->g, bags, 1, &one));
}

// [bags, 1], a number for each bag: how many members it has.
static const char *counts_of(ir_node_t *n, const char *members) {
  return graph_op(n->g, "ReduceSum", GRAPH_VALUES(members, graph_ints(n->g, 1, &(int64_t){1})));
}

// An empty bag has the row of operand |i|, a number that is not negative, or zeros.
static const char *with_default(ir_node_t *n, int i, const char *counts, const char *sums) {
  int64_t row = ir_has(n, i) ? ir_constant_int(n, i, -1) : -1;
  if (row < 0 || n->refusal)
    return sums;
  const char *otherwise = ir_binary(n, "Gather", ir_operand(n, 0), graph_int(n->g, row));
  const char *is_empty = ir_binary(n, "Equal", counts, ir_number_like(n, 0, 0));
  return graph_op(n->g, "Where", GRAPH_VALUES(is_empty, otherwise, sums));
}

static void check_table(ir_node_t *n) {
  if (ir_rank(n, 0) != 2 && !n->refusal)
    ir_refuse(n, "a table of %d dimensions, expected 2", ir_rank(n, 0));
}

static bool is_mean(const ir_node_t *n) { return ir_attr_is(n, "reduction", "mean", false); }

// |first| is the operand with the default's index; the weights are behind it.
static void translate_bags(ir_node_t *n, const char *members, int first) {
  const char *factors = graph_cast(n->g, members, ir_dtype(n, 0)), *weighted = factors;
  if (ir_has(n, first + 1))
    weighted = ir_binary(n, "Mul", factors, ir_operand(n, first + 1));
  const char *sums = ir_binary(n, "MatMul", weighted, ir_binary(n, "Gather", ir_operand(n, 0), index64(n, 1)));
  const char *counts = counts_of(n, factors);
  if (is_mean(n))
    sums = ir_binary(n, "Div", sums, ir_binary(n, "Max", counts, ir_number_like(n, 0, 1)));
  ir_set(n, 0, with_default(n, first, counts, sums));
}

void ir_translate_bags_by_offsets(ir_node_t *n) {
  check_table(n);
  translate_bags(n, members_by_offsets(n), 3);
}

void ir_translate_bags_by_segments(ir_node_t *n) {
  check_table(n);
  translate_bags(n, members_by_segments(n), 4);
}

// A row of indices for each bag.
void ir_translate_packed_bags(ir_node_t *n) {
  int64_t last = -1, one = 1;
  check_table(n);
  const char *rows = ir_binary(n, "Gather", ir_operand(n, 0), index64(n, 1));
  if (ir_has(n, 2))
    rows = ir_binary(n, "Mul", rows, graph_unsqueeze(n->g, ir_operand(n, 2), 1, &last));
  graph_node_t *node =
      graph_node(n->g, is_mean(n) ? "ReduceMean" : "ReduceSum", GRAPH_VALUES(rows, graph_ints(n->g, 1, &one)));
  graph_set_int(node, "keepdims", 0);
  ir_set_node(n, node);
}

//===-- Places in sorted numbers ---------------------------------------------------------------------------------===//

// How many of |numbers|, along the last dim, are before each of |x|, which has no such dim.
static void set_place(ir_node_t *n, const char *numbers, const char *x, bool counts_equal) {
  int64_t last = -1;
  strata_dtype_t type = ir_attr_dtype(n, "output_type", STRATA_DTYPE_I64);
  const char *before = ir_binary(n, counts_equal ? "LessOrEqual" : "Less", numbers, graph_unsqueeze(n->g, x, 1, &last));
  graph_node_t *sum =
      graph_node(n->g, "ReduceSum", GRAPH_VALUES(graph_cast(n->g, before, type), graph_ints(n->g, 1, &last)));
  graph_set_int(sum, "keepdims", 0);
  ir_set_node(n, sum);
}

// In the type of both, where they differ.
static void common_type(ir_node_t *n, const char **x, const char **y) {
  if (ir_dtype(n, 0) == ir_dtype(n, 1))
    return;
  strata_dtype_t type = ir_is_integer(n, 0) && ir_is_integer(n, 1) ? STRATA_DTYPE_I64 : STRATA_DTYPE_F64;
  *x = graph_cast(n->g, *x, type);
  *y = graph_cast(n->g, *y, type);
}

void ir_translate_bucketize(ir_node_t *n) {
  const char *x = ir_operand(n, 0), *numbers = ir_operand(n, 1);
  common_type(n, &x, &numbers);
  set_place(n, numbers, x, !ir_attr_bool(n, "with_right_bound", true));
}

void ir_translate_search_sorted(ir_node_t *n) {
  int64_t behind = -2;
  const char *numbers = ir_operand(n, 0), *x = ir_operand(n, 1);
  common_type(n, &numbers, &x);
  if (ir_rank(n, 0) > 1)
    numbers = graph_unsqueeze(n->g, numbers, 1, &behind);
  set_place(n, numbers, x, ir_attr_bool(n, "right_mode", false));
}
