#include "tools/native.h"

#include "targets/gpu/codegen.h"
#include "tools/device.h"

#include <string.h>

static strata_status_t find_native(strata_arena_t *arena, strata_target_kind_t target, const char **out_name) {
  strata_device_names_t names = {0};
  strata_status_t status = strata_device_find_names(arena, target == STRATA_TARGET_AMDGPU ? "amdgpu" : "nvgpu", &names);
  if (status)
    return strata_status_context(status, "--device=native: no GPU of this machine can be asked");
  const strata_gpu_device_t *device = strata_gpu_device_of_arch(target, names.arch);
  if (!device)
    return strata_error(STRATA_NOT_FOUND,
                        "--device=native: the GPU of this machine is of %s, for which there is no code",
                        names.arch_name);
  const strata_gpu_device_t *card = strata_gpu_device_find(names.product);
  *out_name = card && card->card && strcmp(card->name, device->name) == 0 ? card->card : device->name;
  return NULL;
}

strata_status_t strata_resolve_native(strata_arena_t *arena, strata_target_kind_t target, const char *devices,
                                      const char **out_devices) {
  static const char native[] = "native";
  *out_devices = devices;
  if (!devices || target == STRATA_TARGET_CPU)
    return NULL;
  const char *result = NULL, *found = NULL;
  for (const char *at = devices; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    size_t length = strcspn(at, ",");
    const char *name = strata_arena_printf(arena, "%.*s", (int)length, at);
    if (strcmp(name, native) == 0) {
      if (!found)
        STRATA_TRY(find_native(arena, target, &found));
      name = found;
    }
    result = result ? strata_arena_printf(arena, "%s,%s", result, name) : name;
  }
  *out_devices = result;
  return NULL;
}
