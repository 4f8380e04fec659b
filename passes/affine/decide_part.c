// Cutting out what a decision is about: see decide_part.h.
//
// What the part reads are inputs, or constants of the module, which are prepared as those of the whole graph are; what
// others see of what it stores are outputs. Types stay: rows that are padded are so here.
#include "passes/affine/decide_part.h"

#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/group.h"
#include "passes/affine/printed.h"
#include "passes/pass.h"
#include "runtime/base/hash.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_ARGUMENTS = 64 };

//===-- Modules --------------------------------------------------------------------------------------------------===//

// Arguments of @main as it is made: inputs, then constants, then outputs.
typedef struct {
  int n_inputs, n_constants, n_outputs;
} arguments_t;

static MlirAttribute argument_attr(const strata_part_t *part, int number, bool is_output) {
  MlirContext context = part->compile->context;
  const char *name = strata_arena_printf(part->compile->arena, "a%d", number);
  MlirNamedAttribute attrs[] = {
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("strata.name")), strata_str_attr(context, name)),
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("strata.output")), mlirUnitAttrGet(context)),
  };
  return mlirDictionaryAttrGet(context, is_output ? 2 : 1, attrs);
}

// Argument |index| of |body| becomes a constant of the module, whose bytes are in a file that the text names.
static strata_status_t make_constant(strata_part_t *part, MlirBlock body, intptr_t index) {
  strata_compile_t *compile = part->compile;
  MlirValue argument = mlirBlockGetArgument(body, index);
  MlirType type = mlirValueGetType(argument);
  const char *name = strata_arena_printf(compile->arena, "c%d", (int)part->constants.count);
  const char *text = strata_arena_printf(compile->arena, "memref.global \"private\" @%s : %s", name,
                                         strata_type_text(compile->arena, type));
  MlirOperation global = mlirOperationCreateParse(compile->context, strata_str(text), strata_str("constant"));
  if (mlirOperationIsNull(global))
    return strata_compile_take_diagnostics(compile, "tuning: a constant is malformed");
  mlirBlockInsertOwnedOperation(mlirModuleGetBody(part->module), 0, global);
  strata_named_attr_t symbol = {"name", mlirFlatSymbolRefAttrGet(compile->context, strata_str(name))};
  MlirOperation get =
      strata_op_create(mlirOperationGetLocation(global), "memref.get_global", 0, NULL, 1, &type, 1, &symbol, 0, NULL);
  mlirBlockInsertOwnedOperation(body, 0, get);
  mlirValueReplaceAllUsesOfWith(argument, mlirOperationGetResult(get, 0));
  mlirBlockEraseArgument(body, (unsigned)index);
  *strata_vector_push(compile->arena, &part->constants) = (strata_tuning_constant_t){
      (int)strata_type_from_mlir(mlirShapedTypeGetElementType(type)), (int64_t)strata_memref_bytes(type)};
  return NULL;
}

// Makes |func|, which is in the part's module, its @main.
static strata_status_t make_main(strata_part_t *part, MlirOperation func, const arguments_t *arguments) {
  MlirContext context = part->compile->context;
  MlirAttribute attrs[MOST_ARGUMENTS];
  int n = arguments->n_inputs + arguments->n_outputs;
  for (int i = 0; i < arguments->n_constants; i++)
    STRATA_TRY(make_constant(part, strata_func_body(func), arguments->n_inputs));
  for (int i = 0; i < n; i++)
    attrs[i] = argument_attr(part, i, i >= arguments->n_inputs);
  strata_set_attr(func, "sym_name", strata_str_attr(context, "main"));
  strata_set_attr(func, "arg_attrs", mlirArrayAttrGet(context, n, attrs));
  mlirOperationRemoveAttributeByName(func, strata_str("sym_visibility"));
  strata_update_function_type(part->compile->arena, func);
  return NULL;
}

static void begin_module(strata_part_t *part, MlirOperation like) {
  part->module = mlirModuleCreateEmpty(mlirOperationGetLocation(like));
}

void strata_part_destroy(strata_part_t *part) {
  if (!mlirModuleIsNull(part->module))
    mlirModuleDestroy(part->module);
  part->module = (MlirModule){NULL};
}

//===-- Nests ----------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_ints_t inputs, constants, outputs, kept; // buffers
} buffers_t;

