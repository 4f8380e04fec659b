// Clusters of blocks on the emulated device: the barrier that all their threads pass, and one another's shared memory.
#include "test/support/driver/emulated.h"
#include "test/support/driver/execute.h"

#include <stdio.h>
#include <string.h>

enum { MAX_THREADS = 1024 };

static struct {
  char *shared;
  size_t stride;
  unsigned n;
  bool has_arrived[STRATA_EMULATED_CLUSTER][MAX_THREADS];
  bool has_met; // every block has begun
} cluster;

void cluster_place_memory(char *shared, size_t stride, unsigned n) {
  cluster.shared = shared;
  cluster.stride = stride;
  cluster.n = n;
  cluster.has_met = false;
}

void cluster_reset(void) { memset(cluster.has_arrived[block_rank()], 0, sizeof cluster.has_arrived[0]); }

void cluster_meet(void) { cluster.has_met = true; }

void *cluster_place(const void *memory, unsigned from, unsigned to) {
  if (to >= cluster.n)
    kernel_fault("memory of block %u of a cluster of %u", to, cluster.n);
  if (to != from && !cluster.has_met)
    kernel_fault("memory of a block that may not have begun");
  block_visit(to);
  bool has_ended = block_has_ended();
  block_visit(from);
  if (has_ended)
    kernel_fault("memory of block %u of the cluster, which has ended", to);
  return cluster.shared + to * cluster.stride + ((const char *)memory - (cluster.shared + from * cluster.stride));
}

static void describe(uintptr_t what, uint32_t parity, char *out, size_t capacity) {
  (void)what, (void)parity;
  snprintf(out, capacity, "waits for the cluster");
}

EXPORT void strata_emulated_cluster_arrive(void) {
  bool *has_arrived = &cluster.has_arrived[block_rank()][thread_current()];
  if (*has_arrived)
    kernel_fault("arrives at the cluster's barrier, where it has arrived already");
  *has_arrived = true;
}

EXPORT void strata_emulated_cluster_wait(void) {
  bool *has_arrived = &cluster.has_arrived[block_rank()][thread_current()];
  if (!*has_arrived)
    kernel_fault("waits for the cluster without having arrived");
  *has_arrived = false;
  wait_t wait = {.kind = WAIT_CLUSTER, .describe = describe};
  thread_wait(&wait);
}

EXPORT void *strata_emulated_cluster_place(void *memory, uint32_t rank) {
  shared_offset(memory, 1);
  return cluster_place(memory, block_rank(), rank);
}
