// Products of one launch: which of those that could share one do. See problem.h and parallel.h.
//
// The largest of them leads. The others are added in order of their work, each where the model finds the launch of all
// so far faster with it than without it and the product on its own: small products that do not fill the card gain, by
// the time from one kernel to the next and by tiles for processors that would have none. For large ones a tile that has
// to suit all costs more than that. Where some are left, the launch of all is tried once more: one of them alone may be
// what begins another round of tiles, which all of them fill.
#include "passes/affine/candidates.h"
#include "passes/affine/decide.h"
#include "passes/affine/parallel.h"

#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"

#include <math.h>

typedef struct {
  const strata_called_kernel_t *called;
  int64_t n_calls; // in the launch
  strata_problem_t problem;
  double apart; // seconds of the calls, each a launch of its own
} member_t;

//===-- Reading --------------------------------------------------------------------------------------------------===//

static strata_status_t has_long_code(strata_compile_t *compile, MlirOperation func, bool *out_has) {
  strata_kernel_t kernel;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  *out_has = false;
  for (int i = 0; i < kernel.n_nests; i++)
    *out_has |= strata_nest_work(&kernel.nests[i]).is_dear;
  return NULL;
}

// The calls of |m| as one product.
static strata_status_t take_problem(const strata_gpu_contraction_t *q, const strata_problem_t *product, member_t *m) {
  m->problem = *product;
  STRATA_TRY(has_long_code(q->compile, m->called->func, &m->problem.has_long_code));
  m->apart = (double)m->n_calls * strata_problem_seconds(q->device, product);
  m->problem.batch *= m->n_calls;
  m->problem.traffic *= (double)m->n_calls;
  m->problem.spared = (double)m->n_calls * strata_problem_stored_beside(m->called->func, product);
  m->problem.shares_launch = true;
  m->problem.n_calls = m->n_calls;
  return NULL;
}

// A call of |called|, where the symbols have |values| (NULL: any); false if it could share no pipelined launch.
static strata_status_t read_product(const strata_gpu_contraction_t *q, const strata_called_kernel_t *called,
                                    const int64_t *values, strata_problem_t *out, bool *out_is_one) {
  strata_problem_reading_t product;
  STRATA_TRY(strata_problem_of_called(q, called, &product, out_is_one));
  *out_is_one = *out_is_one && (product.problem.async || product.problem.bulk_adds);
  if (*out_is_one)
    *out = values ? strata_varying_problem(&product.question, &product.problem, values) : product.problem;
  return NULL;
}

// False if |m| has its schedule already, too.
static strata_status_t read_member(const strata_gpu_contraction_t *q, member_t *m, bool *out_is_one) {
  strata_problem_t product;
  *out_is_one = false;
  if (strata_schedule_read(m->called->func).threads)
    return NULL;
  STRATA_TRY(read_product(q, m->called, NULL, &product, out_is_one));
  *out_is_one = *out_is_one && strata_problem_has_tiles(q->device, &product);
  return *out_is_one ? take_problem(q, &product, m) : NULL;
}

//===-- Choosing -------------------------------------------------------------------------------------------------===//

static double margin_of(const strata_gpu_contraction_t *q) { return q->device->costs->margins.together; }

const strata_problem_t *strata_together_first(strata_together_t *t) {
  for (int i = 0; i < t->n_products; i++)
    t->products[i].next = i + 1 < t->n_products ? &t->products[i + 1] : NULL;
  return t->products;
}

// Longest reductions first, as parallel.c has the calls: what is uneven at the end is short then.
static strata_status_t insert(const strata_gpu_contraction_t *q, strata_together_t *t, const member_t *m) {
  int64_t n_operands;
  double before = t->operands.read_before;
  STRATA_TRY(strata_parallel_add_operands(q->compile, m->called, &t->operands, &n_operands));
  int at = t->n_products++;
  for (; at > 0 && t->products[at - 1].steps < m->problem.steps; at--)
    t->products[at] = t->products[at - 1];
  t->products[at] = m->problem;
  t->products[at].n_operands = n_operands;
  t->products[at].spared += t->operands.read_before - before; // the second-level cache has it
  t->n_calls += m->n_calls;
  t->apart += m->apart;
  return NULL;
}

