// .eh_frame_hdr: where in .eh_frame the frame of a function is, for those that unwind the stack.
#include "targets/elf/elf.h"

#include <stdlib.h>
#include <string.h>

// How pointers are written, as in DWARF's DW_EH_PE_.
enum { NUMBER_OF_4 = 0x03, RELATIVE_OF_4 = 0x1b, TABLE_OF_4 = 0x3b };
enum { HEADER = 12, ROW = 8, LENGTH = 4 };

static uint32_t read32(const char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static void write32(char *at, int64_t value) {
  int32_t narrow = (int32_t)value;
  memcpy(at, &narrow, sizeof narrow);
}

// The next of the records in [at, end): of length 0, which end the table for some readers, there are none behind.
static const char *next_record(const char *at, const char *end) {
  at += LENGTH + read32(at);
  return at + 2 * LENGTH < end && read32(at) ? at : NULL;
}

static const char *first_record(const char *frames, uint64_t size) {
  return size > 2 * LENGTH && read32(frames) ? frames : NULL;
}

// A frame names its common part by how far that lies behind; a common part has 0 there.
static bool is_frame(const char *record) { return read32(record + LENGTH) != 0; }

uint64_t strata_elf_frames_size(size_t n_frames) { return HEADER + n_frames * ROW; }

size_t strata_elf_count_frames(const char *frames, uint64_t size) {
  size_t n = 0;
  for (const char *at = first_record(frames, size); at; at = next_record(at, frames + size))
    n += is_frame(at);
  return n;
}

static const char *skip_number(const char *at) {
  while (*at++ & 0x80)
    ;
  return at;
}

// How a common part's frames write their function's address; -1: not said.
static int encoding_of(const char *common) {
  const char *letters = common + 2 * LENGTH + 1, *at = letters + strlen(letters) + 1;
  bool is_first_version = common[2 * LENGTH] == 1;
  at = skip_number(skip_number(at)); // alignments of code and data
  at = is_first_version ? at + 1 : skip_number(at);
  if (*letters != 'z')
    return -1;
  at = skip_number(at);
  for (letters++; *letters; letters++)
    if (*letters == 'R')
      return (unsigned char)*at;
    else if (*letters == 'L')
      at++;
    else if (*letters == 'P' && (*at & 0x0f) == (RELATIVE_OF_4 & 0x0f))
      at += 1 + LENGTH;
    else if (*letters != 'S')
      return -1;
  return -1;
}

static int by_function(const void *a, const void *b) {
  int32_t x = (int32_t)read32(a), y = (int32_t)read32(b);
  return (x > y) - (x < y);
}

strata_status_t strata_elf_index_frames(const char *frames, uint64_t size, uint64_t address, uint64_t header_address,
                                        char *out_header) {
  const char head[] = {1, RELATIVE_OF_4, NUMBER_OF_4, TABLE_OF_4};
  char *row = out_header + HEADER;
  for (const char *at = first_record(frames, size); at; at = next_record(at, frames + size)) {
    if (!is_frame(at))
      continue;
    const char *pointer = at + 2 * LENGTH;
    if (encoding_of(at + LENGTH - read32(at + LENGTH)) != RELATIVE_OF_4)
      return strata_error(STRATA_INTERNAL, "library: a frame in another form than linking knows");
    uint64_t place = address + (uint64_t)(pointer - frames);
    write32(row, (int64_t)(place + (uint64_t)(int64_t)(int32_t)read32(pointer) - header_address));
    write32(row + LENGTH, (int64_t)(address + (uint64_t)(at - frames) - header_address));
    row += ROW;
  }
  size_t n = (size_t)(row - out_header - HEADER) / ROW;
  memcpy(out_header, head, sizeof head);
  write32(out_header + LENGTH, (int64_t)(address - (header_address + LENGTH)));
  write32(out_header + 2 * LENGTH, (int64_t)n);
  qsort(out_header + HEADER, n, ROW, by_function);
  return NULL;
}
