// What LLVM and the C++ library do where they cannot go on: a report in place of their own words and an abort.
#ifndef STRATA_TOOLS_ABORT_H
#define STRATA_TOOLS_ABORT_H

// |no_memory| is called where memory runs out, |fatal| with the reason of any other fatal error; neither returns.
void strata_on_abort(void (*no_memory)(void), void (*fatal)(const char *reason));

#endif
