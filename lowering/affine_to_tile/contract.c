// Contractions: lhs * rhs summed, on register tiles, with whatever elementwise nests follow.
//
// One operand is the *vector* side: its dim that is contiguous in the result (dim v) runs along SIMD registers. The
// other is the *broadcast* side: its dim u gives the rows of the register tile. A task goes over blocks of u and v for
// one point of the remaining dims:
//
//   scf.forall (%t) in (tasks) {
//     scf.for u-tile { [pack the broadcast operand] scf.for v-tile {
//       %acc = scf.for %k ... iter_args(%a = zero) -> vector<14x32xf32> { [memref.prefetch of what is needed later]
//         %x = "tile.load" ... : vector<14xf32>   %y = "tile.load" ... : vector<32xf32>
//         %n = vector.outerproduct %x, %y, %a : vector<14xf32>, vector<32xf32> }
//       epilogue on vector<14x32xf32>, "tile.store" } } }
//
// An operand that is not contiguous as its side needs (or is guarded, or computed) is packed into scratch memory; a
// constant one was packed by the schedule already. On GPUs tiles are those of blocks of threads: contract_gpu.c.
#include "lowering/affine_to_tile/contract.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/quads.h"
#include "dialects/integers.h"
#include "dialects/strata/strata.h"
#include "lowering/expand/ops.h"
#include "passes/affine/product_tasks.h"
#include "passes/affine/register_tile.h"
#include "passes/target.h"

enum {
  U = STRATA_SIDE_U,
  V = STRATA_SIDE_V,
  PREFETCHING_ROWS = 4, // of a tile that asks for a panel ahead: fewer read it as fast as it comes, in order
};

typedef struct {
  strata_contraction_kernel_t k;
  bool is_packed[2]; // into scratch, by this kernel
  int64_t square;    // elements of the blocks in which the vector side is turned; 0: it is packed vector by vector
  bool prefetches_panel, prefetches_results;
  int64_t n_segments;   // of the reduction
  MlirValue scratch[2]; // of the packed sides
  int64_t tile[2];
  strata_tile_chunks_t chunks[2];
  strata_size_t extents[2], n_runs[2]; // of the tiled dims; of tasks along them
  MlirValue first[2], end[2];          // what a task does of those that vary
  MlirAffineExpr offset;               // of the elements of a tile of the vector side in its place in scratch
  MlirValue chunk_index[2];
  int n_heights; // of tiles along rows that vary
  int64_t heights[STRATA_REGISTER_TILE_ROWS];
  // While emitting:
  MlirValue height; // of the current tile, where one loop has all of them
  MlirAffineExpr point[STRATA_MAX_DIMS];
  int64_t size[2];                             // of the current tile
  MlirAffineExpr segment;                      // the current one
  MlirAffineExpr base[2];                      // of the current tile
  strata_tile_range_t ranges[STRATA_MAX_DIMS]; // what it does of the reduction's loops
} contract_t;

//===-- Packing --------------------------------------------------------------------------------------------------===//

static MlirType factor_type(const strata_contraction_side_t *side) { return mlirValueGetType(side->factor); }

// Position in the reduction space at |counters|, as one number.
static MlirAffineExpr reduction_position(strata_tile_builder_t *b, const strata_nest_t *nest,
                                         const MlirAffineExpr *counters) {
  MlirAffineExpr position = strata_tile_constant(b, 0);
  for (int i = 0; i < nest->n_reduction; i++)
    position = strata_tile_scaled(b, position, strata_nest_static_extent(nest, nest->n_parallel + i), counters[i]);
  return position;
}

static bool varies(const contract_t *c, int side) { return strata_size_varies(c->extents[side]); }

// Tiles of a task's run.
static int64_t tiles_of_run(const contract_t *c, int side) {
  return varies(c, side) ? strata_max(c->chunks[side].chunk, 1) : c->chunks[side].chunk;
}

// Where the tile of |size| elements at |base| begins in the place of the full tile around it.
static MlirAffineExpr offset_of(strata_tile_builder_t *b, const contract_t *c, int64_t size, MlirAffineExpr base) {
  if (!varies(c, V) || size == c->tile[V])
    return strata_tile_constant(b, 0);
  return strata_tile_simplify(b, mlirAffineModExprGet(base, strata_tile_constant(b, c->tile[V])));
}

