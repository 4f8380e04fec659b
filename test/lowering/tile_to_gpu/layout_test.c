// Layouts: every one that is built covers the value, holds nothing twice but in copies, and survives a change of dims.
// Places in shared memory: one for each element, and rows beside one another in different banks.
#include "lowering/tile_to_gpu/layout.h"
#include "lowering/tile_to_gpu/swizzle.h"

#include "test/support/check.h"

enum { MAX_ELEMENTS = 1 << 16 };

static int64_t volume(int rank, const int64_t *sizes) {
  int64_t product = 1;
  for (int dim = 0; dim < rank; dim++)
    product *= sizes[dim];
  return product;
}

// The row-major number of the element that a register of a thread holds; -1 if it hangs.
static int64_t element_at(const strata_layout_t *layout, int rank, const int64_t *sizes, int64_t reg, int64_t thread) {
  int64_t element = 0;
  for (int dim = 0; dim < rank; dim++) {
    int64_t at = strata_layout_reg_coordinate(layout, reg, dim) + strata_layout_thread_coordinate(layout, thread, dim);
    if (at >= sizes[dim])
      return -1;
    element = element * sizes[dim] + at;
  }
  return element;
}

static int64_t copies_of(const strata_layout_t *layout) {
  int64_t copies = 1;
  for (int i = 0; i < layout->n_thread; i++)
    copies *= layout->thread[i].dim == STRATA_COPIES ? layout->thread[i].extent : 1;
  return copies;
}

static void check_onto(const strata_layout_t *layout, int rank, const int64_t *sizes, int64_t threads) {
  static int64_t held[MAX_ELEMENTS];
  int64_t n_elements = volume(rank, sizes), copies = copies_of(layout);
  memset(held, 0, (size_t)n_elements * sizeof *held);
  CHECK(strata_layout_threads(layout) == threads);
  for (int64_t thread = 0; thread < threads; thread++)
    for (int64_t reg = 0; reg < strata_layout_registers(layout); reg++) {
      int64_t element = element_at(layout, rank, sizes, reg, thread);
      if (element >= 0)
        held[element]++;
    }
  for (int64_t i = 0; i < n_elements; i++)
    CHECK(held[i] == copies);
}

static void check_built(int rank, const int64_t *sizes) {
  static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
  for (int64_t threads = 1; threads <= 256; threads *= 4)
    for (int64_t width = 1; width <= 8; width *= 2)
      for (size_t i = 0; i < 3; i++) {
        int order[3], n = 0;
        for (int k = 0; k < 3; k++)
          if (orders[i][k] < rank)
            order[n++] = orders[i][k];
        if (rank > 0 && sizes[order[0]] % width != 0)
          continue;
        strata_layout_t layout = strata_layout_build(rank, sizes, threads, order, width);
        check_onto(&layout, rank, sizes, threads);
        if (rank > 0 && width > 1) // neighbours in a thread
          CHECK(layout.reg[0].dim == order[0] && layout.reg[0].stride == 1 && layout.reg[0].extent >= width);
      }
}

