// See index.h.
#include "lowering/tile_to_gpu/index.h"

#include "dialects/affine/schedule.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/values.h"

//===-- Expressions ----------------------------------------------------------------------------------------------===//

static MlirAffineExpr constant(MlirContext context, int64_t value) { return mlirAffineConstantExprGet(context, value); }

static MlirAffineExpr beside(MlirAffineExpr expr, int64_t value) {
  return constant(mlirAffineExprGetContext(expr), value);
}

MlirAffineExpr strata_expr_times(MlirAffineExpr expr, int64_t by) {
  return mlirAffineMulExprGet(expr, beside(expr, by));
}
MlirAffineExpr strata_expr_div(MlirAffineExpr expr, int64_t by) {
  return mlirAffineFloorDivExprGet(expr, beside(expr, by));
}
MlirAffineExpr strata_expr_mod(MlirAffineExpr expr, int64_t by) { return mlirAffineModExprGet(expr, beside(expr, by)); }

MlirAffineExpr strata_thread_coordinate(MlirContext context, const strata_layout_t *layout, int dim, int thread) {
  MlirAffineExpr sum = constant(context, 0);
  int64_t below = 1, n_threads = strata_layout_threads(layout);
  for (int i = 0; i < layout->n_thread; below *= layout->thread[i++].extent) {
    const strata_digit_t *digit = &layout->thread[i];
    if (digit->dim != dim)
      continue;
    MlirAffineExpr value = mlirAffineDimExprGet(context, thread);
    if (below > 1)
      value = strata_expr_div(value, below);
    if (below * digit->extent < n_threads)
      value = strata_expr_mod(value, digit->extent);
    sum = mlirAffineAddExprGet(sum, strata_expr_times(value, digit->stride));
  }
  return sum;
}

const strata_space_t *strata_index_known(const strata_index_space_t *space, strata_static_space_t *storage) {
  for (int i = 0; i < space->n_dims; i++)
    storage->sizes[i] = i <= space->n_vector ? strata_size_constant(space->extents[i]) : space->counts[i];
  const strata_size_symbols_t *sizes = &space->d->sizes;
  storage->space = (strata_space_t){space->n_dims, storage->sizes, sizes->count, sizes->sizes};
  return &storage->space;
}

MlirAffineExpr strata_index_simplify(const strata_index_space_t *space, MlirAffineExpr expr) {
  strata_static_space_t storage;
  return strata_affine_simplify(expr, strata_index_known(space, &storage));
}

MlirAffineExpr strata_index_at(const strata_index_space_t *space, MlirAffineExpr expr, const strata_layout_t *layout,
                               int64_t reg) {
  MlirContext context = space->d->e.context;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  for (int i = 0; i < space->n_dims; i++)
    dims[i] = i >= space->n_vector
                  ? mlirAffineDimExprGet(context, i)
                  : mlirAffineAddExprGet(strata_thread_coordinate(context, layout, i, space->n_vector),
                                         constant(context, strata_layout_reg_coordinate(layout, reg, i)));
  MlirAffineMap map = mlirAffineMapGet(context, space->n_dims, STRATA_INDEX_SYMBOLS, space->n_dims, dims);
  return strata_index_simplify(space, mlirAffineExprCompose(expr, map));
}

bool strata_index_range(const strata_index_space_t *space, MlirAffineExpr expr, int64_t *out_min, int64_t *out_max) {
  strata_static_space_t storage;
  return strata_affine_range(expr, strata_index_known(space, &storage), out_min, out_max);
}

bool strata_index_is_nonnegative(const strata_index_space_t *space, MlirAffineExpr expr) {
  strata_static_space_t storage;
  return strata_affine_is_nonnegative(expr, strata_index_known(space, &storage));
}

// |expr| with each of the module's symbols written as a multiple of its divisor.
static MlirAffineExpr with_divisors(const strata_index_space_t *space, MlirAffineExpr expr) {
  const strata_size_symbols_t *sizes = &space->d->sizes;
  MlirContext context = space->d->e.context;
  MlirAffineMap map = mlirAffineMapGet(context, STRATA_INDEX_DIMS, STRATA_INDEX_SYMBOLS, 1, &expr);
  for (int i = 0; i < sizes->count; i++) {
    MlirAffineExpr symbol = mlirAffineSymbolExprGet(context, i);
    if (sizes->sizes[i].divisor > 1)
      map = mlirAffineMapReplace(map, symbol, strata_expr_times(symbol, sizes->sizes[i].divisor), STRATA_INDEX_DIMS,
                                 STRATA_INDEX_SYMBOLS);
  }
  return mlirAffineMapGetResult(map, 0);
}

