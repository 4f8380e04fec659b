// Device code: shared objects of the host are loaded, cubins, HSACO and PTX only read.
#define _GNU_SOURCE
#include "test/support/driver/driver.h"
#include "test/support/driver/emulated.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

//===-- ELF ------------------------------------------------------------------------------------------------------===//

static const Elf64_Ehdr *header_of(const image_t *image) { return (const void *)image->data; }

static const Elf64_Shdr *section_at(const image_t *image, unsigned index) {
  return (const void *)(image->data + header_of(image)->e_shoff + (size_t)index * sizeof(Elf64_Shdr));
}

// The section called prefix + name; NULL: there is none.
static const Elf64_Shdr *find_section(const image_t *image, const char *prefix, const char *name) {
  const Elf64_Ehdr *header = header_of(image);
  const char *names = image->data + section_at(image, header->e_shstrndx)->sh_offset;
  size_t length = strlen(prefix);
  for (unsigned i = 1; i < header->e_shnum; i++) {
    const char *found = names + section_at(image, i)->sh_name;
    if (strncmp(found, prefix, length) == 0 && strcmp(found + length, name) == 0)
      return section_at(image, i);
  }
  return NULL;
}

static bool has_symbol(const image_t *image, const char *name) {
  const Elf64_Shdr *table = find_section(image, ".symtab", "");
  if (!table)
    table = find_section(image, ".dynsym", "");
  if (!table)
    return false;
  const Elf64_Sym *symbols = (const void *)(image->data + table->sh_offset);
  const char *names = image->data + section_at(image, table->sh_link)->sh_offset;
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++)
    if (symbols[i].st_shndx != SHN_UNDEF && strcmp(names + symbols[i].st_name, name) == 0)
      return true;
  return false;
}

// The end of an ELF file whose size nobody gave.
static size_t elf_size(const char *data) {
  const Elf64_Ehdr *header = (const void *)data;
  size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  const Elf64_Shdr *sections = (const void *)(data + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++)
    if (sections[i].sh_type != SHT_NOBITS && sections[i].sh_offset + sections[i].sh_size > size)
      size = sections[i].sh_offset + sections[i].sh_size;
  return size;
}

//===-- Loading --------------------------------------------------------------------------------------------------===//

