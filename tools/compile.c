// The compile as a command: phases, outputs and the child process around them.
#include "tools/compile.h"

#include "passes/pass.h"
#include "passes/target.h"
#include "targets/library/library.h"
#include "targets/passes.h"
#include "tools/depfile.h"
#include "tools/folders.h"
#include "tools/isolate.h"
#include "tools/native.h"
#include "tools/observe.h"
#include "tools/profile.h"
#include "tools/tuning.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where the result goes.
typedef struct {
  const char *folder;  // of the files; a temporary one without --aot
  const char *ir_name; // the file of --compile-to in it; NULL: standard output
  bool keeps;          // the files stay there
} destination_t;

typedef struct {
  const strata_options_t *options;
  strata_arena_t *arena;
  destination_t destination;
  const char *files; // the folder that holds the files until they are complete
  strata_observer_t observer;
} job_t;

static bool has_suffix(const char *text, const char *suffix) {
  size_t length = strlen(text), suffix_length = strlen(suffix);
  return length > suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}

static const char *temporary_folder(void) {
  const char *folder = getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

// --compile-to writes to -o FILE.mlir, to -o FILE.mlirbc, into -o DIR, or without -o to standard output.
static destination_t ir_destination(strata_arena_t *arena, const strata_options_t *options) {
  const char *output = options->output;
  if (!output || strcmp(output, "-") == 0)
    return (destination_t){.folder = temporary_folder()};
  if (!has_suffix(output, ".mlir") && !has_suffix(output, ".mlirbc"))
    return (destination_t){
        output,
        strata_arena_printf(arena, "%s.%s.mlir", options->aot_name, strata_phase_info[options->compile_to].name), true};
  const char *slash = strrchr(output, '/');
  const char *folder = !slash            ? "."
                       : slash == output ? "/"
                                         : strata_arena_printf(arena, "%.*s", (int)(slash - output), output);
  return (destination_t){folder, slash ? slash + 1 : output, true};
}

static bool is_export(const strata_options_t *options) { return options->autotune == STRATA_AUTOTUNE_EXPORT; }

static destination_t find_destination(strata_arena_t *arena, const strata_options_t *options) {
  if (is_export(options))
    return (destination_t){.folder = options->output, .keeps = true};
  if (options->compile_to != STRATA_PHASE_LIBRARY)
    return ir_destination(arena, options);
  if (options->aot)
    return (destination_t){.folder = options->output ? options->output : ".", .keeps = true};
  return (destination_t){.folder = temporary_folder()};
}

static strata_status_t run_own_phase(strata_compile_t *compile, strata_phase_t phase, void *user) {
  job_t *job = user;
  if (phase == STRATA_PHASE_IMPORT) {
    strata_import_options_t options = strata_options_for_import(compile->arena, job->options);
    return strata_import(compile, job->options->input_path, &options);
  }
  strata_library_options_t options = strata_options_for_library(compile->arena, job->options);
  return strata_library_emit(compile, &options, job->files, &job->observer.assembler_seconds);
}

static strata_status_t before_phase(strata_compile_t *compile, strata_phase_t phase, void *user) {
  (void)compile;
  strata_observe_before(&((job_t *)user)->observer, phase);
  return NULL;
}

static strata_status_t after_phase(strata_compile_t *compile, strata_phase_t phase, void *user) {
  return strata_observe_after(&((job_t *)user)->observer, compile, phase);
}

static strata_status_t run_session(job_t *job, strata_session_t *session, const strata_profile_names_t *names) {
  const strata_options_t *options = job->options;
  strata_status_t status = strata_session_check_device(session);
  if (status) {
    strata_print_kernels_without_times(session->library, names, strata_status_message(status), stdout);
    strata_status_free(status);
    return NULL;
  }
  STRATA_TRY(strata_session_read_inputs(job->arena, session, options->input.count, options->input.items));
  STRATA_TRY(strata_session_choose_sizes(job->arena, session, 0, NULL, true));
  if (session->dims)
    printf("sizes: %s\n", strata_session_sizes_text(job->arena, session));
  STRATA_TRY(strata_session_open(job->arena, session));
  STRATA_TRY(strata_session_set_inputs(job->arena, session));
  return strata_profile(job->arena, session, names, options->num_iters, stdout, options->profile);
}

static void note_time(void *plot, const char *kernel, double seconds) { strata_plot_set_time(plot, kernel, seconds); }

static strata_status_t run_library(strata_compile_t *compile, job_t *job) {
  strata_profile_names_t names = {.tell = job->observer.plot ? note_time : NULL, .user = job->observer.plot};
  names.origins = strata_kernel_origins(job->arena, compile->module, &names.n_origins);
  strata_session_t session;
  const char *path = strata_arena_printf(job->arena, "%s/lib%s.so", job->files, job->options->aot_name);
  STRATA_TRY(strata_session_describe(job->arena, path, &session));
  strata_status_t status = run_session(job, &session, &names);
  strata_session_close(&session);
  return status;
}

static strata_status_t finish_work(strata_compile_t *compile, job_t *job) {
  const strata_options_t *options = job->options;
  if (is_export(options))
    return strata_tuning_export(options, compile->options->tuning, job->files);
  if (options->compile_to != STRATA_PHASE_LIBRARY) {
    const char *name = job->destination.ir_name;
    const char *path = name ? strata_arena_printf(job->arena, "%s/%s", job->files, name) : "-";
    return strata_write_ir(compile, (strata_phase_t)options->compile_to, path);
  }
  if (!options->aot)
    return run_library(compile, job);
  return options->depfile ? strata_write_depfile(compile, options, job->destination.folder, job->files) : NULL;
}

static strata_status_t finish(strata_compile_t *compile, job_t *job) {
  STRATA_TRY(finish_work(compile, job));
  STRATA_TRY(strata_tuning_end(job->options, compile->options->tuning));
  return strata_observe_plot(&job->observer, job->arena);
}

static void print_line(const char *text, void *file) { fprintf(file, "%s\n", text); }

static void print_note(const char *text, void *user) {
  const job_t *job = user;
  fprintf(stderr, "strata: note: %s: %s\n", job->options->input_path, text);
}

// An error says which file it is about; most do already, with a line or a node.
static strata_status_t name_input(const job_t *job, strata_status_t status) {
  const char *path = job->options->input_path;
  bool is_named = strncmp(strata_status_message(status), path, strlen(path)) == 0;
  return is_named ? status : strata_status_context(status, "%s", path);
}

static strata_status_t compile_and_finish(const char *files, void *user);

static strata_status_t check_device(strata_compile_t *compile) {
  const strata_cpu_device_t *cpu;
  const strata_gpu_device_t *gpu;
  return strata_target_is_gpu(compile) ? strata_gpu_device(compile, &gpu) : strata_cpu_device(compile, &cpu);
}

static strata_status_t check_devices(strata_compile_t *compile) {
  const strata_compile_options_t *options = compile->options;
  strata_compile_options_t one = *options;
  strata_status_t status = check_device(compile);
  compile->options = &one;
  for (const char *name = options->more_devices; name && !status;) {
    size_t length = strcspn(name, ",");
    one.device = strata_arena_printf(compile->arena, "%.*s", (int)length, name);
    status = check_device(compile);
    name = name[length] ? name + length + 1 : NULL;
  }
  compile->options = options;
  return status;
}

static strata_status_t compile_into(const strata_options_t *options, const char *folder, void *user) {
  job_t job = *(const job_t *)user;
  job.options = options;
  job.observer = (strata_observer_t){.options = options};
  return compile_and_finish(folder, &job);
}

// Measures what --autotune=update is to find out; NULL: nothing.
static const char *measure(job_t *job, const strata_options_t *options) {
  const char *why_not = NULL;
  if (options->autotune != STRATA_AUTOTUNE_UPDATE)
    return NULL;
  const char *results = strata_tuning_update(job->arena, options, &why_not, compile_into, job);
  if (why_not)
    print_note(strata_arena_printf(job->arena, "nothing is tuned: %s", why_not), job);
  return results;
}

// Runs in the child process. The compile is not taken apart at the end: the process ends.
static strata_status_t compile_and_finish(const char *files, void *user) {
  job_t *job = user;
  job->files = files;
  strata_options_t options = *job->options;
  const char *measured = measure(job, &options); // before the driver is asked here
  STRATA_TRY(strata_resolve_native(job->arena, (strata_target_kind_t)options.target, options.device, &options.device));
  job->options = &options;
  strata_compile_options_t compile_options = strata_options_for_compile(job->arena, &options);
  STRATA_TRY(strata_tuning_begin(job->arena, &options, measured, &compile_options.tuning));
  strata_pipeline_t pipeline = {
      .run = run_own_phase,
      .before = before_phase,
      .after = after_phase,
      .user = job,
      .target_passes = &strata_target_passes,
  };
  strata_explain_t explain = {print_line, strata_report_file(job->options)}, notes = {print_note, job};
  strata_compile_t compile;
  STRATA_TRY(strata_compile_init(&compile, &compile_options));
  compile.explain = job->options->explain ? &explain : NULL;
  compile.notes = &notes;
  STRATA_TRY(check_devices(&compile)); // before any work: the name may be wrong
  strata_phase_t first = (strata_phase_t)job->options->compile_from;
  strata_status_t status = first > STRATA_PHASE_IMPORT ? strata_read_ir(&compile, job->options->input_path) : NULL;
  if (!status && first == STRATA_PHASE_AFFINE) // what the phase keeps besides the module
    status = strata_pass_affine_copy_prepare(&compile);
  first += first > STRATA_PHASE_IMPORT;
  strata_phase_t last = is_export(&options) ? STRATA_PHASE_AFFINE : (strata_phase_t)options.compile_to;
  if (!status)
    status = strata_compile_between(&compile, first, last, &pipeline);
  strata_observe_end(&job->observer);
  return status ? name_input(job, status) : finish(&compile, job);
}

strata_status_t strata_run_command(strata_arena_t *arena, const strata_options_t *options) {
  job_t job = {
      .options = options,
      .arena = arena,
      .destination = find_destination(arena, options),
      .observer = {.options = options},
  };
  const char *made;
  STRATA_TRY(strata_make_parents(arena, job.destination.folder, &made));
  strata_isolated_t work = {job.destination.folder, made, job.destination.keeps, compile_and_finish, &job};
  strata_status_t status = strata_isolate(arena, &work);
  if (status)
    strata_remove_parents(job.destination.folder, made);
  return status;
}
