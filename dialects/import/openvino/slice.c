// Parts of tensors: slices by numbers and masks, turned around, rolled.
#include "dialects/import/openvino/openvino.h"

#include <limits.h>

static const char *slice(ir_node_t *n, const char *x, int count, const int64_t *starts, const int64_t *ends,
                         const int64_t *axes, const int64_t *steps) {
  return graph_op(n->g, "Slice",
                  GRAPH_VALUES(x, graph_ints(n->g, count, starts), graph_ints(n->g, count, ends),
                               graph_ints(n->g, count, axes), graph_ints(n->g, count, steps)));
}

void ir_translate_slice(ir_node_t *n) {
  const char *operands[5] = {ir_operand(n, 0), "", "", "", ""};
  static const int places[5] = {0, 1, 2, 4, 3}; // OpenVINO has the steps before the axes
  for (int i = 1; i < n->layer->n_inputs; i++)
    operands[places[i]] = ir_has(n, i) ? ir_ints_operand(n, i) : "";
  ir_set(n, 0, graph_op(n->g, "Slice", 5, operands));
}

//===-- StridedSlice ---------------------------------------------------------------------------------------------===//

typedef struct {
  int rank, count; // of the operand; entries of the lists
  const int64_t *begin_mask, *end_mask, *new_axis, *shrink, *ellipsis;
  int n_begin_mask, n_end_mask, n_new_axis, n_shrink, n_ellipsis;
} masks_t;

static bool is_set(const int64_t *mask, int count, int i) { return i < count && mask[i]; }

static masks_t read_masks(ir_node_t *n, int rank, int count) {
  masks_t m = {.rank = rank, .count = count};
  m.begin_mask = ir_attr_ints(n, "begin_mask", &m.n_begin_mask);
  m.end_mask = ir_attr_ints(n, "end_mask", &m.n_end_mask);
  m.new_axis = ir_attr_ints(n, "new_axis_mask", &m.n_new_axis);
  m.shrink = ir_attr_ints(n, "shrink_axis_mask", &m.n_shrink);
  m.ellipsis = ir_attr_ints(n, "ellipsis_mask", &m.n_ellipsis);
  return m;
}

