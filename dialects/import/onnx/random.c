// Random numbers: Philox 4x32-10, a counter-based generator, as elementwise arithmetic on 64-bit integers, so that the
// same elements come out on every target, in any order.
//
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011.
//
// The stream, which docs/onnx.md documents: element i in row-major order is made of the four words of counter
// (i mod 2^32, i div 2^32, call mod 2^32, call div 2^32), where call is the value of --seed-input or 0. The key is
// (the bits of the seed, how many copies of the node came before), or for a node without a seed (its number among
// those, from 1, 2^32 - 1).
#include "dialects/import/onnx/importer.h"

#include <math.h>
#include <string.h>

enum { N_ROUNDS = 10, N_WORDS = 4, WORD_BITS = 32 };

static const uint32_t multipliers[2] = {0xD2511F53, 0xCD9E8D57}, weyl[2] = {0x9E3779B9, 0xBB67AE85};
static const int64_t word_mask = 0xFFFFFFFF;

// Words are i64 tensors of values from 0 to 2^32 - 1.
typedef struct {
  MlirValue words[N_WORDS];
} block_t;

static MlirValue with_integer(onnx_node_t *n, strata_op_id_t op, MlirValue x, int64_t number) {
  return strata_build_binary(n->b, op, x, onnx_integer(n, x, number));
}

static MlirValue low_word(onnx_node_t *n, MlirValue x) { return with_integer(n, STRATA_OP_AND, x, word_mask); }
static MlirValue high_word(onnx_node_t *n, MlirValue x) { return with_integer(n, STRATA_OP_SHR_U, x, WORD_BITS); }

static MlirValue mix(onnx_node_t *n, MlirValue high, MlirValue word, uint32_t key) {
  return with_integer(n, STRATA_OP_XOR, strata_build_binary(n->b, STRATA_OP_XOR, high, word), (int64_t)key);
}

static void philox_round(onnx_node_t *n, block_t *c, const uint32_t *key) {
  MlirValue p0 = with_integer(n, STRATA_OP_MUL, c->words[0], (int64_t)multipliers[0]);
  MlirValue p1 = with_integer(n, STRATA_OP_MUL, c->words[2], (int64_t)multipliers[1]);
  *c = (block_t){{mix(n, high_word(n, p1), c->words[1], key[0]), low_word(n, p1),
                  mix(n, high_word(n, p0), c->words[3], key[1]), low_word(n, p0)}};
}

//===-- The stream -----------------------------------------------------------------------------------------------===//

// The key of the node, once for each time it is imported: in the body of a loop it would be the same in all iterations.
static void next_key(onnx_node_t *n, uint32_t *out) {
  onnx_importer_t *importer = n->importer;
  if (importer->is_trial) {
    onnx_unsupported(n, "in a loop that is not unrolled, where each iteration needs other numbers");
    out[0] = out[1] = 0;
    return;
  }
  const Onnx__AttributeProto *seed = onnx_attr(n, "seed");
  strata_arena_t *arena = n->b->compile->arena;
  if (!seed) {
    out[0] = ++importer->n_unseeded;
    out[1] = UINT32_MAX;
    return;
  }
  // As an address, since names need not be unique; it never reaches the result.
  const char *node = strata_arena_printf(arena, "%p", (const void *)n->proto);
  uintptr_t copies = (uintptr_t)strata_string_map_get(&importer->seeded, node);
  strata_string_map_put(arena, &importer->seeded, node, (void *)(copies + 1));
  memcpy(&out[0], &seed->f, sizeof seed->f);
  if (seed->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT)
    out[0] = (uint32_t)seed->i;
  out[1] = (uint32_t)copies;
}

// The four words of each element of a tensor of that shape.
static block_t philox(onnx_node_t *n, int rank, const int64_t *dims) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++)
    count *= dims[i];
  MlirValue place = onnx_reshape(n, onnx_iota(n, STRATA_TYPE_I64, 1, &count, 0), rank, dims);
  MlirValue zero = onnx_integer(n, place, 0), call = n->importer->seed_input;
  call = mlirValueIsNull(call) ? zero : onnx_broadcast_to(n, call, rank, dims);
  block_t block = {{low_word(n, place), high_word(n, place), low_word(n, call), high_word(n, call)}};
  uint32_t key[2];
  next_key(n, key);
  for (int i = 0; i < N_ROUNDS && !onnx_failed(n); i++) {
    philox_round(n, &block, key);
    key[0] += weyl[0];
    key[1] += weyl[1];
  }
  return block;
}

//===-- Distributions --------------------------------------------------------------------------------------------===//

// In [0, 1), of words |w| and |w| + 1: as many bits as a float of |type| has. With |above_zero| in (0, 1].
static MlirValue uniform(onnx_node_t *n, const block_t *block, int w, strata_type_t type, bool above_zero) {
  bool is_double = type == STRATA_TYPE_F64;
  MlirValue bits = block->words[w];
  if (is_double)
    bits = strata_build_binary(n->b, STRATA_OP_OR, with_integer(n, STRATA_OP_SHL, bits, 21),
                               with_integer(n, STRATA_OP_SHR_U, block->words[w + 1], 11));
  else
    bits = with_integer(n, STRATA_OP_SHR_U, bits, 8);
  if (above_zero)
    bits = with_integer(n, STRATA_OP_ADD, bits, 1);
  return onnx_with_number(n, STRATA_OP_MUL, onnx_convert(n, bits, false, type, false), ldexp(1, is_double ? -53 : -24));
}

