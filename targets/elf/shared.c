// What a shared library consists of: the object's sections, and tables for who loads it.
//
// A reference to something in the library itself is an offset, and final. What is an address is in data, or, where code
// asks for one or calls another library, in .got, and is completed when the library is loaded; there is nothing lazy.
#include "targets/elf/link.h"

#include <stdlib.h>
#include <string.h>

strata_status_t strata_elf_unexpected(const char *what) {
  return strata_error(STRATA_INTERNAL, "library: an object has %s, which linking does not know", what);
}

//===-- The object -----------------------------------------------------------------------------------------------===//

static strata_status_t read_object(strata_elf_link_t *link, strata_bytes_t object) {
  if (!strata_elf_read_object(object.data, object.size, &link->given) || link->given.header->e_machine != EM_X86_64)
    return strata_elf_unexpected("another format");
  link->places = strata_arena_array(link->arena, size_t, link->given.header->e_shnum + 1);
  link->slot_of = strata_arena_array(link->arena, uint32_t, link->given.n_symbols + 1);
  link->stub_of = strata_arena_array(link->arena, uint32_t, link->given.n_symbols + 1);
  link->dynamic_of = strata_arena_array(link->arena, uint32_t, link->given.n_symbols + 1);
  return NULL;
}

static const char *given_name(const strata_elf_link_t *link, size_t i) {
  return strata_elf_section_name(&link->given, i);
}

static size_t add_section(strata_elf_link_t *link, strata_elf_section_t section) {
  *strata_vector_push(link->arena, &link->sections) = section;
  return link->sections.count - 1;
}

// Data that nobody writes once it is relocated.
static bool is_fixed(const char *name, const Elf64_Shdr *section) {
  return section->sh_type == SHT_INIT_ARRAY || section->sh_type == SHT_FINI_ARRAY ||
         strncmp(name, ".data.rel.ro", strlen(".data.rel.ro")) == 0;
}

static strata_elf_part_t part_of(const strata_elf_link_t *link, size_t i) {
  const Elf64_Shdr *section = &link->given.sections[i];
  const char *name = given_name(link, i);
  if (!(section->sh_flags & SHF_ALLOC))
    return STRATA_ELF_UNLOADED;
  if (link->options->appended && strcmp(name, link->options->appended) == 0)
    return STRATA_ELF_APPENDED;
  if (section->sh_flags & SHF_EXECINSTR)
    return STRATA_ELF_CODE;
  if (section->sh_flags & SHF_WRITE)
    return is_fixed(name, section) ? STRATA_ELF_FIXED : STRATA_ELF_DATA;
  return STRATA_ELF_READ;
}

static bool is_left_out(const strata_elf_link_t *link, size_t i) {
  static const uint32_t types[] = {SHT_NULL, SHT_SYMTAB, SHT_STRTAB, SHT_RELA};
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    if (link->given.sections[i].sh_type == types[t])
      return true;
  return strcmp(given_name(link, i), ".note.GNU-stack") == 0;
}

static strata_status_t add_given(strata_elf_link_t *link, size_t i) {
  const Elf64_Shdr *section = &link->given.sections[i];
  const char *name = given_name(link, i);
  if (section->sh_flags & SHF_TLS || section->sh_addralign > STRATA_ELF_PAGE)
    return strata_elf_unexpected(name);
  Elf64_Shdr header = {.sh_type = section->sh_type,
                       .sh_flags = section->sh_flags,
                       .sh_size = section->sh_size,
                       .sh_addralign = section->sh_addralign ? section->sh_addralign : 1,
                       .sh_entsize = section->sh_entsize};
  bool has_bytes = section->sh_type != SHT_NOBITS && part_of(link, i) != STRATA_ELF_APPENDED;
  char *bytes =
      has_bytes ? strata_arena_copy(link->arena, link->given.data + section->sh_offset, section->sh_size) : NULL;
  link->places[i] = add_section(link, (strata_elf_section_t){name, part_of(link, i), header, bytes});
  if (strcmp(name, ".eh_frame") == 0) {
    if (link->frames)
      return strata_elf_unexpected("two sections of frames");
    link->frames = link->places[i];
  }
  return NULL;
}

// Those of a part; the ones without bytes come last.
static strata_status_t add_given_of(strata_elf_link_t *link, strata_elf_part_t part) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < link->given.header->e_shnum; i++)
      if (!is_left_out(link, i) && part_of(link, i) == part && (link->given.sections[i].sh_type == SHT_NOBITS) == pass)
        STRATA_TRY(add_given(link, i));
  return NULL;
}