// Which tile of the vector side starts at |base|, counted from the start of the task's run.
static MlirAffineExpr tile_number(strata_tile_builder_t *b, const contract_t *c, MlirAffineExpr base) {
  MlirAffineExpr number = strata_tile_simplify(b, mlirAffineFloorDivExprGet(base, strata_tile_constant(b, c->tile[V])));
  if (strata_size_is_one(c->n_runs[V]))
    return number;
  MlirAffineExpr run = strata_tile_counter(b, c->chunk_index[V], c->n_runs[V]);
  return strata_tile_scaled(b, run, -tiles_of_run(c, V), number);
}

// Scratch for the vector side is [tile of v][reduction][element]; for the broadcast side [row][reduction].
static int scratch_coordinates(int which, MlirAffineExpr tile, MlirAffineExpr element, MlirAffineExpr reduction,
                               MlirAffineExpr *out) {
  int n = 0;
  if (which == V) {
    out[n++] = tile;
    out[n++] = reduction;
    out[n++] = element;
  } else {
    out[n++] = element;
    out[n++] = reduction;
  }
  return n;
}

static MlirValue allocate_scratch(strata_tile_builder_t *b, const contract_t *c, int which) {
  enum { PADDING = 16 };
  int64_t sizes[3], k = c->k.n_reduced;
  int rank = which == V ? 3 : 2;
  if (which == V) {
    sizes[0] = tiles_of_run(c, V) + 1; // a run of full tiles, and the tail
    sizes[1] = k;
    sizes[2] = c->tile[V];
  } else {
    sizes[0] = c->tile[U];
    sizes[1] = k + PADDING; // so that the rows do not collide here
  }
  return strata_emit_scratch(
      &b->e, mlirMemRefTypeContiguousGet(factor_type(&c->k.sides[which]), rank, sizes, (MlirAttribute){0}));
}

// Stores the side's factor at |c->point| into its scratch.
static void pack_factor(strata_tile_builder_t *b, const contract_t *c, int which, MlirAffineExpr tile,
                        MlirAffineExpr element, const MlirAffineExpr *counters) {
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t value = strata_tile_evaluate(b, &frame, c->k.sides[which].factor);
  MlirAffineExpr coordinates[3];
  if (which == V)
    element = strata_tile_scaled(b, element, 1, c->offset);
  int rank = scratch_coordinates(which, tile, element, reduction_position(b, c->k.nest, counters), coordinates);
  strata_tile_store(b, value, c->scratch[which], rank, coordinates);
}

typedef struct {
  contract_t *c;
  MlirAffineExpr tile, element;
  MlirAffineExpr counters[STRATA_MAX_DIMS];
  int64_t size; // of a square's elements, which begin at |element|, those of the tile at |base|
  MlirAffineExpr base;
} pack_t;

// The vector side: one vector of v a reduction point.
static void pack_vector_point(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried,
                              void *user) {
  (void)carried;
  pack_t *pack = user;
  contract_t *c = pack->c;
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = counters[i];
  pack_factor(b, c, V, pack->tile, pack->element, counters);
}

// The same where elements lie along the last reduction dim: squares that are turned in registers.
static void pack_square(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *pack = user;
  contract_t *c = pack->c;
  strata_tile_known_t *known = b->known;
  int last = c->k.nest->n_reduction - 1;
  b->space.n_vector = 2;
  b->space.extents[0] = pack->size;
  b->space.extents[1] = size;
  MlirAffineExpr element = strata_tile_scaled(b, strata_tile_vector_dim(b, 0), 1, pack->element);
  pack->counters[last] = strata_tile_scaled(b, strata_tile_vector_dim(b, 1), 1, base);
  c->point[c->k.sides[V].tile_dim] = strata_tile_scaled(b, element, 1, pack->base);
  c->point[strata_nest_n_dims(c->k.nest) - 1] = pack->counters[last];
  pack_factor(b, c, V, pack->tile, element, pack->counters);
  b->space.n_vector = 0;
  b->known = known;
}

static void pack_squares(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *pack = user;
  const strata_nest_t *nest = pack->c->k.nest;
  strata_tile_loop_t loops[STRATA_MAX_DIMS];
  int last = nest->n_reduction - 1;
  pack->size = size;
  pack->element = base;
  for (int i = 0; i < last; i++) {
    loops[i] = strata_tile_loop_begin(b, strata_nest_static_extent(nest, nest->n_parallel + i), &pack->counters[i]);
    pack->c->point[nest->n_parallel + i] = pack->counters[i];
  }
  int64_t steps = strata_nest_static_extent(nest, strata_nest_n_dims(nest) - 1);
  strata_tile_chunks_t chunks = strata_tile_chunks(steps, strata_min(steps, pack->c->square), 1);
  strata_tile_chunk(b, &chunks, (MlirValue){0}, pack_square, pack);
  for (int i = last; i-- > 0;)
    strata_tile_loop_end(b, loops[i]);
}

