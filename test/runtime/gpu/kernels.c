// Device code for the tests of the GPU runtime and of the stand-in driver, in the emulated form.
#include "test/support/driver/emulated.h"

#include <math.h>
#include <string.h>

#define KERNEL(name)                                                                                                   \
  void strata_entry_##name(void *const *buffers, int64_t block, int64_t thread, void *shared);                         \
  void strata_entry_##name(void *const *buffers, int64_t block, int64_t thread, void *shared)

enum { N = 1000, THREADS = 128 };
enum { WGMMA_F16 = 6 }; // its row of mma.def
#define UNUSED (void)block, (void)thread, (void)shared, (void)buffers

// t = x * scale
KERNEL(multiply) {
  const float *x = buffers[0], *scale = buffers[1];
  float *t = buffers[2];
  int64_t i = block * THREADS + thread;
  UNUSED;
  if (i < N)
    t[i] = x[i] * *scale;
}

// The same by the copy engine: x comes as a box, and t goes as one.
KERNEL(multiply_by_maps) {
  const float *scale = buffers[1];
  const void *x_map = buffers[3], *t_map = buffers[4];
  float *tile = shared;
  uint64_t *barrier = (uint64_t *)(tile + THREADS);
  int32_t first = (int32_t)block * THREADS;
  if (thread == 0)
    strata_emulated_phase_init(barrier, 1);
  strata_emulated_barrier();
  if (thread == 0) {
    strata_emulated_phase_expect(barrier, THREADS * 4);
    strata_emulated_bulk_load(x_map, tile, barrier, first, 0, 0, 0, 0);
  }
  strata_emulated_phase_wait(barrier, 0);
  tile[thread] *= *scale;
  strata_emulated_barrier();
  if (thread == 0)
    strata_emulated_bulk_store(t_map, tile, first, 0, 0, 0, 0);
}

// y = t + packed; t goes through shared memory, to another thread and back.
KERNEL(add) {
  const float *t = buffers[0], *packed = buffers[1];
  float *y = buffers[2], *tile = shared;
  int64_t i = block * THREADS + thread;
  tile[THREADS - 1 - thread] = i < N ? t[i] : 0;
  strata_emulated_barrier();
  float other = tile[thread];
  strata_emulated_barrier();
  tile[THREADS - 1 - thread] = other;
  strata_emulated_barrier();
  if (i < N)
    y[i] = tile[thread] + packed[i];
}

KERNEL(reverse) {
  const float *w = buffers[0];
  float *reversed = buffers[1];
  int64_t i = block * THREADS + thread;
  UNUSED;
  if (i < N)
    reversed[i] = w[N - 1 - i];
}

KERNEL(add_bias) {
  const float *reversed = buffers[0], *bias = buffers[1];
  float *packed = buffers[2];
  int64_t i = block * THREADS + thread;
  UNUSED;
  if (i < N)
    packed[i] = reversed[i] + *bias;
}

KERNEL(twice) {
  const float *scale = buffers[0];
  float *doubled = buffers[1];
  UNUSED;
  *doubled = *scale * 2;
}

//===-- For the driver's own test --------------------------------------------------------------------------------===//

// y[block] = the sum of the block's elements of x: shuffles in a warp, shared memory between warps.
KERNEL(sum) {
  const float *x = buffers[0];
  float *y = buffers[1], *partial = shared, value = x[block * 96 + thread];
  for (uint32_t mask = 16; mask; mask /= 2) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    bits = strata_emulated_shuffle_xor(bits, mask);
    float other;
    memcpy(&other, &bits, 4);
    value += other;
  }
  if (thread % 32 == 0)
    partial[thread / 32] = value;
  strata_emulated_barrier();
  if (thread == 0)
    y[block] = partial[0] + partial[1] + partial[2];
}

// y[i] = x of the lane three further on; the last lanes of a short warp ask for one that is not there.
KERNEL(rotate) {
  const uint32_t *x = buffers[0];
  uint32_t *y = buffers[1];
  UNUSED;
  y[thread] = strata_emulated_shuffle(x[thread], (uint32_t)(thread + 3) % 32);
}

// c (16 x 8) = a (16 x 16) * b (8 x 16) transposed, in f16.
KERNEL(matrix) {
  const uint16_t *a = buffers[0], *b = buffers[1];
  float *c = buffers[2];
  uint16_t left[8], right[4];
  float sum[4] = {0}, result[4];
  UNUSED;
  int64_t row = thread / 4, column = thread % 4 * 2;
  for (int i = 0; i < 8; i++)
    left[i] = a[(row + i / 2 % 2 * 8) * 16 + column + i % 2 + i / 4 * 8];
  for (int i = 0; i < 4; i++)
    right[i] = b[row * 16 + column + i % 2 + i / 2 * 8];
  strata_emulated_mma(0, left, right, sum, result);
  for (int i = 0; i < 4; i++)
    c[(row + i / 2 * 8) * 8 + column + i % 2] = result[i];
}

