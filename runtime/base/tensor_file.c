// Readers of .npy and TensorProto files and the .npy writer. The readers treat the bytes as hostile: every length is
// checked against what is left before it is used.
#include "runtime/base/tensor_file.h"

#include "runtime/base/tensor_proto.h"
#include "runtime/base/whole_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t strata_tensor_count(const strata_tensor_t *tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  return count;
}

bool strata_tensor_same_shape(const strata_tensor_t *a, const strata_tensor_t *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

const char *strata_tensor_describe(strata_arena_t *arena, const strata_tensor_t *tensor) {
  const char *text = strata_dtype_info[tensor->dtype].name;
  for (int i = 0; i < tensor->rank; i++)
    text = strata_arena_printf(arena, "%s%s%lld", text, i ? "x" : " ", (long long)tensor->shape[i]);
  return text;
}

typedef struct {
  const char *path;
  const uint8_t *at, *end;
} reader_t;

static size_t bytes_left(const reader_t *r) { return (size_t)(r->end - r->at); }

static strata_status_t read_file(strata_arena_t *arena, const char *path, reader_t *out_reader) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
  size_t size = 0, capacity = 64 * 1024;
  uint8_t *data = malloc(capacity);
  while (data) {
    size += fread(data + size, 1, capacity - size, file);
    if (size < capacity)
      break;
    uint8_t *grown = realloc(data, capacity *= 2);
    if (!grown)
      free(data);
    data = grown;
  }
  int error = ferror(file) ? errno : 0;
  fclose(file);
  if (!data)
    return strata_error(STRATA_OUT_OF_MEMORY, "%s", path);
  if (error) {
    free(data);
    return strata_error(STRATA_IO, "%s: %s", path, strerror(error));
  }
  const uint8_t *copy = strata_arena_copy(arena, data, size);
  free(data);
  *out_reader = (reader_t){.path = path, .at = copy, .end = copy + size};
  return NULL;
}

static strata_status_t malformed(const reader_t *r, const char *what) {
  return strata_error(STRATA_PARSE, "%s: %s", r->path, what);
}

// Sets the size from type and shape; rejects shapes whose size overflows.
static strata_status_t set_size(const reader_t *r, strata_tensor_t *tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    if (tensor->shape[i] < 0 || __builtin_mul_overflow(count, tensor->shape[i], &count))
      return malformed(r, "a dimension is negative or the size overflows");
  if (!strata_dtype_size(tensor->dtype, count, &tensor->size))
    return malformed(r, "the size overflows");
  return NULL;
}

//===-- .npy -----------------------------------------------------------------------------------------------------===//

// Advances past |text|, skipping blanks before it; false if something else is there.
static bool accept(reader_t *r, const char *text) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == ','))
    r->at++;
  size_t length = strlen(text);
  if (bytes_left(r) < length || memcmp(r->at, text, length) != 0)
    return false;
  r->at += length;
  return true;
}

static bool accept_number(reader_t *r, int64_t *out_value) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == ','))
    r->at++;
  if (r->at == r->end || !isdigit(*r->at))
    return false;
  int64_t value = 0;
  for (; r->at < r->end && isdigit(*r->at); r->at++)
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *r->at - '0', &value))
      return false;
  *out_value = value;
  return true;
}

static strata_status_t parse_npy_type(reader_t *r, strata_tensor_t *tensor) {
  const char *descr = (const char *)r->at;
  const uint8_t *quote = memchr(r->at, '\'', bytes_left(r));
  if (!quote)
    return malformed(r, "the descr of the .npy header is not a string");
  size_t length = (size_t)(quote - r->at);
  r->at = quote + 1;
  tensor->dtype = strata_dtype_from_npy(descr, length);
  if (tensor->dtype == STRATA_DTYPE_NONE)
    return strata_error(STRATA_UNSUPPORTED, "%s: element type '%.*s' is not supported", r->path,
                        length > 32 ? 32 : (int)length, descr);
  return NULL;
}

static strata_status_t parse_npy_header(reader_t *r, strata_tensor_t *tensor, bool *out_fortran) {
  if (!accept(r, "{"))
    return malformed(r, "the .npy header is no dictionary");
  while (!accept(r, "}")) {
    if (accept(r, "'descr': '")) {
      STRATA_TRY(parse_npy_type(r, tensor));
    } else if (accept(r, "'fortran_order': ")) {
      *out_fortran = accept(r, "True");
      if (!*out_fortran && !accept(r, "False"))
        return malformed(r, "fortran_order is neither True nor False");
    } else if (accept(r, "'shape': (")) {
      for (tensor->rank = 0; !accept(r, ")"); tensor->rank++)
        if (tensor->rank == STRATA_TENSOR_MAX_RANK || !accept_number(r, &tensor->shape[tensor->rank]))
          return malformed(r, "the shape of the .npy header is malformed");
    } else {
      return malformed(r, "the .npy header is malformed");
    }
  }
  return tensor->dtype == STRATA_DTYPE_NONE ? malformed(r, "the .npy header has no descr") : NULL;
}

// Column-major data to row-major: walks the result in order, keeping the source index of the current element.
static void copy_fortran(const strata_tensor_t *tensor, const uint8_t *src) {
  size_t element = (size_t)strata_dtype_info[tensor->dtype].bits / 8;
  int64_t index[STRATA_TENSOR_MAX_RANK] = {0}, stride[STRATA_TENSOR_MAX_RANK], at = 0;
  for (int i = 0; i < tensor->rank; i++)
    stride[i] = i == 0 ? 1 : stride[i - 1] * tensor->shape[i - 1];
  for (uint8_t *dst = tensor->data, *end = dst + tensor->size; dst < end; dst += element) {
    memcpy(dst, src + (size_t)at * element, element);
    for (int i = tensor->rank - 1; i >= 0; i--) {
      at += stride[i];
      if (++index[i] < tensor->shape[i])
        break;
      at -= stride[i] * tensor->shape[i];
      index[i] = 0;
    }
  }
}

