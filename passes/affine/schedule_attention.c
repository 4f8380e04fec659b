// The choice of attention's tiles and grid. See attention.h; docs/gpu-schedules.md has the keys.
//
// A block takes tiles of 64 rows a group of 128 threads, with all columns one block of them after the other. A block of
// columns takes as long as the slowest of the products, the exponentials and maxima, and the second-level cache; what
// goes on beside it costs a part of its time, as groups do not take turns perfectly. Without a softmax the second is
// what arithmetic on a score takes, by the rates of the processor's units. The figures are the device's
// (devices/gpu/costs.h).
#include "passes/affine/candidates.h"

#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pipelined.h"

#include <math.h>

enum {
  COLUMN_STEP = 16,         // of the second product's instruction
  MIN_COLUMNS = 64,         // where there are as many
  MIN_WIDENED_COLUMNS = 32, // of bytes, which take more shared memory
  MOST_WIDENED = 2,         // slots of what bytes become
  MOST_STORED = 4,          // of bytes for each of these: what is on its way
  MOST_PLAIN_COLUMNS = 128, // without a softmax, for the same reason as the registers below
  LONG_COLUMNS = 1 << 13,   // that parts are for where the columns' number varies
  MAX_HEAD = 256,
  ELEMENT_BYTES = 2,
  SPAN = STRATA_SPAN / ELEMENT_BYTES, // operands lie in whole ones
  USUAL_GROUPS = 2,
  OTHER_REGISTERS = 32,     // of a thread: addresses, row statistics
  TEMPORARY_REGISTERS = 64, // without a reduction that the assembler computes up to: several scores at a time
  EXPLAINED = 3,
};

// Groups of a block, and the registers that each of their threads has then beside producers that give theirs away, and
// where some of these widen bytes; 0: too few.
static const struct { int64_t groups, registers, widening; } sizes[] = {{2, 232, 208}, {1, 232, 232}, {3, 160, 0}};
enum { N_SIZES = sizeof sizes / sizeof *sizes, N_COLUMNS = STRATA_MAX_COLUMNS / COLUMN_STEP };

int64_t strata_attention_group_registers(int64_t groups) {
  for (int i = 0; i < N_SIZES; i++)
    if (sizes[i].groups == groups)
      return sizes[i].registers;
  return 0;
}

strata_attention_problem_t strata_attention_problem(const strata_gpu_device_t *device, const strata_attention_t *a) {
  MlirContext context = mlirTypeGetContext(a->type);
  bool is_staged = strata_gpu_stages_by_threads(device);
  const strata_mma_t *async = strata_attention_is_half(a)
                                  ? strata_mma_find_async(device, a->type, a->type, mlirF32TypeGet(context), true)
                                  : NULL;
  strata_attention_problem_t problem = {.attention = *a,
                                        .head = strata_attention_head_steps(a, is_staged),
                                        .value = strata_attention_value_columns(a, is_staged),
                                        .values_end = strata_attention_ends(a, STRATA_ATTENTION_V),
                                        .costs = device->costs,
                                        .async = async,
                                        .is_staged = is_staged,
                                        .mma = is_staged ? strata_attention_mma(device, a->type) : NULL};
  strata_attention_row_of_batches(&problem.attention);
  strata_attention_leave_rest(&problem.attention);
  strata_size_t columns = problem.attention.sizes[problem.attention.column];
  problem.long_columns =
      strata_max(strata_attention_likely(a, columns), strata_min(strata_size_max(columns), LONG_COLUMNS));
  return strata_attention_problem_at(&problem, a->symbols.likely);
}

strata_attention_problem_t strata_attention_problem_at(const strata_attention_problem_t *problem,
                                                       const int64_t *values) {
  strata_attention_problem_t p = *problem;
  strata_attention_t *a = &p.attention;
  strata_size_t rows = strata_attention_rows(a), columns = a->sizes[a->column], batch = strata_attention_batches(a);
  a->symbols.likely = values;
  p.varies = strata_size_varies(rows) || strata_size_varies(columns) || strata_size_varies(batch);
  p.rows = strata_attention_likely(a, rows);
  p.columns = strata_attention_likely(a, columns);
  p.batch = strata_attention_likely(a, batch);
  p.offset = a->is_causal ? strata_size_likely(&a->symbols, a->offset) : 0;
  return p;
}

