// Shuffles of any scalar type; see combine.h.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"

// Whose value: of the lane whose number differs in bits |lane|, or of lane |lane|.
typedef struct {
  const char *mode;
  int64_t lane;
  int lanes; // of a warp
} shuffle_t;

static MlirValue shuffle_word(strata_emitter_t *e, MlirValue word, const shuffle_t *shuffle) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32),
           results[] = {mlirValueGetType(word), mlirIntegerTypeGet(e->context, 1)};
  MlirValue operands[] = {word, strata_emit_integer(e, i32, shuffle->lane),
                          strata_emit_integer(e, i32, shuffle->lanes)};
  strata_named_attr_t mode = {"mode", mlirAttributeParseGet(e->context, strata_str(shuffle->mode))};
  return mlirOperationGetResult(strata_emit_op(e, "gpu.shuffle", 3, operands, 2, results, 1, &mode), 0);
}

static MlirValue shuffle_pair(strata_emitter_t *e, MlirValue pair, const shuffle_t *shuffle) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32), i64 = mlirIntegerTypeGet(e->context, 64);
  MlirValue word = strata_emit_integer(e, i64, 32);
  MlirValue low = strata_emit_cast(e, "arith.trunci", pair, i32);
  MlirValue high = strata_emit_cast(e, "arith.trunci", strata_emit_binary(e, "arith.shrui", pair, word), i32);
  low = strata_emit_cast(e, "arith.extui", shuffle_word(e, low, shuffle), i64);
  high = strata_emit_cast(e, "arith.extui", shuffle_word(e, high, shuffle), i64);
  return strata_emit_binary(e, "arith.ori", low, strata_emit_binary(e, "arith.shli", high, word));
}

// An integer of any width.
static MlirValue shuffle_integer(strata_emitter_t *e, MlirValue value, const shuffle_t *shuffle) {
  MlirType type = mlirValueGetType(value), i32 = mlirIntegerTypeGet(e->context, 32);
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (width == 64)
    return shuffle_pair(e, value, shuffle);
  if (width == 32)
    return shuffle_word(e, value, shuffle);
  MlirValue wide = shuffle_word(e, strata_emit_cast(e, "arith.extui", value, i32), shuffle);
  return strata_emit_cast(e, "arith.trunci", wide, type);
}

static MlirValue emit_shuffle(strata_emitter_t *e, MlirValue value, const shuffle_t *shuffle) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAF32(type))
    return shuffle_word(e, value, shuffle);
  if (mlirTypeIsAInteger(type))
    return shuffle_integer(e, value, shuffle);
  bool is_float = mlirTypeIsAFloat(type);
  const char *cast = is_float ? "arith.bitcast" : "arith.index_cast";
  MlirType bits = mlirIntegerTypeGet(e->context, is_float ? mlirFloatTypeGetWidth(type) : 64);
  MlirValue moved = shuffle_integer(e, strata_emit_cast(e, cast, value, bits), shuffle);
  return strata_emit_cast(e, cast, moved, type);
}

MlirValue strata_emit_shuffle_xor(strata_emitter_t *e, MlirValue value, int64_t bit, int lanes) {
  return emit_shuffle(e, value, &(shuffle_t){"#gpu<shuffle_mode xor>", bit, lanes});
}

MlirValue strata_emit_shuffle_from(strata_emitter_t *e, MlirValue value, int64_t lane, int lanes) {
  return emit_shuffle(e, value, &(shuffle_t){"#gpu<shuffle_mode idx>", lane, lanes});
}
