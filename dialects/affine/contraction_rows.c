// See contraction_rows.h.
#include "dialects/affine/contraction_rows.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/row_kernel.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"

// What is being placed: a nest and the contraction whose dims its place is told in.
typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *contraction, *nest;
  strata_contraction_place_t *places;
} follow_t;

// |map| of |nest|'s dims where these are |place|'s, over the contraction's.
static MlirAffineExpr at_place(const follow_t *f, const strata_nest_t *nest, const strata_contraction_place_t *place,
                               MlirAffineExpr expr) {
  MlirContext context = mlirOperationGetContext(nest->op);
  int n = f->contraction->n_parallel;
  MlirAffineMap at =
      mlirAffineMapGet(context, n, 0, strata_nest_n_dims(nest), (MlirAffineExpr *)(uintptr_t)place->dims);
  return strata_affine_simplify(mlirAffineExprCompose(expr, at), &f->contraction->space);
}

// Where |read| finds what a nest with a place has stored; false if it reads something else.
static bool read_target(const follow_t *f, const strata_access_t *read, MlirAffineExpr *out_target) {
  const strata_access_t *store;
  if (read->is_store)
    return false;
  const strata_nest_t *producer = strata_kernel_producer(f->kernel, read->buffer, &store);
  const strata_contraction_place_t *place = producer ? &f->places[producer - f->kernel->nests] : NULL;
  if (!producer || producer == f->nest || !place->is_known || mlirAffineMapIsNull(store->map))
    return false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(store->map); i++)
    out_target[i] = at_place(f, producer, place, mlirAffineMapGetResult(store->map, i));
  return true;
}

// The first read that says where the nest is when it reads that.
static bool find_place(const follow_t *f, strata_contraction_place_t *place, bool *out_reads) {
  MlirAffineExpr target[STRATA_MAX_DIMS];
  *out_reads = false;
  for (int i = 0; i < f->nest->n_accesses && !place->is_known; i++) {
    const strata_access_t *read = &f->nest->accesses[i];
    strata_size_t sizes[STRATA_MAX_DIMS];
    if (mlirAffineMapIsNull(read->map) || !read_target(f, read, target))
      continue;
    *out_reads = true;
    strata_memref_sizes(read->buffer, sizes);
    place->is_known =
        strata_affine_invert(read->map, &f->nest->space, sizes, target, &f->contraction->space, place->dims);
  }
  return place->is_known;
}

static bool all_reads_agree(const follow_t *f, const strata_contraction_place_t *place) {
  MlirAffineExpr target[STRATA_MAX_DIMS];
  for (int i = 0; i < f->nest->n_accesses; i++) {
    const strata_access_t *read = &f->nest->accesses[i];
    if (!read_target(f, read, target))
      continue;
    if (mlirAffineMapIsNull(read->map))
      return false;
    for (intptr_t j = 0; j < mlirAffineMapGetNumResults(read->map); j++)
      if (!mlirAffineExprEqual(at_place(f, f->nest, place, mlirAffineMapGetResult(read->map, j)), target[j]))
        return false;
  }
  return true;
}

static bool is_dim(MlirAffineExpr expr, int dim) {
  return mlirAffineExprIsADim(expr) && mlirAffineDimExprGetPosition(expr) == dim;
}

// The same of sizes that vary: the nest's dims are some of the contraction's, as many points of each, and none but the
// column is left out.
static bool has_same_dims(const follow_t *f, const strata_contraction_place_t *place, int column) {
  const strata_nest_t *from = f->contraction;
  for (int dim = 0; dim < from->n_parallel; dim++) {
    int count = 0;
    for (int own = 0; own < strata_nest_n_dims(f->nest); own++)
      if (is_dim(place->dims[own], dim)) {
        if (!strata_size_equal(f->nest->space.sizes[own], from->space.sizes[dim]))
          return false;
        count++;
      }
    if (count > 1 || (count == 0 && dim != column && !strata_size_is_one(from->space.sizes[dim])))
      return false;
  }
  for (int own = 0; own < strata_nest_n_dims(f->nest); own++)
    if (!mlirAffineExprIsADim(place->dims[own]) && !strata_size_is_one(f->nest->space.sizes[own]))
      return false;
  return true;
}

