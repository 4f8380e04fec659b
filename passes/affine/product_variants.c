// Variants of products on a cpu by their number of rows. Each tile of rows reads the whole other operand, so that what
// is left of the last tile costs about as much as a tile, and is done by halves of tiles where the rows vary
// (affine_to_tile/contract.c). Few rows, which fit one tile, are one of just so many; a number of rows that is likely
// may have a tile of its own.
#include "dialects/integers.h"
#include "passes/affine/kinds.h"
#include "passes/affine/variants.h"

#include <string.h>

typedef struct {
  int64_t tile[2];
  bool is_exact; // one tile of just so many rows
  bool is_constant;
} way_t;

typedef struct {
  strata_tiling_t tiling;
  int n_followers; // nests that are carried out on every tile
  int count;
  way_t ways[STRATA_VARIANT_CANDIDATES];
} products_t;

// Half cycles of a tile of |rows| along all columns, once through the other operand: what the registers' model says
// where the caches feed it, but at least what the operand takes to come (a product of 3 x 768 x 768 from the last
// cache, one of 3 x 4096 x 1024 from memory, on a Zen 4).
static int64_t pass_cost(const products_t *p, int64_t rows, int64_t width) {
  enum { CACHED = 7, FROM_MEMORY = 34, CACHE_SHARE = 8 }; // of a vector; of the last cache, in second-level caches
  strata_tiling_t tiling = p->tiling;
  int64_t vectors = strata_ceil_div(tiling.v, tiling.machine.vector_bytes / 4);
  int64_t bytes = vectors * tiling.machine.vector_bytes * tiling.steps;
  int64_t coming = bytes <= CACHE_SHARE * tiling.machine.l2_bytes ? CACHED : FROM_MEMORY;
  tiling.machine.l1_bytes = INT64_MAX;
  return strata_max(strata_register_tile_row_cost(&tiling, rows, width), vectors * coming);
}

static double cost_of(void *user, int candidate, int64_t rows) {
  const products_t *p = user;
  const way_t *way = &p->ways[candidate];
  int64_t tile = way->is_exact ? rows : way->tile[0], cost = 0;
  for (; rows > 0; tile = way->is_constant ? rows : strata_register_tile_part(tile)) {
    cost += rows / tile * pass_cost(p, tile, way->tile[1]);
    rows %= tile;
  }
  return (double)cost;
}

// With panels, columns are as many as a panel has.
static void add_way(products_t *p, strata_variant_candidates_t *candidates, way_t way, int64_t min, int64_t max,
                    double price) {
  if (p->count == STRATA_VARIANT_CANDIDATES || !strata_register_tile_fits(&p->tiling, way.tile[0], way.tile[1]))
    return;
  candidates->of[p->count].min = min;
  candidates->of[p->count].max = max;
  candidates->of[p->count].price = price;
  p->ways[p->count++] = way;
}

static void add_few(products_t *p, strata_variant_candidates_t *candidates, int64_t width) {
  enum { MOST = 8 };
  const double of_a_row = 0.045 * (1 + 0.25 * p->n_followers); // in the code of all these tiles
  for (int64_t rows = 2; rows <= MOST; rows *= 2) {
    int64_t cost, own = width ? width : strata_register_tile_width(&p->tiling, rows, &cost);
    double price = of_a_row * (double)(rows * (rows + 1) / 2);
    if (rows <= p->tiling.most_rows)
      add_way(p, candidates, (way_t){.tile = {rows, own}, .is_exact = true}, 1, rows, price);
  }
}

// Tiles of equal height.
static void add_likely(products_t *p, strata_variant_candidates_t *candidates, int64_t rows, int64_t most,
                       int64_t width) {
  enum { MANY = 256 };      // where a tile more or less does not matter
  const double price = 0.5; // an eighth, of a size that is likely
  if (rows < 1 || rows > MANY)
    return;
  way_t way = {.tile = {most, width}, .is_constant = true};
  strata_tiling_t tiling = p->tiling;
  tiling.u = rows;
  if (width)
    way.tile[0] = strata_ceil_div(rows, strata_ceil_div(rows, most));
  else
    strata_register_tile_choose(&tiling, way.tile);
  add_way(p, candidates, way, rows, rows, price);
}

strata_status_t strata_cpu_product_variants(const strata_scheduling_t *s, strata_size_t rows,
                                            const strata_tiling_t *tiling, const strata_schedule_t *schedule,
                                            bool is_packed) {
  if (!strata_size_varies(rows))
    return NULL;
  products_t products = {.tiling = *tiling, .n_followers = s->kernel->n_nests - 1};
  strata_variant_candidates_t candidates = {.cost = cost_of, .user = &products};
  int64_t likely[STRATA_LIKELY_VALUES], width = is_packed ? schedule->tile[1] : 0;
  int n_likely = strata_likely_values(s, rows, likely);
  products.ways[products.count++] = (way_t){.tile = {schedule->tile[0], schedule->tile[1]}};
  add_few(&products, &candidates, width);
  for (int i = 0; i < n_likely; i++)
    add_likely(&products, &candidates, likely[i], schedule->tile[0], width);
  candidates.count = products.count;
  strata_variant_choice_t choices[STRATA_MAX_VARIANTS];
  int count = strata_variants_choose(s, rows, &candidates, choices);
  for (int i = 0; i < count; i++) {
    strata_schedule_t own = *schedule;
    memcpy(own.tile, products.ways[choices[i].candidate].tile, sizeof products.ways[0].tile);
    STRATA_TRY(strata_variant_create_for(s, rows, &choices[i], &own));
  }
  return NULL;
}
