// The description of runtime/include/strata/runtime.h as LLVM IR. Types and members here must agree with that file.
// Names of constants begin with a dot, so that no function that a user names is called so.
#include "passes/affine/origins.h"
#include "targets/library/emit.h"

#include <stddef.h>
#include <string.h>

// As LLVM IR spells bytes in quotes. Images of device code are long: pieces are spelled in memory.
static void print_spelled(FILE *file, const unsigned char *bytes, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  enum { PIECE = 1024, LONGEST = 3 };
  char text[PIECE * LONGEST], *end = text;
  for (size_t i = 0; i < size; i++) {
    if (bytes[i] >= ' ' && bytes[i] < 127 && bytes[i] != '"' && bytes[i] != '\\') {
      *end++ = (char)bytes[i];
    } else {
      *end++ = '\\';
      *end++ = digits[bytes[i] >> 4];
      *end++ = digits[bytes[i] & 15];
    }
    if (i % PIECE == PIECE - 1 || i == size - 1) {
      fwrite(text, 1, (size_t)(end - text), file);
      end = text;
    }
  }
}

size_t strata_ir_bytes(strata_ir_printer_t *printer, const void *data, size_t size, int alignment) {
  size_t number = printer->n_globals++;
  fprintf(printer->file, "@.g%zu = private unnamed_addr constant [%zu x i8] c\"", number, size);
  print_spelled(printer->file, data, size);
  fprintf(printer->file, "\", align %d\n", alignment);
  return number;
}

size_t strata_ir_string(strata_ir_printer_t *printer, const char *text) {
  return strata_ir_bytes(printer, text, strlen(text) + 1, 1);
}

static size_t print_i64s(strata_ir_printer_t *printer, size_t n, const int64_t *numbers) {
  size_t number = printer->n_globals++;
  fprintf(printer->file, "@.g%zu = private unnamed_addr constant [%zu x i64] [", number, n);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "%si64 %lld", i ? ", " : "", (long long)numbers[i]);
  fputs("]\n", printer->file);
  return number;
}

// What does not vary; else the description has 0.
static long long or_zero(strata_number_t number) { return strata_number_varies(number) ? 0 : (long long)number; }

static size_t print_tensor(strata_ir_printer_t *printer, const strata_program_tensor_t *tensor) {
  size_t name = strata_ir_string(printer, tensor->name), c_name = strata_ir_string(printer, tensor->c_name);
  size_t shape = print_i64s(printer, (size_t)tensor->rank, tensor->shape), number = printer->n_globals++;
  fprintf(printer->file,
          "@.g%zu = private constant %%tensor_info { ptr @.g%zu, ptr @.g%zu, i32 %d, i32 %d, ptr @.g%zu, i64 %lld }\n",
          number, name, c_name, (int)tensor->dtype, tensor->rank, shape, or_zero(tensor->size));
  return number;
}

static size_t print_kernel(strata_ir_printer_t *printer, const strata_program_kernel_t *kernel) {
  size_t name = strata_ir_string(printer, kernel->symbol), number = printer->n_globals++;
  fprintf(printer->file, "@.g%zu = private constant %%kernel_info { ptr @.g%zu, i64 %lld, i64 %lld, i64 %lld }\n",
          number, name, or_zero(kernel->tasks), (long long)kernel->bytes, (long long)kernel->flops);
  return number;
}

// An array of pointers to numbered constants.
static void print_pointers(strata_ir_printer_t *printer, const char *name, size_t n, const size_t *numbers) {
  fprintf(printer->file, "@.%s = private constant [%zu x ptr] [", name, n);
  for (size_t i = 0; i < n; i++)
    fprintf(printer->file, "%sptr @.g%zu", i ? ", " : "", numbers[i]);
  fputs("]\n", printer->file);
}

static void print_tensors(strata_ir_printer_t *printer, strata_arena_t *arena, const char *name, size_t n,
                          const strata_program_tensor_t *tensors) {
  size_t *numbers = strata_arena_array(arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++)
    numbers[i] = print_tensor(printer, &tensors[i]);
  print_pointers(printer, name, n, numbers);
}

static size_t print_constants(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t n = 0, *numbers = strata_arena_array(program->compile->arena, size_t, program->constants.count + 1);
  for (size_t i = 0; i < program->constants.count; i++)
    if (strata_program_is_public(&program->constants.data[i]))
      numbers[n++] = print_tensor(printer, &program->constants.data[i].tensor);
  print_pointers(printer, "constants", n, numbers);
  return n;
}

static void print_kernels(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t *numbers = strata_arena_array(program->compile->arena, size_t, program->kernels.count + 1);
  for (size_t i = 0; i < program->kernels.count; i++)
    numbers[i] = print_kernel(printer, &program->kernels.data[i]);
  print_pointers(printer, "kernels", program->kernels.count, numbers);
}

