// Loading an emitted library through its description and calling it.
#define _GNU_SOURCE // dlinfo
#include "tools/session.h"

#include "runtime/base/nearest.h"
#include "tools/clock.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

// The name a library was linked with, "lib<name>.so", whatever its file is called now.
static const char *find_soname(void *handle) {
  struct link_map *map;
  const char *strings = NULL;
  size_t offset = 0;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return "";
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_STRTAB)
      strings = (const char *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME)
      offset = entry->d_un.d_val;
  }
  return strings ? strings + offset : "";
}

// lib<name>.so defines <name>_library.
static strata_status_t find_description(strata_arena_t *arena, const char *path, strata_session_t *session) {
  const char *file = find_soname(session->handle);
  const char *name = strncmp(file, "lib", 3) == 0 ? file + 3 : file;
  const char *symbol = strata_arena_printf(arena, "%.*s_library", (int)strcspn(name, "."), name);
  const strata_library_t *(*describe)(void);
  *(void **)&describe = dlsym(session->handle, symbol);
  if (!describe)
    return strata_error(STRATA_INVALID_ARGUMENT, "%s: expected a library made by strata, got none with %s", path,
                        symbol);
  session->library = describe();
  uint32_t version = session->library->abi_version; // later ones only have more members
  if (version < 1 || (version < STRATA_LIBRARY_DESCRIPTION && session->library->n_dims))
    return strata_error(STRATA_UNSUPPORTED, "%s: expected version %d of the description, got %u", path,
                        STRATA_LIBRARY_DESCRIPTION, version);
  session->given = strata_arena_array(arena, strata_given_t, session->library->n_inputs + 1);
  return NULL;
}

// Memory aligned for any library: 256 bytes.
static void *aligned(strata_arena_t *arena, size_t size) {
  const uintptr_t alignment = 256;
  uintptr_t memory = (uintptr_t)strata_arena_alloc(arena, size + alignment);
  return (void *)((memory + alignment - 1) / alignment * alignment);
}

static strata_status_t to_status(const strata_library_t *library, int code) {
  return code ? strata_error((strata_status_code_t)code, "%s", library->error()) : NULL;
}

static strata_status_t describe_tensor(strata_arena_t *arena, const strata_session_t *session,
                                       const strata_tensor_info_t *info, strata_tensor_t *out_tensor) {
  *out_tensor = (strata_tensor_t){.dtype = (strata_dtype_t)info->dtype, .rank = (int)info->rank, .size = info->size};
  if (info->rank > STRATA_TENSOR_MAX_RANK)
    return strata_error(STRATA_UNSUPPORTED, "%s: expected at most %d dimensions, got %u", info->name,
                        STRATA_TENSOR_MAX_RANK, info->rank);
  bool varies = false;
  for (uint32_t d = 0; d < info->rank; d++) {
    varies |= info->shape[d] < 0;
    if (!strata_session_dim(session->library, info->shape[d], session->dims, &out_tensor->shape[d]))
      return strata_error(STRATA_INVALID_SIZE, "%s: dimension %u has no size in 64 bits", info->name, d);
  }
  if (varies && !strata_dtype_size(out_tensor->dtype, strata_tensor_count(out_tensor), &out_tensor->size))
    return strata_error(STRATA_INVALID_SIZE, "%s: its size is beyond 2^63", info->name);
  out_tensor->data = aligned(arena, out_tensor->size);
  return NULL;
}

// A size that the library refuses is an error here, before there is memory for it.
static strata_status_t check_sizes(const strata_session_t *session) {
  const strata_library_t *library = session->library;
  int64_t shape[STRATA_TENSOR_MAX_RANK];
  bool is_asked = session->dims && library->n_outputs && library->outputs[0]->rank <= STRATA_TENSOR_MAX_RANK;
  return is_asked ? to_status(library, library->output_shape(0, session->dims, shape)) : NULL;
}

static strata_status_t make_tensors(strata_arena_t *arena, strata_session_t *session) {
  const strata_library_t *library = session->library;
  size_t n = library->n_inputs + library->n_outputs;
  session->tensors = strata_arena_array(arena, strata_tensor_t, n + 1);
  session->data = strata_arena_array(arena, void *, n + 1);
  STRATA_TRY(check_sizes(session));
  for (size_t i = 0; i < n; i++) {
    const strata_tensor_info_t *info =
        i < library->n_inputs ? library->inputs[i] : library->outputs[i - library->n_inputs];
    STRATA_TRY(describe_tensor(arena, session, info, &session->tensors[i]));
    session->data[i] = session->tensors[i].data;
  }
  if (!session->device && library->flags & STRATA_LIBRARY_USER_MEMORY)
    session->memory = aligned(arena, library->device_memory_size(session->dims));
  return NULL;
}

static bool is_on_device(const strata_session_t *session) {
  return session->device && session->library->flags & STRATA_LIBRARY_DEVICE_TENSORS;
}

