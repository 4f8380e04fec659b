// Products are exact and summed in f64, then rounded once: no hardware is less precise than what tests allow for.
#include "test/support/driver/matrix.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MAX_M = 16, MAX_N = 8, MAX_K = 32 };

typedef struct {
  const char *operand, *sum;
  int m, n, k;
} shape_t;

static const shape_t shapes[] = {
#define MMA(name, family, operand, sum, m, n, k) {operand, sum, m, n, k},
#include "targets/gpu/mma.def"
};

static int elements_in_word(const char *type) { return type[0] == 'i' ? 4 : strcmp(type, "f32") == 0 ? 1 : 2; }

static double load(const char *type, const void *data, int index) {
  if (type[0] == 'i')
    return ((const int8_t *)data)[index];
  uint32_t bits;
  float value;
  if (strcmp(type, "f16") == 0) {
    _Float16 half;
    memcpy(&half, (const char *)data + 2 * index, sizeof half);
    return (double)half;
  }
  if (strcmp(type, "bf16") == 0) {
    uint16_t high;
    memcpy(&high, (const char *)data + 2 * index, sizeof high);
    bits = (uint32_t)high << 16;
  } else { // tf32 has ten bits of mantissa, the rest is not read; infinity and NaN stay
    memcpy(&bits, (const char *)data + 4 * index, sizeof bits);
    if ((bits & 0x7F800000) != 0x7F800000)
      bits &= ~UINT32_C(0x1FFF);
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Left operand (m, k) and right operand (n, k): the same layout, but for the left one's second half of rows.
static void gather(const char *type, const void *const *data, int halves, double (*out)[MAX_K]) {
  int w = elements_in_word(type);
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < 2 * halves * w; i++) {
      int row = lane / 4 + i / w % halves * 8;
      int column = lane % 4 * w + i % w + i / w / halves * 4 * w;
      out[row][column] = load(type, data[lane], i);
    }
}

static void multiply_lane(const shape_t *shape, const strata_matrix_fragments_t *fragments, int lane,
                          double (*left)[MAX_K], double (*right)[MAX_K]) {
  for (int i = 0; i < 4; i++) {
    int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    double product = 0;
    for (int k = 0; k < shape->k; k++)
      product += left[row][k] * right[column][k];
    if (shape->sum[0] == 'i')
      ((int32_t *)fragments->result)[i] =
          (int32_t)((uint32_t)((const int32_t *)fragments->sum)[i] + (uint32_t)(int64_t)product);
    else
      ((float *)fragments->result)[i] = (float)(product + (double)((const float *)fragments->sum)[i]);
  }
}

void strata_matrix_multiply(uint32_t kind, const strata_matrix_fragments_t *fragments) {
  double left[MAX_M][MAX_K], right[MAX_N][MAX_K];
  const void *lefts[LANES], *rights[LANES];
  if (kind >= sizeof shapes / sizeof shapes[0])
    abort();
  for (int lane = 0; lane < LANES; lane++) {
    lefts[lane] = fragments[lane].left;
    rights[lane] = fragments[lane].right;
  }
  gather(shapes[kind].operand, lefts, 2, left);
  gather(shapes[kind].operand, rights, 1, right);
  for (int lane = 0; lane < LANES; lane++)
    multiply_lane(&shapes[kind], &fragments[lane], lane, left, right);
}
