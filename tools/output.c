#include "tools/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void strata_output_begin(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); // the lowest number that is free: |fd|
}

// A pipe without a reader.
static bool is_abandoned(FILE *file) {
  struct pollfd poll_fd = {.fd = fileno(file)};
  return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & (POLLERR | POLLHUP);
}

static strata_status_t check(FILE *file, const char *name) {
  errno = 0;
  bool ok = fflush(file) == 0 && !ferror(file);
  if (ok || is_abandoned(file))
    return NULL;
  return errno ? strata_error(STRATA_IO, "%s: cannot be written: %s", name, strerror(errno))
               : strata_error(STRATA_IO, "%s: cannot be written", name);
}

strata_status_t strata_output_end(strata_status_t status) {
  if (!status)
    status = check(stdout, "standard output");
  else
    fflush(stdout);
  return status ? status : check(stderr, "standard error");
}
