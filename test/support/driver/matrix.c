// Products are exact and summed in f64, then rounded once: no hardware is less precise than what tests allow for.
#include "test/support/driver/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_M = 32, MAX_N = 32, MAX_K = 128, MAX_DIGITS = 3, MAX_LANES = 64, MAX_REGISTERS = 128 };

//===-- Elements -------------------------------------------------------------------------------------------------===//

static double load_i8(const void *at) { return *(const int8_t *)at; }

static double load_ui8(const void *at) { return *(const uint8_t *)at; }

static double load_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

// Without what compilers call for it where a processor has no instruction: exponent and mantissa are where an f32 has
// them, with another bias.
static double load_f16(const void *at) {
  enum { SIGN = 0x8000, INFINITE = 0x7C00, FRACTION = 0x3FF };
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  if ((bits & INFINITE) == INFINITE)
    return bits & FRACTION ? NAN : bits & SIGN ? -INFINITY : INFINITY;
  return load_float((uint32_t)(bits & SIGN) << 16 | (uint32_t)(bits & ~SIGN) << 13) * 0x1p112;
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

static double load_f32(const void *at) {
  float value;
  memcpy(&value, at, sizeof value);
  return (double)value;
}

static double load_f64(const void *at) {
  double value;
  memcpy(&value, at, sizeof value);
  return value;
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

// The bias is one more, there are no infinities, and the NaN is where -0 would be.
static double load_fnuz(uint8_t bits, int mantissa_bits) {
  int one = 1 << mantissa_bits, bias = 1 << (6 - mantissa_bits), exponent = (bits & 0x7F) >> mantissa_bits;
  int fraction = bits & (one - 1);
  double value = ldexp(exponent ? one + fraction : fraction, (exponent ? exponent : 1) - bias - mantissa_bits);
  return bits == 0x80 ? NAN : bits & 0x80 ? -value : value;
}

static double load_e4m3fnuz(const void *at) { return load_fnuz(*(const uint8_t *)at, 3); }
static double load_e5m2fnuz(const void *at) { return load_fnuz(*(const uint8_t *)at, 2); }

static const strata_matrix_element_t elements[] = {
    {"i8", 1, load_i8},
    {"ui8", 1, load_ui8},
    {"f16", 2, load_f16},
    {"bf16", 2, load_bf16},
    {"tf32", 4, load_tf32},
    {"f32", 4, load_f32},
    {"f64", 8, load_f64},
    {"f8E4M3FN", 1, load_e4m3},
    {"f8E5M2", 1, load_e5m2},
    {"f8E4M3FNUZ", 1, load_e4m3fnuz},
    {"f8E5M2FNUZ", 1, load_e5m2fnuz},
};

static const strata_matrix_element_t *find_element(const char *type) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
    if (strcmp(elements[i].type, type) == 0)
      return &elements[i];
  abort();
}

//===-- The table ------------------------------------------------------------------------------------------------===//

typedef struct {
  int dim, extent, stride;
} digit_t;

typedef struct {
  digit_t reg[MAX_DIGITS], thread[MAX_DIGITS]; // up to an extent of 0
} fragment_t;

typedef struct {
  int lanes, runs;
  bool has_matrices;
  fragment_t left, right, sum;
} layout_t;

typedef enum {
  LAYOUT_NONE,
#define MMA_LAYOUT(id, ...) LAYOUT_##id,
#include "devices/gpu/mma.def"
} layout_number_t;

static const layout_t layouts[] = {
#define MMA_LAYOUT(id, lanes, runs, matrices, left_reg, left_thread, right_reg, right_thread, sum_reg, sum_thread)     \
  [LAYOUT_##id] = {lanes, runs, matrices, {left_reg, left_thread}, {right_reg, right_thread}, {sum_reg, sum_thread}},
#include "devices/gpu/mma.def"
};

static const struct {
  const char *name, *left, *right, *sum;
  int m, n, k;
  layout_number_t layout;
} rows[] = {
#define MMA(name, family, left, right, sum, m, n, k, layout, cycles) {name, left, right, sum, m, n, k, LAYOUT_##layout},
#include "devices/gpu/mma.def"
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

const strata_matrix_shape_t *strata_matrix_shape(uint32_t kind) {
  static strata_matrix_shape_t shapes[N_ROWS];
  if (kind >= N_ROWS)
    return NULL;
  if (!shapes[kind].left)
    shapes[kind] = (strata_matrix_shape_t){find_element(rows[kind].left),
                                           find_element(rows[kind].right),
                                           rows[kind].sum[0] == 'i',
                                           rows[kind].m,
                                           rows[kind].n,
                                           rows[kind].k};
  return &shapes[kind];
}

//===-- Instructions of a warp -----------------------------------------------------------------------------------===//

typedef double matrix_t[MAX_M][MAX_K];

// Adds what number |number| of the digits says to coordinates, of which the second is in steps of |run|.
static void add_digits(const digit_t *digits, int number, int run, int *coordinates) {
  for (; digits->extent; digits++) {
    if (digits->dim >= 0)
      coordinates[digits->dim] += number % digits->extent * digits->stride * (digits->dim ? run : 1);
    number /= digits->extent;
  }
}

static int count(const digit_t *digits) {
  int n = 1;
  for (; digits->extent; digits++)
    n *= digits->extent;
  return n;
}

// An operand (row, step), of which each lane has |run| neighbours for each number of its registers. False: lanes that
// are to hold copies hold different elements.
static bool gather(const strata_matrix_element_t *element, const fragment_t *fragment, int run, int lanes,
                   const void *const *data, matrix_t out) {
  bool is_known[MAX_M][MAX_K] = {{false}}, are_equal = true;
  int n = run * count(fragment->reg), of_register[MAX_REGISTERS][2];
  for (int i = 0; i < n; i++) {
    of_register[i][0] = 0;
    of_register[i][1] = i % run;
    add_digits(fragment->reg, i / run, run, of_register[i]);
  }
  for (int lane = 0; lane < lanes; lane++) {
    int of_lane[2] = {0, 0};
    add_digits(fragment->thread, lane, run, of_lane);
    for (int i = 0; i < n; i++) {
      int row = of_lane[0] + of_register[i][0], step = of_lane[1] + of_register[i][1];
      double value = element->load((const char *)data[lane] + i * element->size), *place = &out[row][step];
      are_equal &= !is_known[row][step] || memcmp(place, &value, sizeof value) == 0;
      is_known[row][step] = true;
      *place = value;
    }
  }
  return are_equal;
}

static void add(const char *type, double product, const void *sums, void *results, int i) {
  if (strcmp(type, "i32") == 0)
    ((int32_t *)results)[i] = (int32_t)((uint32_t)((const int32_t *)sums)[i] + (uint32_t)(int64_t)product);
  else if (strcmp(type, "f64") == 0)
    ((double *)results)[i] = product + ((const double *)sums)[i];
  else
    ((float *)results)[i] = (float)(product + (double)((const float *)sums)[i]);
}

static void multiply_lane(uint32_t kind, const strata_matrix_fragments_t *fragments, int lane, matrix_t left,
                          matrix_t right) {
  const fragment_t *sum = &layouts[rows[kind].layout].sum;
  for (int i = 0; i < count(sum->reg); i++) {
    int at[2] = {0, 0};
    double product = 0;
    add_digits(sum->reg, i, 1, at);
    add_digits(sum->thread, lane, 1, at);
    for (int k = 0; k < rows[kind].k; k++)
      product += left[at[0]][k] * right[at[1]][k];
    add(rows[kind].sum, product, fragments->sum, fragments->result, i);
  }
}

// Elements along the reduction that have a scale; 0: the row takes none.
static int scale_block(uint32_t kind) {
  static const struct {
    const char *name;
    int block;
  } scales[] = {
#define MMA_SCALES(...) {__VA_ARGS__},
#include "devices/gpu/mma.def"
  };
  for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
    if (strcmp(scales[i].name, rows[kind].name) == 0)
      return scales[i].block;
  return 0;
}

// Lane by lane: the scale of the block of a row whose number is the lane's own.
static void apply_scales(const fragment_t *fragment, int block, int lanes, int side,
                         const strata_matrix_fragments_t *fragments, matrix_t out) {
  enum { BIAS = 127, NO_NUMBER = 255 };
  for (int lane = 0; lane < lanes; lane++) {
    int at[2] = {0, 0}, code = (int)(fragments[lane].scales[side] & NO_NUMBER);
    add_digits(fragment->thread, lane, 1, at);
    for (int k = block * at[1]; k < block * (at[1] + 1); k++)
      out[at[0]][k] *= code == NO_NUMBER ? (double)NAN : ldexp(1, code - BIAS);
  }
}

static const char *scale(uint32_t kind, int lanes, const strata_matrix_fragments_t *fragments, matrix_t left,
                         matrix_t right) {
  const layout_t *layout = &layouts[rows[kind].layout];
  int block = scale_block(kind);
  for (int lane = 1; lane < lanes; lane++)
    if (fragments[lane].is_scaled != fragments[0].is_scaled)
      return "has lanes with scales and lanes without";
  if (!fragments[0].is_scaled)
    return NULL;
  if (!block)
    return "takes no scales";
  apply_scales(&layout->left, block, lanes, 0, fragments, left);
  apply_scales(&layout->right, block, lanes, 1, fragments, right);
  return NULL;
}

const char *strata_matrix_multiply(uint32_t kind, unsigned lanes, const strata_matrix_fragments_t *fragments) {
  matrix_t left, right;
  const void *lefts[MAX_LANES], *rights[MAX_LANES];
  const strata_matrix_shape_t *shape = strata_matrix_shape(kind);
  const layout_t *layout = shape ? &layouts[rows[kind].layout] : NULL;
  if (!layout || !layout->lanes)
    return "is no product of a warp";
  if (layout->lanes != (int)lanes)
    return "is a product of a warp of another size";
  for (unsigned lane = 0; lane < lanes; lane++) {
    lefts[lane] = fragments[lane].left;
    rights[lane] = fragments[lane].right;
  }
  int run = shape->k / layout->runs;
  if (!gather(shape->left, &layout->left, run, layout->lanes, lefts, left) ||
      !gather(shape->right, &layout->right, run, layout->lanes, rights, right))
    return "has lanes that do not hold the copies of others";
  const char *fault = scale(kind, layout->lanes, fragments, left, right);
  if (fault)
    return fault;
  for (unsigned lane = 0; lane < lanes; lane++)
    multiply_lane(kind, &fragments[lane], (int)lane, left, right);
  return NULL;
}
