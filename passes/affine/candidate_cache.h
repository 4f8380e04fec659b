// What has been found for the problems of a compile: passes that weigh kernels up ask about equal products again and
// again. A problem that was read carries its compile's cache; one without is not remembered, nor are products of one
// launch, which are seldom equal. Used by one thread.
#ifndef STRATA_PASSES_AFFINE_CANDIDATE_CACHE_H
#define STRATA_PASSES_AFFINE_CANDIDATE_CACHE_H

#include "passes/affine/candidates.h"

// The compile's, made if need be; lives as long as the compile.
struct strata_candidate_cache *strata_candidate_cache_of(strata_compile_t *compile);

// The |n| best candidates, of which there may be fewer, as they were found: their number; negative: nobody has asked
// for as many.
int strata_candidate_cache_find(const strata_work_t *work, const strata_ways_t *ways, int n, strata_candidate_t *out);
// Remembers |count| candidates as the |n| best.
void strata_candidate_cache_add(const strata_work_t *work, const strata_ways_t *ways, int n, int count,
                                const strata_candidate_t *candidates);
// Remembers all that |other| does.
void strata_candidate_cache_join(struct strata_candidate_cache *cache, const struct strata_candidate_cache *other);

#endif
