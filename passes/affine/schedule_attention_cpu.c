// See attention.h.
//
// Rows are the same for both products, so that a block of them is done before the next. Their scores, all columns of
// them, have half the second-level cache; keys and values pass through the rest.
#include "passes/affine/attention.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "passes/affine/candidates.h"

#include <string.h>

enum {
  SCORE_BYTES = 4,
  FEW_ROWS = 4,
  CONSTANTS = 3, // registers that LLVM keeps constants of the exponential in while products are at work
};

// The rows whose scores the cache holds.
static int64_t most_rows(const strata_machine_t *machine, const strata_attention_t *a) {
  int64_t columns =
      strata_attention_is_blocked(a) ? STRATA_ATTENTION_BLOCK : strata_attention_static_extent(a, a->column);
  return machine->l2_bytes / 2 / (columns * SCORE_BYTES);
}

// Dims whose sizes vary have tiles as many points would.
static int64_t tiled_extent(const strata_attention_t *a, int dim) {
  enum { MANY = 1024 };
  return strata_attention_varies(a, dim) ? MANY : strata_attention_static_extent(a, dim);
}

bool strata_attention_cpu_takes(const strata_attention_t *a) {
  enum { FEW = 4 }; // rows, for which operands are not worth packing
  bool is_known = !strata_attention_varies(a, a->head) && !strata_attention_varies(a, a->value);
  return is_known &&
         (!strata_attention_is_blocked(a) || (a->has_softmax && strata_attention_is_crossed(a, STRATA_ATTENTION_V) &&
                                              strata_attention_likely_extent(a, a->row) > FEW));
}

// Both products by tiles of at most |most_rows|.
static strata_cpu_attention_t tilings_of(const strata_machine_t *machine, const strata_attention_t *a,
                                         int64_t most_rows) {
  int64_t n_rows = tiled_extent(a, a->row), columns = tiled_extent(a, a->column);
  return (strata_cpu_attention_t){
      .scores = {*machine, n_rows, columns, most_rows, strata_attention_static_extent(a, a->head)},
      .results = {*machine, n_rows, strata_attention_static_extent(a, a->value), most_rows, columns},
  };
}

// The half cycles of both products with tiles of |rows|; their widths are the other two of |tile|.
static int64_t tiles_of(const strata_cpu_attention_t *a, int64_t rows, int64_t *tile) {
  int64_t cost[2];
  tile[0] = rows;
  tile[1] = strata_register_tile_width(&a->scores, rows, &cost[0]);
  tile[2] = strata_register_tile_width(&a->results, rows, &cost[1]);
  return cost[0] == INT64_MAX || cost[1] == INT64_MAX ? INT64_MAX
                                                      : cost[0] * a->scores.steps + cost[1] * a->results.steps;
}

// *out_rows: at most so many a tile, 0: none suits, as *out_why says.
static strata_status_t read_tilings(strata_compile_t *compile, const strata_attention_t *a, strata_cpu_attention_t *out,
                                    int64_t *out_rows, const char **out_why) {
  strata_machine_t machine;
  STRATA_TRY(strata_machine_of(compile, &machine));
  int64_t rows = strata_min(tiled_extent(a, a->row), STRATA_REGISTER_TILE_ROWS), most = most_rows(&machine, a);
  machine.registers -= CONSTANTS;
  *out_rows = most < strata_min(rows, FEW_ROWS) ? 0 : strata_min(rows, most);
  *out_why = *out_rows ? NULL : "the scores of a few rows do not stay in the second-level cache";
  *out = tilings_of(&machine, a, *out_rows);
  return NULL;
}

strata_status_t strata_attention_cpu_tile(strata_compile_t *compile, const strata_attention_t *a, int64_t *out_tile,
                                          const char **out_why) {
  strata_cpu_attention_t tilings;
  int64_t best = INT64_MAX, rows;
  STRATA_TRY(read_tilings(compile, a, &tilings, &rows, out_why));
  for (; rows > 0; rows--) {
    int64_t tile[STRATA_ATTENTION_CPU_TILE], cost = tiles_of(&tilings, rows, tile);
    if (cost < best) {
      best = cost;
      memcpy(out_tile, tile, sizeof tile);
    }
  }
  return NULL;
}

strata_status_t strata_cpu_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  const char *why;
  strata_attention_t attention;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION, .n_tile = STRATA_ATTENTION_CPU_TILE};
  *out_taken = strata_schedule_read(s->kernel->func).kind == STRATA_KERNEL_ATTENTION &&
               strata_attention_read(s->kernel, &attention, &why);
  if (!*out_taken)
    return NULL;
  STRATA_TRY(strata_attention_cpu_tile(s->compile, &attention, out->tile, &why));
  return why ? strata_error(STRATA_INTERNAL, "a kernel of attention: %s", why) : NULL;
}

strata_status_t strata_work_attention_cpu(const strata_scheduling_t *s, strata_work_t *out) {
  strata_cpu_attention_t *tilings = strata_arena_new(s->compile->arena, strata_cpu_attention_t);
  strata_attention_t a;
  const char *why;
  int64_t rows;
  if (strata_kernel_varies(s->kernel) || !strata_attention_read(s->kernel, &a, &why))
    return NULL;
  STRATA_TRY(read_tilings(s->compile, &a, tilings, &rows, &why));
  tilings->times = 1;
  for (int dim = 0; dim < a.n_dims; dim++)
    if (dim != a.row && dim != a.value && dim != a.column && dim != a.head)
      tilings->times *= strata_attention_static_extent(&a, dim);
  out->cpu_attention = rows ? tilings : NULL;
  return NULL;
}
