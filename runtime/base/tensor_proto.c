// The reader of TensorProto. The bytes are hostile: the shape says how many elements there must be, and the data, in
// whichever of the fields it comes, must be exactly as many.
#include "runtime/base/tensor_proto.h"

#include "runtime/base/wire.h"

#include <string.h>

// The fields of TensorProto and of its StringStringEntryProto.
enum {
  DIMS = 1,
  DATA_TYPE = 2,
  SEGMENT = 3,
  FLOAT_DATA = 4,
  INT32_DATA = 5,
  STRING_DATA = 6,
  INT64_DATA = 7,
  NAME = 8,
  RAW_DATA = 9,
  DOUBLE_DATA = 10,
  UINT64_DATA = 11,
  EXTERNAL_DATA = 13,
  DATA_LOCATION = 14,
  ENTRY_KEY = 1,
  ENTRY_VALUE = 2,
};

enum { FLOAT4E2M1 = 23, FLOAT8E8M0 = 24 }; // of TensorProto.DataType

typedef struct {
  strata_arena_t *arena;
  strata_tensor_proto_t *proto;
  int64_t data_type;
  bool too_many_dims;
} parser_t;

// Every error names the tensor.
static strata_status_t malformed(const parser_t *p, const char *what) {
  return strata_error(STRATA_PARSE, "tensor '%s': %s", p->proto->name, what);
}

static strata_wire_t inside(const strata_wire_field_t *field) {
  return (strata_wire_t){.at = field->bytes, .end = field->bytes + field->size};
}

static const char *text_of(const parser_t *p, const strata_wire_field_t *field) {
  char *text = strata_arena_alloc(p->arena, field->size + 1);
  memcpy(text, field->bytes, field->size);
  return text;
}

static strata_wire_type_t element_wire_type(uint32_t field) {
  return field == FLOAT_DATA ? STRATA_WIRE_FIXED32 : field == DOUBLE_DATA ? STRATA_WIRE_FIXED64 : STRATA_WIRE_VARINT;
}

// Calls |visit| for every number of a repeated field, packed or not; false where the field is malformed.
typedef void (*visit_t)(void *user, uint64_t value);
static bool for_each_number(const strata_wire_field_t *field, visit_t visit, void *user) {
  strata_wire_type_t type = element_wire_type(field->number);
  if (field->type == type)
    visit(user, field->value);
  if (field->type != STRATA_WIRE_BYTES)
    return field->type == type;
  strata_wire_t packed = inside(field);
  for (uint64_t value; strata_wire_number(&packed, type, &value);)
    visit(user, value);
  return !packed.is_malformed;
}

//===-- Type, shape, place ---------------------------------------------------------------------------------------===//

static void add_dim(void *user, uint64_t value) {
  parser_t *p = user;
  strata_tensor_t *tensor = &p->proto->tensor;
  if (tensor->rank == STRATA_TENSOR_MAX_RANK)
    p->too_many_dims = true;
  else
    tensor->shape[tensor->rank++] = (int64_t)value;
}

static bool parse_number(const char *text, int64_t *out_value) {
  int64_t value = 0;
  for (const char *c = text; *c; c++)
    if (*c < '0' || *c > '9' || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *c - '0', &value))
      return false;
  *out_value = value;
  return *text != 0;
}

static strata_status_t parse_external_entry(parser_t *p, const strata_wire_field_t *entry) {
  const char *key = "", *value = "";
  strata_wire_t wire = inside(entry);
  for (strata_wire_field_t field; strata_wire_next(&wire, &field);) {
    if (field.number == ENTRY_KEY && field.type == STRATA_WIRE_BYTES)
      key = text_of(p, &field);
    if (field.number == ENTRY_VALUE && field.type == STRATA_WIRE_BYTES)
      value = text_of(p, &field);
  }
  if (wire.is_malformed)
    return malformed(p, "external_data is malformed");
  if (!strcmp(key, "location"))
    p->proto->location = value;
  if (!strcmp(key, "offset") && !parse_number(value, &p->proto->offset))
    return malformed(p, "the offset of the external data is not a number");
  if (!strcmp(key, "length") && !parse_number(value, &p->proto->length))
    return malformed(p, "the length of the external data is not a number");
  return NULL;
}

static strata_status_t parse_description_field(parser_t *p, const strata_wire_field_t *field) {
  bool is_bytes = field->type == STRATA_WIRE_BYTES;
  switch (field->number) {
  case DIMS:
    return for_each_number(field, add_dim, p) ? NULL : malformed(p, "dims are malformed");
  case DATA_TYPE:
    p->data_type = (int64_t)field->value;
    return NULL;
  case DATA_LOCATION:
    p->proto->is_external = field->value == 1;
    return NULL;
  case EXTERNAL_DATA:
    return is_bytes ? parse_external_entry(p, field) : malformed(p, "external_data is malformed");
  case SEGMENT:
    return strata_error(STRATA_UNSUPPORTED, "tensor '%s': segments are not supported", p->proto->name);
  default:
    return NULL;
  }
}

// The name is read first, for the messages; then everything but the elements.
static strata_status_t parse_description(parser_t *p, strata_wire_t wire) {
  strata_wire_t names = wire;
  for (strata_wire_field_t field; strata_wire_next(&names, &field);)
    if (field.number == NAME && field.type == STRATA_WIRE_BYTES)
      p->proto->name = text_of(p, &field);
  if (names.is_malformed)
    return malformed(p, "malformed");
  for (strata_wire_field_t field; strata_wire_next(&wire, &field);)
    STRATA_TRY(parse_description_field(p, &field));
  return NULL;
}

