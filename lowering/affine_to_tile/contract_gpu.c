// Contractions for GPUs: a block of threads computes a tile of rows x columns of the result.
//
// Rows are the dims that only the broadcast side (contraction.h) has, columns those of the vector side, each flattened
// into one number, and so are the reduction dims, the one contiguous in memory innermost: a convolution's n, p, q are
// one dim of rows, its r, s, c one reduction. Dims that both sides have, and tiles, become tasks:
//
//   scf.forall (%t) in (tasks) {
//     %sum = scf.for %k = 0 to steps iter_args(%a = %zero) -> vector<128x128xf32> {
//       %u = "tile.load"(%x, ...) {map, mask} : vector<128x32xf16>   %v = "tile.load"(%w, ...) : vector<128x32xf16>
//       %n = vector.contract {...} %u, %v, %a {tile.mma = "m16n8k16.f16"} : ... into vector<128x128xf32>
//     } {tile.pipeline}
//     epilogue on vector<128x128xf32>, "tile.store" {map, mask} }
//
// Both operands have the reduction last, whatever their order in memory. Tiles that hang over an edge are masked.
//
// Where the schedule says so (every), a tile has every second row, say: those that begin at the same place of a sector
// of memory, with which the tile's steps begin, in front of the reduction. Of rows of 1000 elements, tiles of the first
// kind of row in front of those of the second:
//
//   %u = "tile.load"(%x, %row, %k) {map = (d0, d1)[s0, s1] -> (d0 * 2 + (s0 mod 4) * 256 + s0 floordiv 4,
//                                                             d1 + s1 * 64 - (s0 floordiv 4) * 8), mask = ...}
#include "lowering/affine_to_tile/contract.h"

#include "devices/gpu/mma.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"

enum {
  U = STRATA_SIDE_U,
  V = STRATA_SIDE_V,
  ROW = STRATA_AXIS_ROW,
  COLUMN = STRATA_AXIS_COLUMN,
  STEP = STRATA_AXIS_STEP,
  N_AXES = STRATA_N_AXES,
};

// Of tiles whose rows lie apart.
typedef struct {
  int64_t every;       // a tile has every so many of the rows; 1: neighbours
  int64_t pitch, unit; // elements from row to row of the operand; such rows begin at multiples of so many
  MlirAffineExpr lead; // elements by which the tile's steps begin in front of the reduction
} apart_t;

typedef struct {
  strata_contraction_kernel_t k;
  strata_contraction_axis_t axes[N_AXES];
  int64_t tile[N_AXES];          // elements of a tile along each axis
  strata_size_t n_tiles[N_AXES]; // and tiles
  strata_size_t n_tasks;
  int64_t cluster[2]; // tiles of a cluster's blocks along rows and columns
  apart_t apart;
  const strata_mma_t *mma; // NULL: multiply-adds
  MlirAffineExpr point[STRATA_MAX_DIMS];
} contract_t;

//===-- Axes -----------------------------------------------------------------------------------------------------===//

static void bound(strata_tile_builder_t *b, MlirAffineExpr expr) { b->bounds[b->n_bounds++] = expr; }

// |number| is less than |extent|.
static void bound_by(strata_tile_builder_t *b, MlirAffineExpr number, strata_size_t extent) {
  MlirAffineExpr last = mlirAffineAddExprGet(strata_size_expr(b->e.context, extent), strata_tile_constant(b, -1));
  bound(b, strata_tile_scaled(b, number, -1, last));
}

// Of rows that lie apart, which are of a number that is known.
static int64_t static_extent(const contract_t *c, int axis) { return strata_size_static_value(c->axes[axis].size); }

