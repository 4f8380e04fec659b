// The JSON of an exported program into structs.
#include "dialects/import/pt2/program.h"

#include <string.h>

enum { SCHEMA_MAJOR = 8 };

typedef struct {
  strata_arena_t *arena;
  pt2_document_t document;
} reader_t;

//===-- Element types and sizes ----------------------------------------------------------------------------------===//

static void read_dtype(const pt2_json_t *value, strata_dtype_t *out_dtype, const char **out_name) {
  static const struct {
    int code;
    const char *name;
    strata_dtype_t dtype;
  } rows[] = {
#define PT2_DTYPE(code_, name_, dtype_) {.code = code_, .name = name_, .dtype = STRATA_DTYPE_##dtype_},
#include "dialects/import/pt2/schema.def"
  };
  int64_t code = pt2_json_int(value);
  *out_dtype = STRATA_DTYPE_NONE;
  *out_name = strata_arena_printf(value->document->arena, "number %lld", (long long)code);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == code) {
      *out_dtype = rows[i].dtype;
      *out_name = rows[i].name;
    }
}

static pt2_size_t read_size(reader_t *reader, const pt2_json_t *value) {
  const char *key;
  pt2_json_t inner = pt2_json_only(value, &key);
  if (!strcmp(key, "as_int"))
    return (pt2_size_t){.number = pt2_json_int(&inner)};
  pt2_json_t text = pt2_json_member(&inner, "expr_str");
  const char *expression = pt2_json_string(&text), *plain = pt2_expression_text(reader->arena, expression);
  return (pt2_size_t){.number = -1, .expression = plain ? plain : expression};
}

static int read_sizes(reader_t *reader, const pt2_json_t *list, pt2_size_t *out_sizes) {
  size_t count = pt2_json_count(list);
  if (count > STRATA_TENSOR_MAX_RANK)
    pt2_json_fail(list, "expected at most %d sizes, got %zu", STRATA_TENSOR_MAX_RANK, count);
  for (size_t i = 0; i < count && i < STRATA_TENSOR_MAX_RANK; i++) {
    pt2_json_t item = pt2_json_item(list, i);
    out_sizes[i] = read_size(reader, &item);
  }
  return count < STRATA_TENSOR_MAX_RANK ? (int)count : STRATA_TENSOR_MAX_RANK;
}

static pt2_meta_t *read_meta(reader_t *reader, const pt2_json_t *value) {
  enum { STRIDED = 7 };
  pt2_meta_t *meta = strata_arena_new(reader->arena, pt2_meta_t);
  pt2_json_t dtype = pt2_json_member(value, "dtype"), sizes = pt2_json_member(value, "sizes"),
             strides = pt2_json_member(value, "strides"), offset = pt2_json_member(value, "storage_offset"),
             layout = pt2_json_member(value, "layout");
  read_dtype(&dtype, &meta->dtype, &meta->dtype_name);
  meta->rank = read_sizes(reader, &sizes, meta->sizes);
  if (read_sizes(reader, &strides, meta->strides) != meta->rank)
    pt2_json_fail(&strides, "expected one for each size");
  meta->offset = read_size(reader, &offset);
  meta->is_strided = pt2_json_int(&layout) == STRIDED;
  return meta;
}

//===-- Arguments ------------------------------------------------------------------------------------------------===//

static pt2_graph_t *read_graph(reader_t *reader, const pt2_json_t *value);

static const char *read_name(const pt2_json_t *value) {
  pt2_json_t name = pt2_json_member(value, "name");
  return pt2_json_string(&name);
}

static pt2_item_t number_item(pt2_kind_t kind, double number, int64_t integer) {
  return (pt2_item_t){.kind = kind, .number = number, .integer = integer};
}

static pt2_item_t read_item(reader_t *reader, const pt2_json_t *value, pt2_kind_t kind);

// {"as_name": "s"} or {"as_int": 2} and the like.
static pt2_item_t read_symbol(reader_t *reader, const pt2_json_t *value) {
  const char *key;
  pt2_json_t inner = pt2_json_only(value, &key);
  if (!strcmp(key, "as_name"))
    return (pt2_item_t){.kind = PT2_SYMBOL, .name = pt2_json_string(&inner)};
  return read_item(reader, &inner, !strcmp(key, "as_int") ? PT2_INT : !strcmp(key, "as_float") ? PT2_FLOAT : PT2_BOOL);
}

// {"name": "x"}; where it may be none, {"as_tensor": {"name": "x"}} or {"as_none": true}.
static pt2_item_t read_tensor_name(const pt2_json_t *value) {
  const char *key;
  if (pt2_json_has(value, "name"))
    return (pt2_item_t){.kind = PT2_TENSOR, .name = read_name(value)};
  pt2_json_t inner = pt2_json_only(value, &key);
  return strcmp(key, "as_tensor") ? (pt2_item_t){.kind = PT2_NONE}
                                  : (pt2_item_t){.kind = PT2_TENSOR, .name = read_name(&inner)};
}

