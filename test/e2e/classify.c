// The program of ./demo: calls a compiled MobileNetV3 as any C function.
//   classify INPUT.npy OUTPUT.bin: runs the network on the image, prints the best classes, writes all scores.
#include "mobilenet.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_PIXELS = 1 * 3 * 224 * 224, N_CLASSES = 1000, N_CALLS = 20 };

static float input[N_PIXELS], output[N_CLASSES];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A .npy file is a header of 10 bytes, of which the last two give the size of the rest of it, and the data.
static int read_input(const char *path) {
  unsigned char head[10];
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  int good = fread(head, 1, sizeof head, file) == sizeof head &&
             fseek(file, head[8] + 256 * head[9], SEEK_CUR) == 0 && fread(input, sizeof input, 1, file) == 1;
  fclose(file);
  return good;
}

static int write_output(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file)
    return 0;
  int good = fwrite(output, sizeof output, 1, file) == 1;
  return fclose(file) == 0 && good;
}

static void print_best(int n) {
  for (float last = 1e30f; n > 0; n--) {
    int best = -1;
    for (int i = 0; i < N_CLASSES; i++)
      if (output[i] < last && (best < 0 || output[i] > output[best]))
        best = i;
    printf("  class %3d: %.4f\n", best, (double)output[best]);
    last = output[best];
  }
}

int main(int argc, char **argv) {
  if (argc != 3 || !read_input(argv[1])) {
    fprintf(stderr, "usage: classify INPUT.npy OUTPUT.bin\n");
    return 1;
  }
  double best = 1e30;
  for (int i = 0; i < N_CALLS; i++) {
    double start = now();
    if (mobilenet(input, output) != 0) {
      fprintf(stderr, "classify: %s\n", mobilenet_error());
      return 1;
    }
    double seconds = now() - start;
    best = seconds < best ? seconds : best;
  }
  print_best(3);
  printf("  %.2f ms a call, %zu launches of %zu kernels\n", 1e3 * best, mobilenet_library()->n_launches,
         mobilenet_library()->n_kernels);
  return write_output(argv[2]) ? 0 : 1;
}
