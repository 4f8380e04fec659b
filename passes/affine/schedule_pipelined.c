// Pipelined products: the choice of a block's tile, its ring and the grid. See problem.h; docs/gpu.md has the keys.
//
// Every row of pipelined_shapes.def is tried, either operand along the instruction's rows, one or two blocks a
// processor. The time of a kernel is that of its fullest processor: tiles one after the other, each as long as its
// steps, each step as long as the slowest of what goes on side by side (instructions, shared memory, the second-level
// cache, what producers fetch through registers); but not less than memory takes. To that come the launch, the filling
// of the ring, and the stores of the tiles that no other tile hides. The constants are measured on an H200.
#include "passes/affine/problem.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/map_limits.h"

#include <math.h>
#include <string.h>

static const strata_pipelined_shape_t shapes[] = {
#define SHAPE(...) {__VA_ARGS__},
#include "passes/affine/pipelined_shapes.def"
};

// Blocks a processor; blocks that share a reduction, and how many percent of the processors such clusters fill: they
// lie within parts of the card that are no multiples of them (on an H200 120 blocks by four run at the same time, not
// 128).
typedef struct {
  int64_t residents, parts, filled;
  int64_t share[2]; // rows, columns of tiles of a cluster whose blocks share operands
} way_t;

static const way_t ways[] = {{1, 1, 100, {1, 1}}, {2, 1, 100, {1, 1}}, {1, 2, 100, {1, 1}}, {1, 4, 91, {1, 1}},
                             {1, 8, 73, {1, 1}},  {1, 1, 100, {2, 1}}, {1, 1, 100, {1, 2}}, {1, 1, 91, {2, 2}},
                             {1, 1, 91, {4, 1}},  {1, 1, 91, {1, 4}},  {1, 1, 73, {4, 2}},  {1, 1, 73, {2, 4}}};

enum {
  N_SHAPES = sizeof shapes / sizeof *shapes,
  N_WAYS = sizeof ways / sizeof *ways,
  GROUP_THREADS = 128,
  GROUP_ROWS = 64, // of an instruction
  PRODUCERS = 128,
  VECTOR_BYTES = 16,
  STEP_BYTES = 128,        // of a row of an operand: the span of the widest swizzle
  BOX_ROWS = 8,            // of which a part of a box is a multiple
  LEAST_BOX = 32,          // of a row of results
  RESULT_BYTES = 16 << 10, // two sub-tiles of results of a group
  BARRIER_BYTES = 1 << 10,
  SUM_BYTES = 4,
  BLOCK_BYTES = 1 << 10, // that the system takes of a block's shared memory
  MIN_SLOTS = 2,
  MIN_SLOTS_OF_MEMORY = 4,
  MIN_SLOTS_STAGGERED = 5,
  MAX_SLOTS = 16,
  USUAL_SLOTS = 8,  // where memory does not decide
  SHARED_SLOTS = 5, // nor do the blocks of a cluster share operands: 1000x1000x1000 takes 7.2 us with eight, 6.7
  STAGGER = 13,     // steps: enough for the blocks of a moment to be at places of the rows that have nothing in common
  SUMS = 128,       // of a thread
  WIDE_SUMS = 192,
  MANY_GROUPS_SUMS = 96,
  MIN_SIDE = 16,                  // rows and columns, unless operands come in bulk
  MIN_LONG_SIDE = 64,             // the more of both
  MIN_OWN_COLUMNS = 8,            // of a block's tile, of a cluster's
  MIN_SHARED_STEPS = 8,           // of operands that the blocks of a cluster share
  MIN_PART_STEPS = 2,             // of a block, of a cluster's
  MIN_PRODUCTS = 1 << 22,         // multiply-adds of a kernel
  MIN_BULK_PRODUCTS = 1 << 14,    // the same of more than a few rows that come in bulk
  MIN_CROSSED_PRODUCTS = 1 << 19, // of few rows, which would take two kernels otherwise: column sums in parts
};

