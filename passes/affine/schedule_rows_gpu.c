// Rows on GPUs: how many threads have one, or one thread several, and where it lies meanwhile.
//
//   a softmax over rows of 768 f32   {kind = "rows", threads = 128, group = 32, tile = [768]}
//   the same of 131072               {kind = "rows", threads = 512, group = 4096, tile = [131072]}
//   column sums of f16               {kind = "rows", threads = 128, group = 1, tile = [8]}
//
#include "passes/affine/gpu_forms.h"

#include "dialects/integers.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/problem.h"

#include <string.h>

enum {
  ROW_ELEMENTS = 32,        // of a row that one thread of a warp holds at most
  ROW_ELEMENTS_BLOCK = 16,  // the same of larger groups; twice as many where they meet more than once
  ROW_ELEMENTS_MASKED = 24, // of a row whose length varies, by a thread of a warp
  ROW_ELEMENTS_TRIED = 64,  // of a row, by a thread, in what is measured
  LIVE_VALUES = 3,          // registers that an element of a row takes
  CLUSTER_THREADS = 512,    // of a block of a cluster: two of them share a processor
  CLUSTER_ELEMENTS = 32,    // of a row that one of their threads holds at most
  KEPT_THREADS = 256,       // of a block of a cluster whose shared memory holds the row ...
  KEPT_BYTES = 32 * 1024,   // ... so much of it: four to six of them share a processor
  KEPT_ELEMENTS = 64,       // of the row that one of their threads goes through at most
  SPREAD = 8,               // rows as many times as long as the likely ones are held by a group that is larger for that
};

//===-- What is asked --------------------------------------------------------------------------------------------===//

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
static int64_t spread_elements(const strata_gpu_rows_t *r) {
  const strata_row_kernel_t *rows = r->rows;
  int64_t most = r->length, extents[STRATA_MAX_DIMS];
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    int n = rows->members[i].takes_part ? inner_extents(&rows->members[i], extents) : 0;
    int64_t longest = 1, all = 1;
    for (int dim = 0; dim < n; dim++) {
      longest = strata_max(longest, extents[dim]);
      all *= strata_power_of_two_from(extents[dim]);
    }
    if (n > 1 && strata_row_inner_elements(&rows->members[i]) == r->length)
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

bool strata_gpu_is_plain_row(const strata_gpu_rows_t *r) {
  const strata_row_kernel_t *rows = r->rows;
  int64_t shape[STRATA_MAX_DIMS], extents[STRATA_MAX_DIMS];
  int n_shape = 0;
  for (int i = 0; i < rows->kernel->n_nests; i++) {
    const strata_row_member_t *member = &rows->members[i];
    int n = member->takes_part ? inner_extents(member, extents) : 0;
    if (member->takes_part && n_shape == 0 && !is_spread(member))
      memcpy(shape, extents, sizeof *shape * (size_t)(n_shape = n));
    bool has_shape = n > 0 && n == n_shape && !memcmp(shape, extents, sizeof *shape * (size_t)n) &&
                     strata_row_inner_elements(member) == r->length;
    if (member->takes_part && !has_shape && !is_spread(member))
      return false;
    for (int j = 0; j < member->nest->n_accesses; j++)
      if (!member->nest->accesses[j].is_store && mlirValueIsABlockArgument(member->nest->accesses[j].buffer) &&
          is_stored(rows->kernel, member->nest->accesses[j].buffer))
        return false;
  }
  return strata_row_kernel_fits(rows, r->length);
}

int64_t strata_gpu_row_bytes(const strata_gpu_rows_t *r) {
  const strata_kernel_t *kernel = r->s->kernel;
  MlirBlock entry = strata_func_body(kernel->func);
  int64_t bytes = 0;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(entry); i++) {
    MlirValue buffer = mlirBlockGetArgument(entry, i);
    int64_t all = (int64_t)strata_memref_likely_bytes(&r->s->symbols, mlirValueGetType(buffer));
    if (!is_stored(kernel, buffer) && all >= r->n_rows * r->length)
      bytes += all / r->n_rows;
  }
  return bytes;
}

//===-- Results side by side -------------------------------------------------------------------------------------===//

// Results of neighbouring threads lie side by side; each goes through the reduction alone.
static strata_schedule_t of_threads(const strata_gpu_rows_t *r, int64_t width) {
  strata_schedule_t schedule = {
      .kind = STRATA_KERNEL_ROWS, .threads = STRATA_THREADS / 2, .group = 1, .n_tile = 1, .tile = {width}};
  strata_gpu_shrink_blocks(r->s->device, r->n_rows / width, &schedule);
  return schedule;
}

static int64_t most_across(const strata_gpu_rows_t *r) {
  return strata_gpu_dividing(strata_gpu_access_width(r->s), r->rows->sizes[r->rows->across]);
}

