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
// Where the threads that multiply stage the operands it is an ordinary loop around two contractions: their tiles' sides
// are powers of two, of which tile.steps says how many steps there are, and values are loaded in front of the first
// product.
#include "lowering/affine_to_tile/attention.h"
#include "devices/gpu/mma.h"
#include "dialects/affine/contraction.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/affine_to_tile/contract.h"
#include "lowering/distribute/size_arguments.h"

#include <math.h>

// The tile's vector dims.
enum {
  ROW = STRATA_TILE_ROW,
  VALUE = STRATA_TILE_VALUE,
  COLUMN = STRATA_TILE_COLUMN,
  HEAD = STRATA_TILE_HEAD,
  N_AXES = STRATA_N_TILE_AXES
};
enum { ROWS = 1u << ROW, SCORES = 1u << ROW | 1u << COLUMN, RESULTS = 1u << ROW | 1u << VALUE };

typedef struct {
  strata_tile_attention_t t;
  strata_size_t n_row_tiles, n_column_tiles;
  bool is_partial;    // another kernel makes the results of what this one leaves
  int64_t n_parts;    // that a tile's columns are cut into, a task each
  MlirValue part;     // its number; null: there is one
  MlirValue is_empty; // 1 of a part that has no blocks, else 0; null: all have some
  MlirValue row_tile; // its number
  MlirAffineExpr row_tile_symbol;
  MlirAffineExpr only_row; // null unless a tile has one row: its place, at which keys and values are read
} builder_t;

// What blocks of columns hand on; without a softmax the result alone.
enum {
  MAXIMUM = STRATA_ATTENTION_MAXIMUM,
  SUM = STRATA_ATTENTION_SUM,
  RESULT = STRATA_ATTENTION_RESULT,
  N_CARRIED = STRATA_N_ATTENTION_CARRIED
};

static int first_carried(const builder_t *c) { return c->t.a.has_softmax ? 0 : RESULT; }

//===-- Places ---------------------------------------------------------------------------------------------------===//

// Tile number |tile| along canonical dim |dim|, and where the dim ends.
static void place_tile(strata_tile_builder_t *b, builder_t *c, int dim, int axis, MlirAffineExpr tile) {
  int64_t size = b->space.extents[axis];
  c->t.point[dim] = strata_tile_scaled(b, tile, size, strata_tile_vector_dim(b, axis));
  if (!strata_size_divides(size, c->t.a.sizes[dim]))
    strata_tile_bound(b, c->t.point[dim], c->t.a.sizes[dim]);
}

// The first of a tile's rows is the one that is placed already; those behind it, other batches', are not stored.
static void place_only_row(strata_tile_builder_t *b, builder_t *c) {
  MlirAffineExpr row = strata_tile_vector_dim(b, ROW);
  c->only_row = c->t.point[c->t.a.row];
  c->t.point[c->t.a.row] = mlirAffineAddExprGet(c->only_row, row);
  b->bounds[b->n_bounds++] = strata_tile_scaled(b, row, -1, strata_tile_constant(b, 0));
}

