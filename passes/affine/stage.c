// See stage.h. What is staged is a matrix of the side's dims and the reduction's, each flattened into one, behind the
// dims that both sides have; its rows are padded to 128 bytes, a line of the second-level cache, or short ones to 32, a
// sector. The kernel is level 2 like any other, one nest
//
//   affine.parallel (%r, %c) = (0, 0) to (4095, 1088) {
//     %v = affine.if (1024 - %c >= 0) { affine.load %x[%r, %c] } else { 0 }   affine.store %v, %p[%r, %c] }
//
// with whatever else is computed before the product. The product's read of the matrix is marked strata.padded: it may
// go beyond the reduction's end, where it finds zeros.
#include "passes/affine/stage.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/calls.h"
#include "passes/affine/candidates.h"
#include "passes/affine/coalesce.h"
#include "passes/affine/pack.h"

#include <math.h>

enum { LONG_ROW = 2 * STRATA_LINE, CROSSED_BYTES = 2, MAX_RANK = 5, MAX_ARGUMENTS = 256 };

typedef struct {
  const strata_gpu_contraction_t *q;
  const strata_contraction_kernel_t *c;
  int side;
  uint32_t dims; // of the nest, that the operand may depend on
  bool is_crossed, keeps_zero;
  MlirValue value; // what is multiplied
  int64_t inner;   // elements of a row without padding
  int rank;        // of the matrix, with the dims of both sides
  int64_t sizes[MAX_RANK];
  bool is_turned;                     // contiguous along other dims than the operand
  MlirAffineMap points;               // matrix -> dims of the nest
  MlirAffineExpr places[MAX_RANK];    // dims of the nest -> matrix
  STRATA_VECTOR(MlirOperation) reads; // affine.load, or the affine.if around one
  STRATA_VECTOR(MlirOperation) ops;   // arithmetic and constants, in order
} staging_t;

static strata_arena_t *arena_of(const staging_t *s) { return s->q->compile->arena; }
static MlirType element_type(const staging_t *s) { return mlirValueGetType(s->value); }

//===-- What is computed before the product ----------------------------------------------------------------------===//

static const strata_access_t *access_of(const staging_t *s, MlirOperation op) {
  for (int i = 0; i < s->c->nest->n_accesses; i++)
    if (mlirOperationEqual(s->c->nest->accesses[i].op, op))
      return &s->c->nest->accesses[i];
  return NULL;
}

// The load of a guard that yields it, or a constant.
static MlirOperation guarded_load(MlirOperation guard) {
  MlirOperation none = {NULL};
  if (mlirOperationGetNumResults(guard) != 1)
    return none;
  MlirBlock inside = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 0));
  MlirBlock outside = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 1));
  MlirOperation load = mlirBlockGetFirstOperation(inside), yield = mlirBlockGetTerminator(inside);
  MlirValue pad = mlirOperationGetOperand(mlirBlockGetTerminator(outside), 0);
  bool is_load = strata_op_is(load, "affine.load") && mlirOperationEqual(mlirOperationGetNextInBlock(load), yield) &&
                 mlirValueEqual(mlirOperationGetOperand(yield, 0), mlirOperationGetResult(load, 0));
  bool has_pad = mlirValueIsAOpResult(pad) && strata_op_is(mlirOpResultGetOwner(pad), "arith.constant");
  return is_load && has_pad ? load : none;
}

static MlirAttribute pad_of(MlirOperation guard) {
  MlirBlock outside = mlirRegionGetFirstBlock(mlirOperationGetRegion(guard, 1));
  return strata_attr(mlirOpResultGetOwner(mlirOperationGetOperand(mlirBlockGetTerminator(outside), 0)), "value");
}

static bool is_own(const staging_t *s, MlirAffineMap map) {
  return !mlirAffineMapIsNull(map) && !(strata_affine_map_dims(map) & ~s->dims) && !strata_map_uses_symbols(map);
}

