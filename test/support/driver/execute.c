// Emulated kernels: blocks one after the other, every thread of a block a fibre that runs until it has to wait for
// others. A fibre takes a stack when it starts and leaves it when it ends, so kernels whose threads never meet run on
// one stack, without a switch.
#define _GNU_SOURCE
#include "test/support/driver/execute.h"
#include "test/support/driver/control.h"
#include "test/support/driver/early.h"
#include "test/support/driver/emulated.h"
#include "test/support/driver/matrix.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIN_LANES = STRATA_EMULATED_LANES, MAX_LANES = STRATA_EMULATED_MAX_LANES };
enum { MAX_THREADS = 1024, STACK = 256 * 1024, PAGE = 4096 };
enum { MAX_STACKS = STRATA_EMULATED_CLUSTER * MAX_THREADS };

typedef enum { READY, AT_BARRIER, AT_EXCHANGE, WAITING, DONE } thread_state_t;
static const char *const state_names[] = {"runs on", "waits at a barrier", "waits in a shuffle or matrix operation",
                                          "waits", "has ended"};

typedef enum { BY_LANE, BY_XOR, BALLOT, MATRIX } exchange_t; // MATRIX + kind

typedef struct {
  uint64_t all, ready, fresh; // lanes: that exist, that can run, that have not started
  uint64_t arrived;           // lanes in the exchange
  unsigned exchange;
  uint64_t ballot; // of the last exchange: lanes whose value was not 0
  uint32_t values[MAX_LANES], sources[MAX_LANES], results[MAX_LANES];
  strata_matrix_fragments_t fragments[MAX_LANES];
} warp_t;

typedef struct {
  int64_t block;
  char *shared;
  size_t shared_size;
  unsigned n_threads, n_warps, n_at_barrier, n_done;
  unsigned current; // thread
  warp_t warps[MAX_THREADS / MIN_LANES];
  unsigned char states[MAX_THREADS];
  wait_t waits[MAX_THREADS];   // of those that are WAITING
  void *contexts[MAX_THREADS]; // stack pointers of those that wait
  unsigned stacks[MAX_THREADS];
} run_t;

static run_t blocks[STRATA_EMULATED_CLUSTER]; // of the cluster
static run_t *run = blocks;                   // the one whose turn it is
static unsigned lanes;                        // of a warp
static bool has_failed;
static void *main_context;

static struct {
  const function_t *function;
  strata_emulated_kernel_t entry;
  void *const *buffers;
} kernel;

//===-- Stacks ---------------------------------------------------------------------------------------------------===//

// strata_test_switch(save, next): keeps the callee-saved registers on this stack and goes on with another.
void strata_test_switch(void **save, void *next) __attribute__((visibility("hidden")));
__asm__(".text\n.hidden strata_test_switch\n.globl strata_test_switch\n.type strata_test_switch, @function\n"
        "strata_test_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n"
        ".size strata_test_switch, . - strata_test_switch\n");

static struct {
  char *memory[MAX_STACKS];
  unsigned n; // that have memory
  unsigned free[MAX_STACKS], n_free;
} stacks;

static void reset_stacks(void) {
  for (unsigned i = 0; i < stacks.n; i++)
    stacks.free[i] = stacks.n - 1 - i;
  stacks.n_free = stacks.n;
}

static void start_fibres(void);

// A stack on which start_fibres will run, and its context.
static void *take_stack(unsigned *out_stack) {
  if (!stacks.n_free) {
    char *memory = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0)
      abort();
    stacks.memory[stacks.n] = memory;
    stacks.free[stacks.n_free++] = stacks.n++;
  }
  *out_stack = stacks.free[--stacks.n_free];
  void **top = (void **)(void *)(stacks.memory[*out_stack] + STACK - 64); // six registers, then where to return to
  void (*entry)(void) = start_fibres;
  memset(top, 0, 64);
  memcpy(&top[6], &entry, sizeof entry);
  return top;
}

//===-- Whose turn it is -----------------------------------------------------------------------------------------===//

static uint64_t bit_of(unsigned thread) { return UINT64_C(1) << thread % lanes; }
static warp_t *warp_of(unsigned thread) { return &run->warps[thread / lanes]; }

static bool is_like(unsigned thread, unsigned other) {
  const wait_t *a = &run->waits[thread], *b = &run->waits[other];
  return run->states[thread] == run->states[other] &&
         (run->states[thread] != WAITING || (a->kind == b->kind && a->what == b->what && a->parity == b->parity));
}

