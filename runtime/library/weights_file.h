// The file that holds a library's weights where they are not embedded: this header, then, from
// STRATA_WEIGHTS_DATA_OFFSET on, the bytes. That of a library for several devices has such a part for each, filled up
// to a multiple of that offset where another follows.
#ifndef STRATA_RUNTIME_WEIGHTS_FILE_H
#define STRATA_RUNTIME_WEIGHTS_FILE_H

#include <stddef.h>
#include <stdint.h>

#define STRATA_WEIGHTS_MAGIC "STRATAW1"
enum { STRATA_WEIGHTS_DATA_OFFSET = 4096 };

typedef struct {
  char magic[8];
  uint64_t size;     // of the data
  uint64_t checksum; // of the data (checksum.h)
} strata_weights_header_t;

typedef struct {
  const void *data;
  void *mapping;
  size_t mapping_size;
} strata_weights_file_t;

// Finds |name| beside this library, then in the folders (or at the file) that STRATA_WEIGHTS_PATH lists, and maps it.
// Returns a status; a file that is not these weights is an error and never used.
int strata_rt_weights_map(const char *name, uint64_t size, uint64_t checksum, strata_weights_file_t *out_file);
void strata_rt_weights_unmap(strata_weights_file_t *file);

#endif
