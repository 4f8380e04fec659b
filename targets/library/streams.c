// Launches that go on several streams: their order in the lists, and where streams are forked and joined.
#include "targets/library/program.h"

#include <string.h>

unsigned strata_program_order(const strata_program_launches_t *launches, size_t i) {
  int64_t before = i ? launches->data[i - 1].region : -1, own = launches->data[i].region;
  if (own == before)
    return 0;
  return (before >= 0 ? STRATA_RT_JOIN : 0u) | (own >= 0 ? STRATA_RT_FORK : 0u);
}

bool strata_program_has_streams(const strata_program_launches_t *launches) {
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_launch_t *launch = &launches->data[i];
    if (launch->stream || (launch->loop && strata_program_has_streams(&launch->loop->body)))
      return true;
  }
  return false;
}

//===-- Order ----------------------------------------------------------------------------------------------------===//

static int64_t time_of(const strata_program_t *program, const strata_program_launch_t *launch) {
  int64_t predicted = program->kernels.data[launch->kernel].predicted;
  return predicted > 0 ? predicted : 1;
}

// Of the launches that are left of each stream, the place of the one whose stream has the least to do so far.
static size_t find_next(const strata_program_launch_t *launches, const bool *is_taken, size_t n, const int64_t *ends) {
  size_t best = n;
  bool is_seen[STRATA_MAX_STREAMS] = {false};
  for (size_t i = 0; i < n; i++) {
    unsigned stream = launches[i].stream;
    if (is_taken[i] || is_seen[stream])
      continue;
    is_seen[stream] = true;
    best = best == n || ends[stream] < ends[launches[best].stream] ? i : best;
  }
  return best;
}

static void interleave_region(const strata_program_t *program, strata_program_launch_t *launches, size_t n) {
  strata_arena_t *arena = program->compile->arena;
  bool *is_taken = strata_arena_array(arena, bool, n);
  strata_program_launch_t *ordered = strata_arena_array(arena, strata_program_launch_t, n);
  int64_t ends[STRATA_MAX_STREAMS] = {0};
  for (size_t i = 0; i < n; i++) {
    size_t next = find_next(launches, is_taken, n, ends);
    is_taken[next] = true;
    ordered[i] = launches[next];
    ends[ordered[i].stream] += time_of(program, &ordered[i]);
  }
  memcpy(launches, ordered, n * sizeof *launches);
}

void strata_program_interleave(const strata_program_t *program, strata_program_launches_t *launches) {
  for (size_t from = 0, end; from < launches->count; from = end) {
    int64_t region = launches->data[from].region;
    for (end = from + 1; region >= 0 && end < launches->count && launches->data[end].region == region;)
      end++;
    if (end - from > 1)
      interleave_region(program, &launches->data[from], end - from);
  }
}
