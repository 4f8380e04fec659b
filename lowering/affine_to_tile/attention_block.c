// What a block of columns is on GPUs: both products, and the softmax between them, of rows whose maximum, sum and
// result so far are carried. See attention.h.
#include "lowering/affine_to_tile/attention.h"

enum { ROW = STRATA_TILE_ROW, COLUMN = STRATA_TILE_COLUMN };
enum { ROWS = 1u << ROW, SCORES = 1u << ROW | 1u << COLUMN };

// Of rows, of what varies along columns too, and what it begins with.
static strata_tile_value_t reduce(strata_tile_builder_t *b, const char *kind, strata_tile_value_t value,
                                  strata_tile_value_t start) {
  const int64_t columns = 1;
  strata_named_attr_t attrs[2] = {
      {"kind", mlirAttributeParseGet(b->e.context, strata_str(kind))},
      {"reduction_dims", strata_i64s_attr(b->e.context, 1, &columns)},
  };
  MlirValue operands[2] = {value.value, start.value};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "vector.multi_reduction", 2, operands, mlirValueGetType(start.value), 2, attrs), ROWS};
}

// exp(scale * (value - maximum)): in one multiply-add where the value is a product, which is not infinite. Of the
// maximum before, in the order that stands here: both may be the lowest number, times scale of which a multiply-add,
// whose product is not rounded, is a difference of some 1e30.
static strata_tile_value_t exponential(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                       strata_tile_value_t value, strata_tile_value_t maximum) {
  strata_tile_attention_t exact = *t;
  exact.fast_math = mlirAttributeParseGet(b->e.context, strata_str("#arith.fastmath<none>"));
  bool is_before = value.dims == ROWS;
  strata_tile_value_t exponent;
  strata_tile_value_t factor = strata_tile_attention_number(b, strata_attention_exponent_scale(&t->a));
  if (t->a.scale != 0 && !is_before) {
    strata_tile_value_t scaled = strata_tile_attention_binary(b, t, "arith.mulf", maximum, factor);
    exponent = strata_tile_attention_binary(b, t, "arith.subf",
                                            strata_tile_attention_binary(b, t, "arith.mulf", value, factor), scaled);
  } else {
    const strata_tile_attention_t *order = is_before ? &exact : t;
    exponent = strata_tile_attention_binary(b, order, "arith.subf", value, maximum);
    exponent = strata_tile_attention_binary(b, order, "arith.mulf", exponent, factor);
  }
  return strata_tile_attention_op(b, t, "math.exp2", exponent.dims, 1, &exponent);
}

strata_tile_value_t strata_tile_attention_exponent(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                   strata_tile_value_t maximum) {
  strata_tile_value_t factor = strata_tile_attention_number(b, strata_attention_exponent_scale(&t->a));
  return strata_tile_attention_binary(b, t, "arith.mulf", maximum, factor);
}

// As the second product multiplies them.
MlirValue strata_tile_attention_narrowed(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                         strata_tile_value_t weights) {
  if (mlirTypeIsAF32(t->a.type))
    return weights.value;
  return strata_emit_value(&b->e, "arith.truncf", 1, &weights.value, strata_tile_type(b, t->a.type, SCORES), 0, NULL);
}

MlirValue strata_tile_attention_multiply(strata_tile_builder_t *b, const strata_tile_attention_t *t, int which,
                                         MlirValue left, MlirValue right, MlirValue sum) {
  MlirValue result = strata_tile_emit_contract(b, left, right, sum, b->schedule.mma);
  if (t->is_staged)
    strata_set_attr(strata_def(result), "tile.steps", strata_i64_attr(b->e.context, t->n_steps[which]));
  return result;
}

strata_tile_value_t strata_tile_attention_softmax(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                  strata_tile_value_t scores, MlirValue *carried,
                                                  strata_tile_value_t *out_factor) {
  strata_tile_value_t before = {carried[STRATA_ATTENTION_MAXIMUM], ROWS}, sum = {carried[STRATA_ATTENTION_SUM], ROWS};
  const char *kind = t->is_staged ? "#vector.kind<maxnumf>" : "#vector.kind<maximumf>"; // NaN comes of the weights, too
  strata_tile_value_t maximum = reduce(b, kind, scores, before);
  strata_tile_value_t weights = exponential(b, t, scores, maximum);
  *out_factor = exponential(b, t, before, maximum);
  sum = reduce(b, "#vector.kind<add>", weights, strata_tile_attention_binary(b, t, "arith.mulf", sum, *out_factor));
  carried[STRATA_ATTENTION_MAXIMUM] = maximum.value;
  carried[STRATA_ATTENTION_SUM] = sum.value;
  return weights;
}
