// A node against its row of ops.def: results, attributes and element types, before its reader sees it.
#include "dialects/import/onnx/importer.h"

#include <stdlib.h>
#include <string.h>

//===-- Attributes -----------------------------------------------------------------------------------------------===//

// One entry of a row's attributes, "name!:s>=11<13=a|b".
typedef struct {
  const char *name, *values; // not terminated; |values| is NULL where any will do
  size_t name_length, values_length;
  bool required;
  char type;
  int64_t since, before;
} entry_t;

// Reads the entry at |at| and returns the place after it.
static const char *read_entry(const char *at, entry_t *out) {
  *out = (entry_t){.name = at, .name_length = strcspn(at, "!:"), .before = INT64_MAX};
  at += out->name_length;
  out->required = *at == '!';
  at += out->required;
  out->type = at[1];
  at += 2;
  char *end;
  if (!strncmp(at, ">=", 2)) {
    out->since = strtoll(at + 2, &end, 10);
    at = end;
  }
  if (*at == '<') {
    out->before = strtoll(at + 1, &end, 10);
    at = end;
  }
  if (*at == '=') {
    out->values = at + 1;
    out->values_length = strcspn(at + 1, " ");
    at = out->values + out->values_length;
  }
  return at + strspn(at, " ");
}

// The next entry of the node's opset; false at the end.
static bool next_entry(const onnx_node_t *n, const char **at, entry_t *out) {
  while (**at) {
    *at = read_entry(*at, out);
    if (n->opset >= out->since && n->opset < out->before)
      return true;
  }
  return false;
}

static bool find_entry(const onnx_node_t *n, const char *name, entry_t *out) {
  for (const char *at = n->info->attributes; next_entry(n, &at, out);)
    if (strlen(name) == out->name_length && !strncmp(name, out->name, out->name_length))
      return true;
  return false;
}

