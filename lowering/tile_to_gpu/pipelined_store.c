// Pipelined products: results on their way to memory.
//
// Each warp group has two sub-tiles of shared memory, 64 rows of 128 bytes with exchanged units, which it fills in turn
// and has the copy engine store, so that the consumers go on with the next task meanwhile. In the layout of the sums
// the stores of a warp touch all banks. Where rows are no multiple of 128 bytes the last sub-tile is boxes of 64 or 32
// bytes a row.
#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/defer.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"
#include "lowering/tile_to_gpu/swizzle.h"
#include "lowering/tile_to_gpu/values.h"

enum { ROW = 0, COLUMN = 1, MIN_SPAN = 32 };

int64_t strata_pipelined_staging_bytes(const strata_pipelined_t *p) {
  return p->instruction->has_fragments ? p->groups * STRATA_SUB_TILES * STRATA_SUB_TILE : 0;
}

bool strata_pipelined_is_staged(MlirType element) {
  enum { BYTE = 8, WORD = 32 };
  return mlirTypeIsAF16(element) || mlirTypeIsABF16(element) || mlirTypeIsAF32(element) ||
         strata_type_is_integer(element, BYTE) || strata_type_is_integer(element, WORD);
}

typedef struct {
  strata_gpu_distribution_t *d;
  strata_pipelined_kernel_t *k;
  const strata_registers_t *registers;
  strata_bulk_t bulk;
  int64_t span;    // bytes of the narrowest box's row
  int64_t columns; // of a sub-tile
  int64_t bytes;   // of an element
  MlirValue memory, lane;
  MlirValue group_at;                      // where the group's sub-tiles begin, in elements
  MlirValue base[STRATA_BULK_COORDINATES]; // where sizes vary, of the tile; null: each box's coordinates are computed
} staged_t;

static void wait_for_stores(strata_gpu_distribution_t *d, int64_t pending) {
  strata_named_attr_t attr = {"pending", strata_i64_attr(d->e.context, pending)};
  strata_emit_op(&d->e, STRATA_TILE_BULK_WAIT, 0, NULL, 0, NULL, 1, &attr);
}

static strata_loop_t if_first(strata_gpu_distribution_t *d, MlirValue lane) {
  return strata_emit_if_begin(&d->e, strata_emit_cmpi(&d->e, STRATA_EQ, lane, strata_emit_index(&d->e, 0)));
}

//===-- Sub-tiles ------------------------------------------------------------------------------------------------===//

// The bytes of a row of the box that begins at |column| of the tile: as many as are left of its sub-tile, a power of
// two.
static int64_t span_at(const staged_t *s, int64_t column) {
  int64_t end = column / s->columns * s->columns + s->columns, n = s->k->product.n, span = STRATA_SPAN;
  while (span > s->span && (span / s->bytes > strata_min(end, n) - column || !s->bulk.box.is_linear))
    span /= 2;
  return span;
}

// Row r of the thread's: warp * 16 + lane / 4 (+ 8).
void strata_pipelined_pairs(strata_gpu_distribution_t *d, const strata_pipelined_t *p, const strata_sub_tile_t *box,
                            MlirValue at, strata_pair_visit_t visit, void *user) {
  strata_emitter_t *e = &d->e;
  int64_t unit = STRATA_VECTOR_BYTES / box->bytes, span = box->span / box->bytes, eights = p->n / 8;
  MlirValue quad = strata_emit_binary(e, "arith.divui", box->lane, strata_emit_index(e, 4));
  MlirValue warp = strata_emit_binary(e, "arith.divui", box->lane, strata_emit_index(e, 32));
  MlirValue row = strata_emit_binary(e, "arith.andi", quad, strata_emit_index(e, 7));
  MlirValue first = strata_emit_binary(e, "arith.muli", warp, strata_emit_index(e, 16));
  MlirValue row_at = strata_emit_binary(e, "arith.addi", first, row);
  row_at = strata_emit_binary(e, "arith.muli", row_at, strata_emit_index(e, span));
  row_at = strata_emit_binary(e, "arith.addi", row_at, at);
  MlirValue lanes = strata_emit_binary(e, "arith.andi", box->lane, strata_emit_index(e, 3));
  lanes = strata_emit_binary(e, "arith.muli", lanes, strata_emit_index(e, 2));
  MlirValue turn = strata_swizzle_turn(e, box->span, row);
  for (int64_t eight = 0; eight < span / 8; eight++) {
    // Columns eight * 8 + 2 * (lane mod 4).
    MlirValue in_row = strata_emit_binary(e, "arith.addi", lanes, strata_emit_index(e, eight * 8));
    MlirValue place = strata_swizzle_unit(e, turn, in_row, unit),
              rest = strata_emit_with(e, "arith.remui", in_row, unit);
    place = strata_emit_binary(e, "arith.addi", strata_emit_binary(e, "arith.addi", row_at, place), rest);
    for (int64_t half = 0; half < 2; half++)
      visit(user, half * 2 + 4 * (box->column / 8 + eight) + 4 * eights * box->block, place, half * 8 * span);
  }
}

