// strata-docs options|ops: prints docs/options.md or docs/ops.md from the tables they document.
#include "dialects/strata/strata.h"
#include "tools/options.h"

#include <string.h>

static void print_text(const char *text, void *file) { fputs(text, file); }

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "options") == 0) {
    strata_options_print_markdown(stdout);
  } else if (argc == 2 && strcmp(argv[1], "ops") == 0) {
    strata_print_ops_markdown(print_text, stdout);
  } else {
    fputs("usage: strata-docs options|ops\n", stderr);
    return 1;
  }
  return 0;
}
