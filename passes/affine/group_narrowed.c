// Where one contraction's sums end and another's kernel begins; see group.h.
//
//   contract#1 -> convert -> mul -> round -> convert to i8 -> dequantise -> add <- ... <- contract#2
//
// The kernel of contract#2 takes the addition. What follows contract#1 up to the bytes is not for it, but for the
// kernel of contract#1: else that stores its sums, four times as many bytes.
#include "passes/affine/group.h"

enum { MOST_STEPS = 32 };

// Bytes that the nest stores in its one buffer; 0: it has several.
static double stored_bytes(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  double bytes = 0;
  for (size_t i = 0; i < record->buffers.count; i++) {
    if (!record->nest->accesses[i].is_store)
      continue;
    if (bytes > 0)
      return 0;
    bytes = (double)grouping->graph.buffers.data[record->buffers.data[i]].bytes;
  }
  return bytes;
}

// The one nest whose results |node| reads, but for constants; -1: there are none, or several.
static int only_producer(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  int only = -1;
  for (size_t i = 0; i < record->reads.count; i++) {
    int producer = record->reads.data[i].producer;
    if (strata_group_node(grouping, producer)->is_constant || producer == only)
      continue;
    if (only >= 0)
      return -1;
    only = producer;
  }
  return only;
}

bool strata_group_narrows_another(const strata_grouping_t *grouping, int node) {
  double bytes = stored_bytes(grouping, node);
  int at = node;
  for (int i = 0; bytes > 0 && i < MOST_STEPS; i++) {
    at = only_producer(grouping, at);
    if (at < 0 || !strata_group_node(grouping, at)->nest || grouping->nodes[at].group >= 0)
      return false;
    if (strata_group_node(grouping, at)->class != STRATA_NEST_MAP)
      return strata_group_is_free_anchor(grouping, at) && bytes < stored_bytes(grouping, at);
  }
  return false;
}
