// See candidate_cache.h.
#include "passes/affine/candidate_cache.h"

#include "passes/affine/problem.h"
#include "runtime/base/hash.h"

#include <string.h>

enum { N_BUCKETS = 256 };

typedef struct entry {
  const strata_gpu_device_t *device;
  const strata_ways_t *ways;
  bool wants_all;
  strata_reach_t reach;
  int n, count; // asked for, found
  strata_problem_t problem;
  const strata_candidate_t *candidates;
  struct entry *next;
} entry_t;

struct strata_candidate_cache {
  strata_arena_t *arena;
  entry_t *buckets[N_BUCKETS];
};

struct strata_candidate_cache *strata_candidate_cache_of(strata_compile_t *compile) {
  if (!compile->candidates) {
    compile->candidates = strata_arena_new(compile->arena, struct strata_candidate_cache);
    compile->candidates->arena = compile->arena;
  }
  return compile->candidates;
}

// Where the entry for |problem| would be.
static entry_t **bucket_of_problem(const strata_problem_t *problem) {
  uint64_t hash = strata_hash_add(STRATA_HASH_EMPTY, (const char *)problem, sizeof *problem);
  return &problem->cache->buckets[(hash ^ hash >> 32) % N_BUCKETS];
}

// The same of |work|; NULL: it is not remembered.
static entry_t **bucket_of(const strata_work_t *work) {
  const strata_problem_t *problem = work->attention ? NULL : work->product;
  return problem && problem->cache && !problem->next ? bucket_of_problem(problem) : NULL;
}

// Problems are compared byte by byte: what lies between their fields may tell equal ones apart, never take others for
// equal.
static bool is_for(const entry_t *entry, const strata_work_t *work, const strata_ways_t *ways, int n) {
  return entry->device == work->device && entry->ways == ways && entry->wants_all == work->wants_all &&
         entry->reach == work->reach && entry->n >= n &&
         memcmp(&entry->problem, work->product, sizeof entry->problem) == 0;
}

int strata_candidate_cache_find(const strata_work_t *work, const strata_ways_t *ways, int n, strata_candidate_t *out) {
  entry_t **bucket = bucket_of(work);
  for (const entry_t *entry = bucket ? *bucket : NULL; entry; entry = entry->next)
    if (is_for(entry, work, ways, n)) {
      int count = entry->count < n ? entry->count : n;
      memcpy(out, entry->candidates, (size_t)count * sizeof *out);
      return count;
    }
  return -1;
}

void strata_candidate_cache_add(const strata_work_t *work, const strata_ways_t *ways, int n, int count,
                                const strata_candidate_t *candidates) {
  entry_t **bucket = bucket_of(work);
  if (!bucket)
    return;
  strata_arena_t *arena = work->product->cache->arena;
  entry_t *entry = strata_arena_new(arena, entry_t);
  *entry = (entry_t){.device = work->device,
                     .ways = ways,
                     .wants_all = work->wants_all,
                     .reach = work->reach,
                     .n = n,
                     .count = count,
                     .candidates = strata_arena_copy(arena, candidates, (size_t)count * sizeof *candidates),
                     .next = *bucket};
  memcpy(&entry->problem, work->product, sizeof entry->problem);
  *bucket = entry;
}

void strata_candidate_cache_join(struct strata_candidate_cache *cache, const struct strata_candidate_cache *other) {
  for (int i = 0; i < N_BUCKETS; i++)
    for (const entry_t *entry = other->buckets[i]; entry; entry = entry->next) {
      entry_t *copy = strata_arena_copy(cache->arena, entry, sizeof *entry);
      copy->problem.cache = cache;
      entry_t **bucket = bucket_of_problem(&copy->problem);
      copy->next = *bucket;
      *bucket = copy;
    }
}
