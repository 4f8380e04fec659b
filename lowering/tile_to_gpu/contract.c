// vector.contract: which layouts its values have.
//
// The sum is in the fragments of the matrix instruction, spread so that a thread holds neighbours
// (contract_fragments.c). Where the schedule has more warps than the tile, they split every step, and share the sums at
// the end: small products have more loads under way so. Operands come from memory in 16-byte pieces along the dim that
// is contiguous there. The loop around the contraction (contract_loop.c) does the rest.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/affine/schedule.h"
#include "dialects/affine/simplify.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/access.h"
#include "lowering/tile_to_gpu/operand.h"
#include "lowering/tile_to_gpu/parts.h"
#include "lowering/tile_to_gpu/values.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, WARP = 32 };

//===-- Fragments ------------------------------------------------------------------------------------------------===//

// Threads of a warp that has a tile of its own.
static int64_t lanes_of(const strata_product_t *p) { return p->mma ? p->mma->layout->lanes : WARP; }

static void push_warps(const strata_product_t *p, strata_layout_t *layout, int row_dim, int column_dim) {
  strata_layout_push_thread(layout, column_dim, p->warps[COLUMN], p->warp_tile[COLUMN]);
  strata_layout_push_thread(layout, row_dim, p->warps[ROW], p->warp_tile[ROW]);
}

// Of a side's fragment. The warps of a split have a part of the step each.
static void push_operand_warps(const strata_product_t *p, int side, int64_t steps, strata_layout_t *fragment) {
  push_warps(p, fragment, side == ROW ? 0 : STRATA_COPIES, side == COLUMN ? 0 : STRATA_COPIES);
  strata_layout_push_thread(fragment, STEP, p->split, steps / p->split);
}

// The slowest register digits of the partial sums go to the warps of the split: each adds up its share.
static void share_sums(strata_product_t *p) {
  p->layout = p->partial;
  int64_t rest = p->split;
  while (rest > 1 && p->layout.n_reg > 0) {
    strata_digit_t *digit = &p->layout.reg[p->layout.n_reg - 1];
    int64_t taken = strata_min(rest, digit->extent);
    digit->extent /= taken;
    strata_layout_push_thread(&p->layout, digit->dim, taken, digit->stride * digit->extent);
    p->layout.n_reg -= digit->extent == 1;
    rest /= taken;
  }
  strata_layout_push_thread(&p->layout, STRATA_COPIES, rest, 0);
  strata_layout_push_thread(&p->partial, STRATA_COPIES, p->split, 0);
}

// Four matrices at once: of the left operand a fragment's, of the right one those of two fragments.
static void matrix_layout(strata_product_t *p, int side) {
  strata_shared_operand_t *operand = &p->operands[side];
  strata_layout_t *matrices = &operand->matrices;
  int64_t chunk = strata_product_chunk(p);
  strata_layout_push_reg(matrices, 0, 2, 2);
  strata_layout_push_reg(matrices, 0, p->warp_tile[side] / STRATA_MMA_BLOCK, STRATA_MMA_BLOCK);
  strata_layout_push_reg(matrices, STEP, operand->steps / p->split / chunk, chunk);
  strata_layout_push_thread(matrices, 0, 8, 4);
  for (int i = 0; i < 2; i++)
    if ((i == 0) == (side == ROW))
      strata_layout_push_thread(matrices, 0, 2, 1);
    else
      strata_layout_push_thread(matrices, STEP, 2, 4 * operand->word);
  push_operand_warps(p, side, operand->steps, matrices);
}

static void mma_layouts(strata_product_t *p) {
  strata_product_mma_layouts(p);
  push_warps(p, &p->partial, ROW, COLUMN);
  for (int side = 0; side < 2; side++) {
    push_operand_warps(p, side, p->operands[side].steps, &p->operands[side].fragment);
    if (strata_product_has_scales(p, side))
      push_operand_warps(p, side, p->scales[side].steps, &p->scales[side].fragment);
    if (p->mma->layout->has_matrices)
      matrix_layout(p, side);
    if (strata_product_loads_crossed(p, side)) {
      strata_product_crossed_layout(p, side, &p->operands[side].crossed);
      push_operand_warps(p, side, p->operands[side].steps, &p->operands[side].crossed);
    }
  }
}

