// Eight threads, each with a stream and a pool of its own, or with none, on the same library at once; and a library
// that many threads load at the same time.
#include "test/runtime/gpu/harness.h"

#include <pthread.h>

enum { N_THREADS = 8, N_CALLS = 100 };

static const strata_library_t *user, *host;
static void *context;

static void *call_user(void *argument) {
  int seed = *(int *)argument;
  CHECK(cuCtxSetCurrent(context) == 0);
  CHECK(user->load(NULL, NULL) == STRATA_OK); // all at once: one of them does it
  caller_t caller = caller_create(user);
  for (int i = 0; i < N_CALLS; i++)
    caller_check(user, &caller, seed + i, 2, NULL, 1);
  caller_destroy(&caller);
  return NULL;
}

static void *call_host(void *argument) {
  int seed = *(int *)argument;
  for (int i = 0; i < N_CALLS; i++)
    host_check(host, seed + i);
  return NULL;
}

// Refused while calls are running, or carried out between them.
static void *unload_host(void *argument) {
  (void)argument;
  for (int i = 0; i < N_CALLS; i++) {
    int status = host->unload();
    CHECK(status == STRATA_OK || (status == STRATA_INVALID_ARGUMENT && strstr(host->error(), "a call is running")));
  }
  return NULL;
}

static void run_threads(void *(*function)(void *), void *(*last)(void *)) {
  pthread_t threads[N_THREADS];
  int seeds[N_THREADS];
  for (int i = 0; i < N_THREADS; i++) {
    seeds[i] = i * 10;
    CHECK(pthread_create(&threads[i], NULL, i == N_THREADS - 1 ? last : function, &seeds[i]) == 0);
  }
  for (int i = 0; i < N_THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  user = open_library("user", NULL);
  host = open_library("host", NULL);
  use_device(0);
  CHECK(cuCtxGetCurrent(&context) == 0);
  run_threads(call_user, call_user);
  CHECK(strata_test_driver_calls("cuModuleLoadData") == 1);
  CHECK(user->unload() == STRATA_OK);
  run_threads(call_host, call_host);
  CHECK(strata_test_driver_calls("cuModuleLoadData") == 2);
  run_threads(call_host, unload_host);
  CHECK(host->unload() == STRATA_OK);
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == 0);
  CHECK(strata_test_driver_alive() == 0);
  return check_result();
}
