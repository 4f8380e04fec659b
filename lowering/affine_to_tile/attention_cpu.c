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
#include "lowering/affine_to_tile/attention_cpu.h"

#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "lowering/affine_to_tile/contract.h"
#include "lowering/affine_to_tile/rounding.h"
#include "passes/target.h"

enum {
  ROW = STRATA_TILE_ROW,
  VALUE = STRATA_TILE_VALUE,
  COLUMN = STRATA_TILE_COLUMN,
  N_AXES = STRATA_N_TILE_AXES,
};

enum {
  PADDING = 16,             // so that rows of scratch do not collide in the caches
  MIN_TASK_FLOPS = 1 << 19, // see contract.c
  MAX_TASKS = 64,
};

int64_t strata_attention_cpu_extent(const strata_attention_cpu_t *c, int dim) {
  return strata_attention_static_extent(&c->t.a, dim);
}

int64_t strata_attention_cpu_head(const strata_attention_cpu_t *c) {
  return strata_attention_cpu_extent(c, c->t.a.head);
}

//===-- Emission -------------------------------------------------------------------------------------------------===//

strata_attention_scope_t strata_attention_scope_begin(const strata_tile_builder_t *b) {
  return (strata_attention_scope_t){b->space.n_symbols, b->known};
}

void strata_attention_scope_end(strata_tile_builder_t *b, strata_attention_scope_t scope) {
  b->space.n_symbols = scope.n_symbols;
  b->known = scope.known;
}

void strata_attention_cpu_axes(strata_tile_builder_t *b, int64_t rows, int64_t values, int64_t columns, int64_t heads) {
  const int64_t sizes[N_AXES] = {rows, values, columns, heads};
  b->space.n_vector = N_AXES;
  memcpy(b->space.extents, sizes, sizeof sizes);
}

// The axes in |axes| strata_attention_cpu_along which there is more than one element.
uint32_t strata_attention_cpu_long_axes(const strata_tile_builder_t *b, uint32_t axes) {
  for (int axis = 0; axis < N_AXES; axis++)
    if (b->space.extents[axis] == 1)
      axes &= ~(1u << axis);
  return axes;
}

MlirAffineExpr strata_attention_cpu_along(strata_tile_builder_t *b, int axis, MlirAffineExpr base) {
  return strata_tile_scaled(b, strata_tile_vector_dim(b, axis), 1, base);
}

strata_tile_value_t strata_attention_cpu_widened(strata_tile_builder_t *b, strata_tile_value_t value) {
  return b->status ? value : strata_tile_widened(b, value, mlirF32TypeGet(b->e.context));
}

MlirValue strata_attention_cpu_scratch(strata_tile_builder_t *b, int rank, const int64_t *sizes) {
  return strata_emit_scratch(
      &b->e, mlirMemRefTypeContiguousGet(mlirF32TypeGet(b->e.context), rank, sizes, (MlirAttribute){0}));
}

// |sum| + u * v over |dims|.
static MlirValue multiply_add(strata_tile_builder_t *b, const strata_attention_cpu_t *c, strata_tile_value_t u,
                              strata_tile_value_t v, uint32_t dims, MlirValue sum) {
  if (u.dims && v.dims && !(u.dims & v.dims)) {
    MlirValue operands[3] = {u.value, v.value, sum};
    strata_named_attr_t kind = {"kind", mlirAttributeParseGet(b->e.context, strata_str("#vector.kind<add>"))};
    return strata_emit_value(&b->e, "vector.outerproduct", 3, operands, mlirValueGetType(sum), 1, &kind);
  }
  strata_tile_value_t product = strata_tile_attention_binary(b, &c->t, "arith.mulf", u, v);
  return strata_tile_attention_binary(b, &c->t, "arith.addf", product, (strata_tile_value_t){sum, dims}).value;
}

//===-- Tiles of columns -----------------------------------------------------------------------------------------===//

