// An application in C++ that links the shared library.
#include "first.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

int main() {
  const strata_library_t *library = first_library();
  std::vector<float> x(library->inputs[0]->size / sizeof(float));
  std::vector<float> y(library->outputs[0]->size / sizeof(float)), expected(y.size());
  std::ifstream file("library_app.data", std::ios::binary);
  file.read(reinterpret_cast<char *>(x.data()), static_cast<std::streamsize>(library->inputs[0]->size));
  file.read(reinterpret_cast<char *>(expected.data()), static_cast<std::streamsize>(library->outputs[0]->size));
  if (!file || first(x.data(), y.data()) != STRATA_OK) {
    std::printf("failed: %s\n", first_error());
    return 1;
  }
  for (std::size_t i = 0; i < y.size(); i++)
    if (!(std::fabs(y[i] - expected[i]) <= 1e-4f)) {
      std::printf("element %zu: expected %g, got %g\n", i, static_cast<double>(expected[i]), static_cast<double>(y[i]));
      return 1;
    }
  std::puts("ok");
  return first_unload();
}
