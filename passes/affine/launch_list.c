// See launch_list.h. One walk over the function; values are resolved to buffers as they are met.
#include "passes/affine/launch_list.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/strata/strata.h"
#include "dialects/symbols.h"

typedef struct {
  strata_compile_t *compile;
  strata_launch_list_t *list;
  strata_pointer_map_t values;  // value -> buffer
  strata_pointer_map_t globals; // symbol name, which MLIR makes unique -> buffer
} reader_t;

int64_t strata_memref_size(MlirType type) {
  if (strata_type_is_symbolic(type))
    return -1;
  int64_t count = 1;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    count *= mlirShapedTypeGetDimSize(type, i);
  return strata_type_storage_size(strata_type_from_mlir(mlirShapedTypeGetElementType(type)), count);
}

MlirAffineExpr strata_memref_size_expr(MlirType type) {
  MlirContext context = mlirTypeGetContext(type);
  MlirAffineExpr count = mlirAffineConstantExprGet(context, 1);
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++) {
    MlirAffineExpr dim = strata_type_dim(type, i);
    if (mlirAffineExprIsNull(dim))
      return dim;
    count = mlirAffineMulExprGet(count, dim);
  }
  strata_type_t element = strata_type_from_mlir(mlirShapedTypeGetElementType(type));
  enum { PAIR = 2 }; // a byte holds so many elements if one takes less
  int64_t pair = strata_type_storage_size(element, PAIR), one = strata_type_storage_size(element, 1);
  if (pair == one)
    return mlirAffineCeilDivExprGet(count, mlirAffineConstantExprGet(context, PAIR));
  return mlirAffineMulExprGet(count, mlirAffineConstantExprGet(context, one));
}

static strata_status_t add_buffer(reader_t *reader, strata_buffer_t buffer) {
  MlirType type = mlirValueGetType(buffer.value);
  *strata_pointer_map_put(&reader->values, buffer.value.ptr) = (int64_t)reader->list->buffers.count;
  buffer.size = strata_memref_size(type);
  buffer.bytes = buffer.size < 0 ? strata_memref_size_expr(type) : (MlirAffineExpr){0};
  buffer.first = buffer.last = -1;
  *strata_vector_push(reader->compile->arena, &reader->list->buffers) = buffer;
  return buffer.size >= 0 || !mlirAffineExprIsNull(buffer.bytes)
             ? NULL
             : strata_error(STRATA_INTERNAL, "launch list: a buffer whose type does not say its sizes");
}

static strata_status_t find_buffer(const reader_t *reader, MlirValue value, size_t *out_buffer) {
  const int64_t *index = strata_pointer_map_get(&reader->values, value.ptr);
  if (!index)
    return strata_error(STRATA_INTERNAL, "launch list: an operand that is no buffer");
  *out_buffer = (size_t)*index;
  return NULL;
}

static strata_status_t read_global(reader_t *reader, MlirOperation op) {
  MlirAttribute symbol = strata_attr(op, "name");
  MlirValue value = mlirOperationGetResult(op, 0);
  const int64_t *known = strata_pointer_map_get(&reader->globals, symbol.ptr);
  if (known) {
    int64_t buffer = *known;
    *strata_pointer_map_put(&reader->values, value.ptr) = buffer;
    return NULL;
  }
  *strata_pointer_map_put(&reader->globals, symbol.ptr) = (int64_t)reader->list->buffers.count;
  return add_buffer(
      reader,
      (strata_buffer_t){.kind = STRATA_BUFFER_GLOBAL, .value = value, .global = mlirFlatSymbolRefAttrGetValue(symbol)});
}

