// Code generation of a level-4 module, for the tests of device code.
#ifndef STRATA_TEST_TARGETS_GPU_GENERATE_H
#define STRATA_TEST_TARGETS_GPU_GENERATE_H

#include "dialects/mlir_util.h"
#include "lowering/kernels.h"
#include "targets/gpu/codegen.h"
#include "targets/passes.h"
#include "test/support/check.h"

#include <stdio.h>

// Makes |text| the compile's module and its kernels images for the options' device.
static inline strata_status_t generate(strata_compile_t *compile, const strata_compile_options_t *options,
                                       const char *text, strata_gpu_binary_t *out_binary) {
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_compile_init(compile, options));
  mlirModuleDestroy(compile->module);
  compile->module = mlirModuleCreateParse(compile->context, strata_str(text));
  CHECK(!mlirModuleIsNull(compile->module));
  STRATA_TRY(strata_pass_kernels_to_llvm(compile));
  STRATA_TRY(strata_compile_verify(compile));
  STRATA_TRY(strata_gpu_device(compile, &device));
  return strata_gpu_compile_kernels(compile, strata_kernels_find(compile), device, out_binary);
}

// Prints and frees the error; true if there is none.
static inline bool is_ok(strata_status_t status) {
  if (status)
    fprintf(stderr, "%s\n", strata_status_message(status));
  bool ok = !status;
  strata_status_free(status);
  return ok;
}

#endif
