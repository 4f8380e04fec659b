// Calls of one operator on complex tensors as calls of the same operator on their parts: linear ones, and products.
#include "dialects/import/pt2/split.h"

#include <string.h>

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
      return true;
  return false;
}

static size_t count_items(const split_t *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->call->n_inputs; i++)
    count += s->call->inputs[i].count;
  return count;
}

// The call with |items| in the place of those of its arguments, in a row. It has no results yet.
static pt2_call_t *call_with(split_t *s, pt2_item_t *items) {
  pt2_call_t *call = split_add_call(s, s->call->target, s->call->n_inputs, s->call->inputs);
  for (size_t i = 0; i < call->n_inputs; i++) {
    call->inputs[i].items = items;
    items += call->inputs[i].count;
  }
  return call;
}

//===-- Linear ---------------------------------------------------------------------------------------------------===//

static pt2_item_t *operands_of_part(split_t *s, int part) {
  pt2_item_t *items = strata_arena_array(s->arena, pt2_item_t, count_items(s) + 1);
  size_t count = 0;
  for (size_t i = 0; i < s->call->n_inputs; i++) {
    const pt2_argument_t *argument = &s->call->inputs[i];
    bool is_value = has_word(s->values, argument->name);
    for (size_t k = 0; k < argument->count; k++) {
      const pt2_item_t *item = &argument->items[k];
      items[count++] = is_value || split_is_complex(s, item) ? split_value_part(s, item, part) : *item;
    }
  }
  return items;
}

static pt2_argument_t *results_of_part(split_t *s, int part) {
  pt2_argument_t *results = strata_arena_copy(s->arena, s->call->outputs, s->call->n_outputs * sizeof *results);
  for (size_t i = 0; i < s->call->n_outputs; i++) {
    results[i].items = strata_arena_array(s->arena, pt2_item_t, results[i].count);
    for (size_t k = 0; k < results[i].count; k++)
      results[i].items[k] = split_part_of(s, &s->call->outputs[i].items[k], part);
  }
  return results;
}

void pt2_split_parts(split_t *s) {
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++) {
    pt2_item_t *items = operands_of_part(s, part);
    pt2_call_t *call = call_with(s, items);
    call->n_outputs = s->call->n_outputs;
    call->outputs = results_of_part(s, part);
  }
}

//===-- Products -------------------------------------------------------------------------------------------------===//

typedef struct {
  pt2_item_t *items; // of all arguments
  size_t operands[2];
} product_t;

static product_t read_product(split_t *s) {
  product_t product = {.items = strata_arena_array(s->arena, pt2_item_t, count_items(s) + 1)};
  size_t count = 0, n_operands = 0;
  for (size_t i = 0; i < s->call->n_inputs; i++)
    for (size_t k = 0; k < s->call->inputs[i].count; k++) {
      product.items[count] = s->call->inputs[i].items[k];
      if (has_word(s->values, s->call->inputs[i].name) && n_operands++ < 2)
        product.operands[n_operands - 1] = count;
      count++;
    }
  s->has_failed = n_operands != 2;
  return product;
}

// Of these parts of the operands.
static void multiply(split_t *s, const product_t *product, int left, int right, pt2_item_t out) {
  pt2_item_t *items = strata_arena_copy(s->arena, product->items, (count_items(s) + 1) * sizeof *items);
  int parts[2] = {left, right};
  for (int i = 0; i < 2; i++) {
    pt2_item_t *item = &items[product->operands[i]];
    if (split_is_complex(s, item))
      *item = split_part_of(s, item, parts[i]);
  }
  split_set_results(s, call_with(s, items), 1, &out);
}

void pt2_split_product(split_t *s) {
  product_t product = read_product(s);
  if (s->has_failed)
    return;
  const pt2_meta_t *like = split_meta(s, split_result(s));
  bool are_both = split_is_complex(s, &product.items[product.operands[0]]) &&
                  split_is_complex(s, &product.items[product.operands[1]]);
  for (int part = SPLIT_REAL; part <= SPLIT_IMAGINARY; part++) {
    if (!are_both) {
      multiply(s, &product, part, part, split_result_part(s, part));
      continue;
    }
    pt2_item_t one = split_new_tensor(s, like), other = split_new_tensor(s, like);
    multiply(s, &product, SPLIT_REAL, part, one);
    multiply(s, &product, SPLIT_IMAGINARY, !part, other);
    split_binary(s, part == SPLIT_REAL ? "aten.sub.Tensor" : "aten.add.Tensor", split_result_part(s, part), one, other);
  }
}

static pt2_item_t times(split_t *s, const pt2_meta_t *like, pt2_item_t a, pt2_item_t b) {
  return split_new_binary(s, "aten.mul.Tensor", like, a, b);
}

// (a + b i) / (c + d i), of which c and d are divided by the larger of them, so that their squares do not overflow.
static void divide(split_t *s, const pt2_item_t *self, const pt2_item_t *other) {
  const pt2_meta_t *like = split_meta(s, split_result(s)), *below = split_meta(s, other);
  pt2_item_t a = split_value_part(s, self, SPLIT_REAL), b = split_value_part(s, self, SPLIT_IMAGINARY);
  pt2_item_t c = split_part_of(s, other, SPLIT_REAL), d = split_part_of(s, other, SPLIT_IMAGINARY);
  pt2_item_t size = split_new_binary(s, "aten.maximum.default", below, split_new_unary(s, "aten.abs.default", below, c),
                                     split_new_unary(s, "aten.abs.default", below, d));
  pt2_item_t c1 = split_new_binary(s, "aten.div.Tensor", below, c, size);
  pt2_item_t d1 = split_new_binary(s, "aten.div.Tensor", below, d, size);
  pt2_item_t divisor = split_new_binary(s, "aten.add.Tensor", below, times(s, below, c, c1), times(s, below, d, d1));
  pt2_item_t real = split_new_binary(s, "aten.add.Tensor", like, times(s, like, a, c1), times(s, like, b, d1));
  pt2_item_t imaginary = split_new_binary(s, "aten.sub.Tensor", like, times(s, like, b, c1), times(s, like, a, d1));
  split_binary(s, "aten.div.Tensor", split_result_part(s, SPLIT_REAL), real, divisor);
  split_binary(s, "aten.div.Tensor", split_result_part(s, SPLIT_IMAGINARY), imaginary, divisor);
}

void pt2_split_quotient(split_t *s) {
  pt2_item_t self = split_given(s, "self"), other = split_given(s, "other");
  s->has_failed = s->has_failed || split_has(s, "rounding_mode");
  if (s->has_failed)
    return;
  if (pt2_is_complex(split_meta(s, &other)))
    divide(s, &self, &other);
  else if (other.kind == PT2_COMPLEX)
    s->has_failed = true;
  else {
    s->values = "self";
    pt2_split_parts(s);
  }
}
