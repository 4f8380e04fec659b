// What a nest's joining a group saves and costs; see group.h. The unit is an addition in vector code.
//
// Saved are the bytes no longer written and read, and a launch. Paid are points computed more than once, and, where
// the group has few outer points to share among threads, the threads that go without work.
#include "passes/affine/group.h"

#include "dialects/affine/quads.h"
#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/target.h"

#include <float.h>
#include <math.h>

#define MAX_FOLLOWERS 32    // of a nest that are looked at
#define WAIT_DEPTH 6        // nests between a reduction and what waits for it: mean, epsilon, root
#define ROWS_AT_ONCE 4.0    // along which a value that does not vary is computed once
#define AFFORDABLE 0.2      // of a kernel's cost may go into repetitions
#define SHARING 8.0         // launches, as long as what shares one takes (share_launches.c)
#define SMALL_SIDE 32       // rows, or columns, of a small matrix: half a tile of 64
#define SMALL_STEPS 128     // of the reduction: two steps of a tile
#define OPERAND_WORK 4.0    // of a point: what may be done while an operand of a contraction is packed
#define OPERAND_READS 1.25  // bytes for one byte of it
#define OPERAND_NESTS 8     // at most, one after the other
#define OPERAND_REPEATS 8.0 // of the packing of one element; more: it is read as windows, or by very many tasks

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

// True if the nest is a product of a matrix and few vectors, whose results are computed one by one.
static bool is_thin(const strata_group_prices_t *prices, const strata_nest_t *nest) {
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
  return lhs <= SMALL_SIDE && rhs <= SMALL_SIDE && record->trips <= SMALL_STEPS * record->points;
}

// A contraction packs what it reads: each point once for many results.
static double operand_evaluations(const strata_group_prices_t *prices, const strata_nest_node_t *reader,
                                  MlirAffineMap point) {
  double reuse = is_thin(prices, reader->nest) ? 1 : prices->operand_reuse;
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
  return all * (share < 1 ? fmax(share, 1 / ROWS_AT_ONCE) : 1);
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
  return extra <= saved || extra <= saved + AFFORDABLE * group_cost(grouping, group);
}

double strata_group_evaluations_alone(const strata_nest_node_t *reader, const strata_nest_read_t *read) {
  int n_dims = reader->nest->n_parallel;
  uint32_t used = mlirAffineMapIsNull(read->load->map) ? UINT32_MAX : strata_affine_map_dims(read->load->map);
  double share = 1;
  for (int dim = 0; dim < n_dims; dim++)
    if (!(used >> dim & 1))
      share /= (double)strata_nest_likely_extent(reader->nest, dim);
  return reader->points * fmax(share, 1 / ROWS_AT_ONCE);
}

bool strata_group_affords_again(const strata_nest_graph_t *graph, const strata_group_prices_t *prices, int node,
                                double evaluations, int reader) {
  const strata_nest_node_t *record = &graph->nodes.data[node];
  const strata_ints_t *buffers = &graph->nodes.data[reader].buffers;
  double bytes = 0;
  for (size_t i = 0; i < buffers->count; i++)
    bytes += graph->buffers.data[buffers->data[i]].bytes * prices->byte;
  double saved = (record->is_dear ? 0 : prices->launch) + AFFORDABLE * (prices->launch + bytes);
  return bytes <= SHARING * prices->launch && (evaluations - record->points) * record->work <= saved;
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

static bool may_join_later(const strata_grouping_t *grouping, int node) {
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
    if (!may_join_later(grouping, reader) || waits_for_reduction(grouping, reader, record->writer, WAIT_DEPTH))
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
      if (out->count == MAX_FOLLOWERS)
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

static bool adds_a_store_only(const strata_grouping_t *grouping, int group, int node) {
  const strata_nest_node_t *record = strata_group_node(grouping, node);
  for (size_t i = 0; i < record->reads.count; i++)
    if (strata_group_has(grouping, group, record->reads.data[i].producer) &&
        !is_stored_anyway(grouping, group, record->reads.data[i].buffer, node))
      return false;
  return is_absorbed(grouping, node) && has_kernel_behind(grouping, group, node);
}

// True if |node| only widens what another kernel's reduction, and what waits for that, read: they can do that
// themselves, and the narrow value is what goes through memory.
static bool widens_for_reductions(const strata_grouping_t *grouping, int node) {
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
        !waits_for_reduction(grouping, reader, node, WAIT_DEPTH))
      return false;
  }
  return true;
}

