// Attention on a cpu: both contractions and the softmax between them, a block of rows at a time, whose scores stay in
// the task's scratch memory.
//
//   scf.forall (%t) in (tasks) {
//     keys and values as panels, of a tile's columns each, in scratch
//     scf.for rows, a register tile's {
//       scf.for %j = 0 to tiles of columns { %acc = scf.for %d ... vector.outerproduct   "tile.store" %acc, %scores }
//       scf.for %i = 0 to rows { maximum of a row;  exponentials in place of its scores, and their sum }
//       scf.for tiles of values { %acc = scf.for %j = 0 to columns ... vector.outerproduct
//         %acc / sums, what follows, "tile.store" } } }
//
// A row's scores are all there before its maximum is taken: nothing is rescaled. Of a causal mask, columns that no row
// of a block sees are left out of all three. A task of one block packs keys a tile at a time, where it needs them.
#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "lowering/affine_to_tile/attention.h"
#include "lowering/affine_to_tile/contract.h"
#include "lowering/affine_to_tile/rounding.h"
#include "passes/target.h"

enum {
  ROW = STRATA_TILE_ROW,
  VALUE = STRATA_TILE_VALUE,
  COLUMN = STRATA_TILE_COLUMN,
  HEAD = STRATA_TILE_HEAD,
  N_AXES = STRATA_N_TILE_AXES,
  PADDING = 16,             // so that rows of scratch do not collide in the caches
  MIN_TASK_FLOPS = 1 << 19, // see contract.c
  MAX_TASKS = 64,
};

static const double log2_e = 1.4426950408889634;

typedef struct {
  strata_tile_attention_t t;
  int64_t tile_rows; // of both products
  int64_t square;    // elements of a block that is turned in registers
  strata_tile_chunks_t rows, columns, values;
  bool packs_once, packs_values;
  uint32_t shared;                               // dims that tasks walk: neither keys nor values have them
  int64_t n_shared, batch;                       // points of those; of the others
  MlirValue queries, keys, panels, scores, sums; // scratch
  // In hand: a block of rows, a row of it, tiles.
  int64_t n_rows;
  MlirAffineExpr first_row, row, base;
  MlirValue seen; // columns that the block's rows see; null: all
  MlirValue maximum;
} builder_t;

static int64_t extent_of(const builder_t *c, int dim) { return c->t.a.extents[dim]; }

static int64_t head_of(const builder_t *c) { return extent_of(c, c->t.a.head); }

//===-- Emission -------------------------------------------------------------------------------------------------===//

// What is emitted between the two has symbols and known values of its own.
typedef struct {
  int n_symbols;
  strata_tile_known_t *known;
} scope_t;

static scope_t begin_scope(const strata_tile_builder_t *b) { return (scope_t){b->space.n_symbols, b->known}; }

static void end_scope(strata_tile_builder_t *b, scope_t scope) {
  b->space.n_symbols = scope.n_symbols;
  b->known = scope.known;
}

static void set_axes(strata_tile_builder_t *b, int64_t rows, int64_t values, int64_t columns, int64_t heads) {
  const int64_t sizes[N_AXES] = {rows, values, columns, heads};
  b->space.n_vector = N_AXES;
  memcpy(b->space.extents, sizes, sizeof sizes);
}

// The axes in |axes| along which there is more than one element.
static uint32_t long_axes(const strata_tile_builder_t *b, uint32_t axes) {
  for (int axis = 0; axis < N_AXES; axis++)
    if (b->space.extents[axis] == 1)
      axes &= ~(1u << axis);
  return axes;
}

static MlirAffineExpr along(strata_tile_builder_t *b, int axis, MlirAffineExpr base) {
  return strata_tile_scaled(b, strata_tile_vector_dim(b, axis), 1, base);
}

static MlirValue scratch(strata_tile_builder_t *b, int rank, const int64_t *sizes) {
  return strata_emit_scratch(
      &b->e, mlirMemRefTypeContiguousGet(mlirF32TypeGet(b->e.context), rank, sizes, (MlirAttribute){0}));
}

