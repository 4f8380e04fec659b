// The cpu runtime around a program written by hand: parallel regions, concurrent calls, fork, loading and unloading,
// errors, and constants that are set.
//
// The program computes y[i] = x[i] * scale + packed[i] for N elements in two launches through the pool of the
// workspace, where packed[i] = w[N - 1 - i] + bias is what the preparation makes of two constants.
#include "runtime/base/dtype.h"
#include "runtime/base/status.h"
#include "runtime/cpu/program.h"
#include "test/support/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000, SCRATCH = 512 };

//===-- The program ----------------------------------------------------------------------------------------------===//

// Each task takes one element and leaves its mark in the thread's scratch, which nobody else may touch meanwhile.
static void multiply(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  const float *x = buffers[0], *scale = buffers[1];
  float *t = buffers[2];
  volatile int64_t *mark = scratch;
  for (int64_t i = begin; i < end; i++) {
    *mark = i;
    t[i] = x[i] * *scale;
    CHECK(*mark == i);
  }
}

static void add(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  const float *t = buffers[0], *packed = buffers[1];
  float *y = buffers[2];
  (void)scratch;
  for (int64_t i = begin; i < end; i++)
    y[i] = t[i] + packed[i];
}

static void reverse(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  const float *w = buffers[0];
  float *reversed = buffers[1];
  (void)scratch;
  for (int64_t i = begin; i < end; i++)
    reversed[i] = w[N - 1 - i];
}

static void add_bias(void *const *buffers, int64_t begin, int64_t end, void *scratch) {
  const float *reversed = buffers[0], *bias = buffers[1];
  float *packed = buffers[2];
  (void)scratch;
  for (int64_t i = begin; i < end; i++)
    packed[i] = reversed[i] + *bias;
}

static const strata_rt_kernel_t kernels[] = {{multiply, N}, {add, N}, {reverse, N}, {add_bias, N}};

// Constants: 0 scale, 1 w (left out), 2 reversed (not kept), 3 bias, 4 packed.
static struct { _Alignas(256) float scale[64], bias[64], packed[N]; } weights;
static const strata_rt_constant_t constants[] = {
    {0, 4, true}, {0, N * 4, false}, {0, N * 4, false}, {256, 4, true}, {512, N * 4, true}};
static const uint32_t public_constants[] = {0, 1, 3};

static const strata_rt_arg_t main_args[] = {{STRATA_RT_TENSOR, 0, 0},   {STRATA_RT_CONSTANT, 0, 0},
                                            {STRATA_RT_POOL, 0, 256},   {STRATA_RT_POOL, 0, 256},
                                            {STRATA_RT_CONSTANT, 4, 0}, {STRATA_RT_TENSOR, 1, 0}};
#define LAUNCH(kernel_, n_args_, first_, size_)                                                                        \
  { .kernel = kernel_, .n_args = n_args_, .first_arg = first_, .size = size_ }
static const strata_rt_launch_t main_launches[] = {LAUNCH(0, 3, 0, 0), LAUNCH(1, 3, 3, 0)};
static const strata_rt_arg_t prepare_args[] = {{STRATA_RT_CONSTANT, 1, 0},
                                               {STRATA_RT_PREPARED, 2, 0},
                                               {STRATA_RT_PREPARED, 2, 0},
                                               {STRATA_RT_CONSTANT, 3, 0},
                                               {STRATA_RT_PREPARED, 4, 0}};
static const strata_rt_launch_t prepare_launches[] = {LAUNCH(2, 2, 0, 0), LAUNCH(3, 3, 2, 0)};

