// Loops around tiles: tasks, sequential loops, full tiles and tails. See kinds.h.
#include "lowering/affine_to_tile/kinds.h"

#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "passes/affine/register_tile.h"
#include "passes/target.h"

enum {
  MIN_TASK_WORK = 4096, // elements; below this a task costs more than it brings
  MAX_TASKS = 256,
};

static int64_t width_of(strata_tile_builder_t *b, int64_t extent) {
  if (b->schedule.group)
    return b->schedule.n_tile ? strata_min(b->schedule.tile[0], extent) : extent;
  if (b->schedule.width)
    return strata_min(b->schedule.width, extent);
  const strata_cpu_device_t *device;
  strata_status_t status = strata_cpu_device(b->compile, &device);
  int64_t lanes = 16;
  if (status)
    strata_status_free(status);
  else
    lanes = device->vector_bytes / 4;
  return strata_row_width(lanes, extent);
}

int64_t strata_tile_width_of(strata_tile_builder_t *b, strata_size_t extent) {
  int64_t number;
  return width_of(b, strata_size_is_constant(extent, &number) ? number : INT32_MAX);
}

int strata_tile_widths(int64_t tile, int64_t *out_widths) {
  int n = 0;
  for (; tile > 1 && n < STRATA_TILE_WIDTHS - 1; tile /= 4)
    out_widths[n++] = tile;
  out_widths[n++] = 1;
  return n;
}

// The bounds of a loop over [0, extent), or of what |range| leaves of it.
static MlirValue first_of(strata_tile_builder_t *b, const strata_tile_range_t *range) {
  return range && !mlirValueIsNull(range->first) ? range->first : strata_emit_index(&b->e, 0);
}

static MlirValue end_of(strata_tile_builder_t *b, const strata_tile_range_t *range, strata_size_t extent) {
  return range && !mlirValueIsNull(range->end) ? range->end : strata_tile_size(b, extent);
}

static strata_tile_loop_t begin_loop(strata_tile_builder_t *b, strata_size_t extent, const strata_tile_range_t *range,
                                     MlirAffineExpr *out_coordinate) {
  strata_tile_loop_t loop = {
      .n_symbols = b->space.n_symbols, .known = b->known, .is_real = !strata_size_is_one(extent)};
  if (!loop.is_real) {
    *out_coordinate = strata_tile_constant(b, 0);
    return loop;
  }
  MlirValue end = end_of(b, range, extent), first = first_of(b, range);
  loop.loop = strata_emit_for_begin(&b->e, first, end, 1, 0, NULL, NULL);
  *out_coordinate = strata_tile_counter(b, loop.loop.induction, extent);
  return loop;
}

strata_tile_loop_t strata_tile_loop_over(strata_tile_builder_t *b, strata_size_t extent,
                                         MlirAffineExpr *out_coordinate) {
  return begin_loop(b, extent, NULL, out_coordinate);
}

strata_tile_loop_t strata_tile_loop_begin(strata_tile_builder_t *b, int64_t extent, MlirAffineExpr *out_coordinate) {
  return strata_tile_loop_over(b, strata_size_constant(extent), out_coordinate);
}

void strata_tile_loop_end(strata_tile_builder_t *b, strata_tile_loop_t loop) {
  if (!loop.is_real)
    return;
  strata_emit_for_end(&b->e, loop.loop, 0, NULL, NULL);
  b->space.n_symbols = loop.n_symbols;
  b->known = loop.known;
}

//===-- Where sizes vary -----------------------------------------------------------------------------------------===//

strata_size_t strata_tile_parts(const strata_tile_builder_t *b, strata_size_t size, int64_t width, int part,
                                MlirAffineExpr *out_start) {
  MlirContext context = b->e.context;
  MlirAffineExpr by = mlirAffineConstantExprGet(context, width), expr = strata_size_expr(context, size),
                 whole = mlirAffineFloorDivExprGet(expr, by), rest = mlirAffineModExprGet(expr, by);
  *out_start = part == 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineMulExprGet(whole, by);
  return strata_size_of_expr(&b->sizes, part == 0 ? whole : mlirAffineCeilDivExprGet(rest, by));
}

