// Several streams, on each driver: calls that fork from their stream and join it, alone, captured, beside one another
// and when they fail.
#include "test/runtime/gpu/harness.h"

#include <pthread.h>
#include <stdbool.h>

enum { N_SEEDS = 12, N_STREAM_LAUNCHES = 7, N_THREADS = 8 };

// The fault since the last time; |text|: "" where there is to be none.
static bool faulted(const char *text) {
  const char *fault = strata_test_driver_take_fault();
  bool is_right = *text ? strstr(fault, text) != NULL : !*fault;
  if (!is_right)
    fprintf(stderr, "'%s', expected '%s'\n", fault, text);
  return is_right;
}

static const strata_library_t *library, *host;
static void *context;

static void test_calls(void) {
  caller_t caller = caller_create(library);
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    long waits = N_CALLS_OF(stream_wait_event);
    strata_test_driver_order(seed);
    caller_check(library, &caller, (int)seed, 2, NULL, 1);
    CHECK(N_CALLS_OF(stream_wait_event) == waits + 6); // forks of 2 and 1 streams, and as many joins
    host_check(host, (int)seed);
  }
  caller_destroy(&caller);
}

// Calls of several streams, not waited for in between: more than there are lanes.
static void test_many_callers(void) {
  enum { N_CALLERS = 7, N_ROUNDS = 3 };
  caller_t callers[N_CALLERS];
  float x[N_CALLERS][N], y[N_CALLERS][N];
  for (int i = 0; i < N_CALLERS; i++)
    callers[i] = caller_create(library);
  for (int round = 0; round < N_ROUNDS; round++) {
    strata_test_driver_order((unsigned long)round);
    for (int i = 0; i < N_CALLERS; i++) {
      fill(x[i], i + round);
      CHECK(call.upload(callers[i].x, x[i], BYTES, callers[i].stream) == 0);
      CHECK(caller_run(library, &callers[i]) == STRATA_OK);
      CHECK(call.download(y[i], callers[i].y, BYTES, callers[i].stream) == 0);
    }
    for (int i = N_CALLERS; i-- > 0;) {
      CHECK(call.stream_synchronize(callers[i].stream) == 0);
      CHECK(count_wrong(x[i], y[i], 2, NULL, 1) == 0);
    }
  }
  for (int i = 0; i < N_CALLERS; i++)
    caller_destroy(&callers[i]);
}

static void replay(const caller_t *caller, void *graph) {
  void *instance;
  float x[N], y[N];
  CHECK(call.graph_instantiate(&instance, graph, 0) == 0);
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    strata_test_driver_order(seed);
    fill(x, (int)seed);
    CHECK(call.upload(caller->x, x, BYTES, caller->stream) == 0);
    CHECK(call.graph_launch(instance, caller->stream) == 0);
    CHECK(call.download(y, caller->y, BYTES, caller->stream) == 0);
    CHECK(call.stream_synchronize(caller->stream) == 0);
    CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
  }
  CHECK(call.instance_destroy(instance) == 0 && call.graph_destroy(graph) == 0);
}

// Captures that are open at the same time, each of two calls, more than there are lanes; what is not captured goes on
// beside them.
static void test_open_captures(void) {
  enum { N_CAPTURES = 6 };
  caller_t callers[N_CAPTURES], beside;
  void *graphs[N_CAPTURES];
  for (int i = 0; i < N_CAPTURES; i++)
    callers[i] = caller_create(library);
  beside = caller_create(library);
  for (int i = 0; i < N_CAPTURES; i++) {
    long waits = N_CALLS_OF(stream_wait_event);
    CHECK(call.begin_capture(callers[i].stream, 0) == 0);
    CHECK(caller_run(library, &callers[i]) == STRATA_OK && caller_run(library, &callers[i]) == STRATA_OK);
    CHECK(caller_run(library, &beside) == STRATA_OK);
    // Each capture has one of four sets for its calls; the call beside has what is left.
    long expected = i < 3 ? 18 : i == 3 ? 12 : 0;
    CHECK(N_CALLS_OF(stream_wait_event) == waits + expected);
  }
  for (int i = 0; i < N_CAPTURES; i++)
    CHECK(call.end_capture(callers[i].stream, &graphs[i]) == 0);
  for (int i = 0; i < N_CAPTURES; i++)
    replay(&callers[i], graphs[i]);
  test_calls();
  for (int i = 0; i < N_CAPTURES; i++)
    caller_destroy(&callers[i]);
  caller_destroy(&beside);
}

static size_t traced;
static void count_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  (void)threads;
  CHECK(user == &traced && launch == traced++ && nanoseconds < 1000000000);
}

static void test_trace(void) {
  caller_t caller = caller_create(library);
  library->set_trace(count_launch, &traced);
  CHECK(caller_enqueue(library, &caller, caller.stream) == STRATA_OK);
  CHECK(traced == N_STREAM_LAUNCHES);
  library->set_trace(NULL, NULL);
  caller_destroy(&caller);
}

// A call that fails has joined what it forked, and a capture of it can be ended.
static void test_failures(const char *symbol) {
  caller_t caller = caller_create(library);
  void *graph;
  for (long n = 1; n <= N_STREAM_LAUNCHES; n++) {
    strata_test_driver_fail(symbol, n, 1);
    int status = caller_run(library, &caller);
    bool has_failed = strata_test_driver_failed() != NULL;
    strata_test_driver_fail(NULL, 0, 0);
    CHECK((status != STRATA_OK) == has_failed);
    CHECK(symbol != symbol_of.copy || faulted(""));
    strata_test_driver_take_fault(); // joining may be what failed
    CHECK(call.synchronize() == 0);
    caller_check(library, &caller, (int)n, 2, NULL, 1);
  }
  CHECK(call.begin_capture(caller.stream, 0) == 0);
  strata_test_driver_fail(symbol_of.copy, 2, 1);
  CHECK(caller_run(library, &caller) != STRATA_OK && faulted(""));
  strata_test_driver_fail(NULL, 0, 0);
  CHECK(call.end_capture(caller.stream, &graph) == 0 && call.graph_destroy(graph) == 0);
  caller_destroy(&caller);
}

static void *call_both(void *argument) {
  int seed = *(int *)argument;
  driver->set_current(context);
  caller_t caller = caller_create(library);
  for (int i = 0; i < 50; i++) {
    caller_check(library, &caller, seed + i, 2, NULL, 1);
    host_check(host, seed + i);
  }
  caller_destroy(&caller);
  return NULL;
}

static void test_threads(void) {
  pthread_t threads[N_THREADS];
  int seeds[N_THREADS];
  for (int i = 0; i < N_THREADS; i++) {
    seeds[i] = i * 10;
    CHECK(pthread_create(&threads[i], NULL, call_both, &seeds[i]) == 0);
  }
  for (int i = 0; i < N_THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

static void test(void) {
  library = open_library("streams", NULL);
  host = open_library("host_streams", NULL);
  driver->use_device(0);
  context = driver->get_current();
  CHECK(library->load(NULL, NULL) == STRATA_OK);
  test_calls();
  test_many_callers();
  test_open_captures();
  test_trace();
  test_failures(symbol_of.copy);
  test_failures(symbol_of.stream_wait_event);
  test_failures(symbol_of.event_record);
  test_threads();
  CHECK(library->unload() == STRATA_OK && host->unload() == STRATA_OK);
  driver->release_device(0);
  CHECK(strata_test_driver_alive() == 0);
}

int main(void) { return test_each_driver(test); }
