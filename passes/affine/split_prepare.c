// affine-split-prepare: calls of @main, and of the bodies of loops, that depend on constants only move into @prepare,
// which runs once.
//
//   %w = memref.get_global @w   %p = memref.alloc   call @k0_pack(%w, %p)   call @k0(%x, %p, %y)
// becomes
//   memref.global "private" @prepared_0
//   func.func @prepare() { %w = memref.get_global @w   %p = memref.get_global @prepared_0   call @k0_pack(%w, %p) }
// and in @main
//   %p = memref.get_global @prepared_0   call @k0(%x, %p, %y)
//
// What only @prepare uses stays an allocation, there. Views (memref.collapse_shape and the like) follow their users.
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/pass.h"

typedef struct {
  strata_compile_t *compile;
  strata_functions_t functions; // @main and the bodies of loops
  MlirOperation prepare;        // null until it is needed
  strata_calls_t calls;
  MlirSymbolTable symbols;
  strata_pointer_map_t is_needed; // allocations whose contents calls that stay in @main use
  strata_pointer_map_t copy_of;   // value of @main -> 1 + index of its copy in @prepare
  STRATA_VECTOR(MlirValue) copies;
  int n_prepared;
} splitter_t;

static MlirOperation end_of(MlirOperation func) { return mlirBlockGetTerminator(strata_func_body(func)); }

static void insert_at_end(MlirOperation func, MlirOperation op) {
  mlirBlockInsertOwnedOperationBefore(strata_func_body(func), end_of(func), op);
}

// True if all the call writes is constant; then all it reads is.
static bool is_preparation(const splitter_t *splitter, MlirOperation call) {
  MlirOperation func =
      mlirSymbolTableLookup(splitter->symbols, mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee")));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!mlirShapedTypeHasStaticShape(mlirValueGetType(mlirOperationGetOperand(call, i))))
      return false; // as often as sizes change
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (strata_kernel_writes(func, i) && !strata_calls_is_constant(&splitter->calls, mlirOperationGetOperand(call, i)))
      return false;
  return true;
}

// All calls, those of the preparation and the others.
typedef struct {
  STRATA_VECTOR(MlirOperation) preparing, staying;
} parts_t;

static parts_t divide(const splitter_t *splitter) {
  parts_t parts = {0};
  for (size_t i = 0; i < splitter->functions.count; i++) {
    strata_operations_t calls = strata_calls_of(splitter->compile->arena, splitter->functions.data[i]);
    for (size_t j = 0; j < calls.count; j++)
      if (is_preparation(splitter, calls.data[j]))
        *strata_vector_push(splitter->compile->arena, &parts.preparing) = calls.data[j];
      else
        *strata_vector_push(splitter->compile->arena, &parts.staying) = calls.data[j];
  }
  return parts;
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static MlirOperation create_global_load(const splitter_t *splitter, MlirAttribute symbol, MlirValue alloc) {
  MlirType type = mlirValueGetType(alloc);
  MlirAttribute name = mlirFlatSymbolRefAttrGet(splitter->compile->context, mlirStringAttrGetValue(symbol));
  return strata_op_create(mlirOperationGetLocation(mlirOpResultGetOwner(alloc)), "memref.get_global", 0, NULL, 1, &type,
                          1, &(strata_named_attr_t){"name", name}, 0, NULL);
}

// Turns an allocation of @main that the preparation fills into a global.
static void make_global(splitter_t *splitter, MlirOperation alloc) {
  MlirValue value = mlirOperationGetResult(alloc, 0);
  const char *name = strata_arena_printf(splitter->compile->arena, "prepared_%d", splitter->n_prepared++);
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(splitter->compile->context, name)},
      {"sym_visibility", strata_str_attr(splitter->compile->context, "private")},
      {"type", mlirTypeAttrGet(mlirValueGetType(value))},
  };
  MlirOperation global =
      strata_op_create(mlirOperationGetLocation(alloc), "memref.global", 0, NULL, 0, NULL, 3, attrs, 0, NULL);
  MlirOperation load = create_global_load(splitter, mlirSymbolTableInsert(splitter->symbols, global), value);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(alloc), alloc, load);
  mlirValueReplaceAllUsesOfWith(value, mlirOperationGetResult(load, 0));
  mlirOperationDestroy(alloc);
}

