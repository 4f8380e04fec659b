// Operators that change their first argument. Values are never changed here: what has the changed memory gets a new
// value, and a part is put back into the whole.
#include "dialects/import/pt2/converter.h"

#include <string.h>

// The base of |view|, a slice or one row, with |part| in its place; NULL where it is another kind of view.
static const char *put_back(pt2_node_t *n, const pt2_value_t *view, const char *part) {
  pt2_node_t made = *n;
  made.call = view->view;
  made.info = view->view_row;
  bool is_row = !strcmp(made.info->name, "aten.select");
  if (view->base->changed_by || (!is_row && strcmp(made.info->name, "aten.slice")))
    return NULL;
  const char *whole = pt2_put_slice(&made, view->base, part);
  n->has_failed = made.has_failed;
  return whole;
}

// Each view that |self| is made through gets its new value, up to the root, whose value comes back.
static const char *change_bases(pt2_node_t *n, pt2_value_t *self, const char *value) {
  for (pt2_value_t *at = self; at->view; at = at->base) {
    const char *whole = put_back(n, at, value);
    if (!whole) {
      pt2_refuse(n, "in place on the result of '%s'; export after run_decompositions()", at->view->name);
      return NULL;
    }
    value = whole;
  }
  return value;
}

void pt2_change(pt2_node_t *n, pt2_value_t *self, const char *value) {
  pt2_converter_t *converter = n->converter;
  const char *whole = change_bases(n, self, value);
  for (size_t i = 0; i < converter->values.count && whole; i++) {
    pt2_value_t *other = converter->values.data[i];
    if (other->root != self->root)
      continue;
    if (!other->view)
      other->name = whole;
    else if (other->view == self->view)
      other->name = value;
    else
      other->changed_by = n->call->name;
  }
  pt2_value_t *result = pt2_lookup(converter, n->results[0]);
  const char *changed = result->name;
  *result = *self;
  result->name = changed;
}
