// Evaluates primitives on constant data, one element at a time: for shape arithmetic and small constants.
//
// Elements are loaded into host numbers, worked on (scalar.h) and stored. f16 and bf16 are computed in f32 and rounded
// once more; sums are accumulated in double. Movement is one copy between two strided walks.
#include "dialects/mlir_util.h"
#include "dialects/strata/number.h"
#include "dialects/strata/record.h"
#include "dialects/strata/scalar.h"

#include <math.h>

typedef struct {
  strata_arena_t *arena;
  const strata__record_t *record;
  const void *const *operands;
  void *const *results;
} eval_t;

//===-- Numbers --------------------------------------------------------------------------------------------------===//

typedef union {
  double f;  // of float types
  int64_t i; // of the others
} number_t;

static bool is_float(strata_type_t type) { return strata_type_info[type].kind == STRATA_TYPE_KIND_FLOAT; }

static number_t load(strata_type_t type, const void *data, int64_t index) {
  if (is_float(type))
    return (number_t){.f = strata__load_f64(type, data, index)};
  return (number_t){.i = strata__load_i64(type, data, index)};
}

static void store(strata_type_t type, void *data, int64_t index, number_t number) {
  if (!is_float(type))
    strata__store_i64(type, data, index, number.i);
  else if (strata_type_info[type].math_type == STRATA_TYPE_F32)
    strata__store_f64(type, data, index, (float)number.f);
  else
    strata__store_f64(type, data, index, number.f);
}

static void copy_element(strata_type_t type, void *to, int64_t to_index, const void *from, int64_t from_index) {
  switch (strata_type_info[type].bits) {
  case 64:
    ((uint64_t *)to)[to_index] = ((const uint64_t *)from)[from_index];
    break;
  case 32:
    ((uint32_t *)to)[to_index] = ((const uint32_t *)from)[from_index];
    break;
  case 16:
    ((uint16_t *)to)[to_index] = ((const uint16_t *)from)[from_index];
    break;
  case 8:
    ((uint8_t *)to)[to_index] = ((const uint8_t *)from)[from_index];
    break;
  default: // i4
    strata__store_i64(type, to, to_index, strata__load_i64(type, from, from_index));
  }
}

static number_t combine(const strata__scalar_t *scalar, strata_type_t type, number_t a, number_t b) {
  if (is_float(type))
    return (number_t){.f = scalar->float2(a.f, b.f)};
  return (number_t){.i = scalar->int2(a.i, b.i, strata__integer_bits(type))};
}

static number_t neutral(strata_combiner_t combiner, strata_type_t type) {
  int64_t highest = INT64_MAX >> (64 - strata_type_info[type].bits);
  switch (strata_combiner_info[combiner].neutral) {
  case STRATA_NEUTRAL_ZERO:
    return is_float(type) ? (number_t){.f = 0} : (number_t){.i = 0};
  case STRATA_NEUTRAL_ONE:
    return is_float(type) ? (number_t){.f = 1} : (number_t){.i = 1};
  case STRATA_NEUTRAL_LOWEST:
    return is_float(type) ? (number_t){.f = -HUGE_VAL} : (number_t){.i = -highest - 1};
  case STRATA_NEUTRAL_HIGHEST:
    return is_float(type) ? (number_t){.f = HUGE_VAL} : (number_t){.i = highest};
  case STRATA_NEUTRAL_ALL_ONES:
    break;
  }
  return (number_t){.i = -1};
}

//===-- Walks ----------------------------------------------------------------------------------------------------===//

// Row-major strides, in elements.
static void strides_of(int rank, const int64_t *sizes, int64_t *out) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out[i] = stride;
    stride *= sizes[i];
  }
}

// Steps |coords| to the next point of |sizes|, the last dim fastest; false after the last point.
static bool next_point(int rank, const int64_t *sizes, int64_t *coords) {
  for (int i = rank - 1; i >= 0; i--) {
    if (++coords[i] < sizes[i])
      return true;
    coords[i] = 0;
  }
  return false;
}

static int64_t count_of(int rank, const int64_t *sizes) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    count *= sizes[i];
  return count;
}

static int64_t dot(int rank, const int64_t *coords, const int64_t *strides) {
  int64_t sum = 0;
  for (int i = 0; i < rank; i++)
    sum += coords[i] * strides[i];
  return sum;
}