// A buffer that the kernel gets and does not change.
static bool is_input(const staging_t *s, MlirValue buffer) {
  const strata_access_t *store;
  if (!s->q->called)
    return true;
  return mlirValueIsABlockArgument(buffer) && !strata_kernel_producer(s->c->kernel, buffer, &store) &&
         !strata_kernel_writes(s->q->called->func, mlirBlockArgumentGetArgNumber(buffer));
}

static bool add_read(staging_t *s, MlirOperation op) {
  bool is_guard = strata_op_is(op, "affine.if");
  MlirOperation load = is_guard ? guarded_load(op) : op;
  const strata_access_t *access = mlirOperationIsNull(load) ? NULL : access_of(s, load);
  if (!access || !is_own(s, access->map) || !is_input(s, access->buffer) ||
      strata_element_bits(mlirValueGetType(access->value)) < 8)
    return false;
  if (is_guard) {
    s->keeps_zero &= strata_attr_is_zero(pad_of(op));
    if (!is_own(s, strata_coalesce_conditions(s->c->nest, op)))
      return false;
  }
  *strata_vector_push(arena_of(s), &s->reads) = op;
  return true;
}

static bool contains(const staging_t *s, MlirOperation op) {
  for (size_t i = 0; i < s->reads.count; i++)
    if (mlirOperationEqual(s->reads.data[i], op))
      return true;
  for (size_t i = 0; i < s->ops.count; i++)
    if (mlirOperationEqual(s->ops.data[i], op))
      return true;
  return false;
}

// Adds what |value| is computed of; false where that is not known to work.
static bool add_value(staging_t *s, MlirValue value) {
  if (!mlirValueIsAOpResult(value))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  bool is_constant = strata_op_is(op, "arith.constant");
  if (contains(s, op))
    return true;
  if (!is_constant && !mlirBlockEqual(mlirOperationGetBlock(op), s->c->nest->inner))
    return false;
  if (strata_op_is(op, "affine.load") || strata_op_is(op, "affine.if"))
    return add_read(s, op);
  if (strncmp(strata_op_name(op).data, "arith.", strlen("arith.")) != 0 || mlirOperationGetNumResults(op) != 1)
    return false;
  s->keeps_zero &= strata_op_is_conversion(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!add_value(s, mlirOperationGetOperand(op, i)))
      return false;
  *strata_vector_push(arena_of(s), &s->ops) = op;
  return true;
}

//===-- The matrix -----------------------------------------------------------------------------------------------===//

// True if the operand lies contiguous in memory along its own dims.
static bool lies_crossed(const staging_t *s, const strata_contraction_axis_t *own) {
  const strata_access_t *access = s->c->sides[s->side].access;
  int64_t stride;
  int dim = strata_contraction_axis_last(s->c->nest, own);
  return dim != STRATA_NO_DIM && strata_access_stride(s->c->nest, access, dim, &stride) && stride == 1;
}

// Dim |at| of the matrix is the axis's dims as one.
static void add_axis(staging_t *s, const strata_contraction_axis_t *axis, MlirAffineExpr *points) {
  MlirContext context = s->q->compile->context;
  int at = s->rank++;
  MlirAffineExpr number = mlirAffineDimExprGet(context, at), place = mlirAffineConstantExprGet(context, 0);
  int64_t stride = axis->extent;
  for (int i = 0; i < axis->n_dims; i++) {
    int dim = axis->dims[i];
    int64_t extent = strata_nest_static_extent(s->c->nest, dim);
    stride /= extent;
    MlirAffineExpr factor = mlirAffineConstantExprGet(context, stride);
    MlirAffineExpr digit = mlirAffineFloorDivExprGet(number, factor);
    points[dim] = i ? mlirAffineModExprGet(digit, mlirAffineConstantExprGet(context, extent)) : digit;
    place = mlirAffineAddExprGet(place, mlirAffineMulExprGet(mlirAffineDimExprGet(context, dim), factor));
  }
  s->sizes[at] = axis->extent;
  s->places[at] = place;
}

// A step of the copy engine is a line of each row: of one that begins within lines it asks for two, which takes 1.5
// times as long. Short rows would be mostly padding.
static int64_t padded_row(int64_t row, int64_t bytes) {
  int64_t unit = (row * bytes < LONG_ROW ? STRATA_SECTOR : STRATA_LINE) / bytes;
  return strata_round_up(row, unit);
}

