// Analyses of kernel functions shared by the scheduler and the tile builder; see kernel.h.
#include "dialects/affine/kernel.h"

#include "dialects/affine/nest.h"
#include "dialects/affine/simplify.h"
#include "dialects/affine/symbols.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/pointer_map.h"

bool strata_op_is_kernel(MlirOperation op) {
  return strata_op_is(op, "func.func") && strata_str_equal(strata_attr_str(op, "sym_visibility"), "private") &&
         !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

strata_status_t strata_kernel_read(strata_arena_t *arena, MlirOperation func, strata_kernel_t *out_kernel) {
  *out_kernel = (strata_kernel_t){.arena = arena, .func = func, .body = strata_func_body(func)};
  return strata_nests_of(arena, func, &out_kernel->nests, &out_kernel->n_nests);
}

static bool reads(const strata_nest_t *nest, MlirValue buffer) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store && mlirValueEqual(nest->accesses[i].buffer, buffer))
      return true;
  return false;
}

bool strata_kernel_varies(const strata_kernel_t *kernel) {
  for (int i = 0; i < kernel->n_nests; i++)
    if (strata_nest_varies(&kernel->nests[i]))
      return true;
  return false;
}

bool strata_kernel_reaches_once(const strata_kernel_t *kernel, MlirValue buffer) {
  int count = 0;
  for (int i = 0; i < kernel->n_nests; i++)
    for (int j = 0; j < kernel->nests[i].n_accesses; j++)
      count += mlirValueEqual(kernel->nests[i].accesses[j].buffer, buffer);
  return count == 1;
}

const strata_nest_t *strata_kernel_producer(const strata_kernel_t *kernel, MlirValue buffer,
                                            const strata_access_t **out_store) {
  const strata_nest_t *producer = NULL;
  for (int i = 0; i < kernel->n_nests; i++) {
    const strata_nest_t *nest = &kernel->nests[i];
    for (int j = 0; j < nest->n_accesses; j++) {
      const strata_access_t *access = &nest->accesses[j];
      if (!access->is_store || !mlirValueEqual(access->buffer, buffer))
        continue;
      if (producer)
        return NULL;
      producer = nest;
      *out_store = access;
    }
  }
  // A nest that copies one part of a concatenation to another reads what some other kernel has written.
  return producer && reads(producer, buffer) ? NULL : producer;
}

bool strata_nest_is_root(const strata_nest_t *nest) {
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store && mlirValueIsABlockArgument(nest->accesses[i].buffer))
      return true;
  return false;
}

int strata_memref_sizes(MlirValue buffer, strata_size_t *out_sizes) {
  MlirType type = mlirValueGetType(buffer);
  int rank = (int)mlirShapedTypeGetRank(type);
  for (int i = 0; i < rank; i++) {
    MlirAffineExpr size = strata_type_dim(type, i);
    out_sizes[i] = mlirShapedTypeIsDynamicDim(type, i)
                       ? (strata_size_t){.expr = size, .min = 0, .max = INT64_MAX, .divisor = 1}
                       : strata_size_constant(mlirShapedTypeGetDimSize(type, i));
  }
  return rank;
}

int strata_memref_static_sizes(MlirValue buffer, int64_t *out_sizes) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(buffer, sizes);
  for (int i = 0; i < rank; i++)
    out_sizes[i] = strata_size_static_value(sizes[i]);
  return rank;
}

bool strata_affine_expr_uses(MlirAffineExpr expr, int dim) { return mlirAffineExprIsFunctionOfDim(expr, dim); }

uint32_t strata_affine_map_dims(MlirAffineMap map) {
  uint32_t mask = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); i++)
    for (int dim = 0; dim < mlirAffineMapGetNumDims(map); dim++)
      if (strata_affine_expr_uses(mlirAffineMapGetResult(map, i), dim))
        mask |= 1u << dim;
  return mask;
}

static MlirAffineExpr position_of(const strata_nest_t *nest, const strata_access_t *access) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(access->buffer, sizes);
  return strata_affine_linearize(access->map, sizes, &nest->space);
}

