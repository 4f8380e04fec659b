// Pipelined products on multiply-adds: what differs from those on matrix instructions.
//
// A slot holds steps of both operands as the copy engine leaves them, [step][row]: threads read 16 bytes of
// neighbouring rows at once, without conflicts, and nothing but these reads and the multiply-adds is left to the
// consumers' warps.
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined.h"

enum { MIN_ROWS = 16, MIN_COLUMNS = 32 };

bool strata_pipelined_read_dense(strata_gpu_distribution_t *d, MlirType type, strata_ring_operand_t *operand) {
  strata_shared_operand_t *shared = &operand->shared;
  strata_bulk_limits_t limits = {.most = {shared->rows, shared->steps}, .span = shared->rows * shared->element_bytes};
  shared->form = STRATA_DENSE;
  operand->slot = shared->rows * shared->steps;
  bool is_read =
      shared->rows <= STRATA_BULK_EXTENT && strata_bulk_read(d, operand->load, 0, type, &limits, &operand->bulk);
  operand->bulk.is_dense = true;
  return is_read && operand->bulk.inner == 0 && operand->bulk.extents[0] == shared->rows;
}

static bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

bool strata_pipelined_fma_layouts(strata_pipelined_t *p, const int64_t *warps) {
  static const int64_t least[2] = {MIN_ROWS, MIN_COLUMNS};
  strata_product_t product = {.warps = {warps[0], warps[1]}, .split = 1, .sum = p->sum};
  for (int side = 0; side < 2; side++) {
    product.operands[side] = p->operands[side].shared;
    product.warp_tile[side] = product.operands[side].rows / warps[side];
    if (!is_power_of_two(warps[side]) || !is_power_of_two(product.warp_tile[side]) ||
        product.warp_tile[side] < least[side] || !is_power_of_two(product.operands[side].steps) ||
        product.operands[side].steps != product.operands[0].steps)
      return false;
  }
  strata_product_fma_layouts(&product);
  p->layout = product.partial;
  for (int side = 0; side < 2; side++)
    p->operands[side].shared.fragment = product.operands[side].fragment;
  return true;
}

void strata_pipelined_multiply_add(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot,
                                   MlirValue *sums) {
  const strata_pipelined_t *p = &k->product;
  strata_product_t product = {.split = 1, .sum = p->sum, .operands = {p->operands[0].shared, p->operands[1].shared}};
  strata_product_emit(d, &product, slot, sums);
  strata_phase_arrive(d, k->ring.empty, slot);
}
