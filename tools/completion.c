// Completions for bash, zsh and fish: names of options, the values of choices, files for everything else.
#include "tools/commands.h"

#include <string.h>

// Choices have their values in the table; a flag has none to give.
static bool is_choice(const strata_option_t *option) { return option->type == STRATA_OPTION_choice; }
static bool has_value(const strata_option_t *option) { return option->type != STRATA_OPTION_flag; }

// "a|b|c" as "a b c".
static void print_choices(const strata_option_t *option, FILE *file) {
  for (const char *at = option->values; *at; at++)
    putc(*at == '|' ? ' ' : *at, file);
}

static void for_each_option(void (*print)(const strata_command_t *command, const strata_option_t *option, FILE *file),
                            const strata_command_t *command, FILE *file) {
  for (size_t i = 0; i < *command->n_options; i++)
    if (command->options[i].type != STRATA_OPTION_group && command->options[i].standing != STRATA_OPTION_LATER)
      print(command, &command->options[i], file);
}

//===-- bash -----------------------------------------------------------------------------------------------------===//

static void print_bash_choices(const strata_command_t *command, const strata_option_t *option, FILE *file) {
  if (!is_choice(option))
    return;
  fprintf(file, "    %s--%s) words='", command->name, option->name);
  print_choices(option, file);
  fputs("' ;;\n", file);
}

static void print_bash_name(const strata_command_t *command, const strata_option_t *option, FILE *file) {
  (void)command;
  fprintf(file, " --%s%s", option->name, has_value(option) ? "=" : "");
}

// bash takes "--name=value" for three words.
static void print_bash(FILE *file) {
  fputs("# bash completion of strata\n"
        "_strata() {\n"
        "  local command=${1##*/} current=${COMP_WORDS[COMP_CWORD]} option='' words=''\n"
        "  [[ ${COMP_WORDS[COMP_CWORD-1]} != = ]] || option=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  [[ $current != = ]] || { option=${COMP_WORDS[COMP_CWORD-1]} current=''; }\n"
        "  case $command$option in\n",
        file);
  for (size_t i = 0; i < strata_n_commands; i++)
    for_each_option(print_bash_choices, &strata_commands[i], file);
  for (size_t i = 0; i < strata_n_commands; i++) {
    fprintf(file, "    %s) [[ $current != -* ]] || words='", strata_commands[i].name);
    for_each_option(print_bash_name, &strata_commands[i], file);
    fputs("' ;;\n", file);
  }
  fputs("  esac\n"
        "  if [[ $words ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
        "    [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
        "  else\n"
        "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
        "  fi\n"
        "}\n"
        "complete -o filenames -F _strata",
        file);
  for (size_t i = 0; i < strata_n_commands; i++)
    fprintf(file, " %s", strata_commands[i].name);
  putc('\n', file);
}

//===-- zsh ------------------------------------------------------------------------------------------------------===//

// Help within '…[help]…': brackets and colons are _arguments' own, and quotes the shell's.
static void print_zsh_help(const char *text, FILE *file) {
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", file);
    else if (strchr("[]:\\", *text))
      fprintf(file, "\\%c", *text);
    else
      putc(*text, file);
  }
}

static void print_zsh_option(const strata_command_t *command, const strata_option_t *option, FILE *file) {
  (void)command;
  fprintf(file, " \\\n        '%s--%s%s[", option->type == STRATA_OPTION_list ? "*" : "", option->name,
          has_value(option) ? "=" : "");
  print_zsh_help(option->help, file);
  fputs("]", file);
  if (is_choice(option)) {
    fputs(":value:(", file);
    print_choices(option, file);
    fputs(")", file);
  } else if (has_value(option)) {
    fputs(":value:_files", file);
  }
  fputs("'", file);
}

static void print_zsh(FILE *file) {
  fputs("#compdef", file);
  for (size_t i = 0; i < strata_n_commands; i++)
    fprintf(file, " %s", strata_commands[i].name);
  fputs("\n# zsh completion of strata\ncase $service in\n", file);
  for (size_t i = 0; i < strata_n_commands; i++) {
    fprintf(file, "  %s)\n      _arguments", strata_commands[i].name);
    for_each_option(print_zsh_option, &strata_commands[i], file);
    fputs(" \\\n        '*:file:_files' ;;\n", file);
  }
  fputs("esac\n", file);
}

//===-- fish -----------------------------------------------------------------------------------------------------===//

static void print_fish_quoted(const char *text, FILE *file) {
  putc('\'', file);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\')
      putc('\\', file);
    putc(*text, file);
  }
  putc('\'', file);
}

static void print_fish_name(const char *name, void *file) {
  if (name[1] == '-')
    fprintf(file, " -l %s", name + 2);
  else
    fprintf(file, " -s %s", name + 1);
}

static void print_fish_option(const strata_command_t *command, const strata_option_t *option, FILE *file) {
  fprintf(file, "complete -c %s", command->name);
  strata_option_for_each_name(option, print_fish_name, file);
  if (is_choice(option)) {
    fputs(" -x -a '", file);
    print_choices(option, file);
    putc('\'', file);
  } else if (has_value(option)) {
    fputs(" -r", file);
  }
  fputs(" -d ", file);
  print_fish_quoted(option->help, file);
  putc('\n', file);
}

static void print_fish(FILE *file) {
  fputs("# fish completion of strata\n", file);
  for (size_t i = 0; i < strata_n_commands; i++)
    for_each_option(print_fish_option, &strata_commands[i], file);
}

bool strata_print_completion(const char *shell, FILE *file) {
  static const struct {
    const char *name;
    void (*print)(FILE *file);
  } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
    if (strcmp(shells[i].name, shell) == 0) {
      shells[i].print(file);
      return true;
    }
  return false;
}
