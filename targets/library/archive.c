// The static library: an archive of one object, written byte by byte so that nothing in it depends on when or where.
#include "targets/library/emit.h"

#include <string.h>

static const char magic[] = "!<arch>\n";
enum { HEADER = 60 };

static void write_member_header(FILE *file, const char *name, uint64_t size) {
  fprintf(file, "%-16s%-12d%-6d%-6d%-8s%-10llu`\n", name, 0, 0, 0, "100644", (unsigned long long)size);
}

static void write_be32(FILE *file, uint64_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    putc((int)(value >> shift & 255), file);
}

// The symbol table says of every name in which member it is: all are in the only one, which comes next.
static void write_head(const strata_program_t *program, FILE *file, uint64_t member_size) {
  const char *const *names;
  size_t n = strata_exported_names(program, &names), size = 4 + 4 * n;
  for (size_t i = 0; i < n; i++)
    size += strlen(names[i]) + 1;
  size_t padded = size + size % 2;
  fputs(magic, file);
  write_member_header(file, "/", padded);
  write_be32(file, n);
  for (size_t i = 0; i < n; i++)
    write_be32(file, strlen(magic) + HEADER + padded);
  for (size_t i = 0; i < n; i++)
    fwrite(names[i], strlen(names[i]) + 1, 1, file);
  if (padded != size)
    putc('\n', file);
  write_member_header(file, "strata.o/", member_size);
}

strata_status_t strata_write_archive(const strata_linking_t *linking, strata_bytes_t object, const char *out_path) {
  const strata_program_t *program = linking->program;
  strata_bytes_t head;
  size_t gap;
  STRATA_TRY(strata_place_weights(linking, object, &head, &gap));
  bool has_weights = program->options->weights != STRATA_WEIGHTS_FILE;
  uint64_t size = head.size + gap + (has_weights ? (uint64_t)strata_program_all_weights_size(program) : 0);
  if (size > 9999999999u) // its header has ten digits for it
    return strata_error(STRATA_UNSUPPORTED,
                        "--weights=embed: expected at most 9999999999 bytes, got %llu; use "
                        "--weights=file",
                        (unsigned long long)size);
  FILE *file;
  STRATA_TRY(strata_file_open(out_path, "wb", &file));
  write_head(program, file, size);
  fwrite(head.data, 1, head.size, file);
  strata_file_add_zeros(file, gap);
  if (has_weights)
    strata_program_write_weights(program, file);
  if (size % 2)
    putc('\n', file);
  return strata_file_close(file, out_path);
}
