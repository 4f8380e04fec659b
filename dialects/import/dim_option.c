// The values of --dim: "8", "1..64", "1..", "16..512/16", "1..512@1,128,384"; see import.h.
#include "dialects/import/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MOST = INT32_MAX };

static bool read_number(const char **at, int64_t *out) {
  char *end;
  if (!isdigit((unsigned char)**at))
    return false;
  *out = strtoll(*at, &end, 10);
  *at = end;
  return *out < INT64_MAX;
}

static bool accept(const char **at, const char *token) {
  size_t length = strlen(token);
  if (strncmp(*at, token, length))
    return false;
  *at += length;
  return true;
}

const char *strata_import_dim_parse(const char *text, strata_import_dim_t *out) {
  const char *at = text;
  out->multiple = 1;
  if (!read_number(&at, &out->min))
    return "expected a size, 0 or more, or a range as in 1..512";
  out->max = out->min;
  out->is_range = accept(&at, "..");
  if (!out->is_range)
    return *at ? "expected a size, 0 or more, or a range as in 1..512" : NULL;
  if (!read_number(&at, &out->max))
    out->max = DEFAULT_MOST;
  if (accept(&at, "/") && (!read_number(&at, &out->multiple) || out->multiple < 1))
    return "expected a positive number behind '/', of which the size is a multiple";
  if (out->min > out->max || out->max / out->multiple * out->multiple < out->min)
    return "expected a range with a size in it";
  while (accept(&at, out->n_likely ? "," : "@")) {
    int64_t likely;
    if (!read_number(&at, &likely) || likely < out->min || likely > out->max || likely % out->multiple ||
        out->n_likely == STRATA_IMPORT_MAX_LIKELY)
      return "expected at most 8 sizes of the range behind '@', with ',' between them";
    out->likely[out->n_likely++] = likely;
  }
  return *at ? "expected MIN..MAX, then /MULTIPLE, then @LIKELY,... or nothing" : NULL;
}
