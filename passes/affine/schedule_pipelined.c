// Pipelined products: the choice of a block's tile, its ring and the grid. See problem.h; docs/gpu-schedules.md has the
// keys.
//
// Every tile of targets/gpu/tiles.def is tried, either operand along the instruction's rows, one or two blocks a
// processor, by clusters of many kinds; the model of pipelined_time.c says which takes the least time.
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"

#include <math.h>
#include <string.h>

// Blocks a processor; blocks that share a reduction. Clusters lie within parts of the card that are no multiples of
// them, so they do not fill all processors.
typedef struct {
  int64_t residents, parts;
  int64_t share[2]; // rows, columns of tiles of a cluster whose blocks share operands
  bool stream;      // each block has an equal share of all tiles' steps
} way_t;

static const way_t ways[] = {
    {1, 1, {1, 1}, false}, {2, 1, {1, 1}, false}, {1, 2, {1, 1}, false}, {1, 4, {1, 1}, false}, {1, 8, {1, 1}, false},
    {1, 1, {2, 1}, false}, {1, 1, {1, 2}, false}, {1, 1, {2, 2}, false}, {1, 1, {4, 1}, false}, {1, 1, {1, 4}, false},
    {1, 1, {4, 2}, false}, {1, 1, {2, 4}, false}, {1, 1, {1, 1}, true},
};

enum { PLAIN, SWAPPED, ALTERNATE, N_FORMS }; // of a tile: as it is, rows and columns exchanged, every second row

enum {
  N_WAYS = sizeof ways / sizeof *ways,
  PRODUCERS = 128,
  MIN_SLOTS = 2,
};

//===-- A candidate ----------------------------------------------------------------------------------------------===//

// Where memory decides: as many slots as keep it busy; with more it is slower.
// More than usual only where the next kernel's blocks find room beside this one's then, be it on other processors.
static int64_t slots_of_memory(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  int64_t slots = (int64_t)ceil(device->n_processors * costs->in_flight / strata_pipelined_distinct_bytes(problem, p));
  int64_t fewest = (int64_t)(p->stagger ? costs->staggered_slots : costs->memory_slots);
  slots = strata_min(strata_max(slots, fewest), p->slots);
  bool is_beside =
      2 * p->blocks <= device->n_processors || strata_pipelined_has_room(device, problem, p, slots, p->residents + 1);
  return is_beside ? slots : strata_min(slots, (int64_t)costs->usual_slots);
}

// Of rows that lie along the reduction all blocks would read the same columns at a time, which memory has in the same
// few of its banks: each begins elsewhere. Of rows across the reduction that takes longer, and of rows that several
// blocks read, which they find in the cache if they do so at the same time.
static int64_t stagger_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bool is_one = p->parts == 1 && p->every == 1 && strata_pipelined_cluster(p) == 1 && p->row <= 1 && !problem->next &&
                problem->batch == 1;
  bool is_read_once = false;
  for (int side = 0; side < 2; side++) {
    is_one &= problem->sides[side].is_along && !problem->sides[side].has_window &&
              strata_pipelined_count_boxes(problem, p, side) > 0;
    is_read_once |= strata_problem_extent(problem, side) <= p->tile[side];
  }
  return is_one && is_read_once && problem->steps % p->step == 0 ? (int64_t)problem->costs->pipelined.stagger : 0;
}

// True if the product, and those behind it in one launch with it, can be carried out so.
static bool are_possible(const strata_gpu_device_t *device, const strata_problem_t *first,
                         const strata_pipelined_choice_t *p) {
  int64_t n_maps = 0;
  for (const strata_problem_t *each = first; each; each = each->next) {
    if (each->async != first->async || each->operand_bytes != first->operand_bytes ||
        !strata_pipelined_is_legal(device, each, p))
      return false;
    int64_t stores = p->swap ? 0 : strata_problem_store_maps(p->tile[STRATA_SIDE_V], each->stored_bytes);
    n_maps += each->n_operands + each->n_calls * stores;
  }
  return n_maps <= STRATA_MAX_MAPS;
}

bool strata_pipelined_predict(const strata_gpu_device_t *device, const strata_problem_t *problem,
                              strata_pipelined_choice_t *p) {
  if (!problem->async)
    return false;
  strata_pipelined_set_tile(problem, p);
  if (!are_possible(device, problem, p))
    return false;
  p->slots = strata_pipelined_slots(device, problem, p);
  for (const strata_problem_t *other = problem->next; other; other = other->next)
    p->slots = strata_min(p->slots, strata_pipelined_slots(device, other, p));
  int64_t shared_sums = p->parts > 1 ? p->shape.rows * p->shape.columns * STRATA_PIPELINED_SUM_BYTES : 0;
  if (p->slots < MIN_SLOTS || p->slots * strata_pipelined_slot_bytes(problem, p) < shared_sums)
    return false;
  p->tiles = strata_pipelined_tiles(problem, p);
  if (p->residents > 1 && p->tiles <= device->n_processors)
    return false; // they would be one a processor
  p->blocks = p->row > 1 ? p->tiles : strata_min(p->tiles, strata_pipelined_processors(device, p) * p->residents);
  if (p->stream)
    p->blocks = strata_ceil_div(p->tiles * strata_pipelined_steps_of_tile(problem, p),
                                strata_pipelined_share(device, problem, p));
  strata_pipelined_predict_time(device, problem, p);
  bool is_streamed = !strcmp(p->bound, strata_pipelined_memory_bound) && p->tiles == p->blocks && !p->stream;
  int64_t fewest = strata_ceil_div(shared_sums, strata_pipelined_slot_bytes(problem, p));
  p->stagger = is_streamed ? stagger_of(problem, p) : 0;
  double memory = problem->traffic / (double)device->bandwidth / p->seconds;
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  bool shares = strata_pipelined_cluster(p) > 1 && memory < costs->busy_memory;
  int64_t usual = (int64_t)(shares ? costs->shared_slots : costs->usual_slots);
  p->slots = is_streamed ? slots_of_memory(device, problem, p) : strata_min(p->slots, usual);
  p->slots = strata_max(p->slots, fewest);
  strata_pipelined_predict_time(device, problem, p);
  return true;
}