bool strata_access_stride(const strata_nest_t *nest, const strata_access_t *access, int dim, int64_t *out_stride) {
  return !mlirAffineMapIsNull(access->map) && strata_affine_coefficient(position_of(nest, access), dim, out_stride);
}

bool strata_access_size_stride(const strata_nest_t *nest, const strata_access_t *access, int dim,
                               MlirAffineExpr *out_stride) {
  return !mlirAffineMapIsNull(access->map) &&
         strata_affine_size_coefficient(position_of(nest, access), dim, out_stride);
}

bool strata_access_likely_stride(const strata_nest_t *nest, const strata_access_t *access, int dim,
                                 int64_t *out_stride) {
  enum { MAX_SYMBOLS = 64, LEAST = 2 };
  int64_t values[MAX_SYMBOLS] = {0};
  MlirAffineExpr stride;
  for (int i = 0; i < nest->space.n_symbols && i < MAX_SYMBOLS; i++)
    values[i] = strata_max(LEAST, nest->likely[i]);
  return strata_access_size_stride(nest, access, dim, &stride) && strata_expr_symbols(stride) <= MAX_SYMBOLS &&
         strata_expr_evaluate(stride, values, out_stride);
}

//===-- Vectorizable nests ---------------------------------------------------------------------------------------===//

// Straight-line ops with an elementwise vector form: arith and math, but for index arithmetic ops with regions.
static bool is_elementwise(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_math = name.length > 5 && (!strncmp(name.data, "arith.", 6) || !strncmp(name.data, "math.", 5));
  return is_math && mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1;
}

static bool is_yield(MlirOperation op) {
  return strata_op_is(op, "affine.yield") || strata_op_is(op, "scf.reduce") || strata_op_is(op, "scf.yield");
}

static bool block_is_straight(const strata_nest_t *nest, MlirBlock block, bool in_guard) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_elementwise(op) || is_yield(op) || strata_op_is(op, "affine.load") || strata_op_is(op, "affine.apply"))
      continue;
    if (strata_op_is(op, "affine.store") && !in_guard && mlirBlockEqual(block, nest->body))
      continue;
    if (strata_op_is(op, "affine.for") && !in_guard) {
      if (!block_is_straight(nest, mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)), false))
        return false;
      continue;
    }
    if (!strata_op_is(op, "affine.if") || in_guard || mlirOperationGetNumResults(op) != 1)
      return false;
    for (intptr_t i = 0; i < 2; i++) {
      MlirBlock branch = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
      if (mlirBlockIsNull(branch) || !block_is_straight(nest, branch, true))
        return false;
    }
  }
  return true;
}

bool strata_nest_is_vectorizable(const strata_nest_t *nest) {
  if (nest->is_serial)
    return false;
  for (int i = 0; i < nest->n_accesses; i++)
    if (mlirAffineMapIsNull(nest->accesses[i].map))
      return false;
  return block_is_straight(nest, nest->body, false);
}

// What is computed along the innermost parallel dim: that and values made of it.
typedef struct {
  int count;
  MlirValue values[64];
} varying_t;

static bool varies(const varying_t *varying, MlirValue value) {
  for (int i = 0; i < varying->count; i++)
    if (mlirValueEqual(varying->values[i], value))
      return true;
  return false;
}

// A memref.load whose last index is the dim itself and whose others do not vary.
static bool reads_row(const varying_t *varying, MlirOperation load) {
  intptr_t last = mlirOperationGetNumOperands(load) - 1;
  for (intptr_t i = 1; i < last; i++)
    if (varies(varying, mlirOperationGetOperand(load, i)))
      return false;
  return last > 0 && mlirValueEqual(mlirOperationGetOperand(load, last), varying->values[0]);
}

static bool has_row_form(const varying_t *varying, MlirOperation op) {
  static const char *const others[] = {"affine.load", "affine.apply", "affine.store"};
  if (is_elementwise(op) || is_yield(op) || (strata_op_is(op, "memref.load") && reads_row(varying, op)))
    return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strata_op_is(op, others[i]))
      return true;
  return false;
}

