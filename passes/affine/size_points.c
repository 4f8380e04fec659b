// See size_points.h.
#include "passes/affine/size_points.h"

#include "dialects/integers.h"
#include "dialects/symbols.h"

#include <math.h>

enum { LARGER = 4 }; // the last point beside the largest that is likely

// A multiple of the symbol's, in its range.
static int64_t inside(const strata_symbol_t *symbol, double value) {
  int64_t whole = (int64_t)fmin(value, (double)INT32_MAX) / symbol->multiple * symbol->multiple;
  return strata_max(symbol->min, strata_min(symbol->max, strata_max(whole, symbol->multiple)));
}

// The symbol's likely size number |i|; the last one behind them.
static double likely_size(const strata_symbol_t *symbol, int64_t usual, int i) {
  return symbol->n_likely ? (double)symbol->likely[strata_min(i, symbol->n_likely - 1)] : (double)usual;
}

// At point |i|: likely sizes, and between them their geometric means.
static double size_at(const strata_symbol_t *symbol, int64_t usual, int i) {
  double below = likely_size(symbol, usual, i / 2), above = likely_size(symbol, usual, (i + 1) / 2);
  return i % 2 ? sqrt(below * above) : below;
}

strata_status_t strata_size_points(strata_compile_t *compile, const int64_t *usual, strata_size_points_t *out) {
  strata_symbols_t symbols;
  int last = 1;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  for (size_t j = 0; j < symbols.list.count; j++)
    last = (int)strata_max(last, 2 * symbols.list.data[j].n_likely - 1);
  last = (int)strata_min(last, STRATA_SIZE_POINTS - 1);
  *out = (strata_size_points_t){0};
  for (int i = 0; i <= last; i++) {
    int64_t *values = strata_arena_array(compile->arena, int64_t, symbols.list.count);
    for (size_t j = 0; j < strata_symbols_given(&symbols); j++) {
      const strata_symbol_t *symbol = &symbols.list.data[j];
      values[j] =
          inside(symbol, i == last ? LARGER * size_at(symbol, usual[j], last - 1) : size_at(symbol, usual[j], i));
    }
    if (strata_symbols_evaluate(&symbols, values))
      out->values[out->count++] = values;
  }
  if (out->count == 0)
    out->values[out->count++] = usual;
  return NULL;
}
