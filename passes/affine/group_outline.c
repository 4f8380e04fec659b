// Groups become functions; see group.h.
//
// The nests move out of @main, the private buffers with them; calls follow in the order of the groups. A function equal
// to an earlier one, but for the values it is called with, is that function: the text of both, printed with the same
// name, is compared.
#include "passes/affine/group.h"

#include "dialects/affine/schedule.h"
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/printed.h"
#include "passes/affine/touched.h"
#include "passes/target.h"

#include <stdlib.h>

typedef struct {
  strata_ints_t inputs, outputs, privates; // buffers
} arguments_t;

// A kernel made so far.
typedef struct kernel {
  strata_printed_t printed;
  MlirAttribute symbol;
  struct kernel *next; // in the same bucket
} kernel_t;

typedef struct {
  strata_grouping_t *grouping;
  MlirContext context;
  MlirLocation location;
  MlirSymbolTable symbols;
  MlirOperation end; // of @main: calls go before it
  int n_kernels;
  size_t n_buckets;
  kernel_t **buckets;
  int *role; // by buffer: 1 + the last group that has it among its arguments
} outliner_t;

//===-- Arguments ------------------------------------------------------------------------------------------------===//

static bool group_stores(const strata_grouping_t *grouping, const strata_group_t *group, int buffer) {
  int n_group = (int)(group - grouping->groups.data);
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  if (record->n_stores == 1)
    return strata_group_has(grouping, n_group, record->writer);
  for (size_t i = 0; i < group->members.count; i++) {
    const strata_nest_node_t *node = &grouping->graph.nodes.data[group->members.data[i]];
    for (size_t j = 0; j < node->buffers.count; j++)
      if (node->nest->accesses[j].is_store && node->buffers.data[j] == buffer)
        return true;
  }
  return false;
}

// A buffer is private if one nest of the group stores it and nobody outside of the group sees it. What a scalar nest
// keeps to itself is memory, of which the threads of a GPU have none of their own, and tasks none of a size that
// varies.
static bool is_private(const strata_grouping_t *grouping, const strata_group_t *group, int buffer) {
  bool is_scalar = group->kind == STRATA_NEST_SCALAR;
  bool varies = !mlirShapedTypeHasStaticShape(mlirValueGetType(grouping->graph.buffers.data[buffer].value));
  return !(is_scalar && (varies || strata_target_is_gpu(grouping->compile))) &&
         strata_group_keeps(grouping, &group->members, buffer);
}

bool strata_group_interferes(const strata_nest_node_t *record, int i, const strata_nest_node_t *other) {
  const strata_access_t *access = &record->nest->accesses[i];
  for (size_t j = 0; j < other->buffers.count; j++) {
    const strata_access_t *its = &other->nest->accesses[j];
    if (other->buffers.data[j] == record->buffers.data[i] && its->is_store != access->is_store &&
        strata_accesses_meet(record->nest, access, other->nest, its))
      return true;
  }
  return false;
}

// True if |node| reads of |buffer|, which the group stores parts of, what no member stores.
static bool reads_apart(const strata_grouping_t *grouping, const strata_group_t *group, const strata_nest_node_t *node,
                        int buffer) {
  bool reads = false;
  for (size_t i = 0; i < node->buffers.count; i++) {
    if (node->buffers.data[i] != buffer || node->nest->accesses[i].is_store)
      continue;
    for (size_t j = 0; j < group->members.count; j++)
      if (strata_group_interferes(node, (int)i, &grouping->graph.nodes.data[group->members.data[j]]))
        return false;
    reads = true;
  }
  return reads;
}

// A buffer written in parts, of which the group reads other parts than it writes, is an argument for each: to the
// levels below what is read has been there before.
static bool is_read_apart(const strata_grouping_t *grouping, const strata_group_t *group, int buffer) {
  bool reads = false;
  if (grouping->graph.buffers.data[buffer].n_stores < 2)
    return false;
  for (size_t i = 0; i < group->members.count && !reads; i++)
    reads = reads_apart(grouping, group, &grouping->graph.nodes.data[group->members.data[i]], buffer);
  return reads;
}

