// What the compiler emits for the GPU runtime: constant tables that hold a library's whole program.
//
// Each library has its own copy of the runtime, linked in with hidden symbols, and one program, so the runtime reaches
// it by name. targets/library/gpu_tables.c writes these structs as LLVM IR: both sides must agree field by field.
#ifndef STRATA_RUNTIME_GPU_PROGRAM_H
#define STRATA_RUNTIME_GPU_PROGRAM_H

#include "runtime/gpu/map.h"
#include "runtime/library/tables.h"

#pragma GCC visibility push(hidden)

// Launches of as many blocks as a call's sizes say, whose blocks are kept apart: as long as a processor's share of them
// is at most |most|, one asks for so much memory that no processor holds more; else, for |needed|.
typedef struct {
  uint32_t most; // 0: all launches ask for strata_rt_kernel_t.shared
  uint32_t needed, processors;
  uint32_t capacity; // bytes of a processor
} strata_rt_apart_t;

// A kernel's function in its image, and the shape of its launches. Its parameters are the buffers' device pointers and
// its sizes, 64 bits each; behind them the maps' tensor maps of the driver, 128 bytes each.
typedef struct {
  const char *name;
  int32_t blocks;   // the grid, of one dimension; a number
  uint32_t threads; // of a block
  uint32_t shared;  // bytes of dynamic shared memory; the most that a launch may ask for
  uint32_t cluster; // blocks of a cluster; 1: none
  uint32_t flags;   // STRATA_RT_KERNEL_...
  uint32_t n_maps;
  const strata_rt_map_t *maps;
  strata_rt_apart_t apart;
} strata_rt_kernel_t;

enum {
  // May start before the kernel in front of it has ended: its code waits for that one (griddepcontrol.wait) itself.
  STRATA_RT_KERNEL_PROGRAMMATIC = 1,
  // Has one parameter more, behind its sizes: the address of a byte without which it does nothing, or 0.
  STRATA_RT_KERNEL_GUARDED = 2,
};

enum { STRATA_RT_NO_KERNEL = -1 };

// As the kernel of a launch: copies args[0] to args[1], |size| bytes, a number, by the driver.
#define STRATA_RT_COPY UINT32_MAX

// Device code. An exact image runs on devices of exactly |arch|; others on those up to |last|: PTX without features of
// one architecture on any from |arch| on, code for a generic target on its family. PTX ends in a zero byte.
typedef struct {
  const void *data;
  uint64_t size;
  uint32_t arch; // 10 * major + minor of the compute capability; of a gfx number: its digits in hexadecimal;
                 // of the tests' emulated device: 0
  uint32_t last;
} strata_rt_image_t;

// Everything that differs by device.
typedef struct {
  const char *device;              // as --device= spells it
  const strata_rt_image_t *images; // best first
  uint64_t n_images;
  const strata_rt_kernel_t *kernels;
  uint64_t n_kernels;
  strata_rt_list_t main;
  strata_rt_list_t prepare; // computes the prepared constants; run again after set_constant
  const strata_rt_constant_t *constants;
  const uint32_t *public_constants; // the constant behind each of library->constants
  uint64_t n_constants;
  int64_t pool_size;     // a number
  uint64_t max_args;     // of a launch
  const void *weights;   // embedded; NULL: in a file
  uint64_t weights_size; // bytes that are uploaded to the start of the memory for constants
  uint64_t memory_size;  // bytes of that memory: constants that NAME_load prepares may lie behind the weights
  uint64_t weights_checksum;
  const strata_rt_sizes_t *sizes; // NULL: they do not vary
  uint64_t n_side_streams;        // that launches name, at most STRATA_RT_MAX_SIDE_STREAMS
  // Kernels that open loops have launched (lowering/guard_launches.c says what they do); STRATA_RT_NO_KERNEL: none.
  int64_t begin_loop, take_state;
} strata_rt_variant_t;

typedef struct {
  const strata_library_t *library;
  const strata_rt_variant_t *variants; // in the order of --device: the first that fits the device present is taken
  uint64_t n_variants;
  const char *weights_file; // its name, without a folder; NULL: embedded
  uint32_t target;          // 1: CUDA, 2: HIP
  uint32_t user_memory;     // the caller gives pool and stream, and loads the library before
  uint32_t device_tensors;  // tensors are device pointers; else the call copies in and out
  uint32_t unloads;         // what a call has loaded is unloaded behind it; never with user_memory
} strata_rt_program_t;

extern const strata_rt_program_t strata_rt_program;

// The name of its library, with which messages begin.
static inline const char *strata_rt_program_name(void) {
  const strata_rt_program_t *program = &strata_rt_program;
  return program->library->name;
}

// The library's functions. Status codes as in runtime/base/status.def. Any thread may call them at any time, except
// that load with memory, set_constant and unload fail while a call is running, and the caller sees to it that what
// earlier calls enqueued has ended. Load and set_constant synchronise |stream| before they return; unload waits for
// the device and frees what was loaded in every context. Where calls unload, what load and set_constant have made
// stays until unload all the same. A process forked after a load may not use the library.
int strata_rt_run(void *const *tensors, const int64_t *dims, void *device_memory, void *stream);
size_t strata_rt_device_memory_size(const int64_t *dims); // 0 where the sizes are refused
int strata_rt_output_shape(size_t index, const int64_t *dims, int64_t *shape);
size_t strata_rt_weights_size(void); // of the memory that load takes
int strata_rt_load(void *weights_memory, void *stream);
int strata_rt_set_constant(const char *name, const void *data, void *stream);
int strata_rt_unload(void);
const char *strata_rt_error(void);
void strata_rt_set_trace(strata_trace_t trace, void *user);

#pragma GCC visibility pop

#endif
