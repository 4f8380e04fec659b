// Bounds of sizes that are numbers in data, which nothing but the user can know: --bound, or else a number that is
// taken where a size beyond it is seen.
//
// A count that is larger than its bound must reach the caller, or results that are made of its first elements alone
// would be wrong without a word. It does where a dim of an output is the count, but for a factor and a number to add:
// NAME_sizes says what it was, and that is STRATA_OUT_OF_BOUND (docs/abi.md). Anywhere else --bound is asked for.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"
#include "dialects/mlir_util.h"
#include "runtime/base/quote.h"

#include <string.h>

static int64_t find_bound(size_t count, const strata_import_dim_t *bounds, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(bounds[i].name, name))
      return bounds[i].min;
  return -1;
}

// By --bound, or by the front end that made the model; -1: by neither.
static int64_t given_bound(onnx_importer_t *importer, const char *name) {
  const strata_import_options_t *options = importer->options;
  const onnx_made_model_t *made = importer->made;
  if (!strata_string_map_put(importer->compile->arena, &importer->bounded, name, importer))
    *strata_vector_push(importer->compile->arena, &importer->bounded_names) = name;
  int64_t bound = find_bound(options->n_bounds, options->bounds, name);
  return bound < 0 && made ? find_bound(made->n_bounds, made->bounds, name) : bound;
}

static const char *bound_option(strata_arena_t *arena, const char *name) {
  return strata_arena_printf(arena, "--bound %s", strata_shell_quote(arena, strata_arena_printf(arena, "%s=N", name)));
}

static const char *what_is_missing(onnx_node_t *n, int i) {
  const char *name = onnx_text(n->proto->input[i]);
  strata_arena_t *arena = n->b->compile->arena;
  return strata_arena_printf(arena, "operand %d ('%s') must be known at compile time%s, or have a bound: %s", i, name,
                             onnx_binding_hint(n, onnx_operand(n, i)), bound_option(arena, name));
}

// What to say at the end, as onnx_unsupported would now.
static const char *problem_of(onnx_node_t *n, const char *what) {
  return strata_arena_printf(n->b->compile->arena, "(node %s): %s is not supported: %s", n->name,
                             onnx_text(n->proto->op_type), what);
}

static bool must_be_bounded(onnx_node_t *n, int i) {
  if (!onnx_failed(n))
    onnx_unsupported(n, "%s", what_is_missing(n, i));
  return false;
}

// In a loop's body nobody sees a size; where the loop can be unrolled it may be known.
static bool is_in_main(const onnx_node_t *n) { return mlirBlockEqual(n->b->block, n->importer->main); }

// |count|, which data decide, as a size. |bound|: -1: one is assumed; |what| is missing of |name| then.
static strata_dim_t add_data_size(onnx_node_t *n, onnx_data_size_t size, MlirValue count, int64_t bound,
                                  const char *name, const char *what) {
  if (bound < 0) {
    size.name = name;
    size.problem = problem_of(n, what);
    bound = ONNX_ASSUMED_BOUND;
  }
  size.dim = onnx_counted_dim(n, onnx_with_number(n, STRATA_OP_MAX, count, 0), onnx_dim(n, bound), true);
  *strata_vector_push(n->importer->compile->arena, &n->importer->data_sizes) = size;
  return size.dim;
}

// Element |index| of operand |i| as a size; |bound|: -1: one is assumed.
static strata_dim_t data_size(onnx_node_t *n, int i, int64_t index, int64_t bound) {
  onnx_importer_t *importer = n->importer;
  MlirValue value = onnx_operand(n, i);
  for (size_t k = 0; k < importer->data_sizes.count; k++)
    if (strata_value_equal(importer->data_sizes.data[k].value, value) && importer->data_sizes.data[k].index == index)
      return importer->data_sizes.data[k].dim;
  onnx_data_size_t size = {.value = value, .index = index};
  return add_data_size(n, size, onnx_element(n, i, index), bound, onnx_text(n->proto->input[i]), what_is_missing(n, i));
}

