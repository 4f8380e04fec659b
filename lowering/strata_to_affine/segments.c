// Rows in sequences: loops whose bounds are offsets from memory, clamped to the rows that there are. So the work is
// that of the rows, however unequal the sequences are.
//
//   %2 = "strata.segment_reduce"(%x, %offsets) {kind = "add"} : (tensor<100x8xf32>, tensor<4xi64>) -> tensor<3x8xf32>
// becomes
//   affine.parallel (%b, %j) = (0, 0) to (3, 8) {
//     %begin = clamp(affine.load %offsets[%b])   %end = clamp(affine.load %offsets[%b + 1])
//     %s = scf.for %r = %begin to %end iter_args(%a = %zero) -> (f32) { %v = memref.load %x[%r, %j] ... }
//     affine.store %s, %y[%b, %j] : memref<3x8xf32>
//   } {strata.nest = "segment_reduce", strata.serial}
#include "lowering/strata_to_affine/segments.h"

#include "dialects/affine/segment_attention.h"
#include "dialects/affine/segment_contract.h"
#include "passes/affine/segment_attention.h"
#include "passes/target.h"

//===-- Bounds ---------------------------------------------------------------------------------------------------===//

static MlirValue larger(strata__nest_t *nest, MlirValue x, MlirValue y) {
  return strata__binary(nest, "arith.maxsi", x, y);
}

static MlirValue smaller(strata__nest_t *nest, MlirValue x, MlirValue y) {
  return strata__binary(nest, "arith.minsi", x, y);
}

static MlirValue plus(strata__nest_t *nest, MlirValue x, int64_t number) {
  return strata__binary(nest, "arith.addi", x, strata_emit_index(&nest->e, number));
}

typedef strata__span_t span_t;

static span_t clamped(strata__nest_t *nest, MlirValue begin, MlirValue end, strata_size_t total) {
  MlirValue count = strata__size(nest, total);
  begin = smaller(nest, larger(nest, strata__to_index(nest, begin), strata_emit_index(&nest->e, 0)), count);
  return (span_t){begin, smaller(nest, larger(nest, strata__to_index(nest, end), begin), count)};
}

// The rows of sequence |at|, an expression; of the one whose number is |at|, a value below the number of sequences.
static span_t rows_of(strata__nest_t *nest, const strata__tensor_t *offsets, MlirAffineExpr at, strata_size_t total) {
  MlirAffineExpr next = strata__linear(nest, at, 1, 1);
  MlirValue begin = strata__load_raw(nest, offsets, &at);
  return clamped(nest, begin, strata__load_raw(nest, offsets, &next), total);
}

strata__span_t strata__segment_span(strata__nest_t *nest, const strata__tensor_t *offsets, MlirValue at,
                                    strata_size_t total) {
  MlirValue begin = strata__load_at(nest, offsets, &at), next = plus(nest, at, 1);
  return clamped(nest, begin, strata__load_at(nest, offsets, &next), total);
}

strata_size_t strata__segment_count(const strata__lowering_t *l, const strata__tensor_t *offsets) {
  MlirAffineExpr count = strata_size_expr(l->context, offsets->sizes[0]);
  return strata_size_of_expr(&l->symbols, mlirAffineAddExprGet(count, mlirAffineConstantExprGet(l->context, -1)));
}

MlirValue strata__segment_find(strata__nest_t *nest, strata_size_t count, MlirValue place, strata__first_place_t first,
                               void *user) {
  strata_emitter_t *e = &nest->e;
  int bits = 0;
  while (bits < 62 && (strata_size_max(count) - 1) >> bits > 0)
    bits++;
  MlirValue at = strata_emit_index(e, 0), so_far;
  if (bits == 0)
    return at;
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_emit_index(e, 0), strata_emit_index(e, bits), 1, 1, &at, &so_far);
  MlirValue step = strata__binary(nest, "arith.shrui", strata_emit_index(e, INT64_C(1) << (bits - 1)), loop.induction);
  MlirValue next = strata__binary(nest, "arith.addi", so_far, step), n = strata__size(nest, count);
  MlirValue known = smaller(nest, next, n); // offsets have an entry for it
  MlirValue is_reached = strata__compare(nest, "sle", first(nest, known, user), place);
  MlirValue found = strata__select(nest, is_reached, next, so_far);
  found = strata__select(nest, strata__compare(nest, "slt", next, n), found, so_far);
  strata_emit_for_end(e, loop, 1, &found, &at);
  return at;
}

