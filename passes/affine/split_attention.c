// affine-split-attention: memory for what the parts of attention's columns give (docs/gpu-schedules.md, `splits`), and
// a kernel that puts it together.
//
//   call @k0(%q, %k, %v, %y)
// becomes
//   %m = memref.alloc : memref<128x4xf32>   %l = memref.alloc : memref<128x4xf32>
//   %o = memref.alloc : memref<128x4x128xf32>
//   call @k0(%q, %k, %v, %y, %m, %l, %o)
//   call @k0_sum(%q, %k, %v, %y, %m, %l, %o)       // stores %y
//
// The kernel's nests say what they said before; level 3 stores into the last three arguments instead of its results:
// maxima of rows as exponents of two, sums of weights and of weighted values, not divided. The other kernel is the
// nest of the second product with the parts' sum, in order, instead of its own, and what follows it. Parts that a
// kernel of @prepare may have had are one: what constants alone decide is computed once.
#include "dialects/affine/attention.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "passes/affine/attention_score.h"
#include "passes/affine/calls.h"
#include "passes/affine/kinds.h"
#include "passes/affine/nest_edit.h"
#include "passes/pass.h"

#include <float.h>
#include <math.h>

enum { MAXIMA, SUMS, RESULTS, N_BUFFERS };

typedef struct {
  strata_compile_t *compile;
  MlirOperation func;
  int64_t parts;
  const char *combine;  // the function that puts them together
  strata_attention_t a; // as level 3 cuts it into tasks
  MlirType types[N_BUFFERS];
} split_t;

//===-- The sum of parts -----------------------------------------------------------------------------------------===//

// Where its code goes: in front of |before|, at a point of a nest's dims.
typedef struct {
  const split_t *split;
  const strata_attention_t *a;
  MlirOperation before;
  MlirType f32;
  MlirValue buffers[N_BUFFERS];
  const strata_access_t *scores; // as the first product's nest stores them
} sum_t;

// An exponent of two, the sum of weights relative to that, and of weighted values.
typedef struct {
  MlirValue of[N_BUFFERS];
} partial_t;

static MlirValue insert(const sum_t *s, MlirOperation op) {
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(s->before), s->before, op);
  return mlirOperationGetResult(op, 0);
}

static MlirValue compute(const sum_t *s, const char *name, int n, const MlirValue *operands) {
  return insert(s,
                strata_op_create(mlirOperationGetLocation(s->before), name, n, operands, 1, &s->f32, 0, NULL, 0, NULL));
}

static MlirValue binary(const sum_t *s, const char *name, MlirValue x, MlirValue y) {
  return compute(s, name, 2, (MlirValue[]){x, y});
}

static MlirValue number(const sum_t *s, double value) {
  strata_named_attr_t attr = {"value", mlirFloatAttrDoubleGet(s->split->compile->context, s->f32, value)};
  return insert(s, strata_op_create(mlirOperationGetLocation(s->before), "arith.constant", 0, NULL, 1, &s->f32, 1,
                                    &attr, 0, NULL));
}

// An affine.load at |map| of |dims|, of which it has those that it uses.
static MlirOperation affine_load(MlirLocation location, MlirValue buffer, MlirAffineMap map, const MlirValue *dims,
                                 MlirType type) {
  MlirValue operands[1 + STRATA_MAX_DIMS] = {buffer};
  int n = (int)mlirAffineMapGetNumDims(map);
  for (int dim = 0; dim < n; dim++)
    operands[1 + dim] = dims[dim];
  strata_named_attr_t attr = {"map", mlirAffineMapAttrGet(map)};
  MlirOperation op = strata_op_create(location, "affine.load", 1 + n, operands, 1, &type, 1, &attr, 0, NULL);
  strata_nest_set_map(op, map, dims);
  return op;
}

static MlirAffineExpr plus(MlirAffineExpr expr, int64_t factor, MlirAffineExpr more) {
  MlirContext context = mlirAffineExprGetContext(expr);
  return mlirAffineAddExprGet(mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(context, factor)), more);
}

// Of |buffer|, as f32, at |map|, over the weighted nest's dims.
static MlirValue load_at(const sum_t *s, MlirValue buffer, MlirAffineMap map) {
  MlirLocation location = mlirOperationGetLocation(s->before);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  MlirOperation op = affine_load(location, buffer, map, s->a->weighted->dims, element);
  MlirValue value = insert(s, op);
  return mlirTypeEqual(element, s->f32) ? value : compute(s, "arith.extf", 1, &value);
}

