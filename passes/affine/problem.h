// A contraction as a product of matrices: what the ways of carrying it out on a GPU look at. Internal to
// affine-schedule and affine-split-reductions.
#ifndef STRATA_PASSES_AFFINE_PROBLEM_H
#define STRATA_PASSES_AFFINE_PROBLEM_H

#include "devices/gpu/mma.h"
#include "passes/affine/parallel.h"
#include "passes/affine/schedule_gpu.h"

#include <mlir-c/BuiltinTypes.h>

typedef struct {
  int n_dims;                    // of extent > 1, the last changing fastest
  int64_t dims[STRATA_MAX_DIMS]; // of one that varies a number that divides it
} strata_problem_axis_t;

typedef struct {
  bool is_read;         // what is multiplied is read as it is, from a place and with strides that the copy engine takes
  bool is_crossed;      // and lies contiguous along the side's own dims, not along the reduction
  bool is_along;        // lies contiguous along the reduction
  bool has_own_steps;   // its place along the reduction depends on nothing else: behind the end there is nothing
  bool begins_rows;     // nor in front of it: the reduction begins where the buffer's dim does
  bool has_window;      // or it is read by windows that move over pixels, channels innermost: one copy a step
  bool splits_lines;    // its rows begin within lines of the second-level cache
  bool straddles;       // and within sectors
  bool may_alternate;   // of the left side: every second row begins with a sector, and a tile may take those alone
  int64_t row_bytes;    // of what lies side by side in it
  int64_t loaded_bytes; // of an element in memory
  bool is_shifted;      // a matrix whose rows begin anywhere: threads load words on either side and shift them
  bool is_wide;         // reads take 16 bytes at once, which go to shared memory together
  bool is_staged;       // its dims are one in memory, and the reduction's too (stage.h)
  bool is_stageable;    // a kernel in front could make it so, crossed or not
  bool is_staged_crossed;
  bool is_scaled; // by a byte for every STRATA_SCALED_BLOCK elements along the reduction, which comes beside it
  int64_t packed_row_bytes; // of 64 steps of weights that threads unpack, as the left operand (packed.h); 0: of others
  int64_t staged_row_bytes;
  double staging_seconds;
} strata_problem_side_t;

// Where sizes vary the numbers are those of one point of them, what is likely if nothing else is said.
typedef struct strata_problem {
  int64_t rows, columns, steps, batch;
  const strata_gpu_costs_t *costs; // of the device
  const strata_mma_t *mma;         // the device's instruction on registers; NULL: multiply-adds
  const strata_mma_t *async;       // the one whose operands lie in shared memory; NULL: none
  bool bulk_adds;                  // multiply-adds of f32, on a device whose copy engine may bring crossed operands
  int64_t operand_bytes;           // of an element in shared memory
  int64_t loaded_bytes;            // of an element of the wider operand in memory
  int64_t sum_bytes, stored_bytes;
  bool shares_launch; // with other products
  int64_t n_calls;    // then: those that are one in |batch|
  int64_t n_operands; // then: matrices of theirs that no product in front of it in the launch reads
  double spared;      // then: bytes of |traffic| that lie beside its results or that others in the launch have read
  // Then, and where its size varies: what its results go through is much code, fetched anew for each tile behind
  // another one's.
  bool has_long_code;
  bool is_pair;       // two products of the same rows, whose columns' operands lie alike
  int row_reductions; // over the results' rows, in this kernel: tiles of a cluster's blocks are as long as a row
  double traffic;     // bytes of all buffers
  strata_problem_side_t sides[2];
  strata_problem_axis_t axes[STRATA_N_AXES];
  int64_t divisors[STRATA_N_AXES];      // of those that vary: numbers that divide them; 0: they do not
  bool varies;                          // one of them, or the batch, does
  bool has_no_steps;                    // at some sizes
  bool is_any;                          // what is chosen is for any sizes, not for some near these
  const struct strata_problem *next;    // of the same launch: its tiles follow; NULL: none
  struct strata_candidate_cache *cache; // of what is found for it; NULL: none
} strata_problem_t;

static inline MlirType strata_problem_element(MlirValue buffer) {
  return mlirShapedTypeGetElementType(mlirValueGetType(buffer));
}

// Of a nest of @main, not yet a kernel, where the question's |called| is NULL.
strata_problem_t strata_problem_read(const strata_gpu_contraction_t *question);

// A product and what it was read from.
typedef struct {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  strata_gpu_contraction_t question; // about that
  strata_problem_t problem;
} strata_problem_reading_t;

// The product that out->kernel is, or the function |called|; what else is asked about is |like|'s. False if it is none.
bool strata_problem_of_kernel(const strata_gpu_contraction_t *like, strata_problem_reading_t *out);
STRATA_MUST_CHECK strata_status_t strata_problem_of_called(const strata_gpu_contraction_t *like,
                                                           const strata_called_kernel_t *called,
                                                           strata_problem_reading_t *out, bool *out_is_one);

// True if the axis is a multiple of |n| whatever the sizes are.
bool strata_problem_is_multiple(const strata_problem_t *problem, int axis, int64_t n);

// Of the results along |side|.
int64_t strata_problem_extent(const strata_problem_t *problem, int side);
// Of both operands in memory.
double strata_problem_operand_bytes(const strata_problem_t *problem);

