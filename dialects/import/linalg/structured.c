// Structured operations: linalg.generic, and all that have its maps and body under a name.
#include "dialects/import/linalg/linalg.h"

#include <mlir-c/Dialect/Linalg.h>

//===-- The operation --------------------------------------------------------------------------------------------===//

static bool read_maps(linalg_op_t *l) {
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(l->o->op);
  int n = tir_n_operands(l->o);
  if (mlirAttributeIsNull(maps) || !mlirAttributeIsAArray(maps) || mlirArrayAttrGetNumElements(maps) != n ||
      n > LINALG_MAX_OPERANDS)
    return false;
  for (int i = 0; i < n; i++) {
    MlirAttribute map = mlirArrayAttrGetElement(maps, i);
    if (!mlirAttributeIsAAffineMap(map))
      return false;
    l->maps[i] = mlirAffineMapAttrGetValue(map);
    if (mlirAffineMapGetNumSymbols(l->maps[i]) > 0 || mlirAffineMapGetNumDims(l->maps[i]) > TIR_MAX_RANK ||
        mlirAffineMapGetNumResults(l->maps[i]) > TIR_MAX_RANK)
      return false;
    l->loops.type.rank = (int)mlirAffineMapGetNumDims(l->maps[i]);
  }
  return n > 0;
}

// Loops that no result has are summed.
static void read_summed(linalg_op_t *l) {
  int64_t kept = 0;
  for (int i = l->n_inputs; i < l->n_inputs + l->n_outputs; i++)
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(l->maps[i]); k++)
      kept |= linalg_loops_of(mlirAffineMapGetResult(l->maps[i], k), l->loops.type.rank);
  for (int loop = 0; loop < l->loops.type.rank; loop++)
    l->loops.is_summed[loop] = !(kept >> loop & 1);
}

// The size of a loop is that of a dim in which it alone says the place.
static bool read_sizes(linalg_op_t *l) {
  for (int loop = 0; loop < l->loops.type.rank; loop++) {
    l->loops.type.dims[loop] = -1;
    for (int i = 0; i < tir_n_operands(l->o); i++) {
      tir_type_t type = tir_in_type(l->o, i);
      for (int d = 0, own; d < type.rank && d < mlirAffineMapGetNumResults(l->maps[i]); d++) {
        if (!linalg_is_loop(mlirAffineMapGetResult(l->maps[i], d), &own) || own != loop)
          continue;
        if (!l->loops.size[loop] || (l->loops.type.dims[loop] < 0 && type.dims[d] >= 0))
          l->loops.size[loop] = tir_size(l->o, tir_in(l->o, i), &type, d);
        l->loops.type.dims[loop] = type.dims[d] >= 0 ? type.dims[d] : l->loops.type.dims[loop];
      }
    }
    if (!l->loops.size[loop] || l->loops.type.dims[loop] > INT32_MAX)
      return false;
  }
  return true;
}

static bool read_operation(linalg_op_t *l) {
  l->body = tir_region(l->o, 0);
  l->n_outputs = (int)mlirOperationGetNumResults(l->o->op);
  l->n_inputs = tir_n_operands(l->o) - l->n_outputs;
  if (l->n_outputs == 0) {
    tir_refuse(l->o, "buffers: import the module before it is bufferized");
  } else if (l->n_inputs < 0 || !read_maps(l) || tir_n_returned(l->body) != l->n_outputs ||
             mlirBlockGetNumArguments(l->body) > tir_n_operands(l->o)) {
    tir_refuse(l->o, "expected a map of at most %d loops for each operand, and a body that gives the results",
               TIR_MAX_RANK);
  } else {
    read_summed(l);
    if (read_sizes(l)) {
      l->loops.masks = strata_pointer_map_create(l->o->importer->compile->arena);
      return true;
    }
    tir_refuse(l->o, "a loop whose size no operand has, or that is too large");
  }
  return false;
}

static void read_masks(linalg_op_t *l) {
  for (int i = 0; i < mlirBlockGetNumArguments(l->body); i++) {
    int64_t mask = 0;
    for (intptr_t k = 0; k < mlirAffineMapGetNumResults(l->maps[i]); k++)
      mask |= linalg_loops_of(mlirAffineMapGetResult(l->maps[i], k), l->loops.type.rank);
    *strata_pointer_map_put(&l->loops.masks, mlirBlockGetArgument(l->body, i).ptr) = mask;
  }
  linalg_fill_masks(&l->loops, l->body);
}

//===-- Results --------------------------------------------------------------------------------------------------===//

// |value|, whose dims are the loops that are not summed in their order, as result |r|.
const char *linalg_result(linalg_op_t *l, int r, const char *value) {
  MlirAffineMap map = l->maps[l->n_inputs + r];
  int place[TIR_MAX_RANK], rank = 0, n = 0, n_added = 0, loop;
  int64_t permutation[TIR_MAX_RANK], added[TIR_MAX_RANK], seen = 0;
  for (int i = 0; i < l->loops.type.rank; i++)
    place[i] = l->loops.is_summed[i] ? -1 : rank++;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (linalg_is_loop(expr, &loop) && !(seen >> loop & 1)) {
      permutation[n++] = place[loop];
      seen |= INT64_C(1) << loop;
    } else if (strata_expr_is_zero(expr)) {
      added[n_added++] = i;
    } else {
      n = -1;
      break;
    }
  }
  if (n != rank) {
    tir_refuse(l->o, "a result whose dims are not loops, each once");
    return NULL;
  }
  value = tir_transpose(l->o, value, rank, permutation);
  return n_added ? graph_unsqueeze(l->o->g, value, n_added, added) : value;
}

// What the body gives for result |r|, along all loops.
const char *linalg_given(linalg_op_t *l, MlirValue value) {
  int input = linalg_input(l, value); // which the body itself may not need
  const char *name = input >= 0 ? linalg_arranged(l, input) : tir_name(l->o->importer, value);
  if (!name)
    return NULL;
  return tir_expand(l->o, name, linalg_loop_sizes(l->o, &l->loops));
}

static void read_parallel(linalg_op_t *l) {
  if (!linalg_read_body(l))
    return;
  for (int r = 0; r < l->n_outputs; r++) {
    const char *value = linalg_given(l, tir_returned(l->body, r));
    value = value ? linalg_result(l, r, value) : NULL;
    if (!value)
      return;
    tir_set(l->o, r, value);
  }
}

//===-- The readers ----------------------------------------------------------------------------------------------===//

void linalg_read_structured(tir_op_t *o) {
  linalg_op_t l = {.o = o};
  if (!read_operation(&l))
    return;
  read_masks(&l);
  bool is_summed = false;
  for (int i = 0; i < l.loops.type.rank; i++)
    is_summed |= l.loops.is_summed[i];
  if (is_summed)
    linalg_read_reduction(&l);
  else
    read_parallel(&l);
}

void linalg_read_softmax(tir_op_t *o) {
  tir_type_t type = tir_in_type(o, 0);
  int64_t axis = tir_int(o, "dimension", -1);
  if (axis < 0 || axis >= type.rank) {
    tir_refuse(o, "dimension: expected 0 to %d", type.rank - 1);
    return;
  }
  graph_node_t *node = graph_node(o->g, "Softmax", GRAPH_VALUES(tir_in(o, 0)));
  graph_set_int(node, "axis", axis);
  tir_set(o, 0, graph_result(node, NULL));
}
