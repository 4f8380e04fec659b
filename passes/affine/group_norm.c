// Groups of contractions and reductions over their results' rows (norms, softmax), found before other groups grow. See
// group.h.
//
// From every contraction its readers are followed, as long as each works on one element or row of the result
// (strata_contraction_follow) and needs nothing that needs what is left behind. Where rows are reduced on the way all
// that is one kernel, if the model finds it faster than two.
#include "dialects/affine/contraction_rows.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/candidates.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"
#include "passes/affine/group.h"
#include "passes/target.h"

#include <math.h>

enum { MAX_NODES = 256, MAX_MEMBERS = 64, MAX_REDUCTIONS = 4 }; // that are looked at behind one contraction

typedef struct {
  strata_grouping_t *grouping;
  const strata_gpu_device_t *device;
  int first;              // the contraction
  strata_ints_t members;  // in order; the first alone is the contraction
  strata_ints_t behind;   // nodes that need a member, and are none
  strata_kernel_t kernel; // of the members
  strata_contraction_place_t *places;
  strata_kernel_t product; // of the first alone
  strata_contraction_kernel_t contraction;
  int n_reductions;
} finder_t;

static bool any_in(const strata_ints_t *nodes, const strata_ints_t *set) {
  for (size_t i = 0; i < nodes->count; i++)
    if (strata_ints_contain(set, nodes->data[i]))
      return true;
  return false;
}

static bool all_in(const strata_ints_t *nodes, const strata_ints_t *set) {
  for (size_t i = 0; i < nodes->count; i++)
    if (!strata_ints_contain(set, nodes->data[i]))
      return false;
  return true;
}

//===-- Members --------------------------------------------------------------------------------------------------===//

// True if it alone writes what it stores.
static bool stores_alone(const finder_t *f, int at) {
  const strata_nest_node_t *node = strata_group_node(f->grouping, at);
  for (size_t i = 0; i < node->buffers.count; i++)
    if (node->nest->accesses[i].is_store && f->grouping->graph.buffers.data[node->buffers.data[i]].n_stores != 1)
      return false;
  return true;
}

static void push_member(finder_t *f, int at) {
  *strata_vector_push(f->grouping->graph.arena, &f->members) = at;
  f->n_reductions += strata_group_node(f->grouping, at)->class == STRATA_NEST_ROW;
}

// True if a nest's dims are those of the contraction, and not cut out of them: what it stores would have no order that
// registers run along.
static bool has_whole_dims(const strata_nest_t *nest, const strata_contraction_place_t *place) {
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (strata_affine_has_division(place->dims[dim]))
      return false;
  return true;
}

// Why |at|, which needs members alone or what none of them has to do with, is left behind; NULL if it is a member now.
static const char *take(finder_t *f, int at) {
  const strata_nest_node_t *node = strata_group_node(f->grouping, at);
  int i = f->kernel.n_nests;
  if (!node->nest || (node->class != STRATA_NEST_MAP && node->class != STRATA_NEST_ROW) || node->is_constant ||
      f->grouping->nodes[at].group >= 0 || !stores_alone(f, at) || i == MAX_MEMBERS)
    return "";
  if (node->class == STRATA_NEST_ROW && f->n_reductions == MAX_REDUCTIONS)
    return "too many reductions";
  f->kernel.nests[i] = *node->nest;
  f->places[i] = (strata_contraction_place_t){0};
  f->kernel.n_nests++;
  int column = f->contraction.sides[STRATA_SIDE_V].tile_dim;
  const char *why = strata_contraction_follow(&f->kernel, &f->kernel.nests[0], column, i, f->places);
  if (!why && f->places[i].is_known && has_whole_dims(node->nest, &f->places[i])) {
    push_member(f, at);
    return NULL;
  }
  f->kernel.n_nests--;
  return why ? why : "";
}