// Tasks that run at the same time read the same keys and values: rows fastest.
static void place_task(strata_tile_builder_t *b, builder_t *c, MlirValue task) {
  const strata_attention_t *a = &c->t.a;
  strata_size_t parts = strata_size_constant(c->n_parts);
  strata_tile_attention_place(b, &c->t, 0, task, strata_size_product(c->n_row_tiles, parts));
  if (c->n_parts > 1)
    c->part = strata_tile_attention_digit(b, &c->t, task, c->n_row_tiles, parts, false);
  place_tile(b, c, a->value, VALUE, strata_tile_constant(b, 0));
  place_tile(b, c, a->head, HEAD, strata_tile_constant(b, 0));
  c->row_tile = strata_tile_attention_digit(b, &c->t, task, strata_size_constant(1), c->n_row_tiles,
                                            strata_size_is_one(strata_attention_batches(a)));
  c->row_tile_symbol = strata_tile_counter(b, c->row_tile, c->n_row_tiles);
  if (a->has_one_row)
    place_only_row(b, c);
  else
    place_tile(b, c, a->row, ROW, c->row_tile_symbol);
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// An operand over exactly |dims| of the tile. Keys and values are those of a tile's only row.
static MlirValue operand(strata_tile_builder_t *b, const builder_t *c, int which, uint32_t dims) {
  strata_tile_attention_t t = c->t;
  if (which != STRATA_ATTENTION_Q && !mlirAffineExprIsNull(c->only_row))
    t.point[t.a.row] = c->only_row;
  strata_tile_value_t value = strata_tile_attention_operand(b, &t, which);
  if (!b->status && value.dims != dims)
    strata_tile_fail(b, "affine-to-tile: an operand of attention that is no matrix");
  return value.value;
}

//===-- Scores ---------------------------------------------------------------------------------------------------===//

// Nothing, -inf or a weight of zero, where there is no column, or none that a row may see.
static strata_tile_value_t cut(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t scores,
                               MlirAffineExpr block) {
  const strata_attention_t *a = &c->t.a;
  strata_size_t columns = a->sizes[a->column];
  int64_t size = b->space.extents[COLUMN];
  bool skips = strata_attention_skips(a, b->space.extents[ROW], size);
  if (!strata_size_divides(size, columns) && (!a->is_causal || !a->sees_columns)) {
    MlirAffineExpr left = strata_tile_scaled(b, block, -size, strata_size_expr(b->e.context, columns));
    scores = strata_tile_attention_cut(b, &c->t, scores, (strata_tile_value_t){strata_tile_index(b, left), 0});
    // Of numbers that is seen in what the block's number is.
    if (strata_size_varies(columns) && !skips && !c->t.is_staged)
      strata_set_attr(strata_def(scores.value), "tile.first", mlirUnitAttrGet(b->e.context));
  }
  if (a->is_causal) {
    MlirAffineExpr seen = strata_tile_attention_offset(b, &c->t, 1);
    seen = strata_tile_scaled(b, c->row_tile_symbol, b->space.extents[ROW], seen);
    seen = strata_tile_scaled(b, block, -size, seen);
    scores = strata_tile_attention_cut(b, &c->t, scores,
                                       (strata_tile_value_t){strata_tile_attention_numbers_along(b, ROW, seen), ROWS});
  }
  return scores;
}

// What the nests between make of the product, unless that is a factor. Scores that do not exist are cut off afterwards.
static strata_tile_value_t scores_of(strata_tile_builder_t *b, builder_t *c, strata_tile_value_t product) {
  if (c->t.a.scale != 0)
    return product;
  b->reads_beyond = b->sizes.count > 0;
  product = strata_tile_attention_derive(b, &c->t, &c->t.a.product, product, &c->t.a.score, SCORES);
  b->reads_beyond = false;
  return product;
}

//===-- A block of columns ---------------------------------------------------------------------------------------===//

static MlirValue load_values(strata_tile_builder_t *b, const builder_t *c) {
  return operand(b, c, STRATA_ATTENTION_V, 1u << VALUE | 1u << COLUMN);
}

// The weighted values, loaded or null, added to |result|.
static MlirValue weigh(strata_tile_builder_t *b, builder_t *c, MlirValue narrow, MlirValue values,
                       strata_tile_value_t result, const strata_tile_value_t *factor) {
  if (mlirValueIsNull(values))
    values = load_values(b, c);
  if (b->status)
    return result.value;
  MlirValue before =
      factor ? strata_tile_attention_binary(b, &c->t, "arith.mulf", result, *factor).value : result.value;
  return strata_tile_attention_multiply(b, &c->t, STRATA_TILE_WEIGHTED, narrow, values, before);
}

// A block's scores; nothing where there are none.
static strata_tile_value_t block_scores(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirValue keys,
                                        MlirAffineExpr block) {
  MlirValue zero = strata_tile_attention_numbers(b, 0, SCORES);
  strata_tile_value_t product = {strata_tile_attention_multiply(b, &c->t, STRATA_TILE_PRODUCT, queries, keys, zero),
                                 SCORES};
  strata_tile_value_t scores = scores_of(b, c, product);
  return b->status ? scores : cut(b, c, scores, block);
}

// Replaces |carried| by what this block makes of it.
static void emit_block(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirAffineExpr block,
                       MlirValue *carried) {
  MlirValue keys = operand(b, c, STRATA_ATTENTION_K, 1u << COLUMN | 1u << HEAD), values = {NULL};
  if (c->t.is_staged && !b->status)
    values = load_values(b, c);
  if (b->status)
    return;
  strata_tile_value_t scores = block_scores(b, c, queries, keys, block), result = {carried[RESULT], RESULTS};
  if (b->status)
    return;
  if (!c->t.a.has_softmax) {
    carried[RESULT] = weigh(b, c, strata_tile_attention_narrowed(b, &c->t, scores), values, result, NULL);
    return;
  }
  strata_tile_value_t factor, weights = strata_tile_attention_softmax(b, &c->t, scores, carried, &factor);
  if (strata_attention_has_factor(&c->t.a))
    weights = strata_tile_attention_derive(b, &c->t, &c->t.a.softmax, weights, &c->t.a.weight, SCORES);
  if (!b->status)
    carried[RESULT] = weigh(b, c, strata_tile_attention_narrowed(b, &c->t, weights), values, result, &factor);
}

// The blocks of columns that the task's rows see, or that are its part.
typedef struct {
  MlirAffineExpr count, end; // how many, and behind the last of them: over |of|, dim 0
  MlirValue of;              // the number of the row tile, or of the part
  strata_size_t most, last;  // greatest count and end
  bool is_all;               // as many for all
} seen_t;

// What the last tile of rows sees.
static strata_size_t most_blocks(const strata_tile_builder_t *b, const builder_t *c, MlirAffineExpr count) {
  MlirContext context = b->e.context;
  if (!strata_size_varies(c->n_row_tiles) && !strata_size_varies(c->n_column_tiles))
    return c->n_column_tiles;
  MlirAffineExpr last =
      mlirAffineAddExprGet(strata_size_expr(context, c->n_row_tiles), mlirAffineConstantExprGet(context, -1));
  const strata_space_t space = {0, NULL, b->sizes.count, b->sizes.sizes};
  count = mlirAffineExprCompose(count, mlirAffineMapGet(context, 0, b->sizes.count, 1, &last));
  return strata_size_of_expr(&b->sizes, strata_affine_simplify(count, &space));
}

// Parts are of as many blocks, or one more. Where there may be fewer blocks than parts, one that has none does the
// block that it begins at, which is another's, and counts for nothing (store_part): a pipeline has a step at least.
static seen_t part_blocks(strata_tile_builder_t *b, builder_t *c) {
  MlirContext context = b->e.context;
  MlirAffineExpr part = mlirAffineDimExprGet(context, 0), n_parts = strata_tile_constant(b, c->n_parts);
  MlirAffineExpr all = strata_size_expr(context, c->n_column_tiles), start = mlirAffineMulExprGet(part, all);
  MlirAffineExpr end = mlirAffineAddExprGet(start, all);
  start = mlirAffineFloorDivExprGet(start, n_parts);
  end = mlirAffineFloorDivExprGet(end, n_parts);
  const strata_size_t parts = strata_size_constant(c->n_parts),
                      most = strata_size_ceil_div(c->n_column_tiles, c->n_parts);
  const strata_space_t space = {1, &parts, b->sizes.count, b->sizes.sizes};
  MlirAffineExpr less = mlirAffineMulExprGet(start, strata_tile_constant(b, -1));
  MlirAffineExpr count = mlirAffineAddExprGet(end, less);
  if (strata_size_min(c->n_column_tiles) < c->n_parts) {
    MlirAffineExpr limit = strata_tile_constant(b, strata_max(strata_size_max(most), 1));
    MlirAffineExpr none = mlirAffineMulExprGet(count, strata_tile_constant(b, -1));
    none = mlirAffineFloorDivExprGet(mlirAffineAddExprGet(none, limit), limit);
    c->is_empty = strata_tile_index_of(b, strata_affine_simplify(none, &space), c->part);
    count = mlirAffineAddExprGet(count, none);
    end = mlirAffineAddExprGet(end, none);
  }
  return (seen_t){strata_affine_simplify(count, &space),
                  strata_affine_simplify(end, &space),
                  c->part,
                  most,
                  c->n_column_tiles,
                  strata_size_divides(c->n_parts, c->n_column_tiles)};
}

static seen_t seen_blocks(strata_tile_builder_t *b, builder_t *c) {
  MlirContext context = b->e.context;
  int64_t rows = b->space.extents[ROW], columns = b->space.extents[COLUMN];
  const strata_space_t space = {1, &c->n_row_tiles, b->sizes.count, b->sizes.sizes};
  if (c->n_parts > 1)
    return part_blocks(b, c);
  if (!strata_attention_skips(&c->t.a, rows, columns)) {
    MlirAffineExpr all = strata_size_expr(context, c->n_column_tiles);
    return (seen_t){all, all, c->row_tile, c->n_column_tiles, c->n_column_tiles, true};
  }
  MlirAffineExpr end = mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, rows));
  end = mlirAffineAddExprGet(end, strata_tile_attention_offset(b, &c->t, rows + columns - 1));
  MlirAffineExpr count = mlirAffineFloorDivExprGet(end, strata_tile_constant(b, columns));
  count = strata_affine_simplify(count, &space);
  strata_size_t most = most_blocks(b, c, count);
  return (seen_t){count, count, c->row_tile, most, most, false};
}

