// affine-narrow: on GPUs, what is only read rounded is stored rounded. The rounding moves from the readers to the
// writers, and memory traffic halves; results are the same to the bit.
//
//   affine.store %v, %t : memref<112x112x64xf32>
//   %m = affine.for ... { %x = affine.load %t ...  maximumf %a, %x }   %n = arith.truncf %m : f32 to f16
// becomes
//   %r = arith.truncf %v : f32 to f16   affine.store %r, %t : memref<112x112x64xf16>
//   %m = affine.for ... { %x = affine.load %t ...  %w = arith.extf %x  maximumf %a, %w }   %n = arith.truncf %m
//
// Roundings are seen behind guards (affine.if) and behind maxima and minima of reductions, with which they commute: the
// greatest of rounded values is the rounded greatest. Buffers are taken from the last to the first, so that a rounding
// goes up through all of them. Elementwise maxima keep theirs: they become one kernel with what comes before.
//
// A nest that converts one buffer to another is a copy afterwards, and goes where its result can be the buffer itself:
// the parts of a concat write what a contraction reads. What some readers need wide stays as it is: grouping puts the
// nest that converts it, a second and narrow copy, into the writer's kernel, and into the reader's where that moves
// fewer bytes (group_cost.c).
//
// The other way round, what is stored narrow, an input too, is widened by those who read it, not by a nest in between
// whose result they would read.
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/nest_graph.h"
#include "passes/pass.h"
#include "passes/target.h"

typedef STRATA_VECTOR(MlirOperation) ops_t;

typedef struct {
  strata_compile_t *compile;
  strata_nest_graph_t graph;
  bool *is_copy; // by node: the nest was erased
} narrowing_t;

// What happens to the elements of one buffer.
typedef struct {
  strata_arena_t *arena;
  MlirType wide, narrow;         // the latter null until a rounding is found
  bool rounds;                   // as the model says, in every mode
  ops_t loads, stores;           // of the buffer
  STRATA_VECTOR(MlirValue) seen; // values that are elements, or chosen among elements
} flow_t;

static bool is_load(MlirOperation op) { return strata_op_is(op, "affine.load") || strata_op_is(op, "memref.load"); }

static bool is_store_to(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  return mlirOpOperandGetOperandNumber(use) == 1 &&
         (strata_op_is(op, "affine.store") || strata_op_is(op, "memref.store"));
}

static bool is_rounding(MlirOperation op) {
  return strata_op_is(op, "arith.truncf") || strata_op_is(op, "arith.trunci");
}

//===-- Guards ---------------------------------------------------------------------------------------------------===//

// The affine.if that |op| is in; a null operation if it is in none.
static MlirOperation guard_of(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  return strata_op_is(parent, "affine.if") ? parent : (MlirOperation){0};
}

static MlirOperation yield_of(MlirOperation guard, int region) {
  return mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, region)));
}

// The constant that is read outside of the buffer; a null attribute where it is something else.
static MlirAttribute padding_of(MlirOperation guard) {
  MlirValue value = mlirOperationGetOperand(yield_of(guard, 1), 0);
  if (!mlirValueIsAOpResult(value) || !strata_op_is(mlirOpResultGetOwner(value), "arith.constant"))
    return (MlirAttribute){0};
  return strata_attr(mlirOpResultGetOwner(value), "value");
}

// The element that is read, or its padding; null if that is more than a number.
static MlirValue element_of(MlirOperation load) {
  MlirValue element = mlirOperationGetResult(load, 0);
  MlirOperation guard = guard_of(load);
  if (mlirOperationIsNull(guard))
    return element;
  MlirOpOperand use = mlirValueGetFirstUse(element);
  bool is_yielded = !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) &&
                    mlirOperationEqual(mlirOpOperandGetOwner(use), yield_of(guard, 0)) &&
                    mlirOperationGetNumResults(guard) == 1;
  MlirAttribute padding = is_yielded ? padding_of(guard) : (MlirAttribute){0};
  bool is_narrowed =
      !mlirAttributeIsNull(padding) && (mlirAttributeIsAFloat(padding) || mlirIntegerAttrGetValueInt(padding) == 0);
  return is_narrowed ? mlirOperationGetResult(guard, 0) : (MlirValue){0};
}

