// The sizes of a session's calls: what the command line gives, what the shapes of the input files say, and else the
// first likely ones.
#include "tools/session.h"

#include "runtime/base/nearest.h"
#include "runtime/library/sizes.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  strata_arena_t *arena;
  const strata_session_t *session;
  const strata_library_t *library;
  const char **known_by; // what says each size; NULL: nothing yet
} solver_t;

//===-- Values ---------------------------------------------------------------------------------------------------===//

static const strata_value_info_t *info_of(const strata_library_t *library, size_t value) {
  return &library->values[value - library->n_dims];
}

// A value of a call; false if it has none in 64 bits.
static bool evaluate(const strata_library_t *library, size_t value, const int64_t *dims, int64_t *out) {
  int64_t a, b;
  *out = value < library->n_dims ? dims[value] : info_of(library, value)->a;
  if (value < library->n_dims || info_of(library, value)->op == STRATA_VALUE_CONSTANT)
    return true;
  const strata_value_info_t *info = info_of(library, value);
  return evaluate(library, (size_t)info->a, dims, &a) && evaluate(library, (size_t)info->b, dims, &b) &&
         strata_rt_value(info->op, a, b, out);
}

bool strata_session_dim(const strata_library_t *library, int64_t number, const int64_t *dims, int64_t *out) {
  *out = number;
  return number >= 0 || evaluate(library, (size_t)(-1 - number), dims, out);
}

// Adds the unknown sizes that a value depends on, as long as there is but one; false if there are more.
static bool find_unknown(const solver_t *s, size_t value, size_t *unknown) {
  if (value < s->library->n_dims) {
    bool is_new = !s->known_by[value] && *unknown != value;
    if (is_new && *unknown != SIZE_MAX)
      return false;
    *unknown = is_new ? value : *unknown;
    return true;
  }
  const strata_value_info_t *info = info_of(s->library, value);
  return info->op == STRATA_VALUE_CONSTANT ||
         (find_unknown(s, (size_t)info->a, unknown) && find_unknown(s, (size_t)info->b, unknown));
}

// Gives |dims|[unknown] the size at which |value|, a sum of it and what is known, is |wanted|; false if there is none.
static bool solve(const solver_t *s, size_t value, size_t unknown, int64_t wanted) {
  int64_t *dims = s->session->dims, at_0, at_1, got, rise, size;
  dims[unknown] = 0;
  bool ok = evaluate(s->library, value, dims, &at_0);
  dims[unknown] = 1;
  ok = ok && evaluate(s->library, value, dims, &at_1) && !__builtin_sub_overflow(at_1, at_0, &rise) && rise != 0 &&
       !__builtin_sub_overflow(wanted, at_0, &size);
  if (!ok || size % rise)
    return false;
  dims[unknown] = size / rise;
  return evaluate(s->library, value, dims, &got) && got == wanted;
}

//===-- Inputs ---------------------------------------------------------------------------------------------------===//

// What a dim of an input says of a size; *progress if it was not known.
static strata_status_t use_dim(const solver_t *s, size_t input, uint32_t dim, bool *progress) {
  const strata_tensor_info_t *info = s->library->inputs[input];
  const strata_given_t *given = &s->session->given[input];
  size_t value = (size_t)(-1 - info->shape[dim]), unknown = SIZE_MAX;
  int64_t is = given->tensor.shape[dim], expected;
  if (!find_unknown(s, value, &unknown))
    return NULL;
  if (unknown != SIZE_MAX) {
    if (!solve(s, value, unknown, is))
      return NULL;
    s->known_by[unknown] = strata_arena_printf(s->arena, "%s (%s, dimension %u)", given->path, info->name, dim);
    *progress = true;
    return NULL;
  }
  if (evaluate(s->library, value, s->session->dims, &expected) && expected == is)
    return NULL;
  const char *sizes = "";
  for (size_t i = 0; i < s->library->n_dims; i++)
    if (s->known_by[i])
      sizes = strata_arena_printf(s->arena, "%s%s%s = %lld by %s", sizes, *sizes ? ", " : "", s->library->dims[i],
                                  (long long)s->session->dims[i], s->known_by[i]);
  return strata_error(STRATA_INVALID_SIZE, "%s: dimension %u of input %s, [%s], is %lld, which contradicts %s",
                      given->path, dim, info->name, s->library->shapes[input], (long long)is, sizes);
}

