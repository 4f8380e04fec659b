// Pipelined products: tiles of the epilogue's operands, a residual, come through the ring.
//
//   producer:   for the steps: fetch;    for the tiles' slots: fetch
//   consumers:  for the steps: multiply; for the tiles' slots: to registers, in the layout of the sums; the epilogue
//
// So they have come when the products are done, and memory is asked for them while it has little else to do.
//
// The larger operand's part of a slot is used, in units of 64 rows of a span, as in the staging memory of results. Each
// warp group has as many of a slot's as any other: those of its rows and columns, one after the other.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/values.h"

enum {
  RANK = 2,
  ROW = 0,
  COLUMN = 1,
  UNIT = STRATA_GROUP_ROWS * STRATA_SPAN, // bytes
};

//===-- Reading --------------------------------------------------------------------------------------------------===//

// The side whose part of a slot is used: the larger one.
static int side_of(const strata_pipelined_t *p) {
  return strata_ring_slot_bytes(&p->operands[ROW]) > strata_ring_slot_bytes(&p->operands[COLUMN]) ? ROW : COLUMN;
}

// A group's units of a slot.
static int64_t units_per_slot(const strata_pipelined_t *p) {
  return strata_ring_slot_bytes(&p->operands[side_of(p)]) / (UNIT * p->groups);
}

// Of a tile: spans of a group's columns, a group's units, slots.
static int64_t spans(const strata_pipelined_t *p, const strata_epilogue_tile_t *t) {
  return p->n * t->bytes / STRATA_SPAN;
}

static int64_t units(const strata_pipelined_t *p, const strata_epilogue_tile_t *t) { return p->m_blocks * spans(p, t); }

static int64_t slots_of(const strata_pipelined_t *p, const strata_epilogue_tile_t *t) {
  return strata_ceil_div(units(p, t), units_per_slot(p));
}

int64_t strata_epilogue_slots(const strata_pipelined_kernel_t *k) {
  int64_t count = 0;
  for (int i = 0; i < k->n_tiles; i++)
    count += slots_of(&k->product, &k->tiles[i]);
  return count;
}

// True if |op| loads from an argument that the kernel does not write, by what is known in front of the loop.
static bool is_known(const strata_pipelined_kernel_t *k, MlirOperation op) {
  MlirValue buffer = mlirOperationGetOperand(op, 0);
  for (intptr_t i = 1; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue symbol = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(symbol) && !mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(symbol), k->loop))
      return false;
  }
  return strata_gpu_is_read_only(buffer);
}

// True if a thread has registers for as many values of |bytes| as it has sums: it needs fewer besides than where it
// exchanges them itself (pipelined_runs.c).
static bool has_registers(const strata_pipelined_t *p, int64_t bytes) {
  enum { MOST = 192, REGISTER = 4 };
  int64_t sums = strata_layout_registers(&p->layout);
  return sums + sums * bytes / REGISTER <= (p->groups > 2 ? STRATA_MOST_OF_THREE : MOST);
}

// True if the tile that |op| loads lies as the sums do, contiguous along the instruction's columns, in whole units.
static bool read_tile(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirOperation op,
                      strata_epilogue_tile_t *t) {
  const strata_pipelined_t *p = &k->product;
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(result);
  if (!strata_op_is(op, "tile.load") || !mlirTypeIsAVector(type) || mlirShapedTypeGetRank(type) != RANK ||
      !is_known(k, op) || !strata_layout_equal(strata_layout_of(d, result), &p->layout))
    return false;
  MlirType element = mlirShapedTypeGetElementType(type);
  bool has_size = strata_pipelined_is_staged(element);
  *t = (strata_epilogue_tile_t){.load = op, .bytes = has_size ? strata_element_bytes(element) : 0};
  if (!has_size || p->n * t->bytes % STRATA_SPAN || !has_registers(p, t->bytes))
    return false;
  int64_t columns = STRATA_SPAN / t->bytes;
  strata_bulk_limits_t limits = {.most = {STRATA_GROUP_ROWS, columns}, .span = STRATA_SPAN};
  if (!strata_bulk_read(d, op, 0, type, &limits, &t->bulk) || t->bulk.inner != COLUMN ||
      t->bulk.extents[ROW] != STRATA_GROUP_ROWS || t->bulk.extents[COLUMN] != columns)
    return false;
  t->bulk.is_exact = true;
  return true;
}

