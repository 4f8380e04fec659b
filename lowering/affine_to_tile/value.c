// Evaluating nests at tiles: see value.h.
//
//   affine.parallel (%i, %j) ... { %u = affine.load %t[%i, %j]  %v = affine.load %b[%j]  %s = arith.addf %u, %v  ... }
// at i = s0, j = s1 * 64 + v0 becomes
//   %u = "tile.load"(%t, %s0, %s1) {map = affine_map<(v)[i, j] -> (i, j * 64 + v)>} : (...) -> vector<64xf32>  ...
#include "lowering/affine_to_tile/value.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/strata/strata.h"
#include "dialects/tile/tile.h"
#include "lowering/affine_to_tile/rounding.h"

#include <mlir-c/IntegerSet.h>

static const strata_tile_value_t no_value;

//===-- Coordinates ----------------------------------------------------------------------------------------------===//

// |expr| over the dims of |nest| at |point|.
static MlirAffineExpr at_point(strata_tile_builder_t *b, int n_dims, MlirAffineExpr expr, const MlirAffineExpr *point) {
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, n_dims, (MlirAffineExpr *)(uintptr_t)point);
  return strata_tile_simplify(b, mlirAffineExprCompose(expr, map));
}

int strata_tile_access_coordinates(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *access,
                                   const MlirAffineExpr *point, MlirAffineExpr *out_coordinates) {
  int rank = (int)mlirAffineMapGetNumResults(access->map);
  for (int i = 0; i < rank; i++)
    out_coordinates[i] = at_point(b, strata_nest_n_dims(nest), mlirAffineMapGetResult(access->map, i), point);
  return rank;
}

static bool same_coordinates(int rank, const MlirAffineExpr *a, const MlirAffineExpr *b) {
  for (int i = 0; i < rank; i++)
    if (!mlirAffineExprEqual(a[i], b[i]))
      return false;
  return true;
}

// The vector dims that coordinates depend on.
static uint32_t vector_dims(const strata_tile_builder_t *b, int rank, const MlirAffineExpr *coordinates) {
  uint32_t mask = 0;
  for (int i = 0; i < rank; i++)
    for (int dim = 0; dim < b->space.n_vector; dim++)
      if (strata_affine_expr_uses(coordinates[i], dim))
        mask |= 1u << dim;
  return mask;
}

// Coordinates as a map over the used vector dims with the used symbols as operands, and the bounds that apply as a set
// over the same.
typedef struct {
  MlirAffineMap map;
  MlirAttribute mask; // null: no bounds
  int n_operands;
  MlirValue operands[STRATA_TILE_ACCESS_SYMBOLS];
} address_t;

// The bounds on the vector dims in |dims|.
static int bounds_on(strata_tile_builder_t *b, uint32_t dims, MlirAffineExpr *out_bounds) {
  int n = 0;
  for (int i = 0; i < b->n_bounds; i++)
    if (vector_dims(b, 1, &b->bounds[i]) & dims)
      out_bounds[n++] = b->bounds[i];
  return n;
}

static bool any_uses(int n, const MlirAffineExpr *exprs, int dim) {
  for (int i = 0; i < n; i++)
    if (strata_affine_expr_uses(exprs[i], dim))
      return true;
  return false;
}

// The sizes that |n| expressions over dims use as operands: symbols of theirs, as the others are.
static void bind_sizes(strata_tile_builder_t *b, address_t *address, int n, MlirAffineExpr *exprs) {
  int symbols[STRATA_TILE_ACCESS_SYMBOLS], count;
  MlirAffineMap map = mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, n, exprs);
  map = strata_map_over_used_symbols(map, STRATA_TILE_ACCESS_SYMBOLS, symbols, &count);
  if (count > STRATA_TILE_ACCESS_SYMBOLS)
    strata_tile_fail(b, "affine-to-tile: an access with so many sizes");
  for (int i = 0; i < count; i++)
    address->operands[address->n_operands++] = strata_symbol_value(b->kernel->body, symbols[i], b->e.location);
  for (int i = 0; i < n; i++)
    exprs[i] = mlirAffineMapGetResult(map, i);
}

