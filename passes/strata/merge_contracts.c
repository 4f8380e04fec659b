// strata-merge-contracts: contracts of one value with several constants are one contract with the constants side by
// side.
//
//   %q = contract(%x, %wq)  %k = contract(%x, %wk)  %v = contract(%x, %wv)
//     -> %y = contract(%x, concat(%wq, %wk, %wv))   %q = slice(%y)  %k = slice(%y)  %v = slice(%y)
//
// and what follows each alike, sums with constant biases, activations, follows the one: the slices are cut after it.
// Contracts are left alone whose results meet again in elementwise ops (a gated pair: the second can take the first as
// part of its epilogue, but both halves of one result cannot), or are stored apart, to where they would be copied, and
// those that elementwise ops follow which differ.
//
// Candidates are found by hashing what must be equal; the constants move to the front of the function, so that every
// contract can stand where the first of its group did.
#include "dialects/pointer_map.h"
#include "passes/affine/explain.h"
#include "passes/pass.h"
#include "passes/strata/alike.h"
#include "passes/strata/contract.h"
#include "passes/strata/parts.h"

typedef struct {
  MlirOperation op;
  int weights; // the constant operand
  int dim;     // of the result, along which the weights are put side by side
  int axis;    // of the weights
} candidate_t;

typedef struct group {
  MlirOperation first; // in the function
  STRATA_VECTOR(candidate_t) members;
  uint64_t hash;
  struct group *next; // in the same bucket
} group_t;

enum { N_BUCKETS = 1024 };

typedef struct {
  strata_compile_t *compile;
  strata_pointer_map_t is_constant; // ops that depend on constants only
  group_t *buckets[N_BUCKETS];
  STRATA_VECTOR(group_t *) groups; // in the order of their first members
  strata_builder_t build;
} merger_t;

static bool is_constant(const merger_t *m, MlirValue value) {
  MlirOperation op = strata_def(value);
  return !mlirOperationIsNull(op) && strata_pointer_map_get(&m->is_constant, op.ptr);
}

// Notes an op that depends on constants only and moves it in front of |first|, the first op of the block that does not.
static void hoist_constant(merger_t *m, MlirOperation op, MlirOperation *first) {
  bool constant = strata_op_is_pure(op);
  for (intptr_t i = 0; constant && i < mlirOperationGetNumOperands(op); i++)
    constant = is_constant(m, mlirOperationGetOperand(op, i));
  if (!constant) {
    *first = mlirOperationIsNull(*first) ? op : *first;
    return;
  }
  *strata_pointer_map_put(&m->is_constant, op.ptr) = 1;
  if (!mlirOperationIsNull(*first))
    mlirOperationMoveBefore(op, *first);
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// The last dim of the result that only the weights have, if they have it alone at one place.
static bool find_dim(const strata_contract_t *c, candidate_t *candidate) {
  for (int dim = c->result_rank - 1; dim >= 0; dim--) {
    int other = strata_contract_position(c, 1 - candidate->weights, dim);
    candidate->axis = strata_contract_position(c, candidate->weights, dim);
    candidate->dim = dim;
    if (candidate->axis >= 0 && other < 0)
      return true;
  }
  return false;
}

static bool is_returned(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!strata_op_is_pure(mlirOpOperandGetOwner(use)))
      return true;
  return false;
}

// Matrix products only: each operand is read at single dims.
static bool is_candidate(const merger_t *m, MlirOperation op, candidate_t *out) {
  strata_contract_t c;
  *out = (candidate_t){.op = op, .weights = is_constant(m, strata_operand(op, 0)) ? 0 : 1};
  if (is_constant(m, strata_operand(op, 1)) == (out->weights == 0) ||
      !is_constant(m, strata_operand(op, out->weights)) || is_returned(strata_result(op)) ||
      !strata_contract_read(m->compile, op, &c) || c.zero_pad)
    return false;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < c.n_exprs[k]; i++)
      if (mlirAffineExprIsABinary(c.exprs[k][i]))
        return false;
  return find_dim(&c, out);
}

