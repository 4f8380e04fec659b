// Finding, checking and mapping the file of weights.
#define _GNU_SOURCE // dladdr
#include "runtime/library/weights_file.h"

#include "runtime/library/checksum.h"
#include "runtime/library/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The folder of the library or program this code is part of, with a slash at the end.
static void own_folder(char *out, size_t capacity) {
  Dl_info info;
  *out = 0;
  if (dladdr((const void *)strata_rt_weights_map, &info) && info.dli_fname && strchr(info.dli_fname, '/')) {
    snprintf(out, capacity, "%s", info.dli_fname);
  } else { // a program found through PATH is known by its bare name
    ssize_t length = readlink("/proc/self/exe", out, capacity - 1);
    out[length > 0 ? length : 0] = 0;
  }
  char *slash = strrchr(out, '/');
  if (slash)
    slash[1] = 0;
}

// Opens the file in one place. An entry of the list may be a folder or the file itself.
static int open_in(const char *place, size_t length, const char *name) {
  char path[PATH_MAX];
  struct stat info;
  if (snprintf(path, sizeof path, "%.*s", (int)length, place) >= (int)sizeof path)
    return -1;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
      snprintf(path, sizeof path, "%.*s/%s", (int)length, place, name) >= (int)sizeof path)
    return -1;
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a named pipe is refused, not waited for
}

static int open_anywhere(const char *name) {
  char folder[PATH_MAX];
  own_folder(folder, sizeof folder);
  int fd = open_in(folder, strlen(folder), name);
  const char *list = getenv("STRATA_WEIGHTS_PATH");
  while (fd < 0 && list && *list) {
    size_t length = strcspn(list, ":");
    fd = open_in(list, length, name);
    list += length + (list[length] == ':');
  }
  return fd;
}

// Finds the part with these weights; parts that belong to other devices are passed by.
static int check(strata_weights_file_t *file, const char *name, uint64_t size, uint64_t checksum) {
  const char *at = file->mapping;
  uint64_t left = file->mapping_size;
  const strata_weights_header_t *header = (const void *)at;
  while (left >= STRATA_WEIGHTS_DATA_OFFSET && memcmp(header->magic, STRATA_WEIGHTS_MAGIC, sizeof header->magic) == 0 &&
         (header->size != size || header->checksum != checksum)) {
    uint64_t data = header->size > left ? left : header->size;
    uint64_t part = STRATA_WEIGHTS_DATA_OFFSET +
                    (data + STRATA_WEIGHTS_DATA_OFFSET - 1) / STRATA_WEIGHTS_DATA_OFFSET * STRATA_WEIGHTS_DATA_OFFSET;
    left = part < left ? left - part : 0;
    at += part;
    header = (const void *)at;
  }
  if (left < STRATA_WEIGHTS_DATA_OFFSET + size ||
      memcmp(header->magic, STRATA_WEIGHTS_MAGIC, sizeof header->magic) != 0)
    return strata_rt_fail(STRATA_PARSE, "%s: not the weights of this library", name);
  file->data = at + STRATA_WEIGHTS_DATA_OFFSET;
  strata_checksum_t sum = STRATA_CHECKSUM_INIT;
  strata_checksum_add(&sum, file->data, size);
  if (strata_checksum_value(&sum) != checksum)
    return strata_rt_fail(STRATA_PARSE, "%s: damaged, the checksum does not match", name);
  return STRATA_OK;
}

int strata_rt_weights_map(const char *name, uint64_t size, uint64_t checksum, strata_weights_file_t *out_file) {
  *out_file = (strata_weights_file_t){0};
  int fd = open_anywhere(name);
  if (fd < 0)
    return strata_rt_fail(STRATA_NOT_FOUND, "%s: not found beside the library nor through STRATA_WEIGHTS_PATH", name);
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return strata_rt_fail(STRATA_IO, "%s: not a regular file", name);
  }
  if ((uint64_t)info.st_size < STRATA_WEIGHTS_DATA_OFFSET + size) {
    close(fd);
    return strata_rt_fail(STRATA_PARSE, "%s: expected at least %llu bytes", name,
                          (unsigned long long)(STRATA_WEIGHTS_DATA_OFFSET + size));
  }
  size_t mapping_size = (size_t)info.st_size;
  void *mapping = mmap(NULL, mapping_size, PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  close(fd);
  if (mapping == MAP_FAILED)
    return strata_rt_fail(STRATA_IO, "%s: %s", name, strerror(error));
  *out_file = (strata_weights_file_t){.mapping = mapping, .mapping_size = mapping_size};
  int status = check(out_file, name, size, checksum);
  if (status)
    strata_rt_weights_unmap(out_file);
  return status;
}

void strata_rt_weights_unmap(strata_weights_file_t *file) {
  if (file->mapping)
    munmap(file->mapping, file->mapping_size);
  *file = (strata_weights_file_t){0};
}
