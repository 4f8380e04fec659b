// Attention within sequences on a cpu. A task is a window of rows of one head, whatever sequences they are of: as many
// tasks as there are rows, however long sequences are. In each sequence that has rows in the window, keys pass by a
// tile at a time, and what the rows have gathered so far is scaled when their maximum grows.
//
//   scf.forall (%t) in (windows * heads) {
//     scf.for %s = sequence of the first row to that of the last {
//       queries in scratch, times scale
//       scf.for %c = first key to last, by a tile {
//         scf.for panels { keys as a panel in scratch   scf.for rows { %acc = scf.for %d ... vector.outerproduct } }
//         scf.for %i = 0 to rows { maximum of a row; exponentials in place of its scores, and their sum }
//         scf.for rows { %acc = results * factor   scf.for %j = 0 to keys ... vector.outerproduct } }
//       scf.for rows { "tile.store" results / sum } } }
//
// Panels hold whole tiles; behind a sequence's keys they are anything, and the scores are cut.
#include "lowering/affine_to_tile/segment_attention.h"

#include "dialects/integers.h"
#include "lowering/affine_to_tile/places.h"
#include "lowering/affine_to_tile/rounding.h"
#include "passes/target.h"

enum { ROW = STRATA_TILE_ROW, VALUE = STRATA_TILE_VALUE, COLUMN = STRATA_TILE_COLUMN, HEAD = STRATA_TILE_HEAD };

enum { PADDING = 16 }; // so that rows of scratch do not collide in the caches

//===-- Indices --------------------------------------------------------------------------------------------------===//

static MlirValue larger(strata_tile_builder_t *b, MlirValue x, MlirValue y) {
  return strata_emit_binary(&b->e, "arith.maxsi", x, y);
}
static MlirValue plus(strata_tile_builder_t *b, MlirValue x, MlirValue y) {
  return strata_emit_binary(&b->e, "arith.addi", x, y);
}

static MlirValue chosen(strata_tile_builder_t *b, MlirValue x, MlirValue y, MlirValue equal, MlirValue other) {
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), 0)};
  MlirValue is_equal = strata_emit_value(&b->e, "arith.cmpi", 2, (MlirValue[]){x, y},
                                         mlirIntegerTypeGet(b->e.context, 1), 1, &predicate);
  return strata_emit_value(&b->e, "arith.select", 3, (MlirValue[]){is_equal, equal, other},
                           mlirIndexTypeGet(b->e.context), 0, NULL);
}

// The element of a table of numbers at |at|.
static MlirValue entry(strata_tile_builder_t *b, const strata_place_t *place, MlirAffineExpr at) {
  b->space.n_vector = 0;
  strata_tile_value_t value = strata_tile_load(b, place->buffer, 1, &at);
  return strata_emit_value(&b->e, "arith.index_cast", 1, &value.value, mlirIndexTypeGet(b->e.context), 0, NULL);
}

typedef struct {
  MlirValue begin, end;
} span_t;

