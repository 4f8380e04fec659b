// The installed programs as data, and what is generated from it: manual pages and shell completions.
#ifndef STRATA_TOOLS_COMMANDS_H
#define STRATA_TOOLS_COMMANDS_H

#include "tools/option_table.h"

#include <stdio.h>

typedef struct {
  const char *name, *arguments, *summary, *text;
  const strata_option_t *options;
  const size_t *n_options; // groups included
} strata_command_t;

extern const strata_command_t strata_commands[];
extern const size_t strata_n_commands;

// The command called |name|, or NULL.
const strata_command_t *strata_find_command(const char *name);

// A line of --help for each option.
void strata_command_print_options(const strata_command_t *command, FILE *file);

// NAME.1, in man's macros of troff.
void strata_command_print_manual(const strata_command_t *command, FILE *file);

// One file for all commands. |shell|: bash, zsh or fish; false if it is another.
bool strata_print_completion(const char *shell, FILE *file);

// Calls |visit| with each of an option's names, as on the command line: "--name", "-n".
void strata_option_for_each_name(const strata_option_t *option, void (*visit)(const char *name, void *user),
                                 void *user);

#endif
