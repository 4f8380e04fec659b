// Barriers in shared memory whose phases end when enough threads have arrived and all announced bytes have come, and
// barriers of some of a block's threads, by number.
#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"

#include <stdio.h>
#include <string.h>

// A barrier's word.
typedef struct {
  uint8_t tag; // fresh shared memory is no barrier
  uint8_t parity;
  uint16_t count, pending; // threads of a phase; those yet to arrive
  int16_t units;           // of 16 bytes, yet to come; negative while they have not been announced
} phase_t;
_Static_assert(sizeof(phase_t) == sizeof(uint64_t), "a word");

enum { TAG = 0xB7, MAX_COUNT = 8191, UNIT = 16, MAX_BYTES = INT16_MAX * UNIT };

static phase_t load(const uint64_t *barrier) {
  size_t offset = shared_offset(barrier, sizeof *barrier);
  phase_t phase;
  memcpy(&phase, barrier, sizeof phase);
  if ((uintptr_t)barrier % sizeof *barrier)
    kernel_fault("a barrier at byte %zu of shared memory, expected a multiple of 8", offset);
  if (phase.tag != TAG)
    kernel_fault("the barrier at byte %zu of shared memory was not initialised", offset);
  return phase;
}

// Ends the phase if nothing is missing.
static void store(uint64_t *barrier, phase_t phase) {
  if (!phase.pending && phase.units < 0)
    kernel_fault("barrier at byte %zu of shared memory: %d bytes beyond what was expected have come",
                 shared_offset(barrier, 8), -phase.units * UNIT);
  bool is_over = !phase.pending && !phase.units;
  if (is_over) {
    phase.parity ^= 1;
    phase.pending = phase.count;
  }
  memcpy(barrier, &phase, sizeof phase);
  if (is_over)
    threads_wake(WAIT_PHASE, (uintptr_t)barrier);
}

static void arrive(uint64_t *barrier, phase_t phase) {
  if (!phase.pending)
    kernel_fault("barrier at byte %zu of shared memory: more threads arrive than the %u of a phase",
                 shared_offset(barrier, 8), phase.count);
  phase.pending--;
  store(barrier, phase);
}

EXPORT void strata_emulated_phase_init(uint64_t *barrier, uint32_t count) {
  size_t offset = shared_offset(barrier, sizeof *barrier);
  if ((uintptr_t)barrier % sizeof *barrier)
    kernel_fault("a barrier at byte %zu of shared memory, expected a multiple of 8", offset);
  if (!count || count > MAX_COUNT)
    kernel_fault("barrier at byte %zu of shared memory: a count of %u, expected 1 to %d", offset, count, MAX_COUNT);
  const phase_t phase = {.tag = TAG, .count = (uint16_t)count, .pending = (uint16_t)count};
  memcpy(barrier, &phase, sizeof phase);
}

EXPORT void strata_emulated_phase_arrive(uint64_t *barrier) { arrive(barrier, load(barrier)); }

EXPORT void strata_emulated_phase_signal(uint64_t *barrier, uint32_t rank) {
  unsigned own = block_rank();
  shared_offset(barrier, sizeof *barrier);
  uint64_t *other = cluster_place(barrier, own, rank);
  block_visit(rank);
  arrive(other, load(other));
  block_visit(own);
}

// |bytes| more, or fewer, are to come.
static void add_bytes(uint64_t *barrier, phase_t *phase, int64_t bytes) {
  int64_t sum = phase->units * UNIT + bytes;
  if (bytes % UNIT || sum > MAX_BYTES || sum < -MAX_BYTES)
    kernel_fault("barrier at byte %zu of shared memory: %lld bytes are expected or come, %lld in all; it takes "
                 "multiples of %d up to %d",
                 shared_offset(barrier, 8), (long long)bytes, (long long)sum, UNIT, MAX_BYTES);
  phase->units = (int16_t)(sum / UNIT);
}

