// The schedules of maps, rows and scalar kernels on a GPU: rules choose one (schedule_map_gpu.c, schedule_rows_gpu.c,
// schedule_scalar_gpu.c), and a list has what is worth measuring beside it, made by the same functions. Internal to
// affine-schedule.
#ifndef STRATA_PASSES_AFFINE_GPU_FORMS_H
#define STRATA_PASSES_AFFINE_GPU_FORMS_H

#include "dialects/affine/map_kernel.h"
#include "dialects/affine/row_kernel.h"
#include "passes/affine/candidates.h"
#include "passes/affine/schedule_gpu.h"

enum {
  STRATA_ACCESS_BYTES = 16, // of one thread at once
  STRATA_THREADS = 256,     // of a block, unless it says otherwise
  STRATA_MIN_THREADS = 64,  // of a block of a small kernel
  STRATA_MAX_FORMS = 32,
};

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// Where sizes vary, costs are those of likely ones: a size, and the points of a nest's parallel dims but |but|.
int64_t strata_gpu_likely(const strata_scheduling_t *s, strata_size_t size);
int64_t strata_gpu_likely_points(const strata_scheduling_t *s, const strata_nest_t *nest, int but);
// The greatest power of two up to |width| that divides the size, whatever it is.
int64_t strata_gpu_dividing(int64_t width, strata_size_t size);
// Elements of 16 bytes of what a kernel moves most of.
int64_t strata_gpu_access_width(const strata_scheduling_t *s);
// Halves the threads of blocks while |n_tasks| are too few for all processors.
void strata_gpu_shrink_blocks(const strata_gpu_device_t *device, int64_t n_tasks, strata_schedule_t *schedule);
// By the bytes of what the kernel reads and writes.
double strata_gpu_seconds_of_bytes(const strata_scheduling_t *s);

//===-- Forms ----------------------------------------------------------------------------------------------------===//

// What is worth measuring of a kernel of known sizes. There is no model of their times: those that differ most from the
// rules' are the first.
typedef struct strata_gpu_forms {
  strata_kernel_kind_t kind;
  double points;  // of all nests
  double seconds; // of all forms
  int count;
  strata_schedule_t of[STRATA_MAX_FORMS]; // the rules' is the first
} strata_gpu_forms_t;

// |schedule|, unless it is there.
void strata_gpu_forms_add(strata_gpu_forms_t *forms, const strata_schedule_t *schedule);
// The same with other numbers of threads a block, where each group of few threads has a task.
void strata_gpu_forms_add_blocks(const strata_gpu_device_t *device, strata_gpu_forms_t *forms,
                                 const strata_schedule_t *schedule);

// The rest of what is asked of kinds.def's readers. |choose| is the rules' choice, |add| adds what else there is.
typedef strata_status_t (*strata_gpu_add_forms_t)(const strata_scheduling_t *s, strata_gpu_forms_t *forms);
STRATA_MUST_CHECK strata_status_t strata_gpu_read_forms(const strata_scheduling_t *s, strata_kernel_kind_t kind,
                                                        strata_choose_t choose, strata_gpu_add_forms_t add,
                                                        strata_work_t *out);

// Whether |status|, which it takes, says that a kernel is of a kind.
bool strata_gpu_is_taken(strata_status_t status);

//===-- Rows -----------------------------------------------------------------------------------------------------===//

// Rows of known length, or likely one, and how many there likely are.
typedef struct {
  const strata_scheduling_t *s;
  const strata_row_kernel_t *rows;
  int64_t n_rows, length;
} strata_gpu_rows_t;

// True where nests walk the row's elements one for one, and none reads from memory what another stores: then only
// reductions pass from thread to thread.
bool strata_gpu_is_plain_row(const strata_gpu_rows_t *r);
// Bytes of a row of what is read as a whole.
int64_t strata_gpu_row_bytes(const strata_gpu_rows_t *r);

// As many rows of a block as lie in one access, where something is contiguous along the rows' dim: read for one row
// alone, each element would be an access, and most of what it fetches in vain. False where there is no such thing or
// registers hold too few rows.
bool strata_gpu_schedule_crossed(const strata_gpu_rows_t *r, strata_schedule_t *out);
// |block| rows of a block of threads; false where they cannot be held. Of plain rows that are crossed.
bool strata_gpu_crossed_form(const strata_gpu_rows_t *r, int64_t block, strata_schedule_t *out);

#endif
