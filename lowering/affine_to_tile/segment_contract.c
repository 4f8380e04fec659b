// Rows times their sequences' matrices on GPUs: a pipelined product, of which a task is a tile of rows of one sequence
// (dialects/affine/segment_attention.h) and of columns.
//
//   scf.forall (%t) in (tiles * column tiles) {
//     %first, %own {tile.work}, %sequence = "tile.load" of the table
//     %sum = scf.for %k = 0 to steps iter_args(%a = zero) {
//       %x = "tile.load" of rows from %first on   %w = "tile.load" of the sequence's matrix
//       vector.contract %x, %w, %a } {tile.pipeline}
//     "tile.store" of the first %own rows }
//
// Where tiles are of few rows these are columns of the instruction (swap), and the blocks of a cluster may share a
// reduction (parts): each has a task, with a part of the tile's rows.
#include "dialects/affine/segment_contract.h"

#include "devices/gpu/mma.h"
#include "dialects/affine/segment_attention.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/affine_to_tile/kinds.h"
#include "lowering/affine_to_tile/places.h"
#include "lowering/affine_to_tile/segment_attention.h"

// The tile's vector dims.
enum { ROW, COLUMN, STEP, N_AXES };

typedef struct {
  strata_segment_contract_t a;
  int64_t parts;      // blocks that have the rows of a tile together
  MlirAffineExpr own; // rows of the tile
  MlirAffineExpr row; // in the tile
  MlirAffineExpr point[STRATA_PRODUCT_DIMS];
} builder_t;

static strata_tile_value_t load(strata_tile_builder_t *b, const builder_t *c, const strata_place_t *place) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_place_coordinates(b, place, c->point, coordinates);
  return strata_tile_load(b, place->buffer, rank, coordinates);
}

static void place_task(strata_tile_builder_t *b, builder_t *c, MlirValue task, strata_size_t n_tiles, int64_t n_columns,
                       strata_size_t n_tasks) {
  MlirAffineExpr task_number = mlirAffineDimExprGet(b->e.context, 0), parts = strata_tile_constant(b, c->parts);
  MlirAffineExpr number = mlirAffineFloorDivExprGet(task_number, parts), across = strata_tile_constant(b, n_columns);
  strata_size_t matrices[STRATA_MAX_DIMS];
  strata_memref_sizes(c->a.matrices.buffer, matrices);
  MlirValue tile = strata_tile_task_part(b, mlirAffineFloorDivExprGet(number, across), task, n_tasks);
  MlirValue column = strata_tile_task_part(b, mlirAffineModExprGet(number, across), task, n_tasks);
  MlirValue part = strata_tile_task_part(b, mlirAffineModExprGet(task_number, parts), task, n_tasks);
  MlirAffineExpr at = strata_tile_counter(b, tile, n_tiles);
  c->point[STRATA_PRODUCT_ROW] =
      strata_tile_counter(b, strata_segment_field(b, c->a.tiles, at, STRATA_SEGMENT_TILE_FIRST), c->a.n_rows);
  MlirValue own = strata_segment_field(b, c->a.tiles, at, STRATA_SEGMENT_TILE_OWN);
  strata_set_attr(strata_def(own), STRATA_TILE_WORK, mlirUnitAttrGet(b->e.context));
  c->own = strata_tile_counter(b, own, strata_size_constant(c->a.tile_rows + 1));
  c->point[STRATA_PRODUCT_SEQUENCE] =
      strata_tile_counter(b, strata_segment_field(b, c->a.tiles, at, STRATA_SEGMENT_TILE_SEQUENCE), matrices[0]);
  c->point[STRATA_PRODUCT_COLUMN] = strata_tile_counter(b, column, strata_size_constant(n_columns));
  c->row = strata_tile_counter(b, part, strata_size_constant(c->parts));
}

// The tile's vectors at the places of the task.
static void place_tile(strata_tile_builder_t *b, builder_t *c) {
  MlirAffineExpr *row = &c->point[STRATA_PRODUCT_ROW], *column = &c->point[STRATA_PRODUCT_COLUMN];
  c->row = strata_tile_scaled(b, c->row, b->space.extents[ROW], strata_tile_vector_dim(b, ROW));
  *row = strata_tile_scaled(b, *row, 1, c->row);
  *column = strata_tile_scaled(b, *column, b->space.extents[COLUMN], strata_tile_vector_dim(b, COLUMN));
  strata_tile_bound(b, *row, c->a.n_rows);
  strata_tile_bound(b, *column, strata_size_constant(c->a.columns));
}

