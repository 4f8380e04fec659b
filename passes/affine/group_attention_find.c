// See group_attention.h.
#include "dialects/integers.h"
#include "passes/affine/group_attention.h"

#include "dialects/mlir_util.h"

#include <stdlib.h>

enum { MAX_NODES = 64 }; // that are looked at from one contraction

typedef strata_attention_finder_t finder_t;

//===-- Members --------------------------------------------------------------------------------------------------===//

bool strata_attention_find_behind(finder_t *f) {
  f->behind.count = 0;
  *strata_vector_push(f->grouping->graph.arena, &f->behind) = f->weighted;
  for (size_t i = 0; i < f->behind.count; i++) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, f->behind.data[i]);
    if (i > 0 && node->class == STRATA_NEST_ANCHOR)
      continue;
    for (size_t j = 0; j < node->reads.count; j++) {
      int producer = node->reads.data[j].producer;
      if (strata_ints_contain(&f->behind, producer) || !strata_group_node(f->grouping, producer)->nest ||
          f->grouping->nodes[producer].group >= 0)
        continue;
      if (f->behind.count == MAX_NODES)
        return false;
      *strata_vector_push(f->grouping->graph.arena, &f->behind) = producer;
    }
  }
  qsort(f->behind.data, f->behind.count, sizeof(int), strata_compare_ints);
  return true;
}

void strata_attention_find_members(finder_t *f, int first) {
  f->first = first;
  f->members.count = 0;
  *strata_vector_push(f->grouping->graph.arena, &f->members) = first;
  for (size_t i = 0; i < f->behind.count; i++) {
    int at = f->behind.data[i];
    const strata_nest_node_t *node = strata_group_node(f->grouping, at);
    bool follows = false;
    for (size_t j = 0; j < node->reads.count && at > first; j++)
      follows |= strata_ints_contain(&f->members, node->reads.data[j].producer);
    if (follows)
      *strata_vector_push(f->grouping->graph.arena, &f->members) = at;
  }
}