// In cycles of a processor.
#define LAUNCH 3000.0         // from the end of one kernel to the first instruction of the next
#define SECOND_BLOCK 500.0    // until a processor has begun with it
#define FILL 1500.0           // until the first slot is full
#define LATENCY 1000.0        // of a bulk copy
#define LOAD_LATENCY 700.0    // of a load into registers
#define LOAD_RATE 32.0        // bytes that producers load, convert and store, 16 at once
#define LOADED_ALONE 17.0     // the bytes that take as long as an element by itself
#define PRODUCTS 32.0         // rows * columns of a step of STEP_BYTES, whatever the operands' type
#define SHARED_RATE (1 / 1.3) // rows and columns of a step written and read
#define CACHE_RATE 76.0       // bytes from the second-level cache
#define STORE_START 500.0     // of a tile's results
#define STORE_RATE 26.0       // of a group: see store_cycles
#define NARROW_STORE 1.3      // in boxes of less than 128 bytes a row, the same
#define EXCHANGED_STORE 1.4   // that the threads do, in vectors of 16 bytes, the same
#define UNALIGNED_STORE 1.3   // rows that begin anywhere
#define CROSSED_STORE 2.5     // the same, contiguous along the instruction's rows
#define SHARE_START 300.0     // of sums that the blocks of a cluster exchange: its barriers
#define MULTICAST_START 300.0 // of clusters that share operands, one for another, for each doubling of them
#define MAX_MEMORY 0.45       // of the time, that memory is busy where blocks share operands
#define SHARE_SENT 64.0       // bytes to the blocks of a cluster
#define SHARE_READ 128.0
#define STRADDLING_ROW 3.8      // that the copy engine fetches, of a step: it begins within a sector
#define SPLIT_ROW 3.2           // the same within a line
#define LEFT_READ 1.16          // times as long at full clock, where threads read the left operand
#define BOX 45.0                // that one thread has the copy engine fetch
#define CACHE_TOTAL 9000.0      // bytes from the second-level cache, of all processors
#define MEMORY_LATENCY 1500.0   // of a bulk copy from memory, while memory is busy
#define IN_FLIGHT 46080.0       // bytes of a processor that are on their way from memory: twice what bandwidth needs
#define UNEVEN 0.4              // of the share of processors without a tile in the last round, that memory is idle
#define MEMORY_SHARE 2.5        // of its share of the memory's bandwidth, that a processor can draw alone
#define HIDDEN 16.0             // what goes on beside the slowest costs as much of its time
#define CACHE_BESIDE_MEMORY 8.0 // the same of the second-level cache's, where memory decides
#define CLOCK 1.98e9            // idle; the busier the instructions are, the lower
#define CLOCK_LOST 0.48e9       // when they always are
#define INSTRUCTION_RATE (PRODUCTS * STEP_BYTES) // multiply-adds times operand bytes

//===-- What fits ------------------------------------------------------------------------------------------------===//

// Of a block's tile as the instruction sees it, which takes those of a cluster, or of a pair, together.
static int64_t own_columns(const strata_pipelined_choice_t *p) {
  return p->shape.columns / p->parts / (p->swap ? 1 : p->pair);
}
static int64_t own_rows(const strata_pipelined_choice_t *p) { return p->shape.rows / (p->swap ? p->pair : 1); }
static int64_t result_rows(const strata_pipelined_choice_t *p) { return p->swap ? own_columns(p) : own_rows(p); }
static int64_t result_columns(const strata_pipelined_choice_t *p) { return p->swap ? own_rows(p) : own_columns(p); }
static int right_side(const strata_pipelined_choice_t *p) { return p->swap ? STRATA_SIDE_U : STRATA_SIDE_V; }
static int64_t step_of(const strata_problem_t *problem) { return STEP_BYTES / problem->operand_bytes; }

static int64_t tile_of(const strata_pipelined_choice_t *p, int side) {
  return side == STRATA_SIDE_U ? result_rows(p) : result_columns(p);
}

static int64_t extent_of(const strata_problem_t *problem, int side) {
  return side == STRATA_SIDE_U ? problem->rows : problem->columns;
}

// Those of whole clusters, some beyond the results.
static int64_t count_own_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t tiles = problem->batch;
  for (int side = 0; side < 2; side++) {
    int64_t blocks = p->share[side] * (side == right_side(p) ? p->parts : 1);
    tiles *= strata_ceil_div(extent_of(problem, side), blocks * tile_of(p, side)) * blocks;
  }
  return tiles;
}

static int64_t count_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t count = 0;
  for (; problem; problem = problem->next)
    count += count_own_tiles(problem, p);
  return count;
}

static int64_t cluster_of(const strata_pipelined_choice_t *p) { return p->share[0] * p->share[1]; }

// Those that the blocks' clusters fill.
static int64_t processors_of(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p) {
  return device->n_processors * p->filled / 100 / cluster_of(p) * cluster_of(p);
}

