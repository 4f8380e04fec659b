// Reading the maps of tile.load and tile.store; see access.h.
#include "lowering/tile_to_cpu/access.h"

#include "dialects/affine/expr.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/expand/ops.h"

//===-- Counters -------------------------------------------------------------------------------------------------===//

// The counters found behind symbols: dims from |first| on, with extents; values nothing is known of are symbols.
typedef struct {
  MlirContext context;
  int n_dims, n_unknown;
  int64_t *extents;
  MlirAffineExpr *varying;
  MlirValue counters[STRATA_ACCESS_DIMS], unknown[STRATA_ACCESS_DIMS];
} leaves_t;

static MlirAffineExpr constant_expr(MlirContext context, int64_t value) {
  return mlirAffineConstantExprGet(context, value);
}

static MlirAffineExpr unknown_leaf(leaves_t *leaves, MlirValue value) {
  int at = 0;
  while (at < leaves->n_unknown && !mlirValueEqual(leaves->unknown[at], value))
    at++;
  if (at == leaves->n_unknown && at < STRATA_ACCESS_DIMS)
    leaves->unknown[leaves->n_unknown++] = value;
  return mlirAffineSymbolExprGet(leaves->context, at);
}

// |varying|: what the extent is, over known symbols, where it is no number; else null.
static MlirAffineExpr counter_leaf(leaves_t *leaves, MlirValue value, int64_t extent, MlirAffineExpr varying) {
  int at = 0;
  while (at < leaves->n_dims && !(leaves->counters[at].ptr && mlirValueEqual(leaves->counters[at], value)))
    at++;
  if (at == leaves->n_dims) {
    if (at == STRATA_ACCESS_DIMS)
      return unknown_leaf(leaves, value);
    leaves->extents[at] = extent;
    leaves->varying[at] = varying;
    leaves->counters[leaves->n_dims++] = value;
  }
  return mlirAffineDimExprGet(leaves->context, at);
}

// The constant bounds of a loop counter: lower, lower + step, ... below upper.
static bool loop_bounds(MlirOperation loop, intptr_t argument, int64_t *lower, int64_t *upper, int64_t *step) {
  if (strata_op_is(loop, "scf.for"))
    return argument == 0 && strata_value_integer(mlirOperationGetOperand(loop, 0), lower) &&
           strata_value_integer(mlirOperationGetOperand(loop, 1), upper) &&
           strata_value_integer(mlirOperationGetOperand(loop, 2), step);
  int64_t uppers[STRATA_VECTOR_RANK];
  if (!strata_op_is(loop, "scf.forall") ||
      strata_attr_i64s(loop, "staticUpperBound", STRATA_VECTOR_RANK, uppers) <= argument ||
      uppers[argument] == mlirShapedTypeGetDynamicSize())
    return false;
  *lower = 0;
  *upper = uppers[argument];
  *step = 1;
  return true;
}

static MlirAffineExpr resolve(leaves_t *leaves, MlirValue value);

// Symbol |symbol| of the module among those of known expressions.
static MlirAffineExpr size_leaf(MlirContext context, int symbol) {
  return mlirAffineSymbolExprGet(context, STRATA_ACCESS_DIMS + symbol);
}

// The only result of a map whose inputs, dims then symbols, are |inputs|.
static MlirAffineExpr apply_map(MlirContext context, MlirAffineMap map, int n_dims, int n_symbols,
                                const MlirAffineExpr *inputs, intptr_t result) {
  intptr_t map_dims = mlirAffineMapGetNumDims(map), map_symbols = mlirAffineMapGetNumSymbols(map);
  for (intptr_t i = 0; i < map_symbols; i++)
    map = mlirAffineMapReplace(map, mlirAffineSymbolExprGet(context, i), mlirAffineDimExprGet(context, map_dims + i),
                               map_dims + map_symbols, map_symbols);
  MlirAffineExpr values[2 * STRATA_ACCESS_DIMS];
  for (intptr_t i = 0; i < map_dims + map_symbols; i++)
    values[i] = inputs[i];
  MlirAffineMap replacement = mlirAffineMapGet(context, n_dims, n_symbols, map_dims + map_symbols, values);
  return mlirAffineExprCompose(mlirAffineMapGetResult(map, result), replacement);
}

