// The layout of a shared library and its bytes.
//
//   R    headers, names, versions, hash, relocations, constants, frames
//   RX   code, stubs
//   RW   addresses and what else is constant once it is relocated
//   RW   data
//   -    debug information, symbols, the sections' headers
//   R    the appended section, whose bytes are to follow
//
// In the file all lies behind one another; in memory each part has pages of its own, of which the first may begin with
// bytes of the part before.
#include "targets/elf/link.h"

#include <string.h>

enum { LOAD, APPENDED = LOAD + STRATA_ELF_LOADED, DYNAMIC, RELRO, FRAMES, STACK, N_SEGMENTS };

typedef struct {
  strata_elf_link_t *link;
  uint64_t offset, address;
  Elf64_Phdr segments[N_SEGMENTS];
  size_t n_sections;
  size_t *order;       // the sections by their places
  Elf64_Half *numbers; // of the headers, by section
  char *data;
  uint64_t size;
} file_t;

static uint64_t round_up(uint64_t value, uint64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

static strata_elf_section_t *section_at(const strata_elf_link_t *link, size_t i) { return &link->sections.data[i]; }

static strata_elf_section_t *own(const strata_elf_link_t *link, strata_elf_own_t which) {
  return link->own[which] ? section_at(link, link->own[which]) : NULL;
}

static uint64_t address_of_own(const strata_elf_link_t *link, strata_elf_own_t which) {
  return link->own[which] ? own(link, which)->header.sh_addr : 0;
}

//===-- Layout ---------------------------------------------------------------------------------------------------===//

static void note_order(file_t *file, size_t section) {
  file->order[file->n_sections] = section;
  file->numbers[section] = (Elf64_Half)file->n_sections++;
}

static void place(file_t *file, size_t i) {
  Elf64_Shdr *header = &section_at(file->link, i)->header;
  uint64_t gap = round_up(file->address, header->sh_addralign) - file->address;
  bool has_bytes = header->sh_type != SHT_NOBITS;
  file->address += gap;
  file->offset += has_bytes ? gap : 0;
  header->sh_addr = file->address;
  header->sh_offset = file->offset;
  file->address += header->sh_size;
  file->offset += has_bytes ? header->sh_size : 0;
  note_order(file, i);
}

static void place_part(file_t *file, strata_elf_part_t part) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 1; i < file->link->sections.count; i++)
      if (section_at(file->link, i)->part == part && (section_at(file->link, i)->header.sh_type == SHT_NOBITS) == pass)
        place(file, i);
}

static void place_loaded(file_t *file, strata_elf_part_t part) {
  static const Elf64_Word flags[STRATA_ELF_LOADED] = {PF_R, PF_R | PF_X, PF_R | PF_W, PF_R | PF_W};
  bool is_first = part == STRATA_ELF_READ; // with the headers
  if (!is_first)
    file->address = round_up(file->address, STRATA_ELF_PAGE) + file->offset % STRATA_ELF_PAGE;
  uint64_t offset = is_first ? 0 : file->offset, address = is_first ? 0 : file->address;
  place_part(file, part);
  if (part == STRATA_ELF_FIXED)
    file->address = round_up(file->address, STRATA_ELF_PAGE); // whole pages are protected
  file->segments[LOAD + part] = (Elf64_Phdr){.p_type = file->address > address ? PT_LOAD : PT_NULL,
                                             .p_flags = flags[part],
                                             .p_offset = offset,
                                             .p_vaddr = address,
                                             .p_paddr = address,
                                             .p_filesz = file->offset - offset,
                                             .p_memsz = file->address - address,
                                             .p_align = STRATA_ELF_PAGE};
}

static void place_unloaded(file_t *file) {
  for (size_t i = 1; i < file->link->sections.count; i++) {
    Elf64_Shdr *header = &section_at(file->link, i)->header;
    if (section_at(file->link, i)->part != STRATA_ELF_UNLOADED)
      continue;
    header->sh_offset = file->offset = round_up(file->offset, header->sh_addralign);
    file->offset += header->sh_size;
    note_order(file, i);
  }
}

static void place_appended(file_t *file) {
  for (size_t i = 1; i < file->link->sections.count; i++) {
    Elf64_Shdr *header = &section_at(file->link, i)->header;
    if (section_at(file->link, i)->part != STRATA_ELF_APPENDED)
      continue;
    header->sh_addr = round_up(file->address, STRATA_ELF_PAGE);
    header->sh_size = file->link->options->appended_size;
    header->sh_addralign = STRATA_ELF_PAGE;
    note_order(file, i);
    file->segments[APPENDED] = (Elf64_Phdr){.p_type = PT_LOAD,
                                            .p_flags = PF_R,
                                            .p_vaddr = header->sh_addr,
                                            .p_paddr = header->sh_addr,
                                            .p_filesz = header->sh_size,
                                            .p_memsz = header->sh_size,
                                            .p_align = STRATA_ELF_PAGE};
  }
}

