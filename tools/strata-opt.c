// strata-opt FILE --pipeline=… | --PASS… : runs passes, ours and MLIR's, on a module and prints it; docs/add-a-pass.md.
// The way in of lit tests.
#include "dialects/import/import.h"
#include "dialects/import/mapped_file.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "runtime/base/whole_file.h"
#include "targets/passes.h"
#include "tools/commands.h"
#include "tools/errors.h"
#include "tools/options.h"
#include "tools/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

// MLIR's list of the passes that are registered, to LLVM's own standard output; C has no other way to it.
extern void strata__print_upstream_passes(void) __asm__("_ZN4mlir21printRegisteredPassesEv");

// The passes of every level.
static const strata_pass_table_t *const tables[] = {&strata_passes, &strata_lowerings, &strata_target_passes};

typedef struct {
  strata_arena_t *arena;
  strata_compile_options_t compile_options;
  const char *path, *pipeline, *output;
  bool split, verify, print_locations, list_passes, help;
  FILE *file; // of what is printed
} opt_t;

//===-- The command line -----------------------------------------------------------------------------------------===//

static bool is_option_of_strata(const char *name, size_t length) {
  static const char *const names[] = {
#define GROUP(...)
#define OPTION(type, field, name, ...) name,
#include "tools/options.def"
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
      return true;
  return false;
}

static void add_passes(opt_t *opt, const char *passes) {
  opt->pipeline = *opt->pipeline ? strata_arena_printf(opt->arena, "%s,%s", opt->pipeline, passes) : passes;
}

// What is no option of ours or of `strata` is the name of a pass.
static strata_status_t parse_arguments(opt_t *opt, int argc, char **argv) {
  const char **rest = strata_arena_array(opt->arena, const char *, argc + 1);
  int n_rest = 0;
  for (int i = 0; i < argc; i++) {
    const char *arg = argv[i];
    if (strcmp(arg, "--split-input-file") == 0)
      opt->split = true;
    else if (strcmp(arg, "--verify-diagnostics") == 0)
      opt->verify = true;
    else if (strcmp(arg, "--print-locations") == 0)
      opt->print_locations = true;
    else if (strcmp(arg, "--list-passes") == 0)
      opt->list_passes = true;
    else if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
      opt->help = true;
    else if (strncmp(arg, "--output=", strlen("--output=")) == 0)
      opt->output = arg + strlen("--output=");
    else if (strcmp(arg, "-o") == 0 && i + 1 < argc)
      opt->output = argv[++i];
    else if (strncmp(arg, "--pipeline=", strlen("--pipeline=")) == 0)
      add_passes(opt, arg + strlen("--pipeline="));
    else if (i > 0 && strncmp(arg, "--", 2) == 0 && !is_option_of_strata(arg + 2, strcspn(arg + 2, "=")))
      add_passes(opt, arg + 2);
    else
      rest[n_rest++] = arg;
  }
  if (opt->help || opt->list_passes)
    return NULL;
  strata_options_t options;
  STRATA_TRY(strata_options_parse(opt->arena, n_rest, rest, (const char *const *)environ, &options));
  opt->compile_options = strata_options_for_compile(opt->arena, &options);
  opt->path = options.input_path;
  return opt->path ? NULL : strata_error(STRATA_INVALID_ARGUMENT, "usage: strata-opt FILE --pipeline=PASSES");
}

//===-- Running --------------------------------------------------------------------------------------------------===//

static void print_module(const opt_t *opt, MlirModule module) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  if (opt->print_locations)
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
  mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags, strata_text_write, opt->file);
  mlirOpPrintingFlagsDestroy(flags);
}

static strata_status_t run_passes(opt_t *opt, strata_compile_t *compile, const char *chunk) {
  STRATA_TRY(strata_compile_init(compile, &opt->compile_options));
  STRATA_TRY(strata_parse_mlir(compile, chunk, strlen(chunk)));
  STRATA_TRY(strata_pipeline_run(compile, opt->pipeline, sizeof tables / sizeof tables[0], tables));
  return strata_compile_verify(compile);
}

static bool run_chunk(opt_t *opt, const char *chunk) {
  strata_compile_t compile = {0};
  strata_status_t status = run_passes(opt, &compile, chunk);
  bool ok = !status;
  if (opt->verify)
    ok = strata_errors_are_expected(opt->arena, opt->path, chunk, strata_status_message(status));
  else if (ok)
    print_module(opt, compile.module);
  else
    strata_print_error(status, opt->path);
  strata_status_free(status);
  strata_compile_deinit(&compile);
  return ok;
}