static bool shape(staging_t *s, const strata_contraction_axis_t *axes, bool adds) {
  const strata_nest_t *nest = s->c->nest;
  MlirContext context = s->q->compile->context;
  MlirAffineExpr points[STRATA_MAX_DIMS];
  const strata_contraction_axis_t *own = &axes[s->side == STRATA_SIDE_U ? STRATA_AXIS_ROW : STRATA_AXIS_COLUMN];
  uint32_t both = s->c->sides[0].dims & s->c->sides[1].dims;
  int64_t bytes = strata_element_bytes(element_type(s));
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    points[dim] = mlirAffineConstantExprGet(context, 0);
  for (int dim = 0; dim < nest->n_parallel; dim++)
    if (both & 1u << dim && !strata_size_is_one(nest->space.sizes[dim])) {
      strata_contraction_axis_t single = {.n_dims = 1, .dims = {dim}, .extent = strata_nest_static_extent(nest, dim)};
      if (s->rank + 2 == MAX_RANK)
        return false;
      add_axis(s, &single, points);
    }
  s->is_crossed = adds || (bytes == CROSSED_BYTES && lies_crossed(s, own));
  s->is_turned = s->is_crossed != lies_crossed(s, own);
  add_axis(s, s->is_crossed ? &axes[STRATA_AXIS_STEP] : own, points);
  add_axis(s, s->is_crossed ? own : &axes[STRATA_AXIS_STEP], points);
  int64_t *row = &s->sizes[s->rank - 1];
  s->inner = *row;
  *row = padded_row(s->inner, bytes);
  s->points = strata_affine_simplify_map(mlirAffineMapGet(context, s->rank, 0, strata_nest_n_dims(nest), points),
                                         STRATA_STATIC_SPACE(s->rank, s->sizes));
  return s->is_crossed || s->inner == *row || s->keeps_zero;
}

