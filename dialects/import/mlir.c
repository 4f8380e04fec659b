// MLIR files, textual and bytecode: the strata dialect in and out, with large constants in a file beside.
//
//   module attributes {strata.data_file = "m.mlir.data", strata.data = {w = array<i64: 0, 16384>}} {
//     func.func @main(…) { %w = "strata.constant"() {data = "w"} : () -> tensor<64x64xf32> …
//
// strata.data gives each named constant's offset and size in the data file, which is mapped and never copied, whereas
// neither of MLIR's own ways to carry a blob can be read from C without a copy of it.
#define _GNU_SOURCE // memmem, memrchr
#include "dialects/import/import.h"

#include "dialects/import/bytecode.h"
#include "dialects/import/mapped_file.h"
#include "dialects/import/tir/read.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/symbols.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char data_file_attr[] = "strata.data_file", data_attr[] = "strata.data";

enum {
  MAX_DEPTH = 1000,   // of brackets
  MAX_SHAPE = 4096,   // characters of a shape, "8x64xf32"
  DATA_ALIGNMENT = 64 // of a constant in the data file
};

//===-- Parsing --------------------------------------------------------------------------------------------------===//

// The end of a string or a comment that starts at |at|; |at| itself if none does.
static const char *skip_opaque(const char *at, const char *end) {
  if (*at == '"') {
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
      at += *at == '\\' && at + 1 < end;
  } else if (*at == '/' && at + 1 < end && at[1] == '/') {
    while (at < end && *at != '\n')
      at++;
  }
  return at;
}

// An arrow or a comparison, whose < or > is no bracket.
static bool is_operator(const char *at, const char *begin, const char *end) {
  return (at + 1 < end && at[1] == '=') || (*at == '>' && at > begin && at[-1] == '-');
}

// The end of the shape or number that starts at |at|; |at| itself if none does.
static const char *skip_shape(const char *at, const char *end) {
  bool is_first = isdigit((unsigned char)*at) || *at == '?';
  while (is_first && at < end && (isalnum((unsigned char)*at) || *at == '?'))
    at++;
  return at;
}

static strata_status_t shape_error(const char *text, const char *at) {
  int line = 1;
  for (const char *before = text; before < at; before++)
    line += *before == '\n';
  return strata_error(STRATA_PARSE, "line %d: a shape of more than %d characters", line, (int)MAX_SHAPE);
}

// MLIR's parser would run out of stack, and reads a shape once for each of its dims.
static strata_status_t check_text(const char *text, size_t size) {
  const char *end = text + size;
  int depth = 0;
  for (const char *at = text; at < end; at++) {
    at = skip_opaque(at, end);
    const char *shape = at;
    at = at < end ? skip_shape(at, end) : at;
    if (at - shape > MAX_SHAPE)
      return shape_error(text, shape);
    if (at == end)
      break;
    if ((*at == '<' || *at == '>') && is_operator(at, text, end))
      continue;
    if (strchr("([{<", *at) && *at)
      depth++;
    else if (strchr(")]}>", *at) && *at && depth > 0)
      depth--;
    if (depth > MAX_DEPTH)
      return strata_error(STRATA_PARSE, "brackets are nested deeper than %d", (int)MAX_DEPTH);
  }
  return NULL;
}

// What the parser said, as an error of the file.
static strata_status_t parse_error(strata_compile_t *compile) {
  strata_status_t said = strata_compile_take_diagnostics(compile, "not a module");
  strata_status_t status = strata_error(STRATA_PARSE, "%s", strata_status_message(said));
  strata_status_free(said);
  return status;
}

static strata_status_t take_module(strata_compile_t *compile, MlirModule module) {
  if (mlirModuleIsNull(module))
    return parse_error(compile);
  mlirModuleDestroy(compile->module);
  compile->module = module;
  return NULL;
}

// A module as it was written, or as it was printed from bytecode.
typedef struct {
  const char *path;
  strata_mapped_file_t text;
  bool was_bytecode;
} source_t;