// |first| and as many times |width| as fit before |end|.
static MlirValue last_of(strata_tile_builder_t *b, MlirValue first, MlirValue end, int64_t width) {
  MlirValue by = strata_emit_index(&b->e, width);
  MlirValue count = strata_emit_binary(&b->e, "arith.divui", strata_emit_binary(&b->e, "arith.subi", end, first), by);
  return strata_emit_binary(&b->e, "arith.addi", first, strata_emit_binary(&b->e, "arith.muli", count, by));
}

void strata_tile_between(strata_tile_builder_t *b, MlirValue first, MlirValue end, strata_size_t extent, int n_widths,
                         const int64_t *widths, strata_tile_chunk_body_t body, void *user) {
  for (int i = 0; i < n_widths && !b->status; i++) {
    strata_tile_known_t *known = b->known;
    int n_symbols = b->space.n_symbols;
    MlirValue last = widths[i] == 1 ? end : last_of(b, first, end, widths[i]);
    strata_loop_t loop = strata_emit_for_begin(&b->e, first, last, widths[i], 0, NULL, NULL);
    body(b, widths[i], strata_tile_counter(b, loop.induction, extent), user);
    strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
    b->known = known;
    b->space.n_symbols = n_symbols;
    first = last;
  }
}

void strata_tile_run_bounds(strata_tile_builder_t *b, MlirValue index, int64_t chunk, strata_size_t extent,
                            MlirValue *out_first, MlirValue *out_end) {
  MlirValue length = strata_emit_index(&b->e, chunk);
  *out_first = strata_emit_binary(&b->e, "arith.muli", index, length);
  *out_end = strata_emit_binary(&b->e, "arith.minsi", strata_emit_binary(&b->e, "arith.addi", *out_first, length),
                                strata_tile_size(b, extent));
}

//===-- Sequential -----------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_tile_walk_t *walk;
  strata_tile_body_t body;
  void *user;
  MlirAffineExpr outer[STRATA_MAX_DIMS];
  int64_t cross_size; // of the tile in hand, along the crossing dim
  MlirAffineExpr cross_base;
  bool hangs; // the tile in hand, over the end
} walker_t;

// |body| at one tile of |size| elements from |base|.
static void emit_tile(strata_tile_builder_t *b, walker_t *w, int64_t size, MlirAffineExpr base) {
  strata_tile_known_t *known = b->known;
  int dim = w->walk->cross_tile ? 1 : 0;
  b->space.n_vector = dim + 1;
  b->space.extents[0] = w->cross_size;
  b->space.extents[dim] = size;
  if (w->walk->cross_tile)
    w->outer[w->walk->cross] = strata_tile_scaled(b, w->cross_base, 1, strata_tile_vector_dim(b, 0));
  MlirAffineExpr vector = strata_tile_scaled(b, base, 1, strata_tile_vector_dim(b, dim));
  int n_bounds = b->n_bounds;
  if (w->hangs)
    strata_tile_bound(b, vector, w->walk->vector);
  w->body(b, w->outer, vector, w->user);
  b->n_bounds = n_bounds;
  b->known = known;
  b->space.n_vector = 0;
}

static void emit_tail(strata_tile_builder_t *b, walker_t *w, int64_t extent) {
  int64_t tail = extent % w->walk->tile;
  if (tail)
    emit_tile(b, w, tail, strata_tile_constant(b, extent - tail));
}

// Full tiles, then the one that is left, masked.
static void emit_masked(strata_tile_builder_t *b, walker_t *w) {
  int64_t width = w->walk->tile;
  for (int part = 0; part < (strata_size_divides(width, w->walk->vector) ? 1 : 2) && !b->status; part++) {
    MlirAffineExpr start, counter;
    strata_size_t n_tiles = strata_tile_parts(b, w->walk->vector, width, part, &start);
    strata_tile_loop_t loop = strata_tile_loop_over(b, n_tiles, &counter);
    w->hangs = part == 1;
    emit_tile(b, w, width, strata_tile_scaled(b, counter, width, start));
    strata_tile_loop_end(b, loop);
  }
  w->hangs = false;
}

static void emit_varying_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  emit_tile(b, user, size, base);
}

