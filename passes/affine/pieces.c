// See pieces.h.
#include "passes/affine/pieces.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/schedule_gpu.h"

int64_t strata_piece_bytes(const strata_nest_t *nest, const strata_access_t *access, uint32_t inner) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(access->buffer));
  int64_t elements = 1, stride;
  for (int dim = 0, n = nest->n_parallel + nest->n_reduction; dim < n;) {
    bool is_next = (inner >> dim & 1) && !strata_size_is_one(nest->space.sizes[dim]) &&
                   strata_access_stride(nest, access, dim, &stride) && stride == elements;
    elements *= is_next ? strata_nest_likely_extent(nest, dim) : 1;
    inner &= is_next ? ~(1u << dim) : ~0u;
    dim = is_next ? 0 : dim + 1; // what comes next may be a dim further out
  }
  return elements * strata_type_storage_size(strata_type_from_mlir(element), 1);
}

bool strata_is_piece_short(int64_t bytes) { return bytes < STRATA_SECTOR; }

double strata_piece_traffic(int64_t bytes) {
  int64_t aligned = bytes & -bytes; // the power of two that pieces one after the other begin at multiples of
  return bytes % STRATA_SECTOR ? (double)(bytes + STRATA_SECTOR - aligned) / (double)bytes : 1;
}
