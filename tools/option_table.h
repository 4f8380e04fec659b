// The rows of options.def as data, for the parser and for the help.
#ifndef STRATA_TOOLS_OPTION_TABLE_H
#define STRATA_TOOLS_OPTION_TABLE_H

#include "tools/options.h"

typedef enum {
  STRATA_OPTION_group,
  STRATA_OPTION_flag,
  STRATA_OPTION_count,
  STRATA_OPTION_choice,
  STRATA_OPTION_text,
  STRATA_OPTION_list
} strata_option_type_t;

typedef enum { STRATA_OPTION_READY, STRATA_OPTION_EMPTY, STRATA_OPTION_LATER } strata_option_standing_t;

typedef enum {
#define NEED(id, ...) STRATA_OPTION_NEEDS_##id,
#include "tools/needs.def"
} strata_option_need_t;

typedef struct {
  strata_option_type_t type; // STRATA_OPTION_group: a title, and whether the options under it shape the library
  const char *name;
  bool shapes;
  size_t offset; // of the field in strata_options_t
  const char *aliases, *values, *otherwise;
  strata_option_standing_t standing;
  strata_option_need_t needs;
  const char *help;
} strata_option_t;

// Where |option| has an effect, for the help: "" if everywhere.
const char *strata_option_needs_text(const strata_option_t *option);

extern const strata_option_t strata_option_table[];
extern const size_t strata_n_options; // groups included

#endif
