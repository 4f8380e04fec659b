// strata-tune DIR: times the candidates that `strata --autotune=export` compiled, and writes which are the fastest.
//
// Two processes: a worker has the GPU, and writes what it finds into memory that both have. Where a candidate takes it
// down, or does not end, that candidate is named and another worker goes on with the rest.
#define _DEFAULT_SOURCE
#include "passes/tuning/cache.h"
#include "tools/clock.h"
#include "tools/commands.h"
#include "tools/program.h"
#include "tools/tune_kernel.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  const char *folder, *output, *cache;
  double budget;
  bool explain;
} options_t;

// Of both processes.
typedef struct {
  size_t kernel;          // the next to be tuned, or under way
  unsigned long progress; // grows
  double end;             // of the time that there is; 0: the GPU is not there yet
  char card[128];
  char error[512]; // that no candidate is to blame for
  strata_tune_record_t records[];
} shared_t;

typedef struct {
  strata_arena_t *arena;
  const options_t *options;
  Strata__TuningManifest *manifest;
  shared_t *shared;
  bool is_terminal;
} tuning_t;

//===-- Options --------------------------------------------------------------------------------------------------===//

static strata_status_t parse_budget(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return *text && !*end && *out >= 1 && *out <= 1e9
             ? NULL
             : strata_error(STRATA_INVALID_ARGUMENT, "--budget: expected a number of at least 1, got '%s'", text);
}

static strata_status_t parse_options(strata_arena_t *arena, int argc, char **argv, options_t *options) {
  *options = (options_t){.budget = 60};
  for (int i = 1; i < argc; i++) {
    const char *value;
    if ((value = strata_argument_value(argv[i], "--output")) || (value = strata_argument_value(argv[i], "-o")))
      options->output = value;
    else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
      options->output = argv[++i];
    else if ((value = strata_argument_value(argv[i], "--autotune-cache-dir")))
      options->cache = value;
    else if ((value = strata_argument_value(argv[i], "--budget")))
      STRATA_TRY(parse_budget(value, &options->budget));
    else if (strcmp(argv[i], "--explain") == 0)
      options->explain = true;
    else if (argv[i][0] == '-')
      return strata_error(STRATA_INVALID_ARGUMENT, "unknown option '%s'; strata-tune --help lists them", argv[i]);
    else if (options->folder)
      return strata_error(STRATA_INVALID_ARGUMENT, "expected one folder, got %s and %s", options->folder, argv[i]);
    else
      options->folder = argv[i];
  }
  if (!options->folder)
    return strata_error(STRATA_INVALID_ARGUMENT, "expected a folder; see strata-tune --help");
  if (!options->output)
    options->output = strata_arena_printf(arena, "%s/results.txtpb", options->folder);
  return NULL;
}

//===-- The worker -----------------------------------------------------------------------------------------------===//

static size_t n_kernels(const tuning_t *t) { return t->manifest->n_kernels; }

// Whatever the time is, one kernel is tuned.
static bool has_more(const tuning_t *t) {
  bool has_time = t->shared->end == 0 || t->shared->kernel == 0 || strata_now() < t->shared->end;
  return has_time && t->shared->kernel < n_kernels(t);
}

// The time that is left, shared by the kernels that are left; a kernel needs some of it for other things.
static double share_of(const tuning_t *t) {
  return fmax(0, t->shared->end - strata_now()) / (double)(n_kernels(t) - t->shared->kernel) / 2;
}

static strata_status_t tune_kernels(const tuning_t *t, const strata_tuner_t *tuner) {
  if (t->shared->end == 0)
    t->shared->end = strata_now() + t->options->budget;
  for (; has_more(t); t->shared->kernel++) {
    strata_tune_record_t *record = &t->shared->records[t->shared->kernel];
    STRATA_TRY(strata_tune_kernel(tuner, t->manifest->kernels[t->shared->kernel], share_of(t), record));
    record->is_done = true;
    t->shared->progress++;
  }
  return NULL;
}

