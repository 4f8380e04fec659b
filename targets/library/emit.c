// The library, step by step: kernels to objects, constants computed, tables as LLVM IR, everything linked.
//
//   kernels (level 5) ──► objects ─┐                          ┌─► lib<name>.a
//   @main, @prepare ──► tables ────┼─► one relocatable object ┤    + weights
//   the runtime's object ──────────┘                          └─► lib<name>.so
//
// On a GPU the kernels are images instead, which lie in the tables as data.
//
// For another architecture than x86-64 there is the archive alone (docs/abi.md).
#include "targets/library/emit.h"
#include "lowering/kernels.h"
#include "runtime/embedded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *path_in(const strata_linking_t *linking, const char *name) {
  return strata_arena_printf(linking->arena, "%s/%s", linking->program->options->save_temps, name);
}

strata_status_t strata_file_open(const char *path, const char *mode, FILE **out_file) {
  *out_file = fopen(path, mode);
  return *out_file ? NULL : strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
}

strata_status_t strata_file_close(FILE *file, const char *path) {
  bool ok = !ferror(file);
  ok = fclose(file) == 0 && ok; // which fails again where a write did
  return ok ? NULL : strata_error(STRATA_IO, "%s: cannot be written: %s", path, strerror(errno));
}

static strata_status_t write_file(const char *path, const void *data, size_t size) {
  FILE *file;
  STRATA_TRY(strata_file_open(path, "wb", &file));
  fwrite(data, 1, size, file);
  return strata_file_close(file, path);
}

void strata_file_add_zeros(FILE *file, size_t count) {
  static const char zeros[4096];
  fwrite(zeros, 1, count, file);
}

// <folder>/<name><suffix>, made by a printer.
typedef void (*print_t)(const strata_program_t *program, FILE *file);
static strata_status_t print_file(const strata_program_t *program, const char *folder, const char *suffix,
                                  print_t print) {
  FILE *file;
  const char *path = strata_arena_printf(program->compile->arena, "%s/%s%s", folder, program->options->name, suffix);
  STRATA_TRY(strata_file_open(path, "wb", &file));
  print(program, file);
  return strata_file_close(file, path);
}

static strata_status_t compile_tables(const strata_linking_t *linking, strata_cpu_object_t *out_object) {
  char *ir = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&ir, &size);
  if (!file)
    return strata_error(STRATA_OUT_OF_MEMORY, "library");
  strata_ir_printer_t printer = {.file = file};
  strata_program_print_description(linking->program, linking->device, &printer);
  if (linking->program->gpu)
    strata_program_print_gpu_tables(linking->program, linking->device, &printer);
  else
    strata_program_print_cpu_tables(linking->program, linking->device, &printer);
  strata_program_print_functions(linking->program, &printer);
  bool ok = !ferror(file);
  ok = fclose(file) == 0 && ok;
  strata_status_t status = ok ? NULL : strata_error(STRATA_OUT_OF_MEMORY, "library");
  if (!status && linking->program->options->save_temps)
    status = write_file(path_in(linking, "tables.ll"), ir, size);
  if (!status)
    status = strata_compile_ir(linking, ir, size, out_object);
  free(ir);
  return status;
}

// --save-temps.
static strata_status_t keep_object(const strata_linking_t *linking, const char *name, strata_cpu_object_t object) {
  return linking->program->options->save_temps ? write_file(path_in(linking, name), object.data, object.size) : NULL;
}

// Everything but the exported names becomes local, so that libraries do not meet in a program.
static strata_status_t combine(const strata_linking_t *linking, size_t n_objects, const strata_cpu_object_t *objects,
                               strata_bytes_t *out_object) {
  const char *const *names;
  size_t n = strata_exported_names(linking->program, &names);
  STRATA_TRY(strata_combine_objects(linking->arena, n_objects, objects, n, names, out_object));
  return keep_object(linking, "library.o", (strata_cpu_object_t){out_object->data, out_object->size});
}