static strata_tile_value_t widened(strata_tile_builder_t *b, strata_tile_value_t value) {
  return b->status ? value : strata_tile_widened(b, value, mlirF32TypeGet(b->e.context));
}

// |sum| + u * v over |dims|.
static MlirValue multiply_add(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t u,
                              strata_tile_value_t v, uint32_t dims, MlirValue sum) {
  if (u.dims && v.dims && !(u.dims & v.dims)) {
    MlirValue operands[3] = {u.value, v.value, sum};
    strata_named_attr_t kind = {"kind", mlirAttributeParseGet(b->e.context, strata_str("#vector.kind<add>"))};
    return strata_emit_value(&b->e, "vector.outerproduct", 3, operands, mlirValueGetType(sum), 1, &kind);
  }
  strata_tile_value_t product = strata_tile_attention_binary(b, &c->t, "arith.mulf", u, v);
  return strata_tile_attention_binary(b, &c->t, "arith.addf", product, (strata_tile_value_t){sum, dims}).value;
}

//===-- Panels ---------------------------------------------------------------------------------------------------===//

// Which of an operand is packed: the axis that it has beside its steps, and that of those.
typedef struct {
  builder_t *c;
  int which, axis, step;
  bool is_turned;
  MlirAffineExpr base; // of the panel's first element, and of those in hand
  MlirAffineExpr panel, element;
  int64_t n_elements;
} pack_t;

static int dim_of(const builder_t *c, int axis) {
  const int dims[N_AXES] = {c->t.a.row, c->t.a.value, c->t.a.column, c->t.a.head};
  return dims[axis];
}

// A block of a panel: [panel][step][element].
static void pack_block(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *p = user;
  builder_t *c = p->c;
  scope_t scope = begin_scope(b);
  int64_t sizes[N_AXES] = {1, 1, 1, 1};
  sizes[p->axis] = p->n_elements;
  sizes[p->step] = size;
  set_axes(b, sizes[0], sizes[1], sizes[2], sizes[3]);
  MlirAffineExpr element = along(b, p->axis, p->element), step = along(b, p->step, base);
  c->t.point[dim_of(c, p->axis)] = strata_tile_scaled(b, p->base, 1, element);
  c->t.point[dim_of(c, p->step)] = step;
  strata_tile_value_t value = widened(b, strata_tile_attention_operand(b, &c->t, p->which));
  const MlirAffineExpr at[3] = {p->panel, step, element};
  strata_tile_store(b, value, p->which == STRATA_ATTENTION_V ? c->panels : c->keys, 3, at);
  end_scope(b, scope);
}

// Elements of a panel from |base| on, with all steps: rows as they lie, or blocks that are turned.
static void pack_elements(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *p = user;
  const builder_t *c = p->c;
  scope_t scope = begin_scope(b);
  p->n_elements = size;
  p->element = base;
  strata_tile_chunks_t steps = strata_tile_chunks(extent_of(c, dim_of(c, p->step)), p->is_turned ? c->square : 1, 1);
  strata_tile_chunk(b, &steps, (MlirValue){0}, pack_block, p);
  end_scope(b, scope);
}

static void pack_panel(strata_tile_builder_t *b, pack_t *p, int64_t size) {
  p->is_turned = !strata_attention_is_crossed(&p->c->t.a, p->which);
  strata_tile_chunks_t elements = strata_tile_chunks(size, p->is_turned ? strata_min(p->c->square, size) : size, 1);
  strata_tile_chunk(b, &elements, (MlirValue){0}, pack_elements, p);
}

static MlirAffineExpr panel_of(strata_tile_builder_t *b, MlirAffineExpr base, int64_t tile) {
  return strata_tile_simplify(b, mlirAffineFloorDivExprGet(base, strata_tile_constant(b, tile)));
}

static void pack_keys(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  pack_t p = {.c = c, .which = STRATA_ATTENTION_K, .axis = COLUMN, .step = HEAD, .base = base};
  p.panel = c->packs_once ? panel_of(b, base, c->columns.tile) : strata_tile_constant(b, 0);
  pack_panel(b, &p, size);
}

