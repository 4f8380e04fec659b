// Kernels without reductions: the stored nests' common space is walked by vectors.
//
//   affine.parallel (%i, %j) = (0, 0) to (8, 128) { ... affine.store %s, %y[%i, %j] }
// becomes
//   scf.forall (%t) in (1) { scf.for %i ... { scf.for %n = 0 to 2 { ... "tile.store"(%s, %y, %i, %n) {map = ...} } } }
#include "lowering/affine_to_tile/kinds.h"

typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *space; // a root; all roots have its extents
  int vector_dim;
} map_t;

static bool same_space(const strata_nest_t *a, const strata_nest_t *b) {
  if (a->n_parallel != b->n_parallel)
    return false;
  for (int i = 0; i < a->n_parallel; i++)
    if (a->extents[i] != b->extents[i])
      return false;
  return true;
}

// What it costs to run an access as vectors along |dim|: contiguous ones are cheap, scattered stores dear.
static int64_t access_cost(const strata_nest_t *nest, const strata_access_t *access, int dim) {
  int64_t stride;
  if (!strata_access_stride(nest, access, dim, &stride))
    return access->is_store ? 16 : 12;
  if (stride == 0)
    return 0;
  if (stride == 1)
    return 1;
  return access->is_store ? 12 : 8;
}

// The dim along which vectors are cheapest over all nests with the roots' space; the innermost on a tie.
static int choose_vector_dim(const map_t *map) {
  int best = map->space->n_parallel - 1;
  int64_t best_cost = INT64_MAX;
  for (int dim = map->space->n_parallel - 1; dim >= 0; dim--) {
    if (map->space->extents[dim] < 4 && dim != map->space->n_parallel - 1)
      continue;
    int64_t cost = map->space->extents[dim] < 8 ? 16 : 0;
    for (int i = 0; i < map->kernel->n_nests; i++) {
      const strata_nest_t *nest = &map->kernel->nests[i];
      for (int j = 0; j < nest->n_accesses && same_space(nest, map->space); j++)
        cost += access_cost(nest, &nest->accesses[j], dim);
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = dim;
    }
  }
  return best;
}

static void map_body(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  const map_t *map = user;
  MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  for (int dim = 0, n = 0; dim < map->space->n_parallel; dim++)
    point[dim] = dim == map->vector_dim ? vector : outer[n++];
  for (int i = 0; i < map->kernel->n_nests; i++) {
    const strata_nest_t *nest = &map->kernel->nests[i];
    for (int j = 0; j < nest->n_accesses && strata_nest_is_root(nest); j++) {
      const strata_access_t *store = &nest->accesses[j];
      if (!store->is_store || !mlirValueIsABlockArgument(store->buffer))
        continue;
      strata_tile_value_t value = strata_tile_stored_value(b, nest, store, point);
      int rank = strata_tile_access_coordinates(b, nest, store, point, coordinates);
      strata_tile_store(b, value, store->buffer, rank, coordinates);
    }
  }
}

strata_status_t strata_tile_map(strata_tile_builder_t *b) {
  map_t map = {.kernel = b->kernel};
  for (int i = 0; i < b->kernel->n_nests; i++) {
    const strata_nest_t *nest = &b->kernel->nests[i];
    if (!strata_nest_is_vectorizable(nest) || nest->n_reduction)
      return strata_error(STRATA_UNSUPPORTED, "a nest without vector form");
    if (!strata_nest_is_root(nest))
      continue;
    if (map.space && !same_space(nest, map.space))
      return strata_error(STRATA_UNSUPPORTED, "results of different shapes");
    map.space = nest;
  }
  if (!map.space)
    return strata_error(STRATA_INTERNAL, "a kernel that stores nothing");
  map.vector_dim = choose_vector_dim(&map);
  int64_t outer[STRATA_MAX_DIMS];
  strata_tile_walk_t walk = {.outer = outer, .vector = map.space->extents[map.vector_dim]};
  for (int dim = 0; dim < map.space->n_parallel; dim++)
    if (dim != map.vector_dim)
      outer[walk.n_outer++] = map.space->extents[dim];
  walk.tile = strata_tile_width(b, walk.vector);
  walk.work = walk.vector * b->kernel->n_nests;
  strata_tile_walk(b, &walk, map_body, &map);
  return b->status;
}
