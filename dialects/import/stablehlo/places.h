// Places that tensors of indices give: what gathers, scatters and slices at unknown starts share.
//
// Gathers and scatters of several indexed dims go by one number a place: the indexed dims come first and are one, in
// which a place is the sum of its indices, each times the number of elements that it skips.
#ifndef STRATA_DIALECTS_IMPORT_STABLEHLO_PLACES_H
#define STRATA_DIALECTS_IMPORT_STABLEHLO_PLACES_H

#include "dialects/import/stablehlo/stablehlo.h"

const char *hlo_as_i64(tir_op_t *o, const char *value);
// |index| moved inside, so that |window| elements from there on are in a dim of |size|; both lists of one.
const char *hlo_clamp_index(tir_op_t *o, const char *index, const char *size, const char *window);

// The tensor of indices: |n_batch| dims, the places, of which each has a number for each of some dims of the operand.
typedef struct {
  const char *value;
  int n_batch;
  int64_t batch[TIR_MAX_RANK]; // the tensor's dims that they are
  tir_type_t type;
  int64_t vector; // the dim of a place's numbers; the rank: there is one number a place
} hlo_indices_t;

// Operand 1; |text|: the attribute that says which of its dims has the numbers. False where that is none.
bool hlo_indices_of(tir_op_t *o, const char *text, hlo_indices_t *out);
// Number |i| of each place, with the batch dims in the order |batch|.
const char *hlo_index(tir_op_t *o, const hlo_indices_t *x, int i, const int64_t *batch);

// What a place is made of: some dims of the operand, in order, with the index in each; all of one shape, or repeated.
typedef struct {
  int n;
  int64_t dims[TIR_MAX_RANK];
  const char *index[TIR_MAX_RANK];
  bool is_checked; // places outside are none
} hlo_places_t;

void hlo_add_place(hlo_places_t *p, int64_t dim, const char *index);
// The places' numbers. Those with an index outside are -1, if anybody wants to know.
const char *hlo_linear(tir_op_t *o, const hlo_places_t *p, const char *x, const tir_type_t *type);
// The dims of the operand with |first|, then the places', then the others. Returns where the others begin.
int hlo_places_first(const hlo_places_t *p, int n_first, const int64_t *first, int rank, int64_t *out);
// |x|, whose dims are |order|, with those from |from| up to |to| as one.
const char *hlo_merge_dims(tir_op_t *o, const char *x, const tir_type_t *type, const int64_t *order, int from, int to);
// Stores, or combines, |updates|, whose dims are those of the places, then the operand's others, into operand 0.
const char *hlo_scatter(tir_op_t *o, const char *kind, const hlo_places_t *p, const char *updates,
                        const tir_type_t *type);

#endif
