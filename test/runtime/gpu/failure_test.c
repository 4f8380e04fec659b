// Every call of the driver is made to fail in turn: each time there is the right status and message, nothing is left
// behind, and the next calls work. Then: no driver, no device, a device the library is not for.
#include "test/runtime/gpu/harness.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719 };

// Does one thing; returns the first status that is not OK.
typedef int (*scenario_t)(const strata_library_t *library, const caller_t *caller);

// What a failing step said; later steps of the scenario may well succeed.
static char message[256];
static int step(const strata_library_t *library, int first, int status) {
  if (status && !first)
    snprintf(message, sizeof message, "%s", library->error());
  return first ? first : status;
}

static int live_by_hand(const strata_library_t *library, const caller_t *caller) {
  float scale = 2;
  int status = step(library, STRATA_OK, library->load(NULL, caller->stream));
  if (!status) {
    status = step(library, status, caller_run(library, caller));
    status = step(library, status, library->set_constant("scale", &scale, caller->stream));
    status = step(library, status, caller_run(library, caller));
  }
  return step(library, status, library->unload());
}

static int live_without_context(const strata_library_t *library, const caller_t *caller) {
  float x[N] = {0}, y[N];
  (void)caller;
  int status = step(library, STRATA_OK, library->run((void *[]){x, y}, NULL, NULL, NULL));
  status = step(library, status, library->run((void *[]){x, y}, NULL, NULL, NULL));
  return step(library, status, library->unload());
}

static void ignore(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  (void)user, (void)launch, (void)threads, (void)nanoseconds;
}

static int live_traced(const strata_library_t *library, const caller_t *caller) {
  void *tensors[] = {(void *)(uintptr_t)caller->x, (void *)(uintptr_t)caller->y};
  library->set_trace(ignore, NULL);
  int status = step(library, STRATA_OK, library->load(NULL, caller->stream));
  if (!status)
    status = step(library, status, library->run(tensors, NULL, (void *)(uintptr_t)caller->pool, caller->stream));
  library->set_trace(NULL, NULL);
  return step(library, status, library->unload());
}

// "cuMemAlloc_v2" is called cuMemAlloc in messages.
static bool names(const char *text, const char *symbol) {
  char name[64];
  snprintf(name, sizeof name, "%.*s: ", (int)strcspn(symbol, "_"), symbol);
  return strstr(text, name) != NULL;
}

// What has been forked cannot be joined if that is what fails.
static void forgive_unjoined(const char *failed) {
  if (strcmp(failed, "cuEventRecord") == 0 || strcmp(failed, "cuStreamWaitEvent") == 0)
    strata_test_driver_take_fault();
}

// One scenario with the |n|-th driver call failing; false if it has fewer calls.
static bool fail_nth(const strata_library_t *library, const caller_t *caller, scenario_t scenario, long n, int error) {
  long alive = strata_test_driver_alive();
  strata_test_driver_fail(NULL, n, error);
  int status = scenario(library, caller);
  const char *failed = strata_test_driver_failed();
  strata_test_driver_fail(NULL, 0, 0);
  if (!failed)
    return CHECK(status == STRATA_OK), false;
  const char *text = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_LAUNCH_FAILED";
  bool is_right = status == (error == OUT_OF_MEMORY ? STRATA_OUT_OF_MEMORY : STRATA_DEVICE) && names(message, failed) &&
                  strstr(message, text);
  if (!is_right)
    fprintf(stderr, "call %ld, %s: status %d, '%s'\n", n, failed, status, message);
  CHECK(is_right);
  forgive_unjoined(failed);
  library->unload();
  if (strata_test_driver_alive() != alive)
    fprintf(stderr, "call %ld, %s: %ld things alive, expected %ld\n", n, failed, strata_test_driver_alive(), alive);
  CHECK(strata_test_driver_alive() == alive);
  CHECK(scenario(library, caller) == STRATA_OK);
  return true;
}

static void fail_each(const strata_library_t *library, const caller_t *caller, scenario_t scenario, long at_least) {
  long n = 1, n_maps = strata_test_driver_calls("cuTensorMapEncodeTiled");
  while (fail_nth(library, caller, scenario, n, n % 2 ? LAUNCH_FAILED : OUT_OF_MEMORY))
    n++;
  CHECK(n > at_least);
  CHECK(strata_test_driver_calls("cuTensorMapEncodeTiled") > n_maps);
}

// In a process of its own, with another environment.
static void check_environment(const char *name, const char *value, const char *text) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const strata_library_t *library = open_library("host", NULL);
    float x[N] = {0}, y[N];
    setenv(name, value, 1);
    CHECK(library->run((void *[]){x, y}, NULL, NULL, NULL) == STRATA_DEVICE);
    if (!strstr(library->error(), text))
      fprintf(stderr, "expected '%s', got '%s'\n", text, library->error());
    CHECK(strstr(library->error(), text));
    CHECK(library->run((void *[]){x, y}, NULL, NULL, NULL) == STRATA_DEVICE); // once more
    CHECK(library->load(NULL, NULL) == STRATA_DEVICE);
    CHECK(library->unload() == STRATA_OK);
    _exit(check_result());
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Launches that overlap are asked for of drivers that capture them.
static void test_older_driver(void) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const strata_library_t *library = open_library("host", NULL);
    float x[N] = {0}, y[N];
    setenv("STRATA_TEST_DRIVER_VERSION", "12020", 1);
    CHECK(library->run((void *[]){x, y}, NULL, NULL, NULL) == STRATA_OK);
    CHECK(library->unload() == STRATA_OK);
    _exit(check_result());
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  char old_driver[4096];
  snprintf(old_driver, sizeof old_driver, "%s/libstrata_test_old_cuda.so", test_folder());
  check_environment("STRATA_CUDA_DRIVER", old_driver,
                    "too old for kernel multiply_by_maps: it has no cuTensorMapEncodeTiled");
  check_environment("STRATA_CUDA_DRIVER", "/nowhere/libcuda.so.1", "no driver: /nowhere/libcuda.so.1: cannot open");
  check_environment("STRATA_CUDA_DRIVER", "libm.so.6", "the driver libm.so.6 is too old: it has no cuInit");
  check_environment("STRATA_TEST_DRIVER_DEVICES", "0", "cuInit: CUDA_ERROR_NO_DEVICE");
  check_environment("STRATA_TEST_DRIVER_ARCH", "75", "compiled for emulated, but the device is sm_75");
  test_older_driver();
  const strata_library_t *user = open_library("user", NULL), *host = open_library("host", NULL);
  const strata_library_t *streams = open_library("streams", NULL), *host_streams = open_library("host_streams", NULL);
  use_device(0);
  caller_t caller = caller_create(user);
  fail_each(user, &caller, live_by_hand, 40);
  fail_each(user, &caller, live_traced, 40);
  caller_destroy(&caller);
  caller = caller_create(streams);
  fail_each(streams, &caller, live_by_hand, 100);
  fail_each(streams, &caller, live_traced, 80);
  caller_destroy(&caller);
  CHECK(cuCtxSetCurrent(NULL) == 0 && cuDevicePrimaryCtxRelease_v2(0) == 0);
  fail_each(host, NULL, live_without_context, 50);
  fail_each(host_streams, NULL, live_without_context, 70);
  CHECK(strata_test_driver_alive() == 0);
  return check_result();
}
