// The reader of .mlir files, of which modules of TOSA, linalg and StableHLO are read by their tables.
#include "test/fuzz/reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_reader(data, size, strata_import_mlir); }
