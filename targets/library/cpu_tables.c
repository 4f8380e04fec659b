// The program of runtime/cpu/program.h as LLVM IR. Types and members here must agree with that file.
#include "targets/library/emit.h"

#include <string.h>

static const char types[] = "%kernel = type { ptr, i64 }\n"
                            "%program = type { ptr, %list, %list, ptr, ptr, ptr, i64, i64, i64, i64, ptr, i64, i64, "
                            "ptr, i64, i32, i32, ptr }\n"
                            "declare hidden void @" STRATA_COPY_ENTRY "(ptr, i64, i64, ptr)\n";

static void print_entries(strata_ir_printer_t *printer, const strata_program_t *program) {
  for (size_t i = 0; i < program->kernels.count; i++)
    if (strcmp(program->kernels.data[i].entry, STRATA_COPY_ENTRY) != 0)
      fprintf(printer->file, "declare hidden void @\"%s\"(ptr, i64, i64, ptr)\n", program->kernels.data[i].entry);
  fprintf(printer->file, "@.entries = private constant [%zu x %%kernel] [", program->kernels.count);
  for (size_t i = 0; i < program->kernels.count; i++)
    fprintf(printer->file, "%s%%kernel { ptr @\"%s\", i64 %lld }", i ? ", " : "", program->kernels.data[i].entry,
            (long long)program->kernels.data[i].tasks);
  fputs("]\n", printer->file);
}

void strata_program_print_cpu_tables(const strata_program_t *program, const strata_cpu_device_t *device,
                                     strata_ir_printer_t *printer) {
  const strata_library_options_t *options = program->options;
  bool is_file = options->weights == STRATA_WEIGHTS_FILE, has_weights = program->weights_size > 0;
  strata_ir_print_table_types(printer);
  fputs(types, printer->file);
  print_entries(printer, program);
  size_t max_args = strata_ir_print_lists(printer, program, "");
  strata_ir_print_constants(printer, program, program, "");
  if (has_weights && !is_file)
    strata_ir_print_weights_symbol(printer, device);
  size_t file = strata_ir_string(printer, strata_arena_printf(program->compile->arena, "%s.weights", options->name));
  const char *sizes = strata_ir_print_sizes(printer, program, "");
  fprintf(printer->file,
          "@strata_rt_program = hidden constant %%program { ptr @strata_description, "
          "%s, ptr @.entries, ptr @.constant_table, ptr @.public_constants, i64 %zu, i64 %lld, i64 %lld, i64 %zu, "
          "ptr %s, i64 %lld, i64 %llu, ptr @.g%zu, i64 %llu, i32 %d, i32 %d, ptr %s }\n",
          strata_ir_lists(program, ""), program->constants.count, (long long)program->pool_size,
          (long long)program->scratch_size, max_args, has_weights && !is_file ? "@" STRATA_WEIGHTS_SYMBOL : "null",
          (long long)program->weights_size, (unsigned long long)program->weights_checksum, file,
          (unsigned long long)strata_required_features(device), program->compile->options->threads,
          options->user_memory, sizes);
}
