// Reading the maps of tile.load and tile.store; see access.h.
#include "lowering/tile_to_gpu/access.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"

static strata_status_t read_buffer(MlirOperation op, MlirType type, strata_gpu_box_t *box) {
  box->rank = (int)mlirShapedTypeGetRank(type);
  if (box->rank > STRATA_BOX_RANK || !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return strata_gpu_missing(op, "a buffer that is not contiguous");
  for (int i = 0; i < box->rank; i++)
    box->sizes[i] = strata_size_of_expr(&box->space.d->sizes, strata_type_dim(type, i));
  if (strata_op_is(op, STRATA_TILE_LOAD_PAGES))
    box->sizes[0] = strata_size_constant(strata_attr_i64(op, "pages", 0));
  return NULL;
}

// The results of |map| over the space: its dims are the vector's, its symbols old values.
static MlirAffineMap over_space(strata_index_space_t *space, MlirAffineMap map, const MlirAffineExpr *symbols) {
  MlirContext context = space->d->e.context;
  intptr_t n_dims = mlirAffineMapGetNumDims(map), n_symbols = mlirAffineMapGetNumSymbols(map);
  MlirAffineExpr values[2 * STRATA_INDEX_DIMS], results[STRATA_BOX_RANK];
  for (intptr_t i = 0; i < n_dims; i++)
    values[i] = mlirAffineDimExprGet(context, i);
  for (intptr_t i = 0; i < n_symbols; i++)
    values[n_dims + i] = symbols[i];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    results[i] =
        strata_index_simplify(space, strata_affine_apply(map, i, values, STRATA_INDEX_DIMS, STRATA_INDEX_SYMBOLS));
  return mlirAffineMapGet(context, space->n_dims, STRATA_INDEX_SYMBOLS, mlirAffineMapGetNumResults(map), results);
}

static void read_steps(strata_gpu_box_t *box) {
  box->is_linear = true;
  for (int i = 0; i < box->space.n_vector; i++)
    box->is_linear &= strata_affine_coefficient(box->position, i, &box->steps[i]);
}

strata_status_t strata_gpu_box_read(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type,
                                    strata_gpu_box_t *out_box) {
  strata_gpu_box_t *box = out_box;
  strata_registers_t shape = strata_registers_shape(type, &(strata_layout_t){0});
  *box = (strata_gpu_box_t){.space = strata_index_space(d, shape.rank, shape.sizes)};
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  intptr_t n_symbols = mlirOperationGetNumOperands(op) - buffer - 1;
  STRATA_TRY(read_buffer(op, mlirValueGetType(mlirOperationGetOperand(op, buffer)), box));
  strata_static_space_t storage;
  if (mlirAffineMapGetNumDims(map) != shape.rank || mlirAffineMapGetNumSymbols(map) != n_symbols ||
      mlirAffineMapGetNumResults(map) != box->rank || shape.rank + n_symbols > STRATA_INDEX_DIMS)
    return strata_gpu_missing(op, "a map that does not fit its operands");
  MlirAffineExpr symbols[STRATA_INDEX_DIMS];
  for (intptr_t i = 0; i < n_symbols; i++)
    symbols[i] = strata_index_resolve(&box->space, mlirOperationGetOperand(op, buffer + 1 + i));
  map = over_space(&box->space, map, symbols);
  for (int i = 0; i < box->rank; i++)
    box->coordinates[i] = mlirAffineMapGetResult(map, i);
  box->position = strata_affine_linearize(map, box->sizes, strata_index_known(&box->space, &storage));
  read_steps(box);
  return NULL;
}

int strata_gpu_box_contiguous(const strata_gpu_box_t *box) {
  for (int dim = box->space.n_vector; dim-- > 0;) {
    int64_t step;
    if (box->space.extents[dim] > 1 && strata_affine_coefficient(box->position, dim, &step) && step == 1)
      return dim;
  }
  return -1;
}

// The position where |dim| is 0 and the others are anything is a multiple of the width.
int64_t strata_gpu_box_width(const strata_gpu_box_t *box, int dim, int64_t most) {
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  int n_dims = box->space.n_dims;
  strata_static_space_t known;
  strata_index_known(&box->space, &known);
  for (int i = 0; i < n_dims; i++)
    dims[i] = i == dim || strata_size_is_one(known.sizes[i]) ? mlirAffineConstantExprGet(context, 0)
                                                             : mlirAffineDimExprGet(context, i);
  MlirAffineMap map = mlirAffineMapGet(context, n_dims, STRATA_INDEX_SYMBOLS, n_dims, dims);
  MlirAffineExpr start = mlirAffineExprCompose(box->position, map);
  int64_t width = 1;
  while (width * 2 <= most && box->space.extents[dim] % (width * 2) == 0 &&
         strata_index_is_multiple(&box->space, start, width * 2))
    width *= 2;
  return width;
}

static bool is_stored_to(MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (strata_op_is(op, "tile.store") || strata_op_is(op, "memref.store") || strata_op_is(op, "affine.store"))
      return true;
  }
  return false;
}

