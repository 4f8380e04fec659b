// Groups of attention: two contractions and the softmax between them, or arithmetic on elements, found before other
// groups grow. See group.h.
//
// From every contraction its operands are followed back to other contractions. The nests on the way from one of those
// are a group if strata_attention_read knows them as a kernel on trial, nobody else reads what lies between, operands
// come in bulk, and the model finds it faster than a kernel for each.
#include "passes/affine/attention.h"
#include "passes/affine/explain.h"
#include "passes/affine/group.h"
#include "passes/target.h"

#include <stdlib.h>

enum { MAX_NODES = 64, MAX_HEAD = 256 }; // that are looked at from one contraction; the longest head dim

#define SOFTMAX_SECONDS 2e-6 // from the end of one kernel to the work of the next
#define CLEARLY_FASTER 0.8   // the models err

typedef struct {
  strata_grouping_t *grouping;
  const strata_gpu_device_t *device;
  int first, weighted;      // the contractions
  strata_ints_t behind;     // what it is computed of, up to other contractions
  strata_ints_t members;    // the nests of a candidate, in order
  MlirOperation trial;      // the kernel they would be; null: none
  strata_attention_t found; // in it
} finder_t;

static strata_nest_node_t *node_of(const finder_t *f, int node) { return &f->grouping->graph.nodes.data[node]; }

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// False if there are too many.
static bool find_behind(finder_t *f) {
  f->behind.count = 0;
  *strata_vector_push(f->grouping->graph.arena, &f->behind) = f->weighted;
  for (size_t i = 0; i < f->behind.count; i++) {
    const strata_nest_node_t *node = node_of(f, f->behind.data[i]);
    if (i > 0 && node->class == STRATA_NEST_ANCHOR)
      continue;
    for (size_t j = 0; j < node->reads.count; j++) {
      int producer = node->reads.data[j].producer;
      if (strata_ints_contain(&f->behind, producer) || !node_of(f, producer)->nest ||
          f->grouping->nodes[producer].group >= 0)
        continue;
      if (f->behind.count == MAX_NODES)
        return false;
      *strata_vector_push(f->grouping->graph.arena, &f->behind) = producer;
    }
  }
  qsort(f->behind.data, f->behind.count, sizeof(int), compare_ints);
  return true;
}

// The nests on the way from the contraction |first|.
static void find_members(finder_t *f, int first) {
  f->first = first;
  f->members.count = 0;
  *strata_vector_push(f->grouping->graph.arena, &f->members) = first;
  for (size_t i = 0; i < f->behind.count; i++) {
    int at = f->behind.data[i];
    const strata_nest_node_t *node = node_of(f, at);
    bool follows = false;
    for (size_t j = 0; j < node->reads.count && at > first; j++)
      follows |= strata_ints_contain(&f->members, node->reads.data[j].producer);
    if (follows)
      *strata_vector_push(f->grouping->graph.arena, &f->members) = at;
  }
}

// True if the nest makes numbers of its dims, and of what such nests, in |made|, make.
static bool is_made_of_dims(const finder_t *f, int at, const strata_ints_t *made) {
  const strata_nest_node_t *node = node_of(f, at);
  size_t n_loads = 0;
  for (size_t i = 0; i < node->buffers.count; i++)
    n_loads += !node->nest->accesses[i].is_store;
  if (node->class != STRATA_NEST_MAP || n_loads != node->reads.count)
    return false;
  for (size_t i = 0; i < node->reads.count; i++)
    if (!strata_ints_contain(made, node->reads.data[i].producer))
      return false;
  return true;
}

// Masks of rows' and columns' numbers are not kept in memory, where nobody else wants them.
static void add_masks(finder_t *f) {
  strata_ints_t made = {0};
  for (size_t i = 0; i < f->behind.count; i++)
    if (is_made_of_dims(f, f->behind.data[i], &made))
      *strata_vector_push(f->grouping->graph.arena, &made) = f->behind.data[i];
  for (size_t i = made.count; i-- > 0;) {
    const strata_ints_t *after = &node_of(f, made.data[i])->after;
    bool is_ours = !strata_ints_contain(&f->members, made.data[i]);
    for (size_t j = 0; j < after->count; j++)
      is_ours = is_ours && strata_ints_contain(&f->members, after->data[j]);
    if (is_ours)
      *strata_vector_push(f->grouping->graph.arena, &f->members) = made.data[i];
  }
  qsort(f->members.data, f->members.count, sizeof(int), compare_ints);
}

// Of the nests of a class.
static int count_members(const finder_t *f, strata_nest_class_t class) {
  int count = 0;
  for (size_t i = 0; i < f->members.count; i++)
    count += node_of(f, f->members.data[i])->class == class;
  return count;
}

