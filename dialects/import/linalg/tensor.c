// Operations that make tensors, take their elements, and change their shapes.
#include "dialects/import/linalg/linalg.h"
#include "dialects/import/linalg/mixed.h"

#include <mlir-c/BuiltinAttributes.h>

//===-- Mixed lists ----------------------------------------------------------------------------------------------===//

int tensor_segment(const tir_op_t *o, int i) {
  MlirAttribute sizes = strata_attr(o->op, "operandSegmentSizes");
  if (mlirAttributeIsNull(sizes) || !mlirAttributeIsADenseI32Array(sizes))
    return i;
  int start = 0;
  for (int k = 0; k < i && k < mlirDenseArrayGetNumElements(sizes); k++)
    start += mlirDenseI32ArrayGetElement(sizes, k);
  return start;
}

bool tensor_mixed(tir_op_t *o, const char *attr, int first, mixed_t *out) {
  int64_t values[TIR_MAX_RANK];
  out->n = tir_int_list(o, attr, TIR_MAX_RANK, values);
  for (int i = 0; i < out->n; i++) {
    out->names[i] = NULL;
    out->values[i] = values[i];
    if (values[i] != mlirShapedTypeGetDynamicSize())
      continue;
    double number;
    if (first >= tir_n_operands(o)) {
      out->n = -1;
      break;
    }
    bool is_known = tir_constant_number(tir_value(o, first), &number);
    out->values[i] = is_known ? (int64_t)number : -1;
    out->names[i] = is_known ? NULL : tir_in(o, first);
    out->operands[i] = tir_value(o, first);
    first++;
  }
  if (out->n < 0)
    tir_refuse(o, "%s: expected at most %d numbers or operands", attr, TIR_MAX_RANK);
  return out->n >= 0;
}

const char *tensor_mixed_item(tir_op_t *o, const mixed_t *list, int i) {
  return list->names[i] ? tir_list_of_one(o, list->names[i]) : graph_ints(o->g, 1, &list->values[i]);
}

static const char *mixed_list(tir_op_t *o, const mixed_t *list) {
  const char *items[TIR_MAX_RANK];
  bool is_known = true;
  for (int i = 0; i < list->n; i++)
    is_known &= !list->names[i];
  if (is_known)
    return graph_ints(o->g, list->n, list->values);
  for (int i = 0; i < list->n; i++)
    items[i] = tensor_mixed_item(o, list, i);
  return tir_concat(o, 0, list->n, items);
}

// The sizes of a result, whose type has some and the operands from |first| on the others.
static bool result_sizes(tir_op_t *o, int first, mixed_t *out) {
  tir_type_t type = tir_out_type(o, 0);
  *out = (mixed_t){.n = type.rank};
  for (int i = 0; i < type.rank; i++) {
    out->values[i] = type.dims[i];
    if (type.dims[i] < 0 && first >= tir_n_operands(o)) {
      tir_refuse(o, "expected an operand for each size that is not known");
      return false;
    }
    out->names[i] = type.dims[i] < 0 ? tir_in(o, first++) : NULL;
  }
  return true;
}

//===-- Made of sizes --------------------------------------------------------------------------------------------===//

void tensor_read_empty(tir_op_t *o) {
  mixed_t sizes;
  if (result_sizes(o, 0, &sizes))
    tir_set(o, 0, tir_expand(o, tir_number(o, tir_out_type(o, 0).dtype, 0), mixed_list(o, &sizes)));
}

void tensor_read_splat(tir_op_t *o) {
  mixed_t sizes;
  if (result_sizes(o, 1, &sizes))
    tir_set(o, 0, tir_expand(o, tir_in(o, 0), mixed_list(o, &sizes)));
}

void tensor_read_from_elements(tir_op_t *o) {
  tir_type_t type = tir_out_type(o, 0);
  int count = tir_n_operands(o);
  int64_t axis = 0;
  const char **items = strata_arena_array(o->importer->compile->arena, const char *, count + 1);
  for (int i = 0; i < count; i++)
    items[i] = graph_unsqueeze(o->g, tir_in(o, i), 1, &axis);
  if (count == 0)
    tir_set(o, 0, tir_expand(o, tir_number(o, type.dtype, 0), graph_ints(o->g, type.rank, type.dims)));
  else
    tir_set(o, 0, tir_reshape_static(o, tir_concat(o, 0, count, items), type.rank, type.dims));
}