// The tiles of each kind of row are one after the other.
static void place_rows_apart(strata_tile_builder_t *b, contract_t *c, MlirAffineExpr tile) {
  apart_t *apart = &c->apart;
  int64_t extent = static_extent(c, ROW) / apart->every,
          n_tiles = strata_size_static_value(c->n_tiles[ROW]) / apart->every;
  MlirAffineExpr own = strata_tile_simplify(b, mlirAffineModExprGet(tile, strata_tile_constant(b, n_tiles)));
  MlirAffineExpr kind = strata_tile_simplify(b, mlirAffineFloorDivExprGet(tile, strata_tile_constant(b, n_tiles)));
  MlirAffineExpr number = strata_tile_scaled(b, own, c->tile[ROW], strata_tile_vector_dim(b, ROW));
  MlirAffineExpr start = mlirAffineMulExprGet(kind, strata_tile_constant(b, apart->pitch));
  apart->lead = strata_tile_simplify(b, mlirAffineModExprGet(start, strata_tile_constant(b, apart->unit)));
  c->point[c->axes[ROW].dims[0]] = strata_tile_scaled(b, number, apart->every, kind);
  if (n_tiles * c->tile[ROW] > extent)
    bound_by(b, number, strata_size_constant(extent));
}

static void place_steps_apart(strata_tile_builder_t *b, contract_t *c, MlirAffineExpr tile) {
  MlirAffineExpr first = strata_tile_scaled(b, c->apart.lead, -1, strata_tile_vector_dim(b, STEP));
  MlirAffineExpr number = strata_tile_scaled(b, tile, c->tile[STEP], first);
  c->point[c->axes[STEP].dims[0]] = number;
  bound(b, number);
  bound_by(b, number, c->axes[STEP].size);
}

// True if the axis's tiles end with it, whatever its size is.
static bool has_whole_tiles(const contract_t *c, int axis) {
  int64_t extent, n_tiles;
  if (strata_size_is_constant(c->axes[axis].size, &extent) && strata_size_is_constant(c->n_tiles[axis], &n_tiles))
    return n_tiles * c->tile[axis] <= extent;
  return strata_size_divides(c->tile[axis] * (axis == STEP ? 1 : c->cluster[axis]), c->axes[axis].size);
}

