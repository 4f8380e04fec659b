// Code that is an ELF file, made by LLVM: AMD's code objects, which LLD links, and the emulated device's shared object.
#include "targets/elf/elf.h"
#include "runtime/base/process.h"
#include "targets/cpu/codegen.h"
#include "targets/gpu/emit.h"
#include "targets/llvm/tools.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

//===-- Linking --------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_compile_t *compile;
  const char *linker, *folder;
  STRATA_VECTOR(const char *) arguments;
} linking_t;

static void add(linking_t *linking, const char *argument) {
  *strata_vector_push(linking->compile->arena, &linking->arguments) = argument;
}

static strata_status_t begin(strata_compile_t *compile, linking_t *out_linking) {
  *out_linking = (linking_t){.compile = compile};
  STRATA_TRY(strata_find_linker(compile->arena, &out_linking->linker));
  add(out_linking, out_linking->linker);
  add(out_linking, "-shared");
  return strata_gpu_folder_create(compile->arena, &out_linking->folder);
}

static strata_status_t add_object(linking_t *linking, size_t number, const void *data, size_t size) {
  const char *path = strata_arena_printf(linking->compile->arena, "%s/%zu.o", linking->folder, number);
  add(linking, path);
  return strata_gpu_file_write(path, data, size);
}

static strata_status_t link(linking_t *linking, strata_gpu_image_t *out_image) {
  const char *path = strata_arena_printf(linking->compile->arena, "%s/kernels.elf", linking->folder);
  add(linking, "-o");
  add(linking, path);
  add(linking, NULL);
  STRATA_TRY(strata_process_run(linking->compile->arena, linking->arguments.data));
  return strata_gpu_file_read(linking->compile->arena, path, &out_image->data, &out_image->size);
}

static void take_image(strata_compile_t *compile, strata_gpu_image_t image, strata_gpu_binary_t *out_binary) {
  strata_gpu_image_t *images = strata_arena_new(compile->arena, strata_gpu_image_t);
  *images = image;
  out_binary->images = images;
  out_binary->n_images = 1;
}

//===-- AMD ------------------------------------------------------------------------------------------------------===//

static strata_status_t link_units(strata_compile_t *compile, const strata_llvm_units_t *units,
                                  strata_gpu_image_t *out_image) {
  linking_t linking;
  STRATA_TRY(begin(compile, &linking));
  strata_status_t status = NULL;
  for (size_t i = 0; i < units->count && !status; i++)
    status =
        add_object(&linking, i, LLVMGetBufferStart(units->data[i].output), LLVMGetBufferSize(units->data[i].output));
  if (!status)
    status = link(&linking, out_image);
  strata_gpu_folder_remove(compile->arena, linking.folder);
  return status;
}

strata_status_t strata_gpu_emit_hsaco(strata_compile_t *compile, MlirModule kernels, const strata_gpu_device_t *device,
                                      strata_gpu_binary_t *out_binary) {
  const strata_gpu_generation_t generation = {.device = device, .file = LLVMObjectFile, .kernels_per_unit = 4};
  strata_gpu_image_t image = {
      .suffix = "hsaco", .arch = strata_gpu_device_arch(device), .last = strata_gpu_device_last(device)};
  strata_llvm_units_t units;
  strata_status_t status = strata_gpu_compile_units(compile, kernels, &generation, &units);
  if (!status)
    status = link_units(compile, &units, &image);
  strata_llvm_units_dispose(&units);
  if (!status)
    take_image(compile, image, out_binary);
  return status;
}

//===-- The emulated device --------------------------------------------------------------------------------------===//

static strata_status_t link_host(strata_arena_t *arena, const strata_cpu_objects_t *objects,
                                 const strata_gpu_device_t *device, strata_gpu_image_t *out_image) {
  // What the tests' driver grants a block, its warps, and what it defines: test/support/driver/emulated.h.
  const strata_elf_absolute_t absolutes[] = {{"strata_emulated_shared", device->shared_bytes},
                                             {"strata_emulated_lanes", device->lanes}};
  const strata_elf_shared_t options = {
      .n_absolutes = sizeof absolutes / sizeof absolutes[0], .absolutes = absolutes, .may_lack = true};
  strata_bytes_t object, library;
  STRATA_TRY(strata_combine_objects(arena, objects->count, objects->data, 0, NULL, &object));
  STRATA_TRY(strata_elf_link_shared(arena, object, &options, &library));
  out_image->data = library.data;
  out_image->size = library.size;
  return NULL;
}

// The host without its instructions on bf16, by which LLVM has values selected and moved, too, where there are any:
// they take denormal numbers for zero, and no GPU does.
static strata_cpu_device_t exact_host(strata_arena_t *arena) {
  strata_cpu_device_t host = *strata_cpu_host_device();
  if (strstr(host.features, "+avx512bf16"))
    host.features = strata_arena_printf(arena, "%s,-avx512bf16", host.features);
  return host;
}

strata_status_t strata_gpu_emit_host(strata_compile_t *compile, MlirModule kernels, const strata_gpu_device_t *device,
                                     strata_gpu_binary_t *out_binary) {
  strata_gpu_image_t image = {
      .suffix = "so", .arch = strata_gpu_device_arch(device), .last = strata_gpu_device_last(device)};
  strata_cpu_objects_t objects;
  const strata_cpu_device_t host = exact_host(compile->arena);
  STRATA_TRY(strata_cpu_compile_threads(compile, kernels, &host, &objects));
  STRATA_TRY(link_host(compile->arena, &objects, device, &image));
  take_image(compile, image, out_binary);
  return NULL;
}
