// Launches and copies: every limit of the device is checked, and that every address lies in live memory of the context.
#include "test/support/driver/map.h"

#include <string.h>

enum { MAX_PARAMS = 4096 / 8, MAX_THREADS = 1024, MAX_CLUSTER = 8, RESERVED_SHARED = 1024 };

static int check_shape(const function_t *function, const shape_t *shape) {
  const char *name = function->name;
  for (int i = 0; i < 3; i++)
    if (!shape->grid[i] || !shape->block[i])
      return fault(INVALID_VALUE, "kernel %s: an empty grid or block", name);
  if (shape->grid[0] > INT32_MAX || shape->grid[1] > 65535 || shape->grid[2] > 65535)
    return fault(INVALID_VALUE, "kernel %s: a grid of %u x %u x %u blocks", name, shape->grid[0], shape->grid[1],
                 shape->grid[2]);
  if ((uint64_t)shape->block[0] * shape->block[1] * shape->block[2] > MAX_THREADS)
    return fault(INVALID_VALUE, "kernel %s: %u threads, at most %d", name, shape->block[0], MAX_THREADS);
  if (shape->grid[1] * shape->grid[2] * shape->block[1] * shape->block[2] != 1)
    return fault(INVALID_VALUE, "kernel %s: more than one dimension", name);
  if (shape->cluster > MAX_CLUSTER || shape->grid[0] % shape->cluster)
    return fault(INVALID_VALUE, "kernel %s: %u blocks in clusters of %u", name, shape->grid[0], shape->cluster);
  uint32_t reserved = function->info.shared >= RESERVED_SHARED ? RESERVED_SHARED : 0;
  uint32_t limit = shared_limit(&function->module->image);
  if (shape->shared > function->max_dynamic_shared || shape->shared + function->info.shared - reserved > limit)
    return fault(INVALID_VALUE, "kernel %s: %u bytes of shared memory and %u static ones, allowed are %u of %u", name,
                 shape->shared, function->info.shared, function->max_dynamic_shared, limit);
  return OK;
}

// Kernels may use host memory of the driver's, too.
static int check_address(const char *what, const void *address, size_t size, bool may_be_host,
                         const context_t *context) {
  const memory_t *memory = memory_find(address, size);
  if (!memory || (memory->is_host && !may_be_host))
    return fault(INVALID_VALUE, "%s: %zu bytes at %p are not in device memory", what, size, address);
  if (memory->object.context != context)
    return fault(INVALID_VALUE, "%s: %p is memory of another context", what, address);
  return OK;
}

// What lies between the other parameters and the first map.
#define PADDING ((void *)UINTPTR_MAX)
// Parameters below the first are sizes, which may be 0; above the last are bits of floats, as scales made of sizes.
#define FIRST_ADDRESS (UINT64_C(1) << 32)
#define LAST_ADDRESS (UINT64_C(1) << 48)

// Parameters given one by one, up to a null pointer, as our runtime gives them: packed as read_params says.
static int pack_params(const function_t *function, void **params, void **out, size_t *out_n) {
  enum { UNIT = MAP_ALIGNMENT / sizeof *out, LENGTH = MAP_SIZE / sizeof *out };
  long expected = function->info.n_params, n = 0;
  for (; params[n]; n++) {
    const map_t *map = map_at(params[n]);
    if (*out_n + UNIT + LENGTH > MAX_PARAMS)
      return fault(INVALID_VALUE, "kernel %s: too many parameters", function->name);
    while (map && *out_n % UNIT)
      out[(*out_n)++] = PADDING;
    memcpy(&out[*out_n], params[n], map ? MAP_SIZE : sizeof *out);
    *out_n += map ? LENGTH : 1;
  }
  if (expected >= 0 && n != expected)
    return fault(INVALID_VALUE, "kernel %s: %ld parameters, expected %ld", function->name, n, expected);
  return OK;
}