// Places the axis's dims at tile number |tile|, and says where the tile ends.
static void place_axis(strata_tile_builder_t *b, contract_t *c, int which, MlirAffineExpr tile) {
  const strata_contraction_axis_t *axis = &c->axes[which];
  if (c->apart.every > 1 && which == ROW)
    return place_rows_apart(b, c, tile);
  if (c->apart.every > 1 && which == STEP)
    return place_steps_apart(b, c, tile);
  MlirAffineExpr number = strata_tile_scaled(b, tile, c->tile[which], strata_tile_vector_dim(b, which));
  strata_size_t stride = strata_size_constant(1);
  for (int i = axis->n_dims; i-- > 0;) {
    strata_size_t extent = c->k.nest->space.sizes[axis->dims[i]];
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(number, strata_size_expr(b->e.context, stride));
    if (i > 0)
      digit = mlirAffineModExprGet(digit, strata_size_expr(b->e.context, extent));
    c->point[axis->dims[i]] = strata_tile_simplify(b, digit);
    stride = strata_size_product(stride, extent);
  }
  bool is_one = strata_size_is_one(axis->size);
  if (is_one && !strata_size_is_one(c->n_tiles[which])) // of a dim that nothing has, and of one in front of it
    bound(b, strata_tile_simplify(b, mlirAffineMulExprGet(tile, strata_tile_constant(b, -1))));
  if (is_one && c->tile[which] > 1)
    bound(b, mlirAffineMulExprGet(strata_tile_vector_dim(b, which), strata_tile_constant(b, -1)));
  else if (!has_whole_tiles(c, which))
    bound_by(b, number, axis->size);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// |expr| of the task's number, in [0, extent), as a symbol.
static MlirAffineExpr task_digit(strata_tile_builder_t *b, const contract_t *c, MlirValue task, MlirAffineExpr expr,
                                 strata_size_t extent) {
  const strata_space_t tasks = {1, &c->n_tasks, b->sizes.count, b->sizes.sizes};
  if (b->sizes.count > 0)
    expr = strata_affine_simplify(expr, &tasks);
  return strata_tile_counter(b, strata_tile_index_of(b, expr, task), extent);
}

// How many tiles of |axis| form a group: as many as divide their number, in clusters of |cluster|, whatever that is.
static int64_t group_of(const contract_t *c, int axis) {
  enum { GROUP = 8 };
  int64_t group = GROUP;
  while (!strata_size_divides(group * c->cluster[axis], c->n_tiles[axis]))
    group /= 2;
  return group;
}

// Few tiles of rows, of a number that varies, are one group: those of a column are carried out at the same time.
static bool are_few_rows(const contract_t *c) {
  enum { FEW = 16 };
  return strata_size_varies(c->n_tiles[ROW]) && strata_size_max(c->n_tiles[ROW]) <= FEW * c->cluster[ROW];
}

// True if each block has one task at most, whatever their number is: any order is as good then.
static bool are_at_once(const strata_tile_builder_t *b, const contract_t *c) {
  const strata_schedule_t *schedule = &b->schedule;
  int64_t blocks = schedule->parts > 1 ? INT64_MAX : schedule->blocks; // of parts there is one for each task
  return strata_size_varies(c->n_tasks) && schedule->producers > 0 && strata_size_max(c->n_tasks) <= blocks;
}

// Clusters of tiles that neighbouring tasks have: along |near|, |group| of them, which may be all that there are.
typedef struct {
  int near;
  strata_size_t group;
  bool is_whole;
} task_order_t;

static task_order_t order_of(const strata_tile_builder_t *b, const contract_t *c) {
  bool rows_vary = strata_size_varies(c->n_tiles[ROW]), columns_vary = strata_size_varies(c->n_tiles[COLUMN]);
  task_order_t order = {.near = rows_vary && !are_few_rows(c) ? COLUMN : ROW, .is_whole = are_few_rows(c)};
  if (rows_vary != columns_vary && are_at_once(b, c)) // a number that is known is a better divisor
    order = (task_order_t){.near = rows_vary ? COLUMN : ROW, .is_whole = true};
  order.group = order.is_whole ? strata_size_ceil_div(c->n_tiles[order.near], c->cluster[order.near])
                               : strata_size_constant(group_of(c, order.near));
  return order;
}

// Tasks that run at the same time share operands in the second-level cache: groups of tiles below one another walk
// along the columns; of rows whose number varies, groups beside one another along the rows. Tasks that all run at the
// same time lie as is found by the fewest divisions. Those of a cluster lie beside one another, rows first.
static void place_tile(strata_tile_builder_t *b, contract_t *c, MlirValue task) {
  MlirContext context = b->e.context;
  const int64_t *cluster = c->cluster;
  const task_order_t order = order_of(b, c);
  int near = order.near, far = near == ROW ? COLUMN : ROW;
  MlirAffineExpr group = strata_size_expr(context, order.group);
  int64_t blocks = cluster[ROW] * cluster[COLUMN];
  MlirAffineExpr far_tiles = strata_size_expr(context, strata_size_ceil_div(c->n_tiles[far], cluster[far]));
  MlirAffineExpr all = strata_size_expr(context, strata_size_product(c->n_tiles[ROW], c->n_tiles[COLUMN]));
  MlirAffineExpr number = mlirAffineModExprGet(mlirAffineDimExprGet(context, 0), all);
  MlirAffineExpr t = mlirAffineFloorDivExprGet(number, strata_tile_constant(b, blocks));
  MlirAffineExpr grouped = mlirAffineMulExprGet(far_tiles, group);
  MlirAffineExpr place[2];
  place[near] = mlirAffineModExprGet(t, group);
  place[far] = mlirAffineFloorDivExprGet(t, group);
  if (!order.is_whole) {
    place[near] = mlirAffineAddExprGet(mlirAffineMulExprGet(mlirAffineFloorDivExprGet(t, grouped), group), place[near]);
    place[far] = mlirAffineModExprGet(place[far], far_tiles);
  }
  MlirAffineExpr rank = mlirAffineModExprGet(number, strata_tile_constant(b, blocks));
  MlirAffineExpr own[2] = {mlirAffineModExprGet(rank, strata_tile_constant(b, cluster[ROW])),
                           mlirAffineFloorDivExprGet(rank, strata_tile_constant(b, cluster[ROW]))};
  for (int axis = ROW; axis <= COLUMN; axis++) {
    place[axis] =
        mlirAffineAddExprGet(mlirAffineMulExprGet(place[axis], strata_tile_constant(b, cluster[axis])), own[axis]);
    place_axis(b, c, axis, task_digit(b, c, task, place[axis], c->n_tiles[axis]));
  }
}

// The dims that are neither rows, columns nor reduced.
static bool is_outer(const contract_t *c, int dim) {
  for (int which = ROW; which <= COLUMN; which++)
    for (int i = 0; i < c->axes[which].n_dims; i++)
      if (c->axes[which].dims[i] == dim)
        return false;
  return true;
}

static strata_size_t count_tasks(const contract_t *c) {
  strata_size_t n_tasks = strata_size_product(c->n_tiles[ROW], c->n_tiles[COLUMN]);
  for (int dim = 0; dim < c->k.nest->n_parallel; dim++)
    if (is_outer(c, dim))
      n_tasks = strata_size_product(n_tasks, c->k.nest->space.sizes[dim]);
  return n_tasks;
}

static void place_outer(strata_tile_builder_t *b, contract_t *c, MlirValue task) {
  MlirContext context = b->e.context;
  strata_size_t stride = strata_size_product(c->n_tiles[ROW], c->n_tiles[COLUMN]);
  MlirAffineExpr t = mlirAffineDimExprGet(b->e.context, 0);
  int n_outer = 0;
  for (int dim = 0; dim < c->k.nest->n_parallel; dim++)
    n_outer += is_outer(c, dim);
  for (int dim = c->k.nest->n_parallel; dim-- > 0;) {
    if (!is_outer(c, dim))
      continue;
    strata_size_t extent = c->k.nest->space.sizes[dim];
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(t, strata_size_expr(context, stride));
    if (--n_outer > 0 || !strata_size_varies(c->n_tasks)) // the first digit is what is left
      digit = mlirAffineModExprGet(digit, strata_size_expr(context, extent));
    c->point[dim] = task_digit(b, c, task, digit, extent);
    stride = strata_size_product(stride, extent);
  }
}

//===-- Products -------------------------------------------------------------------------------------------------===//

static bool is_zero(MlirOperation op) {
  return strata_op_is(op, "arith.constant") && strata_attr_is_zero(strata_attr(op, "value"));
}

// True if |value| is zero where nothing is read: it is a read, padded with zero or not, or conversions of one.
static bool keeps_zero(const contract_t *c, MlirValue value) {
  const strata_access_t *store;
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (strata_op_is(op, "affine.load"))
      return !strata_kernel_producer(c->k.kernel, mlirOperationGetOperand(op, 0), &store);
    if (strata_op_is(op, "affine.if")) {
      MlirBlock outside = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1));
      MlirValue pad = mlirOperationGetOperand(mlirBlockGetTerminator(outside), 0);
      if (!mlirValueIsAOpResult(pad) || !is_zero(mlirOpResultGetOwner(pad)))
        return false;
      MlirBlock inside = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
      value = mlirOperationGetOperand(mlirBlockGetTerminator(inside), 0);
    } else if (strata_op_is_conversion(op)) {
      value = mlirOperationGetOperand(op, 0);
    } else {
      return false;
    }
  }
  return false;
}

