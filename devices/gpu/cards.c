// See cards.h. Costs of cards that nobody measured are the H200's, scaled by what the cards' data sheets have.
#include "devices/gpu/cards.h"

#include "devices/names.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <threads.h>

enum { MIB = 1 << 20 };

//===-- What was measured ----------------------------------------------------------------------------------------===//

static const strata_pipelined_shape_t pipelined_tiles[] = {
#define PIPELINED_TILE(teams, groups, rows, columns, rate, source) {teams, groups, rows, columns, rate, 1},
#define PIPELINED_DEEP_TILE(depth, rows, columns, rate, source) {1, 1, rows, columns, rate, depth},
#include "devices/gpu/tiles.def"
};

static const strata_pipelined_shape_t pipelined_fma_tiles[] = {
#define PIPELINED_FMA_TILE(teams, groups, rows, columns, rate, source) {teams, groups, rows, columns, rate, 1},
#include "devices/gpu/tiles.def"
};

static const strata_tiled_shape_t mma_tiles[] = {
#define MMA_TILE(rows, columns, row_warps, column_warps, rate, source) {rows, columns, {row_warps, column_warps}, rate},
#include "devices/gpu/tiles.def"
// Those of rows alone are behind the others.
#define MMA_ROW_TILE(rows, columns, row_warps, column_warps, rate, source)                                             \
  {rows, columns, {row_warps, column_warps}, rate},
#include "devices/gpu/tiles.def"
};

enum {
  N_MMA_ROW_TILES = 0
#define MMA_ROW_TILE(...) +1
#include "devices/gpu/tiles.def"
};

static const strata_tiled_shape_t fma_tiles[] = {
#define FMA_TILE(rows, columns, row_warps, column_warps, rate, source) {rows, columns, {row_warps, column_warps}, rate},
#include "devices/gpu/tiles.def"
};

