// strata-split-upsampled: a convolution of what was enlarged by repeating its elements is one of the small image for
// each phase of its result.
//
//   u[j] = x[j / s],  y[o] = sum over t of u[o + t + b] * w[t]
//     ->  y[s * q + r] = sum over e of x[q + e] * (the sum of all w[t] with (r + t + b) / s = e)
//
// A phase has fewer taps than the kernel, where several of these read one element: 2 x 2 of 3 x 3 for an image of twice
// the height and width. What is outside of u is outside of x, too: the padding stays zeros. What the phases compute
// interleaves, which a concat along them and a reshape say, as of transposed convolutions. The weights' sums are
// computed once, by the preparation program, and round differently: so the pass is off under
// --polyblocks-disable-unsafe-math-canonicalizations.
#include "dialects/affine/simplify.h"
#include "passes/affine/explain.h"
#include "passes/pass.h"
#include "passes/strata/contract.h"
#include "passes/strata/views.h"
#include "passes/target.h"

enum { MAX_PRODUCTS = 16, MAX_TAPS = 64 };

// A dim of the image that was enlarged, and that a dim of the kernel moves along.
typedef struct {
  int position; // among the image's
  int64_t factor;
  int place, tap; // dims of the contract: along the result, along the kernel
  int axis;       // of the weights
  int64_t taps, base;
} enlarged_t;

typedef struct {
  strata_rewriter_t *r;
  strata_contract_t contract;
  MlirValue small; // the image before it was enlarged, perhaps in another shape,
  strata_dim_t dims[STRATA_MAX_RANK];
  int64_t factors[STRATA_MAX_RANK];
  int n_enlarged;
  enlarged_t enlarged[STRATA_MAX_RANK];
} splitter_t;

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// The part of |dim| that |factor| divides it into; false if it need not.
static bool part_of(const splitter_t *s, strata_dim_t dim, int64_t factor, strata_dim_t *out) {
  return strata_dim_divide(dim, strata_dim_constant(s->r->compile->context, factor), out);
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

// The dim of the broadcast's result that its operand's dim |*next| is, or the first one after it that is not of size 1
// and read at 0; -1 if there is none left.
static int next_dim(MlirAffineMap map, int *next) {
  while (*next < mlirAffineMapGetNumResults(map) && strata_expr_dim(mlirAffineMapGetResult(map, *next)) < 0)
    ++*next;
  return *next < mlirAffineMapGetNumResults(map) ? strata_expr_dim(mlirAffineMapGetResult(map, *next)) : -1;
}

// True if dim |dim| of the broadcast's result is one of its operand's, in |*next|'s turn; false if elements repeat
// along it.
static bool is_of_operand(MlirAffineMap map, int dim, int *next) {
  bool is_read = next_dim(map, next) == dim;
  *next += is_read;
  return is_read;
}

// Looks through a broadcast that repeats each element in its place: in the image its dims of repetition are merged into
// those in front of them. False, and nothing is changed, if it is another.
static bool see_through(splitter_t *s, MlirOperation broadcast, int rank) {
  strata_dim_group_t groups[2 * STRATA_MAX_RANK];
  strata_shape_t in = strata_shape_of(strata_result(broadcast)), out = {.rank = rank};
  strata_dim_t dims[STRATA_MAX_RANK];
  MlirAffineMap map = strata_map(broadcast);
  int64_t factors[STRATA_MAX_RANK];
  int next = 0, n = 0;
  memcpy(out.dims, s->dims, sizeof s->dims);
  n = strata_reshape_groups(&in, &out, groups);
  for (int i = 0; i < rank; i++)
    factors[i] = 1;
  for (int g = 0; g < n; g++)
    for (int i = 0; i < groups[g].n_in; i++) {
      int64_t size;
      bool is_known = strata_dim_is_constant(in.dims[groups[g].in + i], &size), is_one = is_known && size == 1;
      if (is_of_operand(map, groups[g].in + i, &next) || is_one)
        continue;
      if (groups[g].n_out != 1 || i == 0 || i + 1 != groups[g].n_in || factors[groups[g].out] != 1)
        return false;
      if (!is_known)
        return false;
      factors[groups[g].out] = size;
    }
  if (n < 0 || next_dim(map, &next) >= 0)
    return false;
  for (int i = 0; i < rank; i++)
    if (!part_of(s, s->dims[i], factors[i], &dims[i]))
      return false;
  for (int i = 0; i < rank; i++) {
    s->factors[i] *= factors[i];
    s->dims[i] = dims[i];
  }
  s->small = strata_operand(broadcast, 0);
  return true;
}

// Finds the image that |value| is an enlarged one of; false if it is none.
static bool read_image(splitter_t *s, MlirValue value) {
  strata_shape_t shape = strata_shape_of(value);
  bool is_enlarged = false;
  s->small = value;
  memcpy(s->dims, shape.dims, sizeof shape.dims);
  for (int i = 0; i < shape.rank; i++)
    s->factors[i] = 1;
  for (MlirOperation op = strata_def(value); !mlirOperationIsNull(op); op = strata_def(s->small)) {
    if (strata_op_id(op) == STRATA_OP_RESHAPE)
      s->small = strata_operand(op, 0);
    else if (strata_op_id(op) == STRATA_OP_BROADCAST && see_through(s, op, shape.rank))
      is_enlarged = true;
    else
      break;
  }
  return is_enlarged;
}

// Reads place + tap + base; false if the image is read otherwise along the dim.
static bool read_window(MlirContext context, const strata_contract_t *c, enlarged_t *d) {
  MlirAffineExpr expr = c->exprs[0][d->position], zeros[STRATA_MAX_RANK];
  d->place = d->tap = -1;
  for (int i = 0; i < c->n_dims; i++) {
    int *found = i < c->result_rank ? &d->place : &d->tap;
    int64_t coefficient;
    zeros[i] = mlirAffineConstantExprGet(context, 0);
    if (!strata_affine_coefficient(expr, i, &coefficient) || (coefficient != 0 && coefficient != 1))
      return false;
    if (coefficient == 1 && *found >= 0)
      return false;
    *found = coefficient == 1 ? i : *found;
  }
  MlirAffineExpr base = mlirAffineExprCompose(expr, mlirAffineMapGet(context, 0, 0, c->n_dims, zeros));
  if (d->place < 0 || d->tap < 0 || !mlirAffineExprIsAConstant(base))
    return false;
  d->base = mlirAffineConstantExprGetValue(base);
  d->axis = strata_contract_position(c, 1, d->tap);
  return d->axis >= 0 && strata_dim_is_constant(c->dims[d->tap], &d->taps) && d->taps <= MAX_TAPS;
}

// True if nothing but the window along |d| walks its dims.
static bool walks_alone(const strata_contract_t *c, const enlarged_t *d) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < c->n_exprs[k]; i++) {
      bool is_own = k == 0 ? i == d->position : i == d->axis;
      if (!is_own && (mlirAffineExprIsFunctionOfDim(c->exprs[k][i], d->place) ||
                      mlirAffineExprIsFunctionOfDim(c->exprs[k][i], d->tap)))
        return false;
    }
  return true;
}

