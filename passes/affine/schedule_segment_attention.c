// Attention within sequences (dialects/affine/segment_attention.h): the tiles of its two products on a cpu. Both have
// the same rows, of a window; a panel of keys and a piece of values are as wide as registers hold beside them.
#include "dialects/affine/segment_attention.h"
#include "dialects/integers.h"
#include "passes/affine/kinds.h"

#include <string.h>

// The half cycles of both products with tiles of |rows|; *tile gets them and the widths.
static int64_t tiles_of(const strata_machine_t *machine, const strata_segment_attention_t *a, int64_t rows,
                        int64_t *tile) {
  const strata_tiling_t scores = {*machine, STRATA_SEGMENT_WINDOW, STRATA_SEGMENT_KEYS, rows, a->steps},
                        results = {*machine, STRATA_SEGMENT_WINDOW, a->values, rows, STRATA_SEGMENT_KEYS};
  int64_t cost[2];
  tile[0] = rows;
  tile[1] = strata_register_tile_width(&scores, rows, &cost[0]);
  tile[2] = strata_register_tile_width(&results, rows, &cost[1]);
  return cost[0] == INT64_MAX || cost[1] == INT64_MAX ? INT64_MAX : cost[0] * a->steps + cost[1] * STRATA_SEGMENT_KEYS;
}

strata_status_t strata_cpu_segment_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_segment_attention_t attention;
  int64_t best = INT64_MAX, tile[3];
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_ATTENTION, .n_tile = 3};
  *out_taken = !s->compile->options->disable_fast_math && strata_segment_attention_read(s->kernel, &attention);
  for (int64_t rows = 1; *out_taken && rows <= STRATA_REGISTER_TILE_ROWS; rows++) {
    int64_t cost = tiles_of(s->machine, &attention, rows, tile);
    if (cost < best) {
      best = cost;
      memcpy(out->tile, tile, sizeof tile);
    }
  }
  *out_taken &= best < INT64_MAX;
  return NULL;
}

// On a GPU a thread does a row.
strata_status_t strata_gpu_segment_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  (void)s;
  *out = (strata_schedule_t){0};
  *out_taken = false;
  return NULL;
}
