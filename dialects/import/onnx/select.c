// Operators that select elements, whose number depends on the data.
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/sizes.h"

//===-- Sizes that depend on data --------------------------------------------------------------------------------===//

strata_dim_t onnx_counted_dim(onnx_node_t *n, MlirValue value, strata_dim_t bound, bool may_exceed) {
  onnx_importer_t *importer = n->importer;
  strata_dim_t zero = onnx_dim(n, 0);
  if (onnx_failed(n))
    return zero;
  bound = onnx_resolve(importer, bound);
  const char *result = n->n_outputs ? onnx_text(n->proto->output[0]) : n->name;
  *strata_vector_push(n->b->compile->arena, &importer->symbols.list) =
      (strata_symbol_t){.name = strata_arena_printf(n->b->compile->arena, "count('%s')", result),
                        .op = STRATA_SYMBOL_COUNTED,
                        .lhs = bound,
                        .rhs = zero,
                        .max = onnx_dim_range(n, bound).max,
                        .multiple = 1};
  int symbol = (int)importer->symbols.list.count - 1;
  *strata_vector_push(n->b->compile->arena, &importer->counts.list) = (strata_count_t){symbol, value, may_exceed};
  return strata_dim_symbol(n->b->compile->context, symbol);
}

// A sum of those in front says where each of them goes, and each place finds its own among the sums.
static MlirValue kept_places(onnx_node_t *n, MlirValue flags) {
  strata_dim_t size = onnx_shape(flags).dims[0];
  MlirValue ones = onnx_convert(n, flags, false, STRATA_TYPE_I64, false);
  MlirValue sums = strata_build_scan(n->b, STRATA_COMBINER_ADD, ones, 0, false, false);
  MlirValue zero = onnx_ints_constant(n, 1, &(int64_t){1}, &(int64_t){0});
  MlirValue offsets = strata_build_concat(n->b, 2, (MlirValue[]){zero, sums}, 0);
  MlirValue places = strata_build_segment_rows(n->b, offsets, size);
  MlirValue count = onnx_reduce(n, STRATA_COMBINER_ADD, ones, (bool[]){true}, false);
  return onnx_slice_dims(n, places, 0, onnx_dim(n, 0), 1, onnx_counted_dim(n, count, size, false));
}

MlirValue onnx_fill_up(onnx_node_t *n, MlirValue x, double value) {
  strata_shape_t shape = onnx_shape(x);
  strata_dim_t low[STRATA_MAX_RANK], high[STRATA_MAX_RANK];
  bool is_counted = false;
  for (int i = 0; i < shape.rank; i++) {
    strata_dim_t dim = onnx_resolve(n->importer, shape.dims[i]);
    low[i] = onnx_dim(n, 0);
    high[i] = strata_dim_sub(strata_dim_bound(n->b->compile->arena, &n->importer->symbols, dim), dim);
    is_counted |= !strata_dim_is(high[i], 0);
  }
  return is_counted ? strata_build_pad_dims(n->b, x, low, high, value) : x;
}

//===-- Compress -------------------------------------------------------------------------------------------------===//

// The places of a condition known at compile time, which the axis is to have, of whatever size it is.
static bool known_places(onnx_node_t *n, MlirValue condition, strata_dim_t room, MlirValue *out_places) {
  int64_t count, size, n_kept = 0;
  const int64_t *known;
  if (!onnx_known_ints(n, condition, &known, &count))
    return false;
  if (strata_dim_is_constant(room, &size))
    count = count < size ? count : size;
  int64_t *kept = strata_arena_array(n->b->compile->arena, int64_t, count + 1);
  for (int64_t i = 0; i < count; i++)
    if (known[i])
      kept[n_kept++] = i;
  if (n_kept && !onnx_require(n->importer, room, onnx_dim(n, 0), kept[n_kept - 1] + 1, INT64_MAX))
    return false;
  *out_places = onnx_ints_constant(n, 1, &n_kept, kept);
  return true;
}

// The condition may be shorter than the axis, and what is behind the axis counts for nothing.
void onnx_import_compress(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0), condition = onnx_operand(n, 1);
  strata_shape_t shape = onnx_shape(x);
  MlirValue places;
  int axis = 0;
  if (onnx_has_attr(n, "axis"))
    axis = onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank);
  else
    x = onnx_reshape_dims(n, x, 1,
                          (strata_dim_t[]){strata_dim_product(n->b->compile->context, shape.rank, shape.dims)});
  if (!onnx_failed(n) && onnx_shape(condition).rank != 1)
    onnx_invalid(n, "condition: expected one dimension, got %d", onnx_shape(condition).rank);
  if (onnx_failed(n))
    return;
  strata_dim_t room = onnx_shape(x).dims[axis], length = onnx_shape(condition).dims[0];
  if (known_places(n, condition, room, &places)) {
    onnx_set_like(n, 0, strata_build_gather(n->b, x, places, axis, 0), 0);
    return;
  }
  strata_dim_t least = onnx_derive(n, STRATA_SYMBOL_MIN, length, room);
  if (!strata_dim_equal(onnx_resolve(n->importer, length), least))
    condition = onnx_slice_dims(n, condition, 0, onnx_dim(n, 0), 1, least);
  onnx_set_like(n, 0, strata_build_gather(n->b, x, kept_places(n, condition), axis, 0), 0);
}

