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
#include "lowering/affine_to_tile/contract_cpu.h"

#include "dialects/affine/nest.h"
#include "passes/affine/product_tasks.h"
#include "passes/target.h"

#include <string.h>

//===-- Tiles of a task ------------------------------------------------------------------------------------------===//

static void v_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_contract_cpu_t *c = user;
  strata_tile_range_t ranges[STRATA_MAX_DIMS];
  strata_contract_cpu_enter_columns(b, c, size, base);
  memcpy(ranges, c->ranges, sizeof ranges);
  if (!strata_nest_sums_vary(c->k.nest))
    strata_tile_contract_window(b, &c->k, V, c->point, base, size, c->ranges);
  strata_contract_cpu_tile(b, c);
  memcpy(c->ranges, ranges, sizeof ranges);
}

void strata_contract_cpu_side_tiles(strata_tile_builder_t *b, strata_contract_cpu_t *c, int side,
                                    strata_tile_chunk_body_t body) {
  if (!strata_contract_cpu_varies(c, side)) {
    strata_tile_chunk(b, &c->chunks[side], c->chunk_index[side], body, c);
    return;
  }
  int64_t widths[STRATA_TILE_WIDTHS];
  int n_widths = side == U ? c->n_heights : strata_tile_widths(c->tile[side], widths);
  strata_tile_between(b, c->first[side], c->end[side], c->extents[side], n_widths, side == U ? c->heights : widths,
                      body, c);
}

static void u_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_contract_cpu_t *c = user;
  c->size[U] = size;
  c->base[U] = base;
  memset(c->ranges, 0, sizeof c->ranges);
  if (!strata_nest_sums_vary(c->k.nest))
    strata_tile_contract_window(b, &c->k, U, c->point, base, size, c->ranges);
  if (c->is_packed[U])
    strata_contract_cpu_pack_rows(b, c);
  strata_contract_cpu_side_tiles(b, c, V, v_tile);
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// A task's run of the vector side should stay in the second-level cache while the rows pass by: product_tasks.h.
static void plan_tasks(strata_tile_builder_t *b, strata_contract_cpu_t *c, const strata_product_tasks_t *tasks) {
  int64_t runs[2];
  strata_product_runs(tasks, &b->schedule, runs);
  for (int side = U; side <= V; side++) {
    c->chunks[side] = strata_tile_chunks(tasks->extents[side], c->tile[side], runs[side]);
    c->n_runs[side] =
        strata_contract_cpu_varies(c, side)
            ? strata_tile_ceil_quotient(b, c->extents[side], strata_contract_cpu_tiles_of_run(c, side) * c->tile[side])
            : strata_size_constant(c->chunks[side].n_chunks);
  }
}

static MlirAffineExpr digit_of(strata_tile_builder_t *b, MlirAffineExpr number, strata_size_t stride,
                               strata_size_t extent) {
  MlirAffineExpr quotient = mlirAffineFloorDivExprGet(number, strata_size_expr(b->e.context, stride));
  return mlirAffineModExprGet(quotient, strata_size_expr(b->e.context, extent));
}

static void emit_kernel(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
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
      c->scratch[which] = strata_contract_cpu_scratch(b, c, which);
  for (int side = U; side <= V; side++)
    if (strata_contract_cpu_varies(c, side))
      strata_tile_run_bounds(b, c->chunk_index[side], strata_contract_cpu_tiles_of_run(c, side) * c->tile[side],
                             c->extents[side], &c->first[side], &c->end[side]);
  if (c->is_packed[V])
    strata_contract_cpu_side_tiles(b, c, V, strata_contract_cpu_pack_columns);
  if (strata_contract_cpu_shares_epilogue(c))
    strata_contract_cpu_heights(b, c);
  else
    strata_contract_cpu_side_tiles(b, c, U, u_tile);
  strata_emit_forall_end(&b->e, forall);
}

// The vector side's elements are turned where they lie along the last reduction dim: read one by one they would be a
// line of the cache each.
static strata_status_t plan_packing(strata_tile_builder_t *b, strata_contract_cpu_t *c,
                                    strata_product_tasks_t *out_tasks) {
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

strata_status_t strata_tile_contract(strata_tile_builder_t *b) {
  if (b->schedule.threads)
    return strata_tile_contract_gpu(b);
  strata_contract_cpu_t c = {0};
  STRATA_TRY(strata_contraction_read(b->kernel, &c.k));
  if (b->schedule.n_tile != 2)
    return strata_error(STRATA_INTERNAL, "a schedule without tile sizes");
  for (int side = U; side <= V; side++) {
    c.tile[side] = b->schedule.tile[side];
    int dim = c.k.sides[side].tile_dim;
    c.extents[side] = dim == STRATA_NO_DIM ? strata_size_constant(1) : c.k.nest->space.sizes[dim];
  }
  c.offset = strata_tile_constant(b, 0);
  if (strata_contract_cpu_varies(&c, U))
    strata_contract_cpu_plan_heights(&c);
  strata_product_tasks_t tasks;
  STRATA_TRY(plan_packing(b, &c, &tasks));
  for (int i = 0; i < STRATA_MAX_DIMS; i++)
    c.point[i] = strata_tile_constant(b, 0);
  plan_tasks(b, &c, &tasks);
  if (!b->status)
    b->status = strata_contract_cpu_plan_steps(b, &c);
  if (!b->status)
    emit_kernel(b, &c);
  return b->status;
}