static bool read_enlarged(splitter_t *s) {
  const strata_contract_t *c = &s->contract;
  int64_t n_products = 1, n_taps = 1, fewer = 1;
  strata_dim_t part;
  for (int i = 0; i < c->n_exprs[0]; i++) {
    if (s->factors[i] == 1)
      continue;
    enlarged_t *d = &s->enlarged[s->n_enlarged++];
    *d = (enlarged_t){.position = i, .factor = s->factors[i]};
    if (!read_window(s->r->compile->context, c, d) || !walks_alone(c, d) ||
        !part_of(s, c->dims[d->place], d->factor, &part))
      return false;
    int64_t own = 0;
    for (int64_t r = 0; r < d->factor; r++)
      own += floor_div(r + d->taps - 1 + d->base, d->factor) - floor_div(r + d->base, d->factor) + 1;
    n_products *= d->factor;
    n_taps *= d->factor * d->taps;
    fewer *= own;
  }
  return n_products <= MAX_PRODUCTS && fewer < n_taps;
}

static bool read(splitter_t *s, MlirOperation op) {
  strata_type_t type = strata_shape_of(strata_operand(op, 1)).type;
  return (type == STRATA_TYPE_F32 || type == STRATA_TYPE_F64) && read_image(s, strata_operand(op, 0)) &&
         strata_rewriter_is_constant(s->r, strata_operand(op, 1)) &&
         strata_contract_read(s->r->compile, op, &s->contract) && read_enlarged(s);
}

//===-- Building -------------------------------------------------------------------------------------------------===//

static MlirValue slice_axis(splitter_t *s, MlirValue x, int axis, int64_t start) {
  int64_t starts[STRATA_MAX_RANK] = {0}, steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  strata_sizes_of(x, sizes);
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    steps[i] = 1;
  starts[axis] = start;
  sizes[axis] = 1;
  return strata_build_slice(&s->r->build, x, starts, steps, sizes);
}

