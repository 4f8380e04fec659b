// Builders: a record of the op is filled (build_ops.c) and checked (infer.c), then folded to a constant where all is
// known, or made into an op.
#include "dialects/strata/build.h"

#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"

#include <stdio.h>

//===-- The core -------------------------------------------------------------------------------------------------===//

MlirValue strata_build_fail(strata_builder_t *b, strata_status_t status) {
  if (b->status)
    strata_status_free(status);
  else
    b->status = status;
  return (MlirValue){0};
}

MlirValue strata__build_fail_op(strata_builder_t *b, const char *name, strata_status_t status) {
  return strata_build_fail(b, strata__at(status, b->location, name));
}

static void insert(strata_builder_t *b, MlirOperation op) {
  if (mlirOperationIsNull(b->before))
    mlirBlockAppendOwnedOperation(b->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(b->block, b->before, op);
}

static MlirOperation create(strata_builder_t *b, const strata__record_t *r, const MlirValue *operands) {
  MlirContext context = b->compile->context;
  const strata__signature_t *signature = strata__op_signature(r->id);
  MlirNamedAttribute attrs[STRATA__MAX_ATTRS];
  int n_attrs = 0;
  for (int i = 0; i < signature->n_attrs; i++) {
    MlirAttribute attr = strata__encode_attr(context, r, i);
    if (!mlirAttributeIsNull(attr))
      attrs[n_attrs++] = mlirNamedAttributeGet(mlirIdentifierGet(context, signature->attrs[i].name), attr);
  }
  MlirType results[STRATA__MAX_RESULTS];
  for (int i = 0; i < r->n_results; i++)
    results[i] = strata_shape_to_type(context, &r->results[i]);
  MlirOperationState state = mlirOperationStateGet(strata_str(strata_op_info[r->id].name), b->location);
  mlirOperationStateAddOperands(&state, r->n_operands, operands);
  mlirOperationStateAddResults(&state, r->n_results, results);
  mlirOperationStateAddAttributes(&state, n_attrs, attrs);
  MlirOperation op = mlirOperationCreate(&state);
  insert(b, op);
  return op;
}

// A constant whose attribute |name| holds its value.
static MlirValue create_constant(strata_builder_t *b, MlirType type, const char *name, MlirAttribute attr) {
  strata_named_attr_t named = {name, attr};
  MlirOperation op =
      strata_op_create(b->location, strata_op_info[STRATA_OP_CONSTANT].name, 0, NULL, 1, &type, 1, &named, 0, NULL);
  insert(b, op);
  return mlirOperationGetResult(op, 0);
}

//===-- Folding --------------------------------------------------------------------------------------------------===//

enum { FOLD_WORK_LIMIT = 1 << 20 }; // multiply-adds of a contraction

static bool is_small(const strata_shape_t *shape) {
  int64_t count = strata_shape_count(shape);
  return count >= 0 && count <= STRATA_FOLD_LIMIT;
}

// Ops that keep_form is about: passes want to know that a bias is the same along most dims, and that weights are bytes.
static bool is_form(const strata__record_t *r) {
  const strata_type_info_t *from = &strata_type_info[r->operands[0].type];
  if (strata_type_info[r->results[0].type].kind != STRATA_TYPE_KIND_FLOAT || strata_shape_count(&r->operands[0]) == 1)
    return false;
  return r->id == STRATA_OP_BROADCAST || ((r->id == STRATA_OP_CONVERT || r->id == STRATA_OP_CONVERT_U) &&
                                          from->kind == STRATA_TYPE_KIND_INTEGER && from->bits <= 8);
}

// Whether a record is small enough; the cheap tests come first, for this is asked of every op.
static bool may_fold(strata_builder_t *b, const strata__record_t *r, const MlirValue *operands) {
  int64_t work = 1;
  if (strata__has_symbols(r))
    return false;
  for (int i = 0; i < r->n_operands; i++)
    if (!mlirValueIsAOpResult(operands[i]) || strata_op_id(mlirOpResultGetOwner(operands[i])) != STRATA_OP_CONSTANT ||
        !is_small(&r->operands[i]))
      return false;
  for (int i = 0; i < r->n_results; i++)
    if (!is_small(&r->results[i]))
      return false;
  if (r->id == STRATA_OP_CONTRACT)
    work = strata_shape_count(&r->results[0]) * strata_shape_count(&r->operands[0]);
  return !b->no_fold && work <= FOLD_WORK_LIMIT && !(b->keep_form && is_form(r));
}

static bool evaluate(strata_builder_t *b, strata_arena_t *arena, const strata__record_t *r, const MlirValue *operands,
                     void **results) {
  const void *data[STRATA__MAX_OPERANDS];
  bool is_splat;
  for (int i = 0; i < r->n_operands; i++)
    if (!strata__constant_bytes(b->compile, arena, operands[i], &data[i], &is_splat))
      return false;
  for (int i = 0; i < r->n_results; i++)
    results[i] = strata_arena_alloc(
        arena, (size_t)strata_type_storage_size(r->results[i].type, strata_shape_count(&r->results[i])));
  strata_status_t status = strata__evaluate(arena, r, data, results);
  strata_status_free(status); // no rule for it: the op stays
  return !status;
}

static bool fold(strata_builder_t *b, const strata__record_t *r, const MlirValue *operands, MlirValue *results) {
  if (!may_fold(b, r, operands))
    return false;
  strata_arena_t *arena = strata_arena_create();
  void *data[STRATA__MAX_RESULTS];
  bool folded = evaluate(b, arena, r, operands, data);
  for (int i = 0; folded && i < r->n_results; i++) {
    MlirType type = strata_shape_to_type(b->compile->context, &r->results[i]);
    results[i] = create_constant(
        b, type, "value",
        strata__dense_attr(arena, type, r->results[i].type, strata_shape_count(&r->results[i]), data[i], false));
  }
  strata_arena_destroy(arena);
  return folded;
}

bool strata__build_results(strata_builder_t *b, strata__record_t *r, const MlirValue *operands, MlirValue *results) {
  for (int i = 0; i < r->n_results; i++)
    results[i] = (MlirValue){0};
  if (b->status)
    return false;
  for (int i = 0; i < r->n_operands; i++) {
    if (mlirValueIsNull(operands[i]))
      return false;
    r->operands[i] = strata_shape_of(operands[i]);
  }
  strata_status_t status = strata__infer(r);
  if (status) {
    strata__build_fail_op(b, strata_op_info[r->id].name, status);
    return false;
  }
  if (fold(b, r, operands, results))
    return true;
  MlirOperation op = create(b, r, operands);
  for (int i = 0; i < r->n_results; i++)
    results[i] = mlirOperationGetResult(op, i);
  return true;
}

MlirValue strata__build(strata_builder_t *b, strata__record_t *r, const MlirValue *operands) {
  MlirValue results[STRATA__MAX_RESULTS];
  strata__build_results(b, r, operands, results);
  return results[0];
}

bool strata__build_can_look(strata_builder_t *b, MlirValue x) { return !b->status && !mlirValueIsNull(x); }

//===-- Constants ------------------------------------------------------------------------------------------------===//

// Checks the shape of a constant; -1 on failure, else the number of elements.
static int64_t constant_count(strata_builder_t *b, const strata_shape_t *shape) {
  if (b->status)
    return -1;
  strata__record_t r = strata__record(STRATA_OP_CONSTANT);
  r.results[0] = *shape;
  strata_status_t status = strata__infer(&r);
  int64_t count = status ? -1 : strata_shape_count(shape);
  if (!status && count < 0)
    status = strata_error(STRATA_INVALID_ARGUMENT, "the shape is not static");
  if (status)
    strata__build_fail_op(b, strata_op_info[STRATA_OP_CONSTANT].name, status);
  return count;
}

MlirValue strata_build_constant(strata_builder_t *b, const strata_shape_t *shape, const char *name, const void *data) {
  int64_t count = constant_count(b, shape);
  if (count < 0)
    return (MlirValue){0};
  MlirType type = strata_shape_to_type(b->compile->context, shape);
  if (count > STRATA_FOLD_LIMIT) {
    size_t size = (size_t)strata_type_storage_size(shape->type, count);
    const char *used = strata_compile_add_constant(b->compile, name, data, size);
    return create_constant(b, type, "data", strata_str_attr(b->compile->context, used));
  }
  strata_arena_t *arena = b->compile->arena;
  return create_constant(b, type, "value", strata__dense_attr(arena, type, shape->type, count, data, false));
}

// A constant that repeats the element at |element|; of a symbolic shape, the broadcast of one element.
static MlirValue build_repeated(strata_builder_t *b, const strata_shape_t *shape, const void *element) {
  MlirContext context = b->compile->context;
  strata_shape_t scalar = {.type = shape->type};
  int64_t sizes[STRATA_MAX_RANK];
  bool is_static = strata_shape_sizes(shape, sizes);
  if (constant_count(b, is_static ? shape : &scalar) < 0)
    return (MlirValue){0};
  MlirType type = strata_shape_to_type(context, is_static ? shape : &scalar);
  MlirAttribute dense = strata__dense_attr(b->compile->arena, type, shape->type, 1, element, true);
  MlirValue value = create_constant(b, type, "value", dense);
  if (is_static)
    return value;
  return strata_build_broadcast(b, value, shape, mlirAffineMapZeroResultGet(context, shape->rank, 0));
}

MlirValue strata_build_splat(strata_builder_t *b, const strata_shape_t *shape, double value) {
  int64_t element = 0;
  if (shape->type < STRATA_TYPE_COUNT)
    strata__store_number(shape->type, &element, 0, value);
  return build_repeated(b, shape, &element);
}

MlirValue strata_build_splat_int(strata_builder_t *b, const strata_shape_t *shape, int64_t value) {
  int64_t element = 0;
  if (shape->type < STRATA_TYPE_COUNT && strata_type_info[shape->type].kind != STRATA_TYPE_KIND_FLOAT)
    strata__store_i64(shape->type, &element, 0, value);
  else if (shape->type < STRATA_TYPE_COUNT)
    strata__store_f64(shape->type, &element, 0, (double)value);
  return build_repeated(b, shape, &element);
}

MlirValue strata_build_i64s(strata_builder_t *b, int n, const int64_t *values) {
  int64_t size = n;
  strata_shape_t shape = strata_shape_static(b->compile->context, STRATA_TYPE_I64, 1, &size);
  return strata_build_constant(b, &shape, "i64s", values);
}

//===-- Composites -----------------------------------------------------------------------------------------------===//

static MlirAttribute composite_attr(MlirContext context, strata__attr_kind_t kind, const strata_attr_value_t *value) {
  if (kind == STRATA__ATTR_F64)
    return mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), value->f64);
  if (kind == STRATA__ATTR_I64)
    return strata_i64_attr(context, value->i64s[0]);
  if (kind == STRATA__ATTR_BOOL)
    return strata_bool_attr(context, value->i64s[0]);
  return strata_i64s_attr(context, value->n_i64s, value->i64s);
}

