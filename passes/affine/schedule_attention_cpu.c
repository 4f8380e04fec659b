// See attention.h.
//
// Rows are the same for both products, so that a block of them is done before the next. Their scores, all columns of
// them, have half the second-level cache; keys and values pass through the rest.
#include "passes/affine/attention.h"

#include "dialects/affine/schedule.h"
#include "dialects/integers.h"
#include "passes/affine/kinds.h"

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

// The half cycles of both products with tiles of |rows|; their widths are the other two of |tile|.
static int64_t tiles_of(const strata_machine_t *machine, const strata_attention_t *a, int64_t rows, int64_t *tile) {
  int64_t cost[2], n_rows = tiled_extent(a, a->row), columns = tiled_extent(a, a->column);
  const strata_tiling_t scores = {*machine, n_rows, columns, n_rows, strata_attention_static_extent(a, a->head)},
                        results = {*machine, n_rows, strata_attention_static_extent(a, a->value), n_rows, columns};
  tile[0] = rows;
  tile[1] = strata_register_tile_width(&scores, rows, &cost[0]);
  tile[2] = strata_register_tile_width(&results, rows, &cost[1]);
  return cost[0] == INT64_MAX || cost[1] == INT64_MAX
             ? INT64_MAX
             : cost[0] * strata_attention_static_extent(a, a->head) + cost[1] * columns;
}

strata_status_t strata_attention_cpu_tile(strata_compile_t *compile, const strata_attention_t *a, int64_t *out_tile,
                                          const char **out_why) {
  strata_machine_t machine;
  STRATA_TRY(strata_machine_of(compile, &machine));
  int64_t best = INT64_MAX, rows = strata_min(tiled_extent(a, a->row), STRATA_REGISTER_TILE_ROWS);
  int64_t most = most_rows(&machine, a);
  machine.registers -= CONSTANTS;
  *out_why = "the scores of a few rows do not stay in the second-level cache";
  if (most < strata_min(rows, FEW_ROWS))
    return NULL;
  for (rows = strata_min(rows, most); rows > 0; rows--) {
    int64_t tile[STRATA_ATTENTION_CPU_TILE], cost = tiles_of(&machine, a, rows, tile);
    if (cost < best) {
      best = cost;
      memcpy(out_tile, tile, sizeof tile);
    }
  }
  *out_why = NULL;
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