// A maximum as an exponent of two: the lowest score, which masks add, is below what that may be.
static MlirValue exponent(const sum_t *s, MlirValue maximum) {
  return s->a->scale != 0 ? maximum : binary(s, "arith.maximumf", maximum, number(s, -FLT_MAX));
}

// What |part| has left in buffer |which|.
static MlirValue load(const sum_t *s, int which, int64_t part) {
  const strata_attention_t *a = s->a;
  MlirContext context = s->split->compile->context;
  MlirAffineExpr zero = mlirAffineConstantExprGet(context, 0), batch = zero;
  for (int dim = 0; dim < a->column; dim++)
    if (strata_attention_is_batch(a, dim) && !strata_size_is_one(a->sizes[dim]))
      batch = plus(batch, strata_attention_static_extent(a, dim), mlirAffineDimExprGet(context, dim));
  MlirAffineExpr place[3] = {plus(batch, s->split->parts, mlirAffineConstantExprGet(context, part)),
                             a->has_one_row ? zero : mlirAffineDimExprGet(context, a->row),
                             mlirAffineDimExprGet(context, a->value)};
  return load_at(s, s->buffers[which], mlirAffineMapGet(context, a->column, 0, which == RESULTS ? 3 : 2, place));
}

static MlirValue compare(const sum_t *s, int64_t predicate, MlirValue x, MlirValue y) {
  MlirContext context = s->split->compile->context;
  MlirType i1 = mlirIntegerTypeGet(context, 1);
  strata_named_attr_t attr = {"predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate)};
  return insert(s, strata_op_create(mlirOperationGetLocation(s->before), "arith.cmpf", 2, (MlirValue[]){x, y}, 1, &i1,
                                    1, &attr, 0, NULL));
}

// Rows without a column are NaN, or zero if that was asked for.
static MlirValue divided(const sum_t *s, MlirValue result, MlirValue sum) {
  enum { PREDICATE_OGT = 2 };
  MlirValue quotient = binary(s, "arith.divf", result, sum);
  if (!s->a->replaces_nan)
    return quotient;
  MlirValue zero = number(s, 0), exists = compare(s, PREDICATE_OGT, sum, zero);
  return compute(s, "arith.select", 3, (MlirValue[]){exists, quotient, zero});
}

// Where the first product's nest stores, over the canonical dims.
static MlirAffineMap score_map(const sum_t *s) {
  const strata_attention_t *a = s->a;
  MlirContext context = s->split->compile->context;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  int n = strata_nest_n_dims(a->product.nest);
  for (int dim = 0; dim < n; dim++)
    point[dim] = dim < a->product.nest->n_parallel ? a->product.point[dim] : mlirAffineConstantExprGet(context, 0);
  return strata_affine_compose(s->scores->map, mlirAffineMapGet(context, a->n_dims, 0, n, point), NULL);
}

// The score of the column that is in no part, at |point| of the canonical dims, of what the product is there.
static MlirValue masked_score(const sum_t *s, const MlirAffineExpr *point, MlirValue product) {
  const strata_attention_t *a = s->a;
  MlirContext context = s->split->compile->context;
  MlirAffineMap at = mlirAffineMapGet(context, a->column, 0, a->n_dims, (MlirAffineExpr *)(uintptr_t)point);
  strata_score_place_t place = {a, s->before, a->weighted->dims, at, product};
  MlirValue score = strata_attention_write_score(s->split->compile->arena, &place);
  bool is_f32 = mlirTypeEqual(mlirValueGetType(score), s->f32);
  return is_f32 ? score : compute(s, "arith.extf", 1, &score);
}

// A column of this score alone; none if a mask hides it.
static partial_t seen(const sum_t *s, MlirValue score, partial_t column) {
  enum { PREDICATE_UNE = 13 };
  MlirValue is_seen = compare(s, PREDICATE_UNE, score, number(s, -INFINITY)), zero = number(s, 0);
  column.of[MAXIMA] = exponent(s, column.of[MAXIMA]);
  for (int which = SUMS; which < N_BUFFERS; which++)
    column.of[which] = compute(s, "arith.select", 3, (MlirValue[]){is_seen, column.of[which], zero});
  return column;
}

// The column that is in no part, as one of its own: its weight is one.
static partial_t rest_of(const sum_t *s) {
  const strata_attention_t *a = s->a;
  MlirContext context = s->split->compile->context;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  for (int dim = 0; dim < a->n_dims; dim++)
    point[dim] = dim < a->column ? mlirAffineDimExprGet(context, dim) : mlirAffineConstantExprGet(context, 0);
  const strata_space_t space = {.n_dims = a->column, .sizes = a->sizes};
  MlirAffineMap at = mlirAffineMapGet(context, a->column, 0, a->n_dims, point);
  const strata_attention_operand_t *values = &a->operands[STRATA_ATTENTION_V];
  point[a->column] = mlirAffineConstantExprGet(context, a->joint);
  MlirAffineMap weighted = mlirAffineMapGet(context, a->column, 0, a->column + 1, point);
  weighted = strata_affine_compose(values->read->map, weighted, &space);
  MlirValue score = load_at(s, s->scores->buffer, strata_affine_compose(score_map(s), at, &space));
  if (a->scale == 0)
    score = masked_score(s, point, score);
  partial_t column = {{
      [MAXIMA] = binary(s, "arith.mulf", score, number(s, strata_attention_exponent_scale(a))),
      [SUMS] = number(s, 1),
      [RESULTS] = load_at(s, values->rest->buffer, strata_affine_compose(values->rest->map, weighted, &space)),
  }};
  return a->scale != 0 ? column : seen(s, score, column);
}

// The sum of weights relative to |maximum|, and the sink's.
static MlirValue with_sink(const sum_t *s, MlirValue sum, MlirValue maximum) {
  const strata_attention_t *a = s->a;
  MlirContext context = s->split->compile->context;
  MlirAffineExpr point[STRATA_MAX_DIMS];
  if (!a->sink.exists)
    return sum;
  for (int dim = 0; dim < a->n_dims; dim++)
    point[dim] = dim < a->column ? mlirAffineDimExprGet(context, dim) : mlirAffineConstantExprGet(context, 0);
  const strata_space_t space = {.n_dims = a->column, .sizes = a->sizes};
  MlirAffineMap at = mlirAffineMapGet(context, a->column, 0, a->n_dims, point);
  MlirValue sink = a->sink.read ? load_at(s, a->sink.read->buffer, strata_affine_compose(a->sink.map, at, &space))
                                : number(s, a->sink.number);
  sink = binary(s, "arith.subf", binary(s, "arith.mulf", sink, number(s, STRATA_LOG2_E)), maximum);
  return binary(s, "arith.addf", sum, compute(s, "math.exp2", 1, &sink));
}

// All loads first: they are under way together.
static MlirValue sum_up(const sum_t *s) {
  int64_t parts = s->split->parts, n = parts + (s->a->joint ? 1 : 0);
  partial_t *partials = strata_arena_array(s->split->compile->arena, partial_t, (size_t)n);
  MlirValue maximum, total[N_BUFFERS];
  for (int which = 0; which < N_BUFFERS; which++)
    for (int64_t part = 0; part < parts; part++)
      partials[part].of[which] = load(s, which, part);
  for (int64_t part = 0; part < parts; part++)
    partials[part].of[MAXIMA] = exponent(s, partials[part].of[MAXIMA]);
  if (n > parts)
    partials[parts] = rest_of(s);
  maximum = partials[0].of[MAXIMA];
  for (int64_t part = 1; part < n; part++)
    maximum = binary(s, "arith.maximumf", maximum, partials[part].of[MAXIMA]);
  for (int64_t part = 0; part < n; part++) {
    MlirValue less = binary(s, "arith.subf", partials[part].of[MAXIMA], maximum);
    MlirValue factor = compute(s, "math.exp2", 1, &less);
    for (int which = SUMS; which < N_BUFFERS; which++) {
      MlirValue counted = binary(s, "arith.mulf", partials[part].of[which], factor);
      total[which] = part ? binary(s, "arith.addf", total[which], counted) : counted;
    }
  }
  return divided(s, total[RESULTS], with_sink(s, total[SUMS], maximum));
}

//===-- Scores of the column that is in no part ------------------------------------------------------------------===//

typedef struct {
  const strata_nest_t *nest;
  MlirAffineMap points; // its new dims -> those before
} shift_t;

static MlirWalkResult shift_op(MlirOperation op, void *user) {
  const shift_t *shift = user;
  bool has_map = strata_op_is(op, "affine.apply") || strata_op_is(op, "affine.load");
  if (has_map)
    strata_nest_set_map(op, strata_affine_compose(strata_nest_map(shift->nest, op), shift->points, NULL),
                        shift->nest->dims);
  return MlirWalkResultAdvance;
}

// The first product's nest becomes that of the last column, which it reads where it lies, and its buffer that of it.
static void keep_rest(const sum_t *s) {
  const strata_attention_t *a = s->a;
  const strata_nest_t *nest = a->product.nest;
  const strata_attention_operand_t *keys = &a->operands[STRATA_ATTENTION_K];
  MlirContext context = s->split->compile->context;
  MlirOperation read = keys->read->op;
  MlirOperation load = affine_load(mlirOperationGetLocation(read), keys->rest->buffer,
                                   strata_affine_compose(keys->rest->map, keys->read->map, &nest->space), nest->dims,
                                   mlirValueGetType(keys->read->value));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(read), read, load);
  mlirValueReplaceAllUsesOfWith(keys->read->value, mlirOperationGetResult(load, 0));
  mlirOperationDestroy(read);
  int column, place = strata_attention_score_place(a, &column);
  MlirAffineExpr points[STRATA_MAX_DIMS];
  strata_size_t sizes[STRATA_MAX_DIMS];
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    points[dim] = mlirAffineDimExprGet(context, dim);
  points[column] = mlirAffineAddExprGet(points[column], mlirAffineConstantExprGet(context, a->joint));
  shift_t shift = {nest, mlirAffineMapGet(context, strata_nest_n_dims(nest), 0, strata_nest_n_dims(nest), points)};
  mlirOperationWalk(nest->op, shift_op, &shift, MlirWalkPostOrder);
  memcpy(sizes, nest->space.sizes, sizeof sizes[0] * (size_t)nest->n_parallel);
  sizes[column] = strata_size_constant(1);
  strata_nest_set_sizes(nest->op, nest->n_parallel, sizes);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(s->scores->buffer));
  int rank = strata_memref_sizes(s->scores->buffer, sizes);
  sizes[place] = strata_size_constant(1);
  strata_buffer_set_type(s->scores->buffer, strata_memref_type_of(element, rank, sizes));
}

