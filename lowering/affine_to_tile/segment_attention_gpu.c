// Attention within sequences on GPUs: attention.c's kernel, of which a task is a tile of rows of one sequence, and a
// head. The tile's row of the table (dialects/affine/segment_attention.h) says where it is and which keys it reads.
//
//   scf.forall (%t) in (tiles * heads) {
//     %first, %own, %keys, %end, %seen = "tile.load" of the table
//     %q = "tile.load" of the rows from %first on
//     %r:3 = scf.for %j = 0 to max(1, ceil(%end / columns)) {
//       %k = "tile.load" of the keys from %keys + %block * columns on ... as in attention.c
//     } {tile.pipeline}
//     %o / %l, "tile.store" of the first %own rows }
//
// A tile without keys has a block all the same, of no columns: its rows are 0. A task may have a part of the tile's
// rows, one of several equal ones. Where threads stage what they multiply the loop is no pipeline.
#include "lowering/affine_to_tile/segment_attention.h"

#include "devices/gpu/mma.h"
#include "dialects/integers.h"
#include "lowering/affine_to_tile/places.h"
#include "lowering/distribute/size_arguments.h"

enum { ROW = STRATA_TILE_ROW, VALUE = STRATA_TILE_VALUE, COLUMN = STRATA_TILE_COLUMN, HEAD = STRATA_TILE_HEAD };
enum { ROWS = 1u << ROW, SCORES = 1u << ROW | 1u << COLUMN, RESULTS = 1u << ROW | 1u << VALUE };

typedef struct {
  strata_tile_attention_t t; // of its attention what the arithmetic asks for
  strata_segment_attention_t a;
  MlirValue fields[STRATA_SEGMENT_TILE_FIELDS];
  MlirValue n_blocks;
  strata_size_t most_blocks;
  MlirAffineExpr end, seen, own; // those fields, own rows and what they see counted from the task's first
  MlirAffineExpr point[STRATA_SEGMENT_DIMS];
} builder_t;

//===-- Places ---------------------------------------------------------------------------------------------------===//

static MlirAffineExpr sum(strata_tile_builder_t *b, MlirAffineExpr x, MlirAffineExpr y) {
  return strata_tile_scaled(b, x, 1, y);
}

static MlirValue load(strata_tile_builder_t *b, const builder_t *c, const strata_place_t *place, MlirAffineExpr step) {
  MlirAffineExpr point[STRATA_SEGMENT_DIMS], coordinates[STRATA_MAX_DIMS];
  memcpy(point, c->point, sizeof point);
  point[STRATA_SEGMENT_STEP] = step;
  int rank = strata_tile_place_coordinates(b, place, point, coordinates);
  return strata_tile_load(b, place->buffer, rank, coordinates).value;
}

// The task's part of the tile; one without rows sees no keys.
static void take_part(strata_tile_builder_t *b, builder_t *c, MlirValue part) {
  MlirValue *fields = c->fields, zero = strata_emit_index(&b->e, 0);
  MlirValue first = strata_emit_binary(&b->e, "arith.muli", part, strata_emit_index(&b->e, b->schedule.tile[0]));
  fields[STRATA_SEGMENT_TILE_FIRST] = strata_emit_binary(&b->e, "arith.addi", fields[STRATA_SEGMENT_TILE_FIRST], first);
  MlirValue own = strata_segment_minus(b, fields[STRATA_SEGMENT_TILE_OWN], first);
  own = fields[STRATA_SEGMENT_TILE_OWN] = strata_emit_binary(&b->e, "arith.maxsi", own, zero);
  MlirValue has_rows = strata_segment_smaller(b, own, strata_emit_index(&b->e, 1));
  fields[STRATA_SEGMENT_TILE_END] = strata_emit_binary(&b->e, "arith.muli", fields[STRATA_SEGMENT_TILE_END], has_rows);
  if (c->a.is_causal)
    fields[STRATA_SEGMENT_TILE_SEEN] = strata_emit_binary(&b->e, "arith.addi", fields[STRATA_SEGMENT_TILE_SEEN], first);
}

// How many blocks of columns: one at least.
static void count_blocks(strata_tile_builder_t *b, builder_t *c) {
  int64_t columns = b->schedule.tile[1];
  MlirValue count = strata_emit_binary(&b->e, "arith.addi", c->fields[STRATA_SEGMENT_TILE_END],
                                       strata_emit_index(&b->e, columns - 1));
  count = strata_emit_binary(&b->e, "arith.divui", count, strata_emit_index(&b->e, columns));
  c->n_blocks = strata_emit_binary(&b->e, "arith.maxsi", count, strata_emit_index(&b->e, 1));
  c->most_blocks = strata_tile_ceil_quotient(b, c->a.n_keys, columns);
}

