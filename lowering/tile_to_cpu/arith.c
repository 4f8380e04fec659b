// Arithmetic on pieces: ops of arith and math, one new op a piece, or what stands for it.
//
//   - floats smaller than f32 are computed in f32;
//   - functions of math.def are expanded, or called in libm lane by lane;
//   - everything else is the same op on the piece's type.
#include "lowering/tile_to_cpu/expand.h"
#include "lowering/tile_to_cpu/ops.h"

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

MlirValue strata_emit_multiply_add(strata_distribution_t *d, MlirValue a, MlirValue b, MlirValue c) {
  MlirType type = mlirValueGetType(c);
  bool is_float = mlirTypeIsAFloat(strata_type_element(type));
  if (is_float && d->device->has_fma)
    return strata_emit_value(&d->e, "math.fma", 3, (MlirValue[]){a, b, c}, type, 0, NULL);
  MlirValue product = strata_emit_binary(&d->e, is_float ? "arith.mulf" : "arith.muli", a, b);
  return strata_emit_binary(&d->e, is_float ? "arith.addf" : "arith.addi", product, c);
}

//===-- Small floats ---------------------------------------------------------------------------------------------===//

static strata_expander_t expander(strata_distribution_t *d, MlirType type) {
  MlirType element = strata_type_element(type);
  unsigned width = mlirTypeIsAFloat(element) ? mlirFloatTypeGetWidth(element) : 32;
  return (strata_expander_t){d, type, strata_type_like(type, mlirIntegerTypeGet(d->e.context, width))};
}

// Types that are stored only: arithmetic on them runs in f32.
static bool is_small(MlirType type) {
  MlirType element = strata_type_element(type);
  return mlirTypeIsAFloat(element) && mlirFloatTypeGetWidth(element) < 32;
}

static bool has_instruction(const strata_distribution_t *d, MlirType type) {
  return mlirTypeIsAF16(strata_type_element(type)) && d->device->has_f16;
}

static MlirValue extend_small(strata_distribution_t *d, MlirValue value) {
  MlirType type = mlirValueGetType(value), f32 = strata_type_like(type, mlirF32TypeGet(d->e.context));
  strata_expander_t x = expander(d, f32);
  return has_instruction(d, type) ? strata_emit_cast(&d->e, "arith.extf", value, f32) : strata_expand_extend(&x, value);
}

static MlirValue truncate_to_small(strata_distribution_t *d, MlirValue value, MlirType type) {
  strata_expander_t x = expander(d, mlirValueGetType(value));
  return has_instruction(d, type) ? strata_emit_cast(&d->e, "arith.truncf", value, type)
                                  : strata_expand_truncate(&x, value, strata_type_element(type));
}

// An f64 as an f32 whose last bit says that digits were lost, so that rounding again rounds as if done once.
static MlirValue round_to_odd(strata_distribution_t *d, MlirValue value) {
  strata_emitter_t *e = &d->e;
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

static MlirValue f32_from(strata_distribution_t *d, MlirValue value) {
  return mlirTypeIsAF64(strata_type_element(mlirValueGetType(value))) ? round_to_odd(d, value) : value;
}

// Ops that only move the bits of their operands work on small floats as they are.
static bool moves_bits(MlirOperation op) {
  return strata_op_is(op, "arith.select") || strata_op_is(op, "arith.bitcast");
}

MlirValue strata_emit_conversion(strata_distribution_t *d, const char *name, MlirValue value, MlirType type) {
  if (is_small(mlirValueGetType(value)))
    value = extend_small(d, value);
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : strata_emit_cast(&d->e, name, value, type);
}

//===-- Functions ------------------------------------------------------------------------------------------------===//

static const struct {
  const char *op;
  strata_expansion_t f32, others;
  const char *libm;
} functions[] = {
#define MATH(op, f32, others, libm) {op, f32, others, libm},
#include "lowering/tile_to_cpu/math.def"
};

static void declare_libm(strata_distribution_t *d, const char *name, int n_operands, MlirType type) {
  if (!mlirOperationIsNull(strata_find_func(d->kernels, name)))
    return;
  MlirType inputs[] = {type, type};
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(d->e.context, name)},
      {"sym_visibility", strata_str_attr(d->e.context, "private")},
      {"function_type", mlirTypeAttrGet(mlirFunctionTypeGet(d->e.context, n_operands, inputs, 1, &type))},
  };
  MlirRegion none = mlirRegionCreate();
  mlirBlockInsertOwnedOperation(mlirModuleGetBody(d->kernels), 0,
                                strata_op_create(d->e.location, "func.func", 0, NULL, 0, NULL, 3, attrs, 1, &none));
}

MlirValue strata_emit_libm(strata_distribution_t *d, const char *name, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirType element = strata_type_element(type);
  declare_libm(d, name, n_operands, element);
  strata_named_attr_t callee = {"callee", mlirFlatSymbolRefAttrGet(d->e.context, strata_str(name))};
  int64_t length = mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 1;
  MlirValue results[MAX_LANES], lane[2];
  assert(length <= MAX_LANES && n_operands <= 2);
  for (int64_t i = 0; i < length; i++) {
    for (int k = 0; k < n_operands; k++)
      lane[k] = strata_lanes_extract(&d->e, operands[k], i);
    results[i] = strata_emit_value(&d->e, "func.call", n_operands, lane, element, 1, &callee);
  }
  return strata_lanes_of_scalars(&d->e, length, results);
}

