// The parts of codegen.h: machine code of each kind. All results are in the compile's arena.
#ifndef STRATA_TARGETS_GPU_EMIT_H
#define STRATA_TARGETS_GPU_EMIT_H

#include "targets/gpu/codegen.h"
#include "targets/llvm/units.h"

// PTX for all units (ptx.c): optimises, prints, and joins the texts; starts the assembler. The images are there when
// strata_gpu_finish_ptx() returns.
STRATA_MUST_CHECK strata_status_t strata_gpu_emit_ptx(strata_compile_t *compile, MlirModule kernels,
                                                      const strata_gpu_device_t *device,
                                                      strata_gpu_binary_t *out_binary);
STRATA_MUST_CHECK strata_status_t strata_gpu_finish_ptx(strata_compile_t *compile, const strata_gpu_device_t *device,
                                                        strata_gpu_binary_t *binary);
// The assembler's part of it (ptxas.c): makes a cubin of binary->assembly, where there is an assembler.
STRATA_MUST_CHECK strata_status_t strata_gpu_start_assembly(strata_compile_t *compile,
                                                            const strata_gpu_device_t *device,
                                                            strata_gpu_binary_t *binary);
STRATA_MUST_CHECK strata_status_t strata_gpu_finish_assembly(strata_compile_t *compile, strata_gpu_binary_t *binary,
                                                             strata_gpu_image_t *out_image);
// A code object of AMD's (elf.c), and a shared object of the host.
STRATA_MUST_CHECK strata_status_t strata_gpu_emit_hsaco(strata_compile_t *compile, MlirModule kernels,
                                                        const strata_gpu_device_t *device,
                                                        strata_gpu_binary_t *out_binary);
STRATA_MUST_CHECK strata_status_t strata_gpu_emit_host(strata_compile_t *compile, MlirModule kernels,
                                                       const strata_gpu_device_t *device,
                                                       strata_gpu_binary_t *out_binary);

// Marks loops of a function that are not to be unrolled (loops.c).
void strata_gpu_keep_loops(LLVMValueRef function);
bool strata_gpu_calls(LLVMValueRef op, const char *prefix); // a function whose name begins so
bool strata_gpu_is_matrix_instruction(LLVMValueRef op);     // a call of one of AMD's
// Has AMD's scheduler put memory's instructions between matrix instructions (interleave.c).
void strata_gpu_interleave(LLVMModuleRef module);
// Copies past registers into shared memory (copies_apart.c): if |op| is one; has no load of shared memory wait for
// them, but where the kernel says so.
bool strata_gpu_is_copy(LLVMValueRef op);
bool strata_gpu_is_shared_load(LLVMValueRef op); // from shared memory, crossed ones included
void strata_gpu_set_copies_apart(LLVMModuleRef module);
bool strata_gpu_drop_order(LLVMValueRef function); // and lets it do as it likes again; false if it does already

// strata_llvm_emit() for AMD's kernels: one that spills registers is compiled again in another order (spills.c).
bool strata_gpu_emit_without_spills(strata_llvm_unit_t *unit, LLVMTargetMachineRef machine, LLVMCodeGenFileType file);

// How a device's kernels become files of LLVM's.
typedef struct {
  const strata_gpu_device_t *device;
  const char *first_passes; // the device's own, as LLVM's opt spells them, before all others; NULL: none
  LLVMCodeGenFileType file;
  int kernels_per_unit; // few, for many processors: a unit costs a millisecond or two
} strata_gpu_generation_t;
// Compiles the kernels by options->jobs threads. |out_units| is to be disposed of, also after an error.
STRATA_MUST_CHECK strata_status_t strata_gpu_compile_units(strata_compile_t *compile, MlirModule kernels,
                                                           const strata_gpu_generation_t *generation,
                                                           strata_llvm_units_t *out_units);

// Files for other programs (files.c), in a folder that is to be removed with all that is in it.
STRATA_MUST_CHECK strata_status_t strata_gpu_folder_create(strata_arena_t *arena, const char **out_folder);
void strata_gpu_folder_remove(strata_arena_t *arena, const char *folder);
STRATA_MUST_CHECK strata_status_t strata_gpu_file_write(const char *path, const void *data, size_t size);
STRATA_MUST_CHECK strata_status_t strata_gpu_file_read(strata_arena_t *arena, const char *path, const void **out_data,
                                                       size_t *out_size);

#endif
