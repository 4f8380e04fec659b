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

static struct {
  copy_t copies[MAX_COPIES]; // that are put off, oldest first
  uint32_t n_copies, n_groups;
} all_queues[STRATA_EMULATED_CLUSTER][MAX_THREADS];

void async_reset(void) {
  for (unsigned thread = 0; thread < MAX_THREADS; thread++)
    all_queues[block_rank()][thread].n_copies = all_queues[block_rank()][thread].n_groups = 0;
}

EXPORT void strata_emulated_copy_async(void *shared, const void *from, uint32_t inside) {
  unsigned thread = thread_current();
  if (shared_offset(shared, BYTES) % BYTES || (inside && (uintptr_t)from % BYTES))
    kernel_fault("copies 16 bytes from or to a place that is not aligned to them");
  if (all_queues[block_rank()][thread].n_copies == MAX_COPIES)
    kernel_fault("has more than %d copies under way", MAX_COPIES);
  all_queues[block_rank()][thread].copies[all_queues[block_rank()][thread].n_copies++] =
      (copy_t){.to = shared, .from = inside ? from : NULL, .group = all_queues[block_rank()][thread].n_groups};
}

EXPORT void strata_emulated_copy_commit(void) { all_queues[block_rank()][thread_current()].n_groups++; }

EXPORT void strata_emulated_copy_wait(uint32_t pending) {
  unsigned thread = thread_current();
  uint32_t n_groups = all_queues[block_rank()][thread].n_groups, n = all_queues[block_rank()][thread].n_copies,
           done = 0;
  copy_t *copies = all_queues[block_rank()][thread].copies;
  for (; done < n && copies[done].group + pending < n_groups; done++)
    if (copies[done].from)
      memcpy(copies[done].to, copies[done].from, BYTES);
    else
      memset(copies[done].to, 0, BYTES);
  memmove(copies, copies + done, (n - done) * sizeof *copies);
  all_queues[block_rank()][thread].n_copies = n - done;
}
