// strata-copy-graph: of a compile for several GPUs, keeps the graph. The levels below are one device's; the library
// phase takes the copy down them for each of the others.
#include "passes/pass.h"

strata_status_t strata_pass_copy_graph(strata_compile_t *compile) {
  if (!compile->options->more_devices)
    return NULL;
  if (!mlirModuleIsNull(compile->graph))
    mlirModuleDestroy(compile->graph);
  compile->graph = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(compile->module)));
  return NULL;
}
