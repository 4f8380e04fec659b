// See combine.h.
#include "lowering/expand/combine.h"

#include "lowering/expand/ops.h"

#include <math.h>
#include <stdio.h>

static const struct {
  const char *text, *float_op, *integer_op; // the kind's attribute as MLIR prints it
  strata_start_t neutral;
} combiners[] = {
#define COMBINER(kind, float_op, integer_op, neutral) {"#vector.kind<" kind ">", float_op, integer_op, neutral},
#include "dialects/affine/combiners.def"
};

enum { N_COMBINERS = sizeof combiners / sizeof combiners[0] };

// Of each row, whether the first |length| characters that were printed are those of its text.
typedef struct {
  size_t length;
  bool differs[N_COMBINERS];
} matching_t;

static void match(MlirStringRef piece, void *user) {
  matching_t *matching = user;
  for (size_t i = 0; i < piece.length; i++, matching->length++)
    for (size_t row = 0; row < N_COMBINERS; row++)
      matching->differs[row] |= !matching->differs[row] && combiners[row].text[matching->length] != piece.data[i];
}

// The row of #vector.kind<add>, which the C API has no getter for; -1 if there is none for |type|.
static int find_combiner(MlirAttribute kind, MlirType type) {
  bool is_float = mlirTypeIsAFloat(strata_type_element(type));
  matching_t matching = {0};
  mlirAttributePrint(kind, match, &matching);
  for (int row = 0; row < N_COMBINERS; row++)
    if (!matching.differs[row] && !combiners[row].text[matching.length])
      return *(is_float ? combiners[row].float_op : combiners[row].integer_op) ? row : -1;
  return -1;
}

MlirAttribute strata_combining_attr(MlirContext context, const char *name) {
  char text[64];
  snprintf(text, sizeof text, "#vector.kind<%s>", name);
  return mlirAttributeParseGet(context, strata_str(text));
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
  return strata_emit_integer(e, type, integer_neutral(combiners[row].neutral, strata_element_bits(element)));
}
