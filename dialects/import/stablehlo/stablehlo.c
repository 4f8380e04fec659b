// A module of StableHLO in MLIR's generic form, as jax.export and others give it, to a graph of ONNX's operators.
//
// Calls are inlined first, so that @main alone is read, operation by operation. Sizes that vary have '?' in its types;
// JAX says what they are called beside the operands that its functions get them as.
#include "dialects/import/stablehlo/stablehlo.h"

#include "dialects/import/stablehlo/read.h"

#include <ctype.h>

//===-- Operations -----------------------------------------------------------------------------------------------===//

typedef struct {
  hlo_op_info_t info;
  const char *missing;
} row_t;

static const row_t rows[] = {
#define HLO_OP(name_, reader_, ...) {.info = {.name = name_, .reader = hlo_read_##reader_, __VA_ARGS__}},
#define HLO_MISSING(name_, reason_) {.info = {.name = name_}, .missing = reason_},
#include "dialects/import/stablehlo/ops.def"
};

// The operation's name: that of StableHLO without the dialect's.
static const char *short_name(strata_arena_t *arena, MlirOperation op) {
  static const char dialect[] = "stablehlo.";
  MlirStringRef name = strata_op_name(op);
  size_t skipped =
      name.length > sizeof dialect - 1 && !memcmp(name.data, dialect, sizeof dialect - 1) ? sizeof dialect - 1 : 0;
  return strata_arena_printf(arena, "%.*s", (int)(name.length - skipped), name.data + skipped);
}

static const row_t *find_row(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].info.name, name))
      return &rows[i];
  return NULL;
}

static const char *place(strata_arena_t *arena, MlirLocation location) {
  if (mlirLocationIsAFileLineColRange(location))
    return strata_arena_printf(arena, "line %d", mlirLocationFileLineColRangeGetStartLine(location));
  char text[256];
  return strata_arena_strdup(arena, strata_location_text(location, text, sizeof text));
}

static bool has_known_types(const hlo_op_t *o) {
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    if (hlo_type_of(mlirOperationGetResult(o->op, i)).dtype == STRATA_DTYPE_NONE)
      return false;
  return true;
}

void hlo_set_origin(hlo_op_t *o) {
  strata_arena_t *arena = o->importer->compile->arena;
  graph_origin(o->g, short_name(arena, o->op), place(arena, mlirOperationGetLocation(o->op)));
}

static void read_op(hlo_importer_t *importer, graph_t *g, MlirOperation op) {
  strata_arena_t *arena = importer->compile->arena;
  const char *name = short_name(arena, op);
  const row_t *row = find_row(name);
  hlo_op_t o = {.importer = importer, .g = g, .op = op, .info = row ? &row->info : NULL};
  hlo_set_origin(&o);
  if (!row)
    hlo_refuse(&o, "not an operation that is known");
  else if (row->missing)
    hlo_refuse(&o, "%s", row->missing);
  else if (!has_known_types(&o))
    hlo_refuse(&o, "a result that is no tensor of numbers, or of more than %d dims", HLO_MAX_RANK);
  else
    row->info.reader(&o);
}

void hlo_read_block(hlo_importer_t *importer, graph_t *g, MlirBlock block, const char *const *arguments) {
  if (mlirBlockIsNull(block))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block) && arguments; i++)
    hlo_set_name(importer, mlirBlockGetArgument(block, i), arguments[i]);
  MlirOperation end = hlo_terminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirOperationEqual(op, end) && !strata_pointer_map_get(&importer->named, op.ptr))
      read_op(importer, g, op);
}

//===-- Inputs and outputs ---------------------------------------------------------------------------------------===//

typedef struct {
  const char *names[HLO_MAX_RANK]; // of an input's dims; NULL: none is known
} dim_names_t;

// The dim of an argument of |block| that |value| is the size of; false if it is none.
static bool is_size_of(MlirBlock block, MlirValue value, int *out_argument, int64_t *out_dim) {
  MlirOperation def = strata_def(value);
  if (mlirOperationIsNull(def) || !hlo_op_is(def, "get_dimension_size"))
    return false;
  *out_argument = hlo_argument_number(block, mlirOperationGetOperand(def, 0));
  *out_dim = strata_attr_i64(def, "dimension", -1);
  return *out_argument >= 0 && *out_dim >= 0 && *out_dim < HLO_MAX_RANK;
}

