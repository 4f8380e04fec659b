// Ops of arith and math on scalars or vectors, see arithmetic.h.
//
//   - floats smaller than f32 are computed in f32;
//   - functions of math.def are expanded, or called in libm lane by lane;
//   - everything else is the same op on the operands' type.
#include "dialects/affine/quads.h"
#include "dialects/mlir_text.h"
#include "lowering/expand/expand.h"
#include "lowering/expand/ops.h"

#include <assert.h>

enum { MAX_OPERANDS = 8, MAX_LANES = 64 };

static bool has_prefix(MlirStringRef name, const char *prefix) {
  return name.length > strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0;
}

bool strata_op_is_arithmetic(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  return (has_prefix(name, "arith.") || has_prefix(name, "math.")) && !strata_str_equal(name, "arith.constant");
}

//===-- Products and sums ----------------------------------------------------------------------------------------===//

MlirValue strata_emit_multiply_add(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  MlirType type = mlirValueGetType(c);
  bool is_float = mlirTypeIsAFloat(strata_type_element(type));
  if (is_float && m->has_fma)
    return strata_emit_value(m->e, "math.fma", 3, (MlirValue[]){a, b, c}, type, 0, NULL);
  MlirValue product = strata_emit_binary(m->e, is_float ? "arith.mulf" : "arith.muli", a, b);
  return strata_emit_binary(m->e, is_float ? "arith.addf" : "arith.addi", product, c);
}

//===-- Small floats ---------------------------------------------------------------------------------------------===//

static strata_expander_t expander(const strata_arithmetic_t *m, MlirType type) {
  MlirType element = strata_type_element(type);
  unsigned width = mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : 32;
  MlirType bits = strata_type_like(type, mlirIntegerTypeGet(m->e->context, width));
  return (strata_expander_t){.m = m, .real = type, .bits = bits};
}

// Types that are stored only: arithmetic on them runs in f32.
static bool is_small(MlirType type) {
  MlirType element = strata_type_element(type);
  return mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) < 32;
}

static bool has_instruction(const strata_arithmetic_t *m, MlirType type) {
  MlirType element = strata_type_element(type);
  return (mlirTypeIsAF16(element) && m->has_f16) || (mlirTypeIsABF16(element) && m->has_bf16);
}

// By the bits: tile.f8_widen and tile.f8_narrow.
static bool has_f8_instruction(const strata_arithmetic_t *m, MlirType type) {
  return (m->has_f8 && (mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type))) ||
         (m->has_f8_fnuz && (mlirTypeIsAFloat8E4M3FNUZ(type) || mlirTypeIsAFloat8E5M2FNUZ(type)));
}

static MlirValue extend_small(const strata_arithmetic_t *m, MlirValue value) {
  MlirType type = mlirValueGetType(value), f32 = strata_type_like(type, mlirF32TypeGet(m->e->context));
  strata_expander_t x = expander(m, f32);
  if (has_f8_instruction(m, type))
    return strata_expand_extend_f8(&x, value);
  return has_instruction(m, type) ? strata_emit_cast(m->e, "arith.extf", value, f32) : strata_expand_extend(&x, value);
}

static MlirValue truncate_to_small(const strata_arithmetic_t *m, MlirValue value, MlirType type) {
  strata_expander_t x = expander(m, mlirValueGetType(value));
  if (has_f8_instruction(m, type))
    return strata_expand_truncate_f8(&x, value, type);
  return has_instruction(m, type) ? strata_emit_cast(m->e, "arith.truncf", value, type)
                                  : strata_expand_truncate(&x, value, strata_type_element(type));
}

