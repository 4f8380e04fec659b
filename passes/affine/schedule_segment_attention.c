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
#include "passes/affine/segment_attention.h"

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
  USUAL_GROUPS = 2,
  MOST_GROUPS = 3,
  OTHERS = 32, // registers of a thread for addresses and row statistics
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

// Keys of a sequence. What is likely of a total says little of single sequences: they are taken for USUAL_LENGTH keys
// at least, as those of few are done soon anyway.
double strata_segment_likely_length(const strata_size_symbols_t *symbols, strata_size_t keys, strata_size_t sequences) {
  double n_keys = (double)strata_size_likely(symbols, keys),
         n_sequences = (double)strata_size_likely(symbols, sequences);
  return fmax(n_keys / fmax(n_sequences, 1), USUAL_LENGTH);
}

// What the model asks for.
typedef struct {
  const strata_gpu_device_t *device;
  int64_t steps, values;
  bool is_causal;
  double length;
} problem_t;

typedef struct {
  int64_t rows, columns; // of a block of columns; 0: none fits
  double cycles;         // of a sequence
} tile_t;

static int64_t groups_of(const tile_t *t) { return t->rows / STRATA_GROUP_ROWS; }

static int64_t row_bytes(const problem_t *p, const tile_t *t) {
  return t->rows * strata_round_up(p->steps, SPAN) * ELEMENT_BYTES;
}

static int64_t shared_bytes(const problem_t *p, const tile_t *t) {
  int64_t steps = strata_round_up(p->steps, SPAN), values = strata_round_up(p->values, SPAN);
  int64_t elements = STRATA_MIN_SLOTS * t->columns * (steps + values);
  return row_bytes(p, t) + elements * ELEMENT_BYTES + groups_of(t) * STRATA_SUB_TILES * STRATA_SUB_TILE +
         STRATA_PIPELINED_BARRIER_BYTES;
}

static bool fits(const problem_t *p, const tile_t *t) {
  int64_t registers = strata_attention_held_registers(t->columns, p->values) + OTHERS;
  return registers <= strata_attention_group_registers(groups_of(t)) && shared_bytes(p, t) <= p->device->shared_bytes;
}

// True if registers hold the rows' operand, too, whose memory is then the next task's from the start.
static bool holds_rows(const problem_t *p, const tile_t *t) {
  int64_t most = strata_attention_consumer_registers(p->device->registers, groups_of(t), 1, STRATA_LEAST_REGISTERS);
  return strata_attention_registers_with_rows(t->columns, p->values, p->steps) <= most;
}

// Slots of the rows' operand, 0: one. Where it stays in memory until the task ends, the next one's comes meanwhile if
// there is room for both.
static int64_t row_slots(const problem_t *p, const tile_t *t) {
  return !holds_rows(p, t) && shared_bytes(p, t) + row_bytes(p, t) <= p->device->shared_bytes ? STRATA_MIN_SLOTS : 0;
}

// Of a block, as schedule_attention.c has them. Causal, square blocks have masks in one of them alone. Beside the
// softmax of three groups, of which two compute, the products cost less than beside that of two: of 64 elements tiles
// of 192 x 128 take 0.92 of the time of 128 x 192; where products are slower, of 128 elements, 192 x 80 takes as long
// as 128 x 128.
static double block_cycles(const problem_t *p, const tile_t *t) {
  const strata_attention_costs_t *costs = &p->device->costs->attention;
  double products = (double)(t->rows * t->columns * (p->steps + p->values)) / costs->products;
  double score = costs->softmax + (p->is_causal && t->columns != t->rows ? costs->mask : 0);
  double softmax = (double)(groups_of(t) * t->columns) * score;
  double share = products < softmax ? (double)USUAL_GROUPS / (double)groups_of(t) : 1;
  return fmax(products, softmax) + costs->beside * share * fmin(products, softmax) + costs->block_start;
}

// Of a sequence, which ends anywhere: the last of its tiles, and of each tile's blocks, is half empty.
static double sequence_cycles(const problem_t *p, const tile_t *t) {
  const strata_attention_costs_t *costs = &p->device->costs->attention;
  double keys = p->length / (p->is_causal ? 2 : 1), rows = (double)t->rows, columns = (double)t->columns;
  double task = costs->task + (holds_rows(p, t) ? 0 : costs->rows);
  return (p->length / rows + 0.5) * (task + (keys / columns + 0.5) * block_cycles(p, t));
}