// |shares|: those whose blocks share operands, too.
static bool find_next(const strata_gpu_device_t *device, const strata_problem_t *problem, bool shares,
                      strata_pipelined_choice_t *p) {
  if (problem->bulk_adds)
    return strata_fma_next(device, problem, p);
  if (problem->row_reductions)
    return strata_norm_next(device, problem, p);
  const strata_gpu_tiles_t *tiles = &problem->costs->tiles;
  while (p->number < (size_t)tiles->n_pipelined * N_FORMS * N_WAYS) {
    size_t number = p->number++, form = number / N_WAYS % N_FORMS;
    if (form == ALTERNATE && !problem->sides[STRATA_SIDE_U].may_alternate)
      continue;
    const way_t *way = &ways[number % N_WAYS];
    int64_t cluster = way->parts * way->share[0] * way->share[1];
    if (!shares && way->share[0] * way->share[1] > 1)
      continue;
    *p = (strata_pipelined_choice_t){.shape = tiles->pipelined[number / N_FORMS / N_WAYS],
                                     .swap = form == SWAPPED,
                                     .every = form == ALTERNATE ? 2 : 1,
                                     .pair = problem->is_pair ? 2 : 1,
                                     .residents = way->residents,
                                     .parts = way->parts,
                                     .filled = (int64_t)problem->costs->pipelined.filled[cluster],
                                     .share = {way->share[0], way->share[1]},
                                     .stream = way->stream,
                                     .number = number + 1};
    if (strata_pipelined_predict(device, problem, p))
      return true;
  }
  return false;
}

bool strata_pipelined_next(const strata_gpu_device_t *device, const strata_problem_t *problem,
                           strata_pipelined_choice_t *p) {
  return find_next(device, problem, true, p);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static bool is_same_tile(const strata_pipelined_choice_t *a, const strata_pipelined_choice_t *b) {
  return a->tile[STRATA_SIDE_U] == b->tile[STRATA_SIDE_U] && a->tile[STRATA_SIDE_V] == b->tile[STRATA_SIDE_V];
}

// Keeps the best |capacity| of different tiles in order.
static int insert(strata_pipelined_choice_t *list, int count, int capacity,
                  const strata_pipelined_choice_t *candidate) {
  for (int i = 0; i < count; i++)
    if (is_same_tile(&list[i], candidate)) {
      if (list[i].seconds <= candidate->seconds)
        return count;
      memmove(&list[i], &list[i + 1], sizeof *list * (size_t)(--count - i));
      break;
    }
  int at = count;
  while (at > 0 && list[at - 1].seconds > candidate->seconds)
    at--;
  if (at == capacity)
    return count;
  int n = count < capacity ? count + 1 : capacity;
  memmove(&list[at + 1], &list[at], sizeof *list * (size_t)(n - 1 - at));
  list[at] = *candidate;
  return n;
}

int strata_pipelined_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, int n,
                            strata_pipelined_choice_t *out) {
  int count = 0;
  strata_pipelined_choice_t candidate = {0};
  bool shares = strata_problem_has_slow_rows(problem) || strata_problem_takes_blocks_apart(problem);
  double product = INFINITY;
  if (problem->bulk_adds)
    product = 1;
  else if (problem->async)
    product = strata_problem_correction(device, problem, NULL, STRATA_CORRECTS_PIPELINED);
  while (isfinite(product) && find_next(device, problem, shares, &candidate)) {
    candidate.seconds *= product * strata_problem_correction(device, problem, &candidate, STRATA_CORRECTS_CANDIDATE);
    if (isfinite(candidate.seconds))
      count = insert(out, count, n, &candidate);
  }
  return count;
}

// Groups that have no rows of their own lie beside one another along the columns.
static int64_t across_of(const strata_pipelined_choice_t *p) {
  return p->shape.rows < STRATA_PIPELINED_GROUP_ROWS * p->shape.groups ? p->shape.groups : 1;
}

strata_schedule_t strata_pipelined_schedule(const strata_problem_t *problem, const strata_pipelined_choice_t *choice) {
  if (problem->bulk_adds)
    return strata_fma_schedule(choice);
  return (strata_schedule_t){.kind = "contract",
                             .threads = choice->shape.groups * choice->shape.teams * STRATA_PIPELINED_GROUP_THREADS,
                             .group = choice->shape.groups * STRATA_PIPELINED_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {choice->tile[STRATA_SIDE_U], choice->tile[STRATA_SIDE_V], choice->step},
                             .warps = {4 * choice->shape.groups / across_of(choice), across_of(choice)},
                             .mma = strata_str(problem->async->name),
                             .producers = PRODUCERS,
                             .slots = choice->slots,
                             .blocks = choice->blocks,
                             .swap = choice->swap,
                             .parts = choice->parts > 1 ? choice->parts : 0,
                             .every = choice->every > 1 ? choice->every : 0,
                             .row = choice->row > 1 ? choice->row : 0,
                             .stagger = choice->stagger,
                             .stream = choice->stream,
                             .share = {strata_pipelined_cluster(choice) > 1 ? choice->share[0] : 0,
                                       strata_pipelined_cluster(choice) > 1 ? choice->share[1] : 0}};
}
