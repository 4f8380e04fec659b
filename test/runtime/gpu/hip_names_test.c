// Under which names the runtime finds HIP. The loader reads its path when a program starts, so each case is a process.
#include "test/runtime/gpu/harness.h"

#include <sys/stat.h>

#define FOLDER "hip_names"
#define DRIVER "driver.so"

static void remove_links(void) {
  unlink(FOLDER "/libamdhip64.so");
  unlink(FOLDER "/libamdhip64.so.5");
  unlink(FOLDER "/libamdhip64.so.6");
  unlink(FOLDER "/libamdhip64.so.7");
}

static void add_link(const char *name, const char *target) {
  char link[256];
  snprintf(link, sizeof link, FOLDER "/%s", name);
  CHECK(symlink(target, link) == 0);
}

// What the library says to its first call, in a process of its own; |loaded|: what that has loaded before.
static int run_case(const char *expected, const char *loaded) {
  pid_t child = fork();
  if (child == 0) {
    setenv("LD_LIBRARY_PATH", FOLDER, 1);
    execl("/proc/self/exe", "hip_names_test", expected, loaded, NULL);
    _exit(99);
  }
  int status = 99;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void be_case(const char *expected, const char *loaded) {
  if (*loaded)
    CHECK(dlopen(loaded, RTLD_NOW | RTLD_LOCAL));
  const strata_library_t *library = open_library("user", NULL);
  unsetenv(driver->variable);
  int code = library->load(NULL, NULL);
  CHECK(*expected ? code == STRATA_DEVICE && strstr(library->error(), expected) : code == STRATA_OK);
}

int main(int argc, char **argv) {
  choose_driver(HIP);
  if (argc == 3) {
    be_case(argv[1], argv[2]);
    return check_result();
  }
  static const char *const names[] = {"libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7"};
  char copy[8192], other[4096];
  // A copy: the stand-in itself is one that this program has loaded.
  CHECK(mkdir(FOLDER, 0777) == 0 || access(FOLDER, F_OK) == 0);
  CHECK(snprintf(copy, sizeof copy, "cp %s/libstrata_test_cuda.so " FOLDER "/" DRIVER, test_folder()) > 0);
  CHECK(system(copy) == 0);
  CHECK(snprintf(other, sizeof other, "%s/libstrata_test_cuda_user.so", test_folder()) > 0);
  remove_links();
  CHECK(run_case("no driver: libamdhip64.so: cannot open", "") == 0);
  CHECK(run_case("; nor libamdhip64.so.7, libamdhip64.so.6, libamdhip64.so.5", "") == 0);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    add_link(names[i], DRIVER);
    CHECK(run_case("", "") == 0);
    remove_links();
  }
  add_link("libamdhip64.so.7", other); // no driver, but the first by name
  add_link("libamdhip64.so.6", DRIVER);
  CHECK(run_case("libamdhip64.so.7 is too old", "") == 0);
  CHECK(run_case("", "libamdhip64.so.6") == 0);
  remove_links();
  return check_result();
}
