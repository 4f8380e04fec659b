// gpu_check LIB.so [SECONDS]: what a library with --on-gpu-tensors --user-device-memory promises, on a real GPU.
//
//   cc -std=gnu11 -O2 -I. test/gpu/gpu_check.c -o gpu_check -ldl -lpthread -lm
//
// Random inputs; then
//   repeat    the same call gives the same bytes
//   graph     captured into a CUDA graph and replayed 1000 times: the same bytes each time
//   calls     through count_driver.c (libcount_driver.so beside this program, if it is there): a call makes no driver
//             call but launches, copies and questions
//   errors    NULL and misaligned pool, NULL and misaligned tensors, a stream of another context: refused, and the next
//             call works
//   threads   8 threads, each with a stream, a pool and tensors of its own, for SECONDS (10): all bytes right
//   memory    after unload as much device memory is free as before load
// Prints one line each and the time of a call; exit status 1 if any fails. Needs no compiler, no LLVM, no CUDA headers.
#define _GNU_SOURCE
#include "runtime/include/strata/runtime.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

//===-- The driver -----------------------------------------------------------------------------------------------===//

// Handles are pointers, device addresses 64 bits wide.
#define CALLS(CALL)                                                                                                    \
  CALL(cuInit, (unsigned))                                                                                             \
  CALL(cuDevicePrimaryCtxRetain, (void **, int))                                                                       \
  CALL(cuCtxSetCurrent, (void *))                                                                                      \
  CALL(cuCtxCreate_v2, (void **, unsigned, int))                                                                       \
  CALL(cuCtxDestroy_v2, (void *))                                                                                      \
  CALL(cuMemAlloc_v2, (uint64_t *, size_t))                                                                            \
  CALL(cuMemFree_v2, (uint64_t))                                                                                       \
  CALL(cuMemGetInfo_v2, (size_t *, size_t *))                                                                          \
  CALL(cuMemcpyHtoDAsync_v2, (uint64_t, const void *, size_t, void *))                                                 \
  CALL(cuMemcpyDtoHAsync_v2, (void *, uint64_t, size_t, void *))                                                       \
  CALL(cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *))                                                     \
  CALL(cuStreamCreate, (void **, unsigned))                                                                            \
  CALL(cuStreamDestroy_v2, (void *))                                                                                   \
  CALL(cuStreamSynchronize, (void *))                                                                                  \
  CALL(cuStreamBeginCapture_v2, (void *, int))                                                                         \
  CALL(cuStreamEndCapture, (void *, void **))                                                                          \
  CALL(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                                             \
  CALL(cuGraphLaunch, (void *, void *))                                                                                \
  CALL(cuGraphExecDestroy, (void *))                                                                                   \
  CALL(cuGraphDestroy, (void *))                                                                                       \
  CALL(cuEventCreate, (void **, unsigned))                                                                             \
  CALL(cuEventRecord, (void *, void *))                                                                                \
  CALL(cuEventSynchronize, (void *))                                                                                   \
  CALL(cuEventElapsedTime, (float *, void *, void *))

#define CALL(name, parameters) static int(*name) parameters;
CALLS(CALL)
#undef CALL

#define MUST(call)                                                                                                     \
  do {                                                                                                                 \
    int error_ = (call);                                                                                               \
    if (error_) {                                                                                                      \
      fprintf(stderr, "gpu_check: %s: error %d\n", #call, error_);                                                     \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static void *find(void *handle, const char *name) {
  void *symbol = dlsym(handle, name);
  if (!symbol) {
    fprintf(stderr, "gpu_check: no %s: %s\n", name, dlerror());
    exit(1);
  }
  return symbol;
}

static void open_driver(void) {
  const char *given = getenv("STRATA_CUDA_DRIVER");
  void *handle = dlopen(given ? given : "libcuda.so.1", RTLD_NOW);
  if (!handle) {
    fprintf(stderr, "gpu_check: %s\n", dlerror());
    exit(1);
  }
#define CALL(name, parameters) *(void **)&name = find(handle, #name);
  CALLS(CALL)
#undef CALL
}

//===-- The library and what a caller of it has ------------------------------------------------------------------===//

static const strata_library_t *library;
static void *context;
static bool has_failed;

static void report(const char *name, bool ok, const char *details) {
  printf("%-8s %s%s%s\n", name, ok ? "ok" : "FAILED", *details ? ": " : "", details);
  has_failed |= !ok;
}

static size_t n_tensors(void) { return library->n_inputs + library->n_outputs; }
static const strata_tensor_info_t *info_of(size_t i) {
  return i < library->n_inputs ? library->inputs[i] : library->outputs[i - library->n_inputs];
}

enum { MAX_TENSORS = 1024 };

typedef struct {
  void *stream, *pool;
  void *tensors[MAX_TENSORS];
  size_t output_size;
  char *expected, *got; // all outputs, one after the other
} caller_t;

static void *allocate(size_t size) {
  uint64_t memory;
  MUST(cuMemAlloc_v2(&memory, size ? size : 1));
  return (void *)(uintptr_t)memory;
}

static uint64_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

// Small values of every type: floats in [-1, 1), integers and booleans 0 or 1.
static void randomise(char *out, const strata_tensor_info_t *info, uint64_t seed) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  size_t count = 1;
  for (uint32_t d = 0; d < info->rank; d++)
    count *= (size_t)info->shape[d];
  size_t size = count ? info->size / count : 1;
  for (size_t i = 0; i < count && size; i++) {
    double unit = (double)next_random(&state) / (double)(UINT64_C(1) << 31) * 2 - 1;
    float single = (float)unit;
    _Float16 half = (_Float16)unit;
    int64_t integer = unit > 0;
    uint32_t bits;
    memcpy(&bits, &single, 4);
    uint16_t bf16 = (uint16_t)(bits >> 16);
    const void *value = info->dtype == 1   ? (void *)&unit // STRATA_DTYPE_F64, F32, F16, BF16
                        : info->dtype == 2 ? (void *)&single
                        : info->dtype == 3 ? (void *)&half
                        : info->dtype == 4 ? (void *)&bf16
                                           : (void *)&integer;
    memcpy(out + i * size, value, size);
  }
}

static void create_caller(caller_t *caller, uint64_t seed) {
  *caller = (caller_t){.pool = allocate(library->device_memory_size(NULL))};
  MUST(cuStreamCreate(&caller->stream, 1)); // not ordered with the default stream
  for (size_t i = 0; i < n_tensors(); i++) {
    size_t size = info_of(i)->size;
    caller->tensors[i] = allocate(size);
    if (i >= library->n_inputs) {
      caller->output_size += size;
      continue;
    }
    char *data = calloc(size + 8, 1);
    randomise(data, info_of(i), seed + i);
    MUST(cuMemcpyHtoDAsync_v2((uintptr_t)caller->tensors[i], data, size, caller->stream));
    MUST(cuStreamSynchronize(caller->stream));
    free(data);
  }
  caller->expected = calloc(caller->output_size + 1, 1);
  caller->got = calloc(caller->output_size + 1, 1);
}

static void destroy_caller(caller_t *caller) {
  for (size_t i = 0; i < n_tensors(); i++)
    MUST(cuMemFree_v2((uintptr_t)caller->tensors[i]));
  MUST(cuMemFree_v2((uintptr_t)caller->pool));
  MUST(cuStreamDestroy_v2(caller->stream));
  free(caller->expected);
  free(caller->got);
}

static int call(const caller_t *caller) { return library->run(caller->tensors, NULL, caller->pool, caller->stream); }

// Outputs that no call has written.
static void clear_outputs(const caller_t *caller) {
  for (size_t i = library->n_inputs; i < n_tensors(); i++)
    if (info_of(i)->size)
      MUST(cuMemsetD8Async((uintptr_t)caller->tensors[i], 0xFF, info_of(i)->size, caller->stream));
}

static void download(const caller_t *caller, char *out) {
  for (size_t i = library->n_inputs; i < n_tensors(); i++) {
    if (info_of(i)->size)
      MUST(cuMemcpyDtoHAsync_v2(out, (uintptr_t)caller->tensors[i], info_of(i)->size, caller->stream));
    out += info_of(i)->size;
  }
  MUST(cuStreamSynchronize(caller->stream));
}

static bool is_expected(const caller_t *caller) {
  download(caller, caller->got);
  return memcmp(caller->got, caller->expected, caller->output_size) == 0;
}

static bool must_call(const caller_t *caller) {
  int status = call(caller);
  if (status)
    fprintf(stderr, "gpu_check: status %d: %s\n", status, library->error());
  return status == 0;
}

static void make_expected(caller_t *caller) {
  clear_outputs(caller);
  if (!must_call(caller))
    exit(1);
  download(caller, caller->expected);
}

//===-- Checks ---------------------------------------------------------------------------------------------------===//

static void check_repeat(caller_t *caller) {
  bool ok = true;
  for (int i = 0; i < 10 && ok; i++) {
    clear_outputs(caller);
    ok = must_call(caller) && is_expected(caller);
  }
  report("repeat", ok, "");
}

static void check_graph(caller_t *caller) {
  enum { REPLAYS = 1000 };
  void *graph, *instance;
  int n_right = 0;
  MUST(cuStreamBeginCapture_v2(caller->stream, 0)); // global: any unsafe call of this process breaks it
  bool ok = must_call(caller);
  MUST(cuStreamEndCapture(caller->stream, &graph));
  MUST(cuGraphInstantiateWithFlags(&instance, graph, 0));
  for (int i = 0; i < REPLAYS && ok; i++) {
    clear_outputs(caller);
    MUST(cuGraphLaunch(instance, caller->stream));
    n_right += is_expected(caller);
  }
  MUST(cuGraphExecDestroy(instance));
  MUST(cuGraphDestroy(graph));
  char text[64];
  snprintf(text, sizeof text, "%d of %d replays right", n_right, REPLAYS);
  report("graph", n_right == REPLAYS, text);
}

// Driver calls of 100 calls of the library, by function.
typedef const char *(*get_count_t)(int index, uint64_t *out_count);

static bool may_call(const char *symbol) {
  static const char *const allowed[] = {"cuLaunchKernelEx", "cuMemcpyDtoDAsync_v2",   "cuCtxGetCurrent",
                                        "cuStreamGetCtx",   "cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col"};
  for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
    if (strcmp(symbol, allowed[i]) == 0)
      return true;
  return false;
}

static void check_calls(caller_t *caller, get_count_t get_count) {
  enum { MAX_FUNCTIONS = 256, RUNS = 100 };
  uint64_t before[MAX_FUNCTIONS] = {0}, after;
  char text[512] = "";
  bool ok = true;
  if (!get_count)
    return report("calls", true, "not counted: no libcount_driver.so beside this program");
  for (int i = 0; i < MAX_FUNCTIONS && get_count(i, &before[i]);)
    i++;
  for (int i = 0; i < RUNS; i++)
    ok &= must_call(caller);
  const char *symbol;
  for (int i = 0; (symbol = get_count(i, &after)); i++)
    if (after != before[i]) {
      size_t length = strlen(text);
      snprintf(text + length, sizeof text - length, "%s%s %.2f", length ? ", " : "", symbol,
               (double)(after - before[i]) / RUNS);
      ok &= may_call(symbol);
    }
  MUST(cuStreamSynchronize(caller->stream));
  report("calls", ok, text);
}

static bool refuses(caller_t *caller, void *const *tensors, void *pool, void *stream) {
  int status = library->run(tensors, NULL, pool, stream);
  if (!status)
    fprintf(stderr, "gpu_check: accepted what must be refused\n");
  return status && *library->error() && must_call(caller) && is_expected(caller);
}

static void check_errors(caller_t *caller) {
  void *tensors[MAX_TENSORS], *other, *foreign;
  bool ok = true;
  memcpy(tensors, caller->tensors, sizeof tensors);
  if (library->device_memory_size(NULL)) {
    ok &= refuses(caller, tensors, NULL, caller->stream);
    ok &= refuses(caller, tensors, (char *)caller->pool + 16, caller->stream);
  }
  tensors[0] = NULL;
  ok &= refuses(caller, tensors, caller->pool, caller->stream);
  tensors[0] = (char *)caller->tensors[0] + 1;
  ok &= refuses(caller, tensors, caller->pool, caller->stream);
  MUST(cuCtxCreate_v2(&other, 0, 0));
  MUST(cuStreamCreate(&foreign, 1));
  MUST(cuCtxSetCurrent(context));
  ok &= refuses(caller, caller->tensors, caller->pool, foreign);
  MUST(cuCtxSetCurrent(other)); // not loaded there
  int status = library->run(caller->tensors, NULL, caller->pool, foreign);
  ok &= status != 0;
  MUST(cuStreamDestroy_v2(foreign));
  MUST(cuCtxDestroy_v2(other));
  MUST(cuCtxSetCurrent(context));
  ok &= must_call(caller) && is_expected(caller);
  report("errors", ok, "");
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

enum { N_THREADS = 8 };
static double seconds = 10;

typedef struct {
  caller_t caller;
  long n_calls, n_wrong;
} worker_t;

static void *work(void *argument) {
  worker_t *worker = argument;
  double end = now() + seconds;
  MUST(cuCtxSetCurrent(context));
  while (now() < end || worker->n_calls < 3) {
    clear_outputs(&worker->caller);
    for (int i = 0; i < 4; i++) // several in flight
      worker->n_wrong += !must_call(&worker->caller);
    worker->n_wrong += !is_expected(&worker->caller);
    worker->n_calls += 4;
  }
  return NULL;
}

static void check_threads(void) {
  static worker_t workers[N_THREADS];
  pthread_t threads[N_THREADS];
  long n_calls = 0, n_wrong = 0;
  for (int i = 0; i < N_THREADS; i++) {
    create_caller(&workers[i].caller, 100 + (uint64_t)i * 1000);
    make_expected(&workers[i].caller);
  }
  for (int i = 0; i < N_THREADS; i++)
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
      exit(1);
  for (int i = 0; i < N_THREADS; i++) {
    pthread_join(threads[i], NULL);
    n_calls += workers[i].n_calls;
    n_wrong += workers[i].n_wrong;
    destroy_caller(&workers[i].caller);
  }
  char text[96];
  snprintf(text, sizeof text, "%ld calls in %g s, %ld wrong", n_calls, seconds, n_wrong);
  report("threads", n_wrong == 0, text);
}

static void print_time(caller_t *caller) {
  enum { RUNS = 100 };
  void *begin, *end;
  float milliseconds;
  MUST(cuEventCreate(&begin, 0));
  MUST(cuEventCreate(&end, 0));
  MUST(cuEventRecord(begin, caller->stream));
  for (int i = 0; i < RUNS; i++)
    must_call(caller);
  MUST(cuEventRecord(end, caller->stream));
  MUST(cuEventSynchronize(end));
  MUST(cuEventElapsedTime(&milliseconds, begin, end));
  printf("time     %.4f ms a call, %zu launches, back to back\n", (double)milliseconds / RUNS, library->n_launches);
}

//===-- Main -----------------------------------------------------------------------------------------------------===//

// Puts the counting driver between the library and the real one, if it is beside this program.
static get_count_t open_counter(void) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
  path[length > 0 ? length : 0] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, "libcount_driver.so");
  if (access(path, R_OK) != 0)
    return NULL;
  const char *given = getenv("STRATA_CUDA_DRIVER");
  setenv("STRATA_COUNTED_DRIVER", given ? given : "libcuda.so.1", 1);
  setenv("STRATA_CUDA_DRIVER", path, 1);
  get_count_t get_count;
  *(void **)&get_count = find(dlopen(path, RTLD_NOW), "count_driver_get");
  return get_count;
}

static void open_library(const char *path) {
  char name[1024];
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  const strata_library_t *(*describe)(void);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "gpu_check: %s\n", dlerror());
    exit(1);
  }
  file += strncmp(file, "lib", 3) == 0 ? 3 : 0;
  snprintf(name, sizeof name, "%.*s_library", (int)strcspn(file, "."), file);
  *(void **)&describe = find(handle, name);
  library = describe();
  uint32_t wanted = STRATA_LIBRARY_USER_MEMORY | STRATA_LIBRARY_DEVICE_TENSORS;
  if ((library->flags & wanted) == wanted && n_tensors() <= MAX_TENSORS)
    return;
  fprintf(stderr, "gpu_check: %s: expected a library made with --on-gpu-tensors --user-device-memory\n", path);
  exit(1);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: gpu_check ./libNAME.so [SECONDS]\n");
    return 1;
  }
  if (argc > 2)
    seconds = strtod(argv[2], NULL);
  size_t free_before, free_after, total;
  caller_t caller;
  open_driver();
  get_count_t get_count = open_counter();
  open_library(argv[1]);
  MUST(cuInit(0));
  MUST(cuDevicePrimaryCtxRetain(&context, 0));
  MUST(cuCtxSetCurrent(context));
  MUST(cuMemGetInfo_v2(&free_before, &total));
  create_caller(&caller, 1);
  if (call(&caller) == 0)
    report("load", false, "a call before load was accepted");
  if (library->load(NULL, caller.stream)) {
    fprintf(stderr, "gpu_check: load: %s\n", library->error());
    return 1;
  }
  make_expected(&caller);
  check_repeat(&caller);
  check_graph(&caller);
  check_calls(&caller, get_count);
  check_errors(&caller);
  check_threads();
  print_time(&caller);
  destroy_caller(&caller);
  bool unloaded = library->unload() == 0;
  MUST(cuMemGetInfo_v2(&free_after, &total));
  char text[96];
  snprintf(text, sizeof text, "%lld KiB less free than before",
           ((long long)free_before - (long long)free_after) / 1024);
  // The driver keeps some of what it took for itself: streams, graphs, local memory.
  report("memory", unloaded && free_before <= free_after + (64 << 20), text);
  return has_failed;
}
