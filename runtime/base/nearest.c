// The distance of Damerau and Levenshtein, where no letter is changed twice.
#include "runtime/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_LENGTH = 128, MIN_BEGINNING = 3 };

static char fold(char c) { return c == '_' ? '-' : (char)tolower((unsigned char)c); }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b) {
  size_t rows[3][MAX_LENGTH + 1]; // of the beginnings of |a| one and two letters shorter, and of the one in hand
  for (size_t j = 0; j <= n_b; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= n_a; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= n_b; j++) {
      bool is_same = fold(a[i - 1]) == fold(b[j - 1]);
      row[j] = least(above[j - 1] + !is_same, 1 + least(above[j], row[j - 1]));
      if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
        row[j] = least(row[j], second[j - 2] + 1);
    }
  }
  return rows[n_a % 3][n_b];
}

static bool begins_with(const char *name, size_t length, const char *beginning, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (i >= length || fold(name[i]) != fold(beginning[i]))
      return false;
  return n >= MIN_BEGINNING;
}

strata_nearest_t strata_nearest(const char *wanted) {
  size_t length = strlen(wanted), third = length / 3;
  return (strata_nearest_t){.wanted = wanted, .distance = (third ? third : 1) + 1};
}

void strata_nearest_try(strata_nearest_t *nearest, const char *name, size_t length) {
  size_t n = strlen(nearest->wanted);
  if (n > MAX_LENGTH || length > MAX_LENGTH || !n || !length)
    return;
  size_t d = distance(nearest->wanted, n, name, length);
  if (d >= nearest->distance && !nearest->found && begins_with(name, length, nearest->wanted, n))
    d = nearest->distance - 1;
  if (d >= nearest->distance)
    return;
  nearest->found = name;
  nearest->length = length;
  nearest->distance = d;
}

const char *strata_nearest_hint(strata_arena_t *arena, const strata_nearest_t *nearest) {
  return nearest->found ? strata_arena_printf(arena, "; did you mean '%.*s'?", (int)nearest->length, nearest->found)
                        : "";
}