// Heads fastest: those of a group read the same keys, and tasks of as many keys are neighbours.
static void place_task(strata_tile_builder_t *b, builder_t *c, MlirValue task, strata_size_t n_tiles,
                       strata_size_t n_tasks) {
  int64_t parts = c->a.tile_rows / b->schedule.tile[0];
  MlirAffineExpr number = mlirAffineDimExprGet(b->e.context, 0), heads = strata_tile_constant(b, c->a.heads);
  MlirAffineExpr rest = mlirAffineFloorDivExprGet(number, heads), n_parts = strata_tile_constant(b, parts);
  MlirValue tile = strata_tile_task_part(b, mlirAffineFloorDivExprGet(rest, n_parts), task, n_tasks);
  MlirValue head = strata_tile_task_part(b, mlirAffineModExprGet(number, heads), task, n_tasks);
  MlirAffineExpr at = strata_tile_counter(b, tile, n_tiles);
  for (int i = 0; i <= STRATA_SEGMENT_TILE_SEEN; i++)
    if (i != STRATA_SEGMENT_TILE_SEEN || c->a.is_causal)
      c->fields[i] = strata_segment_field(b, c->a.tiles, at, i);
  c->point[STRATA_SEGMENT_HEAD] = strata_tile_counter(b, head, strata_size_constant(c->a.heads));
  if (parts > 1)
    take_part(b, c, strata_tile_task_part(b, mlirAffineModExprGet(rest, n_parts), task, n_tasks));
  count_blocks(b, c);
}

static void place_rows(strata_tile_builder_t *b, builder_t *c) {
  MlirAffineExpr first = strata_tile_counter(b, c->fields[STRATA_SEGMENT_TILE_FIRST], c->a.n_rows);
  c->point[STRATA_SEGMENT_ROW] = sum(b, first, strata_tile_vector_dim(b, ROW));
  c->point[STRATA_SEGMENT_KEY] = strata_tile_counter(b, c->fields[STRATA_SEGMENT_TILE_KEYS], c->a.n_keys);
  c->own = strata_tile_symbol(b, c->fields[STRATA_SEGMENT_TILE_OWN], c->a.tile_rows + 1);
  c->end =
      strata_tile_counter(b, c->fields[STRATA_SEGMENT_TILE_END], strata_size_sum(c->a.n_keys, strata_size_constant(1)));
  if (c->a.is_causal)
    c->seen = strata_tile_counter(b, c->fields[STRATA_SEGMENT_TILE_SEEN],
                                  strata_size_sum(c->a.n_keys, strata_size_constant(2 * c->a.tile_rows)));
}

//===-- A block of columns ---------------------------------------------------------------------------------------===//

// Nothing where a row, of which each sees one column more than the one in front, sees none.
static strata_tile_value_t cut_rows(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t scores,
                                    MlirAffineExpr block) {
  MlirType index = strata_tile_type(b, mlirIndexTypeGet(b->e.context), SCORES);
  MlirAffineExpr none = {0}, seen = sum(b, c->seen, strata_tile_constant(b, -c->a.tile_rows));
  seen = strata_tile_scaled(b, block, -b->space.extents[COLUMN], seen);
  const strata_tile_value_t columns = {strata_tile_attention_numbers_along(b, COLUMN, none), 1u << COLUMN},
                            rows = {strata_tile_attention_numbers_along(b, ROW, none), ROWS},
                            first = {strata_tile_index(b, seen), 0};
  const MlirValue both[2] = {strata_tile_broadcast(b, columns, SCORES), strata_tile_broadcast(b, rows, SCORES)};
  MlirValue before = strata_emit_value(&b->e, "arith.subi", 2, both, index, 0, NULL);
  scores = strata_tile_attention_choose(b, &c->t, scores, (strata_tile_value_t){before, SCORES}, first);
  if (!b->status)
    strata_set_attr(strata_def(scores.value), "tile.rows", mlirUnitAttrGet(b->e.context));
  return scores;
}

// Nothing where there is no column, which can be in the last block alone, the first to be done; or none that a row
// sees.
static strata_tile_value_t cut(strata_tile_builder_t *b, const builder_t *c, strata_tile_value_t scores,
                               MlirAffineExpr block) {
  int64_t size = b->space.extents[COLUMN];
  MlirAffineExpr left = strata_tile_scaled(b, block, -size, c->end);
  scores = strata_tile_attention_cut(b, &c->t, scores, (strata_tile_value_t){strata_tile_index(b, left), 0});
  if (b->status)
    return scores;
  if (!c->t.is_staged)
    strata_set_attr(strata_def(scores.value), "tile.first", mlirUnitAttrGet(b->e.context));
  if (!c->a.is_causal)
    return scores;
  return cut_rows(b, c, scores, block);
}

