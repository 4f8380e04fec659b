// Decisions that tuning answers: see decide.h. A result is looked up by the part's own hash, so it is one of the part
// wherever that stands, in any graph.
#include "passes/affine/decide.h"

#include "passes/affine/decide_part.h"
#include "passes/affine/explain.h"
#include "passes/affine/tuned.h"
#include "passes/target.h"

#include <math.h>
#include <string.h>

#define NEAR_EVEN 1.25 // times the model's choice, up to which an answer is measured: see docs/tuning.md
enum { MOST_DATA = 256 << 20 };

static const char *const names[] = {
#define DECISION(id, name, part, answers) name,
#include "passes/affine/decisions.def"
};

//===-- Answers --------------------------------------------------------------------------------------------------===//

void strata_decision_add(strata_decision_t *decision, const char *name, double seconds) {
  if (decision->n < STRATA_MAX_ANSWERS)
    decision->answers[decision->n++] = (strata_answer_t){name, seconds};
}

// Negative: there is none of the name that can be carried out.
static int find_answer(const strata_decision_t *decision, const char *name) {
  for (int i = 0; i < decision->n; i++)
    if (isfinite(decision->answers[i].seconds) && strcmp(decision->answers[i].name, name) == 0)
      return i;
  return -1;
}

bool strata_decision_is(const strata_decision_t *decision, const char *name) {
  return strcmp(decision->answers[decision->chosen].name, name) == 0;
}

static bool is_near(const strata_decision_t *decision, int answer) {
  return decision->answers[answer].seconds <= NEAR_EVEN * decision->answers[decision->chosen].seconds;
}

static bool is_near_even(const strata_decision_t *decision) {
  int n_near = 0;
  for (int i = 0; i < decision->n; i++)
    n_near += i == decision->chosen || is_near(decision, i);
  return isfinite(decision->answers[decision->chosen].seconds) && n_near > 1;
}

//===-- Proposals ------------------------------------------------------------------------------------------------===//

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  strata_part_t *part;
  strata_decision_t *decision;
  strata_tuning_result_t key;
} question_t;

// The part by one answer.
typedef struct {
  int answer;
  const char *module;
} form_t;

// The part by the model's answer, then by those that are near it, the best by the model first, and come to something
// else; how many.
static strata_status_t find_forms(const question_t *q, const char *data, form_t *out, int *out_n) {
  const strata_decision_t *d = q->decision;
  bool are_tried[STRATA_MAX_ANSWERS] = {false};
  *out_n = 0;
  for (int next = d->chosen; next >= 0;) {
    form_t form = {.answer = next};
    are_tried[next] = true;
    STRATA_TRY(strata_part_compile(q->part, d->kind, d->answers[next].name, data, &form.module));
    if (!form.module && next == d->chosen) // nothing to compare with
      return NULL;
    bool is_new = form.module;
    for (int i = 0; i < *out_n && is_new; i++)
      is_new = strcmp(form.module, out[i].module) != 0;
    if (is_new)
      out[(*out_n)++] = form;
    next = -1;
    for (int i = 0; i < d->n; i++)
      if (!are_tried[i] && is_near(d, i) && (next < 0 || d->answers[i].seconds < d->answers[next].seconds))
        next = i;
  }
  return NULL;
}

static void add_candidate(const question_t *q, const form_t *form, const char *data, Strata__TuningKernel *kernel) {
  const strata_answer_t *answer = &q->decision->answers[form->answer];
  const strata_tuning_module_t module = {.module = form->module,
                                         .data = data,
                                         .n_constants = (int)q->part->constants.count,
                                         .constants = q->part->constants.data};
  strata_tuning_add_candidate(q->compile->options->tuning, kernel, answer->name, answer->seconds, &module);
}

static void propose(const question_t *q, const form_t *forms, int n, const char *data) {
  strata_tuning_t *tuning = q->compile->options->tuning;
  const char *what = strata_arena_printf(tuning->arena, "decision %s: %s", names[q->decision->kind], q->decision->what);
  Strata__TuningKernel *kernel = strata_tuning_propose(tuning, &q->key, what, n);
  kernel->n_warm = q->part->warm.count;
  kernel->warm = strata_arena_copy(tuning->arena, q->part->warm.data, sizeof(int32_t) * kernel->n_warm);
  for (int i = 0; i < n; i++)
    add_candidate(q, &forms[i], data, kernel);
}

//===-- Results --------------------------------------------------------------------------------------------------===//

// The near answers with their times by the model, one behind the other.
static const char *answers_text(const question_t *q) {
  const strata_decision_t *d = q->decision;
  const char *text = "";
  for (int i = 0; i < d->n; i++)
    if (i == d->chosen || is_near(d, i))
      text = strata_arena_printf(q->compile->arena, "%s%s%s %.2f us", text, *text ? ", " : "", d->answers[i].name,
                                 1e6 * d->answers[i].seconds);
  return text;
}

static void tell(const question_t *q, const char *what) {
  const strata_decision_t *d = q->decision;
  strata_explain(q->compile, "decision %s, %s: %s by the model (%s): %s # %s", names[d->kind], d->what,
                 d->answers[d->chosen].name, answers_text(q), what, q->key.kernel);
}

