// How a product on a cpu is cut into tasks, and which operands those pack: what its lowering carries out, and what
// candidates differ in.
//
// A task does a run of tiles of rows by a run of tiles of columns, the rows outside: a run of the columns' operand
// passes by once a tile of rows, and should stay in the second-level cache meanwhile.
#ifndef STRATA_PASSES_AFFINE_PRODUCT_TASKS_H
#define STRATA_PASSES_AFFINE_PRODUCT_TASKS_H

#include "dialects/affine/contraction.h"
#include "dialects/affine/schedule.h"

// By side, STRATA_SIDE_U and STRATA_SIDE_V.
typedef struct {
  int64_t extents[2], tile[2]; // of the tiled dims, likely ones where they vary
  bool is_packed[2];           // into the task's scratch
  int64_t element_cost[2];     // of an element that a task reads, in reads
  int64_t n_reduced;
  int64_t pieces; // that rows and columns are to be cut into, at least
  int64_t l2_bytes;
} strata_product_tasks_t;

// The side's extent, a likely one where it varies.
int64_t strata_product_extent(const strata_contraction_kernel_t *c, int side);

// |c| as it is carried out: with the panels that it reads. A task packs what is computed, guarded or not contiguous as
// its side needs, and the rows' operand also where the schedule says so.
strata_product_tasks_t strata_product_tasks(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule,
                                            int64_t l2_bytes);

// The runs of tiles of each side: the schedule's, or those by which the sides are read, and where need be packed, as
// few times as possible.
void strata_product_runs(const strata_product_tasks_t *tasks, const strata_schedule_t *schedule, int64_t *out_runs);

// True if the columns' operand, which is read as it lies or packed by tasks, is better packed once, by a kernel of its
// own: many rows pass by, or several tasks would pack the same where the runs are the model's.
enum { STRATA_PRODUCT_MIN_REUSE = 512 }; // rows
bool strata_product_wants_panels(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule,
                                 int64_t l2_bytes);

// So many runs as cutting the side's tiles into |wanted| makes: all but the last have equally many.
int64_t strata_product_n_runs(const strata_product_tasks_t *tasks, int side, int64_t wanted);

#endif
