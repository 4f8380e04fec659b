// See layout.h.
#include "lowering/tile_to_gpu/layout.h"

#include "dialects/integers.h"

#include <assert.h>
#include <stddef.h>

//===-- Digits ---------------------------------------------------------------------------------------------------===//

static int64_t count(int n_digits, const strata_digit_t *digits) {
  int64_t product = 1;
  for (int i = 0; i < n_digits; i++)
    product *= digits[i].extent;
  return product;
}

static int64_t coordinate(int n_digits, const strata_digit_t *digits, int64_t number, int dim) {
  int64_t sum = 0;
  for (int i = 0; i < n_digits; number /= digits[i++].extent)
    if (digits[i].dim == dim)
      sum += number % digits[i].extent * digits[i].stride;
  return sum;
}

static void push(strata_digit_t *digits, int *n_digits, int dim, int64_t extent, int64_t stride) {
  if (extent == 1)
    return;
  strata_digit_t *last = *n_digits > 0 ? &digits[*n_digits - 1] : NULL;
  if (last && last->dim == dim && (dim == STRATA_COPIES || stride == last->stride * last->extent)) {
    last->extent *= extent; // goes on where the last digit ends
    return;
  }
  assert(*n_digits < STRATA_LAYOUT_DIGITS);
  digits[(*n_digits)++] = (strata_digit_t){dim, extent, dim == STRATA_COPIES ? 0 : stride};
}

void strata_layout_push_reg(strata_layout_t *layout, int dim, int64_t extent, int64_t stride) {
  push(layout->reg, &layout->n_reg, dim, extent, stride);
}

void strata_layout_push_thread(strata_layout_t *layout, int dim, int64_t extent, int64_t stride) {
  push(layout->thread, &layout->n_thread, dim, extent, stride);
}

void strata_layout_push_block(strata_layout_t *layout, int dim, int64_t extent) {
  assert(layout->n_block < STRATA_BLOCK_DIGITS);
  layout->block[layout->n_block++] = (strata_digit_t){dim, extent, 1};
}

//===-- Questions ------------------------------------------------------------------------------------------------===//

int64_t strata_layout_registers(const strata_layout_t *layout) { return count(layout->n_reg, layout->reg); }
int64_t strata_layout_threads(const strata_layout_t *layout) { return count(layout->n_thread, layout->thread); }
int64_t strata_layout_blocks(const strata_layout_t *layout) { return count(layout->n_block, layout->block); }

int64_t strata_layout_blocks_along(const strata_layout_t *layout, int dim) {
  return 1 + coordinate(layout->n_block, layout->block, strata_layout_blocks(layout) - 1, dim);
}

int64_t strata_layout_reg_coordinate(const strata_layout_t *layout, int64_t reg, int dim) {
  return coordinate(layout->n_reg, layout->reg, reg, dim);
}

int64_t strata_layout_thread_coordinate(const strata_layout_t *layout, int64_t thread, int dim) {
  return coordinate(layout->n_thread, layout->thread, thread, dim);
}

int64_t strata_layout_thread_max(const strata_layout_t *layout, int dim) {
  return strata_layout_thread_coordinate(layout, strata_layout_threads(layout) - 1, dim);
}

int64_t strata_layout_width(const strata_layout_t *layout, int dim) {
  for (int i = 0; i < layout->n_reg; i++)
    if (layout->reg[i].dim == dim && layout->reg[i].stride == 1)
      return layout->reg[i].extent;
  return 1;
}

bool strata_layout_same_threads(const strata_layout_t *a, const strata_layout_t *b) {
  int64_t n_threads = strata_layout_threads(a);
  if (n_threads != strata_layout_threads(b))
    return false;
  bool has_bits = (n_threads & (n_threads - 1)) == 0; // then coordinates are sums over those of the thread's number
  for (int64_t thread = 1; thread < n_threads; thread += has_bits ? thread : 1)
    for (int dim = 0; dim < STRATA_VALUE_RANK; dim++)
      if (strata_layout_thread_coordinate(a, thread, dim) != strata_layout_thread_coordinate(b, thread, dim))
        return false;
  return true;
}

bool strata_layout_equal(const strata_layout_t *a, const strata_layout_t *b) {
  int64_t n_registers = strata_layout_registers(a);
  if (n_registers != strata_layout_registers(b) || !strata_layout_same_threads(a, b))
    return false;
  for (int64_t reg = 0; reg < n_registers; reg++)
    for (int dim = 0; dim < STRATA_VALUE_RANK; dim++)
      if (strata_layout_reg_coordinate(a, reg, dim) != strata_layout_reg_coordinate(b, reg, dim))
        return false;
  return true;
}

