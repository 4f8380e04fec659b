// See contraction.h.
#include "dialects/affine/contraction.h"

#include "dialects/affine/contraction_rows.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

static const strata_access_t *store_of(const strata_nest_t *nest) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store)
      return &nest->accesses[i];
  return NULL;
}

//===-- From the result to what is stored ------------------------------------------------------------------------===//

typedef struct {
  const strata_nest_t *anchor, *other; // of a pair, whose results lie alike
  bool found;
  int rank;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
} anchor_demand_t;

static void find_anchor(const strata_nest_t *producer, const strata_access_t *store, const MlirAffineExpr *point,
                        const MlirAffineExpr *coordinates, void *user) {
  (void)point;
  anchor_demand_t *demand = user;
  if ((producer != demand->anchor && producer != demand->other) || demand->found)
    return;
  demand->found = true;
  demand->rank = (int)mlirAffineMapGetNumResults(store->map);
  for (int i = 0; i < demand->rank; i++)
    demand->coordinates[i] = coordinates[i];
}

bool strata_contraction_root_point(const strata_contraction_kernel_t *c, const strata_nest_t *root,
                                   const strata_space_t *target_space, const MlirAffineExpr *coordinates,
                                   MlirAffineExpr *out_point) {
  anchor_demand_t demand = {.anchor = c->nest, .other = c->other.nest ? c->other.nest : c->nest};
  strata_kernel_visit_demands(c->kernel, root, find_anchor, &demand);
  if (!demand.found)
    return false;
  MlirContext context = mlirOperationGetContext(root->op);
  MlirAffineMap map = mlirAffineMapGet(context, root->n_parallel, 0, demand.rank, demand.coordinates);
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(c->store->buffer, sizes);
  return strata_affine_invert(map, &root->space, sizes, coordinates, target_space, out_point);
}

// How far apart neighbours along the nest's dim |dim| are in what the kernel stores in the end.
static bool result_stride(const strata_contraction_kernel_t *c, int dim, int64_t *out_stride) {
  const strata_nest_t *nest = c->nest;
  if (strata_nest_is_root(nest) || c->kernel->n_nests == (c->other.nest ? 2 : 1))
    return strata_access_stride(nest, c->store, dim, out_stride);
  int n_dims = strata_nest_n_dims(nest);
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], point[STRATA_MAX_DIMS];
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(c->store->map); i++)
    coordinates[i] = mlirAffineMapGetResult(c->store->map, i);
  for (int i = 0; i < c->kernel->n_nests; i++) {
    const strata_nest_t *root = &c->kernel->nests[i];
    if (!strata_nest_is_root(root))
      continue;
    if (!strata_contraction_root_point(c, root, &nest->space, coordinates, point))
      return false;
    MlirContext context = mlirOperationGetContext(root->op);
    MlirAffineMap at = mlirAffineMapGet(context, n_dims, 0, root->n_parallel, point);
    MlirAffineMap map = strata_affine_compose(store_of(root)->map, at, &nest->space);
    strata_size_t sizes[STRATA_MAX_DIMS];
    strata_memref_sizes(store_of(root)->buffer, sizes);
    return strata_affine_coefficient(strata_affine_linearize(map, sizes, &nest->space), dim, out_stride);
  }
  return false;
}

//===-- Sides ----------------------------------------------------------------------------------------------------===//

// Which dim runs along registers: the one nearest to contiguous in the result, of those that only one operand has.
static int choose_vector_dim(const strata_contraction_kernel_t *c, uint32_t only_one) {
  int best = STRATA_NO_DIM;
  int64_t best_stride = INT64_MAX;
  for (int dim = 0; dim < c->nest->n_parallel; dim++) {
    int64_t stride;
    if (!(only_one & 1u << dim) || strata_size_is_one(c->nest->space.sizes[dim]) || !result_stride(c, dim, &stride) ||
        stride < 1)
      continue;
    if (stride < best_stride) {
      best = dim;
      best_stride = stride;
    }
  }
  return best;
}