// The function |op| as an expansion or a call; a null value if it has neither.
static MlirValue emit_function(strata_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                               MlirType type) {
  bool is_f32 = mlirTypeIsAF32(strata_type_element(type));
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (!strata_op_is(op, functions[i].op))
      continue;
    strata_expander_t x = expander(d, type);
    strata_expansion_t expansion = is_f32 ? functions[i].f32 : functions[i].others;
    if (expansion)
      return expansion(&x, operands);
    const char *suffix = is_f32 ? "f" : "";
    return strata_emit_libm(d, strata_arena_printf(d->compile->arena, "%s%s", functions[i].libm, suffix), n_operands,
                            operands, type);
  }
  return (MlirValue){0};
}

//===-- Any op ---------------------------------------------------------------------------------------------------===//

static MlirValue emit_same(strata_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirOperationState state = mlirOperationStateGet(strata_op_name(op), d->e.location);
  mlirOperationStateAddOperands(&state, n_operands, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attr = mlirOperationGetAttribute(op, i);
    mlirOperationStateAddAttributes(&state, 1, &attr);
  }
  MlirOperation copy = mlirOperationCreate(&state);
  mlirBlockAppendOwnedOperation(d->e.block, copy);
  return mlirOperationGetResult(copy, 0);
}

static MlirValue emit_wide(strata_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                           MlirType type) {
  MlirValue value = emit_function(d, op, n_operands, operands, type);
  return mlirValueIsNull(value) ? emit_same(d, op, n_operands, operands, type) : value;
}

MlirValue strata_emit_arithmetic(strata_distribution_t *d, MlirOperation op, int n_operands, const MlirValue *operands,
                                 MlirType type) {
  if (moves_bits(op))
    return emit_same(d, op, n_operands, operands, type);
  MlirValue wide[MAX_OPERANDS];
  for (int i = 0; i < n_operands; i++)
    wide[i] = is_small(mlirValueGetType(operands[i])) ? extend_small(d, operands[i]) : operands[i];
  bool converts = strata_op_is(op, "arith.truncf") || strata_op_is(op, "arith.extf");
  if (!is_small(type))
    return converts && mlirTypeEqual(mlirValueGetType(wide[0]), type) ? wide[0]
                                                                      : emit_wide(d, op, n_operands, wide, type);
  MlirType f32 = strata_type_like(type, mlirF32TypeGet(d->e.context));
  MlirValue value = converts ? f32_from(d, wide[0]) : emit_wide(d, op, n_operands, wide, f32);
  return truncate_to_small(d, value, type);
}

typedef struct {
  int n_operands;
  strata_pieces_t operands[MAX_OPERANDS];
} arithmetic_t;

static int operands_at(const arithmetic_t *arithmetic, int64_t piece, MlirValue *out) {
  for (int i = 0; i < arithmetic->n_operands; i++) {
    const strata_pieces_t *operand = &arithmetic->operands[i];
    out[i] = operand->values[operand->rank == 0 ? 0 : piece]; // a scalar serves every piece
  }
  return arithmetic->n_operands;
}

static void emit_arithmetic(strata_distribution_t *d, strata_step_t *step, int64_t piece) {
  MlirValue operands[MAX_OPERANDS];
  int n_operands = operands_at(step->state, piece, operands);
  step->pieces.values[piece] =
      strata_emit_arithmetic(d, step->op, n_operands, operands, strata_piece_type(&step->pieces, piece));
}

// Operands begun in this run have to be in the result's layout.
static void gather_operands(strata_distribution_t *d, strata_step_t *step, arithmetic_t *arithmetic) {
  for (int i = 0; i < arithmetic->n_operands; i++) {
    MlirValue old = mlirOperationGetOperand(step->op, i);
    if (strata_is_pending(d, old) && strata_pieces_of(d, old)->lanes != step->pieces.lanes)
      strata_finish_run(d);
    arithmetic->operands[i] = strata_pieces_as(d, old, step->pieces.lanes);
  }
}

strata_status_t strata_step_arithmetic(strata_distribution_t *d, strata_step_t *step) {
  arithmetic_t *arithmetic = strata_arena_new(d->compile->arena, arithmetic_t);
  arithmetic->n_operands = (int)mlirOperationGetNumOperands(step->op);
  if (mlirOperationGetNumResults(step->op) != 1 || arithmetic->n_operands > MAX_OPERANDS)
    return strata_rule_missing(step->op, "this number of operands or results");
  step->pieces = strata_pieces_new(d, mlirOperationGetResult(step->op, 0));
  gather_operands(d, step, arithmetic);
  step->state = arithmetic;
  step->emit = emit_arithmetic;
  return NULL;
}

static void emit_multiply_add_piece(strata_distribution_t *d, strata_step_t *step, int64_t piece) {
  MlirValue operands[MAX_OPERANDS];
  operands_at(step->state, piece, operands);
  step->pieces.values[piece] = strata_emit_multiply_add(d, operands[0], operands[1], operands[2]);
}

// vector.fma has no scalar form.
strata_status_t strata_step_multiply_add(strata_distribution_t *d, strata_step_t *step) {
  STRATA_TRY(strata_step_arithmetic(d, step));
  step->emit = emit_multiply_add_piece;
  return NULL;
}