// The tiles from |first| to |end|.
static void emit_between(strata_tile_builder_t *b, walker_t *w, MlirValue first, MlirValue end) {
  int64_t widths[STRATA_TILE_WIDTHS];
  int n_widths = strata_tile_widths(w->walk->tile, widths);
  strata_tile_between(b, first, end, w->walk->vector, n_widths, widths, emit_varying_tile, w);
}

static void emit_tiles(strata_tile_builder_t *b, walker_t *w) {
  int64_t extent;
  bool varies = !strata_size_is_constant(w->walk->vector, &extent);
  if (varies && b->schedule.group) {
    emit_masked(b, w);
    return;
  }
  if (varies) {
    emit_between(b, w, strata_emit_index(&b->e, 0), strata_tile_size(b, w->walk->vector));
    return;
  }
  int64_t n_full = extent / w->walk->tile;
  if (n_full) {
    MlirAffineExpr counter;
    strata_tile_loop_t loop = strata_tile_loop_begin(b, n_full, &counter);
    emit_tile(b, w, w->walk->tile, strata_tile_scaled(b, counter, w->walk->tile, strata_tile_constant(b, 0)));
    strata_tile_loop_end(b, loop);
  }
  emit_tail(b, w, extent);
}

static void emit_outer(strata_tile_builder_t *b, walker_t *w, int dim);

// The crossing dim by tiles and what is left.
static void emit_cross(strata_tile_builder_t *b, walker_t *w) {
  int dim = w->walk->cross;
  int64_t size = w->walk->cross_tile, extent = strata_size_static_value(w->walk->outer[dim]), n_full = extent / size;
  if (n_full) {
    MlirAffineExpr counter;
    strata_tile_loop_t loop = strata_tile_loop_begin(b, n_full, &counter);
    w->cross_size = size;
    w->cross_base = strata_tile_scaled(b, counter, size, strata_tile_constant(b, 0));
    emit_outer(b, w, dim + 1);
    strata_tile_loop_end(b, loop);
  }
  if (extent % size) {
    w->cross_size = extent % size;
    w->cross_base = strata_tile_constant(b, n_full * size);
    emit_outer(b, w, dim + 1);
  }
}

static void emit_outer(strata_tile_builder_t *b, walker_t *w, int dim) {
  if (dim == w->walk->n_outer) {
    emit_tiles(b, w);
    return;
  }
  if (w->walk->cross_tile && dim == w->walk->cross) {
    emit_cross(b, w);
    return;
  }
  const strata_tile_range_t *range = w->walk->ranges ? &w->walk->ranges[dim] : NULL;
  strata_tile_loop_t loop = begin_loop(b, w->walk->outer[dim], range, &w->outer[dim]);
  emit_outer(b, w, dim + 1);
  strata_tile_loop_end(b, loop);
}

