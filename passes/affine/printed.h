// Functions as text, by which equal ones are found.
#ifndef STRATA_PASSES_AFFINE_PRINTED_H
#define STRATA_PASSES_AFFINE_PRINTED_H

#include "runtime/base/arena.h"

#include <mlir-c/IR.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const char *text; // of the arena, |length| bytes
  size_t length;
  uint64_t hash;
} strata_printed_t;

// |func| as it prints, with attributes and types written out; |behind_name|: from its arguments on.
strata_printed_t strata_print_func(strata_arena_t *arena, MlirOperation func, bool behind_name);
bool strata_printed_equal(const strata_printed_t *a, const strata_printed_t *b);

#endif
