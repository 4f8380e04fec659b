// An XML file as a tree in the arena, from a reader that trusts nothing: no document type, no entities of the file's
// own, no other files, bounded depth.
#ifndef STRATA_DIALECTS_IMPORT_OPENVINO_XML_TREE_H
#define STRATA_DIALECTS_IMPORT_OPENVINO_XML_TREE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

typedef struct xml_attribute {
  const char *name, *value;
  const struct xml_attribute *next;
} xml_attribute_t;

typedef struct xml_element {
  const char *name;
  const char *text; // what is between its tags, for elements without children; "" where there is nothing
  int line;
  const xml_attribute_t *attributes;
  struct xml_element *children, *next; // in their order
} xml_element_t;

// Reads the whole file. Errors: NOT_FOUND, IO, PARSE (what is malformed, and its line).
STRATA_MUST_CHECK strata_status_t xml_tree_read(strata_arena_t *arena, const char *path, xml_element_t **out_root);

// NULL where there is none.
const char *xml_attribute(const xml_element_t *element, const char *name);
const xml_element_t *xml_child(const xml_element_t *element, const char *name);
// The first of |name| from |element| on, itself included, along |next|.
const xml_element_t *xml_find(const xml_element_t *element, const char *name);

#endif
