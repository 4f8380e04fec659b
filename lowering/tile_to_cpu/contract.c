// vector.contract and vector.outerproduct as multiply-adds on pieces of the accumulator.
//
//   for each point k of the reduction dims, for each piece of the accumulator:
//     piece = lhs * rhs + piece
//
// where each factor is what its map gives along the piece: a piece of the operand, an element in every lane, or, where
// the operand lies across, elements picked together. The broadcast operand is in scalars (layout.c), so a register tile
// of 14 x 32 on 16 lanes is 14 broadcasts, two loads and 28 multiply-adds.
#include "dialects/affine/quads.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_cpu/distribute.h"

enum { MAX_LANES = 64 };

typedef struct {
  strata_pieces_t pieces;
  int dims[STRATA_VECTOR_RANK]; // the iteration dim behind each of its dims
  MlirValue last;               // the factor made before, for these elements
  int64_t last_length, last_elements[MAX_LANES];
} operand_t;

typedef struct {
  strata_distribution_t *d;
  int n_dims;
  int64_t extents[2 * STRATA_VECTOR_RANK];
  bool is_reduced[2 * STRATA_VECTOR_RANK];
  int64_t point[2 * STRATA_VECTOR_RANK]; // in hand
  operand_t lhs, rhs, acc;
  bool has_quads, is_turned; // the factors are four bytes each; the right one's are unsigned
} product_t;

//===-- Factors --------------------------------------------------------------------------------------------------===//

// The row-major number of the operand's element at the point in hand, |lane| further along |inner|.
static int64_t element_at(const product_t *p, const operand_t *operand, int inner, int64_t lane) {
  int64_t element = 0;
  for (int i = 0; i < operand->pieces.rank; i++) {
    int dim = operand->dims[i];
    element = element * operand->pieces.sizes[i] + p->point[dim] + (dim == inner ? lane : 0);
  }
  return element;
}

static MlirValue factor(product_t *p, operand_t *operand, int inner, int64_t length) {
  int64_t elements[MAX_LANES];
  for (int64_t lane = 0; lane < length; lane++)
    elements[lane] = element_at(p, operand, inner, lane);
  size_t size = (size_t)length * sizeof elements[0];
  if (operand->last_length == length && memcmp(operand->last_elements, elements, size) == 0)
    return operand->last;
  memcpy(operand->last_elements, elements, size);
  operand->last_length = length;
  return operand->last = strata_pieces_gather(&p->d->e, &operand->pieces, length, elements);
}

// The operand's pieces in the accumulator's type. Integers are signed.
static void widen(product_t *p, operand_t *operand) {
  MlirType element = p->acc.pieces.element;
  if (mlirTypeEqual(operand->pieces.element, element))
    return;
  const char *name = mlirTypeIsAFloat(element) ? "arith.extf" : "arith.extsi";
  MlirValue *wide = strata_arena_array(p->d->compile->arena, MlirValue, operand->pieces.n_pieces);
  for (int64_t i = 0; i < operand->pieces.n_pieces; i++)
    wide[i] = strata_emit_conversion(&p->d->arithmetic, name, operand->pieces.values[i],
                                     strata_lanes_type(element, strata_piece_length(&operand->pieces, i)));
  operand->pieces.values = wide;
  operand->pieces.element = element;
}

//===-- The product ----------------------------------------------------------------------------------------------===//

static void multiply_add_piece(product_t *p, int64_t piece, MlirValue *value) {
  const strata_pieces_t *acc = &p->acc.pieces;
  int64_t element = strata_piece_first(acc, piece), length = strata_piece_length(acc, piece);
  for (int i = acc->rank; i-- > 0; element /= acc->sizes[i])
    p->point[p->acc.dims[i]] = element % acc->sizes[i];
  int inner = acc->rank ? p->acc.dims[acc->rank - 1] : -1;
  MlirValue lhs = factor(p, &p->lhs, inner, length), rhs = factor(p, &p->rhs, inner, length);
  *value = p->has_quads
               ? strata_emit_quads(&p->d->arithmetic, p->is_turned ? rhs : lhs, p->is_turned ? lhs : rhs, *value)
               : strata_emit_multiply_add(&p->d->arithmetic, lhs, rhs, *value);
}

