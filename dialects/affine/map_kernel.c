// See map_kernel.h.
#include "dialects/affine/map_kernel.h"

#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"

static bool same_space(const strata_nest_t *a, const strata_nest_t *b) {
  return a->n_parallel == b->n_parallel && strata_sizes_equal(a->n_parallel, a->space.sizes, b->space.sizes);
}

// What it costs to run an access as vectors along |dim|: contiguous ones are cheap, scattered stores dear.
static int64_t access_cost(const strata_nest_t *nest, const strata_access_t *access, int dim) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  MlirAffineExpr stride;
  if (mlirAffineMapIsNull(access->map))
    return access->is_store ? 16 : 12;
  strata_memref_sizes(access->buffer, sizes);
  MlirAffineExpr position = strata_affine_linearize(access->map, sizes, &nest->space);
  if (!strata_affine_size_coefficient(position, dim, &stride))
    return access->is_store ? 16 : 12;
  int64_t number = mlirAffineExprIsAConstant(stride) ? mlirAffineConstantExprGetValue(stride) : INT64_MAX;
  if (number == 0)
    return 0;
  if (number == 1)
    return 1;
  return access->is_store ? 12 : 8;
}

// The dim along which vectors are cheapest over all nests with the roots' space; the innermost on a tie.
static int choose_vector_dim(const strata_map_kernel_t *map) {
  int best = map->space->n_parallel - 1;
  int64_t best_cost = INT64_MAX;
  for (int dim = map->space->n_parallel - 1; dim >= 0; dim--) {
    if (strata_nest_likely_extent(map->space, dim) < 4 && dim != map->space->n_parallel - 1)
      continue;
    int64_t cost = strata_nest_likely_extent(map->space, dim) < 8 ? 16 : 0;
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

//===-- Transpositions -------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_map_kernel_t *map;
  int64_t elements[STRATA_MAX_DIMS]; // read contiguously along each dim of the space, but not along the vector's
} crossing_t;

static int64_t likely_elements(const strata_nest_t *space, MlirValue buffer) {
  const strata_size_symbols_t symbols = strata_nest_symbols(space);
  return (int64_t)strata_memref_likely_elements(&symbols, mlirValueGetType(buffer));
}

// True if a value that does not vary along the vectors is not turned, as there is one a row. Where the number of rows
// is known such tiles are what was measured; where it varies they are two forms of all that is computed, unrolled.
static bool is_of_row(const strata_nest_t *space, MlirAffineExpr along, int dim) {
  return strata_size_varies(space->space.sizes[dim]) && mlirAffineExprIsAConstant(along) &&
         mlirAffineConstantExprGetValue(along) == 0;
}

// Counts what |nest| reads from outside when it is computed at |point|, expressions over the space.
static void count_reads(crossing_t *c, const strata_nest_t *nest, const MlirAffineExpr *point) {
  const strata_nest_t *space = c->map->space;
  int n_dims = nest->n_parallel + nest->n_reduction;
  MlirContext context = mlirOperationGetContext(c->map->kernel->func);
  MlirAffineMap at = mlirAffineMapGet(context, space->n_parallel, 0, n_dims, (MlirAffineExpr *)(uintptr_t)point);
  for (int i = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (access->is_store || !mlirValueIsABlockArgument(access->buffer) || mlirAffineMapIsNull(access->map))
      continue;
    strata_size_t sizes[STRATA_MAX_DIMS];
    int64_t stride;
    MlirAffineExpr along;
    strata_memref_sizes(access->buffer, sizes);
    int64_t elements = likely_elements(space, access->buffer);
    MlirAffineMap map = strata_affine_compose(access->map, at, &space->space);
    MlirAffineExpr position = strata_affine_linearize(map, sizes, &space->space);
    if (!strata_affine_size_coefficient(position, c->map->vector_dim, &along) ||
        mlirAffineExprEqual(along, mlirAffineConstantExprGet(context, 1)))
      continue;
    for (int dim = 0; dim < space->n_parallel; dim++)
      if (dim != c->map->vector_dim && strata_affine_coefficient(position, dim, &stride) && stride == 1 &&
          !is_of_row(space, along, dim))
        c->elements[dim] += elements;
  }
}

static void count_demanded(const strata_nest_t *producer, const strata_access_t *store, const MlirAffineExpr *point,
                           const MlirAffineExpr *coordinates, void *user) {
  (void)store;
  (void)coordinates;
  count_reads(user, producer, point);
}

static int choose_cross_dim(const strata_map_kernel_t *map) {
  crossing_t c = {.map = map};
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  int best = STRATA_MAP_NO_DIM;
  for (int dim = 0; dim < map->space->n_parallel; dim++)
    dims[dim] = mlirAffineDimExprGet(mlirOperationGetContext(map->kernel->func), dim);
  for (int i = 0; i < map->kernel->n_nests; i++)
    if (strata_nest_is_root(&map->kernel->nests[i])) {
      count_reads(&c, &map->kernel->nests[i], dims);
      strata_kernel_visit_demands(map->kernel, &map->kernel->nests[i], count_demanded, &c);
    }
  for (int dim = 0; dim < map->space->n_parallel; dim++)
    if (c.elements[dim] > (best == STRATA_MAP_NO_DIM ? 0 : c.elements[best]))
      best = dim;
  return best;
}

strata_status_t strata_map_kernel_read(const strata_kernel_t *kernel, strata_map_kernel_t *out) {
  *out = (strata_map_kernel_t){.kernel = kernel};
  for (int i = 0; i < kernel->n_nests; i++) {
    const strata_nest_t *nest = &kernel->nests[i];
    if (!strata_nest_is_vectorizable(nest) || nest->n_reduction)
      return strata_error(STRATA_UNSUPPORTED, "a nest without vector form");
    if (!strata_nest_is_root(nest))
      continue;
    if (out->space && !same_space(nest, out->space))
      return strata_error(STRATA_UNSUPPORTED, "results of different shapes");
    out->space = nest;
  }
  if (!out->space)
    return strata_error(STRATA_INTERNAL, "a kernel that stores nothing");
  out->vector_dim = choose_vector_dim(out);
  out->cross_dim = choose_cross_dim(out);
  return NULL;
}
