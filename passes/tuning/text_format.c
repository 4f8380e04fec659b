// See text_format.h.
#include "passes/tuning/text_format.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

//===-- Words ----------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_arena_t *arena;
  const char *at, *end;
  int line;
} reader_t;

#define FAIL(reader, ...) strata_status_context(strata_error(STRATA_PARSE, __VA_ARGS__), "line %d", (reader)->line)

static void skip_blanks(reader_t *reader) {
  for (; reader->at < reader->end; reader->at++) {
    if (*reader->at == '#')
      while (reader->at + 1 < reader->end && reader->at[1] != '\n')
        reader->at++;
    else if (*reader->at == '\n')
      reader->line++;
    else if (*reader->at != ' ' && *reader->at != '\t' && *reader->at != '\r')
      return;
  }
}

// The next character that is no blank; 0 at the end.
static char peek(reader_t *reader) {
  skip_blanks(reader);
  return reader->at < reader->end ? *reader->at : '\0';
}

static bool take(reader_t *reader, char c) {
  bool is_there = peek(reader) == c && reader->at < reader->end;
  reader->at += is_there;
  return is_there;
}

static bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '+' || c == '-';
}

// A name or a number; "" where something else follows.
static const char *take_word(reader_t *reader) {
  skip_blanks(reader);
  const char *begin = reader->at;
  while (reader->at < reader->end && is_of_word(*reader->at))
    reader->at++;
  return strata_arena_printf(reader->arena, "%.*s", (int)(reader->at - begin), begin);
}

// What follows, for a message.
static const char *what_follows(reader_t *reader) {
  char c = peek(reader);
  if (reader->at == reader->end)
    return "the end";
  return c > ' ' && c < 127 ? strata_arena_printf(reader->arena, "'%c'", c)
                            : strata_arena_printf(reader->arena, "byte 0x%02x", (unsigned char)c);
}

//===-- Strings --------------------------------------------------------------------------------------------------===//

typedef STRATA_VECTOR(char) bytes_t;

// Up to |most| digits of |base| behind |first|, of which there is one at least.
static bool take_digits(reader_t *reader, int base, int most, unsigned *out) {
  int n = 0;
  for (*out = 0; n < most && reader->at < reader->end; n++, reader->at++) {
    char c = *reader->at;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : 99;
    if (digit >= base)
      break;
    *out = *out * (unsigned)base + (unsigned)digit;
  }
  return n > 0 && *out < 256;
}

// What follows a backslash. Strings are C's: none has a zero in it.
static bool take_escape(reader_t *reader, bytes_t *bytes) {
  static const char letters[] = "abfnrtv\\'\"?", meant[] = "\a\b\f\n\r\t\v\\'\"?";
  const char *letter = reader->at < reader->end && *reader->at ? strchr(letters, *reader->at) : NULL;
  unsigned value = letter ? (unsigned char)meant[letter - letters] : 0;
  bool is_hex = !letter && reader->at < reader->end && *reader->at == 'x';
  reader->at += letter || is_hex;
  if (!letter && !take_digits(reader, is_hex ? 16 : 8, is_hex ? 2 : 3, &value))
    return false;
  *strata_vector_push(reader->arena, bytes) = (char)value;
  return value != 0;
}

static strata_status_t take_quoted(reader_t *reader, bytes_t *bytes) {
  for (char quote = *reader->at++; reader->at < reader->end && *reader->at != '\n';) {
    char c = *reader->at++;
    if (c == quote)
      return NULL;
    if (c == '\0' || (c == '\\' && !take_escape(reader, bytes)))
      return FAIL(reader, "a character that no string may have");
    if (c != '\\')
      *strata_vector_push(reader->arena, bytes) = c;
  }
  return FAIL(reader, "a string without an end");
}

// Strings behind one another are one.
static strata_status_t take_string(reader_t *reader, const char **out) {
  bytes_t bytes = {0};
  char quote = peek(reader);
  if (quote != '"' && quote != '\'')
    return FAIL(reader, "expected a string, got %s", what_follows(reader));
  for (; quote == '"' || quote == '\''; quote = peek(reader))
    STRATA_TRY(take_quoted(reader, &bytes));
  *strata_vector_push(reader->arena, &bytes) = '\0';
  *out = bytes.data;
  return NULL;
}

