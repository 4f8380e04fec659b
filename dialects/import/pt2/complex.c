// Complex tensors as two real ones, their parts: calls on these take the place of calls on complex tensors, so that the
// readers of operators, views and what is changed in place know nothing of complex numbers. Fourier transforms are one
// call with both parts.
#include "dialects/import/pt2/converter.h"
#include "dialects/import/pt2/split.h"

#include <string.h>

//===-- Types ----------------------------------------------------------------------------------------------------===//

static strata_dtype_t real_dtype(const char *name) {
  static const struct {
    const char *name;
    strata_dtype_t dtype;
  } rows[] = {{"complex32", STRATA_DTYPE_F16}, {"complex64", STRATA_DTYPE_F32}, {"complex128", STRATA_DTYPE_F64}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return rows[i].dtype;
  return STRATA_DTYPE_NONE;
}

// Of what is pickled nothing is known.
bool pt2_is_complex(const pt2_meta_t *meta) {
  return meta && meta->dtype_name && real_dtype(meta->dtype_name) != STRATA_DTYPE_NONE;
}

const char *pt2_part_name(strata_arena_t *arena, const char *name, int part) {
  return strata_arena_printf(arena, "%s.%s", name, part == SPLIT_REAL ? "real" : "imag");
}

static void set_real(pt2_meta_t *meta) {
  meta->dtype = real_dtype(meta->dtype_name);
  meta->dtype_name = strata_dtype_info[meta->dtype].name;
}

// Twice |size|, of numbers that lie in turns; -1, which no tensor has, where that is too large.
static void twice(pt2_size_t *size) {
  if (__builtin_mul_overflow(size->number, 2, &size->number))
    size->number = -1;
}

pt2_meta_t pt2_stored_part(const pt2_meta_t *meta, int part) {
  pt2_meta_t made = *meta;
  set_real(&made);
  for (int i = 0; i < made.rank; i++)
    twice(&made.strides[i]);
  twice(&made.offset);
  made.offset.number += made.offset.number >= 0 ? part : 0;
  return made;
}

//===-- What is split --------------------------------------------------------------------------------------------===//

pt2_meta_t *split_meta(const split_t *s, const pt2_item_t *item) {
  return item->kind == PT2_TENSOR ? strata_string_map_get(&s->graph->tensors, item->name) : NULL;
}

bool split_is_complex(const split_t *s, const pt2_item_t *item) {
  return item->kind == PT2_COMPLEX || pt2_is_complex(split_meta(s, item));
}

static const pt2_argument_t *find(const split_t *s, const char *name) {
  for (size_t i = 0; i < s->call->n_inputs; i++)
    if (!strcmp(s->call->inputs[i].name, name))
      return &s->call->inputs[i];
  return NULL;
}

bool split_has(const split_t *s, const char *name) {
  const pt2_argument_t *argument = find(s, name);
  return argument && argument->count == 1 && argument->items[0].kind != PT2_NONE;
}

pt2_item_t split_given(split_t *s, const char *name) {
  if (split_has(s, name))
    return find(s, name)->items[0];
  s->has_failed = true;
  return split_int(0);
}

pt2_item_t split_complex_given(split_t *s, const char *name) {
  pt2_item_t item = split_given(s, name);
  s->has_failed = s->has_failed || !pt2_is_complex(split_meta(s, &item));
  return item;
}

const pt2_item_t *split_result(const split_t *s) { return &s->call->outputs[0].items[0]; }

//===-- Parts ----------------------------------------------------------------------------------------------------===//

pt2_item_t split_part_of(const split_t *s, const pt2_item_t *item, int part) {
  if (item->kind == PT2_COMPLEX)
    return (pt2_item_t){.kind = PT2_FLOAT, .number = part == SPLIT_REAL ? item->number : item->imaginary};
  return (pt2_item_t){.kind = PT2_TENSOR, .name = pt2_part_name(s->arena, item->name ? item->name : "", part)};
}

pt2_item_t split_value_part(split_t *s, const pt2_item_t *item, int part) {
  const pt2_meta_t *meta = split_meta(s, item);
  if (split_is_complex(s, item))
    return split_part_of(s, item, part);
  if (part == SPLIT_REAL || item->kind == PT2_NONE)
    return *item;
  return meta ? split_new_unary(s, "aten.zeros_like.default", meta, *item) : split_int(0);
}

pt2_item_t split_result_part(split_t *s, int part) { return split_part_of(s, split_result(s), part); }

static void define_part(split_t *s, const pt2_item_t *item, int part) {
  pt2_meta_t *made = strata_arena_copy(s->arena, split_meta(s, item), sizeof *made);
  set_real(made);
  strata_string_map_put(s->arena, &s->graph->tensors, pt2_part_name(s->arena, item->name, part), made);
}

static void define_parts(split_t *s, size_t count, const pt2_argument_t *arguments) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < arguments[i].count; k++)
      for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++)
        if (pt2_is_complex(split_meta(s, &arguments[i].items[k])))
          define_part(s, &arguments[i].items[k], part);
}

