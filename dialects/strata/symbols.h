// Symbols (dialects/symbols.h) of tensors: how the sizes of results come from those of what they are made of.
#ifndef STRATA_DIALECTS_STRATA_SYMBOLS_H
#define STRATA_DIALECTS_STRATA_SYMBOLS_H

#include "dialects/strata/strata.h"

// What |op| makes of the two: simplified where the ranges decide it, else a symbol, which is added unless it is there.
strata_dim_t strata_symbols_derive(strata_arena_t *arena, strata_symbols_t *symbols, strata_symbol_op_t op,
                                   strata_dim_t lhs, strata_dim_t rhs);

// Makes it a condition that lhs - rhs is at least |min| and at most |max|, unless the ranges say so. False if it never
// is.
bool strata_symbols_check(strata_arena_t *arena, strata_symbols_t *symbols, strata_dim_t lhs, strata_dim_t rhs,
                          int64_t min, int64_t max);

// An element of a small tensor that shape arithmetic computes: dim / divisor; a null dim where it is not known.
typedef struct {
  strata_dim_t dim;
  int64_t divisor;
} strata_dim_value_t;

// The elements of |value|, in the compile's arena, as far as they follow from sizes and constants; floats as the real
// numbers that they mean. False where there are many, or it is not known how many. Symbols may be added.
bool strata_dim_values(strata_compile_t *compile, strata_symbols_t *symbols, MlirValue value,
                       const strata_dim_value_t **out, int64_t *out_count);

// The same of floats, each the bits of an f64 (runtime/base/real.h) that the sizes of a call make, rounded as its type
// is; null where it may be negative, too.
bool strata_dim_reals(strata_compile_t *compile, strata_symbols_t *symbols, MlirValue value, const strata_dim_t **out,
                      int64_t *out_count);

// Replaces symbols by |values|, null ones of which stay, in the types and maps of the block's arguments and operations,
// and of all in them. |ranges|: where the symbols lie, so that quotients that can only be one number become it; NULL:
// all quotients stay.
void strata_symbols_replace(MlirBlock block, int n_symbols, const strata_dim_t *values, const strata_symbols_t *ranges);

// What is counted in strides, the results of windows, is a quotient to whoever looks at the operand alone. Where ranges
// made it a number, the window's result becomes the quotient, and what reads it reads a slice of that number.
STRATA_MUST_CHECK strata_status_t strata_symbols_settle_windows(strata_compile_t *compile);

// A table of what is left where |values|, expressions over |old| or null, are known: *out_values says what each old
// symbol is over |out|. Derived symbols of what is known are numbers, those that nothing in |block| needs go. Errors: a
// condition that is never true.
STRATA_MUST_CHECK strata_status_t strata_symbols_renumber(strata_arena_t *arena, MlirContext context,
                                                          const strata_symbols_t *old, MlirBlock block,
                                                          const strata_dim_t *values, strata_symbols_t *out,
                                                          strata_dim_t *out_values);

// Gives symbols of the module their numbers: all types and maps change with them. Errors: a name that is none, a number
// out of its range.
typedef struct {
  const char *name;
  int64_t size;
} strata_symbol_value_t;
STRATA_MUST_CHECK strata_status_t strata_symbols_bind(strata_compile_t *compile, size_t count,
                                                      const strata_symbol_value_t *values);

#endif
