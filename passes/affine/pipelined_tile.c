// Pipelined products: what a candidate's tile and ring are, and whether it fits. See pipelined.h.
#include "passes/affine/pipelined.h"

#include "dialects/integers.h"
#include "dialects/tile/map_limits.h"
#include "dialects/tile/product_form.h"
#include "passes/affine/problem_operand.h"

enum {
  MAX_SLOTS = 16,
  SUMS = 128, // of a thread
  WIDE_SUMS = 192,
  MANY_GROUPS_SUMS = 96,
  MANY_BESIDE_WORDS = 64, // adds_words()
  MIN_PART_STEPS = 2,     // of a block, of a cluster's
};

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

strata_pipelined_choice_t strata_pipelined_single(strata_pipelined_shape_t shape, size_t number) {
  return (strata_pipelined_choice_t){
      .shape = shape, .residents = 1, .pair = 1, .parts = 1, .every = 1, .share = {1, 1}, .number = number};
}

void strata_pipelined_set_tile(const strata_problem_t *problem, strata_pipelined_choice_t *p) {
  p->rows = p->shape.rows / (p->swap ? p->pair : 1);
  p->columns = p->shape.columns / p->parts / (p->swap ? 1 : p->pair);
  p->tile[STRATA_SIDE_U] = p->swap ? p->columns : p->rows;
  p->tile[STRATA_SIDE_V] = p->swap ? p->rows : p->columns;
  p->step = STRATA_SPAN / problem->operand_bytes;
}

static int right_side(const strata_pipelined_choice_t *p) { return p->swap ? STRATA_SIDE_U : STRATA_SIDE_V; }

int64_t strata_pipelined_own_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t tiles = problem->batch;
  for (int side = 0; side < 2; side++) {
    int64_t blocks = p->share[side] * (side == right_side(p) ? p->parts : 1);
    int64_t kinds = side == STRATA_SIDE_U ? p->every : 1; // of rows, with tiles of their own
    tiles *= kinds * strata_ceil_div(strata_problem_extent(problem, side) / kinds, blocks * p->tile[side]) * blocks;
  }
  return tiles;
}

int64_t strata_pipelined_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t count = 0;
  for (; problem; problem = problem->next)
    count += strata_pipelined_own_tiles(problem, p);
  return count;
}

int64_t strata_pipelined_cluster(const strata_pipelined_choice_t *p) { return p->share[0] * p->share[1]; }

int64_t strata_pipelined_processors(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p) {
  return device->n_processors * p->filled / 100 / strata_pipelined_cluster(p) * strata_pipelined_cluster(p);
}

int64_t strata_pipelined_most_blocks(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p) {
  return p->residents * (p->filled ? strata_pipelined_processors(device, p) : device->n_processors);
}

//===-- The ring -------------------------------------------------------------------------------------------------===//

int64_t strata_pipelined_slot_rows(const strata_pipelined_choice_t *p, int side) {
  return p->tile[side] * (side == right_side(p) ? p->parts : 1) * (side == STRATA_SIDE_V ? p->pair : 1);
}

// The same with what whole spans have besides: of operands that lie contiguous along their rows, which a span has as
// many of as a step is long.
static int64_t slot_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  int64_t parts = side == right_side(p) ? p->parts : 1, span = problem->sides[side].is_crossed ? p->step : 1;
  return strata_product_slot(p->tile[side], parts, span) * (side == STRATA_SIDE_V ? p->pair : 1);
}

int64_t strata_pipelined_row_bytes(const strata_problem_t *problem, int side) {
  return problem->sides[side].packed_row_bytes ? problem->sides[side].packed_row_bytes : STRATA_SPAN;
}

int64_t strata_pipelined_slot_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t bytes = 0;
  for (int side = 0; side < 2; side++)
    bytes += strata_pipelined_row_bytes(problem, side) * slot_of(problem, p, side);
  return bytes;
}

int64_t strata_pipelined_across(const strata_pipelined_choice_t *p) {
  return p->shape.rows < STRATA_GROUP_ROWS * p->shape.groups ? p->shape.groups : 1;
}