//===-- What fits ------------------------------------------------------------------------------------------------===//

static bool is_possible(const strata_attention_problem_t *p) {
  return p->async && strata_attention_has_rows(&p->attention) && p->head <= MAX_HEAD && p->value <= MAX_HEAD;
}

bool strata_attention_is_available(const strata_gpu_device_t *device) {
  return device->mma_async[0] || strata_gpu_stages_by_threads(device);
}

const char *strata_attention_obstacle(const strata_attention_problem_t *p) {
  if (!strata_attention_has_rows(&p->attention))
    return "its dims are not those of rows, columns, values and batches";
  if (strata_size_min(p->attention.sizes[p->attention.column]) < 1)
    return "there may be no columns";
  if (p->is_staged)
    return NULL;
  if (!strata_attention_is_half(&p->attention))
    return "its operands are not all f16 or all bf16";
  if (!p->async)
    return "the device has no instruction for its type";
  if (!is_possible(p))
    return "a head dim above 256";
  bool ends = p->head == strata_attention_static_extent(&p->attention, p->attention.head) ||
              (strata_attention_ends(&p->attention, STRATA_ATTENTION_Q) &&
               strata_attention_ends(&p->attention, STRATA_ATTENTION_K));
  return ends ? NULL : "heads side by side that are no multiples of 16 bytes, or rows of other widths beside them";
}

// In whole spans along what is contiguous.
static int64_t tile_elements(const strata_attention_problem_t *p, int operand, int64_t rows, int64_t steps) {
  return strata_attention_is_crossed(&p->attention, operand) ? strata_round_up(rows, SPAN) * steps
                                                             : rows * strata_round_up(steps, SPAN);
}

// True if the choice is about widening: both come as bytes; else what one becomes has as many slots as the other.
static bool widens_both(const strata_attention_problem_t *p) {
  return !mlirTypeIsNull(p->attention.operands[STRATA_ATTENTION_K].stored) &&
         !mlirTypeIsNull(p->attention.operands[STRATA_ATTENTION_V].stored);
}

// Warp groups behind consumers: one that fetches and, where bytes are widened, one for each operand or, beside several
// groups of consumers, which leave them no registers, one for both. So it is where threads begin with too few for an
// instruction's sums, which the assembler asks for.
static int64_t producer_groups(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                               const strata_attention_choice_t *c) {
  enum { ALL = 4 }; // with those of consumers
  if (!strata_attention_widens(&p->attention))
    return 1;
  int64_t registers = device->registers / (ALL * STRATA_GROUP_THREADS);
  bool has_room = strata_max(c->columns, p->value) / 2 + OTHER_REGISTERS <= registers;
  return widens_both(p) && c->groups == 1 && has_room ? ALL - 1 : 2;
}

// Slots of what instructions read; of bytes, in whole spans of theirs, besides.
static int64_t ring_bytes(const strata_attention_problem_t *p, const strata_attention_choice_t *c, int operand,
                          int64_t rows, int64_t steps) {
  int64_t elements = tile_elements(p, operand, rows, steps);
  if (mlirTypeIsNull(p->attention.operands[operand].stored))
    return c->slots * elements * ELEMENT_BYTES;
  bool is_crossed = strata_attention_is_crossed(&p->attention, operand);
  int64_t stored = is_crossed ? strata_round_up(rows, STRATA_SPAN) * steps : rows * strata_round_up(steps, STRATA_SPAN);
  return c->slots * stored + c->widened * elements * ELEMENT_BYTES;
}

