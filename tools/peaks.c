#include "tools/peaks.h"

#include "tools/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MIB = 1 << 20, MAX_THREADS = 256, N_CHAINS = 10, SLICE = 1 << 16 };

// A thread's part of a measurement.
typedef struct {
  char *from, *to; // of |size| bytes; NULL: arithmetic is measured
  size_t size;
  atomic_bool *is_over;
  double rate; // bytes or operations a second, of the best piece of work: others may have been interrupted
  float sink;  // keeps the arithmetic
} part_t;

// Chains of multiplications and additions in vectors of so many floats, as many chains as fill two units.
#define MULTIPLY_AND_ADD(name, lanes, attribute)                                                                       \
  attribute static float name(void) {                                                                                  \
    typedef float vector_t __attribute__((vector_size(lanes * sizeof(float))));                                        \
    const float factor = 0.5f;                                                                                         \
    vector_t a = {factor}, b = {1}, c = {2}, d = {3}, e = {4}, f = {5}, g = {6}, h = {7}, i = {8}, j = {9};            \
    for (int n = 0; n < SLICE; n++) {                                                                                  \
      a = a * factor + factor, b = b * factor + factor, c = c * factor + factor, d = d * factor + factor;              \
      e = e * factor + factor, f = f * factor + factor, g = g * factor + factor, h = h * factor + factor;              \
      i = i * factor + factor, j = j * factor + factor;                                                                \
    }                                                                                                                  \
    return (a + b + c + d + e + f + g + h + i + j)[0];                                                                 \
  }

MULTIPLY_AND_ADD(multiply_and_add_4, 4, )
#ifdef __x86_64__
MULTIPLY_AND_ADD(multiply_and_add_8, 8, __attribute__((target("avx2,fma"))))
MULTIPLY_AND_ADD(multiply_and_add_16, 16, __attribute__((target("avx512f"))))
#endif

// As wide as this processor has it. Returns the number of operations.
static double multiply_and_add(float *sink) {
  const double of_lane = 2.0 * N_CHAINS * SLICE;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    *sink += multiply_and_add_16();
    return 16 * of_lane;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    *sink += multiply_and_add_8();
    return 8 * of_lane;
  }
#endif
  *sink += multiply_and_add_4();
  return 4 * of_lane;
}

static void *run_part(void *user) {
  part_t *part = user;
  do {
    double work = 2 * (double)part->size, start = strata_now();
    if (part->from)
      memcpy(part->to, part->from, part->size);
    else
      work = multiply_and_add(&part->sink);
    double rate = work / (strata_now() - start);
    part->rate = rate > part->rate ? rate : part->rate;
  } while (!atomic_load_explicit(part->is_over, memory_order_relaxed));
  return NULL;
}

// What |threads| do together in a second; |size|: bytes that each copies, 0: arithmetic.
static double measure(unsigned threads, size_t size) {
  const struct timespec span = {.tv_nsec = 30 * 1000 * 1000};
  pthread_t ids[MAX_THREADS];
  part_t parts[MAX_THREADS] = {{0}};
  atomic_bool is_over = false;
  unsigned n = 0;
  char *memory = size ? calloc(2 * threads, size) : NULL;
  if (size && !memory)
    return 0;
  if (memory)
    memset(memory, 1, 2 * threads * size); // pages of its own
  double sum = 0;
  for (; n < threads; n++) {
    parts[n] = (part_t){.size = size, .is_over = &is_over};
    if (memory) {
      parts[n].from = memory + 2 * n * size;
      parts[n].to = parts[n].from + size;
    }
    if (pthread_create(&ids[n], NULL, run_part, &parts[n]) != 0)
      break;
  }
  nanosleep(&span, NULL);
  atomic_store(&is_over, true);
  for (unsigned i = 0; i < n; i++) {
    pthread_join(ids[i], NULL);
    sum += parts[i].rate;
  }
  free(memory);
  return n == threads ? sum : 0;
}

static size_t cache_size(int name, size_t otherwise) {
  long size = sysconf(name);
  return size > 0 ? (size_t)size : otherwise;
}

strata_peaks_t strata_measure_peaks(unsigned threads) {
  threads = threads > MAX_THREADS ? MAX_THREADS : threads < 1 ? 1 : threads;
  size_t l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, MIB / 2), l3 = cache_size(_SC_LEVEL3_CACHE_SIZE, 8 * MIB);
  size_t largest = l3 > l2 * threads ? l3 : l2 * threads, beyond = 4 * largest < 256 * MIB ? 4 * largest : 256 * MIB;
  return (strata_peaks_t){
      .threads = threads,
      .memory = measure(threads, beyond / (2 * threads)),
      .caches = measure(threads, l2 / 4),
      .operations = measure(threads, 0),
      .largest_cached = (int64_t)largest,
  };
}
