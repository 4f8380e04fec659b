// tile.load and tile.store: each piece of the vector by the cheapest way its map allows.
//
//   step 1 along the innermost dim       vector.load, vector.store
//   step 0                               one scalar, in every lane
//   step 2 to 4, or -1 to -4             whole vectors and a shuffle (loads)
//   any other step                       if another dim has step 1, pieces along that one, transposed in registers;
//   else
//                                        gather, or scalar stores
//   not linear                           indices computed lane by lane, gather and scatter
//
// Stores to a buffer larger than any cache go past the caches, where they are aligned for it.
//
// With a pad value, coordinates that can leave the buffer are compared with its bounds. A condition that is the same in
// all lanes moves the address inside and selects the pad value afterwards; one that differs becomes a mask.
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_cpu/access.h"

enum { MAX_LANES = 64, MAX_SHUFFLED_STEP = 4 };

// One piece: |length| elements along the innermost dim from |point| on.
typedef struct {
  strata_distribution_t *d;
  strata_box_t *box;
  int64_t point[STRATA_VECTOR_RANK];
  int64_t length;
  MlirType type, element;
  bool is_linear;
  int64_t step;      // of the position
  MlirAttribute pad; // null where every element is inside
  MlirValue inside;  // where pad is used: an i1 for all lanes, null if true
  MlirValue mask;    // a vector of i1, null if all true
} piece_t;

static piece_t piece_at(strata_distribution_t *d, strata_box_t *box, const strata_pieces_t *pieces, int64_t number) {
  piece_t piece = {.d = d,
                   .box = box,
                   .length = strata_piece_length(pieces, number),
                   .type = strata_piece_type(pieces, number),
                   .element = pieces->element};
  int64_t element = strata_piece_first(pieces, number);
  for (int dim = pieces->rank; dim-- > 0; element /= pieces->sizes[dim])
    piece.point[dim] = element % pieces->sizes[dim];
  piece.is_linear = strata_box_step(box, box->known_position, piece.point, piece.length, &piece.step);
  return piece;
}

static MlirValue index_constant(piece_t *piece, int64_t value) { return strata_emit_index(&piece->d->e, value); }

// The integer type of lane numbers: 32 bits where positions fit, since twice as many lanes fit a register then.
static MlirType lane_type(const piece_t *piece) {
  strata_size_t n_elements = strata_size_constant(1);
  for (int i = 0; i < piece->box->rank; i++)
    n_elements = strata_size_product(n_elements, piece->box->sizes[i]);
  return mlirIntegerTypeGet(piece->d->e.context, strata_size_max(n_elements) < INT32_MAX / 2 ? 32 : 64);
}

static MlirType mask_type(const piece_t *piece) {
  return strata_lanes_type(mlirIntegerTypeGet(piece->d->e.context, 1), piece->length);
}

//===-- Bounds ---------------------------------------------------------------------------------------------------===//

static void require(piece_t *piece, MlirValue *condition, MlirValue more) {
  *condition = mlirValueIsNull(*condition) ? more : strata_emit_binary(&piece->d->e, "arith.andi", *condition, more);
}

// 0 <= coordinate < size, as one unsigned comparison.
static void check_coordinate(piece_t *piece, int i) {
  strata_emitter_t *e = &piece->d->e;
  strata_box_t *box = piece->box;
  int64_t step;
  bool is_linear = strata_box_step(box, box->known_coordinates[i], piece->point, piece->length, &step);
  if (is_linear && step == 0) {
    MlirValue value = strata_box_emit(piece->d, box, box->coordinates[i], piece->point);
    require(piece, &piece->inside, strata_emit_cmpi(e, STRATA_ULT, value, strata_box_size(piece->d, box, i)));
    return;
  }
  MlirValue lanes =
      strata_box_emit_lanes(piece->d, box, box->coordinates[i], piece->point, piece->length, lane_type(piece));
  int64_t number;
  MlirValue size =
      strata_size_is_constant(box->sizes[i], &number)
          ? strata_emit_integer(e, mlirValueGetType(lanes), number)
          : strata_lanes_splat(
                e, strata_emit_cast(e, "arith.index_cast", strata_box_size(piece->d, box, i), lane_type(piece)),
                piece->length);
  require(piece, &piece->mask, strata_emit_cmpi(e, STRATA_ULT, lanes, size));
}

