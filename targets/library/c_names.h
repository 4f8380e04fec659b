// Names in C: what may name a library, and identifiers for the names of a model.
#ifndef STRATA_TARGETS_LIBRARY_C_NAMES_H
#define STRATA_TARGETS_LIBRARY_C_NAMES_H

#include "runtime/base/arena.h"

#include <stdbool.h>

// Names given so far; make one with {.arena = arena}.
typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(const char *) taken; // a hash table, see c_names.c
  size_t count;
} strata_c_scope_t;

// An identifier made of |name|, like nothing else in the scope: other characters become '_', and what is taken or
// reserved gets a number.
const char *strata_c_scope_add(strata_c_scope_t *scope, const char *name);

#endif
