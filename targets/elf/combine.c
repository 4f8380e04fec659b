// One relocatable object out of several, in which only chosen names are global: what `ld -r` and then
// `objcopy --keep-global-symbol` do, without two processes that each take as long to start as all this does to finish.
//
// Sections of one name, type and flags are laid one behind the other. Names are resolved among the objects; a
// definition that is not to be kept becomes local. The objects are our own: 64 bits, little-endian, with explicit
// addends, without groups of sections and common symbols.
#include "targets/elf/elf.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where something of an object went.
typedef struct {
  size_t section;  // its number, or that of a relocated one; 0: left out
  uint64_t offset; // of its first byte in the new one
} place_t;

typedef struct {
  strata_elf_object_t object;
  place_t *places;   // by section
  uint32_t *numbers; // new ones of the symbols
} part_t;

typedef struct {
  const char *data; // NULL: of a section without bytes
  uint64_t offset, size;
} piece_t;

typedef struct {
  const char *name;
  Elf64_Shdr header;
  STRATA_VECTOR(piece_t) pieces;
  STRATA_VECTOR(Elf64_Rela) relocations;
} section_t;

typedef struct {
  const char *name;
  part_t *part;
  size_t number; // in the part
  const Elf64_Sym *symbol;
} global_t;

typedef struct {
  strata_arena_t *arena;
  size_t n_parts;
  part_t *parts;
  size_t n_kept;
  const char *const *kept;
  STRATA_VECTOR(section_t) sections; // the first stands for none
  STRATA_VECTOR(Elf64_Sym) symbols;
  STRATA_VECTOR(char) names;
  size_t n_locals;
} combination_t;

static strata_status_t unexpected(const char *what) {
  return strata_error(STRATA_INTERNAL, "library: an object has %s, which combining objects does not know", what);
}

//===-- Reading --------------------------------------------------------------------------------------------------===//

static strata_status_t read_part(strata_arena_t *arena, strata_cpu_object_t object, part_t *out_part) {
  *out_part = (part_t){0};
  if (!strata_elf_read_object(object.data, object.size, &out_part->object))
    return unexpected("another format");
  out_part->places = strata_arena_array(arena, place_t, out_part->object.header->e_shnum);
  out_part->numbers = strata_arena_array(arena, uint32_t, out_part->object.n_symbols + 1);
  return NULL;
}

//===-- Sections -------------------------------------------------------------------------------------------------===//

enum { SHT_ADDRESS_SIGNIFICANCE = 0x6fff4c03 }; // LLVM's, by numbers of symbols

// What is made anew, or says what would not be true of the whole.
static bool is_left_out(const part_t *part, size_t i) {
  static const uint32_t types[] = {SHT_NULL, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_ADDRESS_SIGNIFICANCE};
  for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
    if (part->object.sections[i].sh_type == types[t])
      return true;
  return strcmp(strata_elf_section_name(&part->object, i), ".note.gnu.property") == 0;
}

static size_t find_section(combination_t *c, const char *name, const Elf64_Shdr *like) {
  for (size_t i = 1; i < c->sections.count; i++) {
    const Elf64_Shdr *header = &c->sections.data[i].header;
    if (strcmp(c->sections.data[i].name, name) == 0 && header->sh_type == like->sh_type &&
        header->sh_flags == like->sh_flags && header->sh_entsize == like->sh_entsize)
      return i;
  }
  *strata_vector_push(c->arena, &c->sections) = (section_t){
      .name = name,
      .header = {
          .sh_type = like->sh_type, .sh_flags = like->sh_flags, .sh_entsize = like->sh_entsize, .sh_addralign = 1}};
  return c->sections.count - 1;
}

// Adds the section's bytes at the end of its new one.
static place_t append(combination_t *c, const part_t *part, const char *name, const Elf64_Shdr *section,
                      uint64_t alignment) {
  place_t place = {.section = find_section(c, name, section)};
  section_t *to = &c->sections.data[place.section];
  place.offset = (to->header.sh_size + alignment - 1) / alignment * alignment;
  const char *data = section->sh_type == SHT_NOBITS ? NULL : part->object.data + section->sh_offset;
  *strata_vector_push(c->arena, &to->pieces) = (piece_t){data, place.offset, section->sh_size};
  to->header.sh_size = place.offset + section->sh_size;
  if (to->header.sh_addralign < section->sh_addralign)
    to->header.sh_addralign = section->sh_addralign;
  return place;
}

