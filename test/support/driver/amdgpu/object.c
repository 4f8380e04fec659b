// Code objects: the ELF file's segments, its kernels' descriptors, metadata and instructions.
#include "test/support/driver/amdgpu/code.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===-- Metadata: MessagePack ------------------------------------------------------------------------------------===//

typedef struct {
  const unsigned char *at, *end;
} pack_t;

typedef enum { PACK_OTHER, PACK_NUMBER, PACK_TEXT, PACK_ARRAY, PACK_MAP } pack_kind_t;

typedef struct {
  pack_kind_t kind;
  uint64_t number; // or how many, of texts bytes
  const char *text;
} pack_value_t;

static uint64_t big_endian(pack_t *pack, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes && pack->at < pack->end; i++)
    value = value << 8 | *pack->at++;
  return value;
}

static pack_value_t take_text(pack_t *pack, uint64_t length) {
  pack_value_t value = {PACK_TEXT, length, (const char *)pack->at};
  if (length > (uint64_t)(pack->end - pack->at))
    return (pack_value_t){.kind = PACK_OTHER};
  pack->at += length;
  return value;
}

// One value's head; of an array or map, what is in it follows.
static pack_value_t next(pack_t *pack) {
  if (pack->at >= pack->end)
    return (pack_value_t){.kind = PACK_OTHER};
  unsigned head = *pack->at++;
  if (head < 0x80 || head >= 0xE0)
    return (pack_value_t){.kind = PACK_NUMBER, .number = head};
  if (head < 0x90)
    return (pack_value_t){.kind = PACK_MAP, .number = head & 15};
  if (head < 0xA0)
    return (pack_value_t){.kind = PACK_ARRAY, .number = head & 15};
  if (head < 0xC0)
    return take_text(pack, head & 31);
  if (head >= 0xCC && head <= 0xD3)
    return (pack_value_t){.kind = PACK_NUMBER, .number = big_endian(pack, 1u << (head & 3))};
  if (head >= 0xD9 && head <= 0xDB)
    return take_text(pack, big_endian(pack, 1u << (head - 0xD9)));
  if (head == 0xDC || head == 0xDD)
    return (pack_value_t){.kind = PACK_ARRAY, .number = big_endian(pack, head == 0xDC ? 2 : 4)};
  if (head == 0xDE || head == 0xDF)
    return (pack_value_t){.kind = PACK_MAP, .number = big_endian(pack, head == 0xDE ? 2 : 4)};
  return (pack_value_t){.kind = PACK_OTHER};
}

static void skip(pack_t *pack) {
  uint64_t left = 1;
  for (; left && pack->at < pack->end; left--) {
    pack_value_t value = next(pack);
    left += value.kind == PACK_ARRAY ? value.number : value.kind == PACK_MAP ? 2 * value.number : 0;
  }
}

static bool is_text(pack_value_t value, const char *text) {
  return value.kind == PACK_TEXT && value.number == strlen(text) && memcmp(value.text, text, value.number) == 0;
}

// The value of |key| in the map at |pack|.
static bool find_key(pack_t pack, const char *key, pack_t *out) {
  pack_value_t map = next(&pack);
  for (uint64_t i = 0; map.kind == PACK_MAP && i < map.number; i++) {
    if (is_text(next(&pack), key)) {
      *out = pack;
      return true;
    }
    skip(&pack);
  }
  return false;
}

//===-- ELF ------------------------------------------------------------------------------------------------------===//

static const Elf64_Ehdr *header_of(const char *image) { return (const void *)image; }
static const Elf64_Phdr *segments_of(const char *image) { return (const void *)(image + header_of(image)->e_phoff); }

static bool load_segments(amdgpu_program_t *program, const char *image, size_t size) {
  const Elf64_Phdr *segments = segments_of(image);
  for (unsigned i = 0; i < header_of(image)->e_phnum; i++)
    if (segments[i].p_type == PT_LOAD && segments[i].p_vaddr + segments[i].p_memsz > program->memory_size)
      program->memory_size = segments[i].p_vaddr + segments[i].p_memsz;
  program->memory = aligned_alloc(4096, (program->memory_size + 4095) / 4096 * 4096);
  if (!program->memory)
    return false;
  memset(program->memory, 0, program->memory_size);
  for (unsigned i = 0; i < header_of(image)->e_phnum; i++)
    if (segments[i].p_type == PT_LOAD) {
      if (segments[i].p_offset + segments[i].p_filesz > size)
        return false;
      memcpy(program->memory + segments[i].p_vaddr, image + segments[i].p_offset, segments[i].p_filesz);
    }
  return true;
}

