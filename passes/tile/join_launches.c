// tile-join-launches: calls of one strata.launch become one call, of a kernel with the task spaces of all.
//
//   call @k0(%x, %w, %y) {strata.launch = 0}   call @k0(%x, %v, %z) {strata.launch = 0}
// becomes
//   func.func private @k0_k0(%x, %w, %y, %v, %z) { scf.forall (%t) in (64) {...}  scf.forall (%t) in (64) {...} }
//   call @k0_k0(%x, %w, %y, %v, %z)
//
// Where kernels have variants (dialects/affine/variants.h) the launch has some, each of what its kernels are there.
//
// Calls of a chain (chain_launches.c) are carried out one after the other, which the function says: tile.chain.
//
// A buffer of several calls is one argument. Launches of the same kernels whose calls share buffers alike share the
// function. The schedule is that of the first, with the threads of the largest block. Tasks that a group of another
// size carries out say so (tile.group), and products whose tiles are others have their schedule on their scf.forall;
// pipelined ones have been given equal ones.
#include "dialects/affine/schedule.h"
#include "dialects/affine/variants.h"
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"
#include "dialects/tile/tile.h"
#include "passes/affine/calls.h"
#include "passes/affine/launch_list.h"
#include "passes/affine/parallel.h"
#include "passes/pass.h"

enum { MAX_NAMES = 64 }; // of kernels in that of a launch

typedef struct joined {
  const char *key;
  MlirAttribute symbol;
  struct joined *next;
} joined_t;

typedef struct {
  strata_compile_t *compile;
  MlirSymbolTable symbols;
  joined_t *joined;
} joiner_t;

// Calls that become one: its operands, and which of them each call's are, one call after the other.
typedef struct {
  STRATA_VECTOR(MlirOperation) calls;
  STRATA_VECTOR(MlirValue) operands;
  STRATA_VECTOR(intptr_t) places;
} launch_t;

static MlirOperation callee_of(const joiner_t *j, MlirOperation call) {
  return mlirSymbolTableLookup(j->symbols, mlirFlatSymbolRefAttrGetValue(strata_attr(call, "callee")));
}

static void add_call(joiner_t *j, MlirOperation call, launch_t *launch) {
  *strata_vector_push(j->compile->arena, &launch->calls) = call;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue operand = mlirOperationGetOperand(call, i);
    size_t place = 0;
    while (place < launch->operands.count && !mlirValueEqual(launch->operands.data[place], operand))
      place++;
    if (place == launch->operands.count)
      *strata_vector_push(j->compile->arena, &launch->operands) = operand;
    *strata_vector_push(j->compile->arena, &launch->places) = (intptr_t)place;
  }
}

// Threads of the block that carries out one call after the other; 0: the calls do not depend on one another.
static int64_t chain_of(const launch_t *launch) { return strata_attr_i64(launch->calls.data[0], STRATA_CHAIN, 0); }

//===-- The function ---------------------------------------------------------------------------------------------===//

// "k0_k0", or with |places| what tells launches of the same kernels apart.
static const char *name_of(const joiner_t *j, const launch_t *launch, bool places) {
  const char *name = places && chain_of(launch) ? "chain " : "";
  for (size_t i = 0; i < launch->calls.count; i++) {
    MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(strata_attr(launch->calls.data[i], "callee"));
    name = strata_arena_printf(j->compile->arena, "%s%s%.*s", name, i ? "_" : "", (int)callee.length, callee.data);
  }
  for (size_t i = 0; places && i < launch->places.count; i++)
    name = strata_arena_printf(j->compile->arena, "%s %lld", name, (long long)launch->places.data[i]);
  return name;
}

// The same of very many: "k0_and_299", which debuggers, profilers and drivers have room for.
static const char *short_name_of(const joiner_t *j, const launch_t *launch, MlirOperation first) {
  MlirStringRef name = strata_attr_str(first, "sym_name");
  return launch->calls.count <= MAX_NAMES ? name_of(j, launch, false)
                                          : strata_arena_printf(j->compile->arena, "%.*s_and_%zu", (int)name.length,
                                                                name.data, launch->calls.count - 1);
}

