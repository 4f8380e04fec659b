// On each driver, every call of it is made to fail in turn: each time there is the right status and message, nothing is
// left behind, and the next calls work. Then: no driver, no device, a device the library is not for.
#include "test/runtime/gpu/harness.h"

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
  library->set_trace(ignore, NULL);
  int status = step(library, STRATA_OK, library->load(NULL, caller->stream));
  if (!status)
    status = step(library, status, caller_enqueue(library, caller, caller->stream));
  library->set_trace(NULL, NULL);
  return step(library, status, library->unload());
}

// Versions are left out in messages: "cuMemAlloc_v2" is cuMemAlloc, "hipGetDevicePropertiesR0600" ...Properties.
static bool names(const char *text, const char *symbol) {
  char name[64];
  const char *version = strstr(symbol, "R0600");
  size_t length = version ? (size_t)(version - symbol) : strcspn(symbol, "_");
  snprintf(name, sizeof name, "%.*s: ", (int)length, symbol);
  return strstr(text, name) != NULL;
}

// What has been forked cannot be joined if that is what fails.
static void forgive_unjoined(const char *failed) {
  if (strcmp(failed, symbol_of.event_record) == 0 || strcmp(failed, symbol_of.stream_wait_event) == 0)
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
  const char *text = error == OUT_OF_MEMORY ? driver->out_of_memory : driver->launch_failed;
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
  CHECK(!driver->has_maps || strata_test_driver_calls("cuTensorMapEncodeTiled") > n_maps);
}

typedef struct {
  const char *name, *value; // of the environment
  const char *text;         // what a call says; NULL: nothing, it works
} environment_t;

static void call_in_environment(const void *argument) {
  const environment_t *environment = argument;
  const strata_library_t *library = open_library("host", NULL);
  float x[N] = {0}, y[N];
  void *tensors[] = {x, y};
  int expected = environment->text ? STRATA_DEVICE : STRATA_OK;
  setenv(environment->name, environment->value, 1);
  CHECK(library->run(tensors, NULL, NULL, NULL) == expected);
  bool is_right = !environment->text || strstr(library->error(), environment->text);
  if (!is_right)
    fprintf(stderr, "expected '%s', got '%s'\n", environment->text, library->error());
  CHECK(is_right);
  CHECK(library->run(tensors, NULL, NULL, NULL) == expected); // once more
  CHECK(library->load(NULL, NULL) == expected);
  CHECK(library->unload() == STRATA_OK);
}

static void test_environments(void) {
  static char old_driver[4096];
  snprintf(old_driver, sizeof old_driver, "%s/libstrata_test_old_cuda.so", test_folder());
  const environment_t cuda[] = {
      {driver->variable, old_driver, "too old for kernel multiply_by_maps: it has no cuTensorMapEncodeTiled"},
      {driver->variable, "/nowhere/libcuda.so.1", "no driver: /nowhere/libcuda.so.1: cannot open"},
      {driver->variable, "libm.so.6", "the driver libm.so.6 is too old: it has no cuInit"},
      {"STRATA_TEST_DRIVER_DEVICES", "0", "cuInit: CUDA_ERROR_NO_DEVICE"},
      {"STRATA_TEST_DRIVER_ARCH", "75", "compiled for emulated, but the device is sm_75"},
      // Launches that overlap are asked for of drivers that capture them.
      {"STRATA_TEST_DRIVER_VERSION", "12020", NULL}};
  const environment_t hip[] = {
      {driver->variable, "/nowhere/libamdhip64.so", "no driver: /nowhere/libamdhip64.so: cannot open"},
      {driver->variable, "libm.so.6", "the driver libm.so.6 is too old: it has no hipInit"},
      {"STRATA_TEST_DRIVER_DEVICES", "0", "hipInit: hipErrorNoDevice"},
      {"STRATA_TEST_DRIVER_ARCH", "0x90a", "compiled for emulated, but the device is gfx90a"}};
  const environment_t *environments = driver->has_maps ? cuda : hip;
  size_t n = driver->has_maps ? sizeof cuda / sizeof cuda[0] : sizeof hip / sizeof hip[0];
  for (size_t i = 0; i < n; i++)
    check_in_child(call_in_environment, &environments[i]);
}

static void test_user(const char *name, long calls_by_hand, long calls_traced) {
  const strata_library_t *library = open_library(name, NULL);
  caller_t caller = caller_create(library);
  fail_each(library, &caller, live_by_hand, calls_by_hand);
  fail_each(library, &caller, live_traced, calls_traced);
  caller_destroy(&caller);
}

static void test_host(const char *name, long calls) {
  fail_each(open_library(name, NULL), NULL, live_without_context, calls);
}

static void test(void) {
  test_environments();
  driver->use_device(0);
  test_user("user", 40, 40);
  test_user("streams", 100, 80);
  if (driver->has_contexts)
    driver->set_current(NULL);
  driver->release_device(0);
  test_host("host", 35);
  test_host("host_streams", 70);
  test_host("unloading", 60);
  CHECK(strata_test_driver_alive() == 0);
}

int main(void) { return test_each_driver(test); }
