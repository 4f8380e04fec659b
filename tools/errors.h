// How the tools say what went wrong, and how a test announces it.
#ifndef STRATA_TOOLS_ERRORS_H
#define STRATA_TOOLS_ERRORS_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"

#include <stdbool.h>

// Prints "strata: error: " and each line of the message on standard error; nothing where |status| is NULL, which stays
// the caller's. |path| stands for the "-" that MLIR calls a text without a file; NULL: there is none.
void strata_print_error(strata_status_t status, const char *path);

// The same of "strata: warning: ", for each line of |warnings|; NULL: none.
void strata_print_warnings(const char *warnings);

// Compares |errors|, the lines of a status message, with the comments of |text| that announce errors as in mlir-opt:
//
//   // expected-error {{text}}              on the comment's line, in which the message must hold |text|
//   // expected-error@+2 {{text}}           so many lines below, or above with a minus
//   // expected-error@below {{text}}        on the next line that announces nothing; @above: the last one
//   // expected-error@unknown {{text}}      without a line
//
// Every error must be announced, every announcement met once; what differs is printed on standard error. Warnings,
// notes, remarks and regular expressions cannot be announced, and trying to is reported too. Memory comes from |arena|.
bool strata_errors_are_expected(strata_arena_t *arena, const char *path, const char *text, const char *errors);

#endif
