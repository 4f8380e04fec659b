// Products of groups of four warps, whose operands lie in shared memory. The hardware's threads start them together, so
// all 128 wait for the last, which computes the sums of all.
#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"
#include "test/support/driver/map.h"
#include "test/support/driver/matrix.h"

#include <stdio.h>
#include <string.h>

enum { GROUP = 128, MAX_GROUPS = 1024 / GROUP, ROWS = 64, MAX_COLUMNS = 256, MAX_STEPS = 32 };

typedef struct {
  int64_t is_crossed, swizzle, lead, stride;
} operand_layout_t;

typedef struct {
  uint32_t kind, columns;
  bool has_registers;
  const void *left, *right; // left: NULL where it lies in registers
  operand_layout_t layout[2];
} call_t;

static struct {
  unsigned arrived;
  call_t call;
  void *sums[GROUP];
  const void *registers[GROUP]; // of the left operand
} all_groups[STRATA_EMULATED_CLUSTER][MAX_GROUPS];

void products_reset(void) { memset(all_groups[block_rank()], 0, sizeof all_groups[0]); }

//===-- Operands -------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *name;
  const char *start;
  operand_layout_t layout;
  uint32_t rows, steps; // of the left operand; columns of the right one
  const strata_matrix_element_t *element;
} operand_t;

// Byte of element (row, step) before the units are exchanged.
static int64_t offset_of(const operand_t *operand, uint32_t row, uint32_t step) {
  const operand_layout_t *layout = &operand->layout;
  int64_t size = operand->element->size;
  if (!layout->is_crossed)
    return row / 8 * layout->stride + row % 8 * layout->swizzle + step * size;
  return row * size / layout->swizzle * layout->lead + step / 8 * layout->stride + step % 8 * layout->swizzle +
         row * size % layout->swizzle;
}

static void check_operand(const operand_t *operand) {
  const operand_layout_t *layout = &operand->layout;
  int64_t pattern = 8 * layout->swizzle, size = operand->element->size;
  if (layout->swizzle != 32 && layout->swizzle != 64 && layout->swizzle != 128)
    kernel_fault("the %s operand: a swizzle of %lld bytes, expected 32, 64 or 128", operand->name,
                 (long long)layout->swizzle);
  if (layout->is_crossed && size != 2)
    kernel_fault("the %s operand: only elements of 16 bits can be crossed", operand->name);
  uint32_t strided = layout->is_crossed ? operand->steps : operand->rows;
  bool is_led = layout->is_crossed && operand->rows * size > layout->swizzle;
  if ((strided > 8 && layout->stride % pattern) || (is_led && layout->lead % pattern))
    kernel_fault("the %s operand: a stride of %lld and a lead of %lld bytes, expected multiples of %lld", operand->name,
                 (long long)layout->stride, (long long)layout->lead, (long long)pattern);
  // What is not crossed begins somewhere in the first row of a pattern.
  int64_t begin = (int64_t)((uintptr_t)operand->start % (uintptr_t)pattern);
  int64_t end = begin + (layout->is_crossed ? 0 : operand->steps * size);
  if (begin % 16 || (layout->is_crossed && begin) || end > layout->swizzle)
    kernel_fault("the %s operand at byte %zu of shared memory: not where a pattern of %lld bytes begins, nor along "
                 "its first row",
                 operand->name, shared_offset(operand->start, 0), (long long)pattern);
  int64_t last = offset_of(operand, operand->rows - 1, operand->steps - 1);
  if (last < 0 || layout->stride < 0 || layout->lead < 0)
    kernel_fault("the %s operand: a negative stride", operand->name);
  shared_offset(operand->start, (size_t)(last + size));
}

// out[step][row]
static void gather(const operand_t *operand, double (*out)[MAX_COLUMNS]) {
  uintptr_t start = (uintptr_t)operand->start;
  check_operand(operand);
  for (uint32_t row = 0; row < operand->rows; row++)
    for (uint32_t step = 0; step < operand->steps; step++) {
      uintptr_t at = swizzled(start + (uintptr_t)offset_of(operand, row, step), (unsigned)operand->layout.swizzle);
      out[step][row] = operand->element->load(operand->start + (at - start));
    }
}

// The fragments of the left operand, as docs/gpu.md gives them: out[step][row].
static void gather_registers(const strata_matrix_shape_t *shape, const void *const *registers,
                             double (*out)[MAX_COLUMNS]) {
  unsigned size = (unsigned)shape->left->size, word = 4 / size;
  for (unsigned thread = 0; thread < GROUP; thread++)
    for (unsigned i = 0; i < 4 * word; i++) {
      unsigned lane = thread % 32, row = thread / 32 * 16 + lane / 4 + i / word % 2 * 8;
      unsigned step = lane % 4 * word + i % word + i / word / 2 * 4 * word;
      out[step][row] = shape->left->load((const char *)registers[thread] + i * size);
    }
}

//===-- Sums -----------------------------------------------------------------------------------------------------===//

