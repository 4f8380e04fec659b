// Cursors over a jansson document.
#include "dialects/import/pt2/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void free_document(void *resource) { json_decref(resource); }

strata_status_t pt2_json_parse(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                               pt2_document_t *out_document) {
  json_error_t error;
  json_t *root = json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &error);
  if (!root)
    return strata_error(STRATA_PARSE, "%s: line %d, column %d: %s", file, error.line, error.column, error.text);
  strata_arena_defer(arena, free_document, root);
  *out_document = (pt2_document_t){.arena = arena, .file = file, .root = root};
  return NULL;
}

pt2_json_t pt2_json_root(pt2_document_t *document) {
  return (pt2_json_t){.document = document, .value = document->root};
}

//===-- Errors ---------------------------------------------------------------------------------------------------===//

static const char *path_of(const pt2_json_t *at) {
  strata_arena_t *arena = at->document->arena;
  if (!at->from)
    return "";
  const char *path = path_of(at->from);
  return at->key ? strata_arena_printf(arena, "%s%s%s", path, *path ? "." : "", at->key)
                 : strata_arena_printf(arena, "%s[%zu]", path, at->index);
}

void pt2_json_fail(const pt2_json_t *at, const char *format, ...) {
  char text[256];
  va_list args;
  if (at->document->status)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  at->document->status = strata_error(STRATA_PARSE, "%s: %s: %s", at->document->file, path_of(at), text);
}

static bool is_of(const pt2_json_t *at, bool is_right, const char *expected) {
  if (!is_right && at->value)
    pt2_json_fail(at, "expected %s", expected);
  return is_right;
}

//===-- Members --------------------------------------------------------------------------------------------------===//

bool pt2_json_has(const pt2_json_t *object, const char *key) {
  json_t *value = json_object_get(object->value, key);
  return value && !json_is_null(value);
}

pt2_json_t pt2_json_member(const pt2_json_t *object, const char *key) {
  pt2_json_t member = {.document = object->document, .from = object, .key = key};
  if (is_of(object, json_is_object(object->value), "an object") &&
      !(member.value = json_object_get(object->value, key)))
    pt2_json_fail(&member, "it is missing");
  return member;
}

bool pt2_json_next(const pt2_json_t *object, void **at, pt2_json_t *out_member) {
  if (!is_of(object, json_is_object(object->value), "an object"))
    return false;
  *at = *at ? json_object_iter_next(object->value, *at) : json_object_iter(object->value);
  *out_member = (pt2_json_t){.document = object->document, .from = object, .key = ""};
  if (!*at)
    return false;
  out_member->key = json_object_iter_key(*at);
  out_member->value = json_object_iter_value(*at);
  return true;
}

size_t pt2_json_count(const pt2_json_t *array) {
  return is_of(array, json_is_array(array->value), "an array") ? json_array_size(array->value) : 0;
}

pt2_json_t pt2_json_item(const pt2_json_t *array, size_t i) {
  return (pt2_json_t){.document = array->document, .from = array, .index = i, .value = json_array_get(array->value, i)};
}

pt2_json_t pt2_json_only(const pt2_json_t *object, const char **out_key) {
  void *first = json_is_object(object->value) ? json_object_iter(object->value) : NULL;
  *out_key = "";
  if (!is_of(object, first && json_object_size(object->value) == 1, "an object with one member"))
    return (pt2_json_t){.document = object->document, .from = object, .key = ""};
  *out_key = json_object_iter_key(first);
  return (pt2_json_t){
      .document = object->document, .from = object, .key = *out_key, .value = json_object_iter_value(first)};
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

int64_t pt2_json_int(const pt2_json_t *value) {
  return is_of(value, json_is_integer(value->value), "an integer") ? json_integer_value(value->value) : 0;
}

double pt2_json_double(const pt2_json_t *value) {
  const char *word = json_string_value(value->value);
  if (word && !strcmp(word, "Infinity"))
    return INFINITY;
  if (word && !strcmp(word, "-Infinity"))
    return -INFINITY;
  if (word && !strcmp(word, "NaN"))
    return NAN;
  return is_of(value, json_is_number(value->value), "a number") ? json_number_value(value->value) : 0;
}

bool pt2_json_bool(const pt2_json_t *value) {
  return is_of(value, json_is_boolean(value->value), "true or false") && json_is_true(value->value);
}

const char *pt2_json_string(const pt2_json_t *value) {
  return is_of(value, json_is_string(value->value), "a string") ? json_string_value(value->value) : "";
}