// True if the place takes each element of the result, or each row of it where no dim is of its column, to a point of
// its own, and leaves out none.
static bool covers_all(const follow_t *f, const strata_contraction_place_t *place, int column) {
  const strata_nest_t *from = f->contraction;
  int64_t points = 1, wanted = 1, min, max;
  bool has_column = false;
  if (strata_nest_varies(f->nest) || strata_nest_varies(from))
    return has_same_dims(f, place, column);
  for (int dim = 0; dim < strata_nest_n_dims(f->nest); dim++) {
    points *= strata_nest_static_extent(f->nest, dim);
    has_column |= strata_affine_expr_uses(place->dims[dim], column);
    if (!strata_affine_range(place->dims[dim], &from->space, &min, &max) || min != 0 ||
        max != strata_nest_static_extent(f->nest, dim) - 1)
      return false;
  }
  for (int dim = 0; dim < from->n_parallel; dim++)
    wanted *= dim == column && !has_column ? 1 : strata_nest_static_extent(from, dim);
  return points == wanted;
}

// True of a plain combination of a row's elements in one result.
static bool reduces_row(const follow_t *f, const strata_contraction_place_t *place, int column) {
  const strata_nest_t *nest = f->nest;
  if (nest->n_reduction != 1 || mlirOperationGetNumResults(nest->loops[0]) != 1 || !strata_row_combining_kind(nest) ||
      !strata_size_equal(nest->space.sizes[nest->n_parallel], f->contraction->space.sizes[column]) ||
      !is_dim(place->dims[nest->n_parallel], column))
    return false;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (strata_affine_expr_uses(place->dims[dim], column))
      return false;
  return true;
}

const char *strata_contraction_follow(const strata_kernel_t *kernel, const strata_nest_t *contraction, int column,
                                      int i, strata_contraction_place_t *places) {
  follow_t f = {kernel, contraction, &kernel->nests[i], places};
  strata_contraction_place_t place = {0};
  bool reads;
  if (!find_place(&f, &place, &reads))
    return reads ? "a nest reads results again" : NULL;
  if (!strata_nest_is_vectorizable(f.nest))
    return "a nest without vector form";
  if (!all_reads_agree(&f, &place))
    return "a nest reads several results";
  if (!covers_all(&f, &place, column))
    return "a nest works on a part of the results";
  if (f.nest->n_reduction && !reduces_row(&f, &place, column))
    return "a reduction of something else than rows";
  places[i] = place;
  return NULL;
}

bool strata_contraction_has_rows(const strata_contraction_kernel_t *c) {
  strata_contraction_axis_t axes[STRATA_N_AXES];
  strata_contraction_axes(c, axes);
  return strata_size_equal(axes[STRATA_AXIS_COLUMN].size, c->nest->space.sizes[c->sides[STRATA_SIDE_V].tile_dim]);
}

strata_status_t strata_contraction_read_rows(strata_contraction_kernel_t *c) {
  const strata_kernel_t *kernel = c->kernel;
  if (!strata_contraction_has_rows(c))
    return strata_error(STRATA_UNSUPPORTED, "rows of several dims");
  c->places = strata_arena_array(kernel->arena, strata_contraction_place_t, kernel->n_nests);
  MlirContext context = mlirOperationGetContext(c->nest->op);
  for (int i = 0; i < kernel->n_nests; i++) {
    strata_contraction_place_t *place = &c->places[i];
    if (&kernel->nests[i] == c->nest) {
      place->is_known = true;
      for (int dim = 0; dim < strata_nest_n_dims(c->nest); dim++)
        place->dims[dim] =
            dim < c->nest->n_parallel ? mlirAffineDimExprGet(context, dim) : mlirAffineConstantExprGet(context, 0);
      continue;
    }
    const char *why = strata_contraction_follow(kernel, c->nest, c->sides[STRATA_SIDE_V].tile_dim, i, c->places);
    bool is_wanted = kernel->nests[i].n_reduction || strata_nest_is_root(&kernel->nests[i]);
    if (why || (is_wanted && !place->is_known))
      return strata_error(STRATA_UNSUPPORTED, "%s", why ? why : "a nest that does not follow the contraction");
  }
  return NULL;
}