static strata_status_t read_source(strata_compile_t *compile, const char *path, source_t *out) {
  strata_mapped_file_t file;
  STRATA_TRY(strata_map_file(compile->arena, path, &file));
  *out = (source_t){.path = path, .text = file, .was_bytecode = strata_is_bytecode(file.data, file.size)};
  if (!out->was_bytecode)
    return NULL;
  const char *printed;
  STRATA_TRY(strata_bytecode_to_text(compile, path, file.size, &printed, &out->text.size));
  out->text.data = (const uint8_t *)printed;
  return NULL;
}

// *out_module is to be destroyed. Of other dialects than ours, a text |is_tried| elsewhere first.
static strata_status_t parse_source(strata_compile_t *compile, const source_t *source, bool is_tried,
                                    MlirModule *out_module) {
  const char *text = (const char *)source->text.data;
  strata_status_t status = check_text(text, source->text.size);
  if (!status && is_tried && !source->was_bytecode) // whose reader has a process of its own already
    status = strata_try_to_read(compile, source->path, source->text.size);
  if (!status)
    *out_module = source->was_bytecode
                      ? mlirModuleCreateParse(compile->context, mlirStringRefCreate(text, source->text.size))
                      : mlirModuleCreateParseFromFile(compile->context, strata_str(source->path));
  if (!status && mlirModuleIsNull(*out_module))
    status = parse_error(compile);
  return status && source->was_bytecode ? strata_status_context(status, "not valid MLIR bytecode") : status;
}

static strata_status_t take_source(strata_compile_t *compile, const source_t *source) {
  MlirModule module;
  STRATA_TRY(parse_source(compile, source, false, &module));
  return take_module(compile, module);
}

//===-- Constants in ---------------------------------------------------------------------------------------------===//

// The path of the data file: it lies beside the module's, so that a name with a folder in it is refused.
static strata_status_t data_path(strata_compile_t *compile, const char *path, MlirStringRef name, char **out_path) {
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash + 1 - path) : 0;
  if (name.length == 0 || memchr(name.data, '/', name.length) || memchr(name.data, 0, name.length))
    return strata_error(STRATA_PARSE, "%s: expected the name of a file beside the module", data_file_attr);
  *out_path = strata_arena_printf(compile->arena, "%.*s%.*s", folder, path, (int)name.length, name.data);
  return NULL;
}

static strata_status_t add_constant(strata_compile_t *compile, MlirNamedAttribute entry,
                                    const strata_mapped_file_t *file) {
  MlirStringRef name = mlirIdentifierStr(entry.name);
  if (!mlirAttributeIsADenseI64Array(entry.attribute) || mlirDenseArrayGetNumElements(entry.attribute) != 2)
    return strata_error(STRATA_PARSE, "%s: expected offset and size of '%.*s'", data_attr, (int)name.length, name.data);
  int64_t offset = mlirDenseI64ArrayGetElement(entry.attribute, 0);
  int64_t size = mlirDenseI64ArrayGetElement(entry.attribute, 1);
  if (offset < 0 || size < 0 || (size_t)offset > file->size || (size_t)size > file->size - (size_t)offset)
    return strata_error(STRATA_PARSE, "%s: '%.*s' is %lld bytes from %lld on, but the data file has %zu", data_attr,
                        (int)name.length, name.data, (long long)size, (long long)offset, file->size);
  const char *text = strata_arena_printf(compile->arena, "%.*s", (int)name.length, name.data);
  strata_compile_add_constant(compile, text, size ? file->data + offset : NULL, (size_t)size);
  return NULL;
}

