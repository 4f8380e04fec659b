// The tile dialect's ops and their builders; see tile.h.
#include "dialects/tile/tile.h"

#include "dialects/mlir_util.h"

#include <mlir-c/Dialect/IRDL.h>

// The symbols of the map are of type index, so one variadic group says all there is to say of them. A pad value is an
// extra attribute, and so is a mask: IRDL has no optional ones.
static const char dialect_text[] = "irdl.dialect @tile {\n"
                                   "  irdl.operation @load {\n"
                                   "    %m = irdl.base \"!builtin.memref\"\n"
                                   "    %i = irdl.is index\n"
                                   "    %v = irdl.any\n"
                                   "    %map = irdl.base \"#builtin.affine_map\"\n"
                                   "    irdl.operands(memref: %m, symbols: variadic %i)\n"
                                   "    irdl.results(vector: %v)\n"
                                   "    irdl.attributes {\"map\" = %map}\n"
                                   "  }\n"
                                   "  irdl.operation @store {\n"
                                   "    %v = irdl.any\n"
                                   "    %m = irdl.base \"!builtin.memref\"\n"
                                   "    %i = irdl.is index\n"
                                   "    %map = irdl.base \"#builtin.affine_map\"\n"
                                   "    irdl.operands(vector: %v, memref: %m, symbols: variadic %i)\n"
                                   "    irdl.attributes {\"map\" = %map}\n"
                                   "  }\n"
                                   "  irdl.operation @mma {\n"
                                   "    %a = irdl.base \"!builtin.vector\"\n"
                                   "    %b = irdl.base \"!builtin.vector\"\n"
                                   "    %c = irdl.base \"!builtin.vector\"\n"
                                   "    %kind = irdl.base \"#builtin.string\"\n"
                                   "    irdl.operands(a: %a, b: %b, c: %c)\n"
                                   "    irdl.results(d: %c)\n"
                                   "    irdl.attributes {\"kind\" = %kind}\n"
                                   "  }\n"
                                   "}\n";

strata_status_t strata_tile_dialect_load(MlirContext context) {
  MlirModule module = mlirModuleCreateParse(context, strata_str(dialect_text));
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
