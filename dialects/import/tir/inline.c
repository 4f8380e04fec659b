// Calls of functions become what the functions do, so that readers see one function.
#include "dialects/import/stablehlo/stablehlo.h"

enum { MAX_INLINED = 1 << 16 }; // calls: more are functions that call one another without end

typedef struct {
  strata_compile_t *compile;
  MlirModule module;
  int n_inlined;
} inliner_t;

// The function that |op| stands for a call of; the null attribute where it is no call.
static MlirAttribute callee(MlirOperation op) {
  if (strata_op_is(op, "func.call") || strata_op_is(op, "call"))
    return strata_attr(op, "callee");
  if (hlo_op_is(op, "composite") && !hlo_knows_composite(op))
    return strata_attr(op, "decomposition");
  return (MlirAttribute){0};
}

static strata_status_t call_error(MlirOperation call, const char *what) {
  char place[256];
  return strata_error(STRATA_PARSE, "%s: %s", strata_location_text(mlirOperationGetLocation(call), place, sizeof place),
                      what);
}

// Moves the operations of a copy of |func| in front of |call|; *out_first is the first of them, null if there is none.
static strata_status_t splice(MlirOperation call, MlirOperation func, MlirOperation *out_first) {
  MlirOperation copy = mlirOperationClone(func);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(copy, 0));
  intptr_t n_arguments = mlirBlockIsNull(body) ? -1 : mlirBlockGetNumArguments(body);
  MlirOperation end = mlirBlockIsNull(body) ? (MlirOperation){0} : tir_terminator(body);
  if (n_arguments != mlirOperationGetNumOperands(call) || mlirOperationIsNull(end) ||
      mlirOperationGetNumOperands(end) != mlirOperationGetNumResults(call)) {
    mlirOperationDestroy(copy);
    return call_error(call, "the called function has other operands or results, or no body");
  }
  for (intptr_t i = 0; i < n_arguments; i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirOperationGetOperand(call, i));
  *out_first = (MlirOperation){0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);) {
    MlirOperation next = mlirOperationGetNextInBlock(op);
    mlirOperationMoveBefore(op, call);
    *out_first = mlirOperationIsNull(*out_first) ? op : *out_first;
    op = next;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); i++)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(call, i), mlirOperationGetOperand(end, i));
  mlirOperationDestroy(copy);
  return NULL;
}

static strata_status_t inline_region(inliner_t *inliner, MlirRegion region);

// *out_next: where to go on, which is what has been put in the place of a call.
static strata_status_t inline_op(inliner_t *inliner, MlirOperation op, MlirOperation *out_next) {
  *out_next = mlirOperationGetNextInBlock(op);
  MlirAttribute symbol = callee(op);
  if (mlirAttributeIsNull(symbol)) {
    for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
      STRATA_TRY(inline_region(inliner, mlirOperationGetRegion(op, i)));
    return NULL;
  }
  if (++inliner->n_inlined > MAX_INLINED)
    return call_error(op, "functions call one another without end");
  if (!mlirAttributeIsAFlatSymbolRef(symbol))
    return call_error(op, "expected the symbol of a function");
  MlirOperation func = strata_find_symbol(inliner->module, mlirFlatSymbolRefAttrGetValue(symbol)), first;
  if (mlirOperationIsNull(func) || !strata_op_is(func, "func.func"))
    return call_error(op, "the called function is not in the module");
  STRATA_TRY(splice(op, func, &first));
  *out_next = mlirOperationIsNull(first) ? *out_next : first;
  mlirOperationDestroy(op);
  return NULL;
}

static strata_status_t inline_region(inliner_t *inliner, MlirRegion region) {
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next)
      STRATA_TRY(inline_op(inliner, op, &next));
  return NULL;
}

strata_status_t tir_inline_calls(strata_compile_t *compile, MlirModule module, MlirOperation func) {
  inliner_t inliner = {.compile = compile, .module = module};
  return inline_region(&inliner, mlirOperationGetRegion(func, 0));
}
