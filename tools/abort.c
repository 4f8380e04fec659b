#include "tools/abort.h"

#include <errno.h>
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

// These two have no names in C: std::set_new_handler and llvm::install_bad_alloc_error_handler.
typedef void (*new_handler_t)(void);
typedef void (*bad_alloc_handler_t)(void *user, const char *reason, bool makes_crash_report);
new_handler_t strata_set_new_handler(new_handler_t handler) __asm__("_ZSt15set_new_handlerPFvvE");
void strata_install_bad_alloc_handler(bad_alloc_handler_t handler,
                                      void *user) __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_");

static void (*on_no_memory)(void);

static void bad_alloc(void *user, const char *reason, bool makes_crash_report) {
  (void)user, (void)reason, (void)makes_crash_report;
  on_no_memory();
}

// Others that abort have just failed to get memory.
static void handle_abort(int number) {
  if (errno == ENOMEM)
    on_no_memory();
  signal(number, SIG_DFL);
  raise(number);
}

void strata_on_abort(void (*no_memory)(void), void (*fatal)(const char *reason)) {
  on_no_memory = no_memory;
  strata_set_new_handler(no_memory);
  strata_install_bad_alloc_handler(bad_alloc, NULL);
  LLVMInstallFatalErrorHandler(fatal);
  signal(SIGABRT, handle_abort);
}