static strata_schedule_t choose_across(const strata_gpu_rows_t *r) {
  int64_t width = most_across(r);
  while (width > 1 && r->n_rows / width < (int64_t)r->s->device->n_processors * STRATA_THREADS)
    width /= 2;
  return of_threads(r, width);
}

static void add_across(const strata_gpu_rows_t *r, strata_gpu_forms_t *forms) {
  for (int64_t width = most_across(r); width > 0; width /= 2) {
    strata_schedule_t schedule = of_threads(r, width);
    strata_gpu_forms_add(forms, &schedule);
  }
  const strata_schedule_t chosen = forms->of[0];
  strata_gpu_forms_add_blocks(r->s->device, forms, &chosen);
}

//===-- A row of a group of threads ------------------------------------------------------------------------------===//

static int n_reductions(const strata_kernel_t *kernel) {
  int count = 0;
  for (int i = 0; i < kernel->n_nests; i++)
    count += kernel->nests[i].n_reduction > 0;
  return count;
}

// Threads for a row of |length|: a part of a warp or a warp where that can hold it, else a whole block; more where
// rows are few, fewer where they meet more often.
static int64_t group_of(const strata_gpu_rows_t *r, int64_t length, int64_t width) {
  const strata_gpu_device_t *device = r->s->device;
  int64_t elements = n_reductions(r->s->kernel) > 1 ? 2 * ROW_ELEMENTS_BLOCK : ROW_ELEMENTS_BLOCK;
  int64_t group = strata_min(device->lanes, strata_power_of_two_from(strata_ceil_div(length, width)));
  if (strata_ceil_div(length, group) > ROW_ELEMENTS)
    while (group < device->max_threads && strata_ceil_div(length, group) > elements)
      group *= 2;
  while (r->n_rows <= strata_gpu_few_rows(device, group) && group < device->max_threads &&
         length / (2 * group) >= width)
    group *= 2;
  return group;
}

// What a group has of a row: all of it, or, where its registers do not hold that, so much at a time.
static strata_schedule_t of_group(const strata_gpu_rows_t *r, int64_t group, int64_t elements) {
  bool is_block = group > r->s->device->lanes;
  strata_schedule_t schedule = {
      .kind = STRATA_KERNEL_ROWS, .threads = is_block ? group : STRATA_THREADS / 2, .group = group};
  schedule.n_tile = 1;
  schedule.tile[0] = elements;
  if (!is_block)
    strata_gpu_shrink_blocks(r->s->device, r->n_rows, &schedule);
  return schedule;
}

static int64_t elements_at_a_time(int64_t group, int64_t width) { return group * width * 4; }

// The same of a cluster of |blocks|.
static strata_schedule_t of_cluster(const strata_gpu_rows_t *r, int64_t threads, int64_t blocks, bool is_kept) {
  strata_schedule_t schedule = {
      .kind = STRATA_KERNEL_ROWS, .threads = threads, .group = threads * blocks, .slots = is_kept};
  schedule.n_tile = 1;
  schedule.tile[0] = r->length;
  return schedule;
}

// The blocks of a cluster that hold a row; 1 where they cannot.
static int64_t cluster_blocks(const strata_gpu_rows_t *r) {
  int64_t blocks = strata_power_of_two_from(strata_ceil_div(r->length, CLUSTER_THREADS * CLUSTER_ELEMENTS));
  return blocks > 1 && blocks <= r->s->device->max_cluster && strata_gpu_is_plain_row(r) ? blocks : 1;
}

// Rows that several nests go through, in the shared memory of a cluster, whose threads hold |spread| elements.
static int64_t kept_bytes(const strata_gpu_rows_t *r, int64_t spread) {
  return strata_gpu_row_bytes(r) / r->length * spread;
}

static int64_t kept_threads(const strata_gpu_rows_t *r, int64_t spread, int64_t blocks) {
  int64_t threads = KEPT_THREADS;
  while (threads < r->s->device->max_threads && strata_ceil_div(spread, threads * blocks) > KEPT_ELEMENTS)
    threads *= 2;
  return threads;
}

// False where they do not fit.
static bool can_be_kept(const strata_gpu_rows_t *r, int64_t spread, int64_t blocks) {
  const strata_gpu_device_t *device = r->s->device;
  int n_nests = 0;
  for (int i = 0; i < r->s->kernel->n_nests; i++)
    n_nests += r->rows->members[i].takes_part;
  return n_nests > 1 && blocks > 1 &&
         kept_bytes(r, spread) <= blocks * (strata_gpu_cluster_row_bytes(device) / device->max_cluster) &&
         spread <= strata_gpu_cluster_row_elements(device) / device->max_cluster * blocks && strata_gpu_is_plain_row(r);
}

