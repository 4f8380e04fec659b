// strata-simplify: ops that change nothing go, chains become one op.
//
//   x + (-0.0), x * 1, x / 1, …                              ->   x                       identities.def
//   neg(neg(x)), select(c, x, x)                             ->   x
//   x / splat c                                              ->   x * splat 1/c    (exact quotients: if 1/c is exact)
//   (x * c) * d with constant c, d                           ->   x * (c * d)
//   add(broadcast(x), broadcast(y)) of equal maps            ->   broadcast(add(x, y))
//   convert(convert(x)) where the first loses nothing        ->   convert(x)
//   views: simplify_views.c; scatters: scatter_rows.c
//
// What may lose accuracy or range is left alone under --polyblocks-disable-unsafe-math-canonicalizations. NaN, infinity
// and -0 are always kept: x * 0.0 may be NaN, so it is no identity, and x + 0.0, which turns -0.0 into 0.0, is one only
// in front of products.
#include "passes/strata/simplify.h"

#include "passes/pass.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_USES = 16 };

static bool unsafe_math(const strata_rewriter_t *r) { return !r->compile->options->disable_unsafe_math; }

//===-- Identities -----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_op_id_t id;
  strata_type_kind_t kind;
  enum { RHS, EITHER } side;
  double number;
  enum { OTHER, NUMBER } result;
} identity_t;

static const identity_t identities[] = {
#define IDENTITY(op, kind, side, number, result) {STRATA_OP_##op, STRATA_TYPE_KIND_##kind, side, number, result},
#include "passes/strata/identities.def"
};

static MlirValue apply_identities(strata_compile_t *compile, MlirOperation op, strata_op_id_t id) {
  MlirValue x = strata_operand(op, 0), y = strata_operand(op, 1);
  strata_type_kind_t kind = strata_type_info[strata_shape_of(x).type].kind;
  for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
    const identity_t *row = &identities[i];
    if (row->id != id || row->kind != kind)
      continue;
    if (strata_is_filled(compile, y, row->number))
      return row->result == NUMBER ? y : x;
    if (row->side == EITHER && strata_is_filled(compile, x, row->number))
      return row->result == NUMBER ? x : y;
  }
  return STRATA_NO_VALUE;
}

// min(x, x) and the like.
static MlirValue of_equal_operands(strata_rewriter_t *r, MlirValue x, strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_MIN:
  case STRATA_OP_MAX:
  case STRATA_OP_MIN_U:
  case STRATA_OP_MAX_U:
  case STRATA_OP_AND:
  case STRATA_OP_OR:
    return x;
  case STRATA_OP_SUB:
    return strata_type_is_float(strata_shape_of(x).type) ? STRATA_NO_VALUE : strata_rewriter_splat(r, x, 0);
  case STRATA_OP_XOR:
    return strata_rewriter_splat(r, x, 0);
  default:
    return STRATA_NO_VALUE;
  }
}

//===-- Unary ops ------------------------------------------------------------------------------------------------===//

// op(op(x)) = x
static bool is_involution(strata_op_id_t id) { return id == STRATA_OP_NEG || id == STRATA_OP_NOT; }

// op(op(x)) = op(x)
static bool is_idempotent(strata_op_id_t id) {
  return id == STRATA_OP_ABS || id == STRATA_OP_CEIL || id == STRATA_OP_FLOOR || id == STRATA_OP_TRUNC ||
         id == STRATA_OP_ROUND_EVEN;
}

static MlirValue simplify_unary(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue x = strata_operand(op, 0);
  MlirOperation inner = strata_def_if(x, id), neg = strata_def_if(x, STRATA_OP_NEG);
  if (!mlirOperationIsNull(inner) && is_involution(id))
    return strata_operand(inner, 0);
  if (!mlirOperationIsNull(inner) && is_idempotent(id))
    return x;
  if (id == STRATA_OP_ABS && !mlirOperationIsNull(neg))
    return strata_build_unary(&r->build, id, strata_operand(neg, 0));
  return STRATA_NO_VALUE;
}

//===-- Conversions ----------------------------------------------------------------------------------------------===//