static address_t address_of(strata_tile_builder_t *b, int rank, const MlirAffineExpr *coordinates, uint32_t dims) {
  address_t address = {0};
  MlirAffineExpr renamed[STRATA_TILE_DIMS], exprs[STRATA_MAX_DIMS + STRATA_TILE_BOUNDS];
  bool is_equality[STRATA_TILE_BOUNDS] = {false};
  for (int i = 0; i < rank; i++)
    exprs[i] = coordinates[i];
  int n_bounds = bounds_on(b, dims, exprs + rank), n_dims = 0;
  if (b->sizes.count > 0)
    bind_sizes(b, &address, rank + n_bounds, exprs);
  for (int i = 0; i < STRATA_TILE_DIMS; i++) {
    renamed[i] = strata_tile_constant(b, 0);
    if (i < STRATA_TILE_RANK) {
      if (dims & 1u << i)
        renamed[i] = mlirAffineDimExprGet(b->e.context, n_dims++);
    } else if (any_uses(rank + n_bounds, exprs, i)) {
      renamed[i] = mlirAffineSymbolExprGet(b->e.context, address.n_operands);
      address.operands[address.n_operands++] = b->space.symbols[i - STRATA_TILE_RANK];
    }
  }
  MlirAffineMap rename = mlirAffineMapGet(b->e.context, n_dims, address.n_operands, STRATA_TILE_DIMS, renamed);
  for (int i = 0; i < rank + n_bounds; i++)
    exprs[i] = mlirAffineExprCompose(exprs[i], rename);
  address.map = mlirAffineMapGet(b->e.context, n_dims, address.n_operands, rank, exprs);
  if (n_bounds)
    address.mask = mlirIntegerSetAttrGet(
        mlirIntegerSetGet(b->e.context, n_dims, address.n_operands, n_bounds, exprs + rank, is_equality));
  return address;
}

//===-- Loads and stores -----------------------------------------------------------------------------------------===//

void strata_tile_know(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                      strata_tile_value_t value) {
  strata_tile_known_t *known = strata_arena_new(b->kernel->arena, strata_tile_known_t);
  *known = (strata_tile_known_t){
      .buffer = buffer, .rank = rank, .value = value, .in_guard = b->guard_depth > 0, .next = b->known};
  for (int i = 0; i < rank; i++)
    known->coordinates[i] = coordinates[i];
  b->known = known;
}

// True if the memory has an element at each point of the tile, be it one that does not exist: part of a larger buffer.
static bool is_inside(const strata_tile_builder_t *b, MlirValue memory, int rank, const MlirAffineExpr *coordinates) {
  strata_static_space_t storage;
  const strata_space_t *space = strata_tile_space(b, &storage);
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(memory, sizes);
  for (int i = 0; i < rank; i++) {
    int64_t min, max;
    if (strata_size_varies(sizes[i]) || !strata_affine_range(coordinates[i], space, &min, &max) || min < 0 ||
        max >= strata_size_min(sizes[i]))
      return false;
  }
  return true;
}

static strata_tile_value_t load_memory(strata_tile_builder_t *b, MlirValue memory, int rank,
                                       const MlirAffineExpr *coordinates, MlirAttribute pad) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  uint32_t dims = vector_dims(b, rank, coordinates);
  int n_bounds = b->n_bounds;
  if (b->reads_beyond && b->guard_depth == 0 && mlirAttributeIsNull(pad) && is_inside(b, memory, rank, coordinates))
    b->n_bounds = 0;
  address_t address = address_of(b, rank, coordinates, dims);
  b->n_bounds = n_bounds;
  if (b->guard_depth && mlirAttributeIsNull(pad))
    pad = strata_zero_attr(element);
  MlirType type = strata_tile_type(b, element, dims);
  strata_tile_access_t access = {.memref = memory,
                                 .map = address.map,
                                 .n_symbols = address.n_operands,
                                 .symbols = address.operands,
                                 .pad = pad,
                                 .mask = address.mask};
  MlirValue value = strata_tile_build_load(b->e.block, b->e.location, &access, type);
  return (strata_tile_value_t){value, dims};
}

strata_tile_value_t strata_tile_load_pages(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                           const MlirAffineExpr *coordinates, int n_pages, const MlirValue *pages) {
  MlirAffineExpr results[STRATA_MAX_DIMS];
  uint32_t dims = vector_dims(b, rank, coordinates);
  int n_bounds = b->n_bounds;
  b->n_bounds = 0;
  address_t address = address_of(b, rank, coordinates, dims);
  b->n_bounds = n_bounds;
  if (address.n_operands + n_pages > STRATA_TILE_ACCESS_SYMBOLS) {
    strata_tile_fail(b, "affine-to-tile: %d pages at once", n_pages);
    return no_value;
  }
  for (int i = 0; i < n_pages; i++)
    address.operands[address.n_operands++] = pages[i];
  for (int i = 0; i < rank; i++)
    results[i] = mlirAffineMapGetResult(address.map, i);
  strata_tile_access_t access = {
      .memref = buffer,
      .map = mlirAffineMapGet(b->e.context, mlirAffineMapGetNumDims(address.map), address.n_operands, rank, results),
      .n_symbols = address.n_operands,
      .symbols = address.operands,
      .n_pages = n_pages};
  MlirType type = strata_tile_type(b, mlirShapedTypeGetElementType(mlirValueGetType(buffer)), dims);
  return (strata_tile_value_t){strata_tile_build_load(b->e.block, b->e.location, &access, type), dims};
}

