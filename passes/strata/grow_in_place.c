// strata-grow-in-place: a result that is an argument with more behind it, and may have its memory (strata.alias), is as
// large as it is at most, and so is the argument: then rows lie where they lay in the call before.
//
//   @main(%past: tensor<1x8x?x64xf16, (1, 8, s0, 64)>) -> (... {strata.alias = "past"})      s0 is at most 511
//     %0 = concat(%past, %new) {axis = 2}                         return %0        read(%0)
// becomes
//   @main(%past: tensor<1x8x512x64xf16>) -> (tensor<1x8x512x64xf16> {strata.alias = "past"})
//     %1 = concat(slice(%past)[0 : s0], %new)
//     %2 = concat(%1, slice(%past)[s0 + 1 : 512])                 return %2        read(slice(%2)[0 : s0 + 1])
//
// What is read and stored at one place affine-store-in-place leaves out. Behind all passes that look through concats:
// they would have the reader join the parts once more.
#include "dialects/mlir_util.h"
#include "passes/pass.h"
#include "passes/strata/graph.h"

typedef struct {
  strata_compile_t *compile;
  MlirOperation main, end;
  strata_symbols_t symbols;
} growing_t;

// A result and the argument that it begins with.
typedef struct {
  intptr_t result, argument;
  MlirOperation concat;
  int64_t axis, room; // the greatest size along it
} grown_t;

static MlirValue argument_of(const growing_t *g, intptr_t index) {
  return mlirBlockGetArgument(strata_func_body(g->main), index);
}

// The leftmost of the values that |concat| joins along |axis|.
static MlirValue first_part(MlirOperation concat, int64_t axis) {
  MlirValue value = strata_result(concat);
  for (; !mlirOperationIsNull(concat) && strata_attr_i64(concat, "axis", 0) == axis;
       concat = strata_def_if(value, STRATA_OP_CONCAT))
    value = strata_operand(concat, 0);
  return value;
}

// False where sizes are known to no end: there is no such room.
static bool find_room(const growing_t *g, grown_t *out) {
  const strata_shape_t shape = strata_shape_of(strata_result(out->concat));
  strata_range_t range = strata_dim_range(shape.dims[out->axis], &g->symbols);
  out->room = range.max;
  return shape.type != STRATA_TYPE_I4 && range.max < INT32_MAX;
}

static bool read_result(const growing_t *g, intptr_t result, grown_t *out) {
  MlirValue value = mlirOperationGetOperand(g->end, result);
  MlirAttribute alias = strata_port_attr(g->main, "res_attrs", result, "strata.alias");
  *out = (grown_t){.result = result, .concat = strata_def_if(value, STRATA_OP_CONCAT)};
  if (mlirAttributeIsNull(alias) || mlirOperationIsNull(out->concat))
    return false;
  out->axis = strata_attr_i64(out->concat, "axis", 0);
  MlirValue first = first_part(out->concat, out->axis);
  if (!mlirValueIsABlockArgument(first))
    return false;
  out->argument = mlirBlockArgumentGetArgNumber(first);
  return mlirAttributeEqual(strata_port_attr(g->main, "arg_attrs", out->argument, "strata.name"), alias) &&
         find_room(g, out);
}

// |value| from |start| on along the axis, |size| of it.
static MlirValue part_of(strata_builder_t *b, const grown_t *grown, MlirValue value, strata_dim_t start,
                         strata_dim_t size) {
  MlirContext context = b->compile->context;
  strata_shape_t shape = strata_shape_of(value);
  strata_dim_t starts[STRATA_MAX_RANK];
  int64_t steps[STRATA_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) {
    starts[i] = i == grown->axis ? start : strata_dim_constant(context, 0);
    steps[i] = 1;
  }
  shape.dims[grown->axis] = size;
  return strata_build_slice_dims(b, value, starts, steps, shape.dims);
}

static MlirType with_room(MlirContext context, const grown_t *grown, strata_shape_t shape) {
  shape.dims[grown->axis] = strata_dim_constant(context, grown->room);
  return strata_shape_to_type(context, &shape);
}

// Readers of the argument read the part of it that it was.
static strata_status_t enlarge_argument(growing_t *g, const grown_t *grown) {
  MlirContext context = g->compile->context;
  MlirBlock body = strata_func_body(g->main);
  MlirValue argument = argument_of(g, grown->argument);
  const strata_shape_t shape = strata_shape_of(argument);
  strata_builder_t build = {.compile = g->compile,
                            .block = body,
                            .before = mlirBlockGetFirstOperation(body),
                            .location = mlirOperationGetLocation(grown->concat)};
  mlirValueSetType(argument, with_room(context, grown, shape));
  MlirValue old = part_of(&build, grown, argument, strata_dim_constant(context, 0), shape.dims[grown->axis]);
  STRATA_TRY(build.status);
  MlirOperation slice = strata_def(old);
  mlirValueReplaceAllUsesExcept(argument, old, 1, &slice);
  return NULL;
}

// And those of the result that of it; what is behind is as it was.
static strata_status_t enlarge_result(growing_t *g, const grown_t *grown) {
  MlirContext context = g->compile->context;
  MlirValue joined = strata_result(grown->concat), argument = argument_of(g, grown->argument);
  const strata_shape_t shape = strata_shape_of(joined);
  strata_dim_t size = shape.dims[grown->axis], room = strata_dim_constant(context, grown->room);
  strata_builder_t build = {.compile = g->compile,
                            .block = mlirOperationGetBlock(grown->concat),
                            .before = mlirOperationGetNextInBlock(grown->concat),
                            .location = mlirOperationGetLocation(grown->concat)};
  MlirValue behind = part_of(&build, grown, argument, size, strata_dim_sub(room, size));
  MlirValue parts[2] = {joined, behind}, whole = strata_build_concat(&build, 2, parts, grown->axis);
  MlirValue read = part_of(&build, grown, whole, strata_dim_constant(context, 0), size);
  STRATA_TRY(build.status);
  MlirOperation concat = strata_def(whole);
  mlirValueReplaceAllUsesExcept(joined, read, 1, &concat);
  mlirOperationSetOperand(g->end, grown->result, whole);
  return NULL;
}

static strata_status_t grow(growing_t *g, const grown_t *grown) {
  const strata_shape_t shape = strata_shape_of(strata_result(grown->concat));
  STRATA_TRY(enlarge_argument(g, grown));
  return strata_dim_is(shape.dims[grown->axis], grown->room) ? NULL : enlarge_result(g, grown);
}

strata_status_t strata_pass_grow_in_place(strata_compile_t *compile) {
  growing_t g = {.compile = compile, .main = strata_find_func(compile->module, "main")};
  grown_t grown;
  if (mlirOperationIsNull(g.main))
    return NULL;
  g.end = mlirBlockGetTerminator(strata_func_body(g.main));
  STRATA_TRY(strata_symbols_read(compile->arena, compile->module, &g.symbols));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(g.end); i++)
    if (read_result(&g, i, &grown))
      STRATA_TRY(grow(&g, &grown));
  strata_update_function_type(compile->arena, g.main);
  return NULL;
}