static void explain(const strata_gpu_contraction_t *q, const member_t *m, double together, double apart) {
  MlirStringRef name = strata_attr_str(q->called->func, "sym_name"), own = strata_attr_str(m->called->func, "sym_name");
  strata_explain(q->compile, "product %.*s: with %lld of %.*s, %lld x %lld x %lld: %.1f us in one launch, %.1f apart%s",
                 (int)name.length, name.data, (long long)m->n_calls, (int)own.length, own.data,
                 (long long)m->problem.rows, (long long)m->problem.columns, (long long)m->problem.steps, 1e6 * together,
                 1e6 * apart, together < apart * margin_of(q) ? "" : ", left apart");
}

// The model's time of all in one launch; infinite if that is not possible.
static double seconds_of(const strata_gpu_contraction_t *q, strata_together_t *t) {
  strata_candidate_t choice;
  bool is_possible = strata_pipelined_choose(q->device, strata_together_first(t), STRATA_REACH_FITTED, 1, &choice) > 0;
  return is_possible ? choice.seconds : INFINITY;
}

// Adds |m| where that is faster; *out_added is false where it is not.
static strata_status_t try_member(const strata_gpu_contraction_t *q, const member_t *m, strata_together_t *t,
                                  bool *out_added) {
  strata_together_t with = *t;
  *out_added = false;
  STRATA_TRY(insert(q, &with, m));
  with.seconds = m->apart;
  if (with.n_calls > 1) {
    double apart = t->seconds + m->apart;
    with.seconds = seconds_of(q, &with);
    explain(q, m, with.seconds, apart);
    if (with.seconds >= apart * margin_of(q))
      return NULL;
  }
  *t = with;
  *out_added = true;
  return NULL;
}

// The leader first; *out_n are those that can share a launch.
static strata_status_t read_members(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                    member_t *members, int *out_n) {
  strata_parallel_member_t found[STRATA_MAX_TOGETHER];
  int n;
  *out_n = 0;
  STRATA_TRY(strata_parallel_members(q->compile, q->calls, q->called, found, &n));
  for (int i = 0; i < n; i++) {
    member_t *m = &members[*out_n];
    bool is_one = i == 0;
    *m = (member_t){.called = found[i].called, .n_calls = found[i].n_calls};
    if (i == 0)
      STRATA_TRY(take_problem(q, product, m));
    else
      STRATA_TRY(read_member(q, m, &is_one));
    *out_n += is_one;
  }
  return NULL;
}

// All of |members| where that is faster than |t|, without some of them.
static strata_status_t try_all(const strata_gpu_contraction_t *q, const member_t *members, int n, strata_together_t *t,
                               bool *out_taken) {
  strata_together_t all = {0};
  for (int i = 0; i < n; i++)
    STRATA_TRY(insert(q, &all, &members[i]));
  double apart = t->seconds + all.apart - t->apart;
  all.seconds = seconds_of(q, &all);
  *out_taken = all.seconds < apart * margin_of(q);
  if (!*out_taken)
    return NULL;
  MlirStringRef name = strata_attr_str(q->called->func, "sym_name");
  strata_explain(q->compile, "product %.*s: with all of them: %.1f us in one launch, %.1f apart", (int)name.length,
                 name.data, 1e6 * all.seconds, 1e6 * apart);
  *t = all;
  return NULL;
}

strata_status_t strata_together_read(const strata_gpu_contraction_t *q, const strata_parallel_member_t *members, int n,
                                     const int64_t *values, strata_together_t *out, bool *out_is_one) {
  *out = (strata_together_t){.n_calls = 0};
  *out_is_one = true;
  for (int i = 0; i < n; i++) {
    member_t m = {.called = members[i].called, .n_calls = members[i].n_calls};
    strata_problem_t product;
    STRATA_TRY(read_product(q, m.called, values, &product, out_is_one));
    if (!*out_is_one)
      return NULL;
    STRATA_TRY(take_problem(q, &product, &m));
    STRATA_TRY(insert(q, out, &m));
  }
  return NULL;
}

