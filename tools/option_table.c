// The rows of options.def as data.
#include "tools/option_table.h"

#include <stddef.h>

// "import|graph|...": the choices of --compile-to and --dump-after are the phases.
#define PHASE(id, name, ...) "|" name
static const char phases[] =
#include "lowering/phases.def"
    ;
#define PHASE(id, name, ...) "|" name
static const char none_phases_all[] = "none"
#include "lowering/phases.def"
                                      "|all";
#define STRATA_COMPILE_TO_VALUES (phases + 1)
#define STRATA_DUMP_AFTER_VALUES none_phases_all

const char *strata_option_needs_text(const strata_option_t *option) {
  static const char *const texts[] = {
#define NEED(id, is_met, text, otherwise) text,
#include "tools/needs.def"
  };
  return texts[option->needs];
}

const strata_option_t strata_option_table[] = {
#define GROUP(title, shapes)                                                                                           \
  {STRATA_OPTION_group, title, shapes, 0, "", NULL, NULL, STRATA_OPTION_READY, STRATA_OPTION_NEEDS_ANY, NULL},
#define OPTION(type, field, name, aliases, values, otherwise, standing, needs, help)                                   \
  {STRATA_OPTION_##type,                                                                                               \
   name,                                                                                                               \
   false,                                                                                                              \
   offsetof(strata_options_t, field),                                                                                  \
   aliases,                                                                                                            \
   values,                                                                                                             \
   otherwise,                                                                                                          \
   STRATA_OPTION_##standing,                                                                                           \
   STRATA_OPTION_NEEDS_##needs,                                                                                        \
   help},
#include "tools/options.def"
};
const size_t strata_n_options = sizeof strata_option_table / sizeof strata_option_table[0];
