// One buffer a thread: reporting an error allocates nothing.
#include "runtime/library/error.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[256];

int strata_rt_fail(strata_status_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return (int)code;
}

const char *strata_rt_message(void) { return message; }
