// What a program of ours does about its standard streams, limits on what it writes, and what it inherits of signals.
#ifndef STRATA_TOOLS_OUTPUT_H
#define STRATA_TOOLS_OUTPUT_H

#include "runtime/base/status.h"

// At the start of main. Writing to a pipe that nobody reads, or beyond the limit on a file's size, becomes an error
// that is looked at in place of a signal that ends the process. Streams that the caller closed become ones that cannot
// be used, so that no file of ours is taken for one of them. Where the caller ignores the end of its children, as some
// daemons do, ours are waited for all the same: else nobody would know how they ended.
void strata_output_begin(void);

// Writes out what is on standard output and returns |status|; if that is none, IO where standard output or error has
// lost something. Not where its reader is gone: who has seen enough (| head) gets what else was asked for.
STRATA_MUST_CHECK strata_status_t strata_output_end(strata_status_t status);

#endif
