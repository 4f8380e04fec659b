// affine-cut-at-loops: the nests between the calls of loops become functions of their own, segments, so that the passes
// on nests meet no loop; affine-join-segments puts the calls they have become by then back in their place.
//
//   nest; nest; call @loop0(...); nest
// becomes
//   func.func @main_segment(...) attributes {strata.segment} { nest; nest }    ...
//   call @main_segment(...); call @loop0(...); call @main_segment_0(...)
//
// A buffer that one segment alone uses is its own, unless it is an argument of the function; constants and sizes are
// read by each.
#include "dialects/affine/symbols.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "passes/affine/calls.h"
#include "passes/affine/nest_functions.h"
#include "passes/pass.h"

static const char is_segment[] = "strata.segment";

//===-- Cutting --------------------------------------------------------------------------------------------------===//

enum { SHARED = -1 };

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable symbols;
  MlirOperation func;
  strata_pointer_map_t user_of; // buffer -> 1 + the segment that uses it; SHARED
} cutter_t;

typedef struct {
  cutter_t *cutter;
  int number; // from 1
  strata_pointer_map_t argument_of;
  STRATA_VECTOR(MlirValue) shared; // buffers, which become arguments
  STRATA_VECTOR(MlirOperation) nests;
  MlirBlock block;
  MlirOperation first; // nest in the block so far
} segment_t;

static bool is_definition(MlirOperation op) {
  return strata_op_is(op, "memref.alloc") || strata_op_is(op, "memref.get_global") ||
         strata_op_is(op, "arith.constant") || strata_op_is(op, "affine.apply") || strata_op_is(op, STRATA_SIZE);
}

// Values of the function that an op in a nest uses.
static bool is_of_function(const cutter_t *cutter, MlirValue value) {
  MlirBlock body = strata_func_body(cutter->func);
  return mlirValueIsABlockArgument(value) ? mlirBlockEqual(mlirBlockArgumentGetOwner(value), body)
                                          : mlirBlockEqual(mlirOperationGetBlock(mlirOpResultGetOwner(value)), body);
}

static void use(cutter_t *cutter, MlirValue value, int user) {
  int64_t *known = strata_pointer_map_put(&cutter->user_of, value.ptr);
  *known = *known && *known != user ? SHARED : user;
}

typedef struct {
  cutter_t *cutter;
  int user;
} marker_t;

static MlirWalkResult mark_uses(MlirOperation op, void *user) {
  marker_t *marker = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_of_function(marker->cutter, mlirOperationGetOperand(op, i)))
      use(marker->cutter, mlirOperationGetOperand(op, i), marker->user);
  return MlirWalkResultAdvance;
}

static bool is_shared(const cutter_t *cutter, MlirValue value) {
  return mlirValueIsABlockArgument(value) || *strata_pointer_map_get(&cutter->user_of, value.ptr) == SHARED;
}

// Notes who uses what; returns the segments' nests.
static segment_t *read_segments(cutter_t *cutter, int *out_count) {
  STRATA_VECTOR(segment_t) segments = {0};
  strata_arena_t *arena = cutter->compile->arena;
  bool is_open = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(cutter->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_definition(op) || strata_op_is(op, "func.return"))
      continue;
    if (strata_op_is(op, "func.call")) {
      mark_uses(op, &(marker_t){cutter, SHARED});
      is_open = false;
      continue;
    }
    if (!is_open)
      *strata_vector_push(arena, &segments) = (segment_t){
          .cutter = cutter, .number = (int)segments.count + 1, .argument_of = strata_pointer_map_create(arena)};
    is_open = true;
    segment_t *segment = &segments.data[segments.count - 1];
    *strata_vector_push(arena, &segment->nests) = op;
    mlirOperationWalk(op, mark_uses, &(marker_t){cutter, segment->number}, MlirWalkPreOrder);
  }
  *out_count = (int)segments.count;
  return segments.data;
}

static MlirValue stand_for(segment_t *segment, MlirValue value);

// Puts a definition in front of the nests and behind what it is made of.
static void insert_definition(segment_t *segment, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mlirOperationSetOperand(op, i, stand_for(segment, mlirOperationGetOperand(op, i)));
  if (mlirOperationIsNull(segment->first))
    mlirBlockAppendOwnedOperation(segment->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(segment->block, segment->first, op);
}

// What stands for a value of the function in the segment: an argument, a copy of a constant, or the value itself,
// which has moved.
static MlirValue stand_for(segment_t *segment, MlirValue value) {
  cutter_t *cutter = segment->cutter;
  strata_arena_t *arena = cutter->compile->arena;
  const int64_t *known = strata_pointer_map_get(&segment->argument_of, value.ptr);
  if (known)
    return (MlirValue){(const void *)(uintptr_t)*known};
  MlirValue stand = value;
  MlirOperation def = strata_def(value);
  bool is_alloc = !mlirOperationIsNull(def) && strata_op_is(def, "memref.alloc");
  int symbol = strata_symbol_of_value(value);
  if (symbol >= 0) {
    stand = strata_symbol_value(segment->block, symbol, mlirOperationGetLocation(def));
  } else if (!mlirOperationIsNull(def) && !is_alloc) {
    MlirOperation copy = mlirOperationClone(def);
    insert_definition(segment, copy);
    stand = mlirOperationGetResult(copy, 0);
  } else if (is_shared(cutter, value)) {
    stand = mlirBlockAddArgument(segment->block, mlirValueGetType(value), mlirOperationGetLocation(cutter->func));
    *strata_vector_push(arena, &segment->shared) = value;
  } else {
    mlirOperationRemoveFromParent(def);
    insert_definition(segment, def);
  }
  *strata_pointer_map_put(&segment->argument_of, value.ptr) = (int64_t)(uintptr_t)stand.ptr;
  return stand;
}

static MlirWalkResult replace_uses(MlirOperation op, void *user) {
  segment_t *segment = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (is_of_function(segment->cutter, value))
      mlirOperationSetOperand(op, i, stand_for(segment, value));
  }
  return MlirWalkResultAdvance;
}

