// The parser: default, environment and command line into strata_options_t.
#include "tools/option_table.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  strata_arena_t *arena;
  strata_options_t *options;
  strata_status_code_t code; // of the first problem
  const char *problems;      // one a line, NULL where there is none
} parser_t;

static void problem(parser_t *parser, strata_status_code_t code, const char *line) {
  if (!parser->problems)
    parser->code = code;
  parser->problems = parser->problems ? strata_arena_printf(parser->arena, "%s\n%s", parser->problems, line) : line;
}

//===-- Values ----------------------------------------------------------------------------------------------------===//

static bool parse_flag(const char *text, bool *out_value) {
  static const char *const spelled[] = {"off", "on", "false", "true", "0", "1", "no", "yes"};
  for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; i++) {
    if (strcmp(text, spelled[i]) == 0) {
      *out_value = i % 2;
      return true;
    }
  }
  return false;
}

// |range| is "low..high", or "low.." up to the largest int.
static bool parse_count(const char *text, const char *range, int *out_value) {
  char *end;
  long low = strtol(range, &end, 10);
  long high = end[2] ? strtol(end + 2, NULL, 10) : INT_MAX;
  if (!isdigit((unsigned char)text[0]))
    return false;
  long value = strtol(text, &end, 10); // out of range: LONG_MAX
  if (*end || value < low || value > high)
    return false;
  *out_value = (int)value;
  return true;
}

static bool parse_choice(const char *text, const char *choices, int *out_value) {
  int index = 0;
  for (const char *choice = choices;; index++) {
    size_t length = strcspn(choice, "|");
    if (strlen(text) == length && memcmp(choice, text, length) == 0) {
      *out_value = index;
      return true;
    }
    if (!choice[length])
      return false;
    choice += length + 1;
  }
}

// An item of a list; where the table says NAME=..., both sides are required.
static bool parse_item(parser_t *parser, const char *text, const char *values, strata_option_list_t *list) {
  const char *equals = strchr(text, '=');
  if (!*text || (strchr(values, '=') && (!equals || equals == text || !equals[1])))
    return false;
  const char **items = strata_arena_array(parser->arena, const char *, list->count + 1);
  if (list->count)
    memcpy(items, list->items, list->count * sizeof *items);
  items[list->count++] = text;
  list->items = items;
  return true;
}

static bool parse_value(parser_t *parser, const strata_option_t *option, const char *text) {
  void *field = (char *)parser->options + option->offset;
  switch (option->type) {
  case STRATA_OPTION_flag:
    return parse_flag(text, field);
  case STRATA_OPTION_count:
    return parse_count(text, option->values, field);
  case STRATA_OPTION_choice:
    return parse_choice(text, option->values, field);
  case STRATA_OPTION_text:
    memcpy(field, &text, sizeof text);
    return *text != 0;
  case STRATA_OPTION_list:
    return parse_item(parser, text, option->values, field);
  case STRATA_OPTION_group:
    break;
  }
  return false;
}

// |shown| is the option as the user wrote it, for messages.
static void set(parser_t *parser, const strata_option_t *option, const char *shown, const char *text) {
  if (option->standing == STRATA_OPTION_LATER)
    problem(parser, STRATA_UNSUPPORTED, strata_arena_printf(parser->arena, "%s: not supported yet", shown));
  else if (!parse_value(parser, option, text))
    problem(parser, STRATA_INVALID_ARGUMENT,
            strata_arena_printf(parser->arena, "%s: expected %s, got '%s'", shown,
                                option->type == STRATA_OPTION_flag ? "on or off" : option->values, text));
}

static void set_defaults(parser_t *parser) {
  for (size_t i = 0; i < strata_n_options; i++)
    if (strata_option_table[i].otherwise)
      set(parser, &strata_option_table[i], strata_option_table[i].name, strata_option_table[i].otherwise);
}

//===-- Names -----------------------------------------------------------------------------------------------------===//

// Whether |spelled| (|length| bytes) is |name| up to '_' for '-'.
static bool same_name(const char *spelled, size_t length, const char *name, size_t name_length) {
  if (length != name_length)
    return false;
  for (size_t i = 0; i < length; i++)
    if (spelled[i] != name[i] && !(spelled[i] == '_' && name[i] == '-'))
      return false;
  return true;
}

static bool has_name(const strata_option_t *option, const char *spelled, size_t length) {
  if (option->type == STRATA_OPTION_group)
    return false;
  if (same_name(spelled, length, option->name, strlen(option->name)))
    return true;
  for (const char *alias = option->aliases; *alias; alias += strspn(alias, " ")) {
    size_t alias_length = strcspn(alias, " ");
    if (same_name(spelled, length, alias, alias_length))
      return true;
    alias += alias_length;
  }
  return false;
}

static const strata_option_t *find_option(const char *spelled, size_t length) {
  for (size_t i = 0; i < strata_n_options; i++)
    if (has_name(&strata_option_table[i], spelled, length))
      return &strata_option_table[i];
  return NULL;
}

// One argument that starts with a hyphen; the value may be the next one. Returns how many arguments were used.
static int parse_option(parser_t *parser, const char *argument, const char *next) {
  const char *name = argument + 1 + (argument[1] == '-');
  size_t length = strcspn(name, "=");
  const char *value = name[length] ? name + length + 1 : NULL;
  const strata_option_t *option = find_option(name, length);
  if (!option && argument[1] != '-' && (option = find_option(name, 1))) // -O2
    length = 1, value = name + 1;
  const char *shown = strata_arena_printf(parser->arena, "%.*s", (int)(name - argument + (ptrdiff_t)length), argument);
  if (!option && strncmp(name, "no-", 3) == 0 && !value) {
    option = find_option(name + 3, length - 3);
    if (option && option->type == STRATA_OPTION_flag)
      return set(parser, option, shown, "off"), 1;
    option = NULL;
  }
  if (!option) {
    problem(parser, STRATA_INVALID_ARGUMENT,
            strata_arena_printf(parser->arena, "%s: unknown option; --help lists them", shown));
    return 1;
  }
  if (value || option->type == STRATA_OPTION_flag)
    return set(parser, option, shown, value ? value : "on"), 1;
  if (!next) {
    problem(parser, STRATA_INVALID_ARGUMENT,
            strata_arena_printf(parser->arena, "%s: expected a value: %s", shown, option->values));
    return 1;
  }
  return set(parser, option, shown, next), 2;
}

