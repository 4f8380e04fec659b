// Files in memory by mmap; the arena unmaps them.
#define _POSIX_C_SOURCE 200809L
#include "dialects/import/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void unmap(void *resource) {
  strata_mapped_file_t *file = resource;
  munmap((void *)(uintptr_t)file->data, file->size);
}

static strata_status_t map_descriptor(strata_arena_t *arena, const char *path, int descriptor,
                                      strata_mapped_file_t *out_file) {
  struct stat info;
  if (fstat(descriptor, &info) != 0)
    return strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
  if (!S_ISREG(info.st_mode))
    return strata_error(STRATA_IO, "%s: not a regular file", path);
  *out_file = (strata_mapped_file_t){.size = (size_t)info.st_size};
  if (info.st_size == 0)
    return NULL;
  void *data = mmap(NULL, out_file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED)
    return strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
  out_file->data = data;
  strata_arena_defer(arena, unmap, strata_arena_copy(arena, out_file, sizeof *out_file));
  return NULL;
}

strata_status_t strata_map_file(strata_arena_t *arena, const char *path, strata_mapped_file_t *out_file) {
  // Not blocking, so that a named pipe is refused and not waited for.
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return strata_error(errno == ENOENT ? STRATA_NOT_FOUND : STRATA_IO, "%s: %s", path, strerror(errno));
  strata_status_t status = map_descriptor(arena, path, descriptor, out_file);
  close(descriptor);
  return status;
}
