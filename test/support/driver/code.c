// AMD's code objects: the executor is another library, because it needs LLVM, and is loaded with the first of them.
#define _GNU_SOURCE
#include "test/support/driver/amdgpu/amdgpu.h"
#include "test/support/driver/control.h"
#include "test/support/driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const amdgpu_functions_t *executor; // NULL: not yet
static const amdgpu_program_t *loaded;     // the last, while it is

// It lies beside this library.
static bool load_executor(void) {
  char path[4096];
  Dl_info info;
  if (executor)
    return true;
  if (!dladdr((const void *)code_load, &info))
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  int length = slash ? (int)(slash + 1 - info.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*slibstrata_test_amdgpu.so", length, info.dli_fname);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  executor = library ? dlsym(library, AMDGPU_FUNCTIONS) : NULL;
  return executor != NULL;
}

int code_load(image_t *image) {
  char finding[AMDGPU_TEXT] = "";
  if (!load_executor())
    return fault(INVALID_IMAGE, "libstrata_test_amdgpu.so: %s", dlerror());
  image->program = executor->load(image->data, image->size, finding);
  if (!image->program)
    return fault(INVALID_IMAGE, "%s", finding);
  loaded = image->program;
  return OK;
}

EXPORT bool strata_test_driver_code_runs_on(unsigned arch) { return loaded && executor->runs_on(loaded, arch); }

bool code_runs_here(const image_t *image) { return executor->runs_on(image->program, settings.arch); }

void code_unload(image_t *image) {
  loaded = loaded == image->program ? NULL : loaded;
  executor->unload(image->program);
}

bool code_find_kernel(const image_t *image, const char *name, kernel_info_t *out_info) {
  amdgpu_kernel_info_t info;
  if (!executor->find_kernel(image->program, name, &info))
    return false;
  *out_info = (kernel_info_t){.param_size = info.arguments, .n_params = -1, .shared = info.shared};
  return true;
}

static bool find_memory(uintptr_t address, uintptr_t *out_base, size_t *out_size) {
  const memory_t *memory = memory_find((const void *)address, 1);
  if (!memory)
    return false;
  *out_base = (uintptr_t)memory->base;
  *out_size = memory->size;
  return true;
}

bool execute_code(const function_t *function, const shape_t *shape, void *const *words, size_t n_words) {
  char finding[AMDGPU_TEXT] = "";
  amdgpu_launch_t launch = {.kernel = function->name,
                            .blocks = shape->grid[0],
                            .threads = shape->block[0],
                            .shared = shape->shared,
                            .arguments = words,
                            .arguments_size = n_words * sizeof *words,
                            .find_memory = find_memory};
  bool ok = executor->launch(function->module->image.program, &launch, finding);
  if (!ok)
    fault(OK, "%s", finding);
  return ok;
}