// A team awaits the slots of all tiles while it has yet to give back that of the last step.
static bool has_slots(const strata_pipelined_kernel_t *k, const strata_epilogue_tile_t *t) {
  const strata_pipelined_t *p = &k->product;
  return p->teams == 1 || strata_epilogue_slots(k) + slots_of(p, t) < p->slots;
}

static bool can_have_tiles(const strata_gpu_distribution_t *d, const strata_pipelined_t *p) {
  bool is_plain =
      p->instruction->has_fragments && !p->reads_left && !p->swap && p->parts == 1 && p->pair == 1 && !d->plan.stream;
  return is_plain && strata_pipelined_is_bulk(p) && units_per_slot(p) > 0;
}

void strata_epilogue_read(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  if (!can_have_tiles(d, &k->product))
    return;
  for (MlirOperation op = mlirOperationGetNextInBlock(k->loop);
       !mlirOperationIsNull(op) && k->n_tiles < STRATA_EPILOGUE_TILES; op = mlirOperationGetNextInBlock(op)) {
    strata_epilogue_tile_t *t = &k->tiles[k->n_tiles];
    k->n_tiles += read_tile(d, k, op, t) && has_slots(k, t);
  }
}

bool strata_epilogue_has(const strata_pipelined_kernel_t *k, MlirOperation op) {
  for (int i = 0; i < k->n_tiles; i++)
    if (mlirOperationEqual(op, k->tiles[i].load))
      return true;
  return false;
}

//===-- Fetching -------------------------------------------------------------------------------------------------===//

// Unit |unit| of |group|, number |place| of the running slot's.
static void fetch_unit(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, const strata_epilogue_tile_t *t,
                       int64_t group, int64_t unit, int64_t place) {
  strata_emitter_t *e = &d->e;
  const strata_pipelined_t *p = &k->product;
  const strata_ring_operand_t *area = &p->operands[side_of(p)];
  bool is_across = p->across > 1;
  int64_t block = unit / spans(p, t), span = unit % spans(p, t);
  const int64_t offsets[] = {((is_across ? 0 : group) * p->m_blocks + block) * STRATA_GROUP_ROWS,
                             (is_across ? group * p->n : 0) + span * STRATA_SPAN / t->bytes};
  MlirValue at =
      strata_emit_plus(e, strata_emit_times(e, k->place.slot, area->slot), place * UNIT / area->shared.element_bytes);
  const strata_bulk_target_t to = {area->shared.memory, at, k->ring.full, k->place.slot, {NULL}};
  strata_bulk_load(d, &t->bulk, offsets, STRATA_SPAN, &to);
}

static void fetch_slot(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, const strata_epilogue_tile_t *t,
                       int64_t slot) {
  const strata_pipelined_t *p = &k->product;
  int64_t most = units_per_slot(p), first = slot * most, count = strata_min(units(p, t) - first, most);
  strata_ring_acquire(d, &k->ring, k->place);
  strata_ring_expect(d, &k->ring, k->place.slot, p->groups * count * UNIT, (MlirValue){NULL});
  for (int64_t group = 0; group < p->groups; group++)
    for (int64_t i = 0; i < count; i++)
      fetch_unit(d, k, t, group, first + i, group * most + i);
  strata_ring_advance(d, &k->ring, &k->place);
}

void strata_epilogue_fetch(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  for (int i = 0; i < k->n_tiles; i++)
    for (int64_t slot = 0; slot < slots_of(&k->product, &k->tiles[i]); slot++)
      fetch_slot(d, k, &k->tiles[i], slot);
}

