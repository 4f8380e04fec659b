// Shared libraries: calls and data of other libraries by their versions, tables of addresses, constructors, frames, a
// section whose bytes follow, a symbol that is a number; what is not there is an error that names it.
#define _GNU_SOURCE // dlvsym
#include "targets/library/emit.h"
#include "test/support/check.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static const char text[] =
    "@environ = external global ptr\n@table = internal constant [3 x ptr] [ptr @strlen, ptr @twice, ptr @word]\n"
    "@word = internal constant [5 x i8] c\"word\\00\"\n@state = internal global i32 7\n"
    "@many = internal global [5000 x i8] zeroinitializer, align 64\n@large = external hidden global i8\n"
    "module asm \".section .lrodata,\\22al\\22,@progbits\"\nmodule asm \".globl large\"\nmodule asm \".hidden large\"\n"
    "module asm \"large: .byte 0\"\n"
    "module asm \".section .init_array,\\22aw\\22,@init_array\"\nmodule asm \".quad begin\"\n"
    "declare i64 @strlen(ptr)\ndeclare double @cbrt(double)\ndeclare ptr @memcpy(ptr, ptr, i64)\n"
    "define internal void @begin() uwtable { %s = load i32, ptr @state %n = mul i32 %s, 6 store i32 %n, ptr @state ret "
    "void }\n"
    "define internal i64 @twice(ptr %p) noinline uwtable { %n = call i64 @strlen(ptr %p) %m = mul i64 %n, 2 ret i64 %m "
    "}\n"
    "define i64 @by_table(i64 %i) uwtable {\n  %p = getelementptr ptr, ptr @table, i64 %i\n  %f = load ptr, ptr %p\n"
    "  %w = load ptr, ptr getelementptr (ptr, ptr @table, i64 2)\n  %r = call i64 %f(ptr %w)\n  ret i64 %r\n}\n"
    "define double @root(double %x) uwtable { %r = call double @cbrt(double %x) ret double %r }\n"
    "define ptr @surroundings() { %e = load ptr, ptr @environ ret ptr %e }\n"
    "define i32 @begun() { %s = load i32, ptr @state ret i32 %s }\n"
    "define i8 @zero(i64 %i) { %p = getelementptr i8, ptr @many, i64 %i %v = load i8, ptr %p ret i8 %v }\n"
    "@address = internal global ptr @large\n"
    "define ptr @appended() { %p = load ptr, ptr @address ret ptr %p }\n"
    "define ptr @copied(ptr %to, ptr %from, i64 %n) { %r = call ptr @memcpy(ptr %to, ptr %from, i64 %n) ret ptr %r }\n";

static strata_arena_t *arena;

static strata_bytes_t compile(const char *ir) {
  const strata_linking_t linking = {.arena = arena, .device = strata_cpu_host_device()};
  strata_cpu_object_t object = {0};
  strata_bytes_t combined = {0};
  strata_status_t status = strata_compile_ir(&linking, ir, strlen(ir), &object);
  if (!status)
    status = strata_combine_objects(arena, 1, &object, 0, NULL, &combined);
  CHECK_STR(status ? strata_status_message(status) : "", "");
  strata_status_free(status);
  return combined;
}

static char appended_byte(uint64_t i) { return (char)(i * 7 + 1); }

static void *load(const strata_elf_shared_t *options, strata_bytes_t *out_library) {
  char path[] = "/tmp/shared_test.XXXXXX";
  strata_status_t status = strata_elf_link_shared(arena, compile(text), options, out_library);
  CHECK_STR(status ? strata_status_message(status) : "", "");
  char *bytes = strata_arena_alloc(arena, options->appended_size + 1);
  for (uint64_t i = 0; i < options->appended_size; i++)
    bytes[i] = appended_byte(i);
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, out_library->data, out_library->size) == (ssize_t)out_library->size &&
        write(fd, bytes, options->appended_size) == (ssize_t)options->appended_size);
  close(fd);
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK_STR(handle ? "" : dlerror(), "");
  unlink(path);
  return handle;
}

