// Memory of a kernel: global memory behind its arguments, and loads and stores. Upstream's conversions know neither
// alignment nor memory that nobody writes, and count elements in 64 bits.
//
//   %v = vector.load %x[%i, %j] {tile.readonly} : memref<4x64xf32, 1>, vector<4xf32>
//
//   %p = llvm.getelementptr %base[%i * 64 + %j] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
//   %v = llvm.load %p invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
#include "targets/gpu/kernel.h"

#include <mlir-c/Dialect/LLVM.h>

// The numbers of NVPTX and AMDGPU. What a thread has on its stack is in NVPTX's generic memory, which has no number.
enum { GLOBAL_SPACE = 1, AMDGCN_STACK_SPACE = 5 };

static void place(MlirValue value, MlirAttribute space) {
  MlirType type = mlirValueGetType(value);
  int64_t shape[16];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; i++)
    shape[i] = mlirShapedTypeGetDimSize(type, i);
  mlirValueSetType(
      value, mlirMemRefTypeGet(mlirShapedTypeGetElementType(type), rank, shape, mlirMemRefTypeGetLayout(type), space));
}

// A view is where its buffer is; the buffer was placed before it. On the host all memory is one.
static MlirAttribute space_of_result(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  if (strata_gpu_is_emulated(kernel))
    return (MlirAttribute){0};
  if (strata_op_is(op, "memref.alloca"))
    return kernel->device->code == STRATA_GPU_AMDGCN ? strata_i64_attr(kernel->compile->context, AMDGCN_STACK_SPACE)
                                                     : (MlirAttribute){0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAMemRef(type))
      return mlirMemRefTypeGetMemorySpace(type);
  }
  return strata_i64_attr(kernel->compile->context, GLOBAL_SPACE);
}

static MlirWalkResult assign_results(MlirOperation op, void *user) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(result)))
      place(result, space_of_result(user, op));
  }
  return MlirWalkResultAdvance;
}

static void assign_arguments(const strata_gpu_kernel_t *kernel) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->func, 0));
  bool is_host = strata_gpu_is_emulated(kernel);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    MlirType type = mlirValueGetType(argument);
    if (!mlirTypeIsAMemRef(type))
      continue;
    if (is_host)
      place(argument, (MlirAttribute){0});
    else if (mlirAttributeIsNull(mlirMemRefTypeGetMemorySpace(type)))
      place(argument, strata_i64_attr(kernel->compile->context, GLOBAL_SPACE));
  }
}

// What a thread has on its stack, whose size is known, belongs to the kernel: elsewhere than in the entry block LLVM
// takes its size for one that only a run tells, which the kernel's descriptor does not say, and in a loop the stack
// grows.
static void move_stacks_to_entry(const strata_gpu_kernel_t *kernel) {
  strata_gpu_ops_t stacks = strata_gpu_find_ops(kernel, "memref.alloca");
  MlirOperation first = mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(kernel->func, 0)));
  for (size_t i = 0; i < stacks.count; i++)
    if (!mlirOperationEqual(stacks.data[i], first))
      mlirOperationMoveBefore(stacks.data[i], first);
}

void strata_gpu_assign_memory(const strata_gpu_kernel_t *kernel) {
  move_stacks_to_entry(kernel);
  assign_arguments(kernel);
  mlirOperationWalk(kernel->func, assign_results, (void *)(uintptr_t)kernel, MlirWalkPreOrder);
}

//===-- Accesses -------------------------------------------------------------------------------------------------===//

// What upstream makes of a memref: pointer, aligned pointer, offset, sizes and strides.
static MlirType descriptor_type(MlirContext context, MlirType memref, MlirType index) {
  MlirAttribute space = mlirMemRefTypeGetMemorySpace(memref);
  MlirType pointer =
      mlirLLVMPointerTypeGet(context, mlirAttributeIsNull(space) ? 0 : (unsigned)mlirIntegerAttrGetValueInt(space));
  intptr_t rank = mlirShapedTypeGetRank(memref);
  MlirType parts[] = {pointer, pointer, index, (MlirType){0}, (MlirType){0}};
  parts[3] = parts[4] = mlirLLVMArrayTypeGet(index, (unsigned)rank);
  return mlirLLVMStructTypeLiteralGet(context, rank ? 5 : 3, parts, false);
}

typedef struct {
  MlirOperation op; // the access: everything is built before it
  MlirContext context;
  MlirType index; // of addresses
  MlirValue descriptor;
} address_t;

static MlirValue part(const address_t *a, int n, const int64_t *position, MlirType type) {
  strata_named_attr_t attr = {"position", strata_i64s_attr(a->context, n, position)};
  return strata_gpu_build(a->op, "llvm.extractvalue", 1, &a->descriptor, type, 1, &attr);
}

static MlirValue constant(const address_t *a, int64_t value) {
  strata_named_attr_t attr = {"value", mlirIntegerAttrGet(a->index, value)};
  return strata_gpu_build(a->op, "arith.constant", 0, NULL, a->index, 1, &attr);
}

// Indices are inside the buffer, so nothing wraps.
static MlirValue binary(const address_t *a, const char *name, MlirValue left, MlirValue right) {
  strata_named_attr_t attr = {"overflowFlags",
                              mlirAttributeParseGet(a->context, strata_str("#arith.overflow<nsw, nuw>"))};
  return strata_gpu_build(a->op, name, 2, (MlirValue[]){left, right}, a->index, 1, &attr);
}

static MlirValue add(const address_t *a, MlirValue sum, MlirValue term) {
  return mlirValueIsNull(sum) ? term : binary(a, "arith.addi", sum, term);
}

