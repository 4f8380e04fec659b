// Rows fetched a task ahead: how they come; see rows_ahead.c.
//
// Where a device can, what lies in boxes comes in bulk: threads that ask for pieces one by one stand in the way of all
// that goes through their shared memory. Else a thread has those pieces of 16 bytes copied that it will hold itself,
// each to a place of its own: it waits for nobody. What comes in neither way is loaded where it is used.
//
// Memory answers in the order of requests. If two teams asked at a time, both would wait for the tasks of both: so the
// first computes while the second's task comes, and they stay apart.
#include "lowering/tile_to_gpu/rows_fetch.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/swizzle.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/turn.h"

// Bytes of a column of a task that threads take as squares: two units; of what repeats where the units of such columns
// change places (a swizzle of 32 bytes).
enum { SQUARES_SPAN = 32, EXCHANGE_BYTES = 256 };

enum { N_BARRIERS = 2 }; // of the ring

//===-- Copies ----------------------------------------------------------------------------------------------------===//

static strata_status_t box_of(strata_gpu_distribution_t *d, MlirOperation op, strata_gpu_box_t *box) {
  return strata_gpu_box_read(d, op, 0, mlirValueGetType(mlirOperationGetResult(op, 0)), box);
}

// Elements of a box's inner rows: those of a task where it lies across the rows, else of a part of each row.
static int64_t inner_extent(const strata_bulk_t *bulk) { return bulk->extents[bulk->inner]; }

static bool lies_across(const strata_fetched_t *f) { return f->bulks[0].inner == 0; }

// True if what |f| loads comes in boxes of all rows of a task, whose inner rows have |inner| elements at most and lie
// along dim |along|; of every |f|->n_bulks-th column from |phase| on.
static bool takes_boxes(strata_gpu_distribution_t *d, strata_fetched_t *f, int along, int64_t inner, int64_t phase) {
  int64_t bytes = strata_element_bytes(f->loaded.element);
  const strata_bulk_limits_t limits = {
      .most = {d->plan.rows, STRATA_BULK_EXTENT}, .span = inner * bytes, .every = f->n_bulks, .phase = phase};
  strata_bulk_t *bulk = &f->bulks[phase];
  return strata_bulk_read(d, f->op, 0, f->loaded.type, &limits, bulk) && bulk->inner == along &&
         bulk->extents[0] == d->plan.rows && bulk->box.space.extents[1] % bulk->extents[1] == 0 &&
         inner_extent(bulk) * bytes % STRATA_BULK_ALIGNMENT == 0;
}

// Where threads hold squares of n columns, a unit of 16 bytes of each: n sets of boxes, of every n-th column each, two
// units a column, exchanged so that eight threads beside one another, which read a unit each, touch all banks.
static bool takes_squares(strata_gpu_distribution_t *d, strata_fetched_t *f) {
  int64_t bytes = strata_element_bytes(f->loaded.element), n = strata_layout_width(&f->loaded.layout, 1);
  if (strata_layout_width(&f->loaded.layout, 0) * bytes != STRATA_VECTOR_BYTES ||
      d->plan.rows * bytes != SQUARES_SPAN || f->loaded.sizes[1] % (n * SQUARES_SPAN))
    return false;
  f->n_bulks = n;
  f->bulks = strata_arena_array(d->compile->arena, strata_bulk_t, n);
  for (int64_t phase = 0; phase < n; phase++) {
    if (!takes_boxes(d, f, 0, d->plan.rows, phase))
      return false;
    f->bulks[phase].is_exact = true;
  }
  return true;
}

static bool takes_bulk(strata_gpu_distribution_t *d, strata_fetched_t *f) {
  if (!*d->device->mma_async)
    return false;
  if (takes_squares(d, f))
    return true;
  f->n_bulks = 1;
  f->bulks = strata_arena_new(d->compile->arena, strata_bulk_t);
  bool is_bulk = takes_boxes(d, f, 0, d->plan.rows, 0) || takes_boxes(d, f, 1, STRATA_BULK_EXTENT, 0);
  f->bulks[0].is_dense = true;
  f->n_bulks = is_bulk;
  return is_bulk;
}

