// affine-group: partitions the nests of @main into kernels.
//
//   affine.parallel ... store %t   affine.parallel ... load %t ... store %y
// becomes
//   func.func private @k0(%x, %y) { %t = memref.alloc  nest; nest; return }     func.call @k0(%x, %y)
//
// Attention, contractions with norms of their results' rows, and pairs of contractions are found first
// (group_attention.c, group_norm.c, group_pairs.c); attention and pairs take what follows them elementwise. Other
// groups grow from seeds:
// contractions and windows take what follows them elementwise, then reductions over rows take what shares their rows,
// then contractions take what is cheap before them (on GPUs, where operands are fetched in bulk, only those that are
// over soon, of small matrices, or read each element once), then what is left gathers around its last nests. A nest
// joins if its points line up with the group's (group_align.c) or it is cheap to compute where it is read, if that pays
// (group_cost.c), and if the groups keep an order (group_order.c). Every sweep looks at a nest once, so the work is
// linear in the reads.
#include "passes/affine/group.h"

#include "dialects/mlir_util.h"
#include "passes/affine/nest_functions.h"
#include "passes/affine/split_norm.h"
#include "passes/pass.h"
#include "passes/target.h"

enum {
  MAX_MEMBERS = 256,
  MAX_MEMBERS_CPU = 64, // a launch costs little there, and LLVM's registers are allocated in quadratic time
  MAX_ARGUMENTS = 64,
  MAX_REDUCTIONS = 8, // what lies between them is computed again for each
  MAX_SWEEPS = 8,     // of one group, in both directions
};

bool strata_group_has(const strata_grouping_t *grouping, int group, int node) {
  return grouping->nodes[node].group == group;
}

bool strata_group_is_free_anchor(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  return record->class == STRATA_NEST_ANCHOR && !record->is_constant && grouping->nodes[node].group < 0;
}

bool strata_group_is_private(const strata_grouping_t *grouping, int group, int node, int also) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->buffers.count; i++) {
    if (!record->nest->accesses[i].is_store)
      continue;
    const strata_nest_buffer_t *buffer = &grouping->graph.buffers.data[record->buffers.data[i]];
    if (!buffer->is_alloc || buffer->n_stores != 1 || buffer->readers.count > STRATA_GROUP_MAX_READERS)
      return false;
    for (size_t j = 0; j < buffer->readers.count; j++)
      if (buffer->readers.data[j] != also && !strata_group_has(grouping, group, buffer->readers.data[j]))
        return false;
  }
  return true;
}

//===-- Joining --------------------------------------------------------------------------------------------------===//

static bool is_full(const strata_grouping_t *grouping, const strata_group_t *group) {
  size_t most = strata_target_is_gpu(grouping->compile) ? MAX_MEMBERS : MAX_MEMBERS_CPU;
  // Every member but the last stores a buffer that is private, as a rule; the others are arguments.
  return group->members.count >= most || group->n_buffers >= group->members.count + MAX_ARGUMENTS;
}

static strata_group_reason_t check_kind(const strata_grouping_t *grouping, const strata_group_t *group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node),
                           *first = strata_group_node(grouping, group->members.data[0]);
  if (record->class == STRATA_NEST_SCALAR)
    return STRATA_REASON_SCALAR;
  if (record->class == STRATA_NEST_ANCHOR)
    return group->kind == STRATA_NEST_ANCHOR ? STRATA_REASON_ANCHORS : STRATA_REASON_OPERAND;
  if (record->is_constant != first->is_constant)
    return STRATA_REASON_CONSTANT;
  if (record->class == STRATA_NEST_ROW && group->kind != STRATA_NEST_ROW)
    return STRATA_REASON_ANCHORS;
  if (record->class == STRATA_NEST_ROW && grouping->compile->options->disable_reduce_reduce_fusion)
    return STRATA_REASON_REDUCTIONS;
  if (record->class == STRATA_NEST_ROW && group->n_reductions >= MAX_REDUCTIONS)
    return STRATA_REASON_SIZE;
  return is_full(grouping, group) ? STRATA_REASON_SIZE : STRATA_REASON_NONE;
}