bool strata_nest_gathers_rows(const strata_nest_t *nest) {
  enum { MIN_ROW = 8, MAX_VARYING = sizeof((varying_t *)NULL)->values / sizeof(MlirValue) };
  int last = nest->n_parallel - 1;
  int64_t stride;
  if (nest->is_serial || nest->n_reduction || strata_size_min(nest->space.sizes[last]) < MIN_ROW)
    return false;
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store && (!strata_access_stride(nest, &nest->accesses[i], last, &stride) || stride != 1))
      return false;
  varying_t varying = {1, {nest->dims[last]}};
  bool gathers = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool is_made_of_varying = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      is_made_of_varying = is_made_of_varying || varies(&varying, mlirOperationGetOperand(op, i));
    if (!has_row_form(&varying, op) || varying.count == MAX_VARYING)
      return false;
    if (is_made_of_varying && mlirOperationGetNumResults(op))
      varying.values[varying.count++] = mlirOperationGetResult(op, 0);
    gathers = gathers || strata_op_is(op, "memref.load");
  }
  return gathers;
}

//===-- Demands --------------------------------------------------------------------------------------------------===//

// A point at which a producer has been visited; several producers may have the same.
typedef struct {
  const strata_nest_t *producer;
  int64_t next; // 1 + the index of the visit before at the same point of another
} visit_t;

typedef struct {
  const strata_kernel_t *kernel;
  const strata_nest_t *from;
  strata_demand_visitor_t visit;
  void *user;
  strata_pointer_map_t visit_at; // the map from |from|'s dims to a point: 1 + the index of the last visit there
  STRATA_VECTOR(visit_t) visits;
} demand_t;

// False if |producer| has been visited at that point: what it reads has been too.
static bool is_first_visit(demand_t *demand, const strata_nest_t *producer, MlirAffineMap point) {
  int64_t *last = strata_pointer_map_put(&demand->visit_at, point.ptr);
  for (int64_t i = *last; i > 0; i = demand->visits.data[i - 1].next)
    if (demand->visits.data[i - 1].producer == producer)
      return false;
  *strata_vector_push(demand->kernel->arena, &demand->visits) = (visit_t){producer, *last};
  *last = (int64_t)demand->visits.count;
  return true;
}

// The point of |producer| that |access| reads at |at|, a map from the dims of |from|, and the coordinates of its
// buffer.
static bool find_point(const strata_nest_t *from, const strata_access_t *access, MlirAffineMap at,
                       const strata_nest_t *producer, const strata_access_t *store, MlirAffineExpr *out_point,
                       MlirAffineExpr *out_coordinates) {
  if (mlirAffineMapIsNull(access->map) || mlirAffineMapIsNull(store->map))
    return false;
  for (intptr_t j = 0; j < mlirAffineMapGetNumResults(access->map); j++)
    out_coordinates[j] =
        strata_affine_simplify(mlirAffineExprCompose(mlirAffineMapGetResult(access->map, j), at), &from->space);
  strata_size_t sizes[STRATA_MAX_DIMS], producer_sizes[STRATA_MAX_DIMS];
  strata_memref_sizes(access->buffer, sizes);
  strata_space_t space = strata_nest_results(producer, producer_sizes);
  return strata_affine_invert(store->map, &space, sizes, out_coordinates, &from->space, out_point);
}

static MlirAffineMap identity_of(const strata_nest_t *nest) {
  return mlirAffineMapMultiDimIdentityGet(mlirOperationGetContext(nest->op), strata_nest_n_dims(nest));
}

bool strata_nest_producer_point(const strata_nest_t *nest, const strata_access_t *read, const strata_nest_t *producer,
                                const strata_access_t *store, MlirAffineExpr *out_point) {
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  return find_point(nest, read, identity_of(nest), producer, store, out_point, coordinates);
}

