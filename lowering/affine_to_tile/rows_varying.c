// Rows whose length varies, on GPUs: see rows.h.
//
//   %is_short = arith.cmpi sle, %length, %c512
//   scf.if %is_short { vectors of 512 elements, masked } else { tiles of 512, of which the last is masked }
//
// What hangs over a row's end is not loaded or stored, and reductions take their neutral element there.
#include "lowering/affine_to_tile/rows.h"

#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"

//===-- Masks ----------------------------------------------------------------------------------------------------===//

// What changes nothing of a reduction that begins with its neutral element, as one of rows does: a sum with 0.
static MlirValue neutral_of(strata_tile_builder_t *b, const strata_nest_t *nest, MlirType type) {
  const char *kind = strata_row_combining_kind(nest);
  if (mlirTypeIsAFloat(type) && !strcmp(kind, "add"))
    return strata_emit_real(&b->e, type, 0);
  return strata_emit_start(&b->e, strata_combining_attr(b->e.context, kind), type);
}

strata_tile_value_t strata_rows_masked(strata_tile_builder_t *b, const strata_nest_t *nest, strata_tile_value_t element,
                                       int first_bound) {
  if (b->status || b->n_bounds == first_bound)
    return element;
  strata_tile_value_t mask = strata_tile_within(b, b->n_bounds - first_bound, b->bounds + first_bound);
  MlirType type = mlirValueGetType(strata_row_combined(nest));
  strata_tile_value_t neutral = {neutral_of(b, nest, type), 0};
  uint32_t dims = mask.dims | element.dims;
  MlirValue operands[3] = {strata_tile_broadcast(b, mask, dims), strata_tile_broadcast(b, element, dims),
                           strata_tile_broadcast(b, neutral, dims)};
  MlirValue value = strata_emit_value(&b->e, "arith.select", 3, operands, strata_tile_type(b, type, dims), 0, NULL);
  return (strata_tile_value_t){value, dims};
}

//===-- Lengths --------------------------------------------------------------------------------------------------===//

// |held| and that |size| is at most |extent|.
static MlirValue and_at_most(strata_tile_builder_t *b, MlirValue held, strata_size_t size, int64_t extent) {
  enum { PREDICATE_SLE = 3 };
  MlirType i64 = mlirIntegerTypeGet(b->e.context, 64), i1 = mlirIntegerTypeGet(b->e.context, 1);
  strata_named_attr_t predicate = {"predicate", mlirIntegerAttrGet(i64, PREDICATE_SLE)};
  MlirValue compared[2] = {strata_tile_size(b, size), strata_emit_index(&b->e, extent)};
  MlirValue both[2] = {held, strata_emit_value(&b->e, "arith.cmpi", 2, compared, i1, 1, &predicate)};
  return mlirValueIsNull(held) ? both[1] : strata_emit_value(&b->e, "arith.andi", 2, both, i1, 0, NULL);
}

MlirValue strata_rows_are_held(strata_tile_builder_t *b, const strata_rows_t *rows) {
  MlirValue held = {NULL};
  strata_size_t asked[STRATA_MAX_DIMS];
  int64_t extents[STRATA_MAX_DIMS];
  int n_asked = 0;
  for (int i = 0; i < rows->of.kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->of.members[i];
    for (int dim = 0; member->takes_part && dim < strata_nest_n_dims(member->nest); dim++) {
      strata_size_t size = member->nest->space.sizes[dim];
      int64_t extent = strata_row_held_extent(member, dim, b->schedule.tile[0]);
      if (member->row_of[dim] != STRATA_NOT_A_ROW || strata_size_max(size) <= extent)
        continue;
      bool is_asked = n_asked == STRATA_MAX_DIMS;
      for (int j = 0; j < n_asked; j++)
        is_asked |= strata_size_equal(asked[j], size) && extents[j] <= extent;
      if (is_asked)
        continue;
      asked[n_asked] = size;
      extents[n_asked++] = extent;
      held = and_at_most(b, held, size, extent);
    }
  }
  return held;
}
