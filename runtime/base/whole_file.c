#define _GNU_SOURCE // O_TMPFILE
#include "runtime/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static strata_status_t error_of(const char *path) { return strata_error(STRATA_IO, "%s: %s", path, strerror(errno)); }

// A file in the folder of |path| that has no name; NULL if there can be none.
static FILE *open_without_name(const char *path) {
  char folder[PATH_MAX] = ".";
  const char *slash = strrchr(path, '/');
  if (slash && snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - path), path) >= (int)sizeof folder)
    return NULL;
  int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  if (fd >= 0 && !file)
    close(fd);
  return file;
}

strata_status_t strata_whole_file_open(const char *path, strata_whole_file_t *out_file) {
  struct stat info;
  bool is_new = lstat(path, &info) != 0;
  *out_file = (strata_whole_file_t){.path = path, .is_new = is_new};
  if (is_new || S_ISREG(info.st_mode))
    out_file->file = open_without_name(path);
  out_file->has_no_name = out_file->file != NULL;
  if (!out_file->file)
    out_file->file = fopen(path, "wb");
  return out_file->file ? NULL : error_of(path);
}

// Gives it the name, where there may be another file, by one that nobody else has.
static bool give_name(int fd, const char *path) {
  char source[64], other[PATH_MAX];
  snprintf(source, sizeof source, "/proc/self/fd/%d", fd);
  if (linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
    return true;
  if (errno != EEXIST || snprintf(other, sizeof other, "%s.%d", path, (int)getpid()) >= (int)sizeof other)
    return false;
  unlink(other);
  if (linkat(AT_FDCWD, source, AT_FDCWD, other, AT_SYMLINK_FOLLOW) == 0 && rename(other, path) == 0)
    return true;
  int error = errno;
  unlink(other);
  errno = error;
  return false;
}

strata_status_t strata_whole_file_close(strata_whole_file_t *file) {
  bool ok = fflush(file->file) == 0 && !ferror(file->file); // which fails again where a write did
  if (ok && file->has_no_name)
    ok = give_name(fileno(file->file), file->path);
  strata_status_t status = ok ? NULL : error_of(file->path);
  ok = fclose(file->file) == 0;
  if (!ok && !status)
    status = error_of(file->path);
  if (status && file->is_new && !file->has_no_name)
    unlink(file->path);
  return status;
}
