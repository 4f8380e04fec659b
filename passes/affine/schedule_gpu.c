// Kinds and sizes of kernels for GPUs: see schedule_gpu.h.
//
//   an addition of 1 << 20 f32       {kind = "map", threads = 256, group = 256, tile = [4096]}
//   the same of rows of 12           {kind = "map", threads = 256, group = 1, tile = [4]}
//   a transposition                  {kind = "map", threads = 128, group = 128, tile = [64, 128]}
//   a softmax over rows of 768 f32   {kind = "rows", threads = 128, group = 32, tile = [768]}
//   the same of 131072               {kind = "rows", threads = 512, group = 4096, tile = [131072]}
//   rows of 1024 that add a transpose {kind = "rows", threads = 512, group = 256, blocks = 132, tile = [1024, 8]}
//   column sums of f16               {kind = "rows", threads = 128, group = 1, tile = [8]}
//
// What decides: accesses are 16 bytes a thread; the threads of the card are to be busy; what a group of threads keeps
// fits its registers.
#include "passes/affine/schedule_gpu.h"

#include "dialects/affine/map_kernel.h"
#include "dialects/affine/row_kernel.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "passes/affine/kinds.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/parallel.h"
#include "passes/affine/problem.h"
#include "passes/affine/quantised.h"
#include "passes/affine/schedule_file.h"
#include "passes/affine/tuned.h"
#include "passes/affine/variant_budget.h"

enum {
  ACCESS_BYTES = 16,        // of one thread at once
  THREADS = 256,            // of a block, unless it says otherwise
  MIN_THREADS = 64,         // of a block of a small kernel
  CROSSING = 64,            // rows and columns of a transposition's tile: the latter twice as many
  CROSSING_WIDTH = 8,       // of the square that a thread turns in registers, at most
  MIN_CROSSING = 16,        // shorter dims are not worth turning
  ROW_ELEMENTS = 32,        // of a row that one thread of a warp holds at most
  ROW_ELEMENTS_BLOCK = 16,  // the same of larger groups; twice as many where they meet more than once
  ROW_ELEMENTS_MASKED = 24, // of a row whose length varies, by a thread of a warp
  LIVE_VALUES = 3,          // registers that an element of a row takes
  CLUSTER_THREADS = 512,    // of a block of a cluster: two of them share a processor
  CLUSTER_ELEMENTS = 32,    // of a row that one of their threads holds at most
  KEPT_THREADS = 256,       // of a block of a cluster whose shared memory holds the row ...
  KEPT_BYTES = 32 * 1024,   // ... so much of it: four to six of them share a processor
  KEPT_ELEMENTS = 64,       // of the row that one of their threads goes through at most
  CROSSED_ELEMENTS = 16,    // of several rows that a thread holds
  SECTOR_ELEMENTS = 32,   // of what lies across the rows, read by sectors: each row has a warp of so many a thread ...
  SECTOR_REGISTERS = 128, // ... in so many registers
  SPREAD = 8,             // rows as many times as long as the likely ones are held by a group that is larger for that
};

typedef strata_scheduling_t gpu_kernel_t;

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

// Where sizes vary, costs are those of likely ones.
static int64_t likely(const gpu_kernel_t *k, strata_size_t size) {
  return strata_max(1, strata_size_likely(&k->symbols, size));
}

// The likely number of points of a nest's parallel dims but |but|.
static int64_t likely_points(const gpu_kernel_t *k, const strata_nest_t *nest, int but) {
  int64_t points = 1;
  for (int dim = 0; dim < nest->n_parallel; dim++)
    points = strata_times(points, dim == but ? 1 : likely(k, nest->space.sizes[dim]));
  return points;
}

// The greatest power of two up to |width| that divides the size, whatever it is.
static int64_t dividing(int64_t width, strata_size_t size) {
  while (!strata_size_divides(width, size))
    width /= 2;
  return width;
}

//===-- What a kernel moves --------------------------------------------------------------------------------------===//

