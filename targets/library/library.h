// The last phase: a compile whose kernels are LLVM IR becomes lib<name>.so, lib<name>.a, <name>.h and <name>.pc.
#ifndef STRATA_TARGETS_LIBRARY_LIBRARY_H
#define STRATA_TARGETS_LIBRARY_LIBRARY_H

#include "dialects/compile.h"
#include "dialects/strata/strata.h"
#include "runtime/base/dtype.h"

typedef enum {
  STRATA_WEIGHTS_EMBED,
  STRATA_WEIGHTS_FILE,
  STRATA_WEIGHTS_ARGUMENT,
  STRATA_WEIGHTS_SET, // only small ones are in the library, NAME_set_constant gives the others; GPUs only
} strata_weights_t;
typedef enum { STRATA_DEBUG_INFO_NONE, STRATA_DEBUG_INFO_LINE, STRATA_DEBUG_INFO_FULL } strata_debug_info_t;

typedef struct {
  const char *name;         // of the function, prefix of every file and symbol
  const char *command_line; // the options that shaped the library, for its description
  strata_weights_t weights;
  strata_debug_info_t debug_info;
  int alignment; // of the caller's tensors, in bytes; 0: the element's
  bool user_memory;
  bool device_tensors; // the caller's tensors are in device memory; GPUs only
  bool one_time_load;  // what a call has loaded stays; GPUs only, and always with user_memory
  const char *save_temps; // a folder to keep objects and LLVM IR in; NULL: none
  bool print_resources;   // --resource-usage
  bool shared_only;       // lib<name>.so, and no archive, header and pkg-config file
} strata_library_options_t;

// The type that a library's description has for elements of |type|.
strata_dtype_t strata_library_dtype(strata_type_t type, bool is_unsigned);

// Whether code for the device runs on this machine.
struct strata_cpu_device;
bool strata_cpu_runs_here(const struct strata_cpu_device *device);

// INVALID_ARGUMENT unless |name| can name a library: a C identifier, no keyword of C or C++, no name of the C library.
STRATA_MUST_CHECK strata_status_t strata_library_check_name(const char *name);

// Writes the files into |folder|, which exists. On an error some of them may be there. |out_assembler_seconds|
// (optional) is the part of the time that ptxas took.
STRATA_MUST_CHECK strata_status_t strata_library_emit(strata_compile_t *compile,
                                                      const strata_library_options_t *options, const char *folder,
                                                      double *out_assembler_seconds);

#endif
