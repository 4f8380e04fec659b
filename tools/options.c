// The parser: default, environment and command line into strata_options_t.
#include "runtime/base/nearest.h"
#include "tools/option_parser.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef strata_option_parser_t parser_t;

void strata_option_problem(parser_t *parser, strata_status_code_t code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_status_t status = strata_error_v(code, format, args);
  va_end(args);
  const char *line = strata_status_message(status);
  if (!parser->problems)
    parser->code = code;
  parser->problems = parser->problems ? strata_arena_printf(parser->arena, "%s\n%s", parser->problems, line)
                                      : strata_arena_strdup(parser->arena, line);
  strata_status_free(status);
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

// Whether a file's name ends as the table asks: "FILE.svg|FILE.dot".
static bool has_ending(const char *text, const char *values) {
  static const char file[] = "FILE.";
  for (const char *at = strstr(values, file); at; at = strstr(at, file)) {
    at += strlen(file) - 1;
    size_t length = strcspn(at, "|"), n = strlen(text);
    if (n > length && strncmp(text + n - length, at, length) == 0)
      return true;
  }
  return !strstr(values, file);
}

static bool parse_value(parser_t *parser, const strata_option_t *option, const char *text) {
  void *field = strata_option_field(parser, option);
  switch (option->type) {
  case STRATA_OPTION_flag:
    return parse_flag(text, field);
  case STRATA_OPTION_count:
    return parse_count(text, option->values, field);
  case STRATA_OPTION_choice:
    return parse_choice(text, option->values, field);
  case STRATA_OPTION_text:
    memcpy(field, &text, sizeof text);
    return *text && has_ending(text, option->values);
  case STRATA_OPTION_list:
    return parse_item(parser, text, option->values, field);
  case STRATA_OPTION_group:
    break;
  }
  return false;
}

static void invalid_value(parser_t *parser, const strata_option_t *option, const char *shown, const char *text) {
  strata_nearest_t nearest = strata_nearest(text);
  for (const char *choice = option->type == STRATA_OPTION_choice ? option->values : ""; *choice;) {
    size_t length = strcspn(choice, "|");
    strata_nearest_try(&nearest, choice, length);
    choice += length + (choice[length] == '|');
  }
  strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: expected %s, got '%s'%s", shown,
                        option->type == STRATA_OPTION_flag ? "on or off" : option->values, text,
                        strata_nearest_hint(parser->arena, &nearest));
}

// |shown| is the option as the user wrote it, for messages.
static void set(parser_t *parser, const strata_option_t *option, const char *shown, const char *text) {
  if (option->standing == STRATA_OPTION_LATER)
    strata_option_problem(parser, STRATA_UNSUPPORTED, "%s: not supported yet", shown);
  else if (!parse_value(parser, option, text))
    invalid_value(parser, option, shown, text);
  if (parser->on_command_line) {
    bool is_off = option->type == STRATA_OPTION_flag && !*(const bool *)strata_option_field(parser, option);
    parser->given[option - strata_option_table] = is_off ? NULL : shown;
  }
}

void strata_option_reset(parser_t *parser, const strata_option_t *option) {
  static const size_t sizes[] = {
      [STRATA_OPTION_flag] = sizeof(strata_option_flag_t),     [STRATA_OPTION_count] = sizeof(strata_option_count_t),
      [STRATA_OPTION_choice] = sizeof(strata_option_choice_t), [STRATA_OPTION_text] = sizeof(strata_option_text_t),
      [STRATA_OPTION_list] = sizeof(strata_option_list_t),
  };
  memset(strata_option_field(parser, option), 0, sizes[option->type]);
  if (option->otherwise)
    parse_value(parser, option, option->otherwise);
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

static void unknown_option(parser_t *parser, const char *shown) {
  size_t hyphens = strspn(shown, "-");
  strata_nearest_t nearest = strata_nearest(shown + hyphens);
  for (size_t i = 0; i < strata_n_options; i++) {
    const strata_option_t *option = &strata_option_table[i];
    if (option->type == STRATA_OPTION_group)
      continue;
    strata_nearest_try(&nearest, option->name, strlen(option->name));
    for (const char *alias = option->aliases; *alias; alias += strspn(alias, " ")) {
      size_t length = strcspn(alias, " ");
      if (length > 1)
        strata_nearest_try(&nearest, alias, length);
      alias += length;
    }
  }
  if (nearest.found)
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: unknown option; did you mean '--%.*s'?", shown,
                          (int)nearest.length, nearest.found);
  else
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: unknown option; --help lists them", shown);
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
    unknown_option(parser, shown);
    return 1;
  }
  if (value || option->type == STRATA_OPTION_flag)
    return set(parser, option, shown, value ? value : "on"), 1;
  if (!next) {
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: expected a value: %s", shown, option->values);
    return 1;
  }
  return set(parser, option, shown, next), 2;
}