strata_status_t strata_together_beats(const strata_gpu_contraction_t *q, const strata_problem_t *product, double alone,
                                      bool *out_beats) {
  strata_together_t all = {0}, others = {0};
  member_t members[STRATA_MAX_TOGETHER] = {0};
  int n;
  STRATA_TRY(read_members(q, product, members, &n));
  for (int i = 0; i < n; i++) {
    STRATA_TRY(insert(q, &all, &members[i]));
    if (i > 0)
      STRATA_TRY(insert(q, &others, &members[i]));
  }
  double apart = alone * (double)members[0].n_calls;
  if (others.n_calls > 0)
    apart += fmin(others.apart, seconds_of(q, &others));
  *out_beats = all.n_calls > 1 && seconds_of(q, &all) < apart * margin_of(q);
  return NULL;
}

// What tuning says of which |members| share the launch: those that the model has in |t|, all or none.
static strata_status_t decide(const strata_gpu_contraction_t *q, const member_t *members, int n, bool *are_in,
                              strata_together_t *t) {
  strata_decision_t decision = {.kind = STRATA_DECIDES_TOGETHER};
  strata_operations_t part = {0};
  strata_together_t all = {0};
  int n_in = 0;
  if (!strata_decides(q->compile))
    return NULL;
  int64_t launch = strata_parallel_launch(members[0].called->calls.data[0]);
  for (int i = 0; i < n; i++) {
    n_in += are_in[i];
    STRATA_TRY(insert(q, &all, &members[i]));
    for (size_t j = 0; j < members[i].called->calls.count; j++)
      if (launch >= 0 && strata_parallel_launch(members[i].called->calls.data[j]) == launch)
        *strata_vector_push(q->compile->arena, &part) = members[i].called->calls.data[j];
  }
  if ((int64_t)part.count != all.n_calls || part.count < 2)
    return NULL; // the launch is another one
  all.seconds = seconds_of(q, &all);
  decision.what = strata_arena_printf(q->compile->arena, "%lld products, of the first %lld x %lld x %lld",
                                      (long long)all.n_calls, (long long)members[0].problem.rows,
                                      (long long)members[0].problem.columns, (long long)members[0].problem.steps);
  strata_decision_add(&decision, "apart", all.apart);
  strata_decision_add(&decision, "all", all.seconds);
  decision.chosen = n_in == n ? 1 : 0;
  if (n_in < n && t->n_calls > 1) {
    decision.chosen = 2;
    strata_decision_add(&decision, "some", t->seconds + all.apart - t->apart);
  }
  int models = decision.chosen;
  STRATA_TRY(strata_decide_calls(q->compile, q->calls, &part, &decision));
  if (decision.chosen == models)
    return NULL;
  bool are_all = strata_decision_is(&decision, "all");
  for (int i = 0; i < n; i++)
    are_in[i] = are_all;
  if (are_all)
    *t = all;
  return NULL;
}

// Without a launch that they share.
static void leave_all(const member_t *members, int n) {
  for (int i = 0; i < n; i++)
    strata_parallel_leave(members[i].called);
}

strata_status_t strata_together_choose(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                                       strata_together_t *out) {
  const strata_together_t alone = {.n_products = 1, .n_calls = 1, .products = {*product}};
  member_t members[STRATA_MAX_TOGETHER] = {0};
  bool are_in[STRATA_MAX_TOGETHER] = {false};
  int n, n_in = 0;
  STRATA_TRY(read_members(q, product, members, &n));
  *out = (strata_together_t){.n_calls = 0};
  STRATA_TRY(try_member(q, &members[0], out, &are_in[0]));
  bool leads = are_in[0]; // else not even its own calls share one: the others have another leader
  for (int i = 0; i < n && leads; i++) {
    if (i > 0)
      STRATA_TRY(try_member(q, &members[i], out, &are_in[i]));
    n_in += are_in[i];
  }
  bool are_all = n_in == n;
  if (leads && !are_all)
    STRATA_TRY(try_all(q, members, n, out, &are_all));
  for (int i = 0; i < n; i++)
    are_in[i] |= are_all;
  STRATA_TRY(decide(q, members, n, are_in, out));
  if (!are_in[0]) {
    if (leads)
      leave_all(members, n);
    else
      strata_parallel_leave(q->called);
    *out = alone;
    return NULL;
  }
  for (int i = 0; i < n; i++)
    if (!are_in[i])
      strata_parallel_reject(q->compile, members[i].called);
  if (out->n_calls == 1)
    *out = alone;
  return NULL;
}
