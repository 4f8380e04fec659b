// Sums of four products of bytes: by the machine's intrinsic where it has one for the width, else byte by byte.
#include "dialects/affine/quads.h"
#include "lowering/expand/arithmetic.h"
#include "lowering/expand/ops.h"

enum { QUAD = 4, BYTE = 8, WORD = 32 };

static int64_t lanes_of(MlirType type) { return mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 1; }

static bool has_intrinsic(const strata_arithmetic_t *m, int64_t lanes) {
  return m->quad_products && (lanes == 4 || lanes == 8 || lanes == 16);
}

static MlirValue by_intrinsic(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  MlirContext context = m->e->context;
  MlirType type = mlirValueGetType(c);
  int64_t lanes = lanes_of(type);
  MlirType bytes = strata_lanes_type(mlirIntegerTypeGet(context, BYTE), QUAD * lanes);
  MlirValue operands[3] = {c, strata_emit_cast(m->e, "vector.bitcast", a, bytes),
                           strata_emit_cast(m->e, "vector.bitcast", b, bytes)};
  const char *name = strata_arena_printf(m->arena, "%s.%d", m->quad_products, (int)(lanes * WORD));
  const int32_t segments[] = {3, 0}; // no bundles
  const strata_named_attr_t attrs[] = {
      {"intrin", strata_str_attr(context, name)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)},
  };
  return strata_emit_value(m->e, "llvm.call_intrinsic", 3, operands, type, 3, attrs);
}

static MlirValue by_bytes(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  strata_emitter_t *e = m->e;
  MlirType type = mlirValueGetType(c);
  MlirValue mask = strata_emit_integer(e, type, UINT8_MAX), top = strata_emit_integer(e, type, WORD - BYTE);
  for (int i = 0; i < QUAD; i++) {
    MlirValue down = strata_emit_integer(e, type, i * BYTE), up = strata_emit_integer(e, type, WORD - BYTE - i * BYTE);
    MlirValue x = strata_emit_binary(e, "arith.andi", strata_emit_binary(e, "arith.shrui", a, down), mask);
    MlirValue y = strata_emit_binary(e, "arith.shrsi", strata_emit_binary(e, "arith.shli", b, up), top);
    c = strata_emit_binary(e, "arith.addi", c, strata_emit_binary(e, "arith.muli", x, y));
  }
  return c;
}

// Whether |value| is the machine's sum of products, of nothing before them.
static bool is_from_zero(const strata_arithmetic_t *m, MlirValue value) {
  if (!m->quad_products || !mlirValueIsAOpResult(value))
    return false;
  MlirOperation call = mlirOpResultGetOwner(value);
  if (!strata_op_is(call, "llvm.call_intrinsic"))
    return false;
  MlirStringRef name = strata_attr_str(call, "intrin");
  size_t length = strlen(m->quad_products);
  MlirValue start = mlirOperationGetOperand(call, 0);
  return name.length > length && !memcmp(name.data, m->quad_products, length) && mlirValueIsAOpResult(start) &&
         strata_op_is(mlirOpResultGetOwner(start), "arith.constant");
}

bool strata_emit_quads_sum(const strata_arithmetic_t *m, MlirValue sum, MlirValue products, MlirValue *out) {
  if (!is_from_zero(m, products))
    return false;
  MlirOperation call = mlirOperationClone(mlirOpResultGetOwner(products));
  mlirOperationSetOperand(call, 0, sum);
  mlirBlockAppendOwnedOperation(m->e->block, call);
  *out = mlirOperationGetResult(call, 0);
  return true;
}

MlirValue strata_emit_quads(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  return (has_intrinsic(m, lanes_of(mlirValueGetType(c))) ? by_intrinsic : by_bytes)(m, a, b, c);
}