int64_t strata_index_divisor(const strata_index_space_t *space, MlirAffineExpr expr) {
  int64_t divisor = mlirAffineExprGetLargestKnownDivisor(with_divisors(space, expr));
  return divisor < 0 ? -divisor : divisor;
}

bool strata_index_is_multiple(const strata_index_space_t *space, MlirAffineExpr expr, int64_t by) {
  return mlirAffineExprIsMultipleOf(with_divisors(space, expr), by);
}

int64_t strata_index_split(MlirAffineExpr *expr) {
  MlirContext context = mlirAffineExprGetContext(*expr);
  if (mlirAffineExprIsAConstant(*expr)) {
    int64_t value = mlirAffineConstantExprGetValue(*expr);
    *expr = constant(context, 0);
    return value;
  }
  if (!mlirAffineExprIsAAdd(*expr) || !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(*expr)))
    return 0;
  int64_t value = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(*expr));
  *expr = mlirAffineBinaryOpExprGetLHS(*expr);
  return value;
}

//===-- Old values -----------------------------------------------------------------------------------------------===//

strata_index_space_t strata_index_space(strata_gpu_distribution_t *d, int rank, const int64_t *sizes) {
  strata_index_space_t space = {.d = d, .n_vector = rank, .n_dims = rank + 1};
  for (int i = 0; i < rank; i++) {
    space.extents[i] = sizes[i];
    space.kinds[i] = STRATA_INDEX_VECTOR;
  }
  space.extents[rank] = d->role.group;
  space.kinds[rank] = STRATA_INDEX_THREAD;
  return space;
}

static MlirAffineExpr unknown(strata_index_space_t *space, MlirValue old) {
  int at = 0;
  while (at < space->n_unknown && !mlirValueEqual(space->unknown[at], old))
    at++;
  if (at == space->n_unknown && at < STRATA_INDEX_DIMS)
    space->unknown[space->n_unknown++] = old;
  return mlirAffineSymbolExprGet(space->d->e.context, space->d->sizes.count + at);
}

static MlirAffineExpr known(strata_index_space_t *space, strata_index_kind_t kind, MlirValue old, strata_size_t count) {
  int at = space->n_vector + 1;
  while (at < space->n_dims &&
         !(space->kinds[at] == kind && (kind == STRATA_INDEX_TASK || mlirValueEqual(space->dims[at], old))))
    at++;
  if (at == STRATA_INDEX_DIMS)
    return unknown(space, old);
  if (at == space->n_dims) {
    space->kinds[at] = kind;
    space->dims[at] = old;
    space->counts[at] = count;
    space->n_dims++;
  }
  return mlirAffineDimExprGet(space->d->e.context, at);
}

bool strata_index_size(strata_gpu_distribution_t *d, MlirValue old, strata_size_t *out) {
  int64_t number;
  if (strata_value_integer(old, &number)) {
    *out = strata_size_constant(number);
    return true;
  }
  MlirAffineExpr expr = d->sizes.count ? strata_symbol_expr_of_value(old) : (MlirAffineExpr){0};
  if (mlirAffineExprIsNull(expr))
    return false;
  *out = strata_size_of_expr(&d->sizes, expr);
  return true;
}

// Attention's loops may have fewer steps in some tasks than in others.
static bool greatest_upper(const strata_gpu_distribution_t *d, MlirOperation loop, strata_size_t *out) {
  MlirAttribute most = strata_attr(loop, "tile.most");
  if (mlirAttributeIsNull(most))
    return false;
  *out = mlirAttributeIsAAffineMap(most)
             ? strata_size_of_expr(&d->sizes, mlirAffineMapGetResult(mlirAffineMapAttrGetValue(most), 0))
             : strata_size_constant(strata_attr_i64(loop, "tile.most", 0));
  out->min = strata_max(out->min, 1); // which is not always seen
  return true;
}