static void pack_vector_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  contract_t *c = user;
  c->offset = offset_of(b, c, size, base);
  if (c->square > 0) {
    pack_t squares = {.c = c, .base = base, .tile = tile_number(b, c, base)};
    strata_tile_chunks_t chunks = strata_tile_chunks(size, strata_min(size, c->square), 1);
    strata_tile_chunk(b, &chunks, (MlirValue){0}, pack_squares, &squares);
    return;
  }
  strata_tile_known_t *known = b->known;
  b->space.n_vector = 1;
  b->space.extents[0] = size;
  MlirAffineExpr element = strata_tile_vector_dim(b, 0);
  c->point[c->k.sides[V].tile_dim] = strata_tile_scaled(b, element, 1, base);
  pack_t pack = {.c = c, .element = element};
  pack.tile = tile_number(b, c, base);
  int64_t trips[STRATA_MAX_DIMS];
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    trips[i] = strata_nest_static_extent(c->k.nest, c->k.nest->n_parallel + i);
  strata_tile_carry(b, c->k.nest->n_reduction, trips, NULL, 1, 0, NULL, pack_vector_point, &pack);
  b->space.n_vector = 0;
  b->known = known;
}

// The broadcast side: vectors along the reduction dim that is contiguous in memory, one row after the other.
static void pack_rows_tile(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector, void *user) {
  pack_t *pack = user;
  contract_t *c = pack->c;
  int vector_dim = c->k.nest->n_reduction - 1;
  for (int i = 0, n = 1; i < c->k.nest->n_reduction; i++) {
    pack->counters[i] = i == vector_dim ? vector : outer[n++];
    c->point[c->k.nest->n_parallel + i] = pack->counters[i];
  }
  MlirAffineExpr saved = strata_tile_constant(b, 0);
  if (c->k.sides[U].tile_dim != STRATA_NO_DIM) {
    saved = c->point[c->k.sides[U].tile_dim];
    c->point[c->k.sides[U].tile_dim] = strata_tile_scaled(b, outer[0], 1, c->base[U]);
  }
  pack_factor(b, c, U, pack->tile, outer[0], pack->counters);
  if (c->k.sides[U].tile_dim != STRATA_NO_DIM)
    c->point[c->k.sides[U].tile_dim] = saved;
}

static void pack_rows(strata_tile_builder_t *b, contract_t *c) {
  pack_t pack = {.c = c};
  strata_size_t outer[STRATA_MAX_DIMS];
  strata_tile_walk_t walk = {.outer = outer, .n_outer = 1};
  strata_tile_range_t ranges[STRATA_MAX_DIMS] = {{{NULL}, {NULL}}};
  outer[0] = strata_size_constant(c->size[U]);
  for (int i = 0; i + 1 < c->k.nest->n_reduction; i++) {
    ranges[walk.n_outer] = c->ranges[i];
    outer[walk.n_outer++] = c->k.nest->space.sizes[c->k.nest->n_parallel + i];
  }
  walk.ranges = ranges;
  walk.vector = c->k.nest->space.sizes[strata_nest_n_dims(c->k.nest) - 1];
  walk.tile = strata_tile_width_of(b, walk.vector);
  strata_tile_walk_here(b, &walk, pack_rows_tile, &pack);
}

//===-- The register tile ----------------------------------------------------------------------------------------===//

// The factor of a side as a vector of its tile, read from scratch if it was packed.
static strata_tile_value_t side_value(strata_tile_builder_t *b, contract_t *c, int which, strata_tile_frame_t *frame,
                                      const MlirAffineExpr *counters) {
  if (!c->is_packed[which])
    return strata_tile_evaluate(b, frame, c->k.sides[which].factor);
  MlirAffineExpr element = strata_tile_vector_dim(b, which), coordinates[3];
  MlirAffineExpr tile = which == V ? tile_number(b, c, c->base[V]) : strata_tile_constant(b, 0);
  if (which == V)
    element = strata_tile_scaled(b, element, 1, c->offset);
  int rank = scratch_coordinates(which, tile, element, reduction_position(b, c->k.nest, counters), coordinates);
  return strata_tile_load(b, c->scratch[which], rank, coordinates);
}

