// Three processes; isolate.h says what each is for.
//
//   first ──line──► keeper      the line's other end closes when the first process ends or gives up
//   first ◄─report─ keeper ◄─report─ child
#define _GNU_SOURCE // pipe2, wait4
#include "tools/isolate.h"

#include "tools/abort.h"
#include "tools/limits.h"
#include "tools/output.h"
#include "tools/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP}; // signals that ask us to end
enum { N_DEADLY = sizeof deadly / sizeof deadly[0], MAX_REPORT = 1 << 20 };

// The ends of a pipe.
typedef struct {
  int from, to;
} pipe_t;

static strata_status_t open_pipe(pipe_t *out_pipe) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0)
    return strata_error(STRATA_IO, "cannot create a pipe: %s", strerror(errno));
  *out_pipe = (pipe_t){fds[0], fds[1]};
  return NULL;
}

static void close_pipe(const pipe_t *pipe) {
  close(pipe->from);
  close(pipe->to);
}

static strata_status_t fork_process(pid_t *out_pid) {
  fflush(stdout);
  *out_pid = fork();
  return *out_pid < 0 ? strata_error(STRATA_IO, "cannot create a process: %s", strerror(errno)) : NULL;
}

//===-- Reports --------------------------------------------------------------------------------------------------===//

// The report on a pipe: one byte for the code, then the message. An empty one means that its sender never came to its
// end.
static bool write_all(int fd, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    data += written;
    size -= (size_t)written;
  }
  return true;
}

static bool write_report(int fd, strata_status_t status) {
  const char code = (char)strata_status_code(status), *message = strata_status_message(status);
  return write_all(fd, &code, 1) && write_all(fd, message, strlen(message));
}

static int report_fd; // of this process, the keeper or the child

// Memory has run out: the report is written without any.
static void report_no_memory(void) {
  static const char report[] = {STRATA_OUT_OF_MEMORY};
  _exit(write_all(report_fd, report, 1) ? 0 : 1);
}

typedef struct {
  bool is_here;
  strata_status_code_t code;
  char *message; // NULL: there is none, or there was no memory for it
  size_t size;
} report_t;

static void append(report_t *report, const char *data, size_t size) {
  if (size && !report->is_here) {
    report->is_here = true;
    report->code = (strata_status_code_t)*data++;
    size--;
  }
  char *message = size && report->size + size < MAX_REPORT ? realloc(report->message, report->size + size + 1) : NULL;
  if (!message)
    return;
  memcpy(message + report->size, data, size);
  report->message = message;
  report->size += size;
  report->message[report->size] = 0;
}

// False at the end.
static bool read_some(int fd, report_t *report) {
  char buffer[4096];
  ssize_t size = read(fd, buffer, sizeof buffer);
  if (size > 0)
    append(report, buffer, (size_t)size);
  return size > 0 || (size < 0 && errno == EINTR);
}

// Frees the report.
static strata_status_t take_report(report_t *report) {
  strata_status_code_t code = report->message || report->code == STRATA_OK ? report->code : STRATA_OUT_OF_MEMORY;
  strata_status_t status = code == STRATA_OK ? NULL : strata_error(code, "%s", report->message);
  free(report->message);
  *report = (report_t){0};
  return status;
}

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

static void report_fatal(const char *reason) { _exit(write_report(report_fd, strata_fatal_error(reason)) ? 0 : 1); }

static _Noreturn void run_child(int fd, pid_t keeper, const strata_isolated_t *work, const strata_staging_t *staging) {
  for (size_t i = 0; i < N_DEADLY; i++)
    signal(deadly[i], SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper)
    _exit(1);
  report_fd = fd;
  strata_arena_on_out_of_memory(report_no_memory);
  strata_on_abort(report_no_memory, report_fatal);
  setenv("TMPDIR", staging->others, true);
  grow_stack();
  strata_status_t status = strata_output_end(work->body(staging->files, work->user));
  _exit(write_report(fd, status) ? 0 : 1); // at once: taking the compile apart would only cost time
}

//===-- The keeper -----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_arena_t *arena;
  const strata_isolated_t *work;
  strata_staging_t staging;
  pipe_t line, report; // to the first process
} keeper_t;

// Ends what is left of the work: the child, and tools it started, which become the keeper's children with its end.
static void kill_children(void) {
  char path[64], text[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  for (;;) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
      close(fd);
    text[size > 0 ? size : 0] = 0;
    for (char *at = text, *end; strtol(at, &end, 10) > 0; at = end)
      kill((pid_t)strtol(at, NULL, 10), SIGKILL);
    if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
      return;
  }
}

// Reads the child's report; false if the first process gave up before its end.
static bool listen_to(const keeper_t *keeper, int fd, report_t *report) {
  struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = keeper->line.from, .events = POLLIN}};
  for (;;) {
    if (poll(fds, 2, -1) < 0)
      continue;
    if (fds[1].revents)
      return false;
    if (fds[0].revents && !read_some(fd, report))
      return true;
  }
}