// What a slot has of a side: the tiles of all blocks of a cluster along the instruction's columns, those of a pair.
static int64_t slot_rows(const strata_pipelined_choice_t *p, int side) {
  return tile_of(p, side) * (side == right_side(p) ? p->parts : 1) * (side == STRATA_SIDE_V ? p->pair : 1);
}

// Operands that lie contiguous along their rows are kept in spans of as many rows as a step is long.
static int64_t side_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  int64_t span = problem->sides[side].is_crossed ? step_of(problem) : 1;
  return strata_ceil_div(slot_rows(p, side), span) * span * STEP_BYTES;
}

static int64_t slot_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return side_bytes(problem, p, STRATA_SIDE_U) + side_bytes(problem, p, STRATA_SIDE_V);
}

static int64_t results_bytes(const strata_pipelined_choice_t *p) {
  return p->shape.groups * p->shape.teams * RESULT_BYTES;
}

static int64_t count_slots(const strata_gpu_device_t *device, const strata_problem_t *problem,
                           const strata_pipelined_choice_t *p) {
  int64_t room = strata_min(device->shared_bytes, device->shared_bytes_processor / p->residents - BLOCK_BYTES);
  return strata_min((room - results_bytes(p) - BARRIER_BYTES) / slot_bytes(problem, p), MAX_SLOTS);
}

// Whole spans of a crossed operand are copied: tiles are not to be a small part of one.
static bool wastes_spans(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  return problem->sides[side].is_crossed && slot_rows(p, side) < step_of(problem) &&
         extent_of(problem, side) > tile_of(p, side);
}

// The blocks of a cluster have a tile each, all at the same time, in bulk, and put their sums where the slots were.
static bool can_share(const strata_gpu_device_t *device, const strata_problem_t *problem,
                      const strata_pipelined_choice_t *p) {
  int right = right_side(p);
  int64_t own = own_columns(p), span = step_of(problem);
  bool is_whole = p->shape.columns % (p->parts * MIN_OWN_COLUMNS) == 0;
  bool is_spans =
      !problem->sides[right].is_crossed || (p->shape.columns % span == 0 && (own % span == 0 || span % own == 0));
  return p->parts <= device->max_cluster && p->residents == 1 && !problem->shares_launch && is_whole && is_spans &&
         strata_ceil_div(problem->steps, step_of(problem)) >= MIN_PART_STEPS * p->parts &&
         100 * count_tiles(problem, p) <= device->n_processors * p->filled;
}

// Both tiles of a pair have whole spans, and an instruction's rows for each group of warps.
static bool can_pair(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bool is_spans = !problem->sides[STRATA_SIDE_V].is_crossed || result_columns(p) % step_of(problem) == 0;
  bool is_whole = p->swap ? own_rows(p) % (GROUP_ROWS * p->shape.groups) == 0 : own_columns(p) % MIN_OWN_COLUMNS == 0;
  return problem->operand_bytes == 2 && is_spans && is_whole;
}

// True if the kernel reads about as many elements as it stores, a residual: more than its operands.
static bool reads_results(const strata_problem_t *problem) {
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch;
  double bytes = results * (double)problem->stored_bytes;
  for (int side = 0; side < 2; side++)
    bytes += (double)(extent_of(problem, side) * problem->steps * problem->batch * problem->sides[side].loaded_bytes);
  return problem->traffic - bytes >= results;
}

static int left_side(const strata_pipelined_choice_t *p) { return p->swap ? STRATA_SIDE_V : STRATA_SIDE_U; }

// True if threads take the left operand from shared memory themselves: its fragments need registers.
static bool reads_left(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return strata_problem_is_left_alone(problem, left_side(p)) && problem->sides[left_side(p)].is_read;
}

// 0: the side's tile does not come in bulk.
static int64_t count_boxes(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  if (side != left_side(p) && strata_problem_is_left_alone(problem, side))
    return 0;
  return strata_problem_boxes(problem, side, tile_of(p, side), step_of(problem));
}

static bool has_aligned_rows(const strata_problem_t *problem) {
  return problem->columns * problem->stored_bytes % VECTOR_BYTES == 0;
}

