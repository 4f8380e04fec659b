// Pipelined products: the choice of a block's tile, its ring and the grid. See problem.h; docs/gpu-schedules.md has the
// keys.
//
// Every tile of devices/gpu/tiles.def is tried, either operand along the instruction's rows, one or two blocks a
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
    {1, 1, {4, 2}, false}, {1, 1, {2, 4}, false}, {1, 1, {1, 1}, true},  {1, 3, {1, 1}, false}, {1, 5, {1, 1}, false},
    {1, 6, {1, 1}, false}, {1, 7, {1, 1}, false}, {1, 2, {2, 1}, false}, {1, 2, {1, 2}, false}, {1, 2, {4, 1}, false},
    {1, 2, {1, 4}, false}, {1, 3, {2, 1}, false}, {1, 3, {1, 2}, false}, {1, 4, {2, 1}, false}, {1, 4, {1, 2}, false},
};

enum { N_WAYS = sizeof ways / sizeof *ways };
enum { PLAIN, SWAPPED, ALTERNATE, N_FORMS }; // of a tile: as it is, rows and columns exchanged, every second row

//===-- A candidate ----------------------------------------------------------------------------------------------===//

// Where memory decides: as many slots as keep it busy; with more it is slower.
// More than usual only where the next kernel's blocks find room beside this one's then, be it on other processors; and
// of rows that vary not where a tile's steps would all be fetched at once, which was seen to take a twentieth longer.
static int64_t slots_of_memory(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  int64_t slots = (int64_t)ceil(device->n_processors * costs->in_flight / strata_pipelined_distinct_bytes(problem, p));
  int64_t fewest = (int64_t)(p->stagger ? costs->staggered_slots : costs->memory_slots);
  slots = strata_min(strata_max(slots, fewest), p->slots);
  bool is_beside =
      2 * p->blocks <= device->n_processors || strata_pipelined_has_room(device, problem, p, slots, p->residents + 1);
  bool is_at_once = problem->varies && strata_pipelined_steps_of_tile(problem, p) <= slots;
  return is_beside && !is_at_once ? slots : strata_min(slots, (int64_t)costs->usual_slots);
}

// Of rows that lie along the reduction all blocks would read the same columns at a time, which memory has in the same
// few of its banks: each begins elsewhere. Of rows across the reduction that takes longer, and of rows that several
// blocks read, which they find in the cache if they do so at the same time.
static bool can_stagger(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bool is_one = !strata_pipelined_unpacks(problem) && p->parts == 1 && p->every == 1 &&
                strata_pipelined_cluster(p) == 1 && p->row <= 1 && !problem->next && problem->batch == 1;
  for (int side = 0; side < 2; side++)
    is_one &= problem->sides[side].is_along && !problem->sides[side].has_window &&
              strata_pipelined_count_boxes(problem, p, side) > 0;
  return is_one && strata_problem_is_multiple(problem, STRATA_AXIS_STEP, p->step);
}

static bool is_read_once(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return strata_problem_extent(problem, STRATA_SIDE_U) <= p->tile[STRATA_SIDE_U] ||
         strata_problem_extent(problem, STRATA_SIDE_V) <= p->tile[STRATA_SIDE_V];
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

// Who may have it. Where tiles begin within spans, blocks that share a reduction alone were seen to take much longer
// than the model says.
static strata_reach_t reach_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bool shares = p->parts > 1 && strata_pipelined_cluster(p) > 1;
  if (strata_pipelined_splits_spans(problem, p) && !shares)
    return STRATA_REACH_ALL;
  return shares || !strata_is_power_of_two(p->parts) ? STRATA_REACH_TIMED : STRATA_REACH_FITTED;
}

