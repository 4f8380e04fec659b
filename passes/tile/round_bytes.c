// tile-round-bytes: on GPUs, floats become bytes and bytes with a sign floats by additions. A conversion takes as long
// as eight of these there, and what quantises has two: it rounds to an integer and converts that.
//
//   %r = math.roundeven %x   %a = arith.addf %r, 3.0   ... %s, which is %a saturated, 0 for NaN
//   %q = arith.fptosi %s : f32 to i8
// becomes
//   %n = %x, -3.0 for NaN    %c = %n between -131.0 and 124.0
//   %t = arith.addf %c, 0x1.8p23    %i = arith.bitcast %t : f32 to i32    %j = arith.addi %i, 3    %q = arith.trunci %j
//
// At 1.5 * 2^23 neighbouring floats are 1 apart: the sum rounds to even as math.roundeven does, and its low bits are
// the integer's. What is saturated at integers and then rounded is what is rounded and then saturated. Who converts %q
// back gets the float of it from %t. %n is %x where strata-to-affine knows that that is a number. Other bytes become
// the low bits of a float at 2^23, 128 more than they are:
//
//   arith.sitofp %b : i8 to f32   ->   arith.addf (bitcast (arith.xori (extui %b), 0x4b000080)), -0x1.0001p23
#include "dialects/mlir_util.h"
#include "passes/pass.h"
#include "passes/target.h"
#include "passes/tile/elements.h"

#include <math.h>

#define ONES 0x1.8p23     // where floats are 1 apart, and so a good way up and down
#define LEAST_ONES 0x1p23 // the least that are
enum { BYTE = 8, SIGN = 128, LEAST_ONES_BITS = 0x4b000000, FARTHEST = 1 << 16 };

typedef struct {
  MlirOperation conversion; // to a byte
  MlirValue x;              // what is rounded
  bool may_be_nan;          // which becomes 0
  double zero;              // what is added then
  double least, most;       // at which that is saturated
} rounding_t;

//===-- Looking --------------------------------------------------------------------------------------------------===//

// x of select(compare(x, y), x, other), where the comparison is |predicate|; a null value if |value| is none. Of
// y, null where it is x itself, and other the numbers.
static MlirValue chosen(MlirValue value, int64_t predicate, double *out_compared, double *out_other) {
  MlirOperation select = strata_def_named(value, "arith.select"), compare;
  if (mlirOperationIsNull(select) || !strata_elements_number(mlirOperationGetOperand(select, 2), out_other))
    return (MlirValue){0};
  MlirValue x = mlirOperationGetOperand(select, 1);
  compare = strata_def_named(mlirOperationGetOperand(select, 0), "arith.cmpf");
  if (mlirOperationIsNull(compare) || mlirIntegerAttrGetValueInt(strata_attr(compare, "predicate")) != predicate ||
      !mlirValueEqual(mlirOperationGetOperand(compare, 0), x))
    return (MlirValue){0};
  MlirValue compared = mlirOperationGetOperand(compare, 1);
  bool is_known = out_compared ? strata_elements_number(compared, out_compared) : mlirValueEqual(compared, x);
  return is_known ? x : (MlirValue){0};
}

// What strata-to-affine makes of a conversion that saturates, without the conversion.
static MlirValue saturated(MlirValue value, rounding_t *out) {
  enum { OEQ = 1, OGT = 2, OLT = 4 };
  double compared, zero;
  value = chosen(value, OLT, &compared, &out->most);
  if (mlirValueIsNull(value) || compared != out->most)
    return (MlirValue){0};
  value = chosen(value, OGT, &compared, &out->least);
  if (mlirValueIsNull(value) || compared != out->least)
    return (MlirValue){0};
  MlirValue number = chosen(value, OEQ, NULL, &zero);
  out->may_be_nan = !mlirValueIsNull(number) && zero == 0;
  return out->may_be_nan ? number : value;
}

static bool is_of(MlirValue value, bool (*is_element)(MlirType), unsigned width) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAVector(type))
    type = mlirShapedTypeGetElementType(type);
  return is_element(type) && (!width || mlirIntegerTypeGetWidth(type) == width);
}

