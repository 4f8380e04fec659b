// What is computed on an operand's way to a contraction, where that is packed or fetched; see group.h.
#include "passes/affine/group.h"

#include "dialects/affine/contraction.h"
#include "dialects/affine/quads.h"
#include "dialects/mlir_util.h"
#include "passes/affine/thresholds.h"
#include "passes/target.h"

#include <math.h>

bool strata_group_is_thin(const strata_group_prices_t *prices, const strata_nest_t *nest) {
  strata_contraction_t c;
  int64_t lhs, rhs;
  if (!strata_nest_contraction(nest, &c))
    return false;
  strata_contraction_sides(&c, &lhs, &rhs);
  return fmin((double)lhs, (double)rhs) < prices->least_side;
}

// True of a product of small matrices, whose tiles are none of those that fetch in bulk.
static bool is_small(const strata_nest_node_t *record) {
  strata_contraction_t c;
  int64_t lhs, rhs;
  if (!strata_nest_contraction(record->nest, &c))
    return false;
  strata_contraction_sides(&c, &lhs, &rhs);
  return lhs <= strata_thresholds.small_side && rhs <= strata_thresholds.small_side &&
         record->trips <= strata_thresholds.small_steps * record->points;
}

bool strata_group_is_operand(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->after.count; i++) {
    int reader = record->after.data[i];
    if (strata_group_has(grouping, group, reader) &&
        (strata_group_node(grouping, reader)->class == STRATA_NEST_ANCHOR || grouping->nodes[reader].is_operand))
      return true;
  }
  return false;
}

// Bytes that go through one access.
static double access_bytes(const strata_grouping_t *grouping, const strata_nest_node_t *record, size_t access) {
  const strata_nest_buffer_t *buffer = &grouping->graph.buffers.data[record->buffers.data[access]];
  return buffer->elements > record->trips ? buffer->bytes / buffer->elements * record->trips : buffer->bytes;
}

// Something cheap that reads no more than it makes may be computed while an operand is packed; windows would compute it
// once for every position.
static bool is_cheap_operand(const strata_grouping_t *grouping, int node, double evaluations) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  double read = 0, written = 0;
  for (size_t i = 0; i < record->buffers.count; i++)
    *(record->nest->accesses[i].is_store ? &written : &read) += access_bytes(grouping, record, i);
  return record->work <= strata_thresholds.operand_work && !record->is_dear &&
         read <= strata_thresholds.operand_reads * written &&
         evaluations <= strata_thresholds.operand_repeats * record->points;
}

// A nest and all that would be a kernel with it, were it none of a contraction's operand.
typedef struct {
  int n_nests;
  double read; // bytes, from memory
  double work; // of a point
} chain_t;

static const strata_nest_read_t *read_of(const strata_nest_node_t *record, const strata_access_t *load) {
  for (size_t i = 0; i < record->reads.count; i++)
    if (record->reads.data[i].load == load)
      return &record->reads.data[i];
  return NULL;
}

// False if a part of it would stay behind.
static bool add_chain(const strata_grouping_t *grouping, int node, chain_t *chain) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  chain->work += record->work;
  if (record->class != STRATA_NEST_MAP || record->is_dear || chain->work > strata_thresholds.operand_work ||
      ++chain->n_nests > strata_thresholds.operand_nests)
    return false;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &record->nest->accesses[i];
    const strata_nest_read_t *read = access->is_store ? NULL : read_of(record, access);
    bool is_ahead = read && strata_group_may_join_later(grouping, read->producer) &&
                    !strata_group_node(grouping, read->producer)->is_constant;
    if (is_ahead && grouping->graph.buffers.data[read->buffer].readers.count > 1)
      return false;
    if (is_ahead && !add_chain(grouping, read->producer, chain))
      return false;
    if (!is_ahead && !access->is_store)
      chain->read += access_bytes(grouping, record, i);
  }
  return true;
}

// A GPU's contraction fetches its operands in bulk unless they are computed on their way, and the wider they are in
// memory the more it fetches. What it saves is a kernel, and what that reads and writes.
static bool is_fetched_cheaper(const strata_grouping_t *grouping, int group, int node, double evaluations) {
  const strata_group_prices_t *prices = &grouping->prices;
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  const strata_nest_node_t *anchor = strata_group_node(grouping, grouping->groups.data[group].members.data[0]);
  bool is_thin_product = strata_group_is_thin(prices, anchor->nest);
  double repeats = evaluations / record->points, written = 0;
  chain_t chain = {0};
  if (!add_chain(grouping, node, &chain))
    return false;
  for (size_t i = 0; i < record->buffers.count; i++)
    written += record->nest->accesses[i].is_store ? access_bytes(grouping, record, i) : 0;
  if (is_thin_product && chain.work == 0 && chain.read <= written)
    return true; // a copy: the original is read as easily
  bool is_load = chain.work == 0 && prices->loads_by_threads; // from where the original lies, however often
  if (repeats > strata_thresholds.operand_repeats && !is_load)
    return false;
  double loss = is_thin_product || is_small(anchor) || is_load ? 0 : anchor->trips * prices->product_loss;
  double alone = prices->launch + (chain.read + (1 + repeats) * written) * prices->byte + record->points * chain.work;
  return loss + repeats * chain.read * prices->byte + evaluations * chain.work <= alone;
}

// True of a product of bytes that is read four at a time: no operand is computed on its way.
static bool reads_quads(const strata_grouping_t *grouping, const strata_nest_t *nest) {
  strata_contraction_t c;
  if (!grouping->prices.reads_quads || !strata_nest_contraction(nest, &c))
    return false;
  const strata_access_t *sides[2] = {c.lhs, c.rhs};
  for (int i = 0; i < 2; i++)
    if (!strata_type_is_integer(mlirShapedTypeGetElementType(mlirValueGetType(sides[i]->buffer)), 8))
      return false;
  return true;
}

bool strata_group_takes_operand(const strata_grouping_t *grouping, int group, int node, double evaluations) {
  const strata_nest_node_t *first = strata_group_node(grouping, grouping->groups.data[group].members.data[0]);
  if (strata_nest_sums_vary(first->nest) || reads_quads(grouping, first->nest))
    return false; // it would be packed, as far as the sums go, or read by bytes
  return strata_target_is_gpu(grouping->compile) ? is_fetched_cheaper(grouping, group, node, evaluations)
                                                 : is_cheap_operand(grouping, node, evaluations);
}
