// What differs between the cards of an architecture: figures of cards.def and costs.def.
#ifndef STRATA_DEVICES_GPU_CARDS_H
#define STRATA_DEVICES_GPU_CARDS_H

#include "devices/gpu/device.h"

// Those of the H200, which all were measured on.
extern const strata_gpu_costs_t strata_gpu_measured_costs;

// The row of devices.def of that name; NULL if there is none.
const strata_gpu_device_t *strata_gpu_device_row(const char *name);

// |row| with the figures of its card that is called |name|, as devices/names.h takes names; where none is, |row| with
// the costs of its first card, and without a card's name; NULL: cards.def has none of it. The object is static.
const strata_gpu_device_t *strata_gpu_card(const strata_gpu_device_t *row, const char *name);

// What a card's costs of each kind (scale of costs.def) are times the H200's.
typedef enum {
  STRATA_COST_SAME,
  STRATA_COST_TIME,
  STRATA_COST_CLOCK,
  STRATA_COST_PRODUCTS,
  STRATA_COST_PRODUCTS_OF_ALL,
  STRATA_COST_CACHE,
  STRATA_COST_CACHE_OF_ALL,
  STRATA_COST_MEMORY,
  STRATA_COST_IN_FLIGHT,
  STRATA_COST_BANDWIDTH,
  STRATA_N_COST_SCALES
} strata_cost_scale_t;

#endif
