// The command line of `strata`, expanded from options.def: one field an option.
//
// Parsing is a pure function of its arguments: it prints nothing, reads no file and does not exit. What it returns
// belongs to the arena and to the caller's strings.
#ifndef STRATA_TOOLS_OPTIONS_H
#define STRATA_TOOLS_OPTIONS_H

#include "dialects/import/import.h"
#include "lowering/pipeline.h"
#include "targets/library/library.h"

#include <stdio.h>

typedef struct {
  const char **items;
  size_t count;
} strata_option_list_t;

typedef bool strata_option_flag_t;
typedef int strata_option_count_t;
typedef int strata_option_choice_t;
typedef const char *strata_option_text_t;

typedef struct strata_options {
  const char *input_path; // NULL only with --help or --version
  const char *warnings;   // of the environment, one a line; NULL: none
#define GROUP(...)
#define OPTION(type, field, ...) strata_option_##type##_t field;
#include "tools/options.def"
} strata_options_t;

// Fills |out_options| from the defaults, then the environment ("NAME=value" strings, ended by NULL; may be NULL), then
// the arguments after argv[0]. The error has one line for every problem.
STRATA_MUST_CHECK strata_status_t strata_options_parse(strata_arena_t *arena, int argc, const char *const *argv,
                                                       const char *const *environment, strata_options_t *out_options);

// What each layer takes.
strata_compile_options_t strata_options_for_compile(strata_arena_t *arena, const strata_options_t *options);
strata_import_options_t strata_options_for_import(strata_arena_t *arena, const strata_options_t *options);
// The options, "--name=value", with which a kernel of the compile is to be compiled by itself behind the phase affine.
const char **strata_options_for_kernels(strata_arena_t *arena, const strata_options_t *options, size_t *out_n);
strata_library_options_t strata_options_for_library(strata_arena_t *arena, const strata_options_t *options);

void strata_options_print_help(FILE *file);
STRATA_MUST_CHECK strata_status_t strata_options_print_version(FILE *file); // TOOL: one could not be asked
void strata_options_print_markdown(FILE *file);                             // docs/options.md
void strata_options_print_python(FILE *file);                               // tools/python/strata/_options.py

#endif
