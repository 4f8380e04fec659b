// Branches and loops of scf, and what affine computes of indices.
#include "dialects/import/linalg/linalg.h"

static MlirAttribute map_of(const tir_op_t *o) {
  MlirAttribute map = strata_attr(o->op, "map");
  return !mlirAttributeIsNull(map) && mlirAttributeIsAAffineMap(map) ? map : (MlirAttribute){0};
}

// Result |i| of the map of the operands; NULL where it is none.
static const char *applied(tir_op_t *o, MlirAffineMap map, intptr_t i) {
  int n = tir_n_operands(o), n_dims = (int)mlirAffineMapGetNumDims(map);
  if (n_dims + mlirAffineMapGetNumSymbols(map) != n)
    return NULL;
  const char **values = strata_arena_array(o->importer->compile->arena, const char *, n + 1);
  for (int k = 0; k < n; k++)
    values[k] = tir_in(o, k);
  return linalg_affine(o, mlirAffineMapGetResult(map, i), n_dims, values, values + n_dims);
}

static void read_map(tir_op_t *o, const char *op) {
  MlirAttribute attr = map_of(o);
  const char *value = NULL;
  for (intptr_t i = 0; !mlirAttributeIsNull(attr) && i < mlirAffineMapGetNumResults(mlirAffineMapAttrGetValue(attr));
       i++) {
    const char *one = applied(o, mlirAffineMapAttrGetValue(attr), i);
    value = !one ? NULL : value ? tir_binary(o, op, value, one) : one;
    if (!value)
      break;
  }
  if (value)
    tir_set(o, 0, value);
  else
    tir_refuse(o, "map: expected one of the operands that is not nested too deep");
}

void affine_read_apply(tir_op_t *o) { read_map(o, "Max"); }

void affine_read_extreme(tir_op_t *o) { read_map(o, o->info->op); }

//===-- Control --------------------------------------------------------------------------------------------------===//

// In a body both branches are computed, and one of them is taken for each element.
static void select_branch(tir_op_t *o) {
  for (int i = 0; i < 2; i++)
    tir_read_block(o->importer, o->g, tir_region(o, i), NULL);
  tir_set_origin(o);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++) {
    MlirValue yes = tir_returned(tir_region(o, 0), i), no = tir_returned(tir_region(o, 1), i);
    if (mlirValueIsNull(yes) || mlirValueIsNull(no))
      tir_refuse(o, "expected two branches that give the results");
    else
      tir_set(o, i, tir_select(o, tir_in(o, 0), tir_name(o->importer, yes), tir_name(o->importer, no)));
  }
}

void scf_read_if(tir_op_t *o) {
  if (o->importer->loops)
    select_branch(o);
  else
    tir_branch(o, tir_in(o, 0), NULL);
}

void scf_read_execute_region(tir_op_t *o) {
  MlirBlock block = tir_region(o, 0);
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)) ||
      tir_n_returned(block) != mlirOperationGetNumResults(o->op)) {
    tir_refuse(o, "a region of several blocks");
    return;
  }
  tir_read_block(o->importer, o->g, block, NULL);
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    tir_set(o, i, tir_name(o->importer, tir_returned(block, i)));
}

typedef struct {
  const char *lower, *step;
  strata_dtype_t dtype;
} for_t;

static const char *for_counter(tir_op_t *o, const char *iteration, void *user) {
  const for_t *f = user;
  const char *place =
      tir_binary(o, "Mul", f->dtype == STRATA_DTYPE_I64 ? iteration : tir_cast(o, iteration, f->dtype), f->step);
  return tir_binary(o, "Add", place, f->lower);
}

void scf_read_for(tir_op_t *o) {
  for_t f = {.lower = tir_in(o, 0), .step = tir_in(o, 2), .dtype = tir_in_type(o, 0).dtype};
  const char *first[LINALG_MAX_OPERANDS];
  int n = tir_n_operands(o) - 3;
  if (n == 0)
    return;
  if (n < 0 || n > LINALG_MAX_OPERANDS || o->importer->loops) {
    tir_refuse(o, "a loop in a body, or of more than %d states", LINALG_MAX_OPERANDS);
    return;
  }
  for (int i = 0; i < n; i++)
    first[i] = tir_in(o, 3 + i);
  const char *length = tir_cast(o, tir_binary(o, "Sub", tir_in(o, 1), f.lower), STRATA_DTYPE_I64);
  const char *count = arith_ceil_div(o, length, tir_cast(o, f.step, STRATA_DTYPE_I64));
  count = tir_binary(o, "Max", count, graph_int(o->g, 0));
  tir_loop_count(o, count, tir_region(o, 0), n, first, for_counter, &f);
}

void scf_read_while(tir_op_t *o) {
  tir_while_t w = {.condition = tir_region(o, 0), .body = tir_region(o, 1)};
  const char *first[LINALG_MAX_OPERANDS];
  MlirValue passed[LINALG_MAX_OPERANDS];
  int n = tir_n_operands(o);
  MlirOperation end = mlirBlockIsNull(w.condition) ? (MlirOperation){0} : mlirBlockGetTerminator(w.condition);
  if (mlirOperationIsNull(end) || !strata_op_is(end, "scf.condition") || mlirBlockIsNull(w.body) ||
      n > LINALG_MAX_OPERANDS || mlirOperationGetNumOperands(end) > LINALG_MAX_OPERANDS || o->importer->loops) {
    tir_refuse(o, "a loop in a body, or without a condition, or of more than %d states", LINALG_MAX_OPERANDS);
    return;
  }
  for (int i = 0; i < n; i++)
    first[i] = tir_in(o, i);
  w.n = (int)mlirOperationGetNumOperands(end) - 1;
  w.outcome = mlirOperationGetOperand(end, 0);
  w.passed = passed;
  for (int i = 0; i < w.n; i++)
    passed[i] = mlirOperationGetOperand(end, 1 + i);
  if (w.n != mlirBlockGetNumArguments(w.body))
    tir_refuse(o, "expected a body that gets what the condition passes on");
  else
    tir_loop_while(o, &w, first);
}