void strata_tile_walk_here(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body,
                           void *user) {
  walker_t w = {.walk = walk, .body = body, .user = user};
  emit_outer(b, &w, 0);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// [chunk * size, min((chunk + 1) * size, extent)) as a loop; emission goes on inside.
static strata_loop_t begin_chunk(strata_tile_builder_t *b, MlirValue chunk, int64_t size, strata_size_t extent,
                                 MlirAffineExpr *out_coordinate) {
  MlirContext context = b->e.context;
  MlirAffineExpr start = mlirAffineMulExprGet(mlirAffineDimExprGet(context, 0), strata_tile_constant(b, size));
  MlirAffineExpr end = mlirAffineAddExprGet(start, strata_tile_constant(b, size));
  MlirValue lower = strata_emit_apply(&b->e, start, 1, &chunk), upper;
  int64_t number;
  if (strata_size_divides(size, extent)) {
    upper = strata_emit_apply(&b->e, end, 1, &chunk);
  } else if (strata_size_is_constant(extent, &number)) {
    MlirAffineExpr results[2] = {end, strata_tile_constant(b, number)};
    strata_named_attr_t attr = {"map", mlirAffineMapAttrGet(mlirAffineMapGet(context, 1, 0, 2, results))};
    upper = strata_emit_value(&b->e, "affine.min", 1, &chunk, mlirIndexTypeGet(context), 1, &attr);
  } else {
    MlirValue ends[2] = {strata_emit_apply(&b->e, end, 1, &chunk), strata_tile_size(b, extent)};
    upper = strata_emit_value(&b->e, "arith.minsi", 2, ends, mlirIndexTypeGet(context), 0, NULL);
  }
  strata_loop_t loop = strata_emit_for_begin(&b->e, lower, upper, 1, 0, NULL, NULL);
  *out_coordinate = strata_tile_counter(b, loop.induction, extent);
  return loop;
}

// Tasks are runs of |chunk| indices of outer dim |dim| for each point of the dims before it.
typedef struct {
  int dim;
  int64_t chunk;
  strata_size_t n_tasks;
} plan_t;

static int64_t likely(const strata_tile_builder_t *b, strata_size_t size) {
  return strata_size_likely(&b->sizes, size);
}

strata_size_t strata_tile_ceil_quotient(const strata_tile_builder_t *b, strata_size_t size, int64_t divisor) {
  MlirAffineExpr by = mlirAffineConstantExprGet(b->e.context, divisor);
  return strata_size_of_expr(&b->sizes, mlirAffineCeilDivExprGet(strata_size_expr(b->e.context, size), by));
}

// Indices of outer dim |dim| that are worth a task.
static int64_t least_chunk(const strata_tile_builder_t *b, const strata_tile_walk_t *walk, int dim) {
  int64_t work = strata_max(walk->work, 1);
  for (int inner = dim + 1; inner < walk->n_outer; inner++)
    work = strata_times(work, strata_max(1, likely(b, walk->outer[inner])));
  return strata_max(1, MIN_TASK_WORK / work);
}

// Decided at likely sizes; where they are others, there are as many more tasks.
static plan_t plan_outer(const strata_tile_builder_t *b, const strata_tile_walk_t *walk, int64_t wanted) {
  int64_t before = 1;
  strata_size_t points = strata_size_constant(1);
  int n_dims = walk->cross_tile ? walk->cross : walk->n_outer; // tiles of the crossing dim stay together
  for (int dim = 0; dim < n_dims; dim++) {
    int64_t extent = strata_max(1, likely(b, walk->outer[dim]));
    if (before * extent >= wanted || dim + 1 == n_dims) {
      int64_t chunks = wanted / before < 1 ? 1 : wanted / before > extent ? extent : wanted / before;
      int64_t chunk = strata_ceil_div(extent, chunks);
      if (strata_size_varies(walk->outer[dim])) // the likely ones may be few
        chunk = strata_max(chunk, least_chunk(b, walk, dim));
      return (plan_t){dim, chunk, strata_size_product(points, strata_tile_ceil_quotient(b, walk->outer[dim], chunk))};
    }
    before *= extent;
    points = strata_size_product(points, walk->outer[dim]);
  }
  return (plan_t){-1, 1, strata_size_constant(1)};
}

strata_loop_t strata_tile_tasks_begin(strata_tile_builder_t *b, strata_size_t count) {
  int64_t number;
  return strata_size_is_constant(count, &number)
             ? strata_emit_forall_begin(&b->e, number)
             : strata_emit_forall_begin_at_run_time(&b->e, strata_tile_size(b, count));
}

MlirValue strata_tile_task_part(strata_tile_builder_t *b, MlirAffineExpr expr, MlirValue task, strata_size_t n_tasks) {
  int64_t number;
  if (strata_size_is_constant(n_tasks, &number))
    return strata_emit_apply(&b->e, expr, 1, &task);
  int n_symbols = b->space.n_symbols;
  MlirAffineExpr counter = strata_tile_counter(b, task, n_tasks);
  MlirValue value = strata_tile_index(
      b, mlirAffineExprCompose(expr, mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, 1, &counter)));
  b->space.n_symbols = n_symbols;
  return value;
}