// The longest dim of |only|; the innermost of equals. Sizes that vary count for what they are at least, as a batch of
// one leaves registers of rows empty: of dims that fill them at any size the one that is longest most often.
static int choose_row_dim(const strata_nest_t *nest, uint32_t only) {
  enum { FULL = 16 };
  int best = STRATA_NO_DIM;
  int64_t best_least = 0, best_likely = 0;
  for (int dim = 0; dim < nest->n_parallel; dim++) {
    if (!(only & 1u << dim) || strata_size_is_one(nest->space.sizes[dim]))
      continue;
    int64_t least = strata_min(FULL, strata_size_min(nest->space.sizes[dim]));
    int64_t likely = strata_nest_likely_extent(nest, dim);
    if (best == STRATA_NO_DIM || least > best_least || (least == best_least && likely >= best_likely)) {
      best = dim;
      best_least = least;
      best_likely = likely;
    }
  }
  return best;
}

// The multiplication whose product the innermost loop adds.
static MlirOperation product_of(const strata_nest_t *nest) {
  MlirOperation add = mlirOpResultGetOwner(mlirOperationGetOperand(mlirBlockGetTerminator(nest->inner), 0));
  bool product_first = mlirValueEqual(mlirOperationGetOperand(add, 1), mlirBlockGetArgument(nest->inner, 1));
  return mlirOpResultGetOwner(mlirOperationGetOperand(add, product_first ? 0 : 1));
}

static bool reads_alike(const strata_access_t *a, const strata_access_t *b) {
  return mlirTypeEqual(mlirValueGetType(a->buffer), mlirValueGetType(b->buffer)) &&
         mlirAffineMapEqual(a->map, b->map) && mlirOperationIsNull(a->guard) && mlirOperationIsNull(b->guard);
}

// Alike but for constants added to the coordinates: parts of one buffer.
static bool reads_part_alike(const strata_nest_t *nest, const strata_access_t *a, const strata_access_t *b) {
  if (!mlirTypeEqual(mlirValueGetType(a->buffer), mlirValueGetType(b->buffer)) || !mlirOperationIsNull(a->guard) ||
      !mlirOperationIsNull(b->guard) || mlirAffineMapIsNull(a->map) || mlirAffineMapIsNull(b->map))
    return false;
  MlirAffineExpr minus = mlirAffineConstantExprGet(mlirOperationGetContext(nest->op), -1);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); i++) {
    MlirAffineExpr apart = mlirAffineAddExprGet(mlirAffineMapGetResult(b->map, i),
                                                mlirAffineMulExprGet(mlirAffineMapGetResult(a->map, i), minus));
    if (!mlirAffineExprIsAConstant(strata_affine_simplify(apart, &nest->space)))
      return false;
  }
  return true;
}

// Whether what each multiplies is scaled, on either side.
static bool are_scaled_alike(const strata_contraction_t *a, const strata_contraction_t *b) {
  bool result = true;
  for (int i = 0; i < 2; i++) {
    MlirValue scaled;
    const strata_access_t *first = strata_nest_scale(a->nest, mlirOperationGetOperand(product_of(a->nest), i), &scaled);
    const strata_access_t *second =
        strata_nest_scale(b->nest, mlirOperationGetOperand(product_of(b->nest), i), &scaled);
    result &= (first == NULL) == (second == NULL) && (!first || mlirAffineMapEqual(first->map, second->map));
  }
  return result;
}

static bool is_pair(const strata_contraction_t *a, const strata_contraction_t *b) {
  int n_dims = strata_nest_n_dims(a->nest);
  MlirType sum = mlirValueGetType(mlirOperationGetResult(a->nest->loops[0], 0));
  return a->nest->n_parallel == b->nest->n_parallel && n_dims == strata_nest_n_dims(b->nest) &&
         strata_sizes_equal(n_dims, a->nest->space.sizes, b->nest->space.sizes) &&
         mlirTypeEqual(sum, mlirValueGetType(mlirOperationGetResult(b->nest->loops[0], 0))) &&
         reads_part_alike(a->nest, a->lhs, b->lhs) && reads_part_alike(a->nest, a->rhs, b->rhs) &&
         reads_alike(a->store, b->store) && are_scaled_alike(a, b);
}