static void emit_block(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirAffineExpr block,
                       MlirValue *carried) {
  MlirAffineExpr head = strata_tile_vector_dim(b, HEAD), value = strata_tile_vector_dim(b, VALUE);
  MlirValue keys = load(b, c, &c->a.k, head), zero = strata_tile_attention_numbers(b, 0, SCORES), values = {NULL};
  if (c->t.is_staged && !b->status)
    values = load(b, c, &c->a.v, value);
  if (b->status)
    return;
  strata_tile_value_t scores = {strata_tile_attention_multiply(b, &c->t, STRATA_TILE_PRODUCT, queries, keys, zero),
                                SCORES};
  strata_tile_value_t result = {carried[STRATA_ATTENTION_RESULT], RESULTS}, factor;
  scores = cut(b, c, scores, block);
  if (b->status)
    return;
  strata_tile_value_t weights = strata_tile_attention_softmax(b, &c->t, scores, carried, &factor);
  MlirValue narrow = strata_tile_attention_narrowed(b, &c->t, weights);
  if (!c->t.is_staged)
    values = load(b, c, &c->a.v, value);
  if (b->status)
    return;
  if (!c->t.is_staged) // what is behind the last column is another sequence's
    strata_set_attr(strata_def(values), "tile.first", mlirUnitAttrGet(b->e.context));
  result = strata_tile_attention_binary(b, &c->t, "arith.mulf", result, factor);
  carried[STRATA_ATTENTION_RESULT] =
      strata_tile_attention_multiply(b, &c->t, STRATA_TILE_WEIGHTED, narrow, values, result.value);
}

// From the last block to the first: what is masked comes first.
static void emit_blocks(strata_tile_builder_t *b, builder_t *c, MlirValue queries, MlirValue *carried) {
  MlirContext context = b->e.context;
  MlirValue inside[STRATA_N_ATTENTION_CARRIED];
  int n_bounds = b->n_bounds, n_symbols = b->space.n_symbols;
  strata_tile_known_t *known = b->known;
  MlirAffineExpr first_key = c->point[STRATA_SEGMENT_KEY];
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), c->n_blocks, 1,
                                             STRATA_N_ATTENTION_CARRIED, carried, inside);
  const MlirValue operands[2] = {loop.induction, c->n_blocks};
  MlirAffineExpr number = mlirAffineAddExprGet(mlirAffineDimExprGet(context, 1), strata_tile_constant(b, -1));
  number =
      mlirAffineAddExprGet(number, mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, -1)));
  MlirAffineExpr block = strata_tile_counter(b, strata_tile_index_over(b, number, 2, operands), c->most_blocks);
  MlirAffineExpr column = strata_tile_scaled(b, block, b->space.extents[COLUMN], strata_tile_vector_dim(b, COLUMN));
  c->point[STRATA_SEGMENT_KEY] = sum(b, first_key, column);
  if (c->t.is_staged) { // by threads, which leave out what is another sequence's
    MlirAffineExpr left = strata_tile_scaled(b, block, -b->space.extents[COLUMN], c->end);
    left = sum(b, left, strata_tile_constant(b, -1));
    b->bounds[b->n_bounds++] = strata_tile_scaled(b, strata_tile_vector_dim(b, COLUMN), -1, left);
  } else {
    strata_tile_bound(b, c->point[STRATA_SEGMENT_KEY], c->a.n_keys);
  }
  emit_block(b, c, queries, block, inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, STRATA_N_ATTENTION_CARRIED, inside, carried);
  if (!c->t.is_staged) {
    strata_set_attr(loop.op, "tile.pipeline", mlirUnitAttrGet(context));
    strata_set_attr(loop.op, "tile.most", strata_size_attr(context, c->most_blocks));
  }
  c->point[STRATA_SEGMENT_KEY] = first_key;
  b->n_bounds = n_bounds;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// The tile may hang over the |size| elements along |axis|.
static void bound_tile(strata_tile_builder_t *b, int axis, int64_t size) {
  if (size < b->space.extents[axis])
    strata_tile_bound(b, strata_tile_vector_dim(b, axis), strata_size_constant(size));
}

