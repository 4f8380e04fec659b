// Copies that threads of the emulated device go on beside: each thread's wait in a queue of its own.
#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"

#include <string.h>

enum { MAX_THREADS = 1024, MAX_COPIES = 512, BYTES = 16 };

typedef struct {
  void *to;
  const void *from;
  uint32_t group; // its number
} copy_t;

typedef struct {
  uint32_t copies, groups;
} counts_t;

// The counts lie together: every block begins with zeros.
static counts_t all_counts[STRATA_EMULATED_CLUSTER][MAX_THREADS];
static copy_t all_copies[STRATA_EMULATED_CLUSTER][MAX_THREADS][MAX_COPIES]; // that are put off, oldest first

static counts_t *own_counts(void) { return &all_counts[block_rank()][thread_current()]; }

void async_reset(void) { memset(all_counts[block_rank()], 0, sizeof all_counts[0]); }

EXPORT void strata_emulated_copy_async(void *shared, const void *from, uint32_t inside) {
  counts_t *counts = own_counts();
  if (shared_offset(shared, BYTES) % BYTES || (inside && (uintptr_t)from % BYTES))
    kernel_fault("copies 16 bytes from or to a place that is not aligned to them");
  if (counts->copies == MAX_COPIES)
    kernel_fault("has more than %d copies under way", MAX_COPIES);
  all_copies[block_rank()][thread_current()][counts->copies++] =
      (copy_t){.to = shared, .from = inside ? from : NULL, .group = counts->groups};
}

EXPORT void strata_emulated_copy_commit(void) { own_counts()->groups++; }

EXPORT void strata_emulated_copy_wait(uint32_t pending) {
  counts_t *counts = own_counts();
  copy_t *copies = all_copies[block_rank()][thread_current()];
  uint32_t done = 0;
  for (; done < counts->copies && copies[done].group + pending < counts->groups; done++)
    if (copies[done].from)
      memcpy(copies[done].to, copies[done].from, BYTES);
    else
      memset(copies[done].to, 0, BYTES);
  counts->copies -= done;
  memmove(copies, copies + done, counts->copies * sizeof *copies);
}