static strata_status_t load_constants(strata_compile_t *compile, const char *path) {
  MlirOperation module = mlirModuleGetOperation(compile->module);
  MlirAttribute entries = strata_attr(module, data_attr);
  if (mlirAttributeIsNull(entries))
    return NULL;
  if (!mlirAttributeIsADictionary(entries))
    return strata_error(STRATA_PARSE, "%s: expected a dictionary", data_attr);
  char *beside = NULL;
  strata_mapped_file_t file;
  STRATA_TRY(data_path(compile, path, strata_attr_str(module, data_file_attr), &beside));
  STRATA_TRY(strata_map_file(compile->arena, beside, &file));
  *strata_vector_push(compile->arena, &compile->data_files) = beside;
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(entries); i++)
    STRATA_TRY(add_constant(compile, mlirDictionaryAttrGetElement(entries, i), &file));
  mlirOperationRemoveAttributeByName(module, strata_str(data_attr));
  mlirOperationRemoveAttributeByName(module, strata_str(data_file_attr));
  return NULL;
}

// A size can be written in many ways, passes write it in its normal form: what they build is to have the type of what
// it replaces.
static strata_status_t verify_normal(strata_compile_t *compile) {
  STRATA_TRY(strata_verify(compile));
  strata_symbols_replace(mlirModuleGetBody(compile->module), 0, NULL, NULL);
  return NULL;
}

static bool mentions(const strata_mapped_file_t *file, const char *text) {
  return memmem(file->data, file->size, text, strlen(text)) != NULL;
}

// A file of StableHLO in a form that only its own dialect reads: what to do with it.
static strata_status_t explain_form(const strata_mapped_file_t *file, strata_status_t status) {
  if (!status || !(mentions(file, " stablehlo.") || mentions(file, "StableHLO_v")))
    return status;
  strata_status_t explained = strata_error(
      strata_status_code(status),
      "%s\nthis is StableHLO, which is read in MLIR's generic form only: docs/from-jax.md says how to write it",
      strata_status_message(status));
  strata_status_free(status);
  return explained;
}

// Whether |word| is in the file outside comments.
static bool uses(const strata_mapped_file_t *file, const char *word) {
  const char *text = (const char *)file->data, *end = text + file->size;
  for (const char *at = text; at && (at = memmem(at, (size_t)(end - at), word, strlen(word)));) {
    const char *line = memrchr(text, '\n', (size_t)(at - text));
    line = line ? line + 1 : text;
    if (!memmem(line, (size_t)(at - line), "//", 2))
      return true;
    at = memchr(at, '\n', (size_t)(end - at));
  }
  return false;
}

// Whether the module is of tensor dialects that are not ours; every operation of ours is in quotes.
static bool is_of_other_dialects(const strata_mapped_file_t *text) {
  static const char *const dialects[] = {"stablehlo.", "tosa.", "linalg.", "tensor.", "arith.", "math."};
  if (!text->size || uses(text, "\"strata."))
    return false;
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
    if (uses(text, dialects[i]))
      return true;
  return false;
}

// Sizes are numbers: a module of ours has no names for ranges.
static strata_status_t bind_sizes(strata_compile_t *compile, const char *path, const strata_import_options_t *options) {
  strata_symbol_value_t *values = strata_arena_array(compile->arena, strata_symbol_value_t, options->n_dims);
  for (size_t i = 0; i < options->n_dims; i++) {
    if (options->dims[i].is_range)
      return strata_error(STRATA_INVALID_ARGUMENT,
                          "%s: --dim %s: ranges need a model of another format or of another dialect", path,
                          options->dims[i].name);
    values[i] = (strata_symbol_value_t){options->dims[i].name, options->dims[i].min};
  }
  return strata_status_context(strata_symbols_bind(compile, options->n_dims, values), "%s", path);
}

static strata_status_t import_ours(strata_compile_t *compile, const source_t *source,
                                   const strata_import_options_t *options) {
  if (options->n_constants || options->weights_as_inputs)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "%s: --bind-constant and --weights=argument need an ONNX model or an IR of OpenVINO",
                        source->path);
  STRATA_TRY(explain_form(&source->text, take_source(compile, source)));
  STRATA_TRY(load_constants(compile, source->path));
  STRATA_TRY(verify_normal(compile));
  return bind_sizes(compile, source->path, options);
}