static strata_status_t read_call(reader_t *reader, MlirOperation call) {
  intptr_t n = mlirOperationGetNumOperands(call);
  size_t *args = strata_arena_array(reader->compile->arena, size_t, n);
  int64_t position = (int64_t)reader->list->launches.count;
  for (intptr_t i = 0; i < n; i++) {
    STRATA_TRY(find_buffer(reader, mlirOperationGetOperand(call, i), &args[i]));
    strata_buffer_t *buffer = &reader->list->buffers.data[args[i]];
    if (buffer->first < 0)
      buffer->first = position;
    buffer->last = position;
  }
  *strata_vector_push(reader->compile->arena, &reader->list->launches) =
      (strata_launch_t){.call = call,
                        .kernel = mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee")),
                        .n_args = (size_t)n,
                        .args = args,
                        .region = strata_attr_i64(call, STRATA_REGION, -1),
                        .stream = strata_attr_i64(call, STRATA_STREAM, 0)};
  return NULL;
}

static bool is_view(MlirOperation op) {
  static const char *const names[] = {"memref.collapse_shape",   "memref.expand_shape", "memref.cast",
                                      "memref.reinterpret_cast", "memref.subview",      STRATA_VARYING_VIEW};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strata_op_is(op, names[i]))
      return true;
  return false;
}

// A view is handed on as its buffer's address: kernels know a view's offset and strides from their argument's type.
static strata_status_t read_view(reader_t *reader, MlirOperation op) {
  size_t buffer;
  STRATA_TRY(find_buffer(reader, mlirOperationGetOperand(op, 0), &buffer));
  *strata_pointer_map_put(&reader->values, mlirOperationGetResult(op, 0).ptr) = (int64_t)buffer;
  return NULL;
}

// What only makes numbers, the operands of allocations: types have the sizes.
static bool is_size(MlirOperation op) {
  return strata_op_is(op, "strata.size") || strata_op_is(op, "affine.apply") || strata_op_is(op, "arith.constant");
}

static strata_status_t read_op(reader_t *reader, MlirOperation op) {
  if (strata_op_is(op, "func.call"))
    return read_call(reader, op);
  if (is_view(op))
    return read_view(reader, op);
  if (strata_op_is(op, "memref.get_global"))
    return read_global(reader, op);
  if (strata_op_is(op, "memref.alloc"))
    return add_buffer(reader, (strata_buffer_t){.kind = STRATA_BUFFER_ALLOC, .value = mlirOperationGetResult(op, 0)});
  if (is_size(op) || strata_op_is(op, "func.return"))
    return NULL;
  return strata_error(STRATA_INTERNAL, "launch list: unexpected op %.*s", (int)strata_op_name(op).length,
                      strata_op_name(op).data);
}

// The first launch of the region that a launch is in, or its last: |step| is -1 or 1.
static int64_t end_of_region(const strata_launch_list_t *list, int64_t launch, int step) {
  int64_t region = list->launches.data[launch].region, count = (int64_t)list->launches.count;
  while (region >= 0 && launch + step >= 0 && launch + step < count &&
         list->launches.data[launch + step].region == region)
    launch += step;
  return launch;
}

static void extend_lives(strata_launch_list_t *list) {
  for (size_t i = 0; i < list->buffers.count; i++) {
    strata_buffer_t *buffer = &list->buffers.data[i];
    if (buffer->first < 0)
      continue;
    buffer->first = end_of_region(list, buffer->first, -1);
    buffer->last = end_of_region(list, buffer->last, 1);
  }
}

strata_status_t strata_launch_list_read(strata_compile_t *compile, MlirOperation func, strata_launch_list_t *out_list) {
  *out_list = (strata_launch_list_t){0};
  reader_t reader = {.compile = compile,
                     .list = out_list,
                     .values = strata_pointer_map_create(compile->arena),
                     .globals = strata_pointer_map_create(compile->arena)};
  MlirBlock body = strata_func_body(func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    STRATA_TRY(add_buffer(
        &reader,
        (strata_buffer_t){.kind = STRATA_BUFFER_ARGUMENT, .value = mlirBlockGetArgument(body, i), .argument = i}));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    STRATA_TRY(read_op(&reader, op));
  extend_lives(out_list);
  return NULL;
}