strata_size_t strata__segment_parts(strata__lowering_t *l, strata_size_t total, strata_size_t count, int64_t rows) {
  MlirAffineExpr parts =
      mlirAffineFloorDivExprGet(strata_size_expr(l->context, total), mlirAffineConstantExprGet(l->context, rows));
  parts = mlirAffineAddExprGet(parts, strata_size_expr(l->context, count));
  return strata_size_of_expr(&l->symbols, strata_affine_simplify(parts, STRATA__SPACE_OF(l, 0, NULL)));
}

// What the map says of row |at|, as an index of |count| things.
static MlirValue mapped(strata__nest_t *nest, const strata__tensor_t *map, MlirAffineExpr at, strata_size_t count) {
  MlirValue value = strata__to_index(nest, strata__load_raw(nest, map, &at));
  MlirValue last = plus(nest, strata__size(nest, count), -1);
  return larger(nest, smaller(nest, value, last), strata_emit_index(&nest->e, 0));
}

//===-- The map of rows ------------------------------------------------------------------------------------------===//

static MlirValue select_where_equal(strata__nest_t *nest, MlirValue x, MlirValue y, MlirValue then, MlirValue other) {
  return strata__select(nest, strata__compare(nest, "eq", x, y), then, other);
}

// Each sequence writes its number into its rows; the first and the last one up to the ends.
static strata_status_t lower_rows(strata__lowering_t *l, MlirOperation op) {
  if (strata_target_is_gpu(l->compile)) {
    strata__lower_segment_rows_gpu(l, op);
    return NULL;
  }
  const strata__tensor_t *offsets = strata__operand(l, op, 0), *result = strata__result(l, op, 0);
  strata_size_t count = strata__segment_count(l, offsets);
  strata__nest_t nest;
  strata__nest_begin(l, &nest, op, "segment_rows", 1, &count);
  nest.is_serial = true;
  MlirAffineExpr at = strata__dim(&nest, 0);
  span_t rows = rows_of(&nest, offsets, at, result->sizes[0]);
  MlirValue zero = strata_emit_index(&nest.e, 0), last = plus(&nest, strata__size(&nest, count), -1);
  MlirValue number = strata__index_of(&nest, at), total = strata__size(&nest, result->sizes[0]);
  MlirValue begin = select_where_equal(&nest, number, zero, zero, rows.begin);
  MlirValue end = select_where_equal(&nest, number, last, total, rows.end);
  MlirValue value = strata__cast(&nest, "arith.index_cast", number, mlirIntegerTypeGet(l->context, 64));
  strata_loop_t loop = strata_emit_for_begin(&nest.e, begin, end, 1, 0, NULL, NULL);
  strata__store_at(&nest, result, &loop.induction, value);
  strata_emit_for_end(&nest.e, loop, 0, NULL, NULL);
  strata__nest_end(&nest);
  return NULL;
}

//===-- Reductions -----------------------------------------------------------------------------------------------===//

enum { FEW_ROWS = 128 }; // that a GPU's thread may walk

MlirValue strata__segment_reduce_span(strata__nest_t *nest, strata_combiner_t combiner, const strata__tensor_t *rows,
                                      span_t span, const MlirAffineExpr *point, MlirValue initial) {
  MlirValue at[STRATA_MAX_RANK], so_far, result;
  for (int i = 1; i < rows->rank; i++)
    at[i] = strata__index_of(nest, point[i]);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, span.begin, span.end, 1, 1, &initial, &so_far);
  at[0] = loop.induction;
  MlirValue element = strata__to_math(nest, rows->type, strata__load_at(nest, rows, at));
  so_far = strata__combine(nest, combiner, so_far, element);
  strata_emit_for_end(&nest->e, loop, 1, &so_far, &result);
  return result;
}

