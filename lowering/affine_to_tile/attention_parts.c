// See attention.h.
#include "lowering/affine_to_tile/attention.h"

#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/affine_to_tile/rounding.h"
#include "lowering/expand/ops.h"

#include <float.h>
#include <math.h>

strata_status_t strata_tile_attention_read(strata_tile_builder_t *b, strata_tile_attention_t *out) {
  const char *why;
  out->fast_math = mlirAttributeParseGet(b->e.context, strata_str("#arith.fastmath<reassoc,contract,arcp,afn>"));
  if (!strata_attention_read(b->kernel, &out->a, &why))
    return strata_error(STRATA_UNSUPPORTED, "no attention: %s", why ? why : "other nests");
  for (int i = 0; i < STRATA_MAX_DIMS; i++)
    out->point[i] = strata_tile_constant(b, 0);
  return NULL;
}

//===-- Arithmetic on f32 ----------------------------------------------------------------------------------------===//

strata_tile_value_t strata_tile_attention_number(strata_tile_builder_t *b, double value) {
  MlirType f32 = mlirF32TypeGet(b->e.context);
  MlirAttribute attr = mlirFloatAttrDoubleGet(b->e.context, f32, value);
  return (strata_tile_value_t){strata_emit_constant(&b->e, f32, attr), 0};
}

MlirValue strata_tile_attention_numbers(strata_tile_builder_t *b, double value, uint32_t dims) {
  return strata_tile_broadcast(b, strata_tile_attention_number(b, value), dims);
}

strata_tile_value_t strata_tile_attention_op(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                             const char *name, uint32_t dims, int n,
                                             const strata_tile_value_t *operands) {
  MlirValue values[2];
  for (int i = 0; i < n; i++)
    values[i] = strata_tile_broadcast(b, operands[i], dims);
  strata_named_attr_t flags = {"fastmath", t->fast_math};
  MlirType type = strata_tile_type(b, mlirF32TypeGet(b->e.context), dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, name, n, values, type, 1, &flags), dims};
}

strata_tile_value_t strata_tile_attention_binary(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 const char *name, strata_tile_value_t x, strata_tile_value_t y) {
  return strata_tile_attention_op(b, t, name, x.dims | y.dims, 2, (strata_tile_value_t[]){x, y});
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

MlirValue strata_tile_attention_digit(strata_tile_builder_t *b, const strata_tile_attention_t *t, MlirValue task,
                                      strata_size_t stride, strata_size_t extent, bool is_last) {
  MlirContext context = b->e.context;
  MlirAffineExpr digit = mlirAffineFloorDivExprGet(mlirAffineDimExprGet(context, 0), strata_size_expr(context, stride));
  bool varies = strata_size_varies(t->n_tasks);
  if (!is_last || !varies) // of numbers that is seen later
    digit = mlirAffineModExprGet(digit, strata_size_expr(context, extent));
  const strata_space_t tasks = {1, &t->n_tasks, b->sizes.count, b->sizes.sizes};
  if (varies)
    digit = strata_affine_simplify(digit, &tasks);
  return strata_tile_index_of(b, digit, task);
}

static bool is_placed(const strata_attention_t *a, uint32_t others, int dim) {
  return (dim != a->row || a->has_one_row) && dim != a->value && !strata_size_is_one(a->sizes[dim]) &&
         !(others >> dim & 1);
}

void strata_tile_attention_place(strata_tile_builder_t *b, strata_tile_attention_t *t, uint32_t others, MlirValue task,
                                 strata_size_t stride) {
  const strata_attention_t *a = &t->a;
  int first = 0;
  while (first < a->column && !is_placed(a, others, first))
    first++;
  for (int dim = a->column; dim-- > 0;) {
    if (!is_placed(a, others, dim))
      continue;
    MlirValue digit = strata_tile_attention_digit(b, t, task, stride, a->sizes[dim], dim == first);
    t->point[dim] = strata_tile_counter(b, digit, a->sizes[dim]);
    stride = strata_size_product(stride, a->sizes[dim]);
  }
}

static MlirAffineMap places(strata_tile_builder_t *b, const strata_tile_attention_t *t) {
  return mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, t->a.n_dims,
                          (MlirAffineExpr *)(uintptr_t)t->point);
}

