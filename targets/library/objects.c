// Objects from LLVM IR.
#include "targets/library/emit.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

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
