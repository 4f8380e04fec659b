// Loops over lanes (STRATA_LANES) of scalar nests, where a group of threads has a task: what differs from lane to lane
// is a vector of all of them.
//
//   %r = scf.for %lane = %c0 to %c1024 step %c1 iter_args(%a = %none) -> (i64) {
//     %x = memref.load %m[%i, %n * 1024 + %lane] ...   %b = arith.maxsi %a, %x : i64   scf.yield %b
//   } {strata.lanes = 1024}
// becomes
//   %x = "tile.load"(%m, %i, %n) {map = (d0)[s0, s1] -> (s0, s1 * 1024 + d0)} -> vector<1024xi64> ...
//   %r = vector.multi_reduction <maxsi>, %x, %none [0] : vector<1024xi64> to i64
// Where lanes read what those in front of them give, %b, or %a, which is without their own, that is a running
// combination: %b, %r = "tile.scan"(%x, %none) {kind}.
#include "lowering/affine_to_tile/scalar.h"

#include "dialects/affine/row_kernel.h"
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/combine.h"

enum { MAX_SYMBOLS = 16, MAX_OPERANDS = 32 };

typedef struct {
  strata_scalar_t *c;
  MlirValue lane; // the old loop's counter
  int64_t n;
  MlirOperation loop;
  bool is_scanned[MAX_OPERANDS]; // of the loop's results
} lanes_t;

static void fail(lanes_t *l) { strata_tile_fail(l->c->b, "affine-to-tile: a loop over lanes of another form"); }

//===-- Lanes' numbers -------------------------------------------------------------------------------------------===//

static bool is_place_op(MlirOperation op) {
  return (strata_op_is(op, "arith.addi") || strata_op_is(op, "arith.muli")) &&
         mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

// Whether |old|, an index, is computed from the lane's number.
static bool is_of_lane(const lanes_t *l, MlirValue old) {
  if (mlirValueEqual(old, l->lane))
    return true;
  if (!mlirValueIsAOpResult(old) || !is_place_op(mlirOpResultGetOwner(old)))
    return false;
  MlirOperation op = mlirOpResultGetOwner(old);
  return is_of_lane(l, mlirOperationGetOperand(op, 0)) || is_of_lane(l, mlirOperationGetOperand(op, 1));
}

//===-- Vectors --------------------------------------------------------------------------------------------------===//

static bool is_vector(MlirValue value) { return mlirTypeIsAVector(mlirValueGetType(value)); }

static MlirType vector_of(const lanes_t *l, MlirType element) { return mlirVectorTypeGet(1, &l->n, element); }

// The new value of |old| as a vector.
static MlirValue as_vector(lanes_t *l, MlirValue old) {
  strata_emitter_t *e = &l->c->b->e;
  if (mlirValueEqual(old, l->lane))
    return strata_emit_value(e, "vector.step", 0, NULL, vector_of(l, mlirIndexTypeGet(e->context)), 0, NULL);
  if (is_of_lane(l, old)) {
    MlirOperation op = mlirOpResultGetOwner(old);
    MlirValue operands[2] = {as_vector(l, mlirOperationGetOperand(op, 0)),
                             as_vector(l, mlirOperationGetOperand(op, 1))};
    return strata_emit_value(e, strata_op_name(op).data, 2, operands, mlirValueGetType(operands[0]), 0, NULL);
  }
  MlirValue value = strata_scalar_mapped(l->c, old);
  if (is_vector(value))
    return value;
  return strata_emit_value(e, "vector.broadcast", 1, &value, vector_of(l, mlirValueGetType(value)), 0, NULL);
}

static bool has_vector(lanes_t *l, MlirOperation op) {
  bool result = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    result |= is_of_lane(l, operand) || is_vector(strata_scalar_mapped(l->c, operand));
  }
  return result;
}

