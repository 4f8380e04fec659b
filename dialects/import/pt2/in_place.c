// Operators that change their first argument. Values are never changed here: what has the changed memory gets a new
// value, and a part is put back into the whole.
#include "dialects/import/pt2/converter.h"
#include "dialects/import/pt2/shape.h"

#include <string.h>

// The base of a transpose, |value| being the new value of that.
static const char *permute_back(pt2_node_t *n, int rank, const char *value) {
  int64_t order[STRATA_TENSOR_MAX_RANK], inverse[STRATA_TENSOR_MAX_RANK] = {0};
  pt2_permutation(n, rank, order);
  for (int i = 0; i < rank && !n->has_failed; i++)
    inverse[order[i]] = i;
  return pt2_transpose(n, value, rank, inverse);
}

// The base of |view|, a slice, a row, another shape or order of dims, with |part| in its place; NULL where it is
// another kind of view.
static const char *put_back(pt2_node_t *n, const pt2_value_t *view, const char *part) {
  const pt2_value_t *base = view->base;
  pt2_node_t made = *n;
  made.call = view->view;
  made.info = view->view_row;
  const char *name = made.info->name, *whole = NULL;
  if (base->changed_by)
    return NULL;
  if (!strcmp(name, "aten.select") || !strcmp(name, "aten.slice"))
    whole = pt2_put_slice(&made, base, part);
  else if (!strcmp(made.info->detail, "reshape") && pt2_reshape_sharing(&made, view->rank, view->sizes) == PT2_SHARES)
    whole = pt2_op(&made, "Reshape", GRAPH_VALUES(part, pt2_shape(&made, base->name, 0, base->rank)));
  else if (!strcmp(made.info->detail, "permute"))
    whole = permute_back(&made, base->rank, part);
  return made.has_failed ? NULL : whole;
}

// Gives each view that |self| is made through its next value, and the root its.
static bool change_bases(pt2_node_t *n, pt2_value_t *self, const char *value) {
  pt2_value_t *at = self;
  for (at->next = value; at->view; at = at->base) {
    at->base->next = put_back(n, at, at->next);
    if (!at->base->next) {
      pt2_refuse(n, "in place on the result of '%s'; export after run_decompositions()", at->view->name);
      return false;
    }
  }
  return true;
}

// The next value of what has the memory of |other|: of itself, or of the same view as it; NULL: not known.
static const char *next_value(const pt2_value_t *other, const pt2_value_t *self) {
  const pt2_value_t *at = self;
  while (at->view && at->view != other->view)
    at = at->base;
  return at->view == other->view ? at->next : NULL;
}

void pt2_change(pt2_node_t *n, pt2_value_t *self, const char *value) {
  pt2_converter_t *converter = n->converter;
  if (!change_bases(n, self, value))
    return;
  for (size_t i = 0; i < converter->values.count; i++) {
    pt2_value_t *other = converter->values.data[i];
    const char *next = other->root == self->root ? next_value(other, self) : other->name;
    if (next)
      other->name = next;
    else
      other->changed_by = n->call->name;
  }
  pt2_value_t *result = pt2_lookup(converter, n->results[0]);
  *result = *self;
}