// Row and column of value |i| of a thread's sums: docs/gpu.md.
static void scatter(const strata_matrix_shape_t *shape, const double (*sums)[MAX_COLUMNS], uint32_t columns,
                    unsigned thread, void *out) {
  unsigned lane = thread % 32;
  for (uint32_t i = 0; i < columns / 2; i++) {
    unsigned row = thread / 32 * 16 + lane / 4 + (i / 2 % 2) * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (shape->is_integer)
      ((int32_t *)out)[i] = (int32_t)((uint32_t)((int32_t *)out)[i] + (uint32_t)(int64_t)sums[row][column]);
    else
      ((float *)out)[i] = (float)(sums[row][column] + (double)((float *)out)[i]);
  }
}

// Wider vectors change nothing but the time: products are exact, and each sum has its own order of steps.
__attribute__((target_clones("avx512f", "avx2", "default"))) static void
add_row(double *restrict sums, double left, const double *restrict right, uint32_t columns) {
  for (uint32_t column = 0; column < columns; column++)
    sums[column] += left * right[column];
}

static void multiply(const call_t *call, const void *const *registers, void *const *sums) {
  static double left[MAX_STEPS][MAX_COLUMNS], right[MAX_STEPS][MAX_COLUMNS], products[ROWS][MAX_COLUMNS];
  const strata_matrix_shape_t *shape = strata_matrix_shape(call->kind);
  uint32_t steps = (uint32_t)shape->k;
  if (call->has_registers)
    gather_registers(shape, registers, left);
  else
    gather(&(operand_t){"left", call->left, call->layout[0], ROWS, steps, shape->left}, left);
  gather(&(operand_t){"right", call->right, call->layout[1], call->columns, steps, shape->right}, right);
  memset(products, 0, sizeof products);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t step = 0; step < steps; step++)
      add_row(products[row], left[step][row], right[step], call->columns);
  for (unsigned thread = 0; thread < GROUP; thread++)
    scatter(shape, (const double(*)[MAX_COLUMNS])products, call->columns, thread, sums[thread]);
}

//===-- Calls ----------------------------------------------------------------------------------------------------===//

static void describe(uintptr_t group, uint32_t parity, char *out, size_t capacity) {
  (void)parity;
  snprintf(out, capacity, "waits in a product of the four warps from thread %u on, of which %u threads have come",
           (unsigned)group * GROUP, all_groups[block_rank()][group].arrived);
}

static void check_call(const call_t *call) {
  const strata_matrix_shape_t *shape = strata_matrix_shape(call->kind);
  if (!shape || shape->m != ROWS)
    kernel_fault("row %u of mma.def is no product of four warps", call->kind);
  uint32_t n = call->columns;
  bool is_narrow = n == 8 || n == 24;
  if (!n || n > MAX_COLUMNS || n % 8 || (shape->is_integer && n % 16 && !is_narrow))
    kernel_fault("a product of %u columns, expected a multiple of %d up to %d", n, shape->is_integer ? 16 : 8,
                 MAX_COLUMNS);
}

static bool is_equal(const call_t *a, const call_t *b) {
  return a->kind == b->kind && a->columns == b->columns && a->has_registers == b->has_registers && a->left == b->left &&
         a->right == b->right && memcmp(a->layout, b->layout, sizeof a->layout) == 0;
}

static void add_product(call_t call, const int64_t *layout, const void *registers, void *sums) {
  unsigned thread = thread_current(), group = thread / GROUP;
  memcpy(call.layout, layout, sizeof call.layout);
  check_call(&call);
  if ((group + 1) * GROUP > thread_count())
    kernel_fault("a product of four warps, of which the block's last group has fewer");
  if (all_groups[block_rank()][group].arrived && !is_equal(&all_groups[block_rank()][group].call, &call))
    kernel_fault("the threads of four warps give different operands to one product");
  all_groups[block_rank()][group].call = call;
  all_groups[block_rank()][group].sums[thread % GROUP] = sums;
  all_groups[block_rank()][group].registers[thread % GROUP] = registers;
  if (++all_groups[block_rank()][group].arrived < GROUP) {
    thread_wait(&(wait_t){WAIT_PRODUCT, group, 0, describe});
    return;
  }
  all_groups[block_rank()][group].arrived = 0;
  multiply(&call, all_groups[block_rank()][group].registers, all_groups[block_rank()][group].sums);
  threads_wake(WAIT_PRODUCT, group);
}

EXPORT void strata_emulated_mma_async(uint32_t kind, uint32_t n, const void *left, const void *right,
                                      const int64_t *layout, void *sums) {
  add_product((call_t){.kind = kind, .columns = n, .left = left, .right = right}, layout, NULL, sums);
}

EXPORT void strata_emulated_mma_registers(uint32_t kind, uint32_t n, const void *left, const void *right,
                                          const int64_t *layout, void *sums) {
  add_product((call_t){.kind = kind, .columns = n, .has_registers = true, .right = right}, layout, left, sums);
}
