// What a nest's joining a group saves and costs; see group.h. The unit is an addition in vector code.
//
// Saved are the bytes no longer written and read, and a launch. Paid are points computed more than once, and, where
// the group has few outer points to share among threads, the threads that go without work.
#include "passes/affine/group.h"

#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/affine/thresholds.h"
#include "passes/target.h"

#include <float.h>
#include <math.h>

//===-- Prices ---------------------------------------------------------------------------------------------------===//

strata_status_t strata_group_find_prices(strata_compile_t *compile, strata_group_prices_t *out_prices) {
  if (!strata_target_is_gpu(compile)) {
    const strata_cpu_device_t *cpu;
    STRATA_TRY(strata_cpu_device(compile, &cpu));
    *out_prices = (strata_group_prices_t){.byte = 4,
                                          .launch = 20000,
                                          .pause = 320000,
                                          .threads = 16,
                                          .draw = 1,
                                          .task_points = 4096,
                                          .task_threads = 1,
                                          .piece_bytes = cpu->vector_bytes,
                                          .thread_points = 1,
                                          .operand_reuse = 512,
                                          .reads_quads = cpu->quad_products};
    return NULL;
  }
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(compile, &device));
  const strata_group_costs_t *costs = &device->costs->group;
  double additions = costs->clock * costs->warps_at_once * device->lanes * device->n_processors; // a second
  double launch = costs->launch_seconds * additions;
  *out_prices = (strata_group_prices_t){.byte = additions / (double)device->bandwidth,
                                        .launch = launch,
                                        .pause = launch,
                                        .threads = device->n_processors * (device->threads_resident / 2.0),
                                        .draw = device->draw / costs->draw,
                                        .task_points = 8,
                                        .task_threads = device->max_threads,
                                        .row_threads = (double)device->max_threads * fmax(1, device->max_cluster),
                                        .row_bytes = (double)strata_gpu_cluster_row_bytes(device),
                                        .row_elements = (double)strata_gpu_row_elements(device),
                                        .piece_bytes = STRATA_SECTOR,
                                        .thread_points = 8,
                                        .operand_reuse = 128,
                                        .least_side = 8, // schedule_contract_gpu.c
                                        .product_loss = costs->product_loss,
                                        .loads_by_threads = strata_gpu_stages_by_threads(device)};
  return NULL;
}

//===-- Repetitions ----------------------------------------------------------------------------------------------===//

// Different places at which readers compute a nest.
enum { MAX_POINT_MAPS = 8 };

typedef struct {
  int count;
  strata_group_place_t places[MAX_POINT_MAPS];
} point_maps_t;

// False if the place is there already.
static bool add_point_map(point_maps_t *points, strata_group_place_t place) {
  for (int i = 0; i < points->count; i++)
    if (points->places[i].root == place.root && mlirAffineMapEqual(points->places[i].point, place.point))
      return false;
  if (points->count < MAX_POINT_MAPS)
    points->places[points->count++] = place;
  return true;
}

// A contraction packs what it reads: each point once for many results.
static double operand_evaluations(const strata_group_prices_t *prices, const strata_nest_node_t *reader,
                                  MlirAffineMap point) {
  double reuse = strata_group_is_thin(prices, reader->nest) ? 1 : prices->operand_reuse;
  uint32_t used = strata_affine_map_dims(point);
  double points = 1, results = 1;
  for (int dim = 0; dim < reader->nest->n_parallel + reader->nest->n_reduction; dim++)
    *(used >> dim & 1 ? &points : &results) *= (double)strata_nest_likely_extent(reader->nest, dim);
  return points * fmax(1, results / reuse);
}