// Elements in 16 bytes of the type in which most bytes come and go; *out_operands counts the buffers read.
static int64_t access_width(const gpu_kernel_t *k, int *out_operands) {
  const strata_kernel_t *kernel = k->kernel;
  double bytes[STRATA_MAX_DIMS] = {0};
  int64_t best = 1;
  *out_operands = 0;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel->nests[i].accesses[j];
      int64_t width = strata_problem_bytes(strata_problem_element(access->buffer));
      if (!mlirValueIsABlockArgument(access->buffer) || width > ACCESS_BYTES)
        continue;
      bytes[width] += strata_memref_likely_bytes(&k->symbols, mlirValueGetType(access->buffer));
      best = bytes[width] > bytes[best] ? width : best;
      *out_operands += !access->is_store;
    }
  return ACCESS_BYTES / best;
}

int64_t strata_gpu_access_width(const strata_scheduling_t *s) {
  int n_operands;
  return access_width(s, &n_operands);
}

//===-- Maps -----------------------------------------------------------------------------------------------------===//

static void shrink_blocks(const strata_gpu_device_t *device, int64_t n_tasks, strata_schedule_t *schedule) {
  while (schedule->threads > MIN_THREADS &&
         strata_ceil_div(n_tasks, schedule->threads / schedule->group) < device->n_processors)
    schedule->threads /= 2;
}

// A block a tile, tiles of about equal length, where that is known: one access a thread, and as many threads as there
// is room for.
static void schedule_long_map(const gpu_kernel_t *k, int64_t outer, strata_size_t size, int64_t width,
                              strata_schedule_t *out) {
  int64_t threads = THREADS, extent = likely(k, size);
  while (threads > MIN_THREADS && outer * strata_ceil_div(extent, threads * width) < k->device->n_processors)
    threads /= 2;
  int64_t n_tiles = strata_ceil_div(extent, threads * width);
  int64_t tile = strata_round_up(strata_ceil_div(extent, n_tiles), width * k->device->lanes);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_MAP, .threads = threads, .group = threads, .n_tile = 1};
  out->tile[0] = strata_min(strata_size_varies(size) ? threads * width : tile, strata_size_max(size));
}

// Tiles of a block, whose threads turn small squares in registers; false where the dims are too short for that.
static bool schedule_crossing(const gpu_kernel_t *k, const strata_map_kernel_t *map, int64_t points,
                              strata_schedule_t *out) {
  if (map->cross_dim == STRATA_MAP_NO_DIM)
    return false;
  strata_size_t extents[2] = {map->space->space.sizes[map->vector_dim], map->space->space.sizes[map->cross_dim]};
  if (strata_min(likely(k, extents[0]), likely(k, extents[1])) < MIN_CROSSING)
    return false;
  int n_operands;
  int64_t width = strata_min(access_width(k, &n_operands), CROSSING_WIDTH), threads = 1;
  int64_t side = points / (2 * CROSSING * CROSSING) < 2 * k->device->n_processors ? CROSSING / 2 : CROSSING;
  *out = (strata_schedule_t){
      .kind = STRATA_KERNEL_MAP,
      .n_tile = 2,
      .tile = {strata_min(side, strata_size_max(extents[0])), strata_min(2 * side, strata_size_max(extents[1]))},
  };
  for (int i = 0; i < 2; i++)
    threads *= strata_power_of_two_from(strata_ceil_div(out->tile[i], width));
  out->threads = out->group = strata_min(strata_max(threads, k->device->lanes), THREADS);
  return true;
}

static void schedule_map(const gpu_kernel_t *k, const strata_map_kernel_t *map, strata_schedule_t *out) {
  int n_operands;
  strata_size_t size = map->space->space.sizes[map->vector_dim];
  int64_t width = access_width(k, &n_operands), extent = likely(k, size),
          outer = likely_points(k, map->space, map->vector_dim);
  if (schedule_crossing(k, map, outer * extent, out))
    return;
  // Tiles of a block want to be well filled.
  int64_t block = THREADS * width, filled = strata_round_up(extent, block);
  if (extent >= block / 2 && (!strata_size_divides(width, size) || outer == 1 || filled - extent <= filled / 8)) {
    schedule_long_map(k, outer, size, width, out);
    return;
  }
  width = dividing(width, size);
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_MAP, .threads = THREADS, .group = 1, .n_tile = 1, .tile = {width}};
  shrink_blocks(k->device, outer * extent / width, out);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

// Results of neighbouring threads lie side by side; each goes through the reduction alone.
static void schedule_across(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows,
                            strata_schedule_t *out) {
  int n_operands;
  int64_t width = dividing(access_width(k, &n_operands), rows->sizes[rows->across]);
  while (width > 1 && n_rows / width < (int64_t)k->device->n_processors * THREADS)
    width /= 2;
  *out =
      (strata_schedule_t){.kind = STRATA_KERNEL_ROWS, .threads = THREADS / 2, .group = 1, .n_tile = 1, .tile = {width}};
  shrink_blocks(k->device, n_rows / width, out);
}

