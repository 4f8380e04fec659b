// Which candidates of a unit are measured: see tuned.h. The model's choice, then the best others by the model, whose
// time is the geometric mean of those at likely sizes. What the model gets wrong, it gets wrong for all of a kind, so
// first the best of each form, then few of a kind.
#include "passes/affine/tuned.h"

#include "dialects/affine/variants.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "passes/affine/pipelined.h"

#include <math.h>
#include <string.h>

enum {
  MAX_CONSIDERED = 128, // the best by the model
  MAX_OF_TILE = 2,      // of those proposed
  MAX_OF_WAY = 3,
};
#define MOST_TIME 1.5 // the model is never so wrong

//===-- The walk -------------------------------------------------------------------------------------------------===//

// Makes |c| the same candidate for |work|. Where |anyhow|, also what the model is never to choose there: it does so at
// other sizes.
static bool predict_at(const strata_work_t *work, const strata_ways_t *ways, bool anyhow, strata_candidate_t *c) {
  strata_work_t own = *work;
  strata_candidate_t before = *c;
  own.wants_all = false;
  if (ways->predict(&own, c))
    return true;
  own.wants_all = true;
  *c = before;
  return anyhow && ways->predict(&own, c);
}

// What can be a launch's, or be launched at any of the sizes of a function: blocks that share a reduction are all there
// at a time, so no more of them than the model has.
static bool is_fitting(const strata_tuned_unit_t *unit, const strata_schedule_t *model, const strata_schedule_t *s) {
  bool is_shareable = s->producers && !s->parts && !s->share[0] && !s->stream && !s->row;
  if (unit->calls.count > 1 && !is_shareable)
    return false;
  if (unit->n_points == 0)
    return true;
  bool is_within = s->parts <= model->parts && s->tile[0] >= model->tile[0] && s->tile[1] >= model->tile[1];
  return !s->stream && !s->splits && (!s->parts || is_within);
}

// As the schedulers write it: schedule_varying.c, schedule_contract_gpu.c.
static strata_schedule_t write_candidate(const strata_tuned_unit_t *unit, const strata_ways_t *ways,
                                         const strata_candidate_t *c) {
  const strata_work_t *last = &unit->works[unit->n_likely - 1];
  strata_schedule_t schedule = ways->write(last, c);
  if (unit->n_points > 0 && last->product && schedule.producers)
    schedule.blocks = schedule.row || schedule.parts ? 0 : strata_pipelined_most_blocks(last->device, &c->pipelined);
  else if (unit->calls.count > 1)
    schedule.blocks = last->device->n_processors * c->pipelined.residents;
  return schedule;
}

// The candidate as it is at the last likely size; false where it cannot be carried out at one size of all.
static bool read_candidate(const strata_tuned_unit_t *unit, const strata_schedule_t *model, const strata_ways_t *ways,
                           strata_candidate_t *c) {
  double logarithms = 0;
  strata_candidate_t last = {0};
  for (int i = 0; i < unit->n_works; i++) {
    strata_candidate_t at = *c;
    if (!predict_at(&unit->works[i], ways, unit->n_points > 0, &at))
      return false;
    logarithms += i < unit->n_likely ? log(at.seconds) : 0;
    last = i < unit->n_likely ? at : last;
  }
  *c = last;
  c->schedule = write_candidate(unit, ways, c);
  c->seconds = unit->n_likely == 1 ? last.seconds : exp(logarithms / unit->n_likely);
  return is_fitting(unit, model, &c->schedule);
}

