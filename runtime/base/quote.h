// Text for a shell.
#ifndef STRATA_BASE_QUOTE_H
#define STRATA_BASE_QUOTE_H

#include "runtime/base/arena.h"

// |text| as one word of a POSIX shell's command line: itself where no letter of it means anything to a shell, else in
// quotation marks. The result is |text| or of the arena.
const char *strata_shell_quote(strata_arena_t *arena, const char *text);

#endif
