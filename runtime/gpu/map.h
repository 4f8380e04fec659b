// Tensor maps in the tables: how the copy engine sees a buffer of a launch (docs/gpu.md, tensor maps).
#ifndef STRATA_RUNTIME_GPU_MAP_H
#define STRATA_RUNTIME_GPU_MAP_H

#include <stdint.h>

enum { STRATA_RT_MAX_MAPS = 28, STRATA_RT_MAX_MAP_RANK = 5 }; // maps of a kernel

typedef enum { // CUtensorMapDataType's numbers
  STRATA_RT_MAP_U8 = 0,
  STRATA_RT_MAP_U16 = 1,
  STRATA_RT_MAP_I32 = 3,
  STRATA_RT_MAP_I64 = 5,
  STRATA_RT_MAP_F16 = 6,
  STRATA_RT_MAP_F32 = 7,
  STRATA_RT_MAP_F64 = 8,
  STRATA_RT_MAP_BF16 = 9,
  STRATA_RT_MAP_TF32 = 11, // f32 that copies round
} strata_rt_map_type_t;

enum { STRATA_RT_MAX_WINDOW_RANK = STRATA_RT_MAX_MAP_RANK - 2 };

// Dims are innermost first. A map with a window (docs/gpu.md) has channels innermost, images outermost, and |box|
// channels and pixels first.
typedef struct {
  uint32_t buffer; // number of the launch's argument
  uint32_t type;   // strata_rt_map_type_t
  uint32_t rank;
  uint32_t swizzle;                            // bytes; 0: none
  int64_t sizes[STRATA_RT_MAX_MAP_RANK];       // elements; numbers (tables.h)
  int64_t strides[STRATA_RT_MAX_MAP_RANK - 1]; // bytes, of all dims but the innermost; numbers
  uint32_t box[STRATA_RT_MAX_MAP_RANK];        // elements that a copy spans
  uint32_t steps[STRATA_RT_MAX_MAP_RANK];      // from one element taken to the next
  uint32_t reads_ahead; // what the next copies ask for lies behind this one's: 256 bytes come into the L2 cache at once
  uint32_t clipped;     // a dim along which the box is what is left of the buffer behind whole ones; 0: none
  uint32_t whole;       // of such a map: the number of that of whole boxes, an earlier one; its own: there are none
  uint32_t has_window;
  int32_t lower[STRATA_RT_MAX_WINDOW_RANK], upper[STRATA_RT_MAX_WINDOW_RANK]; // corners of where windows begin
} strata_rt_map_t;

#endif
