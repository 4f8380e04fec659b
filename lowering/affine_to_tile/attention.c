// Attention on GPUs: both contractions and the softmax between them on tiles of rows, a block of columns at a time.
//
//   scf.forall (%t) in (tasks) {
//     %q = "tile.load" ... : vector<128x64xf16>
//     %r:3 = scf.for %j = 0 to blocks iter_args(%m = lowest, %l = zero, %o = zero) {
//       %k = "tile.load" ... : vector<112x64xf16>   %s = vector.contract %q, %k, zero : vector<128x112xf32>
//       scores of %s: the nests between
//       %m1 = vector.multi_reduction <maximumf>, %scores, %m   %p = exp2 of (%scores - %m1) * log2(e)
//       %a = exp2 of (%m - %m1) * log2(e)                       %l1 = vector.multi_reduction <add>, %p, %l * %a
//       %v = "tile.load" ... : vector<64x112xf16>   %o1 = vector.contract %p, %v, %o * %a : vector<128x64xf32>
//     } {tile.pipeline}
//     %o / %l, what follows, "tile.store" }
//
// The maximum starts at the lowest number, so that columns of -inf alone leave it a number; where it is multiplied, at
// one that stays a number then. What was divided before the second product is divided after it.
//
// Without a softmax a block's scores are its weights, zero where there is no column, and %o is all that is carried.
//
// On multiply-adds it is an ordinary loop around two contractions: their tiles' sides are powers of two, of which
// tile.steps says how many steps there are, and values are loaded in front of the first product.
#include "dialects/affine/attention.h"
#include "dialects/affine/contraction.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "lowering/affine_to_tile/contract.h"
#include "lowering/affine_to_tile/rounding.h"
#include "passes/mma.h"

#include <float.h>
#include <math.h>

// The tile's vector dims.
enum { ROW, VALUE, COLUMN, HEAD, N_AXES };
enum { ROWS = 1u << ROW, SCORES = 1u << ROW | 1u << COLUMN, RESULTS = 1u << ROW | 1u << VALUE };

static const double log2_e = 1.4426950408889634;

typedef struct {
  strata_attention_t a;
  int64_t n_row_tiles, n_column_tiles;
  MlirAttribute fast_math;
  MlirAffineExpr point[STRATA_MAX_DIMS]; // of the canonical dims
  MlirValue row_tile;                    // its number
  MlirAffineExpr row_tile_symbol;
  MlirAffineExpr only_row; // null unless a tile has one row: its place, at which keys and values are read
  bool on_fma;             // no instruction multiplies
  int64_t n_steps[2];      // on_fma: of the first product, the head; of the second, columns
} builder_t;

// What blocks of columns hand on; without a softmax the result alone.
enum { MAXIMUM, SUM, RESULT, N_CARRIED };

// The contractions.
enum { PRODUCT, WEIGHTED };

static int first_carried(const builder_t *c) { return c->a.has_softmax ? 0 : RESULT; }

//===-- Values ---------------------------------------------------------------------------------------------------===//

static strata_tile_value_t number(strata_tile_builder_t *b, double value) {
  MlirType f32 = mlirF32TypeGet(b->e.context);
  MlirAttribute attr = mlirFloatAttrDoubleGet(b->e.context, f32, value);
  return (strata_tile_value_t){strata_emit_constant(&b->e, f32, attr), 0};
}

static MlirValue numbers(strata_tile_builder_t *b, double value, uint32_t dims) {
  return strata_tile_broadcast(b, number(b, value), dims);
}

// An op on f32 over |dims|.
static strata_tile_value_t arithmetic(strata_tile_builder_t *b, const builder_t *c, const char *name, uint32_t dims,
                                      int n, const strata_tile_value_t *operands) {
  MlirValue values[2];
  for (int i = 0; i < n; i++)
    values[i] = strata_tile_broadcast(b, operands[i], dims);
  strata_named_attr_t flags = {"fastmath", c->fast_math};
  MlirType type = strata_tile_type(b, mlirF32TypeGet(b->e.context), dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, name, n, values, type, 1, &flags), dims};
}

static strata_tile_value_t binary(strata_tile_builder_t *b, const builder_t *c, const char *name, strata_tile_value_t x,
                                  strata_tile_value_t y) {
  return arithmetic(b, c, name, x.dims | y.dims, 2, (strata_tile_value_t[]){x, y});
}

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

