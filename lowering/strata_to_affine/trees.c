// Decision trees: a walk down each from its root, as many steps as the deepest leaf needs; a leaf is its own child.
//
//   %1 = "strata.trees"(%x, %nodes, %roots, %values) {kind = "add"} : (...) -> tensor<10x1x1xf32>
// becomes
//   affine.parallel (%i, %j, %k) = (0, 0, 0) to (10, 1, 1) {
//     %s = affine.for %t = 0 to 100 iter_args(%a = %zero) -> (f32) {
//       %root, %steps = affine.load %roots[%j, %t, 0], [%j, %t, 1]
//       %leaf = scf.for %d = 0 to %steps iter_args(%n = %root) -> (index) {
//         %column, %child, %threshold = memref.load %nodes[%n + 0], [%n + 1], [%n + 3]
//         %v = memref.load %x[%i, %column]   scf.yield %child + (%v <= %threshold ? 0 : 4) }
//       %l = memref.load %nodes[%leaf + 2]   %v = memref.load %values[%l, %k]   affine.yield %a + %v }
//     affine.store %s, %y[%i, %j, %k]
//   } {strata.nest = "trees", strata.serial}
#include "lowering/strata_to_affine/lower.h"

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *x, *nodes, *roots, *values;
  MlirAffineExpr point[3]; // row, group, column of values
} trees_t;

static MlirValue number_of(trees_t *t, MlirValue node, int number) {
  MlirValue at = strata__binary(&t->nest, "arith.addi", node, strata_emit_index(&t->nest.e, number));
  return strata__load_at(&t->nest, t->nodes, &at);
}

static MlirValue threshold_of(trees_t *t, MlirValue node) {
  strata__nest_t *nest = &t->nest;
  MlirType type = strata__math_type(nest->lowering->context, t->x->type);
  MlirValue high = number_of(t, node, STRATA_TREE_HIGH);
  if (t->x->type == STRATA_TYPE_F32)
    return strata__cast(nest, "arith.bitcast", high, type);
  MlirType bits = mlirIntegerTypeGet(nest->lowering->context, 64);
  MlirValue low = strata__cast(nest, "arith.extui", number_of(t, node, STRATA_TREE_LOW), bits);
  high = strata__binary(nest, "arith.shli", strata__cast(nest, "arith.extui", high, bits),
                        strata__int_constant(nest, bits, 32));
  return strata__cast(nest, "arith.bitcast", strata__binary(nest, "arith.ori", low, high), type);
}

static MlirValue step(trees_t *t, MlirValue node) {
  strata__nest_t *nest = &t->nest;
  MlirValue at[2] = {strata__index_of(nest, t->point[0]),
                     strata__to_index(nest, number_of(t, node, STRATA_TREE_COLUMN))};
  MlirValue child = strata__to_index(nest, number_of(t, node, STRATA_TREE_CHILD));
  MlirValue threshold = threshold_of(t, node), x = strata__load_at(nest, t->x, at);
  MlirValue skipped = strata__select(nest, strata__compare(nest, "ole", x, threshold), strata_emit_index(&nest->e, 0),
                                     strata_emit_index(&nest->e, STRATA_TREE_NODE));
  return strata__binary(nest, "arith.addi", child, skipped);
}

static MlirValue walk(trees_t *t, MlirAffineExpr tree) {
  strata__nest_t *nest = &t->nest;
  const MlirAffineExpr root_at[3] = {t->point[1], tree, strata__constant(nest, STRATA_TREE_ROOT)};
  const MlirAffineExpr steps_at[3] = {t->point[1], tree, strata__constant(nest, STRATA_TREE_STEPS)};
  MlirValue root = strata__to_index(nest, strata__load_raw(nest, t->roots, root_at)), node;
  MlirValue steps = strata__to_index(nest, strata__load_raw(nest, t->roots, steps_at));
  strata_loop_t loop = strata_emit_for_begin(&nest->e, strata_emit_index(&nest->e, 0), steps, 1, 1, &root, &node);
  node = step(t, node);
  strata_emit_for_end(&nest->e, loop, 1, &node, &root);
  return root;
}

// What the leaf has. Its row is clamped: where the steps end too early, the third number is something else.
static MlirValue value_of(trees_t *t, MlirValue leaf) {
  strata__nest_t *nest = &t->nest;
  MlirType type = mlirIntegerTypeGet(nest->lowering->context, 32);
  int64_t last = strata_size_static_value(t->values->sizes[0]) - 1;
  MlirValue row =
      strata__binary(nest, "arith.minui", number_of(t, leaf, STRATA_TREE_LOW), strata__int_constant(nest, type, last));
  const MlirValue at[2] = {strata__to_index(nest, row), strata__index_of(nest, t->point[2])};
  return strata__load_at(nest, t->values, at);
}

strata_status_t strata__lower_trees(strata__lowering_t *l, MlirOperation op) {
  trees_t t = {.x = strata__operand(l, op, 0),
               .nodes = strata__operand(l, op, 1),
               .roots = strata__operand(l, op, 2),
               .values = strata__operand(l, op, 3)};
  strata__nest_t *nest = &t.nest;
  const strata__tensor_t *result = strata__result(l, op, 0);
  strata_combiner_t combiner = strata_op_combiner(op);
  STRATA_TRY(strata_trees_check(l->compile, op));
  strata__nest_begin(l, nest, op, "trees", 3, result->sizes);
  nest->is_serial = true;
  nest->fast_math = (MlirAttribute){0}; // sums are in the order of the trees
  for (int i = 0; i < 3; i++)
    t.point[i] = strata__dim(nest, i);
  strata__reduction_t sum;
  MlirValue neutral = strata__neutral_value(nest, combiner, strata__math_type(l->context, result->type));
  strata__reduction_begin(nest, &sum, 1, &t.roots->sizes[1], neutral);
  MlirValue total = strata__combine(nest, combiner, sum.accumulator, value_of(&t, walk(&t, sum.dims[0])));
  strata__store(nest, result, t.point, strata__reduction_end(nest, &sum, total));
  strata__nest_end(nest);
  return NULL;
}
