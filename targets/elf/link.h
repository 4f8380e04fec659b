// What the two steps of linking a shared library share: shared.c finds out what there is to be, write.c where, and
// writes it.
#ifndef STRATA_TARGETS_ELF_LINK_H
#define STRATA_TARGETS_ELF_LINK_H

#include "targets/elf/elf.h"

#include <elf.h>

// Where a section comes to lie.
typedef enum {
  STRATA_ELF_READ,  // with the headers
  STRATA_ELF_CODE,  //
  STRATA_ELF_FIXED, // constant once it is relocated
  STRATA_ELF_DATA,  //
  STRATA_ELF_APPENDED,
  STRATA_ELF_UNLOADED, // not in memory
} strata_elf_part_t;
enum { STRATA_ELF_LOADED = STRATA_ELF_DATA + 1 }; // parts, beside what is appended

typedef struct {
  const char *name;
  strata_elf_part_t part;
  Elf64_Shdr header;
  char *bytes; // NULL: of a section without
} strata_elf_section_t;

// The linker's own sections.
typedef enum {
  STRATA_ELF_DYNSYM,
  STRATA_ELF_VERSYM,
  STRATA_ELF_VERNEED,
  STRATA_ELF_HASH,
  STRATA_ELF_DYNSTR,
  STRATA_ELF_RELA,
  STRATA_ELF_FRAMES, // .eh_frame_hdr
  STRATA_ELF_STUBS,  // .plt: jumps to functions of other libraries
  STRATA_ELF_DYNAMIC,
  STRATA_ELF_SLOTS, // .got: addresses that are known when it is loaded
  STRATA_ELF_OWN,
} strata_elf_own_t;
enum { STRATA_ELF_STUB = 8, STRATA_ELF_SLOT = 8 };

typedef struct {
  strata_arena_t *arena;
  const strata_elf_shared_t *options;

  strata_elf_object_t given;
  STRATA_VECTOR(strata_elf_section_t) sections; // of the library; the first stands for none
  size_t *places;                               // by the object's section: its number in the library, 0: left out
  size_t own[STRATA_ELF_OWN];                   // their numbers, 0: there is none
  size_t frames;                                // the number of .eh_frame

  // By symbol, from 1 on; 0: it has none.
  uint32_t *slot_of, *stub_of, *dynamic_of;
  STRATA_VECTOR(uint32_t) slots, stubs; // their symbols
  strata_elf_import_t *imports;         // in front of what is exported, in .dynsym
  uint32_t *import_symbols;
  size_t n_imports;
  uint32_t *exports; // symbols
  size_t n_exports;
  size_t n_relocations;     // when it is loaded
  STRATA_VECTOR(char) text; // of .dynstr
  STRATA_VECTOR(Elf64_Rela) relative, symbolic;
} strata_elf_link_t;

strata_status_t strata_elf_unexpected(const char *what);
// Lays the sections out, relocates them and makes the file.
STRATA_MUST_CHECK strata_status_t strata_elf_write(strata_elf_link_t *link, strata_bytes_t *out_library);

#endif
