// Reads an ONNX file in two steps. The scan walks the wire format, guided by protobuf-c's descriptors, checks every
// length and the depth, and copies the structure of the model with each TensorProto replaced by a stub of a few bytes.
// protobuf-c then unpacks that copy, which is small and well-formed, so that neither the size of the weights nor a
// hostile file reaches it.
#include "dialects/import/onnx/model.h"

#include "runtime/base/wire.h"

#include <string.h>

enum {
  MAX_DEPTH = 100, // of nested messages, as in protobuf itself: 33 subgraphs
  // A nested message is copied with a length of this many bytes, so that it can be written before what it measures.
  LENGTH_SIZE = 5,
  STUB_FIELD = 9, // TensorProto.raw_data
};
#define MAX_STRUCTURE ((size_t)256 << 20)

typedef struct {
  const uint8_t *file;  // where offsets in messages count from
  const uint8_t *fault; // the first malformed byte
  const char *what;
} scan_t;

// Where the copy goes; in the first pass, which measures, there is nowhere.
typedef struct {
  uint8_t *data;
  size_t size;
} output_t;

static bool fail(scan_t *scan, const uint8_t *at, const char *what) {
  *scan = (scan_t){.file = scan->file, .fault = at, .what = what};
  return false;
}

static void put(output_t *out, const void *data, size_t size) {
  if (out->data)
    memcpy(out->data + out->size, data, size);
  out->size += size;
}

static void put_varint(output_t *out, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++) {
    uint8_t byte = (uint8_t)((value >> 7 * i & 127) | (i + 1 < width ? 128 : 0));
    put(out, &byte, 1);
  }
}

static void put_stub(output_t *out, const strata_wire_field_t *tensor) {
  strata_mapped_file_t place = {.data = tensor->bytes, .size = tensor->size};
  put_varint(out, STUB_FIELD << 3 | STRATA_WIRE_BYTES, 1);
  put_varint(out, sizeof place, 1);
  put(out, &place, sizeof place);
}

static bool copy_message(scan_t *scan, const ProtobufCMessageDescriptor *descriptor, strata_wire_t wire, int depth,
                         output_t *out);

// A field that holds a message: tag, length, and the copy of what is inside.
static bool copy_nested(scan_t *scan, const ProtobufCMessageDescriptor *descriptor, const strata_wire_field_t *field,
                        int depth, output_t *out) {
  if (depth == MAX_DEPTH)
    return fail(scan, field->start, "messages are nested too deep");
  put_varint(out, (uint64_t)field->number << 3 | STRATA_WIRE_BYTES, LENGTH_SIZE);
  output_t length = {.data = out->data ? out->data + out->size : NULL};
  out->size += LENGTH_SIZE;
  size_t start = out->size;
  if (descriptor == &onnx__tensor_proto__descriptor)
    put_stub(out, field);
  else if (!copy_message(scan, descriptor, (strata_wire_t){.at = field->bytes, .end = field->bytes + field->size},
                         depth + 1, out))
    return false;
  put_varint(&length, out->size - start, LENGTH_SIZE);
  return out->size <= MAX_STRUCTURE ||
         fail(scan, field->start, "the graph takes more than 256 MiB without its weights");
}

static bool copy_field(scan_t *scan, const ProtobufCMessageDescriptor *descriptor, const strata_wire_field_t *field,
                       const uint8_t *end, int depth, output_t *out) {
  const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(descriptor, field->number);
  if (known && known->type == PROTOBUF_C_TYPE_MESSAGE && field->type == STRATA_WIRE_BYTES)
    return copy_nested(scan, known->descriptor, field, depth, out);
  put(out, field->start, (size_t)(end - field->start));
  return true;
}

static bool copy_message(scan_t *scan, const ProtobufCMessageDescriptor *descriptor, strata_wire_t wire, int depth,
                         output_t *out) {
  for (strata_wire_field_t field; strata_wire_next(&wire, &field);)
    if (!copy_field(scan, descriptor, &field, wire.at, depth, out))
      return false;
  return !wire.is_malformed || fail(scan, wire.at, "a field is malformed or longer than its message");
}

//===-- Unpacking ------------------------------------------------------------------------------------------------===//

static void *allocate(void *arena, size_t size) { return strata_arena_alloc(arena, size); }
static void release(void *arena, void *memory) {
  (void)arena;
  (void)memory;
}

static strata_status_t scan_error(const scan_t *scan) {
  return strata_error(STRATA_PARSE, "not a valid ONNX model: at byte %td: %s", scan->fault - scan->file, scan->what);
}

strata_status_t onnx_read_message(strata_arena_t *arena, const ProtobufCMessageDescriptor *descriptor, const void *data,
                                  size_t size, ProtobufCMessage **out_message) {
  scan_t scan = {.file = data};
  strata_wire_t wire = {.at = data, .end = (const uint8_t *)data + size};
  output_t measured = {0};
  if (!copy_message(&scan, descriptor, wire, 0, &measured))
    return scan_error(&scan);
  output_t copy = {.data = strata_arena_alloc(arena, measured.size ? measured.size : 1)};
  if (!copy_message(&scan, descriptor, wire, 0, &copy))
    return scan_error(&scan);
  ProtobufCAllocator allocator = {.alloc = allocate, .free = release, .allocator_data = arena};
  *out_message = protobuf_c_message_unpack(descriptor, &allocator, copy.size, copy.data);
  return *out_message ? NULL : strata_error(STRATA_PARSE, "not a valid ONNX model");
}

strata_status_t onnx_read_model(strata_arena_t *arena, const char *path, Onnx__ModelProto **out_model) {
  strata_mapped_file_t file;
  ProtobufCMessage *message;
  STRATA_TRY(strata_map_file(arena, path, &file));
  if (file.size == 0)
    return strata_error(STRATA_PARSE, "%s: the file is empty", path);
  STRATA_TRY(strata_status_context(
      onnx_read_message(arena, &onnx__model_proto__descriptor, file.data, file.size, &message), "%s", path));
  *out_model = (Onnx__ModelProto *)message;
  return NULL;
}

strata_mapped_file_t onnx_tensor_bytes(const Onnx__TensorProto *stub) {
  strata_mapped_file_t place = {0};
  if (stub->has_raw_data && stub->raw_data.len == sizeof place)
    memcpy(&place, stub->raw_data.data, sizeof place);
  return place;
}
