// Arguments of an operator by name: those given, the defaults of its row, and both as ONNX values.
#include "dialects/import/pt2/converter.h"

#include <stdlib.h>
#include <string.h>

//===-- By name --------------------------------------------------------------------------------------------------===//

// The default that the row has behind "name=", as an argument; NULL: it has none.
static const pt2_argument_t *default_of(const pt2_node_t *n, const char *name) {
  size_t length = strlen(name);
  for (const char *at = n->info->arguments; (at = strstr(at, name)); at += length) {
    if ((at != n->info->arguments && at[-1] != ' ') || at[length] != '=')
      continue;
    const char *text = at + length + 1;
    pt2_argument_t *argument = strata_arena_new(n->arena, pt2_argument_t);
    bool is_float = strcspn(text, ".") < strcspn(text, " ");
    *argument = (pt2_argument_t){.name = name, .count = 1, .items = strata_arena_new(n->arena, pt2_item_t)};
    argument->items[0].kind = is_float ? PT2_FLOAT : PT2_INT;
    argument->items[0].number = strtod(text, NULL);
    argument->items[0].integer = is_float ? 0 : strtoll(text, NULL, 10);
    return argument;
  }
  return NULL;
}

static const pt2_argument_t *find_argument(const pt2_node_t *n, const char *name) {
  for (size_t i = 0; i < n->call->n_inputs; i++) {
    const pt2_argument_t *argument = &n->call->inputs[i];
    if (!strcmp(argument->name, name))
      return argument->is_list || argument->items[0].kind != PT2_NONE ? argument : NULL;
  }
  return default_of(n, name);
}

bool pt2_has(const pt2_node_t *n, const char *name) { return find_argument(n, name); }

bool pt2_is_tensor(const pt2_node_t *n, const char *name) {
  const pt2_argument_t *argument = find_argument(n, name);
  return argument && !argument->is_list && argument->items[0].kind == PT2_TENSOR;
}

const pt2_item_t *pt2_items(pt2_node_t *n, const char *name, int *out_count) {
  const pt2_argument_t *argument = find_argument(n, name);
  *out_count = argument ? (int)argument->count : 0;
  return argument ? argument->items : NULL;
}

static const pt2_item_t *one_item(pt2_node_t *n, const char *name) {
  static const pt2_item_t none = {.kind = PT2_NONE};
  const pt2_argument_t *argument = find_argument(n, name);
  if (argument && argument->count == 1)
    return argument->items;
  pt2_refuse(n, "argument '%s': expected one value", name);
  return &none;
}

//===-- Tensors --------------------------------------------------------------------------------------------------===//

pt2_value_t pt2_item_tensor(pt2_node_t *n, const pt2_item_t *item) {
  static const pt2_value_t none = {.name = ""};
  bool is_value = item->kind == PT2_TENSOR || item->kind == PT2_SYMBOL;
  const pt2_value_t *value = is_value ? pt2_lookup(n->converter, item->name) : NULL;
  if (!value)
    pt2_refuse(n, is_value ? "there is no value '%s'" : "expected a tensor%s", is_value ? item->name : "");
  else if (value->changed_by)
    pt2_refuse(n, "'%s' is read after '%s' has changed its memory; export after run_decompositions()", item->name,
               value->changed_by);
  return n->has_failed ? none : *value;
}

pt2_value_t pt2_tensor(pt2_node_t *n, const char *name) { return pt2_item_tensor(n, one_item(n, name)); }

const pt2_meta_t *pt2_argument_meta(pt2_node_t *n, const char *name) {
  const pt2_item_t *item = one_item(n, name);
  return item->kind == PT2_TENSOR ? strata_string_map_get(&n->converter->scope->graph->tensors, item->name) : NULL;
}

//===-- Numbers --------------------------------------------------------------------------------------------------===//

static const pt2_item_t *number_of(pt2_node_t *n, const char *name) {
  const pt2_item_t *item = one_item(n, name);
  if (item->kind != PT2_INT && item->kind != PT2_FLOAT && item->kind != PT2_BOOL)
    pt2_refuse(n, "argument '%s': expected a number that is known", name);
  return item;
}

int64_t pt2_int(pt2_node_t *n, const char *name) {
  const pt2_item_t *item = number_of(n, name);
  if (item->kind == PT2_FLOAT)
    pt2_refuse(n, "argument '%s': expected an integer", name);
  return item->integer;
}

double pt2_number(pt2_node_t *n, const char *name) { return number_of(n, name)->number; }

bool pt2_bool(pt2_node_t *n, const char *name) { return pt2_int(n, name) != 0; }

const char *pt2_string(pt2_node_t *n, const char *name, const char *otherwise) {
  if (!pt2_has(n, name))
    return otherwise;
  const pt2_item_t *item = one_item(n, name);
  if (item->kind == PT2_STRING)
    return item->name;
  pt2_refuse(n, "argument '%s': expected a string", name);
  return otherwise;
}

