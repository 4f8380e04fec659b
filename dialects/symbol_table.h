// The symbols of a module whose sizes vary: strata.symbols of @main, and what expressions over them are worth.
//
//   strata.symbols = [{name = "batch", min = 1, max = 64, multiple = 1, likely = [1, 8]},
//                     {name = "longest", op = "max", lhs = affine_map<()[s0] -> (s0)>, rhs = affine_map<() -> (8)>}]
//
// Symbol i of every map of the module is row i. Rows with an op are derived: computed from those in front of them. The
// independent ones come first; they are what a call is given. A module without the attribute is static.
#ifndef STRATA_DIALECTS_SYMBOL_TABLE_H
#define STRATA_DIALECTS_SYMBOL_TABLE_H

#include "dialects/compile.h"

#include <mlir-c/AffineExpr.h>

typedef enum {
  STRATA_SYMBOL_INDEPENDENT,
  STRATA_SYMBOL_MAX,
  STRATA_SYMBOL_MIN,
  STRATA_SYMBOL_FLOORDIV,
  STRATA_SYMBOL_MOD,
} strata_symbol_kind_t;

typedef struct {
  const char *name;
  int64_t min, max, multiple;
  size_t n_likely;
  const int64_t *likely;
  strata_symbol_kind_t kind;
  MlirAffineExpr lhs, rhs; // of a derived one
} strata_symbol_row_t;

typedef struct {
  STRATA_VECTOR(strata_symbol_row_t) rows;
  size_t n_independent;
} strata_symbol_table_t;

// None where the attribute is missing; INTERNAL where it is malformed.
STRATA_MUST_CHECK strata_status_t strata_symbol_table_read(strata_compile_t *compile, MlirOperation main,
                                                           strata_symbol_table_t *out_symbols);
// Adds the rows to @main's that it does not have yet.
void strata_symbol_table_append(strata_compile_t *compile, MlirOperation main, const strata_symbol_table_t *symbols);

// Fills the derived ones of |values|, one a symbol, from the independent ones; false if one has no value in 64 bits, or
// none in its range.
bool strata_symbol_table_derive(const strata_symbol_table_t *symbols, int64_t *values);
// The value of |expr|, which has no dims; false if it has none in 64 bits.
bool strata_expr_evaluate(MlirAffineExpr expr, const int64_t *values, int64_t *out);
// The next multiple of |multiple|.
MlirAffineExpr strata_round_up_expr(MlirAffineExpr expr, int64_t multiple);
// True if |expr| is at least 0 whatever the symbols are; false also where that is not known.
bool strata_expr_is_never_negative(const strata_symbol_table_t *symbols, MlirAffineExpr expr);

// The size of a dim of a ranked tensor or memref, whose symbolic sizes are in its encoding or in its memory space,
// {sizes = affine_map<…>}; null where it is missing.
MlirAffineExpr strata_type_dim(MlirType type, intptr_t dim);
bool strata_type_is_symbolic(MlirType type);

#endif