// Lets a guard that yields |load|'s element yield it narrow.
static void narrow_guard(MlirOperation guard, MlirType type) {
  MlirOperation yield = yield_of(guard, 1);
  MlirAttribute padding = padding_of(guard);
  MlirContext context = mlirOperationGetContext(guard);
  MlirAttribute narrow = mlirAttributeIsAFloat(padding)
                             ? mlirFloatAttrDoubleGet(context, type, mlirFloatAttrGetValueDouble(padding))
                             : mlirIntegerAttrGet(type, 0);
  MlirOperation constant = strata_op_create(mlirOperationGetLocation(yield), "arith.constant", 0, NULL, 1, &type, 1,
                                            &(strata_named_attr_t){"value", narrow}, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(yield), yield, constant);
  mlirOperationSetOperand(yield, 0, mlirOperationGetResult(constant, 0));
  mlirValueSetType(mlirOperationGetResult(guard, 0), type);
}

//===-- Roundings ------------------------------------------------------------------------------------------------===//

static bool takes_type(flow_t *flow, MlirType type) {
  bool is_byte_wise = mlirTypeIsAFloat(type) || mlirIntegerTypeGetWidth(type) % 8 == 0;
  if (mlirTypeIsNull(flow->narrow))
    flow->narrow = type;
  return is_byte_wise && mlirTypeEqual(flow->narrow, type);
}

static void add_seen(flow_t *flow, MlirValue value) {
  for (size_t i = 0; i < flow->seen.count; i++)
    if (mlirValueEqual(flow->seen.data[i], value))
      return;
  *strata_vector_push(flow->arena, &flow->seen) = value;
}

// What a loop carries at place |number|: within, and when it is done.
static bool follow_carried(flow_t *flow, MlirOperation loop, intptr_t number) {
  if (!strata_op_is(loop, "affine.for"))
    return false;
  add_seen(flow, mlirOperationGetResult(loop, number));
  add_seen(flow, mlirBlockGetArgument(mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)), 1 + number));
  return true;
}

static bool follow_use(flow_t *flow, MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  intptr_t number = mlirOpOperandGetOperandNumber(use);
  if (is_rounding(op)) {
    flow->rounds = flow->rounds || strata_attr_flag(op, "strata.rounds");
    return takes_type(flow, mlirValueGetType(mlirOperationGetResult(op, 0)));
  }
  if (strata_op_is(op, "affine.for")) // what its bound is made of comes first
    return follow_carried(flow, op, number - (mlirOperationGetNumOperands(op) - mlirOperationGetNumResults(op)));
  if (strata_op_is(op, "affine.yield"))
    return follow_carried(flow, mlirOperationGetParentOperation(op), number);
  bool chooses = strata_op_is(op, "arith.maximumf") || strata_op_is(op, "arith.minimumf");
  if (!chooses || !strata_op_is(mlirOperationGetParentOperation(op), "affine.for"))
    return false;
  add_seen(flow, mlirOperationGetResult(op, 0));
  return true;
}

// True if all that becomes of the values in |seen| is rounded to one type.
static bool is_rounded(flow_t *flow) {
  for (size_t i = 0; i < flow->seen.count; i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(flow->seen.data[i]); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (!follow_use(flow, use))
        return false;
  return !mlirTypeIsNull(flow->narrow);
}

static bool can_be_narrow(flow_t *flow, MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (is_store_to(use)) {
      *strata_vector_push(flow->arena, &flow->stores) = op;
    } else if (is_load(op)) {
      MlirValue element = element_of(op);
      if (mlirValueIsNull(element))
        return false;
      *strata_vector_push(flow->arena, &flow->loads) = op;
      add_seen(flow, element);
    } else {
      return false;
    }
  }
  return flow->stores.count > 0 && is_rounded(flow);
}

