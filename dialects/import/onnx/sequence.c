// Sequences. Most are lists of values at compile time. One that a loop appends a tensor to in each iteration is the
// rows of a tensor, as many as the loop has iterations; in its body it is what the iteration itself appends.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/importer.h"

#include <string.h>

enum { MAX_ITEMS = 4096 }; // every change copies the list

static void set_sequence(onnx_node_t *n, int i, size_t n_items, const onnx_value_t *items) {
  if (n_items > MAX_ITEMS)
    onnx_unsupported(n, "a sequence of more than %d items", MAX_ITEMS);
  onnx_set_value(n, i, (onnx_value_t){.kind = ONNX_SEQUENCE, .n_items = n_items, .items = items});
}

static bool is_rows(const onnx_value_t *sequence) { return !mlirValueIsNull(sequence->tensor); }

static const onnx_value_t *any_sequence(onnx_node_t *n, int i) {
  static const onnx_value_t empty = {.kind = ONNX_SEQUENCE};
  if (!onnx_has(n, i) || n->inputs[i].kind != ONNX_SEQUENCE) {
    onnx_invalid(n, "operand %d: expected a sequence", i);
    return &empty;
  }
  if (n->inputs[i].collector)
    onnx_unsupported(n, "operand %d: a loop appends to this sequence, in whose body nothing else is known of it", i);
  return &n->inputs[i];
}

// One whose items are known one by one.
static const onnx_value_t *sequence(onnx_node_t *n, int i) {
  const onnx_value_t *s = any_sequence(n, i);
  if (!onnx_failed(n) && is_rows(s))
    onnx_unsupported(n, "operand %d: a sequence of %s items", i, onnx_dim_text(n, onnx_shape(s->tensor).dims[0]));
  return s;
}

bool onnx_is_empty_sequence(const onnx_value_t *value) {
  return value->kind == ONNX_SEQUENCE && !value->n_items && !value->collector && !is_rows(value);
}

onnx_value_t onnx_collecting_sequence(const void *loop) {
  return (onnx_value_t){.kind = ONNX_SEQUENCE, .collector = loop};
}

const onnx_value_t *onnx_appended_item(const onnx_value_t *value, const void *loop) {
  bool is_one = value->kind == ONNX_SEQUENCE && value->collector == loop && value->n_items == 1;
  return is_one && value->items[0].kind == ONNX_TENSOR ? &value->items[0] : NULL;
}

onnx_value_t onnx_sequence_of_rows(MlirValue tensor, bool is_unsigned) {
  return (onnx_value_t){.kind = ONNX_SEQUENCE, .is_unsigned = is_unsigned, .tensor = tensor};
}

// The place that operand |i| means, counted from the end if negative; at most |last|.
static size_t place(onnx_node_t *n, int i, size_t n_items, size_t last) {
  int64_t at = onnx_constant_int(n, i, (int64_t)last);
  if (at < 0)
    at += (int64_t)n_items;
  if (!onnx_failed(n) && (at < 0 || (uint64_t)at > last))
    onnx_invalid(n, "place %lld is outside a sequence of %zu", (long long)at, n_items);
  return onnx_failed(n) ? 0 : (size_t)at;
}

void onnx_import_sequence_construct(onnx_node_t *n) { set_sequence(n, 0, (size_t)n->n_inputs, n->inputs); }

void onnx_import_sequence_empty(onnx_node_t *n) { set_sequence(n, 0, 0, NULL); }

// Operand |i| as a place among |length| items, counted from the end if negative.
static MlirValue place_by_data(onnx_node_t *n, int i, strata_dim_t length) {
  MlirValue place = onnx_convert(n, onnx_operand(n, i), false, STRATA_TYPE_I64, false);
  place = onnx_reshape(n, place, 0, NULL);
  MlirValue is_negative = onnx_with_number(n, STRATA_OP_LT, place, 0);
  return onnx_select(n, is_negative, onnx_with_dim(n, STRATA_OP_ADD, place, length), place);
}