// One or a pair; the second's nest is NULL where there is none. *out_reduces: other reductions follow one.
static strata_status_t find_contractions(const strata_kernel_t *kernel, strata_contraction_t *out,
                                         strata_contraction_t *out_other, bool *out_reduces) {
  int found = 0;
  *out_other = (strata_contraction_t){0};
  *out_reduces = false;
  for (int i = 0; i < kernel->n_nests; i++) {
    const strata_nest_t *nest = &kernel->nests[i];
    if (!strata_nest_is_vectorizable(nest))
      return strata_error(STRATA_UNSUPPORTED, "a nest without vector form");
    if (!nest->n_reduction)
      continue;
    strata_contraction_t other;
    bool is_contraction = strata_nest_contraction(nest, found ? &other : out);
    bool pairs = found == 1 && !*out_reduces && is_contraction && is_pair(out, &other);
    if (found == 2 || (!found && !is_contraction))
      return strata_error(STRATA_UNSUPPORTED, "not one contraction");
    *out_reduces = found && !pairs;
    if (pairs)
      *out_other = other;
    found += !found || pairs;
  }
  return found ? NULL : strata_error(STRATA_UNSUPPORTED, "no contraction");
}

static strata_contraction_side_t side_of(const strata_nest_t *nest, const strata_access_t *access, MlirValue factor,
                                         uint32_t dims) {
  MlirValue scaled;
  return (strata_contraction_side_t){.access = access,
                                     .factor = factor,
                                     .scale = strata_nest_scale(nest, factor, &scaled),
                                     .dims = dims,
                                     .tile_dim = STRATA_NO_DIM};
}

static void set_sides(strata_contraction_kernel_t *c, const strata_contraction_t *found, int rhs_side) {
  MlirOperation product = product_of(found->nest);
  c->sides[1 - rhs_side] = side_of(found->nest, found->lhs, mlirOperationGetOperand(product, 0), found->lhs_dims);
  c->sides[rhs_side] = side_of(found->nest, found->rhs, mlirOperationGetOperand(product, 1), found->rhs_dims);
}

strata_status_t strata_contraction_read(const strata_kernel_t *kernel, strata_contraction_kernel_t *out) {
  strata_contraction_t found, other;
  bool reduces;
  STRATA_TRY(find_contractions(kernel, &found, &other, &reduces));
  strata_contraction_kernel_t c = {
      .kernel = kernel, .nest = found.nest, .store = found.store, .n_reduced = 1, .other = other};
  int v = choose_vector_dim(&c, found.lhs_dims ^ found.rhs_dims);
  if (v == STRATA_NO_DIM)
    return strata_error(STRATA_UNSUPPORTED, "no result dim that only one operand has");
  int rhs_side = found.rhs_dims & 1u << v ? STRATA_SIDE_V : STRATA_SIDE_U;
  const strata_access_t *shared = rhs_side == STRATA_SIDE_V ? found.lhs : found.rhs;
  const strata_access_t *others = rhs_side == STRATA_SIDE_V ? other.lhs : other.rhs;
  if (other.nest && (!mlirValueEqual(shared->buffer, others->buffer) || !reads_alike(shared, others)))
    return strata_error(STRATA_UNSUPPORTED, "two contractions that do not share their rows' operand");
  set_sides(&c, &found, rhs_side);
  strata_contraction_side_t *sides = c.sides;
  sides[STRATA_SIDE_V].tile_dim = v;
  sides[STRATA_SIDE_U].tile_dim = choose_row_dim(c.nest, sides[STRATA_SIDE_U].dims & ~sides[STRATA_SIDE_V].dims);
  for (int dim = 0; dim < c.nest->n_parallel; dim++)
    if (dim != v && dim != sides[STRATA_SIDE_U].tile_dim)
      c.outer[c.n_outer++] = dim;
  for (int i = 0; i < c.nest->n_reduction; i++)
    c.n_reduced *= strata_max(1, strata_nest_likely_extent(c.nest, c.nest->n_parallel + i));
  if (reduces)
    STRATA_TRY(strata_contraction_read_rows(&c));
  *out = c;
  return NULL;
}

bool strata_is_contraction(const strata_kernel_t *kernel, strata_contraction_kernel_t *out) {
  strata_status_t status = strata_contraction_read(kernel, out);
  strata_status_free(status);
  return !status;
}

