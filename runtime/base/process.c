// See process.h. The tool's output goes to a file in memory: no pipe can fill up.
#define _GNU_SOURCE // memfd_create, wait4
#include "runtime/base/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Of a failing tool's output, in an error message: of one that crashed the last is a long stack of calls.
enum { MAX_QUOTED = 4096, MAX_QUOTED_OF_CRASH = 256 };

extern char **environ;

static const char *command_line(strata_arena_t *arena, const char *const *argv) {
  const char *line = argv[0];
  for (size_t i = 1; argv[i]; i++)
    line = strata_arena_printf(arena, "%s %s", line, argv[i]);
  return line;
}

static const char *read_output(strata_arena_t *arena, FILE *output, size_t max_size) {
  long length = fseek(output, 0, SEEK_END) == 0 ? ftell(output) : 0;
  size_t size = length > 0 ? (size_t)length : 0;
  char *text = strata_arena_alloc(arena, (size < max_size ? size : max_size) + 1);
  rewind(output);
  size = fread(text, 1, size < max_size ? size : max_size, output);
  while (size && (text[size - 1] == '\n' || text[size - 1] == ' '))
    size--;
  text[size] = 0;
  return text;
}

static int spawn(const char *const *argv, FILE *output, pid_t *out_pid) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(output), STDERR_FILENO);
  posix_spawnattr_t attributes; // a pipe that nobody reads ends a tool as it is used to, whatever we do about it
  sigset_t pipe;
  posix_spawnattr_init(&attributes);
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  error = posix_spawnp(out_pid, argv[0], &actions, &attributes, (char *const *)(void *)argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

struct strata_process {
  const char *const *argv;
  FILE *output;
  pid_t pid;
};

static strata_status_t wait_for(strata_arena_t *arena, const strata_process_t *process, struct rusage *out_usage) {
  const char *const *argv = process->argv;
  int status;
  while (wait4(process->pid, &status, 0, out_usage) < 0)
    if (errno != EINTR)
      return strata_error(STRATA_TOOL, "%s: %s", argv[0], strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return NULL;
  return strata_error(STRATA_TOOL, "%s %d: %s\n%s", WIFEXITED(status) ? "exit status" : "killed by signal",
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), command_line(arena, argv),
                      read_output(arena, process->output, WIFEXITED(status) ? MAX_QUOTED : MAX_QUOTED_OF_CRASH));
}

strata_status_t strata_process_start(strata_arena_t *arena, const char *const *argv, strata_process_t **out_process) {
  int fd = memfd_create("output", MFD_CLOEXEC);
  FILE *output = fd < 0 ? NULL : fdopen(fd, "w+");
  if (!output) {
    strata_status_t status = strata_error(STRATA_IO, "file in memory: %s", strerror(errno));
    if (fd >= 0)
      close(fd);
    return status;
  }
  strata_process_t *process = *out_process = strata_arena_new(arena, strata_process_t);
  *process = (strata_process_t){.argv = argv, .output = output};
  int error = spawn(argv, output, &process->pid);
  if (!error)
    return NULL;
  fclose(output);
  return strata_error(STRATA_TOOL, "%s: %s", argv[0], strerror(error));
}

static double seconds_of(const struct rusage *usage) {
  const struct timeval *user = &usage->ru_utime, *system = &usage->ru_stime;
  return (double)(user->tv_sec + system->tv_sec) + 1e-6 * (double)(user->tv_usec + system->tv_usec);
}

strata_status_t strata_process_wait(strata_arena_t *arena, strata_process_t *process, const char **out_output,
                                    double *out_seconds) {
  struct rusage usage = {0};
  strata_status_t status = wait_for(arena, process, &usage);
  if (!status && out_output)
    *out_output = read_output(arena, process->output, SIZE_MAX);
  if (out_seconds)
    *out_seconds = seconds_of(&usage);
  fclose(process->output);
  return status;
}

strata_status_t strata_process_read(strata_arena_t *arena, const char *const *argv, const char **out_output) {
  strata_process_t *process;
  STRATA_TRY(strata_process_start(arena, argv, &process));
  return strata_process_wait(arena, process, out_output, NULL);
}

strata_status_t strata_process_run(strata_arena_t *arena, const char *const *argv) {
  return strata_process_read(arena, argv, NULL);
}

const char *strata_process_find(strata_arena_t *arena, const char *const *names) {
  const char *path = getenv("PATH");
  for (; *names; names++) {
    if (strchr(*names, '/')) {
      if (access(*names, X_OK) == 0)
        return *names;
      continue;
    }
    for (const char *at = path; at && *at;) {
      size_t length = strcspn(at, ":");
      const char *file = strata_arena_printf(arena, "%.*s/%s", (int)length, at, *names);
      if (access(file, X_OK) == 0)
        return file;
      at += length + (at[length] == ':');
    }
  }
  return NULL;
}