static int n_reductions(const gpu_kernel_t *k) {
  int count = 0;
  for (int i = 0; i < k->kernel->n_nests; i++)
    count += k->kernel->nests[i].n_reduction > 0;
  return count;
}

// Threads for a row: a part of a warp or a warp where that can hold it, else a whole block; more where rows are few,
// fewer where they meet more often.
static int64_t group_of(const gpu_kernel_t *k, int64_t n_rows, int64_t length, int64_t width) {
  const strata_gpu_device_t *device = k->device;
  int64_t elements = n_reductions(k) > 1 ? 2 * ROW_ELEMENTS_BLOCK : ROW_ELEMENTS_BLOCK;
  int64_t group = strata_min(device->lanes, strata_power_of_two_from(strata_ceil_div(length, width)));
  if (strata_ceil_div(length, group) > ROW_ELEMENTS)
    while (group < device->max_threads && strata_ceil_div(length, group) > elements)
      group *= 2;
  while (n_rows <= strata_gpu_few_rows(device, group) && group < device->max_threads && length / (2 * group) >= width)
    group *= 2;
  return group;
}

static bool is_stored(const strata_kernel_t *kernel, MlirValue buffer) {
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++)
      if (kernel->nests[i].accesses[j].is_store && mlirValueEqual(kernel->nests[i].accesses[j].buffer, buffer))
        return true;
  return false;
}

// The extents of a member's inner dims longer than 1; their number.
static int inner_extents(const strata_row_member_t *member, int64_t *out_extents) {
  int count = 0;
  for (int dim = 0; dim < member->nest->n_parallel + member->nest->n_reduction; dim++)
    if (member->row_of[dim] == STRATA_NOT_A_ROW && !strata_size_is_one(member->nest->space.sizes[dim]))
      out_extents[count++] = strata_nest_static_extent(member->nest, dim);
  return count;
}

// Elements that threads hold of a row of |length|: of several dims, all but the longest take powers of two of them.
static int64_t spread_elements(const strata_row_kernel_t *rows, int64_t length) {
  int64_t most = length, extents[STRATA_MAX_DIMS];
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    int n = rows->members[i].takes_part ? inner_extents(&rows->members[i], extents) : 0;
    int64_t longest = 1, all = 1;
    for (int dim = 0; dim < n; dim++) {
      longest = strata_max(longest, extents[dim]);
      all *= strata_power_of_two_from(extents[dim]);
    }
    if (n > 1 && strata_row_inner_elements(&rows->members[i]) == length)
      most = strata_max(most, all / strata_power_of_two_from(longest) * longest);
  }
  return most;
}

// True of a nest that gives a few elements of a row values that the row has one of, or that lie in memory.
static bool is_spread(const strata_row_member_t *member) {
  const strata_nest_t *nest = member->nest;
  bool is_alike = nest->n_reduction == 0;
  for (int i = 0; i < nest->n_accesses; i++)
    for (int dim = 0; dim < nest->n_parallel; dim++) {
      int64_t stride;
      bool is_inner = member->row_of[dim] == STRATA_NOT_A_ROW && !strata_size_is_one(nest->space.sizes[dim]);
      if (is_inner && !nest->accesses[i].is_store && !mlirValueIsABlockArgument(nest->accesses[i].buffer))
        is_alike &= strata_access_stride(nest, &nest->accesses[i], dim, &stride) && stride == 0;
    }
  return is_alike;
}

// True where nests walk the row's elements one for one, and none reads from memory what another stores: then only
// reductions pass from thread to thread.
static bool is_plain_row(const strata_row_kernel_t *rows, int64_t length) {
  int64_t shape[STRATA_MAX_DIMS], extents[STRATA_MAX_DIMS];
  int n_shape = 0;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    int n = member->takes_part ? inner_extents(member, extents) : 0;
    if (member->takes_part && n_shape == 0 && !is_spread(member))
      memcpy(shape, extents, sizeof *shape * (size_t)(n_shape = n));
    bool has_shape = n > 0 && n == n_shape && !memcmp(shape, extents, sizeof *shape * (size_t)n) &&
                     strata_row_inner_elements(member) == length;
    if (member->takes_part && !has_shape && !is_spread(member))
      return false;
    for (int j = 0; j < member->nest->n_accesses; j++)
      if (!member->nest->accesses[j].is_store && mlirValueIsABlockArgument(member->nest->accesses[j].buffer) &&
          is_stored(rows->kernel, member->nest->accesses[j].buffer))
        return false;
  }
  return strata_row_kernel_fits(rows, length);
}

