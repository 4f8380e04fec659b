// strata-tune DIR: times the candidates that `strata --autotune=export` compiled, and writes which are the fastest.
#define _DEFAULT_SOURCE
#include "passes/tuning/cache.h"
#include "tools/commands.h"
#include "tools/program.h"
#include "tools/tune_workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  const char *folder, *output, *cache;
  double budget;
  bool explain;
} options_t;

typedef struct {
  strata_arena_t *arena;
  const options_t *options;
  Strata__TuningManifest *manifest;
  strata_tune_records_t tuned;
} tuning_t;

static size_t n_kernels(const tuning_t *t) { return t->manifest->n_kernels; }

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

//===-- Results --------------------------------------------------------------------------------------------------===//

static void print_faults(const tuning_t *t, size_t kernel) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  for (size_t i = 0; i < k->n_candidates && i < STRATA_TUNE_CANDIDATES; i++)
    if (*t->tuned.records[kernel].faults[i])
      fprintf(stderr, "strata: error: kernel %s, candidate %zu (%s): %s\n", k->kernel, i, k->candidates[i]->library,
              t->tuned.records[kernel].faults[i]);
}

static int n_candidates(const Strata__TuningKernel *k) {
  return k->n_candidates < STRATA_TUNE_CANDIDATES ? (int)k->n_candidates : STRATA_TUNE_CANDIDATES;
}

// NULL: there is none.
static strata_tuning_result_t *result_of(const tuning_t *t, size_t kernel, int *out_choice) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  const strata_tune_record_t *record = &t->tuned.records[kernel];
  if (!record->is_done || *record->faults[0] || record->times[0][0].n_rounds == 0)
    return NULL;
  int choice = record->choice;
  strata_tune_times_t first = strata_tune_mean(&record->times, strata_tune_n_likely(k), 0);
  strata_tuning_result_t *result = strata_arena_new(t->arena, strata_tuning_result_t);
  strata__tuning_result__init(result);
  result->kernel = k->kernel;
  result->device = k->device;
  result->compiler = k->compiler;
  result->what = k->what;
  result->schedule = k->candidates[choice]->schedule;
  result->model_schedule = k->candidates[0]->schedule;
  result->predicted_seconds = k->candidates[choice]->predicted_seconds;
  result->model_seconds = strata_tune_median(first.seconds, first.n_rounds);
  result->seconds = result->model_seconds * record->ratio;
  result->card = strata_arena_strdup(t->arena, t->tuned.card);
  *out_choice = choice;
  return result;
}

static const char *sizes_text(strata_arena_t *arena, const Strata__TuningKernel *k, int point) {
  const char *text = k->n_points ? " at" : "";
  for (size_t i = 0; k->n_points && i < k->points[point]->n_sizes; i++)
    text = strata_arena_printf(arena, "%s%s%d", text, i ? "," : " ", (int)k->points[point]->sizes[i]);
  return text;
}

static void explain(const tuning_t *t, size_t kernel) {
  const Strata__TuningKernel *k = t->manifest->kernels[kernel];
  for (int i = 0; i < n_candidates(k); i++)
    for (int p = 0; p < strata_tune_n_points(k); p++) {
      const strata_tune_times_t *times = &t->tuned.records[kernel].times[p][i];
      printf("  candidate %d%s: %.2f us, %.2f in turn, of %d rounds, by the model %.2f: %s\n", i,
             sizes_text(t->arena, k, p), 1e6 * strata_tune_median(times->seconds, times->n_rounds),
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
  const char *shared = t->tuned.n_devices > 1 ? strata_arena_printf(t->arena, ", %d of them", t->tuned.n_devices) : "";
  printf("%zu of %zu kernels tuned on %s%s, %.3f times as fast as by the model (geometric mean)\n", n, n_kernels(t),
         t->tuned.card, shared, n ? exp(logarithms / (double)n) : 1);
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
  tuning_t t = {.arena = arena, .options = &options};
  const char *path = strata_arena_printf(arena, "%s/%s", options.folder, STRATA_TUNING_MANIFEST);
  STRATA_TRY(strata_tuning_read_manifest(arena, path, &t.manifest));
  STRATA_TRY(read_results(&t, &results));
  const strata_tuning_job_t job = {t.manifest, options.folder, options.budget};
  STRATA_TRY(strata_tune_all(arena, &job, &t.tuned));
  return write_results(&t, &results);
}

int main(int argc, char **argv) { return strata_command_main("strata-tune", run_command, argc, argv); }
