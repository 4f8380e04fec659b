// How a kernel is carried out: the dictionary strata.schedule of its function as a record. docs/architecture.md (cpu)
// and docs/gpu.md give the meaning of the keys.
#ifndef STRATA_DIALECTS_AFFINE_SCHEDULE_H
#define STRATA_DIALECTS_AFFINE_SCHEDULE_H

#include "dialects/compile.h"

enum { STRATA_SCHEDULE_TILE = 3 };

typedef struct {
  const char *kind;       // "scalar", "map", "rows", "contract", "attention"; static
  int64_t threads, group; // of a block; that carry out one task together. 0: not a GPU's schedule
  int n_tile;
  int64_t tile[STRATA_SCHEDULE_TILE];
  int64_t warps[2];  // rows, columns of warps; 0: not given
  MlirStringRef mma; // the matrix instruction; empty: none
  int64_t producers; // threads behind |threads| that fetch operands; 0: no pipelined product
  int64_t slots;     // of a pipelined product's ring
  int64_t blocks;    // of the grid; 0: one a task
  bool swap;         // the instruction's rows are the result's columns
  int64_t parts;     // blocks of a cluster that share the reduction of their tiles; 0: each does its own tile's
  int64_t share[2];  // rows, columns of tiles whose blocks form a cluster and share operands; 0: not given
  int64_t row;       // blocks of a cluster whose tiles are a row of results together; 0: rows are not reduced, or 1
  int64_t every;     // a tile's rows are every so many of the results', beginning with its own; 0: neighbours
  int64_t stagger; // steps by which a task's reduction begins behind that of the task before; 0: all begin at the first
  bool stream;     // each block has an equal share of all tasks' steps, tasks in part among them
} strata_schedule_t;

// Missing keys are zero; a function without a schedule, or with an unknown kind, is "scalar".
strata_schedule_t strata_schedule_read(MlirOperation func);
void strata_schedule_write(MlirOperation func, const strata_schedule_t *schedule);

// True if both carry out their tasks alike: all but their slots, blocks and stagger, which are numbers in one kernel.
bool strata_schedule_is_same_tile(const strata_schedule_t *a, const strata_schedule_t *b);

// True if |key| is one of a schedule's, with a value of its type.
bool strata_schedule_has_key(MlirStringRef key, MlirAttribute value);

#endif