// The span of sequence |at|, clamped.
static span_t span_of(strata_tile_builder_t *b, const strata_place_t *offsets, MlirAffineExpr at, strata_size_t count) {
  MlirValue total = strata_tile_size(b, count);
  MlirValue begin = strata_segment_smaller(b, larger(b, entry(b, offsets, at), strata_emit_index(&b->e, 0)), total);
  MlirAffineExpr next = strata_tile_scaled(b, at, 1, strata_tile_constant(b, 1));
  return (span_t){begin, strata_segment_smaller(b, larger(b, entry(b, offsets, next), begin), total)};
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

static strata_tile_value_t load_place(strata_tile_builder_t *b, const strata_segment_t *s, const strata_place_t *place,
                                      MlirAffineExpr row, MlirAffineExpr key, MlirAffineExpr step) {
  const MlirAffineExpr point[STRATA_SEGMENT_DIMS] = {row, s->head, key, step};
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_place_coordinates(b, place, point, coordinates);
  return strata_attention_cpu_widened(b, strata_tile_load(b, place->buffer, rank, coordinates));
}

static MlirAffineExpr zero(strata_tile_builder_t *b) { return strata_tile_constant(b, 0); }

static MlirAffineExpr sum(strata_tile_builder_t *b, MlirAffineExpr x, MlirAffineExpr y) {
  return strata_tile_scaled(b, x, 1, y);
}

// A count of |count| at most, bound to a value.
static MlirAffineExpr counter(strata_tile_builder_t *b, MlirValue value, int64_t count) {
  return strata_tile_counter(b, value, strata_size_constant(count));
}

//===-- Arithmetic -----------------------------------------------------------------------------------------------===//

static strata_tile_value_t times(strata_tile_builder_t *b, const strata_segment_t *s, strata_tile_value_t x,
                                 strata_tile_value_t y) {
  return strata_tile_attention_binary(b, &s->t, "arith.mulf", x, y);
}

// |total| + x * y over |dims|.
static MlirValue multiply_add(strata_tile_builder_t *b, const strata_segment_t *s, strata_tile_value_t x,
                              strata_tile_value_t y, uint32_t dims, MlirValue total) {
  if (b->status)
    return total;
  if (x.dims && y.dims && !(x.dims & y.dims)) {
    MlirValue operands[3] = {x.value, y.value, total};
    strata_named_attr_t kind = {"kind", mlirAttributeParseGet(b->e.context, strata_str("#vector.kind<add>"))};
    return strata_emit_value(&b->e, "vector.outerproduct", 3, operands, mlirValueGetType(total), 1, &kind);
  }
  return strata_tile_attention_binary(b, &s->t, "arith.addf", times(b, s, x, y), (strata_tile_value_t){total, dims})
      .value;
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

static void pack_query(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_cpu_axes(b, 1, 1, 1, size);
  MlirAffineExpr step = strata_attention_cpu_along(b, HEAD, base);
  const MlirAffineExpr at[2] = {s->row, step};
  strata_tile_value_t query = load_place(b, s, &s->a.q, sum(b, s->first_row, s->row), zero(b), step);
  if (!b->status)
    strata_tile_store(b, times(b, s, query, strata_tile_attention_number(b, s->a.scale * STRATA_LOG2_E)), s->queries, 2,
                      at);
}

static void store_number(strata_tile_builder_t *b, MlirValue buffer, MlirAffineExpr at, double value) {
  strata_attention_cpu_axes(b, 1, 1, 1, 1);
  strata_tile_store(b, strata_tile_attention_number(b, value), buffer, 1, &at);
}

static void clear_result(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_cpu_axes(b, 1, size, 1, 1);
  const MlirAffineExpr at[2] = {s->row, strata_attention_cpu_along(b, VALUE, base)};
  strata_tile_store(b, strata_tile_attention_number(b, 0), s->results, 2, at);
}

// A row of the window: its query, and that it has gathered nothing.
static void start_row(strata_tile_builder_t *b, strata_segment_t *s) {
  enum { VECTORS = 4 };
  strata_tile_chunks_t steps = strata_tile_chunks(s->a.steps, strata_min(s->a.steps, VECTORS * s->square), 1);
  strata_tile_chunk(b, &steps, (MlirValue){0}, pack_query, s);
  strata_tile_chunk(b, &s->values, (MlirValue){0}, clear_result, s);
  store_number(b, s->maxima, s->row, strata_tile_attention_lowest(1));
  store_number(b, s->sums, s->row, 0);
}

// Keys of a panel, turned: [step][key].
static void pack_block(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_attention_cpu_axes(b, 1, 1, s->width, size);
  MlirAffineExpr step = strata_attention_cpu_along(b, HEAD, base),
                 element = strata_attention_cpu_along(b, COLUMN, s->column);
  MlirAffineExpr key = sum(b, s->first_key, sum(b, s->panel_at, element));
  const MlirAffineExpr at[2] = {step, element};
  strata_tile_store(b, load_place(b, s, &s->a.k, zero(b), key, step), s->keys, 2, at);
  strata_attention_scope_end(b, scope);
}

static void pack_keys(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  s->width = size;
  s->column = base;
  strata_tile_chunks_t steps = strata_tile_chunks(s->a.steps, strata_min(s->a.steps, s->square), 1);
  strata_tile_chunk(b, &steps, (MlirValue){0}, pack_block, s);
}

static void pack_value(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_cpu_axes(b, 1, size, 1, 1);
  MlirAffineExpr value = strata_attention_cpu_along(b, VALUE, base);
  const MlirAffineExpr at[2] = {s->column, value};
  strata_tile_store(b, load_place(b, s, &s->a.v, zero(b), sum(b, s->first_key, s->column), value), s->panels, 2, at);
}

// The tile's values, which every block of rows reads: rows of them may lie where they drive each other out of a cache.
static void pack_values(strata_tile_builder_t *b, strata_segment_t *s) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), s->n_keys, 1, 0, NULL, NULL);
  s->column = counter(b, loop.induction, s->n_panels * s->panel);
  strata_tile_chunk(b, &s->values, (MlirValue){0}, pack_value, s);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// |body| for the rows in hand, by register tiles and what is left.
