// What people call a device: the name of its row, or that of a product with any words around it, as a driver or a shop
// spells it: "sm_90a", "h100", "NVIDIA H100 80GB HBM3", "rtx-4090", "RTX4090".
#ifndef STRATA_DEVICES_NAMES_H
#define STRATA_DEVICES_NAMES_H

#include "runtime/base/nearest.h"

#include <stddef.h>

// How well |name| fits a row called |row| with |products|, of which "|" separates several: 0 not at all, else the more
// the more letters of it are a product's; the row's own name fits best. Capitals and what stands between words do not
// count.
size_t strata_device_match(const char *name, const char *row, const char *products);

// Tries the row's name and those of its products as what was meant.
void strata_device_near(strata_nearest_t *nearest, const char *row, const char *products);

#endif