// The number of the element, counted from the aligned pointer; a null value: that is it.
static MlirValue element_number(const address_t *a, MlirType memref, int first_index) {
  int64_t strides[16], offset, dynamic = mlirShapedTypeGetDynamicStrideOrOffset();
  mlirMemRefTypeGetStridesAndOffset(memref, strides, &offset);
  MlirValue sum = {0};
  if (offset != 0)
    sum = offset == dynamic ? part(a, 1, (int64_t[]){2}, a->index) : constant(a, offset);
  for (int d = 0; d < (int)mlirShapedTypeGetRank(memref) && first_index != STRATA_GPU_FIRST; d++) {
    if (mlirShapedTypeGetDimSize(memref, d) == 1)
      continue; // the index is zero
    MlirValue index = mlirOperationGetOperand(a->op, first_index + d);
    index = strata_gpu_build_cast(a->op, "arith.index_cast", index, a->index);
    if (strides[d] != 1)
      index = binary(a, "arith.muli", index,
                     strides[d] == dynamic ? part(a, 2, (int64_t[]){4, d}, a->index) : constant(a, strides[d]));
    sum = add(a, sum, index);
  }
  return sum;
}

MlirValue strata_gpu_build_address(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue memref,
                                   int first_index) {
  MlirContext context = mlirOperationGetContext(op);
  address_t a = {op, context, mlirIntegerTypeGet(context, (unsigned)kernel->index_bits), {0}};
  MlirType type = mlirValueGetType(memref), descriptor = descriptor_type(context, type, a.index);
  a.descriptor = strata_gpu_build(op, "builtin.unrealized_conversion_cast", 1, &memref, descriptor, 0, NULL);
  MlirType pointer = mlirLLVMStructTypeGetElementType(descriptor, 1);
  MlirValue base = part(&a, 1, (int64_t[]){1}, pointer), number = element_number(&a, type, first_index);
  if (mlirValueIsNull(number))
    return base;
  const int32_t indices[] = {INT32_MIN}; // the operand's
  const strata_named_attr_t attrs[] = {
      {"elem_type", mlirTypeAttrGet(mlirShapedTypeGetElementType(type))},
      {"rawConstantIndices", mlirDenseI32ArrayGet(context, 1, indices)},
  };
  return strata_gpu_build(op, "llvm.getelementptr", 2, (MlirValue[]){base, number}, pointer, 2, attrs);
}

// Bytes of a scalar or a vector: what an access is aligned to unless it says so.
static int64_t access_bytes(MlirType type) {
  int64_t count = mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 1;
  return count * strata_element_bytes(strata_type_element(type));
}

static int collect_attrs(MlirOperation op, MlirType type, strata_named_attr_t *attrs) {
  int n = 0;
  MlirContext context = mlirOperationGetContext(op);
  attrs[n++] = (strata_named_attr_t){"alignment",
                                     strata_i64_attr(context, strata_attr_i64(op, "alignment", access_bytes(type)))};
  if (strata_attr_flag(op, "nontemporal"))
    attrs[n++] = (strata_named_attr_t){"nontemporal", mlirUnitAttrGet(context)};
  if (!mlirAttributeIsNull(strata_attr(op, "tile.readonly")))
    attrs[n++] = (strata_named_attr_t){"invariant", mlirUnitAttrGet(context)};
  return n;
}

enum { MAX_ATTRS = 3 };

strata_status_t strata_gpu_convert_load(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  strata_named_attr_t attrs[MAX_ATTRS];
  MlirValue result = mlirOperationGetResult(op, 0);
  int n_attrs = collect_attrs(op, mlirValueGetType(result), attrs);
  MlirValue address = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 0), 1);
  MlirValue value = strata_gpu_build(op, "llvm.load", 1, &address, mlirValueGetType(result), n_attrs, attrs);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(op);
  return NULL;
}

// st.global.cs, which LLVM has no name for: the value in words of 32 bits, at most four.
static bool build_streaming_store(const strata_gpu_kernel_t *kernel, MlirOperation op, MlirValue value,
                                  MlirValue address) {
  MlirContext context = kernel->compile->context;
  int64_t words = access_bytes(mlirValueGetType(value)) / 4;
  if (kernel->device->code != STRATA_GPU_NVPTX || !strata_attr_flag(op, "nontemporal") || (words != 2 && words != 4))
    return false;
  MlirType i32 = mlirIntegerTypeGet(context, 32);
  value = strata_gpu_build_cast(op, "llvm.bitcast", value, mlirVectorTypeGet(1, &words, i32));
  MlirValue operands[] = {address, {0}, {0}, {0}, {0}};
  for (int64_t i = 0; i < words; i++)
    operands[i + 1] = strata_gpu_build_extract(op, value, i);
  strata_gpu_build_ptx(
      op, words == 4 ? "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};" : "st.global.cs.v2.b32 [$0], {$1, $2};",
      words == 4 ? "l,r,r,r,r,~{memory}" : "l,r,r,~{memory}", (int)words + 1, operands, (MlirType){0});
  return true;
}

strata_status_t strata_gpu_convert_store(const strata_gpu_kernel_t *kernel, MlirOperation op) {
  strata_named_attr_t attrs[MAX_ATTRS];
  MlirValue value = mlirOperationGetOperand(op, 0);
  int n_attrs = collect_attrs(op, mlirValueGetType(value), attrs);
  MlirValue address = strata_gpu_build_address(kernel, op, mlirOperationGetOperand(op, 1), 2);
  if (!build_streaming_store(kernel, op, value, address))
    strata_gpu_build(op, "llvm.store", 2, (MlirValue[]){value, address}, (MlirType){0}, n_attrs, attrs);
  mlirOperationDestroy(op);
  return NULL;
}