static void walk_outer_tasks(strata_tile_builder_t *b, walker_t *w, plan_t plan) {
  strata_loop_t forall = strata_tile_tasks_begin(b, plan.n_tasks);
  MlirContext context = b->e.context;
  MlirAffineExpr task = mlirAffineDimExprGet(context, 0);
  // Tasks of one point of the dims up to |dim|.
  strata_size_t strides[STRATA_MAX_DIMS + 1];
  strides[plan.dim] = strata_tile_ceil_quotient(b, w->walk->outer[plan.dim], plan.chunk);
  for (int dim = plan.dim; dim-- > 0;)
    strides[dim] = strata_size_product(strides[dim + 1], w->walk->outer[dim]);
  for (int dim = 0; dim < plan.dim; dim++) {
    strata_size_t extent = w->walk->outer[dim];
    MlirAffineExpr expr = mlirAffineFloorDivExprGet(task, strata_size_expr(context, strides[dim + 1]));
    if (dim > 0)
      expr = mlirAffineModExprGet(expr, strata_size_expr(context, extent));
    w->outer[dim] = strata_tile_counter(b, strata_tile_task_part(b, expr, forall.induction, plan.n_tasks), extent);
  }
  MlirAffineExpr chunk_expr = mlirAffineModExprGet(task, strata_size_expr(context, strides[plan.dim]));
  MlirValue chunk = strata_tile_task_part(b, chunk_expr, forall.induction, plan.n_tasks);
  strata_size_t extent = w->walk->outer[plan.dim];
  if (plan.chunk == 1) {
    w->outer[plan.dim] = strata_tile_counter(b, chunk, extent);
    emit_outer(b, w, plan.dim + 1);
  } else {
    strata_loop_t loop = begin_chunk(b, chunk, plan.chunk, extent, &w->outer[plan.dim]);
    emit_outer(b, w, plan.dim + 1);
    strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  }
  strata_emit_forall_end(&b->e, forall);
}

strata_tile_chunks_t strata_tile_chunks(int64_t extent, int64_t tile, int64_t wanted) {
  int64_t n_full = extent / tile;
  if (n_full <= 1)
    return (strata_tile_chunks_t){extent, tile, n_full, 1};
  int64_t chunk = strata_ceil_div(n_full, wanted < 1 ? 1 : wanted);
  return (strata_tile_chunks_t){extent, tile, chunk, strata_ceil_div(n_full, chunk)};
}

// Emits |body| for the tail, in the last run alone.
static void chunk_tail(strata_tile_builder_t *b, const strata_tile_chunks_t *chunks, MlirValue index,
                       strata_tile_chunk_body_t body, void *user) {
  int64_t tail = chunks->extent % chunks->tile;
  if (!tail)
    return;
  strata_loop_t branch = {0};
  strata_tile_known_t *known = b->known;
  if (chunks->n_chunks > 1) {
    MlirType i64 = mlirIntegerTypeGet(b->e.context, 64), i1 = mlirIntegerTypeGet(b->e.context, 1);
    strata_named_attr_t equal = {"predicate", mlirIntegerAttrGet(i64, 0)};
    MlirValue operands[2] = {index, strata_emit_index(&b->e, chunks->n_chunks - 1)};
    branch = strata_emit_if_begin(&b->e, strata_emit_value(&b->e, "arith.cmpi", 2, operands, i1, 1, &equal));
  }
  body(b, tail, strata_tile_constant(b, chunks->extent - tail), user);
  if (chunks->n_chunks > 1)
    strata_emit_if_end(&b->e, branch);
  b->known = known;
}

void strata_tile_chunk(strata_tile_builder_t *b, const strata_tile_chunks_t *chunks, MlirValue index,
                       strata_tile_chunk_body_t body, void *user) {
  int64_t n_full = chunks->extent / chunks->tile;
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  MlirAffineExpr counter = strata_tile_constant(b, 0);
  if (n_full > 1) {
    strata_loop_t loop;
    if (chunks->n_chunks > 1) {
      loop = begin_chunk(b, index, chunks->chunk, strata_size_constant(n_full), &counter);
    } else {
      loop =
          strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), strata_emit_index(&b->e, n_full), 1, 0, NULL, NULL);
      counter = strata_tile_symbol(b, loop.induction, n_full);
    }
    body(b, chunks->tile, strata_tile_scaled(b, counter, chunks->tile, strata_tile_constant(b, 0)), user);
    strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
  } else if (n_full == 1) {
    body(b, chunks->tile, counter, user);
  }
  b->known = known;
  b->space.n_symbols = n_symbols;
  chunk_tail(b, chunks, index, body, user);
}

