// Pipelined products: how long a candidate takes. See pipelined.h.
//
// The time of a kernel is that of its fullest processor: tiles one after the other, each as long as its steps, each
// step as long as the slowest of what goes on side by side (instructions, shared memory, the second-level cache, what
// producers fetch through registers); but not less than memory takes. To that come the launch, the filling of the ring,
// and the stores of the tiles that no other tile hides. The figures are the device's (devices/gpu/costs.h).
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"

#include <math.h>

enum {
  LEAST_BOX = 32,  // of a row of results
  WIDE_RESULT = 4, // bytes
};

typedef struct {
  double cycles;
  const char *what;
} bound_t;

const char strata_pipelined_memory_bound[] = "memory";

static bound_t slower(bound_t a, bound_t b) { return b.cycles > a.cycles ? b : a; }

typedef struct {
  double bytes; // that producers load through registers in a step: of the operands that are no boxes
  double boxes; // of the others
} fetched_t;

static fetched_t fetched(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  fetched_t result = {0};
  for (int side = 0; side < 2; side++) {
    int64_t boxes = strata_pipelined_count_boxes(problem, p, side);
    result.boxes += (double)(boxes * strata_pipelined_slot_rows(p, side) / p->tile[side]);
    const strata_problem_side_t *s = &problem->sides[side];
    const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
    double bytes = s->is_wide ? (double)s->loaded_bytes : costs->loaded_alone;
    result.bytes += boxes ? 0 : (double)(p->tile[side] * p->step) * bytes;
  }
  return result;
}

// Rows of a step that the copy engine asks for: of what lies across the reduction a span for each of its steps, of
// either kind none beyond the operand's end.
static double requested_rows(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  int64_t rows = strata_min(strata_pipelined_slot_rows(p, side), strata_problem_extent(problem, side));
  bool is_crossed = problem->sides[side].is_crossed;
  return (double)(is_crossed ? strata_round_up(rows, p->step) : rows) / (double)p->share[1 - side];
}

// What a line of a side takes to answer all blocks that read it at a time: for each of the rows that lie in it, and
// twice where they begin within lines, since a block asks for the piece of a row in this one and for the next with it.
static double line_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  const strata_problem_side_t *s = &problem->sides[side];
  int64_t tiles =
      strata_ceil_div(strata_problem_extent(problem, side), strata_pipelined_slot_rows(p, side)) * problem->batch;
  double readers = (double)p->blocks / (double)(tiles * p->parts * p->share[1 - side]);
  double rows = fmax(1, STRATA_LINE / (double)s->row_bytes);
  return readers * rows * (s->splits_lines ? 2 : 1) * problem->costs->pipelined.line_request;
}

// A row of a step that begins within a line. Every second row of those that begin within sectors begins with one.
static double split_row_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  if (strata_pipelined_straddles(problem, p, side))
    return costs->straddling_row;
  return p->every > 1 && side == STRATA_SIDE_U ? costs->alternate_row : costs->split_row;
}

static bool are_apart(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return strata_problem_takes_blocks_apart(problem) && p->tiles > p->blocks;
}

static double tile_instructions(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return (double)(p->shape.rows * p->shape.columns) / problem->costs->pipelined.products * 100 / (double)p->shape.rate;
}

// Bytes of a side's step from the cache, for a block. Those of a cluster are at the same step, and ask once for what
// they share.
static double cached_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double rows = (double)strata_pipelined_slot_rows(p, side);
  if (are_apart(problem, p))
    rows = costs->apart_alone * rows + (1 - costs->apart_alone) * requested_rows(problem, p, side);
  return rows * (double)strata_pipelined_row_bytes(problem, side);
}

// Bytes from the second-level cache: blocks at different steps of their tiles do not find there what another has just
// asked for. That was not seen where they want little, and the right operand's steps are lines side by side.
static double cache_rate(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  if (p->stream)
    return costs->stream_cache_rate;
  if (!are_apart(problem, p))
    return costs->cache_rate;
  double wanted = cached_bytes(problem, p, STRATA_SIDE_U) + cached_bytes(problem, p, STRATA_SIDE_V);
  bool is_served =
      problem->sides[STRATA_SIDE_V].is_crossed && wanted < costs->apart_served * tile_instructions(problem, p);
  return is_served ? costs->cache_rate : costs->apart_cache_rate;
}

