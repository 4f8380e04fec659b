// Ensembles of decision trees: read from a node's attributes (tree_nodes.c), laid out for strata.trees (tree_layout.c).
#ifndef STRATA_DIALECTS_IMPORT_ONNX_ML_TREES_H
#define STRATA_DIALECTS_IMPORT_ONNX_ML_TREES_H

#include "dialects/import/onnx/ml/ml.h"

// How a node decides, in the numbers of TreeEnsemble: rows of tree_modes.def.
typedef enum {
#define TREE_MODE(id, name) ONNX_TREE_##id,
#include "dialects/import/onnx/ml/tree_modes.def"
  ONNX_TREE_MODES
} onnx_tree_mode_t;

// A node, or a leaf; |yes| and |no| are numbers of others.
typedef struct {
  onnx_tree_mode_t mode; // ONNX_TREE_LEAF: the rest says nothing but |row|
  int64_t column;
  double threshold;
  bool takes_missing; // NaN is yes
  int64_t yes, no;
  int64_t first_member, n_members; // of the sets
  int64_t row;                     // of a leaf: of the values
} onnx_tree_node_t;

// What leaf |leaf| adds to |target|.
typedef struct {
  int64_t leaf, target;
  double weight;
} onnx_tree_weight_t;

typedef struct {
  onnx_node_t *n;
  STRATA_VECTOR(onnx_tree_node_t) nodes;
  STRATA_VECTOR(int64_t) roots; // numbers of nodes
  STRATA_VECTOR(onnx_tree_weight_t) weights;
  const double *members; // of all sets
  int64_t n_targets, n_columns;
  bool is_double; // thresholds and values are f64
} onnx_trees_t;

// The operators' two forms: parallel lists of nodes and of the weights of |what| ("target" or "class"); and that of
// TreeEnsemble. False after an error.
bool onnx_trees_read_lists(onnx_trees_t *trees, const char *what);
bool onnx_trees_read_tensors(onnx_trees_t *trees);

// [rows, n_targets]: of all leaves that a row of |x| reaches, what they add to each target, combined.
MlirValue onnx_trees_build(onnx_trees_t *trees, strata_combiner_t kind, MlirValue x);

#endif
