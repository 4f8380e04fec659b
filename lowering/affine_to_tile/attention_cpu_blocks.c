// Attention on a cpu where rows or columns vary: columns a block at a time, so that what is in scratch is of known
// size.
//
//   scf.forall (%t) in (tasks) {
//     nothing yet: sums 0, maxima the lowest number, results 0
//     scf.for %block = 0 to columns step 512 {
//       keys and values of the block as panels, in scratch
//       scf.for rows, a register tile's {
//         scores; of each row the maximum of all columns so far, exponentials in place of its scores, and by what those
//         in front are to be multiplied; the same for its sum
//         results = results * factors + scf.for columns of the block ... vector.outerproduct } }
//     scf.for rows { results / sums, what follows, "tile.store" } }
//
// The last tile of a block's columns is done as a whole: what of its scores is no column is cut off.
#include "dialects/integers.h"
#include "lowering/affine_to_tile/attention_cpu.h"

#include "lowering/expand/ops.h"
#include "passes/target.h"

enum {
  ROW = STRATA_TILE_ROW,
  VALUE = STRATA_TILE_VALUE,
  PADDING = 16, // so that rows of scratch do not collide in the caches
};

// Tiles of |count| columns, the last one whole.
static MlirValue tiles_of(strata_tile_builder_t *b, const strata_attention_cpu_t *c, MlirValue count) {
  MlirValue up = strata_emit_binary(&b->e, "arith.addi", count, strata_emit_index(&b->e, c->columns.tile - 1));
  return strata_emit_binary(&b->e, "arith.divui", up, strata_emit_index(&b->e, c->columns.tile));
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

static void pack_keys(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *unused) {
  (void)unused;
  strata_attention_cpu_pack_keys(b, size, c->base, c);
}

// Of columns that are not there keys are zero.
static void pack_last_keys(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *unused) {
  b->guard_depth++;
  pack_keys(b, c, size, unused);
  b->guard_depth--;
}

static void pack_block(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  MlirValue whole = strata_emit_binary(&b->e, "arith.divui", c->n_columns, strata_emit_index(&b->e, c->columns.tile));
  strata_attention_cpu_tiles(b, c, (MlirValue){0}, whole, pack_keys, NULL);
  strata_attention_cpu_tiles(b, c, whole, tiles_of(b, c, c->n_columns), pack_last_keys, NULL);
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), c->n_columns, 1, 0, NULL, NULL);
  c->base = strata_tile_symbol(b, loop.induction, c->columns.extent);
  strata_attention_cpu_pack_value_row(b, c);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

//===-- Results --------------------------------------------------------------------------------------------------===//

// Where a tile's results are in scratch.
static void place_of(strata_tile_builder_t *b, const strata_attention_cpu_t *c, MlirAffineExpr base,
                     MlirAffineExpr *out) {
  out[0] = strata_attention_cpu_along(b, ROW, c->local_row);
  out[1] = strata_attention_cpu_along(b, VALUE, base);
}

static void add_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  MlirAffineExpr panel = strata_attention_cpu_panel(b, base, c->values.tile), at[2];
  strata_attention_cpu_axes(b, c->n_rows, size, 1, 1);
  const MlirAffineExpr rows = strata_attention_cpu_along(b, ROW, strata_tile_constant(b, 0));
  uint32_t dims = strata_attention_cpu_long_axes(b, 1u << ROW | 1u << VALUE);
  place_of(b, c, base, at);
  strata_tile_value_t before = strata_tile_load(b, c->results, 2, at),
                      factors = strata_tile_load(b, c->factors, 1, &rows);
  if (b->status)
    return;
  MlirValue sum = strata_tile_broadcast(b, strata_tile_attention_binary(b, &c->t, "arith.mulf", before, factors), dims);
  MlirValue inside;
  strata_attention_scope_t steps = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), c->seen, 1, 1, &sum, &inside);
  strata_attention_cpu_add(b, c, dims, panel, strata_tile_symbol(b, loop.induction, c->columns.extent), &inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, 1, &inside, &sum);
  strata_attention_scope_end(b, steps);
  strata_tile_store(b, (strata_tile_value_t){sum, dims}, c->results, 2, at);
  strata_attention_scope_end(b, scope);
}

