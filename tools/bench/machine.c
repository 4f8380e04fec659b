// What this machine can do, measured: the two roofs that a kernel's time is compared with. Built and called by bench.py.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef __AVX512F__
enum { VECTOR_BYTES = 64 };
#else
enum { VECTOR_BYTES = 32 };
#endif
enum { LANES = VECTOR_BYTES / 4, CHAINS = 12, FMA_ROUNDS = 1 << 22, MAX_THREADS = 256 };
typedef float vector_t __attribute__((vector_size(VECTOR_BYTES)));

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Runs |body| in |n_threads| threads at once; the seconds until the last is done.
static double timed(int n_threads, void *(*body)(void *), void *(*argument)(int thread, void *user), void *user) {
  pthread_t threads[MAX_THREADS];
  double start = now();
  for (int i = 1; i < n_threads; i++)
    pthread_create(&threads[i], NULL, body, argument(i, user));
  body(argument(0, user));
  for (int i = 1; i < n_threads; i++)
    pthread_join(threads[i], NULL);
  return now() - start;
}

// Independent chains of multiply-add in registers: enough of them to hide the latency.
static void *fma_loop(void *user) {
  vector_t acc[CHAINS], scale, shift;
  for (int lane = 0; lane < LANES; lane++)
    scale[lane] = 0.999f, shift[lane] = 0.001f * (float)lane;
  for (int i = 0; i < CHAINS; i++)
    acc[i] = shift * (float)i;
  for (int round = 0; round < FMA_ROUNDS; round++) {
    for (int i = 0; i < CHAINS; i++)
      acc[i] = acc[i] * scale + shift;
    __asm__ volatile("" : "+v"(scale), "+v"(shift));
  }
  for (int i = 1; i < CHAINS; i++)
    acc[0] += acc[i];
  *(volatile float *)user = acc[0][0];
  return NULL;
}

static void *fma_argument(int thread, void *user) { return (float *)user + 64 * thread; }

// Single-precision operations a second of an FMA loop in |n_threads| threads.
double machine_flops(int n_threads) {
  static float sinks[64 * MAX_THREADS];
  double seconds = timed(n_threads, fma_loop, fma_argument, sinks);
  return 2.0 * LANES * CHAINS * (double)FMA_ROUNDS * n_threads / seconds;
}

typedef struct {
  char *to;
  const char *from;
  size_t size;
} copy_t;

static void *copy_part(void *user) {
  copy_t *copy = user;
  memcpy(copy->to, copy->from, copy->size);
  return NULL;
}

static void *copy_argument(int thread, void *user) { return (copy_t *)user + thread; }

// Bytes a second, read and written, of copying |size| bytes with |n_threads| threads.
double machine_copy(void *to, const void *from, size_t size, int n_threads) {
  copy_t parts[MAX_THREADS];
  for (int i = 0; i < n_threads; i++) {
    size_t begin = size / (size_t)n_threads * (size_t)i;
    size_t end = i + 1 == n_threads ? size : size / (size_t)n_threads * (size_t)(i + 1);
    parts[i] = (copy_t){(char *)to + begin, (const char *)from + begin, end - begin};
  }
  return 2.0 * (double)size / timed(n_threads, copy_part, copy_argument, parts);
}
