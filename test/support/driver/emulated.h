// Device code of --device=emulated: a shared object of the host. For each kernel k it exports
//
//   void strata_entry_k(void *const *buffers, int64_t block, int64_t thread, void *shared)
//
// which is all that one thread of one block does. |buffers| are the kernel's parameters in order: the buffers'
// addresses, then those of the tensor maps; |shared| is the block's shared memory, strata.shared bytes, aligned to
// 1024. An absolute symbol strata_emulated_shared says how much of it the device grants a block, and another one,
// strata_emulated_lanes, how many threads a warp has, 32 or 64; without it they are 32. The driver runs each
// thread of a block as a fibre and implements the functions below, in which threads meet: the image's only undefined
// symbols besides libc's and libm's. Its loader must therefore have made them global.
//
// All threads of a warp (of a block, for the barrier) make the same calls in the same order; a call that some make and
// others do not is a fault of the kernel, which the driver reports.
#ifndef STRATA_TEST_SUPPORT_DRIVER_EMULATED_H
#define STRATA_TEST_SUPPORT_DRIVER_EMULATED_H

#include <stdint.h>

#define STRATA_EMULATED_ENTRY_PREFIX "strata_entry_"
enum { STRATA_EMULATED_LANES = 32, STRATA_EMULATED_MAX_LANES = 64, STRATA_EMULATED_SHARED_ALIGNMENT = 1024 };

typedef void (*strata_emulated_kernel_t)(void *const *buffers, int64_t block, int64_t thread, void *shared);

// Waits for all threads of the block.
void strata_emulated_barrier(void);

// The |value| that the thread in lane |lane| of the caller's warp passed to the same call. Lanes the block
// does not have give their caller's own value back. 64-bit values are exchanged by two calls, 16-bit ones in the low
// half.
uint32_t strata_emulated_shuffle(uint32_t value, uint32_t lane);
// The same with lane = the caller's lane xor |mask|.
uint32_t strata_emulated_shuffle_xor(uint32_t value, uint32_t mask);

// The lanes of the caller's warp that passed other values than 0 to the same call, a bit each.
uint64_t strata_emulated_ballot(uint32_t value);

// A matrix instruction: row |kind| (from 0) of devices/gpu/mma.def on the fragments of the caller's warp. |a|, |b|, |c|
// and |d| are the caller's own fragments in memory, |d| to be written; they may not overlap.
void strata_emulated_mma(uint32_t kind, const void *a, const void *b, const void *c, void *d);
// The same of one that takes scales, with the caller's own.
void strata_emulated_mma_scaled(uint32_t kind, const void *a, const void *b, const void *c, void *d, uint32_t scale_a,
                                uint32_t scale_b);

// Four matrices of 8 rows of 16 bytes in shared memory: lane l of the caller's warp names row l mod 8 of matrix l / 8.
// |fragment|, the caller's: word lane mod 4 of row lane / 4 of each matrix.
void strata_emulated_load_matrices(const void *row, void *fragment);

// A matrix of four rows of sixteen elements of 16 bits in shared memory for each sixteen lanes: of them lane l names
// columns 4 (l mod 4) to 4 (l mod 4) + 3 of row l / 4. |columns|, the caller's: column l.
void strata_emulated_load_crossed(const void *piece, void *columns);

// The same of eight rows of sixteen bytes: lane l names columns 8 (l mod 2) to 8 (l mod 2) + 7 of row l / 2.
void strata_emulated_load_crossed_8(const void *piece, void *columns);

// Of each eight lanes each names eight elements of 16 bits in memory, aligned to 16 bytes. |column|, the caller's: of
// all eight the element whose number is that of the lane.
void strata_emulated_load_turned(const void *row, void *column);

//===-- Copies that threads go on beside (docs/gpu.md) -----------------------------------------------------------===//