// The weights of phase |phase| along |d|: sums of those whose taps read one element.
static MlirValue sum_taps(splitter_t *s, MlirValue weights, const enlarged_t *d, int64_t phase) {
  MlirValue sums[MAX_TAPS];
  int n = 0;
  for (int64_t t = 0; t < d->taps; t++) {
    MlirValue tap = slice_axis(s, weights, d->axis, t);
    bool is_same = t > 0 && floor_div(phase + t + d->base, d->factor) == floor_div(phase + t - 1 + d->base, d->factor);
    if (is_same)
      sums[n - 1] = strata_build_binary(&s->r->build, STRATA_OP_ADD, sums[n - 1], tap);
    else
      sums[n++] = tap;
  }
  return n == 1 ? sums[0] : strata_build_concat(&s->r->build, n, sums, d->axis);
}

// The convolution of the small image that computes the phases |phases|, one of each enlarged dim; with a dim of size 1
// behind each of those.
static MlirValue build_phase(splitter_t *s, MlirValue image, const int64_t *phases) {
  MlirContext context = s->r->compile->context;
  strata_contract_t c = s->contract;
  strata_dim_t dims[STRATA_MAX_RANK];
  int rank = 0, behind[STRATA_MAX_RANK] = {0};
  c.operands[0] = image;
  for (int i = 0; i < s->n_enlarged; i++) {
    const enlarged_t *d = &s->enlarged[i];
    int64_t first = floor_div(phases[i] + d->base, d->factor);
    int64_t taps = floor_div(phases[i] + d->taps - 1 + d->base, d->factor) - first + 1;
    MlirAffineExpr place = mlirAffineDimExprGet(context, d->place), tap = mlirAffineDimExprGet(context, d->tap);
    c.exprs[0][d->position] =
        mlirAffineAddExprGet(mlirAffineAddExprGet(place, tap), mlirAffineConstantExprGet(context, first));
    part_of(s, c.dims[d->place], d->factor, &c.dims[d->place]);
    c.dims[d->tap] = strata_dim_constant(context, taps);
    c.operands[1] = sum_taps(s, c.operands[1], d, phases[i]);
    c.zero_pad = c.zero_pad || first < 0;
    behind[d->place] = 1;
  }
  for (int i = 0; i < c.result_rank; i++) {
    dims[rank++] = c.dims[i];
    if (behind[i])
      dims[rank++] = strata_dim_constant(context, 1);
  }
  return strata_build_reshape(&s->r->build, strata_contract_build(&s->r->build, &c), rank, dims);
}

// The axis of the phases along |d| in what build_phase gives.
static int64_t axis_of(const splitter_t *s, const enlarged_t *d) {
  int64_t axis = d->place + 1;
  for (int i = 0; i < s->n_enlarged; i++)
    axis += s->enlarged[i].place < d->place;
  return axis;
}

// All phases of the enlarged dims from |i| on, given those of the dims before, side by side.
static MlirValue build_from(splitter_t *s, MlirValue image, int i, int64_t *phases) {
  MlirValue values[MAX_PRODUCTS];
  if (i == s->n_enlarged)
    return build_phase(s, image, phases);
  const enlarged_t *d = &s->enlarged[i];
  for (phases[i] = 0; phases[i] < d->factor; phases[i]++)
    values[phases[i]] = build_from(s, image, i + 1, phases);
  return strata_build_concat(&s->r->build, (int)d->factor, values, axis_of(s, d));
}

static MlirValue split(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  splitter_t s = {.r = r};
  int64_t phases[STRATA_MAX_RANK];
  if (id != STRATA_OP_CONTRACT || !read(&s, op))
    return STRATA_NO_VALUE;
  strata_shape_t result = strata_shape_of(strata_result(op));
  if (result.rank + s.n_enlarged > STRATA_MAX_RANK)
    return STRATA_NO_VALUE;
  char text[160];
  strata_location_text(mlirOperationGetLocation(op), text, sizeof text);
  strata_explain(r->compile, "convolution %s of an enlarged image: one of the small image for each phase", text);
  MlirValue image = strata_build_reshape(&r->build, s.small, s.contract.n_exprs[0], s.dims);
  return strata_build_reshape(&r->build, build_from(&s, image, 0, phases), result.rank, result.dims);
}

strata_status_t strata_pass_split_upsampled(strata_compile_t *compile) {
  bool is_wanted = !strata_target_is_gpu(compile) && !compile->options->disable_unsafe_math;
  return is_wanted ? strata_rewrite(compile, split) : NULL;
}
