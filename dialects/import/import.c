// The formats by suffix: formats.def expanded.
#include "dialects/import/import.h"

#include "dialects/strata/symbols.h"

#include <string.h>

static strata_status_t import_mlir(strata_compile_t *compile, const char *path,
                                   const strata_import_options_t *options) {
  strata_mapped_file_t file;
  STRATA_TRY(strata_map_file(compile->arena, path, &file));
  if (strata_is_stablehlo(&file))
    return strata_import_stablehlo(compile, path, options);
  if (options->n_constants || options->weights_as_inputs)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "%s: --bind-constant and --weights=argument need an ONNX model or an IR of OpenVINO", path);
  STRATA_TRY(strata_import_mlir(compile, path));
  strata_symbol_value_t *values = strata_arena_array(compile->arena, strata_symbol_value_t, options->n_dims);
  for (size_t i = 0; i < options->n_dims; i++) {
    if (options->dims[i].is_range)
      return strata_error(STRATA_INVALID_ARGUMENT, "%s: --dim %s: ranges need an ONNX model or an IR of OpenVINO", path,
                          options->dims[i].name);
    values[i] = (strata_symbol_value_t){options->dims[i].name, options->dims[i].min};
  }
  return strata_status_context(strata_symbols_bind(compile, options->n_dims, values), "%s", path);
}

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