static arguments_t find_arguments(outliner_t *outliner, const strata_group_t *group) {
  const strata_grouping_t *grouping = outliner->grouping;
  strata_arena_t *arena = grouping->graph.arena;
  int stamp = (int)(group - grouping->groups.data) + 1;
  arguments_t arguments = {0};
  for (size_t i = 0; i < group->members.count; i++) {
    const strata_ints_t *buffers = &grouping->graph.nodes.data[group->members.data[i]].buffers;
    for (size_t j = 0; j < buffers->count; j++) {
      int buffer = buffers->data[j];
      if (outliner->role[buffer] == stamp)
        continue;
      outliner->role[buffer] = stamp;
      if (is_private(grouping, group, buffer))
        *strata_vector_push(arena, &arguments.privates) = buffer;
      else {
        bool is_stored = group_stores(grouping, group, buffer);
        if (!is_stored || is_read_apart(grouping, group, buffer))
          *strata_vector_push(arena, &arguments.inputs) = buffer;
        if (is_stored)
          *strata_vector_push(arena, &arguments.outputs) = buffer;
      }
    }
  }
  return arguments;
}

static MlirValue buffer_value(const outliner_t *outliner, int buffer) {
  return outliner->grouping->graph.buffers.data[buffer].value;
}

//===-- The function ---------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_group_values_t *values;
  MlirBlock block;
  MlirOperation nest; // whose body is walked
} mover_t;

static bool is_inside(MlirOperation op, MlirOperation outer) {
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    if (mlirOperationEqual(op, outer))
      return true;
  return false;
}

// A scalar constant of @main that the nest uses, or arithmetic on sizes, is copied in front of the nest.
static MlirValue copy_op(mover_t *mover, MlirOperation op) {
  MlirOperation copy = mlirOperationClone(op);
  mlirBlockInsertOwnedOperationBefore(mover->block, mover->nest, copy);
  return mlirOperationGetResult(copy, 0);
}

// The value of the function that operand |i| of |op| becomes; NULL if it is none.
static const int64_t *value_inside(const mover_t *mover, MlirOperation op, intptr_t i) {
  const void *value = mlirOperationGetOperand(op, i).ptr;
  bool is_stored = i == 1 && (strata_op_is(op, "affine.store") || strata_op_is(op, "memref.store"));
  const int64_t *stored = is_stored ? strata_pointer_map_get(&mover->values->stored, value) : NULL;
  return stored ? stored : strata_pointer_map_get(&mover->values->read, value);
}

static bool is_in_block(const mover_t *mover, MlirOperation op) {
  return mlirBlockEqual(mlirOperationGetBlock(op), mover->block);
}

static MlirWalkResult replace_operands(MlirOperation op, void *user) {
  mover_t *mover = user;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    const int64_t *inside = value_inside(mover, op, i);
    if (inside) {
      mlirOperationSetOperand(op, i, (MlirValue){.ptr = (void *)(intptr_t)*inside});
      continue;
    }
    if (!mlirValueIsAOpResult(value))
      continue;
    MlirOperation owner = mlirOpResultGetOwner(value);
    if (strata_op_is(owner, "arith.constant") && !is_inside(owner, mover->nest))
      mlirOperationSetOperand(op, i, copy_op(mover, owner));
    if (strata_op_is(owner, "affine.apply") && !is_inside(owner, mover->nest) && !is_in_block(mover, owner)) {
      mlirOperationSetOperand(op, i, copy_op(mover, owner));
      replace_operands(mlirOpResultGetOwner(mlirOperationGetOperand(op, i)), user);
    }
    if (strata_op_is(owner, STRATA_SIZE) && !is_in_block(mover, owner))
      mlirOperationSetOperand(
          op, i, strata_symbol_value(mover->block, strata_symbol_of_value(value), mlirOperationGetLocation(owner)));
  }
  return MlirWalkResultAdvance;
}

void strata_group_rewire(MlirBlock block, MlirOperation nest, const strata_group_values_t *values) {
  mover_t mover = {values, block, nest};
  mlirOperationWalk(nest, replace_operands, &mover, MlirWalkPreOrder);
}

static void move_to(MlirBlock block, MlirOperation op) {
  mlirOperationRemoveFromParent(op);
  mlirBlockAppendOwnedOperation(block, op);
}

strata_group_values_t strata_group_values_create(strata_arena_t *arena) {
  return (strata_group_values_t){strata_pointer_map_create(arena), strata_pointer_map_create(arena)};
}

