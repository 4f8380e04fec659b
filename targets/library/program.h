// The library being made, as data: read from the module, then written as tables, header and weights.
#ifndef STRATA_TARGETS_LIBRARY_PROGRAM_H
#define STRATA_TARGETS_LIBRARY_PROGRAM_H

#include "dialects/counted_loop.h"
#include "passes/affine/launch_list.h"
#include "runtime/base/dtype.h"
#include "runtime/gpu/map.h"
#include "runtime/library/tables.h"
#include "targets/gpu/codegen.h"
#include "targets/library/library.h"
#include "targets/library/sizes.h"

typedef struct {
  const char *name;   // as in the model
  const char *c_name; // as in the header
  strata_dtype_t dtype;
  int rank;
  const strata_number_t *shape;
  const char *shape_text; // "batch, 64"
  const char *note;       // of the model, for the header; NULL: none
  strata_number_t size;   // bytes
  int64_t in_place;       // of an output that updates an input: that input, which is copied to it in front; else -1
  int64_t true_sizes;     // of an output whose sizes depend on data: the output that has them; else -1
} strata_program_tensor_t;

// A constant of the model, or a buffer that @prepare computes.
typedef struct {
  strata_program_tensor_t tensor;
  const void *data; // NULL: not computed yet
  bool is_prepared; // @prepare computes it
  bool is_used_by_main;
  bool is_present; // has a place in the weights
  int64_t weights_offset;
} strata_program_constant_t;

typedef struct {
  const char *symbol;
  const char *entry;     // the function that runs its tasks
  strata_number_t tasks; // on a GPU: blocks
  int64_t scratch_size;
  int64_t threads, shared, cluster; // on a GPU: of a block; bytes of a block; blocks of a cluster
  bool is_programmatic;             // waits itself for the kernel in front of it
  bool is_guarded;                  // its last parameter is the address of the flag of its loop's iteration
  int64_t apart[4];                 // strata.apart: strata_rt_apart_t
  const strata_rt_map_t *maps;
  size_t n_maps;
  size_t n_sizes;               // arguments behind the buffers
  const strata_number_t *sizes; // what they are
  size_t n_variants;            // the next ones of the program's kernels
  strata_number_t pick;         // which of them is launched; 0: this one
  strata_number_t copy_size;    // no kernel of ours but a copy of so many bytes, from its first buffer to its second
  int64_t bytes, flops;         // of a launch; 0: unknown
  int64_t predicted;            // nanoseconds of a launch; 0: unknown
} strata_program_kernel_t;

typedef enum { STRATA_ARG_TENSOR, STRATA_ARG_CONSTANT, STRATA_ARG_POOL, STRATA_ARG_SIZE } strata_program_arg_kind_t;

typedef struct {
  strata_program_arg_kind_t kind;
  size_t index;           // of the tensor or constant
  strata_number_t offset; // in the pool; of a size itself
} strata_program_arg_t;

typedef struct strata_program_launch {
  size_t kernel;                    // of the program's; of several the one that takes all sizes
  struct strata_program_loop *loop; // instead of a kernel; NULL: it is none
  size_t n_args;
  const strata_program_arg_t *args;
  // The kernel's variants (dialects/affine/variants.h), of which the next ones of the program's are: which of them is
  // launched, a number from 0 on, 0 being this launch itself, and variant i being number i + 1.
  size_t n_variants;
  struct strata_program_launch *variants;
  strata_number_t pick;
  int64_t region;  // of launches beside one another on several streams; -1: none
  unsigned stream; // 0: the call's
} strata_program_launch_t;

typedef STRATA_VECTOR(strata_program_launch_t) strata_program_launches_t;

// A loop of @main or of another's body (dialects/counted_loop.h). In the body, tensors are the launch's arguments and
// the pool is the last of them.
typedef struct strata_program_loop {
  strata_number_t count;    // of an open loop: at most
  int64_t condition, limit; // arguments that decide when an open loop ends; -1: there is none
  strata_number_t flags;    // of an open loop on a GPU, as strata_rt_loop_t has it
  int64_t n_flags;
  strata_program_launches_t body;
  const strata_rt_step_t *steps; // one an argument of the launch
} strata_program_loop_t;

// What the program is on a GPU.
typedef struct {
  const strata_gpu_device_t *device;
  strata_gpu_binary_t binary;
  int64_t begin_loop, take_state; // which kernels open loops have (lowering/guard_launches.c); -1: there are none
} strata_program_gpu_t;

