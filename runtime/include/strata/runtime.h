// The description that every emitted library carries, for callers that know it only at run time.
//
// <name>_library() returns it. A library's own header repeats this text, so it needs no other; headers of several
// libraries, also of different versions, may be included together: later versions only append members, existing codes
// keep their values, and struct_size says which members a library has. Everything here is constant, valid as long as
// the library is loaded, and may be used by any thread.
#ifndef STRATA_LIBRARY_DESCRIPTION
#define STRATA_LIBRARY_DESCRIPTION 2 // the version of this description: strata_library_t's abi_version

#include <stddef.h>
#include <stdint.h>

// A tensor argument, or a constant. Tensors are dense and row-major.
typedef struct strata_tensor_info {
  const char *name;     // as in the model
  const char *c_name;   // as in the function's declaration; for a constant, as in the model
  uint32_t dtype;       // STRATA_DTYPE_...
  uint32_t rank;        // number of dimensions
  const int64_t *shape; // a dynamic size is -1 - k: value k of a call, of which the first n_dims are its sizes
  uint64_t size;        // bytes; 0 if dynamic
} strata_tensor_info_t;

// A size that a call is given.
typedef struct strata_dim_info {
  const char *name;   // as in the model
  const char *c_name; // as in the function's declaration
  int64_t min, max;   // what is taken
  int64_t multiple;   // at least 1: the size is a multiple of it
  size_t n_likely;
  const int64_t *likely; // sizes that the library is to be fastest at
} strata_dim_info_t;

// How a value of a call behind its sizes is computed: a constant, or an operation on two earlier values.
typedef struct strata_value_info {
  uint64_t op;  // STRATA_VALUE_...
  int64_t a, b; // numbers of values; of STRATA_VALUE_CONSTANT |a| is the constant
} strata_value_info_t;

enum {
  STRATA_VALUE_CONSTANT,
  STRATA_VALUE_ADD,
  STRATA_VALUE_MUL,
  STRATA_VALUE_FLOORDIV, // rounded down
  STRATA_VALUE_CEILDIV,  // rounded up
  STRATA_VALUE_MOD,      // a - b * (a floordiv b)
  STRATA_VALUE_MIN,
  STRATA_VALUE_MAX,
  STRATA_VALUE_REAL, // from here on a float that is not negative is its bits in f64: that of an integer
  STRATA_VALUE_REAL_ADD,
  STRATA_VALUE_REAL_SUB,
  STRATA_VALUE_REAL_MUL,
  STRATA_VALUE_REAL_DIV,
  STRATA_VALUE_REAL_SINGLE, // the nearest f32
  STRATA_VALUE_REAL_FLOOR,  // an integer, as of the two below
  STRATA_VALUE_REAL_CEIL,
  STRATA_VALUE_REAL_RINT, // the nearest one, the even one of two
};

// A kernel: code that is launched as so many independent tasks, on a GPU blocks.
typedef struct strata_kernel_info {
  const char *name;
  uint64_t tasks; // 0 if they depend on the sizes of a call
  uint64_t bytes; // moved by one launch; 0 if unknown
  uint64_t flops; // of one launch; 0 if unknown
} strata_kernel_info_t;

// Called after every launch: its place in the list, the threads that took part, and the time it took.
typedef void (*strata_trace_t)(void *user, size_t launch, unsigned threads, uint64_t nanoseconds);

enum {
  STRATA_LIBRARY_USER_MEMORY = 1,    // device_memory is an argument
  STRATA_LIBRARY_DEVICE_TENSORS = 2, // tensors are device pointers
};

enum {
  STRATA_STREAMS_NUMBER = 0xFF,
  STRATA_STREAMS_FORK = 0x100,
  STRATA_STREAMS_JOIN = 0x200,
};

typedef struct strata_library {
  uint32_t struct_size; // of the description this library was built with
  uint32_t abi_version;
  uint32_t flags;     // STRATA_LIBRARY_...
  uint32_t alignment; // of tensors, in bytes; 0: of their elements
  const char *name;
  const char *compiler; // "strata 0.1.0"
  const char *target;   // "cpu", "nvgpu" or "amdgpu"
  const char *options;  // those it was compiled with, as on the command line

  // Arrays of pointers, so that the structs they point to can grow.
  size_t n_devices;
  const char *const *devices; // what the code is for, best first
  size_t n_inputs;
  const strata_tensor_info_t *const *inputs;
  size_t n_outputs;
  const strata_tensor_info_t *const *outputs;
  size_t n_dims;
  const char *const *dims; // the names of the dynamic sizes
  size_t n_constants;
  const strata_tensor_info_t *const *constants; // what set_constant takes
  size_t n_kernels;
  const strata_kernel_info_t *const *kernels;
  size_t n_launches;
  const uint32_t *launches; // the kernel of each launch of a call, in order; those that data repeat are in it once

  // The library's functions in a form that does not depend on its arguments; each returns what its namesake does.
  // |tensors|: inputs, then outputs. |dims|, |device_memory|, |stream|: NULL where the library has none.
  int (*run)(void *const *tensors, const int64_t *dims, void *device_memory, void *stream);
  size_t (*device_memory_size)(const int64_t *dims);
  size_t (*weights_size)(void);
  int (*load)(void *weights_memory, void *stream);
  int (*set_constant)(const char *name, const void *data, void *stream);
  int (*unload)(void);
  int (*set_threads)(int n_threads); // NULL on GPUs
  const char *(*error)(void);
  // Calls |trace| after every launch of every later call; NULL: no longer. Not while a call is running.
  void (*set_trace)(strata_trace_t trace, void *user);
  const char *const *nodes; // of the model: for each kernel those it carries out, in a few words; "" where unknown

  // From version 2 on. Where n_dims is 0: NULL and 0, but for output_shape.
  const strata_dim_info_t *const *dim_infos;
  // Of inputs, then outputs, with the names of the sizes: "batch, 2 * sequence, 64".
  const char *const *shapes;
  size_t n_values;                   // of a call, the sizes among them
  const strata_value_info_t *values; // how those behind the sizes are computed
  // The shape of output |index| at these sizes, as many numbers as its rank.
  int (*output_shape)(size_t index, const int64_t *dims, int64_t *shape);

  // There, as struct_size says, where a kernel has variants for some sizes: they follow it in |kernels|, and for each
  // launch this says which of them a call launches, |launches| having the first: a number from 0 on, or -1 - k: value
  // k.
  const int64_t *picks;
  // There, as struct_size says, where the compiler's models of the GPU know it of one: for each kernel the nanoseconds
  // that they expect of a launch; 0 where unknown. |picks| may then be NULL.
  const uint64_t *predicted;
  // There, as struct_size says, where a call uses several streams: for each launch the number of its stream, 0 being
  // the call's, and STRATA_STREAMS_...: whether all are joined in front of it, and others then forked from the call's.
  const uint32_t *streams;
  // There, as struct_size says, where sizes of outputs depend on data: for each output which of the outputs is its
  // sizes, an i64 for each dimension, or -1: it is as its shape says. The shape of the others is what they have room
  // for. Members in front of it may then be NULL.
  const int64_t *true_sizes;
} strata_library_t;

#endif
