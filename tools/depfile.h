// --depfile: which files a library was made from.
#ifndef STRATA_TOOLS_DEPFILE_H
#define STRATA_TOOLS_DEPFILE_H

#include "tools/options.h"

// Writes <name>.d into |staging|: a rule of make whose target is the archive in |folder|.
STRATA_MUST_CHECK strata_status_t strata_write_depfile(const strata_compile_t *compile, const strata_options_t *options,
                                                       const char *folder, const char *staging);

#endif
