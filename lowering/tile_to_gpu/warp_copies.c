// Copies that a warp makes together: what its threads copy lies side by side in shared memory, in the threads' order,
// while a layout and the operand's exchange of units would have it in another one. So threads change places within
// their warps: each loads what goes to the place that is its own.
//
//   units of 16 bytes, eight to a row, those of row r exchanged by r: thread 8 r + u stores unit u at place 8 r + (u
//   xor r) now thread 8 r + u loads what thread 8 r + (u xor r) did
//
// Places are linear in the bits of a thread's number (contract.h). That of its warp gives the lowest bits of a place a
// part, too; the bits of its lane must then reach all places of the warp. The inverse is linear as well.
#include "dialects/integers.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/contract.h"
#include "lowering/tile_to_gpu/roles.h"

enum { MAX_BITS = 10, MAX_LANES = 64 }; // of a thread's number in its block

// Units of 16 bytes.
static int64_t unit_of(const strata_shared_operand_t *o, int64_t place) {
  return place * o->element_bytes / STRATA_VECTOR_BYTES;
}

// By the lowest bits of a place: the lane that has it. False if some lanes share one.
static bool find_lanes(const strata_shared_operand_t *o, int64_t lanes, int64_t *out_lanes) {
  for (int64_t lane = 0; lane < lanes; lane++)
    out_lanes[lane] = -1;
  for (int64_t lane = 0; lane < lanes; lane++) {
    int64_t unit = unit_of(o, strata_operand_thread_place(o, &o->load, lane));
    if (unit >= lanes || out_lanes[unit] >= 0)
      return false;
    out_lanes[unit] = lane;
  }
  return true;
}

// Threads beyond the operand's elements would copy what others copy.
static bool has_copies_of_threads(const strata_layout_t *layout) {
  for (int i = 0; i < layout->n_thread; i++)
    if (layout->thread[i].dim < 0 && layout->thread[i].extent > 1)
      return true;
  return false;
}

bool strata_warps_can_copy(const strata_shared_operand_t *o, int64_t lanes) {
  int64_t found[MAX_LANES], n = strata_layout_registers(&o->load), threads = strata_layout_threads(&o->load);
  if (lanes > MAX_LANES || threads < lanes || threads > (INT64_C(1) << MAX_BITS) || has_copies_of_threads(&o->load) ||
      !find_lanes(o, lanes, found))
    return false;
  for (int64_t reg = 0; reg < n; reg++)
    if (unit_of(o, strata_operand_register_place(o, &o->load, reg)) & (lanes - 1))
      return false;
  return true;
}

// The thread whose part of the tile the running one copies.
static MlirValue thread_of(strata_gpu_distribution_t *d, const strata_shared_operand_t *o) {
  int64_t lanes = d->device->lanes, found[MAX_LANES], columns[MAX_BITS] = {0};
  int n_bits = 0;
  find_lanes(o, lanes, found);
  for (int64_t bit = 1; bit < strata_layout_threads(&o->load); bit *= 2) {
    int64_t own = bit < lanes ? bit : unit_of(o, strata_operand_thread_place(o, &o->load, bit)) & (lanes - 1);
    columns[n_bits++] = found[own] | (bit < lanes ? 0 : bit);
  }
  return strata_emit_linear(&d->e, d->role.thread, n_bits, columns);
}

strata_warp_copies_t strata_warp_copies(strata_gpu_distribution_t *d, const strata_shared_operand_t *o) {
  strata_warp_copies_t copies = {.thread = thread_of(d, o)};
  MlirValue own = d->role.thread;
  d->role.thread = copies.thread;
  MlirValue place = strata_operand_places(d, o, &o->load, strata_emit_index(&d->e, 0)).base;
  d->role.thread = own;
  copies.first = strata_emit_as_one(d, place);
  return copies;
}
