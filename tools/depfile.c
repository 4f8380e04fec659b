// Rules as gcc -MD writes them, of the one file that every library has: Ninja takes no output that it does not know.
// Every file is a target without prerequisites as well, so that one that is gone is no error to make.
#include "tools/depfile.h"

#include "targets/library/emit.h"

#include <string.h>

typedef STRATA_VECTOR(const char *) files_t;

// As make and Ninja read names.
static void print_path(const char *path, FILE *file) {
  for (; *path; path++) {
    if (*path == '$')
      putc('$', file);
    else if (strchr(" #\\", *path))
      putc('\\', file);
    putc(*path, file);
  }
}

static files_t gather_files(const strata_compile_t *compile, const strata_options_t *options) {
  files_t files = {0};
  *strata_vector_push(compile->arena, &files) = options->input_path;
  for (size_t i = 0; i < compile->data_files.count; i++)
    *strata_vector_push(compile->arena, &files) = compile->data_files.data[i];
  for (size_t i = 0; i < options->bind_constant.count; i++)
    *strata_vector_push(compile->arena, &files) = strchr(options->bind_constant.items[i], '=') + 1;
  if (options->schedule)
    *strata_vector_push(compile->arena, &files) = options->schedule;
  if (options->load_autotune)
    *strata_vector_push(compile->arena, &files) = options->load_autotune;
  return files;
}

strata_status_t strata_write_depfile(const strata_compile_t *compile, const strata_options_t *options,
                                     const char *folder, const char *staging) {
  FILE *file;
  files_t files = gather_files(compile, options);
  const char *path = strata_arena_printf(compile->arena, "%s/%s.d", staging, options->aot_name);
  STRATA_TRY(strata_file_open(path, "w", &file));
  const char *suffix = options->shared_only ? "so" : "a";
  print_path(strata_arena_printf(compile->arena, "%s/lib%s.%s", folder, options->aot_name, suffix), file);
  for (size_t i = 0; i < files.count; i++) {
    fputs(i ? " \\\n  " : ": \\\n  ", file);
    print_path(files.data[i], file);
  }
  putc('\n', file);
  for (size_t i = 0; i < files.count; i++) {
    print_path(files.data[i], file);
    fputs(":\n", file);
  }
  return strata_file_close(file, path);
}
