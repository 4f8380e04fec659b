// Maps on GPUs: which of three forms, and how large.
//
//   an addition of 1 << 20 f32       {kind = "map", threads = 256, group = 256, tile = [4096]}
//   the same of rows of 12           {kind = "map", threads = 256, group = 1, tile = [4]}
//   a transposition                  {kind = "map", threads = 128, group = 128, tile = [64, 128]}
#include "passes/affine/gpu_forms.h"

#include "dialects/integers.h"

enum {
  CROSSING = 64,      // rows and columns of a transposition's tile: the latter twice as many
  CROSSING_WIDTH = 8, // of the square that a thread turns in registers, at most
  MIN_CROSSING = 16,  // shorter dims are not worth turning
  MOST_ACCESSES = 4,  // of a thread for each operand, in what is measured
};

typedef struct {
  const strata_scheduling_t *s;
  const strata_map_kernel_t *map;
  strata_size_t size;           // of the dim along which vectors lie
  int64_t extent, outer, width; // likely ones, of that and of the others; elements of an access
} question_t;

// One nest that copies rows found by numbers in memory runs along them.
static bool gathers_rows(const strata_kernel_t *kernel, strata_map_kernel_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  *out = (strata_map_kernel_t){
      .kernel = kernel, .space = nest, .vector_dim = nest->n_parallel - 1, .cross_dim = STRATA_MAP_NO_DIM};
  return kernel->n_nests == 1 && strata_nest_gathers_rows(nest);
}

static bool read_question(const strata_scheduling_t *s, strata_map_kernel_t *map, question_t *out) {
  if (!gathers_rows(s->kernel, map) && !strata_gpu_is_taken(strata_map_kernel_read(s->kernel, map)))
    return false;
  strata_size_t size = map->space->space.sizes[map->vector_dim];
  *out = (question_t){
      .s = s,
      .map = map,
      .size = size,
      .extent = strata_gpu_likely(s, size),
      .outer = strata_gpu_likely_points(s, map->space, map->vector_dim),
      .width = strata_gpu_access_width(s),
  };
  return true;
}

//===-- Forms ----------------------------------------------------------------------------------------------------===//

// A block a tile, tiles of about equal length, where that is known, of |accesses| a thread.
static strata_schedule_t of_blocks(const question_t *q, int64_t threads, int64_t accesses) {
  int64_t most = threads * accesses * q->width, n_tiles = strata_ceil_div(q->extent, most);
  int64_t tile = strata_round_up(strata_ceil_div(q->extent, n_tiles), q->width * q->s->device->lanes);
  strata_schedule_t schedule = {.kind = STRATA_KERNEL_MAP, .threads = threads, .group = threads, .n_tile = 1};
  schedule.tile[0] = strata_min(strata_size_varies(q->size) ? most : tile, strata_size_max(q->size));
  return schedule;
}

// A thread a piece.
static strata_schedule_t of_threads(int64_t threads, int64_t width) {
  return (strata_schedule_t){.kind = STRATA_KERNEL_MAP, .threads = threads, .group = 1, .n_tile = 1, .tile = {width}};
}

static bool is_crossing(const question_t *q) {
  if (q->map->cross_dim == STRATA_MAP_NO_DIM)
    return false;
  strata_size_t across = q->map->space->space.sizes[q->map->cross_dim];
  return strata_min(q->extent, strata_gpu_likely(q->s, across)) >= MIN_CROSSING;
}