// How threads read what came across the rows: vectors along their dim, one beside the other in the order of shared
// memory.
static strata_layout_t bulk_layout(const strata_gpu_distribution_t *d, MlirType type, int64_t width) {
  const int64_t sizes[2] = {mlirShapedTypeGetDimSize(type, 0), mlirShapedTypeGetDimSize(type, 1)};
  return strata_layout_build(2, sizes, d->role.group, (const int[]){0, 1}, strata_min(width, sizes[0]));
}

static MlirValue memory_of(strata_gpu_distribution_t *d, const strata_fetched_t *f) {
  return strata_shared_view(d, f->at, f->loaded.element, f->loaded.count * d->role.group);
}

strata_status_t strata_rows_note(strata_rows_ahead_t *a, MlirOperation op) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue buffer = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  if (!mlirTypeIsAVector(mlirValueGetType(result)) || !strata_gpu_is_read_only(buffer) ||
      !strata_gpu_has_zero_pad(op) || !mlirTypeEqual(strata_type_element(mlirValueGetType(result)), element))
    return NULL;
  int64_t bytes = strata_element_bytes(element);
  strata_fetched_t f = {.op = op, .width = STRATA_VECTOR_BYTES / bytes};
  strata_gpu_box_t box;
  STRATA_TRY(box_of(d, op, &box));
  strata_layout_t layout = *strata_layout_of(d, result);
  f.loaded = strata_registers_in(d, mlirValueGetType(result), &layout);
  if (takes_bulk(d, &f) ? lies_across(&f) && f.n_bulks == 1 : strata_turn_layout(d, result, &box, element, &layout)) {
    layout = f.n_bulks ? bulk_layout(d, f.loaded.type, f.width) : layout;
    f.loaded = strata_registers_in(d, f.loaded.type, &layout);
  }
  strata_transfer_t transfer = strata_gpu_transfer(d, op, 0, &box);
  if (!f.n_bulks &&
      (d->device->copies != STRATA_GPU_COPIES_THREADS || !strata_transfer_is_whole(d, &transfer, &f.loaded, &f.step)))
    return NULL;
  if (f.n_bulks) {
    a->bulk_bytes += d->plan.rows * f.loaded.sizes[1] * bytes;
    strata_shared_align(d, EXCHANGE_BYTES);
  }
  STRATA_TRY(strata_shared_reserve(d, f.loaded.count * d->role.group * bytes, &f.at));
  f.memory = memory_of(d, &f);
  *strata_vector_push(d->compile->arena, &a->fetched) = f;
  return NULL;
}

// True if threads copy some of it themselves.
static bool has_pieces(const strata_rows_ahead_t *a) {
  for (size_t i = 0; i < a->fetched.count; i++)
    if (!a->fetched.data[i].n_bulks)
      return true;
  return false;
}

// Where the piece that register |reg| begins lies.
static MlirValue place(strata_gpu_distribution_t *d, const strata_fetched_t *f, int64_t reg) {
  strata_emitter_t *e = &d->e;
  int64_t piece = reg / (f->step * f->width) * f->step + reg % f->step;
  MlirValue number = strata_emit_with(e, "arith.addi", d->role.thread, piece * d->role.group);
  return strata_emit_times(e, number, f->width);
}

typedef struct {
  strata_gpu_distribution_t *d;
  const strata_fetched_t *fetched;
  MlirValue exists; // i1; null: the task does
} target_t;

static void copy_piece(void *user, int64_t reg, MlirValue from, MlirValue position, MlirValue inside) {
  target_t *target = user;
  strata_emitter_t *e = &target->d->e;
  if (!mlirValueIsNull(target->exists))
    inside = strata_emit_binary(e, "arith.andi", inside, target->exists);
  MlirValue at = place(target->d, target->fetched, reg);
  MlirValue operands[] = {target->fetched->memory, at, from, position, inside};
  strata_emit_op(e, STRATA_TILE_COPY_ASYNC, 5, operands, 0, NULL, 0, NULL);
}

