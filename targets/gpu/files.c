// Files for other programs; see emit.h.
#include "targets/gpu/emit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

strata_status_t strata_gpu_folder_create(strata_arena_t *arena, const char **out_folder) {
  const char *parent = getenv("TMPDIR");
  char *folder = strata_arena_printf(arena, "%s/strata.XXXXXX", parent && *parent ? parent : "/tmp");
  *out_folder = mkdtemp(folder);
  return *out_folder ? NULL : strata_error(STRATA_IO, "%s: %s", folder, strerror(errno));
}

void strata_gpu_folder_remove(strata_arena_t *arena, const char *folder) {
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries));)
    if (entry->d_name[0] != '.')
      unlink(strata_arena_printf(arena, "%s/%s", folder, entry->d_name));
  if (entries)
    closedir(entries);
  rmdir(folder);
}

static strata_status_t file_error(const char *path) { return strata_error(STRATA_IO, "%s: %s", path, strerror(errno)); }

strata_status_t strata_gpu_file_write(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return file_error(path);
  bool ok = fwrite(data, 1, size, file) == size;
  ok = fclose(file) == 0 && ok;
  return ok ? NULL : file_error(path);
}

strata_status_t strata_gpu_file_read(strata_arena_t *arena, const char *path, const void **out_data, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  bool ok = size >= 0 && fseek(file, 0, SEEK_SET) == 0;
  if (ok) {
    char *data = strata_arena_alloc(arena, (size_t)size + 1);
    ok = fread(data, 1, (size_t)size, file) == (size_t)size;
    *out_data = data;
    *out_size = (size_t)size;
  }
  if (file)
    fclose(file);
  return ok ? NULL : file_error(path);
}