// Threads of a warp are 4 x 8; each takes blocks of 4 x 4 elements.
void strata_product_fma_layouts(strata_product_t *p) {
  static const int64_t threads[2] = {4, 8};
  strata_layout_t *sum = &p->partial;
  strata_layout_push_reg(sum, COLUMN, 4, 1);
  strata_layout_push_reg(sum, COLUMN, p->warp_tile[COLUMN] / 32, 32);
  strata_layout_push_reg(sum, ROW, 4, 1);
  strata_layout_push_reg(sum, ROW, p->warp_tile[ROW] / 16, 16);
  strata_layout_push_thread(sum, COLUMN, threads[COLUMN], 4);
  strata_layout_push_thread(sum, ROW, threads[ROW], 4);
  push_warps(p, sum, ROW, COLUMN);
  for (int side = 0; side < 2; side++) {
    strata_layout_t *fragment = &p->operands[side].fragment;
    int64_t block = 4 * threads[side];
    strata_layout_push_reg(fragment, 0, 4, 1);
    strata_layout_push_reg(fragment, 0, p->warp_tile[side] / block, block);
    strata_layout_push_reg(fragment, STEP, p->operands[side].steps / p->split, 1);
    strata_layout_push_thread(fragment, side == COLUMN ? 0 : STRATA_COPIES, threads[COLUMN], 4);
    strata_layout_push_thread(fragment, side == ROW ? 0 : STRATA_COPIES, threads[ROW], 4);
    push_operand_warps(p, side, p->operands[side].steps, fragment);
  }
}

//===-- Operands -------------------------------------------------------------------------------------------------===//

// True if a contraction computes what |value| is made of.
static bool is_of_product(MlirValue value) {
  MlirOperation op = strata_def(value);
  if (mlirOperationIsNull(op) || strata_op_is(op, "vector.contract"))
    return !mlirOperationIsNull(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_of_product(mlirOperationGetOperand(op, i)))
      return true;
  return false;
}

// The widest load of both dims behind an operand; a null operation if there is none.
static MlirOperation main_load(MlirValue value) {
  MlirOperation best = {0};
  int64_t best_bytes = 0;
  if (!mlirValueIsAOpResult(value))
    return best;
  MlirOperation op = mlirOpResultGetOwner(value);
  MlirType type = mlirValueGetType(value);
  if (strata_op_is(op, "tile.load"))
    return mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) == 2 ? op : best;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirOperation load = main_load(mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(load))
      continue;
    int64_t bytes = strata_element_bytes(strata_type_element(mlirValueGetType(mlirOperationGetResult(load, 0))));
    best = bytes > best_bytes ? load : best;
    best_bytes = strata_max(bytes, best_bytes);
  }
  return best;
}

// How many elements along the steps lie beside one another at a time where they do not all: a run of a dim that the
// reduction's number is a digit of, as in patches of an image.
static int64_t run_width(const strata_gpu_box_t *box, int64_t most) {
  MlirContext context = box->space.d->e.context;
  int n_dims = box->space.n_dims, rest = n_dims;
  MlirAffineExpr dims[STRATA_INDEX_DIMS];
  int64_t step;
  if (n_dims >= STRATA_INDEX_DIMS)
    return 1;
  for (int64_t width = most; width > 1; width /= 2) {
    strata_static_space_t known;
    strata_index_known(&box->space, &known);
    for (int i = 0; i < n_dims; i++)
      dims[i] = mlirAffineDimExprGet(context, i);
    dims[STEP] = mlirAffineAddExprGet(mlirAffineMulExprGet(dims[STEP], mlirAffineConstantExprGet(context, width)),
                                      mlirAffineDimExprGet(context, rest));
    known.sizes[STEP] = strata_size_ceil_div(known.sizes[STEP], width);
    known.sizes[rest] = strata_size_constant(width);
    known.space.n_dims = n_dims + 1;
    MlirAffineMap map = mlirAffineMapGet(context, n_dims + 1, STRATA_INDEX_SYMBOLS, n_dims, dims);
    MlirAffineExpr position = strata_affine_simplify(mlirAffineExprCompose(box->position, map), &known.space);
    dims[STEP] = mlirAffineDimExprGet(context, STEP);
    MlirAffineExpr start = mlirAffineAddExprGet(
        position, mlirAffineMulExprGet(mlirAffineDimExprGet(context, rest), mlirAffineConstantExprGet(context, -1)));
    start = strata_affine_simplify(start, &known.space);
    if (strata_affine_coefficient(position, rest, &step) && step == 1 &&
        strata_index_is_multiple(&box->space, start, width))
      return width;
  }
  return 1;
}