//===-- Places ---------------------------------------------------------------------------------------------------===//

static MlirAffineMap places(strata_tile_builder_t *b, builder_t *c) {
  return mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, 0, c->a.n_dims, c->point);
}

// The tile's point of a term's nest.
static void point_of(strata_tile_builder_t *b, builder_t *c, const strata_attention_term_t *term,
                     MlirAffineExpr *out_point) {
  for (int i = 0; i < term->nest->n_parallel; i++)
    out_point[i] = strata_tile_simplify(b, mlirAffineExprCompose(term->point[i], places(b, c)));
}

// Tile number |tile| along canonical dim |dim|, and where the dim ends.
static void place_tile(strata_tile_builder_t *b, builder_t *c, int dim, int axis, MlirAffineExpr tile) {
  int64_t extent = c->a.extents[dim], size = b->space.extents[axis];
  c->point[dim] = strata_tile_scaled(b, tile, size, strata_tile_vector_dim(b, axis));
  if (extent % size)
    b->bounds[b->n_bounds++] = strata_tile_scaled(b, c->point[dim], -1, strata_tile_constant(b, extent - 1));
}

// The first of a tile's rows is the one that is placed already; those behind it, other batches', are not stored.
static void place_only_row(strata_tile_builder_t *b, builder_t *c) {
  MlirAffineExpr row = strata_tile_vector_dim(b, ROW);
  c->only_row = c->point[c->a.row];
  c->point[c->a.row] = mlirAffineAddExprGet(c->only_row, row);
  b->bounds[b->n_bounds++] = strata_tile_scaled(b, row, -1, strata_tile_constant(b, 0));
}

static MlirValue task_digit(strata_tile_builder_t *b, MlirValue task, int64_t stride, int64_t extent) {
  MlirAffineExpr t = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_tile_constant(b, stride));
  t = mlirAffineModExprGet(t, strata_tile_constant(b, extent));
  return strata_emit_apply(&b->e, t, 1, &task);
}

// Tasks that run at the same time read the same keys and values: rows fastest.
static void place_task(strata_tile_builder_t *b, builder_t *c, MlirValue task) {
  const strata_attention_t *a = &c->a;
  int64_t stride = c->n_row_tiles;
  for (int dim = a->column; dim-- > 0;) {
    if ((dim == a->row && !a->has_one_row) || dim == a->value || a->extents[dim] == 1)
      continue;
    c->point[dim] = strata_tile_symbol(b, task_digit(b, task, stride, a->extents[dim]), a->extents[dim]);
    stride *= a->extents[dim];
  }
  place_tile(b, c, a->value, VALUE, strata_tile_constant(b, 0));
  place_tile(b, c, a->head, HEAD, strata_tile_constant(b, 0));
  c->row_tile = task_digit(b, task, 1, c->n_row_tiles);
  c->row_tile_symbol = strata_tile_symbol(b, c->row_tile, c->n_row_tiles);
  if (a->has_one_row)
    place_only_row(b, c);
  else
    place_tile(b, c, a->row, ROW, c->row_tile_symbol);
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// An operand over exactly |dims| of the tile, read by a nest at |point|.
static MlirValue operand(strata_tile_builder_t *b, const builder_t *c, int which, const strata_nest_t *nest,
                         const MlirAffineExpr *point, uint32_t dims) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  strata_tile_value_t value = strata_tile_evaluate(b, &frame, c->a.operands[which].factor);
  if (!b->status && value.dims != dims)
    strata_tile_fail(b, "affine-to-tile: an operand of attention that is no matrix");
  return value.value;
}

// Keys and values are those of a tile's only row.
static void leave_rows(builder_t *c) {
  if (!mlirAffineExprIsNull(c->only_row))
    c->point[c->a.row] = c->only_row;
}

static MlirValue queries_or_keys(strata_tile_builder_t *b, builder_t *c, int which, uint32_t dims) {
  const strata_nest_t *nest = c->a.product.nest;
  MlirAffineExpr point[STRATA_MAX_DIMS], rows = c->point[c->a.row];
  if (which == STRATA_ATTENTION_K)
    leave_rows(c);
  point_of(b, c, &c->a.product, point);
  c->point[c->a.row] = rows;
  point[nest->n_parallel] = c->point[c->a.head];
  return operand(b, c, which, nest, point, dims);
}

