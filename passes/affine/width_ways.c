// The candidates of maps and rows on a cpu: how many elements are computed side by side. There is no model of their
// time: what is widest has most registers in flight, what is narrow the least code and rest.
#include "dialects/affine/map_kernel.h"
#include "dialects/affine/nest.h"
#include "dialects/affine/row_kernel.h"
#include "dialects/integers.h"
#include "passes/affine/candidates.h"

#include <inttypes.h>

enum { N_WIDTHS = 5 };

//===-- What is asked --------------------------------------------------------------------------------------------===//

static int64_t longest_dim(const strata_kernel_t *kernel) {
  int64_t longest = 1;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int dim = 0; dim < strata_nest_n_dims(&kernel->nests[i]); dim++)
      longest = strata_max(longest, strata_nest_static_extent(&kernel->nests[i], dim));
  return longest;
}

static void ask(const strata_scheduling_t *s, strata_kernel_kind_t kind, int64_t extent, strata_work_t *out) {
  strata_cpu_widths_t *widths = strata_arena_new(s->compile->arena, strata_cpu_widths_t);
  *widths = (strata_cpu_widths_t){kind, s->machine->vector_bytes / 4, extent, strata_kernel_points(s->kernel)};
  out->widths = widths;
}

// True if |status|, which it takes, is none, and the kernel's schedule says nothing else.
static bool has_widths(const strata_scheduling_t *s, strata_status_t status) {
  bool is_read = !status;
  strata_status_free(status);
  return is_read && strata_schedule_read(s->called->func).n_tile == 0;
}

strata_status_t strata_work_map_cpu(const strata_scheduling_t *s, strata_work_t *out) {
  strata_map_kernel_t map;
  if (!strata_kernel_varies(s->kernel) && has_widths(s, strata_map_kernel_read(s->kernel, &map)))
    ask(s, STRATA_KERNEL_MAP, strata_nest_static_extent(map.space, map.vector_dim), out);
  return NULL;
}

strata_status_t strata_work_rows_cpu(const strata_scheduling_t *s, strata_work_t *out) {
  strata_row_kernel_t rows;
  int64_t extent = 0;
  if (strata_kernel_varies(s->kernel) || !has_widths(s, strata_row_kernel_read(s->kernel, &rows)))
    return NULL;
  if (rows.across == STRATA_NOT_A_ROW || !strata_size_is_constant(rows.sizes[rows.across], &extent))
    extent = longest_dim(s->kernel);
  ask(s, STRATA_KERNEL_ROWS, extent, out);
  return NULL;
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

static bool next(const strata_work_t *work, strata_candidate_t *c) {
  (void)work;
  return ++c->number <= N_WIDTHS;
}

// The model's, then one register, two, four, eight.
static bool predict(const strata_work_t *work, strata_candidate_t *candidate) {
  const strata_cpu_widths_t *w = work->widths;
  const double seconds_of_a_vector = 1e-9;
  int64_t width = w->lanes << candidate->number >> 2;
  candidate->cpu.width = candidate->number == 1 ? 0 : width;
  candidate->seconds = seconds_of_a_vector * w->points / (double)w->lanes;
  candidate->bound = "elements";
  return candidate->number == 1 || (width < w->extent && width != strata_row_width(w->lanes, w->extent));
}

static strata_schedule_t write(const strata_work_t *work, const strata_candidate_t *c) {
  return (strata_schedule_t){.kind = work->widths->kind, .width = c->cpu.width};
}

static const char *explain(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *c) {
  (void)work;
  return strata_arena_printf(arena, "%" PRId64 " elements side by side", c->cpu.width);
}

const strata_ways_t strata_ways_widths = {next, predict, write, strata_cpu_admits, explain};
