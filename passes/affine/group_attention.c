// Groups of attention: two contractions and the softmax between them, or arithmetic on elements, found before other
// groups grow. See group.h.
//
// From every contraction its operands are followed back to other contractions. The nests on the way from one of those
// are a group if strata_attention_read knows them as a kernel on trial, nobody else reads what lies between, and, on a
// GPU, operands come in bulk and the model finds it faster than a kernel for each; on a cpu if the scores of a block of
// rows stay in its cache. A product may be in several candidates: those
// with a softmax come first, of others those between whose products most lies.
#include "passes/affine/group_attention.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/map_limits.h"
#include "passes/affine/decide.h"
#include "passes/affine/explain.h"
#include "passes/affine/pipelined.h"
#include "passes/target.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_HEAD = 256 };

typedef strata_attention_finder_t finder_t;

// Nests that may become a group.
typedef struct {
  int weighted, first;
  strata_ints_t members;
  bool has_softmax;
  double between; // points of the first product: what is not stored
} candidate_t;

typedef STRATA_VECTOR(candidate_t) candidates_t;

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// Of the nests of a class.
static int count_members(const finder_t *f, strata_nest_class_t class) {
  int count = 0;
  for (size_t i = 0; i < f->members.count; i++)
    count += strata_group_node(f->grouping, f->members.data[i])->class == class;
  return count;
}

// True if nobody outside sees what lies between, or has to come between the members.
static bool is_private(const finder_t *f) {
  for (size_t i = 0; i < f->members.count; i++) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, f->members.data[i]);
    if (f->members.data[i] == f->weighted)
      continue;
    for (size_t j = 0; j < node->after.count; j++)
      if (!strata_ints_contain(&f->members, node->after.data[j]))
        return false;
    for (size_t j = 0; j < node->buffers.count; j++) {
      const strata_nest_buffer_t *buffer = &f->grouping->graph.buffers.data[node->buffers.data[j]];
      if (node->nest->accesses[j].is_store && (!buffer->is_alloc || buffer->n_stores != 1))
        return false;
    }
  }
  return true;
}

static double head_of(const finder_t *f) {
  const strata_nest_node_t *node = strata_group_node(f->grouping, f->first);
  return node->trips / node->points;
}

// Why the members are no candidate, by a look at them; NULL if they may be.
static const char *inspect(const finder_t *f) {
  int n_rows = count_members(f, STRATA_NEST_ROW);
  if (n_rows != 0 && n_rows != 2)
    return "the reductions between are no softmax";
  if (f->device && head_of(f) > MAX_HEAD)
    return "a head dim above 256";
  return is_private(f) ? NULL : "others read what lies between";
}

//===-- Whether it pays ------------------------------------------------------------------------------------------===//

typedef strata_problem_reading_t product_t;

// One of the contractions alone, where symbols are |likely|.
static bool read_product(const finder_t *f, const strata_nest_t *nest, const int64_t *likely, product_t *out) {
  out->kernel = *f->found.kernel;
  out->kernel.n_nests = 1;
  out->kernel.nests = strata_arena_copy(f->grouping->graph.arena, nest, sizeof *nest);
  out->kernel.nests->likely = likely;
  return strata_problem_of_kernel(&(strata_gpu_contraction_t){.compile = f->grouping->compile, .device = f->device},
                                  out);
}

// True of queries whose rows lie side by side in a row of the buffer, heads in one of all of them: they are rows for
// the copy engine, too (tile_to_gpu/bulk_split.c), of one dim more.
static bool has_rows_side_by_side(const finder_t *f, int operand) {
  const strata_attention_t *a = &f->found;
  const strata_attention_operand_t *queries = &a->operands[operand];
  strata_size_t sizes[STRATA_MAX_DIMS];
  int64_t stride, head, unit = STRATA_MAP_UNIT / strata_element_bytes(a->type);
  int last = strata_memref_sizes(queries->access->buffer, sizes) - 1;
  MlirAffineExpr place = mlirAffineMapGetResult(queries->map, last);
  return operand == STRATA_ATTENTION_Q && last + 1 < STRATA_MAP_RANK && !strata_attention_is_crossed(a, operand) &&
         strata_attention_ends(a, operand) && strata_size_is_constant(a->sizes[a->head], &head) && head % unit == 0 &&
         strata_attention_has_rows(a) && strata_affine_coefficient(place, a->row, &stride) && stride == head;
}