//===-- Storing narrow -------------------------------------------------------------------------------------------===//

// |value| in |type|, by an op before |before|.
static MlirValue cast(MlirOperation before, const char *name, MlirValue value, MlirType type) {
  MlirOperation op = strata_op_create(mlirOperationGetLocation(before), name, 1, &value, 1, &type, 0, NULL, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(before), before, op);
  return mlirOperationGetResult(op, 0);
}

static void narrow_store(const flow_t *flow, MlirOperation store) {
  const char *name = mlirTypeIsAFloat(flow->narrow) ? "arith.truncf" : "arith.trunci";
  MlirValue narrow = cast(store, name, mlirOperationGetOperand(store, 0), flow->narrow);
  if (flow->rounds)
    strata_set_attr(strata_def(narrow), "strata.rounds", mlirUnitAttrGet(mlirOperationGetContext(store)));
  mlirOperationSetOperand(store, 0, narrow);
}

// What is rounded at once takes |element| as it is, all else |widened|.
static void replace_uses(const flow_t *flow, MlirValue element, MlirValue widened) {
  ops_t users = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(element); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    *strata_vector_push(flow->arena, &users) = mlirOpOperandGetOwner(use);
  for (size_t i = 0; i < users.count; i++) {
    if (mlirOperationEqual(users.data[i], mlirOpResultGetOwner(widened)))
      continue;
    if (is_rounding(users.data[i])) {
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(users.data[i], 0), element);
      mlirOperationDestroy(users.data[i]);
      continue;
    }
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(users.data[i]); j++)
      if (mlirValueEqual(mlirOperationGetOperand(users.data[i], j), element))
        mlirOperationSetOperand(users.data[i], j, widened);
  }
}

static void narrow_load(const flow_t *flow, MlirOperation load) {
  const char *name = mlirTypeIsAFloat(flow->narrow) ? "arith.extf" : "arith.extsi";
  MlirOperation guard = guard_of(load), last = mlirOperationIsNull(guard) ? load : guard;
  mlirValueSetType(mlirOperationGetResult(load, 0), flow->narrow);
  if (!mlirOperationIsNull(guard))
    narrow_guard(guard, flow->narrow);
  MlirValue element = mlirOperationGetResult(last, 0);
  MlirValue widened = cast(mlirOperationGetNextInBlock(last), name, element, flow->wide);
  replace_uses(flow, element, widened);
  if (!strata_value_has_uses(widened))
    mlirOperationDestroy(mlirOpResultGetOwner(widened));
}

