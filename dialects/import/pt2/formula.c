// Formulas of ops.def over an operator's arguments: Add(self, Mul(other, alpha)).
#include "dialects/import/pt2/convert.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 8 };

typedef struct {
  pt2_node_t *n;
  const char *at;
  strata_dtype_t dtype;
} formula_t;

static const char *expression(formula_t *f);

static void skip(formula_t *f, char character) {
  assert(*f->at == character); // formulas are ours
  (void)character;
  f->at++;
  f->at += strspn(f->at, " ");
}

static const char *name(formula_t *f) {
  const char *start = f->at;
  while (isalnum((unsigned char)*f->at) || *f->at == '_' || *f->at == '.')
    f->at++;
  return strata_arena_printf(f->n->arena, "%.*s", (int)(f->at - start), start);
}

// name=1, name=0.5 or name="text"
static void attribute(formula_t *f, graph_node_t *node) {
  const char *key = name(f);
  skip(f, '=');
  bool is_text = *f->at == '"';
  f->at += is_text;
  size_t length = strcspn(f->at, is_text ? "\"" : ",)");
  const char *value = strata_arena_printf(f->n->arena, "%.*s", (int)length, f->at);
  f->at += length + is_text;
  if (!node)
    return;
  if (is_text)
    graph_set_string(node, key, value);
  else if (strchr(value, '.'))
    graph_set_float(node, key, strtod(value, NULL));
  else
    graph_set_int(node, key, strtoll(value, NULL, 10));
}

static const char *call(formula_t *f, const char *op) {
  const char *operands[MAX_OPERANDS];
  int count = 0;
  for (char open = '('; *f->at == open; open = ',') {
    skip(f, open);
    assert(count < MAX_OPERANDS);
    operands[count++] = expression(f);
  }
  graph_node_t *node = pt2_node(f->n, op, count, operands);
  for (char open = ';'; *f->at == open; open = ',') {
    skip(f, open);
    attribute(f, node);
  }
  skip(f, ')');
  return node ? graph_result(node, NULL) : "";
}

static const char *expression(formula_t *f) {
  if (isdigit((unsigned char)*f->at) || *f->at == '-') {
    char *end;
    double value = strtod(f->at, &end);
    f->at = end;
    return pt2_number_value(f->n, f->dtype, value);
  }
  const char *word = name(f);
  return *f->at == '(' ? call(f, word) : pt2_operand(f->n, word, f->dtype);
}

const char *pt2_formula(pt2_node_t *n, strata_dtype_t dtype, const char *text) {
  formula_t f = {.n = n, .at = text, .dtype = dtype};
  return expression(&f);
}