static strata_status_t use_inputs(const solver_t *s, bool *progress) {
  for (size_t i = 0; i < s->library->n_inputs; i++) {
    const strata_tensor_info_t *info = s->library->inputs[i];
    const strata_given_t *given = &s->session->given[i];
    if (!given->path || !s->library->n_dims)
      continue;
    if (given->tensor.rank != (int)info->rank)
      return strata_error(STRATA_INVALID_ARGUMENT, "%s: expected %s [%s] for input %s, got %s", given->path,
                          strata_dtype_info[info->dtype].name, s->library->shapes[i], info->name,
                          strata_tensor_describe(s->arena, &given->tensor));
    for (uint32_t dim = 0; dim < info->rank; dim++)
      if (info->shape[dim] < 0)
        STRATA_TRY(use_dim(s, i, dim, progress));
  }
  return NULL;
}

//===-- The command line and the library -------------------------------------------------------------------------===//

static strata_status_t use_option(const solver_t *s, const char *text) {
  const strata_library_t *library = s->library;
  const char *equals = strrchr(text, '=');
  size_t length = equals ? (size_t)(equals - text) : strlen(text), found = library->n_dims;
  const char *name = strata_arena_printf(s->arena, "%.*s", (int)length, text);
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < library->n_dims; i++) {
    strata_nearest_try(&nearest, library->dims[i], strlen(library->dims[i]));
    if (strcmp(library->dims[i], name) == 0 || strcmp(library->dim_infos[i]->c_name, name) == 0)
      found = i;
  }
  if (found == library->n_dims)
    return strata_error(STRATA_INVALID_ARGUMENT, "--dim=%s: the library has no size '%s'%s", text, name,
                        strata_nearest_hint(s->arena, &nearest));
  char *end = NULL;
  s->session->dims[found] = equals ? strtoll(equals + 1, &end, 10) : 0;
  if (!equals || !equals[1] || *end)
    return strata_error(STRATA_INVALID_ARGUMENT, "--dim=%s: expected NAME=N", text);
  s->known_by[found] = strata_arena_printf(s->arena, "--dim=%s", text);
  return NULL;
}

// The first likely size, else the least one that is not 0.
static int64_t usual_size(const strata_dim_info_t *info) {
  if (info->n_likely)
    return info->likely[0];
  int64_t least = info->min > 1 ? info->min : 1;
  int64_t size = (least + info->multiple - 1) / info->multiple * info->multiple;
  return size <= info->max ? size : info->min;
}

static strata_status_t use_usual_sizes(const solver_t *s, bool may_choose) {
  for (size_t i = 0; i < s->library->n_dims; i++) {
    if (s->known_by[i])
      continue;
    if (!may_choose)
      return strata_error(STRATA_INVALID_ARGUMENT, "no input says what size %s is: expected --dim=%s=N",
                          s->library->dims[i], s->library->dims[i]);
    s->session->dims[i] = usual_size(s->library->dim_infos[i]);
    s->known_by[i] = "what is likely";
  }
  return NULL;
}

strata_status_t strata_session_choose_sizes(strata_arena_t *arena, strata_session_t *session, size_t n_texts,
                                            const char *const *texts, bool may_choose) {
  const strata_library_t *library = session->library;
  solver_t s = {arena, session, library, strata_arena_array(arena, const char *, library->n_dims + 1)};
  session->dims = library->n_dims ? strata_arena_array(arena, int64_t, library->n_dims) : NULL;
  for (size_t i = 0; i < n_texts; i++)
    STRATA_TRY(use_option(&s, texts[i]));
  for (bool progress = true; progress;) {
    progress = false;
    STRATA_TRY(use_inputs(&s, &progress));
  }
  return use_usual_sizes(&s, may_choose);
}

const char *strata_session_sizes_text(strata_arena_t *arena, const strata_session_t *session) {
  const char *text = "";
  for (size_t i = 0; i < session->library->n_dims; i++)
    text = strata_arena_printf(arena, "%s%s%s = %lld", text, i ? ", " : "", session->library->dims[i],
                               (long long)session->dims[i]);
  return text;
}