// Evaluations of a producer that the reader asks for at |point|, a map over the reader's dims.
static double read_evaluations(const strata_grouping_t *grouping, int reader, const strata_nest_read_t *read,
                               MlirAffineMap point) {
  const strata_nest_node_t *record = strata_group_node(grouping, reader);
  if (record->class == STRATA_NEST_ANCHOR)
    return operand_evaluations(&grouping->prices, record, point);
  int n_dims = record->nest->n_parallel + (read->load->in_reduction ? record->nest->n_reduction : 0);
  uint32_t used = strata_affine_map_dims(point);
  double share = 1;
  for (int dim = 0; dim < n_dims; dim++)
    if (!(used >> dim & 1))
      share /= (double)strata_nest_likely_extent(record->nest, dim);
  double all = grouping->nodes[reader].evaluations * (read->load->in_reduction ? record->trips / record->points : 1);
  return all * (share < 1 ? fmax(share, 1 / strata_thresholds.rows_at_once) : 1);
}

static double add_evaluations(const strata_grouping_t *grouping, int group, int reader, const strata_nest_read_t *read,
                              point_maps_t *points) {
  strata_group_place_t place;
  MlirAffineMap point;
  if (!strata_group_place_of_read(grouping, group, reader, read, &place, &point))
    return DBL_MAX;
  return add_point_map(points, place) ? read_evaluations(grouping, reader, read, point) : 0;
}

double strata_group_evaluations(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  point_maps_t points = {0};
  double evaluations = 0;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_ints_t *readers = &grouping->graph.buffers.data[record->buffers.data[i]].readers;
    for (size_t j = 0; record->nest->accesses[i].is_store && j < readers->count; j++) {
      const strata_nest_node_t *reader = strata_group_node(grouping, readers->data[j]);
      for (size_t k = 0; k < reader->reads.count && strata_group_has(grouping, group, readers->data[j]); k++)
        if (reader->reads.data[k].producer == node)
          evaluations += add_evaluations(grouping, group, readers->data[j], &reader->reads.data[k], &points);
    }
  }
  return evaluations;
}

//===-- Savings --------------------------------------------------------------------------------------------------===//

typedef enum { READERS_ELSEWHERE, READERS_MIXED, READERS_WITHIN } readers_t;

// Where the readers of a buffer are, |also| counted as within.
static readers_t where_readers(const strata_grouping_t *grouping, int group, int buffer, int also) {
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  size_t n_within = 0;
  if (record->readers.count > STRATA_GROUP_MAX_READERS)
    return READERS_MIXED;
  for (size_t i = 0; i < record->readers.count; i++)
    n_within += record->readers.data[i] == also || strata_group_has(grouping, group, record->readers.data[i]);
  if (n_within == 0)
    return READERS_ELSEWHERE;
  return n_within == record->readers.count && record->is_alloc ? READERS_WITHIN : READERS_MIXED;
}

// Bytes not moved through memory if |node| joins: a private buffer is neither written nor read.
static double saved_bytes(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  static const double times[] = {[READERS_ELSEWHERE] = 0, [READERS_MIXED] = 1, [READERS_WITHIN] = 2};
  double bytes = 0;
  for (size_t i = 0; i < record->buffers.count; i++)
    if (record->nest->accesses[i].is_store)
      bytes += times[where_readers(grouping, group, record->buffers.data[i], -1)] *
               grouping->graph.buffers.data[record->buffers.data[i]].bytes;
  for (size_t i = 0; i < record->reads.count; i++)
    if (strata_group_has(grouping, group, record->reads.data[i].producer))
      bytes += times[where_readers(grouping, group, record->reads.data[i].buffer, node)] *
               grouping->graph.buffers.data[record->reads.data[i].buffer].bytes;
  return bytes;
}

static bool is_kept_in_group(const strata_grouping_t *grouping, int group, int buffer) {
  const strata_nest_buffer_t *record = &grouping->graph.buffers.data[buffer];
  return record->n_stores == 1 && strata_group_has(grouping, group, record->writer) &&
         strata_group_is_private(grouping, group, record->writer, -1);
}