// How often the nests store the buffer; *out_is_read: whether they read it.
static int count_stores(const strata_nest_graph_t *graph, const strata_ints_t *nests, int buffer, bool *out_is_read) {
  int n_stores = 0;
  *out_is_read = false;
  for (size_t i = 0; i < nests->count; i++) {
    const strata_nest_node_t *node = &graph->nodes.data[nests->data[i]];
    for (size_t j = 0; j < node->buffers.count; j++) {
      bool is_it = node->buffers.data[j] == buffer, stores = node->nest->accesses[j].is_store;
      n_stores += is_it && stores;
      *out_is_read |= is_it && !stores;
    }
  }
  return n_stores;
}

static const char *sort_buffer(const strata_grouping_t *grouping, const strata_ints_t *nests, int buffer,
                               buffers_t *out) {
  const strata_nest_graph_t *graph = &grouping->graph;
  const strata_nest_buffer_t *record = &graph->buffers.data[buffer];
  bool is_read;
  int n_stores = count_stores(graph, nests, buffer, &is_read);
  strata_ints_t *where = strata_group_keeps(grouping, nests, buffer) ? &out->kept
                         : n_stores > 0                              ? &out->outputs
                         : record->is_constant                       ? &out->constants
                                                                     : &out->inputs;
  if (!strata_ints_contain(where, buffer))
    *strata_vector_push(graph->arena, where) = buffer;
  return n_stores > 0 && is_read && (n_stores != 1 || record->n_stores != 1) ? "it reads what it stores in parts"
                                                                             : NULL;
}

static const char *sort_buffers(const strata_grouping_t *grouping, const strata_ints_t *nests, buffers_t *out) {
  const char *why = NULL;
  for (size_t i = 0; i < nests->count && !why; i++) {
    const strata_nest_node_t *node = &grouping->graph.nodes.data[nests->data[i]];
    if (strata_nest_varies(node->nest))
      return "its sizes vary";
    for (size_t j = 0; j < node->buffers.count && !why; j++)
      why = sort_buffer(grouping, nests, node->buffers.data[j], out);
  }
  bool fits = out->inputs.count + out->constants.count + out->outputs.count <= MOST_ARGUMENTS;
  return why || fits ? why : "it reads and stores too many buffers";
}

static MlirOperation function_of_nests(const strata_grouping_t *grouping, const strata_ints_t *nests,
                                       const buffers_t *buffers) {
  strata_ints_t read = {0};
  for (size_t i = 0; i < buffers->inputs.count; i++)
    *strata_vector_push(grouping->graph.arena, &read) = buffers->inputs.data[i];
  for (size_t i = 0; i < buffers->constants.count; i++)
    *strata_vector_push(grouping->graph.arena, &read) = buffers->constants.data[i];
  strata_group_values_t values = strata_group_values_create(grouping->graph.arena);
  MlirBlock block = strata_group_block(grouping, &read, &buffers->outputs, &values);
  for (size_t i = 0; i < buffers->kept.count; i++) {
    MlirValue buffer = grouping->graph.buffers.data[buffers->kept.data[i]].value;
    MlirOperation alloc = mlirOperationClone(mlirOpResultGetOwner(buffer));
    mlirBlockAppendOwnedOperation(block, alloc);
    *strata_pointer_map_put(&values.read, buffer.ptr) = (int64_t)(intptr_t)mlirOperationGetResult(alloc, 0).ptr;
  }
  for (size_t i = 0; i < nests->count; i++) {
    MlirOperation nest = mlirOperationClone(grouping->graph.nodes.data[nests->data[i]].nest->op);
    mlirBlockAppendOwnedOperation(block, nest);
    strata_group_rewire(block, nest, &values);
  }
  return strata_group_function(grouping, block);
}

strata_status_t strata_part_of_nests(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                     const strata_ints_t *nests, strata_part_t *out) {
  const strata_grouping_t grouping = {.compile = compile, .graph = *graph};
  buffers_t buffers = {0};
  strata_ints_t sorted = {.data = strata_arena_copy(compile->arena, nests->data, sizeof(int) * nests->count),
                          .count = nests->count};
  qsort(sorted.data, sorted.count, sizeof(int), strata_compare_ints);
  *out = (strata_part_t){.compile = compile, .why = sort_buffers(&grouping, &sorted, &buffers)};
  if (out->why)
    return NULL;
  for (size_t i = 0; i < buffers.inputs.count; i++)
    if (graph->buffers.data[buffers.inputs.data[i]].n_stores > 0)
      *strata_vector_push(compile->arena, &out->warm) = (int32_t)i;
  begin_module(out, graph->func);
  MlirOperation func = function_of_nests(&grouping, &sorted, &buffers);
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(out->module), func);
  const arguments_t arguments = {(int)buffers.inputs.count, (int)buffers.constants.count, (int)buffers.outputs.count};
  return make_main(out, func, &arguments);
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