// The chunk from |begin| to |end| with as many empty lines before it as it has lines before it in the file, so that
// messages give the file's lines.
static char *chunk_text(strata_arena_t *arena, const char *file, const char *begin, const char *end) {
  size_t n_lines = 0;
  for (const char *at = file; at < begin; at++)
    n_lines += *at == '\n';
  char *text = strata_arena_alloc(arena, n_lines + (size_t)(end - begin) + 1);
  memset(text, '\n', n_lines);
  memcpy(text + n_lines, begin, (size_t)(end - begin));
  return text;
}

static const char separator[] = "// -----";

// The first separator from |at| on that starts a line of |text|.
static const char *find_separator(const char *text, const char *at) {
  for (at = strstr(at, separator); at && at > text && at[-1] != '\n';)
    at = strstr(at + 1, separator);
  return at;
}

static bool run_file(opt_t *opt, const strata_mapped_file_t *file) {
  const char *text =
      file->size ? strata_arena_printf(opt->arena, "%.*s", (int)file->size, (const char *)file->data) : "";
  bool ok = true;
  for (const char *begin = text, *end; begin; begin = *end ? end + strlen(separator) : NULL) {
    end = opt->split ? find_separator(text, begin) : NULL;
    end = end ? end : begin + strlen(begin);
    if (begin != text && !opt->verify)
      fputs("// -----\n", opt->file);
    ok &= run_chunk(opt, chunk_text(opt->arena, text, begin, end));
  }
  return ok;
}

//===-- Input and output -----------------------------------------------------------------------------------------===//

static strata_status_t read_input(const opt_t *opt, strata_mapped_file_t *out_file) {
  if (strcmp(opt->path, "-") != 0)
    return strata_map_file(opt->arena, opt->path, out_file);
  STRATA_VECTOR(uint8_t) text = {0};
  for (int c; (c = getchar()) != EOF;)
    *strata_vector_push(opt->arena, &text) = (uint8_t)c;
  *out_file = (strata_mapped_file_t){.data = text.data, .size = text.count};
  return ferror(stdin) ? strata_error(STRATA_IO, "standard input: %s", strerror(errno)) : NULL;
}

static void print_help(void) {
  const strata_command_t *command = strata_find_command("strata-opt");
  printf("usage: %s %s\n\n%s\n\n", command->name, command->arguments, command->text);
  strata_command_print_options(command, stdout);
}

static strata_status_t write_output(const opt_t *opt, const char *text, size_t size) {
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(opt->output, &file));
  fwrite(text, 1, size, file.file);
  return strata_whole_file_close(&file);
}

static bool run(opt_t *opt) {
  strata_mapped_file_t file = {0};
  char *text = NULL;
  size_t size = 0;
  strata_status_t status = read_input(opt, &file);
  if (strcmp(opt->path, "-") == 0)
    opt->path = "<stdin>";
  opt->file = opt->output ? open_memstream(&text, &size) : stdout;
  bool ok = !status && run_file(opt, &file);
  if (opt->output)
    fclose(opt->file);
  if (ok && opt->output)
    status = write_output(opt, text, size);
  free(text);
  strata_print_error(status, NULL);
  ok &= !status;
  strata_status_free(status);
  return ok;
}

static bool list_passes(void) {
  static const char *const titles[] = {"Of the levels strata, affine and tile", "From level to level", "To code"};
  strata_compile_t compile = {0};
  strata_compile_options_t options = {0};
  strata_status_t status = strata_compile_init(&compile, &options); // which registers MLIR's
  strata_print_error(status, NULL);
  for (size_t t = 0; !status && t < sizeof tables / sizeof tables[0]; t++) {
    printf("%s:\n", titles[t]);
    for (size_t i = 0; i < tables[t]->count; i++)
      printf("  --%-32s %s\n", tables[t]->passes[i].name, tables[t]->passes[i].summary);
  }
  puts("MLIR's:");
  fflush(stdout);
  if (!status)
    strata__print_upstream_passes();
  bool ok = !status;
  strata_status_free(status);
  strata_compile_deinit(&compile);
  return ok;
}

int main(int argc, char **argv) {
  strata_output_begin();
  opt_t opt = {.arena = strata_arena_create(), .pipeline = ""};
  strata_status_t status = parse_arguments(&opt, argc, argv);
  bool ok = !status;
  if (ok && opt.help)
    print_help();
  else if (ok)
    ok = opt.list_passes ? list_passes() : run(&opt);
  status = strata_output_end(status);
  ok &= !status;
  strata_print_error(status, NULL);
  strata_status_free(status);
  strata_arena_destroy(opt.arena);
  return ok ? 0 : 1;
}
