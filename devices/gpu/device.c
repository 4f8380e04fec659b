// GPUs: the rows of devices.def, by name, with the figures of the card that is named (cards.h).
#include "devices/gpu/cards.h"
#include "devices/names.h"

#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, MIB = 1024 * KIB };

// A row spells target, code and triple as one macro, hence the second step.
#define DEVICE(...) DEVICE_ROW(__VA_ARGS__)
#define DEVICE_ROW(device, names, target_kind, code_kind, llvm_triple, llvm_chip, llvm_features, warp, threads,        \
                   cluster, processors, resident, n_registers, shared, shared_processor, l2, chiplet, gigabytes,       \
                   processor_draw, teraflops, mma_family, mma_async_family, copies_of, programmatic_launch, tanh,      \
                   f8_formats)                                                                                         \
  {.name = device,                                                                                                     \
   .sold_as = names,                                                                                                   \
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
   .chiplet_processors = chiplet,                                                                                      \
   .bandwidth = gigabytes * INT64_C(1000000000),                                                                       \
   .draw = processor_draw,                                                                                             \
   .products = teraflops * INT64_C(1000000000000),                                                                     \
   .mma = mma_family,                                                                                                  \
   .mma_async = mma_async_family,                                                                                      \
   .copies = STRATA_GPU_COPIES_##copies_of,                                                                            \
   .has_programmatic_launch = programmatic_launch,                                                                     \
   .has_tanh = tanh,                                                                                                   \
   .f8 = STRATA_GPU_F8_##f8_formats,                                                                                   \
   .costs = &strata_gpu_measured_costs},

static const strata_gpu_device_t devices[] = {
#include "devices/gpu/devices.def"
};

enum { N_DEVICES = sizeof devices / sizeof devices[0] };

// Where names of several fit, as "rtx 6000" and "rtx 6000 ada", the longest does. |target| may be NULL: any.
static const strata_gpu_device_t *find_row(const char *name, const strata_target_kind_t *target) {
  const strata_gpu_device_t *found = NULL;
  size_t best = 0;
  for (size_t i = 0; i < N_DEVICES; i++) {
    size_t match =
        target && devices[i].target != *target ? 0 : strata_device_match(name, devices[i].name, devices[i].sold_as);
    if (match > best) {
      found = &devices[i];
      best = match;
    }
  }
  return found;
}

const strata_gpu_device_t *strata_gpu_device_row(const char *name) {
  for (size_t i = 0; i < N_DEVICES; i++)
    if (strcmp(devices[i].name, name) == 0)
      return &devices[i];
  return NULL;
}

// |row|, or NULL, with the figures of the card that |name| is, or the costs of a typical one.
static const strata_gpu_device_t *with_costs(const strata_gpu_device_t *row, const char *name) {
  const strata_gpu_device_t *card = row ? strata_gpu_card(row, name) : NULL;
  return card ? card : row;
}

static const strata_gpu_device_t *find(const char *name, const strata_target_kind_t *target) {
  return with_costs(find_row(name, target), name);
}

const strata_gpu_device_t *strata_gpu_device_find(const char *name) { return find(name, NULL); }

static bool is_known(const strata_gpu_device_t *device, strata_target_kind_t target) {
  return device->target == target && device->code != STRATA_GPU_EMULATED;
}

static const char *known_devices(strata_arena_t *arena, strata_target_kind_t target) {
  const char *known = "native";
  for (size_t i = 0; i < N_DEVICES; i++)
    if (is_known(&devices[i], target))
      known = strata_arena_printf(arena, "%s, %s", known, devices[i].name);
  return known;
}

static strata_status_t unknown_device(strata_compile_t *compile, const char *name) {
  strata_target_kind_t target = compile->options->target;
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = 0; i < N_DEVICES; i++)
    if (is_known(&devices[i], target))
      strata_device_near(&nearest, devices[i].name, devices[i].sold_as);
  const strata_gpu_device_t *other = strata_gpu_device_find(name);
  if (other)
    return strata_error(STRATA_NOT_FOUND, "--device=%s: a device of --target=%s", name,
                        other->target == STRATA_TARGET_NVGPU ? "nvgpu" : "amdgpu");
  return strata_error(STRATA_NOT_FOUND, "--device=%s: unknown GPU, expected one of %s, or a product's name%s", name,
                      known_devices(compile->arena, target), strata_nearest_hint(compile->arena, &nearest));
}

static const strata_gpu_device_t *default_device(strata_target_kind_t target) {
  size_t i = 0;
  while (devices[i].target != target)
    i++;
  return with_costs(&devices[i], devices[i].name);
}

strata_status_t strata_gpu_device(strata_compile_t *compile, const strata_gpu_device_t **out_device) {
  const char *name = compile->options->device;
  strata_target_kind_t target = compile->options->target;
  if (!strata_target_is_gpu(compile))
    return strata_error(STRATA_INVALID_ARGUMENT, "expected a GPU target, got cpu");
  *out_device = name ? find(name, &target) : default_device(target);
  return *out_device ? NULL : unknown_device(compile, name);
}

//===-- By architecture ------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  uint32_t first, last;
} generic_t;

static const generic_t generics[] = {
#define GENERIC(...) {__VA_ARGS__},
#include "devices/gpu/devices.def"
};

static const generic_t *generic_of(const strata_gpu_device_t *device) {
  for (size_t i = 0; i < sizeof generics / sizeof generics[0]; i++)
    if (strcmp(generics[i].name, device->name) == 0)
      return &generics[i];
  return NULL;
}

uint32_t strata_gpu_device_arch(const strata_gpu_device_t *device) {
  switch (device->code) {
  case STRATA_GPU_NVPTX:
    return (uint32_t)strtoul(device->chip + strlen("sm_"), NULL, 10);
  case STRATA_GPU_AMDGCN:
    return generic_of(device) ? generic_of(device)->first : (uint32_t)strtoul(device->chip + strlen("gfx"), NULL, 16);
  case STRATA_GPU_EMULATED:
    break;
  }
  return 0;
}

uint32_t strata_gpu_device_last(const strata_gpu_device_t *device) {
  return generic_of(device) ? generic_of(device)->last : strata_gpu_device_arch(device);
}

const strata_gpu_device_t *strata_gpu_device_of_arch(strata_target_kind_t target, uint32_t arch) {
  const strata_gpu_device_t *found = NULL;
  for (size_t i = 0; i < N_DEVICES; i++)
    if (devices[i].target == target && strata_gpu_device_arch(&devices[i]) <= arch &&
        arch <= strata_gpu_device_last(&devices[i]) && (!found || generic_of(found)))
      found = &devices[i];
  return found ? with_costs(found, found->name) : NULL;
}