// A buffer walked along dims: the element at |base| + coords . strides.
typedef struct {
  int64_t base;
  int64_t strides[STRATA_MAX_RANK];
} walk_t;

static void strided_copy(strata_type_t type, int rank, const int64_t *sizes, void *to, const walk_t *to_walk,
                         const void *from, const walk_t *from_walk) {
  int64_t coords[STRATA_MAX_RANK] = {0};
  if (count_of(rank, sizes) == 0)
    return;
  do
    copy_element(type, to, to_walk->base + dot(rank, coords, to_walk->strides), from,
                 from_walk->base + dot(rank, coords, from_walk->strides));
  while (next_point(rank, sizes, coords));
}

// The lines of a tensor along an axis: line (i, j) starts at i * length * inner + j, its elements lie |inner| apart.
typedef struct {
  int64_t outer, length, inner;
} lines_t;

static lines_t lines_along(const strata_shape_t *shape, int64_t axis) {
  int64_t sizes[STRATA_MAX_RANK];
  strata_shape_sizes(shape, sizes);
  return (lines_t){count_of((int)axis, sizes), sizes[axis], count_of(shape->rank - (int)axis - 1, sizes + axis + 1)};
}

//===-- Elementwise ----------------------------------------------------------------------------------------------===//

// An integer as a double that rounds to any smaller float as the integer itself does: what a double cannot hold becomes
// one sticky bit.
static double sticky_double(int64_t x, bool is_unsigned) {
  enum { LOST = 0xfff };
  bool is_small = is_unsigned ? (uint64_t)x < (uint64_t)1 << 53 : x < (int64_t)1 << 53 && x > -((int64_t)1 << 53);
  if (!is_small)
    x = (x & ~(int64_t)LOST) | (x & LOST ? (LOST + 1) / 2 : 0);
  return is_unsigned ? (double)(uint64_t)x : (double)x;
}

static number_t convert(const eval_t *e, int64_t index) {
  strata_op_id_t id = e->record->id;
  strata_type_t from = e->record->operands[0].type, to = e->record->results[0].type;
  number_t x = load(from, e->operands[0], index);
  if (to == STRATA_TYPE_I1)
    return (number_t){.i = is_float(from) ? x.f != 0 : x.i != 0};
  if (is_float(from))
    return is_float(to)
               ? x
               : (number_t){.i = strata__float_to_int(x.f, strata_type_info[to].bits, id == STRATA_OP_CONVERT_TO_U)};
  uint64_t bits = strata__unsigned(x.i, strata__integer_bits(from));
  if (!is_float(to))
    return id == STRATA_OP_CONVERT_U ? (number_t){.i = (int64_t)bits} : x;
  bool is_unsigned = id == STRATA_OP_CONVERT_U;
  if (to != STRATA_TYPE_F64)
    return (number_t){.f = sticky_double((int64_t)(is_unsigned ? bits : (uint64_t)x.i), is_unsigned)};
  return (number_t){.f = is_unsigned ? (double)bits : (double)x.i};
}

// A conversion rounds once, to the type of the result.
static void store_converted(strata_type_t type, void *data, int64_t index, number_t number) {
  if (is_float(type))
    strata__store_f64(type, data, index, number.f);
  else
    strata__store_i64(type, data, index, number.i);
}

static number_t apply1(const strata__scalar_t *scalar, strata_type_t type, number_t x) {
  if (!is_float(type))
    return (number_t){.i = scalar->int1(x.i)};
  return scalar->test1 ? (number_t){.i = scalar->test1(x.f)} : (number_t){.f = scalar->float1(x.f)};
}

static number_t apply2(const strata__scalar_t *scalar, strata_type_t type, number_t x, number_t y) {
  if (is_float(type) && scalar->test2)
    return (number_t){.i = scalar->test2(x.f, y.f)};
  return combine(scalar, type, x, y);
}

static number_t elementwise_at(const eval_t *e, int64_t index) {
  const strata__record_t *r = e->record;
  const strata__scalar_t *scalar = &strata__scalar[r->id];
  strata_type_t type = r->operands[0].type;
  if (r->n_operands == 1)
    return apply1(scalar, type, load(type, e->operands[0], index));
  return apply2(scalar, type, load(type, e->operands[0], index), load(type, e->operands[1], index));
}