static bool narrow_buffer(narrowing_t *narrowing, const strata_nest_buffer_t *buffer) {
  MlirType type = mlirValueGetType(buffer->value);
  flow_t flow = {.arena = narrowing->graph.arena, .wide = mlirShapedTypeGetElementType(type)};
  if (!buffer->is_alloc || buffer->is_constant || !can_be_narrow(&flow, buffer->value))
    return false;
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(buffer->value, sizes);
  mlirValueSetType(buffer->value, strata_memref_type_of(flow.narrow, rank, sizes));
  for (size_t i = 0; i < flow.stores.count; i++)
    narrow_store(&flow, flow.stores.data[i]);
  for (size_t i = 0; i < flow.loads.count; i++)
    narrow_load(&flow, flow.loads.data[i]);
  return true;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

// True if the nest does nothing but move an element from |buffer| to the same place of another buffer.
static bool is_copy_of(const strata_nest_node_t *node, MlirValue buffer) {
  const strata_nest_t *nest = node->nest;
  if (!strata_nest_is_unary(nest))
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  return mlirValueEqual(load->buffer, buffer) && mlirValueEqual(mlirOperationGetOperand(store->op, 0), load->value) &&
         mlirAffineMapEqual(load->map, store->map) &&
         mlirTypeEqual(mlirValueGetType(load->buffer), mlirValueGetType(store->buffer));
}

// Makes the copies of a buffer that is written before, and never after, the buffer itself.
static void drop_copies(narrowing_t *narrowing, const strata_nest_buffer_t *buffer) {
  for (size_t i = 0; i < buffer->readers.count; i++) {
    int reader = buffer->readers.data[i];
    const strata_nest_node_t *node = &narrowing->graph.nodes.data[reader];
    if (narrowing->is_copy[reader] || buffer->writer > reader || !is_copy_of(node, buffer->value))
      continue;
    MlirValue copy = node->nest->accesses[1].buffer;
    const int64_t *index = strata_pointer_map_get(&narrowing->graph.buffer_of, copy.ptr);
    const strata_nest_buffer_t *record = &narrowing->graph.buffers.data[*index - 1];
    if (!record->is_alloc || record->n_stores != 1)
      continue;
    narrowing->is_copy[reader] = true;
    mlirOperationDestroy(node->nest->op);
    mlirValueReplaceAllUsesOfWith(copy, buffer->value);
    mlirOperationDestroy(mlirOpResultGetOwner(copy));
  }
}

//===-- Widening -------------------------------------------------------------------------------------------------===//

static const strata_nest_buffer_t *record_of(const narrowing_t *narrowing, MlirValue buffer) {
  const int64_t *index = strata_pointer_map_get(&narrowing->graph.buffer_of, buffer.ptr);
  return &narrowing->graph.buffers.data[*index - 1];
}

// True of a map that gives each dim longer than 1 a coordinate of its own.
static bool is_permutation(const strata_nest_t *nest, MlirAffineMap map) {
  uint32_t seen = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsADim(expr))
      seen |= 1u << mlirAffineDimExprGetPosition(expr);
    else if (!mlirAffineExprIsAConstant(expr) || mlirAffineConstantExprGetValue(expr) != 0)
      return false;
  }
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (!strata_size_is_one(nest->space.sizes[dim]) && !(seen >> dim & 1))
      return false;
  return true;
}

// True of what is in memory when |number| runs and stays as it is: an input, or written before.
static bool is_settled(const strata_nest_buffer_t *buffer, int number) {
  return buffer->is_alloc ? !buffer->is_constant && buffer->writer < number
                          : mlirValueIsABlockArgument(buffer->value) && buffer->n_stores == 0;
}

// True if the nest does nothing but widen what one buffer holds on its way to another.
static bool is_widening(const narrowing_t *narrowing, const strata_nest_node_t *node, int number) {
  const strata_nest_t *nest = node->nest;
  if (!nest || !strata_nest_is_unary(nest) || !is_permutation(nest, nest->accesses[1].map))
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  MlirValue value = mlirOperationGetOperand(store->op, 0);
  MlirOperation op = strata_def(value);
  bool widens = !mlirOperationIsNull(op) && (strata_op_is(op, "arith.extf") || strata_op_is(op, "arith.extsi")) &&
                mlirValueEqual(mlirOperationGetOperand(op, 0), load->value);
  const strata_nest_buffer_t *from = record_of(narrowing, load->buffer), *to = record_of(narrowing, store->buffer);
  return widens && is_settled(from, number) && to->is_alloc && to->n_stores == 1;
}

// True if all that read the buffer, the |flow|'s loads, may widen it themselves: no contraction, which would no longer
// read what it multiplies, and none that rounds it to a third type.
static bool can_be_widened(const narrowing_t *narrowing, const strata_nest_buffer_t *buffer, flow_t *flow) {
  for (size_t i = 0; i < buffer->readers.count; i++)
    if (narrowing->graph.nodes.data[buffer->readers.data[i]].class == STRATA_NEST_ANCHOR)
      return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer->value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (is_store_to(use))
      continue;
    if (!strata_op_is(op, "affine.load") || !mlirOperationIsNull(guard_of(op)))
      return false;
    *strata_vector_push(flow->arena, &flow->loads) = op;
    for (MlirOpOperand next = mlirValueGetFirstUse(mlirOperationGetResult(op, 0)); !mlirOpOperandIsNull(next);
         next = mlirOpOperandGetNextUse(next))
      if (is_rounding(mlirOpOperandGetOwner(next)) &&
          !takes_type(flow, mlirValueGetType(mlirOperationGetResult(mlirOpOperandGetOwner(next), 0))))
        return false;
  }
  return true;
}

