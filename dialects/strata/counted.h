// Sizes that depend on data (docs/sizes.md): symbols of the kind STRATA_SYMBOL_COUNTED, whose values an operation
// computes. A front end builds with them as with any symbol; they are taken out before the module is anyone else's.
//
//   %x: tensor<?x4xf32, (s0, 4)>, s0 = counted, at most 100; %c: tensor<i64>, its value
//   %y = "strata.reduce"(%x) {kind = "add", axes = array<i64: 0>}
//   -> %x: tensor<100x4xf32>   %i = iota   %m = %i < %c   %z = select(%m, %x, 0)   %y = "strata.reduce"(%z)
//
// Tensors get the sizes that are their bounds. What lies behind a count is undefined, and no operation's result in
// front of one depends on it.
#ifndef STRATA_DIALECTS_STRATA_COUNTED_H
#define STRATA_DIALECTS_STRATA_COUNTED_H

#include "dialects/strata/strata.h"

// The value of the symbol numbered |symbol|: an i64 of rank 0, in @main. |may_exceed|: it may be larger than the bound,
// what is in front of which counts.
typedef struct {
  int symbol;
  MlirValue value;
  bool may_exceed;
} strata_count_t;

typedef struct {
  STRATA_VECTOR(strata_count_t) list;
} strata_counts_t;

// What a builder has of them. A loop's body may have such sizes of its own, which its end takes out, but no value of
// such a size may leave it.
typedef struct strata_counting {
  strata_symbols_t *symbols;
  strata_counts_t *counts;
} strata_counting_t;

// Whether the value of |dim| depends on data.
bool strata_dim_is_counted(const strata_symbols_t *symbols, strata_dim_t dim);
bool strata_shape_is_counted(const strata_symbols_t *symbols, const strata_shape_t *shape); // that of any dim

// The greatest value of |dim|, over symbols that are given. Derived symbols may be added.
strata_dim_t strata_dim_bound(strata_arena_t *arena, strata_symbols_t *symbols, strata_dim_t dim);

// The same, or the least one, where no derived symbol depends on data.
strata_dim_t strata__dim_end(const strata_symbols_t *symbols, strata_dim_t dim, bool is_upper);

// The attribute of a result of @main: the sizes of the result of that name, of which some depend on data.
#define STRATA_SIZES_OF "strata.sizes_of"

// Takes all counted symbols out of the module. Each result of @main that has one gets another, "NAME_sizes", behind all
// others: an i64 for each of its dims. UNSUPPORTED where a loop is as long as such a size, or carries one of them.
STRATA_MUST_CHECK strata_status_t strata_bound_counts(strata_compile_t *compile, strata_symbols_t *symbols,
                                                      const strata_counts_t *counts);

// The same of a loop's body, a block that is no function's yet; values from outside keep their types.
STRATA_MUST_CHECK strata_status_t strata__bound_body(strata_compile_t *compile, const strata_counting_t *counting,
                                                     MlirBlock body);

#endif