static void eval_elementwise(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  int64_t count = strata_shape_count(&r->results[0]);
  for (int64_t i = 0; i < count; i++) {
    if (r->id == STRATA_OP_SELECT)
      copy_element(type, e->results[0], i, e->operands[strata__load_i64(STRATA_TYPE_I1, e->operands[0], i) ? 1 : 2], i);
    else if (r->id == STRATA_OP_BITCAST)
      copy_element(type, e->results[0], i, e->operands[0], i);
    else if (strata_op_info[r->id].rule == STRATA_RULE_RESULT)
      store_converted(type, e->results[0], i, convert(e, i));
    else
      store(type, e->results[0], i, elementwise_at(e, i));
  }
}

//===-- Reductions, scans, sorts, windows ------------------------------------------------------------------------===//

static strata_combiner_t combiner_of(const strata__record_t *r) {
  return strata_combiner_from_name(strata__get(r, "kind")->string);
}

static void eval_reduce(const eval_t *e) {
  const strata__record_t *r = e->record;
  const strata_shape_t *operand = &r->operands[0];
  const strata__attr_t *axes = strata__get(r, "axes");
  const strata__scalar_t *scalar = strata__combiner_scalar(combiner_of(r));
  int64_t sizes[STRATA_MAX_RANK], coords[STRATA_MAX_RANK] = {0}, kept[STRATA_MAX_RANK], strides[STRATA_MAX_RANK];
  strata_shape_sizes(operand, sizes);
  memcpy(kept, sizes, sizeof kept);
  for (int i = 0; i < axes->count; i++)
    kept[axes->i64s[i]] = 1;
  strides_of(operand->rank, kept, strides);
  for (int i = 0; i < axes->count; i++)
    strides[axes->i64s[i]] = 0;
  int64_t count = strata_shape_count(operand), n_results = strata_shape_count(&r->results[0]);
  number_t *sums = strata_arena_array(e->arena, number_t, n_results);
  for (int64_t i = 0; i < n_results; i++)
    sums[i] = neutral(combiner_of(r), operand->type);
  for (int64_t i = 0; i < count; i++, next_point(operand->rank, sizes, coords)) {
    number_t *sum = &sums[dot(operand->rank, coords, strides)];
    *sum = combine(scalar, operand->type, *sum, load(operand->type, e->operands[0], i));
  }
  for (int64_t i = 0; i < n_results; i++)
    store(operand->type, e->results[0], i, sums[i]);
}

// Whether x comes before y in ascending order; NaN comes last.
static bool is_less(strata_type_t type, bool is_unsigned, number_t x, number_t y) {
  if (is_float(type))
    return isnan(y.f) ? !isnan(x.f) : x.f < y.f;
  int bits = strata__integer_bits(type);
  return is_unsigned ? strata__unsigned(x.i, bits) < strata__unsigned(y.i, bits) : x.i < y.i;
}

// Whether |x| is more extreme than |y| for arg_reduce; NaN is the most extreme.
static bool is_more_extreme(strata_combiner_t kind, strata_type_t type, number_t x, number_t y) {
  bool is_max = kind == STRATA_COMBINER_MAX || kind == STRATA_COMBINER_MAX_U;
  bool is_unsigned = kind == STRATA_COMBINER_MAX_U || kind == STRATA_COMBINER_MIN_U;
  if (is_float(type) && (isnan(x.f) || isnan(y.f)))
    return !isnan(y.f);
  return is_max ? is_less(type, is_unsigned, y, x) : is_less(type, is_unsigned, x, y);
}

static void eval_arg_reduce(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->operands[0].type;
  lines_t lines = lines_along(&r->operands[0], strata__i64(r, "axis"));
  strata_combiner_t kind = combiner_of(r);
  bool select_last = strata__i64(r, "select_last");
  for (int64_t line = 0; line < lines.outer * lines.inner; line++) {
    int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner, best = 0;
    number_t extreme = load(type, e->operands[0], start);
    for (int64_t i = 1; i < lines.length; i++) {
      number_t x = load(type, e->operands[0], start + i * lines.inner);
      if (is_more_extreme(kind, type, x, extreme) || (select_last && !is_more_extreme(kind, type, extreme, x))) {
        extreme = x;
        best = i;
      }
    }
    strata__store_i64(STRATA_TYPE_I64, e->results[0], line, best);
  }
}

