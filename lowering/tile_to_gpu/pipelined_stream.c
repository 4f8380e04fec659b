// Pipelined products whose blocks have an equal share of all tasks' steps each (stream-K, Osama et al., PPoPP 2023):
// task after task, s steps of each, as one line of steps, of which block b has [b * share, (b + 1) * share).
//
//   for its tasks, the last first:                      steps [lower, upper) of the task are the block's
//     the products of those steps
//     if they are the task's last (upper = s): the sums of the blocks before this one that have the steps in front, in
//                                              their order; the epilogue
//     else:                                    the sums to memory; the block's flag is raised
//
// A block leaves at most one task to others, the first it works on, so that its sums are there long before the next
// block, whose last task it is, asks for them. And it waits for blocks of lower numbers only, which have begun before
// it: it cannot keep them from running.
#include "lowering/tile_to_gpu/schedulers.h"

#include "dialects/integers.h"
#include "dialects/tile/tile.h"
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/barriers.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

enum { WIDTH = 4 }; // sums stored and loaded at once, 16 bytes

//===-- The block's steps ----------------------------------------------------------------------------------------===//

static int64_t all_steps(const strata_pipelined_kernel_t *k) { return k->n_tasks * k->n_steps; }
static int64_t share_of(const strata_pipelined_kernel_t *k) { return strata_ceil_div(all_steps(k), k->blocks); }

// Counts the tasks that |block| has a part in.
STRATA_SCHEDULER_BOUNDS(strata_stream_bounds) {
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = first;
  strata_stream_t *s = &k->stream;
  MlirValue steps = strata_emit_index(e, k->n_steps), share = strata_emit_index(e, share_of(k));
  s->block = block;
  s->begin = strata_emit_binary(e, "arith.muli", block, share);
  MlirValue end = strata_emit_binary(e, "arith.addi", s->begin, share);
  s->end = strata_emit_binary(e, "arith.minui", end, strata_emit_index(e, all_steps(k)));
  MlirValue up = strata_emit_binary(e, "arith.addi", s->end, strata_emit_index(e, k->n_steps - 1));
  MlirValue first_task = strata_emit_binary(e, "arith.divui", s->begin, steps);
  s->tasks_end = strata_emit_binary(e, "arith.divui", up, steps);
  MlirValue count = strata_emit_binary(e, "arith.subi", s->tasks_end, first_task);
  *out_bounds = (strata_bounds_t){strata_emit_index(e, 0), count, 1};
  return true;
}

STRATA_SCHEDULER_TASK(strata_stream_task) {
  (void)block;
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = first;
  strata_stream_t *s = &k->stream;
  MlirValue steps = strata_emit_index(e, k->n_steps);
  MlirValue behind = strata_emit_binary(e, "arith.addi", counter, strata_emit_index(e, 1));
  MlirValue task = strata_emit_binary(e, "arith.subi", s->tasks_end, behind);
  s->task_begin = strata_emit_binary(e, "arith.muli", task, steps);
  MlirValue from = strata_emit_binary(e, "arith.maxui", s->begin, s->task_begin);
  s->lower = strata_emit_binary(e, "arith.subi", from, s->task_begin);
  MlirValue to = strata_emit_binary(e, "arith.subi", s->end, s->task_begin);
  s->upper = strata_emit_binary(e, "arith.minui", to, steps);
  return task;
}

STRATA_SCHEDULER_STEPS(strata_stream_steps) {
  MlirValue lower, upper;
  strata_all_steps(d, k, &lower, &upper);
  *out_lower = k->stream.lower;
  *out_upper = k->stream.upper;
}

//===-- Sums in memory -------------------------------------------------------------------------------------------===//

static int64_t count_sums(const strata_pipelined_kernel_t *k) { return strata_layout_registers(&k->product.layout); }

// Of the kernel's arguments, from its end: the words of all blocks' sums, a flag a block.
static MlirValue scratch(strata_gpu_distribution_t *d, intptr_t from_end) {
  MlirBlock body = strata_func_body(d->func);
  return strata_new_scalar(d, mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - from_end));
}
static MlirValue words(strata_gpu_distribution_t *d) { return scratch(d, 2); }
static MlirValue flags(strata_gpu_distribution_t *d) { return scratch(d, 1); }

// Where vector |vector| of the thread's sums is among those of |block|: by vector, by thread.
static MlirValue place(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue block,
                       int64_t vector) {
  strata_emitter_t *e = &d->e;
  MlirValue at = strata_emit_binary(e, "arith.muli", block, strata_emit_index(e, count_sums(k) * d->role.group));
  MlirValue thread = strata_emit_binary(e, "arith.muli", d->role.thread, strata_emit_index(e, WIDTH));
  at = strata_emit_binary(e, "arith.addi", at, thread);
  return strata_emit_binary(e, "arith.addi", at, strata_emit_index(e, vector * d->role.group * WIDTH));
}