// A segment that is one section, or the beginning of another segment.
static Elf64_Phdr like(Elf64_Word type, const strata_elf_section_t *section, Elf64_Word flags) {
  if (!section)
    return (Elf64_Phdr){.p_type = PT_NULL};
  const Elf64_Shdr *header = &section->header;
  return (Elf64_Phdr){type,
                      flags,
                      header->sh_offset,
                      header->sh_addr,
                      header->sh_addr,
                      header->sh_size,
                      header->sh_size,
                      header->sh_addralign};
}

static void lay_out(file_t *file) {
  strata_elf_link_t *link = file->link;
  size_t count = link->sections.count;
  file->order = strata_arena_array(link->arena, size_t, count);
  file->numbers = strata_arena_array(link->arena, Elf64_Half, count);
  note_order(file, 0);
  file->offset = file->address = sizeof(Elf64_Ehdr) + sizeof file->segments;
  for (strata_elf_part_t part = STRATA_ELF_READ; part <= STRATA_ELF_DATA; part++)
    place_loaded(file, part);
  place_appended(file);
  place_unloaded(file);
  file->segments[DYNAMIC] = like(PT_DYNAMIC, own(link, STRATA_ELF_DYNAMIC), PF_R | PF_W);
  file->segments[FRAMES] = like(PT_GNU_EH_FRAME, own(link, STRATA_ELF_FRAMES), PF_R);
  file->segments[RELRO] = file->segments[LOAD + STRATA_ELF_FIXED];
  file->segments[RELRO].p_type = PT_GNU_RELRO;
  file->segments[RELRO].p_flags = PF_R;
  file->segments[RELRO].p_align = 1;
  file->segments[STACK] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W};
}

//===-- Relocations ----------------------------------------------------------------------------------------------===//

static uint64_t address_of(const strata_elf_link_t *link, uint32_t symbol) {
  const Elf64_Sym *given = &link->given.symbols[symbol];
  if (given->st_shndx == SHN_UNDEF)
    return 0;
  if (given->st_shndx >= SHN_LORESERVE)
    return given->st_value;
  return section_at(link, link->places[given->st_shndx])->header.sh_addr + given->st_value;
}

static uint64_t slot_address(const strata_elf_link_t *link, uint32_t symbol) {
  return address_of_own(link, STRATA_ELF_SLOTS) + (link->slot_of[symbol] - 1) * (uint64_t)STRATA_ELF_SLOT;
}

static uint64_t stub_address(const strata_elf_link_t *link, uint32_t symbol) {
  return address_of_own(link, STRATA_ELF_STUBS) + (link->stub_of[symbol] - 1) * (uint64_t)STRATA_ELF_STUB;
}

static strata_status_t put32(char *at, int64_t value) {
  int32_t narrow = (int32_t)value;
  memcpy(at, &narrow, sizeof narrow);
  return narrow == value ? NULL : strata_error(STRATA_UNSUPPORTED, "library: code and constants of more than 2 GiB");
}

static void put64(char *at, uint64_t value) { memcpy(at, &value, sizeof value); }

static void when_loaded(strata_elf_link_t *link, uint64_t place, uint32_t symbol, uint32_t type, int64_t addend) {
  bool is_ours = link->given.symbols[symbol].st_shndx != SHN_UNDEF;
  Elf64_Rela relocation = {.r_offset = place};
  if (is_ours) {
    relocation.r_info = ELF64_R_INFO(0, R_X86_64_RELATIVE);
    relocation.r_addend = (Elf64_Sxword)address_of(link, symbol) + addend;
    *strata_vector_push(link->arena, &link->relative) = relocation;
  } else {
    relocation.r_info = ELF64_R_INFO((Elf64_Xword)link->dynamic_of[symbol], type);
    relocation.r_addend = addend;
    *strata_vector_push(link->arena, &link->symbolic) = relocation;
  }
}