static void eval_scan(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->operands[0].type;
  lines_t lines = lines_along(&r->operands[0], strata__i64(r, "axis"));
  const strata__scalar_t *scalar = strata__combiner_scalar(combiner_of(r));
  bool exclusive = strata__i64(r, "exclusive"), reverse = strata__i64(r, "reverse");
  for (int64_t line = 0; line < lines.outer * lines.inner; line++) {
    int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
    number_t sum = neutral(combiner_of(r), type);
    for (int64_t i = 0; i < lines.length; i++) {
      int64_t at = start + (reverse ? lines.length - 1 - i : i) * lines.inner;
      number_t with = combine(scalar, type, sum, load(type, e->operands[0], at));
      store(type, e->results[0], at, exclusive ? sum : with);
      sum = with;
    }
  }
}

typedef struct {
  number_t number;
  int64_t position;
} sort_item_t;

typedef struct {
  strata_type_t type;
  bool is_unsigned, descending;
} sort_order_t;

static bool goes_first(const sort_order_t *order, const sort_item_t *a, const sort_item_t *b) {
  if (order->descending)
    return is_less(order->type, order->is_unsigned, b->number, a->number);
  return is_less(order->type, order->is_unsigned, a->number, b->number);
}

// A stable merge sort, bottom up.
static void merge_sort(const sort_order_t *order, int64_t count, sort_item_t *items, sort_item_t *scratch) {
  for (int64_t width = 1; width < count; width *= 2) {
    for (int64_t low = 0; low < count; low += 2 * width) {
      int64_t middle = low + width < count ? low + width : count;
      int64_t high = middle + width < count ? middle + width : count;
      for (int64_t a = low, b = middle, to = low; to < high; to++) {
        bool take_b = a == middle || (b < high && goes_first(order, &items[b], &items[a]));
        scratch[to] = items[take_b ? b++ : a++];
      }
    }
    memcpy(items, scratch, (size_t)count * sizeof *items);
  }
}

static void eval_sort(const eval_t *e) {
  const strata__record_t *r = e->record;
  sort_order_t order = {r->operands[0].type, strata__i64(r, "unsigned"), strata__i64(r, "descending")};
  lines_t lines = lines_along(&r->operands[0], strata__i64(r, "axis"));
  sort_item_t *items = strata_arena_array(e->arena, sort_item_t, lines.length);
  sort_item_t *scratch = strata_arena_array(e->arena, sort_item_t, lines.length);
  for (int64_t line = 0; line < lines.outer * lines.inner; line++) {
    int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
    for (int64_t i = 0; i < lines.length; i++)
      items[i] = (sort_item_t){load(order.type, e->operands[0], start + i * lines.inner), i};
    merge_sort(&order, lines.length, items, scratch);
    for (int64_t i = 0; i < lines.length; i++) {
      int64_t at = start + i * lines.inner;
      copy_element(order.type, e->results[0], at, e->operands[0], start + items[i].position * lines.inner);
      strata__store_i64(STRATA_TYPE_I64, e->results[1], at, items[i].position);
    }
  }
}

static void eval_window(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->operands[0].type;
  int rank = r->operands[0].rank;
  const int64_t *window = strata__i64s(r, "window"), *steps = strata__i64s(r, "strides"), *low = strata__i64s(r, "low");
  const int64_t *dilations = strata__i64s(r, "dilations");
  const strata__scalar_t *scalar = strata__combiner_scalar(combiner_of(r));
  int64_t sizes[STRATA_MAX_RANK], out_sizes[STRATA_MAX_RANK], strides[STRATA_MAX_RANK], out[STRATA_MAX_RANK] = {0};
  int64_t count = strata_shape_count(&r->results[0]);
  strata_shape_sizes(&r->operands[0], sizes);
  strata_shape_sizes(&r->results[0], out_sizes);
  strides_of(rank, sizes, strides);
  for (int64_t i = 0; i < count; i++, next_point(rank, out_sizes, out)) {
    int64_t in[STRATA_MAX_RANK], at[STRATA_MAX_RANK] = {0};
    number_t sum = neutral(combiner_of(r), type);
    do {
      bool inside = true;
      for (int d = 0; d < rank; d++) {
        in[d] = out[d] * steps[d] + at[d] * dilations[d] - low[d];
        inside = inside && in[d] >= 0 && in[d] < sizes[d];
      }
      if (inside)
        sum = combine(scalar, type, sum, load(type, e->operands[0], dot(rank, in, strides)));
    } while (next_point(rank, window, at));
    store(type, e->results[0], i, sum);
  }
}

