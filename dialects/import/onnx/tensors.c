// Tensors of the file as constants: raw data stays where it is in the mapped file, external data in a file mapped once.
#define _DEFAULT_SOURCE // realpath
#include "dialects/import/onnx/importer.h"
#include "dialects/import/onnx/model.h"
#include "runtime/base/tensor_proto.h"

#include <stdlib.h>
#include <string.h>

//===-- External data --------------------------------------------------------------------------------------------===//

// A location is a path relative to the model's folder and stays inside it.
static bool is_inside_folder(const char *location) {
  if (!*location || *location == '/')
    return false;
  for (const char *part = location; part; part = strchr(part, '/')) {
    part += *part == '/';
    if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
      return false;
  }
  return true;
}

// Where links lead: a model is an archive that somebody else may have made, and what is outside its folder is none of
// its business. The folder that the model itself lies in counts too, for caches that are made of links.
static strata_status_t check_links(onnx_importer_t *importer, const char *path) {
  char *file = realpath(path, NULL), *folder = NULL, *slash;
  bool is_inside = !file; // then opening it says why
  for (int own = 0; own < 2 && !is_inside; own++) {
    const char *end = strrchr(importer->path, '/');
    const char *named = strata_arena_printf(importer->compile->arena, "%.*s", end ? (int)(end - importer->path) + 1 : 1,
                                            end ? importer->path : ".");
    folder = realpath(own ? importer->path : named, NULL);
    slash = folder && own ? strrchr(folder, '/') : NULL;
    if (slash)
      *slash = 0;
    size_t length = folder ? strlen(folder) : 0;
    is_inside =
        folder && strncmp(file, folder, length) == 0 && (file[length] == '/' || (length && folder[length - 1] == '/'));
    free(folder);
  }
  strata_status_t status =
      is_inside ? NULL : strata_error(STRATA_INVALID_ARGUMENT, "%s leads out of the model's folder, to %s", path, file);
  free(file);
  return status;
}

static strata_status_t map_external(onnx_importer_t *importer, const char *location,
                                    const strata_mapped_file_t **out_file) {
  strata_arena_t *arena = importer->compile->arena;
  *out_file = strata_string_map_get(&importer->external_files, location);
  if (*out_file)
    return NULL;
  const char *slash = strrchr(importer->path, '/');
  int folder = slash ? (int)(slash - importer->path) + 1 : 0;
  const char *path = strata_arena_printf(arena, "%.*s%s", folder, importer->path, location);
  strata_mapped_file_t file;
  STRATA_TRY(check_links(importer, path));
  STRATA_TRY(strata_map_file(arena, path, &file));
  *strata_vector_push(arena, &importer->compile->data_files) = path;
  *out_file = strata_arena_copy(arena, &file, sizeof file);
  strata_string_map_put(arena, &importer->external_files, location, (void *)(uintptr_t)*out_file);
  return NULL;
}