// Whole tiles of columns that the block's rows see; null: all of them.
MlirValue strata_attention_cpu_seen_tiles(strata_tile_builder_t *b, const strata_attention_cpu_t *c) {
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

typedef void (*strata_attention_columns_t)(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size,
                                           MlirValue *carried);

static void column_tile(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirAffineExpr base,
                        strata_attention_columns_t body, MlirValue *carried) {
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  c->base = base;
  body(b, c, size, carried);
  strata_attention_scope_end(b, scope);
}

// Whole tiles from |first| to |end|; null values: from the first to the last.
void strata_attention_cpu_tiles(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue first, MlirValue end,
                                strata_attention_columns_t body, MlirValue *carried) {
  int64_t tile = c->columns.tile, n_full = c->columns.extent / tile;
  int n_carried = carried ? 1 : 0;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  first = mlirValueIsNull(first) ? strata_emit_index(&b->e, 0) : first;
  end = mlirValueIsNull(end) ? strata_emit_index(&b->e, n_full) : end;
  MlirValue inside[1];
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, end, 1, n_carried, carried, inside);
  MlirAffineExpr counter = strata_tile_symbol(b, loop.induction, n_full);
  column_tile(b, c, tile, strata_tile_scaled(b, counter, tile, strata_tile_constant(b, 0)), body, inside);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, n_carried, inside, carried);
  strata_attention_scope_end(b, scope);
}

int64_t strata_attention_cpu_tail_size(const strata_attention_cpu_t *c) { return c->columns.extent % c->columns.tile; }

// The columns behind the last whole tile, seen or not.
void strata_attention_cpu_tail(strata_tile_builder_t *b, strata_attention_cpu_t *c, strata_attention_columns_t body,
                               MlirValue *carried) {
  if (strata_attention_cpu_tail_size(c) && !b->status)
    column_tile(b, c, strata_attention_cpu_tail_size(c),
                strata_tile_constant(b, c->columns.extent - strata_attention_cpu_tail_size(c)), body, carried);
}

MlirAffineExpr strata_attention_cpu_column(strata_tile_builder_t *b, const strata_attention_cpu_t *c,
                                           MlirAffineExpr column) {
  return c->is_blocked ? strata_tile_scaled(b, column, 1, c->block) : column;
}

//===-- Scores ---------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_attention_cpu_t *c;
  MlirAffineExpr panel;
  uint32_t dims;
} product_t;

static void score_step(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  const product_t *p = user;
  const MlirAffineExpr zero = strata_tile_constant(b, 0);
  const MlirAffineExpr query[2] = {strata_attention_cpu_along(b, ROW, zero), counters[0]};
  const MlirAffineExpr key[3] = {p->panel, counters[0], strata_attention_cpu_along(b, COLUMN, zero)};
  strata_tile_value_t u = strata_tile_load(b, p->c->queries, 2, query), v = strata_tile_load(b, p->c->keys, 3, key);
  if (!b->status)
    *carried = multiply_add(b, p->c, u, v, p->dims, *carried);
}

void strata_attention_cpu_score(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *unused) {
  (void)unused;
  const int64_t steps = strata_attention_cpu_head(c);
  MlirAffineExpr base = c->base;
  product_t p = {.c = c, .panel = strata_tile_constant(b, 0)};
  if (c->packs_once)
    p.panel = strata_attention_cpu_panel(b, base, c->columns.tile);
  else
    strata_attention_cpu_pack_keys(b, size, base, c);
  strata_attention_cpu_axes(b, c->n_rows, 1, size, 1);
  p.dims = strata_attention_cpu_long_axes(b, 1u << ROW | 1u << COLUMN);
  MlirValue sum = strata_tile_attention_numbers(b, 0, p.dims);
  strata_tile_carry(b, 1, &steps, NULL, 1, 1, &sum, score_step, &p);
  const MlirAffineExpr at[2] = {strata_attention_cpu_along(b, ROW, strata_tile_constant(b, 0)),
                                strata_attention_cpu_along(b, COLUMN, base)};
  strata_tile_store(b, (strata_tile_value_t){sum, p.dims}, c->scores, 2, at);
}

//===-- Results --------------------------------------------------------------------------------------------------===//

void strata_attention_cpu_add(strata_tile_builder_t *b, strata_attention_cpu_t *c, uint32_t dims, MlirAffineExpr panel,
                              MlirAffineExpr column, MlirValue *sum) {
  MlirAffineExpr zero = strata_tile_constant(b, 0);
  const MlirAffineExpr weight[2] = {strata_attention_cpu_along(b, ROW, zero), column};
  const MlirAffineExpr value[3] = {panel, column, strata_attention_cpu_along(b, VALUE, zero)};
  strata_tile_value_t u = strata_tile_load(b, c->scores, 2, weight), v;
  c->t.point[c->t.a.column] = column;
  if (c->packs_values)
    v = strata_tile_load(b, c->panels, 3, value);
  else
    v = strata_attention_cpu_widened(b, strata_tile_attention_operand(b, &c->t, STRATA_ATTENTION_V));
  if (!b->status)
    *sum = multiply_add(b, c, u, v, dims, *sum);
}

