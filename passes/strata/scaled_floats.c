// strata-scaled-floats: on GPUs whose matrix instructions take floats of 8 bits, products of such with scales are
// products of what is stored. Scales that do not vary along the reduction come behind; one operand's scales of blocks
// along it (microscaling formats) go with it, where an instruction takes them (mma.def, MMA_SCALES).
//
//   contract(convert(%q) * s, convert(%p) * t)   ->   contract(%q, %p) * s * t
//   contract(convert(%q) * s, convert(%p) * reshape(broadcast(t)))   ->   scaled_contract(%q, %p, exponents(t)) * s
//
// where t, of blocks, are powers of two that are known, one for every 32 elements. Products of two such numbers and
// their scales are exact in f32: with powers of two alone nothing is rounded but sums, else nothing more often than
// before, and sums are. Other devices multiply what operands and scales make, in the type that strata-precision
// chooses.
#include "devices/gpu/mma.h"
#include "passes/pass.h"
#include "passes/strata/scales.h"
#include "passes/target.h"

enum { BLOCK = STRATA_SCALED_BLOCK, MANTISSA_BITS = 23, LARGEST_CODE = 254 };

// An operand of a product: floats of 8 bits, times a scale or not.
typedef struct {
  MlirValue floats;
  MlirValue scale; // null: none
  int axis;        // along which |codes| are those of blocks; -1: the scale does not vary along the reduction
  MlirValue codes;
} scaled_t;

static bool is_f8(strata_type_t type) {
  return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT && strata_type_info[type].bits == 8;
}

// What |value| is converted from, if that is of 8 bits.
static bool read_floats(MlirValue value, MlirValue *out) {
  MlirOperation convert = strata_def_if(value, STRATA_OP_CONVERT);
  *out = mlirOperationIsNull(convert) ? value : strata_operand(convert, 0);
  return is_f8(strata_shape_of(*out).type);
}

static bool read_operand(MlirValue value, scaled_t *out) {
  *out = (scaled_t){.axis = -1};
  value = strata_under_rounding(value);
  if (read_floats(value, &out->floats))
    return true;
  MlirOperation mul = strata_def_if(value, STRATA_OP_MUL);
  bool is_f32 = !mlirOperationIsNull(mul) && strata_shape_of(value).type == STRATA_TYPE_F32;
  for (int i = 0; is_f32 && i < 2; i++)
    if (read_floats(strata_operand(mul, i), &out->floats)) {
      out->scale = strata_operand(mul, 1 - i);
      return true;
    }
  return false;
}

//===-- Scales of blocks -----------------------------------------------------------------------------------------===//

// The dim of |whole| that is two in |split|, blocks and what is in one; -1 if there is none.
static int find_axis(const strata_shape_t *whole, const strata_shape_t *split) {
  int64_t size;
  if (split->rank != whole->rank + 1)
    return -1;
  for (int axis = 0; axis < whole->rank; axis++) {
    bool suits = strata_dim_is_constant(split->dims[axis + 1], &size) && size == BLOCK;
    for (int i = 0; i < whole->rank && suits; i++)
      suits = i == axis || strata_dim_equal(whole->dims[i], split->dims[i + (i > axis)]);
    if (suits)
      return axis;
  }
  return -1;
}

// The byte whose power of two |scale| is; 0: none.
static uint8_t code_of(float scale) {
  uint32_t bits, code;
  memcpy(&bits, &scale, sizeof bits);
  code = bits >> MANTISSA_BITS;
  return bits == code << MANTISSA_BITS && code <= LARGEST_CODE ? (uint8_t)code : 0;
}

// Where the element at |at| of a broadcast by |map| comes from.
static int64_t source_of(MlirAffineMap map, const int64_t *sizes, const int64_t *at) {
  int64_t place = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    place = place * sizes[i] + (dim < 0 ? 0 : at[dim]);
  }
  return place;
}

// A byte for each element of |shape|, whose dims are those of the broadcast but |inner|; false if one has none.
static bool collect_codes(const strata_shape_t *shape, int inner, MlirAffineMap map, const int64_t *source_sizes,
                          const float *scales, uint8_t *out) {
  int64_t sizes[STRATA_MAX_RANK], at[STRATA_MAX_RANK + 1] = {0}, count = strata_shape_count(shape);
  for (int i = 0; i < shape->rank; i++)
    strata_dim_is_constant(shape->dims[i], &sizes[i]);
  for (int64_t n = 0; n < count; n++) {
    int64_t rest = n;
    for (int i = shape->rank; i-- > 0; rest /= sizes[i])
      at[i + (i >= inner)] = rest % sizes[i];
    out[n] = code_of(scales[source_of(map, source_sizes, at)]);
    if (!out[n])
      return false;
  }
  return true;
}

