// Files of results: what is written is read back, in both forms, and what is no such file is an error that says so.
#include "passes/tuning/results.h"

#include "test/support/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static strata_arena_t *arena;

static strata_tuning_result_t *result(const char *kernel, const char *device, const char *schedule, double seconds) {
  strata_tuning_result_t *r = strata_arena_new(arena, strata_tuning_result_t);
  strata__tuning_result__init(r);
  r->kernel = strata_arena_strdup(arena, kernel);
  r->device = strata_arena_strdup(arena, device);
  r->compiler = strata_arena_strdup(arena, strata_tuning_compiler(false));
  r->schedule = strata_arena_strdup(arena, schedule);
  r->seconds = seconds;
  r->card = strata_arena_strdup(arena, "\"a\\b'");
  return r;
}

static strata_tuning_results_t three(void) {
  strata_tuning_results_t results = {0};
  strata_tuning_insert(arena, &results, result("ffffffffffffffff", "b", "{tile = \"x\"}", 1.25e-5));
  strata_tuning_insert(arena, &results, result("0000000000000001", "b", "old", 1));
  strata_tuning_insert(arena, &results, result("0000000000000001", "a", "{}", 0.1));
  strata_tuning_insert(arena, &results, result("0000000000000001", "b", "new", 1. / 3));
  return results;
}

static const char *write_text(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  fwrite(text, 1, size, file);
  fclose(file);
  return path;
}

// What reading the file says; "" if it is right.
static const char *fault_of(const char *path) {
  strata_tuning_results_t results;
  strata_status_t status = strata_tuning_read(arena, path, &results);
  const char *message = strata_arena_strdup(arena, strata_status_message(status));
  strata_status_free(status);
  return message;
}

// |words| of the message; "": there is none.
static void expect(const char *path, const char *text, const char *words) {
  const char *message = fault_of(write_text(path, text, strlen(text)));
  if (!*words) {
    CHECK_STR(message, "");
    return;
  }
  if (strncmp(message, path, strlen(path)) != 0 || !strstr(message, words))
    fprintf(stderr, "expected '%s', got '%s'\n", words, message);
  CHECK(strncmp(message, path, strlen(path)) == 0 && strstr(message, words));
}

static void test_order(void) {
  strata_tuning_results_t results = three();
  CHECK(results.count == 3);
  CHECK_STR(results.data[0]->device, "a");
  CHECK_STR(results.data[1]->schedule, "new");
  CHECK_STR(results.data[2]->kernel, "ffffffffffffffff");
  CHECK(strata_tuning_find(&results, results.data[2]) == results.data[2]);
  CHECK(!strata_tuning_find(&results, result("ffffffffffffffff", "a", "", 0)));
  strata_tuning_result_t other = *results.data[2];
  other.compiler = strata_arena_strdup(arena, "another");
  CHECK(!strata_tuning_find(&results, &other));
}

static void test_round_trip(void) {
  static const char *const names[] = {"r.txt", "r.textproto", "r.txtpb", "r.pbtxt", "r.prototxt", "r.pb", "txt"};
  strata_tuning_results_t results = three(), read;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CHECK(!strata_tuning_write(arena, names[i], &results));
    CHECK(strata_tuning_is_text(names[i]) == (i < 5));
    CHECK_STR(fault_of(names[i]), "");
    strata_status_free(strata_tuning_read(arena, names[i], &read));
    CHECK(read.count == 3);
    for (size_t j = 0; j < read.count && j < 3; j++) {
      CHECK(strata_tuning_compare(read.data[j], results.data[j]) == 0);
      CHECK_STR(read.data[j]->schedule, results.data[j]->schedule);
      CHECK_STR(read.data[j]->card, results.data[j]->card);
      CHECK(read.data[j]->seconds == results.data[j]->seconds);
    }
  }
}

#define FORMAT "format: \"strata tuning results 1\"\n"
#define KEY "kernel: \"0123456789abcdef\" device: \"d\" compiler: \"c\" "

