// Kernels in the LLVM dialect on their way through LLVM, for every target: they are dealt out to units, each an LLVM
// module with a context of its own, translated one after the other (MLIR is used by one thread) and then compiled by as
// many threads as the compile may use. How they are dealt out depends on the kernels alone.
#ifndef STRATA_TARGETS_LLVM_UNITS_H
#define STRATA_TARGETS_LLVM_UNITS_H

#include "dialects/compile.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

// One LLVM module, and what became of it. A unit is used by one thread at a time.
typedef struct {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMMemoryBufferRef output; // an object or assembly; NULL: not compiled
  char *error;                // the first message, malloc'ed
  char *stacks;               // what LLVM said of stack frames, a line each, malloc'ed
} strata_llvm_unit_t;

typedef struct {
  strata_llvm_unit_t *data; // in the compile's arena
  size_t count;
} strata_llvm_units_t;

// A machine, as LLVM spells it.
typedef struct {
  const char *triple, *cpu, *features;
  int opt_level; // 0..3
} strata_llvm_target_t;

// Translates the functions of |kernels| that have a body, |per_unit| to a unit, each unit with all declarations and
// globals of the module. |out_units| is to be disposed of, also after an error.
STRATA_MUST_CHECK strata_status_t strata_llvm_units_create(strata_compile_t *compile, MlirModule kernels, int per_unit,
                                                           strata_llvm_units_t *out_units);
void strata_llvm_units_dispose(strata_llvm_units_t *units);

// Compiles all units by |jobs| threads. |compile| reports through the unit.
typedef void (*strata_llvm_compile_t)(strata_llvm_unit_t *unit, const void *user);
void strata_llvm_units_compile(strata_llvm_units_t *units, int jobs, strata_llvm_compile_t compile, const void *user);
// The first error of a unit, INTERNAL; or NULL if every unit has its output.
STRATA_MUST_CHECK strata_status_t strata_llvm_units_check(const strata_llvm_units_t *units);

// For strata_llvm_compile_t. Each notes what went wrong in the unit and gives NULL or false then.
// A machine for the unit's module, which gets its triple and layout; to be disposed of.
LLVMTargetMachineRef strata_llvm_machine(strata_llvm_unit_t *unit, const strata_llvm_target_t *target);
// Passes as LLVM's opt spells them, on |function| or, if it is NULL, the module.
bool strata_llvm_run_passes(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, const char *passes,
                            LLVMValueRef function);
bool strata_llvm_emit(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType type);

#endif
