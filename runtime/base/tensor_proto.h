// ONNX's TensorProto in memory: raw data and packed floats are used where they lie, the other typed forms are unpacked.
#ifndef STRATA_BASE_TENSOR_PROTO_H
#define STRATA_BASE_TENSOR_PROTO_H

#include "runtime/base/tensor_file.h"

#include <stdbool.h>

typedef struct {
  const char *name;       // "" where there is none
  strata_tensor_t tensor; // data: NULL where it is external; may be unaligned
  bool is_e2m1, is_e8m0; // floats of 4 bits, powers of two: they have no tensor here, but u4 and u8 that are their bits
  bool is_external;      // the bytes are |length| bytes at |offset| of the file |location|
  const char *location;
  int64_t offset, length; // length -1: not given
} strata_tensor_proto_t;

// Reads |size| bytes at |data|, which must outlive the result. What has to be unpacked comes from |arena|. Errors:
// PARSE (what is malformed), UNSUPPORTED (an element type that has no tensor here); both name the tensor.
STRATA_MUST_CHECK strata_status_t strata_tensor_proto_parse(strata_arena_t *arena, const void *data, size_t size,
                                                            strata_tensor_proto_t *out_proto);

#endif