MlirBlock strata_group_block(const strata_grouping_t *grouping, const strata_ints_t *inputs,
                             const strata_ints_t *outputs, strata_group_values_t *values) {
  size_t count = inputs->count + outputs->count;
  MlirType *types = strata_arena_array(grouping->graph.arena, MlirType, count);
  MlirLocation *locations = strata_arena_array(grouping->graph.arena, MlirLocation, count);
  MlirValue *buffers = strata_arena_array(grouping->graph.arena, MlirValue, count);
  for (size_t i = 0; i < count; i++) {
    int buffer = i < inputs->count ? inputs->data[i] : outputs->data[i - inputs->count];
    buffers[i] = grouping->graph.buffers.data[buffer].value;
    types[i] = mlirValueGetType(buffers[i]);
    locations[i] = mlirOperationGetLocation(grouping->graph.func);
  }
  MlirBlock block = mlirBlockCreate((intptr_t)count, types, locations);
  for (size_t i = 0; i < count; i++) {
    int64_t argument = (int64_t)(intptr_t)mlirBlockGetArgument(block, (intptr_t)i).ptr;
    *strata_pointer_map_put(&values->stored, buffers[i].ptr) = argument;
    int64_t *read = strata_pointer_map_put(&values->read, buffers[i].ptr);
    *read = *read ? *read : argument; // of one that is read apart, the input
  }
  return block;
}

MlirOperation strata_group_function(const strata_grouping_t *grouping, MlirBlock block) {
  MlirLocation location = mlirOperationGetLocation(grouping->graph.func);
  MlirContext context = grouping->compile->context;
  mlirBlockAppendOwnedOperation(block, strata_op_create(location, "func.return", 0, NULL, 0, NULL, 0, NULL, 0, NULL));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, block);
  strata_named_attr_t attrs[] = {
      {"sym_name", strata_str_attr(context, "k")},
      {"function_type", mlirTypeAttrGet(strata_block_function_type(grouping->graph.arena, block))},
      {"sym_visibility", strata_str_attr(context, "private")},
  };
  return strata_op_create(location, "func.func", 0, NULL, 0, NULL, 3, attrs, 1, &region);
}

// The group's nests, moved into a function that is in no module yet.
static MlirOperation move_group(outliner_t *outliner, const strata_group_t *group, const arguments_t *arguments) {
  const strata_grouping_t *grouping = outliner->grouping;
  strata_group_values_t values = strata_group_values_create(grouping->graph.arena);
  MlirBlock block = strata_group_block(grouping, &arguments->inputs, &arguments->outputs, &values);
  for (size_t i = 0; i < arguments->privates.count; i++) {
    MlirValue buffer = buffer_value(outliner, arguments->privates.data[i]);
    if (group->is_attention) // rows of other widths would stand in the way of dims that are to be one
      strata_group_drop_padding(grouping, arguments->privates.data[i], buffer);
    move_to(block, mlirOpResultGetOwner(buffer));
    strata_group_rewire(block, mlirOpResultGetOwner(buffer), &values);
  }
  for (size_t i = 0; i < group->members.count; i++) {
    MlirOperation nest = grouping->graph.nodes.data[group->members.data[i]].nest->op;
    move_to(block, nest);
    strata_group_rewire(block, nest, &values);
  }
  MlirOperation func = strata_group_function(grouping, block);
  if (group->is_attention)
    strata_schedule_write(func, &(strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION});
  return func;
}

//===-- Equal functions ------------------------------------------------------------------------------------------===//