// A step's rows from the second-level cache, of which those that straddle its sectors or lines are asked for in two
// requests: by each of the blocks that share them its part.
static bound_t cache_time(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  bound_t bound = {0, "cache"};
  double lines = 0, rate = cache_rate(problem, p);
  for (int side = 0; side < 2; side++) {
    const strata_problem_side_t *s = &problem->sides[side];
    bool is_narrow = s->is_read && !s->has_window && s->row_bytes < STRATA_LINE;
    double rows = requested_rows(problem, p, side);
    if (is_narrow || (s->splits_lines && !s->has_window)) // of others it was never seen to decide
      lines = fmax(lines, line_cycles(problem, p, side));
    if (s->splits_lines)
      bound.what = "rows";
    if (is_narrow)
      bound.cycles += rows * (s->straddles ? costs->narrow_straddling : costs->narrow_row);
    else if (s->splits_lines)
      bound.cycles += rows * split_row_cycles(problem, p, side);
    else
      bound.cycles += cached_bytes(problem, p, side) / rate;
  }
  return slower(bound, (bound_t){lines, "lines"});
}

// Rows of a side that a slot of the first tile asks the copy engine for: of what lies across the reduction whole spans.
static int64_t asked_rows(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  int64_t rows = strata_pipelined_slot_rows(p, side), extent = strata_problem_extent(problem, side);
  if (problem->sides[side].is_crossed)
    return strata_round_up(strata_min(rows, extent), p->step);
  return extent < rows && strata_pipelined_is_clipped(problem, p, side) ? extent : rows;
}

// Where one of the sizes varies tiles are chosen that are seldom the best for the size that there is, smaller ones or
// more of them: what all processors read at a time decides sooner.
static double read_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  if (!problem->varies || strata_problem_has_window(problem))
    return 0;
  int64_t rows = asked_rows(problem, p, STRATA_SIDE_U) + asked_rows(problem, p, STRATA_SIDE_V);
  return (double)rows * problem->costs->pipelined.read_row;
}

// One step of one tile; |together| tiles are under way on the processor.
static bound_t step_time(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double together) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double rows = (double)p->shape.rows, columns = (double)p->shape.columns;
  fetched_t fetch = fetched(problem, p);
  bound_t bound = {tile_instructions(problem, p), "instructions"};
  if (p->shape.depth > 1)
    bound.cycles = (costs->unpack_deep + costs->unpack_column * columns) * rows / (double)STRATA_GROUP_ROWS;
  else if (strata_pipelined_unpacks(problem))
    bound.cycles = costs->unpack_step / together + fmax(bound.cycles, costs->unpack * rows / (double)STRATA_GROUP_ROWS);
  else if (strata_pipelined_reads_left(problem, p))
    bound = slower((bound_t){bound.cycles * costs->left_read, bound.what},
                   (bound_t){costs->left_step + costs->left_column * columns, "left operand"});
  bound = slower(bound, (bound_t){(rows + columns) / costs->shared_rate, "shared memory"});
  bound = slower(bound, cache_time(problem, p));
  bound = slower(bound, (bound_t){read_cycles(problem, p), "cache"});
  bound = slower(bound, (bound_t){costs->latency / (double)p->slots / together, "latency"});
  bound = slower(bound, (bound_t){fetch.boxes * costs->box / together, "copies"});
  if (fetch.bytes > 0)
    bound = slower(bound, (bound_t){(costs->load_latency + fetch.bytes / costs->load_rate) / together, "producers"});
  return bound;
}

// Of a step whose rows take two requests: the lesser of what instructions and requests take.
static double beside_rows(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return strata_problem_has_slow_rows(problem) ? fmin(cache_time(problem, p).cycles, tile_instructions(problem, p)) : 0;
}

// True if the copy engine stores the results: rows that are one dim of theirs, in boxes of 128, 64 or 32 bytes.
static bool is_staged(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return !p->swap && strata_problem_stores_vectors(problem) && problem->axes[STRATA_AXIS_ROW].n_dims <= 1 &&
         p->columns * problem->stored_bytes % LEAST_BOX == 0;
}

// How many times as long threads take as the copy engine.
static double threads_store(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  if (strata_problem_stores_vectors(problem))
    return costs->exchanged_store;
  return p->swap ? costs->crossed_store : are_apart(problem, p) ? costs->apart_store : costs->unaligned_store;
}