// True if nobody outside sees what lies between, or has to come between the members.
static bool is_private(const finder_t *f) {
  for (size_t i = 0; i < f->members.count; i++) {
    const strata_nest_node_t *node = node_of(f, f->members.data[i]);
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

static void end_trial(finder_t *f) {
  if (!mlirOperationIsNull(f->trial))
    mlirOperationDestroy(f->trial);
  f->trial = (MlirOperation){0};
}

// *out_why: why the members are no attention; NULL if they are.
static strata_status_t recognise(finder_t *f, const char **out_why) {
  strata_arena_t *arena = f->grouping->graph.arena;
  strata_kernel_t *kernel = strata_arena_new(arena, strata_kernel_t);
  end_trial(f);
  STRATA_TRY(strata_group_try(f->grouping, &f->members, &f->trial));
  STRATA_TRY(strata_kernel_read(arena, f->trial, kernel));
  if (strata_attention_read(kernel, &f->found, out_why))
    *out_why = NULL;
  return NULL;
}

//===-- Masks ----------------------------------------------------------------------------------------------------===//

// Nests that compute what the members alone read, elementwise.
static strata_ints_t find_arithmetic(const finder_t *f) {
  strata_ints_t found = {0};
  for (size_t i = f->behind.count; i-- > 0;) {
    int at = f->behind.data[i];
    const strata_nest_node_t *node = node_of(f, at);
    bool is_ours = node->class == STRATA_NEST_MAP && !node->is_constant && !node->is_dear &&
                   !strata_ints_contain(&f->members, at) && node->after.count > 0;
    for (size_t j = 0; j < node->after.count; j++)
      is_ours = is_ours && (strata_ints_contain(&f->members, node->after.data[j]) ||
                            strata_ints_contain(&found, node->after.data[j]));
    if (is_ours)
      *strata_vector_push(f->grouping->graph.arena, &found) = at;
  }
  return found;
}

static void set_members(finder_t *f, const strata_ints_t *members, const strata_ints_t *more) {
  f->members.count = 0;
  for (size_t i = 0; i < members->count; i++)
    *strata_vector_push(f->grouping->graph.arena, &f->members) = members->data[i];
  for (size_t i = 0; i < more->count; i++)
    *strata_vector_push(f->grouping->graph.arena, &f->members) = more->data[i];
  qsort(f->members.data, f->members.count, sizeof(int), compare_ints);
}

// Masks made of other masks, of lengths, by arithmetic are computed where they are used, if nothing more is loaded for
// each score by that.
static strata_status_t add_arithmetic(finder_t *f) {
  const char *why;
  strata_attention_t before = f->found;
  strata_ints_t more = find_arithmetic(f), members = {0};
  for (size_t i = 0; i < f->members.count; i++)
    *strata_vector_push(f->grouping->graph.arena, &members) = f->members.data[i];
  if (more.count == 0)
    return NULL;
  set_members(f, &members, &more);
  STRATA_TRY(recognise(f, &why));
  if (!why && f->found.score_bytes <= before.score_bytes)
    return NULL;
  more.count = 0;
  set_members(f, &members, &more);
  return recognise(f, &why);
}

//===-- Whether it pays ------------------------------------------------------------------------------------------===//

// One of the contractions alone.
typedef struct {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  strata_problem_t problem;
} product_t;

static bool read_product(const finder_t *f, const strata_nest_t *nest, product_t *out) {
  out->kernel = *f->found.kernel;
  out->kernel.n_nests = 1;
  out->kernel.nests = (strata_nest_t *)(uintptr_t)nest;
  strata_status_t status = strata_contraction_read(&out->kernel, &out->contraction);
  if (status) {
    strata_status_free(status);
    return false;
  }
  strata_gpu_contraction_t question = {f->grouping->compile, f->device, NULL, NULL, &out->contraction};
  out->problem = strata_problem_read(&question);
  return true;
}

// True if the copy engine brings the operand.
static bool comes_in_bulk(const finder_t *f, const product_t *product, int operand) {
  MlirOperation read = f->found.operands[operand].access->op;
  for (int side = 0; side < 2; side++)
    if (mlirOperationEqual(product->contraction.sides[side].access->op, read))
      return product->problem.sides[side].is_read &&
             product->problem.sides[side].is_crossed == strata_attention_is_crossed(&f->found, operand);
  return false;
}

static double softmax_seconds(const finder_t *f, const strata_attention_problem_t *p) {
  enum { BYTES = 4 + 2 }; // of a score and a weight
  double elements = (double)p->rows * (double)p->columns * (double)p->batch;
  return SOFTMAX_SECONDS + elements * BYTES / (double)f->device->bandwidth;
}

// Why the candidate stays several kernels; NULL if it does not.
static const char *judge(const finder_t *f) {
  product_t first, second;
  strata_attention_problem_t problem = strata_attention_problem(f->device, &f->found);
  strata_attention_choice_t choice;
  const char *obstacle = strata_attention_obstacle(&problem);
  if (obstacle)
    return obstacle;
  if (!read_product(f, f->found.product.nest, &first) || !read_product(f, f->found.weighted, &second) ||
      !comes_in_bulk(f, &first, STRATA_ATTENTION_Q) || !comes_in_bulk(f, &first, STRATA_ATTENTION_K) ||
      !comes_in_bulk(f, &second, STRATA_ATTENTION_V))
    return "the copy engine does not take an operand: rows that do not begin at multiples of 16 bytes, or too many "
           "dims";
  if (!strata_attention_choose(f->device, &problem, 1, &choice))
    return "no tile fits registers and shared memory";
  bool has_softmax = f->found.has_softmax;
  double apart = strata_problem_seconds(f->device, &first.problem) +
                 strata_problem_seconds(f->device, &second.problem) + (has_softmax ? softmax_seconds(f, &problem) : 0);
  bool pays = choice.seconds < CLEARLY_FASTER * apart;
  strata_explain(f->grouping->compile,
                 "attention contract#%d <- contract#%d: %lld x %lld, %lld times: %.1f us %s %.1f in %s kernels",
                 f->weighted, f->first, (long long)problem.rows, (long long)problem.columns, (long long)problem.batch,
                 1e6 * choice.seconds, pays ? "instead of" : "are too many for", 1e6 * apart,
                 has_softmax ? "three" : "two");
  return pays ? NULL : "";
}

//===-- Forming --------------------------------------------------------------------------------------------------===//

static strata_status_t form(finder_t *f) {
  int group = strata_group_create(f->grouping, f->weighted);
  for (size_t i = f->members.count; i-- > 0;)
    if (f->members.data[i] != f->weighted)
      STRATA_TRY(strata_group_add(f->grouping, group, f->members.data[i]));
  return NULL;
}

static double head_of(const finder_t *f) {
  const strata_nest_node_t *node = node_of(f, f->first);
  return node->trips / node->points;
}

// Why the members are no candidate, by a look at them; NULL if they may be.
static const char *inspect(const finder_t *f) {
  int n_rows = count_members(f, STRATA_NEST_ROW);
  if (n_rows != 0 && n_rows != 2)
    return "the reductions between are no softmax";
  if (head_of(f) > MAX_HEAD)
    return "a head dim above 256";
  return is_private(f) ? NULL : "others read what lies between";
}

static strata_status_t examine(finder_t *f, const char **out_why) {
  *out_why = inspect(f);
  if (*out_why)
    return NULL;
  add_masks(f);
  STRATA_TRY(recognise(f, out_why));
  if (*out_why)
    return NULL;
  STRATA_TRY(add_arithmetic(f));
  *out_why = judge(f);
  return NULL;
}

static strata_status_t try_candidate(finder_t *f, int first, bool *out_formed) {
  const char *why;
  find_members(f, first);
  *out_formed = false;
  if (!strata_ints_contain(&f->members, f->weighted) || count_members(f, STRATA_NEST_ANCHOR) != 2)
    return NULL;
  strata_status_t status = examine(f, &why);
  end_trial(f);
  STRATA_TRY(status);
  if (why && *why)
    strata_explain(f->grouping->compile, "attention contract#%d <- contract#%d: no, %s", f->weighted, first, why);
  *out_formed = !why;
  return why ? NULL : form(f);
}

static strata_status_t try_contraction(finder_t *f) {
  bool formed = false;
  if (!find_behind(f))
    return NULL;
  strata_ints_t firsts = {0};
  for (size_t i = 0; i < f->behind.count; i++)
    if (f->behind.data[i] != f->weighted && node_of(f, f->behind.data[i])->class == STRATA_NEST_ANCHOR)
      *strata_vector_push(f->grouping->graph.arena, &firsts) = f->behind.data[i];
  for (size_t i = 0; i < firsts.count && !formed; i++)
    STRATA_TRY(try_candidate(f, firsts.data[i], &formed));
  return NULL;
}

// The exponentials are rounded before they are divided, and rows are summed up in parts.
static bool is_allowed(const strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  return STRATA_ATTENTION && strata_target_is_gpu(compile) && !options->disable_fusion &&
         !options->disable_reduce_reduce_fusion && !options->disable_unsafe_math && !options->disable_fast_math &&
         !options->disable_tensor_core;
}

strata_status_t strata_group_attention(strata_grouping_t *grouping) {
  finder_t f = {.grouping = grouping};
  if (!is_allowed(grouping->compile))
    return NULL;
  STRATA_TRY(strata_gpu_device(grouping->compile, &f.device));
  if (!f.device->mma_async[0])
    return NULL;
  for (f.weighted = 0; f.weighted < (int)grouping->graph.nodes.count; f.weighted++)
    if (strata_group_is_free_anchor(grouping, f.weighted))
      STRATA_TRY(try_contraction(&f));
  return NULL;
}