static void for_rows(strata_tile_builder_t *b, strata_segment_t *s, strata_tile_chunk_body_t body) {
  const int64_t widths[3] = {s->tile_rows, (s->tile_rows + 1) / 2, 1};
  int n_widths = s->tile_rows < 3 ? (int)s->tile_rows : 3;
  strata_tile_between(b, strata_emit_index(&b->e, 0), s->n_rows, strata_size_constant(s->window), n_widths, widths,
                      body, s);
}

static void score_step(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  const strata_segment_t *s = user;
  const MlirAffineExpr query[2] = {strata_attention_cpu_along(b, ROW, s->row), counters[0]};
  const MlirAffineExpr key[2] = {counters[0], strata_attention_cpu_along(b, COLUMN, zero(b))};
  strata_tile_value_t x = strata_tile_load(b, s->queries, 2, query), y = strata_tile_load(b, s->keys, 2, key);
  *carried = multiply_add(b, s, x, y, strata_attention_cpu_long_axes(b, 1u << ROW | 1u << COLUMN), *carried);
}

static void score_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_cpu_axes(b, size, 1, s->panel, 1);
  s->row = base;
  uint32_t dims = strata_attention_cpu_long_axes(b, 1u << ROW | 1u << COLUMN);
  MlirValue total = strata_tile_attention_numbers(b, 0, dims);
  strata_tile_carry(b, 1, &s->a.steps, NULL, 1, 1, &total, score_step, s);
  const MlirAffineExpr at[2] = {strata_attention_cpu_along(b, ROW, base),
                                strata_attention_cpu_along(b, COLUMN, s->panel_at)};
  strata_tile_store(b, (strata_tile_value_t){total, dims}, s->scores, 2, at);
}

// Scores of all rows in hand with the tile's keys, a panel after the other, as far as there are keys.
static void score_tile(strata_tile_builder_t *b, strata_segment_t *s) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), s->n_keys, s->panel, 0, NULL, NULL);
  s->panel_at = counter(b, loop.induction, s->n_panels * s->panel);
  int64_t widths[STRATA_TILE_WIDTHS];
  int n_widths = strata_tile_widths(strata_min(s->square, s->panel), widths);
  MlirValue end =
      strata_segment_smaller(b, strata_segment_minus(b, s->n_keys, loop.induction), strata_emit_index(&b->e, s->panel));
  strata_tile_between(b, strata_emit_index(&b->e, 0), end, strata_size_constant(s->panel), n_widths, widths, pack_keys,
                      s);
  for_rows(b, s, score_rows);
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

static void result_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_attention_cpu_axes(b, s->width, size, 1, 1);
  uint32_t dims = strata_attention_cpu_long_axes(b, 1u << ROW | 1u << VALUE);
  MlirAffineExpr rows = strata_attention_cpu_along(b, ROW, s->row), value = strata_attention_cpu_along(b, VALUE, base);
  const MlirAffineExpr at[2] = {rows, value};
  strata_tile_value_t before = strata_tile_load(b, s->results, 2, at);
  MlirValue total = strata_tile_broadcast(b, times(b, s, before, strata_tile_load(b, s->factors, 1, &rows)), dims), now;
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), s->n_keys, 1, 1, &total, &now);
  MlirAffineExpr key = counter(b, loop.induction, s->n_panels * s->panel);
  const MlirAffineExpr weight[2] = {rows, key};
  strata_tile_value_t x = strata_tile_load(b, s->scores, 2, weight);
  const MlirAffineExpr of_key[2] = {key, value};
  strata_tile_value_t y = strata_tile_load(b, s->panels, 2, of_key);
  now = multiply_add(b, s, x, y, dims, now);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, 1, &now, &total);
  strata_tile_store(b, (strata_tile_value_t){total, dims}, s->results, 2, at);
  strata_attention_scope_end(b, scope);
}

