// The walk over a program's operators: rows of ops.def, and values by name.
#include "dialects/import/pt2/converter.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; // of graphs in each other

static const pt2_op_info_t op_table[] = {
#define PT2_OP(name_, memory_, arguments_, reader_, ...)                                                               \
  {.name = name_,                                                                                                      \
   .memory = PT2_MEMORY_##memory_,                                                                                     \
   .arguments = arguments_,                                                                                            \
   .reader = pt2_import_##reader_,                                                                                     \
   .detail = "" __VA_ARGS__},
#include "dialects/import/pt2/ops.def"
};

void pt2_converter_init(pt2_converter_t *converter, strata_arena_t *arena, const pt2_program_t *program) {
  *converter = (pt2_converter_t){.arena = arena, .program = program, .g = graph_create(arena)};
  for (size_t i = 0; i < sizeof op_table / sizeof *op_table; i++)
    strata_string_map_put(arena, &converter->ops, op_table[i].name, (void *)(uintptr_t)&op_table[i]);
}

void pt2_refuse(pt2_node_t *n, const char *format, ...) {
  char text[512];
  va_list args;
  if (n->has_failed)
    return;
  n->has_failed = true;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  graph_node_t *refused = graph_refuse(n->g, "%s", text);
  for (int i = 0; i < n->n_results; i++)
    pt2_bind(n->converter, n->results[i], (pt2_value_t){.name = graph_result(refused, NULL)});
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

pt2_value_t *pt2_lookup(const pt2_converter_t *converter, const char *name) {
  return strata_string_map_get(&converter->scope->values, name);
}

pt2_value_t *pt2_bind(pt2_converter_t *converter, const char *name, pt2_value_t value) {
  pt2_value_t *bound = strata_arena_copy(converter->arena, &value, sizeof value);
  const pt2_meta_t *meta = strata_string_map_get(&converter->scope->graph->tensors, name);
  if (meta) {
    bound->dtype = meta->dtype;
    bound->rank = meta->rank;
    bound->sizes = meta->sizes;
  }
  bound->root = value.root ? value.root : bound;
  strata_string_map_put(converter->arena, &converter->scope->values, name, bound);
  *strata_vector_push(converter->arena, &converter->values) = bound;
  return bound;
}

//===-- What is computed -----------------------------------------------------------------------------------------===//

bool pt2_is_in_place(const char *target) {
  const char *first = strchr(target, '.'), *dot = first ? strchr(first + 1, '.') : NULL;
  return dot && dot[-1] == '_' && strncmp(first, ".__", 3) != 0;
}

static void note_reads(strata_arena_t *arena, pt2_scope_t *scope, size_t count, const pt2_argument_t *arguments) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < arguments[i].count; k++) {
      const pt2_item_t *item = &arguments[i].items[k];
      if (item->kind == PT2_TENSOR || item->kind == PT2_SYMBOL)
        strata_string_map_put(arena, &scope->reads, item->name, scope);
    }
}

static bool is_read(const pt2_scope_t *scope, const pt2_call_t *call) {
  for (size_t i = 0; i < call->n_outputs; i++)
    for (size_t k = 0; k < call->outputs[i].count; k++)
      if (call->outputs[i].items[k].name && strata_string_map_get(&scope->reads, call->outputs[i].items[k].name))
        return true;
  return pt2_is_in_place(call->target);
}

pt2_scope_t *pt2_new_scope(pt2_converter_t *converter, const pt2_graph_t *graph) {
  pt2_scope_t *scope = strata_arena_new(converter->arena, pt2_scope_t);
  scope->graph = graph;
  note_reads(converter->arena, scope, graph->n_outputs, graph->outputs);
  for (size_t i = graph->n_calls; i-- > 0;)
    if (is_read(scope, &graph->calls[i]))
      note_reads(converter->arena, scope, graph->calls[i].n_inputs, graph->calls[i].inputs);
  return scope;
}

//===-- One operator ---------------------------------------------------------------------------------------------===//

// "aten.add" of "aten.add.Tensor" and of "aten.add_.Tensor".
static const pt2_op_info_t *find_row(const pt2_converter_t *converter, const char *target) {
  const char *first = strchr(target, '.'), *dot = first ? strchr(first + 1, '.') : NULL;
  int length = dot ? (int)(dot - target) - pt2_is_in_place(target) : (int)strlen(target);
  return strata_string_map_get(&converter->ops, strata_arena_printf(converter->arena, "%.*s", length, target));
}

bool pt2_may_share(const pt2_converter_t *converter, const char *target) {
  const pt2_op_info_t *row = find_row(converter, target);
  return pt2_is_in_place(target) || (row && row->memory != PT2_MEMORY_NEW);
}

bool pt2_changes(const pt2_converter_t *converter, const char *target) {
  const pt2_op_info_t *row = find_row(converter, target);
  return pt2_is_in_place(target) && (!row || row->memory == PT2_MEMORY_NEW);
}

// The results in a row, whether the operator has one, several or a list.
static void collect_results(pt2_node_t *n) {
  STRATA_VECTOR(const char *) results = {0};
  for (size_t i = 0; i < n->call->n_outputs; i++)
    for (size_t k = 0; k < n->call->outputs[i].count; k++) {
      const char *name = n->call->outputs[i].items[k].name;
      *strata_vector_push(n->arena, &results) = name ? name : "";
    }
  n->n_results = (int)results.count;
  n->results = results.data;
}

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ' || at[-1] == '~') && (!at[length] || strchr(" =", at[length])))
      return true;
  return false;
}

