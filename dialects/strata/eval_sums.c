// Reductions, scans, sorts, windows and contractions on constant data; see eval.c.
#include "dialects/strata/eval.h"

void strata__eval_reduce(const eval_t *e) {
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
  if (strata_type_is_float(type))
    return isnan(y.f) ? !isnan(x.f) : x.f < y.f;
  int bits = strata__integer_bits(type);
  return is_unsigned ? strata__unsigned(x.i, bits) < strata__unsigned(y.i, bits) : x.i < y.i;
}

// Whether |x| is more extreme than |y| for arg_reduce; NaN is the most extreme.
static bool is_more_extreme(strata_combiner_t kind, strata_type_t type, number_t x, number_t y) {
  bool is_max = kind == STRATA_COMBINER_MAX || kind == STRATA_COMBINER_MAX_U;
  bool is_unsigned = kind == STRATA_COMBINER_MAX_U || kind == STRATA_COMBINER_MIN_U;
  if (strata_type_is_float(type) && (isnan(x.f) || isnan(y.f)))
    return !isnan(y.f);
  return is_max ? is_less(type, is_unsigned, y, x) : is_less(type, is_unsigned, x, y);
}

void strata__eval_arg_reduce(const eval_t *e) {
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

void strata__eval_scan(const eval_t *e) {
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

void strata__eval_sort(const eval_t *e) {
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

void strata__eval_window(const eval_t *e) {
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
      return strata_type_is_float(type) ? (number_t){.f = 0} : (number_t){.i = 0};
    index += coord * access->strides[i];
  }
  return load(type, data, index);
}

bool strata__eval_contract(const eval_t *e) {
  const strata__record_t *r = e->record;
  const strata__attr_t *maps = strata__get(r, "maps");
  const strata__scalar_t *mul = &strata__scalar[STRATA_OP_MUL], *add = &strata__scalar[STRATA_OP_ADD];
  strata_type_t type = r->results[0].type, lhs_type = r->operands[0].type, rhs_type = r->operands[1].type;
  bool unsigned_lhs = strata__i64(r, "unsigned_lhs");
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
      if (unsigned_lhs && strata__integer_bits(lhs_type) < 64)
        a.i &= ((int64_t)1 << strata__integer_bits(lhs_type)) - 1;
      sum = combine(add, type, sum, combine(mul, type, a, b));
    }
    store(type, e->results[0], i, sum);
  }
  return true;
}
