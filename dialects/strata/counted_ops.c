// What operations do not read, or read elsewhere, where a size depends on data: the rules of strata_bound_counts, one a
// kind. Ops that work element by element, gather, or only move dims have none: what is behind a count stays there.
#include "dialects/mlir_util.h"
#include "dialects/strata/build.h"
#include "dialects/strata/counted_rules.h"
#include "dialects/strata/eval.h"

#include <math.h>

typedef strata__bounding_t bounding_t;

static const MlirValue in_place = {NULL};

static bool is_counted(const bounding_t *x, strata_dim_t dim) { return strata_dim_is_counted(x->symbols, dim); }
static MlirValue operand(const bounding_t *x, int i) { return mlirOperationGetOperand(x->op, i); }
static MlirContext context_of(const bounding_t *x) { return x->b.compile->context; }

static bool is_never_negative(const bounding_t *x, strata_dim_t dim) {
  return strata_dim_range(dim, x->symbols).min >= 0;
}

//===-- Small tensors of places ----------------------------------------------------------------------------------===//

static MlirValue binary(bounding_t *x, strata_op_id_t op, MlirValue lhs, MlirValue rhs) {
  return strata_build_binary(&x->b, op, lhs, rhs);
}

// |value|, of one dim or none, along |axis| of the shape.
static MlirValue along(bounding_t *x, MlirValue value, const strata_shape_t *shape, int axis) {
  if (mlirValueIsNull(value))
    return value;
  strata_shape_t result = *shape, from = strata_shape_of(value);
  result.type = from.type;
  MlirAffineExpr expr = mlirAffineDimExprGet(context_of(x), axis);
  return strata_build_broadcast(&x->b, value, &result,
                                mlirAffineMapGet(context_of(x), shape->rank, 0, from.rank, &expr));
}

static strata_shape_t vector_of(strata_dim_t size) {
  return (strata_shape_t){.type = STRATA_TYPE_I64, .rank = 1, .dims = {size}};
}

// 0, 1, ... of |size| numbers.
static MlirValue places(bounding_t *x, strata_dim_t size) {
  strata_shape_t shape = vector_of(size);
  return strata_build_iota(&x->b, &shape, 0);
}

// |lhs|, of one dim, op the value of |dim|.
static MlirValue with_dim(bounding_t *x, strata_op_id_t op, MlirValue lhs, strata_dim_t dim) {
  if (mlirValueIsNull(lhs))
    return lhs;
  strata_shape_t shape = strata_shape_of(lhs);
  return binary(x, op, lhs, along(x, strata__count_value(x, dim, false), &shape, 0));
}

//===-- Masks ----------------------------------------------------------------------------------------------------===//

static number_t number_of(strata_type_t type, int64_t value) {
  return strata_type_is_float(type) ? (number_t){.f = (double)value} : (number_t){.i = value};
}

static MlirValue splat(bounding_t *x, const strata_shape_t *shape, number_t value) {
  strata_shape_t scalar = {.type = shape->type};
  int64_t number = shape->type == STRATA_TYPE_I1 ? value.i != 0 : value.i;
  MlirValue one = strata_type_is_float(shape->type) ? strata_build_splat(&x->b, &scalar, value.f)
                                                    : strata_build_splat_int(&x->b, &scalar, number);
  return along(x, one, shape, 0);
}

// |value| where |inside|, which is along |axis|, and |other| elsewhere.
static MlirValue select_along(bounding_t *x, MlirValue inside, int axis, MlirValue value, number_t other) {
  if (mlirValueIsNull(value))
    return value;
  strata_shape_t shape = strata_shape_of(value);
  return strata_build_select(&x->b, along(x, inside, &shape, axis), value, splat(x, &shape, other));
}

// |value| with |other| from the count |dim| on along |axis|.
static MlirValue masked(bounding_t *x, MlirValue value, int axis, strata_dim_t dim, number_t other) {
  if (mlirValueIsNull(value) || !is_counted(x, dim))
    return value;
  MlirValue inside = with_dim(x, STRATA_OP_LT, places(x, strata_shape_of(value).dims[axis]), dim);
  return select_along(x, inside, axis, value, other);
}

static void mask_operand(bounding_t *x, int i, const bool *axes, number_t other) {
  MlirValue value = operand(x, i);
  for (int axis = 0; axis < x->was.operands[i].rank; axis++)
    if (axes[axis])
      value = masked(x, value, axis, x->was.operands[i].dims[axis], other);
  if (!x->b.status)
    mlirOperationSetOperand(x->op, i, value);
}

