// Numbers of a program that may vary: attributes, and how the arguments of loops move.
#include "targets/library/program.h"

#include "dialects/mlir_util.h"

// An attribute that is an integer, or a map of the symbols with one result; |otherwise| where it is neither.
strata_number_t strata_program_read_number(const strata_program_t *program, MlirOperation op, const char *name,
                                           strata_number_t otherwise) {
  MlirAttribute attr = strata_attr(op, name);
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAAffineMap(attr))
    return strata_attr_i64(op, name, otherwise);
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  bool is_one = program->sizes && mlirAffineMapGetNumResults(map) == 1;
  return is_one ? strata_sizes_expr(program->sizes, mlirAffineMapGetResult(map, 0)) : otherwise;
}

strata_number_t strata_program_round_up(const strata_program_t *program, strata_number_t size, int64_t multiple) {
  strata_number_t count = strata_sizes_op(program->sizes, STRATA_VALUE_CEILDIV, size, multiple);
  return strata_sizes_op(program->sizes, STRATA_VALUE_MUL, count, multiple);
}

static strata_number_t size_of_buffer(const strata_program_t *program, const strata_buffer_t *buffer) {
  return buffer->size >= 0 ? buffer->size : strata_sizes_expr(program->sizes, buffer->bytes);
}

static void mark_varying(strata_rt_step_t *step) {
  if (strata_number_varies((int64_t)step->size) || strata_number_varies((int64_t)step->offset))
    step->kind |= STRATA_RT_STEP_VARIES;
}

strata_number_t strata_program_loop_count(const strata_program_t *program, const strata_counted_loop_t *loop) {
  return strata_program_read_number(program, loop->declaration, STRATA_LOOP_COUNT, 0);
}

// Bytes of a row; where there is no row nobody asks.
static strata_number_t row_size(const strata_program_t *program, strata_number_t count, strata_number_t size) {
  strata_number_t rows = strata_sizes_op(program->sizes, STRATA_VALUE_MAX, count, 1);
  return strata_sizes_op(program->sizes, STRATA_VALUE_FLOORDIV, size, rows);
}

static strata_number_t negative(const strata_program_t *program, strata_number_t number) {
  MlirContext context = program->compile->context;
  if (!strata_number_varies(number))
    return strata_sizes_expr(program->sizes, mlirAffineConstantExprGet(context, -number));
  strata_number_t minus = strata_sizes_expr(program->sizes, mlirAffineConstantExprGet(context, -1));
  return strata_sizes_op(program->sizes, STRATA_VALUE_MUL, number, minus);
}

// A scan's argument is moved by a row in each iteration, from the last row backwards if it is reversed.
static void step_rows(const strata_program_t *program, const strata_counted_loop_t *loop, strata_number_t size,
                      int scan, strata_rt_step_t *step, strata_program_arg_t *arg) {
  strata_number_t count = strata_program_loop_count(program, loop), row = row_size(program, count, size);
  *step = (strata_rt_step_t){.kind = STRATA_RT_ROW, .stride = row};
  if (strata_number_varies(row))
    step->kind |= STRATA_RT_STEP_VARIES;
  if (!loop->reversed[scan])
    return;
  strata_number_t back = negative(program, row);
  step->stride = strata_number_varies(row) ? back : -row;
  strata_number_t all = strata_sizes_op(program->sizes, STRATA_VALUE_MUL, row, count);
  strata_number_t last = strata_sizes_op(program->sizes, STRATA_VALUE_ADD, all, back);
  arg->offset = strata_sizes_op(program->sizes, STRATA_VALUE_ADD, arg->offset, last);
}

// How the arguments move; those of reversed scans are changed to the last row.
const strata_rt_step_t *strata_program_read_steps(const strata_program_t *program, const strata_counted_loop_t *loop,
                                                  const strata_launch_t *launch, const strata_launch_list_t *list,
                                                  strata_program_arg_t *args) {
  enum { STATE_ALIGNMENT = 256 };
  strata_rt_step_t *steps = strata_arena_array(program->compile->arena, strata_rt_step_t, launch->n_args);
  strata_number_t offset = strata_program_read_number(program, loop->declaration, "strata.states", 0);
  int n_operands = strata_counted_loop_n_operands(loop);
  for (int i = 0; i < loop->n_states; i++) {
    strata_number_t own = size_of_buffer(program, &list->buffers.data[launch->args[i]]);
    strata_number_t size = strata_program_round_up(program, own, STATE_ALIGNMENT);
    steps[i] =
        (strata_rt_step_t){.kind = STRATA_RT_STATE, .stride = size, .offset = (uint64_t)offset, .size = (uint64_t)own};
    steps[n_operands + i] = steps[i];
    steps[n_operands + i].kind = STRATA_RT_NEXT_STATE;
    mark_varying(&steps[i]);
    mark_varying(&steps[n_operands + i]);
    offset = strata_sizes_op(program->sizes, STRATA_VALUE_ADD, offset,
                             strata_sizes_op(program->sizes, STRATA_VALUE_MUL, size, 2));
  }
  for (int i = 0; i < loop->n_inputs + loop->n_outputs; i++) {
    int place = i < loop->n_inputs ? loop->n_states + i : n_operands + loop->n_states + i - loop->n_inputs;
    strata_number_t size = size_of_buffer(program, &list->buffers.data[launch->args[place]]);
    step_rows(program, loop, size, i, &steps[place], &args[place]);
  }
  return steps;
}