static const struct {
  char letter;
  Onnx__AttributeProto__AttributeType type;
  const char *name;
} attribute_types[] = {
    {'i', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "an integer"},
    {'f', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a float"},
    {'s', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, "a string"},
    {'t', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR, "a tensor"},
    {'p', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR, "a sparse tensor"},
    {'g', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH, "a graph"},
    {'y', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO, "a type"},
    {'I', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "a list of integers"},
    {'F', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS, "a list of floats"},
    {'S', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS, "a list of strings"},
};

static const char *attribute_type_name(Onnx__AttributeProto__AttributeType type) {
  for (size_t i = 0; i < sizeof attribute_types / sizeof *attribute_types; i++)
    if (attribute_types[i].type == type)
      return attribute_types[i].name;
  return "something else";
}

static void check_attribute_type(onnx_node_t *n, const char *name, const entry_t *entry,
                                 const Onnx__AttributeProto *attr) {
  for (size_t i = 0; i < sizeof attribute_types / sizeof *attribute_types; i++)
    if (attribute_types[i].letter == entry->type && attr->has_type && attr->type != attribute_types[i].type)
      onnx_invalid(n, "attribute '%s': expected %s, got %s", name, attribute_types[i].name,
                   attribute_type_name(attr->type));
}

static void check_attribute_value(onnx_node_t *n, const char *name, const entry_t *entry) {
  const char *at = entry->values, *given = "";
  if (at && entry->type == 'i')
    given = strata_arena_printf(n->b->compile->arena, "%lld", (long long)onnx_attr_int(n, name, 0));
  else if (at)
    given = onnx_attr_string(n, name, "");
  size_t length = strlen(given);
  while (at && at < entry->values + entry->values_length) {
    size_t own = strcspn(at, "| ");
    if (own == length && !strncmp(at, given, length))
      return;
    at += own + 1;
  }
  if (at && !onnx_failed(n))
    onnx_invalid(n, "attribute '%s': expected %.*s, got '%s'", name, (int)entry->values_length, entry->values, given);
}

// What a function's caller leaves out is not there.
static void check_attribute(onnx_node_t *n, const char *name) {
  const Onnx__AttributeProto *attr = onnx_attr(n, name);
  entry_t entry = {0};
  if (!find_entry(n, name, &entry))
    onnx_invalid(n, "attribute '%s': the operator has none of that name in opset %d", name, n->opset);
  if (attr && !onnx_failed(n))
    check_attribute_type(n, name, &entry, attr);
  if (attr && !onnx_failed(n))
    check_attribute_value(n, name, &entry);
}

static void check_attributes(onnx_node_t *n) {
  const Onnx__NodeProto *proto = n->proto;
  for (size_t i = 0; i < proto->n_attribute && !onnx_failed(n); i++) {
    const char *name = onnx_text(proto->attribute[i]->name);
    for (size_t k = 0; k < i; k++)
      if (!strcmp(name, onnx_text(proto->attribute[k]->name)))
        onnx_invalid(n, "attribute '%s' is given twice", name);
    check_attribute(n, name);
  }
  entry_t entry;
  for (const char *at = n->info->attributes; !onnx_failed(n) && next_entry(n, &at, &entry);) {
    const char *name = strata_arena_printf(n->b->compile->arena, "%.*s", (int)entry.name_length, entry.name);
    if (entry.required && !onnx_has_attr(n, name))
      onnx_invalid(n, "attribute '%s' is missing", name);
  }
}

//===-- Element types --------------------------------------------------------------------------------------------===//

// Whether the letter |letter| of a row may stand for |type|, and what it may stand for in words.
static bool letter_allows(char letter, strata_type_t type, bool is_unsigned, const char **out_expected) {
  strata_type_kind_t kind = strata_type_info[type].kind;
  bool is_signed = kind == STRATA_TYPE_KIND_INTEGER && !is_unsigned;
  switch (letter) {
  case 'F':
  case 'G':
    *out_expected = "a float type";
    return kind == STRATA_TYPE_KIND_FLOAT;
  case 'N':
  case 'M':
    *out_expected = "a type of numbers";
    return kind != STRATA_TYPE_KIND_BOOLEAN;
  case 'K':
    *out_expected = "a float type or i32";
    return kind == STRATA_TYPE_KIND_FLOAT || (is_signed && type == STRATA_TYPE_I32);
  case 'Z':
    *out_expected = "an integer type";
    return kind == STRATA_TYPE_KIND_INTEGER;
  case 'P':
  case 'Q':
  case 'R':
    *out_expected = "i8 or u8";
    return type == STRATA_TYPE_I8;
  case 'I':
    *out_expected = "i32 or i64";
    return is_signed && (type == STRATA_TYPE_I32 || type == STRATA_TYPE_I64);
  case 'J':
    *out_expected = "i32";
    return is_signed && type == STRATA_TYPE_I32;
  case 'L':
    *out_expected = "i64";
    return is_signed && type == STRATA_TYPE_I64;
  case 'S':
    *out_expected = "f32";
    return type == STRATA_TYPE_F32;
  case 'B':
    *out_expected = "bool";
    return kind == STRATA_TYPE_KIND_BOOLEAN;
  default:
    return true;
  }
}

// Operand |i|, whose letter is |letter|; |bound| is the operand that gave each letter its type, -1 where none has.
static void check_operand(onnx_node_t *n, int i, char letter, int *bound) {
  if (letter == '?' || !onnx_has(n, i) || n->inputs[i].kind != ONNX_TENSOR)
    return;
  const char *expected, *name = n->proto->input[i];
  strata_type_t type = onnx_shape(n->inputs[i].tensor).type;
  bool is_unsigned = n->inputs[i].is_unsigned;
  const char *got = onnx_type_name(type, is_unsigned);
  if (!letter_allows(letter, type, is_unsigned, &expected))
    onnx_invalid(n, "operand %d ('%s'): expected %s, got %s", i, name, expected, got);
  int *first = &bound[letter - 'A'];
  if (*first < 0)
    *first = i;
  strata_type_t other = onnx_shape(n->inputs[*first].tensor).type;
  bool other_unsigned = n->inputs[*first].is_unsigned;
  if (!onnx_failed(n) && (type != other || is_unsigned != other_unsigned))
    onnx_invalid(n, "operand %d ('%s'): expected %s, the type of operand %d ('%s'), got %s", i, name,
                 onnx_type_name(other, other_unsigned), *first, n->proto->input[*first], got);
}

static void check_operands(onnx_node_t *n) {
  const char *letters = n->info->operands;
  int bound['Z' - 'A' + 1];
  for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
    bound[i] = -1;
  for (int i = 0; i < n->n_inputs && *letters && !onnx_failed(n); i++) {
    check_operand(n, i, *letters, bound);
    letters += letters[1] != '*';
  }
}

bool onnx_check_signature(onnx_node_t *n) {
  if (n->n_outputs > n->info->results)
    onnx_invalid(n, "expected at most %d results, got %d", n->info->results, n->n_outputs);
  if (!onnx_failed(n))
    check_attributes(n);
  if (!onnx_failed(n))
    check_operands(n);
  return !onnx_failed(n);
}