//===-- Messages -------------------------------------------------------------------------------------------------===//

static strata_status_t take_message(reader_t *reader, char end, int depth, ProtobufCMessage *message);

static size_t size_of(const ProtobufCFieldDescriptor *field) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    return sizeof(double);
  case PROTOBUF_C_TYPE_INT32:
    return sizeof(int32_t);
  default:
    return sizeof(void *);
  }
}

static ProtobufCMessage *new_message(strata_arena_t *arena, const ProtobufCMessageDescriptor *descriptor) {
  ProtobufCMessage *message = strata_arena_alloc(arena, descriptor->sizeof_message);
  protobuf_c_message_init(descriptor, message);
  return message;
}

static strata_status_t take_nested(reader_t *reader, const ProtobufCFieldDescriptor *field, int depth, void *out) {
  ProtobufCMessage *nested = new_message(reader->arena, field->descriptor);
  char begin = peek(reader);
  if (begin != '{' && begin != '<')
    return FAIL(reader, "%s: expected '{', got %s", field->name, what_follows(reader));
  if (depth == MAX_DEPTH)
    return FAIL(reader, "messages are nested too deep");
  reader->at++;
  memcpy(out, &nested, sizeof nested);
  return take_message(reader, begin == '{' ? '}' : '>', depth + 1, nested);
}

static strata_status_t take_number(reader_t *reader, const ProtobufCFieldDescriptor *field, void *out) {
  const char *word = take_word(reader);
  char *end;
  errno = 0;
  double number = strtod(word, &end);
  if (!*word || *end)
    return FAIL(reader, "%s: expected a number, got %s", field->name, *word ? word : what_follows(reader));
  if (field->type == PROTOBUF_C_TYPE_DOUBLE) {
    memcpy(out, &number, sizeof number);
    return NULL;
  }
  long integer = strtol(word, &end, 10);
  if (*end || errno || integer < INT32_MIN || integer > INT32_MAX)
    return FAIL(reader, "%s: expected an integer of 32 bits, got %s", field->name, word);
  memcpy(out, &(int32_t){(int32_t)integer}, sizeof(int32_t));
  return NULL;
}

// One value behind the field's name, into |out|.
static strata_status_t take_value(reader_t *reader, const ProtobufCFieldDescriptor *field, int depth, void *out) {
  const char *text = NULL;
  if (field->type == PROTOBUF_C_TYPE_MESSAGE)
    return take_nested(reader, field, depth, out);
  if (field->type != PROTOBUF_C_TYPE_STRING)
    return take_number(reader, field, out);
  STRATA_TRY(strata_status_context(take_string(reader, &text), "%s", field->name));
  memcpy(out, &text, sizeof text);
  return NULL;
}

// Room doubles: the number itself says how much there is.
static void *next_of(strata_arena_t *arena, const ProtobufCFieldDescriptor *field, ProtobufCMessage *message) {
  size_t *count = (size_t *)(void *)((char *)message + field->quantifier_offset), size = size_of(field);
  void **data = (void **)(void *)((char *)message + field->offset);
  if ((*count & (*count - 1)) == 0) {
    void *grown = strata_arena_calloc(arena, *count ? 2 * *count : 1, size);
    if (*count)
      memcpy(grown, *data, *count * size);
    *data = grown;
  }
  return (char *)*data + size * (*count)++;
}

static strata_status_t take_repeated(reader_t *reader, const ProtobufCFieldDescriptor *field, int depth,
                                     ProtobufCMessage *message) {
  bool is_list = take(reader, '[');
  if (is_list && take(reader, ']'))
    return NULL;
  do
    STRATA_TRY(take_value(reader, field, depth, next_of(reader->arena, field, message)));
  while (is_list && take(reader, ','));
  return !is_list || take(reader, ']')
             ? NULL
             : FAIL(reader, "%s: expected ',' or ']', got %s", field->name, what_follows(reader));
}

