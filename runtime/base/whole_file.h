// Writing a file that others see when it is complete and not before: what was there stays until then, and stays if the
// disk is full or the process is killed. Not for what is no regular file (a pipe, /dev/stdout), which is written to
// as it is; nor where the file system cannot make files without a name: there a failure removes the file.
#ifndef STRATA_BASE_WHOLE_FILE_H
#define STRATA_BASE_WHOLE_FILE_H

#include "runtime/base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct {
  FILE *file; // to write to; errors may be left for close
  const char *path;
  bool has_no_name; // yet
  bool is_new;      // there was nothing at the path
} strata_whole_file_t;

// |path| must stay as it is until the close. IO.
STRATA_MUST_CHECK strata_status_t strata_whole_file_open(const char *path, strata_whole_file_t *out_file);
// Closes it and puts it in its place; after an error it is gone. IO.
STRATA_MUST_CHECK strata_status_t strata_whole_file_close(strata_whole_file_t *file);

#endif
