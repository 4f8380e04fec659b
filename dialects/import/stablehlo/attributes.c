// The attributes of the dialect, which are texts to MLIR.
#include "dialects/import/stablehlo/stablehlo.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

const char *hlo_text(const tir_op_t *o, const char *name) {
  MlirAttribute attr = strata_attr(o->op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAOpaque(attr))
    return "";
  MlirStringRef text = mlirOpaqueAttrGetData(attr);
  return strata_arena_printf(o->importer->compile->arena, "%.*s", (int)text.length, text.data);
}

const char *hlo_word(const tir_op_t *o, const char *name) {
  const char *text = hlo_text(o, name), *word = strrchr(text, ' ');
  return word ? word + 1 : text;
}

int hlo_field(const char *text, const char *field, int capacity, int64_t *out) {
  size_t length = strlen(field);
  for (const char *at = strstr(text, field); at; at = strstr(at + 1, field)) {
    bool is_whole = at > text && (at[-1] == ' ' || at[-1] == '<' || at[-1] == ',') && !strncmp(at + length, " = ", 3);
    if (!is_whole)
      continue;
    at += length + 3;
    int count = 0;
    bool is_list = *at == '[';
    for (at += is_list; *at && *at != ']' && count < capacity;) {
      char *end;
      out[count] = strtoll(at, &end, 10);
      if (end == at)
        break;
      count++;
      at = end + strspn(end, ", ");
      if (!is_list)
        break;
    }
    return count;
  }
  return 0;
}
