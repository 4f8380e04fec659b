// Appending upstream ops at a moving point: the few constructions the tile builder needs.
//
// An emitter is a value; loops save and restore its block. It owns nothing.
#ifndef STRATA_LOWERING_EMIT_EMIT_H
#define STRATA_LOWERING_EMIT_EMIT_H

#include "dialects/compile.h"
#include "dialects/mlir_util.h"

typedef struct {
  MlirContext context;
  MlirLocation location;
  MlirBlock block; // ops go to its end
} strata_emitter_t;

MlirOperation strata_emit_op(strata_emitter_t *e, const char *name, int n_operands, const MlirValue *operands,
                             int n_results, const MlirType *results, int n_attrs, const strata_named_attr_t *attrs);
// An op with one result.
MlirValue strata_emit_value(strata_emitter_t *e, const char *name, int n_operands, const MlirValue *operands,
                            MlirType result, int n_attrs, const strata_named_attr_t *attrs);
MlirValue strata_emit_index(strata_emitter_t *e, int64_t value);
// A constant of |type|, a scalar or (splat) a vector, from a scalar attribute.
MlirValue strata_emit_constant(strata_emitter_t *e, MlirType type, MlirAttribute scalar);
// affine.apply of an expression over |n| dims bound to |operands|.
MlirValue strata_emit_apply(strata_emitter_t *e, MlirAffineExpr expr, int n, const MlirValue *operands);

// A contiguous buffer's elements as a memref of one dim.
MlirValue strata_emit_flat(strata_emitter_t *e, MlirValue buffer);

// Memory private to a task, for the life of the task: memref.alloc {tile.scratch}.
MlirValue strata_emit_scratch(strata_emitter_t *e, MlirType memref_type);

// scf.for from |lower| to |upper| by |step| carrying |n_inits| values, at most STRATA_EMIT_CARRIED. Emission goes on
// inside; *out_args gets the carried values there. strata_emit_for_end yields |yields|, returns to the outer block and
// gives the results.
enum { STRATA_EMIT_CARRIED = 1024 };
typedef struct {
  MlirOperation op;
  MlirBlock outer;
  MlirValue induction;
} strata_loop_t;
strata_loop_t strata_emit_for_begin(strata_emitter_t *e, MlirValue lower, MlirValue upper, int64_t step, int n_inits,
                                    const MlirValue *inits, MlirValue *out_args);
void strata_emit_for_end(strata_emitter_t *e, strata_loop_t loop, int n_yields, const MlirValue *yields,
                         MlirValue *out_results);

// arith's numbers of the predicates of arith.cmpi.
typedef enum {
  STRATA_EQ,
  STRATA_NE,
  STRATA_SLT,
  STRATA_SLE,
  STRATA_SGT,
  STRATA_SGE,
  STRATA_ULT,
  STRATA_UGE = 9
} strata_cmpi_t;

// scf.while carrying |n| values, while the first of them, an index, is less than |end| (unsigned).
strata_loop_t strata_emit_while_begin(strata_emitter_t *e, MlirValue end, int n, const MlirValue *inits,
                                      MlirValue *out_args);
void strata_emit_while_end(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields,
                           MlirValue *out_results);

// scf.forall over [0, count); emission goes on inside.
strata_loop_t strata_emit_forall_begin(strata_emitter_t *e, int64_t count);
strata_loop_t strata_emit_forall_begin_at_run_time(strata_emitter_t *e, MlirValue count);
void strata_emit_forall_end(strata_emitter_t *e, strata_loop_t loop);

// scf.if without results; emission goes on inside, after strata_emit_if_else in the other branch. A null condition:
// there is no scf.if, nor another branch.
strata_loop_t strata_emit_if_begin(strata_emitter_t *e, MlirValue condition);
void strata_emit_if_else(strata_emitter_t *e, strata_loop_t loop);
void strata_emit_if_end(strata_emitter_t *e, strata_loop_t loop);
// The same with results: each branch ends by yielding |n| values.
strata_loop_t strata_emit_choice_begin(strata_emitter_t *e, MlirValue condition, int n, const MlirType *types);
void strata_emit_choice_else(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields);
void strata_emit_choice_end(strata_emitter_t *e, strata_loop_t loop, int n, const MlirValue *yields,
                            MlirValue *out_results);

#endif
