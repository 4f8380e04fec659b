// libFuzzer on the reader of OpenVINO's IR: from the bytes of an .xml to a verified module of the strata dialect. There is
// no file of weights: constants are what fuzz/openvino_test.py changes.
#define _GNU_SOURCE // memfd_create
#include "dialects/import/import.h"
#include "dialects/strata/strata.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static strata_status_t import(strata_compile_t *compile, const char *path) {
  static const strata_compile_options_t options = {.jobs = 1};
  STRATA_TRY(strata_compile_init(compile, &options));
  STRATA_TRY(strata_import_openvino(compile, path, &(strata_import_options_t){0}));
  STRATA_TRY(strata_compile_verify(compile));
  return strata_verify(compile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[64];
  int file = memfd_create("model", 0);
  if (file < 0 || write(file, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  strata_compile_t compile = {0};
  strata_status_t status = import(&compile, path);
  if (strata_status_code(status) == STRATA_INTERNAL) {
    fprintf(stderr, "%s\n", strata_status_message(status));
    abort(); // what the reader makes must verify
  }
  strata_status_free(status);
  strata_compile_deinit(&compile);
  close(file);
  return 0;
}
