// Objects in lists by kind, device memory, faults and the frame of every call.
#define _GNU_SOURCE
#include "test/support/driver/control.h"
#include "test/support/driver/early.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MAX_SYMBOLS = 128, SLACK = 0xA5, FRESH = 0xFF };

struct settings settings = {.n_devices = 1, .version = 13000};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object_t *objects[N_KINDS];
static const char *const kind_names[N_KINDS] = {"context", "module", "function", "stream", "event", "memory", "graph"};

//===-- Faults ---------------------------------------------------------------------------------------------------===//

static char first_fault[512];
static __thread const char *current_call; // of this thread

int fault(int error, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fprintf(stderr, "test driver: fault: %s: %s\n", current_call ? current_call : "exit", text);
  if (!*first_fault)
    snprintf(first_fault, sizeof first_fault, "%s: %s", current_call ? current_call : "exit", text);
  return error;
}

EXPORT const char *strata_test_driver_take_fault(void) {
  static __thread char text[sizeof first_fault];
  pthread_mutex_lock(&lock);
  memcpy(text, first_fault, sizeof text);
  *first_fault = 0;
  pthread_mutex_unlock(&lock);
  return text;
}

//===-- Objects --------------------------------------------------------------------------------------------------===//

void *object_create(object_kind_t kind, size_t size, context_t *context) {
  object_t *object = calloc(1, size);
  if (!object)
    abort();
  *object = (object_t){objects[kind], kind, context};
  objects[kind] = object;
  return object;
}

object_t *object_first(object_kind_t kind) { return objects[kind]; }

void *object_find(object_kind_t kind, const void *handle) {
  object_t *object = objects[kind];
  while (object && object != handle)
    object = object->next;
  return object;
}

void object_destroy(void *object) {
  object_t **link = &objects[((object_t *)object)->kind];
  while (*link != object)
    link = &(*link)->next;
  *link = (*link)->next;
  free(object);
}

static long count_objects(object_kind_t kind) {
  long n = 0;
  for (object_t *object = objects[kind]; object; object = object->next)
    n++;
  return n;
}

static long count_references(void) {
  long n = 0;
  for (object_t *object = objects[CONTEXT]; object; object = object->next) {
    context_t *context = (context_t *)object;
    n += context->is_primary ? context->references : 1;
  }
  return n;
}

static long count_alive(void) {
  long n = count_references();
  for (int kind = MODULE; kind < N_KINDS; kind++)
    n += kind == FUNCTION ? 0 : count_objects((object_kind_t)kind);
  for (object_t *object = objects[CONTEXT]; object; object = object->next)
    n -= ((context_t *)object)->default_stream != NULL;
  return n;
}

EXPORT long strata_test_driver_alive(void) {
  pthread_mutex_lock(&lock);
  long n = count_alive();
  pthread_mutex_unlock(&lock);
  return n;
}

//===-- Memory ---------------------------------------------------------------------------------------------------===//

static size_t round_up(size_t size, size_t multiple) { return (size + multiple - 1) / multiple * multiple; }

// The end, rounded up to the alignment, lies at a page that cannot be touched; the bytes in between are watched.
memory_t *memory_create(context_t *context, size_t size, size_t alignment, bool is_host) {
  size_t padded = round_up(size, alignment), mapped = round_up(padded, PAGE);
  char *mapping = mmap(NULL, mapped + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED || mprotect(mapping + mapped, PAGE, PROT_NONE) != 0)
    return NULL;
  memory_t *memory = object_create(MEMORY, sizeof *memory, context);
  memory->base = mapping + mapped - padded;
  memory->size = size;
  memory->padded = padded;
  memory->mapping = mapping;
  memory->mapping_size = mapped + PAGE;
  memory->is_host = is_host;
  memset(memory->base, FRESH, size);
  memset(memory->base + size, SLACK, padded - size);
  return memory;
}

