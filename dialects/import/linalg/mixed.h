// Lists of sizes and places of which some are attributes and others operands.
#ifndef STRATA_DIALECTS_IMPORT_LINALG_MIXED_H
#define STRATA_DIALECTS_IMPORT_LINALG_MIXED_H

#include "dialects/import/linalg/linalg.h"

typedef struct {
  int n;
  int64_t values[TIR_MAX_RANK];     // -1: an operand has it
  const char *names[TIR_MAX_RANK];  // that, a scalar; NULL: it is known
  MlirValue operands[TIR_MAX_RANK]; // that
} mixed_t;

// |attr| has those that are known; the others are the operands from |first| on. False, after a refusal, if there are
// more than dims, or too few operands.
bool tensor_mixed(tir_op_t *o, const char *attr, int first, mixed_t *out);
const char *tensor_mixed_item(tir_op_t *o, const mixed_t *list, int i); // a list of one
// Where the operands of segment |i| begin.
int tensor_segment(const tir_op_t *o, int i);

#endif