// The body, for all elements at once.
void tensor_read_generate(tir_op_t *o) {
  linalg_loops_t loops = {.type = tir_out_type(o, 0), .masks = strata_pointer_map_create(o->importer->compile->arena)};
  const linalg_loops_t *around = o->importer->loops;
  const char *arguments[TIR_MAX_RANK];
  MlirBlock body = tir_region(o, 0);
  mixed_t sizes;
  if (!result_sizes(o, 0, &sizes))
    return;
  if (tir_n_returned(body) != 1 || mlirBlockGetNumArguments(body) != loops.type.rank) {
    tir_refuse(o, "expected a body of an index for each dim that gives an element");
    return;
  }
  for (int i = 0; i < loops.type.rank; i++)
    loops.size[i] = tensor_mixed_item(o, &sizes, i);
  for (int i = 0; i < loops.type.rank; i++) {
    arguments[i] = linalg_counting(o, &loops, i);
    *strata_pointer_map_put(&loops.masks, mlirBlockGetArgument(body, i).ptr) = INT64_C(1) << i;
  }
  linalg_fill_masks(&loops, body);
  o->importer->loops = &loops;
  tir_read_block(o->importer, o->g, body, arguments);
  o->importer->loops = around;
  tir_set_origin(o);
  tir_set(o, 0, tir_expand(o, tir_name(o->importer, tir_returned(body, 0)), mixed_list(o, &sizes)));
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

void tensor_read_dim(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  double axis;
  if (!tir_constant_number(tir_value(o, 1), &axis))
    tir_set(o, 0, tir_binary(o, "Gather", tir_unary(o, "Shape", tir_in(o, 0)), tir_in(o, 1)));
  else if (axis < 0 || axis >= type.rank)
    tir_refuse(o, "expected a dim of the operand");
  else
    tir_set(o, 0, tir_scalar(o, tir_size(o, tir_in(o, 0), &type, (int)axis)));
}

void tensor_read_rank(tir_op_t *o) { tir_set(o, 0, graph_int(o->g, tir_in_type(o, 0).rank)); }

void tensor_read_reshape(tir_op_t *o) {
  tir_set(o, 0, tir_reshape(o, tir_in(o, 0), tir_cast(o, tir_in(o, 1), STRATA_DTYPE_I64)));
}

void tensor_read_expand_shape(tir_op_t *o) {
  mixed_t sizes;
  if (tensor_mixed(o, "static_output_shape", 1, &sizes))
    tir_set(o, 0, tir_reshape(o, tir_in(o, 0), mixed_list(o, &sizes)));
}

// The product of the sizes of |group|, dims of the operand.
static const char *group_size(tir_op_t *o, const tir_type_t *type, MlirAttribute group) {
  const char *product = NULL;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); i++) {
    int64_t axis = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, i));
    if (axis < 0 || axis >= type->rank)
      return NULL;
    const char *size = tir_size(o, tir_in(o, 0), type, (int)axis);
    product = product ? tir_binary(o, "Mul", product, size) : size;
  }
  return product;
}

void tensor_read_collapse_shape(tir_op_t *o) {
  tir_type_t from = tir_in_type(o, 0), to = tir_out_type(o, 0);
  MlirAttribute groups = strata_attr(o->op, "reassociation");
  const char *sizes[TIR_MAX_RANK];
  bool is_known = true;
  for (int i = 0; i < to.rank; i++) {
    is_known &= to.dims[i] >= 0;
    bool has_group =
        !mlirAttributeIsNull(groups) && mlirAttributeIsAArray(groups) && mlirArrayAttrGetNumElements(groups) == to.rank;
    MlirAttribute group = has_group ? mlirArrayAttrGetElement(groups, i) : groups;
    sizes[i] = to.dims[i] >= 0 ? graph_ints(o->g, 1, &to.dims[i]) : has_group ? group_size(o, &from, group) : NULL;
    if (!sizes[i]) {
      tir_refuse(o, "reassociation: expected the operand's dims of each dim");
      return;
    }
  }
  tir_set(
      o, 0,
      tir_reshape(o, tir_in(o, 0), is_known ? graph_ints(o->g, to.rank, to.dims) : tir_concat(o, 0, to.rank, sizes)));
}

void tensor_read_concat(tir_op_t *o) {
  int count = tir_n_operands(o);
  const char **values = strata_arena_array(o->importer->compile->arena, const char *, count);
  for (int i = 0; i < count; i++)
    values[i] = tir_in(o, i);
  tir_set(o, 0, tir_concat(o, (int)tir_int(o, "dim", 0), count, values));
}

//===-- Padding --------------------------------------------------------------------------------------------------===//

