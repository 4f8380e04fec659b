// Rows fetched a task ahead; see rows_ahead.h.
//
//   copies of the first task begin, one team's after the other's
//   what all tasks share: scales, biases, what is computed from them alone
//   for each task of the team:
//     wait for the copies; pieces from shared memory to registers; copies of the next task begin
//     the task
//     barrier: what the task has left in shared memory is read
//
// Where a device can, what lies in boxes comes in bulk: threads that ask for pieces one by one stand in the way of all
// that goes through their shared memory. Else a thread has those pieces of 16 bytes copied that it will hold itself,
// each to a place of its own: it waits for nobody. What comes in neither way is loaded where it is used.
//
// Memory answers in the order of requests. If two teams asked at a time, both would wait for the tasks of both: so the
// first computes while the second's task comes, and they stay apart.
#include "lowering/tile_to_gpu/rows_ahead.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/bulk.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/pipelined.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/turn.h"

// A tile.load that is fetched ahead: |width| registers, |step| apart, are a piece.
typedef struct {
  MlirOperation op;
  MlirValue memory;
  strata_registers_t loaded;
  int64_t width, step;
  int64_t exchange; // number of the conversion to the value's layout; 0: none through shared memory
  bool is_bulk;     // in boxes of all rows, dense
  strata_bulk_t bulk;
} fetched_t;

typedef struct strata_rows_ahead {
  strata_gpu_distribution_t *d;
  STRATA_VECTOR(fetched_t) fetched;
  STRATA_VECTOR(MlirOperation) shared; // ops of all tasks
  MlirValue barriers;                  // of what comes in bulk: one, whose phases are the block's tasks
  int64_t bulk_bytes;                  // of a task; 0: nothing does
} ahead_t;

//===-- What all tasks share -------------------------------------------------------------------------------------===//

static bool is_shared(const ahead_t *a, MlirOperation op) {
  for (size_t i = 0; i < a->shared.count; i++)
    if (mlirOperationEqual(a->shared.data[i], op))
      return true;
  return false;
}

static bool may_be_shared(const ahead_t *a, MlirOperation op) {
  bool is_load = strata_op_is(op, "tile.load");
  if (mlirOperationGetNumResults(op) != 1 || mlirOperationGetNumRegions(op) ||
      !(is_load || strata_op_is(op, "arith.constant") || strata_op_is(op, "vector.broadcast") ||
        strata_gpu_is_arithmetic(op)))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirTypeIsAVector(type) && mlirShapedTypeGetRank(type) > 1)
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    bool is_buffer = is_load && i == 0 && strata_gpu_is_read_only(operand);
    if (!is_buffer && !(mlirValueIsAOpResult(operand) && is_shared(a, mlirOpResultGetOwner(operand))))
      return false;
  }
  return true;
}

// Emits them in front of the loop, and has shared memory hold what rows will need.
static strata_status_t emit_shared(ahead_t *a, MlirBlock body) {
  strata_gpu_distribution_t *d = a->d;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (may_be_shared(a, op)) {
      *strata_vector_push(d->compile->arena, &a->shared) = op;
      STRATA_TRY(strata_gpu_distribute_op(d, op));
    } else if (strata_gpu_is_over_rows(d, op) && is_shared(a, mlirOpResultGetOwner(mlirOperationGetOperand(op, 0)))) {
      STRATA_TRY(strata_columns_share(d, mlirOperationGetOperand(op, 0)));
    }
  }
  return d->is_dirty ? strata_emit_barrier(d) : NULL;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

static strata_status_t box_of(strata_gpu_distribution_t *d, MlirOperation op, strata_gpu_box_t *box) {
  return strata_gpu_box_read(d, op, 0, mlirValueGetType(mlirOperationGetResult(op, 0)), box);
}

static bool has_zero_pad(MlirOperation load) {
  MlirAttribute pad = strata_attr(load, "pad");
  return mlirAttributeIsNull(pad) || strata_attr_is_zero(pad);
}

