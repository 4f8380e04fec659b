// The tile dialect's ops and their builders; see tile.h.
#include "dialects/tile/tile.h"

#include "dialects/irdl.h"
#include "dialects/mlir_util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the lists of ops.def are made of, in the order in which they name each other. Each names one type or attribute
// an op, hence some twice.
static const struct {
  const char *name, *constraint;
} constraints[] = {
    {"%value", "irdl.any"},
    {"%memory", "irdl.base \"!builtin.memref\""},
    {"%memory_2", "irdl.base \"!builtin.memref\""},
    {"%memory_3", "irdl.base \"!builtin.memref\""},
    {"%memory_4", "irdl.base \"!builtin.memref\""},
    {"%memory_5", "irdl.base \"!builtin.memref\""},
    {"%memory_6", "irdl.base \"!builtin.memref\""},
    {"%vector", "irdl.base \"!builtin.vector\""},
    {"%vector_2", "irdl.base \"!builtin.vector\""},
    {"%vector_3", "irdl.base \"!builtin.vector\""},
    {"%index", "irdl.is index"},
    {"%i1", "irdl.is i1"},
    {"%i32", "irdl.is i32"},
    {"%map", "irdl.base \"#builtin.affine_map\""},
    {"%string", "irdl.base \"#builtin.string\""},
    {"%integer", "irdl.base \"#builtin.integer\""},
    {"%integer_2", "irdl.base \"#builtin.integer\""},
    {"%dictionary", "irdl.base \"#builtin.dictionary\""},
    {"%array", "irdl.base \"#builtin.dense_array\""},
    {"%array_2", "irdl.base \"#builtin.dense_array\""},
    {"%true", "irdl.is true"},
    {"%false", "irdl.is false"},
    {"%flag", "irdl.any_of(%true, %false)"},
};

static const struct {
  const char *name, *operands, *results, *attributes;
} ops[] = {
#define OP(...) {__VA_ARGS__},
#include "dialects/tile/ops.def"
};

// Also true of "%memory" where "%memory_2" is used, which does no harm.
static bool is_used(const char *name, size_t i) {
  return strstr(ops[i].operands, name) || strstr(ops[i].results, name) || strstr(ops[i].attributes, name) ||
         (strstr(ops[i].attributes, "%flag") && (strcmp(name, "%true") == 0 || strcmp(name, "%false") == 0));
}

static void write_op(FILE *out, size_t i) {
  fprintf(out, "irdl.operation @%s {\n", ops[i].name);
  for (size_t c = 0; c < sizeof constraints / sizeof constraints[0]; c++)
    if (is_used(constraints[c].name, i))
      fprintf(out, "%s = %s\n", constraints[c].name, constraints[c].constraint);
  fprintf(out, "irdl.operands(%s)\nirdl.results(%s)\n", ops[i].operands, ops[i].results);
  if (*ops[i].attributes) // IRDL has no empty list of attributes
    fprintf(out, "irdl.attributes {%s}\n", ops[i].attributes);
  fprintf(out, "}\n");
}

static void write_dialect(FILE *out) {
  fprintf(out, "irdl.dialect @tile {\n");
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
    write_op(out, i);
  fprintf(out, "}\n");
}

strata_status_t strata_tile_dialect_load(MlirContext context) {
  return strata_irdl_load(context, "tile", write_dialect);
}

//===-- Building --------------------------------------------------------------------------------------------------===//

// Appends an op whose operands are |n_fixed| values and then the symbols of |access|.
static MlirOperation append(MlirBlock block, MlirOperationState *state, int n_fixed, const MlirValue *fixed,
                            const strata_tile_access_t *access) {
  MlirContext context = mlirAffineMapGetContext(access->map);
  MlirNamedAttribute attr =
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("map")), mlirAffineMapAttrGet(access->map));
  mlirOperationStateAddOperands(state, n_fixed, fixed);
  mlirOperationStateAddOperands(state, access->n_symbols, access->symbols);
  mlirOperationStateAddAttributes(state, 1, &attr);
  MlirOperation op = mlirOperationCreate(state);
  if (!mlirAttributeIsNull(access->mask))
    strata_set_attr(op, "mask", access->mask);
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

MlirValue strata_tile_build_load(MlirBlock block, MlirLocation location, const strata_tile_access_t *access,
                                 MlirType vector_type) {
  const char *name = access->n_pages ? STRATA_TILE_LOAD_PAGES : STRATA_TILE_LOAD;
  MlirOperationState state = mlirOperationStateGet(strata_str(name), location);
  mlirOperationStateAddResults(&state, 1, &vector_type);
  MlirContext context = mlirAffineMapGetContext(access->map);
  MlirNamedAttribute pages =
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("pages")), strata_i64_attr(context, access->n_pages));
  mlirOperationStateAddAttributes(&state, access->n_pages ? 1 : 0, &pages);
  MlirOperation op = append(block, &state, 1, &access->memref, access);
  if (!mlirAttributeIsNull(access->pad))
    strata_set_attr(op, "pad", access->pad);
  return mlirOperationGetResult(op, 0);
}

void strata_tile_build_store(MlirBlock block, MlirLocation location, MlirValue vector,
                             const strata_tile_access_t *access) {
  MlirOperationState state = mlirOperationStateGet(strata_str(STRATA_TILE_STORE), location);
  append(block, &state, 2, (MlirValue[]){vector, access->memref}, access);
}

//===-- Reading ---------------------------------------------------------------------------------------------------===//

bool strata_tile_is_load(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_LOAD) || strata_op_is(op, STRATA_TILE_LOAD_PAGES);
}

bool strata_tile_is_access(MlirOperation op) { return strata_tile_is_load(op) || strata_op_is(op, STRATA_TILE_STORE); }

strata_tile_access_t strata_tile_read_access(MlirOperation op, MlirValue *symbols) {
  int n_fixed = strata_op_is(op, STRATA_TILE_STORE) ? 2 : 1;
  strata_tile_access_t access = {
      .memref = mlirOperationGetOperand(op, n_fixed - 1),
      .map = mlirAffineMapAttrGetValue(strata_attr(op, "map")),
      .n_symbols = (int)mlirOperationGetNumOperands(op) - n_fixed,
      .symbols = symbols,
      .pad = strata_attr(op, "pad"),
      .n_pages = (int)strata_attr_i64(op, "pages", 0),
      .mask = strata_attr(op, "mask"),
  };
  for (int i = 0; i < access.n_symbols; i++)
    symbols[i] = mlirOperationGetOperand(op, n_fixed + i);
  return access;
}
