// strata INPUT [options]: compiles a model to a C library, or compiles and runs it once.
#include "tools/compile.h"
#include "tools/errors.h"
#include "tools/limits.h"
#include "tools/output.h"

extern char **environ;

static strata_status_t run(strata_arena_t *arena, int argc, char **argv) {
  strata_options_t options;
  strata_status_t status =
      strata_options_parse(arena, argc, (const char *const *)argv, (const char *const *)environ, &options);
  strata_print_warnings(options.warnings);
  STRATA_TRY(status);
  if (options.help)
    strata_options_print_help(stdout);
  else if (options.version)
    return strata_options_print_version(stdout);
  else
    return strata_run_command(arena, &options);
  return NULL;
}

int main(int argc, char **argv) {
  strata_output_begin();
  strata_arena_t *arena = strata_arena_create();
  strata_status_t status = strata_name_limit(strata_output_end(run(arena, argc, argv)));
  strata_print_error(status, NULL);
  int result = status ? 1 : 0;
  strata_status_free(status);
  strata_arena_destroy(arena);
  return result;
}
