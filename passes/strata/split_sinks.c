// strata-split-sinks: a softmax of scores and a sink side by side, of which the sink's own share is cut off, is one of
// the scores with the sink in its maximum and sum, so that attention with sinks has no rows of one element more:
//
//   slice(softmax(concat(%x, %s)), all of %x)   ->   softmax_with_sink(%x, %s)
//
// The softmax may be of what is shifted by its rows' maximum before, which changes nothing, and be converted.
#include "passes/pass.h"
#include "passes/strata/views.h"

typedef struct {
  MlirValue joined;           // scores and sink
  strata_type_t inner, outer; // types of the softmax and of what is cut
  int64_t axis;
} sunk_t;

static MlirValue under_conversions(MlirValue value) {
  MlirOperation op = strata_def_if(value, STRATA_OP_CONVERT);
  for (; !mlirOperationIsNull(op); op = strata_def_if(value, STRATA_OP_CONVERT))
    value = strata_operand(op, 0);
  return value;
}

static bool is_float(MlirValue value) {
  return strata_type_info[strata_shape_of(value).type].kind == STRATA_TYPE_KIND_FLOAT;
}

// True if |value| is the maximum of |x| along |axis|, in all of its elements.
static bool is_maximum(MlirValue value, MlirValue x, int64_t axis) {
  MlirOperation op = strata_def(under_conversions(value));
  int64_t axes[STRATA_MAX_RANK];
  while (!mlirOperationIsNull(op) && (strata_op_id(op) == STRATA_OP_BROADCAST ||
                                      strata_op_id(op) == STRATA_OP_RESHAPE || strata_op_id(op) == STRATA_OP_CONVERT))
    op = strata_def(strata_operand(op, 0));
  return !mlirOperationIsNull(op) && strata_op_id(op) == STRATA_OP_REDUCE &&
         strata_op_combiner(op) == STRATA_COMBINER_MAX && strata_attr_i64s(op, "axes", STRATA_MAX_RANK, axes) == 1 &&
         axes[0] == axis && mlirValueEqual(under_conversions(strata_operand(op, 0)), x);
}

static MlirValue without_shift(MlirValue x, int64_t axis) {
  x = under_conversions(x);
  MlirOperation sub = strata_def_if(x, STRATA_OP_SUB);
  if (mlirOperationIsNull(sub))
    return x;
  MlirValue shifted = under_conversions(strata_operand(sub, 0));
  return is_maximum(strata_operand(sub, 1), shifted, axis) ? shifted : x;
}

// What a slice cuts.
static bool read_softmax(MlirValue value, sunk_t *out) {
  MlirValue softmax = under_conversions(value);
  MlirOperation op = strata_def(softmax);
  if (mlirOperationIsNull(op) || strata_op_composite(op) != STRATA_COMPOSITE_SOFTMAX ||
      !strata_value_has_one_use(softmax) || !strata_value_has_one_use(value) || !is_float(value) ||
      strata_attr_i64s(op, "axes", 1, &out->axis) != 1)
    return false;
  out->inner = strata_shape_of(softmax).type;
  out->outer = strata_shape_of(value).type;
  out->joined = without_shift(strata_operand(op, 0), out->axis);
  return is_float(out->joined);
}

static MlirValue split_sink(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  sunk_t sunk;
  strata_slice_t slice;
  if (id != STRATA_OP_SLICE || !strata_slice_read(op, &slice) || !read_softmax(strata_operand(op, 0), &sunk))
    return STRATA_NO_VALUE;
  MlirOperation concat = strata_def_if(sunk.joined, STRATA_OP_CONCAT);
  if (mlirOperationIsNull(concat) || strata_attr_i64(concat, "axis", -1) != sunk.axis)
    return STRATA_NO_VALUE;
  strata_shape_t whole = strata_shape_of(sunk.joined), scores = strata_shape_of(strata_operand(concat, 0)),
                 sink = strata_shape_of(strata_operand(concat, 1));
  for (int i = 0; i < whole.rank; i++)
    if (slice.starts[i] != 0 || slice.steps[i] != 1 || !strata_dim_equal(slice.sizes[i], scores.dims[i]))
      return STRATA_NO_VALUE;
  if (!strata_dim_is(sink.dims[sunk.axis], 1))
    return STRATA_NO_VALUE;
  MlirValue parts[2];
  for (int i = 0; i < 2; i++)
    parts[i] = strata_build_convert(&r->build, STRATA_OP_CONVERT, strata_operand(concat, i), sunk.inner);
  strata_attr_value_t axes = {.n_i64s = 1, .i64s = &sunk.axis};
  MlirValue result = strata_build_composite(&r->build, STRATA_COMPOSITE_SOFTMAX_WITH_SINK, 2, parts, 1, &axes);
  return strata_build_convert(&r->build, STRATA_OP_CONVERT, result, sunk.outer);
}

strata_status_t strata_pass_split_sinks(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  if (options->disable_unsafe_math || options->disable_fast_math)
    return NULL;
  return strata_rewrite(compile, split_sink);
}