//===-- Scores ---------------------------------------------------------------------------------------------------===//

// The numbers 0, 1, ... along an axis, and |start| added to them.
static MlirValue numbers_along(strata_tile_builder_t *b, int axis, MlirAffineExpr start) {
  MlirType type = strata_tile_type(b, mlirIndexTypeGet(b->e.context), 1u << axis);
  MlirValue step = strata_emit_value(&b->e, "vector.step", 0, NULL, type, 0, NULL);
  if (mlirAffineExprIsNull(start))
    return step;
  strata_tile_value_t first = {strata_tile_index(b, start), 0};
  MlirValue operands[2] = {step, strata_tile_broadcast(b, first, 1u << axis)};
  return strata_emit_value(&b->e, "arith.addi", 2, operands, type, 0, NULL);
}

// |scores| where |column|, along columns, is less than |end|, which varies along |dims|; else nothing.
static strata_tile_value_t cut_at(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t scores,
                                  strata_tile_value_t end) {
  enum { PREDICATE_SLT = 2 };
  uint32_t dims = end.dims | 1u << COLUMN;
  strata_tile_value_t column = {numbers_along(b, COLUMN, (MlirAffineExpr){0}), 1u << COLUMN};
  MlirValue compared[2] = {strata_tile_broadcast(b, column, dims), strata_tile_broadcast(b, end, dims)};
  MlirType type = strata_tile_type(b, mlirIntegerTypeGet(b->e.context, 1), dims);
  strata_named_attr_t less = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_SLT)};
  strata_tile_value_t exists = {strata_emit_value(&b->e, "arith.cmpi", 2, compared, type, 1, &less), dims};
  MlirValue chosen[3] = {strata_tile_broadcast(b, exists, SCORES), scores.value,
                         numbers(b, c->a.has_softmax ? -INFINITY : 0, SCORES)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.select", 3, chosen, mlirValueGetType(scores.value), 0, NULL), SCORES};
}

// Nothing, -inf or a weight of zero, where there is no column, or none that a row may see.
static strata_tile_value_t cut(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t scores,
                               MlirAffineExpr block) {
  const strata_attention_t *a = &c->a;
  int64_t columns = a->extents[a->column], size = b->space.extents[COLUMN],
          last = strata_attention_rows(a) - 1 + a->offset;
  if (columns % size && (!a->is_causal || last >= columns)) {
    MlirAffineExpr left = strata_tile_scaled(b, block, -size, strata_tile_constant(b, columns));
    scores = cut_at(b, c, scores, (strata_tile_value_t){strata_tile_index(b, left), 0});
  }
  if (a->is_causal) {
    MlirAffineExpr seen =
        strata_tile_scaled(b, c->row_tile_symbol, b->space.extents[ROW], strata_tile_constant(b, a->offset + 1));
    seen = strata_tile_scaled(b, block, -size, seen);
    scores = cut_at(b, c, scores, (strata_tile_value_t){numbers_along(b, ROW, seen), ROWS});
  }
  return scores;
}

// What the nests between make of |value|, which |from| is: |to|.
static strata_tile_value_t derive(strata_tile_builder_t *b, builder_t *c, const strata_attention_term_t *from,
                                  strata_tile_value_t value, const strata_attention_term_t *to) {
  const strata_nest_t *nest = from->nest;
  MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  point_of(b, c, from, point);
  for (int i = 0; i < nest->n_reduction; i++)
    point[nest->n_parallel + i] = strata_tile_constant(b, 0);
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  strata_tile_bind(b, &frame, from->value, value);
  if (to->nest != nest) {
    for (int i = 0; i < nest->n_accesses; i++) {
      const strata_access_t *store = &nest->accesses[i];
      if (!store->is_store)
        continue;
      int rank = strata_tile_access_coordinates(b, nest, store, point, coordinates);
      strata_tile_know(b, store->buffer, rank, coordinates, strata_tile_evaluate(b, &frame, store->value));
    }
    frame = (strata_tile_frame_t){.nest = to->nest, .point = point};
    point_of(b, c, to, point);
  }
  strata_tile_value_t result = strata_tile_evaluate(b, &frame, to->value);
  if (b->status)
    return result;
  result = (strata_tile_value_t){strata_tile_broadcast(b, result, SCORES), SCORES};
  return strata_tile_widened(b, result, mlirF32TypeGet(b->e.context));
}

