// Coordinates of a tile's points, and the loads and stores at them; what another nest of the kernel computes is
// computed where it is read. See value.h.
#include "lowering/affine_to_tile/value_parts.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/tile/tile.h"

#include <mlir-c/IntegerSet.h>

static const strata_tile_value_t no_value;

//===-- Coordinates ----------------------------------------------------------------------------------------------===//

MlirAffineExpr strata_tile_at_point(strata_tile_builder_t *b, int n_dims, MlirAffineExpr expr,
                                    const MlirAffineExpr *point) {
  MlirAffineMap map =
      mlirAffineMapGet(b->e.context, STRATA_TILE_DIMS, b->sizes.count, n_dims, (MlirAffineExpr *)(uintptr_t)point);
  return strata_tile_simplify(b, mlirAffineExprCompose(expr, map));
}

int strata_tile_access_coordinates(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *access,
                                   const MlirAffineExpr *point, MlirAffineExpr *out_coordinates) {
  int rank = (int)mlirAffineMapGetNumResults(access->map);
  for (int i = 0; i < rank; i++)
    out_coordinates[i] =
        strata_tile_at_point(b, strata_nest_n_dims(nest), mlirAffineMapGetResult(access->map, i), point);
  return rank;
}

static bool same_coordinates(int rank, const MlirAffineExpr *a, const MlirAffineExpr *b) {
  for (int i = 0; i < rank; i++)
    if (!mlirAffineExprEqual(a[i], b[i]))
      return false;
  return true;
}

uint32_t strata_tile_dims_of(const strata_tile_builder_t *b, int rank, const MlirAffineExpr *coordinates) {
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
    if (strata_tile_dims_of(b, 1, &b->bounds[i]) & dims)
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

strata_tile_value_t strata_tile_load_memory(strata_tile_builder_t *b, MlirValue memory, int rank,
                                            const MlirAffineExpr *coordinates, MlirAttribute pad) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  uint32_t dims = strata_tile_dims_of(b, rank, coordinates);
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
  uint32_t dims = strata_tile_dims_of(b, rank, coordinates);
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

strata_tile_value_t strata_tile_load_padded(strata_tile_builder_t *b, MlirValue memory, int rank,
                                            const MlirAffineExpr *coordinates) {
  int n_bounds = b->n_bounds;
  b->n_bounds = 0;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(memory));
  strata_tile_value_t value = strata_tile_load_memory(b, memory, rank, coordinates, strata_zero_attr(element));
  b->n_bounds = n_bounds;
  return value;
}

// The point of |nest| that stores what is read at |coordinates|. By its reader's dims where it has one, which end with
// the nest's sizes, as vector dims do not: of 20 elements in a vector of 32, i floordiv 20 is 0.
static bool producer_point(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *store,
                           const strata_tile_reader_t *reader, const MlirAffineExpr *coordinates,
                           MlirAffineExpr *out_point) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_static_space_t storage;
  if (reader && strata_nest_producer_point(reader->nest, reader->access, nest, store, out_point)) {
    for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
      out_point[dim] = strata_tile_at_point(b, strata_nest_n_dims(reader->nest), out_point[dim], reader->point);
    return true;
  }
  strata_memref_sizes(store->buffer, sizes);
  return strata_affine_invert(store->map, &nest->space, sizes, coordinates, strata_tile_space(b, &storage), out_point);
}

static strata_tile_value_t compute_producer(strata_tile_builder_t *b, const strata_nest_t *nest,
                                            const strata_access_t *store, const strata_tile_reader_t *reader, int rank,
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

strata_tile_value_t strata_tile_load_for(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                         const MlirAffineExpr *coordinates, const strata_tile_reader_t *reader) {
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
      return strata_tile_load_memory(b, moved->memory, moved->rank, inner, (MlirAttribute){0});
    }
  const strata_nest_t *producer = strata_kernel_producer(b->kernel, buffer, &store);
  if (producer && producer->n_reduction) {
    strata_tile_fail(b, "affine-to-tile: a reduction is read where it is not complete");
    return no_value;
  }
  value = producer ? compute_producer(b, producer, store, reader, rank, coordinates)
                   : strata_tile_load_memory(b, buffer, rank, coordinates, (MlirAttribute){0});
  if (!b->status && (producer || !b->reads_beyond)) // others may count on zeros
    strata_tile_know(b, buffer, rank, coordinates, value);
  return value;
}

strata_tile_value_t strata_tile_load(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                     const MlirAffineExpr *coordinates) {
  return strata_tile_load_for(b, buffer, rank, coordinates, NULL);
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
  uint32_t dims = strata_tile_dims_of(b, rank, coordinates) | value.dims;
  if (!are_single(b, dims & ~strata_tile_dims_of(b, rank, coordinates))) {
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