static void parse_arguments(parser_t *parser, int argc, const char *const *argv) {
  bool only_input = false;
  for (int i = 1; i < argc;) {
    const char *argument = argv[i];
    if (!only_input && strcmp(argument, "--") == 0) {
      only_input = true;
      i++;
    } else if (!only_input && argument[0] == '-' && argument[1]) {
      i += parse_option(parser, argument, i + 1 < argc ? argv[i + 1] : NULL);
    } else {
      if (parser->options->input_path)
        problem(parser, STRATA_INVALID_ARGUMENT,
                strata_arena_printf(parser->arena, "%s: expected one input, got %s before", argument,
                                    parser->options->input_path));
      parser->options->input_path = argument;
      i++;
    }
  }
}

// STRATA_OPT_LEVEL=2; a list is separated by commas. Other variables of this prefix belong to the runtime.
static void parse_environment(parser_t *parser, const char *const *environment) {
  static const char prefix[] = "STRATA_";
  for (; environment && *environment; environment++) {
    const char *equals = strchr(*environment, '=');
    if (!equals || strncmp(*environment, prefix, strlen(prefix)) != 0)
      continue;
    char *shown = strata_arena_printf(parser->arena, "%.*s", (int)(equals - *environment), *environment);
    char *name = strata_arena_strdup(parser->arena, shown + strlen(prefix));
    for (char *c = name; *c; c++)
      *c = (char)tolower((unsigned char)*c);
    const strata_option_t *option = find_option(name, strlen(name));
    if (!option || strlen(name) == 1)
      continue;
    char *value = strata_arena_strdup(parser->arena, equals + 1);
    char *comma = option->type == STRATA_OPTION_list ? strchr(value, ',') : NULL;
    for (; comma; value = comma + 1, comma = strchr(value, ',')) {
      *comma = 0;
      set(parser, option, shown, value);
    }
    set(parser, option, shown, value);
  }
}

//===-- Values together -------------------------------------------------------------------------------------------===//

static bool parse_size(const char *text, int64_t *out_size) {
  char *end;
  if (!isdigit((unsigned char)*text))
    return false;
  *out_size = strtoll(text, &end, 10);
  return !*end && *out_size != LLONG_MAX;
}

static void check_name(parser_t *parser) {
  strata_status_t status = strata_library_check_name(parser->options->aot_name);
  if (status)
    problem(parser, strata_status_code(status), strata_arena_strdup(parser->arena, strata_status_message(status)));
  strata_status_free(status);
}

enum { GPU_ALIGNMENT = 16 }; // bytes: a thread's widest load

static void check_together(parser_t *parser) {
  const strata_options_t *options = parser->options;
  if (!options->input_path && !options->help && !options->version)
    problem(parser, STRATA_INVALID_ARGUMENT, "expected an input file; --help lists the options");
  if (options->target == STRATA_TARGET_CPU && options->on_gpu_tensors)
    problem(parser, STRATA_INVALID_ARGUMENT, "--on-gpu-tensors: expected a GPU target, got cpu");
  if (options->target == STRATA_TARGET_CPU && options->schedule)
    problem(parser, STRATA_INVALID_ARGUMENT, "--schedule: expected a GPU target, got cpu");
  bool has_devices = options->device && strchr(options->device, ',');
  if (options->target == STRATA_TARGET_CPU && has_devices)
    problem(parser, STRATA_INVALID_ARGUMENT, "--device: expected one device on cpu, got several");
  if (options->target == STRATA_TARGET_CPU && options->weights == STRATA_WEIGHTS_SET)
    problem(parser, STRATA_INVALID_ARGUMENT, "--weights=set: expected a GPU target, got cpu");
  if (options->on_gpu_tensors && options->alignment && options->alignment < GPU_ALIGNMENT)
    problem(parser, STRATA_INVALID_ARGUMENT,
            strata_arena_printf(parser->arena, "--alignment: expected at least %d for tensors of GPUs, got %d",
                                GPU_ALIGNMENT, options->alignment));
  check_name(parser);
  if (options->alignment & (options->alignment - 1))
    problem(parser, STRATA_INVALID_ARGUMENT,
            strata_arena_printf(parser->arena, "--alignment: expected a power of two, got %d", options->alignment));
  for (size_t i = 0; i < options->dim.count; i++) {
    int64_t size;
    if (!parse_size(strchr(options->dim.items[i], '=') + 1, &size))
      problem(parser, STRATA_INVALID_ARGUMENT,
              strata_arena_printf(parser->arena, "--dim %s: expected a size, 0 or more", options->dim.items[i]));
  }
}

strata_status_t strata_options_parse(strata_arena_t *arena, int argc, const char *const *argv,
                                     const char *const *environment, strata_options_t *out_options) {
  *out_options = (strata_options_t){0};
  parser_t parser = {.arena = arena, .options = out_options};
  set_defaults(&parser);
  parse_environment(&parser, environment);
  parse_arguments(&parser, argc, argv);
  check_together(&parser);
  return parser.problems ? strata_error(parser.code, "%s", parser.problems) : NULL;
}
