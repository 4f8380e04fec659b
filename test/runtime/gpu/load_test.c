// The GPU runtime around a program written by hand, on each driver: loading, calls, constants, devices, graphs, errors,
// fork.
#include "test/runtime/gpu/harness.h"

int cuCtxCreate_v2(void **out, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);

static const strata_library_t *library; // with the caller's memory

static void check_fails(int status, int expected, const char *text) {
  CHECK(status == expected);
  if (!strstr(library->error(), text))
    fprintf(stderr, "expected '%s', got '%s'\n", text, library->error());
  CHECK(strstr(library->error(), text));
}

static void test_before_load(void) {
  char memory[512];
  void *x = memory + 256 - (uintptr_t)memory % 256;
  check_fails(library->run((void *[]){x, x}, NULL, x, NULL), STRATA_NOT_LOADED, "call test_load first");
  check_fails(library->set_constant("scale", x, NULL), STRATA_NOT_LOADED, "call test_load first");
  CHECK(library->unload() == STRATA_OK);
}

static void test_arguments(void) {
  caller_t caller = caller_create(library);
  char *x = caller.x, *y = caller.y, *pool = caller.pool;
  long before = strata_test_driver_executed();
  check_fails(library->run((void *[]){NULL, y}, NULL, pool, caller.stream), STRATA_INVALID_ARGUMENT, "x is NULL");
  check_fails(library->run((void *[]){x, y + 8}, NULL, pool, caller.stream), STRATA_INVALID_ARGUMENT,
              "y must be aligned to 16 bytes");
  check_fails(library->run((void *[]){x, y}, NULL, NULL, caller.stream), STRATA_INVALID_ARGUMENT,
              "device_memory is NULL");
  check_fails(library->run((void *[]){x, y}, NULL, pool + 16, caller.stream), STRATA_INVALID_ARGUMENT,
              "device_memory must be aligned to 256 bytes");
  check_fails(library->load(pool + 128, NULL), STRATA_INVALID_ARGUMENT, "must be aligned to 256 bytes");
  check_fails(library->load(pool, NULL), STRATA_INVALID_ARGUMENT, "already loaded");
  check_fails(library->set_constant("nothing", x, NULL), STRATA_NOT_FOUND, "no constant 'nothing'");
  check_fails(library->set_constant(NULL, x, NULL), STRATA_INVALID_ARGUMENT, "NULL");
  CHECK(call.synchronize() == 0);
  CHECK(strata_test_driver_executed() == before); // nothing was launched
  CHECK(library->load(NULL, NULL) == STRATA_OK);  // is no error
  caller_destroy(&caller);
}

static void test_calls(void) {
  caller_t caller = caller_create(library);
  long modules = N_CALLS_OF(load_module);
  for (int i = 0; i < 5; i++)
    caller_check(library, &caller, i, 2, NULL, 1);
  CHECK(N_CALLS_OF(load_module) == modules);
  caller_destroy(&caller);
}

static void test_graph(void) {
  caller_t caller = caller_create(library);
  void *graph, *instance;
  float x[N], y[N];
  CHECK(call.begin_capture(caller.stream, 0) == 0);
  CHECK(caller_run(library, &caller) == STRATA_OK);
  check_fails(library->load(NULL, NULL), STRATA_OK, ""); // is loaded: nothing to be done
  float bias = 1;
  check_fails(library->set_constant("bias", &bias, caller.stream), STRATA_INVALID_ARGUMENT, "being captured");
  CHECK(call.end_capture(caller.stream, &graph) == 0);
  CHECK(call.graph_instantiate(&instance, graph, 0) == 0);
  for (int i = 0; i < 3; i++) {
    fill(x, i);
    CHECK(call.upload(caller.x, x, BYTES, caller.stream) == 0);
    CHECK(call.graph_launch(instance, caller.stream) == 0);
    CHECK(call.download(y, caller.y, BYTES, caller.stream) == 0);
    CHECK(call.stream_synchronize(caller.stream) == 0);
    CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
  }
  CHECK(call.instance_destroy(instance) == 0 && call.graph_destroy(graph) == 0);
  caller_destroy(&caller);
}