static number_t neutral_number(const bounding_t *x) {
  return neutral(strata_combiner_from_name(strata__get(&x->was, "kind")->string), x->was.operands[0].type);
}

//===-- Reductions -----------------------------------------------------------------------------------------------===//

static MlirValue bound_reduce(bounding_t *x) {
  const strata__attr_t *list = strata__get(&x->was, "axes");
  bool axes[STRATA_MAX_RANK] = {false};
  for (int i = 0; i < list->count; i++)
    axes[list->i64s[i]] = true;
  mask_operand(x, 0, axes, neutral_number(x));
  return in_place;
}

static MlirValue bound_scan(bounding_t *x) {
  bool axes[STRATA_MAX_RANK] = {false};
  axes[strata__i64(&x->was, "axis")] = strata__i64(&x->was, "reverse");
  mask_operand(x, 0, axes, neutral_number(x));
  return in_place;
}

// Of equal elements the last may be one behind the count.
static MlirValue bound_arg_reduce(bounding_t *x) {
  int64_t axis = strata__i64(&x->was, "axis");
  strata_dim_t dim = x->was.operands[0].dims[axis];
  bool axes[STRATA_MAX_RANK] = {false};
  axes[axis] = true;
  mask_operand(x, 0, axes, neutral_number(x));
  if (!strata__i64(&x->was, "select_last") || !is_counted(x, dim) || x->b.status)
    return in_place;
  strata_combiner_t kind = strata_combiner_from_name(strata__get(&x->was, "kind")->string);
  MlirValue found = strata_build_arg_reduce(&x->b, kind, operand(x, 0), axis, true);
  if (mlirValueIsNull(found))
    return found;
  strata_shape_t shape = strata_shape_of(found);
  return binary(x, STRATA_OP_MIN, found, along(x, strata__count_value(x, strata_dim_plus(dim, -1), false), &shape, 0));
}

// What is behind the count comes last: it is equal to whatever else does, and sorting is stable.
static MlirValue bound_sort(bounding_t *x) {
  strata_type_t type = x->was.operands[0].type;
  bool axes[STRATA_MAX_RANK] = {false}, descends = strata__i64(&x->was, "descending"),
       is_unsigned = strata__i64(&x->was, "unsigned");
  axes[strata__i64(&x->was, "axis")] = true;
  number_t last = neutral(descends      ? is_unsigned ? STRATA_COMBINER_MAX_U : STRATA_COMBINER_MAX
                          : is_unsigned ? STRATA_COMBINER_MIN_U
                                        : STRATA_COMBINER_MIN,
                          type);
  if (strata_type_is_float(type))
    last.f = descends ? -HUGE_VAL : (double)NAN;
  mask_operand(x, 0, axes, last);
  return in_place;
}

static MlirValue bound_window(bounding_t *x) {
  bool axes[STRATA_MAX_RANK];
  for (int i = 0; i < x->was.operands[0].rank; i++)
    axes[i] = strata__i64s(&x->was, "window")[i] != 1 || strata__i64s(&x->was, "low")[i] != 0;
  mask_operand(x, 0, axes, neutral_number(x));
  return in_place;
}

// Whether an element behind the count of a dim, read at |expr|, may come into what is in front of the result's.
static bool reads_behind(const bounding_t *x, strata_dim_t dim, MlirAffineExpr expr) {
  if (!mlirAffineExprIsADim(expr) || mlirAffineDimExprGetPosition(expr) >= x->was.results[0].rank)
    return true;
  return !strata_dim_equal(dim, x->was.results[0].dims[mlirAffineDimExprGetPosition(expr)]); // the result may be longer
}

// Both operands: of what is undefined and zero the product is not.
static MlirValue bound_contract(bounding_t *x) {
  const strata__attr_t *maps = strata__get(&x->was, "maps");
  for (int i = 0; i < 2; i++) {
    bool axes[STRATA_MAX_RANK];
    for (int axis = 0; axis < x->was.operands[i].rank; axis++)
      axes[axis] = reads_behind(x, x->was.operands[i].dims[axis], mlirAffineMapGetResult(maps->maps[i], axis));
    mask_operand(x, i, axes, number_of(x->was.operands[i].type, 0));
  }
  return in_place;
}

