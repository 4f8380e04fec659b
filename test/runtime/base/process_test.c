// Programs that run to their end, and beside the caller.
#include "runtime/base/process.h"
#include "test/support/check.h"

#include <string.h>

static void check_output(strata_arena_t *arena) {
  const char *const argv[] = {"sh", "-c", "echo one; echo two >&2", NULL};
  const char *output = NULL;
  CHECK(!strata_process_read(arena, argv, &output));
  CHECK_STR(output, "one\ntwo");
}

// The first ends when the second has run: it could not if they were run one after the other.
static void check_beside(strata_arena_t *arena) {
  const char *const make[] = {"mktemp", "-u", NULL};
  const char *path = NULL;
  CHECK(!strata_process_read(arena, make, &path));
  const char *const first[] = {"sh", "-c", "mkfifo $0 && read x < $0 && echo got $x", path, NULL};
  const char *const second[] = {"sh", "-c", "until test -p $0; do sleep 0.01; done; echo it > $0", path, NULL};
  strata_process_t *process = NULL;
  const char *output = NULL;
  double seconds = -1;
  CHECK(!strata_process_start(arena, first, &process));
  CHECK(!strata_process_run(arena, second));
  CHECK(!strata_process_wait(arena, process, &output, &seconds));
  CHECK_STR(output, "got it");
  CHECK(seconds > 0 && seconds < 60);
  const char *const clean[] = {"rm", path, NULL};
  CHECK(!strata_process_run(arena, clean));
}

static void check_errors(strata_arena_t *arena) {
  const char *const fails[] = {"sh", "-c", "echo why; exit 3", NULL}, *const missing[] = {"/nowhere/tool", NULL};
  strata_process_t *process = NULL;
  CHECK(!strata_process_start(arena, fails, &process));
  strata_status_t status = strata_process_wait(arena, process, NULL, NULL);
  CHECK(strata_status_code(status) == STRATA_TOOL && strstr(strata_status_message(status), "exit status 3") &&
        strstr(strata_status_message(status), "why"));
  strata_status_free(status);
  status = strata_process_start(arena, missing, &process);
  CHECK(strata_status_code(status) == STRATA_TOOL && strstr(strata_status_message(status), "/nowhere/tool"));
  strata_status_free(status);
}

int main(void) {
  strata_arena_t *arena = strata_arena_create();
  check_output(arena);
  check_beside(arena);
  check_errors(arena);
  strata_arena_destroy(arena);
  return check_result();
}