// Looks from *at on, which goes behind what was found: both lists are in the order of calls, as a rule.
static const char *nodes_of(const strata_kernel_origins_t *origins, size_t n, const char *kernel, size_t *at) {
  for (size_t i = 0; i < n; i++) {
    const strata_kernel_origins_t *each = &origins[(*at + i) % n];
    if (strcmp(each->kernel, kernel) != 0)
      continue;
    *at = (*at + i + 1) % n;
    return each->nodes;
  }
  return "";
}

static void print_nodes(strata_ir_printer_t *printer, const strata_program_t *program) {
  strata_arena_t *arena = program->compile->arena;
  size_t n, at = 0, *numbers = strata_arena_array(arena, size_t, program->kernels.count + 1);
  const strata_kernel_origins_t *origins = strata_kernel_origins(arena, program->compile->module, &n);
  for (size_t i = 0; i < program->kernels.count; i++) {
    const strata_program_kernel_t *kernel = &program->kernels.data[i];
    numbers[i] = strata_ir_string(printer, nodes_of(origins, n, kernel->symbol, &at));
    for (size_t end = i + kernel->n_variants; i < end; i++) // they carry out the same
      numbers[i + 1] = numbers[i];
  }
  print_pointers(printer, "nodes", program->kernels.count, numbers);
}

// Whether one of the kernels has variants.
static bool has_picks(const strata_program_t *program) {
  for (size_t i = 0; i < program->kernels.count; i++)
    if (program->kernels.data[i].n_variants)
      return true;
  return false;
}

// The kernels of all launches of a call, or which of their variants: loops unrolled where it is known how often they
// run.
static void print_kernels_of(strata_ir_printer_t *printer, const strata_program_launches_t *launches, bool is_pick,
                             bool *is_first) {
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_loop_t *loop = launches->data[i].loop;
    int64_t times = loop ? strata_program_loop_listed(loop) : 0;
    for (int64_t j = 0; j < times; j++)
      print_kernels_of(printer, &loop->body, is_pick, is_first);
    if (loop)
      continue;
    fputs(*is_first ? "" : ", ", printer->file);
    if (is_pick)
      fprintf(printer->file, "i64 %lld", (long long)launches->data[i].pick);
    else
      fprintf(printer->file, "i32 %zu", launches->data[i].kernel);
    *is_first = false;
  }
}

static void print_launches(strata_ir_printer_t *printer, const strata_program_t *program) {
  long long count = strata_program_count_launches(&program->main);
  bool is_first = true;
  fprintf(printer->file, "@.launches = private constant [%lld x i32] [", count);
  print_kernels_of(printer, &program->main, false, &is_first);
  fputs("]\n", printer->file);
  if (!has_picks(program))
    return;
  is_first = true;
  fprintf(printer->file, "@.picks = private constant [%lld x i64] [", count);
  print_kernels_of(printer, &program->main, true, &is_first);
  fputs("]\n", printer->file);
}

static bool has_predictions(const strata_program_t *program) {
  for (size_t i = 0; i < program->kernels.count; i++)
    if (program->kernels.data[i].predicted)
      return true;
  return false;
}

static void print_predictions(strata_ir_printer_t *printer, const strata_program_t *program) {
  fprintf(printer->file, "@.predicted = private constant [%zu x i64] [", program->kernels.count);
  for (size_t i = 0; i < program->kernels.count; i++)
    fprintf(printer->file, "%si64 %lld", i ? ", " : "", (long long)program->kernels.data[i].predicted);
  fputs("]\n", printer->file);
}

typedef struct {
  bool is_first;
  bool is_forked; // by the launch in front: the end of a list joins, too
} stream_printer_t;

static void print_streams_of(strata_ir_printer_t *printer, const strata_program_launches_t *launches,
                             stream_printer_t *state) {
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_launch_t *launch = &launches->data[i];
    int64_t times = launch->loop ? strata_program_loop_listed(launch->loop) : 0;
    for (int64_t j = 0; j < times; j++)
      print_streams_of(printer, &launch->loop->body, state);
    if (launch->loop)
      continue;
    unsigned order = strata_program_order(launches, i), word = launch->stream;
    word |= order & STRATA_RT_FORK ? STRATA_STREAMS_FORK : 0u;
    word |= state->is_forked && (order || i == 0 || launches->data[i - 1].loop) ? STRATA_STREAMS_JOIN : 0u;
    fprintf(printer->file, "%si32 %u", state->is_first ? "" : ", ", word);
    *state = (stream_printer_t){.is_forked = launch->region >= 0};
  }
}