// The blocks of a cluster that hold a row; 1 where they cannot.
static int64_t cluster_of(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t length) {
  int64_t blocks = strata_power_of_two_from(strata_ceil_div(length, CLUSTER_THREADS * CLUSTER_ELEMENTS));
  return blocks > 1 && blocks <= k->device->max_cluster && is_plain_row(rows, length) ? blocks : 1;
}

// Bytes of a row of what is read as a whole.
static int64_t row_bytes(const gpu_kernel_t *k, int64_t n_rows, int64_t length) {
  MlirBlock entry = strata_func_body(k->kernel->func);
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue buffer = mlirBlockGetArgument(entry, i);
    int64_t all = (int64_t)strata_memref_likely_bytes(&k->symbols, mlirValueGetType(buffer));
    if (!is_stored(k->kernel, buffer) && all >= n_rows * length)
      bytes += all / n_rows;
  }
  return bytes;
}

// Rows that several nests go through, in the shared memory of a cluster, whose threads hold |spread| elements. False
// where they do not fit.
static bool schedule_kept(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows, int64_t length,
                          int64_t spread, strata_schedule_t *out) {
  int n_nests = 0;
  for (int i = 0; i < k->kernel->n_nests; i++)
    n_nests += rows->members[i].takes_part;
  int64_t bytes = row_bytes(k, n_rows, length) / length * spread,
          blocks = strata_power_of_two_from(strata_ceil_div(bytes, KEPT_BYTES));
  while (blocks < k->device->max_cluster && n_rows * blocks < 2 * k->device->n_processors)
    blocks *= 2;
  blocks = strata_min(blocks, k->device->max_cluster);
  int64_t threads = KEPT_THREADS;
  while (threads < k->device->max_threads && strata_ceil_div(spread, threads * blocks) > KEPT_ELEMENTS)
    threads *= 2;
  if (n_nests < 2 || blocks == 1 ||
      bytes > blocks * (strata_gpu_cluster_row_bytes(k->device) / k->device->max_cluster) ||
      spread > strata_gpu_cluster_row_elements(k->device) / k->device->max_cluster * blocks ||
      !is_plain_row(rows, length))
    return false;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ROWS, .threads = threads, .group = threads * blocks, .slots = 1};
  out->n_tile = 1;
  out->tile[0] = length;
  return true;
}

// Vectors along the row that all rows share: what is read, and what is computed from that alone.
static int64_t count_columns(const gpu_kernel_t *k, int64_t length) {
  MlirBlock entry = strata_func_body(k->kernel->func);
  int64_t count = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue buffer = mlirBlockGetArgument(entry, i);
    count += (int64_t)strata_memref_likely_bytes(&k->symbols, mlirValueGetType(buffer)) /
                 strata_problem_bytes(strata_problem_element(buffer)) ==
             length;
  }
  for (int i = 0; i < k->kernel->n_nests; i++) {
    const strata_nest_t *nest = &k->kernel->nests[i];
    count += likely_points(k, nest, STRATA_MAP_NO_DIM) == length && !nest->n_reduction;
  }
  return count;
}

// Teams of a block, a power of two, each of |threads|, that carry out tasks of |block| rows in turn, each fetched while
// another is computed on, by registers and shared memory: what is fetched, what crosses once more, what the rows share.
static int64_t teams_in_turn(const gpu_kernel_t *k, int64_t n_rows, int64_t length, int64_t block, int64_t threads) {
  enum { F32_BYTES = 4 };
  int64_t row = row_bytes(k, n_rows, length) + (length + ACCESS_BYTES) * F32_BYTES;
  int64_t bytes = row * block + count_columns(k, length) * length * F32_BYTES;
  int64_t held = strata_min(k->device->registers / SECTOR_REGISTERS, k->device->max_threads) / threads;
  int64_t most = strata_min(k->device->shared_bytes / bytes, held), teams = strata_power_of_two_from(most);
  return teams > most ? teams / 2 : teams;
}

