// What lies between the products of attention within sequences, a row at a time; see segment_attention.h.
#include "lowering/affine_to_tile/segment_attention.h"

enum { COLUMN = STRATA_TILE_COLUMN };

static MlirValue reduced(strata_tile_builder_t *b, const char *kind, strata_tile_value_t value, MlirValue start) {
  const int64_t columns = 0;
  strata_named_attr_t attrs[2] = {
      {"kind", mlirAttributeParseGet(b->e.context, strata_str(kind))},
      {"reduction_dims", strata_i64s_attr(b->e.context, 1, &columns)},
  };
  MlirValue operands[2] = {value.value, start};
  return strata_emit_value(&b->e, "vector.multi_reduction", 2, operands, mlirValueGetType(start), 2, attrs);
}

static strata_tile_value_t exponential(strata_tile_builder_t *b, const strata_segment_t *s, strata_tile_value_t x,
                                       strata_tile_value_t maximum) {
  strata_tile_value_t exponent = strata_tile_attention_binary(b, &s->t, "arith.subf", x, maximum);
  return strata_tile_attention_op(b, &s->t, "math.exp2", exponent.dims, 1, &exponent);
}

// Which of the tile's columns the row in hand sees.
static MlirValue seen_columns(strata_tile_builder_t *b, const strata_segment_t *s) {
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1), index = mlirIndexTypeGet(b->e.context);
  MlirValue seen = s->n_keys;
  if (s->a.is_causal) {
    MlirValue behind = strata_segment_minus(b, strata_segment_minus(b, s->n_rows, strata_emit_index(&b->e, 1)),
                                            strata_tile_index(b, s->row));
    seen = strata_segment_smaller(b, seen, strata_segment_minus(b, s->n_seen, behind));
  }
  uint32_t dims = 1u << COLUMN;
  MlirValue columns = strata_emit_value(&b->e, "vector.step", 0, NULL, strata_tile_type(b, index, dims), 0, NULL);
  MlirValue compared[2] = {columns, strata_tile_broadcast(b, (strata_tile_value_t){seen, 0}, dims)};
  enum { PREDICATE_SLT = 2 };
  strata_named_attr_t predicate = {"predicate",
                                   mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_SLT)};
  return strata_emit_value(&b->e, "arith.cmpi", 2, compared, strata_tile_type(b, i1, dims), 1, &predicate);
}

static strata_tile_value_t cut(strata_tile_builder_t *b, MlirValue seen, strata_tile_value_t value, double otherwise) {
  MlirValue operands[3] = {seen, value.value, strata_tile_attention_numbers(b, otherwise, value.dims)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.select", 3, operands, mlirValueGetType(value.value), 0, NULL), value.dims};
}

// Weights in place of a row's scores; its sum and maximum, and the factor of what it has gathered before. Where
// |is_cut|, there are columns that it does not see.
static void weigh_row(strata_tile_builder_t *b, strata_segment_t *s, bool is_cut) {
  strata_attention_cpu_axes(b, 1, 1, s->n_panels * s->panel, 1);
  const MlirAffineExpr at[2] = {s->row, strata_attention_cpu_along(b, COLUMN, strata_tile_constant(b, 0))};
  MlirValue seen = is_cut ? seen_columns(b, s) : (MlirValue){0};
  strata_tile_value_t scores = strata_tile_load(b, s->scores, 2, at);
  if (is_cut)
    scores = cut(b, seen, scores, strata_tile_attention_lowest(1));
  strata_tile_value_t before = strata_tile_load(b, s->maxima, 1, &s->row);
  strata_tile_value_t maximum = {reduced(b, "#vector.kind<maximumf>", scores, before.value), 0};
  strata_tile_value_t weights = exponential(b, s, scores, maximum);
  if (is_cut)
    weights = cut(b, seen, weights, 0);
  strata_tile_value_t factor = exponential(b, s, before, maximum);
  strata_tile_value_t total =
      strata_tile_attention_binary(b, &s->t, "arith.mulf", strata_tile_load(b, s->sums, 1, &s->row), factor);
  total.value = reduced(b, "#vector.kind<add>", weights, total.value);
  strata_tile_store(b, weights, s->scores, 2, at);
  strata_tile_store(b, maximum, s->maxima, 1, &s->row);
  strata_tile_store(b, total, s->sums, 1, &s->row);
  strata_tile_store(b, factor, s->factors, 1, &s->row);
}

static void weigh_whole_row(strata_tile_builder_t *b, strata_segment_t *s) { weigh_row(b, s, false); }
static void weigh_cut_row(strata_tile_builder_t *b, strata_segment_t *s) { weigh_row(b, s, true); }

// 1 / sum in its place; 1 of a row that has seen nothing.
void strata_segment_invert_sum(strata_tile_builder_t *b, strata_segment_t *s) {
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_value_t total = strata_tile_load(b, s->sums, 1, &s->row), one = strata_tile_attention_number(b, 1);
  MlirValue compared[2] = {total.value, strata_tile_attention_number(b, 0).value};
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), 1)};
  MlirValue is_none =
      strata_emit_value(&b->e, "arith.cmpf", 2, compared, mlirIntegerTypeGet(b->e.context, 1), 1, &predicate);
  MlirValue operands[3] = {is_none, one.value, total.value};
  total.value = strata_emit_value(&b->e, "arith.select", 3, operands, mlirValueGetType(one.value), 0, NULL);
  strata_tile_store(b, strata_tile_attention_binary(b, &s->t, "arith.divf", one, total), s->sums, 1, &s->row);
}

void strata_segment_for_each_row(strata_tile_builder_t *b, strata_segment_t *s,
                                 void (*body)(strata_tile_builder_t *, strata_segment_t *)) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), s->n_rows, 1, 0, NULL, NULL);
  s->row = strata_tile_symbol(b, loop.induction, s->window);
  body(b, s);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

// All rows in hand see the whole tile, or some do not.
void strata_segment_weigh_rows(strata_tile_builder_t *b, strata_segment_t *s) {
  enum { PREDICATE_SGE = 5 };
  MlirValue least = s->n_seen; // what the first row sees
  if (s->a.is_causal)
    least = strata_segment_minus(b, least, strata_segment_minus(b, s->n_rows, strata_emit_index(&b->e, 1)));
  strata_named_attr_t predicate = {"predicate",
                                   mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_SGE)};
  MlirValue compared[2] = {least, strata_emit_index(&b->e, s->n_panels * s->panel)};
  strata_loop_t branch = strata_emit_if_begin(
      &b->e, strata_emit_value(&b->e, "arith.cmpi", 2, compared, mlirIntegerTypeGet(b->e.context, 1), 1, &predicate));
  strata_segment_for_each_row(b, s, weigh_whole_row);
  strata_emit_if_else(&b->e, branch);
  strata_segment_for_each_row(b, s, weigh_cut_row);
  strata_emit_if_end(&b->e, branch);
}
