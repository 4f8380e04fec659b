// The loop around a contraction: what its forms share. Internal to contract_loop.c, which says what it is, and
// contract_ahead.c.
#ifndef STRATA_LOWERING_TILE_TO_GPU_CONTRACT_LOOP_H
#define STRATA_LOWERING_TILE_TO_GPU_CONTRACT_LOOP_H

#include "lowering/tile_to_gpu/operand.h"
#include "lowering/tile_to_gpu/values.h"

enum { STRATA_PIPELINE_PRODUCTS = 2 };

typedef struct {
  strata_gpu_distribution_t *d;
  MlirOperation loop, contracts[STRATA_PIPELINE_PRODUCTS];
  MlirBlock body;
  strata_size_t n_steps;
  int n_products; // 2 of a pair, which share the left operand
  strata_product_t products[STRATA_PIPELINE_PRODUCTS];
  int64_t n_slots;
  STRATA_VECTOR(MlirOperation) loads;      // of the body, in order, and index values
  STRATA_VECTOR(MlirOperation) arithmetic; // the rest
  int64_t n_sums, n_ahead;                 // values; ahead: fragments
  STRATA_VECTOR(MlirValue) state;          // sums, fragments read ahead, then what was loaded, packed
} strata_pipeline_t;

MlirValue strata_pipeline_slot(const strata_pipeline_t *p, MlirValue step);

// Registers, of 4 bytes, of what a thread loads of a step.
int64_t strata_pipeline_loaded(const strata_pipeline_t *p);
// Loads of step |step|; the state keeps its sums and fragments, and gets what was loaded.
STRATA_MUST_CHECK strata_status_t strata_pipeline_load(strata_pipeline_t *p, MlirValue step);
// Computes the operands of step |step| from what was loaded and puts them into |slot|.
STRATA_MUST_CHECK strata_status_t strata_pipeline_store(strata_pipeline_t *p, MlirValue step, MlirValue slot);

// True if operand |side| is copied, which threads need not carry out; if one of them is.
bool strata_pipeline_copies(const strata_pipeline_t *p, int side);
bool strata_pipeline_has_copies(const strata_pipeline_t *p);
// Begins the copies of step |step|; of zeros, if |exists| is there and false.
STRATA_MUST_CHECK strata_status_t strata_pipeline_copy(strata_pipeline_t *p, MlirValue step, MlirValue slot,
                                                       MlirValue exists);
// Copies of the first |count| steps; every step has a group, be it empty.
STRATA_MUST_CHECK strata_status_t strata_pipeline_first_copies(strata_pipeline_t *p, int64_t count);
// Ends a step's group; waits for those of all steps but the |behind| begun last.
void strata_pipeline_commit(strata_pipeline_t *p);
void strata_pipeline_wait(strata_pipeline_t *p, int64_t behind);

// The forms of contract_ahead.c: if the loop has one of them, and the loop, whose sums' starts and slots are there.
bool strata_pipeline_reads_ahead(const strata_pipeline_t *p);
STRATA_MUST_CHECK strata_status_t strata_pipeline_ahead(strata_pipeline_t *p);

#endif