#define BELOW(of, value)                                                                                               \
  { STRATA_FACT_##of, STRATA_IS_BELOW, value }
#define UP_TO(of, value)                                                                                               \
  { STRATA_FACT_##of, STRATA_IS_UP_TO, value }
#define FROM(of, value)                                                                                                \
  { STRATA_FACT_##of, STRATA_IS_FROM, value }
#define ABOVE(of, value)                                                                                               \
  { STRATA_FACT_##of, STRATA_IS_ABOVE, value }

static const strata_correction_t corrections[] = {
#define CORRECTION(row, kind, factor, source, ...)                                                                     \
  {.name = row,                                                                                                        \
   .corrects = STRATA_CORRECTS_##kind,                                                                                 \
   .n = sizeof((strata_limit_t[]){__VA_ARGS__}) / sizeof(strata_limit_t),                                              \
   .limits = {__VA_ARGS__}},
#include "devices/gpu/corrections.def"
};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static_assert(COUNT(corrections) <= STRATA_MAX_CORRECTIONS, "more room for factors is needed");

const strata_gpu_costs_t strata_gpu_measured_costs = {
#define COST(member, scale, value, source) .member = (value),
#include "devices/gpu/costs.def"
    .tiles = {.pipelined = pipelined_tiles,
              .pipelined_fma = pipelined_fma_tiles,
              .mma = mma_tiles,
              .fma = fma_tiles,
              .n_pipelined = COUNT(pipelined_tiles),
              .n_pipelined_fma = COUNT(pipelined_fma_tiles),
              .n_mma = COUNT(mma_tiles) - N_MMA_ROW_TILES,
              .n_mma_rows = COUNT(mma_tiles),
              .n_fma = COUNT(fma_tiles)},
    .corrections = {.rows = corrections,
                    .n = COUNT(corrections),
                    .factors =
                        {
#define CORRECTION(row, kind, factor, source, ...) (factor),
#include "devices/gpu/corrections.def"
                        }},
};

//===-- The table ------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name, *sold_as, *device, *source;
  int processors;
  double l2, bandwidth, products, clock, cache; // in the units of cards.def
} card_t;

static const card_t cards[] = {
#define CARD(card, names, row, n_processors, mebibytes, gigabytes, teraflops, megahertz, cached, from)                 \
  {.name = card,                                                                                                       \
   .sold_as = names,                                                                                                   \
   .device = row,                                                                                                      \
   .source = from,                                                                                                     \
   .processors = n_processors,                                                                                         \
   .l2 = mebibytes,                                                                                                    \
   .bandwidth = gigabytes,                                                                                             \
   .products = teraflops,                                                                                              \
   .clock = megahertz,                                                                                                 \
   .cache = cached},
#include "devices/gpu/cards.def"
};

enum { N_CARDS = sizeof cards / sizeof cards[0], MEASURED = 0 };

static strata_gpu_device_t devices[N_CARDS];
static strata_gpu_device_t unnamed[N_CARDS]; // rows of devices.def, with the costs of the card
static strata_gpu_costs_t costs[N_CARDS];

//===-- Costs ----------------------------------------------------------------------------------------------------===//

typedef struct {
  double processors, clock, bandwidth, products, cache;
} figures_t;

static figures_t figures_of(const card_t *card, const strata_gpu_device_t *device) {
  return (figures_t){(double)device->n_processors, card->clock, (double)device->bandwidth, (double)device->products,
                     card->cache};
}

// |to| over |from|, by scale.
static void find_factors(const figures_t *from, const figures_t *to, double *out_factors) {
  double processors = to->processors / from->processors, clock = to->clock / from->clock,
         products = to->products / from->products, cache = to->cache / from->cache,
         bandwidth = to->bandwidth / from->bandwidth;
  const double factors[STRATA_N_COST_SCALES] = {
      [STRATA_COST_SAME] = 1,
      [STRATA_COST_TIME] = clock,
      [STRATA_COST_CLOCK] = clock,
      [STRATA_COST_PRODUCTS] = products / (processors * clock),
      [STRATA_COST_PRODUCTS_OF_ALL] = products,
      [STRATA_COST_CACHE] = cache / processors,
      [STRATA_COST_CACHE_OF_ALL] = cache,
      [STRATA_COST_MEMORY] = bandwidth / (processors * clock),
      [STRATA_COST_IN_FLIGHT] = bandwidth / processors,
      [STRATA_COST_BANDWIDTH] = bandwidth,
  };
  memcpy(out_factors, factors, sizeof factors);
}

static void set_corrections(const char *card, strata_corrections_t *out) {
  static const struct {
    const char *card, *row;
    double factor;
  } own[] = {
#define CARD_CORRECTION(name, of, factor, source) {name, of, factor},
#include "devices/gpu/cards.def"
      {NULL, NULL, 0},
  };
  for (int i = 0; own[i].card; i++)
    for (int row = 0; row < out->n && !strcmp(own[i].card, card); row++)
      if (!strcmp(out->rows[row].name, own[i].row))
        out->factors[row] = own[i].factor;
}

static void set_costs(const char *card, const double *factors, strata_gpu_costs_t *out) {
  *out = strata_gpu_measured_costs;
#define COST(member, scale, value, source) out->member = (value)*factors[STRATA_COST_##scale];
#include "devices/gpu/costs.def"
#define CARD_COST(name, member, value, source)                                                                         \
  if (strcmp(card, name) == 0)                                                                                         \
    out->member = (value);
#include "devices/gpu/cards.def"
  set_corrections(card, &out->corrections);
}

//===-- Cards ----------------------------------------------------------------------------------------------------===//

static void set_device(const card_t *card, const strata_gpu_device_t *row, strata_gpu_device_t *out) {
  *out = *row;
  out->card = card->name;
  out->figures_from = card->source;
  out->n_processors = card->processors;
  out->l2_bytes = card->l2 > 0 ? (int64_t)card->l2 * MIB : row->l2_bytes;
  out->bandwidth = card->bandwidth > 0 ? (int64_t)card->bandwidth * INT64_C(1000000000) : row->bandwidth;
  out->products = card->products > 0 ? (int64_t)card->products * INT64_C(1000000000000) : row->products;
}

static void make_cards(void) {
  double factors[STRATA_N_COST_SCALES];
  figures_t measured = {0};
  for (size_t i = 0; i < N_CARDS; i++) {
    const strata_gpu_device_t *row = strata_gpu_device_row(cards[i].device);
    if (!row)
      continue;
    set_device(&cards[i], row, &devices[i]);
    figures_t figures = figures_of(&cards[i], &devices[i]);
    measured = i == MEASURED ? figures : measured;
    find_factors(&measured, &figures, factors);
    set_costs(cards[i].name, factors, &costs[i]);
    devices[i].costs = &costs[i];
    unnamed[i] = *row;
    unnamed[i].costs = &costs[i];
  }
}

const strata_gpu_device_t *strata_gpu_card(const strata_gpu_device_t *row, const char *name) {
  static once_flag once = ONCE_FLAG_INIT;
  const strata_gpu_device_t *found = NULL;
  size_t best = 0;
  call_once(&once, make_cards);
  for (size_t i = 0; i < N_CARDS; i++) {
    if (strcmp(cards[i].device, row->name) != 0)
      continue;
    found = found ? found : &unnamed[i];
    size_t match = strata_device_match(name, "", cards[i].sold_as);
    if (match > best) {
      found = &devices[i];
      best = match;
    }
  }
  return found;
}
