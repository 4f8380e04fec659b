// Builders: a record of the op is filled and checked (infer.c), then folded to a constant where all is known, or made
// into an op.
#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"
#include "dialects/strata/record.h"

#include <stdio.h>

//===-- The core -------------------------------------------------------------------------------------------------===//

MlirValue strata_build_fail(strata_builder_t *b, strata_status_t status) {
  if (b->status)
    strata_status_free(status);
  else
    b->status = status;
  return (MlirValue){0};
}

static MlirValue fail_op(strata_builder_t *b, const char *name, strata_status_t status) {
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
  for (int i = 0; i < signature->n_attrs; i++)
    attrs[i] =
        mlirNamedAttributeGet(mlirIdentifierGet(context, signature->attrs[i].name), strata__encode_attr(context, r, i));
  MlirType results[STRATA__MAX_RESULTS];
  for (int i = 0; i < r->n_results; i++)
    results[i] = strata_shape_to_type(context, &r->results[i]);
  MlirOperationState state = mlirOperationStateGet(strata_str(strata_op_info[r->id].name), b->location);
  mlirOperationStateAddOperands(&state, r->n_operands, operands);
  mlirOperationStateAddResults(&state, r->n_results, results);
  mlirOperationStateAddAttributes(&state, signature->n_attrs, attrs);
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

// Checks the record, whose operands' shapes are taken from |operands|, and gives its results; false if it failed.
static bool build_results(strata_builder_t *b, strata__record_t *r, const MlirValue *operands, MlirValue *results) {
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
    fail_op(b, strata_op_info[r->id].name, status);
    return false;
  }
  if (fold(b, r, operands, results))
    return true;
  MlirOperation op = create(b, r, operands);
  for (int i = 0; i < r->n_results; i++)
    results[i] = mlirOperationGetResult(op, i);
  return true;
}

static MlirValue build(strata_builder_t *b, strata__record_t *r, const MlirValue *operands) {
  MlirValue results[STRATA__MAX_RESULTS];
  build_results(b, r, operands, results);
  return results[0];
}

// Builders that look at an operand's shape first: false where there is none to look at.
static bool usable(strata_builder_t *b, MlirValue x) { return !b->status && !mlirValueIsNull(x); }

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

MlirValue strata_build_unary(strata_builder_t *b, strata_op_id_t op, MlirValue x) {
  strata__record_t r = strata__record(op);
  return build(b, &r, &x);
}

MlirValue strata_build_binary(strata_builder_t *b, strata_op_id_t op, MlirValue x, MlirValue y) {
  strata__record_t r = strata__record(op);
  return build(b, &r, (MlirValue[]){x, y});
}

MlirValue strata_build_select(strata_builder_t *b, MlirValue condition, MlirValue x, MlirValue y) {
  strata__record_t r = strata__record(STRATA_OP_SELECT);
  return build(b, &r, (MlirValue[]){condition, x, y});
}

MlirValue strata_build_convert(strata_builder_t *b, strata_op_id_t op, MlirValue x, strata_type_t type) {
  if (op == STRATA_OP_CONVERT && usable(b, x) && strata_shape_of(x).type == type)
    return x;
  strata__record_t r = strata__record(op);
  r.results[0].type = type;
  return build(b, &r, &x);
}

//===-- Reductions, scans, windows -------------------------------------------------------------------------------===//

static const char *combiner_name(strata_combiner_t kind) {
  return kind < STRATA_COMBINER_COUNT ? strata_combiner_info[kind].name : "";
}

// Puts dims of size 1 where |reduced|, a result without the axes, had them.
static MlirValue keep_reduced_dims(strata_builder_t *b, MlirValue x, MlirValue reduced, int n_axes,
                                   const int64_t *axes) {
  if (!usable(b, reduced))
    return reduced;
  strata_shape_t shape = strata_shape_of(x);
  for (int i = 0; i < n_axes; i++)
    shape.dims[axes[i]] = strata_dim_constant(b->compile->context, 1);
  return strata_build_reshape(b, reduced, shape.rank, shape.dims);
}