// Each block of a cluster fetches an equal part of what several need: of boxes, or of the rows of one.
static bool can_share_operands(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  bool are_parts = !problem->shares_launch;
  for (int side = 0; side < 2; side++) {
    int64_t pieces = p->share[1 - side], boxes = count_boxes(problem, p, side);
    bool is_crossed = problem->sides[side].is_crossed; // boxes are spans, their rows steps
    int64_t rows = is_crossed ? step_of(problem) : tile_of(p, side);
    bool has_rows = (is_crossed || boxes == 1) && rows % (pieces * BOX_ROWS) == 0;
    are_parts &= pieces == 1 || boxes % pieces == 0 || has_rows;
    are_parts &= pieces == 1 || !problem->sides[side].has_window;
  }
  return p->pair == 1 && cluster_of(p) <= device->max_cluster && are_parts && count_tiles(problem, p) >= cluster_of(p);
}

// A thread of two groups may have as many sums where producers need few registers; of two blocks a processor, fewer.
static bool is_legal(const strata_gpu_device_t *device, const strata_problem_t *problem,
                     const strata_pipelined_choice_t *p) {
  const strata_pipelined_shape_t *shape = &p->shape;
  bool is_for_pairs = shape->groups * shape->teams == 1 && shape->rows > GROUP_ROWS;
  if (p->pair > 1 ? p->parts > 1 : is_for_pairs) // to others it is no use: 16x14336x4096 took as long or longer
    return false;
  int64_t sums = shape->rows * shape->columns / shape->groups / GROUP_THREADS;
  bool is_bulk = count_boxes(problem, p, STRATA_SIDE_U) && count_boxes(problem, p, STRATA_SIDE_V);
  if (is_bulk && (wastes_spans(problem, p, STRATA_SIDE_U) || wastes_spans(problem, p, STRATA_SIDE_V)))
    return false;
  if (p->pair > 1 && !(is_bulk && can_pair(problem, p)))
    return false;
  if (p->parts > 1 && !(is_bulk && shape->teams == 1 && can_share(device, problem, p)))
    return false;
  if (cluster_of(p) > 1 && !(is_bulk && can_share_operands(device, problem, p)))
    return false;
  if (shape->groups > 2 && !p->swap && reads_results(problem)) // a thread has no registers for them
    return false;
  if (reads_left(problem, p) && (p->parts > 1 || shape->groups > 2)) // its places are found by bits
    return false;
  int64_t most = p->residents > 1                     ? SUMS / 2
                 : shape->groups > 2                  ? MANY_GROUPS_SUMS
                 : is_bulk && !reads_left(problem, p) ? WIDE_SUMS
                                                      : SUMS;
  return shape->columns % (problem->operand_bytes == 1 ? 16 : 8) == 0 && sums <= most &&
         (shape->groups * shape->teams == 1 || p->residents == 1) && (shape->teams == 1 || problem->operand_bytes < 4);
}

//===-- Time -----------------------------------------------------------------------------------------------------===//

typedef struct {
  double cycles;
  const char *what;
} bound_t;

static const char memory_bound[] = "memory";

static bound_t slower(bound_t a, bound_t b) { return b.cycles > a.cycles ? b : a; }

typedef struct {
  double bytes; // that producers load through registers in a step: of the operands that are no boxes
  double boxes; // of the others
} fetched_t;

static fetched_t fetched(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t step = step_of(problem);
  fetched_t result = {0};
  for (int side = 0; side < 2; side++) {
    int64_t boxes = count_boxes(problem, p, side);
    result.boxes += (double)(boxes * slot_rows(p, side) / tile_of(p, side));
    const strata_problem_side_t *s = &problem->sides[side];
    result.bytes +=
        boxes ? 0 : (double)(tile_of(p, side) * step) * (s->is_wide ? (double)s->loaded_bytes : LOADED_ALONE);
  }
  return result;
}

// A step's rows from the second-level cache, of which those that straddle its sectors or lines are asked for in two
// requests: by each of the blocks that share them its part.
static bound_t cache_time(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bound_t bound = {0, "cache"};
  for (int side = 0; side < 2; side++) {
    const strata_problem_side_t *s = &problem->sides[side];
    double own_rows = (double)side_bytes(problem, p, side) / STEP_BYTES / (double)p->share[1 - side];
    if (s->straddles || s->splits_lines)
      bound = (bound_t){bound.cycles + own_rows * (s->straddles ? STRADDLING_ROW : SPLIT_ROW), "rows"};
    else
      bound.cycles += (double)slot_rows(p, side) * STEP_BYTES / CACHE_RATE;
  }
  return bound;
}

