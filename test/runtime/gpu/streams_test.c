// Several streams: in the stand-in, orders that streams, events and graphs allow, and what it must not let pass; in the
// runtime, calls that fork from their stream and join it, alone, captured, beside one another and when they fail.
#include "test/runtime/gpu/harness.h"

#include <pthread.h>
#include <stdbool.h>

enum { N_SEEDS = 12, N_STREAM_LAUNCHES = 7, N_THREADS = 8, UNJOINED = 904, ISOLATION = 905, UNMATCHED = 903 };

// The fault since the last time; |text|: "" where there is to be none.
static bool faulted(const char *text) {
  const char *fault = strata_test_driver_take_fault();
  bool is_right = *text ? strstr(fault, text) != NULL : !*fault;
  if (!is_right)
    fprintf(stderr, "'%s', expected '%s'\n", fault, text);
  return is_right;
}

//===-- The stand-in ---------------------------------------------------------------------------------------------===//

static void *streams[2], *events[2];
static uint64_t byte;

// What is written last by two streams, the second behind the first if |is_ordered|: 1 or 2.
static int write_twice(bool is_ordered) {
  unsigned char last = 0;
  CHECK(cuMemsetD8Async(byte, 1, 1, streams[0]) == 0);
  CHECK(cuEventRecord(events[0], streams[0]) == 0);
  CHECK(!is_ordered || cuStreamWaitEvent(streams[1], events[0], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 2, 1, streams[1]) == 0);
  CHECK(cuEventRecord(events[1], streams[1]) == 0);
  CHECK(cuStreamSynchronize(streams[1]) == 0 && cuStreamSynchronize(streams[0]) == 0);
  CHECK(cuMemcpyDtoHAsync_v2(&last, byte, 1, streams[0]) == 0 && cuStreamSynchronize(streams[0]) == 0);
  return last;
}

static void test_orders(void) {
  int n_wrong = 0;
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    strata_test_driver_order(seed);
    CHECK(write_twice(true) == 2);
    n_wrong += write_twice(false) == 1;
  }
  CHECK(n_wrong > 0 && n_wrong < N_SEEDS);
}

// An event stands for what was enqueued when it was recorded, whatever comes later; it may go before it is reached.
static void test_events(void) {
  void *event;
  unsigned char copied = 0;
  strata_test_driver_order(0);
  CHECK(cuEventCreate(&event, 0) == 0);
  CHECK(cuStreamWaitEvent(streams[1], event, 0) == 0); // never recorded: nothing to wait for
  CHECK(cuMemsetD8Async(byte, 5, 1, streams[0]) == 0);
  CHECK(cuEventRecord(event, streams[0]) == 0);
  CHECK(cuStreamWaitEvent(streams[1], event, 0) == 0);
  CHECK(cuMemsetD8Async(byte, 6, 1, streams[0]) == 0);
  CHECK(cuEventRecord(event, streams[0]) == 0);
  CHECK(cuMemcpyDtoHAsync_v2(&copied, byte, 1, streams[1]) == 0);
  CHECK(cuStreamSynchronize(streams[1]) == 0 && copied == 5);
  CHECK(cuStreamWaitEvent(streams[1], event, 0) == 0);
  CHECK(cuEventDestroy_v2(event) == 0);
  CHECK(cuMemcpyDtoHAsync_v2(&copied, byte, 1, streams[1]) == 0);
  CHECK(cuStreamSynchronize(streams[1]) == 0 && copied == 6);
}

static void test_marked_calls(void) {
  strata_test_driver_call_begin(streams[0]);
  CHECK(cuMemsetD8Async(byte, 0, 1, streams[1]) != 0 && faulted("another stream"));
  CHECK(cuEventRecord(events[0], streams[0]) == 0 && cuStreamWaitEvent(streams[1], events[0], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 0, 1, streams[1]) == 0);
  CHECK(cuEventRecord(events[1], streams[1]) == 0 && cuMemsetD8Async(byte, 0, 1, streams[1]) == 0);
  CHECK(cuStreamWaitEvent(streams[0], events[1], 0) == 0); // not all of it
  strata_test_driver_call_end();
  CHECK(faulted("is not joined"));
  strata_test_driver_call_begin(streams[0]);
  CHECK(cuEventRecord(events[0], streams[0]) == 0 && cuStreamWaitEvent(streams[1], events[0], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 0, 1, streams[1]) == 0 && cuEventRecord(events[1], streams[1]) == 0);
  CHECK(cuStreamWaitEvent(streams[0], events[1], 0) == 0);
  strata_test_driver_call_end();
  CHECK(faulted(""));
  CHECK(cuCtxSynchronize() == 0);
}

