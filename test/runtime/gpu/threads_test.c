// On each driver, eight threads, each with a stream and a pool of its own, or with none, on the same library at once,
// on one device and on two; and a library that many threads load at the same time.
#include "test/runtime/gpu/harness.h"

#include <pthread.h>

enum { N_THREADS = 8, N_CALLS = 100 };

static const strata_library_t *user, *host; // the latter: with tensors on the host
static void *contexts[2]; // of two devices; which a thread has says its number
static int n_contexts;

static void *call_user(void *argument) {
  int seed = *(int *)argument;
  driver->set_current(contexts[seed / 10 % n_contexts]);
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

static void test(void) {
  setenv("STRATA_TEST_DRIVER_DEVICES", "2", 1);
  user = open_library("user", NULL);
  host = open_library("host", NULL);
  for (int device = 2; device-- > 0;) { // the first is current in the end
    driver->use_device(device);
    contexts[device] = driver->get_current();
  }
  n_contexts = 1;
  run_threads(call_user, call_user);
  CHECK(N_CALLS_OF(load_module) == 1);
  n_contexts = 2;
  run_threads(call_user, call_user);
  CHECK(N_CALLS_OF(load_module) == 2);
  CHECK(user->unload() == STRATA_OK);
  run_threads(call_host, call_host);
  CHECK(N_CALLS_OF(load_module) == 3);
  run_threads(call_host, unload_host);
  CHECK(host->unload() == STRATA_OK);
  host = open_library("unloading", NULL);
  run_threads(call_host, unload_host); // none unloads what another one uses, and nothing is left
  driver->release_device(0);
  driver->release_device(1);
  CHECK(strata_test_driver_alive() == 0);
}

int main(void) { return test_each_driver(test); }
