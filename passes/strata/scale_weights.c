// strata-scale-weights: constant operands that f16 could not hold with all its digits are multiplied as powers of two
// times themselves, a channel of the result at a time.
//
//   contract(x, convert(w))  ->  mul(contract(x, convert(mul(w, s))), 1 / s)
//
// where s brings the largest weight of a channel of tiny, or of huge ones, to between 1 and 2, and is 1 for all others.
// Sums are of f32, so the results are the same but for what rounding the weights has cost: those below 6e-5 have fewer
// digits the smaller they are, those beyond 65504 are infinite. Weights of the usual sizes stay as they are, and so do
// those that are not known yet. Scales are computed from the weights by the preparation program, so that they suit
// others that take their place.
#include "passes/pass.h"
#include "passes/strata/contract.h"

#include <math.h>

enum { MAX_CHANNELS = 1 << 20 };

#define LEAST_MAXIMUM 0x1p-12 // of a channel: its smaller weights begin to lose digits below that
#define MOST_MAXIMUM 0x1p15
#define MAX_EXPONENT 100

typedef struct {
  int rank;
  int64_t sizes[STRATA_MAX_RANK];   // of the weights
  int64_t strides[STRATA_MAX_RANK]; // by which their dims walk channels; 0: those that are summed over
  int dims[STRATA_MAX_RANK];        // of the contract
  int64_t n_channels;
  float *values; // by channel
} channels_t;

//===-- Channels -------------------------------------------------------------------------------------------------===//

// The dims of operand |k| that are dims of the result; false if there is none, or the operand is read otherwise.
static bool read_channels(const strata_contract_t *c, int k, channels_t *out) {
  *out = (channels_t){.n_channels = 1};
  out->rank = strata_sizes_of(c->operands[k], out->sizes);
  for (int i = out->rank; i-- > 0;) {
    out->dims[i] = strata_expr_dim(c->exprs[k][i]);
    if (out->dims[i] < 0 || out->dims[i] >= c->result_rank || strata_contract_position(c, k, out->dims[i]) != i)
      continue;
    out->strides[i] = out->n_channels;
    out->n_channels *= out->sizes[i];
  }
  return out->rank > 0 && out->n_channels > 1 && out->n_channels <= MAX_CHANNELS;
}

// The last dims of one stride, 0 or 1, as one: their elements lie side by side, as do their channels, or have one.
typedef struct {
  int n_outer;    // dims in front of them
  int64_t length; // elements
  bool is_summed; // they have one channel
} run_t;

static run_t find_run(const channels_t *c) {
  run_t run = {.n_outer = c->rank, .length = 1, .is_summed = true};
  for (bool is_first = true; run.n_outer > 0; run.n_outer--) {
    int64_t size = c->sizes[run.n_outer - 1], stride = c->strides[run.n_outer - 1];
    if (size == 1)
      continue;
    run.is_summed = is_first ? stride == 0 : run.is_summed;
    if (stride != (run.is_summed ? 0 : run.length))
      return run;
    run.length *= size;
    is_first = false;
  }
  return run;
}

// The channel of the run behind that at |at|, which moves on.
static int64_t next_channel(const channels_t *c, int n_dims, int64_t *at, int64_t channel) {
  for (int i = n_dims; i-- > 0;) {
    channel += c->strides[i];
    if (++at[i] < c->sizes[i])
      return channel;
    channel -= c->strides[i] * c->sizes[i];
    at[i] = 0;
  }
  return channel;
}

// Magnitudes as bits, which are in order as integers are; those that are no numbers, beyond infinity, do not count.
static void raise_each(float *most, const char *data, int64_t count) {
  const int32_t magnitude = 0x7fffffff, infinity = 0x7f800000;
  for (int64_t i = 0; i < count; i++) {
    int32_t bits, before;
    memcpy(&bits, data + (size_t)i * sizeof bits, sizeof bits);
    memcpy(&before, &most[i], sizeof before);
    bits &= magnitude;
    bits = bits > infinity ? 0 : bits;
    bits = bits > before ? bits : before;
    memcpy(&most[i], &bits, sizeof bits);
  }
}

static void raise_one(float *most, const char *data, int64_t count) {
  enum { LANES = 16 };
  float lanes[LANES] = {0};
  for (; count >= LANES; count -= LANES, data += sizeof lanes)
    raise_each(lanes, data, LANES);
  raise_each(lanes, data, count);
  for (int i = 0; i < LANES; i++)
    *most = fmaxf(*most, lanes[i]);
}