// Elements of a box's inner rows: those of a task where it lies across the rows, else of a part of each row.
static int64_t inner_extent(const fetched_t *f) { return f->bulk.extents[f->bulk.inner]; }

// True if what |f| loads comes in boxes of all rows of a task, whose inner rows have |inner| elements at most.
static bool takes_boxes(strata_gpu_distribution_t *d, fetched_t *f, int64_t inner, int64_t bytes) {
  const strata_bulk_limits_t limits = {.most = {d->rows, STRATA_BULK_EXTENT}, .span = inner * bytes};
  MlirType type = mlirValueGetType(mlirOperationGetResult(f->op, 0));
  if (!strata_bulk_read(d, f->op, 0, type, &limits, &f->bulk) || f->bulk.extents[0] != d->rows ||
      f->bulk.box.space.extents[1] % f->bulk.extents[1] || inner_extent(f) * bytes % STRATA_BULK_ALIGNMENT)
    return false;
  f->bulk.is_dense = true;
  return true;
}

static bool takes_bulk(strata_gpu_distribution_t *d, fetched_t *f, int64_t bytes) {
  return *d->device->mma_async && ((takes_boxes(d, f, d->rows, bytes) && f->bulk.inner == 0) ||
                                   (takes_boxes(d, f, STRATA_BULK_EXTENT, bytes) && f->bulk.inner == 1));
}

// How threads read what came across the rows: vectors along their dim, one beside the other in the order of shared
// memory.
static strata_layout_t bulk_layout(const strata_gpu_distribution_t *d, MlirType type, int64_t width) {
  const int64_t sizes[2] = {mlirShapedTypeGetDimSize(type, 0), mlirShapedTypeGetDimSize(type, 1)};
  return strata_layout_build(2, sizes, d->group, (const int[]){0, 1}, strata_min(width, sizes[0]));
}

// Takes note of |op| if it can be fetched ahead.
static strata_status_t note_load(ahead_t *a, MlirOperation op) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue buffer = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  if (!mlirTypeIsAVector(mlirValueGetType(result)) || !strata_gpu_is_read_only(buffer) || !has_zero_pad(op) ||
      !mlirTypeEqual(strata_type_element(mlirValueGetType(result)), element))
    return NULL;
  fetched_t f = {.op = op, .width = STRATA_VECTOR_BYTES / strata_element_bytes(element)};
  strata_gpu_box_t box;
  STRATA_TRY(box_of(d, op, &box));
  strata_layout_t layout;
  f.is_bulk = takes_bulk(d, &f, strata_element_bytes(element));
  if (f.is_bulk && f.bulk.inner == 0)
    layout = bulk_layout(d, mlirValueGetType(result), f.width);
  else if (f.is_bulk)
    layout = *strata_layout_of(d, result);
  else if (!strata_turn_layout(d, result, &box, element, &layout))
    layout = *strata_layout_of(d, result);
  f.loaded = strata_registers_in(d, mlirValueGetType(result), &layout);
  strata_transfer_t transfer = strata_gpu_transfer(d, op, 0, &box);
  if (!f.is_bulk && (!d->device->has_async_copy || !strata_transfer_is_whole(d, &transfer, &f.loaded, &f.step)))
    return NULL;
  if (f.is_bulk)
    a->bulk_bytes += d->rows * f.loaded.sizes[1] * strata_element_bytes(element);
  STRATA_TRY(strata_shared_alloc(d, element, f.loaded.count * d->group, &f.memory));
  *strata_vector_push(d->compile->arena, &a->fetched) = f;
  return NULL;
}

// Where the piece that register |reg| begins lies.
static MlirValue place(strata_gpu_distribution_t *d, const fetched_t *f, int64_t reg) {
  strata_emitter_t *e = &d->e;
  int64_t piece = reg / (f->step * f->width) * f->step + reg % f->step;
  MlirValue number = strata_emit_binary(e, "arith.addi", d->thread, strata_emit_index(e, piece * d->group));
  return strata_emit_binary(e, "arith.muli", number, strata_emit_index(e, f->width));
}

