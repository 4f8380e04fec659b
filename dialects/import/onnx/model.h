// The file of an ONNX model as structs of protobuf-c, without a copy of any tensor.
//
// In the structs a TensorProto is a stub: its raw_data holds the place of the message it stands for, inside the mapped
// file. onnx_tensor_bytes reads it back.
#ifndef STRATA_DIALECTS_IMPORT_ONNX_MODEL_H
#define STRATA_DIALECTS_IMPORT_ONNX_MODEL_H

#include "dialects/import/mapped_file.h"

#include <onnx.pb-c.h>

// Maps and reads |path|; everything lives as long as |arena|. Errors: NOT_FOUND, IO, PARSE: what is malformed and where
// (the offset in the file), or nested too deep.
STRATA_MUST_CHECK strata_status_t onnx_read_model(strata_arena_t *arena, const char *path,
                                                  Onnx__ModelProto **out_model);

// Reads one message out of bytes that outlive |arena|, as above.
STRATA_MUST_CHECK strata_status_t onnx_read_message(strata_arena_t *arena, const ProtobufCMessageDescriptor *descriptor,
                                                    const void *data, size_t size, ProtobufCMessage **out_message);

// The serialized message that |stub| stands for.
strata_mapped_file_t onnx_tensor_bytes(const Onnx__TensorProto *stub);

#endif