// The block of an iteration, from the last one to the first: what is masked comes first.
static MlirAffineExpr block_of(strata_tile_builder_t *b, const builder_t *c, const seen_t *seen, MlirValue iteration) {
  if (strata_size_is_one(seen->last))
    return strata_tile_constant(b, 0);
  MlirValue operands[2] = {iteration, seen->of};
  MlirAffineExpr last = mlirAffineAddExprGet(mlirAffineExprShiftDims(seen->end, 1, 1, 0), strata_tile_constant(b, -1));
  MlirAffineExpr number = mlirAffineAddExprGet(
      last, mlirAffineMulExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_tile_constant(b, -1)));
  MlirValue block = strata_tile_index_over(b, number, seen->is_all && c->n_parts == 1 ? 1 : 2, operands);
  return strata_tile_counter(b, block, seen->last);
}

// What of a tile's rows exists, where the rest of them would be more than half of what is computed between the
// products. Those over caches of 16 bits wait for memory as it is.
static void note_rows(strata_tile_builder_t *b, const builder_t *c, MlirOperation loop) {
  enum { FEW_ROWS = 8 }; // that a thread holds apart from the others
  const strata_attention_t *a = &c->t.a;
  strata_size_t all = a->sizes[a->row];
  int64_t rows = a->has_one_row ? 1 : strata_size_max(all);
  if (!c->t.is_staged && rows <= FEW_ROWS && strata_attention_widens(a))
    strata_set_attr(loop, STRATA_TILE_FEW, strata_i64_attr(b->e.context, rows));
}

