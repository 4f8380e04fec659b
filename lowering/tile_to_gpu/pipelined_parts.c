// Pipelined products whose reduction the blocks of a cluster share. Each multiplies a part of it, for the tiles of all
// of them, which lie side by side along the instruction's columns; then every block gets its own tile's sums:
//
//   the cluster's barrier: nobody's slots are in use any more
//   for each block of the cluster: the sums of its tile, to its shared memory where the slots were
//   the cluster's barrier; the sums of all blocks, added up in the order of their ranks
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/schedulers.h"

enum { WIDTH = 4 }; // sums stored and loaded at once, 16 bytes

STRATA_SCHEDULER_STEPS(strata_part_steps) {
  strata_emitter_t *e = &d->e;
  MlirValue end;
  strata_all_steps(d, k, out_lower, &end);
  int64_t part = strata_ceil_div(k->n_steps, d->plan.parts);
  *out_lower = strata_emit_binary(e, "arith.muli", d->role.rank, strata_emit_index(e, part));
  *out_upper = strata_emit_binary(e, "arith.addi", *out_lower, strata_emit_index(e, part));
  *out_upper = strata_emit_binary(e, "arith.minui", *out_upper, end);
}

MlirValue strata_pipelined_first_task(strata_gpu_distribution_t *d) {
  return strata_emit_binary(&d->e, "arith.subi", d->role.task, d->role.rank);
}

void strata_part_meet(strata_gpu_distribution_t *d) {
  strata_cluster_barrier(d, false);
  strata_cluster_barrier(d, false);
}

// A thread's sums in shared memory: by block, by vector, by thread.
typedef struct {
  strata_gpu_distribution_t *d;
  MlirValue memory;
  int64_t own;  // sums of a thread's tile
  int64_t area; // elements of a block's sums
} parts_t;

static MlirValue place(const parts_t *p, int64_t vector) {
  strata_emitter_t *e = &p->d->e;
  MlirValue thread = strata_emit_binary(e, "arith.muli", p->d->role.thread, strata_emit_index(e, WIDTH));
  return strata_emit_binary(e, "arith.addi", thread, strata_emit_index(e, vector * p->d->role.group * WIDTH));
}

// To the block of rank |to|, behind the sums of lower ranks.
static void send(const parts_t *p, MlirType type, int64_t to, const MlirValue *sums) {
  strata_emitter_t *e = &p->d->e;
  MlirValue area = strata_emit_binary(e, "arith.muli", p->d->role.rank, strata_emit_index(e, p->area));
  for (int64_t i = 0; i < p->own; i += WIDTH) {
    MlirValue value = strata_emit_value(e, "vector.from_elements", WIDTH, sums + i, type, 0, NULL);
    MlirValue at = strata_emit_binary(e, "arith.addi", area, place(p, i / WIDTH));
    MlirValue operands[] = {value, p->memory, at, strata_emit_index(e, to)};
    strata_emit_op(e, STRATA_TILE_CLUSTER_STORE, 4, operands, 0, NULL, 0, NULL);
  }
}

static void add_up(const parts_t *p, MlirType type, int64_t vector, int64_t parts, MlirValue *out_sums) {
  strata_emitter_t *e = &p->d->e;
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirValue at = place(p, vector), sum = {NULL};
  for (int64_t part = 0; part < parts; part++) {
    MlirValue from = strata_emit_binary(e, "arith.addi", at, strata_emit_index(e, part * p->area));
    MlirValue own = strata_emit_value(e, "vector.load", 2, (MlirValue[]){p->memory, from}, type, 0, NULL);
    sum = part ? strata_emit_binary(e, mlirTypeIsAFloat(element) ? "arith.addf" : "arith.addi", sum, own) : own;
  }
  for (int64_t i = 0; i < WIDTH; i++)
    out_sums[vector * WIDTH + i] = strata_lanes_extract(e, sum, i);
}

// Consumers combine; producers meet them at the cluster's barriers meanwhile.
STRATA_SCHEDULER_FIXUP(strata_part_fixup) {
  const strata_pipelined_t *product = &k->product;
  int64_t block = product->n / 2, own = product->m_blocks * block, width = WIDTH; // sums of an instruction's tile
  parts_t p = {.d = d, .own = own, .area = own * d->role.group};
  MlirType type = mlirVectorTypeGet(1, &width, product->sum);
  MlirValue tile[STRATA_EMIT_CARRIED];
  p.memory = strata_shared_view(d, k->ring_at, product->sum, p.area * product->parts);
  strata_cluster_barrier(d, false); // the slots have been read, which is over
  for (int64_t to = 0; to < product->parts; to++) {
    for (int64_t i = 0; i < own; i++)
      tile[i] = sums[(i / block * product->parts + to) * block + i % block];
    send(&p, type, to, tile);
  }
  strata_cluster_barrier(d, true);
  for (int64_t vector = 0; vector < own / WIDTH; vector++)
    add_up(&p, type, vector, product->parts, out_own);
  return NULL;
}
