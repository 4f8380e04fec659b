// What became of every producer and consumer, for --explain:
//
//   fused  add#3 <- contract#2 in k1
//   apart  contract#5 <- add#3: a contraction or window reads each element many times (393216 bytes)
#include "passes/affine/group.h"

#include "passes/affine/explain.h"

static const char *const reason_texts[] = {
    [STRATA_REASON_NONE] = "",
#define REASON(id, text) [STRATA_REASON_##id] = text,
#include "passes/affine/group_reasons.def"
};

strata_group_reason_t strata_group_reason_kept(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[node];
  size_t n_within = 0, n_outside = 0;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_ints_t *readers = &grouping->graph.buffers.data[record->buffers.data[i]].readers;
    for (size_t j = 0; record->nest->accesses[i].is_store && j < readers->count; j++)
      *(strata_group_has(grouping, group, readers->data[j]) ? &n_within : &n_outside) += 1;
  }
  if (n_within == 0) // it is what reads
    return STRATA_REASON_POINTS;
  return n_outside ? STRATA_REASON_READERS : STRATA_REASON_RESULT;
}

static bool has_contraction(const strata_grouping_t *grouping, int node) {
  return grouping->groups.data[grouping->nodes[node].group].kind == STRATA_NEST_ANCHOR;
}

// What stood in the way where no join was tried: a look at the two is enough.
static strata_group_reason_t evident_reason(const strata_grouping_t *grouping, int consumer, int producer) {
  const strata_nest_node_t *a = &grouping->graph.nodes.data[producer], *b = &grouping->graph.nodes.data[consumer];
  if (grouping->compile->options->disable_fusion)
    return STRATA_REASON_DISABLED;
  if (a->class == STRATA_NEST_SCALAR || b->class == STRATA_NEST_SCALAR)
    return STRATA_REASON_SCALAR;
  if (a->is_constant != b->is_constant)
    return STRATA_REASON_CONSTANT;
  if (b->class == STRATA_NEST_ANCHOR)
    return a->class == STRATA_NEST_ANCHOR ? STRATA_REASON_ANCHORS : STRATA_REASON_OPERAND;
  if (has_contraction(grouping, producer) && has_contraction(grouping, consumer))
    return STRATA_REASON_ANCHORS;
  return a->after.count > STRATA_GROUP_MAX_READERS ? STRATA_REASON_MANY : STRATA_REASON_TAKEN;
}

static void explain_read(const strata_grouping_t *grouping, int consumer, const strata_nest_read_t *read,
                         strata_group_reason_t reason) {
  MlirStringRef to = grouping->graph.nodes.data[consumer].nest->name;
  MlirStringRef from = grouping->graph.nodes.data[read->producer].nest->name;
  int group = grouping->nodes[consumer].group;
  if (group == grouping->nodes[read->producer].group) {
    strata_explain(grouping->compile, "fused  %.*s#%d <- %.*s#%d in %s", (int)to.length, to.data, consumer,
                   (int)from.length, from.data, read->producer, grouping->groups.data[group].kernel);
    return;
  }
  if (reason == STRATA_REASON_NONE)
    reason = evident_reason(grouping, consumer, read->producer);
  strata_explain(grouping->compile, "apart  %.*s#%d <- %.*s#%d: %s (%.0f bytes)", (int)to.length, to.data, consumer,
                 (int)from.length, from.data, read->producer, reason_texts[reason],
                 grouping->graph.buffers.data[read->buffer].bytes);
}

// A reader of a buffer that several nests write.
static void explain_parts(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = &grouping->graph.nodes.data[node];
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &grouping->graph.buffers.data[record->buffers.data[i]];
    if (record->nest->accesses[i].is_store || buffer->n_stores < 2)
      continue;
    strata_explain(grouping->compile, "apart  %.*s#%d <- %d stores: %s (%.0f bytes)", (int)record->nest->name.length,
                   record->nest->name.data, node, buffer->n_stores, reason_texts[STRATA_REASON_PARTS], buffer->bytes);
  }
}

void strata_group_explain(const strata_grouping_t *grouping) {
  if (!grouping->compile->explain)
    return;
  for (size_t i = 0; i < grouping->graph.nodes.count; i++) {
    const strata_nest_node_t *record = &grouping->graph.nodes.data[i];
    if (!record->nest)
      continue;
    for (size_t j = 0; j < record->reads.count; j++)
      explain_read(grouping, (int)i, &record->reads.data[j], grouping->nodes[i].reasons[j]);
    explain_parts(grouping, (int)i);
  }
}