static void pack_values(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  pack_t p = {.c = c, .which = STRATA_ATTENTION_V, .axis = VALUE, .step = COLUMN, .base = base};
  p.panel = panel_of(b, base, c->values.tile);
  p.element = strata_tile_constant(b, 0);
  p.n_elements = size;
  if (strata_attention_is_crossed(&c->t.a, STRATA_ATTENTION_V))
    pack_block(b, 1, c->base, &p);
  else
    pack_panel(b, &p, size);
}

// Rows of values one after the other, each a piece of every panel: rows far apart are looked at once.
static void pack_value_row(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  (void)size;
  c->base = base;
  strata_tile_chunk(b, &c->values, (MlirValue){0}, pack_values, c);
}

static void pack_all_values(strata_tile_builder_t *b, builder_t *c) {
  strata_tile_chunks_t columns = strata_tile_chunks(c->columns.extent, 1, 1);
  if (strata_attention_is_crossed(&c->t.a, STRATA_ATTENTION_V))
    strata_tile_chunk(b, &columns, (MlirValue){0}, pack_value_row, c);
  else
    strata_tile_chunk(b, &c->values, (MlirValue){0}, pack_values, c);
}

static void pack_query(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  scope_t scope = begin_scope(b);
  set_axes(b, 1, 1, 1, size);
  c->t.point[c->t.a.row] = strata_tile_scaled(b, c->row, 1, c->first_row);
  c->t.point[c->t.a.head] = along(b, HEAD, base);
  const MlirAffineExpr at[2] = {c->row, c->t.point[c->t.a.head]};
  strata_tile_store(b, widened(b, strata_tile_attention_operand(b, &c->t, STRATA_ATTENTION_Q)), c->queries, 2, at);
  end_scope(b, scope);
}

static void pack_queries(strata_tile_builder_t *b, builder_t *c) {
  enum { VECTORS = 4 };
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->n_rows, &c->row);
  strata_tile_chunks_t heads = strata_tile_chunks(head_of(c), strata_min(head_of(c), VECTORS * c->square), 1);
  strata_tile_chunk(b, &heads, (MlirValue){0}, pack_query, c);
  strata_tile_loop_end(b, loop);
}

//===-- Tiles of columns -----------------------------------------------------------------------------------------===//

// Whole tiles of columns that the block's rows see; null: all of them.
static MlirValue seen_tiles(strata_tile_builder_t *b, const builder_t *c) {
  if (mlirValueIsNull(c->seen))
    return c->seen;
  MlirContext context = b->e.context;
  int64_t tile = c->columns.tile, n_full = c->columns.extent / tile;
  MlirAffineExpr results[2] = {mlirAffineFloorDivExprGet(mlirAffineAddExprGet(mlirAffineDimExprGet(context, 0),
                                                                              strata_tile_constant(b, tile - 1)),
                                                         strata_tile_constant(b, tile)),
                               strata_tile_constant(b, n_full)};
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
  return strata_emit_value(&b->e, "affine.min", 1, &c->seen, mlirIndexTypeGet(context), 1, &map);
}

typedef void (*column_body_t)(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirValue *carried);

static void column_tile(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirAffineExpr base, column_body_t body,
                        MlirValue *carried) {
  scope_t scope = begin_scope(b);
  c->base = base;
  body(b, c, size, carried);
  end_scope(b, scope);
}

// Whole tiles from |first| to |end|; null values: from the first to the last.
static void column_tiles(strata_tile_builder_t *b, builder_t *c, MlirValue first, MlirValue end, column_body_t body,
                         MlirValue *carried) {
  int64_t tile = c->columns.tile, n_full = c->columns.extent / tile;
  int n_carried = carried ? 1 : 0;
  scope_t scope = begin_scope(b);
  first = mlirValueIsNull(first) ? strata_emit_index(&b->e, 0) : first;
  end = mlirValueIsNull(end) ? strata_emit_index(&b->e, n_full) : end;
  MlirValue inside[1];
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, end, 1, n_carried, carried, inside);
  MlirAffineExpr counter = strata_tile_symbol(b, loop.induction, n_full);
  column_tile(b, c, tile, strata_tile_scaled(b, counter, tile, strata_tile_constant(b, 0)), body, inside);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, n_carried, inside, carried);
  end_scope(b, scope);
}

