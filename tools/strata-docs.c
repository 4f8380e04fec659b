// strata-docs options|ops: prints docs/options.md or docs/ops.md from the tables they document.
#include "dialects/strata/strata.h"
#include "tools/errors.h"
#include "tools/options.h"
#include "tools/output.h"

#include <string.h>

static void print_text(const char *text, void *file) { fputs(text, file); }

int main(int argc, char **argv) {
  strata_output_begin();
  if (argc == 2 && strcmp(argv[1], "options") == 0) {
    strata_options_print_markdown(stdout);
  } else if (argc == 2 && strcmp(argv[1], "ops") == 0) {
    strata_print_ops_markdown(print_text, stdout);
  } else {
    fputs("usage: strata-docs options|ops\n", stderr);
    return 1;
  }
  strata_status_t status = strata_output_end(NULL);
  strata_print_error(status, NULL);
  strata_status_free(status);
  return status ? 1 : 0;
}