void memory_destroy(memory_t *memory) {
  for (size_t i = memory->size; i < memory->padded; i++)
    if ((unsigned char)memory->base[i] != SLACK) {
      fault(OK, "byte %zu of %zu bytes of device memory was written", i, memory->size);
      break;
    }
  early_forget(memory->base, memory->size);
  munmap(memory->mapping, memory->mapping_size);
  object_destroy(memory);
}

memory_t *memory_find(const void *address, size_t size) {
  uintptr_t at = (uintptr_t)address;
  for (object_t *object = objects[MEMORY]; object; object = object->next) {
    memory_t *memory = (memory_t *)object;
    uintptr_t base = (uintptr_t)memory->base;
    if (at >= base && at - base <= memory->size && size <= memory->size - (at - base))
      return memory;
  }
  return NULL;
}

//===-- Settings -------------------------------------------------------------------------------------------------===//

static struct {
  const char *symbol; // NULL: any
  long left;          // calls until the one that fails; 0: none
  int error;
  const char *failed;
} injection;
static FILE *log_file;
static pid_t owner;

static void read_injection(const char *text) {
  const char *colon = text ? strchr(text, ':') : NULL;
  if (!colon)
    return;
  injection.symbol = colon > text ? strndup(text, (size_t)(colon - text)) : NULL;
  injection.left = strtol(colon + 1, NULL, 10);
  injection.error = LAUNCH_FAILED;
}

static void at_exit(void) {
  const char *leaks = getenv("STRATA_TEST_DRIVER_LEAKS");
  current_call = NULL;
  if (owner != getpid())
    return;
  for (int kind = 0; kind < N_KINDS && leaks && *leaks == '1'; kind++)
    if (count_objects((object_kind_t)kind) && kind != STREAM && kind != FUNCTION && kind != CONTEXT)
      fault(OK, "%ld left alive: %s", count_objects((object_kind_t)kind), kind_names[kind]);
  fflush(NULL);
  if (*first_fault)
    _exit(STRATA_TEST_DRIVER_EXIT);
}

static void read_settings(void) {
  const char *devices = getenv("STRATA_TEST_DRIVER_DEVICES"), *arch = getenv("STRATA_TEST_DRIVER_ARCH");
  const char *path = getenv("STRATA_TEST_DRIVER_LOG"), *version = getenv("STRATA_TEST_DRIVER_VERSION");
  const char *order = getenv("STRATA_TEST_DRIVER_ORDER");
  owner = getpid();
  if (devices)
    settings.n_devices = (int)strtol(devices, NULL, 10);
  if (arch)
    settings.arch = (uint32_t)strtoul(arch, NULL, 0);
  if (version)
    settings.version = (int)strtol(version, NULL, 10);
  if (order)
    order_seed = strtoul(order, NULL, 0);
  if (path)
    log_file = fopen(path, "ae");
  read_injection(getenv("STRATA_TEST_DRIVER_FAIL"));
  atexit(at_exit);
}