strata_contraction_kernel_t strata_contraction_second(const strata_contraction_kernel_t *c) {
  strata_contraction_kernel_t second = *c;
  int rhs_side = c->other.rhs_dims & 1u << c->sides[STRATA_SIDE_V].tile_dim ? STRATA_SIDE_V : STRATA_SIDE_U;
  second.nest = c->other.nest;
  second.store = c->other.store;
  set_sides(&second, &c->other, rhs_side);
  for (int side = 0; side < 2; side++)
    second.sides[side].tile_dim = c->sides[side].tile_dim;
  return second;
}

//===-- Axes -----------------------------------------------------------------------------------------------------===//

static void add_to_axis(const strata_nest_t *nest, strata_contraction_axis_t *axis, int dim) {
  axis->dims[axis->n_dims++] = dim;
  axis->size = strata_size_product(axis->size, nest->space.sizes[dim]);
  axis->extent *= strata_max(1, strata_nest_likely_extent(nest, dim));
}

// The reduction dim to run fastest: contiguous in either operand, the longer operand's first; else the last.
static int innermost_step(const strata_contraction_kernel_t *c, bool rows_are_longer) {
  const strata_nest_t *nest = c->nest;
  int first = rows_are_longer ? STRATA_SIDE_U : STRATA_SIDE_V;
  for (int i = 0; i < 2; i++)
    for (int dim = nest->n_parallel; dim < strata_nest_n_dims(nest); dim++) {
      int64_t stride;
      const strata_access_t *access = c->sides[i ? 1 - first : first].access;
      if (!strata_size_is_one(nest->space.sizes[dim]) && strata_access_stride(nest, access, dim, &stride) &&
          stride == 1)
        return dim;
    }
  return strata_nest_n_dims(nest) - 1;
}

void strata_contraction_axes(const strata_contraction_kernel_t *c, strata_contraction_axis_t *out_axes) {
  const strata_nest_t *nest = c->nest;
  uint32_t u = c->sides[STRATA_SIDE_U].dims, v = c->sides[STRATA_SIDE_V].dims;
  int last = c->sides[STRATA_SIDE_V].tile_dim;
  for (int axis = 0; axis < STRATA_N_AXES; axis++)
    out_axes[axis] = (strata_contraction_axis_t){.size = strata_size_constant(1), .extent = 1};
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (dim != last && (u ^ v) & 1u << dim)
      add_to_axis(nest, &out_axes[u & 1u << dim ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN], dim);
  add_to_axis(nest, &out_axes[STRATA_AXIS_COLUMN], last);
  int inner = innermost_step(c, out_axes[STRATA_AXIS_ROW].extent > out_axes[STRATA_AXIS_COLUMN].extent);
  for (int dim = nest->n_parallel; dim < strata_nest_n_dims(nest); dim++)
    if (dim != inner)
      add_to_axis(nest, &out_axes[STRATA_AXIS_STEP], dim);
  add_to_axis(nest, &out_axes[STRATA_AXIS_STEP], inner);
}

int strata_contraction_axis_last(const strata_nest_t *nest, const strata_contraction_axis_t *axis) {
  for (int i = axis->n_dims; i-- > 0;)
    if (!strata_size_is_one(nest->space.sizes[axis->dims[i]]))
      return axis->dims[i];
  return STRATA_NO_DIM;
}

//===-- Questions ------------------------------------------------------------------------------------------------===//

MlirValue strata_contraction_narrow(const strata_contraction_kernel_t *c, int side) {
  MlirValue factor = c->sides[side].factor;
  strata_nest_scale(c->nest, factor, &factor);
  if (!mlirValueIsAOpResult(factor))
    return factor;
  MlirOperation op = mlirOpResultGetOwner(factor);
  bool widens = strata_op_is(op, "arith.extf") || strata_op_is(op, "arith.extsi") || strata_op_is(op, "arith.extui");
  return widens ? mlirOperationGetOperand(op, 0) : factor;
}

MlirType strata_contraction_narrow_type(const strata_contraction_kernel_t *c, int side) {
  MlirOperation op = strata_def(c->sides[side].factor);
  MlirType type = mlirValueGetType(strata_contraction_narrow(c, side));
  bool is_unsigned = !mlirOperationIsNull(op) && strata_op_is(op, "arith.extui");
  return is_unsigned ? mlirIntegerTypeUnsignedGet(mlirTypeGetContext(type), mlirIntegerTypeGetWidth(type)) : type;
}

