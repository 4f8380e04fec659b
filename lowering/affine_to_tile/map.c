// Kernels without reductions: the stored nests' common space is walked by vectors.
//
//   affine.parallel (%i, %j) = (0, 0) to (8, 128) { ... affine.store %s, %y[%i, %j] }
// becomes
//   scf.forall (%t) in (1) { scf.for %i ... { scf.for %n = 0 to 2 { ... "tile.store"(%s, %y, %i, %n) {map = ...} } } }
#include "dialects/affine/map_kernel.h"
#include "dialects/integers.h"
#include "lowering/affine_to_tile/kinds.h"

static void map_body(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  const strata_map_kernel_t *map = user;
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

// One nest of rows that are found by numbers in memory, or lie between such, runs along its rows.
static strata_status_t read_kernel(const strata_kernel_t *kernel, strata_map_kernel_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  if (kernel->n_nests > 1 || !(strata_nest_gathers_rows(nest) || strata_nest_loops_over_rows(nest)))
    return strata_map_kernel_read(kernel, out);
  *out = (strata_map_kernel_t){
      .kernel = kernel, .space = nest, .vector_dim = nest->n_parallel - 1, .cross_dim = STRATA_MAP_NO_DIM};
  return NULL;
}

strata_status_t strata_tile_map(strata_tile_builder_t *b) {
  strata_map_kernel_t map;
  STRATA_TRY(read_kernel(b->kernel, &map));
  strata_size_t outer[STRATA_MAX_DIMS];
  strata_tile_walk_t walk = {.outer = outer, .vector = map.space->space.sizes[map.vector_dim]};
  for (int dim = 0; dim < map.space->n_parallel; dim++)
    if (dim != map.vector_dim) {
      walk.cross = dim == map.cross_dim ? walk.n_outer : walk.cross;
      outer[walk.n_outer++] = map.space->space.sizes[dim];
    }
  walk.tile = strata_tile_width_of(b, walk.vector);
  if (b->schedule.n_tile == 2 && map.cross_dim != STRATA_MAP_NO_DIM) {
    walk.cross_tile = b->schedule.tile[1];
    // A square has as many rows in flight as the latency of loads asks for; what is wider is only longer code.
    if (!b->schedule.group)
      walk.tile = strata_min(walk.tile, walk.cross_tile);
  }
  walk.work = strata_size_likely(&b->sizes, walk.vector) * b->kernel->n_nests;
  if (map.space->is_serial)
    walk.work = strata_times(walk.work, strata_nest_loop_steps(map.space));
  strata_tile_walk(b, &walk, map_body, &map);
  return b->status;
}