//===-- Contractions ---------------------------------------------------------------------------------------------===//

// The coordinates a map gives, each a sum of dims with constant coefficients.
typedef struct {
  int rank, n_dims;
  int64_t sizes[STRATA_MAX_RANK], strides[STRATA_MAX_RANK];
  int64_t constants[STRATA_MAX_RANK], coefficients[STRATA_MAX_RANK][STRATA_MAX_RANK];
} access_t;

static bool read_access(const strata_shape_t *shape, MlirAffineMap map, access_t *out) {
  *out = (access_t){.rank = shape->rank, .n_dims = (int)mlirAffineMapGetNumDims(map)};
  strata_shape_sizes(shape, out->sizes);
  strides_of(out->rank, out->sizes, out->strides);
  for (int i = 0; i < out->rank; i++)
    if (!strata__split_linear(mlirAffineMapGetResult(map, i), 1, out->coefficients[i], &out->constants[i]))
      return false;
  return true;
}

// The element read at |dims|; 0 outside.
static number_t read_at(const access_t *access, strata_type_t type, const void *data, const int64_t *dims) {
  int64_t index = 0;
  for (int i = 0; i < access->rank; i++) {
    int64_t coord = access->constants[i] + dot(access->n_dims, dims, access->coefficients[i]);
    if (coord < 0 || coord >= access->sizes[i])
      return is_float(type) ? (number_t){.f = 0} : (number_t){.i = 0};
    index += coord * access->strides[i];
  }
  return load(type, data, index);
}

static bool eval_contract(const eval_t *e) {
  const strata__record_t *r = e->record;
  const strata__attr_t *maps = strata__get(r, "maps");
  const strata__scalar_t *mul = &strata__scalar[STRATA_OP_MUL], *add = &strata__scalar[STRATA_OP_ADD];
  strata_type_t type = r->results[0].type, lhs_type = r->operands[0].type, rhs_type = r->operands[1].type;
  access_t lhs, rhs;
  int64_t sizes[STRATA_MAX_RANK], dims[STRATA_MAX_RANK] = {0};
  int rank = r->results[0].rank, n_dims = (int)mlirAffineMapGetNumDims(maps->maps[2]);
  if (!read_access(&r->operands[0], maps->maps[0], &lhs) || !read_access(&r->operands[1], maps->maps[1], &rhs) ||
      !strata__contract_sizes(r, sizes))
    return false;
  int64_t count = strata_shape_count(&r->results[0]), n_terms = count_of(n_dims - rank, sizes + rank);
  for (int64_t i = 0; i < count; i++, next_point(rank, sizes, dims)) {
    number_t sum = neutral(STRATA_COMBINER_ADD, type);
    for (int64_t k = 0; k < n_terms; k++, next_point(n_dims - rank, sizes + rank, dims + rank)) {
      number_t a = read_at(&lhs, lhs_type, e->operands[0], dims), b = read_at(&rhs, rhs_type, e->operands[1], dims);
      sum = combine(add, type, sum, combine(mul, type, a, b));
    }
    store(type, e->results[0], i, sum);
  }
  return true;
}

//===-- Movement -------------------------------------------------------------------------------------------------===//

// How the operand of a transpose, slice or broadcast is walked along the dims of the result.
static walk_t operand_walk(const strata__record_t *r) {
  walk_t walk = {0};
  int64_t sizes[STRATA_MAX_RANK], strides[STRATA_MAX_RANK];
  strata_shape_sizes(&r->operands[0], sizes);
  strides_of(r->operands[0].rank, sizes, strides);
  for (int i = 0; i < r->operands[0].rank; i++) {
    if (r->id == STRATA_OP_TRANSPOSE) {
      walk.strides[i] = strides[strata__i64s(r, "permutation")[i]];
    } else if (r->id == STRATA_OP_SLICE) {
      walk.base += strata__i64s(r, "starts")[i] * strides[i];
      walk.strides[i] = strata__i64s(r, "steps")[i] * strides[i];
    } else {
      MlirAffineExpr expr = mlirAffineMapGetResult(strata__get(r, "map")->maps[0], i);
      if (mlirAffineExprIsADim(expr))
        walk.strides[mlirAffineDimExprGetPosition(expr)] += strides[i];
    }
  }
  return walk;
}

