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
#include "lowering/expand/ops.h"
#include "lowering/tile_to_gpu/exchange.h"
#include "lowering/tile_to_gpu/groups.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

enum { WIDTH = 4 }; // sums stored and loaded at once, 16 bytes

//===-- The block's steps ----------------------------------------------------------------------------------------===//

// What is shared out is a number (pipelined_launch.c).
static int64_t steps_of(const strata_pipelined_kernel_t *k) { return strata_size_static_value(k->n_steps); }

static int64_t all_steps(const strata_pipelined_kernel_t *k) {
  return strata_size_static_value(k->n_tasks) * steps_of(k);
}

static int64_t share_of(const strata_pipelined_kernel_t *k) { return strata_ceil_div(all_steps(k), k->blocks); }

// Counts the tasks that |block| has a part in.
STRATA_SCHEDULER_BOUNDS(strata_stream_bounds) {
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = first;
  strata_stream_t *s = &k->stream;
  MlirValue steps = strata_emit_index(e, steps_of(k)), share = strata_emit_index(e, share_of(k));
  s->block = block;
  s->begin = strata_emit_binary(e, "arith.muli", block, share);
  MlirValue end = strata_emit_binary(e, "arith.addi", s->begin, share);
  s->end = strata_emit_with(e, "arith.minui", end, all_steps(k));
  MlirValue up = strata_emit_with(e, "arith.addi", s->end, steps_of(k) - 1);
  MlirValue first_task = strata_emit_binary(e, "arith.divui", s->begin, steps);
  s->tasks_end = strata_emit_binary(e, "arith.divui", up, steps);
  MlirValue count = strata_emit_binary(e, "arith.subi", s->tasks_end, first_task);
  *out_bounds = (strata_bounds_t){strata_emit_index(e, 0), count, 1, false};
  return true;
}

STRATA_SCHEDULER_TASK(strata_stream_task) {
  (void)block;
  strata_emitter_t *e = &d->e;
  strata_pipelined_kernel_t *k = first;
  strata_stream_t *s = &k->stream;
  MlirValue steps = strata_emit_index(e, steps_of(k));
  MlirValue behind = strata_emit_with(e, "arith.addi", counter, 1);
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

static strata_exchange_t exchange_of(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k,
                                     MlirValue block) {
  return (strata_exchange_t){.d = d,
                             .by = &strata_memory_transport,
                             .element = k->product.sum,
                             .width = WIDTH,
                             .count = count_sums(k) / WIDTH,
                             .memory = scratch(d, 2),
                             .flags = scratch(d, 1),
                             .rank = block};
}

static void leave(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const MlirValue *sums) {
  strata_exchange_t x = exchange_of(d, k, k->stream.block);
  strata_exchange_by_threads(&x);
  strata_exchange_put(&x, (MlirValue){0}, x.count, sums);
  x.by->arrive(&x);
}

// The block that has the task's first step is the first of those to be waited for; none are where it is this one.
static strata_status_t collect(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue *sums) {
  strata_emitter_t *e = &d->e;
  MlirValue state[STRATA_EMIT_CARRIED];
  int count = (int)count_sums(k);
  MlirValue first = strata_emit_with(e, "arith.divui", k->stream.task_begin, share_of(k));
  strata_loop_t loop = strata_emit_for_begin(e, first, k->stream.block, 1, count, sums, state);
  strata_exchange_t x = exchange_of(d, k, loop.induction);
  STRATA_TRY(x.by->wait(&x));
  strata_exchange_by_threads(&x);
  strata_exchange_take(&x, strata_exchange_sums(&x), state);
  strata_emit_for_end(e, loop, count, state, sums);
  return NULL;
}

//===-- The epilogue ---------------------------------------------------------------------------------------------===//

// What follows a task's products only the block that has its last steps does.
STRATA_SCHEDULER_FIXUP(strata_stream_fixup) {
  strata_emitter_t *e = &d->e;
  STRATA_TRY(strata_own_sums(d, k, sums, out_own));
  MlirValue is_last = strata_emit_cmpi(e, STRATA_EQ, k->stream.upper, strata_emit_index(e, steps_of(k)));
  k->stream.sums = strata_arena_copy(d->compile->arena, out_own, (size_t)count_sums(k) * sizeof *out_own);
  k->stream.branch = strata_emit_if_begin(e, is_last);
  return collect(d, k, out_own);
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
