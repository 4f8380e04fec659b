// The pass strata-to-affine: @main on tensors becomes @main on memrefs, values become buffers, ops become loop nests.
//
//   func.func @main(%x: tensor<8xf32> {strata.name = "x"}) -> (tensor<8xf32> {strata.name = "y"}) {
//     %0 = "strata.exp"(%x) : (tensor<8xf32>) -> tensor<8xf32>   return %0 : tensor<8xf32> }
// becomes
//   func.func @main(%x: memref<8xf32> {strata.name = "x"}, %y: memref<8xf32> {strata.name = "y", strata.output}) {
//     affine.parallel (%i) = (0) to (8) { ... } {strata.nest = "exp"}   return }
//
// Composite ops must be expanded. What nothing depends on is left out.
#include "lowering/strata_to_affine/lower.h"
#include "lowering/pipeline.h"
#include "passes/target.h"

// |status| with the name or place of the op it is about.
static strata_status_t located(strata_status_t status, MlirOperation op) {
  char text[160];
  strata_location_text(mlirOperationGetLocation(op), text, sizeof text);
  return *text ? strata_status_context(status, "%s", text) : status;
}

//===-- Tensors --------------------------------------------------------------------------------------------------===//

strata__tensor_t *strata__tensor(strata__lowering_t *l, MlirValue value) {
  return l->tensors.data[*strata_pointer_map_get(&l->tensor_index, value.ptr)];
}

strata__tensor_t *strata__operand(strata__lowering_t *l, MlirOperation op, int index) {
  return strata__tensor(l, mlirOperationGetOperand(op, index));
}

strata__tensor_t *strata__result(strata__lowering_t *l, MlirOperation op, int index) {
  return strata__tensor(l, mlirOperationGetResult(op, index));
}

bool strata__is_empty(const strata__tensor_t *tensor) {
  for (int i = 0; i < tensor->rank; i++)
    if (strata_size_max(tensor->sizes[i]) == 0)
      return true;
  return false;
}

static strata_status_t new_tensor(strata__lowering_t *l, MlirType type, strata__tensor_t **out) {
  strata_shape_t shape = strata_shape_from_type(type);
  strata_size_t *sizes = strata_arena_array(l->compile->arena, strata_size_t, STRATA_MAX_RANK);
  if (shape.type == STRATA_TYPE_COUNT)
    return strata_error(STRATA_UNSUPPORTED, "a value that is no ranked tensor of a supported element type");
  for (int i = 0; i < shape.rank; i++)
    sizes[i] = strata_size_of_expr(&l->symbols, shape.dims[i]);
  if (!strata_sizes_vary(shape.rank, sizes) && strata_type_storage_size(shape.type, strata_shape_count(&shape)) < 0)
    return strata_error(STRATA_UNSUPPORTED, "a tensor whose size overflows");
  *out = strata_arena_new(l->compile->arena, strata__tensor_t);
  **out = (strata__tensor_t){.type = shape.type, .rank = shape.rank, .sizes = sizes};
  return NULL;
}

static strata_status_t add_value(strata__lowering_t *l, MlirValue value) {
  strata__tensor_t *tensor;
  STRATA_TRY(new_tensor(l, mlirValueGetType(value), &tensor));
  *strata_pointer_map_put(&l->tensor_index, value.ptr) = (int64_t)l->tensors.count;
  *strata_vector_push(l->compile->arena, &l->tensors) = tensor;
  return NULL;
}

static strata_status_t add_all_values(strata__lowering_t *l, MlirBlock graph) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(graph); i++)
    STRATA_TRY(add_value(l, mlirBlockGetArgument(graph, i)));
  for (MlirOperation op = mlirBlockGetFirstOperation(graph); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      STRATA_TRY(located(add_value(l, mlirOperationGetResult(op, i)), op));
  return NULL;
}

//===-- The function ---------------------------------------------------------------------------------------------===//

