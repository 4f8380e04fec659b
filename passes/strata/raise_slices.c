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

static bool can_cut(const strata_rewriter_t *r, MlirOperation contract, const strata_slice_t *slice) {
  strata_contract_t c;
  if (!strata_contract_read(r->compile, contract, &c))
    return false;
  for (int i = 0; i < c.result_rank; i++)
    if (!strata_slice_is_whole(slice, i, c.dims[i]) && (slice->steps[i] != 1 || !strata_contract_is_sliceable(&c, i)))
      return false;
  return true;
}

// True if a contract that can be cut lies behind |value| and what is elementwise, and nobody else reads any of it.
static bool saves_products(const strata_rewriter_t *r, MlirValue value, const strata_slice_t *slice, int depth) {
  MlirOperation op = strata_def(value);
  strata_op_id_t id = mlirOperationIsNull(op) || !strata_value_has_one_use(value) ? STRATA_OP_COUNT : strata_op_id(op);
  bool result = false;
  if (id == STRATA_OP_CONTRACT)
    return can_cut(r, op, slice);
  for (int i = 0; strata_is_elementwise(id) && depth < MAX_DEPTH && i < strata_op_info[id].n_operands; i++)
    result = result || saves_products(r, strata_operand(op, i), slice, depth + 1);
  return result;
}

static MlirValue cut_contract(strata_rewriter_t *r, MlirOperation op, const strata_slice_t *slice) {
  strata_contract_t c;
  strata_contract_read(r->compile, op, &c);
  for (int k = 0; k < 2; k++) {
    strata_shape_t shape = strata_shape_of(c.operands[k]);
    strata_slice_t own = strata_slice_all(&shape);
    for (int dim = 0; dim < c.result_rank; dim++) {
      int place = strata_contract_position(&c, k, dim);
      if (place < 0 || strata_slice_is_whole(slice, dim, shape.dims[place]))
        continue;
      own.starts[place] = slice->starts[dim];
      own.steps[place] = slice->steps[dim];
      own.sizes[place] = slice->sizes[dim];
    }
    c.operands[k] = strata_slice_build(&r->build, c.operands[k], &own);
  }
  memcpy(c.dims, slice->sizes, (size_t)c.result_rank * sizeof *c.dims);
  return strata_contract_build(&r->build, &c);
}

MlirValue strata_raise_slice(strata_rewriter_t *r, MlirOperation op) {
  strata_slice_t slice;
  MlirValue operands[3], x = strata_operand(op, 0);
  if (!strata_slice_read(op, &slice) || !saves_products(r, x, &slice, 0))
    return STRATA_NO_VALUE;
  MlirOperation from = strata_def(x);
  strata_op_id_t id = strata_op_id(from);
  if (id == STRATA_OP_CONTRACT)
    return cut_contract(r, from, &slice);
  for (int i = 0; i < strata_op_info[id].n_operands; i++)
    operands[i] = strata_slice_build(&r->build, strata_operand(from, i), &slice);
  return strata_build_elementwise(&r->build, from, operands);
}