static void eval_view(const eval_t *e) {
  const strata__record_t *r = e->record;
  walk_t to = {0}, from = operand_walk(r);
  int64_t sizes[STRATA_MAX_RANK];
  strata_shape_sizes(&r->results[0], sizes);
  strides_of(r->results[0].rank, sizes, to.strides);
  strided_copy(r->operands[0].type, r->results[0].rank, sizes, e->results[0], &to, e->operands[0], &from);
}

// Copies operand |index| into the result with its first element at |at|.
static void place(const eval_t *e, int index, const int64_t *at) {
  const strata__record_t *r = e->record;
  int rank = r->results[0].rank;
  int64_t sizes[STRATA_MAX_RANK], to_sizes[STRATA_MAX_RANK];
  walk_t to = {0}, from = {0};
  strata_shape_sizes(&r->results[0], to_sizes);
  strata_shape_sizes(&r->operands[index], sizes);
  strides_of(rank, to_sizes, to.strides);
  strides_of(rank, sizes, from.strides);
  to.base = dot(rank, at, to.strides);
  strided_copy(r->results[0].type, rank, sizes, e->results[0], &to, e->operands[index], &from);
}

static void eval_pad(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  MlirAttribute value = strata__get(r, "value")->any;
  number_t number = is_float(type) ? (number_t){.f = mlirFloatAttrGetValueDouble(value)}
                                   : (number_t){.i = mlirIntegerAttrGetValueInt(value)};
  int64_t count = strata_shape_count(&r->results[0]);
  for (int64_t i = 0; i < count; i++)
    store(type, e->results[0], i, number);
  place(e, 0, strata__i64s(r, "low"));
}

static void eval_concat(const eval_t *e) {
  int64_t at[STRATA_MAX_RANK] = {0}, axis = strata__i64(e->record, "axis");
  place(e, 0, at);
  strata_dim_is_constant(e->record->operands[0].dims[axis], &at[axis]);
  place(e, 1, at);
}

static void eval_movement(const eval_t *e) {
  const strata__record_t *r = e->record;
  if (r->id == STRATA_OP_RESHAPE)
    memcpy(e->results[0], e->operands[0],
           (size_t)strata_type_storage_size(r->results[0].type, strata_shape_count(&r->results[0])));
  else if (r->id == STRATA_OP_PAD)
    eval_pad(e);
  else if (r->id == STRATA_OP_CONCAT)
    eval_concat(e);
  else
    eval_view(e);
}

//===-- Gather, scatter, generate --------------------------------------------------------------------------------===//

static int64_t clamp(int64_t value, int64_t highest) { return value < 0 ? 0 : value > highest ? highest : value; }

// With the data as [batch, outer, length, inner] and the indices as [batch, n], the result is [batch, outer, n, inner].
static void eval_gather(const eval_t *e) {
  const strata__record_t *r = e->record;
  int64_t data_sizes[STRATA_MAX_RANK], index_sizes[STRATA_MAX_RANK], to = 0;
  int64_t axis = strata__i64(r, "axis"), n_batch_dims = strata__i64(r, "batch_dims");
  strata_shape_sizes(&r->operands[0], data_sizes);
  strata_shape_sizes(&r->operands[1], index_sizes);
  lines_t lines = lines_along(&r->operands[0], axis);
  int64_t batch = count_of((int)n_batch_dims, data_sizes),
          outer = count_of((int)(axis - n_batch_dims), data_sizes + n_batch_dims);
  int64_t n = count_of(r->operands[1].rank - (int)n_batch_dims, index_sizes + n_batch_dims);
  for (int64_t row = 0; row < batch * outer; row++)
    for (int64_t j = 0; j < n; j++) {
      int64_t index = strata__load_i64(r->operands[1].type, e->operands[1], row / outer * n + j);
      int64_t from = (row * lines.length + clamp(index, lines.length - 1)) * lines.inner;
      for (int64_t k = 0; k < lines.inner; k++)
        copy_element(r->results[0].type, e->results[0], to++, e->operands[0], from + k);
    }
}