static MlirOperation create_segment(segment_t *segment) {
  cutter_t *cutter = segment->cutter;
  MlirContext context = cutter->compile->context;
  MlirLocation location = mlirOperationGetLocation(cutter->func);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, segment->block);
  MlirStringRef name = strata_attr_str(cutter->func, "sym_name");
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, strata_arena_printf(cutter->compile->arena, "%.*s_segment",
                                                                (int)name.length, name.data))},
      {"function_type", mlirTypeAttrGet(strata_block_function_type(cutter->compile->arena, segment->block))},
      {is_segment, mlirUnitAttrGet(context)}};
  MlirOperation func = strata_op_create(location, "func.func", 0, NULL, 0, NULL, 3, attrs, 1, &region);
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(cutter->compile->module), cutter->func, func);
  return func;
}

static void cut_segment(segment_t *segment) {
  cutter_t *cutter = segment->cutter;
  MlirLocation location = mlirOperationGetLocation(cutter->func);
  MlirOperation last = segment->nests.data[segment->nests.count - 1], next = mlirOperationGetNextInBlock(last);
  segment->block = mlirBlockCreate(0, NULL, NULL);
  for (size_t i = 0; i < segment->nests.count; i++) {
    mlirOperationWalk(segment->nests.data[i], replace_uses, segment, MlirWalkPreOrder);
    mlirOperationRemoveFromParent(segment->nests.data[i]);
    mlirBlockAppendOwnedOperation(segment->block, segment->nests.data[i]);
    segment->first = segment->nests.data[0];
  }
  mlirBlockAppendOwnedOperation(segment->block,
                                strata_op_create(location, "func.return", 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  MlirOperation func = create_segment(segment);
  MlirAttribute symbol = mlirSymbolTableInsert(cutter->symbols, func); // the name made unique
  strata_named_attr_t callee = {"callee",
                                mlirFlatSymbolRefAttrGet(cutter->compile->context, mlirStringAttrGetValue(symbol))};
  MlirOperation call = strata_op_create(location, "func.call", (int)segment->shared.count, segment->shared.data, 0,
                                        NULL, 1, &callee, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(strata_func_body(cutter->func), next, call);
}

// What has been copied into segments: the last first, which sizes are made of is in front of them.
static void remove_unused(const cutter_t *cutter) {
  STRATA_VECTOR(MlirOperation) ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(cutter->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (is_definition(op))
      *strata_vector_push(cutter->compile->arena, &ops) = op;
  for (size_t i = ops.count; i-- > 0;)
    if (!strata_value_has_uses(mlirOperationGetResult(ops.data[i], 0)))
      mlirOperationDestroy(ops.data[i]);
}

static bool has_call(MlirOperation func) {
  for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call"))
      return true;
  return false;
}

strata_status_t strata_pass_affine_cut_at_loops(strata_compile_t *compile) {
  cutter_t cutter = {.compile = compile, .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module))};
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++) {
    if (!has_call(functions.data[i]))
      continue;
    int count;
    cutter.func = functions.data[i];
    cutter.user_of = strata_pointer_map_create(compile->arena);
    segment_t *segments = read_segments(&cutter, &count);
    for (int j = 0; j < count; j++)
      cut_segment(&segments[j]);
    remove_unused(&cutter);
  }
  mlirSymbolTableDestroy(cutter.symbols);
  return NULL;
}

strata_status_t strata_for_each_nest_function(strata_compile_t *compile,
                                              strata_status_t (*visit)(strata_compile_t *compile, MlirOperation func)) {
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    if (!has_call(functions.data[i]))
      STRATA_TRY(visit(compile, functions.data[i]));
  return NULL;
}

//===-- Joining --------------------------------------------------------------------------------------------------===//

// The ops of |segment| take the place of |call|.
static void expand(MlirOperation call, MlirOperation segment) {
  MlirBlock body = strata_func_body(segment), block = mlirOperationGetBlock(call);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirOperationGetOperand(call, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_op_is(op, "func.return"))
      continue;
    if (strata_op_is(op, STRATA_SIZE)) {
      MlirValue size = mlirOperationGetResult(op, 0);
      int symbol = strata_symbol_of_value(size);
      mlirValueReplaceAllUsesOfWith(size, strata_symbol_value(block, symbol, mlirOperationGetLocation(op)));
      continue;
    }
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationBefore(block, call, op);
  }
  mlirOperationDestroy(call);
}

strata_status_t strata_pass_affine_join_segments(strata_compile_t *compile) {
  MlirSymbolTable symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module));
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    for (MlirOperation op = mlirBlockGetFirstOperation(strata_func_body(functions.data[i])), next;
         !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      if (!strata_op_is(op, "func.call"))
        continue;
      MlirOperation func = mlirSymbolTableLookup(symbols, mlirFlatSymbolRefAttrGetValue(strata_attr(op, "callee")));
      if (!mlirOperationIsNull(func) && strata_attr_flag(func, is_segment))
        expand(op, func);
    }
  for (size_t i = 0; i < functions.count; i++)
    if (strata_attr_flag(functions.data[i], is_segment))
      mlirSymbolTableErase(symbols, functions.data[i]);
  mlirSymbolTableDestroy(symbols);
  return NULL;
}