static int64_t shared_bytes(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  int64_t ring = ring_bytes(p, c, STRATA_ATTENTION_K, c->columns, p->head) +
                 ring_bytes(p, c, STRATA_ATTENTION_V, p->value, c->columns);
  return tile_elements(p, STRATA_ATTENTION_Q, c->rows, p->head) * ELEMENT_BYTES + ring +
         c->groups * STRATA_SUB_TILES * STRATA_SUB_TILE + STRATA_PIPELINED_BARRIER_BYTES;
}

// Narrow blocks, columns beyond the last and groups that wait for one another are not what the model is good at.
static bool is_sensible(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  int64_t least = strata_attention_widens(&p->attention) ? MIN_WIDENED_COLUMNS : MIN_COLUMNS;
  return c->columns >= strata_min(least, strata_round_up(p->columns, COLUMN_STEP)) &&
         c->columns < p->columns + COLUMN_STEP &&
         (c->groups <= USUAL_GROUPS || (double)strata_ceil_div(p->columns, c->columns) >= p->costs->attention.long_row);
}

// True if tiles are whole where the size is greatest.
static bool ends_with_tile(strata_size_t size, int64_t tile) {
  return strata_size_divides(tile, size) || strata_size_max(size) % tile == 0;
}

// True if each score has an operand of its own, of which a thread has to ask whether it is there: not where a tile that
// hangs over an edge lies in a larger buffer.
static bool has_guards(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const strata_attention_t *a = &p->attention;
  bool is_inside = a->has_known_scores && ends_with_tile(strata_attention_rows(a), c->rows) &&
                   ends_with_tile(a->sizes[a->column], c->columns);
  return p->varies && a->score_bytes > 0 && !is_inside;
}

// Scores, the weights made of them and results are a thread's at the same time, and where a guarded operand of theirs
// lies and whether it is there.
static bool fits(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                 const strata_attention_choice_t *c, int64_t most_registers) {
  const strata_attention_t *a = &p->attention;
  if (!strata_size_divides(c->columns, a->sizes[a->column]) && !p->values_end)
    return false;
  if (!strata_attention_fits_pages(a, c->columns))
    return false;
  if (strata_attention_widens(a) && STRATA_GROUP_THREADS % c->columns != 0) // a thread widens a column's part
    return false;
  bool has_temporaries = !p->attention.has_softmax && c->columns > MIN_COLUMNS;
  if (has_temporaries && c->columns > MOST_PLAIN_COLUMNS)
    return false;
  int64_t registers = strata_attention_held_registers(c->columns, p->value) + OTHER_REGISTERS;
  registers += has_temporaries ? TEMPORARY_REGISTERS : 0;
  registers += has_guards(p, c) ? c->columns / 4 : 0;
  return registers <= most_registers && shared_bytes(p, c) <= device->shared_bytes;
}

//===-- Time -----------------------------------------------------------------------------------------------------===//

typedef struct {
  double cycles;
  const char *what;
} bound_t;

static double product_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  return (double)(c->rows * c->columns * (p->head + p->value)) / p->costs->attention.products;
}

// Of a group's rows in one column, beside what a softmax takes.
static double arithmetic_cycles(const strata_attention_problem_t *p) {
  const strata_attention_costs_t *costs = &p->costs->attention;
  const strata_attention_t *a = &p->attention;
  return costs->operation * (double)a->score_operations + costs->function * (double)a->score_functions;
}

// The same with it. Only of square blocks is it known that all but the first have no masks of causal rows.
static double softmax_cycles(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const strata_attention_costs_t *costs = &p->costs->attention;
  double cycles = p->attention.has_softmax ? costs->softmax : costs->weight + arithmetic_cycles(p);
  cycles += has_guards(p, c) ? costs->guarded : 0;
  return cycles + (p->attention.is_causal && c->rows != c->columns ? costs->mask : 0);
}

double strata_attention_arithmetic_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *p) {
  double columns = (double)p->rows / STRATA_GROUP_ROWS * (double)p->columns * (double)p->batch;
  return columns * arithmetic_cycles(p) / (double)device->n_processors / device->costs->attention.clock;
}

