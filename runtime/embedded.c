// The files are taken in by the assembler; the build gives their paths.
#include "runtime/embedded.h"

#include <string.h>

#define EMBED(symbol, path)                                                                                            \
  __asm__(".section .rodata\n.balign 16\n" #symbol ":\n.incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
  extern const char symbol[], symbol##_end[];

#define FILE_OF(symbol) ((strata_embedded_file_t){symbol, (size_t)(symbol##_end - symbol)})

EMBED(strata_embedded_cpu_x86_64, STRATA_RUNTIME_CPU_X86_64)
EMBED(strata_embedded_cpu_aarch64, STRATA_RUNTIME_CPU_AARCH64)
EMBED(strata_embedded_gpu_x86_64, STRATA_RUNTIME_GPU_X86_64)
EMBED(strata_embedded_header_data, STRATA_RUNTIME_HEADER)

static bool is_for(const char *triple, const char *architecture) {
  size_t length = strlen(architecture);
  return strncmp(triple, architecture, length) == 0 && triple[length] == '-';
}

strata_embedded_file_t strata_embedded_runtime(const char *triple, bool is_gpu) {
  if (is_for(triple, "x86_64"))
    return is_gpu ? FILE_OF(strata_embedded_gpu_x86_64) : FILE_OF(strata_embedded_cpu_x86_64);
  if (is_for(triple, "aarch64") && !is_gpu)
    return FILE_OF(strata_embedded_cpu_aarch64);
  return (strata_embedded_file_t){0};
}

strata_embedded_file_t strata_embedded_header(void) { return FILE_OF(strata_embedded_header_data); }