// The op's attributes; |names| is room for their names.
static void name_attrs(MlirContext context, const strata__signature_t *signature, const strata_attr_value_t *values,
                       char (*names)[32], strata_named_attr_t *out) {
  for (int i = 0; i < signature->n_attrs; i++) {
    const strata__attr_spec_t *spec = &signature->attrs[i];
    snprintf(names[i], sizeof names[i], "%.*s", (int)spec->name.length, spec->name.data);
    out[i] = (strata_named_attr_t){names[i], composite_attr(context, spec->kind, &values[i])};
  }
}

MlirValue strata_build_jagged(strata_builder_t *b, strata_composite_id_t id, int n_operands, const MlirValue *operands,
                              int n_attrs, const strata_attr_value_t *attrs, const strata_shape_t *result) {
  const char *name = strata_composite_info[id].name;
  const strata__signature_t *signature = strata__composite_signature(id);
  strata_shape_t shapes[STRATA__MAX_NAMED_OPERANDS], shape = *result;
  strata_named_attr_t named[STRATA__MAX_ATTRS];
  char names[STRATA__MAX_ATTRS][32];
  if (b->status)
    return (MlirValue){0};
  if (n_operands != signature->n_operands || n_attrs != signature->n_attrs)
    return strata__build_fail_op(b, name,
                                 strata_error(STRATA_INTERNAL, "expected '%s'", strata_composite_info[id].signature));
  for (int i = 0; i < n_operands; i++) {
    if (mlirValueIsNull(operands[i]))
      return (MlirValue){0};
    shapes[i] = strata_shape_of(operands[i]);
  }
  strata_status_t status = strata__infer_composite(id, n_operands, shapes, &shape);
  if (status)
    return strata__build_fail_op(b, name, status);
  MlirType type = strata_shape_to_type(b->compile->context, &shape);
  name_attrs(b->compile->context, signature, attrs, names, named);
  MlirOperation op = strata_op_create(b->location, name, n_operands, operands, 1, &type, n_attrs, named, 0, NULL);
  insert(b, op);
  return mlirOperationGetResult(op, 0);
}

MlirValue strata_build_composite(strata_builder_t *b, strata_composite_id_t id, int n_operands,
                                 const MlirValue *operands, int n_attrs, const strata_attr_value_t *attrs) {
  return strata_build_jagged(b, id, n_operands, operands, n_attrs, attrs, &(strata_shape_t){0});
}
