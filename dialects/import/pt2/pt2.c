// PyTorch's .pt2, as torch.export.save writes it: inputs, weights and outputs. program.c reads the JSON, converter.c
// walks the operators, ops.def has them, and the ONNX importer does the rest (dialects/import/graph).
#include "dialects/import/pt2/archive.h"
#include "dialects/import/pt2/complex.h"
#include "dialects/import/pt2/converter.h"

#include <string.h>

// What PyTorch assumes of every size that varies, and does not hold callers to.
enum { ASSUMED_MIN = 2 };

typedef struct {
  strata_arena_t *arena;
  pt2_archive_t *archive;
  pt2_program_t program;
  pt2_converter_t converter;
  strata_string_map_t payloads[2];    // pt2_payload_t: weights, constants
  strata_string_map_t changed, names; // what is changed by its name in the graph; names of inputs and constants
} model_t;

static const char *const folders[] = {"data/weights/", "data/constants/"};

//===-- The archive ----------------------------------------------------------------------------------------------===//

static strata_status_t check_byte_order(model_t *model) {
  static const char little[] = "little";
  strata_mapped_file_t bytes;
  if (!pt2_archive_has(model->archive, "byteorder"))
    return NULL;
  STRATA_TRY(pt2_archive_read(model->archive, "byteorder", &bytes));
  return bytes.size == strlen(little) && !memcmp(bytes.data, little, bytes.size)
             ? NULL
             : strata_error(STRATA_UNSUPPORTED, "byteorder: expected little");
}

static strata_status_t read_json(model_t *model) {
  strata_arena_t *arena = model->arena;
  strata_mapped_file_t bytes;
  const char *name = pt2_archive_match(model->archive, "models/", ".json");
  if (!name)
    return strata_error(STRATA_PARSE, "the archive has no models/NAME.json: expected what torch.export.save writes");
  const char *file = strata_arena_printf(arena, "models/%s.json", name);
  STRATA_TRY(pt2_archive_read(model->archive, file, &bytes));
  STRATA_TRY(pt2_read_program(arena, file, bytes, &model->program));
  for (int i = 0; i < 2; i++) {
    file = strata_arena_printf(arena, "%s%s_%s_config.json", folders[i], name, i ? "constants" : "weights");
    if (!pt2_archive_has(model->archive, file))
      continue;
    STRATA_TRY(pt2_archive_read(model->archive, file, &bytes));
    STRATA_TRY(pt2_read_payloads(arena, file, bytes, &model->payloads[i]));
  }
  return NULL;
}

//===-- What is stored -------------------------------------------------------------------------------------------===//

static bool is_contiguous(const strata_tensor_t *tensor, const int64_t *strides) {
  int64_t expected = 1;
  for (int i = tensor->rank; i-- > 0;) {
    if (tensor->shape[i] != 1 && strides[i] != expected)
      return false;
    expected *= tensor->shape[i];
  }
  return true;
}