const int64_t *pt2_ints(pt2_node_t *n, const char *name, int *count) {
  int given;
  const pt2_item_t *items = pt2_items(n, name, &given);
  if (*count < 0)
    *count = given;
  int64_t *values = strata_arena_array(n->arena, int64_t, *count + 1);
  if (given != *count && given != 1)
    pt2_refuse(n, "argument '%s': expected %d integers, got %d", name, *count, given);
  for (int i = 0; i < *count && !n->has_failed; i++) {
    const pt2_item_t *item = &items[given == 1 ? 0 : i];
    if (item->kind != PT2_INT)
      pt2_refuse(n, "argument '%s': expected integers that are known", name);
    values[i] = item->integer;
  }
  return values;
}

int64_t pt2_normal_axis(pt2_node_t *n, int64_t axis, int rank) {
  int64_t range = rank ? rank : 1;
  if (axis < -range || axis >= range)
    pt2_refuse(n, "expected an axis of %d dimensions, got %lld", rank, (long long)axis);
  return n->has_failed ? 0 : axis < 0 ? axis + range : axis;
}

int64_t pt2_axis(pt2_node_t *n, const char *name, int rank) { return pt2_normal_axis(n, pt2_int(n, name), rank); }

//===-- As values ------------------------------------------------------------------------------------------------===//

const char *pt2_cast(pt2_node_t *n, const pt2_value_t *value, strata_dtype_t dtype) {
  if (!n->has_failed && value->dtype == STRATA_DTYPE_NONE)
    pt2_refuse(n, "an operand of an element type that is not supported");
  return n->has_failed || value->dtype == dtype ? value->name : graph_cast(n->g, value->name, dtype);
}

const char *pt2_number_value(pt2_node_t *n, strata_dtype_t dtype, double value) {
  return n->has_failed ? "" : graph_number(n->g, dtype, value);
}

const char *pt2_item_value(pt2_node_t *n, const pt2_item_t *item, strata_dtype_t dtype) {
  if (item->kind == PT2_TENSOR || item->kind == PT2_SYMBOL) {
    pt2_value_t value = pt2_item_tensor(n, item);
    return pt2_cast(n, &value, dtype);
  }
  if (item->kind == PT2_INT && dtype == STRATA_DTYPE_I64)
    return n->has_failed ? "" : graph_int(n->g, item->integer);
  if (item->kind != PT2_INT && item->kind != PT2_FLOAT && item->kind != PT2_BOOL)
    pt2_refuse(n, "expected a number or a tensor");
  return pt2_number_value(n, dtype, item->number);
}

const char *pt2_operand(pt2_node_t *n, const char *name, strata_dtype_t dtype) {
  return pt2_item_value(n, one_item(n, name), dtype);
}

const char *pt2_items_value(pt2_node_t *n, int count, const pt2_item_t *items) {
  int64_t *known = strata_arena_array(n->arena, int64_t, count + 1), one = 1;
  const char **parts = strata_arena_array(n->arena, const char *, count + 1);
  bool are_known = true;
  for (int i = 0; i < count; i++) {
    are_known = are_known && items[i].kind == PT2_INT;
    known[i] = items[i].integer;
  }
  if (n->has_failed)
    return "";
  if (are_known)
    return graph_ints(n->g, count, known);
  for (int i = 0; i < count && !n->has_failed; i++) {
    const char *item = pt2_item_value(n, &items[i], STRATA_DTYPE_I64);
    parts[i] = n->has_failed ? "" : graph_reshape(n->g, item, 1, &one);
  }
  if (n->has_failed)
    return "";
  graph_node_t *concat = graph_node(n->g, "Concat", count, parts);
  graph_set_int(concat, "axis", 0);
  return graph_result(concat, NULL);
}

const char *pt2_sizes(pt2_node_t *n, const char *name) {
  int count;
  const pt2_item_t *items = pt2_items(n, name, &count);
  return pt2_items_value(n, count, items);
}

const char *pt2_shape(pt2_node_t *n, const char *value, int start, int end) {
  graph_node_t *shape = pt2_node(n, "Shape", GRAPH_VALUES(value));
  if (!shape)
    return "";
  graph_set_int(shape, "start", start);
  graph_set_int(shape, "end", end);
  return graph_result(shape, NULL);
}

const char *pt2_dim(pt2_node_t *n, const char *value, int64_t axis) {
  int64_t first = 0;
  const char *size = pt2_shape(n, value, (int)axis, (int)axis + 1);
  return n->has_failed ? "" : graph_squeeze(n->g, size, 1, &first);
}

//===-- Element types --------------------------------------------------------------------------------------------===//