strata_status_t strata_operand_source(strata_gpu_distribution_t *d, MlirValue value, int *out_dim, int64_t *out_width) {
  MlirOperation load = is_of_product(value) ? (MlirOperation){0} : main_load(value);
  *out_dim = STEP;
  *out_width = 1;
  if (mlirOperationIsNull(load))
    return NULL;
  strata_gpu_box_t box;
  MlirType type = mlirValueGetType(mlirOperationGetResult(load, 0));
  STRATA_TRY(strata_gpu_box_read(d, load, 0, type, &box));
  int dim = strata_gpu_box_contiguous(&box);
  int64_t most = STRATA_VECTOR_BYTES / strata_element_bytes(strata_type_element(type));
  if (dim < 0) {
    *out_width = run_width(&box, most);
    return NULL;
  }
  *out_dim = dim;
  *out_width = strata_gpu_box_width(&box, dim, most);
  if (strata_gpu_is_shifted(load, 0, *out_width))
    *out_width = most;
  return NULL;
}

static strata_layout_t load_layout(const strata_shared_operand_t *operand, int64_t group, bool along_steps,
                                   int64_t width) {
  const int orders[2][2] = {{0, STEP}, {STEP, 0}};
  while (width > 1 && operand->rows * operand->steps / width < group)
    width /= 2;
  return strata_layout_build(2, (int64_t[]){operand->rows, operand->steps}, group, orders[along_steps], width);
}

// A lane has eight steps of a row, lanes beside one another rows beside one another.
static strata_layout_t turned_layout(const strata_shared_operand_t *operand, int64_t group) {
  strata_layout_t layout = {0};
  int64_t rows = strata_min(operand->rows, group), steps = STRATA_TURNED_LANES * (group / rows);
  strata_layout_push_reg(&layout, STEP, STRATA_TURNED_LANES, 1);
  strata_layout_push_thread(&layout, 0, rows, 1);
  strata_layout_push_thread(&layout, STEP, group / rows, STRATA_TURNED_LANES);
  strata_layout_push_reg(&layout, STEP, operand->steps / steps, steps);
  strata_layout_push_reg(&layout, 0, operand->rows / rows, rows);
  return layout;
}

// Whether an operand whose vectors of |width| lie across the reduction comes from memory as if it lay along it: all
// lanes load, so it hangs over nothing.
static bool is_turned(const strata_product_t *p, const strata_shared_operand_t *operand, int64_t group, int64_t width) {
  MlirOperation load = strata_operand_load(operand);
  if (!p->mma || !strata_mma_loads_turned(p->mma) || mlirOperationIsNull(load) || !strata_op_is(load, "tile.load"))
    return false;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetOperand(load, 0)));
  return mlirTypeEqual(element, operand->element) && width == STRATA_TURNED_LANES &&
         mlirAttributeIsNull(strata_attr(load, "mask")) && mlirAttributeIsNull(strata_attr(load, "pad")) &&
         strata_is_power_of_two(operand->rows) && strata_is_power_of_two(operand->steps) &&
         operand->rows >= STRATA_TURNED_LANES && operand->rows * operand->steps >= STRATA_TURNED_LANES * group;
}

// Rows and steps of what |value| is, of whose rows a thread takes |word| elements at once.
static void read_sizes(MlirValue value, int64_t word, strata_shared_operand_t *out) {
  MlirType type = mlirValueGetType(value);
  *out = (strata_shared_operand_t){.value = value,
                                   .element = mlirShapedTypeGetElementType(type),
                                   .element_bytes = strata_element_bytes(mlirShapedTypeGetElementType(type)),
                                   .rows = mlirShapedTypeGetDimSize(type, 0),
                                   .steps = mlirShapedTypeGetDimSize(type, 1),
                                   .word = word};
}

// Scales lie row beside row, as lanes beside one another read them.
static strata_status_t read_scales(strata_gpu_distribution_t *d, MlirOperation op, MlirValue value,
                                   strata_shared_operand_t *out) {
  int dim;
  int64_t width;
  read_sizes(value, 1, out);
  out->form = STRATA_BY_STEP;
  STRATA_TRY(strata_operand_source(d, value, &dim, &width));
  out->load = load_layout(out, strata_gpu_group_of(d, op), dim == STEP, width);
  return NULL;
}

