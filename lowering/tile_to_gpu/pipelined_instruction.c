// The table of pipelined_instruction.h.
#include "lowering/tile_to_gpu/pipelined_instruction.h"

const strata_instruction_t *strata_instruction_of(MlirOperation op) {
#define INSTRUCTION(name, condition, ...)                                                                              \
  static const strata_instruction_t name##_instruction = {#name, __VA_ARGS__};                                         \
  if (condition)                                                                                                       \
    return &name##_instruction;
#include "lowering/tile_to_gpu/instructions.def"
  return NULL;
}
