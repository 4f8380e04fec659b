// libFuzzer on a reader of models: from the bytes of a file to a verified module of the strata dialect.
#ifndef STRATA_TEST_FUZZ_READER_FUZZ_H
#define STRATA_TEST_FUZZ_READER_FUZZ_H

#define _GNU_SOURCE // memfd_create
#include "dialects/import/import.h"
#include "dialects/strata/strata.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef strata_status_t fuzzed_reader_t(strata_compile_t *, const char *path, const strata_import_options_t *);

static strata_status_t import(strata_compile_t *compile, const char *path, fuzzed_reader_t *reader) {
  static const strata_compile_options_t options = {.jobs = 1};
  STRATA_TRY(strata_compile_init(compile, &options));
  STRATA_TRY(reader(compile, path, &(strata_import_options_t){0}));
  STRATA_TRY(strata_compile_verify(compile));
  return strata_verify(compile);
}

static int fuzz_reader(const uint8_t *data, size_t size, fuzzed_reader_t *reader) {
  char path[64];
  int file = memfd_create("model", 0);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  strata_compile_t compile = {0};
  strata_status_t status = import(&compile, path, reader);
  if (strata_status_code(status) == STRATA_INTERNAL) {
    fprintf(stderr, "%s\n", strata_status_message(status));
    abort(); // what the reader makes must verify
  }
  strata_status_free(status);
  strata_compile_deinit(&compile);
  close(file);
  return 0;
}

#endif
