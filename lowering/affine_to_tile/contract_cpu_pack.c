// Operands of a contraction on a cpu into scratch memory, and the parts of tiles that are read from there.
#include "lowering/affine_to_tile/contract_cpu.h"

#include "dialects/affine/nest.h"

static MlirType factor_type(const strata_contraction_side_t *side) { return mlirValueGetType(side->factor); }

// Position in the reduction space at |counters|, as one number.
static MlirAffineExpr reduction_position(strata_tile_builder_t *b, const strata_nest_t *nest,
                                         const MlirAffineExpr *counters) {
  MlirAffineExpr position = strata_tile_constant(b, 0);
  for (int i = 0; i < nest->n_reduction; i++)
    position = strata_tile_scaled(b, position, strata_nest_static_extent(nest, nest->n_parallel + i), counters[i]);
  return position;
}

// Where the tile of |size| elements at |base| begins in the place of the full tile around it.
static MlirAffineExpr offset_of(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int64_t size,
                                MlirAffineExpr base) {
  if (!strata_contract_cpu_varies(c, V) || size == c->tile[V])
    return strata_tile_constant(b, 0);
  return strata_tile_simplify(b, mlirAffineModExprGet(base, strata_tile_constant(b, c->tile[V])));
}

// Which tile of the vector side starts at |base|, counted from the start of the task's run.
static MlirAffineExpr tile_number(strata_tile_builder_t *b, const strata_contract_cpu_t *c, MlirAffineExpr base) {
  MlirAffineExpr number = strata_tile_simplify(b, mlirAffineFloorDivExprGet(base, strata_tile_constant(b, c->tile[V])));
  if (strata_size_is_one(c->n_runs[V]))
    return number;
  MlirAffineExpr run = strata_tile_counter(b, c->chunk_index[V], c->n_runs[V]);
  return strata_tile_scaled(b, run, -strata_contract_cpu_tiles_of_run(c, V), number);
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

MlirValue strata_contract_cpu_scratch(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int which) {
  enum { PADDING = 16 };
  int64_t sizes[3], k = c->k.n_reduced;
  int rank = which == V ? 3 : 2;
  if (which == V) {
    sizes[0] = strata_contract_cpu_tiles_of_run(c, V) + 1; // a run of full tiles, and the tail
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
static void pack_factor(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int which, MlirAffineExpr tile,
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
  strata_contract_cpu_t *c;
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
  strata_contract_cpu_t *c = pack->c;
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = counters[i];
  pack_factor(b, c, V, pack->tile, pack->element, counters);
}

// The same where elements lie along the last reduction dim: squares that are turned in registers.
static void pack_square(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  pack_t *pack = user;
  strata_contract_cpu_t *c = pack->c;
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

void strata_contract_cpu_pack_columns(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_contract_cpu_t *c = user;
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
  strata_contract_cpu_t *c = pack->c;
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

void strata_contract_cpu_pack_rows(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
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

void strata_contract_cpu_enter_columns(strata_tile_builder_t *b, strata_contract_cpu_t *c, int64_t size,
                                       MlirAffineExpr base) {
  c->size[V] = size;
  c->base[V] = base;
  c->offset = offset_of(b, c, size, base);
}

strata_tile_value_t strata_contract_cpu_side(strata_tile_builder_t *b, strata_contract_cpu_t *c, int which,
                                             strata_tile_frame_t *frame, const MlirAffineExpr *counters) {
  if (!c->is_packed[which])
    return strata_tile_evaluate(b, frame, c->k.sides[which].factor);
  MlirAffineExpr element = strata_tile_vector_dim(b, which), coordinates[3];
  MlirAffineExpr tile = which == V ? tile_number(b, c, c->base[V]) : strata_tile_constant(b, 0);
  if (which == V)
    element = strata_tile_scaled(b, element, 1, c->offset);
  int rank = scratch_coordinates(which, tile, element, reduction_position(b, c->k.nest, counters), coordinates);
  return strata_tile_load(b, c->scratch[which], rank, coordinates);
}