static void check_calls(void *handle) {
  int64_t (*by_table)(int64_t);
  double (*root)(double);
  char **(*surroundings)(void);
  int32_t (*begun)(void);
  char (*zero)(int64_t), *(*copied)(char *, const char *, int64_t);
  *(void **)&by_table = dlsym(handle, "by_table");
  *(void **)&root = dlsym(handle, "root");
  *(void **)&surroundings = dlsym(handle, "surroundings");
  *(void **)&begun = dlsym(handle, "begun");
  *(void **)&zero = dlsym(handle, "zero");
  *(void **)&copied = dlsym(handle, "copied");
  CHECK(by_table && root && surroundings && begun && zero && copied && !dlsym(handle, "twice"));
  CHECK(by_table(0) == 4 && by_table(1) == 8);
  CHECK(root(27) > 2.999 && root(27) < 3.001);
  CHECK(surroundings() == *(char ***)dlsym(RTLD_DEFAULT, "environ"));
  CHECK(begun() == 42);
  CHECK(zero(0) == 0 && zero(4999) == 0);
  char to[4] = "";
  CHECK_STR(copied(to, "abc", 4), "abc");
}

// The index finds a function from a place inside of it, and none outside.
static void check_frames(void *handle) {
  static const char *const names[] = {"by_table", "root"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *function = dlsym(handle, names[i]);
    CHECK(_Unwind_FindEnclosingFunction(function + 2) == function);
  }
}

static void check_appended(void *handle, const strata_elf_shared_t *options) {
  const char *(*appended)(void);
  *(void **)&appended = dlsym(handle, "appended");
  const char *bytes = appended();
  CHECK((uintptr_t)bytes % STRATA_ELF_PAGE == 0);
  for (uint64_t i = 0; i < options->appended_size; i++)
    if (bytes[i] != appended_byte(i)) {
      CHECK(!"the appended bytes");
      break;
    }
}

static void test_library(uint64_t appended_size) {
  static const strata_elf_absolute_t absolutes[] = {{"number", 0x123456789}, {"another", 7}};
  const strata_elf_shared_t options = {.soname = "libshared.so",
                                       .n_absolutes = 2,
                                       .absolutes = absolutes,
                                       .appended = ".lrodata",
                                       .appended_size = appended_size};
  strata_bytes_t library = {0}, again = {0};
  void *handle = load(&options, &library);
  check_calls(handle);
  check_frames(handle);
  check_appended(handle, &options);
  CHECK(dlsym(handle, "number") == (void *)0x123456789 && dlsym(handle, "another") == (void *)7);
  CHECK(library.size % STRATA_ELF_PAGE == 0);
  strata_status_t status = strata_elf_link_shared(arena, compile(text), &options, &again);
  CHECK(!status && library.size == again.size && memcmp(library.data, again.data, again.size) == 0);
  dlclose(handle);
}

static void test_errors(void) {
  const strata_bytes_t object = compile("declare void @nobody_has_this()\n"
                                        "define void @f() { call void @nobody_has_this() ret void }\n");
  strata_bytes_t library = {0};
  strata_status_t status = strata_elf_link_shared(arena, object, &(strata_elf_shared_t){0}, &library);
  CHECK(status && strstr(strata_status_message(status), "undefined symbol: nobody_has_this"));
  strata_status_free(status);
  status = strata_elf_link_shared(arena, object, &(strata_elf_shared_t){.may_lack = true}, &library);
  CHECK(!status);
  const strata_bytes_t local = compile("@x = thread_local global i32 1\ndefine ptr @g() { ret ptr @x }\n");
  status = strata_elf_link_shared(arena, local, &(strata_elf_shared_t){0}, &library);
  CHECK(status && strstr(strata_status_message(status), "does not know"));
  strata_status_free(status);
  status = strata_elf_link_shared(arena, library, &(strata_elf_shared_t){0}, &library);
  CHECK(status && strstr(strata_status_message(status), "another format"));
  strata_status_free(status);
}

int main(void) {
  arena = strata_arena_create();
  test_library(1);
  test_library(3 * STRATA_ELF_PAGE + 5);
  test_errors();
  strata_arena_destroy(arena);
  return check_result();
}