// Kernels, tables and the runtime as one object.
static strata_status_t make_object(const strata_linking_t *linking, const strata_cpu_objects_t *kernels,
                                   strata_bytes_t *out_object) {
  STRATA_VECTOR(strata_cpu_object_t) objects = {0};
  for (size_t i = 0; i < kernels->count; i++) {
    STRATA_TRY(keep_object(linking, strata_arena_printf(linking->arena, "kernels%zu.o", i), kernels->data[i]));
    *strata_vector_push(linking->arena, &objects) = kernels->data[i];
  }
  strata_cpu_object_t tables;
  STRATA_TRY(compile_tables(linking, &tables));
  STRATA_TRY(keep_object(linking, "tables.o", tables));
  *strata_vector_push(linking->arena, &objects) = tables;
  strata_embedded_file_t runtime = strata_embedded_runtime(linking->device->triple, linking->program->gpu != NULL);
  *strata_vector_push(linking->arena, &objects) = (strata_cpu_object_t){runtime.data, runtime.size};
  return combine(linking, objects.count, objects.data, out_object);
}

// What a program is compiled and linked with.
static strata_status_t write_archive(const strata_linking_t *linking, strata_bytes_t object, const char *folder) {
  const strata_program_t *program = linking->program;
  const char *path = strata_arena_printf(linking->arena, "%s/lib%s.a", folder, program->options->name);
  STRATA_TRY(print_file(program, folder, ".h", strata_program_print_header));
  STRATA_TRY(print_file(program, folder, ".pc", strata_program_print_pkg_config));
  return strata_write_archive(linking, object, path);
}

static strata_status_t write_library(const strata_linking_t *linking, const strata_cpu_objects_t *kernels,
                                     const char *folder) {
  const strata_program_t *program = linking->program;
  const char *path = strata_arena_printf(linking->arena, "%s/lib%s.so", folder, program->options->name);
  strata_bytes_t object;
  if (program->options->weights == STRATA_WEIGHTS_FILE)
    STRATA_TRY(print_file(program, folder, ".weights", strata_program_write_weights_file));
  STRATA_TRY(make_object(linking, kernels, &object));
  if (!program->options->shared_only)
    STRATA_TRY(write_archive(linking, object, folder));
  return linking->has_shared ? strata_write_shared(linking, object, path) : NULL;
}

// --save-temps.
static strata_status_t make_folder(const char *folder) {
  return folder && mkdir(folder, 0777) != 0 && errno != EEXIST
             ? strata_error(STRATA_IO, "%s: %s", folder, strerror(errno))
             : NULL;
}

// --save-temps: the images, and the assembly language they are made from.
static strata_status_t keep_device_code(const strata_linking_t *linking) {
  if (!linking->program->options->save_temps)
    return NULL;
  for (const strata_program_t *program = linking->program; program; program = program->next) {
    const strata_gpu_binary_t *binary = &program->gpu->binary;
    const char *name = program->gpu->device->name;
    for (size_t i = 0; i < binary->n_images; i++) {
      const char *file = strata_arena_printf(linking->arena, "%s.%s", name, binary->images[i].suffix);
      STRATA_TRY(write_file(path_in(linking, file), binary->images[i].data, binary->images[i].size));
    }
    if (binary->assembly)
      STRATA_TRY(write_file(path_in(linking, strata_arena_printf(linking->arena, "%s.s", name)), binary->assembly,
                            strlen(binary->assembly)));
  }
  return NULL;
}

static strata_status_t check_runtime(const strata_program_t *program, const strata_cpu_device_t *device) {
  if (strata_embedded_runtime(device->triple, program->gpu != NULL).size)
    return NULL;
  return strata_error(
      STRATA_UNSUPPORTED,
      "--device=%s: expected a strata that was built with a C compiler for %.*s, which compiles what is "
      "linked into libraries, got one without (docs/dependencies.md)",
      device->name, (int)strcspn(device->triple, "-"), device->triple);
}

