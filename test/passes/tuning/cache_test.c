// The folder of results: many processes at once, some of them killed, entries that are none, a full disk, a bound.
#include "passes/tuning/cache.h"

#include "test/support/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES = 8, KERNELS = 40, MANY = 1 << 20 };

static strata_arena_t *arena;

// Of kernel |i|; |writer| is in all of its texts.
static strata_tuning_result_t *result(int i, int writer) {
  strata_tuning_result_t *r = strata_arena_new(arena, strata_tuning_result_t);
  strata__tuning_result__init(r);
  r->kernel = strata_arena_printf(arena, "%016x", i);
  r->device = strata_arena_strdup(arena, "device");
  r->compiler = strata_arena_strdup(arena, "compiler");
  r->schedule = strata_arena_printf(arena, "{writer = %d}", writer);
  r->model_schedule = r->schedule;
  r->seconds = writer + 1;
  return r;
}

static strata_tuning_result_t *find(const char *folder, int i, const char **out_why) {
  return strata_tuning_cache_find(arena, folder, result(i, 0), out_why);
}

static int count_files(const char *folder, const char *prefix) {
  int n = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *item; dir && (item = readdir(dir));)
    n += item->d_name[0] != '\0' && strncmp(item->d_name, prefix, strlen(prefix)) == 0;
  if (dir)
    closedir(dir);
  return n;
}

static const char *clean(const char *folder) {
  if (system(strata_arena_printf(arena, "rm -rf %s", folder)))
    CHECK(false);
  return folder;
}

// What is read is always a whole entry of one writer.
static void read_all(const char *folder) {
  for (int i = 0; i < KERNELS; i++) {
    const char *why;
    strata_tuning_result_t *r = find(folder, i, &why);
    CHECK(!why);
    CHECK(!r || strcmp(r->schedule, r->model_schedule) == 0);
  }
}

static void write_all(const char *folder, int writer, int times) {
  for (int n = 0; n < times; n++)
    for (int i = 0; i < KERNELS; i++) {
      strata_status_t status = strata_tuning_cache_add(arena, folder, result(i, writer), MANY);
      CHECK(!status);
      strata_status_free(status);
    }
}

static void test_many_processes(void) {
  const char *folder = clean("many/inner");
  pid_t pids[PROCESSES];
  for (int p = 0; p < PROCESSES; p++)
    if ((pids[p] = fork()) == 0) {
      write_all(folder, p, 5);
      read_all(folder);
      _exit(check_result());
    }
  read_all(folder);
  for (int p = 0; p < PROCESSES; p++) {
    int status;
    waitpid(pids[p], &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  read_all(folder);
  CHECK(find(folder, KERNELS - 1, NULL) && count_files(folder, "0") == KERNELS);
  CHECK(count_files(folder, ".unfinished") == 0);
}

static void test_killed(void) {
  const char *folder = clean("killed");
  // On a busy machine a process may be killed before it has begun: later ones have longer.
  for (int n = 0; n < 20 || (n < 1000 && !find(folder, 0, NULL)); n++) {
    pid_t pid = fork();
    if (pid == 0)
      for (;;)
        write_all(folder, n, 1);
    usleep(2000 + 500 * (unsigned)n);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    read_all(folder);
  }
  CHECK(find(folder, 0, NULL));
}

static const char *only_path(const char *folder) {
  const char *path = NULL;
  DIR *dir = opendir(folder);
  for (struct dirent *item; dir && (item = readdir(dir));)
    if (item->d_name[0] != '.')
      path = strata_arena_printf(arena, "%s/%s", folder, item->d_name);
  if (dir)
    closedir(dir);
  return path;
}

static void overwrite(const char *path, const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  fwrite(text, 1, size, file);
  fclose(file);
}

// Not there, and said why; a new entry takes its place.
static void test_corrupt(void) {
  const char *folder = clean("corrupt"), *why;
  CHECK(!find(folder, 0, &why) && !why);
  strata_status_free(strata_tuning_cache_add(arena, folder, result(0, 1), MANY));
  const char *path = only_path(folder);
  char data[1024];
  FILE *file = fopen(path, "rb");
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  for (size_t cut = 0; cut < size; cut++) {
    overwrite(path, data, cut);
    CHECK(!find(folder, 0, &why) && why && strstr(why, path));
  }
  size_t other_size;
  char *other = strata_tuning_pack(arena, result(7, 1), &other_size);
  overwrite(path, other, other_size);
  CHECK(!find(folder, 0, &why) && strstr(why, "of another kernel"));
  static char large[100000];
  overwrite(path, large, sizeof large);
  CHECK(!find(folder, 0, &why) && why);
  strata_status_free(strata_tuning_cache_add(arena, folder, result(0, 2), MANY));
  CHECK(find(folder, 0, &why) && !why && find(folder, 0, &why)->seconds == 3);
  strata_tuning_result_t *key = result(0, 0);
  key->device = strata_arena_strdup(arena, "another");
  CHECK(!strata_tuning_cache_find(arena, folder, key, &why) && !why);
}

static void test_full_disk(void) {
  const char *folder = clean("full");
  strata_status_free(strata_tuning_cache_add(arena, folder, result(0, 1), MANY));
  struct rlimit before, limit;
  getrlimit(RLIMIT_FSIZE, &before);
  limit = before;
  limit.rlim_cur = 10;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  strata_status_t status = strata_tuning_cache_add(arena, folder, result(0, 2), MANY);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(strstr(strata_status_message(status), folder));
  strata_status_free(status);
  CHECK(find(folder, 0, NULL)->seconds == 2 && count_files(folder, ".unfinished") == 0);
  status = strata_tuning_cache_add(arena, "/proc/nothing", result(0, 2), MANY);
  CHECK(status != NULL);
  strata_status_free(status);
}

static void test_bound(void) {
  const char *folder = clean("bound");
  size_t size;
  strata_tuning_pack(arena, result(0, 1), &size);
  for (int i = 0; i < KERNELS; i++) {
    strata_status_free(strata_tuning_cache_add(arena, folder, result(i, 1), 10 * size));
    usleep(2000); // so that their ages differ
  }
  CHECK(count_files(folder, "0") == 10);
  CHECK(!find(folder, 0, NULL) && find(folder, KERNELS - 1, NULL) && find(folder, KERNELS - 10, NULL));
}

int main(void) {
  arena = strata_arena_create();
  test_many_processes();
  test_killed();
  test_corrupt();
  test_full_disk();
  test_bound();
  strata_arena_destroy(arena);
  return check_result();
}