// One result for each lane; attributes are the scalar's.
static void clone_arithmetic(lanes_t *l, MlirOperation op) {
  strata_emitter_t *e = &l->c->b->e;
  MlirValue operands[MAX_OPERANDS];
  strata_named_attr_t attrs[MAX_OPERANDS];
  int n_operands = (int)mlirOperationGetNumOperands(op), n_attrs = (int)mlirOperationGetNumAttributes(op);
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) > 0 || n_operands > MAX_OPERANDS ||
      n_attrs > MAX_OPERANDS) {
    fail(l);
    return;
  }
  for (int i = 0; i < n_operands; i++)
    operands[i] = as_vector(l, mlirOperationGetOperand(op, i));
  for (int i = 0; i < n_attrs; i++) {
    MlirNamedAttribute named = mlirOperationGetAttribute(op, i);
    attrs[i] = (strata_named_attr_t){mlirIdentifierStr(named.name).data, named.attribute};
  }
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_scalar_map(l->c, result,
                    strata_emit_value(e, strata_op_name(op).data, n_operands, operands,
                                      vector_of(l, mlirValueGetType(result)), n_attrs, attrs));
}

//===-- Places ---------------------------------------------------------------------------------------------------===//

typedef struct {
  int n;
  MlirValue symbols[MAX_SYMBOLS]; // new values
  strata_named_attr_t attrs[2];   // of the access
} places_t;

static MlirAffineExpr symbol(lanes_t *l, places_t *places, MlirValue old) {
  MlirValue value = strata_scalar_mapped(l->c, old);
  int i = 0;
  while (i < places->n && !mlirValueEqual(places->symbols[i], value))
    i++;
  if (i == MAX_SYMBOLS) {
    fail(l);
    return mlirAffineConstantExprGet(l->c->b->e.context, 0);
  }
  places->symbols[i] = value;
  places->n += i == places->n;
  return mlirAffineSymbolExprGet(l->c->b->e.context, i);
}

// An index over the lane's number, d0, and new values.
static MlirAffineExpr place(lanes_t *l, places_t *places, MlirValue old) {
  if (mlirValueEqual(old, l->lane))
    return mlirAffineDimExprGet(l->c->b->e.context, 0);
  MlirOperation op = mlirValueIsAOpResult(old) ? mlirOpResultGetOwner(old) : (MlirOperation){NULL};
  if (!mlirOperationIsNull(op) && strata_op_is(op, "arith.constant"))
    return mlirAffineConstantExprGet(l->c->b->e.context, mlirIntegerAttrGetValueInt(strata_attr(op, "value")));
  if (mlirOperationIsNull(op) || !is_place_op(op))
    return symbol(l, places, old);
  MlirAffineExpr lhs = place(l, places, mlirOperationGetOperand(op, 0)),
                 rhs = place(l, places, mlirOperationGetOperand(op, 1));
  if (strata_op_is(op, "arith.addi"))
    return mlirAffineAddExprGet(lhs, rhs);
  if (mlirAffineExprIsAConstant(rhs) || mlirAffineExprIsAConstant(lhs))
    return mlirAffineMulExprGet(lhs, rhs);
  if (is_of_lane(l, old))
    fail(l);
  return symbol(l, places, old);
}

// The attributes of an access whose indices are the operands from |first| on. False if none depends on the lane.
static bool read_places(lanes_t *l, MlirOperation op, int first, places_t *places) {
  MlirAffineExpr results[MAX_OPERANDS];
  int rank = (int)mlirOperationGetNumOperands(op) - first;
  bool differs = false;
  for (int i = 0; i < rank; i++)
    differs |= is_of_lane(l, mlirOperationGetOperand(op, first + i));
  for (int i = 0; i < rank && differs; i++)
    results[i] = place(l, places, mlirOperationGetOperand(op, first + i));
  if (!differs)
    return false;
  MlirContext context = l->c->b->e.context;
  MlirAffineMap map = mlirAffineMapGet(context, 1, places->n, rank, results);
  places->attrs[0] = (strata_named_attr_t){"map", mlirAffineMapAttrGet(map)};
  places->attrs[1] = (strata_named_attr_t){STRATA_LANES, mlirUnitAttrGet(context)};
  return true;
}