// The value that the body gives, which is the same everywhere; NULL if it depends on the place.
static const char *pad_value(tir_op_t *o) {
  MlirBlock body = tir_region(o, 0);
  if (tir_n_returned(body) != 1)
    return NULL;
  for (int i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (strata_value_has_uses(mlirBlockGetArgument(body, i)))
      return NULL;
  tir_read_block(o->importer, o->g, body, NULL);
  tir_set_origin(o);
  return tir_name(o->importer, tir_returned(body, 0));
}

void tensor_read_pad(tir_op_t *o) {
  mixed_t low, high;
  if (!tensor_mixed(o, "static_low", tensor_segment(o, 1), &low) ||
      !tensor_mixed(o, "static_high", tensor_segment(o, 2), &high))
    return;
  const char *value = pad_value(o), *pads[2] = {mixed_list(o, &low), mixed_list(o, &high)};
  if (!value)
    tir_refuse(o, "padding that depends on its place");
  else
    tir_set(o, 0, graph_op(o->g, "Pad", GRAPH_VALUES(tir_in(o, 0), tir_concat(o, 0, 2, pads), value)));
}

//===-- Elements -------------------------------------------------------------------------------------------------===//

// Whether indices 1, 2, ... each go along a loop of their own, which index 0 does not depend on: rows of the operand.
static bool takes_rows(tir_op_t *o, const linalg_loops_t *loops, int rank, int *out_loops) {
  int64_t first = linalg_mask(loops, tir_value(o, 1)), seen = 0;
  for (int i = 1; i < rank; i++) {
    MlirOperation index = strata_def(tir_value(o, 1 + i));
    int64_t loop =
        !mlirOperationIsNull(index) && strata_op_is(index, "linalg.index") ? strata_attr_i64(index, "dim", -1) : -1;
    if (loop < 0 || loop >= loops->type.rank || (first | seen) >> loop & 1)
      return false;
    seen |= INT64_C(1) << loop;
    out_loops[i] = (int)loop;
    tir_type_t type = tir_in_type(o, 0);
    if (type.dims[i] < 0 || type.dims[i] != loops->type.dims[loop])
      return false;
  }
  return rank > 1 && first != 0;
}

// Rows of the operand where index 0 says, its other dims along their loops.
static const char *gather_rows(tir_op_t *o, const linalg_loops_t *loops, int rank, const int *row_loops) {
  int64_t mask = linalg_mask(loops, tir_value(o, 1)), axes[TIR_MAX_RANK], permutation[TIR_MAX_RANK],
          added[TIR_MAX_RANK];
  int order[TIR_MAX_RANK], n = 0, n_axes = 0, n_added = 0, next = 0;
  for (int i = 0; i < loops->type.rank; i++)
    if (mask >> i & 1)
      order[n++] = i;
    else
      axes[n_axes++] = i;
  const char *index = n_axes ? graph_squeeze(o->g, tir_in(o, 1), n_axes, axes) : tir_in(o, 1);
  graph_node_t *node = graph_node(o->g, "strata.Gather", GRAPH_VALUES(tir_in(o, 0), index));
  graph_set_int(node, "axis", 0);
  for (int i = 1; i < rank; i++)
    order[n++] = row_loops[i];
  for (int loop = 0; loop < loops->type.rank; loop++) {
    int found = -1;
    for (int i = 0; i < n; i++)
      found = order[i] == loop ? i : found;
    if (found < 0)
      added[n_added++] = loop;
    else
      permutation[next++] = found;
  }
  const char *rows = tir_transpose(o, graph_result(node, NULL), n, permutation);
  return n_added ? graph_unsqueeze(o->g, rows, n_added, added) : rows;
}

// One element, or in a body one for each place: by its number in memory.
static const char *gather_elements(tir_op_t *o, const tir_type_t *type) {
  const char *number = graph_int(o->g, 0);
  int64_t minus_one = -1;
  for (int i = 0; i < type->rank; i++) {
    const char *index = tir_in(o, 1 + i), *size = tir_scalar(o, tir_size(o, tir_in(o, 0), type, i));
    number = i == 0 ? index : tir_binary(o, "Add", tir_binary(o, "Mul", number, size), index);
  }
  return graph_op(o->g, "strata.Gather", GRAPH_VALUES(tir_reshape_static(o, tir_in(o, 0), 1, &minus_one), number));
}

void tensor_read_extract(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int row_loops[TIR_MAX_RANK];
  const linalg_loops_t *loops = o->importer->loops;
  if (type.dtype == STRATA_DTYPE_NONE || tir_n_operands(o) != 1 + type.rank)
    tir_refuse(o, "expected an index for each dim of a tensor of numbers");
  else if (type.rank == 0)
    tir_set(o, 0, tir_in(o, 0));
  else if (loops && takes_rows(o, loops, type.rank, row_loops))
    tir_set(o, 0, gather_rows(o, loops, type.rank, row_loops));
  else
    tir_set(o, 0, gather_elements(o, &type));
}