// |constant| may be reshaped: its elements follow one another as before.
static bool raise_maxima(strata_compile_t *compile, MlirValue constant, channels_t *c) {
  const void *data;
  bool is_splat;
  MlirOperation reshape = strata_def_if(constant, STRATA_OP_RESHAPE);
  if (!mlirOperationIsNull(reshape))
    return raise_maxima(compile, strata_operand(reshape, 0), c);
  if (strata_shape_of(constant).type != STRATA_TYPE_F32 ||
      !strata_constant_bytes(compile, constant, &data, &is_splat) || is_splat)
    return false;
  int64_t at[STRATA_MAX_RANK] = {0}, n_runs = 1, channel = 0;
  run_t run = find_run(c);
  for (int i = 0; i < run.n_outer; i++)
    n_runs *= c->sizes[i];
  for (const char *from = data; n_runs-- > 0; from += (size_t)run.length * sizeof(float)) {
    (run.is_summed ? raise_one : raise_each)(&c->values[channel], from, run.length);
    channel = next_channel(c, run.n_outer, at, channel);
  }
  return true;
}

// Channels' maxima times a scale that varies along them alone.
static bool scale_maxima(strata_compile_t *compile, MlirValue scale, channels_t *c) {
  MlirOperation broadcast = strata_def_if(scale, STRATA_OP_BROADCAST);
  if (mlirOperationIsNull(broadcast))
    return false;
  channels_t along = *c;
  MlirAffineMap map = strata_map(broadcast);
  MlirValue source = strata_operand(broadcast, 0);
  along.rank = strata_sizes_of(source, along.sizes);
  int64_t stride = 1;
  for (int i = along.rank; i-- > 0; stride *= along.sizes[i]) {
    int dim = strata_expr_dim(mlirAffineMapGetResult(map, i));
    if (along.sizes[i] > 1 && (dim < 0 || c->strides[dim] != stride))
      return false;
    along.strides[i] = along.sizes[i] > 1 ? stride : 0;
  }
  if (stride != c->n_channels)
    return false;
  along.values = strata_arena_array(compile->arena, float, c->n_channels);
  if (!raise_maxima(compile, source, &along))
    return false;
  for (int64_t i = 0; i < c->n_channels; i++)
    c->values[i] *= along.values[i];
  return true;
}

// The largest weight of each channel, or more: of a constant, perhaps scaled, by one number or a channel at a time
// (strata-fold-batch-norm), and again (a layer's scale behind a batch norm).
static bool find_maxima(strata_compile_t *compile, MlirValue weights, channels_t *c) {
  MlirOperation mul = strata_def_if(weights, STRATA_OP_MUL);
  if (mlirOperationIsNull(mul)) {
    c->values = strata_arena_array(compile->arena, float, c->n_channels);
    return raise_maxima(compile, weights, c);
  }
  for (int i = 0; i < 2; i++) {
    MlirValue scale = strata_operand(mul, i), scaled = strata_operand(mul, 1 - i);
    strata_scalar_t number;
    if (strata_splat_of(scale, &number)) {
      if (!find_maxima(compile, scaled, c))
        return false;
      for (int64_t channel = 0; channel < c->n_channels; channel++)
        c->values[channel] *= (float)fabs(number.f64);
      return true;
    }
    if (!mlirOperationIsNull(strata_def_if(scale, STRATA_OP_BROADCAST)))
      return find_maxima(compile, scaled, c) && scale_maxima(compile, scale, c);
  }
  return false;
}

// True if f16 lacks digits, or range, for some channel.
static bool are_unusual(const channels_t *c) {
  bool result = false;
  for (int64_t i = 0; i < c->n_channels; i++)
    result |=
        isfinite(c->values[i]) && c->values[i] > 0 && (c->values[i] < LEAST_MAXIMUM || c->values[i] > MOST_MAXIMUM);
  return result;
}

//===-- Scaling --------------------------------------------------------------------------------------------------===//

static MlirValue binary(strata_rewriter_t *r, strata_op_id_t id, MlirValue x, double number) {
  return strata_build_binary(&r->build, id, x, strata_rewriter_splat(r, x, number));
}

