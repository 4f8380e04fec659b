// The thread pool. A region is published in one 64-bit word, |job|: its number, and how many threads take part. Workers
// spin on it for a moment, then sleep on it; one that takes no part in a region need not notice it. The tasks are
// divided evenly; a thread that is done with its share helps with the others'. Pieces become smaller towards a share's
// end, so that threads which are not equally fast are done at the same time.
//
// A region is over when its tasks are, not when all threads have seen it: a worker enters it by |gate|, which the
// caller shuts when no task is left, and the caller waits for those inside alone: not for sleepers, which the system,
// or a virtual machine's host, wakes when it pleases.
#define _GNU_SOURCE // CPU sets
#include "runtime/cpu/pool.h"

#include "runtime/cpu/clock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  LINE = 64,          // bytes of a cache line
  SPIN_TIME = 500000, // nanoseconds before a thread goes to sleep: calls one after the other find it awake
  PAUSES = 64,        // before it looks at the clock
  CHUNKS = 8,         // of what is left of a share, this part is taken at a time
  MAX_THREADS = 4096,
};

#define OPEN (UINT64_C(1) << 31) // of the gate

// One thread's share of the region's tasks: [next, end) is still to be taken.
typedef struct {
  alignas(LINE) _Atomic int64_t next;
  int64_t end;
} share_t;

typedef struct {
  pthread_t thread;
  unsigned index; // the caller of a region is thread 0
  void *scratch;
} worker_t;

static struct {
  alignas(LINE) _Atomic uint64_t job;      // low half: number of the region; high half: threads that take part
  alignas(LINE) _Atomic uint32_t sleepers; // workers asleep, or about to be
  alignas(LINE) _Atomic uint64_t gate;     // low half: workers inside, and OPEN; high half: the region's number
  _Atomic uint32_t caller_sleeps;
  alignas(LINE) _Atomic bool busy; // a region is running, or the threads are changing

  strata_rt_entry_t entry; // the region
  void *const *buffers;

  worker_t *workers;
  share_t *shares;
  _Atomic unsigned n_threads; // with the caller; 0 before the first resize
  bool spins;
} pool;

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}
static void futex_wake(_Atomic uint32_t *word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

// The low half of |job|, which changes with every region, or of |gate|: the futex words of sleepers.
static _Atomic uint32_t *low_half(_Atomic uint64_t *word) {
  _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half is the first");
  return (_Atomic uint32_t *)(void *)word;
}

// True once the low half of |word| is |value|, or no longer is, as |equal| says; false if that takes too long.
static bool spin(_Atomic uint64_t *word, uint32_t value, bool equal) {
  uint64_t end = 0;
  for (unsigned i = 1; pool.spins; i++) {
    if (((uint32_t)atomic_load_explicit(word, memory_order_acquire) == value) == equal)
      return true;
    relax();
    if (i % PAUSES)
      continue;
    uint64_t time = strata_rt_now();
    end = end ? end : time + SPIN_TIME;
    if (time > end)
      break;
  }
  return false;
}

static void publish(unsigned participants) {
  uint32_t number = (uint32_t)atomic_load_explicit(&pool.job, memory_order_relaxed) + 1;
  // Added: who comes late for the region before may be at the gate.
  atomic_fetch_add_explicit(&pool.gate, (UINT64_C(1) << 32) + OPEN, memory_order_release);
  // Sequentially consistent with a worker's "count me as a sleeper, then look again": one of the two sees the other.
  atomic_store(&pool.job, (uint64_t)participants << 32 | number);
  if (atomic_load(&pool.sleepers))
    futex_wake(low_half(&pool.job), INT_MAX);
}

// Waits for a region with another number than |seen|.
static uint64_t next_job(uint32_t seen) {
  if (spin(&pool.job, seen, false))
    return atomic_load_explicit(&pool.job, memory_order_acquire);
  atomic_fetch_add(&pool.sleepers, 1);
  uint64_t job;
  while ((uint32_t)(job = atomic_load(&pool.job)) == seen)
    futex_wait(low_half(&pool.job), seen);
  atomic_fetch_sub(&pool.sleepers, 1);
  return job;
}

// The next piece of the share: false if nothing is left.
static bool take(share_t *share, int64_t *out_begin, int64_t *out_end) {
  int64_t begin = atomic_load_explicit(&share->next, memory_order_relaxed), end;
  do {
    if (begin >= share->end)
      return false;
    int64_t piece = (share->end - begin) / CHUNKS;
    end = begin + (piece ? piece : 1);
  } while (
      !atomic_compare_exchange_weak_explicit(&share->next, &begin, end, memory_order_relaxed, memory_order_relaxed));
  *out_begin = begin;
  *out_end = end;
  return true;
}

static void work(unsigned self, unsigned participants, void *scratch) {
  for (unsigned i = 0; i < participants; i++) {
    int64_t begin, end;
    while (take(&pool.shares[(self + i) % participants], &begin, &end))
      pool.entry(pool.buffers, begin, end, scratch);
  }
}

// True if region |number| is still open. What enters leaves again, also where it came too late, into another region.
static bool enter(uint32_t number) {
  uint64_t gate = atomic_fetch_add_explicit(&pool.gate, 1, memory_order_acquire);
  return gate & OPEN && (uint32_t)(gate >> 32) == number;
}

static void leave(void) {
  if ((uint32_t)atomic_fetch_sub(&pool.gate, 1) == 1 && atomic_load(&pool.caller_sleeps))
    futex_wake(low_half(&pool.gate), 1);
}

// Shuts the region, whose tasks have all been taken, and waits for those inside.
static void shut(void) {
  atomic_fetch_and(&pool.gate, ~OPEN);
  if (spin(&pool.gate, 0, true))
    return;
  atomic_store(&pool.caller_sleeps, 1);
  for (uint32_t inside; (inside = (uint32_t)atomic_load(&pool.gate)) != 0;)
    futex_wait(low_half(&pool.gate), inside);
  atomic_store(&pool.caller_sleeps, 0);
}

// No participants: the order to end.
static void *worker_main(void *argument) {
  const worker_t *worker = argument;
  for (uint32_t seen = 0;;) {
    uint64_t job = next_job(seen);
    seen = (uint32_t)job;
    unsigned participants = (unsigned)(job >> 32);
    if (participants == 0)
      return NULL;
    if (worker->index >= participants)
      continue;
    if (enter(seen))
      work(worker->index, participants, worker->scratch);
    leave();
  }
}

static bool try_acquire(void) {
  return !atomic_load_explicit(&pool.busy, memory_order_relaxed) && !atomic_exchange(&pool.busy, true);
}
static void release(void) { atomic_store_explicit(&pool.busy, false, memory_order_release); }

static void divide(int64_t tasks, unsigned participants) {
  int64_t begin = 0;
  for (unsigned i = 0; i < participants; i++) {
    int64_t end = begin + (tasks - begin) / (participants - i);
    pool.shares[i].end = end;
    atomic_store_explicit(&pool.shares[i].next, begin, memory_order_relaxed);
    begin = end;
  }
}

unsigned strata_rt_pool_run(strata_rt_entry_t entry, void *const *buffers, int64_t tasks, void *scratch) {
  if (tasks <= 1 || pool.n_threads <= 1 || !try_acquire()) {
    entry(buffers, 0, tasks, scratch);
    return 1;
  }
  // Only now is the number of threads certain.
  unsigned participants = tasks < pool.n_threads ? (unsigned)tasks : pool.n_threads;
  pool.entry = entry;
  pool.buffers = buffers;
  divide(tasks, participants);
  publish(participants);
  work(0, participants, scratch);
  shut();
  release();
  return participants;
}

//===-- Starting and stopping ------------------------------------------------------------------------------------===//

// The processors that the control group's quota is worth, or UINT_MAX.
static unsigned quota(void) {
  long long time, period;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
  bool limited = file && fscanf(file, "%lld %lld", &time, &period) == 2 && time > 0 && period > 0;
  if (file)
    fclose(file);
  return limited ? (unsigned)((time + period - 1) / period) : UINT_MAX;
}

// Those of the affinity mask. The set grows until the kernel's fits: machines may have more than a cpu_set_t holds.
static unsigned allowed(void) {
  for (int count = CPU_SETSIZE; count <= 1 << 20; count *= 2) {
    cpu_set_t *set = CPU_ALLOC((size_t)count);
    if (!set)
      break;
    int rc = sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)count), set), error = errno;
    int n = rc == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)count), set) : 0;
    CPU_FREE(set);
    if (n > 0)
      return (unsigned)n;
    if (error != EINVAL)
      break;
  }
  return 1;
}

