// See tune_workers.h.
#define _DEFAULT_SOURCE
#include "tools/tune_workers.h"

#include "tools/clock.h"
#include "tools/devices.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKERS = 16, PAUSE_US = 20000 };

// What a worker says of itself; the next one with its GPU goes on from there.
typedef struct {
  size_t kernel;          // under way; as many as there are: none
  unsigned long progress; // kernels that are done
  atomic_bool is_ready;   // the next are known
  char card[128], arch[32];
  char error[512]; // that no candidate is to blame for
  bool is_other;   // its GPU is unlike the first
} worker_t;

// Of all processes.
typedef struct {
  atomic_size_t next; // kernel that nobody has taken
  atomic_size_t n_done;
  _Atomic double end; // of the time that there is; 0: no GPU is there yet
  int n_devices;
  worker_t workers[MOST_WORKERS];
  strata_tune_record_t records[];
} shared_t;

typedef struct {
  strata_arena_t *arena;
  const strata_tuning_job_t *job;
  shared_t *shared;
  bool is_terminal;
  pid_t pids[MOST_WORKERS]; // 0: not running
  unsigned long progress[MOST_WORKERS];
  double since[MOST_WORKERS]; // it has made no progress
} tuner_t;

static size_t n_kernels(const tuner_t *t) { return t->job->manifest->n_kernels; }

//===-- A worker -------------------------------------------------------------------------------------------------===//

static bool has_time(const tuner_t *t) {
  double end = atomic_load(&t->shared->end);
  return end == 0 || strata_now() < end;
}

// The one under way, else the next that there is time for; whatever the time is, one kernel is tuned.
static bool take_kernel(const tuner_t *t, worker_t *worker) {
  if (worker->kernel < n_kernels(t))
    return has_time(t) || worker->kernel == 0;
  size_t next =
      has_time(t) || atomic_load(&t->shared->next) == 0 ? atomic_fetch_add(&t->shared->next, 1) : n_kernels(t);
  worker->kernel = next < n_kernels(t) ? next : n_kernels(t);
  return worker->kernel < n_kernels(t);
}

// The time that is left, shared by the kernels that are left; a kernel needs some of it for other things.
static double share_of(const tuner_t *t) {
  double left = fmax(0, atomic_load(&t->shared->end) - strata_now()) * t->shared->n_devices;
  return left / (double)(n_kernels(t) - atomic_load(&t->shared->n_done)) / 2;
}

static strata_status_t tune_kernels(const tuner_t *t, const strata_tuner_t *tuner, worker_t *worker) {
  double none = 0;
  atomic_compare_exchange_strong(&t->shared->end, &none, strata_now() + t->job->budget);
  while (take_kernel(t, worker)) {
    strata_tune_record_t *record = &t->shared->records[worker->kernel];
    STRATA_TRY(strata_tune_kernel(tuner, t->job->manifest->kernels[worker->kernel], share_of(t), record));
    record->is_done = true;
    worker->kernel = n_kernels(t);
    worker->progress++;
    atomic_fetch_add(&t->shared->n_done, 1);
  }
  return NULL;
}

// True if the worker's GPU is like the first, which says what it is before long, or ends.
static bool is_like_first(const tuner_t *t, const worker_t *worker) {
  const worker_t *first = &t->shared->workers[0];
  while (!atomic_load(&first->is_ready))
    usleep(PAUSE_US);
  return strcmp(first->card, worker->card) == 0 && strcmp(first->arch, worker->arch) == 0;
}

static strata_status_t work(const tuner_t *t, int index) {
  const char *target = t->job->manifest->target;
  worker_t *worker = &t->shared->workers[index];
  strata_device_names_t names;
  strata_tuner_t tuner;
  if (index > 0)
    STRATA_TRY(strata_devices_use(target, index));
  STRATA_TRY(strata_tuner_open(target, t->job->folder, &tuner));
  STRATA_TRY(strata_device_find_names(t->arena, target, &names)); // of the device that is open then
  snprintf(worker->card, sizeof worker->card, "%s", *names.product ? names.product : names.arch_name);
  snprintf(worker->arch, sizeof worker->arch, "%s", names.arch_name);
  atomic_store(&worker->is_ready, true);
  worker->is_other = !is_like_first(t, worker);
  if (worker->is_other)
    return NULL;
  return tune_kernels(t, &tuner, worker); // the device goes with the process
}

static strata_tune_record_t *record_of(const tuner_t *t, const worker_t *worker) {
  return worker->kernel < n_kernels(t) ? &t->shared->records[worker->kernel] : NULL;
}

// The message of an error is about the candidate that was being called, if one was.
static _Noreturn void run_worker(const tuner_t *t, int index, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  worker_t *worker = &t->shared->workers[index];
  strata_tune_record_t *record = record_of(t, worker);
  if (record)
    record->current = -1;
  strata_status_t status = work(t, index);
  record = record_of(t, worker);
  char *place = record && record->current >= 0 ? record->faults[record->current] : worker->error;
  size_t size = place == worker->error ? sizeof worker->error : sizeof *record->faults;
  if (status)
    snprintf(place, size, "%s", strata_status_message(status));
  _exit(status ? 1 : 0);
}