// |value| where the step's element exists, else zero.
static MlirValue zero_beyond(strata_tile_builder_t *b, strata_tile_value_t value, MlirAffineExpr steps_left) {
  MlirType type = mlirValueGetType(value.value), element = mlirShapedTypeGetElementType(type);
  MlirType index = mlirIndexTypeGet(b->e.context), i1 = mlirIntegerTypeGet(b->e.context, 1);
  uint32_t step = 1u << STEP;
  MlirValue number = strata_emit_value(&b->e, "vector.step", 0, NULL, strata_tile_type(b, index, step), 0, NULL);
  MlirValue left = strata_tile_broadcast(b, (strata_tile_value_t){strata_tile_index(b, steps_left), 0}, step);
  enum { PREDICATE_SLT = 2 };
  strata_named_attr_t less = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(b->e.context, 64), PREDICATE_SLT)};
  MlirValue exists =
      strata_emit_value(&b->e, "arith.cmpi", 2, (MlirValue[]){number, left}, strata_tile_type(b, i1, step), 1, &less);
  MlirAttribute zero =
      mlirTypeIsAFloat(element) ? mlirFloatAttrDoubleGet(b->e.context, element, 0) : mlirIntegerAttrGet(element, 0);
  MlirValue operands[3] = {strata_tile_broadcast(b, (strata_tile_value_t){exists, step}, value.dims), value.value,
                           strata_emit_constant(&b->e, type, zero)};
  return strata_emit_value(&b->e, "arith.select", 3, operands, type, 0, NULL);
}

