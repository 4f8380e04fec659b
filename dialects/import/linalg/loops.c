// Loops of structured operations, and operands with loops as their dims.
#include "dialects/import/linalg/linalg.h"

enum { MAX_DEPTH = 200 }; // of an affine expression

const char *linalg_loop_sizes(tir_op_t *o, const linalg_loops_t *loops) {
  bool is_known = true;
  for (int i = 0; i < loops->type.rank; i++)
    is_known &= loops->type.dims[i] >= 0;
  if (is_known)
    return graph_ints(o->g, loops->type.rank, loops->type.dims);
  return tir_concat(o, 0, loops->type.rank, loops->size);
}

const char *linalg_counting(tir_op_t *o, const linalg_loops_t *loops, int loop) {
  return tir_counting_along(o, loops->size[loop], loop, loops->type.rank);
}

//===-- Affine expressions ---------------------------------------------------------------------------------------===//

bool linalg_is_loop(MlirAffineExpr expr, int *out_loop) {
  if (!mlirAffineExprIsADim(expr))
    return false;
  *out_loop = (int)mlirAffineDimExprGetPosition(expr);
  return true;
}

int64_t linalg_loops_of(MlirAffineExpr expr, int n) {
  int64_t mask = 0;
  for (int i = 0; i < n; i++)
    if (mlirAffineExprIsFunctionOfDim(expr, i))
      mask |= INT64_C(1) << i;
  return mask;
}

static const char *affine_leaf(tir_op_t *o, MlirAffineExpr expr, int n_dims, const char *const *dims,
                               const char *const *symbols) {
  if (mlirAffineExprIsAConstant(expr))
    return graph_int(o->g, mlirAffineConstantExprGetValue(expr));
  intptr_t i = mlirAffineExprIsADim(expr) ? mlirAffineDimExprGetPosition(expr) : -1;
  if (i >= 0)
    return i < n_dims ? dims[i] : NULL;
  return symbols ? symbols[mlirAffineSymbolExprGetPosition(expr)] : NULL;
}

static const char *affine(tir_op_t *o, MlirAffineExpr expr, int n_dims, const char *const *dims,
                          const char *const *symbols, int depth) {
  if (depth == 0)
    return NULL;
  if (!mlirAffineExprIsABinary(expr))
    return affine_leaf(o, expr, n_dims, dims, symbols);
  const char *a = affine(o, mlirAffineBinaryOpExprGetLHS(expr), n_dims, dims, symbols, depth - 1);
  const char *b = affine(o, mlirAffineBinaryOpExprGetRHS(expr), n_dims, dims, symbols, depth - 1);
  if (!a || !b)
    return NULL;
  if (mlirAffineExprIsAFloorDiv(expr))
    return arith_floor_div(o, a, b);
  if (mlirAffineExprIsACeilDiv(expr))
    return arith_ceil_div(o, a, b);
  return tir_binary(o, mlirAffineExprIsAAdd(expr) ? "Add" : mlirAffineExprIsAMul(expr) ? "Mul" : "Mod", a, b);
}

const char *linalg_affine(tir_op_t *o, MlirAffineExpr expr, int n_dims, const char *const *dims,
                          const char *const *symbols) {
  return affine(o, expr, n_dims, dims, symbols, MAX_DEPTH);
}

// The place in a dim, with the loops of |mask| as dims.
static const char *place(linalg_op_t *l, MlirAffineExpr expr, int64_t mask) {
  const char *dims[TIR_MAX_RANK] = {NULL};
  int rank = 0, next = 0;
  for (int i = 0; i < l->loops.type.rank; i++)
    rank += (int)(mask >> i & 1);
  for (int i = 0; i < l->loops.type.rank; i++)
    if (mask >> i & 1)
      dims[i] = tir_counting_along(l->o, l->loops.size[i], next++, rank);
  return linalg_affine(l->o, expr, l->loops.type.rank, dims, NULL);
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// Whether each dim depends on loops of its own.
static bool is_separate(const linalg_op_t *l, MlirAffineMap map) {
  int64_t seen = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    int64_t mask = linalg_loops_of(mlirAffineMapGetResult(map, i), l->loops.type.rank);
    if (seen & mask)
      return false;
    seen |= mask;
  }
  return true;
}

// |x|, whose dims are |order|, loops, with all loops as dims in their order.
static const char *spread(linalg_op_t *l, const char *x, int rank, const int *order) {
  int64_t permutation[TIR_MAX_RANK], added[TIR_MAX_RANK];
  int n_added = 0, next = 0;
  for (int loop = 0; loop < l->loops.type.rank; loop++) {
    int found = -1;
    for (int i = 0; i < rank; i++)
      found = order[i] == loop ? i : found;
    if (found < 0)
      added[n_added++] = loop;
    else
      permutation[next++] = found;
  }
  x = tir_transpose(l->o, x, rank, permutation);
  return n_added && rank > 0 ? graph_unsqueeze(l->o->g, x, n_added, added) : x;
}

