// The attributes of an ensemble of trees as nodes, roots and weights.
#include "dialects/import/onnx/ml/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static strata_arena_t *arena_of(const onnx_trees_t *trees) { return trees->n->b->compile->arena; }

static bool is_right_column(onnx_trees_t *trees, int64_t column) {
  if (column < 0 || column >= trees->n_columns)
    onnx_invalid(trees->n, "attribute 'nodes_featureids': there is no column %lld: operand 0 has %lld",
                 (long long)column, (long long)trees->n_columns);
  return !onnx_failed(trees->n);
}

static void add_weight(onnx_trees_t *trees, const char *attr, int64_t leaf, int64_t target, double weight) {
  if (target < 0 || target >= trees->n_targets)
    onnx_invalid(trees->n, "attribute '%s': there is no target %lld: there are %lld", attr, (long long)target,
                 (long long)trees->n_targets);
  *strata_vector_push(arena_of(trees), &trees->weights) = (onnx_tree_weight_t){leaf, target, weight};
}

//===-- Lists ----------------------------------------------------------------------------------------------------===//

// A node's tree and number in it, which name it; and its place in the lists.
typedef struct {
  int64_t tree, node, at;
} node_key_t;

static int compare_keys(const void *left, const void *right) {
  const node_key_t *a = left, *b = right;
  if (a->tree != b->tree)
    return a->tree < b->tree ? -1 : 1;
  return a->node < b->node ? -1 : a->node > b->node;
}

typedef struct {
  onnx_trees_t *trees;
  int64_t count;
  const int64_t *tree_ids, *node_ids, *columns, *yes, *no, *missing;
  const char *const *modes;
  const double *values;
  node_key_t *keys; // sorted
} lists_t;

// An attribute of |expected| numbers.
static const int64_t *ints_of(onnx_node_t *n, const char *name, int64_t expected) {
  int64_t count;
  const int64_t *values = onnx_attr_ints(n, name, &count);
  onnx_expect_count(n, name, count, expected);
  return values;
}

static bool read_node_lists(lists_t *l) {
  onnx_node_t *n = l->trees->n;
  int64_t count;
  onnx_attr_ints(n, "nodes_treeids", &l->count);
  if (!l->count)
    onnx_invalid(n, "attribute 'nodes_treeids': there are no nodes");
  l->tree_ids = ints_of(n, "nodes_treeids", l->count);
  l->node_ids = ints_of(n, "nodes_nodeids", l->count);
  l->columns = ints_of(n, "nodes_featureids", l->count);
  l->yes = ints_of(n, "nodes_truenodeids", l->count);
  l->no = ints_of(n, "nodes_falsenodeids", l->count);
  l->modes = onnx_attr_strings(n, "nodes_modes", &count);
  onnx_expect_count(n, "nodes_modes", count, l->count);
  l->values = onnx_attr_numbers(n, "nodes_values", &count, &l->trees->is_double);
  onnx_expect_count(n, "nodes_values", count, l->count);
  l->missing = onnx_attr_ints(n, "nodes_missing_value_tracks_true", &count);
  if (count)
    onnx_expect_count(n, "nodes_missing_value_tracks_true", count, l->count);
  l->missing = count ? l->missing : NULL;
  return !onnx_failed(n);
}

static bool sort_keys(lists_t *l) {
  l->keys = strata_arena_array(arena_of(l->trees), node_key_t, l->count);
  for (int64_t i = 0; i < l->count; i++)
    l->keys[i] = (node_key_t){l->tree_ids[i], l->node_ids[i], i};
  qsort(l->keys, (size_t)l->count, sizeof *l->keys, compare_keys);
  for (int64_t i = 1; i < l->count; i++)
    if (!compare_keys(&l->keys[i - 1], &l->keys[i])) {
      onnx_invalid(l->trees->n, "tree %lld has node %lld twice", (long long)l->keys[i].tree,
                   (long long)l->keys[i].node);
      return false;
    }
  return true;
}

static int64_t find_node(lists_t *l, int64_t tree, int64_t node) {
  const node_key_t key = {tree, node, 0};
  const node_key_t *found = bsearch(&key, l->keys, (size_t)l->count, sizeof key, compare_keys);
  if (found)
    return found->at;
  if (!onnx_failed(l->trees->n))
    onnx_invalid(l->trees->n, "tree %lld has no node %lld", (long long)tree, (long long)node);
  return 0;
}