static pt2_item_t read_graph_item(reader_t *reader, const pt2_json_t *value) {
  pt2_json_t graph = pt2_json_member(value, "graph");
  return (pt2_item_t){.kind = PT2_GRAPH, .graph = read_graph(reader, &graph)};
}

static pt2_item_t read_complex(const pt2_json_t *value) {
  pt2_json_t real = pt2_json_member(value, "real"), imaginary = pt2_json_member(value, "imag");
  pt2_item_t item = number_item(PT2_COMPLEX, pt2_json_double(&real), 0);
  item.imaginary = pt2_json_double(&imaginary);
  return item;
}

static pt2_item_t read_item(reader_t *reader, const pt2_json_t *value, pt2_kind_t kind) {
  pt2_item_t item = {.kind = kind};
  switch (kind) {
  case PT2_TENSOR:
    return read_tensor_name(value);
  case PT2_SYMBOL:
    return read_symbol(reader, value);
  case PT2_INT:
    item.integer = pt2_json_int(value);
    return number_item(kind, (double)item.integer, item.integer);
  case PT2_BOOL:
    item.integer = pt2_json_bool(value);
    return number_item(kind, (double)item.integer, item.integer);
  case PT2_FLOAT:
    return number_item(kind, pt2_json_double(value), 0);
  case PT2_COMPLEX:
    return read_complex(value);
  case PT2_STRING:
    item.name = pt2_json_string(value);
    return item;
  case PT2_DTYPE:
    read_dtype(value, &item.dtype, &item.dtype_name);
    return item;
  case PT2_GRAPH:
    return read_graph_item(reader, value);
  case PT2_NONE:
  case PT2_OPAQUE:
    break;
  }
  return item;
}

static void read_argument(reader_t *reader, const pt2_json_t *value, pt2_argument_t *out_argument) {
  static const struct {
    const char *key;
    bool is_list;
    pt2_kind_t kind;
  } forms[] = {
#define PT2_FORM(key_, is_list_, kind_) {.key = key_, .is_list = is_list_, .kind = PT2_##kind_},
#include "dialects/import/pt2/schema.def"
  };
  const char *key;
  pt2_json_t inner = pt2_json_only(value, &key);
  size_t form = 0;
  while (form < sizeof forms / sizeof *forms && strcmp(forms[form].key, key) != 0)
    form++;
  if (form == sizeof forms / sizeof *forms) {
    pt2_json_fail(value, "an unknown kind of argument");
    return;
  }
  out_argument->is_list = forms[form].is_list;
  out_argument->count = out_argument->is_list ? pt2_json_count(&inner) : 1;
  out_argument->items = strata_arena_array(reader->arena, pt2_item_t, out_argument->count);
  for (size_t i = 0; i < out_argument->count; i++) {
    pt2_json_t item = out_argument->is_list ? pt2_json_item(&inner, i) : inner;
    out_argument->items[i] = read_item(reader, &item, forms[form].kind);
  }
}

static pt2_argument_t *read_arguments(reader_t *reader, const pt2_json_t *list, size_t *out_count) {
  *out_count = pt2_json_count(list);
  pt2_argument_t *arguments = strata_arena_array(reader->arena, pt2_argument_t, *out_count);
  for (size_t i = 0; i < *out_count; i++) {
    pt2_json_t item = pt2_json_item(list, i);
    arguments[i].name = "";
    read_argument(reader, &item, &arguments[i]);
  }
  return arguments;
}

static pt2_argument_t *read_named_arguments(reader_t *reader, const pt2_json_t *list, size_t *out_count) {
  *out_count = pt2_json_count(list);
  pt2_argument_t *arguments = strata_arena_array(reader->arena, pt2_argument_t, *out_count);
  for (size_t i = 0; i < *out_count; i++) {
    pt2_json_t item = pt2_json_item(list, i), argument = pt2_json_member(&item, "arg");
    arguments[i].name = read_name(&item);
    read_argument(reader, &argument, &arguments[i]);
  }
  return arguments;
}

//===-- Graphs ---------------------------------------------------------------------------------------------------===//

// Programs of before torch 2.9 have no names of nodes: that of the first result is one.
static const char *call_name(const pt2_json_t *value, const pt2_call_t *call) {
  pt2_json_t name = pt2_json_has(value, "name") ? pt2_json_member(value, "name") : (pt2_json_t){0};
  if (name.value)
    return pt2_json_string(&name);
  bool is_named = call->n_outputs && call->outputs[0].count && call->outputs[0].items[0].name;
  return is_named ? call->outputs[0].items[0].name : "";
}