//===-- Pipelined products: pipelined_test.c ---------------------------------------------------------------------===//

// One box, loaded to byte |offset| of shared memory; then |size| bytes from there on are shown.
KERNEL(fetch) {
  const int32_t *config = buffers[0]; // coordinates, bytes of the box, offset, size
  char *out = buffers[1], *tile = (char *)shared + config[6];
  uint64_t *barrier = shared;
  UNUSED;
  if (thread == 0) {
    memset(tile, 0xEE, (size_t)config[7]);
    strata_emulated_phase_init(barrier, 1);
    strata_emulated_phase_expect(barrier, (uint32_t)config[5]);
    strata_emulated_bulk_load(buffers[2], tile, barrier, config[0], config[1], config[2], config[3], config[4]);
  }
  strata_emulated_barrier();
  strata_emulated_phase_wait(barrier, 0);
  for (int64_t i = thread; i < config[7]; i += 64)
    out[i] = tile[i];
}

KERNEL(put) {
  const int32_t *config = buffers[0];
  char *tile = (char *)shared + config[6];
  UNUSED;
  memcpy(tile, buffers[1], (size_t)config[7]);
  strata_emulated_bulk_store(buffers[2], tile, config[0], config[1], config[2], config[3], config[4]);
}

// Shared memory as given, then one product of each group of 128 threads; the second group's left operand lies further
// on.
KERNEL(product) {
  const int64_t *config = buffers[0]; // kind, n, bytes, left, right, left of the next group, layouts
  uint32_t n = (uint32_t)config[1];
  char *left = (char *)shared + config[3] + thread / 128 * config[5], *right = (char *)shared + config[4];
  char *sums = (char *)buffers[2] + thread * n / 2 * 4;
  UNUSED;
  if (thread == 0)
    memcpy(shared, buffers[1], (size_t)config[2]);
  strata_emulated_barrier();
  strata_emulated_mma_async((uint32_t)config[0], n, left, right, config + 6, sums);
}

enum { SLOTS = 3, SIDE = 64, SLOT = 2 * SIDE * 128, HALF = SIDE * 128 };

// One thread keeps the ring full.
static void produce(void *const *buffers, char *ring, uint64_t *full, uint64_t *empty, int32_t row, int32_t column,
                    int32_t n_steps) {
  for (int32_t step = 0; step < n_steps; step++) {
    int32_t s = step % SLOTS;
    strata_emulated_phase_wait(&empty[s], (uint32_t)(step / SLOTS + 1) % 2);
    strata_emulated_phase_expect(&full[s], SLOT);
    strata_emulated_bulk_load(buffers[4], ring + s * SLOT, &full[s], step * SIDE, row, 0, 0, 0);
    strata_emulated_bulk_load(buffers[5], ring + s * SLOT + HALF, &full[s], step * SIDE, column, 0, 0, 0);
  }
}

static void consume(int64_t thread, uint32_t kind, const char *ring, uint64_t *full, uint64_t *empty, int32_t n_steps,
                    float *sums) {
  static const int64_t layout[] = {0, 128, 0, 1024, 0, 128, 0, 1024};
  for (int32_t step = 0; step < n_steps; step++) {
    int32_t s = step % SLOTS;
    const char *slot = ring + s * SLOT;
    strata_emulated_phase_wait(&full[s], (uint32_t)(step / SLOTS) % 2);
    for (int32_t k = 0; k < 128; k += 32)
      strata_emulated_mma_async(kind, SIDE, slot + k, slot + HALF + k, layout, sums);
    if (thread == 0) // the others' products are done, too
      strata_emulated_phase_arrive(&empty[s]);
  }
}

// c = a * b transposed, in bf16, by tiles of 64 x 64: 128 consumers, behind them 128 producers, of which one works. The
// result goes out through shared memory, swizzled by hand.
KERNEL(pipeline) {
  const int32_t *config = buffers[0]; // steps, tiles in a row, kind
  char *ring = shared, *out = ring + SLOTS * SLOT;
  uint64_t *full = (uint64_t *)(void *)(out + 2 * HALF), *empty = full + SLOTS;
  int32_t row = (int32_t)block / config[1] * SIDE, column = (int32_t)block % config[1] * SIDE;
  float sums[SIDE / 2] = {0};
  for (int s = 0; s < SLOTS && thread == 0; s++) {
    strata_emulated_phase_init(&full[s], 1);
    strata_emulated_phase_init(&empty[s], 1);
  }
  strata_emulated_barrier();
  if (thread == 128)
    produce(buffers, ring, full, empty, row, column, config[0]);
  if (thread >= 128)
    return;
  consume(thread, (uint32_t)config[2], ring, full, empty, config[0], sums);
  for (int i = 0; i < SIDE / 2; i++) {
    int64_t r = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, c = i / 4 * 8 + thread % 4 * 2 + i % 2;
    memcpy(out + c / 32 * HALF + r * 128 + ((c % 32 * 4) ^ (r % 8 * 16)), &sums[i], 4);
  }
  strata_emulated_group_barrier(1, 128);
  for (int32_t half = 0; half < 2 && thread == 0; half++)
    strata_emulated_bulk_store(buffers[6], out + half * HALF, column + half * 32, row, 0, 0, 0);
}