// accumulator + outer product, or the nest's own ops where the tile has a single row or column.
static void micro_step(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  contract_t *c = user;
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = counters[i];
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t u = side_value(b, c, U, &frame, counters), v = side_value(b, c, V, &frame, counters);
  if (b->status)
    return;
  MlirType type = mlirValueGetType(*carried);
  if (c->size[U] > 1 && c->size[V] > 1 && u.dims == 1 && v.dims == 2) {
    MlirValue operands[3] = {u.value, v.value, *carried};
    MlirOperation product = strata_contraction_product(&c->k);
    bool has_quads = !mlirAttributeIsNull(strata_attr(product, STRATA_QUADS));
    bool is_turned = !mlirValueEqual(mlirOperationGetOperand(product, 0), c->k.sides[U].factor);
    strata_named_attr_t attrs[] = {{"kind", mlirAttributeParseGet(b->e.context, strata_str("#vector.kind<add>"))},
                                   {STRATA_QUADS, strata_bool_attr(b->e.context, is_turned)}};
    *carried = strata_emit_value(&b->e, "vector.outerproduct", 3, operands, type, has_quads ? 2 : 1, attrs);
    return;
  }
  uint32_t dims = (c->size[U] > 1 ? 1u : 0u) | (c->size[V] > 1 ? 2u : 0u);
  strata_tile_bind(b, &frame, c->k.sides[U].factor, u);
  strata_tile_bind(b, &frame, c->k.sides[V].factor, v);
  strata_tile_bind(b, &frame, mlirBlockGetArgument(c->k.nest->inner, 1), (strata_tile_value_t){*carried, dims});
  strata_tile_value_t sum =
      strata_tile_evaluate(b, &frame, mlirOperationGetOperand(mlirBlockGetTerminator(c->k.nest->inner), 0));
  if (!b->status)
    *carried = strata_tile_broadcast(b, sum, dims);
}

//===-- Steps ----------------------------------------------------------------------------------------------------===//

// The lines of the vector side's panel that are read |AHEAD| steps later.
static void prefetch_panel(strata_tile_builder_t *b, contract_t *c) {
  enum { AHEAD = 8, FIRST_LEVEL = 1 };
  const strata_access_t *access = c->k.sides[V].access;
  MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
  memcpy(point, c->point, sizeof point);
  MlirAffineExpr *step = &point[strata_nest_n_dims(c->k.nest) - 1];
  *step = strata_tile_scaled(b, *step, 1, strata_tile_constant(b, AHEAD));
  int rank = strata_tile_access_coordinates(b, c->k.nest, access, point, coordinates);
  strata_tile_prefetch(b, access->buffer, rank, coordinates, FIRST_LEVEL);
}

// Where the tile's results are stored is asked for while the sums are at work, a few lines in each segment: all at once
// they would hold up the panels' lines.
static void prefetch_results(strata_tile_builder_t *b, contract_t *c) {
  int64_t width = strata_tile_line_elements(c->k.store->buffer);
  int64_t row_lines = strata_ceil_div(c->size[V], width);
  int64_t count = strata_ceil_div(row_lines * c->size[U], c->n_segments);
  MlirAffineExpr point[STRATA_MAX_DIMS];
  memcpy(point, c->point, sizeof point);
  for (int64_t i = 0; i < count; i++) {
    MlirAffineExpr line = strata_tile_scaled(b, c->segment, count, strata_tile_constant(b, i));
    MlirAffineExpr row = mlirAffineFloorDivExprGet(line, strata_tile_constant(b, row_lines));
    MlirAffineExpr column = mlirAffineModExprGet(line, strata_tile_constant(b, row_lines));
    point[c->k.sides[U].tile_dim] = strata_tile_scaled(b, row, 1, c->base[U]);
    point[c->k.sides[V].tile_dim] = strata_tile_scaled(b, column, width, c->base[V]);
    strata_tile_contract_prefetch(b, &c->k, point);
  }
}

static void step_in_segment(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  contract_t *c = user;
  const strata_nest_t *nest = c->k.nest;
  MlirAffineExpr at[STRATA_MAX_DIMS];
  int last = nest->n_reduction - 1;
  memcpy(at, counters, (size_t)nest->n_reduction * sizeof *at);
  if (c->n_segments > 1)
    at[last] = strata_tile_scaled(b, c->segment,
                                  strata_nest_static_extent(nest, nest->n_parallel + last) / c->n_segments, at[last]);
  micro_step(b, at, carried, c);
  if (c->prefetches_panel && (!varies(c, U) || c->size[U] >= PREFETCHING_ROWS) && !b->status)
    prefetch_panel(b, c);
}