// Where results lie on their way to memory, or the sums of groups that sum up the same tile.
static int64_t results_bytes(const strata_pipelined_choice_t *p) {
  if (p->shape.depth > 1)
    return p->shape.depth * p->shape.rows * p->shape.columns * STRATA_SUM_BYTES;
  return p->shape.groups * p->shape.teams * STRATA_SUB_TILES * STRATA_SUB_TILE;
}

int64_t strata_pipelined_slots(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  int64_t room =
      strata_min(device->shared_bytes, device->shared_bytes_processor / p->residents - STRATA_GPU_SHARED_OF_BLOCK);
  int64_t slots = strata_min(
      (room - results_bytes(p) - STRATA_PIPELINED_BARRIER_BYTES) / strata_pipelined_slot_bytes(problem, p), MAX_SLOTS);
  return slots / p->shape.depth * p->shape.depth;
}

bool strata_pipelined_has_room(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p, int64_t slots, int64_t blocks) {
  int64_t block = slots * strata_pipelined_slot_bytes(problem, p) + results_bytes(p) + STRATA_PIPELINED_BARRIER_BYTES +
                  STRATA_GPU_SHARED_OF_BLOCK;
  return blocks * block <= device->shared_bytes_processor;
}

int64_t strata_pipelined_steps_of_tile(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t lead = p->every > 1 ? (STRATA_SECTOR - STRATA_MAP_UNIT) / problem->operand_bytes : 0; // of the second kind
  return strata_ceil_div(problem->steps + lead, p->step);
}

bool strata_pipelined_straddles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  return problem->sides[side].straddles && !(side == STRATA_SIDE_U && p->every > 1);
}

int64_t strata_pipelined_share(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  int64_t steps = strata_pipelined_own_tiles(problem, p) * strata_pipelined_steps_of_tile(problem, p);
  return strata_ceil_div(steps, device->n_processors);
}

int64_t strata_pipelined_count_boxes(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  bool is_none = side == right_side(p) && strata_problem_is_left_alone(problem, side);
  return is_none ? 0 : strata_problem_boxes(problem, side, p->tile[side], p->step);
}

bool strata_pipelined_unpacks(const strata_problem_t *problem) {
  return problem->sides[STRATA_SIDE_U].packed_row_bytes || problem->sides[STRATA_SIDE_V].packed_row_bytes;
}

bool strata_pipelined_reads_left(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int left = 1 - right_side(p);
  return strata_pipelined_unpacks(problem) ||
         (strata_problem_is_left_alone(problem, left) && problem->sides[left].is_read);
}

double strata_pipelined_distinct_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  double bytes = 0;
  for (; problem; problem = problem->next)
    for (int side = 0; side < 2; side++)
      bytes += (double)(strata_problem_extent(problem, side) * strata_pipelined_row_bytes(problem, side) *
                        (side == STRATA_SIDE_V ? p->pair : 1) * problem->batch * p->parts);
  return bytes;
}

//===-- What fits ------------------------------------------------------------------------------------------------===//

// Whole spans of a crossed operand are copied: tiles are not to be a small part of one.
static bool wastes_spans(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  return problem->sides[side].is_crossed && strata_pipelined_slot_rows(p, side) < p->step &&
         strata_problem_extent(problem, side) > p->tile[side];
}

