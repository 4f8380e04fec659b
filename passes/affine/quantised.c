// See quantised.h: recognising the formula behind a kernel's buffers.
#include "passes/affine/quantised.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

// A value of a nest at the point map(coordinates of the weights).
typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *nest;
  MlirValue value;
  MlirAffineMap at;
} term_t;

//===-- Terms ----------------------------------------------------------------------------------------------------===//

static const strata_access_t *load_of(const term_t *t) {
  MlirOperation op = strata_def(t->value);
  for (int i = 0; i < t->nest->n_accesses && !mlirOperationIsNull(op); i++)
    if (!t->nest->accesses[i].is_store && mlirOperationEqual(t->nest->accesses[i].op, op))
      return &t->nest->accesses[i];
  return NULL;
}

static bool is_identity(MlirAffineMap map, int n) {
  return mlirAffineMapGetNumResults(map) == n && mlirAffineMapIsIdentity(map);
}

// The value that a load of a buffer of the kernel's own reads; others stay as they are. False where that is not known.
static bool resolve(term_t *t, const strata_space_t *space) {
  const strata_access_t *load, *store;
  while ((load = load_of(t))) {
    const strata_nest_t *producer = strata_kernel_producer(t->kernel, load->buffer, &store);
    if (!mlirOperationIsNull(load->guard) || mlirAffineMapIsNull(load->map))
      return false;
    if (!producer)
      return true;
    if (producer->n_reduction || producer->is_serial || !is_identity(store->map, producer->n_parallel))
      return false;
    t->at = strata_affine_compose(load->map, t->at, space);
    t->nest = producer;
    t->value = store->value;
  }
  return true;
}

// Operand |i| of the op |name| that |t| is; false if it is another.
static bool operand_of(const term_t *t, const char *name, int i, term_t *out) {
  MlirOperation op = strata_def(t->value);
  if (mlirOperationIsNull(op) || !strata_op_is(op, name))
    return false;
  *out = *t;
  out->value = mlirOperationGetOperand(op, i);
  return true;
}

