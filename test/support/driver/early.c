// See early.h.
#include "test/support/driver/early.h"

#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"

enum { MAX_STARTED = 64, MAX_WATCHED = 1024 };

typedef struct {
  const unsigned char *memory;
  size_t size;
} range_t;

static struct { // by threads of the running block that have not waited yet
  range_t range;
  unsigned thread, rank;
} started[MAX_STARTED];
static unsigned n_started;

static struct {
  range_t range;
  uint64_t sum;
} watched[MAX_WATCHED];
static unsigned n_watched;

static uint64_t sum_of(range_t range) {
  uint64_t sum = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < range.size; i++)
    sum = (sum ^ range.memory[i]) * UINT64_C(0x100000001B3);
  return sum;
}

static bool meets(range_t range, const unsigned char *memory, size_t size) {
  return range.memory < memory + size && memory < range.memory + range.size;
}

void early_reset(void) { n_started = 0; }

void early_note(const void *memory, size_t size) {
  unsigned thread = thread_current(), rank = block_rank();
  for (unsigned i = 0; i < n_started; i++)
    if (started[i].range.memory == memory && started[i].thread == thread && started[i].rank == rank)
      return;
  if (n_started < MAX_STARTED) {
    started[n_started].range = (range_t){memory, size};
    started[n_started].thread = thread;
    started[n_started++].rank = rank;
  }
}

static void watch(range_t range) {
  for (unsigned i = 0; i < n_watched; i++)
    if (watched[i].range.memory == range.memory && watched[i].range.size == range.size)
      return;
  if (n_watched == MAX_WATCHED)
    kernel_fault("more than %d buffers are read before the wait", MAX_WATCHED);
  watched[n_watched].range = range;
  watched[n_watched++].sum = sum_of(range);
}

EXPORT void strata_emulated_launch_wait(void) {
  unsigned n = 0;
  for (unsigned i = 0; i < n_started; i++)
    if (started[i].thread == thread_current() && started[i].rank == block_rank())
      watch(started[i].range);
    else
      started[n++] = started[i];
  n_started = n;
}

bool early_check(const function_t *function) {
  for (unsigned i = 0; i < n_watched; i++)
    if (watched[i].sum != sum_of(watched[i].range)) {
      fault(OK, "kernel %s writes memory that kernels read before they wait for it", function->name);
      return false;
    }
  return true;
}

void early_renew(const void *memory, size_t size) {
  for (unsigned i = 0; i < n_watched; i++)
    if (meets(watched[i].range, memory, size))
      watched[i].sum = sum_of(watched[i].range);
}

void early_forget(const void *memory, size_t size) {
  unsigned n = 0;
  for (unsigned i = 0; i < n_watched; i++)
    if (!meets(watched[i].range, memory, size))
      watched[n++] = watched[i];
  n_watched = n;
}
