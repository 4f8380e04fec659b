// Putting the weights into ELF files without the linker: it lays out an empty section, they are written behind its
// output and the headers are told so. They are copied once for each file, and no tool has to carry them.
#include "targets/library/emit.h"

#include <elf.h>
#include <string.h>

enum { PAGE = 4096 }; // where weights begin in a file, so that they can be mapped

static strata_status_t read_file(strata_arena_t *arena, const char *path, strata_bytes_t *out_bytes) {
  FILE *file;
  STRATA_TRY(strata_file_open(path, "rb", &file));
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  out_bytes->size = size > 0 ? (size_t)size : 0;
  out_bytes->data = strata_arena_alloc(arena, out_bytes->size);
  bool ok = fread(out_bytes->data, 1, out_bytes->size, file) == out_bytes->size;
  fclose(file);
  return ok ? NULL : strata_error(STRATA_IO, "%s: cannot be read", path);
}

// The header of the section called |name|. The files are our own, just written by the linker.
static strata_status_t find_section(strata_bytes_t elf, const char *name, Elf64_Shdr **out_section) {
  const Elf64_Ehdr *header = (const void *)elf.data;
  Elf64_Shdr *sections = (void *)(elf.data + header->e_shoff);
  const char *names = elf.data + sections[header->e_shstrndx].sh_offset;
  for (size_t i = 0; i < header->e_shnum; i++)
    if (strcmp(names + sections[i].sh_name, name) == 0) {
      *out_section = &sections[i];
      return NULL;
    }
  return strata_error(STRATA_INTERNAL, "library: the linker left no section %s", name);
}

static bool has_embedded_weights(const strata_program_t *program) {
  return strata_program_all_weights_size(program) > 0 && program->options->weights != STRATA_WEIGHTS_FILE;
}

static strata_status_t find_weights(const strata_linking_t *linking, strata_bytes_t elf, Elf64_Shdr **out_section) {
  STRATA_TRY(find_section(elf, strata_weights_section(linking->device), out_section));
  (*out_section)->sh_size = (uint64_t)strata_program_all_weights_size(linking->program);
  (*out_section)->sh_addralign = PAGE;
  return NULL;
}

strata_status_t strata_place_weights(const strata_linking_t *linking, strata_bytes_t object, strata_bytes_t *out_head,
                                     size_t *out_gap) {
  *out_gap = 0;
  *out_head = object;
  if (!has_embedded_weights(linking->program))
    return NULL;
  *out_head = (strata_bytes_t){strata_arena_copy(linking->arena, object.data, object.size), object.size};
  Elf64_Shdr *section;
  STRATA_TRY(find_weights(linking, *out_head, &section));
  *out_gap = (PAGE - out_head->size % PAGE) % PAGE;
  section->sh_offset = out_head->size + *out_gap;
  return NULL;
}

strata_status_t strata_reserve_weights(const strata_linking_t *linking, strata_bytes_t object, const char *out_path) {
  if (has_embedded_weights(linking->program)) {
    object = (strata_bytes_t){strata_arena_copy(linking->arena, object.data, object.size), object.size};
    Elf64_Shdr *section;
    STRATA_TRY(find_weights(linking, object, &section));
    section->sh_type = SHT_NOBITS;
  }
  return strata_file_write(out_path, object.data, object.size);
}

// LLD puts the large section first, behind the file's headers, in one segment with them:
//
//   PHDR, LOAD (headers, section without bytes), LOAD…   becomes   LOAD (headers), LOAD (weights), LOAD…
//
// since a shared library does not need the entry that describes the table itself.
static strata_status_t split_first_segment(strata_bytes_t elf, const Elf64_Shdr *section) {
  const Elf64_Ehdr *header = (const void *)elf.data;
  Elf64_Phdr *segments = (void *)(elf.data + header->e_phoff);
  Elf64_Phdr *first = &segments[1];
  if (header->e_phnum < 2 || segments[0].p_type != PT_PHDR || first->p_type != PT_LOAD || first->p_offset != 0 ||
      first->p_vaddr + first->p_memsz != section->sh_addr + section->sh_size || first->p_filesz > section->sh_addr)
    return strata_error(STRATA_INTERNAL, "library: the linker did not put the weights into a segment of their own");
  segments[0] = *first;
  segments[0].p_memsz = first->p_filesz;
  *first = (Elf64_Phdr){.p_type = PT_LOAD,
                        .p_flags = PF_R,
                        .p_offset = section->sh_offset,
                        .p_vaddr = section->sh_addr,
                        .p_paddr = section->sh_addr,
                        .p_filesz = section->sh_size,
                        .p_memsz = section->sh_size,
                        .p_align = PAGE};
  return NULL;
}

strata_status_t strata_append_weights(const strata_linking_t *linking, const char *path) {
  strata_bytes_t library;
  Elf64_Shdr *section;
  if (!has_embedded_weights(linking->program))
    return NULL;
  STRATA_TRY(read_file(linking->arena, path, &library));
  STRATA_TRY(find_section(library, strata_weights_section(linking->device), &section));
  size_t gap = (PAGE - library.size % PAGE) % PAGE;
  section->sh_type = SHT_PROGBITS;
  section->sh_offset = library.size + gap;
  STRATA_TRY(split_first_segment(library, section));
  FILE *file;
  STRATA_TRY(strata_file_open(path, "r+b", &file)); // which keeps the mode the linker gave it
  fwrite(library.data, 1, library.size, file);
  strata_file_add_zeros(file, gap);
  strata_program_write_weights(linking->program, file);
  return strata_file_close(file, path);
}