static bool read_rounding(MlirOperation op, rounding_t *out) {
  *out = (rounding_t){.conversion = op};
  if ((!strata_op_is(op, "arith.fptosi") && !strata_op_is(op, "arith.fptoui")) ||
      !is_of(mlirOperationGetResult(op, 0), mlirTypeIsAInteger, BYTE) ||
      !is_of(mlirOperationGetOperand(op, 0), mlirTypeIsAF32, 0))
    return false;
  MlirValue value = saturated(mlirOperationGetOperand(op, 0), out);
  if (mlirValueIsNull(value))
    return false;
  MlirOperation sum = strata_def_named(value, "arith.addf");
  if (!mlirOperationIsNull(sum) && strata_elements_number(mlirOperationGetOperand(sum, 1), &out->zero))
    value = mlirOperationGetOperand(sum, 0);
  MlirOperation round = strata_def_named(value, "math.roundeven");
  if (mlirOperationIsNull(round) || out->zero != floor(out->zero) || fabs(out->zero) > FARTHEST)
    return false;
  out->x = mlirOperationGetOperand(round, 0);
  return true;
}

//===-- Building -------------------------------------------------------------------------------------------------===//

// |x|, |otherwise| for NaN.
static MlirValue a_number(MlirOperation before, MlirValue x, double otherwise) {
  enum { OEQ = 1 };
  MlirContext context = mlirOperationGetContext(before);
  MlirType type = mlirValueGetType(x);
  strata_named_attr_t predicate = {"predicate", strata_i64_attr(context, OEQ)};
  MlirValue is_number = strata_elements_build(before, "arith.cmpf", 2, (MlirValue[]){x, x},
                                              strata_elements_like(type, mlirIntegerTypeGet(context, 1)), &predicate);
  return strata_elements_build(before, "arith.select", 3,
                               (MlirValue[]){is_number, x, strata_elements_constant(before, type, otherwise)}, type,
                               NULL);
}

// Puts |shifted| and |offset| in the place of |back|, which makes a float of a byte.
static void convert_back(MlirOperation back, MlirValue shifted, double offset) {
  double more;
  MlirValue result = mlirOperationGetResult(back, 0);
  MlirOpOperand use = mlirValueGetFirstUse(result);
  MlirOperation last = back;
  if (!mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) {
    MlirOperation sum = mlirOpOperandGetOwner(use); // the zero point is taken off in the same addition
    if (strata_op_is(sum, "arith.addf") && mlirOpOperandGetOperandNumber(use) == 0 &&
        strata_elements_number(mlirOperationGetOperand(sum, 1), &more) && more == floor(more) &&
        fabs(more) < FARTHEST) {
      offset += more;
      last = sum;
    }
  }
  MlirValue sum = strata_elements_binary(last, "arith.addf", shifted,
                                         strata_elements_constant(last, mlirValueGetType(shifted), offset));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(last, 0), sum);
  mlirOperationDestroy(last);
  if (!mlirOperationEqual(last, back))
    mlirOperationDestroy(back);
}

// The next of |value|'s users that converts it to f32 as |r| has it; a null operation where there is none.
static MlirOperation next_back(const rounding_t *r, MlirValue value) {
  const char *name = strata_op_is(r->conversion, "arith.fptosi") ? "arith.sitofp" : "arith.uitofp";
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (strata_op_is(op, name) && is_of(mlirOperationGetResult(op, 0), mlirTypeIsAF32, 0))
      return op;
  }
  return (MlirOperation){0};
}

static void round_by_adding(const rounding_t *r) {
  MlirOperation op = r->conversion, back;
  MlirValue byte = mlirOperationGetResult(op, 0);
  MlirType type = mlirValueGetType(r->x),
           words = strata_elements_like(type, mlirIntegerTypeGet(mlirOperationGetContext(op), 32));
  MlirValue x = r->may_be_nan ? a_number(op, r->x, -r->zero) : r->x;
  x = strata_elements_binary(op, "arith.maxnumf", x, strata_elements_constant(op, type, r->least - r->zero));
  x = strata_elements_binary(op, "arith.minnumf", x, strata_elements_constant(op, type, r->most - r->zero));
  MlirValue shifted = strata_elements_binary(op, "arith.addf", x, strata_elements_constant(op, type, ONES));
  MlirValue word = strata_elements_build(op, "arith.bitcast", 1, &shifted, words, NULL);
  if (r->zero != 0)
    word = strata_elements_binary(op, "arith.addi", word, strata_elements_constant(op, words, r->zero));
  while (!mlirOperationIsNull(back = next_back(r, byte)))
    convert_back(back, shifted, r->zero - ONES);
  mlirValueReplaceAllUsesOfWith(byte,
                                strata_elements_build(op, "arith.trunci", 1, &word, mlirValueGetType(byte), NULL));
  mlirOperationDestroy(op);
}