// Bits of an integer that a type holds exactly, sign included.
static int exact_integer_bits(strata_type_t type) {
  switch (type) {
  case STRATA_TYPE_F64:
    return DBL_MANT_DIG + 1;
  case STRATA_TYPE_F32:
    return FLT_MANT_DIG + 1;
  case STRATA_TYPE_F16:
    return 12;
  case STRATA_TYPE_BF16:
    return 9;
  case STRATA_TYPE_I1:
    return 2;
  default:
    return strata_type_is_float(type) ? 4 : strata_type_info[type].bits;
  }
}

// True if |to| holds every value of |from|.
static bool is_exact(strata_type_t from, strata_type_t to) {
  if (from == to)
    return true;
  if (!strata_type_is_float(from))
    return to != STRATA_TYPE_I1 && exact_integer_bits(from) <= exact_integer_bits(to);
  if (!strata_type_is_float(to))
    return false;
  return to == STRATA_TYPE_F64 || (to == STRATA_TYPE_F32 && from != STRATA_TYPE_F64) ||
         (strata_type_info[from].bits == 8 && strata_type_info[to].bits == 16);
}

static MlirValue simplify_convert(strata_rewriter_t *r, MlirOperation op) {
  MlirValue x = strata_operand(op, 0);
  strata_type_t type = strata_shape_of(strata_result(op)).type;
  if (strata_shape_of(x).type == type)
    return x;
  MlirOperation inner = strata_def_if(x, STRATA_OP_CONVERT);
  if (mlirOperationIsNull(inner) || !is_exact(strata_shape_of(strata_operand(inner, 0)).type, strata_shape_of(x).type))
    return STRATA_NO_VALUE;
  return strata_attr_flag(op, STRATA_ROUNDS)
             ? strata_build_rounding(&r->build, strata_operand(inner, 0), type)
             : strata_build_convert(&r->build, STRATA_OP_CONVERT, strata_operand(inner, 0), type);
}

//===-- Products, sums, powers -----------------------------------------------------------------------------------===//

// The reciprocal of |c| is exact in |type|.
static bool has_exact_reciprocal(double c, strata_type_t type) {
  int exponent, limit = type == STRATA_TYPE_F16 ? 14 : 126;
  return isfinite(c) && fabs(frexp(c, &exponent)) == 0.5 && abs(exponent - 1) <= limit;
}

// Types whose products are rounded finely enough to multiply by a rounded reciprocal.
static bool is_wide(strata_type_t type) { return type == STRATA_TYPE_F32 || type == STRATA_TYPE_F64; }

static MlirValue reciprocal(strata_rewriter_t *r, MlirValue x) {
  return strata_build_binary(&r->build, STRATA_OP_DIV, strata_rewriter_splat(r, x, 1), x);
}

static bool uses_dim(MlirAffineMap map, int dim) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    if (strata_expr_dim(mlirAffineMapGetResult(map, i)) == dim)
      return true;
  return false;
}

// True if a dim of a broadcast's result, other than of size 1, is none of its operand's.
static bool adds_dims(MlirOperation broadcast) {
  strata_shape_t shape = strata_shape_of(strata_result(broadcast));
  for (int i = 0; i < shape.rank; i++) {
    int64_t size;
    bool is_one = strata_dim_is_constant(shape.dims[i], &size) && size == 1;
    if (!is_one && !uses_dim(strata_map(broadcast), i))
      return true;
  }
  return false;
}

// The operand of a broadcast that has fewer elements than its result; a splat is none.
static bool is_spread(MlirValue y, MlirOperation *out_broadcast) {
  strata_scalar_t scalar;
  *out_broadcast = strata_def_if(y, STRATA_OP_BROADCAST);
  if (mlirOperationIsNull(*out_broadcast))
    return false;
  if (strata_type_is_symbolic(mlirValueGetType(y)))
    return !strata_splat_of(y, &scalar) && adds_dims(*out_broadcast);
  strata_shape_t small = strata_shape_of(strata_operand(*out_broadcast, 0)), large = strata_shape_of(y);
  return strata_shape_count(&small) < strata_shape_count(&large);
}

