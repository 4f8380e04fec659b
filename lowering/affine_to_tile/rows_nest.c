// Nests over the inner dims of a row, and dear intermediates kept in scratch memory: see rows.h.
#include "lowering/affine_to_tile/rows.h"

//===-- Nests over the inner dims of a row -----------------------------------------------------------------------===//

typedef struct {
  const strata_rows_t *rows;
  const strata_row_member_t *member;
  int vector_dim;   // of the nest, -1 for none
  MlirValue memory; // scratch that the nest's buffer is kept in; null: the nest's own stores
} inner_nest_t;

static void inner_body(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  const inner_nest_t *inner = user;
  const strata_nest_t *nest = inner->member->nest;
  MlirAffineExpr dims[STRATA_MAX_DIMS], point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  for (int dim = 0, n = 0; dim < nest->n_parallel; dim++)
    if (inner->member->row_of[dim] == STRATA_NOT_A_ROW)
      dims[dim] = dim == inner->vector_dim ? vector : outer[n++];
  strata_rows_point(inner->rows, inner->member, dims, point);
  for (int i = 0; i < nest->n_accesses && !b->status; i++) {
    const strata_access_t *store = &nest->accesses[i];
    if (!store->is_store)
      continue;
    strata_tile_value_t value = strata_tile_stored_value(b, nest, store, point);
    int rank = strata_tile_access_coordinates(b, nest, store, point, coordinates);
    if (!mlirValueIsNull(inner->memory)) {
      MlirAffineExpr kept[STRATA_MAX_DIMS];
      for (int j = 0; j < b->moved->rank; j++)
        kept[j] = coordinates[b->moved->coordinate[j]];
      strata_tile_store(b, value, inner->memory, b->moved->rank, kept);
    } else if (mlirValueIsABlockArgument(store->buffer)) {
      strata_tile_store(b, value, store->buffer, rank, coordinates);
    }
  }
}

static int inner_nest_vector_dim(const strata_rows_t *rows, const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  int best = -1, best_score = -1;
  for (int dim = 0; dim < nest->n_parallel && rows->of.across == STRATA_NOT_A_ROW; dim++) {
    if (member->row_of[dim] != STRATA_NOT_A_ROW)
      continue;
    int score = !strata_size_is_one(nest->space.sizes[dim]);
    for (int i = 0; i < nest->n_accesses; i++) {
      int64_t stride;
      if (strata_access_stride(nest, &nest->accesses[i], dim, &stride))
        score += (stride == 1) * (nest->accesses[i].is_store ? 3 : 1);
    }
    if (score >= best_score) {
      best = dim;
      best_score = score;
    }
  }
  return best;
}

static void emit_inner_nest(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member,
                            MlirValue memory) {
  inner_nest_t inner = {.rows = rows, .member = member, .memory = memory};
  inner.vector_dim = inner_nest_vector_dim(rows, member);
  strata_size_t outer[STRATA_MAX_DIMS];
  strata_tile_walk_t walk = {.outer = outer, .vector = strata_size_constant(1), .tile = 1};
  for (int dim = 0; dim < member->nest->n_parallel; dim++)
    if (member->row_of[dim] == STRATA_NOT_A_ROW && dim != inner.vector_dim)
      outer[walk.n_outer++] = member->nest->space.sizes[dim];
  if (rows->of.across != STRATA_NOT_A_ROW) {
    // The rows are the vector: the inner dims are scalar loops around it.
    MlirAffineExpr coordinates[STRATA_MAX_DIMS];
    strata_tile_loop_t loops[STRATA_MAX_DIMS];
    for (int i = 0; i < walk.n_outer; i++)
      loops[i] = strata_tile_loop_over(b, outer[i], &coordinates[i]);
    inner_body(b, coordinates, strata_tile_constant(b, 0), &inner);
    for (int i = walk.n_outer; i-- > 0;)
      strata_tile_loop_end(b, loops[i]);
    return;
  }
  if (inner.vector_dim >= 0) {
    walk.vector = member->nest->space.sizes[inner.vector_dim];
    walk.tile = strata_tile_width_of(b, walk.vector);
  }
  strata_tile_walk_here(b, &walk, inner_body, &inner);
}

//===-- Keeping dear intermediates -------------------------------------------------------------------------------===//

void strata_rows_nest(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  emit_inner_nest(b, rows, member, (MlirValue){0});
}

// A row that varies has room for the longest.
void strata_rows_keep(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  const strata_access_t *store = strata_row_kept_store(&rows->of, member);
  if (!store || strata_row_kept_elements(member).max > STRATA_ROW_MAX_KEPT)
    return;
  strata_tile_moved_t *moved = strata_arena_new(rows->of.kernel->arena, strata_tile_moved_t);
  int64_t kept[STRATA_MAX_DIMS];
  MlirType buffer = mlirValueGetType(store->buffer);
  for (int i = 0; i < (int)mlirShapedTypeGetRank(buffer); i++) {
    int dim = (int)mlirAffineDimExprGetPosition(mlirAffineMapGetResult(store->map, i));
    if (member->row_of[dim] != STRATA_NOT_A_ROW)
      continue;
    moved->coordinate[moved->rank] = i;
    kept[moved->rank++] = strata_size_max(strata_size_of_expr(&b->sizes, strata_type_dim(buffer, i)));
  }
  if (moved->rank == 0)
    return;
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(buffer), moved->rank, kept, (MlirAttribute){0});
  moved->memory = strata_emit_scratch(&b->e, type);
  moved->next = b->moved;
  b->moved = moved;
  // While the copy is made the buffer is still its producer's; then reads go to the copy.
  emit_inner_nest(b, rows, member, moved->memory);
  moved->buffer = store->buffer;
}
