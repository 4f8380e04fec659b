// The sizes of a module that vary (dialects/symbols.h), from level 2 on. A buffer's sizes are part of
// its type, memref<?x64xf32, {sizes = affine_map<()[s0] -> (s0, 64)>}>, and the value of a symbol inside a function is
// an op at the top of its body, as memref.get_global is: %n = "strata.size"() {symbol = 0} : () -> index.
#ifndef STRATA_DIALECTS_AFFINE_SYMBOLS_H
#define STRATA_DIALECTS_AFFINE_SYMBOLS_H

#include "dialects/affine/space.h"
#include "dialects/symbols.h"

#define STRATA_SIZE "strata.size"

// The same elements as a buffer of other sizes, of which some vary.
#define STRATA_VARYING_VIEW "strata.view"

// Symbol i is sizes[i], whose expression is s<i>; likely[i] is what it is most often. Of some expressions more is known
// (when.h).
typedef struct {
  int count;
  const strata_size_t *sizes;
  const int64_t *likely;
  int n_known;
  const struct strata_size_range *known;
} strata_size_symbols_t;

// The symbols of the module that |op| is in; none where it is static. In a function made for some sizes they are those.
strata_size_symbols_t strata_symbols_of(strata_arena_t *arena, MlirOperation op);
// Those that the function around |op|, which lies in its body, uses; none where it uses none.
strata_size_symbols_t strata_symbols_used_around(strata_arena_t *arena, MlirOperation op);

// An expression over symbols, with what is known of it.
strata_size_t strata_size_of_expr(const strata_size_symbols_t *symbols, MlirAffineExpr expr);
// What a size is where the symbols are what they are most often.
int64_t strata_size_likely(const strata_size_symbols_t *symbols, strata_size_t size);

// True if |expr| is below |size| at every point of |space|, as far as can be seen.
bool strata_affine_is_below(MlirAffineExpr expr, strata_size_t size, const strata_space_t *space);

//===-- Buffers --------------------------------------------------------------------------------------------------===//

// How many elements a memref has where the symbols are what they are most often.
double strata_memref_likely_elements(const strata_size_symbols_t *symbols, MlirType type);
// A row-major buffer's type. Maps of sizes have as many symbols as they use, so that equal sizes are equal types.
MlirType strata_memref_type_of(MlirType element, int rank, const strata_size_t *sizes);

//===-- Values ---------------------------------------------------------------------------------------------------===//

// The symbol whose value |value| is; -1 if it is none's.
int strata_symbol_of_value(MlirValue value);
// The value of a symbol in a function with this body: the strata.size op at its top, made where there is none.
MlirValue strata_symbol_value(MlirBlock body, int symbol, MlirLocation location);
// |value| as an expression over symbols; null if it is none.
MlirAffineExpr strata_symbol_expr_of_value(MlirValue value);
// Result |result| of |map| with its inputs, dims and then symbols, replaced: over |n_dims| dims and |n_symbols|
// symbols.
MlirAffineExpr strata_affine_apply(MlirAffineMap map, intptr_t result, const MlirAffineExpr *inputs, intptr_t n_dims,
                                   intptr_t n_symbols);
// |map| over those of its symbols alone that it uses: their numbers.
MlirAffineMap strata_map_over_used_symbols(MlirAffineMap map, int capacity, int *out_symbols, int *out_count);
// The same of a map that uses none.
MlirAffineMap strata_map_without_symbols(MlirAffineMap map);
// True if it uses some.
bool strata_map_uses_symbols(MlirAffineMap map);

#endif