static MlirValue simplify_div(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_builder_t *b = &r->build;
  MlirValue x = strata_operand(op, 0), y = strata_operand(op, 1);
  strata_shape_t shape = strata_shape_of(y);
  strata_scalar_t c;
  MlirOperation broadcast, root = strata_def_if(y, STRATA_OP_SQRT);
  if (!strata_type_is_float(shape.type))
    return STRATA_NO_VALUE;
  bool unsafe = id == STRATA_OP_DIV && unsafe_math(r) && is_wide(shape.type), is_splat = strata_splat_of(y, &c);
  if (is_splat && c.f64 != 0 && (has_exact_reciprocal(c.f64, shape.type) || (unsafe && isnormal(1 / c.f64))))
    return strata_build_binary(b, STRATA_OP_MUL, x, strata_build_splat(b, &shape, 1 / c.f64));
  if (!unsafe || is_splat)
    return STRATA_NO_VALUE;
  if (!mlirOperationIsNull(root) && strata_is_splat(x, 1))
    return strata_build_unary(b, STRATA_OP_RSQRT, strata_operand(root, 0));
  if (is_spread(y, &broadcast)) {
    MlirValue small = reciprocal(r, strata_operand(broadcast, 0));
    return strata_build_binary(b, STRATA_OP_MUL, x, strata_build_broadcast(b, small, &shape, strata_map(broadcast)));
  }
  bool in_advance = strata_rewriter_is_constant(r, y) && !strata_rewriter_is_constant(r, x);
  return in_advance ? strata_build_binary(b, STRATA_OP_MUL, x, reciprocal(r, y)) : STRATA_NO_VALUE;
}

// (x op c) op d -> x op (c op d) for constant c and d, where the inner value has no other reader.
static MlirValue merge_constants(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue d = strata_operand(op, 1);
  MlirOperation inner = strata_def_if(strata_operand(op, 0), id);
  if (mlirOperationIsNull(inner) || !strata_value_has_one_use(strata_result(inner)) ||
      !strata_rewriter_is_constant(r, d))
    return STRATA_NO_VALUE;
  MlirValue x = strata_operand(inner, 0), c = strata_operand(inner, 1);
  bool is_safe = !strata_type_is_float(strata_shape_of(x).type) || unsafe_math(r);
  if (!is_safe || !strata_rewriter_is_constant(r, c) || strata_rewriter_is_constant(r, x))
    return STRATA_NO_VALUE;
  return strata_build_binary(&r->build, id, x, strata_build_binary(&r->build, id, c, d));
}

// Constants stand on the right of commutative ops.
static MlirValue order_operands(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue x = strata_operand(op, 0), y = strata_operand(op, 1);
  bool swap = strata_rewriter_is_constant(r, x) && !strata_rewriter_is_constant(r, y);
  return swap ? strata_build_binary(&r->build, id, y, x) : STRATA_NO_VALUE;
}

// True if what |id| makes of its operands differs in a zero's sign at most where one of those does.
static bool keeps_zero_but_sign(strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_NEG:
  case STRATA_OP_ADD:
  case STRATA_OP_SUB:
  case STRATA_OP_MUL:
  case STRATA_OP_MIN:
  case STRATA_OP_MAX:
  case STRATA_OP_CONVERT:
  case STRATA_OP_RESHAPE:
  case STRATA_OP_TRANSPOSE:
  case STRATA_OP_BROADCAST:
  case STRATA_OP_SLICE:
    return true;
  default:
    return false;
  }
}

// True if nobody can tell 0.0 from -0.0 in |value|: it goes into products alone, whose sums begin with 0.0. |*budget|
// uses are looked at.
static bool loses_sign_of_zero(MlirValue value, int *budget) {
  if (!strata_value_has_uses(value) || !strata_type_is_float(strata_shape_of(value).type))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    strata_op_id_t id = strata_op_id(user);
    if (--*budget < 0 ||
        (id != STRATA_OP_CONTRACT && !(keeps_zero_but_sign(id) && loses_sign_of_zero(strata_result(user), budget))))
      return false;
  }
  return true;
}

// What 0.0 is added to, which is the sum but for -0.0.
static MlirValue added_to_zero(strata_rewriter_t *r, MlirOperation op) {
  int budget = MAX_USES;
  for (int i = 0; i < 2; i++)
    if (strata_is_filled(r->compile, strata_operand(op, i), 0.0))
      return loses_sign_of_zero(strata_result(op), &budget) ? strata_operand(op, 1 - i) : STRATA_NO_VALUE;
  return STRATA_NO_VALUE;
}