static double tile_instructions(const strata_pipelined_choice_t *p) {
  return (double)(p->shape.rows * p->shape.columns) / PRODUCTS * 100 / (double)p->shape.rate;
}

// One step of one tile; |together| tiles are under way on the processor.
static bound_t step_time(const strata_problem_t *problem, const strata_pipelined_choice_t *p, double together) {
  double rows = (double)p->shape.rows, columns = (double)p->shape.columns;
  fetched_t fetch = fetched(problem, p);
  bound_t bound = {tile_instructions(p), "instructions"};
  if (reads_left(problem, p))
    bound.cycles *= LEFT_READ;
  bound = slower(bound, (bound_t){(rows + columns) / SHARED_RATE, "shared memory"});
  bound = slower(bound, cache_time(problem, p));
  bound = slower(bound, (bound_t){LATENCY / (double)p->slots / together, "latency"});
  bound = slower(bound, (bound_t){fetch.boxes * BOX / together, "copies"});
  if (fetch.bytes > 0)
    bound = slower(bound, (bound_t){(LOAD_LATENCY + fetch.bytes / LOAD_RATE) / together, "producers"});
  return bound;
}

// Of a step whose rows take two requests: the lesser of what instructions and requests take.
static double beside_rows(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bound_t rows = cache_time(problem, p);
  return strcmp(rows.what, "rows") == 0 ? fmin(rows.cycles, tile_instructions(p)) : 0;
}

// True if the copy engine stores the results: rows that are one dim of theirs, in boxes of 128, 64 or 32 bytes.
static bool is_staged(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return !p->swap && problem->columns * problem->stored_bytes % VECTOR_BYTES == 0 &&
         problem->axes[STRATA_AXIS_ROW].n_dims <= 1 && own_columns(p) * problem->stored_bytes % LEAST_BOX == 0;
}

// Two groups store at the same time.
static double store_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  double elements = (double)(own_rows(p) * own_columns(p) / p->shape.groups);
  double cycles = elements * ((double)problem->stored_bytes + 2) / STORE_RATE;
  double unstaged = has_aligned_rows(problem) ? EXCHANGED_STORE : p->swap ? CROSSED_STORE : UNALIGNED_STORE;
  bool is_narrow = own_columns(p) * p->parts * problem->stored_bytes % STEP_BYTES != 0;
  double staged = is_narrow ? NARROW_STORE : 1;
  return STORE_START + cycles * (is_staged(problem, p) ? staged : unstaged);
}

// Bytes that a slot of all blocks together brings from memory, where all tiles are under way at the same time: those of
// a cluster are at different steps.
static double distinct_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  double bytes = 0;
  for (; problem; problem = problem->next)
    for (int side = 0; side < 2; side++)
      bytes += (double)(extent_of(problem, side) * STEP_BYTES * (side == STRATA_SIDE_V ? p->pair : 1) * problem->batch *
                        p->parts);
  return bytes;
}

static double traffic_of(const strata_problem_t *problem) {
  double bytes = 0;
  for (; problem; problem = problem->next)
    bytes += problem->traffic;
  return bytes;
}

static double operands_bytes(const strata_problem_t *problem) {
  double bytes = 0;
  for (int side = 0; side < 2; side++)
    bytes += (double)(extent_of(problem, side) * problem->steps * problem->batch * problem->sides[side].loaded_bytes);
  return bytes;
}

static double memory_cycles(const strata_gpu_device_t *device, const strata_problem_t *problem,
                            const strata_pipelined_choice_t *p) {
  double share = (double)p->tiles * MEMORY_SHARE / device->n_processors;
  double traffic = traffic_of(problem), cycles = traffic / (double)device->bandwidth * CLOCK / fmin(share, 1);
  double rounds = (double)strata_ceil_div(p->tiles, p->blocks),
         idle = rounds * (double)p->blocks / (double)p->tiles - 1;
  if (p->tiles > p->blocks)
    return cycles * (1 + UNEVEN * idle);
  double fetched = p->row ? operands_bytes(problem) : traffic;
  return fmax(cycles, fetched * MEMORY_LATENCY / ((double)p->slots * distinct_bytes(problem, p)));
}

static bool has_room(const strata_gpu_device_t *device, const strata_problem_t *problem,
                     const strata_pipelined_choice_t *p, int64_t slots, int64_t blocks) {
  int64_t block = slots * slot_bytes(problem, p) + results_bytes(p) + BARRIER_BYTES + BLOCK_BYTES;
  return blocks * block <= device->shared_bytes_processor;
}