void strata_attention_cpu_store(strata_tile_builder_t *b, strata_attention_cpu_t *c, strata_tile_value_t result) {
  strata_contraction_kernel_t weighted = {.kernel = b->kernel, .nest = c->t.a.weighted, .store = c->t.a.store};
  const MlirAffineExpr rows =
      strata_attention_cpu_along(b, ROW, c->is_blocked ? c->local_row : strata_tile_constant(b, 0));
  if (c->t.a.has_softmax)
    result = strata_tile_attention_divide(b, &c->t, result, strata_tile_load(b, c->sums, 1, &rows));
  c->t.point[c->t.a.column] = strata_tile_constant(b, 0);
  result = strata_tile_contract_result(b, &weighted, c->t.point, result);
  if (!b->status)
    strata_tile_contract_stores(b, &weighted, c->t.point, result);
}

// Where results are stored is asked for while the sums are at work.
static void prefetch_results(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirAffineExpr base) {
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
  strata_attention_cpu_t *c = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  product_t p = {.c = c, .panel = strata_attention_cpu_panel(b, base, c->values.tile)};
  strata_attention_cpu_axes(b, c->n_rows, size, 1, 1);
  prefetch_results(b, c, size, base);
  p.dims = strata_attention_cpu_long_axes(b, 1u << ROW | 1u << VALUE);
  c->t.point[c->t.a.row] = strata_attention_cpu_along(b, ROW, c->first_row);
  c->t.point[c->t.a.value] = strata_attention_cpu_along(b, VALUE, base);
  MlirValue sum = strata_tile_attention_numbers(b, 0, p.dims), inside;
  strata_attention_scope_t steps = strata_attention_scope_begin(b);
  MlirValue end = mlirValueIsNull(c->seen) ? strata_emit_index(&b->e, c->columns.extent) : c->seen;
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), end, 1, 1, &sum, &inside);
  strata_attention_cpu_add(b, c, p.dims, p.panel, strata_tile_symbol(b, loop.induction, c->columns.extent), &inside);
  if (b->status)
    return;
  strata_emit_for_end(&b->e, loop, 1, &inside, &sum);
  strata_attention_scope_end(b, steps);
  strata_attention_cpu_store(b, c, (strata_tile_value_t){sum, p.dims});
  strata_attention_scope_end(b, scope);
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

// The columns that a block's last row sees, where all of its rows see one.
static MlirValue seen_columns(strata_tile_builder_t *b, const strata_attention_cpu_t *c) {
  const strata_attention_t *a = &c->t.a;
  if (!a->is_causal || strata_size_min(a->offset) < 0 || strata_size_varies(a->offset))
    return (MlirValue){0};
  MlirContext context = b->e.context;
  MlirValue first = strata_tile_index(b, c->first_row);
  MlirAffineExpr results[2] = {
      mlirAffineAddExprGet(mlirAffineDimExprGet(context, 0), strata_tile_attention_offset(b, &c->t, c->n_rows)),
      strata_tile_constant(b, c->columns.extent)};
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
  return strata_emit_value(&b->e, "affine.min", 1, &first, mlirIndexTypeGet(context), 1, &map);
}

static void row_block(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_attention_cpu_t *c = user;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  c->n_rows = size;
  c->first_row = base;
  c->seen = seen_columns(b, c);
  strata_attention_cpu_pack_queries(b, c);
  strata_attention_cpu_tiles(b, c, (MlirValue){0}, strata_attention_cpu_seen_tiles(b, c), strata_attention_cpu_score,
                             NULL);
  strata_attention_cpu_tail(b, c, strata_attention_cpu_score, NULL);
  strata_attention_cpu_weigh(b, c);
  if (!b->status)
    strata_tile_chunk(b, &c->values, (MlirValue){0}, result_tile, c);
  strata_attention_scope_end(b, scope);
}