//===-- Receiving ------------------------------------------------------------------------------------------------===//

// The side's part of all slots, as elements of |t|.
static MlirValue area_of(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                         const strata_epilogue_tile_t *t) {
  const strata_pipelined_t *p = &k->product;
  int side = side_of(p);
  int64_t before = side == ROW ? 0 : p->slots * strata_ring_slot_bytes(&p->operands[ROW]), group = d->role.group;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(t->load, 0)));
  d->role.group = d->role.threads; // the block's, not a team's
  MlirValue memory = strata_shared_view(d, k->ring_at + before, element,
                                        p->slots * strata_ring_slot_bytes(&p->operands[side]) / t->bytes);
  d->role.group = group;
  return memory;
}

// Where the first unit of the thread's group lies in the running slot, in elements of the side's part of all slots.
static MlirValue group_place(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                             const strata_epilogue_tile_t *t) {
  strata_emitter_t *e = &d->e;
  const strata_pipelined_t *p = &k->product;
  MlirValue slot = strata_emit_times(e, k->place.slot, strata_ring_slot_bytes(&p->operands[side_of(p)]) / t->bytes);
  return strata_emit_binary(e, "arith.addi", slot,
                            strata_emit_times(e, strata_emit_own_group(d, k), units_per_slot(p) * UNIT / t->bytes));
}

typedef struct {
  strata_gpu_distribution_t *d;
  MlirValue memory;
  strata_registers_t *registers;
} received_t;

static void receive_pair(void *user, int64_t first, MlirValue at, int64_t further) {
  received_t *r = user;
  strata_emitter_t *e = &r->d->e;
  const int64_t pair = 2;
  MlirType vector = mlirVectorTypeGet(1, &pair, r->registers->element);
  MlirValue operands[] = {r->memory, strata_emit_plus(e, at, further)};
  MlirValue value = strata_emit_value(e, "vector.load", 2, operands, vector, 0, NULL);
  for (int64_t i = 0; i < pair; i++)
    r->registers->values[first + i] = strata_lanes_extract(e, value, i);
}

static void receive_tile(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k, const strata_epilogue_tile_t *t) {
  const strata_pipelined_t *p = &k->product;
  MlirValue result = mlirOperationGetResult(t->load, 0);
  strata_registers_t registers = strata_registers_in(d, mlirValueGetType(result), &p->layout);
  received_t received = {d, area_of(d, k, t), &registers};
  MlirValue lane = strata_emit_group_lane(d);
  int64_t most = units_per_slot(p), n = units(p, t);
  MlirValue first = {0};
  for (int64_t unit = 0; unit < n; unit++) {
    if (unit % most == 0) {
      strata_ring_await(d, &k->ring, k->place);
      first = group_place(d, k, t);
    }
    strata_sub_tile_t box = {.lane = lane,
                             .block = unit / spans(p, t),
                             .column = unit % spans(p, t) * STRATA_SPAN / t->bytes,
                             .bytes = t->bytes,
                             .span = STRATA_SPAN};
    strata_pipelined_pairs(d, p, &box, strata_emit_plus(&d->e, first, unit % most * UNIT / t->bytes), receive_pair,
                           &received);
    if ((unit + 1) % most != 0 && unit + 1 < n)
      continue;
    strata_emit_fence(d, "shared");
    strata_emit_group_barrier(d, k); // all of its threads have read the slot
    strata_pipelined_release(d, k, k->place.slot);
    strata_ring_advance(d, &k->ring, &k->place);
  }
  strata_registers_define(d, result, &registers);
}

void strata_epilogue_await(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k) {
  strata_ring_place_t place = k->place;
  for (int64_t slot = 0; slot < strata_epilogue_slots(k); slot++) {
    strata_ring_await(d, &k->ring, place);
    strata_ring_advance(d, &k->ring, &place);
  }
}

void strata_epilogue_receive(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  for (int i = 0; i < k->n_tiles; i++)
    receive_tile(d, k, &k->tiles[i]);
}