// Dim by dim: one that a loop alone says is its dim, others are gathered.
static const char *arrange_dims(linalg_op_t *l, const char *x, MlirAffineMap map) {
  int order[TIR_MAX_RANK], n = 0, loop;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    int64_t mask = linalg_loops_of(expr, l->loops.type.rank);
    if (!linalg_is_loop(expr, &loop)) {
      const char *index = place(l, expr, mask);
      graph_node_t *node = index ? graph_node(l->o->g, "strata.Gather", GRAPH_VALUES(x, index)) : NULL;
      if (!node)
        return NULL;
      graph_set_int(node, "axis", n);
      x = graph_result(node, NULL);
    }
    for (int k = 0; k < l->loops.type.rank && n < TIR_MAX_RANK; k++)
      if (mask >> k & 1)
        order[n++] = k;
  }
  return spread(l, x, n, order);
}

// Element by element: the number of each in the operand's memory.
static const char *arrange_elements(linalg_op_t *l, const char *x, const tir_type_t *type, MlirAffineMap map) {
  const char *number = NULL;
  int64_t all = (INT64_C(1) << l->loops.type.rank) - 1, minus_one = -1;
  for (int i = 0; i < type->rank; i++) {
    const char *index = place(l, mlirAffineMapGetResult(map, i), all);
    if (!index)
      return NULL;
    if (number)
      index =
          tir_binary(l->o, "Add", tir_binary(l->o, "Mul", number, tir_scalar(l->o, tir_size(l->o, x, type, i))), index);
    number = index;
  }
  return graph_op(l->o->g, "strata.Gather", GRAPH_VALUES(tir_reshape_static(l->o, x, 1, &minus_one), number));
}

const char *linalg_arranged(linalg_op_t *l, int k) {
  MlirAffineMap map = l->maps[k];
  tir_type_t type = tir_in_type(l->o, k);
  const char *x = tir_in(l->o, k);
  if (mlirAffineMapGetNumResults(map) != type.rank || type.dtype == STRATA_DTYPE_NONE) {
    tir_refuse(l->o, "operand %d is no tensor of numbers", k);
    return NULL;
  }
  const char *result = is_separate(l, map) ? arrange_dims(l, x, map) : arrange_elements(l, x, &type, map);
  if (!result)
    tir_refuse(l->o, "a map of operand %d that is nested too deep", k);
  return result;
}

//===-- Bodies ---------------------------------------------------------------------------------------------------===//

int64_t linalg_mask(const linalg_loops_t *loops, MlirValue value) {
  const int64_t *mask = strata_pointer_map_get(&loops->masks, value.ptr);
  return mask ? *mask : 0;
}

void linalg_fill_masks(linalg_loops_t *loops, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    int64_t mask = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      mask |= linalg_mask(loops, mlirOperationGetOperand(op, i));
    int64_t loop = strata_op_is(op, "linalg.index") ? strata_attr_i64(op, "dim", -1) : -1;
    if (loop >= 0 && loop < loops->type.rank)
      mask |= INT64_C(1) << loop;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      *strata_pointer_map_put(&loops->masks, mlirOperationGetResult(op, i).ptr) = mask;
  }
}

int linalg_input(const linalg_op_t *l, MlirValue value) {
  int i = tir_argument_number(l->body, value);
  return i < l->n_inputs ? i : -1;
}

MlirValue linalg_converted(MlirValue value) {
  static const char *const conversions[] = {"arith.extf",   "arith.truncf", "arith.extsi", "arith.extui",
                                            "arith.trunci", "arith.sitofp", "arith.uitofp"};
  MlirOperation def = strata_def(value);
  for (size_t i = 0; i < sizeof conversions / sizeof *conversions && !mlirOperationIsNull(def); i++)
    if (strata_op_is(def, conversions[i]))
      return mlirOperationGetOperand(def, 0);
  return (MlirValue){0};
}

void linalg_skip(linalg_op_t *l, MlirOperation op) { strata_pointer_map_put(&l->o->importer->named, op.ptr); }

// Whether an operation that is read needs it.
static bool is_needed(linalg_op_t *l, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!strata_pointer_map_get(&l->o->importer->named, mlirOpOperandGetOwner(use).ptr))
      return true;
  return false;
}

bool linalg_read_body(linalg_op_t *l) {
  const char *arguments[LINALG_MAX_OPERANDS];
  for (int i = 0; i < mlirBlockGetNumArguments(l->body); i++) {
    arguments[i] = is_needed(l, mlirBlockGetArgument(l->body, i)) ? linalg_arranged(l, i) : "";
    if (!arguments[i])
      return false;
  }
  const linalg_loops_t *around = l->o->importer->loops;
  l->o->importer->loops = &l->loops;
  tir_read_block(l->o->importer, l->o->g, l->body, arguments);
  l->o->importer->loops = around;
  tir_set_origin(l->o);
  return true;
}

void linalg_read_index(tir_op_t *o) {
  const linalg_loops_t *loops = o->importer->loops;
  int64_t loop = tir_int(o, "dim", -1);
  if (!loops || loop < 0 || loop >= loops->type.rank)
    tir_refuse(o, "dim: expected a loop of the operation around");
  else
    tir_set(o, 0, linalg_counting(o, loops, (int)loop));
}