// True if the contraction or window of the group reads |node|, or what is computed from it on the way.
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
  return record->work <= OPERAND_WORK && !record->is_dear && read <= OPERAND_READS * written &&
         evaluations <= OPERAND_REPEATS * record->points;
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
  if (record->class != STRATA_NEST_MAP || record->is_dear || chain->work > OPERAND_WORK ||
      ++chain->n_nests > OPERAND_NESTS)
    return false;
  for (size_t i = 0; i < record->buffers.count; i++) {
    const strata_access_t *access = &record->nest->accesses[i];
    const strata_nest_read_t *read = access->is_store ? NULL : read_of(record, access);
    bool is_ahead =
        read && may_join_later(grouping, read->producer) && !strata_group_node(grouping, read->producer)->is_constant;
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
  bool is_thin_product = is_thin(prices, anchor->nest);
  double repeats = evaluations / record->points, written = 0;
  chain_t chain = {0};
  if (!add_chain(grouping, node, &chain))
    return false;
  for (size_t i = 0; i < record->buffers.count; i++)
    written += record->nest->accesses[i].is_store ? access_bytes(grouping, record, i) : 0;
  if (is_thin_product && chain.work == 0 && chain.read <= written)
    return true;                                              // a copy: the original is read as easily
  bool is_load = chain.work == 0 && prices->loads_by_threads; // from where the original lies, however often
  if (repeats > OPERAND_REPEATS && !is_load)
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

strata_group_reason_t strata_group_judge(const strata_grouping_t *grouping, int group, int node, bool is_aligned,
                                         double evaluations) {
  bool is_gpu = strata_target_is_gpu(grouping->compile);
  const strata_nest_node_t *first = strata_group_node(grouping, grouping->groups.data[group].members.data[0]);
  if (grouping->nodes[node].is_operand && (strata_nest_sums_vary(first->nest) || reads_quads(grouping, first->nest)))
    return STRATA_REASON_OPERAND; // it would be packed, as far as the sums go, or read by bytes
  if (grouping->nodes[node].is_operand && !(is_gpu ? is_fetched_cheaper(grouping, group, node, evaluations)
                                                   : is_cheap_operand(grouping, node, evaluations)))
    return STRATA_REASON_OPERAND;
  if (!is_aligned)
    return affords_repetitions(grouping, group, node, evaluations) ? STRATA_REASON_NONE : STRATA_REASON_RECOMPUTE;
  strata_nest_class_t kind = grouping->groups.data[group].kind;
  if (kind == STRATA_NEST_ANCHOR && !strata_group_is_private(grouping, group, node, -1) &&
      adds_a_store_only(grouping, group, node))
    return STRATA_REASON_STORED;
  if (kind == STRATA_NEST_ANCHOR && strata_group_narrows_another(grouping, node))
    return STRATA_REASON_NARROWED;
  if (kind == STRATA_NEST_ANCHOR && widens_for_reductions(grouping, node))
    return STRATA_REASON_WIDENED;
  if (kind == STRATA_NEST_ROW && !keeps_threads_busy(grouping, group, node))
    return STRATA_REASON_PARALLEL;
  if (kind == STRATA_NEST_ROW && !is_gpu && strata_group_follows_rows(grouping, group, node) &&
      is_worth_a_pause(grouping, node) && strata_group_reads_pieces(grouping, group, node))
    return STRATA_REASON_PIECES;
  return STRATA_REASON_NONE;
}
