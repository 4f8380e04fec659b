// Looking up results of tuning: see tuned.h. Kernels of other files' results are left as the model has them, and said
// so.
#include "passes/affine/tuned.h"

#include "dialects/affine/kernel.h"
#include "dialects/affine/variants.h"
#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/candidates.h"
#include "passes/affine/explain.h"
#include "passes/affine/parallel.h"
#include "passes/target.h"
#include "passes/tuning/tuning.h"
#include "runtime/base/hash.h"

#include <inttypes.h>

//===-- What can be tuned ----------------------------------------------------------------------------------------===//

// What another processor has otherwise, and how many threads share the work.
static strata_status_t processor_key(strata_compile_t *compile, const char **out) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  int threads = compile->options->threads;
  const char *n_threads = threads ? strata_arena_printf(compile->options->tuning->arena, "%d", threads) : "all";
  *out = strata_arena_printf(compile->options->tuning->arena,
                             "%s, features %016" PRIx64
                             ": %d registers of %d bytes, caches of %lld and %lld bytes, %s threads",
                             device->cpu, strata_hash_text(device->features), device->n_registers, device->vector_bytes,
                             (long long)device->l1_bytes, (long long)device->l2_bytes, n_threads);
  return NULL;
}

// What another card, or another table of cards, has otherwise.
static const char *card_key(strata_arena_t *arena, const strata_gpu_device_t *device) {
  return strata_arena_printf(arena, "%s%s%s: %d processors, %lld bytes of cache, %lld bytes/s, %lld products/s",
                             device->name, device->card ? ", " : "", device->card ? device->card : "",
                             device->n_processors, (long long)device->l2_bytes, (long long)device->bandwidth,
                             (long long)device->products);
}

static strata_status_t device_key(strata_compile_t *compile, const strata_gpu_device_t *device, const char **out) {
  if (!device)
    return processor_key(compile, out);
  *out = card_key(compile->options->tuning->arena, device);
  return NULL;
}

static bool shares_launch(const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++)
    if (!mlirAttributeIsNull(strata_attr(called->calls.data[i], STRATA_LAUNCH)))
      return true;
  return false;
}

// True if constants decide all that it computes: it runs once.
static bool is_prepared(const strata_calls_t *calls, const strata_called_kernel_t *called) {
  for (size_t i = 0; i < called->calls.count; i++)
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(called->calls.data[i]); j++)
      if (strata_kernel_writes(called->func, j) &&
          !strata_calls_is_constant(calls, mlirOperationGetOperand(called->calls.data[i], j)))
        return false;
  return true;
}

// Why a kernel that has candidates has no result; NULL: it may have one.
static const char *obstacle(const strata_calls_t *calls, const strata_called_kernel_t *called,
                            const strata_kernel_t *kernel) {
  bool has_variants = !mlirAttributeIsNull(strata_attr(called->func, STRATA_WHEN)) ||
                      !mlirAttributeIsNull(strata_attr(called->func, STRATA_VARIANTS));
  return has_variants || strata_kernel_varies(kernel) ? "its sizes vary"
         : shares_launch(called)                      ? "it shares a launch"
         : is_prepared(calls, called)                 ? "it is computed once"
                                                      : NULL;
}

//===-- Results --------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device; // NULL: a cpu
  const strata_calls_t *calls;
  strata_tuning_t *tuning;
  const char *name; // of the kernel
  strata_tuning_result_t key;
} lookup_t;

// Gives the kernel what the result says, unless it cannot be carried out so: files may say anything.
static strata_status_t take(const lookup_t *l, const strata_called_kernel_t *called,
                            const strata_tuning_result_t *result) {
  strata_schedule_t chosen = strata_schedule_read(called->func);
  MlirAttribute attribute;
  STRATA_TRY(strata_schedule_parse(l->compile, result->schedule, &attribute));
  strata_set_attr(called->func, "strata.schedule", attribute);
  strata_schedule_t given = strata_schedule_read(called->func);
  strata_status_t status = strata_schedule_check(l->compile, l->device, l->calls, called, &chosen, &given);
  strata_schedule_write(called->func, status ? &chosen : &given);
  return status;
}

static void tell(const lookup_t *l, const strata_tuning_result_t *result, const char *source, bool is_models) {
  if (is_models)
    strata_explain(l->compile, "tuned %s: the model's choice is the fastest, %.2f us on %s (%s) # %s", l->name,
                   1e6 * result->seconds, result->card, source, result->kernel);
  else
    strata_explain(l->compile, "tuned %s %s %s: %.2f us, not %.2f, on %s (%s) # %s", l->name,
                   l->device ? l->device->name : "cpu", result->schedule, 1e6 * result->seconds,
                   1e6 * result->model_seconds, result->card, source, result->kernel);
}

