// Protobuf's text format of messages of protobuf-c, by their descriptors: of fields that are strings, doubles, integers
// and messages. https://protobuf.dev/reference/protobuf/textformat-spec
#ifndef STRATA_PASSES_TUNING_TEXT_FORMAT_H
#define STRATA_PASSES_TUNING_TEXT_FORMAT_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <protobuf-c/protobuf-c.h>
#include <stdio.h>

// Reads |size| bytes at |text|; the message is the arena's. PARSE, with a line.
STRATA_MUST_CHECK strata_status_t strata_text_format_read(strata_arena_t *arena,
                                                          const ProtobufCMessageDescriptor *descriptor,
                                                          const char *text, size_t size,
                                                          ProtobufCMessage **out_message);

// Every field that is not its default, in the order of the numbers; doubles as they read back.
void strata_text_format_write(const ProtobufCMessage *message, FILE *file);

#endif