static int64_t tail_of(const builder_t *c) { return c->columns.extent % c->columns.tile; }

// The columns behind the last whole tile, seen or not.
static void column_tail(strata_tile_builder_t *b, builder_t *c, column_body_t body, MlirValue *carried) {
  if (tail_of(c) && !b->status)
    column_tile(b, c, tail_of(c), strata_tile_constant(b, c->columns.extent - tail_of(c)), body, carried);
}

//===-- Scores ---------------------------------------------------------------------------------------------------===//

typedef struct {
  builder_t *c;
  MlirAffineExpr panel;
  uint32_t dims;
} product_t;

static void score_step(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  const product_t *p = user;
  const MlirAffineExpr zero = strata_tile_constant(b, 0);
  const MlirAffineExpr query[2] = {along(b, ROW, zero), counters[0]};
  const MlirAffineExpr key[3] = {p->panel, counters[0], along(b, COLUMN, zero)};
  strata_tile_value_t u = strata_tile_load(b, p->c->queries, 2, query), v = strata_tile_load(b, p->c->keys, 3, key);
  if (!b->status)
    *carried = multiply_add(b, p->c, u, v, p->dims, *carried);
}

static void score_tile(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirValue *unused) {
  (void)unused;
  const int64_t steps = head_of(c);
  MlirAffineExpr base = c->base;
  product_t p = {.c = c, .panel = strata_tile_constant(b, 0)};
  if (c->packs_once)
    p.panel = panel_of(b, base, c->columns.tile);
  else
    pack_keys(b, size, base, c);
  set_axes(b, c->n_rows, 1, size, 1);
  p.dims = long_axes(b, 1u << ROW | 1u << COLUMN);
  MlirValue sum = strata_tile_attention_numbers(b, 0, p.dims);
  strata_tile_carry(b, 1, &steps, NULL, 1, 1, &sum, score_step, &p);
  const MlirAffineExpr at[2] = {along(b, ROW, strata_tile_constant(b, 0)), along(b, COLUMN, base)};
  strata_tile_store(b, (strata_tile_value_t){sum, p.dims}, c->scores, 2, at);
}

//===-- Rows of weights ------------------------------------------------------------------------------------------===//

static strata_tile_value_t load_scores(strata_tile_builder_t *b, const builder_t *c, MlirAffineExpr *out_at) {
  out_at[0] = c->row;
  out_at[1] = along(b, COLUMN, c->base);
  return strata_tile_load(b, c->scores, 2, out_at);
}

// What a row's scores become before their maximum is taken, columns beyond those that it sees among them if |is_cut|.
static strata_tile_value_t final_scores(strata_tile_builder_t *b, builder_t *c, int64_t size, bool is_cut) {
  const strata_attention_t *a = &c->t.a;
  MlirAffineExpr at[2];
  set_axes(b, 1, 1, size, 1);
  c->t.point[a->row] = strata_tile_scaled(b, c->row, 1, c->first_row);
  c->t.point[a->column] = along(b, COLUMN, c->base);
  c->t.point[a->head] = strata_tile_constant(b, 0);
  strata_tile_value_t scores = load_scores(b, c, at);
  uint32_t dims = long_axes(b, 1u << COLUMN);
  if (a->scale == 0)
    scores = strata_tile_attention_derive(b, &c->t, &a->product, scores, &a->score, dims);
  if (is_cut && !b->status) {
    MlirAffineExpr end = strata_tile_scaled(b, c->t.point[a->row], 1, strata_tile_constant(b, a->offset + 1));
    end = strata_tile_scaled(b, c->base, -1, end);
    scores = strata_tile_attention_cut(b, &c->t, scores, (strata_tile_value_t){strata_tile_index(b, end), 0});
  }
  if (a->scale == 0 || is_cut)
    strata_tile_store(b, scores, c->scores, 2, at);
  return scores;
}