// Places behind the count are none, which are dropped.
static MlirValue bound_scatter(bounding_t *x) {
  mask_operand(x, 1, (bool[STRATA_MAX_RANK]){true}, number_of(x->was.operands[1].type, -1));
  return in_place;
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

// Of what is always empty nothing is read.
static MlirValue gather(bounding_t *x, MlirValue value, MlirValue indices, int axis) {
  strata_shape_t shape = mlirValueIsNull(value) ? (strata_shape_t){.rank = 0} : strata_shape_of(value);
  if (shape.rank && !mlirValueIsNull(indices) && strata_dim_is(shape.dims[axis], 0)) {
    strata_shape_t from = strata_shape_of(indices), result = shape;
    result.rank = shape.rank - 1 + from.rank;
    for (int i = axis; i < result.rank; i++)
      result.dims[i] = i < axis + from.rank ? from.dims[i - axis] : shape.dims[i - from.rank + 1];
    return splat(x, &result, number_of(shape.type, 0));
  }
  return strata_build_gather(&x->b, value, indices, axis, 0);
}

// The elements of |axis| from |start| on: as a slice, where its bound is inside the operand's.
static bool may_slice(bounding_t *x, int axis, strata_dim_t start, int64_t step) {
  strata_dim_t size = strata__bound(x, x->was.operands[0].dims[axis]);
  strata_dim_t count = strata__bound(x, x->was.results[0].dims[axis]);
  if (!is_counted(x, start) && !is_counted(x, x->was.operands[0].dims[axis]) &&
      !is_counted(x, x->was.results[0].dims[axis]))
    return true;
  strata_dim_t end = strata_dim_add(start, strata_dim_times(strata_dim_plus(count, -1), step));
  return !is_counted(x, start) && step > 0 && is_never_negative(x, strata_dim_plus(strata_dim_sub(size, end), -1));
}

static MlirValue bound_slice(bounding_t *x) {
  strata_shape_t result = strata__bound_shape(x, &x->was.results[0]);
  strata_dim_t starts[STRATA_MAX_RANK];
  int64_t steps[STRATA_MAX_RANK];
  MlirValue value = operand(x, 0);
  for (int i = 0; i < result.rank; i++) {
    starts[i] = strata__dim_at(context_of(x), &x->was, "starts", i);
    steps[i] = strata__i64s(&x->was, "steps")[i];
    if (may_slice(x, i, starts[i], steps[i]))
      continue;
    strata_dim_t step = strata_dim_constant(context_of(x), steps[i]);
    MlirValue at = with_dim(x, STRATA_OP_MUL, places(x, result.dims[i]), step);
    value = gather(x, value, with_dim(x, STRATA_OP_ADD, at, starts[i]), i);
    starts[i] = strata_dim_constant(context_of(x), 0);
    steps[i] = 1;
  }
  return strata_build_slice_dims(&x->b, value, starts, steps, result.dims);
}

static MlirValue pad(bounding_t *x, MlirValue value, const strata_dim_t *low, const strata_dim_t *high) {
  strata__record_t r = strata__record(STRATA_OP_PAD);
  strata__set_dims(&r, "low", x->was.results[0].rank, low);
  strata__set_dims(&r, "high", x->was.results[0].rank, high);
  strata__set_any(&r, "value", strata__get(&x->was, "value")->any);
  return strata__build(&x->b, &r, &value);
}

static number_t pad_number(const bounding_t *x) {
  MlirAttribute value = strata__get(&x->was, "value")->any;
  return mlirAttributeIsAFloat(value) ? (number_t){.f = mlirFloatAttrGetValueDouble(value)}
                                      : (number_t){.i = mlirIntegerAttrGetValueInt(value)};
}

// One axis whose size, or what is in front of it, depends on data.
static MlirValue pad_axis(bounding_t *x, MlirValue value, int axis, strata_dim_t low) {
  strata_dim_t dim = x->was.operands[0].dims[axis];
  MlirValue at = places(x, strata__bound(x, x->was.results[0].dims[axis]));
  MlirValue inside = with_dim(x, STRATA_OP_LT, at, strata_dim_add(low, dim));
  inside = binary(x, STRATA_OP_AND, inside, with_dim(x, STRATA_OP_GE, at, low));
  return select_along(x, inside, axis, gather(x, value, with_dim(x, STRATA_OP_SUB, at, low), axis), pad_number(x));
}

static MlirValue bound_pad(bounding_t *x) {
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  MlirValue value = operand(x, 0);
  for (int i = 0; i < x->was.results[0].rank; i++) {
    low[i] = strata__dim_at(context_of(x), &x->was, "low", i);
    high[i] = strata__dim_at(context_of(x), &x->was, "high", i);
    bool is_nothing = strata_dim_is(low[i], 0) && strata_dim_is(high[i], 0);
    if (is_nothing || (!is_counted(x, x->was.operands[0].dims[i]) && !is_counted(x, low[i]) && !is_counted(x, high[i])))
      continue;
    value = pad_axis(x, value, i, low[i]);
    low[i] = high[i] = strata_dim_constant(context_of(x), 0);
  }
  return pad(x, value, low, high);
}

// What is behind the first operand's count moves up.
static MlirValue bound_concat(bounding_t *x) {
  int axis = (int)strata__i64(&x->was, "axis");
  strata_dim_t first = x->was.operands[0].dims[axis], room = strata__bound(x, first);
  if (!is_counted(x, first))
    return in_place;
  MlirValue both = strata_build_concat(&x->b, 2, (MlirValue[]){operand(x, 0), operand(x, 1)}, axis);
  MlirValue at = places(x, strata__bound(x, x->was.results[0].dims[axis]));
  MlirValue behind = with_dim(x, STRATA_OP_ADD, at, strata_dim_sub(room, first));
  MlirValue from = strata_build_select(&x->b, with_dim(x, STRATA_OP_LT, at, first), at, behind);
  return gather(x, both, from, axis);
}

static MlirValue bound_dims(bounding_t *x) {
  const strata__attr_t *values = strata__get(&x->was, "values");
  MlirValue *list = strata_arena_array(x->b.compile->arena, MlirValue, values->count + 1);
  for (int i = 0; i < values->count; i++)
    list[i] = strata_build_reshape_static(
        &x->b, strata__count_value(x, strata__dim_at(context_of(x), &x->was, "values", i), false), 1, &(int64_t){1});
  return strata_build_concat(&x->b, values->count, list, 0);
}

//===-- Reshapes -------------------------------------------------------------------------------------------------===//

// Dims of the one shape and of the other that are as many elements, from the outermost on: the next such groups of the
// fewest dims. False where there are none.
static bool next_group(const bounding_t *x, int *a, int *b) {
  const strata_shape_t *from = &x->was.operands[0], *to = &x->was.results[0];
  strata_dim_t lhs = from->dims[(*a)++], rhs = to->dims[(*b)++];
  while (!strata_dim_equal(lhs, rhs)) {
    int64_t left, right;
    bool are_numbers = strata_dim_is_constant(lhs, &left) && strata_dim_is_constant(rhs, &right);
    strata_dim_t quotient;
    bool takes_left = are_numbers ? left < right : !strata_dim_divide(lhs, rhs, &quotient);
    if (takes_left ? *a == from->rank : *b == to->rank)
      return false;
    if (takes_left)
      lhs = strata_dim_mul(lhs, from->dims[(*a)++]);
    else
      rhs = strata_dim_mul(rhs, to->dims[(*b)++]);
  }
  return true;
}

// Whether elements of dims [begin, end) lie in front of one another as they do where the dims are their bounds: if the
// outermost alone, but for ones, depends on data.
static bool is_prefix(const bounding_t *x, const strata_shape_t *shape, int begin, int end) {
  while (begin < end && strata_dim_is(shape->dims[begin], 1))
    begin++;
  for (int i = begin + 1; i < end; i++)
    if (is_counted(x, shape->dims[i]))
      return false;
  return true;
}

static strata_dim_t bounded_product(bounding_t *x, const strata_shape_t *shape, int begin, int end) {
  strata_dim_t product = strata_dim_constant(context_of(x), 1);
  for (int i = begin; i < end; i++)
    product = strata_dim_mul(product, strata__bound(x, shape->dims[i]));
  return product;
}

static bool keeps_order(bounding_t *x) {
  const strata_shape_t *from = &x->was.operands[0], *to = &x->was.results[0];
  int a = 0, b = 0;
  for (;;) {
    while (a < from->rank && strata_dim_is(from->dims[a], 1))
      a++;
    while (b < to->rank && strata_dim_is(to->dims[b], 1))
      b++;
    int first_a = a, first_b = b;
    if (a == from->rank || b == to->rank)
      return a == from->rank && b == to->rank;
    if (!next_group(x, &a, &b))
      return false;
    if (a - first_a == 1 && b - first_b == 1)
      continue;
    if (!is_prefix(x, from, first_a, a) || !is_prefix(x, to, first_b, b) ||
        !strata_dim_equal(bounded_product(x, from, first_a, a), bounded_product(x, to, first_b, b)))
      return false;
  }
}

// The number of each element of |shape|, of bounds |room|, among those that there are.
static MlirValue numbers_of(bounding_t *x, const strata_shape_t *shape, const strata_shape_t *room) {
  MlirValue sum = {0};
  for (int i = 0; i < room->rank; i++) {
    MlirValue at = along(x, places(x, room->dims[i]), room, i);
    strata_dim_t dim = shape->dims[i];
    if (i > 0)
      sum = binary(x, STRATA_OP_MUL, sum, along(x, strata__count_value(x, dim, false), room, 0));
    sum = i > 0 ? binary(x, STRATA_OP_ADD, sum, at) : at;
  }
  return sum;
}

// Where the elements of these numbers, tensors of |shape|, are in memory of the operand's bounds.
static MlirValue memory_of(bounding_t *x, MlirValue numbers, const strata_shape_t *shape) {
  const strata_shape_t *from = &x->was.operands[0];
  MlirValue place = {0};
  strata_dim_t stride = strata_dim_constant(context_of(x), 1);
  for (int i = from->rank - 1; i >= 0; i--) {
    MlirValue size = along(x, strata__count_value(x, from->dims[i], false), shape, 0);
    MlirValue at = i > 0 ? binary(x, STRATA_OP_REM, numbers, size) : numbers;
    if (i > 0)
      numbers = binary(x, STRATA_OP_DIV, numbers, size);
    if (!strata_dim_is(stride, 1))
      at = binary(x, STRATA_OP_MUL, at, along(x, strata__count_value(x, stride, false), shape, 0));
    place = mlirValueIsNull(place) ? at : binary(x, STRATA_OP_ADD, place, at);
    stride = strata_dim_mul(stride, strata__bound(x, from->dims[i]));
  }
  return place;
}

static MlirValue bound_reshape(bounding_t *x) {
  strata_shape_t room = strata__bound_shape(x, &x->was.results[0]);
  strata_shape_t from = strata__bound_shape(x, &x->was.operands[0]);
  if (keeps_order(x))
    return strata_build_reshape(&x->b, operand(x, 0), room.rank, room.dims);
  strata_dim_t count = strata_dim_product(context_of(x), from.rank, from.dims);
  if (room.rank == 0)
    return strata_build_reshape(&x->b,
                                strata_build_slice(&x->b, strata_build_reshape(&x->b, operand(x, 0), 1, &count),
                                                   &(int64_t){0}, &(int64_t){1}, &(int64_t){1}),
                                0, NULL);
  room.type = STRATA_TYPE_I64;
  MlirValue at = memory_of(x, numbers_of(x, &x->was.results[0], &room), &room);
  return gather(x, strata_build_reshape(&x->b, operand(x, 0), 1, &count), at, 0);
}

//===-- All ------------------------------------------------------------------------------------------------------===//

MlirValue strata__bound_op(strata__bounding_t *x) {
  switch (x->was.id) {
  case STRATA_OP_REDUCE:
    return bound_reduce(x);
  case STRATA_OP_ARG_REDUCE:
    return bound_arg_reduce(x);
  case STRATA_OP_SCAN:
    return bound_scan(x);
  case STRATA_OP_SORT:
    return bound_sort(x);
  case STRATA_OP_WINDOW:
    return bound_window(x);
  case STRATA_OP_CONTRACT:
    return bound_contract(x);
  case STRATA_OP_SCATTER:
    return bound_scatter(x);
  case STRATA_OP_SLICE:
    return bound_slice(x);
  case STRATA_OP_PAD:
    return bound_pad(x);
  case STRATA_OP_CONCAT:
    return bound_concat(x);
  case STRATA_OP_RESHAPE:
    return bound_reshape(x);
  case STRATA_OP_DIMS:
    return bound_dims(x);
  default:
    return in_place;
  }
}
