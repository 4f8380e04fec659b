// Expressions over sizes: sympy's srepr in, arithmetic as people write it out.
#include "dialects/import/pt2/program.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NESTING = 64 };

typedef struct {
  strata_arena_t *arena;
  const char *at; // NULL after an error
  int depth;
} parser_t;

// What a call of sympy's is between its operands.
static const struct {
  const char *name, *between;
} operators[] = {
    {"Add", " + "},
    {"Mul", "*"},
    {"FloorDiv", "//"},
    {"CleanDiv", "//"},
};

static const char *fail(parser_t *parser) {
  parser->at = NULL;
  return "";
}

static bool take(parser_t *parser, const char *text) {
  size_t length = strlen(text);
  if (!parser->at || strncmp(parser->at, text, length) != 0)
    return false;
  parser->at += length;
  return true;
}

static const char *word(parser_t *parser, bool (*belongs)(int character)) {
  const char *start = parser->at;
  while (parser->at && belongs((unsigned char)*parser->at))
    parser->at++;
  return start ? strata_arena_printf(parser->arena, "%.*s", (int)(parser->at - start), start) : "";
}

static bool is_name(int character) { return isalnum(character) || character == '_' || character == '.'; }
static bool is_number(int character) { return isdigit(character) || character == '-'; }
static bool is_assumption(int character) { return character && character != ')'; }

static const char *expression(parser_t *parser);

typedef STRATA_VECTOR(char) text_t;

static void append(parser_t *parser, text_t *text, const char *more) {
  for (; *more; more++)
    *strata_vector_push(parser->arena, text) = *more;
}

// An operand is copied into the text of each call around it, of which there are MAX_NESTING at most.
static const char *operands(parser_t *parser, const char *between) {
  text_t text = {0};
  append(parser, &text, "(");
  do {
    append(parser, &text, text.count > 1 ? between : "");
    append(parser, &text, expression(parser));
  } while (take(parser, ", "));
  append(parser, &text, ")");
  *strata_vector_push(parser->arena, &text) = 0;
  return take(parser, ")") ? text.data : fail(parser);
}

static const char *expression(parser_t *parser) {
  const char *text;
  if (parser->depth++ == MAX_NESTING)
    return fail(parser);
  if (take(parser, "Integer(")) {
    text = word(parser, is_number);
    text = take(parser, ")") && *text ? text : fail(parser);
  } else if (take(parser, "Symbol('")) {
    text = word(parser, is_name);
    if (!take(parser, "'"))
      return fail(parser);
    word(parser, is_assumption);
    text = take(parser, ")") && *text ? text : fail(parser);
  } else {
    const char *name = word(parser, is_name), *between = NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
      if (!strcmp(operators[i].name, name))
        between = operators[i].between;
    text = between && take(parser, "(") ? operands(parser, between) : fail(parser);
  }
  parser->depth--;
  return text;
}

const char *pt2_expression_text(strata_arena_t *arena, const char *text) {
  parser_t parser = {.arena = arena, .at = text};
  const char *result = expression(&parser);
  return parser.at && !*parser.at ? result : NULL;
}
