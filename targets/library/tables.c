// The tables of runtime/library/tables.h as LLVM IR: launches with their arguments, and constants. Types and members
// here must agree with that file.
#include "runtime/library/tables.h"
#include "targets/library/emit.h"

#include <string.h>

void strata_ir_print_table_types(strata_ir_printer_t *printer) {
  fputs("%arg = type { i32, i32, i64 }\n"
        "%launch = type { i32, i16, i8, i8, i64, i64 }\n"
        "%loop = type { i64, i64, i64, i64, i64, i64, i64, i64 }\n"
        "%step = type { i64, i64, i64, i64 }\n"
        "%list = type { ptr, i64, ptr, i64, ptr, ptr }\n"
        "%constant = type { i64, i64, i64 }\n"
        "%value = type { i64, i64, i64 }\n"
        "%check = type { i64, i64, i64, i64, ptr }\n"
        "%sizes = type { i64, ptr, i64, ptr, ptr }\n",
        printer->file);
}

static strata_rt_arg_kind_t kind_of(const strata_program_t *program, const strata_program_arg_t *arg, bool is_main) {
  switch (arg->kind) {
  case STRATA_ARG_TENSOR:
    return STRATA_RT_TENSOR;
  case STRATA_ARG_POOL:
    return STRATA_RT_POOL;
  case STRATA_ARG_SIZE:
    return STRATA_RT_SIZE;
  case STRATA_ARG_CONSTANT:
    break;
  }
  return program->constants.data[arg->index].is_prepared && !is_main ? STRATA_RT_PREPARED : STRATA_RT_CONSTANT;
}

// A function's launches and, behind them, those of the bodies of its loops and those of which one is picked: |all| in
// the order of the table.
typedef struct {
  const strata_program_loop_t *loop;
  size_t first_launch, first_step;
} numbered_loop_t;

typedef struct {
  const strata_program_launch_t *launch;
  unsigned order;      // as strata_program_order says
  bool is_picked;      // one of several, and not to be picked from again
  size_t first_picked; // of which it is one by its own number; else 0
} listed_launch_t;

typedef struct {
  STRATA_VECTOR(listed_launch_t) all;
  STRATA_VECTOR(numbered_loop_t) loops; // in the order of their launches
  size_t n_own, n_args, n_steps, most_args;
} listing_t;

static void add_launches(strata_arena_t *arena, const strata_program_launches_t *launches, listing_t *listing) {
  for (size_t i = 0; i < launches->count; i++)
    *strata_vector_push(arena, &listing->all) =
        (listed_launch_t){.launch = &launches->data[i], .order = strata_program_order(launches, i)};
}

// The launches of which launch |at| is one by the call's sizes: itself, and its variants.
static void add_variants(strata_arena_t *arena, listing_t *listing, size_t at) {
  const strata_program_launch_t *launch = listing->all.data[at].launch;
  listing->all.data[at].first_picked = listing->all.count;
  *strata_vector_push(arena, &listing->all) = (listed_launch_t){.launch = launch, .is_picked = true};
  for (size_t i = 0; i < launch->n_variants; i++)
    *strata_vector_push(arena, &listing->all) = (listed_launch_t){.launch = &launch->variants[i], .is_picked = true};
}

// Whether it has arguments of its own in the table.
static bool picks(const listed_launch_t *listed) { return listed->first_picked > 0; }
static size_t args_of(const listed_launch_t *listed) { return picks(listed) ? 0 : listed->launch->n_args; }

static listing_t list_launches(strata_arena_t *arena, const strata_program_launches_t *launches) {
  listing_t listing = {.n_own = launches->count};
  add_launches(arena, launches, &listing);
  for (size_t i = 0; i < listing.all.count; i++) {
    const strata_program_launch_t *launch = listing.all.data[i].launch;
    if (launch->n_variants && !listing.all.data[i].is_picked) {
      add_variants(arena, &listing, i);
      continue;
    }
    listing.n_args += launch->n_args;
    if (!launch->loop) {
      listing.most_args = launch->n_args > listing.most_args ? launch->n_args : listing.most_args;
      continue;
    }
    *strata_vector_push(arena, &listing.loops) = (numbered_loop_t){launch->loop, listing.all.count, listing.n_steps};
    listing.n_steps += launch->n_args;
    add_launches(arena, &launch->loop->body, &listing);
  }
  return listing;
}

