// Rows fetched a task ahead; see rows_ahead.h.
//
//   what all tasks share is asked for: scales, biases
//   copies of the first task begin, one team's after the other's
//   what is computed from the former alone
//   for each task of the team:
//     wait for the copies; pieces from shared memory to registers
//     what each thread does alone
//     barrier: what has come, and what the task before has left in shared memory, is read
//     copies of the next task begin
//     the rest of the task
//
// Where all of it comes in bulk nobody waits there: each warp arrives at a barrier, and goes on to the first op for
// which it has to wait for some of the others anyway. Behind that op one thread waits at the barrier, and the next
// task's copies begin.
//
// Where a device can, what lies in boxes comes in bulk: threads that ask for pieces one by one stand in the way of all
// that goes through their shared memory. Else a thread has those pieces of 16 bytes copied that it will hold itself,
// each to a place of its own: it waits for nobody. What comes in neither way is loaded where it is used.
//
// Memory answers in the order of requests. If two teams asked at a time, both would wait for the tasks of both: so the
// first computes while the second's task comes, and they stay apart.
#include "lowering/tile_to_gpu/rows_ahead.h"
#include "lowering/tile_to_gpu/barriers.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/bulk.h"
#include "lowering/tile_to_gpu/cluster.h"
#include "lowering/tile_to_gpu/columns.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/ring.h"
#include "lowering/tile_to_gpu/shared.h"
#include "lowering/tile_to_gpu/tasks.h"
#include "lowering/tile_to_gpu/turn.h"

// Bytes of a column of a task that threads take as squares: two units; of what repeats where the units of such columns
// change places (a swizzle of 32 bytes).
enum { SQUARES_SPAN = 32, EXCHANGE_BYTES = 256 };

// A tile.load that is fetched ahead: |width| registers, |step| apart, are a piece.
typedef struct {
  MlirOperation op;
  int64_t at;       // in shared memory, of the block's first team
  MlirValue memory; // of the running team
  strata_registers_t loaded;
  int64_t width, step;
  int64_t exchange; // number of the conversion to the value's layout; 0: none through shared memory
  int64_t n_bulks;  // sets of boxes of all rows: 1, or one for each of a square's columns; 0: it does not come so
  strata_bulk_t *bulks;
} fetched_t;

enum { COME, READ, N_BARRIERS }; // a task's operands: they lie in shared memory, all warps have them in registers

typedef struct strata_rows_ahead {
  strata_gpu_distribution_t *d;
  STRATA_VECTOR(fetched_t) fetched;
  STRATA_VECTOR(MlirOperation) shared; // ops of all tasks
  int64_t barriers_at;                 // like a load's ->at and ->memory
  MlirValue barriers;                  // of what comes in bulk: COME and READ, whose phases are the team's tasks
  int64_t bulk_bytes;                  // of a task; 0: nothing does
  bool arrives;                        // warps arrive at READ, instead of waiting for one another
  MlirValue parity;                    // of the running task's phases
  MlirValue end;                       // behind the block's last task
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

static strata_status_t emit_shared_op(ahead_t *a, MlirOperation op) {
  *strata_vector_push(a->d->compile->arena, &a->shared) = op;
  return strata_gpu_distribute_op(a->d, op);
}

// In front of all other requests: memory answers in their order, and no task begins without these.
static strata_status_t request_shared(ahead_t *a, MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && may_be_shared(a, op))
      STRATA_TRY(emit_shared_op(a, op));
  return NULL;
}

// Emits the others in front of the loop, and has shared memory hold what rows will need.
static strata_status_t emit_shared(ahead_t *a, MlirBlock body) {
  strata_gpu_distribution_t *d = a->d;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (!is_shared(a, op) && may_be_shared(a, op)) {
      STRATA_TRY(emit_shared_op(a, op));
    } else if (strata_gpu_is_over_rows(d, op) && is_shared(a, mlirOpResultGetOwner(mlirOperationGetOperand(op, 0)))) {
      STRATA_TRY(strata_columns_share(d, mlirOperationGetOperand(op, 0)));
    }
  }
  return d->shared.is_dirty ? strata_emit_barrier(d) : NULL;
}

//===-- Copies ---------------------------------------------------------------------------------------------------===//

