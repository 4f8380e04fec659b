// The sizes program of a library: expressions over the symbols as a list of operations, each value once, which the
// runtime computes once a call (runtime/library/sizes.h).
#ifndef STRATA_TARGETS_LIBRARY_SIZES_H
#define STRATA_TARGETS_LIBRARY_SIZES_H

#include "dialects/symbols.h"
#include "runtime/library/tables.h"

// What the tables have (strata_rt_number): a constant from 0 on, or -1 - k, value k of a call. A constant below 0 is a
// value too, strata_sizes_expr's.
typedef int64_t strata_number_t;

static inline bool strata_number_varies(strata_number_t number) { return number < 0; }

typedef struct {
  strata_arena_t *arena;
  const strata_symbols_t *symbols;
  size_t n_given;                            // of them
  STRATA_VECTOR(strata_value_info_t) values; // of those behind the given symbols
  STRATA_VECTOR(strata_rt_check_t) checks;
  strata_number_t *of_symbols; // of derived ones too
  size_t *table;               // of values: a hash table, see sizes.c
  size_t capacity;
  bool is_malformed; // an expression had a dim, or a symbol that is none
} strata_sizes_t;

// Starts with the derived symbols and what they must be.
strata_sizes_t *strata_sizes_create(strata_arena_t *arena, const strata_symbols_t *symbols);
// INTERNAL or UNSUPPORTED if something that was asked for cannot be had.
STRATA_MUST_CHECK strata_status_t strata_sizes_check(const strata_sizes_t *sizes);

// The value of an expression, and of an operation (STRATA_VALUE_…) on two values; |sizes| may be NULL where the
// operands do not vary.
strata_number_t strata_sizes_expr(strata_sizes_t *sizes, MlirAffineExpr expr);
strata_number_t strata_sizes_op(strata_sizes_t *sizes, uint64_t op, strata_number_t a, strata_number_t b);
// Which of a kernel's variants takes the sizes of a call: 1 + its place in the list, or 0 where none does.
strata_number_t strata_sizes_pick(strata_sizes_t *sizes, int n_variants, const MlirOperation *variants);
// Has calls refused where |number| is outside; |text| says what it is. Nothing to do where it does not vary.
void strata_sizes_require(strata_sizes_t *sizes, strata_number_t number, int64_t min, int64_t max, int64_t multiple,
                          const char *text);

#endif
