// The zip archive of a .pt2 file: its entries as bytes.
#ifndef STRATA_DIALECTS_IMPORT_PT2_ARCHIVE_H
#define STRATA_DIALECTS_IMPORT_PT2_ARCHIVE_H

#include "dialects/import/mapped_file.h"

#include <stdbool.h>

typedef struct pt2_archive pt2_archive_t;

// Maps |path|, and reads the directory of the archive; it is closed with |arena|. Errors: NOT_FOUND, IO, PARSE.
STRATA_MUST_CHECK strata_status_t pt2_archive_open(strata_arena_t *arena, const char *path,
                                                   pt2_archive_t **out_archive);

// Whether there is an entry |name|, which counts from the one folder that everything is in.
bool pt2_archive_has(const pt2_archive_t *archive, const char *name);

// The first entry that starts with |start| and ends with |end|, what is between; NULL: there is none.
const char *pt2_archive_match(const pt2_archive_t *archive, const char *start, const char *end);

// The bytes of an entry: where they lie in the mapped file if they are stored, in the arena if they are compressed.
// Errors: PARSE, of an entry that is missing, outside the file or cannot be unpacked.
STRATA_MUST_CHECK strata_status_t pt2_archive_read(pt2_archive_t *archive, const char *name,
                                                   strata_mapped_file_t *out_bytes);

#endif
