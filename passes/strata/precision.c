// strata-precision: gives what the front end called a matrix product or a convolution the types that
// --mm-conv-precision-mode asks for (precision.def). The default follows the operands and changes nothing, but on GPUs
// with tensor cores multiplies f32 as mixed_fp16_fp32 does, and says so; where nothing is summed it keeps f32.
//
//   contract(%x: f32, %w: f32) -> f32     mixed_fp16_fp32: contract(convert(%x): f16, convert(%w): f16) -> f32
//   contract(%x: f8, %w: f8) -> f32       as f16, which holds all of f8, where the device multiplies f16 alone
//   contract((%q - 3) * 0.5, %p * 0.25)   mixed_int8_int32: convert(contract(%q - 3: i16, %p: i8) -> i32) * 0.125
//
// where %q and %p are integers converted to floats. An op that has no integer or quantised operands where they are
// asked for is an error; all of them are named.
#include "devices/gpu/mma.h"
#include "dialects/mlir_text.h"
#include "passes/pass.h"
#include "passes/strata/quantized.h"
#include "passes/strata/scales.h"
#include "passes/target.h"

typedef enum { FLOAT, INTEGER, FP8 } kind_t;

typedef struct {
  const char *name;
  kind_t kind;
  strata_type_t operand, result;
} mode_t;

static const mode_t modes[] = {
#define PRECISION(mode, name, kind, operand, result)                                                                   \
  [STRATA_PRECISION_##mode] = {name, kind, STRATA_TYPE_##operand, STRATA_TYPE_##result},
#include "passes/strata/precision.def"
};

static int bits(strata_type_t type) { return strata_type_info[type].bits; }
static strata_type_kind_t kind_of(MlirValue value) { return strata_type_info[strata_shape_of(value).type].kind; }

static MlirValue convert(strata_rewriter_t *r, MlirValue value, strata_type_t type) {
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, value, type);
}

//===-- Floats ---------------------------------------------------------------------------------------------------===//

static MlirValue convert_floats(strata_rewriter_t *r, MlirOperation op, const mode_t *mode) {
  strata_contract_t c;
  if (kind_of(strata_operand(op, 0)) != STRATA_TYPE_KIND_FLOAT || !strata_contract_read(r->compile, op, &c))
    return STRATA_NO_VALUE;
  strata_type_t before = c.type;
  bool changes = c.type != mode->result;
  for (int k = 0; k < 2; k++) {
    strata_type_t type = strata_shape_of(c.operands[k]).type;
    bool keeps = bits(type) == 16 && bits(mode->operand) == 16;
    changes = changes || (!keeps && type != mode->operand);
    if (!keeps)
      c.operands[k] = strata_round_operand(r, c.operands[k], mode->operand);
  }
  c.type = mode->result;
  return changes ? convert(r, strata_contract_build(&r->build, &c), before) : STRATA_NO_VALUE;
}

//===-- Integers -------------------------------------------------------------------------------------------------===//

// What the contract multiplies in place of the quantised operand.
static MlirValue shifted_integers(strata_rewriter_t *r, const strata_quantized_t *q, const mode_t *mode) {
  if (q->zero == 0 && !q->is_unsigned)
    return q->integers;
  strata_type_t type = mode->operand == STRATA_TYPE_I8 ? STRATA_TYPE_I16 : STRATA_TYPE_I32;
  strata_op_id_t conversion = q->is_unsigned ? STRATA_OP_CONVERT_U : STRATA_OP_CONVERT;
  MlirValue x = strata_build_convert(&r->build, conversion, q->integers, type);
  strata_shape_t shape = strata_shape_of(x);
  return q->zero == 0
             ? x
             : strata_build_binary(&r->build, STRATA_OP_SUB, x, strata_build_splat_int(&r->build, &shape, q->zero));
}

// Both operands of a contract of floats as quantised ones.
static bool read_operands(const strata_contract_t *c, const mode_t *mode, MlirContext context,
                          strata_quantized_t q[2]) {
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  for (int k = 0; k < 2; k++)
    if (!strata_quantized_read(c->operands[k], &q[k]) ||
        bits(strata_shape_of(q[k].integers).type) > bits(mode->operand) ||
        !strata_scale_place_in_result(c, k, q[k].scale, context, exprs))
      return false;
  return true;
}

static MlirValue quantize_contract(strata_rewriter_t *r, MlirOperation op, const mode_t *mode) {
  strata_contract_t c;
  strata_quantized_t q[2];
  if (kind_of(strata_operand(op, 0)) != STRATA_TYPE_KIND_FLOAT || !strata_contract_read(r->compile, op, &c) ||
      !read_operands(&c, mode, r->compile->context, q))
    return STRATA_NO_VALUE;
  strata_type_t before = c.type;
  for (int k = 0; k < 2; k++)
    c.operands[k] = shifted_integers(r, &q[k], mode);
  c.type = mode->result;
  MlirValue result = convert(r, strata_contract_build(&r->build, &c), before);
  for (int k = 0; k < 2 && !r->build.status; k++)
    result = strata_scale_result(r, &c, k, result, q[k].scale);
  return result;
}

