// The weights: constants one after the other, each at a multiple of 64 bytes, filled up with zeros. They go from where
// they are, mostly the mapped model, straight into the file that is written.
#include "dialects/integers.h"
#include "runtime/library/checksum.h"
#include "runtime/library/weights_file.h"
#include "targets/library/emit.h"

#include <string.h>

enum {
  PLACE = 64,        // bytes; a multiple of what the checksum takes at a time
  SMALL = 16 * 1024, // constants up to this size are kept for set_constant even if only @prepare reads them
  SMALL_WITHOUT_WEIGHTS = 256 * 1024, // the same for --weights=set: masks and the like, which folding has made
};

static int64_t padded(int64_t size) { return strata_round_up(size, PLACE); }

bool strata_program_is_public(const strata_program_constant_t *constant) { return !constant->is_prepared; }

// What strata_program_write_weights writes of a constant.
static void add_to_checksum(const strata_program_constant_t *constant, strata_checksum_t *sum) {
  char tail[PLACE] = {0};
  size_t size = (size_t)constant->tensor.size, whole = size / PLACE * PLACE;
  strata_checksum_add(sum, constant->data, whole);
  if (whole < size) {
    memcpy(tail, (const char *)constant->data + whole, size - whole);
    strata_checksum_add(sum, tail, PLACE);
  }
}

static bool is_kept(const strata_program_t *program, const strata_program_constant_t *constant) {
  bool is_set = program->options->weights == STRATA_WEIGHTS_SET;
  bool is_small = constant->tensor.size <= (is_set ? SMALL_WITHOUT_WEIGHTS : SMALL);
  return (is_small && strata_program_is_public(constant)) || (constant->is_used_by_main && !is_set);
}

void strata_program_place_weights(strata_program_t *program) {
  strata_checksum_t sum = STRATA_CHECKSUM_INIT;
  for (size_t i = 0; i < program->constants.count; i++) {
    strata_program_constant_t *constant = &program->constants.data[i];
    int64_t size = constant->tensor.size;
    constant->is_present = is_kept(program, constant);
    if (!constant->is_present)
      continue;
    constant->weights_offset = program->weights_size;
    program->weights_size += padded(size);
    if (program->options->weights == STRATA_WEIGHTS_FILE)
      add_to_checksum(constant, &sum);
  }
  program->weights_checksum = strata_checksum_value(&sum);
}

int64_t strata_program_all_weights_size(const strata_program_t *program) {
  int64_t size = 0;
  for (; program; program = program->next)
    size += program->weights_size;
  return size;
}

static void write_constants(const strata_program_t *program, FILE *file) {
  for (size_t i = 0; i < program->constants.count; i++) {
    const strata_program_constant_t *constant = &program->constants.data[i];
    int64_t size = constant->tensor.size;
    if (!constant->is_present)
      continue;
    fwrite(constant->data, 1, (size_t)size, file);
    strata_file_add_zeros(file, (size_t)(padded(size) - size));
  }
}

void strata_program_write_weights(const strata_program_t *program, FILE *file) {
  for (; program; program = program->next)
    write_constants(program, file);
}

void strata_program_write_weights_file(const strata_program_t *program, FILE *file) {
  for (; program; program = program->next) {
    strata_weights_header_t header = {.size = (uint64_t)program->weights_size, .checksum = program->weights_checksum};
    memcpy(header.magic, STRATA_WEIGHTS_MAGIC, sizeof header.magic);
    fwrite(&header, sizeof header, 1, file);
    strata_file_add_zeros(file, STRATA_WEIGHTS_DATA_OFFSET - sizeof header);
    write_constants(program, file);
    size_t over = (size_t)program->weights_size % STRATA_WEIGHTS_DATA_OFFSET;
    if (program->next && over)
      strata_file_add_zeros(file, STRATA_WEIGHTS_DATA_OFFSET - over);
  }
}