uint32_t shared_limit(const image_t *image) {
  if (image->shared)
    return image->shared;
  if (settings.arch >= 0x100)
    return (settings.arch == 0x950 ? 160 : 64) * 1024;
  return (settings.arch == 90 || settings.arch == 100  ? 227
          : settings.arch == 86 || settings.arch == 89 ? 99
                                                       : 163) *
         1024;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

static struct {
  const char *symbol;
  long n;
} counts[MAX_SYMBOLS];

static __thread struct {
  uint64_t marked; // the number of the marked call; 0: there is none
  const void *stream;
  bool is_failing;
} thread;

uint64_t call_marked(const void **out_stream) {
  *out_stream = thread.stream;
  return thread.marked;
}

// A stream of the marked call: its own, or one that it has forked from that.
static bool is_of_call(const void *handle) {
  const stream_t *stream = handle == thread.stream ? NULL : object_find(STREAM, handle);
  return handle == thread.stream || (stream && stream->call == thread.marked);
}

static void count_call(const char *symbol) {
  int i = 0;
  while (i < MAX_SYMBOLS - 1 && counts[i].symbol && strcmp(counts[i].symbol, symbol) != 0)
    i++;
  counts[i].symbol = symbol;
  counts[i].n++;
  if (log_file)
    fprintf(log_file, "%s\n", symbol), fflush(log_file);
}

static bool fails_now(const char *symbol) {
  if (!injection.left || (injection.symbol && strcmp(injection.symbol, symbol) != 0) || --injection.left)
    return false;
  injection.failed = symbol;
  return true;
}

// What the marked call of a library may not do, and what no call may do during a capture.
static int check_rules(const char *symbol, call_class_t class_, const void *stream) {
  bool is_harmless = class_ == QUERY || class_ == LEAVE;
  if (thread.marked && !is_harmless && class_ != ENQUEUE && class_ != ORDER)
    return fault(INVALID_VALUE, "within a call that may only enqueue");
  if (thread.marked && class_ == ENQUEUE && !is_of_call(stream))
    return fault(INVALID_VALUE, "on another stream than the call's");
  if (!settings.is_initialised && strcmp(symbol, "cuInit") != 0 && strcmp(symbol, "hipInit") != 0 && symbol[0] != 'h' &&
      class_ != QUERY)
    return fault(NOT_INITIALIZED, "before cuInit");
  context_t *context = context_current();
  if (!is_harmless && class_ != ENQUEUE && class_ != ORDER && context && any_capture(context))
    return fault(CAPTURE_UNSUPPORTED, "during a capture");
  if (context && context->error && class_ != RELEASE && !is_harmless)
    return context->error;
  return OK;
}

int call_begin(const char *symbol, call_class_t class_, const void *stream) {
  pthread_mutex_lock(&lock);
  if (!owner)
    read_settings();
  current_call = symbol;
  thread.is_failing = false;
  count_call(symbol);
  if (owner != getpid())
    return NOT_INITIALIZED;
  int result = check_rules(symbol, class_, stream);
  if (result == OK && fails_now(symbol)) {
    thread.is_failing = true;
    if (class_ != RELEASE && class_ != LEAVE)
      return injection.error;
  }
  return result;
}

int call_end(int result) {
  if (result == OK && thread.is_failing)
    result = injection.error;
  current_call = NULL;
  pthread_mutex_unlock(&lock);
  return result;
}

EXPORT long strata_test_driver_calls(const char *symbol) {
  long n = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < MAX_SYMBOLS && counts[i].symbol; i++)
    if (!symbol || strcmp(counts[i].symbol, symbol) == 0)
      n += counts[i].n;
  pthread_mutex_unlock(&lock);
  return n;
}

EXPORT void strata_test_driver_fail(const char *symbol, long n, int error) {
  pthread_mutex_lock(&lock);
  injection.symbol = symbol;
  injection.left = n;
  injection.error = error;
  injection.failed = NULL;
  pthread_mutex_unlock(&lock);
}

EXPORT const char *strata_test_driver_failed(void) { return injection.failed; }

EXPORT void strata_test_driver_call_begin(void *stream) {
  static uint64_t n_marked;
  pthread_mutex_lock(&lock);
  thread.marked = ++n_marked;
  thread.stream = stream;
  pthread_mutex_unlock(&lock);
}

EXPORT void strata_test_driver_call_end(void) {
  pthread_mutex_lock(&lock);
  for (object_t *object = object_first(STREAM); object; object = object->next) {
    const stream_t *stream = (const stream_t *)object;
    if (thread.marked && stream->call == thread.marked && !stream->is_joined)
      fault(INVALID_VALUE, "at the end of a call: a stream that it has forked is not joined");
  }
  thread.marked = 0;
  pthread_mutex_unlock(&lock);
}

EXPORT void strata_test_driver_order(unsigned long seed) {
  pthread_mutex_lock(&lock);
  order_seed = seed;
  pthread_mutex_unlock(&lock);
}

EXPORT void strata_test_driver_prompt(bool on) {
  pthread_mutex_lock(&lock);
  is_prompt = on;
  pthread_mutex_unlock(&lock);
}

EXPORT long strata_test_driver_executed(void) { return n_executed; }