static strata_status_t locate_external(onnx_importer_t *importer, strata_tensor_proto_t *proto) {
  strata_tensor_t *tensor = &proto->tensor;
  const strata_mapped_file_t *file;
  if (!is_inside_folder(proto->location))
    return strata_error(STRATA_INVALID_ARGUMENT, "'%s' is not a path inside the model's folder", proto->location);
  STRATA_TRY(map_external(importer, proto->location, &file));
  size_t offset = (size_t)proto->offset;
  if (proto->length >= 0 && (size_t)proto->length != tensor->size)
    return strata_error(STRATA_PARSE, "the shape needs %zu bytes, got a length of %lld", tensor->size,
                        (long long)proto->length);
  if (offset > file->size || tensor->size > file->size - offset)
    return strata_error(STRATA_PARSE, "expected %zu bytes at %zu of '%s', which has %zu", tensor->size, offset,
                        proto->location, file->size);
  tensor->data = (void *)(uintptr_t)(file->data + offset); // nobody writes to it
  return NULL;
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

strata_status_t onnx_tensor_constant(onnx_importer_t *importer, const char *name, const strata_tensor_t *tensor,
                                     onnx_value_t *out_value) {
  bool is_unsigned;
  strata_type_t type = onnx_dtype_element_type(tensor->dtype, &is_unsigned);
  if (tensor->rank > STRATA_MAX_RANK)
    return strata_error(STRATA_UNSUPPORTED, "tensor '%s': expected at most %d dimensions, got %d", name,
                        STRATA_MAX_RANK, tensor->rank);
  strata_builder_t *b = &importer->builder;
  strata_shape_t shape = strata_shape_static(b->compile->context, type, tensor->rank, tensor->shape);
  MlirValue value = strata_build_constant(b, &shape, name, tensor->data);
  *out_value = (onnx_value_t){.kind = ONNX_TENSOR, .is_unsigned = is_unsigned, .tensor = value};
  strata_status_t status = b->status;
  b->status = NULL;
  return strata_status_context(status, "tensor '%s'", name);
}

strata_status_t onnx_parse_tensor(onnx_importer_t *importer, const Onnx__TensorProto *stub,
                                  strata_tensor_proto_t *out_proto) {
  strata_mapped_file_t bytes = onnx_tensor_bytes(stub);
  if (!importer->made)
    return strata_tensor_proto_parse(importer->compile->arena, bytes.data, bytes.size, out_proto);
  *out_proto = ((const onnx_made_tensor_t *)stub)->tensor;
  return NULL;
}

// Each float of 4 bits is one of e4m3 too: sign, two bits of exponent and one of mantissa. Half the smallest normal
// number, which has no exponent, has one there.
static void widen_e2m1(onnx_importer_t *importer, strata_tensor_t *tensor) {
  enum { HALF = 0x30, ONE_EXPONENT = 0x08, BIAS = 6 };
  int64_t count = 1;
  for (int i = 0; i < tensor->rank; i++)
    count *= tensor->shape[i];
  const uint8_t *packed = tensor->data;
  uint8_t *wide = strata_arena_alloc(importer->compile->arena, (size_t)count);
  for (int64_t i = 0; i < count; i++) {
    uint8_t bits = packed[i / 2] >> (i % 2 * 4) & 0xf, exponent = bits >> 1 & 3, mantissa = bits & 1;
    int size = exponent ? (exponent + BIAS) * ONE_EXPONENT + mantissa * ONE_EXPONENT / 2 : mantissa ? HALF : 0;
    wide[i] = (uint8_t)((bits & 8) << 4 | size);
  }
  tensor->dtype = STRATA_DTYPE_E4M3;
  tensor->size = (size_t)count;
  tensor->data = wide;
}

// An exponent each, without sign: 2^-127, below the normal numbers, to 2^127, and NaN. As f32, which has all of them.
static void widen_e8m0(onnx_importer_t *importer, strata_tensor_t *tensor) {
  enum { NAN_CODE = 255, NAN_BITS = 0x7fc00000, HALF_SMALLEST = 0x00400000, MANTISSA_BITS = 23 };
  const uint8_t *codes = tensor->data;
  uint32_t *wide = strata_arena_array(importer->compile->arena, uint32_t, (int64_t)tensor->size + 1);
  for (size_t i = 0; i < tensor->size; i++)
    wide[i] = codes[i] == NAN_CODE ? NAN_BITS : codes[i] ? (uint32_t)codes[i] << MANTISSA_BITS : HALF_SMALLEST;
  tensor->dtype = STRATA_DTYPE_F32;
  tensor->size *= sizeof *wide;
  tensor->data = wide;
}

static strata_status_t read_tensor(onnx_importer_t *importer, const Onnx__TensorProto *stub,
                                   strata_tensor_proto_t *out_proto) {
  STRATA_TRY(onnx_parse_tensor(importer, stub, out_proto));
  if (out_proto->is_external)
    STRATA_TRY(
        strata_status_context(locate_external(importer, out_proto), "external data of tensor '%s'", out_proto->name));
  if (out_proto->is_e2m1)
    widen_e2m1(importer, &out_proto->tensor);
  if (out_proto->is_e8m0)
    widen_e8m0(importer, &out_proto->tensor);
  return NULL;
}

// What we have no type for is a problem of the model like an unsupported node, and no reason to stop.
static strata_status_t note_unsupported(onnx_importer_t *importer, strata_status_t status, onnx_value_t *out_value) {
  if (strata_status_code(status) != STRATA_UNSUPPORTED)
    return status;
  onnx_add_problem(importer, "%s", strata_status_message(status));
  strata_status_free(status);
  *out_value = (onnx_value_t){.kind = ONNX_POISONED};
  return NULL;
}

strata_status_t onnx_import_tensor(onnx_importer_t *importer, const Onnx__TensorProto *stub, const char **out_name,
                                   onnx_value_t *out_value) {
  strata_tensor_proto_t proto;
  strata_status_t status = read_tensor(importer, stub, &proto);
  *out_name = proto.name;
  if (!status)
    status = onnx_tensor_constant(importer, proto.name, &proto.tensor, out_value);
  return note_unsupported(importer, status, out_value);
}

//===-- Sparse tensors -------------------------------------------------------------------------------------------===//

// The place in the dense tensor that entry |entry| of the indices means; false if it is outside. Indices are places
// [nnz], or one row of coordinates an entry [nnz, rank].
static bool sparse_place(const strata_tensor_t *dense, const strata_tensor_t *indices, int64_t entry, int64_t count,
                         int64_t *out_place) {
  int width = indices->rank == 2 ? (int)indices->shape[1] : 1;
  *out_place = 0;
  for (int i = 0; i < width; i++) {
    int64_t coordinate = (int64_t)strata_dtype_load(indices->dtype, indices->data, (size_t)(entry * width + i));
    int64_t size = indices->rank == 2 ? dense->shape[i] : count;
    if (coordinate < 0 || coordinate >= size)
      return false;
    *out_place = *out_place * (indices->rank == 2 ? size : 1) + coordinate;
  }
  return true;
}

static strata_status_t scatter_sparse(const strata_tensor_t *values, const strata_tensor_t *indices,
                                      strata_tensor_t *dense) {
  int64_t count = strata_tensor_count(dense), place;
  size_t width = (size_t)strata_dtype_info[values->dtype].bits / 8;
  if (values->rank != 1 || width == 0 || indices->dtype != STRATA_DTYPE_I64 || indices->rank < 1 ||
      indices->shape[0] != values->shape[0] || indices->rank > 2 ||
      (indices->rank == 2 && indices->shape[1] != dense->rank))
    return strata_error(STRATA_PARSE, "values and indices of a sparse tensor do not fit each other");
  for (int64_t i = 0; i < values->shape[0]; i++) {
    if (!sparse_place(dense, indices, i, count, &place))
      return strata_error(STRATA_PARSE, "an index of a sparse tensor is outside");
    memcpy((char *)dense->data + (size_t)place * width, (const char *)values->data + (size_t)i * width, width);
  }
  return NULL;
}

static strata_status_t densify(onnx_importer_t *importer, const Onnx__SparseTensorProto *sparse,
                               const strata_tensor_t *values, strata_tensor_t *out_dense) {
  strata_tensor_proto_t indices;
  if (!sparse->indices)
    return strata_error(STRATA_PARSE, "a sparse tensor has no indices");
  STRATA_TRY(read_tensor(importer, sparse->indices, &indices));
  *out_dense = (strata_tensor_t){.dtype = values->dtype, .rank = (int)sparse->n_dims};
  int64_t count = 1;
  for (size_t i = 0; i < sparse->n_dims; i++) {
    if (i == STRATA_MAX_RANK || sparse->dims[i] < 0 || __builtin_mul_overflow(count, sparse->dims[i], &count))
      return strata_error(STRATA_PARSE, "the dims of a sparse tensor are malformed");
    out_dense->shape[i] = sparse->dims[i];
  }
  if (!strata_dtype_size(values->dtype, count, &out_dense->size) || out_dense->size > (size_t)1 << 32)
    return strata_error(STRATA_PARSE, "a sparse tensor is too large");
  out_dense->data = strata_arena_alloc(importer->compile->arena, out_dense->size);
  return scatter_sparse(values, &indices.tensor, out_dense);
}

strata_status_t onnx_import_sparse_tensor(onnx_importer_t *importer, const Onnx__SparseTensorProto *sparse,
                                          const char **out_name, onnx_value_t *out_value) {
  strata_tensor_proto_t values;
  strata_tensor_t dense;
  if (!sparse->values)
    return strata_error(STRATA_PARSE, "a sparse tensor has no values");
  strata_status_t status = read_tensor(importer, sparse->values, &values);
  *out_name = values.name;
  if (!status)
    status = densify(importer, sparse, &values.tensor, &dense);
  if (!status)
    status = onnx_tensor_constant(importer, values.name, &dense, out_value);
  return note_unsupported(importer, status, out_value);
}

strata_status_t onnx_import_initializers(onnx_importer_t *importer, onnx_scope_t *scope,
                                         const Onnx__GraphProto *graph) {
  const char *name;
  onnx_value_t value;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    if (!scope->parent && importer->weights && importer->weights[i].name)
      continue;
    STRATA_TRY(onnx_import_tensor(importer, graph->initializer[i], &name, &value));
    STRATA_TRY(onnx_define(importer, scope, name, value));
  }
  for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
    STRATA_TRY(onnx_import_sparse_tensor(importer, graph->sparse_initializer[i], &name, &value));
    STRATA_TRY(onnx_define(importer, scope, name, value));
  }
  return NULL;
}