bool strata_index_bounds(strata_gpu_distribution_t *d, MlirValue old, int64_t *out_lower, int64_t *out_step,
                         strata_size_t *out_trips) {
  if (!mlirValueIsABlockArgument(old) || mlirBlockArgumentGetArgNumber(old) != 0)
    return false;
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(old));
  strata_size_t upper;
  if (!strata_op_is(loop, "scf.for") || !strata_value_integer(mlirOperationGetOperand(loop, 0), out_lower) ||
      !strata_value_integer(mlirOperationGetOperand(loop, 2), out_step) || *out_step <= 0)
    return false;
  if (!greatest_upper(d, loop, &upper) && !strata_index_size(d, mlirOperationGetOperand(loop, 1), &upper))
    return false;
  if (strata_size_min(upper) < *out_lower && strata_size_varies(upper))
    return false;
  *out_trips = strata_size_max(upper) > *out_lower
                   ? strata_size_ceil_div(strata_size_sum(upper, strata_size_constant(-*out_lower)), *out_step)
                   : strata_size_constant(0);
  return true;
}

// Index |dim| of the forall: a digit of the task's number.
static MlirAffineExpr resolve_task(strata_index_space_t *space, MlirValue old, MlirOperation forall) {
  int64_t counts[STRATA_VALUE_RANK], below = 1;
  int rank = strata_attr_i64s(forall, "staticUpperBound", STRATA_VALUE_RANK, counts);
  int dim = (int)mlirBlockArgumentGetArgNumber(old);
  strata_size_t n_tasks;
  if (!strata_gpu_forall_tasks(space->d, forall, &n_tasks))
    return unknown(space, old);
  for (int i = dim + 1; i < rank; i++)
    below *= counts[i];
  MlirAffineExpr task = known(space, STRATA_INDEX_TASK, old, n_tasks);
  if (rank == 1)
    return task;
  MlirAffineExpr index = strata_expr_div(task, below);
  return dim == 0 ? index : strata_expr_mod(index, counts[dim]);
}

static MlirAffineExpr resolve_apply(strata_index_space_t *space, MlirOperation op) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(strata_attr(op, "map"));
  intptr_t count = mlirOperationGetNumOperands(op);
  if (count > STRATA_INDEX_DIMS)
    return unknown(space, mlirOperationGetResult(op, 0));
  MlirAffineExpr values[STRATA_INDEX_DIMS];
  for (intptr_t i = 0; i < count; i++)
    values[i] = strata_index_resolve(space, mlirOperationGetOperand(op, i));
  return strata_affine_apply(map, 0, values, STRATA_INDEX_DIMS, STRATA_INDEX_SYMBOLS);
}

MlirAffineExpr strata_index_resolve(strata_index_space_t *space, MlirValue old) {
  MlirContext context = space->d->e.context;
  int64_t lower, step;
  strata_size_t trips, size;
  if (strata_index_size(space->d, old, &size))
    return strata_size_expr(context, size);
  if (mlirValueIsAOpResult(old)) {
    MlirOperation op = mlirOpResultGetOwner(old);
    return strata_op_is(op, "affine.apply") ? resolve_apply(space, op) : unknown(space, old);
  }
  MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(old));
  if (strata_op_is(parent, "scf.forall"))
    return resolve_task(space, old, parent);
  if (!strata_index_bounds(space->d, old, &lower, &step, &trips))
    return unknown(space, old);
  MlirAffineExpr counter = known(space, STRATA_INDEX_COUNTER, old, trips);
  return mlirAffineAddExprGet(strata_expr_times(counter, step), constant(context, lower));
}

//===-- Emission -------------------------------------------------------------------------------------------------===//

static MlirValue emit_dim(strata_index_space_t *space, intptr_t dim) {
  strata_gpu_distribution_t *d = space->d;
  switch (space->kinds[dim]) {
  case STRATA_INDEX_THREAD:
    return d->role.thread;
  case STRATA_INDEX_TASK:
    return d->role.task;
  case STRATA_INDEX_COUNTER:
    return strata_gpu_record_of(d, space->dims[dim])->counter;
  case STRATA_INDEX_VECTOR:
    break;
  }
  return (MlirValue){0}; // not in what is emitted
}