// Two groups store at the same time.
static double store_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double elements = (double)(p->rows * p->columns / p->shape.groups);
  double cycles = elements * ((double)problem->stored_bytes + 2) / costs->store_rate;
  bool is_narrow = p->columns * p->parts * problem->stored_bytes % STRATA_SPAN != 0;
  double staged = is_narrow ? costs->narrow_store : 1;
  double split = problem->columns * problem->stored_bytes % STRATA_LINE ? costs->split_store : 1;
  return costs->store_start + cycles * (is_staged(problem, p) ? staged : threads_store(problem, p)) * split;
}

// Results of 32 bits behind short reductions: all processors store them at a time, and memory is what they wait for,
// with little to multiply meanwhile. Of 16 bits it was not so.
static double store_beside(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double products) {
  double store = store_cycles(problem, p), bytes = (double)(p->rows * p->columns * problem->stored_bytes);
  return problem->stored_bytes < WIDE_RESULT
             ? store
             : fmax(store, bytes / problem->costs->pipelined.stored_by_all - products / 2);
}

static double traffic_of(const strata_problem_t *problem) {
  double bytes = 0;
  for (; problem; problem = problem->next)
    bytes += problem->traffic - problem->spared;
  return bytes;
}

// How often slow rows are halved, as the blocks of a cluster have a part of the reduction each.
static double parts_of_slow_rows(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return strata_problem_has_slow_rows(problem) ? log2((double)p->parts) : 0;
}

static double memory_cycles(const strata_gpu_device_t *device, const strata_problem_t *problem,
                            const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double share = (double)(p->stream ? p->blocks : p->tiles) * costs->memory_share / device->n_processors;
  double places = 1 + costs->parts_of_rows * parts_of_slow_rows(problem, p), traffic = places * traffic_of(problem);
  double cycles = traffic / (double)device->bandwidth * costs->clock / fmin(share, 1);
  double rounds = (double)strata_ceil_div(p->tiles, p->blocks),
         idle = rounds * (double)p->blocks / (double)p->tiles - 1;
  if (p->stream)
    return cycles;
  if (p->tiles > p->blocks)
    return cycles * (1 + costs->uneven * idle);
  double fetched = p->row ? strata_problem_operand_bytes(problem) * places : traffic;
  cycles =
      fmax(cycles, fetched * costs->memory_latency / ((double)p->slots * strata_pipelined_distinct_bytes(problem, p)));
  return cycles;
}

// All but a block's own part of its sums goes to the others of its cluster. Where rows are slow, what was measured goes
// with the bytes of all clusters together, not with those of one.
static double share_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double bytes = (double)(p->shape.rows * p->shape.columns * STRATA_SUM_BYTES), parts = (double)p->parts;
  if (p->parts == 1)
    return 0;
  if (strata_problem_has_slow_rows(problem))
    return bytes * (parts - 1) / parts * (double)p->blocks / costs->exchange_total;
  return costs->share_start + bytes / costs->share_sent + bytes / costs->share_read;
}

// Tiles one after the other. A team stores while the other multiplies: the last store alone is not hidden, unless a
// team's tiles take longer than their share.
static double tiles_cycles(const strata_pipelined_choice_t *p, double rounds, double products, double stores,
                           double store) {
  if (p->shape.teams == 1 || rounds < 2)
    return rounds * products + stores;
  double teams = (double)p->shape.teams;
  return fmax(rounds * products + store, ceil(rounds / teams) * (products + store));
}

// What a tile of one of a launch's products takes.
typedef struct {
  int form; // the number of those whose slots are alike
  int64_t tiles;
  double steps, products, store; // of each; cycles
  const char *what;
} tiles_t;

// The number of those before |problem| whose slots are alike, or the next.
static int form_of(const strata_problem_t *first, const strata_problem_t *problem, const strata_pipelined_choice_t *p,
                   const tiles_t *tiles) {
  const int64_t tile[] = {p->tile[STRATA_SIDE_U], p->tile[STRATA_SIDE_V], p->step};
  int next = 0;
  for (int i = 0; first != problem; first = first->next, i++) {
    if (strata_problem_fills_alike(first, problem, tile))
      return tiles[i].form;
    next = tiles[i].form >= next ? tiles[i].form + 1 : next;
  }
  return next;
}