static void check_bounds(piece_t *piece, MlirAttribute pad) {
  if (mlirAttributeIsNull(pad))
    return;
  const strata_box_t *box = piece->box;
  for (int i = 0; i < box->rank; i++)
    if (!strata_box_inside(piece->d, box, box->known_coordinates[i], piece->point, piece->length, box->sizes[i]))
      check_coordinate(piece, i);
  piece->pad = pad;
  if (mlirValueIsNull(piece->mask) || mlirValueIsNull(piece->inside))
    return;
  MlirValue all = strata_lanes_splat(&piece->d->e, piece->inside, piece->length);
  require(piece, &piece->mask, all);
  piece->inside = (MlirValue){0};
}

//===-- Loads ----------------------------------------------------------------------------------------------------===//

static MlirValue load_vector(piece_t *piece, MlirValue position) {
  strata_emitter_t *e = &piece->d->e;
  MlirValue operands[] = {piece->box->flat, position};
  return strata_emit_value(e, piece->length == 1 ? "memref.load" : "vector.load", 2, operands, piece->type, 0, NULL);
}

static MlirValue load_scalar(piece_t *piece, MlirValue position) {
  MlirValue operands[] = {piece->box->flat, position};
  return strata_emit_value(&piece->d->e, "memref.load", 2, operands, piece->element, 0, NULL);
}

// Elements position, position + step, ...: as many whole vectors as cover them, the last one drawn back so that nothing
// beyond the last element is read, and shuffles.
static MlirValue load_shuffled(piece_t *piece, MlirValue position) {
  strata_emitter_t *e = &piece->d->e;
  int64_t n = piece->length, step = piece->step < 0 ? -piece->step : piece->step, span = step * (n - 1) + 1;
  int64_t first = piece->step < 0 ? 1 - span : 0; // the lowest address, from |position|
  int64_t starts[MAX_SHUFFLED_STEP], n_loads = strata_ceil_div(span, n), mask[MAX_LANES];
  MlirValue loads[MAX_SHUFFLED_STEP], result = {0};
  for (int64_t i = 0; i < n_loads; i++) {
    starts[i] = i < n_loads - 1 ? i * n : span - n;
    loads[i] = load_vector(piece, strata_emit_plus(e, position, first + starts[i]));
  }
  // After shuffle i the lanes whose elements lie in loads 0 to i + 1 are right.
  for (int64_t i = n_loads > 1 ? 1 : 0; i < n_loads; i++) {
    for (int64_t lane = 0; lane < n; lane++) {
      int64_t at = piece->step < 0 ? span - 1 - lane * step : lane * step;
      if (i <= 1)
        mask[lane] = at < n ? at : at - starts[i] < n ? n + at - starts[i] : 0;
      else
        mask[lane] = at < starts[i - 1] + n ? lane : at - starts[i] < n ? n + at - starts[i] : 0;
    }
    result = strata_lanes_shuffle(e, i <= 1 ? loads[0] : result, loads[i], n, mask);
  }
  return result;
}

static MlirValue splat_constant(piece_t *piece, MlirAttribute value) {
  return strata_emit_constant(&piece->d->e, piece->type, value);
}

static MlirValue all_lanes(piece_t *piece) { return strata_emit_integer(&piece->d->e, mask_type(piece), 1); }