static void test_constants(void) {
  caller_t caller = caller_create(library);
  float w[N], scale = 3, bias = 5;
  fill(w, 3);
  CHECK(library->set_constant("scale", &scale, caller.stream) == STRATA_OK);
  caller_check(library, &caller, 1, 3, NULL, 1);
  // The bias is added to w, which the library does not have until it is set.
  CHECK(library->set_constant("bias", &bias, NULL) == STRATA_OK);
  check_fails(caller_run(library, &caller), STRATA_NOT_LOADED, "constant 'w' must be set too");
  CHECK(library->set_constant("w", w, NULL) == STRATA_OK);
  caller_check(library, &caller, 1, 3, w, 5);
  bias = 7;
  CHECK(library->set_constant("bias", &bias, NULL) == STRATA_OK);
  caller_check(library, &caller, 1, 3, w, 7);
  CHECK(library->unload() == STRATA_OK && library->load(NULL, caller.stream) == STRATA_OK);
  caller_check(library, &caller, 1, 2, NULL, 1); // as compiled
  caller_destroy(&caller);
}

static unsigned traced;
static void count_launch(void *user, size_t launch, unsigned threads, uint64_t nanoseconds) {
  CHECK(user == &traced && launch == traced % 3 && (threads == 8 * 128 || launch == 1) && nanoseconds < 1000000000);
  traced++;
}

static void test_trace(void) {
  caller_t caller = caller_create(library);
  library->set_trace(count_launch, &traced);
  CHECK(caller_enqueue(library, &caller, caller.stream) == STRATA_OK);
  CHECK(traced == 3);
  library->set_trace(NULL, NULL);
  caller_check(library, &caller, 1, 2, NULL, 1);
  CHECK(traced == 3);
  caller_destroy(&caller);
}

static void test_weights_memory(void) {
  CHECK(library->unload() == STRATA_OK);
  void *memory;
  CHECK(call.allocate(&memory, library->weights_size()) == 0);
  caller_t caller = caller_create(library);
  long allocations = N_CALLS_OF(allocate);
  CHECK(library->load(memory, caller.stream) == STRATA_OK);
  CHECK(N_CALLS_OF(allocate) == allocations);
  caller_check(library, &caller, 1, 2, NULL, 1);
  CHECK(library->unload() == STRATA_OK);
  CHECK(call.free(memory) == 0); // is still ours
  CHECK(library->load(NULL, NULL) == STRATA_OK);
  caller_destroy(&caller);
}

// A thread without a context works in that of the stream.
static void check_without_context(const caller_t *caller) {
  driver->set_current(NULL);
  CHECK(caller_run(library, caller) == STRATA_OK);
  CHECK(driver->get_current() == NULL);
}

static void test_devices(void) {
  caller_t first = caller_create(library);
  void *old = driver->get_current();
  driver->use_device(1);
  void *now = driver->get_current();
  CHECK(now != old);
  caller_t second = caller_create(library);
  check_fails(caller_run(library, &second), STRATA_NOT_LOADED, "in this context");
  check_fails(caller_enqueue(library, &second, first.stream), STRATA_INVALID_ARGUMENT,
              driver->has_contexts ? "another context" : "another device");
  CHECK(library->load(NULL, second.stream) == STRATA_OK);
  caller_check(library, &second, 2, 2, NULL, 1);
  driver->set_current(old);
  caller_check(library, &first, 3, 2, NULL, 1);
  CHECK(driver->get_current() == old);
  if (driver->has_contexts)
    check_without_context(&second);
  driver->set_current(now);
  caller_destroy(&second);
  driver->set_current(old);
  caller_destroy(&first);
}

static void test_lost_context(void) {
  void *old = driver->get_current(), *context;
  CHECK(library->unload() == STRATA_OK);
  CHECK(cuCtxCreate_v2(&context, 0, 0) == 0 && library->load(NULL, NULL) == STRATA_OK);
  CHECK(cuCtxDestroy_v2(context) == 0);
  driver->set_current(old);
  check_fails(library->unload(), STRATA_DEVICE, "cuCtxPushCurrent: CUDA_ERROR_INVALID_CONTEXT");
  CHECK(library->unload() == STRATA_OK);
  CHECK(library->load(NULL, NULL) == STRATA_OK);
}

