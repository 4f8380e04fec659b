// The program of runtime/gpu/program.h as LLVM IR. Types and members here must agree with that file. What belongs to
// one device carries its number in its name: @.v0_kernels, …
#include "dialects/counted_loop.h"
#include "runtime/gpu/lanes.h"
#include "runtime/gpu/program.h"
#include "targets/library/emit.h"

#include <string.h>

_Static_assert(STRATA_RT_MAX_MAP_RANK == 5, "the arrays of %map");
static const char types[] = "%map = type { i32, i32, i32, i32, [5 x i64], [4 x i64], [5 x i32], [5 x i32], i32, i32, "
                            "i32, i32, [3 x i32], [3 x i32] }\n"
                            "%kernel = type { ptr, i32, i32, i32, i32, i32, i32, ptr, [4 x i32] }\n"
                            "%image = type { ptr, i64, i32, i32 }\n"
                            "%variant = type { ptr, ptr, i64, ptr, i64, %list, %list, ptr, ptr, i64, i64, i64, ptr, "
                            "i64, i64, i64, ptr, i64, i64, i64 }\n"
                            "%program = type { ptr, ptr, i64, ptr, i32, i32, i32, i32 }\n";

enum { IMAGE_ALIGNMENT = 64 };

static void print_images(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  const strata_gpu_binary_t *binary = &program->gpu->binary;
  size_t *numbers = strata_arena_array(program->compile->arena, size_t, binary->n_images + 1);
  for (size_t i = 0; i < binary->n_images; i++)
    numbers[i] = strata_ir_bytes(printer, binary->images[i].data, binary->images[i].size, IMAGE_ALIGNMENT);
  fprintf(printer->file, "@.%simages = private constant [%zu x %%image] [", prefix, binary->n_images);
  for (size_t i = 0; i < binary->n_images; i++) {
    const strata_gpu_image_t *image = &binary->images[i];
    fprintf(printer->file, "%s%%image { ptr @.g%zu, i64 %zu, i32 %u, i32 %u }", i ? ", " : "", numbers[i], image->size,
            image->arch, image->last);
  }
  fputs("]\n", printer->file);
}

// The driver's own copies come last and are no kernels of the image.
static size_t count_kernels(const strata_program_t *program) {
  size_t n = 0;
  while (n < program->kernels.count && program->kernels.data[n].copy_size == 0)
    n++;
  return n;
}

static void print_numbers(FILE *file, const char *type, size_t n, const int64_t *numbers) {
  fprintf(file, ", [%zu x %s] [", n, type);
  for (size_t i = 0; i < n; i++)
    fprintf(file, "%s%s %lld", i ? ", " : "", type, (long long)numbers[i]);
  fputc(']', file);
}

static void print_map(FILE *file, const strata_rt_map_t *map) {
  _Static_assert(STRATA_RT_MAX_WINDOW_RANK == 3, "the corners of %map");
  int64_t box[STRATA_RT_MAX_MAP_RANK], steps[STRATA_RT_MAX_MAP_RANK];
  for (int i = 0; i < STRATA_RT_MAX_MAP_RANK; i++) {
    box[i] = map->box[i];
    steps[i] = map->steps[i];
  }
  fprintf(file, "%%map { i32 %u, i32 %u, i32 %u, i32 %u", map->buffer, map->type, map->rank, map->swizzle);
  print_numbers(file, "i64", STRATA_RT_MAX_MAP_RANK, map->sizes);
  print_numbers(file, "i64", STRATA_RT_MAX_MAP_RANK - 1, map->strides);
  print_numbers(file, "i32", STRATA_RT_MAX_MAP_RANK, box);
  print_numbers(file, "i32", STRATA_RT_MAX_MAP_RANK, steps);
  fprintf(file,
          ", i32 %u, i32 %u, i32 %u, i32 %u, [3 x i32] [i32 %d, i32 %d, i32 %d], [3 x i32] [i32 %d, i32 %d, i32 %d] }",
          map->reads_ahead, map->clipped, map->whole, map->has_window, map->lower[0], map->lower[1], map->lower[2],
          map->upper[0], map->upper[1], map->upper[2]);
}

// The maps of all kernels, one after the other.
static void print_maps(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  size_t n = 0, printed = 0;
  for (size_t i = 0; i < program->kernels.count; i++)
    n += program->kernels.data[i].n_maps;
  fprintf(printer->file, "@.%smaps = private constant [%zu x %%map] [", prefix, n);
  for (size_t i = 0; i < program->kernels.count; i++)
    for (size_t j = 0; j < program->kernels.data[i].n_maps; j++) {
      fputs(printed++ ? ",\n  " : "", printer->file);
      print_map(printer->file, &program->kernels.data[i].maps[j]);
    }
  fputs("]\n", printer->file);
}

static int flags_of(const strata_program_kernel_t *kernel) {
  return (kernel->is_programmatic ? STRATA_RT_KERNEL_PROGRAMMATIC : 0) |
         (kernel->is_guarded ? STRATA_RT_KERNEL_GUARDED : 0);
}