static void test_text(void) {
  // Whatever else protobuf's text format allows.
  expect("a.txt", "# a comment\nformat: 'strata ' \"tuning results \\061\", results: [<" KEY "; schedule: \"\\x7b}\">]",
         "");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\"\n", "line 3: expected '}', got the end");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" }\n}", "line 3: expected the name of a field, got '}'");
  expect("a.txt", FORMAT "results {\n" KEY "schedule: \"s", "schedule: line 3: a string without an end");
  expect("a.txt", FORMAT "results {" KEY "schedule: 7 }", "expected a string, got '7'");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"a\\000b\" }", "a character that no string may have");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" seconds: fast }", "seconds: expected a number, got fast");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" schedule: \"t\" }", "schedule: given twice");
  expect("a.txt", FORMAT "results {" KEY "colour: \"s\" }", "'colour' is no field of TuningResult");
  expect("a.txt", FORMAT "results " KEY, "results: expected '{', got 'k'");
  expect("a.txt", FORMAT "results [{}", "expected ',' or ']', got the end");
}

static void test_contents(void) {
  expect("a.txt", "", "empty");
  expect("a.pb", "", "empty");
  expect("a.txt", "format: \"strata tuning candidates 1\"", "expected results of tuning");
  expect("a.txt", FORMAT "results { kernel: \"../../etc/passwd\" }", "result 1: kernel");
  expect("a.txt", FORMAT "results { kernel: \"0123456789abcdef\" }", "expected a device and a compiler");
  expect("a.txt", FORMAT "results {" KEY "}", "expected a schedule");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"a\\nb\" }", "expected a schedule");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" seconds: -1 }", "expected times");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" seconds: nan }", "expected times");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" } results {" KEY "schedule: \"t\" }", "two schedules");
  expect("a.txt", FORMAT "results {" KEY "schedule: \"s\" } results {" KEY "schedule: \"s\" }", "");
  CHECK(strstr(fault_of("nothere.txt"), "nothere.txt: No such file"));
  CHECK(strstr(fault_of("/dev/null"), "not a regular file"));
  CHECK(strstr(fault_of("."), "not a regular file"));
}

// Every cut of a file, in either form, is an error or, between two results of the text, a file with fewer.
static void test_cut_off(void) {
  strata_tuning_results_t results = three(), read;
  for (int is_text = 0; is_text < 2; is_text++) {
    const char *path = is_text ? "whole.txt" : "whole.pb";
    CHECK(!strata_tuning_write(arena, path, &results));
    char data[4096];
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    for (size_t cut = 0; cut < size - 1; cut++) {
      strata_status_t status = strata_tuning_read(arena, write_text(is_text ? "cut.txt" : "cut.pb", data, cut), &read);
      CHECK(status || read.count < 3);
      strata_status_free(status);
    }
    for (size_t at = 0; at < size; at++) { // any other byte: whatever is read is a file's
      char before = data[at];
      data[at] = (char)(before ^ 0x55);
      strata_status_free(strata_tuning_read(arena, write_text(is_text ? "odd.txt" : "odd.pb", data, size), &read));
      data[at] = before;
    }
  }
}

// A full disk leaves what was there.
static void test_full_disk(void) {
  strata_tuning_results_t results = three(), read;
  CHECK(!strata_tuning_write(arena, "kept.txt", &results));
  for (int i = 0; i < 100; i++)
    strata_tuning_insert(arena, &results, result(strata_arena_printf(arena, "%016x", i), "z", "{}", 1));
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 2000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  strata_status_t status = strata_tuning_write(arena, "kept.txt", &results);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(strstr(strata_status_message(status), "kept.txt: "));
  strata_status_free(status);
  CHECK(!strata_tuning_read(arena, "kept.txt", &read) && read.count == 3);
}

static void test_manifest(void) {
  Strata__TuningManifest *manifest;
  const char *text = "format: \"strata tuning candidates 2\" target: \"nvgpu\" kernels {" KEY
                     "candidates { library: \"../x.so\" schedule: \"{}\" } }";
  write_text("m.txtpb", text, strlen(text));
  strata_status_t status = strata_tuning_read_manifest(arena, "m.txtpb", &manifest);
  CHECK(strstr(strata_status_message(status), "m.txtpb: kernel 1: not as --autotune=export writes it"));
  strata_status_free(status);
}

int main(void) {
  arena = strata_arena_create();
  test_order();
  test_round_trip();
  test_text();
  test_contents();
  test_cut_off();
  test_full_disk();
  test_manifest();
  strata_arena_destroy(arena);
  return check_result();
}
