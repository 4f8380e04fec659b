// The layouts of products on matrix instructions, from what mma.def says of one.
//
// A warp's tile is blocks of 32 x 32 elements, each so many instructions along rows and columns. Which of the block's
// rows and columns are an instruction's is free, and chosen so that a thread holds neighbours: bit by bit of a row's
// number in the block, from the lowest on,
//
//   what a thread has of an operand's row in registers of one fragment
//   the instructions along it: a thread reads these together where they lie beside one another
//   what it has in registers of the sum alone
//   what is a lane's
//
// Where loads cross an operand, rows of four lanes, of bytes eight, have to lie beside one another. If what a thread
// has of the sum would part them, a block's rows are in order instead, instruction by instruction.
//
// With m16n8k16, four instructions interlaced along the columns give each thread eight columns beside one another, and
// two along the rows four rows. Along the reduction fragments of several instructions lie beside one another where
// one's are less than a load brings; as both operands have it so, the product is the same.
#include "lowering/tile_to_gpu/contract.h"

#include "dialects/integers.h"

enum { ROW = 0, COLUMN = 1, STEP = 1, BLOCK = STRATA_MMA_BLOCK, BITS = 6, NEIGHBOURS = 4 };

//===-- Rows and columns of a block ------------------------------------------------------------------------------===//

// Where bit |i| of an instruction's row (or column) goes in the block, and the next instruction.
typedef struct {
  int64_t bits[BITS], tile, n_tiles;
  bool is_in_order;
} spread_t;

static int bit_of(int64_t power) { return __builtin_ctzll((uint64_t)power); }

// Bits of |digits| along |dim| that have no place yet.
static int64_t place_bits(const strata_mma_digit_t *digits, int dim, int64_t next, spread_t *s) {
  for (; digits->extent; digits++)
    for (int64_t bit = 1; bit < digits->extent && digits->dim == dim; bit *= 2) {
      int64_t *place = &s->bits[bit_of(bit * digits->stride)];
      if (*place)
        continue;
      *place = next;
      next *= 2;
    }
  return next;
}

static spread_t interlaced(const strata_mma_t *mma, int side) {
  const strata_mma_layout_t *layout = mma->layout;
  spread_t s = {.n_tiles = BLOCK / (side == ROW ? mma->m : mma->n)};
  s.tile = place_bits(layout->operands[side].reg, 0, 1, &s);
  int64_t next = place_bits(layout->sum.reg, side, s.tile * s.n_tiles, &s);
  place_bits(layout->sum.thread, side, next, &s);
  return s;
}

static spread_t in_order(const strata_mma_t *mma, int side) {
  int64_t tile = side == ROW ? mma->m : mma->n;
  spread_t s = {.tile = tile, .n_tiles = BLOCK / tile, .is_in_order = true};
  for (int bit = 0; bit < BITS; bit++)
    s.bits[bit] = INT64_C(1) << bit;
  return s;
}

// A coordinate of an instruction in its block.
static int64_t spread(const spread_t *s, int64_t coordinate) {
  int64_t result = 0;
  for (int bit = 0; bit < BITS; bit++)
    result += (coordinate >> bit & 1) * s->bits[bit];
  return result;
}

int64_t strata_operand_crossed(const strata_shared_operand_t *operand) {
  return STRATA_CROSSED_BYTES / operand->element_bytes;
}

// True if the rows of as many lanes lie beside one another.
static bool are_beside(const spread_t *s, int64_t lanes) { return spread(s, lanes - 1) == lanes - 1; }

static bool may_load_crossed(const strata_product_t *p, int side) {
  return p->operands[side].form == STRATA_ACROSS && strata_mma_loads_crossed(p->mma);
}

static spread_t spread_of(const strata_product_t *p, int side) {
  spread_t s = interlaced(p->mma, side);
  bool parts_lanes = may_load_crossed(p, side) && !are_beside(&s, strata_operand_crossed(&p->operands[side]));
  return parts_lanes ? in_order(p->mma, side) : s;
}

//===-- Digits ---------------------------------------------------------------------------------------------------===//

typedef void push_t(strata_layout_t *layout, int dim, int64_t extent, int64_t stride);

// A digit of an instruction's rows, in the block: several digits, where its bits do not stay beside one another. Those
// that go below |from| are left out.
static void push_spread(strata_layout_t *layout, push_t *push, int dim, const strata_mma_digit_t *digit,
                        const spread_t *s, int64_t from) {
  int64_t extent = 1, stride = 0;
  for (int64_t bit = 1; bit < digit->extent; bit *= 2) {
    int64_t place = s->bits[bit_of(bit * digit->stride)];
    if (place < from)
      continue;
    if (extent > 1 && place != stride * extent) {
      push(layout, dim, extent, stride);
      extent = 1;
    }
    stride = extent > 1 ? stride : place;
    extent *= 2;
  }
  push(layout, dim, extent, stride);
}

// Neighbours that a thread has of an operand, and of the sum, up to four of which are one digit.
static int64_t neighbours(const spread_t *s) { return s->is_in_order ? 1 : s->tile * s->n_tiles; }