static void store_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  MlirAffineExpr at[2];
  strata_attention_cpu_axes(b, c->n_rows, size, 1, 1);
  place_of(b, c, base, at);
  c->t.point[c->t.a.row] = strata_attention_cpu_along(b, ROW, c->first_row);
  c->t.point[c->t.a.value] = strata_attention_cpu_along(b, VALUE, base);
  strata_tile_value_t sums = strata_tile_load(b, c->results, 2, at);
  if (!b->status)
    strata_attention_cpu_store(b, c, sums);
  strata_attention_scope_end(b, scope);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

// A task's rows, |run| being their number among runs.
typedef struct {
  strata_attention_cpu_t *c;
  MlirAffineExpr run;
} rows_t;

static void begin_rows(strata_tile_builder_t *b, const rows_t *rows, int64_t size, MlirAffineExpr base) {
  strata_attention_cpu_t *c = rows->c;
  c->n_rows = size;
  c->first_row = base;
  c->local_row = strata_tile_scaled(b, rows->run, -c->run_rows, base);
}

// The columns of the block that the last of the rows sees.
static MlirValue seen_columns(strata_tile_builder_t *b, const strata_attention_cpu_t *c) {
  const strata_attention_t *a = &c->t.a;
  if (!a->is_causal)
    return c->n_columns;
  MlirAffineExpr seen = strata_tile_scaled(b, c->first_row, 1, strata_tile_attention_offset(b, &c->t, c->n_rows));
  MlirValue end = strata_tile_index(b, strata_tile_scaled(b, c->block, -1, seen));
  return strata_emit_binary(&b->e, "arith.maxsi", strata_emit_binary(&b->e, "arith.minsi", end, c->n_columns),
                            strata_emit_index(&b->e, 0));
}

static void block_of_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  const rows_t *rows = user;
  strata_attention_cpu_t *c = rows->c;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  begin_rows(b, rows, size, base);
  c->seen = seen_columns(b, c);
  MlirValue n_tiles = tiles_of(b, c, c->seen);
  strata_attention_cpu_pack_queries(b, c);
  strata_attention_cpu_tiles(b, c, (MlirValue){0}, n_tiles, strata_attention_cpu_score, NULL);
  strata_attention_cpu_weigh_block(b, c, n_tiles);
  if (!b->status)
    strata_tile_chunk(b, &c->values, (MlirValue){0}, add_tile, c);
  strata_attention_scope_end(b, scope);
}

static void stored_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  const rows_t *rows = user;
  begin_rows(b, rows, size, base);
  strata_tile_chunk(b, &rows->c->values, (MlirValue){0}, store_tile, rows->c);
}

static void clear_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  strata_attention_cpu_axes(b, 1, size, 1, 1);
  uint32_t dims = strata_attention_cpu_long_axes(b, 1u << VALUE);
  const MlirAffineExpr at[2] = {c->row, strata_attention_cpu_along(b, VALUE, base)};
  strata_tile_store(b, (strata_tile_value_t){strata_tile_attention_numbers(b, 0, dims), dims}, c->results, 2, at);
}