static void read_call(reader_t *reader, const pt2_json_t *value, pt2_call_t *out_call) {
  static const char prefix[] = "torch.ops.";
  pt2_json_t target = pt2_json_member(value, "target"), inputs = pt2_json_member(value, "inputs"),
             outputs = pt2_json_member(value, "outputs");
  const char *name = pt2_json_string(&target);
  out_call->target = strncmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
  out_call->inputs = read_named_arguments(reader, &inputs, &out_call->n_inputs);
  out_call->outputs = read_arguments(reader, &outputs, &out_call->n_outputs);
  out_call->name = call_name(value, out_call);
}

static pt2_graph_t *read_graph(reader_t *reader, const pt2_json_t *value) {
  pt2_graph_t *graph = strata_arena_new(reader->arena, pt2_graph_t);
  pt2_json_t inputs = pt2_json_member(value, "inputs"), outputs = pt2_json_member(value, "outputs"),
             nodes = pt2_json_member(value, "nodes"), tensors = pt2_json_member(value, "tensor_values"),
             numbers = pt2_json_member(value, "sym_int_values"), meta, number;
  graph->inputs = read_arguments(reader, &inputs, &graph->n_inputs);
  graph->outputs = read_arguments(reader, &outputs, &graph->n_outputs);
  graph->n_calls = pt2_json_count(&nodes);
  graph->calls = strata_arena_array(reader->arena, pt2_call_t, graph->n_calls);
  for (size_t i = 0; i < graph->n_calls; i++) {
    pt2_json_t node = pt2_json_item(&nodes, i);
    read_call(reader, &node, &graph->calls[i]);
  }
  for (void *at = NULL; pt2_json_next(&tensors, &at, &meta);)
    strata_string_map_put(reader->arena, &graph->tensors, meta.key, read_meta(reader, &meta));
  for (void *at = NULL; pt2_json_next(&numbers, &at, &number);) {
    pt2_size_t size = read_size(reader, &number);
    strata_string_map_put(reader->arena, &graph->numbers, number.key,
                          strata_arena_copy(reader->arena, &size, sizeof size));
  }
  return graph;
}

//===-- The signature --------------------------------------------------------------------------------------------===//

static const char *string_member(const pt2_json_t *object, const char *key) {
  pt2_json_t member = pt2_json_member(object, key);
  return pt2_json_string(&member);
}

static pt2_input_spec_t read_input_spec(const pt2_json_t *value) {
  static const struct {
    const char *key;
    pt2_input_kind_t kind;
    const char *target;
  } rows[] = {
      {"user_input", PT2_INPUT_USER, NULL},        {"parameter", PT2_INPUT_PARAMETER, "parameter_name"},
      {"buffer", PT2_INPUT_BUFFER, "buffer_name"}, {"tensor_constant", PT2_INPUT_CONSTANT, "tensor_constant_name"},
      {"constant_input", PT2_INPUT_LITERAL, NULL},
  };
  const char *key;
  pt2_json_t inner = pt2_json_only(value, &key);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].key, key))
      return (pt2_input_spec_t){rows[i].kind, rows[i].target ? string_member(&inner, rows[i].target) : ""};
  return (pt2_input_spec_t){PT2_INPUT_OBJECT, key};
}

static pt2_output_spec_t read_output_spec(const pt2_json_t *value) {
  static const struct {
    const char *key, *target;
  } mutations[] = {
      {"buffer_mutation", "buffer_name"},
      {"parameter_mutation", "parameter_name"},
      {"user_input_mutation", "user_input_name"},
  };
  const char *key;
  pt2_json_t inner = pt2_json_only(value, &key);
  if (!strcmp(key, "user_output"))
    return (pt2_output_spec_t){PT2_OUTPUT_USER, "", key};
  for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++)
    if (!strcmp(mutations[i].key, key))
      return (pt2_output_spec_t){PT2_OUTPUT_MUTATION, string_member(&inner, mutations[i].target), key};
  return (pt2_output_spec_t){PT2_OUTPUT_OTHER, "", key};
}

// A token orders effects, as checks of what data are, which are left out: the output is nothing.
static void drop_token(pt2_output_spec_t *spec, pt2_argument_t *output) {
  if (strcmp(spec->what, "token") != 0)
    return;
  spec->kind = PT2_OUTPUT_USER;
  output->count = 0;
}

