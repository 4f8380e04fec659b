// Reads affine.parallel nests (level 2) into records; see nest.h.
#include "dialects/affine/nest.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

#include <mlir-c/AffineExpr.h>

typedef struct {
  strata_arena_t *arena;
  strata_nest_t *nest;
  strata_size_t *sizes; // of the nest's dims, STRATA_MAX_DIMS of them
  strata_size_symbols_t symbols;
  STRATA_VECTOR(strata_access_t) accesses;
} reader_t;

static strata_status_t broken(MlirOperation op, const char *what) {
  MlirStringRef name = strata_op_name(op);
  return strata_error(STRATA_INTERNAL, "level 2: %.*s: %s", (int)name.length, name.data, what);
}

// The results of the upper bound map |name| of |op|, whose first operands are its inputs.
static bool bound_sizes(MlirOperation op, const char *name, int capacity, const strata_size_symbols_t *symbols,
                        strata_size_t *out) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, name));
  intptr_t count = mlirAffineMapGetNumResults(map), n_inputs = mlirAffineMapGetNumInputs(map);
  MlirAffineExpr inputs[STRATA_MAX_DIMS];
  if (count > capacity || n_inputs > STRATA_MAX_DIMS)
    return false;
  for (intptr_t i = 0; i < n_inputs; i++) {
    inputs[i] = strata_symbol_expr_of_value(mlirOperationGetOperand(op, i));
    if (mlirAffineExprIsNull(inputs[i]))
      return false;
  }
  for (intptr_t i = 0; i < count; i++)
    out[i] = strata_size_of_expr(symbols, strata_affine_apply(map, i, inputs, 0, symbols->count));
  return true;
}

static int dim_of_value(const strata_nest_t *nest, MlirValue value) {
  for (int i = 0; i < nest->n_parallel + nest->n_reduction; i++)
    if (mlirValueEqual(nest->dims[i], value))
      return i;
  return -1;
}

// |value| as an expression over the dims of |nest|: a dim, or an affine.apply of such.
static MlirAffineExpr value_expr(const strata_nest_t *nest, MlirContext context, MlirValue value) {
  int dim = dim_of_value(nest, value);
  if (dim >= 0)
    return mlirAffineDimExprGet(context, dim);
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (strata_op_is(op, "affine.apply")) {
      MlirAffineMap map = strata_nest_map(nest, op);
      if (!mlirAffineMapIsNull(map))
        return mlirAffineMapGetResult(map, 0);
    }
    if (strata_op_is(op, "arith.constant"))
      return mlirAffineConstantExprGet(context, mlirIntegerAttrGetValueInt(strata_attr(op, "value")));
    if (strata_op_is(op, STRATA_SIZE))
      return mlirAffineSymbolExprGet(context, strata_attr_i64(op, "symbol", 0));
  }
  return (MlirAffineExpr){0};
}

// Where an op's map operands start: after the memref of a load, after value and memref of a store.
static intptr_t first_map_operand(MlirOperation op) {
  if (strata_op_is(op, "affine.load"))
    return 1;
  return strata_op_is(op, "affine.store") ? 2 : 0;
}

const strata_access_t *strata_nest_only_store(const strata_nest_t *nest) {
  const strata_access_t *store = NULL;
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store) {
      if (store)
        return NULL;
      store = &nest->accesses[i];
    }
  return store;
}

strata_space_t strata_nest_results(const strata_nest_t *nest, strata_size_t *out_sizes) {
  strata_space_t space = nest->space;
  for (int dim = 0; dim < space.n_dims; dim++)
    out_sizes[dim] = dim < nest->n_parallel ? space.sizes[dim] : strata_size_constant(1);
  space.sizes = out_sizes;
  return space;
}

// Bounds that are sizes are operands in front of them.
MlirValue strata_nest_start(const strata_nest_t *nest, int i) {
  MlirOperation loop = nest->loops[0];
  return mlirOperationGetOperand(loop, mlirOperationGetNumOperands(loop) - mlirOperationGetNumResults(loop) + i);
}

