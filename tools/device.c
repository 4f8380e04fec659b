// See device.h.
#include "tools/device.h"

#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"
#include "tools/host_driver.h"

#include <stdlib.h>
#include <string.h>

// The driver layer names a library in its messages; here it is the tool.
static const strata_library_t no_library = {.name = "device"};
const strata_rt_program_t strata_rt_program = {.library = &no_library};

typedef struct allocation {
  struct allocation *next;
  void *memory;
} allocation_t;

struct strata_device {
  const strata_rt_driver_t *driver;
  strata_rt_scope_t scope;
  void *stream, *start, *stop; // events
  allocation_t *allocations;
};

static strata_status_t to_status(int code) {
  return code ? strata_error((strata_status_code_t)code, "%s", strata_rt_message()) : NULL;
}

static int create_handles(strata_device_t *device) {
  int code = device->driver->create_stream(STRATA_RT_BEHIND_DEFAULT, &device->stream);
  if (!code)
    code = device->driver->create_event(STRATA_RT_TIMING, &device->start);
  return code ? code : device->driver->create_event(STRATA_RT_TIMING, &device->stop);
}

strata_status_t strata_device_open(const char *target, strata_device_t **out_device) {
  strata_device_t *device = calloc(1, sizeof *device);
  if (!device)
    return strata_error(STRATA_OUT_OF_MEMORY, "device");
  device->driver = strcmp(target, "cpu") == 0      ? &strata_host_driver
                   : strcmp(target, "amdgpu") == 0 ? &strata_rt_hip
                                                   : &strata_rt_cuda;
  int code = device->driver->open();
  if (!code)
    code = device->driver->enter(NULL, &device->scope);
  if (code) {
    free(device);
    return to_status(code);
  }
  strata_status_t status = to_status(create_handles(device));
  if (status)
    strata_device_close(device);
  else
    *out_device = device;
  return status;
}

static strata_status_t read_names(strata_arena_t *arena, const strata_device_t *device, strata_device_names_t *names) {
  char text[256];
  STRATA_TRY(to_status(device->driver->get_arch(&names->arch)));
  device->driver->print_arch(names->arch, text, sizeof text);
  names->arch_name = strata_arena_strdup(arena, text);
  STRATA_TRY(to_status(device->driver->get_name(text, sizeof text)));
  names->product = strata_arena_strdup(arena, text);
  return NULL;
}

strata_status_t strata_device_find_names(strata_arena_t *arena, const char *target, strata_device_names_t *out_names) {
  *out_names = (strata_device_names_t){.arch_name = "", .product = ""};
  strata_device_t *device = NULL;
  STRATA_TRY(strata_device_open(target, &device));
  strata_status_t status = read_names(arena, device, out_names);
  strata_device_close(device);
  return status;
}

// What fails while cleaning up is not worth a word: the process ends.
void strata_device_close(strata_device_t *device) {
  if (!device)
    return;
  for (allocation_t *allocation = device->allocations, *next; allocation; allocation = next) {
    next = allocation->next;
    device->driver->free(allocation->memory);
    free(allocation);
  }
  if (device->start)
    device->driver->destroy_event(device->start);
  if (device->stop)
    device->driver->destroy_event(device->stop);
  if (device->stream)
    device->driver->destroy_stream(device->stream);
  device->driver->leave(&device->scope);
  free(device);
}

void *strata_device_stream(const strata_device_t *device) { return device->stream; }

strata_status_t strata_device_allocate(strata_device_t *device, size_t size, void **out_memory) {
  allocation_t *allocation = calloc(1, sizeof *allocation);
  if (!allocation)
    return strata_error(STRATA_OUT_OF_MEMORY, "device");
  strata_status_t status = to_status(device->driver->allocate(size ? size : 1, &allocation->memory));
  if (status) {
    free(allocation);
    return status;
  }
  allocation->next = device->allocations;
  device->allocations = allocation;
  *out_memory = allocation->memory;
  return NULL;
}

strata_status_t strata_device_upload(strata_device_t *device, void *dst, const void *src, size_t size) {
  int code = size ? device->driver->upload(dst, src, size, device->stream) : STRATA_OK;
  return to_status(code ? code : device->driver->synchronize_stream(device->stream));
}

strata_status_t strata_device_download(strata_device_t *device, void *dst, const void *src, size_t size) {
  int code = size ? device->driver->download(dst, src, size, device->stream) : STRATA_OK;
  return to_status(code ? code : device->driver->synchronize_stream(device->stream));
}

strata_status_t strata_device_copy(strata_device_t *device, void *dst, const void *src, size_t size) {
  return to_status(device->driver->copy(dst, src, size, device->stream));
}

strata_status_t strata_device_start_clock(strata_device_t *device) {
  return to_status(device->driver->record_event(device->start, device->stream));
}

strata_status_t strata_device_stop_clock(strata_device_t *device, double *out_seconds) {
  float milliseconds = 0;
  int code = device->driver->record_event(device->stop, device->stream);
  if (!code)
    code = device->driver->elapsed(device->start, device->stop, &milliseconds);
  *out_seconds = 1e-3 * (double)milliseconds;
  return to_status(code);
}