static bool read_staging(const strata_gpu_contraction_t *q, int side, bool adds, staging_t *s) {
  const strata_contraction_kernel_t *c = q->contraction;
  strata_contraction_axis_t axes[STRATA_N_AXES];
  *s = (staging_t){.q = q, .c = c, .side = side, .keeps_zero = true, .dims = c->sides[side].dims};
  for (int dim = 0; dim < strata_nest_n_dims(c->nest); dim++)
    if (s->dims & 1u << dim && strata_size_varies(c->nest->space.sizes[dim]))
      return false;
  s->value = strata_contraction_narrow(c, side);
  for (int dim = c->nest->n_parallel; dim < strata_nest_n_dims(c->nest); dim++)
    if (!(s->dims & 1u << dim) && !strata_size_is_one(c->nest->space.sizes[dim]))
      return false;
  strata_contraction_axes(c, axes);
  int64_t bits = strata_element_bits(element_type(s));
  bool has_size = bits == 8 || bits == 16 || bits == 32;
  return has_size && add_value(s, s->value) && shape(s, axes, adds);
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static bool is_constant(const strata_gpu_contraction_t *q, int side) {
  if (q->called) // without the calls (a file of schedules) nothing is staged
    return q->calls && strata_pack_is_constant(q->calls, q->called, q->contraction, side);
  MlirValue buffer = strata_calls_buffer(q->contraction->sides[side].access->buffer);
  return mlirValueIsAOpResult(buffer) && strata_op_is(mlirOpResultGetOwner(buffer), "memref.get_global");
}

double strata_stage_copy_seconds(const strata_gpu_device_t *device, double bytes) {
  const strata_stage_costs_t *costs = &device->costs->stage;
  return costs->seconds + bytes / (costs->copy_share * (double)device->bandwidth);
}

void strata_stage_read(const strata_gpu_contraction_t *question, int side, bool adds, strata_problem_side_t *out) {
  staging_t s;
  out->is_stageable = read_staging(question, side, adds, &s);
  if (!out->is_stageable)
    return;
  out->is_staged_crossed = s.is_crossed;
  out->staged_row_bytes = s.sizes[s.rank - 1] * strata_element_bytes(element_type(&s));
  double elements = 1;
  for (int i = 0; i < s.rank; i++)
    elements *= (double)s.sizes[i];
  double bytes = elements * (double)(out->loaded_bytes + strata_element_bytes(element_type(&s)));
  double seconds = strata_stage_copy_seconds(question->device, bytes) +
                   (s.is_turned ? question->device->costs->stage.turn_seconds : 0);
  out->staging_seconds = is_constant(question, side) ? 0 : seconds;
}

static strata_problem_t staged(const strata_problem_t *problem, uint32_t sides) {
  strata_problem_t result = *problem;
  for (int side = 0; side < 2; side++) {
    strata_problem_side_t *s = &result.sides[side];
    if (!(sides & 1u << side))
      continue;
    s->is_read = s->is_staged = true;
    s->has_window = s->straddles = s->may_alternate = s->is_shifted = false;
    s->row_bytes = s->staged_row_bytes;
    s->splits_lines = s->row_bytes % STRATA_LINE && STRATA_LINE % s->row_bytes;
    s->is_crossed = s->is_staged_crossed;
    s->loaded_bytes = problem->operand_bytes;
  }
  return result;
}

double strata_stage_seconds(const strata_gpu_device_t *device, const strata_problem_t *problem, uint32_t sides,
                            double most) {
  strata_candidate_t choice;
  double seconds = 0;
  for (int side = 0; side < 2; side++)
    if (sides & 1u << side)
      seconds += problem->sides[side].is_stageable ? problem->sides[side].staging_seconds : INFINITY;
  strata_problem_t other = staged(problem, sides);
  if (!(problem->async || problem->bulk_adds) || seconds >= most ||
      !strata_pipelined_choose(device, &other, STRATA_REACH_FITTED, 1, &choice))
    return INFINITY;
  return seconds + choice.seconds;
}

uint32_t strata_stage_choose(const strata_gpu_device_t *device, const strata_problem_t *problem, double *out_seconds) {
  uint32_t best_sides = 0;
  double best = INFINITY, limit = problem->costs->margins.staged * *out_seconds;
  for (uint32_t sides = 1; (problem->async || problem->bulk_adds) && sides < 4; sides++) {
    double seconds = strata_stage_seconds(device, problem, sides, limit);
    if (seconds < limit && seconds < best) {
      best = seconds;
      best_sides = sides;
    }
  }
  if (best_sides)
    *out_seconds = best;
  return best_sides;
}

//===-- The staging kernel ---------------------------------------------------------------------------------------===//

// |format| for 0, 1, ... below the rank, or |values|.
static const char *list_text(const staging_t *s, const char *prefix, const int64_t *values) {
  char *text = strata_arena_strdup(arena_of(s), "");
  for (int i = 0; i < s->rank; i++)
    text = values ? strata_arena_printf(arena_of(s), "%s%s%lld", text, i ? ", " : "", (long long)values[i])
                  : strata_arena_printf(arena_of(s), "%s%s%s%d", text, i ? ", " : "", prefix, i);
  return text;
}

static MlirType matrix_type(const staging_t *s) {
  return mlirMemRefTypeContiguousGet(element_type(s), s->rank, s->sizes, (MlirAttribute){0});
}

static bool is_padded(const staging_t *s) { return s->inner != s->sizes[s->rank - 1]; }

// What must hold for the read to be made: inside the row, and what its guard asks.
static MlirAttribute condition_of(const staging_t *s, MlirOperation read) {
  MlirContext context = s->q->compile->context;
  MlirAffineExpr constraints[2 * STRATA_MAX_DIMS + 1];
  bool is_equality[2 * STRATA_MAX_DIMS + 1] = {false};
  intptr_t n = 0;
  if (strata_op_is(read, "affine.if")) {
    MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(read, "condition"));
    MlirAffineMap map = strata_affine_compose(strata_coalesce_conditions(s->c->nest, read), s->points,
                                              STRATA_STATIC_SPACE(s->rank, s->sizes));
    for (; n < mlirAffineMapGetNumResults(map); n++) {
      constraints[n] = mlirAffineMapGetResult(map, n);
      is_equality[n] = mlirIntegerSetIsConstraintEq(set, n);
    }
  }
  if (is_padded(s)) {
    MlirAffineExpr minus = mlirAffineConstantExprGet(context, -1), last = mlirAffineDimExprGet(context, s->rank - 1);
    constraints[n++] =
        mlirAffineAddExprGet(mlirAffineMulExprGet(last, minus), mlirAffineConstantExprGet(context, s->inner - 1));
  }
  if (!n)
    return (MlirAttribute){0};
  return mlirIntegerSetAttrGet(mlirIntegerSetGet(context, s->rank, 0, n, constraints, is_equality));
}

