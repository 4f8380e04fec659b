// Reductions: the registers of a thread, combined pairwise, as a tree, or, of sums that may take products in (fast
// math), one after the other to a few sums: a product and its addition are one instruction then.
#include "dialects/integers.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/reduce.h"

static bool is_never(const strata_reduction_t *r, int64_t reg) {
  for (int dim = 0; dim < r->source->rank; dim++)
    if (strata_layout_reg_coordinate(&r->source->layout, reg, dim) >= r->source->sizes[dim])
      return true;
  return false;
}

// True in threads whose register |reg| does not hang along |dim|. Neighbours ask the same question where they hang
// together: a multiple of 4 is at most 6 if it is at most 4.
static MlirValue emit_holds(const strata_reduction_t *r, int64_t reg, int dim) {
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  const strata_layout_t *layout = &r->source->layout;
  MlirAffineExpr thread = strata_thread_coordinate(r->d->e.context, layout, dim, 0);
  int64_t most = r->source->sizes[dim] - 1 - strata_layout_reg_coordinate(layout, reg, dim);
  int64_t divisor = mlirAffineExprGetLargestKnownDivisor(thread);
  if (divisor > 1)
    most -= most % divisor;
  MlirValue coordinate = strata_index_emit(&space, thread);
  return strata_emit_cmpi(&r->d->e, STRATA_SLE, coordinate, strata_emit_index(&r->d->e, most));
}

MlirValue strata_reduction_counted(const strata_reduction_t *r, int64_t reg) {
  strata_emitter_t *e = &r->d->e;
  MlirValue value = r->source->values[reg];
  for (int dim = 0; dim < r->source->rank; dim++) {
    int64_t last =
        strata_layout_reg_coordinate(&r->source->layout, reg, dim) + strata_layout_thread_max(&r->source->layout, dim);
    if (!r->is_reduced[dim] || last < r->source->sizes[dim])
      continue;
    MlirValue neutral = strata_emit_start(e, r->kind, r->source->element);
    value = strata_emit_select(e, emit_holds(r, reg, dim), value, neutral);
  }
  return value;
}

bool strata_reduction_counts(const strata_reduction_t *r, int64_t reg, int64_t target) {
  for (int dim = 0; dim < r->source->rank; dim++)
    if (!r->is_reduced[dim] && strata_layout_reg_coordinate(&r->source->layout, reg, dim) !=
                                   strata_layout_reg_coordinate(&r->result.layout, target, r->to[dim]))
      return false;
  return true;
}

// Registers that hold copies along a reduced dim must count once only.
static bool is_copy(const strata_reduction_t *r, int64_t reg) {
  for (int64_t other = 0; other < reg; other++) {
    bool is_same = true;
    for (int dim = 0; dim < r->source->rank && is_same; dim++)
      is_same = strata_layout_reg_coordinate(&r->source->layout, other, dim) ==
                strata_layout_reg_coordinate(&r->source->layout, reg, dim);
    if (is_same)
      return true;
  }
  return false;
}

static MlirValue add_to_chain(const strata_reduction_t *r, MlirValue sum, MlirValue value) {
  return r->contracts ? strata_emit_contracting(&r->d->e, "arith.addf", sum, value)
                      : strata_emit_combine(&r->d->e, r->kind, sum, value);
}

static void combine_registers(strata_reduction_t *r, int64_t target, MlirValue *values) {
  int64_t count = 0;
  for (int64_t reg = 0; reg < r->source->count; reg++)
    if (strata_reduction_counts(r, reg, target) && !is_never(r, reg) && !is_copy(r, reg))
      values[count++] = strata_reduction_counted(r, reg);
  if (count == 0) // hangs itself
    values[0] = strata_emit_start(&r->d->e, r->kind, r->source->element);
  int64_t chains = r->contracts ? strata_max(r->chains / r->result.count, 1) : r->chains;
  for (int64_t i = chains; chains && i < count; i++)
    values[i % chains] = add_to_chain(r, values[i % chains], values[i]);
  count = chains ? strata_min(count, chains) : count;
  for (; count > 1; count = (count + 1) / 2)
    for (int64_t i = 0; i < count / 2; i++) {
      values[i] = strata_emit_combine(&r->d->e, r->kind, values[2 * i], values[2 * i + 1]);
      if (i == count / 2 - 1 && count % 2)
        values[i + 1] = values[count - 1];
    }
  r->result.values[target] = values[0];
}

void strata_reduce_registers(strata_reduction_t *r) {
  MlirValue *values = strata_arena_array(r->d->compile->arena, MlirValue, r->source->count);
  for (int64_t target = 0; target < r->result.count; target++)
    combine_registers(r, target, values);
}