static strata_status_t read_operand(strata_gpu_distribution_t *d, MlirOperation op, int side, strata_product_t *p) {
  MlirValue value = mlirOperationGetOperand(op, side);
  MlirOperation scaled = strata_def_named(value, STRATA_TILE_SCALED);
  if (!mlirOperationIsNull(scaled)) {
    value = mlirOperationGetOperand(scaled, 0);
    STRATA_TRY(read_scales(d, op, mlirOperationGetOperand(scaled, 1), &p->scales[side]));
  }
  MlirType type = mlirValueGetType(value);
  if (mlirShapedTypeGetRank(type) != 2)
    return strata_gpu_missing(op, "an operand that is no matrix");
  strata_shared_operand_t *operand = &p->operands[side];
  read_sizes(value, p->mma ? strata_mma_run(p->mma) * p->together : 1, operand);
  int dim;
  int64_t width;
  STRATA_TRY(strata_operand_source(d, value, &dim, &width));
  int64_t group = strata_gpu_group_of(d, op);
  operand->is_turned = dim != STEP && is_turned(p, operand, group, width);
  operand->form = !p->mma ? STRATA_BY_STEP : dim == STEP || operand->is_turned ? STRATA_BY_ROW : STRATA_ACROSS;
  operand->load = operand->is_turned ? turned_layout(operand, group) : load_layout(operand, group, dim == STEP, width);
  p->warp_tile[side] = operand->rows / p->warps[side];
  return NULL;
}

// Instructions along the reduction whose fragments a thread has beside one another. Of a left operand that is made of
// another contraction's sums as many as a thread has neighbours of these for.
static int64_t together_of(MlirOperation op, const strata_mma_t *mma) {
  MlirValue left = mlirOperationGetOperand(op, ROW);
  MlirType type = mlirValueGetType(left);
  if (!mma || mlirShapedTypeGetRank(type) != 2)
    return 1;
  int64_t together = is_of_product(left)
                         ? strata_product_sum_run(mma) / strata_mma_run(mma)
                         : strata_mma_together(mma, strata_element_bytes(mlirShapedTypeGetElementType(type)));
  return strata_max(strata_min(together, mlirShapedTypeGetDimSize(type, STEP) / mma->k), 1);
}

static int64_t count_steps(MlirOperation op, const strata_product_t *p) {
  MlirAttribute steps = strata_attr(op, "tile.steps");
  return mlirAttributeIsNull(steps) ? p->operands[0].steps : mlirIntegerAttrGetValueInt(steps);
}

static strata_status_t check_tiles(const strata_gpu_distribution_t *d, MlirOperation op, const strata_product_t *p) {
  int64_t chunk = strata_product_chunk(p);
  const int64_t least_tile[2] = {p->mma ? STRATA_MMA_BLOCK : 16, STRATA_MMA_BLOCK};
  int64_t group = strata_gpu_group_of(d, op);
  bool is_block =
      group == d->role.threads || d->plan.has_parts; // of another product's launch blocks have several tiles
  if (p->warps[0] * p->warps[1] * p->split * lanes_of(p) != group || !is_block || !strata_is_power_of_two(p->split))
    return strata_gpu_missing(op, "a schedule whose warps are not all of its threads");
  for (int side = 0; side < 2; side++)
    if (!strata_is_power_of_two(p->warps[side]) || !strata_is_power_of_two(p->warp_tile[side]) ||
        p->warp_tile[side] < least_tile[side] || !strata_is_power_of_two(p->operands[side].steps) ||
        p->operands[side].steps < chunk * p->split)
      return strata_gpu_missing(op, "a tile that is no power of two or too small");
  return NULL;
}

