// Manual pages, in man's macros of troff.
#include "tools/commands.h"

#include <string.h>

// Hyphens of options stay hyphens, and no line of the text is taken for a macro.
static void print_text(const char *text, FILE *file) {
  if (*text == '.' || *text == '\'')
    fputs("\\&", file);
  for (; *text; text++) {
    if (*text == '\\')
      fputs("\\e", file);
    else if (*text == '-')
      fputs("\\-", file);
    else if (*text == '|')
      fputs("|\\:", file); // a line may end behind it
    else if (text[0] == '\n' && text[1] == '\n')
      fputs("\n.PP\n", file), text++;
    else
      putc(*text, file);
  }
}

// The names in a row, the values behind the first.
typedef struct {
  FILE *file;
  const char *values, *separator;
} names_t;

static void print_name(const char *name, void *user) {
  names_t *names = user;
  fprintf(names->file, "%s\\fB", names->separator);
  print_text(name, names->file);
  fputs("\\fR", names->file);
  if (names->values) {
    fputs("=\\fI", names->file);
    print_text(names->values, names->file);
    fputs("\\fR", names->file);
  }
  names->values = NULL;
  names->separator = ", ";
}

static void print_option(const strata_option_t *option, FILE *file) {
  names_t names = {.file = file, .values = option->values, .separator = ""};
  fputs(".TP\n", file);
  strata_option_for_each_name(option, print_name, &names);
  putc('\n', file);
  print_text(option->help, file);
  const char *needs = strata_option_needs_text(option);
  if (*needs) {
    fputs("; ", file);
    print_text(needs, file);
  }
  if (option->otherwise) {
    fputs(" (default: ", file);
    print_text(option->otherwise, file);
    putc(')', file);
  }
  fputs(option->standing == STRATA_OPTION_LATER ? " (not supported yet)\n" : "\n", file);
}

static void print_options(const strata_command_t *command, FILE *file) {
  fputs(".SH OPTIONS\n", file);
  for (size_t i = 0; i < *command->n_options; i++) {
    if (command->options[i].type == STRATA_OPTION_group)
      fprintf(file, ".SS %s\n", command->options[i].name);
    else
      print_option(&command->options[i], file);
  }
}

static void print_see_also(const strata_command_t *command, FILE *file) {
  const char *separator = "";
  fputs(".SH SEE ALSO\n", file);
  for (size_t i = 0; i < strata_n_commands; i++) {
    if (&strata_commands[i] == command)
      continue;
    fputs(separator, file);
    fputs("\\fB", file);
    print_text(strata_commands[i].name, file);
    fputs("\\fR(1)", file);
    separator = ",\n";
  }
  putc('\n', file);
}

void strata_command_print_manual(const strata_command_t *command, FILE *file) {
  fprintf(file, ".TH %s 1 \"\" \"strata " STRATA_VERSION "\"\n.SH NAME\n", command->name);
  print_text(command->name, file);
  fputs(" \\- ", file);
  print_text(command->summary, file);
  fputs("\n.SH SYNOPSIS\n\\fB", file);
  print_text(command->name, file);
  fputs("\\fR ", file);
  print_text(command->arguments, file);
  fputs("\n.SH DESCRIPTION\n", file);
  print_text(command->text, file);
  putc('\n', file);
  print_options(command, file);
  fputs(".SH EXIT STATUS\n0, or 1 after an error, which is a line on standard error.\n", file);
  print_see_also(command, file);
}
