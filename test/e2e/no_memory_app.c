// Calls an emitted library while one of its allocations after the other fails: every call returns a status, what it
// computes is right for the constants that were set, and nothing is left.
//
//   no_memory_app LIB.so NAME DATA: DATA holds x, w, y, and another w and its y, as floats
#define _GNU_SOURCE
#include "runtime/base/status.h"
#include "runtime/include/strata/runtime.h"
#include "test/support/check.h"
#include "test/support/failing_malloc.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, INNER = 96, COLUMNS = 80, N_THREADS = 8 };

static float x[ROWS * INNER], w[2][INNER * COLUMNS], y[2][ROWS * COLUMNS];
static const strata_library_t *library;

static int run(float *out) {
  memset(out, 0x5a, sizeof y[0]);
  return library->run((void *[]){x, out}, NULL, NULL, NULL);
}

static bool is_right(const float *got, int set) {
  for (int i = 0; i < ROWS * COLUMNS; i++)
    if (!(fabsf(got[i] - y[set][i]) < 1e-4f))
      return false;
  return true;
}

// Of a call that may lack memory; a driver's loader has its own words for that.
static bool is_known(int status) {
  return status == STRATA_OK || status == STRATA_OUT_OF_MEMORY || status == STRATA_DEVICE;
}

// All that can be asked of a library, with the |n|-th allocation failing; false if there were not so many.
static bool live(long n, bool all) {
  static float out[ROWS * COLUMNS];
  int live_before = strata_test_live_allocations();
  strata_test_fail_allocation(n, all);
  int first = run(out), set = library->set_constant("w", w[1], NULL), second = run(out);
  bool good = second != STRATA_OK || is_right(out, set == STRATA_OK);
  int again = library->set_constant("w", w[0], NULL), third = run(out);
  bool has_second = set == STRATA_OK && again != STRATA_OK;
  good &= third != STRATA_OK || is_right(out, has_second);
  int bad = library->run((void *[]){NULL, NULL}, NULL, NULL, NULL);
  good &= bad == STRATA_INVALID_ARGUMENT && *library->error();
  long failed = strata_test_failed_allocations();
  strata_test_fail_allocation(0, false);
  good &= is_known(first) && is_known(set) && is_known(second) && is_known(again) && is_known(third);
  good &= run(out) == STRATA_OK && is_right(out, has_second);
  good &= library->unload() == STRATA_OK && run(out) == STRATA_OK && is_right(out, 0) && library->unload() == STRATA_OK;
  good &= strata_test_live_allocations() == live_before;
  if (!good)
    printf("allocation %ld%s: statuses %d %d %d %d %d %d, %d alive of %d: %s\n", n, all ? " and later" : "", first, set,
           second, again, third, bad, strata_test_live_allocations(), live_before, library->error());
  CHECK(good);
  return failed > 0;
}

static pthread_barrier_t barrier;

// Many threads that fail for the first time, without memory for a word about it.
static void *fail(void *user) {
  (void)user;
  pthread_barrier_wait(&barrier);
  CHECK(library->run((void *[]){NULL, NULL}, NULL, NULL, NULL) == STRATA_INVALID_ARGUMENT);
  CHECK(*library->error());
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void test_threads(void) {
  pthread_t threads[N_THREADS];
  pthread_barrier_init(&barrier, NULL, N_THREADS);
  for (int i = 0; i < N_THREADS; i++)
    CHECK(pthread_create(&threads[i], NULL, fail, NULL) == 0);
  for (int i = 0; i < N_THREADS; i++)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
}

int main(int argc, char **argv) {
  FILE *file = argc == 4 ? fopen(argv[3], "rb") : NULL;
  bool ok = file && fread(x, sizeof x, 1, file) == 1;
  for (int i = 0; i < 2; i++)
    ok = ok && fread(w[i], sizeof w[i], 1, file) == 1 && fread(y[i], sizeof y[i], 1, file) == 1;
  void *handle = ok ? dlopen(argv[1], RTLD_NOW) : NULL;
  char name[64];
  snprintf(name, sizeof name, "%s_library", argc > 2 ? argv[2] : "");
  const strata_library_t *(*describe)(void);
  *(void **)&describe = handle ? dlsym(handle, name) : NULL;
  if (!describe)
    return fprintf(stderr, "usage: no_memory_app LIB.so NAME DATA: %s\n", handle ? "" : dlerror()), 2;
  library = describe();
  char file_name[64];
  snprintf(file_name, sizeof file_name, "lib%s.so", argv[2]);
  strata_test_allocations_of(file_name);
  strata_test_fail_allocation(1, true);
  test_threads();
  strata_test_fail_allocation(0, false);
  CHECK(!live(0, false)); // where the driver and the C library keep things for good
  long n = 1;
  while (live(n, false) | live(n, true))
    n++;
  printf("%ld allocations\n", n - 1);
  CHECK(n > 10);
  test_threads(); // with memory
  CHECK(dlclose(handle) == 0);
  CHECK(strata_test_live_allocations() == 0);
  return check_result();
}
