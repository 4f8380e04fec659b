// commands.def with the options of each.
#include "tools/commands.h"

#include <string.h>

// A row of a table that only help, manual and completions read.
#define ROW(kind, option, other_names, choices, default_value, text)                                                   \
  {.type = STRATA_OPTION_##kind,                                                                                       \
   .name = option,                                                                                                     \
   .aliases = other_names,                                                                                             \
   .values = choices,                                                                                                  \
   .otherwise = default_value,                                                                                         \
   .standing = STRATA_OPTION_READY,                                                                                    \
   .help = text},
#define OPTION ROW
static const strata_option_t strata_run_options[] = {
#include "tools/run_options.def"
};
#define OPTION ROW
static const strata_option_t strata_tune_options[] = {
#include "tools/tune_options.def"
};
#define OPTION ROW
static const strata_option_t strata_opt_options[] = {
#include "tools/opt_options.def"
};

static const size_t n_strata_run_options = sizeof strata_run_options / sizeof strata_run_options[0];
static const size_t n_strata_tune_options = sizeof strata_tune_options / sizeof strata_tune_options[0];
static const size_t n_strata_opt_options = sizeof strata_opt_options / sizeof strata_opt_options[0];

#define TABLE_strata strata_option_table, &strata_n_options
#define TABLE_strata_run strata_run_options, &n_strata_run_options
#define TABLE_strata_tune strata_tune_options, &n_strata_tune_options
#define TABLE_strata_opt strata_opt_options, &n_strata_opt_options
const strata_command_t strata_commands[] = {
#define COMMAND(id, name, arguments, summary, text) {name, arguments, summary, text, TABLE_##id},
#include "tools/commands.def"
};
const size_t strata_n_commands = sizeof strata_commands / sizeof strata_commands[0];

const strata_command_t *strata_find_command(const char *name) {
  for (size_t i = 0; i < strata_n_commands; i++)
    if (strcmp(strata_commands[i].name, name) == 0)
      return &strata_commands[i];
  return NULL;
}

void strata_option_for_each_name(const strata_option_t *option, void (*visit)(const char *name, void *user),
                                 void *user) {
  char name[128];
  snprintf(name, sizeof name, "--%s", option->name);
  visit(name, user);
  for (const char *alias = option->aliases; *alias; alias += strspn(alias, " ")) {
    int length = (int)strcspn(alias, " ");
    snprintf(name, sizeof name, length == 1 ? "-%.*s" : "--%.*s", length, alias);
    visit(name, user);
    alias += length;
  }
}

// The names in a row, the values behind the first.
typedef struct {
  FILE *file;
  const strata_option_t *option;
  size_t n_printed;
} spelling_t;

static void print_name(const char *name, void *user) {
  spelling_t *spelling = user;
  bool is_first = spelling->n_printed++ == 0;
  fprintf(spelling->file, "%s%s", is_first ? "  " : ", ", name);
  if (is_first && spelling->option->values)
    fprintf(spelling->file, "=%s", spelling->option->values);
}

static void print_option(const strata_option_t *option, FILE *file) {
  spelling_t spelling = {.file = file, .option = option};
  strata_option_for_each_name(option, print_name, &spelling);
  const char *needs = strata_option_needs_text(option);
  fprintf(file, "\n        %s%s%s", option->help, *needs ? "; " : "", needs);
  if (option->otherwise)
    fprintf(file, " (default: %s)", option->otherwise);
  fputs(option->standing == STRATA_OPTION_LATER ? " (not supported yet)\n" : "\n", file);
}

void strata_command_print_options(const strata_command_t *command, FILE *file) {
  for (size_t i = 0; i < *command->n_options; i++) {
    if (command->options[i].type == STRATA_OPTION_group)
      fprintf(file, "\n%s:\n", command->options[i].name);
    else
      print_option(&command->options[i], file);
  }
}