static void clone_load(lanes_t *l, MlirOperation op) {
  places_t places = {0};
  if (!read_places(l, op, 1, &places)) {
    if (has_vector(l, op))
      fail(l);
    else
      strata_scalar_clone(l->c, op);
    return;
  }
  MlirValue operands[1 + MAX_SYMBOLS] = {strata_scalar_mapped(l->c, mlirOperationGetOperand(op, 0))};
  for (int i = 0; i < places.n; i++)
    operands[1 + i] = places.symbols[i];
  MlirValue result = mlirOperationGetResult(op, 0);
  strata_scalar_map(l->c, result,
                    strata_emit_value(&l->c->b->e, STRATA_TILE_LOAD, 1 + places.n, operands,
                                      vector_of(l, mlirValueGetType(result)), 2, places.attrs));
}

static void clone_store(lanes_t *l, MlirOperation op) {
  places_t places = {0};
  if (!read_places(l, op, 2, &places)) {
    fail(l);
    return;
  }
  MlirValue operands[2 + MAX_SYMBOLS] = {as_vector(l, mlirOperationGetOperand(op, 0)),
                                         strata_scalar_mapped(l->c, mlirOperationGetOperand(op, 1))};
  for (int i = 0; i < places.n; i++)
    operands[2 + i] = places.symbols[i];
  strata_emit_op(&l->c->b->e, STRATA_TILE_STORE, 2 + places.n, operands, 0, NULL, 2, places.attrs);
}

//===-- Structure ------------------------------------------------------------------------------------------------===//

static void clone_block(lanes_t *l, MlirBlock block);

// A loop whose bounds are the same for all lanes; what it carries is a lane's.
static void clone_loop(lanes_t *l, MlirOperation op) {
  enum { N_BOUNDS = 3 };
  strata_emitter_t *e = &l->c->b->e;
  MlirValue inits[MAX_OPERANDS], values[MAX_OPERANDS], step = mlirOperationGetOperand(op, 2);
  int n = (int)mlirOperationGetNumResults(op);
  if (n > MAX_OPERANDS || has_vector(l, op) || !strata_value_is_constant(step)) {
    fail(l);
    return;
  }
  for (int i = 0; i < n; i++)
    inits[i] = as_vector(l, mlirOperationGetOperand(op, N_BOUNDS + i));
  int64_t by = mlirIntegerAttrGetValueInt(strata_attr(mlirOpResultGetOwner(step), "value"));
  strata_loop_t loop =
      strata_emit_for_begin(e, strata_scalar_mapped(l->c, mlirOperationGetOperand(op, 0)),
                            strata_scalar_mapped(l->c, mlirOperationGetOperand(op, 1)), by, n, inits, values);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  strata_scalar_map(l->c, mlirBlockGetArgument(body, 0), loop.induction);
  for (int i = 0; i < n; i++)
    strata_scalar_map(l->c, mlirBlockGetArgument(body, 1 + i), values[i]);
  clone_block(l, body);
  for (int i = 0; i < n && !l->c->b->status; i++)
    values[i] = as_vector(l, mlirOperationGetOperand(mlirBlockGetTerminator(body), i));
  strata_emit_for_end(e, loop, n, values, inits);
  for (int i = 0; i < n; i++)
    strata_scalar_map(l->c, mlirOperationGetResult(op, i), inits[i]);
}

// The result of the loop over lanes that |op| combines; -1: it does not.
static int combined_result(const lanes_t *l, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(l->loop, 0));
  for (int i = 0; i < (int)mlirOperationGetNumResults(l->loop); i++) {
    MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), i);
    if (mlirValueIsAOpResult(yielded) && mlirOperationEqual(mlirOpResultGetOwner(yielded), op) &&
        strata_combining_kind(op, mlirBlockGetArgument(body, 1 + i)))
      return i;
  }
  return -1;
}

// Whether an operation beside |op| and the loop's end reads |value|.
static bool is_read(MlirValue value, MlirOperation op, MlirOperation end) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation owner = mlirOpOperandGetOwner(use);
    if (!mlirOperationEqual(owner, op) && !mlirOperationEqual(owner, end))
      return true;
  }
  return false;
}

static MlirAttribute kind_of(lanes_t *l, MlirOperation op, MlirValue carried) {
  return strata_combining_attr(l->c->b->e.context, strata_combining_kind(op, carried));
}

static MlirValue other_operand(MlirOperation op, MlirValue carried) {
  return mlirOperationGetOperand(op, mlirValueEqual(mlirOperationGetOperand(op, 0), carried) ? 1 : 0);
}