// The tile's point of a term's nest.
static void point_of(strata_tile_builder_t *b, const strata_tile_attention_t *t, const strata_attention_term_t *term,
                     MlirAffineExpr *out_point) {
  for (int i = 0; i < term->nest->n_parallel; i++)
    out_point[i] = strata_tile_simplify(b, mlirAffineExprCompose(term->point[i], places(b, t)));
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

// Of an operand in parts the first, where it lies.
static strata_tile_value_t first_part(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                      const strata_attention_operand_t *operand) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = (int)mlirAffineMapGetNumResults(operand->map);
  for (int i = 0; i < rank; i++)
    coordinates[i] =
        strata_tile_simplify(b, mlirAffineExprCompose(mlirAffineMapGetResult(operand->map, i), places(b, t)));
  return strata_tile_load(b, operand->access->buffer, rank, coordinates);
}

// Where page |page| of a tile whose first column is |first| lies: behind the buffer's end where there is none.
static MlirValue page_number(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                             const strata_attention_operand_t *operand, MlirAffineExpr first, int64_t page) {
  const strata_attention_t *a = &t->a;
  int64_t n_pages = strata_attention_static_extent(a, a->column) / operand->page, least, most;
  strata_tile_attention_t at = *t;
  MlirAffineExpr point[STRATA_MAX_DIMS],
      number = strata_tile_scaled(b, first, 1, strata_tile_constant(b, page * operand->page));
  number = strata_tile_simplify(b, mlirAffineFloorDivExprGet(number, strata_tile_constant(b, operand->page)));
  strata_static_space_t storage;
  bool exists = strata_affine_range(number, strata_tile_space(b, &storage), &least, &most) && most < n_pages;
  int n_symbols = b->space.n_symbols;
  strata_tile_known_t *known = b->known;
  MlirValue last = strata_emit_index(&b->e, n_pages - 1), own = strata_tile_index(b, number);
  if (!exists) // one that exists is looked up
    number = strata_tile_symbol(b, strata_emit_binary(&b->e, "arith.minui", own, last), n_pages);
  at.point[a->column] = strata_tile_scaled(b, number, operand->page, strata_tile_constant(b, 0));
  point_of(b, &at, &operand->number, point);
  strata_tile_frame_t frame = {.nest = operand->number.nest, .point = point};
  MlirValue place = strata_tile_evaluate(b, &frame, operand->number.value).value;
  if (exists || b->status)
    return place;
  b->space.n_symbols = n_symbols;
  b->known = known;
  MlirValue end = strata_emit_index(&b->e, mlirShapedTypeGetDimSize(mlirValueGetType(operand->access->buffer), 0));
  return strata_emit_select(&b->e, strata_emit_cmpi(&b->e, STRATA_UGE, last, own), place, end);
}

// |bytes| as the nest that reads the gathered pages widens them.
static strata_tile_value_t widen_pages(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                       const strata_attention_operand_t *operand, strata_tile_value_t bytes) {
  const strata_access_t *store;
  const strata_nest_t *nest = strata_kernel_producer(t->a.kernel, operand->read->buffer, &store);
  strata_tile_frame_t frame = {.nest = nest, .point = t->point};
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store)
      strata_tile_bind(b, &frame, nest->accesses[i].value, bytes);
  return strata_tile_evaluate(b, &frame, store->value);
}

// An operand in pages, as many as a tile has, or the one that it lies in.
static strata_tile_value_t pages_of(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                    const strata_attention_operand_t *operand) {
  const strata_attention_t *a = &t->a;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], column = strata_tile_vector_dim(b, STRATA_TILE_COLUMN);
  MlirAffineExpr first = strata_tile_scaled(b, column, -1, t->point[a->column]);
  MlirValue pages[STRATA_TILE_ACCESS_SYMBOLS];
  int64_t columns = b->space.extents[STRATA_TILE_COLUMN], n = strata_ceil_div(columns, operand->page);
  int rank = (int)mlirAffineMapGetNumResults(operand->map);
  if (n > STRATA_TILE_ACCESS_SYMBOLS) {
    strata_tile_fail(b, "affine-to-tile: attention in tiles of %lld pages", (long long)n);
    return (strata_tile_value_t){0};
  }
  for (int i = 1; i < rank; i++)
    coordinates[i] =
        strata_tile_simplify(b, mlirAffineExprCompose(mlirAffineMapGetResult(operand->map, i), places(b, t)));
  coordinates[0] = strata_tile_simplify(b, mlirAffineFloorDivExprGet(column, strata_tile_constant(b, operand->page)));
  for (int64_t page = 0; page < n && !b->status; page++)
    pages[page] = page_number(b, t, operand, first, page);
  if (b->status)
    return (strata_tile_value_t){0};
  strata_tile_value_t value = strata_tile_load_pages(b, operand->access->buffer, rank, coordinates, (int)n, pages);
  return mlirTypeIsNull(operand->stored) ? value : widen_pages(b, t, operand, value);
}

