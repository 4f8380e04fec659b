// Allocations that fail when they are told to: part of a test's program, or preloaded into one of ours.
//
// In the environment: STRATA_TEST_FAIL_ALLOCATION=N:P makes the N-th allocation of process P fail, and only that: 0 is
// the one that was started, 1 its children, 2 theirs. It is counted from the start of main, whose first deed in our
// programs is to call signal: what C++ does before that is not ours to mend. When it fails the file
// STRATA_TEST_FAIL_REPORT is made.
#define _GNU_SOURCE
#include "test/support/failing_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

enum { MAX_LIVE = 1 << 12 };

static _Atomic long left;     // until one fails; 0: none does
static _Atomic bool all_fail; // once it has come to it
static _Atomic long failed;
static char part[64]; // only allocations of the file with this in its name count
static _Atomic(void *) live[MAX_LIVE];
static int generation;
static const char *report;

static bool is_counted(const void *caller) {
  Dl_info info;
  return !*part || (dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, part));
}

static bool fails(const void *caller) {
  if (atomic_load(&left) == 0 || !is_counted(caller))
    return false;
  long now = atomic_load(&left);
  bool does = now == 1;
  if (now > 1 || !atomic_load(&all_fail))
    atomic_store(&left, now - 1);
  if (does) {
    atomic_fetch_add(&failed, 1);
    if (report)
      close(open(report, O_CREAT | O_WRONLY, 0666));
    errno = ENOMEM;
  }
  return does;
}

static void *keep(void *memory, const void *caller) {
  for (int i = 0; memory && *part && is_counted(caller) && i < MAX_LIVE; i++) {
    void *none = NULL;
    if (atomic_compare_exchange_strong(&live[i], &none, memory))
      break;
  }
  return memory;
}

// What was never written is no number, whoever had the memory before.
static void *spoil(void *memory, size_t size, const void *caller) {
  if (memory && *part && is_counted(caller))
    memset(memory, 0xff, size);
  return keep(memory, caller);
}

#define CALLER __builtin_return_address(0)
void *malloc(size_t size) { return fails(CALLER) ? NULL : spoil(__libc_malloc(size), size, CALLER); }
void *calloc(size_t count, size_t size) { return fails(CALLER) ? NULL : keep(__libc_calloc(count, size), CALLER); }
void *realloc(void *memory, size_t size) { return fails(CALLER) ? NULL : __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) { return fails(CALLER) ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(CALLER) ? NULL : spoil(__libc_memalign(alignment, size), size, CALLER);
}
int posix_memalign(void **out_memory, size_t alignment, size_t size) {
  *out_memory = fails(CALLER) ? NULL : __libc_memalign(alignment, size);
  return *out_memory ? 0 : ENOMEM;
}

void free(void *memory) {
  for (int i = 0; memory && *part && i < MAX_LIVE; i++) {
    void *expected = memory;
    if (atomic_compare_exchange_strong(&live[i], &expected, NULL))
      break;
  }
  __libc_free(memory);
}

void strata_test_allocations_of(const char *name) { snprintf(part, sizeof part, "%s", name); }

void strata_test_fail_allocation(long n, bool all) {
  atomic_store(&all_fail, all);
  atomic_store(&failed, 0);
  atomic_store(&left, n);
}

long strata_test_failed_allocations(void) { return atomic_load(&failed); }

int strata_test_live_allocations(void) {
  int n = 0;
  for (int i = 0; i < MAX_LIVE; i++)
    n += atomic_load(&live[i]) != NULL;
  return n;
}

//===-- In the environment ---------------------------------------------------------------------------------------===//

static long wanted;
static int wanted_generation;

static void arm(void) { atomic_store(&left, generation == wanted_generation ? wanted : 0); }

static void enter_child(void) {
  generation++;
  arm();
}

static void read_environment(void) {
  const char *text = getenv("STRATA_TEST_FAIL_ALLOCATION");
  if (!text || sscanf(text, "%ld:%d", &wanted, &wanted_generation) != 2)
    return;
  pthread_atfork(NULL, NULL, enter_child);
  report = getenv("STRATA_TEST_FAIL_REPORT");
  unsetenv("STRATA_TEST_FAIL_ALLOCATION"); // tools are not meant
  arm();
}

void (*signal(int number, void (*handler)(int)))(int) {
  struct sigaction old, action = {.sa_handler = handler};
  read_environment();
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