// The power of two that each channel's largest weight is at least, as its exponent; 0 of the usual ones. It is computed
// like the weights themselves, anew when they are replaced.
static MlirValue build_exponents(strata_rewriter_t *r, const channels_t *c, MlirValue weights) {
  int64_t axes[STRATA_MAX_RANK];
  int n_axes = 0;
  for (int i = 0; i < c->rank; i++)
    if (!c->strides[i])
      axes[n_axes++] = i;
  MlirValue most = strata_build_unary(&r->build, STRATA_OP_ABS, weights);
  most = strata_build_reduce(&r->build, STRATA_COMBINER_MAX, most, n_axes, axes, false);
  MlirValue exponent = binary(r, STRATA_OP_MUL, strata_build_unary(&r->build, STRATA_OP_LOG, most), M_LOG2E);
  exponent = strata_build_unary(&r->build, STRATA_OP_FLOOR, exponent);
  exponent = binary(r, STRATA_OP_MAX, binary(r, STRATA_OP_MIN, exponent, MAX_EXPONENT), -MAX_EXPONENT);
  MlirValue is_usual = strata_build_binary(&r->build, STRATA_OP_AND, binary(r, STRATA_OP_GE, most, LEAST_MAXIMUM),
                                           binary(r, STRATA_OP_LE, most, MOST_MAXIMUM));
  return strata_build_select(&r->build, is_usual, strata_rewriter_splat(r, exponent, 0), exponent);
}

// Two to |exponents|, broadcast to |shape|, whose dims the channels go along by |places|.
static MlirValue build_scale(strata_rewriter_t *r, const channels_t *c, MlirValue exponents, const int *places,
                             const strata_shape_t *shape) {
  MlirContext context = r->compile->context;
  MlirAffineExpr exprs[STRATA_MAX_RANK];
  strata_shape_t wide = *shape;
  int n = 0;
  for (int i = 0; i < c->rank; i++)
    if (c->strides[i])
      exprs[n++] = mlirAffineDimExprGet(context, places[i]);
  wide.type = STRATA_TYPE_F32;
  MlirValue scale = strata_build_unary(&r->build, STRATA_OP_EXP2, exponents);
  return strata_build_broadcast(&r->build, scale, &wide, mlirAffineMapGet(context, wide.rank, 0, n, exprs));
}

static MlirValue scale_contract(strata_rewriter_t *r, MlirOperation op, int k) {
  strata_contract_t c;
  channels_t channels;
  MlirOperation rounding = strata_def_if(strata_operand(op, k), STRATA_OP_CONVERT);
  if (mlirOperationIsNull(rounding) || !strata_rewriter_is_constant(r, strata_operand(op, k)) ||
      strata_rewriter_is_constant(r, strata_operand(op, 1 - k)) || !strata_contract_read(r->compile, op, &c) ||
      c.type != STRATA_TYPE_F32 || strata_shape_of(c.operands[k]).type != STRATA_TYPE_F16)
    return STRATA_NO_VALUE;
  MlirValue weights = strata_operand(rounding, 0);
  if (!read_channels(&c, k, &channels) || !find_maxima(r->compile, weights, &channels) || !are_unusual(&channels))
    return STRATA_NO_VALUE;
  int own[STRATA_MAX_RANK];
  for (int i = 0; i < channels.rank; i++)
    own[i] = i;
  strata_shape_t shape = strata_shape_of(weights), result = strata_shape_of(strata_result(op));
  MlirValue exponents = build_exponents(r, &channels, weights);
  MlirValue inverse = strata_build_unary(&r->build, STRATA_OP_NEG, exponents);
  MlirValue scaled =
      strata_build_binary(&r->build, STRATA_OP_MUL, weights, build_scale(r, &channels, inverse, own, &shape));
  c.operands[k] = strata_build_convert(&r->build, STRATA_OP_CONVERT, scaled, STRATA_TYPE_F16);
  MlirValue product = strata_contract_build(&r->build, &c);
  return strata_build_binary(&r->build, STRATA_OP_MUL, product,
                             build_scale(r, &channels, exponents, channels.dims, &result));
}

static MlirValue scale(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  MlirValue scaled = id == STRATA_OP_CONTRACT ? scale_contract(r, op, 0) : STRATA_NO_VALUE;
  return id == STRATA_OP_CONTRACT && mlirValueIsNull(scaled) ? scale_contract(r, op, 1) : scaled;
}

strata_status_t strata_pass_scale_weights(strata_compile_t *compile) { return strata_rewrite(compile, scale); }
