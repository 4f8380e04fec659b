// Pipelined products on multiply-adds: what differs from those on matrix instructions.
//
// A slot holds steps of both operands as the copy engine leaves them, [step][row]: threads read 16 bytes of
// neighbouring rows at once, without conflicts, and nothing but these reads and the multiply-adds is left to the
// consumers' warps.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

enum { MIN_ROWS = 16, MIN_COLUMNS = 32 };

// The layouts of the sum and the operands' fragments; false if no tile of |warps| is possible.
static bool find_layouts(strata_pipelined_t *p, const int64_t *warps) {
  static const int64_t least[2] = {MIN_ROWS, MIN_COLUMNS};
  strata_product_t product = {.warps = {warps[0], warps[1]}, .split = 1, .sum = p->sum};
  for (int side = 0; side < 2; side++) {
    product.operands[side] = p->operands[side].shared;
    product.warp_tile[side] = product.operands[side].rows / warps[side];
    if (!strata_is_power_of_two(warps[side]) || !strata_is_power_of_two(product.warp_tile[side]) ||
        product.warp_tile[side] < least[side] || !strata_is_power_of_two(product.operands[side].steps) ||
        product.operands[side].steps != product.operands[0].steps)
      return false;
  }
  strata_product_fma_layouts(&product);
  p->layout = product.partial;
  for (int side = 0; side < 2; side++)
    p->operands[side].shared.fragment = product.operands[side].fragment;
  return true;
}

strata_operand_terms_t strata_fma_terms(MlirType type, bool left) {
  (void)type, (void)left;
  return (strata_operand_terms_t){.has_boxes = true, .is_dense = true};
}

// Multiply-adds take all of their operands in bulk, as they lie in memory.
strata_status_t strata_fma_finish(strata_gpu_distribution_t *d, MlirOperation op, const strata_schedule_t *schedule,
                                  strata_pipelined_t *p) {
  STRATA_TRY(strata_pipelined_check(d, op, p));
  if (schedule->producers != STRATA_GROUP_THREADS || schedule->threads % STRATA_GROUP_THREADS != 0 ||
      schedule->group != schedule->threads || p->swap ||
      32 * schedule->warps[0] * schedule->warps[1] != schedule->threads)
    return strata_gpu_missing(op, "a schedule whose threads are not warp groups");
  if (!strata_pipelined_is_bulk(p))
    return strata_gpu_missing(op, "multiply-adds of operands that do not come in bulk");
  if (!find_layouts(p, schedule->warps))
    return strata_gpu_missing(op, "a tile that is no power of two or too small");
  return NULL;
}

int64_t strata_fma_releases(const strata_pipelined_t *p) { return p->groups * STRATA_GROUP_THREADS; }

// Each thread that has read the slot arrives.
void strata_fma_multiply(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, MlirValue slot, MlirValue step,
                         MlirValue *sums) {
  (void)step;
  const strata_pipelined_t *p = &k->product;
  strata_product_t product = {.split = 1, .sum = p->sum, .operands = {p->operands[0].shared, p->operands[1].shared}};
  strata_product_emit(d, &product, slot, sums);
  strata_emit_fence(d, "shared");
  strata_phase_arrive(d, k->ring.empty, slot);
}