//===-- What relocations ask for ---------------------------------------------------------------------------------===//

static bool is_defined(const strata_elf_link_t *link, uint32_t symbol) {
  return link->given.symbols[symbol].st_shndx != SHN_UNDEF;
}

static void ask_for_slot(strata_elf_link_t *link, uint32_t symbol) {
  if (link->slot_of[symbol])
    return;
  *strata_vector_push(link->arena, &link->slots) = symbol;
  link->slot_of[symbol] = (uint32_t)link->slots.count;
  link->n_relocations++;
}

static void ask_for_stub(strata_elf_link_t *link, uint32_t symbol) {
  if (link->stub_of[symbol])
    return;
  *strata_vector_push(link->arena, &link->stubs) = symbol;
  link->stub_of[symbol] = (uint32_t)link->stubs.count;
  ask_for_slot(link, symbol);
}

static strata_status_t ask_for_address(strata_elf_link_t *link, const Elf64_Shdr *section, uint32_t symbol) {
  if (link->given.symbols[symbol].st_shndx == SHN_ABS)
    return NULL;
  if (!(section->sh_flags & SHF_WRITE))
    return strata_elf_unexpected("an address in memory that is not written");
  link->n_relocations++;
  return NULL;
}

static strata_status_t scan(strata_elf_link_t *link, const Elf64_Shdr *section, const Elf64_Rela *relocation) {
  uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info), type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
  if (!is_defined(link, symbol))
    link->dynamic_of[symbol] = 1; // it needs one
  switch (type) {
  case R_X86_64_64:
    return ask_for_address(link, section, symbol);
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (!is_defined(link, symbol))
      ask_for_stub(link, symbol);
    return NULL;
  case R_X86_64_PC64:
    return is_defined(link, symbol) ? NULL : strata_elf_unexpected("a far reference to another library");
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    ask_for_slot(link, symbol);
    return NULL;
  default:
    return strata_error(STRATA_INTERNAL, "library: an object has relocation %u, which linking does not know", type);
  }
}

static strata_status_t scan_all(strata_elf_link_t *link) {
  for (size_t i = 0; i < link->given.header->e_shnum; i++) {
    const Elf64_Shdr *table = &link->given.sections[i];
    if (table->sh_type != SHT_RELA || !(link->given.sections[table->sh_info].sh_flags & SHF_ALLOC))
      continue;
    const Elf64_Rela *relocations = (const void *)(link->given.data + table->sh_offset);
    for (size_t r = 0; r < table->sh_size / sizeof *relocations; r++)
      STRATA_TRY(scan(link, &link->given.sections[table->sh_info], &relocations[r]));
  }
  return NULL;
}

//===-- Names ----------------------------------------------------------------------------------------------------===//

static const char *name_of(const strata_elf_link_t *link, uint32_t symbol) {
  return link->given.names + link->given.symbols[symbol].st_name;
}

typedef struct {
  const char *name;
  uint32_t symbol;
} named_t;

static int by_name(const void *a, const void *b) {
  return strcmp(((const named_t *)a)->name, ((const named_t *)b)->name);
}

static bool is_weak(const strata_elf_link_t *link, uint32_t symbol) {
  return ELF64_ST_BIND(link->given.symbols[symbol].st_info) == STB_WEAK;
}

// A call, or an offset to, what is no function is one that only the program itself could have.
static strata_status_t check_imports(const strata_elf_link_t *link) {
  for (size_t i = 0; i < link->n_imports; i++) {
    const strata_elf_import_t *import = &link->imports[i];
    uint32_t symbol = link->import_symbols[i];
    if (import->origin < 0 && !link->options->may_lack && !is_weak(link, symbol))
      return strata_error(STRATA_INTERNAL, "library: undefined symbol: %s", import->name);
    if (import->origin >= 0 && !import->is_function && link->stub_of[symbol])
      return strata_error(STRATA_INTERNAL, "library: %s is no function", import->name);
  }
  return NULL;
}