// What hangs over the buffer's edge is zero, and so is what else the nest does not have: no bounds but the buffer's.
static strata_tile_value_t load_padded(strata_tile_builder_t *b, MlirValue memory, int rank,
                                       const MlirAffineExpr *coordinates) {
  int n_bounds = b->n_bounds;
  b->n_bounds = 0;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  strata_tile_value_t value = load_memory(b, memory, rank, coordinates, strata_zero_attr(element));
  b->n_bounds = n_bounds;
  return value;
}

// The load of a nest at a point.
typedef struct {
  const strata_nest_t *nest;
  const strata_access_t *access;
  const MlirAffineExpr *point;
} reader_t;

// The point of |nest| that stores what is read at |coordinates|. By its reader's dims where it has one, which end with
// the nest's sizes, as vector dims do not: of 20 elements in a vector of 32, i floordiv 20 is 0.
static bool producer_point(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *store,
                           const reader_t *reader, const MlirAffineExpr *coordinates, MlirAffineExpr *out_point) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_static_space_t storage;
  if (reader && strata_nest_producer_point(reader->nest, reader->access, nest, store, out_point)) {
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      out_point[dim] = at_point(b, strata_nest_n_dims(reader->nest), out_point[dim], reader->point);
    return true;
  }
  strata_memref_sizes(store->buffer, sizes);
  return strata_affine_invert(store->map, &nest->space, sizes, coordinates, strata_tile_space(b, &storage), out_point);
}

static strata_tile_value_t compute_producer(strata_tile_builder_t *b, const strata_nest_t *nest,
                                            const strata_access_t *store, const reader_t *reader, int rank,
                                            const MlirAffineExpr *coordinates) {
  MlirAffineExpr point[STRATA_MAX_DIMS];
  if (!producer_point(b, nest, store, reader, coordinates, point)) {
    strata_tile_fail(b, "affine-to-tile: the store of a fused producer cannot be inverted (%d-d)", rank);
    return no_value;
  }
  if (b->depth == b->kernel->n_nests) {
    strata_tile_fail(b, "affine-to-tile: nests that read each other's results");
    return no_value;
  }
  b->depth++;
  strata_tile_value_t value = strata_tile_stored_value(b, nest, store, point);
  b->depth--;
  return value;
}

// True if the vector dims that |value| varies in are as long as those of the space now.
static bool has_extents(strata_tile_builder_t *b, const strata_tile_value_t *value) {
  if (!value->dims)
    return true;
  MlirType type = mlirValueGetType(value->value);
  return mlirTypeEqual(type, strata_tile_type(b, mlirShapedTypeGetElementType(type), value->dims));
}

// |reader|: what loads it; NULL if that is no load of a nest.
static strata_tile_value_t load_for(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                    const MlirAffineExpr *coordinates, const reader_t *reader) {
  if (b->status)
    return no_value;
  for (const strata_tile_known_t *known = b->known; known; known = known->next)
    if (mlirValueEqual(known->buffer, buffer) && (b->guard_depth || !known->in_guard) &&
        same_coordinates(rank, known->coordinates, coordinates) && has_extents(b, &known->value))
      return known->value;
  strata_tile_value_t value;
  const strata_access_t *store = NULL;
  for (const strata_tile_moved_t *moved = b->moved; moved; moved = moved->next)
    if (mlirValueEqual(moved->buffer, buffer)) {
      MlirAffineExpr inner[STRATA_MAX_DIMS];
      for (int i = 0; i < moved->rank; i++)
        inner[i] = coordinates[moved->coordinate[i]];
      return load_memory(b, moved->memory, moved->rank, inner, (MlirAttribute){0});
    }
  const strata_nest_t *producer = strata_kernel_producer(b->kernel, buffer, &store);
  if (producer && producer->n_reduction) {
    strata_tile_fail(b, "affine-to-tile: a reduction is read where it is not complete");
    return no_value;
  }
  value = producer ? compute_producer(b, producer, store, reader, rank, coordinates)
                   : load_memory(b, buffer, rank, coordinates, (MlirAttribute){0});
  if (!b->status && (producer || !b->reads_beyond)) // others may count on zeros
    strata_tile_know(b, buffer, rank, coordinates, value);
  return value;
}

