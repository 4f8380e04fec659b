// Products are exact and summed in f64, then rounded once: no hardware is less precise than what tests allow for.
#include "test/support/driver/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MAX_M = 16, MAX_N = 8, MAX_K = 32 };

//===-- Elements -------------------------------------------------------------------------------------------------===//

static double load_i8(const void *at) { return *(const int8_t *)at; }

static double load_f16(const void *at) {
  _Float16 half;
  memcpy(&half, at, sizeof half);
  return (double)half;
}

static double load_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static double load_bf16(const void *at) {
  uint16_t high;
  memcpy(&high, at, sizeof high);
  return load_float((uint32_t)high << 16);
}

// tf32 has ten bits of mantissa, the rest is not read; infinity and NaN stay.
static double load_tf32(const void *at) {
  uint32_t bits;
  memcpy(&bits, at, sizeof bits);
  return load_float((bits & 0x7F800000) != 0x7F800000 ? bits & ~UINT32_C(0x1FFF) : bits);
}

// The upper half of an f16.
static double load_e5m2(const void *at) {
  uint16_t bits = (uint16_t)(*(const uint8_t *)at << 8);
  return load_f16(&bits);
}

// No infinities, and one NaN.
static double load_e4m3(const void *at) {
  uint8_t bits = *(const uint8_t *)at;
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double value = exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);
  if ((bits & 0x7F) == 0x7F)
    value = NAN;
  return bits & 0x80 ? -value : value;
}

static const strata_matrix_element_t elements[] = {
    {"i8", 1, load_i8},    {"f16", 2, load_f16},       {"bf16", 2, load_bf16},
    {"f32", 4, load_tf32}, {"f8E4M3FN", 1, load_e4m3}, {"f8E5M2", 1, load_e5m2},
};

static const strata_matrix_element_t *find_element(const char *type) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
    if (strcmp(elements[i].type, type) == 0)
      return &elements[i];
  abort();
}

const strata_matrix_shape_t *strata_matrix_shape(uint32_t kind) {
  static const struct {
    const char *operand, *sum;
    int m, n, k;
  } rows[] = {
#define MMA(name, family, operand, sum, m, n, k) {operand, sum, m, n, k},
#include "targets/gpu/mma.def"
  };
  enum { N_ROWS = sizeof rows / sizeof rows[0] };
  static strata_matrix_shape_t shapes[N_ROWS];
  if (kind >= N_ROWS)
    return NULL;
  if (!shapes[kind].element)
    shapes[kind] = (strata_matrix_shape_t){find_element(rows[kind].operand), rows[kind].sum[0] == 'i', rows[kind].m,
                                           rows[kind].n, rows[kind].k};
  return &shapes[kind];
}

//===-- Instructions of a warp -----------------------------------------------------------------------------------===//

// Left operand (m, k) and right operand (n, k): the same layout, but for the left one's second half of rows.
static void gather(const strata_matrix_element_t *element, const void *const *data, int halves, double (*out)[MAX_K]) {
  int w = 4 / element->size;
  for (int lane = 0; lane < LANES; lane++)
    for (int i = 0; i < 2 * halves * w; i++) {
      int row = lane / 4 + i / w % halves * 8;
      int column = lane % 4 * w + i % w + i / w / halves * 4 * w;
      out[row][column] = element->load((const char *)data[lane] + i * element->size);
    }
}

static void multiply_lane(const strata_matrix_shape_t *shape, const strata_matrix_fragments_t *fragments, int lane,
                          double (*left)[MAX_K], double (*right)[MAX_K]) {
  for (int i = 0; i < 4; i++) {
    int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
    double product = 0;
    for (int k = 0; k < shape->k; k++)
      product += left[row][k] * right[column][k];
    if (shape->is_integer)
      ((int32_t *)fragments->result)[i] =
          (int32_t)((uint32_t)((const int32_t *)fragments->sum)[i] + (uint32_t)(int64_t)product);
    else
      ((float *)fragments->result)[i] = (float)(product + (double)((const float *)fragments->sum)[i]);
  }
}

bool strata_matrix_multiply(uint32_t kind, const strata_matrix_fragments_t *fragments) {
  double left[MAX_M][MAX_K], right[MAX_N][MAX_K];
  const void *lefts[LANES], *rights[LANES];
  const strata_matrix_shape_t *shape = strata_matrix_shape(kind);
  if (!shape || shape->m != MAX_M)
    return false;
  for (int lane = 0; lane < LANES; lane++) {
    lefts[lane] = fragments[lane].left;
    rights[lane] = fragments[lane].right;
  }
  gather(shape->element, lefts, 2, left);
  gather(shape->element, rights, 1, right);
  for (int lane = 0; lane < LANES; lane++)
    multiply_lane(shape, &fragments[lane], lane, left, right);
  return true;
}