static double group_cost(const strata_grouping_t *grouping, int group) {
  double cost = grouping->prices.launch;
  const strata_ints_t *members = &grouping->groups.data[group].members;
  for (size_t i = 0; i < members->count; i++) {
    const strata_nest_node_t *record = strata_group_node(grouping, members->data[i]);
    cost += grouping->nodes[members->data[i]].evaluations * record->work;
    for (size_t j = 0; j < record->buffers.count; j++)
      if (!is_kept_in_group(grouping, group, record->buffers.data[j]))
        cost += grouping->graph.buffers.data[record->buffers.data[j]].bytes * grouping->prices.byte;
  }
  return cost;
}

//===-- Judgement ------------------------------------------------------------------------------------------------===//

static bool affords_repetitions(const strata_grouping_t *grouping, int group, int node, double evaluations) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  const strata_group_prices_t *prices = &grouping->prices;
  double extra = (evaluations - record->points) * record->work;
  if (extra <= 0)
    return true;
  // A dear op is repeated only where that hardly shows, whatever memory it saves.
  double saved = record->is_dear ? 0 : saved_bytes(grouping, group, node) * prices->byte + prices->launch;
  return extra <= saved || extra <= saved + strata_thresholds.affordable * group_cost(grouping, group);
}

double strata_group_evaluations_alone(const strata_nest_node_t *reader, const strata_nest_read_t *read) {
  int n_dims = reader->nest->n_parallel;
  uint32_t used = mlirAffineMapIsNull(read->load->map) ? UINT32_MAX : strata_affine_map_dims(read->load->map);
  double share = 1;
  for (int dim = 0; dim < n_dims; dim++)
    if (!(used >> dim & 1))
      share /= (double)strata_nest_likely_extent(reader->nest, dim);
  return reader->points * fmax(share, 1 / strata_thresholds.rows_at_once);
}

bool strata_group_affords_again(const strata_nest_graph_t *graph, const strata_group_prices_t *prices, int node,
                                double evaluations, int reader) {
  const strata_nest_node_t *record = &graph->nodes.data[node];
  const strata_ints_t *buffers = &graph->nodes.data[reader].buffers;
  double bytes = 0;
  for (size_t i = 0; i < buffers->count; i++)
    bytes += graph->buffers.data[buffers->data[i]].bytes * prices->byte;
  double saved = (record->is_dear ? 0 : prices->launch) + strata_thresholds.affordable * (prices->launch + bytes);
  return bytes <= strata_thresholds.sharing * prices->launch && (evaluations - record->points) * record->work <= saved;
}

// Threads that |tasks| of |trips| points in all occupy, each at most |most|.
static double threads_busy(const strata_group_prices_t *prices, double tasks, double trips, double most) {
  double on_each = fmin(fmax(trips / tasks / prices->thread_points, 1), most);
  return fmin(fmax(tasks, 1) * on_each * prices->draw, prices->threads);
}

// Bytes of a row of what members, and |node|, read as a whole from memory.
static double row_bytes(const strata_grouping_t *grouping, int group, int node) {
  const strata_group_t *record = &grouping->groups.data[group];
  double bytes = 0, row = strata_group_node(grouping, node)->trips;
  strata_ints_t seen = {0};
  for (size_t i = 0; i <= record->members.count; i++) {
    const strata_nest_node_t *member =
        strata_group_node(grouping, i < record->members.count ? record->members.data[i] : node);
    for (size_t j = 0; j < member->buffers.count; j++) {
      int buffer = member->buffers.data[j];
      const strata_nest_buffer_t *read = &grouping->graph.buffers.data[buffer];
      bool is_made = read->n_stores > 0 && (read->writer == node || strata_group_has(grouping, group, read->writer));
      if (member->nest->accesses[j].is_store || is_made || strata_ints_contain(&seen, buffer) || read->elements < row)
        continue;
      *strata_vector_push(grouping->graph.arena, &seen) = buffer;
      bytes += read->bytes;
    }
  }
  return bytes / record->outer_points;
}

static bool is_read_by_members(const strata_grouping_t *grouping, int group, int buffer) {
  const strata_ints_t *members = &grouping->groups.data[group].members;
  for (size_t i = 0; i < members->count; i++) {
    const strata_nest_node_t *member = strata_group_node(grouping, members->data[i]);
    for (size_t j = 0; j < member->buffers.count; j++)
      if (member->buffers.data[j] == buffer && !member->nest->accesses[j].is_store)
        return true;
  }
  return false;
}