static MlirBlock create_block(const joiner_t *j, const launch_t *launch, MlirLocation location) {
  size_t count = launch->operands.count;
  MlirType *types = strata_arena_array(j->compile->arena, MlirType, count);
  MlirLocation *locations = strata_arena_array(j->compile->arena, MlirLocation, count);
  for (size_t i = 0; i < count; i++) {
    types[i] = mlirValueGetType(launch->operands.data[i]);
    locations[i] = location;
  }
  return mlirBlockCreate((intptr_t)count, types, locations);
}

// What |forall|, tasks of |func|, have otherwise than those of |first|.
static void note_schedule(MlirOperation forall, MlirOperation func, MlirOperation first) {
  strata_schedule_t own = strata_schedule_read(func);
  MlirAttribute text = strata_attr(func, "strata.schedule");
  if (own.group != strata_schedule_read(first).group)
    strata_set_attr(forall, "tile.group", strata_i64_attr(mlirOperationGetContext(forall), own.group));
  if (own.kind == STRATA_KERNEL_CONTRACT && !mlirAttributeEqual(text, strata_attr(first, "strata.schedule")))
    strata_set_attr(forall, "strata.schedule", text);
}

// A copy of |func|'s ops, but for its return, on the arguments of |block| at |places|. Tasks are as the schedule of
// |first| has them unless they say otherwise.
static void append_copy(MlirOperation func, const intptr_t *places, MlirBlock block, MlirOperation first) {
  MlirOperation copy = mlirOperationClone(func);
  MlirBlock body = strata_func_body(copy);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, i), mlirBlockGetArgument(block, places[i]));
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (strata_op_is(op, "func.return"))
      continue;
    if (strata_op_is(op, "scf.forall"))
      note_schedule(op, func, first);
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(block, op);
  }
  mlirOperationDestroy(copy);
}

// Task spaces follow one another, behind whatever else there is.
static void move_tasks_to_end(MlirBlock block) {
  MlirOperation last = {NULL}, next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !mlirOperationEqual(op, last);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!strata_op_is(op, "scf.forall"))
      continue;
    last = mlirOperationIsNull(last) ? op : last;
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(block, op);
  }
}

static void set_threads(const launch_t *launch, const MlirOperation *functions, MlirOperation func) {
  strata_schedule_t schedule = strata_schedule_read(func);
  int64_t threads = chain_of(launch) ? chain_of(launch) : schedule.threads;
  for (size_t i = 0; i < launch->calls.count && !chain_of(launch); i++) {
    int64_t own = strata_schedule_read(functions[i]).threads;
    threads = own > threads ? own : threads;
  }
  if (threads == schedule.threads)
    return;
  schedule.threads = threads;
  strata_schedule_write(func, &schedule);
}

// The sum of a number that affine-count, or affine-predict, has noted on the kernels.
static void add_up(const launch_t *launch, const MlirOperation *functions, const char *name, MlirOperation func) {
  int64_t sum = 0;
  for (size_t i = 0; i < launch->calls.count; i++)
    sum += strata_attr_i64(functions[i], name, 0);
  strata_set_attr(func, name, strata_i64_attr(mlirOperationGetContext(func), sum));
}

static void set_condition(MlirOperation func, const char *name, MlirAttribute condition) {
  if (!mlirAttributeIsNull(condition))
    strata_set_attr(func, name, condition);
}

