// Which of the system's libraries defines a name, and in which version: the one that the linker would take.
#include "targets/elf/elf.h"
#include "targets/llvm/tools.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const strata_elf_libraries[STRATA_ELF_LIBRARIES] = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"};

typedef struct {
  const char *data;
  size_t size;
  const Elf64_Sym *symbols;
  size_t n_symbols;
  const Elf64_Half *versions; // of the symbols; NULL: there are none
  const char *definitions;    // of versions; NULL: there are none
  const char *names;
} library_t;

static bool open_library(strata_arena_t *arena, const char *name, library_t *out_library) {
  const char *path = strata_find_system_library(arena, name);
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  struct stat status;
  void *data = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof(Elf64_Ehdr)
                   ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                   : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (data == MAP_FAILED)
    return false;
  *out_library = (library_t){.data = data, .size = (size_t)status.st_size};
  return true;
}

static bool read_tables(library_t *library) {
  const Elf64_Ehdr *header = (const void *)library->data;
  if (header->e_machine != EM_X86_64 || header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) > library->size)
    return false;
  const Elf64_Shdr *sections = (const void *)(library->data + header->e_shoff);
  for (size_t i = 0; i < header->e_shnum; i++) {
    const void *data = library->data + sections[i].sh_offset;
    if (sections[i].sh_type == SHT_DYNSYM) {
      library->symbols = data;
      library->n_symbols = sections[i].sh_size / sizeof(Elf64_Sym);
      library->names = library->data + sections[sections[i].sh_link].sh_offset;
    } else if (sections[i].sh_type == SHT_GNU_versym)
      library->versions = data;
    else if (sections[i].sh_type == SHT_GNU_verdef)
      library->definitions = data;
  }
  return library->symbols != NULL;
}

static const char *version_name(const library_t *library, Elf64_Half number) {
  const char *at = library->definitions;
  while (at) {
    const Elf64_Verdef *definition = (const void *)at;
    if (definition->vd_ndx == number)
      return library->names + ((const Elf64_Verdaux *)(const void *)(at + definition->vd_aux))->vda_name;
    at = definition->vd_next ? at + definition->vd_next : NULL;
  }
  return NULL;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const strata_elf_import_t *)a)->name, ((const strata_elf_import_t *)b)->name);
}

static void take(strata_arena_t *arena, const library_t *library, size_t i, int number, size_t n,
                 strata_elf_import_t *imports) {
  enum { HIDDEN = 0x8000 }; // a version that is there for older programs
  const Elf64_Sym *symbol = &library->symbols[i];
  Elf64_Half version = library->versions ? library->versions[i] : VER_NDX_GLOBAL;
  if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || version & HIDDEN)
    return;
  const strata_elf_import_t key = {.name = library->names + symbol->st_name};
  strata_elf_import_t *found = bsearch(&key, imports, n, sizeof *imports, by_name);
  if (!found || found->origin >= 0)
    return;
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  const char *name = version > VER_NDX_GLOBAL ? version_name(library, version) : NULL;
  found->origin = number;
  found->version = name ? strata_arena_strdup(arena, name) : NULL;
  found->is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
}

strata_status_t strata_elf_find_imports(strata_arena_t *arena, size_t n, strata_elf_import_t *imports) {
  for (size_t i = 0; i < n; i++)
    imports[i].origin = -1;
  for (int number = 0; number < STRATA_ELF_LIBRARIES && n; number++) {
    library_t library;
    if (!open_library(arena, strata_elf_libraries[number], &library))
      continue;
    bool is_readable = read_tables(&library);
    for (size_t i = 1; i < library.n_symbols && is_readable; i++)
      take(arena, &library, i, number, n, imports);
    munmap((void *)(uintptr_t)library.data, library.size);
    if (!is_readable)
      return strata_error(STRATA_TOOL, "%s of this machine is no library for x86-64 to link with",
                          strata_elf_libraries[number]);
  }
  return NULL;
}
