// The stand-in for the driver itself: kernels whose threads meet, what it must not let pass, and work that waits.
#include "test/runtime/gpu/device.h"

static void test_sum(void) {
  enum { BLOCKS = 5, THREADS = 96 };
  float x[BLOCKS * THREADS], y[BLOCKS];
  uint64_t buffers[] = {allocate(sizeof x), allocate(sizeof y)};
  for (int i = 0; i < BLOCKS * THREADS; i++)
    x[i] = (float)(i % 17);
  upload(buffers[0], x, sizeof x);
  CHECK(run("sum", BLOCKS, THREADS, 12, buffers, 2) == 0);
  download(y, buffers[1], sizeof y);
  for (int block = 0; block < BLOCKS; block++) {
    float expected = 0;
    for (int i = 0; i < THREADS; i++)
      expected += x[block * THREADS + i];
    CHECK(y[block] == expected);
  }
}

static void test_rotate(void) {
  enum { THREADS = 40 }; // a full warp and one of eight lanes
  uint32_t x[THREADS], y[THREADS];
  uint64_t buffers[] = {allocate(sizeof x), allocate(sizeof y)};
  for (uint32_t i = 0; i < THREADS; i++)
    x[i] = i * 3;
  upload(buffers[0], x, sizeof x);
  CHECK(run("rotate", 1, THREADS, 0, buffers, 2) == 0);
  download(y, buffers[1], sizeof y);
  for (uint32_t i = 0; i < 32; i++)
    CHECK(y[i] == x[(i + 3) % 32]);
  for (uint32_t i = 32; i < THREADS; i++)
    CHECK(y[i] == x[i + 3 < THREADS ? i + 3 : i]);
}

static void test_matrix(void) {
  _Float16 a[16][16], b[8][16];
  float c[16][8];
  uint64_t buffers[] = {allocate(sizeof a), allocate(sizeof b), allocate(sizeof c)};
  for (int i = 0; i < 256; i++)
    a[i / 16][i % 16] = (_Float16)(i % 13 - 6);
  for (int i = 0; i < 128; i++)
    b[i / 16][i % 16] = (_Float16)((i * 5 % 11) - 4);
  upload(buffers[0], a, sizeof a);
  upload(buffers[1], b, sizeof b);
  CHECK(run("matrix", 1, 32, 0, buffers, 3) == 0);
  download(c, buffers[2], sizeof c);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 8; j++) {
      float expected = 0;
      for (int k = 0; k < 16; k++)
        expected += (float)a[i][k] * (float)b[j][k];
      CHECK(c[i][j] == expected);
    }
}

// Launches and limits that a GPU refuses, or would not survive.
static void test_refusals(void) {
  uint64_t buffer = allocate(1000), elsewhere = (uintptr_t)&buffer;
  CHECK(run("twice", 0, 1, 0, &buffer, 1) != 0 && faulted("an empty grid"));
  CHECK(run("twice", 1, 1025, 0, &buffer, 1) != 0 && faulted("1025 threads"));
  CHECK(run("twice", 1, 1, 49 * 1024, &buffer, 1) != 0 && faulted("bytes of shared memory"));
  CHECK(run("twice", 1, 1, 0, &elsewhere, 1) != 0 && faulted("not in device memory"));
  CHECK(cuMemFree_v2(buffer + 256) != 0 && faulted("was not allocated"));
  CHECK(cuStreamSynchronize(&buffer) != 0 && faulted("is no stream"));
  strata_test_driver_call_begin(stream);
  CHECK(cuStreamSynchronize(stream) != 0 && faulted("may only enqueue"));
  CHECK(cuMemAlloc_v2(&elsewhere, 8) != 0 && faulted("may only enqueue"));
  CHECK(cuMemsetD8Async(buffer, 0, 8, NULL) != 0 && faulted("another stream"));
  strata_test_driver_call_end();
  CHECK(cuStreamBeginCapture_v2(stream, 0) == 0);
  CHECK(cuMemAlloc_v2(&elsewhere, 8) != 0 && faulted("during a capture"));
  void *graph;
  CHECK(cuStreamEndCapture(stream, &graph) == 0 && cuGraphDestroy(graph) == 0);
  CHECK(run("slightly_out_of_bounds", 1, 1, 0, &buffer, 1) == 0);
  CHECK(cuStreamSynchronize(stream) == 0);
  CHECK(cuMemFree_v2(buffer) == 0 && faulted("was written"));
}

static void test_work_waits(void) {
  uint64_t memory = allocate(4);
  unsigned char bytes[4] = {0};
  CHECK(cuMemcpyDtoHAsync_v2(bytes, memory, 4, stream) == 0);
  CHECK(bytes[0] == 0); // not yet
  CHECK(cuStreamSynchronize(stream) == 0);
  CHECK(bytes[0] == 0xFF); // fresh memory
}

static void test_divergence(const char *kernel, const char *text) {
  uint64_t buffer = 0;
  fresh_context_t kept = enter_fresh_context();
  buffer = allocate(4);
  check_fault(kernel, 64, 0, &buffer, 1, text);
  leave_fresh_context(kept);
}

int main(void) {
  driver->use_device(0);
  CHECK(cuStreamCreate(&stream, NON_BLOCKING) == 0);
  load();
  test_sum();
  test_rotate();
  test_matrix();
  test_refusals();
  test_work_waits();
  test_divergence("lost_at_barrier", "waits at a barrier");
  test_divergence("lost_in_shuffle", "waits in a shuffle");
  CHECK(cuStreamDestroy_v2(stream) == 0 && cuModuleUnload(module) == 0);
  CHECK(cuDevicePrimaryCtxRelease_v2(0) == 0);
  CHECK(strata_test_driver_alive() == 0);
  return check_result();
}