// What a row does not name would be lost silently.
static void check_arguments(pt2_node_t *n) {
  for (size_t i = 0; i < n->call->n_inputs; i++)
    if (*n->info->arguments != '*' && !has_word(n->info->arguments, n->call->inputs[i].name))
      pt2_refuse(n, "argument '%s'", n->call->inputs[i].name);
}

// What the results' memory is, once they are set.
static void note_memory(pt2_node_t *n, pt2_value_t *self) {
  pt2_memory_t memory = n->info->memory;
  const pt2_meta_t *shape = pt2_result(n, 0);
  bool is_reshape = memory == PT2_MEMORY_VIEW && !strcmp(n->info->detail, "reshape") && shape;
  if (is_reshape && pt2_reshape_sharing(n, shape->rank, shape->sizes) == PT2_COPIES)
    return;
  for (int i = 0; i < n->n_results && self && memory != PT2_MEMORY_NEW; i++) {
    pt2_value_t *result = pt2_lookup(n->converter, n->results[i]);
    if (!result || result->dtype != self->dtype)
      continue;
    *result = (pt2_value_t){.name = result->name,
                            .dtype = result->dtype,
                            .rank = result->rank,
                            .sizes = result->sizes,
                            .root = self->root,
                            .base = memory == PT2_MEMORY_VIEW ? self : self->base,
                            .view = memory == PT2_MEMORY_VIEW ? n->call : self->view,
                            .view_row = memory == PT2_MEMORY_VIEW ? n->info : self->view_row};
  }
}

static pt2_value_t *first_tensor(const pt2_node_t *n) {
  const pt2_argument_t *first = n->call->n_inputs ? &n->call->inputs[0] : NULL;
  bool is_tensor = first && first->count && first->items[0].kind == PT2_TENSOR;
  return is_tensor ? pt2_lookup(n->converter, first->items[0].name) : NULL;
}

static bool is_complex(const pt2_node_t *n, size_t count, const pt2_argument_t *arguments) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < arguments[i].count; k++) {
      const pt2_item_t *item = &arguments[i].items[k];
      const pt2_meta_t *meta =
          item->kind == PT2_TENSOR ? strata_string_map_get(&n->converter->scope->graph->tensors, item->name) : NULL;
      if (meta && !strncmp(meta->dtype_name, "complex", strlen("complex")))
        return true;
    }
  return false;
}

static bool has_complex(const pt2_node_t *n) {
  return is_complex(n, n->call->n_inputs, n->call->inputs) || is_complex(n, n->call->n_outputs, n->call->outputs);
}

static void convert_call(pt2_converter_t *converter, const pt2_call_t *call) {
  pt2_node_t n = {.converter = converter, .call = call, .g = converter->g, .arena = converter->arena};
  n.info = find_row(converter, call->target);
  graph_origin(converter->g, call->target, call->name);
  collect_results(&n);
  if (has_complex(&n)) {
    pt2_refuse(&n, "complex numbers");
    return;
  }
  if (!n.info) {
    bool is_foreign = strncmp(call->target, "aten.", strlen("aten.")) != 0;
    pt2_refuse(&n, "an unknown operator%s", is_foreign ? "" : "; run_decompositions() may make others of it");
    return;
  }
  check_arguments(&n);
  pt2_value_t *self = first_tensor(&n);
  if (!n.has_failed)
    n.info->reader(&n);
  for (int i = 0; i < n.n_results; i++)
    if (pt2_wants(&n, i) && !pt2_lookup(converter, n.results[i]))
      pt2_refuse(&n, "result %d", i);
  if (n.has_failed)
    return;
  if (pt2_changes(converter, call->target) && self && n.n_results)
    pt2_change(&n, self, pt2_lookup(converter, n.results[0])->name);
  else
    note_memory(&n, self);
}

void pt2_convert_calls(pt2_converter_t *converter, const pt2_graph_t *graph) {
  for (size_t i = 0; i < graph->n_calls; i++)
    if (is_read(converter->scope, &graph->calls[i]))
      convert_call(converter, &graph->calls[i]);
}

//===-- Graphs inside operators ----------------------------------------------------------------------------------===//

static void bind_operands(pt2_node_t *n, pt2_scope_t *scope, const pt2_graph_t *graph, const pt2_value_t *operands) {
  n->converter->scope = scope;
  for (size_t i = 0; i < graph->n_inputs; i++)
    if (graph->inputs[i].count && graph->inputs[i].items[0].name)
      pt2_bind(n->converter, graph->inputs[i].items[0].name, operands[i]);
}

const char **pt2_inline(pt2_node_t *n, graph_t *g, const pt2_graph_t *graph, int count, const pt2_value_t *operands) {
  pt2_converter_t *converter = n->converter;
  pt2_scope_t *outer = converter->scope;
  graph_t *outer_graph = converter->g;
  const char **results = strata_arena_array(n->arena, const char *, graph->n_outputs + 1);
  if ((size_t)count != graph->n_inputs || converter->depth == MAX_DEPTH)
    pt2_refuse(n, "a graph of %zu inputs for %d operands", graph->n_inputs, count);
  if (n->has_failed)
    return NULL;
  converter->depth++;
  bind_operands(n, pt2_new_scope(converter, graph), graph, operands);
  converter->g = g;
  pt2_convert_calls(converter, graph);
  for (size_t i = 0; i < graph->n_outputs; i++) {
    bool is_tensor = graph->outputs[i].count == 1 && graph->outputs[i].items[0].kind == PT2_TENSOR;
    const pt2_value_t *value = is_tensor ? pt2_lookup(converter, graph->outputs[i].items[0].name) : NULL;
    results[i] = value && !value->changed_by ? value->name : NULL;
  }
  converter->scope = outer;
  converter->g = outer_graph;
  converter->depth--;
  graph_origin(n->g, n->call->target, n->call->name);
  return results;
}