void onnx_import_sequence_at(onnx_node_t *n) {
  const onnx_value_t *s = any_sequence(n, 0);
  if (!onnx_failed(n) && is_rows(s)) {
    onnx_value_t value = {.kind = ONNX_TENSOR, .is_unsigned = s->is_unsigned};
    value.tensor = strata_build_gather(n->b, s->tensor, place_by_data(n, 1, onnx_shape(s->tensor).dims[0]), 0, 0);
    onnx_set_value(n, 0, value);
    return;
  }
  s = sequence(n, 0);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  if (onnx_failed(n))
    return;
  if (s->n_items > 1 && !onnx_is_constant(n, 1) &&
      onnx_choose_item(n, 0, place_by_data(n, 1, onnx_dim(n, (int64_t)s->n_items)), s->n_items, s->items))
    return;
  size_t at = place(n, 1, s->n_items, s->n_items - 1);
  if (!onnx_failed(n))
    onnx_set_value(n, 0, s->items[at]);
}

// Behind what is there, in a loop's body.
static void append(onnx_node_t *n, const onnx_value_t *s) {
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_items + 1);
  if (s->n_items)
    memcpy(items, s->items, s->n_items * sizeof *items);
  items[s->n_items] = n->inputs[1];
  onnx_value_t value = *s;
  value.items = items;
  value.n_items++;
  onnx_set_value(n, 0, value);
}

void onnx_import_sequence_insert(onnx_node_t *n) {
  if (onnx_has(n, 0) && n->inputs[0].collector && n->n_inputs > 1 && !onnx_has(n, 2)) {
    append(n, &n->inputs[0]);
    return;
  }
  const onnx_value_t *s = sequence(n, 0);
  size_t at = place(n, 2, s->n_items, s->n_items);
  if (onnx_failed(n) || n->n_inputs < 2)
    return;
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_items + 1);
  for (size_t i = 0; i <= s->n_items; i++)
    items[i] = i < at ? s->items[i] : i == at ? n->inputs[1] : s->items[i - 1];
  set_sequence(n, 0, s->n_items + 1, items);
}

void onnx_import_sequence_erase(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  size_t at = onnx_failed(n) ? 0 : place(n, 1, s->n_items, s->n_items - 1);
  if (onnx_failed(n))
    return;
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, s->n_items);
  for (size_t i = 0; i + 1 < s->n_items; i++)
    items[i] = s->items[i < at ? i : i + 1];
  set_sequence(n, 0, s->n_items - 1, items);
}

void onnx_import_sequence_length(onnx_node_t *n) {
  const onnx_value_t *s = any_sequence(n, 0);
  int64_t length = (int64_t)s->n_items;
  if (!onnx_failed(n))
    onnx_set(n, 0,
             is_rows(s) ? strata_build_dim(n->b, onnx_shape(s->tensor).dims[0], STRATA_TYPE_I64)
                        : onnx_ints_constant(n, 0, NULL, &length));
}

// The rows one behind the other along |axis| of each, or of a new dim.
static MlirValue join_rows(onnx_node_t *n, MlirValue rows, bool new_axis) {
  strata_shape_t shape = onnx_shape(rows);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank - !new_axis);
  if (onnx_failed(n))
    return rows;
  rows = onnx_move_axis(n, rows, 0, axis);
  if (new_axis)
    return rows;
  strata_shape_t moved = onnx_shape(rows);
  strata_dim_t dims[STRATA_MAX_RANK];
  for (int i = 0; i + 1 < shape.rank; i++)
    dims[i] = i == axis ? strata_dim_mul(moved.dims[i], moved.dims[i + 1]) : moved.dims[i + (i > axis)];
  return onnx_reshape_dims(n, rows, shape.rank - 1, dims);
}

void onnx_import_concat_from_sequence(onnx_node_t *n) {
  const onnx_value_t *s = any_sequence(n, 0);
  bool new_axis = onnx_attr_int(n, "new_axis", 0);
  if (!onnx_failed(n) && is_rows(s)) {
    onnx_set_value(n, 0,
                   (onnx_value_t){.kind = ONNX_TENSOR,
                                  .is_unsigned = s->is_unsigned,
                                  .tensor = join_rows(n, s->tensor, new_axis)});
    return;
  }
  MlirValue *parts = strata_arena_array(n->b->compile->arena, MlirValue, s->n_items);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  int axis = 0;
  for (size_t i = 0; i < s->n_items && !onnx_failed(n); i++) {
    if (s->items[i].kind != ONNX_TENSOR)
      onnx_invalid(n, "item %zu is not a tensor", i);
    parts[i] = s->items[i].tensor;
    axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), onnx_shape(parts[i]).rank + new_axis);
    if (new_axis && !onnx_failed(n))
      parts[i] = onnx_insert_axis(n, parts[i], axis);
  }
  if (onnx_failed(n))
    return;
  onnx_value_t value = s->items[0];
  value.tensor = strata_build_concat(n->b, (int)s->n_items, parts, axis);
  onnx_set_value(n, 0, value);
}

