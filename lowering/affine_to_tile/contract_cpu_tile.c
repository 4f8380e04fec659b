// A register tile of a contraction on a cpu: its steps, what they ask for ahead, and what is stored of its sums.
#include "lowering/affine_to_tile/contract_cpu.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/quads.h"
#include "passes/target.h"

#include <string.h>

// Rows of a tile that asks for a panel ahead: fewer read it as fast as it comes, in order.
enum { PREFETCHING_ROWS = 4 };

//===-- Steps ----------------------------------------------------------------------------------------------------===//

// accumulator + outer product, or the nest's own ops where the tile has a single row or column.
static void micro_step(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  strata_contract_cpu_t *c = user;
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = counters[i];
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t u = strata_contract_cpu_side(b, c, U, &frame, counters),
                      v = strata_contract_cpu_side(b, c, V, &frame, counters);
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

// The lines of the vector side's panel that are read |AHEAD| steps later.
static void prefetch_panel(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
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
static void prefetch_results(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
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
  strata_contract_cpu_t *c = user;
  const strata_nest_t *nest = c->k.nest;
  MlirAffineExpr at[STRATA_MAX_DIMS];
  int last = nest->n_reduction - 1;
  memcpy(at, counters, (size_t)nest->n_reduction * sizeof *at);
  if (c->n_segments > 1)
    at[last] = strata_tile_scaled(b, c->segment,
                                  strata_nest_static_extent(nest, nest->n_parallel + last) / c->n_segments, at[last]);
  micro_step(b, at, carried, c);
  if (c->prefetches_panel && (!strata_contract_cpu_varies(c, U) || c->size[U] >= PREFETCHING_ROWS) && !b->status)
    prefetch_panel(b, c);
}

static void sum_segment(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried, void *user) {
  strata_contract_cpu_t *c = user;
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

bool strata_contract_cpu_epilogue_is_dear(const strata_contract_cpu_t *c) {
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

MlirValue strata_contract_cpu_sums(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int64_t rows) {
  int64_t sizes[2] = {rows, c->size[V]};
  MlirType element = mlirValueGetType(mlirOperationGetResult(c->k.nest->loops[0], 0));
  return strata_emit_scratch(&b->e, mlirMemRefTypeContiguousGet(element, 2, sizes, (MlirAttribute){0}));
}

void strata_contract_cpu_keep_sums(strata_tile_builder_t *b, strata_tile_value_t sums, MlirValue scratch) {
  MlirAffineExpr both[2] = {strata_tile_vector_dim(b, U), strata_tile_vector_dim(b, V)};
  strata_tile_store(b, sums, scratch, 2, both);
}

void strata_contract_cpu_epilogue(strata_tile_builder_t *b, strata_contract_cpu_t *c, MlirValue scratch,
                                  MlirValue n_rows) {
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

void strata_contract_cpu_enter_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
  b->space.n_vector = 2;
  b->space.extents[U] = c->size[U];
  b->space.extents[V] = c->size[V];
  for (int which = U; which <= V; which++)
    if (c->k.sides[which].tile_dim != STRATA_NO_DIM)
      c->point[c->k.sides[which].tile_dim] = strata_tile_scaled(b, strata_tile_vector_dim(b, which), 1, c->base[which]);
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = strata_tile_constant(b, 0);
}

strata_tile_value_t strata_contract_cpu_sum_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
  uint32_t dims = (c->size[U] > 1 ? 1u : 0u) | (c->size[V] > 1 ? 2u : 0u);
  strata_tile_frame_t frame = {.nest = c->k.nest, .point = c->point};
  strata_tile_value_t start = strata_tile_evaluate(b, &frame, strata_nest_start(c->k.nest, 0));
  MlirValue accumulator = b->status ? start.value : strata_tile_broadcast(b, start, dims);
  strata_tile_carry(b, 1, &c->n_segments, NULL, 1, 1, &accumulator, sum_segment, c);
  for (int i = 0; i < c->k.nest->n_reduction; i++)
    c->point[c->k.nest->n_parallel + i] = strata_tile_constant(b, 0);
  return (strata_tile_value_t){accumulator, dims};
}

void strata_contract_cpu_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
  enum { BOTH_SIDES = 3 };
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  strata_contract_cpu_enter_tile(b, c);
  strata_tile_value_t sums = strata_contract_cpu_sum_tile(b, c);
  if (!b->status && sums.dims == BOTH_SIDES && strata_contract_cpu_epilogue_is_dear(c)) {
    MlirValue scratch = strata_contract_cpu_sums(b, c, c->size[U]);
    strata_contract_cpu_keep_sums(b, sums, scratch);
    strata_contract_cpu_epilogue(b, c, scratch, strata_emit_index(&b->e, c->size[U]));
  } else if (!b->status) {
    strata_tile_contract_stores(b, &c->k, c->point, strata_tile_contract_result(b, &c->k, c->point, sums));
  }
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

//===-- What is asked for ahead ----------------------------------------------------------------------------------===//

strata_status_t strata_contract_cpu_plan_steps(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
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
