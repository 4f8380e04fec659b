// Dumps, times and progress: the hooks around each phase.
#include "tools/observe.h"

#include "dialects/mlir_text.h"
#include "tools/clock.h"
#include "tools/folders.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_module(strata_compile_t *compile, FILE *file) {
  mlirOperationPrint(mlirModuleGetOperation(compile->module), strata_text_write, file);
}

strata_status_t strata_write_ir(strata_compile_t *compile, strata_phase_t phase, const char *path) {
  if (strcmp(path, "-") == 0) {
    print_module(compile, stdout);
    return NULL;
  }
  size_t length = strlen(path);
  bool bytecode = length > 7 && strcmp(path + length - 7, ".mlirbc") == 0;
  if (phase <= STRATA_PHASE_GRAPH)
    return strata_export_mlir(compile, path, bytecode);
  FILE *file = fopen(path, "w");
  if (!file)
    return strata_error(STRATA_IO, "%s: cannot write: %s", path, strerror(errno));
  if (bytecode)
    mlirOperationWriteBytecode(mlirModuleGetOperation(compile->module), strata_text_write, file);
  else
    print_module(compile, file);
  bool failed = ferror(file) != 0;
  failed |= fclose(file) != 0;
  return failed ? strata_error(STRATA_IO, "%s: cannot write: %s", path, strerror(errno)) : NULL;
}

// One line, overwritten by the next; nothing in a pipe.
static void show_progress(strata_phase_t phase) {
  if (isatty(STDERR_FILENO))
    fprintf(stderr, "\r\033[K[%d/%d] %s: %s", (int)phase + 1, STRATA_PHASE_COUNT, strata_phase_info[phase].name,
            strata_phase_info[phase].summary);
}

void strata_observe_before(strata_observer_t *observer, strata_phase_t phase) {
  show_progress(phase);
  observer->started = strata_now();
}

static bool has_ir(strata_phase_t phase) { return phase != STRATA_PHASE_LIBRARY; }

static strata_status_t save(strata_compile_t *compile, strata_phase_t phase, const char *folder) {
  STRATA_TRY(strata_make_parents(compile->arena, folder, NULL));
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return strata_error(STRATA_IO, "%s: cannot create the folder: %s", folder, strerror(errno));
  const char *name = strata_phase_info[phase].name;
  return strata_write_ir(compile, phase, strata_arena_printf(compile->arena, "%s/%d-%s.mlir", folder, phase, name));
}

strata_status_t strata_observe_after(strata_observer_t *observer, strata_compile_t *compile, strata_phase_t phase) {
  const strata_options_t *options = observer->options;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  observer->seconds[phase] = strata_now() - observer->started;
  observer->peak_kib[phase] = usage.ru_maxrss;
  if (!has_ir(phase))
    return NULL;
  int last_to_plot = options->compile_to < STRATA_PHASE_AFFINE ? options->compile_to : STRATA_PHASE_AFFINE;
  if (options->plot && (int)phase == last_to_plot)
    STRATA_TRY(strata_plot_read(compile, &observer->plot));
  if (options->dump_after == (int)phase + 1 || options->dump_after == STRATA_PHASE_COUNT + 1) {
    fprintf(stderr, "// after %s\n", strata_phase_info[phase].name);
    print_module(compile, stderr);
    fputc('\n', stderr);
  }
  return options->save_temps ? save(compile, phase, options->save_temps) : NULL;
}

FILE *strata_report_file(const strata_options_t *options) {
  bool has_file = options->output && strcmp(options->output, "-") != 0;
  return options->compile_to == STRATA_PHASE_LIBRARY || has_file ? stdout : stderr;
}

strata_status_t strata_observe_plot(strata_observer_t *observer, strata_arena_t *arena) {
  if (!observer->plot)
    return NULL;
  STRATA_TRY(strata_make_parents(arena, observer->options->plot, NULL));
  return strata_plot_write(observer->plot, observer->options->plot);
}

void strata_observe_end(const strata_observer_t *observer) {
  FILE *file = strata_report_file(observer->options);
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  if (!observer->options->time_compilation)
    return;
  double total = 0;
  fprintf(file, "%-10s %10s %10s\n", "phase", "seconds", "peak MiB");
  for (int phase = 0; phase <= observer->options->compile_to; phase++) {
    total += observer->seconds[phase];
    fprintf(file, "%-10s %10.3f %10.0f\n", strata_phase_info[phase].name, observer->seconds[phase],
            (double)observer->peak_kib[phase] / 1024);
  }
  if (observer->assembler_seconds > 0)
    fprintf(file, "%-10s %10.3f   of the library's, added over threads\n", "ptxas", observer->assembler_seconds);
  fprintf(file, "%-10s %10.3f\n", "total", total);
}
