// The tables of runtime/library/tables.h as LLVM IR: launches with their arguments, and constants. Types and members
// here must agree with that file.
#include "runtime/library/tables.h"
#include "targets/library/emit.h"

#include <string.h>

void strata_ir_print_table_types(strata_ir_printer_t *printer) {
  fputs("%arg = type { i32, i32, i64 }\n"
        "%launch = type { i32, i32, i64, i64 }\n"
        "%list = type { ptr, i64, ptr }\n"
        "%constant = type { i64, i64, i64 }\n",
        printer->file);
}

static strata_rt_arg_kind_t kind_of(const strata_program_t *program, const strata_program_arg_t *arg, bool is_main) {
  switch (arg->kind) {
  case STRATA_ARG_TENSOR:
    return STRATA_RT_TENSOR;
  case STRATA_ARG_POOL:
    return STRATA_RT_POOL;
  case STRATA_ARG_CONSTANT:
    break;
  }
  return program->constants.data[arg->index].is_prepared && !is_main ? STRATA_RT_PREPARED : STRATA_RT_CONSTANT;
}

// The launches as an array; returns the most arguments of one.
static size_t print_launches(strata_ir_printer_t *printer, const strata_program_t *program,
                             const strata_program_launches_t *launches) {
  size_t n_args = 0, most = 0;
  fprintf(printer->file, "[%zu x %%launch] [", launches->count);
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_launch_t *launch = &launches->data[i];
    const strata_program_kernel_t *kernel = &program->kernels.data[launch->kernel];
    bool by_driver = kernel->copy_size > 0 && program->gpu;
    fprintf(printer->file, "%s%%launch { i32 %u, i32 %zu, i64 %zu, i64 %lld }", i ? ", " : "",
            by_driver ? UINT32_MAX : (unsigned)launch->kernel, launch->n_args, n_args,
            (long long)(by_driver ? kernel->copy_size : 0));
    n_args += launch->n_args;
    most = launch->n_args > most ? launch->n_args : most;
  }
  fputs("]\n", printer->file);
  return most;
}

static void print_args(strata_ir_printer_t *printer, const strata_program_t *program,
                       const strata_program_launches_t *launches, bool is_main) {
  size_t count = 0;
  for (size_t i = 0; i < launches->count; i++)
    count += launches->data[i].n_args;
  fprintf(printer->file, "[%zu x %%arg] [", count);
  for (size_t i = 0, n = 0; i < launches->count; i++)
    for (size_t j = 0; j < launches->data[i].n_args; j++, n++) {
      const strata_program_arg_t *arg = &launches->data[i].args[j];
      fprintf(printer->file, "%s%%arg { i32 %d, i32 %zu, i64 %lld }", n ? ", " : "",
              (int)kind_of(program, arg, is_main), arg->index, (long long)arg->offset);
    }
  fputs("]\n", printer->file);
}

size_t strata_ir_print_lists(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  size_t most = 0;
  for (int is_main = 0; is_main < 2; is_main++) {
    const strata_program_launches_t *launches = is_main ? &program->main : &program->prepare;
    const char *name = is_main ? "main" : "prepare";
    fprintf(printer->file, "@.%s%s_launches = private constant ", prefix, name);
    size_t n_args = print_launches(printer, program, launches);
    most = n_args > most ? n_args : most;
    fprintf(printer->file, "@.%s%s_args = private constant ", prefix, name);
    print_args(printer, program, launches, is_main);
  }
  return most;
}

const char *strata_ir_lists(const strata_program_t *program, const char *prefix) {
  return strata_arena_printf(program->compile->arena,
                             "%%list { ptr @.%smain_launches, i64 %zu, ptr @.%smain_args }, "
                             "%%list { ptr @.%sprepare_launches, i64 %zu, ptr @.%sprepare_args }",
                             prefix, program->main.count, prefix, prefix, program->prepare.count, prefix);
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

//===-- Weights --------------------------------------------------------------------------------------------------===//

const char *strata_weights_section(const strata_cpu_device_t *device) {
  // On x86-64 away from code and data, which must be near each other: weights may take more than 2 GiB.
  return strncmp(device->triple, "x86_64", 6) == 0 ? ".lrodata" : ".rodata.strata_weights";
}

// The section is made with nothing in it but a symbol; strata_write_object fills it.
void strata_ir_print_weights_symbol(strata_ir_printer_t *printer, const strata_cpu_device_t *device) {
  bool is_large = strncmp(device->triple, "x86_64", 6) == 0;
  fprintf(printer->file,
          "module asm \".section %s,\\22%s\\22,@progbits\"\nmodule asm \".p2align 12\"\n"
          "module asm \".globl " STRATA_WEIGHTS_SYMBOL "\"\nmodule asm \".hidden " STRATA_WEIGHTS_SYMBOL "\"\n"
          "module asm \".type " STRATA_WEIGHTS_SYMBOL ", %%object\"\n"
          "module asm \"" STRATA_WEIGHTS_SYMBOL ": .byte 0\"\n@" STRATA_WEIGHTS_SYMBOL " = external hidden global i8\n",
          strata_weights_section(device), is_large ? "al" : "a");
}