// The next point of the reduction dims; false after the last.
static bool next_point(product_t *p) {
  for (int dim = p->n_dims; dim-- > 0;) {
    if (!p->is_reduced[dim])
      continue;
    if (++p->point[dim] < p->extents[dim])
      return true;
    p->point[dim] = 0;
  }
  return false;
}

static void emit_product(product_t *p, strata_pieces_t *result) {
  widen(p, &p->lhs);
  widen(p, &p->rhs);
  for (int64_t i = 0; i < result->n_pieces; i++)
    result->values[i] = p->acc.pieces.values[i];
  do
    for (int64_t i = 0; i < result->n_pieces; i++)
      multiply_add_piece(p, i, &result->values[i]);
  while (next_point(p));
}

static bool is_sum(MlirOperation op) {
  MlirAttribute kind = strata_attr(op, "kind");
  MlirContext context = mlirOperationGetContext(op);
  return mlirAttributeIsNull(kind) ||
         mlirAttributeEqual(kind, mlirAttributeParseGet(context, strata_str("#vector.kind<add>")));
}

//===-- The two ops ----------------------------------------------------------------------------------------------===//

static bool read_map(product_t *p, operand_t *operand, MlirAffineMap map) {
  if (mlirAffineMapGetNumResults(map) != operand->pieces.rank || p->n_dims > 2 * STRATA_VECTOR_RANK)
    return false;
  for (int i = 0; i < operand->pieces.rank; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!mlirAffineExprIsADim(expr))
      return false;
    operand->dims[i] = (int)mlirAffineDimExprGetPosition(expr);
    p->extents[operand->dims[i]] = operand->pieces.sizes[i];
  }
  return true;
}

strata_status_t strata_rule_contract(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_pieces_t pieces = strata_pieces_new(d, result);
  product_t p = {.d = d};
  operand_t *operands[] = {&p.lhs, &p.rhs, &p.acc};
  MlirAttribute maps = strata_attr(op, "indexing_maps");
  p.n_dims = (int)mlirAffineMapGetNumDims(mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, 0)));
  p.lhs.pieces = *strata_pieces_of(d, mlirOperationGetOperand(op, 0));
  p.rhs.pieces = *strata_pieces_of(d, mlirOperationGetOperand(op, 1));
  p.acc.pieces = strata_pieces_as(d, mlirOperationGetOperand(op, 2), pieces.lanes);
  for (int i = 0; i < 3; i++)
    if (!read_map(&p, operands[i], mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i))))
      return strata_rule_missing(op, "a map that is no projection");
  if (!is_sum(op))
    return strata_rule_missing(op, "a kind other than add");
  for (int dim = 0; dim < p.n_dims; dim++)
    p.is_reduced[dim] = true;
  for (int i = 0; i < p.acc.pieces.rank; i++)
    p.is_reduced[p.acc.dims[i]] = false;
  emit_product(&p, &pieces);
  strata_pieces_define(d, result, &pieces);
  return NULL;
}

strata_status_t strata_rule_outerproduct(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_pieces_t pieces = strata_pieces_new(d, result);
  if (mlirOperationGetNumOperands(op) != 3 || pieces.rank != 2 || !is_sum(op))
    return strata_rule_missing(op, "anything but the sum of an accumulator and an outer product");
  product_t p = {.d = d, .n_dims = 2, .extents = {pieces.sizes[0], pieces.sizes[1]}};
  MlirAttribute quads = strata_attr(op, STRATA_QUADS);
  p.has_quads = !mlirAttributeIsNull(quads);
  p.is_turned = p.has_quads && mlirAttributeIsABool(quads) && mlirBoolAttrGetValue(quads);
  p.lhs = (operand_t){.pieces = *strata_pieces_of(d, mlirOperationGetOperand(op, 0)), .dims = {0}};
  p.rhs = (operand_t){.pieces = *strata_pieces_of(d, mlirOperationGetOperand(op, 1)), .dims = {1}};
  p.acc = (operand_t){.pieces = strata_pieces_as(d, mlirOperationGetOperand(op, 2), pieces.lanes), .dims = {0, 1}};
  emit_product(&p, &pieces);
  strata_pieces_define(d, result, &pieces);
  return NULL;
}