static void find_members(finder_t *f) {
  strata_nest_graph_t *graph = &f->grouping->graph;
  int end = f->first + MAX_NODES;
  end = end < (int)graph->nodes.count ? end : (int)graph->nodes.count;
  for (int at = f->first + 1; at < end; at++) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, at);
    bool follows = any_in(&node->before, &f->members), waits = any_in(&node->before, &f->behind);
    if (!follows && !waits)
      continue;
    const char *why = waits ? "" : take(f, at);
    if (why)
      *strata_vector_push(graph->arena, &f->behind) = at;
    if (why && *why && node->class == STRATA_NEST_ROW)
      strata_explain(f->grouping->compile, "norm contract#%d <- %d: apart, %s", f->first, at, why);
  }
}

// What is made for each column and read by members alone, as a scale of another type, is computed there.
static void add_vectors(finder_t *f) {
  int column = f->contraction.sides[STRATA_SIDE_V].tile_dim;
  int64_t most;
  if (!strata_size_is_constant(f->contraction.nest->space.sizes[column], &most))
    return;
  for (int at = f->members.data[f->members.count - 1]; at-- > 0 && f->members.count < MAX_MEMBERS;) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, at);
    bool is_free = node->nest && node->class == STRATA_NEST_MAP && !node->is_constant && !node->is_dear &&
                   f->grouping->nodes[at].group < 0 && !strata_ints_contain(&f->members, at);
    if (is_free && node->points <= (double)most && node->after.count && all_in(&node->after, &f->members) &&
        stores_alone(f, at))
      push_member(f, at);
  }
}

//===-- Whether it pays ------------------------------------------------------------------------------------------===//

// True if others than the members see it.
static bool is_seen(const finder_t *f, const strata_nest_buffer_t *buffer) {
  return !buffer->is_alloc || !all_in(&buffer->readers, &f->members);
}

typedef struct {
  double known, varying; // bytes of what goes through memory, each buffer once
  int64_t stored;        // bytes of the widest element of what is stored
} traffic_t;

static traffic_t traffic(const finder_t *f) {
  strata_ints_t seen = {0};
  traffic_t result = {.stored = 1};
  for (size_t i = 0; i < f->members.count; i++) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, f->members.data[i]);
    for (size_t j = 0; j < node->buffers.count; j++) {
      const strata_nest_buffer_t *buffer = &f->grouping->graph.buffers.data[node->buffers.data[j]];
      bool is_made = strata_ints_contain(&f->members, buffer->writer), is_store = node->nest->accesses[j].is_store;
      if (strata_ints_contain(&seen, node->buffers.data[j]) || (is_made && !is_seen(f, buffer)))
        continue;
      *strata_vector_push(f->grouping->graph.arena, &seen) = node->buffers.data[j];
      MlirType type = mlirValueGetType(buffer->value), element = mlirShapedTypeGetElementType(type);
      *(strata_type_is_symbolic(type) ? &result.varying : &result.known) += buffer->bytes;
      int64_t width = strata_type_storage_size(strata_type_from_mlir(element), 1);
      result.stored = is_store && width > result.stored ? width : result.stored;
    }
  }
  return result;
}

// A norm alone reads what the product stores, and stores as much.
static double norm_seconds(const strata_problem_t *p) {
  const strata_group_costs_t *costs = &p->costs->group;
  double elements = (double)p->rows * (double)p->columns * (double)p->batch;
  return costs->norm_seconds + 2 * elements * (double)p->stored_bytes / costs->norm_bandwidth;
}

// What the kernel takes at some sizes.
typedef struct {
  strata_problem_t alone;
  int64_t blocks;       // that hold a row together, those of a cluster or one; 0: none do
  double joined, apart; // seconds
  double factor;        // how many times as long the joined ones take
  const char *obstacle;
} comparison_t;

static strata_problem_t problem_at(const finder_t *f, const int64_t *values) {
  strata_nest_t nest = *f->contraction.nest;
  strata_contraction_kernel_t contraction = f->contraction;
  nest.likely = values;
  contraction.nest = &nest;
  return strata_problem_read(&(strata_gpu_contraction_t){f->grouping->compile, f->device, NULL, NULL, &contraction});
}