strata_tile_value_t strata_tile_load(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                     const MlirAffineExpr *coordinates) {
  return load_for(b, buffer, rank, coordinates, NULL);
}

// True if only element 0 along each of |dims| is inside the bounds: a result of one row, in a tile of more.
static bool are_single(strata_tile_builder_t *b, uint32_t dims) {
  for (int dim = 0; dim < STRATA_TILE_RANK; dim++) {
    bool is_single = !(dims & 1u << dim);
    MlirAffineExpr last = mlirAffineMulExprGet(mlirAffineDimExprGet(b->e.context, dim), strata_tile_constant(b, -1));
    for (int i = 0; i < b->n_bounds; i++)
      is_single |= mlirAffineExprEqual(strata_tile_simplify(b, b->bounds[i]), strata_tile_simplify(b, last));
    if (!is_single)
      return false;
  }
  return true;
}

void strata_tile_store(strata_tile_builder_t *b, strata_tile_value_t value, MlirValue buffer, int rank,
                       const MlirAffineExpr *coordinates) {
  if (b->status)
    return;
  uint32_t dims = vector_dims(b, rank, coordinates) | value.dims;
  if (!are_single(b, dims & ~vector_dims(b, rank, coordinates))) {
    strata_tile_fail(b, "affine-to-tile: a value varies where its store does not");
    return;
  }
  MlirValue vector = strata_tile_broadcast(b, value, dims);
  address_t address = address_of(b, rank, coordinates, dims);
  strata_tile_access_t access = {.memref = buffer,
                                 .map = address.map,
                                 .n_symbols = address.n_operands,
                                 .symbols = address.operands,
                                 .mask = address.mask};
  strata_tile_build_store(b->e.block, b->e.location, vector, &access);
}

//===-- Scalar code ----------------------------------------------------------------------------------------------===//

void strata_tile_bind(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar,
                      strata_tile_value_t value) {
  *strata_vector_push(b->kernel->arena, &frame->values) = (strata_tile_binding_t){scalar, value};
}

static strata_tile_value_t index_value(strata_tile_builder_t *b, MlirAffineExpr expr);

// An op of two index values over |dims|.
static MlirValue index_op(strata_tile_builder_t *b, const char *name, MlirValue lhs, MlirValue rhs, uint32_t dims) {
  MlirValue operands[2] = {lhs, rhs};
  MlirType type = strata_tile_type(b, mlirIndexTypeGet(b->e.context), dims);
  return strata_emit_value(&b->e, name, 2, operands, type, 0, NULL);
}

static MlirValue index_over(strata_tile_builder_t *b, MlirAffineExpr expr, uint32_t dims) {
  return strata_tile_broadcast(b, index_value(b, expr), dims);
}

// The least multiple of |divisor| that makes |expr| no less than zero.
static int64_t raise_of(const strata_tile_builder_t *b, MlirAffineExpr expr, int64_t divisor) {
  strata_static_space_t storage;
  int64_t min, max;
  if (!strata_affine_range(expr, strata_tile_space(b, &storage), &min, &max) || min >= 0)
    return 0;
  return strata_round_up(-min, divisor);
}

// A quotient or a remainder, towards minus infinity as affine ones are: of what may be negative, as where a slice goes
// backwards, after a multiple of the divisor has been added.
static MlirValue divided(strata_tile_builder_t *b, MlirAffineExpr expr, uint32_t dims) {
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  if (!mlirAffineExprIsAConstant(rhs)) {
    strata_tile_fail(b, "affine-to-tile: numbers of elements divided by a size that varies");
    return index_over(b, strata_tile_constant(b, 0), dims);
  }
  int64_t divisor = mlirAffineConstantExprGetValue(rhs), raise = raise_of(b, lhs, divisor);
  MlirValue dividend = index_over(b, lhs, dims), by = index_over(b, rhs, dims);
  if (raise)
    dividend = index_op(b, "arith.addi", dividend, index_over(b, strata_tile_constant(b, raise), dims), dims);
  if (mlirAffineExprIsAMod(expr))
    return index_op(b, "arith.remui", dividend, by, dims);
  MlirValue quotient = index_op(b, "arith.divui", dividend, by, dims);
  MlirAffineExpr lowered = strata_tile_constant(b, -raise / divisor);
  return raise ? index_op(b, "arith.addi", quotient, index_over(b, lowered, dims), dims) : quotient;
}

