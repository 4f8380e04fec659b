// See results.h.
#define _POSIX_C_SOURCE 200809L
#include "passes/tuning/results.h"

#include "passes/tuning/text_format.h"
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Bumped by hand: see results.h. STRATA_TUNING_TABLES is a hash of targets/gpu/*.def.
#define DECISIONS "12"
#define CPU_DECISIONS "cpu 2"

static char results_format[] = "strata tuning results 1";
static char manifest_format[] = "strata tuning candidates 2";

enum { MAX_FILE = 64 << 20, MAX_TEXT = 4096, KERNEL_DIGITS = 16 };

const char *strata_tuning_compiler(bool on_cpu) { return on_cpu ? CPU_DECISIONS : DECISIONS "." STRATA_TUNING_TABLES; }

bool strata_tuning_is_text(const char *path) {
  static const char *const suffixes[] = {".txt", ".textproto", ".txtpb", ".pbtxt", ".prototxt"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t n = strlen(suffixes[i]);
    if (length >= n && strcmp(path + length - n, suffixes[i]) == 0)
      return true;
  }
  return false;
}

//===-- In order -------------------------------------------------------------------------------------------------===//

int strata_tuning_compare(const strata_tuning_result_t *a, const strata_tuning_result_t *b) {
  int order = strcmp(a->kernel, b->kernel);
  if (order == 0)
    order = strcmp(a->device, b->device);
  return order ? order : strcmp(a->compiler, b->compiler);
}

// Of the first that is not in front of |key|.
static size_t place_of(const strata_tuning_results_t *results, const strata_tuning_result_t *key) {
  size_t low = 0, high = results->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strata_tuning_compare(results->data[middle], key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const strata_tuning_result_t *strata_tuning_find(const strata_tuning_results_t *results,
                                                 const strata_tuning_result_t *key) {
  size_t at = place_of(results, key);
  bool is_there = at < results->count && strata_tuning_compare(results->data[at], key) == 0;
  return is_there ? results->data[at] : NULL;
}

void strata_tuning_insert(strata_arena_t *arena, strata_tuning_results_t *results, strata_tuning_result_t *result) {
  size_t at = place_of(results, result);
  if (at == results->count || strata_tuning_compare(results->data[at], result) != 0) {
    strata_vector_push(arena, results);
    memmove(&results->data[at + 1], &results->data[at], sizeof *results->data * (results->count - 1 - at));
  }
  results->data[at] = result;
}

static int compare_places(const void *a, const void *b) {
  return strata_tuning_compare(*(strata_tuning_result_t *const *)a, *(strata_tuning_result_t *const *)b);
}

//===-- What a file may hold -------------------------------------------------------------------------------------===//

// One line of what a person may read.
static bool is_line(const char *text, size_t least) {
  size_t length = strlen(text);
  for (const char *at = text; *at; at++)
    if ((unsigned char)*at < ' ' || (unsigned char)*at >= 127)
      return false;
  return length >= least && length <= MAX_TEXT;
}

static bool is_kernel(const char *text) {
  return strlen(text) == KERNEL_DIGITS && strspn(text, "0123456789abcdef") == KERNEL_DIGITS;
}

static bool is_time(double seconds) { return isfinite(seconds) && seconds >= 0; }

static const char *fault_of(const strata_tuning_result_t *result) {
  if (!is_kernel(result->kernel))
    return "kernel: expected 16 hexadecimal digits";
  if (!is_line(result->device, 1) || !is_line(result->compiler, 1))
    return "expected a device and a compiler, each a line of ASCII";
  if (!is_line(result->schedule, 1) || !is_line(result->model_schedule, 0))
    return "expected a schedule, a line of ASCII";
  if (!is_line(result->card, 0) || !is_line(result->what, 0))
    return "card, what: expected a line of ASCII";
  if (!is_time(result->seconds) || !is_time(result->model_seconds) || !is_time(result->predicted_seconds))
    return "expected times of at least 0";
  return NULL;
}

static strata_status_t check(const Strata__TuningResults *results) {
  if (strcmp(results->format, results_format) != 0)
    return strata_error(STRATA_PARSE, "expected results of tuning, format \"%s\", got \"%.40s\"", results_format,
                        results->format);
  for (size_t i = 0; i < results->n_results; i++) {
    const char *fault = fault_of(results->results[i]);
    if (fault)
      return strata_error(STRATA_PARSE, "result %zu: %s", i + 1, fault);
  }
  return NULL;
}

// Sorts them; two of one key are an error unless they say the same.
static strata_status_t sort(const Strata__TuningResults *file, strata_tuning_results_t *out) {
  *out = (strata_tuning_results_t){file->results, file->n_results, file->n_results};
  if (out->count)
    qsort(out->data, out->count, sizeof *out->data, compare_places);
  size_t n = 0;
  for (size_t i = 0; i < out->count; i++) {
    bool is_again = n > 0 && strata_tuning_compare(out->data[n - 1], out->data[i]) == 0;
    if (is_again && strcmp(out->data[n - 1]->schedule, out->data[i]->schedule) != 0)
      return strata_error(STRATA_PARSE, "two schedules for kernel %s on %s", out->data[i]->kernel,
                          out->data[i]->device);
    if (!is_again)
      out->data[n++] = out->data[i];
  }
  out->count = out->capacity = n;
  return NULL;
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static void *allocate(void *arena, size_t size) { return strata_arena_alloc(arena, size); }
static void release(void *arena, void *memory) {
  (void)arena;
  (void)memory;
}

static ProtobufCMessage *unpack(strata_arena_t *arena, const ProtobufCMessageDescriptor *descriptor, const void *data,
                                size_t size) {
  ProtobufCAllocator allocator = {.alloc = allocate, .free = release, .allocator_data = arena};
  return protobuf_c_message_unpack(descriptor, &allocator, size, data);
}

static strata_status_t read_descriptor(strata_arena_t *arena, int fd, char **out_data, size_t *out_size) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return strata_error(STRATA_IO, "%s", strerror(errno));
  if (!S_ISREG(info.st_mode))
    return strata_error(STRATA_IO, "not a regular file");
  if (info.st_size > MAX_FILE)
    return strata_error(STRATA_PARSE, "larger than %d MiB", MAX_FILE >> 20);
  *out_data = strata_arena_alloc(arena, (size_t)info.st_size + 1);
  *out_size = 0;
  while (*out_size < (size_t)info.st_size) {
    ssize_t n = read(fd, *out_data + *out_size, (size_t)info.st_size - *out_size);
    if (n < 0 && errno != EINTR)
      return strata_error(STRATA_IO, "%s", strerror(errno));
    if (n == 0)
      break;
    *out_size += n > 0 ? (size_t)n : 0;
  }
  return NULL;
}

static strata_status_t read_file(strata_arena_t *arena, const char *path, char **out_data, size_t *out_size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a named pipe is refused and not waited for
  if (fd < 0)
    return strata_error(errno == ENOENT ? STRATA_NOT_FOUND : STRATA_IO, "%s", strerror(errno));
  strata_status_t status = read_descriptor(arena, fd, out_data, out_size);
  close(fd);
  return status;
}

static strata_status_t read_message(strata_arena_t *arena, const char *path,
                                    const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **out) {
  char *data;
  size_t size;
  STRATA_TRY(read_file(arena, path, &data, &size));
  if (size == 0)
    return strata_error(STRATA_PARSE, "the file is empty");
  if (strata_tuning_is_text(path))
    return strata_text_format_read(arena, descriptor, data, size, out);
  *out = unpack(arena, descriptor, data, size);
  return *out ? NULL : strata_error(STRATA_PARSE, "not a file of tuning, or cut off");
}

static strata_status_t read_results(strata_arena_t *arena, const char *path, strata_tuning_results_t *out) {
  ProtobufCMessage *message;
  STRATA_TRY(read_message(arena, path, &strata__tuning_results__descriptor, &message));
  const Strata__TuningResults *results = (const Strata__TuningResults *)message;
  STRATA_TRY(check(results));
  return sort(results, out);
}

strata_status_t strata_tuning_read(strata_arena_t *arena, const char *path, strata_tuning_results_t *out_results) {
  return strata_status_context(read_results(arena, path, out_results), "%s", path);
}

bool strata_tuning_unpack(strata_arena_t *arena, const void *data, size_t size, strata_tuning_result_t **out_result) {
  Strata__TuningResults *results =
      (Strata__TuningResults *)unpack(arena, &strata__tuning_results__descriptor, data, size);
  strata_status_t status = results ? check(results) : NULL;
  bool is_one = results && !status && results->n_results == 1;
  strata_status_free(status);
  *out_result = is_one ? results->results[0] : NULL;
  return is_one;
}

//===-- Writing --------------------------------------------------------------------------------------------------===//

static Strata__TuningResults file_of(strata_tuning_result_t **results, size_t n) {
  Strata__TuningResults file = STRATA__TUNING_RESULTS__INIT;
  file.format = results_format;
  file.n_results = n;
  file.results = results;
  return file;
}

void *strata_tuning_pack(strata_arena_t *arena, strata_tuning_result_t *result, size_t *out_size) {
  Strata__TuningResults file = file_of(&result, 1);
  *out_size = strata__tuning_results__get_packed_size(&file);
  uint8_t *data = strata_arena_alloc(arena, *out_size);
  strata__tuning_results__pack(&file, data);
  return data;
}

static strata_status_t write_message(strata_arena_t *arena, const char *path, const ProtobufCMessage *message) {
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  if (strata_tuning_is_text(path)) {
    strata_text_format_write(message, file.file);
    return strata_whole_file_close(&file);
  }
  size_t size = protobuf_c_message_get_packed_size(message);
  uint8_t *data = strata_arena_alloc(arena, size);
  protobuf_c_message_pack(message, data);
  fwrite(data, 1, size, file.file);
  return strata_whole_file_close(&file);
}

strata_status_t strata_tuning_write(strata_arena_t *arena, const char *path, const strata_tuning_results_t *results) {
  Strata__TuningResults file = file_of(results->data, results->count);
  return write_message(arena, path, &file.base);
}

//===-- Manifests ------------------------------------------------------------------------------------------------===//

static bool is_kernel_whole(const Strata__TuningKernel *kernel) {
  bool is_whole = is_kernel(kernel->kernel) && is_line(kernel->device, 1) && is_line(kernel->compiler, 1) &&
                  is_line(kernel->what, 0) && kernel->n_candidates > 0 && kernel->n_points <= STRATA_TUNING_POINTS &&
                  kernel->n_likely >= (kernel->n_points > 0) && (size_t)kernel->n_likely <= kernel->n_points;
  for (size_t i = 0; i < kernel->n_warm && is_whole; i++)
    is_whole = kernel->warm[i] >= 0;
  for (size_t i = 0; i < kernel->n_padded && is_whole; i++)
    is_whole = kernel->padded[i]->input >= 0 && kernel->padded[i]->columns >= 0;
  for (size_t i = 0; i < kernel->n_points && is_whole; i++)
    is_whole = kernel->points[i]->n_sizes > 0 && kernel->points[i]->n_sizes == kernel->points[0]->n_sizes;
  for (size_t i = 0; i < kernel->n_candidates && is_whole; i++) {
    const Strata__TuningCandidate *candidate = kernel->candidates[i];
    is_whole = is_line(candidate->library, 1) && !strchr(candidate->library, '/') && is_line(candidate->schedule, 1) &&
               is_time(candidate->predicted_seconds);
  }
  return is_whole;
}

static strata_status_t read_manifest(strata_arena_t *arena, const char *path, Strata__TuningManifest **out) {
  ProtobufCMessage *message;
  STRATA_TRY(read_message(arena, path, &strata__tuning_manifest__descriptor, &message));
  *out = (Strata__TuningManifest *)message;
  if (strcmp((*out)->format, manifest_format) != 0)
    return strata_error(STRATA_PARSE, "expected candidates for tuning, format \"%s\", got \"%.40s\"", manifest_format,
                        (*out)->format);
  for (size_t i = 0; i < (*out)->n_kernels; i++)
    if (!is_kernel_whole((*out)->kernels[i]))
      return strata_error(STRATA_PARSE, "kernel %zu: not as --autotune=export writes it", i + 1);
  return NULL;
}

strata_status_t strata_tuning_read_manifest(strata_arena_t *arena, const char *path,
                                            Strata__TuningManifest **out_manifest) {
  return strata_status_context(read_manifest(arena, path, out_manifest), "%s", path);
}

strata_status_t strata_tuning_write_manifest(const char *path, Strata__TuningManifest *manifest) {
  manifest->format = manifest_format;
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  strata_text_format_write(&manifest->base, file.file);
  return strata_whole_file_close(&file);
}