static MlirAffineExpr resolve_apply(leaves_t *leaves, MlirOperation op) {
  MlirAffineExpr inputs[STRATA_ACCESS_DIMS];
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count > STRATA_ACCESS_DIMS)
    return unknown_leaf(leaves, mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; i < count; i++)
    inputs[i] = resolve(leaves, mlirOperationGetOperand(op, i));
  return apply_map(leaves->context, mlirAffineMapAttrGetValue(strata_attr(op, "map")), STRATA_ACCESS_DIMS,
                   STRATA_ACCESS_SYMBOLS, inputs, 0);
}

// Tasks whose number varies: a forall's only ones.
static bool is_varying_task(MlirOperation loop) {
  int64_t uppers[STRATA_VECTOR_RANK];
  return strata_op_is(loop, "scf.forall") &&
         strata_attr_i64s(loop, "staticUpperBound", STRATA_VECTOR_RANK, uppers) == 1 &&
         uppers[0] == mlirShapedTypeGetDynamicSize();
}

// An old index value over counters and unknowns.
static MlirAffineExpr resolve(leaves_t *leaves, MlirValue value) {
  int64_t lower, upper, step;
  if (strata_value_integer(value, &lower))
    return constant_expr(leaves->context, lower);
  if (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    int symbol = strata_symbol_of_value(value);
    if (symbol >= 0)
      return size_leaf(leaves->context, symbol);
    return strata_op_is(op, "affine.apply") ? resolve_apply(leaves, op) : unknown_leaf(leaves, value);
  }
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  if (is_varying_task(loop))
    return counter_leaf(leaves, value, INT64_MAX, resolve(leaves, mlirOperationGetOperand(loop, 0)));
  if (!loop_bounds(loop, mlirBlockArgumentGetArgNumber(value), &lower, &upper, &step) || step <= 0)
    return unknown_leaf(leaves, value);
  int64_t trips = upper > lower ? strata_ceil_div(upper - lower, step) : 0;
  MlirAffineExpr scaled = mlirAffineMulExprGet(counter_leaf(leaves, value, trips, (MlirAffineExpr){0}),
                                               constant_expr(leaves->context, step));
  return mlirAffineAddExprGet(scaled, constant_expr(leaves->context, lower));
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static strata_status_t read_buffer(strata_distribution_t *d, MlirOperation op, MlirValue buffer, strata_box_t *box) {
  MlirType type = mlirValueGetType(buffer);
  box->rank = (int)mlirShapedTypeGetRank(type);
  bool is_static = mlirShapedTypeHasStaticShape(type);
  if (box->rank > STRATA_BUFFER_RANK || (!is_static && mlirAffineMapIsNull(strata_type_sizes(type))) ||
      !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return strata_rule_missing(op, "a buffer that is not contiguous or whose sizes are not known");
  for (int i = 0; i < box->rank; i++)
    box->sizes[i] = mlirShapedTypeIsDynamicDim(type, i) ? strata_size_of_expr(&d->sizes, strata_type_dim(type, i))
                                                        : strata_size_constant(mlirShapedTypeGetDimSize(type, i));
  MlirValue memory = strata_scalar_of(d, buffer);
  box->flat = is_static ? strata_emit_flat(&d->e, memory) : memory;
  return NULL;
}

static MlirAffineExpr linearize(MlirContext context, int n_dims, int rank, const MlirAffineExpr *coordinates,
                                const strata_size_t *sizes, const strata_space_t *space) {
  MlirAffineMap map = mlirAffineMapGet(context, n_dims, STRATA_ACCESS_SYMBOLS, rank, (MlirAffineExpr *)coordinates);
  return strata_affine_linearize(map, sizes, space);
}

// |sizes| as known expressions have them.
static void known_sizes(MlirContext context, int rank, const strata_size_t *sizes, strata_size_t *out) {
  MlirAffineExpr shifted[STRATA_ACCESS_SYMBOLS];
  for (int i = 0; i < STRATA_ACCESS_SYMBOLS - STRATA_ACCESS_DIMS; i++)
    shifted[i] = size_leaf(context, i);
  for (int i = 0; i < rank; i++) {
    out[i] = sizes[i];
    if (mlirAffineExprIsNull(sizes[i].expr))
      continue;
    MlirAffineMap map = mlirAffineMapGet(context, 0, STRATA_ACCESS_SYMBOLS - STRATA_ACCESS_DIMS, 1, &out[i].expr);
    out[i].expr = strata_affine_apply(map, 0, shifted, 0, STRATA_ACCESS_SYMBOLS);
  }
}

static void read_steps(strata_box_t *box) {
  box->is_linear = true;
  for (int i = 0; i < box->n_vector; i++)
    box->is_linear &= strata_affine_coefficient(box->known_position, i, &box->steps[i]);
}

strata_status_t strata_box_read(strata_distribution_t *d, MlirOperation op, int buffer, MlirType vector,
                                strata_box_t *out_box) {
  strata_box_t *box = out_box;
  strata_pieces_t shape = strata_pieces_layout(vector, 1);
  *box = (strata_box_t){.n_vector = shape.rank, .n_symbols = (int)mlirOperationGetNumOperands(op) - buffer - 1};
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  if (box->n_vector + box->n_symbols > STRATA_ACCESS_DIMS)
    return strata_rule_missing(op, "so many symbols");
  STRATA_TRY(read_buffer(d, op, mlirOperationGetOperand(op, buffer), box));
  if (mlirAffineMapGetNumDims(map) != box->n_vector || mlirAffineMapGetNumSymbols(map) != box->n_symbols ||
      mlirAffineMapGetNumResults(map) != box->rank)
    return strata_rule_missing(op, "a map that does not fit its operands");
  leaves_t leaves = {
      .context = d->e.context, .n_dims = box->n_vector, .extents = box->extents, .varying = box->varying};
  MlirAffineExpr given[STRATA_ACCESS_DIMS], known[STRATA_ACCESS_DIMS];
  for (int i = 0; i < box->n_vector; i++) {
    given[i] = known[i] = mlirAffineDimExprGet(d->e.context, i);
    box->extents[i] = shape.sizes[i];
  }
  for (int i = 0; i < box->n_symbols; i++) {
    MlirValue old = mlirOperationGetOperand(op, buffer + 1 + i);
    box->symbols[i] = strata_scalar_of(d, old);
    int symbol = strata_symbol_of_value(old);
    given[box->n_vector + i] = symbol >= 0 ? mlirAffineSymbolExprGet(d->e.context, symbol)
                                           : mlirAffineDimExprGet(d->e.context, box->n_vector + i);
    known[box->n_vector + i] = resolve(&leaves, old);
  }
  box->n_known = leaves.n_dims;
  for (int i = 0; i < box->rank; i++) {
    box->coordinates[i] = apply_map(d->e.context, map, box->n_vector + box->n_symbols, STRATA_ACCESS_SYMBOLS, given, i);
    MlirAffineExpr expr = apply_map(d->e.context, map, box->n_known, STRATA_ACCESS_SYMBOLS, known, i);
    box->known_coordinates[i] = strata_affine_simplify(expr, STRATA_STATIC_SPACE(box->n_known, box->extents));
  }
  box->position =
      linearize(d->e.context, box->n_vector + box->n_symbols, box->rank, box->coordinates, box->sizes, NULL);
  strata_size_t sizes[STRATA_BUFFER_RANK];
  known_sizes(d->e.context, box->rank, box->sizes, sizes);
  box->known_position = linearize(d->e.context, box->n_known, box->rank, box->known_coordinates, sizes,
                                  STRATA_STATIC_SPACE(box->n_known, box->extents));
  read_steps(box);
  return NULL;
}

static MlirAffineExpr swap_dims(MlirAffineExpr expr, int n_dims, int a, int b) {
  MlirContext context = mlirAffineExprGetContext(expr);
  MlirAffineExpr dims[STRATA_ACCESS_DIMS];
  for (int i = 0; i < n_dims; i++)
    dims[i] = mlirAffineDimExprGet(context, i == a ? b : i == b ? a : i);
  return mlirAffineExprCompose(expr, mlirAffineMapGet(context, n_dims, STRATA_ACCESS_SYMBOLS, n_dims, dims));
}

static void swap_sizes(int64_t *a, int64_t *b) {
  int64_t size = *a;
  *a = *b;
  *b = size;
}

strata_box_t strata_box_swap(const strata_box_t *box, int dim) {
  strata_box_t swapped = *box;
  int inner = box->n_vector - 1, n_given = box->n_vector + box->n_symbols;
  for (int i = 0; i < box->rank; i++) {
    swapped.coordinates[i] = swap_dims(box->coordinates[i], n_given, dim, inner);
    swapped.known_coordinates[i] = swap_dims(box->known_coordinates[i], box->n_known, dim, inner);
  }
  swapped.position = swap_dims(box->position, n_given, dim, inner);
  swapped.known_position = swap_dims(box->known_position, box->n_known, dim, inner);
  swap_sizes(&swapped.extents[dim], &swapped.extents[inner]);
  swap_sizes(&swapped.steps[dim], &swapped.steps[inner]);
  return swapped;
}

//===-- Questions ------------------------------------------------------------------------------------------------===//

// |known| with the vector's dims at |point|; the innermost one stays a dim, counted from the point on.
static MlirAffineExpr along_inner(const strata_box_t *box, MlirAffineExpr known, const int64_t *point) {
  MlirContext context = mlirAffineExprGetContext(known);
  MlirAffineExpr dims[STRATA_ACCESS_DIMS];
  for (int i = 0; i < box->n_known; i++) {
    dims[i] = mlirAffineDimExprGet(context, i);
    if (i < box->n_vector - 1)
      dims[i] = constant_expr(context, point[i]);
    else if (i == box->n_vector - 1)
      dims[i] = mlirAffineAddExprGet(dims[i], constant_expr(context, point[i]));
  }
  return mlirAffineExprCompose(known,
                               mlirAffineMapGet(context, box->n_known, STRATA_ACCESS_SYMBOLS, box->n_known, dims));
}

// The extents where the innermost dim goes over |length| elements only.
static const int64_t *extents_of_piece(const strata_box_t *box, int64_t length, int64_t *out) {
  memcpy(out, box->extents, sizeof box->extents);
  if (box->n_vector > 0)
    out[box->n_vector - 1] = length;
  return out;
}

bool strata_box_step(const strata_box_t *box, MlirAffineExpr known, const int64_t *point, int64_t length,
                     int64_t *out_step) {
  if (box->n_vector == 0 || length == 1) {
    *out_step = 0;
    return true;
  }
  int64_t extents[STRATA_ACCESS_DIMS];
  MlirAffineExpr expr = strata_affine_simplify(
      along_inner(box, known, point), STRATA_STATIC_SPACE(box->n_known, extents_of_piece(box, length, extents)));
  return strata_affine_coefficient(expr, box->n_vector - 1, out_step);
}

// An expression over the known counters with the module's symbols by their numbers; null where it depends on a value
// that nothing is known of.
static MlirAffineExpr over_module_symbols(const strata_box_t *box, MlirAffineExpr known) {
  MlirContext context = mlirAffineExprGetContext(known);
  MlirAffineExpr inputs[STRATA_ACCESS_DIMS + STRATA_ACCESS_SYMBOLS];
  int n_known = box->n_known, n_dims = n_known + STRATA_ACCESS_DIMS;
  for (int i = 0; i < n_dims; i++)
    inputs[i] = mlirAffineDimExprGet(context, i);
  for (int i = 0; i < STRATA_ACCESS_SYMBOLS - STRATA_ACCESS_DIMS; i++)
    inputs[n_dims + i] = mlirAffineSymbolExprGet(context, i);
  MlirAffineMap map = mlirAffineMapGet(context, n_known, STRATA_ACCESS_SYMBOLS, 1, &known);
  MlirAffineExpr expr = strata_affine_apply(map, 0, inputs, n_dims, STRATA_ACCESS_SYMBOLS);
  for (int i = n_known; i < n_dims; i++)
    if (mlirAffineExprIsFunctionOfDim(expr, i))
      return (MlirAffineExpr){0};
  return expr;
}

// The same where the number of tasks varies: task floordiv 4 is below n where there are 4 n.
static bool is_inside_of_tasks(const strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr expr,
                               const int64_t *extents, strata_size_t size) {
  const strata_size_symbols_t *symbols = &d->sizes;
  strata_size_t sizes[STRATA_ACCESS_DIMS];
  bool varies = false;
  for (int i = 0; i < box->n_known; i++) {
    sizes[i] = strata_size_constant(extents[i]);
    if (mlirAffineExprIsNull(box->varying[i]))
      continue;
    MlirAffineExpr tasks = over_module_symbols(box, box->varying[i]);
    if (mlirAffineExprIsNull(tasks))
      return false;
    sizes[i] = strata_size_of_expr(symbols, tasks);
    varies = true;
  }
  strata_space_t space = {box->n_known, sizes, symbols->count, symbols->sizes};
  expr = varies ? over_module_symbols(box, expr) : (MlirAffineExpr){0};
  if (mlirAffineExprIsNull(expr))
    return false;
  expr = strata_affine_simplify(expr, &space);
  if (!strata_affine_is_nonnegative(expr, &space))
    return false;
  for (int64_t divisor; mlirAffineExprIsAFloorDiv(expr) && strata_affine_constant_rhs(expr, &divisor) && divisor > 0;
       expr = mlirAffineBinaryOpExprGetLHS(expr))
    size = strata_size_product(size, strata_size_constant(divisor));
  return strata_affine_is_below(expr, size, &space);
}

bool strata_box_inside(const strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr known,
                       const int64_t *point, int64_t length, strata_size_t size) {
  int64_t extents[STRATA_ACCESS_DIMS], min, max;
  MlirAffineExpr expr = along_inner(box, known, point);
  extents_of_piece(box, length, extents);
  bool is_inside = strata_affine_range(expr, STRATA_STATIC_SPACE(box->n_known, extents), &min, &max) && min >= 0 &&
                   max < strata_size_min(size);
  return is_inside || is_inside_of_tasks(d, box, expr, extents, size);
}

bool strata_box_is_static(const strata_box_t *box) { return !strata_sizes_vary(box->rank, box->sizes); }

bool strata_box_is_multiple(const strata_box_t *box, const int64_t *point, int64_t factor) {
  MlirAffineExpr expr = along_inner(box, box->known_position, point);
  if (box->n_vector == 0)
    return mlirAffineExprIsMultipleOf(expr, factor);
  int64_t extents[STRATA_ACCESS_DIMS]; // a dim of extent 1 is 0
  expr = strata_affine_simplify(expr, STRATA_STATIC_SPACE(box->n_known, extents_of_piece(box, 1, extents)));
  return mlirAffineExprIsMultipleOf(expr, factor);
}

//===-- Emission -------------------------------------------------------------------------------------------------===//

MlirValue strata_box_emit(strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr expr,
                          const int64_t *point) {
  MlirAffineExpr dims[STRATA_ACCESS_DIMS];
  for (int i = 0; i < box->n_vector; i++)
    dims[i] = constant_expr(d->e.context, point[i]);
  for (int i = 0; i < box->n_symbols; i++)
    dims[box->n_vector + i] = mlirAffineDimExprGet(d->e.context, i);
  MlirAffineMap at_point =
      mlirAffineMapGet(d->e.context, box->n_symbols, STRATA_ACCESS_SYMBOLS, box->n_vector + box->n_symbols, dims);
  expr = mlirAffineExprCompose(expr, at_point);
  if (strata_expr_symbols(expr) == 0)
    return strata_emit_apply(&d->e, expr, box->n_symbols, box->symbols);
  return strata_emit_over_sizes(d, expr, box->n_symbols, box->symbols);
}

MlirValue strata_box_size(strata_distribution_t *d, const strata_box_t *box, int dim) {
  return strata_emit_size(d, strata_size_expr(d->e.context, box->sizes[dim]));
}

MlirValue strata_box_position(strata_distribution_t *d, strata_box_t *box, const int64_t *point) {
  if (!box->is_linear)
    return strata_box_emit(d, box, box->position, point);
  const int64_t origin[STRATA_VECTOR_RANK] = {0};
  if (mlirValueIsNull(box->base))
    box->base = strata_box_emit(d, box, box->position, origin);
  int64_t offset = 0;
  for (int i = 0; i < box->n_vector; i++)
    offset += box->steps[i] * point[i];
  return strata_emit_plus(&d->e, box->base, offset);
}

//===-- Lane by lane ---------------------------------------------------------------------------------------------===//

// An expression is emitted as a scalar as long as no lane differs, as a vector from there on.
typedef struct {
  strata_distribution_t *d;
  const strata_box_t *box;
  const int64_t *point;
  int64_t length;
  MlirType element; // of the vectors
} lanes_t;

static MlirValue emit_lanes(const lanes_t *lanes, MlirAffineExpr expr);

// point, point + 1, ... along the innermost dim.
static MlirValue emit_counter(const lanes_t *lanes) {
  MlirAttribute values[64];
  for (int64_t i = 0; i < lanes->length; i++)
    values[i] = mlirIntegerAttrGet(lanes->element, lanes->point[lanes->box->n_vector - 1] + i);
  MlirType type = strata_lanes_type(lanes->element, lanes->length);
  strata_named_attr_t value = {"value", mlirDenseElementsAttrGet(type, lanes->length, values)};
  return strata_emit_value(&lanes->d->e, "arith.constant", 0, NULL, type, 1, &value);
}

static MlirValue emit_uniform(const lanes_t *lanes, MlirAffineExpr expr) {
  strata_emitter_t *e = &lanes->d->e;
  MlirValue scalar = strata_box_emit(lanes->d, lanes->box, expr, lanes->point);
  return strata_lanes_splat(e, strata_emit_cast(e, "arith.index_cast", scalar, lanes->element), lanes->length);
}

static MlirValue emit_division(const lanes_t *lanes, MlirAffineExpr expr) {
  strata_emitter_t *e = &lanes->d->e;
  MlirValue a = emit_lanes(lanes, mlirAffineBinaryOpExprGetLHS(expr));
  MlirValue b = emit_lanes(lanes, mlirAffineBinaryOpExprGetRHS(expr));
  if (mlirAffineExprIsACeilDiv(expr))
    return strata_emit_binary(e, "arith.ceildivsi", a, b);
  MlirValue whole = strata_emit_binary(e, "arith.floordivsi", a, b);
  if (mlirAffineExprIsAFloorDiv(expr))
    return whole;
  return strata_emit_binary(e, "arith.subi", a, strata_emit_binary(e, "arith.muli", whole, b));
}

static MlirValue emit_lanes(const lanes_t *lanes, MlirAffineExpr expr) {
  int inner = lanes->box->n_vector - 1;
  if (!mlirAffineExprIsFunctionOfDim(expr, inner))
    return emit_uniform(lanes, expr);
  if (mlirAffineExprIsADim(expr))
    return emit_counter(lanes);
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return emit_division(lanes, expr);
  MlirValue a = emit_lanes(lanes, mlirAffineBinaryOpExprGetLHS(expr));
  MlirValue b = emit_lanes(lanes, mlirAffineBinaryOpExprGetRHS(expr));
  return strata_emit_binary(&lanes->d->e, mlirAffineExprIsAAdd(expr) ? "arith.addi" : "arith.muli", a, b);
}

MlirValue strata_box_emit_lanes(strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr expr,
                                const int64_t *point, int64_t length, MlirType element) {
  return emit_lanes(&(lanes_t){d, box, point, length, element}, expr);
}