typedef struct {
  strata_gpu_distribution_t *d;
  const fetched_t *fetched;
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

// By one thread: the arrival with what is to come, then the copies.
static void copy_bulk(ahead_t *a) {
  enum { FIXED = 4 };
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  MlirValue zero = strata_emit_index(e, 0);
  strata_phase_expect(d, a->barriers, zero, a->bulk_bytes);
  for (size_t i = 0; i < a->fetched.count; i++) {
    const fetched_t *f = &a->fetched.data[i];
    int64_t offsets[2] = {0, 0}, n = f->is_bulk ? f->bulk.box.space.extents[1] : 0;
    for (; offsets[1] < n; offsets[1] += f->bulk.extents[1]) {
      MlirValue operands[FIXED + STRATA_BULK_COORDINATES] = {f->memory, strata_emit_index(e, offsets[1] * d->rows),
                                                             a->barriers, zero};
      int rank = strata_bulk_coordinates(d, &f->bulk, offsets, operands + FIXED);
      int64_t span = inner_extent(f) * strata_element_bytes(f->loaded.element);
      strata_named_attr_t map = {"map", strata_i64_attr(e->context, strata_bulk_map(d, &f->bulk, span))};
      strata_emit_op(e, STRATA_TILE_BULK_LOAD, FIXED + rank, operands, 0, NULL, 1, &map);
    }
  }
}

static void fetch_bulk(ahead_t *a, MlirValue exists) {
  strata_emitter_t *e = &a->d->e;
  if (!a->bulk_bytes)
    return;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, a->d->thread, strata_emit_index(e, 0));
  if (!mlirValueIsNull(exists))
    is_first = strata_emit_binary(e, "arith.andi", is_first, exists);
  strata_loop_t branch = strata_emit_if_begin(e, is_first);
  copy_bulk(a);
  strata_emit_if_end(e, branch);
}

// Begins the copies of task number |task|. All threads have read what the last one's brought in bulk.
static strata_status_t fetch(ahead_t *a, MlirValue task, MlirValue exists) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue running = d->task;
  d->task = task;
  fetch_bulk(a, exists);
  for (size_t i = 0; i < a->fetched.count; i++) {
    const fetched_t *f = &a->fetched.data[i];
    strata_gpu_box_t box;
    if (f->is_bulk)
      continue;
    STRATA_TRY(box_of(d, f->op, &box));
    strata_transfer_t transfer = strata_gpu_transfer(d, f->op, 0, &box);
    transfer.flat = strata_gpu_flatten(d, transfer.flat);
    strata_transfer_copy(d, &transfer, &f->loaded, copy_piece, &(target_t){d, f, exists});
  }
  d->task = running;
  if (d->device->has_async_copy)
    strata_emit_op(&d->e, STRATA_TILE_COPY_COMMIT, 0, NULL, 0, NULL, 0, NULL);
  return NULL;
}

static MlirValue exists(strata_gpu_distribution_t *d, MlirValue task) {
  return strata_emit_cmpi(&d->e, STRATA_ULT, task, strata_emit_index(&d->e, d->n_tasks));
}

// The first tasks of all teams, in their order.
static strata_status_t fetch_first(ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  if (!strata_gpu_has_teams(d))
    return fetch(a, d->task, (MlirValue){0});
  MlirValue has_one = exists(d, d->task);
  for (int64_t team = 0; team < strata_block_groups(d); team++) {
    if (team > 0)
      strata_emit_block_barrier(d);
    MlirValue is_next = strata_emit_cmpi(e, STRATA_EQ, d->group_number, strata_emit_index(e, team));
    strata_loop_t branch = strata_emit_if_begin(e, strata_emit_binary(e, "arith.andi", is_next, has_one));
    STRATA_TRY(fetch(a, d->task, (MlirValue){0}));
    strata_emit_if_end(e, branch);
  }
  return NULL;
}