static strata_status_t place_section(combination_t *c, part_t *part, size_t i) {
  enum { FRAME_ALIGNMENT = 4 }; // a gap between the parts of .eh_frame would be its end
  Elf64_Shdr section = part->object.sections[i];
  const char *name = strata_elf_section_name(&part->object, i);
  uint64_t alignment = section.sh_addralign ? section.sh_addralign : 1;
  if (section.sh_type == SHT_REL || section.sh_type == SHT_GROUP || section.sh_flags & SHF_LINK_ORDER)
    return unexpected(name);
  if (strcmp(name, ".eh_frame") == 0) {
    section.sh_type = SHT_PROGBITS; // some assemblers say SHT_X86_64_UNWIND
    alignment = FRAME_ALIGNMENT;
    if (section.sh_size % FRAME_ALIGNMENT != 0)
      return unexpected("frames of odd size");
  }
  part->places[i] = append(c, part, name, &section, alignment);
  return NULL;
}

static strata_status_t place_sections(combination_t *c) {
  *strata_vector_push(c->arena, &c->sections) = (section_t){.name = ""};
  for (size_t p = 0; p < c->n_parts; p++)
    for (size_t i = 0; i < c->parts[p].object.header->e_shnum; i++)
      if (!is_left_out(&c->parts[p], i))
        STRATA_TRY(place_section(c, &c->parts[p], i));
  return NULL;
}

//===-- Symbols --------------------------------------------------------------------------------------------------===//

static Elf64_Word add_text(combination_t *c, const char *text) {
  size_t start = c->names.count;
  do
    *strata_vector_push(c->arena, &c->names) = *text;
  while (*text++);
  return (Elf64_Word)start;
}

static bool is_in_section(const Elf64_Sym *symbol) {
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE;
}

// Adds a symbol of |part| under its name; its number.
static uint32_t add_symbol(combination_t *c, const part_t *part, Elf64_Sym symbol) {
  const char *name = part->object.names + symbol.st_name;
  symbol.st_name = *name ? add_text(c, name) : 0;
  if (is_in_section(&symbol)) {
    place_t place = part->places[symbol.st_shndx];
    symbol.st_shndx = (Elf64_Half)place.section;
    symbol.st_value += place.offset;
  }
  *strata_vector_push(c->arena, &c->symbols) = symbol;
  return (uint32_t)c->symbols.count - 1;
}

// A section's symbol has the section's number; then come those that are local already.
static void add_locals(combination_t *c) {
  for (size_t i = 0; i < c->sections.count; i++)
    *strata_vector_push(c->arena, &c->symbols) =
        (Elf64_Sym){.st_info = i ? ELF64_ST_INFO(STB_LOCAL, STT_SECTION) : 0, .st_shndx = (Elf64_Half)i};
  for (size_t p = 0; p < c->n_parts; p++) {
    part_t *part = &c->parts[p];
    for (size_t i = 1; i < part->object.n_locals; i++)
      if (ELF64_ST_TYPE(part->object.symbols[i].st_info) == STT_SECTION)
        part->numbers[i] = (uint32_t)part->places[part->object.symbols[i].st_shndx].section;
      else
        part->numbers[i] = add_symbol(c, part, part->object.symbols[i]);
  }
}

// By name; the definition comes first, of what nobody defines a use that needs one.
static int by_name(const void *a, const void *b) {
  const global_t *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  if (order)
    return order;
  bool x_undefined = x->symbol->st_shndx == SHN_UNDEF, y_undefined = y->symbol->st_shndx == SHN_UNDEF;
  if (x_undefined != y_undefined)
    return x_undefined - y_undefined;
  bool x_weak = ELF64_ST_BIND(x->symbol->st_info) == STB_WEAK, y_weak = ELF64_ST_BIND(y->symbol->st_info) == STB_WEAK;
  if (x_weak != y_weak)
    return x_weak - y_weak;
  return x->part != y->part ? (x->part < y->part ? -1 : 1) : (x->number > y->number) - (x->number < y->number);
}

static global_t *gather_globals(combination_t *c, size_t *out_count) {
  size_t count = 0;
  for (size_t p = 0; p < c->n_parts; p++)
    count += c->parts[p].object.n_symbols - c->parts[p].object.n_locals;
  global_t *globals = strata_arena_array(c->arena, global_t, count + 1);
  *out_count = 0;
  for (size_t p = 0; p < c->n_parts; p++)
    for (size_t i = c->parts[p].object.n_locals; i < c->parts[p].object.n_symbols; i++) {
      const Elf64_Sym *symbol = &c->parts[p].object.symbols[i];
      globals[(*out_count)++] = (global_t){c->parts[p].object.names + symbol->st_name, &c->parts[p], i, symbol};
    }
  qsort(globals, count, sizeof *globals, by_name);
  return globals;
}