// Opens a device if the library takes its memory from the caller.
static strata_status_t open_device(strata_session_t *session) {
  const strata_library_t *library = session->library;
  bool is_wanted = library->flags & (STRATA_LIBRARY_USER_MEMORY | STRATA_LIBRARY_DEVICE_TENSORS);
  return is_wanted && strcmp(library->target, "cpu") != 0 ? strata_device_open(library->target, &session->device)
                                                          : NULL;
}

static strata_status_t allocate_on_device(strata_session_t *session) {
  const strata_library_t *library = session->library;
  size_t n = library->n_inputs + library->n_outputs;
  for (size_t i = 0; i < n && is_on_device(session); i++)
    STRATA_TRY(strata_device_allocate(session->device, session->tensors[i].size, &session->data[i]));
  return session->device && library->flags & STRATA_LIBRARY_USER_MEMORY
             ? strata_device_allocate(session->device, library->device_memory_size(session->dims), &session->memory)
             : NULL;
}

static void *stream_of(const strata_session_t *session) {
  return session->device ? strata_device_stream(session->device) : NULL;
}

strata_status_t strata_session_describe(strata_arena_t *arena, const char *path, strata_session_t *out_session) {
  *out_session = (strata_session_t){0};
  // Without a slash dlopen would search the system's folders.
  const char *file = strchr(path, '/') ? path : strata_arena_printf(arena, "./%s", path);
  out_session->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  return out_session->handle ? find_description(arena, path, out_session) : strata_error(STRATA_IO, "%s", dlerror());
}

strata_status_t strata_session_check_device(const strata_session_t *session) {
  if (strcmp(session->library->target, "cpu") == 0)
    return NULL;
  strata_device_t *device = NULL;
  strata_status_t status = strata_device_open(session->library->target, &device);
  strata_device_close(device);
  return status;
}

strata_status_t strata_session_open(strata_arena_t *arena, strata_session_t *session) {
  STRATA_TRY(open_device(session));
  STRATA_TRY(make_tensors(arena, session));
  STRATA_TRY(allocate_on_device(session));
  return to_status(session->library, session->library->load(NULL, stream_of(session)));
}

void strata_session_close(strata_session_t *session) {
  if (!session->handle)
    return;
  if (session->library)
    session->library->unload();
  strata_device_close(session->device);
  dlclose(session->handle);
  *session = (strata_session_t){0};
}

// Random values: floats in [-1, 1), integers and booleans 0 or 1. The same |seed| gives the same values.
static void randomise(strata_session_t *session, size_t input, uint64_t seed) {
  const strata_tensor_t *tensor = &session->tensors[input];
  bool is_float = strata_dtype_info[tensor->dtype].class_ == STRATA_DTYPE_CLASS_FLOAT;
  uint64_t state = seed * 0x9E3779B97F4A7C15u + input + 1;
  int64_t count = strata_tensor_count(tensor);
  for (int64_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double unit = (double)(state >> 11) * 0x1p-53;
    strata_dtype_store(tensor->dtype, tensor->data, (size_t)i, is_float ? 2 * unit - 1 : unit < 0.5 ? 0 : 1);
  }
}

// The input of that name, in the model or in C; n_inputs if there is none.
static size_t find_input(const strata_session_t *session, const char *name, size_t length) {
  size_t n = session->library->n_inputs;
  for (size_t i = 0; i < n; i++) {
    const strata_tensor_info_t *info = session->library->inputs[i];
    if ((strlen(info->name) == length && memcmp(info->name, name, length) == 0) ||
        (strlen(info->c_name) == length && memcmp(info->c_name, name, length) == 0))
      return i;
  }
  return n;
}

// A file whose name has a '=', or more likely a name that is no input's.
static strata_status_t explain_unnamed(strata_arena_t *arena, const strata_session_t *session, const char *file,
                                       strata_status_t status) {
  const char *equals = strchr(file, '=');
  if (!status || !equals)
    return status;
  const char *name = strata_arena_printf(arena, "%.*s", (int)(equals - file), file);
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < session->library->n_inputs; i++)
    strata_nearest_try(&nearest, session->library->inputs[i]->name, strlen(session->library->inputs[i]->name));
  return strata_status_context(status, "--input=%s: no input is called '%s'%s", file, name,
                               strata_nearest_hint(arena, &nearest));
}

strata_status_t strata_session_read_inputs(strata_arena_t *arena, strata_session_t *session, size_t n_files,
                                           const char *const *files) {
  size_t n = session->library->n_inputs, next = 0;
  for (size_t i = 0; i < n_files; i++) {
    const char *equals = strchr(files[i], '=');
    size_t input = equals ? find_input(session, files[i], (size_t)(equals - files[i])) : n;
    if (input == n) { // no "NAME=", or a '=' in the file's name
      while (next < n && session->given[next].path)
        next++;
      input = next, equals = NULL;
    }
    if (input == n)
      return strata_error(STRATA_INVALID_ARGUMENT, "--input=%s: expected at most %zu inputs", files[i], n);
    strata_given_t *given = &session->given[input];
    *given = (strata_given_t){.text = equals ? "" : files[i], .path = equals ? equals + 1 : files[i]};
    STRATA_TRY(explain_unnamed(arena, session, given->text, strata_tensor_read(arena, given->path, &given->tensor)));
  }
  return NULL;
}