// Where memory decides: as many slots as keep it busy; with more it is slower (128x14336x4096: 35 us instead of 34).
// More than usual only where the next kernel's blocks find room beside this one's then, be it on other processors.
static int64_t slots_of_memory(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  int64_t slots = (int64_t)ceil(device->n_processors * IN_FLIGHT / distinct_bytes(problem, p));
  int64_t fewest = p->stagger ? MIN_SLOTS_STAGGERED : MIN_SLOTS_OF_MEMORY;
  slots = strata_min(strata_max(slots, fewest), p->slots);
  bool is_beside = 2 * p->blocks <= device->n_processors || has_room(device, problem, p, slots, p->residents + 1);
  return is_beside ? slots : strata_min(slots, USUAL_SLOTS);
}

// Of rows that lie along the reduction all blocks would read the same columns at a time, which memory has in the same
// few of its banks: each begins elsewhere (1x4096x4096: 10.2 us instead of 10.9; 128x14336x4096: 33.5 instead of 34.2).
// Of rows across the reduction that takes longer (34.5 us instead of 32.6), and of rows that several blocks read, which
// they find in the cache if they do so at the same time (104x4808x2496: 14.4 us instead of 11.4).
static int64_t stagger_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  bool is_one = p->parts == 1 && cluster_of(p) == 1 && p->row <= 1 && !problem->next && problem->batch == 1;
  bool is_read_once = false;
  for (int side = 0; side < 2; side++) {
    is_one &= problem->sides[side].is_along && !problem->sides[side].has_window && count_boxes(problem, p, side) > 0;
    is_read_once |= extent_of(problem, side) <= tile_of(p, side);
  }
  return is_one && is_read_once && problem->steps % step_of(problem) == 0 ? STAGGER : 0;
}

// The sums of the others' tiles to the others, and those of its own from them.
static double share_cycles(const strata_pipelined_choice_t *p) {
  double bytes = (double)(p->shape.rows * p->shape.columns * SUM_BYTES);
  return p->parts > 1 ? SHARE_START + bytes / SHARE_SENT + bytes / SHARE_READ : 0;
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
  const int64_t tile[] = {result_rows(p), result_columns(p), step_of(first)};
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
    double steps = (double)strata_ceil_div(strata_ceil_div(problem->steps, step_of(problem)), p->parts);
    out_tiles[n] = (tiles_t){.form = form_of(first, problem, p, out_tiles),
                             .tiles = count_own_tiles(problem, p),
                             .steps = steps,
                             .products = steps * step.cycles,
                             .store = store_cycles(problem, p) + share_cycles(p) + strata_norm_cycles(problem, p),
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
  return products * (double)problem->operand_bytes / INSTRUCTION_RATE;
}

static double cache_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  double cycles = 0;
  for (; problem; problem = problem->next) {
    double steps = (double)strata_ceil_div(strata_ceil_div(problem->steps, step_of(problem)), p->parts);
    cycles += (double)count_own_tiles(problem, p) * steps * (double)slot_bytes(problem, p) / CACHE_TOTAL;
  }
  return cycles;
}

static void predict_time(const strata_gpu_device_t *device, const strata_problem_t *problem,
                         strata_pipelined_choice_t *p) {
  int64_t row = p->row > 1 ? p->row : 1, at_once = processors_of(device, p) / row * row;
  double rounds = (double)strata_ceil_div(p->tiles, at_once), together = fmin(rounds, (double)p->residents);
  tiles_t each[STRATA_MAX_TOGETHER];
  int n = tiles_of(problem, p, together, each);
  double store = each[0].store, stores = ceil(rounds / together) * store;
  bound_t tiles = {tiles_cycles(p, rounds, each[0].products, stores, store), each[0].what};
  tiles.cycles += p->row > 1 ? (rounds - 1) * (LAUNCH + FILL) : 0; // a task a block
  if (n > 1)
    tiles.cycles = launch_cycles(device, p, together, each, n);
  double cache = cache_cycles(problem, p);
  bound_t memory = {memory_cycles(device, problem, p) + store, memory_bound}, main = slower(tiles, memory);
  double beside = n > 1 ? 0 : rounds * each[0].steps * beside_rows(problem, p);
  double others = tiles.cycles + memory.cycles + cache - main.cycles + beside;
  double cycles = LAUNCH + FILL + (together - 1) * SECOND_BLOCK + main.cycles + others / HIDDEN;
  cycles += MULTICAST_START * log2((double)cluster_of(p));
  cycles += cache / CACHE_BESIDE_MEMORY * memory.cycles / main.cycles;
  double busy = (double)p->pair * sum_of(problem, instruction_cycles) / device->n_processors / cycles;
  p->seconds = cycles / (CLOCK - CLOCK_LOST * fmin(busy, 1));
  p->bound = main.what;
}