//===-- NonZero --------------------------------------------------------------------------------------------------===//

static void known_non_zero(onnx_node_t *n, const double *values, int64_t count) {
  onnx_shape_t shape = onnx_operand_sizes(n, 0);
  int64_t n_found = 0;
  for (int64_t i = 0; i < count; i++)
    n_found += values[i] != 0;
  int64_t *places = strata_arena_array(n->b->compile->arena, int64_t, shape.rank * n_found);
  for (int64_t i = 0, found = 0; i < count; i++) {
    if (values[i] == 0)
      continue;
    int64_t rest = i;
    for (int d = shape.rank - 1; d >= 0; rest /= shape.dims[d--])
      places[d * n_found + found] = rest % shape.dims[d];
    found++;
  }
  onnx_set(n, 0, onnx_ints_constant(n, 2, (int64_t[]){shape.rank, n_found}, places));
}

void onnx_import_non_zero(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  int64_t count;
  if (onnx_failed(n))
    return;
  if (onnx_is_known(n, x)) {
    const double *values = onnx_constant_floats(n, 0, &count);
    if (!onnx_failed(n))
      known_non_zero(n, values, count);
    return;
  }
  MlirValue rows[STRATA_MAX_RANK];
  strata_dim_t size = strata_dim_product(n->b->compile->context, shape.rank, shape.dims);
  MlirValue flags = shape.type == STRATA_TYPE_I1 ? x : onnx_with_number(n, STRATA_OP_NE, x, 0);
  MlirValue place = kept_places(n, onnx_reshape_dims(n, flags, 1, &size));
  for (int i = shape.rank - 1; i >= 0; i--) {
    rows[i] = onnx_insert_axis(n, i ? onnx_with_dim(n, STRATA_OP_REM, place, shape.dims[i]) : place, 0);
    if (i)
      place = onnx_with_dim(n, STRATA_OP_DIV, place, shape.dims[i]);
  }
  if (!onnx_failed(n) && !shape.rank) // of a scalar there are no coordinates
    onnx_unsupported(n, "a scalar that is not known at compile time");
  if (!onnx_failed(n))
    onnx_set(n, 0, strata_build_concat(n->b, shape.rank, rows, 0));
}

//===-- Unique ---------------------------------------------------------------------------------------------------===//

enum { MAX_COLUMNS = 64 }; // a sort each

typedef struct {
  MlirValue values, first, inverse, counts; // where each is first; of each element which it is; how many of each
} unique_t;

// The rows of |x| in lexicographic order, and where each was: sorted by each column, from the last one on, which keeps
// the order of those that are equal.
static MlirValue sort_rows(onnx_node_t *n, MlirValue x, int64_t n_columns, MlirValue *out_places) {
  bool is_unsigned = onnx_is_unsigned(n, 0);
  for (int64_t i = n_columns - 1; i >= 0; i--) {
    MlirValue column = onnx_remove_axis(n, onnx_slice_axis(n, x, 1, i, 1, 1), 1), order;
    column = strata_build_sort(n->b, column, 0, false, is_unsigned, &order);
    *out_places = i == n_columns - 1 ? order : strata_build_gather(n->b, *out_places, order, 0, 0);
    x = n_columns == 1 ? onnx_insert_axis(n, column, 1) : strata_build_gather(n->b, x, order, 0, 0);
  }
  return x;
}

// Whether each row but the first differs from the one in front of it, as numbers.
static MlirValue row_changes(onnx_node_t *n, MlirValue sorted) {
  strata_dim_t rest = strata_dim_plus(onnx_shape(sorted).dims[0], -1);
  MlirValue before = onnx_slice_dims(n, sorted, 0, onnx_dim(n, 0), 1, rest);
  MlirValue behind = onnx_slice_dims(n, sorted, 0, onnx_dim(n, 1), 1, rest);
  MlirValue differs = onnx_convert(n, onnx_binary(n, STRATA_OP_NE, before, behind), false, STRATA_TYPE_I64, false);
  return onnx_reduce(n, STRATA_COMBINER_MAX, differs, (bool[]){false, true}, false);
}

