// Reductions over blocks of a cluster: those whose threads a task is spread over, or those whose tiles are a row
// together. Threads of a block that differ in a reduced bit of their number have the same results by now.
//
// Each block puts its part of a result into all blocks' shared memory; after the cluster's barrier each has all parts
// at hand. Every result has memory of its own, so that nobody waits before storing, but for the first time.
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/reduce.h"

// Which threads of a block hold which results: those of number |kept| of |n_kept|, as |n_copies| threads have, of which
// it is number |copy|.
typedef struct {
  MlirValue kept, copy;
  int64_t n_kept, n_copies;
} holders_t;

static holders_t find_holders(const strata_reduction_t *r) {
  strata_gpu_distribution_t *d = r->d;
  holders_t h = {.n_kept = 1, .n_copies = 1};
  strata_layout_t kept = {0}, copy = {0};
  for (int64_t bit = 1; bit < d->role.group; bit *= 2) {
    bool is_block = bit >= d->role.threads, is_over = strata_reduction_is_over(r, bit);
    bool is_copy = is_over && !is_block, is_kept = !is_over && !is_block;
    strata_layout_push_thread(&kept, is_kept ? 0 : STRATA_COPIES, 2, h.n_kept);
    strata_layout_push_thread(&copy, is_copy ? 0 : STRATA_COPIES, 2, h.n_copies);
    h.n_kept *= is_kept ? 2 : 1;
    h.n_copies *= is_copy ? 2 : 1;
  }
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  if (h.n_kept > 1)
    h.kept = strata_index_emit(&space, strata_thread_coordinate(d->e.context, &kept, 0, 0));
  h.copy = strata_index_emit(&space, strata_thread_coordinate(d->e.context, &copy, 0, 0));
  return h;
}

// Copies of a result share the blocks it goes to.
static void put(const strata_exchange_t *x, const holders_t *h, const MlirValue *values) {
  strata_emitter_t *e = &x->d->e;
  for (int64_t first = 0; first < x->ranks; first += h->n_copies) {
    MlirValue to = strata_emit_plus(e, h->copy, first);
    MlirValue is_one = {NULL};
    if (h->n_copies > x->ranks - first)
      is_one = strata_emit_cmpi(e, STRATA_ULT, to, strata_emit_index(e, x->ranks));
    strata_loop_t branch = strata_emit_if_begin(e, is_one);
    strata_exchange_put(x, to, x->count, values);
    strata_emit_if_end(e, branch);
  }
}

// |dim|: that of the cluster in which they are apart.
static strata_status_t exchange(strata_reduction_t *r, int dim) {
  strata_gpu_distribution_t *d = r->d;
  holders_t h = find_holders(r);
  bool is_row = dim == STRATA_BY_PARTS_OF_ROWS;
  int64_t blocks = strata_cluster_along(d, dim), partials = r->result.count * blocks * h.n_kept;
  strata_exchange_t x = {.d = d,
                         .by = &strata_cluster_transport,
                         .element = r->source->element,
                         .width = 1,
                         .count = r->result.count,
                         .ranks = blocks,
                         .value_stride = blocks * h.n_kept,
                         .rank_stride = h.n_kept,
                         .is_line = is_row,
                         .holder = h.kept,
                         .rank = strata_cluster_place(d, dim)};
  STRATA_TRY((is_row ? strata_row_memory : strata_shared_alloc)(d, x.element, partials, &x.memory));
  STRATA_TRY(x.by->ready(&x));
  x.own = strata_exchange_own(&x);
  put(&x, &h, r->result.values);
  STRATA_TRY(strata_exchange_meet(&x));
  strata_exchange_combine(&x, r->kind, x.count, r->result.values);
  return NULL;
}

strata_status_t strata_reduce_blocks(strata_reduction_t *r, bool is_row) {
  strata_gpu_distribution_t *d = r->d;
  int dim = is_row ? STRATA_BY_PARTS_OF_ROWS : STRATA_BY_THREADS;
  int64_t blocks = strata_cluster_along(d, dim);
  if (blocks == 1 && !is_row)
    return NULL;
  for (int64_t bit = 1; !is_row && bit < d->role.group; bit *= 2)
    if (!strata_reduction_is_over(r, bit))
      return strata_error(STRATA_UNSUPPORTED, "a reduction of a part of what a cluster holds");
  if (d->nest.branches > 0 || d->nest.loops > 0 || blocks == 1 || (is_row && !d->state.pipelined))
    return strata_error(STRATA_UNSUPPORTED, "a reduction over blocks in a loop or branch, or without a cluster");
  return exchange(r, dim);
}