// Of the kernels, or of their variants; in no symbol table yet.
static MlirOperation create_function(joiner_t *j, const launch_t *launch, const strata_joint_variant_t *joint,
                                     const char *name) {
  MlirContext context = j->compile->context;
  const MlirOperation *functions = joint->functions, first = functions[0];
  MlirLocation location = mlirOperationGetLocation(first);
  MlirBlock block = create_block(j, launch, location);
  const intptr_t *places = launch->places.data;
  for (size_t i = 0; i < launch->calls.count; i++) {
    append_copy(functions[i], places, block, first);
    places += mlirOperationGetNumOperands(launch->calls.data[i]);
  }
  move_tasks_to_end(block);
  mlirBlockAppendOwnedOperation(block, strata_op_create(location, "func.return", 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, name)},
      {"function_type", mlirTypeAttrGet(strata_block_function_type(j->compile->arena, block))},
      {"sym_visibility", strata_str_attr(context, "private")},
      {"strata.schedule", strata_attr(first, "strata.schedule")},
  };
  MlirOperation func = strata_op_create(location, "func.func", 0, NULL, 0, NULL, 4, attrs, 1, &region);
  set_threads(launch, functions, func);
  if (chain_of(launch))
    strata_set_attr(func, STRATA_TILE_CHAIN, mlirUnitAttrGet(context));
  add_up(launch, functions, "strata.bytes", func);
  add_up(launch, functions, "strata.flops", func);
  add_up(launch, functions, "strata.predicted", func);
  set_condition(func, STRATA_WHEN, joint->when);
  set_condition(func, STRATA_UNLESS, joint->unless);
  return func;
}

// What is launched of the launch's kernels.
static strata_status_t find_variants(joiner_t *j, const launch_t *launch, strata_joint_variants_t *out) {
  MlirOperation *kernels = strata_arena_array(j->compile->arena, MlirOperation, launch->calls.count);
  for (size_t i = 0; i < launch->calls.count; i++)
    kernels[i] = callee_of(j, launch->calls.data[i]);
  return strata_variants_join(j->compile->arena, launch->calls.count, kernels, STRATA_MAX_VARIANTS + 1, out)
             ? NULL
             : strata_error(STRATA_INTERNAL, "kernels of one launch have too many variants together");
}

static strata_status_t create_functions(joiner_t *j, const launch_t *launch, MlirAttribute *out_symbol) {
  strata_joint_variants_t joint;
  STRATA_TRY(find_variants(j, launch, &joint));
  int n_variants = joint.count - 1;
  MlirOperation kernel = joint.of[n_variants].functions[0], before;
  const char *name = short_name_of(j, launch, kernel);
  MlirOperation func = before = create_function(j, launch, &joint.of[n_variants], name);
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(j->compile->module), kernel, func);
  *out_symbol = mlirSymbolTableInsert(j->symbols, func); // the name made unique
  for (int i = 0; i < n_variants; i++) {
    const char *own = strata_arena_printf(j->compile->arena, "%s_v%d", name, i + 1);
    MlirOperation variant = create_function(j, launch, &joint.of[i], own);
    mlirBlockInsertOwnedOperationAfter(mlirModuleGetBody(j->compile->module), before, variant);
    mlirSymbolTableInsert(j->symbols, variant);
    strata_variants_add(func, variant);
    before = variant;
  }
  return NULL;
}

