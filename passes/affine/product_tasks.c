// See product_tasks.h.
#include "passes/affine/product_tasks.h"

#include "dialects/affine/nest.h"
#include "dialects/integers.h"

enum {
  U = STRATA_SIDE_U,
  V = STRATA_SIDE_V,
  MIN_TASK_FLOPS = 1 << 19, // some microseconds, where threads that spin take one to begin
  MAX_TASKS = 64,
};

int64_t strata_product_extent(const strata_contraction_kernel_t *c, int side) {
  int dim = c->sides[side].tile_dim;
  return dim == STRATA_NO_DIM ? 1 : strata_max(1, strata_nest_likely_extent(c->nest, dim));
}

//===-- Packing --------------------------------------------------------------------------------------------------===//

// True if the broadcast side is read in a narrower type, by several tiles of columns: an element is widened for each,
// on its own, where packing widens them by vectors.
static bool is_widened_often(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule) {
  return !mlirValueEqual(strata_contraction_narrow(c, U), c->sides[U].factor) && schedule->tile[U] > 1 &&
         strata_product_extent(c, V) > schedule->tile[V];
}

static bool needs_packing(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule, int side) {
  if (!strata_contraction_is_plain(c, side))
    return true;
  return side == U ? schedule->packs_rows || is_widened_often(c, schedule)
                   : !strata_contraction_is_contiguous(c, V, schedule->tile[V]);
}

// Packing moves vectors along the last reduction dim, and short ones take as long as long ones.
static int64_t element_cost(const strata_contraction_kernel_t *c, int side, bool is_packed) {
  enum { PACKING_COST = 3, SHORT_COST = 12, SHORT = 8 };
  if (!is_packed)
    return 1;
  return side == U && strata_nest_likely_extent(c->nest, strata_nest_n_dims(c->nest) - 1) < SHORT ? SHORT_COST
                                                                                                  : PACKING_COST;
}

//===-- Tasks ----------------------------------------------------------------------------------------------------===//

// How many tasks the points of u and v together should be cut into: each must be worth its start.
static int64_t wanted_pieces(const strata_contraction_kernel_t *c) {
  int64_t outer = 1, flops = 2 * c->n_reduced;
  for (int i = 0; i < c->n_outer; i++)
    outer *= strata_max(1, strata_nest_likely_extent(c->nest, c->outer[i]));
  for (int dim = 0; dim < c->nest->n_parallel; dim++)
    flops *= strata_max(1, strata_nest_likely_extent(c->nest, dim));
  int64_t wanted = flops / MIN_TASK_FLOPS;
  wanted = strata_max(1, strata_min(wanted, MAX_TASKS));
  return strata_ceil_div(wanted, outer);
}

strata_product_tasks_t strata_product_tasks(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule,
                                            int64_t l2_bytes) {
  strata_product_tasks_t tasks = {.n_reduced = c->n_reduced, .pieces = wanted_pieces(c), .l2_bytes = l2_bytes};
  for (int side = U; side <= V; side++) {
    tasks.extents[side] = strata_product_extent(c, side);
    tasks.tile[side] = schedule->tile[side];
    tasks.is_packed[side] = needs_packing(c, schedule, side);
    tasks.element_cost[side] = element_cost(c, side, tasks.is_packed[side]);
  }
  return tasks;
}

static int64_t bytes_of(const strata_product_tasks_t *t, int side) { return t->extents[side] * t->n_reduced * 4; }

// Runs of columns, at least, that stay in the second-level cache.
static int64_t least_runs(const strata_product_tasks_t *t) {
  int64_t panel = t->tile[V] * t->n_reduced * 4, run = t->l2_bytes / 2 / panel;
  return strata_ceil_div(strata_ceil_div(t->extents[V], t->tile[V]), run > 1 ? run : 1);
}

int64_t strata_product_n_runs(const strata_product_tasks_t *t, int side, int64_t wanted) {
  int64_t n_full = t->extents[side] / t->tile[side];
  return n_full <= 1 ? 1 : strata_ceil_div(n_full, strata_ceil_div(n_full, strata_max(1, wanted)));
}

// Of |u| runs of rows and |v| of columns; INT64_MAX: those do not stay in the cache, and packing does not make up for
// it.
static int64_t reads_of(const strata_product_tasks_t *t, int64_t u, int64_t v, bool streams) {
  enum { STREAM_HALVES = 3 }; // of a read that comes from behind that cache
  if (streams && (!t->is_packed[U] || t->is_packed[V]))
    return INT64_MAX;
  int64_t u_tiles = strata_ceil_div(t->extents[U], t->tile[U]);
  int64_t cost = u * bytes_of(t, V) * t->element_cost[V] + v * bytes_of(t, U) * t->element_cost[U];
  return cost + (streams ? STREAM_HALVES * strata_max(u_tiles - u, 0) * bytes_of(t, V) / 2 : 0);
}

void strata_product_runs(const strata_product_tasks_t *t, const strata_schedule_t *schedule, int64_t *out_runs) {
  int64_t v_tiles = strata_ceil_div(t->extents[V], t->tile[V]), best = INT64_MAX, least = least_runs(t);
  out_runs[U] = schedule->runs[U];
  out_runs[V] = schedule->runs[V];
  if (schedule->runs[U])
    return;
  for (int64_t wanted = 1; wanted <= strata_min(v_tiles, least * MAX_TASKS); wanted++) {
    int64_t v = strata_product_n_runs(t, V, wanted), u = strata_product_n_runs(t, U, strata_ceil_div(t->pieces, v));
    int64_t cost = reads_of(t, u, v, wanted < least);
    if (wanted == 1 || cost < best) {
      best = cost;
      out_runs[U] = u;
      out_runs[V] = v;
    }
  }
}

bool strata_product_wants_panels(const strata_contraction_kernel_t *c, const strata_schedule_t *schedule,
                                 int64_t l2_bytes) {
  strata_product_tasks_t tasks = strata_product_tasks(c, schedule, l2_bytes);
  int64_t runs[2];
  strata_product_runs(&tasks, schedule, runs);
  bool is_repeated = !schedule->runs[U] && tasks.is_packed[V] && runs[U] > 1;
  return tasks.extents[U] >= STRATA_PRODUCT_MIN_REUSE || is_repeated;
}
