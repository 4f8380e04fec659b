// The program of runtime/cpu/program.h and the exported functions as LLVM IR. Types and members here must agree with
// that file.
//
//   int NAME(const float *x, float *y) { void *tensors[] = {x, y}; return strata_rt_run(tensors, …); }
#include "runtime/cpu/program.h"
#include "targets/library/emit.h"

#include <string.h>

static const char types[] = "%kernel = type { ptr, i64 }\n"
                            "%arg = type { i32, i32, i64 }\n"
                            "%launch = type { i32, i32, i64, i64 }\n"
                            "%list = type { ptr, i64, ptr }\n"
                            "%constant = type { i64, i64, i64 }\n"
                            "%program = type { ptr, %list, %list, ptr, ptr, ptr, i64, i64, i64, i64, ptr, i64, i64, "
                            "ptr, i64, i32, i32 }\n"
                            "declare hidden void @" STRATA_COPY_ENTRY "(ptr, i64, i64, ptr)\n";

static void print_entries(strata_ir_printer_t *printer, const strata_program_t *program) {
  for (size_t i = 0; i < program->kernels.count; i++)
    if (strcmp(program->kernels.data[i].entry, STRATA_COPY_ENTRY) != 0)
      fprintf(printer->file, "declare hidden void @\"%s\"(ptr, i64, i64, ptr)\n", program->kernels.data[i].entry);
  fprintf(printer->file, "@entries = private constant [%zu x %%kernel] [", program->kernels.count);
  for (size_t i = 0; i < program->kernels.count; i++)
    fprintf(printer->file, "%s%%kernel { ptr @\"%s\", i64 %lld }", i ? ", " : "", program->kernels.data[i].entry,
            (long long)program->kernels.data[i].tasks);
  fputs("]\n", printer->file);
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

// @<name>_launches and @<name>_args; returns the most arguments of a launch.
static size_t print_list(strata_ir_printer_t *printer, const strata_program_t *program,
                         const strata_program_launches_t *launches, bool is_main) {
  const char *name = is_main ? "main" : "prepare";
  size_t n_args = 0, most = 0;
  fprintf(printer->file, "@%s_launches = private constant [%zu x %%launch] [", name, launches->count);
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_launch_t *launch = &launches->data[i];
    fprintf(printer->file, "%s%%launch { i32 %zu, i32 %zu, i64 %zu, i64 0 }", i ? ", " : "", launch->kernel,
            launch->n_args, n_args);
    n_args += launch->n_args;
    most = launch->n_args > most ? launch->n_args : most;
  }
  fprintf(printer->file, "]\n@%s_args = private constant [%zu x %%arg] [", name, n_args);
  for (size_t i = 0, n = 0; i < launches->count; i++)
    for (size_t j = 0; j < launches->data[i].n_args; j++, n++) {
      const strata_program_arg_t *arg = &launches->data[i].args[j];
      fprintf(printer->file, "%s%%arg { i32 %d, i32 %zu, i64 %lld }", n ? ", " : "",
              (int)kind_of(program, arg, is_main), arg->index, (long long)arg->offset);
    }
  fputs("]\n", printer->file);
  return most;
}

static void print_constants(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t n = program->constants.count;
  fprintf(printer->file, "@constant_table = private constant [%zu x %%constant] [", n);
  for (size_t i = 0; i < n; i++) {
    const strata_program_constant_t *constant = &program->constants.data[i];
    fprintf(printer->file, "%s%%constant { i64 %lld, i64 %lld, i64 %d }", i ? ", " : "",
            (long long)constant->weights_offset, (long long)constant->tensor.size, constant->is_present);
  }
  fputs("]\n", printer->file);
  size_t n_public = 0;
  for (size_t i = 0; i < n; i++)
    n_public += strata_program_is_public(&program->constants.data[i]);
  fprintf(printer->file, "@public_constants = private constant [%zu x i32] [", n_public);
  for (size_t i = 0, k = 0; i < n; i++)
    if (strata_program_is_public(&program->constants.data[i]))
      fprintf(printer->file, "%si32 %zu", k++ ? ", " : "", i);
  fputs("]\n", printer->file);
}

//===-- Exported functions ---------------------------------------------------------------------------------------===//

static void print_main_function(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t n = program->n_inputs + program->n_outputs;
  fprintf(printer->file, "define i32 @%s(", program->options->name);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "%sptr %%t%zu", i ? ", " : "", i);
  if (program->options->user_memory)
    fprintf(printer->file, "%sptr %%workspace", n ? ", " : "");
  fprintf(printer->file, ") nounwind uwtable {\n  %%tensors = alloca [%zu x ptr]\n", n);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "  %%p%zu = getelementptr ptr, ptr %%tensors, i64 %zu\n  store ptr %%t%zu, ptr %%p%zu\n", i,
            i, i, i);
  fprintf(printer->file,
          "  %%status = call i32 @strata_rt_run(ptr %%tensors, ptr null, ptr %s, ptr null)\n  ret i32 %%status\n}\n",
          program->options->user_memory ? "%workspace" : "null");
}