static strata_status_t lower_reduce(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *rows = strata__operand(l, op, 0), *offsets = strata__operand(l, op, 1),
                         *result = strata__result(l, op, 0);
  strata_combiner_t combiner = strata_op_combiner(op);
  strata_size_t total = rows->sizes[0];
  bool has_parts = strata_target_is_gpu(l->compile) && !strata__is_empty(rows) && strata_size_max(total) > FEW_ROWS;
  if (has_parts)
    rows = strata__lower_segment_parts(l, op, rows, offsets);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__nest_begin_for(l, &nest, op, "segment_reduce", result, point);
  nest.is_serial = true;
  MlirValue reduced = strata__neutral_value(&nest, combiner, strata__math_type(l->context, rows->type));
  if (!strata__is_empty(rows)) {
    span_t span = has_parts ? strata__segment_parts_of(&nest, offsets, strata__index_of(&nest, point[0]), total)
                            : rows_of(&nest, offsets, point[0], total);
    reduced = strata__segment_reduce_span(&nest, combiner, rows, span, point, reduced);
  }
  strata__store(&nest, result, point, reduced);
  strata__nest_end(&nest);
  return NULL;
}

// A read that other forms of the kernel are known by.
static void ask_for_tiles(strata__nest_t *nest, const strata__tensor_t *tiles) {
  const MlirAffineExpr first[2] = {strata__constant(nest, 0), strata__constant(nest, 0)};
  strata__load_raw(nest, tiles, first);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static MlirValue times(strata__nest_t *nest, MlirValue x, MlirValue y) {
  return strata__binary(nest, mlirTypeIsAFloat(mlirValueGetType(x)) ? "arith.mulf" : "arith.muli", x, y);
}

// Rows of a tile of |total| rows of |count| sequences: twice as many as a sequence has of them where all have as many,
// so that few matrices are read twice. Tiles of fewer rows than the largest are columns of an instruction.
static int64_t product_tile_rows(strata_size_t total, strata_size_t count) {
  int64_t rows = STRATA_SEGMENT_FEW_ROWS;
  while (rows < STRATA_SEGMENT_TILE_ROWS && rows < 2 * strata_ceil_div(strata_size_max(total), strata_size_min(count)))
    rows *= 2;
  return rows;
}

// The tables of tiles of a product; null: there is none.
typedef struct {
  const strata__tensor_t *all, *few; // few: by rows, where the number of rows varies and there may be few
  int64_t rows;                      // of a tile of |all|, at most
} product_tiles_t;

// Tables for a product on an instruction that reads shared memory.
static strata_status_t find_product_tiles(strata__lowering_t *l, MlirOperation op, product_tiles_t *out) {
  const strata__tensor_t *rows = strata__operand(l, op, 0), *matrices = strata__operand(l, op, 1);
  const strata_gpu_device_t *device;
  MlirOperation map = strata_def(mlirOperationGetOperand(op, 2));
  *out = (product_tiles_t){0};
  if (!strata_target_is_gpu(l->compile) || l->compile->options->disable_fast_math || rows->type != matrices->type ||
      (rows->type != STRATA_TYPE_F16 && rows->type != STRATA_TYPE_BF16) || strata__is_empty(rows) ||
      strata__is_empty(matrices) || mlirOperationIsNull(map) || strata_op_id(map) != STRATA_OP_SEGMENT_ROWS)
    return NULL;
  STRATA_TRY(strata_gpu_device(l->compile, &device));
  const strata__tensor_t *offsets = strata__operand(l, map, 0);
  strata_size_t total = rows->sizes[0], count = strata__segment_count(l, offsets);
  int64_t least = strata_size_min(count);
  if (!device->mma_async[0] || least < 1)
    return NULL;
  out->rows = product_tile_rows(total, count);
  strata__segment_tiles_t tiles = {.offsets = offsets, .key_offsets = offsets, .total = total, .n_keys = total};
  tiles.rows = out->rows;
  tiles.is_by_row = strata_size_max(total) <= strata_segment_most_by_row(tiles.rows, least);
  out->all = strata__segment_tiles(l, op, tiles);
  bool may_be_few = strata_size_varies(total) && !strata_size_varies(count) &&
                    strata_size_min(total) <= strata_segment_most_by_row(STRATA_SEGMENT_FEW_ROWS, least);
  if (!may_be_few || tiles.is_by_row || tiles.rows == STRATA_SEGMENT_FEW_ROWS)
    return NULL;
  tiles.rows = STRATA_SEGMENT_FEW_ROWS;
  tiles.is_by_row = true;
  out->few = strata__segment_tiles(l, op, tiles);
  return NULL;
}

static strata_status_t lower_contract(strata__lowering_t *l, MlirOperation op) {
  const strata__tensor_t *rows = strata__operand(l, op, 0), *matrices = strata__operand(l, op, 1),
                         *map = strata__operand(l, op, 2), *result = strata__result(l, op, 0);
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__reduction_t reduction;
  product_tiles_t tiles;
  STRATA_TRY(find_product_tiles(l, op, &tiles));
  strata__nest_begin_for(l, &nest, op, "segment_contract", result, point);
  nest.is_serial = true;
  nest.tile_rows = tiles.rows;
  if (tiles.all)
    ask_for_tiles(&nest, tiles.all);
  if (tiles.few)
    ask_for_tiles(&nest, tiles.few);
  nest.fast_math = l->fast_math_of_products;
  MlirValue sum = strata__neutral_value(&nest, STRATA_COMBINER_ADD, strata__math_type(l->context, result->type));
  if (!strata__is_empty(rows) && !strata__is_empty(matrices)) {
    MlirValue at[3] = {mapped(&nest, map, point[0], matrices->sizes[0])};
    at[2] = strata__index_of(&nest, point[1]);
    strata__reduction_begin(&nest, &reduction, 1, &rows->sizes[1], sum);
    const MlirAffineExpr row[2] = {point[0], reduction.dims[0]};
    at[1] = strata__index_of(&nest, reduction.dims[0]);
    MlirValue x = strata__load(&nest, rows, row);
    MlirValue y = strata__to_math(&nest, matrices->type, strata__load_at(&nest, matrices, at));
    MlirValue product = strata__combine(&nest, STRATA_COMBINER_ADD, reduction.accumulator, times(&nest, x, y));
    sum = strata__reduction_end(&nest, &reduction, product);
  }
  strata__store(&nest, result, point, sum);
  strata__nest_end(&nest);
  return NULL;
}

//===-- Attention ------------------------------------------------------------------------------------------------===//

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *q, *k, *v, *map, *offsets, *key_offsets, *result;
  const strata__tensor_t *tiles; // NULL: nobody asks for them
  int64_t tile_rows;             // of one of these
  const strata__tensor_t *sums;  // of weighted values so far: the result, or, where that is narrower, a place beside it
  MlirAffineExpr point[2];       // row and head of the result
  MlirValue group;               // the head of the keys
  double scale;
  bool is_causal;
} attention_t;

