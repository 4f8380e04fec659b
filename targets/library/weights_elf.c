// Putting the weights into ELF files without carrying them: files are made with an empty section for them, they are
// written behind it and the headers are told so. They are copied once for each file.
#define _GNU_SOURCE // fchmod, fileno
#include "targets/library/emit.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = STRATA_ELF_PAGE }; // where weights begin in a file, so that they can be mapped
enum { EXECUTABLE = 0777 };

// The header of the section called |name|. The object is our own.
static strata_status_t find_section(strata_bytes_t elf, const char *name, Elf64_Shdr **out_section) {
  const Elf64_Ehdr *header = (const void *)elf.data;
  Elf64_Shdr *sections = (void *)(elf.data + header->e_shoff);
  const char *names = elf.data + sections[header->e_shstrndx].sh_offset;
  for (size_t i = 0; i < header->e_shnum; i++)
    if (strcmp(names + sections[i].sh_name, name) == 0) {
      *out_section = &sections[i];
      return NULL;
    }
  return strata_error(STRATA_INTERNAL, "library: an object without a section %s", name);
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

// What a program's files are made without.
static mode_t file_mask(void) {
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

strata_status_t strata_write_shared(const strata_linking_t *linking, strata_bytes_t object, const char *out_path) {
  bool has_weights = has_embedded_weights(linking->program);
  const strata_elf_shared_t options = {
      .soname = strata_arena_printf(linking->arena, "lib%s.so", linking->program->options->name),
      .appended = has_weights ? strata_weights_section(linking->device) : NULL,
      .appended_size = has_weights ? (uint64_t)strata_program_all_weights_size(linking->program) : 0,
  };
  strata_bytes_t library;
  FILE *file;
  STRATA_TRY(strata_elf_link_shared(linking->arena, object, &options, &library));
  STRATA_TRY(strata_file_open(out_path, "wb", &file));
  fchmod(fileno(file), EXECUTABLE & ~file_mask());
  fwrite(library.data, 1, library.size, file);
  if (has_weights)
    strata_program_write_weights(linking->program, file);
  return strata_file_close(file, out_path);
}
