#include "net.h"

#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

static std::array<float, 3> classify(const std::vector<float> &x) {
  std::array<float, 3> scores;
  if (net(x.data(), scores.data()) != STRATA_OK)
    throw std::runtime_error(net_error());
  return scores;
}

int main() {
  auto scores = classify({0.5f, -1.0f, 2.0f, 0.0f, 0.25f, 1.0f, -0.5f, 1.5f});
  std::printf("%.6f %.6f %.6f\n", scores[0], scores[1], scores[2]);
}
