#include "passes/affine/origins.h"

#include "dialects/counted_loop.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"

#include <string.h>

enum { MAX_NAMES = 4, MAX_LETTERS = 48 }; // of a location; of a name

//===-- Names ----------------------------------------------------------------------------------------------------===//

typedef STRATA_VECTOR(const char *) names_t;

// The middle of a long name says least.
static const char *shorten(strata_arena_t *arena, const char *name) {
  size_t length = strlen(name), half = MAX_LETTERS / 2;
  if (length <= MAX_LETTERS)
    return name;
  size_t head = half, tail = length - half;
  while (head > 0 && ((unsigned char)name[head] & 0xC0) == 0x80) // not inside a letter of UTF-8
    head--;
  while (((unsigned char)name[tail] & 0xC0) == 0x80)
    tail++;
  return strata_arena_printf(arena, "%.*s…%s", (int)head, name, name + tail);
}

static void add_name(strata_arena_t *arena, names_t *names, const char *name) {
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->data[i], name) == 0)
      return;
  *strata_vector_push(arena, names) = name;
}

static void collect(strata_arena_t *arena, MlirLocation location, names_t *names) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    add_name(arena, names, strata_arena_printf(arena, "%.*s", (int)name.length, name.data));
  } else if (mlirLocationIsAFileLineColRange(location)) {
    add_name(arena, names, strata_arena_printf(arena, "line %d", mlirLocationFileLineColRangeGetStartLine(location)));
  } else if (mlirLocationIsAFused(location)) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    MlirLocation *parts = strata_arena_array(arena, MlirLocation, count);
    mlirLocationFusedGetLocations(location, parts);
    for (unsigned i = 0; i < count; i++)
      collect(arena, parts[i], names);
  }
}

// |name| without the folders that it shares with |first|.
static const char *relative(strata_arena_t *arena, const char *first, const char *name) {
  size_t shared = 0;
  for (size_t i = 0; name[i] && name[i] == first[i]; i++)
    if (name[i] == '/')
      shared = i;
  return shared ? strata_arena_printf(arena, "…%s", name + shared) : name;
}

const char *const *strata_origins_list(strata_arena_t *arena, MlirLocation location, size_t *out_count) {
  names_t names = {0};
  collect(arena, location, &names);
  *out_count = names.count;
  return names.data;
}

const char *strata_origin_short(strata_arena_t *arena, const char *first, const char *name) {
  return shorten(arena, first ? relative(arena, first, name) : name);
}

// Names of a location in a few words: a beginning that a name shares with the first is "…", and of many the first and
// their number are given. Of a module read as text they are its lines. "" where there are none.
static const char *text_of(strata_arena_t *arena, MlirLocation location) {
  names_t names = {0};
  collect(arena, location, &names);
  const char *text = "";
  size_t n_shown = names.count <= MAX_NAMES ? names.count : MAX_NAMES - 1;
  for (size_t i = 0; i < n_shown; i++) {
    const char *name = strata_origin_short(arena, i ? names.data[0] : NULL, names.data[i]);
    text = strata_arena_printf(arena, "%s%s%s", text, i ? ", " : "", name);
  }
  return n_shown < names.count ? strata_arena_printf(arena, "%s and %zu more", text, names.count - n_shown) : text;
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

typedef struct {
  MlirAttribute callee; // uniqued
  int n_calls;
  MlirLocation first, last;
} called_t;

typedef STRATA_VECTOR(called_t) called_list_t;

typedef struct {
  strata_arena_t *arena;
  strata_loop_table_t loops;
  strata_pointer_map_t index; // callee -> 1 + place in the list
  called_list_t list;
} lister_t;

static void list_calls(lister_t *lister, MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  MlirOperation op = mlirBlockIsNull(body) ? (MlirOperation){NULL} : mlirBlockGetFirstOperation(body);
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "func.call") || !mlirOperationIsNull(strata_called_loop(&lister->loops, op)))
      continue;
    MlirAttribute callee = strata_attr(op, "callee");
    int64_t *known = strata_pointer_map_put(&lister->index, callee.ptr);
    if (!*known) {
      *strata_vector_push(lister->arena, &lister->list) =
          (called_t){.callee = callee, .first = mlirOperationGetLocation(op)};
      *known = (int64_t)lister->list.count;
    }
    called_t *called = &lister->list.data[*known - 1];
    called->n_calls++;
    called->last = mlirOperationGetLocation(op);
  }
}

const strata_kernel_origins_t *strata_kernel_origins(strata_arena_t *arena, MlirModule module, size_t *out_count) {
  lister_t lister = {
      .arena = arena, .loops = strata_loop_table(arena, module), .index = strata_pointer_map_create(arena)};
  MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  for (; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.func") && !mlirStringRefEqual(strata_attr_str(op, "sym_name"), strata_str("prepare")))
      list_calls(&lister, op);
  const called_list_t list = lister.list;
  strata_kernel_origins_t *kernels = strata_arena_array(arena, strata_kernel_origins_t, list.count + 1);
  *out_count = list.count;
  for (size_t i = 0; i < list.count; i++) {
    const called_t *called = &list.data[i];
    MlirStringRef symbol = mlirFlatSymbolRefAttrGetValue(called->callee);
    const char *nodes = text_of(arena, called->first);
    if (*nodes && called->n_calls > 1)
      nodes = strata_arena_printf(arena, "%s; last of %d: %s", nodes, called->n_calls, text_of(arena, called->last));
    kernels[i] = (strata_kernel_origins_t){
        .kernel = strata_arena_printf(arena, "%.*s", (int)symbol.length, symbol.data),
        .n_calls = called->n_calls,
        .nodes = nodes,
    };
  }
  return kernels;
}