// An index expression as a value: a scalar where no vector dim is in it.
static strata_tile_value_t index_value(strata_tile_builder_t *b, MlirAffineExpr expr) {
  uint32_t dims = vector_dims(b, 1, &expr);
  MlirType index = mlirIndexTypeGet(b->e.context);
  if (!dims)
    return (strata_tile_value_t){strata_tile_index(b, expr), 0};
  if (mlirAffineExprIsADim(expr))
    return (strata_tile_value_t){
        strata_emit_value(&b->e, "vector.step", 0, NULL, strata_tile_type(b, index, dims), 0, NULL), dims};
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return (strata_tile_value_t){divided(b, expr, dims), dims};
  MlirValue lhs = index_over(b, mlirAffineBinaryOpExprGetLHS(expr), dims);
  MlirValue rhs = index_over(b, mlirAffineBinaryOpExprGetRHS(expr), dims);
  return (strata_tile_value_t){index_op(b, mlirAffineExprIsAAdd(expr) ? "arith.addi" : "arith.muli", lhs, rhs, dims),
                               dims};
}

// True if the kernel's code rounds |value| to bf16 wherever it uses it, be the rounding dropped later or not.
static bool rounds_to_bf16(MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!strata_op_is(user, "arith.truncf") || !mlirTypeIsABF16(mlirValueGetType(mlirOperationGetResult(user, 0))))
      return false;
  }
  return true;
}

// |op| with vectors in place of its scalars.
static strata_tile_value_t clone_elementwise(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  enum { MAX_OPERANDS = 4, MAX_ATTRS = 8 };
  strata_tile_value_t inputs[MAX_OPERANDS];
  MlirValue operands[MAX_OPERANDS];
  strata_named_attr_t attrs[MAX_ATTRS];
  int n_operands = (int)mlirOperationGetNumOperands(op), n_attrs = (int)mlirOperationGetNumAttributes(op);
  if (n_operands > MAX_OPERANDS || n_attrs > MAX_ATTRS) {
    strata_tile_fail(b, "affine-to-tile: an op with %d operands and %d attributes", n_operands, n_attrs);
    return no_value;
  }
  uint32_t dims = 0;
  for (int i = 0; i < n_operands; i++) {
    inputs[i] = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, i));
    if (b->status)
      return no_value;
    dims |= inputs[i].dims;
  }
  for (int i = 0; i < n_operands; i++)
    operands[i] = strata_tile_broadcast(b, inputs[i], dims);
  for (int i = 0; i < n_attrs; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    attrs[i] = (strata_named_attr_t){mlirIdentifierStr(named.name).data, named.attribute};
  }
  MlirType type = strata_tile_type(b, mlirValueGetType(mlirOperationGetResult(op, 0)), dims);
  if (strata_op_is(op, "math.tanh") && n_attrs < MAX_ATTRS && rounds_to_bf16(mlirOperationGetResult(op, 0)))
    attrs[n_attrs++] = (strata_named_attr_t){"tile.rounds_to_bf16", mlirUnitAttrGet(b->e.context)};
  MlirStringRef name = strata_op_name(op);
  return (strata_tile_value_t){strata_emit_value(&b->e, name.data, n_operands, operands, type, n_attrs, attrs), dims};
}

// A constant is emitted where it is used; it is a scalar and broadcast at each use.
static strata_tile_value_t clone_constant(strata_tile_builder_t *b, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  return (strata_tile_value_t){strata_emit_constant(&b->e, type, strata_attr(op, "value")), 0};
}

//===-- Guards ---------------------------------------------------------------------------------------------------===//

static MlirValue yielded(MlirOperation guard, int region) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, region));
  return mlirOperationGetOperand(mlirBlockGetTerminator(block), 0);
}

