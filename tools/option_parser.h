// Inside the parser of options: what options.c has read, which options_check.c looks at as a whole.
#ifndef STRATA_TOOLS_OPTION_PARSER_H
#define STRATA_TOOLS_OPTION_PARSER_H

#include "tools/option_table.h"

typedef struct {
  strata_arena_t *arena;
  strata_options_t *options;
  const char **given;        // for each row of the table: as the command line spells it; NULL: it is not there
  const char *folder;        // behind the input; NULL: there is none
  bool on_command_line;      // what is read now
  strata_status_code_t code; // of the first problem
  const char *problems;      // one a line, NULL where there is none
} strata_option_parser_t;

void strata_option_problem(strata_option_parser_t *parser, strata_status_code_t code, const char *format, ...)
    STRATA_PRINTF(3, 4);

static inline void *strata_option_field(const strata_option_parser_t *parser, const strata_option_t *option) {
  return (char *)parser->options + option->offset;
}

// Gives an option its default again.
void strata_option_reset(strata_option_parser_t *parser, const strata_option_t *option);

// Options without effect (needs.def), and values that are right alone and wrong together.
void strata_options_check(strata_option_parser_t *parser);

#endif