//===-- Calls that are made --------------------------------------------------------------------------------------===//

pt2_item_t split_new_tensor(split_t *s, const pt2_meta_t *like) {
  const char *name = strata_arena_printf(s->arena, "%s.part%d", s->call->name, s->n_made++);
  pt2_meta_t *meta = strata_arena_copy(s->arena, like, sizeof *like);
  if (pt2_is_complex(meta))
    set_real(meta);
  strata_string_map_put(s->arena, &s->graph->tensors, name, meta);
  return (pt2_item_t){.kind = PT2_TENSOR, .name = name};
}

pt2_item_t split_int(int64_t value) { return (pt2_item_t){.kind = PT2_INT, .integer = value, .number = (double)value}; }

pt2_argument_t split_argument(split_t *s, const char *name, pt2_item_t item) {
  return (pt2_argument_t){.name = name, .count = 1, .items = strata_arena_copy(s->arena, &item, sizeof item)};
}

pt2_argument_t split_ints(split_t *s, const char *name, int count, const int64_t *values) {
  pt2_argument_t list = {.name = name, .is_list = true, .count = (size_t)count};
  list.items = strata_arena_array(s->arena, pt2_item_t, count);
  for (int i = 0; i < count; i++)
    list.items[i] = split_int(values[i]);
  return list;
}

pt2_call_t *split_add_call(split_t *s, const char *target, size_t n_inputs, const pt2_argument_t *inputs) {
  pt2_call_t *call = strata_vector_push(s->arena, &s->calls);
  *call = (pt2_call_t){.target = target, .name = s->call->name, .n_inputs = n_inputs};
  call->inputs = strata_arena_copy(s->arena, inputs, n_inputs * sizeof *inputs);
  return call;
}

void split_set_results(split_t *s, pt2_call_t *call, int count, const pt2_item_t *results) {
  call->n_outputs = (size_t)count;
  call->outputs = strata_arena_array(s->arena, pt2_argument_t, count);
  for (int i = 0; i < count; i++)
    call->outputs[i] = split_argument(s, "", results[i]);
}

void split_unary(split_t *s, const char *target, pt2_item_t out, pt2_item_t self) {
  pt2_argument_t argument = split_argument(s, "self", self);
  split_set_results(s, split_add_call(s, target, 1, &argument), 1, &out);
}

void split_binary(split_t *s, const char *target, pt2_item_t out, pt2_item_t self, pt2_item_t other) {
  pt2_argument_t arguments[] = {split_argument(s, "self", self), split_argument(s, "other", other)};
  split_set_results(s, split_add_call(s, target, 2, arguments), 1, &out);
}

pt2_item_t split_new_unary(split_t *s, const char *target, const pt2_meta_t *like, pt2_item_t self) {
  pt2_item_t out = split_new_tensor(s, like);
  split_unary(s, target, out, self);
  return out;
}

pt2_item_t split_new_binary(split_t *s, const char *target, const pt2_meta_t *like, pt2_item_t self, pt2_item_t other) {
  pt2_item_t out = split_new_tensor(s, like);
  split_binary(s, target, out, self, other);
  return out;
}

//===-- All calls ------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  void (*split)(split_t *s);
  const char *values;
} row_t;

static const row_t rows[] = {
#define PT2_COMPLEX(name, splitter, values) {name, pt2_split_##splitter, values},
#include "dialects/import/pt2/complex.def"
};

static const row_t *find_row(const char *target) {
  const char *first = strchr(target, '.'), *dot = first ? strchr(first + 1, '.') : NULL;
  size_t length = dot ? (size_t)(dot - target) : strlen(target);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strncmp(rows[i].name, target, length) && !rows[i].name[length])
      return &rows[i];
  return NULL;
}