// Of the launch's products in turn; returns how many there are.
static int tiles_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double together,
                    tiles_t *out_tiles) {
  int n = 0;
  for (const strata_problem_t *first = problem; problem && n < STRATA_MAX_TOGETHER; problem = problem->next) {
    bound_t step = step_time(problem, p, together);
    double steps = (double)strata_ceil_div(strata_pipelined_steps_of_tile(problem, p), p->parts);
    double store = store_beside(problem, p, steps * step.cycles);
    out_tiles[n] = (tiles_t){.form = form_of(first, problem, p, out_tiles),
                             .tiles = strata_pipelined_own_tiles(problem, p),
                             .steps = steps,
                             .products = steps * step.cycles,
                             .store = store + share_cycles(problem, p) + strata_norm_cycles(problem, p),
                             .what = step.what};
    n++;
  }
  return n;
}

// How many of the first |n| tasks are those of |processor|.
static int64_t tasks_before(int64_t n, int64_t processor, int64_t n_processors) {
  return n > processor ? strata_ceil_div(n - processor, n_processors) : 0;
}

// Of several products' tiles, one product after the other, on |n_processors|: those of the fullest. The products are
// those of |form|.
static double fullest_cycles(const strata_pipelined_choice_t *p, double together, const tiles_t *tiles, int n, int form,
                             int64_t n_processors) {
  double most = 0, teams = (double)p->shape.teams;
  for (int64_t processor = 0; processor < n_processors; processor++) {
    double products = 0, stores = 0, last = 0;
    int64_t first = 0;
    for (int i = 0; i < n; i++) {
      int64_t end = first + (tiles[i].form == form ? tiles[i].tiles : 0);
      int64_t own = tasks_before(end, processor, n_processors) - tasks_before(first, processor, n_processors);
      products += (double)own * tiles[i].products;
      stores += (double)own * tiles[i].store;
      last = own ? tiles[i].store : last;
      first = end;
    }
    double cycles = teams > 1 ? fmax(products + last, (products + stores) / teams) : products + stores / together;
    most = fmax(most, cycles);
  }
  return most;
}

// The same of products of several forms, which have processors of their own in proportion to their steps.
static double launch_cycles(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p, double together,
                            const tiles_t *tiles, int n) {
  double most = 0, steps[STRATA_MAX_TOGETHER] = {0}, all = 0;
  int n_forms = 0;
  for (int i = 0; i < n; i++) {
    steps[tiles[i].form] += (double)tiles[i].tiles * tiles[i].steps;
    all += (double)tiles[i].tiles * tiles[i].steps;
    n_forms = tiles[i].form >= n_forms ? tiles[i].form + 1 : n_forms;
  }
  for (int form = 0; form < n_forms; form++) {
    int64_t own = (int64_t)(steps[form] / all * (double)device->n_processors);
    most = fmax(most, fullest_cycles(p, together, tiles, n, form, own > 1 ? own : 1));
  }
  return most;
}

static double sum_of(const strata_problem_t *problem, double (*of)(const strata_problem_t *problem)) {
  double sum = 0;
  for (; problem; problem = problem->next)
    sum += of(problem);
  return sum;
}

// Of instructions at their full rate.
static double instruction_cycles(const strata_problem_t *problem) {
  double products = (double)problem->rows * (double)problem->columns * (double)problem->steps * (double)problem->batch;
  return products * (double)problem->operand_bytes / (problem->costs->pipelined.products * STRATA_SPAN);
}

static double cache_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  double cycles = 0;
  for (; problem; problem = problem->next) {
    double steps = (double)strata_ceil_div(strata_pipelined_steps_of_tile(problem, p), p->parts);
    cycles += (double)strata_pipelined_own_tiles(problem, p) * steps * (double)strata_pipelined_slot_bytes(problem, p) /
              problem->costs->pipelined.cache_total;
  }
  return cycles;
}

// How many times as long tiles take whose rows are slow, or whose blocks are apart.
static double slowdown(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  bool is_slow = strata_problem_has_slow_rows(problem), is_alone = p->parts == 1 && strata_pipelined_cluster(p) == 1;
  if (!is_slow && !are_apart(problem, p))
    return 1;
  return (is_slow && is_alone ? costs->alone : 1) * (p->shape.groups == 3 ? costs->three_groups : 1);
}

