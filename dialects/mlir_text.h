// MLIR's objects as text in an arena.
#ifndef STRATA_DIALECTS_MLIR_TEXT_H
#define STRATA_DIALECTS_MLIR_TEXT_H

#include "runtime/base/arena.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/IR.h>
#include <stdbool.h>

// What MLIR's printers append to, by strata_text_append; begins as {arena, ""}.
typedef struct {
  strata_arena_t *arena;
  const char *text;
} strata_text_t;
void strata_text_append(MlirStringRef piece, void *text);
// The same into a FILE.
void strata_text_write(MlirStringRef piece, void *file);
// Nowhere.
void strata_text_ignore(MlirStringRef piece, void *user);

const char *strata_type_text(strata_arena_t *arena, MlirType type);
const char *strata_attr_text(strata_arena_t *arena, MlirAttribute attr);
const char *strata_map_text(strata_arena_t *arena, MlirAffineMap map);

// True if |op| has a flag of fast math, "contract" or "afn" say, which the C API has no getter for.
bool strata_is_fast(strata_arena_t *arena, MlirOperation op, const char *flag);

#endif