// Box and Muller's transform, of which the cosine is used.
static MlirValue normal(onnx_node_t *n, const block_t *block, strata_type_t type) {
  const double two_pi = 6.28318530717958647692;
  MlirValue log = onnx_unary(n, STRATA_OP_LOG, uniform(n, block, 0, type, true));
  MlirValue radius = onnx_unary(n, STRATA_OP_SQRT, onnx_with_number(n, STRATA_OP_MUL, log, -2));
  int second = type == STRATA_TYPE_F64 ? 2 : 1;
  MlirValue angle = onnx_with_number(n, STRATA_OP_MUL, uniform(n, block, second, type, false), two_pi);
  return onnx_binary(n, STRATA_OP_MUL, radius, onnx_unary(n, STRATA_OP_COS, angle));
}

// Random numbers are computed in f64 for f64, in f32 otherwise.
static strata_type_t computed_type(strata_type_t type) {
  return type == STRATA_TYPE_F64 ? STRATA_TYPE_F64 : STRATA_TYPE_F32;
}

// Scaled and moved: low and high - low, or mean and deviation.
static void set_scaled(onnx_node_t *n, MlirValue x, double scale, double offset, strata_type_t type) {
  x = onnx_with_number(n, STRATA_OP_ADD, onnx_with_number(n, STRATA_OP_MUL, x, scale), offset);
  onnx_set(n, 0, onnx_convert(n, x, false, type, false));
}

//===-- Tensors of random numbers --------------------------------------------------------------------------------===//

// The shape of the result: an attribute, or the operand's. The type: an attribute, or |otherwise|.
static bool read_result(onnx_node_t *n, strata_type_t otherwise, onnx_shape_t *out) {
  bool is_unsigned = false;
  int64_t count, dtype = onnx_attr_int(n, "dtype", 0);
  const int64_t *dims = onnx_attr_ints(n, "shape", &count);
  if (n->n_inputs > 0)
    *out = onnx_operand_sizes(n, 0);
  else if (count <= STRATA_MAX_RANK)
    *out = (onnx_shape_t){.rank = (int)count};
  else
    onnx_unsupported(n, "expected at most %d dimensions, got %lld", STRATA_MAX_RANK, (long long)count);
  for (int i = 0; n->n_inputs == 0 && !onnx_failed(n) && i < out->rank; i++) {
    out->dims[i] = dims[i];
    if (dims[i] < 0)
      onnx_invalid(n, "attribute 'shape': got a size of %lld", (long long)dims[i]);
  }
  out->type = otherwise;
  if (dtype && !onnx_element_type(dtype, &out->type, &is_unsigned))
    onnx_unsupported(n, "elements of type %s", onnx_data_type_name(dtype));
  return !onnx_failed(n);
}

static bool read_float_result(onnx_node_t *n, onnx_shape_t *out) {
  *out = (onnx_shape_t){.rank = 0};
  strata_type_t otherwise = n->n_inputs > 0 ? onnx_operand_shape(n, 0).type : STRATA_TYPE_F32;
  if (read_result(n, otherwise, out) && strata_type_info[out->type].kind != STRATA_TYPE_KIND_FLOAT)
    onnx_invalid(n, "expected a result of a float type, got %s", onnx_type_name(out->type, false));
  return !onnx_failed(n);
}

void onnx_import_random_uniform(onnx_node_t *n) {
  onnx_shape_t shape;
  double low = onnx_attr_float(n, "low", 0), high = onnx_attr_float(n, "high", 1);
  if (!read_float_result(n, &shape))
    return;
  block_t block = philox(n, shape.rank, shape.dims);
  set_scaled(n, uniform(n, &block, 0, computed_type(shape.type), false), high - low, low, shape.type);
}

void onnx_import_random_normal(onnx_node_t *n) {
  onnx_shape_t shape;
  double mean = onnx_attr_float(n, "mean", 0), deviation = onnx_attr_float(n, "scale", 1);
  if (!read_float_result(n, &shape))
    return;
  block_t block = philox(n, shape.rank, shape.dims);
  set_scaled(n, normal(n, &block, computed_type(shape.type)), deviation, mean, shape.type);
}

// 1 where a uniform number is below the operand.
void onnx_import_bernoulli(onnx_node_t *n) {
  onnx_shape_t shape;
  bool is_unsigned = false;
  strata_type_t own = onnx_operand_shape(n, 0).type, type = computed_type(own);
  int64_t dtype = onnx_attr_int(n, "dtype", 0);
  if (!read_result(n, own, &shape))
    return;
  if (dtype)
    onnx_element_type(dtype, &shape.type, &is_unsigned);
  block_t block = philox(n, shape.rank, shape.dims);
  MlirValue hit = onnx_binary(n, STRATA_OP_LT, uniform(n, &block, 0, type, false),
                              onnx_convert(n, onnx_operand(n, 0), false, type, false));
  onnx_set_value(n, 0,
                 (onnx_value_t){.kind = ONNX_TENSOR,
                                .is_unsigned = is_unsigned,
                                .tensor = onnx_convert(n, hit, false, shape.type, is_unsigned)});
}

