// The symbols of a module: the sizes that are known only when the library runs, and what is made of them that no affine
// expression says. @main has them as strata.symbols, in the order of the library's arguments:
//
//   strata.symbols = [{likely = [1, 8], max = 2147483647, min = 1, multiple = 1, name = "batch"},
//                     {lhs = affine_map<()[s0] -> (s0)>, max = 512, min = 1, multiple = 1, name = "min(batch, 512)",
//                      op = "min", rhs = affine_map<() -> (512)>}]
//
// Symbol i of every type and map of every level is entry i. Those with an op are derived: computed from those in front
// of them. Those of the "real_…" ops compute with floats, by their bits. One of the op "check" says what else must be
// true: lhs - rhs is in its range. The given ones come first; they are what a call is given. A module without the
// attribute is static.
#ifndef STRATA_DIALECTS_SYMBOLS_H
#define STRATA_DIALECTS_SYMBOLS_H

#include "dialects/compile.h"
#include "runtime/base/real.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

#define STRATA_SYMBOLS "strata.symbols"

typedef enum {
  STRATA_SYMBOL_GIVEN, // by the caller of the library
  STRATA_SYMBOL_MAX,
  STRATA_SYMBOL_MIN,
  STRATA_SYMBOL_FLOORDIV, // rounded down
  STRATA_SYMBOL_MOD,      // what that leaves
  STRATA_SYMBOL_REAL,     // the first of the operations of runtime/base/real.h, in their order
  STRATA_SYMBOL_REAL_LAST = STRATA_SYMBOL_REAL + STRATA_REAL_RINT,
  STRATA_SYMBOL_CHECK,   // the difference: its range is a condition of the sizes given, and nothing has its value
  STRATA_SYMBOL_COUNTED, // by the library, from data: at most lhs; front ends' alone (dialects/strata/counted.h)
} strata_symbol_op_t;

static inline bool strata_symbol_op_is_real(strata_symbol_op_t op, strata_real_op_t *out) {
  *out = (strata_real_op_t)(op - STRATA_SYMBOL_REAL);
  return op >= STRATA_SYMBOL_REAL && op <= STRATA_SYMBOL_REAL_LAST;
}

enum { STRATA_MAX_LIKELY = 8 };

typedef struct {
  const char *name;
  strata_symbol_op_t op;
  MlirAffineExpr lhs, rhs; // of a derived one
  int64_t min, max, multiple;
  int n_likely;
  int64_t likely[STRATA_MAX_LIKELY]; // sizes to be fastest at
} strata_symbol_t;

typedef struct {
  STRATA_VECTOR(strata_symbol_t) list;
} strata_symbols_t;

//===-- The table ------------------------------------------------------------------------------------------------===//

// Those of @main; none where there is no attribute. What an entry does not say of its range is as if nothing were
// known; INVALID_ARGUMENT where one is malformed.
STRATA_MUST_CHECK strata_status_t strata_symbols_read(strata_arena_t *arena, MlirModule module, strata_symbols_t *out);
// Gives @main these; no attribute where there are none.
void strata_symbols_write(MlirModule module, const strata_symbols_t *symbols);
MlirAttribute strata_symbols_attr(MlirContext context, const strata_symbols_t *symbols);
bool strata_module_is_symbolic(MlirModule module);
const char *strata_symbol_op_name(strata_symbol_op_t op); // "max"
// How many are given.
size_t strata_symbols_given(const strata_symbols_t *symbols);

// The value of a derived one, given those in front of it; false if it has none in 64 bits.
bool strata_symbol_derive(const strata_symbol_t *symbol, const int64_t *values, int64_t *out);
// Fills the derived ones of |values|, one a symbol, from the given ones; false if one has no value in 64 bits, or none
// in its range.
bool strata_symbols_evaluate(const strata_symbols_t *symbols, int64_t *values);

//===-- Expressions over symbols ---------------------------------------------------------------------------------===//

// With the symbols' names, as a person reads it: "past + 1"; in the arena.
const char *strata_symbols_text(strata_arena_t *arena, const strata_symbols_t *symbols, MlirAffineExpr expr);
// The value of |expr|, which has no dims; false if it has none in 64 bits.
bool strata_expr_evaluate(MlirAffineExpr expr, const int64_t *values, int64_t *out);
// One more than the highest symbol of |expr|.
int strata_expr_symbols(MlirAffineExpr expr);
// Marks the symbols of |expr| that are below |capacity|.
void strata_expr_use_symbols(MlirAffineExpr expr, int capacity, bool *used);
// The expressions as a map of no dims and of as many symbols as they need, so that equal lists are equal maps.
MlirAffineMap strata_exprs_map(MlirContext context, int count, const MlirAffineExpr *exprs);
// The next multiple of |multiple|.
MlirAffineExpr strata_round_up_expr(MlirAffineExpr expr, int64_t multiple);
// True if |expr| is at least 0 whatever the symbols are; false also where that is not known.
bool strata_expr_is_never_negative(const strata_symbols_t *symbols, MlirAffineExpr expr);

//===-- Types ----------------------------------------------------------------------------------------------------===//

// The sizes of a ranked tensor, its encoding, or of a memref, in its memory space {sizes = affine_map<…>}, of which
// some vary: a result a dim. The null map where there is none such.
MlirAffineMap strata_type_sizes(MlirType type);
// The size of a dim; null where it is missing.
MlirAffineExpr strata_type_dim(MlirType type, intptr_t dim);
bool strata_type_is_symbolic(MlirType type);

#endif
