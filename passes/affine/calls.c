// See calls.h.
#include "passes/affine/calls.h"

#include "dialects/affine/symbols.h"
#include "dialects/counted_loop.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"

typedef struct {
  strata_arena_t *arena;
  MlirSymbolTable symbols;
  strata_calls_t *calls;
  strata_pointer_map_t kernels; // function -> 1 + index
} reader_t;

static MlirOperation look_up(MlirSymbolTable symbols, MlirOperation call) {
  return mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee")));
}

MlirOperation strata_callee(strata_compile_t *compile, MlirOperation call) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module));
  MlirOperation func = look_up(symbols, call);
  mlirSymbolTableDestroy(symbols);
  return func;
}

strata_operations_t strata_calls_of(strata_arena_t *arena, MlirOperation func) {
  strata_operations_t calls = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call"))
      *strata_vector_push(arena, &calls) = op;
  return calls;
}

strata_operations_t strata_calls_to(strata_arena_t *arena, MlirOperation caller, MlirOperation func) {
  strata_operations_t all = {0}, calls = {0};
  MlirStringRef symbol = strata_attr_str(func, "sym_name");
  if (!mlirOperationIsNull(caller))
    all = strata_calls_of(arena, caller);
  for (size_t i = 0; i < all.count; i++)
    if (mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(strata_attr(all.data[i], "callee")), symbol))
      *strata_vector_push(arena, &calls) = all.data[i];
  return calls;
}

int64_t strata_calls_next_launch(strata_arena_t *arena, strata_functions_t functions) {
  int64_t next = 0;
  for (size_t i = 0; i < functions.count; i++) {
    strata_operations_t calls = strata_calls_of(arena, functions.data[i]);
    for (size_t j = 0; j < calls.count; j++)
      next = strata_max(next, strata_attr_i64(calls.data[j], STRATA_LAUNCH, -1) + 1);
  }
  return next;
}

MlirValue strata_alloc_before(MlirOperation op, MlirType type) {
  const int32_t segments[2] = {0, 0};
  strata_named_attr_t attr = {"operandSegmentSizes", mlirDenseI32ArrayGet(mlirOperationGetContext(op), 2, segments)};
  MlirOperation alloc =
      strata_op_create(mlirOperationGetLocation(op), "memref.alloc", 0, NULL, 1, &type, 1, &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, alloc);
  MlirValue buffer = mlirOperationGetResult(alloc, 0);
  strata_buffer_set_type(buffer, type); // which takes its sizes, where they vary
  return buffer;
}

void strata_call_before(MlirOperation op, const char *name, int n_operands, const MlirValue *operands) {
  strata_named_attr_t callee = {"callee", mlirFlatSymbolRefAttrGet(mlirOperationGetContext(op), strata_str(name))};
  MlirOperation call =
      strata_op_create(mlirOperationGetLocation(op), "func.call", n_operands, operands, 0, NULL, 1, &callee, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, call);
}

void strata_call_extend(MlirOperation call, int n, const MlirType *types, MlirValue *out_buffers) {
  MlirValue operands[STRATA_MAX_OPERANDS];
  intptr_t n_before = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n_before; i++)
    operands[i] = mlirOperationGetOperand(call, i);
  for (int i = 0; i < n; i++)
    operands[n_before + i] = out_buffers[i] = strata_alloc_before(call, types[i]);
  mlirOperationSetOperands(call, n_before + n, operands);
}

bool strata_kernel_writes(MlirOperation func, intptr_t index) {
  if (strata_op_is_loop(func)) {
    strata_counted_loop_t loop = strata_counted_loop_read(func);
    return index >= strata_counted_loop_n_operands(&loop);
  }
  MlirValue argument = mlirBlockGetArgument(strata_func_body(func), index);
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool is_store = strata_op_is(user, "affine.store") || strata_op_is(user, "memref.store");
    if (is_store && mlirOpOperandGetOperandNumber(use) == 1)
      return true;
  }
  return false;
}