strata_status_t strata_product_read(strata_gpu_distribution_t *d, MlirOperation op, strata_product_t *out_product) {
  strata_schedule_t schedule = strata_gpu_schedule_of(d, op);
  strata_product_t *p = out_product;
  MlirAttribute mma = strata_attr(op, "tile.mma");
  if (!strata_op_is(op, "vector.contract") || !schedule.warps[0] || !schedule.warps[1])
    return strata_gpu_missing(op, "a contraction without a schedule");
  *p = (strata_product_t){.mma = mlirAttributeIsNull(mma) ? NULL : strata_mma_named(mlirStringAttrGetValue(mma)),
                          .warps = {schedule.warps[0], schedule.warps[1]},
                          .sum = mlirShapedTypeGetElementType(mlirValueGetType(mlirOperationGetResult(op, 0)))};
  if (p->mma && !strata_mma_is_of(p->mma, d->device->mma))
    return strata_gpu_missing(op, "a matrix instruction that the device lacks");
  p->split = strata_gpu_group_of(d, op) / (p->warps[0] * p->warps[1] * lanes_of(p));
  if (!p->mma && !mlirAttributeIsNull(mma))
    return strata_gpu_missing(op, "this matrix instruction");
  p->together = together_of(op, p->mma);
  for (int side = 0; side < 2; side++)
    STRATA_TRY(read_operand(d, op, side, p));
  if (strata_product_is_scaled(p) && (!p->mma || !strata_mma_scale_block(p->mma)))
    return strata_gpu_missing(op, "scales of operands whose instruction takes none");
  p->n_steps = count_steps(op, p);
  STRATA_TRY(check_tiles(d, op, p));
  if (p->mma)
    mma_layouts(p);
  else
    strata_product_fma_layouts(p);
  share_sums(p);
  return NULL;
}

//===-- Rounding -------------------------------------------------------------------------------------------------===//

// To the nearest number of 11 bits, as tf32 has; matrix instructions cut off the rest. Infinity and NaN stay.
static MlirValue round_tf32(strata_emitter_t *e, MlirValue value) {
  enum { HALF_ULP = 0x1000, EXPONENT = 0x7f800000 };
  MlirType i32 = mlirIntegerTypeGet(e->context, 32);
  MlirValue bits = strata_emit_cast(e, "arith.bitcast", value, i32), exponent = strata_emit_integer(e, i32, EXPONENT);
  MlirValue up = strata_emit_binary(e, "arith.addi", bits, strata_emit_integer(e, i32, HALF_ULP));
  MlirValue is_finite = strata_emit_cmpi(e, STRATA_NE, strata_emit_binary(e, "arith.andi", bits, exponent), exponent);
  return strata_emit_cast(e, "arith.bitcast", strata_emit_select(e, is_finite, up, bits), mlirValueGetType(value));
}

strata_registers_t strata_operand_rounded(strata_gpu_distribution_t *d, const strata_mma_t *mma,
                                          const strata_registers_t *from) {
  strata_registers_t out = strata_registers_in(d, from->type, &from->layout);
  bool is_tf32 = mma && strata_mma_rounds(mma);
  for (int64_t i = 0; i < out.count; i++)
    out.values[i] = is_tf32 ? round_tf32(&d->e, from->values[i]) : from->values[i];
  return out;
}

//===-- The op ---------------------------------------------------------------------------------------------------===//

bool strata_product_holds_left(MlirOperation op, const strata_product_t *p) {
  MlirOperation loop = mlirOperationGetParentOperation(op), source = strata_def(mlirOperationGetOperand(op, ROW));
  const strata_shared_operand_t *left = &p->operands[ROW];
  return p->mma && left->form == STRATA_BY_ROW &&
         strata_mma_left_registers(p->mma, p->warp_tile[ROW], left->steps, left->element_bytes) <= STRATA_MMA_HELD &&
         strata_op_is(loop, "scf.for") && !strata_attr_flag(loop, "tile.pipeline") && !mlirOperationIsNull(source) &&
         !mlirOperationEqual(mlirOperationGetParentOperation(source), loop);
}

// Of an operand with scales: of what is scaled, and of the scales.
static void fix_scaled(strata_gpu_distribution_t *d, const strata_product_t *product, int side) {
  if (!strata_product_has_scales(product, side))
    return;
  strata_layout_fix(d, product->operands[side].value, &product->operands[side].load);
  strata_layout_fix(d, product->scales[side].value, &product->scales[side].load);
}

strata_status_t strata_product_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op) {
  strata_product_t product;
  STRATA_TRY(strata_product_read(d, op, &product));
  strata_layout_fix(d, mlirOperationGetResult(op, 0), &product.layout);
  for (int side = 0; side < 2; side++)
    if (!is_of_product(mlirOperationGetOperand(op, side))) { // else it has that one's layout
      const strata_shared_operand_t *operand = &product.operands[side];
      bool is_held = side == ROW && strata_product_holds_left(op, &product);
      strata_layout_fix(d, mlirOperationGetOperand(op, side), is_held ? &operand->fragment : &operand->load);
      strata_gpu_record_of(d, mlirOperationGetOperand(op, side))->is_turned = operand->is_turned && !is_held;
      fix_scaled(d, &product, side);
    }
  return NULL;
}
