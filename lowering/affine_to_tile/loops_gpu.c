// Tasks on a GPU: see kinds.h.
//
//   scf.forall (%t) in (24) {          // 8 rows of 3 tiles, the last of them shorter
//     %i = %t floordiv 3   %n = %t mod 3
//     scf.if %n < 2 { ... vector<1024xf32> ... } else { ... vector<952xf32> ... } }
//
// Where extents vary, counts and numbers are expressions of sizes, and the last tile is as long as the others and
// masked:
//   scf.forall (%t) in (%rows * (%columns ceildiv 1024)) { %i = %t floordiv (%columns ceildiv 1024)  ... }
#include "lowering/affine_to_tile/kinds.h"

#include "dialects/integers.h"

typedef struct {
  const strata_tile_walk_t *walk;
  strata_tile_body_t body;
  void *user;
  MlirAffineExpr outer[STRATA_MAX_DIMS];
} walker_t;

// (task floordiv stride) mod extent as a coordinate; the first digit needs no division, the last no mod.
static MlirAffineExpr digit(strata_tile_builder_t *b, MlirValue task, strata_size_t n_tasks, strata_size_t stride,
                            strata_size_t extent, bool is_last) {
  if (strata_size_is_one(extent))
    return strata_tile_constant(b, 0);
  MlirAffineExpr expr = mlirAffineDimExprGet(b->e.context, 0);
  if (!strata_size_is_one(stride))
    expr = mlirAffineFloorDivExprGet(expr, strata_size_expr(b->e.context, stride));
  if (!is_last)
    expr = mlirAffineModExprGet(expr, strata_size_expr(b->e.context, extent));
  return strata_tile_counter(b, strata_tile_task_part(b, expr, task, n_tasks), extent);
}

static void emit_tile(strata_tile_builder_t *b, walker_t *w, int64_t size, MlirAffineExpr base, bool hangs) {
  strata_tile_known_t *known = b->known;
  b->space.n_vector = 1;
  b->space.extents[0] = size;
  MlirAffineExpr vector = strata_tile_scaled(b, base, 1, strata_tile_vector_dim(b, 0));
  if (hangs)
    strata_tile_bound(b, vector, w->walk->vector);
  w->body(b, w->outer, vector, w->user);
  b->n_bounds = 0;
  b->known = known;
  b->space.n_vector = 0;
}

// A branch on whether the tile is one of the first |n_full|.
static strata_loop_t begin_full(strata_tile_builder_t *b, MlirAffineExpr tile, strata_size_t n_full) {
  enum { PREDICATE_SLT = 2 };
  MlirType i64 = mlirIntegerTypeGet(b->e.context, 64), i1 = mlirIntegerTypeGet(b->e.context, 1);
  strata_named_attr_t less = {"predicate", mlirIntegerAttrGet(i64, PREDICATE_SLT)};
  MlirValue operands[2] = {strata_tile_index(b, tile), strata_tile_size(b, n_full)};
  return strata_emit_if_begin(&b->e, strata_emit_value(&b->e, "arith.cmpi", 2, operands, i1, 1, &less));
}

// Full tiles and the tail, told apart by the tile's number. Where the tail's size varies it is a tile that hangs over.
static void emit_tiles(strata_tile_builder_t *b, walker_t *w, MlirAffineExpr tile) {
  strata_size_t extent = w->walk->vector;
  int64_t size = w->walk->tile, number;
  bool varies = !strata_size_is_constant(extent, &number);
  MlirAffineExpr base = strata_tile_scaled(b, tile, size, strata_tile_constant(b, 0));
  if (strata_size_divides(size, extent) || strata_size_max(extent) <= size) {
    emit_tile(b, w, size, base, varies && !strata_size_divides(size, extent));
    return;
  }
  MlirAffineExpr whole =
      mlirAffineFloorDivExprGet(strata_size_expr(b->e.context, extent), strata_tile_constant(b, size));
  strata_loop_t branch = begin_full(b, tile, strata_size_of_expr(&b->sizes, whole));
  emit_tile(b, w, size, base, false);
  strata_emit_if_else(&b->e, branch);
  if (varies)
    emit_tile(b, w, size, base, true);
  else
    emit_tile(b, w, number % size, strata_tile_constant(b, number / size * size), false);
  strata_emit_if_end(&b->e, branch);
}

// A tile of two vector dims, the crossing one first.
static void emit_crossing(strata_tile_builder_t *b, walker_t *w, MlirAffineExpr tile, MlirAffineExpr cross) {
  const strata_tile_walk_t *walk = w->walk;
  strata_tile_known_t *known = b->known;
  b->space.n_vector = 2;
  b->space.extents[0] = walk->cross_tile;
  b->space.extents[1] = walk->tile;
  w->outer[walk->cross] = strata_tile_scaled(b, cross, walk->cross_tile, strata_tile_vector_dim(b, 0));
  MlirAffineExpr vector = strata_tile_scaled(b, tile, walk->tile, strata_tile_vector_dim(b, 1));
  if (!strata_size_divides(walk->cross_tile, walk->outer[walk->cross]))
    strata_tile_bound(b, w->outer[walk->cross], walk->outer[walk->cross]);
  if (!strata_size_divides(walk->tile, walk->vector))
    strata_tile_bound(b, vector, walk->vector);
  w->body(b, w->outer, vector, w->user);
  b->n_bounds = 0;
  b->known = known;
  b->space.n_vector = 0;
}

void strata_tile_walk_gpu(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body,
                          void *user) {
  walker_t w = {.walk = walk, .body = body, .user = user};
  strata_size_t n_tiles = strata_tile_ceil_quotient(b, walk->vector, walk->tile), n_tasks = n_tiles, stride = n_tiles,
                counts[STRATA_MAX_DIMS];
  int first = walk->n_outer; // of the dims that have several tasks: the last digit
  for (int dim = walk->n_outer; dim-- > 0;) {
    bool is_cross = walk->cross_tile && dim == walk->cross;
    counts[dim] = is_cross ? strata_tile_ceil_quotient(b, walk->outer[dim], walk->cross_tile) : walk->outer[dim];
    n_tasks = strata_size_product(n_tasks, counts[dim]);
    first = strata_size_is_one(counts[dim]) ? first : dim;
  }
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  MlirAffineExpr tile = digit(b, forall.induction, n_tasks, strata_size_constant(1), n_tiles, first == walk->n_outer);
  for (int dim = walk->n_outer; dim-- > 0; stride = strata_size_product(stride, counts[dim]))
    w.outer[dim] = digit(b, forall.induction, n_tasks, stride, counts[dim], dim == first);
  if (walk->cross_tile)
    emit_crossing(b, &w, tile, w.outer[walk->cross]);
  else
    emit_tiles(b, &w, tile);
  strata_emit_forall_end(&b->e, forall);
}
