// A module of StableHLO in MLIR's generic form, of TOSA, or of linalg on tensors to a graph of ONNX's operators.
//
// Calls are inlined first, so that one function is read, operation by operation. Sizes that vary have '?' in its types;
// JAX says what they are called beside the operands that its functions get them as.
#include "dialects/import/linalg/linalg.h"
#include "dialects/import/stablehlo/stablehlo.h"
#include "dialects/import/tir/read.h"
#include "dialects/import/tir/tir.h"
#include "dialects/import/tosa/tosa.h"

//===-- Operations -----------------------------------------------------------------------------------------------===//

// Those of StableHLO without their dialect.
static const tir_op_info_t rows[] = {
#define HLO_OP(name_, reader_, ...) {.name = name_, .reader = reader_, __VA_ARGS__},
#define HLO_MISSING(name_, reason_) {.name = name_, .missing = reason_},
#include "dialects/import/stablehlo/ops.def"
#define TOSA_OP(name_, reader_, ...) {.name = "tosa." name_, .reader = reader_, __VA_ARGS__},
#define TOSA_MISSING(name_, reason_) {.name = "tosa." name_, .missing = reason_},
#include "dialects/import/tosa/ops.def"
#define LINALG_OP(name_, reader_, ...) {.name = name_, .reader = reader_, __VA_ARGS__},
#define LINALG_MISSING(name_, reason_) {.name = name_, .missing = reason_},
#include "dialects/import/linalg/ops.def"
};

// The operation's name: that of StableHLO without the dialect's.
static const char *short_name(strata_arena_t *arena, MlirOperation op) {
  static const char dialect[] = "stablehlo.";
  MlirStringRef name = strata_op_name(op);
  size_t skipped =
      name.length > sizeof dialect - 1 && !memcmp(name.data, dialect, sizeof dialect - 1) ? sizeof dialect - 1 : 0;
  return strata_arena_printf(arena, "%.*s", (int)(name.length - skipped), name.data + skipped);
}

static const tir_op_info_t *find_row(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return &rows[i];
  return NULL;
}

static const char *place(strata_arena_t *arena, MlirLocation location) {
  if (mlirLocationIsAFileLineColRange(location))
    return strata_arena_printf(arena, "line %d", mlirLocationFileLineColRangeGetStartLine(location));
  char text[256];
  return strata_arena_strdup(arena, strata_location_text(location, text, sizeof text));
}

static bool has_known_types(const tir_op_t *o) {
  for (int i = 0; i < mlirOperationGetNumResults(o->op); i++)
    if (tir_type_of(mlirOperationGetResult(o->op, i)).dtype == STRATA_DTYPE_NONE)
      return false;
  return true;
}

void tir_set_origin(tir_op_t *o) {
  strata_arena_t *arena = o->importer->compile->arena;
  graph_origin(o->g, short_name(arena, o->op), place(arena, mlirOperationGetLocation(o->op)));
}

static void read_op(tir_importer_t *importer, graph_t *g, MlirOperation op) {
  const tir_op_info_t *row = find_row(short_name(importer->compile->arena, op));
  tir_op_t o = {.importer = importer, .g = g, .op = op, .info = row};
  tir_set_origin(&o);
  if (!row)
    tir_refuse(&o, "not an operation that is known");
  else if (row->missing)
    tir_refuse(&o, "%s", row->missing);
  else if (tir_has_complex(&o))
    tir_read_complex(&o);
  else if (!has_known_types(&o))
    tir_refuse(&o, "a result that is no tensor of numbers, or of more than %d dims", TIR_MAX_RANK);
  else
    row->reader(&o);
}

void tir_read_block(tir_importer_t *importer, graph_t *g, MlirBlock block, const char *const *arguments) {
  if (mlirBlockIsNull(block))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block) && arguments; i++)
    tir_set_name(importer, mlirBlockGetArgument(block, i), arguments[i]);
  MlirOperation end = tir_terminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (!mlirOperationEqual(op, end) && !strata_pointer_map_get(&importer->named, op.ptr))
      read_op(importer, g, op);
}

//===-- Inputs and outputs ---------------------------------------------------------------------------------------===//

typedef struct {
  const char *names[TIR_MAX_RANK]; // of an input's dims; NULL: none is known
} dim_names_t;

// The dim of an argument of |block| that |value| is the size of; false if it is none.
static bool is_size_of(MlirBlock block, MlirValue value, int *out_argument, int64_t *out_dim) {
  MlirOperation def = strata_def(value);
  if (mlirOperationIsNull(def) || !hlo_op_is(def, "get_dimension_size"))
    return false;
  *out_argument = tir_argument_number(block, mlirOperationGetOperand(def, 0));
  *out_dim = strata_attr_i64(def, "dimension", -1);
  return *out_argument >= 0 && *out_dim >= 0 && *out_dim < TIR_MAX_RANK;
}