// step * lane.
static MlirValue lane_offsets(piece_t *piece) {
  MlirAttribute values[MAX_LANES];
  MlirType element = lane_type(piece), type = strata_lanes_type(element, piece->length);
  for (int64_t lane = 0; lane < piece->length; lane++)
    values[lane] = mlirIntegerAttrGet(element, lane * piece->step);
  strata_named_attr_t value = {"value", mlirDenseElementsAttrGet(type, piece->length, values)};
  return strata_emit_value(&piece->d->e, "arith.constant", 0, NULL, type, 1, &value);
}

static MlirValue load_gathered(piece_t *piece, MlirValue position, MlirValue offsets) {
  MlirValue mask = mlirValueIsNull(piece->mask) ? all_lanes(piece) : piece->mask;
  MlirAttribute otherwise = mlirAttributeIsNull(piece->pad) ? strata_zero_attr(piece->element) : piece->pad;
  MlirValue operands[] = {piece->box->flat, position, offsets, mask, splat_constant(piece, otherwise)};
  return strata_emit_value(&piece->d->e, "vector.gather", 5, operands, piece->type, 0, NULL);
}

static MlirValue load_unlinear(piece_t *piece) {
  MlirValue offsets =
      strata_box_emit_lanes(piece->d, piece->box, piece->box->position, piece->point, piece->length, lane_type(piece));
  return load_gathered(piece, index_constant(piece, 0), offsets);
}

static MlirValue load_masked(piece_t *piece, MlirValue position) {
  if (piece->step != 1)
    return load_gathered(piece, position, lane_offsets(piece));
  MlirValue operands[] = {piece->box->flat, position, piece->mask, splat_constant(piece, piece->pad)};
  return strata_emit_value(&piece->d->e, "vector.maskedload", 4, operands, piece->type, 0, NULL);
}

static MlirValue load_linear(piece_t *piece, MlirValue position) {
  bool shuffles = piece->step >= -MAX_SHUFFLED_STEP && piece->step <= MAX_SHUFFLED_STEP;
  if (piece->length == 1 || piece->step == 1)
    return load_vector(piece, position);
  if (piece->step == 0)
    return strata_lanes_splat(&piece->d->e, load_scalar(piece, position), piece->length);
  return shuffles ? load_shuffled(piece, position) : load_gathered(piece, position, lane_offsets(piece));
}

static bool may_be_empty(const strata_box_t *box) {
  for (int i = 0; i < box->rank; i++)
    if (strata_size_min(box->sizes[i]) == 0)
      return true;
  return false;
}

// What is outside a buffer in which there may be nothing at all, no place to read from instead.
static MlirValue load_if_inside(piece_t *piece, MlirValue position) {
  strata_emitter_t *e = &piece->d->e;
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock outer = e->block;
  for (int i = 0; i < 2; i++) {
    e->block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(regions[i], e->block);
    MlirValue value = i == 0 ? load_linear(piece, position) : splat_constant(piece, piece->pad);
    strata_emit_op(e, "scf.yield", 1, &value, 0, NULL, 0, NULL);
  }
  e->block = outer;
  MlirOperation op = strata_op_create(e->location, "scf.if", 1, &piece->inside, 1, &piece->type, 0, NULL, 2, regions);
  mlirBlockAppendOwnedOperation(e->block, op);
  return mlirOperationGetResult(op, 0);
}

static MlirValue load_piece(piece_t *piece) {
  strata_emitter_t *e = &piece->d->e;
  MlirValue value;
  if (!piece->is_linear) {
    if (!mlirValueIsNull(piece->inside)) // a gather has a mask anyway
      piece->mask = strata_lanes_splat(e, piece->inside, piece->length);
    return load_unlinear(piece);
  }
  MlirValue position = strata_box_position(piece->d, piece->box, piece->point);
  if (!mlirValueIsNull(piece->mask))
    return load_masked(piece, position);
  if (mlirValueIsNull(piece->inside))
    return load_linear(piece, position);
  if (may_be_empty(piece->box))
    return load_if_inside(piece, position);
  int64_t lowest = piece->step < 0 ? -piece->step * (piece->length - 1) : 0; // a place from which all lanes are inside
  value = load_linear(piece, strata_emit_select(e, piece->inside, position, index_constant(piece, lowest)));
  return strata_emit_select(e, piece->inside, value, splat_constant(piece, piece->pad));
}