// Allocations that both kinds of calls use.
static void make_globals(splitter_t *splitter, const parts_t *parts) {
  for (size_t i = 0; i < parts->staying.count; i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(parts->staying.data[i]); j++)
      *strata_pointer_map_put(&splitter->is_needed,
                              strata_calls_buffer(mlirOperationGetOperand(parts->staying.data[i], j)).ptr) = 1;
  for (size_t i = 0; i < parts->preparing.count; i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(parts->preparing.data[i]); j++) {
      MlirValue buffer = strata_calls_buffer(mlirOperationGetOperand(parts->preparing.data[i], j));
      MlirOperation owner = mlirOpResultGetOwner(buffer); // constants are not arguments
      if (strata_op_is(owner, "memref.alloc") && strata_pointer_map_get(&splitter->is_needed, buffer.ptr)) {
        strata_pointer_map_remove(&splitter->is_needed, buffer.ptr);
        make_global(splitter, owner);
      }
    }
}

//===-- The preparation ------------------------------------------------------------------------------------------===//

static MlirOperation create_prepare(splitter_t *splitter) {
  MlirContext context = splitter->compile->context;
  MlirLocation location = mlirOperationGetLocation(splitter->functions.data[0]);
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirBlockAppendOwnedOperation(block, strata_op_create(location, "func.return", 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, "prepare")},
      {"function_type", mlirTypeAttrGet(mlirFunctionTypeGet(context, 0, NULL, 0, NULL))},
  };
  MlirOperation func = strata_op_create(location, "func.func", 0, NULL, 0, NULL, 2, attrs, 1, &region);
  mlirSymbolTableInsert(splitter->symbols, func);
  return func;
}

// |value| in @prepare: the op that defines it is copied there, with what it views.
static MlirValue copy_to_prepare(splitter_t *splitter, MlirValue value) {
  int64_t *index = strata_pointer_map_put(&splitter->copy_of, value.ptr);
  if (*index)
    return splitter->copies.data[*index - 1];
  MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(value));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); i++)
    mlirOperationSetOperand(copy, i, copy_to_prepare(splitter, mlirOperationGetOperand(copy, i)));
  insert_at_end(splitter->prepare, copy);
  *strata_vector_push(splitter->compile->arena, &splitter->copies) = mlirOperationGetResult(copy, 0);
  *strata_pointer_map_put(&splitter->copy_of, value.ptr) = (int64_t)splitter->copies.count;
  return mlirOperationGetResult(copy, 0);
}

static void move_call(splitter_t *splitter, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    mlirOperationSetOperand(call, i, copy_to_prepare(splitter, mlirOperationGetOperand(call, i)));
  mlirOperationRemoveFromParent(call);
  insert_at_end(splitter->prepare, call);
}

// Buffers and views of a function that nothing uses any more, views before what they view.
static void remove_unused(const splitter_t *splitter, MlirOperation func) {
  STRATA_VECTOR(MlirOperation) ops = {0};
  MlirBlock body = strata_func_body(func);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (mlirOperationGetNumResults(op) == 1)
      *strata_vector_push(splitter->compile->arena, &ops) = op;
  for (size_t i = ops.count; i-- > 0;)
    if (!strata_value_has_uses(mlirOperationGetResult(ops.data[i], 0)))
      mlirOperationDestroy(ops.data[i]);
}

strata_status_t strata_pass_affine_split_prepare(strata_compile_t *compile) {
  splitter_t splitter = {.compile = compile,
                         .functions = strata_running_functions(compile->arena, compile->module),
                         .prepare = strata_find_func(compile->module, "prepare"),
                         .is_needed = strata_pointer_map_create(compile->arena),
                         .copy_of = strata_pointer_map_create(compile->arena)};
  if (!splitter.functions.count)
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &splitter.calls));
  splitter.symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module));
  parts_t parts = divide(&splitter);
  if (parts.preparing.count > 0) {
    if (mlirOperationIsNull(splitter.prepare))
      splitter.prepare = create_prepare(&splitter);
    make_globals(&splitter, &parts);
    for (size_t i = 0; i < parts.preparing.count; i++)
      move_call(&splitter, parts.preparing.data[i]);
    for (size_t i = 0; i < splitter.functions.count; i++)
      remove_unused(&splitter, splitter.functions.data[i]);
  }
  mlirSymbolTableDestroy(splitter.symbols);
  return NULL;
}