static uint64_t hash_candidate(const candidate_t *c) {
  uint64_t hash = strata_hash_pointer(0, strata_operand(c->op, 1 - c->weights).ptr);
  return strata_hash_pointer(hash, strata_attr(c->op, "maps").ptr) + (uint64_t)c->weights;
}

// The sizes but that along |axis| are the same.
static bool same_but_for(MlirValue x, MlirValue y, int axis) {
  strata_shape_t a = strata_shape_of(x), b = strata_shape_of(y);
  bool same = a.type == b.type && a.rank == b.rank;
  for (int i = 0; same && i < a.rank; i++)
    same = i == axis || strata_dim_equal(a.dims[i], b.dims[i]);
  return same;
}

static bool belong_together(const candidate_t *a, const candidate_t *b) {
  return a->weights == b->weights &&
         mlirValueEqual(strata_operand(a->op, 1 - a->weights), strata_operand(b->op, 1 - b->weights)) &&
         mlirAttributeEqual(strata_attr(a->op, "maps"), strata_attr(b->op, "maps")) &&
         mlirAttributeEqual(strata_attr(a->op, "origin"), strata_attr(b->op, "origin")) &&
         same_but_for(strata_operand(a->op, a->weights), strata_operand(b->op, b->weights), a->axis) &&
         same_but_for(strata_result(a->op), strata_result(b->op), a->dim);
}

static void add_candidate(merger_t *m, const candidate_t *candidate) {
  uint64_t hash = hash_candidate(candidate);
  group_t **bucket = &m->buckets[hash % N_BUCKETS], *group = *bucket;
  while (group && (group->hash != hash || !belong_together(&group->members.data[0], candidate)))
    group = group->next;
  if (!group) {
    group = strata_arena_new(m->compile->arena, group_t);
    group->hash = hash;
    group->first = candidate->op;
    group->next = *bucket;
    *bucket = *strata_vector_push(m->compile->arena, &m->groups) = group;
  }
  *strata_vector_push(m->compile->arena, &group->members) = *candidate;
}

//===-- What follows the contracts -------------------------------------------------------------------------------===//

// A part that elementwise ops alone read would be written by the contract for their sake.
static bool loses_epilogue(const strata_alike_t *merge) {
  for (int number = 0; number <= merge->n_levels; number++)
    for (size_t i = 0; i < merge->n; i++) {
      strata_alike_readers_t readers = strata_alike_readers(merge, merge->values[number][i]);
      if (readers.is_read && readers.is_read_elementwise)
        return true;
    }
  return false;
}

//===-- Merging --------------------------------------------------------------------------------------------------===//

// The source of a broadcast, of at most one dim that is not 1, as a vector of |size|.
static MlirValue flat_vector(merger_t *m, MlirValue source, strata_dim_t size) {
  strata_shape_t shape = strata_shape_of(source);
  strata_dim_t count = strata_dim_product(m->compile->context, shape.rank, shape.dims);
  return strata_build_broadcast_to(&m->build, strata_build_reshape(&m->build, source, 1, &count), 1, &size);
}

// The vectors that the ops of a level read as operand |index|, side by side, as an operand of |whole|'s shape.
static MlirValue join_vectors(merger_t *m, const strata_alike_t *merge, const strata_level_t *level, int index,
                              MlirValue whole) {
  MlirValue *vectors = strata_arena_array(m->compile->arena, MlirValue, merge->n);
  strata_scalar_t scalar;
  strata_shape_t shape = strata_shape_of(whole);
  for (size_t i = 0; i < merge->n; i++) {
    MlirValue constant = strata_operand(level->ops[i], index);
    strata_shape_t vector = {
        .type = strata_shape_of(constant).type, .rank = 1, .dims = {strata_alike_dim(constant, merge->dim)}};
    MlirOperation broadcast = strata_def_if(constant, STRATA_OP_BROADCAST);
    shape.type = vector.type;
    vectors[i] = strata_splat_of(constant, &scalar) ? strata_build_scalar_splat(&m->build, &vector, scalar)
                                                    : flat_vector(m, strata_operand(broadcast, 0), vector.dims[0]);
  }
  MlirAffineExpr expr = mlirAffineDimExprGet(m->compile->context, merge->dim);
  return strata_build_broadcast(&m->build, strata_build_concat(&m->build, (int)merge->n, vectors, 0), &shape,
                                mlirAffineMapGet(m->compile->context, shape.rank, 0, 1, &expr));
}