//===-- The kernel behind ----------------------------------------------------------------------------------------===//

static bool is_read(const strata_kernel_t *kernel, int end, MlirValue buffer) {
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses && i > end; j++)
      if (!kernel->nests[i].accesses[j].is_store && mlirValueEqual(kernel->nests[i].accesses[j].buffer, buffer))
        return true;
  return false;
}

// Erases nests that store nothing but what nobody reads any more, and their buffers.
static strata_status_t erase_unread(strata_compile_t *compile, MlirOperation func) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  for (int i = kernel.n_nests; i-- > 0;) {
    bool is_wanted = false;
    for (int j = 0; j < kernel.nests[i].n_accesses; j++) {
      const strata_access_t *access = &kernel.nests[i].accesses[j];
      is_wanted |=
          access->is_store && (mlirValueIsABlockArgument(access->buffer) || is_read(&kernel, i, access->buffer));
    }
    if (is_wanted)
      continue;
    mlirOperationDestroy(kernel.nests[i].op);
    for (int later = i; later + 1 < kernel.n_nests; later++)
      kernel.nests[later] = kernel.nests[later + 1];
    kernel.n_nests--;
  }
  strata_nest_erase_unused(strata_func_body(func));
  return NULL;
}

// The function's copy becomes the sum: the second product's nest with the parts' sum in place of its own.
static strata_status_t add_sum(split_t *split) {
  strata_compile_t *compile = split->compile;
  strata_kernel_t kernel;
  strata_attention_t a;
  const char *why;
  MlirStringRef symbol = strata_attr_str(split->func, "sym_name");
  split->combine = strata_arena_printf(compile->arena, "%.*s_sum", (int)symbol.length, symbol.data);
  MlirOperation copy = mlirOperationClone(split->func);
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(compile->module), split->func, copy);
  mlirOperationMoveAfter(copy, split->func);
  strata_set_attr(copy, "sym_name", strata_str_attr(compile->context, split->combine));
  mlirOperationRemoveAttributeByName(copy, strata_str("strata.schedule"));
  STRATA_TRY(strata_kernel_read(compile->arena, copy, &kernel));
  if (!strata_attention_read(&kernel, &a, &why))
    return strata_error(STRATA_INTERNAL, "affine-split-attention: expected attention: %s", why);
  strata_attention_row_of_batches(&a);
  sum_t sum = {.split = split,
               .a = &a,
               .before = a.weighted->loops[0],
               .f32 = mlirF32TypeGet(compile->context),
               .scores = strata_nest_only_store(a.product.nest)};
  MlirBlock entry = strata_func_body(copy);
  for (int i = 0; i < N_BUFFERS; i++)
    sum.buffers[i] = mlirBlockGetArgument(entry, mlirBlockGetNumArguments(entry) - N_BUFFERS + i);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(a.weighted->loops[0], 0), sum_up(&sum));
  if (a.joint)
    keep_rest(&sum);
  mlirOperationDestroy(a.weighted->loops[0]);
  strata_nest_erase_unused(a.weighted->body);
  strata_set_attr(a.weighted->op, "strata.nest", strata_str_attr(compile->context, "parts"));
  STRATA_TRY(erase_unread(compile, copy));
  if (strata_attention_widens(&split->a)) // of others as it was measured
    strata_set_attr(copy, STRATA_TILE_LOADS_FIRST, mlirUnitAttrGet(compile->context));
  const strata_gpu_device_t *device;
  STRATA_TRY(strata_gpu_device(compile, &device));
  strata_called_kernel_t called = {.func = copy};
  return strata_schedule_kernel(compile, device, NULL, NULL, &called, NULL);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static void add_arguments(split_t *s) {
  const strata_attention_t *a = &s->a;
  MlirType f32 = mlirF32TypeGet(s->compile->context);
  int64_t sizes[3] = {s->parts, a->has_one_row ? 1 : strata_attention_static_extent(a, a->row),
                      strata_attention_static_extent(a, a->value)};
  for (int dim = 0; dim < a->column; dim++)
    sizes[0] *= strata_attention_is_batch(a, dim) ? strata_attention_static_extent(a, dim) : 1;
  for (int i = 0; i < N_BUFFERS; i++) {
    s->types[i] = mlirMemRefTypeContiguousGet(f32, i == RESULTS ? 3 : 2, sizes, (MlirAttribute){0});
    mlirBlockAddArgument(strata_func_body(s->func), s->types[i], mlirOperationGetLocation(s->func));
  }
  strata_update_function_type(s->compile->arena, s->func);
}