// The metadata of a linked unit, the |which|-th: the linker puts their notes one after the other.
static bool find_metadata(const amdgpu_program_t *program, unsigned which, pack_t *out) {
  const Elf64_Ehdr *header = header_of(program->memory);
  const Elf64_Phdr *segments = segments_of(program->memory);
  enum { NT_AMDGPU_METADATA = 32 };
  for (unsigned i = 0; i < header->e_phnum; i++) {
    const char *at = program->memory + segments[i].p_vaddr, *end = at + segments[i].p_memsz;
    while (segments[i].p_type == PT_NOTE && at < end) {
      const Elf64_Nhdr *note = (const void *)at;
      const unsigned char *text = (const unsigned char *)(note + 1) + (note->n_namesz + 3) / 4 * 4;
      *out = (pack_t){text, text + note->n_descsz};
      if (note->n_type == NT_AMDGPU_METADATA && which-- == 0)
        return true;
      at = (const char *)text + (note->n_descsz + 3) / 4 * 4;
    }
  }
  return false;
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

static bool find_in_array(pack_t kernels, const char *name, pack_t *out) {
  pack_t of_name;
  pack_value_t array = next(&kernels);
  for (uint64_t i = 0; array.kind == PACK_ARRAY && i < array.number; i++, skip(&kernels))
    if (find_key(kernels, ".name", &of_name) && is_text(next(&of_name), name)) {
      *out = kernels;
      return true;
    }
  return false;
}

static bool find_kernel_map(const amdgpu_program_t *program, const char *name, pack_t *out) {
  pack_t metadata, kernels;
  for (unsigned i = 0; find_metadata(program, i, &metadata); i++)
    if (find_key(metadata, "amdhsa.kernels", &kernels) && find_in_array(kernels, name, out))
      return true;
  return false;
}

typedef struct {
  uint64_t offset, size;
  char kind[32];
} argument_t;

static argument_t read_argument(pack_t map) {
  argument_t argument = {0};
  pack_t value;
  if (find_key(map, ".offset", &value))
    argument.offset = next(&value).number;
  if (find_key(map, ".size", &value))
    argument.size = next(&value).number;
  if (find_key(map, ".value_kind", &value)) {
    pack_value_t kind = next(&value);
    snprintf(argument.kind, sizeof argument.kind, "%.*s", (int)kind.number, kind.text);
  }
  return argument;
}

// The bytes that the caller gives, in front of the hidden ones.
static uint32_t read_given_size(const amdgpu_program_t *program, const char *name) {
  pack_t kernel, arguments;
  uint64_t size = 0;
  if (!find_kernel_map(program, name, &kernel) || !find_key(kernel, ".args", &arguments))
    return 0;
  pack_value_t array = next(&arguments);
  for (uint64_t i = 0; i < array.number; i++, skip(&arguments)) {
    argument_t argument = read_argument(arguments);
    if (strncmp(argument.kind, "hidden_", 7) != 0 && argument.offset + argument.size > size)
      size = argument.offset + argument.size;
  }
  return (uint32_t)size;
}

size_t kernel_hidden(const amdgpu_program_t *program, const char *name, hidden_t *out) {
  pack_t kernel, arguments;
  size_t n = 0;
  if (!find_kernel_map(program, name, &kernel) || !find_key(kernel, ".args", &arguments))
    return 0;
  pack_value_t array = next(&arguments);
  for (uint64_t i = 0; i < array.number && n < MAX_HIDDEN; i++, skip(&arguments)) {
    argument_t argument = read_argument(arguments);
    if (strncmp(argument.kind, "hidden_", 7) != 0)
      continue;
    out[n] = (hidden_t){.offset = (uint16_t)argument.offset, .size = (uint16_t)argument.size};
    memcpy(out[n++].kind, argument.kind, sizeof argument.kind);
  }
  return n;
}

// The fields of a kernel descriptor that matter here.
static void read_descriptor(const amdgpu_program_t *program, uint64_t at, kernel_t *out) {
  const char *descriptor = program->memory + at;
  int64_t entry;
  uint16_t properties;
  memcpy(&out->shared, descriptor, 4);
  memcpy(&out->scratch, descriptor + 4, 4);
  memcpy(&out->arguments_size, descriptor + 8, 4);
  memcpy(&entry, descriptor + 16, 8);
  memcpy(&out->resources1, descriptor + 48, 4);
  memcpy(&out->resources2, descriptor + 52, 4);
  memcpy(&properties, descriptor + 56, 2);
  out->entry = at + (uint64_t)entry;
  out->properties = properties;
  out->user_registers = out->resources2 >> 1 & 31;
  out->has_wave32 = properties >> 10 & 1;
}

// Symbols: "NAME.kd" is a descriptor, "NAME" the code, whose size it has.
static bool read_symbols(amdgpu_program_t *program, const char *image) {
  const Elf64_Shdr *sections = (const void *)(image + header_of(image)->e_shoff);
  for (unsigned i = 0; i < header_of(image)->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNSYM)
      continue;
    const Elf64_Sym *symbols = (const void *)(image + sections[i].sh_offset);
    const char *names = image + sections[sections[i].sh_link].sh_offset;
    size_t n = sections[i].sh_size / sizeof *symbols;
    program->kernels = calloc(n, sizeof *program->kernels);
    for (size_t k = 0; program->kernels && k < n; k++) {
      const char *name = names + symbols[k].st_name;
      size_t length = strlen(name);
      if (length < 4 || strcmp(name + length - 3, ".kd") != 0)
        continue;
      kernel_t *kernel = &program->kernels[program->n_kernels++];
      read_descriptor(program, symbols[k].st_value, kernel);
      kernel->name = strndup(name, length - 3);
      for (size_t j = 0; j < n; j++)
        if (strcmp(names + symbols[j].st_name, kernel->name) == 0)
          kernel->end = symbols[j].st_value + symbols[j].st_size;
      kernel->given_size = read_given_size(program, kernel->name);
    }
  }
  return program->n_kernels > 0;
}