// JAX's functions get sizes as operands, and say in an attribute of theirs what these are called.
static void read_names(hlo_importer_t *importer, MlirBlock block, MlirOperation call, dim_names_t *names) {
  MlirAttribute callee = strata_attr(call, "callee");
  MlirOperation func = mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee)
                           ? (MlirOperation){0}
                           : strata_find_symbol(importer->module, mlirFlatSymbolRefAttrGetValue(callee));
  MlirAttribute attrs = mlirOperationIsNull(func) ? (MlirAttribute){0} : strata_attr(func, "arg_attrs");
  if (mlirAttributeIsNull(attrs) || !mlirAttributeIsAArray(attrs))
    return;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attrs) && i < mlirOperationGetNumOperands(call); i++) {
    MlirAttribute own = mlirArrayAttrGetElement(attrs, i);
    MlirAttribute name = mlirAttributeIsADictionary(own)
                             ? mlirDictionaryAttrGetElementByName(own, strata_str("jax.global_constant"))
                             : (MlirAttribute){0};
    int argument;
    int64_t dim;
    if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name) ||
        !is_size_of(block, mlirOperationGetOperand(call, i), &argument, &dim))
      continue;
    MlirStringRef text = mlirStringAttrGetValue(name);
    names[argument].names[dim] = strata_arena_printf(importer->compile->arena, "%.*s", (int)text.length, text.data);
  }
}

static dim_names_t *name_dims(hlo_importer_t *importer, MlirBlock block) {
  dim_names_t *names = strata_arena_array(importer->compile->arena, dim_names_t, mlirBlockGetNumArguments(block) + 1);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call") || strata_op_is(op, "call"))
      read_names(importer, block, op, names);
  return names;
}

// The name in the location or an attribute of an input; "arg0" where there is none.
static const char *input_name(hlo_importer_t *importer, MlirOperation main, int i) {
  strata_arena_t *arena = importer->compile->arena;
  MlirAttribute attrs = strata_attr(main, "arg_attrs");
  if (!mlirAttributeIsNull(attrs) && mlirAttributeIsAArray(attrs) && i < mlirArrayAttrGetNumElements(attrs)) {
    MlirAttribute own = mlirArrayAttrGetElement(attrs, i);
    MlirAttribute name = mlirAttributeIsADictionary(own)
                             ? mlirDictionaryAttrGetElementByName(own, strata_str("strata.name"))
                             : (MlirAttribute){0};
    if (!mlirAttributeIsNull(name) && mlirAttributeIsAString(name)) {
      MlirStringRef text = mlirStringAttrGetValue(name);
      return strata_arena_printf(arena, "%.*s", (int)text.length, text.data);
    }
  }
  return strata_arena_printf(arena, "arg%d", i);
}

static strata_status_t add_inputs(hlo_importer_t *importer, graph_t *g, MlirOperation main, MlirBlock block,
                                  const dim_names_t *names, const char **out_names) {
  for (int i = 0; i < mlirBlockGetNumArguments(block); i++) {
    hlo_type_t type = hlo_type_of(mlirBlockGetArgument(block, i));
    graph_dim_t dims[HLO_MAX_RANK];
    out_names[i] = input_name(importer, main, i);
    if (type.dtype == STRATA_DTYPE_NONE)
      return strata_error(STRATA_UNSUPPORTED, "input '%s': expected a tensor of numbers of at most %d dims",
                          out_names[i], HLO_MAX_RANK);
    for (int d = 0; d < type.rank; d++)
      dims[d] = (graph_dim_t){.size = type.dims[d], .name = names[i].names[d]};
    graph_input(g, out_names[i], type.dtype, type.rank, dims);
  }
  return NULL;
}

static void add_outputs(hlo_importer_t *importer, graph_t *g, MlirBlock block) {
  for (int i = 0; i < hlo_n_returned(block); i++) {
    graph_origin(g, "return", strata_arena_printf(importer->compile->arena, "result %d", i));
    graph_output(g, strata_arena_printf(importer->compile->arena, "result%d", i),
                 hlo_name(importer, hlo_returned(block, i)));
  }
}

//===-- The module -----------------------------------------------------------------------------------------------===//

static strata_status_t read_main(strata_compile_t *compile, MlirModule module, graph_t *g) {
  hlo_importer_t importer = {.compile = compile,
                             .module = module,
                             .names = strata_pointer_map_create(compile->arena),
                             .named = strata_pointer_map_create(compile->arena)};
  MlirOperation main = strata_find_func(module, "main");
  MlirBlock block = mlirOperationIsNull(main) || mlirOperationGetNumRegions(main) != 1
                        ? (MlirBlock){0}
                        : mlirRegionGetFirstBlock(mlirOperationGetRegion(main, 0));
  if (mlirBlockIsNull(block) || hlo_n_returned(block) < 0)
    return strata_error(STRATA_PARSE, "expected a function @main with a body");
  const char **names = strata_arena_array(compile->arena, const char *, mlirBlockGetNumArguments(block) + 1);
  STRATA_TRY(add_inputs(&importer, g, main, block, name_dims(&importer, block), names));
  STRATA_TRY(hlo_inline_calls(compile, module, main));
  hlo_read_block(&importer, g, block, names);
  add_outputs(&importer, g, block);
  return NULL;
}

strata_status_t hlo_import(strata_compile_t *compile, MlirModule module, const char *path,
                           const strata_import_options_t *options) {
  graph_t *g = graph_create(compile->arena);
  STRATA_TRY(strata_status_context(read_main(compile, module, g), "%s", path));
  return graph_import(g, compile, path, options);
}