static void clear(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  strata_tile_loop_t loop = strata_tile_loop_begin(b, c->run_rows, &c->row);
  strata_tile_chunk(b, &c->values, (MlirValue){0}, clear_tile, c);
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_value_t lowest = strata_tile_attention_number(b, strata_tile_attention_lowest(c->t.a.scale));
  strata_tile_store(b, strata_tile_attention_number(b, 0), c->sums, 1, &c->row);
  strata_tile_store(b, lowest, c->maxima, 1, &c->row);
  strata_tile_loop_end(b, loop);
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

static void allocate(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  int64_t columns = c->columns.extent, rows = c->tile_rows, values = c->values.extent;
  const int64_t queries[2] = {rows, strata_attention_cpu_head(c) + PADDING};
  const int64_t keys[3] = {columns / c->columns.tile, strata_attention_cpu_head(c), c->columns.tile};
  const int64_t panels[3] = {strata_ceil_div(values, c->values.tile), columns, c->values.tile};
  const int64_t scores[2] = {rows, columns + PADDING}, results[2] = {c->run_rows, values};
  c->queries = strata_attention_cpu_scratch(b, 2, queries);
  c->keys = strata_attention_cpu_scratch(b, 3, keys);
  c->panels = strata_attention_cpu_scratch(b, 3, panels);
  c->scores = strata_attention_cpu_scratch(b, 2, scores);
  c->results = strata_attention_cpu_scratch(b, 2, results);
  c->sums = strata_attention_cpu_scratch(b, 1, &c->run_rows);
  c->maxima = strata_attention_cpu_scratch(b, 1, &c->run_rows);
  c->factors = strata_attention_cpu_scratch(b, 1, &rows);
}

static void emit_task(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue run, strata_size_t n_runs) {
  rows_t rows = {.c = c, .run = strata_tile_counter(b, run, n_runs)};
  int64_t widths[STRATA_TILE_WIDTHS];
  int n_widths = strata_tile_widths(c->tile_rows, widths);
  MlirValue first, end, columns = strata_tile_size(b, c->column_size);
  allocate(b, c);
  clear(b, c);
  strata_tile_run_bounds(b, run, c->run_rows, c->row_size, &first, &end);
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop =
      strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), columns, c->columns.extent, 0, NULL, NULL);
  c->block = strata_tile_counter(b, loop.induction, c->column_size);
  c->n_columns =
      strata_emit_binary(&b->e, "arith.minsi", strata_emit_binary(&b->e, "arith.subi", columns, loop.induction),
                         strata_emit_index(&b->e, c->columns.extent));
  pack_block(b, c);
  strata_tile_between(b, first, end, c->row_size, n_widths, widths, block_of_rows, &rows);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
  c->block = strata_tile_constant(b, 0);
  strata_tile_between(b, first, end, c->row_size, n_widths, widths, stored_rows, &rows);
}

static void plan(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  enum { MANY_ROWS = 128 }; // for which operands are worth packing
  const strata_attention_t *a = &c->t.a;
  const strata_schedule_t *s = &b->schedule;
  c->row_size = a->sizes[a->row];
  c->column_size = a->sizes[a->column];
  c->run_rows = strata_round_up(strata_min(MANY_ROWS, strata_size_max(c->row_size)), c->tile_rows);
  int64_t most = strata_min(STRATA_ATTENTION_BLOCK, strata_size_max(c->column_size));
  c->columns = strata_tile_chunks(strata_round_up(most, s->tile[1]), s->tile[1], 1);
  c->values = strata_tile_chunks(strata_attention_cpu_extent(c, a->value), s->tile[2], 1);
  c->packs_once = c->packs_values = true;
}

strata_status_t strata_attention_cpu_blocks(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  plan(b, c);
  strata_size_t n_runs = strata_tile_ceil_quotient(b, c->row_size, c->run_rows);
  strata_size_t n_tasks = strata_size_product(strata_attention_cpu_batches(c, 0), n_runs);
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  MlirAffineExpr digit =
      mlirAffineModExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_size_expr(b->e.context, n_runs));
  c->block = strata_tile_constant(b, 0);
  strata_attention_cpu_place(b, c, 0, forall.induction, n_runs, n_tasks);
  emit_task(b, c, strata_tile_task_part(b, digit, forall.induction, n_tasks), n_runs);
  b->space.n_vector = 0;
  if (!b->status)
    strata_emit_forall_end(&b->e, forall);
  return b->status;
}