static MlirValue apply_level(merger_t *m, const strata_alike_t *merge, const strata_level_t *level,
                             const MlirValue *wholes) {
  MlirValue operands[2];
  int n = (int)mlirOperationGetNumOperands(level->ops[0]);
  for (int i = 0; i < n; i++)
    operands[i] = level->operands[i] >= 0 ? wholes[level->operands[i]]
                                          : join_vectors(m, merge, level, i, wholes[level->operands[1 - i]]);
  return m->build.status ? STRATA_NO_VALUE : strata_copy_elementwise(level->ops[0], operands, m->build.before);
}

// Slices of |whole| in the place of the parts of value |number| that others than the levels read.
static void replace_parts(merger_t *m, const strata_alike_t *merge, int number, MlirValue whole) {
  int64_t steps[STRATA_MAX_RANK];
  strata_dim_t starts[STRATA_MAX_RANK];
  for (int i = 0; i < STRATA_MAX_RANK; i++) {
    starts[i] = strata_dim_constant(m->compile->context, 0);
    steps[i] = 1;
  }
  for (size_t i = 0; i < merge->n; i++) {
    MlirValue value = merge->values[number][i];
    strata_shape_t shape = strata_shape_of(value);
    if (strata_alike_readers(merge, value).is_read) {
      MlirValue part = strata_build_slice_dims(&m->build, whole, starts, steps, shape.dims);
      if (m->build.status)
        return;
      mlirValueReplaceAllUsesOfWith(value, part);
    }
    starts[merge->dim] = strata_dim_add(starts[merge->dim], shape.dims[merge->dim]);
  }
}

static void destroy_old(const strata_alike_t *merge, const group_t *group) {
  for (int l = merge->n_levels; l-- > 0;)
    for (size_t i = 0; i < merge->n; i++)
      mlirOperationDestroy(merge->levels[l].ops[i]);
  for (size_t i = 0; i < merge->n; i++)
    mlirOperationDestroy(group->members.data[i].op);
}

// One contract in the place of the group's first.
static MlirValue build_whole(merger_t *m, const group_t *group, strata_contract_t *c) {
  const candidate_t *first = &group->members.data[0];
  size_t n = group->members.count;
  MlirValue *weights = strata_arena_array(m->compile->arena, MlirValue, n);
  strata_dim_t total = strata_dim_constant(m->compile->context, 0);
  for (size_t i = 0; i < n; i++) {
    weights[i] = strata_operand(group->members.data[i].op, first->weights);
    total = strata_dim_add(total, strata_alike_dim(weights[i], first->axis));
  }
  c->operands[first->weights] = strata_build_concat(&m->build, (int)n, weights, first->axis);
  c->dims[first->dim] = total;
  return strata_contract_build(&m->build, c);
}