static MlirValue multiply(strata_tile_builder_t *b, builder_t *c) {
  const uint32_t dims = 1u << ROW | 1u << COLUMN;
  MlirType f32 = mlirF32TypeGet(b->e.context);
  strata_tile_value_t zero = {strata_emit_constant(&b->e, f32, mlirFloatAttrDoubleGet(b->e.context, f32, 0)), 0};
  MlirValue sum = strata_tile_broadcast(b, zero, dims), so_far;
  int64_t steps = strata_ceil_div(c->a.steps, b->space.extents[STEP]);
  int n_bounds = b->n_bounds, n_symbols = b->space.n_symbols;
  strata_loop_t loop =
      strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), strata_emit_index(&b->e, steps), 1, 1, &sum, &so_far);
  MlirAffineExpr step = strata_tile_symbol(b, loop.induction, steps);
  c->point[STRATA_PRODUCT_STEP] = strata_tile_scaled(b, step, b->space.extents[STEP], strata_tile_vector_dim(b, STEP));
  strata_tile_bound(b, c->point[STRATA_PRODUCT_STEP], strata_size_constant(c->a.steps));
  strata_tile_value_t rows = load(b, c, &c->a.rows), matrix = load(b, c, &c->a.matrices);
  const uint32_t operand = 1u << ROW | 1u << STEP;
  if (!b->status && rows.dims == 1u << STEP) // of one row in all
    rows = (strata_tile_value_t){strata_tile_load_rows(b, rows.value, operand), operand};
  if (b->status || rows.dims != operand || matrix.dims != (1u << COLUMN | 1u << STEP)) {
    strata_tile_fail(b, "affine-to-tile: operands of a product that are no matrices");
    return sum;
  }
  so_far = strata_tile_emit_contract(b, rows.value, matrix.value, so_far, b->schedule.mma);
  strata_emit_for_end(&b->e, loop, 1, &so_far, &sum);
  strata_set_attr(loop.op, "tile.pipeline", mlirUnitAttrGet(b->e.context));
  b->n_bounds = n_bounds;
  b->space.n_symbols = n_symbols;
  return sum;
}

static void store(strata_tile_builder_t *b, builder_t *c, MlirValue sum) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS], last = strata_tile_scaled(b, c->own, 1, strata_tile_constant(b, -1));
  b->n_bounds = 0;
  strata_tile_bound(b, c->point[STRATA_PRODUCT_COLUMN], strata_size_constant(c->a.columns));
  b->bounds[b->n_bounds++] = strata_tile_scaled(b, c->row, -1, last);
  if (strata_size_is_one(c->a.n_rows)) // the store is the same for all rows
    b->bounds[b->n_bounds++] = strata_tile_scaled(b, strata_tile_vector_dim(b, ROW), -1, strata_tile_constant(b, 0));
  int rank = strata_tile_place_coordinates(b, &c->a.result, c->point, coordinates);
  strata_tile_value_t result = {sum, 1u << ROW | 1u << COLUMN};
  result = strata_segment_rounded(b, result, c->a.result.buffer);
  strata_tile_store(b, result, c->a.result.buffer, rank, coordinates);
}

strata_status_t strata_tile_segment_contract(strata_tile_builder_t *b) {
  builder_t c = {0};
  strata_size_t tiles[STRATA_MAX_DIMS];
  c.parts = strata_max(b->schedule.parts, 1);
  if (!strata_segment_contract_read(b->kernel, &c.a) || b->schedule.n_tile != 3 || !strata_mma_named(b->schedule.mma))
    return strata_error(STRATA_INTERNAL, "no kernel of rows times their sequences' matrices");
  int64_t rows = b->schedule.tile[0] * c.parts;
  if (rows < c.a.tile_rows && !mlirValueIsNull(c.a.few))
    c.a = strata_segment_contract_of_few(&c.a);
  if (rows < c.a.tile_rows)
    return strata_error(STRATA_INTERNAL, "tiles of more rows than a kernel's");
  for (int i = 0; i < STRATA_PRODUCT_DIMS; i++)
    c.point[i] = strata_tile_constant(b, 0);
  strata_memref_sizes(c.a.tiles, tiles);
  int64_t n_columns = strata_ceil_div(c.a.columns, b->schedule.tile[1]);
  strata_size_t n_tasks = strata_size_product(tiles[0], strata_size_constant(n_columns * c.parts));
  strata_loop_t forall = strata_tile_tasks_begin(b, n_tasks);
  place_task(b, &c, forall.induction, tiles[0], n_columns, n_tasks);
  b->space.n_vector = N_AXES;
  for (int axis = 0; axis < N_AXES; axis++)
    b->space.extents[axis] = b->schedule.tile[axis];
  place_tile(b, &c);
  MlirValue sum = multiply(b, &c);
  if (!b->status)
    store(b, &c, sum);
  b->space.n_vector = 0;
  b->n_bounds = 0;
  strata_emit_forall_end(&b->e, forall);
  return b->status;
}