// JAX's functions get sizes as operands, and say in an attribute of theirs what these are called.
static void read_names(tir_importer_t *importer, MlirBlock block, MlirOperation call, dim_names_t *names) {
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

static dim_names_t *name_dims(tir_importer_t *importer, MlirBlock block) {
  dim_names_t *names = strata_arena_array(importer->compile->arena, dim_names_t, mlirBlockGetNumArguments(block) + 1);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "func.call") || strata_op_is(op, "call"))
      read_names(importer, block, op, names);
  return names;
}

// The name in the location or an attribute of an input; "arg0" where there is none.
static const char *input_name(tir_importer_t *importer, MlirOperation main, int i) {
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

static strata_status_t add_inputs(tir_importer_t *importer, graph_t *g, MlirOperation main, MlirBlock block,
                                  const dim_names_t *names, const char **out_names) {
  for (int i = 0; i < mlirBlockGetNumArguments(block); i++) {
    tir_type_t type = tir_type_of(mlirBlockGetArgument(block, i));
    graph_dim_t dims[TIR_MAX_RANK];
    out_names[i] = input_name(importer, main, i);
    if (type.dtype == STRATA_DTYPE_NONE || tir_is_complex(mlirBlockGetArgument(block, i)))
      return strata_error(STRATA_UNSUPPORTED, "input '%s': expected a tensor of numbers of at most %d dims",
                          out_names[i], TIR_MAX_RANK);
    for (int d = 0; d < type.rank; d++)
      dims[d] = (graph_dim_t){.size = type.dims[d], .name = names[i].names[d]};
    graph_input(g, out_names[i], type.dtype, type.rank, dims);
  }
  return NULL;
}

static strata_status_t add_outputs(tir_importer_t *importer, graph_t *g, MlirBlock block) {
  for (int i = 0; i < tir_n_returned(block); i++) {
    if (tir_is_complex(tir_returned(block, i)))
      return strata_error(STRATA_UNSUPPORTED, "result %d: expected real numbers, got complex ones", i);
    graph_origin(g, "return", strata_arena_printf(importer->compile->arena, "result %d", i));
    graph_output(g, strata_arena_printf(importer->compile->arena, "result%d", i),
                 tir_name(importer, tir_returned(block, i)));
  }
  return NULL;
}

//===-- The module -----------------------------------------------------------------------------------------------===//

static bool has_body(MlirOperation func) {
  return strata_op_is(func, "func.func") && mlirOperationGetNumRegions(func) == 1 &&
         !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)));
}

MlirOperation tir_main(MlirModule module) {
  MlirOperation main = strata_find_func(module, "main"), found = {0};
  if (!mlirOperationIsNull(main))
    return has_body(main) ? main : found;
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!has_body(op) || strata_str_equal(strata_attr_str(op, "sym_visibility"), "private"))
      continue;
    if (!mlirOperationIsNull(found))
      return (MlirOperation){0};
    found = op;
  }
  return found;
}

static strata_status_t read_main(tir_importer_t *importer, graph_t *g) {
  strata_arena_t *arena = importer->compile->arena;
  MlirOperation main = tir_main(importer->module);
  MlirBlock block = mlirOperationIsNull(main) ? (MlirBlock){0} : strata_func_body(main);
  if (mlirBlockIsNull(block))
    return strata_error(STRATA_PARSE, "expected a function @main with a body, or one function that others can see");
  if (tir_n_returned(block) < 0 || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return strata_error(STRATA_PARSE, "expected a function of one block that ends in a return");
  const char **names = strata_arena_array(arena, const char *, mlirBlockGetNumArguments(block) + 1);
  STRATA_TRY(add_inputs(importer, g, main, block, name_dims(importer, block), names));
  STRATA_TRY(tir_inline_calls(importer->compile, importer->module, main));
  tir_read_block(importer, g, block, names);
  return add_outputs(importer, g, block);
}

strata_status_t tir_import(strata_compile_t *compile, MlirModule module, const char *path,
                           const strata_mapped_file_t *file, const strata_import_options_t *options) {
  tir_importer_t importer = {.compile = compile,
                             .module = module,
                             .text = (const char *)file->data,
                             .text_size = file->size,
                             .names = strata_pointer_map_create(compile->arena),
                             .imaginary = strata_pointer_map_create(compile->arena),
                             .named = strata_pointer_map_create(compile->arena)};
  graph_t *g = graph_create(compile->arena);
  STRATA_TRY(strata_status_context(read_main(&importer, g), "%s", path));
  return graph_import(g, compile, path, options);
}
