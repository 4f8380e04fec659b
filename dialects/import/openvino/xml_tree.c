// libxml2's pull reader on a mapped file; what it says is copied at once, as its strings live until the next step.
#include "dialects/import/openvino/xml_tree.h"

#include "dialects/import/mapped_file.h"

#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>
#include <limits.h>
#include <string.h>

enum { MAX_DEPTH = 100 };

typedef struct {
  strata_arena_t *arena;
  xmlTextReaderPtr reader;
  int depth; // of open elements
  struct {
    xml_element_t *element, *last_child;
  } open[MAX_DEPTH];
  xml_element_t *root;
} tree_t;

static const char *copy(tree_t *tree, const xmlChar *text) {
  return text ? strata_arena_strdup(tree->arena, (const char *)text) : "";
}

static int line_of(const tree_t *tree) { return xmlTextReaderGetParserLineNumber(tree->reader); }

static strata_status_t malformed(const tree_t *tree, const char *what) {
  return strata_error(STRATA_PARSE, "line %d: %s", line_of(tree), what);
}

static void read_attributes(tree_t *tree, xml_element_t *element) {
  const xml_attribute_t **link = &element->attributes;
  while (xmlTextReaderMoveToNextAttribute(tree->reader) == 1) {
    xml_attribute_t *attribute = strata_arena_new(tree->arena, xml_attribute_t);
    attribute->name = copy(tree, xmlTextReaderConstName(tree->reader));
    attribute->value = copy(tree, xmlTextReaderConstValue(tree->reader));
    *link = attribute;
    link = &attribute->next;
  }
  xmlTextReaderMoveToElement(tree->reader);
}

static void append(tree_t *tree, xml_element_t *element) {
  if (tree->depth == 0) {
    tree->root = element;
    return;
  }
  xml_element_t *parent = tree->open[tree->depth - 1].element, *last = tree->open[tree->depth - 1].last_child;
  *(last ? &last->next : &parent->children) = element;
  tree->open[tree->depth - 1].last_child = element;
}

static strata_status_t start_element(tree_t *tree) {
  if (tree->depth == MAX_DEPTH)
    return malformed(tree, "elements are nested too deep");
  xml_element_t *element = strata_arena_new(tree->arena, xml_element_t);
  element->name = copy(tree, xmlTextReaderConstName(tree->reader));
  element->text = "";
  element->line = line_of(tree);
  bool is_empty = xmlTextReaderIsEmptyElement(tree->reader) == 1;
  read_attributes(tree, element);
  append(tree, element);
  if (!is_empty) {
    tree->open[tree->depth].element = element;
    tree->open[tree->depth++].last_child = NULL;
  }
  return NULL;
}

static strata_status_t read_node(tree_t *tree) {
  switch (xmlTextReaderNodeType(tree->reader)) {
  case XML_READER_TYPE_ELEMENT:
    return start_element(tree);
  case XML_READER_TYPE_END_ELEMENT:
    tree->depth -= tree->depth > 0;
    return NULL;
  case XML_READER_TYPE_TEXT:
  case XML_READER_TYPE_CDATA:
    if (tree->depth > 0)
      tree->open[tree->depth - 1].element->text = copy(tree, xmlTextReaderConstValue(tree->reader));
    return NULL;
  case XML_READER_TYPE_DOCUMENT_TYPE:
    return malformed(tree, "a document type is not allowed");
  case XML_READER_TYPE_ENTITY:
  case XML_READER_TYPE_ENTITY_REFERENCE:
    return malformed(tree, "entities are not allowed");
  default:
    return NULL;
  }
}

// The parser's own words end in a newline.
static strata_status_t parse_error(const tree_t *tree) {
  const xmlError *error = xmlGetLastError();
  const char *message = error && error->message ? error->message : "malformed XML";
  return strata_error(STRATA_PARSE, "line %d: %.*s", error ? error->line : line_of(tree), (int)strcspn(message, "\n"),
                      message);
}

static strata_status_t read_all(tree_t *tree) {
  int more;
  while ((more = xmlTextReaderRead(tree->reader)) == 1)
    STRATA_TRY(read_node(tree));
  if (more < 0)
    return parse_error(tree);
  return tree->root ? NULL : strata_error(STRATA_PARSE, "there is no element");
}

strata_status_t xml_tree_read(strata_arena_t *arena, const char *path, xml_element_t **out_root) {
  static const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  strata_mapped_file_t file;
  STRATA_TRY(strata_map_file(arena, path, &file));
  if (file.size == 0 || file.size > INT_MAX)
    return strata_error(STRATA_PARSE, "%s: %s", path, file.size ? "the file is too large" : "the file is empty");
  tree_t tree = {.arena = arena};
  xmlResetLastError();
  tree.reader = xmlReaderForMemory((const char *)file.data, (int)file.size, NULL, NULL, options);
  if (!tree.reader)
    return strata_error(STRATA_IO, "%s: cannot be read as XML", path);
  strata_status_t status = read_all(&tree);
  xmlFreeTextReader(tree.reader);
  *out_root = tree.root;
  return strata_status_context(status, "%s", path);
}

const char *xml_attribute(const xml_element_t *element, const char *name) {
  for (const xml_attribute_t *a = element ? element->attributes : NULL; a; a = a->next)
    if (!strcmp(a->name, name))
      return a->value;
  return NULL;
}

const xml_element_t *xml_find(const xml_element_t *element, const char *name) {
  while (element && strcmp(element->name, name))
    element = element->next;
  return element;
}

const xml_element_t *xml_child(const xml_element_t *element, const char *name) {
  return element ? xml_find(element->children, name) : NULL;
}
