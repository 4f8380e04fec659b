// See combine.h.
#include "lowering/expand/combine.h"

#include "lowering/expand/ops.h"

#include <math.h>

static const struct {
  const char *kind, *float_op, *integer_op;
  strata_start_t neutral;
} combiners[] = {
#define COMBINER(kind, float_op, integer_op, neutral) {kind, float_op, integer_op, neutral},
#include "lowering/expand/combiners.def"
};

typedef struct {
  char text[64];
  size_t length;
} spelling_t;

static void append_text(MlirStringRef piece, void *user) {
  spelling_t *spelling = user;
  for (size_t i = 0; i < piece.length && spelling->length + 1 < sizeof spelling->text; i++)
    spelling->text[spelling->length++] = piece.data[i];
}

// The row of #vector.kind<add>, which the C API has no getter for; -1 if there is none for |type|.
static int find_combiner(MlirAttribute kind, MlirType type) {
  spelling_t spelling = {0};
  mlirAttributePrint(kind, append_text, &spelling);
  const char *open = strchr(spelling.text, '<');
  bool is_float = mlirTypeIsAFloat(strata_type_element(type));
  for (size_t i = 0; open && i < sizeof combiners / sizeof combiners[0]; i++) {
    size_t length = strlen(combiners[i].kind);
    const char *name = is_float ? combiners[i].float_op : combiners[i].integer_op;
    if (name && strncmp(open + 1, combiners[i].kind, length) == 0 && open[1 + length] == '>')
      return (int)i;
  }
  return -1;
}

MlirValue strata_emit_combine(strata_emitter_t *e, MlirAttribute kind, MlirValue a, MlirValue b) {
  int row = find_combiner(kind, mlirValueGetType(a));
  if (row < 0)
    return (MlirValue){0};
  bool is_float = mlirTypeIsAFloat(strata_type_element(mlirValueGetType(a)));
  return strata_emit_binary(e, is_float ? combiners[row].float_op : combiners[row].integer_op, a, b);
}

static double real_neutral(strata_start_t neutral) {
  switch (neutral) {
  case STRATA_START_ONE:
    return 1;
  case STRATA_START_LEAST:
    return -INFINITY;
  case STRATA_START_LARGEST:
    return INFINITY;
  default:
    return -0.0;
  }
}

static int64_t integer_neutral(strata_start_t neutral, int64_t bits) {
  int64_t largest = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
  switch (neutral) {
  case STRATA_START_ONE:
    return 1;
  case STRATA_START_LEAST:
    return -largest - 1;
  case STRATA_START_LARGEST:
    return largest;
  case STRATA_START_ALL_BITS:
    return -1;
  default:
    return 0;
  }
}

MlirValue strata_emit_start(strata_emitter_t *e, MlirAttribute kind, MlirType type) {
  int row = find_combiner(kind, type);
  MlirType element = strata_type_element(type);
  if (row < 0)
    return (MlirValue){0};
  if (mlirTypeIsAFloat(element))
    return strata_emit_real(e, type, real_neutral(combiners[row].neutral));
  int64_t bits = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64;
  return strata_emit_integer(e, type, integer_neutral(combiners[row].neutral, bits));
}
