// From a contraction's sums to what its kernel stores; see contract.h.
#include "lowering/affine_to_tile/contract.h"

strata_tile_value_t strata_tile_contract_result(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                                const MlirAffineExpr *point, strata_tile_value_t sum) {
  strata_tile_frame_t frame = {.nest = c->nest, .point = point};
  strata_tile_bind(b, &frame, mlirOperationGetResult(c->nest->loops[0], 0), sum);
  return strata_tile_evaluate(b, &frame, c->store->value);
}

void strata_tile_contract_know(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                               const MlirAffineExpr *point, strata_tile_value_t sum) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  strata_tile_value_t result = strata_tile_contract_result(b, c, point, sum);
  if (b->status)
    return;
  int rank = strata_tile_access_coordinates(b, c->nest, c->store, point, coordinates);
  strata_tile_know(b, c->store->buffer, rank, coordinates, result);
  if (mlirValueIsABlockArgument(c->store->buffer))
    strata_tile_store(b, result, c->store->buffer, rank, coordinates);
}

// What |root|, a nest after the contraction, stores at |point|.
static void store_root(strata_tile_builder_t *b, const strata_nest_t *root, const MlirAffineExpr *point) {
  MlirAffineExpr target[STRATA_MAX_DIMS];
  for (int i = 0; i < root->n_accesses; i++) {
    const strata_access_t *access = &root->accesses[i];
    if (!access->is_store || !mlirValueIsABlockArgument(access->buffer))
      continue;
    strata_tile_value_t value = strata_tile_stored_value(b, root, access, point);
    int rank = strata_tile_access_coordinates(b, root, access, point, target);
    strata_tile_store(b, value, access->buffer, rank, target);
  }
}

void strata_tile_contract_stores(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                 const MlirAffineExpr *point, strata_tile_value_t result) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], at[STRATA_MAX_DIMS];
  const strata_access_t *store = c->store;
  int rank = strata_tile_access_coordinates(b, c->nest, store, point, coordinates);
  strata_tile_know(b, store->buffer, rank, coordinates, result);
  if (mlirValueIsABlockArgument(store->buffer))
    strata_tile_store(b, result, store->buffer, rank, coordinates);
  strata_static_space_t storage;
  const strata_space_t *space = strata_tile_space(b, &storage);
  for (int i = 0; i < c->kernel->n_nests && !b->status; i++) {
    const strata_nest_t *root = &c->kernel->nests[i];
    bool is_wanted = strata_nest_is_root(root) || (c->places && root->n_reduction);
    if (!is_wanted || root == c->nest || root == c->other.nest)
      continue;
    if (c->places) {
      strata_tile_contract_place(b, c, root, point, at);
      if (root->n_reduction)
        strata_tile_contract_reduce(b, root, at);
      else
        store_root(b, root, at);
    } else if (strata_contraction_root_point(c, root, space, coordinates, at)) {
      store_root(b, root, at);
    } else {
      strata_tile_fail(b, "affine-to-tile: an epilogue that does not follow its contraction");
    }
  }
}

static void prefetch_stores(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point) {
  enum { SECOND_LEVEL = 2 };
  MlirAffineExpr target[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_accesses; i++) {
    const strata_access_t *access = &nest->accesses[i];
    if (!access->is_store || !mlirValueIsABlockArgument(access->buffer))
      continue;
    int rank = strata_tile_access_coordinates(b, nest, access, point, target);
    strata_tile_prefetch(b, access->buffer, rank, target, SECOND_LEVEL);
  }
}

void strata_tile_contract_prefetch(strata_tile_builder_t *b, const strata_contraction_kernel_t *c,
                                   const MlirAffineExpr *point) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], at[STRATA_MAX_DIMS];
  strata_static_space_t storage;
  strata_tile_access_coordinates(b, c->nest, c->store, point, coordinates);
  const strata_space_t *space = strata_tile_space(b, &storage);
  prefetch_stores(b, c->nest, point);
  for (int i = 0; i < c->kernel->n_nests && !b->status; i++) {
    const strata_nest_t *root = &c->kernel->nests[i];
    if (root != c->nest && strata_nest_is_root(root) && strata_contraction_root_point(c, root, space, coordinates, at))
      prefetch_stores(b, root, at);
  }
}
