// What the compiler emits for the cpu runtime: constant tables that hold a library's whole program.
//
// Each library has its own copy of the runtime, linked in with hidden symbols, and one program, so the runtime reaches
// it by name. targets/library/cpu.c writes these structs as LLVM IR: both sides must agree field by field.
#ifndef STRATA_RUNTIME_CPU_PROGRAM_H
#define STRATA_RUNTIME_CPU_PROGRAM_H

#include "runtime/include/strata/runtime.h"

#pragma GCC visibility push(hidden)

enum { STRATA_RT_ALIGNMENT = 256 }; // of the workspace and the weights, and of every buffer in the workspace

// A kernel's code: computes the tasks [begin, end).
typedef void (*strata_rt_entry_t)(void *const *buffers, int64_t begin, int64_t end, void *scratch);

typedef struct {
  strata_rt_entry_t entry;
  int64_t tasks;
} strata_rt_kernel_t;

typedef enum {
  STRATA_RT_TENSOR,   // the call's tensor |index|: inputs, then outputs
  STRATA_RT_CONSTANT, // constant |index|
  STRATA_RT_PREPARED, // constant |index|, which the preparation computes: this launch may write it
  STRATA_RT_POOL,     // the workspace
} strata_rt_arg_kind_t;

// A buffer that a launch is given: a place and an offset into it, in bytes.
typedef struct {
  uint32_t kind; // strata_rt_arg_kind_t
  uint32_t index;
  uint64_t offset;
} strata_rt_arg_t;

typedef struct {
  uint32_t kernel;
  uint32_t n_args;
  uint64_t first_arg; // of the list's args
} strata_rt_launch_t;

typedef struct {
  const strata_rt_launch_t *launches;
  uint64_t n_launches;
  const strata_rt_arg_t *args;
} strata_rt_list_t;

// A constant of the model, or one that the preparation computes. What only the preparation reads may have been left out
// of the weights.
typedef struct {
  uint64_t offset;
  uint64_t size;
  uint64_t is_present; // its bytes are in the weights
} strata_rt_constant_t;

typedef struct {
  const strata_library_t *library;
  strata_rt_list_t main;
  strata_rt_list_t prepare; // computes the prepared constants; run again after set_constant
  const strata_rt_kernel_t *kernels;
  const strata_rt_constant_t *constants;
  const uint32_t *public_constants; // the constant behind each of library->constants
  uint64_t n_constants;
  uint64_t pool_size;    // of the workspace
  uint64_t scratch_size; // a thread
  uint64_t max_args;     // of a launch
  const void *weights;   // embedded; NULL: in a file
  uint64_t weights_size;
  uint64_t weights_checksum;
  const char *weights_file; // its name, without a folder
  uint64_t cpu_features;    // bits of cpu_features.def that the code needs
  uint32_t default_threads; // 0: one a processor
  uint32_t user_memory;     // the caller gives the workspace
} strata_rt_program_t;

extern const strata_rt_program_t strata_rt_program;

// A kernel of the runtime's own: copies bytes from buffer 0 to buffer 1; its tasks are bytes.
void strata_rt_copy(void *const *buffers, int64_t begin, int64_t end, void *scratch);

// The library's functions. Status codes as in runtime/base/status.def.
int strata_rt_run(void *const *tensors, const int64_t *dims, void *workspace, void *stream);
size_t strata_rt_device_memory_size(const int64_t *dims);
size_t strata_rt_weights_size(void);
int strata_rt_load(void *weights_memory, void *stream);
int strata_rt_set_constant(const char *name, const void *data, void *stream);
int strata_rt_unload(void);
int strata_rt_set_threads(int n_threads);
const char *strata_rt_error(void);
void strata_rt_set_trace(strata_trace_t trace, void *user);

#pragma GCC visibility pop

#endif