static strata_product_form_t form_of(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int64_t boxes[2];
  for (int side = 0; side < 2; side++)
    boxes[side] = strata_pipelined_count_boxes(problem, p, side);
  strata_product_form_t form = {.has_fragments = p->shape.depth == 1,
                                .is_bulk = boxes[STRATA_SIDE_U] && boxes[STRATA_SIDE_V],
                                .reads_left = strata_pipelined_reads_left(problem, p),
                                .unpacks = strata_pipelined_unpacks(problem),
                                .slot_bytes = strata_pipelined_slot_bytes(problem, p),
                                .swap = p->swap,
                                .stream = p->stream,
                                .is_joined = problem->next || problem->shares_launch,
                                .has_whole_steps = strata_problem_is_multiple(problem, STRATA_AXIS_STEP, p->step),
                                .element_bytes = problem->operand_bytes,
                                .groups = p->shape.groups,
                                .across = strata_pipelined_across(p),
                                .teams = p->shape.teams,
                                .depth = p->shape.depth,
                                .rows = p->shape.rows,
                                .columns = p->shape.columns,
                                .slots = p->slots,
                                .steps = strata_pipelined_steps_of_tile(problem, p),
                                .pair = p->pair,
                                .parts = p->parts,
                                .row = strata_max(p->row, 1),
                                .share = {p->share[0], p->share[1]},
                                .every = p->every,
                                .stagger = p->stagger};
  for (int side = 0; side < 2; side++)
    form.sides[side] = (strata_product_side_t){.is_crossed = problem->sides[side].is_crossed,
                                               .is_box = boxes[side] == 1,
                                               .tile = p->tile[side],
                                               .slot = slot_of(problem, p, side)};
  return form;
}

bool strata_pipelined_is_clipped(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side) {
  strata_product_form_t form = form_of(problem, p);
  return strata_product_clips(&form, side, strata_size_constant(strata_problem_extent(problem, side)));
}

bool strata_pipelined_splits_spans(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  int side = right_side(p);
  int64_t tile = p->tile[side];
  return p->parts > 1 && problem->sides[side].is_crossed && tile % p->step != 0 && p->step % tile != 0;
}

// All tiles of a cluster are copied as one then, of rows that are side by side wherever one begins.
static bool can_split_spans(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  return !strata_pipelined_splits_spans(problem, p) || problem->axes[strata_problem_axis(right_side(p))].n_dims <= 1;
}

// The blocks of a cluster have a tile each, all at the same time.
static bool can_be_parts(const strata_gpu_device_t *device, const strata_problem_t *problem,
                         const strata_pipelined_choice_t *p) {
  return p->parts <= device->max_cluster && p->residents == 1 && !problem->shares_launch &&
         p->shape.columns % p->parts == 0 && can_split_spans(problem, p) &&
         strata_ceil_div(problem->steps, p->step) >= MIN_PART_STEPS * p->parts &&
         100 * strata_pipelined_tiles(problem, p) <= device->n_processors * p->filled;
}

// True if the kernel reads so many bytes, about, for each result that it stores, as of a residual: more than its
// operands.
static bool reads_results(const strata_problem_t *problem, double least) {
  double results = (double)problem->rows * (double)problem->columns * (double)problem->batch;
  double bytes = results * (double)problem->stored_bytes + strata_problem_operand_bytes(problem);
  return problem->traffic - bytes >= results * least;
}

// Each block of a cluster fetches an equal part of what several need: of boxes, which are spans of a crossed operand,
// or of the rows of one.
static bool can_share(const strata_gpu_device_t *device, const strata_problem_t *problem,
                      const strata_pipelined_choice_t *p) {
  bool are_parts = !problem->shares_launch;
  for (int side = 0; side < 2; side++) {
    int64_t boxes = strata_pipelined_count_boxes(problem, p, side);
    int64_t rows = problem->sides[side].is_crossed ? p->step : boxes == 1 ? p->tile[side] : 0;
    are_parts &= strata_product_divides(boxes, rows, problem->sides[side].has_window, p->share[1 - side]);
  }
  return strata_pipelined_cluster(p) <= device->max_cluster && are_parts &&
         strata_pipelined_tiles(problem, p) >= strata_pipelined_cluster(p);
}

// Blocks that leave sums to one another are a grid of one product's; a thread has some registers for those of others.
static bool can_stream(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int64_t sums) {
  return !problem->shares_launch && !problem->next && (p->shape.groups <= 2 || strata_pipelined_unpacks(problem)) &&
         sums <= SUMS;
}

