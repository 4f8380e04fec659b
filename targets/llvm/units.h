// Kernels in the LLVM dialect on their way through LLVM, for every target: they are dealt out to units, each an LLVM
// module with a context of its own, translated and compiled by as many threads as the compile may use. How they are
// dealt out depends on the kernels alone.
#ifndef STRATA_TARGETS_LLVM_UNITS_H
#define STRATA_TARGETS_LLVM_UNITS_H

#include "dialects/compile.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

// A kernel that is in a unit's module for as long as units are compiled, and what came behind it; null: nothing.
typedef struct {
  MlirOperation kernel, next;
} strata_llvm_taken_t;

// One LLVM module, and what became of it. A unit is used by one thread at a time.
typedef struct {
  strata_arena_t *arena; // the unit's own; NULL: not under way yet
  MlirModule kernels;    // what it is translated from; null: not under way
  STRATA_VECTOR(strata_llvm_taken_t) taken;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMMemoryBufferRef output; // an object or assembly; NULL: not compiled
  const char *error;          // the first message
  const char *stacks;         // what LLVM said of stack frames, a line each; NULL: nothing
} strata_llvm_unit_t;

typedef struct {
  strata_compile_t *compile;
  MlirModule kernels;
  int per_unit;             // kernels
  strata_llvm_unit_t *data; // in the compile's arena
  size_t count;
} strata_llvm_units_t;

// A machine, as LLVM spells it.
typedef struct {
  const char *triple, *cpu, *features;
  int opt_level; // 0..3
} strata_llvm_target_t;

// Units for the functions of |kernels| that have a body, |per_unit| to a unit; to be disposed of.
strata_llvm_units_t strata_llvm_units_create(strata_compile_t *compile, MlirModule kernels, int per_unit);
void strata_llvm_units_dispose(strata_llvm_units_t *units);

// Translates all units, each with all declarations and globals of the module, and compiles them by as many threads as
// the compile may use. |compile| reports through the unit. The first error is INTERNAL; without one every unit has its
// output.
typedef void (*strata_llvm_compile_t)(strata_llvm_unit_t *unit, const void *user);
STRATA_MUST_CHECK strata_status_t strata_llvm_units_compile(strata_llvm_units_t *units, strata_llvm_compile_t compile,
                                                            const void *user);

// For strata_llvm_compile_t. Each notes what went wrong in the unit and gives NULL or false then.
// A machine for the unit's module, which gets its triple and layout; to be disposed of.
LLVMTargetMachineRef strata_llvm_machine(strata_llvm_unit_t *unit, const strata_llvm_target_t *target);
// Passes as LLVM's opt spells them, on |function| or, if it is NULL, the module.
bool strata_llvm_run_passes(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, const char *passes,
                            LLVMValueRef function);
bool strata_llvm_emit(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType type);

#endif