static bool constant_of(MlirValue value, double *out) {
  if (!strata_value_is_constant(value))
    return false;
  MlirAttribute attr = strata_attr(strata_def(value), "value");
  if (!mlirAttributeIsAFloat(attr))
    return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

// What is loaded, or a constant.
static bool factor_of(const term_t *t, const strata_space_t *space, strata_quantised_factor_t *out) {
  double constant;
  *out = (strata_quantised_factor_t){0};
  if (constant_of(t->value, &constant)) {
    *out = (strata_quantised_factor_t){.is_constant = true, .constant = constant};
    return true;
  }
  const strata_access_t *load = load_of(t);
  if (!load || mlirAffineMapIsNull(load->map) || !mlirOperationIsNull(load->guard))
    return false;
  out->buffer = load->buffer;
  out->map = strata_affine_compose(load->map, t->at, space);
  return true;
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

// The bits of an integer that is converted: of a byte, or of a half of one that was shifted out of it.
static int64_t bits_of(const term_t *t) {
  enum { NIBBLE = 4, BYTE = 8 };
  term_t from = *t, next;
  int64_t low = 0;
  if (operand_of(&from, "arith.andi", 1, &next) && strata_value_integer(next.value, &low) &&
      operand_of(&from, "arith.andi", 0, &next))
    from = next;
  if (operand_of(&from, "arith.extsi", 0, &next) || operand_of(&from, "arith.extui", 0, &next))
    from = next;
  if (!strata_type_is_integer(mlirValueGetType(from.value), BYTE) || (low && low != 15))
    return 0;
  if (operand_of(&from, "arith.shrsi", 1, &next) && strata_value_integer(next.value, &low) && low == NIBBLE)
    return NIBBLE;
  return load_of(&from) ? BYTE : 0;
}

// An integer of few bits as a float; 0 if it is anything else.
static int64_t integer_bits(term_t t, const strata_space_t *space, bool *out_is_signed) {
  term_t from;
  if (!resolve(&t, space))
    return 0;
  *out_is_signed = operand_of(&t, "arith.sitofp", 0, &from);
  if (!*out_is_signed && !operand_of(&t, "arith.uitofp", 0, &from))
    return 0;
  return resolve(&from, space) ? bits_of(&from) : 0;
}

static bool read_number(const term_t *t, const strata_space_t *space, strata_quantised_t *out) {
  out->form.bits = integer_bits(*t, space, &out->is_signed);
  return out->form.bits && factor_of(t, space, &out->number) && !out->number.is_constant;
}

// True of a byte, or a part of one, as a float.
static bool is_small_integer(term_t t, const strata_space_t *space) {
  enum { BYTE = 8 };
  term_t from;
  bool is_signed, is_known = resolve(&t, space);
  if (!is_known || (!operand_of(&t, "arith.uitofp", 0, &from) && !operand_of(&t, "arith.sitofp", 0, &from)))
    return false;
  return strata_type_is_integer(mlirValueGetType(from.value), BYTE) || integer_bits(t, space, &is_signed) > 0;
}

static bool read_zero(const term_t *t, const strata_space_t *space, strata_quantised_t *out) {
  if (!factor_of(t, space, &out->zero))
    return false;
  if (out->zero.is_constant)
    return out->zero.constant == floor(out->zero.constant) && fabs(out->zero.constant) <= 1 << 8;
  return is_small_integer(*t, space);
}

// number - zero, or number.
static bool read_difference(term_t t, const strata_space_t *space, strata_quantised_t *out) {
  term_t number, zero;
  if (read_number(&t, space, out)) {
    out->zero = (strata_quantised_factor_t){.is_constant = true};
    return true;
  }
  return resolve(&t, space) && operand_of(&t, "arith.subf", 0, &number) && operand_of(&t, "arith.subf", 1, &zero) &&
         read_number(&number, space, out) && read_zero(&zero, space, out);
}

//===-- Scales ---------------------------------------------------------------------------------------------------===//

// True if the float type has |value|.
static bool has_value(MlirType type, double value) {
  int digits = mlirTypeIsAF16(type) ? 11 : 8, least = mlirTypeIsAF16(type) ? -24 : -133, exponent;
  double most = mlirTypeIsAF16(type) ? 65504 : 3.3e38;
  if (!isfinite(value) || fabs(value) > most)
    return false;
  frexp(value, &exponent);
  return fmod(value, ldexp(1, exponent - digits > least ? exponent - digits : least)) == 0;
}

// True if all of a constant's f32 are: of such that were folded. Those that may be set are not known.
static bool are_values(strata_compile_t *compile, MlirType type, MlirValue buffer) {
  MlirOperation get = strata_def(strata_calls_buffer(buffer));
  if (mlirOperationIsNull(get) || !strata_op_is(get, "memref.get_global") || compile->options->weights_are_set)
    return false;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(strata_attr(get, "name"));
  const strata_constant_data_t *data =
      strata_compile_find_constant(compile, strata_arena_printf(compile->arena, "%.*s", (int)name.length, name.data));
  if (!data)
    return false;
  const float *values = data->data;
  for (size_t i = 0; i < data->size / sizeof *values; i++)
    if (!has_value(type, values[i]))
      return false;
  return true;
}

// A scale that the weights' type has.
static bool read_scale(strata_compile_t *compile, MlirOperation call, const term_t *t, const strata_space_t *space,
                       strata_quantised_t *out) {
  term_t wide = *t, from;
  if (!factor_of(t, space, &out->scale))
    return false;
  if (out->scale.is_constant)
    return has_value(out->element, out->scale.constant);
  if (!resolve(&wide, space))
    return false;
  if (operand_of(&wide, "arith.extf", 0, &from))
    return mlirTypeEqual(mlirValueGetType(from.value), out->element);
  const strata_access_t *load = load_of(&wide);
  return load && mlirValueIsABlockArgument(load->buffer) && mlirTypeIsAF32(mlirValueGetType(wide.value)) &&
         are_values(compile, out->element, mlirOperationGetOperand(call, mlirBlockArgumentGetArgNumber(load->buffer)));
}

//===-- Blocks ---------------------------------------------------------------------------------------------------===//

// True if |factor| is the same for each |block| steps.
static bool is_same(const strata_quantised_factor_t *factor, const strata_nest_t *weights, int steps, int64_t block) {
  MlirContext context = mlirOperationGetContext(weights->op);
  int64_t sizes[3] = {strata_nest_static_extent(weights, 0), strata_nest_static_extent(weights, 1), block};
  if (factor->is_constant)
    return true;
  sizes[steps] = strata_ceil_div(sizes[steps], block);
  MlirAffineExpr dims[2] = {mlirAffineDimExprGet(context, 0), mlirAffineDimExprGet(context, 1)};
  dims[steps] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[steps], mlirAffineConstantExprGet(context, block)),
                                     mlirAffineDimExprGet(context, 2));
  MlirAffineMap at = mlirAffineMapGet(context, 3, 0, 2, dims);
  MlirAffineMap map = strata_affine_compose(strata_map_without_symbols(factor->map), at, STRATA_STATIC_SPACE(3, sizes));
  return !(strata_affine_map_dims(map) & 1u << 2);
}