bool strata_contraction_is_scaled(const strata_contraction_kernel_t *c) {
  return c->sides[STRATA_SIDE_U].scale || c->sides[STRATA_SIDE_V].scale;
}

// True if |map| is the same at all points of a block along the nest's dim |dim|, whole ones.
static bool is_same_in_blocks(const strata_nest_t *nest, MlirAffineMap map, int dim, int64_t block) {
  int n_dims = strata_nest_n_dims(nest);
  if (n_dims >= STRATA_MAX_DIMS || !strata_size_divides(block, nest->space.sizes[dim]))
    return false;
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  for (int i = 0; i < n_dims; i++) {
    dims[i] = mlirAffineDimExprGet(context, i);
    sizes[i] = nest->space.sizes[i];
  }
  sizes[dim] = strata_size_ceil_div(sizes[dim], block);
  sizes[n_dims] = strata_size_constant(block);
  dims[dim] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[dim], mlirAffineConstantExprGet(context, block)),
                                   mlirAffineDimExprGet(context, n_dims));
  const strata_space_t space = {n_dims + 1, sizes, nest->space.n_symbols, nest->space.symbols};
  MlirAffineMap blocks =
      strata_affine_compose(map, mlirAffineMapGet(context, n_dims + 1, space.n_symbols, n_dims, dims), &space);
  return !(strata_affine_map_dims(blocks) >> n_dims & 1);
}

bool strata_contraction_scales_blocks(const strata_contraction_kernel_t *c, int64_t block) {
  for (int side = 0; side < 2; side++)
    if (c->sides[side].scale && (c->nest->n_reduction != 1 ||
                                 !is_same_in_blocks(c->nest, c->sides[side].scale->map, c->nest->n_parallel, block)))
      return false;
  return true;
}

MlirOperation strata_contraction_product(const strata_contraction_kernel_t *c) { return product_of(c->nest); }

MlirType strata_contraction_sum_type(const strata_contraction_kernel_t *c) {
  return mlirValueGetType(mlirOperationGetResult(c->nest->loops[0], 0));
}

bool strata_contraction_is_plain(const strata_contraction_kernel_t *c, int side) {
  const strata_access_t *access = c->sides[side].access, *store;
  return mlirOperationIsNull(access->guard) && !strata_kernel_producer(c->kernel, access->buffer, &store);
}

bool strata_contraction_is_contiguous(const strata_contraction_kernel_t *c, int side, int64_t tile) {
  // At the tile's granularity: v = v0 * tile + l, which is how a panel packed by the schedule is contiguous.
  MlirContext context = mlirOperationGetContext(c->nest->op);
  int n = strata_nest_n_dims(c->nest), v = c->sides[side].tile_dim;
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  strata_size_t dim_sizes[STRATA_MAX_DIMS + 1], sizes[STRATA_MAX_DIMS];
  int64_t stride;
  for (int i = 0; i < n; i++) {
    dims[i] = mlirAffineDimExprGet(context, i);
    dim_sizes[i] = c->nest->space.sizes[i];
  }
  MlirAffineExpr start = mlirAffineMulExprGet(dims[v], mlirAffineConstantExprGet(context, tile));
  dims[v] = mlirAffineAddExprGet(start, mlirAffineDimExprGet(context, n));
  dim_sizes[v] = strata_size_ceil_div(dim_sizes[v], tile);
  dim_sizes[n] = strata_size_constant(tile);
  strata_space_t space = c->nest->space;
  space.n_dims = n + 1;
  space.sizes = dim_sizes;
  MlirAffineMap at = mlirAffineMapGet(context, n + 1, 0, n, dims);
  MlirAffineMap map = strata_affine_compose(c->sides[side].access->map, at, &space);
  strata_memref_sizes(c->sides[side].access->buffer, sizes);
  MlirAffineExpr position = strata_affine_linearize(map, sizes, &space);
  return strata_affine_coefficient(position, n, &stride) && stride == 1;
}