static void add_maximum(strata_tile_builder_t *b, builder_t *c, strata_tile_value_t scores, MlirValue *maximum) {
  if (b->status || !c->t.a.has_softmax)
    return;
  strata_tile_value_t before = {*maximum, scores.dims};
  *maximum = strata_tile_attention_binary(b, &c->t, "arith.maximumf", before, scores).value;
}

static void seen_tile(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirValue *maximum) {
  add_maximum(b, c, final_scores(b, c, size, false), maximum);
}

static void cut_tile(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirValue *maximum) {
  add_maximum(b, c, final_scores(b, c, size, true), maximum);
}

// exp(scale * (score - maximum)), and what is made of it; their sum is that of the exponentials.
static void exponential_tile(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirValue *sum) {
  const strata_attention_t *a = &c->t.a;
  MlirAffineExpr at[2];
  set_axes(b, 1, 1, size, 1);
  c->t.point[a->column] = along(b, COLUMN, c->base);
  strata_tile_value_t scores = load_scores(b, c, at), maximum = {c->maximum, 0};
  strata_tile_value_t factor = strata_tile_attention_number(b, log2_e * (a->scale != 0 ? a->scale : 1));
  strata_tile_value_t exponent = strata_tile_attention_binary(b, &c->t, "arith.subf", scores, maximum);
  exponent = strata_tile_attention_binary(b, &c->t, "arith.mulf", exponent, factor);
  strata_tile_value_t weights = strata_tile_attention_op(b, &c->t, "math.exp2", exponent.dims, 1, &exponent);
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
static MlirValue reduce(strata_tile_builder_t *b, const builder_t *c, const reduction_t *how, MlirValue value,
                        MlirValue start) {
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
  set_axes(b, 1, 1, size, 1);
  return strata_tile_attention_numbers(b, start, long_axes(b, 1u << COLUMN));
}

// The whole tiles that all of a row is seen of; null: every one.
static MlirValue plain_tiles(strata_tile_builder_t *b, builder_t *c) {
  MlirContext context = b->e.context;
  const strata_attention_t *a = &c->t.a;
  int64_t tile = c->columns.tile, n_full = c->columns.extent / tile;
  if (!a->is_causal)
    return (MlirValue){0};
  if (mlirValueIsNull(c->seen))
    return strata_emit_index(&b->e, 0);
  MlirAffineExpr row = strata_tile_scaled(b, c->row, 1, c->first_row);
  MlirValue end = strata_tile_index(b, strata_tile_scaled(b, row, 1, strata_tile_constant(b, a->offset + 1)));
  MlirAffineExpr results[2] = {
      mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, tile)),
      strata_tile_constant(b, n_full)};
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
  return strata_emit_value(&b->e, "affine.min", 1, &end, mlirIndexTypeGet(context), 1, &map);
}

// Final scores of the row in hand, and their maximum.
static void finish_scores(strata_tile_builder_t *b, builder_t *c) {
  const strata_attention_t *a = &c->t.a;
  double lowest = strata_tile_attention_lowest(a->scale);
  MlirValue carried = {0}, tail = {0}, plain = plain_tiles(b, c);
  bool carries = a->has_softmax;
  if (carries)
    carried = start_of(b, lowest, c->columns.tile);
  column_tiles(b, c, (MlirValue){0}, plain, seen_tile, carries ? &carried : NULL);
  if (a->is_causal && !b->status)
    column_tiles(b, c, plain, seen_tiles(b, c), cut_tile, carries ? &carried : NULL);
  if (carries && !b->status)
    c->maximum = reduce(b, c, &maximum_of, carried, strata_tile_attention_number(b, lowest).value);
  if (carries && tail_of(c))
    tail = start_of(b, lowest, tail_of(c));
  column_tail(b, c, a->is_causal ? cut_tile : seen_tile, &tail);
  if (carries && tail_of(c) && !b->status)
    c->maximum = reduce(b, c, &maximum_of, tail, c->maximum);
}