// Without a result.
static strata_status_t ask(question_t *q) {
  strata_tuning_t *tuning = q->compile->options->tuning;
  form_t forms[STRATA_MAX_ANSWERS];
  int n;
  bool is_export = tuning->mode == STRATA_AUTOTUNE_EXPORT;
  if (!is_export && tuning->mode != STRATA_AUTOTUNE_REQUIRE) {
    tell(q, "no result");
    return NULL;
  }
  if (strata_tuning_is_proposed(tuning, &q->key)) { // a part that is there twice, or was asked about before
    tell(q, "proposed");
    return NULL;
  }
  const char *data = strata_tuning_data_file(tuning, &q->key);
  STRATA_TRY(find_forms(q, data, forms, &n));
  if (n < 2) {
    tell(q, "not measured: the part comes to the same");
    return NULL;
  }
  if (!is_export)
    return strata_error(STRATA_NOT_FOUND, "--autotune=require: decision %s of %s (%s) has no result of tuning on %s",
                        names[q->decision->kind], q->decision->what, q->key.kernel, q->key.device);
  propose(q, forms, n, data);
  tell(q, "proposed");
  return NULL;
}

static void take(question_t *q, int answer, const strata_tuning_result_t *result, const char *source) {
  strata_tuning_t *tuning = q->compile->options->tuning;
  strata_decision_t *d = q->decision;
  bool is_models = answer == d->chosen;
  tell(q, is_models
              ? strata_arena_printf(q->compile->arena, "the fastest, %.2f us on %s (%s)", 1e6 * result->seconds,
                                    result->card, source)
              : strata_arena_printf(q->compile->arena, "tuned: %s, %.2f us, not %.2f, on %s (%s)", result->schedule,
                                    1e6 * result->seconds, 1e6 * result->model_seconds, result->card, source));
  d->chosen = answer;
  strata_tuning_insert(tuning->arena, &tuning->used, strata_arena_copy(tuning->arena, result, sizeof *result));
}

static strata_status_t look_up(question_t *q) {
  const char *source, *fault;
  const strata_tuning_result_t *result = strata_tuning_look_up(q->compile->options->tuning, &q->key, &source, &fault);
  int answer = result ? find_answer(q->decision, result->schedule) : -1;
  if (fault)
    strata_compile_note(q->compile, "tuning: not used: %s", fault);
  if (answer >= 0) {
    take(q, answer, result, source);
    return NULL;
  }
  if (result)
    strata_compile_note(q->compile, "tuning: %s: not used: decision %s (%s): no answer '%.64s'", source,
                        names[q->decision->kind], result->kernel, result->schedule);
  return ask(q);
}

//===-- Questions ------------------------------------------------------------------------------------------------===//

bool strata_decides(const strata_compile_t *compile) {
  const strata_tuning_t *tuning = compile->options->tuning;
  return tuning && strata_target_is_gpu(compile) && (tuning->mode != STRATA_AUTOTUNE_OFF || tuning->trial);
}

// In a part that is on trial nothing is looked up.
static bool is_open(const strata_compile_t *compile, strata_decision_t *d) {
  if (!strata_decides(compile))
    return false;
  strata_tuning_trial_t *trial = compile->options->tuning->trial;
  if (!trial)
    return is_near_even(d);
  int answer = trial->decision == (int)d->kind ? find_answer(d, trial->answer) : -1;
  trial->n_asked += answer >= 0;
  d->chosen = answer >= 0 ? answer : d->chosen;
  return false;
}

static strata_status_t ask_about(strata_compile_t *compile, strata_part_t *part, strata_decision_t *d) {
  question_t q = {.compile = compile, .part = part, .decision = d};
  const char *why = part->why                                      ? part->why
                    : strata_part_constant_bytes(part) > MOST_DATA ? "its constants are larger than 256 MiB"
                                                                   : NULL;
  if (why) {
    strata_explain(compile, "decision %s, %s: not looked up: %s", names[d->kind], d->what, why);
    return NULL;
  }
  STRATA_TRY(strata_gpu_device(compile, &q.device));
  STRATA_TRY(strata_tuned_key(compile, q.device, strata_part_number(part, names[d->kind]), &q.key));
  return look_up(&q);
}

// |made|: whether there is a part, which goes.
static strata_status_t decide(strata_compile_t *compile, strata_status_t made, strata_part_t *part,
                              strata_decision_t *d) {
  strata_status_t status = made ? made : ask_about(compile, part, d);
  strata_part_destroy(part);
  return status;
}

strata_status_t strata_decide_nests(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                    const strata_ints_t *nests, strata_decision_t *decision) {
  strata_part_t part;
  return is_open(compile, decision)
             ? decide(compile, strata_part_of_nests(compile, graph, nests, &part), &part, decision)
             : NULL;
}

strata_status_t strata_decide_calls(strata_compile_t *compile, const strata_calls_t *calls,
                                    const strata_operations_t *part_calls, strata_decision_t *decision) {
  strata_part_t part;
  return is_open(compile, decision)
             ? decide(compile, strata_part_of_calls(compile, calls, part_calls, &part), &part, decision)
             : NULL;
}

strata_status_t strata_decide_between(strata_compile_t *compile, const strata_nest_graph_t *graph,
                                      const strata_ints_t *nests, strata_decision_kind_t kind, const char *what,
                                      const strata_answer_t answers[2], bool *is_first) {
  strata_decision_t decision = {
      .kind = kind, .what = what, .n = 2, .answers = {answers[0], answers[1]}, .chosen = *is_first ? 0 : 1};
  STRATA_TRY(strata_decide_nests(compile, graph, nests, &decision));
  *is_first = decision.chosen == 0;
  return NULL;
}