static strata_status_t box_of(strata_gpu_distribution_t *d, MlirOperation op, strata_gpu_box_t *box) {
  return strata_gpu_box_read(d, op, 0, mlirValueGetType(mlirOperationGetResult(op, 0)), box);
}

// Elements of a box's inner rows: those of a task where it lies across the rows, else of a part of each row.
static int64_t inner_extent(const strata_bulk_t *bulk) { return bulk->extents[bulk->inner]; }

static bool lies_across(const fetched_t *f) { return f->bulks[0].inner == 0; }

// True if what |f| loads comes in boxes of all rows of a task, whose inner rows have |inner| elements at most and lie
// along dim |along|; of every |f|->n_bulks-th column from |phase| on.
static bool takes_boxes(strata_gpu_distribution_t *d, fetched_t *f, int along, int64_t inner, int64_t phase) {
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
static bool takes_squares(strata_gpu_distribution_t *d, fetched_t *f) {
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

static bool takes_bulk(strata_gpu_distribution_t *d, fetched_t *f) {
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

static MlirValue memory_of(strata_gpu_distribution_t *d, const fetched_t *f) {
  return strata_shared_view(d, f->at, f->loaded.element, f->loaded.count * d->role.group);
}

// Takes note of |op| if it can be fetched ahead.
static strata_status_t note_load(ahead_t *a, MlirOperation op) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue buffer = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(buffer));
  if (!mlirTypeIsAVector(mlirValueGetType(result)) || !strata_gpu_is_read_only(buffer) ||
      !strata_gpu_has_zero_pad(op) || !mlirTypeEqual(strata_type_element(mlirValueGetType(result)), element))
    return NULL;
  int64_t bytes = strata_element_bytes(element);
  fetched_t f = {.op = op, .width = STRATA_VECTOR_BYTES / bytes};
  strata_gpu_box_t box;
  STRATA_TRY(box_of(d, op, &box));
  strata_layout_t layout = *strata_layout_of(d, result);
  f.loaded = strata_registers_in(d, mlirValueGetType(result), &layout);
  if (takes_bulk(d, &f) ? lies_across(&f) && f.n_bulks == 1 : strata_turn_layout(d, result, &box, element, &layout)) {
    layout = f.n_bulks ? bulk_layout(d, f.loaded.type, f.width) : layout;
    f.loaded = strata_registers_in(d, f.loaded.type, &layout);
  }
  strata_transfer_t transfer = strata_gpu_transfer(d, op, 0, &box);
  if (!f.n_bulks && (!d->device->has_async_copy || !strata_transfer_is_whole(d, &transfer, &f.loaded, &f.step)))
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
static bool has_pieces(const ahead_t *a) {
  for (size_t i = 0; i < a->fetched.count; i++)
    if (!a->fetched.data[i].n_bulks)
      return true;
  return false;
}

// Where the piece that register |reg| begins lies.
static MlirValue place(strata_gpu_distribution_t *d, const fetched_t *f, int64_t reg) {
  strata_emitter_t *e = &d->e;
  int64_t piece = reg / (f->step * f->width) * f->step + reg % f->step;
  MlirValue number = strata_emit_binary(e, "arith.addi", d->role.thread, strata_emit_index(e, piece * d->role.group));
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

static int64_t n_boxes(const fetched_t *f) {
  return f->n_bulks ? f->n_bulks * f->bulks[0].box.space.extents[1] / f->bulks[0].extents[1] : 0;
}

// The boxes of all sets lie one behind the other.
static void copy_box(ahead_t *a, const fetched_t *f, int64_t number) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  int64_t of_set = n_boxes(f) / f->n_bulks;
  const strata_bulk_t *bulk = &f->bulks[number / of_set];
  int64_t offsets[2] = {0, number % of_set * bulk->extents[1]};
  MlirValue at = strata_emit_index(e, number * bulk->extents[1] * d->plan.rows);
  const strata_bulk_target_t to = {f->memory, at, a->barriers, strata_emit_index(e, COME), {NULL}};
  strata_bulk_load(d, bulk, offsets, inner_extent(bulk) * strata_element_bytes(f->loaded.element), &to);
}

// By one thread: the arrival with what is to come, then the copies, of all operands in turn.
static void copy_bulk(ahead_t *a) {
  int64_t most = 0;
  strata_phase_expect(a->d, a->barriers, strata_emit_index(&a->d->e, COME), a->bulk_bytes);
  for (size_t i = 0; i < a->fetched.count; i++)
    most = strata_max(most, n_boxes(&a->fetched.data[i]));
  for (int64_t number = 0; number < most; number++)
    for (size_t i = 0; i < a->fetched.count; i++)
      if (number < n_boxes(&a->fetched.data[i]))
        copy_box(a, &a->fetched.data[i], number);
}

static void fetch_bulk(ahead_t *a, MlirValue exists) {
  strata_emitter_t *e = &a->d->e;
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, a->d->role.thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_binary(e, "arith.andi", is_first, exists));
  if (a->arrives)
    strata_phase_wait(a->d, a->barriers, strata_emit_index(e, READ), a->parity);
  copy_bulk(a);
  strata_emit_if_end(e, branch);
}

static strata_status_t fetch_pieces(ahead_t *a, MlirValue exists) {
  strata_gpu_distribution_t *d = a->d;
  for (size_t i = 0; i < a->fetched.count; i++) {
    const fetched_t *f = &a->fetched.data[i];
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

static MlirValue exists(ahead_t *a, MlirValue task) { return strata_emit_cmpi(&a->d->e, STRATA_ULT, task, a->end); }

// The first tasks of all teams in their order, by threads of each: a team waits until those before have asked.
static strata_status_t fetch_first_pieces(ahead_t *a) {
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

static MlirValue barriers_of(const ahead_t *a) {
  return strata_shared_view(a->d, a->barriers_at, mlirIntegerTypeGet(a->d->e.context, 64), N_BARRIERS);
}

// Has |a| speak of the team |number|, whose running task is |task|.
static void change_team(ahead_t *a, MlirValue number, MlirValue task) {
  strata_gpu_distribution_t *d = a->d;
  d->role.group_number = number;
  d->role.task = task;
  a->barriers = barriers_of(a);
  for (size_t i = 0; i < a->fetched.count; i++)
    a->fetched.data[i].memory = memory_of(d, &a->fetched.data[i]);
}

// From the task of a team to that of the block's next.
static int64_t team_step(const strata_gpu_distribution_t *d) {
  return strata_gpu_share(d) > 0 ? 1 : strata_gpu_blocks(d);
}

// One thread of the block asks for the first tasks of all teams, in their order.
static strata_status_t fetch_first_bulk(ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  MlirValue team = d->role.group_number, task = d->role.task;
  int64_t n_teams = strata_block_groups(d);
  STRATA_TRY(strata_shared_reserve(d, N_BARRIERS * (int64_t)sizeof(int64_t), &a->barriers_at));
  MlirValue number = strata_emit_binary(e, "arith.ori", d->role.thread, team);
  strata_loop_t branch = strata_emit_if_begin(e, strata_emit_cmpi(e, STRATA_EQ, number, strata_emit_index(e, 0)));
  for (int64_t i = 0; i < n_teams; i++) {
    d->role.group_number = strata_emit_index(e, i);
    strata_phase_init(d, barriers_of(a), COME, 1);
    if (a->arrives)
      strata_phase_init(d, barriers_of(a), READ, d->role.group / d->device->lanes);
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

// From a task of a team to its next.
static int64_t stride(const strata_gpu_distribution_t *d) { return strata_block_groups(d) * team_step(d); }

static MlirValue end_of_tasks(strata_gpu_distribution_t *d) {
  strata_emitter_t *e = &d->e;
  MlirValue end = strata_emit_index(e, d->plan.n_tasks);
  int64_t share = strata_gpu_share(d);
  if (share == 0)
    return end;
  MlirValue first = strata_emit_binary(e, "arith.subi", d->role.task, d->role.group_number);
  return strata_emit_binary(e, "arith.minui", end, strata_emit_plus(e, first, share));
}

// All threads of the team have read what the last task's copies brought in bulk.
static strata_status_t fetch_next(ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  MlirValue running = d->role.task;
  d->role.task = strata_emit_binary(&d->e, "arith.addi", running, strata_emit_index(&d->e, stride(d)));
  MlirValue is_there = exists(a, d->role.task);
  if (a->bulk_bytes)
    fetch_bulk(a, is_there);
  if (has_pieces(a))
    STRATA_TRY(fetch_pieces(a, is_there));
  d->role.task = running;
  return NULL;
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

// Where sets of boxes of |rows| x every |n|-th of |columns| columns, one behind the other, have an element: units of
// |unit| elements change places in every other four columns.
static void place_in_squares(strata_gpu_box_t *box, int64_t rows, int64_t columns, int64_t n, int64_t unit) {
  enum { COLUMNS_ALIKE = EXCHANGE_BYTES / 2 / SQUARES_SPAN };
  MlirContext context = box->space.d->e.context;
  MlirAffineExpr row = mlirAffineDimExprGet(context, 0), column = mlirAffineDimExprGet(context, 1);
  MlirAffineExpr every = mlirAffineConstantExprGet(context, n), two = mlirAffineConstantExprGet(context, 2);
  MlirAffineExpr length = mlirAffineConstantExprGet(context, unit);
  MlirAffineExpr number = mlirAffineFloorDivExprGet(column, every);
  MlirAffineExpr alike = mlirAffineFloorDivExprGet(number, mlirAffineConstantExprGet(context, COLUMNS_ALIKE));
  MlirAffineExpr units = mlirAffineAddExprGet(mlirAffineFloorDivExprGet(row, length), alike);
  MlirAffineExpr set = scaled(mlirAffineModExprGet(column, every), columns / n * rows);
  MlirAffineExpr in_column =
      mlirAffineAddExprGet(scaled(mlirAffineModExprGet(units, two), unit), mlirAffineModExprGet(row, length));
  box->position = mlirAffineAddExprGet(mlirAffineAddExprGet(set, scaled(number, rows)), in_column);
  box->steps[0] = 1;
}

// Where boxes of all rows, one column behind the other, have an element.
static void place_in_columns(strata_gpu_box_t *box, int64_t rows) {
  MlirContext context = box->space.d->e.context;
  box->is_linear = true;
  box->steps[0] = 1;
  box->steps[1] = rows;
  box->position =
      mlirAffineAddExprGet(scaled(mlirAffineDimExprGet(context, 1), rows), mlirAffineDimExprGet(context, 0));
}

static strata_status_t receive_bulk(strata_gpu_distribution_t *d, fetched_t *f) {
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
static strata_status_t receive(ahead_t *a) {
  strata_gpu_distribution_t *d = a->d;
  strata_emitter_t *e = &d->e;
  strata_named_attr_t pending = {"pending", strata_i64_attr(e->context, 0)};
  if (has_pieces(a))
    strata_emit_op(e, STRATA_TILE_COPY_WAIT, 0, NULL, 0, NULL, 1, &pending);
  if (a->bulk_bytes)
    strata_phase_wait(d, a->barriers, strata_emit_index(e, COME), a->parity);
  for (size_t i = 0; i < a->fetched.count; i++) {
    if (a->fetched.data[i].n_bulks)
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
  for (size_t i = 0; d->state.ahead && i < d->state.ahead->fetched.count; i++) {
    const fetched_t *f = &d->state.ahead->fetched.data[i];
    if (!f->exchange || f->exchange != d->shared.n_exchanges)
      continue;
    MlirValue result = mlirOperationGetResult(f->op, 0);
    strata_registers_t registers;
    STRATA_TRY(strata_registers_again(d, &f->loaded, strata_layout_of(d, result), &registers));
    strata_registers_define(d, result, &registers);
  }
  return NULL;
}

// All that has been received. True in *out_met if all threads have read what came in bulk: a conversion through shared
// memory has seen to that.
static strata_status_t define_all(ahead_t *a, bool *out_met) {
  *out_met = a->bulk_bytes == 0;
  for (size_t i = 0; i < a->fetched.count; i++) {
    STRATA_TRY(define(a, &a->fetched.data[i]));
    *out_met |= a->fetched.data[i].exchange > 0;
  }
  return NULL;
}

// True if threads carry out |op| on their own and write no shared memory.
static bool is_alone(const ahead_t *a, MlirOperation op) {
  if (!strata_op_is(op, "vector.broadcast"))
    return strata_op_is(op, "arith.constant") || strata_gpu_is_arithmetic(op);
  MlirValue source = mlirOperationGetOperand(op, 0);
  return !mlirTypeIsAVector(mlirValueGetType(source)) ||
         (mlirValueIsAOpResult(source) && is_shared(a, mlirOpResultGetOwner(source)));
}

// All threads have read what came in bulk, and what the task before has left in shared memory: the next task comes.
static strata_status_t meet(ahead_t *a) {
  STRATA_TRY(strata_emit_barrier(a->d));
  return fetch_next(a);
}

// The warp has read what came in bulk.
static void arrive(ahead_t *a) {
  strata_emit_fence(a->d, "warp");
  strata_phase_arrive_once(a->d, a->barriers, strata_emit_index(&a->d->e, READ), a->d->device->lanes);
}

// True if no thread writes where one may still read for the task before. What warps have combined is read by the time
// that they wait for one another the next time, in whose order they write; |shared| is as when the task began.
static bool is_read_in_time(const strata_gpu_distribution_t *d, const strata_shared_t *shared) {
  return d->shared.combines.count > 1 && !d->shared.combines.is_mixed && d->shared.n_exchanges == shared->n_exchanges &&
         d->shared.size - shared->size == d->shared.combines.bytes;
}

static strata_status_t emit_task(ahead_t *a, MlirBlock body) {
  strata_gpu_distribution_t *d = a->d;
  MlirOperation terminator = mlirBlockGetTerminator(body);
  bool have_met, meet_at_end;
  strata_gpu_define_task(d, body);
  STRATA_TRY(receive(a));
  STRATA_TRY(define_all(a, &have_met));
  const strata_shared_t shared = d->shared;
  d->shared.combines = (strata_combines_t){0};
  d->state.ahead = a;
  meet_at_end = have_met;
  a->arrives &= !have_met;
  if (have_met)
    STRATA_TRY(fetch_next(a));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, terminator);
       op = mlirOperationGetNextInBlock(op)) {
    if (is_shared(a, op) || fetched_of(a, op))
      continue;
    bool meets = !have_met && !is_alone(a, op);
    have_met |= meets;
    if (meets && a->arrives)
      arrive(a);
    else if (meets)
      STRATA_TRY(meet(a));
    STRATA_TRY(strata_gpu_distribute_op(d, op));
    if (meets && a->arrives)
      STRATA_TRY(fetch_next(a));
  }
  a->arrives &= have_met;
  if (!have_met)
    STRATA_TRY(meet(a));
  d->state.ahead = NULL;
  meet_at_end |= a->arrives && !is_read_in_time(d, &shared);
  return meet_at_end ? strata_emit_barrier(d) : NULL;
}

strata_status_t strata_rows_ahead(strata_gpu_distribution_t *d, MlirOperation forall) {
  ahead_t a = {.d = d};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  strata_emitter_t *e = &d->e;
  MlirValue first = d->role.task;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (strata_op_is(op, "tile.load") && mlirOperationGetNumOperands(op) > 1)
      STRATA_TRY(note_load(&a, op));
  a.end = end_of_tasks(d);
  a.arrives = a.bulk_bytes && !has_pieces(&a) && d->role.group > d->device->lanes;
  STRATA_TRY(request_shared(&a, body));
  if (a.bulk_bytes)
    STRATA_TRY(fetch_first_bulk(&a));
  if (has_pieces(&a))
    STRATA_TRY(fetch_first_pieces(&a));
  STRATA_TRY(emit_shared(&a, body));
  a.parity = strata_emit_integer(e, mlirIntegerTypeGet(e->context, 32), 0);
  strata_loop_t loop = strata_emit_for_begin(e, first, a.end, stride(d), 1, &a.parity, &a.parity);
  d->role.task = loop.induction;
  STRATA_TRY(emit_task(&a, body));
  a.parity = strata_emit_binary(e, "arith.xori", a.parity, strata_emit_integer(e, mlirValueGetType(a.parity), 1));
  strata_emit_for_end(e, loop, 1, &a.parity, &a.parity);
  d->role.task = first;
  return NULL;
}
