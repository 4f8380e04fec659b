// PTX: LLVM prints one text a unit; joined they are one module, since names are unique over the kernels.
#define _GNU_SOURCE // memmem
#include "targets/gpu/emit.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What follows version, target and address size.
static const char *skip_header(const char *text) {
  const char *last = strstr(text, ".address_size");
  last = last ? strchr(last, '\n') : NULL;
  return last ? last : text;
}

static const char *join(strata_arena_t *arena, const strata_llvm_units_t *units) {
  size_t size = 1, at = 0;
  for (size_t i = 0; i < units->count; i++)
    size += LLVMGetBufferSize(units->data[i].output);
  char *text = strata_arena_alloc(arena, size);
  for (size_t i = 0; i < units->count; i++) {
    const char *start = LLVMGetBufferStart(units->data[i].output), *from = i ? skip_header(start) : start;
    size_t length = LLVMGetBufferSize(units->data[i].output) - (size_t)(from - start);
    memcpy(text + at, from, length);
    at += length;
  }
  return text;
}

//===-- What the assembler gets wrong ----------------------------------------------------------------------------===//

// ptxas 13.0 makes one instruction (VIMNMX3) of min(min(a, -b), c) in integers, and loses the sign in it. So what an
// integer minimum or maximum has as an operand, or a copy of, is negated as ~b + 1.
static const char negation[] = "\tneg.s32 \t", complement[] = "\tnot.b32 \t", increment[] = "\tadd.s32 \t";

// True if a line of [text, end) that begins with |instruction| has the register |name| as an operand.
static bool reads(const char *text, const char *end, const char *instruction, const char *name, size_t length) {
  while ((text = memmem(text, (size_t)(end - text), instruction, strlen(instruction)))) {
    const char *at = memchr(text, ',', (size_t)(end - text)), *line = memchr(text, '\n', (size_t)(end - text));
    while (at && line && at < line) {
      at += strlen(", ");
      if (!strncmp(at, name, length) && (at[length] == ',' || at[length] == ';'))
        return true;
      at = memchr(at, ',', (size_t)(line - at));
    }
    text++;
  }
  return false;
}

static bool feeds_extreme(const char *text, const char *end, const char *name, size_t length) {
  static const char *const instructions[] = {"\tmin.s32 ", "\tmin.u32 ", "\tmax.s32 ", "\tmax.u32 ", "\tmov.b32 "};
  for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
    if (reads(text, end, instructions[i], name, length))
      return true;
  return false;
}

// A function's text, up to |end|; |out| has room for three times as much.
static char *append_without_negations(const char *function, const char *end, char *out) {
  const char *text = function, *at;
  while ((at = memmem(text, (size_t)(end - text), negation, strlen(negation)))) {
    const char *operands = at + strlen(negation), *line = strchr(operands, '\n') + 1;
    size_t name = strcspn(operands, ",");
    int n = (int)name;
    bool is_kept = !feeds_extreme(function, end, operands, name);
    out += sprintf(out, "%.*s%s%.*s", (int)(at - text), text, is_kept ? negation : complement, (int)(line - operands),
                   operands);
    out += is_kept ? 0 : sprintf(out, "%s%.*s, %.*s, 1;\n", increment, n, operands, n, operands);
    text = line;
  }
  memcpy(out, text, (size_t)(end - text));
  return out + (end - text);
}

static const char *without_negated_extremes(strata_arena_t *arena, const char *text) {
  static const char function_end[] = "\n}\n";
  char *result = strata_arena_alloc(arena, 3 * strlen(text) + 1), *out = result;
  while (*text) {
    const char *last = strstr(text, function_end), *end = last ? last + strlen(function_end) : text + strlen(text);
    out = append_without_negations(text, end, out);
    text = end;
  }
  *out = '\0';
  return result;
}

static strata_status_t print(strata_compile_t *compile, MlirModule kernels, const strata_gpu_device_t *device,
                             const char **out_text) {
  const strata_gpu_generation_t generation = {
      .device = device,
      .first_passes = "function(nvvm-intr-range)",
      .file = LLVMAssemblyFile,
      .kernels_per_unit = 1, // the assembler waits for the last
  };
  strata_llvm_units_t units;
  strata_status_t status = strata_gpu_compile_units(compile, kernels, &generation, &units);
  if (!status)
    *out_text = without_negated_extremes(compile->arena, join(compile->arena, &units));
  strata_llvm_units_dispose(&units);
  return status;
}

// True if the text has an instruction that only its own architecture has.
static bool is_specific(const char *text) { return strstr(text, "wgmma.") || strstr(text, "setmaxnreg."); }

// Other code for one architecture alone (sm_90a) is as good as code for it and all later ones (sm_90): the same text
// under another name.
static const char *make_generic(strata_arena_t *arena, const char *text, const strata_gpu_device_t *device) {
  const char *name = strstr(text, ".target ");
  size_t length = strlen(device->chip);
  if (!name || strncmp(name += strlen(".target "), device->chip, length) != 0 || device->chip[length - 1] != 'a' ||
      is_specific(text))
    return text;
  return strata_arena_printf(arena, "%.*s%.*s%s", (int)(name - text), text, (int)length - 1, device->chip,
                             name + length);
}

strata_status_t strata_gpu_emit_ptx(strata_compile_t *compile, MlirModule kernels, const strata_gpu_device_t *device,
                                    strata_gpu_binary_t *out_binary) {
  STRATA_TRY(print(compile, kernels, device, &out_binary->assembly));
  return strata_gpu_start_assembly(compile, device, out_binary);
}

strata_status_t strata_gpu_finish_ptx(strata_compile_t *compile, const strata_gpu_device_t *device,
                                      strata_gpu_binary_t *binary) {
  strata_gpu_image_t *images = strata_arena_array(compile->arena, strata_gpu_image_t, 2);
  STRATA_TRY(strata_gpu_finish_assembly(compile, binary, &images[0]));
  size_t n = 0;
  if (images[0].data) {
    images[n].arch = images[n].last = strata_gpu_device_arch(device);
    n++;
  }
  const char *generic = make_generic(compile->arena, binary->assembly, device);
  bool is_generic = !is_specific(generic);
  if (n == 0 || is_generic) // what is for this architecture alone would lie behind the machine code for it, never read
    images[n++] = (strata_gpu_image_t){
        .data = generic,
        .size = strlen(generic) + 1,
        .arch = strata_gpu_device_arch(device),
        .last = is_generic ? UINT32_MAX : strata_gpu_device_arch(device),
        .suffix = "ptx",
    };
  binary->images = images;
  binary->n_images = n;
  return NULL;
}