static void sum_segment(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  contract_t *c = user;
  const strata_nest_t *nest = c->k.nest;
  strata_size_t trips[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_reduction; i++)
    trips[i] = nest->space.sizes[nest->n_parallel + i];
  if (c->n_segments > 1)
    trips[nest->n_reduction - 1] =
        strata_size_constant(strata_size_static_value(trips[nest->n_reduction - 1]) / c->n_segments);
  c->segment = counters[0];
  if (c->prefetches_results)
    prefetch_results(b, c);
  strata_tile_carry_over(b, nest->n_reduction, trips, c->ranges, 1, 1, carried, step_in_segment, c);
}

//===-- Epilogue -------------------------------------------------------------------------------------------------===//

// Those of math's ops that are more than an instruction or two.
static bool is_math_function(MlirOperation op) {
  static const char *const instructions[] = {"math.absf",  "math.absi",      "math.ceil", "math.floor",
                                             "math.trunc", "math.roundeven", "math.fma"};
  MlirStringRef name = strata_op_name(op);
  for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
    if (strata_op_is(op, instructions[i]))
      return false;
  return name.length > 5 && !strncmp(name.data, "math.", 5);
}

// Math functions in the epilogue: unrolled over a whole register tile they would be most of the code.
static bool epilogue_is_dear(const contract_t *c) {
  for (int i = 0; i < c->k.kernel->n_nests; i++) {
    if (&c->k.kernel->nests[i] == c->k.nest)
      continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(c->k.kernel->nests[i].body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (is_math_function(op))
        return true;
    }
  }
  return false;
}

// Memory for the sums of a tile of up to |rows| rows.
static MlirValue allocate_sums(strata_tile_builder_t *b, const contract_t *c, int64_t rows) {
  int64_t sizes[2] = {rows, c->size[V]};
  MlirType element = mlirValueGetType(mlirOperationGetResult(c->k.nest->loops[0], 0));
  return strata_emit_scratch(&b->e, mlirMemRefTypeContiguousGet(element, 2, sizes, (MlirAttribute){0}));
}

static void keep_sums(strata_tile_builder_t *b, strata_tile_value_t sums, MlirValue scratch) {
  MlirAffineExpr both[2] = {strata_tile_vector_dim(b, U), strata_tile_vector_dim(b, V)};
  strata_tile_store(b, sums, scratch, 2, both);
}

// The epilogue of the |n_rows| rows whose sums are in |scratch|, a row at a time.
static void epilogue_by_rows(strata_tile_builder_t *b, contract_t *c, MlirValue scratch, MlirValue n_rows) {
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), n_rows, 1, 0, NULL, NULL);
  MlirAffineExpr row = strata_tile_counter(b, loop.induction, strata_size_constant(c->tile[U]));
  int u = c->k.sides[U].tile_dim;
  MlirAffineExpr saved = c->point[u];
  b->space.extents[U] = 1;
  c->point[u] = strata_tile_scaled(b, row, 1, c->base[U]);
  MlirAffineExpr coordinates[2] = {row, strata_tile_vector_dim(b, V)};
  strata_tile_value_t value = strata_tile_load(b, scratch, 2, coordinates);
  strata_tile_contract_stores(b, &c->k, c->point, strata_tile_contract_result(b, &c->k, c->point, value));
  c->point[u] = saved;
  b->space.extents[U] = c->size[U];
  strata_emit_for_end(&b->e, loop, 0, NULL, NULL);
}

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

// Emission goes on at the elements of the current tile.
static void enter_tile(strata_tile_builder_t *b, contract_t *c) {
  b->space.n_vector = 2;
  b->space.extents[U] = c->size[U];
  b->space.extents[V] = c->size[V];
  for (int which = U; which <= V; which++)
    if (c->k.sides[which].tile_dim != STRATA_NO_DIM)
      c->point[c->k.sides[which].tile_dim] = strata_tile_scaled(b, strata_tile_vector_dim(b, which), 1, c->base[which]);
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = strata_tile_constant(b, 0);
}

static strata_tile_value_t sum_tile(strata_tile_builder_t *b, contract_t *c) {
  uint32_t dims = (c->size[U] > 1 ? 1u : 0u) | (c->size[V] > 1 ? 2u : 0u);
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t start = strata_tile_evaluate(b, &frame, strata_nest_start(c->k.nest, 0));
  MlirValue accumulator = b->status ? start.value : strata_tile_broadcast(b, start, dims);
  strata_tile_carry(b, 1, &c->n_segments, NULL, 1, 1, &accumulator, sum_segment, c);
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = strata_tile_constant(b, 0);
  return (strata_tile_value_t){accumulator, dims};
}