// The ops that read |read|'s element: one or, behind a constant, an affine.if.
static const char *read_text(const staging_t *s, int number, int argument) {
  strata_arena_t *arena = arena_of(s);
  MlirOperation op = s->reads.data[number];
  bool is_guard = strata_op_is(op, "affine.if");
  const strata_access_t *access = access_of(s, is_guard ? guarded_load(op) : op);
  MlirAttribute map = mlirAffineMapAttrGet(strata_map_without_symbols(
      strata_affine_compose(access->map, s->points, STRATA_STATIC_SPACE(s->rank, s->sizes))));
  MlirAttribute condition = condition_of(s, op);
  MlirType type = mlirValueGetType(access->value);
  const char *element = strata_type_text(arena_of(s), type), *dims = list_text(s, "%d", NULL), *indices = "";
  for (int i = 0; i < s->rank; i++)
    indices = strata_arena_printf(arena, "%s, index", indices);
  const char *load = strata_arena_printf(
      arena, "\"affine.load\"(%%w%d, %s) {map = %s} : (%s%s) -> %s", argument, dims, strata_attr_text(arena_of(s), map),
      strata_type_text(arena_of(s), mlirValueGetType(access->buffer)), indices, element);
  if (mlirAttributeIsNull(condition))
    return strata_arena_printf(arena, "%%v%d = %s\n", number, load);
  MlirAttribute zero =
      mlirTypeIsAFloat(type) ? mlirFloatAttrDoubleGet(s->q->compile->context, type, 0) : mlirIntegerAttrGet(type, 0);
  return strata_arena_printf(arena,
                             "%%z%d = arith.constant %s\n"
                             "%%v%d = affine.if %s(%s) -> %s {\n%%l = %s\naffine.yield %%l : %s } else {\n"
                             "affine.yield %%z%d : %s }\n",
                             number, strata_attr_text(arena_of(s), is_guard ? pad_of(op) : zero), number,
                             strata_attr_text(arena_of(s), condition), dims, element, load, element, number, element);
}

// Distinct buffers read, in order; returns how many.
static int buffers_of(const staging_t *s, MlirValue *out, int *out_of_read) {
  int n = 0;
  for (size_t i = 0; i < s->reads.count; i++) {
    MlirOperation op = s->reads.data[i];
    MlirValue buffer = access_of(s, strata_op_is(op, "affine.if") ? guarded_load(op) : op)->buffer;
    int at = 0;
    while (at < n && !mlirValueEqual(out[at], buffer))
      at++;
    out[at] = buffer;
    out_of_read[i] = at;
    n += at == n;
  }
  return n;
}

static const char *kernel_text(const staging_t *s, const char *name, int n_buffers, const MlirValue *buffers,
                               const int *of_read) {
  strata_arena_t *arena = arena_of(s);
  const char *arguments = "", *reads = "", *dims = list_text(s, "%d", NULL);
  for (int i = 0; i < n_buffers; i++)
    arguments = strata_arena_printf(arena, "%s%%w%d: %s, ", arguments, i,
                                    strata_type_text(arena_of(s), mlirValueGetType(buffers[i])));
  for (size_t i = 0; i < s->reads.count; i++)
    reads = strata_arena_printf(arena, "%s%s", reads, read_text(s, (int)i, of_read[i]));
  int64_t zeros[MAX_RANK] = {0};
  return strata_arena_printf(arena,
                             "func.func private @%s(%s%%p: %s) attributes {strata.schedule = {kind = \"map\"}} {\n"
                             "affine.parallel (%s) = (%s) to (%s) {\n%s} {strata.nest = \"stage\"}\nreturn }",
                             name, arguments, strata_type_text(arena_of(s), matrix_type(s)), dims,
                             list_text(s, NULL, zeros), list_text(s, NULL, s->sizes), reads);
}

