// Constants, and ops that only rearrange elements: broadcast, transpose, reshape, extract.
//
// Each rearranging op says where every element of its result comes from; chains of them are composed, so a broadcast
// that is transposed at once moves nothing twice, and pieces that exist already are reused.
#include "lowering/tile_to_cpu/distribute.h"

#include <assert.h>

//===-- Constants ------------------------------------------------------------------------------------------------===//

static MlirAttribute element_attr(MlirAttribute dense, const strata_pieces_t *pieces, int64_t element) {
  uint64_t index[STRATA_VECTOR_RANK];
  for (int dim = pieces->rank; dim-- > 0; element /= pieces->sizes[dim])
    index[dim] = (uint64_t)(element % pieces->sizes[dim]);
  return mlirElementsAttrGetValue(dense, pieces->rank, index);
}

static MlirAttribute piece_attr(MlirAttribute dense, const strata_pieces_t *pieces, int64_t piece) {
  MlirAttribute elements[64];
  int64_t length = strata_piece_length(pieces, piece), first = strata_piece_first(pieces, piece);
  for (int64_t i = 0; i < length; i++)
    elements[i] = element_attr(dense, pieces, first + i);
  return length == 1 ? elements[0] : mlirDenseElementsAttrGet(strata_piece_type(pieces, piece), length, elements);
}

void strata_emit_dense(strata_distribution_t *d, MlirAttribute dense, strata_pieces_t *pieces) {
  bool is_splat = mlirDenseElementsAttrIsSplat(dense);
  MlirAttribute splat = is_splat ? mlirDenseElementsAttrGetSplatValue(dense) : dense;
  for (int64_t i = 0; i < pieces->n_pieces; i++) {
    MlirType type = strata_piece_type(pieces, i);
    if (is_splat && i > 0 && mlirTypeEqual(type, mlirValueGetType(pieces->values[0]))) {
      pieces->values[i] = pieces->values[0];
    } else if (is_splat) {
      pieces->values[i] = strata_emit_constant(&d->e, type, splat);
    } else {
      strata_named_attr_t value = {"value", piece_attr(dense, pieces, i)};
      pieces->values[i] = strata_emit_value(&d->e, "arith.constant", 0, NULL, type, 1, &value);
    }
  }
}

strata_status_t strata_rule_constant(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    return strata_rule_structure(d, op);
  if (!mlirAttributeIsADenseElements(strata_attr(op, "value")))
    return strata_rule_missing(op, "a constant that is not dense");
  strata_pieces_t pieces = strata_pieces_new(d, result);
  strata_emit_dense(d, strata_attr(op, "value"), &pieces);
  strata_pieces_define(d, result, &pieces);
  return NULL;
}

strata_status_t strata_rule_vector_step(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_pieces_t pieces = strata_pieces_new(d, result);
  MlirAttribute *elements = strata_arena_array(d->compile->arena, MlirAttribute, pieces.n_elements);
  for (int64_t i = 0; i < pieces.n_elements; i++)
    elements[i] = mlirIntegerAttrGet(pieces.element, i);
  strata_emit_dense(d, mlirDenseElementsAttrGet(pieces.type, pieces.n_elements, elements), &pieces);
  strata_pieces_define(d, result, &pieces);
  return NULL;
}

//===-- Where elements come from ---------------------------------------------------------------------------------===//

// A source function writes the row-major number of the element of |from| behind each element of |to|.
typedef bool (*source_t)(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out);

static void delinearize(const strata_pieces_t *shape, int64_t element, int64_t *out_point) {
  for (int dim = shape->rank; dim-- > 0; element /= shape->sizes[dim])
    out_point[dim] = element % shape->sizes[dim];
}

static void strides_of(const strata_pieces_t *shape, int64_t *out_strides) {
  int64_t stride = 1;
  for (int dim = shape->rank; dim-- > 0; stride *= shape->sizes[dim])
    out_strides[dim] = stride;
}

// out[point] = offset + sum of point[dim] * strides[dim].
static void fill_strided(const strata_pieces_t *to, int64_t offset, const int64_t *strides, int64_t *out) {
  int64_t point[STRATA_VECTOR_RANK];
  for (int64_t i = 0; i < to->n_elements; i++) {
    delinearize(to, i, point);
    out[i] = offset;
    for (int dim = 0; dim < to->rank; dim++)
      out[i] += point[dim] * strides[dim];
  }
}