// Parameters given at once: words of zeros in front of the first map, which is aligned, are no parameters.
static void mark_padding(void **words, size_t n) {
  enum { UNIT = MAP_ALIGNMENT / sizeof *words, LENGTH = MAP_SIZE / sizeof *words };
  size_t first = 0;
  while (first < n && (first % UNIT || first + LENGTH > n || !map_at(&words[first])))
    first++;
  for (size_t i = first; first < n && i > 0 && first - i < UNIT - 1 && !words[i - 1]; i--)
    words[i - 1] = PADDING;
}

// The launch's parameters in words, maps aligned.
static int read_params(const function_t *function, void **params, void **extra, bool is_hip, void **out,
                       size_t *out_n) {
  long expected = function->info.param_size;
  size_t size = 0;
  void *buffer = NULL;
  *out_n = 0;
  if (params)
    return pack_params(function, params, out, out_n);
  for (size_t i = 0; extra && extra[i] != (void *)(uintptr_t)(is_hip ? 3 : 0); i += 2)
    if (extra[i] == (void *)1)
      buffer = extra[i + 1];
    else if (extra[i] == (void *)2)
      size = *(size_t *)extra[i + 1];
    else
      return fault(INVALID_VALUE, "kernel %s: extra key %p", function->name, extra[i]);
  if (size / sizeof *out > MAX_PARAMS)
    return fault(INVALID_VALUE, "kernel %s: %zu bytes of parameters", function->name, size);
  for (; *out_n < size / sizeof *out; ++*out_n)
    out[*out_n] = ((void **)buffer)[*out_n];
  if (expected >= 0 && (long)(*out_n * sizeof *out) != expected)
    return fault(INVALID_VALUE, "kernel %s: %zu bytes of parameters, expected %ld", function->name,
                 *out_n * sizeof *out, expected);
  mark_padding(out, *out_n);
  return OK;
}

size_t split_params(void *const *words, size_t n_words, void **out) {
  enum { UNIT = MAP_ALIGNMENT / sizeof *words, LENGTH = MAP_SIZE / sizeof *words };
  size_t n = 0;
  for (size_t i = 0; i < n_words;) {
    if (i % UNIT || i + LENGTH > n_words || !map_at(&words[i])) {
      if (words[i++] != PADDING)
        out[n++] = words[i - 1];
      continue;
    }
    out[n++] = (void *)(uintptr_t)&words[i];
    i += LENGTH;
  }
  return n;
}

static int check_params(const operation_t *operation, void *const *words, const context_t *context) {
  void *params[MAX_PARAMS];
  const char *name = operation->function->name;
  size_t n = split_params(words, operation->n_params, params);
  int result = OK;
  for (size_t i = 0; i < n && result == OK; i++) {
    bool is_map = (uintptr_t)params[i] - (uintptr_t)words < operation->n_params * sizeof *words;
    const map_t *map = is_map ? map_at(params[i]) : NULL;
    if (!is_map && ((uintptr_t)params[i] < FIRST_ADDRESS || (uintptr_t)params[i] > LAST_ADDRESS))
      continue;
    result = map ? check_address(name, map->address, map_extent(map), false, context)
                 : check_address(name, params[i], 0, true, context);
  }
  return result;
}

int launch(function_t *function, const shape_t *shape, stream_t *stream, void **params, void **extra, bool is_hip) {
  void *words[MAX_PARAMS];
  operation_t operation = {.kind = LAUNCH, .function = function, .shape = *shape};
  if (function->object.context != stream->object.context)
    return fault(INVALID_HANDLE, "kernel %s: loaded in another context than the stream's", function->name);
  int result = check_shape(function, shape);
  if (result == OK)
    result = read_params(function, params, extra, is_hip, words, &operation.n_params);
  if (result == OK)
    result = check_params(&operation, words, stream->object.context);
  return result == OK ? stream_append(stream, &operation, words) : result;
}

int copy(void *dst, const void *src, size_t size, bool dst_on_device, bool src_on_device, stream_t *stream) {
  operation_t operation = {.kind = COPY, .dst = dst, .src = src, .size = size};
  int result = OK;
  if (dst_on_device)
    result = check_address("destination", dst, size, false, stream->object.context);
  if (src_on_device && result == OK)
    result = check_address("source", src, size, false, stream->object.context);
  return result == OK ? stream_append(stream, &operation, NULL) : result;
}
