// --autotune=export: every candidate is a library of its own, compiled from its module by this program.
#define _GNU_SOURCE
#include "tools/option_table.h"
#include "tools/tuning.h"

#include "lowering/pipeline.h"
#include "targets/library/library.h"
#include "tools/random_numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SEED = 1000 }; // of constants; those of inputs are their numbers

typedef STRATA_VECTOR(const char *) words_t;

typedef struct {
  pid_t pid; // 0: not under way
  const char *name;
} build_t;

typedef struct {
  const strata_options_t *options;
  strata_tuning_t *tuning;
  const char *folder;
  words_t arguments, environment; // of all builds
  build_t *builds;                // |n_builds| at a time
  int n_builds;
  size_t n_done;
  words_t failed;      // names
  const char *failure; // of the last
} exporter_t;

//===-- A build --------------------------------------------------------------------------------------------------===//

static const char *file_of(const exporter_t *e, const char *name, const char *suffix) {
  return strata_arena_printf(e->tuning->arena, "%s/%s%s", e->folder, name, suffix);
}

// Variables of ours are options, and those of the model's compile are no build's.
static void choose_environment(exporter_t *e) {
  for (char **variable = environ; *variable; variable++)
    if (strncmp(*variable, "STRATA_", strlen("STRATA_")) != 0)
      *strata_vector_push(e->tuning->arena, &e->environment) = *variable;
  *strata_vector_push(e->tuning->arena, &e->environment) = NULL;
}

static strata_status_t write_module(const exporter_t *e, const strata_tuning_module_t *module) {
  const char *path = file_of(e, module->name, ".mlir");
  FILE *file = fopen(path, "wb");
  bool ok = file && fputs(module->module, file) >= 0;
  if (file && fclose(file) != 0)
    ok = false;
  return ok ? NULL : strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
}

// Constant |i| at a multiple of the alignment; the bytes between are zeros.
static bool write_constant(FILE *file, const strata_tuning_constant_t *constant, int i) {
  size_t align = STRATA_TUNING_CONSTANT_ALIGN, size = ((size_t)constant->bytes + align - 1) / align * align;
  void *data = calloc(1, size + 1);
  if (!data)
    return false;
  strata_dtype_t dtype = strata_library_dtype((strata_type_t)constant->type, false);
  strata_random_numbers(dtype, SEED + (size_t)i, data, (size_t)constant->bytes);
  bool ok = fwrite(data, 1, size, file) == size;
  free(data);
  return ok;
}

// Candidates of a kernel read the same numbers.
static strata_status_t write_data(const exporter_t *e, const strata_tuning_module_t *module) {
  if (!module->data || access(file_of(e, module->data, ""), F_OK) == 0)
    return NULL;
  const char *path = file_of(e, module->data, "");
  FILE *file = fopen(path, "wb");
  bool ok = file;
  for (int i = 0; ok && i < module->n_constants; i++)
    ok = write_constant(file, &module->constants[i], i);
  if (file && fclose(file) != 0)
    ok = false;
  return ok ? NULL : strata_error(STRATA_IO, "%s: %s", path, strerror(errno));
}

static void remove_data(const exporter_t *e) {
  for (size_t i = 0; i < e->tuning->modules.count; i++)
    if (e->tuning->modules.data[i].data)
      unlink(file_of(e, e->tuning->modules.data[i].data, ""));
}

static strata_status_t start(exporter_t *e, build_t *build, const strata_tuning_module_t *module) {
  strata_arena_t *arena = e->tuning->arena;
  STRATA_TRY(write_module(e, module));
  STRATA_TRY(write_data(e, module));
  words_t words = {0};
  *strata_vector_push(arena, &words) = "strata";
  *strata_vector_push(arena, &words) = file_of(e, module->name, ".mlir");
  *strata_vector_push(arena, &words) = strata_arena_printf(arena, "--aot-name=%s", module->name);
  *strata_vector_push(arena, &words) = strata_arena_printf(arena, "--output-dir=%s", e->folder);
  for (size_t i = 0; i < e->arguments.count; i++)
    *strata_vector_push(arena, &words) = e->arguments.data[i];
  *strata_vector_push(arena, &words) = NULL;
  posix_spawn_file_actions_t actions;
  const char *log = file_of(e, module->name, ".log");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  int error = posix_spawn(&build->pid, "/proc/self/exe", &actions, NULL, (char *const *)(void *)words.data,
                          (char *const *)(void *)e->environment.data);
  posix_spawn_file_actions_destroy(&actions);
  build->name = module->name;
  return error ? strata_error(STRATA_IO, "cannot create a process: %s", strerror(error)) : NULL;
}

// The first line that it printed.
static const char *failure_of(const exporter_t *e, const char *name) {
  char line[512] = "";
  FILE *log = fopen(file_of(e, name, ".log"), "rb");
  if (log && !fgets(line, sizeof line, log))
    line[0] = 0;
  if (log)
    fclose(log);
  line[strcspn(line, "\n")] = 0;
  return strata_arena_strdup(e->tuning->arena, line);
}

static void finish(exporter_t *e, build_t *build, int status) {
  static const char *const left[] = {".mlir", ".log", ".h", ".pc"};
  bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  bool is_there = access(strata_arena_printf(e->tuning->arena, "%s/lib%s.so", e->folder, build->name), F_OK) == 0;
  if (!is_whole || !is_there) {
    e->failure = is_whole ? "libraries for this device are archives alone" : failure_of(e, build->name);
    fprintf(stderr, "strata: note: candidate %s does not compile and is left out: %s\n", build->name, e->failure);
    *strata_vector_push(e->tuning->arena, &e->failed) = build->name;
  }
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    unlink(file_of(e, build->name, left[i]));
  unlink(strata_arena_printf(e->tuning->arena, "%s/lib%s.a", e->folder, build->name));
  build->pid = 0;
  e->n_done++;
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r%zu of %zu candidates compiled%s", e->n_done, e->tuning->modules.count,
            e->n_done == e->tuning->modules.count ? "\n" : "");
}