static comparison_t compare(const finder_t *f, const int64_t *values) {
  const traffic_t bytes = traffic(f);
  strata_problem_t usual = problem_at(f, f->contraction.nest->likely), joined;
  comparison_t c = {.alone = problem_at(f, values), .factor = INFINITY};
  strata_candidate_t choice = {0};
  double elements = (double)(c.alone.rows * c.alone.batch), usually = (double)(usual.rows * usual.batch);
  c.alone.traffic = bytes.known + bytes.varying * elements / usually;
  c.alone.stored_bytes = bytes.stored;
  joined = c.alone;
  joined.row_reductions = f->n_reductions;
  c.apart = strata_problem_seconds(f->device, &c.alone) + norm_seconds(&c.alone);
  if (strata_pipelined_choose(f->device, &joined, STRATA_REACH_FITTED, 1, &choice) > 0) {
    c.blocks = choice.pipelined.row;
    c.factor = strata_problem_correction(f->device, &joined, &choice.pipelined, STRATA_CORRECTS_NORM);
    c.obstacle = strata_problem_obstacle(f->device, &joined, &choice.pipelined, STRATA_CORRECTS_NORM);
  } else if (strata_tiled_choose(f->device, &joined, &choice)) {
    c.blocks = 1;
    c.factor = 1;
  }
  c.joined = choice.seconds;
  return c;
}

static bool is_faster(const finder_t *f, const comparison_t *c) {
  return c->blocks && c->joined * c->factor < f->device->costs->margins.norm * c->apart;
}

// At every point of sizes that vary, the least and rather large ones among them. |worst| is one where it is not so.
static bool is_faster_everywhere(const finder_t *f, comparison_t *worst) {
  enum { LARGER = 4 }; // than what is likely
  strata_arena_t *arena = f->grouping->graph.arena;
  strata_symbols_t symbols;
  const int64_t *usual = f->contraction.nest->likely;
  strata_status_t status = strata_symbols_read(arena, f->grouping->compile->module, &symbols);
  int n = status ? 0 : strata_varying_points(&symbols);
  bool result = !status;
  strata_status_free(status);
  for (int i = 0; i < n + 2 && result; i++) {
    int64_t *values = strata_varying_values(arena, &symbols, usual, i < n ? i : 2 * n);
    for (size_t j = 0; j < strata_symbols_given(&symbols) && i >= n; j++) {
      const strata_symbol_t *symbol = &symbols.list.data[j];
      values[j] = i == n ? symbol->min : strata_min(symbol->max, strata_times(LARGER, values[j]));
    }
    if (!strata_symbols_evaluate(&symbols, values))
      continue;
    comparison_t own = compare(f, values);
    result = is_faster(f, &own);
    if (!result)
      *worst = own;
  }
  return result;
}

// One kernel, or two.
static strata_status_t decide(const finder_t *f, const comparison_t *c, bool *is_taken) {
  strata_compile_t *compile = f->grouping->compile;
  const strata_answer_t answers[] = {{"one kernel", c->joined}, {"apart", c->apart}};
  if (!c->blocks || compile->options->fuse_norms)
    return NULL;
  const char *what = strata_arena_printf(f->grouping->graph.arena, "%d reductions of %lld rows of %lld, of %lld steps",
                                         f->n_reductions, (long long)c->alone.rows, (long long)c->alone.columns,
                                         (long long)c->alone.steps);
  return strata_decide_between(compile, &f->grouping->graph, &f->members, STRATA_DECIDES_NORM, what, answers, is_taken);
}