bool strata_pipelined_predict(const strata_work_t *w, strata_candidate_t *c) {
  const strata_gpu_device_t *device = w->device;
  const strata_problem_t *problem = w->product;
  strata_pipelined_choice_t *p = &c->pipelined;
  if (!problem->async)
    return false;
  strata_pipelined_set_tile(problem, p);
  if (p->columns < STRATA_EIGHT || w->reach < reach_of(problem, p))
    return false;
  p->slots = strata_pipelined_slots(device, problem, p);
  for (const strata_problem_t *other = problem->next; other; other = other->next)
    p->slots = strata_min(p->slots, strata_pipelined_slots(device, other, p));
  if (!are_possible(device, problem, p))
    return false;
  int64_t shared_sums = p->parts > 1 ? p->shape.rows * p->shape.columns * STRATA_SUM_BYTES : 0, most = p->slots;
  p->tiles = strata_pipelined_tiles(problem, p);
  if (p->residents > 1 && p->tiles <= device->n_processors && !problem->varies)
    return false; // they would be one a processor
  p->blocks = p->row > 1 ? p->tiles : strata_min(p->tiles, strata_pipelined_processors(device, p) * p->residents);
  if (p->stream)
    p->blocks = strata_ceil_div(p->tiles * strata_pipelined_steps_of_tile(problem, p),
                                strata_pipelined_share(device, problem, p));
  strata_pipelined_predict_time(device, problem, p);
  bool is_streamed = !strcmp(p->bound, strata_pipelined_memory_bound) && p->tiles == p->blocks && !p->stream;
  int64_t fewest = strata_ceil_div(shared_sums, strata_pipelined_slot_bytes(problem, p));
  bool is_staggered = is_streamed && can_stagger(problem, p), is_once = is_read_once(problem, p);
  p->stagger = is_staggered && is_once ? (int64_t)problem->costs->pipelined.stagger : 0;
  double memory = problem->traffic / (double)device->bandwidth / p->seconds;
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  bool shares = strata_pipelined_cluster(p) > 1 && memory < costs->busy_memory;
  int64_t usual = (int64_t)(shares ? costs->shared_slots : costs->usual_slots);
  p->slots = is_streamed ? slots_of_memory(device, problem, p) : strata_min(p->slots, usual);
  p->slots = strata_round_up(strata_max(p->slots, fewest), p->shape.depth);
  if (p->slots != most)
    strata_pipelined_predict_time(device, problem, p);
  p->seconds *= problem->varies && is_staggered && !is_once ? costs->unstaggered : 1;
  return strata_pipelined_correct(w, p);
}

//===-- What the model may choose --------------------------------------------------------------------------------===//

bool strata_pipelined_is_tried(const strata_work_t *w) {
  return w->wants_all || w->product->bulk_adds || strata_pipelined_unpacks(w->product) ||
         (w->product->async &&
          isfinite(strata_problem_correction(w->device, w->product, NULL, STRATA_CORRECTS_PIPELINED)));
}

bool strata_pipelined_correct(const strata_work_t *w, strata_pipelined_choice_t *p) {
  if (strata_pipelined_unpacks(w->product)) // what was measured is of operands that are as they are multiplied
    return true;
  if (!w->wants_all)
    p->seconds *= strata_problem_correction(w->device, w->product, p, STRATA_CORRECTS_CANDIDATE);
  if (!w->wants_all && !w->product->bulk_adds)
    p->seconds *= strata_problem_correction(w->device, w->product, NULL, STRATA_CORRECTS_PIPELINED);
  return isfinite(p->seconds);
}

//===-- The walk -------------------------------------------------------------------------------------------------===//

// Tiles of several groups and few columns are worth their while where threads unpack the operand alone.
static bool is_for_unpacked(const strata_pipelined_shape_t *shape) {
  return shape->groups > 3 || shape->depth > 1 || (shape->groups > 1 && shape->columns < STRATA_GROUP_ROWS);
}

static bool next(const strata_work_t *w, strata_candidate_t *c) {
  const strata_problem_t *problem = w->product;
  const strata_gpu_tiles_t *tiles = &problem->costs->tiles;
  strata_pipelined_choice_t *p = &c->pipelined;
  bool shares = w->wants_all || strata_problem_has_slow_rows(problem) || strata_problem_takes_blocks_apart(problem);
  if (p->number == 0 && !strata_pipelined_is_tried(w))
    return false;
  while (p->number < (size_t)tiles->n_pipelined * N_FORMS * N_WAYS) {
    size_t number = p->number++, form = number / N_WAYS % N_FORMS;
    const way_t *way = &ways[number % N_WAYS];
    int64_t sharers = way->share[0] * way->share[1];
    if ((form == ALTERNATE && !problem->sides[STRATA_SIDE_U].may_alternate) || (sharers > 1 && !shares))
      continue;
    if (is_for_unpacked(&tiles->pipelined[number / N_FORMS / N_WAYS]) && !strata_pipelined_unpacks(problem))
      continue;
    *p = (strata_pipelined_choice_t){.shape = tiles->pipelined[number / N_FORMS / N_WAYS],
                                     .swap = form == SWAPPED,
                                     .every = form == ALTERNATE ? 2 : 1,
                                     .pair = problem->is_pair ? 2 : 1,
                                     .residents = way->residents,
                                     .parts = way->parts,
                                     .filled = (int64_t)problem->costs->pipelined.filled[way->parts * sharers],
                                     .share = {way->share[0], way->share[1]},
                                     .stream = way->stream,
                                     .number = number + 1};
    return true;
  }
  return false;
}