strata_tile_value_t strata_tile_attention_operand(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                  int which) {
  const strata_attention_t *a = &t->a;
  bool is_value = which == STRATA_ATTENTION_V;
  if (a->operands[which].rest)
    return first_part(b, t, &a->operands[which]);
  if (a->operands[which].page)
    return pages_of(b, t, &a->operands[which]);
  MlirAffineExpr point[STRATA_MAX_DIMS];
  strata_tile_frame_t frame = {.nest = is_value ? a->weighted : a->product.nest, .point = point};
  if (is_value)
    memcpy(point, t->point, sizeof point); // the column is the nest's last dim
  else
    point_of(b, t, &a->product, point);
  if (!is_value)
    point[frame.nest->n_parallel] = t->point[a->head];
  return strata_tile_evaluate(b, &frame, a->operands[which].factor);
}

strata_tile_value_t strata_tile_attention_derive(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 const strata_attention_term_t *from, strata_tile_value_t value,
                                                 const strata_attention_term_t *to, uint32_t dims) {
  const strata_nest_t *nest = from->nest;
  MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  point_of(b, t, from, point);
  for (int i = 0; i < nest->n_reduction; i++)
    point[nest->n_parallel + i] = strata_tile_constant(b, 0);
  strata_tile_frame_t frame = {.nest = nest, .point = point};
  strata_tile_bind(b, &frame, from->value, value);
  if (to->nest != nest) {
    for (int i = 0; i < nest->n_accesses; i++) {
      const strata_access_t *store = &nest->accesses[i];
      if (!store->is_store)
        continue;
      int rank = strata_tile_access_coordinates(b, nest, store, point, coordinates);
      strata_tile_know(b, store->buffer, rank, coordinates, strata_tile_evaluate(b, &frame, store->value));
    }
    frame = (strata_tile_frame_t){.nest = to->nest, .point = point};
    point_of(b, t, to, point);
  }
  strata_tile_value_t result = strata_tile_evaluate(b, &frame, to->value);
  if (b->status)
    return result;
  result = (strata_tile_value_t){strata_tile_broadcast(b, result, dims), dims};
  return strata_tile_widened(b, result, mlirF32TypeGet(b->e.context));
}

MlirAffineExpr strata_tile_attention_offset(strata_tile_builder_t *b, const strata_tile_attention_t *t, int64_t more) {
  return mlirAffineAddExprGet(strata_size_expr(b->e.context, t->a.offset), strata_tile_constant(b, more));
}

MlirValue strata_tile_attention_numbers_along(strata_tile_builder_t *b, int axis, MlirAffineExpr start) {
  MlirType type = strata_tile_type(b, mlirIndexTypeGet(b->e.context), 1u << axis);
  MlirValue step = strata_emit_value(&b->e, "vector.step", 0, NULL, type, 0, NULL);
  if (mlirAffineExprIsNull(start))
    return step;
  strata_tile_value_t first = {strata_tile_index(b, start), 0};
  MlirValue operands[2] = {step, strata_tile_broadcast(b, first, 1u << axis)};
  return strata_emit_value(&b->e, "arith.addi", 2, operands, type, 0, NULL);
}

// The numbers of a tile's columns; of one column a scalar.
static strata_tile_value_t column_numbers(strata_tile_builder_t *b) {
  if (b->space.extents[STRATA_TILE_COLUMN] == 1)
    return (strata_tile_value_t){strata_emit_index(&b->e, 0), 0};
  return (strata_tile_value_t){strata_tile_attention_numbers_along(b, STRATA_TILE_COLUMN, (MlirAffineExpr){0}),
                               1u << STRATA_TILE_COLUMN};
}

// Of numbers up to |most|, all that is asked about: as 32 bits, which a processor compares in one step.
static strata_tile_value_t narrow(strata_tile_builder_t *b, strata_tile_value_t number, int64_t most) {
  MlirType i32 = mlirIntegerTypeGet(b->e.context, 32);
  strata_tile_value_t limit = {strata_emit_index(&b->e, most), 0};
  const MlirValue both[2] = {number.value, strata_tile_broadcast(b, limit, number.dims)};
  MlirValue least = strata_emit_value(&b->e, "arith.minsi", 2, both, mlirValueGetType(number.value), 0, NULL);
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.index_cast", 1, &least, strata_tile_type(b, i32, number.dims), 0, NULL),
      number.dims};
}