// Of rows, in their order: sorted, each but the first of its equals is dropped.
static unique_t sorted_unique(onnx_node_t *n, MlirValue x, int64_t n_columns) {
  strata_dim_t zero = onnx_dim(n, 0);
  MlirValue places, one = onnx_ints_constant(n, 1, &(int64_t){1}, &(int64_t){1});
  MlirValue sorted = sort_rows(n, x, n_columns, &places), differs = row_changes(n, sorted);
  MlirValue begins = strata_build_concat(n->b, 2, (MlirValue[]){one, differs}, 0);
  MlirValue group =
      onnx_with_number(n, STRATA_OP_SUB, strata_build_scan(n->b, STRATA_COMBINER_ADD, begins, 0, false, false), 1);
  MlirValue kept = kept_places(n, onnx_with_number(n, STRATA_OP_NE, begins, 0));
  MlirValue none = onnx_integer(n, places, 0);
  unique_t u = {.values = strata_build_gather(n->b, sorted, kept, 0, 0),
                .first = strata_build_gather(n->b, places, kept, 0, 0),
                .inverse = strata_build_scatter(n->b, "none", none, places, group)};
  MlirValue all = strata_build_scatter(n->b, "add", none, group, onnx_integer(n, group, 1));
  u.counts = onnx_slice_dims(n, all, 0, zero, 1, onnx_shape(kept).dims[0]);
  return u;
}

// In the order in which they are first.
static unique_t in_order(onnx_node_t *n, unique_t u) {
  MlirValue order, first = strata_build_sort(n->b, u.first, 0, false, false, &order);
  strata_shape_t shape = onnx_shape(order);
  MlirValue rank = strata_build_scatter(n->b, "none", onnx_integer(n, order, 0), order,
                                        onnx_iota_dims(n, STRATA_TYPE_I64, 1, shape.dims, 0));
  return (unique_t){.values = strata_build_gather(n->b, u.values, order, 0, 0),
                    .first = first,
                    .inverse = strata_build_gather(n->b, rank, u.inverse, 0, 0),
                    .counts = strata_build_gather(n->b, u.counts, order, 0, 0)};
}

// |x| with a row for each part along |axis|; its shape with that in front.
static MlirValue parts_as_rows(onnx_node_t *n, MlirValue x, int axis, int64_t *out_columns, strata_shape_t *out_moved) {
  x = onnx_move_axis(n, x, axis, 0);
  *out_moved = onnx_shape(x);
  strata_dim_t columns = strata_dim_product(n->b->compile->context, out_moved->rank - 1, out_moved->dims + 1);
  if (!strata_dim_is_constant(columns, out_columns) || *out_columns < 1 || *out_columns > MAX_COLUMNS)
    onnx_unsupported(n, "parts of %s elements: expected 1 to %d", onnx_dim_text(n, columns), MAX_COLUMNS);
  return onnx_failed(n) ? x : onnx_reshape_dims(n, x, 2, (strata_dim_t[]){out_moved->dims[0], columns});
}

// The distinct rows as parts along |axis| again.
static MlirValue rows_as_parts(onnx_node_t *n, MlirValue rows, int axis, strata_shape_t moved) {
  moved.dims[0] = onnx_shape(rows).dims[0];
  return onnx_move_axis(n, onnx_reshape_dims(n, rows, moved.rank, moved.dims), 0, axis);
}

void onnx_import_unique(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x), moved = shape;
  bool has_axis = onnx_has_attr(n, "axis");
  int axis = has_axis ? onnx_axis(n, onnx_attr_int(n, "axis", 0), shape.rank) : 0;
  if (onnx_failed(n))
    return;
  strata_dim_t size = has_axis ? shape.dims[axis] : strata_dim_product(n->b->compile->context, shape.rank, shape.dims);
  if (!onnx_failed(n) && onnx_dim_range(n, size).min < 1 &&
      !onnx_require(n->importer, size, onnx_dim(n, 0), 1, INT64_MAX))
    onnx_unsupported(n, "no elements");
  if (shape.type == STRATA_TYPE_I1)
    onnx_unsupported(n, "truth values");
  if (onnx_failed(n))
    return;
  int64_t n_columns;
  x = parts_as_rows(n, has_axis ? x : onnx_reshape_dims(n, x, 1, &size), axis, &n_columns, &moved);
  if (onnx_failed(n))
    return;
  unique_t u = sorted_unique(n, x, n_columns);
  if (!onnx_attr_int(n, "sorted", 1))
    u = in_order(n, u);
  onnx_set_like(n, 0, rows_as_parts(n, u.values, axis, moved), 0);
  onnx_set(n, 1, u.first);
  onnx_set(n, 2, u.inverse);
  onnx_set(n, 3, u.counts);
}