typedef enum { INPUT, CONSTANT, OUTPUT, N_ROLES } role_t;

typedef struct {
  int n;
  MlirValue values[MOST_ARGUMENTS];
  role_t roles[MOST_ARGUMENTS];
} operands_t;

static int find_operand(const operands_t *operands, MlirValue value) {
  for (int i = 0; i < operands->n; i++)
    if (mlirValueEqual(operands->values[i], value))
      return i;
  return -1;
}

static const char *add_operands(const strata_part_t *part, const strata_calls_t *calls, MlirOperation call,
                                operands_t *out) {
  MlirOperation func = strata_callee(part->compile, call);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue value = mlirOperationGetOperand(call, i);
    role_t role = strata_kernel_writes(func, i) ? OUTPUT : strata_calls_is_constant(calls, value) ? CONSTANT : INPUT;
    int found = find_operand(out, value);
    if (!mlirShapedTypeHasStaticShape(mlirValueGetType(value)))
      return "its sizes vary";
    if (found >= 0 && (out->roles[found] == OUTPUT || role == OUTPUT))
      return "it reads what it stores";
    if (found < 0 && out->n == MOST_ARGUMENTS)
      return "it reads and stores too many buffers";
    if (found < 0) {
      out->roles[out->n] = role;
      out->values[out->n++] = value;
    }
  }
  return NULL;
}

// What stands for the operands in |block|, by their numbers: its arguments, by roles.
static void add_arguments(const operands_t *operands, MlirBlock block, MlirLocation location, MlirValue *out,
                          int *out_counts) {
  for (int role = 0; role < N_ROLES; role++)
    for (int i = 0; i < operands->n; i++)
      if ((int)operands->roles[i] == role) {
        out[i] = mlirBlockAddArgument(block, mlirValueGetType(operands->values[i]), location);
        out_counts[role]++;
      }
}

static void add_function(strata_part_t *part, MlirOperation func) {
  MlirStringRef name = strata_attr_str(func, "sym_name");
  const char *text = strata_arena_printf(part->compile->arena, "%.*s", (int)name.length, name.data);
  if (mlirOperationIsNull(strata_find_func(part->module, text)))
    mlirBlockAppendOwnedOperation(mlirModuleGetBody(part->module), mlirOperationClone(func));
}

static MlirOperation function_of_calls(strata_part_t *part, const strata_operations_t *calls,
                                       const operands_t *operands, int *out_counts) {
  strata_compile_t *compile = part->compile;
  MlirLocation location = mlirOperationGetLocation(calls->data[0]);
  MlirValue values[MOST_ARGUMENTS];
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  add_arguments(operands, block, location, values, out_counts);
  for (size_t i = 0; i < calls->count; i++) {
    MlirOperation call = calls->data[i], copy = mlirOperationClone(call);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(call); j++)
      mlirOperationSetOperand(copy, j, values[find_operand(operands, mlirOperationGetOperand(call, j))]);
    mlirOperationRemoveDiscardableAttributeByName(copy, strata_str("strata.launch"));
    mlirBlockAppendOwnedOperation(block, copy);
    add_function(part, strata_callee(compile, call));
  }
  const strata_grouping_t grouping = {
      .compile = compile, .graph = {.arena = compile->arena, .func = strata_callee(compile, calls->data[0])}};
  return strata_group_function(&grouping, block);
}

// The names of kernels say where they stand in the graph: those of the part are numbered.
static void rename_kernels(const strata_part_t *part) {
  MlirContext context = part->compile->context;
  int n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(part->module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.func") || strata_str_equal(strata_attr_str(op, "sym_name"), "main"))
      continue;
    MlirStringRef name = strata_str(strata_arena_printf(part->compile->arena, "part%d", n++));
    (void)mlirSymbolTableReplaceAllSymbolUses(strata_attr_str(op, "sym_name"), name,
                                              mlirModuleGetOperation(part->module));
    strata_set_attr(op, "sym_name", mlirStringAttrGet(context, name));
  }
}

