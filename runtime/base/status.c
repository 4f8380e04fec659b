#include "runtime/base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct strata_error {
  strata_status_code_t code;
  char *message;
};

// Reporting that memory ran out must not allocate.
static struct strata_error out_of_memory = {STRATA_OUT_OF_MEMORY, (char *)"out of memory"};

static char *format_message(const char *format, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  char *text = length < 0 ? NULL : malloc((size_t)length + 1);
  if (text)
    vsnprintf(text, (size_t)length + 1, format, args);
  return text;
}

strata_status_t strata_error_v(strata_status_code_t code, const char *format, va_list args) {
  if (code == STRATA_OUT_OF_MEMORY)
    return &out_of_memory;
  struct strata_error *error = malloc(sizeof *error);
  char *message = error ? format_message(format, args) : NULL;
  if (!message) {
    free(error);
    return &out_of_memory;
  }
  *error = (struct strata_error){.code = code, .message = message};
  return error;
}

strata_status_t strata_error(strata_status_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_status_t status = strata_error_v(code, format, args);
  va_end(args);
  return status;
}

strata_status_t strata_status_context(strata_status_t status, const char *format, ...) {
  if (!status || status == &out_of_memory)
    return status;
  va_list args;
  va_start(args, format);
  char *context = format_message(format, args);
  va_end(args);
  strata_status_t wrapped = context ? strata_error(status->code, "%s: %s", context, status->message) : &out_of_memory;
  free(context);
  strata_status_free(status);
  return wrapped;
}

strata_status_code_t strata_status_code(strata_status_t status) { return status ? status->code : STRATA_OK; }

const char *strata_status_message(strata_status_t status) { return status ? status->message : ""; }

void strata_status_free(strata_status_t status) {
  if (!status || status == &out_of_memory)
    return;
  free(status->message);
  free(status);
}