typedef struct {
  MlirValue from, to;
} renamed_t;

// What |value| of the product's kernel is in the staging one: a read's result, or that of a clone.
static MlirValue renamed(const renamed_t *table, size_t n, MlirValue value) {
  for (size_t i = 0; i < n; i++)
    if (mlirValueEqual(table[i].from, value))
      return table[i].to;
  return value;
}

// The arithmetic behind the reads, and the store.
static void compute(const staging_t *s, MlirBlock body, MlirValue matrix) {
  size_t n = 0, count = s->reads.count + s->ops.count;
  renamed_t *table = strata_arena_array(arena_of(s), renamed_t, count);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "affine.load") || strata_op_is(op, "affine.if")) {
      table[n] = (renamed_t){mlirOperationGetResult(s->reads.data[n], 0), mlirOperationGetResult(op, 0)};
      n++;
    }
  for (size_t i = 0; i < s->ops.count; i++) {
    MlirOperation clone = mlirOperationClone(s->ops.data[i]);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(clone); j++)
      mlirOperationSetOperand(clone, j, renamed(table, n, mlirOperationGetOperand(clone, j)));
    mlirBlockInsertOwnedOperationBefore(body, end, clone);
    table[n++] = (renamed_t){mlirOperationGetResult(s->ops.data[i], 0), mlirOperationGetResult(clone, 0)};
  }
  MlirContext context = s->q->compile->context;
  MlirValue operands[2 + MAX_RANK] = {renamed(table, n, s->value), matrix};
  for (int i = 0; i < s->rank; i++)
    operands[2 + i] = mlirBlockGetArgument(body, i);
  strata_named_attr_t map = {"map", mlirAffineMapAttrGet(mlirAffineMapMultiDimIdentityGet(context, s->rank))};
  mlirBlockInsertOwnedOperationBefore(body, end,
                                      strata_op_create(mlirOperationGetLocation(end), "affine.store", 2 + s->rank,
                                                       operands, 0, NULL, 1, &map, 0, NULL));
}

//===-- The product's kernel -------------------------------------------------------------------------------------===//

// The product reads the matrix.
static void read_matrix(const staging_t *s, MlirValue matrix) {
  const strata_nest_t *nest = s->c->nest;
  MlirContext context = s->q->compile->context;
  MlirOperation old = mlirOpResultGetOwner(s->value);
  MlirValue operands[1 + STRATA_MAX_DIMS] = {matrix};
  for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
    operands[1 + dim] = nest->dims[dim];
  MlirAffineMap places =
      mlirAffineMapGet(context, strata_nest_n_dims(nest), 0, s->rank, (MlirAffineExpr *)(uintptr_t)s->places);
  strata_named_attr_t attrs[2] = {
      {"map", mlirAffineMapAttrGet(strata_affine_simplify_map(places, &nest->space))},
      {"strata.padded", mlirUnitAttrGet(context)},
  };
  MlirType type = element_type(s);
  MlirOperation load = strata_op_create(mlirOperationGetLocation(old), "affine.load", 1 + strata_nest_n_dims(nest),
                                        operands, 1, &type, 2, attrs, 0, NULL);
  mlirBlockInsertOwnedOperationBefore(nest->inner, old, load);
  mlirValueReplaceAllUsesOfWith(s->value, mlirOperationGetResult(load, 0));
  strata_erase_unused(old, NULL);
}

// Drops argument |index| from the function and its calls.
static void drop_argument(const staging_t *s, intptr_t index) {
  MlirValue operands[MAX_ARGUMENTS];
  mlirBlockEraseArgument(strata_func_body(s->q->called->func), (unsigned)index);
  for (size_t i = 0; i < s->q->called->calls.count; i++) {
    MlirOperation call = s->q->called->calls.data[i];
    intptr_t n = 0;
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(call); j++)
      if (j != index)
        operands[n++] = mlirOperationGetOperand(call, j);
    mlirOperationSetOperands(call, n, operands);
  }
}