// A buffer that is written in parts has its place in memory: a kernel writes to it, or reads it, or reads other parts
// than it writes.
static bool meets_parts(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  const strata_ints_t *members = &grouping->groups.data[group].members;
  for (size_t i = 0; i < record->buffers.count; i++) {
    int buffer = record->buffers.data[i];
    for (size_t j = 0; j < members->count && grouping->graph.buffers.data[buffer].n_stores > 1; j++)
      if (strata_group_interferes(record, (int)i, strata_group_node(grouping, members->data[j])))
        return true;
  }
  return false;
}

// True if copies of rows' values that are for other kernels lie between.
static bool meets_copies(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->before.count; i++)
    if (strata_group_has(grouping, group, record->before.data[i]) &&
        strata_group_node(grouping, record->before.data[i])->nest &&
        strata_nest_is_stored(strata_group_node(grouping, record->before.data[i])->nest))
      return true;
  for (size_t i = 0; i < record->after.count && strata_nest_is_stored(record->nest); i++)
    if (strata_group_has(grouping, group, record->after.data[i]))
      return true;
  return false;
}

// Stored nests of a map group share one iteration space, dim by dim.
static bool has_outer_space(const strata_grouping_t *grouping, const strata_group_t *group, int node) {
  const strata_nest_t *nest = strata_group_node(grouping, node)->nest;
  if (nest->n_parallel != group->n_outer)
    return false;
  return mlirAffineMapEqual(grouping->nodes[node].outer, strata_group_identity(grouping, node));
}

static bool fits_aligned(const strata_grouping_t *grouping, int group, int node) {
  const strata_group_t *record = &grouping->groups.data[group];
  bool is_bijective = strata_group_is_bijective(grouping, group, node);
  switch (record->kind) {
  case STRATA_NEST_MAP:
    return is_bijective &&
           (strata_group_is_private(grouping, group, node, -1) || has_outer_space(grouping, record, node));
  case STRATA_NEST_ANCHOR:
    return is_bijective;
  case STRATA_NEST_ROW:
    return is_bijective || strata_group_node(grouping, node)->class == STRATA_NEST_MAP;
  case STRATA_NEST_SCALAR:
    break;
  }
  return false;
}

static bool has_neighbour(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->before.count; i++)
    if (strata_group_has(grouping, group, record->before.data[i]))
      return true;
  for (size_t i = 0; i < record->after.count; i++)
    if (strata_group_has(grouping, group, record->after.data[i]))
      return true;
  return false;
}

// A nest that has nothing to do with the members, but for what they read, can share the loops of a map kernel.
static bool is_sibling(const strata_grouping_t *grouping, int group, int node) {
  const strata_group_t *record = &grouping->groups.data[group];
  const strata_nest_t *nest = strata_group_node(grouping, node)->nest;
  return record->kind == STRATA_NEST_MAP && nest->n_parallel == record->n_outer &&
         strata_sizes_equal(record->n_outer, nest->space.sizes, record->outer.sizes) &&
         !has_neighbour(grouping, group, node);
}

// Decides how |node| would be computed in the group; leaves that in its record.
static strata_group_reason_t place(strata_grouping_t *grouping, int group, int node) {
  strata_grouped_t *state = &grouping->nodes[node];
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  state->evaluations = record->points;
  state->is_operand = strata_group_is_operand(grouping, group, node);
  state->outer = is_sibling(grouping, group, node) ? strata_group_identity(grouping, node)
                                                   : strata_group_align(grouping, group, node);
  state->places.count = 0;
  if (!mlirAffineMapIsNull(state->outer) && fits_aligned(grouping, group, node))
    return strata_group_judge(grouping, group, node, true, state->evaluations);
  state->outer = (MlirAffineMap){0};
  if (record->class != STRATA_NEST_MAP)
    return STRATA_REASON_POINTS;
  if (!strata_group_is_private(grouping, group, node, -1))
    return strata_group_reason_kept(grouping, group, node);
  if (!strata_group_find_places(grouping, group, node))
    return STRATA_REASON_RECOMPUTE;
  state->evaluations = strata_group_evaluations(grouping, group, node);
  return strata_group_judge(grouping, group, node, false, state->evaluations);
}