static void describe(unsigned thread, char *out, size_t capacity) {
  const wait_t *wait = &run->waits[thread];
  if (run->states[thread] == WAITING)
    wait->describe(wait->what, wait->parity, out, capacity);
  else
    snprintf(out, capacity, "%s", state_names[run->states[thread]]);
}

// No thread can go on: says of the first of each kind what it waits for.
static void fail(void) {
  enum { MAX_KINDS = 4 };
  char text[700] = "", state[200];
  unsigned firsts[MAX_KINDS], n = 0;
  for (unsigned thread = 0; thread < run->n_threads && n < MAX_KINDS; thread++) {
    unsigned i = 0;
    while (i < n && !is_like(firsts[i], thread))
      i++;
    if (i < n)
      continue;
    firsts[n++] = thread;
    describe(thread, state, sizeof state);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s thread %u %s", used ? "," : "", thread, state);
  }
  fault(OK, "kernel %s, block %lld:%s", kernel.function->name, (long long)run->block, text);
  has_failed = true;
}

static void release_barrier(void) {
  for (unsigned i = 0; i < run->n_warps; i++)
    run->warps[i].ready = run->warps[i].all;
  memset(run->states, READY, run->n_threads);
  run->n_at_barrier = 0;
}

// The next warp with a thread that can run, from |first| on; |n_warps|: none.
static unsigned find_ready(unsigned first) {
  for (unsigned i = 0, warp = first; i < run->n_warps; i++, warp = warp + 1 < run->n_warps ? warp + 1 : 0)
    if (run->warps[warp].ready)
      return i;
  return run->n_warps;
}

static void end_block(void) {
  if (!copies_left())
    return;
  fault(OK, "kernel %s, block %lld: %zu copies into shared memory are under way as the block ends",
        kernel.function->name, (long long)run->block, copies_left());
  has_failed = true;
}

// The thread to run next: of the same warp if there is one. False: all have ended, or none can go on before another
// block does.
static bool choose_next(void) {
  unsigned first = run->current / lanes, i;
  if (run->n_done == run->n_threads)
    return end_block(), false;
  while ((i = find_ready(first)) == run->n_warps && copies_advance()) {
  }
  if (i == run->n_warps)
    return false;
  unsigned warp = (first + i) % run->n_warps, lane = i ? lanes - 1 : run->current % lanes;
  uint64_t ready = run->warps[warp].ready;
  uint64_t above = lane == lanes - 1 ? 0 : ready & (UINT64_MAX << (lane + 1));
  run->current = warp * lanes + (unsigned)__builtin_ctzll(above ? above : ready);
  return true;
}

// Leaves thread |from| and goes on with the next.
static void switch_from(unsigned from) {
  if (!choose_next()) {
    strata_test_switch(&run->contexts[from], main_context);
    return;
  }
  void *next = run->contexts[run->current];
  if (warp_of(run->current)->fresh & bit_of(run->current))
    next = take_stack(&run->stacks[run->current]);
  strata_test_switch(&run->contexts[from], next);
}

// On a stack of its own: runs threads from their beginning, one after the other.
static void start_fibres(void) {
  for (;;) {
    unsigned thread = run->current, stack = run->stacks[thread];
    warp_of(thread)->fresh &= ~bit_of(thread);
    kernel.entry(kernel.buffers, run->block, thread, run->shared);
    run->states[thread] = DONE;
    run->n_done++;
    warp_of(thread)->ready &= ~bit_of(thread);
    stacks.free[stacks.n_free++] = stack; // nobody takes it before this one has left it
    if (!choose_next())
      strata_test_switch(&run->contexts[thread], main_context);
    if (!(warp_of(run->current)->fresh & bit_of(run->current)))
      strata_test_switch(&run->contexts[thread], run->contexts[run->current]);
    stacks.n_free--; // a new thread goes on where the old one was
    run->stacks[run->current] = stack;
  }
}

//===-- For those in which threads meet (execute.h) --------------------------------------------------------------===//

unsigned block_rank(void) { return (unsigned)(run - blocks); }
void block_visit(unsigned rank) { run = &blocks[rank]; }
bool block_has_ended(void) { return run->n_done == run->n_threads; }
unsigned thread_current(void) { return run->current; }
unsigned thread_count(void) { return run->n_threads; }

void kernel_fault(const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  fault(OK, "kernel %s, block %lld, thread %u: %s", kernel.function->name, (long long)run->block, run->current, text);
  has_failed = true;
  for (;;) // nobody comes back
    strata_test_switch(&run->contexts[run->current], main_context);
}

