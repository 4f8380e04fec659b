#include "runtime/base/quote.h"

#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%=";
  return *text && strspn(text, plain) == strlen(text);
}

const char *strata_shell_quote(strata_arena_t *arena, const char *text) {
  static const char mark[] = "'\\''"; // ends the quotation, adds a mark, begins another
  if (is_plain(text))
    return text;
  char *quoted = strata_arena_alloc(arena, strlen(text) * strlen(mark) + 3), *at = quoted;
  *at++ = '\'';
  for (; *text; text++) {
    size_t length = *text == '\'' ? strlen(mark) : 1;
    memcpy(at, *text == '\'' ? mark : text, length);
    at += length;
  }
  *at = '\'';
  return quoted;
}
