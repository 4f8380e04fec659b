// The exported functions as LLVM IR: thin doors to the runtime's.
//
//   int NAME(const float *x, float *y, int64_t batch) {
//     void *tensors[] = {x, y}; int64_t dims[] = {batch}; return strata_rt_run(tensors, dims, …); }
#include "targets/library/emit.h"

// The function NAME: what the caller gives beyond the tensors is sizes, memory, and on a GPU the stream.
static void print_main_function(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t n = program->n_inputs + program->n_outputs;
  size_t n_dims = strata_symbols_given(&program->symbols);
  bool has_memory = program->options->user_memory, has_stream = has_memory && program->gpu;
  fprintf(printer->file, "define i32 @%s(", program->options->name);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "%sptr %%t%zu", i ? ", " : "", i);
  for (size_t i = 0; i < n_dims; i++)
    fprintf(printer->file, "%si64 %%d%zu", n + i ? ", " : "", i);
  if (has_memory)
    fprintf(printer->file, "%sptr %%memory%s", n + n_dims ? ", " : "", has_stream ? ", ptr %stream" : "");
  fprintf(printer->file, ") nounwind uwtable {\n  %%tensors = alloca [%zu x ptr]\n", n);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "  %%p%zu = getelementptr ptr, ptr %%tensors, i64 %zu\n  store ptr %%t%zu, ptr %%p%zu\n", i,
            i, i, i);
  if (n_dims)
    fprintf(printer->file, "  %%dims = alloca [%zu x i64]\n", n_dims);
  for (size_t i = 0; i < n_dims; i++)
    fprintf(printer->file, "  %%q%zu = getelementptr i64, ptr %%dims, i64 %zu\n  store i64 %%d%zu, ptr %%q%zu\n", i, i,
            i, i);
  fprintf(printer->file,
          "  %%status = call i32 @strata_rt_run(ptr %%tensors, ptr %s, ptr %s, ptr %s)\n  ret i32 %%status\n}\n",
          n_dims ? "%dims" : "null", has_memory ? "%memory" : "null", has_stream ? "%stream" : "null");
}

typedef struct {
  const char *suffix;
  bool is_on_cpu, is_on_gpu, is_of_varying, has_stream;
  const char *result, *parameters, *callee, *arguments; // in LLVM IR; no callee: returns the description
} export_t;

enum { CPU = 1, GPU = 2, ALL = CPU | GPU, VARYING = 4, STREAM = true, NO_STREAM = false };
static const export_t exports[] = {
#define EXPORT(targets, stream, suffix, c_result, c_parameters, result, parameters, callee, arguments, comment)        \
  {suffix,   ((targets)&CPU) != 0, ((targets)&GPU) != 0, ((targets)&VARYING) != 0, stream, result, parameters, callee, \
   arguments},
#include "targets/library/exports.def"
};
enum { N_EXPORTS = sizeof exports / sizeof exports[0] };

static bool is_exported(const strata_program_t *program, const export_t *export) {
  return (program->gpu ? export->is_on_gpu : export->is_on_cpu) && (program->sizes || !export->is_of_varying);
}

static void print_forwarder(strata_ir_printer_t *printer, const strata_program_t *program, const export_t *export) {
  bool has_parameter = export->has_stream && program->gpu;
  fprintf(printer->file, "define %s @%s_%s(%s%s) nounwind uwtable {\n", export->result, program->options->name,
          export->suffix, export->parameters, has_parameter ? ", ptr %stream" : "");
  if (export->callee)
    fprintf(printer->file, "  %%r = tail call %s @%s(%s%s)\n  ret %s %%r\n}\n", export->result, export->callee,
            export->arguments,
            has_parameter        ? ", ptr %stream"
            : export->has_stream ? ", ptr null"
                                 : "",
            export->result);
  else
    fprintf(printer->file, "  ret %s @strata_description\n}\n", export->result);
}

void strata_program_print_functions(const strata_program_t *program, strata_ir_printer_t *printer) {
  print_main_function(printer, program);
  for (size_t i = 0; i < N_EXPORTS; i++)
    if (is_exported(program, &exports[i]))
      print_forwarder(printer, program, &exports[i]);
}

size_t strata_exported_names(const strata_program_t *program, const char *const **out_names) {
  const char **names = strata_arena_array(program->compile->arena, const char *, N_EXPORTS + 1);
  size_t n = 0;
  names[n++] = program->options->name;
  for (size_t i = 0; i < N_EXPORTS; i++)
    if (is_exported(program, &exports[i]))
      names[n++] = strata_arena_printf(program->compile->arena, "%s_%s", program->options->name, exports[i].suffix);
  *out_names = names;
  return n;
}
