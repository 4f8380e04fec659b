// See problem.h.
#include "passes/affine/problem.h"

#include "dialects/mlir_util.h"

enum { BULK_ALIGNMENT = 16, BULK_DIMS = 5, MAX_BOX = 256 }; // of the copy engine

static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t bytes_of(MlirType type) {
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type) / 8;
  return mlirTypeIsAInteger(type) ? (mlirIntegerTypeGetWidth(type) + 7) / 8 : 8;
}

static MlirType element_type(MlirValue buffer) { return mlirShapedTypeGetElementType(mlirValueGetType(buffer)); }

//===-- Instructions ---------------------------------------------------------------------------------------------===//

typedef const strata_mma_t *(*find_mma_t)(const strata_gpu_device_t *device, MlirType operand, MlirType sum);

// The instruction for the operands' type. Operands of f32 are multiplied as they are unless tf32 was asked for.
static const strata_mma_t *choose_mma(const strata_gpu_contraction_t *q, find_mma_t find) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirType types[2], sum = strata_contraction_sum_type(c);
  for (int side = 0; side < 2; side++)
    types[side] = mlirValueGetType(strata_contraction_narrow(c, side));
  bool is_f32 = mlirTypeIsAF32(types[0]);
  if (q->compile->options->disable_tensor_core || !mlirTypeEqual(types[0], types[1]) ||
      (is_f32 && q->compile->options->precision != STRATA_PRECISION_TF32))
    return NULL;
  return find(q->device, types[0], sum);
}

//===-- Operands that come in bulk -------------------------------------------------------------------------------===//

// Buffers of @main begin at multiples of 16 bytes; so does a view that changes the shape alone.
static bool is_at_start(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (strata_op_is(op, "memref.alloc") || strata_op_is(op, "memref.get_global"))
      return true;
    if (!strata_op_is(op, "memref.collapse_shape") && !strata_op_is(op, "memref.expand_shape"))
      return false;
    value = mlirOperationGetOperand(op, 0);
  }
  return true;
}

static bool starts_aligned(const strata_called_kernel_t *called, MlirValue buffer) {
  if (!mlirValueIsABlockArgument(buffer))
    return false;
  for (size_t i = 0; i < called->calls.count; i++)
    if (!is_at_start(mlirOperationGetOperand(called->calls.data[i], mlirBlockArgumentGetArgNumber(buffer))))
      return false;
  return true;
}

// True if the strides of the nest's dims suit: one of the side's own dims or the reduction's contiguous, the others
// multiples of 16 bytes. Only operands of 16 bits may be contiguous along the former.
static bool has_strides(const strata_contraction_kernel_t *c, int side, int64_t bytes) {
  const strata_nest_t *nest = c->nest;
  uint32_t other = c->sides[1 - side].dims;
  int n_dims = 0, n_contiguous = 0;
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++) {
    int64_t stride;
    if (nest->extents[dim] == 1 || !(c->sides[side].dims >> dim & 1))
      continue;
    if (!strata_access_stride(nest, c->sides[side].access, dim, &stride) || stride <= 0)
      return false;
    bool is_tiled = dim >= nest->n_parallel || !(other >> dim & 1);
    n_dims++;
    if (stride == 1 && is_tiled && (dim >= nest->n_parallel || bytes == 2))
      n_contiguous++;
    else if (stride * bytes % BULK_ALIGNMENT)
      return false;
  }
  return n_contiguous == 1 && n_dims <= BULK_DIMS;
}

static bool is_strided(const strata_gpu_contraction_t *q, int side) {
  const strata_contraction_kernel_t *c = q->contraction;
  MlirValue factor = strata_contraction_narrow(c, side), buffer = c->sides[side].access->buffer;
  bool is_plain = mlirValueEqual(factor, c->sides[side].access->value) && strata_contraction_is_plain(c, side) &&
                  mlirTypeEqual(mlirValueGetType(factor), element_type(buffer));
  return is_plain && starts_aligned(q->called, buffer) && has_strides(c, side, bytes_of(element_type(buffer)));
}

// True if |tile| neighbours of the axis are a box of its dims.
static bool is_box(const strata_problem_axis_t *axis, int64_t tile) {
  for (int i = axis->n_dims; i-- > 1; tile /= axis->dims[i])
    if (tile % axis->dims[i])
      return axis->dims[i] % tile == 0;
  return true;
}

bool strata_problem_is_bulk(const strata_problem_t *product, int side, int64_t tile, int64_t step) {
  int axis = side == STRATA_SIDE_U ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN;
  return product->sides[side].is_strided && tile <= MAX_BOX && is_box(&product->axes[axis], tile) &&
         is_box(&product->axes[STRATA_AXIS_STEP], step);
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static strata_problem_axis_t axis_of(const strata_nest_t *nest, const strata_contraction_axis_t *axis) {
  strata_problem_axis_t result = {0};
  for (int i = 0; i < axis->n_dims; i++)
    if (nest->extents[axis->dims[i]] > 1)
      result.dims[result.n_dims++] = nest->extents[axis->dims[i]];
  return result;
}

// Bytes of an element that the kernel stores, the widest of several.
static int64_t stored_bytes(const strata_kernel_t *kernel) {
  int64_t bytes = 1;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      if (access->is_store && mlirValueIsABlockArgument(access->buffer))
        bytes = greatest(bytes, bytes_of(element_type(access->buffer)));
    }
  return bytes;
}

static double bytes_moved(const strata_kernel_t *kernel) {
  double bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(kernel->body); i++) {
    MlirValue buffer = mlirBlockGetArgument(kernel->body, i);
    int64_t sizes[STRATA_MAX_DIMS];
    double elements = 1;
    for (int dim = strata_memref_sizes(buffer, sizes); dim-- > 0;)
      elements *= (double)sizes[dim];
    bytes += elements * (double)bytes_of(element_type(buffer));
  }
  return bytes;
}

strata_problem_t strata_problem_read(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  strata_contraction_axis_t axes[STRATA_N_AXES];
  strata_contraction_axes(c, axes);
  strata_problem_t p = {.rows = axes[STRATA_AXIS_ROW].extent,
                        .columns = axes[STRATA_AXIS_COLUMN].extent,
                        .steps = c->n_reduced,
                        .batch = 1,
                        .mma = choose_mma(q, strata_mma_find),
                        .async = choose_mma(q, strata_mma_find_async),
                        .sum_bytes = bytes_of(strata_contraction_sum_type(c)),
                        .stored_bytes = stored_bytes(c->kernel),
                        .traffic = bytes_moved(c->kernel)};
  for (int i = 0; i < STRATA_N_AXES; i++)
    p.axes[i] = axis_of(c->nest, &axes[i]);
  for (int dim = 0; dim < c->nest->n_parallel; dim++)
    p.batch *= c->nest->extents[dim];
  p.batch /= p.rows * p.columns;
  for (int side = 0; side < 2; side++) {
    MlirValue factor = p.mma ? strata_contraction_narrow(c, side) : c->sides[side].factor;
    p.operand_bytes = greatest(p.operand_bytes, bytes_of(mlirValueGetType(factor)));
    int64_t loaded = bytes_of(element_type(c->sides[side].access->buffer));
    p.loaded_bytes = greatest(p.loaded_bytes, loaded);
    p.sides[side] = (strata_problem_side_t){is_strided(q, side), loaded};
  }
  return p;
}