// What the nests between make of the product, unless that is a factor.
static strata_tile_value_t scores_of(strata_tile_builder_t *b, builder_t *c, strata_tile_value_t product) {
  return c->a.scale != 0 ? product : derive(b, c, &c->a.product, product, &c->a.score);
}

// exp(scale * (value - maximum)): in one multiply-add where the value is a product, which is not infinite.
static strata_tile_value_t exponential(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t value,
                                       strata_tile_value_t maximum) {
  strata_tile_value_t exponent;
  strata_tile_value_t factor = number(b, log2_e * (c->a.scale != 0 ? c->a.scale : 1));
  if (c->a.scale != 0 && value.dims != ROWS) {
    strata_tile_value_t scaled = binary(b, c, "arith.mulf", maximum, factor);
    exponent = binary(b, c, "arith.subf", binary(b, c, "arith.mulf", value, factor), scaled);
  } else {
    exponent = binary(b, c, "arith.mulf", binary(b, c, "arith.subf", value, maximum), factor);
  }
  return arithmetic(b, c, "math.exp2", exponent.dims, 1, &exponent);
}

//===-- A block of columns ---------------------------------------------------------------------------------------===//

// As the second product multiplies them.
static MlirValue narrowed(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t weights) {
  if (mlirTypeIsAF32(c->a.type))
    return weights.value;
  return strata_emit_value(&b->e, "arith.truncf", 1, &weights.value, strata_tile_type(b, c->a.type, SCORES), 0, NULL);
}

static MlirValue multiply(strata_tile_builder_t *b, const builder_t *c, int which, MlirValue left, MlirValue right,
                          MlirValue sum) {
  MlirValue result = strata_tile_emit_contract(b, left, right, sum, b->schedule.mma);
  if (c->on_fma)
    strata_set_attr(strata_def(result), "tile.steps", strata_i64_attr(b->e.context, c->n_steps[which]));
  return result;
}

static MlirValue load_values(strata_tile_builder_t *b, builder_t *c) {
  const strata_nest_t *nest = c->a.weighted;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  MlirAffineExpr rows = c->point[c->a.row];
  leave_rows(c);
  for (int i = 0; i <= nest->n_parallel; i++) // the column last
    point[i] = c->point[i];
  c->point[c->a.row] = rows;
  return operand(b, c, STRATA_ATTENTION_V, nest, point, 1u << VALUE | 1u << COLUMN);
}

// The weighted values, loaded or null, added to |result|.
static MlirValue weigh(strata_tile_builder_t *b, builder_t *c, MlirValue narrow, MlirValue values,
                       strata_tile_value_t result, const strata_tile_value_t *factor) {
  if (mlirValueIsNull(values))
    values = load_values(b, c);
  if (b->status)
    return result.value;
  MlirValue before = factor ? binary(b, c, "arith.mulf", result, *factor).value : result.value;
  return multiply(b, c, WEIGHTED, narrow, values, before);
}

// A block's scores; nothing where there are none.
static strata_tile_value_t block_scores(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirValue keys,
                                        MlirAffineExpr block) {
  strata_tile_value_t product = {multiply(b, c, PRODUCT, queries, keys, numbers(b, 0, SCORES)), SCORES};
  strata_tile_value_t scores = scores_of(b, c, product);
  return b->status ? scores : cut(b, c, scores, block);
}