// Whether the operand's scale is that of blocks along one of its dims: sets |axis| and |codes|.
static bool read_blocks(strata_rewriter_t *r, scaled_t *operand) {
  MlirOperation reshape = strata_def_if(operand->scale, STRATA_OP_RESHAPE);
  MlirOperation broadcast =
      mlirOperationIsNull(reshape) ? reshape : strata_def_if(strata_operand(reshape, 0), STRATA_OP_BROADCAST);
  const void *scales;
  bool is_splat;
  int64_t size, source_sizes[STRATA_MAX_RANK];
  strata_shape_t shape = strata_shape_of(operand->floats);
  if (mlirOperationIsNull(broadcast) || strata_shape_of(strata_operand(broadcast, 0)).type != STRATA_TYPE_F32)
    return false;
  strata_shape_t split = strata_shape_of(strata_operand(reshape, 0));
  MlirAffineMap map = strata_map(broadcast);
  int axis = find_axis(&shape, &split);
  for (intptr_t i = 0; axis >= 0 && i < mlirAffineMapGetNumResults(map); i++)
    if (strata_expr_dim(mlirAffineMapGetResult(map, i)) == axis + 1)
      return false;
  if (axis < 0 || strata_sizes_of(operand->floats, source_sizes) < 0 ||
      strata_sizes_of(strata_operand(broadcast, 0), source_sizes) < 0 ||
      !strata_constant_bytes(r->compile, strata_operand(broadcast, 0), &scales, &is_splat) || is_splat)
    return false;
  strata_dim_is_constant(shape.dims[axis], &size);
  shape.type = STRATA_TYPE_I8;
  shape.dims[axis] = strata_dim_constant(r->compile->context, size / BLOCK);
  uint8_t *codes = strata_arena_array(r->compile->arena, uint8_t, strata_shape_count(&shape) + 1);
  if (!collect_codes(&shape, axis + 1, map, source_sizes, scales, codes))
    return false;
  operand->axis = axis;
  operand->codes = strata_build_constant(&r->build, &shape, "exponents", codes);
  return true;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static bool is_reduced(const strata_contract_t *c, int k, int axis) {
  int dim = strata_expr_dim(c->exprs[k][axis]);
  return dim >= c->result_rank && strata_contract_position(c, 1 - k, dim) >= 0;
}

// Rows and columns are at least as many as an instruction has: fewer are summed up from the bytes.
static bool fills(const strata_contract_t *c, const strata_mma_t *mma) {
  int64_t results[2] = {1, 1}, size;
  for (int dim = 0; dim < c->result_rank; dim++)
    for (int k = 0; k < 2; k++)
      if (strata_contract_position(c, k, dim) >= 0 && strata_contract_position(c, 1 - k, dim) < 0)
        results[k] *= strata_dim_is_constant(c->dims[dim], &size) ? size : mma->m;
  return results[0] >= mma->m && results[1] >= mma->n;
}

// Scales of blocks come second.
static void swap(strata_contract_t *c, scaled_t *operands) {
  strata_contract_t old = *c;
  scaled_t first = operands[0];
  for (int k = 0; k < 2; k++) {
    c->operands[k] = old.operands[1 - k];
    c->n_exprs[k] = old.n_exprs[1 - k];
    memcpy(c->exprs[k], old.exprs[1 - k], sizeof c->exprs[k]);
  }
  operands[0] = operands[1];
  operands[1] = first;
}

// Whether the operand's scale, if it has one, has a place: behind the product, or with it.
static bool place_scale(strata_rewriter_t *r, const strata_contract_t *c, int k, scaled_t *operand) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  const strata_compile_options_t *options = r->compile->options;
  if (mlirValueIsNull(operand->scale))
    return true;
  if (strata_is_scale(operand->scale) && strata_scale_place_in_result(c, k, operand->scale, r->compile->context, exprs))
    return !options->disable_unsafe_math && !options->disable_fast_math;
  return read_blocks(r, operand) && is_reduced(c, k, operand->axis);
}

static bool read_operands(strata_rewriter_t *r, strata_contract_t *c, scaled_t *operands) {
  const strata_gpu_device_t *device;
  MlirContext context = r->compile->context;
  for (int k = 0; k < 2; k++)
    if (!read_operand(c->operands[k], &operands[k]))
      return false;
  strata_type_t type = strata_shape_of(operands[0].floats).type;
  r->build.status = strata_gpu_device(r->compile, &device);
  if (r->build.status || type != strata_shape_of(operands[1].floats).type)
    return false;
  MlirType operand = strata_type_to_mlir(context, type), f32 = mlirF32TypeGet(context);
  const strata_mma_t *mma = strata_mma_find(device, operand, operand, f32, false);
  if (!mma || !fills(c, mma) || !place_scale(r, c, 0, &operands[0]) || !place_scale(r, c, 1, &operands[1]))
    return false;
  if (operands[0].axis >= 0)
    swap(c, operands);
  if (operands[0].axis >= 0)
    return false;
  mma = operands[1].axis < 0 ? mma : strata_mma_find_scaled(device, operand, f32, BLOCK);
  return mma && fills(c, mma);
}

// It is a product of what is stored already.
static bool is_plain(MlirOperation op) {
  return is_f8(strata_shape_of(strata_operand(op, 0)).type) || is_f8(strata_shape_of(strata_operand(op, 1)).type);
}

static MlirValue multiply_scaled(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  scaled_t operands[2];
  if (id != STRATA_OP_CONTRACT || is_plain(op) || !strata_contract_read(r->compile, op, &c) || c.zero_pad ||
      !read_operands(r, &c, operands))
    return STRATA_NO_VALUE;
  strata_type_t type = c.type;
  c.type = STRATA_TYPE_F32;
  for (int k = 0; k < 2; k++)
    c.operands[k] = operands[k].floats;
  MlirValue result = operands[1].axis < 0
                         ? strata_contract_build(&r->build, &c)
                         : strata_contract_build_scaled(&r->build, &c, operands[1].codes, operands[1].axis);
  for (int k = 0; k < 2 && !r->build.status; k++)
    if (!mlirValueIsNull(operands[k].scale) && operands[k].axis < 0)
      result = strata_scale_result(r, &c, k, result, operands[k].scale);
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, result, type);
}

strata_status_t strata_pass_scaled_floats(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  bool sums_f32 = options->precision != STRATA_PRECISION_FP16 && options->precision != STRATA_PRECISION_INT32 &&
                  options->precision != STRATA_PRECISION_MIXED_INT8_INT32;
  if (!strata_target_is_gpu(compile) || options->disable_tensor_core || !sums_f32)
    return NULL;
  return strata_rewrite(compile, multiply_scaled);
}
