// What lies between the products of attention on a cpu, a row at a time; see attention_cpu.h.
#include "lowering/affine_to_tile/attention_cpu.h"

#include "lowering/expand/ops.h"

//===-- Rows of weights ------------------------------------------------------------------------------------------===//

static strata_tile_value_t load_scores(strata_tile_builder_t *b, const strata_attention_cpu_t *c,
                                       MlirAffineExpr *out_at) {
  out_at[0] = c->row;
  out_at[1] = strata_attention_cpu_along(b, STRATA_TILE_COLUMN, c->base);
  return strata_tile_load(b, c->scores, 2, out_at);
}

// Columns that the row in hand sees from the tile's first one on.
static MlirValue end_of_row(strata_tile_builder_t *b, const strata_attention_cpu_t *c) {
  const strata_attention_t *a = &c->t.a;
  if (c->is_blocked) {
    MlirValue operands[2] = {c->row_end, strata_tile_index(b, c->base)};
    return strata_emit_value(&b->e, "arith.subi", 2, operands, mlirIndexTypeGet(b->e.context), 0, NULL);
  }
  MlirAffineExpr end = strata_tile_scaled(b, c->t.point[a->row], 1, strata_tile_attention_offset(b, &c->t, 1));
  return strata_tile_index(b, strata_tile_scaled(b, c->base, -1, end));
}

// What a row's scores become before their maximum is taken, columns beyond those that it sees among them if |is_cut|.
static strata_tile_value_t final_scores(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size,
                                        bool is_cut) {
  const strata_attention_t *a = &c->t.a;
  MlirAffineExpr at[2];
  strata_attention_cpu_axes(b, 1, 1, size, 1);
  c->t.point[a->row] = strata_tile_scaled(b, c->row, 1, c->first_row);
  c->t.point[a->column] = strata_attention_cpu_column(b, c, strata_attention_cpu_along(b, STRATA_TILE_COLUMN, c->base));
  c->t.point[a->head] = strata_tile_constant(b, 0);
  strata_tile_value_t scores = load_scores(b, c, at);
  uint32_t dims = strata_attention_cpu_long_axes(b, 1u << STRATA_TILE_COLUMN);
  b->guard_depth += c->is_blocked && is_cut; // of the last columns some may not be there
  if (a->scale == 0)
    scores = strata_tile_attention_derive(b, &c->t, &a->product, scores, &a->score, dims);
  b->guard_depth -= c->is_blocked && is_cut;
  if (is_cut && !b->status)
    scores = strata_tile_attention_cut(b, &c->t, scores, (strata_tile_value_t){end_of_row(b, c), 0});
  if (a->scale == 0 || is_cut)
    strata_tile_store(b, scores, c->scores, 2, at);
  return scores;
}

static void add_maximum(strata_tile_builder_t *b, strata_attention_cpu_t *c, strata_tile_value_t scores,
                        MlirValue *maximum) {
  if (b->status || !c->t.a.has_softmax)
    return;
  strata_tile_value_t before = {*maximum, scores.dims};
  *maximum = strata_tile_attention_binary(b, &c->t, "arith.maximumf", before, scores).value;
}

static void seen_tile(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *maximum) {
  add_maximum(b, c, final_scores(b, c, size, false), maximum);
}

static void cut_tile(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *maximum) {
  add_maximum(b, c, final_scores(b, c, size, true), maximum);
}

// exp(scale * (score - maximum)).
static strata_tile_value_t exponential(strata_tile_builder_t *b, const strata_attention_cpu_t *c,
                                       strata_tile_value_t scores) {
  const strata_attention_t *a = &c->t.a;
  strata_tile_value_t factor = strata_tile_attention_number(b, strata_attention_exponent_scale(a));
  strata_tile_value_t exponent =
      strata_tile_attention_binary(b, &c->t, "arith.subf", scores, (strata_tile_value_t){c->maximum, 0});
  exponent = strata_tile_attention_binary(b, &c->t, "arith.mulf", exponent, factor);
  return strata_tile_attention_op(b, &c->t, "math.exp2", exponent.dims, 1, &exponent);
}