static void test_build(void) {
  static const int64_t sizes[][3] = {{1, 1, 1},  {7, 1, 1},   {32, 1, 1}, {1000, 1, 1}, {2048, 1, 1},
                                     {8, 64, 1}, {33, 17, 1}, {3, 5, 24}, {16, 1, 40},  {4096, 3, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int rank = 0; rank <= 3; rank++)
      check_built(rank, sizes[i]);
}

// The examples of docs/gpu.md.
static void test_examples(void) {
  strata_layout_t f16 = strata_layout_build(1, (int64_t[]){2048}, 256, (int[]){0}, 8);
  CHECK(f16.n_reg == 1 && f16.reg[0].extent == 8 && f16.reg[0].stride == 1);
  CHECK(f16.n_thread == 1 && f16.thread[0].extent == 256 && f16.thread[0].stride == 8);
  strata_layout_t row = strata_layout_build(1, (int64_t[]){1000}, 32, (int[]){0}, 4);
  CHECK(row.n_reg == 2 && row.reg[0].extent == 4 && row.reg[1].extent == 8 && row.reg[1].stride == 128);
  CHECK(row.n_thread == 1 && row.thread[0].stride == 4);
}

// A row sum drops the columns: what held different columns holds copies.
static void test_map_dims(void) {
  strata_layout_t layout = strata_layout_build(2, (int64_t[]){8, 256}, 128, (int[]){1, 0}, 4);
  strata_layout_t rows = strata_layout_map_dims(&layout, (int[]){0, STRATA_COPIES});
  check_onto(&rows, 1, (int64_t[]){8}, 128);
  CHECK(copies_of(&rows) == 64);
  CHECK(strata_layout_registers(&rows) == strata_layout_registers(&layout) / 4);
  strata_layout_t broadcast = strata_layout_map_registers(&layout, (int[]){0, STRATA_COPIES});
  CHECK(strata_layout_registers(&broadcast) == strata_layout_registers(&layout));
  CHECK(strata_layout_same_threads(&rows, &broadcast) && !strata_layout_same_threads(&rows, &layout));
  strata_layout_t swapped = strata_layout_map_dims(&layout, (int[]){1, 0});
  check_onto(&swapped, 2, (int64_t[]){256, 8}, 128);
  CHECK(strata_layout_equal(&layout, &layout) && !strata_layout_equal(&layout, &swapped));
}

// A tile that is turned: vectors along both dims in a thread.
static void test_crossing(void) {
  static const int64_t sizes[][2] = {{64, 128}, {64, 64}, {33, 70}, {8, 300}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int64_t threads = 32; threads <= 256; threads *= 2) {
      strata_layout_t layout = strata_layout_build_crossing(sizes[i], threads, (int[]){1, 0}, (int64_t[]){4, 8});
      check_onto(&layout, 2, sizes[i], threads);
      CHECK(strata_layout_width(&layout, 1) == 4 && strata_layout_width(&layout, 0) % 8 == 0);
      CHECK(layout.thread[0].dim == 1 && layout.thread[0].stride == 4);
    }
}

// Digits of a cluster's rank, of extent one among them.
static void test_blocks(void) {
  strata_layout_t alone = {0}, cluster = {0};
  strata_layout_push_block(&cluster, 1, 1);
  strata_layout_push_block(&cluster, 2, 4);
  CHECK(strata_layout_blocks(&alone) == 1 && strata_layout_blocks_along(&alone, 1) == 1);
  CHECK(strata_layout_blocks(&cluster) == 4 && cluster.n_block == 2);
  CHECK(strata_layout_blocks_along(&cluster, 1) == 1 && strata_layout_blocks_along(&cluster, 2) == 4);
}

static void check_places(const strata_place_layout_t *layout, int64_t rows, int64_t columns) {
  static bool is_taken[MAX_ELEMENTS];
  memset(is_taken, 0, sizeof is_taken);
  for (int64_t row = 0; row < rows; row++)
    for (int64_t column = 0; column < columns; column++) {
      int64_t at = strata_place_of(layout, (int64_t[]){row, column});
      CHECK(at >= 0 && at < rows * columns && !is_taken[at]);
      is_taken[at] = true;
    }
}

// Rows of |span| bytes of 16-bit elements: the same unit of rows that share a line of banks is in different ones.
static void check_rows(int64_t span) {
  enum { BYTES = 2, UNIT = 8, BANKS = 128 };
  int64_t columns = span / BYTES, n_rows = 64, in_line = BANKS / span;
  strata_place_layout_t layout = {{{1, 0, 1}, {0, 0, columns}}, UNIT, {strata_swizzle_of(span, 0)}};
  check_places(&layout, n_rows, columns);
  for (int64_t column = 0; column < columns; column += UNIT) {
    unsigned units = 0;
    for (int64_t row = 0; row < BANKS / 16; row++)
      units |= 1U << strata_place_of(&layout, (int64_t[]){row, column}) * BYTES % BANKS / 16;
    CHECK(units == 0xff && in_line * (span / 16) == BANKS / 16);
  }
}

static void test_places(void) {
  for (int64_t span = 32; span <= 128; span *= 2)
    check_rows(span);
  // [64 rows][step][128 bytes of rows], exchanged by the step
  strata_place_layout_t crossed = {{{0, 64, 1}, {1, 0, 64}, {0, 0, 64 * 16}}, 8, {strata_swizzle_of(128, 1)}};
  check_places(&crossed, 192, 16);
  CHECK(strata_place_of(&crossed, (int64_t[]){64, 1}) == 64 * 16 + 64 + 8);
}

int main(void) {
  test_blocks();
  test_places();
  test_build();
  test_crossing();
  test_examples();
  test_map_dims();
  return check_result();
}
