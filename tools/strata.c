// strata INPUT [options]: compiles a model to a C library, or compiles and runs it once.
#include "tools/compile.h"
#include "tools/errors.h"
#include "tools/program.h"

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

int main(int argc, char **argv) { strata_program_main(run, argc, argv); }