static strata_status_t pays(const finder_t *f, bool *out_is_taken) {
  comparison_t c = compare(f, f->contraction.nest->likely);
  bool is_taken = c.blocks && f->grouping->compile->options->fuse_norms;
  if (!is_taken)
    is_taken = strata_kernel_varies(&f->product) ? is_faster_everywhere(f, &c) : is_faster(f, &c);
  if (c.blocks)
    strata_explain(f->grouping->compile,
                   "norm contract#%d: %d reductions of %lld rows of %lld, %lld blocks a row: %.1f us %s %.1f in two "
                   "kernels%s%s",
                   f->first, f->n_reductions, (long long)c.alone.rows, (long long)c.alone.columns, (long long)c.blocks,
                   1e6 * c.joined, is_taken ? "instead of" : "are not taken for", 1e6 * c.apart,
                   c.obstacle ? "; corrected: " : "", c.obstacle ? c.obstacle : "");
  else
    strata_explain(f->grouping->compile, "norm contract#%d: no, rows of %lld do not fit the tiles", f->first,
                   (long long)c.alone.columns);
  *out_is_taken = is_taken;
  return decide(f, &c, out_is_taken);
}

//===-- Forming --------------------------------------------------------------------------------------------------===//

// What the order of groups keeps out stays behind, with all that needs it.
static void form(finder_t *f) {
  int group = strata_group_create(f->grouping, f->first);
  strata_ints_t out = {0};
  for (size_t i = 1; i < f->members.count; i++) {
    int at = f->members.data[i];
    if (any_in(&strata_group_node(f->grouping, at)->before, &out)) {
      *strata_vector_push(f->grouping->graph.arena, &out) = at;
      continue;
    }
    strata_status_t status = strata_group_add(f->grouping, group, at);
    if (status)
      *strata_vector_push(f->grouping->graph.arena, &out) = at;
    strata_status_free(status);
  }
}

static bool read_product(finder_t *f) {
  f->product = (strata_kernel_t){.arena = f->grouping->graph.arena,
                                 .func = f->grouping->graph.func,
                                 .body = strata_func_body(f->grouping->graph.func),
                                 .n_nests = 1,
                                 .nests = strata_group_node(f->grouping, f->first)->nest};
  return strata_is_contraction(&f->product, &f->contraction) && strata_contraction_has_rows(&f->contraction);
}

static void begin(finder_t *f) {
  strata_arena_t *arena = f->grouping->graph.arena;
  const strata_nest_t *nest = strata_group_node(f->grouping, f->first)->nest;
  MlirContext context = f->grouping->compile->context;
  f->members.count = f->behind.count = 0;
  f->n_reductions = 0;
  f->kernel = f->product;
  f->kernel.nests = strata_arena_array(arena, strata_nest_t, MAX_MEMBERS);
  f->kernel.nests[0] = *nest;
  f->places = strata_arena_array(arena, strata_contraction_place_t, MAX_MEMBERS);
  f->places[0].is_known = true;
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++)
    f->places[0].dims[dim] =
        dim < nest->n_parallel ? mlirAffineDimExprGet(context, dim) : mlirAffineConstantExprGet(context, 0);
  push_member(f, f->first);
}

static strata_status_t try_contraction(finder_t *f) {
  bool is_taken;
  if (!stores_alone(f, f->first) || !read_product(f))
    return NULL;
  begin(f);
  find_members(f);
  if (!f->n_reductions)
    return NULL;
  add_vectors(f);
  STRATA_TRY(pays(f, &is_taken));
  if (is_taken)
    form(f);
  return NULL;
}

// Sums are rounded once less than in two kernels.
static bool is_allowed(const strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  return strata_target_is_gpu(compile) && !options->disable_fusion && !options->disable_reduce_reduce_fusion &&
         !options->disable_fast_math && !options->disable_tensor_core;
}

// Clusters, or blocks whose threads stage tiles as long as rows.
static bool may_hold_rows(const strata_gpu_device_t *device) {
  return (device->mma_async[0] && device->max_cluster > 1) || strata_gpu_stages_by_threads(device);
}

strata_status_t strata_group_norms(strata_grouping_t *grouping) {
  finder_t f = {.grouping = grouping};
  if (!is_allowed(grouping->compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(grouping->compile, &f.device));
  if (!may_hold_rows(f.device))
    return NULL;
  for (f.first = 0; f.first < (int)grouping->graph.nodes.count; f.first++)
    if (strata_group_is_free_anchor(grouping, f.first))
      STRATA_TRY(try_contraction(&f));
  return NULL;
}