static strata_status_t set_input(strata_arena_t *arena, strata_session_t *session, size_t input) {
  strata_given_t *given = &session->given[input];
  const strata_tensor_t *tensor = &session->tensors[input];
  if (!given->path) {
    randomise(session, input, 1);
    return NULL;
  }
  if (!strata_tensor_retype(&given->tensor, tensor->dtype) || !strata_tensor_same_shape(&given->tensor, tensor)) {
    strata_status_t status = strata_error(STRATA_INVALID_ARGUMENT, "%s: expected %s for input %s, got %s", given->path,
                                          strata_tensor_describe(arena, tensor), session->library->inputs[input]->name,
                                          strata_tensor_describe(arena, &given->tensor));
    return explain_unnamed(arena, session, given->text, status);
  }
  memcpy(tensor->data, given->tensor.data, tensor->size);
  return NULL;
}

strata_status_t strata_session_set_inputs(strata_arena_t *arena, strata_session_t *session) {
  size_t n = session->library->n_inputs;
  for (size_t i = 0; i < n; i++)
    STRATA_TRY(set_input(arena, session, i));
  for (size_t i = 0; i < n && is_on_device(session); i++)
    STRATA_TRY(
        strata_device_upload(session->device, session->data[i], session->tensors[i].data, session->tensors[i].size));
  return NULL;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

static strata_status_t call(strata_session_t *session) {
  const strata_library_t *library = session->library;
  return to_status(library, library->run(session->data, session->dims, session->memory, stream_of(session)));
}

strata_status_t strata_session_run(strata_session_t *session, double *out_seconds) {
  double seconds = 0, start = strata_now();
  if (session->device && session->library->flags & STRATA_LIBRARY_USER_MEMORY) { // else the call ends by itself
    STRATA_TRY(strata_device_start_clock(session->device));
    STRATA_TRY(call(session));
    STRATA_TRY(strata_device_stop_clock(session->device, &seconds));
  } else {
    STRATA_TRY(call(session));
    seconds = strata_now() - start;
  }
  if (out_seconds)
    *out_seconds = seconds;
  return NULL;
}

strata_status_t strata_session_fetch(strata_session_t *session) {
  const strata_library_t *library = session->library;
  for (size_t i = library->n_inputs; i < library->n_inputs + library->n_outputs && is_on_device(session); i++)
    STRATA_TRY(
        strata_device_download(session->device, session->tensors[i].data, session->data[i], session->tensors[i].size));
  return NULL;
}

//===-- Sizes that depend on data --------------------------------------------------------------------------------===//

static const int64_t *true_sizes_of(const strata_session_t *session, size_t index) {
  const strata_library_t *library = session->library;
  bool has_any = STRATA_LIBRARY_HAS(library, true_sizes) && library->true_sizes;
  int64_t sizes = has_any ? library->true_sizes[index] : -1;
  return sizes >= 0 ? session->tensors[library->n_inputs + (size_t)sizes].data : NULL;
}

// The first elements of each dim, one behind the other.
static void copy_cut(const strata_tensor_t *from, int dim, int64_t at, const strata_tensor_t *to, int64_t *done) {
  size_t size = (size_t)strata_dtype_info[from->dtype].bits / 8;
  if (dim == from->rank) {
    memcpy((char *)to->data + (size_t)*done * size, (const char *)from->data + (size_t)at * size, size);
    ++*done;
    return;
  }
  for (int64_t i = 0; i < to->shape[dim]; i++)
    copy_cut(from, dim + 1, at * from->shape[dim] + i, to, done);
}

strata_status_t strata_session_output(strata_arena_t *arena, const strata_session_t *session, size_t index,
                                      strata_tensor_t *out) {
  const strata_library_t *library = session->library;
  const strata_tensor_t *tensor = &session->tensors[library->n_inputs + index];
  const int64_t *sizes = true_sizes_of(session, index);
  *out = *tensor;
  if (!sizes || strata_dtype_info[tensor->dtype].bits < 8)
    return NULL;
  for (int i = 0; i < tensor->rank; i++) {
    out->shape[i] = sizes[i] < 0 ? 0 : sizes[i];
    if (sizes[i] > tensor->shape[i])
      return strata_error(STRATA_OUT_OF_BOUND, "output %s: dimension %d has %lld elements, room is for %lld",
                          library->outputs[index]->name, i, (long long)sizes[i], (long long)tensor->shape[i]);
  }
  int64_t done = 0;
  out->size = (size_t)(strata_tensor_count(out) * (strata_dtype_info[tensor->dtype].bits / 8));
  out->data = strata_arena_alloc(arena, out->size + 1);
  copy_cut(tensor, 0, 0, out, &done);
  return NULL;
}