MlirValue strata_build_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int n_axes, const int64_t *axes,
                              bool keep_dims) {
  strata__record_t r = strata__record(STRATA_OP_REDUCE);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64s(&r, "axes", n_axes, axes);
  MlirValue reduced = build(b, &r, &x);
  return keep_dims ? keep_reduced_dims(b, x, reduced, n_axes, axes) : reduced;
}

MlirValue strata_build_arg_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis,
                                  bool select_last) {
  strata__record_t r = strata__record(STRATA_OP_ARG_REDUCE);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "select_last", select_last);
  return build(b, &r, &x);
}

MlirValue strata_build_scan(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis, bool exclusive,
                            bool reverse) {
  strata__record_t r = strata__record(STRATA_OP_SCAN);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "exclusive", exclusive);
  strata__set_i64(&r, "reverse", reverse);
  return build(b, &r, &x);
}

MlirValue strata_build_sort(strata_builder_t *b, MlirValue x, int64_t axis, bool descending, bool is_unsigned,
                            MlirValue *out_positions) {
  strata__record_t r = strata__record(STRATA_OP_SORT);
  MlirValue results[STRATA__MAX_RESULTS];
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "descending", descending);
  strata__set_i64(&r, "unsigned", is_unsigned);
  build_results(b, &r, &x, results);
  *out_positions = results[1];
  return results[0];
}