// Sums and products that stay below 2^63 in magnitude, as positions in a buffer do, never wrap.
static MlirValue emit_exact(strata_emitter_t *e, const char *name, MlirValue a, MlirValue b) {
  strata_named_attr_t flags = {"overflowFlags", mlirAttributeParseGet(e->context, strata_str("#arith.overflow<nsw>"))};
  return strata_emit_value(e, name, 2, (MlirValue[]){a, b}, mlirValueGetType(a), 1, &flags);
}

// True of what 32 bits hold, *out_most at most.
static bool read_narrow(strata_index_space_t *space, MlirAffineExpr expr, int64_t *out_most) {
  int64_t least;
  return strata_index_range(space, expr, &least, out_most) && least >= 0 && *out_most <= UINT32_MAX;
}

static bool is_narrow(strata_index_space_t *space, MlirAffineExpr expr) {
  int64_t most;
  return read_narrow(space, expr, &most);
}

static MlirValue as_i32(strata_emitter_t *e, MlirValue index) {
  return strata_emit_cast(e, "arith.index_castui", index, mlirIntegerTypeGet(e->context, 32));
}

// True if |expr| is the same wherever the running task is carried out.
static bool is_of_task(const strata_index_space_t *space, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return true;
  if (mlirAffineExprIsADim(expr))
    return space->kinds[mlirAffineDimExprGetPosition(expr)] == STRATA_INDEX_TASK;
  if (mlirAffineExprIsASymbol(expr))
    return mlirAffineSymbolExprGetPosition(expr) < space->d->sizes.count;
  return is_of_task(space, mlirAffineBinaryOpExprGetLHS(expr)) && is_of_task(space, mlirAffineBinaryOpExprGetRHS(expr));
}

// Divides what cannot be negative. Numbers of tasks and rows are 32-bit ones where positions in buffers are not; to
// divide those takes a fraction of the time.
static MlirValue emit_division(strata_index_space_t *space, MlirAffineExpr expr, MlirValue a, MlirValue b) {
  strata_emitter_t *e = &space->d->e;
  const char *name = mlirAffineExprIsACeilDiv(expr) ? "arith.ceildivui"
                     : mlirAffineExprIsAMod(expr)   ? "arith.remui"
                                                    : "arith.divui";
  if (space->d->index_bits == 32 || !is_narrow(space, mlirAffineBinaryOpExprGetLHS(expr)) ||
      !is_narrow(space, mlirAffineBinaryOpExprGetRHS(expr)))
    return strata_emit_binary(e, name, a, b);
  MlirValue narrow_b = as_i32(e, b), narrow = strata_emit_binary(e, name, as_i32(e, a), narrow_b);
  return strata_emit_cast(e, "arith.index_castui", narrow, mlirIndexTypeGet(e->context));
}

//===-- Long numbers divided by sizes ----------------------------------------------------------------------------===//

// A row's number is that of the task's first row and a few: where images of any height and width are more rows than 32
// bits say, the first one is divided once, and 32 bits are enough for what is left.
//
//   (first + few) floordiv n   ->   first floordiv n + (first mod n + few) floordiv n
//
// So it is in products, whose threads have many rows; a thread with a row or two would wait for a division more.
typedef struct {
  MlirAffineExpr of_task;
  MlirValue few; // i32
  int64_t most;  // of |few|
} parts_t;

// The terms of a sum that are those of the task, and the others, numbers among them.
static void collect_terms(const strata_index_space_t *space, MlirAffineExpr expr, MlirAffineExpr *of_task,
                          MlirAffineExpr *others) {
  MlirAffineExpr *sum = mlirAffineExprIsAConstant(expr) || !is_of_task(space, expr) ? others : of_task;
  if (mlirAffineExprIsAAdd(expr)) {
    collect_terms(space, mlirAffineBinaryOpExprGetLHS(expr), of_task, others);
    collect_terms(space, mlirAffineBinaryOpExprGetRHS(expr), of_task, others);
  } else {
    *sum = mlirAffineAddExprGet(*sum, expr);
  }
}

static bool read_parts(strata_index_space_t *space, MlirAffineExpr expr, parts_t *out);

