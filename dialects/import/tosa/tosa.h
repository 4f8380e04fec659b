// Inside the reader of TOSA (ops.def): what its readers share.
#ifndef STRATA_DIALECTS_IMPORT_TOSA_H
#define STRATA_DIALECTS_IMPORT_TOSA_H

#include "dialects/import/tir/tir.h"

#define TOSA_OP(name, reader, ...) void reader(tir_op_t *o);
#define TOSA_MISSING(name, reason)
#include "dialects/import/tosa/ops.def"

// Whether an attribute of the dialect, #tosa.nan_mode<IGNORE>, is this word.
bool tosa_says(const tir_op_t *o, const char *attr, const char *word);
bool tosa_is_float(strata_dtype_t dtype);
bool tosa_is_integer(strata_dtype_t dtype);

// Operand |i|, a zero point of one element, as a scalar; NULL if it is known to be 0, or not there.
const char *tosa_zero_point(tir_op_t *o, int i);
// Operand |i| as |dtype|, less the zero point that operand |zero_point| is.
const char *tosa_centered(tir_op_t *o, int i, int zero_point, strata_dtype_t dtype);
// Integers of i64 as |dtype|, after those that it lacks have become the nearest that it has.
const char *tosa_saturated(tir_op_t *o, const char *value, strata_dtype_t dtype);
// |value|, i64, times |multiplier| / 2^|shift|, rounded as the mode says.
const char *tosa_scaled(tir_op_t *o, const char *value, const char *multiplier, const char *shift, bool is_double);

#endif