MlirValue strata_tile_load_rows(strata_tile_builder_t *b, MlirValue row, uint32_t dims) {
  MlirOperation op = strata_def(row);
  if (mlirOperationIsNull(op) || !strata_op_is(op, STRATA_TILE_LOAD))
    return (MlirValue){NULL};
  MlirContext context = b->e.context;
  MlirValue symbols[STRATA_TILE_ACCESS_SYMBOLS];
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], step = mlirAffineDimExprGet(context, 1);
  strata_tile_access_t access = strata_tile_read_access(op, symbols);
  intptr_t rank = mlirAffineMapGetNumResults(access.map);
  for (intptr_t i = 0; i < rank; i++)
    coordinates[i] = mlirAffineExprShiftDims(mlirAffineMapGetResult(access.map, i), 1, 1, 0);
  access.map = mlirAffineMapGet(context, 2, access.n_symbols, rank, coordinates);
  if (!mlirAttributeIsNull(access.mask)) {
    MlirAffineExpr same[STRATA_TILE_ACCESS_SYMBOLS];
    for (int i = 0; i < access.n_symbols; i++)
      same[i] = mlirAffineSymbolExprGet(context, i);
    MlirIntegerSet mask = mlirIntegerSetAttrGetValue(access.mask);
    access.mask = mlirIntegerSetAttrGet(mlirIntegerSetReplaceGet(mask, &step, same, 2, access.n_symbols));
  }
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(row));
  return strata_tile_build_load(b->e.block, b->e.location, &access, strata_tile_type(b, element, dims));
}

// |expr| where vector dim STEP counts blocks of |block| steps.
static MlirAffineExpr by_blocks(strata_tile_builder_t *b, MlirAffineExpr expr, int64_t block) {
  MlirAffineExpr dims[STRATA_TILE_DIMS];
  for (int i = 0; i < STRATA_TILE_DIMS; i++)
    dims[i] = mlirAffineDimExprGet(b->e.context, i);
  dims[STEP] = mlirAffineMulExprGet(dims[STEP], strata_tile_constant(b, block));
  return mlirAffineExprCompose(expr, mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, 0, STRATA_TILE_DIMS, dims));
}

// |value| with its scales, one for every block of steps, for an instruction that takes these.
static MlirValue with_scales(strata_tile_builder_t *b, contract_t *c, int side, MlirValue value) {
  int64_t block = strata_mma_scale_block(c->mma), *extent = &b->space.extents[STEP], steps = *extent;
  const strata_access_t *scale = c->k.sides[side].scale;
  int step = c->axes[STEP].dims[c->axes[STEP].n_dims - 1], n_bounds = b->n_bounds;
  MlirAffineExpr point = c->point[step], coordinates[STRATA_MAX_DIMS], bounds[STRATA_TILE_BOUNDS];
  memcpy(bounds, b->bounds, sizeof bounds);
  *extent = steps / block;
  c->point[step] = by_blocks(b, point, block);
  for (int i = 0; i < n_bounds; i++)
    b->bounds[i] = by_blocks(b, bounds[i], block);
  int rank = strata_tile_access_coordinates(b, c->k.nest, scale, c->point, coordinates);
  strata_tile_value_t scales = strata_tile_load(b, scale->buffer, rank, coordinates);
  uint32_t dims = 1u << (side == U ? ROW : COLUMN) | 1u << STEP;
  if (!b->status)
    scales.value = strata_tile_broadcast(b, scales, dims);
  *extent = steps;
  c->point[step] = point;
  memcpy(b->bounds, bounds, sizeof bounds);
  return b->status ? value
                   : strata_emit_value(&b->e, STRATA_TILE_SCALED, 2, (MlirValue[]){value, scales.value},
                                       mlirValueGetType(value), 0, NULL);
}

