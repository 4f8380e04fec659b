// Conditions on the sizes of a call, and what is known of sizes where one holds. A function that is made for some sizes
// has one as strata.when, over the module's symbols:
//
//   func.func private @k0_v1(...) attributes {strata.when = affine_set<()[s0] : (128 - s0 >= 0, s0 mod 8 == 0)>}
//
// What is asked for sizes in such a function (symbols.h) knows of the condition.
#ifndef STRATA_DIALECTS_AFFINE_WHEN_H
#define STRATA_DIALECTS_AFFINE_WHEN_H

#include "dialects/affine/symbols.h"

#include <mlir-c/IntegerSet.h>

#define STRATA_WHEN "strata.when"
// Conditions, an array, for which the function is not, though its own holds: nothing is known from them.
#define STRATA_UNLESS "strata.unless"

// What an expression over symbols is; one from 0 to INT64_MAX, a multiple of 1, is anything.
struct strata_size_range {
  MlirAffineExpr expr;
  int64_t min, max, multiple;
};
typedef struct strata_size_range strata_size_range_t;

// All of the ranges, as a set. One whose limits are the same is one equation.
MlirIntegerSet strata_when_of_ranges(MlirContext context, int count, const strata_size_range_t *ranges);
// The condition of the function that |op| is, or is in; the null set where it is made for all sizes.
MlirIntegerSet strata_when_around(MlirOperation op);
// The function's exceptions: how many; number |index| of them.
intptr_t strata_when_count_exceptions(MlirOperation func);
MlirIntegerSet strata_when_exception(MlirOperation func, intptr_t index);
// True if the condition is well formed: no dims, and symbols only below |n_symbols|.
bool strata_when_is_valid(MlirAttribute when, int n_symbols);
// True if the condition holds where the symbols are |values|.
bool strata_when_holds(MlirIntegerSet when, const int64_t *values);
// Both conditions, either of which may be the null set, as one; without what the first one says already.
MlirIntegerSet strata_when_both(strata_arena_t *arena, MlirIntegerSet a, MlirIntegerSet b);
// True if |b| is seen to hold wherever |a| does, or nowhere |a| does: by constraints of the same expression.
bool strata_when_implies(MlirIntegerSet a, MlirIntegerSet b);
bool strata_when_excludes(MlirIntegerSet a, MlirIntegerSet b);
// "batch * sequence <= 128, sequence mod 8 == 0", with the symbols' names; in the arena.
const char *strata_when_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirIntegerSet when);

// What is known of |symbols| where the condition holds: |sizes| and |likely|, which the caller may change, become
// narrower, and ranges of longer expressions are kept in the arena.
void strata_when_narrow(strata_arena_t *arena, MlirIntegerSet when, const strata_symbols_t *table,
                        strata_size_symbols_t *symbols, strata_size_t *sizes, int64_t *likely);
// |size|, which expression |expr| has, with what the condition says of it.
strata_size_t strata_when_narrowed(const strata_size_symbols_t *symbols, MlirAffineExpr expr, strata_size_t size);

#endif