//===-- Floats of 8 bits -----------------------------------------------------------------------------------------===//

static bool is_f8(strata_type_t type) {
  return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT && bits(type) == 8;
}

// Whether a matrix instruction multiplies operands of these types.
static bool are_multiplied(const strata_gpu_device_t *device, MlirContext context, const strata_type_t *types) {
  MlirType operand = strata_type_to_mlir(context, types[0]), f32 = mlirF32TypeGet(context);
  return types[0] == types[1] && (strata_mma_find(device, operand, operand, f32, false) ||
                                  strata_mma_find_async(device, operand, operand, f32, false));
}

// Results along what operand |k| alone has; 0: that is not known.
static int64_t own_results(const strata_contract_t *c, int k) {
  int64_t own = 1, size;
  for (int dim = 0; dim < c->result_rank; dim++) {
    bool is_read[2] = {false, false};
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < c->n_exprs[side]; i++)
        is_read[side] |= mlirAffineExprIsFunctionOfDim(c->exprs[side][i], dim);
    if (is_read[k] && !is_read[1 - k])
      own = strata_dim_is_constant(c->dims[dim], &size) ? own * size : 0;
  }
  return own;
}

// Whether rows and columns are as many as an instruction for |type| has: fewer are better off as the bytes they are.
static bool fills_instruction(const strata_gpu_device_t *device, MlirContext context, const strata_contract_t *c,
                              strata_type_t type) {
  MlirType operand = strata_type_to_mlir(context, type);
  const strata_mma_t *mma = strata_mma_find(device, operand, operand, mlirF32TypeGet(context), false);
  for (int k = 0; mma && k < 2; k++) {
    int64_t own = own_results(c, k);
    if (own && own < mma->m && own < mma->n)
      return false;
  }
  return mma;
}

// What 8 bits are multiplied as: f16, or what the other operand is, of which either holds all of them.
static MlirValue widen_f8(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  const strata_gpu_device_t *device;
  (void)id;
  if (strata_op_id(op) != STRATA_OP_CONTRACT || !strata_contract_read(r->compile, op, &c))
    return STRATA_NO_VALUE;
  strata_type_t types[2] = {strata_shape_of(c.operands[0]).type, strata_shape_of(c.operands[1]).type};
  bool are_narrow = bits(types[0]) <= 16 && bits(types[1]) <= 16 && kind_of(c.operands[0]) == STRATA_TYPE_KIND_FLOAT;
  if (!are_narrow || (!is_f8(types[0]) && !is_f8(types[1])))
    return STRATA_NO_VALUE;
  r->build.status = strata_gpu_device(r->compile, &device);
  if (r->build.status || are_multiplied(device, r->compile->context, types))
    return STRATA_NO_VALUE;
  strata_type_t wide = !is_f8(types[0]) ? types[0] : !is_f8(types[1]) ? types[1] : STRATA_TYPE_F16;
  if (!fills_instruction(device, r->compile->context, &c, wide))
    return STRATA_NO_VALUE;
  for (int k = 0; k < 2; k++)
    if (is_f8(types[k]))
      c.operands[k] = strata_round_operand(r, c.operands[k], wide);
  return strata_contract_build(&r->build, &c);
}

//===-- Checking -------------------------------------------------------------------------------------------------===//

static bool has_precision(MlirOperation op) {
  return strata_op_id(op) == STRATA_OP_CONTRACT && strata_attr_str(op, "origin").length > 0;
}

static bool is_allowed(strata_compile_t *compile, MlirOperation op, const mode_t *mode) {
  strata_contract_t c;
  strata_quantized_t q[2];
  if (mode->kind == FLOAT || !strata_contract_read(compile, op, &c))
    return true;
  strata_type_t types[2] = {strata_shape_of(c.operands[0]).type, strata_shape_of(c.operands[1]).type};
  bool is_narrow = bits(types[0]) <= bits(mode->operand) && bits(types[1]) <= bits(mode->operand);
  if (kind_of(c.operands[0]) == STRATA_TYPE_KIND_INTEGER)
    return mode->kind != INTEGER || is_narrow;
  return mode->kind == FP8 ? is_narrow : read_operands(&c, mode, compile->context, q);
}