static void extend_call(const split_t *s, MlirOperation call) {
  MlirValue operands[STRATA_MAX_OPERANDS], buffers[N_BUFFERS];
  strata_call_extend(call, N_BUFFERS, s->types, buffers);
  intptr_t n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n; i++)
    operands[i] = mlirOperationGetOperand(call, i);
  strata_call_before(mlirOperationGetNextInBlock(call), s->combine, (int)n, operands);
}

static strata_status_t split_kernel(strata_compile_t *compile, const strata_called_kernel_t *called) {
  strata_schedule_t schedule = strata_schedule_read(called->func);
  strata_kernel_t kernel;
  const char *why;
  split_t s = {.compile = compile, .func = called->func, .parts = schedule.splits};
  if (schedule.kind != STRATA_KERNEL_ATTENTION || !schedule.splits)
    return NULL;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  bool has_room = mlirBlockGetNumArguments(strata_func_body(called->func)) + N_BUFFERS <= STRATA_MAX_OPERANDS;
  if (!has_room || strata_has_variants(called->func) || strata_prepare_calls(compile, called->func) ||
      !strata_attention_read(&kernel, &s.a, &why)) {
    schedule.splits = 0;
    strata_schedule_write(called->func, &schedule);
    return NULL;
  }
  strata_attention_row_of_batches(&s.a);
  add_arguments(&s);
  STRATA_TRY(add_sum(&s));
  for (size_t i = 0; i < called->calls.count; i++)
    extend_call(&s, called->calls.data[i]);
  return NULL;
}

strata_status_t strata_pass_affine_split_attention(strata_compile_t *compile) {
  strata_calls_t calls;
  if (!strata_target_is_gpu(compile))
    return NULL;
  STRATA_TRY(strata_calls_read(compile, &calls));
  for (size_t i = 0; i < calls.kernels.count; i++)
    STRATA_TRY(split_kernel(compile, &calls.kernels.data[i]));
  return NULL;
}
