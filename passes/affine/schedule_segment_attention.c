// Attention within sequences (dialects/affine/segment_attention.h): the tiles of its two products. On a cpu both have
// the same rows, of a window; a panel of keys and a piece of values are as wide as registers hold beside them.
#include "devices/gpu/mma.h"
#include "dialects/affine/segment_attention.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pipelined.h"

#include <math.h>
#include <string.h>

// The half cycles of both products with tiles of |rows|; *tile gets them and the widths.
static int64_t tiles_of(const strata_machine_t *machine, const strata_segment_attention_t *a, int64_t rows,
                        int64_t *tile) {
  const strata_tiling_t scores = {*machine, STRATA_SEGMENT_WINDOW, STRATA_SEGMENT_KEYS, rows, a->steps},
                        results = {*machine, STRATA_SEGMENT_WINDOW, a->values, rows, STRATA_SEGMENT_KEYS};
  int64_t cost[2];
  tile[0] = rows;
  tile[1] = strata_register_tile_width(&scores, rows, &cost[0]);
  tile[2] = strata_register_tile_width(&results, rows, &cost[1]);
  return cost[0] == INT64_MAX || cost[1] == INT64_MAX ? INT64_MAX : cost[0] * a->steps + cost[1] * STRATA_SEGMENT_KEYS;
}

strata_status_t strata_cpu_segment_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_segment_attention_t attention;
  int64_t best = INT64_MAX, tile[3];
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_ATTENTION, .n_tile = 3};
  *out_taken = !s->compile->options->disable_fast_math && strata_segment_attention_read(s->kernel, &attention);
  for (int64_t rows = 1; *out_taken && rows <= STRATA_REGISTER_TILE_ROWS; rows++) {
    int64_t cost = tiles_of(s->machine, &attention, rows, tile);
    if (cost < best) {
      best = cost;
      memcpy(out->tile, tile, sizeof tile);
    }
  }
  *out_taken &= best < INT64_MAX;
  return NULL;
}

//===-- On a GPU -------------------------------------------------------------------------------------------------===//

enum {
  ELEMENT_BYTES = 2,
  SPAN = STRATA_SPAN / ELEMENT_BYTES,
  MAX_HEAD = 256,
  USUAL_LENGTH = 512,
  COLUMN_STEP = 16, // of the second product's instruction
  MIN_COLUMNS = 64, // of a block
  REGISTERS = 232,  // of a thread of two groups beside producers,
  OTHERS = 32,      // for addresses and row statistics
  MOST = 240,       // of a thread, and what is none of scores, weights, sums and rows, where these are held
  BESIDE_ROWS = 48, // (lowering/tile_to_gpu/attention.c)
  GROUPS = STRATA_SEGMENT_TILE_ROWS / STRATA_GROUP_ROWS,
};

// What keeps the kernel from the matrix instruction |*out_mma|, or from multiply-adds; NULL if nothing does.
static const char *obstacle(const strata_gpu_device_t *device, const strata_segment_attention_t *a,
                            const strata_mma_t **out_mma) {
  MlirType type = strata_place_element(&a->q), result = strata_place_element(&a->result),
           f32 = mlirF32TypeGet(mlirTypeGetContext(type));
  if (mlirValueIsNull(a->tiles))
    return "there is no table of its tiles";
  if (!mlirTypeEqual(type, strata_place_element(&a->k)) || !mlirTypeEqual(type, strata_place_element(&a->v)) ||
      (!mlirTypeEqual(type, result) && !mlirTypeEqual(f32, result)))
    return "its operands are of several types";
  if (strata_size_min(a->n_keys) < 1)
    return "there may be no keys";
  if (strata_gpu_stages_by_threads(device))
    return NULL;
  *out_mma = strata_mma_find_async(device, type, type, f32, true);
  if (!*out_mma)
    return "the device has no instruction for its type";
  if (a->steps % (*out_mma)->k || a->values % (*out_mma)->k || a->steps > MAX_HEAD || a->values > MAX_HEAD)
    return "heads of no multiple of 16 elements, or of more than 256";
  return NULL;
}

static int64_t shared_bytes(const strata_segment_attention_t *a, int64_t columns) {
  int64_t steps = strata_round_up(a->steps, SPAN), values = strata_round_up(a->values, SPAN);
  int64_t elements = STRATA_SEGMENT_TILE_ROWS * steps + STRATA_MIN_SLOTS * columns * (steps + values);
  return elements * ELEMENT_BYTES + GROUPS * STRATA_SUB_TILES * STRATA_SUB_TILE + STRATA_PIPELINED_BARRIER_BYTES;
}

// Cycles of a block of |columns|, as schedule_attention.c has them. Causal, square blocks have masks in one of them
// alone.
static double block_cycles(const strata_attention_costs_t *costs, const strata_segment_attention_t *a,
                           int64_t columns) {
  double products = (double)(STRATA_SEGMENT_TILE_ROWS * columns * (a->steps + a->values)) / costs->products;
  double score = costs->softmax + (a->is_causal && columns != STRATA_SEGMENT_TILE_ROWS ? costs->mask : 0);
  double softmax = (double)(GROUPS * columns) * score;
  double slower = products > softmax ? products : softmax, faster = products > softmax ? softmax : products;
  return slower + costs->beside * faster + costs->block_start;
}

