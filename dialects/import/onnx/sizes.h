// The importer's symbols: names of dimensions, those that the graph makes equal, and values that are sizes.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_SIZES_H
#define STRATA_DIALECTS_IMPORT_ONNX_SIZES_H

#include "dialects/import/onnx/importer.h"

// The dimension that the model calls |name|: an expression of names, or a name that --dim may give a size, a range, or
// nothing. An error where --dim and the model contradict one another.
STRATA_MUST_CHECK strata_status_t onnx_named_dim(onnx_importer_t *importer, const char *name, strata_dim_t *out);

// An error where --dim says more than a model that a front end made allows.
STRATA_MUST_CHECK strata_status_t onnx_check_given_dims(const onnx_importer_t *importer);

// A dim, or a value's dims, with what is known of the symbols by now.
strata_dim_t onnx_resolve(const onnx_importer_t *importer, strata_dim_t dim);

// Makes two dims one, from here on and in all that is built. False where they cannot be equal, or nothing can make them
// so.
bool onnx_unify(onnx_importer_t *importer, strata_dim_t a, strata_dim_t b);

// Quotients that are known to be numbers become them in what was built since they are known.
void onnx_fold_quotients(onnx_importer_t *importer);

// Narrows the range of the one symbol that |dim| is made of, so that the dim is at least |min| and at most |max|. False
// where it cannot be, or more than one symbol decides.
bool onnx_narrow(onnx_importer_t *importer, strata_dim_t dim, int64_t min, int64_t max);

// Makes it a condition that a - b is at least |min| and at most |max|, by a smaller range of a symbol or else one that
// every call is checked for. False if it cannot be so. Of sizes that depend on data it is taken to be so.
bool onnx_require(onnx_importer_t *importer, strata_dim_t a, strata_dim_t b, int64_t min, int64_t max);

// What a size that data decide is taken to be at most, where --bound says nothing (docs/sizes.md).
enum { ONNX_ASSUMED_BOUND = 1024 };

// At the end: of each size with such a bound a result must say how large it is, else it is a problem.
void onnx_settle_bounds(onnx_importer_t *importer, size_t n_results, const MlirValue *results);

// At the end, when @main is in the module: the symbols that are left, in their order, become an attribute of it.
STRATA_MUST_CHECK strata_status_t onnx_settle_symbols(onnx_importer_t *importer);

#endif
