// A folder of results, one file each, shared by any number of processes, on machines that share it by NFS too: a file
// appears by a rename and never changes. What cannot be read is not there.
#ifndef STRATA_PASSES_TUNING_CACHE_H
#define STRATA_PASSES_TUNING_CACHE_H

#include "passes/tuning/results.h"

// What the folder may take; the oldest files go first.
#define STRATA_TUNING_CACHE_BYTES ((size_t)64 << 20)

// The result with the key of |key|; NULL if there is none. |out_why| (optional) says of an entry that is no result what
// it is, else NULL.
strata_tuning_result_t *strata_tuning_cache_find(strata_arena_t *arena, const char *folder,
                                                 const strata_tuning_result_t *key, const char **out_why);
// Makes the folder if need be; |most|: bytes of all entries. IO.
STRATA_MUST_CHECK strata_status_t strata_tuning_cache_add(strata_arena_t *arena, const char *folder,
                                                          strata_tuning_result_t *result, size_t most);

#endif