static void emit_load(strata_distribution_t *d, strata_step_t *step, int64_t number) {
  piece_t piece = piece_at(d, step->state, &step->pieces, number);
  check_bounds(&piece, strata_attr(step->op, "pad"));
  step->pieces.values[number] = load_piece(&piece);
}

// The dim with step 1 along which a vector that lies across is better moved; -1 if there is none.
static int contiguous_dim(const strata_box_t *box, const strata_pieces_t *shape) {
  int64_t step = shape->rank > 1 ? box->steps[shape->rank - 1] : 0;
  if (!box->is_linear || (step >= -1 && step <= 1))
    return -1;
  for (int dim = 0; dim < shape->rank - 1; dim++)
    if (box->steps[dim] == 1 && strata_can_swap(shape, dim))
      return dim;
  return -1;
}

static void load_swapped(strata_distribution_t *d, strata_step_t *step, const strata_box_t *box, int dim) {
  strata_box_t across = strata_box_swap(box, dim);
  strata_step_t load = {.op = step->op, .state = &across};
  load.pieces = strata_pieces_layout(strata_swapped_type(&step->pieces, dim), step->pieces.lanes);
  load.pieces.values = strata_arena_array(d->compile->arena, MlirValue, load.pieces.n_pieces);
  for (int64_t i = 0; i < load.pieces.n_pieces; i++)
    emit_load(d, &load, i);
  step->pieces = strata_pieces_swap(d, &load.pieces, dim);
  strata_pieces_define(d, mlirOperationGetResult(step->op, 0), &step->pieces);
}

strata_status_t strata_step_load(strata_distribution_t *d, strata_step_t *step) {
  strata_box_t *box = strata_arena_new(d->compile->arena, strata_box_t);
  step->pieces = strata_pieces_new(d, mlirOperationGetResult(step->op, 0));
  STRATA_TRY(strata_box_read(d, step->op, 0, step->pieces.type, box));
  int dim = contiguous_dim(box, &step->pieces);
  if (dim >= 0) {
    strata_finish_run(d);
    load_swapped(d, step, box, dim);
    return NULL;
  }
  step->state = box;
  step->reads = true;
  step->emit = emit_load;
  return NULL;
}

//===-- Stores ---------------------------------------------------------------------------------------------------===//

// A buffer this large has left the caches before it is read again, and need not be read before it is written. The
// kernel's entry ends with a fence for these stores (targets/cpu/codegen.c).
enum { STREAM_BYTES = 32 << 20, STREAM_ALIGNMENT = 16 };

static void store_op(piece_t *piece, const char *name, MlirValue value, MlirValue position, bool streams) {
  strata_emitter_t *e = &piece->d->e;
  MlirValue operands[] = {value, piece->box->flat, position};
  strata_named_attr_t attrs[] = {{"nontemporal", strata_bool_attr(e->context, true)},
                                 {"alignment", strata_i64_attr(e->context, STREAM_ALIGNMENT)}};
  strata_emit_op(e, name, 3, operands, 0, NULL, streams ? 2 : 0, attrs);
}

// True if the piece belongs to a large buffer and is aligned if the buffer is.
static bool may_stream(const piece_t *piece) {
  int64_t bytes = strata_element_bytes(piece->element), size = bytes;
  if (!strata_box_is_static(piece->box))
    return false;
  for (int i = 0; i < piece->box->rank; i++)
    size *= strata_size_static_value(piece->box->sizes[i]);
  return size >= STREAM_BYTES && bytes * piece->length % STREAM_ALIGNMENT == 0 &&
         strata_box_is_multiple(piece->box, piece->point, STREAM_ALIGNMENT / bytes);
}

