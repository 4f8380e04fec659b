// The tile dialect's ops and their builders; see tile.h.
#include "dialects/tile/tile.h"

#include "dialects/mlir_util.h"

#include <mlir-c/Dialect/IRDL.h>

// The symbols of the map are of type index, so one variadic group says all there is to say of them. A pad value is an
// extra attribute: IRDL has no optional ones.
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

// Appends an op whose operands are |n_fixed| values and then the symbols of |map|.
static MlirOperation append(MlirBlock block, MlirOperationState *state, int n_fixed, const MlirValue *fixed,
                            int n_symbols, const MlirValue *symbols, MlirAffineMap map) {
  MlirContext context = mlirAffineMapGetContext(map);
  MlirNamedAttribute attr =
      mlirNamedAttributeGet(mlirIdentifierGet(context, strata_str("map")), mlirAffineMapAttrGet(map));
  mlirOperationStateAddOperands(state, n_fixed, fixed);
  mlirOperationStateAddOperands(state, n_symbols, symbols);
  mlirOperationStateAddAttributes(state, 1, &attr);
  MlirOperation op = mlirOperationCreate(state);
  mlirBlockAppendOwnedOperation(block, op);
  return op;
}

MlirValue strata_tile_build_load(MlirBlock block, MlirLocation location, MlirValue memref, MlirAffineMap map,
                                 int n_symbols, const MlirValue *symbols, MlirAttribute pad, MlirType vector_type) {
  MlirOperationState state = mlirOperationStateGet(strata_str(STRATA_TILE_LOAD), location);
  mlirOperationStateAddResults(&state, 1, &vector_type);
  MlirOperation op = append(block, &state, 1, &memref, n_symbols, symbols, map);
  if (!mlirAttributeIsNull(pad))
    strata_set_attr(op, "pad", pad);
  return mlirOperationGetResult(op, 0);
}

void strata_tile_build_store(MlirBlock block, MlirLocation location, MlirValue vector, MlirValue memref,
                             MlirAffineMap map, int n_symbols, const MlirValue *symbols) {
  MlirOperationState state = mlirOperationStateGet(strata_str(STRATA_TILE_STORE), location);
  append(block, &state, 2, (MlirValue[]){vector, memref}, n_symbols, symbols, map);
}