// Constraint |i| of the guard at the frame's point: an expression that must be >= 0 (or == 0).
static MlirAffineExpr constraint_at(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard,
                                    intptr_t i) {
  const strata_nest_t *nest = frame->nest;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  MlirAffineExpr inputs[STRATA_MAX_DIMS], constraint = mlirIntegerSetGetConstraint(set, i);
  intptr_t n_inputs = mlirIntegerSetGetNumInputs(set);
  for (intptr_t j = 0; j < n_inputs && j < STRATA_MAX_DIMS; j++) {
    inputs[j] = strata_tile_constant(b, 0);
    int symbol = strata_symbol_of_value(mlirOperationGetOperand(guard, j));
    if (symbol >= 0)
      inputs[j] = mlirAffineSymbolExprGet(b->e.context, symbol);
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      if (mlirValueEqual(nest->dims[dim], mlirOperationGetOperand(guard, j)))
        inputs[j] = frame->point[dim];
  }
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, mlirIntegerSetGetNumDims(set), mlirIntegerSetGetNumSymbols(set), 1, &constraint);
  return strata_tile_simplify(b, strata_affine_apply(map, 0, inputs, STRATA_TILE_DIMS, b->sizes.count));
}

// True if every constraint of the guard says that one coordinate of the read lies inside its buffer: the read with
// padding says the same.
static bool guard_is_bounds(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard,
                            MlirValue buffer, int rank, const MlirAffineExpr *coordinates) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(buffer, sizes);
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++) {
    MlirAffineExpr constraint = constraint_at(b, frame, guard, i);
    bool found = false;
    for (int j = 0; j < rank && !found; j++) {
      MlirAffineExpr upper = mlirAffineMulExprGet(coordinates[j], strata_tile_constant(b, -1));
      MlirAffineExpr last = mlirAffineAddExprGet(strata_size_expr(b->e.context, sizes[j]), strata_tile_constant(b, -1));
      upper = strata_tile_simplify(b, mlirAffineAddExprGet(upper, last));
      found = mlirAffineExprEqual(constraint, coordinates[j]) || mlirAffineExprEqual(constraint, upper);
    }
    if (!found || mlirIntegerSetIsConstraintEq(set, i))
      return false;
  }
  return true;
}

// The padded read that a guard around a plain load of an outside buffer amounts to.
static bool guarded_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation guard,
                         strata_tile_value_t *out_value) {
  MlirValue inside = yielded(guard, 0), outside = yielded(guard, 1);
  const strata_nest_t *nest = frame->nest;
  const strata_access_t *access = NULL, *store = NULL;
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store && mlirValueEqual(nest->accesses[i].value, inside))
      access = &nest->accesses[i];
  if (!access || !mlirValueIsAOpResult(outside) || !strata_op_is(mlirOpResultGetOwner(outside), "arith.constant") ||
      strata_kernel_producer(b->kernel, access->buffer, &store))
    return false;
  for (const strata_tile_moved_t *moved = b->moved; moved; moved = moved->next)
    if (mlirValueEqual(moved->buffer, access->buffer))
      return false;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  int rank = strata_tile_access_coordinates(b, nest, access, frame->point, coordinates);
  if (!guard_is_bounds(b, frame, guard, access->buffer, rank, coordinates))
    return false;
  MlirAttribute pad = strata_attr(mlirOpResultGetOwner(outside), "value");
  *out_value = load_memory(b, access->buffer, rank, coordinates, pad);
  return true;
}

static strata_tile_value_t true_value(strata_tile_builder_t *b) {
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1);
  return (strata_tile_value_t){strata_emit_constant(&b->e, i1, mlirIntegerAttrGet(i1, 1)), 0};
}

// |mask| and that |expr| is zero, or not negative.
static strata_tile_value_t and_holds(strata_tile_builder_t *b, strata_tile_value_t mask, MlirAffineExpr expr,
                                     bool is_equality) {
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1), i64 = mlirIntegerTypeGet(b->e.context, 64);
  strata_tile_value_t value = index_value(b, expr);
  strata_tile_value_t zero = {strata_emit_index(&b->e, 0), 0};
  enum { PREDICATE_EQ = 0, PREDICATE_SGE = 5 };
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(i64, is_equality ? PREDICATE_EQ : PREDICATE_SGE)};
  MlirValue compared[2] = {value.value, strata_tile_broadcast(b, zero, value.dims)};
  MlirValue holds = strata_emit_value(&b->e, "arith.cmpi", 2, compared, strata_tile_type(b, i1, value.dims), 1, &attr);
  uint32_t dims = mask.dims | value.dims;
  MlirValue both[2] = {strata_tile_broadcast(b, mask, dims),
                       strata_tile_broadcast(b, (strata_tile_value_t){holds, value.dims}, dims)};
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.andi", 2, both, strata_tile_type(b, i1, dims), 0, NULL),
                               dims};
}