// From a task of a team to its next.
static int64_t stride(const strata_gpu_distribution_t *d) { return strata_gpu_blocks(d) * strata_block_groups(d); }

static strata_status_t fetch_next(ahead_t *a) {
  strata_emitter_t *e = &a->d->e;
  MlirValue next = strata_emit_binary(e, "arith.addi", a->d->task, strata_emit_index(e, stride(a->d)));
  return fetch(a, next, exists(a->d, next));
}

static MlirAffineExpr scaled(MlirAffineExpr expr, int64_t by) {
  return mlirAffineMulExprGet(expr, mlirAffineConstantExprGet(mlirAffineExprGetContext(expr), by));
}

// Where boxes of |rows| x |columns| elements, one behind the other, have an element.
static void place_in_boxes(strata_gpu_box_t *box, int64_t rows, int64_t columns) {
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr row = mlirAffineDimExprGet(context, 0), column = mlirAffineDimExprGet(context, 1);
  MlirAffineExpr width = mlirAffineConstantExprGet(context, columns);
  MlirAffineExpr first = scaled(mlirAffineFloorDivExprGet(column, width), rows * columns);
  MlirAffineExpr in_row = mlirAffineAddExprGet(scaled(row, columns), mlirAffineModExprGet(column, width));
  box->position = mlirAffineAddExprGet(first, in_row);
  box->steps[1] = 1;
}

// What came in bulk: across the rows, element |row| of a column beside the next; or boxes of parts of the rows.
static strata_status_t receive_bulk(strata_gpu_distribution_t *d, fetched_t *f) {
  MlirContext context = d->e.context;
  strata_gpu_box_t box = {.space = strata_index_space(d, 2, f->loaded.sizes)};
  if (f->bulk.inner == 0) {
    box.is_linear = true;
    box.steps[0] = 1;
    box.steps[1] = d->rows;
    box.position =
        mlirAffineAddExprGet(scaled(mlirAffineDimExprGet(context, 1), d->rows), mlirAffineDimExprGet(context, 0));
  } else {
    place_in_boxes(&box, d->rows, inner_extent(f));
  }
  strata_transfer_t transfer = {.box = &box, .flat = f->memory, .is_private = true};
  return strata_transfer_load(d, &transfer, &f->loaded);
}

static void receive_pieces(strata_gpu_distribution_t *d, fetched_t *f) {
  strata_emitter_t *e = &d->e;
  for (int64_t reg = 0; reg < f->loaded.count; reg++) {
    if (reg / f->step % f->width)
      continue;
    MlirValue operands[] = {f->memory, place(d, f, reg)};
    MlirType type = mlirVectorTypeGet(1, &f->width, f->loaded.element);
    MlirValue piece = strata_emit_value(e, "vector.load", 2, operands, type, 0, NULL);
    for (int64_t lane = 0; lane < f->width; lane++)
      f->loaded.values[reg + lane * f->step] = strata_lanes_extract(e, piece, lane);
  }
}

// To registers, when they have come: phase |parity| of the barrier.
static strata_status_t receive(ahead_t *a, MlirValue parity) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  strata_named_attr_t pending = {"pending", strata_i64_attr(e->context, 0)};
  if (d->device->has_async_copy)
    strata_emit_op(e, STRATA_TILE_COPY_WAIT, 0, NULL, 0, NULL, 1, &pending);
  if (a->bulk_bytes)
    strata_phase_wait(d, a->barriers, strata_emit_index(e, 0), parity);
  for (size_t i = 0; i < a->fetched.count; i++) {
    if (a->fetched.data[i].is_bulk)
      STRATA_TRY(receive_bulk(d, &a->fetched.data[i]));
    else
      receive_pieces(d, &a->fetched.data[i]);
  }
  return NULL;
}

//===-- The loop -------------------------------------------------------------------------------------------------===//

static fetched_t *fetched_of(ahead_t *a, MlirOperation op) {
  for (size_t i = 0; i < a->fetched.count; i++)
    if (mlirOperationEqual(a->fetched.data[i].op, op))
      return &a->fetched.data[i];
  return NULL;
}

