// Code of its own for lanes that are seldom there; see expand.h.
#include "lowering/expand/expand.h"
#include "lowering/expand/ops.h"

#include <assert.h>

enum { MAX_VALUES = 2 };

// True if |condition| holds in any lane.
static MlirValue any_lane(const strata_expander_t *x, MlirValue condition) {
  MlirType type = mlirValueGetType(condition);
  if (!mlirTypeIsAVector(type))
    return condition;
  strata_named_attr_t kind = {"kind", mlirAttributeParseGet(x->m->e->context, strata_str("#vector.kind<or>"))};
  return strata_emit_value(x->m->e, "vector.reduction", 1, &condition, strata_type_element(type), 1, &kind);
}

void strata_expand_rarely(const strata_expander_t *x, MlirValue condition, strata_rare_t rare, const void *user, int n,
                          MlirValue *values) {
  strata_emitter_t *e = x->m->e;
  MlirValue any = any_lane(x, condition), results[2][MAX_VALUES];
  MlirType types[MAX_VALUES];
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock outer = e->block;
  assert(n <= MAX_VALUES);
  for (int otherwise = 0; otherwise < 2; otherwise++) {
    e->block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(regions[otherwise], e->block);
    if (!otherwise)
      rare(x, user, results[0]);
    for (int i = 0; i < n; i++) {
      types[i] = mlirValueGetType(values[i]);
      results[otherwise][i] =
          otherwise ? values[i] : strata_emit_select(e, condition, results[otherwise][i], values[i]);
    }
    strata_emit_op(e, "scf.yield", n, results[otherwise], 0, NULL, 0, NULL);
  }
  e->block = outer;
  MlirOperation branch = strata_op_create(e->location, "scf.if", 1, &any, n, types, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(e->block, branch);
  for (int i = 0; i < n; i++)
    values[i] = mlirOperationGetResult(branch, i);
}
