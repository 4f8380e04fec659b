// A child process for the risky part, and a staging folder for its files.
#include "tools/isolate.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

//===-- The child ------------------------------------------------------------------------------------------------===//

// MLIR's parser, printer and verifier recurse on nested regions; the default of 8 MiB is soon used up.
static void grow_stack(void) {
  struct rlimit limit;
  const rlim_t wanted = (rlim_t)96 << 20; // the kernel keeps a gap of 128 MiB under a stack
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < wanted && limit.rlim_max >= wanted) {
    limit.rlim_cur = wanted;
    setrlimit(RLIMIT_STACK, &limit);
  }
}

// The report on the pipe: one byte for the code, then the message. An empty report means that the child never came to
// its end.
static void write_report(int fd, strata_status_t status) {
  FILE *file = fdopen(fd, "w");
  fputc((int)strata_status_code(status), file);
  fputs(strata_status_message(status), file);
  fclose(file);
}

// All that comes out of |fd| until its other end is closed; the caller frees it.
static char *read_report(int fd, size_t *out_size) {
  char *text = NULL;
  FILE *file = fdopen(fd, "r");
  FILE *memory = open_memstream(&text, out_size);
  for (int c; (c = fgetc(file)) != EOF;)
    fputc(c, memory);
  fclose(file);
  fclose(memory);
  return text;
}

static strata_status_t status_from_report(const char *text, size_t size, int exit_status) {
  if (WIFSIGNALED(exit_status) && WTERMSIG(exit_status) == SIGPIPE)
    return strata_error(STRATA_IO, "nobody reads the output");
  if (WIFSIGNALED(exit_status))
    return strata_error(STRATA_INTERNAL, "internal compiler error (signal %d: %s)", WTERMSIG(exit_status),
                        strsignal(WTERMSIG(exit_status)));
  if (size == 0 || WEXITSTATUS(exit_status) != 0)
    return strata_error(STRATA_INTERNAL, "internal compiler error (exit status %d)", WEXITSTATUS(exit_status));
  return text[0] == STRATA_OK ? NULL : strata_error((strata_status_code_t)text[0], "%s", text + 1);
}

static int report_fd; // of the child

// Memory has run out: the report is written without any.
static void report_no_memory(void) {
  static const char code = STRATA_OUT_OF_MEMORY, message[] = "out of memory";
  bool ok = write(report_fd, &code, 1) == 1 && write(report_fd, message, sizeof message - 1) > 0;
  _exit(ok ? 0 : 1);
}

static _Noreturn void run_child(int fd, strata_status_t (*body)(void *user), void *user) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  report_fd = fd;
  strata_arena_on_out_of_memory(report_no_memory);
  grow_stack();
  strata_status_t status = body(user);
  fflush(stdout);
  write_report(fd, status);
  _exit(0); // at once: taking the compile apart piece by piece would only cost time
}

strata_status_t strata_isolate(strata_status_t (*body)(void *user), void *user) {
  int fds[2];
  fflush(stdout);
  if (pipe(fds) != 0)
    return strata_error(STRATA_IO, "cannot create a pipe: %s", strerror(errno));
  pid_t child = fork();
  if (child < 0)
    return strata_error(STRATA_IO, "cannot create a process: %s", strerror(errno));
  if (child == 0) {
    close(fds[0]);
    run_child(fds[1], body, user);
  }
  close(fds[1]);
  // An interrupt from the terminal reaches the child too; we stay to tidy up after it.
  void (*old)(int) = signal(SIGINT, SIG_IGN);
  size_t size = 0;
  char *report = read_report(fds[0], &size);
  int exit_status = 0;
  while (waitpid(child, &exit_status, 0) < 0 && errno == EINTR)
    ;
  signal(SIGINT, old);
  strata_status_t status = status_from_report(report, size, exit_status);
  free(report);
  return status;
}

//===-- The staging folder ---------------------------------------------------------------------------------------===//

strata_status_t strata_staging_create(strata_arena_t *arena, const char *folder, strata_staging_t *out_staging) {
  *out_staging = (strata_staging_t){.folder = folder, .made_folder = mkdir(folder, 0777) == 0};
  if (!out_staging->made_folder && errno != EEXIST)
    return strata_error(STRATA_IO, "%s: cannot create the folder: %s", folder, strerror(errno));
  out_staging->path = strata_arena_printf(arena, "%s/.strata-XXXXXX", folder);
  if (!mkdtemp(out_staging->path))
    return strata_error(STRATA_IO, "%s: cannot write to the folder: %s", folder, strerror(errno));
  return NULL;
}

// Calls |visit| with the path of each file in |folder|; stops at the first error.
static strata_status_t for_each_file(strata_arena_t *arena, const char *folder,
                                     strata_status_t (*visit)(strata_arena_t *arena, const char *path, const char *name,
                                                              const char *to),
                                     const char *to) {
  DIR *stream = opendir(folder);
  strata_status_t status = NULL;
  for (struct dirent *entry; stream && !status && (entry = readdir(stream));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      status = visit(arena, strata_arena_printf(arena, "%s/%s", folder, entry->d_name), entry->d_name, to);
  if (stream)
    closedir(stream);
  return status;
}

static strata_status_t publish_file(strata_arena_t *arena, const char *path, const char *name, const char *to) {
  const char *target = strata_arena_printf(arena, "%s/%s", to, name);
  if (rename(path, target) != 0)
    return strata_error(STRATA_IO, "%s: cannot write: %s", target, strerror(errno));
  return NULL;
}

static strata_status_t remove_file(strata_arena_t *arena, const char *path, const char *name, const char *to) {
  (void)arena, (void)name, (void)to;
  unlink(path);
  return NULL;
}

strata_status_t strata_staging_publish(strata_arena_t *arena, strata_staging_t *staging) {
  STRATA_TRY(for_each_file(arena, staging->path, publish_file, staging->folder));
  staging->made_folder = false;
  return NULL;
}

void strata_staging_remove(strata_arena_t *arena, strata_staging_t *staging) {
  strata_status_free(for_each_file(arena, staging->path, remove_file, NULL));
  rmdir(staging->path);
  if (staging->made_folder)
    rmdir(staging->folder);
}