// The best tile of so many rows.
static tile_t choose_columns(const problem_t *p, int64_t rows) {
  tile_t best = {rows, 0, INFINITY}, tile = {rows, MIN_COLUMNS, 0};
  for (; tile.columns <= STRATA_MAX_COLUMNS; tile.columns += COLUMN_STEP) {
    tile.cycles = sequence_cycles(p, &tile);
    if (fits(p, &tile) && tile.cycles < best.cycles)
      best = tile;
  }
  return best;
}

static int64_t count_blocks(const strata_gpu_device_t *device, const strata_segment_attention_t *a) {
  int64_t tiles, blocks = device->n_processors;
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(a->tiles, sizes);
  return strata_size_is_constant(sizes[0], &tiles) ? strata_min(blocks, tiles * a->heads) : blocks;
}

// True if blocks have several tasks, whose numbers are i32: they take unequal times, so that those which are done early
// take more.
static bool is_dynamic(const strata_scheduling_t *s, const strata_segment_attention_t *a, int64_t blocks) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(a->tiles, sizes);
  MlirAffineExpr count = strata_size_expr(s->compile->context, sizes[0]);
  int64_t most = strata_size_max(strata_size_of_expr(&s->symbols, count));
  return most > blocks / a->heads && most < (INT32_MAX - blocks) / a->heads;
}

// Staged by the threads that multiply: the tile of dense attention of as many keys as a sequence is likely to have, and
// of as many rows as those of the table's tiles or a part of them.
static bool schedule_staged(const strata_scheduling_t *s, const strata_segment_attention_t *a, strata_schedule_t *out) {
  enum { MOST_CANDIDATES = 64 };
  const strata_attention_problem_t problem = {
      .attention = {.type = strata_place_element(&a->q), .has_softmax = true},
      .head = strata_attention_staged_side(a->steps),
      .value = strata_attention_staged_side(a->values),
      .rows = strata_size_likely(&s->symbols, a->n_rows),
      .columns = (int64_t)strata_segment_likely_length(&s->symbols, a->n_keys, a->n_sequences),
      .batch = a->heads,
      .costs = s->device->costs,
      .is_staged = true,
      .mma = strata_attention_mma(s->device, strata_place_element(&a->q))};
  const strata_work_t work = {.device = s->device, .attention = &problem};
  strata_candidate_t *best = strata_arena_array(s->compile->arena, strata_candidate_t, MOST_CANDIDATES);
  int n = strata_candidates_best(&work, &strata_ways_attention_staged, MOST_CANDIDATES, best);
  for (int i = 0; i < n; i++)
    if (a->tile_rows % best[i].schedule.tile[0] == 0) {
      *out = best[i].schedule;
      out->kind = STRATA_KERNEL_SEGMENT_ATTENTION;
      return true;
    }
  return false;
}

int64_t strata_segment_attention_rows(const strata_gpu_device_t *device, int64_t steps, int64_t values, bool is_causal,
                                      double length) {
  const problem_t p = {device, steps, values, is_causal, length};
  tile_t best = {STRATA_SEGMENT_TILE_ROWS, 0, INFINITY};
  for (int64_t groups = USUAL_GROUPS; groups <= MOST_GROUPS; groups++) {
    tile_t tile = choose_columns(&p, groups * STRATA_GROUP_ROWS);
    if (tile.cycles < best.cycles)
      best = tile;
  }
  return best.rows;
}

static bool schedule_instruction(const strata_scheduling_t *s, const strata_segment_attention_t *a,
                                 const strata_mma_t *mma, strata_schedule_t *out) {
  double length = strata_segment_likely_length(&s->symbols, a->n_keys, a->n_sequences);
  const problem_t p = {s->device, a->steps, a->values, a->is_causal, length};
  tile_t tile = choose_columns(&p, a->tile_rows);
  int64_t threads = groups_of(&tile) * STRATA_GROUP_THREADS, blocks = count_blocks(s->device, a);
  bool is_counted = is_dynamic(s, a, blocks);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SEGMENT_ATTENTION,
                             .threads = threads,
                             .group = threads,
                             .n_tile = 3,
                             .tile = {tile.rows, tile.columns, a->steps},
                             .mma = strata_str(mma->name),
                             .producers = STRATA_GROUP_THREADS,
                             .slots = STRATA_MIN_SLOTS,
                             .blocks = blocks,
                             .dynamic = is_counted,
                             .row_slots = is_counted ? row_slots(&p, &tile) : 0};
  return tile.columns > 0;
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