// Rows that lie in a sector of what is contiguous along the rows' dim, a warp each, if there are many and long ones.
static bool schedule_sectors(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows, int64_t length,
                             int64_t width, strata_schedule_t *out) {
  int64_t block = width * STRATA_SECTOR / ACCESS_BYTES, n_tasks = n_rows / likely(k, rows->sizes[rows->crossed]);
  n_tasks *= strata_ceil_div(likely(k, rows->sizes[rows->crossed]), block);
  int64_t threads =
      strata_power_of_two_from(block * strata_max(k->device->lanes, strata_ceil_div(length, SECTOR_ELEMENTS)));
  if (!(k->device->copies == STRATA_GPU_COPIES_THREADS || *k->device->mma_async) ||
      threads > k->device->max_threads / 2 || length < k->device->lanes * width)
    return false;
  int64_t teams = teams_in_turn(k, n_rows, length, block, threads);
  if (teams == 0 || n_tasks <= k->device->n_processors * teams)
    return false;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ROWS,
                             .threads = threads * teams,
                             .group = threads,
                             .blocks = k->device->n_processors,
                             .n_tile = 2,
                             .tile = {length, block}};
  return true;
}

// As many rows of a block as lie in one access, where something is contiguous along the rows' dim: read for one row
// alone, each element would be an access, and most of what it fetches in vain. False where there is no such thing or
// registers hold too few rows.
static bool schedule_crossed(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows, int64_t length,
                             strata_schedule_t *out) {
  int n_operands;
  int64_t block = access_width(k, &n_operands), most = k->device->max_threads;
  if (rows->crossed == STRATA_NOT_A_ROW || !is_plain_row(rows, length))
    return false;
  if (schedule_sectors(k, rows, n_rows, length, block, out))
    return true;
  block = strata_min(block, strata_size_max(rows->sizes[rows->crossed]));
  while (block > 1 && length * block > most * CROSSED_ELEMENTS)
    block /= 2;
  int64_t threads = strata_min(most, strata_power_of_two_from(strata_ceil_div(length * block, CROSSED_ELEMENTS)));
  if (block == 1 || threads < k->device->lanes)
    return false;
  *out = (strata_schedule_t){
      .kind = STRATA_KERNEL_ROWS, .threads = threads, .group = threads, .n_tile = 2, .tile = {length, block}};
  return true;
}

int64_t strata_gpu_held_elements(const strata_gpu_device_t *device, int64_t group) {
  return group * (group > device->lanes ? ROW_ELEMENTS_BLOCK : ROW_ELEMENTS_MASKED);
}

int64_t strata_gpu_row_elements(const strata_gpu_device_t *device) { return device->registers / LIVE_VALUES; }

// Rows whose length varies: those up to a tile, which a group holds, are one masked vector; longer ones are gone
// through tile by tile. Where the longest fit, there are no others.
static void schedule_lengths(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows, int64_t length,
                             strata_schedule_t *out) {
  int n_operands;
  int64_t width = access_width(k, &n_operands), most = strata_min(strata_row_kernel_most_elements(rows), INT32_MAX);
  int64_t least = strata_min(k->device->lanes, strata_power_of_two_from(strata_ceil_div(most, width)));
  int64_t group = strata_max(least, group_of(k, n_rows, length, width));
  while (n_rows < k->device->n_processors && group < strata_min(THREADS, most / width))
    group *= 2;
  while (most <= SPREAD * length && group < k->device->max_threads && most > strata_gpu_held_elements(k->device, group))
    group *= 2;
  bool are_held = most <= strata_gpu_held_elements(k->device, group);
  *out = (strata_schedule_t){
      .kind = STRATA_KERNEL_ROWS, .threads = group > k->device->lanes ? group : THREADS / 2, .group = group};
  out->n_tile = 1;
  out->tile[0] = are_held ? most : group * ROW_ELEMENTS_BLOCK;
  if (group <= k->device->lanes)
    shrink_blocks(k->device, n_rows, out);
}