static void exponentiate(strata_tile_builder_t *b, builder_t *c) {
  MlirValue carried = start_of(b, 0, c->columns.tile), tail = {0};
  column_tiles(b, c, (MlirValue){0}, seen_tiles(b, c), exponential_tile, &carried);
  if (b->status)
    return;
  MlirValue sum = reduce(b, c, &sum_of, carried, strata_tile_attention_number(b, 0).value);
  if (tail_of(c)) {
    tail = start_of(b, 0, tail_of(c));
    column_tail(b, c, exponential_tile, &tail);
    if (!b->status)
      sum = reduce(b, c, &sum_of, tail, sum);
  }
  set_axes(b, 1, 1, 1, 1);
  strata_tile_store(b, (strata_tile_value_t){sum, 0}, c->sums, 1, &c->row);
}

static void weigh_rows(strata_tile_builder_t *b, builder_t *c) {
  scope_t scope = begin_scope(b);
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->n_rows, &c->row);
  finish_scores(b, c);
  if (c->t.a.has_softmax && !b->status)
    exponentiate(b, c);
  strata_tile_loop_end(b, loop);
  end_scope(b, scope);
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static void result_step(strata_tile_builder_t *b, builder_t *c, const product_t *p, MlirAffineExpr column,
                        MlirValue *carried) {
  MlirAffineExpr zero = strata_tile_constant(b, 0);
  const MlirAffineExpr weight[2] = {along(b, ROW, zero), column};
  const MlirAffineExpr value[3] = {p->panel, column, along(b, VALUE, zero)};
  strata_tile_value_t u = strata_tile_load(b, c->scores, 2, weight), v;
  c->t.point[c->t.a.column] = column;
  if (c->packs_values)
    v = strata_tile_load(b, c->panels, 3, value);
  else
    v = widened(b, strata_tile_attention_operand(b, &c->t, STRATA_ATTENTION_V));
  if (!b->status)
    *carried = multiply_add(b, c, u, v, p->dims, *carried);
}

static void store_results(strata_tile_builder_t *b, builder_t *c, strata_tile_value_t result) {
  strata_contraction_kernel_t weighted = {.kernel = b->kernel, .nest = c->t.a.weighted, .store = c->t.a.store};
  const MlirAffineExpr rows = along(b, ROW, strata_tile_constant(b, 0));
  if (c->t.a.has_softmax)
    result = strata_tile_attention_divide(b, &c->t, result, strata_tile_load(b, c->sums, 1, &rows));
  c->t.point[c->t.a.column] = strata_tile_constant(b, 0);
  result = strata_tile_contract_result(b, &weighted, c->t.point, result);
  if (!b->status)
    strata_tile_contract_stores(b, &weighted, c->t.point, result);
}

// Where results are stored is asked for while the sums are at work.
static void prefetch_results(strata_tile_builder_t *b, builder_t *c, int64_t size, MlirAffineExpr base) {
  enum { MIN_STEPS = 64 };
  const strata_attention_t *a = &c->t.a;
  strata_contraction_kernel_t weighted = {.kernel = b->kernel, .nest = a->weighted, .store = a->store};
  int64_t width = strata_tile_line_elements(a->store->buffer);
  if (c->columns.extent < MIN_STEPS)
    return;
  c->t.point[a->column] = strata_tile_constant(b, 0);
  for (int64_t row = 0; row < c->n_rows; row++)
    for (int64_t at = 0; at < size; at += width) {
      c->t.point[a->row] = strata_tile_scaled(b, c->first_row, 1, strata_tile_constant(b, row));
      c->t.point[a->value] = strata_tile_scaled(b, base, 1, strata_tile_constant(b, at));
      strata_tile_contract_prefetch(b, &weighted, c->t.point);
    }
}

