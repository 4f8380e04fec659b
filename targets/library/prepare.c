// Runs @prepare at compile time, with our own code for its kernels, so that the library carries the results. What no
// later launch and no weight needs gives its memory back, so that large models are not held twice.
#define _DEFAULT_SOURCE // madvise
#include "runtime/cpu/features.h"
#include "runtime/cpu/pool.h"
#include "targets/library/emit.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

enum { BUFFER_ALIGNMENT = 64, PAGE = 4096 };
// Bytes of the model's constants from which on memory counts more than the time to read pages again.
enum { LARGE = 512 << 20 };

static void *allocate(strata_arena_t *arena, int64_t size) {
  uintptr_t memory = (uintptr_t)strata_arena_alloc(arena, (size_t)size + BUFFER_ALIGNMENT);
  return (void *)((memory + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT);
}

bool strata_cpu_runs_here(const strata_cpu_device_t *device) {
  const char *host = strata_cpu_host_device()->triple;
  return device->is_host || (strncmp(device->triple, host, strcspn(host, "-") + 1) == 0 &&
                             !strata_rt_missing_feature(strata_required_features(device)));
}

// Bytes that all processes together can have.
static double memory_present(void) {
  struct sysinfo info;
  return sysinfo(&info) ? INFINITY : ((double)info.totalram + (double)info.totalswap) * info.mem_unit;
}

static strata_status_t allocate_constant(strata_arena_t *arena, strata_program_constant_t *constant) {
  int64_t size = constant->tensor.size;
  if ((double)size > memory_present())
    return strata_error(STRATA_OUT_OF_MEMORY,
                        "a constant of %lld bytes that is computed at compile time, more than this machine's memory",
                        (long long)size);
  constant->data = allocate(arena, size);
  return NULL;
}

static strata_status_t gather_buffers(strata_program_t *program, const strata_program_launch_t *launch,
                                      void ***out_buffers) {
  strata_arena_t *arena = program->compile->arena;
  void **buffers = *out_buffers = strata_arena_array(arena, void *, launch->n_args + 1);
  for (size_t i = 0; i < launch->n_args; i++) {
    strata_program_constant_t *constant = &program->constants.data[launch->args[i].index];
    if (!constant->data)
      STRATA_TRY(allocate_constant(arena, constant));
    buffers[i] = (void *)(uintptr_t)constant->data; // a kernel writes prepared ones only
  }
  return NULL;
}

// The last launch that uses each constant.
static size_t *find_last_uses(const strata_program_t *program) {
  size_t *last = strata_arena_array(program->compile->arena, size_t, program->constants.count + 1);
  for (size_t i = 0; i < program->prepare.count; i++)
    for (size_t j = 0; j < program->prepare.data[i].n_args; j++)
      last[program->prepare.data[i].args[j].index] = i;
  return last;
}

static bool is_large(const strata_program_t *program) {
  int64_t size = 0;
  for (size_t i = 0; i < program->constants.count; i++)
    size += program->constants.data[i].is_prepared ? 0 : program->constants.data[i].tensor.size;
  return size >= LARGE;
}

// Whole pages inside the constant's memory. An intermediate's contents are dropped; a constant of the model is asked to
// leave memory, which it does if it is mapped from a file, and stays readable.
static void release(const strata_program_constant_t *constant) {
  uintptr_t begin = ((uintptr_t)constant->data + PAGE - 1) / PAGE * PAGE;
  uintptr_t end = ((uintptr_t)constant->data + (uintptr_t)constant->tensor.size) / PAGE * PAGE;
  if (begin < end)
    madvise((void *)begin, end - begin, constant->is_prepared ? MADV_DONTNEED : MADV_PAGEOUT);
}

static void release_last(const strata_program_t *program, const strata_program_launch_t *launch,
                         const size_t *last_uses, size_t position) {
  for (size_t i = 0; i < launch->n_args; i++) {
    const strata_program_constant_t *constant = &program->constants.data[launch->args[i].index];
    if (last_uses[launch->args[i].index] == position && !constant->is_used_by_main)
      release(constant);
  }
}

static strata_status_t run_launches(strata_program_t *program, strata_cpu_jit_t *jit) {
  void *scratch = allocate(program->compile->arena, program->scratch_size);
  const size_t *last_uses = is_large(program) ? find_last_uses(program) : NULL;
  for (size_t i = 0; i < program->prepare.count; i++) {
    const strata_program_launch_t *launch = &program->prepare.data[i];
    const strata_program_kernel_t *kernel = &program->kernels.data[launch->kernel];
    strata_cpu_entry_t entry;
    STRATA_TRY(strata_cpu_jit_lookup(jit, kernel->symbol, &entry));
    void **buffers;
    STRATA_TRY(gather_buffers(program, launch, &buffers));
    strata_rt_pool_run(entry, buffers, kernel->tasks, scratch);
    if (last_uses)
      release_last(program, launch, last_uses, i);
  }
  return NULL;
}

strata_status_t strata_program_prepare(strata_program_t *program, MlirModule kernels, const strata_cpu_device_t *device,
                                       const strata_cpu_objects_t *objects) {
  strata_compile_t *compile = program->compile;
  if (program->prepare.count == 0)
    return NULL;
  strata_cpu_objects_t host_objects = *objects;
  if (!strata_cpu_runs_here(device))
    STRATA_TRY(strata_cpu_compile_kernels(compile, kernels, strata_cpu_host_device(), &host_objects));
  strata_cpu_jit_t *jit;
  STRATA_TRY(strata_cpu_jit_create(compile, &host_objects, &jit));
  strata_rt_pool_resize((unsigned)compile->options->jobs, (size_t)program->scratch_size);
  strata_status_t status = run_launches(program, jit);
  strata_rt_pool_resize(1, 0);
  strata_cpu_jit_destroy(jit);
  return status;
}