// The layout of what |op| moves in a loop over lanes; NULL: it is another op, or there.
static const strata_layout_t *layout_over_lanes(strata_gpu_distribution_t *d, MlirOperation op) {
  bool is_load = strata_op_is(op, "tile.load");
  if ((!is_load && !strata_op_is(op, "tile.store")) || !strata_attr_flag(op, STRATA_LANES))
    return NULL;
  return strata_layout_of(d, is_load ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0));
}

// True if nothing but loops over lanes touches |buffer|, and a lane is the same thread's in all of them.
static bool is_of_lanes(strata_gpu_distribution_t *d, MlirValue buffer) {
  const strata_layout_t *first = NULL;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    const strata_layout_t *layout = layout_over_lanes(d, mlirOpOperandGetOwner(use));
    if (!layout || (first && !strata_layout_equal(first, layout)))
      return false;
    first = layout;
  }
  return true;
}

bool strata_gpu_is_exchanged(strata_gpu_distribution_t *d, MlirValue buffer) {
  if (is_of_lanes(d, buffer))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (strata_op_is(mlirOpOperandGetOwner(use), "tile.load"))
      return is_stored_to(buffer);
  return false;
}

bool strata_gpu_is_read_only(MlirValue buffer) { return mlirValueIsABlockArgument(buffer) && !is_stored_to(buffer); }

bool strata_gpu_is_shifted(MlirOperation op, int buffer, int64_t width) {
  enum { MIN_BYTES = 8, MAX_ELEMENT = 4 };
  MlirValue memory = mlirOperationGetOperand(op, buffer);
  int64_t bytes = strata_element_bytes(mlirShapedTypeGetElementType(mlirValueGetType(memory)));
  return width * bytes < MIN_BYTES && bytes <= MAX_ELEMENT && strata_op_is(op, "tile.load") &&
         strata_gpu_is_read_only(memory);
}

bool strata_gpu_has_zero_pad(MlirOperation load) {
  MlirAttribute pad = strata_attr(load, "pad");
  return mlirAttributeIsNull(pad) || strata_attr_is_zero(pad);
}

intptr_t strata_gpu_mask_count(MlirAttribute mask) {
  return mlirAttributeIsNull(mask) ? 0 : mlirIntegerSetGetNumConstraints(mlirIntegerSetAttrGetValue(mask));
}

bool strata_gpu_mask_constraint(strata_gpu_box_t *box, MlirOperation op, int first_symbol, intptr_t i,
                                MlirAffineExpr *out_expr) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(op, "mask"));
  MlirContext context = box->space.d->e.context;
  intptr_t n_dims = mlirIntegerSetGetNumDims(set), n_symbols = mlirIntegerSetGetNumSymbols(set);
  MlirAffineExpr values[2 * STRATA_INDEX_DIMS];
  for (intptr_t dim = 0; dim < n_dims; dim++)
    values[dim] = mlirAffineDimExprGet(context, dim);
  for (intptr_t s = 0; s < n_symbols; s++)
    values[n_dims + s] = strata_index_resolve(&box->space, mlirOperationGetOperand(op, first_symbol + s));
  MlirAffineMap one =
      mlirAffineMapGet(context, n_dims, n_symbols, 1, (MlirAffineExpr[]){mlirIntegerSetGetConstraint(set, i)});
  *out_expr = strata_affine_apply(one, 0, values, STRATA_INDEX_DIMS, STRATA_INDEX_SYMBOLS);
  return mlirIntegerSetIsConstraintEq(set, i);
}
