// See host_driver.h. Whatever is asked for is done when the call returns; events are times.
#include "tools/host_driver.h"

#include "runtime/cpu/clock.h"
#include "runtime/library/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256 };

static int host_open(void) { return STRATA_OK; }

static int host_enter(void *stream, strata_rt_scope_t *out_scope) {
  (void)stream;
  *out_scope = (strata_rt_scope_t){0};
  return STRATA_OK;
}

static void host_leave(strata_rt_scope_t *scope) { (void)scope; }

static int get_arch(uint32_t *out_arch) {
  *out_arch = 0;
  return STRATA_OK;
}

static void print_arch(uint32_t arch, char *out, size_t capacity) {
  (void)arch;
  snprintf(out, capacity, "cpu");
}

// "model name : AMD EPYC 9354" of /proc/cpuinfo.
static int get_name(char *out, size_t capacity) {
  char line[256];
  FILE *file = fopen("/proc/cpuinfo", "rb");
  *out = '\0';
  while (file && !*out && fgets(line, sizeof line, file)) {
    const char *value = strncmp(line, "model name", strlen("model name")) == 0 ? strchr(line, ':') : NULL;
    if (value)
      snprintf(out, capacity, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
  }
  if (file)
    fclose(file);
  return STRATA_OK;
}

static int allocate(size_t size, void **out_memory) {
  *out_memory = aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  if (!*out_memory)
    return strata_rt_fail(STRATA_OUT_OF_MEMORY, "%zu bytes", size);
  memset(*out_memory, 0, size); // pages of its own, not the one of zeros
  return STRATA_OK;
}

static int release(void *memory) {
  free(memory);
  return STRATA_OK;
}

static int copy(void *dst, const void *src, size_t size, void *stream) {
  (void)stream;
  memcpy(dst, src, size);
  return STRATA_OK;
}

static int create_stream(strata_rt_stream_kind_t kind, void **out_stream) {
  (void)kind;
  *out_stream = NULL;
  return STRATA_OK;
}

static int nothing(void *stream) {
  (void)stream;
  return STRATA_OK;
}

static int create_event(strata_rt_event_kind_t kind, void **out_event) {
  (void)kind;
  *out_event = calloc(1, sizeof(uint64_t));
  return *out_event ? STRATA_OK : strata_rt_fail(STRATA_OUT_OF_MEMORY, "event");
}

static int record_event(void *event, void *stream) {
  (void)stream;
  *(uint64_t *)event = strata_rt_now();
  return STRATA_OK;
}

static int elapsed(void *begin, void *end, float *out_milliseconds) {
  *out_milliseconds = (float)(1e-6 * (double)(*(uint64_t *)end - *(uint64_t *)begin));
  return STRATA_OK;
}

const strata_rt_driver_t strata_host_driver = {
    .open = host_open,
    .enter = host_enter,
    .leave = host_leave,
    .get_arch = get_arch,
    .print_arch = print_arch,
    .get_name = get_name,
    .allocate = allocate,
    .free = release,
    .upload = copy,
    .download = copy,
    .copy = copy,
    .create_stream = create_stream,
    .destroy_stream = nothing,
    .synchronize_stream = nothing,
    .create_event = create_event,
    .destroy_event = release,
    .record_event = record_event,
    .elapsed = elapsed,
};