// Bytes of rows that |node| would read again from memory, and as a member has where members have read them.
static double held_bytes(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  double bytes = 0, row = record->trips / grouping->groups.data[group].outer_points;
  if (row > grouping->prices.row_elements)
    return 0;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_nest_buffer_t *read = &grouping->graph.buffers.data[record->buffers.data[i]];
    bool is_made = read->n_stores > 0 && strata_group_has(grouping, group, read->writer);
    if (!record->nest->accesses[i].is_store && !is_made && read->elements >= record->trips &&
        is_read_by_members(grouping, group, record->buffers.data[i]))
      bytes += read->bytes;
  }
  return bytes;
}

// Rows are the tasks of their group: a long nest over few of them is better off alone.
static bool keeps_threads_busy(const strata_grouping_t *grouping, int group, int node) {
  const strata_group_prices_t *prices = &grouping->prices;
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  double cost = record->points * record->work, rows = grouping->groups.data[group].outer_points;
  for (size_t i = 0; i < record->buffers.count; i++)
    cost += grouping->graph.buffers.data[record->buffers.data[i]].bytes * prices->byte;
  double tasks = record->class == STRATA_NEST_ROW ? record->points : record->trips / prices->task_points;
  bool is_shared = prices->row_threads > prices->task_threads &&
                   row_bytes(grouping, group, node) <= prices->row_bytes &&
                   !strata_group_reads_pieces(grouping, group, node);
  double most = is_shared ? prices->row_threads : prices->task_threads;
  double idle_alone = prices->threads / threads_busy(prices, tasks, record->trips, prices->task_threads);
  double idle = prices->threads / threads_busy(prices, rows, record->trips, most);
  double lost = cost * (idle - idle_alone);
  double saved = saved_bytes(grouping, group, node) + held_bytes(grouping, group, node);
  return lost <= saved * prices->byte * idle_alone + prices->pause;
}

// True if the nest takes longer than waiting for all threads does.
static bool is_worth_a_pause(const strata_grouping_t *grouping, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  double bytes = 0;
  for (size_t i = 0; i < record->buffers.count; i++)
    bytes += grouping->graph.buffers.data[record->buffers.data[i]].bytes;
  return record->points * record->work + bytes * grouping->prices.byte > grouping->prices.pause;
}

strata_group_reason_t strata_group_judge(const strata_grouping_t *grouping, int group, int node, bool is_aligned,
                                         double evaluations) {
  bool is_gpu = strata_target_is_gpu(grouping->compile);
  if (grouping->nodes[node].is_operand && !strata_group_takes_operand(grouping, group, node, evaluations))
    return STRATA_REASON_OPERAND;
  if (!is_aligned)
    return affords_repetitions(grouping, group, node, evaluations) ? STRATA_REASON_NONE : STRATA_REASON_RECOMPUTE;
  strata_nest_class_t kind = grouping->groups.data[group].kind;
  if (kind == STRATA_NEST_ANCHOR && !strata_group_is_private(grouping, group, node, -1) &&
      strata_group_adds_a_store_only(grouping, group, node))
    return STRATA_REASON_STORED;
  if (kind == STRATA_NEST_ANCHOR && strata_group_narrows_another(grouping, node))
    return STRATA_REASON_NARROWED;
  if (kind == STRATA_NEST_ANCHOR && strata_group_widens_for_reductions(grouping, node))
    return STRATA_REASON_WIDENED;
  if (kind == STRATA_NEST_ROW && !keeps_threads_busy(grouping, group, node))
    return STRATA_REASON_PARALLEL;
  if (kind == STRATA_NEST_ROW && !is_gpu && strata_group_follows_rows(grouping, group, node) &&
      is_worth_a_pause(grouping, node) && strata_group_reads_pieces(grouping, group, node))
    return STRATA_REASON_PIECES;
  return STRATA_REASON_NONE;
}