// An f64 as an f32 whose last bit says that digits were lost, so that rounding again rounds as if done once.
static MlirValue round_to_odd(const strata_arithmetic_t *m, MlirValue value) {
  strata_emitter_t *e = m->e;
  MlirType f64 = mlirValueGetType(value), f32 = strata_type_like(f64, mlirF32TypeGet(e->context));
  MlirType i32 = strata_type_like(f64, mlirIntegerTypeGet(e->context, 32));
  MlirValue nearest = strata_emit_cast(e, "arith.truncf", value, f32);
  MlirValue back = strata_emit_cast(e, "arith.extf", nearest, f64);
  MlirValue above = strata_emit_cmpf(e, STRATA_OGT, strata_emit_unary(e, "math.absf", back),
                                     strata_emit_unary(e, "math.absf", value));
  MlirValue below = strata_emit_cmpf(e, STRATA_OLT, strata_emit_unary(e, "math.absf", back),
                                     strata_emit_unary(e, "math.absf", value));
  MlirValue bits = strata_emit_cast(e, "arith.bitcast", nearest, i32), one = strata_emit_integer(e, i32, 1);
  MlirValue lower = strata_emit_select(e, above, strata_emit_binary(e, "arith.subi", bits, one), bits);
  MlirValue lost = strata_emit_binary(e, "arith.ori", above, below);
  MlirValue odd = strata_emit_select(e, lost, strata_emit_binary(e, "arith.ori", lower, one), lower);
  return strata_emit_cast(e, "arith.bitcast", odd, f32);
}

static MlirValue f32_from(const strata_arithmetic_t *m, MlirValue value) {
  return mlirTypeIsAF64(strata_type_element(mlirValueGetType(value))) ? round_to_odd(m, value) : value;
}

// Ops that only move the bits of their operands work on small floats as they are.
static bool moves_bits(MlirOperation op) {
  return strata_op_is(op, "arith.select") || strata_op_is(op, "arith.bitcast");
}

MlirValue strata_emit_conversion(const strata_arithmetic_t *m, const char *name, MlirValue value, MlirType type) {
  if (is_small(mlirValueGetType(value)))
    value = extend_small(m, value);
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : strata_emit_cast(m->e, name, value, type);
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

static const struct {
  const char *op;
  strata_expansion_t f32, others;
  const char *libm;
  strata_expansion_t alone;
} functions[] = {
#define MATH(op, f32, others, libm, alone) {op, f32, others, libm, alone},
#include "lowering/expand/math.def"
};

static void declare_libm(const strata_arithmetic_t *m, const char *name, int n_operands, MlirType type) {
  if (!mlirOperationIsNull(strata_find_func(m->libm, name)))
    return;
  MlirType inputs[] = {type, type};
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(m->e->context, name)},
      {"sym_visibility", strata_str_attr(m->e->context, "private")},
      {"function_type", mlirTypeAttrGet(mlirFunctionTypeGet(m->e->context, n_operands, inputs, 1, &type))},
  };
  MlirRegion none = mlirRegionCreate();
  mlirBlockInsertOwnedOperation(mlirModuleGetBody(m->libm), 0,
                                strata_op_create(m->e->location, "func.func", 0, NULL, 0, NULL, 3, attrs, 1, &none));
}

MlirValue strata_emit_libm(const strata_arithmetic_t *m, const char *name, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirType element = strata_type_element(type);
  declare_libm(m, name, n_operands, element);
  strata_named_attr_t callee = {"callee", mlirFlatSymbolRefAttrGet(m->e->context, strata_str(name))};
  int64_t length = mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 1;
  MlirValue results[MAX_LANES], lane[2];
  assert(length <= MAX_LANES && n_operands <= 2);
  for (int64_t i = 0; i < length; i++) {
    for (int k = 0; k < n_operands; k++)
      lane[k] = strata_lanes_extract(m->e, operands[k], i);
    results[i] = strata_emit_value(m->e, "func.call", n_operands, lane, element, 1, &callee);
  }
  return strata_lanes_of_scalars(m->e, length, results);
}

static bool is_approximate(const strata_arithmetic_t *m, MlirOperation op) {
  return strata_is_fast(m->arena, op, "afn");
}