// The image calls back into this library, which its loader may have kept to itself.
static void make_global(void) {
  Dl_info info;
  if (dladdr((const void *)image_load, &info))
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

// The file stays open while the image is loaded: the loader knows it by its name, which has the descriptor in it.
static int load_emulated(image_t *image) {
  char path[64];
  make_global();
  image->descriptor = memfd_create("kernels", MFD_CLOEXEC);
  if (image->descriptor < 0 || write(image->descriptor, image->data, image->size) != (ssize_t)image->size)
    return INVALID_IMAGE;
  snprintf(path, sizeof path, "/proc/self/fd/%d", image->descriptor);
  image->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (image->handle) {
    image->shared = (uint32_t)(uintptr_t)dlsym(image->handle, "strata_emulated_shared");
    uint32_t lanes = (uint32_t)(uintptr_t)dlsym(image->handle, "strata_emulated_lanes");
    image->lanes = lanes ? lanes : STRATA_EMULATED_LANES;
    return OK;
  }
  close(image->descriptor);
  return fault(INVALID_IMAGE, "%s", dlerror());
}

static int load_elf(image_t *image) {
  const Elf64_Ehdr *header = header_of(image);
  image->size = elf_size(image->data);
  switch (header->e_machine) {
  case EM_X86_64:
    image->kind = IMAGE_EMULATED;
    return load_emulated(image);
  case EM_CUDA:
    image->kind = IMAGE_CUBIN; // since ABI version 8 the architecture is the second byte of the flags
    image->arch = (header->e_ident[EI_ABIVERSION] >= 8 ? header->e_flags >> 8 : header->e_flags) & 0xFF;
    return OK;
  case EM_AMDGPU:
    image->kind = IMAGE_HSACO;
    return code_load(image);
  default:
    return INVALID_IMAGE;
  }
}

int image_load(const void *data, image_t *image) {
  *image = (image_t){.data = data};
  if (memcmp(data, ELFMAG, SELFMAG) == 0)
    return load_elf(image);
  const char *target = memchr(data, '.', 1) || isspace(*(const char *)data) || *(const char *)data == '/'
                           ? strstr(data, ".target sm_")
                           : NULL;
  if (!target)
    return INVALID_IMAGE;
  char *end;
  image->kind = IMAGE_PTX;
  image->arch = (uint32_t)strtoul(target + strlen(".target sm_"), &end, 10);
  image->is_generic = *end != 'a' && *end != 'f';
  return OK;
}

void image_unload(image_t *image) {
  if (image->program)
    code_unload(image);
  if (image->handle) {
    dlclose(image->handle);
    close(image->descriptor);
  }
}

// Of AMD's, a device that says nothing else runs every one.
bool image_runs_here(const image_t *image) {
  if (image->kind == IMAGE_EMULATED)
    return settings.arch == 0;
  if (image->kind == IMAGE_HSACO)
    return settings.arch == 0 || code_runs_here(image);
  return image->arch == settings.arch || (image->is_generic && image->arch < settings.arch);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

// A cubin's parameters, from .nv.info.<kernel>: a record 0x17 for each, their bytes in 0x19 (format 3: a value).
static void cubin_params(const image_t *image, const char *name, kernel_info_t *out_info) {
  const Elf64_Shdr *section = find_section(image, ".nv.info.", name);
  const unsigned char *data = (const void *)(image->data + (section ? section->sh_offset : 0));
  for (size_t i = 0; section && i + 4 <= section->sh_size;) {
    unsigned value = data[i + 2] | (unsigned)data[i + 3] << 8;
    if (data[i] == 3 && data[i + 1] == 0x19)
      out_info->param_size = (long)value;
    out_info->n_params += data[i] == 4 && data[i + 1] == 0x17;
    i += 4 + (data[i] == 4 ? value : 0);
  }
}

// An entry's parameters: pointers, or tensor maps, which are arrays; the bytes are those of pointers.
static void ptx_params(const char *entry, kernel_info_t *out_info) {
  for (const char *end = strchr(entry, ')'); (entry = strstr(entry, ".param")) && end && entry < end; entry++)
    out_info->n_params++;
  out_info->param_size = out_info->n_params * 8;
}

static bool find_ptx(const image_t *image, const char *name, kernel_info_t *out_info) {
  size_t length = strlen(name);
  for (const char *entry = image->data; (entry = strstr(entry, ".entry "));) {
    entry += strlen(".entry ");
    if (strncmp(entry, name, length) != 0 || isalnum(entry[length]) || entry[length] == '_' || entry[length] == '$')
      continue;
    *out_info = (kernel_info_t){0};
    ptx_params(entry, out_info);
    return true;
  }
  return false;
}

static bool find_cubin(const image_t *image, const char *name, kernel_info_t *out_info) {
  const Elf64_Shdr *shared = find_section(image, ".nv.shared.", name);
  if (!has_symbol(image, name))
    return false;
  *out_info = (kernel_info_t){.shared = shared ? (uint32_t)shared->sh_size : 0};
  cubin_params(image, name, out_info);
  return true;
}

bool image_find_kernel(const image_t *image, const char *name, kernel_info_t *out_info) {
  char symbol[512];
  switch (image->kind) {
  case IMAGE_EMULATED:
    snprintf(symbol, sizeof symbol, STRATA_EMULATED_ENTRY_PREFIX "%s", name);
    *out_info = (kernel_info_t){.param_size = -1, .n_params = -1, .entry = dlsym(image->handle, symbol)};
    return out_info->entry != NULL;
  case IMAGE_CUBIN:
    return find_cubin(image, name, out_info);
  case IMAGE_PTX:
    return find_ptx(image, name, out_info);
  case IMAGE_HSACO:
    return code_find_kernel(image, name, out_info);
  }
  return false;
}