size_t shared_offset(const void *memory, size_t size) {
  uintptr_t offset = (uintptr_t)memory - (uintptr_t)run->shared;
  if (offset > run->shared_size || size > run->shared_size - offset)
    kernel_fault("%zu bytes at byte %lld of the block's %zu bytes of shared memory", size, (long long)offset,
                 run->shared_size);
  return offset;
}

void thread_wait(const wait_t *wait) {
  unsigned thread = run->current;
  run->states[thread] = WAITING;
  run->waits[thread] = *wait;
  warp_of(thread)->ready &= ~bit_of(thread);
  switch_from(thread);
}

void threads_wake(wait_kind_t kind, uintptr_t what) {
  for (unsigned thread = 0; thread < run->n_threads; thread++)
    if (run->states[thread] == WAITING && run->waits[thread].kind == kind && run->waits[thread].what == what) {
      run->states[thread] = READY;
      warp_of(thread)->ready |= bit_of(thread);
    }
}

//===-- Where threads meet ---------------------------------------------------------------------------------------===//

EXPORT void strata_emulated_barrier(void) {
  unsigned thread = run->current;
  run->states[thread] = AT_BARRIER;
  warp_of(thread)->ready &= ~bit_of(thread);
  if (++run->n_at_barrier == run->n_threads)
    release_barrier();
  else
    switch_from(thread);
}