// True if the nest makes numbers of its dims, and of what such nests, in |made|, make.
static bool is_made_of_dims(const finder_t *f, int at, const strata_ints_t *made) {
  const strata_nest_node_t *node = strata_group_node(f->grouping, at);
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

void strata_attention_add_masks(finder_t *f) {
  strata_ints_t made = {0};
  for (size_t i = 0; i < f->behind.count; i++)
    if (is_made_of_dims(f, f->behind.data[i], &made))
      *strata_vector_push(f->grouping->graph.arena, &made) = f->behind.data[i];
  for (size_t i = made.count; i-- > 0;) {
    const strata_ints_t *after = &strata_group_node(f->grouping, made.data[i])->after;
    bool is_ours = !strata_ints_contain(&f->members, made.data[i]);
    for (size_t j = 0; j < after->count; j++)
      is_ours = is_ours && strata_ints_contain(&f->members, after->data[j]);
    if (is_ours)
      *strata_vector_push(f->grouping->graph.arena, &f->members) = made.data[i];
  }
  qsort(f->members.data, f->members.count, sizeof(int), strata_compare_ints);
}

//===-- Recognition ----------------------------------------------------------------------------------------------===//

void strata_attention_end_trial(finder_t *f) {
  if (!mlirOperationIsNull(f->trial))
    mlirOperationDestroy(f->trial);
  f->trial = (MlirOperation){0};
}

strata_status_t strata_attention_recognise(finder_t *f, const char **out_why) {
  strata_arena_t *arena = f->grouping->graph.arena;
  strata_kernel_t *kernel = strata_arena_new(arena, strata_kernel_t);
  strata_attention_end_trial(f);
  STRATA_TRY(strata_group_try(f->grouping, &f->members, &f->trial));
  STRATA_TRY(strata_kernel_read(arena, f->trial, kernel));
  if (strata_attention_read(kernel, &f->found, out_why))
    *out_why = NULL;
  return NULL;
}

//===-- Arithmetic on masks --------------------------------------------------------------------------------------===//

// True if the members between the products, and nests in |found|, alone read what the nest makes.
static bool is_read_between(const finder_t *f, const strata_nest_node_t *node, const strata_ints_t *found) {
  for (size_t i = 0; i < node->after.count; i++) {
    int reader = node->after.data[i];
    bool is_between =
        strata_ints_contain(&f->members, reader) && strata_group_node(f->grouping, reader)->class != STRATA_NEST_ANCHOR;
    if (!is_between && !strata_ints_contain(found, reader))
      return false;
  }
  return node->after.count > 0;
}

static strata_ints_t find_arithmetic(const finder_t *f) {
  strata_ints_t found = {0};
  for (size_t i = f->behind.count; i-- > 0;) {
    const strata_nest_node_t *node = strata_group_node(f->grouping, f->behind.data[i]);
    if (node->class == STRATA_NEST_MAP && !node->is_constant && !node->is_dear &&
        !strata_ints_contain(&f->members, f->behind.data[i]) && is_read_between(f, node, &found))
      *strata_vector_push(f->grouping->graph.arena, &found) = f->behind.data[i];
  }
  return found;
}

static void set_members(finder_t *f, const strata_ints_t *members, const strata_ints_t *more) {
  f->members.count = 0;
  for (size_t i = 0; i < members->count; i++)
    *strata_vector_push(f->grouping->graph.arena, &f->members) = members->data[i];
  for (size_t i = 0; i < more->count; i++)
    *strata_vector_push(f->grouping->graph.arena, &f->members) = more->data[i];
  qsort(f->members.data, f->members.count, sizeof(int), strata_compare_ints);
}

strata_status_t strata_attention_add_arithmetic(finder_t *f) {
  const char *why;
  strata_attention_t before = f->found;
  strata_ints_t more = find_arithmetic(f), members = {0};
  for (size_t i = 0; i < f->members.count; i++)
    *strata_vector_push(f->grouping->graph.arena, &members) = f->members.data[i];
  if (more.count == 0)
    return NULL;
  set_members(f, &members, &more);
  STRATA_TRY(strata_attention_recognise(f, &why));
  if (!why && f->found.score_bytes <= before.score_bytes)
    return NULL;
  more.count = 0;
  set_members(f, &members, &more);
  return strata_attention_recognise(f, &why);
}

//===-- Nests in front of a product ------------------------------------------------------------------------------===//

// Adds the nests whose results the product reads, and nobody else, as far as |takes| takes them.
static void find_before(const finder_t *f, int product, bool (*takes)(const strata_nest_t *nest), strata_ints_t *out) {
  const strata_nest_node_t *node = strata_group_node(f->grouping, product);
  for (size_t i = 0; i < node->reads.count; i++) {
    int producer = node->reads.data[i].producer;
    const strata_nest_node_t *before = strata_group_node(f->grouping, producer);
    if (before->nest && before->class <= STRATA_NEST_MAP && !before->is_constant && before->after.count == 1 &&
        takes(before->nest) && f->grouping->nodes[producer].group < 0 && !strata_ints_contain(&f->members, producer))
      *strata_vector_push(f->grouping->graph.arena, out) = producer;
  }
}

static strata_ints_t find_before_both(const finder_t *f, bool (*takes)(const strata_nest_t *nest)) {
  strata_ints_t found = {0};
  find_before(f, f->first, takes, &found);
  find_before(f, f->weighted, takes, &found);
  return found;
}

// Recognises the members with |more| besides; *out_why: why they are none.
static strata_status_t recognise_with(finder_t *f, const strata_ints_t *more, strata_ints_t *out_before,
                                      const char **out_why) {
  for (size_t i = 0; i < f->members.count; i++)
    *strata_vector_push(f->grouping->graph.arena, out_before) = f->members.data[i];
  set_members(f, out_before, more);
  return strata_attention_recognise(f, out_why);
}

static strata_status_t recognise_without(finder_t *f, const strata_ints_t *before) {
  const strata_ints_t none = {0};
  const char *why;
  set_members(f, before, &none);
  return strata_attention_recognise(f, &why);
}

static bool joins(const strata_nest_t *nest) { return mlirStringRefEqual(nest->name, strata_str("concat")); }

// Of more columns than one the product would be a kernel of its own.
strata_status_t strata_attention_add_joined(finder_t *f) {
  const char *why;
  strata_ints_t more = find_before_both(f, joins), members = {0};
  if (more.count < 2)
    return NULL;
  STRATA_TRY(recognise_with(f, &more, &members, &why));
  return !why && strata_attention_joins_one(&f->found) ? NULL : recognise_without(f, &members);
}

static bool widens(const strata_nest_t *nest) {
  return mlirStringRefEqual(nest->name, strata_str("convert")) ||
         mlirStringRefEqual(nest->name, strata_str("convert_u"));
}

// Widened by producers. Where columns vary, zeros have to come of what lies behind the last one.
strata_status_t strata_attention_add_widened(finder_t *f) {
  const char *why;
  strata_ints_t more = find_before_both(f, widens), members = {0};
  if (more.count == 0 || strata_gpu_stages_by_threads(f->device))
    return NULL;
  STRATA_TRY(recognise_with(f, &more, &members, &why));
  bool may_be_garbage = !why && strata_attention_varies(&f->found, f->found.column) &&
                        !strata_attention_ends(&f->found, STRATA_ATTENTION_V);
  size_t n_stored = 0;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++)
    n_stored += !why && !mlirTypeIsNull(f->found.operands[i].stored);
  return n_stored == more.count && !may_be_garbage ? NULL : recognise_without(f, &members);
}

static bool gathers(const strata_nest_t *nest) { return mlirStringRefEqual(nest->name, strata_str("gather")); }

static size_t count_paged(const finder_t *f) {
  size_t count = 0;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++)
    count += f->found.operands[i].page > 0;
  return count;
}

// One after the other: queries may be gathered, too.
strata_status_t strata_attention_add_paged(finder_t *f) {
  const char *why;
  strata_ints_t gathered = {0};
  for (size_t i = 0; i < f->members.count; i++)
    find_before(f, f->members.data[i], gathers, &gathered);
  for (size_t i = 0; i < gathered.count && !strata_gpu_stages_by_threads(f->device); i++) {
    strata_ints_t before = {0}, one = {0};
    size_t n_paged = count_paged(f);
    *strata_vector_push(f->grouping->graph.arena, &one) = gathered.data[i];
    STRATA_TRY(recognise_with(f, &one, &before, &why));
    if (why || count_paged(f) == n_paged)
      STRATA_TRY(recognise_without(f, &before));
  }
  return NULL;
}
