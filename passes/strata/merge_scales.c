// strata-merge-scales: constant scales of parts of a product are one scale of the whole, which its kernel applies.
//
//   %q = mul(slice(%y), splat a)   %k = mul(slice(%y), splat b)   %v = slice(%y)
//     -> %z = mul(%y, broadcast(concat(a, b, 1)))   %q = slice(%z)   %k = slice(%z)   %v = slice(%z)
//
// where %y is a contract, perhaps plus something, and read by such slices alone. Results are the same to the bit.
#include "passes/pass.h"
#include "passes/strata/views.h"

enum { MAX_PARTS = 8 };

typedef struct {
  MlirOperation slice, scale; // the latter null: none
  strata_scalar_t factor;
  int64_t start, size;
} part_t;

typedef struct {
  MlirValue value;
  int dim;      // along which it is cut; negative: not known yet
  int64_t size; // of that dim, a number
  int n;
  part_t parts[MAX_PARTS]; // in order
} whole_t;

static bool is_product(MlirValue value) {
  MlirOperation add = strata_def_if(value, STRATA_OP_ADD);
  if (mlirOperationIsNull(add))
    return !mlirOperationIsNull(strata_def_if(value, STRATA_OP_CONTRACT));
  for (int i = 0; i < 2; i++)
    if (!mlirOperationIsNull(strata_def_if(strata_operand(add, i), STRATA_OP_CONTRACT)) &&
        strata_value_has_one_use(strata_operand(add, i)))
      return true;
  return false;
}

static void read_scale(part_t *part) {
  MlirValue value = strata_result(part->slice);
  if (!strata_value_has_one_use(value))
    return;
  MlirOpOperand use = mlirValueGetFirstUse(value);
  MlirOperation user = mlirOpOperandGetOwner(use);
  if (strata_op_id(user) == STRATA_OP_MUL &&
      strata_splat_of(strata_operand(user, 1 - (int)mlirOpOperandGetOperandNumber(use)), &part->factor))
    part->scale = user;
}

// Adds the part that |slice| is; false if it is cut otherwise than the others, or meets one.
static bool add_part(whole_t *whole, MlirOperation slice) {
  strata_slice_t taken;
  strata_shape_t all = strata_shape_of(whole->value);
  part_t part = {.slice = slice};
  if (whole->n == MAX_PARTS || !strata_slice_read(slice, &taken))
    return false;
  for (int dim = 0; dim < all.rank; dim++) {
    bool is_cut = !strata_dim_equal(taken.sizes[dim], all.dims[dim]);
    if (taken.steps[dim] != 1 || (is_cut && whole->dim >= 0 && whole->dim != dim))
      return false;
    if (is_cut)
      whole->dim = dim;
  }
  if (whole->dim < 0 || !strata_dim_is_constant(all.dims[whole->dim], &whole->size) ||
      !strata_dim_is_constant(taken.sizes[whole->dim], &part.size))
    return false;
  part.start = taken.starts[whole->dim];
  read_scale(&part);
  int at = whole->n++;
  for (; at > 0 && whole->parts[at - 1].start > part.start; at--)
    whole->parts[at] = whole->parts[at - 1];
  whole->parts[at] = part;
  return true;
}

static bool read_whole(MlirValue value, whole_t *out) {
  bool is_scaled = false;
  *out = (whole_t){.value = value, .dim = -1};
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (strata_op_id(user) != STRATA_OP_SLICE || !add_part(out, user))
      return false;
  }
  int64_t end = 0;
  for (int i = 0; i < out->n; i++) {
    if (out->parts[i].start < end)
      return false;
    end = out->parts[i].start + out->parts[i].size;
    is_scaled |= !mlirOperationIsNull(out->parts[i].scale);
  }
  return is_scaled;
}

static MlirValue scalars(strata_builder_t *b, const whole_t *whole, int64_t size, const part_t *part) {
  strata_shape_t shape = {.type = strata_shape_of(whole->value).type, .rank = 1};
  shape.dims[0] = strata_dim_constant(b->compile->context, size);
  return part && !mlirOperationIsNull(part->scale) ? strata_build_scalar_splat(b, &shape, part->factor)
                                                   : strata_build_splat(b, &shape, 1);
}

// The factors along the dim that is cut; 1 where there is none.
static MlirValue build_factors(strata_builder_t *b, const whole_t *whole) {
  MlirValue pieces[2 * MAX_PARTS + 1];
  int64_t end = 0;
  int n = 0;
  for (int i = 0; i < whole->n; i++) {
    const part_t *part = &whole->parts[i];
    if (part->start > end)
      pieces[n++] = scalars(b, whole, part->start - end, NULL);
    pieces[n++] = scalars(b, whole, part->size, part);
    end = part->start + part->size;
  }
  if (end < whole->size)
    pieces[n++] = scalars(b, whole, whole->size - end, NULL);
  return strata_build_concat(b, n, pieces, 0);
}

static strata_status_t merge_scales(strata_compile_t *compile, MlirOperation op, const whole_t *whole) {
  strata_builder_t b = {.compile = compile,
                        .block = mlirOperationGetBlock(op),
                        .before = mlirOperationGetNextInBlock(op),
                        .location = mlirOperationGetLocation(op),
                        .no_fold = compile->options->disable_constant_folding,
                        .keep_form = true};
  strata_shape_t shape = strata_shape_of(whole->value);
  MlirAffineExpr expr = mlirAffineDimExprGet(compile->context, whole->dim);
  MlirAffineMap map = mlirAffineMapGet(compile->context, shape.rank, 0, 1, &expr);
  MlirValue factors = strata_build_broadcast(&b, build_factors(&b, whole), &shape, map);
  MlirValue scaled = strata_build_binary(&b, STRATA_OP_MUL, whole->value, factors);
  STRATA_TRY(b.status);
  for (int i = 0; i < whole->n; i++) {
    const part_t *part = &whole->parts[i];
    mlirOperationSetOperand(part->slice, 0, scaled);
    if (!mlirOperationIsNull(part->scale)) // which is left without a use
      mlirValueReplaceAllUsesOfWith(strata_result(part->scale), strata_result(part->slice));
  }
  return NULL;
}

static strata_status_t merge_body(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++) {
    strata_op_id_t id = strata_op_id(ops.data[i]);
    whole_t whole;
    if ((id == STRATA_OP_ADD || id == STRATA_OP_CONTRACT) && is_product(strata_result(ops.data[i])) &&
        read_whole(strata_result(ops.data[i]), &whole))
      STRATA_TRY(merge_scales(compile, ops.data[i], &whole));
  }
  return NULL;
}

strata_status_t strata_pass_merge_scales(strata_compile_t *compile) {
  return strata_for_each_body(compile, merge_body, NULL);
}