// The keys that the row reads. The sequence's rows are read where they do not matter, too: other forms of the kernel
// ask for them (dialects/affine/segment_attention.c).
static span_t keys_of(attention_t *a) {
  strata__nest_t *nest = &a->nest;
  if (a->tiles)
    ask_for_tiles(nest, a->tiles);
  MlirValue sequence = mapped(nest, a->map, a->point[0], strata__segment_count(nest->lowering, a->offsets));
  span_t keys = strata__segment_span(nest, a->key_offsets, sequence, a->k->sizes[0]);
  span_t rows = strata__segment_span(nest, a->offsets, sequence, a->q->sizes[0]);
  if (!a->is_causal)
    return keys;
  // As far from the end of the keys as the row is from the end of its sequence.
  MlirValue behind = strata__binary(nest, "arith.subi", rows.end, plus(nest, strata__index_of(nest, a->point[0]), 1));
  MlirValue end = strata__binary(nest, "arith.subi", keys.end, larger(nest, behind, strata_emit_index(&nest->e, 0)));
  return (span_t){keys.begin, larger(nest, end, keys.begin)};
}

static MlirValue score(attention_t *a, MlirValue key) {
  strata__nest_t *nest = &a->nest;
  strata__reduction_t sum;
  MlirType type = strata__math_type(nest->lowering->context, a->q->type);
  strata__reduction_begin(nest, &sum, 1, &a->q->sizes[2], strata__neutral_value(nest, STRATA_COMBINER_ADD, type));
  const MlirAffineExpr query[3] = {a->point[0], a->point[1], sum.dims[0]};
  const MlirValue at[3] = {key, a->group, strata__index_of(nest, sum.dims[0])};
  MlirValue x = strata__load(nest, a->q, query);
  MlirValue y = strata__to_math(nest, a->k->type, strata__load_at(nest, a->k, at));
  MlirValue total = strata__combine(nest, STRATA_COMBINER_ADD, sum.accumulator, times(nest, x, y));
  total = strata__reduction_end(nest, &sum, total);
  return times(nest, total, strata__float_constant(nest, type, a->scale));
}

