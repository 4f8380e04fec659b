// The table of operand.h, and operands that pass through registers.
#include "lowering/tile_to_gpu/operand.h"

#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/tile_to_gpu/values.h"

MlirOperation strata_operand_load(const strata_shared_operand_t *operand) {
  MlirOperation op = strata_def(operand->value);
  return !mlirOperationIsNull(op) && strata_tile_is_load(op) ? op : (MlirOperation){0};
}

strata_status_t strata_operand_find_source(strata_gpu_distribution_t *d, strata_shared_operand_t *operand,
                                           const strata_operand_terms_t *terms) {
  static const strata_source_t sources[] = {
#define SOURCE(name, by, ...) {#name, STRATA_FILLED_BY_##by, __VA_ARGS__},
#include "lowering/tile_to_gpu/operands.def"
  };
  bool takes = false;
  for (size_t i = 0; !takes; i++) { // the last takes all
    operand->source = &sources[i];
    STRATA_TRY(sources[i].takes(d, operand, terms, &takes));
  }
  return NULL;
}

STRATA_SOURCE_TAKES(strata_registers_take) {
  (void)d, (void)operand, (void)terms;
  *out_takes = true;
  return NULL;
}

// What it is made of has been computed.
STRATA_SOURCE_FILL(strata_registers_fill) {
  strata_registers_t registers;
  STRATA_TRY(strata_registers_as(d, operand->value, &operand->load, &registers));
  registers = strata_operand_rounded(d, to->mma, &registers);
  return strata_operand_store(d, operand, to->slot, &registers);
}
