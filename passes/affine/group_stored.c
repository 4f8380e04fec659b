// What of a contraction's results is in memory whether or not more joins its kernel; see group.h.
#include "passes/affine/group.h"

#include "dialects/mlir_util.h"
#include "passes/affine/thresholds.h"

bool strata_group_may_join_later(const strata_grouping_t *grouping, int node) {
  return grouping->nodes[node].group < 0 && strata_group_node(grouping, node)->class == STRATA_NEST_MAP;
}

// True if |node| needs the result of a reduction that comes after |first|.
static bool waits_for_reduction(const strata_grouping_t *grouping, int node, int first, int depth) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->reads.count && depth > 0; i++) {
    int producer = record->reads.data[i].producer;
    strata_nest_class_t class = strata_group_node(grouping, producer)->class;
    if (producer > first && (class == STRATA_NEST_ROW || class == STRATA_NEST_ANCHOR ||
                             waits_for_reduction(grouping, producer, first, depth - 1)))
      return true;
  }
  return false;
}

// True if |buffer| is in memory whether or not |node| joins the group that makes it: a reader is of another kernel, or
// will be, as what a norm divides and the next residual sum.
static bool is_stored_anyway(const strata_grouping_t *grouping, int group, int buffer, int node) {
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  if (!record->is_alloc || record->readers.count > STRATA_GROUP_MAX_READERS)
    return true;
  for (size_t i = 0; i < record->readers.count; i++) {
    int reader = record->readers.data[i];
    if (reader == node || strata_group_has(grouping, group, reader))
      continue;
    if (!strata_group_may_join_later(grouping, reader) ||
        waits_for_reduction(grouping, reader, record->writer, strata_thresholds.wait_depth))
      return true;
  }
  return false;
}

// True if some other kernel can compute |node| where it reads it, so that its results need no memory.
static bool is_absorbed(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &grouping->graph.buffers.data[record->buffers.data[i]];
    if (!record->nest->accesses[i].is_store)
      continue;
    if (!buffer->is_alloc || buffer->readers.count > STRATA_GROUP_MAX_READERS)
      return false;
    for (size_t j = 0; j < buffer->readers.count; j++) {
      strata_nest_class_t class = strata_group_node(grouping, buffer->readers.data[j])->class;
      if (class != STRATA_NEST_MAP && class != STRATA_NEST_ROW)
        return false;
    }
  }
  return true;
}

// What follows |node| elementwise, itself first; false if that is too much to look at.
static bool find_followers(const strata_grouping_t *grouping, int node, strata_ints_t *out) {
  *strata_vector_push(grouping->graph.arena, out) = node;
  for (size_t i = 0; i < out->count; i++) {
    const strata_ints_t *after = &strata_group_node(grouping, out->data[i])->after;
    for (size_t j = 0; j < after->count; j++) {
      const strata_nest_node_t *record = strata_group_node(grouping, after->data[j]);
      if (!record->nest || record->class != STRATA_NEST_MAP || strata_ints_contain(out, after->data[j]))
        continue;
      if (out->count == strata_thresholds.followers)
        return false;
      *strata_vector_push(grouping->graph.arena, out) = after->data[j];
    }
  }
  return true;
}

// True if there is another kernel anyway among those that read what |node| makes, directly or by what is elementwise:
// that of a reduction over it, or one that computes what it meets. Else that kernel would be one more.
static bool has_kernel_behind(const strata_grouping_t *grouping, int group, int node) {
  strata_ints_t followers = {0};
  if (!find_followers(grouping, node, &followers))
    return true;
  for (size_t i = 0; i < followers.count; i++) {
    const strata_nest_node_t *record = strata_group_node(grouping, followers.data[i]);
    for (size_t j = 0; j < record->after.count; j++)
      if (strata_group_node(grouping, record->after.data[j])->class == STRATA_NEST_ROW)
        return true;
    for (size_t j = 0; j < record->before.count; j++) {
      int other = record->before.data[j];
      if (strata_group_node(grouping, other)->class >= STRATA_NEST_ROW &&
          !strata_group_node(grouping, other)->is_constant && !strata_group_has(grouping, group, other))
        return true;
    }
  }
  return false;
}

bool strata_group_adds_a_store_only(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->reads.count; i++)
    if (strata_group_has(grouping, group, record->reads.data[i].producer) &&
        !is_stored_anyway(grouping, group, record->reads.data[i].buffer, node))
      return false;
  return is_absorbed(grouping, node) && has_kernel_behind(grouping, group, node);
}

bool strata_group_widens_for_reductions(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  if (!strata_str_equal(record->nest->name, "convert") || record->buffers.count != 2 || !is_absorbed(grouping, node))
    return false;
  int store = record->nest->accesses[0].is_store ? 0 : 1;
  const strata_nest_buffer_t *wide = &grouping->graph.buffers.data[record->buffers.data[store]];
  if (wide->bytes <= grouping->graph.buffers.data[record->buffers.data[1 - store]].bytes)
    return false;
  for (size_t i = 0; i < wide->readers.count; i++) {
    int reader = wide->readers.data[i];
    if (strata_group_node(grouping, reader)->class != STRATA_NEST_ROW &&
        !waits_for_reduction(grouping, reader, node, strata_thresholds.wait_depth))
      return false;
  }
  return true;
}