static void store_pair(void *user, int64_t first, MlirValue at, int64_t further) {
  staged_t *s = user;
  strata_emitter_t *e = &s->d->e;
  MlirValue value = strata_lanes_of_scalars(e, 2, s->registers->values + first);
  strata_lanes_store(e, value, s->memory, strata_emit_with(e, "arith.addi", at, further));
}

// The registers of |block| of the group's rows and of the box at |column|, from element |at| of the staging memory on.
static void store_registers(staged_t *s, int64_t block, int64_t column, MlirValue at) {
  strata_sub_tile_t box = {s->lane, block, column, s->bytes, span_at(s, column)};
  strata_pipelined_pairs(s->d, &s->k->product, &box, at, store_pair, s);
}

// The box at |column| of the tile, from element |at| of the staging memory. Its coordinates depend on the group: boxes
// of the tile are counted from its first row.
static void store_box(staged_t *s, int64_t block, int64_t column, MlirValue at) {
  enum { FIXED = 2 };
  strata_gpu_distribution_t *d = s->d;
  strata_emitter_t *e = &d->e;
  const strata_pipelined_t *p = &s->k->product;
  MlirValue operands[FIXED + STRATA_BULK_RANK] = {s->memory, at};
  for (int64_t group = 0; group < p->groups; group++) {
    bool is_across = p->across > 1;
    const int64_t offsets[] = {((is_across ? 0 : group) * p->m_blocks + block) * STRATA_GROUP_ROWS,
                               (is_across ? group * p->n : 0) + column};
    MlirValue is_own = strata_emit_cmpi(e, STRATA_EQ, s->k->group, strata_emit_index(e, group));
    strata_loop_t branch = {0};
    if (p->groups > 1)
      branch = strata_emit_if_begin(e, is_own);
    int rank = strata_bulk_coordinates_from(d, &s->bulk, s->base, offsets, operands + FIXED);
    strata_twins_store(d, s->k, &s->bulk, span_at(s, column), FIXED + rank, operands);
    if (p->groups > 1)
      strata_emit_if_end(e, branch);
  }
}

typedef void (*box_t)(staged_t *s, int64_t block, int64_t column, MlirValue at);

// |emit| for the boxes of sub-tile |part| of the columns, which lie one behind the other from |at| on.
static void for_boxes(staged_t *s, int64_t block, int64_t part, MlirValue at, box_t emit) {
  strata_emitter_t *e = &s->d->e;
  int64_t first = part * s->columns, n = s->k->product.n;
  for (int64_t column = first; column < first + s->columns && column < n; column += span_at(s, column) / s->bytes) {
    int64_t offset = (column - first) * STRATA_GROUP_ROWS;
    emit(s, block, column, strata_emit_plus(e, at, offset));
  }
}

static void emit_sub_tile(staged_t *s, int64_t block, int64_t part) {
  strata_gpu_distribution_t *d = s->d;
  strata_emitter_t *e = &d->e;
  int64_t buffer = s->k->staged % STRATA_SUB_TILES,
          pending = s->k->staged++ ? STRATA_SUB_TILES - 1 : 0; // of the last task: none
  MlirValue at =
      strata_emit_binary(e, "arith.addi", s->group_at, strata_emit_index(e, buffer * STRATA_SUB_TILE / s->bytes));
  strata_loop_t branch = if_first(d, s->lane);
  wait_for_stores(d, pending);
  strata_emit_if_end(e, branch);
  strata_emit_group_barrier(d, s->k);
  for_boxes(s, block, part, at, store_registers);
  strata_emit_fence(d, "shared");
  strata_emit_group_barrier(d, s->k);
  branch = if_first(d, s->lane);
  for_boxes(s, block, part, at, store_box);
  strata_emit_op(e, STRATA_TILE_BULK_COMMIT, 0, NULL, 0, NULL, 0, NULL);
  strata_emit_if_end(e, branch);
}