// A capture of both streams; |is_joined|: the second one, at the end.
static int capture(bool is_joined, void **out_graph) {
  CHECK(cuStreamBeginCapture_v2(streams[0], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 1, 1, streams[0]) == 0);
  CHECK(cuEventRecord(events[0], streams[0]) == 0 && cuStreamWaitEvent(streams[1], events[0], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 2, 1, streams[1]) == 0);
  CHECK(cuEventRecord(events[1], streams[1]) == 0);
  CHECK(!is_joined || cuStreamWaitEvent(streams[0], events[1], 0) == 0);
  CHECK(cuMemsetD8Async(byte, 3, 1, streams[0]) == 0);
  return cuStreamEndCapture(streams[0], out_graph);
}

static void test_captures(void) {
  void *graph, *instance;
  unsigned char last = 0;
  CHECK(capture(false, &graph) == UNJOINED && faulted("is not joined") && cuGraphDestroy(graph) == 0);
  CHECK(capture(true, &graph) == 0 && cuGraphInstantiateWithFlags(&instance, graph, 0) == 0);
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    strata_test_driver_order(seed);
    CHECK(cuGraphLaunch(instance, streams[0]) == 0 && cuMemcpyDtoHAsync_v2(&last, byte, 1, streams[0]) == 0);
    CHECK(cuStreamSynchronize(streams[0]) == 0 && last == 3);
  }
  CHECK(cuGraphExecDestroy(instance) == 0 && cuGraphDestroy(graph) == 0);
  CHECK(cuEventRecord(events[1], streams[1]) == 0 && cuStreamBeginCapture_v2(streams[0], 0) == 0);
  CHECK(cuStreamWaitEvent(streams[0], events[1], 0) == ISOLATION && faulted("what is not"));
  CHECK(cuEventRecord(events[0], streams[0]) == 0 && cuStreamWaitEvent(streams[1], events[0], 0) == 0);
  CHECK(cuStreamEndCapture(streams[1], &graph) == UNMATCHED && faulted("another stream's"));
  CHECK(cuStreamEndCapture(streams[0], &graph) == 0 && cuGraphDestroy(graph) == 0);
}

static void test_stand_in(void) {
  for (int i = 0; i < 2; i++)
    CHECK(cuStreamCreate(&streams[i], NON_BLOCKING) == 0 && cuEventCreate(&events[i], 0) == 0);
  CHECK(cuMemAlloc_v2(&byte, 1) == 0);
  test_orders();
  test_events();
  test_marked_calls();
  test_captures();
  for (int i = 0; i < 2; i++)
    CHECK(cuStreamDestroy_v2(streams[i]) == 0 && cuEventDestroy_v2(events[i]) == 0);
  CHECK(cuMemFree_v2(byte) == 0);
}

//===-- The runtime ----------------------------------------------------------------------------------------------===//

static const strata_library_t *library, *host;
static void *context;

static void test_calls(void) {
  caller_t caller = caller_create(library);
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    long waits = strata_test_driver_calls("cuStreamWaitEvent");
    strata_test_driver_order(seed);
    caller_check(library, &caller, (int)seed, 2, NULL, 1);
    CHECK(strata_test_driver_calls("cuStreamWaitEvent") == waits + 6); // forks of 2 and 1 streams, and as many joins
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
      CHECK(cuMemcpyHtoDAsync_v2(callers[i].x, x[i], BYTES, callers[i].stream) == 0);
      CHECK(caller_run(library, &callers[i]) == STRATA_OK);
      CHECK(cuMemcpyDtoHAsync_v2(y[i], callers[i].y, BYTES, callers[i].stream) == 0);
    }
    for (int i = N_CALLERS; i-- > 0;) {
      CHECK(cuStreamSynchronize(callers[i].stream) == 0);
      CHECK(count_wrong(x[i], y[i], 2, NULL, 1) == 0);
    }
  }
  for (int i = 0; i < N_CALLERS; i++)
    caller_destroy(&callers[i]);
}