static strata_status_t apply(strata_elf_link_t *link, const strata_elf_section_t *section,
                             const Elf64_Rela *relocation) {
  uint32_t symbol = (uint32_t)ELF64_R_SYM(relocation->r_info);
  uint64_t place = section->header.sh_addr + relocation->r_offset, value = address_of(link, symbol);
  char *at = section->bytes + relocation->r_offset;
  bool is_loaded = section->part != STRATA_ELF_UNLOADED, is_absolute = link->given.symbols[symbol].st_shndx == SHN_ABS;
  int64_t addend = relocation->r_addend;
  switch (ELF64_R_TYPE(relocation->r_info)) {
  case R_X86_64_64:
    if (is_loaded && !is_absolute)
      when_loaded(link, place, symbol, R_X86_64_64, addend);
    else
      put64(at, value + (uint64_t)addend);
    return NULL;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (link->stub_of[symbol])
      value = stub_address(link, symbol);
    return put32(at, (int64_t)(value - place) + addend);
  case R_X86_64_PC64:
    put64(at, value - place + (uint64_t)addend);
    return NULL;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return put32(at, (int64_t)(slot_address(link, symbol) - place) + addend);
  case R_X86_64_32:
  case R_X86_64_32S:
    if (!is_loaded) { // between parts of the debug information
      uint32_t narrow = (uint32_t)(value + (uint64_t)addend);
      memcpy(at, &narrow, sizeof narrow);
      return NULL;
    }
    // fallthrough
  default:
    return strata_elf_unexpected("an unknown relocation");
  }
}

static strata_status_t apply_all(strata_elf_link_t *link) {
  for (size_t i = 0; i < link->given.header->e_shnum; i++) {
    const Elf64_Shdr *table = &link->given.sections[i];
    if (table->sh_type != SHT_RELA || !link->places[table->sh_info])
      continue;
    const Elf64_Rela *relocations = (const void *)(link->given.data + table->sh_offset);
    for (size_t r = 0; r < table->sh_size / sizeof *relocations; r++)
      STRATA_TRY(apply(link, section_at(link, link->places[table->sh_info]), &relocations[r]));
  }
  for (size_t i = 0; i < link->slots.count; i++)
    when_loaded(link, slot_address(link, link->slots.data[i]), link->slots.data[i], R_X86_64_GLOB_DAT, 0);
  return NULL;
}

//===-- The linker's own sections --------------------------------------------------------------------------------===//

static strata_status_t fill_stubs(strata_elf_link_t *link) {
  static const char jump[STRATA_ELF_STUB] = "\xff\x25\0\0\0\0\x66\x90"; // jmp *slot(%rip), and nothing of two bytes
  enum { OFFSET = 2, END = 6 };
  for (size_t i = 0; i < link->stubs.count; i++) {
    uint32_t symbol = link->stubs.data[i];
    char *at = own(link, STRATA_ELF_STUBS)->bytes + i * STRATA_ELF_STUB;
    memcpy(at, jump, sizeof jump);
    STRATA_TRY(put32(at + OFFSET, (int64_t)(slot_address(link, symbol) - (stub_address(link, symbol) + END))));
  }
  return NULL;
}

static Elf64_Half section_number(const file_t *file, Elf64_Half given) {
  return given >= SHN_LORESERVE ? given : file->numbers[file->link->places[given]];
}

static void fill_dynamic_symbols(const file_t *file) {
  strata_elf_link_t *link = file->link;
  Elf64_Sym *symbols = (void *)own(link, STRATA_ELF_DYNSYM)->bytes;
  for (size_t i = 0; i < link->n_exports; i++) {
    Elf64_Sym *symbol = &symbols[1 + link->n_imports + i];
    symbol->st_value = address_of(link, link->exports[i]);
    symbol->st_shndx = section_number(file, symbol->st_shndx);
  }
}

static void fill_relocations(strata_elf_link_t *link) {
  strata_elf_section_t *table = own(link, STRATA_ELF_RELA);
  size_t relative = link->relative.count * sizeof(Elf64_Rela), symbolic = link->symbolic.count * sizeof(Elf64_Rela);
  if (relative)
    memcpy(table->bytes, link->relative.data, relative);
  if (symbolic)
    memcpy(table->bytes + relative, link->symbolic.data, symbolic);
}

static void add_entry(Elf64_Dyn **at, Elf64_Sxword tag, uint64_t value) { *(*at)++ = (Elf64_Dyn){tag, {value}}; }

static void add_array(const strata_elf_link_t *link, Elf64_Dyn **at, Elf64_Word type, Elf64_Sxword tag,
                      Elf64_Sxword size_tag) {
  for (size_t i = 1; i < link->sections.count; i++) {
    const Elf64_Shdr *header = &section_at(link, i)->header;
    if (header->sh_type != type || !header->sh_size)
      continue;
    add_entry(at, tag, header->sh_addr);
    add_entry(at, size_tag, header->sh_size);
    return; // combining objects leaves one
  }
}