// The name of the node, or where the op comes from.
static const char *name_of(strata_compile_t *compile, MlirOperation op) {
  strata_text_t line = {compile->arena, ""};
  MlirLocation location = mlirOperationGetLocation(op);
  if (mlirLocationIsAName(location))
    strata_text_append(mlirIdentifierStr(mlirLocationNameGetName(location)), &line);
  else
    mlirLocationPrint(location, strata_text_append, &line);
  return line.text;
}

typedef struct {
  const mode_t *mode;
  const char *text; // a line for every op that does not fit
} check_t;

static strata_status_t check_body(strata_compile_t *compile, MlirBlock body, void *user) {
  check_t *check = user;
  const char *needs = check->mode->kind == INTEGER ? "integer or quantised" : "fp8";
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++) {
    if (!has_precision(ops.data[i]) || is_allowed(compile, ops.data[i], check->mode))
      continue;
    const char *types[2];
    for (int k = 0; k < 2; k++)
      types[k] = strata_type_info[strata_shape_of(strata_operand(ops.data[i], k)).type].mlir_name;
    check->text = strata_arena_printf(compile->arena, "%s%s%s: %s needs %s operands of at most %d bits, got %s and %s",
                                      check->text, *check->text ? "\n" : "", name_of(compile, ops.data[i]),
                                      check->mode->name, needs, bits(check->mode->operand), types[0], types[1]);
  }
  return NULL;
}

static bool is_f32(MlirOperation op) {
  return strata_shape_of(strata_operand(op, 0)).type == STRATA_TYPE_F32 &&
         strata_shape_of(strata_operand(op, 1)).type == STRATA_TYPE_F32;
}

// Whether results are products, not sums of them, as of one column by one row: tensor cores gain nothing there, and
// exporters write angles so, positions by frequencies, of which 11 bits leave nothing once they are large.
static bool sums_nothing(strata_compile_t *compile, MlirOperation op) {
  strata_contract_t c;
  if (!strata_contract_read(compile, op, &c))
    return false;
  int64_t size;
  for (int i = c.result_rank; i < c.n_dims; i++)
    if (!strata_dim_is_constant(c.dims[i], &size) || size != 1)
      return false;
  return true;
}

// Whether the default multiplies |op| on tensor cores, though its operands are f32.
static bool is_rounded(strata_compile_t *compile, MlirOperation op) {
  return has_precision(op) && is_f32(op) && !sums_nothing(compile, op);
}

static MlirValue apply_precision(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  bool is_default = r->compile->options->precision == STRATA_PRECISION_DEFAULT;
  const mode_t *mode = &modes[is_default ? STRATA_PRECISION_MIXED_FP16_FP32 : r->compile->options->precision];
  (void)id;
  if (is_default ? !is_rounded(r->compile, op) : !has_precision(op))
    return STRATA_NO_VALUE;
  return mode->kind == INTEGER ? quantize_contract(r, op, mode)
         : mode->kind == FLOAT ? convert_floats(r, op, mode)
                               : STRATA_NO_VALUE;
}

static strata_status_t count_f32(strata_compile_t *compile, MlirBlock body, void *user) {
  size_t *count = user;
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++)
    *count += is_rounded(compile, ops.data[i]);
  return NULL;
}

static strata_status_t use_tensor_cores(strata_compile_t *compile) {
  size_t count = 0;
  STRATA_TRY(strata_for_each_body(compile, count_f32, &count));
  if (count)
    strata_compile_note(compile,
                        "matrix products and convolutions of f32 that are multiplied as f16, in which numbers beyond "
                        "65504 are infinite: %zu; --mm-conv-precision-mode=fp32, or tf32, keeps the range of f32",
                        count);
  return strata_rewrite(compile, apply_precision);
}

static strata_status_t has_tensor_cores(strata_compile_t *compile, bool *out_has) {
  *out_has = strata_target_is_gpu(compile) && !compile->options->disable_tensor_core;
  if (!*out_has)
    return NULL;
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(compile, &device));
  *out_has = device->mma[0] != 0;
  return NULL;
}

static strata_status_t use_mode(strata_compile_t *compile) {
  check_t check = {.mode = &modes[compile->options->precision], .text = ""};
  STRATA_TRY(strata_for_each_body(compile, check_body, &check));
  if (*check.text)
    return strata_error(STRATA_INVALID_ARGUMENT, "%s", check.text);
  return strata_rewrite(compile, apply_precision);
}

strata_status_t strata_pass_precision(strata_compile_t *compile) {
  bool has_cores;
  STRATA_TRY(has_tensor_cores(compile, &has_cores));
  if (compile->options->precision != STRATA_PRECISION_DEFAULT)
    STRATA_TRY(use_mode(compile));
  else if (has_cores)
    STRATA_TRY(use_tensor_cores(compile));
  return has_cores ? strata_rewrite(compile, widen_f8) : NULL;
}
