// One buffer a thread: reporting an error allocates nothing.
#include "runtime/library/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static _Thread_local char message[256];
static _Thread_local struct {
  bool is_on;
  int first;
} cleanup;

int strata_rt_fail(strata_status_code_t code, const char *format, ...) {
  if (cleanup.is_on && cleanup.first)
    return (int)code;
  cleanup.first = (int)code;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return (int)code;
}

const char *strata_rt_message(void) { return message; }

void strata_rt_cleanup_begin(int status) {
  cleanup.is_on = true;
  cleanup.first = status;
}

int strata_rt_cleanup_end(void) {
  cleanup.is_on = false;
  return cleanup.first;
}
