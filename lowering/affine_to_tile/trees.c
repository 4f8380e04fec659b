// Decision trees on a cpu. A task is a window of rows and a group of trees. Every tree is gone down by all of the
// window's rows before the next one, some at once; the few rows that are left go down several trees at once, whose
// values are then added in the order of the trees as well. A walk is a chain of loads that wait for one another: that
// several are in hand is what the time depends on, not vectors.
//
//   scf.forall (%t) in (windows * groups) {
//     scf.for rows { sums in scratch = neutral }
//     scf.for trees {
//       scf.for 8 rows { %n:8 = scf.for steps { a step of each }   sums of each + values of its leaf } }
//     scf.for rows that are left { scf.for 8 trees { %n:8 = scf.for steps { ... }   sums of the row + each leaf's } }
//     scf.for rows { "tile.store" sums } }
#include "dialects/affine/trees.h"

#include "dialects/integers.h"
#include "dialects/strata/strata.h"
#include "lowering/affine_to_tile/kinds.h"
#include "lowering/affine_to_tile/places.h"
#include "lowering/expand/ops.h"
#include "passes/target.h"

typedef struct {
  strata_trees_t a;
  int64_t window, lanes;
  strata_tile_chunks_t columns;
  MlirType value_type;
  MlirValue sums;           // [window, columns]
  MlirAffineExpr group;     // of the task
  MlirAffineExpr first_row; // of the window
  MlirValue n_rows;         // of it
  // In hand.
  MlirAffineExpr row, tree;                     // row of the window
  MlirAffineExpr lane_rows[STRATA_TREES_LANES]; // of the walks, in the window
  MlirValue leaves[STRATA_TREES_LANES];
  int64_t n_lanes, lane;
} trees_t;

//===-- Emission -------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_tile_known_t *known;
  strata_tile_space_t space;
} scope_t;

static scope_t begin(const strata_tile_builder_t *b) { return (scope_t){b->known, b->space}; }

static void end(strata_tile_builder_t *b, scope_t scope) {
  b->known = scope.known;
  b->space = scope.space;
}

static MlirType index_type(strata_tile_builder_t *b) { return mlirIndexTypeGet(b->e.context); }

static MlirValue cast(strata_tile_builder_t *b, const char *name, MlirValue x, MlirType type) {
  return strata_emit_value(&b->e, name, 1, &x, type, 0, NULL);
}

static MlirAffineExpr sum(strata_tile_builder_t *b, MlirAffineExpr x, MlirAffineExpr y) {
  return strata_tile_scaled(b, x, 1, y);
}

static MlirAffineExpr zero(strata_tile_builder_t *b) { return strata_tile_constant(b, 0); }

static strata_tile_value_t load_place(strata_tile_builder_t *b, const strata_place_t *place,
                                      const MlirAffineExpr *point) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_place_coordinates(b, place, point, coordinates);
  return strata_tile_load(b, place->buffer, rank, coordinates);
}

// A number of memory as a coordinate: the check of the numbers has seen that it is inside.
static MlirAffineExpr number(strata_tile_builder_t *b, MlirValue value) {
  return strata_tile_counter(b, value, strata_size_constant(INT32_MAX));
}

// A column of values along the vector.
static MlirAffineExpr column_at(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base) {
  b->space.n_vector = size > 1;
  b->space.extents[0] = size;
  return size > 1 ? strata_tile_scaled(b, strata_tile_vector_dim(b, 0), 1, base) : base;
}

//===-- Walks ----------------------------------------------------------------------------------------------------===//

static MlirValue node_number(strata_tile_builder_t *b, const trees_t *t, MlirValue node, int which) {
  MlirValue operands[2] = {t->a.nodes, strata_emit_binary(&b->e, "arith.addi", node, strata_emit_index(&b->e, which))};
  return strata_emit_value(&b->e, "memref.load", 2, operands, mlirIntegerTypeGet(b->e.context, 32), 0, NULL);
}