static void wait_for_one(exporter_t *e) {
  int status;
  pid_t pid = wait(&status);
  for (int i = 0; i < e->n_builds && pid > 0; i++)
    if (e->builds[i].pid == pid)
      finish(e, &e->builds[i], status);
}

static build_t *free_build(exporter_t *e) {
  for (;;) {
    for (int i = 0; i < e->n_builds; i++)
      if (!e->builds[i].pid)
        return &e->builds[i];
    wait_for_one(e);
  }
}

static bool is_any_under_way(const exporter_t *e) {
  for (int i = 0; i < e->n_builds; i++)
    if (e->builds[i].pid)
      return true;
  return false;
}

static strata_status_t build_all(exporter_t *e) {
  strata_status_t status = NULL;
  for (size_t i = 0; i < e->tuning->modules.count && !status; i++)
    status = start(e, free_build(e), &e->tuning->modules.data[i]);
  while (is_any_under_way(e))
    wait_for_one(e);
  remove_data(e);
  if (!status && e->failure && e->failed.count == e->tuning->modules.count) // it is none of them, but the disk, say
    return strata_error(STRATA_TOOL, "no candidate can be compiled: %s", e->failure);
  return status;
}

//===-- The manifest ---------------------------------------------------------------------------------------------===//

static bool has_failed(const exporter_t *e, const char *library) {
  for (size_t i = 0; i < e->failed.count; i++)
    if (strcmp(library, strata_arena_printf(e->tuning->arena, "lib%s.so", e->failed.data[i])) == 0)
      return true;
  return false;
}

static void drop_failed(const exporter_t *e, Strata__TuningKernel *kernel) {
  size_t n = 0;
  for (size_t i = 0; i < kernel->n_candidates; i++)
    if (!has_failed(e, kernel->candidates[i]->library))
      kernel->candidates[n++] = kernel->candidates[i];
  kernel->n_candidates = n;
}

static bool is_proposed(const exporter_t *e, const Strata__TuningKernel *kernel) {
  for (size_t i = 0; i < e->tuning->proposed.count; i++)
    if (strcmp(e->tuning->proposed.data[i]->kernel, kernel->kernel) == 0)
      return true;
  return false;
}

typedef STRATA_VECTOR(Strata__TuningKernel *) kernels_t;

// What other models have in the folder stays; libraries are called by kernels.
static strata_status_t keep_others(const exporter_t *e, kernels_t *kernels) {
  strata_arena_t *arena = e->tuning->arena;
  const char *path = strata_arena_printf(arena, "%s/%s", e->options->output, STRATA_TUNING_MANIFEST);
  Strata__TuningManifest *before;
  if (access(path, F_OK) != 0)
    return NULL;
  STRATA_TRY(strata_tuning_read_manifest(arena, path, &before));
  for (size_t i = 0; i < before->n_kernels; i++)
    if (strcmp(before->target, strata_tuning_target(e->options)) == 0 && !is_proposed(e, before->kernels[i]) &&
        strcmp(before->kernels[i]->compiler, strata_tuning_compiler(e->options->target == STRATA_TARGET_CPU)) == 0)
      *strata_vector_push(arena, kernels) = before->kernels[i];
  return NULL;
}

// Kernels whose first candidate, the model's choice, is none are left out: nothing could be compared with it.
static strata_status_t write_manifest(const exporter_t *e) {
  kernels_t kernels = {0};
  STRATA_TRY(keep_others(e, &kernels));
  for (size_t i = 0; i < e->tuning->proposed.count; i++) {
    Strata__TuningKernel *kernel = e->tuning->proposed.data[i];
    bool has_models = !has_failed(e, kernel->candidates[0]->library);
    drop_failed(e, kernel);
    if (has_models)
      *strata_vector_push(e->tuning->arena, &kernels) = kernel;
  }
  printf("%zu kernels to tune, %zu candidates of this model\n", kernels.count,
         e->tuning->modules.count - e->failed.count);
  Strata__TuningManifest manifest = STRATA__TUNING_MANIFEST__INIT;
  manifest.target = strata_arena_strdup(e->tuning->arena, strata_tuning_target(e->options));
  manifest.kernels = kernels.data;
  manifest.n_kernels = kernels.count;
  return strata_tuning_write_manifest(file_of(e, STRATA_TUNING_MANIFEST, ""), &manifest);
}

strata_status_t strata_tuning_export(const strata_options_t *options, strata_tuning_t *tuning, const char *folder) {
  exporter_t e = {.options = options, .tuning = tuning, .folder = folder};
  long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
  e.n_builds = options->jobs ? options->jobs : n_processors > 0 ? (int)n_processors : 1;
  e.builds = strata_arena_array(tuning->arena, build_t, e.n_builds);
  static const char *const always[] = {"--compile-from=affine", "--aot", "--jobs=1", "--user-device-memory"};
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    *strata_vector_push(tuning->arena, &e.arguments) = always[i];
  *strata_vector_push(tuning->arena, &e.arguments) =
      options->target == STRATA_TARGET_CPU ? strata_arena_printf(tuning->arena, "--threads=%d", options->threads)
                                           : "--on-gpu-tensors";
  size_t n_given;
  const char **given = strata_options_for_kernels(tuning->arena, options, &n_given);
  for (size_t i = 0; i < n_given; i++)
    *strata_vector_push(tuning->arena, &e.arguments) = given[i];
  choose_environment(&e);
  STRATA_TRY(build_all(&e));
  return write_manifest(&e);
}