// sum = sum * |factor| + |weight| * the key's value; without a key, sum * factor or, without that, 0. It is stored to
// |stored|: the sums, or the result.
static void update_sums(attention_t *a, MlirValue factor, MlirValue weight, MlirValue key,
                        const strata__tensor_t *stored) {
  strata__nest_t *nest = &a->nest;
  MlirType type = strata__math_type(nest->lowering->context, a->sums->type);
  strata__loop_t loop = strata__for_begin(nest, a->v->sizes[2], 0, NULL, NULL);
  const MlirAffineExpr value = strata__dim(nest, nest->n_dims - 1), to[3] = {a->point[0], a->point[1], value};
  MlirValue result = strata__float_constant(nest, type, 0);
  if (!mlirValueIsNull(factor))
    result = times(nest, strata__load(nest, a->sums, to), factor);
  if (!mlirValueIsNull(key)) {
    const MlirValue from[3] = {key, a->group, strata__index_of(nest, value)};
    MlirValue v = strata__to_math(nest, a->v->type, strata__load_at(nest, a->v, from));
    result = strata__combine(nest, STRATA_COMBINER_ADD, result, times(nest, weight, v));
  }
  strata__store(nest, stored, to, result);
  strata__for_end(nest, loop, 0, NULL, NULL);
}

// One pass over the keys: results so far are those of the greatest score so far.
static void attend(attention_t *a) {
  const double lowest = -3e38; // a number: what is subtracted from it is no NaN
  strata__nest_t *nest = &a->nest;
  MlirType type = strata__math_type(nest->lowering->context, a->q->type);
  MlirValue zero = strata__float_constant(nest, type, 0), one = strata__float_constant(nest, type, 1);
  MlirValue carried[2] = {strata__float_constant(nest, type, lowest), zero}, now[2];
  span_t keys = keys_of(a);
  update_sums(a, (MlirValue){0}, (MlirValue){0}, (MlirValue){0}, a->sums);
  strata_loop_t loop = strata_emit_for_begin(&nest->e, keys.begin, keys.end, 1, 2, carried, now);
  MlirValue s = score(a, loop.induction), maximum = strata__combine(nest, STRATA_COMBINER_MAX, now[0], s);
  MlirValue factor = strata__unary(nest, "math.exp", strata__binary(nest, "arith.subf", now[0], maximum));
  MlirValue weight = strata__unary(nest, "math.exp", strata__binary(nest, "arith.subf", s, maximum));
  update_sums(a, factor, weight, loop.induction, a->sums);
  MlirValue next[2] = {maximum, strata__combine(nest, STRATA_COMBINER_ADD, times(nest, now[1], factor), weight)};
  strata_emit_for_end(&nest->e, loop, 2, next, carried);
  MlirValue is_none = strata__compare(nest, "oeq", carried[1], zero);
  MlirValue sum = strata__select(nest, is_none, one, carried[1]);
  update_sums(a, strata__binary(nest, "arith.divf", one, sum), (MlirValue){0}, (MlirValue){0}, a->result);
}

// Sums are kept in the type that they are computed in.
static const strata__tensor_t *place_of_sums(strata__lowering_t *l, MlirOperation op, const strata__tensor_t *result) {
  strata_type_t type = strata_type_info[result->type].math_type;
  if (type == result->type)
    return result;
  strata__tensor_t *sums = strata_arena_new(l->compile->arena, strata__tensor_t);
  *sums = (strata__tensor_t){.type = type, .rank = result->rank, .sizes = result->sizes};
  strata__place_anywhere(l, sums, mlirOperationGetLocation(op));
  return sums;
}