static void print_streams(strata_ir_printer_t *printer, const strata_program_t *program) {
  stream_printer_t state = {.is_first = true};
  fprintf(printer->file, "@.streams = private constant [%lld x i32] [",
          (long long)strata_program_count_launches(&program->main));
  print_streams_of(printer, &program->main, &state);
  fputs("]\n", printer->file);
}

// The last members, of which a description has as many as it needs.
typedef struct {
  const char *types, *values;
  size_t struct_size;
} optional_members_t;

static bool has_true_sizes(const strata_program_t *program) {
  for (size_t i = 0; i < program->n_outputs; i++)
    if (program->tensors[program->n_inputs + i].true_sizes >= 0)
      return true;
  return false;
}

static void print_true_sizes(strata_ir_printer_t *printer, const strata_program_t *program) {
  fprintf(printer->file, "@.true_sizes = private constant [%zu x i64] [", program->n_outputs);
  for (size_t i = 0; i < program->n_outputs; i++)
    fprintf(printer->file, "%si64 %lld", i ? ", " : "", (long long)program->tensors[program->n_inputs + i].true_sizes);
  fputs("]\n", printer->file);
}

static optional_members_t print_optional_members(strata_ir_printer_t *printer, const strata_program_t *program) {
  const bool has[] = {has_picks(program), has_predictions(program), strata_program_has_streams(&program->main),
                      has_true_sizes(program)};
  static const char *const names[] = {"@.picks", "@.predicted", "@.streams", "@.true_sizes"};
  static const size_t ends[] = {offsetof(strata_library_t, picks), offsetof(strata_library_t, predicted),
                                offsetof(strata_library_t, streams), offsetof(strata_library_t, true_sizes),
                                sizeof(strata_library_t)};
  if (has[1])
    print_predictions(printer, program);
  if (has[2])
    print_streams(printer, program);
  if (has[3])
    print_true_sizes(printer, program);
  int count = 4;
  while (count > 0 && !has[count - 1])
    count--;
  optional_members_t members = {"", "", ends[count]};
  for (int i = 0; i < count; i++) {
    members.types = strata_arena_printf(program->compile->arena, "%s, ptr", members.types);
    members.values =
        strata_arena_printf(program->compile->arena, "%s, ptr %s", members.values, has[i] ? names[i] : "null");
  }
  return members;
}

// The devices in their order; their number.
static size_t print_devices(strata_ir_printer_t *printer, const strata_program_t *program,
                            const strata_cpu_device_t *device) {
  STRATA_VECTOR(size_t) names = {0};
  for (const strata_program_t *each = program; each; each = each->next) {
    const char *cpu = strcmp(device->name, "host") == 0 ? device->cpu : device->name;
    *strata_vector_push(program->compile->arena, &names) =
        strata_ir_string(printer, each->gpu ? each->gpu->device->name : cpu);
  }
  print_pointers(printer, "devices", names.count, names.data);
  return names.count;
}

// The independent sizes: names in @.dims, and what is known of them in @.dim_infos.
static void print_dims(strata_ir_printer_t *printer, const strata_program_t *program) {
  strata_arena_t *arena = program->compile->arena;
  size_t n = strata_symbols_given(&program->symbols);
  size_t *names = strata_arena_array(arena, size_t, n + 1), *infos = strata_arena_array(arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++) {
    const strata_symbol_t *symbol = &program->symbols.list.data[i];
    names[i] = strata_ir_string(printer, symbol->name);
    size_t c_name = strata_ir_string(printer, program->dim_c_names[i]);
    size_t likely = print_i64s(printer, (size_t)symbol->n_likely, symbol->likely);
    infos[i] = printer->n_globals++;
    fprintf(printer->file,
            "@.g%zu = private constant %%dim_info { ptr @.g%zu, ptr @.g%zu, i64 %lld, i64 %lld, i64 %lld, i64 %zu, "
            "ptr @.g%zu }\n",
            infos[i], names[i], c_name, (long long)symbol->min, (long long)symbol->max, (long long)symbol->multiple,
            (size_t)symbol->n_likely, likely);
  }
  print_pointers(printer, "dims", n, names);
  print_pointers(printer, "dim_infos", n, infos);
}

static void print_shapes(strata_ir_printer_t *printer, const strata_program_t *program) {
  size_t n = program->n_inputs + program->n_outputs;
  size_t *texts = strata_arena_array(program->compile->arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++)
    texts[i] = strata_ir_string(printer, program->tensors[i].shape_text);
  print_pointers(printer, "shapes", n, texts);
}

// The members that version 2 added.
static const char *sizes_members(strata_ir_printer_t *printer, const strata_program_t *program) {
  if (!program->sizes)
    return "ptr null, ptr null, i64 0, ptr null, ptr @strata_rt_output_shape";
  print_shapes(printer, program);
  return strata_arena_printf(program->compile->arena,
                             "ptr @.dim_infos, ptr @.shapes, i64 %zu, ptr @.%svalues, ptr @strata_rt_output_shape",
                             program->sizes->n_given + program->sizes->values.count, program->gpu ? "v0_" : "");
}

