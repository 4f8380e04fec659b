// The compile: context start-up, MLIR's diagnostics as errors, and the table of constants.
#include "dialects/compile.h"

#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "dialects/tile/tile.h"
#include "runtime/base/hash.h"

#include <mlir-c/Diagnostics.h>
#include <mlir-c/RegisterEverything.h>
#include <stdarg.h>
#include <stdio.h>
#include <threads.h>

//===-- Options --------------------------------------------------------------------------------------------------===//

const char *strata_alias_input(strata_arena_t *arena, const strata_alias_t *alias, MlirStringRef name) {
  const char *star = strchr(alias->output, '*'), *place = strchr(alias->input, '*');
  if (!star || !place)
    return strata_str_equal(name, alias->output) ? alias->input : NULL;
  size_t before = (size_t)(star - alias->output), behind = strlen(star + 1);
  if (name.length < before + behind || memcmp(name.data, alias->output, before) ||
      memcmp(name.data + name.length - behind, star + 1, behind))
    return NULL;
  return strata_arena_printf(arena, "%.*s%.*s%s", (int)(place - alias->input), alias->input,
                             (int)(name.length - before - behind), name.data + before, place + 1);
}

//===-- Diagnostics ----------------------------------------------------------------------------------------------===//

enum { MAX_DIAGNOSTIC_TEXT = 8192 }; // what is reported beyond this says nothing new

typedef struct {
  strata_arena_t *arena;
  STRATA_VECTOR(char) chars;
} text_t;

static void append(MlirStringRef piece, void *user) {
  text_t *text = user;
  for (size_t i = 0; i < piece.length; i++)
    *strata_vector_push(text->arena, &text->chars) = piece.data[i];
}

// Collects errors; drops notes (the verifier's print the whole op), warnings and remarks.
static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic, void *user) {
  strata_compile_t *compile = user;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError)
    return mlirLogicalResultSuccess();
  const char *before = strata_status_message(compile->diagnostics);
  if (strlen(before) >= MAX_DIAGNOSTIC_TEXT)
    return mlirLogicalResultSuccess();
  char where[256];
  text_t text = {.arena = compile->arena};
  strata_location_text(mlirDiagnosticGetLocation(diagnostic), where, sizeof where);
  mlirDiagnosticPrint(diagnostic, append, &text);
  strata_status_t joined = strata_error(STRATA_INTERNAL, "%s%s%s%s%.*s", before, *before ? "\n" : "", where,
                                        *where ? ": " : "", (int)text.chars.count, text.chars.data);
  strata_status_free(compile->diagnostics);
  compile->diagnostics = joined;
  return mlirLogicalResultSuccess();
}

strata_status_t strata_compile_take_diagnostics(strata_compile_t *compile, const char *fallback) {
  strata_status_t status = compile->diagnostics;
  compile->diagnostics = NULL;
  return status ? status : strata_error(STRATA_INTERNAL, "%s", fallback);
}

//===-- Notes ----------------------------------------------------------------------------------------------------===//

void strata_tell(const strata_explain_t *listener, const char *format, va_list args) {
  if (!listener)
    return;
  char line[1024];
  vsnprintf(line, sizeof line, format, args);
  listener->line(line, listener->user);
}

void strata_compile_note(const strata_compile_t *compile, const char *format, ...) {
  va_list args;
  va_start(args, format);
  strata_tell(compile->notes, format, args);
  va_end(args);
}

strata_status_t strata_compile_verify(strata_compile_t *compile) {
  if (mlirOperationVerify(mlirModuleGetOperation(compile->module)))
    return NULL;
  return strata_compile_take_diagnostics(compile, "the module does not verify");
}

//===-- Context --------------------------------------------------------------------------------------------------===//

// What our passes build; the parser and upstream passes load whatever else they need.
static const char *const loaded_dialects[] = {"affine", "arith", "cf",     "func", "index", "irdl",
                                              "llvm",   "math",  "memref", "scf",  "ub",    "vector"};

static once_flag passes_once = ONCE_FLAG_INIT;