// Whether |expr| is not negative: where it falls by one with the only vector dim in it, a comparison of that dim's
// numbers with a scalar.
static strata_tile_value_t is_within(strata_tile_builder_t *b, MlirAffineExpr expr) {
  enum { PREDICATE_SLE = 3 };
  MlirType i1 = mlirIntegerTypeGet(b->e.context, 1), i64 = mlirIntegerTypeGet(b->e.context, 64);
  uint32_t dims = vector_dims(b, 1, &expr);
  int dim = 0;
  int64_t step;
  while (dim + 1 < b->space.n_vector && !(dims & 1u << dim))
    dim++;
  if (dims != 1u << dim || !strata_affine_coefficient(expr, dim, &step) || step != -1)
    return and_holds(b, true_value(b), expr, false);
  MlirAffineExpr number = mlirAffineDimExprGet(b->e.context, dim), last = strata_tile_scaled(b, expr, 1, number);
  MlirValue compared[2] = {index_over(b, number, dims), index_over(b, last, dims)};
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(i64, PREDICATE_SLE)};
  return (strata_tile_value_t){
      strata_emit_value(&b->e, "arith.cmpi", 2, compared, strata_tile_type(b, i1, dims), 1, &attr), dims};
}

strata_tile_value_t strata_tile_within(strata_tile_builder_t *b, int n, const MlirAffineExpr *exprs) {
  strata_tile_value_t all = is_within(b, exprs[0]);
  for (int i = 1; i < n; i++) {
    strata_tile_value_t one = is_within(b, exprs[i]);
    uint32_t dims = all.dims | one.dims;
    MlirValue both[2] = {strata_tile_broadcast(b, all, dims), strata_tile_broadcast(b, one, dims)};
    MlirType type = strata_tile_type(b, mlirIntegerTypeGet(b->e.context, 1), dims);
    all = (strata_tile_value_t){strata_emit_value(&b->e, "arith.andi", 2, both, type, 0, NULL), dims};
  }
  return all;
}

// i1 values: the conjunction of the guard's constraints.
static strata_tile_value_t guard_mask(strata_tile_builder_t *b, const strata_tile_frame_t *frame, MlirOperation guard) {
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  strata_tile_value_t mask = true_value(b);
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++)
    mask = and_holds(b, mask, constraint_at(b, frame, guard, i), mlirIntegerSetIsConstraintEq(set, i));
  return mask;
}

MlirValue strata_tile_tails_hold(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point) {
  MlirAffineExpr last[STRATA_MAX_DIMS];
  MlirValue all = {NULL};
  strata_tile_frame_t frame = {.nest = nest, .point = last};
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++) {
    strata_size_t size = strata_size_sum(nest->space.sizes[dim], strata_size_constant(-1));
    last[dim] = dim < nest->n_parallel ? point[dim] : strata_size_expr(b->e.context, size);
  }
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!strata_op_is(op, "affine.if") || !strata_attr_flag(op, STRATA_TAIL))
      continue;
    strata_tile_value_t mask = guard_mask(b, &frame, op);
    if (mask.dims)
      return (MlirValue){NULL};
    MlirValue both[2] = {all, mask.value};
    all = mlirValueIsNull(all) ? mask.value
                               : strata_emit_value(&b->e, "arith.andi", 2, both, mlirValueGetType(mask.value), 0, NULL);
  }
  return all;
}

static strata_tile_value_t evaluate_guard(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation guard) {
  strata_tile_value_t value;
  if (b->tails_hold && strata_attr_flag(guard, STRATA_TAIL))
    return strata_tile_evaluate(b, frame, yielded(guard, 0));
  if (guarded_load(b, frame, guard, &value))
    return value;
  strata_tile_value_t mask = guard_mask(b, frame, guard);
  b->guard_depth++;
  strata_tile_value_t inside = strata_tile_evaluate(b, frame, yielded(guard, 0));
  b->guard_depth--;
  strata_tile_value_t outside = strata_tile_evaluate(b, frame, yielded(guard, 1));
  if (b->status)
    return no_value;
  uint32_t dims = mask.dims | inside.dims | outside.dims;
  MlirValue operands[3] = {strata_tile_broadcast(b, mask, dims), strata_tile_broadcast(b, inside, dims),
                           strata_tile_broadcast(b, outside, dims)};
  MlirType type = strata_tile_type(b, mlirValueGetType(mlirOperationGetResult(guard, 0)), dims);
  return (strata_tile_value_t){strata_emit_value(&b->e, "arith.select", 3, operands, type, 0, NULL), dims};
}