static void allocate(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  int64_t columns = c->columns.extent, tile = c->columns.tile, rows = c->rows.tile;
  const int64_t queries[2] = {rows, strata_attention_cpu_head(c) + PADDING};
  const int64_t keys[3] = {c->packs_once ? strata_ceil_div(columns, tile) : 1, strata_attention_cpu_head(c), tile};
  const int64_t panels[3] = {strata_ceil_div(c->values.extent, c->values.tile), columns, c->values.tile};
  const int64_t scores[2] = {rows, strata_round_up(columns, PADDING) + PADDING};
  c->queries = strata_attention_cpu_scratch(b, 2, queries);
  c->keys = strata_attention_cpu_scratch(b, 3, keys);
  if (c->packs_values)
    c->panels = strata_attention_cpu_scratch(b, 3, panels);
  c->scores = strata_attention_cpu_scratch(b, 2, scores);
  c->sums = strata_attention_cpu_scratch(b, 1, &rows);
}

// The task's rows, at every point of the shared dims.
static void emit_rows(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue run) {
  strata_tile_loop_t loops[STRATA_MAX_DIMS];
  int n_loops = 0;
  strata_attention_scope_t scope = strata_attention_scope_begin(b);
  for (int dim = 0; dim < c->t.a.column; dim++)
    if (c->shared >> dim & 1)
      loops[n_loops++] = strata_tile_loop_begin(b, strata_attention_cpu_extent(c, dim), &c->t.point[dim]);
  strata_tile_chunk(b, &c->rows, run, row_block, c);
  while (n_loops-- > 0)
    strata_tile_loop_end(b, loops[n_loops]);
  strata_attention_scope_end(b, scope);
}

static bool is_placed(const strata_attention_t *a, int dim, uint32_t others) {
  return !((dim == a->row && !a->has_one_row) || dim == a->value || strata_size_is_one(a->sizes[dim]) ||
           others >> dim & 1);
}

void strata_attention_cpu_place(strata_tile_builder_t *b, strata_attention_cpu_t *c, uint32_t others, MlirValue task,
                                strata_size_t stride, strata_size_t n_tasks) {
  const strata_attention_t *a = &c->t.a;
  MlirContext context = b->e.context;
  for (int dim = a->column; dim-- > 0;) {
    if (!is_placed(a, dim, others))
      continue;
    MlirAffineExpr digit =
        mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, 0), strata_size_expr(context, stride));
    digit = mlirAffineModExprGet(digit, strata_size_expr(context, a->sizes[dim]));
    c->t.point[dim] = strata_tile_counter(b, strata_tile_task_part(b, digit, task, n_tasks), a->sizes[dim]);
    stride = strata_size_product(stride, a->sizes[dim]);
  }
}

strata_size_t strata_attention_cpu_batches(const strata_attention_cpu_t *c, uint32_t others) {
  strata_size_t batches = strata_size_constant(1);
  for (int dim = 0; dim < c->t.a.column; dim++)
    if (is_placed(&c->t.a, dim, others))
      batches = strata_size_product(batches, c->t.a.sizes[dim]);
  return batches;
}

static void emit_task(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue task, strata_size_t n_tasks) {
  MlirValue run;
  if (strata_size_varies(n_tasks)) {
    MlirAffineExpr digit =
        mlirAffineModExprGet(mlirAffineDimExprGet(b->e.context, 0), strata_tile_constant(b, c->rows.n_chunks));
    strata_attention_cpu_place(b, c, c->shared, task, strata_size_constant(c->rows.n_chunks), n_tasks);
    run = strata_tile_task_part(b, digit, task, n_tasks);
  } else {
    strata_size_t n_runs = strata_size_constant(c->rows.n_chunks);
    strata_tile_attention_place(b, &c->t, c->shared, task, n_runs);
    run = strata_tile_attention_digit(b, &c->t, task, strata_size_constant(1), n_runs, false);
  }
  allocate(b, c);
  if (c->packs_once)
    strata_tile_chunk(b, &c->columns, (MlirValue){0}, strata_attention_cpu_pack_keys, c);
  if (c->packs_values)
    strata_attention_cpu_pack_values(b, c);
  emit_rows(b, c, run);
}

enum { FEW_TASKS = 16 }; // that keep some threads busy