static bool is_kept(const combination_t *c, const global_t *global) {
  if (!c->kept)
    return true;
  for (size_t i = 0; i < c->n_kept; i++)
    if (strcmp(c->kept[i], global->name) == 0)
      return true;
  return global->symbol->st_shndx == SHN_UNDEF;
}

// All uses of one name become one symbol. The narrowest visibility counts: they go from 1, internal, to 3, protected.
static strata_status_t add_global(combination_t *c, const global_t *first, const global_t *end, bool is_local) {
  Elf64_Sym symbol = *first->symbol;
  if (symbol.st_shndx == SHN_COMMON || symbol.st_shndx == SHN_XINDEX)
    return unexpected(first->name);
  for (const global_t *use = first; use < end; use++) {
    unsigned char own = ELF64_ST_VISIBILITY(symbol.st_other), other = ELF64_ST_VISIBILITY(use->symbol->st_other);
    if (other && (!own || other < own))
      symbol.st_other = (unsigned char)((symbol.st_other & ~3u) | other);
    if (use > first && use->symbol->st_shndx != SHN_UNDEF)
      return strata_error(STRATA_INTERNAL, "library: two objects define %s", first->name);
  }
  if (is_local)
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(symbol.st_info));
  uint32_t number = add_symbol(c, first->part, symbol);
  for (const global_t *use = first; use < end; use++)
    use->part->numbers[use->number] = number;
  return NULL;
}

static strata_status_t add_globals(combination_t *c, bool local_ones, size_t count, const global_t *globals) {
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && strcmp(globals[end].name, globals[i].name) == 0;)
      end++;
    if (is_kept(c, &globals[i]) != local_ones)
      STRATA_TRY(add_global(c, &globals[i], &globals[end], local_ones));
  }
  return NULL;
}

static strata_status_t place_symbols(combination_t *c) {
  add_text(c, "");
  add_locals(c);
  size_t count;
  const global_t *globals = gather_globals(c, &count);
  STRATA_TRY(add_globals(c, true, count, globals));
  c->n_locals = c->symbols.count;
  return add_globals(c, false, count, globals);
}

//===-- Relocations ----------------------------------------------------------------------------------------------===//

static void relocate(combination_t *c, const part_t *part, const Elf64_Shdr *table) {
  const Elf64_Rela *relocations = (const void *)(part->object.data + table->sh_offset);
  place_t target = part->places[table->sh_info];
  for (size_t i = 0; i < table->sh_size / sizeof *relocations && target.section; i++) {
    Elf64_Rela relocation = relocations[i];
    size_t number = ELF64_R_SYM(relocation.r_info);
    const Elf64_Sym *symbol = &part->object.symbols[number];
    relocation.r_offset += target.offset;
    if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION)
      relocation.r_addend += (Elf64_Sxword)part->places[symbol->st_shndx].offset;
    relocation.r_info = ELF64_R_INFO((Elf64_Xword)part->numbers[number], ELF64_R_TYPE(relocation.r_info));
    *strata_vector_push(c->arena, &c->sections.data[target.section].relocations) = relocation;
  }
}

static void place_relocations(combination_t *c) {
  for (size_t p = 0; p < c->n_parts; p++)
    for (size_t i = 0; i < c->parts[p].object.header->e_shnum; i++)
      if (c->parts[p].object.sections[i].sh_type == SHT_RELA)
        relocate(c, &c->parts[p], &c->parts[p].object.sections[i]);
}

//===-- Writing --------------------------------------------------------------------------------------------------===//

typedef struct {
  combination_t *c;
  STRATA_VECTOR(Elf64_Shdr) headers;
  STRATA_VECTOR(const char *) names;
  FILE *file;
} writer_t;

static void align(FILE *file, uint64_t alignment) {
  uint64_t at = (uint64_t)ftell(file);
  for (; at % alignment; at++)
    putc(0, file);
}

static void add_header(writer_t *w, const char *name, Elf64_Shdr header) {
  *strata_vector_push(w->c->arena, &w->names) = name;
  *strata_vector_push(w->c->arena, &w->headers) = header;
}

static void write_section(writer_t *w, const section_t *section) {
  Elf64_Shdr header = section->header;
  bool has_bytes = header.sh_type != SHT_NOBITS;
  if (has_bytes)
    align(w->file, header.sh_addralign);
  uint64_t at = header.sh_offset = (uint64_t)ftell(w->file);
  for (size_t i = 0; i < section->pieces.count && has_bytes; i++) {
    const piece_t *piece = &section->pieces.data[i];
    for (; at < header.sh_offset + piece->offset; at++)
      putc(0, w->file);
    fwrite(piece->data, 1, piece->size, w->file);
    at += piece->size;
  }
  add_header(w, section->name, header);
}

