// A contract as a record, to be changed and built again.
#ifndef STRATA_PASSES_STRATA_CONTRACT_H
#define STRATA_PASSES_STRATA_CONTRACT_H

#include "passes/strata/rewrite.h"

typedef struct {
  MlirValue operands[2];
  int n_dims;
  strata_dim_t dims[STRATA_MAX_RANK]; // sizes: the result's dims first
  int n_exprs[2];
  MlirAffineExpr exprs[2][STRATA_MAX_RANK]; // where each operand is read, over the dims
  strata_type_t type;                       // of the result
  int result_rank;
  bool zero_pad, unsigned_lhs;
  const char *origin; // in the arena
} strata_contract_t;

// False if the op is not valid.
bool strata_contract_read(strata_compile_t *compile, MlirOperation op, strata_contract_t *out_contract);

// True if the op to be built gives its dims the sizes that the record has. Ask before building.
bool strata_contract_is_valid(MlirContext context, const strata_contract_t *contract);
MlirValue strata_contract_build(strata_builder_t *b, const strata_contract_t *contract);
// strata.scaled_contract of it, with |scales| along dim |axis| of the second operand.
MlirValue strata_contract_build_scaled(strata_builder_t *b, const strata_contract_t *contract, MlirValue scales,
                                       int axis);

// Replaces dim i by substitutions[i], an expression over |n_dims| new dims with sizes |dims|, of which the first
// |result_rank| are the result's.
void strata_contract_substitute(MlirContext context, strata_contract_t *contract, const MlirAffineExpr *substitutions,
                                int n_dims, const strata_dim_t *dims, int result_rank);

// The position among the exprs of |operand| that is dim |dim| alone; -1 if none is.
int strata_contract_position(const strata_contract_t *contract, int operand, int dim);

// True if each operand that is read by dim |dim| is so at one place alone, which is that dim: a slice along the dim is
// one of the operand.
bool strata_contract_is_sliceable(const strata_contract_t *contract, int dim);

// A constant rounded to |type|, by an op even where that is known: a scale is to be multiplied into it first.
MlirValue strata_round_constant(strata_builder_t *b, MlirValue value, strata_type_t type);

// |value| rounded to |type|; above views, so that what several products take of one value is rounded where that is
// made.
MlirValue strata_round_operand(strata_rewriter_t *r, MlirValue value, strata_type_t type);

#endif
