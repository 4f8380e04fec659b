// The reader of protobuf's wire format: a field is a varint tag (number << 3 | type), then a varint, 8 bytes, a length
// and as many bytes, or 4 bytes.
#include "runtime/base/wire.h"

#include <string.h>

static bool malformed(strata_wire_t *wire) {
  wire->is_malformed = true;
  return false;
}

static bool read_varint(strata_wire_t *wire, uint64_t *out_value) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
    uint8_t byte = *wire->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (!(byte & 128)) {
      *out_value = value;
      return true;
    }
  }
  return malformed(wire);
}

// Little endian, as all machines we build for.
static bool read_fixed(strata_wire_t *wire, size_t size, uint64_t *out_value) {
  if (strata_wire_left(wire) < size)
    return malformed(wire);
  *out_value = 0;
  memcpy(out_value, wire->at, size);
  wire->at += size;
  return true;
}

static bool read_bytes(strata_wire_t *wire, strata_wire_field_t *field) {
  if (!read_varint(wire, &field->value))
    return false;
  if (field->value > strata_wire_left(wire))
    return malformed(wire);
  field->bytes = wire->at;
  field->size = (size_t)field->value;
  wire->at += field->size;
  return true;
}

bool strata_wire_number(strata_wire_t *wire, strata_wire_type_t type, uint64_t *out_value) {
  if (wire->at == wire->end)
    return false;
  switch (type) {
  case STRATA_WIRE_VARINT:
    return read_varint(wire, out_value);
  case STRATA_WIRE_FIXED64:
    return read_fixed(wire, 8, out_value);
  case STRATA_WIRE_FIXED32:
    return read_fixed(wire, 4, out_value);
  case STRATA_WIRE_BYTES:
    break;
  }
  return malformed(wire);
}

bool strata_wire_next(strata_wire_t *wire, strata_wire_field_t *out_field) {
  uint64_t tag;
  if (wire->at == wire->end)
    return false;
  *out_field = (strata_wire_field_t){.start = wire->at};
  if (!read_varint(wire, &tag))
    return false;
  if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
    return malformed(wire);
  out_field->number = (uint32_t)(tag >> 3);
  out_field->type = (strata_wire_type_t)(tag & 7);
  if (out_field->type == STRATA_WIRE_BYTES)
    return read_bytes(wire, out_field);
  return strata_wire_number(wire, out_field->type, &out_field->value) || malformed(wire);
}