static kernel_t *find_kernel(const amdgpu_program_t *program, const char *name) {
  for (size_t i = 0; i < program->n_kernels; i++)
    if (strcmp(program->kernels[i].name, name) == 0)
      return &program->kernels[i];
  return NULL;
}

//===-- Instructions ---------------------------------------------------------------------------------------------===//

static bool add_instruction(amdgpu_program_t *program, kernel_t *kernel, uint64_t at, size_t *out_size) {
  char text[256];
  uint8_t *bytes = (uint8_t *)program->memory + at;
  *out_size = LLVMDisasmInstruction(program->disassembler, bytes, kernel->end - at, at, text, sizeof text);
  if (!*out_size)
    return false;
  instruction_t *instruction = &kernel->instructions[kernel->n++];
  const char *begin = text + strspn(text, " \t");
  if (!decode(program, begin, instruction))
    instruction->carry_out = NULL; // a finding where it is met
  instruction->text = strdup(begin);
  instruction->address = at;
  instruction->size = (uint32_t)*out_size;
  return true;
}

static bool find_target(const kernel_t *kernel, instruction_t *instruction) {
  int64_t words = (int16_t)instruction->operands[0].integer;
  uint64_t address = instruction->address + instruction->size + (uint64_t)(4 * words);
  for (uint32_t i = 0; i < kernel->n; i++)
    if (kernel->instructions[i].address == address) {
      instruction->target = i;
      return true;
    }
  return false;
}