static void chunk_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  emit_tile(b, user, size, base);
}

// Tasks along the vectorized dim, each going over all outer points.
static void walk_vector_tasks(strata_tile_builder_t *b, walker_t *w, int64_t wanted) {
  int64_t extent = strata_max(1, likely(b, w->walk->vector)), number;
  bool is_known = strata_size_is_constant(w->walk->vector, &number);
  strata_tile_chunks_t chunks = strata_tile_chunks(extent, w->walk->tile, wanted);
  int64_t run = strata_max(chunks.chunk, 1) * chunks.tile;
  run = strata_max(run, strata_round_up(MIN_TASK_WORK / strata_max(w->walk->work / extent, 1), chunks.tile));
  strata_size_t n_tasks =
      is_known ? strata_size_constant(chunks.n_chunks) : strata_tile_ceil_quotient(b, w->walk->vector, run);
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  strata_tile_loop_t loops[STRATA_MAX_DIMS];
  for (int dim = 0; dim < w->walk->n_outer; dim++)
    loops[dim] = strata_tile_loop_over(b, w->walk->outer[dim], &w->outer[dim]);
  if (is_known) {
    strata_tile_chunk(b, &chunks, forall.induction, chunk_tile, w);
  } else {
    MlirValue first, end;
    strata_tile_run_bounds(b, forall.induction, run, w->walk->vector, &first, &end);
    emit_between(b, w, first, end);
  }
  for (int dim = w->walk->n_outer; dim-- > 0;)
    strata_tile_loop_end(b, loops[dim]);
  strata_emit_forall_end(&b->e, forall);
}

typedef struct {
  int n_loops;
  const strata_size_t *trips;
  const strata_tile_range_t *ranges; // of all loops but the last; NULL: all of each
  int64_t unrolled;                  // of the last loop
  int n_carried;
  strata_tile_carry_body_t body;
  void *user;
  MlirAffineExpr counters[STRATA_MAX_DIMS];
} carry_t;

static void carry_loop(strata_tile_builder_t *b, carry_t *c, int i, MlirValue *carried);

// |count| iterations of loop |i|, one after the other, from |first| on.
static void carry_iterations(strata_tile_builder_t *b, carry_t *c, int i, MlirAffineExpr first, int64_t count,
                             MlirValue *carried) {
  for (int64_t j = 0; j < count && !b->status; j++) {
    strata_tile_known_t *known = b->known;
    c->counters[i] = strata_tile_scaled(b, first, 1, strata_tile_constant(b, j));
    carry_loop(b, c, i + 1, carried);
    b->known = known;
  }
}

// |n_trips| times |step| iterations of loop |i|, from |first| on.
static void carry_trips(strata_tile_builder_t *b, carry_t *c, int i, MlirAffineExpr first, strata_size_t n_trips,
                        int64_t step, MlirValue *carried) {
  MlirValue values[STRATA_TILE_CARRIED];
  int n_symbols = b->space.n_symbols;
  MlirValue end = strata_tile_size(b, n_trips);
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), end, 1, c->n_carried, carried, values);
  MlirAffineExpr counter = strata_tile_counter(b, loop.induction, n_trips);
  carry_iterations(b, c, i, strata_tile_scaled(b, counter, step, first), step, values);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, c->n_carried, values, carried);
  b->space.n_symbols = n_symbols;
}

// Loop |i| where the number of its trips varies.
static void carry_varying(strata_tile_builder_t *b, carry_t *c, int i, MlirValue *carried) {
  int64_t step = i == c->n_loops - 1 ? c->unrolled : 1;
  strata_size_t trips = c->trips[i];
  MlirAffineExpr start, by = strata_tile_constant(b, step);
  if (step == 1 || strata_size_max(trips) < step) {
    carry_trips(b, c, i, strata_tile_constant(b, 0), trips, 1, carried);
    return;
  }
  carry_trips(b, c, i, strata_tile_constant(b, 0), strata_tile_parts(b, trips, step, 0, &start), step, carried);
  strata_tile_parts(b, trips, step, 1, &start);
  strata_size_t rest = strata_size_of_expr(&b->sizes, mlirAffineModExprGet(trips.expr, by));
  if (!b->status)
    carry_trips(b, c, i, start, rest, 1, carried);
}