typedef struct strata_program {
  strata_compile_t *compile;
  const strata_library_options_t *options;
  strata_program_gpu_t *gpu;   // NULL on the cpu
  struct strata_program *next; // the same model for the next device of the library; NULL: there is none
  strata_symbols_t symbols;
  strata_sizes_t *sizes;    // NULL: they do not vary
  const char **dim_c_names; // of the independent symbols
  size_t n_inputs, n_outputs;
  strata_program_tensor_t *tensors; // inputs, then outputs
  STRATA_VECTOR(strata_program_constant_t) constants;
  STRATA_VECTOR(strata_program_kernel_t) kernels; // in the order of their first launches, @main's before @prepare's
  strata_program_launches_t main, prepare;
  strata_number_t pool_size;
  int64_t pool_live, pool_sum; // as the memory plan left them
  int64_t scratch_size;        // of a thread
  int64_t weights_size;
  uint64_t weights_checksum;
} strata_program_t;

// Bytes of the weights of all devices: what the library carries.
int64_t strata_program_all_weights_size(const strata_program_t *program);
// What the caller's tensors must be aligned to, in bytes; 0: their elements.
int strata_program_alignment(const strata_program_t *program);

// Reads @main and @prepare for the compile's device. Nothing is computed yet: prepared constants have no data.
STRATA_MUST_CHECK strata_status_t strata_program_read(strata_compile_t *compile,
                                                      const strata_library_options_t *options,
                                                      strata_program_t *out_program);

// True if data decide when it ends.
static inline bool strata_program_loop_is_open(const strata_program_loop_t *loop) {
  return loop->condition >= 0 || loop->limit >= 0;
}
// How often its launches are listed: once where data or sizes decide how often they are made.
static inline int64_t strata_program_loop_listed(const strata_program_loop_t *loop) {
  return strata_program_loop_is_open(loop) || strata_number_varies(loop->count) ? 1 : loop->count;
}
enum { STRATA_MAX_STREAMS = 32 }; // of a call
// Whether streams are joined or forked in front of launch |i|: as strata_rt_launch_t.order has it.
unsigned strata_program_order(const strata_program_launches_t *launches, size_t i);
// Enqueuing takes time: the launches of a region in the order in which their streams come to them.
void strata_program_interleave(const strata_program_t *program, strata_program_launches_t *launches);
// True if a launch is on another stream than the call's.
bool strata_program_has_streams(const strata_program_launches_t *launches);
// True if there is an open loop of more than |most| iterations, or perhaps more, among the launches and in the bodies
// of their loops.
bool strata_program_has_open_loop(const strata_program_launches_t *launches, int64_t most);

// How many launches of kernels a list makes in a call, loops as they are listed; more than
// STRATA_PROGRAM_MAX_LAUNCHES are that many.
enum { STRATA_PROGRAM_MAX_LAUNCHES = 1 << 24 };
int64_t strata_program_count_launches(const strata_program_launches_t *launches);

// Reads strata.maps of a kernel's declaration (maps.c); INTERNAL if the driver would refuse one.
STRATA_MUST_CHECK strata_status_t strata_program_read_maps(const strata_program_t *program, MlirOperation func,
                                                           strata_program_kernel_t *kernel);

// An attribute that is an integer, or a map of the symbols with one result; |otherwise| where it is neither
// (numbers.c).
strata_number_t strata_program_read_number(const strata_program_t *program, MlirOperation op, const char *name,
                                           strata_number_t otherwise);
#define STRATA_NO_NUMBER INT64_MIN // no number of a library: there are fewer values
// How the arguments of a loop move; those of reversed scans are changed to the last row.
const strata_rt_step_t *strata_program_read_steps(const strata_program_t *program, const strata_counted_loop_t *loop,
                                                  const strata_launch_t *launch, const strata_launch_list_t *list,
                                                  strata_program_arg_t *args);
strata_number_t strata_program_loop_count(const strata_program_t *program, const strata_counted_loop_t *loop);
// The next multiple.
strata_number_t strata_program_round_up(const strata_program_t *program, strata_number_t size, int64_t multiple);

// The constant of that name; NULL: there is none.
const strata_program_constant_t *strata_program_find_constant(const strata_program_t *program, const char *name);

// Reads a module whose @main is a preparation (prepare_on_host.c): its launches become the program's |prepare|.
STRATA_MUST_CHECK strata_status_t strata_program_read_preparation(strata_compile_t *compile,
                                                                  const strata_library_options_t *options,
                                                                  strata_program_t *out_program);

// Decides which constants the library keeps and where they lie in the weights (weights.c).
void strata_program_place_weights(strata_program_t *program);
// A constant that a caller may set by its name.
bool strata_program_is_public(const strata_program_constant_t *constant);

#endif