// The number that |value| is in all lanes; false if it is none.
static bool read_number(MlirValue value, double *out) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (strata_op_is(op, "vector.broadcast"))
    return read_number(mlirOperationGetOperand(op, 0), out);
  MlirAttribute attr = strata_op_is(op, "arith.constant") ? strata_attr(op, "value") : (MlirAttribute){0};
  if (!mlirAttributeIsNull(attr) && mlirAttributeIsADenseElements(attr) && mlirDenseElementsAttrIsSplat(attr))
    attr = mlirDenseElementsAttrGetSplatValue(attr);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAFloat(attr))
    return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

static bool is_one(MlirValue value) {
  double number;
  return read_number(value, &number) && number == 1;
}

// True if nothing is done with the result of |op| but 1 + it: small results need no digits of their own.
static bool is_added_to_one(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_op_is(user, "arith.addf") ||
        !is_one(mlirOperationGetOperand(user, 1 - (intptr_t)mlirOpOperandGetOperandNumber(use))))
      return false;
  }
  return true;
}

// The operand of |value|, a sum or product |name| under fast math with a number; a null value if it is none.
static MlirValue with_number(const strata_arithmetic_t *m, MlirValue value, const char *name, double *out) {
  MlirOperation op = strata_def(value);
  for (int i = 0; i < 2 && !mlirOperationIsNull(op) && strata_op_is(op, name) && is_approximate(m, op); i++)
    if (read_number(mlirOperationGetOperand(op, i), out))
      return mlirOperationGetOperand(op, 1 - i);
  return (MlirValue){0};
}

// Numbers whose fifth powers, in the polynomial's coefficients, are normal numbers of f32: nothing else bounds it.
static bool is_moderate(double c) { return c >= 0x1p-16 && c <= 0x1p+16; }

strata_normal_t strata_match_normal(const strata_arithmetic_t *m, MlirOperation op) {
  strata_normal_t normal = {0};
  double one;
  if (!m->has_approximations || !strata_op_is(op, "arith.mulf") ||
      !mlirTypeIsAF32(strata_type_element(mlirValueGetType(mlirOperationGetResult(op, 0)))))
    return normal;
  MlirValue sum = with_number(m, mlirOperationGetResult(op, 0), "arith.mulf", &normal.k);
  MlirValue erf = mlirValueIsNull(sum) ? sum : with_number(m, sum, "arith.addf", &one);
  if (mlirValueIsNull(erf) || one != 1 || !mlirValueIsAOpResult(erf) || !(normal.k > 0))
    return normal;
  MlirOperation function = mlirOpResultGetOwner(erf);
  if (!strata_op_is(function, "math.erf") || !is_approximate(m, function))
    return normal;
  MlirValue a = with_number(m, mlirOperationGetOperand(function, 0), "arith.mulf", &normal.c);
  if (!mlirValueIsNull(a) && is_moderate(normal.c))
    normal.a = a;
  return normal;
}

MlirValue strata_emit_normal(const strata_arithmetic_t *m, const strata_normal_t *normal, MlirValue a) {
  strata_expander_t x = expander(m, mlirValueGetType(a));
  x.is_approximate = true;
  return strata_expand_normal(&x, a, normal->c, normal->k);
}

static bool is_greatest(MlirValue value) {
  static const char *const moving[] = {"vector.broadcast", "vector.transpose", "vector.shape_cast"};
  MlirOperation op = strata_def(value);
  for (size_t i = 0; i < sizeof moving / sizeof *moving && !mlirOperationIsNull(op); i++)
    if (strata_op_is(op, moving[i]))
      return is_greatest(mlirOperationGetOperand(op, 0));
  if (mlirOperationIsNull(op) || !strata_op_is(op, "vector.multi_reduction"))
    return false;
  MlirContext context = mlirOperationGetContext(op);
  return mlirAttributeEqual(strata_attr(op, "kind"),
                            mlirAttributeParseGet(context, strata_str("#vector.kind<maximumf>")));
}

// True for the difference of a value and the greatest of its row, as the exponentials of a softmax are of: what is so
// far below that its own digits suffer is as much smaller than the sum.
static bool is_below_greatest(MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_op_is(op, "arith.subf") && is_greatest(mlirOperationGetOperand(op, 1));
}

