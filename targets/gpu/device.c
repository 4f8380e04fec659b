// GPUs: the rows of devices.def, by name.
#include "passes/target.h"

#include <string.h>

enum { KIB = 1024, MIB = 1024 * KIB };

// A row spells target, code and triple as one macro, hence the second step.
#define DEVICE(...) DEVICE_ROW(__VA_ARGS__)
#define DEVICE_ROW(device, target_kind, code_kind, llvm_triple, llvm_chip, llvm_features, warp, threads, cluster,      \
                   processors, resident, n_registers, shared, shared_processor, l2, gigabytes, teraflops, mma_family,  \
                   mma_async_family, async_copy, programmatic_launch, tanh)                                            \
  {.name = device,                                                                                                     \
   .target = target_kind,                                                                                              \
   .code = code_kind,                                                                                                  \
   .triple = llvm_triple,                                                                                              \
   .chip = llvm_chip,                                                                                                  \
   .features = llvm_features,                                                                                          \
   .lanes = warp,                                                                                                      \
   .max_threads = threads,                                                                                             \
   .max_cluster = cluster,                                                                                             \
   .n_processors = processors,                                                                                         \
   .threads_resident = resident,                                                                                       \
   .registers = n_registers,                                                                                           \
   .shared_bytes = shared * KIB,                                                                                       \
   .shared_bytes_processor = shared_processor * KIB,                                                                   \
   .l2_bytes = (int64_t)l2 * MIB,                                                                                      \
   .bandwidth = gigabytes * INT64_C(1000000000),                                                                       \
   .products = teraflops * INT64_C(1000000000000),                                                                     \
   .mma = mma_family,                                                                                                  \
   .mma_async = mma_async_family,                                                                                      \
   .has_async_copy = async_copy,                                                                                       \
   .has_programmatic_launch = programmatic_launch,                                                                     \
   .has_tanh = tanh},

static const strata_gpu_device_t devices[] = {
#include "targets/gpu/devices.def"
};

enum { N_DEVICES = sizeof devices / sizeof devices[0] };

static strata_status_t unknown_device(strata_compile_t *compile, const char *name) {
  const char *known = "";
  for (size_t i = 0; i < N_DEVICES; i++)
    if (devices[i].target == compile->options->target && devices[i].code != STRATA_GPU_EMULATED)
      known = strata_arena_printf(compile->arena, "%s%s%s", known, *known ? ", " : "", devices[i].name);
  return strata_error(STRATA_NOT_FOUND, "--device=%s: unknown GPU, expected one of %s", name, known);
}

const strata_gpu_device_t *strata_gpu_device_find(const char *name) {
  for (size_t i = 0; i < N_DEVICES; i++)
    if (strcmp(name, devices[i].name) == 0)
      return &devices[i];
  return NULL;
}

strata_status_t strata_gpu_device(strata_compile_t *compile, const strata_gpu_device_t **out_device) {
  const char *name = compile->options->device;
  if (!strata_target_is_gpu(compile))
    return strata_error(STRATA_INVALID_ARGUMENT, "expected a GPU target, got cpu");
  for (size_t i = 0; i < N_DEVICES; i++)
    if (devices[i].target == compile->options->target && (!name || strcmp(name, devices[i].name) == 0)) {
      *out_device = &devices[i];
      return NULL;
    }
  return unknown_device(compile, name);
}
