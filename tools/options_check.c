// Options that are right alone and wrong together.
#include "passes/tuning/tuning.h"
#include "tools/option_parser.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef strata_option_parser_t parser_t;

//===-- Options without effect -----------------------------------------------------------------------------------===//

static bool is_met(strata_option_need_t need, const strata_options_t *options) {
  switch (need) {
#define NEED(id, is_met, ...)                                                                                          \
  case STRATA_OPTION_NEEDS_##id:                                                                                       \
    return is_met;
#include "tools/needs.def"
  }
  return true;
}

// What is said once on the command line must have an effect; the environment is for every command, and what has no
// effect on this one is left aside.
static void check_needs(parser_t *parser) {
  static const char *const otherwise[] = {
#define NEED(id, is_met, text, otherwise) otherwise,
#include "tools/needs.def"
  };
  for (size_t i = 0; i < strata_n_options; i++) {
    const strata_option_t *option = &strata_option_table[i];
    if (option->type == STRATA_OPTION_group || is_met(option->needs, parser->options))
      continue;
    if (parser->given[i])
      strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: %s", parser->given[i], otherwise[option->needs]);
    else
      strata_option_reset(parser, option);
  }
}

static bool is_given(const parser_t *parser, const void *field) {
  for (size_t i = 0; i < strata_n_options; i++)
    if (parser->given[i] && strata_option_field(parser, &strata_option_table[i]) == field)
      return true;
  return false;
}

// A dump after a phase that this compile does not come to.
static void check_dump(parser_t *parser) {
  const strata_options_t *options = parser->options;
  int phase = options->dump_after - 1; // the first choice is none, the last all
  unsigned target = options->target == STRATA_TARGET_CPU ? STRATA_ON_CPU : STRATA_ON_GPU;
  if (phase < 0 || phase >= STRATA_PHASE_COUNT || !is_given(parser, &options->dump_after))
    return;
  const char *name = strata_phase_info[phase].name;
  if (phase > options->compile_to)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--dump-after=%s: the compile ends before, at --compile-to=%s", name,
                          strata_phase_info[options->compile_to].name);
  else if (!(strata_phase_info[phase].targets & target))
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--dump-after=%s: no phase of this target", name);
}

// IR that is further than the compile is to come.
static void check_start(parser_t *parser) {
  const strata_options_t *options = parser->options;
  if (options->compile_from > STRATA_PHASE_IMPORT && options->compile_from >= options->compile_to)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--compile-from=%s: the compile ends before, at "
                          "--compile-to=%s",
                          strata_phase_info[options->compile_from].name, strata_phase_info[options->compile_to].name);
}

//===-- Values ---------------------------------------------------------------------------------------------------===//

static void check_name(parser_t *parser) {
  strata_status_t status = strata_library_check_name(parser->options->aot_name);
  if (status)
    strata_option_problem(parser, strata_status_code(status), "%s", strata_status_message(status));
  strata_status_free(status);
}

enum { GPU_ALIGNMENT = 16 }; // bytes: a thread's widest load

static size_t stars_in(const char *from, const char *to) {
  size_t count = 0;
  for (; from < to; from++)
    count += *from == '*';
  return count;
}

static void check_aliases(parser_t *parser) {
  const strata_option_list_t *aliases = &parser->options->alias;
  for (size_t i = 0; i < aliases->count; i++) {
    const char *text = aliases->items[i], *equals = strchr(text, '=');
    size_t left = stars_in(text, equals), right = stars_in(equals, text + strlen(text));
    if (left != right || left > 1)
      strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--alias %s: expected one '*' on each side or none", text);
  }
}