static strata_status_t check_description(const parser_t *p) {
  strata_tensor_t *tensor = &p->proto->tensor;
  p->proto->is_e2m1 = p->data_type == FLOAT4E2M1;
  p->proto->is_e8m0 = p->data_type == FLOAT8E8M0;
  tensor->dtype = p->proto->is_e2m1   ? STRATA_DTYPE_U4
                  : p->proto->is_e8m0 ? STRATA_DTYPE_U8
                                      : strata_dtype_from_onnx(p->data_type);
  if (tensor->dtype == STRATA_DTYPE_NONE)
    return strata_error(STRATA_UNSUPPORTED, "tensor '%s': element type %lld of ONNX is not supported", p->proto->name,
                        (long long)p->data_type);
  if (p->too_many_dims)
    return strata_error(STRATA_UNSUPPORTED, "tensor '%s': more than %d dimensions", p->proto->name,
                        STRATA_TENSOR_MAX_RANK);
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] < 0 || __builtin_mul_overflow(count, tensor->shape[i], &count))
      return malformed(p, "a dimension is negative or the size overflows");
  return strata_dtype_size(tensor->dtype, count, &tensor->size) ? NULL : malformed(p, "the size overflows");
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// Which typed field holds the elements of a type, when they are not raw.
static uint32_t typed_field(strata_dtype_t dtype) {
  switch (dtype) {
  case STRATA_DTYPE_F32:
    return FLOAT_DATA;
  case STRATA_DTYPE_F64:
    return DOUBLE_DATA;
  case STRATA_DTYPE_I64:
    return INT64_DATA;
  case STRATA_DTYPE_U32:
  case STRATA_DTYPE_U64:
    return UINT64_DATA;
  default:
    return INT32_DATA;
  }
}

typedef struct {
  strata_tensor_t *tensor;
  size_t filled, width; // bytes; of the field's numbers, so two elements of a 4-bit type
  bool overflow;
} fill_t;

static void add_element(void *user, uint64_t value) {
  fill_t *fill = user;
  if (fill->tensor->size - fill->filled < fill->width) {
    fill->overflow = true;
    return;
  }
  memcpy((uint8_t *)fill->tensor->data + fill->filled, &value, fill->width);
  fill->filled += fill->width;
}

static strata_status_t unpack_elements(parser_t *p, strata_wire_t wire, uint32_t number) {
  strata_tensor_t *tensor = &p->proto->tensor;
  if (tensor->size / 8 > strata_wire_left(&wire)) // a byte of the message gives at most one element
    return malformed(p, "there is less data than the shape needs");
  int bits = strata_dtype_info[tensor->dtype].bits;
  tensor->data = strata_arena_alloc(p->arena, tensor->size);
  fill_t fill = {.tensor = tensor, .width = bits < 8 ? 1 : (size_t)bits / 8};
  for (strata_wire_field_t field; strata_wire_next(&wire, &field);)
    if (field.number == number && !for_each_number(&field, add_element, &fill))
      return malformed(p, "the data is malformed");
  if (fill.overflow || fill.filled != tensor->size)
    return strata_error(STRATA_PARSE, "tensor '%s': the shape needs %zu bytes of data, got %s", p->proto->name,
                        tensor->size, fill.overflow ? "more" : "less");
  return NULL;
}

// Booleans are 0 or 1 in memory; a file may hold any byte.
static void normalize_booleans(const parser_t *p, strata_tensor_t *tensor) {
  const uint8_t *bytes = tensor->data;
  size_t i = 0;
  while (i < tensor->size && bytes[i] <= 1)
    i++;
  if (i == tensor->size)
    return;
  uint8_t *clean = strata_arena_alloc(p->arena, tensor->size);
  for (i = 0; i < tensor->size; i++)
    clean[i] = bytes[i] != 0;
  tensor->data = clean;
}

// Elements that lie in one piece as they are in memory are used in place: raw data, and packed fixed-width numbers.
static bool lies_in_place(const strata_wire_field_t *field, uint32_t typed) {
  return field->type == STRATA_WIRE_BYTES &&
         (field->number == RAW_DATA || (field->number == typed && element_wire_type(typed) != STRATA_WIRE_VARINT));
}

static strata_status_t parse_elements(parser_t *p, strata_wire_t wire) {
  strata_tensor_t *tensor = &p->proto->tensor;
  uint32_t typed = typed_field(tensor->dtype);
  strata_wire_t fields = wire;
  for (strata_wire_field_t field; strata_wire_next(&fields, &field);) {
    if (!lies_in_place(&field, typed) || (field.number == typed && field.size != tensor->size))
      continue;
    if (field.size != tensor->size)
      return strata_error(STRATA_PARSE, "tensor '%s': the shape needs %zu bytes of data, got %zu", p->proto->name,
                          tensor->size, field.size);
    tensor->data = (void *)(uintptr_t)field.bytes; // nobody writes to it
    return NULL;
  }
  return unpack_elements(p, wire, typed);
}

strata_status_t strata_tensor_proto_parse(strata_arena_t *arena, const void *data, size_t size,
                                          strata_tensor_proto_t *out_proto) {
  *out_proto = (strata_tensor_proto_t){.name = "", .location = "", .length = -1};
  strata_wire_t wire = {.at = data, .end = (const uint8_t *)data + size};
  parser_t parser = {.arena = arena, .proto = out_proto};
  STRATA_TRY(parse_description(&parser, wire));
  STRATA_TRY(check_description(&parser));
  if (out_proto->is_external)
    return NULL;
  STRATA_TRY(parse_elements(&parser, wire));
  if (out_proto->tensor.dtype == STRATA_DTYPE_BOOL)
    normalize_booleans(&parser, &out_proto->tensor);
  return NULL;
}