static bool choose_kept(const strata_gpu_rows_t *r, int64_t spread, strata_schedule_t *out) {
  const strata_gpu_device_t *device = r->s->device;
  int64_t blocks = strata_power_of_two_from(strata_ceil_div(kept_bytes(r, spread), KEPT_BYTES));
  while (blocks < device->max_cluster && r->n_rows * blocks < 2 * device->n_processors)
    blocks *= 2;
  blocks = strata_min(blocks, device->max_cluster);
  *out = of_cluster(r, kept_threads(r, spread, blocks), blocks, true);
  return can_be_kept(r, spread, blocks);
}

static int64_t held_elements(const strata_gpu_rows_t *r, int64_t group, int64_t width) {
  return strata_max(strata_gpu_row_elements(r->s->device) / group, width);
}

static strata_schedule_t choose_inner(const strata_gpu_rows_t *r) {
  int64_t width = strata_gpu_access_width(r->s), spread = spread_elements(r), group = group_of(r, spread, width);
  strata_schedule_t schedule;
  if (strata_gpu_schedule_crossed(r, &schedule))
    return schedule;
  bool is_held = strata_ceil_div(spread, group) <= held_elements(r, group, width);
  if (!is_held && choose_kept(r, spread, &schedule))
    return schedule;
  int64_t blocks = is_held ? 1 : cluster_blocks(r);
  if (blocks > 1)
    return of_cluster(r, CLUSTER_THREADS, blocks, false);
  return of_group(r, group, is_held ? r->length : elements_at_a_time(group, width));
}

static void add_group(const strata_gpu_rows_t *r, int64_t group, bool is_held, strata_gpu_forms_t *forms) {
  if (group < 2 || group > r->s->device->max_threads)
    return;
  int64_t width = strata_gpu_access_width(r->s), elements = elements_at_a_time(group, width);
  int64_t most = strata_min(ROW_ELEMENTS_TRIED, held_elements(r, group, width));
  bool is_right = is_held ? strata_ceil_div(spread_elements(r), group) <= most : elements < r->length;
  strata_schedule_t schedule = of_group(r, group, is_held ? r->length : elements);
  if (is_right)
    strata_gpu_forms_add(forms, &schedule);
}

// Where each thread of them still has an access.
static void add_clusters(const strata_gpu_rows_t *r, strata_gpu_forms_t *forms) {
  int64_t width = strata_gpu_access_width(r->s), spread = spread_elements(r);
  for (int64_t blocks = 2; blocks <= r->s->device->max_cluster; blocks *= 2) {
    strata_schedule_t kept = of_cluster(r, kept_threads(r, spread, blocks), blocks, true),
                      held = of_cluster(r, CLUSTER_THREADS, blocks, false);
    bool holds = strata_ceil_div(spread, held.group) <= CLUSTER_ELEMENTS && strata_gpu_is_plain_row(r);
    if (spread >= kept.group * width && can_be_kept(r, spread, blocks))
      strata_gpu_forms_add(forms, &kept);
    if (spread >= held.group * width && holds)
      strata_gpu_forms_add(forms, &held);
  }
}

static void add_crossed(const strata_gpu_rows_t *r, strata_gpu_forms_t *forms) {
  int64_t most = strata_min(strata_gpu_access_width(r->s), strata_size_max(r->rows->sizes[r->rows->crossed]));
  strata_schedule_t schedule;
  for (int64_t block = most; block > 1 && strata_gpu_is_plain_row(r); block /= 2)
    if (strata_gpu_crossed_form(r, block, &schedule))
      strata_gpu_forms_add(forms, &schedule);
}

// Other groups, read once and, by the last of them, by each nest anew; then clusters, and blocks of other sizes.
static void add_inner(const strata_gpu_rows_t *r, strata_gpu_forms_t *forms) {
  int64_t group = group_of(r, spread_elements(r), strata_gpu_access_width(r->s));
  const strata_schedule_t chosen = forms->of[0];
  if (r->rows->crossed != STRATA_NOT_A_ROW)
    add_crossed(r, forms);
  add_group(r, group, true, forms);
  add_group(r, 2 * group, true, forms);
  add_group(r, group / 2, true, forms);
  add_group(r, group, false, forms);
  add_clusters(r, forms);
  add_group(r, 4 * group, true, forms);
  add_group(r, group / 4, true, forms);
  if (chosen.group <= r->s->device->lanes)
    strata_gpu_forms_add_blocks(r->s->device, forms, &chosen);
}

//===-- Lengths that vary ----------------------------------------------------------------------------------------===//

int64_t strata_gpu_held_elements(const strata_gpu_device_t *device, int64_t group) {
  return group * (group > device->lanes ? ROW_ELEMENTS_BLOCK : ROW_ELEMENTS_MASKED);
}

