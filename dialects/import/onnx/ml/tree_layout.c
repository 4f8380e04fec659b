// Ensembles laid out for strata.trees, which knows one test: x <= threshold, that NaN fails. All others are made of it,
// with children exchanged, thresholds one number further, and columns of -x, which are behind those of x where any node
// needs them:
//
//   x < t   is  x <= the number below t          x >= t  is  -x <= -t        x > t  is  not x <= t
//
// An equality is two tests, a set a search by tests. Which form a test takes decides what becomes of NaN.
#include "dialects/import/onnx/ml/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A test or a leaf.
typedef struct {
  bool is_leaf, is_turned; // of -x
  int64_t column, yes, no; // units
  double threshold;
  int64_t row;
} unit_t;

typedef struct {
  onnx_trees_t *trees;
  strata_arena_t *arena;
  STRATA_VECTOR(unit_t) units; // those of the nodes first, by number
  int64_t *depths, *places;    // of units: steps to the deepest leaf below; of the children
  STRATA_VECTOR(int32_t) numbers;
  bool any_turned;
} layout_t;

//===-- Tests ----------------------------------------------------------------------------------------------------===//

static double beside(const layout_t *l, double x, double towards) {
  if (isinf(x) && (x < 0) == (towards < 0))
    return NAN; // nothing is beyond it
  return l->trees->is_double ? nextafter(x, towards) : (double)nextafterf((float)x, (float)towards);
}

static int64_t add_unit(layout_t *l, unit_t unit) {
  l->any_turned |= unit.is_turned;
  *strata_vector_push(l->arena, &l->units) = unit;
  return (int64_t)l->units.count - 1;
}

// x <= t, x < t and their contraries, of which NaN is |missing|.
typedef struct {
  int64_t column, yes, no;
} branch_t;

static unit_t below(branch_t b, double t) {
  return (unit_t){.column = b.column, .yes = b.yes, .no = b.no, .threshold = t};
}

static unit_t above(branch_t b, double t) {
  return (unit_t){.column = b.column, .yes = b.yes, .no = b.no, .threshold = -t, .is_turned = true};
}

static branch_t exchanged(branch_t b) { return (branch_t){b.column, b.no, b.yes}; }

// Nothing is beside NaN, but the missing may be taken.
static unit_t no_number(branch_t b, bool missing) { return missing ? below(exchanged(b), INFINITY) : below(b, NAN); }

static unit_t at_most(const layout_t *l, branch_t b, double t, bool missing) {
  return missing ? above(exchanged(b), beside(l, t, INFINITY)) : below(b, t);
}

static unit_t less(const layout_t *l, branch_t b, double t, bool missing) {
  return missing ? above(exchanged(b), t) : below(b, beside(l, t, -INFINITY));
}

static unit_t at_least(const layout_t *l, branch_t b, double t, bool missing) {
  return missing ? below(exchanged(b), beside(l, t, -INFINITY)) : above(b, t);
}

static unit_t greater(const layout_t *l, branch_t b, double t, bool missing) {
  return missing ? below(exchanged(b), t) : above(b, beside(l, t, INFINITY));
}

// x == t: at most t, and then at least t.
static unit_t equal(layout_t *l, branch_t b, double t, bool missing) {
  int64_t second = add_unit(l, at_least(l, b, t, missing));
  return at_most(l, (branch_t){b.column, second, b.no}, t, missing);
}

