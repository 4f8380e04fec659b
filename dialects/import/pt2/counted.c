// Operators whose results have a size that data decide, and numbers that a program reads from tensors: the ONNX
// importer counts what there is (docs/sizes.md).
#include "dialects/import/pt2/converter.h"
#include "dialects/import/pt2/shape.h"

// What the program asks of a number that data decide (torch._check), as the bound of sizes; NULL: nothing.
static void note_bound(pt2_node_t *n, const pt2_size_t *number, const char *value) {
  const pt2_range_t *range = number ? pt2_find_range(n->converter->program, number) : NULL;
  if (range && range->max < INT32_MAX)
    graph_bound(n->g, value, range->max);
}

void pt2_import_item(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  strata_dtype_t dtype = self.dtype == STRATA_DTYPE_BOOL ? STRATA_DTYPE_BOOL
                         : pt2_is_float(self.dtype)      ? STRATA_DTYPE_F64
                                                         : STRATA_DTYPE_I64;
  const char *value = pt2_cast(n, &self, dtype);
  if (n->has_failed || n->n_results != 1)
    return;
  value = graph_reshape(n->g, value, 0, NULL);
  note_bound(n, strata_string_map_get(&n->converter->scope->graph->numbers, n->results[0]), value);
  pt2_set_symbol(n, value, dtype);
}

void pt2_import_nonzero(pt2_node_t *n) {
  static const int64_t order[] = {1, 0};
  pt2_value_t self = pt2_tensor(n, "self");
  if (!self.rank)
    pt2_refuse(n, "of a tensor without dims");
  const char *places = pt2_op(n, "NonZero", GRAPH_VALUES(self.name));
  if (!n->has_failed)
    pt2_set(n, 0, graph_transpose(n->g, places, 2, order));
}

void pt2_import_masked_select(pt2_node_t *n) {
  int64_t all = -1;
  pt2_value_t self = pt2_tensor(n, "self"), mask = pt2_tensor(n, "mask");
  const char *values = pt2_op(n, "Expand", GRAPH_VALUES(self.name, pt2_shape(n, mask.name, 0, mask.rank)));
  const char *chosen = pt2_op(n, "Expand", GRAPH_VALUES(mask.name, pt2_op(n, "Shape", GRAPH_VALUES(values))));
  if (!n->has_failed)
    pt2_set(n, 0, graph_op(n->g, "Compress", GRAPH_VALUES(values, graph_reshape(n->g, chosen, 1, &all))));
}

// Of each row of [count, elements] the sum.
static const char *sum_rows(pt2_node_t *n, const char *rows) {
  int64_t last = -1;
  graph_node_t *sum = pt2_node(n, "ReduceSum", GRAPH_VALUES(rows, pt2_known_ints(n, 1, &last)));
  if (!sum)
    return "";
  graph_set_int(sum, "keepdims", 0);
  return graph_result(sum, NULL);
}

// [count, elements]: whether an element is 0, 1, ...
static const char *is_number(pt2_node_t *n, const char *elements, const char *count) {
  int64_t one = 1;
  if (n->has_failed)
    return "";
  const char *numbers = graph_unsqueeze(n->g, graph_count_to(n->g, count), 1, &one);
  return graph_op(n->g, "Equal", GRAPH_VALUES(numbers, elements));
}

// How many elements are 0, 1, ... up to the largest, or the sums of their weights.
void pt2_import_bincount(pt2_node_t *n) {
  strata_dtype_t dtype = pt2_result_dtype(n);
  const pt2_meta_t *result = pt2_result(n, 0);
  const char *self = pt2_operand(n, "self", STRATA_DTYPE_I64), *least = pt2_operand(n, "minlength", STRATA_DTYPE_I64);
  if (n->has_failed)
    return;
  graph_node_t *most = graph_node(n->g, "ReduceMax", GRAPH_VALUES(self));
  graph_set_int(most, "keepdims", 0);
  const char *count = graph_op(n->g, "Add", GRAPH_VALUES(graph_result(most, NULL), graph_int(n->g, 1)));
  count = graph_op(n->g, "Max", GRAPH_VALUES(count, least));
  note_bound(n, result ? &result->sizes[0] : NULL, count);
  const char *counted = graph_cast(n->g, is_number(n, self, count), dtype);
  if (pt2_has(n, "weights"))
    counted = pt2_op(n, "Mul", GRAPH_VALUES(counted, pt2_operand(n, "weights", dtype)));
  pt2_set(n, 0, sum_rows(n, counted));
}

