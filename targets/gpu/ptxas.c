// Machine code by NVIDIA's assembler, and what it says of each kernel.
#define _GNU_SOURCE // memmem
#include "dialects/integers.h"
#include "runtime/base/process.h"
#include "targets/gpu/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In PATH, beside the toolkit that the environment names, and where the toolkit is installed.
static const char *find_ptxas(strata_arena_t *arena) {
  const char *home = getenv("CUDA_HOME");
  const char *const names[] = {"ptxas", strata_arena_printf(arena, "%s/bin/ptxas", home ? home : ""),
                               "/usr/local/cuda/bin/ptxas", NULL};
  return strata_process_find(arena, names);
}

//===-- What it says ---------------------------------------------------------------------------------------------===//

// ptxas info    : Compiling entry function 'k' for 'sm_90a'
// ptxas info    : Function properties for k
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]
typedef STRATA_VECTOR(strata_gpu_resources_t) resources_t;

// The number before |unit| on the line; 0 if it is not there.
static int64_t number_before(const char *line, const char *unit) {
  const char *end = strchr(line, '\n'), *at = strstr(line, unit);
  if (!at || (end && at > end))
    return 0;
  while (at > line && at[-1] == ' ')
    at--;
  while (at > line && at[-1] >= '0' && at[-1] <= '9')
    at--;
  return strtoll(at, NULL, 10);
}

static void read_line(strata_arena_t *arena, resources_t *all, const char *line) {
  static const char entry[] = "Compiling entry function '";
  const char *end = strchr(line, '\n'), *name = strstr(line, entry);
  if (name && (!end || name < end)) {
    name += strlen(entry);
    const char *kernel = strata_arena_printf(arena, "%.*s", (int)strcspn(name, "'"), name);
    *strata_vector_push(arena, all) = (strata_gpu_resources_t){.kernel = kernel};
  }
  if (all->count == 0)
    return;
  strata_gpu_resources_t *last = &all->data[all->count - 1];
  last->registers += number_before(line, " registers");
  last->shared += number_before(line, " bytes smem");
  last->stack += number_before(line, " bytes stack frame");
  last->spills += number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
}

// ptxas info    : (C7519) Potential Performance Loss: warpgroup.arrive is injected ... in the function 'k'
static void read_complaint(strata_arena_t *arena, const char *line, const char **complaints) {
  static const char code[] = "(C75"; // products that are serialised, setmaxnreg that is ignored
  size_t length = strcspn(line, "\n");
  const char *at = strstr(line, code);
  if (at && at < line + length)
    *complaints = strata_arena_printf(arena, "%s%.*s\n", *complaints ? *complaints : "", (int)length, line);
}

static const char *next_line(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const strata_gpu_resources_t *)a)->kernel, ((const strata_gpu_resources_t *)b)->kernel);
}

// In the order of the text's kernels, which the assembler does not keep.
static void sort_resources(strata_arena_t *arena, const char *assembly, resources_t *all) {
  static const char entry[] = ".entry ";
  resources_t sorted = {0};
  qsort(all->data, all->count, sizeof *all->data, by_name);
  for (const char *at = strstr(assembly, entry); at; at = strstr(at, entry)) {
    at += strlen(entry);
    strata_gpu_resources_t key = {.kernel = strata_arena_printf(arena, "%.*s", (int)strcspn(at, "(\n "), at)};
    const strata_gpu_resources_t *found = bsearch(&key, all->data, all->count, sizeof key, by_name);
    *strata_vector_push(arena, &sorted) = found ? *found : key;
  }
  *all = sorted;
}

static void read_output(strata_arena_t *arena, const char *output, strata_gpu_binary_t *binary) {
  resources_t all = {0};
  for (const char *line = output; line; line = next_line(line)) {
    read_line(arena, &all, line);
    read_complaint(arena, line, &binary->complaints);
  }
  sort_resources(arena, binary->assembly, &all);
  binary->resources = all.data;
  binary->n_resources = all.count;
}

