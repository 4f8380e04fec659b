// See cache.h.
#define _POSIX_C_SOURCE 200809L
#include "passes/tuning/cache.h"

#include "runtime/base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENTRY = 64 << 10, STALE_SECONDS = 3600 };

static const char suffix[] = ".tuned", unfinished[] = ".unfinished-";

// A kernel's number is its hash; device and compiler are other files.
static const char *path_of(strata_arena_t *arena, const char *folder, const strata_tuning_result_t *key) {
  uint64_t of_device = strata_hash_add(STRATA_HASH_EMPTY, key->device, strlen(key->device) + 1);
  uint64_t hash = strata_hash_add(of_device, key->compiler, strlen(key->compiler) + 1);
  return strata_arena_printf(arena, "%s/%s-%016" PRIx64 "%s", folder, key->kernel, hash, suffix);
}

//===-- Finding --------------------------------------------------------------------------------------------------===//

static const char *read_entry(strata_arena_t *arena, int fd, const strata_tuning_result_t *key,
                              strata_tuning_result_t **out) {
  char *data = strata_arena_alloc(arena, MAX_ENTRY);
  size_t size = 0;
  ssize_t n = 1;
  while (size < MAX_ENTRY && n > 0) {
    n = read(fd, data + size, MAX_ENTRY - size);
    size += n > 0 ? (size_t)n : 0;
  }
  if (n < 0)
    return strerror(errno);
  if (size == MAX_ENTRY || !strata_tuning_unpack(arena, data, size, out))
    return "no result of tuning";
  if (strata_tuning_compare(*out, key) != 0) {
    *out = NULL;
    return "of another kernel, device or compiler";
  }
  return NULL;
}

strata_tuning_result_t *strata_tuning_cache_find(strata_arena_t *arena, const char *folder,
                                                 const strata_tuning_result_t *key, const char **out_why) {
  strata_tuning_result_t *result = NULL;
  const char *path = path_of(arena, folder, key), *why = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0) {
    why = read_entry(arena, fd, key, &result);
    close(fd);
  } else if (errno != ENOENT) {
    why = strerror(errno);
  }
  if (out_why)
    *out_why = why ? strata_arena_printf(arena, "%s: %s", path, why) : NULL;
  return result;
}

//===-- Adding ---------------------------------------------------------------------------------------------------===//

typedef struct {
  const char *path;
  off_t size;
  struct timespec time;
} entry_t;
typedef STRATA_VECTOR(entry_t) entries_t;

static int compare_ages(const void *left, const void *right) {
  const entry_t *a = left, *b = right;
  if (a->time.tv_sec != b->time.tv_sec)
    return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
  if (a->time.tv_nsec != b->time.tv_nsec)
    return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
  return strcmp(a->path, b->path);
}

static bool has_suffix(const char *name) {
  size_t length = strlen(name);
  return length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
}

// Lists the entries; what a process that was killed has left behind goes.
static entries_t list(strata_arena_t *arena, const char *folder) {
  entries_t entries = {0};
  DIR *dir = opendir(folder);
  for (struct dirent *item; dir && (item = readdir(dir));) {
    bool is_unfinished = strncmp(item->d_name, unfinished, strlen(unfinished)) == 0;
    struct stat info;
    const char *path = strata_arena_printf(arena, "%s/%s", folder, item->d_name);
    if ((!is_unfinished && !has_suffix(item->d_name)) || lstat(path, &info) != 0)
      continue;
    if (!is_unfinished)
      *strata_vector_push(arena, &entries) = (entry_t){path, info.st_size, info.st_mtim};
    else if (time(NULL) - info.st_mtime > STALE_SECONDS)
      unlink(path);
  }
  if (dir)
    closedir(dir);
  return entries;
}

// Others may remove the same at the same time.
static void shrink(strata_arena_t *arena, const char *folder, size_t most) {
  entries_t entries = list(arena, folder);
  size_t bytes = 0;
  for (size_t i = 0; i < entries.count; i++)
    bytes += (size_t)entries.data[i].size;
  if (bytes <= most)
    return;
  qsort(entries.data, entries.count, sizeof *entries.data, compare_ages);
  for (size_t i = 0; i < entries.count && bytes > most; i++) {
    unlink(entries.data[i].path);
    bytes -= (size_t)entries.data[i].size;
  }
}

static bool write_all(int fd, const char *data, size_t size) {
  while (size) {
    ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    size -= (size_t)n;
  }
  return true;
}

static bool make_folder(strata_arena_t *arena, const char *folder) {
  char *path = strata_arena_strdup(arena, folder);
  for (char *at = path + 1; *at; at++)
    if (*at == '/') {
      *at = '\0';
      mkdir(path, 0777);
      *at = '/';
    }
  return mkdir(path, 0777) == 0 || errno == EEXIST;
}

// That no process of any machine has.
static const char *name_unfinished(strata_arena_t *arena, const char *folder) {
  uint64_t number[2] = {(uint64_t)getpid(), (uint64_t)time(NULL)};
  if (getrandom(number, sizeof number, 0) != sizeof number)
    number[0] ^= number[1] << 32;
  return strata_arena_printf(arena, "%s/%s%016" PRIx64 "%016" PRIx64, folder, unfinished, number[0], number[1]);
}

strata_status_t strata_tuning_cache_add(strata_arena_t *arena, const char *folder, strata_tuning_result_t *result,
                                        size_t most) {
  size_t size;
  const char *path = path_of(arena, folder, result), *data = strata_tuning_pack(arena, result, &size);
  const char *other = name_unfinished(arena, folder);
  int fd = make_folder(arena, folder) ? open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return strata_error(STRATA_IO, "%s: %s", folder, strerror(errno));
  bool is_written = write_all(fd, data, size);
  int error = errno;
  if (close(fd) != 0 && is_written) { // where NFS says that the disk is full
    is_written = false;
    error = errno;
  }
  if (is_written && rename(other, path) != 0) {
    is_written = false;
    error = errno;
  }
  if (!is_written) {
    unlink(other);
    return strata_error(STRATA_IO, "%s: %s", path, strerror(error));
  }
  shrink(arena, folder, most);
  return NULL;
}