// The symbol of the function: an earlier one that is equal, which |func| then gives way to, or its own.
static MlirAttribute intern(outliner_t *outliner, MlirOperation func) {
  strata_arena_t *arena = outliner->grouping->graph.arena;
  strata_printed_t printed = strata_print_func(arena, func, false);
  kernel_t **bucket = &outliner->buckets[printed.hash & (outliner->n_buckets - 1)];
  for (kernel_t *kernel = *bucket; kernel; kernel = kernel->next)
    if (strata_printed_equal(&kernel->printed, &printed)) {
      mlirOperationDestroy(func);
      return kernel->symbol;
    }
  strata_set_attr(func, "sym_name",
                  strata_str_attr(outliner->context, strata_arena_printf(arena, "k%d", outliner->n_kernels++)));
  kernel_t *kernel = strata_arena_new(arena, kernel_t);
  *kernel = (kernel_t){.printed = printed,
                       .symbol = mlirSymbolTableInsert(outliner->symbols, func), // renames where the name is taken
                       .next = *bucket};
  *bucket = kernel;
  return kernel->symbol;
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

// Of the nodes that the group's nests come from.
static MlirLocation fuse_locations(const outliner_t *outliner, const strata_group_t *group) {
  const strata_nest_graph_t *graph = &outliner->grouping->graph;
  MlirLocation *locations = strata_arena_array(graph->arena, MlirLocation, group->members.count);
  for (size_t i = 0; i < group->members.count; i++)
    locations[i] = mlirOperationGetLocation(graph->nodes.data[group->members.data[i]].nest->op);
  return mlirLocationFusedGet(outliner->context, (intptr_t)group->members.count, locations, (MlirAttribute){NULL});
}

static void create_call(outliner_t *outliner, MlirLocation location, MlirAttribute symbol,
                        const arguments_t *arguments) {
  size_t count = arguments->inputs.count + arguments->outputs.count;
  MlirValue *operands = strata_arena_array(outliner->grouping->graph.arena, MlirValue, count);
  for (size_t i = 0; i < count; i++)
    operands[i] = i < arguments->inputs.count
                      ? buffer_value(outliner, arguments->inputs.data[i])
                      : buffer_value(outliner, arguments->outputs.data[i - arguments->inputs.count]);
  MlirAttribute callee = mlirFlatSymbolRefAttrGet(outliner->context, mlirStringAttrGetValue(symbol));
  MlirOperation call = strata_op_create(location, "func.call", (int)count, operands, 0, NULL, 1,
                                        &(strata_named_attr_t){"callee", callee}, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(strata_func_body(outliner->grouping->graph.func), outliner->end, call);
}

static void outline_group(outliner_t *outliner, strata_group_t *group) {
  qsort(group->members.data, group->members.count, sizeof(int), strata_compare_ints); // the nests' own order
  arguments_t arguments = find_arguments(outliner, group);
  MlirLocation location = fuse_locations(outliner, group); // while there are nests
  MlirAttribute symbol = intern(outliner, move_group(outliner, group, &arguments));
  MlirStringRef name = mlirStringAttrGetValue(symbol);
  group->kernel = strata_arena_printf(outliner->grouping->graph.arena, "%.*s", (int)name.length, name.data);
  create_call(outliner, location, symbol, &arguments);
}

// Groups by their places in the order.
static int *sorted_groups(strata_grouping_t *grouping) {
  size_t count = grouping->graph.nodes.count;
  int *at_place = strata_arena_array(grouping->graph.arena, int, count);
  for (size_t i = 0; i < grouping->groups.count; i++)
    at_place[strata_group_order_place(grouping->order, grouping->groups.data[i].members.data[0])] = (int)i + 1;
  int *sorted = strata_arena_array(grouping->graph.arena, int, grouping->groups.count);
  for (size_t i = 0, n = 0; i < count; i++)
    if (at_place[i] > 0)
      sorted[n++] = at_place[i] - 1;
  return sorted;
}

// The first number of a new kernel: those of other functions have the first ones.
static int count_kernels(MlirModule module) {
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    count += strata_op_is_kernel(op);
  return count;
}

strata_status_t strata_group_outline(strata_grouping_t *grouping) {
  outliner_t outliner = {.grouping = grouping,
                         .context = grouping->compile->context,
                         .location = mlirOperationGetLocation(grouping->graph.func),
                         .symbols = mlirSymbolTableCreate(mlirModuleGetOperation(grouping->compile->module)),
                         .end = mlirBlockGetTerminator(strata_func_body(grouping->graph.func)),
                         .n_kernels = count_kernels(grouping->compile->module),
                         .n_buckets = 64};
  while (outliner.n_buckets < grouping->groups.count)
    outliner.n_buckets *= 2;
  outliner.buckets = strata_arena_array(grouping->graph.arena, kernel_t *, outliner.n_buckets);
  outliner.role = strata_arena_array(grouping->graph.arena, int, grouping->graph.buffers.count);
  const int *sorted = sorted_groups(grouping);
  for (size_t i = 0; i < grouping->groups.count; i++)
    outline_group(&outliner, &grouping->groups.data[sorted[i]]);
  mlirSymbolTableDestroy(outliner.symbols);
  return NULL;
}
