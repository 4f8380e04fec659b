// Device code for the tests of the GPU runtime and of the stand-in driver, in the emulated form.
#include "test/support/driver/emulated.h"

#include <math.h>
#include <string.h>

#define KERNEL(name)                                                                                                   \
  void strata_entry_##name(void *const *buffers, int64_t block, int64_t thread, void *shared);                         \
  void strata_entry_##name(void *const *buffers, int64_t block, int64_t thread, void *shared)

enum { N = 1000, THREADS = 128 };
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
