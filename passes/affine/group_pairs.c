// Groups of pairs: two contractions of the same rows whose results meet elementwise, silu(x W) * (x V), found before
// other groups grow. See group.h and strata_contraction_read.
//
// Every contraction is looked at with those behind it that read a buffer of its. Their results meet if what follows
// both elementwise has a nest in common; that and what lies between joins the group when it grows. A pair is one if
// both operands come in bulk, or are multiplied without matrix instructions, and if the model finds it faster than two
// kernels of which one stores what the other reads; or if results are summed up one by one, in a launch less then.
#include "dialects/affine/contraction.h"
#include "dialects/mlir_util.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"
#include "passes/affine/group.h"
#include "passes/affine/problem.h"
#include "passes/target.h"

#include <math.h>

enum { MAX_NODES = 32 }; // that follow a contraction

typedef struct {
  strata_grouping_t *grouping;
  const strata_gpu_device_t *device;
} finder_t;

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// The elementwise nests that follow |node|, the nearest first.
static strata_ints_t followers(const finder_t *f, int node) {
  strata_ints_t found = {0};
  for (size_t next = 0;; node = found.data[next++]) {
    const strata_ints_t *after = &strata_group_node(f->grouping, node)->after;
    for (size_t i = 0; i < after->count && found.count < MAX_NODES; i++)
      if (strata_group_node(f->grouping, after->data[i])->nest &&
          strata_group_node(f->grouping, after->data[i])->class == STRATA_NEST_MAP &&
          !strata_ints_contain(&found, after->data[i]))
        *strata_vector_push(f->grouping->graph.arena, &found) = after->data[i];
    if (next == found.count)
      return found;
  }
}

// The first nest that follows both; negative: none.
static int meeting(const strata_ints_t *a, const strata_ints_t *b) {
  int first = -1;
  for (size_t i = 0; i < a->count; i++)
    if (strata_ints_contain(b, a->data[i]) && (first < 0 || a->data[i] < first))
      first = a->data[i];
  return first;
}

// True if nobody but elementwise nests reads what |node| stores: else it is in memory all the same.
static bool is_private(const finder_t *f, int node) {
  const strata_nest_node_t *record = strata_group_node(f->grouping, node);
  bool is_alone = true;
  for (size_t i = 0; i < record->after.count; i++)
    is_alone &= strata_group_node(f->grouping, record->after.data[i])->nest &&
                strata_group_node(f->grouping, record->after.data[i])->class == STRATA_NEST_MAP;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &f->grouping->graph.buffers.data[record->buffers.data[i]];
    is_alone &= !record->nest->accesses[i].is_store || (buffer->is_alloc && buffer->n_stores == 1);
  }
  return is_alone;
}

static bool are_private(const finder_t *f, const strata_ints_t *nodes, int end) {
  for (size_t i = 0; i < nodes->count; i++)
    if (nodes->data[i] < end && !is_private(f, nodes->data[i]))
      return false;
  return true;
}

// True if the results meet, and nothing before that is stored.
static bool meet(const finder_t *f, int first, int second) {
  strata_ints_t a = followers(f, first), b = followers(f, second);
  int end = meeting(&a, &b);
  return end >= 0 && are_private(f, &a, end) && are_private(f, &b, end);
}

// Both, and what follows them to where they meet.
static strata_ints_t nests_of(const finder_t *f, int first, int second) {
  strata_ints_t a = followers(f, first), b = followers(f, second), nests = {0};
  int end = meeting(&a, &b);
  *strata_vector_push(f->grouping->graph.arena, &nests) = first;
  *strata_vector_push(f->grouping->graph.arena, &nests) = second;
  for (int i = 0; i < 2; i++) {
    const strata_ints_t *side = i ? &b : &a;
    for (size_t j = 0; j < side->count; j++)
      if (side->data[j] <= end && !strata_ints_contain(&nests, side->data[j]))
        *strata_vector_push(f->grouping->graph.arena, &nests) = side->data[j];
  }
  return nests;
}

//===-- Whether it pays ------------------------------------------------------------------------------------------===//

typedef struct {
  strata_problem_reading_t product;
  strata_nest_t nests[2];
} product_t;

// True if what lies along both dims is the same as along one, of as many points.
static bool are_one_dim(const strata_nest_t *nest, const strata_access_t *access, int outer, int inner) {
  MlirAffineExpr stride, within;
  if (!strata_access_size_stride(nest, access, outer, &stride) ||
      !strata_access_size_stride(nest, access, inner, &within))
    return false;
  MlirContext context = mlirAffineExprGetContext(stride);
  MlirAffineExpr whole = mlirAffineMulExprGet(within, strata_size_expr(context, nest->space.sizes[inner]));
  return strata_size_equal(strata_size_of(stride, &nest->space), strata_size_of(whole, &nest->space));
}

// Rows that lie one behind another are one dim when they are multiplied (coalesce.c); of sizes that vary it is not seen
// from the dims' numbers that a tile of them is a box.
static void merge_rows(const strata_contraction_kernel_t *c, strata_problem_t *both) {
  strata_contraction_axis_t axes[STRATA_N_AXES];
  strata_contraction_axes(c, axes);
  const strata_contraction_axis_t *rows = &axes[STRATA_AXIS_ROW];
  bool are_one = both->varies && rows->n_dims > 1;
  for (int i = 1; i < rows->n_dims; i++)
    are_one = are_one && are_one_dim(c->nest, c->sides[STRATA_SIDE_U].access, rows->dims[i - 1], rows->dims[i]) &&
              are_one_dim(c->nest, c->store, rows->dims[i - 1], rows->dims[i]);
  if (are_one)
    both->axes[STRATA_AXIS_ROW] = (strata_problem_axis_t){.n_dims = 1, .dims = {rows->size.divisor}};
}