static int64_t n_boxes(const strata_fetched_t *f) {
  return f->n_bulks ? f->n_bulks * f->bulks[0].box.space.extents[1] / f->bulks[0].extents[1] : 0;
}

// The boxes of all sets lie one behind the other.
static void copy_box(strata_rows_ahead_t *a, const strata_fetched_t *f, int64_t number) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  int64_t of_set = n_boxes(f) / f->n_bulks;
  const strata_bulk_t *bulk = &f->bulks[number / of_set];
  int64_t offsets[2] = {0, number % of_set * bulk->extents[1]};
  MlirValue at = strata_emit_index(e, number * bulk->extents[1] * d->plan.rows);
  const strata_bulk_target_t to = {f->memory, at, a->ring.full, strata_emit_index(e, 0), {NULL}};
  strata_bulk_load(d, bulk, offsets, inner_extent(bulk) * strata_element_bytes(f->loaded.element), &to);
}

// By one thread: the arrival with what is to come, then the copies, of all operands in turn.
static void copy_bulk(strata_rows_ahead_t *a) {
  int64_t most = 0;
  strata_ring_expect(a->d, &a->ring, a->place.slot, a->bulk_bytes, (MlirValue){NULL});
  for (size_t i = 0; i < a->fetched.count; i++)
    most = strata_max(most, n_boxes(&a->fetched.data[i]));
  for (int64_t number = 0; number < most; number++)
    for (size_t i = 0; i < a->fetched.count; i++)
      if (number < n_boxes(&a->fetched.data[i]))
        copy_box(a, &a->fetched.data[i], number);
}

static void fetch_bulk(strata_rows_ahead_t *a, MlirValue exists) {
  strata_emitter_t *e = &a->d->e;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, a->d->role.thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_binary(e, "arith.andi", is_first, exists));
  if (a->arrives)
    strata_ring_reacquire(a->d, &a->ring, a->place);
  copy_bulk(a);
  strata_emit_if_end(e, branch);
}

static strata_status_t fetch_pieces(strata_rows_ahead_t *a, MlirValue exists) {
  strata_gpu_distribution_t *d = a->d;
  for (size_t i = 0; i < a->fetched.count; i++) {
    const strata_fetched_t *f = &a->fetched.data[i];
    strata_gpu_box_t box;
    if (f->n_bulks)
      continue;
    STRATA_TRY(box_of(d, f->op, &box));
    strata_transfer_t transfer = strata_gpu_transfer(d, f->op, 0, &box);
    transfer.flat = strata_emit_flat(&d->e, transfer.flat);
    strata_transfer_copy(d, &transfer, &f->loaded, copy_piece, &(target_t){d, f, exists});
  }
  strata_emit_op(&d->e, STRATA_TILE_COPY_COMMIT, 0, NULL, 0, NULL, 0, NULL);
  return NULL;
}

static MlirValue exists(strata_rows_ahead_t *a, MlirValue task) {
  return strata_emit_cmpi(&a->d->e, STRATA_ULT, task, a->end);
}

// The first tasks of all teams in their order, by threads of each: a team waits until those before have asked.
static strata_status_t fetch_first_pieces(strata_rows_ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  MlirValue has_one = exists(a, d->role.task);
  for (int64_t team = 0; team < strata_block_groups(d); team++) {
    if (team > 0)
      strata_emit_block_barrier(d);
    MlirValue is_next = strata_emit_cmpi(e, STRATA_EQ, d->role.group_number, strata_emit_index(e, team));
    strata_loop_t branch = strata_emit_if_begin(e, strata_emit_binary(e, "arith.andi", is_next, has_one));
    STRATA_TRY(fetch_pieces(a, (MlirValue){0}));
    strata_emit_if_end(e, branch);
  }
  return NULL;
}

static void view_ring(strata_rows_ahead_t *a) {
  a->ring.full = strata_shared_view(a->d, a->barriers_at, mlirIntegerTypeGet(a->d->e.context, 64), N_BARRIERS);
  a->ring.empty = a->ring.full;
}