// Why the contracts are better apart; NULL: they are not, and put in the order of the pieces of a concat that they are.
static strata_status_t why_apart(merger_t *m, group_t *group, const char **out_why) {
  size_t n = group->members.count;
  strata_part_t *parts = strata_arena_array(m->compile->arena, strata_part_t, n);
  candidate_t *members = strata_arena_array(m->compile->arena, candidate_t, n);
  int *order = strata_arena_array(m->compile->arena, int, n);
  bool are_placed;
  for (size_t i = 0; i < n; i++)
    *strata_vector_push(m->compile->arena, &parts[i]) = strata_result(group->members.data[i].op);
  STRATA_TRY(strata_parts_are_placed(m->compile, group->first, n, parts, order, &are_placed));
  *out_why = strata_parts_meet(m->compile->arena, n, parts) ? "their results meet elementwise"
             : are_placed                                   ? "their results have places of their own"
                                                            : NULL;
  for (size_t i = 0; i < n; i++)
    members[i] = group->members.data[order[i]];
  memcpy(group->members.data, members, n * sizeof *members);
  return NULL;
}

// Tells the listener; |why| as above.
static void explain(const merger_t *m, const group_t *group, const char *why) {
  enum { MAX_NAMES = 8 };
  const char *names = "";
  for (size_t i = 0; m->compile->explain && i < group->members.count && i < MAX_NAMES; i++) {
    char text[160];
    strata_location_text(mlirOperationGetLocation(group->members.data[i].op), text, sizeof text);
    names = strata_arena_printf(m->compile->arena, "%s%s%s", names, i ? ", " : "", text);
  }
  strata_explain(m->compile, "%zu products of one value (%s%s): %s%s", group->members.count, names,
                 group->members.count > MAX_NAMES ? ", ..." : "", why ? "apart, " : "one product", why ? why : "");
}

static strata_status_t merge_group(merger_t *m, group_t *group) {
  MlirOperation first = group->first;
  size_t n = group->members.count;
  strata_alike_t *merge = strata_alike_create(m->compile->arena, n, group->members.data[0].dim);
  MlirValue wholes[1 + STRATA_MAX_LEVELS];
  strata_contract_t c;
  const char *why;
  STRATA_TRY(why_apart(m, group, &why));
  for (size_t i = 0; i < n; i++)
    merge->values[0][i] = strata_result(group->members.data[i].op);
  strata_alike_find(m->compile->arena, &m->is_constant, merge);
  why = !why && loses_epilogue(merge) ? "what follows them elementwise differs" : why;
  explain(m, group, why);
  if (why || !strata_contract_read(m->compile, first, &c))
    return NULL;
  m->build = (strata_builder_t){.compile = m->compile,
                                .block = mlirOperationGetBlock(first),
                                .before = first,
                                .location = mlirOperationGetLocation(first),
                                .no_fold = m->compile->options->disable_constant_folding,
                                .keep_form = true};
  wholes[0] = build_whole(m, group, &c);
  for (int i = 0; i < merge->n_levels; i++)
    wholes[i + 1] = apply_level(m, merge, &merge->levels[i], wholes);
  for (int i = 0; i <= merge->n_levels && !m->build.status; i++)
    replace_parts(m, merge, i, wholes[i]);
  STRATA_TRY(m->build.status);
  destroy_old(merge, group);
  return NULL;
}

static strata_status_t merge_body(strata_compile_t *compile, MlirBlock body, void *user) {
  (void)user;
  merger_t m = {.compile = compile, .is_constant = strata_pointer_map_create(compile->arena)};
  MlirOperation first = {NULL};
  strata_ops_t ops = strata_ops_of(compile->arena, body);
  for (size_t i = 0; i < ops.count; i++)
    hoist_constant(&m, ops.data[i], &first);
  for (size_t i = 0; i < ops.count; i++) {
    candidate_t candidate;
    if (strata_op_id(ops.data[i]) == STRATA_OP_CONTRACT && is_candidate(&m, ops.data[i], &candidate))
      add_candidate(&m, &candidate);
  }
  for (size_t i = 0; i < m.groups.count; i++)
    if (m.groups.data[i]->members.count > 1)
      STRATA_TRY(merge_group(&m, m.groups.data[i]));
  return NULL;
}

strata_status_t strata_pass_merge_contracts(strata_compile_t *compile) {
  return strata_for_each_body(compile, merge_body, NULL);
}