static MlirValue threshold_of(strata_tile_builder_t *b, const trees_t *t, MlirValue node) {
  MlirType bits = mlirIntegerTypeGet(b->e.context, 64);
  MlirValue high = node_number(b, t, node, STRATA_TREE_HIGH);
  if (!t->a.is_double)
    return cast(b, "arith.bitcast", high, mlirF32TypeGet(b->e.context));
  MlirValue low = cast(b, "arith.extui", node_number(b, t, node, STRATA_TREE_LOW), bits);
  MlirValue width = strata_emit_constant(&b->e, bits, mlirIntegerAttrGet(bits, 32));
  MlirValue shifted = strata_emit_value(&b->e, "arith.shli", 2,
                                        (MlirValue[]){cast(b, "arith.extui", high, bits), width}, bits, 0, NULL);
  MlirValue both = strata_emit_value(&b->e, "arith.ori", 2, (MlirValue[]){low, shifted}, bits, 0, NULL);
  return cast(b, "arith.bitcast", both, mlirF64TypeGet(b->e.context));
}

// The node below |node|, of the row of walk |lane|.
static MlirValue step(strata_tile_builder_t *b, const trees_t *t, int64_t lane, MlirValue node) {
  scope_t scope = begin(b);
  b->space.n_vector = 0;
  MlirValue column = cast(b, "arith.index_cast", node_number(b, t, node, STRATA_TREE_COLUMN), index_type(b));
  MlirValue child = cast(b, "arith.index_cast", node_number(b, t, node, STRATA_TREE_CHILD), index_type(b));
  const MlirAffineExpr point[STRATA_TREES_DIMS] = {sum(b, t->first_row, t->lane_rows[lane]), t->group, zero(b), t->tree,
                                                   number(b, column)};
  MlirValue operands[2] = {load_place(b, &t->a.x, point).value, threshold_of(b, t, node)};
  end(b, scope);
  if (b->status)
    return node;
  const int64_t at_most = 5; // ole
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), at_most)};
  MlirValue is_below =
      strata_emit_value(&b->e, "arith.cmpf", 2, operands, mlirIntegerTypeGet(b->e.context, 1), 1, &predicate);
  MlirValue choice[3] = {is_below, strata_emit_index(&b->e, 0), strata_emit_index(&b->e, STRATA_TREE_NODE)};
  MlirValue skipped = strata_emit_value(&b->e, "arith.select", 3, choice, index_type(b), 0, NULL);
  return strata_emit_binary(&b->e, "arith.addi", child, skipped);
}

// An entry of the table of roots, of the tree in hand.
static MlirValue root_entry(strata_tile_builder_t *b, const trees_t *t, const strata_place_t *place,
                            MlirAffineExpr tree) {
  scope_t scope = begin(b);
  b->space.n_vector = 0;
  const MlirAffineExpr point[STRATA_TREES_DIMS] = {zero(b), t->group, zero(b), tree, zero(b)};
  MlirValue value = cast(b, "arith.index_cast", load_place(b, place, point).value, index_type(b));
  end(b, scope);
  return value;
}

// |nodes|, from which the walks in hand begin, become their leaves.
static void walk(strata_tile_builder_t *b, const trees_t *t, MlirValue steps, MlirValue *nodes) {
  MlirValue now[STRATA_TREES_LANES];
  scope_t scope = begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), steps, 1, (int)t->n_lanes, nodes, now);
  for (int64_t lane = 0; lane < t->n_lanes; lane++)
    now[lane] = step(b, t, lane, now[lane]);
  strata_emit_for_end(&b->e, loop, (int)t->n_lanes, now, nodes);
  end(b, scope);
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

static void clear_columns(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  trees_t *t = user;
  scope_t scope = begin(b);
  const MlirAffineExpr at[2] = {t->row, column_at(b, size, base)};
  bool is_least = strata_str_equal(t->a.combiner, "arith.minimumf");
  double neutral = strata_str_equal(t->a.combiner, "arith.addf") ? 0 : is_least ? 1 / 0.0 : -1 / 0.0;
  MlirAttribute scalar = mlirFloatAttrDoubleGet(b->e.context, t->value_type, neutral);
  strata_tile_store(b, (strata_tile_value_t){strata_emit_constant(&b->e, t->value_type, scalar), 0}, t->sums, 2, at);
  end(b, scope);
}

