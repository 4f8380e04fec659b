// Looking up results of tuning: see tuned.h. Kernels of other files' results are left as the model has them, and said
// so.
#include "passes/affine/tuned.h"

#include "dialects/mlir_text.h"
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/target.h"
#include "passes/tuning/tuning.h"

//===-- Results --------------------------------------------------------------------------------------------------===//

typedef struct {
  const strata_tuned_t *t;
  const strata_tuned_unit_t *unit;
  strata_tuning_t *tuning;
  strata_tuning_result_t key;
} lookup_t;

static const char *text_of_schedule(const lookup_t *l) {
  return strata_attr_text(l->t->compile->arena, strata_attr(strata_tuned_func(l->unit), "strata.schedule"));
}

// Gives all functions what the result says, unless they cannot be carried out so: files may say anything.
static strata_status_t take(const lookup_t *l, const strata_tuning_result_t *result) {
  MlirOperation func = strata_tuned_func(l->unit);
  strata_schedule_t chosen = strata_schedule_read(func);
  MlirAttribute attribute;
  STRATA_TRY(strata_schedule_parse(l->t->compile, result->schedule, &attribute));
  strata_set_attr(func, "strata.schedule", attribute);
  strata_schedule_t given = strata_schedule_read(func);
  strata_schedule_write(func, &chosen);
  STRATA_TRY(strata_tuned_check(l->t, l->unit, &chosen, &given));
  for (int i = 0; i < l->unit->n_members; i++)
    strata_schedule_write(l->unit->members[i]->func, &given);
  return NULL;
}

static void tell(const lookup_t *l, const strata_tuning_result_t *result, const char *source, bool is_models) {
  const char *device = l->t->device ? l->t->device->name : "cpu";
  if (is_models)
    strata_explain(l->t->compile, "tuned %s: the model's choice is the fastest, %.2f us on %s (%s) # %s", l->unit->name,
                   1e6 * result->seconds, result->card, source, result->kernel);
  else
    strata_explain(l->t->compile, "tuned %s %s %s: %.2f us, not %.2f, on %s (%s) # %s", l->unit->name, device,
                   result->schedule, 1e6 * result->seconds, 1e6 * result->model_seconds, result->card, source,
                   result->kernel);
}

// *out_taken is false where there is no result, or none that can be used.
static strata_status_t look_up(const lookup_t *l, bool *out_taken) {
  strata_compile_t *compile = l->t->compile;
  const char *source, *fault;
  const strata_tuning_result_t *result = strata_tuning_look_up(l->tuning, &l->key, &source, &fault);
  *out_taken = false;
  if (fault)
    strata_compile_note(compile, "tuning: not used: %s", fault);
  if (!result) {
    strata_explain(compile, "tuned %s: no result for kernel %s on %s by compiler %s", l->unit->name, l->key.kernel,
                   l->key.device, l->key.compiler);
    return NULL;
  }
  const char *before = text_of_schedule(l);
  strata_status_t status = take(l, result);
  if (status) {
    strata_compile_note(compile, "tuning: %s: not used: kernel %s: %s", source, result->kernel,
                        strata_status_message(status));
    strata_status_free(status);
    return NULL;
  }
  *out_taken = true;
  tell(l, result, source, strcmp(before, text_of_schedule(l)) == 0);
  strata_tuning_insert(l->tuning->arena, &l->tuning->used, strata_arena_copy(l->tuning->arena, result, sizeof *result));
  return NULL;
}

static strata_status_t apply(const strata_tuned_t *t, const strata_tuned_unit_t *unit) {
  strata_tuning_t *tuning = t->compile->options->tuning;
  lookup_t l = {.t = t, .unit = unit, .tuning = tuning};
  bool is_taken;
  STRATA_TRY(strata_tuned_key(t->compile, t->device, unit->number, &l.key));
  STRATA_TRY(look_up(&l, &is_taken));
  if (is_taken)
    return NULL;
  if (tuning->mode == STRATA_AUTOTUNE_EXPORT)
    return strata_tuned_propose(t, unit, &l.key);
  if (tuning->mode == STRATA_AUTOTUNE_REQUIRE)
    return strata_error(STRATA_NOT_FOUND, "--autotune=require: kernel %s (%s) has no result of tuning on %s",
                        unit->name, l.key.kernel, l.key.device);
  return NULL;
}

strata_status_t strata_tuned_apply(strata_compile_t *compile, const strata_gpu_device_t *device,
                                   const strata_calls_t *calls, const strata_schedule_file_t *file) {
  const strata_tuning_t *tuning = compile->options->tuning;
  const strata_tuned_t t = {compile, device, calls, file};
  strata_tuned_units_t units;
  if (!tuning || tuning->mode == STRATA_AUTOTUNE_OFF)
    return NULL;
  STRATA_TRY(strata_tuned_units(&t, &units));
  for (size_t i = 0; i < units.count; i++) {
    if (units.data[i]->why)
      strata_explain(compile, "tuned %s: not looked up: %s", units.data[i]->name, units.data[i]->why);
    else
      STRATA_TRY(apply(&t, units.data[i]));
  }
  return NULL;
}