static bool has_complex(const split_t *s, size_t count, const pt2_argument_t *arguments) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < arguments[i].count; k++)
      if (split_is_complex(s, &arguments[i].items[k]))
        return true;
  return false;
}

static bool gives_tensors(const split_t *s) {
  bool does = s->call->n_outputs > 0;
  for (size_t i = 0; i < s->call->n_outputs; i++) {
    does = does && s->call->outputs[i].count > 0;
    for (size_t k = 0; k < s->call->outputs[i].count; k++)
      does = does && split_meta(s, &s->call->outputs[i].items[k]);
  }
  return does;
}

static void split_by_row(split_t *s, const pt2_call_t *call) {
  const row_t *row = find_row(call->target);
  s->call = call;
  s->has_failed = !row || !gives_tensors(s);
  if (s->has_failed)
    return;
  s->values = row->values;
  define_parts(s, call->n_inputs, call->inputs);
  define_parts(s, call->n_outputs, call->outputs);
  row->split(s);
}

// "aten.mul.Tensor" of "aten.mul_.Tensor".
static const char *without_place(const split_t *s, const char *target) {
  const char *mark = strstr(target, "_.");
  return strata_arena_printf(s->arena, "%.*s%s", (int)(mark - target), target, mark + 1);
}

// Both parts are computed before one is changed.
static void split_in_place(split_t *s, const pt2_call_t *call) {
  pt2_item_t *value = strata_arena_new(s->arena, pt2_item_t);
  pt2_argument_t output = {.name = "", .count = 1, .items = value};
  pt2_call_t made = *call;
  s->call = call;
  bool has_self = call->n_inputs && call->inputs[0].count && split_is_complex(s, &call->inputs[0].items[0]);
  s->has_failed = !has_self || !gives_tensors(s) || !split_is_complex(s, split_result(s));
  if (s->has_failed)
    return;
  *value = (pt2_item_t){.kind = PT2_TENSOR, .name = strata_arena_printf(s->arena, "%s.next", call->name)};
  strata_string_map_put(s->arena, &s->graph->tensors, value->name, split_meta(s, split_result(s)));
  made.target = without_place(s, call->target);
  made.outputs = strata_arena_copy(s->arena, &output, sizeof output);
  split_by_row(s, strata_arena_copy(s->arena, &made, sizeof made));
  s->call = call;
  define_parts(s, call->n_outputs, call->outputs);
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY && !s->has_failed; part++) {
    pt2_argument_t arguments[] = {split_argument(s, "self", split_part_of(s, &call->inputs[0].items[0], part)),
                                  split_argument(s, "src", split_part_of(s, value, part))};
    pt2_item_t result = split_result_part(s, part);
    split_set_results(s, split_add_call(s, "aten.copy_.default", 2, arguments), 1, &result);
  }
}

static void split_call(split_t *s, const pt2_call_t *call) {
  size_t n_before = s->calls.count;
  s->n_made = 0;
  (pt2_is_in_place(call->target) ? split_in_place : split_by_row)(s, call);
  if (!s->has_failed)
    return;
  s->calls.count = n_before;
  *strata_vector_push(s->arena, &s->calls) = *call;
}

// Graphs are in the arena, as what the reader makes, and nothing has looked into them yet.
static void split_graphs_in(strata_arena_t *arena, const pt2_call_t *call) {
  for (size_t i = 0; i < call->n_inputs; i++)
    for (size_t k = 0; k < call->inputs[i].count; k++)
      if (call->inputs[i].items[k].kind == PT2_GRAPH)
        pt2_split_complex(arena, call->inputs[i].items[k].graph);
}

void pt2_split_complex(strata_arena_t *arena, pt2_graph_t *graph) {
  split_t s = {.arena = arena, .graph = graph};
  for (size_t i = 0; i < graph->n_calls; i++) {
    const pt2_call_t *call = &graph->calls[i];
    split_graphs_in(arena, call);
    if (has_complex(&s, call->n_inputs, call->inputs) || has_complex(&s, call->n_outputs, call->outputs))
      split_call(&s, call);
    else
      *strata_vector_push(arena, &s.calls) = *call;
  }
  graph->calls = s.calls.data;
  graph->n_calls = s.calls.count;
}
