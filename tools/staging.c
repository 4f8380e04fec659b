// The staging folder: made, published, removed.
#define _GNU_SOURCE // getdents64
#include "tools/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 50, PAUSE = 20 * 1000 * 1000 }; // nanoseconds, while another process that is about to end makes files

strata_staging_t strata_staging_choose(strata_arena_t *arena, const char *folder) {
  unsigned long long number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
    number = (unsigned long long)getpid() << 32 | (unsigned long long)time(NULL);
  const char *path = strata_arena_printf(arena, "%s/.strata-%016llx", folder, number);
  return (strata_staging_t){
      .folder = folder,
      .path = path,
      .files = strata_arena_printf(arena, "%s/files", path),
      .others = strata_arena_printf(arena, "%s/others", path),
      .makes_folder = access(folder, F_OK) != 0 && errno == ENOENT,
  };
}

strata_status_t strata_staging_create(const strata_staging_t *staging) {
  if (mkdir(staging->folder, 0777) != 0 && errno != EEXIST)
    return strata_error(STRATA_IO, "%s: cannot create the folder: %s", staging->folder, strerror(errno));
  if (mkdir(staging->path, 0700) != 0 || mkdir(staging->files, 0700) != 0 || mkdir(staging->others, 0700) != 0)
    return strata_error(STRATA_IO, "%s: cannot write to the folder: %s", staging->folder, strerror(errno));
  return NULL;
}

//===-- Publishing -----------------------------------------------------------------------------------------------===//

typedef struct {
  const char *staged, *target, *old; // |old|: what was at the target, kept until all is done
  bool has_old, is_moved;
} published_t;
typedef STRATA_VECTOR(published_t) published_list_t;

// The files to move; whatever can be known to fail is found before anything is moved.
static strata_status_t list_files(strata_arena_t *arena, const strata_staging_t *staging, published_list_t *out_list) {
  DIR *stream = opendir(staging->files);
  strata_status_t status = stream ? NULL : strata_error(STRATA_IO, "%s: %s", staging->files, strerror(errno));
  for (struct dirent *entry; stream && !status && (entry = readdir(stream));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
      continue;
    published_t file = {
        .staged = strata_arena_printf(arena, "%s/%s", staging->files, name),
        .target = strata_arena_printf(arena, "%s/%s", staging->folder, name),
        .old = strata_arena_printf(arena, "%s/%s", staging->others, name),
    };
    struct stat info;
    file.has_old = lstat(file.target, &info) == 0;
    if (file.has_old && S_ISDIR(info.st_mode))
      status = strata_error(STRATA_IO, "%s: cannot write: %s", file.target, strerror(EISDIR));
    unlink(file.old);
    *strata_vector_push(arena, out_list) = file;
  }
  if (stream)
    closedir(stream);
  return status;
}

// Where there are no hard links the target is gone for a moment.
static bool keep_old(const published_t *file) {
  return !file->has_old || link(file->target, file->old) == 0 || rename(file->target, file->old) == 0;
}

static void take_back(const published_list_t *list) {
  for (size_t i = 0; i < list->count; i++) {
    const published_t *file = &list->data[i];
    if (file->is_moved && !file->has_old)
      unlink(file->target);
    else if (file->has_old)
      rename(file->old, file->target);
  }
}

// Is there while files are moved: who finds it moves the rest.
static const char *mark_of(strata_arena_t *arena, const strata_staging_t *staging) {
  return strata_arena_printf(arena, "%s/moving", staging->path);
}

strata_status_t strata_staging_publish(strata_arena_t *arena, strata_staging_t *staging) {
  published_list_t list = {0};
  const char *mark = mark_of(arena, staging);
  STRATA_TRY(list_files(arena, staging, &list));
  if (mkdir(mark, 0700) != 0 && errno != EEXIST)
    return strata_error(STRATA_IO, "%s: %s", mark, strerror(errno));
  for (size_t i = 0; i < list.count; i++) {
    published_t *file = &list.data[i];
    file->is_moved = keep_old(file) && rename(file->staged, file->target) == 0;
    if (file->is_moved)
      continue;
    strata_status_t status = strata_error(STRATA_IO, "%s: cannot write: %s", file->target, strerror(errno));
    rmdir(mark);
    take_back(&list);
    return status;
  }
  staging->makes_folder = false;
  return NULL;
}

strata_status_t strata_staging_finish(strata_arena_t *arena, strata_staging_t *staging) {
  return access(mark_of(arena, staging), F_OK) == 0 ? strata_staging_publish(arena, staging) : NULL;
}

//===-- Removing -------------------------------------------------------------------------------------------------===//

static void remove_tree(int parent, const char *name);

// By the system call, since opendir allocates. True if there was an entry.
static bool remove_entries(int folder) {
  _Alignas(struct dirent64) char buffer[2048];
  bool found = false;
  lseek(folder, 0, SEEK_SET);
  for (ssize_t size; (size = getdents64(folder, buffer, sizeof buffer)) > 0;)
    for (ssize_t at = 0; at < size;) {
      const struct dirent64 *entry = (const void *)(buffer + at);
      at += entry->d_reclen;
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        continue;
      remove_tree(folder, entry->d_name);
      found = true;
    }
  return found;
}

static void remove_tree(int parent, const char *name) {
  if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
    return;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    return;
  remove_entries(folder);
  close(folder);
  unlinkat(parent, name, AT_REMOVEDIR);
}

void strata_staging_remove(const strata_staging_t *staging) {
  for (int i = 0; i < TRIES; i++) {
    remove_tree(AT_FDCWD, staging->path);
    if (access(staging->path, F_OK) != 0 && errno == ENOENT)
      break;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
  }
  if (staging->makes_folder)
    rmdir(staging->folder);
}