static void fill_dynamic(const strata_elf_link_t *link) {
  Elf64_Dyn *at = (void *)own(link, STRATA_ELF_DYNAMIC)->bytes;
  while (at->d_tag != DT_NULL)
    at++;
  add_entry(&at, DT_FLAGS, DF_BIND_NOW);
  add_entry(&at, DT_FLAGS_1, DF_1_NOW);
  add_entry(&at, DT_SYMTAB, address_of_own(link, STRATA_ELF_DYNSYM));
  add_entry(&at, DT_SYMENT, sizeof(Elf64_Sym));
  add_entry(&at, DT_STRTAB, address_of_own(link, STRATA_ELF_DYNSTR));
  add_entry(&at, DT_STRSZ, own(link, STRATA_ELF_DYNSTR)->header.sh_size);
  add_entry(&at, DT_GNU_HASH, address_of_own(link, STRATA_ELF_HASH));
  if (own(link, STRATA_ELF_RELA)) {
    add_entry(&at, DT_RELA, address_of_own(link, STRATA_ELF_RELA));
    add_entry(&at, DT_RELASZ, own(link, STRATA_ELF_RELA)->header.sh_size);
    add_entry(&at, DT_RELAENT, sizeof(Elf64_Rela));
    add_entry(&at, DT_RELACOUNT, link->relative.count);
  }
  if (own(link, STRATA_ELF_VERNEED)) {
    add_entry(&at, DT_VERSYM, address_of_own(link, STRATA_ELF_VERSYM));
    add_entry(&at, DT_VERNEED, address_of_own(link, STRATA_ELF_VERNEED));
    add_entry(&at, DT_VERNEEDNUM, own(link, STRATA_ELF_VERNEED)->header.sh_info);
  }
  add_array(link, &at, SHT_INIT_ARRAY, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
  add_array(link, &at, SHT_FINI_ARRAY, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
}

static strata_status_t fill_frames(const strata_elf_link_t *link) {
  const strata_elf_section_t *header = own(link, STRATA_ELF_FRAMES), *frames = section_at(link, link->frames);
  return header ? strata_elf_index_frames(frames->bytes, frames->header.sh_size, frames->header.sh_addr,
                                          header->header.sh_addr, header->bytes)
                : NULL;
}

static void link_to(const file_t *file, strata_elf_own_t from, strata_elf_own_t to) {
  if (file->link->own[from])
    own(file->link, from)->header.sh_link = file->numbers[file->link->own[to]];
}

static strata_status_t fill(file_t *file) {
  strata_elf_link_t *link = file->link;
  STRATA_TRY(apply_all(link));
  STRATA_TRY(fill_stubs(link));
  STRATA_TRY(fill_frames(link));
  fill_dynamic_symbols(file);
  if (own(link, STRATA_ELF_RELA))
    fill_relocations(link);
  fill_dynamic(link);
  static const strata_elf_own_t of_names[] = {STRATA_ELF_DYNSYM, STRATA_ELF_VERNEED, STRATA_ELF_DYNAMIC};
  static const strata_elf_own_t of_symbols[] = {STRATA_ELF_VERSYM, STRATA_ELF_HASH, STRATA_ELF_RELA};
  for (size_t i = 0; i < sizeof of_names / sizeof of_names[0]; i++) {
    link_to(file, of_names[i], STRATA_ELF_DYNSTR);
    link_to(file, of_symbols[i], STRATA_ELF_DYNSYM);
  }
  return NULL;
}

//===-- Symbols for who looks inside -----------------------------------------------------------------------------===//

typedef STRATA_VECTOR(char) text_t;

static Elf64_Word add_name(strata_arena_t *arena, text_t *text, const char *name) {
  size_t start = text->count;
  do
    *strata_vector_push(arena, text) = *name;
  while (*name++);
  return (Elf64_Word)start;
}

static strata_elf_section_t unloaded(const char *name, Elf64_Word type, size_t size, void *bytes) {
  return (strata_elf_section_t){
      name, STRATA_ELF_UNLOADED, {.sh_type = type, .sh_size = size, .sh_addralign = 1}, bytes};
}

static bool is_listed(const strata_elf_link_t *link, size_t i) {
  const Elf64_Sym *symbol = &link->given.symbols[i];
  return symbol->st_shndx != SHN_UNDEF && link->given.names[symbol->st_name] &&
         (symbol->st_shndx >= SHN_LORESERVE || link->places[symbol->st_shndx]);
}

// .symtab and .strtab: what is defined and has a name. Their values are filled in by fill_symbols().
static size_t add_symbols(strata_elf_link_t *link) {
  STRATA_VECTOR(Elf64_Sym) symbols = {0};
  text_t text = {0};
  size_t n_locals = 1;
  *strata_vector_push(link->arena, &symbols) = (Elf64_Sym){0};
  add_name(link->arena, &text, "");
  for (size_t i = 1; i < link->given.n_symbols; i++) {
    Elf64_Sym symbol = link->given.symbols[i];
    if (!is_listed(link, i))
      continue;
    symbol.st_name = add_name(link->arena, &text, link->given.names + symbol.st_name);
    *strata_vector_push(link->arena, &symbols) = symbol;
    n_locals += i < link->given.n_locals;
  }
  strata_elf_section_t table = unloaded(".symtab", SHT_SYMTAB, symbols.count * sizeof *symbols.data, symbols.data);
  table.header.sh_addralign = sizeof(Elf64_Xword);
  table.header.sh_entsize = sizeof *symbols.data;
  table.header.sh_info = (Elf64_Word)n_locals;
  *strata_vector_push(link->arena, &link->sections) = table;
  *strata_vector_push(link->arena, &link->sections) = unloaded(".strtab", SHT_STRTAB, text.count, text.data);
  return link->sections.count - 2;
}

// Once sections have addresses and numbers.
static void fill_symbols(const file_t *file, size_t table) {
  const strata_elf_link_t *link = file->link;
  Elf64_Sym *symbol = (void *)section_at(link, table)->bytes;
  for (size_t i = 1; i < link->given.n_symbols; i++) {
    if (!is_listed(link, i))
      continue;
    (++symbol)->st_value = address_of(link, (uint32_t)i);
    symbol->st_shndx = section_number(file, link->given.symbols[i].st_shndx);
  }
  section_at(link, table)->header.sh_link = file->numbers[table + 1];
}

static void add_section_names(strata_elf_link_t *link) {
  static const char own_name[] = ".shstrtab";
  text_t text = {0};
  for (size_t i = 0; i < link->sections.count; i++)
    section_at(link, i)->header.sh_name = add_name(link->arena, &text, section_at(link, i)->name);
  strata_elf_section_t table = unloaded(own_name, SHT_STRTAB, 0, NULL);
  table.header.sh_name = add_name(link->arena, &text, own_name);
  table.header.sh_size = text.count;
  table.bytes = text.data;
  *strata_vector_push(link->arena, &link->sections) = table;
}

//===-- The file -------------------------------------------------------------------------------------------------===//

static void write_bytes(const file_t *file) {
  for (size_t i = 1; i < file->n_sections; i++) {
    const strata_elf_section_t *section = section_at(file->link, file->order[i]);
    if (section->bytes && section->header.sh_size)
      memcpy(file->data + section->header.sh_offset, section->bytes, section->header.sh_size);
  }
}

static void write_headers(file_t *file, uint64_t table) {
  Elf64_Ehdr header = *file->link->given.header;
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_shoff = table;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof *file->segments;
  header.e_phnum = N_SEGMENTS;
  header.e_shnum = (Elf64_Half)file->n_sections;
  header.e_shstrndx = file->numbers[file->link->sections.count - 1];
  memcpy(file->data, &header, sizeof header);
  memcpy(file->data + sizeof header, file->segments, sizeof file->segments);
  for (size_t i = 0; i < file->n_sections; i++)
    memcpy(file->data + table + i * sizeof(Elf64_Shdr), &section_at(file->link, file->order[i])->header,
           sizeof(Elf64_Shdr));
}

static void end_appended(file_t *file) {
  for (size_t i = 1; i < file->link->sections.count; i++)
    if (section_at(file->link, i)->part == STRATA_ELF_APPENDED) {
      file->size = round_up(file->size, STRATA_ELF_PAGE);
      section_at(file->link, i)->header.sh_offset = file->segments[APPENDED].p_offset = file->size;
    }
}

strata_status_t strata_elf_write(strata_elf_link_t *link, strata_bytes_t *out_library) {
  file_t file = {.link = link};
  size_t symbols = add_symbols(link);
  add_section_names(link);
  lay_out(&file);
  STRATA_TRY(fill(&file));
  fill_symbols(&file, symbols);
  uint64_t table = round_up(file.offset, sizeof(Elf64_Xword));
  file.size = table + file.n_sections * sizeof(Elf64_Shdr);
  end_appended(&file);
  file.data = strata_arena_calloc(link->arena, file.size, 1);
  write_bytes(&file);
  write_headers(&file, table);
  *out_library = (strata_bytes_t){file.data, file.size};
  return NULL;
}
