// Entries by libzip. It does not say where an entry's bytes lie; it reads the mapped file through functions of ours,
// and so we see where the first of them is read.
#include "dialects/import/pt2/archive.h"

#include <string.h>
#include <zip.h>

enum {
  MAX_RATIO = 1032, // of deflate: what claims more is malformed
};

struct pt2_archive {
  strata_arena_t *arena;
  strata_mapped_file_t file;
  size_t position, last_read; // of what libzip reads
  const char *root;           // the folder, with its '/'
  zip_t *zip;
  zip_error_t error; // of the source
};

//===-- The mapped file as a source ------------------------------------------------------------------------------===//

static zip_int64_t read_source(pt2_archive_t *archive, void *data, zip_uint64_t size) {
  size_t left = archive->file.size - archive->position, count = size < left ? (size_t)size : left;
  archive->last_read = archive->position;
  if (count)
    memcpy(data, archive->file.data + archive->position, count);
  archive->position += count;
  return (zip_int64_t)count;
}

static zip_int64_t seek_source(pt2_archive_t *archive, void *data, zip_uint64_t size) {
  zip_int64_t position = zip_source_seek_compute_offset(archive->position, archive->file.size, data, size, //
                                                        &archive->error);
  if (position < 0)
    return -1;
  archive->position = (size_t)position;
  return 0;
}

static zip_int64_t stat_source(const pt2_archive_t *archive, zip_stat_t *out_stat) {
  zip_stat_init(out_stat);
  out_stat->valid = ZIP_STAT_SIZE;
  out_stat->size = archive->file.size;
  return sizeof *out_stat;
}

static zip_int64_t source(void *user, void *data, zip_uint64_t size, zip_source_cmd_t command) {
  pt2_archive_t *archive = user;
  switch (command) {
  case ZIP_SOURCE_OPEN:
    archive->position = 0;
    return 0;
  case ZIP_SOURCE_READ:
    return read_source(archive, data, size);
  case ZIP_SOURCE_SEEK:
    return seek_source(archive, data, size);
  case ZIP_SOURCE_TELL:
    return (zip_int64_t)archive->position;
  case ZIP_SOURCE_STAT:
    return stat_source(archive, data);
  case ZIP_SOURCE_ERROR:
    return zip_error_to_data(&archive->error, data, size);
  case ZIP_SOURCE_SUPPORTS:
    return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                          ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                          ZIP_SOURCE_SUPPORTS, -1);
  case ZIP_SOURCE_CLOSE:
  case ZIP_SOURCE_FREE:
    return 0;
  default:
    zip_error_set(&archive->error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
  }
}

//===-- Opening --------------------------------------------------------------------------------------------------===//

static strata_status_t zip_failure(zip_error_t *error) {
  strata_status_t status = strata_error(STRATA_PARSE, "not a valid zip archive: %s", zip_error_strerror(error));
  zip_error_fini(error);
  return status;
}

static void close_archive(void *resource) {
  pt2_archive_t *archive = resource;
  zip_discard(archive->zip);
  zip_error_fini(&archive->error);
}

static strata_status_t open_zip(pt2_archive_t *archive) {
  zip_error_t error;
  zip_error_init(&error);
  zip_error_init(&archive->error);
  zip_source_t *functions = zip_source_function_create(source, archive, &error);
  archive->zip = functions ? zip_open_from_source(functions, ZIP_RDONLY, &error) : NULL;
  if (!archive->zip) {
    zip_source_free(functions);
    return zip_failure(&error);
  }
  strata_arena_defer(archive->arena, close_archive, archive);
  return NULL;
}

// Everything is in one folder, that of the first entry.
static strata_status_t find_root(pt2_archive_t *archive) {
  const char *first = zip_get_num_entries(archive->zip, 0) > 0 ? zip_get_name(archive->zip, 0, 0) : NULL;
  const char *slash = first ? strchr(first, '/') : NULL;
  if (!slash)
    return strata_error(STRATA_UNSUPPORTED, "expected an archive that torch.export.save of torch 2.9 or later wrote: "
                                            "older ones have pickled weights; load and save it there");
  archive->root = strata_arena_printf(archive->arena, "%.*s", (int)(slash - first) + 1, first);
  return NULL;
}