unsigned strata_rt_pool_processors(void) {
  unsigned mask = allowed(), limit = quota();
  return mask < limit ? mask : limit;
}

unsigned strata_rt_pool_size(void) { return pool.n_threads ? pool.n_threads : 1; }

// What the threads had; they are gone.
static void free_workers(void) {
  for (unsigned i = 1; i < pool.n_threads; i++)
    free(pool.workers[i].scratch);
  free(pool.workers);
  free(pool.shares);
  pool.workers = NULL;
  pool.shares = NULL;
}

static void stop_workers(void) {
  if (pool.n_threads > 1)
    publish(0);
  for (unsigned i = 1; i < pool.n_threads; i++)
    pthread_join(pool.workers[i].thread, NULL);
  free_workers();
  pool.n_threads = 1;
  atomic_store(&pool.job, 0);
  atomic_store(&pool.gate, 0);
}

static bool start_worker(unsigned index, size_t scratch_size) {
  worker_t *worker = &pool.workers[index];
  worker->index = index;
  worker->scratch =
      scratch_size ? aligned_alloc(STRATA_RT_ALIGNMENT, strata_rt_round_up(scratch_size, STRATA_RT_ALIGNMENT)) : NULL;
  if (scratch_size && !worker->scratch)
    return false;
  if (pthread_create(&worker->thread, NULL, worker_main, worker) == 0)
    return true;
  free(worker->scratch);
  return false;
}

// The application's signals are for its own threads.
static void start_workers(unsigned n_threads, size_t scratch_size) {
  pool.workers = calloc(n_threads, sizeof *pool.workers);
  pool.shares = aligned_alloc(alignof(share_t), n_threads * sizeof *pool.shares);
  if (!pool.workers || !pool.shares)
    return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool.n_threads < n_threads && start_worker(pool.n_threads, scratch_size))
    pool.n_threads++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void strata_rt_pool_resize(unsigned n_threads, size_t scratch_size) {
  while (!try_acquire())
    sched_yield();
  stop_workers();
  // Where threads share processors, one that spins takes the time of one that works.
  pool.spins = n_threads <= strata_rt_pool_processors();
  if (n_threads > 1)
    start_workers(n_threads < MAX_THREADS ? n_threads : MAX_THREADS, scratch_size);
  release();
}

void strata_rt_pool_forget(bool is_consistent) {
  if (is_consistent)
    free_workers();
  pool.n_threads = 0;
  pool.workers = NULL;
  pool.shares = NULL;
  atomic_store(&pool.job, 0);
  atomic_store(&pool.sleepers, 0);
  atomic_store(&pool.gate, 0);
  atomic_store(&pool.caller_sleeps, 0);
  atomic_store(&pool.busy, false);
}