// Tasks that are worth their start.
static int64_t worth_tasks(const strata_attention_cpu_t *c) {
  const strata_attention_t *a = &c->t.a;
  int64_t flops = 2 * (strata_attention_cpu_extent(c, a->head) + strata_attention_cpu_extent(c, a->value));
  flops *=
      strata_attention_batch(a) * strata_attention_cpu_extent(c, a->row) * strata_attention_cpu_extent(c, a->column);
  return strata_max(1, strata_min(flops / MIN_TASK_FLOPS, MAX_TASKS));
}

// Of |batch| tasks. Heads that share keys and values are one task's, if enough are left.
static void find_shared(strata_attention_cpu_t *c, int64_t *batch) {
  const strata_attention_t *a = &c->t.a;
  uint32_t others = a->operands[STRATA_ATTENTION_K].dims | a->operands[STRATA_ATTENTION_V].dims;
  c->n_shared = 1;
  for (int dim = 0; dim < a->column; dim++)
    if (!(others >> dim & 1) && dim != a->row && dim != a->value && !strata_attention_varies(a, dim) &&
        strata_attention_cpu_extent(c, dim) > 1) {
      c->shared |= 1u << dim;
      c->n_shared *= strata_attention_cpu_extent(c, dim);
    }
  int64_t blocks = strata_ceil_div(strata_attention_cpu_extent(c, a->row), c->tile_rows);
  if (*batch / c->n_shared * blocks < strata_min(worth_tasks(c), FEW_TASKS)) {
    c->shared = 0;
    c->n_shared = 1;
  }
  *batch /= c->n_shared;
}

// Runs of rows that are a task each: as many as are enough, more where that packs no operand for a few rows.
static int64_t wanted_runs(const strata_attention_cpu_t *c, int64_t batch) {
  enum { MANY_ROWS = 512 };
  int64_t worth = worth_tasks(c), rows = strata_attention_cpu_extent(c, c->t.a.row) * c->n_shared;
  int64_t least = strata_ceil_div(strata_min(worth, FEW_TASKS), batch), most = strata_ceil_div(worth, batch);
  return strata_max(least, strata_min(most, rows / MANY_ROWS));
}

// What both forms have of the schedule and the processor.
static strata_status_t read_tiles(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  const strata_schedule_t *s = &b->schedule;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  if (s->n_tile != 3 || s->tile[0] < 1 || s->tile[1] < 1 || s->tile[2] < 1)
    return strata_error(STRATA_INTERNAL, "attention without tile sizes");
  c->square = device->vector_bytes / 4;
  c->tile_rows = s->tile[0];
  return NULL;
}

static void plan(strata_tile_builder_t *b, strata_attention_cpu_t *c) {
  enum { OFTEN = 4 }; // blocks of rows that pass by a panel
  const strata_attention_t *a = &c->t.a;
  const strata_schedule_t *s = &b->schedule;
  c->batch = strata_attention_batch(a);
  find_shared(c, &c->batch);
  c->rows = strata_tile_chunks(strata_attention_cpu_extent(c, a->row), c->tile_rows, wanted_runs(c, c->batch));
  c->columns = strata_tile_chunks(strata_attention_cpu_extent(c, a->column), s->tile[1], 1);
  c->values = strata_tile_chunks(strata_attention_cpu_extent(c, a->value), s->tile[2], 1);
  int64_t blocks = c->n_shared * (c->rows.chunk + (strata_attention_cpu_extent(c, a->row) % c->tile_rows != 0));
  c->packs_once = blocks > 1;
  c->packs_values = blocks >= OFTEN || !strata_attention_is_crossed(a, STRATA_ATTENTION_V);
}

strata_status_t strata_tile_attention_cpu(strata_tile_builder_t *b) {
  strata_attention_cpu_t c = {0};
  STRATA_TRY(strata_tile_attention_read(b, &c.t));
  STRATA_TRY(read_tiles(b, &c));
  b->widens_choices = true;
  c.is_blocked = strata_attention_is_blocked(&c.t.a);
  if (c.is_blocked)
    return strata_attention_cpu_blocks(b, &c);
  plan(b, &c);
  strata_size_t n_tasks =
      strata_size_product(strata_attention_cpu_batches(&c, c.shared), strata_size_constant(c.rows.n_chunks));
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  emit_task(b, &c, forall.induction, n_tasks);
  b->space.n_vector = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