static void emit_tile(strata_tile_builder_t *b, contract_t *c) {
  enum { BOTH_SIDES = 3 };
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  enter_tile(b, c);
  strata_tile_value_t sums = sum_tile(b, c);
  if (!b->status && sums.dims == BOTH_SIDES && epilogue_is_dear(c)) {
    MlirValue scratch = allocate_sums(b, c, c->size[U]);
    keep_sums(b, sums, scratch);
    epilogue_by_rows(b, c, scratch, strata_emit_index(&b->e, c->size[U]));
  } else if (!b->status) {
    strata_tile_contract_stores(b, &c->k, c->point, strata_tile_contract_result(b, &c->k, c->point, sums));
  }
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- The kernel -----------------------------------------------------------------------------------------------===//

static void enter_columns(strata_tile_builder_t *b, contract_t *c, int64_t size, MlirAffineExpr base) {
  c->size[V] = size;
  c->base[V] = base;
  c->offset = offset_of(b, c, size, base);
}

static void v_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  contract_t *c = user;
  strata_tile_range_t ranges[STRATA_MAX_DIMS];
  enter_columns(b, c, size, base);
  memcpy(ranges, c->ranges, sizeof ranges);
  if (!strata_nest_sums_vary(c->k.nest))
    strata_tile_contract_window(b, &c->k, V, c->point, base, size, c->ranges);
  emit_tile(b, c);
  memcpy(c->ranges, ranges, sizeof ranges);
}

// Rows whose number varies: whole tiles, then parts of them. Where all of them fit one tile it has just so many, as
// every tile of rows reads the whole other side.
static void plan_heights(contract_t *c) {
  int64_t most = strata_size_max(c->extents[U]), least = strata_max(1, strata_size_min(c->extents[U]));
  for (int64_t rows = most; most <= c->tile[U] && rows >= least; rows--)
    c->heights[c->n_heights++] = rows;
  for (int64_t rows = c->tile[U]; most > c->tile[U] && rows > 0; rows = strata_register_tile_part(rows))
    c->heights[c->n_heights++] = rows;
}

// The tiles of a side that this task does.
static void emit_side(strata_tile_builder_t *b, contract_t *c, int side, strata_tile_chunk_body_t body) {
  if (!varies(c, side)) {
    strata_tile_chunk(b, &c->chunks[side], c->chunk_index[side], body, c);
    return;
  }
  int64_t widths[STRATA_TILE_WIDTHS];
  int n_widths = side == U ? c->n_heights : strata_tile_widths(c->tile[side], widths);
  strata_tile_between(b, c->first[side], c->end[side], c->extents[side], n_widths, side == U ? c->heights : widths,
                      body, c);
}

static void u_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  contract_t *c = user;
  c->size[U] = size;
  c->base[U] = base;
  memset(c->ranges, 0, sizeof c->ranges);
  if (!strata_nest_sums_vary(c->k.nest))
    strata_tile_contract_window(b, &c->k, U, c->point, base, size, c->ranges);
  if (c->is_packed[U])
    pack_rows(b, c);
  emit_side(b, c, V, v_tile);
}

//===-- Rows of any number in one loop ---------------------------------------------------------------------------===//

// How many tiles |n| rows are.
static MlirValue count_tiles(strata_tile_builder_t *b, const contract_t *c, MlirValue n) {
  MlirValue count = {NULL};
  for (int i = 0; i < c->n_heights; i++) {
    MlirValue height = strata_emit_index(&b->e, c->heights[i]),
              tiles = strata_emit_binary(&b->e, "arith.divui", n, height);
    count = i ? strata_emit_binary(&b->e, "arith.addi", count, tiles) : tiles;
    n = strata_emit_binary(&b->e, "arith.remui", n, height);
  }
  return count;
}

// The rows of the first tile of |left| rows.
static MlirValue next_height(strata_tile_builder_t *b, const contract_t *c, MlirValue left) {
  MlirValue height = strata_emit_index(&b->e, c->heights[c->n_heights - 1]);
  for (int i = c->n_heights - 1; i-- > 0;) {
    MlirValue taller = strata_emit_index(&b->e, c->heights[i]);
    height = strata_emit_select(&b->e, strata_emit_cmpi(&b->e, STRATA_UGE, left, taller), taller, height);
  }
  return height;
}

