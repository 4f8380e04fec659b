#include "test/support/driver/amdgpu/code.h"
bool matrix_find(const amdgpu_program_t *program, const char *name, instruction_t *instruction) {
  (void)program;
  (void)name;
  (void)instruction;
  return false;
}