static strata_status_t import_others(strata_compile_t *compile, const source_t *source,
                                     const strata_import_options_t *options) {
  MlirModule module;
  bool is_open = mlirContextGetAllowUnregisteredDialects(compile->context);
  mlirContextSetAllowUnregisteredDialects(compile->context, true);
  strata_status_t status = explain_form(&source->text, parse_source(compile, source, true, &module));
  if (status) {
    status = strata_status_context(status, "%s", source->path);
  } else {
    status = tir_import(compile, module, source->path, &source->text, options);
    mlirModuleDestroy(module);
  }
  mlirContextSetAllowUnregisteredDialects(compile->context, is_open);
  return status;
}

strata_status_t strata_import_mlir(strata_compile_t *compile, const char *path,
                                   const strata_import_options_t *options) {
  source_t source;
  STRATA_TRY(read_source(compile, path, &source));
  return is_of_other_dialects(&source.text) ? import_others(compile, &source, options)
                                            : import_ours(compile, &source, options);
}

strata_status_t strata_read_ir(strata_compile_t *compile, const char *path) {
  source_t source;
  STRATA_TRY(read_source(compile, path, &source));
  STRATA_TRY(take_source(compile, &source));
  STRATA_TRY(load_constants(compile, path));
  return strata_compile_verify(compile);
}

// Gives a named constant that has no bytes zeros.
static MlirWalkResult supply_zeros(MlirOperation op, void *user) {
  strata_compile_t *compile = user;
  MlirStringRef name = strata_attr_str(op, "data");
  if (strata_op_id(op) != STRATA_OP_CONSTANT || name.length == 0)
    return MlirWalkResultAdvance;
  const char *text = strata_arena_printf(compile->arena, "%.*s", (int)name.length, name.data);
  strata_shape_t shape = strata_shape_of(mlirOperationGetResult(op, 0));
  int64_t size =
      shape.type == STRATA_TYPE_COUNT ? -1 : strata_type_storage_size(shape.type, strata_shape_count(&shape));
  if (size >= 0 && !strata_compile_find_constant(compile, text))
    strata_compile_add_constant(compile, text, strata_arena_alloc(compile->arena, (size_t)size), (size_t)size);
  return MlirWalkResultAdvance;
}

strata_status_t strata_parse_mlir(strata_compile_t *compile, const char *text, size_t size) {
  STRATA_TRY(check_text(text, size));
  STRATA_TRY(take_module(compile, mlirModuleCreateParse(compile->context, mlirStringRefCreate(text, size))));
  mlirOperationWalk(mlirModuleGetOperation(compile->module), supply_zeros, compile, MlirWalkPreOrder);
  return verify_normal(compile);
}

//===-- Out ------------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_compile_t *compile;
  STRATA_VECTOR(const strata_constant_data_t *) constants;
} used_t;

// A level-1 constant by its attribute, a level-2 one by its symbol.
static MlirStringRef constant_name(MlirOperation op) {
  if (strata_op_id(op) == STRATA_OP_CONSTANT)
    return strata_attr_str(op, "data");
  return strata_op_is(op, "memref.global") ? strata_attr_str(op, "sym_name") : mlirStringRefCreate("", 0);
}

static MlirWalkResult add_used(MlirOperation op, void *user) {
  used_t *used = user;
  MlirStringRef name = constant_name(op);
  if (name.length == 0)
    return MlirWalkResultAdvance;
  const char *text = strata_arena_printf(used->compile->arena, "%.*s", (int)name.length, name.data);
  const strata_constant_data_t *constant = strata_compile_find_constant(used->compile, text);
  if (constant)
    *strata_vector_push(used->compile->arena, &used->constants) = constant;
  return MlirWalkResultAdvance;
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const strata_constant_data_t *const *)a)->name, (*(const strata_constant_data_t *const *)b)->name);
}

