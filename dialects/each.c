// See each.h.
#include "dialects/each.h"

#include <stdatomic.h>
#include <threads.h>

enum { MAX_THREADS = 64 };

typedef struct {
  strata_part_t part;
  void *user;
  size_t n;
  atomic_size_t next;
  strata_status_t *statuses; // by part
} parts_t;

typedef struct {
  parts_t *parts;
  strata_compile_t compile;
  thrd_t thread;
} worker_t;

static int work(void *user) {
  worker_t *worker = user;
  parts_t *parts = worker->parts;
  for (size_t i; (i = atomic_fetch_add(&parts->next, 1)) < parts->n;)
    parts->statuses[i] = parts->part(&worker->compile, i, parts->user);
  return 0;
}

static void destroy_arena(void *arena) { strata_arena_destroy(arena); }

// What a thread makes goes with the compile; what one at a time may use it does not have.
static void init_worker(worker_t *worker, strata_compile_t *compile, parts_t *parts) {
  worker->parts = parts;
  worker->compile = *compile;
  worker->compile.arena = strata_arena_create();
  worker->compile.candidates = NULL;
  worker->compile.diagnostics = NULL;
  strata_arena_defer(compile->arena, destroy_arena, worker->compile.arena);
}

static strata_status_t first_error(const parts_t *parts) {
  strata_status_t first = NULL;
  for (size_t i = 0; i < parts->n; i++)
    if (first)
      strata_status_free(parts->statuses[i]);
    else
      first = parts->statuses[i];
  return first;
}

strata_status_t strata_compile_each(strata_compile_t *compile, size_t n, strata_part_t part, void *user) {
  parts_t parts = {
      .part = part, .user = user, .n = n, .statuses = strata_arena_array(compile->arena, strata_status_t, n + 1)};
  size_t jobs = (size_t)compile->options->jobs, most = jobs < MAX_THREADS ? jobs : MAX_THREADS;
  size_t n_workers = n < most ? n : most, n_started = 1;
  worker_t *workers = strata_arena_array(compile->arena, worker_t, n_workers + 1);
  for (size_t i = 0; i < n_workers; i++)
    init_worker(&workers[i], compile, &parts);
  while (n_started < n_workers && thrd_create(&workers[n_started].thread, work, &workers[n_started]) == thrd_success)
    n_started++;
  if (n_workers > 0)
    work(&workers[0]);
  for (size_t i = 1; i < n_started; i++)
    thrd_join(workers[i].thread, NULL);
  return first_error(&parts);
}