// first mod n + few, and n, of 32 bits; false if |expr|, a division by n, has no such parts.
static bool emit_rest(strata_index_space_t *space, MlirAffineExpr expr, parts_t *lhs, MlirValue out[2]) {
  strata_emitter_t *e = &space->d->e;
  MlirAffineExpr by = mlirAffineBinaryOpExprGetRHS(expr);
  int64_t most;
  if (!is_of_task(space, by) || !read_narrow(space, by, &most) ||
      !read_parts(space, mlirAffineBinaryOpExprGetLHS(expr), lhs) || most + lhs->most > UINT32_MAX)
    return false;
  MlirValue rest = as_i32(e, strata_index_emit(space, mlirAffineModExprGet(lhs->of_task, by)));
  out[0] = strata_emit_binary(e, "arith.addi", rest, lhs->few);
  out[1] = as_i32(e, strata_index_emit(space, by));
  return true;
}

// Of quotients |few| is no more than it is of what is divided.
static bool read_parts(strata_index_space_t *space, MlirAffineExpr expr, parts_t *out) {
  MlirContext context = space->d->e.context;
  MlirValue rest[2];
  if (mlirAffineExprIsAFloorDiv(expr) && emit_rest(space, expr, out, rest)) {
    out->of_task = mlirAffineFloorDivExprGet(out->of_task, mlirAffineBinaryOpExprGetRHS(expr));
    out->few = strata_emit_binary(&space->d->e, "arith.divui", rest[0], rest[1]);
    return true;
  }
  MlirAffineExpr others = constant(context, 0);
  out->of_task = others;
  collect_terms(space, expr, &out->of_task, &others);
  if (!strata_index_is_nonnegative(space, out->of_task) || !read_narrow(space, others, &out->most) || out->most == 0)
    return false;
  out->few = as_i32(&space->d->e, strata_index_emit(space, others));
  return true;
}

// x floordiv (m * n) as (x floordiv n) floordiv m.
static MlirAffineExpr one_by_one(MlirAffineExpr expr) {
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), by = mlirAffineBinaryOpExprGetRHS(expr);
  if (!mlirAffineExprIsAFloorDiv(expr) || !mlirAffineExprIsAMul(by))
    return expr;
  MlirAffineExpr inner = mlirAffineFloorDivExprGet(lhs, mlirAffineBinaryOpExprGetRHS(by));
  return one_by_one(mlirAffineFloorDivExprGet(one_by_one(inner), mlirAffineBinaryOpExprGetLHS(by)));
}

// True if |expr| is a division of a long number by a size that varies, which is then emitted.
static bool emit_by_parts(strata_index_space_t *space, MlirAffineExpr expr, MlirValue *out) {
  strata_emitter_t *e = &space->d->e;
  MlirType index = mlirIndexTypeGet(e->context);
  parts_t lhs;
  MlirValue rest[2];
  if (space->d->index_bits == 32 || mlirAffineExprIsACeilDiv(expr) ||
      mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr)) ||
      is_narrow(space, mlirAffineBinaryOpExprGetLHS(expr)) ||
      strata_schedule_read(space->d->func).kind != STRATA_KERNEL_CONTRACT)
    return false;
  expr = one_by_one(expr);
  if (!emit_rest(space, expr, &lhs, rest))
    return false;
  bool is_mod = mlirAffineExprIsAMod(expr);
  *out = strata_emit_cast(e, "arith.index_castui",
                          strata_emit_binary(e, is_mod ? "arith.remui" : "arith.divui", rest[0], rest[1]), index);
  if (!is_mod) {
    MlirAffineExpr whole = mlirAffineFloorDivExprGet(lhs.of_task, mlirAffineBinaryOpExprGetRHS(expr));
    *out = emit_exact(e, "arith.addi", strata_index_emit(space, whole), *out);
  }
  return true;
}