// Has |a| speak of the team |number|, whose running task is |task|.
static void change_team(strata_rows_ahead_t *a, MlirValue number, MlirValue task) {
  strata_gpu_distribution_t *d = a->d;
  d->role.group_number = number;
  d->role.task = task;
  view_ring(a);
  for (size_t i = 0; i < a->fetched.count; i++)
    a->fetched.data[i].memory = memory_of(d, &a->fetched.data[i]);
}

// From the task of a team to that of the block's next.
static int64_t team_step(const strata_gpu_distribution_t *d) {
  return strata_gpu_share(d) > 0 ? 1 : strata_size_static_value(strata_gpu_blocks(d));
}

// One thread of the block asks for the first tasks of all teams, in their order.
static strata_status_t fetch_first_bulk(strata_rows_ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  MlirValue team = d->role.group_number, task = d->role.task;
  int64_t n_teams = strata_block_groups(d);
  STRATA_TRY(strata_shared_reserve(d, N_BARRIERS * (int64_t)sizeof(int64_t), &a->barriers_at));
  MlirValue number = strata_emit_binary(e, "arith.ori", d->role.thread, team);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, number, strata_emit_index(e, 0)));
  for (int64_t i = 0; i < n_teams; i++) {
    d->role.group_number = strata_emit_index(e, i);
    view_ring(a);
    strata_ring_init(d, &a->ring, 0, 1, a->arrives ? d->role.group / d->device->lanes : 0);
  }
  strata_emit_fence(d, "barriers");
  for (int64_t i = 0; i < n_teams; i++) {
    change_team(a, strata_emit_index(e, i), strata_emit_plus(e, task, i * team_step(d)));
    strata_loop_t has_one = strata_emit_if_begin(e, exists(a, d->role.task));
    copy_bulk(a);
    strata_emit_if_end(e, has_one);
  }
  strata_emit_if_end(e, branch);
  strata_emit_block_barrier(d);
  change_team(a, team, task);
  return NULL;
}

int64_t strata_rows_stride(const strata_gpu_distribution_t *d) { return strata_block_groups(d) * team_step(d); }

static MlirValue end_of_tasks(strata_gpu_distribution_t *d) {
  strata_emitter_t *e = &d->e;
  MlirValue end = strata_gpu_emit_size(d, d->plan.n_tasks);
  int64_t share = strata_gpu_share(d);
  if (share == 0)
    return end;
  MlirValue first = strata_emit_binary(e, "arith.subi", d->role.task, d->role.group_number);
  return strata_emit_binary(e, "arith.minui", end, strata_emit_plus(e, first, share));
}

void strata_rows_fetch_begin(strata_rows_ahead_t *a) {
  a->ring = (strata_ring_t){.slots = 1, .empty_at = 1};
  a->end = end_of_tasks(a->d);
  a->arrives = a->bulk_bytes && !has_pieces(a) && a->d->role.group > a->d->device->lanes;
}

strata_status_t strata_rows_fetch_first(strata_rows_ahead_t *a) {
  if (a->bulk_bytes)
    STRATA_TRY(fetch_first_bulk(a));
  return has_pieces(a) ? fetch_first_pieces(a) : NULL;
}

strata_status_t strata_rows_fetch_next(strata_rows_ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue running = d->role.task;
  d->role.task = strata_emit_with(&d->e, "arith.addi", running, strata_rows_stride(d));
  MlirValue is_there = exists(a, d->role.task);
  if (a->bulk_bytes)
    fetch_bulk(a, is_there);
  if (has_pieces(a))
    STRATA_TRY(fetch_pieces(a, is_there));
  d->role.task = running;
  return NULL;
}

//===-- Receiving -------------------------------------------------------------------------------------------------===//

// Where boxes of |rows| x |columns| elements, one behind the other, have an element.
static void place_in_boxes(strata_gpu_box_t *box, int64_t rows, int64_t columns) {
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr row = mlirAffineDimExprGet(context, 0), column = mlirAffineDimExprGet(context, 1);
  MlirAffineExpr first = strata_expr_times(strata_expr_div(column, columns), rows * columns);
  MlirAffineExpr in_row = mlirAffineAddExprGet(strata_expr_times(row, columns), strata_expr_mod(column, columns));
  box->position = mlirAffineAddExprGet(first, in_row);
  box->steps[1] = 1;
}