// The input; behind it the folder of --autotune=export.
static void take_operand(parser_t *parser, const char *argument) {
  if (!parser->options->input_path)
    parser->options->input_path = argument;
  else if (!parser->folder)
    parser->folder = argument;
  else
    strata_option_problem(parser, STRATA_INVALID_ARGUMENT, "%s: expected one input, got %s before", argument,
                          parser->options->input_path);
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
      take_operand(parser, argument);
      i++;
    }
  }
}

static const char prefix[] = "STRATA_"; // of every variable of ours

// The variables of environment.def; a name of theirs ending in '*' stands for all that begin so.
static const char *const variables[] = {
#define VARIABLE(name, ...) name,
#include "tools/environment.def"
};
enum { N_VARIABLES = sizeof variables / sizeof variables[0] };

static bool is_known_variable(const char *name) {
  for (size_t i = 0; i < N_VARIABLES; i++) {
    size_t length = strcspn(variables[i], "*");
    if (strncmp(name, variables[i], length) == 0 && (variables[i][length] || !name[length]))
      return true;
  }
  return false;
}

// Somebody thinks that this variable does something.
static void warn_of_variable(parser_t *parser, const char *name) {
  strata_nearest_t nearest = strata_nearest(name + strlen(prefix));
  for (size_t i = 0; i < N_VARIABLES; i++)
    strata_nearest_try(&nearest, variables[i] + strlen(prefix), strlen(variables[i]) - strlen(prefix));
  for (size_t i = 0; i < strata_n_options; i++)
    if (strata_option_table[i].type != STRATA_OPTION_group)
      strata_nearest_try(&nearest, strata_option_table[i].name, strlen(strata_option_table[i].name));
  if (nearest.found) {
    char *found = strata_arena_printf(parser->arena, "%s%.*s", prefix, (int)nearest.length, nearest.found);
    for (char *c = found; *c; c++)
      *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    nearest.found = found;
    nearest.length = strlen(found);
  }
  strata_options_t *options = parser->options;
  const char *before = options->warnings ? options->warnings : "", *end = options->warnings ? "\n" : "";
  options->warnings = strata_arena_printf(parser->arena, "%s%s%s: no such variable%s", before, end, name,
                                          strata_nearest_hint(parser->arena, &nearest));
}

// STRATA_OPT_LEVEL=2; a list is separated by commas.
static void parse_environment(parser_t *parser, const char *const *environment) {
  for (; environment && *environment; environment++) {
    const char *equals = strchr(*environment, '=');
    if (!equals || strncmp(*environment, prefix, strlen(prefix)) != 0)
      continue;
    char *shown = strata_arena_printf(parser->arena, "%.*s", (int)(equals - *environment), *environment);
    char *name = strata_arena_strdup(parser->arena, shown + strlen(prefix));
    for (char *c = name; *c; c++)
      *c = (char)tolower((unsigned char)*c);
    const strata_option_t *option = find_option(name, strlen(name));
    if (!option || strlen(name) == 1) {
      if (!is_known_variable(shown))
        warn_of_variable(parser, shown);
      continue;
    }
    char *value = strata_arena_strdup(parser->arena, equals + 1);
    char *comma = option->type == STRATA_OPTION_list ? strchr(value, ',') : NULL;
    for (; comma; value = comma + 1, comma = strchr(value, ',')) {
      *comma = 0;
      set(parser, option, shown, value);
    }
    set(parser, option, shown, value);
  }
}

//===-- The whole
//----------------------------------------------------------------------------------------------------===//

strata_status_t strata_options_parse(strata_arena_t *arena, int argc, const char *const *argv,
                                     const char *const *environment, strata_options_t *out_options) {
  *out_options = (strata_options_t){0};
  parser_t parser = {.arena = arena, .options = out_options};
  parser.given = strata_arena_array(arena, const char *, strata_n_options);
  set_defaults(&parser);
  parse_environment(&parser, environment);
  parser.on_command_line = true;
  parse_arguments(&parser, argc, argv);
  strata_options_check(&parser);
  return parser.problems ? strata_error(parser.code, "%s", parser.problems) : NULL;
}
