// --autotune=update where a GPU is: what --autotune=export and strata-tune do, in a folder that goes with the compile,
// before it. Every step is a process of its own: the driver does not survive a fork, nor do MLIR's threads.
#define _GNU_SOURCE
#include "passes/target.h"
#include "targets/library/library.h"
#include "tools/device.h"
#include "tools/tuning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static bool tune(strata_arena_t *arena, const strata_options_t *options, const char *folder, const char *output) {
  const char *argv[6] = {tuner_path(arena), folder, strata_arena_printf(arena, "--output=%s", output),
                         strata_arena_printf(arena, "--budget=%d", options->autotune_budget)};
  if (options->autotune_cache)
    argv[4] = strata_arena_printf(arena, "--autotune-cache-dir=%s", options->autotune_cache);
  pid_t pid;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(void *)argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return !error && wait_for(pid);
}

const char *strata_tuning_update(strata_arena_t *arena, const strata_options_t *options, const char **out_why_not,
                                 strata_status_t (*compile)(const strata_options_t *options, const char *folder,
                                                            void *user),
                                 void *user) {
  const char *temporary = getenv("TMPDIR");
  const char *folder = strata_arena_printf(arena, "%s/tuning", temporary && *temporary ? temporary : "/tmp");
  const char *output = strata_arena_printf(arena, "%s/results.pb", folder);
  *out_why_not = NULL;
  if (!has_device(arena, options))
    *out_why_not = options->target == STRATA_TARGET_CPU ? "this machine does not run code for that processor"
                                                        : "no GPU that a driver knows";
  else if (mkdir(folder, 0777) != 0)
    *out_why_not = strata_arena_printf(arena, "%s: %s", folder, strerror(errno));
  else if (!export_candidates(options, folder, compile, user))
    *out_why_not = "its candidates cannot be compiled";
  else if (!tune(arena, options, folder, output))
    *out_why_not = "strata-tune has failed";
  return *out_why_not ? NULL : output;
}