// %p = memref.alloc, call @stage(..., %p) before the call, which then takes %p before its operand |index|.
static void stage_before_call(const staging_t *s, MlirOperation call, const char *name, int n_buffers,
                              const MlirValue *buffers, intptr_t index) {
  MlirValue operands[MAX_ARGUMENTS], matrix = strata_alloc_before(call, matrix_type(s));
  for (int i = 0; i < n_buffers; i++)
    operands[i] = mlirOperationGetOperand(call, mlirBlockArgumentGetArgNumber(buffers[i]));
  operands[n_buffers] = matrix;
  strata_call_before(call, name, n_buffers + 1, operands);
  intptr_t n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 0; i < n; i++)
    operands[i < index ? i : i + 1] = mlirOperationGetOperand(call, i);
  operands[index] = matrix;
  mlirOperationSetOperands(call, n + 1, operands);
}

static const char *staging_name(strata_compile_t *compile, MlirStringRef symbol) {
  const char *name = strata_arena_printf(compile->arena, "%.*s_stage", (int)symbol.length, symbol.data);
  for (int i = 2; !mlirOperationIsNull(strata_find_func(compile->module, name)); i++)
    name = strata_arena_printf(compile->arena, "%.*s_stage%d", (int)symbol.length, symbol.data, i);
  return name;
}

static strata_status_t add_staging_kernel(const staging_t *s, const char *name, int n_buffers, const MlirValue *buffers,
                                          const int *of_read) {
  strata_compile_t *compile = s->q->compile;
  const char *text = kernel_text(s, name, n_buffers, buffers, of_read);
  MlirOperation func = mlirOperationCreateParse(compile->context, strata_str(text), strata_str("affine-schedule"));
  if (mlirOperationIsNull(func))
    return strata_compile_take_diagnostics(compile, "affine-schedule: the staging kernel is malformed");
  mlirBlockInsertOwnedOperationBefore(mlirModuleGetBody(compile->module), s->q->called->func, func);
  MlirBlock body = strata_func_body(func);
  MlirOperation nest = mlirBlockGetFirstOperation(body);
  compute(s, mlirRegionGetFirstBlock(mlirOperationGetRegion(nest, 0)), mlirBlockGetArgument(body, n_buffers));
  return NULL;
}

strata_status_t strata_stage_side(const strata_gpu_contraction_t *question, int side, bool adds) {
  staging_t s;
  if (!read_staging(question, side, adds, &s))
    return strata_error(STRATA_INTERNAL, "affine-schedule: an operand that cannot be staged");
  MlirBlock body = strata_func_body(question->called->func);
  MlirValue *buffers = strata_arena_array(arena_of(&s), MlirValue, s.reads.count);
  int *of_read = strata_arena_array(arena_of(&s), int, s.reads.count);
  int n_buffers = buffers_of(&s, buffers, of_read);
  if (mlirBlockGetNumArguments(body) + 1 >= MAX_ARGUMENTS)
    return NULL;
  const char *name = staging_name(question->compile, strata_attr_str(question->called->func, "sym_name"));
  STRATA_TRY(add_staging_kernel(&s, name, n_buffers, buffers, of_read));
  intptr_t index = mlirBlockArgumentGetArgNumber(question->contraction->sides[side].access->buffer);
  for (size_t i = 0; i < question->called->calls.count; i++)
    stage_before_call(&s, question->called->calls.data[i], name, n_buffers, buffers, index);
  MlirLocation location = mlirOperationGetLocation(question->called->func);
  read_matrix(&s, mlirBlockInsertArgument(body, index, matrix_type(&s), location));
  for (intptr_t i = mlirBlockGetNumArguments(body); i-- > 0;)
    if (!strata_value_has_uses(mlirBlockGetArgument(body, i)))
      drop_argument(&s, i);
  strata_update_function_type(arena_of(&s), question->called->func);
  return NULL;
}
