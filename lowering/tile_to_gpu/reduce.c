// vector.multi_reduction and vector.reduction.
//
// Registers of a thread are combined pairwise, as a tree, or, of sums that may take products in (fast math), one after
// the other to a few sums: a product and its addition are one instruction then. Then lanes of a warp by shuffles, so
// that all of them have the result; then warps through shared memory; then the blocks of a cluster. The order is fixed
// by the layout alone.
#include "lowering/tile_to_gpu/reduce.h"
#include "dialects/integers.h"
#include "lowering/expand/combine.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/combine.h"
#include "lowering/tile_to_gpu/index.h"
#include "lowering/tile_to_gpu/moments.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/rows_ahead.h"
#include "lowering/tile_to_gpu/shared.h"

enum { CHAINS_OF_PARTS = 2, CHAINS_OF_PRODUCTS = 4 };

static void read_dims(strata_reduction_t *r, MlirOperation op) {
  int64_t dims[STRATA_VALUE_RANK] = {0};
  int count = strata_attr_i64s(op, "reduction_dims", STRATA_VALUE_RANK, dims);
  for (int i = 0; i < (count < 0 ? 1 : count); i++) // a vector.reduction is over its only dim
    r->is_reduced[dims[i]] = true;
  for (int dim = 0, kept = 0; dim < r->source->rank; dim++)
    r->to[dim] = r->is_reduced[dim] ? STRATA_COPIES : kept++;
}

//===-- Registers ------------------------------------------------------------------------------------------------===//

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

