// See segment_attention.h. The nest's accesses are known by their order:
//
//   affine.parallel (%row, %head) { load tiles, perhaps   load rows   load key_offsets, twice   load offsets, twice
//   store sums
//     scf.for %key { affine.for %step { load q, k } * scale ...   affine.for %step { load sums, v   store sums } }
//     affine.for %step { load sums   store result } }
//
// The sums are in the result, or in a buffer of their own that other forms of the kernel have no use for.
#include "dialects/affine/segment_attention.h"

#include "dialects/affine/symbols.h"
#include "dialects/mlir_util.h"

static MlirOperation parent_of(MlirOperation op) { return mlirOperationGetParentOperation(op); }

// The counter of the loop over keys or over steps.
static MlirAffineExpr counter_of(strata_place_reader_t *r, MlirValue value) {
  MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  bool is_key = strata_op_is(loop, "scf.for");
  if (mlirBlockArgumentGetArgNumber(value) != 0 || (!is_key && !strata_op_is(loop, "affine.for")))
    return strata_place_fail(r);
  return mlirAffineDimExprGet(r->context, is_key ? STRATA_SEGMENT_KEY : STRATA_SEGMENT_STEP);
}

// A counter, a sum, or a product by a constant.
static MlirAffineExpr other(strata_place_reader_t *r, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return counter_of(r, value);
  MlirOperation op = mlirOpResultGetOwner(value);
  bool is_sum = strata_op_is(op, "arith.addi");
  if (!is_sum && !strata_op_is(op, "arith.muli"))
    return strata_place_fail(r);
  MlirAffineExpr lhs = strata_place_expr(r, mlirOperationGetOperand(op, 0));
  MlirAffineExpr rhs = strata_place_expr(r, mlirOperationGetOperand(op, 1));
  if (r->failed || (!is_sum && !mlirAffineExprIsAConstant(rhs)))
    return strata_place_fail(r);
  return is_sum ? mlirAffineAddExprGet(lhs, rhs) : mlirAffineMulExprGet(lhs, rhs);
}

// An entry of offsets, whose number is a value of its own: (key) -> (key).
static strata_place_t entry_of(strata_place_reader_t *r, const strata_access_t *access) {
  MlirAffineExpr key = mlirAffineDimExprGet(r->context, STRATA_SEGMENT_KEY);
  if (mlirShapedTypeGetRank(mlirValueGetType(access->buffer)) != 1)
    strata_place_fail(r);
  return (strata_place_t){access->buffer,
                          mlirAffineMapGet(r->context, STRATA_SEGMENT_DIMS, r->nest->space.n_symbols, 1, &key)};
}

// How often the loop around |op| runs, 1 where there is none but that over the keys.
static int64_t trips_around(strata_place_reader_t *r, MlirOperation op) {
  MlirOperation loop = parent_of(op);
  if (!strata_op_is(loop, "affine.for"))
    return 1;
  MlirAffineExpr end = strata_place_map_result(r, loop, "upperBoundMap", 0, 0);
  if (!mlirAffineExprIsAConstant(end)) {
    strata_place_fail(r);
    return 1;
  }
  return mlirAffineConstantExprGetValue(end);
}

static MlirOperation definition(strata_place_reader_t *r, MlirValue value, const char *name) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || !strata_op_is(op, name)) {
    r->failed = true;
    return (MlirOperation){0};
  }
  return op;
}

// The size that |value| is clamped to, and |more|.
static strata_size_t clamp_of(strata_place_reader_t *r, MlirValue value, int64_t more) {
  MlirOperation op = definition(r, value, "arith.minsi");
  if (r->failed)
    return strata_size_constant(1);
  MlirAffineExpr size = strata_place_expr(r, mlirOperationGetOperand(op, 1));
  const strata_size_symbols_t symbols = {.count = r->nest->space.n_symbols, .sizes = r->nest->space.symbols};
  return strata_size_of_expr(&symbols, mlirAffineAddExprGet(size, mlirAffineConstantExprGet(r->context, more)));
}