static const char *target_name(const strata_program_t *program) {
  switch (program->compile->options->target) {
  case STRATA_TARGET_CPU:
    return "cpu";
  case STRATA_TARGET_NVGPU:
    return "nvgpu";
  case STRATA_TARGET_AMDGPU:
    return "amdgpu";
  }
  return "";
}

static int flags_of(const strata_library_options_t *options) {
  return (options->user_memory ? STRATA_LIBRARY_USER_MEMORY : 0) |
         (options->device_tensors ? STRATA_LIBRARY_DEVICE_TENSORS : 0);
}

static const char types[] = "%tensor_info = type { ptr, ptr, i32, i32, ptr, i64 }\n"
                            "%kernel_info = type { ptr, i64, i64, i64 }\n"
                            "%dim_info = type { ptr, ptr, i64, i64, i64, i64, ptr }\n"
                            "declare hidden i32 @strata_rt_run(ptr, ptr, ptr, ptr)\n"
                            "declare hidden i64 @strata_rt_device_memory_size(ptr)\n"
                            "declare hidden i32 @strata_rt_output_shape(i64, ptr, ptr)\n"
                            "declare hidden i64 @strata_rt_weights_size()\n"
                            "declare hidden i32 @strata_rt_load(ptr, ptr)\n"
                            "declare hidden i32 @strata_rt_set_constant(ptr, ptr, ptr)\n"
                            "declare hidden i32 @strata_rt_unload()\n"
                            "declare hidden ptr @strata_rt_error()\n"
                            "declare hidden void @strata_rt_set_trace(ptr, ptr)\n";

void strata_program_print_description(const strata_program_t *program, const strata_cpu_device_t *device,
                                      strata_ir_printer_t *printer) {
  const strata_library_options_t *options = program->options;
  strata_arena_t *arena = program->compile->arena;
  fputs(types, printer->file);
  optional_members_t optional = print_optional_members(printer, program);
  fprintf(printer->file,
          "%%description = type { i32, i32, i32, i32, ptr, ptr, ptr, ptr, i64, ptr, i64, ptr, i64, ptr, i64, ptr, i64, "
          "ptr, i64, ptr, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, ptr%s }\n",
          optional.types);
  if (!program->gpu)
    fputs("declare hidden i32 @strata_rt_set_threads(i32)\n", printer->file);
  size_t name = strata_ir_string(printer, options->name);
  size_t compiler = strata_ir_string(printer, "strata " STRATA_VERSION);
  size_t target = strata_ir_string(printer, target_name(program));
  size_t command_line = strata_ir_string(printer, options->command_line ? options->command_line : "");
  size_t n_devices = print_devices(printer, program, device);
  print_tensors(printer, arena, "inputs", program->n_inputs, program->tensors);
  print_tensors(printer, arena, "outputs", program->n_outputs, program->tensors + program->n_inputs);
  size_t n_constants = print_constants(printer, program);
  print_kernels(printer, program);
  print_launches(printer, program);
  print_nodes(printer, program);
  if (program->sizes)
    print_dims(printer, program);
  const char *sizes = sizes_members(printer, program);
  fprintf(printer->file,
          "@strata_description = internal constant %%description { i32 %zu, i32 %d, i32 %d, i32 %d, "
          "ptr @.g%zu, ptr @.g%zu, ptr @.g%zu, ptr @.g%zu, i64 %zu, ptr @.devices, i64 %zu, ptr @.inputs, i64 %zu, "
          "ptr @.outputs, i64 %zu, ptr %s, i64 %zu, ptr @.constants, i64 %zu, ptr @.kernels, i64 %zu, ptr @.launches, "
          "ptr @strata_rt_run, ptr @strata_rt_device_memory_size, ptr @strata_rt_weights_size, ptr @strata_rt_load, "
          "ptr @strata_rt_set_constant, ptr @strata_rt_unload, ptr %s, ptr @strata_rt_error, "
          "ptr @strata_rt_set_trace, ptr @.nodes, %s%s }\n",
          optional.struct_size, STRATA_LIBRARY_DESCRIPTION, flags_of(options), strata_program_alignment(program), name,
          compiler, target, command_line, n_devices, program->n_inputs, program->n_outputs,
          strata_symbols_given(&program->symbols), program->sizes ? "@.dims" : "null", n_constants,
          program->kernels.count, (size_t)strata_program_count_launches(&program->main),
          program->gpu ? "null" : "@strata_rt_set_threads", sizes, optional.values);
}