static void emit_blocks(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirValue *carried) {
  MlirValue inside[N_CARRIED];
  int n_bounds = b->n_bounds, n_symbols = b->space.n_symbols;
  strata_tile_known_t *known = b->known;
  seen_t seen = seen_blocks(b, c);
  MlirValue zero = strata_emit_index(&b->e, 0),
            end = seen.is_all ? strata_tile_size(b, seen.most) : strata_tile_index_of(b, seen.count, seen.of);
  int first = first_carried(c), n = N_CARRIED - first;
  strata_loop_t loop = strata_emit_for_begin(&b->e, zero, end, 1, n, carried + first, inside + first);
  MlirAffineExpr block = block_of(b, c, &seen, loop.induction);
  place_tile(b, c, c->t.a.column, COLUMN, block);
  emit_block(b, c, queries, block, inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, n, inside + first, carried + first);
  if (!c->t.is_staged)
    strata_set_attr(loop.op, "tile.pipeline", mlirUnitAttrGet(b->e.context));
  if (!c->t.is_staged && !seen.is_all)
    strata_set_attr(loop.op, "tile.most", strata_size_attr(b->e.context, seen.most));
  note_rows(b, c, loop.op);
  b->n_bounds = n_bounds;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// Where a part leaves what it has of a row: parts of a batch, and heads, beside one another.
static int partial_place(strata_tile_builder_t *b, const builder_t *c, MlirAffineExpr *out_place) {
  const strata_attention_t *a = &c->t.a;
  MlirAffineExpr batch = strata_tile_constant(b, 0), part = batch;
  if (c->n_parts > 1)
    part = strata_tile_counter(b, c->part, strata_size_constant(c->n_parts));
  for (int dim = 0; dim < a->column; dim++)
    if (strata_attention_is_batch(a, dim))
      batch = strata_tile_scaled(b, batch, strata_attention_static_extent(a, dim),
                                 dim == a->row ? c->only_row : c->t.point[dim]);
  out_place[0] = strata_tile_scaled(b, batch, c->n_parts, part);
  out_place[1] = a->has_one_row ? strata_tile_vector_dim(b, ROW) : c->t.point[a->row];
  return 2;
}

// What affine-split-attention gave the kernel memory for: sums that are not divided, maxima as exponents of two, sums
// of weights.
static void store_part(strata_tile_builder_t *b, builder_t *c, const MlirValue *carried) {
  MlirAffineExpr place[3];
  int rank = partial_place(b, c, place);
  MlirBlock entry = strata_func_body(b->kernel->func);
  intptr_t first = mlirBlockGetNumArguments(entry) - STRATA_N_ATTENTION_CARRIED;
  MlirValue buffers[N_CARRIED];
  for (int i = 0; i < N_CARRIED; i++)
    buffers[i] = mlirBlockGetArgument(entry, first + i);
  strata_tile_value_t maximum = strata_tile_attention_exponent(b, &c->t, (strata_tile_value_t){carried[MAXIMUM], ROWS});
  if (!mlirValueIsNull(c->is_empty))
    maximum = strata_tile_attention_choose(b, &c->t, maximum, (strata_tile_value_t){c->is_empty, 0},
                                           (strata_tile_value_t){strata_emit_index(&b->e, 1), 0});
  strata_tile_store(b, maximum, buffers[MAXIMUM], rank, place);
  strata_tile_store(b, (strata_tile_value_t){carried[SUM], ROWS}, buffers[SUM], rank, place);
  place[rank] = c->t.point[c->t.a.value];
  strata_tile_store(b, (strata_tile_value_t){carried[RESULT], RESULTS}, buffers[RESULT], rank + 1, place);
}

static void store_results(strata_tile_builder_t *b, builder_t *c, const MlirValue *carried) {
  strata_tile_value_t result = {carried[RESULT], RESULTS};
  if (c->t.a.has_softmax) {
    strata_tile_value_t sum = {carried[SUM], ROWS}, maximum = {carried[MAXIMUM], ROWS};
    sum = strata_tile_attention_with_sink(b, &c->t, sum, maximum);
    if (b->status)
      return;
    result = strata_tile_attention_divide(b, &c->t, result, sum);
  }
  strata_contraction_kernel_t weighted = {.kernel = b->kernel, .nest = c->t.a.weighted, .store = c->t.a.store};
  c->t.point[c->t.a.column] = strata_tile_constant(b, 0);
  result = strata_tile_contract_result(b, &weighted, c->t.point, result);
  if (!b->status)
    strata_tile_contract_stores(b, &weighted, c->t.point, result);
}

static void emit_task(strata_tile_builder_t *b, builder_t *c) {
  MlirValue queries = operand(b, c, STRATA_ATTENTION_Q, 1u << ROW | 1u << HEAD);
  if (b->status)
    return;
  MlirValue carried[N_CARRIED];
  if (c->t.a.has_softmax) {
    carried[MAXIMUM] = strata_tile_attention_numbers(b, strata_tile_attention_lowest(c->t.a.scale), ROWS);
    carried[SUM] = strata_tile_attention_numbers(b, 0, ROWS);
  }
  carried[RESULT] = strata_tile_attention_numbers(b, 0, RESULTS);
  emit_blocks(b, c, queries, carried);
  if (b->status)
    return;
  if (c->is_partial)
    store_part(b, c, carried);
  else
    store_results(b, c, carried);
}

static strata_status_t check_schedule(const strata_tile_builder_t *b, const builder_t *c) {
  const strata_schedule_t *s = &b->schedule;
  int64_t head = strata_attention_head_steps(&c->t.a, c->t.is_staged);
  if (s->n_tile != 3 || s->tile[0] < 1 || s->tile[1] < 1 || s->tile[2] != head)
    return strata_error(STRATA_INVALID_ARGUMENT, "attention's tile: expected [rows, columns, %lld]", (long long)head);
  if ((!c->t.is_staged || s->mma.length) && !strata_mma_named(s->mma))
    return strata_error(STRATA_INVALID_ARGUMENT, "no matrix instruction '%.*s'", (int)s->mma.length, s->mma.data);
  if (s->splits > 0 && !strata_attention_may_split(&c->t.a, s->tile[0], s->tile[1], s->splits))
    return strata_error(STRATA_INVALID_ARGUMENT, "attention that cannot be cut into %lld parts", (long long)s->splits);
  if (c->t.a.joint > 0 && !s->splits)
    return strata_error(STRATA_INVALID_ARGUMENT, "keys that are joined by a kernel without another one behind it");
  return NULL;
}

strata_status_t strata_tile_attention(strata_tile_builder_t *b) {
  if (!b->schedule.threads)
    return strata_tile_attention_cpu(b);
  builder_t c = {0};
  STRATA_TRY(strata_tile_attention_read(b, &c.t));
  strata_attention_row_of_batches(&c.t.a);
  strata_attention_leave_rest(&c.t.a);
  c.t.is_staged = !b->schedule.producers;
  STRATA_TRY(check_schedule(b, &c));
  const int64_t sizes[N_AXES] = {b->schedule.tile[0], strata_attention_value_columns(&c.t.a, c.t.is_staged),
                                 b->schedule.tile[1], b->schedule.tile[2]};
  c.t.n_steps[STRATA_TILE_PRODUCT] = strata_attention_static_extent(&c.t.a, c.t.a.head);
  c.t.n_steps[STRATA_TILE_WEIGHTED] = strata_min(strata_size_max(c.t.a.sizes[c.t.a.column]), sizes[COLUMN]);
  c.n_row_tiles = strata_tile_ceil_quotient(b, strata_attention_rows(&c.t.a), sizes[ROW]);
  c.n_column_tiles = strata_tile_ceil_quotient(b, c.t.a.sizes[c.t.a.column], sizes[COLUMN]);
  c.is_partial = b->schedule.splits > 0;
  c.n_parts = c.is_partial ? b->schedule.splits : 1;
  c.t.n_tasks = strata_size_product(strata_attention_batches(&c.t.a), c.n_row_tiles);
  c.t.n_tasks = strata_size_product(c.t.n_tasks, strata_size_constant(c.n_parts));
  strata_loop_t forall = strata_tile_tasks_begin(b, c.t.n_tasks);
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