static bool broadcast_source(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out) {
  (void)op;
  int64_t own[STRATA_VECTOR_RANK], strides[STRATA_VECTOR_RANK] = {0};
  strides_of(from, own);
  for (int dim = 0; dim < from->rank; dim++)
    strides[to->rank - from->rank + dim] = from->sizes[dim] == 1 ? 0 : own[dim];
  fill_strided(to, 0, strides, out);
  return true;
}

static bool transpose_source(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out) {
  int64_t own[STRATA_VECTOR_RANK], strides[STRATA_VECTOR_RANK], permutation[STRATA_VECTOR_RANK];
  if (strata_attr_i64s(op, "permutation", STRATA_VECTOR_RANK, permutation) != from->rank)
    return false;
  strides_of(from, own);
  for (int dim = 0; dim < to->rank; dim++)
    strides[dim] = own[permutation[dim]];
  fill_strided(to, 0, strides, out);
  return true;
}

static bool reshape_source(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out) {
  (void)op, (void)from;
  for (int64_t i = 0; i < to->n_elements; i++)
    out[i] = i;
  return true;
}

// The offset of a static position, or -1 if it is dynamic.
static int64_t position_offset(MlirOperation op, const strata_pieces_t *from) {
  int64_t own[STRATA_VECTOR_RANK], position[STRATA_VECTOR_RANK], offset = 0;
  int count = strata_attr_i64s(op, "static_position", STRATA_VECTOR_RANK, position);
  strides_of(from, own);
  for (int dim = 0; dim < count; dim++) {
    if (position[dim] < 0)
      return -1;
    offset += position[dim] * own[dim];
  }
  return count < 0 ? -1 : offset;
}

static bool extract_source(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out) {
  int64_t offset = position_offset(op, from);
  for (int64_t i = 0; i < to->n_elements; i++)
    out[i] = offset + i;
  return offset >= 0;
}

static bool slice_source(MlirOperation op, const strata_pieces_t *from, const strata_pieces_t *to, int64_t *out) {
  int64_t strides[STRATA_VECTOR_RANK], offset = 0;
  strides_of(from, strides);
  MlirAttribute offsets = strata_attr(op, "offsets"), steps = strata_attr(op, "strides");
  for (intptr_t dim = 0; dim < mlirArrayAttrGetNumElements(offsets); dim++) {
    offset += mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(offsets, dim)) * strides[dim];
    strides[dim] *= mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(steps, dim));
  }
  fill_strided(to, offset, strides, out);
  return true;
}

static const struct {
  const char *name;
  source_t source;
} movements[] = {
    {"vector.broadcast", broadcast_source},         {"vector.transpose", transpose_source},
    {"vector.shape_cast", reshape_source},          {"vector.extract", extract_source},
    {"vector.extract_strided_slice", slice_source},
};

static source_t source_of(MlirOperation op) {
  for (size_t i = 0; i < sizeof movements / sizeof movements[0]; i++)
    if (strata_op_is(op, movements[i].name))
      return movements[i].source;
  return NULL;
}

bool strata_movement_of(strata_distribution_t *d, MlirOperation op, strata_movement_t *out_movement) {
  source_t source = source_of(op);
  if (!source)
    return false;
  MlirValue operand = mlirOperationGetOperand(op, 0);
  strata_pieces_t from = strata_pieces_layout(mlirValueGetType(operand), 1);
  strata_pieces_t to = strata_pieces_layout(mlirValueGetType(mlirOperationGetResult(op, 0)), 1);
  int64_t *elements = strata_arena_array(d->compile->arena, int64_t, to.n_elements);
  if (!source(op, &from, &to, elements))
    return false;
  *out_movement = (strata_movement_t){operand, to.n_elements, elements};
  strata_movement_t before;
  if (!mlirValueIsAOpResult(operand) || !strata_movement_of(d, mlirOpResultGetOwner(operand), &before))
    return true;
  for (int64_t i = 0; i < to.n_elements; i++)
    elements[i] = before.source[elements[i]];
  out_movement->from = before.from;
  return true;
}

// Every reader composes the movement with its own.
static bool is_only_moved(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!source_of(mlirOpOperandGetOwner(use)))
      return false;
  return true;
}