// The same at |at| of what alone stores into |access|'s buffer; false if nothing in the kernel does.
static bool find_demand(const demand_t *demand, const strata_access_t *access, MlirAffineMap at,
                        const strata_nest_t **out_producer, const strata_access_t **out_store,
                        MlirAffineExpr *out_point, MlirAffineExpr *out_coordinates) {
  if (access->is_store || mlirAffineMapIsNull(access->map))
    return false;
  *out_producer = strata_kernel_producer(demand->kernel, access->buffer, out_store);
  return *out_producer && find_point(demand->from, access, at, *out_producer, *out_store, out_point, out_coordinates);
}

// |nest| is at the point that |at| takes a point of demand->from to.
static void visit_reads(demand_t *demand, const strata_nest_t *nest, MlirAffineMap at) {
  MlirContext context = mlirOperationGetContext(nest->op);
  for (int i = 0; i < nest->n_accesses; i++) {
    const strata_nest_t *producer;
    const strata_access_t *store;
    MlirAffineExpr point[STRATA_MAX_DIMS], coordinates[STRATA_MAX_DIMS];
    if (!find_demand(demand, &nest->accesses[i], at, &producer, &store, point, coordinates) || producer == nest)
      continue;
    MlirAffineMap inner = mlirAffineMapGet(context, strata_nest_n_dims(demand->from), demand->from->space.n_symbols,
                                           strata_nest_n_dims(producer), point);
    if (!is_first_visit(demand, producer, inner))
      continue;
    demand->visit(producer, store, point, coordinates, demand->user);
    if (!producer->n_reduction)
      visit_reads(demand, producer, inner);
  }
}

void strata_kernel_visit_demands(const strata_kernel_t *kernel, const strata_nest_t *from,
                                 strata_demand_visitor_t visit, void *user) {
  demand_t demand = {.kernel = kernel,
                     .from = from,
                     .visit = visit,
                     .user = user,
                     .visit_at = strata_pointer_map_create(kernel->arena)};
  visit_reads(&demand, from, identity_of(from));
}

//===-- Contractions ---------------------------------------------------------------------------------------------===//

// A byte in the place of an f32's exponent (strata_to_affine/contract.c): the byte's load.
static MlirOperation exponent_load(MlirValue factor) {
  static const char *const chain[] = {"arith.bitcast", "arith.shli", "arith.extui", "affine.load"};
  MlirOperation op = {0};
  for (size_t i = 0; i < sizeof chain / sizeof chain[0]; i++) {
    op = strata_def_named(factor, chain[i]);
    if (mlirOperationIsNull(op))
      return op;
    factor = mlirOperationGetOperand(op, 0);
  }
  return op;
}

const strata_access_t *strata_nest_scale(const strata_nest_t *nest, MlirValue factor, MlirValue *out_scaled) {
  MlirOperation mul = strata_def_named(factor, "arith.mulf");
  MlirOperation load = mlirOperationIsNull(mul) ? mul : exponent_load(mlirOperationGetOperand(mul, 1));
  for (int i = 0; !mlirOperationIsNull(load) && i < nest->n_accesses; i++)
    if (mlirOperationEqual(nest->accesses[i].op, load) && !mlirAffineMapIsNull(nest->accesses[i].map)) {
      *out_scaled = mlirOperationGetOperand(mul, 0);
      return &nest->accesses[i];
    }
  return NULL;
}

// The access behind |value|, looking through conversions, a scale and the guard's yield; NULL if arithmetic lies
// between.
static const strata_access_t *access_behind(const strata_nest_t *nest, MlirValue value) {
  strata_nest_scale(nest, value, &value);
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    for (int i = 0; i < nest->n_accesses; i++)
      if (!nest->accesses[i].is_store && mlirOperationEqual(nest->accesses[i].op, op))
        return &nest->accesses[i];
    if (strata_op_is(op, "affine.if")) {
      MlirBlock branch = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
      value = mlirOperationGetOperand(mlirBlockGetTerminator(branch), 0);
    } else if (mlirOperationGetNumOperands(op) == 1) {
      value = mlirOperationGetOperand(op, 0);
    } else {
      return NULL;
    }
  }
  return NULL;
}