// Where sets of boxes of |rows| x every |n|-th of |columns| columns, one behind the other, have an element: of the two
// units of |unit| elements in a column the numbers are swizzled, which is a sum modulo 2.
static void place_in_squares(strata_gpu_box_t *box, int64_t rows, int64_t columns, int64_t n, int64_t unit) {
  MlirContext context = box->space.d->e.context;
  strata_swizzle_t swizzle = strata_swizzle_of(SQUARES_SPAN, 1);
  MlirAffineExpr row = mlirAffineDimExprGet(context, 0), column = mlirAffineDimExprGet(context, 1);
  MlirAffineExpr number = strata_expr_div(column, n), alike = strata_expr_div(number, swizzle.divisor);
  MlirAffineExpr units = mlirAffineAddExprGet(strata_expr_div(row, unit), alike);
  MlirAffineExpr set = strata_expr_times(strata_expr_mod(column, n), columns / n * rows);
  MlirAffineExpr in_column =
      mlirAffineAddExprGet(strata_expr_times(strata_expr_mod(units, 2), unit), strata_expr_mod(row, unit));
  box->position = mlirAffineAddExprGet(mlirAffineAddExprGet(set, strata_expr_times(number, rows)), in_column);
  box->steps[0] = 1;
}

// Where boxes of all rows, one column behind the other, have an element.
static void place_in_columns(strata_gpu_box_t *box, int64_t rows) {
  MlirContext context = box->space.d->e.context;
  box->is_linear = true;
  box->steps[0] = 1;
  box->steps[1] = rows;
  box->position =
      mlirAffineAddExprGet(strata_expr_times(mlirAffineDimExprGet(context, 1), rows), mlirAffineDimExprGet(context, 0));
}

static strata_status_t receive_bulk(strata_gpu_distribution_t *d, strata_fetched_t *f) {
  strata_gpu_box_t box = {.space = strata_index_space(d, 2, f->loaded.sizes)};
  if (f->n_bulks > 1)
    place_in_squares(&box, d->plan.rows, f->loaded.sizes[1], f->n_bulks, f->width);
  else if (lies_across(f))
    place_in_columns(&box, d->plan.rows);
  else
    place_in_boxes(&box, d->plan.rows, inner_extent(f->bulks));
  strata_transfer_t transfer = {.box = &box, .flat = f->memory, .is_private = true};
  return strata_transfer_load(d, &transfer, &f->loaded);
}

static void receive_pieces(strata_gpu_distribution_t *d, strata_fetched_t *f) {
  strata_emitter_t *e = &d->e;
  MlirType type = strata_lanes_type(f->loaded.element, f->width);
  for (int64_t reg = 0; reg < f->loaded.count; reg++) {
    if (reg / f->step % f->width)
      continue;
    MlirValue piece = strata_lanes_load(e, type, f->memory, place(d, f, reg));
    for (int64_t lane = 0; lane < f->width; lane++)
      f->loaded.values[reg + lane * f->step] = strata_lanes_extract(e, piece, lane);
  }
}

strata_status_t strata_rows_receive(strata_rows_ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  strata_named_attr_t pending = {"pending", strata_i64_attr(e->context, 0)};
  if (has_pieces(a))
    strata_emit_op(e, STRATA_TILE_COPY_WAIT, 0, NULL, 0, NULL, 1, &pending);
  if (a->bulk_bytes)
    strata_ring_await(d, &a->ring, a->place);
  for (size_t i = 0; i < a->fetched.count; i++) {
    if (a->fetched.data[i].n_bulks)
      STRATA_TRY(receive_bulk(d, &a->fetched.data[i]));
    else
      receive_pieces(d, &a->fetched.data[i]);
  }
  d->shared.owes_fence = a->bulk_bytes > 0;
  return NULL;
}