static void replay(const caller_t *caller, void *graph) {
  void *instance;
  float x[N], y[N];
  CHECK(cuGraphInstantiateWithFlags(&instance, graph, 0) == 0);
  for (unsigned long seed = 0; seed < N_SEEDS; seed++) {
    strata_test_driver_order(seed);
    fill(x, (int)seed);
    CHECK(cuMemcpyHtoDAsync_v2(caller->x, x, BYTES, caller->stream) == 0);
    CHECK(cuGraphLaunch(instance, caller->stream) == 0);
    CHECK(cuMemcpyDtoHAsync_v2(y, caller->y, BYTES, caller->stream) == 0);
    CHECK(cuStreamSynchronize(caller->stream) == 0);
    CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
  }
  CHECK(cuGraphExecDestroy(instance) == 0 && cuGraphDestroy(graph) == 0);
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
    long waits = strata_test_driver_calls("cuStreamWaitEvent");
    CHECK(cuStreamBeginCapture_v2(callers[i].stream, 0) == 0);
    CHECK(caller_run(library, &callers[i]) == STRATA_OK && caller_run(library, &callers[i]) == STRATA_OK);
    CHECK(caller_run(library, &beside) == STRATA_OK);
    // Each capture has one of four sets for its calls; the call beside has what is left.
    long expected = i < 3 ? 18 : i == 3 ? 12 : 0;
    CHECK(strata_test_driver_calls("cuStreamWaitEvent") == waits + expected);
  }
  for (int i = 0; i < N_CAPTURES; i++)
    CHECK(cuStreamEndCapture(callers[i].stream, &graphs[i]) == 0);
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
  void *tensors[] = {(void *)(uintptr_t)caller.x, (void *)(uintptr_t)caller.y};
  library->set_trace(count_launch, &traced);
  CHECK(library->run(tensors, NULL, (void *)(uintptr_t)caller.pool, caller.stream) == STRATA_OK);
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
    CHECK(strcmp(symbol, "cuMemcpyDtoDAsync_v2") != 0 || faulted(""));
    strata_test_driver_take_fault(); // joining may be what failed
    CHECK(cuCtxSynchronize() == 0);
    caller_check(library, &caller, (int)n, 2, NULL, 1);
  }
  CHECK(cuStreamBeginCapture_v2(caller.stream, 0) == 0);
  strata_test_driver_fail("cuMemcpyDtoDAsync_v2", 2, 1);
  CHECK(caller_run(library, &caller) != STRATA_OK && faulted(""));
  strata_test_driver_fail(NULL, 0, 0);
  CHECK(cuStreamEndCapture(caller.stream, &graph) == 0 && cuGraphDestroy(graph) == 0);
  caller_destroy(&caller);
}

static void *call(void *argument) {
  int seed = *(int *)argument;
  CHECK(cuCtxSetCurrent(context) == 0);
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
    CHECK(pthread_create(&threads[i], NULL, call, &seeds[i]) == 0);
  }
  for (int i = 0; i < N_THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  library = open_library("streams", NULL);
  host = open_library("host_streams", NULL);
  use_device(0);
  CHECK(cuCtxGetCurrent(&context) == 0);
  test_stand_in();
  CHECK(library->load(NULL, NULL) == STRATA_OK);
  test_calls();
  test_many_callers();
  test_open_captures();
  test_trace();
  test_failures("cuMemcpyDtoDAsync_v2");
  test_failures("cuStreamWaitEvent");
  test_failures("cuEventRecord");
  test_threads();
  CHECK(library->unload() == STRATA_OK && host->unload() == STRATA_OK);
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == 0);
  CHECK(strata_test_driver_alive() == 0);
  return check_result();
}