static void read_signature(reader_t *reader, const pt2_json_t *value, pt2_program_t *program) {
  pt2_json_t inputs = pt2_json_member(value, "input_specs"), outputs = pt2_json_member(value, "output_specs");
  size_t n_inputs = program->graph->n_inputs, n_outputs = program->graph->n_outputs;
  if (pt2_json_count(&inputs) != n_inputs || pt2_json_count(&outputs) != n_outputs)
    pt2_json_fail(value, "expected one for each of the graph's %zu inputs and %zu outputs", n_inputs, n_outputs);
  program->inputs = strata_arena_array(reader->arena, pt2_input_spec_t, n_inputs);
  program->outputs = strata_arena_array(reader->arena, pt2_output_spec_t, n_outputs);
  for (size_t i = 0; i < n_inputs && !reader->document.status; i++) {
    pt2_json_t item = pt2_json_item(&inputs, i);
    program->inputs[i] = read_input_spec(&item);
  }
  for (size_t i = 0; i < n_outputs && !reader->document.status; i++) {
    pt2_json_t item = pt2_json_item(&outputs, i);
    program->outputs[i] = read_output_spec(&item);
    drop_token(&program->outputs[i], &program->graph->outputs[i]);
  }
}

static void read_ranges(reader_t *reader, const pt2_json_t *value, pt2_program_t *program) {
  STRATA_VECTOR(pt2_range_t) ranges = {0};
  pt2_json_t range;
  for (void *at = NULL; pt2_json_next(value, &at, &range);) {
    pt2_json_t min = pt2_json_member(&range, "min_val"), max = pt2_json_member(&range, "max_val");
    *strata_vector_push(reader->arena, &ranges) =
        (pt2_range_t){.symbol = range.key,
                      .min = json_is_null(min.value) ? 0 : pt2_json_int(&min),
                      .max = json_is_null(max.value) ? INT64_MAX : pt2_json_int(&max)};
  }
  program->n_ranges = ranges.count;
  program->ranges = ranges.data;
}

const pt2_range_t *pt2_find_range(const pt2_program_t *program, const pt2_size_t *size) {
  for (size_t i = 0; i < program->n_ranges && size->expression; i++)
    if (!strcmp(program->ranges[i].symbol, size->expression))
      return &program->ranges[i];
  return NULL;
}

static strata_status_t check_version(const pt2_json_t *root) {
  pt2_json_t version = pt2_json_member(root, "schema_version"), major = pt2_json_member(&version, "major");
  int64_t number = pt2_json_int(&major);
  if (number == SCHEMA_MAJOR || root->document->status)
    return root->document->status;
  return strata_error(STRATA_UNSUPPORTED, "%s: schema_version: expected %d, as torch 2.9 and later write it, got %lld",
                      root->document->file, SCHEMA_MAJOR, (long long)number);
}

strata_status_t pt2_read_program(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                                 pt2_program_t *out_program) {
  reader_t reader = {.arena = arena};
  STRATA_TRY(pt2_json_parse(arena, file, bytes, &reader.document));
  pt2_json_t root = pt2_json_root(&reader.document);
  STRATA_TRY(check_version(&root));
  pt2_json_t module = pt2_json_member(&root, "graph_module"), graph = pt2_json_member(&module, "graph"),
             signature = pt2_json_member(&module, "signature"), ranges = pt2_json_member(&root, "range_constraints");
  out_program->graph = read_graph(&reader, &graph);
  read_signature(&reader, &signature, out_program);
  read_ranges(&reader, &ranges, out_program);
  return reader.document.status;
}

//===-- Payloads -------------------------------------------------------------------------------------------------===//

static pt2_payload_t *read_payload(reader_t *reader, const pt2_json_t *value) {
  pt2_payload_t *payload = strata_arena_new(reader->arena, pt2_payload_t);
  pt2_json_t path = pt2_json_member(value, "path_name"), pickled = pt2_json_member(value, "use_pickle");
  payload->file = pt2_json_string(&path);
  payload->is_pickled = pt2_json_bool(&pickled) || !pt2_json_has(value, "tensor_meta");
  if (payload->is_pickled)
    return payload;
  pt2_json_t meta = pt2_json_member(value, "tensor_meta");
  payload->meta = *read_meta(reader, &meta);
  return payload;
}

strata_status_t pt2_read_payloads(strata_arena_t *arena, const char *file, strata_mapped_file_t bytes,
                                  strata_string_map_t *payloads) {
  reader_t reader = {.arena = arena};
  STRATA_TRY(pt2_json_parse(arena, file, bytes, &reader.document));
  pt2_json_t root = pt2_json_root(&reader.document), config = pt2_json_member(&root, "config"), payload;
  for (void *at = NULL; pt2_json_next(&config, &at, &payload);)
    strata_string_map_put(arena, payloads, payload.key, read_payload(&reader, &payload));
  return reader.document.status;
}