static void use_after_fork(const void *argument) {
  char memory[512];
  void *x = memory + 256 - (uintptr_t)memory % 256;
  (void)argument;
  check_fails(library->run((void *[]){x, x}, NULL, x, NULL), STRATA_DEVICE, "used before a fork");
  check_fails(library->load(NULL, NULL), STRATA_DEVICE, "used before a fork");
  check_fails(library->unload(), STRATA_DEVICE, "used before a fork");
}

// A program that knows nothing of GPUs: no context, tensors on the host.
static void test_host_tensors(void) {
  const strata_library_t *host = open_library("host", NULL);
  driver->set_current(driver->has_contexts ? NULL : driver->get_current());
  for (int i = 0; i < 3; i++)
    host_check(host, i);
  float bias = 1;
  CHECK(host->set_constant("scale", &(float){2}, NULL) == STRATA_OK);
  CHECK(host->set_constant("nothing", &bias, NULL) == STRATA_NOT_FOUND);
  host_check(host, 7);
  CHECK(host->unload() == STRATA_OK);
  host_check(host, 8);
  CHECK(host->unload() == STRATA_OK);
}

// Nothing stays behind a call, unless the library was loaded by hand or has a constant of the caller's.
static void test_unloading(void) {
  const strata_library_t *each = open_library("unloading", NULL);
  long alive = strata_test_driver_alive(), modules = N_CALLS_OF(load_module);
  for (int i = 0; i < 3; i++) {
    host_check(each, i);
    CHECK(N_CALLS_OF(load_module) == modules + 1 + i && strata_test_driver_alive() == alive);
  }
  modules = N_CALLS_OF(load_module);
  CHECK(each->load(NULL, NULL) == STRATA_OK);
  host_check(each, 3);
  host_check(each, 4);
  CHECK(N_CALLS_OF(load_module) == modules + 1 && each->unload() == STRATA_OK);
  CHECK(each->set_constant("scale", &(float){3}, NULL) == STRATA_OK);
  host_check_scaled(each, 5, 3);
  host_check_scaled(each, 6, 3);
  CHECK(N_CALLS_OF(load_module) == modules + 2 && each->unload() == STRATA_OK);
  host_check(each, 7);
  CHECK(N_CALLS_OF(load_module) == modules + 3 && strata_test_driver_alive() == alive);
}

static void test_device_tensors(void) {
  const strata_library_t *device = open_library("device", NULL);
  float x[N], y[N];
  fill(x, 4);
  caller_t caller = caller_create(device);
  CHECK(call.upload(caller.x, x, BYTES, NULL) == 0); // the library's stream comes after the default one
  void *tensors[] = {caller.x, caller.y};
  CHECK(device->run(tensors, NULL, NULL, NULL) == STRATA_OK);
  CHECK(call.download(y, caller.y, BYTES, caller.stream) == 0 && call.stream_synchronize(caller.stream) == 0);
  CHECK(count_wrong(x, y, 2, NULL, 1) == 0);
  CHECK(device->unload() == STRATA_OK);
  caller_destroy(&caller);
}

static void test_dlclose(void) {
  void *handle;
  const strata_library_t *again = open_library("device", &handle);
  CHECK(again->load(NULL, NULL) == STRATA_OK && again->unload() == STRATA_OK);
  CHECK(dlclose(handle) == 0);
}

static void test_maps(void) {
  library = open_library("maps", NULL);
  check_fails(library->load(NULL, NULL), STRATA_DEVICE,
              "kernel multiply_by_maps needs tensor maps, which HIP does not have");
}

static void test(void) {
  setenv("STRATA_TEST_DRIVER_DEVICES", "2", 1);
  library = open_library("user", NULL);
  test_before_load();
  driver->use_device(0);
  CHECK(library->load(NULL, NULL) == STRATA_OK);
  test_arguments();
  test_calls();
  test_graph();
  test_constants();
  test_trace();
  test_weights_memory();
  test_devices();
  check_in_child(use_after_fork, NULL);
  if (driver->has_contexts)
    test_lost_context();
  test_device_tensors();
  test_dlclose();
  CHECK(library->unload() == STRATA_OK);
  driver->release_device(1);
  driver->release_device(0);
  test_host_tensors();
  test_unloading();
  if (!driver->has_maps)
    test_maps();
  CHECK(strata_test_driver_alive() == 0);
}

int main(void) { return test_each_driver(test); }