static const char *instruction_name(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_mma_t *mma = p->shape.depth > 1 ? problem->mma : problem->async;
  return mma ? mma->name : "";
}

strata_schedule_t strata_pipelined_write(const strata_work_t *w, const strata_candidate_t *c) {
  const strata_pipelined_choice_t *choice = &c->pipelined;
  return (strata_schedule_t){
      .kind = STRATA_KERNEL_CONTRACT,
      .threads = choice->shape.groups * choice->shape.depth * choice->shape.teams * STRATA_GROUP_THREADS,
      .group = choice->shape.groups * choice->shape.depth * STRATA_GROUP_THREADS,
      .n_tile = 3,
      .tile = {choice->tile[STRATA_SIDE_U], choice->tile[STRATA_SIDE_V], choice->step},
      .warps = {4 * choice->shape.groups / strata_pipelined_across(choice), strata_pipelined_across(choice)},
      .mma = strata_str(instruction_name(w->product, choice)),
      .producers = STRATA_GROUP_THREADS,
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

// The blocks of a launch may be those that other products in it need; clusters have a task a block.
bool strata_pipelined_admits(const strata_work_t *w, const strata_candidate_t *c, const strata_schedule_t *given) {
  const strata_pipelined_choice_t *p = &c->pipelined;
  bool is_whole = given->parts || given->row;
  int64_t room = is_whole ? 0 : w->device->n_processors * p->residents;
  return given->slots >= STRATA_MIN_SLOTS && given->slots <= p->slots && given->slots % p->shape.depth == 0 &&
         given->blocks >= (is_whole ? p->tiles : 1) && given->blocks <= strata_max(p->tiles, room) &&
         given->blocks % strata_pipelined_cluster(p) == 0 && given->stagger >= 0 && (p->stagger || !given->stagger);
}

static const char *cluster_text(strata_arena_t *arena, const strata_schedule_t *s) {
  if (s->share[0] && s->parts)
    return strata_arena_printf(arena, " in clusters of %lld x %lld that share operands, %lld parts of each",
                               (long long)s->share[0], (long long)s->share[1], (long long)s->parts);
  if (s->share[0])
    return strata_arena_printf(arena, " in clusters of %lld x %lld that share operands", (long long)s->share[0],
                               (long long)s->share[1]);
  if (s->stream)
    return " with equal shares of all steps";
  int64_t blocks = s->row ? s->row : s->parts;
  return blocks ? strata_arena_printf(arena, " in clusters of %lld", (long long)blocks) : "";
}

// The form of a tile, where it is not that of neighbouring rows and columns.
static const char *form_text(strata_arena_t *arena, const strata_schedule_t *s) {
  if (s->every)
    return strata_arena_printf(arena, ", rows %lld apart", (long long)s->every);
  return s->swap ? ", swapped" : "";
}

static const char *groups_text(strata_arena_t *arena, const strata_pipelined_shape_t *shape) {
  if (shape->depth > 1)
    return strata_arena_printf(arena, ", %lld groups that share steps", (long long)shape->depth);
  return shape->teams > 1 ? ", two teams" : "";
}

const char *strata_pipelined_explain(strata_arena_t *arena, const strata_work_t *w, const strata_candidate_t *c) {
  const strata_schedule_t *s = &c->schedule;
  return strata_arena_printf(arena, "%s %lldx%lldx%lld, %lld slots, %lld tiles in %lld blocks%s%s%s",
                             s->mma.length ? instruction_name(w->product, &c->pipelined) : "multiply-adds",
                             (long long)s->tile[0], (long long)s->tile[1], (long long)s->tile[2], (long long)s->slots,
                             (long long)c->pipelined.tiles, (long long)s->blocks, cluster_text(arena, s),
                             form_text(arena, s), groups_text(arena, &c->pipelined.shape));
}

const strata_ways_t strata_ways_pipelined = {next, strata_pipelined_predict, strata_pipelined_write,
                                             strata_pipelined_admits, strata_pipelined_explain};
