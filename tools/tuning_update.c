// --autotune=update where a GPU is: what --autotune=export and strata-tune do, in a folder that goes with the compile,
// before it. Every step is a process of its own: the driver does not survive a fork, nor do MLIR's threads.
#define _GNU_SOURCE
#include "passes/target.h"
#include "targets/library/library.h"
#include "tools/clock.h"
#include "tools/device.h"
#include "tools/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// True if it ended with 0.
static bool wait_for(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *strata_tuning_target(const strata_options_t *options) {
  static const char *const names[] = {
      [STRATA_TARGET_CPU] = "cpu", [STRATA_TARGET_NVGPU] = "nvgpu", [STRATA_TARGET_AMDGPU] = "amdgpu"};
  return names[options->target];
}

static bool has_gpu(const strata_options_t *options) {
  pid_t pid = fork();
  if (pid == 0) {
    strata_device_t *device;
    strata_status_t status = strata_device_open(strata_tuning_target(options), &device);
    _exit(status ? 1 : 0);
  }
  return pid > 0 && wait_for(pid);
}

static bool is_cpu_this(strata_arena_t *arena, const strata_options_t *options) {
  const strata_compile_options_t compile_options = strata_options_for_compile(arena, options);
  strata_compile_t compile = {.arena = arena, .options = &compile_options};
  const strata_cpu_device_t *device = NULL;
  strata_status_t status = strata_cpu_device(&compile, &device);
  bool is_this = !status && strata_cpu_runs_here(device);
  strata_status_free(status); // the compile itself says so
  return is_this;
}

static bool has_device(strata_arena_t *arena, const strata_options_t *options) {
  return options->target == STRATA_TARGET_CPU ? is_cpu_this(arena, options) : has_gpu(options);
}

// Its standard output is about another command.
static bool export_candidates(const strata_options_t *options, const char *folder,
                              strata_status_t (*compile)(const strata_options_t *options, const char *folder,
                                                         void *user),
                              void *user) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    strata_options_t other = *options;
    other.autotune = STRATA_AUTOTUNE_EXPORT;
    other.output = folder;
    other.explain = other.time_compilation = other.resource_usage = false;
    other.save_temps = other.plot = NULL;
    other.dump_after = 0;
    strata_status_t status = compile(&other, folder, user);
    fflush(NULL);
    _exit(status ? 1 : 0);
  }
  return pid > 0 && wait_for(pid);
}

// strata-tune, beside this program.
static const char *tuner_path(strata_arena_t *arena) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(path, '/');
  return slash ? strata_arena_printf(arena, "%.*s/strata-tune", (int)(slash - path), path) : "strata-tune";
}

// Takes what it needs of |*budget| seconds, and nothing where none are left.
static bool tune(strata_arena_t *arena, const strata_options_t *options, const char *folder, const char *output,
                 double *budget) {
  double start = strata_now();
  if (*budget < 1)
    return false;
  const char *argv[6] = {tuner_path(arena), folder, strata_arena_printf(arena, "--output=%s", output),
                         strata_arena_printf(arena, "--budget=%.0f", floor(*budget))};
  if (options->autotune_cache)
    argv[4] = strata_arena_printf(arena, "--autotune-cache-dir=%s", options->autotune_cache);
  pid_t pid;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(void *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  bool ok = !error && wait_for(pid);
  *budget -= strata_now() - start;
  return ok;
}

// A compile with other options into a folder.
typedef struct {
  strata_status_t (*compile)(const strata_options_t *options, const char *folder, void *user);
  void *user;
} compiler_t;

// The file |path| with what the user gave and all of |measured|, for the next export.
static strata_status_t write_known(strata_arena_t *arena, const strata_options_t *options, const char *measured,
                                   const char *path) {
  strata_tuning_results_t known = {0}, more;
  if (options->load_autotune)
    STRATA_TRY(strata_tuning_read(arena, options->load_autotune, &known));
  STRATA_TRY(strata_tuning_read(arena, measured, &more));
  for (size_t i = 0; i < more.count; i++)
    strata_tuning_insert(arena, &known, more.data[i]);
  return strata_tuning_write(arena, path, &known);
}

// How many decisions of the results are others than the model's.
static int count_changed(strata_arena_t *arena, const char *path) {
  static const char decision[] = "decision ";
  strata_tuning_results_t results;
  strata_status_t status = strata_tuning_read(arena, path, &results);
  int n = 0;
  for (size_t i = 0; !status && i < results.count; i++)
    n += strncmp(results.data[i]->what, decision, strlen(decision)) == 0 &&
         strcmp(results.data[i]->schedule, results.data[i]->model_schedule) != 0;
  strata_status_free(status);
  return n;
}

// Kernels that there are only since a decision was tuned have no result yet, nor have decisions behind it: candidates
// of these are exported with what is known and timed in turn.
static void tune_what_follows(strata_arena_t *arena, const strata_options_t *options, const char *folder,
                              const char *output, double budget, const compiler_t *compiler) {
  enum { MOST_ROUNDS = 3 };
  for (int round = 0, n_before = 0, n; round < MOST_ROUNDS; round++, n_before = n) {
    const char *more = strata_arena_printf(arena, "%s/more%d", folder, round);
    strata_options_t knowing = *options;
    knowing.load_autotune = strata_arena_printf(arena, "%s/known.pb", folder);
    n = count_changed(arena, output);
    strata_status_t status = n > n_before ? write_known(arena, options, output, knowing.load_autotune) : NULL;
    bool goes_on = n > n_before && !status && mkdir(more, 0777) == 0 &&
                   export_candidates(&knowing, more, compiler->compile, compiler->user) &&
                   tune(arena, options, more, output, &budget);
    strata_status_free(status); // what is known so far stays
    if (!goes_on)
      return;
  }
}

const char *strata_tuning_update(strata_arena_t *arena, const strata_options_t *options, const char **out_why_not,
                                 strata_status_t (*compile)(const strata_options_t *options, const char *folder,
                                                            void *user),
                                 void *user) {
  const char *temporary = getenv("TMPDIR");
  const char *folder = strata_arena_printf(arena, "%s/tuning", temporary && *temporary ? temporary : "/tmp");
  const char *output = strata_arena_printf(arena, "%s/results.pb", folder);
  double budget = options->autotune_budget;
  *out_why_not = NULL;
  if (!has_device(arena, options))
    *out_why_not = options->target == STRATA_TARGET_CPU ? "this machine does not run code for that processor"
                                                        : "no GPU that a driver knows";
  else if (mkdir(folder, 0777) != 0)
    *out_why_not = strata_arena_printf(arena, "%s: %s", folder, strerror(errno));
  else if (!export_candidates(options, folder, compile, user))
    *out_why_not = "its candidates cannot be compiled";
  else if (!tune(arena, options, folder, output, &budget))
    *out_why_not = "strata-tune has failed";
  else if (options->target != STRATA_TARGET_CPU)
    tune_what_follows(arena, options, folder, output, budget, &(compiler_t){compile, user});
  return *out_why_not ? NULL : output;
}
