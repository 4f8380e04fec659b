// strata.trees: its rule, its builder, and the check of its numbers.
#include "dialects/strata/build.h"

#include "dialects/mlir_util.h"

enum { X, NODES, ROOTS, VALUES };

static strata_status_t check_operand(const strata__record_t *r, int index, int rank, bool is_float) {
  const strata_shape_t *shape = &r->operands[index];
  bool has_type =
      is_float ? shape->type == STRATA_TYPE_F32 || shape->type == STRATA_TYPE_F64 : shape->type == STRATA_TYPE_I32;
  if (shape->rank == rank && has_type)
    return NULL;
  return strata__invalid("operand %d: expected %d dims of %s, got %d of %s", index, rank,
                         is_float ? "f32 or f64" : "i32", shape->rank, strata__type_name(shape->type));
}

strata_status_t strata__infer_trees(strata__record_t *r) {
  int64_t size;
  STRATA_TRY(check_operand(r, X, 2, true));
  STRATA_TRY(check_operand(r, NODES, 1, false));
  STRATA_TRY(check_operand(r, ROOTS, 3, false));
  STRATA_TRY(check_operand(r, VALUES, 2, true));
  STRATA_TRY(strata__check_combiner(r, r->operands[VALUES].type));
  for (int i = 0; i < r->n_operands; i++)
    for (int d = i == X; d < r->operands[i].rank; d++)
      if (!strata_dim_is_constant(r->operands[i].dims[d], &size) || size < 1)
        return strata__invalid("operand %d: dim %d is to be known, and not 0", i, d);
  if (!strata_dim_is_constant(r->operands[NODES].dims[0], &size) || size % STRATA_TREE_NODE)
    return strata__invalid("operand %d: expected %d numbers a node", NODES, STRATA_TREE_NODE);
  if (!strata_dim_is(r->operands[ROOTS].dims[2], STRATA_TREE_ENTRY))
    return strata__invalid("operand %d: expected %d numbers a root", ROOTS, STRATA_TREE_ENTRY);
  r->results[0] =
      (strata_shape_t){.type = r->operands[VALUES].type,
                       .rank = 3,
                       .dims = {r->operands[X].dims[0], r->operands[ROOTS].dims[0], r->operands[VALUES].dims[1]}};
  return NULL;
}

MlirValue strata_build_trees(strata_builder_t *b, strata_combiner_t kind, MlirValue x, MlirValue nodes, MlirValue roots,
                             MlirValue values) {
  strata__record_t r = strata__record(STRATA_OP_TREES);
  strata__set_string(&r, "kind", strata_combiner_info[kind].name);
  return strata__build(b, &r, (MlirValue[]){x, nodes, roots, values});
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

// The elements of constant operand |index|; NULL if it is none. Of a splat *out_step is 0, else 1.
static const int32_t *numbers_of(strata_compile_t *compile, MlirOperation op, int index, int *out_step) {
  const void *data;
  bool is_splat;
  if (!strata_constant_bytes(compile, mlirOperationGetOperand(op, index), &data, &is_splat))
    return NULL;
  *out_step = !is_splat;
  return data;
}

static bool is_place(int64_t place, int64_t n_numbers) {
  return place >= 0 && place < n_numbers && place % STRATA_TREE_NODE == 0;
}

static strata_status_t check_nodes(const int32_t *numbers, int step, int64_t count, int64_t columns) {
  for (int64_t at = 0; at < count; at += STRATA_TREE_NODE) {
    int64_t column = numbers[(at + STRATA_TREE_COLUMN) * step], child = numbers[(at + STRATA_TREE_CHILD) * step];
    bool is_leaf = child == at - STRATA_TREE_NODE;
    if (column < 0 || column >= columns)
      return strata__invalid("node %lld: there is no column %lld", (long long)(at / STRATA_TREE_NODE),
                             (long long)column);
    if (!is_leaf && !(is_place(child, count) && is_place(child + STRATA_TREE_NODE, count)))
      return strata__invalid("node %lld: there are no children at %lld", (long long)(at / STRATA_TREE_NODE),
                             (long long)child);
  }
  return NULL;
}

static strata_status_t check_roots(const int32_t *numbers, int step, int64_t count, int64_t n_numbers) {
  for (int64_t i = 0; i < count; i += STRATA_TREE_ENTRY)
    if (!is_place(numbers[(i + STRATA_TREE_ROOT) * step], n_numbers) ||
        numbers[(i + STRATA_TREE_STEPS) * step] > n_numbers)
      return strata__invalid("root %lld: there is no such node, or there are fewer than its steps",
                             (long long)(i / STRATA_TREE_ENTRY));
  return NULL;
}

static strata_status_t check_numbers(strata_compile_t *compile, MlirOperation op) {
  int node_step = 0, root_step = 0;
  strata_shape_t x = strata_shape_of(mlirOperationGetOperand(op, X)),
                 nodes = strata_shape_of(mlirOperationGetOperand(op, NODES)),
                 roots = strata_shape_of(mlirOperationGetOperand(op, ROOTS));
  const int32_t *node = numbers_of(compile, op, NODES, &node_step), *root = numbers_of(compile, op, ROOTS, &root_step);
  int64_t columns, n_numbers = strata_shape_count(&nodes);
  if (!node || !root || !strata_dim_is_constant(x.dims[1], &columns))
    return strata__invalid("nodes and roots are to be constants");
  STRATA_TRY(check_nodes(node, node_step, n_numbers, columns));
  return check_roots(root, root_step, strata_shape_count(&roots), n_numbers);
}

strata_status_t strata_trees_check(strata_compile_t *compile, MlirOperation op) {
  return strata__at(check_numbers(compile, op), mlirOperationGetLocation(op), "strata.trees");
}