// The sums of a tile of |rows| rows, where it is one.
static void sum_rows(strata_tile_builder_t *b, contract_t *c, int64_t rows, MlirValue scratch) {
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  strata_loop_t branch =
      strata_emit_if_begin(&b->e, strata_emit_cmpi(&b->e, STRATA_EQ, c->height, strata_emit_index(&b->e, rows)));
  c->size[U] = rows;
  memset(c->ranges, 0, sizeof c->ranges);
  for (int side = U; side <= V && !strata_nest_sums_vary(c->k.nest); side++)
    strata_tile_contract_window(b, &c->k, side, c->point, c->base[side], c->size[side], c->ranges);
  enter_tile(b, c);
  strata_tile_value_t sums = sum_tile(b, c);
  if (!b->status)
    keep_sums(b, sums, scratch);
  strata_emit_if_end(&b->e, branch);
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

static void any_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  contract_t *c = user;
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  enter_columns(b, c, size, base);
  MlirValue scratch = allocate_sums(b, c, c->heights[0]);
  for (int i = 0; i < c->n_heights && !b->status; i++)
    sum_rows(b, c, c->heights[i], scratch);
  c->size[U] = 1;
  enter_tile(b, c);
  if (!b->status)
    epilogue_by_rows(b, c, scratch, c->height);
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

// Whether tiles of all heights are one loop: an epilogue that is most of the code is there once.
static bool shares_epilogue(const contract_t *c) {
  return varies(c, U) && c->n_heights > 1 && !c->is_packed[U] && epilogue_is_dear(c);
}

// A loop over tiles, in which the height chooses the sums.
static void emit_heights(strata_tile_builder_t *b, contract_t *c) {
  MlirValue n_tiles = count_tiles(b, c, strata_emit_binary(&b->e, "arith.subi", c->end[U], c->first[U])), row, next;
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), n_tiles, 1, 1, &c->first[U], &row);
  c->height = next_height(b, c, strata_emit_binary(&b->e, "arith.subi", c->end[U], row));
  int n_symbols = b->space.n_symbols;
  c->base[U] = strata_tile_counter(b, row, c->extents[U]);
  emit_side(b, c, V, any_tile);
  next = strata_emit_binary(&b->e, "arith.addi", row, c->height);
  strata_emit_for_end(&b->e, loop, 1, &next, &row);
  b->space.n_symbols = n_symbols;
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// A task's run of the vector side should stay in the second-level cache while the rows pass by: product_tasks.h.
static void plan_tasks(strata_tile_builder_t *b, contract_t *c, const strata_product_tasks_t *tasks) {
  int64_t runs[2];
  strata_product_runs(tasks, &b->schedule, runs);
  for (int side = U; side <= V; side++) {
    c->chunks[side] = strata_tile_chunks(tasks->extents[side], c->tile[side], runs[side]);
    c->n_runs[side] = varies(c, side)
                          ? strata_tile_ceil_quotient(b, c->extents[side], tiles_of_run(c, side) * c->tile[side])
                          : strata_size_constant(c->chunks[side].n_chunks);
  }
}

static MlirAffineExpr digit_of(strata_tile_builder_t *b, MlirAffineExpr number, strata_size_t stride,
                               strata_size_t extent) {
  MlirAffineExpr quotient = mlirAffineFloorDivExprGet(number, strata_size_expr(b->e.context, stride));
  return mlirAffineModExprGet(quotient, strata_size_expr(b->e.context, extent));
}

static void emit_kernel(strata_tile_builder_t *b, contract_t *c) {
  strata_size_t n_tasks = strata_size_product(c->n_runs[U], c->n_runs[V]), stride = strata_size_constant(1);
  for (int i = 0; i < c->k.n_outer; i++)
    n_tasks = strata_size_product(n_tasks, c->k.nest->space.sizes[c->k.outer[i]]);
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  MlirAffineExpr task = mlirAffineDimExprGet(b->e.context, 0);
  const int order[2] = {U, V}; // u changes fastest: neighbours share the vector side
  for (int i = 0; i < 2; i++) {
    strata_size_t extent = c->n_runs[order[i]];
    c->chunk_index[order[i]] = strata_tile_task_part(b, digit_of(b, task, stride, extent), forall.induction, n_tasks);
    stride = strata_size_product(stride, extent);
  }
  for (int i = c->k.n_outer; i-- > 0;) {
    strata_size_t extent = c->k.nest->space.sizes[c->k.outer[i]];
    MlirValue index = strata_tile_task_part(b, digit_of(b, task, stride, extent), forall.induction, n_tasks);
    c->point[c->k.outer[i]] = strata_tile_counter(b, index, extent);
    stride = strata_size_product(stride, extent);
  }
  for (int which = U; which <= V; which++)
    if (c->is_packed[which])
      c->scratch[which] = allocate_scratch(b, c, which);
  for (int side = U; side <= V; side++)
    if (varies(c, side))
      strata_tile_run_bounds(b, c->chunk_index[side], tiles_of_run(c, side) * c->tile[side], c->extents[side],
                             &c->first[side], &c->end[side]);
  if (c->is_packed[V])
    emit_side(b, c, V, pack_vector_tile);
  if (shares_epilogue(c))
    emit_heights(b, c);
  else
    emit_side(b, c, U, u_tile);
  strata_emit_forall_end(&b->e, forall);
}