strata_status_t strata_compile_init(strata_compile_t *compile, const strata_compile_options_t *options) {
  *compile = (strata_compile_t){.arena = strata_arena_create(), .options = options};
  // All dialects: only this call installs the interfaces that conversions to LLVM and translations need.
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  compile->context = mlirContextCreateWithRegistry(registry, options->jobs > 1);
  mlirDialectRegistryDestroy(registry);
  call_once(&passes_once, mlirRegisterAllPasses);
  mlirRegisterAllLLVMTranslations(compile->context);
  mlirContextAttachDiagnosticHandler(compile->context, on_diagnostic, compile, NULL);
  for (size_t i = 0; i < sizeof loaded_dialects / sizeof *loaded_dialects; i++)
    mlirContextGetOrLoadDialect(compile->context, strata_str(loaded_dialects[i]));
  compile->module = mlirModuleCreateEmpty(mlirLocationUnknownGet(compile->context));
  strata_status_t status = strata_dialect_load(compile->context);
  if (!status)
    status = strata_tile_dialect_load(compile->context);
  return strata_status_context(status, "loading the dialects");
}

void strata_compile_deinit(strata_compile_t *compile) {
  if (!mlirModuleIsNull(compile->module))
    mlirModuleDestroy(compile->module);
  if (!mlirModuleIsNull(compile->graph))
    mlirModuleDestroy(compile->graph);
  if (!mlirModuleIsNull(compile->preparation))
    mlirModuleDestroy(compile->preparation);
  if (!mlirContextIsNull(compile->context))
    mlirContextDestroy(compile->context);
  strata_status_free(compile->diagnostics);
  strata_arena_destroy(compile->arena);
  *compile = (strata_compile_t){0};
}

//===-- Constants ------------------------------------------------------------------------------------------------===//

// Open addressing over the names; at most half full.
struct strata_constant_index {
  strata_constant_data_t **slots;
  size_t count, capacity; // a power of two
};

static uint64_t hash_name(const char *name) {
  uint64_t hash = strata_hash_text(name);
  return hash ^ hash >> 32;
}

// The slot where |name| is, or where it would go.
static strata_constant_data_t **find_slot(const struct strata_constant_index *index, const char *name) {
  size_t i = hash_name(name) & (index->capacity - 1);
  while (index->slots[i] && strcmp(index->slots[i]->name, name) != 0)
    i = (i + 1) & (index->capacity - 1);
  return &index->slots[i];
}

static void grow_index(strata_compile_t *compile) {
  struct strata_constant_index *index = compile->constant_index;
  if (!index)
    index = compile->constant_index = strata_arena_new(compile->arena, struct strata_constant_index);
  if (2 * (index->count + 1) <= index->capacity)
    return;
  index->capacity = index->capacity ? 2 * index->capacity : 64;
  index->slots = strata_arena_array(compile->arena, strata_constant_data_t *, index->capacity);
  for (strata_constant_data_t *constant = compile->constants; constant; constant = constant->next)
    *find_slot(index, constant->name) = constant;
}

const char *strata_compile_add_constant(strata_compile_t *compile, const char *name, const void *data, size_t size) {
  grow_index(compile);
  struct strata_constant_index *index = compile->constant_index;
  const char *base = name && *name ? name : "constant", *unique = base;
  for (size_t n = index->count; *find_slot(index, unique); n++)
    unique = strata_arena_printf(compile->arena, "%s_%zu", base, n);
  strata_constant_data_t *constant = strata_arena_new(compile->arena, strata_constant_data_t);
  *constant = (strata_constant_data_t){
      .name = strata_arena_strdup(compile->arena, unique), .data = data, .size = size, .next = compile->constants};
  *find_slot(index, unique) = constant;
  index->count++;
  compile->constants = constant;
  return constant->name;
}

const strata_constant_data_t *strata_compile_find_constant(const strata_compile_t *compile, const char *name) {
  return compile->constant_index ? *find_slot(compile->constant_index, name) : NULL;
}