static const int64_t shape[] = {N};
static const strata_tensor_info_t input = {"x", "x", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t output = {"y", "y", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t scale_info = {"scale", "scale", STRATA_DTYPE_F32, 0, NULL, 4};
static const strata_tensor_info_t w_info = {"w", "w", STRATA_DTYPE_F32, 1, shape, N * 4};
static const strata_tensor_info_t bias_info = {"bias", "bias", STRATA_DTYPE_F32, 0, NULL, 4};
static const strata_tensor_info_t *const inputs[] = {&input}, *const outputs[] = {&output};
static const strata_tensor_info_t *const constant_infos[] = {&scale_info, &w_info, &bias_info};
static const strata_kernel_info_t kernel_infos[] = {{"multiply", N, 0, 0}, {"add", N, 0, 0}};
static const strata_kernel_info_t *const kernel_info_list[] = {&kernel_infos[0], &kernel_infos[1]};
static const uint32_t launches[] = {0, 1};
static const strata_library_t library = {.struct_size = sizeof library,
                                         .name = "test",
                                         .n_inputs = 1,
                                         .inputs = inputs,
                                         .n_outputs = 1,
                                         .outputs = outputs,
                                         .n_constants = 3,
                                         .constants = constant_infos,
                                         .n_kernels = 2,
                                         .kernels = kernel_info_list,
                                         .n_launches = 2,
                                         .launches = launches};

const strata_rt_program_t strata_rt_program = {.library = &library,
                                               .main = {main_launches, 2, main_args},
                                               .prepare = {prepare_launches, 2, prepare_args},
                                               .kernels = kernels,
                                               .constants = constants,
                                               .public_constants = public_constants,
                                               .n_constants = 5,
                                               .pool_size = 256 + N * 4,
                                               .scratch_size = SCRATCH,
                                               .max_args = 3,
                                               .weights = &weights,
                                               .weights_size = sizeof weights,
                                               .default_threads = 4};

//===-- Tests ----------------------------------------------------------------------------------------------------===//

static int call(float *x, float *y) { return strata_rt_run((void *[]){x, y}, NULL, NULL, NULL); }

static void fill(float *x, int seed) {
  for (int i = 0; i < N; i++)
    x[i] = (float)((i * 7 + seed) % 101);
}

// One call, compared with the formula; w is all zeros unless it was set.
static void check_call(int seed, float scale, const float *w, float bias) {
  float x[N], y[N];
  fill(x, seed);
  CHECK(call(x, y) == STRATA_OK);
  for (int i = 0; i < N; i++)
    CHECK(y[i] == x[i] * scale + (w ? w[N - 1 - i] : 0) + bias);
}

static void *call_many(void *argument) {
  for (int i = 0; i < 2000; i++)
    check_call(i + *(int *)argument, 2, NULL, 1);
  return NULL;
}

static void *change_threads(void *argument) {
  (void)argument;
  for (int i = 0; i < 200; i++) {
    CHECK(strata_rt_set_threads(1 + i % 5) == STRATA_OK);
    strata_rt_unload(); // refused while a call is running
  }
  CHECK(strata_rt_set_threads(4) == STRATA_OK);
  return NULL;
}

static void test_concurrent_calls(void) {
  pthread_t threads[5];
  int seeds[4] = {0, 10, 20, 30};
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, call_many, &seeds[i]) == 0);
  CHECK(pthread_create(&threads[4], NULL, change_threads, NULL) == 0);
  for (int i = 0; i < 5; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

// Workers wake, or come to a region, that is over: two that spin for a while, and more than there are processors, which
// sleep at once.
static void test_late_workers(void) {
  static const int n_threads[] = {2, 64};
  for (int which = 0; which < 2; which++) {
    CHECK(strata_rt_set_threads(n_threads[which]) == STRATA_OK);
    for (int i = 0; i < 400; i++) {
      check_call(i, 2, NULL, 1);
      usleep((useconds_t)(i % 8 * 100));
    }
  }
  CHECK(strata_rt_set_threads(4) == STRATA_OK);
}

static void test_errors(void) {
  float x[N + 1] = {0}, y[N];
  CHECK(call(NULL, y) == STRATA_INVALID_ARGUMENT);
  CHECK(strstr(strata_rt_error(), "x is NULL"));
  CHECK(call(x, (float *)(void *)((char *)y + 1)) == STRATA_INVALID_ARGUMENT);
  CHECK(strstr(strata_rt_error(), "y must be aligned to 4 bytes"));
  CHECK(strata_rt_set_threads(-1) == STRATA_INVALID_ARGUMENT);
  CHECK(strata_rt_set_constant("nothing", x, NULL) == STRATA_NOT_FOUND);
}

static void test_fork(void) {
  check_call(1, 2, NULL, 1);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) { // twice: the first call starts the threads again
    check_call(2, 2, NULL, 1);
    check_call(3, 2, NULL, 1);
    _exit(strata_rt_unload() == STRATA_OK ? 0 : 1);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  check_call(4, 2, NULL, 1);
}

static unsigned traced;
static void count_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  CHECK(user == &traced && launch == traced % 2 && threads >= 1);
  (void)nanoseconds;
  traced++;
}

static void test_trace(void) {
  strata_rt_set_trace(count_launch, &traced);
  check_call(1, 2, NULL, 1);
  strata_rt_set_trace(NULL, NULL);
  check_call(1, 2, NULL, 1);
  CHECK(traced == 2);
}

static void test_constants(void) {
  float w[N], scale = 3, bias = 5;
  fill(w, 3);
  CHECK(strata_rt_set_constant("scale", &scale, NULL) == STRATA_OK);
  check_call(1, 3, NULL, 1);
  // The bias is added to w, which the library does not have until it is set.
  CHECK(strata_rt_set_constant("bias", &bias, NULL) == STRATA_OK);
  CHECK(call(w, w) == STRATA_NOT_LOADED);
  CHECK(strstr(strata_rt_error(), "constant 'w' must be set too"));
  CHECK(strata_rt_set_constant("w", w, NULL) == STRATA_OK);
  check_call(1, 3, w, 5);
  bias = 7;
  CHECK(strata_rt_set_constant("bias", &bias, NULL) == STRATA_OK);
  check_call(1, 3, w, 7);
  CHECK(strata_rt_unload() == STRATA_OK);
  check_call(1, 2, NULL, 1); // as compiled
}

static void test_weights_memory(void) {
  CHECK(strata_rt_unload() == STRATA_OK);
  char *memory = aligned_alloc(256, strata_rt_weights_size() / 256 * 256 + 256);
  CHECK(strata_rt_load(memory + 1, NULL) == STRATA_INVALID_ARGUMENT);
  CHECK(strata_rt_load(memory, NULL) == STRATA_OK);
  CHECK(strata_rt_load(memory, NULL) == STRATA_INVALID_ARGUMENT); // already loaded
  CHECK(strata_rt_load(NULL, NULL) == STRATA_OK);
  check_call(1, 2, NULL, 1);
  CHECK(strata_rt_unload() == STRATA_OK);
  free(memory);
}

int main(void) {
  *weights.scale = 2;
  *weights.bias = 1;
  for (int i = 0; i < N; i++)
    weights.packed[i] = 1;
  test_concurrent_calls();
  test_late_workers();
  test_errors();
  test_fork();
  test_trace();
  test_constants();
  test_weights_memory();
  return check_result();
}
