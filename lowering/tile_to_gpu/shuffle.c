// Shuffles of any scalar type; see combine.h.
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/combine.h"

static MlirValue shuffle_word(strata_emitter_t *e, MlirValue word, int64_t bit, int lanes) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32),
           results[] = {mlirValueGetType(word), mlirIntegerTypeGet(e->context, 1)};
  MlirValue operands[] = {word, strata_emit_integer(e, i32, bit), strata_emit_integer(e, i32, lanes)};
  strata_named_attr_t mode = {"mode", mlirAttributeParseGet(e->context, strata_str("#gpu<shuffle_mode xor>"))};
  return mlirOperationGetResult(strata_emit_op(e, "gpu.shuffle", 3, operands, 2, results, 1, &mode), 0);
}

static MlirValue shuffle_pair(strata_emitter_t *e, MlirValue pair, int64_t bit, int lanes) {
  MlirType i32 = mlirIntegerTypeGet(e->context, 32), i64 = mlirIntegerTypeGet(e->context, 64);
  MlirValue word = strata_emit_integer(e, i64, 32);
  MlirValue low = strata_emit_cast(e, "arith.trunci", pair, i32);
  MlirValue high = strata_emit_cast(e, "arith.trunci", strata_emit_binary(e, "arith.shrui", pair, word), i32);
  low = strata_emit_cast(e, "arith.extui", shuffle_word(e, low, bit, lanes), i64);
  high = strata_emit_cast(e, "arith.extui", shuffle_word(e, high, bit, lanes), i64);
  return strata_emit_binary(e, "arith.ori", low, strata_emit_binary(e, "arith.shli", high, word));
}

// An integer of any width.
static MlirValue shuffle_integer(strata_emitter_t *e, MlirValue value, int64_t bit, int lanes) {
  MlirType type = mlirValueGetType(value), i32 = mlirIntegerTypeGet(e->context, 32);
  unsigned width = mlirIntegerTypeGetWidth(type);
  if (width == 64)
    return shuffle_pair(e, value, bit, lanes);
  if (width == 32)
    return shuffle_word(e, value, bit, lanes);
  MlirValue wide = shuffle_word(e, strata_emit_cast(e, "arith.extui", value, i32), bit, lanes);
  return strata_emit_cast(e, "arith.trunci", wide, type);
}

MlirValue strata_emit_shuffle_xor(strata_emitter_t *e, MlirValue value, int64_t bit, int lanes) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAF32(type))
    return shuffle_word(e, value, bit, lanes);
  if (mlirTypeIsAInteger(type))
    return shuffle_integer(e, value, bit, lanes);
  bool is_float = mlirTypeIsAFloat(type);
  const char *cast = is_float ? "arith.bitcast" : "arith.index_cast";
  MlirType bits = mlirIntegerTypeGet(e->context, is_float ? mlirFloatTypeGetWidth(type) : 64);
  MlirValue moved = shuffle_integer(e, strata_emit_cast(e, cast, value, bits), bit, lanes);
  return strata_emit_cast(e, cast, moved, type);
}
