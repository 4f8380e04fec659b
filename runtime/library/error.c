// The message of a thread's last failing call, without memory that there may not be: thread-local variables of a loaded
// library are allocated at their first use, and where that fails the process is aborted. So a thread has a record that
// it finds by a key; the first threads' are part of the library, others are allocated, and where they cannot be, only
// the message is lost.
#include "runtime/library/error.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct record {
  struct record *next;
  _Atomic bool is_taken; // by a thread
  bool cleans;
  int first; // error while it cleans
  char message[256];
} record_t;

enum { N_RECORDS = 4 };
static record_t records[N_RECORDS];
static _Atomic bool is_lost;     // the message of a thread without a record
static _Atomic(record_t *) more; // only added to, but at the library's end

// For a thread without a record while it cleans: one at a time.
static record_t shared;
static _Atomic pthread_t owner; // of it; 0: none

//===-- Records --------------------------------------------------------------------------------------------------===//

static pthread_key_t key;
static _Atomic bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void give_back(void *record) { atomic_store(&((record_t *)record)->is_taken, false); }
static void create_key(void) { atomic_store(&has_key, pthread_key_create(&key, give_back) == 0); }

static bool take(record_t *record) { return !atomic_exchange(&record->is_taken, true); }

static record_t *take_any(void) {
  for (int i = 0; i < N_RECORDS; i++)
    if (take(&records[i]))
      return &records[i];
  for (record_t *record = atomic_load(&more); record; record = record->next)
    if (take(record))
      return record;
  record_t *record = calloc(1, sizeof *record);
  if (!record)
    return NULL;
  atomic_store(&record->is_taken, true);
  record->next = atomic_load(&more);
  while (!atomic_compare_exchange_weak(&more, &record->next, record))
    ;
  return record;
}

// The thread's record; NULL if it has none, yet.
static record_t *find(void) {
  if (atomic_load(&owner) == pthread_self())
    return &shared;
  return atomic_load(&has_key) ? pthread_getspecific(key) : NULL;
}

static record_t *find_or_take(void) {
  record_t *record = find();
  if (record)
    return record;
  pthread_once(&once, create_key);
  record = atomic_load(&has_key) ? take_any() : NULL;
  if (!record)
    return NULL;
  record->message[0] = 0;
  record->cleans = false;
  if (pthread_setspecific(key, record) == 0)
    return record;
  give_back(record);
  return NULL;
}

// At dlclose and at exit. What threads still have stays: at exit they may be in a call.
__attribute__((destructor)) static void free_records(void) {
  record_t *own = find();
  if (own)
    give_back(own);
  if (atomic_exchange(&has_key, false))
    pthread_key_delete(key);
  for (record_t *record = atomic_exchange(&more, NULL), *next; record; record = next) {
    next = record->next;
    if (take(record))
      free(record);
  }
}

//===-- Errors ---------------------------------------------------------------------------------------------------===//

int strata_rt_fail(strata_status_code_t code, const char *format, ...) {
  record_t *record = find_or_take();
  if (!record)
    atomic_store(&is_lost, true);
  if (!record || (record->cleans && record->first))
    return (int)code;
  record->first = (int)code;
  va_list args;
  va_start(args, format);
  vsnprintf(record->message, sizeof record->message, format, args);
  va_end(args);
  return (int)code;
}

const char *strata_rt_message(void) {
  const record_t *record = find();
  return record ? record->message : atomic_load(&is_lost) ? "out of memory, also for the message" : "";
}

void strata_rt_cleanup_begin(int status) {
  record_t *record = find_or_take();
  for (pthread_t nobody = 0; !record; nobody = 0) {
    if (atomic_compare_exchange_strong(&owner, &nobody, pthread_self()))
      record = &shared;
    else
      sched_yield();
  }
  record->cleans = true;
  record->first = status;
}

int strata_rt_cleanup_end(void) {
  record_t *record = find();
  int first = record->first;
  record->cleans = false;
  if (record == &shared)
    atomic_store(&owner, 0);
  return first;
}