static int compare_numbers(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

// Whether x is one of the ascending |values|, of which it is at most the last: the unit that says so.
static int64_t search(layout_t *l, branch_t b, const double *values, int64_t count) {
  if (count == 1)
    return add_unit(l, above(b, values[0]));
  int64_t middle = count / 2;
  int64_t lower = search(l, b, values, middle), upper = search(l, b, values + middle, count - middle);
  return add_unit(l, below((branch_t){b.column, lower, upper}, values[middle - 1]));
}

static unit_t member(layout_t *l, branch_t b, const onnx_tree_node_t *node) {
  if (!node->n_members)
    return no_number(b, node->takes_missing);
  double *values =
      strata_arena_copy(l->arena, l->trees->members + node->first_member, (size_t)node->n_members * sizeof *values);
  qsort(values, (size_t)node->n_members, sizeof *values, compare_numbers);
  int64_t found = search(l, b, values, node->n_members);
  unit_t last = below((branch_t){b.column, found, b.no}, values[node->n_members - 1]);
  if (!node->takes_missing)
    return last;
  return below((branch_t){b.column, add_unit(l, last), b.yes}, INFINITY);
}

static unit_t test_of(layout_t *l, const onnx_tree_node_t *node) {
  const branch_t b = {node->column, node->yes, node->no};
  double t = node->threshold;
  bool missing = node->takes_missing, is_set = node->mode == ONNX_TREE_MEMBER, differs = node->mode == ONNX_TREE_NEQ;
  if (isnan(t) && !is_set)
    return differs ? below(b, INFINITY) : no_number(b, missing);
  switch (node->mode) {
  case ONNX_TREE_LEQ:
    return at_most(l, b, t, missing);
  case ONNX_TREE_LT:
    return less(l, b, t, missing);
  case ONNX_TREE_GTE:
    return at_least(l, b, t, missing);
  case ONNX_TREE_GT:
    return greater(l, b, t, missing);
  case ONNX_TREE_EQ:
    return equal(l, b, t, missing);
  case ONNX_TREE_NEQ: // NaN differs from all
    return equal(l, exchanged(b), t, false);
  case ONNX_TREE_MEMBER:
    return member(l, b, node);
  default:
    return (unit_t){.is_leaf = true, .row = node->row};
  }
}

static void add_units(layout_t *l) {
  size_t count = l->trees->nodes.count;
  for (size_t i = 0; i < count; i++)
    add_unit(l, (unit_t){0});
  for (size_t i = 0; i < count; i++) {
    unit_t unit = test_of(l, &l->trees->nodes.data[i]);
    l->units.data[i] = unit;
    l->any_turned |= unit.is_turned;
  }
}

//===-- Depths ---------------------------------------------------------------------------------------------------===//

enum { UNSEEN = 0, OPEN = -1 }; // a known depth is kept plus 1

static void measure(layout_t *l, int64_t root) {
  STRATA_VECTOR(int64_t) stack = {0};
  *strata_vector_push(l->arena, &stack) = root;
  while (stack.count) {
    int64_t at = stack.data[stack.count - 1];
    const unit_t *unit = &l->units.data[at];
    if (l->depths[at] > 0 || unit->is_leaf) {
      l->depths[at] = unit->is_leaf ? 1 : l->depths[at];
      stack.count--;
      continue;
    }
    int64_t yes = l->depths[unit->yes], no = l->depths[unit->no];
    if (yes > 0 && no > 0) {
      l->depths[at] = (yes > no ? yes : no) + 1;
      stack.count--;
      continue;
    }
    int64_t next = yes > 0 ? unit->no : unit->yes;
    if (l->depths[next] == OPEN || next == at) {
      onnx_invalid(l->trees->n, "a tree has a node below itself");
      return;
    }
    l->depths[at] = OPEN;
    *strata_vector_push(l->arena, &stack) = next;
  }
}

//===-- Nodes ----------------------------------------------------------------------------------------------------===//

// Room for |count| nodes.
static int64_t reserve(layout_t *l, int count) {
  int64_t place = (int64_t)l->numbers.count;
  for (int i = 0; i < count * STRATA_TREE_NODE; i++)
    *strata_vector_push(l->arena, &l->numbers) = 0;
  return place;
}

static void write_threshold(layout_t *l, int32_t *numbers, double threshold) {
  float narrow = (float)threshold;
  int32_t halves[2];
  if (!l->trees->is_double) {
    memcpy(&numbers[STRATA_TREE_HIGH], &narrow, sizeof narrow);
    return;
  }
  memcpy(halves, &threshold, sizeof halves);
  numbers[STRATA_TREE_LOW] = halves[0];
  numbers[STRATA_TREE_HIGH] = halves[1];
}

// Writes unit |at| to |place|. A unit may be below several others: then it is there several times, its children once.
static void write_unit(layout_t *l, int64_t at, int64_t place) {
  const unit_t *unit = &l->units.data[at];
  int32_t *numbers = &l->numbers.data[place];
  write_threshold(l, numbers, unit->is_leaf ? NAN : unit->threshold);
  if (unit->is_leaf) {
    numbers[STRATA_TREE_CHILD] = (int32_t)(place - STRATA_TREE_NODE);
    numbers[STRATA_TREE_LOW] = (int32_t)unit->row;
    return;
  }
  numbers[STRATA_TREE_COLUMN] = (int32_t)(unit->column + (unit->is_turned ? l->trees->n_columns : 0));
  numbers[STRATA_TREE_CHILD] = (int32_t)l->places[at];
}

// The tree below |root|, level by level; gives the root's place.
static int64_t write_tree(layout_t *l, int64_t root) {
  typedef struct {
    int64_t unit, place;
  } entry_t;
  STRATA_VECTOR(entry_t) queue = {0};
  int64_t place = reserve(l, 1);
  *strata_vector_push(l->arena, &queue) = (entry_t){root, place};
  for (size_t i = 0; i < queue.count; i++) {
    entry_t entry = queue.data[i];
    const unit_t *unit = &l->units.data[entry.unit];
    if (!unit->is_leaf && l->places[entry.unit] < 0) {
      int64_t pair = l->places[entry.unit] = reserve(l, 2);
      *strata_vector_push(l->arena, &queue) = (entry_t){unit->yes, pair};
      *strata_vector_push(l->arena, &queue) = (entry_t){unit->no, pair + STRATA_TREE_NODE};
    }
    write_unit(l, entry.unit, entry.place);
  }
  return place;
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

// Groups of trees, a group a target, where each tree adds to one target alone; else one group, whose leaves have a
// value for each target.
typedef struct {
  int64_t groups, columns, n_trees; // of a group
  int64_t *targets;                 // of trees, where groups are targets
} grouping_t;

// The target of the leaves below each root; -1: there are several.
static void find_targets(layout_t *l, const int64_t *leaf_targets, int64_t *targets) {
  bool *seen = strata_arena_array(l->arena, bool, l->trees->nodes.count);
  STRATA_VECTOR(int64_t) stack = {0};
  for (size_t tree = 0; tree < l->trees->roots.count; tree++) {
    targets[tree] = -2;
    *strata_vector_push(l->arena, &stack) = l->trees->roots.data[tree];
    while (stack.count) {
      const int64_t at = stack.data[--stack.count];
      const onnx_tree_node_t *node = &l->trees->nodes.data[at];
      if (node->mode != ONNX_TREE_LEAF && !seen[at]) {
        *strata_vector_push(l->arena, &stack) = node->yes;
        *strata_vector_push(l->arena, &stack) = node->no;
      }
      // What two trees share is looked at once: it does not make their targets one.
      if (seen[at] || (node->mode == ONNX_TREE_LEAF && leaf_targets[at] != -2 && targets[tree] != -2 &&
                       leaf_targets[at] != targets[tree]))
        targets[tree] = -1;
      else if (node->mode == ONNX_TREE_LEAF && leaf_targets[at] != -2)
        targets[tree] = leaf_targets[at];
      seen[at] = true;
    }
  }
}

static bool group_by_target(layout_t *l, grouping_t *g) {
  const onnx_trees_t *trees = l->trees;
  int64_t n_trees = (int64_t)trees->roots.count, *counts = strata_arena_array(l->arena, int64_t, trees->n_targets);
  int64_t *leaf_targets = strata_arena_array(l->arena, int64_t, trees->nodes.count);
  for (size_t i = 0; i < trees->nodes.count; i++)
    leaf_targets[i] = -2;
  for (size_t i = 0; i < trees->weights.count; i++) {
    const onnx_tree_weight_t *weight = &trees->weights.data[i];
    bool differs = leaf_targets[weight->leaf] != -2 && leaf_targets[weight->leaf] != weight->target;
    leaf_targets[weight->leaf] = differs ? -1 : weight->target;
  }
  g->targets = strata_arena_array(l->arena, int64_t, n_trees);
  find_targets(l, leaf_targets, g->targets);
  int64_t most = 1;
  for (int64_t i = 0; i < n_trees; i++) {
    if (g->targets[i] == -1)
      return false;
    g->targets[i] = g->targets[i] < 0 ? 0 : g->targets[i];
    most = ++counts[g->targets[i]] > most ? counts[g->targets[i]] : most;
  }
  *g = (grouping_t){trees->n_targets, 1, most, g->targets};
  return most <= 2 * n_trees / trees->n_targets + 1; // what is missing in a group is filled up
}

static grouping_t group(layout_t *l) {
  grouping_t g = {0};
  if (l->trees->n_targets > 1 && group_by_target(l, &g))
    return g;
  return (grouping_t){1, l->trees->n_targets, (int64_t)l->trees->roots.count, NULL};
}

// A row for each leaf that has weights; row 0 changes nothing, and is that of all others.
static MlirValue build_values(layout_t *l, const grouping_t *g, strata_combiner_t kind) {
  enum { MOST = 1 << 28 };
  onnx_trees_t *trees = l->trees;
  int64_t n_rows = 1;
  for (size_t i = 0; i < trees->weights.count; i++) {
    onnx_tree_node_t *leaf = &trees->nodes.data[trees->weights.data[i].leaf];
    leaf->row = leaf->row ? leaf->row : n_rows++;
  }
  if (n_rows > MOST / g->columns) {
    onnx_unsupported(trees->n, "%lld leaves with %lld values each", (long long)n_rows, (long long)g->columns);
    return (MlirValue){0};
  }
  const double neutral = kind == STRATA_COMBINER_MAX ? -INFINITY : kind == STRATA_COMBINER_MIN ? INFINITY : 0;
  double *values = strata_arena_array(l->arena, double, n_rows * g->columns);
  for (int64_t i = 0; i < n_rows * g->columns; i++)
    values[i] = neutral;
  for (size_t i = 0; i < trees->weights.count; i++) {
    const onnx_tree_weight_t *weight = &trees->weights.data[i];
    double *value = &values[trees->nodes.data[weight->leaf].row * g->columns + (g->targets ? 0 : weight->target)];
    *value = kind == STRATA_COMBINER_ADD   ? *value + weight->weight
             : kind == STRATA_COMBINER_MIN ? fmin(*value, weight->weight)
                                           : fmax(*value, weight->weight);
  }
  return onnx_floats(trees->n, trees->is_double ? STRATA_TYPE_F64 : STRATA_TYPE_F32, 2, (int64_t[]){n_rows, g->columns},
                     values);
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

static MlirValue ints32(layout_t *l, int rank, const int64_t *dims, const int32_t *values) {
  strata_shape_t shape = strata_shape_static(l->trees->n->b->compile->context, STRATA_TYPE_I32, rank, dims);
  return strata_build_constant(l->trees->n->b, &shape, l->trees->n->name, values);
}

static MlirValue build_roots(layout_t *l, const grouping_t *g) {
  const onnx_trees_t *trees = l->trees;
  int64_t *used = strata_arena_array(l->arena, int64_t, g->groups), nothing = reserve(l, 1);
  int32_t *roots = strata_arena_array(l->arena, int32_t, g->groups * g->n_trees * STRATA_TREE_ENTRY);
  add_unit(l, (unit_t){.is_leaf = true});
  write_unit(l, (int64_t)l->units.count - 1, nothing);
  for (int64_t i = 0; i < g->groups * g->n_trees; i++)
    roots[i * STRATA_TREE_ENTRY] = (int32_t)nothing;
  for (size_t i = 0; i < trees->roots.count; i++) {
    int64_t target = g->targets ? g->targets[i] : 0, root = trees->roots.data[i];
    int32_t *entry = &roots[(target * g->n_trees + used[target]++) * STRATA_TREE_ENTRY];
    entry[STRATA_TREE_ROOT] = (int32_t)write_tree(l, root);
    entry[STRATA_TREE_STEPS] = (int32_t)(l->depths[root] - 1);
  }
  return ints32(l, 3, (int64_t[]){g->groups, g->n_trees, STRATA_TREE_ENTRY}, roots);
}

// x, and -x behind it.
static MlirValue with_turned(layout_t *l, MlirValue x) {
  onnx_node_t *n = l->trees->n;
  if (l->trees->is_double)
    x = onnx_convert(n, x, false, STRATA_TYPE_F64, false);
  if (!l->any_turned || onnx_failed(n))
    return x;
  return strata_build_concat(n->b, 2, (MlirValue[]){x, onnx_unary(n, STRATA_OP_NEG, x)}, 1);
}

// What is still the neutral element has met no leaf.
static MlirValue without_neutral(onnx_node_t *n, MlirValue x) {
  if (onnx_failed(n))
    return x;
  return onnx_select(n, onnx_unary(n, STRATA_OP_IS_INF, x), onnx_number(n, x, 0), x);
}

MlirValue onnx_trees_build(onnx_trees_t *trees, strata_combiner_t kind, MlirValue x) {
  enum { MOST = INT32_MAX / (4 * STRATA_TREE_NODE) };
  onnx_node_t *n = trees->n;
  layout_t l = {.trees = trees, .arena = n->b->compile->arena};
  grouping_t g = group(&l);
  MlirValue values = build_values(&l, &g, kind);
  add_units(&l);
  l.depths = strata_arena_array(l.arena, int64_t, l.units.count);
  l.places = strata_arena_array(l.arena, int64_t, l.units.count);
  for (size_t i = 0; i < l.units.count; i++)
    l.places[i] = -1;
  for (size_t i = 0; i < trees->roots.count && !onnx_failed(n); i++)
    measure(&l, trees->roots.data[i]);
  if (l.units.count > MOST)
    onnx_unsupported(n, "%zu nodes", l.units.count);
  if (onnx_failed(n))
    return (MlirValue){0};
  MlirValue roots = build_roots(&l, &g);
  MlirValue nodes = ints32(&l, 1, (int64_t[]){(int64_t)l.numbers.count}, l.numbers.data);
  MlirValue result = strata_build_trees(n->b, kind, with_turned(&l, x), nodes, roots, values);
  if (onnx_failed(n))
    return result;
  result = onnx_reshape_dims(n, result, 2, (strata_dim_t[]){onnx_shape(x).dims[0], onnx_dim(n, trees->n_targets)});
  return kind == STRATA_COMBINER_ADD ? result : without_neutral(n, result);
}
