// An application in C: one library linked statically, another loaded, both headers in one file.
//
//   library_app LIBFIRST.so: "second" is linked in (libsecond.a), "first" is loaded through its description.
//
// With EMULATED defined, and "first" linked in as well: an emulator of another processor does not fork with threads.
#include "first.h"
#include "second.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: failed: %s (%s)\n", __FILE__, __LINE__, #condition, second_error());                     \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  while (0)

enum { ROWS = 4, INNER = 96, COLUMNS = 80 };

static float x[ROWS * INNER], expected[ROWS * COLUMNS];

static int is_close(const float *y) {
  for (int i = 0; i < ROWS * COLUMNS; i++)
    if (!(fabsf(y[i] - expected[i]) <= 1e-4f))
      return 0;
  return 1;
}

static void *call_second(void *unused) {
  (void)unused;
  for (int i = 0; i < 200; i++) {
    float y[ROWS * COLUMNS] = {0};
    CHECK(second(x, y) == STRATA_OK);
    CHECK(is_close(y));
  }
  return NULL;
}

static void test_concurrent_calls(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&threads[i], NULL, call_second, NULL) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

static void test_errors(void) {
  float y[ROWS * COLUMNS + 1];
  CHECK(second(NULL, y) == STRATA_INVALID_ARGUMENT);
  CHECK(strstr(second_error(), "is NULL"));
  CHECK(second(x, (float *)(void *)((char *)y + 2)) == STRATA_INVALID_ARGUMENT);
  CHECK(strstr(second_error(), "aligned"));
}

// The other library has the same model: loaded, called through its description, and gone without a trace.
static void test_loaded(const char *path) {
  for (int i = 0; i < 3; i++) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle);
    const strata_library_t *(*describe)(void);
    *(void **)&describe = dlsym(handle, "first_library");
    CHECK(describe);
    const strata_library_t *library = describe();
    CHECK(library->struct_size == offsetof(strata_library_t, picks) &&
          library->abi_version == STRATA_LIBRARY_DESCRIPTION);
    CHECK(strcmp(library->name, "first") == 0 && library->n_inputs == 1 && library->n_outputs == 1);
    CHECK(library->inputs[0]->dtype == STRATA_DTYPE_F32 && library->inputs[0]->shape[1] == INNER);
    float y[ROWS * COLUMNS];
    void *tensors[] = {x, y};
    CHECK(library->run(tensors, NULL, NULL, NULL) == STRATA_OK);
    CHECK(is_close(y));
    if (i % 2)
      CHECK(library->unload() == STRATA_OK);
    CHECK(dlclose(handle) == 0);
  }
}

#ifdef EMULATED
static void test_fork(void) {}

static void test_both_linked(void) {
  float y[ROWS * COLUMNS] = {0};
  CHECK(first(x, y) == STRATA_OK && is_close(y) && second(x, y) == STRATA_OK && is_close(y));
  CHECK(first_unload() == STRATA_OK);
}
#else
static void test_fork(void) {
  pid_t child = fork();
  if (child == 0) {
    call_second(NULL);
    _exit(second_unload());
  }
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void test_both_linked(void) {}
#endif

int main(int argc, char **argv) {
  FILE *file = fopen("library_app.data", "rb"); // the input, then the expected output
  CHECK(argc == 2 && file);
  CHECK(fread(x, sizeof x, 1, file) == 1 && fread(expected, sizeof expected, 1, file) == 1);
  fclose(file);
  CHECK(second_set_threads(3) == STRATA_OK);
  call_second(NULL);
  test_concurrent_calls();
  test_errors();
  test_fork();
  test_loaded(argv[1]);
  test_both_linked();
  CHECK(second_unload() == STRATA_OK);
  puts("ok");
  return 0;
}