// The exponentials, and what is made of them; their sum is that of the exponentials.
static void exponential_tile(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *sum) {
  const strata_attention_t *a = &c->t.a;
  MlirAffineExpr at[2];
  strata_attention_cpu_axes(b, 1, 1, size, 1);
  c->t.point[a->column] = strata_attention_cpu_column(b, c, strata_attention_cpu_along(b, STRATA_TILE_COLUMN, c->base));
  strata_tile_value_t scores = load_scores(b, c, at), weights = exponential(b, c, scores);
  *sum = strata_tile_attention_binary(b, &c->t, "arith.addf", (strata_tile_value_t){*sum, weights.dims}, weights).value;
  if (strata_attention_has_factor(a))
    weights = strata_tile_attention_derive(b, &c->t, &a->softmax, weights, &a->weight, weights.dims);
  strata_tile_store(b, weights, c->scores, 2, at);
}

// How the elements of a row are combined.
typedef struct {
  const char *kind, *op;
} reduction_t;

static const reduction_t maximum_of = {"#vector.kind<maximumf>", "arith.maximumf"},
                         sum_of = {"#vector.kind<add>", "arith.addf"};

// All elements of a vector of columns combined with |start|.
static MlirValue reduce(strata_tile_builder_t *b, const strata_attention_cpu_t *c, const reduction_t *how,
                        MlirValue value, MlirValue start) {
  if (!mlirTypeIsAVector(mlirValueGetType(value)))
    return strata_tile_attention_binary(b, &c->t, how->op, (strata_tile_value_t){start, 0},
                                        (strata_tile_value_t){value, 0})
        .value;
  const int64_t columns = 0;
  strata_named_attr_t attrs[2] = {
      {"kind", mlirAttributeParseGet(b->e.context, strata_str(how->kind))},
      {"reduction_dims", strata_i64s_attr(b->e.context, 1, &columns)},
  };
  MlirValue operands[2] = {value, start};
  return strata_emit_value(&b->e, "vector.multi_reduction", 2, operands, mlirValueGetType(start), 2, attrs);
}

static MlirValue start_of(strata_tile_builder_t *b, double start, int64_t size) {
  strata_attention_cpu_axes(b, 1, 1, size, 1);
  return strata_tile_attention_numbers(b, start, strata_attention_cpu_long_axes(b, 1u << STRATA_TILE_COLUMN));
}

// The whole tiles that all of a row is seen of; null: every one.
static MlirValue plain_tiles(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  MlirContext context = b->e.context;
  const strata_attention_t *a = &c->t.a;
  int64_t tile = c->columns.tile, n_full = c->columns.extent / tile;
  if (!a->is_causal)
    return (MlirValue){0};
  if (mlirValueIsNull(c->seen))
    return strata_emit_index(&b->e, 0);
  MlirAffineExpr row = strata_tile_scaled(b, c->row, 1, c->first_row);
  MlirValue end = strata_tile_index(b, strata_tile_scaled(b, row, 1, strata_tile_attention_offset(b, &c->t, 1)));
  MlirAffineExpr results[2] = {
      mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, tile)),
      strata_tile_constant(b, n_full)};
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
  return strata_emit_value(&b->e, "affine.min", 1, &end, mlirIndexTypeGet(context), 1, &map);
}

// Final scores of the row in hand, and their maximum.
static void finish_scores(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  const strata_attention_t *a = &c->t.a;
  double lowest = strata_tile_attention_lowest(a->scale);
  MlirValue carried = {0}, tail = {0}, plain = plain_tiles(b, c);
  bool carries = a->has_softmax;
  if (carries)
    carried = start_of(b, lowest, c->columns.tile);
  strata_attention_cpu_tiles(b, c, (MlirValue){0}, plain, seen_tile, carries ? &carried : NULL);
  if (a->is_causal && !b->status)
    strata_attention_cpu_tiles(b, c, plain, strata_attention_cpu_seen_tiles(b, c), cut_tile, carries ? &carried : NULL);
  if (carries && !b->status)
    c->maximum = reduce(b, c, &maximum_of, carried, strata_tile_attention_number(b, lowest).value);
  if (carries && strata_attention_cpu_tail_size(c))
    tail = start_of(b, lowest, strata_attention_cpu_tail_size(c));
  strata_attention_cpu_tail(b, c, a->is_causal ? cut_tile : seen_tile, &tail);
  if (carries && strata_attention_cpu_tail_size(c) && !b->status)
    c->maximum = reduce(b, c, &maximum_of, tail, c->maximum);
}

