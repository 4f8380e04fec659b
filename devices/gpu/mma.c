// The rows of mma.def, by what they compute and by name.
#include "devices/gpu/mma.h"

#include "dialects/mlir_util.h"

typedef enum {
  LAYOUT_NONE,
#define MMA_LAYOUT(id, ...) LAYOUT_##id,
#include "devices/gpu/mma.def"
} layout_t;

static const strata_mma_layout_t layouts[] = {
#define MMA_LAYOUT(id, n_lanes, n_runs, matrices, left_reg, left_thread, right_reg, right_thread, sum_reg, sum_thread) \
  [LAYOUT_##id] = {.lanes = n_lanes,                                                                                   \
                   .runs = n_runs,                                                                                     \
                   .has_matrices = matrices,                                                                           \
                   .operands = {{left_reg, left_thread}, {right_reg, right_thread}},                                   \
                   .sum = {sum_reg, sum_thread}},
#include "devices/gpu/mma.def"
};

static const strata_mma_t rows[] = {
#define MMA(name, family, left, right, sum, m, n, k, layout, cycles)                                                   \
  {name, family, {left, right}, sum, m, n, k, &layouts[LAYOUT_##layout], cycles},
#include "devices/gpu/mma.def"
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

int64_t strata_mma_scale_block(const strata_mma_t *mma) {
  static const struct {
    const char *name;
    int64_t block;
  } scales[] = {
#define MMA_SCALES(...) {__VA_ARGS__},
#include "devices/gpu/mma.def"
  };
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
    if (strcmp(scales[i].name, mma->name) == 0)
      return scales[i].block;
  return 0;
}

static const char *const crossed[] = {
#define MMA_CROSSED(name) name,
#include "devices/gpu/mma.def"
};

static const char *const turned[] = {
#define MMA_TURNED(name) name,
#include "devices/gpu/mma.def"
};

static bool names(const char *const *list, size_t n, const strata_mma_t *mma) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(list[i], mma->name) == 0)
      return true;
  return false;
}

static bool names_one_of(const char *const *list, size_t n, const char *family) {
  for (size_t i = 0; i < n; i++)
    if (strata_mma_is_of(strata_mma_named(strata_str(list[i])), family))
      return true;
  return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool strata_mma_loads_crossed(const strata_mma_t *mma) { return names(crossed, COUNT(crossed), mma); }

bool strata_mma_family_loads_crossed(const char *family) { return names_one_of(crossed, COUNT(crossed), family); }

bool strata_mma_loads_turned(const strata_mma_t *mma) { return names(turned, COUNT(turned), mma); }

bool strata_mma_family_loads_turned(const char *family) { return names_one_of(turned, COUNT(turned), family); }

bool strata_mma_rounds(const strata_mma_t *mma) { return strcmp(mma->operands[0], "tf32") == 0; }

bool strata_mma_is_of(const strata_mma_t *mma, const char *family) {
  size_t length = strlen(family);
  for (const char *at = mma->family; length && *at;) {
    size_t n = strcspn(at, "|");
    if (n == length && memcmp(at, family, n) == 0)
      return true;
    at += n + (at[n] == '|');
  }
  return false;
}

static bool is_type(MlirType type, const char *name) {
  return mlirTypeEqual(type, mlirTypeParseGet(mlirTypeGetContext(type), strata_str(name)));
}

static bool takes(const strata_mma_t *mma, int side, MlirType operand, bool may_round) {
  return strata_mma_rounds(mma) ? may_round && mlirTypeIsAF32(operand) : is_type(operand, mma->operands[side]);
}

static const strata_mma_t *find(const char *family, MlirType left, MlirType right, MlirType sum, bool may_round) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (strata_mma_is_of(&rows[i], family) && takes(&rows[i], 0, left, may_round) &&
        takes(&rows[i], 1, right, may_round) && is_type(sum, rows[i].sum))
      return &rows[i];
  return NULL;
}

const strata_mma_t *strata_mma_find(const strata_gpu_device_t *device, MlirType left, MlirType right, MlirType sum,
                                    bool may_round) {
  return find(device->mma, left, right, sum, may_round);
}

const strata_mma_t *strata_mma_find_async(const strata_gpu_device_t *device, MlirType left, MlirType right,
                                          MlirType sum, bool may_round) {
  return find(device->mma_async, left, right, sum, may_round);
}

const strata_mma_t *strata_mma_find_scaled(const strata_gpu_device_t *device, MlirType type, MlirType sum,
                                           int64_t block) {
  const strata_mma_t *row = strata_mma_find(device, type, type, sum, false);
  while (row && strata_mma_scale_block(row) != block)
    row = strata_mma_next(device, row);
  return row;
}

const strata_mma_t *strata_mma_next(const strata_gpu_device_t *device, const strata_mma_t *mma) {
  for (const strata_mma_t *row = mma + 1; row < rows + N_ROWS; row++)
    if (strata_mma_is_of(row, device->mma) && strcmp(row->operands[0], mma->operands[0]) == 0 &&
        strcmp(row->operands[1], mma->operands[1]) == 0 && strcmp(row->sum, mma->sum) == 0)
      return row;
  return NULL;
}

const strata_mma_t *strata_mma_named(MlirStringRef name) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (strata_str_equal(name, rows[i].name))
      return &rows[i];
  return NULL;
}

const strata_mma_t *strata_mma_swapped(const strata_mma_t *mma) {
  if (strcmp(mma->operands[0], mma->operands[1]) == 0)
    return mma;
  for (size_t i = 0; i < N_ROWS; i++)
    if (strcmp(rows[i].family, mma->family) == 0 && strcmp(rows[i].operands[0], mma->operands[1]) == 0 &&
        strcmp(rows[i].operands[1], mma->operands[0]) == 0)
      return &rows[i];
  return NULL;
}

//===-- Fragments ------------------------------------------------------------------------------------------------===//

int64_t strata_mma_run(const strata_mma_t *mma) { return mma->k / mma->layout->runs; }

int64_t strata_mma_elements(const strata_mma_t *mma, int side) {
  int64_t n = strata_mma_run(mma);
  for (const strata_mma_digit_t *digit = mma->layout->operands[side].reg; digit->extent; digit++)
    n *= digit->extent;
  return n;
}

int64_t strata_mma_left_registers(const strata_mma_t *mma, int64_t n_rows, int64_t steps, int64_t element_bytes) {
  enum { WORD = 4 };
  return n_rows / mma->m * (steps / mma->k) * strata_mma_elements(mma, 0) * element_bytes / WORD;
}

int64_t strata_mma_together(const strata_mma_t *mma, int64_t element_bytes) {
  enum { VECTOR_BYTES = 16 };
  int64_t bytes = strata_mma_run(mma) * element_bytes;
  return mma->layout->has_matrices || bytes >= VECTOR_BYTES ? 1 : VECTOR_BYTES / bytes;
}