// What must not pass, by number; 160 threads.
KERNEL(misuse) {
  static const int64_t layout[] = {0, 128, 0, 1024, 0, 128, 0, 1024};
  uint64_t *barrier = shared;
  uint32_t *flag = (uint32_t *)buffers[0] + 1;
  char *tile = shared;
  const void *map = buffers[1];
  float sums[4] = {0};
  int number = *(const int *)buffers[0];
  UNUSED;
  if (number < 100 && thread == 0)
    strata_emulated_phase_init(barrier, number == 12 ? 0 : 1);
  strata_emulated_barrier();
  if (number < 100 && thread)
    return;
  switch (number) {
  case 0:
    strata_emulated_phase_expect(barrier, 64);
    strata_emulated_phase_arrive(barrier);
    break;
  case 1:
    strata_emulated_phase_expect(barrier, 16);
    strata_emulated_bulk_load(map, tile + 128, barrier, 0, 0, 0, 0, 0);
    strata_emulated_phase_wait(barrier, 0);
    break;
  case 2:
    strata_emulated_phase_arrive(barrier + 1);
    break;
  case 3:
    strata_emulated_phase_expect(barrier, 64);
    strata_emulated_phase_wait(barrier, 0);
    break;
  case 4:
    strata_emulated_bulk_load(map, tile + 64, barrier, 0, 0, 0, 0, 0);
    break;
  case 5:
    strata_emulated_bulk_load(buffers[0], tile + 128, barrier, 0, 0, 0, 0, 0);
    break;
  case 6:
    strata_emulated_bulk_store(map, tile + 8192, 0, 0, 0, 0, 0);
    break;
  case 7:
    strata_emulated_bulk_load(map, tile + 128, barrier, 0, 0, 1, 0, 0);
    break;
  case 8:
    strata_emulated_group_barrier(1, 40);
    break;
  case 9:
    strata_emulated_phase_expect(barrier, 64);
    strata_emulated_bulk_load(map, tile + 128, barrier, 0, 0, 0, 0, 0);
    break;
  case 10:
    strata_emulated_phase_wait(barrier, 2);
    break;
  case 11:
    strata_emulated_phase_expect(barrier, 8);
    break;
  case 13:
    *flag = 0;
    strata_emulated_flag_await(flag);
    break;
  case 14:
    *flag = 0;
    strata_emulated_flag_raise(flag);
    strata_emulated_flag_raise(flag);
    break;
  case 15:
    strata_emulated_bulk_load(map, tile + 128, barrier, 1, 0, 0, 0, 0);
    break;
  case 100: // one warp too many is left
    if (thread < 96)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024, tile + 1024, layout, sums);
    break;
  case 101:
    if (thread < 128)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024 + thread / 32 * 32, tile + 1024, layout, sums);
    break;
  case 102:
    if (thread < 128)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024 + 112, tile + 1024, layout, sums);
    break;
  case 103:
    if (thread < 128)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024 + 128, tile + 1024, layout, sums);
    break;
  case 104:
    strata_emulated_mma_async(0, 8, tile + 1024, tile + 1024, layout, sums);
    break;
  case 105:
    strata_emulated_mma_async(WGMMA_F16, 12, tile + 1024, tile + 1024, layout, sums);
    break;
  case 106:
    if (thread < 128)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024 * 7, tile + 1024, layout, sums);
    break;
  case 107:
    strata_emulated_group_barrier(3, thread < 64 ? 128 : 96);
    break;
  case 108:
    if (thread < 64)
      strata_emulated_group_barrier(3, 96);
    break;
  case 109:
    if (thread >= 128)
      strata_emulated_mma_async(WGMMA_F16, 8, tile + 1024, tile + 1024, layout, sums);
    break;
  }
}

// Faults of a kernel.
KERNEL(lost_at_barrier) {
  UNUSED;
  if (thread != 7)
    strata_emulated_barrier();
}

KERNEL(lost_in_shuffle) {
  UNUSED;
  if (thread < 5)
    strata_emulated_barrier();
  else
    strata_emulated_shuffle(0, 0);
}

KERNEL(out_of_bounds) {
  UNUSED;
  ((volatile char *)buffers[0])[1024] = 1;
}

KERNEL(slightly_out_of_bounds) {
  UNUSED;
  ((volatile char *)buffers[0])[1000] = 1;
}