//===-- The first process ----------------------------------------------------------------------------------------===//

static void print_progress(const tuner_t *t) {
  double end = atomic_load(&t->shared->end);
  if (t->is_terminal && end > 0)
    fprintf(stderr, "\rtuning: %zu of %zu kernels, %.0f s left ", atomic_load(&t->shared->n_done), n_kernels(t),
            fmax(0, end - strata_now()));
}

// The driver does not survive a fork, so another process asks it. One where it says nothing: the worker says why.
static int count_devices(const tuner_t *t) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    strata_status_t status = strata_devices_count(t->job->manifest->target, &t->shared->n_devices);
    _exit(status ? 1 : 0);
  }
  int status = 1;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  int most = n_kernels(t) < MOST_WORKERS ? (int)n_kernels(t) : MOST_WORKERS;
  int n = status == 0 ? t->shared->n_devices : 1;
  return n > most ? most : n < 1 ? 1 : n;
}

static strata_status_t start(tuner_t *t, int index) {
  fflush(NULL);
  pid_t self = getpid(), pid = fork();
  if (pid < 0)
    return strata_error(STRATA_IO, "cannot create a process: %s", strerror(errno));
  if (pid == 0)
    run_worker(t, index, self);
  t->pids[index] = pid;
  t->since[index] = strata_now();
  return NULL;
}

// The candidate that was being called is none; what is known of the kernel's others is found out anew.
static void blame(const tuner_t *t, worker_t *worker, int status) {
  strata_tune_record_t *record = record_of(t, worker);
  char *fault = record->faults[record->current];
  if (!*fault)
    snprintf(fault, sizeof *record->faults, WIFSIGNALED(status) ? "ended by signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  if (record->current == 0) { // nothing to compare with
    record->is_done = true;
    worker->kernel = n_kernels(t);
    atomic_fetch_add(&t->shared->n_done, 1);
  }
}

// Of a worker that ended: another one takes its place where there is more to do.
static strata_status_t finish(tuner_t *t, int index, int status) {
  worker_t *worker = &t->shared->workers[index];
  const strata_tune_record_t *record = record_of(t, worker);
  t->pids[index] = 0;
  if (worker->is_other)
    fprintf(stderr, "strata: note: GPU %d, %s, is unlike the first and takes no part\n", index, worker->card);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return NULL;
  if (record && record->current >= 0) {
    blame(t, worker, status);
    bool has_more = worker->kernel < n_kernels(t) || atomic_load(&t->shared->next) < n_kernels(t);
    return has_more && has_time(t) ? start(t, index) : NULL;
  }
  const char *error = *worker->error ? worker->error : "the process that tunes ended";
  if (index == 0)
    return strata_error(STRATA_DEVICE, "%s", error);
  fprintf(stderr, "strata: note: GPU %d takes no part: %s\n", index, error);
  return NULL;
}

// A worker none of whose calls returns for long is ended.
static void watch(tuner_t *t, int index) {
  const double patience = 60;
  worker_t *worker = &t->shared->workers[index];
  strata_tune_record_t *record = record_of(t, worker);
  unsigned long progress = worker->progress + (record ? atomic_load(&record->n_calls) : 0);
  if (progress != t->progress[index]) {
    t->since[index] = strata_now();
    print_progress(t);
  }
  t->progress[index] = progress;
  if (strata_now() - t->since[index] > patience)
    kill(t->pids[index], SIGKILL);
}

static strata_status_t wait_for_all(tuner_t *t, int n) {
  for (int n_running = n; n_running > 0; usleep(PAUSE_US)) {
    n_running = 0;
    for (int i = 0; i < n; i++) {
      int status;
      if (t->pids[i] && waitpid(t->pids[i], &status, WNOHANG) == t->pids[i])
        STRATA_TRY(finish(t, i, status));
      if (t->pids[i])
        watch(t, i);
      n_running += t->pids[i] != 0;
    }
  }
  print_progress(t);
  if (t->is_terminal)
    fputc('\n', stderr);
  return NULL;
}

strata_status_t strata_tune_all(strata_arena_t *arena, const strata_tuning_job_t *job, strata_tune_records_t *out) {
  tuner_t t = {.arena = arena, .job = job, .is_terminal = isatty(STDERR_FILENO)};
  size_t size = sizeof *t.shared + (n_kernels(&t) + 1) * sizeof *t.shared->records;
  t.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t.shared == MAP_FAILED)
    return strata_error(STRATA_OUT_OF_MEMORY, "%zu bytes for %zu kernels", size, n_kernels(&t));
  int n = n_kernels(&t) ? count_devices(&t) : 0;
  t.shared->n_devices = n;
  for (int i = 0; i < n; i++) {
    t.shared->workers[i].kernel = n_kernels(&t);
    STRATA_TRY(start(&t, i));
  }
  STRATA_TRY(wait_for_all(&t, n));
  *out = (strata_tune_records_t){.card = t.shared->workers[0].card, .records = t.shared->records};
  for (int i = 0; i < n; i++)
    out->n_devices += t.shared->workers[i].is_ready && !t.shared->workers[i].is_other;
  return NULL;
}
