// What is fetched a task ahead, for rows_ahead.c: each task's operands come to shared memory, and from there to
// registers.
#ifndef STRATA_LOWERING_TILE_TO_GPU_ROWS_FETCH_H
#define STRATA_LOWERING_TILE_TO_GPU_ROWS_FETCH_H

#include "lowering/tile_to_gpu/bulk.h"
#include "lowering/tile_to_gpu/ring.h"

// A tile.load that is fetched ahead: |width| registers, |step| apart, are a piece.
typedef struct {
  MlirOperation op;
  int64_t at;       // in shared memory, of the block's first team
  MlirValue memory; // of the running team
  strata_registers_t loaded;
  int64_t width, step;
  int64_t exchange; // number of the conversion to the value's layout; 0: none through shared memory
  int64_t n_bulks;  // sets of boxes of all rows: 1, or one for each of a square's columns; 0: it does not come so
  strata_bulk_t *bulks;
} strata_fetched_t;

typedef struct strata_rows_ahead {
  strata_gpu_distribution_t *d;
  STRATA_VECTOR(strata_fetched_t) fetched;
  STRATA_VECTOR(MlirOperation) shared; // ops of all tasks
  int64_t barriers_at;                 // like a load's ->at and ->memory
  strata_ring_t ring;                  // of one slot, the running team's: what comes in bulk
  strata_ring_place_t place;           // of the running task
  int64_t bulk_bytes;                  // of a task; 0: nothing does
  bool arrives;                        // warps release the slot, instead of waiting for one another
  MlirValue end;                       // behind the block's last task
} strata_rows_ahead_t;

// Takes note of |op|, a tile.load, if it can be fetched ahead.
STRATA_MUST_CHECK strata_status_t strata_rows_note(strata_rows_ahead_t *a, MlirOperation op);
// Of all that were noted: how they come; the first tasks of all teams.
void strata_rows_fetch_begin(strata_rows_ahead_t *a);
STRATA_MUST_CHECK strata_status_t strata_rows_fetch_first(strata_rows_ahead_t *a);
// The team's next task, when all threads have read what the last task's copies brought in bulk, or will release it.
STRATA_MUST_CHECK strata_status_t strata_rows_fetch_next(strata_rows_ahead_t *a);
// The running task's, to registers, when they have come.
STRATA_MUST_CHECK strata_status_t strata_rows_receive(strata_rows_ahead_t *a);
// From a task of a team to its next.
int64_t strata_rows_stride(const strata_gpu_distribution_t *d);

#endif
