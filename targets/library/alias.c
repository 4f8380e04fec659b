// --alias OUTPUT=INPUT: the caller may pass the same memory for both. Where the output is written before the input has
// been read for the last time, it is computed in the pool and copied at the end. What is stored in the input's place
// (affine-store-in-place) has the input copied to it in front, which is nothing where the two are the same memory.
#include "targets/library/emit.h"

#include "dialects/mlir_util.h"
#include "runtime/base/nearest.h"

#include <string.h>

static strata_status_t error_of_name(const strata_program_t *program, size_t first, size_t count, const char *name) {
  strata_nearest_t nearest = strata_nearest(name);
  for (size_t i = first; i < first + count; i++)
    strata_nearest_try(&nearest, program->tensors[i].name, strlen(program->tensors[i].name));
  return strata_error(STRATA_INVALID_ARGUMENT, "--alias: expected the name of an %s, got '%s'%s",
                      first ? "output" : "input", name, strata_nearest_hint(program->compile->arena, &nearest));
}

static strata_status_t find_input(const strata_program_t *program, const char *name, size_t *out_index) {
  for (size_t i = 0; i < program->n_inputs; i++)
    if (strcmp(program->tensors[i].name, name) == 0 || strcmp(program->tensors[i].c_name, name) == 0) {
      *out_index = i;
      return NULL;
    }
  return error_of_name(program, 0, program->n_inputs, name);
}

static bool uses(const strata_program_launch_t *launch, size_t tensor) {
  for (size_t i = 0; i < launch->n_args; i++)
    if (launch->args[i].kind == STRATA_ARG_TENSOR && launch->args[i].index == tensor)
      return true;
  return false;
}

// The first launch behind |from| that is not beside it on another stream.
static size_t end_of_region(const strata_program_launches_t *launches, size_t from) {
  int64_t region = launches->data[from].region;
  size_t end = from + 1;
  while (region >= 0 && end < launches->count && launches->data[end].region == region)
    end++;
  return end;
}

// A kernel may read an element after it has written another, so even one launch that uses both is too many, or a region
// of launches beside one another.
static bool is_written_early(const strata_program_t *program, size_t output, size_t input) {
  bool is_written = false;
  for (size_t from = 0, end; from < program->main.count; from = end) {
    end = end_of_region(&program->main, from);
    for (size_t i = from; i < end; i++)
      is_written |= uses(&program->main.data[i], output);
    for (size_t i = from; i < end && is_written; i++)
      if (uses(&program->main.data[i], input))
        return true;
  }
  return false;
}

static void redirect_launch(strata_arena_t *arena, size_t output, strata_program_arg_t to,
                            strata_program_launch_t *launch) {
  strata_program_arg_t *args = strata_arena_copy(arena, launch->args, launch->n_args * sizeof *args);
  for (size_t i = 0; i < launch->n_args; i++)
    if (args[i].kind == STRATA_ARG_TENSOR && args[i].index == output)
      args[i] = to;
  launch->args = args;
  for (size_t i = 0; i < launch->n_variants; i++)
    redirect_launch(arena, output, to, &launch->variants[i]);
}

// On the cpu the runtime's copy takes bytes for tasks; on a GPU the driver copies.
static strata_program_launch_t copy_launch(strata_program_t *program, strata_program_arg_t from,
                                           strata_program_arg_t to, strata_number_t size) {
  strata_arena_t *arena = program->compile->arena;
  *strata_vector_push(arena, &program->kernels) =
      (strata_program_kernel_t){.symbol = "copy",
                                .entry = STRATA_COPY_ENTRY,
                                .tasks = size,
                                .copy_size = size,
                                .bytes = strata_number_varies(size) ? 0 : 2 * size};
  const strata_program_arg_t args[] = {from, to};
  return (strata_program_launch_t){.kernel = program->kernels.count - 1,
                                   .n_args = 2,
                                   .args = strata_arena_copy(arena, args, sizeof args),
                                   .region = -1};
}