static void eval_scatter(const eval_t *e) {
  const strata__record_t *r = e->record;
  strata_type_t type = r->results[0].type;
  strata_combiner_t combiner = combiner_of(r);
  lines_t lines = lines_along(&r->operands[0], 0);
  int64_t n_updates = strata_shape_count(&r->operands[1]);
  memcpy(e->results[0], e->operands[0], (size_t)strata_type_storage_size(type, strata_shape_count(&r->results[0])));
  for (int64_t i = 0; i < n_updates; i++) {
    int64_t row = strata__load_i64(r->operands[1].type, e->operands[1], i);
    if (row < 0 || row >= lines.length)
      continue;
    for (int64_t k = 0; k < lines.inner; k++) {
      int64_t at = row * lines.inner + k, from = i * lines.inner + k;
      if (combiner == STRATA_COMBINER_COUNT)
        copy_element(type, e->results[0], at, e->operands[2], from);
      else
        store(type, e->results[0], at,
              combine(strata__combiner_scalar(combiner), type, load(type, e->results[0], at),
                      load(type, e->operands[2], from)));
    }
  }
}

static void eval_iota(const eval_t *e) {
  strata_type_t type = e->record->results[0].type;
  lines_t lines = lines_along(&e->record->results[0], strata__i64(e->record, "axis"));
  for (int64_t i = 0; i < lines.outer * lines.length * lines.inner; i++) {
    int64_t index = i / lines.inner % lines.length;
    store(type, e->results[0], i, is_float(type) ? (number_t){.f = (double)index} : (number_t){.i = index});
  }
}

//===-- All ------------------------------------------------------------------------------------------------------===//

static const char *evaluate(const eval_t *e) {
  switch (strata_op_info[e->record->id].kind) {
  case STRATA_KIND_ELEMENTWISE:
    return eval_elementwise(e), NULL;
  case STRATA_KIND_REDUCE:
    return eval_reduce(e), NULL;
  case STRATA_KIND_ARG_REDUCE:
    return eval_arg_reduce(e), NULL;
  case STRATA_KIND_SCAN:
    return eval_scan(e), NULL;
  case STRATA_KIND_SORT:
    return eval_sort(e), NULL;
  case STRATA_KIND_WINDOW:
    return eval_window(e), NULL;
  case STRATA_KIND_CONTRACT:
    return eval_contract(e) ? NULL : "its maps are not linear";
  case STRATA_KIND_MOVEMENT:
    return eval_movement(e), NULL;
  case STRATA_KIND_GATHER:
    return eval_gather(e), NULL;
  case STRATA_KIND_SCATTER:
    return eval_scatter(e), NULL;
  case STRATA_KIND_GENERATE:
    return e->record->id == STRATA_OP_IOTA ? (eval_iota(e), NULL) : "it is a constant already";
  }
  return "it has no rule";
}

strata_status_t strata__evaluate(strata_arena_t *arena, const strata__record_t *record, const void *const *operands,
                                 void *const *results) {
  eval_t e = {arena, record, operands, results};
  const char *reason = NULL;
  for (int i = 0; i < record->n_operands; i++)
    if (strata_shape_count(&record->operands[i]) < 0)
      reason = "a shape is not static";
  if (strata_shape_count(&record->results[0]) < 0)
    reason = "a shape is not static";
  // An empty result has nothing to write, and its operands may have no memory at all.
  if (!reason && strata_shape_count(&record->results[0]) > 0)
    reason = evaluate(&e);
  if (reason)
    return strata_error(STRATA_UNSUPPORTED, "%s: cannot be evaluated: %s", strata_op_info[record->id].name, reason);
  return NULL;
}

strata_status_t strata_evaluate(strata_compile_t *compile, MlirOperation op, const void *const *operands,
                                void *const *results) {
  strata__record_t record;
  if (strata_op_id(op) == STRATA_OP_COUNT)
    return strata_error(STRATA_UNSUPPORTED, "only primitives can be evaluated");
  STRATA_TRY(strata__decode(op, &record));
  STRATA_TRY(strata__infer(&record));
  return strata__evaluate(compile->arena, &record, operands, results);
}