enum { FIRST_INIT = 3 };

// |op| combines result |i|, and lanes read that as it is so far.
static void scan(lanes_t *l, MlirOperation op, int i) {
  strata_emitter_t *e = &l->c->b->e;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(l->loop, 0));
  MlirOperation end = mlirBlockGetTerminator(body);
  MlirValue carried = mlirBlockGetArgument(body, 1 + i), result = mlirOperationGetResult(op, 0);
  bool is_exclusive = is_read(carried, op, end);
  if (is_exclusive == is_read(result, op, end)) { // both; or neither, and there is nothing to do
    if (is_exclusive)
      fail(l);
    return;
  }
  MlirValue operands[2] = {as_vector(l, other_operand(op, carried)),
                           strata_scalar_mapped(l->c, mlirOperationGetOperand(l->loop, FIRST_INIT + i))};
  MlirType types[2] = {mlirValueGetType(operands[0]), mlirValueGetType(result)};
  strata_named_attr_t attrs[2] = {{"kind", kind_of(l, op, carried)}, {"exclusive", mlirUnitAttrGet(e->context)}};
  MlirOperation scanned = strata_emit_op(e, STRATA_TILE_SCAN, 2, operands, 2, types, is_exclusive ? 2 : 1, attrs);
  strata_scalar_map(l->c, is_exclusive ? carried : result, mlirOperationGetResult(scanned, 0));
  strata_scalar_map(l->c, mlirOperationGetResult(l->loop, i), mlirOperationGetResult(scanned, 1));
  l->is_scanned[i] = true;
}

static void clone_op(lanes_t *l, MlirOperation op) {
  int combined = combined_result(l, op);
  if (is_place_op(op) && is_of_lane(l, mlirOperationGetResult(op, 0))) // done where its result is used
    return;
  if (combined >= 0)
    scan(l, op, combined);
  else if (strata_op_is(op, "memref.load"))
    clone_load(l, op);
  else if (strata_op_is(op, "memref.store"))
    clone_store(l, op);
  else if (strata_op_is(op, "scf.for"))
    clone_loop(l, op);
  else if (has_vector(l, op))
    clone_arithmetic(l, op);
  else
    strata_scalar_clone(l->c, op);
}

static void clone_block(lanes_t *l, MlirBlock block) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end) && !l->c->b->status;
       op = mlirOperationGetNextInBlock(op))
    clone_op(l, op);
}

// Result |i|, which no lane reads: what all lanes give, and what the loop begins with.
static void combine(lanes_t *l, MlirBlock body, int i) {
  strata_emitter_t *e = &l->c->b->e;
  MlirValue yielded = mlirOperationGetOperand(mlirBlockGetTerminator(body), i),
            carried = mlirBlockGetArgument(body, 1 + i), result = mlirOperationGetResult(l->loop, i);
  MlirOperation op = mlirValueIsAOpResult(yielded) ? mlirOpResultGetOwner(yielded) : (MlirOperation){NULL};
  if (mlirOperationIsNull(op) || combined_result(l, op) != i) {
    fail(l);
    return;
  }
  const int64_t dim = 0;
  strata_named_attr_t attrs[2] = {{"kind", kind_of(l, op, carried)},
                                  {"reduction_dims", strata_i64s_attr(e->context, 1, &dim)}};
  MlirValue operands[2] = {as_vector(l, other_operand(op, carried)),
                           strata_scalar_mapped(l->c, mlirOperationGetOperand(l->loop, FIRST_INIT + i))};
  strata_scalar_map(l->c, result,
                    strata_emit_value(e, "vector.multi_reduction", 2, operands, mlirValueGetType(result), 2, attrs));
}

void strata_scalar_lanes(strata_scalar_t *c, MlirOperation loop) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  lanes_t l = {c, mlirBlockGetArgument(body, 0), strata_attr_i64(loop, STRATA_LANES, 0), loop, {false}};
  if (mlirOperationGetNumResults(loop) > MAX_OPERANDS) {
    fail(&l);
    return;
  }
  clone_block(&l, body);
  for (int i = 0; i < (int)mlirOperationGetNumResults(loop) && !c->b->status; i++)
    if (!l.is_scanned[i])
      combine(&l, body, i);
}
