// What builders are made of (build.c).
#ifndef STRATA_DIALECTS_STRATA_BUILD_H
#define STRATA_DIALECTS_STRATA_BUILD_H

#include "dialects/strata/record.h"

// Checks the record, whose operands' shapes are taken from |operands|, and gives its results; false if it failed.
bool strata__build_results(strata_builder_t *b, strata__record_t *r, const MlirValue *operands, MlirValue *results);
// The same of an op with one result; a null value if it failed.
MlirValue strata__build(strata_builder_t *b, strata__record_t *r, const MlirValue *operands);

// For builders that look at an operand's shape first: false where there is none to look at.
bool strata__build_can_look(strata_builder_t *b, MlirValue x);
// Notes the error, with the op's name and location; gives a null value.
MlirValue strata__build_fail_op(strata_builder_t *b, const char *name, strata_status_t status);

#endif