// The named constants that the module uses, each once, by name.
static used_t used_constants(strata_compile_t *compile) {
  used_t used = {.compile = compile};
  mlirOperationWalk(mlirModuleGetOperation(compile->module), add_used, &used, MlirWalkPreOrder);
  if (used.constants.count)
    qsort(used.constants.data, used.constants.count, sizeof *used.constants.data, by_name);
  size_t n = 0;
  for (size_t i = 0; i < used.constants.count; i++)
    if (i == 0 || used.constants.data[i] != used.constants.data[i - 1])
      used.constants.data[n++] = used.constants.data[i];
  used.constants.count = n;
  return used;
}

static strata_status_t close_file(FILE *file, const char *path) {
  bool failed = ferror(file);
  failed |= fclose(file) != 0; // which fails again where a write did
  return failed ? strata_error(STRATA_IO, "%s: cannot be written: %s", path, strerror(errno)) : NULL;
}

// Writes the constants one after the other; *out_entries is the value of strata.data.
static strata_status_t write_constants(const used_t *used, const char *path, MlirAttribute *out_entries) {
  static const char zeros[DATA_ALIGNMENT];
  MlirContext context = used->compile->context;
  MlirNamedAttribute *entries = strata_arena_array(used->compile->arena, MlirNamedAttribute, used->constants.count);
  FILE *file = fopen(path, "wb");
  if (!file)
    return strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
  int64_t position = 0;
  for (size_t i = 0; i < used->constants.count; i++) {
    const strata_constant_data_t *constant = used->constants.data[i];
    int64_t place[] = {position, (int64_t)constant->size}, padding = -place[1] & (DATA_ALIGNMENT - 1);
    fwrite(constant->data, 1, constant->size, file);
    fwrite(zeros, 1, (size_t)padding, file);
    position += place[1] + padding;
    entries[i] = mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str(constant->name)),
                                       strata_i64s_attr(context, 2, place));
  }
  *out_entries = mlirDictionaryAttrGet(context, (intptr_t)used->constants.count, entries);
  return close_file(file, path);
}

static strata_status_t export_constants(strata_compile_t *compile, const char *path) {
  used_t used = used_constants(compile);
  if (used.constants.count == 0)
    return NULL;
  MlirOperation module = mlirModuleGetOperation(compile->module);
  MlirAttribute entries;
  STRATA_TRY(write_constants(&used, path, &entries));
  const char *slash = strrchr(path, '/');
  strata_set_attr(module, data_file_attr, strata_str_attr(compile->context, slash ? slash + 1 : path));
  strata_set_attr(module, data_attr, entries);
  return NULL;
}

static strata_status_t export_module(strata_compile_t *compile, const char *path, bool bytecode) {
  MlirOperation module = mlirModuleGetOperation(compile->module);
  FILE *file = fopen(path, "wb");
  if (!file)
    return strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
  if (bytecode) {
    mlirOperationWriteBytecode(module, strata_text_write, file);
  } else {
    MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
    mlirOpPrintingFlagsEnableDebugInfo(flags, true, false); // the names of nodes
    mlirOperationPrintWithFlags(module, flags, strata_text_write, file);
    mlirOpPrintingFlagsDestroy(flags);
  }
  return close_file(file, path);
}

strata_status_t strata_export_mlir(strata_compile_t *compile, const char *path, bool bytecode) {
  MlirOperation module = mlirModuleGetOperation(compile->module);
  const char *data = strata_arena_printf(compile->arena, "%s.data", path);
  strata_status_t status = export_constants(compile, data);
  if (!status)
    status = export_module(compile, path, bytecode);
  mlirOperationRemoveAttributeByName(module, strata_str(data_attr));
  mlirOperationRemoveAttributeByName(module, strata_str(data_file_attr));
  if (status) {
    remove(data);
    remove(path);
  }
  return status;
}