// Of a tile for an instruction that reads shared memory.
static int64_t instruction_tile_rows(const strata__lowering_t *l, const strata_gpu_device_t *device,
                                     const attention_t *a) {
  strata_size_t count = strata__segment_count(l, a->offsets);
  int64_t steps = strata_size_static_value(a->q->sizes[2]), values = strata_size_static_value(a->v->sizes[2]);
  double length = strata_segment_likely_length(&l->symbols, a->k->sizes[0], count);
  return strata_segment_attention_rows(device, steps, values, a->is_causal, length);
}

// Tiles for kernels on a matrix instruction that reads shared memory, or on multiply-adds where there are no others.
static strata_status_t find_tiles(strata__lowering_t *l, MlirOperation op, attention_t *a) {
  const strata_gpu_device_t *device;
  bool is_half = a->q->type == STRATA_TYPE_F16 || a->q->type == STRATA_TYPE_BF16;
  if (!strata_target_is_gpu(l->compile) || l->compile->options->disable_fast_math || strata__is_empty(a->k) ||
      (!is_half && a->q->type != STRATA_TYPE_F32) || strata_size_min(strata__segment_count(l, a->offsets)) < 1)
    return NULL;
  STRATA_TRY(strata_gpu_device(l->compile, &device));
  bool is_staged = strata_gpu_stages_by_threads(device);
  if (!is_staged && !(device->mma_async[0] && is_half))
    return NULL;
  a->tile_rows = is_staged ? STRATA_SEGMENT_TILE_ROWS : instruction_tile_rows(l, device, a);
  a->tiles = strata__segment_tiles(l, op,
                                   (strata__segment_tiles_t){.offsets = a->offsets,
                                                             .key_offsets = a->key_offsets,
                                                             .total = a->q->sizes[0],
                                                             .n_keys = a->k->sizes[0],
                                                             .rows = a->tile_rows,
                                                             .is_causal = a->is_causal,
                                                             .is_by_sequence = true});
  return NULL;
}

static strata_status_t lower_attention(strata__lowering_t *l, MlirOperation op) {
  attention_t a = {.q = strata__operand(l, op, 0),
                   .k = strata__operand(l, op, 1),
                   .v = strata__operand(l, op, 2),
                   .map = strata__operand(l, op, 3),
                   .offsets = strata__operand(l, op, 4),
                   .key_offsets = strata__operand(l, op, 5),
                   .result = strata__result(l, op, 0),
                   .scale = mlirFloatAttrGetValueDouble(strata_attr(op, "scale")),
                   .is_causal = strata_attr_flag(op, "causal")};
  strata__nest_t *nest = &a.nest;
  a.sums = place_of_sums(l, op, a.result);
  STRATA_TRY(find_tiles(l, op, &a));
  strata__nest_begin(l, nest, op, "segment_attention", 2, a.result->sizes);
  nest->is_serial = true;
  nest->tile_rows = a.tile_rows;
  nest->fast_math = l->fast_math_of_products;
  for (int i = 0; i < 2; i++)
    a.point[i] = strata__dim(nest, i);
  int64_t heads = strata_size_static_value(a.q->sizes[1]), groups = strata_size_static_value(a.k->sizes[1]);
  a.group = strata__index_of(nest, mlirAffineFloorDivExprGet(a.point[1], strata__constant(nest, heads / groups)));
  if (strata__is_empty(a.k))
    update_sums(&a, (MlirValue){0}, (MlirValue){0}, (MlirValue){0}, a.result);
  else
    attend(&a);
  strata__nest_end(nest);
  return NULL;
}

strata_status_t strata__lower_segment(strata__lowering_t *l, MlirOperation op) {
  switch ((int)strata_op_id(op)) {
  case STRATA_OP_SEGMENT_ROWS:
    return lower_rows(l, op);
  case STRATA_OP_SEGMENT_REDUCE:
    return lower_reduce(l, op);
  case STRATA_OP_SEGMENT_CONTRACT:
    return lower_contract(l, op);
  default:
    return lower_attention(l, op);
  }
}
