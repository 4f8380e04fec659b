// Kernels of very many parts, each with buffers of its own: these are one parameter, an array, of which a part reads
// its own pointers.
//
//   llvm.func @k(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, ...) { ... %a ... }
// becomes
//   llvm.func @k(%buffers: !llvm.ptr {llvm.byval = !llvm.array<300 x ptr<1>>}) {
//     %p = llvm.getelementptr %buffers[0, 0]  %a = llvm.load %p invariant  ... %a ... }
//
// Code generators read all parameters at a kernel's beginning, whichever the block needs, and keep them in registers;
// such loads LLVM moves to where they are used. The launch is the same: it passes one piece of memory.
#include "targets/gpu/kernel.h"

#include <mlir-c/Dialect/LLVM.h>

typedef struct {
  const strata_gpu_kernel_t *kernel;
  MlirBlock entry;
  MlirType array;
  MlirValue parameter;
} packing_t;

static MlirValue build_read(const packing_t *p, int index) {
  MlirContext context = p->kernel->compile->context;
  MlirOperation first = mlirBlockGetFirstOperation(p->entry);
  const int32_t indices[] = {0, index};
  const strata_named_attr_t place[] = {{"elem_type", mlirTypeAttrGet(p->array)},
                                       {"rawConstantIndices", mlirDenseI32ArrayGet(context, 2, indices)}};
  const strata_named_attr_t load[] = {{"alignment", strata_i64_attr(context, 8)},
                                      {"invariant", mlirUnitAttrGet(context)}};
  MlirValue address =
      strata_gpu_build(first, "llvm.getelementptr", 1, &p->parameter, mlirValueGetType(p->parameter), 2, place);
  MlirType type = mlirValueGetType(mlirBlockGetArgument(p->entry, index));
  return strata_gpu_build(first, "llvm.load", 1, &address, type, 2, load);
}

static void describe(const packing_t *p) {
  MlirContext context = p->kernel->compile->context;
  bool is_amd = p->kernel->device->code == STRATA_GPU_AMDGCN;
  const strata_named_attr_t attrs[] = {{is_amd ? "llvm.byref" : "llvm.byval", mlirTypeAttrGet(p->array)},
                                       {"llvm.align", strata_i64_attr(context, 8)},
                                       {"nvvm.grid_constant", mlirUnitAttrGet(context)}};
  MlirNamedAttribute named[3];
  int n = is_amd ? 2 : 3;
  for (int i = 0; i < n; i++)
    named[i] = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(attrs[i].name)), attrs[i].attr);
  MlirAttribute of_argument = mlirDictionaryAttrGet(context, n, named);
  MlirType type = mlirValueGetType(p->parameter);
  strata_set_attr(p->kernel->func, "arg_attrs", mlirArrayAttrGet(context, 1, &of_argument));
  strata_set_attr(p->kernel->func, "function_type",
                  mlirTypeAttrGet(mlirLLVMFunctionTypeGet(mlirLLVMVoidTypeGet(context), 1, &type, false)));
}

void strata_gpu_pack_parameters(const strata_gpu_kernel_t *kernel) {
  MlirContext context = kernel->compile->context;
  packing_t p = {.kernel = kernel, .entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->func, 0))};
  int n = (int)mlirBlockGetNumArguments(p.entry);
  // Parameters are constant memory, address space 4, to AMD; PTX has a generic pointer to a copy that is none.
  unsigned space = kernel->device->code == STRATA_GPU_AMDGCN ? 4 : 0;
  p.array = mlirLLVMArrayTypeGet(mlirValueGetType(mlirBlockGetArgument(p.entry, 0)), (unsigned)n);
  p.parameter =
      mlirBlockAddArgument(p.entry, mlirLLVMPointerTypeGet(context, space), mlirOperationGetLocation(kernel->func));
  for (int i = 0; i < n; i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(p.entry, i), build_read(&p, i));
  for (int i = n; i-- > 0;)
    mlirBlockEraseArgument(p.entry, (unsigned)i);
  describe(&p);
}
