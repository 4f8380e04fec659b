// Parts of a compile side by side: each is done once, with memory that outlives its thread, and of several errors the
// first part's is told, however many threads there are.
#include "dialects/each.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_PARTS = 200, FIRST_FAULT = 70, SECOND_FAULT = 71 };

static int failures;

static void check(bool holds, const char *what, int jobs) {
  if (!holds) {
    printf("FAIL %s, %d threads\n", what, jobs);
    failures++;
  }
}

typedef struct {
  int done[N_PARTS];
  const char *text[N_PARTS];
  bool has_faults;
} parts_t;

static strata_status_t part(strata_compile_t *compile, size_t i, void *user) {
  parts_t *parts = user;
  parts->done[i]++;
  parts->text[i] = strata_arena_printf(compile->arena, "part %zu", i);
  bool is_fault = parts->has_faults && (i == FIRST_FAULT || i == SECOND_FAULT);
  return is_fault ? strata_error(STRATA_INTERNAL, "fault of part %zu", i) : NULL;
}

static void run(strata_compile_t *compile, size_t n, bool has_faults, int jobs) {
  parts_t parts = {.has_faults = has_faults};
  strata_status_t status = strata_compile_each(compile, n, part, &parts);
  check(!status == !(has_faults && n > FIRST_FAULT), "an error where there is one", jobs);
  if (status)
    check(strstr(strata_status_message(status), "fault of part 70") != NULL, "the first part's error", jobs);
  strata_status_free(status);
  for (size_t i = 0; i < N_PARTS; i++) {
    char text[32];
    snprintf(text, sizeof text, "part %zu", i);
    check(parts.done[i] == (i < n), "each part once", jobs);
    check(i >= n || (parts.text[i] && !strcmp(parts.text[i], text)), "memory that stays", jobs);
  }
}

int main(void) {
  static const int jobs[] = {1, 2, 16, 300};
  for (size_t i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
    strata_compile_options_t options = {.jobs = jobs[i]};
    strata_compile_t compile = {.arena = strata_arena_create(), .options = &options};
    for (int has_faults = 0; has_faults < 2; has_faults++) {
      run(&compile, N_PARTS, has_faults, jobs[i]);
      run(&compile, 1, has_faults, jobs[i]);
      run(&compile, 0, has_faults, jobs[i]);
    }
    strata_arena_destroy(compile.arena);
  }
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