// True if the products behind the first can be carried out in one launch with it.
static bool are_possible(const strata_gpu_device_t *device, const strata_problem_t *first,
                         const strata_pipelined_choice_t *p) {
  int64_t n_maps = 0;
  for (const strata_problem_t *each = first; each; each = each->next) {
    if (each->async != first->async || each->operand_bytes != first->operand_bytes || !is_legal(device, each, p))
      return false;
    int64_t stores = p->swap ? 0 : strata_problem_store_maps(result_columns(p), each->stored_bytes);
    n_maps += each->n_calls * (2 + stores);
  }
  return n_maps <= STRATA_MAX_MAPS;
}

bool strata_pipelined_predict(const strata_gpu_device_t *device, const strata_problem_t *problem,
                              strata_pipelined_choice_t *p) {
  if (!problem->async || !is_legal(device, problem, p) || !are_possible(device, problem, p))
    return false;
  p->slots = count_slots(device, problem, p);
  for (const strata_problem_t *other = problem->next; other; other = other->next)
    p->slots = strata_min(p->slots, count_slots(device, other, p));
  int64_t shared_sums = p->parts > 1 ? p->shape.rows * p->shape.columns * SUM_BYTES : 0;
  if (p->slots < MIN_SLOTS || p->slots * slot_bytes(problem, p) < shared_sums)
    return false;
  p->tiles = count_tiles(problem, p);
  if (p->residents > 1 && p->tiles <= device->n_processors)
    return false; // they would be one a processor
  p->blocks = p->row > 1 ? p->tiles : strata_min(p->tiles, processors_of(device, p) * p->residents);
  predict_time(device, problem, p);
  bool is_streamed = !strcmp(p->bound, memory_bound) && p->tiles == p->blocks;
  int64_t fewest = strata_ceil_div(shared_sums, slot_bytes(problem, p));
  p->stagger = is_streamed ? stagger_of(problem, p) : 0;
  int64_t usual = cluster_of(p) > 1 ? SHARED_SLOTS : USUAL_SLOTS;
  p->slots = is_streamed ? slots_of_memory(device, problem, p) : strata_min(p->slots, usual);
  p->slots = strata_max(p->slots, fewest);
  predict_time(device, problem, p);
  return true;
}

