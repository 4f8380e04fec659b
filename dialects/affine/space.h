// Sizes, and the space that expressions are over: dims and symbols with what is known of them.
//
// A size is a constant, or an expression over symbols, of which the least and the greatest value and a divisor are
// known. What asks for no more than these works whether sizes are known or not; what needs a number asks for
// strata_size_static_value, or one of the queries called static below.
#ifndef STRATA_DIALECTS_AFFINE_SPACE_H
#define STRATA_DIALECTS_AFFINE_SPACE_H

#include <mlir-c/AffineExpr.h>
#include <stdbool.h>
#include <stdint.h>

// By value. A constant's limits and its divisor are itself; zero, which all numbers divide, has the divisor 0.
typedef struct {
  MlirAffineExpr expr; // over the symbols of a space; null: a constant
  int64_t min, max, divisor;
} strata_size_t;

// Dim i is in [0, sizes[i]); symbol j in [symbols[j].min, symbols[j].max], a multiple of symbols[j].divisor.
typedef struct {
  int n_dims;
  const strata_size_t *sizes;
  int n_symbols;
  const strata_size_t *symbols;
} strata_space_t;

static inline strata_size_t strata_size_constant(int64_t n) {
  return (strata_size_t){.min = n, .max = n, .divisor = n < 0 ? -n : n};
}
static inline bool strata_size_is_constant(strata_size_t size, int64_t *out) {
  *out = size.min;
  return size.min == size.max;
}
// Whether it depends on symbols.
static inline bool strata_size_varies(strata_size_t size) { return size.min != size.max; }
static inline int64_t strata_size_min(strata_size_t size) { return size.min; }
static inline int64_t strata_size_max(strata_size_t size) { return size.max; }
static inline bool strata_size_is_one(strata_size_t size) { return size.min == 1 && size.max == 1; }
// True if the size is a multiple of |divisor|, a positive number, whatever its symbols are.
static inline bool strata_size_divides(int64_t divisor, strata_size_t size) { return size.divisor % divisor == 0; }
// True if the sizes are the same whatever their symbols are.
bool strata_size_equal(strata_size_t a, strata_size_t b);
bool strata_sizes_equal(int count, const strata_size_t *a, const strata_size_t *b);
// True if one of the sizes does.
bool strata_sizes_vary(int count, const strata_size_t *sizes);

// The number, where only constants are dealt with so far: what varies ends the program there.
int64_t strata_size_static_value(strata_size_t size);

// A size of what an expression over the symbols of |space| says, simplified; beyond int64 it is its greatest value.
strata_size_t strata_size_of(MlirAffineExpr expr, const strata_space_t *space);
// Limits that are beyond int64 are its greatest value.
strata_size_t strata_size_sum(strata_size_t a, strata_size_t b);
strata_size_t strata_size_product(strata_size_t a, strata_size_t b);
// The same without the expression, which takes by far the most time.
strata_size_t strata_size_known_of_sum(strata_size_t a, strata_size_t b);
strata_size_t strata_size_known_of_product(strata_size_t a, strata_size_t b);

// |divisor| is positive.
strata_size_t strata_size_ceil_div(strata_size_t size, int64_t divisor);

// The size as an expression.
MlirAffineExpr strata_size_expr(MlirContext context, strata_size_t size);

// A space of constants, for code whose extents are those of registers, lanes or tiles. It lives as long as its block.
enum { STRATA_STATIC_DIMS = 48 };
typedef struct {
  strata_space_t space;
  strata_size_t sizes[STRATA_STATIC_DIMS];
} strata_static_space_t;
const strata_space_t *strata_static_space(strata_static_space_t *storage, int n_dims, const int64_t *extents);
#define STRATA_STATIC_SPACE(count, of) strata_static_space(&(strata_static_space_t){.space = {0}}, count, of)

#endif
