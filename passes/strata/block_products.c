// strata-block-products: products with constant weights of 4 bits read these as they are stored, where a cpu adds up
// the products of four unsigned bytes with four signed ones at once (strata_cpu_device_t, quad_products). One that adds
// up those of two (has_byte_pairs) is slower so than by floats once many rows share what is read: there few rows do.
//
//   contract(%x, (%q - %z) * %s)   ->   block_contract(digits(%x / scale), scale, sums(%x), words(%q), %s, %z)
//
// where zero points and scales are the same within blocks along what is summed. A block of a row becomes integers of
// three signed bytes, as many bits as an f32 has: their products with nibbles are exact, and so is a block's sum. What
// depends on weights only is prepared, and is no larger than they are but for scales of blocks.
#include "dialects/integers.h"
#include "passes/pass.h"
#include "passes/strata/contract.h"
#include "passes/target.h"

#include <string.h>

enum {
  NIBBLE = 4,
  NIBBLES = 8, // of a word
  QUAD = 4,
  HALVES = NIBBLES / QUAD,
  SIGN = 1 << (NIBBLE - 1),
  LARGEST = (1 << NIBBLE) - 1,
  BYTE = 8,
  BASE = 1 << BYTE,
  DIGITS = 3,
  MOST = 127 << (BYTE * (DIGITS - 1)), // of a number
};

typedef struct {
  int64_t columns, n_blocks, block;
  bool is_turned; // the weights are [k, n]
  int rank;       // 3: |dims|, columns and blocks or the other way round
  int64_t dims[3];
  MlirValue nibbles, zero, factor; // |zero| is null where there is none
  bool is_signed;
} weights_t;

//===-- Types ----------------------------------------------------------------------------------------------------===//

static bool is_float(MlirValue value) {
  strata_type_t type = strata_shape_of(value).type;
  return type == STRATA_TYPE_F32 || type == STRATA_TYPE_F16 || type == STRATA_TYPE_BF16;
}

// What is rounded to 16 bits, where the model has not asked for that as such: products take it as it is.
static MlirValue before_rounding(MlirValue value) {
  MlirOperation op = strata_def_if(value, STRATA_OP_CONVERT);
  bool is_rounding = !mlirOperationIsNull(op) && is_float(value) && !strata_attr_flag(op, STRATA_ROUNDS) &&
                     strata_shape_of(strata_operand(op, 0)).type == STRATA_TYPE_F32;
  return is_rounding ? strata_operand(op, 0) : value;
}

//===-- Weights --------------------------------------------------------------------------------------------------===//

static MlirValue through_reshape(MlirValue value) {
  MlirOperation reshape = strata_def_if(value, STRATA_OP_RESHAPE);
  return mlirOperationIsNull(reshape) ? value : strata_operand(reshape, 0);
}

// Whether all elements of a constant are whole numbers of 4 bits.
static bool has_nibbles(strata_rewriter_t *r, MlirValue constant, bool is_signed) {
  strata_shape_t shape = strata_shape_of(constant);
  const void *data;
  bool is_splat;
  int64_t count = strata_shape_count(&shape), low = is_signed ? -SIGN : 0;
  if (count < 1 || !strata_constant_bytes(r->compile, constant, &data, &is_splat))
    return false;
  for (int64_t i = 0; i < (is_splat ? 1 : count); i++) {
    double number;
    float single;
    if (shape.type == STRATA_TYPE_F32) {
      memcpy(&single, (const char *)data + i * (int64_t)sizeof single, sizeof single); // aligned to nothing in its file
      number = single;
    } else if (shape.type == STRATA_TYPE_I8) {
      number = is_signed ? ((const int8_t *)data)[i] : ((const uint8_t *)data)[i];
    } else {
      return false;
    }
    if (!(number >= low && number <= low + LARGEST) || number != (double)(int64_t)number)
      return false;
  }
  return true;
}

