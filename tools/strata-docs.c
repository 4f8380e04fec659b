// strata-docs: prints documents from the tables they document: docs/options.md, docs/ops.md and
// docs/openvino.md and docs/mlir.md, the tables of docs/gpu-schedules.md and that of kinds in docs/architecture.md, the
// table of the Python package, the manual page of a command, the completions of a shell.
#include "dialects/strata/strata.h"
#include "tools/commands.h"
#include "tools/errors.h"
#include "tools/options.h"
#include "tools/output.h"

#include <string.h>

static void print_text(const char *text, void *file) { fputs(text, file); }

static bool print_for(const char *kind, const char *name) {
  const strata_command_t *command = strata_find_command(name);
  if (strcmp(kind, "completion") == 0)
    return strata_print_completion(name, stdout);
  if (strcmp(kind, "manual") != 0 || !command)
    return false;
  strata_command_print_manual(command, stdout);
  return true;
}

// A bar is the end of a cell but for a backslash in front.
static void print_row(FILE *file, const char *name, int since, const char *text) {
  fprintf(file, "| %s | %d | ", name, since);
  for (; *text; text++)
    fprintf(file, *text == '|' ? "\\%c" : "%c", *text);
  fputs(" |\n", file);
}

static void print_kinds(FILE *file) {
  fputs("| `kind` | meaning |\n|---|---|\n", file);
#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning) fputs("| `" name "` | " meaning " |\n", file);
#include "dialects/affine/kinds.def"
}

static void print_schedule(FILE *file) {
  print_kinds(file);
#define TEXT_INTEGER "a number"
#define TEXT_FLAG "1"
#define TEXT_PAIR "two numbers"
#define TEXT_LIST "one to three numbers"
#define TEXT_WORD "a string"
  fputs("\n| key | value | of | meaning |\n|---|---|---|---|\n", file);
#define SCHEDULE_KEY(name, type, tile, of, meaning)                                                                    \
  fputs("| `" #name "` | " TEXT_##type " | " of " | " meaning " |\n", file);
#include "dialects/affine/schedule.def"
}

static void print_openvino(FILE *file) {
  fputs("# OpenVINO's operators\n"
        "\n"
        "Generated from `dialects/import/openvino/ops.def` by `strata-docs openvino`; do not edit.\n"
        "\n"
        "An operator is read from the opset given here on, up to the next row of its name. A layer with another\n"
        "attribute, or another value of one, is not supported. [from-openvino.md](from-openvino.md) says the rest.\n"
        "\n"
        "| operator | from opset | attributes |\n|---|---|---|\n",
        file);
#define IR_OP(type, since, least, most, results, attributes, translator, detail)                                       \
  print_row(file, type, since, attributes);
#define IR_MISSING(type, reason)
#include "dialects/import/openvino/ops.def"
  fputs("\n## Not supported\n\n| operator | why |\n|---|---|\n", file);
#define IR_OP(type, since, least, most, results, attributes, translator, detail)
#define IR_MISSING(type, reason) fputs("| " type " | " reason " |\n", file);
#include "dialects/import/openvino/ops.def"
}

// A section with the names of a table.
static void print_names(FILE *file, const char *title, size_t count, const char *const *names) {
  fprintf(file, "\n## %s\n\n", title);
  int column = 0;
  for (size_t i = 0; i < count; i++) {
    int width = (int)strlen(names[i]) + 4;
    if (column + width > 120) {
      fputc('\n', file);
      column = 0;
    }
    column += fprintf(file, "%s`%s`%s", column ? " " : "", names[i], i + 1 < count ? "," : "\n");
  }
}

static void print_mlir(FILE *file) {
  static const char *const tosa[] = {
#define TOSA_OP(name, ...) name,
#define TOSA_MISSING(name, reason)
#include "dialects/import/tosa/ops.def"
  };
  static const char *const linalg[] = {
#define LINALG_OP(name, ...) name,
#define LINALG_MISSING(name, reason)
#include "dialects/import/linalg/ops.def"
  };
  static const char *const stablehlo[] = {
#define HLO_OP(name, ...) name,
#define HLO_MISSING(name, reason)
#include "dialects/import/stablehlo/ops.def"
  };
  fputs("# Operations of MLIR's dialects\n"
        "\n"
        "Generated from `dialects/import/{tosa,linalg,stablehlo}/ops.def` by `strata-docs mlir`; do not edit.\n"
        "[from-mlir.md](from-mlir.md) and [from-jax.md](from-jax.md) say how modules of them are compiled.\n",
        file);
  print_names(file, "TOSA", sizeof tosa / sizeof *tosa, tosa);
  print_names(file, "linalg on tensors, and what its modules have besides", sizeof linalg / sizeof *linalg, linalg);
  print_names(file, "StableHLO", sizeof stablehlo / sizeof *stablehlo, stablehlo);
  fputs("\n## Not supported\n\n| operation | why |\n|---|---|\n", file);
#define TOSA_OP(...)
#define TOSA_MISSING(name, reason) fputs("| tosa." name " | " reason " |\n", file);
#include "dialects/import/tosa/ops.def"
#define LINALG_OP(...)
#define LINALG_MISSING(name, reason) fputs("| " name " | " reason " |\n", file);
#include "dialects/import/linalg/ops.def"
#define HLO_OP(...)
#define HLO_MISSING(name, reason) fputs("| stablehlo." name " | " reason " |\n", file);
#include "dialects/import/stablehlo/ops.def"
}

static bool print(int argc, char **argv) {
  if (argc == 3)
    return print_for(argv[1], argv[2]);
  if (argc == 2 && strcmp(argv[1], "options") == 0)
    strata_options_print_markdown(stdout);
  else if (argc == 2 && strcmp(argv[1], "python") == 0)
    strata_options_print_python(stdout);
  else if (argc == 2 && strcmp(argv[1], "ops") == 0)
    strata_print_ops_markdown(print_text, stdout);
  else if (argc == 2 && strcmp(argv[1], "openvino") == 0)
    print_openvino(stdout);
  else if (argc == 2 && strcmp(argv[1], "mlir") == 0)
    print_mlir(stdout);
  else if (argc == 2 && strcmp(argv[1], "schedule") == 0)
    print_schedule(stdout);
  else if (argc == 2 && strcmp(argv[1], "kinds") == 0)
    print_kinds(stdout);
  else
    return false;
  return true;
}

static strata_status_t document(int argc, char **argv) {
  if (print(argc, argv))
    return NULL;
  return strata_error(STRATA_INVALID_ARGUMENT,
                      "usage: strata-docs options|python|ops|openvino|mlir|schedule|kinds|manual COMMAND|completion "
                      "bash|zsh|fish");
}

int main(int argc, char **argv) {
  strata_output_begin();
  strata_status_t status = strata_output_end(document(argc, argv));
  strata_print_error(status, NULL);
  strata_status_free(status);
  return status ? 1 : 0;
}
