#include "tools/limits.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

typedef struct {
  int resource, error;
  char option;
  unsigned unit;
  const char *unit_name, *what;
} limit_t;

static const limit_t limits[] = {
#define LIMIT(resource, error, option, unit, unit_name, what) {resource, error, option, unit, unit_name, what},
#include "tools/limits.def"
};

static bool is_set(int resource, rlim_t *out_value) {
  struct rlimit limit;
  bool known = getrlimit((__rlimit_resource_t)resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  *out_value = known ? limit.rlim_cur : 0;
  return known;
}

static bool is_cause(const limit_t *limit, strata_status_t status) {
  bool no_memory = strata_status_code(status) == STRATA_OUT_OF_MEMORY;
  return (limit->error == ENOMEM && no_memory) || strstr(strata_status_message(status), strerror(limit->error));
}

strata_status_t strata_name_limit(strata_status_t status) {
  for (size_t i = 0; status && i < sizeof limits / sizeof limits[0]; i++) {
    const limit_t *limit = &limits[i];
    rlim_t value;
    if (!is_cause(limit, status) || !is_set(limit->resource, &value))
      continue;
    // That memory ran out is an error that holds no words.
    strata_status_code_t code = strata_status_code(status);
    strata_status_t named =
        strata_error(code == STRATA_OUT_OF_MEMORY ? STRATA_IO : code, "%s\nthe limit on %s is %llu%s (ulimit -%c)",
                     strata_status_message(status), limit->what, (unsigned long long)value / limit->unit,
                     limit->unit_name, limit->option);
    strata_status_free(status);
    return named;
  }
  return status;
}

strata_status_t strata_fatal_error(const char *reason) {
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    if (strstr(reason, strerror(limits[i].error)))
      return strata_error(STRATA_IO, "%s", reason);
  return strata_error(STRATA_INTERNAL, "internal compiler error: %s", reason);
}

// The hard limit on processor time is a kill without a word.
static bool used_its_time(const struct rusage *usage, rlim_t *out_limit) {
  return is_set(RLIMIT_CPU, out_limit) && (rlim_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) + 1 >= *out_limit;
}

static strata_status_t signal_error(int number, const struct rusage *usage) {
  rlim_t seconds;
  if (number == SIGXCPU || (number == SIGKILL && used_its_time(usage, &seconds))) {
    used_its_time(usage, &seconds);
    return strata_error(STRATA_IO, "the limit on processor time was reached: %llu s (ulimit -t)",
                        (unsigned long long)seconds);
  }
  switch (number) {
  case SIGSEGV:
  case SIGABRT:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
  case SIGSYS:
    return strata_error(STRATA_INTERNAL, "internal compiler error (signal %d: %s)", number, strsignal(number));
  case SIGBUS: // of the files that are mapped
    return strata_error(STRATA_IO, "a file was shortened or its disk failed while it was read (signal %d: %s)", number,
                        strsignal(number));
  case SIGKILL:
    return strata_error(STRATA_IO, "the compile was killed (signal %d), as the system does where memory runs out",
                        number);
  default:
    return strata_error(STRATA_IO, "the compile was ended by signal %d: %s", number, strsignal(number));
  }
}

strata_status_t strata_death_error(int status, const struct rusage *usage) {
  if (WIFSIGNALED(status))
    return signal_error(WTERMSIG(status), usage);
  return strata_error(STRATA_INTERNAL, "internal compiler error (exit status %d)", WEXITSTATUS(status));
}