int64_t strata_nest_likely_extent(const strata_nest_t *nest, int dim) {
  const strata_size_symbols_t symbols = strata_nest_symbols(nest);
  return strata_size_likely(&symbols, nest->space.sizes[dim]);
}

bool strata_nest_is_unary(const strata_nest_t *nest) {
  if (nest->is_serial || nest->n_reduction > 0 || nest->n_accesses != 2)
    return false;
  const strata_access_t *load = &nest->accesses[0], *store = &nest->accesses[1];
  return !load->is_store && store->is_store && mlirOperationIsNull(load->guard) && !mlirAffineMapIsNull(load->map) &&
         !mlirAffineMapIsNull(store->map);
}

bool strata_nest_sums_vary(const strata_nest_t *nest) {
  return strata_sizes_vary(nest->n_reduction, nest->space.sizes + nest->n_parallel);
}

bool strata_nest_varies(const strata_nest_t *nest) {
  if (strata_sizes_vary(nest->space.n_dims, nest->space.sizes))
    return true;
  for (int i = 0; i < nest->n_accesses; i++)
    if (!mlirShapedTypeHasStaticShape(mlirValueGetType(nest->accesses[i].buffer)))
      return true;
  return false;
}

MlirAffineMap strata_nest_map(const strata_nest_t *nest, MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  intptr_t n_inputs = mlirAffineMapGetNumInputs(map), n_results = mlirAffineMapGetNumResults(map);
  intptr_t first = first_map_operand(op);
  MlirAffineExpr inputs[STRATA_MAX_DIMS * 2], results[STRATA_MAX_DIMS];
  if (n_inputs > STRATA_MAX_DIMS * 2 || n_results > STRATA_MAX_DIMS)
    return (MlirAffineMap){0};
  for (intptr_t i = 0; i < n_inputs; i++) {
    inputs[i] = value_expr(nest, context, mlirOperationGetOperand(op, first + i));
    if (mlirAffineExprIsNull(inputs[i]))
      return (MlirAffineMap){0};
  }
  int n_nest_dims = nest->n_parallel + nest->n_reduction, n_symbols = nest->space.n_symbols;
  for (intptr_t i = 0; i < n_results; i++)
    results[i] = strata_affine_apply(map, i, inputs, n_nest_dims, n_symbols);
  return mlirAffineMapGet(context, n_nest_dims, n_symbols, n_results, results);
}

static void add_access(reader_t *reader, MlirOperation op, bool in_reduction, MlirOperation guard) {
  bool is_store = strata_op_is(op, "affine.store") || strata_op_is(op, "memref.store");
  bool is_affine = strata_op_is(op, "affine.store") || strata_op_is(op, "affine.load");
  *strata_vector_push(reader->arena, &reader->accesses) = (strata_access_t){
      .op = op,
      .buffer = mlirOperationGetOperand(op, is_store ? 1 : 0),
      .value = is_store ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0),
      .map = is_affine ? strata_nest_map(reader->nest, op) : (MlirAffineMap){0},
      .is_store = is_store,
      .in_reduction = in_reduction,
      .guard = guard,
  };
}

static bool is_memory_op(MlirOperation op) {
  return strata_op_is(op, "affine.load") || strata_op_is(op, "affine.store") || strata_op_is(op, "memref.load") ||
         strata_op_is(op, "memref.store");
}

static strata_status_t read_block(reader_t *reader, MlirBlock block, bool in_reduction, MlirOperation guard);

