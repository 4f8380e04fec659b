// --debug-info: the kernels' source, for debuggers and profilers, is their IR in the LLVM dialect, written to
// <name>.mlir beside the library; every instruction gets the line it comes from.
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "targets/library/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <mlir-c/Pass.h>
#include <string.h>
#include <unistd.h>

static strata_status_t run_passes(strata_compile_t *compile, MlirModule kernels, const char *pipeline) {
  MlirPassManager manager = mlirPassManagerCreate(compile->context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  bool ok = mlirLogicalResultIsSuccess(
                mlirOpPassManagerAddPipeline(passes, strata_str(pipeline), strata_text_ignore, NULL)) &&
            mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(kernels)));
  mlirPassManagerDestroy(manager);
  return ok ? NULL : strata_compile_take_diagnostics(compile, "--debug-info: the passes failed");
}

// NVIDIA's assembler optimises nothing that has more than lines.
static const char *emission_kind(const strata_program_t *program) {
  if (program->gpu && program->gpu->device->code == STRATA_GPU_NVPTX)
    return "DebugDirectivesOnly";
  return program->options->debug_info == STRATA_DEBUG_INFO_LINE ? "LineTablesOnly" : "Full";
}

// The file is named in the debug information as the passes open it, so that is done from within |folder|.
strata_status_t strata_add_debug_info(const strata_program_t *program, MlirModule kernels, const char *folder) {
  strata_debug_info_t wanted = program->options->debug_info;
  if (wanted == STRATA_DEBUG_INFO_NONE)
    return NULL;
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (here < 0 || chdir(folder) != 0) {
    strata_status_t status = strata_error(STRATA_IO, "%s: %s", folder, strerror(errno));
    if (here >= 0)
      close(here);
    return status;
  }
  const char *pipeline = strata_arena_printf(program->compile->arena,
                                             "snapshot-op-locations{filename=%s.mlir},"
                                             "ensure-debug-info-scope-on-llvm-func{emission-kind=%s}",
                                             program->options->name, emission_kind(program));
  strata_status_t status = run_passes(program->compile, kernels, pipeline);
  if (fchdir(here) != 0 && !status)
    status = strata_error(STRATA_IO, "working folder: %s", strerror(errno));
  close(here);
  return status;
}
