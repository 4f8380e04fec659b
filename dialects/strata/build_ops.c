// The builders of ops, one each: what it is given becomes a record; see build.c.
#include "dialects/strata/build.h"

#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

MlirValue strata_build_unary(strata_builder_t *b, strata_op_id_t op, MlirValue x) {
  strata__record_t r = strata__record(op);
  return strata__build(b, &r, &x);
}

MlirValue strata_build_binary(strata_builder_t *b, strata_op_id_t op, MlirValue x, MlirValue y) {
  strata__record_t r = strata__record(op);
  return strata__build(b, &r, (MlirValue[]){x, y});
}

MlirValue strata_build_select(strata_builder_t *b, MlirValue condition, MlirValue x, MlirValue y) {
  strata__record_t r = strata__record(STRATA_OP_SELECT);
  return strata__build(b, &r, (MlirValue[]){condition, x, y});
}

MlirValue strata_build_convert(strata_builder_t *b, strata_op_id_t op, MlirValue x, strata_type_t type) {
  if (op == STRATA_OP_CONVERT && strata__build_can_look(b, x) && strata_shape_of(x).type == type)
    return x;
  strata__record_t r = strata__record(op);
  r.results[0].type = type;
  return strata__build(b, &r, &x);
}

static MlirValue marked_convert(strata_builder_t *b, MlirValue x, strata_type_t type, const char *mark) {
  MlirValue value = strata_build_convert(b, STRATA_OP_CONVERT, x, type);
  bool is_built = strata__build_can_look(b, value) && !mlirValueEqual(value, x);
  MlirOperation op = is_built ? strata_def(value) : (MlirOperation){NULL};
  if (!mlirOperationIsNull(op) && strata_op_id(op) == STRATA_OP_CONVERT)
    strata_set_attr(op, mark, mlirUnitAttrGet(b->compile->context));
  return value;
}

MlirValue strata_build_implied_convert(strata_builder_t *b, MlirValue x, strata_type_t type) {
  return marked_convert(b, x, type, STRATA_IMPLIED);
}

MlirValue strata_build_rounding(strata_builder_t *b, MlirValue x, strata_type_t type) {
  return marked_convert(b, x, type, STRATA_ROUNDS);
}

//===-- Reductions, scans, windows -------------------------------------------------------------------------------===//

static const char *combiner_name(strata_combiner_t kind) {
  return kind < STRATA_COMBINER_COUNT ? strata_combiner_info[kind].name : "";
}

// Puts dims of size 1 where |reduced|, a result without the axes, had them.
static MlirValue keep_reduced_dims(strata_builder_t *b, MlirValue x, MlirValue reduced, int n_axes,
                                   const int64_t *axes) {
  if (!strata__build_can_look(b, reduced))
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
  MlirValue reduced = strata__build(b, &r, &x);
  return keep_dims ? keep_reduced_dims(b, x, reduced, n_axes, axes) : reduced;
}

MlirValue strata_build_arg_reduce(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis,
                                  bool select_last) {
  strata__record_t r = strata__record(STRATA_OP_ARG_REDUCE);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "select_last", select_last);
  return strata__build(b, &r, &x);
}

MlirValue strata_build_scan(strata_builder_t *b, strata_combiner_t kind, MlirValue x, int64_t axis, bool exclusive,
                            bool reverse) {
  strata__record_t r = strata__record(STRATA_OP_SCAN);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "exclusive", exclusive);
  strata__set_i64(&r, "reverse", reverse);
  return strata__build(b, &r, &x);
}

MlirValue strata_build_sort(strata_builder_t *b, MlirValue x, int64_t axis, bool descending, bool is_unsigned,
                            MlirValue *out_positions) {
  strata__record_t r = strata__record(STRATA_OP_SORT);
  MlirValue results[STRATA__MAX_RESULTS];
  strata__set_i64(&r, "axis", axis);
  strata__set_i64(&r, "descending", descending);
  strata__set_i64(&r, "unsigned", is_unsigned);
  strata__build_results(b, &r, &x, results);
  *out_positions = results[1];
  return results[0];
}

MlirValue strata_build_window(strata_builder_t *b, strata_combiner_t kind, MlirValue x, const int64_t *window,
                              const int64_t *strides, const int64_t *dilations, const int64_t *low,
                              const int64_t *high) {
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  strata__record_t r = strata__record(STRATA_OP_WINDOW);
  strata__set_string(&r, "kind", combiner_name(kind));
  strata__set_i64s(&r, "window", rank, window);
  strata__set_i64s(&r, "strides", rank, strides);
  strata__set_i64s(&r, "dilations", rank, dilations);
  strata__set_i64s(&r, "low", rank, low);
  strata__set_i64s(&r, "high", rank, high);
  return strata__build(b, &r, &x);
}