// Of a key and its value in memory.
static double column_bytes(const strata_attention_problem_t *p) {
  return (double)(p->head * strata_attention_stored_bytes(&p->attention, STRATA_ATTENTION_K) +
                  p->value * strata_attention_stored_bytes(&p->attention, STRATA_ATTENTION_V));
}

// Boxes that pages take of a block of columns.
static double page_boxes(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const int64_t extents[STRATA_N_ATTENTION_OPERANDS] = {
      [STRATA_ATTENTION_K] = p->head, [STRATA_ATTENTION_V] = p->value};
  int64_t boxes = 0;
  for (int i = STRATA_ATTENTION_K; i <= STRATA_ATTENTION_V; i++) {
    int64_t page = p->attention.operands[i].page;
    int64_t spans = strata_ceil_div(extents[i] * strata_attention_stored_bytes(&p->attention, i), STRATA_SPAN);
    boxes += page ? strata_ceil_div(c->columns, page) * spans : 0;
  }
  return (double)boxes;
}

// One block of columns of a tile.
static bound_t block_time(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  const strata_attention_costs_t *costs = &p->costs->attention;
  bound_t bounds[] = {
      {product_cycles(p, c), "instructions"},
      {(double)(c->groups * c->columns) * softmax_cycles(p, c), p->attention.has_softmax ? "softmax" : "arithmetic"},
      {(double)c->columns * column_bytes(p) / costs->cache_rate, "cache"},
      {page_boxes(p, c) * costs->box, "pages"},
  };
  bound_t slowest = bounds[0];
  double sum = 0;
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    sum += bounds[i].cycles;
    if (bounds[i].cycles > slowest.cycles)
      slowest = bounds[i];
  }
  slowest.cycles += costs->block_start + costs->beside * (sum - slowest.cycles);
  slowest.cycles += c->widened == 1 ? costs->refilled : 0;
  return slowest;
}

double strata_attention_blocks(const strata_attention_problem_t *p, const strata_attention_choice_t *c) {
  if (!strata_attention_skips(&p->attention, c->rows, c->columns))
    return (double)strata_ceil_div(strata_ceil_div(p->columns, c->columns), c->parts);
  double seen = (double)(p->offset + p->offset + p->rows) / 2;
  return (seen + (double)(c->rows + c->columns) / 2) / (double)c->columns;
}

// Keys and values, once each: of few rows all that the kernel does.
static double memory_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *p) {
  return (double)p->batch * (double)p->columns * column_bytes(p) / (double)device->bandwidth;
}

static void predict_time(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                         strata_attention_choice_t *c) {
  const strata_attention_costs_t *costs = &device->costs->attention;
  bound_t block = block_time(p, c);
  double rounds = (double)strata_ceil_div(c->tasks, device->n_processors), blocks = strata_attention_blocks(p, c);
  double work = rounds * (costs->task + product_cycles(p, c) + blocks * block.cycles) / costs->clock;
  double memory = p->rows < STRATA_GROUP_ROWS ? memory_seconds(device, p) + work / costs->beside_memory : 0;
  c->bound = memory > work ? "memory" : block.what;
  c->seconds = costs->launch / costs->clock + fmax(work, memory) + strata_attention_sum_seconds(device, p, c);
}

static bool is_prime(int64_t n) {
  for (int64_t i = 2; i * i <= n; i++)
    if (n % i == 0)
      return false;
  return n > 1;
}

// For any number of tasks.
static int64_t varying_grid(const strata_gpu_device_t *device, bool is_even) {
  int64_t blocks = device->n_processors;
  while (!is_even && blocks > 1 && !is_prime(blocks))
    blocks--;
  return blocks;
}

