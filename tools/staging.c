// The staging folder: made, published, removed.
#define _GNU_SOURCE // getdents64
#include "tools/staging.h"

#include "tools/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 50, PAUSE = 20 * 1000 * 1000 }; // nanoseconds, while another process that is about to end makes files

#define NAME_PREFIX ".strata-"
enum { NAME_DIGITS = 16 }; // behind it, hexadecimal

static strata_staging_t staging_at(strata_arena_t *arena, const char *folder, const char *path) {
  return (strata_staging_t){
      .folder = folder,
      .path = path,
      .files = strata_arena_printf(arena, "%s/files", path),
      .others = strata_arena_printf(arena, "%s/others", path),
  };
}

strata_staging_t strata_staging_choose(strata_arena_t *arena, const char *folder) {
  unsigned long long number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number)
    number = (unsigned long long)getpid() << 32 | (unsigned long long)time(NULL);
  const char *path = strata_arena_printf(arena, "%s/" NAME_PREFIX "%0*llx", folder, (int)NAME_DIGITS, number);
  strata_staging_t staging = staging_at(arena, folder, path);
  staging.makes_folder = access(folder, F_OK) != 0 && errno == ENOENT;
  return staging;
}

static int open_folder(const char *path) { return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

static bool is_still_at(int folder, const char *path) {
  struct stat opened, named;
  return fstat(folder, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

// False if it was swept away between its making and its lock. The lock ends with the process: nobody closes it.
static bool make_locked(const char *path) {
  if (mkdir(path, 0700) != 0)
    return false;
  int folder = open_folder(path);
  if (folder < 0)
    return access(path, F_OK) == 0;
  flock(folder, LOCK_SH); // where there are no locks nobody sweeps
  if (is_still_at(folder, path))
    return true;
  close(folder);
  errno = ENOENT;
  return false;
}

strata_status_t strata_staging_create(const strata_staging_t *staging) {
  if (mkdir(staging->folder, 0777) != 0 && errno != EEXIST)
    return strata_error(STRATA_IO, "%s: cannot create the folder: %s", staging->folder, strerror(errno));
  bool is_made = make_locked(staging->path);
  for (int i = 0; i < TRIES && !is_made && errno == ENOENT; i++)
    is_made = make_locked(staging->path);
  if (!is_made || mkdir(staging->files, 0700) != 0 || mkdir(staging->others, 0700) != 0)
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
  if (!staging->makes_folder)
    return;
  rmdir(staging->folder);
  strata_remove_parents(staging->folder, staging->made);
}

//===-- What others left -----------------------------------------------------------------------------------------===//

static void finish_locked(strata_arena_t *arena, strata_staging_t *staging) {
  if (access(mark_of(arena, staging), F_OK) == 0)
    strata_status_free(strata_staging_publish(arena, staging));
  strata_staging_remove(staging);
}

void strata_staging_finish(strata_arena_t *arena, strata_staging_t *staging) {
  int folder = open_folder(staging->path);
  // Against one that sweeps at the same time. What still holds the lock is about to be killed.
  for (int i = 0; i < TRIES && folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++)
    nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
  finish_locked(arena, staging);
  if (folder >= 0)
    close(folder);
}

static bool is_name(const char *name) {
  size_t prefix = strlen(NAME_PREFIX);
  return strncmp(name, NAME_PREFIX, prefix) == 0 && strlen(name) == prefix + NAME_DIGITS &&
         strspn(name + prefix, "0123456789abcdef") == NAME_DIGITS;
}

// Where nobody holds it.
static void sweep_one(strata_arena_t *arena, const char *folder, const char *path) {
  struct stat info;
  int opened = open_folder(path);
  if (opened < 0)
    return;
  if (fstat(opened, &info) == 0 && info.st_uid == geteuid() && flock(opened, LOCK_EX | LOCK_NB) == 0 &&
      is_still_at(opened, path)) {
    strata_staging_t staging = staging_at(arena, folder, path);
    finish_locked(arena, &staging);
  }
  close(opened);
}

void strata_staging_sweep(strata_arena_t *arena, const char *folder) {
  DIR *stream = opendir(folder);
  for (struct dirent *entry; stream && (entry = readdir(stream));)
    if (is_name(entry->d_name))
      sweep_one(arena, folder, strata_arena_printf(arena, "%s/%s", folder, entry->d_name));
  if (stream)
    closedir(stream);
}
