// The reader of PyTorch's programs, of an archive, or of the JSON in one: bytes that start as no archive does are the
// program of an archive without weights, for a change of those in a compressed entry says nothing to a fuzzer. Weights
// are what fuzz/pt2_test.py changes.
#include "test/fuzz/reader_fuzz.h"

#include <string.h>
#include <zip.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static zip_int64_t add(zip_t *zip, const char *name, const void *data, size_t size) {
  zip_int64_t entry = zip_file_add(zip, name, zip_source_buffer(zip, data, size, 0), 0);
  zip_set_file_compression(zip, (zip_uint64_t)entry, ZIP_CM_STORE, 0);
  return entry;
}

// An archive with |data| as its program; free()d by the caller.
static uint8_t *pack(const uint8_t *data, size_t size, size_t *out_size) {
  zip_error_t error;
  zip_stat_t stat;
  zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
  zip_t *zip = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  zip_source_keep(source);
  add(zip, "a/byteorder", "little", strlen("little"));
  add(zip, "a/models/model.json", data, size);
  if (zip_close(zip) || zip_source_open(source) || zip_source_stat(source, &stat))
    abort();
  uint8_t *bytes = malloc(stat.size);
  if (!bytes || zip_source_read(source, bytes, stat.size) != (zip_int64_t)stat.size)
    abort();
  zip_source_close(source);
  zip_source_free(source);
  *out_size = stat.size;
  return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size >= 2 && !memcmp(data, "PK", 2))
    return fuzz_reader(data, size, strata_import_pt2);
  size_t packed_size;
  uint8_t *packed = pack(data, size, &packed_size);
  int result = fuzz_reader(packed, packed_size, strata_import_pt2);
  free(packed);
  return result;
}