//===-- Choices --------------------------------------------------------------------------------------------------===//

// The running sums of the probabilities exp(x) of [batch, classes], up to a factor.
static MlirValue cumulated(onnx_node_t *n, MlirValue x) {
  const bool classes[2] = {false, true};
  MlirValue greatest = onnx_reduce(n, STRATA_COMBINER_MAX, x, classes, true);
  MlirValue odds = onnx_unary(n, STRATA_OP_EXP, onnx_binary(n, STRATA_OP_SUB, x, greatest));
  return strata_build_scan(n->b, STRATA_COMBINER_ADD, odds, 1, false, false);
}

// A sample is the number of running sums at or below a uniform part of the last one.
void onnx_import_multinomial(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  onnx_shape_t shape = onnx_sizes(n, x);
  int64_t n_samples = onnx_attr_int(n, "sample_size", 1), dtype = onnx_attr_int(n, "dtype", 6);
  strata_type_t type, computed = computed_type(shape.type);
  bool is_unsigned;
  if (!onnx_failed(n) && (shape.rank != 2 || shape.dims[1] < 1 || n_samples < 1 || n_samples > INT32_MAX))
    onnx_invalid(n, "expected 2 dimensions, one class or more and a positive number of samples");
  if (!onnx_failed(n) && (!onnx_element_type(dtype, &type, &is_unsigned) ||
                          (type != STRATA_TYPE_I32 && type != STRATA_TYPE_I64) || is_unsigned))
    onnx_invalid(n, "attribute 'dtype': expected INT32 or INT64, got %s", onnx_data_type_name(dtype));
  if (onnx_failed(n))
    return;
  MlirValue sums = cumulated(n, onnx_convert(n, x, false, computed, false));
  block_t block = philox(n, 2, (int64_t[]){shape.dims[0], n_samples});
  MlirValue part = onnx_binary(n, STRATA_OP_MUL, uniform(n, &block, 0, computed, false),
                               onnx_slice_axis(n, sums, 1, shape.dims[1] - 1, 1, 1));
  MlirValue below = onnx_binary(n, STRATA_OP_LE, onnx_insert_axis(n, sums, 1), onnx_insert_axis(n, part, 2));
  MlirValue count = onnx_reduce(n, STRATA_COMBINER_ADD, onnx_convert(n, below, false, type, false),
                                (const bool[]){false, false, true}, false);
  // Rounding may bring the part up to the last sum.
  onnx_set(n, 0, onnx_with_number(n, STRATA_OP_MIN, count, (double)(shape.dims[1] - 1)));
}

//===-- Dropout --------------------------------------------------------------------------------------------------===//

// The share of elements that are dropped: an attribute before opset 12.
static MlirValue dropout_ratio(onnx_node_t *n, strata_type_t type) {
  if (n->opset < 12 || !onnx_has(n, 1))
    return onnx_splat(n, type, 0, NULL, onnx_attr_float(n, "ratio", 0.5));
  return onnx_reshape(n, onnx_convert(n, onnx_operand(n, 1), false, type, false), 0, NULL);
}

// Drops each element where a uniform number is below the ratio, and scales the others so that the mean stays.
static MlirValue drop(onnx_node_t *n, MlirValue x, MlirValue *out_kept) {
  onnx_shape_t shape = onnx_sizes(n, x);
  strata_type_t type = computed_type(shape.type);
  MlirValue ratio = dropout_ratio(n, type);
  block_t block = philox(n, shape.rank, shape.dims);
  *out_kept = onnx_binary(n, STRATA_OP_GE, uniform(n, &block, 0, type, false), ratio);
  MlirValue scale = onnx_binary(n, STRATA_OP_DIV, onnx_number(n, ratio, 1),
                                onnx_binary(n, STRATA_OP_SUB, onnx_number(n, ratio, 1), ratio));
  MlirValue scaled = onnx_binary(n, STRATA_OP_MUL, onnx_convert(n, x, false, type, false), scale);
  return onnx_convert(n, onnx_select(n, *out_kept, scaled, onnx_number(n, scaled, 0)), false, shape.type, false);
}

// Nothing is dropped in inference.
void onnx_import_dropout(onnx_node_t *n) {
  MlirValue x = onnx_operand(n, 0);
  strata_shape_t shape = onnx_shape(x);
  bool training = n->opset < 7 ? !onnx_attr_int(n, "is_test", 0) : onnx_constant_int(n, 2, 0) != 0;
  MlirValue kept = onnx_splat_dims(n, STRATA_TYPE_I1, shape.rank, shape.dims, 1);
  if (training && !onnx_failed(n))
    x = drop(n, x, &kept);
  onnx_set(n, 0, x);
  onnx_set(n, 1, onnx_convert(n, kept, false, n->opset < 10 ? shape.type : STRATA_TYPE_I1, false));
}
