// Object files of the host's kind in memory: several made one, and one made a shared library, as `ld -r` and `ld
// -shared` do. Those are processes that take as long to start as all this does to finish.
#ifndef STRATA_TARGETS_ELF_ELF_H
#define STRATA_TARGETS_ELF_ELF_H

#include "runtime/base/arena.h"
#include "runtime/base/status.h"
#include "targets/cpu/codegen.h"

#include <elf.h>
#include <stdint.h>

enum { STRATA_ELF_PAGE = 4096 };

// An object in the making.
typedef struct {
  char *data;
  size_t size;
} strata_bytes_t;

// One relocatable object out of several, in which only |kept| names are global (combine.c). |kept| may be NULL: all
// that are.
STRATA_MUST_CHECK strata_status_t strata_combine_objects(strata_arena_t *arena, size_t n_objects,
                                                         const strata_cpu_object_t *objects, size_t n_kept,
                                                         const char *const *kept, strata_bytes_t *out_object);

// A symbol that is a number.
typedef struct {
  const char *name;
  int64_t value;
} strata_elf_absolute_t;

typedef struct {
  const char *soname; // NULL: none
  size_t n_absolutes; // further symbols that are exported
  const strata_elf_absolute_t *absolutes;
  const char *appended; // a section of which the bytes, |appended_size| of them, follow the file; NULL: none
  uint64_t appended_size;
  bool may_lack; // names that the system's libraries do not define are somebody else's; else an error
} strata_elf_shared_t;

// A shared library for x86-64 out of one relocatable object, whose global names it exports (shared.c). It is bound when
// it is loaded, by the versions of names that this machine's libc and libm have. Where a section is appended, the
// library is whole pages.
STRATA_MUST_CHECK strata_status_t strata_elf_link_shared(strata_arena_t *arena, strata_bytes_t object,
                                                         const strata_elf_shared_t *options,
                                                         strata_bytes_t *out_library);

//===-- Parts ----------------------------------------------------------------------------------------------------===//

// A relocatable object, which is borrowed.
typedef struct {
  const char *data;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  size_t n_symbols, n_locals;
  const char *names; // of the symbols
} strata_elf_object_t;

// False where it is none of 64 bits, little-endian (object.c).
bool strata_elf_read_object(const char *data, size_t size, strata_elf_object_t *out_object);
const char *strata_elf_section_name(const strata_elf_object_t *object, size_t i);

// A name that a library of the system may define (system.c).
typedef struct {
  const char *name;
  int origin;          // the number of the library; -1: none defines it
  const char *version; // NULL: none
  bool is_function;
} strata_elf_import_t;

enum { STRATA_ELF_LIBRARIES = 3 };
extern const char *const strata_elf_libraries[STRATA_ELF_LIBRARIES];

// Finds the names, which are sorted, in the libraries.
STRATA_MUST_CHECK strata_status_t strata_elf_find_imports(strata_arena_t *arena, size_t n,
                                                          strata_elf_import_t *imports);

// The bytes of .eh_frame_hdr for this many frames, and how many are in |frames| (frames.c).
uint64_t strata_elf_frames_size(size_t n_frames);
size_t strata_elf_count_frames(const char *frames, uint64_t size);
// The table of |frames|, at |address| in memory with its relocations applied, for a header at |header_address|.
STRATA_MUST_CHECK strata_status_t strata_elf_index_frames(const char *frames, uint64_t size, uint64_t address,
                                                          uint64_t header_address, char *out_header);

#endif
