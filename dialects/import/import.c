// The formats by suffix: formats.def expanded.
#include "dialects/import/import.h"

#include <string.h>

typedef struct {
  const char *suffix;
  strata_status_t (*reader)(strata_compile_t *compile, const char *path, const strata_import_options_t *options);
} format_t;

static const format_t formats[] = {
#define FORMAT(id, suffix, reader, text) {suffix, reader},
#include "dialects/import/formats.def"
};

static bool has_suffix(const char *path, const char *suffix) {
  size_t length = strlen(path), n = strlen(suffix);
  return length > n && strcmp(path + length - n, suffix) == 0;
}

strata_status_t strata_import(strata_compile_t *compile, const char *path, const strata_import_options_t *options) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (has_suffix(path, formats[i].suffix))
      return formats[i].reader(compile, path, options);
  return strata_error(STRATA_INVALID_ARGUMENT, "%s: expected a file ending in "
#define FORMAT(id, suffix, reader, text) suffix " "
#include "dialects/import/formats.def"
                      ,
                      path);
}
