// Parts of emitted libraries that the compiler carries as they are.
#ifndef STRATA_RUNTIME_EMBEDDED_H
#define STRATA_RUNTIME_EMBEDDED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *data;
  size_t size;
} strata_embedded_file_t;

// runtime/library and runtime/cpu or runtime/gpu, for an LLVM triple: a relocatable ELF object. Empty where the build
// had no compiler for that architecture.
strata_embedded_file_t strata_embedded_runtime(const char *triple, bool is_gpu);
strata_embedded_file_t strata_embedded_header(void); // runtime/include/strata/runtime.h

#endif