static strata_status_t wait_for_child(const keeper_t *keeper, int fd, pid_t child) {
  report_t report = {0};
  if (!listen_to(keeper, fd, &report)) {
    kill(child, SIGKILL);
    free(report.message);
    return strata_error(STRATA_IO, "interrupted");
  }
  int exit_status = 0;
  struct rusage usage = {0};
  while (wait4(child, &exit_status, 0, &usage) < 0 && errno == EINTR)
    ;
  if (report.is_here && WIFEXITED(exit_status) && WEXITSTATUS(exit_status) == 0)
    return take_report(&report);
  free(report.message);
  return strata_death_error(exit_status, &usage);
}

// A file's error is about where it goes, not about where it is in the making.
static strata_status_t name_folder(const keeper_t *keeper, strata_status_t status) {
  const char *message = strata_status_message(status), *files = keeper->staging.files, *at = strstr(message, files);
  if (!at)
    return status;
  strata_status_t named = strata_error(strata_status_code(status), "%.*s%s%s", (int)(at - message), message,
                                       keeper->staging.folder, at + strlen(files));
  strata_status_free(status);
  return name_folder(keeper, named);
}

static strata_status_t run_work(keeper_t *keeper, pid_t group) {
  pipe_t pipe;
  pid_t child, self = getpid();
  strata_staging_sweep(keeper->arena, keeper->staging.folder);
  STRATA_TRY(strata_staging_create(&keeper->staging));
  STRATA_TRY(open_pipe(&pipe));
  strata_status_t status = fork_process(&child);
  if (!status && child == 0) {
    setpgid(0, group); // signals of the terminal are for it as for the first process
    run_child(pipe.to, self, keeper->work, &keeper->staging);
  }
  close(pipe.to);
  if (!status)
    status = wait_for_child(keeper, pipe.from, child);
  close(pipe.from);
  return name_folder(keeper, status);
}

static _Noreturn void run_keeper(keeper_t *keeper) {
  pid_t group = getpgrp();
  setpgid(0, 0);
  for (size_t i = 0; i < N_DEADLY; i++)
    signal(deadly[i], SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  close(keeper->line.to);
  close(keeper->report.from);
  report_fd = keeper->report.to;
  strata_arena_on_out_of_memory(report_no_memory);
  strata_status_t status = run_work(keeper, group);
  kill_children();
  if (!status && keeper->work->keeps)
    status = strata_staging_publish(keeper->arena, &keeper->staging);
  strata_staging_remove(&keeper->staging);
  _exit(write_report(keeper->report.to, status) ? 0 : 1);
}

//===-- The first process ----------------------------------------------------------------------------------------===//

static volatile sig_atomic_t deadly_signal; // that came
static void note_signal(int number) { deadly_signal = number; }

// Those that the caller ignores stay so.
static void catch_signals(struct sigaction *old) {
  struct sigaction action = {.sa_handler = note_signal};
  for (size_t i = 0; i < N_DEADLY; i++) {
    sigaction(deadly[i], NULL, &old[i]);
    if (old[i].sa_handler != SIG_IGN)
      sigaction(deadly[i], &action, NULL);
  }
}

static void restore_signals(const struct sigaction *old) {
  for (size_t i = 0; i < N_DEADLY; i++)
    sigaction(deadly[i], &old[i], NULL);
  if (deadly_signal)
    raise(deadly_signal);
}

// The keeper's report. A signal closes the line, on which the keeper ends the work, tidies up and reports.
static strata_status_t wait_for_keeper(keeper_t *keeper, pid_t pid) {
  report_t report = {0};
  struct pollfd fd = {.fd = keeper->report.from, .events = POLLIN};
  bool is_open = true;
  do {
    if (deadly_signal && is_open) {
      close(keeper->line.to);
      is_open = false;
    }
  } while (poll(&fd, 1, 100) <= 0 || read_some(keeper->report.from, &report));
  if (is_open)
    close(keeper->line.to);
  int exit_status = 0;
  struct rusage usage = {0};
  while (wait4(pid, &exit_status, 0, &usage) < 0 && errno == EINTR)
    ;
  return report.is_here ? take_report(&report) : strata_death_error(exit_status, &usage);
}

strata_status_t strata_isolate(strata_arena_t *arena, const strata_isolated_t *work) {
  keeper_t keeper = {.arena = arena, .work = work, .staging = strata_staging_choose(arena, work->folder)};
  keeper.staging.made = work->made;
  STRATA_TRY(open_pipe(&keeper.line));
  strata_status_t status = open_pipe(&keeper.report);
  if (status) {
    close_pipe(&keeper.line);
    return status;
  }
  struct sigaction old[N_DEADLY];
  pid_t pid;
  catch_signals(old);
  status = fork_process(&pid);
  if (!status && pid == 0)
    run_keeper(&keeper);
  close(keeper.line.from);
  close(keeper.report.to);
  if (status)
    close(keeper.line.to);
  else
    status = wait_for_keeper(&keeper, pid);
  close(keeper.report.from);
  // Where the keeper did not come to it:
  strata_staging_finish(arena, &keeper.staging);
  restore_signals(old);
  return status;
}