static void exponentiate(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  MlirValue carried = start_of(b, 0, c->columns.tile), tail = {0};
  strata_attention_cpu_tiles(b, c, (MlirValue){0}, strata_attention_cpu_seen_tiles(b, c), exponential_tile, &carried);
  if (b->status)
    return;
  MlirValue sum = reduce(b, c, &sum_of, carried, strata_tile_attention_number(b, 0).value);
  if (strata_attention_cpu_tail_size(c)) {
    tail = start_of(b, 0, strata_attention_cpu_tail_size(c));
    strata_attention_cpu_tail(b, c, exponential_tile, &tail);
    if (!b->status)
      sum = reduce(b, c, &sum_of, tail, sum);
  }
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_store(b, (strata_tile_value_t){sum, 0}, c->sums, 1, &c->row);
}

void strata_attention_cpu_weigh(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->n_rows, &c->row);
  finish_scores(b, c);
  if (c->t.a.has_softmax && !b->status)
    exponentiate(b, c);
  strata_tile_loop_end(b, loop);
  strata_attention_scope_end(b, scope);
}

//===-- Blocks of columns ----------------------------------------------------------------------------------------===//

static void guarded_exponential_tile(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size,
                                     MlirValue *sum) {
  b->guard_depth++;
  exponential_tile(b, c, size, sum);
  b->guard_depth--;
}

// Columns of the block that the row in hand sees; |*out_plain| tiles are seen as a whole.
static void find_end(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue n_tiles, MlirValue *out_plain) {
  const strata_attention_t *a = &c->t.a;
  MlirValue zero = strata_emit_index(&b->e, 0), tile = strata_emit_index(&b->e, c->columns.tile);
  c->row_end = c->n_columns;
  if (a->is_causal) {
    MlirAffineExpr seen = strata_tile_scaled(b, c->row, 1, c->first_row);
    seen =
        strata_tile_scaled(b, c->block, -1, strata_tile_scaled(b, seen, 1, strata_tile_attention_offset(b, &c->t, 1)));
    c->row_end = strata_emit_binary(&b->e, "arith.minsi", c->row_end, strata_tile_index(b, seen));
    c->row_end = strata_emit_binary(&b->e, "arith.maxsi", c->row_end, zero);
  }
  *out_plain =
      strata_emit_binary(&b->e, "arith.minsi", strata_emit_binary(&b->e, "arith.divui", c->row_end, tile), n_tiles);
}

static void weigh_row(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue n_tiles) {
  const MlirAffineExpr row = strata_tile_scaled(b, c->row, 1, c->local_row);
  MlirValue plain, none = {0};
  find_end(b, c, n_tiles, &plain);
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_value_t before = strata_tile_load(b, c->maxima, 1, &row), sums = strata_tile_load(b, c->sums, 1, &row);
  MlirValue carried = start_of(b, strata_tile_attention_lowest(c->t.a.scale), c->columns.tile);
  strata_attention_cpu_tiles(b, c, none, plain, seen_tile, &carried);
  strata_attention_cpu_tiles(b, c, plain, n_tiles, cut_tile, &carried);
  if (b->status)
    return;
  c->maximum = reduce(b, c, &maximum_of, carried, before.value);
  carried = start_of(b, 0, c->columns.tile);
  bool is_guarded = strata_attention_has_factor(&c->t.a);
  strata_attention_cpu_tiles(b, c, none, is_guarded ? plain : n_tiles, exponential_tile, &carried);
  if (is_guarded && !b->status)
    strata_attention_cpu_tiles(b, c, plain, n_tiles, guarded_exponential_tile, &carried);
  if (b->status)
    return;
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_value_t factor = exponential(b, c, before);
  sums = strata_tile_attention_binary(b, &c->t, "arith.mulf", sums, factor);
  sums.value = reduce(b, c, &sum_of, carried, sums.value);
  strata_tile_store(b, factor, c->factors, 1, &c->row);
  strata_tile_store(b, sums, c->sums, 1, &row);
  strata_tile_store(b, (strata_tile_value_t){c->maximum, 0}, c->maxima, 1, &row);
}

void strata_attention_cpu_weigh_block(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue n_tiles) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->n_rows, &c->row);
  weigh_row(b, c, n_tiles);
  strata_tile_loop_end(b, loop);
  strata_attention_scope_end(b, scope);
}