static MlirValue emit_binary(strata_index_space_t *space, MlirAffineExpr expr) {
  strata_emitter_t *e = &space->d->e;
  MlirAffineExpr lhs = mlirAffineBinaryOpExprGetLHS(expr), rhs = mlirAffineBinaryOpExprGetRHS(expr);
  bool is_division = !mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr);
  MlirValue by_parts;
  if (is_division && emit_by_parts(space, expr, &by_parts))
    return by_parts;
  MlirValue a = strata_index_emit(space, lhs), b = strata_index_emit(space, rhs);
  if (!is_division)
    return emit_exact(e, mlirAffineExprIsAAdd(expr) ? "arith.addi" : "arith.muli", a, b);
  int64_t min, max;
  bool is_unsigned = strata_index_range(space, lhs, &min, &max) ? min >= 0 : strata_index_is_nonnegative(space, lhs);
  if (is_unsigned)
    return emit_division(space, expr, a, b);
  if (mlirAffineExprIsACeilDiv(expr))
    return strata_emit_binary(e, "arith.ceildivsi", a, b);
  MlirValue whole = strata_emit_binary(e, "arith.floordivsi", a, b);
  return mlirAffineExprIsAFloorDiv(expr)
             ? whole
             : strata_emit_binary(e, "arith.subi", a, emit_exact(e, "arith.muli", whole, b));
}

// A division by a size that varies is no operation that compilers move out of a loop behind a barrier, where it may not
// be reached, and takes as long as a step of a product.
static bool is_slow_of_task(const strata_index_space_t *space, MlirAffineExpr expr) {
  return !mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr) &&
         !mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(expr)) && is_of_task(space, expr);
}

// The same as emit_binary, where the task's number is known first.
static MlirValue emit_beside_task(strata_index_space_t *space, MlirAffineExpr expr) {
  strata_emitter_t *e = &space->d->e;
  MlirValue task = space->d->role.task;
  bool is_argument = mlirValueIsABlockArgument(task);
  MlirOperation after = is_argument ? (MlirOperation){0} : mlirOpResultGetOwner(task);
  MlirBlock block = is_argument ? mlirBlockArgumentGetOwner(task) : mlirOperationGetBlock(after), running = e->block;
  bool is_there = mlirBlockEqual(block, running) || mlirOperationIsNull(mlirBlockGetParentOperation(running));
  if (is_there) // or is going there, as a part of what does
    return emit_binary(space, expr);
  e->block = mlirBlockCreate(0, NULL, NULL);
  MlirValue value = emit_binary(space, expr);
  for (MlirOperation op; !mlirOperationIsNull(op = mlirBlockGetFirstOperation(e->block)); after = op) {
    mlirOperationRemoveFromParent(op);
    mlirBlockInsertOwnedOperationAfter(block, after, op); // a null operation: in front
  }
  mlirBlockDestroy(e->block);
  e->block = running;
  return value;
}

MlirValue strata_index_emit(strata_index_space_t *space, MlirAffineExpr expr) {
  if (mlirAffineExprIsAConstant(expr))
    return strata_emit_index(&space->d->e, mlirAffineConstantExprGetValue(expr));
  if (mlirAffineExprIsADim(expr))
    return emit_dim(space, mlirAffineDimExprGetPosition(expr));
  if (mlirAffineExprIsASymbol(expr)) {
    intptr_t symbol = mlirAffineSymbolExprGetPosition(expr), n_sizes = space->d->sizes.count;
    return symbol < n_sizes ? space->d->symbols[symbol] : strata_new_scalar(space->d, space->unknown[symbol - n_sizes]);
  }
  return is_slow_of_task(space, expr) ? emit_beside_task(space, expr) : emit_binary(space, expr);
}

MlirValue strata_gpu_emit_size(strata_gpu_distribution_t *d, strata_size_t size) {
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  return strata_index_emit(&space, strata_size_expr(d->e.context, size));
}

MlirValue strata_gpu_emit_size_plus(strata_gpu_distribution_t *d, strata_size_t size, int64_t offset) {
  return strata_gpu_emit_size(d, strata_size_sum(size, strata_size_constant(offset)));
}

MlirValue strata_emit_coordinate(strata_gpu_distribution_t *d, const strata_layout_t *layout, int64_t reg, int dim) {
  strata_index_space_t space = strata_index_space(d, 0, NULL);
  MlirAffineExpr thread = strata_thread_coordinate(d->e.context, layout, dim, 0);
  MlirAffineExpr reg_part = constant(d->e.context, strata_layout_reg_coordinate(layout, reg, dim));
  return strata_index_emit(&space, mlirAffineAddExprGet(thread, reg_part));
}
