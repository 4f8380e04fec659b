// Matrix instructions: rows of devices/gpu/mma.def.
//
// An instruction multiplies m x k by k x n elements; the threads of a warp hold fragments of the operands and of the
// sum, as the instruction's layout says.
#ifndef STRATA_DEVICES_GPU_MMA_H
#define STRATA_DEVICES_GPU_MMA_H

#include "devices/gpu/device.h"

#include <mlir-c/IR.h>

enum { STRATA_MMA_DIGITS = 2 };

// As strata_digit_t of lowering/tile_to_gpu/layout.h; an extent of 0 ends a list.
typedef struct {
  int dim;
  int64_t extent, stride;
} strata_mma_digit_t;

typedef struct {
  strata_mma_digit_t reg[STRATA_MMA_DIGITS + 1], thread[STRATA_MMA_DIGITS + 1];
} strata_mma_fragment_t;

typedef struct {
  int lanes;
  int runs;          // of the reduction: strides of operands along it are in runs
  bool has_matrices; // tile.load_matrices brings fragments
  strata_mma_fragment_t operands[2], sum;
} strata_mma_layout_t;

typedef struct {
  const char *name;        // as the schedule's mma and tile.mma's kind spell it
  const char *family;      // the devices that have it: strata_gpu_device_t's mma or mma_async; "|" separates several
  const char *operands[2]; // element types, left and right, as MLIR spells them; tf32: f32 that is rounded
  const char *sum;
  int m, n, k;                       // n: 0 where it is chosen
  const strata_mma_layout_t *layout; // of no lanes where operands lie in shared memory
  int cycles;                        // of a processor, from one to the next
} strata_mma_t;

// The device's instruction on a left and a right operand of these types, bytes without a sign being ui8, summed in
// |sum|; NULL if it has none. Those of f32 that round it only if that |may_round|. Static.
const strata_mma_t *strata_mma_find(const strata_gpu_device_t *device, MlirType left, MlirType right, MlirType sum,
                                    bool may_round);
// The same of those that read operands from shared memory.
const strata_mma_t *strata_mma_find_async(const strata_gpu_device_t *device, MlirType left, MlirType right,
                                          MlirType sum, bool may_round);
// The row of the same family on the operands of |mma| the other way round; NULL if there is none. Static.
const strata_mma_t *strata_mma_swapped(const strata_mma_t *mma);
// The device's next one on the types of |mma|, of another shape; NULL if there is none.
const strata_mma_t *strata_mma_next(const strata_gpu_device_t *device, const strata_mma_t *mma);
// The row of that name; NULL if there is none.
const strata_mma_t *strata_mma_named(MlirStringRef name);
// The first one that takes scales, of an operand of |type| on either side and blocks of |block| elements; NULL if the
// device has none.
const strata_mma_t *strata_mma_find_scaled(const strata_gpu_device_t *device, MlirType type, MlirType sum,
                                           int64_t block);
// Elements along the reduction that have a scale; 0: it takes none.
int64_t strata_mma_scale_block(const strata_mma_t *mma);
// True if tile.load_crossed brings the fragments of its operands that lie across the reduction.
bool strata_mma_loads_crossed(const strata_mma_t *mma);
// True if devices of |family| have tile.load_crossed.
bool strata_mma_family_loads_crossed(const char *family);
// The same of tile.load_turned, which brings such operands as if they lay along the reduction.
bool strata_mma_loads_turned(const strata_mma_t *mma);
bool strata_mma_family_loads_turned(const char *family);
// True if devices of |family| have it.
bool strata_mma_is_of(const strata_mma_t *mma, const char *family);
// True if it does not read all bits of its operands' elements, to which they are to be rounded.
bool strata_mma_rounds(const strata_mma_t *mma);

// Elements of operand |side|'s fragment that a thread has, and those along the reduction that are neighbours.
int64_t strata_mma_elements(const strata_mma_t *mma, int side);
int64_t strata_mma_run(const strata_mma_t *mma);
// How many instructions one after the other along the reduction have their fragments beside one another, so that a
// thread reads 16 bytes at once.
int64_t strata_mma_together(const strata_mma_t *mma, int64_t element_bytes);

// Registers of a thread that hold the fragments of |rows| x |steps| of a left operand; the most that are worth it where
// a loop multiplies it in every iteration: others are read from shared memory again.
int64_t strata_mma_left_registers(const strata_mma_t *mma, int64_t rows, int64_t steps, int64_t element_bytes);
enum { STRATA_MMA_HELD = 32 };

// 32-bit words of a fragment of mma.sync's left operand, the right one and the sum that a thread holds.
enum { STRATA_MMA_WORDS_A = 4, STRATA_MMA_WORDS_B = 2, STRATA_MMA_WORDS_C = 4 };

#endif
