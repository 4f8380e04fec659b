// What a self-checking C test needs: CHECK counts failures and goes on; main ends with `return check_result();`.
#ifndef STRATA_TEST_SUPPORT_CHECK_H
#define STRATA_TEST_SUPPORT_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                                                                               \
  ((condition) ? (void)0                                                                                               \
               : (void)(check_failures++, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition)))

static inline void check_str(const char *file, int line, const char *got, const char *expected) {
  if (got && strcmp(got, expected) == 0)
    return;
  check_failures++;
  fprintf(stderr, "%s:%d: expected '%s', got '%s'\n", file, line, expected, got ? got : "(null)");
}
#define CHECK_STR(got, expected) check_str(__FILE__, __LINE__, got, expected)

static inline int check_result(void) { return check_failures ? 1 : 0; }

#endif
