// A reduction in two nests: partial results, and what combines them. Internal to split*.c.
#ifndef STRATA_PASSES_AFFINE_SPLIT_REDUCTIONS_H
#define STRATA_PASSES_AFFINE_SPLIT_REDUCTIONS_H

#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"
#include "passes/target.h"

typedef struct {
  const strata_nest_t *nest;
  bool is_across;                       // results lie side by side: a thread sums up one of them alone
  bool is_beside[STRATA_MAX_DIMS];      // by reduction dim: its parts lie side by side, too
  strata_size_t parts[STRATA_MAX_DIMS]; // by reduction dim; 1: not split
  strata_size_t sizes[STRATA_MAX_DIMS]; // of a part; the last may be shorter
  bool may_be_uneven;                   // what is read beyond the end may be what the reduction starts from
  int64_t n_parts;                      // together, likely
} strata_split_t;

typedef struct {
  MlirOperation op; // the nest, in front of the one that is split
  MlirValue buffer; // parts behind the results' dims, or, where they lie side by side, in front of them
} strata_partial_t;

// Splits |split->nest|, which combines the partial results afterwards.
STRATA_MUST_CHECK strata_status_t strata_split_apply(strata_arena_t *arena, const strata_split_t *split,
                                                     strata_partial_t *out_partial);

// The sizes of the partial results' dims: parts and results, the ones that lie side by side last; their number.
int strata_split_sizes(const strata_split_t *split, strata_size_t *out_sizes);
// Gives |body|, whose arguments are the results' dims, those of the parts; their number.
int strata_split_insert(const strata_split_t *split, MlirBlock body, MlirValue *out_parts);
// True if reduction dim |dim| is cut.
static inline bool strata_split_cuts(const strata_split_t *split, int dim) {
  return !strata_size_is_one(split->parts[dim]);
}
// The place among them of the parts of reduction dim |dim|.
int strata_split_place(const strata_split_t *split, int dim);

// The affine.load or affine.store of |name| at |dims|; |leading| are its other operands.
MlirOperation strata_split_access(MlirLocation location, const char *name, const MlirValue *leading, int n_leading,
                                  const MlirValue *dims, int n_dims, int n_results, const MlirType *result);

// Cuts the outer reduction dims, as they are contiguous least, into about |wanted| parts together.
void strata_split_cut(strata_split_t *split, double wanted);
// Cuts the one reduction dim into about |wanted| parts of multiples of |step|, but for the last; false if there are
// several, or zeros beyond the end would count.
bool strata_split_cut_unevenly(strata_split_t *split, double wanted, int64_t step);

// The divisor of |extent| closest to |wanted|, at most |most|.
int64_t strata_divisor_near(int64_t extent, double wanted, double most);

// True if |node| reduces to one value a result, and its parts could start from the same value as it does.
bool strata_split_is_possible(const strata_nest_node_t *node);

// Products (split_products.c). The nest as one whose tiles are worth their while; false of others, a matrix times few
// vectors among them, each result of which is summed up like a row.
bool strata_split_read_product(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_nest_node_t *node, strata_problem_t *out_problem, bool *out_may_be_uneven);
// The parts that take the least time by the model of schedules, if that is worth a second kernel.
void strata_split_choose_parts(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_problem_t *problem, strata_split_t *split);
// Those that tuning has found for the nest |number|; |whole| has none.
STRATA_MUST_CHECK strata_status_t strata_split_decide_parts(strata_compile_t *compile,
                                                            const strata_gpu_device_t *device,
                                                            const strata_nest_graph_t *graph, int number,
                                                            const strata_problem_t *problem,
                                                            const strata_split_t *whole, strata_split_t *split);

// On the cpu (split_pieces.c): splits mean and variance of the rows of |func| that are pieces in memory.
STRATA_MUST_CHECK strata_status_t strata_split_pieces(strata_compile_t *compile, MlirOperation func);

typedef enum {
  STRATA_PARTS_ALONG,   // rows, each in parts that blocks go along
  STRATA_PARTS_ACROSS,  // results lie side by side: threads go down a part of each
  STRATA_PARTS_COLUMNS, // of rows that are pieces: threads go down what lies side by side of them and their neighbours
} strata_parts_t;

// Mean and variance of rows (split_moments.c): what is begun with the sum |node| is computed in about |parts| parts of
// a row, each with the mean of its own. *out_squares is the node that sums up the squares, which is split too; -1 where
// |node| begins nothing of the kind.
STRATA_MUST_CHECK strata_status_t strata_split_moments(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                                       int node, double parts, strata_parts_t kind, int *out_squares);

#endif
