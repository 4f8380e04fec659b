// Errors on standard error; see errors.h.
#include "tools/errors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// One line of the message. It may hold names out of a file, so that what could steer a terminal is escaped.
static const char *print_line(const char *at) {
  for (; *at && *at != '\n'; at++)
    fprintf(stderr, iscntrl((unsigned char)*at) ? "\\x%02x" : "%c", (unsigned char)*at);
  fputc('\n', stderr);
  return at + (*at == '\n');
}

void strata_print_warnings(const char *warnings) {
  for (const char *at = warnings ? warnings : ""; *at;) {
    fputs("strata: warning: ", stderr);
    at = print_line(at);
  }
}

void strata_print_error(strata_status_t status, const char *path) {
  for (const char *at = strata_status_message(status); *at;) {
    bool has_no_file = path && strncmp(at, "-:", 2) == 0;
    fprintf(stderr, "strata: error: %s", has_no_file ? path : "");
    at = print_line(at + has_no_file);
  }
}
