// Sums of four products of bytes: by the machine's intrinsic where it has one for the width, else byte by byte.
#include "dialects/affine/quads.h"
#include "lowering/expand/arithmetic.h"
#include "lowering/expand/ops.h"

enum { QUAD = 4, BYTE = 8, WORD = 32 };

static int64_t lanes_of(MlirType type) { return mlirTypeIsAVector(type) ? mlirShapedTypeGetDimSize(type, 0) : 1; }

static bool has_intrinsic(const strata_arithmetic_t *m, int64_t lanes) {
  return m->quad_products && (lanes == 4 || lanes == 8 || lanes == 16);
}

static MlirValue call(const strata_arithmetic_t *m, const char *name, int n, const MlirValue *operands, MlirType type) {
  MlirContext context = m->e->context;
  const int32_t segments[] = {n, 0}; // no bundles
  const strata_named_attr_t attrs[] = {
      {"intrin", strata_str_attr(context, name)},
      {"operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments)},
      {"op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)},
  };
  return strata_emit_value(m->e, "llvm.call_intrinsic", n, operands, type, 3, attrs);
}

static MlirType integers(const strata_arithmetic_t *m, unsigned width, int64_t lanes) {
  return strata_lanes_type(mlirIntegerTypeGet(m->e->context, width), lanes);
}

static MlirValue by_intrinsic(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  MlirType type = mlirValueGetType(c);
  int64_t lanes = lanes_of(type);
  MlirType bytes = integers(m, BYTE, QUAD * lanes);
  const MlirValue operands[3] = {c, strata_emit_cast(m->e, "vector.bitcast", a, bytes),
                                 strata_emit_cast(m->e, "vector.bitcast", b, bytes)};
  return call(m, strata_arena_printf(m->arena, "%s.%d", m->quad_products, (int)(lanes * WORD)), 3, operands, type);
}

// x86: neighbouring products of bytes together, then neighbours of these, which are multiplied by one.
static const struct {
  int64_t lanes;
  const char *bytes, *words;
} pairs[] = {
    {4, "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd"},
    {8, "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd"},
    {16, "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512"},
};

static bool by_pairs(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c, MlirValue *out) {
  MlirType type = mlirValueGetType(c);
  int64_t lanes = lanes_of(type);
  size_t i = 0;
  while (i < sizeof pairs / sizeof *pairs && pairs[i].lanes != lanes)
    i++;
  if (!m->has_byte_pairs || i == sizeof pairs / sizeof *pairs)
    return false;
  MlirType bytes = integers(m, BYTE, QUAD * lanes), words = integers(m, WORD / 2, lanes * 2);
  const MlirValue factors[2] = {strata_emit_cast(m->e, "vector.bitcast", a, bytes),
                                strata_emit_cast(m->e, "vector.bitcast", b, bytes)};
  const MlirValue sums[2] = {call(m, pairs[i].bytes, 2, factors, words), strata_emit_integer(m->e, words, 1)};
  *out = strata_emit_binary(m->e, "arith.addi", c, call(m, pairs[i].words, 2, sums, type));
  return true;
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

MlirValue strata_emit_small_quads(const strata_arithmetic_t *m, MlirValue a, MlirValue b, MlirValue c) {
  MlirValue sum;
  bool has_whole = has_intrinsic(m, lanes_of(mlirValueGetType(c)));
  return !has_whole && by_pairs(m, a, b, c, &sum) ? sum : strata_emit_quads(m, a, b, c);
}