// lhs * rhs of "accumulator + lhs * rhs" as the only thing the innermost loop yields.
static bool match_multiply_add(const strata_nest_t *nest, MlirOperation *out_mul) {
  MlirOperation loop = nest->loops[nest->n_reduction - 1];
  MlirOperation yield = mlirBlockGetTerminator(nest->inner);
  if (mlirOperationGetNumResults(loop) != 1 || !mlirValueIsAOpResult(mlirOperationGetOperand(yield, 0)))
    return false;
  MlirOperation add = mlirOpResultGetOwner(mlirOperationGetOperand(yield, 0));
  if (!strata_op_is(add, "arith.addf") && !strata_op_is(add, "arith.addi"))
    return false;
  MlirValue accumulator = mlirBlockGetArgument(nest->inner, 1);
  for (int i = 0; i < 2; i++) {
    MlirValue product = mlirOperationGetOperand(add, 1 - i);
    if (!mlirValueEqual(mlirOperationGetOperand(add, i), accumulator) || !mlirValueIsAOpResult(product))
      continue;
    *out_mul = mlirOpResultGetOwner(product);
    return strata_op_is(*out_mul, "arith.mulf") || strata_op_is(*out_mul, "arith.muli");
  }
  return false;
}

// The dims of the nest that the constraints of a guard are about.
static uint32_t guard_dims(const strata_nest_t *nest, MlirOperation guard) {
  uint32_t mask = 0;
  MlirIntegerSet set = mlirIntegerSetAttrGetValue(strata_attr(guard, "condition"));
  for (intptr_t i = 0; i < mlirIntegerSetGetNumConstraints(set); i++)
    for (int input = 0; input < (int)mlirIntegerSetGetNumInputs(set); input++)
      for (int dim = 0; dim < strata_nest_n_dims(nest); dim++)
        if (strata_affine_expr_uses(mlirIntegerSetGetConstraint(set, i), input) &&
            mlirValueEqual(nest->dims[dim], mlirOperationGetOperand(guard, input)))
          mask |= 1u << dim;
  return mask;
}

// What an operand depends on: it may be read along other dims than those along which it is padding.
static uint32_t read_dims(const strata_nest_t *nest, const strata_access_t *access) {
  uint32_t guarded = mlirOperationIsNull(access->guard) ? 0 : guard_dims(nest, access->guard);
  return strata_affine_map_dims(access->map) | guarded;
}

bool strata_nest_contraction(const strata_nest_t *nest, strata_contraction_t *out_contraction) {
  MlirOperation mul;
  if (nest->is_serial || nest->n_reduction == 0 || !match_multiply_add(nest, &mul))
    return false;
  strata_contraction_t c = {.nest = nest};
  c.lhs = access_behind(nest, mlirOperationGetOperand(mul, 0));
  c.rhs = access_behind(nest, mlirOperationGetOperand(mul, 1));
  for (int i = 0; i < nest->n_accesses; i++)
    if (nest->accesses[i].is_store)
      c.store = &nest->accesses[i];
  if (!c.lhs || !c.rhs || !c.store || mlirAffineMapIsNull(c.lhs->map) || mlirAffineMapIsNull(c.rhs->map))
    return false;
  c.lhs_dims = read_dims(nest, c.lhs);
  c.rhs_dims = read_dims(nest, c.rhs);
  *out_contraction = c;
  return true;
}

void strata_contraction_sides(const strata_contraction_t *c, int64_t *out_lhs, int64_t *out_rhs) {
  *out_lhs = *out_rhs = 1;
  for (int dim = 0; dim < c->nest->n_parallel; dim++) {
    bool in_lhs = c->lhs_dims >> dim & 1, in_rhs = c->rhs_dims >> dim & 1;
    *out_lhs *= in_lhs && !in_rhs ? strata_nest_likely_extent(c->nest, dim) : 1;
    *out_rhs *= in_rhs && !in_lhs ? strata_nest_likely_extent(c->nest, dim) : 1;
  }
}
