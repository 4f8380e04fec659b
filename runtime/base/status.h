// Errors as values.
//
// A function that can fail returns a strata_status_t: NULL is success, anything else is an error object owned by the
// receiver, who returns it further up, prints it, or discards it with strata_status_free. Errors are not thread-safe
// objects: one belongs to one thread at a time. Reporting that memory ran out allocates nothing.
#ifndef STRATA_BASE_STATUS_H
#define STRATA_BASE_STATUS_H

#include <stdarg.h>

typedef enum {
  STRATA_OK = 0,
#define STATUS(id, text) STRATA_##id,
#include "runtime/base/status.def"
  STRATA_STATUS_COUNT
} strata_status_code_t;

typedef struct strata_error *strata_status_t;

#define STRATA_MUST_CHECK __attribute__((warn_unused_result))
#define STRATA_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

// Creates an error with a printf-style message: one problem a line, each "what, expected, got". It is never NULL, which
// the compiler is told so that it knows an out parameter to be set wherever no error came back.
STRATA_MUST_CHECK strata_status_t strata_error(strata_status_code_t code, const char *format, ...) STRATA_PRINTF(2, 3)
    __attribute__((returns_nonnull));
STRATA_MUST_CHECK strata_status_t strata_error_v(strata_status_code_t code, const char *format, va_list args)
    __attribute__((returns_nonnull));

// Prefixes the message of |status| with "context: ". NULL stays NULL. Returns |status|.
STRATA_MUST_CHECK strata_status_t strata_status_context(strata_status_t status, const char *format, ...)
    STRATA_PRINTF(2, 3);

// The code and the message of an error; STRATA_OK and "" for NULL. The text lives as long as the error.
strata_status_code_t strata_status_code(strata_status_t status);
const char *strata_status_message(strata_status_t status);

// Releases an error; NULL is allowed.
void strata_status_free(strata_status_t status);

// Returns from the calling function with the error of |expr|, if it has one.
#define STRATA_TRY(expr)                                                                                               \
  do {                                                                                                                 \
    strata_status_t strata_try_status = (expr);                                                                        \
    if (strata_try_status)                                                                                             \
      return strata_try_status;                                                                                        \
  } while (0)

#endif