static void schedule_inner(const gpu_kernel_t *k, const strata_row_kernel_t *rows, int64_t n_rows, int64_t length,
                           strata_schedule_t *out) {
  int n_operands;
  int64_t width = access_width(k, &n_operands), spread = spread_elements(rows, length);
  int64_t group = group_of(k, n_rows, spread, width);
  int64_t held = strata_max(strata_gpu_row_elements(k->device) / group, width);
  if (schedule_crossed(k, rows, n_rows, length, out))
    return;
  bool is_group_a_block = group > k->device->lanes;
  bool is_held = strata_ceil_div(spread, group) <= held;
  if (!is_held && schedule_kept(k, rows, n_rows, length, spread, out))
    return;
  int64_t blocks = is_held ? 1 : cluster_of(k, rows, length);
  if (blocks > 1) {
    *out =
        (strata_schedule_t){.kind = STRATA_KERNEL_ROWS, .threads = CLUSTER_THREADS, .group = CLUSTER_THREADS * blocks};
    out->n_tile = 1;
    out->tile[0] = length;
    return;
  }
  *out = (strata_schedule_t){
      .kind = STRATA_KERNEL_ROWS, .threads = is_group_a_block ? group : THREADS / 2, .group = group};
  out->n_tile = 1;
  out->tile[0] = is_held ? length : group * width * 4;
  if (!is_group_a_block)
    shrink_blocks(k->device, n_rows, out);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

// A block a point, of loops over lanes, or a warp of a block of several: an access of a thread is 16 bytes of numbers
// of 4.
static void schedule_lanes(const gpu_kernel_t *k, int64_t lanes, int64_t n_points, strata_schedule_t *out) {
  enum { NUMBER_BYTES = 4 };
  int64_t threads = strata_power_of_two_from(lanes * NUMBER_BYTES / ACCESS_BYTES);
  out->threads = out->group = strata_max(k->device->lanes, strata_min(THREADS, threads));
  if (out->group > k->device->lanes)
    return;
  out->threads = THREADS / 2;
  shrink_blocks(k->device, n_points, out);
}

strata_status_t strata_gpu_scalar(const strata_scheduling_t *k, strata_schedule_t *out, bool *out_taken) {
  int64_t lanes = k->kernel->n_nests == 1 ? strata_nest_lanes(&k->kernel->nests[0]) : 0;
  int64_t n_points = k->kernel->n_nests == 1 ? likely_points(k, &k->kernel->nests[0], STRATA_MAP_NO_DIM) : 1;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SCALAR, .threads = THREADS / 2, .group = 1};
  *out_taken = true;
  if (lanes)
    schedule_lanes(k, lanes, n_points, out);
  else
    shrink_blocks(k->device, n_points, out);
  return NULL;
}

// Whether |status| says that a kernel is of a kind.
static bool is_taken(strata_status_t status) {
  bool is_taken = !status;
  strata_status_free(status);
  return is_taken;
}

// Rows of which there are likely |most_rows| at most.
static strata_status_t choose_rows(const gpu_kernel_t *k, int64_t most_rows, strata_schedule_t *out, bool *out_taken) {
  strata_row_kernel_t rows;
  int64_t n_rows = 1, length = 1;
  *out_taken = is_taken(strata_row_kernel_read(k->kernel, &rows));
  if (!*out_taken)
    return NULL;
  for (int row = 0; row < rows.n_rows; row++)
    n_rows = strata_times(n_rows, likely(k, rows.sizes[row]));
  n_rows = strata_min(n_rows, most_rows);
  for (int i = 0; i < k->kernel->n_nests; i++)
    if (rows.members[i].takes_part)
      length = strata_max(length, strata_row_inner_elements(&rows.members[i]));
  if (rows.across != STRATA_NOT_A_ROW)
    schedule_across(k, &rows, n_rows, out);
  else if (strata_row_kernel_lengths_vary(&rows))
    schedule_lengths(k, &rows, n_rows, length, out);
  else
    schedule_inner(k, &rows, n_rows, length, out);
  return NULL;
}

strata_status_t strata_gpu_rows(const strata_scheduling_t *k, strata_schedule_t *out, bool *out_taken) {
  return choose_rows(k, INT64_MAX, out, out_taken);
}

int64_t strata_gpu_few_rows(const strata_gpu_device_t *device, int64_t group) {
  return ((int64_t)device->n_processors * THREADS - 1) / group;
}

strata_status_t strata_gpu_choose_few_rows(const strata_scheduling_t *k, strata_schedule_t *out, bool *out_taken) {
  int64_t few = strata_gpu_few_rows(k->device, strata_schedule_read(k->called->func).group);
  return choose_rows(k, strata_max(1, few / 2), out, out_taken);
}