// Whether |value| is made of whole numbers of 4 bits alone.
static bool fits_nibbles(strata_rewriter_t *r, MlirValue value, bool is_signed, int depth) {
  MlirOperation op = strata_def(value);
  strata_scalar_t scalar;
  if (strata_shape_of(value).type == STRATA_TYPE_I4)
    return true;
  if (mlirOperationIsNull(op) || depth == 0)
    return false;
  switch ((int)strata_op_id(op)) {
  case STRATA_OP_CONSTANT:
    return has_nibbles(r, value, is_signed);
  case STRATA_OP_AND:
    return !is_signed && strata_splat_of(strata_operand(op, 1), &scalar) && scalar.i64 >= 0 && scalar.i64 <= LARGEST;
  case STRATA_OP_CONVERT:
    return is_signed && fits_nibbles(r, strata_operand(op, 0), is_signed, depth - 1);
  case STRATA_OP_CONVERT_U:
    return !is_signed && fits_nibbles(r, strata_operand(op, 0), is_signed, depth - 1);
  case STRATA_OP_CONCAT:
    return fits_nibbles(r, strata_operand(op, 0), is_signed, depth - 1) &&
           fits_nibbles(r, strata_operand(op, 1), is_signed, depth - 1);
  case STRATA_OP_BROADCAST:
  case STRATA_OP_RESHAPE:
  case STRATA_OP_SLICE:
  case STRATA_OP_TRANSPOSE:
    return fits_nibbles(r, strata_operand(op, 0), is_signed, depth - 1);
  default:
    return false;
  }
}

// (nibbles - zero) * factor, all of one shape.
static bool read_parts(strata_rewriter_t *r, MlirValue value, weights_t *w) {
  enum { DEPTH = 8 };
  MlirOperation mul = strata_def_if(value, STRATA_OP_MUL);
  if (mlirOperationIsNull(mul) || strata_shape_of(value).type != STRATA_TYPE_F32)
    return false;
  w->factor = strata_operand(mul, 1);
  MlirOperation sub = strata_def_if(strata_operand(mul, 0), STRATA_OP_SUB);
  w->zero = mlirOperationIsNull(sub) ? STRATA_NO_VALUE : strata_operand(sub, 1);
  MlirOperation conversion = strata_def(mlirOperationIsNull(sub) ? strata_operand(mul, 0) : strata_operand(sub, 0));
  strata_op_id_t id = mlirOperationIsNull(conversion) ? STRATA_OP_COUNT : strata_op_id(conversion);
  if (id != STRATA_OP_CONVERT && id != STRATA_OP_CONVERT_U)
    return false;
  w->is_signed = id == STRATA_OP_CONVERT;
  w->nibbles = strata_operand(conversion, 0);
  return strata_shape_of(w->nibbles).type == STRATA_TYPE_I4 &&
         (mlirValueIsNull(w->zero) || fits_nibbles(r, w->zero, w->is_signed, DEPTH));
}

//===-- Blocks ---------------------------------------------------------------------------------------------------===//

// The dim, of |rank|, that is walked within a block.
static int inner_dim(const weights_t *w, int rank) { return w->is_turned ? rank - 2 : rank - 1; }

// Whether |value| has one number for each block of each column.
static bool is_of_blocks(const weights_t *w, MlirValue value) {
  strata_scalar_t scalar;
  if (mlirValueIsNull(value) || strata_splat_of(value, &scalar))
    return true;
  int64_t sizes[STRATA_MAX_RANK];
  MlirValue source = through_reshape(value);
  MlirOperation broadcast = strata_def_if(source, STRATA_OP_BROADCAST);
  int rank = strata_sizes_of(source, sizes);
  if (mlirOperationIsNull(broadcast) || (rank != 2 && (rank != 3 || memcmp(sizes, w->dims, sizeof w->dims))))
    return false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(strata_map(broadcast)); i++)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(strata_map(broadcast), i), inner_dim(w, rank)))
      return false;
  return true;
}

static void set_block(weights_t *w, int64_t columns, int64_t n_blocks, int64_t block) {
  w->columns = columns;
  w->n_blocks = n_blocks;
  w->block = block;
  w->dims[0] = w->is_turned ? n_blocks : columns;
  w->dims[1] = w->is_turned ? block : n_blocks;
  w->dims[2] = w->is_turned ? columns : block;
}