static void write_table(writer_t *w, const char *name, Elf64_Shdr header, const void *data) {
  align(w->file, header.sh_addralign);
  header.sh_offset = (uint64_t)ftell(w->file);
  fwrite(data, 1, header.sh_size, w->file);
  add_header(w, name, header);
}

// Sections first, whose numbers are those of their symbols; then relocations, symbols and names.
static void write_sections(writer_t *w) {
  combination_t *c = w->c;
  size_t n_tables = 0;
  add_header(w, "", (Elf64_Shdr){0});
  for (size_t i = 1; i < c->sections.count; i++) {
    write_section(w, &c->sections.data[i]);
    n_tables += c->sections.data[i].relocations.count > 0;
  }
  Elf64_Word symbols = (Elf64_Word)(c->sections.count + n_tables);
  for (size_t i = 1; i < c->sections.count; i++) {
    const section_t *section = &c->sections.data[i];
    Elf64_Shdr header = {.sh_type = SHT_RELA,
                         .sh_flags = SHF_INFO_LINK,
                         .sh_size = section->relocations.count * sizeof(Elf64_Rela),
                         .sh_link = symbols,
                         .sh_info = (Elf64_Word)i,
                         .sh_addralign = 8,
                         .sh_entsize = sizeof(Elf64_Rela)};
    if (header.sh_size)
      write_table(w, strata_arena_printf(c->arena, ".rela%s", section->name), header, section->relocations.data);
  }
  Elf64_Shdr table = {.sh_type = SHT_SYMTAB,
                      .sh_size = c->symbols.count * sizeof(Elf64_Sym),
                      .sh_link = symbols + 1,
                      .sh_info = (Elf64_Word)c->n_locals,
                      .sh_addralign = 8,
                      .sh_entsize = sizeof(Elf64_Sym)};
  write_table(w, ".symtab", table, c->symbols.data);
  Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_size = c->names.count, .sh_addralign = 1};
  write_table(w, ".strtab", names, c->names.data);
}

static void write_section_names(writer_t *w) {
  add_header(w, ".shstrtab", (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1});
  Elf64_Shdr *own = &w->headers.data[w->headers.count - 1];
  own->sh_offset = (uint64_t)ftell(w->file);
  for (size_t i = 0; i < w->headers.count; i++) {
    w->headers.data[i].sh_name = (Elf64_Word)own->sh_size;
    own->sh_size += strlen(w->names.data[i]) + 1;
    fwrite(w->names.data[i], strlen(w->names.data[i]) + 1, 1, w->file);
  }
}

// Returns the header, which is known last and stands first.
static Elf64_Ehdr write_object(writer_t *w) {
  Elf64_Ehdr header = *w->c->parts[0].object.header;
  fwrite(&header, sizeof header, 1, w->file);
  write_sections(w);
  write_section_names(w);
  align(w->file, sizeof(Elf64_Xword));
  header.e_shoff = (Elf64_Off)ftell(w->file);
  header.e_shnum = (Elf64_Half)w->headers.count;
  header.e_shstrndx = (Elf64_Half)(w->headers.count - 1);
  fwrite(w->headers.data, sizeof *w->headers.data, w->headers.count, w->file);
  return header;
}

static strata_status_t write(combination_t *c, strata_bytes_t *out_object) {
  char *data = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&data, &size);
  if (!file)
    return strata_error(STRATA_OUT_OF_MEMORY, "library");
  Elf64_Ehdr header = write_object(&(writer_t){.c = c, .file = file});
  bool ok = !ferror(file);
  ok = fclose(file) == 0 && ok;
  strata_status_t status = ok ? NULL : strata_error(STRATA_OUT_OF_MEMORY, "library");
  if (!status) {
    *out_object = (strata_bytes_t){strata_arena_copy(c->arena, data, size), size};
    memcpy(out_object->data, &header, sizeof header);
  }
  free(data);
  return status;
}

strata_status_t strata_combine_objects(strata_arena_t *arena, size_t n_objects, const strata_cpu_object_t *objects,
                                       size_t n_kept, const char *const *kept, strata_bytes_t *out_object) {
  combination_t c = {.arena = arena,
                     .n_parts = n_objects,
                     .parts = strata_arena_array(arena, part_t, n_objects),
                     .n_kept = n_kept,
                     .kept = kept};
  for (size_t i = 0; i < n_objects; i++)
    STRATA_TRY(read_part(arena, objects[i], &c.parts[i]));
  STRATA_TRY(place_sections(&c));
  STRATA_TRY(place_symbols(&c));
  place_relocations(&c);
  return write(&c, out_object);
}