// A register of the source, neutral in threads where it hangs along a reduced dim.
static MlirValue counted(const strata_reduction_t *r, int64_t reg) {
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
      values[count++] = counted(r, reg);
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

static void combine_all_registers(strata_reduction_t *r) {
  MlirValue *values = strata_arena_array(r->d->compile->arena, MlirValue, r->source->count);
  for (int64_t target = 0; target < r->result.count; target++)
    combine_registers(r, target, values);
}

//===-- Lanes ----------------------------------------------------------------------------------------------------===//

// True if bit |bit| of a thread's number is part of a digit along a reduced dim.
static bool is_reduced_bit(const strata_reduction_t *r, int64_t bit) {
  for (int dim = 0; dim < r->source->rank; dim++)
    if (r->is_reduced[dim] && strata_layout_thread_coordinate(&r->source->layout, bit, dim) != 0)
      return true;
  return false;
}

// The first |n| results of lanes that differ in |bit| or a lower one.
static void combine_bits(strata_reduction_t *r, int64_t bit, int64_t n) {
  strata_gpu_distribution_t *d = r->d;
  for (; bit > 0; bit /= 2)
    for (int64_t i = 0; i < n && is_reduced_bit(r, bit); i++) {
      MlirValue own = r->result.values[i], other = strata_emit_shuffle_xor(&d->e, own, bit, d->device->lanes);
      r->result.values[i] = strata_emit_combine(&d->e, r->kind, own, other);
    }
}

static void combine_lanes(strata_reduction_t *r) {
  combine_bits(r, strata_min(r->d->role.group, r->d->device->lanes) / 2, r->result.count);
}

//===-- Warps ----------------------------------------------------------------------------------------------------===//

// A group's threads by the parts of their number: lanes that hold different results, warps.
typedef struct {
  int64_t kept_lanes, kept_warps, n_warps; // counts: lanes, and warps, of different results; warps combined
  strata_layout_t lane, kept_warp, warp;   // digits of the thread's number along dim 0
  int64_t reduced_lanes;                   // the bits of the number that tell lanes of one result apart
} slots_t;

static void sort_bit(const strata_reduction_t *r, slots_t *slots, int64_t bit) {
  bool is_lane = bit < r->d->device->lanes, is_reduced = is_reduced_bit(r, bit);
  bool is_warp = !is_lane && bit < r->d->role.threads, is_kept = !is_reduced; // beyond are the blocks of a cluster
  strata_layout_push_thread(&slots->lane, is_lane && is_kept ? 0 : STRATA_COPIES, 2, slots->kept_lanes);
  strata_layout_push_thread(&slots->kept_warp, is_warp && is_kept ? 0 : STRATA_COPIES, 2, slots->kept_warps);
  strata_layout_push_thread(&slots->warp, is_warp && is_reduced ? 0 : STRATA_COPIES, 2, slots->n_warps);
  slots->kept_lanes *= is_lane && is_kept ? 2 : 1;
  slots->kept_warps *= is_warp && is_kept ? 2 : 1;
  slots->n_warps *= is_warp && is_reduced ? 2 : 1;
  slots->reduced_lanes |= is_lane && is_reduced ? bit : 0;
}

static slots_t find_slots(const strata_reduction_t *r) {
  slots_t slots = {.kept_lanes = 1, .kept_warps = 1, .n_warps = 1};
  for (int64_t bit = 1; bit < r->d->role.group; bit *= 2)
    sort_bit(r, &slots, bit);
  return slots;
}

// Lanes of one result have the same of it, but where it is no number: one of them writes.
static MlirValue is_first_lane(const strata_reduction_t *r, const slots_t *slots) {
  strata_emitter_t *e = &r->d->e;
  MlirValue bits = strata_emit_binary(e, "arith.andi", r->d->role.thread, strata_emit_index(e, slots->reduced_lanes));
  return strata_emit_cmpi(e, STRATA_EQ, bits, strata_emit_index(e, 0));
}

// The slots of one result are beside one another: warp w has the w-th from here.
static MlirAffineExpr slot_base(const strata_reduction_t *r, const slots_t *slots) {
  MlirContext context = r->d->e.context;
  MlirAffineExpr lane = strata_thread_coordinate(context, &slots->lane, 0, 0);
  MlirAffineExpr kept = strata_thread_coordinate(context, &slots->kept_warp, 0, 0);
  MlirAffineExpr place =
      mlirAffineAddExprGet(mlirAffineMulExprGet(kept, mlirAffineConstantExprGet(context, slots->kept_lanes)), lane);
  return mlirAffineMulExprGet(place, mlirAffineConstantExprGet(context, slots->n_warps));
}

static MlirValue load_slot(strata_reduction_t *r, MlirValue memory, MlirValue at) {
  return strata_emit_value(&r->d->e, "memref.load", 2, (MlirValue[]){memory, at}, r->source->element, 0, NULL);
}

// Combines the |n| neighbouring slots from |first| on.
static MlirValue combine_slots(strata_reduction_t *r, MlirValue memory, MlirValue first, int64_t n) {
  if (n == 1)
    return load_slot(r, memory, first);
  MlirValue low = combine_slots(r, memory, first, n / 2);
  MlirValue high = combine_slots(r, memory, strata_emit_plus(&r->d->e, first, n / 2), n / 2);
  return strata_emit_combine(&r->d->e, r->kind, low, high);
}

// Takes note of warps that combine |bytes|, of |parts| equal parts of the group that each wait for nobody else.
static void note_combined(strata_gpu_distribution_t *d, int64_t parts, int64_t bytes) {
  strata_combines_t *combines = &d->shared.combines;
  if (d->nest.loops > 0 || d->nest.branches > 0)
    return;
  combines->is_mixed |= combines->parts > 1 && parts > 1 && parts != combines->parts;
  combines->parts = strata_max(combines->parts, parts);
  combines->bytes += bytes;
  combines->count++;
}

// True if warps of one result, neighbours, can wait for nobody else.
static bool waits_apart(const strata_gpu_distribution_t *d, const slots_t *slots) {
  int64_t part = d->role.group / slots->kept_warps;
  bool is_apart = strata_layout_thread_coordinate(&slots->kept_warp, part, 0) == 1;
  return slots->kept_warps > 1 && is_apart && strata_has_part_barrier(d, slots->kept_warps);
}

// Waits for the warps of one result: those of the others have slots of their own. |is_dirty|: there is more that
// threads wait for. *out_parts: of the group, that wait for nobody else.
static strata_status_t wait_for_warps(strata_gpu_distribution_t *d, const slots_t *slots, bool is_dirty,
                                      int64_t *out_parts) {
  bool is_apart = !is_dirty && waits_apart(d, slots);
  *out_parts = is_apart ? slots->kept_warps : 1;
  if (!is_apart)
    return strata_shared_before_read(d);
  strata_emit_part_barrier(d, slots->kept_warps);
  d->shared.is_dirty = false; // nobody else reads those slots
  d->shared.is_read = true;
  return NULL;
}

// The slots of one of a thread's results.
static int64_t slots_per_register(const slots_t *slots) {
  return slots->kept_lanes * slots->kept_warps * slots->n_warps;
}

static strata_status_t alloc_slots(strata_reduction_t *r, const slots_t *slots, MlirValue *out_memory) {
  int64_t count = slots_per_register(slots) * r->result.count;
  return strata_shared_alloc(r->d, r->source->element, count, out_memory);
}

// The first |n| results that a thread holds go to slots, the first result's at |own|.
static strata_status_t leave_for_warps(strata_reduction_t *r, const slots_t *slots, MlirValue memory, MlirValue own,
                                       MlirValue writes, int64_t n) {
  strata_emitter_t *e = &r->d->e;
  if (r->d->nest.loops > 0) // else the memory is new
    STRATA_TRY(strata_shared_before_write(r->d));
  r->d->shared.is_dirty = true;
  strata_loop_t branch = mlirValueIsNull(writes) ? (strata_loop_t){0} : strata_emit_if_begin(e, writes);
  for (int64_t i = 0; i < n; i++) {
    MlirValue at = strata_emit_plus(e, own, i * slots_per_register(slots));
    strata_emit_op(e, "memref.store", 3, (MlirValue[]){r->result.values[i], memory, at}, 0, NULL, 0, NULL);
  }
  if (!mlirValueIsNull(writes))
    strata_emit_if_end(e, branch);
  return NULL;
}

// The first |n| results that a thread holds of each of |n_reductions| go to slots of |memory|, the first result's from
// |base| on, where the other warps' are by then. |writes|: i1, the threads that write them; null: all do.
static strata_status_t exchange(strata_reduction_t *r, int n_reductions, const slots_t *slots, MlirValue base,
                                MlirValue writes, int64_t n, MlirValue *memory) {
  strata_gpu_distribution_t *d = r->d;
  bool was_dirty = d->shared.is_dirty;
  int64_t size = d->shared.size, parts;
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  for (int i = 0; i < n_reductions; i++)
    STRATA_TRY(alloc_slots(&r[i], slots, &memory[i]));
  MlirValue warp = strata_index_emit(&space, strata_thread_coordinate(d->e.context, &slots->warp, 0, 0));
  MlirValue own = strata_emit_binary(&d->e, "arith.addi", base, warp);
  for (int i = 0; i < n_reductions; i++)
    STRATA_TRY(leave_for_warps(&r[i], slots, memory[i], own, writes, n));
  STRATA_TRY(wait_for_warps(d, slots, was_dirty || d->nest.loops > 0, &parts));
  note_combined(d, parts, d->shared.size - size);
  return NULL;
}

// Combines such results of one reduction with those of the other warps.
static strata_status_t combine_warps(strata_reduction_t *r, const slots_t *slots, MlirValue base, MlirValue writes,
                                     int64_t n) {
  MlirValue memory;
  STRATA_TRY(exchange(r, 1, slots, base, writes, n, &memory));
  for (int64_t i = 0; i < n; i++)
    r->result.values[i] =
        combine_slots(r, memory, strata_emit_plus(&r->d->e, base, i * slots_per_register(slots)), slots->n_warps);
  return NULL;
}

static strata_status_t combine_held(strata_reduction_t *r, const slots_t *slots) {
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  MlirValue base = strata_index_emit(&space, slot_base(r, slots));
  MlirValue writes = slots->reduced_lanes ? is_first_lane(r, slots) : (MlirValue){0};
  return combine_warps(r, slots, base, writes, r->result.count);
}

//===-- Several results ------------------------------------------------------------------------------------------===//

// Lanes that all hold parts of the same results share these out: at each step a lane gives half of what it has left to
// the lane across and takes the other half. Each has a part of one result in the end.

static bool shares_out(const strata_reduction_t *r, const slots_t *slots) {
  int64_t n = r->result.count, lanes = r->d->device->lanes;
  return n > 1 && n < lanes && (n & (n - 1)) == 0 && slots->n_warps > 1 && slots->reduced_lanes == lanes - 1;
}

// Lanes beside one another that have one result.
static int64_t lanes_per_result(const strata_reduction_t *r) { return r->d->device->lanes / r->result.count; }

// True in lanes whose number has |bit|: they have the upper half.
static MlirValue is_upper(const strata_reduction_t *r, int64_t bit) {
  strata_emitter_t *e = &r->d->e;
  MlirValue bits = strata_emit_binary(e, "arith.andi", r->d->role.thread, strata_emit_index(e, bit));
  return strata_emit_cmpi(e, STRATA_NE, bits, strata_emit_index(e, 0));
}

static void share_out(strata_reduction_t *r, int64_t bit, int64_t half) {
  strata_emitter_t *e = &r->d->e;
  MlirValue upper = is_upper(r, bit), *values = r->result.values;
  for (int64_t i = 0; i < half; i++) {
    MlirValue own = strata_emit_select(e, upper, values[half + i], values[i]);
    MlirValue given = strata_emit_select(e, upper, values[i], values[half + i]);
    MlirValue taken = strata_emit_shuffle_xor(e, given, bit, r->d->device->lanes);
    values[i] = strata_emit_combine(e, r->kind, own, taken);
  }
}

// True if all results have the same start.
static bool has_one_start(const strata_reduction_t *r) {
  for (int64_t i = 1; i < r->start.count; i++)
    if (!mlirValueEqual(r->start.values[i], r->start.values[0]))
      return false;
  return r->start.count > 0;
}

// True if each lane is to keep the result that it has.
static bool is_wanted_dealt(const strata_reduction_t *r) {
  strata_layout_t dealt;
  return r->start.count == 0 && strata_layout_deal(&r->result.layout, r->d->device->lanes, &dealt) &&
         strata_layout_equal(&dealt, r->wanted);
}

// The slots of the result that the lane has.
static MlirValue own_slots(const strata_reduction_t *r, const slots_t *slots) {
  MlirContext context = r->d->e.context;
  MlirAffineExpr lanes = mlirAffineConstantExprGet(context, r->d->device->lanes);
  MlirAffineExpr lane = mlirAffineModExprGet(mlirAffineDimExprGet(context, 0), lanes);
  MlirAffineExpr number = mlirAffineFloorDivExprGet(lane, mlirAffineConstantExprGet(context, lanes_per_result(r)));
  MlirAffineExpr per_register = mlirAffineConstantExprGet(context, slots->kept_warps * slots->n_warps);
  strata_index_space_t space = strata_index_space(r->d, 0, NULL);
  return strata_index_emit(&space,
                           mlirAffineAddExprGet(slot_base(r, slots), mlirAffineMulExprGet(number, per_register)));
}

// The lane's own result becomes those of the thread: it alone where that is wanted, else it asks for all of them.
static void take_results(strata_reduction_t *r, MlirValue own) {
  strata_emitter_t *e = &r->d->e;
  int64_t per_result = lanes_per_result(r);
  if (has_one_start(r)) {
    own = strata_emit_combine(e, r->kind, r->start.values[0], own);
    r->start.count = 0;
  }
  if (is_wanted_dealt(r)) {
    r->result = strata_registers_in(r->d, r->result.type, r->wanted);
    r->result.values[0] = own;
    return;
  }
  for (int64_t i = 0; i < r->result.count; i++)
    r->result.values[i] = strata_emit_shuffle_from(e, own, i * per_result, r->d->device->lanes);
}

// Each lane has the warp's part of one result in the end.
static void share_all_out(strata_reduction_t *r) {
  int64_t bit = r->d->device->lanes / 2;
  for (int64_t half = r->result.count / 2; half > 0; half /= 2, bit /= 2)
    share_out(r, bit, half);
  combine_bits(r, bit, 1);
}

// True in one lane of each result's.
static MlirValue is_first_of_result(const strata_reduction_t *r) {
  strata_emitter_t *e = &r->d->e;
  MlirValue rest =
      strata_emit_binary(e, "arith.andi", r->d->role.thread, strata_emit_index(e, lanes_per_result(r) - 1));
  return strata_emit_cmpi(e, STRATA_EQ, rest, strata_emit_index(e, 0));
}

static strata_status_t combine_shared_out(strata_reduction_t *r, const slots_t *slots) {
  share_all_out(r);
  MlirValue writes = is_first_of_result(r);
  STRATA_TRY(combine_warps(r, slots, own_slots(r, slots), writes, 1));
  take_results(r, r->result.values[0]);
  return NULL;
}

bool strata_reduction_is_dealt(const strata_reduction_t *r) {
  slots_t slots = find_slots(r);
  return shares_out(r, &slots) && is_wanted_dealt(r);
}

int64_t strata_reduction_warps(const strata_reduction_t *r) { return find_slots(r).n_warps; }

MlirValue strata_reduction_own(const strata_reduction_t *r, const MlirValue *values) {
  MlirValue *own = strata_arena_array(r->d->compile->arena, MlirValue, r->result.count);
  int64_t bit = r->d->device->lanes / 2;
  for (int64_t i = 0; i < r->result.count; i++)
    own[i] = values[i];
  for (int64_t half = r->result.count / 2; half > 0; half /= 2, bit /= 2)
    for (int64_t i = 0; i < half; i++)
      own[i] = strata_emit_select(&r->d->e, is_upper(r, bit), own[half + i], own[i]);
  return own[0];
}

void strata_reduce_in_warps(strata_reduction_t *r, int n) {
  for (int i = 0; i < n; i++) {
    combine_all_registers(&r[i]);
    share_all_out(&r[i]);
  }
}

strata_status_t strata_reduction_exchange(strata_reduction_t *r, int n, MlirValue *out) {
  slots_t slots = find_slots(r);
  MlirValue memory[STRATA_REDUCTIONS_AT_ONCE], writes = is_first_of_result(r);
  MlirValue base = own_slots(r, &slots);
  STRATA_TRY(exchange(r, n, &slots, base, writes, 1, memory));
  for (int i = 0; i < n; i++)
    for (int64_t w = 0; w < slots.n_warps; w++)
      *out++ = load_slot(&r[i], memory[i], strata_emit_plus(&r->d->e, base, w));
  return NULL;
}

// Lanes, then warps.
static strata_status_t combine_threads(strata_reduction_t *r) {
  strata_gpu_distribution_t *d = r->d;
  slots_t slots = find_slots(r);
  if (shares_out(r, &slots))
    return combine_shared_out(r, &slots);
  combine_lanes(r);
  if (slots.n_warps > 1)
    return combine_held(r, &slots);
  strata_columns_forget(d);
  return strata_rows_refresh(d);
}

// Threads of a block have the same result by now.
static strata_status_t combine_blocks(strata_reduction_t *r) {
  strata_gpu_distribution_t *d = r->d;
  if (d->role.group <= d->role.threads)
    return NULL;
  for (int64_t bit = 1; bit < d->role.group; bit *= 2)
    if (!is_reduced_bit(r, bit))
      return strata_error(STRATA_UNSUPPORTED, "a reduction of a part of what a cluster holds");
  return strata_cluster_combine(d, r->kind, r->source->element, r->result.count, r->result.values);
}

//===-- Rows of a cluster's tiles --------------------------------------------------------------------------------===//

// Threads that differ in a reduced bit have the same results by now.
static strata_status_t combine_tiles(strata_reduction_t *r) {
  strata_gpu_distribution_t *d = r->d;
  strata_row_place_t place = {.n_kept = 1, .n_copies = 1};
  strata_layout_t kept = {0}, copy = {0};
  for (int64_t bit = 1; bit < d->role.group; bit *= 2) {
    bool is_copy = is_reduced_bit(r, bit);
    strata_layout_push_thread(&kept, is_copy ? STRATA_COPIES : 0, 2, place.n_kept);
    strata_layout_push_thread(&copy, is_copy ? 0 : STRATA_COPIES, 2, place.n_copies);
    place.n_kept *= is_copy ? 1 : 2;
    place.n_copies *= is_copy ? 2 : 1;
  }
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  place.kept = strata_index_emit(&space, strata_thread_coordinate(d->e.context, &kept, 0, 0));
  place.copy = strata_index_emit(&space, strata_thread_coordinate(d->e.context, &copy, 0, 0));
  return strata_row_combine(d, r->kind, r->source->element, &place, r->result.count, r->result.values);
}

//===-- The rule -------------------------------------------------------------------------------------------------===//

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
  combine_all_registers(&r);
  if (!is_partial) {
    STRATA_TRY(combine_threads(&r));
    STRATA_TRY(combine_blocks(&r));
    if (strata_attr_flag(op, "tile.row"))
      STRATA_TRY(combine_tiles(&r));
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
  combine_lanes(&r);
}