// Runs of equal elements: the first of each, the run that each element is in, and how many each run has.
void pt2_import_unique_consecutive(pt2_node_t *n) {
  int64_t one = 1, all = -1;
  pt2_value_t self = pt2_tensor(n, "self");
  if (pt2_has(n, "dim") && self.rank != 1)
    pt2_refuse(n, "along a dim");
  if (n->has_failed)
    return;
  const char *flat = graph_reshape(n->g, self.name, 1, &all);
  const char *is_new = pt2_op(n, "Not", GRAPH_VALUES(pt2_of_neighbours(n, "Equal", flat, 0)));
  const char *first = graph_cast(n->g, graph_ints(n->g, 1, &one), STRATA_DTYPE_BOOL);
  is_new = pt2_along(n, "Concat", GRAPH_VALUES(first, is_new), 0);
  const char *values = graph_op(n->g, "Compress", GRAPH_VALUES(flat, is_new));
  const char *run =
      graph_op(n->g, "CumSum", GRAPH_VALUES(graph_cast(n->g, is_new, STRATA_DTYPE_I64), graph_int(n->g, 0)));
  run = graph_op(n->g, "Sub", GRAPH_VALUES(run, graph_int(n->g, 1)));
  pt2_set(n, 0, values);
  if (pt2_wants(n, 1))
    pt2_set(n, 1, pt2_op(n, "Reshape", GRAPH_VALUES(run, pt2_shape(n, self.name, 0, self.rank))));
  if (pt2_wants(n, 2))
    pt2_set(n, 2,
            sum_rows(n, graph_cast(n->g, is_number(n, run, graph_op(n->g, "Size", GRAPH_VALUES(values))),
                                   STRATA_DTYPE_I64)));
}

// The detail is the name of the argument with the axis; "": the elements of all.
void pt2_import_unique(pt2_node_t *n) {
  pt2_value_t self = pt2_tensor(n, "self");
  bool is_flat = !*n->info->detail;
  int64_t axis = is_flat ? 0 : pt2_axis(n, n->info->detail, self.rank);
  graph_node_t *node = pt2_node(n, "Unique", GRAPH_VALUES(self.name));
  if (!node)
    return;
  if (!is_flat)
    graph_set_int(node, "axis", axis);
  pt2_set(n, 0, graph_result(node, NULL));
  graph_result(node, NULL); // where each is first
  const char *inverse = graph_result(node, NULL);
  pt2_set(n, 1, is_flat ? pt2_op(n, "Reshape", GRAPH_VALUES(inverse, pt2_shape(n, self.name, 0, self.rank))) : inverse);
  pt2_set(n, 2, graph_result(node, NULL));
}

const char *pt2_repeated_places(pt2_node_t *n) {
  int64_t zero = 0, next = 1;
  const char *counts = pt2_operand(n, "repeats", STRATA_DTYPE_I64);
  if (n->has_failed)
    return "";
  const char *ends = graph_op(n->g, "CumSum", GRAPH_VALUES(counts, graph_int(n->g, 0)));
  const char *size = pt2_has(n, "output_size") ? pt2_operand(n, "output_size", STRATA_DTYPE_I64) : NULL;
  if (!size) {
    size = graph_op(n->g, "ReduceSum", GRAPH_VALUES(counts, graph_ints(n->g, 1, &zero)));
    size = graph_reshape(n->g, size, 0, NULL);
  }
  if (n->has_failed)
    return "";
  const char *places = graph_count_to(n->g, size);
  // The parts that end in front of a place are as many as the number of its own.
  const char *is_behind = graph_op(n->g, "LessOrEqual", GRAPH_VALUES(ends, graph_unsqueeze(n->g, places, 1, &next)));
  return sum_rows(n, graph_cast(n->g, is_behind, STRATA_DTYPE_I64));
}
