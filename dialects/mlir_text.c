// See mlir_text.h.
#include "dialects/mlir_text.h"

#include "dialects/mlir_util.h"

#include <stdio.h>
#include <string.h>

void strata_text_append(MlirStringRef piece, void *text) {
  strata_text_t *t = text;
  t->text = strata_arena_printf(t->arena, "%s%.*s", t->text, (int)piece.length, piece.data);
}

void strata_text_write(MlirStringRef piece, void *file) { fwrite(piece.data, 1, piece.length, file); }

void strata_text_ignore(MlirStringRef piece, void *user) { (void)piece, (void)user; }

const char *strata_type_text(strata_arena_t *arena, MlirType type) {
  strata_text_t t = {arena, ""};
  mlirTypePrint(type, strata_text_append, &t);
  return t.text;
}

const char *strata_attr_text(strata_arena_t *arena, MlirAttribute attr) {
  strata_text_t t = {arena, ""};
  mlirAttributePrint(attr, strata_text_append, &t);
  return t.text;
}

const char *strata_map_text(strata_arena_t *arena, MlirAffineMap map) {
  strata_text_t t = {arena, ""};
  mlirAffineMapPrint(map, strata_text_append, &t);
  return t.text;
}

bool strata_is_fast(strata_arena_t *arena, MlirOperation op, const char *flag) {
  MlirAttribute flags = strata_attr(op, "fastmath");
  const char *text = mlirAttributeIsNull(flags) ? "" : strata_attr_text(arena, flags);
  return strstr(text, flag) || strstr(text, "fast>");
}