//===-- Evaluation -----------------------------------------------------------------------------------------------===//

static strata_tile_value_t evaluate_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  for (int i = 0; i < frame->nest->n_accesses; i++) {
    const strata_access_t *access = &frame->nest->accesses[i];
    if (access->is_store || !mlirOperationEqual(access->op, op))
      continue;
    if (mlirAffineMapIsNull(access->map))
      return strata_tile_row_load(b, frame, op);
    MlirAffineExpr coordinates[STRATA_MAX_DIMS];
    int rank = strata_tile_access_coordinates(b, frame->nest, access, frame->point, coordinates);
    const reader_t reader = {frame->nest, access, frame->point};
    return strata_attr_flag(op, "strata.padded") ? load_padded(b, access->buffer, rank, coordinates)
                                                 : load_for(b, access->buffer, rank, coordinates, &reader);
  }
  strata_tile_fail(b, "affine-to-tile: a load outside its nest");
  return no_value;
}

static bool is_loop(MlirOperation op) { return strata_op_is(op, "scf.for") || strata_op_is(op, "affine.for"); }

static strata_tile_value_t evaluate_op(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op) {
  if (strata_op_is(op, "arith.constant"))
    return clone_constant(b, op);
  if (strata_op_is(op, "affine.load"))
    return evaluate_load(b, frame, op);
  if (strata_op_is(op, "memref.load"))
    return strata_tile_row_load(b, frame, op);
  if (strata_op_is(op, "affine.if"))
    return evaluate_guard(b, frame, op);
  if (strata_op_is(op, "affine.apply")) {
    MlirAffineMap map = strata_nest_map(frame->nest, op);
    return index_value(b, at_point(b, strata_nest_n_dims(frame->nest), mlirAffineMapGetResult(map, 0), frame->point));
  }
  if (strata_op_is(op, "arith.extf")) {
    strata_tile_value_t value, operand = strata_tile_evaluate(b, frame, mlirOperationGetOperand(op, 0));
    if (!b->status && strata_tile_unrounded(b, operand, mlirValueGetType(mlirOperationGetResult(op, 0)), &value))
      return value;
  }
  return clone_elementwise(b, frame, op);
}

strata_tile_value_t strata_tile_evaluate(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar) {
  if (b->status)
    return no_value;
  for (size_t i = frame->values.count; i-- > 0;)
    if (mlirValueEqual(frame->values.data[i].scalar, scalar))
      return frame->values.data[i].value;
  strata_tile_value_t value = no_value;
  if (mlirValueIsAOpResult(scalar) && is_loop(mlirOpResultGetOwner(scalar))) {
    strata_tile_loop(b, frame, mlirOpResultGetOwner(scalar));
    return strata_tile_evaluate(b, frame, scalar);
  }
  if (mlirValueIsAOpResult(scalar)) {
    value = evaluate_op(b, frame, mlirOpResultGetOwner(scalar));
  } else {
    int dim = 0;
    while (dim < strata_nest_n_dims(frame->nest) && !mlirValueEqual(frame->nest->dims[dim], scalar))
      dim++;
    if (dim == strata_nest_n_dims(frame->nest))
      strata_tile_fail(b, "affine-to-tile: a value of another nest");
    else
      value = index_value(b, frame->point[dim]);
  }
  if (!b->status)
    strata_tile_bind(b, frame, scalar, value);
  return value;
}

strata_tile_value_t strata_tile_stored_value(strata_tile_builder_t *b, const strata_nest_t *nest,
                                             const strata_access_t *store, const MlirAffineExpr *coordinates) {
  strata_tile_frame_t frame = {.nest = nest, .point = coordinates};
  return strata_tile_evaluate(b, &frame, store->value);
}

void strata_tile_finish(strata_tile_builder_t *b, strata_tile_frame_t *frame) {
  const strata_nest_t *nest = frame->nest;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  for (int i = 0; i < nest->n_accesses && !b->status; i++) {
    const strata_access_t *store = &nest->accesses[i];
    if (!store->is_store)
      continue;
    strata_tile_value_t value = strata_tile_evaluate(b, frame, store->value);
    int rank = strata_tile_access_coordinates(b, nest, store, frame->point, coordinates);
    if (mlirValueIsABlockArgument(store->buffer))
      strata_tile_store(b, value, store->buffer, rank, coordinates);
    strata_tile_know(b, store->buffer, rank, coordinates, value);
  }
}