// Pieces whose sizes data decide.
static void split_by_data(onnx_node_t *n) {
  int64_t count;
  const MlirValue *parts = onnx_parts_by_data(n, onnx_attr_int(n, "axis", 0), &count);
  onnx_value_t *items = strata_arena_array(n->b->compile->arena, onnx_value_t, count);
  for (int64_t i = 0; i < count; i++)
    items[i] = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = onnx_is_unsigned(n, 0), .tensor = parts[i]};
  set_sequence(n, 0, (size_t)count, items);
}

// Pieces of the given sizes; of one size, the last smaller; or of one element, without the dim unless it is kept.
void onnx_import_split_to_sequence(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  if (onnx_has_data_parts(n)) {
    split_by_data(n);
    return;
  }
  onnx_shape_t shape = onnx_sizes(n, x);
  int axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  int64_t count, start = 0;
  const int64_t *sizes = onnx_constant_ints(n, 1, &count);
  bool is_list = sizes && onnx_operand_shape(n, 1).rank == 1, drop = !sizes && !onnx_attr_int(n, "keepdims", 1);
  STRATA_VECTOR(onnx_value_t) items = {0};
  if (onnx_failed(n))
    return;
  for (int64_t i = 0; is_list ? i < count : start < shape.dims[axis]; i++) {
    int64_t left = shape.dims[axis] - start, size = is_list ? sizes[i] : sizes ? sizes[0] : 1;
    size = !is_list && size > left ? left : size;
    if (size < !is_list || size > left) {
      onnx_invalid(n, "split: the sizes do not add up to %lld", (long long)shape.dims[axis]);
      return;
    }
    MlirValue part = onnx_slice_axis(n, x, axis, size ? start : 0, 1, size);
    *strata_vector_push(n->b->compile->arena, &items) =
        (onnx_value_t){.kind = ONNX_TENSOR,
                       .is_unsigned = onnx_is_unsigned(n, 0),
                       .tensor = drop ? onnx_remove_axis(n, part, axis) : part};
    start += size;
  }
  set_sequence(n, 0, items.count, items.data);
}

// The body for each item of the first sequence, with the items of the others at the same place and the tensors as they
// are.
void onnx_import_sequence_map(onnx_node_t *n) {
  strata_arena_t *arena = n->b->compile->arena;
  size_t length = sequence(n, 0)->n_items;
  onnx_value_t **items = strata_arena_array(arena, onnx_value_t *, n->n_outputs);
  onnx_value_t *results, *inputs = strata_arena_array(arena, onnx_value_t, n->n_inputs);
  for (int i = 0; i < n->n_outputs; i++)
    items[i] = strata_arena_array(arena, onnx_value_t, length);
  for (size_t k = 0; k < length && !onnx_failed(n); k++) {
    for (int i = 0; i < n->n_inputs; i++) {
      bool is_sequence = n->inputs[i].kind == ONNX_SEQUENCE;
      if (is_sequence && n->inputs[i].n_items != length)
        onnx_invalid(n, "the sequences have %zu and %zu items", length, n->inputs[i].n_items);
      inputs[i] = is_sequence && !onnx_failed(n) ? n->inputs[i].items[k] : n->inputs[i];
    }
    int count;
    if (onnx_failed(n) || !onnx_import_body(n, "body", n->n_inputs, inputs, &count, &results))
      return;
    if (onnx_has_poison(count, results)) {
      onnx_poison_all(n);
      return;
    }
    for (int i = 0; i < n->n_outputs && i < count; i++)
      items[i][k] = results[i];
  }
  for (int i = 0; i < n->n_outputs; i++)
    set_sequence(n, i, length, items[i]);
}