// The code of a row of math.def for |type|, or NULL.
static strata_expansion_t expansion_of(const strata_arithmetic_t *m, size_t row, MlirType type) {
  MlirType element = strata_type_element(type);
  strata_expansion_t own = mlirTypeIsAF32(element) ? functions[row].f32 : functions[row].others;
  return own || !mlirModuleIsNull(m->libm) ? own : functions[row].alone;
}

// The function |op| as an expansion or a call; |*out| is a null value if it has neither. False if |op| is none.
static bool emit_function(const strata_arithmetic_t *m, MlirOperation op, int n_operands, const MlirValue *operands,
                          MlirType type, MlirValue *out) {
  size_t row = 0, n_rows = sizeof functions / sizeof functions[0];
  while (row < n_rows && !strata_op_is(op, functions[row].op))
    row++;
  if (row == n_rows)
    return false;
  bool is_f32 = mlirTypeIsAF32(strata_type_element(type));
  strata_expander_t x = expander(m, type);
  x.is_approximate = is_f32 && m->has_approximations && is_approximate(m, op);
  x.has_tanh = m->has_tanh && !mlirAttributeIsNull(strata_attr(op, "tile.rounds_to_bf16"));
  x.is_beside_one = x.is_approximate && is_added_to_one(op);
  x.is_below_greatest = x.is_approximate && is_below_greatest(mlirOperationGetOperand(op, 0));
  strata_expansion_t expansion = expansion_of(m, row, type);
  *out = (MlirValue){0};
  if (expansion)
    *out = expansion(&x, operands);
  else if (!mlirModuleIsNull(m->libm))
    *out = strata_emit_libm(m, strata_arena_printf(m->arena, "%s%s", functions[row].libm, is_f32 ? "f" : ""),
                            n_operands, operands, type);
  return true;
}

//===-- Any op ---------------------------------------------------------------------------------------------------===//

static MlirValue emit_same(const strata_arithmetic_t *m, MlirOperation op, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirOperationState state = mlirOperationStateGet(strata_op_name(op), m->e->location);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(m->e->block, copy);
  return mlirOperationGetResult(copy, 0);
}

static MlirValue emit_wide(const strata_arithmetic_t *m, MlirOperation op, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirValue value;
  return emit_function(m, op, n_operands, operands, type, &value) ? value
                                                                  : emit_same(m, op, n_operands, operands, type);
}

MlirValue strata_emit_arithmetic(const strata_arithmetic_t *m, MlirOperation op, int n_operands,
                                 const MlirValue *operands, MlirType type) {
  if (moves_bits(op))
    return emit_same(m, op, n_operands, operands, type);
  if (!mlirAttributeIsNull(strata_attr(op, STRATA_QUADS)))
    return (mlirAttributeIsNull(strata_attr(op, STRATA_SMALL_QUADS)) ? strata_emit_quads : strata_emit_small_quads)(
        m, operands[0], operands[1], strata_emit_integer(m->e, type, 0));
  MlirValue wide[MAX_OPERANDS], sum;
  if (strata_op_is(op, "arith.addi") && strata_emit_quads_sum(m, operands[0], operands[1], &sum))
    return sum;
  for (int i = 0; i < n_operands; i++)
    wide[i] = is_small(mlirValueGetType(operands[i])) ? extend_small(m, operands[i]) : operands[i];
  bool converts = strata_op_is(op, "arith.truncf") || strata_op_is(op, "arith.extf");
  if (!is_small(type))
    return converts && mlirTypeEqual(mlirValueGetType(wide[0]), type) ? wide[0]
                                                                      : emit_wide(m, op, n_operands, wide, type);
  MlirType f32 = strata_type_like(type, mlirF32TypeGet(m->e->context));
  MlirValue value = converts ? f32_from(m, wide[0]) : emit_wide(m, op, n_operands, wide, f32);
  return mlirValueIsNull(value) ? value : truncate_to_small(m, value, type);
}
