// Tensors in files: NumPy's .npy, and ONNX's TensorProto as .pb. Needs no LLVM: strata-run uses it too.
#ifndef STRATA_BASE_TENSOR_FILE_H
#define STRATA_BASE_TENSOR_FILE_H

#include "runtime/base/arena.h"
#include "runtime/base/dtype.h"
#include "runtime/base/status.h"

enum { STRATA_TENSOR_MAX_RANK = 32 };

typedef struct strata_tensor {
  strata_dtype_t dtype;
  int rank;
  int64_t shape[STRATA_TENSOR_MAX_RANK];
  void *data;  // row-major, packed as dtypes.def says; little endian
  size_t size; // bytes
} strata_tensor_t;

// Number of elements.
int64_t strata_tensor_count(const strata_tensor_t *tensor);
// Type and shape for messages: "f32 2x3".
const char *strata_tensor_describe(strata_arena_t *arena, const strata_tensor_t *tensor);
bool strata_tensor_same_shape(const strata_tensor_t *a, const strata_tensor_t *b);

// Reads a file by its suffix, ".npy" or ".pb"; the data lies in the arena. Errors: IO, PARSE (what is malformed),
// UNSUPPORTED (an element type or a form that has no tensor here).
STRATA_MUST_CHECK strata_status_t strata_tensor_read(strata_arena_t *arena, const char *path,
                                                     strata_tensor_t *out_tensor);

// Gives |tensor| the type |dtype| if it has it, or if it has the bits of it: files that lack a type hold its elements
// as unsigned integers. False if it is of another type.
bool strata_tensor_retype(strata_tensor_t *tensor, strata_dtype_t dtype);

// Writes a .npy file. A type that .npy lacks is written as the unsigned integers that hold its bits.
STRATA_MUST_CHECK strata_status_t strata_tensor_write_npy(const char *path, const strata_tensor_t *tensor);

#endif