// A function that only calls the runtime's, or, where there is none, returns the description.
static void print_forwarder(strata_ir_printer_t *printer, const char *name, const char *suffix, const char *result,
                            const char *parameters, const char *callee, const char *arguments) {
  fprintf(printer->file, "define %s @%s_%s(%s) nounwind uwtable {\n", result, name, suffix, parameters);
  if (callee)
    fprintf(printer->file, "  %%r = tail call %s @%s(%s)\n  ret %s %%r\n}\n", result, callee, arguments, result);
  else
    fprintf(printer->file, "  ret %s @strata_description\n}\n", result);
}

static void print_functions(strata_ir_printer_t *printer, const strata_program_t *program) {
  print_main_function(printer, program);
#define EXPORT(suffix, c_result, c_parameters, result, parameters, callee, arguments, comment)                         \
  print_forwarder(printer, program->options->name, suffix, result, parameters, callee, arguments);
#include "targets/library/exports.def"
}

size_t strata_exported_names(const strata_program_t *program, const char *const **out_names) {
  static const char *const suffixes[] = {
      "",
#define EXPORT(suffix, ...) "_" suffix,
#include "targets/library/exports.def"
  };
  enum { COUNT = sizeof suffixes / sizeof suffixes[0] };
  const char **names = strata_arena_array(program->compile->arena, const char *, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    names[i] = strata_arena_printf(program->compile->arena, "%s%s", program->options->name, suffixes[i]);
  *out_names = names;
  return COUNT;
}

//===-- The program ----------------------------------------------------------------------------------------------===//

const char *strata_weights_section(const strata_cpu_device_t *device) {
  // On x86-64 away from code and data, which must be near each other: weights may take more than 2 GiB.
  return strncmp(device->triple, "x86_64", 6) == 0 ? ".lrodata" : ".rodata.strata_weights";
}

// The section is made with nothing in it but a symbol; strata_write_object fills it.
static void print_weights_symbol(strata_ir_printer_t *printer, const strata_cpu_device_t *device) {
  bool is_large = strncmp(device->triple, "x86_64", 6) == 0;
  fprintf(printer->file,
          "module asm \".section %s,\\22%s\\22,@progbits\"\nmodule asm \".p2align 12\"\n"
          "module asm \".globl " STRATA_WEIGHTS_SYMBOL "\"\nmodule asm \".hidden " STRATA_WEIGHTS_SYMBOL "\"\n"
          "module asm \".type " STRATA_WEIGHTS_SYMBOL ", %%object\"\n"
          "module asm \"" STRATA_WEIGHTS_SYMBOL ": .byte 0\"\n@" STRATA_WEIGHTS_SYMBOL " = external hidden global i8\n",
          strata_weights_section(device), is_large ? "al" : "a");
}

void strata_program_print_cpu_tables(const strata_program_t *program, const strata_cpu_device_t *device,
                                     strata_ir_printer_t *printer) {
  const strata_library_options_t *options = program->options;
  bool is_file = options->weights == STRATA_WEIGHTS_FILE, has_weights = program->weights_size > 0;
  fputs(types, printer->file);
  print_entries(printer, program);
  size_t max_main = print_list(printer, program, &program->main, true);
  size_t max_prepare = print_list(printer, program, &program->prepare, false);
  print_constants(printer, program);
  if (has_weights && !is_file)
    print_weights_symbol(printer, device);
  size_t file = strata_ir_string(printer, strata_arena_printf(program->compile->arena, "%s.weights", options->name));
  fprintf(printer->file,
          "@strata_rt_program = hidden constant %%program { ptr @strata_description, "
          "%%list { ptr @main_launches, i64 %zu, ptr @main_args }, "
          "%%list { ptr @prepare_launches, i64 %zu, ptr @prepare_args }, "
          "ptr @entries, ptr @constant_table, ptr @public_constants, i64 %zu, i64 %lld, i64 %lld, i64 %zu, "
          "ptr %s, i64 %lld, i64 %llu, ptr @g%zu, i64 %llu, i32 %d, i32 %d }\n",
          program->main.count, program->prepare.count, program->constants.count, (long long)program->pool_size,
          (long long)program->scratch_size, max_main > max_prepare ? max_main : max_prepare,
          has_weights && !is_file ? "@" STRATA_WEIGHTS_SYMBOL : "null", (long long)program->weights_size,
          (unsigned long long)program->weights_checksum, file, (unsigned long long)strata_required_features(device),
          program->compile->options->threads, options->user_memory);
  print_functions(printer, program);
}