// Replaces |carried| by what this block makes of it.
static void emit_block(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirAffineExpr block,
                       MlirValue *carried) {
  MlirValue keys = queries_or_keys(b, c, STRATA_ATTENTION_K, 1u << COLUMN | 1u << HEAD), values = {NULL};
  if (c->on_fma && !b->status)
    values = load_values(b, c);
  if (b->status)
    return;
  strata_tile_value_t scores = block_scores(b, c, queries, keys, block), result = {carried[RESULT], RESULTS};
  if (b->status)
    return;
  if (!c->a.has_softmax) {
    carried[RESULT] = weigh(b, c, narrowed(b, c, scores), values, result, NULL);
    return;
  }
  strata_tile_value_t before = {carried[MAXIMUM], ROWS}, sum = {carried[SUM], ROWS};
  strata_tile_value_t maximum = reduce(b, "#vector.kind<maximumf>", scores, before);
  strata_tile_value_t weights = exponential(b, c, scores, maximum), factor = exponential(b, c, before, maximum);
  sum = reduce(b, "#vector.kind<add>", weights, binary(b, c, "arith.mulf", sum, factor));
  carried[MAXIMUM] = maximum.value;
  carried[SUM] = sum.value;
  if (strata_attention_has_factor(&c->a))
    weights = derive(b, c, &c->a.softmax, weights, &c->a.weight);
  if (!b->status)
    carried[RESULT] = weigh(b, c, narrowed(b, c, weights), values, result, &factor);
}

// The blocks of columns that the task's rows see.
typedef struct {
  MlirAffineExpr count; // over the row tile's number, dim 0
  bool is_all;
} seen_t;

static seen_t seen_blocks(strata_tile_builder_t *b, const builder_t *c) {
  int64_t rows = b->space.extents[ROW], columns = b->space.extents[COLUMN], offset = c->a.offset;
  if (!strata_attention_skips(&c->a, rows, columns))
    return (seen_t){strata_tile_constant(b, c->n_column_tiles), true};
  MlirAffineExpr end = mlirAffineMulExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_tile_constant(b, rows));
  end = mlirAffineAddExprGet(end, strata_tile_constant(b, rows + offset + columns - 1));
  MlirAffineExpr count = mlirAffineFloorDivExprGet(end, strata_tile_constant(b, columns));
  return (seen_t){strata_affine_simplify(count, 1, &c->n_row_tiles), false};
}

// The block of an iteration, from the last one to the first: what is masked comes first.
static MlirAffineExpr block_of(strata_tile_builder_t *b, const builder_t *c, const seen_t *seen, MlirValue iteration) {
  if (c->n_column_tiles == 1)
    return strata_tile_constant(b, 0);
  MlirValue operands[2] = {iteration, c->row_tile};
  MlirAffineExpr last =
      mlirAffineAddExprGet(mlirAffineExprShiftDims(seen->count, 1, 1, 0), strata_tile_constant(b, -1));
  MlirAffineExpr number = mlirAffineAddExprGet(
      last, mlirAffineMulExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_tile_constant(b, -1)));
  MlirValue block = strata_emit_apply(&b->e, number, seen->is_all ? 1 : 2, operands);
  return strata_tile_symbol(b, block, c->n_column_tiles);
}

static void emit_blocks(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirValue *carried) {
  MlirValue inside[N_CARRIED];
  int n_bounds = b->n_bounds, n_symbols = b->space.n_symbols;
  strata_tile_known_t *known = b->known;
  seen_t seen = seen_blocks(b, c);
  MlirValue zero = strata_emit_index(&b->e, 0), end = strata_emit_apply(&b->e, seen.count, 1, &c->row_tile);
  int first = first_carried(c), n = N_CARRIED - first;
  strata_loop_t loop = strata_emit_for_begin(&b->e, zero, end, 1, n, carried + first, inside + first);
  MlirAffineExpr block = block_of(b, c, &seen, loop.induction);
  place_tile(b, c, c->a.column, COLUMN, block);
  emit_block(b, c, queries, block, inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, n, inside + first, carried + first);
  if (!c->on_fma)
    strata_set_attr(loop.op, "tile.pipeline", mlirUnitAttrGet(b->e.context));
  if (!c->on_fma && !seen.is_all)
    strata_set_attr(loop.op, "tile.most", strata_i64_attr(b->e.context, c->n_column_tiles));
  b->n_bounds = n_bounds;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// result / sum; zero instead of a row that is NaN, if that was asked for.
static strata_tile_value_t divide(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t result,
                                  strata_tile_value_t sum) {
  strata_tile_value_t inverse = binary(b, c, "arith.divf", (strata_tile_value_t){numbers(b, 1, ROWS), ROWS}, sum);
  strata_tile_value_t quotient = binary(b, c, "arith.mulf", result, inverse);
  if (!c->a.replaces_nan)
    return quotient;
  enum { PREDICATE_OGT = 2 };
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1);
  MlirValue compared[2] = {sum.value, numbers(b, 0, ROWS)};
  strata_named_attr_t greater = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_OGT)};
  strata_tile_value_t exists = {
      strata_emit_value(&b->e, "arith.cmpf", 2, compared, strata_tile_type(b, i1, ROWS), 1, &greater), ROWS};
  MlirValue chosen[3] = {strata_tile_broadcast(b, exists, RESULTS), quotient.value, numbers(b, 0, RESULTS)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.select", 3, chosen, mlirValueGetType(quotient.value), 0, NULL), RESULTS};
}