// True if the copy engine brings the operand.
static bool comes_in_bulk(const finder_t *f, const product_t *product, int operand) {
  MlirOperation read = f->found.operands[operand].read->op;
  for (int side = 0; side < 2; side++)
    if (mlirOperationEqual(product->contraction.sides[side].access->op, read)) // of what is put together the whole
      return (product->problem.sides[side].is_read || has_rows_side_by_side(f, operand)) &&
             product->problem.sides[side].is_crossed == strata_attention_is_crossed(&f->found, operand);
  return false;
}

static bool all_come_in_bulk(const finder_t *f, const product_t *first, const product_t *second) {
  return comes_in_bulk(f, first, STRATA_ATTENTION_Q) && comes_in_bulk(f, first, STRATA_ATTENTION_K) &&
         comes_in_bulk(f, second, STRATA_ATTENTION_V);
}

static bool reads_constants(const finder_t *f, int node) {
  const strata_ints_t *buffers = &strata_group_node(f->grouping, node)->buffers;
  for (size_t i = 0; i < buffers->count; i++)
    if (f->grouping->graph.buffers.data[buffers->data[i]].is_constant)
      return true;
  return false;
}

// True if one of the products is of constants.
static bool has_weights(const finder_t *f) { return reads_constants(f, f->first) || reads_constants(f, f->weighted); }

// Kernels that put keys and values together, and store what lies together already.
static double seconds_joining(const finder_t *f, const strata_attention_problem_t *p) {
  double elements = (double)p->columns * (double)p->batch * (double)(p->head + p->value);
  if (!f->found.joint)
    return 0;
  return 2 * f->device->costs->group.launch_seconds +
         2 * elements * (double)strata_element_bytes(f->found.type) / (double)f->device->bandwidth;
}

// Of keys or values.
static double elements_of(const strata_attention_problem_t *p, int operand) {
  return (double)p->columns * (double)p->batch * (double)(operand == STRATA_ATTENTION_K ? p->head : p->value);
}

// Kernels that widen keys and values, and store them.
static double seconds_widening(const finder_t *f, const strata_attention_problem_t *p) {
  double seconds = 0;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++)
    if (!mlirTypeIsNull(f->found.operands[i].stored))
      seconds += f->device->costs->group.launch_seconds + elements_of(p, i) *
                                                              (double)(1 + 2 * strata_element_bytes(f->found.type)) /
                                                              (double)f->device->bandwidth;
  return seconds;
}

// Kernels that gather pages of keys and values.
static double seconds_gathering(const finder_t *f, const strata_attention_problem_t *p) {
  double bytes = 0;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++)
    if (f->found.operands[i].page)
      bytes += 2 * elements_of(p, i) * (double)strata_attention_stored_bytes(&f->found, i);
  return bytes > 0 ? f->device->costs->group.launch_seconds + bytes / (double)f->device->bandwidth : 0;
}

// What lies between two kernels of products takes them: a softmax of its own, or arithmetic behind the first one, which
// hides a part of it.
static double seconds_between(const finder_t *f, const strata_attention_problem_t *p) {
  const strata_group_costs_t *costs = &p->costs->group;
  enum { BYTES = 4 + 2 }; // of a score and a weight
  double elements = (double)p->rows * (double)p->columns * (double)p->batch;
  if (!f->found.has_softmax)
    return strata_attention_arithmetic_seconds(f->device, p) * costs->not_hidden;
  return costs->softmax_seconds + elements * BYTES / (double)f->device->bandwidth + seconds_joining(f, p) +
         seconds_widening(f, p) + seconds_gathering(f, p);
}

