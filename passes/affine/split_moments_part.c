// Mean and variance of rows in a kernel without what they are for; see split_moments.h.
//
//   s = sum x[n, g, c, p]   m = s / n   d[n, p, g, c] = x - m   q[n, p, g, c] = d * d   v = sum q
// becomes
//   s = sum x[n, g, c, p]   m = s / n   v = sum (x[n, g, c, p] - m) * (x[n, g, c, p] - m)
//
// which walk a row as it lies in memory, whatever the order of the differences that something else is made of.
#include "passes/affine/split_moments.h"

#include "dialects/affine/simplify.h"
#include "dialects/mlir_util.h"
#include "passes/affine/nest_edit.h"
#include "passes/affine/split_reductions.h"

// What is inserted in front of |before|.
typedef struct {
  const strata_moments_t *m;
  MlirOperation before;
  MlirAffineMap points; // the squares' sum's dims -> the differences'
} inserter_t;

static MlirValue insert(const inserter_t *in, const char *name, int n, const MlirValue *operands, MlirType type,
                        MlirAttribute flags) {
  strata_named_attr_t attr = {"fastmath", flags};
  MlirOperation op = strata_op_create(mlirOperationGetLocation(in->before), name, n, operands, 1, &type,
                                      !mlirAttributeIsNull(flags), &attr, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(in->before), in->before, op);
  return mlirOperationGetResult(op, 0);
}

static MlirValue convert(const inserter_t *in, const char *name, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : insert(in, name, 1, &value, type, (MlirAttribute){0});
}

// What |access| of the differences' nest loads, widened to |type|.
static MlirValue load(const inserter_t *in, const strata_access_t *access, MlirType type) {
  const strata_nest_t *nest = in->m->squares->nest;
  MlirType element = mlirValueGetType(access->value);
  int n_dims = nest->n_parallel + nest->n_reduction;
  MlirOperation op = strata_split_access(mlirOperationGetLocation(in->before), "affine.load", &access->buffer, 1,
                                         nest->dims, n_dims, 1, &element);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(in->before), in->before, op);
  strata_nest_set_map(op, strata_affine_compose(access->map, in->points, &nest->space), nest->dims);
  return convert(in, "arith.extf", mlirOperationGetResult(op, 0), type);
}

// The op that computes what |node| stores, which may be rounded.
static MlirOperation computing_op(const strata_nest_node_t *node) {
  MlirOperation op = strata_def(strata_moments_store(node)->value);
  return strata_op_is(op, "arith.truncf") ? strata_def(mlirOperationGetOperand(op, 0)) : op;
}

// |operation| of two operands as |node| computes it, rounded as there.
static MlirValue compute(const inserter_t *in, const strata_nest_node_t *node, MlirValue a, MlirValue b) {
  MlirOperation op = computing_op(node);
  MlirValue result =
      insert(in, strata_op_name(op).data, 2, (MlirValue[]){a, b}, mlirValueGetType(a), strata_attr(op, "fastmath"));
  return convert(in, "arith.truncf", result, mlirValueGetType(strata_moments_store(node)->value));
}

static MlirAffineMap points_of(const strata_moments_t *m) {
  const strata_nest_t *sum = m->sum->nest, *nest = m->squares->nest;
  MlirContext context = mlirOperationGetContext(nest->op);
  MlirAffineExpr points[STRATA_MAX_DIMS];
  int n = m->difference->nest->n_parallel;
  for (int i = 0; i < n; i++) {
    points[i] = mlirAffineConstantExprGet(context, 0);
    for (int dim = 0; dim < sum->n_parallel + sum->n_reduction; dim++)
      if (m->own[dim] == i)
        points[i] = mlirAffineDimExprGet(context, m->of_squares[dim]);
  }
  return mlirAffineMapGet(context, nest->n_parallel + nest->n_reduction, 0, n, points);
}

// Puts the loops of the reduction |op| in the order in which the elements of |buffer| lie.
static strata_status_t order_loops(strata_arena_t *arena, MlirOperation op, MlirValue buffer) {
  strata_nest_t nest;
  int order[STRATA_MAX_DIMS];
  STRATA_TRY(strata_nest_read(arena, op, &nest));
  for (int i = 0; i < nest.n_parallel; i++)
    order[i] = i;
  for (int i = 0; i + 1 < nest.n_reduction; i++)
    if (!strata_loop_is_perfect(nest.loops[i], nest.loops[i + 1]))
      return NULL;
  for (int i = 0; i < nest.n_accesses; i++)
    if (mlirValueEqual(nest.accesses[i].buffer, buffer) &&
        strata_nest_order_by_stride(&nest, &nest.accesses[i], nest.n_parallel, nest.n_reduction,
                                    order + nest.n_parallel)) {
      strata_nest_reorder_dims(&nest, order);
      return NULL;
    }
  return NULL;
}

strata_status_t strata_moments_part(strata_arena_t *arena, const strata_moments_t *m) {
  const strata_nest_t *squares = m->squares->nest;
  const strata_access_t *old = &squares->accesses[squares->accesses[0].is_store];
  inserter_t in = {.m = m, .before = old->op, .points = points_of(m)};
  MlirType wide = mlirValueGetType(mlirOperationGetResult(computing_op(m->difference), 0));
  MlirValue x = load(&in, m->own_x, wide), mean = load(&in, m->own_mean, wide);
  MlirValue difference = compute(&in, m->difference, x, mean);
  difference =
      convert(&in, "arith.extf", difference, mlirValueGetType(mlirOperationGetResult(computing_op(m->square), 0)));
  mlirValueReplaceAllUsesOfWith(old->value, compute(&in, m->square, difference, difference));
  mlirOperationDestroy(old->op);
  STRATA_TRY(order_loops(arena, m->sum->nest->op, m->x->buffer));
  STRATA_TRY(order_loops(arena, squares->op, m->x->buffer));
  strata_moments_erase_squares(m);
  return NULL;
}