static void note_reason(strata_grouping_t *grouping, int group, int node, strata_group_reason_t reason) {
  if (!grouping->compile->explain)
    return;
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->reads.count; i++)
    if (strata_group_has(grouping, group, record->reads.data[i].producer))
      grouping->nodes[node].reasons[i] = reason;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_ints_t *readers = &grouping->graph.buffers.data[record->buffers.data[i]].readers;
    for (size_t j = 0; j < readers->count && record->nest->accesses[i].is_store; j++) {
      const strata_nest_node_t *reader = strata_group_node(grouping, readers->data[j]);
      for (size_t k = 0; k < reader->reads.count && strata_group_has(grouping, group, readers->data[j]); k++)
        if (reader->reads.data[k].producer == node)
          grouping->nodes[readers->data[j]].reasons[k] = reason;
    }
  }
}

static void add_member(strata_grouping_t *grouping, int group, int node) {
  strata_group_t *record = &grouping->groups.data[group];
  const strata_ints_t *buffers = &strata_group_node(grouping, node)->buffers;
  *strata_vector_push(grouping->graph.arena, &record->members) = node;
  grouping->nodes[node].group = group;
  record->n_reductions += strata_group_node(grouping, node)->class == STRATA_NEST_ROW;
  record->n_places += grouping->nodes[node].places.count;
  for (size_t i = 0; i < buffers->count; i++) {
    record->n_buffers += grouping->counted_in[buffers->data[i]] != group + 1;
    grouping->counted_in[buffers->data[i]] = group + 1;
  }
}

static bool try_join(strata_grouping_t *grouping, int group, int node) {
  strata_group_reason_t reason = check_kind(grouping, &grouping->groups.data[group], node);
  if (reason == STRATA_REASON_NONE && meets_parts(grouping, group, node))
    reason = STRATA_REASON_PARTS;
  if (reason == STRATA_REASON_NONE && meets_copies(grouping, group, node))
    reason = STRATA_REASON_APART;
  if (reason == STRATA_REASON_NONE)
    reason = place(grouping, group, node);
  if (reason == STRATA_REASON_NONE) {
    strata_merge_t merge =
        strata_group_order_merge(grouping->order, grouping->groups.data[group].members.data[0], node);
    if (merge != STRATA_MERGE_DONE)
      reason = merge == STRATA_MERGE_CYCLE ? STRATA_REASON_CYCLE : STRATA_REASON_FAR;
  }
  note_reason(grouping, group, node, reason);
  if (reason == STRATA_REASON_NONE)
    add_member(grouping, group, node);
  return reason == STRATA_REASON_NONE;
}

//===-- Growing --------------------------------------------------------------------------------------------------===//

// Where a sweep looks for nests: at consumers; at producers; at producers, those of a contraction's operands included.
typedef enum { SWEEP_CONSUMERS, SWEEP_PRODUCERS, SWEEP_OPERANDS } direction_t;

// Nodes to look at, the nearest in the direction of the sweep first: a binary heap.
typedef struct {
  strata_arena_t *arena;
  direction_t direction;
  strata_ints_t heap;
} pending_t;

static bool comes_first(const pending_t *pending, size_t a, size_t b) {
  int x = pending->heap.data[a], y = pending->heap.data[b];
  return pending->direction == SWEEP_CONSUMERS ? x < y : x > y;
}

static void swap_pending(pending_t *pending, size_t a, size_t b) {
  int node = pending->heap.data[a];
  pending->heap.data[a] = pending->heap.data[b];
  pending->heap.data[b] = node;
}

static void push_pending(pending_t *pending, int node) {
  *strata_vector_push(pending->arena, &pending->heap) = node;
  for (size_t at = pending->heap.count - 1; at > 0 && comes_first(pending, at, (at - 1) / 2); at = (at - 1) / 2)
    swap_pending(pending, at, (at - 1) / 2);
}

static int pop_pending(pending_t *pending) {
  int node = pending->heap.data[0];
  pending->heap.data[0] = pending->heap.data[--pending->heap.count];
  for (size_t at = 0, child = 1; child < pending->heap.count; at = child, child = 2 * at + 1) {
    if (child + 1 < pending->heap.count && comes_first(pending, child + 1, child))
      child++;
    if (!comes_first(pending, child, at))
      break;
    swap_pending(pending, at, child);
  }
  return node;
}

static void add_pending(strata_grouping_t *grouping, pending_t *pending, int node) {
  strata_grouped_t *state = &grouping->nodes[node];
  if (state->group >= 0 || state->tried == grouping->sweep || !strata_group_node(grouping, node)->nest)
    return;
  state->tried = grouping->sweep;
  push_pending(pending, node);
}