// How long the blocks are: as what is broadcast to them says; where one number is for a whole column, as one likes.
static int64_t block_of(const weights_t *w, int64_t length) {
  enum { LONGEST = 128 };
  const MlirValue parts[2] = {w->factor, w->zero};
  int64_t sizes[STRATA_MAX_RANK], block = LONGEST;
  for (int i = 0; i < 2; i++)
    if (!mlirValueIsNull(parts[i]) && strata_sizes_of(through_reshape(parts[i]), sizes) == 3)
      return sizes[inner_dim(w, 3)];
  while (block > NIBBLES && length % block)
    block -= NIBBLES;
  return block;
}

// The weights of |columns| columns, each of |length| numbers.
static bool read_weights(strata_rewriter_t *r, MlirValue value, bool is_turned, weights_t *w) {
  int64_t sizes[STRATA_MAX_RANK], parts[STRATA_MAX_RANK];
  if (strata_sizes_of(value, sizes) != 2 || !strata_rewriter_is_constant(r, value))
    return false;
  MlirValue source = through_reshape(before_rounding(value));
  *w = (weights_t){.is_turned = is_turned, .rank = strata_sizes_of(source, parts)};
  if ((w->rank != 2 && w->rank != 3) || !read_parts(r, source, w))
    return false;
  int64_t columns = sizes[is_turned], length = sizes[!is_turned];
  int64_t block = w->rank == 3 ? parts[inner_dim(w, 3)] : block_of(w, length);
  if (block < NIBBLES || block % NIBBLES || length % block || length / block < 1)
    return false;
  set_block(w, columns, length / block, block);
  bool is_shaped = w->rank == 3 ? !memcmp(parts, w->dims, sizeof w->dims) : !memcmp(parts, sizes, 2 * sizeof *sizes);
  return is_shaped && is_of_blocks(w, w->factor) && is_of_blocks(w, w->zero);
}

//===-- Preparation ----------------------------------------------------------------------------------------------===//

typedef struct {
  strata_rewriter_t *r;
  const weights_t *w;
  int64_t lanes, n_strips; // columns of a strip
} packing_t;

static strata_builder_t *builder(const packing_t *p) { return &p->r->build; }

static MlirValue reshape(const packing_t *p, MlirValue value, int rank, const int64_t *sizes) {
  return strata_build_reshape_static(builder(p), value, rank, sizes);
}

// [columns, ...] -> [strips, ..., lanes], with zeros behind the last column.
static MlirValue in_strips(const packing_t *p, MlirValue value, int rank) {
  int64_t sizes[STRATA_MAX_RANK], low[STRATA_MAX_RANK] = {0}, high[STRATA_MAX_RANK] = {0}, order[STRATA_MAX_RANK];
  strata_sizes_of(value, sizes);
  high[0] = p->n_strips * p->lanes - sizes[0];
  if (high[0])
    value = strata_build_pad(builder(p), value, low, high, 0);
  for (int i = rank; i > 1; i--)
    sizes[i] = sizes[i - 1];
  sizes[0] = p->n_strips;
  sizes[1] = p->lanes;
  for (int i = 0; i < rank; i++)
    order[i] = i ? i + 1 : 0;
  order[rank] = 1;
  return strata_build_transpose(builder(p), reshape(p, value, rank + 1, sizes), order);
}

// What is the same within blocks, [columns, blocks].
static MlirValue of_blocks(const packing_t *p, MlirValue value) {
  const weights_t *w = p->w;
  int64_t starts[3] = {0}, steps[3] = {1, 1, 1}, sizes[3], flat[2] = {w->columns, w->n_blocks};
  const int64_t turn[2] = {1, 0}, turned[2] = {w->n_blocks, w->columns};
  memcpy(sizes, w->dims, sizeof sizes);
  sizes[inner_dim(w, 3)] = 1;
  value = strata_build_slice(builder(p), reshape(p, value, 3, w->dims), starts, steps, sizes);
  return w->is_turned ? strata_build_transpose(builder(p), reshape(p, value, 2, turned), turn)
                      : reshape(p, value, 2, flat);
}