static void carry_loop(strata_tile_builder_t *b, carry_t *c, int i, MlirValue *carried) {
  if (b->status)
    return;
  if (i == c->n_loops) {
    c->body(b, c->counters, carried, c->user);
    return;
  }
  int64_t trips;
  if (!strata_size_is_constant(c->trips[i], &trips)) {
    carry_varying(b, c, i, carried);
    return;
  }
  int64_t step = i == c->n_loops - 1 && trips > c->unrolled ? c->unrolled : 1;
  MlirAffineExpr zero = strata_tile_constant(b, 0);
  if (trips == 1) {
    carry_iterations(b, c, i, zero, 1, carried);
    return;
  }
  MlirValue values[STRATA_TILE_CARRIED];
  int n_symbols = b->space.n_symbols;
  const strata_tile_range_t *range = c->ranges && i + 1 < c->n_loops ? &c->ranges[i] : NULL;
  MlirValue end = end_of(b, range, strata_size_constant(trips / step)), first = first_of(b, range);
  strata_loop_t loop = strata_emit_for_begin(&b->e, first, end, 1, c->n_carried, carried, values);
  MlirAffineExpr counter = strata_tile_symbol(b, loop.induction, trips / step);
  carry_iterations(b, c, i, strata_tile_scaled(b, counter, step, zero), step, values);
  if (!b->status)
    strata_emit_for_end(&b->e, loop, c->n_carried, values, carried);
  b->space.n_symbols = n_symbols;
  carry_iterations(b, c, i, strata_tile_constant(b, trips / step * step), trips % step, carried);
}

void strata_tile_carry(strata_tile_builder_t *b, int n_loops, const int64_t *trips, const strata_tile_range_t *ranges,
                       int64_t unrolled, int n_carried, MlirValue *carried, strata_tile_carry_body_t body, void *user) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  for (int i = 0; i < n_loops; i++)
    sizes[i] = strata_size_constant(trips[i]);
  strata_tile_carry_over(b, n_loops, sizes, ranges, unrolled, n_carried, carried, body, user);
}

void strata_tile_carry_over(strata_tile_builder_t *b, int n_loops, const strata_size_t *trips,
                            const strata_tile_range_t *ranges, int64_t unrolled, int n_carried, MlirValue *carried,
                            strata_tile_carry_body_t body, void *user) {
  carry_t carry = {.n_loops = n_loops,
                   .trips = trips,
                   .ranges = ranges,
                   .unrolled = unrolled,
                   .n_carried = n_carried,
                   .body = body,
                   .user = user};
  carry_loop(b, &carry, 0, carried);
}

void strata_tile_walk(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body, void *user) {
  if (b->schedule.group) {
    strata_tile_walk_gpu(b, walk, body, user);
    return;
  }
  walker_t w = {.walk = walk, .body = body, .user = user};
  int64_t points = 1;
  for (int dim = 0; dim < walk->n_outer; dim++)
    points *= strata_max(1, likely(b, walk->outer[dim]));
  int64_t wanted = points * walk->work / MIN_TASK_WORK;
  wanted = strata_max(1, strata_min(wanted, MAX_TASKS));
  int64_t n_full = likely(b, walk->vector) / walk->tile;
  if (strata_size_varies(walk->vector) && walk->n_outer == 0 && !walk->cross_tile) {
    walk_vector_tasks(b, &w, wanted);
  } else if (points < wanted && points < 32 && n_full > 1 && !walk->cross_tile) {
    walk_vector_tasks(b, &w, wanted);
  } else if ((wanted > 1 || strata_sizes_vary(walk->n_outer, walk->outer)) && walk->n_outer &&
             !(walk->cross_tile && walk->cross == 0)) {
    walk_outer_tasks(b, &w, plan_outer(b, walk, wanted));
  } else {
    strata_loop_t forall = strata_emit_forall_begin(&b->e, 1);
    emit_outer(b, &w, 0);
    strata_emit_forall_end(&b->e, forall);
  }
}
