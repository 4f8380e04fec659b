// Protobuf's wire format, read without trusting it: every length is checked against what is left.
//
//   strata_wire_t message = {.at = data, .end = data + size};
//   for (strata_wire_field_t field; strata_wire_next(&message, &field);)
//     ...
//   if (message.is_malformed) ...
#ifndef STRATA_BASE_WIRE_H
#define STRATA_BASE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The wire types in use; groups are not supported.
typedef enum {
  STRATA_WIRE_VARINT = 0,
  STRATA_WIRE_FIXED64 = 1,
  STRATA_WIRE_BYTES = 2,
  STRATA_WIRE_FIXED32 = 5,
} strata_wire_type_t;

// What is left of a message, or of a packed field.
typedef struct {
  const uint8_t *at, *end;
  bool is_malformed;
} strata_wire_t;

typedef struct {
  uint32_t number;
  strata_wire_type_t type;
  uint64_t value;       // of a number
  const uint8_t *bytes; // of STRATA_WIRE_BYTES
  size_t size;
  const uint8_t *start; // the whole field, tag included, is from |start| to the reader's |at|
} strata_wire_field_t;

static inline size_t strata_wire_left(const strata_wire_t *wire) { return (size_t)(wire->end - wire->at); }

// Reads the next field; false at the end and where the message is malformed.
bool strata_wire_next(strata_wire_t *wire, strata_wire_field_t *out_field);

// Reads one bare number, as in a packed field; false at the end and where it is malformed.
bool strata_wire_number(strata_wire_t *wire, strata_wire_type_t type, uint64_t *out_value);

#endif