static void print_launches(strata_ir_printer_t *printer, const strata_program_t *program, const listing_t *listing) {
  size_t n_args = 0, n_loops = 0;
  fprintf(printer->file, "[%zu x %%launch] [", listing->all.count);
  for (size_t i = 0; i < listing->all.count; i++) {
    const listed_launch_t *listed = &listing->all.data[i];
    const strata_program_launch_t *launch = listed->launch;
    if (picks(listed)) {
      fprintf(printer->file, "%s%%launch { i32 %u, i16 0, i8 %u, i8 %u, i64 %zu, i64 %lld }", i ? ", " : "",
              STRATA_RT_PICK, launch->stream, listed->order, listed->first_picked, (long long)launch->pick);
      continue;
    }
    int64_t copied = launch->loop || !program->gpu ? 0 : program->kernels.data[launch->kernel].copy_size;
    unsigned kernel = launch->loop ? STRATA_RT_LOOP : copied ? UINT32_MAX : (unsigned)launch->kernel;
    fprintf(printer->file, "%s%%launch { i32 %u, i16 %zu, i8 %u, i8 %u, i64 %zu, i64 %lld }", i ? ", " : "", kernel,
            launch->n_args, launch->stream, listed->order, n_args,
            launch->loop ? (long long)n_loops++ : (long long)copied);
    n_args += launch->n_args;
  }
  fputs("]\n", printer->file);
}

static void print_args(strata_ir_printer_t *printer, const strata_program_t *program, const listing_t *listing,
                       bool is_main) {
  fprintf(printer->file, "[%zu x %%arg] [", listing->n_args);
  for (size_t i = 0, n = 0; i < listing->all.count; i++)
    for (size_t j = 0; j < args_of(&listing->all.data[i]); j++, n++) {
      const strata_program_arg_t *arg = &listing->all.data[i].launch->args[j];
      fprintf(printer->file, "%s%%arg { i32 %d, i32 %zu, i64 %lld }", n ? ", " : "",
              (int)kind_of(program, arg, is_main), arg->index, (long long)arg->offset);
    }
  fputs("]\n", printer->file);
}

_Static_assert(STRATA_RT_NO_ARG == (uint64_t)-1, "what a loop without a condition or a limit has");

static void print_loops(strata_ir_printer_t *printer, const listing_t *listing) {
  fprintf(printer->file, "[%zu x %%loop] [", listing->loops.count);
  for (size_t i = 0; i < listing->loops.count; i++) {
    const numbered_loop_t *loop = &listing->loops.data[i];
    fprintf(printer->file, "%s%%loop { i64 %lld, i64 %zu, i64 %zu, i64 %zu, i64 %lld, i64 %lld, i64 %lld, i64 %lld }",
            i ? ", " : "", (long long)loop->loop->count, loop->first_launch, loop->loop->body.count, loop->first_step,
            (long long)loop->loop->condition, (long long)loop->loop->limit, (long long)loop->loop->flags,
            (long long)loop->loop->n_flags);
  }
  fputs("]\n", printer->file);
}

static void print_steps(strata_ir_printer_t *printer, const listing_t *listing) {
  fprintf(printer->file, "[%zu x %%step] [", listing->n_steps);
  for (size_t i = 0, n = 0; i < listing->all.count; i++)
    for (size_t j = 0; listing->all.data[i].launch->loop && j < listing->all.data[i].launch->n_args; j++, n++) {
      const strata_rt_step_t *step = &listing->all.data[i].launch->loop->steps[j];
      fprintf(printer->file, "%s%%step { i64 %llu, i64 %lld, i64 %lld, i64 %lld }", n ? ", " : "",
              (unsigned long long)step->kind, (long long)step->stride, (long long)step->offset, (long long)step->size);
    }
  fputs("]\n", printer->file);
}

size_t strata_ir_print_lists(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  size_t most = 0;
  for (int is_main = 0; is_main < 2; is_main++) {
    listing_t listing = list_launches(program->compile->arena, is_main ? &program->main : &program->prepare);
    const char *name = is_main ? "main" : "prepare";
    fprintf(printer->file, "@.%s%s_launches = private constant ", prefix, name);
    print_launches(printer, program, &listing);
    fprintf(printer->file, "@.%s%s_args = private constant ", prefix, name);
    print_args(printer, program, &listing, is_main);
    fprintf(printer->file, "@.%s%s_loops = private constant ", prefix, name);
    print_loops(printer, &listing);
    fprintf(printer->file, "@.%s%s_steps = private constant ", prefix, name);
    print_steps(printer, &listing);
    most = listing.most_args > most ? listing.most_args : most;
  }
  return most;
}

static const char *list_text(const strata_program_t *program, const char *prefix, bool is_main) {
  strata_arena_t *arena = program->compile->arena;
  const strata_program_launches_t *launches = is_main ? &program->main : &program->prepare;
  listing_t listing = list_launches(arena, launches);
  const char *name = strata_arena_printf(arena, "@.%s%s", prefix, is_main ? "main" : "prepare");
  return strata_arena_printf(arena,
                             "%%list { ptr %s_launches, i64 %zu, ptr %s_args, i64 %zu, ptr %s_loops, ptr %s_steps }",
                             name, listing.n_own, name, listing.all.count - listing.n_own, name, name);
}

const char *strata_ir_lists(const strata_program_t *program, const char *prefix) {
  return strata_arena_printf(program->compile->arena, "%s, %s", list_text(program, prefix, true),
                             list_text(program, prefix, false));
}