//===-- Making ---------------------------------------------------------------------------------------------------===//

strata_layout_t strata_layout_build(int rank, const int64_t *sizes, int64_t threads, const int *order, int64_t width) {
  strata_layout_t layout = {0};
  int64_t covered[STRATA_VALUE_RANK], all = threads;
  threads &= -threads; // of three warp groups, one
  all /= threads;
  if (rank > 0)
    strata_layout_push_reg(&layout, order[0], width, 1);
  for (int i = 0; i < rank; i++) {
    int dim = order[i];
    covered[dim] = i == 0 ? width : 1;
    int64_t across = strata_power_of_two_from(strata_ceil_div(sizes[dim], covered[dim]));
    across = strata_min(across, threads);
    strata_layout_push_thread(&layout, dim, across, covered[dim]);
    covered[dim] *= across;
    threads /= across;
  }
  for (int i = 0; i < rank; i++)
    strata_layout_push_reg(&layout, order[i], strata_ceil_div(sizes[order[i]], covered[order[i]]), covered[order[i]]);
  strata_layout_push_thread(&layout, STRATA_COPIES, threads * all, 0);
  return layout;
}

strata_layout_t strata_layout_build_crossing(const int64_t *sizes, int64_t threads, const int *dims,
                                             const int64_t *widths) {
  strata_layout_t layout = {0};
  int64_t covered[2] = {widths[0], widths[1]};
  for (int i = 0; i < 2; i++)
    strata_layout_push_reg(&layout, dims[i], widths[i], 1);
  for (int i = 0; i < 2; i++) {
    int64_t across = strata_power_of_two_from(strata_ceil_div(sizes[dims[i]], covered[i]));
    across = strata_min(across, threads);
    strata_layout_push_thread(&layout, dims[i], across, covered[i]);
    covered[i] *= across;
    threads /= across;
  }
  for (int i = 0; i < 2; i++)
    strata_layout_push_reg(&layout, dims[i], strata_ceil_div(sizes[dims[i]], covered[i]), covered[i]);
  strata_layout_push_thread(&layout, STRATA_COPIES, threads, 0);
  return layout;
}

bool strata_layout_deal(const strata_layout_t *layout, int64_t lanes, strata_layout_t *out_layout) {
  const strata_digit_t *held = &layout->reg[0], *copies = &layout->thread[0];
  if (layout->n_reg != 1 || layout->n_thread == 0 || held->dim == STRATA_COPIES || copies->dim != STRATA_COPIES ||
      lanes % held->extent || copies->extent <= lanes || copies->extent % lanes)
    return false;
  *out_layout = (strata_layout_t){0};
  strata_layout_push_thread(out_layout, STRATA_COPIES, lanes / held->extent, 0);
  strata_layout_push_thread(out_layout, held->dim, held->extent, held->stride);
  strata_layout_push_thread(out_layout, STRATA_COPIES, copies->extent / lanes, 0);
  for (int i = 1; i < layout->n_thread; i++)
    strata_layout_push_thread(out_layout, layout->thread[i].dim, layout->thread[i].extent, layout->thread[i].stride);
  return true;
}

static strata_layout_t map_dims(const strata_layout_t *layout, const int *to, bool keeps_registers) {
  strata_layout_t mapped = {0};
  for (int i = 0; i < layout->n_reg; i++) {
    const strata_digit_t *digit = &layout->reg[i];
    int dim = digit->dim == STRATA_COPIES ? STRATA_COPIES : to[digit->dim];
    if (dim != STRATA_COPIES || keeps_registers)
      strata_layout_push_reg(&mapped, dim, digit->extent, digit->stride);
  }
  for (int i = 0; i < layout->n_thread; i++) {
    const strata_digit_t *digit = &layout->thread[i];
    int dim = digit->dim == STRATA_COPIES ? STRATA_COPIES : to[digit->dim];
    strata_layout_push_thread(&mapped, dim, digit->extent, digit->stride);
  }
  return mapped;
}

strata_layout_t strata_layout_map_dims(const strata_layout_t *layout, const int *to) {
  return map_dims(layout, to, false);
}

strata_layout_t strata_layout_map_registers(const strata_layout_t *layout, const int *to) {
  return map_dims(layout, to, true);
}