// Of a block that has a share of all tiles' steps: those, its tiles' stores, the sums that it leaves to another block,
// and those of all blocks that have steps of its last tile.
static double stream_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, const tiles_t *tile,
                            double share) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  double sums = costs->stream_start + (double)(p->rows * p->columns * STRATA_SUM_BYTES) / costs->stream_rate;
  double step = tile->products / tile->steps;
  return share * (step + beside_rows(problem, p) / costs->hidden) + ceil(share / tile->steps) * tile->store + sums +
         ceil(tile->steps / share) * sums;
}

// Cycles in which a processor waits for code: what results go through may be much, and is fetched where it goes on to
// another product's tile, not to one of another call (pipelined_twins.c of tile-to-gpu); one team also computes it
// while nobody multiplies.
static double code_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double rounds) {
  enum { GROUP_THREADS = 128 };
  double n_calls = 0, n_products = 0, n_long = 0,
         results = (double)(p->rows * p->columns / (p->shape.groups * GROUP_THREADS));
  for (const strata_problem_t *each = problem; each; each = each->next) {
    n_calls += (double)each->n_calls;
    n_products++;
    n_long += each->has_long_code;
  }
  double others = n_long == n_products ? n_long - 1 : n_long; // a launch of its own fetches the first, too
  double behind = fmax(0, fmin(rounds - 1, others)), alone = p->shape.teams == 1 ? rounds - 1 : 0;
  return n_calls > 1 && n_long > 0 ? (behind + alone) * results * problem->costs->pipelined.code : 0;
}

// The same of all steps of a processor's tiles where memory decides, which small tiles, that are many, wait for each
// time: as far as it does. What fills the ring is asked for at once; where results go through much code that was not
// seen to be faster.
static double waiting_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double rounds,
                             double share) {
  double steps = (double)strata_ceil_div(strata_pipelined_steps_of_tile(problem, p), p->parts);
  double of_row = problem->costs->pipelined.awaited_row / problem->costs->pipelined.read_row;
  double at_once = problem->has_long_code ? 0 : (double)p->slots;
  return fmax(0, rounds * steps - at_once) * read_cycles(problem, p) * of_row * fmin(1, share);
}

void strata_pipelined_predict_time(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                   strata_pipelined_choice_t *p) {
  const strata_pipelined_costs_t *costs = &problem->costs->pipelined;
  int64_t row = p->row > 1 ? p->row : 1, at_once = strata_pipelined_processors(device, p) / row * row;
  double rounds = (double)strata_ceil_div(p->tiles, at_once), together = fmin(rounds, (double)p->residents);
  tiles_t each[STRATA_MAX_TOGETHER];
  int n = tiles_of(problem, p, together, each);
  double store = each[0].store, stores = ceil(rounds / together) * store;
  bound_t tiles = {tiles_cycles(p, rounds, each[0].products, stores, store), each[0].what};
  tiles.cycles += p->row > 1 ? (rounds - 1) * (costs->launch + costs->fill) : 0; // a task a block
  if (n > 1)
    tiles.cycles = launch_cycles(device, p, together, each, n);
  if (p->stream)
    tiles.cycles = stream_cycles(problem, p, each, (double)strata_pipelined_share(device, problem, p));
  tiles.cycles *= slowdown(problem, p);
  double cache = cache_cycles(problem, p);
  bound_t memory = {memory_cycles(device, problem, p) + store, strata_pipelined_memory_bound};
  memory.cycles = fmax(memory.cycles, waiting_cycles(problem, p, rounds, memory.cycles / tiles.cycles));
  bound_t main = slower(tiles, memory);
  double beside = n > 1 || p->stream ? 0 : rounds * each[0].steps * beside_rows(problem, p);
  double others = tiles.cycles + memory.cycles + cache - main.cycles + beside;
  double cycles =
      costs->launch + costs->fill + (together - 1) * costs->second_block + main.cycles + others / costs->hidden;
  cycles += p->stream ? costs->clear : 0;
  cycles += code_cycles(problem, p, rounds);
  cycles += costs->multicast_start * log2((double)strata_pipelined_cluster(p));
  cycles += cache / costs->cache_beside_memory * memory.cycles / main.cycles;
  double busy = (double)p->pair * sum_of(problem, instruction_cycles) / device->n_processors / cycles;
  p->seconds = cycles / (costs->clock - costs->clock_lost * fmin(busy, 1));
  p->bound = main.what;
}