// The same on a cpu, where nothing is lost by it but for operands that are packed by each task, and scores that leave
// the caches.
static strata_status_t judge_cpu(const finder_t *f, const char **out_why) {
  int64_t tile[STRATA_ATTENTION_CPU_TILE];
  *out_why = "products of weights, of one row or without batches, which are no slower apart";
  if (!f->found.has_softmax && (strata_size_is_one(strata_attention_batches(&f->found)) || has_weights(f) ||
                                !strata_attention_has_rows(&f->found)))
    return NULL;
  *out_why = "a softmax with a sink";
  if (f->found.sink.exists)
    return NULL;
  *out_why = "sizes that vary of heads, values or what is no softmax, or values that lie across";
  if (!strata_attention_cpu_takes(&f->found))
    return NULL;
  STRATA_TRY(strata_attention_cpu_tile(f->grouping->compile, &f->found, tile, out_why));
  if (!*out_why)
    strata_explain(f->grouping->compile, "attention contract#%d <- contract#%d: one kernel, tiles of %lld x %lld, %lld",
                   f->weighted, f->first, (long long)tile[0], (long long)tile[1], (long long)tile[2]);
  return NULL;
}

// One kernel of |seconds|, or several.
static strata_status_t decide(const finder_t *f, const strata_attention_problem_t *p, double seconds, double apart,
                              bool *pays) {
  const strata_answer_t answers[] = {{"one kernel", seconds}, {"apart", apart}};
  const char *what = strata_arena_printf(f->grouping->graph.arena, "attention of %lld queries, %lld keys, %lld times",
                                         (long long)p->rows, (long long)p->columns, (long long)p->batch);
  return strata_decide_between(f->grouping->compile, &f->grouping->graph, &f->members, STRATA_DECIDES_ATTENTION, what,
                               answers, pays);
}

// Why the candidate cannot be one kernel, where symbols are |likely|; NULL if it can: then the products alone.
static const char *find_obstacle(const finder_t *f, const int64_t *likely, const strata_attention_problem_t *problem,
                                 product_t *first, product_t *second) {
  const char *obstacle = strata_attention_obstacle(problem);
  if (!f->found.has_softmax && problem->async && (problem->batch == 1 || has_weights(f)))
    return "products of weights or without batches, which may share launches with others";
  if (obstacle)
    return obstacle;
  if (!read_product(f, f->found.product.nest, likely, first) || !read_product(f, f->found.weighted, likely, second))
    return "its products are not all of the kernel";
  if (!problem->is_staged && !all_come_in_bulk(f, first, second))
    return "the copy engine does not take an operand: rows that do not begin at multiples of 16 bytes, or too many "
           "dims";
  return NULL;
}

// *out_why: why the candidate stays several kernels, where symbols are |likely|; NULL if it does not.
static strata_status_t judge(const finder_t *f, const int64_t *likely, const char **out_why) {
  product_t first, second;
  strata_attention_problem_t problem = strata_attention_problem(f->device, &f->found);
  problem = strata_attention_problem_at(&problem, likely);
  *out_why = find_obstacle(f, likely, &problem, &first, &second);
  if (*out_why)
    return NULL;
  double seconds = strata_attention_seconds(f->device, &problem);
  *out_why = "no tile fits registers and shared memory";
  if (isinf(seconds))
    return NULL;
  double apart = strata_problem_seconds(f->device, &first.problem) +
                 strata_problem_seconds(f->device, &second.problem) + seconds_between(f, &problem);
  const strata_margin_costs_t *margins = &f->device->costs->margins;
  bool is_few = f->found.has_softmax && problem.rows < STRATA_GROUP_ROWS; // whose time is memory's
  double faster = problem.is_staged      ? margins->attention_staged
                  : is_few               ? margins->attention_few
                  : f->found.has_softmax ? margins->attention
                                         : margins->products;
  bool pays = seconds < faster * apart;
  strata_explain(f->grouping->compile,
                 "attention contract#%d <- contract#%d: %lld x %lld, %lld times: %.1f us %s %.1f in %s kernels",
                 f->weighted, f->first, (long long)problem.rows, (long long)problem.columns, (long long)problem.batch,
                 1e6 * seconds, pays ? "instead of" : "are too many for", 1e6 * apart,
                 f->found.has_softmax ? "three" : "two");
  STRATA_TRY(decide(f, &problem, seconds, apart, &pays));
  *out_why = pays ? NULL : "";
  return NULL;
}

