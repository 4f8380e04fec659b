// A ring of slots in shared memory that some threads fill and others read, each at a pace of its own.
//
// Two barriers a slot tell the one of the other; their phases end in turn, and a phase is waited for by its parity:
//
//   who fills:  acquire (until the slot is empty), expect (the bytes that will come) or arrive, advance
//   who reads:  await (until the slot is full), release, advance
//
// Products, attention, and rows fetched ahead are its users. The protocol is that of CUTLASS' PipelineTmaAsync; the
// barriers are level 4's tile.barrier_* (docs/gpu.md). What is emitted goes to the end of the new code.
#ifndef STRATA_LOWERING_TILE_TO_GPU_RING_H
#define STRATA_LOWERING_TILE_TO_GPU_RING_H

#include "lowering/tile_to_gpu/distribute.h"

typedef struct {
  int64_t slots;
  MlirValue full, empty; // memref<slots x i64, 3>
  int64_t empty_at;      // where slot 0's is in the latter
} strata_ring_t;

// A place in a ring: a slot and the parity of the pass over it, in SSA values.
typedef struct {
  MlirValue slot, parity; // index, i32; the former null: the only slot
} strata_ring_place_t;

// Memory for the barriers of ->slots slots. UNSUPPORTED where there is no room.
STRATA_MUST_CHECK strata_status_t strata_ring_allocate(strata_gpu_distribution_t *d, strata_ring_t *ring);
// By one thread: slot |slot| is full after |fills| arrivals, and empty after |releases|; 0: nobody asks for that. A
// fence on "barriers" must follow before others use them.
void strata_ring_init(strata_gpu_distribution_t *d, const strata_ring_t *ring, int64_t slot, int64_t fills,
                      int64_t releases);
void strata_ring_acquire(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place);
// |fewer|: an index, how many there are of |bytes|; null: all.
void strata_ring_expect(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue slot, int64_t bytes,
                        MlirValue fewer);
// Until the slot is empty again that is read at |place|.
void strata_ring_reacquire(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place);
void strata_ring_await(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t place);
// By |threads| threads beside one another, which have read |slot|; one of them arrives. Where they have loaded from it
// themselves, no matrix instruction has, there is a fence of "shared" in front: the copy engine overtakes loads that
// are under way (PTX ISA, proxies).
void strata_ring_release(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue slot, int64_t threads);
// Moves |place| to the next slot; |count| slots on, of which all are a multiple; |steps| slots on.
void strata_ring_advance(strata_gpu_distribution_t *d, const strata_ring_t *ring, strata_ring_place_t *place);
void strata_ring_advance_by(strata_gpu_distribution_t *d, const strata_ring_t *ring, int64_t count,
                            strata_ring_place_t *place);
void strata_ring_skip(strata_gpu_distribution_t *d, const strata_ring_t *ring, MlirValue steps,
                      strata_ring_place_t *place);

//===-- Barriers of phases ---------------------------------------------------------------------------------------===//

void strata_phase_init(strata_gpu_distribution_t *d, MlirValue barriers, int64_t i, int64_t count);
void strata_phase_arrive(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i);
void strata_phase_expect(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, int64_t bytes, MlirValue fewer);
void strata_phase_wait(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i, MlirValue parity);
// By one thread of each warp group.
void strata_emit_group_arrive(strata_gpu_distribution_t *d, MlirValue barriers, MlirValue i);
// Makes what the thread has done known: "barriers" set up, to the copy engine and others; "shared" memory written, to
// the copy engine and instructions; of a "warp".
void strata_emit_fence(strata_gpu_distribution_t *d, const char *of);

#endif