static MlirValue simplify_add(strata_rewriter_t *r, MlirOperation op) {
  MlirValue same = added_to_zero(r, op);
  if (!mlirValueIsNull(same))
    return same;
  MlirOperation neg = strata_def_if(strata_operand(op, 1), STRATA_OP_NEG);
  if (!mlirOperationIsNull(neg) && !strata_rewriter_is_constant(r, strata_result(neg)))
    return strata_build_binary(&r->build, STRATA_OP_SUB, strata_operand(op, 0), strata_operand(neg, 0));
  MlirValue merged = merge_constants(r, op, STRATA_OP_ADD);
  return mlirValueIsNull(merged) ? order_operands(r, op, STRATA_OP_ADD) : merged;
}

static MlirValue simplify_mul(strata_rewriter_t *r, MlirOperation op) {
  MlirValue merged = merge_constants(r, op, STRATA_OP_MUL);
  return mlirValueIsNull(merged) ? order_operands(r, op, STRATA_OP_MUL) : merged;
}

// x - c -> x + (-c), so that sums have one form.
static MlirValue simplify_sub(strata_rewriter_t *r, MlirOperation op) {
  MlirValue x = strata_operand(op, 0), y = strata_operand(op, 1);
  MlirOperation neg = strata_def_if(y, STRATA_OP_NEG);
  if (strata_rewriter_is_constant(r, y) && !strata_rewriter_is_constant(r, x))
    return strata_build_binary(&r->build, STRATA_OP_ADD, x, strata_build_unary(&r->build, STRATA_OP_NEG, y));
  if (mlirOperationIsNull(neg))
    return STRATA_NO_VALUE;
  return strata_build_binary(&r->build, STRATA_OP_ADD, x, strata_operand(neg, 0));
}

static MlirValue simplify_pow(strata_rewriter_t *r, MlirOperation op) {
  strata_builder_t *b = &r->build;
  MlirValue x = strata_operand(op, 0);
  strata_scalar_t power;
  if (!strata_splat_of(strata_operand(op, 1), &power) || !strata_type_is_float(power.type))
    return STRATA_NO_VALUE;
  if (power.f64 == 2)
    return strata_build_binary(b, STRATA_OP_MUL, x, x);
  if (power.f64 == 3)
    return strata_build_binary(b, STRATA_OP_MUL, strata_build_binary(b, STRATA_OP_MUL, x, x), x);
  if (power.f64 == -1)
    return reciprocal(r, x);
  if (power.f64 == 0.5 && unsafe_math(r)) // differs for -0 and -infinity
    return strata_build_unary(b, STRATA_OP_SQRT, x);
  return STRATA_NO_VALUE;
}

//===-- Select ---------------------------------------------------------------------------------------------------===//

static MlirValue simplify_select(strata_rewriter_t *r, MlirOperation op) {
  MlirValue condition = strata_operand(op, 0), x = strata_operand(op, 1), y = strata_operand(op, 2);
  MlirOperation inverted = strata_def_if(condition, STRATA_OP_NOT);
  if (mlirValueEqual(x, y) || strata_is_splat(condition, 1))
    return x;
  if (strata_is_splat(condition, 0))
    return y;
  return mlirOperationIsNull(inverted) ? STRATA_NO_VALUE
                                       : strata_build_select(&r->build, strata_operand(inverted, 0), y, x);
}

//===-- Broadcast operands ---------------------------------------------------------------------------------------===//

// Whether |operand| is a splat, or a broadcast like |model|.
static bool can_narrow(MlirValue operand, MlirOperation model) {
  strata_scalar_t scalar;
  MlirOperation broadcast = strata_def_if(operand, STRATA_OP_BROADCAST);
  if (mlirOperationIsNull(broadcast) || strata_splat_of(operand, &scalar))
    return strata_splat_of(operand, &scalar);
  strata_shape_t source = strata_shape_of(strata_operand(broadcast, 0));
  strata_shape_t expected = strata_shape_of(strata_operand(model, 0));
  expected.type = source.type;
  MlirContext context = mlirOperationGetContext(model);
  return mlirAffineMapEqual(strata_map(broadcast), strata_map(model)) &&
         mlirTypeEqual(strata_shape_to_type(context, &expected), strata_shape_to_type(context, &source));
}