strata_status_t strata_part_of_calls(strata_compile_t *compile, const strata_calls_t *calls,
                                     const strata_operations_t *part, strata_part_t *out) {
  operands_t *operands = strata_arena_new(compile->arena, operands_t);
  int counts[N_ROLES] = {0};
  *out = (strata_part_t){.compile = compile};
  for (size_t i = 0; i < part->count && !out->why; i++)
    out->why = add_operands(out, calls, part->data[i], operands);
  if (out->why)
    return NULL;
  for (int i = 0, n = 0; i < operands->n; i++) {
    MlirValue buffer = strata_calls_buffer(operands->values[i]);
    if (operands->roles[i] == INPUT && !mlirValueIsABlockArgument(buffer))
      *strata_vector_push(compile->arena, &out->warm) = n;
    n += operands->roles[i] == INPUT;
  }
  begin_module(out, part->data[0]);
  MlirOperation func = function_of_calls(out, part, operands, counts);
  mlirBlockInsertOwnedOperation(mlirModuleGetBody(out->module), 0, func);
  const arguments_t arguments = {counts[INPUT], counts[CONSTANT], counts[OUTPUT]};
  STRATA_TRY(make_main(out, func, &arguments));
  rename_kernels(out);
  return NULL;
}

//===-- Text -----------------------------------------------------------------------------------------------------===//

const char *strata_part_number(const strata_part_t *part, const char *decision) {
  strata_arena_t *arena = part->compile->arena;
  strata_printed_t printed = strata_print_func(arena, mlirModuleGetOperation(part->module), false);
  const char *text = strata_arena_printf(arena, "%s %.*s", decision, (int)printed.length, printed.text);
  return strata_arena_printf(arena, "%016" PRIx64, strata_hash_text(text));
}

double strata_part_constant_bytes(const strata_part_t *part) {
  double bytes = 0;
  for (size_t i = 0; i < part->constants.count; i++)
    bytes += (double)part->constants.data[i].bytes;
  return bytes;
}

// Where the module says that its constants are.
static void name_data(const strata_part_t *part, MlirModule module, const char *data) {
  strata_arena_t *arena = part->compile->arena;
  MlirContext context = part->compile->context;
  MlirNamedAttribute *places = strata_arena_array(arena, MlirNamedAttribute, part->constants.count + 1);
  int64_t at = 0;
  for (size_t i = 0; i < part->constants.count; i++) {
    int64_t place[2] = {at, part->constants.data[i].bytes}, align = STRATA_TUNING_CONSTANT_ALIGN;
    places[i] = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(strata_arena_printf(arena, "c%d", (int)i))),
                                      mlirDenseI64ArrayGet(context, 2, place));
    at += (place[1] + align - 1) / align * align;
  }
  if (!part->constants.count)
    return;
  MlirOperation op = mlirModuleGetOperation(module);
  strata_set_attr(op, "strata.data_file", strata_str_attr(context, data));
  strata_set_attr(op, "strata.data", mlirDictionaryAttrGet(context, (intptr_t)part->constants.count, places));
}

static strata_status_t run_rest(strata_compile_t *part, const char *pipeline) {
  const strata_pass_table_t *tables[] = {&strata_passes};
  return strata_pipeline_run(part, pipeline, 1, tables);
}

strata_status_t strata_part_compile(const strata_part_t *part, strata_decision_kind_t kind, const char *answer,
                                    const char *data, const char **out_text) {
  strata_compile_t *whole = part->compile, compile = *whole;
  strata_tuning_trial_t trial = {.decision = (int)kind, .answer = answer};
  strata_tuning_t tuning = {.arena = whole->arena, .mode = STRATA_AUTOTUNE_OFF, .trial = &trial};
  strata_compile_options_t options = *whole->options;
  *out_text = NULL;
  options.tuning = &tuning;
  compile.options = &options;
  compile.explain = compile.notes = NULL;
  compile.preparation = (MlirModule){NULL};
  compile.module = mlirModuleFromOperation(mlirOperationClone(mlirModuleGetOperation(part->module)));
  strata_status_t status = run_rest(&compile, whole->rest);
  if (!status && trial.n_asked > 0) {
    name_data(part, compile.module, data);
    strata_printed_t printed = strata_print_func(whole->arena, mlirModuleGetOperation(compile.module), false);
    *out_text = strata_arena_printf(whole->arena, "%.*s\n", (int)printed.length, printed.text);
  }
  if (!mlirModuleIsNull(compile.preparation))
    mlirModuleDestroy(compile.preparation);
  mlirModuleDestroy(compile.module);
  strata_status_free(compile.diagnostics);
  strata_status_free(status);
  return NULL;
}
