#include "net.h"

#include <stdio.h>

int main(void) {
  float x[8] = {0.5f, -1.0f, 2.0f, 0.0f, 0.25f, 1.0f, -0.5f, 1.5f}, scores[3];
  if (net(x, scores) != STRATA_OK) {
    fprintf(stderr, "%s\n", net_error());
    return 1;
  }
  printf("%.6f %.6f %.6f\n", scores[0], scores[1], scores[2]);
  return 0;
}