// One nest that copies rows found by numbers in memory runs along them.
static bool gathers_rows(const strata_kernel_t *kernel, strata_map_kernel_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  *out = (strata_map_kernel_t){
      .kernel = kernel, .space = nest, .vector_dim = nest->n_parallel - 1, .cross_dim = STRATA_MAP_NO_DIM};
  return kernel->n_nests == 1 && strata_nest_gathers_rows(nest);
}

strata_status_t strata_gpu_map(const strata_scheduling_t *k, strata_schedule_t *out, bool *out_taken) {
  strata_map_kernel_t map;
  *out_taken = gathers_rows(k->kernel, &map) || is_taken(strata_map_kernel_read(k->kernel, &map));
  if (*out_taken)
    schedule_map(k, &map, out);
  return NULL;
}

static strata_status_t schedule_once(strata_compile_t *compile, const strata_gpu_device_t *device,
                                     const strata_calls_t *calls, const strata_called_kernel_t *called,
                                     strata_schedule_file_t *file, strata_variant_budget_t *budget) {
  if (strata_schedule_read(called->func).threads)
    return NULL;
  STRATA_TRY(strata_schedule_kernel(compile, device, NULL, calls, called, budget));
  return strata_variant_budget_has(budget, called->func) ? NULL
                                                         : strata_schedule_file_apply(file, compile, device, called);
}

static strata_status_t spend_budget(strata_compile_t *compile, const strata_gpu_device_t *device,
                                    strata_schedule_file_t *file, strata_variant_budget_t *budget) {
  STRATA_TRY(strata_variant_budget_spend(compile, budget));
  for (size_t i = 0; i < budget->offers.count; i++)
    STRATA_TRY(strata_schedule_file_apply(file, compile, device, &budget->offers.data[i].called));
  return NULL;
}

// Kernels that are marked as replaced and that nobody calls any more.
static void drop_replaced(strata_compile_t *compile, const strata_calls_t *calls) {
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(compile->module)), next;
  for (; !mlirOperationIsNull(op); op = next) {
    bool is_called = false;
    next = mlirOperationGetNextInBlock(op);
    if (!strata_attr_flag(op, STRATA_REPLACED))
      continue;
    for (size_t i = 0; i < calls->kernels.count; i++)
      is_called |= mlirOperationEqual(calls->kernels.data[i].func, op);
    if (is_called)
      mlirOperationRemoveAttributeByName(op, strata_str(STRATA_REPLACED));
    else
      mlirOperationDestroy(op);
  }
}

strata_status_t strata_schedule_gpu(strata_compile_t *compile) {
  const strata_gpu_device_t *device;
  strata_schedule_file_t file;
  strata_variant_budget_t budget = {{0}};
  STRATA_TRY(strata_gpu_device(compile, &device));
  if (device->card)
    strata_explain(compile, "device %s: judged as %s, whose figures are %s", device->name, device->card,
                   device->figures_from);
  strata_calls_t calls;
  STRATA_TRY(strata_schedule_file_read(compile, device, &file));
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_parallel_find(compile, &calls));
  // Schedules may add kernels, which the next round finds.
  for (bool changed = true; changed;) {
    changed = false;
    STRATA_TRY(strata_calls_read(compile, &calls));
    for (size_t i = 0; i < calls.kernels.count; i++) {
      const strata_called_kernel_t *called = &calls.kernels.data[i], *leader;
      bool is_main;
      if (strata_schedule_read(called->func).threads)
        continue;
      changed = true;
      STRATA_TRY(strata_parallel_leader(compile, &calls, called, &leader, &is_main));
      STRATA_TRY(schedule_once(compile, device, &calls, leader, &file, &budget));
      STRATA_TRY(schedule_once(compile, device, &calls, called, &file, &budget));
    }
  }
  STRATA_TRY(strata_calls_read(compile, &calls));
  drop_replaced(compile, &calls);
  STRATA_TRY(strata_gpu_product_launches(compile, device, &calls, &budget));
  STRATA_TRY(spend_budget(compile, device, &file, &budget));
  STRATA_TRY(strata_parallel_settle(compile, &calls));
  STRATA_TRY(strata_calls_read(compile, &calls));
  STRATA_TRY(strata_tuned_apply(compile, device, &calls, &file));
  return strata_schedule_file_end(&file);
}