// The operand of a side at the current step, over its axis and the step.
static MlirValue operand(strata_tile_builder_t *b, contract_t *c, int side, MlirAffineExpr steps_left) {
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  MlirValue factor = c->mma ? strata_contraction_narrow(&c->k, side) : c->k.sides[side].factor;
  int axis = side == U ? ROW : COLUMN;
  uint32_t dims = 1u << axis | 1u << STEP;
  strata_packed_t packed;
  if (b->schedule.producers && strata_packed_read(c->k.kernel, c->k.sides[side].access->buffer, &packed)) {
    const MlirAffineExpr point[] = {c->point[c->axes[axis].dims[0]], c->point[c->axes[STEP].dims[0]]};
    return strata_tile_unpack(b, &packed, point, axis, STEP, mlirValueGetType(factor));
  }
  strata_tile_value_t value = strata_tile_evaluate(b, &frame, factor);
  if (b->status)
    return value.value;
  if (b->schedule.producers && value.dims == 1u << STEP && keeps_zero(c, factor)) {
    MlirValue rows = strata_tile_load_rows(b, value.value, dims);
    if (!mlirValueIsNull(rows))
      return rows;
  }
  value = (strata_tile_value_t){strata_tile_broadcast(b, value, dims), dims};
  bool hangs = c->apart.every > 1 || !strata_size_divides(c->tile[STEP], c->axes[STEP].size);
  value.value = hangs && !keeps_zero(c, factor) ? zero_beyond(b, value, steps_left) : value.value;
  return c->mma && c->k.sides[side].scale ? with_scales(b, c, side, value.value) : value.value;
}

static MlirAttribute projection(MlirContext context, int first, int second) {
  MlirAffineExpr results[2] = {mlirAffineDimExprGet(context, first), mlirAffineDimExprGet(context, second)};
  return mlirAffineMapAttrGet(mlirAffineMapGet(context, N_AXES, 0, 2, results));
}

MlirValue strata_tile_emit_contract(strata_tile_builder_t *b, MlirValue left, MlirValue right, MlirValue sum,
                                    MlirStringRef mma) {
  MlirContext context = b->e.context;
  MlirAttribute maps[3] = {projection(context, ROW, STEP), projection(context, COLUMN, STEP),
                           projection(context, ROW, COLUMN)};
  const char *iterators = "[#vector.iterator_type<parallel>, #vector.iterator_type<parallel>, "
                          "#vector.iterator_type<reduction>]";
  strata_named_attr_t attrs[4] = {
      {"indexing_maps", mlirArrayAttrGet(context, 3, maps)},
      {"iterator_types", mlirAttributeParseGet(context, strata_str(iterators))},
      {"kind", mlirAttributeParseGet(context, strata_str("#vector.kind<add>"))},
      {"tile.mma", mlirStringAttrGet(context, mma)},
  };
  MlirValue operands[3] = {left, right, sum};
  return strata_emit_value(&b->e, "vector.contract", 3, operands, mlirValueGetType(sum), mma.length ? 4 : 3, attrs);
}

// The second contraction of a pair at the same point; of others the same as |c|.
static contract_t second_of(const contract_t *c) {
  contract_t second = *c;
  if (c->k.other.nest)
    second.k = strata_contraction_second(&c->k);
  return second;
}