void strata_ir_print_constants(strata_ir_printer_t *printer, const strata_program_t *program,
                               const strata_program_t *first, const char *prefix) {
  size_t n = program->constants.count, n_public = 0;
  fprintf(printer->file, "@.%sconstant_table = private constant [%zu x %%constant] [", prefix, n);
  for (size_t i = 0; i < n; i++) {
    const strata_program_constant_t *constant = &program->constants.data[i];
    fprintf(printer->file, "%s%%constant { i64 %lld, i64 %lld, i64 %d }", i ? ", " : "",
            constant->is_present ? (long long)constant->weights_offset : (long long)STRATA_RT_UNPLACED,
            (long long)constant->tensor.size, constant->is_present);
    n_public += strata_program_is_public(constant);
  }
  fprintf(printer->file, "]\n@.%spublic_constants = private constant [%zu x i32] [", prefix, n_public);
  for (size_t i = 0, k = 0; i < first->constants.count; i++)
    if (strata_program_is_public(&first->constants.data[i])) {
      const char *name = first->constants.data[i].tensor.name;
      const strata_program_constant_t *own =
          program == first ? &first->constants.data[i] : strata_program_find_constant(program, name);
      fprintf(printer->file, "%si32 %zu", k++ ? ", " : "", (size_t)(own - program->constants.data));
    }
  fputs("]\n", printer->file);
}

//===-- Sizes ----------------------------------------------------------------------------------------------------===//

static void print_values(strata_ir_printer_t *printer, const strata_sizes_t *sizes, const char *prefix) {
  fprintf(printer->file, "@.%svalues = private constant [%zu x %%value] [", prefix, sizes->values.count);
  for (size_t i = 0; i < sizes->values.count; i++) {
    const strata_value_info_t *value = &sizes->values.data[i];
    fprintf(printer->file, "%s%%value { i64 %llu, i64 %lld, i64 %lld }", i ? ", " : "", (unsigned long long)value->op,
            (long long)value->a, (long long)value->b);
  }
  fputs("]\n", printer->file);
}

static void print_checks(strata_ir_printer_t *printer, const strata_sizes_t *sizes, const char *prefix) {
  size_t n = sizes->checks.count, *texts = strata_arena_array(sizes->arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++)
    texts[i] = strata_ir_string(printer, sizes->checks.data[i].text);
  fprintf(printer->file, "@.%schecks = private constant [%zu x %%check] [", prefix, n);
  for (size_t i = 0; i < n; i++) {
    const strata_rt_check_t *check = &sizes->checks.data[i];
    fprintf(printer->file, "%s%%check { i64 %llu, i64 %lld, i64 %lld, i64 %lld, ptr @.g%zu }", i ? ", " : "",
            (unsigned long long)check->value, (long long)check->min, (long long)check->max, (long long)check->multiple,
            texts[i]);
  }
  fputs("]\n", printer->file);
}

static void print_tensor_sizes(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  size_t n = program->n_inputs + program->n_outputs;
  fprintf(printer->file, "@.%stensor_sizes = private constant [%zu x i64] [", prefix, n);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "%si64 %lld", i ? ", " : "", (long long)program->tensors[i].size);
  fputs("]\n", printer->file);
}

const char *strata_ir_print_sizes(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  const strata_sizes_t *sizes = program->sizes;
  if (!sizes)
    return "null";
  print_values(printer, sizes, prefix);
  print_checks(printer, sizes, prefix);
  print_tensor_sizes(printer, program, prefix);
  fprintf(printer->file,
          "@.%ssizes = private constant %%sizes { i64 %zu, ptr @.%svalues, i64 %zu, ptr @.%schecks, "
          "ptr @.%stensor_sizes }\n",
          prefix, sizes->n_given + sizes->values.count, prefix, sizes->checks.count, prefix, prefix);
  return strata_arena_printf(program->compile->arena, "@.%ssizes", prefix);
}

//===-- Weights --------------------------------------------------------------------------------------------------===//

const char *strata_weights_section(const strata_cpu_device_t *device) {
  // On x86-64 away from code and data, which must be near each other: weights may take more than 2 GiB.
  return strata_cpu_is_x86_64(device) ? ".lrodata" : ".rodata.strata_weights";
}

// The section is made with nothing in it but a symbol; strata_write_object fills it.
void strata_ir_print_weights_symbol(strata_ir_printer_t *printer, const strata_cpu_device_t *device) {
  bool is_large = strata_cpu_is_x86_64(device);
  fprintf(printer->file,
          "module asm \".section %s,\\22%s\\22,@progbits\"\nmodule asm \".p2align 12\"\n"
          "module asm \".globl " STRATA_WEIGHTS_SYMBOL "\"\nmodule asm \".hidden " STRATA_WEIGHTS_SYMBOL "\"\n"
          "module asm \".type " STRATA_WEIGHTS_SYMBOL ", %%object\"\n"
          "module asm \"" STRATA_WEIGHTS_SYMBOL ": .byte 0\"\n@" STRATA_WEIGHTS_SYMBOL " = external hidden global i8\n",
          strata_weights_section(device), is_large ? "al" : "a");
}
