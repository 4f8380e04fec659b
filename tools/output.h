// What a program of ours does about its standard streams, and about limits on what it writes.
#ifndef STRATA_TOOLS_OUTPUT_H
#define STRATA_TOOLS_OUTPUT_H

#include "runtime/base/status.h"

// At the start of main. Writing to a pipe that nobody reads, or beyond the limit on a file's size, becomes an error
// that is looked at in place of a signal that ends the process. Streams that the caller closed become ones that cannot
// be used, so that no file of ours is taken for one of them.
void strata_output_begin(void);

// Writes out what is on standard output and returns |status|; if that is none, IO where standard output or error has
// lost something. Not where its reader is gone: who has seen enough (| head) gets what else was asked for.
STRATA_MUST_CHECK strata_status_t strata_output_end(strata_status_t status);

#endif