static void result_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  scope_t scope = begin_scope(b);
  product_t p = {.c = c, .panel = panel_of(b, base, c->values.tile)};
  set_axes(b, c->n_rows, size, 1, 1);
  prefetch_results(b, c, size, base);
  p.dims = long_axes(b, 1u << ROW | 1u << VALUE);
  c->t.point[c->t.a.row] = along(b, ROW, c->first_row);
  c->t.point[c->t.a.value] = along(b, VALUE, base);
  MlirValue sum = strata_tile_attention_numbers(b, 0, p.dims), inside;
  scope_t steps = begin_scope(b);
  MlirValue end = mlirValueIsNull(c->seen) ? strata_emit_index(&b->e, c->columns.extent) : c->seen;
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), end, 1, 1, &sum, &inside);
  result_step(b, c, &p, strata_tile_symbol(b, loop.induction, c->columns.extent), &inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, 1, &inside, &sum);
  end_scope(b, steps);
  store_results(b, c, (strata_tile_value_t){sum, p.dims});
  end_scope(b, scope);
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// The columns that a block's last row sees, where all of its rows see one.
static MlirValue seen_columns(strata_tile_builder_t *b, const builder_t *c) {
  const strata_attention_t *a = &c->t.a;
  if (!a->is_causal || a->offset < 0)
    return (MlirValue){0};
  MlirContext context = b->e.context;
  MlirValue first = strata_tile_index(b, c->first_row);
  MlirAffineExpr results[2] = {
      mlirAffineAddExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, c->n_rows + a->offset)),
      strata_tile_constant(b, c->columns.extent)};
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
  return strata_emit_value(&b->e, "affine.min", 1, &first, mlirIndexTypeGet(context), 1, &map);
}

static void row_block(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  builder_t *c = user;
  scope_t scope = begin_scope(b);
  c->n_rows = size;
  c->first_row = base;
  c->seen = seen_columns(b, c);
  pack_queries(b, c);
  column_tiles(b, c, (MlirValue){0}, seen_tiles(b, c), score_tile, NULL);
  column_tail(b, c, score_tile, NULL);
  weigh_rows(b, c);
  if (!b->status)
    strata_tile_chunk(b, &c->values, (MlirValue){0}, result_tile, c);
  end_scope(b, scope);
}

static void allocate(strata_tile_builder_t *b, builder_t *c) {
  int64_t columns = c->columns.extent, tile = c->columns.tile, rows = c->rows.tile;
  const int64_t queries[2] = {rows, head_of(c) + PADDING};
  const int64_t keys[3] = {c->packs_once ? strata_ceil_div(columns, tile) : 1, head_of(c), tile};
  const int64_t panels[3] = {strata_ceil_div(c->values.extent, c->values.tile), columns, c->values.tile};
  const int64_t scores[2] = {rows, strata_round_up(columns, PADDING) + PADDING};
  c->queries = scratch(b, 2, queries);
  c->keys = scratch(b, 3, keys);
  if (c->packs_values)
    c->panels = scratch(b, 3, panels);
  c->scores = scratch(b, 2, scores);
  c->sums = scratch(b, 1, &rows);
}

// The task's rows, at every point of the shared dims.
static void emit_rows(strata_tile_builder_t *b, builder_t *c, MlirValue run) {
  strata_tile_loop_t loops[STRATA_MAX_DIMS];
  int n_loops = 0;
  scope_t scope = begin_scope(b);
  for (int dim = 0; dim < c->t.a.column; dim++)
    if (c->shared >> dim & 1)
      loops[n_loops++] = strata_tile_loop_begin(b, extent_of(c, dim), &c->t.point[dim]);
  strata_tile_chunk(b, &c->rows, run, row_block, c);
  while (n_loops-- > 0)
    strata_tile_loop_end(b, loops[n_loops]);
  end_scope(b, scope);
}