static strata_status_t take_field(reader_t *reader, int depth, ProtobufCMessage *message, uint64_t *seen) {
  const char *name = take_word(reader);
  if (!*name)
    return FAIL(reader, "expected the name of a field, got %s", what_follows(reader));
  const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, name);
  if (!field)
    return FAIL(reader, "'%s' is no field of %s", name, message->descriptor->short_name);
  if (!take(reader, ':') && field->type != PROTOBUF_C_TYPE_MESSAGE)
    return FAIL(reader, "%s: expected ':', got %s", name, what_follows(reader));
  if (field->label == PROTOBUF_C_LABEL_REPEATED)
    return take_repeated(reader, field, depth, message);
  if (*seen & UINT64_C(1) << field->id)
    return FAIL(reader, "%s: given twice", name);
  *seen |= UINT64_C(1) << field->id;
  return take_value(reader, field, depth, (char *)message + field->offset);
}

// Up to |end|, 0 being that of the text.
static strata_status_t take_message(reader_t *reader, char end, int depth, ProtobufCMessage *message) {
  uint64_t seen = 0;
  for (;;) {
    char next = peek(reader);
    if (reader->at == reader->end && end)
      return FAIL(reader, "expected '%c', got the end", end);
    if (reader->at == reader->end)
      return NULL;
    if (end && next == end) {
      reader->at++;
      return NULL;
    }
    STRATA_TRY(take_field(reader, depth, message, &seen));
    if (!take(reader, ','))
      take(reader, ';');
  }
}

strata_status_t strata_text_format_read(strata_arena_t *arena, const ProtobufCMessageDescriptor *descriptor,
                                        const char *text, size_t size, ProtobufCMessage **out_message) {
  reader_t reader = {arena, text, text + size, 1};
  *out_message = new_message(arena, descriptor);
  return take_message(&reader, '\0', 0, *out_message);
}

//===-- Writing --------------------------------------------------------------------------------------------------===//

static void write_message(const ProtobufCMessage *message, int depth, FILE *file);

static void write_string(const char *text, FILE *file) {
  fputc('"', file);
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c == '"' || c == '\\')
      fprintf(file, "\\%c", c);
    else if (c >= ' ' && c < 127)
      fputc(c, file);
    else
      fprintf(file, "\\%03o", c);
  }
  fputc('"', file);
}

// The shortest that reads back as the same.
static void write_double(double value, FILE *file) {
  char text[40];
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      break;
  }
  fputs(text, file);
}

static void write_value(const ProtobufCFieldDescriptor *field, const void *value, int depth, FILE *file) {
  fprintf(file, "%*s%s", 2 * depth, "", field->name);
  if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
    fputs(" {\n", file);
    write_message(*(const ProtobufCMessage *const *)value, depth + 1, file);
    fprintf(file, "%*s}\n", 2 * depth, "");
    return;
  }
  fputs(": ", file);
  if (field->type == PROTOBUF_C_TYPE_STRING)
    write_string(*(const char *const *)value, file);
  else if (field->type == PROTOBUF_C_TYPE_DOUBLE)
    write_double(*(const double *)value, file);
  else
    fprintf(file, "%" PRId32, *(const int32_t *)value);
  fputc('\n', file);
}

static bool is_default(const ProtobufCFieldDescriptor *field, const void *value) {
  switch (field->type) {
  case PROTOBUF_C_TYPE_DOUBLE:
    return *(const double *)value == 0;
  case PROTOBUF_C_TYPE_INT32:
    return *(const int32_t *)value == 0;
  case PROTOBUF_C_TYPE_STRING:
    return !*(const char *const *)value || !**(const char *const *)value;
  default:
    return !*(const void *const *)value;
  }
}

static void write_message(const ProtobufCMessage *message, int depth, FILE *file) {
  for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
    const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
    const char *at = (const char *)message + field->offset;
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
      size_t count = *(const size_t *)(const void *)((const char *)message + field->quantifier_offset);
      for (size_t j = 0; j < count; j++)
        write_value(field, *(const char *const *)(const void *)at + j * size_of(field), depth, file);
    } else if (!is_default(field, at)) {
      write_value(field, at, depth, file);
    }
  }
}

void strata_text_format_write(const ProtobufCMessage *message, FILE *file) { write_message(message, 0, file); }