// Of causal tiles each block is to get long and short ones: row tiles in turn.
static int64_t count_grid(const strata_gpu_device_t *device, const strata_attention_problem_t *p,
                          const strata_attention_choice_t *c) {
  int64_t blocks = strata_min(c->tasks, device->n_processors), tiles = strata_ceil_div(p->rows, c->rows);
  bool is_even = !strata_attention_skips(&p->attention, c->rows, c->columns);
  if (p->varies)
    return varying_grid(device, is_even);
  while (!is_even && blocks < c->tasks && strata_gcd(blocks, tiles) > 1)
    blocks--;
  return blocks;
}

static bool next(const strata_work_t *w, strata_candidate_t *candidate) {
  const strata_attention_problem_t *p = w->attention;
  strata_attention_choice_t *c = &candidate->attention;
  size_t number = c->number, tile = number / N_SIZES % N_COLUMNS;
  if (!is_possible(p) || number == N_COLUMNS * N_SIZES * STRATA_ATTENTION_SPLITS * (widens_both(p) ? MOST_WIDENED : 1))
    return false;
  int64_t groups = sizes[number % N_SIZES].groups;
  *c = (strata_attention_choice_t){.groups = groups,
                                   .rows = groups * STRATA_GROUP_ROWS,
                                   .columns = STRATA_MAX_COLUMNS - (int64_t)tile * COLUMN_STEP,
                                   .slots = STRATA_MIN_SLOTS,
                                   .number = number + 1};
  return true;
}

static bool predict(const strata_work_t *w, strata_candidate_t *candidate) {
  const strata_attention_problem_t *p = w->attention;
  strata_attention_choice_t *c = &candidate->attention;
  size_t way = (c->number - 1) / (N_COLUMNS * N_SIZES);
  if (!strata_attention_split(w->device, p, (int)(way % STRATA_ATTENTION_SPLITS), c))
    return false;
  c->blocks = count_grid(w->device, p, c);
  size_t size = (c->number - 1) % N_SIZES;
  int64_t registers = strata_attention_widens(&p->attention) ? sizes[size].widening : sizes[size].registers;
  if (strata_attention_widens(&p->attention))
    c->widened = widens_both(p) ? 1 + (int64_t)(way / STRATA_ATTENTION_SPLITS) : c->slots;
  if (!fits(w->device, p, c, registers))
    return false;
  while (strata_attention_widens(&p->attention) && c->slots < MOST_STORED * (widens_both(p) ? c->widened : 1)) {
    strata_attention_choice_t more = *c;
    more.slots += widens_both(p) ? c->widened : 1;
    more.widened = widens_both(p) ? c->widened : more.slots;
    if (!fits(w->device, p, &more, registers))
      break;
    *c = more;
  }
  predict_time(w->device, p, c);
  return w->wants_all || is_sensible(p, c);
}

static strata_schedule_t write(const strata_work_t *w, const strata_candidate_t *candidate) {
  const strata_attention_choice_t *c = &candidate->attention;
  return (strata_schedule_t){.kind = STRATA_KERNEL_ATTENTION,
                             .threads = c->groups * STRATA_GROUP_THREADS,
                             .group = c->groups * STRATA_GROUP_THREADS,
                             .n_tile = 3,
                             .tile = {c->rows, c->columns, w->attention->head},
                             .mma = strata_str(w->attention->async->name),
                             .producers = producer_groups(w->device, w->attention, c) * STRATA_GROUP_THREADS,
                             .slots = c->slots,
                             .widened = c->widened,
                             .blocks = c->blocks,
                             .splits = strata_attention_splits(w->attention, c)};
}

bool strata_attention_admits(const strata_work_t *w, const strata_candidate_t *candidate,
                             const strata_schedule_t *given) {
  (void)w;
  const strata_attention_choice_t *c = &candidate->attention;
  bool has_slots = given->slots == c->slots || (c->widened && given->slots >= STRATA_MIN_SLOTS &&
                                                given->slots < c->slots && given->slots % c->widened == 0);
  return has_slots && given->blocks >= strata_min(c->blocks, 1) &&
         given->blocks <= (c->blocks ? strata_max(c->tasks, c->blocks) : 0);
}