// The vector side's elements are turned where they lie along the last reduction dim: read one by one they would be a
// line of the cache each.
static strata_status_t plan_packing(strata_tile_builder_t *b, contract_t *c, strata_product_tasks_t *out_tasks) {
  enum { MIN_STEPS = 4 };
  const strata_nest_t *nest = c->k.nest;
  const strata_contraction_side_t *side = &c->k.sides[V];
  const strata_cpu_device_t *device;
  int64_t stride;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  *out_tasks = strata_product_tasks(&c->k, &b->schedule, device->l2_bytes);
  for (int which = U; which <= V; which++)
    c->is_packed[which] = out_tasks->is_packed[which];
  bool lies_across = c->is_packed[V] && strata_contraction_is_plain(&c->k, V) && side->tile_dim != STRATA_NO_DIM &&
                     strata_nest_likely_extent(nest, strata_nest_n_dims(nest) - 1) >= MIN_STEPS &&
                     strata_access_stride(nest, side->access, strata_nest_n_dims(nest) - 1, &stride) && stride == 1;
  c->square = lies_across ? device->vector_bytes / 4 : 0;
  if (strata_nest_sums_vary(c->k.nest) && (c->is_packed[U] || c->is_packed[V]))
    return strata_error(STRATA_UNSUPPORTED, "operands to be packed along sums whose length varies");
  return NULL;
}

// What is worth asking for ahead: a panel that does not stay in the first-level cache while rows pass by; results that
// a long sum leaves time for.
static strata_status_t plan_steps(strata_tile_builder_t *b, contract_t *c) {
  enum { MIN_STEPS = 64, MAX_SEGMENTS = 8 };
  const strata_nest_t *nest = c->k.nest;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(b->compile, &device));
  int64_t steps = strata_nest_likely_extent(nest, strata_nest_n_dims(nest) - 1);
  bool is_tile = c->tile[U] >= PREFETCHING_ROWS && c->tile[V] > 1;
  c->prefetches_panel = is_tile && !c->is_packed[V] && c->tile[V] * c->k.n_reduced * 4 > device->l1_bytes;
  c->prefetches_results = is_tile && nest->n_reduction == 1 && steps >= MIN_STEPS && !strata_nest_sums_vary(c->k.nest);
  c->n_segments = 1;
  for (int64_t n = 2; c->prefetches_results && n <= MAX_SEGMENTS; n++)
    if (steps % n == 0 && steps / n >= MIN_STEPS)
      c->n_segments = n;
  return NULL;
}

strata_status_t strata_tile_contract(strata_tile_builder_t *b) {
  if (b->schedule.threads)
    return strata_tile_contract_gpu(b);
  contract_t c = {0};
  STRATA_TRY(strata_contraction_read(b->kernel, &c.k));
  if (b->schedule.n_tile != 2)
    return strata_error(STRATA_INTERNAL, "a schedule without tile sizes");
  for (int side = U; side <= V; side++) {
    c.tile[side] = b->schedule.tile[side];
    int dim = c.k.sides[side].tile_dim;
    c.extents[side] = dim == STRATA_NO_DIM ? strata_size_constant(1) : c.k.nest->space.sizes[dim];
  }
  c.offset = strata_tile_constant(b, 0);
  if (varies(&c, U))
    plan_heights(&c);
  strata_product_tasks_t tasks;
  STRATA_TRY(plan_packing(b, &c, &tasks));
  for (int i = 0; i < STRATA_MAX_DIMS; i++)
    c.point[i] = strata_tile_constant(b, 0);
  plan_tasks(b, &c, &tasks);
  if (!b->status)
    b->status = plan_steps(b, &c);
  if (!b->status)
    emit_kernel(b, &c);
  return b->status;
}
