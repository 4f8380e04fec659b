// Products of blocks: rows in digits times nibbles, word by word of a block in integers, block by block in floats.
//
//   %1 = "strata.block_contract"(%x, %scales, %sums, %words, %factors, %zeros) : (...) -> tensor<2x128xf32>
// becomes
//   affine.parallel (%t, %m, %l) = (0, 0, 0) to (2, 2, 64) {
//     %s = affine.for %b = 0 to 4 iter_args(%a = %zero) -> (f32) {
//       %i:3 = affine.for %w = 0 to 4 iter_args(%i0 = %none, ...) -> (i32, i32, i32) {
//         %word = affine.load %words[%t, %b, %w, %l]   %low = %word & 0x0f0f0f0f   %high = (%word >> 4) & 0x0f0f0f0f
//         %i0 + %low * %x[0, %m, %b, %w] {strata.quads} + %high * %x[0, %m, %b, %w + 4] {strata.quads}, ... }
//       %a + factor * (scale * ((%i#0 * 256 + %i#1) * 256 + %i#2) - zero * sum) }
//     affine.store %s, %y[%m, %t * 64 + %l]
//   } {strata.nest = "block_contract", strata.serial}
//
// It is a nest of its own order, a strip's columns innermost: rows pass by while the strip stays in the cache.
#include "dialects/affine/quads.h"
#include "lowering/strata_to_affine/lower.h"

enum { X, SCALES, SUMS, WORDS, FACTORS, ZEROS, N_OPERANDS };
enum { STRIP, ROW, COLUMN, BLOCK, WORD }; // dims of the nest

typedef struct {
  strata__nest_t nest;
  const strata__tensor_t *operands[N_OPERANDS];
  int64_t n_digits, n_words;
} product_t;

static MlirAffineExpr dim(const product_t *p, int index) { return strata__dim(&p->nest, index); }

static MlirValue times(product_t *p, MlirValue x, MlirValue y) { return strata__binary(&p->nest, "arith.mulf", x, y); }

static MlirValue plus(product_t *p, MlirValue x, MlirValue y) { return strata__binary(&p->nest, "arith.addf", x, y); }

static MlirValue load_of_row(product_t *p, int operand) {
  const MlirAffineExpr at[2] = {dim(p, ROW), dim(p, BLOCK)};
  return strata__load(&p->nest, p->operands[operand], at);
}

static MlirValue load_of_strip(product_t *p, int operand) {
  const MlirAffineExpr at[3] = {dim(p, STRIP), dim(p, BLOCK), dim(p, COLUMN)};
  return strata__load_raw(&p->nest, p->operands[operand], at);
}

// sum + the products of four nibbles with those of digit |digit| of four numbers.
static MlirValue add_quad(product_t *p, MlirValue sum, MlirValue nibbles, int64_t digit, int64_t half) {
  const MlirAffineExpr at[4] = {strata__constant(&p->nest, digit), dim(p, ROW), dim(p, BLOCK),
                                strata__linear(&p->nest, dim(p, WORD), 1, half * p->n_words)};
  MlirValue product = strata__binary(&p->nest, "arith.muli", nibbles, strata__load_raw(&p->nest, p->operands[X], at));
  strata_set_attr(strata_def(product), STRATA_QUADS, mlirUnitAttrGet(p->nest.lowering->context));
  strata_set_attr(strata_def(product), STRATA_SMALL_QUADS, mlirUnitAttrGet(p->nest.lowering->context));
  return strata__binary(&p->nest, "arith.addi", sum, product);
}

// The sums of a block, one a digit.
static void sum_words(product_t *p, MlirValue *out_sums) {
  enum { NIBBLES = 0x0f0f0f0f, NIBBLE = 4 };
  strata__nest_t *nest = &p->nest;
  MlirType i32 = mlirIntegerTypeGet(nest->lowering->context, 32);
  MlirValue zeros[STRATA_BLOCK_DIGITS], sums[STRATA_BLOCK_DIGITS];
  for (int64_t digit = 0; digit < p->n_digits; digit++)
    zeros[digit] = strata__int_constant(nest, i32, 0);
  strata__loop_t loop = strata__for_begin(nest, strata_size_constant(p->n_words), (int)p->n_digits, zeros, sums);
  const MlirAffineExpr at[4] = {dim(p, STRIP), dim(p, BLOCK), dim(p, WORD), dim(p, COLUMN)};
  MlirValue word = strata__load_raw(nest, p->operands[WORDS], at), mask = strata__int_constant(nest, i32, NIBBLES);
  MlirValue high = strata__binary(nest, "arith.shrui", word, strata__int_constant(nest, i32, NIBBLE));
  const MlirValue halves[2] = {strata__binary(nest, "arith.andi", word, mask),
                               strata__binary(nest, "arith.andi", high, mask)};
  for (int64_t digit = 0; digit < p->n_digits; digit++)
    for (int64_t half = 0; half < 2; half++)
      sums[digit] = add_quad(p, sums[digit], halves[half], digit, half);
  strata__for_end(nest, loop, (int)p->n_digits, sums, out_sums);
}

