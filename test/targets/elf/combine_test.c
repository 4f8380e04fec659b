// Objects combined into one: linked and loaded, their sections, names and relocations work; names that are not kept are
// no names any more; what cannot be combined is an error.
#include "targets/library/emit.h"
#include "test/support/check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Both have a string, a function and a counter of the same local names, in sections of odd sizes that are laid behind
// each other, and call each other; the second table points into both.
static const char first_text[] =
    "@text = private unnamed_addr constant [6 x i8] c\"first\\00\"\n"
    "@odd = internal constant [3 x i8] c\"\\01\\02\\03\"\n"
    "@counter = internal global i32 0\n"
    "@inner = hidden global i32 40\n"
    "define internal ptr @helper() noinline { ret ptr @text }\n"
    "define ptr @first_name() uwtable { %r = call ptr @helper() ret ptr %r }\n"
    "define i32 @count(i32 %i) uwtable {\n"
    "  %p = getelementptr [3 x i8], ptr @odd, i32 0, i32 %i\n  %b = load i8, ptr %p\n  %w = zext i8 %b to i32\n"
    "  %old = load i32, ptr @counter\n  %new = add i32 %old, %w\n  store i32 %new, ptr @counter\n  ret i32 %new\n}\n";
static const char second_text[] =
    "@text = private unnamed_addr constant [7 x i8] c\"second\\00\"\n"
    "@odd = internal constant [3 x i8] c\"\\04\\05\\06\"\n"
    "@counter = internal global i32 0\n"
    "@inner = external hidden global i32\n"
    "@table = internal constant [3 x ptr] [ptr @first_name, ptr @helper, ptr @inner]\n"
    "declare i32 @count(i32)\ndeclare ptr @first_name()\ndeclare i32 @puts(ptr)\n"
    "define internal ptr @helper() noinline { ret ptr @text }\n"
    "define ptr @entry(i32 %i) uwtable {\n"
    "  %p = getelementptr [3 x ptr], ptr @table, i32 0, i32 %i\n  %f = load ptr, ptr %p\n"
    "  %r = call ptr %f()\n  ret ptr %r\n}\n"
    "define i32 @sum(i32 %i) uwtable {\n"
    "  %a = call i32 @count(i32 %i)\n  %old = load i32, ptr @counter\n  %new = add i32 %old, 100\n"
    "  store i32 %new, ptr @counter\n  %p = getelementptr [3 x i8], ptr @odd, i32 0, i32 %i\n  %b = load i8, ptr %p\n"
    "  %w = zext i8 %b to i32\n  %c = load i32, ptr @inner\n  %d = add i32 %a, %new\n  %e = add i32 %d, %w\n"
    "  %s = add i32 %e, %c\n  ret i32 %s\n}\n";

static strata_arena_t *arena;

static strata_cpu_object_t compile(const char *text) {
  const strata_linking_t linking = {.arena = arena, .device = strata_cpu_host_device()};
  strata_cpu_object_t object = {0};
  strata_status_t status = strata_compile_ir(&linking, text, strlen(text), &object);
  CHECK(!status);
  strata_status_free(status);
  return object;
}

// Links an object as the only one and loads it.
static void *load(strata_bytes_t object, const strata_elf_shared_t *options) {
  char path[] = "/tmp/combine_test.XXXXXX";
  strata_bytes_t library = {0};
  strata_status_t status = strata_elf_link_shared(arena, object, options, &library);
  CHECK_STR(status ? strata_status_message(status) : "", "");
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, library.data, library.size) == (ssize_t)library.size);
  for (uint64_t i = 0; i < options->appended_size; i++)
    CHECK(write(fd, &(char){(char)i}, 1) == 1);
  close(fd);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK_STR(handle ? "" : dlerror(), "");
  unlink(path);
  return handle;
}

static void test_call(void) {
  const strata_cpu_object_t objects[] = {compile(first_text), compile(second_text)};
  const char *const kept[] = {"entry", "sum"};
  strata_bytes_t object;
  CHECK(!strata_combine_objects(arena, 2, objects, 2, kept, &object));
  void *handle = load(object, &(strata_elf_shared_t){0});
  const char *(*entry)(int);
  int (*sum)(int);
  *(void **)&entry = dlsym(handle, "entry");
  *(void **)&sum = dlsym(handle, "sum");
  CHECK(entry && sum && !dlsym(handle, "first_name") && !dlsym(handle, "count"));
  CHECK_STR(entry(0), "first");
  CHECK_STR(entry(1), "second");
  CHECK(sum(0) == 1 + 100 + 4 + 40);
  CHECK(sum(2) == 1 + 3 + 200 + 6 + 40);
  dlclose(handle);
}

static void test_errors(void) {
  const strata_cpu_object_t first = compile(first_text), twice[] = {first, first};
  strata_bytes_t object;
  strata_status_t status = strata_combine_objects(arena, 2, twice, 0, NULL, &object);
  CHECK(status && strstr(strata_status_message(status), "two objects define count"));
  strata_status_free(status);
  const strata_cpu_object_t text = {first_text, sizeof first_text};
  status = strata_combine_objects(arena, 1, &text, 0, NULL, &object);
  CHECK(status && strstr(strata_status_message(status), "another format"));
  strata_status_free(status);
}

int main(void) {
  arena = strata_arena_create();
  test_call();
  test_errors();
  strata_arena_destroy(arena);
  return check_result();
}
