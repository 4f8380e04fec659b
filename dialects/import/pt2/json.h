// JSON of a .pt2 by jansson, read with a path for messages: "graph_module.graph.nodes[3].target: expected a string".
//
// A cursor is one value and where it is. The first error sticks in the document; after it, and of a value that is not
// there, everything reads as empty, so that a reader may go on for a while. A cursor points to the one that it came
// from, which must live as long.
#ifndef STRATA_DIALECTS_IMPORT_PT2_JSON_H
#define STRATA_DIALECTS_IMPORT_PT2_JSON_H

#include "dialects/import/mapped_file.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct {
  strata_arena_t *arena;
  const char *file;       // for messages
  strata_status_t status; // the first error; who reads the document takes it
  json_t *root;
} pt2_document_t;

typedef struct pt2_json {
  pt2_document_t *document;
  const struct pt2_json *from; // NULL: the root
  const char *key;             // in an object; NULL: of an array
  size_t index;
  json_t *value; // NULL: there is none
} pt2_json_t;

// Parses |bytes|; freed with |arena|. Errors: PARSE, with line and column.
STRATA_MUST_CHECK strata_status_t pt2_json_parse(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                                                 pt2_document_t *out_document);
pt2_json_t pt2_json_root(pt2_document_t *document);

bool pt2_json_has(const pt2_json_t *object, const char *key); // and it is not null
pt2_json_t pt2_json_member(const pt2_json_t *object, const char *key);
// The only member of an object, as which a union is written, and its key; "" after an error.
pt2_json_t pt2_json_only(const pt2_json_t *object, const char **out_key);
// Members in the order of the file: for (void *at = NULL; pt2_json_next(&object, &at, &member);).
bool pt2_json_next(const pt2_json_t *object, void **at, pt2_json_t *out_member);
size_t pt2_json_count(const pt2_json_t *array);
pt2_json_t pt2_json_item(const pt2_json_t *array, size_t i);

int64_t pt2_json_int(const pt2_json_t *value);
double pt2_json_double(const pt2_json_t *value); // also "Infinity", "-Infinity" and "NaN"
bool pt2_json_bool(const pt2_json_t *value);
const char *pt2_json_string(const pt2_json_t *value); // lives as long as the document

void pt2_json_fail(const pt2_json_t *at, const char *format, ...) STRATA_PRINTF(2, 3);

#endif