static void result_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  s->width = size;
  s->row = base;
  strata_tile_chunk(b, &s->values, (MlirValue){0}, result_tile, s);
}

static void store_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_attention_cpu_axes(b, s->width, size, 1, 1);
  MlirAffineExpr rows = strata_attention_cpu_along(b, ROW, s->row), coordinates[STRATA_MAX_DIMS];
  const MlirAffineExpr at[2] = {rows, strata_attention_cpu_along(b, VALUE, base)};
  strata_tile_value_t result =
      times(b, s, strata_tile_load(b, s->results, 2, at), strata_tile_load(b, s->sums, 1, &rows));
  const MlirAffineExpr point[STRATA_SEGMENT_DIMS] = {sum(b, s->first_row, rows), s->head, zero(b), at[1]};
  int rank = strata_tile_place_coordinates(b, &s->a.result, point, coordinates);
  strata_tile_store(b, strata_segment_rounded(b, result, s->a.result.buffer), s->a.result.buffer, rank, coordinates);
  strata_attention_scope_end(b, scope);
}

static void store_rows(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_segment_t *s = user;
  s->width = size;
  s->row = base;
  strata_tile_chunk(b, &s->values, (MlirValue){0}, store_tile, s);
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// The keys of a sequence, which pass by the rows in hand.
static void pass_keys(strata_tile_builder_t *b, strata_segment_t *s, MlirValue first, MlirValue end) {
  int64_t tile = s->n_panels * s->panel;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, end, tile, 0, NULL, NULL);
  s->first_key = strata_tile_counter(b, loop.induction, s->a.n_keys);
  s->n_seen = strata_segment_minus(b, end, loop.induction);
  s->n_keys = strata_segment_smaller(b, s->n_seen, strata_emit_index(&b->e, tile));
  score_tile(b, s);
  strata_segment_weigh_rows(b, s);
  pack_values(b, s);
  strata_attention_scope_t results = strata_attention_scope_begin(b);
  for_rows(b, s, result_rows);
  strata_attention_scope_end(b, results);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

// The rows of |sequence| among those from |first| to |end|. What is in front of the first sequence and behind the last
// is theirs.
static void do_sequence(strata_tile_builder_t *b, strata_segment_t *s, MlirValue sequence, MlirValue first,
                        MlirValue end) {
  MlirAffineExpr at = strata_tile_counter(b, sequence, s->a.n_sequences);
  span_t rows = span_of(b, &s->a.offsets, at, s->a.n_rows), keys = span_of(b, &s->a.key_offsets, at, s->a.n_keys);
  MlirValue last = strata_segment_minus(b, strata_tile_size(b, s->a.n_sequences), strata_emit_index(&b->e, 1));
  MlirValue begin =
      larger(b, first, chosen(b, sequence, strata_emit_index(&b->e, 0), strata_emit_index(&b->e, 0), rows.begin));
  MlirValue stop = strata_segment_smaller(b, end, chosen(b, sequence, last, end, rows.end));
  s->n_rows = larger(b, strata_segment_minus(b, stop, begin), strata_emit_index(&b->e, 0));
  s->first_row = strata_tile_counter(b, begin, s->a.n_rows);
  MlirValue key_end = keys.end;
  if (s->a.is_causal) // what the last of the rows sees
    key_end = strata_segment_minus(b, keys.end,
                                   larger(b, strata_segment_minus(b, rows.end, stop), strata_emit_index(&b->e, 0)));
  key_end = chosen(b, s->n_rows, strata_emit_index(&b->e, 0), keys.begin, key_end);
  strata_segment_for_each_row(b, s, start_row);
  pass_keys(b, s, keys.begin, key_end);
  strata_segment_for_each_row(b, s, strata_segment_invert_sum);
  for_rows(b, s, store_rows);
}

static void allocate(strata_tile_builder_t *b, strata_segment_t *s) {
  const int64_t n = s->n_panels * s->panel, window = s->window;
  const int64_t queries[2] = {window, s->a.steps + PADDING}, keys[2] = {s->a.steps, s->panel},
                panels[2] = {n, s->a.values}, scores[2] = {window, strata_round_up(n, PADDING) + PADDING},
                results[2] = {window, s->a.values + PADDING};
  MlirType f32 = mlirF32TypeGet(b->e.context);
  const struct {
    MlirValue *buffer;
    int rank;
    const int64_t *sizes;
  } buffers[] = {{&s->queries, 2, queries}, {&s->keys, 2, keys},       {&s->panels, 2, panels},
                 {&s->scores, 2, scores},   {&s->results, 2, results}, {&s->maxima, 1, &window},
                 {&s->sums, 1, &window},    {&s->factors, 1, &window}};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
    *buffers[i].buffer = strata_emit_scratch(
        &b->e, mlirMemRefTypeContiguousGet(f32, buffers[i].rank, buffers[i].sizes, (MlirAttribute){0}));
}

static void emit_task(strata_tile_builder_t *b, strata_segment_t *s, MlirValue task, strata_size_t n_tasks) {
  MlirAffineExpr number_of = mlirAffineDimExprGet(b->e.context, 0), heads = strata_tile_constant(b, s->a.heads);
  MlirValue window = strata_tile_task_part(b, mlirAffineFloorDivExprGet(number_of, heads), task, n_tasks);
  MlirValue head = strata_tile_task_part(b, mlirAffineModExprGet(number_of, heads), task, n_tasks);
  s->head = counter(b, head, s->a.heads);
  allocate(b, s);
  MlirValue first = strata_emit_binary(&b->e, "arith.muli", window, strata_emit_index(&b->e, s->window));
  MlirValue end =
      strata_segment_smaller(b, plus(b, first, strata_emit_index(&b->e, s->window)), strata_tile_size(b, s->a.n_rows));
  MlirValue last = strata_segment_minus(b, end, strata_emit_index(&b->e, 1)),
            count = strata_tile_size(b, s->a.n_sequences);
  MlirValue from = entry(b, &s->a.rows, strata_tile_counter(b, first, s->a.n_rows));
  MlirValue to = entry(b, &s->a.rows, strata_tile_counter(b, last, s->a.n_rows));
  to = strata_segment_smaller(b, plus(b, to, strata_emit_index(&b->e, 1)), count);
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  strata_loop_t loop = strata_emit_for_begin(&b->e, larger(b, from, strata_emit_index(&b->e, 0)), to, 1, 0, NULL, NULL);
  do_sequence(b, s, loop.induction, first, end);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  strata_attention_scope_end(b, scope);
}

// Rows of a task: fewer where there are few, so that all threads get some.
static int64_t window_of(const strata_segment_attention_t *a, int64_t tile_rows) {
  enum { LEAST = 64, ENOUGH_TASKS = 64 };
  int64_t rows, window = STRATA_SEGMENT_WINDOW;
  if (strata_size_is_constant(a->n_rows, &rows))
    window = strata_max(LEAST, strata_min(window, strata_times(rows, a->heads) / ENOUGH_TASKS));
  return strata_round_up(window, tile_rows);
}

strata_status_t strata_tile_segment_attention(strata_tile_builder_t *b) {
  if (b->schedule.threads)
    return strata_tile_segment_attention_gpu(b);
  strata_segment_t s = {0};
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  if (!strata_segment_attention_read(b->kernel, &s.a) || b->schedule.n_tile != 3)
    return strata_error(STRATA_INTERNAL, "no kernel of attention within sequences");
  s.square = device->vector_bytes / 4;
  s.tile_rows = b->schedule.tile[0];
  s.window = window_of(&s.a, s.tile_rows);
  s.panel = b->schedule.tile[1];
  s.n_panels = strata_max(1, STRATA_SEGMENT_KEYS / s.panel);
  s.values = strata_tile_chunks(s.a.values, b->schedule.tile[2], 1);
  s.t.fast_math = mlirAttributeParseGet(b->e.context, strata_str("#arith.fastmath<reassoc,contract,arcp,afn>"));
  strata_size_t windows = strata_tile_ceil_quotient(b, s.a.n_rows, s.window);
  strata_size_t n_tasks = strata_size_product(windows, strata_size_constant(s.a.heads));
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  emit_task(b, &s, forall.induction, n_tasks);
  b->space.n_vector = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