// Where sizes vary: some more than what is likely. There most is to be won.
static strata_status_t many(strata_compile_t *compile, const int64_t *likely, const int64_t **out) {
  enum { MORE = 4 };
  strata_symbols_t symbols;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  int64_t *values = strata_arena_array(compile->arena, int64_t, symbols.list.count + 1);
  for (size_t i = 0; i < strata_symbols_given(&symbols); i++) {
    const strata_symbol_t *symbol = &symbols.list.data[i];
    int64_t largest = likely[i];
    for (int j = 0; j < symbol->n_likely; j++)
      largest = strata_max(largest, symbol->likely[j]);
    values[i] = strata_min(strata_times(MORE, largest), symbol->max) / symbol->multiple * symbol->multiple;
  }
  *out = strata_symbols_evaluate(&symbols, values) ? values : likely;
  return NULL;
}

static strata_status_t judge_gpu(const finder_t *f, const char **out_why) {
  const int64_t *symbols = f->found.symbols.likely;
  if (f->found.symbols.count > 0)
    STRATA_TRY(many(f->grouping->compile, symbols, &symbols));
  return judge(f, symbols, out_why);
}

//===-- All of them ----------------------------------------------------------------------------------------------===//

static void explain_no(const finder_t *f, int weighted, int first, const char *why) {
  if (*why)
    strata_explain(f->grouping->compile, "attention contract#%d <- contract#%d: no, %s", weighted, first, why);
}

static strata_status_t examine(finder_t *f, const char **out_why) {
  *out_why = inspect(f);
  if (*out_why)
    return NULL;
  strata_attention_add_masks(f);
  STRATA_TRY(strata_attention_recognise(f, out_why));
  if (*out_why)
    return NULL;
  STRATA_TRY(strata_attention_add_arithmetic(f));
  if (!f->device)
    return judge_cpu(f, out_why);
  STRATA_TRY(strata_attention_add_joined(f));
  STRATA_TRY(strata_attention_add_widened(f));
  STRATA_TRY(strata_attention_add_paged(f));
  return judge_gpu(f, out_why);
}

static strata_status_t add_candidate(finder_t *f, int first, candidates_t *candidates) {
  const char *why;
  strata_attention_find_members(f, first);
  if (!strata_ints_contain(&f->members, f->weighted) || count_members(f, STRATA_NEST_ANCHOR) != 2)
    return NULL;
  strata_status_t status = examine(f, &why);
  strata_attention_end_trial(f);
  STRATA_TRY(status);
  if (why) {
    explain_no(f, f->weighted, first, why);
    return NULL;
  }
  *strata_vector_push(f->grouping->graph.arena, candidates) = (candidate_t){
      f->weighted, first, f->members, f->found.has_softmax, strata_group_node(f->grouping, first)->points};
  f->members = (strata_ints_t){0};
  return NULL;
}

static strata_status_t add_candidates(finder_t *f, candidates_t *candidates) {
  strata_ints_t firsts = {0};
  if (!strata_attention_find_behind(f)) {
    strata_explain(f->grouping->compile, "attention contract#%d: no, its operands are made by too many nests",
                   f->weighted);
    return NULL;
  }
  for (size_t i = 0; i < f->behind.count; i++)
    if (f->behind.data[i] != f->weighted &&
        strata_group_node(f->grouping, f->behind.data[i])->class == STRATA_NEST_ANCHOR)
      *strata_vector_push(f->grouping->graph.arena, &firsts) = f->behind.data[i];
  for (size_t i = 0; i < firsts.count; i++)
    STRATA_TRY(add_candidate(f, firsts.data[i], candidates));
  return NULL;
}