static void print_kernels(strata_ir_printer_t *printer, const strata_program_t *program, const char *prefix) {
  size_t n = count_kernels(program), *names = strata_arena_array(program->compile->arena, size_t, n + 1);
  for (size_t i = 0; i < n; i++)
    names[i] = strata_ir_string(printer, program->kernels.data[i].symbol);
  print_maps(printer, program, prefix);
  fprintf(printer->file, "@.%skernels = private constant [%zu x %%kernel] [", prefix, n);
  for (size_t i = 0, first_map = 0; i < n; i++) {
    const strata_program_kernel_t *kernel = &program->kernels.data[i];
    fprintf(printer->file,
            "%s%%kernel { ptr @.g%zu, i32 %lld, i32 %lld, i32 %lld, i32 %lld, i32 %d, i32 %zu, "
            "ptr getelementptr (%%map, ptr @.%smaps, i64 %zu), [4 x i32] [i32 %lld, i32 %lld, i32 %lld, i32 %lld] }",
            i ? ", " : "", names[i], (long long)kernel->tasks, (long long)kernel->threads, (long long)kernel->shared,
            (long long)kernel->cluster, flags_of(kernel), kernel->n_maps, prefix, first_map,
            (long long)kernel->apart[0], (long long)kernel->apart[1], (long long)kernel->apart[2],
            (long long)kernel->apart[3]);
    first_map += kernel->n_maps;
  }
  fputs("]\n", printer->file);
}

_Static_assert((int)STRATA_LOOP_FLAG_BYTES == (int)STRATA_RT_FLAG_BYTES, "the flags of open loops");
_Static_assert(STRATA_MAX_STREAMS == STRATA_RT_MAX_SIDE_STREAMS + 1, "what the runtime has room for");

// The highest number of a stream.
static int64_t count_side_streams(const strata_program_launches_t *launches) {
  int64_t most = 0;
  for (size_t i = 0; i < launches->count; i++) {
    const strata_program_launch_t *launch = &launches->data[i];
    int64_t own = launch->loop ? count_side_streams(&launch->loop->body) : launch->stream;
    most = own > most ? own : most;
  }
  return most;
}

// The tables of one device, and the variant that holds them as text. |offset|: of its weights among those of all.
static const char *print_variant(strata_ir_printer_t *printer, const strata_program_t *program,
                                 const strata_program_t *first, int number, int64_t offset) {
  strata_arena_t *arena = program->compile->arena;
  const char *prefix = strata_arena_printf(arena, "v%d_", number);
  bool is_embedded = program->weights_size > 0 && program->options->weights != STRATA_WEIGHTS_FILE;
  print_images(printer, program, prefix);
  print_kernels(printer, program, prefix);
  size_t max_args = strata_ir_print_lists(printer, program, prefix);
  strata_ir_print_constants(printer, program, first, prefix);
  size_t device = strata_ir_string(printer, program->gpu->device->name);
  const char *weights =
      strata_arena_printf(arena, "getelementptr (i8, ptr @" STRATA_WEIGHTS_SYMBOL ", i64 %lld)", (long long)offset);
  return strata_arena_printf(
      arena,
      "%%variant { ptr @.g%zu, ptr @.%simages, i64 %zu, ptr @.%skernels, i64 %zu, %s, ptr @.%sconstant_table, "
      "ptr @.%spublic_constants, i64 %zu, i64 %lld, i64 %zu, ptr %s, i64 %lld, i64 %lld, i64 %llu, ptr %s, i64 %lld, "
      "i64 %lld, i64 %lld }",
      device, prefix, program->gpu->binary.n_images, prefix, count_kernels(program), strata_ir_lists(program, prefix),
      prefix, prefix, program->constants.count, (long long)program->pool_size, max_args, is_embedded ? weights : "null",
      (long long)program->weights_size, (long long)program->weights_size, (unsigned long long)program->weights_checksum,
      strata_ir_print_sizes(printer, program, prefix), (long long)count_side_streams(&program->main),
      (long long)program->gpu->begin_loop, (long long)program->gpu->take_state);
}

void strata_program_print_gpu_tables(const strata_program_t *program, const strata_cpu_device_t *device,
                                     strata_ir_printer_t *printer) {
  const strata_library_options_t *options = program->options;
  strata_arena_t *arena = program->compile->arena;
  bool is_file = options->weights == STRATA_WEIGHTS_FILE;
  int64_t weights = 0;
  int n_variants = 0;
  const char *variants = "";
  strata_ir_print_table_types(printer);
  fputs(types, printer->file);
  for (const strata_program_t *each = program; each; each = each->next) {
    const char *variant = print_variant(printer, each, program, n_variants, weights);
    variants = strata_arena_printf(arena, "%s%s%s", variants, n_variants++ ? ", " : "", variant);
    weights += each->weights_size;
  }
  if (weights > 0 && !is_file)
    strata_ir_print_weights_symbol(printer, device);
  size_t file = strata_ir_string(printer, strata_arena_printf(arena, "%s.weights", options->name));
  fprintf(printer->file,
          "@.variants = private constant [%d x %%variant] [%s]\n"
          "@strata_rt_program = hidden constant %%program { ptr @strata_description, ptr @.variants, i64 %d, ptr %s, "
          "i32 %d, i32 %d, i32 %d, i32 %d }\n",
          n_variants, variants, n_variants, is_file ? strata_arena_printf(arena, "@.g%zu", file) : "null",
          program->gpu->device->target == STRATA_TARGET_NVGPU ? 1 : 2, options->user_memory, options->device_tensors,
          !options->one_time_load);
}
