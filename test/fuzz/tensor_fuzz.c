// libFuzzer on the readers of tensor files: the first byte chooses the format, the others are the file.
#include "runtime/base/tensor_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  if (size == 0)
    return 0;
  snprintf(path, sizeof path, "/dev/shm/tensor-fuzz-%d.%s", (int)getpid(), data[0] & 1 ? "npy" : "pb");
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data + 1, 1, size - 1, file) != size - 1)
    abort();
  fclose(file);
  strata_arena_t *arena = strata_arena_create();
  strata_tensor_t tensor;
  strata_status_t status = strata_tensor_read(arena, path, &tensor);
  volatile double sum = 0; // every element must be there
  for (int64_t i = 0; !status && i < strata_tensor_count(&tensor); i++)
    sum = sum + strata_dtype_load(tensor.dtype, tensor.data, (size_t)i);
  strata_status_free(status);
  strata_arena_destroy(arena);
  unlink(path);
  return 0;
}