static int64_t block_of(const strata_quantised_t *q, const strata_nest_t *weights, int steps) {
  enum { LEAST = 16 };
  int64_t block = LEAST, extent = strata_nest_static_extent(weights, steps);
  while (block < extent)
    block *= 2;
  while (block >= LEAST && !(is_same(&q->scale, weights, steps, block) && is_same(&q->zero, weights, steps, block)))
    block /= 2;
  return block >= LEAST ? block : 0;
}

//===-- The formula ----------------------------------------------------------------------------------------------===//

static bool read_formula(strata_compile_t *compile, MlirOperation call, const strata_nest_t *weights, int steps,
                         strata_quantised_t *out) {
  MlirContext context = mlirOperationGetContext(weights->op);
  const strata_access_t *store = strata_nest_only_store(weights);
  const strata_space_t *space = &weights->space;
  term_t t = {&out->kernel, weights, store->value, mlirAffineMapMultiDimIdentityGet(context, weights->n_parallel)};
  term_t value, product, sides[2];
  if (!operand_of(&t, "arith.truncf", 0, &value))
    return false;
  out->scale = (strata_quantised_factor_t){.is_constant = true, .constant = 1}; // of one of all, which the result has
  bool found = read_difference(value, space, out);
  product = value;
  bool is_scaled = !found && resolve(&product, space) && operand_of(&product, "arith.mulf", 0, &sides[0]) &&
                   operand_of(&product, "arith.mulf", 1, &sides[1]);
  for (int i = 0; i < 2 && is_scaled && !found; i++)
    found = read_difference(sides[i], space, out) && read_scale(compile, call, &sides[1 - i], space, out);
  if (!found || !(out->form.block = block_of(out, weights, steps)))
    return false;
  out->form.has_zeros = !out->zero.is_constant;
  out->form.zero = (int64_t)out->zero.constant + (out->is_signed ? 1 << (out->form.bits - 1) : 0);
  return true;
}

strata_status_t strata_quantised_read(strata_compile_t *compile, MlirOperation func, MlirOperation call, int steps,
                                      strata_quantised_t *out, bool *out_is_one) {
  *out_is_one = false;
  *out = (strata_quantised_t){0};
  STRATA_TRY(strata_kernel_read(compile->arena, func, &out->kernel));
  const strata_nest_t *weights = NULL;
  for (int i = 0; i < out->kernel.n_nests; i++)
    if (strata_nest_is_root(&out->kernel.nests[i])) {
      if (weights)
        return NULL;
      weights = &out->kernel.nests[i];
    }
  const strata_access_t *store = weights ? strata_nest_only_store(weights) : NULL;
  bool is_matrix = store && weights->n_parallel == 2 && !weights->n_reduction && !weights->is_serial &&
                   !strata_nest_varies(weights) && is_identity(store->map, 2) &&
                   mlirBlockArgumentGetArgNumber(store->buffer) + 1 == mlirBlockGetNumArguments(out->kernel.body);
  if (!is_matrix)
    return NULL;
  out->element = mlirShapedTypeGetElementType(mlirValueGetType(store->buffer));
  bool has_16_bits = mlirTypeIsAF16(out->element) || mlirTypeIsABF16(out->element);
  *out_is_one = has_16_bits && read_formula(compile, call, weights, steps, out) &&
                (out->form.bits == 4 || mlirTypeIsAF16(out->element)); // bf16 has seven bits behind the point
  return NULL;
}