// Makes |c| the next candidate of the kind; false at the end. A launch's are also what the model never chooses for one
// of its products alone.
static bool next_candidate(const strata_tuned_unit_t *unit, const strata_schedule_t *model, const strata_ways_t *ways,
                           strata_candidate_t *c) {
  strata_work_t lead = unit->works[unit->n_likely - 1];
  lead.wants_all = unit->calls.count > 1;
  while (ways->next(&lead, c)) {
    size_t number = c->number;
    if (read_candidate(unit, model, ways, c))
      return true;
    *c = (strata_candidate_t){.number = number};
  }
  return false;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

typedef struct {
  int count;
  strata_candidate_t of[MAX_CONSIDERED];
  double model_seconds; // of the model's choice; 0: it is none of the candidates any more
} candidates_t;

// In the order of times, of equal ones that of the walk.
static void consider(candidates_t *all, const strata_candidate_t *c) {
  int at = all->count;
  while (at > 0 && all->of[at - 1].seconds > c->seconds)
    at--;
  if (at == MAX_CONSIDERED)
    return;
  all->count += all->count < MAX_CONSIDERED;
  memmove(&all->of[at + 1], &all->of[at], sizeof *all->of * (size_t)(all->count - 1 - at));
  all->of[at] = *c;
}

static void walk(const strata_tuned_unit_t *unit, const strata_schedule_t *model, candidates_t *out) {
  const strata_ways_t *ways;
  *out = (candidates_t){.count = 0};
  for (int i = 0; (ways = strata_ways_of(&unit->works[0], i)); i++)
    for (strata_candidate_t c = {0}; next_candidate(unit, model, ways, &c);) {
      if (out->model_seconds == 0 && strata_schedule_is_same_tile(&c.schedule, model))
        out->model_seconds = c.seconds;
      consider(out, &c);
    }
}

static bool has_same_runs(const strata_schedule_t *a, const strata_schedule_t *b) {
  return a->runs[0] == b->runs[0] && a->runs[1] == b->runs[1];
}

static bool is_same(const strata_schedule_t *a, const strata_schedule_t *b) {
  return strata_schedule_is_same_tile(a, b) && a->slots == b->slots && a->blocks == b->blocks && has_same_runs(a, b);
}

// Either operand may be the instruction's rows: a tile and its transpose are alike.
static bool has_same_tile(const strata_schedule_t *a, const strata_schedule_t *b) {
  bool is_equal = a->tile[0] == b->tile[0] && a->tile[1] == b->tile[1];
  bool is_transposed = a->tile[0] == b->tile[1] && a->tile[1] == b->tile[0];
  return a->tile[2] == b->tile[2] && (is_equal || is_transposed);
}

// What blocks do together, of parts about how many; on a cpu what is packed, and how tasks are cut.
static bool has_same_way(const strata_schedule_t *a, const strata_schedule_t *b) {
  bool has_as_many = strata_power_of_two_from(a->parts) == strata_power_of_two_from(b->parts);
  return a->stream == b->stream && !a->parts == !b->parts && has_as_many &&
         a->share[0] * a->share[1] == b->share[0] * b->share[1] && a->panels == b->panels &&
         a->packs_rows == b->packs_rows && has_same_runs(a, b);
}

// Whether blocks share a reduction, operands or steps, be it by how many: what the model gets wrong of one form, it
// need not of another.
static bool has_same_form(const strata_schedule_t *a, const strata_schedule_t *b) {
  return !a->stream == !b->stream && !a->parts == !b->parts && !a->share[0] == !b->share[0];
}

static bool is_first_of_form(const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  for (int i = 0; i < n; i++)
    if (has_same_form(&chosen[i].schedule, &c->schedule))
      return false;
  return true;
}

// True if enough of its like are there.
static bool is_one_of_many(const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  int n_of_tile = 0, n_of_way = 0;
  for (int i = 0; i < n; i++) {
    n_of_tile += has_same_tile(&chosen[i].schedule, &c->schedule);
    n_of_way += has_same_way(&chosen[i].schedule, &c->schedule);
  }
  return n_of_tile >= MAX_OF_TILE || n_of_way >= MAX_OF_WAY;
}

static bool is_there(const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  for (int i = 0; i < n; i++)
    if (is_same(&chosen[i].schedule, &c->schedule))
      return true;
  return false;
}

// What the model chose, with its time.
static strata_candidate_t models_choice(const strata_tuned_unit_t *unit, const strata_schedule_t *model,
                                        double seconds) {
  const strata_ways_t *ways;
  strata_candidate_t found = {.seconds = seconds}, c;
  for (int i = 0; unit->n_points == 0 && (ways = strata_ways_of(&unit->works[0], i)); i++)
    if (strata_candidate_of(&unit->works[0], ways, model, &c)) {
      found = c;
      break;
    }
  found.schedule = *model;
  return found;
}

// Whether |c| is one of those that are chosen in turn: the best of each form, then few of a kind, then any.
static bool is_wanted(int turn, const strata_candidate_t *chosen, int n, const strata_candidate_t *c) {
  return turn == 0 ? is_first_of_form(chosen, n, c) : turn > 1 || !is_one_of_many(chosen, n, c);
}

int strata_tuned_choose(const strata_tuned_unit_t *unit, strata_candidate_t *out) {
  enum { TURNS = 3 };
  candidates_t all;
  strata_schedule_t model = strata_schedule_read(strata_tuned_func(unit));
  int n = 1;
  walk(unit, &model, &all);
  out[0] = models_choice(unit, &model, all.model_seconds);
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < all.count && n < STRATA_MAX_PROPOSED; i++) {
      bool is_slow = all.of[i].seconds > MOST_TIME * all.of[0].seconds;
      if (!is_slow && !is_there(out, n, &all.of[i]) && is_wanted(turn, out, n, &all.of[i]))
        out[n++] = all.of[i];
    }
  return n;
}

//===-- What a file says -----------------------------------------------------------------------------------------===//

// A launch's, of sizes that vary, or of what no model tells the sense of: one of those that could be proposed.
static bool is_proposable(const strata_tuned_unit_t *unit, const strata_schedule_t *chosen,
                          const strata_schedule_t *given) {
  const strata_ways_t *ways;
  if (is_same(chosen, given) && chosen->stagger == given->stagger)
    return true;
  for (int i = 0; (ways = strata_ways_of(&unit->works[0], i)); i++)
    for (strata_candidate_t c = {0}; next_candidate(unit, chosen, ways, &c);)
      if (is_same(&c.schedule, given) && c.schedule.stagger == given->stagger)
        return true;
  return false;
}

strata_status_t strata_tuned_check(const strata_tuned_t *t, const strata_tuned_unit_t *unit,
                                   const strata_schedule_t *chosen, const strata_schedule_t *given) {
  if (unit->n_points == 0 && unit->calls.count == 1 && !unit->works[0].forms)
    return strata_schedule_check(t->compile, t->device, t->calls, unit->members[0], chosen, given);
  if (chosen->kind == given->kind && is_proposable(unit, chosen, given))
    return NULL;
  return strata_error(STRATA_INVALID_ARGUMENT, "no way of carrying out %s; see docs/gpu-schedules.md",
                      unit->n_points          ? "this kernel at all of its sizes"
                      : unit->calls.count > 1 ? "this launch"
                                              : "this kernel");
}