static strata_status_t find_function(joiner_t *j, const launch_t *launch, MlirAttribute *out_symbol) {
  const char *key = name_of(j, launch, true);
  joined_t *joined = j->joined;
  while (joined && strcmp(joined->key, key))
    joined = joined->next;
  if (!joined) {
    joined = strata_arena_new(j->compile->arena, joined_t);
    *joined = (joined_t){.key = key, .next = j->joined};
    STRATA_TRY(create_functions(j, launch, &joined->symbol));
    j->joined = joined;
  }
  *out_symbol = joined->symbol;
  return NULL;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// The calls from |first| on that follow one another and have its number.
static launch_t take_launch(joiner_t *j, MlirOperation first) {
  launch_t launch = {0};
  for (MlirOperation op = first; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.call"))
      continue;
    if (strata_parallel_launch(op) != strata_parallel_launch(first))
      break;
    add_call(j, op, &launch);
  }
  return launch;
}

static MlirLocation fuse_locations(const joiner_t *j, const launch_t *launch) {
  MlirLocation *locations = strata_arena_array(j->compile->arena, MlirLocation, launch->calls.count);
  for (size_t i = 0; i < launch->calls.count; i++)
    locations[i] = mlirOperationGetLocation(launch->calls.data[i]);
  return mlirLocationFusedGet(j->compile->context, (intptr_t)launch->calls.count, locations, (MlirAttribute){NULL});
}

// The one call stands where the last did: views may have been put between them.
static strata_status_t join(joiner_t *j, const launch_t *launch, MlirOperation *out_call) {
  MlirOperation last = launch->calls.data[launch->calls.count - 1];
  MlirAttribute symbol;
  STRATA_TRY(find_function(j, launch, &symbol));
  MlirAttribute callee = mlirFlatSymbolRefAttrGet(j->compile->context, mlirStringAttrGetValue(symbol));
  MlirOperation call =
      strata_op_create(fuse_locations(j, launch), "func.call", (int)launch->operands.count, launch->operands.data, 0,
                       NULL, 1, &(strata_named_attr_t){"callee", callee}, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(last), last, call);
  strata_copy_attr(last, call, STRATA_REGION);
  strata_copy_attr(last, call, STRATA_STREAM);
  for (size_t i = 0; i < launch->calls.count; i++)
    mlirOperationDestroy(launch->calls.data[i]);
  *out_call = call;
  return NULL;
}

static strata_status_t join_calls(joiner_t *j, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.call") || strata_parallel_launch(op) < 0)
      continue;
    launch_t launch = take_launch(j, op);
    if (launch.calls.count > 1)
      STRATA_TRY(join(j, &launch, &op));
  }
  return NULL;
}

static MlirWalkResult note_callee(MlirOperation op, void *user) {
  if (strata_op_is(op, "func.call"))
    *strata_pointer_map_put(user, strata_attr(op, "callee").ptr) = true;
  return MlirWalkResultAdvance;
}

// True of a function that is called, or a variant of such.
static bool is_used(joiner_t *j, const strata_pointer_map_t *called, MlirOperation func) {
  MlirOperation kernel = mlirAttributeIsNull(strata_attr(func, STRATA_WHEN)) ? func : strata_variant_kernel(func);
  if (mlirOperationIsNull(kernel))
    return false;
  MlirStringRef name = strata_attr_str(kernel, "sym_name");
  return strata_pointer_map_get(called, mlirFlatSymbolRefAttrGet(j->compile->context, name).ptr);
}

// Kernels that were called in shared launches only, then their variants, which follow them.
static void remove_unused(joiner_t *j) {
  strata_pointer_map_t called = strata_pointer_map_create(j->compile->arena);
  mlirOperationWalk(mlirModuleGetOperation(j->compile->module), note_callee, &called, MlirWalkPreOrder);
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(j->compile->module)), next;
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    bool is_kernel =
        strata_op_is(op, "func.func") && strata_str_equal(strata_attr_str(op, "sym_visibility"), "private");
    if (is_kernel && !is_used(j, &called, op))
      mlirSymbolTableErase(j->symbols, op);
  }
}

static strata_status_t join_all(joiner_t *j) {
  strata_functions_t functions = strata_running_functions(j->compile->arena, j->compile->module);
  for (size_t i = 0; i < functions.count; i++)
    STRATA_TRY(join_calls(j, strata_func_body(functions.data[i])));
  if (j->joined)
    remove_unused(j);
  return NULL;
}

strata_status_t strata_pass_tile_join_launches(strata_compile_t *compile) {
  joiner_t j = {.compile = compile, .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(compile->module))};
  strata_status_t status = join_all(&j);
  mlirSymbolTableDestroy(j.symbols);
  return status;
}