// The slice of |rank| dims that the lists mean, and which axes go or come afterwards.
typedef struct {
  int n_slices, n_gone, n_new;
  int64_t starts[STRATA_MAX_RANK], ends[STRATA_MAX_RANK], axes[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  int64_t gone[STRATA_MAX_RANK], new_axes[STRATA_MAX_RANK];
} cut_t;

static bool add_slice(cut_t *cut, const masks_t *m, int i, int axis, const int64_t *begins, const int64_t *ends,
                      const int64_t *steps) {
  bool shrinks = is_set(m->shrink, m->n_shrink, i);
  int64_t step = steps ? steps[i] : 1, start = begins[i], end = ends[i];
  int k = cut->n_slices;
  if (axis >= m->rank || step == 0)
    return false;
  // Where a mask is set the list does not count.
  if (is_set(m->begin_mask, m->n_begin_mask, i))
    start = shrinks ? start : step > 0 ? 0 : INT64_MAX;
  if (is_set(m->end_mask, m->n_end_mask, i))
    end = step > 0 ? INT64_MAX : INT64_MIN;
  if (shrinks) {
    step = 1;
    end = start == -1 ? INT64_MAX : start + 1;
    cut->gone[cut->n_gone++] = axis;
  }
  cut->starts[k] = start;
  cut->ends[k] = end;
  cut->axes[k] = axis;
  cut->steps[k] = step;
  cut->n_slices++;
  return true;
}

static bool find_cut(const masks_t *m, const int64_t *begins, const int64_t *ends, const int64_t *steps, cut_t *cut) {
  int n_new = 0, n_ellipsis = 0, axis = 0, place = 0;
  for (int i = 0; i < m->count; i++) {
    n_ellipsis += is_set(m->ellipsis, m->n_ellipsis, i);
    n_new += !is_set(m->ellipsis, m->n_ellipsis, i) && is_set(m->new_axis, m->n_new_axis, i);
  }
  int kept = m->rank - (m->count - n_new - n_ellipsis); // dims that an ellipsis stands for
  if (kept < 0 || n_ellipsis > 1 || n_new + m->rank > STRATA_MAX_RANK)
    return false;
  for (int i = 0; i < m->count; i++) {
    if (is_set(m->ellipsis, m->n_ellipsis, i)) {
      axis += kept;
      place += kept;
    } else if (is_set(m->new_axis, m->n_new_axis, i)) {
      cut->new_axes[cut->n_new++] = place++;
    } else {
      if (!add_slice(cut, m, i, axis++, begins, ends, steps))
        return false;
      place += !is_set(m->shrink, m->n_shrink, i);
    }
  }
  return true;
}

// Begins and ends that are computed: only plain ones, of the first axes.
static void slice_by_values(ir_node_t *n, const masks_t *m) {
  int64_t axes[STRATA_MAX_RANK];
  bool is_plain = true;
  for (int i = 0; i < m->count; i++) {
    axes[i] = i;
    is_plain = is_plain && !is_set(m->begin_mask, m->n_begin_mask, i) && !is_set(m->end_mask, m->n_end_mask, i) &&
               !is_set(m->new_axis, m->n_new_axis, i) && !is_set(m->shrink, m->n_shrink, i) &&
               !is_set(m->ellipsis, m->n_ellipsis, i);
  }
  if (!is_plain)
    ir_refuse(n, "begins or ends that are not constant, with masks");
  const char *steps = ir_has(n, 3) ? ir_ints_operand(n, 3) : "";
  ir_set(n, 0,
         graph_op(n->g, "Slice",
                  GRAPH_VALUES(ir_operand(n, 0), ir_ints_operand(n, 1), ir_ints_operand(n, 2),
                               graph_ints(n->g, m->count, axes), steps)));
}

static void apply_cut(ir_node_t *n, const cut_t *cut) {
  const char *x = ir_operand(n, 0);
  if (cut->n_slices)
    x = slice(n, x, cut->n_slices, cut->starts, cut->ends, cut->axes, cut->steps);
  if (cut->n_gone)
    x = graph_squeeze(n->g, x, cut->n_gone, cut->gone);
  if (cut->n_new)
    x = graph_unsqueeze(n->g, x, cut->n_new, cut->new_axes);
  ir_set(n, 0, x);
}

void ir_translate_strided_slice(ir_node_t *n) {
  const ir_port_t *begin = ir_port(n, 1);
  int rank = ir_rank(n, 0), n_begins, n_ends, n_steps = 0;
  if (!begin || begin->rank != 1 || begin->dims[0] < 0 || begin->dims[0] > STRATA_MAX_RANK) {
    ir_refuse(n, "input 1: expected at most %d numbers", STRATA_MAX_RANK);
    return;
  }
  masks_t m = read_masks(n, rank, (int)begin->dims[0]);
  strata_tensor_t tensor;
  if (!ir_find_constant(n, 1, &tensor) || !ir_find_constant(n, 2, &tensor)) {
    slice_by_values(n, &m);
    return;
  }
  const int64_t *begins = ir_constant_ints(n, 1, &n_begins), *ends = ir_constant_ints(n, 2, &n_ends);
  const int64_t *steps = ir_has(n, 3) ? ir_constant_ints(n, 3, &n_steps) : NULL;
  cut_t cut = {0};
  if (n->refusal)
    return;
  if (n_begins != m.count || n_ends != m.count || (steps && n_steps != m.count) ||
      !find_cut(&m, begins, ends, steps, &cut))
    ir_refuse(n, "begins, ends, steps and masks that do not fit the %d dimensions", rank);
  else
    apply_cut(n, &cut);
}

//===-- Around ---------------------------------------------------------------------------------------------------===//

void ir_translate_reverse(ir_node_t *n) {
  int count, rank = ir_rank(n, 0);
  const int64_t *given = ir_constant_ints(n, 1, &count);
  bool is_mask = ir_attr_is(n, "mode", "mask", false);
  int64_t starts[STRATA_MAX_RANK], ends[STRATA_MAX_RANK], axes[STRATA_MAX_RANK], steps[STRATA_MAX_RANK];
  int n_axes = 0;
  if (count > STRATA_MAX_RANK)
    ir_refuse(n, "more than %d axes", STRATA_MAX_RANK);
  for (int i = 0; i < count && !n->refusal; i++)
    if (!is_mask || given[i])
      axes[n_axes++] = is_mask ? i : ir_axis(n, given[i], rank);
  for (int i = 0; i < n_axes; i++) {
    starts[i] = -1;
    ends[i] = INT64_MIN;
    steps[i] = -1;
  }
  if (!n->refusal)
    ir_set(n, 0, n_axes ? slice(n, ir_operand(n, 0), n_axes, starts, ends, axes, steps) : ir_operand(n, 0));
}

void ir_translate_reverse_sequence(ir_node_t *n) {
  int rank = ir_rank(n, 0);
  const char *lengths = graph_reshape(n->g, ir_ints_operand(n, 1), 1, (int64_t[]){-1});
  graph_node_t *node = graph_node(n->g, "ReverseSequence", GRAPH_VALUES(ir_operand(n, 0), lengths));
  graph_set_int(node, "batch_axis", ir_axis(n, ir_attr_int(n, "batch_axis", 0), rank));
  graph_set_int(node, "time_axis", ir_axis(n, ir_attr_int(n, "seq_axis", 1), rank));
  ir_set_node(n, node);
}

// x by |shift| places along |axis|: the last ones come first.
static const char *roll(ir_node_t *n, const char *x, int64_t shift, int64_t axis) {
  static const int64_t zero = 0, one = 1, last = INT64_MAX;
  int64_t cut = -shift;
  if (shift == 0)
    return x;
  graph_node_t *both = graph_node(
      n->g, "Concat", GRAPH_VALUES(slice(n, x, 1, &cut, &last, &axis, &one), slice(n, x, 1, &zero, &cut, &axis, &one)));
  graph_set_int(both, "axis", axis);
  return graph_result(both, NULL);
}

void ir_translate_roll(ir_node_t *n) {
  int n_shifts, n_axes, rank = ir_rank(n, 0);
  const int64_t *shifts = ir_constant_ints(n, 1, &n_shifts), *axes = ir_constant_ints(n, 2, &n_axes);
  const char *x = ir_operand(n, 0);
  if (!n->refusal && n_shifts != n_axes && n_shifts != 1)
    ir_refuse(n, "%d shifts of %d axes", n_shifts, n_axes);
  for (int i = 0; i < n_axes && !n->refusal; i++) {
    int64_t axis = ir_axis(n, axes[i], rank), shift = shifts[n_shifts == 1 ? 0 : i], size = ir_port(n, 0)->dims[axis];
    if (size < 1)
      ir_refuse(n, "an axis whose size varies");
    else
      x = roll(n, x, (shift % size + size) % size, axis);
  }
  ir_set(n, 0, x);
}
