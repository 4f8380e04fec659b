// Structure: tasks, memory of a task, loops and branches, and everything that is copied as it stands.
//
//   scf.forall (%i, %j) in (8, 4) {     ->  scf.for %t = %begin to %end { %i = t floordiv 4, %j = t mod 4
//     memref.alloc() : memref<64xf32>   ->    memref.view %scratch[0] : memref<64xf32>
//     scf.for ... -> (vector<14x32xf32>)  ->  scf.for ... -> (vector<16xf32>, ... 28 of them)
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "lowering/distribute/structure.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_cpu/distribute.h"

//===-- Copied structure -----------------------------------------------------------------------------------------===//

// A value that flows into a result (of a loop, of the op around a yield) takes that result's layout.
static int64_t wanted_lanes(strata_distribution_t *d, MlirOperation op, intptr_t operand) {
  MlirValue value = mlirOperationGetOperand(op, operand);
  if (strata_op_is(op, "scf.for") && operand >= 3)
    return strata_lanes_of(d, mlirOperationGetResult(op, operand - 3));
  if (strata_op_is(op, "scf.yield"))
    return strata_lanes_of(d, mlirOperationGetResult(mlirOperationGetParentOperation(op), operand));
  return strata_lanes_of(d, value);
}

static void push_operands(strata_distribution_t *d, MlirOperation op, strata_values_t *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    strata_pieces_t pieces = strata_pieces_as(d, mlirOperationGetOperand(op, i), wanted_lanes(d, op, i));
    for (int64_t piece = 0; piece < pieces.n_pieces; piece++)
      *strata_vector_push(d->compile->arena, out) = pieces.values[piece];
  }
}

static void push_types(void *distribution, MlirValue old, strata_types_t *out_types) {
  strata_distribution_t *d = distribution;
  strata_pieces_t pieces = strata_pieces_layout(mlirValueGetType(old), strata_lanes_of(d, old));
  for (int64_t i = 0; i < pieces.n_pieces; i++)
    *strata_vector_push(d->compile->arena, out_types) = strata_piece_type(&pieces, i);
}

static const MlirValue *define(void *distribution, MlirValue old, const MlirValue *registers) {
  strata_pieces_t pieces = strata_pieces_new(distribution, old);
  for (int64_t i = 0; i < pieces.n_pieces; i++)
    pieces.values[i] = registers[i];
  strata_pieces_define(distribution, old, &pieces);
  return registers + pieces.n_pieces;
}

static strata_status_t distribute(void *distribution, MlirBlock block) {
  return strata_distribute_block(distribution, block);
}

// Vectors may flow through these.
static bool is_control(MlirOperation op) {
  return strata_op_is(op, "scf.for") || strata_op_is(op, "scf.if") || strata_op_is(op, "scf.yield");
}

strata_status_t strata_rule_structure(strata_distribution_t *d, MlirOperation op) {
  if (!strata_structure_is_copied(op))
    return strata_rule_missing(op, "a branch to a block, or more than two regions,");
  if (strata_op_handles_vectors(op) && !is_control(op))
    return strata_rule_missing(op, "this op on vectors");
  const strata_structure_t structure = {&d->e, d->compile->arena, d, push_types, define, distribute};
  strata_values_t operands = {0};
  push_operands(d, op, &operands);
  return strata_structure_copy(&structure, op, &operands);
}

//===-- Tasks and memory -----------------------------------------------------------------------------------------===//

// The indices of task |task| in a row-major space of |counts|.
static void define_task(strata_distribution_t *d, MlirBlock old, int rank, const int64_t *counts, MlirValue task) {
  MlirAffineExpr number = mlirAffineDimExprGet(d->e.context, 0);
  for (int dim = rank; dim-- > 0;) {
    MlirAffineExpr count = mlirAffineConstantExprGet(d->e.context, counts[dim]);
    MlirAffineExpr index = dim == 0 ? number : mlirAffineModExprGet(number, count);
    strata_scalar_define(d, mlirBlockGetArgument(old, dim), strata_emit_apply(&d->e, index, 1, &task));
    number = mlirAffineFloorDivExprGet(number, count);
  }
}

// What |bound|, begin or end of the tasks to be done, is among the |n_tasks| behind |before| others.
static MlirValue bound_within(strata_distribution_t *d, MlirValue bound, int64_t before, int64_t n_tasks) {
  strata_emitter_t *e = &d->e;
  MlirValue first = strata_emit_index(e, before);
  MlirValue inside = strata_emit_binary(e, "arith.maxsi", bound, first);
  inside = strata_emit_binary(e, "arith.subi", inside, first);
  return strata_emit_binary(e, "arith.minsi", inside, strata_emit_index(e, n_tasks));
}