// A nest whose result very many others read; looking at all of them for each of them would take too long.
static bool is_hub(const strata_grouping_t *grouping, int node) {
  return strata_group_node(grouping, node)->after.count > STRATA_GROUP_MAX_READERS;
}

// The first of |readers|, which are in order, that is not before |node|.
static size_t find_reader(const strata_ints_t *readers, int node) {
  size_t low = 0, high = readers->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (readers->data[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Other readers of what |node| reads, which may share a kernel with it; of very many the nearest.
static void add_siblings(strata_grouping_t *grouping, pending_t *pending, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *buffer = &grouping->graph.buffers.data[record->buffers.data[i]];
    if (record->nest->accesses[i].is_store || buffer->is_constant)
      continue;
    size_t at = find_reader(&buffer->readers, node), reach = STRATA_GROUP_MAX_READERS;
    for (size_t j = at > reach ? at - reach : 0; j < buffer->readers.count && j <= at + reach; j++)
      add_pending(grouping, pending, buffer->readers.data[j]);
  }
}

static void add_consumers(strata_grouping_t *grouping, pending_t *pending, int node) {
  const strata_ints_t *after = &strata_group_node(grouping, node)->after;
  for (size_t i = 0; i < after->count; i++)
    add_pending(grouping, pending, after->data[i]);
  if (grouping->groups.data[grouping->nodes[node].group].kind == STRATA_NEST_MAP)
    add_siblings(grouping, pending, node);
}

// The operands of a contraction are read many times over: its producers are kept, but for what is said of operands.
static void add_producers(strata_grouping_t *grouping, pending_t *pending, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  if (record->class == STRATA_NEST_ANCHOR && pending->direction != SWEEP_OPERANDS)
    return;
  for (size_t i = 0; i < record->reads.count; i++)
    if (!is_hub(grouping, record->reads.data[i].producer))
      add_pending(grouping, pending, record->reads.data[i].producer);
}

static void add_neighbours(strata_grouping_t *grouping, pending_t *pending, int node) {
  if (pending->direction == SWEEP_CONSUMERS)
    add_consumers(grouping, pending, node);
  else
    add_producers(grouping, pending, node);
}

// Offers the group to the neighbours of its members in one direction; true if one joined.
static bool sweep(strata_grouping_t *grouping, int group, direction_t direction) {
  strata_group_t *record = &grouping->groups.data[group];
  pending_t pending = {.arena = grouping->graph.arena, .direction = direction};
  size_t n_before = record->members.count;
  grouping->sweep++;
  for (size_t i = 0; i < n_before; i++)
    add_neighbours(grouping, &pending, record->members.data[i]);
  while (pending.heap.count > 0) {
    int node = pop_pending(&pending);
    if (try_join(grouping, group, node))
      add_neighbours(grouping, &pending, node);
  }
  return record->members.count > n_before;
}

int strata_group_create(strata_grouping_t *grouping, int seed) {
  const strata_nest_node_t *record = strata_group_node(grouping, seed);
  int group = (int)grouping->groups.count;
  strata_group_t new_group = {
      .kind = record->class, .n_outer = record->nest->n_parallel, .outer_points = record->points};
  new_group.outer = record->nest->space;
  new_group.outer.n_dims = record->nest->n_parallel;
  *strata_vector_push(grouping->graph.arena, &grouping->groups) = new_group;
  grouping->nodes[seed].outer = strata_group_identity(grouping, seed);
  grouping->nodes[seed].evaluations = record->points;
  grouping->nodes[seed].is_operand = false;
  add_member(grouping, group, seed);
  return group;
}

strata_status_t strata_group_add(strata_grouping_t *grouping, int group, int node) {
  if (strata_group_order_merge(grouping->order, grouping->groups.data[group].members.data[0], node) !=
      STRATA_MERGE_DONE)
    return strata_error(STRATA_INTERNAL, "affine-group: what belongs together cannot be one kernel");
  grouping->nodes[node].outer = (MlirAffineMap){0};
  grouping->nodes[node].evaluations = strata_group_node(grouping, node)->points;
  add_member(grouping, group, node);
  return NULL;
}

static void grow_group(strata_grouping_t *grouping, int group) {
  bool grown = true;
  for (int i = 0; i < MAX_SWEEPS && grown; i++) {
    grown = sweep(grouping, group, SWEEP_CONSUMERS);
    grown |= sweep(grouping, group, SWEEP_PRODUCERS);
  }
}

static void grow(strata_grouping_t *grouping, int seed) {
  int group = strata_group_create(grouping, seed);
  if (grouping->groups.data[group].kind != STRATA_NEST_SCALAR && !grouping->compile->options->disable_fusion)
    grow_group(grouping, group);
}

static void grow_from(strata_grouping_t *grouping, strata_nest_class_t class) {
  for (int node = 0; node < (int)grouping->graph.nodes.count; node++)
    if (strata_group_node(grouping, node)->class == class && grouping->nodes[node].group < 0)
      grow(grouping, node);
}

// |n_attentions| groups are attention, those behind them pairs.
static void grow_all(strata_grouping_t *grouping, size_t n_attentions) {
  size_t n_found = grouping->groups.count;
  for (size_t i = 0; i < n_attentions; i++)
    sweep(grouping, (int)i, SWEEP_CONSUMERS);
  for (size_t i = n_attentions; i < n_found; i++)
    grow_group(grouping, (int)i);
  grow_from(grouping, STRATA_NEST_ANCHOR);
  size_t n_anchored = grouping->groups.count;
  grow_from(grouping, STRATA_NEST_ROW);
  for (size_t i = n_found; i < n_anchored && !grouping->compile->options->disable_fusion; i++)
    sweep(grouping, (int)i, SWEEP_OPERANDS);
  for (int node = (int)grouping->graph.nodes.count - 1; node >= 0; node--)
    if (strata_group_node(grouping, node)->nest && grouping->nodes[node].group < 0)
      grow(grouping, node);
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static void init_nodes(strata_grouping_t *grouping) {
  strata_arena_t *arena = grouping->graph.arena;
  grouping->nodes = strata_arena_array(arena, strata_grouped_t, grouping->graph.nodes.count);
  grouping->counted_in = strata_arena_array(arena, int, grouping->graph.buffers.count);
  for (size_t i = 0; i < grouping->graph.nodes.count; i++) {
    grouping->nodes[i].group = -1;
    if (grouping->compile->explain)
      grouping->nodes[i].reasons =
          strata_arena_array(arena, strata_group_reason_t, grouping->graph.nodes.data[i].reads.count);
  }
}

// The groups that are found before others grow from any nest.
static strata_status_t begin_grouping(strata_compile_t *compile, MlirOperation func, strata_grouping_t *out) {
  *out = (strata_grouping_t){.compile = compile};
  STRATA_TRY(strata_group_find_prices(compile, &out->prices));
  STRATA_TRY(strata_nest_graph_read(compile->arena, func, &out->graph));
  if (strata_target_is_gpu(compile))
    strata_nest_graph_pack_nothing(&out->graph);
  out->order = strata_group_order_create(&out->graph);
  init_nodes(out);
  return strata_group_attention(out);
}

strata_status_t strata_group_find_attention(strata_compile_t *compile, MlirOperation func, strata_ints_t *out_nests) {
  const strata_explain_t *explain = compile->explain;
  strata_grouping_t grouping;
  compile->explain = NULL; // what is decided is told by affine-group
  strata_status_t status = begin_grouping(compile, func, &grouping);
  compile->explain = explain;
  *out_nests = (strata_ints_t){0};
  for (size_t i = 0; !status && i < grouping.graph.nodes.count; i++)
    if (grouping.nodes[i].group >= 0)
      *strata_vector_push(compile->arena, out_nests) = (int)i;
  return status;
}

static strata_status_t group_function(strata_compile_t *compile, MlirOperation func) {
  strata_grouping_t grouping;
  STRATA_TRY(begin_grouping(compile, func, &grouping));
  STRATA_TRY(strata_group_norms(&grouping));
  size_t n_attentions = grouping.groups.count;
  STRATA_TRY(strata_group_pairs(&grouping));
  grow_all(&grouping, n_attentions);
  STRATA_TRY(strata_group_outline(&grouping));
  strata_group_explain(&grouping);
  return NULL;
}

strata_status_t strata_pass_affine_group(strata_compile_t *compile) {
  return strata_for_each_nest_function(compile, group_function);
}