// Groups have as many steps each, on the instruction that takes a left operand from registers.
static bool can_be_deep(const strata_problem_t *problem, const strata_pipelined_choice_t *p) {
  const strata_mma_t *mma = problem->mma;
  return mma && mma->layout->has_matrices && mma->n == STRATA_EIGHT &&
         strata_problem_is_multiple(problem, STRATA_AXIS_STEP, p->shape.depth * p->step);
}

// Every second row: each kind has tiles of its own, of which a cluster's share the right operand's steps, which all
// begin where the kind's rows do. That is no use to a right operand whose steps were whole sectors.
static bool can_alternate(const strata_problem_t *problem) {
  const strata_problem_side_t *right = &problem->sides[STRATA_SIDE_V];
  return problem->sides[STRATA_SIDE_U].may_alternate && !problem->next && !problem->shares_launch &&
         right->begins_rows && (right->is_crossed || right->straddles);
}

// True if f32 are added at places that sizes of a call say: beside more sums than these threads spilled up to 2600
// bytes.
static bool adds_words(const strata_problem_t *problem) {
  enum { WORD = 3 };
  return problem->varies && reads_results(problem, WORD);
}

// True if a thread has registers for its sums: of two groups for as many where producers need few, of two blocks a
// processor for fewer, of three groups for none that it gets from others, nor for what is added to the results.
static bool has_registers(const strata_problem_t *problem, const strata_pipelined_choice_t *p,
                          const strata_product_form_t *form, int64_t sums) {
  bool needs_few = form->is_bulk && !form->reads_left;
  bool is_beside = adds_words(problem);
  int64_t wide = is_beside ? SUMS : WIDE_SUMS, many = is_beside ? MANY_BESIDE_WORDS : MANY_GROUPS_SUMS;
  int64_t most = p->residents > 1 ? SUMS / 2 : form->groups > 2 ? many : needs_few ? wide : SUMS;
  return sums <= most &&
         (form->groups <= 2 || form->unpacks || (form->parts <= 2 && (form->swap || !reads_results(problem, 1))));
}

// Where sizes vary a grid of parts has as many blocks as there are tasks, of which a cluster that shares needs whole
// ones.
static bool wants_numbers(const strata_pipelined_choice_t *p) {
  return p->stream || (p->parts > 1 && strata_pipelined_cluster(p) > 1);
}

// What is seen without the form: most candidates end here.
static bool may_be_legal(const strata_gpu_device_t *device, const strata_problem_t *problem,
                         const strata_pipelined_choice_t *p) {
  if (problem->has_no_steps || (problem->is_any && p->parts > 1) || (problem->varies && wants_numbers(p)))
    return false;
  if (problem->sides[right_side(p)].packed_row_bytes || (p->shape.depth > 1 && !can_be_deep(problem, p)))
    return false;
  return (p->parts <= 1 || can_be_parts(device, problem, p)) &&
         (strata_pipelined_cluster(p) <= 1 || can_share(device, problem, p));
}

bool strata_pipelined_is_legal(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p) {
  if (!may_be_legal(device, problem, p))
    return false;
  strata_product_form_t form = form_of(problem, p);
  int64_t sums = form.rows * form.columns / form.groups / STRATA_GROUP_THREADS;
  int64_t warp_groups = form.groups * form.teams * form.depth, bytes = problem->operand_bytes;
  bool is_for_pairs = warp_groups == 1 && form.rows > STRATA_GROUP_ROWS;
  if (strata_product_fault(&form) || (p->shape.groups > 3 && !form.unpacks))
    return false;
  if (p->pair > 1 ? bytes != 2 : is_for_pairs) // to others it is no use: 16x14336x4096 took as long or longer
    return false;
  if (form.is_bulk && (wastes_spans(problem, p, STRATA_SIDE_U) || wastes_spans(problem, p, STRATA_SIDE_V)))
    return false;
  if ((p->every > 1 && !(form.is_bulk && can_alternate(problem))) || (p->stream && !can_stream(problem, p, sums)))
    return false;
  return has_registers(problem, p, &form, sums) && form.columns % (bytes == 1 ? 16 : 8) == 0 &&
         (warp_groups == 1 || p->residents == 1) && (form.teams == 1 || bytes < 4);
}
