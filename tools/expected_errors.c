// The comments that announce errors; see errors.h.
#include "tools/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = 0, BELOW = -1 }; // instead of a line: none, and the next that announces nothing

typedef struct {
  long line;
  const char *text;
  bool is_met;
} expectation_t;

typedef struct {
  strata_arena_t *arena;
  const char *path;
  STRATA_VECTOR(expectation_t) expected;
  long line, last_plain; // the one in hand, and the last that announces nothing
  bool all_good;
} reader_t;

static bool is_word(const char *text, size_t length, const char *word) {
  return length == strlen(word) && strncmp(text, word, length) == 0;
}

static bool add_distance(const char *text, size_t length, long *line) {
  char *end;
  *line += strtol(text, &end, 10);
  return (*text == '+' || *text == '-') && end == text + length;
}

// The line that "@…" at *at means, which is skipped; the reader's own where there is none.
static bool read_place(const reader_t *r, const char **at, long *out_line) {
  const char *text = *at + strspn(*at, " ");
  *out_line = r->line;
  if (*text == '@') {
    size_t length = strcspn(++text, " {\n");
    if (is_word(text, length, "below"))
      *out_line = BELOW;
    else if (is_word(text, length, "above"))
      *out_line = r->last_plain;
    else if (is_word(text, length, "unknown"))
      *out_line = UNKNOWN;
    else if (!add_distance(text, length, out_line))
      return false;
    text += length;
  }
  *at = text + strspn(text, " ");
  return true;
}

// Reads what comes after "expected-"; false where it is no announcement that we understand.
static bool read_expectation(reader_t *r, const char *at, expectation_t *out_expectation) {
  static const char kind[] = "error";
  size_t length = strlen(kind);
  if (strncmp(at, kind, length) != 0)
    return false;
  at += length;
  if (!read_place(r, &at, &out_expectation->line) || strncmp(at, "{{", 2) != 0)
    return false;
  const char *close = strstr(at, "}}"), *line_end = strchr(at, '\n');
  if (!close || (line_end && line_end < close))
    return false;
  out_expectation->text = strata_arena_printf(r->arena, "%.*s", (int)(close - at - 2), at + 2);
  return true;
}

static void read_line(reader_t *r, const char *line, size_t length) {
  static const char mark[] = "expected-";
  const char *comment = strstr(line, "//"), *at = comment ? strstr(comment, mark) : NULL;
  expectation_t expectation = {0};
  r->line++;
  if (!at || at >= line + length) {
    for (size_t i = 0; i < r->expected.count; i++)
      if (r->expected.data[i].line == BELOW)
        r->expected.data[i].line = r->line;
    r->last_plain = r->line;
  } else if (read_expectation(r, at + strlen(mark), &expectation)) {
    *strata_vector_push(r->arena, &r->expected) = expectation;
  } else {
    fprintf(stderr, "%s:%ld: cannot be expected: %.*s\n", r->path, r->line, (int)(line + length - at), at);
    r->all_good = false;
  }
}

static void read_text(reader_t *r, const char *text) {
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    read_line(r, text, length);
  }
}

// The line of "-:LINE:COLUMN: …", also behind the name of a pass; UNKNOWN if there is none.
static long line_of(const char *message) {
  long line, column;
  for (const char *at = strstr(message, "-:"); at; at = strstr(at + 1, "-:"))
    if ((at == message || at[-1] == ' ') && sscanf(at, "-:%ld:%ld:", &line, &column) == 2)
      return line;
  return UNKNOWN;
}

static bool meet(reader_t *r, const char *message) {
  long line = line_of(message);
  for (size_t i = 0; i < r->expected.count; i++) {
    expectation_t *expectation = &r->expected.data[i];
    if (!expectation->is_met && expectation->line == line && strstr(message, expectation->text))
      return expectation->is_met = true;
  }
  return false;
}

bool strata_errors_are_expected(strata_arena_t *arena, const char *path, const char *text, const char *errors) {
  reader_t reader = {.arena = arena, .path = path, .all_good = true};
  char *lines = strata_arena_strdup(arena, errors), *rest;
  read_text(&reader, text);
  for (char *message = strtok_r(lines, "\n", &rest); message; message = strtok_r(NULL, "\n", &rest)) {
    if (meet(&reader, message))
      continue;
    bool has_no_file = strncmp(message, "-:", 2) == 0;
    fprintf(stderr, "%s: unexpected error: %s\n", path, has_no_file ? message + 2 : message);
    reader.all_good = false;
  }
  for (size_t i = 0; i < reader.expected.count; i++) {
    const expectation_t *expectation = &reader.expected.data[i];
    if (expectation->is_met)
      continue;
    fprintf(stderr, "%s:%ld: expected error: %s\n", path, expectation->line, expectation->text);
    reader.all_good = false;
  }
  return reader.all_good;
}
