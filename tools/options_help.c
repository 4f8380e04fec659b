// What the option table says to people: --help, --version and docs/options.md.
#include "tools/commands.h"

#include <errno.h>
#include <llvm-c/Core.h>
#include <string.h>

void strata_options_print_help(FILE *file) {
  fputs("usage: strata INPUT [options]\n"
        "\n"
        "Compiles INPUT. With --aot: emits a C library.\n"
        "Without: runs it once and prints the time of each kernel and of the whole.\n"
        "Every option may also be given as STRATA_<NAME> in the environment.\n"
        "INPUT is, by its suffix:\n",
        file);
#define FORMAT(id, suffix, reader, text) fprintf(file, "  %-7s  %s\n", suffix, text);
#include "dialects/import/formats.def"
  strata_command_print_options(strata_find_command("strata"), file);
}

// Prints the first line of |command|'s output that contains |word|.
static strata_status_t print_tool(FILE *file, const char *label, const char *command, const char *word) {
  FILE *pipe = popen(command, "r");
  if (!pipe)
    return strata_error(STRATA_TOOL, "%s: %s", label, strerror(errno));
  char line[256];
  bool found = false;
  while (fgets(line, sizeof line, pipe)) {
    if (!found && strstr(line, word)) {
      fprintf(file, "%-7s %s", label, line);
      found = true;
    }
  }
  strata_status_t status = ferror(pipe) ? strata_error(STRATA_TOOL, "%s: %s", label, strerror(errno)) : NULL;
  pclose(pipe);
  if (!status && !found)
    fprintf(file, "%-7s not found\n", label);
  return status;
}

strata_status_t strata_options_print_version(FILE *file) {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  fprintf(file, "strata  " STRATA_VERSION "\nLLVM    %u.%u.%u\n", major, minor, patch);
  STRATA_TRY(print_tool(file, "ld.lld", "{ ld.lld-22 --version || ld.lld --version; } 2>/dev/null", "LLD"));
  return print_tool(file, "ptxas", "ptxas --version 2>/dev/null", "release");
}

// A cell of a table: the bar separates cells.
static void print_cell(FILE *file, const char *text) {
  for (; *text; text++)
    fprintf(file, *text == '|' ? "\\%c" : "%c", *text);
}

static void print_row(FILE *file, const strata_option_t *option) {
  static const char *const standing[] = {[STRATA_OPTION_READY] = "",
                                         [STRATA_OPTION_EMPTY] = "accepted; nothing to do on cpu",
                                         [STRATA_OPTION_LATER] = "refused: not supported yet"};
  fprintf(file, "| `--%s", option->name);
  if (option->values) {
    fputc('=', file);
    print_cell(file, option->values);
  }
  fputs("` |", file);
  for (const char *alias = option->aliases; *alias; alias += strspn(alias, " ")) {
    int length = (int)strcspn(alias, " ");
    fprintf(file, length == 1 ? " `-%.*s`" : " `--%.*s`", length, alias);
    alias += length;
  }
  fprintf(file, " | %s | ", option->otherwise ? option->otherwise : "");
  print_cell(file, option->help);
  fprintf(file, " | %s%s |\n", strata_option_needs_text(option), standing[option->standing]);
}

void strata_options_print_markdown(FILE *file) {
  fputs(
      "# Options of `strata`\n"
      "\n"
      "Generated from `tools/options.def` by `strata-docs options`; do not edit.\n"
      "\n"
      "Every option may also be given in the environment, as `STRATA_` and its name in capitals with `_` for `-`\n"
      "(`STRATA_OPT_LEVEL=2`; lists are separated by commas); the command line wins. Flags take `=on` and `=off`, and\n"
      "`--no-NAME` is off. `_` may be written for `-`, and one hyphen for two.\n"
      "\n"
      "The last column says where an option has an effect. On a command line where it has none it is an error; in the\n"
      "environment it is left aside there.\n",
      file);
  for (size_t i = 0; i < strata_n_options; i++) {
    if (strata_option_table[i].type == STRATA_OPTION_group)
      fprintf(file, "\n## %s\n\n| option | also | default | meaning | standing |\n|---|---|---|---|---|\n",
              strata_option_table[i].name);
    else
      print_row(file, &strata_option_table[i]);
  }
  fputs("\n## Other variables\n\n"
        "`strata` warns of a variable `STRATA_...` that is neither an option nor one of these.\n\n"
        "| variable | read by | meaning |\n|---|---|---|\n",
        file);
#define VARIABLE(name, reader, text) fprintf(file, "| `%s` | %s | %s |\n", name, reader, text);
#include "tools/environment.def"
  fputs("\n## AITemplate's variables\n\n| variable | here | note |\n|---|---|---|\n", file);
#define VARIABLE(name, here, note)                                                                                     \
  fprintf(file, "| %s | %s%s%s | %s |\n", name, *here ? "`" : "", here, *here ? "`" : "", note);
#include "tools/aitemplate.def"
}

// A string of Python, or None.
static void print_literal(FILE *file, const char *text) {
  if (!text) {
    fputs("None", file);
    return;
  }
  fputc('"', file);
  for (; *text; text++)
    fprintf(file, strchr("\\\"", *text) ? "\\%c" : "%c", *text);
  fputc('"', file);
}

void strata_options_print_python(FILE *file) {
  static const char *const types[] = {
      [STRATA_OPTION_flag] = "flag", [STRATA_OPTION_count] = "count", [STRATA_OPTION_choice] = "choice",
      [STRATA_OPTION_text] = "text", [STRATA_OPTION_list] = "list",
  };
  fputs("\"\"\"The options of `strata`. Generated from tools/options.def by `strata-docs python`; do not edit.\"\"\"\n"
        "\n"
        "# name, other names with blanks between, type, values, default, where it has an effect, meaning\n"
        "OPTIONS = (\n",
        file);
  for (size_t i = 0; i < strata_n_options; i++) {
    const strata_option_t *option = &strata_option_table[i];
    if (option->type == STRATA_OPTION_group)
      continue;
    const char *texts[] = {option->name,   option->aliases,   types[option->type],
                           option->values, option->otherwise, strata_option_needs_text(option),
                           option->help};
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) {
      fputs(j ? ", " : "    (", file);
      print_literal(file, texts[j]);
    }
    fputs("),\n", file);
  }
  fputs(")\n", file);
}
