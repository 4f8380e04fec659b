// Checks every strata op of a module against the rules of infer.c, and its result types against what they imply.
#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/record.h"
#include "dialects/strata/symbols.h"

#include <stdio.h>

enum { MAX_REPORTS = 20 };

typedef struct {
  strata_compile_t *compile;
  strata_status_t status; // one line an op
  int n_reports;
} verifier_t;

static bool same_shape(const strata_shape_t *a, const strata_shape_t *b) {
  bool same = a->type == b->type && a->rank == b->rank;
  for (int i = 0; same && i < a->rank; i++)
    same = strata_dim_equal(a->dims[i], b->dims[i]);
  return same;
}

static strata_status_t check_constant(verifier_t *v, MlirOperation op) {
  MlirAttribute value = strata_attr(op, "value"), data = strata_attr(op, "data");
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirAttributeIsNull(value) == mlirAttributeIsNull(data))
    return strata__invalid("expected one of the attributes 'value' and 'data'");
  if (!mlirAttributeIsNull(value)) {
    if (!mlirAttributeIsADenseElements(value) || !mlirTypeEqual(mlirAttributeGetType(value), type))
      return strata__invalid("value: expected dense elements of the result's type");
    return NULL;
  }
  MlirStringRef name = strata_attr_str(op, "data");
  const char *text = strata_arena_printf(v->compile->arena, "%.*s", (int)name.length, name.data);
  const strata_constant_data_t *constant = strata_compile_find_constant(v->compile, text);
  if (!constant)
    return strata__invalid("data: there is no constant called '%s'", text);
  strata_shape_t shape = strata_shape_from_type(type);
  int64_t expected = strata_type_storage_size(shape.type, strata_shape_count(&shape));
  if (expected < 0 || (uint64_t)expected != constant->size)
    return strata__invalid("data: expected %lld bytes, '%s' has %zu", (long long)expected, text, constant->size);
  return NULL;
}

static strata_status_t check_result(MlirOperation op, int index, const strata_shape_t *expected) {
  char expected_text[160], text[160];
  strata_shape_t shape = strata_shape_of(mlirOperationGetResult(op, index));
  if (same_shape(&shape, expected))
    return NULL;
  return strata__invalid("result %d: expected %s, got %s", index,
                         strata__shape_text(expected, expected_text, sizeof expected_text),
                         strata__shape_text(&shape, text, sizeof text));
}

static strata_status_t check_primitive(verifier_t *v, MlirOperation op) {
  strata__record_t record;
  STRATA_TRY(strata__decode(op, &record));
  for (int i = 0; i < record.n_results; i++)
    if (record.results[i].type == STRATA_TYPE_COUNT)
      return strata__invalid("result %d: expected a ranked tensor of at most %d dims of a supported type", i,
                             STRATA_MAX_RANK);
  STRATA_TRY(strata__infer(&record));
  for (int i = 0; i < record.n_results; i++)
    STRATA_TRY(check_result(op, i, &record.results[i]));
  return record.id == STRATA_OP_CONSTANT ? check_constant(v, op) : NULL;
}

static strata_status_t check_composite(MlirOperation op) {
  strata_composite_id_t id = strata_op_composite(op);
  const strata__signature_t *signature = strata__composite_signature(id);
  strata_shape_t operands[STRATA__MAX_NAMED_OPERANDS], expected;
  strata__attr_t attrs[STRATA__MAX_ATTRS] = {0};
  if (mlirOperationGetNumOperands(op) != signature->n_operands || mlirOperationGetNumResults(op) != 1)
    return strata__invalid("expected %d operands and 1 result", signature->n_operands);
  for (int i = 0; i < signature->n_operands; i++)
    operands[i] = strata_shape_of(mlirOperationGetOperand(op, i));
  expected = strata_shape_of(mlirOperationGetResult(op, 0));
  STRATA_TRY(strata__infer_composite(id, signature->n_operands, operands, &expected));
  STRATA_TRY(strata__decode_attrs(op, signature, attrs));
  return check_result(op, 0, &expected);
}

// Joins the error of an op to those before it.
static void report(verifier_t *v, MlirOperation op, strata_status_t status) {
  char name[64];
  MlirStringRef op_name = strata_op_name(op);
  snprintf(name, sizeof name, "%.*s", (int)op_name.length, op_name.data);
  status = strata__at(status, mlirOperationGetLocation(op), name);
  if (v->status) {
    strata_status_t joined = strata__invalid("%s\n%s", strata_status_message(v->status), strata_status_message(status));
    strata_status_free(status);
    strata_status_free(v->status);
    status = joined;
  }
  v->status = status;
  v->n_reports++;
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  verifier_t *v = user;
  strata_status_t status = strata__check_attributes(op);
  if (!status && strata_op_id(op) != STRATA_OP_COUNT)
    status = check_primitive(v, op);
  else if (!status && strata_op_composite(op) != STRATA_COMPOSITE_COUNT)
    status = check_composite(op);
  if (status)
    report(v, op, status);
  return v->n_reports < MAX_REPORTS ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

strata_status_t strata_verify(strata_compile_t *compile) {
  verifier_t v = {.compile = compile};
  mlirOperationWalk(mlirModuleGetOperation(compile->module), visit, &v, MlirWalkPreOrder);
  return v.status;
}

strata_status_t strata_verify_graph(strata_compile_t *compile) {
  strata_symbols_t symbols;
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &symbols));
  STRATA_TRY(strata_verify(compile));
  return strata_counted_loops_verify(compile->arena, compile->module);
}