static void emit_task(strata_tile_builder_t *b, builder_t *c) {
  MlirValue queries = queries_or_keys(b, c, STRATA_ATTENTION_Q, 1u << ROW | 1u << HEAD);
  if (b->status)
    return;
  double lowest = c->a.scale != 0 ? -FLT_MAX / fmax(2, 2 * log2_e * c->a.scale) : -FLT_MAX;
  MlirValue carried[N_CARRIED];
  if (c->a.has_softmax) {
    carried[MAXIMUM] = numbers(b, lowest, ROWS);
    carried[SUM] = numbers(b, 0, ROWS);
  }
  carried[RESULT] = numbers(b, 0, RESULTS);
  emit_blocks(b, c, queries, carried);
  if (b->status)
    return;
  strata_tile_value_t result = {carried[RESULT], RESULTS};
  if (c->a.has_softmax)
    result = divide(b, c, result, (strata_tile_value_t){carried[SUM], ROWS});
  strata_contraction_kernel_t weighted = {.kernel = b->kernel, .nest = c->a.weighted, .store = c->a.store};
  c->point[c->a.column] = strata_tile_constant(b, 0);
  result = strata_tile_contract_result(b, &weighted, c->point, result);
  if (!b->status)
    strata_tile_contract_stores(b, &weighted, c->point, result);
}

static strata_status_t check_schedule(const strata_tile_builder_t *b, const builder_t *c) {
  const strata_schedule_t *s = &b->schedule;
  int64_t head = strata_attention_head_steps(&c->a, c->on_fma);
  if (s->n_tile != 3 || s->tile[0] < 1 || s->tile[1] < 1 || s->tile[2] != head)
    return strata_error(STRATA_INVALID_ARGUMENT, "attention's tile: expected [rows, columns, %lld]", (long long)head);
  if (!c->on_fma && !strata_mma_named(s->mma))
    return strata_error(STRATA_INVALID_ARGUMENT, "no matrix instruction '%.*s'", (int)s->mma.length, s->mma.data);
  return NULL;
}

strata_status_t strata_tile_attention(strata_tile_builder_t *b) {
  builder_t c = {.fast_math =
                     mlirAttributeParseGet(b->e.context, strata_str("#arith.fastmath<reassoc,contract,arcp,afn>"))};
  const char *why;
  if (!strata_attention_read(b->kernel, &c.a, &why))
    return strata_error(STRATA_UNSUPPORTED, "no attention: %s", why ? why : "other nests");
  c.on_fma = !b->schedule.mma.length;
  STRATA_TRY(check_schedule(b, &c));
  const int64_t sizes[N_AXES] = {b->schedule.tile[0], strata_attention_value_columns(&c.a, c.on_fma),
                                 b->schedule.tile[1], b->schedule.tile[2]};
  c.n_steps[PRODUCT] = c.a.extents[c.a.head];
  c.n_steps[WEIGHTED] = strata_min(c.a.extents[c.a.column], sizes[COLUMN]);
  c.n_row_tiles = strata_ceil_div(strata_attention_rows(&c.a), sizes[ROW]);
  c.n_column_tiles = strata_ceil_div(c.a.extents[c.a.column], sizes[COLUMN]);
  for (int i = 0; i < STRATA_MAX_DIMS; i++)
    c.point[i] = strata_tile_constant(b, 0);
  strata_loop_t forall = strata_emit_forall_begin(&b->e, strata_attention_batch(&c.a) * c.n_row_tiles);
  b->space.n_vector = N_AXES;
  b->widens_choices = true;
  for (int axis = 0; axis < N_AXES; axis++)
    b->space.extents[axis] = sizes[axis];
  place_task(b, &c, forall.induction);
  emit_task(b, &c);
  b->space.n_vector = 0;
  b->n_bounds = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