// Links the finished program. |kernels|: of a cpu.
static strata_status_t link_library(strata_program_t *program, const strata_cpu_device_t *device,
                                    const strata_cpu_objects_t *kernels, const char *folder) {
  strata_linking_t linking = {
      .arena = program->compile->arena,
      .program = program,
      .device = device,
      // The layout of shared libraries that targets/elf knows is x86-64's, and here are no other libc and libm.
      .has_shared = strata_cpu_is_x86_64(device),
  };
  if (program->options->shared_only && !linking.has_shared)
    return strata_error(STRATA_UNSUPPORTED, "--device=%s: there is no lib%s.so for it, which is asked for alone",
                        device->name, program->options->name);
  STRATA_TRY(make_folder(program->options->save_temps));
  if (program->gpu)
    STRATA_TRY(keep_device_code(&linking));
  return write_library(&linking, kernels, folder);
}

static strata_status_t emit_for_cpu(strata_program_t *program, const strata_cpu_device_t *device, const char *folder) {
  MlirModule kernels = strata_kernels_find(program->compile);
  strata_cpu_objects_t objects = {0};
  if (!mlirModuleIsNull(kernels)) {
    STRATA_TRY(strata_add_debug_info(program, kernels, folder));
    STRATA_TRY(strata_cpu_compile_kernels(program->compile, kernels, device, &objects));
  }
  STRATA_TRY(strata_program_prepare(program, kernels, device, &objects));
  strata_program_place_weights(program);
  STRATA_TRY(link_library(program, device, &objects, folder));
  if (program->options->print_resources)
    strata_program_print_resources(program, &objects, stdout);
  return NULL;
}

static strata_status_t prepare_for_gpu(strata_program_t *program) {
  const strata_cpu_device_t *host;
  if (program->options->weights == STRATA_WEIGHTS_SET) // the device does it
    return NULL;
  STRATA_TRY(strata_cpu_device(program->compile, &host));
  return strata_program_prepare_on_host(program, host);
}

// The constants are prepared while the assembler is at work.
static strata_status_t build_for_gpu(strata_program_t *program) {
  MlirModule kernels = strata_kernels_find(program->compile);
  if (mlirModuleIsNull(kernels))
    return prepare_for_gpu(program);
  STRATA_TRY(strata_gpu_start_kernels(program->compile, kernels, program->gpu->device, &program->gpu->binary));
  strata_status_t prepared = prepare_for_gpu(program);
  strata_status_t assembled = strata_gpu_finish_kernels(program->compile, program->gpu->device, &program->gpu->binary);
  if (!prepared)
    return assembled;
  strata_status_free(assembled);
  return prepared;
}

static strata_status_t emit_for_gpu(strata_program_t *first, const strata_cpu_device_t *host, const char *folder) {
  MlirModule kernels = strata_kernels_find(first->compile);
  if (!mlirModuleIsNull(kernels))
    STRATA_TRY(strata_add_debug_info(first, kernels, folder));
  STRATA_TRY(build_for_gpu(first));
  STRATA_TRY(strata_program_add_devices(first, build_for_gpu));
  for (strata_program_t *program = first; program; program = program->next)
    strata_program_place_weights(program);
  STRATA_TRY(link_library(first, host, &(strata_cpu_objects_t){0}, folder));
  for (strata_program_t *program = first; program && first->options->print_resources; program = program->next)
    strata_program_print_gpu_resources(program, stdout);
  return NULL;
}

static double assembler_seconds(const strata_program_t *program) {
  double seconds = 0;
  for (; program; program = program->next)
    seconds += program->gpu ? program->gpu->binary.assembler_seconds : 0;
  return seconds;
}

strata_status_t strata_library_emit(strata_compile_t *compile, const strata_library_options_t *options,
                                    const char *folder, double *out_assembler_seconds) {
  strata_program_t program;
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_library_check_name(options->name));
  STRATA_TRY(strata_cpu_device(compile, &device));
  STRATA_TRY(strata_program_read(compile, options, &program));
  STRATA_TRY(check_runtime(&program, device));
  STRATA_TRY(strata_program_apply_aliases(&program));
  STRATA_TRY((program.gpu ? emit_for_gpu : emit_for_cpu)(&program, device, folder));
  if (out_assembler_seconds)
    *out_assembler_seconds = assembler_seconds(&program);
  return NULL;
}