static uint64_t all_lanes(unsigned n) { return n >= MAX_LANES ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

static void complete_exchange(warp_t *warp) {
  const char *wrong = NULL;
  if (warp->exchange >= MATRIX && warp->all != all_lanes(lanes))
    fault(OK, "kernel %s: a matrix operation in a warp of fewer than %u threads", kernel.function->name, lanes);
  else if (warp->exchange >= MATRIX)
    wrong = strata_matrix_multiply(warp->exchange - MATRIX, lanes, warp->fragments);
  if (wrong)
    fault(OK, "kernel %s: row %u of mma.def %s", kernel.function->name, warp->exchange - MATRIX, wrong);
  warp->ballot = 0;
  for (unsigned lane = 0; lane < lanes; lane++) {
    warp->ballot |= (uint64_t)(warp->all >> lane & 1 && warp->values[lane]) << lane;
    unsigned source = warp->exchange == BY_XOR ? lane ^ warp->sources[lane] : warp->sources[lane];
    bool exists = source < lanes && warp->all >> source & 1;
    warp->results[lane] = warp->values[exists ? source : lane];
  }
  warp->arrived = 0;
  warp->ready = warp->all;
  for (unsigned lane = 0; lane < lanes; lane++)
    if (warp->all >> lane & 1)
      run->states[(unsigned)(warp - run->warps) * lanes + lane] = READY;
}

// The caller has left what it brings in its lane.
static void exchange(unsigned kind) {
  unsigned thread = run->current;
  warp_t *warp = warp_of(thread);
  run->states[thread] = AT_EXCHANGE;
  warp->ready &= ~bit_of(thread);
  if (warp->arrived && warp->exchange != kind)
    kernel_fault("the lanes of a warp make different exchanges");
  warp->exchange = kind;
  warp->arrived |= bit_of(thread);
  if (warp->arrived == warp->all)
    complete_exchange(warp);
  else
    switch_from(thread);
}

static uint32_t shuffle(unsigned kind, uint32_t value, uint32_t source) {
  unsigned lane = run->current % lanes;
  warp_t *warp = warp_of(run->current);
  warp->values[lane] = value;
  warp->sources[lane] = source;
  exchange(kind);
  return warp->results[lane];
}

EXPORT uint32_t strata_emulated_shuffle(uint32_t value, uint32_t lane) { return shuffle(BY_LANE, value, lane); }
EXPORT uint32_t strata_emulated_shuffle_xor(uint32_t value, uint32_t mask) { return shuffle(BY_XOR, value, mask); }

EXPORT uint64_t strata_emulated_ballot(uint32_t value) {
  shuffle(BALLOT, value, 0);
  return warp_of(run->current)->ballot;
}

EXPORT void strata_emulated_mma(uint32_t kind, const void *a, const void *b, const void *c, void *d) {
  warp_of(run->current)->fragments[run->current % lanes] = (strata_matrix_fragments_t){a, b, c, d, false, {0}};
  exchange(MATRIX + kind);
}

EXPORT void strata_emulated_mma_scaled(uint32_t kind, const void *a, const void *b, const void *c, void *d,
                                       uint32_t scale_a, uint32_t scale_b) {
  warp_of(run->current)->fragments[run->current % lanes] =
      (strata_matrix_fragments_t){a, b, c, d, true, {scale_a, scale_b}};
  exchange(MATRIX + kind);
}

EXPORT void strata_emulated_load_matrices(const void *row, void *fragment) {
  enum { MATRICES = 4, ROWS = 8, WORDS = 4, WORD_BYTES = 4 };
  unsigned lane = run->current % lanes;
  size_t own = shared_offset(row, WORDS * WORD_BYTES);
  if (own % (WORDS * WORD_BYTES))
    kernel_fault("loads a matrix's row from a place that is not aligned to 16 bytes");
  for (unsigned i = 0; i < MATRICES; i++) {
    uint32_t from = shuffle(BY_LANE, (uint32_t)own, ROWS * i + lane / WORDS);
    memcpy((char *)fragment + i * WORD_BYTES, run->shared + from + lane % WORDS * WORD_BYTES, WORD_BYTES);
  }
}

// With STRATA_TEST_DRIVER_BANKS: that the lanes that read at a time do so from different banks, be it 16 lanes of 32
// banks or 32 lanes of 64.
static void check_banks(uint32_t own, unsigned bytes) {
  enum { BANK_BYTES = 4 };
  for (unsigned n = 16; n <= 32; n *= 2)
    for (unsigned other = 1; other < n; other++) {
      uint32_t place = shuffle(BY_XOR, own, other);
      if (place != own && place / bytes % (2 * n * BANK_BYTES / bytes) == own / bytes % (2 * n * BANK_BYTES / bytes))
        kernel_fault("loads pieces of rows from the same banks in lanes of one half of a warp");
    }
}

// Elements of |bytes| bytes: a piece is as many as there are rows.
static void load_crossed(const void *piece, unsigned bytes, void *columns) {
  enum { LANES = 16, PIECE_BYTES = 8 };
  unsigned lane = run->current % lanes, column = lane % LANES, n = PIECE_BYTES / bytes;
  size_t own = shared_offset(piece, PIECE_BYTES);
  if (own % PIECE_BYTES)
    kernel_fault("loads a piece of a row from a place that is not aligned to 8 bytes");
  if (getenv("STRATA_TEST_DRIVER_BANKS"))
    check_banks((uint32_t)own, PIECE_BYTES);
  for (unsigned row = 0; row < n; row++) {
    uint32_t from = shuffle(BY_LANE, (uint32_t)own, lane / LANES * LANES + row * (LANES / n) + column / n);
    memcpy((char *)columns + row * bytes, run->shared + from + column % n * bytes, bytes);
  }
}

EXPORT void strata_emulated_load_crossed(const void *piece, void *columns) { load_crossed(piece, 2, columns); }

EXPORT void strata_emulated_load_crossed_8(const void *piece, void *columns) { load_crossed(piece, 1, columns); }

EXPORT void strata_emulated_load_turned(const void *row, void *column) {
  enum { LANES = 8, BYTES = 2, HALF = 32 };
  unsigned lane = run->current % lanes;
  uintptr_t own = (uintptr_t)row;
  if (own % (LANES * BYTES))
    kernel_fault("loads a row that is turned from a place that is not aligned to 16 bytes");
  for (unsigned i = 0; i < LANES; i++) {
    unsigned from = lane / LANES * LANES + i;
    uint64_t high = shuffle(BY_LANE, (uint32_t)(own >> HALF), from), low = shuffle(BY_LANE, (uint32_t)own, from);
    memcpy((char *)column + i * BYTES, (const char *)(uintptr_t)(high << HALF | low) + lane % LANES * BYTES, BYTES);
  }
}

//===-- Launches -------------------------------------------------------------------------------------------------===//

// A kernel that touches what is not its own ends the process, after saying which it was.
static void report_crash(int signal, siginfo_t *info, void *unused) {
  (void)unused;
  dprintf(STDERR_FILENO, "test driver: fault: kernel %s, block %lld, thread %u: signal %d at address %p\n",
          kernel.function->name, (long long)run->block, run->current, signal, info->si_addr);
  _exit(STRATA_TEST_DRIVER_EXIT);
}

static void reset_block(int64_t block, unsigned n_threads) {
  run->block = block;
  run->n_threads = n_threads;
  run->n_warps = (n_threads + lanes - 1) / lanes;
  run->n_at_barrier = run->n_done = run->current = 0;
  memset(run->states, READY, n_threads);
  for (unsigned i = 0; i < run->n_warps; i++) {
    unsigned n = n_threads - i * lanes;
    uint64_t all = all_lanes(n >= lanes ? lanes : n);
    run->warps[i].all = run->warps[i].ready = run->warps[i].fresh = all;
    run->warps[i].arrived = 0;
  }
  phases_reset();
  copies_reset();
  async_reset();
  products_reset();
  cluster_reset();
}

// Runs the block until it ends or none of its threads can go on.
static void start_block(const shape_t *shape, int64_t block, char *shared) {
  run->shared = shared;
  run->shared_size = shape->shared;
  memset(shared, 0xFF, shape->shared);
  reset_block(block, shape->block[0]);
  void *first = take_stack(&run->stacks[0]);
  strata_test_switch(&main_context, first);
}

// The same of a block that has begun; false if it can not go on.
static bool resume_block(void) {
  if (block_has_ended() || find_ready(0) == run->n_warps)
    return false;
  if (choose_next())
    strata_test_switch(&main_context, run->contexts[run->current]);
  return true;
}

static bool all_wait_for_cluster(void) {
  for (unsigned thread = 0; thread < run->n_threads; thread++)
    if (run->states[thread] != WAITING || run->waits[thread].kind != WAIT_CLUSTER)
      return false;
  return true;
}

// No block can go on. True if all of them wait for one another, or have ended.
static bool meet(unsigned n, bool *out_is_over) {
  unsigned n_ended = 0, n_waiting = 0, stuck = 0;
  for (unsigned rank = n; rank-- > 0;) {
    block_visit(rank);
    bool waits = all_wait_for_cluster();
    n_ended += block_has_ended();
    n_waiting += waits;
    if (!block_has_ended() && !waits)
      stuck = rank;
  }
  *out_is_over = n_ended == n;
  if (n_ended == n || n_waiting == n)
    return true;
  block_visit(stuck);
  if (n_ended + n_waiting < n)
    fail();
  else
    fault(OK, "kernel %s, block %lld: %u of the cluster's %u blocks wait for others, which have ended",
          kernel.function->name, (long long)run->block, n_waiting, n);
  has_failed = true;
  return false;
}

// The blocks of a cluster take turns, each as far as it gets without the others.
static void run_cluster(const shape_t *shape, int64_t first, char *shared, size_t stride) {
  unsigned n = shape->cluster;
  bool is_over = false;
  cluster_place_memory(shared, stride, n);
  for (unsigned rank = 0; rank < n && !has_failed; rank++) {
    block_visit(rank);
    start_block(shape, first + rank, shared + rank * stride);
  }
  while (!has_failed && !is_over) {
    bool goes_on = false;
    for (unsigned rank = 0; rank < n && !has_failed; rank++) {
      block_visit(rank);
      goes_on |= resume_block();
    }
    if (has_failed || goes_on || !meet(n, &is_over) || is_over)
      continue;
    cluster_meet();
    for (unsigned rank = 0; rank < n; rank++) {
      block_visit(rank);
      threads_wake(WAIT_CLUSTER, 0);
    }
  }
}

static bool run_blocks(const shape_t *shape, char *shared, size_t stride) {
  has_failed = false;
  for (int64_t block = 0; block < shape->grid[0] && !has_failed; block += shape->cluster) {
    reset_stacks();
    early_reset();
    run_cluster(shape, block, shared, stride);
  }
  return !has_failed && early_check(kernel.function);
}

bool execute(const function_t *function, const shape_t *shape, void *const *buffers) {
  static char signal_stack[16384];
  stack_t alternative = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack}, old_stack;
  struct sigaction action = {.sa_sigaction = report_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK}, old_action;
  const size_t unit = STRATA_EMULATED_SHARED_ALIGNMENT;
  size_t stride = shape->cluster > 1 ? (shape->shared + unit - 1) / unit * unit : shape->shared;
  memory_t *shared = memory_create(NULL, stride * shape->cluster, STRATA_EMULATED_SHARED_ALIGNMENT, true);
  if (!shared)
    abort();
  kernel.function = function;
  kernel.buffers = buffers;
  lanes = function->module->image.lanes;
  memcpy(&kernel.entry, &function->info.entry, sizeof kernel.entry);
  sigaltstack(&alternative, &old_stack);
  sigaction(SIGSEGV, &action, &old_action);
  bool ok = run_blocks(shape, shared->base, stride);
  sigaction(SIGSEGV, &old_action, NULL);
  sigaltstack(&old_stack, NULL);
  memory_destroy(shared); // which looks behind its end
  return ok;
}