MlirValue strata_build_contract(strata_builder_t *b, MlirValue lhs, MlirValue rhs, MlirAffineMap lhs_map,
                                MlirAffineMap rhs_map, MlirAffineMap result_map, const strata_shape_t *result,
                                bool zero_pad, const char *origin) {
  return strata_build_contract_of(b, lhs, rhs, (MlirAffineMap[]){lhs_map, rhs_map, result_map}, result, zero_pad,
                                  origin, false);
}

static strata__record_t contract_record(strata_op_id_t id, const MlirAffineMap maps[3], const strata_shape_t *result,
                                        bool zero_pad, const char *origin) {
  strata__record_t r = strata__record(id);
  strata__set_maps(&r, "maps", 3, maps);
  strata__set_i64(&r, "zero_pad", zero_pad);
  strata__set_string(&r, "origin", origin);
  r.results[0] = *result;
  return r;
}

MlirValue strata_build_contract_of(strata_builder_t *b, MlirValue lhs, MlirValue rhs, const MlirAffineMap maps[3],
                                   const strata_shape_t *result, bool zero_pad, const char *origin, bool unsigned_lhs) {
  strata__record_t r = contract_record(STRATA_OP_CONTRACT, maps, result, zero_pad, origin);
  strata__set_i64(&r, "unsigned_lhs", unsigned_lhs);
  return strata__build(b, &r, (MlirValue[]){lhs, rhs});
}