// Keys of a sequence. What is likely of a total says little of single sequences: they are taken for USUAL_LENGTH keys
// at least, as those of few are done soon anyway.
static double likely_length(const strata_scheduling_t *s, const strata_segment_attention_t *a) {
  double keys = (double)strata_size_likely(&s->symbols, a->n_keys),
         sequences = (double)strata_size_likely(&s->symbols, a->n_sequences);
  return fmax(keys / (sequences > 1 ? sequences : 1), USUAL_LENGTH);
}

static int64_t registers_of(const strata_segment_attention_t *a, int64_t columns) {
  return columns / 2 + columns / 4 + a->values / 2;
}

// True if registers hold the rows' operand, too, whose memory is then the next task's from the start.
static bool holds_rows(const strata_segment_attention_t *a, int64_t columns) {
  return registers_of(a, columns) + a->steps / 4 + BESIDE_ROWS <= MOST;
}

// The columns of a block: of sequences that end anywhere the last one is half empty. As tasks are short, rows are held
// where any block lets them: of 64 sequences of up to 2048 rows and 64 elements 192 columns take 0.94 of the time of
// 224.
static int64_t choose_columns(const strata_scheduling_t *s, const strata_segment_attention_t *a) {
  double length = likely_length(s, a) / (a->is_causal ? 2 : 1), least = 0;
  int64_t best = 0;
  for (int64_t columns = MIN_COLUMNS; columns <= STRATA_MAX_COLUMNS; columns += COLUMN_STEP) {
    double cost = (length / (double)columns + 0.5) * block_cycles(&s->device->costs->attention, a, columns);
    if (best && !holds_rows(a, columns))
      break;
    if (registers_of(a, columns) + OTHERS > REGISTERS || shared_bytes(a, columns) > s->device->shared_bytes ||
        (best && cost >= least))
      continue;
    best = columns;
    least = cost;
  }
  return best;
}

static int64_t count_blocks(const strata_gpu_device_t *device, const strata_segment_attention_t *a) {
  int64_t tiles, blocks = device->n_processors;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(a->tiles, sizes);
  return strata_size_is_constant(sizes[0], &tiles) ? strata_min(blocks, tiles * a->heads) : blocks;
}

// Staged by the threads that multiply: the tile of dense attention of as many keys as a sequence is likely to have, and
// of as many rows as those of the table's tiles or a part of them.
static bool schedule_staged(const strata_scheduling_t *s, const strata_segment_attention_t *a, strata_schedule_t *out) {
  enum { MOST_CANDIDATES = 64 };
  const strata_attention_problem_t problem = {.attention = {.type = strata_place_element(&a->q), .has_softmax = true},
                                              .head = strata_attention_staged_side(a->steps),
                                              .value = strata_attention_staged_side(a->values),
                                              .rows = strata_size_likely(&s->symbols, a->n_rows),
                                              .columns = (int64_t)likely_length(s, a),
                                              .batch = a->heads,
                                              .costs = s->device->costs,
                                              .is_staged = true,
                                              .mma = strata_attention_mma(s->device, strata_place_element(&a->q))};
  const strata_work_t work = {.device = s->device, .attention = &problem};
  strata_candidate_t *best = strata_arena_array(s->compile->arena, strata_candidate_t, MOST_CANDIDATES);
  int n = strata_candidates_best(&work, &strata_ways_attention_staged, MOST_CANDIDATES, best);
  for (int i = 0; i < n; i++)
    if (STRATA_SEGMENT_TILE_ROWS % best[i].schedule.tile[0] == 0) {
      *out = best[i].schedule;
      out->kind = STRATA_KERNEL_SEGMENT_ATTENTION;
      return true;
    }
  return false;
}

static bool schedule_instruction(const strata_scheduling_t *s, const strata_segment_attention_t *a,
                                 const strata_mma_t *mma, strata_schedule_t *out) {
  int64_t columns = choose_columns(s, a);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_ATTENTION,
                             .threads = GROUPS * STRATA_GROUP_THREADS,
                             .group = GROUPS * STRATA_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {STRATA_SEGMENT_TILE_ROWS, columns, a->steps},
                             .mma = strata_str(mma->name),
                             .producers = STRATA_GROUP_THREADS,
                             .slots = STRATA_MIN_SLOTS,
                             .blocks = count_blocks(s->device, a)};
  return columns > 0;
}

strata_status_t strata_gpu_segment_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_segment_attention_t a;
  const strata_mma_t *mma = NULL;
  *out_taken = !s->compile->options->disable_fast_math && strata_segment_attention_read(s->kernel, &a);
  if (!*out_taken)
    return NULL;
  MlirStringRef name = strata_attr_str(s->kernel->func, "sym_name");
  const char *why = obstacle(s->device, &a, &mma);
  if (!why && !(mma ? schedule_instruction(s, &a, mma, out) : schedule_staged(s, &a, out)))
    why = "a tile of it needs more shared memory or registers than there are";
  *out_taken = !why;
  if (why)
    strata_explain(s->compile, "attention %.*s: a thread a row: %s", (int)name.length, name.data, why);
  return NULL;
}
