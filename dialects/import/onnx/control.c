// Control flow, sequences and optionals, all of it resolved here: conditions must be known, but that both branches of
// an If may be computed, and one chosen, or be loops of one iteration or none (branch.c); a sequence is a list of
// values. For loops see iterate.c.
#include "dialects/import/onnx/control.h"
#include "dialects/import/onnx/importer.h"

bool onnx_has_poison(int count, const onnx_value_t *values) {
  for (int i = 0; i < count; i++)
    if (values[i].kind == ONNX_POISONED)
      return true;
  return false;
}

void onnx_check_count(onnx_node_t *n, int count) {
  if (!onnx_failed(n) && n->n_outputs > count)
    onnx_invalid(n, "expected %d results, as many as the body gives, got %d", count, n->n_outputs);
}

void onnx_set_all(onnx_node_t *n, int count, const onnx_value_t *values) {
  for (int i = 0; i < count; i++)
    onnx_set_value(n, i, values[i]);
}

void onnx_poison_all(onnx_node_t *n) {
  for (int i = 0; i < n->n_outputs; i++)
    n->outputs[i] = (onnx_value_t){.kind = ONNX_POISONED};
}

bool onnx_known_bool(onnx_node_t *n, MlirValue value, bool *out) {
  const int64_t *values;
  int64_t count;
  if (!onnx_known_ints(n, value, &values, &count) || count != 1)
    return false;
  *out = values[0] != 0;
  return true;
}

//===-- If -------------------------------------------------------------------------------------------------------===//

static bool have_one_type(const onnx_value_t *a, const onnx_value_t *b) {
  return a->kind == ONNX_TENSOR && b->kind == ONNX_TENSOR && a->is_unsigned == b->is_unsigned &&
         mlirTypeEqual(mlirValueGetType(a->tensor), mlirValueGetType(b->tensor));
}

static bool is_counted(const onnx_node_t *n, MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  return shape.type != STRATA_TYPE_COUNT && strata_shape_is_counted(&n->importer->symbols, &shape);
}

// Whether ops behind |last|, or all of the block where that is null, have sizes that depend on data.
static bool has_counts_behind(const onnx_node_t *n, MlirOperation last) {
  MlirOperation op =
      mlirOperationIsNull(last) ? mlirBlockGetFirstOperation(n->b->block) : mlirOperationGetNextInBlock(last);
  for (; n->importer->counts.list.count && !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (is_counted(n, mlirOperationGetOperand(op, i)))
        return true;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
      if (is_counted(n, mlirOperationGetResult(op, i)))
        return true;
  }
  return false;
}

static MlirOperation last_op(MlirBlock block) {
  MlirOperation last = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    last = op;
  return last;
}

// A condition that is not known: both branches, whose results must then be tensors of one shape.
static void choose(onnx_node_t *n, MlirValue condition) {
  int n_then, n_else;
  onnx_value_t *then_results, *else_results;
  // Where there are none so far, all that there will be are behind; the block is long.
  MlirOperation last = n->importer->counts.list.count ? last_op(n->b->block) : (MlirOperation){NULL};
  if (!onnx_import_body(n, "then_branch", 0, NULL, &n_then, &then_results) ||
      !onnx_import_body(n, "else_branch", 0, NULL, &n_else, &else_results))
    return;
  if (onnx_has_poison(n_then, then_results) || onnx_has_poison(n_else, else_results)) {
    onnx_poison_all(n);
    return;
  }
  onnx_check_count(n, n_then < n_else ? n_then : n_else);
  bool are_alike = true;
  for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
    are_alike = are_alike && have_one_type(&then_results[i], &else_results[i]);
  if (!onnx_failed(n) && !are_alike &&
      (has_counts_behind(n, last) || !onnx_import_branches(n, condition, then_results, else_results))) {
    for (int i = 0; i < n->n_outputs && !onnx_failed(n); i++)
      if (!onnx_choose_result(n, i, condition, &then_results[i], &else_results[i]))
        onnx_unsupported(n, "a condition that is not known at compile time, with results of two kinds or shapes%s",
                         onnx_binding_hint(n, condition));
  }
  for (int i = 0; i < n->n_outputs && are_alike && !onnx_failed(n); i++) {
    onnx_value_t value = then_results[i];
    value.tensor = onnx_select(n, onnx_reshape(n, condition, 0, NULL), value.tensor, else_results[i].tensor);
    onnx_set_value(n, i, value);
  }
}

void onnx_import_if(onnx_node_t *n) {
  MlirValue condition = onnx_operand(n, 0);
  bool is_true;
  int count;
  onnx_value_t *results;
  if (onnx_failed(n))
    return;
  if (!onnx_known_bool(n, condition, &is_true))
    choose(n, condition);
  else if (onnx_import_body(n, is_true ? "then_branch" : "else_branch", 0, NULL, &count, &results)) {
    onnx_check_count(n, count);
    onnx_set_all(n, count, results);
  }
}

//===-- Sequences ------------------------------------------------------------------------------------------------===//

enum { MAX_ITEMS = 4096 }; // every change copies the list

static void set_sequence(onnx_node_t *n, int i, size_t n_items, const onnx_value_t *items) {
  if (n_items > MAX_ITEMS)
    onnx_unsupported(n, "a sequence of more than %d items", MAX_ITEMS);
  onnx_set_value(n, i, (onnx_value_t){.kind = ONNX_SEQUENCE, .n_items = n_items, .items = items});
}

static const onnx_value_t *sequence(onnx_node_t *n, int i) {
  static const onnx_value_t empty = {.kind = ONNX_SEQUENCE};
  if (onnx_has(n, i) && n->inputs[i].kind == ONNX_SEQUENCE)
    return &n->inputs[i];
  onnx_invalid(n, "operand %d: expected a sequence", i);
  return &empty;
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

void onnx_import_sequence_at(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  if (!onnx_failed(n) && !s->n_items)
    onnx_invalid(n, "the sequence is empty");
  size_t at = onnx_failed(n) ? 0 : place(n, 1, s->n_items, s->n_items - 1);
  if (!onnx_failed(n))
    onnx_set_value(n, 0, s->items[at]);
}

void onnx_import_sequence_insert(onnx_node_t *n) {
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
  int64_t length = (int64_t)sequence(n, 0)->n_items;
  onnx_set(n, 0, onnx_ints_constant(n, 0, NULL, &length));
}

void onnx_import_concat_from_sequence(onnx_node_t *n) {
  const onnx_value_t *s = sequence(n, 0);
  bool new_axis = onnx_attr_int(n, "new_axis", 0);
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

// Pieces of the given sizes; of one size, the last smaller; or of one element, without the dim unless it is kept.
void onnx_import_split_to_sequence(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
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

//===-- Optionals ------------------------------------------------------------------------------------------------===//

void onnx_import_optional(onnx_node_t *n) {
  onnx_set_value(n, 0, n->n_inputs > 0 ? n->inputs[0] : (onnx_value_t){.kind = ONNX_ABSENT});
}

void onnx_import_optional_get_element(onnx_node_t *n) {
  if (onnx_has(n, 0))
    onnx_set_value(n, 0, n->inputs[0]);
  else
    onnx_invalid(n, "the optional is empty");
}

void onnx_import_optional_has_element(onnx_node_t *n) {
  onnx_set(n, 0, onnx_splat(n, STRATA_TYPE_I1, 0, NULL, onnx_has(n, 0)));
}
