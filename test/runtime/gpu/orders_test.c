// The stand-in's several streams: orders that streams, events and graphs allow, and what it must not let pass.
#include "test/runtime/gpu/device.h"

enum { N_SEEDS = 12, UNJOINED = 904, ISOLATION = 905, UNMATCHED = 903 };

static bool is_quiet(void) { return !*strata_test_driver_take_fault(); }

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
  CHECK(is_quiet());
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

int main(void) {
  driver->use_device(0);
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
  driver->release_device(0);
  CHECK(strata_test_driver_alive() == 0);
  return check_result();
}
