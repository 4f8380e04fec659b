// Which launches of a list go beside one another on several streams: parts of streams.c.
//
// The list is cut into regions. What depends on one another within a region is a chain: it goes on one stream, in the
// order of the list. Side streams are forked from the call's where a region begins and joined where it ends. A region
// takes as long as its longest stream, or as its launches would if each had just the part of the card that it keeps
// busy, and its launches and events, which come one after the other; of all cuts the one that takes the least time is
// chosen, of regions that save enough.
#ifndef STRATA_PASSES_AFFINE_STREAMS_PLAN_H
#define STRATA_PASSES_AFFINE_STREAMS_PLAN_H

#include "runtime/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { STRATA_STREAMS_MAX_REGION = 64 }; // launches

typedef struct {
  double seconds;  // behind what is a launch's
  double share;    // of the card, that it keeps busy meanwhile: 1: nothing gains by going beside it
  uint64_t before; // bit i: the launch depends on the one i + 1 before it
  bool is_alone;   // it is in no region
} strata_stream_launch_t;

typedef struct {
  int n_side; // streams besides the call's
  int most;   // launches of a region, at most STRATA_STREAMS_MAX_REGION
  double launch_seconds;
  double fork_seconds, side_seconds; // of a region, and for each side stream of it
  double margin;                     // of the time that its launches take one behind the other, at most
} strata_stream_limits_t;

typedef struct {
  int64_t region; // -1: none
  int stream;     // 0: the call's
} strata_stream_place_t;

typedef struct {
  double seconds, before; // of all launches, and one behind the other
  int64_t n_regions;
  strata_stream_place_t *places;
} strata_stream_plan_t;

strata_stream_plan_t strata_plan_streams(strata_arena_t *arena, const strata_stream_launch_t *launches, int64_t n,
                                         const strata_stream_limits_t *limits);

#endif