// True if tiles are worth their while: of other products, of few rows or columns, each result is summed up like a row.
// For that both operands should lie along the reduction, and the larger one be found in the second-level cache when the
// next result reads it again; of long ones of which that is not so a tile reads whole lines, once.
bool strata_problem_has_tiles(const strata_gpu_device_t *device, const strata_problem_t *problem);
// True of a pair each result of which is summed up like a row: one without such tiles, unless it may be pipelined.
bool strata_problem_is_rows(const strata_gpu_device_t *device, const strata_problem_t *pair);

// The problem of one part where the reduction is done in |parts| parts side by side, whose sums are stored.
strata_problem_t strata_problem_part(const strata_problem_t *problem, int64_t parts);
// The model's time of the best way; infinite where there is none.
double strata_problem_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem);
// The same without kernels that stage operands.
double strata_problem_unstaged_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem);

// True if |side|, of f32 contiguous along its own dims, comes in bulk as the instruction's left operand alone: threads
// take that from shared memory themselves, across.
bool strata_problem_is_left_alone(const strata_problem_t *problem, int side);

// True if an operand is read by windows.
bool strata_problem_has_window(const strata_problem_t *problem);

// True if rows of an operand begin within lines of the second-level cache, so that pieces of them take two requests.
// The blocks of a cluster had better share such operands; others they need not.
// Whether the copy engine takes a part of a tile's pixels at once, by windows, is known only when its tasks are.
bool strata_problem_has_slow_rows(const strata_problem_t *problem);
// True if the result's rows begin at multiples of 16 bytes.
bool strata_problem_stores_vectors(const strata_problem_t *problem);
// True if the blocks of a product alone come to be at different steps of their tiles, as they store rows that begin
// anywhere, for as long as that takes them, between tiles.
bool strata_problem_takes_blocks_apart(const strata_problem_t *problem);

// True if slots of |tile|, [rows, columns, step], are alike for both, and filled alike.
bool strata_problem_fills_alike(const strata_problem_t *a, const strata_problem_t *b, const int64_t *tile);

// How many of the runtime's maps the copy engine needs to store tiles of |columns| columns, elements of |bytes|.
int64_t strata_problem_store_maps(int64_t columns, int64_t bytes);
// The same of all that the product |func| stores.
int64_t strata_problem_stored_maps(MlirOperation func, int64_t columns);

// Bytes of the buffers that the product |func| stores, that lie beside its own results there.
double strata_problem_stored_beside(MlirOperation func, const strata_problem_t *problem);

// How many boxes of the buffer a tile of |side| is that is |tile| long along its rows (columns) and |step| along the
// reduction: the copy engine fetches each at once. 0: it cannot.
int64_t strata_problem_boxes(const strata_problem_t *problem, int side, int64_t tile, int64_t step);

//===-- Tiles staged by the threads that multiply them (schedule_tiled.c) ----------------------------------------===//

// What a product of a known schedule adds to a launch.
typedef struct {
  double tiles;
  int64_t threads, resident_threads; // of a block, of a processor
  int64_t shared_bytes, sum_bytes;   // of a tile; of its results
  double work, wait;                 // seconds that a tile takes of its processor, and until it is done
  double memory, launch;             // seconds
} strata_tiled_load_t;

// False where |schedule| is none of the candidates.
bool strata_tiled_load(const strata_gpu_device_t *device, const strata_problem_t *problem,
                       const strata_schedule_t *schedule, strata_tiled_load_t *out);
// The model's time of products of one launch, each with its schedule: blocks have the threads of the largest, and
// several tiles of a smaller one. Infinite where shared memory does not suffice.
double strata_tiled_together(const strata_gpu_device_t *device, const strata_tiled_load_t *loads, int n);
// The least of these times that a launch of |n| products can have of which |problem| is the one at |at|, and that of
// |alone| launches of it with nothing else; its schedule there. loads[at] becomes its load. Infinite where no schedule
// has room: nothing changes.
double strata_tiled_suited(const strata_gpu_device_t *device, const strata_problem_t *problem, double alone,
                           strata_tiled_load_t *loads, int n, int at, strata_schedule_t *out_schedule);

//===-- Products of one launch (schedule_together.c) -------------------------------------------------------------===//

typedef struct {
  int n_products;
  int64_t n_calls;
  strata_problem_t products[STRATA_MAX_TOGETHER];
  double seconds, apart; // of the launch; of the calls on their own
  strata_parallel_operands_t operands;
} strata_together_t;

// Those of the launch that |question->called| leads, |product| among them, that the model finds faster together; the
// others leave it. One call alone is |product|.
STRATA_MUST_CHECK strata_status_t strata_together_choose(const strata_gpu_contraction_t *question,
                                                         const strata_problem_t *product, strata_together_t *out);
// Whether the launch that |question->called| leads, of all its products with |product| as it is, takes less time by the
// model than |product| by itself in |alone| seconds and a launch of the others.
STRATA_MUST_CHECK strata_status_t strata_together_beats(const strata_gpu_contraction_t *question,
                                                        const strata_problem_t *product, double alone, bool *out_beats);
// The products of a launch that is settled, as its calls have them, where the symbols have |values|; NULL: at likely
// sizes, or none vary. |question->called| is any of them; *out_is_one is false where one is no product that can share a
// launch.
STRATA_MUST_CHECK strata_status_t strata_together_read(const strata_gpu_contraction_t *question,
                                                       const strata_parallel_member_t *members, int n,
                                                       const int64_t *values, strata_together_t *out, bool *out_is_one);
// The products as a list; valid as long as |together| stays where it is.
const strata_problem_t *strata_together_first(strata_together_t *together);

#endif
