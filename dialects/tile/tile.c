// The tile dialect's ops and their builders; see tile.h.
#include "dialects/tile/tile.h"

#include "dialects/mlir_util.h"

#include <mlir-c/Dialect/IRDL.h>

// What the lists of ops.def are made of. Each names one type or attribute an op, hence some twice.
static const char constraints[] = "    %value = irdl.any\n"
                                  "    %memory = irdl.base \"!builtin.memref\"\n"
                                  "    %memory_2 = irdl.base \"!builtin.memref\"\n"
                                  "    %vector = irdl.base \"!builtin.vector\"\n"
                                  "    %vector_2 = irdl.base \"!builtin.vector\"\n"
                                  "    %vector_3 = irdl.base \"!builtin.vector\"\n"
                                  "    %index = irdl.is index\n"
                                  "    %i1 = irdl.is i1\n"
                                  "    %i32 = irdl.is i32\n"
                                  "    %map = irdl.base \"#builtin.affine_map\"\n"
                                  "    %string = irdl.base \"#builtin.string\"\n"
                                  "    %integer = irdl.base \"#builtin.integer\"\n"
                                  "    %integer_2 = irdl.base \"#builtin.integer\"\n"
                                  "    %array = irdl.base \"#builtin.dense_array\"\n"
                                  "    %array_2 = irdl.base \"#builtin.dense_array\"\n"
                                  "    %true = irdl.is true\n"
                                  "    %false = irdl.is false\n"
                                  "    %flag = irdl.any_of(%true, %false)\n";

static const struct {
  const char *name, *operands, *results, *attributes;
} ops[] = {
#define OP(...) {__VA_ARGS__},
#include "dialects/tile/ops.def"
};

// IRDL has no empty list of attributes.
static const char *op_text(strata_arena_t *arena, size_t i) {
  const char *attributes = ops[i].attributes;
  if (*attributes)
    attributes = strata_arena_printf(arena, "    irdl.attributes {%s}\n", attributes);
  return strata_arena_printf(arena, "  irdl.operation @%s {\n%s    irdl.operands(%s)\n    irdl.results(%s)\n%s  }\n",
                             ops[i].name, constraints, ops[i].operands, ops[i].results, attributes);
}

static const char *dialect_text(strata_arena_t *arena) {
  const char *text = "irdl.dialect @tile {\n";
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
    text = strata_arena_printf(arena, "%s%s", text, op_text(arena, i));
  return strata_arena_printf(arena, "%s}\n", text);
}

strata_status_t strata_tile_dialect_load(MlirContext context) {
  strata_arena_t *arena = strata_arena_create();
  MlirModule module = mlirModuleCreateParse(context, strata_str(dialect_text(arena)));
  strata_arena_destroy(arena);
  if (mlirModuleIsNull(module))
    return strata_error(STRATA_INTERNAL, "the IRDL text of the tile dialect does not parse");
  MlirLogicalResult result = mlirLoadIRDLDialects(module);
  mlirModuleDestroy(module);
  if (mlirLogicalResultIsFailure(result))
    return strata_error(STRATA_INTERNAL, "the tile dialect does not load");
  return NULL;
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
  MlirOperationState state = mlirOperationStateGet(strata_str(STRATA_TILE_LOAD), location);
  mlirOperationStateAddResults(&state, 1, &vector_type);
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

bool strata_tile_is_access(MlirOperation op) {
  return strata_op_is(op, STRATA_TILE_LOAD) || strata_op_is(op, STRATA_TILE_STORE);
}

strata_tile_access_t strata_tile_read_access(MlirOperation op, MlirValue *symbols) {
  int n_fixed = strata_op_is(op, STRATA_TILE_STORE) ? 2 : 1;
  strata_tile_access_t access = {
      .memref = mlirOperationGetOperand(op, n_fixed - 1),
      .map = mlirAffineMapAttrGetValue(strata_attr(op, "map")),
      .n_symbols = (int)mlirOperationGetNumOperands(op) - n_fixed,
      .symbols = symbols,
      .pad = strata_attr(op, "pad"),
      .mask = strata_attr(op, "mask"),
  };
  for (int i = 0; i < access.n_symbols; i++)
    symbols[i] = mlirOperationGetOperand(op, n_fixed + i);
  return access;
}