// One contraction, or both.
static bool read_problem(const finder_t *f, const int *nodes, int n, strata_problem_t *out) {
  product_t *p = strata_arena_new(f->grouping->graph.arena, product_t);
  MlirOperation func = f->grouping->graph.func;
  p->product.kernel = (strata_kernel_t){f->grouping->graph.arena, func, strata_func_body(func), n, p->nests};
  for (int i = 0; i < n; i++)
    p->nests[i] = *strata_group_node(f->grouping, nodes[i])->nest;
  bool is_one = strata_problem_of_kernel(
      &(strata_gpu_contraction_t){.compile = f->grouping->compile, .device = f->device}, &p->product);
  if (is_one && p->product.problem.is_pair)
    merge_rows(&p->product.contraction, &p->product.problem);
  *out = p->product.problem;
  return is_one;
}

// One kernel of |together| seconds, or several.
static strata_status_t decide(const finder_t *f, int first, int second, const strata_problem_t *both, double together,
                              double apart, bool *is_faster) {
  const strata_answer_t answers[] = {{"one kernel", together}, {"apart", apart}};
  if (!strata_decides(f->grouping->compile))
    return NULL;
  const strata_ints_t nests = nests_of(f, first, second);
  const char *what = strata_arena_printf(f->grouping->graph.arena, "%lld x 2 * %lld x %lld", (long long)both->rows,
                                         (long long)both->columns, (long long)both->steps);
  return strata_decide_between(f->grouping->compile, &f->grouping->graph, &nests, STRATA_DECIDES_PAIR, what, answers,
                               is_faster);
}

static strata_status_t pays(const finder_t *f, int first, int second, bool *out_pays) {
  strata_problem_t both, one, other;
  *out_pays = false;
  if (!read_problem(f, (int[]){first, second}, 2, &both) || !both.is_pair || !read_problem(f, &first, 1, &one) ||
      !read_problem(f, &second, 1, &other))
    return NULL;
  if (strata_problem_is_rows(f->device, &both)) {
    strata_explain(f->grouping->compile, "pair contract#%d, contract#%d: %lld x 2 * %lld x %lld: summed up like rows",
                   first, second, (long long)both.rows, (long long)both.columns, (long long)both.steps);
    *out_pays = true;
    return NULL;
  }
  double together = strata_problem_unstaged_seconds(f->device, &both);
  if (isinf(together))
    return NULL;
  double results = (double)both.rows * (double)both.columns * (double)both.batch * (double)both.stored_bytes;
  double apart = strata_problem_seconds(f->device, &one) + strata_problem_seconds(f->device, &other) +
                 f->device->costs->group.pair_seconds + results / (double)f->device->bandwidth;
  *out_pays = together < apart;
  strata_explain(f->grouping->compile, "pair contract#%d, contract#%d: %lld x 2 * %lld x %lld: %.1f us %s %.1f apart",
                 first, second, (long long)both.rows, (long long)both.columns, (long long)both.steps, 1e6 * together,
                 *out_pays ? "instead of" : "are too many for", 1e6 * apart);
  return decide(f, first, second, &both, together, apart, out_pays);
}

//===-- Forming --------------------------------------------------------------------------------------------------===//

// The points of both are the same.
static strata_status_t form(finder_t *f, int first, int second) {
  int group = strata_group_create(f->grouping, first);
  STRATA_TRY(strata_group_add(f->grouping, group, second));
  f->grouping->nodes[second].outer = strata_group_identity(f->grouping, second);
  return NULL;
}

static strata_status_t try_contraction(finder_t *f, int first) {
  const strata_nest_node_t *record = strata_group_node(f->grouping, first);
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_ints_t *readers = &f->grouping->graph.buffers.data[record->buffers.data[i]].readers;
    if (record->nest->accesses[i].is_store || readers->count > STRATA_GROUP_MAX_READERS)
      continue;
    for (size_t j = 0; j < readers->count; j++) {
      int second = readers->data[j];
      bool is_pair = second > first && strata_group_is_free_anchor(f->grouping, second) && is_private(f, second) &&
                     meet(f, first, second);
      if (is_pair)
        STRATA_TRY(pays(f, first, second, &is_pair));
      if (is_pair)
        return form(f, first, second);
    }
  }
  return NULL;
}

static bool is_allowed(const strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  return strata_target_is_gpu(compile) && !options->disable_fusion && !options->disable_tensor_core;
}

strata_status_t strata_group_pairs(strata_grouping_t *grouping) {
  finder_t f = {.grouping = grouping};
  if (!is_allowed(grouping->compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(grouping->compile, &f.device));
  for (int node = 0; node < (int)grouping->graph.nodes.count; node++)
    if (strata_group_is_free_anchor(grouping, node) && is_private(&f, node))
      STRATA_TRY(try_contraction(&f, node));
  return NULL;
}
