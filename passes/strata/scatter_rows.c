// The part of strata-simplify that is about scatters: what few rows, or rows known beforehand, are written over is
// chosen element by element, by the kernel that would copy all others.
//
//   scatter(x, [5, 6, 7], u)         ->  concat(x[0:5], u, x[8:])
//   scatter(x, [9, 2, 5], u)         ->  select([2, 5 and 9], gather(u, places), x)
//   scatter(x, [i, j], u)            ->  select(rows == j, u[1], select(rows == i, u[0], x))
#include "passes/strata/simplify.h"

enum { FEW_ROWS = 4 };

typedef struct {
  MlirValue init, indices, updates;
  int rank;
  int64_t sizes[STRATA_MAX_RANK]; // of the result
  int64_t n_updates;
} scatter_t;

static bool read_scatter(MlirOperation op, scatter_t *out) {
  int64_t sizes[STRATA_MAX_RANK];
  *out = (scatter_t){.init = strata_operand(op, 0), .indices = strata_operand(op, 1), .updates = strata_operand(op, 2)};
  out->rank = strata_sizes_of(out->init, out->sizes);
  bool is_static = out->rank > 0 && strata_sizes_of(out->updates, sizes) == out->rank;
  out->n_updates = is_static ? sizes[0] : 0;
  for (int i = 0; i < out->rank; i++)
    is_static = is_static && out->sizes[i] > 0;
  return is_static && out->n_updates > 0 && strata_shape_of(out->init).type != STRATA_TYPE_I4 &&
         strata_str_equal(strata_attr_str(op, "kind"), "none");
}

// Rows |first| to |end| - 1 of |x|.
static MlirValue rows_of(strata_rewriter_t *r, const scatter_t *s, MlirValue x, int64_t first, int64_t end) {
  int64_t starts[STRATA_MAX_RANK] = {first}, steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  for (int i = 0; i < s->rank; i++) {
    steps[i] = 1;
    sizes[i] = i ? s->sizes[i] : end - first;
  }
  return strata_build_slice(&r->build, x, starts, steps, sizes);
}

// |x|, a number a row, for each element.
static MlirValue for_elements(strata_rewriter_t *r, const scatter_t *s, MlirValue x) {
  MlirContext context = r->compile->context;
  strata_shape_t shape = strata_shape_of(s->init);
  MlirAffineExpr row = mlirAffineDimExprGet(context, 0);
  shape.type = strata_shape_of(x).type;
  return strata_build_broadcast(&r->build, x, &shape, mlirAffineMapGet(context, s->rank, 0, 1, &row));
}

//===-- Rows that are known --------------------------------------------------------------------------------------===//

static bool are_neighbours(const scatter_t *s, const int64_t *indices) {
  for (int64_t i = 0; i < s->n_updates; i++)
    if (indices[i] < 0 || indices[i] >= s->sizes[0] || indices[i] != indices[0] + i)
      return false;
  return true;
}

static MlirValue replace_neighbours(strata_rewriter_t *r, const scatter_t *s, int64_t first) {
  MlirValue parts[3];
  int n = 0;
  if (first > 0)
    parts[n++] = rows_of(r, s, s->init, 0, first);
  parts[n++] = s->updates;
  if (first + s->n_updates < s->sizes[0])
    parts[n++] = rows_of(r, s, s->init, first + s->n_updates, s->sizes[0]);
  return n == 1 ? parts[0] : strata_build_concat(&r->build, n, parts, 0);
}

//===-- Few rows -------------------------------------------------------------------------------------------------===//

// The |number|-th of the updates for all rows, and whether a row is the one that it is for.
static MlirValue choose_row(strata_rewriter_t *r, const scatter_t *s, int64_t number, MlirValue otherwise) {
  MlirContext context = r->compile->context;
  strata_shape_t rows = strata_shape_of(s->indices), shape = strata_shape_of(s->init);
  rows.dims[0] = shape.dims[0];
  int64_t start = number, step = 1, one = 1;
  MlirValue index = strata_build_slice(&r->build, s->indices, &start, &step, &one);
  MlirAffineExpr exprs[STRATA_MAX_RANK] = {mlirAffineConstantExprGet(context, 0)};
  index = strata_build_broadcast(&r->build, index, &rows, mlirAffineMapGet(context, 1, 0, 1, exprs));
  MlirValue is_it = strata_build_binary(&r->build, STRATA_OP_EQ, strata_build_iota(&r->build, &rows, 0), index);
  for (int i = 1; i < s->rank; i++)
    exprs[i] = mlirAffineDimExprGet(context, i);
  MlirValue update = strata_build_broadcast(&r->build, rows_of(r, s, s->updates, number, number + 1), &shape,
                                            mlirAffineMapGet(context, s->rank, 0, s->rank, exprs));
  return strata_build_select(&r->build, for_elements(r, s, is_it), update, otherwise);
}

//===-- In place -------------------------------------------------------------------------------------------------===//

static MlirValue through_reshapes(MlirValue x) {
  while (mlirValueIsAOpResult(x) && strata_op_id(mlirOpResultGetOwner(x)) == STRATA_OP_RESHAPE)
    x = strata_operand(mlirOpResultGetOwner(x), 0);
  return x;
}

// An argument of @main is updated, and the result may have its memory: nothing is copied (affine-store-in-place).
static bool is_in_place(const strata_rewriter_t *r, MlirOperation op, MlirValue init) {
  MlirOperation main = strata_find_func(r->compile->module, "main");
  if (mlirOperationIsNull(main))
    return false;
  MlirAttribute results = strata_attr(main, "res_attrs"), arguments = strata_attr(main, "arg_attrs");
  MlirValue from = through_reshapes(init);
  MlirBlock body = strata_func_body(main);
  if (mlirAttributeIsNull(results) || !mlirValueIsABlockArgument(from) || mlirAttributeIsNull(arguments) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(from), body))
    return false;
  MlirAttribute own = mlirArrayAttrGetElement(arguments, mlirBlockArgumentGetArgNumber(from));
  MlirAttribute name = mlirDictionaryAttrGetElementByName(own, strata_str("strata.name"));
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end) && !mlirAttributeIsNull(name); i++) {
    MlirValue result = through_reshapes(mlirOperationGetOperand(end, i));
    MlirAttribute alias =
        mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(results, i), strata_str("strata.alias"));
    if (mlirValueEqual(result, mlirOperationGetResult(op, 0)) && !mlirAttributeIsNull(alias) &&
        mlirAttributeEqual(alias, name))
      return true;
  }
  return false;
}

MlirValue strata_simplify_scatter(strata_rewriter_t *r, MlirOperation op) {
  scatter_t s;
  int64_t *indices, count;
  if (!read_scatter(op, &s) || is_in_place(r, op, s.init))
    return STRATA_NO_VALUE;
  bool is_constant = strata_constant_i64s(r->compile, s.indices, &indices, &count);
  if (is_constant && are_neighbours(&s, indices))
    return replace_neighbours(r, &s, indices[0]);
  if (s.n_updates > FEW_ROWS)
    return STRATA_NO_VALUE;
  MlirValue result = s.init;
  for (int64_t i = 0; i < s.n_updates; i++)
    if (!is_constant || (indices[i] >= 0 && indices[i] < s.sizes[0]))
      result = choose_row(r, &s, i, result);
  return result;
}