EXPORT void strata_emulated_phase_expect(uint64_t *barrier, uint32_t bytes) {
  phase_t phase = load(barrier);
  add_bytes(barrier, &phase, bytes);
  arrive(barrier, phase);
}

void phase_complete(uint64_t *barrier, uint32_t bytes) {
  phase_t phase = load(barrier);
  add_bytes(barrier, &phase, -(int64_t)bytes);
  store(barrier, phase);
}

static void describe_phase(uintptr_t what, uint32_t parity, char *out, size_t capacity) {
  const uint64_t *barrier = (const uint64_t *)what;
  phase_t phase;
  memcpy(&phase, barrier, sizeof phase);
  snprintf(out, capacity,
           "waits for the phase of parity %u of the barrier at byte %zu of shared memory, for which %u of %u threads "
           "and %d bytes are yet to come",
           parity, shared_offset(barrier, 8), phase.pending, phase.count, phase.units * UNIT);
}

EXPORT void strata_emulated_phase_wait(uint64_t *barrier, uint32_t parity) {
  if (parity > 1)
    kernel_fault("a wait for parity %u, expected 0 or 1", parity);
  if (load(barrier).parity != parity)
    return;
  thread_wait(&(wait_t){WAIT_PHASE, (uintptr_t)barrier, parity, describe_phase});
  if (load(barrier).parity == parity)
    kernel_fault("barrier at byte %zu of shared memory: two phases have ended while a thread waited for one",
                 shared_offset(barrier, 8));
}

//===-- Flags ----------------------------------------------------------------------------------------------------===//

EXPORT void strata_emulated_flag_raise(uint32_t *flag) {
  if (*flag)
    kernel_fault("a flag that holds %u is raised, expected 0", *flag);
  *flag = 1;
}

EXPORT uint32_t strata_emulated_flag_count(uint32_t *flag) { return (*flag)++; }

EXPORT void strata_emulated_flag_await(const uint32_t *flag) {
  if (*flag != 1)
    kernel_fault("a wait for a flag that no block before this one has raised: it holds %u", *flag);
}

//===-- Groups ---------------------------------------------------------------------------------------------------===//

enum { N_GROUPS = 16 }; // the first is the block's own
static struct { uint32_t threads, arrived; } all_groups[STRATA_EMULATED_CLUSTER][N_GROUPS];

void phases_reset(void) { memset(all_groups[block_rank()], 0, sizeof all_groups[0]); }

static void describe_group(uintptr_t what, uint32_t parity, char *out, size_t capacity) {
  (void)parity;
  snprintf(out, capacity, "waits at group barrier %u, where %u of %u threads have arrived", (unsigned)what,
           all_groups[block_rank()][what].arrived, all_groups[block_rank()][what].threads);
}

static void arrive_at_group(uint32_t id, uint32_t threads) {
  if (!id || id >= N_GROUPS)
    kernel_fault("group barrier %u, expected 1 to %d", id, N_GROUPS - 1);
  if (!threads || threads % STRATA_EMULATED_LANES || threads > thread_count())
    kernel_fault("group barrier %u of %u threads, expected whole warps of the block's %u", id, threads, thread_count());
  if (all_groups[block_rank()][id].arrived && all_groups[block_rank()][id].threads != threads)
    kernel_fault("group barrier %u of %u threads, where others wait for %u", id, threads,
                 all_groups[block_rank()][id].threads);
  all_groups[block_rank()][id].threads = threads;
  if (++all_groups[block_rank()][id].arrived < threads)
    return;
  all_groups[block_rank()][id].arrived = 0;
  threads_wake(WAIT_GROUP, id);
}

EXPORT void strata_emulated_group_arrive(uint32_t id, uint32_t threads) { arrive_at_group(id, threads); }

EXPORT void strata_emulated_group_barrier(uint32_t id, uint32_t threads) {
  arrive_at_group(id, threads);
  if (all_groups[block_rank()][id].arrived)
    thread_wait(&(wait_t){WAIT_GROUP, id, 0, describe_group});
}
