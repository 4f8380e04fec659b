// affine-count: notes on every kernel function what a call moves and computes, for descriptions and explanations:
//
//   func.func private @k0(...) attributes {strata.bytes = 20480, strata.flops = 66048}
//
// Bytes are those of the elements of the kernel's arguments that its accesses can name, each once; operations are
// those of every point of its nests, each once, however a schedule repeats them.
#include "dialects/mlir_util.h"
#include "passes/affine/nest_graph.h"
#include "passes/pass.h"

// Elements that the access can name: as many as the dims that decide where it is have points.
static double named_elements(const strata_nest_t *nest, const strata_access_t *access) {
  uint32_t dims = mlirAffineMapIsNull(access->map) ? UINT32_MAX : strata_affine_map_dims(access->map);
  double elements = 1;
  for (int dim = 0; dim < nest->n_parallel + nest->n_reduction; dim++)
    if (dims >> dim & 1)
      elements *= (double)strata_nest_likely_extent(nest, dim);
  return elements;
}

// Bytes of |buffer| that the kernel loads, or those that it stores: at most all of them.
static double moved_bytes(const strata_kernel_t *kernel, MlirValue buffer, bool is_store) {
  const strata_size_symbols_t symbols =
      strata_symbols_used_around(kernel->arena, mlirBlockGetFirstOperation(kernel->body));
  MlirType type = mlirValueGetType(buffer);
  double elements = 0, all = strata_memref_likely_elements(&symbols, type);
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      if (access->is_store == is_store && mlirValueEqual(access->buffer, buffer))
        elements += named_elements(&kernel->nests[i], access);
    }
  return strata_memref_likely_bytes(&symbols, type) * (elements < all ? elements / all : 1);
}

static double operations_of(const strata_nest_t *nest) {
  double operations = strata_nest_work(nest).flops;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    operations *= (double)strata_nest_likely_extent(nest, dim);
  return operations;
}

static strata_status_t count_kernel(strata_compile_t *compile, MlirOperation func) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  double bytes = 0, operations = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(kernel.body); i++)
    for (int is_store = 0; is_store < 2; is_store++)
      bytes += moved_bytes(&kernel, mlirBlockGetArgument(kernel.body, i), is_store);
  for (int i = 0; i < kernel.n_nests; i++)
    operations += operations_of(&kernel.nests[i]);
  strata_set_attr(func, "strata.bytes", strata_i64_attr(compile->context, (int64_t)bytes));
  strata_set_attr(func, "strata.flops", strata_i64_attr(compile->context, (int64_t)operations));
  return NULL;
}

strata_status_t strata_pass_affine_count(strata_compile_t *compile) {
  MlirBlock body = mlirModuleGetBody(compile->module);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirAttributeIsNull(strata_attr(op, "strata.schedule")))
      STRATA_TRY(count_kernel(compile, op));
  return NULL;
}