// |shares|: those whose blocks share operands, too.
static bool find_next(const strata_gpu_device_t *device, const strata_problem_t *problem, bool shares,
                      strata_pipelined_choice_t *p) {
  if (problem->bulk_adds)
    return strata_fma_next(device, problem, p);
  if (problem->row_reductions)
    return strata_norm_next(device, problem, p);
  while (p->number < N_SHAPES * 2 * N_WAYS) {
    size_t number = p->number++;
    if (!shares && ways[number % N_WAYS].share[0] * ways[number % N_WAYS].share[1] > 1)
      continue;
    *p = (strata_pipelined_choice_t){.shape = shapes[number / 2 / N_WAYS],
                                     .swap = number / N_WAYS % 2,
                                     .pair = problem->is_pair ? 2 : 1,
                                     .residents = ways[number % N_WAYS].residents,
                                     .parts = ways[number % N_WAYS].parts,
                                     .filled = ways[number % N_WAYS].filled,
                                     .share = {ways[number % N_WAYS].share[0], ways[number % N_WAYS].share[1]},
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
  return result_rows(a) == result_rows(b) && result_columns(a) == result_columns(b);
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

static bool is_worthwhile(const strata_problem_t *p) {
  double products = (double)p->rows * (double)p->columns * (double)p->steps * (double)p->batch;
  bool is_thin = strata_min(p->rows, p->columns) < MIN_SIDE;
  bool is_streamed =
      p->sides[0].is_read && p->sides[1].is_read && (p->rows >= MIN_LONG_SIDE || p->columns >= MIN_LONG_SIDE);
  bool is_crossed = p->sides[p->columns > p->rows ? STRATA_SIDE_V : STRATA_SIDE_U].is_crossed;
  bool is_bulk = p->sides[0].is_read && p->sides[1].is_read;
  int64_t fewest = is_thin && is_crossed ? MIN_CROSSED_PRODUCTS
                   : is_thin || !is_bulk ? MIN_PRODUCTS
                                         : MIN_BULK_PRODUCTS;
  return p->bulk_adds || (p->async && (!is_thin || is_streamed) && products >= (double)fewest);
}

// Whether the copy engine takes a part of a tile's pixels at once is known only when its tasks are.
static bool has_window(const strata_problem_t *problem) {
  return problem->sides[STRATA_SIDE_U].has_window || problem->sides[STRATA_SIDE_V].has_window;
}

// Of rows of whole lines the blocks of a cluster need not share any (4096 x 4096 x 4096: 171 us either way).
static bool has_slow_rows(const strata_problem_t *problem) {
  bool is_slow = false;
  for (int side = 0; side < 2; side++)
    is_slow |= problem->sides[side].straddles || problem->sides[side].splits_lines;
  return is_slow && !has_window(problem) && !problem->shares_launch;
}

// Of rows that are slow to fetch a block of a cluster that shares reductions has those of all its tiles to fetch. That
// takes four blocks longer than the model expects where each has but a few steps (768x768x1000: 8.2 to 10 us instead of
// 6.9); of many it is the fastest way (152x1616x6536: 14.9 us, by two blocks 21.1; 1920x72x6608: 15.6, 18.7, by eight
// blocks 17.0).
static bool is_worth_splitting(const strata_problem_t *problem, bool has_slow_rows,
                               const strata_pipelined_choice_t *p) {
  int64_t steps = strata_ceil_div(problem->steps, step_of(problem)), most = steps >= 4 * MIN_SHARED_STEPS ? 4 : 2;
  return p->parts == 1 || (!has_window(problem) && (!has_slow_rows || p->parts <= most));
}

// Not a few steps; nor where memory may hold up one of the blocks, and with it all of its cluster (129 x 4096 x 4104:
// 28 us instead of 18).
static bool is_worth_sharing(const strata_gpu_device_t *device, const strata_problem_t *problem,
                             const strata_pipelined_choice_t *p) {
  double memory = problem->traffic / (double)device->bandwidth / p->seconds;
  int64_t steps = strata_ceil_div(problem->steps, step_of(problem));
  return cluster_of(p) == 1 || (memory <= MAX_MEMORY && steps >= MIN_SHARED_STEPS);
}

int strata_pipelined_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, int n,
                            strata_pipelined_choice_t *out) {
  int count = 0;
  strata_pipelined_choice_t candidate = {0};
  bool shares = has_slow_rows(problem);
  while (is_worthwhile(problem) && find_next(device, problem, shares, &candidate))
    if (is_worth_splitting(problem, shares, &candidate) && is_worth_sharing(device, problem, &candidate))
      count = insert(out, count, n, &candidate);
  return count;
}

// Groups that have no rows of their own lie beside one another along the columns.
static int64_t across_of(const strata_pipelined_choice_t *p) {
  return p->shape.rows < GROUP_ROWS * p->shape.groups ? p->shape.groups : 1;
}

strata_schedule_t strata_pipelined_schedule(const strata_problem_t *problem, const strata_pipelined_choice_t *choice) {
  if (problem->bulk_adds)
    return strata_fma_schedule(choice);
  return (strata_schedule_t){
      .kind = "contract",
      .threads = choice->shape.groups * choice->shape.teams * GROUP_THREADS,
      .group = choice->shape.groups * GROUP_THREADS,
      .n_tile = 3,
      .tile = {result_rows(choice), result_columns(choice), step_of(problem)},
      .warps = {4 * choice->shape.groups / across_of(choice), across_of(choice)},
      .mma = strata_str(problem->async->name),
      .producers = PRODUCERS,
      .slots = choice->slots,
      .blocks = choice->blocks,
      .swap = choice->swap,
      .parts = choice->parts > 1 ? choice->parts : 0,
      .row = choice->row > 1 ? choice->row : 0,
      .stagger = choice->stagger,
      .share = {cluster_of(choice) > 1 ? choice->share[0] : 0, cluster_of(choice) > 1 ? choice->share[1] : 0}};
}
