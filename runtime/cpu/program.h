// What the compiler emits for the cpu runtime: constant tables that hold a library's whole program.
//
// Each library has its own copy of the runtime, linked in with hidden symbols, and one program, so the runtime reaches
// it by name. targets/library/cpu_tables.c writes these structs as LLVM IR: both sides must agree field by field.
#ifndef STRATA_RUNTIME_CPU_PROGRAM_H
#define STRATA_RUNTIME_CPU_PROGRAM_H

#include "runtime/library/tables.h"

#pragma GCC visibility push(hidden)

// A kernel's code: computes the tasks [begin, end), at least one.
typedef void (*strata_rt_entry_t)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

typedef struct {
  strata_rt_entry_t entry;
  int64_t tasks; // a number
} strata_rt_kernel_t;

typedef struct {
  const strata_library_t *library;
  strata_rt_list_t main;
  strata_rt_list_t prepare; // computes the prepared constants; run again after set_constant
  const strata_rt_kernel_t *kernels;
  const strata_rt_constant_t *constants;
  const uint32_t *public_constants; // the constant behind each of library->constants
  uint64_t n_constants;
  int64_t pool_size;     // of the workspace, a number
  uint64_t scratch_size; // a thread
  uint64_t max_args;     // of a launch
  const void *weights;   // embedded; NULL: in a file
  uint64_t weights_size;
  uint64_t weights_checksum;
  const char *weights_file;       // its name, without a folder
  uint64_t cpu_features;          // bits of cpu_features.def that the code needs
  uint32_t default_threads;       // 0: one a processor
  uint32_t user_memory;           // the caller gives the workspace
  const strata_rt_sizes_t *sizes; // NULL: they do not vary
} strata_rt_program_t;

extern const strata_rt_program_t strata_rt_program;

// A kernel of the runtime's own: copies bytes from buffer 0 to buffer 1; its tasks are bytes.
void strata_rt_copy(void *const *buffers, int64_t begin, int64_t end, void *scratch);

// The library's functions. Status codes as in runtime/base/status.def.
int strata_rt_run(void *const *tensors, const int64_t *dims, void *workspace, void *stream);
size_t strata_rt_device_memory_size(const int64_t *dims); // 0 where the sizes are refused
int strata_rt_output_shape(size_t index, const int64_t *dims, int64_t *shape);
size_t strata_rt_weights_size(void);
int strata_rt_load(void *weights_memory, void *stream);
int strata_rt_set_constant(const char *name, const void *data, void *stream);
int strata_rt_unload(void);
int strata_rt_set_threads(int n_threads);
const char *strata_rt_error(void);
void strata_rt_set_trace(strata_trace_t trace, void *user);

#pragma GCC visibility pop

#endif