// Tiles of a block, whose threads turn small squares in registers.
static strata_schedule_t of_squares(const question_t *q, int64_t side) {
  const strata_size_t extents[2] = {q->size, q->map->space->space.sizes[q->map->cross_dim]};
  int64_t width = strata_min(q->width, CROSSING_WIDTH), threads = 1;
  strata_schedule_t schedule = {
      .kind = STRATA_KERNEL_MAP,
      .n_tile = 2,
      .tile = {strata_min(side, strata_size_max(extents[0])), strata_min(2 * side, strata_size_max(extents[1]))},
  };
  for (int i = 0; i < 2; i++)
    threads *= strata_power_of_two_from(strata_ceil_div(schedule.tile[i], width));
  schedule.threads = schedule.group = strata_min(strata_max(threads, q->s->device->lanes), STRATA_THREADS);
  return schedule;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

// One access a thread, and as many threads as there is room for.
static strata_schedule_t choose_blocks(const question_t *q) {
  int64_t threads = STRATA_THREADS;
  while (threads > STRATA_MIN_THREADS &&
         q->outer * strata_ceil_div(q->extent, threads * q->width) < q->s->device->n_processors)
    threads /= 2;
  return of_blocks(q, threads, 1);
}

static strata_schedule_t choose(const question_t *q) {
  if (is_crossing(q)) {
    int64_t n_tiles = q->outer * q->extent / (2 * CROSSING * CROSSING);
    return of_squares(q, n_tiles < 2 * q->s->device->n_processors ? CROSSING / 2 : CROSSING);
  }
  // Tiles of a block want to be well filled.
  int64_t block = STRATA_THREADS * q->width, filled = strata_round_up(q->extent, block);
  if (q->extent >= block / 2 &&
      (!strata_size_divides(q->width, q->size) || q->outer == 1 || filled - q->extent <= filled / 8))
    return choose_blocks(q);
  strata_schedule_t schedule = of_threads(STRATA_THREADS, strata_gpu_dividing(q->width, q->size));
  strata_gpu_shrink_blocks(q->s->device, q->outer * q->extent / schedule.tile[0], &schedule);
  return schedule;
}

strata_status_t strata_gpu_map(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_map_kernel_t map;
  question_t q;
  *out_taken = read_question(s, &map, &q);
  if (*out_taken)
    *out = choose(&q);
  return NULL;
}

//===-- What is measured -----------------------------------------------------------------------------------------===//

static void add_blocks(const question_t *q, int64_t threads, int64_t accesses, strata_gpu_forms_t *forms) {
  strata_schedule_t schedule = of_blocks(q, threads, accesses);
  if (threads <= q->s->device->max_threads && q->extent > threads * accesses * q->width / 2)
    strata_gpu_forms_add(forms, &schedule);
}

static void add_threads(const question_t *q, int64_t threads, int64_t width, strata_gpu_forms_t *forms) {
  strata_schedule_t schedule = of_threads(threads, width);
  if (width > 0 && strata_size_divides(width, q->size))
    strata_gpu_forms_add(forms, &schedule);
}

// First what is of another form than the rules' choice, then other sizes of all.
static strata_status_t add_forms(const strata_scheduling_t *s, strata_gpu_forms_t *forms) {
  strata_map_kernel_t map;
  question_t q;
  if (!read_question(s, &map, &q))
    return NULL;
  int64_t width = strata_gpu_dividing(q.width, q.size), threads = STRATA_THREADS;
  for (int64_t side = CROSSING; is_crossing(&q) && side >= MIN_CROSSING; side /= 2) {
    strata_schedule_t schedule = of_squares(&q, side);
    strata_gpu_forms_add(forms, &schedule);
  }
  add_threads(&q, threads, width, forms);
  add_blocks(&q, threads, 1, forms);
  for (int64_t accesses = 2; accesses <= MOST_ACCESSES && !is_crossing(&q); accesses *= 2) {
    add_blocks(&q, threads, accesses, forms);
    add_threads(&q, threads, width / accesses, forms);
    add_threads(&q, threads, width * accesses, forms);
  }
  for (threads = 2 * STRATA_THREADS; threads >= STRATA_MIN_THREADS; threads /= 2) {
    add_blocks(&q, threads, 1, forms);
    add_threads(&q, threads, width, forms);
  }
  return NULL;
}

strata_status_t strata_work_map_gpu(const strata_scheduling_t *s, strata_work_t *out) {
  return strata_gpu_read_forms(s, STRATA_KERNEL_MAP, strata_gpu_map, add_forms, out);
}