// A piece made like an earlier one, a neighbour or the one above, is that one: broadcasts repeat themselves.
static MlirValue moved_piece(strata_distribution_t *d, const strata_movement_t *movement, const strata_pieces_t *pieces,
                             int64_t piece) {
  int64_t length = strata_piece_length(pieces, piece);
  const int64_t *source = movement->source + strata_piece_first(pieces, piece);
  const int64_t earlier[] = {piece - 1, piece - pieces->per_row};
  for (int i = 0; i < 2; i++)
    if (earlier[i] >= 0 && strata_piece_length(pieces, earlier[i]) == length &&
        memcmp(source, movement->source + strata_piece_first(pieces, earlier[i]), (size_t)length * sizeof *source) == 0)
      return pieces->values[earlier[i]];
  return strata_pieces_gather(&d->e, strata_pieces_of(d, movement->from), length, source);
}

static void emit_moved(strata_distribution_t *d, strata_step_t *step, int64_t piece) {
  step->pieces.values[piece] = moved_piece(d, step->state, &step->pieces, piece);
}

// The dim a vector.transpose swaps with the innermost, all others staying; -1 if it is another permutation.
static int swapped_dim(MlirOperation op) {
  int64_t permutation[STRATA_VECTOR_RANK];
  int rank = strata_attr_i64s(op, "permutation", STRATA_VECTOR_RANK, permutation), dim = -1;
  for (int i = 0; i < rank - 1; i++)
    if (permutation[i] == rank - 1 && dim < 0)
      dim = i;
    else if (permutation[i] != i)
      return -1;
  return dim;
}

// Moves that are a transposition of native registers, done as a whole.
static bool transpose_registers(strata_distribution_t *d, MlirOperation op, MlirValue from) {
  MlirValue result = mlirOperationGetResult(op, 0);
  int dim = swapped_dim(op);
  if (dim < 0 || !mlirValueEqual(from, mlirOperationGetOperand(op, 0)) || strata_lanes_of(d, result) != d->lanes)
    return false;
  const strata_pieces_t *pieces = strata_pieces_of(d, from);
  if (pieces->lanes != d->lanes || !strata_can_swap(pieces, dim))
    return false;
  strata_finish_run(d);
  strata_pieces_t swapped = strata_pieces_swap(d, pieces, dim);
  strata_pieces_define(d, result, &swapped);
  return true;
}

strata_status_t strata_step_movement(strata_distribution_t *d, strata_step_t *step) {
  MlirValue result = mlirOperationGetResult(step->op, 0);
  strata_movement_t *movement = strata_arena_new(d->compile->arena, strata_movement_t);
  if (!strata_movement_of(d, step->op, movement))
    return strata_rule_missing(step->op, "a dynamic position");
  if (is_only_moved(result) || transpose_registers(d, step->op, movement->from))
    return NULL;
  if (strata_is_pending(d, movement->from))
    strata_finish_run(d);
  step->pieces = strata_pieces_new(d, result);
  step->state = movement;
  step->emit = emit_moved;
  return NULL;
}

//===-- Assembling -----------------------------------------------------------------------------------------------===//

// The result is the old vector with some elements replaced: both sides side by side, and elements picked from them.
strata_status_t strata_rule_insert(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_pieces_t pieces = strata_pieces_new(d, result);
  strata_pieces_t part = strata_pieces_as(d, mlirOperationGetOperand(op, 0), 1);
  strata_pieces_t whole = strata_pieces_as(d, mlirOperationGetOperand(op, 1), 1);
  int64_t offset = position_offset(op, &whole);
  if (offset < 0)
    return strata_rule_missing(op, "a dynamic position");
  strata_pieces_t merged = whole;
  merged.values = strata_arena_array(d->compile->arena, MlirValue, whole.n_pieces);
  for (int64_t i = 0; i < whole.n_elements; i++)
    merged.values[i] = i >= offset && i < offset + part.n_elements ? part.values[i - offset] : whole.values[i];
  for (int64_t i = 0; i < pieces.n_pieces; i++)
    pieces.values[i] =
        strata_lanes_of_scalars(&d->e, strata_piece_length(&pieces, i), merged.values + strata_piece_first(&pieces, i));
  strata_pieces_define(d, result, &pieces);
  return NULL;
}

strata_status_t strata_rule_from_elements(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0), scalars[64];
  strata_pieces_t pieces = strata_pieces_new(d, result);
  for (int64_t i = 0; i < pieces.n_pieces; i++) {
    int64_t length = strata_piece_length(&pieces, i), first = strata_piece_first(&pieces, i);
    for (int64_t lane = 0; lane < length; lane++)
      scalars[lane] = strata_scalar_of(d, mlirOperationGetOperand(op, first + lane));
    pieces.values[i] = strata_lanes_of_scalars(&d->e, length, scalars);
  }
  strata_pieces_define(d, result, &pieces);
  return NULL;
}