static void redirect(strata_program_t *program, size_t output) {
  enum { POOL_ALIGNMENT = 256 };
  strata_arena_t *arena = program->compile->arena;
  const strata_program_tensor_t *tensor = &program->tensors[output];
  strata_number_t offset = strata_program_round_up(program, program->pool_size, POOL_ALIGNMENT);
  program->pool_size = strata_sizes_op(program->sizes, STRATA_VALUE_ADD, offset, tensor->size);
  const strata_program_arg_t in_pool = {.kind = STRATA_ARG_POOL, .offset = offset};
  for (size_t i = 0; i < program->main.count; i++)
    redirect_launch(arena, output, in_pool, &program->main.data[i]);
  *strata_vector_push(arena, &program->main) =
      copy_launch(program, in_pool, (strata_program_arg_t){.kind = STRATA_ARG_TENSOR, .index = output}, tensor->size);
}

static void copy_in_front(strata_program_t *program, size_t output) {
  const strata_program_tensor_t *tensor = &program->tensors[output];
  const strata_program_arg_t from = {.kind = STRATA_ARG_TENSOR, .index = (size_t)tensor->in_place},
                             to = {.kind = STRATA_ARG_TENSOR, .index = output};
  strata_vector_push(program->compile->arena, &program->main);
  memmove(program->main.data + 1, program->main.data, (program->main.count - 1) * sizeof *program->main.data);
  program->main.data[0] = copy_launch(program, from, to, tensor->size);
}

static const char *size_text(const strata_program_t *program, const strata_program_tensor_t *tensor) {
  return strata_number_varies(tensor->size)
             ? strata_arena_printf(program->compile->arena, "[%s]", tensor->shape_text)
             : strata_arena_printf(program->compile->arena, "%lld bytes", (long long)tensor->size);
}

// An output that is its input with more behind it has been given the input's size where that is known to end.
static const char *growing_hint(const strata_program_tensor_t *output) {
  return strata_number_varies(output->size) ? ", or an input that the output adds to, whose sizes have ranges" : "";
}

static strata_status_t share(strata_program_t *program, size_t output, const char *name) {
  size_t input;
  STRATA_TRY(find_input(program, name, &input));
  const strata_program_tensor_t *in = &program->tensors[input], *out = &program->tensors[output];
  if (in->dtype != out->dtype || in->size != out->size)
    return strata_error(STRATA_INVALID_ARGUMENT,
                        "--alias %s=%s: expected equal types and sizes%s, got %s of %s and %s of %s", out->name,
                        in->name, growing_hint(out), strata_dtype_info[out->dtype].name, size_text(program, out),
                        strata_dtype_info[in->dtype].name, size_text(program, in));
  if (is_written_early(program, output, input))
    redirect(program, output);
  return NULL;
}

static strata_status_t apply(strata_program_t *program, const strata_alias_t *alias) {
  strata_arena_t *arena = program->compile->arena;
  bool is_used = false;
  for (size_t i = program->n_inputs; i < program->n_inputs + program->n_outputs; i++) {
    const char *input = strata_alias_input(arena, alias, strata_str(program->tensors[i].name));
    if (!input)
      input = strata_alias_input(arena, alias, strata_str(program->tensors[i].c_name));
    if (input)
      STRATA_TRY(share(program, i, input));
    is_used |= input != NULL;
  }
  return is_used ? NULL : error_of_name(program, program->n_inputs, program->n_outputs, alias->output);
}

strata_status_t strata_program_apply_aliases(strata_program_t *program) {
  const strata_compile_options_t *options = program->compile->options;
  for (size_t i = 0; i < options->n_aliases; i++)
    STRATA_TRY(apply(program, &options->aliases[i]));
  for (size_t i = 0; i < program->n_outputs; i++)
    if (program->tensors[program->n_inputs + i].in_place >= 0)
      copy_in_front(program, program->n_inputs + i);
  return NULL;
}