// The values of the leaf of the walk in hand join the sums of its row.
static void add_columns(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  trees_t *t = user;
  scope_t scope = begin(b);
  MlirAffineExpr column = column_at(b, size, base);
  const MlirAffineExpr point[STRATA_TREES_DIMS] = {zero(b), t->group, column, t->tree, number(b, t->leaves[t->lane])};
  const MlirAffineExpr at[2] = {t->lane_rows[t->lane], column};
  MlirValue operands[2] = {strata_tile_load(b, t->sums, 2, at).value, load_place(b, &t->a.values, point).value};
  if (!b->status) {
    const char *name = strata_arena_printf(b->compile->arena, "%.*s", (int)t->a.combiner.length, t->a.combiner.data);
    MlirValue total = strata_emit_value(&b->e, name, 2, operands, mlirValueGetType(operands[0]), 0, NULL);
    strata_tile_store(b, (strata_tile_value_t){total, size > 1}, t->sums, 2, at);
  }
  end(b, scope);
}

static void store_columns(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  trees_t *t = user;
  scope_t scope = begin(b);
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], column = column_at(b, size, base);
  const MlirAffineExpr at[2] = {t->row, column};
  const MlirAffineExpr point[STRATA_TREES_DIMS] = {sum(b, t->first_row, t->row), t->group, column, zero(b), zero(b)};
  strata_tile_value_t total = strata_tile_load(b, t->sums, 2, at);
  int rank = strata_tile_place_coordinates(b, &t->a.result, point, coordinates);
  if (!b->status)
    strata_tile_store(b, total, t->a.result.buffer, rank, coordinates);
  end(b, scope);
}

// The row of values of a leaf.
static MlirValue leaf_row(strata_tile_builder_t *b, const trees_t *t, MlirValue leaf) {
  MlirType type = mlirIntegerTypeGet(b->e.context, 32);
  MlirType values = mlirValueGetType(t->a.values.buffer);
  MlirAttribute last = mlirIntegerAttrGet(type, mlirShapedTypeGetDimSize(values, 0) - 1);
  MlirValue operands[2] = {node_number(b, t, leaf, STRATA_TREE_LOW), strata_emit_constant(&b->e, type, last)};
  return cast(b, "arith.index_cast", strata_emit_value(&b->e, "arith.minui", 2, operands, type, 0, NULL),
              index_type(b));
}

static void add_leaves(strata_tile_builder_t *b, trees_t *t, const MlirValue *nodes) {
  for (t->lane = 0; t->lane < t->n_lanes; t->lane++)
    t->leaves[t->lane] = leaf_row(b, t, nodes[t->lane]);
  for (t->lane = 0; t->lane < t->n_lanes; t->lane++)
    strata_tile_chunk(b, &t->columns, (MlirValue){0}, add_columns, t);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// Some rows down the tree in hand.
static void walk_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  trees_t *t = user;
  MlirValue nodes[STRATA_TREES_LANES];
  MlirValue root = root_entry(b, t, &t->a.roots, t->tree), steps = root_entry(b, t, &t->a.steps, t->tree);
  t->n_lanes = size;
  for (int64_t lane = 0; lane < size; lane++) {
    nodes[lane] = root;
    t->lane_rows[lane] = sum(b, base, strata_tile_constant(b, lane));
  }
  walk(b, t, steps, nodes);
  add_leaves(b, t, nodes);
}

// The row in hand down some trees, as many steps as the deepest of them needs.
static void walk_trees(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  trees_t *t = user;
  MlirValue nodes[STRATA_TREES_LANES], steps = strata_emit_index(&b->e, 0);
  t->n_lanes = size;
  t->tree = base;
  for (int64_t lane = 0; lane < size; lane++) {
    MlirAffineExpr tree = sum(b, base, strata_tile_constant(b, lane));
    nodes[lane] = root_entry(b, t, &t->a.roots, tree);
    steps = strata_emit_binary(&b->e, "arith.maxsi", steps, root_entry(b, t, &t->a.steps, tree));
    t->lane_rows[lane] = t->row;
  }
  walk(b, t, steps, nodes);
  add_leaves(b, t, nodes);
}