// The bytes from the first to the last element of a tensor of such strides; false if that overflows.
static bool needed_bytes(const strata_tensor_t *tensor, const int64_t *strides, int64_t offset, size_t *out_size) {
  int64_t last = offset, step, count;
  for (int i = 0; i < tensor->rank; i++)
    if (strides[i] < 0 || __builtin_mul_overflow(tensor->shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return false;
  return !__builtin_add_overflow(last, 1, &count) && strata_dtype_size(tensor->dtype, count, out_size);
}

// A copy in row-major order.
static void gather(strata_arena_t *arena, strata_tensor_t *tensor, const int64_t *strides, const uint8_t *bytes) {
  size_t width = (size_t)strata_dtype_info[tensor->dtype].bits / 8;
  uint8_t *data = strata_arena_alloc(arena, tensor->size);
  int64_t place[STRATA_TENSOR_MAX_RANK] = {0}, from = 0, count = strata_tensor_count(tensor);
  for (int64_t i = 0; i < count; i++) {
    memcpy(data + (size_t)i * width, bytes + (size_t)from * width, width);
    for (int axis = tensor->rank; axis-- > 0;) {
      from += strides[axis];
      if (++place[axis] < tensor->shape[axis])
        break;
      from -= strides[axis] * tensor->shape[axis];
      place[axis] = 0;
    }
  }
  tensor->data = data;
}

static strata_status_t describe_payload(const pt2_payload_t *payload, strata_tensor_t *out_tensor, int64_t *strides) {
  const pt2_meta_t *meta = &payload->meta;
  int64_t count = 1;
  if (payload->is_pickled)
    return strata_error(STRATA_UNSUPPORTED, "it is pickled, an object of Python's, expected a plain tensor");
  if (meta->dtype == STRATA_DTYPE_NONE || !meta->is_strided)
    return strata_error(STRATA_UNSUPPORTED, "%s is not supported", meta->is_strided ? meta->dtype_name : "sparse data");
  *out_tensor = (strata_tensor_t){.dtype = meta->dtype, .rank = meta->rank};
  for (int i = 0; i < meta->rank; i++) {
    out_tensor->shape[i] = meta->sizes[i].number;
    strides[i] = meta->strides[i].number;
    if (out_tensor->shape[i] < 0 || __builtin_mul_overflow(count, out_tensor->shape[i], &count))
      return strata_error(STRATA_PARSE, "its sizes are malformed");
  }
  if (meta->offset.number < 0 || !strata_dtype_size(meta->dtype, count, &out_tensor->size))
    return strata_error(STRATA_PARSE, "it is too large");
  return NULL;
}

static strata_status_t load_payload(model_t *model, const char *folder, const pt2_payload_t *payload,
                                    strata_tensor_t *out_tensor) {
  int64_t strides[STRATA_TENSOR_MAX_RANK];
  strata_mapped_file_t bytes;
  size_t needed;
  STRATA_TRY(describe_payload(payload, out_tensor, strides));
  STRATA_TRY(
      pt2_archive_read(model->archive, strata_arena_printf(model->arena, "%s%s", folder, payload->file), &bytes));
  out_tensor->data = strata_arena_new(model->arena, uint64_t); // of no elements
  if (out_tensor->size == 0)
    return NULL;
  if (!needed_bytes(out_tensor, strides, payload->meta.offset.number, &needed) || needed > bytes.size)
    return strata_error(STRATA_PARSE, "'%s' has %zu bytes, which are too few for its sizes and strides", payload->file,
                        bytes.size);
  size_t offset = (size_t)payload->meta.offset.number * ((size_t)strata_dtype_info[out_tensor->dtype].bits / 8);
  if (is_contiguous(out_tensor, strides))
    out_tensor->data = (void *)(uintptr_t)(bytes.data + offset); // nobody writes to it
  else
    gather(model->arena, out_tensor, strides, bytes.data + offset);
  return NULL;
}

// Weights and constants go by one name; parameters and buffers are among the former, unless they are not persistent.
// |part|: of complex numbers.
static strata_status_t load(model_t *model, const char *target, int part, strata_tensor_t *out_tensor) {
  for (int i = 0; i < 2; i++) {
    const pt2_payload_t *stored = strata_string_map_get(&model->payloads[i], target);
    if (!stored)
      continue;
    pt2_payload_t payload = *stored;
    if (pt2_is_complex(&stored->meta))
      payload.meta = pt2_stored_part(&stored->meta, part);
    return strata_status_context(load_payload(model, folders[i], &payload, out_tensor), "'%s'", target);
  }
  return strata_error(STRATA_PARSE, "nothing is stored for '%s'", target);
}

//===-- Inputs ---------------------------------------------------------------------------------------------------===//

static const char *value_name(const pt2_argument_t *argument) {
  return argument->count == 1 && argument->items[0].name ? argument->items[0].name : "";
}

static pt2_kind_t value_kind(const pt2_argument_t *argument) {
  return argument->count == 1 ? argument->items[0].kind : PT2_NONE;
}

// |name|, or another like it if that is taken.
static const char *own_name(model_t *model, const char *name) {
  while (strata_string_map_put(model->arena, &model->names, name, model))
    name = strata_arena_printf(model->arena, "%s_", name);
  return name;
}

static graph_dim_t input_dim(const model_t *model, const pt2_size_t *size) {
  graph_dim_t dim = {.size = size->number, .name = size->expression};
  const pt2_range_t *range = pt2_find_range(&model->program, size);
  if (range) {
    dim.min = range->min > ASSUMED_MIN ? range->min : 1;
    dim.max = range->max < INT32_MAX ? range->max : INT32_MAX;
  }
  return dim;
}

static void add_input(model_t *model, const char *name, const char *public_name, const char *what) {
  pt2_converter_t *converter = &model->converter;
  const pt2_meta_t *meta = strata_string_map_get(&model->program.graph->tensors, name);
  graph_dim_t dims[STRATA_TENSOR_MAX_RANK];
  graph_origin(converter->g, what, name);
  if (!meta || meta->dtype == STRATA_DTYPE_NONE || !meta->is_strided) {
    graph_node_t *refused = graph_refuse(converter->g, "element type %s", meta ? meta->dtype_name : "unknown");
    pt2_bind(converter, name, (pt2_value_t){.name = graph_result(refused, NULL)});
    return;
  }
  for (int i = 0; i < meta->rank; i++)
    dims[i] = input_dim(model, &meta->sizes[i]);
  public_name = own_name(model, public_name);
  graph_input(converter->g, public_name, meta->dtype, meta->rank, dims);
  pt2_bind(converter, name, (pt2_value_t){.name = public_name});
}

// A number that the caller gives.
static void add_number_input(model_t *model, const char *name) {
  pt2_converter_t *converter = &model->converter;
  const char *public_name = own_name(model, name);
  graph_input(converter->g, public_name, STRATA_DTYPE_I64, 0, NULL);
  pt2_bind(converter, name, (pt2_value_t){.name = public_name, .dtype = STRATA_DTYPE_I64});
}

// The tensor |name| of the graph, and of the library |as|.
static strata_status_t add_stored(model_t *model, const char *name, const char *target, int part, const char *as) {
  pt2_converter_t *converter = &model->converter;
  strata_tensor_t tensor;
  strata_status_t status = load(model, target, part, &tensor);
  pt2_value_t value = {.name = ""};
  graph_origin(converter->g, "placeholder", name);
  if (strata_status_code(status) == STRATA_UNSUPPORTED)
    value.name = graph_result(graph_refuse(converter->g, "%s", strata_status_message(status)), NULL);
  else if (status)
    return status;
  else
    value.name = graph_constant(converter->g, own_name(model, as), &tensor);
  strata_status_free(status);
  pt2_bind(converter, name, value);
  return NULL;
}

// What the program reads of a tensor that is stored: it, or the parts of complex numbers.
static strata_status_t import_stored(model_t *model, const char *name, const char *target) {
  const strata_string_map_t *reads = &model->converter.scope->reads;
  if (!pt2_is_complex(strata_string_map_get(&model->program.graph->tensors, name)))
    return strata_string_map_get(reads, name) ? add_stored(model, name, target, 0, target) : NULL;
  for (int part = 0; part < 2; part++) {
    const char *part_name = pt2_part_name(model->arena, name, part);
    if (strata_string_map_get(reads, part_name))
      STRATA_TRY(add_stored(model, part_name, target, part, pt2_part_name(model->arena, target, part)));
  }
  return NULL;
}

static strata_status_t import_input(model_t *model, size_t i) {
  const pt2_argument_t *argument = &model->program.graph->inputs[i];
  const pt2_input_spec_t *spec = &model->program.inputs[i];
  const char *name = value_name(argument);
  switch (spec->kind) {
  case PT2_INPUT_USER:
    if (value_kind(argument) == PT2_TENSOR)
      add_input(model, name, name, "placeholder");
    else if (value_kind(argument) == PT2_SYMBOL)
      add_number_input(model, name);
    return NULL;
  case PT2_INPUT_PARAMETER:
  case PT2_INPUT_BUFFER:
    if (strata_string_map_get(&model->changed, spec->target)) {
      add_input(model, name, spec->target, "placeholder");
      return NULL;
    }
    return import_stored(model, name, spec->target);
  case PT2_INPUT_CONSTANT:
    return import_stored(model, name, spec->target);
  case PT2_INPUT_LITERAL:
  case PT2_INPUT_OBJECT:
    break;
  }
  return NULL;
}

//===-- What is changed ------------------------------------------------------------------------------------------===//

static size_t find_input(const model_t *model, const char *name) {
  const pt2_graph_t *graph = model->program.graph;
  for (size_t i = 0; i < graph->n_inputs; i++)
    if (*name && !strcmp(value_name(&graph->inputs[i]), name))
      return i;
  return graph->n_inputs;
}

// The input whose memory |name| has: through views to their first operand.
static const char *memory_of(const model_t *model, const char *name) {
  const pt2_graph_t *graph = model->program.graph;
  for (size_t i = graph->n_calls; i-- > 0;) {
    const pt2_call_t *call = &graph->calls[i];
    for (size_t k = 0; k < call->n_outputs; k++)
      for (size_t m = 0; m < call->outputs[k].count; m++)
        if (call->outputs[k].items[m].name && !strcmp(call->outputs[k].items[m].name, name)) {
          if (!pt2_may_share(&model->converter, call->target) || !call->n_inputs)
            return "";
          name = value_name(&call->inputs[0]);
          k = call->n_outputs - 1; // its operands come from calls before it
          break;
        }
  }
  return name;
}

// What the signature says is changed, and in a graph with operators that work in place what these change.
static void find_changes(model_t *model) {
  const pt2_program_t *program = &model->program;
  const pt2_graph_t *graph = program->graph;
  for (size_t i = 0; i < graph->n_outputs; i++)
    if (program->outputs[i].kind == PT2_OUTPUT_MUTATION)
      strata_string_map_put(model->arena, &model->changed, program->outputs[i].target, model);
  for (size_t i = 0; i < graph->n_calls; i++) {
    const pt2_call_t *call = &graph->calls[i];
    if (!pt2_changes(&model->converter, call->target) || !call->n_inputs)
      continue;
    size_t input = find_input(model, memory_of(model, value_name(&call->inputs[0])));
    if (input == graph->n_inputs)
      continue;
    const pt2_input_spec_t *spec = &program->inputs[input];
    const char *target = spec->kind == PT2_INPUT_USER ? value_name(&graph->inputs[input]) : spec->target;
    strata_string_map_put(model->arena, &model->changed, target, model);
  }
}

//===-- Outputs --------------------------------------------------------------------------------------------------===//

static strata_status_t add_output(model_t *model, strata_string_map_t *names, const char *name, const char *wanted) {
  const pt2_value_t *value = pt2_lookup(&model->converter, name);
  if (!value && pt2_is_complex(strata_string_map_get(&model->program.graph->tensors, name)))
    return strata_error(STRATA_UNSUPPORTED,
                        "output '%s': complex numbers are not supported in results; return "
                        "torch.view_as_real of it",
                        name);
  if (!value)
    return strata_error(STRATA_PARSE, "nothing computes the output '%s'", name);
  if (value->changed_by)
    return strata_error(STRATA_UNSUPPORTED,
                        "output '%s' is a view of what '%s' changes in place; export after "
                        "run_decompositions()",
                        name, value->changed_by);
  while (strata_string_map_get(&model->names, wanted) || strata_string_map_put(model->arena, names, wanted, model))
    wanted = strata_arena_printf(model->arena, "%s_out", wanted);
  graph_origin(model->converter.g, "output", wanted);
  graph_output(model->converter.g, wanted, value->name);
  return NULL;
}

// The new value of the input |target|.
static const char *next_name(model_t *model, const char *target) {
  return strata_arena_printf(model->arena, "%s.next", target);
}

// Numbers and None are no outputs.
static strata_status_t import_output(model_t *model, strata_string_map_t *names, size_t i) {
  const pt2_argument_t *argument = &model->program.graph->outputs[i];
  const pt2_output_spec_t *spec = &model->program.outputs[i];
  pt2_kind_t kind = value_kind(argument);
  if (spec->kind == PT2_OUTPUT_OTHER)
    return strata_error(STRATA_UNSUPPORTED, "output '%s': %s is not supported", value_name(argument), spec->what);
  if (kind != PT2_TENSOR && kind != PT2_SYMBOL)
    return NULL;
  return add_output(model, names, value_name(argument),
                    spec->kind == PT2_OUTPUT_MUTATION ? next_name(model, spec->target) : value_name(argument));
}

// What operators in place changed, which the signature of such a graph does not have.
static strata_status_t add_changed(model_t *model, strata_string_map_t *names) {
  const pt2_program_t *program = &model->program;
  strata_string_map_t given = {0};
  for (size_t i = 0; i < program->graph->n_outputs; i++)
    if (program->outputs[i].kind == PT2_OUTPUT_MUTATION)
      strata_string_map_put(model->arena, &given, program->outputs[i].target, model);
  for (size_t i = 0; i < program->graph->n_inputs; i++) {
    const char *name = value_name(&program->graph->inputs[i]);
    const char *target = program->inputs[i].kind == PT2_INPUT_USER ? name : program->inputs[i].target;
    if (strata_string_map_get(&model->changed, target) && !strata_string_map_get(&given, target))
      STRATA_TRY(add_output(model, names, name, next_name(model, target)));
  }
  return NULL;
}

static strata_status_t build(model_t *model) {
  const pt2_graph_t *graph = model->program.graph;
  strata_string_map_t names = {0};
  pt2_converter_init(&model->converter, model->arena, &model->program);
  model->converter.scope = pt2_new_scope(&model->converter, graph);
  find_changes(model);
  for (size_t i = 0; i < graph->n_inputs; i++)
    STRATA_TRY(import_input(model, i));
  pt2_convert_calls(&model->converter, graph);
  for (int kind = PT2_OUTPUT_USER; kind <= PT2_OUTPUT_OTHER; kind++)
    for (size_t i = 0; i < graph->n_outputs; i++)
      if (model->program.outputs[i].kind == (pt2_output_kind_t)kind)
        STRATA_TRY(import_output(model, &names, i));
  return add_changed(model, &names);
}

strata_status_t strata_import_pt2(strata_compile_t *compile, const char *path, const strata_import_options_t *options) {
  model_t model = {.arena = compile->arena};
  STRATA_TRY(pt2_archive_open(model.arena, path, &model.archive));
  STRATA_TRY(strata_status_context(check_byte_order(&model), "%s", path));
  STRATA_TRY(strata_status_context(read_json(&model), "%s", path));
  pt2_split_complex(model.arena, model.program.graph);
  STRATA_TRY(strata_status_context(build(&model), "%s", path));
  return graph_import(model.converter.g, compile, path, options);
}
