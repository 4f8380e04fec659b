// Tasks on a GPU: see kinds.h.
//
//   scf.forall (%t) in (24) {          // 8 rows of 3 tiles, the last of them shorter
//     %i = %t floordiv 3   %n = %t mod 3
//     scf.if %n < 2 { ... vector<1024xf32> ... } else { ... vector<952xf32> ... } }
#include "lowering/affine_to_tile/kinds.h"

#include "dialects/integers.h"

typedef struct {
  const strata_tile_walk_t *walk;
  strata_tile_body_t body;
  void *user;
  MlirAffineExpr outer[STRATA_MAX_DIMS];
} walker_t;

// (task floordiv stride) mod extent as a coordinate; the first digit needs no mod, the last no division.
static MlirAffineExpr digit(strata_tile_builder_t *b, MlirValue task, int64_t n_tasks, int64_t stride, int64_t extent) {
  if (extent == 1)
    return strata_tile_constant(b, 0);
  MlirAffineExpr expr = mlirAffineDimExprGet(b->e.context, 0);
  if (stride > 1)
    expr = mlirAffineFloorDivExprGet(expr, strata_tile_constant(b, stride));
  if (stride * extent < n_tasks)
    expr = mlirAffineModExprGet(expr, strata_tile_constant(b, extent));
  return strata_tile_symbol(b, strata_emit_apply(&b->e, expr, 1, &task), extent);
}

static void emit_tile(strata_tile_builder_t *b, walker_t *w, int64_t size, MlirAffineExpr base) {
  strata_tile_known_t *known = b->known;
  b->space.n_vector = 1;
  b->space.extents[0] = size;
  w->body(b, w->outer, strata_tile_scaled(b, base, 1, strata_tile_vector_dim(b, 0)), w->user);
  b->known = known;
  b->space.n_vector = 0;
}

// Full tiles and the tail, told apart by the tile's number.
static void emit_tiles(strata_tile_builder_t *b, walker_t *w, MlirAffineExpr tile) {
  int64_t size = w->walk->tile, n_full = strata_size_static_value(w->walk->vector) / size,
          tail = strata_size_static_value(w->walk->vector) % size;
  MlirAffineExpr base = strata_tile_scaled(b, tile, size, strata_tile_constant(b, 0));
  if (!tail) {
    emit_tile(b, w, size, base);
    return;
  }
  enum { PREDICATE_SLT = 2 };
  MlirType i64 = mlirIntegerTypeGet(b->e.context, 64), i1 = mlirIntegerTypeGet(b->e.context, 1);
  strata_named_attr_t less = {"predicate", mlirIntegerAttrGet(i64, PREDICATE_SLT)};
  MlirValue operands[2] = {strata_tile_index(b, tile), strata_emit_index(&b->e, n_full)};
  strata_loop_t branch = strata_emit_if_begin(&b->e, strata_emit_value(&b->e, "arith.cmpi", 2, operands, i1, 1, &less));
  emit_tile(b, w, size, base);
  strata_emit_if_else(&b->e, branch);
  emit_tile(b, w, tail, strata_tile_constant(b, n_full * size));
  strata_emit_if_end(&b->e, branch);
}

// extent - 1 - coordinate >= 0 for the points that exist.
static void add_bound(strata_tile_builder_t *b, MlirAffineExpr coordinate, int64_t extent, int64_t tile) {
  if (extent % tile)
    b->bounds[b->n_bounds++] = strata_tile_scaled(b, coordinate, -1, strata_tile_constant(b, extent - 1));
}

// A tile of two vector dims, the crossing one first.
static void emit_crossing(strata_tile_builder_t *b, walker_t *w, MlirAffineExpr tile, MlirAffineExpr cross) {
  const strata_tile_walk_t *walk = w->walk;
  int64_t extent = strata_size_static_value(walk->outer[walk->cross]);
  strata_tile_known_t *known = b->known;
  b->space.n_vector = 2;
  b->space.extents[0] = walk->cross_tile;
  b->space.extents[1] = walk->tile;
  w->outer[walk->cross] = strata_tile_scaled(b, cross, walk->cross_tile, strata_tile_vector_dim(b, 0));
  MlirAffineExpr vector = strata_tile_scaled(b, tile, walk->tile, strata_tile_vector_dim(b, 1));
  add_bound(b, w->outer[walk->cross], extent, walk->cross_tile);
  add_bound(b, vector, strata_size_static_value(walk->vector), walk->tile);
  w->body(b, w->outer, vector, w->user);
  b->n_bounds = 0;
  b->known = known;
  b->space.n_vector = 0;
}

void strata_tile_walk_gpu(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body,
                          void *user) {
  walker_t w = {.walk = walk, .body = body, .user = user};
  int64_t n_tiles = strata_ceil_div(strata_size_static_value(walk->vector), walk->tile), n_tasks = n_tiles,
          stride = n_tiles, counts[STRATA_MAX_DIMS];
  for (int dim = 0; dim < walk->n_outer; dim++) {
    bool is_cross = walk->cross_tile && dim == walk->cross;
    int64_t extent = strata_size_static_value(walk->outer[dim]);
    counts[dim] = is_cross ? strata_ceil_div(extent, walk->cross_tile) : extent;
    n_tasks *= counts[dim];
  }
  strata_loop_t forall = strata_emit_forall_begin(&b->e, n_tasks);
  MlirAffineExpr tile = digit(b, forall.induction, n_tasks, 1, n_tiles);
  for (int dim = walk->n_outer; dim-- > 0; stride *= counts[dim])
    w.outer[dim] = digit(b, forall.induction, n_tasks, stride, counts[dim]);
  if (walk->cross_tile)
    emit_crossing(b, &w, tile, w.outer[walk->cross]);
  else
    emit_tiles(b, &w, tile);
  strata_emit_forall_end(&b->e, forall);
}