// 16 bytes from memory into shared memory, zeros if they are not |inside|: put off until the caller waits for them, so
// that a missing wait shows. The caller's copies since the last commit are a group; it waits until all of its groups
// but the last |pending| are done.
void strata_emulated_copy_async(void *shared, const void *from, uint32_t inside);
void strata_emulated_copy_commit(void);
void strata_emulated_copy_wait(uint32_t pending);

//===-- Clusters of blocks (docs/gpu.md) -------------------------------------------------------------------------===//

enum { STRATA_EMULATED_CLUSTER = 8 }; // blocks at most

// The barrier of all threads of the cluster.
void strata_emulated_cluster_arrive(void);
void strata_emulated_cluster_wait(void);
// The place of |memory|, shared memory of the caller's block, in that of block |rank|.
void *strata_emulated_cluster_place(void *memory, uint32_t rank);

//===-- Flags of a grid's blocks (docs/gpu.md) -------------------------------------------------------------------===//

// Blocks run one after the other: a block may wait for those before it alone, which have ended.
void strata_emulated_flag_raise(uint32_t *flag);
void strata_emulated_flag_await(const uint32_t *flag);
uint32_t strata_emulated_flag_count(uint32_t *flag);

// By a thread: until earlier launches have ended. They have here; what the thread has had copied before, no kernel may
// write, which the driver watches from then on.
void strata_emulated_launch_wait(void);

//===-- Pipelined products (docs/gpu.md) -------------------------------------------------------------------------===//

// Barriers of two phases, a word of shared memory each. Threads wait for one another here, too, whoever of a warp
// comes.
void strata_emulated_phase_init(uint64_t *barrier, uint32_t count);
void strata_emulated_phase_arrive(uint64_t *barrier);
void strata_emulated_phase_expect(uint64_t *barrier, uint32_t bytes);
// The same at the barrier's place in the memory of block |rank| of the cluster.
void strata_emulated_phase_signal(uint64_t *barrier, uint32_t rank);
void strata_emulated_phase_wait(uint64_t *barrier, uint32_t parity);
void strata_emulated_group_barrier(uint32_t id, uint32_t threads);
void strata_emulated_group_arrive(uint32_t id, uint32_t threads);

// Copies. A load is put off until no thread can go on, so that a missing wait shows; a store is done when the call
// returns. |map|: what the driver's cuTensorMapEncodeTiled wrote, the kernel's parameter. Coordinates beyond the map's
// rank are zero.
void strata_emulated_bulk_load(const void *map, void *shared, uint64_t *barrier, int32_t c0, int32_t c1, int32_t c2,
                               int32_t c3, int32_t c4);
// The same into the same place of several blocks' memory, at whose barriers it counts: a bit of |blocks| each.
void strata_emulated_bulk_multicast(const void *map, void *shared, uint64_t *barrier, uint16_t blocks, int32_t c0,
                                    int32_t c1, int32_t c2, int32_t c3, int32_t c4);
// The same by a map with a window: coordinates of the first pixel, then offsets.
void strata_emulated_bulk_window(const void *map, void *shared, uint64_t *barrier, int32_t c0, int32_t c1, int32_t c2,
                                 int32_t c3, int32_t c4, int32_t o0, int32_t o1, int32_t o2);
void strata_emulated_bulk_store(const void *map, const void *shared, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
                                int32_t c4);

// A product of the caller's group of four warps (threads 128 g to 128 g + 127), which all call it: row |kind| of
// mma.def, n columns. |layout|: crossed, swizzle, lead, stride of the left operand, then of the right one. |sums|:
// n / 2 values, read and written.
void strata_emulated_mma_async(uint32_t kind, uint32_t n, const void *left, const void *right, const int64_t *layout,
                               void *sums);
// The same whose left operand lies in registers: |left|, the caller's, as the left fragment of mma.def's family
// mma.sync with 16 rows a warp. The first half of |layout| means nothing.
void strata_emulated_mma_registers(uint32_t kind, uint32_t n, const void *left, const void *right,
                                   const int64_t *layout, void *sums);

#endif
