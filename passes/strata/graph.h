// Reading the graph level: what its passes ask of functions, ops and constants.
#ifndef STRATA_PASSES_STRATA_GRAPH_H
#define STRATA_PASSES_STRATA_GRAPH_H

#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"

//===-- Walking --------------------------------------------------------------------------------------------------===//

typedef STRATA_VECTOR(MlirOperation) strata_ops_t;

// The ops of a block in order, without its terminator.
strata_ops_t strata_ops_of(strata_arena_t *arena, MlirBlock block);

// Calls |visit| for the entry block of every func.func that has one.
typedef strata_status_t (*strata_visit_body_t)(strata_compile_t *compile, MlirBlock body, void *user);
STRATA_MUST_CHECK strata_status_t strata_for_each_body(strata_compile_t *compile, strata_visit_body_t visit,
                                                       void *user);

//===-- Ops ------------------------------------------------------------------------------------------------------===//

// strata_def if it is the op |id|; a null operation otherwise.
MlirOperation strata_def_if(MlirValue value, strata_op_id_t id);
MlirValue strata_operand(MlirOperation op, int index);
MlirValue strata_result(MlirOperation op); // the first

// Builds the elementwise |op| again, on other operands.
MlirValue strata_build_elementwise(strata_builder_t *b, MlirOperation op, const MlirValue *operands);

// The elementwise |op|, attributes and all, on other operands, which have one shape of their own; it stands before
// |before|.
MlirValue strata_copy_elementwise(MlirOperation op, const MlirValue *operands, MlirOperation before);

// The affine map called "map"; one of the three called "maps" of a contract: lhs, rhs, result.
MlirAffineMap strata_map(MlirOperation op);
MlirAffineMap strata_contract_map(MlirOperation op, int index);

// The sizes of a static shape of at most STRATA_MAX_RANK dims; the rank, or -1 where a dim is symbolic.
int strata_sizes_of(MlirValue value, int64_t *out_sizes);

//===-- Constants ------------------------------------------------------------------------------------------------===//

// One number: the member that belongs to the kind of |type| counts.
typedef struct {
  strata_type_t type;
  double f64;
  int64_t i64; // integers and booleans
} strata_scalar_t;

// True if |value| is a constant with equal elements, at least one, or, of a symbolic shape, the broadcast of such a
// one.
bool strata_splat_of(MlirValue value, strata_scalar_t *out_scalar);
// True if |value| is a splat of this number; -0.0 is not 0.0.
bool strata_is_splat(MlirValue value, double number);
// The same of a constant of any form, whose elements are looked at unless they may be others when the library runs.
bool strata_is_filled(strata_compile_t *compile, MlirValue value, double number);
MlirValue strata_build_scalar_splat(strata_builder_t *b, const strata_shape_t *shape, strata_scalar_t scalar);

#endif