bool pt2_is_float(strata_dtype_t dtype) { return strata_dtype_info[dtype].class_ == STRATA_DTYPE_CLASS_FLOAT; }

// Booleans, integers, floats.
static int category(strata_dtype_t dtype) {
  return dtype == STRATA_DTYPE_NONE ? -1 : dtype == STRATA_DTYPE_BOOL ? 0 : pt2_is_float(dtype) ? 2 : 1;
}

// The smallest type that holds both.
static strata_dtype_t common(strata_dtype_t a, strata_dtype_t b) {
  if (category(a) != category(b))
    return category(a) > category(b) ? a : b;
  if (a == b || category(a) <= 0)
    return a;
  int bits = strata_dtype_info[a].bits, other = strata_dtype_info[b].bits;
  if (category(a) == 2)
    return bits == other ? STRATA_DTYPE_F32 : bits > other ? a : b;
  if (bits == other && bits == 8) // signed and unsigned
    return STRATA_DTYPE_I16;
  return bits > other ? a : b;
}

// A number has a type of its own only where its category is above that of the tensors, and so has a tensor of no
// dimensions beside others.
strata_dtype_t pt2_promoted(pt2_node_t *n, const char *names) {
  enum { NUMBERS, SCALARS, TENSORS, LEVELS };
  strata_dtype_t types[LEVELS] = {0};
  for (const char *at = names; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    const char *name = strata_arena_printf(n->arena, "%.*s", (int)length, at);
    at += length;
    const pt2_item_t *item = one_item(n, name);
    bool is_number = item->kind != PT2_TENSOR;
    pt2_value_t value = {.dtype = item->kind == PT2_FLOAT  ? STRATA_DTYPE_F32
                                  : item->kind == PT2_BOOL ? STRATA_DTYPE_BOOL
                                                           : STRATA_DTYPE_I64};
    if (item->kind == PT2_TENSOR || item->kind == PT2_SYMBOL)
      value = pt2_item_tensor(n, item);
    int level = is_number ? NUMBERS : value.rank ? TENSORS : SCALARS;
    types[level] = common(types[level], is_number && value.dtype == STRATA_DTYPE_F64 ? STRATA_DTYPE_F32 : value.dtype);
  }
  strata_dtype_t type = types[TENSORS];
  for (int level = SCALARS; level >= NUMBERS; level--)
    if (category(types[level]) > category(type))
      type = types[level];
  return type;
}

//===-- Nodes and results ----------------------------------------------------------------------------------------===//

graph_node_t *pt2_node(pt2_node_t *n, const char *op, int n_operands, const char *const *operands) {
  return n->has_failed ? NULL : graph_node(n->g, op, n_operands, operands);
}

const char *pt2_op(pt2_node_t *n, const char *op, int n_operands, const char *const *operands) {
  return n->has_failed ? "" : graph_op(n->g, op, n_operands, operands);
}

const char *pt2_along(pt2_node_t *n, const char *op, int n_operands, const char *const *operands, int64_t axis) {
  graph_node_t *node = pt2_node(n, op, n_operands, operands);
  if (!node)
    return "";
  graph_set_int(node, "axis", axis);
  return graph_result(node, NULL);
}

const pt2_meta_t *pt2_result(const pt2_node_t *n, int i) {
  return i < n->n_results ? strata_string_map_get(&n->converter->scope->graph->tensors, n->results[i]) : NULL;
}

strata_dtype_t pt2_result_dtype(pt2_node_t *n) {
  const pt2_meta_t *meta = pt2_result(n, 0);
  if (!meta)
    pt2_refuse(n, "its result is no tensor");
  else if (meta->dtype == STRATA_DTYPE_NONE)
    pt2_refuse(n, "a result of element type %s", meta->dtype_name);
  return n->has_failed ? STRATA_DTYPE_F32 : meta->dtype;
}

bool pt2_wants(const pt2_node_t *n, int i) {
  return i < n->n_results && strata_string_map_get(&n->converter->scope->reads, n->results[i]);
}

void pt2_set(pt2_node_t *n, int i, const char *value) {
  if (i < n->n_results && !n->has_failed)
    pt2_bind(n->converter, n->results[i], (pt2_value_t){.name = value});
}

void pt2_set_as(pt2_node_t *n, int i, const char *value, strata_dtype_t dtype) {
  const pt2_meta_t *meta = pt2_result(n, i);
  bool is_other = meta && meta->dtype != STRATA_DTYPE_NONE && meta->dtype != dtype;
  pt2_set(n, i, is_other && !n->has_failed ? graph_cast(n->g, value, meta->dtype) : value);
}

void pt2_set_symbol(pt2_node_t *n, const char *value, strata_dtype_t dtype) {
  if (n->n_results == 1 && !n->has_failed)
    pt2_bind(n->converter, n->results[0], (pt2_value_t){.name = value, .dtype = dtype});
}