static strata_status_t work(const tuning_t *t) {
  strata_device_names_t names;
  strata_tuner_t tuner;
  t->shared->records[t->shared->kernel].current = -1;
  STRATA_TRY(strata_device_find_names(t->arena, t->manifest->target, &names));
  snprintf(t->shared->card, sizeof t->shared->card, "%s", *names.product ? names.product : names.arch_name);
  STRATA_TRY(strata_tuner_open(t->manifest->target, t->options->folder, &tuner));
  return tune_kernels(t, &tuner); // the device goes with the process
}

// The message of an error is about the candidate that was being called, if one was.
static _Noreturn void run_worker(const tuning_t *t, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  strata_status_t status = work(t);
  strata_tune_record_t *record = &t->shared->records[t->shared->kernel < n_kernels(t) ? t->shared->kernel : 0];
  char *place =
      t->shared->kernel < n_kernels(t) && record->current >= 0 ? record->faults[record->current] : t->shared->error;
  size_t size = place == t->shared->error ? sizeof t->shared->error : sizeof *record->faults;
  if (status)
    snprintf(place, size, "%s", strata_status_message(status));
  _exit(status ? 1 : 0);
}

//===-- The first process ----------------------------------------------------------------------------------------===//

static void print_progress(const tuning_t *t) {
  if (t->is_terminal && t->shared->end > 0)
    fprintf(stderr, "\rtuning: %zu of %zu kernels, %.0f s left ", t->shared->kernel, n_kernels(t),
            fmax(0, t->shared->end - strata_now()));
}

// Waits for its end; one that does nothing for long is ended.
static int wait_for(const tuning_t *t, pid_t pid) {
  enum { PAUSE_US = 20000 };
  const double patience = 60;
  unsigned long progress = t->shared->progress;
  double since = strata_now();
  for (int status;;) {
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid)
      return status;
    if (progress != t->shared->progress) {
      progress = t->shared->progress;
      since = strata_now();
      print_progress(t);
    }
    if (strata_now() - since > patience)
      kill(pid, SIGKILL);
    usleep(PAUSE_US);
  }
}

// The candidate that was being called is none; what is known of the kernel's others is found out anew.
static strata_status_t blame(const tuning_t *t, int status) {
  size_t kernel = t->shared->kernel;
  strata_tune_record_t *record = kernel < n_kernels(t) ? &t->shared->records[kernel] : NULL;
  if (!record || record->current < 0)
    return strata_error(STRATA_DEVICE, "%s", *t->shared->error ? t->shared->error : "the process that tunes ended");
  char *fault = record->faults[record->current];
  if (!*fault)
    snprintf(fault, sizeof *record->faults, WIFSIGNALED(status) ? "ended by signal %d" : "exit status %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  if (record->current == 0) { // nothing to compare with
    record->is_done = true;
    t->shared->kernel++;
  }
  return NULL;
}

static strata_status_t tune_all(const tuning_t *t) {
  while (has_more(t)) {
    fflush(NULL);
    pid_t self = getpid(), pid = fork();
    if (pid < 0)
      return strata_error(STRATA_IO, "cannot create a process: %s", strerror(errno));
    if (pid == 0)
      run_worker(t, self);
    int status = wait_for(t, pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      break;
    STRATA_TRY(blame(t, status));
  }
  print_progress(t);
  if (t->is_terminal)
    fputc('\n', stderr);
  return NULL;
}

//===-- Results --------------------------------------------------------------------------------------------------===//

static void print_faults(const tuning_t *t, size_t kernel) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  for (size_t i = 0; i < k->n_candidates && i < STRATA_TUNE_CANDIDATES; i++)
    if (*t->shared->records[kernel].faults[i])
      fprintf(stderr, "strata: error: kernel %s, candidate %zu (%s): %s\n", k->kernel, i, k->candidates[i]->library,
              t->shared->records[kernel].faults[i]);
}