static MlirType vector_of(MlirType element) {
  int64_t width = WIDTH;
  return mlirVectorTypeGet(1, &width, element);
}

static MlirType words_type(const strata_gpu_distribution_t *d) {
  return vector_of(mlirIntegerTypeGet(d->e.context, 32));
}

// |value| as |type|, of as many bits.
static MlirValue as(strata_emitter_t *e, MlirValue value, MlirType type) {
  return mlirTypeEqual(mlirValueGetType(value), type) ? value : strata_emit_cast(e, "arith.bitcast", value, type);
}

static void emit_flag(strata_gpu_distribution_t *d, const char *name, MlirValue block) {
  strata_emitter_t *e = &d->e;
  MlirValue operands[] = {flags(d), block};
  MlirValue is_first = strata_emit_cmpi(e, STRATA_EQ, d->role.thread, strata_emit_index(e, 0));
  strata_loop_t branch = strata_emit_if_begin(e, is_first);
  strata_emit_op(e, name, 2, operands, 0, NULL, 0, NULL);
  strata_emit_if_end(e, branch);
}

static void leave(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  MlirValue block = k->stream.block;
  for (int64_t vector = 0; vector < count_sums(k) / WIDTH; vector++) {
    MlirValue value =
        strata_emit_value(e, "vector.from_elements", WIDTH, sums + vector * WIDTH, vector_of(k->product.sum), 0, NULL);
    MlirValue operands[] = {as(e, value, words_type(d)), words(d), place(d, k, block, vector)};
    strata_emit_op(e, "vector.store", 3, operands, 0, NULL, 0, NULL);
  }
  strata_emit_consumers_barrier(d);
  emit_flag(d, STRATA_TILE_FLAG_RAISE, block);
}

static void add(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue block, MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  MlirType element = k->product.sum;
  for (int64_t vector = 0; vector < count_sums(k) / WIDTH; vector++) {
    MlirValue operands[] = {words(d), place(d, k, block, vector)};
    MlirValue loaded = strata_emit_value(e, "vector.load", 2, operands, words_type(d), 0, NULL);
    MlirValue other = as(e, loaded, vector_of(element));
    for (int64_t i = 0; i < WIDTH; i++) {
      MlirValue part = strata_lanes_extract(e, other, i);
      MlirValue *sum = &sums[vector * WIDTH + i];
      *sum = strata_emit_binary(e, mlirTypeIsAFloat(element) ? "arith.addf" : "arith.addi", *sum, part);
    }
  }
}

// The block that has the task's first step is the first of those to be waited for; none are where it is this one.
static void collect(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  MlirValue state[STRATA_EMIT_CARRIED];
  int count = (int)count_sums(k);
  MlirValue first = strata_emit_binary(e, "arith.divui", k->stream.task_begin, strata_emit_index(e, share_of(k)));
  strata_loop_t loop = strata_emit_for_begin(e, first, k->stream.block, 1, count, sums, state);
  emit_flag(d, STRATA_TILE_FLAG_AWAIT, loop.induction);
  strata_emit_consumers_barrier(d);
  add(d, k, loop.induction, state);
  strata_emit_for_end(e, loop, count, state, sums);
}

//===-- The epilogue ---------------------------------------------------------------------------------------------===//

// What follows a task's products only the block that has its last steps does.
STRATA_SCHEDULER_FIXUP(strata_stream_fixup) {
  strata_emitter_t *e = &d->e;
  STRATA_TRY(strata_own_sums(d, k, sums, out_own));
  MlirValue is_last = strata_emit_cmpi(e, STRATA_EQ, k->stream.upper, strata_emit_index(e, k->n_steps));
  k->stream.sums = strata_arena_copy(d->compile->arena, out_own, (size_t)count_sums(k) * sizeof *out_own);
  k->stream.branch = strata_emit_if_begin(e, is_last);
  collect(d, k, out_own);
  return NULL;
}

void strata_stream_end(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k) {
  strata_emit_if_else(&d->e, k->stream.branch);
  leave(d, k, k->stream.sums);
  strata_emit_if_end(&d->e, k->stream.branch);
}

strata_status_t strata_stream_check(const strata_gpu_distribution_t *d, MlirOperation op) {
  MlirBlock body = strata_func_body(d->func);
  intptr_t n = mlirBlockGetNumArguments(body);
  if (n < 2 || strata_value_has_uses(mlirBlockGetArgument(body, n - 1)) ||
      strata_value_has_uses(mlirBlockGetArgument(body, n - 2)))
    return strata_gpu_missing(op, "shares of all tasks' steps, but of single products and with scratch memory,");
  return NULL;
}
