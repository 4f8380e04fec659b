// Under which conditions a register is loaded or stored: its elements exist, lie inside the buffer and the mask, and of
// copies the first is meant. Each is a bound on an expression over thread, task and counters.
#ifndef STRATA_LOWERING_TILE_TO_GPU_CONDITIONS_H
#define STRATA_LOWERING_TILE_TO_GPU_CONDITIONS_H

#include "lowering/tile_to_gpu/access.h"

enum { STRATA_MAX_CONDITIONS = 24 };

// expr >= bound, or expr <= bound; |expr| has no constant term.
typedef struct {
  MlirAffineExpr expr;
  int64_t bound;
  bool is_upper;
} strata_condition_t;

typedef struct {
  MlirAffineExpr base; // of the position
  int64_t offset;
  int n_conditions;
  strata_condition_t conditions[STRATA_MAX_CONDITIONS];
  bool is_never, is_done;
  int64_t same; // an earlier register at the same place under the same conditions, or the register itself
} strata_item_t;

// Adds the conditions of register |reg| of |shape| to |item|.
void strata_conditions_collect(const strata_transfer_t *transfer, const strata_registers_t *shape, int64_t reg,
                               bool is_store, strata_item_t *item);
bool strata_conditions_equal(const strata_item_t *a, const strata_item_t *b);

#endif