MlirValue strata_build_window(strata_builder_t *b, strata_combiner_t kind, MlirValue x, const int64_t *window,
                              const int64_t *strides, const int64_t *dilations, const int64_t *low,
                              const int64_t *high) {
  if (!usable(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  strata__record_t r = strata__record(STRATA_OP_WINDOW);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64s(&r, "window", rank, window);
  strata__set_i64s(&r, "strides", rank, strides);
  strata__set_i64s(&r, "dilations", rank, dilations);
  strata__set_i64s(&r, "low", rank, low);
  strata__set_i64s(&r, "high", rank, high);
  return build(b, &r, &x);
}

MlirValue strata_build_contract(strata_builder_t *b, MlirValue lhs, MlirValue rhs, MlirAffineMap lhs_map,
                                MlirAffineMap rhs_map, MlirAffineMap result_map, const strata_shape_t *result,
                                bool zero_pad, const char *origin) {
  strata__record_t r = strata__record(STRATA_OP_CONTRACT);
  strata__set_maps(&r, "maps", 3, (MlirAffineMap[]){lhs_map, rhs_map, result_map});
  strata__set_i64(&r, "zero_pad", zero_pad);
  strata__set_string(&r, "origin", origin);
  r.results[0] = *result;
  return build(b, &r, (MlirValue[]){lhs, rhs});
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

MlirValue strata_build_transpose(strata_builder_t *b, MlirValue x, const int64_t *permutation) {
  if (!usable(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  bool is_identity = true;
  for (int i = 0; i < rank; i++)
    is_identity = is_identity && permutation[i] == i;
  if (is_identity)
    return x;
  strata__record_t r = strata__record(STRATA_OP_TRANSPOSE);
  strata__set_i64s(&r, "permutation", rank, permutation);
  return build(b, &r, &x);
}

static bool has_dims(const strata_shape_t *shape, int rank, const strata_dim_t *dims) {
  if (shape->rank != rank)
    return false;
  for (int i = 0; i < rank; i++)
    if (!strata_dim_equal(shape->dims[i], dims[i]))
      return false;
  return true;
}

// A shape with the given dims; an error if there are too many.
static bool shape_with(strata_builder_t *b, strata_type_t type, int rank, const strata_dim_t *dims,
                       strata_shape_t *out) {
  *out = (strata_shape_t){.type = type, .rank = rank};
  if (rank < 0 || rank > STRATA_MAX_RANK) {
    strata_build_fail(b, strata_error(STRATA_UNSUPPORTED, "expected at most %d dims, got %d", STRATA_MAX_RANK, rank));
    return false;
  }
  for (int i = 0; i < rank; i++)
    out->dims[i] = dims[i];
  return true;
}

MlirValue strata_build_reshape(strata_builder_t *b, MlirValue x, int rank, const strata_dim_t *dims) {
  if (!usable(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  if (has_dims(&shape, rank, dims))
    return x;
  strata__record_t r = strata__record(STRATA_OP_RESHAPE);
  if (!shape_with(b, shape.type, rank, dims, &r.results[0]))
    return (MlirValue){0};
  return build(b, &r, &x);
}

MlirValue strata_build_reshape_static(strata_builder_t *b, MlirValue x, int rank, const int64_t *sizes) {
  strata_shape_t shape = strata_shape_static(b->compile->context, STRATA_TYPE_F32, rank, sizes);
  return strata_build_reshape(b, x, rank, shape.dims);
}

MlirValue strata_build_slice(strata_builder_t *b, MlirValue x, const int64_t *starts, const int64_t *steps,
                             const int64_t *sizes) {
  if (!usable(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  strata__record_t r = strata__record(STRATA_OP_SLICE);
  strata__set_i64s(&r, "starts", shape.rank, starts);
  strata__set_i64s(&r, "steps", shape.rank, steps);
  r.results[0] = strata_shape_static(b->compile->context, shape.type, shape.rank, sizes);
  bool is_whole = has_dims(&shape, shape.rank, r.results[0].dims);
  for (int i = 0; i < shape.rank; i++)
    is_whole = is_whole && starts[i] == 0 && steps[i] == 1;
  return is_whole ? x : build(b, &r, &x);
}

// |value| as an attribute of the element type.
static MlirAttribute number_attr(MlirContext context, strata_type_t type, double value) {
  int64_t bits = 0;
  MlirType mlir_type = strata_type_to_mlir(context, type);
  if (strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT)
    return mlirFloatAttrDoubleGet(context, mlir_type, value);
  strata__store_number(type, &bits, 0, value);
  return mlirIntegerAttrGet(mlir_type, strata__load_i64(type, &bits, 0));
}

MlirValue strata_build_pad(strata_builder_t *b, MlirValue x, const int64_t *low, const int64_t *high, double value) {
  if (!usable(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  bool is_nothing = true;
  for (int i = 0; i < shape.rank; i++)
    is_nothing = is_nothing && low[i] == 0 && high[i] == 0;
  if (is_nothing || shape.type == STRATA_TYPE_COUNT)
    return x;
  strata__record_t r = strata__record(STRATA_OP_PAD);
  strata__set_i64s(&r, "low", shape.rank, low);
  strata__set_i64s(&r, "high", shape.rank, high);
  strata__set_any(&r, "value", number_attr(b->compile->context, shape.type, value));
  return build(b, &r, &x);
}

// A balanced tree: operands deep in a chain would be copied, or composed into maps, once a level.
MlirValue strata_build_concat(strata_builder_t *b, int n, const MlirValue *xs, int64_t axis) {
  if (n < 1)
    return fail_op(b, strata_op_info[STRATA_OP_CONCAT].name, strata__invalid("expected at least one operand"));
  if (n == 1)
    return xs[0];
  strata__record_t r = strata__record(STRATA_OP_CONCAT);
  strata__set_i64(&r, "axis", axis);
  int half = (n + 1) / 2;
  MlirValue first = strata_build_concat(b, half, xs, axis), second = strata_build_concat(b, n - half, xs + half, axis);
  return build(b, &r, (MlirValue[]){first, second});
}

MlirValue strata_build_broadcast(strata_builder_t *b, MlirValue x, const strata_shape_t *shape, MlirAffineMap map) {
  strata__record_t r = strata__record(STRATA_OP_BROADCAST);
  strata__set_maps(&r, "map", 1, &map);
  r.results[0] = *shape;
  return build(b, &r, &x);
}

static bool is_one(strata_dim_t dim) {
  int64_t size;
  return strata_dim_is_constant(dim, &size) && size == 1;
}

MlirValue strata_build_broadcast_to(strata_builder_t *b, MlirValue x, int rank, const strata_dim_t *dims) {
  if (!usable(b, x))
    return (MlirValue){0};
  MlirContext context = b->compile->context;
  strata_shape_t shape = strata_shape_of(x), result;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  if (has_dims(&shape, rank, dims))
    return x;
  if (!shape_with(b, shape.type, rank, dims, &result))
    return (MlirValue){0};
  for (int i = 0; i < shape.rank; i++) {
    int to = rank - shape.rank + i;
    bool stretches = is_one(shape.dims[i]) && (to < 0 || !is_one(dims[to]));
    exprs[i] = stretches ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, to < 0 ? 0 : to);
  }
  return strata_build_broadcast(b, x, &result, mlirAffineMapGet(context, rank, 0, shape.rank, exprs));
}

void strata_build_broadcast_pair(strata_builder_t *b, MlirValue *x, MlirValue *y) {
  strata_shape_t x_shape = strata_shape_of(*x), y_shape = strata_shape_of(*y), common;
  strata_status_t status = NULL;
  bool has_operands = usable(b, *x) && usable(b, *y);
  if (has_operands)
    status = strata__common_shape(&x_shape, &y_shape, &common);
  if (status)
    fail_op(b, strata_op_info[STRATA_OP_BROADCAST].name, status);
  if (status || !has_operands) {
    *x = *y = (MlirValue){0};
    return;
  }
  *x = strata_build_broadcast_to(b, *x, common.rank, common.dims);
  *y = strata_build_broadcast_to(b, *y, common.rank, common.dims);
}

//===-- Gather, scatter, generate --------------------------------------------------------------------------------===//

MlirValue strata_build_gather(strata_builder_t *b, MlirValue data, MlirValue indices, int64_t axis,
                              int64_t batch_dims) {
  strata__record_t r = strata__record(STRATA_OP_GATHER);
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "batch_dims", batch_dims);
  return build(b, &r, (MlirValue[]){data, indices});
}

MlirValue strata_build_scatter(strata_builder_t *b, const char *kind, MlirValue init, MlirValue indices,
                               MlirValue updates) {
  strata__record_t r = strata__record(STRATA_OP_SCATTER);
  strata__set_string(&r, "kind", kind);
  return build(b, &r, (MlirValue[]){init, indices, updates});
}

MlirValue strata_build_iota(strata_builder_t *b, const strata_shape_t *shape, int64_t axis) {
  strata__record_t r = strata__record(STRATA_OP_IOTA);
  strata__set_i64(&r, "axis", axis);
  r.results[0] = *shape;
  return build(b, &r, NULL);
}

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
    fail_op(b, strata_op_info[STRATA_OP_CONSTANT].name, status);
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

MlirValue strata_build_composite(strata_builder_t *b, strata_composite_id_t id, int n_operands,
                                 const MlirValue *operands, int n_attrs, const strata_attr_value_t *attrs) {
  const char *name = strata_composite_info[id].name;
  const strata__signature_t *signature = strata__composite_signature(id);
  strata_shape_t shapes[STRATA__MAX_NAMED_OPERANDS], shape;
  strata_named_attr_t named[STRATA__MAX_ATTRS];
  char names[STRATA__MAX_ATTRS][32];
  if (b->status)
    return (MlirValue){0};
  if (n_operands != signature->n_operands || n_attrs != signature->n_attrs)
    return fail_op(b, name, strata_error(STRATA_INTERNAL, "expected '%s'", strata_composite_info[id].signature));
  for (int i = 0; i < n_operands; i++) {
    if (mlirValueIsNull(operands[i]))
      return (MlirValue){0};
    shapes[i] = strata_shape_of(operands[i]);
  }
  strata_status_t status = strata__infer_composite(id, n_operands, shapes, &shape);
  if (status)
    return fail_op(b, name, status);
  MlirType type = strata_shape_to_type(b->compile->context, &shape);
  name_attrs(b->compile->context, signature, attrs, names, named);
  MlirOperation op = strata_op_create(b->location, name, n_operands, operands, 1, &type, n_attrs, named, 0, NULL);
  insert(b, op);
  return mlirOperationGetResult(op, 0);
}