//===-- The store ------------------------------------------------------------------------------------------------===//

// Where results of |type| go, box by box.
static bool read_place(staged_t *s, MlirOperation op, MlirType type) {
  const strata_pipelined_t *p = &s->k->product;
  s->bytes = strata_element_bytes(mlirShapedTypeGetElementType(type));
  s->columns = STRATA_SPAN / s->bytes;
  s->span = STRATA_SPAN;
  while (s->span > MIN_SPAN && p->n * s->bytes % s->span)
    s->span /= 2;
  int64_t columns = s->span / s->bytes;
  strata_bulk_limits_t limits = {.most = {STRATA_GROUP_ROWS, columns}, .span = s->span, .is_store = true};
  return p->n % columns == 0 && strata_bulk_read(s->d, op, 1, type, &limits, &s->bulk) && s->bulk.inner == COLUMN &&
         s->bulk.extents[ROW] == STRATA_GROUP_ROWS && s->bulk.extents[COLUMN] == columns;
}

static bool is_storable(const strata_pipelined_t *p, MlirType type) {
  if (!p->instruction->has_fragments || p->reads_left || p->swap || !mlirTypeIsAVector(type) ||
      mlirShapedTypeGetRank(type) != 2)
    return false;
  return strata_pipelined_is_staged(mlirShapedTypeGetElementType(type));
}

// True for a result that lies as the sums do, contiguous along the instruction's columns.
static bool can_stage(staged_t *s, MlirOperation op) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(value);
  if (!is_storable(&s->k->product, type))
    return false;
  s->registers = strata_registers_of(s->d, value);
  return strata_layout_equal(&s->registers->layout, &s->k->product.layout) && read_place(s, op, type);
}

void strata_pipelined_place_store(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  const int64_t none[] = {0, 0};
  staged_t s = {.d = d, .k = k};
  MlirOperation op = mlirBlockGetFirstOperation(k->body);
  while (!mlirOperationIsNull(op) && !strata_op_is(op, "tile.store"))
    op = mlirOperationGetNextInBlock(op);
  k->placed = (MlirOperation){0};
  if (d->sizes.count == 0 || mlirOperationIsNull(op))
    return;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  if (!is_storable(&k->product, type) || !read_place(&s, op, type))
    return;
  int64_t number;
  int rank = strata_bulk_coordinates(d, &s.bulk, none, k->placed_at);
  for (int i = 0; i < rank; i++)
    if (!strata_value_integer(k->placed_at[i], &number))
      k->placed_at[i] = strata_emit_as_one(d, k->placed_at[i]); // which also stays where it is
  k->placed = op;
}

strata_status_t strata_pipelined_store(strata_gpu_distribution_t *d, MlirOperation op, bool *out_taken) {
  staged_t s = {.d = d, .k = d->state.pipelined};
  strata_emitter_t *e = &d->e;
  *out_taken = d->state.pipelined && can_stage(&s, op);
  if (!*out_taken)
    return NULL;
  s.memory = strata_shared_view(d, s.k->staging, s.registers->element,
                                strata_pipelined_staging_bytes(&s.k->product) / s.bytes);
  s.lane = strata_emit_group_lane(d);
  s.group_at = strata_emit_binary(e, "arith.muli", strata_emit_own_group(d, s.k),
                                  strata_emit_index(e, STRATA_SUB_TILES * STRATA_SUB_TILE / s.bytes));
  if (!mlirOperationIsNull(s.k->placed) && mlirOperationEqual(s.k->placed, op))
    memcpy(s.base, s.k->placed_at, sizeof s.base);
  else if (d->sizes.count > 0)
    strata_bulk_coordinates(d, &s.bulk, (const int64_t[]){0, 0}, s.base);
  for (int64_t block = 0; block < s.k->product.m_blocks; block++)
    for (int64_t part = 0; part * s.columns < s.k->product.n; part++)
      emit_sub_tile(&s, block, part);
  strata_gpu_defer_arithmetic(d, e->block);
  return NULL;
}

void strata_pipelined_drain(strata_gpu_distribution_t *d) {
  strata_loop_t branch = if_first(d, strata_emit_group_lane(d));
  wait_for_stores(d, 0);
  strata_emit_if_end(&d->e, branch);
}