static strata_status_t read_reduction_loop(reader_t *reader, MlirOperation op) {
  strata_nest_t *nest = reader->nest;
  int n_dims = nest->n_parallel + nest->n_reduction;
  if (n_dims == STRATA_MAX_DIMS)
    return broken(op, "too many dims");
  if (!bound_sizes(op, "upperBoundMap", 1, &reader->symbols, &reader->sizes[n_dims]))
    return broken(op, "bounds must be sizes");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  nest->dims[n_dims] = mlirBlockGetArgument(body, 0);
  nest->loops[nest->n_reduction++] = op;
  nest->space.n_dims = n_dims + 1;
  nest->inner = body;
  return read_block(reader, body, true, (MlirOperation){0});
}

// A serial nest's accesses are found wherever they are; nothing else is asked of it.
static strata_status_t read_serial_op(reader_t *reader, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++) {
    MlirRegion region = mlirOperationGetRegion(op, i);
    for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block))
      STRATA_TRY(read_block(reader, block, false, (MlirOperation){0}));
  }
  return NULL;
}

static strata_status_t read_block(reader_t *reader, MlirBlock block, bool in_reduction, MlirOperation guard) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_memory_op(op)) {
      add_access(reader, op, in_reduction, guard);
    } else if (reader->nest->is_serial) {
      STRATA_TRY(read_serial_op(reader, op));
    } else if (strata_op_is(op, "affine.for")) {
      STRATA_TRY(read_reduction_loop(reader, op));
    } else if (strata_op_is(op, "affine.if")) {
      for (intptr_t i = 0; i < 2; i++)
        STRATA_TRY(read_block(reader, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)), in_reduction, op));
    }
  }
  return NULL;
}

strata_status_t strata_nest_read(strata_arena_t *arena, MlirOperation op, strata_nest_t *out_nest) {
  *out_nest = (strata_nest_t){
      .op = op,
      .name = strata_attr_str(op, "strata.nest"),
      .is_serial = strata_attr_flag(op, "strata.serial"),
      .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)),
  };
  out_nest->inner = out_nest->body;
  out_nest->n_parallel = (int)mlirBlockGetNumArguments(out_nest->body);
  reader_t reader = {
      .arena = arena, .nest = out_nest, .sizes = strata_arena_array(arena, strata_size_t, STRATA_MAX_DIMS)};
  reader.symbols = strata_symbols_used_around(arena, op);
  out_nest->likely = reader.symbols.likely;
  out_nest->space = (strata_space_t){.n_dims = out_nest->n_parallel,
                                     .sizes = reader.sizes,
                                     .n_symbols = reader.symbols.count,
                                     .symbols = reader.symbols.sizes};
  if (!bound_sizes(op, "upperBoundsMap", STRATA_MAX_DIMS, &reader.symbols, reader.sizes))
    return broken(op, "bounds must be sizes");
  for (int i = 0; i < out_nest->n_parallel; i++)
    out_nest->dims[i] = mlirBlockGetArgument(out_nest->body, i);
  STRATA_TRY(read_block(&reader, out_nest->body, false, (MlirOperation){0}));
  out_nest->accesses = reader.accesses.data;
  out_nest->n_accesses = (int)reader.accesses.count;
  return NULL;
}

strata_status_t strata_nests_of(strata_arena_t *arena, MlirOperation func, strata_nest_t **out_nests, int *out_count) {
  STRATA_VECTOR(strata_nest_t) nests = {0};
  MlirBlock body = strata_func_body(func);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "affine.parallel"))
      STRATA_TRY(strata_nest_read(arena, op, strata_vector_push(arena, &nests)));
  *out_nests = nests.data;
  *out_count = (int)nests.count;
  return NULL;
}

static MlirWalkResult find_lanes(MlirOperation op, void *lanes) {
  *(int64_t *)lanes = strata_attr_i64(op, STRATA_LANES, 0);
  return *(int64_t *)lanes ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

int64_t strata_nest_lanes(const strata_nest_t *nest) {
  int64_t lanes = 0;
  mlirOperationWalk(nest->op, find_lanes, &lanes, MlirWalkPreOrder);
  return lanes;
}