static MlirNamedAttribute named_attr(MlirContext context, const char *name, MlirAttribute attr) {
  return mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(name)), attr);
}

// |attrs| (a dictionary, or null) with strata.output where |is_output|, and strata.type where memory holds the elements
// of |type| in another form.
static MlirAttribute argument_attrs(MlirContext context, MlirAttribute attrs, bool is_output, MlirType type) {
  enum { MAX_ATTRS = 8 };
  MlirNamedAttribute named[MAX_ATTRS + 2];
  intptr_t count = mlirAttributeIsNull(attrs) ? 0 : mlirDictionaryAttrGetNumElements(attrs);
  count = count < MAX_ATTRS ? count : MAX_ATTRS;
  for (intptr_t i = 0; i < count; i++)
    named[i] = mlirDictionaryAttrGetElement(attrs, i);
  if (is_output)
    named[count++] = named_attr(context, "strata.output", mlirUnitAttrGet(context));
  strata_type_t element = strata_shape_from_type(type).type;
  if (element == STRATA_TYPE_I1 || element == STRATA_TYPE_I4)
    named[count++] = named_attr(context, "strata.type", mlirTypeAttrGet(type));
  return mlirDictionaryAttrGet(context, count, named);
}

static MlirAttribute element_or_null(MlirAttribute array, intptr_t index) {
  return mlirAttributeIsNull(array) ? array : mlirArrayAttrGetElement(array, index);
}

// A buffer for argument |index| of the new function.
static void bind_argument(strata__lowering_t *l, strata__tensor_t *tensor, intptr_t index) {
  MlirValue argument = mlirBlockGetArgument(l->body, index);
  strata__place_anywhere(l, tensor, mlirOperationGetLocation(l->main));
  tensor->buffer->memref = argument;
}

// The new function: inputs, then outputs, as memrefs. It follows the old one in the module.
static void build_function(strata__lowering_t *l, int n_inputs, int n_outputs, const MlirType *types,
                           const MlirType *tensor_types) {
  strata_arena_t *arena = l->compile->arena;
  int count = n_inputs + n_outputs;
  MlirLocation location = mlirOperationGetLocation(l->main),
               *locations = strata_arena_array(arena, MlirLocation, count);
  MlirAttribute *attrs = strata_arena_array(arena, MlirAttribute, count);
  MlirAttribute of_inputs = strata_attr(l->main, "arg_attrs"), of_outputs = strata_attr(l->main, "res_attrs");
  for (int i = 0; i < count; i++) {
    bool is_output = i >= n_inputs;
    MlirAttribute old = is_output ? element_or_null(of_outputs, i - n_inputs) : element_or_null(of_inputs, i);
    attrs[i] = argument_attrs(l->context, old, is_output, tensor_types[i]);
    locations[i] = location;
  }
  l->body = mlirBlockCreate(count, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, l->body);
  MlirType type = mlirFunctionTypeGet(l->context, count, types, 0, NULL);
  strata_named_attr_t function_attrs[] = {{"sym_name", strata_attr(l->main, "sym_name")},
                                          {"function_type", mlirTypeAttrGet(type)},
                                          {"arg_attrs", mlirArrayAttrGet(l->context, count, attrs)}};
  MlirOperation function = strata_op_create(location, "func.func", 0, NULL, 0, NULL, 3, function_attrs, 1, &region);
  strata_copy_attr(l->main, function, STRATA_SYMBOLS);
  mlirBlockInsertOwnedOperationAfter(mlirModuleGetBody(l->compile->module), l->main, function);
}

