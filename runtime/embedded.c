// The files are taken in by the assembler; the build gives their paths.
#include "runtime/embedded.h"

#define EMBED(symbol, path)                                                                                            \
  __asm__(".section .rodata\n.balign 16\n" #symbol ":\n.incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
  extern const char symbol[], symbol##_end[];

EMBED(strata_embedded_runtime_data, STRATA_RUNTIME_CPU_OBJECT)
EMBED(strata_embedded_gpu_runtime_data, STRATA_RUNTIME_GPU_OBJECT)
EMBED(strata_embedded_header_data, STRATA_RUNTIME_HEADER)

strata_embedded_file_t strata_embedded_runtime(void) {
  return (strata_embedded_file_t){strata_embedded_runtime_data,
                                  (size_t)(strata_embedded_runtime_data_end - strata_embedded_runtime_data)};
}

strata_embedded_file_t strata_embedded_gpu_runtime(void) {
  return (strata_embedded_file_t){strata_embedded_gpu_runtime_data,
                                  (size_t)(strata_embedded_gpu_runtime_data_end - strata_embedded_gpu_runtime_data)};
}

strata_embedded_file_t strata_embedded_header(void) {
  return (strata_embedded_file_t){strata_embedded_header_data,
                                  (size_t)(strata_embedded_header_data_end - strata_embedded_header_data)};
}