static void store(strata_tile_builder_t *b, builder_t *c, strata_tile_value_t result) {
  MlirAffineExpr point[STRATA_SEGMENT_DIMS], coordinates[STRATA_MAX_DIMS];
  memcpy(point, c->point, sizeof point);
  point[STRATA_SEGMENT_STEP] = strata_tile_vector_dim(b, VALUE);
  MlirAffineExpr last = sum(b, c->own, strata_tile_constant(b, -1));
  b->n_bounds = 0;
  bound_tile(b, VALUE, c->a.values);
  b->bounds[b->n_bounds++] = strata_tile_scaled(b, strata_tile_vector_dim(b, ROW), -1, last);
  int rank = strata_tile_place_coordinates(b, &c->a.result, point, coordinates);
  strata_tile_store(b, strata_segment_rounded(b, result, c->a.result.buffer), c->a.result.buffer, rank, coordinates);
}

static void emit_task(strata_tile_builder_t *b, builder_t *c) {
  place_rows(b, c);
  strata_tile_bound(b, c->point[STRATA_SEGMENT_ROW], c->a.n_rows);
  bound_tile(b, HEAD, c->a.steps);
  bound_tile(b, VALUE, c->a.values);
  MlirValue queries = load(b, c, &c->a.q, strata_tile_vector_dim(b, HEAD));
  MlirValue carried[STRATA_N_ATTENTION_CARRIED] = {
      strata_tile_attention_numbers(b, strata_tile_attention_lowest(c->t.a.scale), ROWS),
      strata_tile_attention_numbers(b, 0, ROWS),
      strata_tile_attention_numbers(b, 0, RESULTS),
  };
  if (b->status)
    return;
  emit_blocks(b, c, queries, carried);
  if (b->status)
    return;
  const strata_tile_value_t total = {carried[STRATA_ATTENTION_SUM], ROWS},
                            result = {carried[STRATA_ATTENTION_RESULT], RESULTS};
  store(b, c, strata_tile_attention_divide(b, &c->t, result, total));
}

static strata_status_t read_kernel(strata_tile_builder_t *b, builder_t *c) {
  const strata_schedule_t *s = &b->schedule;
  if (!strata_segment_attention_read(b->kernel, &c->a) || mlirValueIsNull(c->a.tiles))
    return strata_error(STRATA_INTERNAL, "no kernel of attention within sequences");
  c->t.is_staged = !s->producers;
  int64_t steps = c->t.is_staged ? strata_attention_staged_side(c->a.steps) : c->a.steps;
  if (s->n_tile != 3 || s->tile[0] < 1 || c->a.tile_rows % s->tile[0] || s->tile[1] < 1 || s->tile[2] < steps ||
      ((!c->t.is_staged || s->mma.length) && !strata_mma_named(s->mma)))
    return strata_error(STRATA_INVALID_ARGUMENT, "attention's tile: expected [a part of %lld, columns, %lld]",
                        (long long)c->a.tile_rows, (long long)steps);
  c->t.n_steps[STRATA_TILE_PRODUCT] = c->a.steps;
  c->t.n_steps[STRATA_TILE_WEIGHTED] = s->tile[1];
  c->t.fast_math = mlirAttributeParseGet(b->e.context, strata_str("#arith.fastmath<reassoc,contract,arcp,afn>"));
  c->t.a.has_softmax = c->t.a.replaces_nan = true;
  c->t.a.scale = c->a.scale;
  c->t.a.type = mlirShapedTypeGetElementType(mlirValueGetType(c->a.q.buffer));
  return NULL;
}

strata_status_t strata_tile_segment_attention_gpu(strata_tile_builder_t *b) {
  builder_t c = {0};
  strata_size_t tiles[STRATA_MAX_DIMS];
  STRATA_TRY(read_kernel(b, &c));
  int64_t values = c.t.is_staged ? strata_attention_staged_side(c.a.values) : c.a.values;
  const int64_t sizes[STRATA_N_TILE_AXES] = {b->schedule.tile[0], values, b->schedule.tile[1], b->schedule.tile[2]};
  strata_memref_sizes(c.a.tiles, tiles);
  int64_t parts = c.a.tile_rows / b->schedule.tile[0];
  strata_size_t n_tasks = strata_size_product(tiles[0], strata_size_constant(parts * c.a.heads));
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  place_task(b, &c, forall.induction, tiles[0], n_tasks);
  b->space.n_vector = STRATA_N_TILE_AXES;
  for (int axis = 0; axis < STRATA_N_TILE_AXES; axis++)
    b->space.extents[axis] = sizes[axis];
  emit_task(b, &c);
  b->space.n_vector = 0;
  b->n_bounds = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
