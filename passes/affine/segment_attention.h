// Attention within sequences: what its schedule (schedule_segment_attention.c) says before there is a kernel.
#ifndef STRATA_PASSES_AFFINE_SEGMENT_ATTENTION_H
#define STRATA_PASSES_AFFINE_SEGMENT_ATTENTION_H

#include "devices/gpu/device.h"
#include "dialects/affine/symbols.h"

// Keys that a sequence is taken to have.
double strata_segment_likely_length(const strata_size_symbols_t *symbols, strata_size_t keys, strata_size_t sequences);

// How many rows the tiles of its table are to have on a device whose instruction reads shared memory: heads of |steps|
// elements, values of |values|, of sequences of about |length| keys.
int64_t strata_segment_attention_rows(const strata_gpu_device_t *device, int64_t steps, int64_t values, bool is_causal,
                                      double length);

#endif