//===-- Floats of other bytes ------------------------------------------------------------------------------------===//

// True if a product of a pipeline reads it, whose warps widen whole tiles by other means (tile.widen).
static bool is_multiplied(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  if (mlirOpOperandIsNull(use) || !strata_value_has_one_use(value))
    return false;
  MlirOperation user = mlirOpOperandGetOwner(use), parent = mlirOperationGetParentOperation(user);
  return strata_op_is(user, "arith.truncf")
             ? is_multiplied(mlirOperationGetResult(user, 0))
             : strata_op_is(user, "vector.contract") && strata_attr_flag(parent, "tile.pipeline");
}

static bool widens_byte(MlirOperation op) {
  return strata_op_is(op, "arith.sitofp") && !is_multiplied(mlirOperationGetResult(op, 0)) &&
         is_of(mlirOperationGetOperand(op, 0), mlirTypeIsAInteger, BYTE) &&
         is_of(mlirOperationGetResult(op, 0), mlirTypeIsAF32, 0);
}

static void widen_by_adding(MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType words = strata_elements_like(type, mlirIntegerTypeGet(mlirOperationGetContext(op), 32));
  MlirValue byte = mlirOperationGetOperand(op, 0),
            word = strata_elements_build(op, "arith.extui", 1, &byte, words, NULL);
  word = strata_elements_binary(op, "arith.xori", word, strata_elements_constant(op, words, LEAST_ONES_BITS | SIGN));
  convert_back(op, strata_elements_build(op, "arith.bitcast", 1, &word, type, NULL), -LEAST_ONES - SIGN);
}

//===-- The pass -------------------------------------------------------------------------------------------------===//

typedef STRATA_VECTOR(MlirOperation) ops_t;

typedef struct {
  strata_arena_t *arena;
  ops_t conversions, widenings, arithmetic; // the last may become unused
} search_t;

static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = strata_op_name(op);
  bool is_of_scalars = name.length > 5 && (!memcmp(name.data, "arith", 5) || !memcmp(name.data, "math.", 5));
  return (is_of_scalars || strata_op_is(op, "vector.broadcast")) && mlirOperationGetNumResults(op) == 1;
}

static MlirWalkResult visit(MlirOperation op, void *user) {
  search_t *search = user;
  rounding_t rounding;
  if (read_rounding(op, &rounding))
    *strata_vector_push(search->arena, &search->conversions) = op;
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_widening(MlirOperation op, void *user) {
  search_t *search = user;
  if (widens_byte(op))
    *strata_vector_push(search->arena, &search->widenings) = op;
  return MlirWalkResultAdvance;
}

static MlirWalkResult visit_arithmetic(MlirOperation op, void *user) {
  search_t *search = user;
  if (is_arithmetic(op))
    *strata_vector_push(search->arena, &search->arithmetic) = op;
  return MlirWalkResultAdvance;
}

strata_status_t strata_pass_tile_round_bytes(strata_compile_t *compile) {
  search_t search = {.arena = compile->arena};
  MlirOperation module = mlirModuleGetOperation(compile->module);
  if (!strata_target_is_gpu(compile))
    return NULL;
  mlirOperationWalk(module, visit, &search, MlirWalkPreOrder);
  for (size_t i = 0; i < search.conversions.count; i++) {
    rounding_t rounding;
    if (read_rounding(search.conversions.data[i], &rounding))
      round_by_adding(&rounding);
  }
  mlirOperationWalk(module, visit_widening, &search, MlirWalkPreOrder); // conversions back are gone
  for (size_t i = 0; i < search.widenings.count; i++)
    widen_by_adding(search.widenings.data[i]);
  if (!search.conversions.count)
    return NULL;
  mlirOperationWalk(module, visit_arithmetic, &search, MlirWalkPreOrder);
  for (size_t i = search.arithmetic.count; i-- > 0;)
    if (!strata_value_has_uses(mlirOperationGetResult(search.arithmetic.data[i], 0)))
      mlirOperationDestroy(search.arithmetic.data[i]);
  return NULL;
}