// The block's instructions, where they do not interlace.
static void push_tiles(const spread_t *s, int dim, strata_layout_t *layout) {
  if (s->is_in_order)
    strata_layout_push_reg(layout, dim, s->n_tiles, s->tile);
}

static int64_t sum_neighbours(const strata_mma_t *mma, int side, const spread_t *s, int64_t most) {
  int64_t n = neighbours(s);
  for (const strata_mma_digit_t *digit = mma->layout->sum.reg; digit->extent; digit++)
    for (int64_t bit = 1; bit < digit->extent && digit->dim == side; bit *= 2)
      n *= n < most && s->bits[bit_of(bit * digit->stride)] == n ? 2 : 1;
  return n;
}

int64_t strata_product_sum_run(const strata_mma_t *mma) {
  spread_t s = interlaced(mma, COLUMN);
  return sum_neighbours(mma, COLUMN, &s, BLOCK);
}

static void push_sum(const strata_product_t *p, const spread_t *spreads, strata_layout_t *sum) {
  const strata_mma_fragment_t *fragment = &p->mma->layout->sum;
  for (int side = COLUMN; side >= ROW; side--) {
    int64_t n = sum_neighbours(p->mma, side, &spreads[side], NEIGHBOURS);
    strata_layout_push_reg(sum, side, n, 1);
    for (const strata_mma_digit_t *digit = fragment->reg; digit->extent; digit++)
      if (digit->dim == side)
        push_spread(sum, strata_layout_push_reg, side, digit, &spreads[side], n);
    push_tiles(&spreads[side], side, sum);
  }
  for (int side = COLUMN; side >= ROW; side--)
    strata_layout_push_reg(sum, side, p->warp_tile[side] / BLOCK, BLOCK);
  for (const strata_mma_digit_t *digit = fragment->thread; digit->extent; digit++)
    push_spread(sum, strata_layout_push_thread, digit->dim, digit, &spreads[digit->dim], 1);
}

// But for those of a word.
static void push_operand_registers(const strata_product_t *p, int side, const spread_t *s, strata_layout_t *layout) {
  const strata_shared_operand_t *operand = &p->operands[side];
  const strata_mma_fragment_t *fragment = &p->mma->layout->operands[side];
  int64_t chunk = strata_product_chunk(p);
  for (const strata_mma_digit_t *digit = fragment->reg; digit->extent; digit++)
    if (digit->dim == STEP)
      strata_layout_push_reg(layout, STEP, digit->extent, digit->stride * operand->word);
  strata_layout_push_reg(layout, 0, neighbours(s), 1);
  push_tiles(s, 0, layout);
  strata_layout_push_reg(layout, 0, p->warp_tile[side] / BLOCK, BLOCK);
  strata_layout_push_reg(layout, STEP, operand->steps / p->split / chunk, chunk);
}

static void push_operand_lanes(const strata_product_t *p, int side, const strata_mma_digit_t *digit, const spread_t *s,
                               strata_layout_t *layout) {
  for (; digit->extent; digit++)
    if (digit->dim == STEP)
      strata_layout_push_thread(layout, STEP, digit->extent, digit->stride * p->operands[side].word);
    else if (digit->dim == 0)
      push_spread(layout, strata_layout_push_thread, 0, digit, s, 1);
    else
      strata_layout_push_thread(layout, STRATA_COPIES, digit->extent, 0);
}

static void push_operand(const strata_product_t *p, int side, const spread_t *s, strata_layout_t *layout) {
  strata_layout_push_reg(layout, STEP, p->operands[side].word, 1);
  push_operand_registers(p, side, s, layout);
  push_operand_lanes(p, side, p->mma->layout->operands[side].thread, s, layout);
}

// A thread has the scale of the block whose number along the reduction is its own.
static void push_scales(const strata_product_t *p, int side, const spread_t *s, strata_layout_t *layout) {
  const strata_mma_fragment_t *fragment = &p->mma->layout->operands[side];
  int64_t blocks = strata_product_chunk(p) / strata_mma_scale_block(p->mma);
  strata_layout_push_reg(layout, 0, neighbours(s), 1);
  push_tiles(s, 0, layout);
  strata_layout_push_reg(layout, 0, p->warp_tile[side] / BLOCK, BLOCK);
  strata_layout_push_reg(layout, STEP, p->scales[side].steps / p->split / blocks, blocks);
  for (const strata_mma_digit_t *digit = fragment->thread; digit->extent; digit++)
    if (digit->dim == STEP)
      strata_layout_push_thread(layout, STEP, digit->extent, digit->stride);
    else
      push_spread(layout, strata_layout_push_thread, 0, digit, s, 1);
}

//===-- Crossed loads --------------------------------------------------------------------------------------------===//

// Sixteen lanes load a matrix of sixteen rows and, of 16 bits, four steps: a lane names four rows of a step, and has
// four steps of the row that is its own in a fragment. Of bytes these are eight. So rows of as many lanes have to lie
// beside one another.
bool strata_product_loads_crossed(const strata_product_t *p, int side) {
  const strata_mma_digit_t *lanes = p->mma->layout->operands[side].thread;
  return may_load_crossed(p, side) && lanes->dim == ROW && lanes->stride == 1 &&
         lanes->extent >= STRATA_CROSSED_LANES &&
         strata_mma_run(p->mma) % strata_operand_crossed(&p->operands[side]) == 0;
}

