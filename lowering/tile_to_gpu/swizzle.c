// See swizzle.h.
#include "lowering/tile_to_gpu/swizzle.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"

enum { UNIT = 16, BANKS = 128 }; // bytes

int64_t strata_place_of(const strata_place_layout_t *layout, const int64_t *coordinates) {
  int64_t at = 0, rest[STRATA_VALUE_RANK] = {0};
  for (int i = 0; i < STRATA_PLACE_DIGITS; i++)
    rest[layout->digits[i].dim] = coordinates[layout->digits[i].dim];
  for (int i = 0; i < STRATA_PLACE_DIGITS; i++) {
    const strata_digit_t *digit = &layout->digits[i];
    bool is_last = digit->extent == 0;
    at += (is_last ? rest[digit->dim] : rest[digit->dim] % digit->extent) * digit->stride;
    rest[digit->dim] = is_last ? 0 : rest[digit->dim] / digit->extent;
  }
  int64_t unit = at / layout->unit;
  for (int i = 0; i < STRATA_PLACE_STEPS; i++) {
    const strata_swizzle_t *step = &layout->swizzles[i];
    if (step->extent)
      unit ^= coordinates[step->dim] / step->divisor % step->extent * step->stride;
  }
  return unit * layout->unit + at % layout->unit;
}

strata_swizzle_t strata_swizzle_of(int64_t span, int dim) {
  return (strata_swizzle_t){dim, BANKS / span, span / UNIT, 1};
}

MlirValue strata_swizzle_turn(strata_emitter_t *e, int64_t span, MlirValue row) {
  strata_swizzle_t step = strata_swizzle_of(span, 0);
  MlirValue rows = strata_emit_with(e, "arith.divui", row, step.divisor);
  return strata_emit_with(e, "arith.andi", rows, step.extent - 1);
}

MlirValue strata_swizzle_unit(strata_emitter_t *e, MlirValue turn, MlirValue column, int64_t unit) {
  MlirValue number = strata_emit_with(e, "arith.divui", column, unit);
  return strata_emit_times(e, strata_emit_binary(e, "arith.xori", number, turn), unit);
}