// Makes the new function with the inputs bound; *out_outputs gets the places of the results.
static strata_status_t begin_function(strata__lowering_t *l, MlirBlock graph, strata__tensor_t ***out_outputs) {
  strata_arena_t *arena = l->compile->arena;
  MlirOperation end = mlirBlockGetTerminator(graph);
  int n_inputs = (int)mlirBlockGetNumArguments(graph), n_outputs = (int)mlirOperationGetNumOperands(end);
  MlirType *types = strata_arena_array(arena, MlirType, n_inputs + n_outputs);
  MlirType *tensor_types = strata_arena_array(arena, MlirType, n_inputs + n_outputs);
  strata__tensor_t **outputs = strata_arena_array(arena, strata__tensor_t *, n_outputs);
  for (int i = 0; i < n_inputs + n_outputs; i++) {
    MlirValue value = i < n_inputs ? mlirBlockGetArgument(graph, i) : mlirOperationGetOperand(end, i - n_inputs);
    const strata__tensor_t *tensor = strata__tensor(l, value);
    types[i] = strata__memref_type(l->context, tensor->type, tensor->rank, tensor->sizes);
    tensor_types[i] = mlirValueGetType(value);
  }
  build_function(l, n_inputs, n_outputs, types, tensor_types);
  for (int i = 0; i < n_inputs; i++)
    bind_argument(l, strata__tensor(l, mlirBlockGetArgument(graph, i)), i);
  for (int i = 0; i < n_outputs; i++) {
    STRATA_TRY(new_tensor(l, mlirValueGetType(mlirOperationGetOperand(end, i)), &outputs[i]));
    bind_argument(l, outputs[i], n_inputs + i);
  }
  *out_outputs = outputs;
  return NULL;
}

//===-- Ops ------------------------------------------------------------------------------------------------------===//

static strata_status_t (*const lower_kind[])(strata__lowering_t *l, MlirOperation op) = {
    [STRATA_KIND_ELEMENTWISE] = strata__lower_elementwise,
    [STRATA_KIND_REDUCE] = strata__lower_reduce,
    [STRATA_KIND_ARG_REDUCE] = strata__lower_arg_reduce,
    [STRATA_KIND_SCAN] = strata__lower_scan,
    [STRATA_KIND_SORT] = strata__lower_sort,
    [STRATA_KIND_WINDOW] = strata__lower_window,
    [STRATA_KIND_CONTRACT] = strata__lower_contract,
    [STRATA_KIND_MOVEMENT] = strata__lower_movement,
    [STRATA_KIND_GATHER] = strata__lower_gather,
    [STRATA_KIND_SCATTER] = strata__lower_scatter,
    [STRATA_KIND_BLOCK] = strata__lower_block,
    [STRATA_KIND_SEGMENT] = strata__lower_segment,
    [STRATA_KIND_TREES] = strata__lower_trees,
    [STRATA_KIND_SUPPRESS] = strata__lower_suppress,
    [STRATA_KIND_GENERATE] = strata__lower_generate,
};

static strata_status_t lower_op(strata__lowering_t *l, MlirOperation op) {
  strata_op_id_t id = strata_op_id(op);
  bool is_live = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    is_live |= strata__result(l, op, (int)i)->is_live;
  if (!is_live || strata__is_empty(strata__result(l, op, 0)))
    return NULL;
  if (id == STRATA_OP_COUNT)
    return strata__lower_loop(l, op);
  if (strata__is_widened_on_reading(l, op)) {
    strata__define_widened(l, op);
    return NULL;
  }
  // Views and constants name buffers that exist.
  if (!strata__is_view_op(id) && id != STRATA_OP_CONSTANT)
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      strata__place_anywhere(l, strata__result(l, op, (int)i), mlirOperationGetLocation(op));
  return lower_kind[strata_op_info[id].kind](l, op);
}

static strata_status_t check_ops(strata__lowering_t *l, MlirBlock graph) {
  MlirOperation end = mlirBlockGetTerminator(graph);
  for (MlirOperation op = mlirBlockGetFirstOperation(graph); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = strata_op_name(op);
    if (strata_op_id(op) == STRATA_OP_COUNT && mlirOperationIsNull(strata_called_loop(&l->loops, op)))
      return located(strata_error(STRATA_UNSUPPORTED, "strata-to-affine: '%.*s' is no primitive of the strata dialect",
                                  (int)name.length, name.data),
                     op);
  }
  return NULL;
}

