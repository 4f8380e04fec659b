// The reader of OpenVINO's IR, of an .xml. There is no file of weights: constants are what fuzz/openvino_test.py
// changes.
#include "test/fuzz/reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_reader(data, size, strata_import_openvino); }