// The number of tasks where it varies, an operand: that of a space of one dim, the kernel's only one.
static strata_status_t read_count(strata_distribution_t *d, MlirOperation op) {
  if (d->n_spaces > 1 || mlirOperationGetNumOperands(op) != 1)
    return strata_rule_missing(op, "a task space of several parts, one of which varies,");
  d->n_tasks_expr = strata_symbol_expr_of_value(mlirOperationGetOperand(op, 0));
  if (mlirAffineExprIsNull(d->n_tasks_expr))
    return strata_rule_missing(op, "a number of tasks that is no size");
  return NULL;
}

// Of several task spaces each takes the tasks behind those of the ones before.
strata_status_t strata_rule_forall(strata_distribution_t *d, MlirOperation op) {
  int64_t counts[STRATA_VECTOR_RANK], n_tasks = 1, before = d->n_tasks == STRATA_NO_TASKS ? 0 : d->n_tasks;
  int rank = strata_attr_i64s(op, "staticUpperBound", STRATA_VECTOR_RANK, counts);
  if (rank < 0)
    return strata_rule_missing(op, "a task space of so many dims");
  if (mlirOperationGetNumOperands(op) > 0)
    STRATA_TRY(read_count(d, op));
  bool varies = !mlirAffineExprIsNull(d->n_tasks_expr);
  for (int dim = 0; dim < rank && !varies; dim++)
    n_tasks *= counts[dim];
  MlirValue begin = d->begin, end = d->end;
  int64_t scratch = d->scratch_size;
  if (d->n_spaces > 1) {
    d->scratch_size = 0; // the same for all
    d->lanes = strata_native_lanes(op, d->device);
    begin = bound_within(d, begin, before, n_tasks);
    end = bound_within(d, end, before, n_tasks);
  }
  d->n_tasks = before + n_tasks;
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  // One task is never called with an empty range. A loop around it would vary nothing: LLVM 22's loop-vectorize, asked
  // what of its body is the same in all iterations, takes exponential time over a chain of selects.
  bool is_loop = n_tasks > 1 || d->n_spaces > 1 || varies;
  strata_loop_t loop = {0};
  if (is_loop)
    loop = strata_emit_for_begin(&d->e, begin, end, 1, 0, NULL, NULL);
  define_task(d, old, rank, counts, is_loop ? loop.induction : strata_emit_index(&d->e, 0));
  MlirOperation terminator = mlirBlockGetTerminator(old);
  for (MlirOperation inner = mlirBlockGetFirstOperation(old); !mlirOperationEqual(inner, terminator);
       inner = mlirOperationGetNextInBlock(inner))
    STRATA_TRY(strata_distribute_op(d, inner));
  strata_finish_run(d);
  if (is_loop)
    strata_emit_for_end(&d->e, loop, 0, NULL, NULL);
  d->scratch_size = strata_max(d->scratch_size, scratch);
  return NULL;
}

enum { SCRATCH_ALIGNMENT = 64 };

strata_status_t strata_rule_alloc(strata_distribution_t *d, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result);
  if (!mlirShapedTypeHasStaticShape(type))
    return strata_rule_missing(op, "a dynamic size");
  int64_t size = strata_element_bytes(mlirShapedTypeGetElementType(type));
  for (intptr_t dim = 0; dim < mlirShapedTypeGetRank(type); dim++)
    size *= mlirShapedTypeGetDimSize(type, dim);
  MlirValue operands[] = {d->scratch, strata_emit_index(&d->e, d->scratch_size)};
  strata_scalar_define(d, result, strata_emit_value(&d->e, "memref.view", 2, operands, type, 0, NULL));
  d->scratch_size += strata_round_up(size, SCRATCH_ALIGNMENT);
  return NULL;
}

// Scratch memory is the caller's.
strata_status_t strata_rule_dealloc(strata_distribution_t *d, MlirOperation op) {
  (void)d, (void)op;
  return NULL;
}

strata_status_t strata_rule_return(strata_distribution_t *d, MlirOperation op) {
  (void)op;
  strata_emit_op(&d->e, "func.return", 0, NULL, 0, NULL, 0, NULL);
  return NULL;
}