static strata_status_t gather_imports(strata_elf_link_t *link) {
  named_t *used = strata_arena_array(link->arena, named_t, link->given.n_symbols + 1);
  size_t n = 0;
  for (uint32_t i = 0; i < link->given.n_symbols; i++)
    if (link->dynamic_of[i])
      used[n++] = (named_t){name_of(link, i), i};
  qsort(used, n, sizeof *used, by_name);
  link->n_imports = n;
  link->imports = strata_arena_array(link->arena, strata_elf_import_t, n + 1);
  link->import_symbols = strata_arena_array(link->arena, uint32_t, n + 1);
  for (size_t i = 0; i < n; i++) {
    link->imports[i].name = used[i].name;
    link->import_symbols[i] = used[i].symbol;
    link->dynamic_of[used[i].symbol] = (uint32_t)i + 1;
  }
  STRATA_TRY(strata_elf_find_imports(link->arena, n, link->imports));
  return check_imports(link);
}

static void gather_exports(strata_elf_link_t *link) {
  link->exports = strata_arena_array(link->arena, uint32_t, link->given.n_symbols + 1);
  for (uint32_t i = (uint32_t)link->given.n_locals; i < link->given.n_symbols; i++) {
    unsigned visibility = ELF64_ST_VISIBILITY(link->given.symbols[i].st_other);
    if (is_defined(link, i) && (visibility == STV_DEFAULT || visibility == STV_PROTECTED))
      link->exports[link->n_exports++] = i;
  }
}

//===-- Tables for who loads it ----------------------------------------------------------------------------------===//

static Elf64_Word add_text(strata_elf_link_t *link, const char *text) {
  size_t start = link->text.count;
  do
    *strata_vector_push(link->arena, &link->text) = *text;
  while (*text++);
  return (Elf64_Word)start;
}

static void add_own(strata_elf_link_t *link, strata_elf_own_t which, strata_elf_part_t part, const char *name,
                    Elf64_Shdr header, const void *bytes) {
  if (!header.sh_size)
    return;
  header.sh_flags |= SHF_ALLOC;
  char *copy = bytes ? strata_arena_copy(link->arena, bytes, header.sh_size)
                     : strata_arena_calloc(link->arena, header.sh_size, 1);
  link->own[which] = add_section(link, (strata_elf_section_t){name, part, header, copy});
}

