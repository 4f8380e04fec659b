// Nests over the inner dims of a row, and dear intermediates kept in scratch memory: see rows.h.
#include "lowering/affine_to_tile/rows.h"

enum { MAX_SCRATCH_BYTES = 256 * 1024 };

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
    int score = strata_nest_static_extent(nest, dim) > 1;
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
  int64_t outer[STRATA_MAX_DIMS];
  strata_tile_walk_t walk = {.outer = outer, .vector = 1, .tile = 1};
  for (int dim = 0; dim < member->nest->n_parallel; dim++)
    if (member->row_of[dim] == STRATA_NOT_A_ROW && dim != inner.vector_dim)
      outer[walk.n_outer++] = strata_nest_static_extent(member->nest, dim);
  if (rows->of.across != STRATA_NOT_A_ROW) {
    // The rows are the vector: the inner dims are scalar loops around it.
    MlirAffineExpr coordinates[STRATA_MAX_DIMS];
    strata_tile_loop_t loops[STRATA_MAX_DIMS];
    for (int i = 0; i < walk.n_outer; i++)
      loops[i] = strata_tile_loop_begin(b, outer[i], &coordinates[i]);
    inner_body(b, coordinates, strata_tile_constant(b, 0), &inner);
    for (int i = walk.n_outer; i-- > 0;)
      strata_tile_loop_end(b, loops[i]);
    return;
  }
  if (inner.vector_dim >= 0) {
    walk.vector = strata_nest_static_extent(member->nest, inner.vector_dim);
    walk.tile = strata_tile_width(b, walk.vector);
  }
  strata_tile_walk_here(b, &walk, inner_body, &inner);
}

//===-- Keeping dear intermediates -------------------------------------------------------------------------------===//

static bool is_dear(const strata_nest_t *nest) {
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_name(op);
    if (name.length > 5 && !strncmp(name.data, "math.", 5) && !strata_op_is(op, "math.absf"))
      return true;
  }
  return false;
}

static int n_readers(const strata_rows_t *rows, MlirValue buffer) {
  int count = 0;
  for (int i = 0; i < rows->of.kernel->n_nests; i++) {
    const strata_nest_t *nest = &rows->of.kernel->nests[i];
    bool reads = false;
    for (int j = 0; j < nest->n_accesses; j++)
      reads = reads || (!nest->accesses[j].is_store && mlirValueEqual(nest->accesses[j].buffer, buffer));
    count += reads;
  }
  return count;
}

// A dear private nest read more than once, whose store is plainly one buffer coordinate a dim, and which a row's worth
// of scratch can hold.
static bool is_worth_keeping(const strata_rows_t *rows, const strata_row_member_t *member,
                             const strata_access_t **out_store) {
  const strata_nest_t *nest = member->nest;
  int n_stores = 0;
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store) {
      *out_store = &nest->accesses[i];
      n_stores++;
    }
  if (nest->n_reduction || n_stores != 1 || mlirValueIsABlockArgument((*out_store)->buffer) || !is_dear(nest) ||
      n_readers(rows, (*out_store)->buffer) < 2)
    return false;
  int64_t count = 1;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (member->row_of[dim] == STRATA_NOT_A_ROW)
      count *= strata_nest_static_extent(nest, dim);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults((*out_store)->map); i++)
    if (!mlirAffineExprIsADim(mlirAffineMapGetResult((*out_store)->map, i)))
      return false;
  return count * 8 <= MAX_SCRATCH_BYTES;
}

void strata_rows_nest(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  emit_inner_nest(b, rows, member, (MlirValue){0});
}

void strata_rows_keep(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  const strata_access_t *store = NULL;
  if (!is_worth_keeping(rows, member, &store))
    return;
  strata_tile_moved_t *moved = strata_arena_new(rows->of.kernel->arena, strata_tile_moved_t);
  int64_t sizes[STRATA_MAX_DIMS], kept[STRATA_MAX_DIMS];
  int rank = strata_memref_static_sizes(store->buffer, sizes);
  for (int i = 0; i < rank; i++) {
    int dim = (int)mlirAffineDimExprGetPosition(mlirAffineMapGetResult(store->map, i));
    if (member->row_of[dim] != STRATA_NOT_A_ROW)
      continue;
    moved->coordinate[moved->rank] = i;
    kept[moved->rank++] = sizes[i];
  }
  if (moved->rank == 0)
    return;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(store->buffer));
  MlirType type = mlirMemRefTypeContiguousGet(element, moved->rank, kept, (MlirAttribute){0});
  moved->memory = strata_emit_scratch(&b->e, type);
  moved->next = b->moved;
  b->moved = moved;
  // While the copy is made the buffer is still its producer's; then reads go to the copy.
  emit_inner_nest(b, rows, member, moved->memory);
  moved->buffer = store->buffer;
}