// NULL: there is none.
static strata_tuning_result_t *result_of(const tuning_t *t, size_t kernel, int *out_choice) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  strata_tune_record_t *record = &t->shared->records[kernel];
  int n = k->n_candidates < STRATA_TUNE_CANDIDATES ? (int)k->n_candidates : STRATA_TUNE_CANDIDATES;
  if (!record->is_done || *record->faults[0] || record->times[0].n_rounds == 0)
    return NULL;
  int choice = strata_tune_choose(record->times, n);
  strata_tuning_result_t *result = strata_arena_new(t->arena, strata_tuning_result_t);
  strata__tuning_result__init(result);
  result->kernel = k->kernel;
  result->device = k->device;
  result->compiler = k->compiler;
  result->what = k->what;
  result->schedule = k->candidates[choice]->schedule;
  result->model_schedule = k->candidates[0]->schedule;
  result->predicted_seconds = k->candidates[choice]->predicted_seconds;
  result->model_seconds = strata_tune_median(record->times[0].seconds, record->times[0].n_rounds);
  result->seconds = result->model_seconds * strata_tune_ratio(record->times, choice);
  result->card = t->shared->card;
  *out_choice = choice;
  return result;
}

static void explain(const tuning_t *t, size_t kernel) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  for (size_t i = 0; i < k->n_candidates && i < STRATA_TUNE_CANDIDATES; i++) {
    const strata_tune_times_t *times = &t->shared->records[kernel].times[i];
    printf("  candidate %zu: %.2f us, %.2f in turn, of %d rounds, by the model %.2f: %s\n", i,
           1e6 * strata_tune_median(times->seconds, times->n_rounds),
           1e6 * strata_tune_median(times->in_turn, times->n_rounds), times->n_rounds,
           1e6 * k->candidates[i]->predicted_seconds, k->candidates[i]->schedule);
  }
}

static void print_result(const strata_tuning_result_t *result, int choice) {
  if (choice == 0)
    printf("%s %s: %.2f us, the model's choice\n", result->kernel, result->what, 1e6 * result->seconds);
  else
    printf("%s %s: %.2f us by candidate %d, %.2f by the model's choice: %.3f times as fast\n", result->kernel,
           result->what, 1e6 * result->seconds, choice, 1e6 * result->model_seconds,
           result->model_seconds / result->seconds);
}

static strata_status_t write_results(const tuning_t *t, strata_tuning_results_t *results) {
  double logarithms = 0;
  size_t n = 0;
  for (size_t i = 0; i < n_kernels(t); i++) {
    int choice;
    strata_tuning_result_t *result = result_of(t, i, &choice);
    print_faults(t, i);
    if (!result)
      continue;
    print_result(result, choice);
    if (t->options->explain)
      explain(t, i);
    strata_tuning_insert(t->arena, results, result);
    logarithms += log(result->model_seconds / result->seconds);
    n++;
    if (t->options->cache)
      STRATA_TRY(strata_tuning_cache_add(t->arena, t->options->cache, result, STRATA_TUNING_CACHE_BYTES));
  }
  printf("%zu of %zu kernels tuned on %s, %.3f times as fast as by the model (geometric mean)\n", n, n_kernels(t),
         t->shared->card, n ? exp(logarithms / (double)n) : 1);
  return strata_tuning_write(t->arena, t->options->output, results);
}

// Those of a file that is there stay, but for the kernels that are tuned now.
static strata_status_t read_results(const tuning_t *t, strata_tuning_results_t *out) {
  struct stat info;
  *out = (strata_tuning_results_t){0};
  bool is_there = stat(t->options->output, &info) == 0 && S_ISREG(info.st_mode);
  return is_there ? strata_tuning_read(t->arena, t->options->output, out) : NULL;
}

static strata_status_t run_command(strata_arena_t *arena, int argc, char **argv) {
  options_t options;
  strata_tuning_results_t results;
  STRATA_TRY(parse_options(arena, argc, argv, &options));
  tuning_t t = {.arena = arena, .options = &options, .is_terminal = isatty(STDERR_FILENO)};
  const char *path = strata_arena_printf(arena, "%s/%s", options.folder, STRATA_TUNING_MANIFEST);
  STRATA_TRY(strata_tuning_read_manifest(arena, path, &t.manifest));
  STRATA_TRY(read_results(&t, &results));
  size_t size = sizeof *t.shared + (n_kernels(&t) + 1) * sizeof *t.shared->records;
  t.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (t.shared == MAP_FAILED)
    return strata_error(STRATA_OUT_OF_MEMORY, "%zu bytes for %zu kernels", size, n_kernels(&t));
  STRATA_TRY(tune_all(&t));
  return write_results(&t, &results);
}

int main(int argc, char **argv) { return strata_command_main("strata-tune", run_command, argc, argv); }
