// strata-raise-contract: a sum of products of broadcasts is a contract, whoever wrote it.
//
//   %a = "strata.broadcast"(%x) (i, j, k) -> (i, k)     %b = "strata.broadcast"(%y) (i, j, k) -> (k, j)
//   "strata.reduce"("strata.mul"(%a, %b)) {kind = "add", axes = [2]}
//     -> "strata.contract"(%x, %y) [(i, j, k) -> (i, k), (i, j, k) -> (k, j), (i, j, k) -> (i, j)]
//
// Only where both operands are used several times, each along a dim that the other has: a sum of squares stays one. The
// product is no longer rounded to f16 or bf16 before it is added. Precision modes do not apply: origin is "".
#include "passes/pass.h"
#include "passes/strata/contract.h"

typedef struct {
  MlirValue value;
  int n_exprs;
  MlirAffineExpr exprs[STRATA_MAX_RANK]; // over the dims of the product
  bool varies[STRATA_MAX_RANK];          // along a dim of the product
} factor_t;

static bool is_long(strata_dim_t dim) {
  int64_t size;
  return !strata_dim_is_constant(dim, &size) || size > 1;
}

// |x| before it is widened from a 16-bit type: products of those are exact in f32, and contracts take them as they are.
static MlirValue before_widening(MlirValue x) {
  MlirOperation widening = strata_def_if(x, STRATA_OP_CONVERT);
  if (mlirOperationIsNull(widening) || strata_shape_of(x).type != STRATA_TYPE_F32)
    return x;
  strata_type_t type = strata_shape_of(strata_operand(widening, 0)).type;
  return type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16 ? strata_operand(widening, 0) : x;
}

// The operands of |mul|, both before they are widened if that is from one type.
static void read_operands(MlirOperation mul, MlirValue *out) {
  MlirValue x = strata_operand(mul, 0), y = strata_operand(mul, 1);
  MlirValue narrow_x = before_widening(x), narrow_y = before_widening(y);
  bool are_narrow = strata_shape_of(narrow_x).type == strata_shape_of(narrow_y).type;
  out[0] = are_narrow ? narrow_x : x;
  out[1] = are_narrow ? narrow_y : y;
}

static factor_t read_factor(MlirContext context, MlirValue operand) {
  MlirOperation broadcast = strata_def_if(operand, STRATA_OP_BROADCAST);
  strata_shape_t shape = strata_shape_of(operand);
  factor_t f = {.value = operand, .n_exprs = shape.rank};
  if (!mlirOperationIsNull(broadcast)) {
    f.value = strata_operand(broadcast, 0);
    f.n_exprs = (int)mlirAffineMapGetNumResults(strata_map(broadcast));
  }
  for (int i = 0; i < f.n_exprs; i++) {
    f.exprs[i] = mlirOperationIsNull(broadcast) ? mlirAffineDimExprGet(context, i)
                                                : mlirAffineMapGetResult(strata_map(broadcast), i);
    int dim = strata_expr_dim(f.exprs[i]);
    if (dim >= 0)
      f.varies[dim] = is_long(shape.dims[dim]);
  }
  return f;
}

// Each factor is used again along a dim of the result, and what is summed up is products.
static bool is_contraction(const factor_t *a, const factor_t *b, const strata_shape_t *product, const bool *reduced) {
  bool a_repeats = false, b_repeats = false;
  for (int i = 0; i < product->rank; i++) {
    if (reduced[i] && is_long(product->dims[i]) && !(a->varies[i] && b->varies[i]))
      return false;
    a_repeats = a_repeats || (!reduced[i] && b->varies[i] && !a->varies[i]);
    b_repeats = b_repeats || (!reduced[i] && a->varies[i] && !b->varies[i]);
  }
  return a_repeats && b_repeats;
}

static void set_operand(strata_contract_t *c, int operand, const factor_t *f) {
  c->operands[operand] = f->value;
  c->n_exprs[operand] = f->n_exprs;
  memcpy(c->exprs[operand], f->exprs, sizeof f->exprs);
}

static MlirValue raise(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirOperation mul = id == STRATA_OP_REDUCE ? strata_def_if(strata_operand(op, 0), STRATA_OP_MUL) : (MlirOperation){0};
  if (mlirOperationIsNull(mul) || strata_op_combiner(op) != STRATA_COMBINER_ADD ||
      !strata_value_has_one_use(strata_result(mul)))
    return STRATA_NO_VALUE;
  MlirContext context = r->compile->context;
  MlirValue factors[2];
  read_operands(mul, factors);
  factor_t a = read_factor(context, factors[0]), b = read_factor(context, factors[1]);
  strata_shape_t product = strata_shape_of(strata_result(mul));
  int64_t axes[STRATA_MAX_RANK];
  bool reduced[STRATA_MAX_RANK] = {false};
  int n_axes = strata_attr_i64s(op, "axes", STRATA_MAX_RANK, axes);
  for (int i = 0; i < n_axes; i++)
    reduced[axes[i]] = true;
  if (!is_contraction(&a, &b, &product, reduced))
    return STRATA_NO_VALUE;
  bool is_narrow = product.type == STRATA_TYPE_F16 || product.type == STRATA_TYPE_BF16;
  strata_contract_t c = {.type = is_narrow ? STRATA_TYPE_F32 : product.type, .n_dims = product.rank, .origin = ""};
  set_operand(&c, 0, &a);
  set_operand(&c, 1, &b);
  // The result's dims come first.
  MlirAffineExpr places[STRATA_MAX_RANK];
  strata_dim_t dims[STRATA_MAX_RANK];
  int kept = 0, contracted = product.rank - n_axes;
  for (int i = 0; i < product.rank; i++) {
    int place = reduced[i] ? contracted++ : kept++;
    places[i] = mlirAffineDimExprGet(context, place);
    dims[place] = product.dims[i];
  }
  strata_contract_substitute(context, &c, places, product.rank, dims, kept);
  if (!strata_contract_is_valid(context, &c))
    return STRATA_NO_VALUE;
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, strata_contract_build(&r->build, &c), product.type);
}

strata_status_t strata_pass_raise_contract(strata_compile_t *compile) { return strata_rewrite(compile, raise); }