static void check_values(parser_t *parser) {
  const strata_options_t *options = parser->options;
  bool has_devices = options->device && strchr(options->device, ',');
  if (options->target == STRATA_TARGET_CPU && has_devices)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--device: expected one device on cpu, got several");
  if (options->target == STRATA_TARGET_CPU && options->weights == STRATA_WEIGHTS_SET)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--weights=set: expected a GPU target, got cpu");
  if (options->on_gpu_tensors && options->alignment && options->alignment < GPU_ALIGNMENT)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--alignment: expected at least %d for tensors of GPUs, got %d", GPU_ALIGNMENT,
                          options->alignment);
  if (options->user_memory && !options->one_time_load)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--no-device-one-time-load: expected no --user-device-memory, whose caller loads the library "
                          "by hand");
  check_name(parser);
  if (options->alignment & (options->alignment - 1))
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--alignment: expected a power of two, got %d",
                          options->alignment);
  check_aliases(parser);
  for (size_t i = 0; i < options->bound.count; i++) {
    strata_import_dim_t bound = {0};
    const char *text = options->bound.items[i];
    if (strata_import_dim_parse(strrchr(text, '=') + 1, &bound) || bound.is_range)
      strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--bound %s: expected a number behind the name", text);
  }
  for (size_t i = 0; i < options->dim.count; i++) {
    strata_import_dim_t dim = {0};
    const char *expected = strata_import_dim_parse(strrchr(options->dim.items[i], '=') + 1, &dim);
    if (expected)
      strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--dim %s: %s", options->dim.items[i], expected);
  }
}

// Whether the graph of a model file is in |list|: number 0, as the Python package calls the first one.
static bool has_graph(const char *list) {
  static const char *const names[] = {"0", "graph_0", "0/0"};
  for (const char *at = list; *at; at += strspn(at, ", ")) {
    size_t length = strcspn(at, ", ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (length == strlen(names[i]) && !strncmp(at, names[i], length))
        return true;
    at += length;
  }
  return false;
}

// Here is no PyTorch that would run a graph which is left out.
static void check_graphs(parser_t *parser) {
  const strata_options_t *options = parser->options;
  if (options->torch_select && !has_graph(options->torch_select))
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--torch-polyblocks-select-graphs=%s: a model file is one graph, 0, which is not among them: "
                          "nothing is left to compile",
                          options->torch_select);
  if (options->torch_filter && has_graph(options->torch_filter))
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--torch-polyblocks-filter-graphs=%s: a model file is one graph, 0: nothing is left to "
                          "compile, and PyTorch is not here to run it",
                          options->torch_filter);
}

//===-- Tuning ---------------------------------------------------------------------------------------------------===//

// Only --autotune=export takes a second word, and writes nothing but into its folder.
static void check_folder(parser_t *parser) {
  strata_options_t *options = parser->options;
  bool is_export = options->autotune == STRATA_AUTOTUNE_EXPORT;
  if (parser->folder && !is_export)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: expected one input, got %s before", parser->folder,
                          options->input_path);
  if (!is_export)
    return;
  if (parser->folder)
    options->output = parser->folder;
  if (!options->output)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--autotune=export: expected a folder behind the input, or --output-dir");
  if (options->aot || options->compile_to != STRATA_PHASE_LIBRARY || options->dump_autotune)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--autotune=export: expected neither --aot, --compile-to nor --dump-autotune-results-to: "
                          "nothing but candidates is written");
  if (options->device && strchr(options->device, ','))
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "--autotune=export: expected one --device, got several");
}

// Results that are given are used.
static void check_tuning(parser_t *parser) {
  strata_options_t *options = parser->options;
  bool has_results = options->load_autotune || options->autotune_cache;
  bool is_off = options->autotune == STRATA_AUTOTUNE_OFF && is_given(parser, &options->autotune);
  if (options->require_autotune && options->autotune > STRATA_AUTOTUNE_REQUIRE)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--xla-gpu-require-complete-aot-autotune-results: not with --autotune=export");
  if (options->require_autotune)
    options->autotune = STRATA_AUTOTUNE_REQUIRE;
  else if (has_results && options->autotune == STRATA_AUTOTUNE_OFF && !is_off)
    options->autotune = STRATA_AUTOTUNE_READ;
  if (options->dump_autotune && options->autotune == STRATA_AUTOTUNE_OFF)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT,
                          "--dump-autotune-results-to: expected results to use: --load-autotune-results-from or "
                          "--autotune-cache-dir");
  check_folder(parser);
}

void strata_options_check(parser_t *parser) {
  const strata_options_t *options = parser->options;
  if (options->help || options->version)
    return;
  if (!options->input_path)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "expected an input file; --help lists the options");
  check_needs(parser);
  check_dump(parser);
  check_start(parser);
  check_values(parser);
  check_graphs(parser);
  check_tuning(parser);
}
