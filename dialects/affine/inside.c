// See inside.h.
#include "dialects/affine/inside.h"

#include "dialects/affine/simplify.h"
#include "dialects/affine/when.h"
#include "dialects/integers.h"

//===-- Samples --------------------------------------------------------------------------------------------------===//

enum { N_SAMPLES = 5, LARGE = 1 << 12 };

// A size near |size| that the symbol may be.
static int64_t allowed(const strata_symbol_t *symbol, int64_t size) {
  int64_t multiple = strata_max(symbol->multiple, 1);
  size = strata_max(symbol->min, strata_min(symbol->max, size));
  int64_t whole = strata_floor_div(size, multiple) * multiple;
  return whole < symbol->min ? strata_min(symbol->max, strata_plus(whole, multiple)) : whole;
}

static int64_t sampled(const strata_symbol_t *symbol, int sample, size_t number) {
  static const int64_t primes[] = {5, 3, 11, 7, 13, 2, 17};
  int64_t prime = primes[(number + (size_t)sample) % (sizeof primes / sizeof *primes)];
  switch (sample) {
  case 0:
    return symbol->min;
  case 1:
    return allowed(symbol, symbol->n_likely ? symbol->likely[0] : 8);
  case 2:
    return allowed(symbol, LARGE - prime);
  default:
    return allowed(symbol, strata_times(strata_max(symbol->multiple, 1), prime));
  }
}

strata_size_samples_t strata_size_samples(strata_arena_t *arena, const strata_symbols_t *symbols) {
  const int64_t **samples = strata_arena_array(arena, const int64_t *, N_SAMPLES);
  int count = 0;
  for (int sample = 0; sample < N_SAMPLES; sample++) {
    int64_t *values = strata_arena_array(arena, int64_t, symbols->list.count + 1);
    for (size_t i = 0; i < strata_symbols_given(symbols); i++)
      values[i] = sampled(&symbols->list.data[i], sample, i);
    if (strata_symbols_evaluate(symbols, values)) // else no call has these sizes
      samples[count++] = values;
  }
  return (strata_size_samples_t){count, samples};
}

strata_size_samples_t strata_size_samples_of(strata_arena_t *arena, const strata_size_samples_t *samples,
                                             MlirOperation func) {
  MlirIntegerSet when = strata_when_around(func);
  const int64_t **kept = strata_arena_array(arena, const int64_t *, N_SAMPLES);
  int count = 0;
  for (int i = 0; i < samples->count; i++)
    if (mlirIntegerSetIsNull(when) || strata_when_holds(when, samples->values[i]))
      kept[count++] = samples->values[i];
  return (strata_size_samples_t){count, kept};
}

//===-- Coordinates ----------------------------------------------------------------------------------------------===//

static bool is_in_range(MlirAffineExpr expr, int64_t size, const strata_space_t *space) {
  int64_t min, max;
  expr = strata_affine_simplify(expr, space);
  return strata_affine_range(expr, space, &min, &max) && min >= 0 && max < size;
}

static bool is_inside_everywhere(const strata_nest_t *nest, MlirAffineExpr expr, MlirAffineExpr size) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  expr = strata_affine_simplify(expr, &nest->space);
  return strata_affine_is_nonnegative(expr, &nest->space) &&
         strata_affine_is_below(expr, strata_size_of_expr(&symbols, size), &nest->space);
}

// The nest's dims where the symbols have |values|: false if one of them has no point, or no value.
static bool dims_at(const strata_nest_t *nest, const int64_t *values, int64_t *out_extents) {
  for (int dim = 0; dim < nest->space.n_dims; dim++) {
    strata_size_t size = nest->space.sizes[dim];
    bool is_known =
        strata_size_is_constant(size, &out_extents[dim]) || strata_expr_evaluate(size.expr, values, &out_extents[dim]);
    if (!is_known || out_extents[dim] <= 0)
      return false;
  }
  return true;
}

static bool is_inside_at(const strata_nest_t *nest, MlirAffineMap map, intptr_t result, MlirAffineExpr size,
                         const int64_t *values) {
  int64_t extents[STRATA_MAX_DIMS], n;
  MlirContext context = mlirAffineExprGetContext(size);
  intptr_t n_dims = mlirAffineMapGetNumDims(map), n_symbols = mlirAffineMapGetNumSymbols(map);
  if (!dims_at(nest, values, extents) || !strata_expr_evaluate(size, values, &n))
    return true;
  for (intptr_t i = 0; i < n_symbols; i++)
    map = mlirAffineMapReplace(map, mlirAffineSymbolExprGet(context, i), mlirAffineConstantExprGet(context, values[i]),
                               n_dims, n_symbols);
  return is_in_range(mlirAffineMapGetResult(map, result), n, STRATA_STATIC_SPACE(nest->space.n_dims, extents));
}

static bool is_coordinate_inside(const strata_nest_t *nest, MlirAffineMap map, intptr_t result, MlirType buffer,
                                 const strata_size_samples_t *samples) {
  MlirAffineExpr expr = mlirAffineMapGetResult(map, result), size = strata_type_dim(buffer, result);
  if (nest->space.n_symbols == 0 && mlirAffineExprIsAConstant(size))
    return is_in_range(expr, mlirAffineConstantExprGetValue(size), &nest->space);
  if (is_inside_everywhere(nest, expr, size))
    return true;
  for (int i = 0; i < samples->count; i++)
    if (!is_inside_at(nest, map, result, size, samples->values[i]))
      return false;
  return true;
}

bool strata_access_is_inside(const strata_nest_t *nest, const strata_access_t *access,
                             const strata_size_samples_t *samples) {
  MlirType type = mlirValueGetType(access->buffer);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(access->map); i++)
    if (!is_coordinate_inside(nest, access->map, i, type, samples))
      return false;
  return true;
}