static onnx_tree_mode_t mode_of(lists_t *l, int64_t at) {
  static const char *const names[] = {
#define TREE_MODE(id, name) name,
#include "dialects/import/onnx/ml/tree_modes.def"
  };
  for (int i = 0; i < ONNX_TREE_MODES; i++)
    if (*names[i] && !strcmp(l->modes[at], names[i]))
      return (onnx_tree_mode_t)i;
  onnx_invalid(l->trees->n, "attribute 'nodes_modes': there is no '%s'", l->modes[at]);
  return ONNX_TREE_LEAF;
}

static void add_listed_node(lists_t *l, int64_t at) {
  onnx_tree_node_t node = {.mode = mode_of(l, at)};
  if (node.mode != ONNX_TREE_LEAF && is_right_column(l->trees, l->columns[at])) {
    node.column = l->columns[at];
    node.threshold = l->values[at];
    node.takes_missing = l->missing && l->missing[at];
    node.yes = find_node(l, l->tree_ids[at], l->yes[at]);
    node.no = find_node(l, l->tree_ids[at], l->no[at]);
  }
  *strata_vector_push(arena_of(l->trees), &l->trees->nodes) = node;
}

// A tree's root is the node of it that comes first. Trees are in the order of their roots.
static void add_roots(lists_t *l) {
  bool *is_root = strata_arena_array(arena_of(l->trees), bool, l->count);
  for (int64_t i = 0, first = 0; i < l->count; i++) {
    if (l->keys[i].at < l->keys[first].at)
      first = i;
    if (i + 1 < l->count && l->keys[i + 1].tree == l->keys[i].tree)
      continue;
    is_root[l->keys[first].at] = true;
    first = i + 1;
  }
  for (int64_t i = 0; i < l->count; i++)
    if (is_root[i])
      *strata_vector_push(arena_of(l->trees), &l->trees->roots) = i;
}

static void add_weight_lists(lists_t *l, const char *what) {
  onnx_node_t *n = l->trees->n;
  const char *names[4];
  const char *const suffixes[4] = {"treeids", "nodeids", "ids", "weights"};
  const int64_t *ids[3];
  int64_t count, n_weights;
  for (int i = 0; i < 4; i++)
    names[i] = strata_arena_printf(arena_of(l->trees), "%s_%s", what, suffixes[i]);
  const double *weights = onnx_attr_numbers(n, names[3], &n_weights, &l->trees->is_double);
  for (int i = 0; i < 3; i++) {
    ids[i] = onnx_attr_ints(n, names[i], &count);
    onnx_expect_count(n, names[i], count, n_weights);
  }
  for (int64_t i = 0; i < n_weights && !onnx_failed(n); i++)
    add_weight(l->trees, names[2], find_node(l, ids[0][i], ids[1][i]), ids[2][i], weights[i]);
}

bool onnx_trees_read_lists(onnx_trees_t *trees, const char *what) {
  lists_t l = {.trees = trees};
  if (!read_node_lists(&l) || !sort_keys(&l))
    return false;
  for (int64_t i = 0; i < l.count && !onnx_failed(trees->n); i++)
    add_listed_node(&l, i);
  add_roots(&l);
  add_weight_lists(&l, what);
  return !onnx_failed(trees->n);
}

//===-- Tensors --------------------------------------------------------------------------------------------------===//

typedef struct {
  onnx_trees_t *trees;
  int64_t count, n_leaves, n_members;
  const int64_t *columns, *modes, *yes, *no, *yes_leaf, *no_leaf, *missing;
  const double *splits;
} tensors_t;

