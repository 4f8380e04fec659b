// See irdl.h.
#include "dialects/irdl.h"

#include <mlir-c/Dialect/IRDL.h>
#include <stdlib.h>

static strata_status_t load(MlirContext context, const char *name, MlirStringRef text) {
  MlirModule module = mlirModuleCreateParse(context, text);
  if (mlirModuleIsNull(module))
    return strata_error(STRATA_INTERNAL, "the IRDL text of the %s dialect does not parse", name);
  MlirLogicalResult result = mlirLoadIRDLDialects(module);
  mlirModuleDestroy(module);
  if (mlirLogicalResultIsFailure(result))
    return strata_error(STRATA_INTERNAL, "the %s dialect does not load", name);
  return NULL;
}

strata_status_t strata_irdl_load(MlirContext context, const char *name, void (*write)(FILE *out)) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return strata_error(STRATA_OUT_OF_MEMORY, "out of memory");
  write(out);
  strata_status_t status = fclose(out) ? strata_error(STRATA_OUT_OF_MEMORY, "out of memory") : NULL;
  if (!status)
    status = load(context, name, mlirStringRefCreate(text, size));
  free(text);
  return status;
}