// The most elements by which any tile's steps begin in front of the reduction: rows begin at all multiples of what the
// pitch and the unit have in common.
static int64_t most_lead(const apart_t *apart) { return apart->unit - strata_gcd(apart->pitch, apart->unit); }

// The loop over steps: the sums, one after the other, of the contraction, and of the second one of a pair.
static void emit_sums(strata_tile_builder_t *b, contract_t *c, MlirValue *sums) {
  strata_size_t n_steps = c->n_tiles[STEP];
  int n_sums = c->k.other.nest ? 2 : 1;
  MlirValue v[2];
  int n_bounds = b->n_bounds, n_symbols = b->space.n_symbols;
  strata_tile_known_t *known = b->known;
  strata_loop_t loop =
      strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), strata_tile_size(b, n_steps), 1, n_sums, sums, sums);
  MlirAffineExpr number = strata_tile_counter(b, loop.induction, n_steps);
  place_axis(b, c, STEP, number);
  MlirAffineExpr left =
      strata_tile_scaled(b, number, -c->tile[STEP], strata_size_expr(b->e.context, c->axes[STEP].size));
  MlirValue u = operand(b, c, U, left);
  contract_t second = second_of(c);
  for (int i = 0; i < n_sums && !b->status; i++)
    v[i] = operand(b, i ? &second : c, V, left);
  if (b->status)
    return;
  for (int i = 0; i < n_sums; i++)
    sums[i] = strata_tile_emit_contract(b, u, v[i], sums[i], strata_str(c->mma ? c->mma->name : ""));
  strata_emit_for_end(&b->e, loop, n_sums, sums, sums);
  strata_set_attr(loop.op, "tile.pipeline", mlirUnitAttrGet(b->e.context));
  int64_t extent, count;
  if (strata_size_is_constant(c->axes[STEP].size, &extent) && strata_size_is_constant(n_steps, &count)) {
    int64_t last = extent + most_lead(&c->apart) - (count - 1) * c->tile[STEP];
    if (last < c->tile[STEP])
      strata_set_attr(loop.op, "tile.last", strata_i64_attr(b->e.context, last));
  }
  b->n_bounds = n_bounds;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

static const uint32_t result_dims = 1u << ROW | 1u << COLUMN;

static MlirValue start_of(strata_tile_builder_t *b, const contract_t *c) {
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t start = strata_tile_evaluate(b, &frame, strata_nest_start(c->k.nest, 0));
  return b->status ? start.value : strata_tile_broadcast(b, start, result_dims);
}

static void begin_reduction(strata_tile_builder_t *b, contract_t *c) {
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = strata_tile_constant(b, 0);
}

static void emit_task(strata_tile_builder_t *b, contract_t *c) {
  begin_reduction(b, c);
  contract_t second = second_of(c);
  MlirValue sums[2] = {start_of(b, c)};
  if (c->k.other.nest && !b->status)
    sums[1] = start_of(b, &second);
  if (!b->status)
    emit_sums(b, c, sums);
  begin_reduction(b, c);
  if (c->k.other.nest && !b->status)
    strata_tile_contract_know(b, &second.k, c->point, (strata_tile_value_t){sums[1], result_dims});
  if (b->status)
    return;
  strata_tile_value_t sum = {sums[0], result_dims};
  strata_tile_value_t result = strata_tile_contract_result(b, &c->k, c->point, sum);
  if (!b->status)
    strata_tile_contract_stores(b, &c->k, c->point, result);
}

static void emit_kernel(strata_tile_builder_t *b, contract_t *c) {
  int64_t n_tasks;
  c->n_tasks = count_tasks(c);
  strata_loop_t forall = strata_size_is_constant(c->n_tasks, &n_tasks)
                             ? strata_emit_forall_begin(&b->e, n_tasks)
                             : strata_emit_forall_begin_at_run_time(&b->e, strata_tile_size(b, c->n_tasks));
  b->space.n_vector = N_AXES;
  for (int axis = 0; axis < N_AXES; axis++)
    b->space.extents[axis] = c->tile[axis];
  place_outer(b, c, forall.induction);
  place_tile(b, c, forall.induction);
  emit_task(b, c);
  b->space.n_vector = 0;
  b->n_bounds = 0;
  strata_emit_forall_end(&b->e, forall);
}