MlirValue strata_build_scaled_contract(strata_builder_t *b, const MlirValue operands[3], const MlirAffineMap maps[3],
                                       const strata_shape_t *result, bool zero_pad, const char *origin, int64_t axis) {
  strata__record_t r = contract_record(STRATA_OP_SCALED_CONTRACT, maps, result, zero_pad, origin);
  strata__set_i64(&r, "axis", axis);
  return strata__build(b, &r, operands);
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

MlirValue strata_build_transpose(strata_builder_t *b, MlirValue x, const int64_t *permutation) {
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  bool is_identity = true;
  for (int i = 0; i < rank; i++)
    is_identity = is_identity && permutation[i] == i;
  if (is_identity)
    return x;
  strata__record_t r = strata__record(STRATA_OP_TRANSPOSE);
  strata__set_i64s(&r, "permutation", rank, permutation);
  return strata__build(b, &r, &x);
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
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  if (has_dims(&shape, rank, dims))
    return x;
  strata__record_t r = strata__record(STRATA_OP_RESHAPE);
  if (!shape_with(b, shape.type, rank, dims, &r.results[0]))
    return (MlirValue){0};
  return strata__build(b, &r, &x);
}

MlirValue strata_build_reshape_static(strata_builder_t *b, MlirValue x, int rank, const int64_t *sizes) {
  strata_shape_t shape = strata_shape_static(b->compile->context, STRATA_TYPE_F32, rank, sizes);
  return strata_build_reshape(b, x, rank, shape.dims);
}

MlirValue strata_build_slice_dims(strata_builder_t *b, MlirValue x, const strata_dim_t *starts, const int64_t *steps,
                                  const strata_dim_t *sizes) {
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  strata__record_t r = strata__record(STRATA_OP_SLICE);
  strata__set_dims(&r, "starts", shape.rank, starts);
  strata__set_i64s(&r, "steps", shape.rank, steps);
  if (!shape_with(b, shape.type, shape.rank, sizes, &r.results[0]))
    return (MlirValue){0};
  bool is_whole = has_dims(&shape, shape.rank, r.results[0].dims);
  for (int i = 0; i < shape.rank; i++)
    is_whole = is_whole && strata_dim_is(starts[i], 0) && steps[i] == 1;
  return is_whole ? x : strata__build(b, &r, &x);
}

// |count| numbers, at most STRATA_MAX_RANK, as dims.
static const strata_dim_t *constants(strata_builder_t *b, strata_shape_t *room, int count, const int64_t *values) {
  *room = strata_shape_static(b->compile->context, STRATA_TYPE_I64, count, values);
  return room->dims;
}

MlirValue strata_build_slice(strata_builder_t *b, MlirValue x, const int64_t *starts, const int64_t *steps,
                             const int64_t *sizes) {
  strata_shape_t from, size;
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  return strata_build_slice_dims(b, x, constants(b, &from, rank, starts), steps, constants(b, &size, rank, sizes));
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

MlirValue strata_build_pad_dims(strata_builder_t *b, MlirValue x, const strata_dim_t *low, const strata_dim_t *high,
                                double value) {
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  strata_shape_t shape = strata_shape_of(x);
  bool is_nothing = true;
  for (int i = 0; i < shape.rank; i++)
    is_nothing = is_nothing && strata_dim_is(low[i], 0) && strata_dim_is(high[i], 0);
  if (is_nothing || shape.type == STRATA_TYPE_COUNT)
    return x;
  strata__record_t r = strata__record(STRATA_OP_PAD);
  strata__set_dims(&r, "low", shape.rank, low);
  strata__set_dims(&r, "high", shape.rank, high);
  strata__set_any(&r, "value", number_attr(b->compile->context, shape.type, value));
  return strata__build(b, &r, &x);
}

MlirValue strata_build_pad(strata_builder_t *b, MlirValue x, const int64_t *low, const int64_t *high, double value) {
  strata_shape_t before, after;
  if (!strata__build_can_look(b, x))
    return (MlirValue){0};
  int rank = strata_shape_of(x).rank;
  return strata_build_pad_dims(b, x, constants(b, &before, rank, low), constants(b, &after, rank, high), value);
}

// A balanced tree: operands deep in a chain would be copied, or composed into maps, once a level.
MlirValue strata_build_concat(strata_builder_t *b, int n, const MlirValue *xs, int64_t axis) {
  if (n < 1)
    return strata__build_fail_op(b, strata_op_info[STRATA_OP_CONCAT].name,
                                 strata__invalid("expected at least one operand"));
  if (n == 1)
    return xs[0];
  strata__record_t r = strata__record(STRATA_OP_CONCAT);
  strata__set_i64(&r, "axis", axis);
  int half = (n + 1) / 2;
  MlirValue first = strata_build_concat(b, half, xs, axis), second = strata_build_concat(b, n - half, xs + half, axis);
  return strata__build(b, &r, (MlirValue[]){first, second});
}

MlirValue strata_build_broadcast(strata_builder_t *b, MlirValue x, const strata_shape_t *shape, MlirAffineMap map) {
  strata__record_t r = strata__record(STRATA_OP_BROADCAST);
  strata__set_maps(&r, "map", 1, &map);
  r.results[0] = *shape;
  return strata__build(b, &r, &x);
}

static bool is_one(strata_dim_t dim) { return strata_dim_is(dim, 1); }

MlirValue strata_build_broadcast_to(strata_builder_t *b, MlirValue x, int rank, const strata_dim_t *dims) {
  if (!strata__build_can_look(b, x))
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
  bool has_operands = strata__build_can_look(b, *x) && strata__build_can_look(b, *y);
  if (has_operands)
    status = strata__common_shape(&x_shape, &y_shape, &common);
  if (status)
    strata__build_fail_op(b, strata_op_info[STRATA_OP_BROADCAST].name, status);
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
  return strata__build(b, &r, (MlirValue[]){data, indices});
}

MlirValue strata_build_scatter(strata_builder_t *b, const char *kind, MlirValue init, MlirValue indices,
                               MlirValue updates) {
  strata__record_t r = strata__record(STRATA_OP_SCATTER);
  strata__set_string(&r, "kind", kind);
  return strata__build(b, &r, (MlirValue[]){init, indices, updates});
}

MlirValue strata_build_iota(strata_builder_t *b, const strata_shape_t *shape, int64_t axis) {
  strata__record_t r = strata__record(STRATA_OP_IOTA);
  strata__set_i64(&r, "axis", axis);
  r.results[0] = *shape;
  return strata__build(b, &r, NULL);
}

MlirValue strata_build_dims(strata_builder_t *b, int count, const strata_dim_t *dims) {
  strata__record_t r = strata__record(STRATA_OP_DIMS);
  strata__set_dims(&r, "values", count, dims);
  const strata__attr_t *values = strata__get(&r, "values");
  if (!values->is_symbolic)
    return strata_build_i64s(b, count, values->i64s);
  r.results[0] = strata_shape_static(b->compile->context, STRATA_TYPE_I64, 1, &(int64_t){count});
  return strata__build(b, &r, NULL);
}

MlirValue strata_build_dim(strata_builder_t *b, strata_dim_t dim, strata_type_t type) {
  return strata_build_convert(b, STRATA_OP_CONVERT, strata_build_reshape(b, strata_build_dims(b, 1, &dim), 0, NULL),
                              type);
}
