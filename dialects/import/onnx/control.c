// If and optionals, resolved here: conditions must be known, but that both branches of an If may be computed, and one
// chosen, or be loops of one iteration or none (branch.c). For loops see iterate.c.
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