// What each nibble of a word is multiplied by, along dims 2 and 3 of |shape|.
static MlirValue places(const packing_t *p, const strata_shape_t *shape) {
  static const int32_t numbers[QUAD][HALVES] = {{1, 1 << 4}, {1 << 8, 1 << 12}, {1 << 16, 1 << 20}, {1 << 24, 1 << 28}};
  const int64_t sizes[2] = {QUAD, HALVES};
  MlirContext context = p->r->compile->context;
  strata_shape_t own = strata_shape_static(context, STRATA_TYPE_I32, 2, sizes);
  const MlirAffineExpr exprs[2] = {mlirAffineDimExprGet(context, 2), mlirAffineDimExprGet(context, 3)};
  MlirValue constant = strata_build_constant(builder(p), &own, "places", numbers);
  return strata_build_broadcast(builder(p), constant, shape,
                                mlirAffineMapGet(context, shape->rank, 0, 2, (MlirAffineExpr *)(uintptr_t)exprs));
}

// Eight nibbles a word, unsigned: [columns, blocks, words].
static MlirValue words_of(const packing_t *p) {
  const weights_t *w = p->w;
  strata_builder_t *b = builder(p);
  const int64_t axes[2] = {2, 3}, turn[3] = {2, 0, 1};
  const int64_t split[5] = {w->columns, w->n_blocks, QUAD, HALVES, w->block / NIBBLES};
  MlirValue value = strata_build_convert(b, STRATA_OP_CONVERT_U, reshape(p, w->nibbles, 3, w->dims), STRATA_TYPE_I32);
  if (w->is_signed) {
    strata_shape_t shape = strata_shape_of(value);
    value = strata_build_binary(b, STRATA_OP_XOR, value, strata_build_splat_int(b, &shape, SIGN));
  }
  if (w->is_turned)
    value = strata_build_transpose(b, value, turn);
  value = reshape(p, value, 5, split);
  strata_shape_t shape = strata_shape_of(value);
  value = strata_build_binary(b, STRATA_OP_MUL, value, places(p, &shape));
  return strata_build_reduce(b, STRATA_COMBINER_ADD, value, 2, axes, false);
}