static MlirValue block_of(product_t *p, MlirValue sum_so_far) {
  enum { BASE = 256 };
  strata__nest_t *nest = &p->nest;
  MlirType f32 = mlirF32TypeGet(nest->lowering->context);
  MlirValue sums[STRATA_BLOCK_DIGITS], value = {0}, base = strata__float_constant(nest, f32, BASE);
  sum_words(p, sums);
  for (int64_t digit = 0; digit < p->n_digits; digit++) {
    MlirValue part = strata__cast(nest, "arith.sitofp", sums[digit], f32);
    value = digit ? plus(p, times(p, value, base), part) : part;
  }
  MlirValue zero = strata__cast(nest, "arith.uitofp", load_of_strip(p, ZEROS), f32);
  value = times(p, value, load_of_row(p, SCALES));
  value = strata__binary(nest, "arith.subf", value, times(p, zero, load_of_row(p, SUMS)));
  return plus(p, sum_so_far, times(p, value, load_of_strip(p, FACTORS)));
}

// A strip's operand as the nest walks it: if it is a view, a copy, which of constants the preparation program makes.
static const strata__tensor_t *packed(strata__lowering_t *l, MlirOperation op, const strata__tensor_t *tensor) {
  if (mlirAttributeIsNull(tensor->splat) && mlirAffineMapIsIdentity(tensor->map))
    return tensor;
  strata__nest_t nest;
  MlirAffineExpr point[STRATA_MAX_RANK];
  strata__tensor_t *copy = strata_arena_new(l->compile->arena, strata__tensor_t);
  *copy = (strata__tensor_t){.type = tensor->type, .rank = tensor->rank, .sizes = tensor->sizes, .is_live = true};
  strata__place_anywhere(l, copy, mlirOperationGetLocation(op));
  strata__nest_begin_for(l, &nest, op, "pack", copy, point);
  strata__store(&nest, copy, point, strata__load_raw(&nest, tensor, point));
  strata__nest_end(&nest);
  return copy;
}

strata_status_t strata__lower_block(strata__lowering_t *l, MlirOperation op) {
  product_t p = {.nest = {0}};
  for (int i = 0; i < N_OPERANDS; i++)
    p.operands[i] = i < WORDS ? strata__operand(l, op, i) : packed(l, op, strata__operand(l, op, i));
  const strata_size_t *words = p.operands[WORDS]->sizes;
  const strata_size_t sizes[3] = {words[0], p.operands[X]->sizes[1], words[3]};
  int64_t width = strata_size_static_value(words[3]);
  p.n_digits = strata_size_static_value(p.operands[X]->sizes[0]);
  p.n_words = strata_size_static_value(words[2]);
  const strata__tensor_t *result = strata__result(l, op, 0);
  strata__nest_begin(l, &p.nest, op, "block_contract", 3, sizes);
  p.nest.is_serial = true;
  p.nest.fast_math = l->fast_math_of_products;
  MlirValue zero = strata__float_constant(&p.nest, mlirF32TypeGet(l->context), 0), sum;
  strata__loop_t loop = strata__for_begin(&p.nest, words[1], 1, &zero, &sum);
  sum = block_of(&p, sum);
  strata__for_end(&p.nest, loop, 1, &sum, &sum);
  MlirAffineExpr column = strata__linear(&p.nest, dim(&p, STRIP), width, 0);
  const MlirAffineExpr at[2] = {dim(&p, ROW), mlirAffineAddExprGet(column, dim(&p, COLUMN))};
  strata__store(&p.nest, result, at, sum);
  strata__nest_end(&p.nest);
  return NULL;
}