static void emit_task(strata_tile_builder_t *b, builder_t *c, MlirValue task) {
  strata_tile_attention_place(b, &c->t, c->shared, task, c->rows.n_chunks);
  MlirValue run = strata_tile_attention_digit(b, task, 1, c->rows.n_chunks);
  allocate(b, c);
  if (c->packs_once)
    strata_tile_chunk(b, &c->columns, (MlirValue){0}, pack_keys, c);
  if (c->packs_values)
    pack_all_values(b, c);
  emit_rows(b, c, run);
}

enum { FEW_TASKS = 16 }; // that keep some threads busy

// Tasks that are worth their start.
static int64_t worth_tasks(const builder_t *c) {
  const strata_attention_t *a = &c->t.a;
  int64_t flops = 2 * (extent_of(c, a->head) + extent_of(c, a->value));
  flops *= strata_attention_batch(a) * extent_of(c, a->row) * extent_of(c, a->column);
  return strata_max(1, strata_min(flops / MIN_TASK_FLOPS, MAX_TASKS));
}

// Of |batch| tasks. Heads that share keys and values are one task's, if enough are left.
static void find_shared(builder_t *c, int64_t *batch) {
  const strata_attention_t *a = &c->t.a;
  uint32_t others = a->operands[STRATA_ATTENTION_K].dims | a->operands[STRATA_ATTENTION_V].dims;
  c->n_shared = 1;
  for (int dim = 0; dim < a->column; dim++)
    if (!(others >> dim & 1) && dim != a->row && dim != a->value && extent_of(c, dim) > 1) {
      c->shared |= 1u << dim;
      c->n_shared *= extent_of(c, dim);
    }
  int64_t blocks = strata_ceil_div(extent_of(c, a->row), c->tile_rows);
  if (*batch / c->n_shared * blocks < strata_min(worth_tasks(c), FEW_TASKS)) {
    c->shared = 0;
    c->n_shared = 1;
  }
  *batch /= c->n_shared;
}

// Runs of rows that are a task each: as many as are enough, more where that packs no operand for a few rows.
static int64_t wanted_runs(const builder_t *c, int64_t batch) {
  enum { MANY_ROWS = 512 };
  int64_t worth = worth_tasks(c), rows = extent_of(c, c->t.a.row) * c->n_shared;
  int64_t least = strata_ceil_div(strata_min(worth, FEW_TASKS), batch), most = strata_ceil_div(worth, batch);
  return strata_max(least, strata_min(most, rows / MANY_ROWS));
}

static strata_status_t plan(strata_tile_builder_t *b, builder_t *c) {
  enum { OFTEN = 4 }; // blocks of rows that pass by a panel
  const strata_attention_t *a = &c->t.a;
  const strata_schedule_t *s = &b->schedule;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  if (s->n_tile != 3 || s->tile[0] < 1 || s->tile[1] < 1 || s->tile[2] < 1)
    return strata_error(STRATA_INTERNAL, "attention without tile sizes");
  c->square = device->vector_bytes / 4;
  c->tile_rows = s->tile[0];
  c->batch = strata_attention_batch(a);
  find_shared(c, &c->batch);
  c->rows = strata_tile_chunks(extent_of(c, a->row), c->tile_rows, wanted_runs(c, c->batch));
  c->columns = strata_tile_chunks(extent_of(c, a->column), s->tile[1], 1);
  c->values = strata_tile_chunks(extent_of(c, a->value), s->tile[2], 1);
  int64_t blocks = c->n_shared * (c->rows.chunk + (extent_of(c, a->row) % c->tile_rows != 0));
  c->packs_once = blocks > 1;
  c->packs_values = blocks >= OFTEN || !strata_attention_is_crossed(a, STRATA_ATTENTION_V);
  return NULL;
}

strata_status_t strata_tile_attention_cpu(strata_tile_builder_t *b) {
  builder_t c = {0};
  STRATA_TRY(strata_tile_attention_read(b, &c.t));
  STRATA_TRY(plan(b, &c));
  b->widens_choices = true;
  strata_loop_t forall = strata_emit_forall_begin(&b->e, c.batch * c.rows.n_chunks);
  emit_task(b, &c, forall.induction);
  b->space.n_vector = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