strata_tile_value_t strata_tile_attention_choose(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 strata_tile_value_t scores, strata_tile_value_t column,
                                                 strata_tile_value_t end) {
  enum { PREDICATE_SLT = 2 };
  uint32_t dims = end.dims | column.dims;
  MlirValue compared[2] = {strata_tile_broadcast(b, column, dims), strata_tile_broadcast(b, end, dims)};
  MlirType type = strata_tile_type(b, mlirIntegerTypeGet(b->e.context, 1), dims);
  strata_named_attr_t less = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_SLT)};
  strata_tile_value_t exists = {strata_emit_value(&b->e, "arith.cmpi", 2, compared, type, 1, &less), dims};
  MlirValue chosen[3] = {strata_tile_broadcast(b, exists, scores.dims), scores.value,
                         strata_tile_attention_numbers(b, t->a.has_softmax ? -INFINITY : 0, scores.dims)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.select", 3, chosen, mlirValueGetType(scores.value), 0, NULL), scores.dims};
}

strata_tile_value_t strata_tile_attention_cut(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                              strata_tile_value_t scores, strata_tile_value_t end) {
  strata_tile_value_t column = column_numbers(b);
  int64_t size = b->space.extents[STRATA_TILE_COLUMN];
  if (b->schedule.threads && b->sizes.count > 0 && end.dims) { // of numbers the range is seen
    column = narrow(b, column, size);
    end = narrow(b, end, size);
  }
  return strata_tile_attention_choose(b, t, scores, column, end);
}

strata_tile_value_t strata_tile_attention_with_sink(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                    strata_tile_value_t sum, strata_tile_value_t maximum) {
  const strata_attention_t *a = &t->a;
  if (!a->sink.exists)
    return sum;
  strata_tile_value_t sink = strata_tile_attention_number(b, a->sink.number);
  if (a->sink.read) {
    MlirAffineExpr coordinates[STRATA_MAX_DIMS];
    int rank = (int)mlirAffineMapGetNumResults(a->sink.map);
    for (int i = 0; i < rank; i++)
      coordinates[i] =
          strata_tile_simplify(b, mlirAffineExprCompose(mlirAffineMapGetResult(a->sink.map, i), places(b, t)));
    sink = strata_tile_load(b, a->sink.read->buffer, rank, coordinates);
    if (b->status)
      return sum;
    sink = strata_tile_widened(b, sink, mlirF32TypeGet(b->e.context));
  }
  sink = strata_tile_attention_binary(b, t, "arith.mulf", sink, strata_tile_attention_number(b, STRATA_LOG2_E));
  strata_tile_value_t exponent = strata_tile_attention_exponent(b, t, maximum);
  sink = strata_tile_attention_binary(b, t, "arith.subf", sink, exponent);
  return strata_tile_attention_binary(b, t, "arith.addf", sum,
                                      strata_tile_attention_op(b, t, "math.exp2", sink.dims, 1, &sink));
}

strata_tile_value_t strata_tile_attention_divide(strata_tile_builder_t *b, const strata_tile_attention_t *t,
                                                 strata_tile_value_t result, strata_tile_value_t sum) {
  strata_tile_value_t one = {strata_tile_attention_numbers(b, 1, sum.dims), sum.dims};
  strata_tile_value_t inverse = strata_tile_attention_binary(b, t, "arith.divf", one, sum);
  strata_tile_value_t quotient = strata_tile_attention_binary(b, t, "arith.mulf", result, inverse);
  if (!t->a.replaces_nan)
    return quotient;
  enum { PREDICATE_OGT = 2 };
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1);
  MlirValue compared[2] = {sum.value, strata_tile_attention_numbers(b, 0, sum.dims)};
  strata_named_attr_t greater = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_OGT)};
  strata_tile_value_t exists = {
      strata_emit_value(&b->e, "arith.cmpf", 2, compared, strata_tile_type(b, i1, sum.dims), 1, &greater), sum.dims};
  MlirValue chosen[3] = {strata_tile_broadcast(b, exists, quotient.dims), quotient.value,
                         strata_tile_attention_numbers(b, 0, quotient.dims)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.select", 3, chosen, mlirValueGetType(quotient.value), 0, NULL), quotient.dims};
}

double strata_tile_attention_lowest(double scale) {
  return scale != 0 ? -FLT_MAX / fmax(2, 2 * STRATA_LOG2_E * scale) : -FLT_MAX;
}