// Defines the result of |f|'s op, in the layout chosen for it.
static strata_status_t define(ahead_t *a, fetched_t *f) {
  MlirValue result = mlirOperationGetResult(f->op, 0);
  strata_registers_t registers;
  int64_t before = a->d->shared.n_exchanges;
  STRATA_TRY(strata_registers_convert(a->d, &f->loaded, strata_layout_of(a->d, result), &registers));
  strata_registers_define(a->d, result, &registers);
  f->exchange = a->d->shared.n_exchanges > before ? a->d->shared.n_exchanges : 0;
  return NULL;
}

strata_status_t strata_rows_refresh(strata_gpu_distribution_t *d) {
  for (size_t i = 0; d->ahead && i < d->ahead->fetched.count; i++) {
    const fetched_t *f = &d->ahead->fetched.data[i];
    if (!f->exchange || f->exchange != d->shared.n_exchanges)
      continue;
    MlirValue result = mlirOperationGetResult(f->op, 0);
    strata_registers_t registers;
    STRATA_TRY(strata_registers_again(d, &f->loaded, strata_layout_of(d, result), &registers));
    strata_registers_define(d, result, &registers);
  }
  return NULL;
}

// All that has been received; then the next task may come in its place, where all threads have read what came in bulk:
// a conversion through shared memory has seen to that, or a barrier does.
static strata_status_t define_all(ahead_t *a) {
  bool have_met = a->bulk_bytes == 0;
  for (size_t i = 0; i < a->fetched.count; i++) {
    STRATA_TRY(define(a, &a->fetched.data[i]));
    have_met |= a->fetched.data[i].exchange > 0;
  }
  return have_met ? NULL : strata_emit_barrier(a->d);
}

static strata_status_t emit_task(ahead_t *a, MlirBlock body, MlirValue parity) {
  strata_gpu_distribution_t *d = a->d;
  MlirOperation terminator = mlirBlockGetTerminator(body);
  strata_gpu_define_task(d, body);
  STRATA_TRY(receive(a, parity));
  STRATA_TRY(define_all(a));
  d->ahead = a;
  STRATA_TRY(fetch_next(a));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
       op = mlirOperationGetNextInBlock(op))
    if (!is_shared(a, op) && !fetched_of(a, op))
      STRATA_TRY(strata_gpu_distribute_op(d, op));
  d->ahead = NULL;
  return strata_emit_barrier(d);
}

static strata_status_t init_barrier(ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  if (!a->bulk_bytes)
    return NULL;
  STRATA_TRY(strata_shared_alloc(d, mlirIntegerTypeGet(e->context, 64), 1, &a->barriers));
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, d->thread, strata_emit_index(e, 0)));
  strata_phase_init(d, a->barriers, 0, 1);
  strata_emit_fence(d, "barriers");
  strata_emit_if_end(e, branch);
  return strata_emit_barrier(d);
}

strata_status_t strata_rows_ahead(strata_gpu_distribution_t *d, MlirOperation forall) {
  ahead_t a = {.d = d};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  strata_emitter_t *e = &d->e;
  MlirValue first = d->task, parity = strata_emit_integer(e, mlirIntegerTypeGet(e->context, 32), 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && mlirOperationGetNumOperands(op) > 1)
      STRATA_TRY(note_load(&a, op));
  STRATA_TRY(init_barrier(&a));
  STRATA_TRY(fetch_first(&a));
  STRATA_TRY(emit_shared(&a, body));
  MlirValue end = strata_emit_index(e, d->n_tasks);
  strata_loop_t loop = strata_emit_for_begin(e, first, end, stride(d), 1, &parity, &parity);
  d->task = loop.induction;
  STRATA_TRY(emit_task(&a, body, parity));
  parity = strata_emit_binary(e, "arith.xori", parity, strata_emit_integer(e, mlirValueGetType(parity), 1));
  strata_emit_for_end(e, loop, 1, &parity, &parity);
  d->task = first;
  return NULL;
}