static strata_status_t parse_npy(strata_arena_t *arena, reader_t *r, strata_tensor_t *tensor) {
  if (bytes_left(r) < 10 || memcmp(r->at, "\x93NUMPY", 6) != 0)
    return malformed(r, "not a .npy file");
  int major = r->at[6];
  size_t prefix = major == 1 ? 10 : 12;
  if (major < 1 || major > 3 || bytes_left(r) < prefix)
    return malformed(r, "unknown version of .npy");
  size_t length = (size_t)r->at[8] | (size_t)r->at[9] << 8;
  if (major > 1)
    length |= (size_t)r->at[10] << 16 | (size_t)r->at[11] << 24;
  r->at += prefix;
  if (bytes_left(r) < length)
    return malformed(r, "the file ends inside the .npy header");
  reader_t header = {.path = r->path, .at = r->at, .end = r->at + length};
  bool fortran = false;
  STRATA_TRY(parse_npy_header(&header, tensor, &fortran));
  r->at += length;
  STRATA_TRY(set_size(r, tensor));
  if (bytes_left(r) != tensor->size)
    return strata_error(STRATA_PARSE, "%s: the shape needs %zu bytes of data, got %zu", r->path, tensor->size,
                        bytes_left(r));
  tensor->data = strata_arena_alloc(arena, tensor->size);
  if (fortran)
    copy_fortran(tensor, r->at);
  else if (tensor->size)
    memcpy(tensor->data, r->at, tensor->size);
  return NULL;
}

static bool lacks_descr(strata_dtype_t dtype) {
  const char *descr = strata_dtype_info[dtype].npy_descr;
  return !descr || descr[1] == 'V';
}

bool strata_tensor_retype(strata_tensor_t *tensor, strata_dtype_t dtype) {
  const strata_dtype_info_t *from = &strata_dtype_info[tensor->dtype], *to = &strata_dtype_info[dtype];
  if (lacks_descr(dtype) && from->class_ == STRATA_DTYPE_CLASS_UNSIGNED && from->bits == to->bits)
    tensor->dtype = dtype;
  return tensor->dtype == dtype;
}

// The descr to write: of the type itself, or of the unsigned integers that hold its bits.
static const char *descr_to_write(strata_dtype_t dtype) {
  if (!lacks_descr(dtype))
    return strata_dtype_info[dtype].npy_descr;
  return strata_dtype_info[dtype].bits == 16 ? "<u2" : "|u1";
}

// The header's dictionary; sub-byte types are written as one row of bytes.
static int print_npy_header(char *out, size_t capacity, const strata_tensor_t *tensor) {
  bool packed = strata_dtype_info[tensor->dtype].bits < 8;
  int rank = packed ? 1 : tensor->rank;
  int n = snprintf(out, capacity, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr_to_write(tensor->dtype));
  for (int i = 0; i < rank; i++)
    n += snprintf(out + n, capacity - (size_t)n, rank == 1 || i + 1 < rank ? "%lld, " : "%lld",
                  packed ? (long long)tensor->size : (long long)tensor->shape[i]);
  return n + snprintf(out + n, capacity - (size_t)n, "), }");
}

strata_status_t strata_tensor_write_npy(const char *path, const strata_tensor_t *tensor) {
  char header[1024];
  int n = print_npy_header(header, sizeof header, tensor);
  // Magic, version and length take 10 bytes; the header ends in a newline and the data starts at a multiple of 64.
  int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
  const uint8_t prefix[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (uint8_t)padded, (uint8_t)(padded >> 8)};
  strata_whole_file_t file;
  STRATA_TRY(strata_whole_file_open(path, &file));
  fwrite(prefix, sizeof prefix, 1, file.file);
  fprintf(file.file, "%s%*s\n", header, padded - n - 1, "");
  fwrite(tensor->data, 1, tensor->size, file.file);
  return strata_whole_file_close(&file);
}

//===-- TensorProto ----------------------------------------------------------------------------------------------===//

// The elements may lie anywhere in the file; a tensor's must be aligned.
static strata_status_t parse_proto(strata_arena_t *arena, const reader_t *r, strata_tensor_t *tensor) {
  strata_tensor_proto_t proto;
  STRATA_TRY(strata_status_context(strata_tensor_proto_parse(arena, r->at, bytes_left(r), &proto), "%s", r->path));
  if (proto.is_external)
    return strata_error(STRATA_UNSUPPORTED, "%s: TensorProto with external data", r->path);
  if (proto.is_e2m1)
    return strata_error(STRATA_UNSUPPORTED, "%s: floats of 4 bits", r->path);
  if (proto.is_e8m0)
    return strata_error(STRATA_UNSUPPORTED, "%s: floats of 8 bits that are exponents", r->path);
  *tensor = proto.tensor;
  tensor->data = strata_arena_copy(arena, tensor->data, tensor->size);
  return NULL;
}

strata_status_t strata_tensor_read(strata_arena_t *arena, const char *path, strata_tensor_t *out_tensor) {
  const char *suffix = strrchr(path, '.');
  bool is_npy = suffix && strcmp(suffix, ".npy") == 0;
  if (!is_npy && !(suffix && strcmp(suffix, ".pb") == 0))
    return strata_error(STRATA_INVALID_ARGUMENT, "%s: expected a .npy or .pb file", path);
  reader_t reader;
  STRATA_TRY(read_file(arena, path, &reader));
  *out_tensor = (strata_tensor_t){0};
  return is_npy ? parse_npy(arena, &reader, out_tensor) : parse_proto(arena, &reader, out_tensor);
}
