// The parts of a library, each written by a function of its own; emit.c calls them in order.
#ifndef STRATA_TARGETS_LIBRARY_EMIT_H
#define STRATA_TARGETS_LIBRARY_EMIT_H

#include "runtime/include/strata/runtime.h"
#include "targets/cpu/codegen.h"
#include "targets/elf/elf.h"
#include "targets/library/program.h"

#include <stdio.h>

// --debug-info (debug_info.c): writes the kernels to <name>.mlir in |folder| and makes their locations lines of it.
STRATA_MUST_CHECK strata_status_t strata_add_debug_info(const strata_program_t *program, MlirModule kernels,
                                                        const char *folder);

// Runs @prepare on this machine, so that all constants that @main uses have data (prepare.c). |objects| are the kernels
// compiled for |device|; if they cannot run here the kernels are compiled once more.
STRATA_MUST_CHECK strata_status_t strata_program_prepare(strata_program_t *program, MlirModule kernels,
                                                         const strata_cpu_device_t *device,
                                                         const strata_cpu_objects_t *objects);

// Makes what a program consists of besides its tables: code, and prepared constants.
typedef strata_status_t (*strata_program_build_t)(strata_program_t *program);
// Puts the programs of the compile's further devices behind the first one, built (devices.c).
STRATA_MUST_CHECK strata_status_t strata_program_add_devices(strata_program_t *first, strata_program_build_t build);

// The same for a program of a GPU: what the compile keeps as preparation is compiled for |device|, or for this machine,
// and run; its results become the data of the constants of the same names (prepare_on_host.c).
STRATA_MUST_CHECK strata_status_t strata_program_prepare_on_host(strata_program_t *program,
                                                                 const strata_cpu_device_t *device);

// A kernel of the runtime: copies bytes from its first buffer to its second; its tasks are bytes.
#define STRATA_COPY_ENTRY "strata_rt_copy"

// Makes every --alias safe (alias.c).
STRATA_MUST_CHECK strata_status_t strata_program_apply_aliases(strata_program_t *program);

// --resource-usage: code, stack and scratch of each kernel, and the memory plan (resources.c).
void strata_program_print_resources(const strata_program_t *program, const strata_cpu_objects_t *objects, FILE *file);
// The same for a program of a GPU: registers, shared memory, stack and spills of each kernel.
void strata_program_print_gpu_resources(const strata_program_t *program, FILE *file);

// Files. Writers do not look at errors: the file remembers them, and closing it tells.
STRATA_MUST_CHECK strata_status_t strata_file_open(const char *path, const char *mode, FILE **out_file);
STRATA_MUST_CHECK strata_status_t strata_file_close(FILE *file, const char *path);
void strata_file_add_zeros(FILE *file, size_t count); // less than a page

// The bytes of all constants that are kept (weights.c).
void strata_program_write_weights(const strata_program_t *program, FILE *file);
// The same behind the header that the runtime expects of <name>.weights.
void strata_program_write_weights_file(const strata_program_t *program, FILE *file);

// <name>.h and <name>.pc (header.c).
void strata_program_print_header(const strata_program_t *program, FILE *file);
void strata_program_print_pkg_config(const strata_program_t *program, FILE *file);

// LLVM IR, as text. What the printers share: constants are numbered as they are defined.
typedef struct {
  FILE *file;
  size_t n_globals;
} strata_ir_printer_t;
// Defines bytes, or a string with its zero; their number: @g<number>.
size_t strata_ir_bytes(strata_ir_printer_t *printer, const void *data, size_t size, int alignment);
size_t strata_ir_string(strata_ir_printer_t *printer, const char *text);
// The description as @strata_description (description.c). Declares the runtime's functions that it names.
void strata_program_print_description(const strata_program_t *program, const strata_cpu_device_t *device,
                                      strata_ir_printer_t *printer);
// The tables of runtime/cpu/program.h (cpu_tables.c).
void strata_program_print_cpu_tables(const strata_program_t *program, const strata_cpu_device_t *device,
                                     strata_ir_printer_t *printer);
// The tables of runtime/gpu/program.h, for the program and those that follow it (gpu_tables.c). |device|: of the host.
void strata_program_print_gpu_tables(const strata_program_t *program, const strata_cpu_device_t *device,
                                     strata_ir_printer_t *printer);
// The exported functions (exports.c).
void strata_program_print_functions(const strata_program_t *program, strata_ir_printer_t *printer);

// What both kinds of tables consist of (tables.c): types; the lists of launches, whose names begin with |prefix|, with
// the most arguments of a launch as result; references to them; the constants, the public
// ones in the order of those of |first|; the symbol of the weights.
void strata_ir_print_table_types(strata_ir_printer_t *printer);
size_t strata_ir_print_lists(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix);
const char *strata_ir_lists(const strata_program_t *program, const char *prefix);
void strata_ir_print_constants(strata_ir_printer_t *printer, const strata_program_t *program,
                               const strata_program_t *first, const char *prefix);
// The program's sizes; a reference to them, null where they do not vary. The operations are @.<prefix>values.
const char *strata_ir_print_sizes(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix);
void strata_ir_print_weights_symbol(strata_ir_printer_t *printer, const strata_cpu_device_t *device);

// The section that the weights are to fill, and the symbol at its start.
#define STRATA_WEIGHTS_SYMBOL "strata_rt_weights"
const char *strata_weights_section(const strata_cpu_device_t *device);
// The bits of runtime/cpu/cpu_features.def that code for the device needs (features.c).
uint64_t strata_required_features(const strata_cpu_device_t *device);

//===-- Objects (objects.c) --------------------------------------------------------------------------------------===//

// What linking works with.
typedef struct {
  strata_arena_t *arena;
  const strata_program_t *program;
  const strata_cpu_device_t *device; // of the host's code
  bool has_shared;                   // there is lib<name>.so; else the archive alone
} strata_linking_t;

// Compiles LLVM IR text for the device's baseline into an object.
STRATA_MUST_CHECK strata_status_t strata_compile_ir(const strata_linking_t *linking, const char *ir, size_t size,
                                                    strata_cpu_object_t *out_object);
// The weights in ELF files (weights_elf.c). An object as it is to be written: its bytes, then |out_gap| zeros, then the
// weights.
STRATA_MUST_CHECK strata_status_t strata_place_weights(const strata_linking_t *linking, strata_bytes_t object,
                                                       strata_bytes_t *out_head, size_t *out_gap);
// lib<name>.so out of the object, written with the weights.
STRATA_MUST_CHECK strata_status_t strata_write_shared(const strata_linking_t *linking, strata_bytes_t object,
                                                      const char *out_path);

// The object with the weights as the one member of an archive (archive.c).
STRATA_MUST_CHECK strata_status_t strata_write_archive(const strata_linking_t *linking, strata_bytes_t object,
                                                       const char *out_path);

// The names a library exports, NAME first.
size_t strata_exported_names(const strata_program_t *program, const char *const **out_names);

#endif