static MlirValue is_aligned(piece_t *piece) {
  strata_emitter_t *e = &piece->d->e;
  MlirType index = mlirIndexTypeGet(e->context);
  MlirValue address = strata_emit_cast(e, "memref.extract_aligned_pointer_as_index", piece->box->flat, index);
  MlirValue rest = strata_emit_binary(e, "arith.andi", address, index_constant(piece, STREAM_ALIGNMENT - 1));
  return strata_emit_cmpi(e, STRATA_EQ, rest, index_constant(piece, 0));
}

// Whether the user's buffer is aligned is known when it is there.
static void store_streaming(piece_t *piece, MlirValue value, MlirValue position) {
  strata_emitter_t *e = &piece->d->e;
  MlirValue condition = is_aligned(piece);
  MlirRegion regions[2] = {mlirRegionCreate(), mlirRegionCreate()};
  MlirBlock outer = e->block;
  for (int i = 0; i < 2; i++) {
    e->block = mlirBlockCreate(0, NULL, NULL);
    mlirRegionAppendOwnedBlock(regions[i], e->block);
    store_op(piece, "vector.store", value, position, i == 0);
    strata_emit_op(e, "scf.yield", 0, NULL, 0, NULL, 0, NULL);
  }
  e->block = outer;
  mlirBlockAppendOwnedOperation(e->block,
                                strata_op_create(e->location, "scf.if", 1, &condition, 0, NULL, 0, NULL, 2, regions));
}

static void store_unlinear(piece_t *piece, MlirValue value) {
  MlirValue offsets =
      strata_box_emit_lanes(piece->d, piece->box, piece->box->position, piece->point, piece->length, lane_type(piece));
  MlirValue operands[] = {piece->box->flat, index_constant(piece, 0), offsets, all_lanes(piece), value};
  strata_emit_op(&piece->d->e, "vector.scatter", 5, operands, 0, NULL, 0, NULL);
}

static void store_piece(piece_t *piece, MlirValue value) {
  if (!piece->is_linear) {
    store_unlinear(piece, value);
    return;
  }
  MlirValue position = strata_box_position(piece->d, piece->box, piece->point);
  if (piece->length == 1) {
    store_op(piece, "memref.store", value, position, false);
  } else if (piece->step == 1 && may_stream(piece)) {
    store_streaming(piece, value, position);
  } else if (piece->step == 1) {
    store_op(piece, "vector.store", value, position, false);
  } else {
    for (int64_t lane = 0; lane < piece->length; lane++)
      store_op(piece, "memref.store", strata_lanes_extract(&piece->d->e, value, lane),
               strata_emit_plus(&piece->d->e, position, lane * piece->step), false);
  }
}

static void emit_store(strata_distribution_t *d, strata_step_t *step, int64_t number) {
  piece_t piece = piece_at(d, step->state, &step->pieces, number);
  store_piece(&piece, step->pieces.values[number]);
}

strata_status_t strata_step_store(strata_distribution_t *d, strata_step_t *step) {
  MlirValue source = mlirOperationGetOperand(step->op, 0);
  strata_box_t *box = strata_arena_new(d->compile->arena, strata_box_t);
  STRATA_TRY(strata_box_read(d, step->op, 1, mlirValueGetType(source), box));
  step->pieces = *strata_pieces_of(d, source);
  step->state = box;
  step->writes = true;
  step->emit = emit_store;
  const strata_pieces_t *pieces = &step->pieces;
  if (pieces->rank > 0 && pieces->lanes == 1 && box->is_linear && box->steps[pieces->rank - 1] == 1) {
    strata_finish_run(d); // scalars side by side in memory: vector stores
    step->pieces = strata_pieces_as(d, source, d->lanes);
  }
  int dim = contiguous_dim(box, &step->pieces);
  if (dim >= 0) {
    strata_finish_run(d);
    *box = strata_box_swap(box, dim);
    step->pieces = strata_pieces_swap(d, &step->pieces, dim);
  }
  return NULL;
}