// What the sums of the loop over steps are multiplied with.
static double scale_of(strata_place_reader_t *r, MlirOperation q) {
  MlirOperation sum = parent_of(q);
  if (!strata_op_is(sum, "affine.for") || mlirOperationGetNumResults(sum) != 1) {
    r->failed = true;
    return 1;
  }
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(sum, 0));
  MlirOperation product = mlirOpOperandIsNull(use) ? sum : mlirOpOperandGetOwner(use);
  if (!strata_op_is(product, "arith.mulf") || mlirOpOperandGetOperandNumber(use) != 0) {
    r->failed = true;
    return 1;
  }
  MlirOperation factor = definition(r, mlirOperationGetOperand(product, 1), "arith.constant");
  return r->failed ? 1 : mlirFloatAttrGetValueDouble(strata_attr(factor, "value"));
}

static bool has_form(int n_accesses, const strata_access_t *accesses) {
  const char *wanted = "lllllsllllsls"; // loads and stores
  int n = 0;
  for (; n < n_accesses && wanted[n]; n++)
    if (accesses[n].is_store != (wanted[n] == 's'))
      return false;
  return n == n_accesses && !wanted[n];
}

static bool is_narrow_float(MlirValue buffer) {
  MlirType type = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  return mlirTypeIsAF32(type) || mlirTypeIsAF16(type) || mlirTypeIsABF16(type);
}

bool strata_segment_attention_read(const strata_kernel_t *kernel, strata_segment_attention_t *out) {
  const strata_nest_t *nest = &kernel->nests[0];
  if (kernel->n_nests != 1 || !strata_str_equal(nest->name, "segment_attention") || nest->n_parallel != 2)
    return false;
  bool has_tiles = nest->n_accesses > 0 && mlirShapedTypeGetRank(mlirValueGetType(nest->accesses[0].buffer)) == 2;
  const strata_access_t *at = nest->accesses + has_tiles, *last = at + 5;
  if (!has_form(nest->n_accesses - has_tiles, at))
    return false;
  strata_place_reader_t r = {
      .nest = nest, .context = mlirOperationGetContext(nest->op), .n_dims = STRATA_SEGMENT_DIMS, .other = other};
  MlirOperation keys = parent_of(parent_of(last[1].op));
  if (!strata_op_is(keys, "scf.for") || !strata_size_is_constant(nest->space.sizes[STRATA_SEGMENT_HEAD], &out->heads))
    return false;
  out->nest = nest;
  out->tiles = has_tiles ? nest->accesses[0].buffer : (MlirValue){0};
  out->is_causal = strata_op_is(strata_def(mlirOperationGetOperand(keys, 1)), "arith.maxsi");
  out->rows = strata_place_read(&r, &at[0]);
  out->key_offsets = entry_of(&r, &at[1]);
  out->offsets = entry_of(&r, &at[3]);
  out->result = strata_place_read(&r, &nest->accesses[nest->n_accesses - 1]);
  out->q = strata_place_read(&r, &last[1]);
  out->k = strata_place_read(&r, &last[2]);
  out->v = strata_place_read(&r, &last[4]);
  out->steps = trips_around(&r, last[1].op);
  out->values = trips_around(&r, last[4].op);
  out->scale = scale_of(&r, last[1].op);
  out->n_rows = nest->space.sizes[STRATA_SEGMENT_ROW];
  out->tile_rows = strata_attr_i64(nest->op, STRATA_SEGMENT_TILE_ATTR, 0);
  out->n_keys = clamp_of(&r, mlirOperationGetOperand(keys, 0), 0);
  MlirOperation sequence = definition(&r, mlirOperationGetOperand(at[1].op, 1), "arith.maxsi");
  if (!r.failed)
    out->n_sequences = clamp_of(&r, mlirOperationGetOperand(sequence, 0), 1);
  return !r.failed && is_narrow_float(out->q.buffer) && is_narrow_float(out->k.buffer) &&
         is_narrow_float(out->v.buffer) && is_narrow_float(out->result.buffer);
}