bool kernel_prepare(amdgpu_program_t *program, kernel_t *kernel, char *finding) {
  size_t size;
  if (kernel->instructions)
    return true;
  kernel->instructions = calloc((kernel->end - kernel->entry) / 4 + 1, sizeof *kernel->instructions);
  for (uint64_t at = kernel->entry; kernel->instructions && at < kernel->end; at += size)
    if (!add_instruction(program, kernel, at, &size)) {
      snprintf(finding, AMDGPU_TEXT, "kernel %s, at 0x%llx: no instruction", kernel->name, (unsigned long long)at);
      return false;
    }
  for (size_t i = 0; kernel->instructions && i < kernel->n; i++) {
    instruction_t *instruction = &kernel->instructions[i];
    bool is_branch = instruction->carry_out && strstr(instruction->name, "branch");
    if (is_branch && !find_target(kernel, instruction)) {
      snprintf(finding, AMDGPU_TEXT, "kernel %s, at 0x%llx: a branch out of it", kernel->name,
               (unsigned long long)instruction->address);
      return false;
    }
  }
  return kernel->instructions != NULL;
}

//===-- Programs -------------------------------------------------------------------------------------------------===//

// "amdgcn-amd-amdhsa--gfx942:xnack-" or "…gfx9-4-generic".
static bool read_target(amdgpu_program_t *program, char *out_chip, size_t capacity) {
  pack_t metadata, target;
  if (!find_metadata(program, 0, &metadata) || !find_key(metadata, "amdhsa.target", &target))
    return false;
  pack_value_t value = next(&target);
  snprintf(out_chip, capacity, "%.*s", (int)value.number, value.text);
  char *chip = strstr(out_chip, "gfx");
  if (!chip)
    return false;
  memmove(out_chip, chip, strlen(chip) + 1);
  out_chip[strcspn(out_chip, ":")] = 0;
  program->arch = (uint32_t)strtoul(out_chip + 3, NULL, 16);
  program->last_arch = program->arch;
  if (strncmp(out_chip, "gfx9-4", 6) == 0) {
    program->arch = 0x940;
    program->last_arch = 0x95F;
  } else if (program->arch < 0x100) {
    program->arch <<= 8;
    program->last_arch = program->arch | 0xFF;
  }
  program->generation = (program->arch >> 12) * 10 + (program->arch >> 8 & 15);
  return true;
}

static void unload(amdgpu_program_t *program) {
  for (size_t i = 0; i < program->n_kernels; i++) {
    kernel_t *kernel = &program->kernels[i];
    for (size_t k = 0; k < kernel->n; k++) {
      free(kernel->instructions[k].text);
      free(kernel->instructions[k].also);
    }
    free(kernel->instructions);
    free(kernel->name);
  }
  if (program->disassembler)
    LLVMDisasmDispose(program->disassembler);
  free(program->kernels);
  free(program->memory);
  free(program);
}

static amdgpu_program_t *load(const void *image, size_t size, char *finding) {
  char chip[64] = "";
  amdgpu_program_t *program = calloc(1, sizeof *program);
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  bool ok = program && load_segments(program, image, size) && read_target(program, chip, sizeof chip) &&
            read_symbols(program, image);
  if (ok)
    program->disassembler = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", chip, NULL, 0, NULL, NULL);
  if (ok && program->disassembler)
    return program;
  snprintf(finding, AMDGPU_TEXT, "no code object that the executor can read (%s)", chip);
  if (program)
    unload(program);
  return NULL;
}

static bool runs_on(const amdgpu_program_t *program, uint32_t arch) {
  return arch >= program->arch && arch <= program->last_arch;
}

static bool find_info(const amdgpu_program_t *program, const char *name, amdgpu_kernel_info_t *out_info) {
  const kernel_t *kernel = find_kernel(program, name);
  if (kernel)
    *out_info = (amdgpu_kernel_info_t){.arguments = kernel->given_size, .shared = kernel->shared};
  return kernel != NULL;
}

static bool launch(amdgpu_program_t *program, const amdgpu_launch_t *what, char *finding) {
  kernel_t *kernel = find_kernel(program, what->kernel);
  return kernel && kernel_prepare(program, kernel, finding) && run_launch(program, kernel, what, finding);
}

extern const amdgpu_functions_t strata_test_amdgpu;
__attribute__((visibility("default")))
const amdgpu_functions_t strata_test_amdgpu = {load, unload, runs_on, find_info, launch};
