// What depends on what in the preparation: the launches that compute constants from constants.
//
// |at|: where each constant lies; NULL: it is not here. |is_stale|: for each launch, whether it has to run (again).
#ifndef STRATA_RUNTIME_PREPARATION_H
#define STRATA_RUNTIME_PREPARATION_H

#include "runtime/library/tables.h"

#include <stdbool.h>

// Marks the launches that depend on a marked constant, and what they compute. Launches that share a prepared constant
// run together: it may have several writers, and intermediate ones are not kept.
void strata_rt_mark_dependents(const strata_rt_list_t *prepare, bool *is_stale, bool *marked);

// Marks the launches that compute the marked constants, and the prepared constants these launches read or write.
void strata_rt_mark_sources(const strata_rt_list_t *prepare, bool *is_stale, bool *marked);

// A constant that a stale launch reads and the library does not have; -1: none.
int64_t strata_rt_missing_source(const strata_rt_list_t *prepare, const bool *is_stale, void *const *at);

// The error that public constant |missing| must be set first. |public_constants|: the constant behind each of
// library->constants.
int strata_rt_fail_missing(const strata_library_t *library, const uint32_t *public_constants, int64_t missing);

#endif