static MlirValue zeros_of(const packing_t *p) {
  const weights_t *w = p->w;
  strata_builder_t *b = builder(p);
  const int64_t sizes[2] = {w->columns, w->n_blocks};
  strata_shape_t shape = strata_shape_static(p->r->compile->context, STRATA_TYPE_F32, 2, sizes);
  int64_t shift = w->is_signed ? SIGN : 0;
  MlirValue zero = mlirValueIsNull(w->zero) ? strata_build_splat(b, &shape, 0) : of_blocks(p, w->zero);
  if (shift)
    zero = strata_build_binary(b, STRATA_OP_ADD, zero, strata_build_splat(b, &shape, (double)shift));
  return strata_build_convert(b, STRATA_OP_CONVERT_TO_U, zero, STRATA_TYPE_I8);
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

static MlirValue splat_like(const packing_t *p, MlirValue value, double number) {
  strata_shape_t shape = strata_shape_of(value);
  return strata_build_splat(builder(p), &shape, number);
}

static MlirValue with_number(const packing_t *p, strata_op_id_t op, MlirValue value, int64_t number) {
  strata_shape_t shape = strata_shape_of(value);
  return strata_build_binary(builder(p), op, value, strata_build_splat_int(builder(p), &shape, number));
}

// Takes the lowest digit, a byte with a sign, off whole numbers: the digit's bits.
static MlirValue take_digit(const packing_t *p, MlirValue *numbers) {
  MlirValue bits = with_number(p, STRATA_OP_AND, *numbers, BASE - 1);
  MlirValue rounded = with_number(p, STRATA_OP_ADD, *numbers, BASE / 2);
  *numbers = with_number(p, STRATA_OP_SHR, rounded, BYTE);
  return bits;
}

// The |number|-th quarters of blocks, [rows, blocks, words].
static MlirValue quarter_of(const packing_t *p, MlirValue x, strata_dim_t rows, int number) {
  MlirContext context = p->r->compile->context;
  const strata_dim_t zero = strata_dim_constant(context, 0), one = strata_dim_constant(context, 1),
                     blocks = strata_dim_constant(context, p->w->n_blocks),
                     words = strata_dim_constant(context, p->w->block / QUAD);
  const strata_dim_t starts[4] = {zero, zero, strata_dim_constant(context, number), zero};
  const strata_dim_t sizes[4] = {rows, blocks, one, words}, flat[3] = {rows, blocks, words};
  const int64_t steps[4] = {1, 1, 1, 1};
  return strata_build_reshape(builder(p), strata_build_slice_dims(builder(p), x, starts, steps, sizes), 3, flat);
}

// [rows, blocks] along [rows, blocks, ...].
static MlirValue along(const packing_t *p, MlirValue value, MlirValue like) {
  MlirContext context = p->r->compile->context;
  strata_shape_t shape = strata_shape_of(like);
  MlirAffineExpr exprs[2] = {mlirAffineDimExprGet(context, 0), mlirAffineDimExprGet(context, 1)};
  return strata_build_broadcast(builder(p), value, &shape, mlirAffineMapGet(context, shape.rank, 0, 2, exprs));
}

// Four numbers a word, one of each quarter, digit by digit: [1, rows, blocks, words] each.
static void add_quarter(const packing_t *p, MlirValue x, MlirValue inverse, int number, MlirValue *digits) {
  strata_builder_t *b = builder(p);
  MlirValue scaled = strata_build_binary(b, STRATA_OP_MUL, x, along(p, inverse, x));
  MlirValue whole = strata_build_unary(b, STRATA_OP_ROUND_EVEN, scaled);
  MlirValue numbers = strata_build_convert(b, STRATA_OP_CONVERT, whole, STRATA_TYPE_I32);
  for (int i = DIGITS; i-- > 0;) {
    MlirValue bits = with_number(p, STRATA_OP_SHL, take_digit(p, &numbers), BYTE * number);
    digits[i] = number ? strata_build_binary(b, STRATA_OP_OR, digits[i], bits) : bits;
  }
}

// The rows as the product takes them: digits, scales of blocks and sums of blocks.
static void split_rows(const packing_t *p, MlirValue x, strata_dim_t rows, MlirValue *out) {
  const double tiny = 1e-30; // a block of less is one of zeros
  strata_builder_t *b = builder(p);
  MlirContext context = p->r->compile->context;
  const int64_t axis = 2;
  const strata_dim_t one = strata_dim_constant(context, 1), blocks = strata_dim_constant(context, p->w->n_blocks),
                     words = strata_dim_constant(context, p->w->block / QUAD);
  const strata_dim_t whole[3] = {rows, blocks, strata_dim_constant(context, p->w->block)},
                     quarters[4] = {rows, blocks, strata_dim_constant(context, QUAD), words},
                     placed[4] = {one, rows, blocks, words};
  MlirValue of_blocks = strata_build_reshape(b, x, 3, whole), digits[DIGITS];
  MlirValue magnitude = strata_build_unary(b, STRATA_OP_ABS, of_blocks);
  MlirValue most = strata_build_reduce(b, STRATA_COMBINER_MAX, magnitude, 1, &axis, false);
  most = strata_build_binary(b, STRATA_OP_MAX, most, splat_like(p, most, tiny));
  out[1] = strata_build_binary(b, STRATA_OP_MUL, most, splat_like(p, most, 1.0 / MOST));
  out[2] = strata_build_reduce(b, STRATA_COMBINER_ADD, of_blocks, 1, &axis, false);
  MlirValue inverse = strata_build_binary(b, STRATA_OP_DIV, splat_like(p, most, MOST), most);
  x = strata_build_reshape(b, x, 4, quarters);
  for (int i = 0; i < QUAD; i++)
    add_quarter(p, quarter_of(p, x, rows, i), inverse, i, digits);
  for (int i = 0; i < DIGITS; i++)
    digits[i] = strata_build_reshape(b, digits[i], 4, placed);
  out[0] = strata_build_concat(b, DIGITS, digits, 0);
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// Rows times columns, the columns' dim the result's last one; of which operand the columns are.
static bool read_product(strata_rewriter_t *r, const strata_contract_t *c, weights_t *w, int *out_columns) {
  int k = c->result_rank, n = c->result_rank - 1;
  if (c->n_dims != k + 1 || n < 0 || c->type == STRATA_TYPE_F64)
    return false;
  for (int side = 1; side >= 0; side--) {
    bool are_rows = c->n_exprs[1 - side] == k && is_float(c->operands[1 - side]);
    for (int i = 0; are_rows && i < k; i++)
      are_rows = strata_expr_dim(c->exprs[1 - side][i]) == (i < n ? i : k);
    int place_n = strata_contract_position(c, side, n), place_k = strata_contract_position(c, side, k);
    *out_columns = side;
    if (are_rows && c->n_exprs[side] == 2 && place_n >= 0 && place_k >= 0 &&
        read_weights(r, c->operands[side], place_n == 1, w))
      return true;
  }
  return false;
}

// Whether a row's products are to be of bytes; rows that vary may be few.
static bool are_worthwhile(const strata_cpu_device_t *device, strata_dim_t rows) {
  enum { FEW = 16 };
  int64_t count;
  return device->quad_products || !strata_dim_is_constant(rows, &count) || count <= FEW;
}

static MlirValue without_padding(const packing_t *p, MlirValue result, const strata_contract_t *c, strata_dim_t rows) {
  MlirContext context = p->r->compile->context;
  const strata_dim_t zeros[2] = {strata_dim_constant(context, 0), strata_dim_constant(context, 0)},
                     sizes[2] = {rows, strata_dim_constant(context, p->w->columns)};
  const int64_t steps[2] = {1, 1};
  if (p->n_strips * p->lanes != p->w->columns)
    result = strata_build_slice_dims(builder(p), result, zeros, steps, sizes);
  return strata_build_reshape(builder(p), result, c->result_rank, c->dims);
}

static MlirValue multiply_blocks(strata_rewriter_t *r, MlirOperation op, strata_op_id_t id) {
  strata_contract_t c;
  weights_t w;
  int columns;
  const strata_cpu_device_t *device;
  if (id != STRATA_OP_CONTRACT || !strata_contract_read(r->compile, op, &c) || !read_product(r, &c, &w, &columns))
    return STRATA_NO_VALUE;
  r->build.status = strata_cpu_device(r->compile, &device);
  strata_dim_t rows = strata_dim_product(r->compile->context, c.result_rank - 1, c.dims);
  if (r->build.status || !are_worthwhile(device, rows))
    return STRATA_NO_VALUE;
  int64_t width = device->vector_bytes / (int64_t)sizeof(float);
  packing_t p = {.r = r, .w = &w, .lanes = strata_min(device->vector_bytes, strata_round_up(w.columns, width))};
  p.n_strips = strata_ceil_div(w.columns, p.lanes);
  MlirValue operands[6], x = strata_build_implied_convert(&r->build, c.operands[1 - columns], STRATA_TYPE_F32);
  split_rows(&p, x, rows, operands);
  operands[3] = in_strips(&p, words_of(&p), 3);
  operands[4] = in_strips(&p, of_blocks(&p, w.factor), 2);
  operands[5] = in_strips(&p, zeros_of(&p), 2);
  if (r->build.status)
    return STRATA_NO_VALUE;
  MlirValue result = without_padding(&p, strata_build_block_contract(&r->build, operands), &c, rows);
  return strata_build_implied_convert(&r->build, result, c.type);
}

strata_status_t strata_pass_block_products(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile) || !strata_may_sum_as_bytes(compile))
    return NULL;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  return device->quad_products || device->has_byte_pairs ? strata_rewrite(compile, multiply_blocks) : NULL;
}