static MlirValue narrow(strata_rewriter_t *r, MlirValue operand, MlirOperation model) {
  strata_scalar_t scalar;
  if (!strata_splat_of(operand, &scalar))
    return strata_operand(strata_def(operand), 0);
  strata_shape_t shape = strata_shape_of(strata_operand(model, 0));
  shape.type = scalar.type;
  return strata_build_scalar_splat(&r->build, &shape, scalar);
}

// Computes before broadcasting where all operands are broadcast alike.
static MlirValue compute_narrow(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirOperation model = {NULL};
  MlirValue operands[3];
  int n = strata_op_info[id].n_operands, first = 0;
  while (first < n && !is_spread(strata_operand(op, first), &model))
    first++;
  if (first == n)
    return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    if (!can_narrow(strata_operand(op, i), model))
      return STRATA_NO_VALUE;
  for (int i = 0; i < n; i++)
    operands[i] = narrow(r, strata_operand(op, i), model);
  strata_shape_t shape = strata_shape_of(strata_result(op));
  MlirValue small = strata_build_elementwise(&r->build, op, operands);
  return strata_build_broadcast(&r->build, small, &shape, strata_map(model));
}

//===-- Other kinds ----------------------------------------------------------------------------------------------===//

// A reduction over axes of size 1 only.
static MlirValue simplify_reduce(strata_rewriter_t *r, MlirOperation op) {
  int64_t axes[STRATA_MAX_RANK], size;
  int n = strata_attr_i64s(op, "axes", STRATA_MAX_RANK, axes);
  strata_shape_t in = strata_shape_of(strata_operand(op, 0)), out = strata_shape_of(strata_result(op));
  for (int i = 0; i < n; i++)
    if (!strata_dim_is_constant(in.dims[axes[i]], &size) || size != 1)
      return STRATA_NO_VALUE;
  return strata_build_reshape(&r->build, strata_operand(op, 0), out.rank, out.dims);
}

static MlirValue simplify_elementwise(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  switch (id) {
  case STRATA_OP_CONVERT:
    return simplify_convert(r, op);
  case STRATA_OP_ADD:
    return simplify_add(r, op);
  case STRATA_OP_SUB:
    return simplify_sub(r, op);
  case STRATA_OP_MUL:
    return simplify_mul(r, op);
  case STRATA_OP_DIV:
  case STRATA_OP_DIV_EXACT:
    return simplify_div(r, op, id);
  case STRATA_OP_POW:
    return simplify_pow(r, op);
  case STRATA_OP_SELECT:
    return simplify_select(r, op);
  case STRATA_OP_MIN:
  case STRATA_OP_MAX:
  case STRATA_OP_AND:
  case STRATA_OP_OR:
    return order_operands(r, op, id);
  default:
    return strata_op_info[id].n_operands == 1 ? simplify_unary(r, op, id) : STRATA_NO_VALUE;
  }
}

MlirValue strata_simplify_op(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue simpler = strata_fold_splats(r, op, id);
  if (!mlirValueIsNull(simpler))
    return simpler;
  if (id == STRATA_OP_REDUCE)
    return simplify_reduce(r, op);
  if (id == STRATA_OP_SCATTER)
    return strata_simplify_scatter(r, op);
  if (!strata_is_elementwise(id))
    return strata_simplify_view(r, op, id);
  if (strata_op_info[id].n_operands == 2) {
    simpler = apply_identities(r->compile, op, id);
    if (mlirValueIsNull(simpler) && mlirValueEqual(strata_operand(op, 0), strata_operand(op, 1)))
      simpler = of_equal_operands(r, strata_operand(op, 0), id);
  }
  if (mlirValueIsNull(simpler))
    simpler = simplify_elementwise(r, op, id);
  return mlirValueIsNull(simpler) ? compute_narrow(r, op, id) : simpler;
}

strata_status_t strata_pass_simplify(strata_compile_t *compile) { return strata_rewrite(compile, strata_simplify_op); }