static const char *explain(strata_arena_t *arena, const strata_work_t *w, const strata_candidate_t *candidate) {
  const strata_attention_choice_t *c = &candidate->attention;
  const char *parts = c->parts > 1 ? strata_arena_printf(arena, " of %lld parts", (long long)c->parts) : "";
  const char *widened = c->widened ? strata_arena_printf(arena, ", %lld widened", (long long)c->widened) : "";
  return strata_arena_printf(arena, "%s %lldx%lldx%lld, %lld slots%s, %lld tasks%s in %lld blocks",
                             w->attention->async->name, (long long)c->rows, (long long)c->columns,
                             (long long)w->attention->head, (long long)c->slots, widened, (long long)c->tasks, parts,
                             (long long)c->blocks);
}

const strata_ways_t strata_ways_attention = {next, predict, write, strata_attention_admits, explain};

//===-- The choice -----------------------------------------------------------------------------------------------===//

double strata_attention_seconds(const strata_gpu_device_t *device, const strata_attention_problem_t *problem) {
  strata_work_t work = {.device = device, .attention = problem};
  const strata_ways_t *ways = strata_ways_of(&work, 0);
  double least = INFINITY;
  for (strata_candidate_t c = {0}; strata_candidate_next(&work, ways, &c);)
    least = fmin(least, c.seconds);
  return least;
}

// False where the kernel is none: affine-group says which are, and what becomes of one may still be too much for it.
static bool read_work(const strata_scheduling_t *s, strata_work_t *out) {
  strata_attention_t attention;
  const char *why;
  strata_attention_problem_t *problem = strata_arena_new(s->compile->arena, strata_attention_problem_t);
  MlirStringRef name = strata_attr_str(s->kernel->func, "sym_name");
  if (strata_schedule_read(s->kernel->func).kind != STRATA_KERNEL_ATTENTION)
    return false;
  if (!strata_attention_read(s->kernel, &attention, &why)) {
    strata_explain(s->compile, "attention %.*s: no more: %s", (int)name.length, name.data, why);
    return false;
  }
  *problem = strata_attention_problem(s->device, &attention);
  problem->has_variants = strata_has_variants(s->kernel->func);
  out->attention = problem;
  return true;
}

strata_status_t strata_work_attention(const strata_scheduling_t *s, strata_work_t *out) {
  return read_work(s, out) ? NULL : strata_error(STRATA_INTERNAL, "expected a kernel of attention");
}

static void explain_problem(const strata_scheduling_t *s, const strata_attention_problem_t *p, const char *name) {
  const strata_attention_t *a = &p->attention;
  strata_explain(s->compile, "%s %lld rows, %lld columns of %lld, values of %lld, %lld times%s", name,
                 (long long)p->rows, (long long)p->columns, (long long)strata_attention_static_extent(a, a->head),
                 (long long)strata_attention_static_extent(a, a->value), (long long)p->batch,
                 a->has_softmax ? "" : ", no softmax");
}

strata_status_t strata_gpu_attention(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_work_t work = {.device = s->device};
  *out_taken = read_work(s, &work);
  if (!*out_taken)
    return NULL;
  const strata_ways_t *ways = strata_ways_of(&work, 0);
  strata_candidate_t best[EXPLAINED];
  MlirStringRef symbol = strata_attr_str(s->kernel->func, "sym_name");
  const char *name = strata_arena_printf(s->compile->arena, "attention %.*s:", (int)symbol.length, symbol.data);
  bool varies = work.attention->varies, is_found;
  int n = 0;
  explain_problem(s, work.attention, name);
  if (varies) {
    STRATA_TRY(strata_attention_choose_varying(s, &work, ways, out, &is_found));
  } else {
    n = strata_candidates_best(&work, ways, EXPLAINED, best);
    is_found = n > 0;
  }
  if (!is_found)
    return strata_error(STRATA_INTERNAL, "no tile suits a kernel of attention");
  strata_candidates_explain(s->compile, &work, ways, name, n, best, true);
  *out = varies ? *out : best[0].schedule;
  return NULL;
}
