// See program.h.
#include "tools/program.h"

#include "tools/commands.h"
#include "tools/errors.h"
#include "tools/limits.h"
#include "tools/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int finish(strata_arena_t *arena, strata_status_t status) {
  status = strata_name_limit(strata_output_end(status));
  strata_print_error(status, NULL);
  strata_arena_destroy(arena);
  int exit_code = status ? 1 : 0;
  strata_status_free(status);
  return exit_code;
}

_Noreturn void strata_program_main(strata_main_t run, int argc, char **argv) {
  strata_output_begin();
  strata_arena_t *arena = strata_arena_create();
  int exit_code = finish(arena, run(arena, argc, argv));
  fflush(NULL);
  _exit(exit_code); // at once: exit() would call the destructors of thousands of LLVM's objects
}

static void print_help(const strata_command_t *command) {
  printf("usage: %s %s\n\n%s\n\n", command->name, command->arguments, command->text);
  strata_command_print_options(command, stdout);
}

int strata_command_main(const char *name, strata_main_t run, int argc, char **argv) {
  strata_output_begin();
  strata_arena_t *arena = strata_arena_create();
  strata_status_t status = NULL;
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    print_help(strata_find_command(name));
  else if (argc > 1 && strcmp(argv[1], "--version") == 0)
    printf("%s " STRATA_VERSION "\n", name);
  else
    status = run(arena, argc, argv);
  return finish(arena, status);
}

const char *strata_argument_value(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}
