// See convert.h.
#include "targets/llvm/convert.h"

#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"

#include <mlir-c/Pass.h>

enum { KERNELS_PER_MODULE = 4 }; // few, for many processors: each conversion makes its patterns anew for a module

static bool is_module(MlirOperation op) { return strata_op_is(op, "builtin.module"); }
static bool is_function(MlirOperation op) { return strata_op_is(op, "func.func"); }

bool strata_llvm_is_declaration(MlirOperation op) {
  return mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static bool is_kernel(MlirOperation op) { return is_function(op) && !strata_llvm_is_declaration(op); }

bool strata_llvm_has_symbol(MlirBlock body, MlirStringRef name) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirStringRefEqual(strata_attr_str(op, "sym_name"), name))
      return true;
  return false;
}

void strata_llvm_move_all(MlirBlock from, MlirBlock to) {
  for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_llvm_is_declaration(op) && strata_llvm_has_symbol(to, strata_attr_str(op, "sym_name")))
      continue;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(to, op);
  }
}

static MlirBlock add_module(MlirBlock body) {
  MlirContext context = mlirOperationGetContext(mlirBlockGetParentOperation(body));
  MlirModule module = mlirModuleCreateEmpty(mlirLocationUnknownGet(context));
  MlirBlock inner = mlirModuleGetBody(module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!is_kernel(op) && !is_module(op))
      mlirBlockAppendOwnedOperation(inner, mlirOperationClone(op));
  mlirBlockAppendOwnedOperation(body, mlirModuleGetOperation(module));
  return inner;
}

// Deals the kernels out to modules in |body|, in each of which is all that is declared: threads convert such modules
// side by side.
static void deal_out(MlirBlock body) {
  MlirBlock inner = {NULL};
  int n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_kernel(op))
      continue;
    if (n++ % KERNELS_PER_MODULE == 0)
      inner = add_module(body);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(inner, op);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; n > 0 && !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (is_function(op)) // declared in all of them now, to be converted there
      mlirOperationDestroy(op);
  }
}

static void gather(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_module(op))
      continue;
    strata_llvm_move_all(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), body);
    mlirOperationRemoveFromParent(op);
    mlirOperationDestroy(op);
  }
}

strata_status_t strata_llvm_convert(strata_compile_t *compile, MlirModule kernels, const char *passes) {
  const char *pipeline = strata_arena_printf(compile->arena, "builtin.module(builtin.module(%s))", passes);
  MlirPassManager manager = mlirPassManagerCreate(compile->context);
  mlirPassManagerEnableVerifier(manager, compile->options->verify_each);
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager), strata_str(pipeline), strata_text_ignore, NULL);
  MlirBlock body = mlirModuleGetBody(kernels);
  deal_out(body);
  if (mlirLogicalResultIsSuccess(result))
    result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(kernels));
  gather(body);
  mlirPassManagerDestroy(manager);
  if (mlirLogicalResultIsSuccess(result))
    return NULL;
  return strata_compile_take_diagnostics(compile, "kernels-to-llvm: upstream's conversions failed");
}