//===-- Running it -----------------------------------------------------------------------------------------------===//

// One would put sections in another order than several do; more would be two digits where their number is noted.
enum { MIN_THREADS = 2, MAX_THREADS = 9 };

// The assembler notes its options in what it makes. Code is the same however many threads made it, and so is a library.
static void *forget_threads(strata_arena_t *arena, const void *cubin, size_t size) {
  static const char option[] = "-split-compile ";
  char *data = strata_arena_copy(arena, cubin, size), *end = data + size;
  for (char *at = data; (at = memmem(at, (size_t)(end - at), option, sizeof option - 1));) {
    at += sizeof option - 1;
    if (at<end && * at> '0' && *at <= '0' + MAX_THREADS)
      *at = '0';
  }
  return data;
}

struct strata_gpu_assembly {
  const char *folder, *cubin;
  strata_process_t *process;
};

static strata_status_t start(strata_compile_t *compile, const strata_gpu_device_t *device,
                             const strata_gpu_binary_t *binary, strata_gpu_assembly_t *assembly) {
  enum { MAX_ARGUMENTS = 10 };
  strata_arena_t *arena = compile->arena;
  const char *ptx = strata_arena_printf(arena, "%s/kernels.ptx", assembly->folder);
  STRATA_TRY(strata_gpu_file_write(ptx, binary->assembly, strlen(binary->assembly)));
  const char *lines = strstr(binary->assembly, "\t.loc\t") ? "-lineinfo" : NULL; // of --debug-info
  int threads = (int)strata_max(MIN_THREADS, strata_min(compile->options->jobs, MAX_THREADS));
  const char *const arguments[MAX_ARGUMENTS] = {
      binary->assembler,
      strata_arena_printf(arena, "-arch=%s", device->chip),
      strata_arena_printf(arena, "-O%d", compile->options->opt_level),
      strata_arena_printf(arena, "--split-compile=%d", threads),
      "-v",
      ptx,
      "-o",
      assembly->cubin,
      lines,
      NULL,
  };
  const char **kept = strata_arena_copy(arena, arguments, sizeof arguments);
  return strata_process_start(arena, kept, &assembly->process);
}

strata_status_t strata_gpu_start_assembly(strata_compile_t *compile, const strata_gpu_device_t *device,
                                          strata_gpu_binary_t *binary) {
  strata_arena_t *arena = compile->arena;
  binary->assembler = find_ptxas(arena);
  if (!binary->assembler)
    return NULL;
  strata_gpu_assembly_t *assembly = strata_arena_new(arena, strata_gpu_assembly_t);
  STRATA_TRY(strata_gpu_folder_create(arena, &assembly->folder));
  assembly->cubin = strata_arena_printf(arena, "%s/kernels.cubin", assembly->folder);
  strata_status_t status = start(compile, device, binary, assembly);
  if (status)
    strata_gpu_folder_remove(arena, assembly->folder);
  else
    binary->running = assembly;
  return status;
}

static strata_status_t finish(strata_arena_t *arena, const strata_gpu_assembly_t *assembly, strata_gpu_binary_t *binary,
                              strata_gpu_image_t *out_image) {
  const char *output;
  STRATA_TRY(strata_process_wait(arena, assembly->process, &output, &binary->assembler_seconds));
  read_output(arena, output, binary);
  out_image->suffix = "cubin";
  STRATA_TRY(strata_gpu_file_read(arena, assembly->cubin, &out_image->data, &out_image->size));
  out_image->data = forget_threads(arena, out_image->data, out_image->size);
  return NULL;
}

strata_status_t strata_gpu_finish_assembly(strata_compile_t *compile, strata_gpu_binary_t *binary,
                                           strata_gpu_image_t *out_image) {
  const strata_gpu_assembly_t *assembly = binary->running;
  if (!assembly)
    return NULL;
  strata_status_t status = finish(compile->arena, assembly, binary, out_image);
  strata_gpu_folder_remove(compile->arena, assembly->folder);
  binary->running = NULL;
  return status;
}