void strata_product_crossed_layout(const strata_product_t *p, int side, strata_layout_t *layout) {
  spread_t s = spread_of(p, side);
  const strata_mma_digit_t *lanes = p->mma->layout->operands[side].thread;
  int64_t n = strata_operand_crossed(&p->operands[side]);
  const strata_mma_digit_t names = {ROW, STRATA_CROSSED_LANES / n, n};
  const strata_mma_digit_t others = {ROW, lanes->extent / STRATA_CROSSED_LANES, STRATA_CROSSED_LANES};
  strata_layout_push_reg(layout, STEP, p->operands[side].word / n, n);
  push_operand_registers(p, side, &s, layout);
  push_spread(layout, strata_layout_push_thread, ROW, &names, &s, 1);
  strata_layout_push_thread(layout, STEP, n, 1);
  push_spread(layout, strata_layout_push_thread, ROW, &others, &s, 1);
  push_operand_lanes(p, side, lanes + 1, &s, layout);
}

void strata_product_mma_layouts(strata_product_t *p) {
  spread_t spreads[2] = {spread_of(p, ROW), spread_of(p, COLUMN)};
  push_sum(p, spreads, &p->partial);
  for (int side = 0; side < 2; side++) {
    push_operand(p, side, &spreads[side], &p->operands[side].fragment);
    if (strata_product_has_scales(p, side))
      push_scales(p, side, &spreads[side], &p->scales[side].fragment);
  }
}

//===-- Registers of fragments -----------------------------------------------------------------------------------===//

int64_t strata_product_chunk(const strata_product_t *p) { return p->mma ? p->mma->k * p->together : 1; }

int64_t strata_product_tiles(const strata_product_t *p, int side) {
  return p->warp_tile[side] / (side == ROW ? p->mma->m : p->mma->n);
}

// The register of |layout| at a thread's coordinates.
static int64_t register_at(const strata_layout_t *layout, const int64_t *coordinates) {
  int64_t reg = 0, scale = 1;
  for (int i = 0; i < layout->n_reg; i++) {
    const strata_digit_t *digit = &layout->reg[i];
    reg += coordinates[digit->dim] / digit->stride % digit->extent * scale;
    scale *= digit->extent;
  }
  return reg;
}

// Adds what register |reg| of the digits says to an instruction's coordinates.
static void add_digits(const strata_mma_digit_t *digits, int64_t reg, int64_t *coordinates) {
  for (; digits->extent; digits++) {
    coordinates[digits->dim] += reg % digits->extent * digits->stride;
    reg /= digits->extent;
  }
}

// Where instruction |tile| along a side begins.
static int64_t tile_start(const spread_t *s, int64_t tile) {
  return tile / s->n_tiles * BLOCK + tile % s->n_tiles * s->tile;
}

int64_t strata_product_sum_register(const strata_product_t *p, int64_t row_tile, int64_t column_tile, int64_t element) {
  int64_t at[2] = {0, 0}, tiles[2] = {row_tile, column_tile};
  add_digits(p->mma->layout->sum.reg, element, at);
  for (int side = 0; side < 2; side++) {
    spread_t s = spread_of(p, side);
    at[side] = spread(&s, at[side]) + tile_start(&s, tiles[side]);
  }
  return register_at(&p->partial, at);
}

// The register of |layout| that has an element of a fragment, as strata_product_operand_register().
static int64_t operand_register(const strata_product_t *p, const strata_layout_t *layout, int side, int64_t step,
                                int64_t tile, int64_t element) {
  const strata_shared_operand_t *operand = &p->operands[side];
  int64_t run = strata_mma_run(p->mma), together = operand->word / run, at[2] = {0, 0};
  spread_t s = spread_of(p, side);
  add_digits(p->mma->layout->operands[side].reg, element / run, at);
  at[0] = spread(&s, at[0]) + tile_start(&s, tile);
  at[STEP] =
      at[STEP] * operand->word + element % run + step % together * run + step / together * strata_product_chunk(p);
  return register_at(layout, at);
}

int64_t strata_product_operand_register(const strata_product_t *p, int side, int64_t step, int64_t tile,
                                        int64_t element) {
  return operand_register(p, &p->operands[side].fragment, side, step, tile, element);
}

int64_t strata_product_crossed_register(const strata_product_t *p, int side, int64_t step, int64_t tile,
                                        int64_t element) {
  return operand_register(p, &p->operands[side].crossed, side, step, tile, element);
}

int64_t strata_product_scale_register(const strata_product_t *p, int side, int64_t step, int64_t tile) {
  spread_t s = spread_of(p, side);
  int64_t at[2] = {tile_start(&s, tile), step * p->mma->k / strata_mma_scale_block(p->mma)};
  return register_at(&p->scales[side].fragment, at);
}
