// The part of strata-simplify that moves slices in front of what they cut from: a product of which nobody reads more is
// computed no further.
//
//   slice(contract(x, w))   ->  contract(slice(x), w), of rows; contract(x, slice(w)), of columns
//   slice(add(p, y))        ->  add(slice(p), slice(y))     where a contract lies behind p
//
// Elsewhere a slice stays where it is: it is a view, which whoever reads it composes into its own accesses, and what is
// elementwise in front of it is an epilogue of what comes before.
#include "passes/strata/contract.h"
#include "passes/strata/views.h"

enum { MAX_DEPTH = 16 };

// What a slice takes of one dim.
typedef struct {
  int64_t start, step, size;
} range_t;

static int read_ranges(MlirOperation slice, range_t *out) {
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  int rank = strata_sizes_of(strata_result(slice), sizes);
  if (strata_attr_i64s(slice, "starts", STRATA_MAX_RANK, starts) != rank ||
      strata_attr_i64s(slice, "steps", STRATA_MAX_RANK, steps) != rank)
    return -1;
  for (int i = 0; i < rank; i++)
    out[i] = (range_t){starts[i], steps[i], sizes[i]};
  return rank;
}

static MlirValue slice_ranges(strata_rewriter_t *r, MlirValue x, int rank, const range_t *ranges) {
  int64_t starts[STRATA_MAX_RANK], steps[STRATA_MAX_RANK], sizes[STRATA_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    starts[i] = ranges[i].start;
    steps[i] = ranges[i].step;
    sizes[i] = ranges[i].size;
  }
  return strata_build_slice(&r->build, x, starts, steps, sizes);
}

// True if the range is something else than all |size| elements in their order.
static bool cuts(range_t range, int64_t size) { return range.size != size || (range.step != 1 && size > 1); }

static bool can_cut(const strata_rewriter_t *r, MlirOperation contract, const range_t *ranges) {
  strata_contract_t c;
  int64_t sizes[STRATA_MAX_RANK], operand[STRATA_MAX_RANK];
  if (!strata_contract_read(r->compile, contract, &c) || strata_sizes_of(strata_result(contract), sizes) < 0 ||
      strata_sizes_of(c.operands[0], operand) < 0 || strata_sizes_of(c.operands[1], operand) < 0)
    return false;
  for (int i = 0; i < c.result_rank; i++)
    if (cuts(ranges[i], sizes[i]) && (ranges[i].step != 1 || !strata_contract_is_sliceable(&c, i)))
      return false;
  return true;
}

// True if a contract that can be cut lies behind |value| and what is elementwise, and nobody else reads any of it.
static bool saves_products(const strata_rewriter_t *r, MlirValue value, const range_t *ranges, int depth) {
  MlirOperation op = strata_def(value);
  strata_op_id_t id = mlirOperationIsNull(op) || !strata_has_one_use(value) ? STRATA_OP_COUNT : strata_op_id(op);
  bool result = false;
  if (id == STRATA_OP_CONTRACT)
    return can_cut(r, op, ranges);
  for (int i = 0; strata_is_elementwise(id) && depth < MAX_DEPTH && i < strata_op_info[id].n_operands; i++)
    result = result || saves_products(r, strata_operand(op, i), ranges, depth + 1);
  return result;
}

static MlirValue cut_contract(strata_rewriter_t *r, MlirOperation op, const range_t *ranges) {
  strata_contract_t c;
  strata_contract_read(r->compile, op, &c);
  for (int k = 0; k < 2; k++) {
    range_t own[STRATA_MAX_RANK];
    int64_t sizes[STRATA_MAX_RANK];
    int rank = strata_sizes_of(c.operands[k], sizes);
    bool is_cut = false;
    for (int i = 0; i < rank; i++)
      own[i] = (range_t){0, 1, sizes[i]};
    for (int dim = 0; dim < c.result_rank; dim++) {
      int place = strata_contract_position(&c, k, dim);
      if (place < 0 || !cuts(ranges[dim], sizes[place]))
        continue;
      own[place] = ranges[dim];
      is_cut = true;
    }
    if (is_cut)
      c.operands[k] = slice_ranges(r, c.operands[k], rank, own);
  }
  for (int dim = 0; dim < c.result_rank; dim++)
    c.dims[dim] = strata_dim_constant(r->compile->context, ranges[dim].size);
  return strata_contract_build(&r->build, &c);
}

MlirValue strata_raise_slice(strata_rewriter_t *r, MlirOperation slice) {
  range_t ranges[STRATA_MAX_RANK];
  MlirValue operands[3], x = strata_operand(slice, 0);
  int rank = read_ranges(slice, ranges);
  if (rank < 0 || !saves_products(r, x, ranges, 0))
    return STRATA_NO_VALUE;
  MlirOperation op = strata_def(x);
  strata_op_id_t id = strata_op_id(op);
  if (id == STRATA_OP_CONTRACT)
    return cut_contract(r, op, ranges);
  for (int i = 0; i < strata_op_info[id].n_operands; i++)
    operands[i] = slice_ranges(r, strata_operand(op, i), rank, ranges);
  return strata_build_elementwise(&r->build, op, operands);
}