// What the schedule says of rows that lie apart. They begin at multiples of the largest power of two, up to a step.
static strata_status_t read_apart(strata_tile_builder_t *b, contract_t *c) {
  const strata_contraction_axis_t *rows = &c->axes[ROW];
  apart_t *apart = &c->apart;
  *apart = (apart_t){.every = 1, .pitch = 1, .unit = 1};
  if (b->schedule.every <= 1)
    return NULL;
  apart->every = b->schedule.every;
  bool has_rows = rows->n_dims == 1 && !strata_size_varies(rows->size) && rows->extent % apart->every == 0 &&
                  c->axes[STEP].n_dims == 1 && !strata_size_varies(c->axes[STEP].size);
  if (!has_rows || !strata_access_stride(c->k.nest, c->k.sides[U].access, rows->dims[0], &apart->pitch))
    return strata_error(STRATA_INTERNAL, "a schedule of every %lldth row of rows that are not alike",
                        (long long)apart->every);
  apart->unit = strata_gcd(apart->pitch * apart->every, c->tile[STEP]);
  int64_t n_rows = apart->every * strata_ceil_div(rows->extent / apart->every, c->tile[ROW]);
  c->n_tiles[ROW] = strata_size_constant(n_rows);
  c->n_tiles[STEP] = strata_size_constant(strata_ceil_div(static_extent(c, STEP) + most_lead(apart), c->tile[STEP]));
  return NULL;
}

// Tiles of whole clusters, of each kind of rows: some may lie beyond the results.
static void round_to_clusters(const strata_schedule_t *schedule, contract_t *c) {
  for (int axis = ROW; axis <= COLUMN; axis++) {
    bool has_parts = schedule->parts > 1 && axis == (schedule->swap ? ROW : COLUMN);
    bool has_row = schedule->row > 1 && axis == COLUMN;
    int64_t share = schedule->share[axis], kinds = axis == ROW ? c->apart.every : 1, by;
    c->cluster[axis] = has_parts ? schedule->parts : has_row ? schedule->row : share > 1 ? share : 1;
    by = kinds * c->cluster[axis];
    if (by > 1)
      c->n_tiles[axis] = strata_size_product(strata_size_ceil_div(c->n_tiles[axis], by), strata_size_constant(by));
  }
}

static bool takes_scales(const contract_t *c) {
  int64_t block = strata_mma_scale_block(c->mma);
  return block && strata_contraction_scales_blocks(&c->k, block);
}

strata_status_t strata_tile_contract_gpu(strata_tile_builder_t *b) {
  contract_t c = {0};
  STRATA_TRY(strata_contraction_read(b->kernel, &c.k));
  if (b->schedule.n_tile != N_AXES)
    return strata_error(STRATA_INTERNAL, "a contraction's schedule without tile sizes");
  if (b->schedule.mma.length && !(c.mma = strata_mma_named(b->schedule.mma)))
    return strata_error(STRATA_INVALID_ARGUMENT, "no matrix instruction '%.*s'", (int)b->schedule.mma.length,
                        b->schedule.mma.data);
  if (c.mma && strata_contraction_is_scaled(&c.k) && !takes_scales(&c))
    return strata_error(STRATA_INVALID_ARGUMENT, "matrix instruction '%s' does not take the operands' scales",
                        c.mma->name);
  strata_contraction_axes(&c.k, c.axes);
  for (int axis = 0; axis < N_AXES; axis++) {
    c.tile[axis] = b->schedule.tile[axis];
    c.n_tiles[axis] = strata_size_ceil_div(c.axes[axis].size, c.tile[axis]);
  }
  STRATA_TRY(read_apart(b, &c));
  round_to_clusters(&b->schedule, &c);
  for (int i = 0; i < STRATA_MAX_DIMS; i++)
    c.point[i] = strata_tile_constant(b, 0);
  emit_kernel(b, &c);
  return b->status;
}