bool onnx_bound_dims(onnx_node_t *n, int i, int64_t count, strata_dim_t *dims) {
  int n_open = 0;
  for (int64_t k = 0; dims && k < count; k++)
    n_open += mlirAffineExprIsNull(dims[k]);
  if (dims && !n_open)
    return true;
  int64_t bound = dims ? given_bound(n->importer, onnx_text(n->proto->input[i])) : -1;
  bool may_assume = n_open == 1 && is_in_main(n); // room for all that several could be is more than there may be
  if (!dims || (bound < 0 && !may_assume))
    return must_be_bounded(n, i);
  for (int64_t k = 0; k < count; k++)
    if (mlirAffineExprIsNull(dims[k]))
      dims[k] = data_size(n, i, k, bound);
  return !onnx_failed(n);
}

static bool data_dim(onnx_node_t *n, int i, bool may_assume, strata_dim_t *out) {
  int64_t bound = given_bound(n->importer, onnx_text(n->proto->input[i]));
  if (bound < 0 && !may_assume)
    return must_be_bounded(n, i);
  *out = data_size(n, i, 0, bound);
  return !onnx_failed(n);
}

bool onnx_data_dim(onnx_node_t *n, int i, strata_dim_t *out) { return data_dim(n, i, is_in_main(n), out); }

bool onnx_given_data_dim(onnx_node_t *n, int i, strata_dim_t *out) { return data_dim(n, i, false, out); }

strata_dim_t onnx_limited_data_dim(onnx_node_t *n, int i, strata_dim_t most) {
  int64_t bound = given_bound(n->importer, onnx_text(n->proto->input[i]));
  if (bound >= 0)
    most = onnx_derive(n, STRATA_SYMBOL_MIN, most, onnx_dim(n, bound));
  return onnx_counted_dim(n, onnx_with_number(n, STRATA_OP_MAX, onnx_element(n, i, 0), 0), most, true);
}

bool onnx_elements_dim(onnx_node_t *n, MlirValue count, strata_dim_t *out) {
  strata_arena_t *arena = n->b->compile->arena;
  const char *name = onnx_text(n->proto->output[0]);
  int64_t bound = given_bound(n->importer, name);
  const char *what =
      strata_arena_printf(arena, "how many elements '%s' has must be known at compile time, or have a bound: %s", name,
                          bound_option(arena, name));
  if (bound < 0 && !is_in_main(n))
    onnx_unsupported(n, "%s", what);
  *out = add_data_size(n, (onnx_data_size_t){.value = count}, count, bound, name, what);
  return !onnx_failed(n);
}

bool onnx_scaled_data_dim(onnx_node_t *n, int i, MlirValue value, strata_dim_t whole, strata_dim_t *out) {
  int64_t bound = given_bound(n->importer, onnx_text(n->proto->input[i]));
  if (bound < 0)
    return must_be_bounded(n, i);
  *out = onnx_counted_dim(n, onnx_with_number(n, STRATA_OP_MAX, value, 0), strata_dim_times(whole, bound), true);
  return !onnx_failed(n);
}

//===-- At the end -----------------------------------------------------------------------------------------------===//

// Whether what |dim| is beyond its bound says that |count| is beyond its own, and the other way round.
static bool shows(const onnx_importer_t *importer, strata_dim_t dim, strata_dim_t count) {
  strata_dim_t part;
  int64_t factor, rest;
  return strata_dim_split(onnx_resolve(importer, dim), &part, &factor, &rest) && factor > 0 &&
         strata_dim_equal(part, count);
}

static bool is_shown(const onnx_importer_t *importer, strata_dim_t count, size_t n_results, const MlirValue *results) {
  for (size_t i = 0; i < n_results; i++) {
    strata_shape_t shape = onnx_shape(results[i]);
    for (int k = 0; k < shape.rank; k++)
      if (shows(importer, shape.dims[k], count))
        return true;
  }
  return false;
}

void onnx_settle_bounds(onnx_importer_t *importer, size_t n_results, const MlirValue *results) {
  for (size_t i = 0; i < importer->data_sizes.count; i++) {
    const onnx_data_size_t *size = &importer->data_sizes.data[i];
    if (!size->name)
      continue;
    if (!is_shown(importer, onnx_resolve(importer, size->dim), n_results, results))
      onnx_add_problem(importer, "%s", size->problem);
    else
      strata_compile_note(importer->compile, "data decide a size, '%s', which is taken to be at most %d: %s says else",
                          size->name, ONNX_ASSUMED_BOUND, bound_option(importer->compile->arena, size->name));
  }
}
