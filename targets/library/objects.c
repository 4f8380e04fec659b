// Objects: from LLVM IR, and into the shared library, which is LLD's work.
#include "runtime/base/process.h"
#include "targets/library/emit.h"
#include "targets/llvm/tools.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <string.h>

//===-- LLVM IR --------------------------------------------------------------------------------------------------===//

// LLVM's messages are freed by LLVM.
static strata_status_t llvm_error(const char *what, char *message) {
  strata_status_t status = strata_error(STRATA_INTERNAL, "%s: %s", what, message ? message : "unknown error");
  LLVMDisposeMessage(message);
  return status;
}

static strata_status_t create_machine(const strata_cpu_device_t *device, LLVMTargetMachineRef *out_machine) {
  LLVMInitializeAllTargetInfos();
  LLVMInitializeAllTargets();
  LLVMInitializeAllTargetMCs();
  LLVMInitializeAllAsmPrinters();
  LLVMInitializeAllAsmParsers();
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(device->triple, &target, &message))
    return llvm_error(device->triple, message);
  *out_machine = LLVMCreateTargetMachine(target, device->triple, "generic", "", LLVMCodeGenLevelNone, LLVMRelocPIC,
                                         LLVMCodeModelDefault);
  return NULL;
}

static strata_status_t compile_module(const strata_linking_t *linking, LLVMModuleRef module,
                                      strata_cpu_object_t *out_object) {
  LLVMTargetMachineRef machine;
  STRATA_TRY(create_machine(linking->device, &machine));
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  LLVMSetTarget(module, linking->device->triple);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
  char *message = NULL;
  strata_status_t status = NULL;
  LLVMMemoryBufferRef output = NULL;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &output))
    status = llvm_error("tables of the library", message);
  else {
    size_t size = LLVMGetBufferSize(output);
    *out_object = (strata_cpu_object_t){strata_arena_copy(linking->arena, LLVMGetBufferStart(output), size), size};
  }
  if (output)
    LLVMDisposeMemoryBuffer(output);
  LLVMDisposeTargetMachine(machine);
  return status;
}

strata_status_t strata_compile_ir(const strata_linking_t *linking, const char *ir, size_t size,
                                  strata_cpu_object_t *out_object) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(ir, size, "library", true);
  LLVMModuleRef module = NULL;
  char *message = NULL;
  strata_status_t status = LLVMParseIRInContext(context, buffer, &module, &message)
                               ? llvm_error("tables of the library", message)
                               : compile_module(linking, module, out_object);
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}

//===-- Linking --------------------------------------------------------------------------------------------------===//

typedef STRATA_VECTOR(const char *) arguments_t;

static void add(const strata_linking_t *linking, arguments_t *arguments, const char *argument) {
  *strata_vector_push(linking->arena, arguments) = argument;
}

static strata_status_t run(const strata_linking_t *linking, arguments_t *arguments) {
  add(linking, arguments, NULL);
  return strata_process_run(linking->arena, arguments->data);
}

// A version script that exports the library's names and nothing else.
static strata_status_t write_version_script(const strata_linking_t *linking, const char *path) {
  FILE *file;
  STRATA_TRY(strata_file_open(path, "w", &file));
  const char *const *exported;
  size_t n = strata_exported_names(linking->program, &exported);
  fputs("{ global:", file);
  for (size_t i = 0; i < n; i++)
    fprintf(file, " %s;", exported[i]);
  fputs(" local: *; };\n", file);
  return strata_file_close(file, path);
}

strata_status_t strata_link_shared(const strata_linking_t *linking, const char *object, const char *out_path) {
  static const char *const libraries[] = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"};
  const char *tool, *script = strata_arena_printf(linking->arena, "%s/exports.map", linking->folder);
  STRATA_TRY(strata_find_linker(linking->arena, &tool));
  STRATA_TRY(write_version_script(linking, script));
  const char *const fixed[] = {
      tool,
      "-shared",
      "--threads=1", // for one object: others would only cost memory, and fail where there may be none
      "--eh-frame-hdr",
      "-znow",
      "--hash-style=gnu",
      "--no-undefined",
      strata_arena_printf(linking->arena, "--soname=lib%s.so", linking->program->options->name),
      strata_arena_printf(linking->arena, "--version-script=%s", script),
      "-o",
      out_path,
      object,
      "--as-needed",
  };
  arguments_t arguments = {0};
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    add(linking, &arguments, fixed[i]);
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    const char *path = strata_find_system_library(linking->arena, libraries[i]);
    if (path)
      add(linking, &arguments, path);
  }
  return run(linking, &arguments);
}
