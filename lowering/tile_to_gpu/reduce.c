// vector.multi_reduction and vector.reduction.
//
// Registers of a thread are combined (reduce_registers.c), then lanes of a warp and warps (reduce_warps.c, and
// reduce_dealt.c where there are several results), then blocks of a cluster (reduce_blocks.c), so that all threads have
// the result. The order is fixed by the layout alone.
#include "lowering/tile_to_gpu/reduce.h"
#include "lowering/expand/combine.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/moments.h"
#include "lowering/tile_to_gpu/rows_ahead.h"

enum { CHAINS_OF_PARTS = 2, CHAINS_OF_PRODUCTS = 4 };

static void read_dims(strata_reduction_t *r, MlirOperation op) {
  int64_t dims[STRATA_VALUE_RANK] = {0};
  int count = strata_attr_i64s(op, "reduction_dims", STRATA_VALUE_RANK, dims);
  for (int i = 0; i < (count < 0 ? 1 : count); i++) // a vector.reduction is over its only dim
    r->is_reduced[dims[i]] = true;
  for (int dim = 0, kept = 0; dim < r->source->rank; dim++)
    r->to[dim] = r->is_reduced[dim] ? STRATA_COPIES : kept++;
}

static void add_start(strata_reduction_t *r) {
  for (int64_t i = 0; i < r->start.count; i++)
    r->result.values[i] = strata_emit_combine(&r->d->e, r->kind, r->start.values[i], r->result.values[i]);
}

static strata_reduction_t begin(strata_gpu_distribution_t *d, MlirOperation op, const strata_registers_t *source,
                                int chains) {
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_reduction_t r = {.d = d, .kind = strata_attr(op, "kind"), .source = source, .chains = chains};
  r.wanted = strata_layout_of(d, result);
  r.contracts = strata_attr_flag(op, "tile.contracts");
  read_dims(&r, op);
  strata_layout_t layout = strata_layout_map_dims(&source->layout, r.to);
  if (!mlirTypeIsAVector(mlirValueGetType(result)))
    layout = (strata_layout_t){0};
  r.result = strata_registers_in(d, mlirValueGetType(result), &layout);
  return r;
}

strata_reduction_t strata_reduction_of(strata_gpu_distribution_t *d, MlirOperation op,
                                       const strata_registers_t *source) {
  return begin(d, op, source, CHAINS_OF_PRODUCTS);
}

// Lanes, then warps.
static strata_status_t reduce_threads(strata_reduction_t *r) {
  strata_slots_t slots = strata_reduction_slots(r);
  if (strata_reduction_deals(r, &slots))
    return strata_reduce_dealt(r, &slots);
  strata_reduce_lanes(r);
  if (slots.n_warps > 1)
    return strata_reduce_warps(r, &slots);
  strata_columns_forget(r->d);
  return strata_rows_refresh(r->d);
}

// |is_partial|: each thread keeps the part that it holds itself.
static strata_status_t reduce(strata_gpu_distribution_t *d, MlirOperation op, int chains, bool is_partial) {
  MlirValue result = mlirOperationGetResult(op, 0);
  const strata_registers_t *source = strata_registers_of(d, mlirOperationGetOperand(op, 0));
  if (source->rank == 0)
    return strata_gpu_missing(op, "a scalar");
  if (mlirValueIsNull(strata_emit_start(&d->e, strata_attr(op, "kind"), source->element)))
    return strata_gpu_missing(op, "this kind of reduction");
  strata_reduction_t r = begin(d, op, source, chains);
  if (mlirOperationGetNumOperands(op) > 1)
    STRATA_TRY(strata_registers_as(d, mlirOperationGetOperand(op, 1), &r.result.layout, &r.start));
  strata_reduce_registers(&r);
  if (!is_partial) {
    STRATA_TRY(reduce_threads(&r));
    STRATA_TRY(strata_reduce_blocks(&r, strata_attr_flag(op, "tile.row")));
  }
  add_start(&r);
  strata_registers_t out;
  STRATA_TRY(strata_registers_convert(d, &r.result, r.wanted, &out));
  strata_registers_define(d, result, &out);
  return NULL;
}

strata_status_t strata_gpu_rule_reduction(strata_gpu_distribution_t *d, MlirOperation op) {
  bool is_done;
  STRATA_TRY(strata_moments_reduce(d, op, &is_done));
  if (is_done)
    return NULL;
  return reduce(d, op, strata_attr_flag(op, "tile.contracts") ? CHAINS_OF_PRODUCTS : 0, false);
}

strata_status_t strata_gpu_reduce_in_chains(strata_gpu_distribution_t *d, MlirOperation op, bool is_partial) {
  return reduce(d, op, CHAINS_OF_PARTS, is_partial);
}

void strata_gpu_reduce_lanes(strata_gpu_distribution_t *d, MlirOperation op, strata_registers_t *registers) {
  strata_reduction_t r = {.d = d, .kind = strata_attr(op, "kind"), .result = *registers};
  r.source = strata_registers_of(d, mlirOperationGetOperand(op, 0));
  read_dims(&r, op);
  strata_reduce_lanes(&r);
}
