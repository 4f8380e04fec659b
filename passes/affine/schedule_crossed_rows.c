// Rows of which a block has several, as some operand is contiguous along the rows' dim.
//
//   rows of 1024 that add a transpose {kind = "rows", threads = 512, group = 256, blocks = 132, tile = [1024, 8]}
#include "passes/affine/gpu_forms.h"

#include "dialects/integers.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"

enum {
  CROSSED_ELEMENTS = 16,  // of several rows that a thread holds
  SECTOR_ELEMENTS = 32,   // of what lies across the rows, read by sectors: each row has a warp of so many a thread ...
  SECTOR_REGISTERS = 128, // ... in so many registers
};

// Vectors along the row that all rows share: what is read, and what is computed from that alone.
static int64_t count_columns(const strata_gpu_rows_t *r) {
  const strata_kernel_t *kernel = r->s->kernel;
  MlirBlock entry = strata_func_body(kernel->func);
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue buffer = mlirBlockGetArgument(entry, i);
    count += (int64_t)strata_memref_likely_bytes(&r->s->symbols, mlirValueGetType(buffer)) /
                 strata_element_bytes(strata_problem_element(buffer)) ==
             r->length;
  }
  for (int i = 0; i < kernel->n_nests; i++) {
    const strata_nest_t *nest = &kernel->nests[i];
    count += strata_gpu_likely_points(r->s, nest, STRATA_MAP_NO_DIM) == r->length && !nest->n_reduction;
  }
  return count;
}

// Teams of a block, a power of two, each of |threads|, that carry out tasks of |block| rows in turn, each fetched while
// another is computed on, by registers and shared memory: what is fetched, what crosses once more, what the rows share.
static int64_t teams_in_turn(const strata_gpu_rows_t *r, int64_t block, int64_t threads) {
  enum { F32_BYTES = 4 };
  const strata_gpu_device_t *device = r->s->device;
  int64_t row = strata_gpu_row_bytes(r) + (r->length + STRATA_ACCESS_BYTES) * F32_BYTES;
  int64_t bytes = row * block + count_columns(r) * r->length * F32_BYTES;
  int64_t held = strata_min(device->registers / SECTOR_REGISTERS, device->max_threads) / threads;
  int64_t most = strata_min(device->shared_bytes / bytes, held), teams = strata_power_of_two_from(most);
  return teams > most ? teams / 2 : teams;
}

// Rows that lie in a sector of what is contiguous along the rows' dim, a warp each, if there are many and long ones.
static bool schedule_sectors(const strata_gpu_rows_t *r, int64_t width, strata_schedule_t *out) {
  const strata_gpu_device_t *device = r->s->device;
  int64_t crossed = strata_gpu_likely(r->s, r->rows->sizes[r->rows->crossed]);
  int64_t block = width * STRATA_SECTOR / STRATA_ACCESS_BYTES,
          n_tasks = r->n_rows / crossed * strata_ceil_div(crossed, block);
  int64_t threads =
      strata_power_of_two_from(block * strata_max(device->lanes, strata_ceil_div(r->length, SECTOR_ELEMENTS)));
  if (!(device->copies == STRATA_GPU_COPIES_THREADS || *device->mma_async) || threads > device->max_threads / 2 ||
      r->length < device->lanes * width)
    return false;
  int64_t teams = teams_in_turn(r, block, threads);
  if (teams == 0 || n_tasks <= device->n_processors * teams)
    return false;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ROWS,
                             .threads = threads * teams,
                             .group = threads,
                             .blocks = device->n_processors,
                             .n_tile = 2,
                             .tile = {r->length, block}};
  return true;
}

bool strata_gpu_crossed_form(const strata_gpu_rows_t *r, int64_t block, strata_schedule_t *out) {
  int64_t most = r->s->device->max_threads;
  int64_t threads = strata_min(most, strata_power_of_two_from(strata_ceil_div(r->length * block, CROSSED_ELEMENTS)));
  if (block <= 1 || r->length * block > most * CROSSED_ELEMENTS || threads < r->s->device->lanes)
    return false;
  *out = (strata_schedule_t){
      .kind = STRATA_KERNEL_ROWS, .threads = threads, .group = threads, .n_tile = 2, .tile = {r->length, block}};
  return true;
}

bool strata_gpu_schedule_crossed(const strata_gpu_rows_t *r, strata_schedule_t *out) {
  int64_t block = strata_gpu_access_width(r->s), most = r->s->device->max_threads;
  if (r->rows->crossed == STRATA_NOT_A_ROW || !strata_gpu_is_plain_row(r))
    return false;
  if (schedule_sectors(r, block, out))
    return true;
  block = strata_min(block, strata_size_max(r->rows->sizes[r->rows->crossed]));
  while (block > 1 && r->length * block > most * CROSSED_ELEMENTS)
    block /= 2;
  return strata_gpu_crossed_form(r, block, out);
}