static strata_status_t lower_graph(strata__lowering_t *l, MlirBlock graph) {
  strata__tensor_t **outputs;
  MlirOperation end = mlirBlockGetTerminator(graph);
  intptr_t n_outputs = mlirOperationGetNumOperands(end);
  bool *copied = strata_arena_array(l->compile->arena, bool, n_outputs);
  STRATA_TRY(check_ops(l, graph));
  STRATA_TRY(add_all_values(l, graph));
  STRATA_TRY(begin_function(l, graph, &outputs));
  strata__place_all(l, graph, outputs, copied);
  for (MlirOperation op = mlirBlockGetFirstOperation(graph); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    STRATA_TRY(located(lower_op(l, op), op));
  for (intptr_t i = 0; i < n_outputs; i++)
    if (copied[i])
      strata__copy(l, end, strata__operand(l, end, (int)i), outputs[i]);
  strata_emitter_t e = {.context = l->context, .location = mlirOperationGetLocation(end), .block = l->body};
  strata_emit_op(&e, "func.return", 0, NULL, 0, NULL, 0, NULL);
  return NULL;
}

static MlirAttribute fast_math(strata__lowering_t *l, const char *flags) {
  return mlirAttributeParseGet(l->context, strata_str(flags));
}

// Elementwise ops meet where they are fused: on the cpu, whose kernels wait for memory, a product and a sum stay two
// roundings there, so that results are the same however they are fused.
static void set_fast_math(strata__lowering_t *l) {
  bool is_gpu = strata_target_is_gpu(l->compile);
  l->fast_math_of_products = fast_math(l, "#arith.fastmath<reassoc,contract,arcp,afn>");
  l->fast_math = is_gpu ? l->fast_math_of_products : fast_math(l, "#arith.fastmath<reassoc,arcp,afn>");
  l->fast_math_of_shifts = fast_math(l, is_gpu ? "#arith.fastmath<contract,arcp,afn>" : "#arith.fastmath<arcp,afn>");
  // LLVM moves signs and factors into a quotient next to it, which gets their flags.
  l->fast_math_of_decided = fast_math(l, is_gpu ? "#arith.fastmath<contract,afn>" : "#arith.fastmath<afn>");
}

static strata_status_t lower_function(strata__lowering_t *l, MlirOperation func) {
  strata_arena_t *arena = l->compile->arena;
  l->main = func;
  l->tensor_index = strata_pointer_map_create(arena);
  l->concats = strata_pointer_map_create(arena);
  l->sliced = strata_pointer_map_create(arena);
  l->tensors.count = 0;
  for (size_t i = 0; i < l->constants.count; i++)
    l->constants.data[i]->memref = (MlirValue){0}; // of the function before
  STRATA_TRY(lower_graph(l, strata_func_body(func)));
  mlirOperationDestroy(func);
  return NULL;
}

strata_status_t strata_pass_strata_to_affine(strata_compile_t *compile) {
  strata__lowering_t l = {
      .compile = compile, .context = compile->context, .constant_index = strata_pointer_map_create(compile->arena)};
  MlirOperation main = strata_find_func(compile->module, "main");
  if (mlirOperationIsNull(main) || mlirBlockIsNull(strata_func_body(main)))
    return strata_error(STRATA_INVALID_ARGUMENT, "the module has no function @main");
  l.symbols = strata_symbols_of(compile->arena, main);
  if (!compile->options->disable_fast_math)
    set_fast_math(&l);
  strata_remove_unused_loops(compile->arena, compile->module);
  l.loops = strata_loop_table(compile->arena, compile->module);
  strata_functions_t functions = strata_running_functions(compile->arena, compile->module);
  for (size_t i = 0; i < functions.count; i++)
    STRATA_TRY(lower_function(&l, functions.data[i]));
  strata_remove_unused_loops(compile->arena, compile->module); // calls without a reader are gone
  return NULL;
}