strata_status_t pt2_archive_open(strata_arena_t *arena, const char *path, pt2_archive_t **out_archive) {
  pt2_archive_t *archive = strata_arena_new(arena, pt2_archive_t);
  archive->arena = arena;
  STRATA_TRY(strata_map_file(arena, path, &archive->file));
  if (archive->file.size == 0)
    return strata_error(STRATA_PARSE, "%s: the file is empty", path);
  STRATA_TRY(strata_status_context(open_zip(archive), "%s", path));
  STRATA_TRY(strata_status_context(find_root(archive), "%s", path));
  *out_archive = archive;
  return NULL;
}

//===-- Entries --------------------------------------------------------------------------------------------------===//

static zip_int64_t locate(const pt2_archive_t *archive, const char *name) {
  return zip_name_locate(archive->zip, strata_arena_printf(archive->arena, "%s%s", archive->root, name), 0);
}

bool pt2_archive_has(const pt2_archive_t *archive, const char *name) { return locate(archive, name) >= 0; }

const char *pt2_archive_match(const pt2_archive_t *archive, const char *start, const char *end) {
  size_t root = strlen(archive->root), before = strlen(start), behind = strlen(end);
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive->zip, 0); i++) {
    const char *name = zip_get_name(archive->zip, (zip_uint64_t)i, 0);
    size_t length = name ? strlen(name) : 0;
    if (length < root + before + behind || strncmp(name, archive->root, root) || strncmp(name + root, start, before) ||
        strcmp(name + length - behind, end))
      continue;
    return strata_arena_printf(archive->arena, "%.*s", (int)(length - root - before - behind), name + root + before);
  }
  return NULL;
}

// The bytes of a stored entry, in the file.
static strata_status_t place(pt2_archive_t *archive, zip_file_t *entry, const zip_stat_t *info,
                             strata_mapped_file_t *out_bytes) {
  char byte;
  *out_bytes = (strata_mapped_file_t){.size = (size_t)info->size};
  if (info->size == 0)
    return NULL;
  if (zip_fread(entry, &byte, 1) != 1 || info->size > archive->file.size - archive->last_read)
    return strata_error(STRATA_PARSE, "it has %llu bytes and goes beyond the end of the file",
                        (unsigned long long)info->size);
  out_bytes->data = archive->file.data + archive->last_read;
  return NULL;
}

static strata_status_t unpack(pt2_archive_t *archive, zip_file_t *entry, const zip_stat_t *info,
                              strata_mapped_file_t *out_bytes) {
  if (info->comp_method != ZIP_CM_DEFLATE || info->size / MAX_RATIO > info->comp_size)
    return strata_error(STRATA_PARSE, "expected it to be stored, or compressed by deflate");
  uint8_t *data = strata_arena_alloc(archive->arena, (size_t)info->size + 1);
  if (zip_fread(entry, data, info->size) != (zip_int64_t)info->size)
    return strata_error(STRATA_PARSE, "it cannot be unpacked: %s", zip_error_strerror(zip_file_get_error(entry)));
  *out_bytes = (strata_mapped_file_t){.data = data, .size = (size_t)info->size};
  return NULL;
}

static strata_status_t read_entry(pt2_archive_t *archive, zip_uint64_t index, strata_mapped_file_t *out_bytes) {
  zip_stat_t info;
  const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(archive->zip, index, 0, &info) != 0 || (info.valid & needed) != needed)
    return strata_error(STRATA_PARSE, "its size is not known");
  zip_file_t *entry = zip_fopen_index(archive->zip, index, 0);
  if (!entry)
    return strata_error(STRATA_PARSE, "it cannot be read: %s", zip_error_strerror(zip_get_error(archive->zip)));
  strata_status_t status = info.comp_method == ZIP_CM_STORE ? place(archive, entry, &info, out_bytes)
                                                            : unpack(archive, entry, &info, out_bytes);
  zip_fclose(entry);
  return status;
}

strata_status_t pt2_archive_read(pt2_archive_t *archive, const char *name, strata_mapped_file_t *out_bytes) {
  zip_int64_t index = locate(archive, name);
  if (index < 0)
    return strata_error(STRATA_PARSE, "the archive has no '%s%s'", archive->root, name);
  return strata_status_context(read_entry(archive, (zip_uint64_t)index, out_bytes), "%s%s", archive->root, name);
}
