// Rows that the registers of a group of threads hold as a whole: see rows.h.
//
//   %x = "tile.load"(%b, %row) ... -> vector<768xf32>
//   %m = vector.multi_reduction <maximumf>, %x, %low [0]   ...   "tile.store"(%y, %r, %row)
//
// What one nest has loaded or computed is known to the next: they stand in one block, and a nest whose inner dims have
// the same extents walks the same vectors. Where some operand is contiguous along the rows' own dim, a task has several
// rows: they are vector dim 0, in front of the inner dims, and what one row has one of is a vector over them.
#include "lowering/affine_to_tile/rows.h"

#include "dialects/affine/nest.h"
#include "dialects/mlir_text.h"

// The vector dims that are rows, as a mask: all there are when the builder stands between nests.
static uint32_t rows_mask(const strata_rows_t *rows) { return rows->block > 1 ? 1 : 0; }

// Makes the inner dims of |member| the vector dims of the space behind the rows; *out_dims is the mask of both. What
// hangs over the end of a dim whose extent varies is outside the bounds, from |rows->n_bounds| on.
static void enter_inner(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member,
                        MlirAffineExpr *out_point, uint32_t *out_dims) {
  MlirAffineExpr inner[STRATA_MAX_DIMS];
  b->space.n_vector = rows->block > 1;
  b->n_bounds = rows->n_bounds;
  for (int dim = 0; dim < strata_nest_n_dims(member->nest); dim++) {
    strata_size_t size = member->nest->space.sizes[dim];
    inner[dim] = strata_tile_constant(b, 0);
    if (member->row_of[dim] != STRATA_NOT_A_ROW || strata_size_is_one(size))
      continue;
    b->space.extents[b->space.n_vector] = strata_row_held_extent(member, dim, b->schedule.tile[0]);
    inner[dim] = strata_tile_vector_dim(b, b->space.n_vector++);
    if (strata_size_varies(size))
      strata_tile_bound(b, inner[dim], size);
  }
  *out_dims = (1u << b->space.n_vector) - 1;
  strata_rows_point(rows, member, inner, out_point);
}

// What the innermost loop combines with the carried value, for all elements at once.
static MlirValue combined_elements(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point,
                                   uint32_t dims, int n_bounds) {
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  strata_tile_value_t elements = strata_tile_evaluate(b, &frame, strata_row_combined(nest));
  elements = strata_rows_masked(b, nest, elements, n_bounds);
  return b->status ? elements.value : strata_tile_broadcast(b, elements, dims);
}

// True for a sum whose additions may take in products (fast math).
static bool contracts(const strata_tile_builder_t *b, const strata_nest_t *nest) {
  MlirOperation op = strata_nest_combining_op(nest);
  return strata_op_is(op, "arith.addf") && strata_is_fast(b->kernel->arena, op, "contract");
}

static MlirValue combine(strata_tile_builder_t *b, const strata_nest_t *nest, MlirValue elements, MlirValue start) {
  if (!mlirTypeEqual(mlirValueGetType(elements), mlirValueGetType(start))) {
    MlirValue combined = strata_rows_combine(b, strata_row_combining_kind(nest), elements, start);
    if (contracts(b, nest))
      strata_set_attr(mlirOpResultGetOwner(combined), "tile.contracts", mlirUnitAttrGet(b->e.context));
    return combined;
  }
  MlirValue operands[2] = {start, elements};
  return strata_emit_value(&b->e, strata_op_name(strata_nest_combining_op(nest)).data, 2, operands,
                           mlirValueGetType(start), 0, NULL);
}

static void emit_reduction(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  uint32_t dims;
  enter_inner(b, rows, member, point, &dims);
  MlirValue elements = combined_elements(b, nest, point, dims, rows->n_bounds);
  strata_tile_value_t start = strata_rows_start(b, nest, point, 0, rows_mask(rows));
  if (b->status)
    return;
  MlirValue result = combine(b, nest, elements, start.value);
  b->space.n_vector = rows->block > 1;
  b->n_bounds = rows->n_bounds;
  strata_rows_finish(b, rows, member, &(strata_tile_value_t){result, rows_mask(rows)});
}

static void emit_stores(strata_tile_builder_t *b, const strata_rows_t *rows, const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  uint32_t dims;
  enter_inner(b, rows, member, point, &dims);
  for (int i = 0; i < nest->n_accesses && !b->status; i++) {
    const strata_access_t *store = &nest->accesses[i];
    if (!store->is_store || !mlirValueIsABlockArgument(store->buffer))
      continue;
    strata_tile_value_t value = strata_tile_stored_value(b, nest, store, point);
    int rank = strata_tile_access_coordinates(b, nest, store, point, coordinates);
    strata_tile_store(b, value, store->buffer, rank, coordinates);
  }
  b->n_bounds = rows->n_bounds;
}

// What shared memory holds is loaded from there, and computed, by every nest: only scalars stay in registers.
static void forget_vectors(strata_tile_builder_t *b) {
  for (strata_tile_known_t **known = &b->known; *known;)
    if ((*known)->value.dims)
      *known = (*known)->next;
    else
      known = &(*known)->next;
}

// Whether the dims of |member| that vary are not those of |before|: of vectors of one, elements may be missing that one
// of the other has.
static bool hangs_elsewhere(const strata_row_member_t *before, const strata_row_member_t *member) {
  strata_size_t sizes[2][STRATA_MAX_DIMS];
  int n[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    const strata_row_member_t *of = i ? member : before;
    for (int dim = 0; dim < strata_nest_n_dims(of->nest); dim++)
      if (of->row_of[dim] == STRATA_NOT_A_ROW && strata_size_varies(of->nest->space.sizes[dim]))
        sizes[i][n[i]++] = of->nest->space.sizes[dim];
  }
  return n[0] != n[1] || !strata_sizes_equal(n[0], sizes[0], sizes[1]);
}

void strata_rows_block(strata_tile_builder_t *b, const strata_rows_t *rows) {
  int n_vector = b->space.n_vector;
  const strata_row_member_t *before = NULL;
  for (int i = 0; i < rows->of.kernel->n_nests && !b->status; i++) {
    const strata_row_member_t *member = &rows->of.members[i];
    if (!member->takes_part)
      continue;
    if (before && hangs_elsewhere(before, member))
      forget_vectors(b);
    before = member;
    if (member->nest->n_reduction)
      emit_reduction(b, rows, member);
    else
      emit_stores(b, rows, member);
    if (b->schedule.slots)
      forget_vectors(b);
  }
  b->space.n_vector = n_vector;
}
