// strata-split-contracts: a contract of which only parts are read is a contract for each part, where that is better.
//
//   %y = add(contract(%x, %w), %b)   %g = slice(%y)  %h = slice(%y)   mul(silu(%g), %h)
//     -> %g = add(contract(%x, slice(%w)), slice(%b))   %h = add(contract(%x, slice(%w)), slice(%b))   ...
//
// It is where two parts meet elementwise (a gated pair: one kernel with both sums, or the second takes the first in)
// and where parts are stored at places of their own, to which they would be copied from a whole. Slices of weights are
// views: nothing is stored twice.
#include "dialects/pointer_map.h"
#include "passes/affine/explain.h"
#include "passes/pass.h"
#include "passes/strata/contract.h"
#include "passes/strata/parts.h"

enum { MAX_OPS = 64, MAX_PARTS = STRATA_MAX_PLACED };

typedef struct {
  int64_t start, size; // in the order of which they stand
  strata_part_t slices;
  MlirValue values[MAX_OPS]; // of each op, this part
} part_t;

typedef struct {
  strata_compile_t *compile;
  strata_contract_t contract;
  strata_pointer_map_t index; // by op: 1 + its place in ops
  int dim;                    // along which slices are cut; negative: not known yet
  size_t n_ops, n_parts;
  MlirOperation ops[MAX_OPS]; // the contract, and what follows elementwise
  part_t parts[MAX_PARTS];
  strata_builder_t build;
} splitter_t;

//===-- Reading --------------------------------------------------------------------------------------------------===//

// Notes a slice that is cut along one dim; false if it is cut otherwise than the others.
static bool add_slice(splitter_t *s, MlirOperation slice) {
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK], all[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  int rank = strata_attr_i64s(slice, "starts", STRATA_MAX_RANK, starts);
  if (strata_attr_i64s(slice, "steps", STRATA_MAX_RANK, steps) != rank ||
      strata_sizes_of(strata_operand(slice, 0), all) != rank || strata_sizes_of(strata_result(slice), sizes) != rank)
    return false;
  for (int dim = 0; dim < rank; dim++) {
    if (steps[dim] != 1 || (sizes[dim] != all[dim] && s->dim >= 0 && s->dim != dim))
      return false;
    s->dim = sizes[dim] != all[dim] ? dim : s->dim;
  }
  if (s->dim < 0)
    return false;
  int64_t start = starts[s->dim], size = sizes[s->dim];
  size_t i = 0;
  for (; i < s->n_parts && s->parts[i].start != start; i++)
    if (start < s->parts[i].start + s->parts[i].size && s->parts[i].start < start + size)
      return false;
  if (i == MAX_PARTS || (i < s->n_parts && s->parts[i].size != size))
    return false;
  if (i == s->n_parts) {
    for (; i > 0 && s->parts[i - 1].start > start; i--)
      s->parts[i] = s->parts[i - 1];
    s->parts[i] = (part_t){.start = start, .size = size};
    s->n_parts++;
  }
  *strata_vector_push(s->compile->arena, &s->parts[i].slices) = strata_result(slice);
  return true;
}

static bool add_op(splitter_t *s, MlirOperation op) {
  int64_t *index = strata_pointer_map_put(&s->index, op.ptr);
  if (*index)
    return true;
  if (s->n_ops == MAX_OPS)
    return false;
  s->ops[s->n_ops++] = op;
  *index = (int64_t)s->n_ops;
  return true;
}

// Finds what follows the contract, up to slices that nobody looks past.
static bool read_tail(splitter_t *s, MlirOperation contract) {
  add_op(s, contract);
  for (size_t i = 0; i < s->n_ops; i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(strata_result(s->ops[i])); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      strata_op_id_t id = strata_op_id(user);
      if (!(id == STRATA_OP_SLICE ? add_slice(s, user) : strata_is_elementwise(id) && add_op(s, user)))
        return false;
    }
  return s->n_parts > 0;
}

// True if one operand alone has the dim, at one place.
static bool can_slice_one_operand(const splitter_t *s) {
  int n_operands = 0;
  for (int k = 0; k < 2; k++)
    n_operands += strata_contract_position(&s->contract, k, s->dim) >= 0;
  return n_operands == 1 && strata_contract_is_sliceable(&s->contract, s->dim);
}

// Why parts are better computed apart; NULL: they are not.
static strata_status_t why_apart(const splitter_t *s, const char **out_why) {
  int order[MAX_PARTS];
  strata_part_t parts[MAX_PARTS];
  bool are_placed;
  *out_why = NULL;
  if (s->n_parts == 1 || !can_slice_one_operand(s))
    return NULL;
  for (size_t i = 0; i < s->n_parts; i++)
    parts[i] = s->parts[i].slices;
  STRATA_TRY(strata_parts_are_placed(s->compile, s->ops[0], s->n_parts, parts, order, &are_placed));
  if (strata_parts_meet(s->compile->arena, s->n_parts, parts))
    *out_why = s->n_parts == 2 ? "they meet elementwise" : NULL;
  else if (are_placed)
    *out_why = "they have places of their own";
  return NULL;
}