// |body| for the rows of the window from |first| to |last|.
static void for_rows(strata_tile_builder_t *b, trees_t *t, MlirValue first, MlirValue last,
                     void (*body)(strata_tile_builder_t *b, trees_t *t)) {
  scope_t scope = begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, last, 1, 0, NULL, NULL);
  t->row = strata_tile_counter(b, loop.induction, strata_size_constant(t->window));
  body(b, t);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  end(b, scope);
}

static void clear_row(strata_tile_builder_t *b, trees_t *t) {
  strata_tile_chunk(b, &t->columns, (MlirValue){0}, clear_columns, t);
}

static void store_row(strata_tile_builder_t *b, trees_t *t) {
  strata_tile_chunk(b, &t->columns, (MlirValue){0}, store_columns, t);
}

static void walk_row(strata_tile_builder_t *b, trees_t *t) {
  const int64_t widths[2] = {t->lanes, 1};
  strata_size_t n_trees = strata_size_constant(t->a.n_trees);
  strata_tile_between(b, strata_emit_index(&b->e, 0), strata_emit_index(&b->e, t->a.n_trees), n_trees, 2, widths,
                      walk_trees, t);
}

// All trees, each by the rows of the window up to |last|.
static void walk_blocks(strata_tile_builder_t *b, trees_t *t, MlirValue last) {
  scope_t scope = begin(b);
  MlirValue first = strata_emit_index(&b->e, 0);
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, strata_emit_index(&b->e, t->a.n_trees), 1, 0, NULL, NULL);
  t->tree = strata_tile_counter(b, loop.induction, strata_size_constant(t->a.n_trees));
  strata_tile_between(b, first, last, strata_size_constant(t->window), 1, &t->lanes, walk_rows, t);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  end(b, scope);
}

static void emit_task(strata_tile_builder_t *b, trees_t *t, MlirValue task, strata_size_t n_tasks) {
  MlirAffineExpr number_of = mlirAffineDimExprGet(b->e.context, 0), groups = strata_tile_constant(b, t->a.groups);
  MlirValue window = strata_tile_task_part(b, mlirAffineFloorDivExprGet(number_of, groups), task, n_tasks);
  MlirValue group = strata_tile_task_part(b, mlirAffineModExprGet(number_of, groups), task, n_tasks);
  t->group = strata_tile_counter(b, group, strata_size_constant(t->a.groups));
  const int64_t sizes[2] = {t->window, t->a.columns};
  t->sums = strata_emit_scratch(&b->e, mlirMemRefTypeContiguousGet(t->value_type, 2, sizes, (MlirAttribute){0}));
  MlirValue first, last, none = strata_emit_index(&b->e, 0);
  strata_tile_run_bounds(b, window, t->window, t->a.n_rows, &first, &last);
  t->first_row = strata_tile_counter(b, first, t->a.n_rows);
  t->n_rows = strata_emit_binary(&b->e, "arith.subi", last, first);
  MlirValue lanes = strata_emit_index(&b->e, t->lanes);
  MlirValue blocks =
      strata_emit_binary(&b->e, "arith.subi", t->n_rows, strata_emit_binary(&b->e, "arith.remui", t->n_rows, lanes));
  for_rows(b, t, none, t->n_rows, clear_row);
  walk_blocks(b, t, blocks);
  for_rows(b, t, blocks, t->n_rows, walk_row);
  for_rows(b, t, none, t->n_rows, store_row);
}

strata_status_t strata_tile_trees(strata_tile_builder_t *b) {
  enum { VECTORS = 4 };
  trees_t t = {0};
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  if (!strata_trees_read(b->kernel, &t.a) || b->schedule.n_tile != 2)
    return strata_error(STRATA_INTERNAL, "no kernel of decision trees");
  t.window = b->schedule.tile[0];
  t.lanes = strata_min(b->schedule.tile[1], STRATA_TREES_LANES);
  t.value_type = mlirShapedTypeGetElementType(mlirValueGetType(t.a.result.buffer));
  t.columns = strata_tile_chunks(t.a.columns, strata_min(t.a.columns, VECTORS * device->vector_bytes / 4), 1);
  strata_size_t windows = strata_tile_ceil_quotient(b, t.a.n_rows, t.window);
  strata_size_t n_tasks = strata_size_product(windows, strata_size_constant(t.a.groups));
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  emit_task(b, &t, forall.induction, n_tasks);
  b->space.n_vector = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
