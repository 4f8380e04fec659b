// What an object file consists of.
#include "targets/elf/elf.h"

#include <string.h>

bool strata_elf_read_object(const char *data, size_t size, strata_elf_object_t *out_object) {
  const Elf64_Ehdr *header = (const void *)data;
  if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_type != ET_REL)
    return false;
  *out_object =
      (strata_elf_object_t){.data = data, .header = header, .sections = (const void *)(data + header->e_shoff)};
  for (size_t i = 0; i < header->e_shnum; i++) {
    const Elf64_Shdr *section = &out_object->sections[i];
    if (section->sh_type != SHT_SYMTAB)
      continue;
    out_object->symbols = (const void *)(data + section->sh_offset);
    out_object->n_symbols = section->sh_size / sizeof(Elf64_Sym);
    out_object->n_locals = section->sh_info;
    out_object->names = data + out_object->sections[section->sh_link].sh_offset;
  }
  return true;
}

const char *strata_elf_section_name(const strata_elf_object_t *object, size_t i) {
  return object->data + object->sections[object->header->e_shstrndx].sh_offset + object->sections[i].sh_name;
}