// Lets |access| of |reader| read where the widening nest does.
static void read_before(const strata_nest_t *widening, const strata_nest_t *reader, const strata_access_t *access) {
  const strata_access_t *load = &widening->accesses[0], *store = &widening->accesses[1];
  MlirContext context = mlirAffineMapGetContext(load->map);
  MlirAffineExpr dims[STRATA_MAX_DIMS];
  for (int dim = 0; dim < widening->n_parallel; dim++)
    dims[dim] = mlirAffineConstantExprGet(context, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(store->map); i++)
    if (mlirAffineExprIsADim(mlirAffineMapGetResult(store->map, i)))
      dims[mlirAffineDimExprGetPosition(mlirAffineMapGetResult(store->map, i))] =
          mlirAffineMapGetResult(access->map, i);
  MlirAffineMap point = mlirAffineMapGet(context, reader->n_parallel + reader->n_reduction, reader->space.n_symbols,
                                         widening->n_parallel, dims);
  mlirOperationSetOperand(access->op, 0, load->buffer);
  strata_nest_set_map(access->op, strata_affine_compose(load->map, point, &reader->space), reader->dims);
}

// Lets the readers of what a nest widens read what it reads; the nest goes.
static void drop_widening(narrowing_t *narrowing, int number) {
  const strata_nest_node_t *node = &narrowing->graph.nodes.data[number];
  if (!is_widening(narrowing, node, number))
    return;
  MlirValue from = node->nest->accesses[0].buffer, to = node->nest->accesses[1].buffer;
  const strata_nest_buffer_t *widened = record_of(narrowing, to);
  flow_t flow = {.arena = narrowing->graph.arena,
                 .wide = mlirShapedTypeGetElementType(mlirValueGetType(to)),
                 .narrow = mlirShapedTypeGetElementType(mlirValueGetType(from))};
  if (!can_be_widened(narrowing, widened, &flow))
    return;
  for (size_t i = 0; i < widened->readers.count; i++) {
    const strata_nest_node_t *reader = &narrowing->graph.nodes.data[widened->readers.data[i]];
    for (size_t j = 0; j < reader->buffers.count; j++)
      if (mlirValueEqual(reader->nest->accesses[j].buffer, to))
        read_before(node->nest, reader->nest, &reader->nest->accesses[j]);
  }
  for (size_t i = 0; i < flow.loads.count; i++)
    narrow_load(&flow, flow.loads.data[i]);
  mlirOperationDestroy(node->nest->op);
  mlirOperationDestroy(mlirOpResultGetOwner(to));
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_status_t narrow_function(strata_compile_t *compile, MlirOperation func) {
  narrowing_t narrowing = {.compile = compile};
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &narrowing.graph));
  size_t n_buffers = narrowing.graph.buffers.count;
  narrowing.is_copy = strata_arena_array(compile->arena, bool, narrowing.graph.nodes.count);
  bool *is_narrow = strata_arena_array(compile->arena, bool, n_buffers);
  // A buffer's number is that of its first access, so that readers' buffers come after the ones they read.
  for (size_t i = n_buffers; i-- > 0;)
    is_narrow[i] = narrow_buffer(&narrowing, &narrowing.graph.buffers.data[i]);
  for (size_t i = n_buffers; i-- > 0;) // a copy of a copy before the copy, which then is no buffer any more
    if (is_narrow[i])
      drop_copies(&narrowing, &narrowing.graph.buffers.data[i]);
  // Nests have gone: read again. The last first, so that what is widened twice is read as it was.
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &narrowing.graph));
  for (size_t i = narrowing.graph.nodes.count; i-- > 0;)
    drop_widening(&narrowing, (int)i);
  return NULL;
}

strata_status_t strata_pass_affine_narrow(strata_compile_t *compile) {
  return strata_target_is_gpu(compile) ? strata_for_each_nest_function(compile, narrow_function) : NULL;
}