// A view is an op of the memref dialect from one buffer, or where sizes vary one of ours.
static bool is_view(MlirOperation op) {
  bool is_memref = strncmp(strata_op_name(op).data, "memref.", strlen("memref.")) == 0;
  return mlirOperationGetNumOperands(op) == 1 && mlirOperationGetNumResults(op) == 1 &&
         !strata_op_is(op, "memref.alloc") && // of a size
         (is_memref || strata_op_is(op, STRATA_VARYING_VIEW));
}

MlirValue strata_calls_buffer(MlirValue value) {
  while (mlirValueIsAOpResult(value) && is_view(mlirOpResultGetOwner(value)))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

static strata_called_kernel_t *kernel_of(reader_t *reader, MlirOperation func) {
  int64_t *index = strata_pointer_map_put(&reader->kernels, func.ptr);
  if (!*index) {
    strata_vector_push(reader->arena, &reader->calls->kernels)->func = func;
    *index = (int64_t)reader->calls->kernels.count;
  }
  return &reader->calls->kernels.data[*index - 1];
}

static bool mark_variable(reader_t *reader, MlirValue value) {
  int64_t *is_variable = strata_pointer_map_put(&reader->calls->is_variable, strata_calls_buffer(value).ptr);
  bool changed = !*is_variable;
  *is_variable = true;
  return changed;
}

static bool touches_variables(const reader_t *reader, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!strata_calls_is_constant(reader->calls, mlirOperationGetOperand(call, i)))
      return true;
  return false;
}

// True of a kernel that asks for the value of a symbol.
static bool uses_sizes(MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  return !mlirBlockIsNull(body) && strata_op_is(mlirBlockGetFirstOperation(body), STRATA_SIZE);
}

// All that a call writes is variable if anything is that it reads, or writes; true if that is news.
static bool spread(reader_t *reader, MlirOperation call) {
  MlirOperation func = look_up(reader->symbols, call);
  if (!strata_op_is_loop(func) && !touches_variables(reader, call) && !uses_sizes(func))
    return false;
  bool changed = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (strata_kernel_writes(func, i))
      changed |= mark_variable(reader, mlirOperationGetOperand(call, i));
  return changed;
}

static void find_variables(reader_t *reader, MlirBlock body) {
  for (bool changed = true; changed;) {
    changed = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (strata_op_is(op, "func.call"))
        changed |= spread(reader, op);
  }
}

static void list_calls(reader_t *reader, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation func = strata_op_is(op, "func.call") ? look_up(reader->symbols, op) : (MlirOperation){0};
    if (!mlirOperationIsNull(func) && !strata_op_is_loop(func))
      *strata_vector_push(reader->arena, &kernel_of(reader, func)->calls) = op;
  }
}

strata_status_t strata_calls_read(strata_compile_t *compile, strata_calls_t *out_calls) {
  *out_calls = (strata_calls_t){.is_variable = strata_pointer_map_create(compile->arena)};
  reader_t reader = {
      .arena = compile->arena,
      .calls = out_calls,
      .kernels = strata_pointer_map_create(compile->arena),
      .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module)),
  };
  MlirOperation main = strata_find_func(compile->module, "main");
  if (mlirOperationIsNull(main))
    return strata_error(STRATA_INTERNAL, "level 2: no function main");
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    list_calls(&reader, strata_func_body(functions.data[i]));
    find_variables(&reader, strata_func_body(functions.data[i]));
  }
  mlirSymbolTableDestroy(reader.symbols);
  return NULL;
}

bool strata_calls_is_constant(const strata_calls_t *calls, MlirValue value) {
  MlirValue buffer = strata_calls_buffer(value);
  return mlirValueIsAOpResult(buffer) && mlirShapedTypeHasStaticShape(mlirValueGetType(buffer)) &&
         !strata_pointer_map_get(&calls->is_variable, buffer.ptr);
}

bool strata_prepare_calls(strata_compile_t *compile, MlirOperation func) {
  return strata_calls_to(compile->arena, strata_find_func(compile->module, "prepare"), func).count > 0;
}

bool strata_kernel_is_prepared(const strata_calls_t *calls, const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(called->calls.data[i]); j++)
      if (strata_kernel_writes(called->func, j) &&
          !strata_calls_is_constant(calls, mlirOperationGetOperand(called->calls.data[i], j)))
        return false;
  return true;
}
