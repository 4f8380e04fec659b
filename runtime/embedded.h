// Parts of emitted libraries that the compiler carries as they are.
#ifndef STRATA_RUNTIME_EMBEDDED_H
#define STRATA_RUNTIME_EMBEDDED_H

#include <stddef.h>

typedef struct {
  const char *data;
  size_t size;
} strata_embedded_file_t;

strata_embedded_file_t strata_embedded_runtime(void);     // runtime/library and runtime/cpu: a relocatable ELF object
strata_embedded_file_t strata_embedded_gpu_runtime(void); // runtime/library and runtime/gpu: a relocatable ELF object
strata_embedded_file_t strata_embedded_header(void);      // runtime/include/strata/runtime.h

#endif