//===-- Forming --------------------------------------------------------------------------------------------------===//

static int compare_candidates(const void *left, const void *right) {
  const candidate_t *a = left, *b = right;
  if (a->has_softmax != b->has_softmax)
    return a->has_softmax ? -1 : 1;
  if (!a->has_softmax && a->between != b->between)
    return a->between > b->between ? -1 : 1;
  if (a->weighted != b->weighted)
    return a->weighted < b->weighted ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

static bool is_free(const finder_t *f, const candidate_t *candidate) {
  for (size_t i = 0; i < candidate->members.count; i++)
    if (f->grouping->nodes[candidate->members.data[i]].group >= 0)
      return false;
  return true;
}

static strata_status_t form(finder_t *f, const candidate_t *candidate) {
  int group = strata_group_create(f->grouping, candidate->weighted);
  f->grouping->groups.data[group].is_attention = true;
  for (size_t i = candidate->members.count; i-- > 0;)
    if (candidate->members.data[i] != candidate->weighted)
      STRATA_TRY(strata_group_add(f->grouping, group, candidate->members.data[i]));
  return NULL;
}

// The exponentials are rounded before they are divided, and rows are summed up in parts. Where there are matrix
// instructions, which may not be used, there is no form without.
static bool is_allowed(const strata_compile_t *compile, const strata_gpu_device_t *device) {
  const strata_compile_options_t *options = compile->options;
  bool is_gpu = strata_target_is_gpu(compile);
  return (!is_gpu || strata_attention_is_available(device)) && !options->disable_fusion &&
         !options->disable_reduce_reduce_fusion && !options->disable_unsafe_math && !options->disable_fast_math &&
         !(is_gpu && options->disable_tensor_core && device->mma_async[0]);
}

// Products that have no form of their own where the length of their sums varies are the second ones of such kernels all
// the same: those that are in none afterwards stay what they are.
static void let_products_in(const strata_grouping_t *grouping, bool in) {
  for (size_t i = 0; i < grouping->graph.nodes.count; i++) {
    strata_nest_node_t *node = &grouping->graph.nodes.data[i];
    if (node->needs_varying_scratch && (in || grouping->nodes[i].group < 0))
      node->class = in ? STRATA_NEST_ANCHOR : STRATA_NEST_SCALAR;
  }
}

static strata_status_t find_attention(strata_grouping_t *grouping) {
  finder_t f = {.grouping = grouping};
  candidates_t candidates = {0};
  if (strata_target_is_gpu(grouping->compile))
    STRATA_TRY(strata_gpu_device(grouping->compile, &f.device));
  if (!is_allowed(grouping->compile, f.device))
    return NULL;
  for (f.weighted = 0; f.weighted < (int)grouping->graph.nodes.count; f.weighted++)
    if (strata_group_is_free_anchor(grouping, f.weighted))
      STRATA_TRY(add_candidates(&f, &candidates));
  if (candidates.count > 1)
    qsort(candidates.data, candidates.count, sizeof *candidates.data, compare_candidates);
  for (size_t i = 0; i < candidates.count; i++) {
    const candidate_t *candidate = &candidates.data[i];
    if (is_free(&f, candidate))
      STRATA_TRY(form(&f, candidate));
    else
      explain_no(&f, candidate->weighted, candidate->first, "one of the products is in another one");
  }
  return NULL;
}

strata_status_t strata_group_attention(strata_grouping_t *grouping) {
  let_products_in(grouping, true);
  strata_status_t status = find_attention(grouping);
  let_products_in(grouping, false);
  return status;
}
