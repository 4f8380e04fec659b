// Inside the reader of StableHLO (ops.def): what its readers share.
#ifndef STRATA_DIALECTS_IMPORT_STABLEHLO_H
#define STRATA_DIALECTS_IMPORT_STABLEHLO_H

#include "dialects/import/tir/tir.h"

#define HLO_OP(name, reader, ...) void reader(tir_op_t *o);
#define HLO_MISSING(name, reason)
#include "dialects/import/stablehlo/ops.def"

// The word of #stablehlo<comparison_direction LT>: "LT"; "" where it is missing.
const char *hlo_word(const tir_op_t *o, const char *name);
// The text of an attribute of the dialect: "dot<lhs_contracting_dimensions = [1], ...>"; "" where it is missing.
const char *hlo_text(const tir_op_t *o, const char *name);
// The list of |field| in such a text; none where it is missing.
int hlo_field(const char *text, const char *field, int capacity, int64_t *out);

// The operation ("add") that gives result |i| of a region from elements |i| and |n| + i; "" if it is none alone.
const char *hlo_combiner(MlirBlock block, int i, int n);
bool hlo_op_is(MlirOperation op, const char *name); // "stablehlo." and |name|

// Where a dynamic_slice, or what JAX makes of it where sizes vary, begins in |dim|; null if it is something else.
MlirValue hlo_start(MlirOperation op, int dim);
bool hlo_is_whole(MlirOperation op, int dim); // the slice has all of the dim

// Whether an operation of its own stands for the composite, so that it is not inlined.
bool hlo_knows_composite(MlirOperation op);

#endif
