// See rounding.h.
#include "lowering/affine_to_tile/rounding.h"

#include "dialects/mlir_text.h"

// A quotient without fast-math flags, on which a decision rests: it is rounded as the model says.
static bool is_exact_quotient(strata_tile_builder_t *b, MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, "arith.divf") && !strata_is_fast(b->compile->arena, op, "arcp");
}

// True if |value| is rounded, or chosen among values of which one is.
static bool is_rounded(strata_tile_builder_t *b, strata_tile_value_t value, MlirType element) {
  strata_tile_value_t wide;
  MlirOperation op = strata_def(value.value);
  if (mlirOperationIsNull(op))
    return false;
  if (!strata_op_is(op, "arith.select"))
    return strata_op_is(op, "arith.truncf") && strata_tile_unrounded(b, value, element, &wide);
  for (intptr_t i = 1; i <= 2; i++)
    if (is_rounded(b, (strata_tile_value_t){mlirOperationGetOperand(op, i), value.dims}, element))
      return true;
  return false;
}

// A choice among what was rounded: made before.
static strata_tile_value_t choose_wide(strata_tile_builder_t *b, strata_tile_value_t choice, MlirType element) {
  MlirOperation op = strata_def(choice.value);
  MlirValue operands[3] = {mlirOperationGetOperand(op, 0)};
  for (intptr_t i = 1; i <= 2; i++) {
    strata_tile_value_t arm = {mlirOperationGetOperand(op, i), choice.dims};
    operands[i] = strata_tile_widened(b, arm, element).value;
  }
  MlirType type = strata_tile_type(b, element, choice.dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.select", 3, operands, type, 0, NULL), choice.dims};
}

bool strata_tile_unrounded(strata_tile_builder_t *b, strata_tile_value_t value, MlirType element,
                           strata_tile_value_t *out_value) {
  MlirOperation source = strata_def(value.value);
  if (b->compile->options->disable_fast_math || mlirOperationIsNull(source))
    return false;
  if (b->widens_choices && strata_op_is(source, "arith.select") && is_rounded(b, value, element)) {
    *out_value = choose_wide(b, value, element);
    return true;
  }
  if (!strata_op_is(source, "arith.truncf") || strata_attr_flag(source, "strata.rounds"))
    return false;
  MlirValue wide = mlirOperationGetOperand(source, 0);
  if (!mlirTypeEqual(mlirValueGetType(wide), strata_tile_type(b, element, value.dims)) || is_exact_quotient(b, wide))
    return false;
  *out_value = (strata_tile_value_t){wide, value.dims};
  return true;
}

strata_tile_value_t strata_tile_widened(strata_tile_builder_t *b, strata_tile_value_t value, MlirType element) {
  strata_tile_value_t wide;
  if (mlirTypeEqual(strata_type_element(mlirValueGetType(value.value)), element))
    return value;
  if (strata_tile_unrounded(b, value, element, &wide))
    return wide;
  MlirType type = strata_tile_type(b, element, value.dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.extf", 1, &value.value, type, 0, NULL), value.dims};
}