// *out_taken is false where there is no result, or none that can be used.
static strata_status_t look_up(const lookup_t *l, const strata_called_kernel_t *called, bool *out_taken) {
  const char *source, *fault;
  const strata_tuning_result_t *result = strata_tuning_look_up(l->tuning, &l->key, &source, &fault);
  *out_taken = false;
  if (fault)
    strata_compile_note(l->compile, "tuning: not used: %s", fault);
  if (!result) {
    strata_explain(l->compile, "tuned %s: no result for kernel %s on %s by compiler %s", l->name, l->key.kernel,
                   l->key.device, l->key.compiler);
    return NULL;
  }
  const char *before = strata_attr_text(l->compile->arena, strata_attr(called->func, "strata.schedule"));
  strata_status_t status = take(l, called, result);
  if (status) {
    strata_compile_note(l->compile, "tuning: %s: not used: kernel %s: %s", source, result->kernel,
                        strata_status_message(status));
    strata_status_free(status);
    return NULL;
  }
  *out_taken = true;
  tell(l, result, source,
       strcmp(before, strata_attr_text(l->compile->arena, strata_attr(called->func, "strata.schedule"))) == 0);
  strata_tuning_insert(l->tuning->arena, &l->tuning->used, strata_arena_copy(l->tuning->arena, result, sizeof *result));
  return NULL;
}

static strata_status_t apply(strata_compile_t *compile, const strata_gpu_device_t *device, const strata_calls_t *calls,
                             const strata_called_kernel_t *called) {
  strata_tuning_t *tuning = compile->options->tuning;
  MlirStringRef name = strata_attr_str(called->func, "sym_name");
  lookup_t l = {.compile = compile,
                .device = device,
                .calls = calls,
                .tuning = tuning,
                .name = strata_arena_printf(compile->arena, "%.*s", (int)name.length, name.data),
                .key = STRATA__TUNING_RESULT__INIT};
  bool is_taken;
  const char *key;
  STRATA_TRY(device_key(compile, device, &key));
  l.key.kernel = (char *)(uintptr_t)strata_kernel_number(tuning->arena, called->func);
  l.key.device = (char *)(uintptr_t)key;
  l.key.compiler = (char *)(uintptr_t)strata_tuning_compiler(!device);
  STRATA_TRY(look_up(&l, called, &is_taken));
  if (is_taken)
    return NULL;
  if (tuning->mode == STRATA_AUTOTUNE_EXPORT)
    return strata_tuned_propose(compile, device, calls, called, &l.key);
  if (tuning->mode == STRATA_AUTOTUNE_REQUIRE)
    return strata_error(STRATA_NOT_FOUND, "--autotune=require: kernel %s (%s) has no result of tuning on %s", l.name,
                        l.key.kernel, l.key.device);
  return NULL;
}

// NULL if the kernel is to be looked up; else why not. *out_has_candidates is false where there is but one way.
static strata_status_t why_not(strata_compile_t *compile, const strata_gpu_device_t *device,
                               const strata_calls_t *calls, const strata_called_kernel_t *called,
                               const strata_schedule_file_t *file, bool *out_has_candidates, const char **out_why) {
  strata_kernel_t kernel;
  *out_why = NULL;
  *out_has_candidates = strata_kind_has_candidates(strata_schedule_read(called->func).kind, !device);
  if (!*out_has_candidates)
    return NULL;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  *out_why = strata_schedule_file_gives(file, called->func, strata_kernel_number(compile->arena, called->func))
                 ? "its schedule is given"
                 : obstacle(calls, called, &kernel);
  return NULL;
}

strata_status_t strata_tuned_apply(strata_compile_t *compile, const strata_gpu_device_t *device,
                                   const strata_calls_t *calls, const strata_schedule_file_t *file) {
  const strata_tuning_t *tuning = compile->options->tuning;
  if (!tuning || tuning->mode == STRATA_AUTOTUNE_OFF)
    return NULL;
  for (size_t i = 0; i < calls->kernels.count; i++) {
    const strata_called_kernel_t *called = &calls->kernels.data[i];
    const char *why;
    bool has_candidates;
    STRATA_TRY(why_not(compile, device, calls, called, file, &has_candidates, &why));
    if (!has_candidates)
      continue;
    MlirStringRef name = strata_attr_str(called->func, "sym_name");
    if (why)
      strata_explain(compile, "tuned %.*s: not looked up: %s", (int)name.length, name.data, why);
    else
      STRATA_TRY(apply(compile, device, calls, called));
  }
  return NULL;
}
