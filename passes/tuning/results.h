// Files of tuning (tuning.proto): reading what may be anything, and writing it whole.
#ifndef STRATA_PASSES_TUNING_RESULTS_H
#define STRATA_PASSES_TUNING_RESULTS_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stdbool.h>
#include <tuning.pb-c.h>

typedef Strata__TuningResult strata_tuning_result_t;
typedef STRATA_VECTOR(strata_tuning_result_t *) strata_tuning_results_t;

#define STRATA_TUNING_MANIFEST "manifest.txtpb"

enum { STRATA_TUNING_POINTS = 8 }; // sizes that one kernel is timed at, at most

// Whether a file of that name is text.
bool strata_tuning_is_text(const char *path);

// What results depend on besides kernel and device, as their key has it: bump the numbers in results.c when candidates
// of a kind are generated otherwise, or their code is.
const char *strata_tuning_compiler(bool on_cpu);

// Compares keys.
int strata_tuning_compare(const strata_tuning_result_t *a, const strata_tuning_result_t *b);
// The result with the key of |key|; NULL if there is none. |results| are in order.
const strata_tuning_result_t *strata_tuning_find(const strata_tuning_results_t *results,
                                                 const strata_tuning_result_t *key);
// Puts |result| where it belongs, in the place of one with its key.
void strata_tuning_insert(strata_arena_t *arena, strata_tuning_results_t *results, strata_tuning_result_t *result);

// Reads a file; its results are in order. NOT_FOUND, IO, and PARSE of what is no such file, with its path.
STRATA_MUST_CHECK strata_status_t strata_tuning_read(strata_arena_t *arena, const char *path,
                                                     strata_tuning_results_t *out_results);
// The file appears as a whole, or stays as it was. IO.
STRATA_MUST_CHECK strata_status_t strata_tuning_write(strata_arena_t *arena, const char *path,
                                                      const strata_tuning_results_t *results);
// One result in binary form at |data|; false if it is none.
bool strata_tuning_unpack(strata_arena_t *arena, const void *data, size_t size, strata_tuning_result_t **out_result);
// The other way.
void *strata_tuning_pack(strata_arena_t *arena, strata_tuning_result_t *result, size_t *out_size);

STRATA_MUST_CHECK strata_status_t strata_tuning_read_manifest(strata_arena_t *arena, const char *path,
                                                              Strata__TuningManifest **out_manifest);
STRATA_MUST_CHECK strata_status_t strata_tuning_write_manifest(const char *path, Strata__TuningManifest *manifest);

#endif