static uint32_t gnu_hash(const char *name) {
  uint32_t hash = 5381;
  for (; *name; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t version_hash(const char *name) {
  uint32_t hash = 0;
  for (; *name; name++) {
    hash = (hash << 4) + (unsigned char)*name;
    hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
  }
  return hash;
}

// The exported names: one bucket for all, and a filter of one word. A library has ten.
static void add_hash(strata_elf_link_t *link) {
  enum { SHIFT = 26, BITS = 64 };
  size_t n = link->n_exports + link->options->n_absolutes;
  struct {
    uint32_t n_buckets, first, n_words, shift;
    uint64_t filter;
    uint32_t bucket;
  } __attribute__((packed))
  head = {1, (uint32_t)link->n_imports + 1, 1, SHIFT, 0, n ? (uint32_t)link->n_imports + 1 : 0};
  size_t size = sizeof head + n * sizeof(uint32_t);
  char *bytes = strata_arena_alloc(link->arena, size);
  for (size_t i = 0; i < n; i++) {
    const char *name =
        i < link->n_exports ? name_of(link, link->exports[i]) : link->options->absolutes[i - link->n_exports].name;
    uint32_t hash = gnu_hash(name), last = i + 1 == n, value = (hash & ~1u) | last;
    head.filter |= (uint64_t)1 << hash % BITS | (uint64_t)1 << (hash >> SHIFT) % BITS;
    memcpy(bytes + sizeof head + i * sizeof value, &value, sizeof value);
  }
  memcpy(bytes, &head, sizeof head);
  add_own(link, STRATA_ELF_HASH, STRATA_ELF_READ, ".gnu.hash",
          (Elf64_Shdr){.sh_type = SHT_GNU_HASH, .sh_size = size, .sh_addralign = 8}, bytes);
}

// The versions that are needed of a library, each once, in the order of the imports; |numbers|: of the imports.
static size_t number_versions(const strata_elf_link_t *link, int library, Elf64_Half *next, Elf64_Half *numbers,
                              size_t *firsts) {
  size_t n = 0;
  for (size_t i = 0; i < link->n_imports; i++) {
    const strata_elf_import_t *import = &link->imports[i];
    if (import->origin != library || !import->version)
      continue;
    for (size_t j = 0; j < n && !numbers[i]; j++)
      if (strcmp(link->imports[firsts[j]].version, import->version) == 0)
        numbers[i] = numbers[firsts[j]];
    if (!numbers[i]) {
      firsts[n++] = i;
      numbers[i] = (*next)++;
    }
  }
  return n;
}

typedef STRATA_VECTOR(char) bytes_t;

static void append(strata_elf_link_t *link, bytes_t *bytes, const void *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    *strata_vector_push(link->arena, bytes) = ((const char *)data)[i];
}

static void append_needs(strata_elf_link_t *link, int library, size_t n, const size_t *firsts,
                         const Elf64_Half *numbers, bytes_t *needs) {
  size_t size = sizeof(Elf64_Verneed) + n * sizeof(Elf64_Vernaux);
  const Elf64_Verneed need = {.vn_version = VER_NEED_CURRENT,
                              .vn_cnt = (Elf64_Half)n,
                              .vn_file = add_text(link, strata_elf_libraries[library]),
                              .vn_aux = sizeof need,
                              .vn_next = (Elf64_Word)size};
  append(link, needs, &need, sizeof need);
  for (size_t j = 0; j < n; j++) {
    const char *version = link->imports[firsts[j]].version;
    const Elf64_Vernaux one = {.vna_hash = version_hash(version),
                               .vna_other = numbers[firsts[j]],
                               .vna_name = add_text(link, version),
                               .vna_next = j + 1 < n ? sizeof one : 0};
    append(link, needs, &one, sizeof one);
  }
}

static void add_versions(strata_elf_link_t *link) {
  size_t n_names = 1 + link->n_imports + link->n_exports + link->options->n_absolutes, n_needs = 0;
  size_t last = 0, *firsts = strata_arena_array(link->arena, size_t, link->n_imports + 1);
  Elf64_Half next = VER_NDX_GLOBAL + 1, *of_names = strata_arena_array(link->arena, Elf64_Half, n_names);
  bytes_t needs = {0};
  for (int library = 0; library < STRATA_ELF_LIBRARIES; library++) {
    size_t n = number_versions(link, library, &next, of_names + 1, firsts);
    if (n) {
      last = needs.count;
      append_needs(link, library, n, firsts, of_names + 1, &needs);
      n_needs++;
    }
  }
  for (size_t i = 1; i < n_names; i++)
    if (!of_names[i])
      of_names[i] = VER_NDX_GLOBAL;
  if (n_needs)
    ((Elf64_Verneed *)(void *)(needs.data + last))->vn_next = 0;
  add_own(link, STRATA_ELF_VERSYM, STRATA_ELF_READ, ".gnu.version",
          (Elf64_Shdr){.sh_type = SHT_GNU_versym,
                       .sh_size = n_needs ? n_names * sizeof *of_names : 0,
                       .sh_addralign = sizeof *of_names,
                       .sh_entsize = sizeof *of_names},
          of_names);
  add_own(link, STRATA_ELF_VERNEED, STRATA_ELF_READ, ".gnu.version_r",
          (Elf64_Shdr){.sh_type = SHT_GNU_verneed,
                       .sh_size = needs.count,
                       .sh_info = (Elf64_Word)n_needs,
                       .sh_addralign = sizeof(Elf64_Word)},
          needs.data);
}

// Their values are known later.
static void add_dynamic_symbols(strata_elf_link_t *link) {
  size_t n = 1 + link->n_imports + link->n_exports + link->options->n_absolutes, at = 1;
  Elf64_Sym *symbols = strata_arena_array(link->arena, Elf64_Sym, n);
  for (size_t i = 0; i < link->n_imports; i++) {
    const Elf64_Sym *symbol = &link->given.symbols[link->import_symbols[i]];
    symbols[at++] = (Elf64_Sym){.st_name = add_text(link, link->imports[i].name),
                                .st_info = ELF64_ST_INFO(ELF64_ST_BIND(symbol->st_info), STT_NOTYPE)};
  }
  for (size_t i = 0; i < link->n_exports; i++) {
    symbols[at] = link->given.symbols[link->exports[i]];
    symbols[at++].st_name = add_text(link, name_of(link, link->exports[i]));
  }
  for (size_t i = 0; i < link->options->n_absolutes; i++)
    symbols[at++] = (Elf64_Sym){.st_name = add_text(link, link->options->absolutes[i].name),
                                .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
                                .st_shndx = SHN_ABS,
                                .st_value = (Elf64_Addr)link->options->absolutes[i].value};
  add_own(link, STRATA_ELF_DYNSYM, STRATA_ELF_READ, ".dynsym",
          (Elf64_Shdr){.sh_type = SHT_DYNSYM,
                       .sh_size = n * sizeof *symbols,
                       .sh_info = 1,
                       .sh_addralign = 8,
                       .sh_entsize = sizeof *symbols},
          symbols);
}

static bool needs(const strata_elf_link_t *link, int library) {
  for (size_t i = 0; i < link->n_imports; i++)
    if (link->imports[i].origin == library)
      return true;
  return false;
}

// What holds names; the rest of .dynamic is known when everything has its place.
static void add_dynamic(strata_elf_link_t *link) {
  enum { OTHERS = 20 };
  Elf64_Dyn entries[STRATA_ELF_LIBRARIES + 1 + OTHERS] = {0};
  size_t n = 0;
  for (int library = 0; library < STRATA_ELF_LIBRARIES; library++)
    if (needs(link, library))
      entries[n++] = (Elf64_Dyn){DT_NEEDED, {add_text(link, strata_elf_libraries[library])}};
  if (link->options->soname)
    entries[n++] = (Elf64_Dyn){DT_SONAME, {add_text(link, link->options->soname)}};
  add_own(link, STRATA_ELF_DYNAMIC, STRATA_ELF_FIXED, ".dynamic",
          (Elf64_Shdr){.sh_type = SHT_DYNAMIC,
                       .sh_flags = SHF_WRITE,
                       .sh_size = (n + OTHERS) * sizeof *entries,
                       .sh_addralign = 8,
                       .sh_entsize = sizeof *entries},
          entries);
}

static void add_tables(strata_elf_link_t *link) {
  add_text(link, "");
  add_dynamic_symbols(link);
  add_versions(link);
  add_hash(link);
  add_dynamic(link); // of a later part, and the last that has names
  add_own(link, STRATA_ELF_DYNSTR, STRATA_ELF_READ, ".dynstr",
          (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_size = link->text.count, .sh_addralign = 1}, link->text.data);
  add_own(link, STRATA_ELF_RELA, STRATA_ELF_READ, ".rela.dyn",
          (Elf64_Shdr){.sh_type = SHT_RELA,
                       .sh_size = link->n_relocations * sizeof(Elf64_Rela),
                       .sh_addralign = 8,
                       .sh_entsize = sizeof(Elf64_Rela)},
          NULL);
}

// Sections that code reaches other libraries by, and the index of frames.
static void add_helpers(strata_elf_link_t *link) {
  add_own(link, STRATA_ELF_STUBS, STRATA_ELF_CODE, ".plt",
          (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_EXECINSTR,
                       .sh_size = link->stubs.count * STRATA_ELF_STUB,
                       .sh_addralign = 16,
                       .sh_entsize = STRATA_ELF_STUB},
          NULL);
  add_own(link, STRATA_ELF_SLOTS, STRATA_ELF_FIXED, ".got",
          (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                       .sh_flags = SHF_WRITE,
                       .sh_size = link->slots.count * STRATA_ELF_SLOT,
                       .sh_addralign = STRATA_ELF_SLOT,
                       .sh_entsize = STRATA_ELF_SLOT},
          NULL);
  const strata_elf_section_t *frames = &link->sections.data[link->frames];
  size_t n = link->frames ? strata_elf_count_frames(frames->bytes, frames->header.sh_size) : 0;
  add_own(link, STRATA_ELF_FRAMES, STRATA_ELF_READ, ".eh_frame_hdr",
          (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_size = n ? strata_elf_frames_size(n) : 0, .sh_addralign = 4}, NULL);
}

strata_status_t strata_elf_link_shared(strata_arena_t *arena, strata_bytes_t object, const strata_elf_shared_t *options,
                                       strata_bytes_t *out_library) {
  strata_elf_link_t link = {.arena = arena, .options = options};
  STRATA_TRY(read_object(&link, object));
  STRATA_TRY(scan_all(&link));
  STRATA_TRY(gather_imports(&link));
  gather_exports(&link);
  add_section(&link, (strata_elf_section_t){.name = ""});
  add_tables(&link);
  for (strata_elf_part_t part = STRATA_ELF_READ; part <= STRATA_ELF_UNLOADED; part++)
    STRATA_TRY(add_given_of(&link, part));
  add_helpers(&link);
  return strata_elf_write(&link, out_library);
}
