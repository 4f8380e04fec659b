// A file in memory, read only, without reading it.
#ifndef STRATA_DIALECTS_IMPORT_MAPPED_FILE_H
#define STRATA_DIALECTS_IMPORT_MAPPED_FILE_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *data; // NULL for an empty file
  size_t size;
} strata_mapped_file_t;

// Maps the regular file |path| until |arena| is destroyed. Errors: NOT_FOUND, IO; they name the file.
STRATA_MUST_CHECK strata_status_t strata_map_file(strata_arena_t *arena, const char *path,
                                                  strata_mapped_file_t *out_file);

#endif