static void explain(const splitter_t *s, const char *why) {
  char text[160];
  strata_location_text(mlirOperationGetLocation(s->ops[0]), text, sizeof text);
  strata_explain(s->compile, "%zu parts of product %s: apart, %s", s->n_parts, text, why);
}

//===-- Building -------------------------------------------------------------------------------------------------===//

static MlirValue slice_along(splitter_t *s, MlirValue value, int dim, const part_t *part) {
  int64_t starts[STRATA_MAX_RANK] = {0}, steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++)
    steps[i] = 1;
  strata_sizes_of(value, sizes);
  starts[dim] = part->start;
  sizes[dim] = part->size;
  return strata_build_slice(&s->build, value, starts, steps, sizes);
}

static MlirValue build_contract(splitter_t *s, const part_t *part) {
  strata_contract_t c = s->contract;
  for (int k = 0; k < 2; k++) {
    int position = strata_contract_position(&c, k, s->dim);
    if (position >= 0)
      c.operands[k] = slice_along(s, c.operands[k], position, part);
  }
  c.dims[s->dim] = strata_dim_constant(s->compile->context, part->size);
  return strata_contract_build(&s->build, &c);
}

static MlirValue part_of(splitter_t *s, size_t at, part_t *part);

// The op with the part of each operand: as it was, attributes and all.
static MlirValue build_elementwise(splitter_t *s, MlirOperation op, part_t *part) {
  MlirValue operands[3];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation producer = strata_def(mlirOperationGetOperand(op, i));
    const int64_t *index = mlirOperationIsNull(producer) ? NULL : strata_pointer_map_get(&s->index, producer.ptr);
    operands[i] =
        index ? part_of(s, (size_t)*index - 1, part) : slice_along(s, mlirOperationGetOperand(op, i), s->dim, part);
  }
  if (s->build.status)
    return STRATA_NO_VALUE;
  return strata_copy_elementwise(op, operands, op);
}

// The part of what op |at| computes, in front of that.
static MlirValue part_of(splitter_t *s, size_t at, part_t *part) {
  if (mlirValueIsNull(part->values[at])) {
    MlirOperation op = s->ops[at];
    strata_builder_t outer = s->build;
    s->build.before = op;
    s->build.location = mlirOperationGetLocation(op);
    part->values[at] = at == 0 ? build_contract(s, part) : build_elementwise(s, op, part);
    s->build.before = outer.before;
    s->build.location = outer.location;
  }
  return part->values[at];
}

static void replace_slices(splitter_t *s, part_t *part) {
  for (size_t i = 0; i < part->slices.count && !s->build.status; i++) {
    MlirOperation slice = strata_def(part->slices.data[i]), producer = strata_def(strata_operand(slice, 0));
    MlirValue value = part_of(s, (size_t)*strata_pointer_map_get(&s->index, producer.ptr) - 1, part);
    if (s->build.status)
      return;
    mlirValueReplaceAllUsesOfWith(part->slices.data[i], value);
    mlirOperationDestroy(slice);
  }
}

// What nobody reads any more, the last first.
static void destroy_old(splitter_t *s) {
  bool destroyed = true;
  while (destroyed) {
    destroyed = false;
    for (size_t i = 0; i < s->n_ops; i++)
      if (!mlirOperationIsNull(s->ops[i]) && mlirOpOperandIsNull(mlirValueGetFirstUse(strata_result(s->ops[i])))) {
        mlirOperationDestroy(s->ops[i]);
        s->ops[i] = (MlirOperation){NULL};
        destroyed = true;
      }
  }
}

static strata_status_t split(splitter_t *s) {
  s->build = (strata_builder_t){.compile = s->compile,
                                .block = mlirOperationGetBlock(s->ops[0]),
                                .before = s->ops[0],
                                .location = mlirOperationGetLocation(s->ops[0]),
                                .no_fold = s->compile->options->disable_constant_folding,
                                .keep_form = true};
  for (size_t i = 0; i < s->n_parts; i++)
    replace_slices(s, &s->parts[i]);
  STRATA_TRY(s->build.status);
  destroy_old(s);
  return NULL;
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

static strata_status_t split_body(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  strata_ops_t ops = strata_ops_of(compile->arena, body), contracts = {0};
  for (size_t i = 0; i < ops.count; i++)
    if (strata_op_id(ops.data[i]) == STRATA_OP_CONTRACT)
      *strata_vector_push(compile->arena, &contracts) = ops.data[i];
  for (size_t i = 0; i < contracts.count; i++) {
    splitter_t *s = strata_arena_new(compile->arena, splitter_t);
    *s = (splitter_t){.compile = compile, .index = strata_pointer_map_create(compile->arena), .dim = -1};
    if (!read_tail(s, contracts.data[i]) || !strata_contract_read(compile, contracts.data[i], &s->contract))
      continue;
    const char *why;
    STRATA_TRY(why_apart(s, &why));
    if (!why)
      continue;
    explain(s, why);
    STRATA_TRY(split(s));
  }
  return NULL;
}

strata_status_t strata_pass_split_contracts(strata_compile_t *compile) {
  return strata_for_each_body(compile, split_body, NULL);
}