static bool read_node_tensors(tensors_t *t) {
  onnx_node_t *n = t->trees->n;
  bool *is_double = &t->trees->is_double;
  int64_t count;
  t->splits = onnx_attr_double_tensor(n, "nodes_splits", &t->count, is_double);
  t->modes = onnx_attr_int_tensor(n, "nodes_modes", &count);
  onnx_expect_count(n, "nodes_modes", count, t->count);
  t->columns = ints_of(n, "nodes_featureids", t->count);
  t->yes = ints_of(n, "nodes_truenodeids", t->count);
  t->no = ints_of(n, "nodes_falsenodeids", t->count);
  t->yes_leaf = ints_of(n, "nodes_trueleafs", t->count);
  t->no_leaf = ints_of(n, "nodes_falseleafs", t->count);
  t->missing = onnx_attr_ints(n, "nodes_missing_value_tracks_true", &count);
  if (count)
    onnx_expect_count(n, "nodes_missing_value_tracks_true", count, t->count);
  t->missing = count ? t->missing : NULL;
  t->trees->members = onnx_attr_double_tensor(n, "membership_values", &t->n_members, is_double);
  return !onnx_failed(n);
}

// Leaves are nodes behind all others.
static int64_t child(tensors_t *t, const char *name, int64_t at, bool is_leaf) {
  if (at < 0 || at >= (is_leaf ? t->n_leaves : t->count))
    onnx_invalid(t->trees->n, "attribute '%s': there is no %s %lld", name, is_leaf ? "leaf" : "node", (long long)at);
  return is_leaf ? t->count + at : at;
}

// The sets are in the order of the nodes, each ended by NaN.
static void take_members(tensors_t *t, onnx_tree_node_t *node, int64_t *next) {
  node->first_member = *next;
  while (*next < t->n_members && !isnan(t->trees->members[*next]))
    ++*next;
  node->n_members = *next - node->first_member;
  if (*next == t->n_members)
    onnx_invalid(t->trees->n, "attribute 'membership_values': there are fewer sets than nodes that test for one");
  ++*next;
}

static void add_tensor_node(tensors_t *t, int64_t at, int64_t *next_member) {
  onnx_tree_node_t node = {.mode = (onnx_tree_mode_t)t->modes[at],
                           .column = t->columns[at],
                           .threshold = t->splits[at],
                           .takes_missing = t->missing && t->missing[at],
                           .yes = child(t, "nodes_truenodeids", t->yes[at], t->yes_leaf[at]),
                           .no = child(t, "nodes_falsenodeids", t->no[at], t->no_leaf[at])};
  if (t->modes[at] < 0 || t->modes[at] > ONNX_TREE_MEMBER)
    onnx_invalid(t->trees->n, "attribute 'nodes_modes': there is no mode %lld", (long long)t->modes[at]);
  else if (node.mode == ONNX_TREE_MEMBER)
    take_members(t, &node, next_member);
  is_right_column(t->trees, node.column);
  *strata_vector_push(arena_of(t->trees), &t->trees->nodes) = node;
}

static void add_leaves(tensors_t *t, const double *weights) {
  int64_t count;
  const int64_t *targets = onnx_attr_ints(t->trees->n, "leaf_targetids", &count);
  onnx_expect_count(t->trees->n, "leaf_targetids", count, t->n_leaves);
  for (int64_t i = 0; i < t->n_leaves && !onnx_failed(t->trees->n); i++) {
    *strata_vector_push(arena_of(t->trees), &t->trees->nodes) = (onnx_tree_node_t){.mode = ONNX_TREE_LEAF};
    add_weight(t->trees, "leaf_targetids", t->count + i, targets[i], weights[i]);
  }
}

bool onnx_trees_read_tensors(onnx_trees_t *trees) {
  tensors_t t = {.trees = trees};
  onnx_node_t *n = trees->n;
  int64_t n_roots, next_member = 0;
  const double *weights = onnx_attr_double_tensor(n, "leaf_weights", &t.n_leaves, &trees->is_double);
  if (!read_node_tensors(&t))
    return false;
  for (int64_t i = 0; i < t.count && !onnx_failed(n); i++)
    add_tensor_node(&t, i, &next_member);
  add_leaves(&t, weights);
  const int64_t *roots = onnx_attr_ints(n, "tree_roots", &n_roots);
  if (!n_roots)
    onnx_invalid(n, "attribute 'tree_roots': there are no trees");
  for (int64_t i = 0; i < n_roots && !onnx_failed(n); i++)
    *strata_vector_push(arena_of(trees), &trees->roots) = child(&t, "tree_roots", roots[i], false);
  return !onnx_failed(n);
}