int64_t strata_gpu_row_elements(const strata_gpu_device_t *device) { return device->registers / LIVE_VALUES; }

// True if rows begin at multiples of |width| elements whatever the sizes are: else each element is accessed by itself.
static bool are_aligned(const strata_gpu_rows_t *r, int64_t width) {
  const strata_kernel_t *kernel = r->s->kernel;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++) {
      MlirValue buffer = kernel->nests[i].accesses[j].buffer;
      intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(buffer));
      bool has_rows = rank > 1 && mlirValueIsABlockArgument(buffer);
      if (has_rows &&
          !strata_size_divides(
              width, strata_size_of_expr(&r->s->symbols, strata_type_dim(mlirValueGetType(buffer), rank - 1))))
        return false;
    }
  return true;
}

// Rows whose length varies: those up to a tile, which a group holds, are one masked vector; longer ones are gone
// through tile by tile. Where the longest fit, there are no others. Of rows that begin anywhere each element takes a
// thread several instructions: where they are few, more threads of a warp have one.
static strata_schedule_t choose_lengths(const strata_gpu_rows_t *r) {
  const strata_gpu_device_t *device = r->s->device;
  int64_t width = strata_gpu_access_width(r->s), most = strata_min(strata_row_kernel_most_elements(r->rows), INT32_MAX);
  int64_t least = strata_min(device->lanes, strata_power_of_two_from(strata_ceil_div(most, width)));
  int64_t group = strata_max(least, group_of(r, r->length, width));
  while (r->n_rows < device->n_processors && group < strata_min(STRATA_THREADS, most / width))
    group *= 2;
  while (r->n_rows <= strata_gpu_few_rows(device, 2 * group) && group < device->lanes && most >= 2 * group &&
         !are_aligned(r, width))
    group *= 2;
  while (most <= SPREAD * r->length && group < device->max_threads && most > strata_gpu_held_elements(device, group))
    group *= 2;
  bool are_held = most <= strata_gpu_held_elements(device, group);
  return of_group(r, group, are_held ? most : group * ROW_ELEMENTS_BLOCK);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

// Rows of which there are likely |most_rows| at most; false if the kernel is none of rows.
static bool read_rows(const strata_scheduling_t *s, int64_t most_rows, strata_row_kernel_t *rows,
                      strata_gpu_rows_t *out) {
  if (!strata_gpu_is_taken(strata_row_kernel_read(s->kernel, rows)))
    return false;
  *out = (strata_gpu_rows_t){.s = s, .rows = rows, .n_rows = 1, .length = 1};
  for (int row = 0; row < rows->n_rows; row++)
    out->n_rows = strata_times(out->n_rows, strata_gpu_likely(s, rows->sizes[row]));
  out->n_rows = strata_min(out->n_rows, most_rows);
  for (int i = 0; i < s->kernel->n_nests; i++)
    if (rows->members[i].takes_part)
      out->length = strata_max(out->length, strata_row_inner_elements(&rows->members[i]));
  return true;
}

static strata_status_t choose_rows(const strata_scheduling_t *s, int64_t most_rows, strata_schedule_t *out,
                                   bool *out_taken) {
  strata_row_kernel_t rows;
  strata_gpu_rows_t r;
  *out_taken = read_rows(s, most_rows, &rows, &r);
  if (*out_taken)
    *out = rows.across != STRATA_NOT_A_ROW         ? choose_across(&r)
           : strata_row_kernel_lengths_vary(&rows) ? choose_lengths(&r)
                                                   : choose_inner(&r);
  return NULL;
}

strata_status_t strata_gpu_rows(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  return choose_rows(s, INT64_MAX, out, out_taken);
}

int64_t strata_gpu_few_rows(const strata_gpu_device_t *device, int64_t group) {
  return ((int64_t)device->n_processors * STRATA_THREADS - 1) / group;
}

strata_status_t strata_gpu_choose_few_rows(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  int64_t few = strata_gpu_few_rows(s->device, strata_schedule_read(s->called->func).group);
  return choose_rows(s, strata_max(1, few / 2), out, out_taken);
}

static strata_status_t add_forms(const strata_scheduling_t *s, strata_gpu_forms_t *forms) {
  strata_row_kernel_t rows;
  strata_gpu_rows_t r;
  if (!read_rows(s, INT64_MAX, &rows, &r))
    return NULL;
  if (rows.across != STRATA_NOT_A_ROW)
    add_across(&r, forms);
  else
    add_inner(&r, forms);
  return NULL;
}

strata_status_t strata_work_rows_gpu(const strata_scheduling_t *s, strata_work_t *out) {
  return strata_gpu_read_forms(s, STRATA_KERNEL_ROWS, strata_gpu_rows, add_forms, out);
}
