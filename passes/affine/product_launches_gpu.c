// Products of one launch (parallel.h) of which one size varies: which of those that could share one do. They have one
// plan of variants, whose conditions are the same, so that each of the launch's variants is one of all products.
//
// As where sizes are known (schedule_together.c) the largest leads, and the others are added in order of their work.
// Each joins if, on average over the sizes that the plan is made for, the best launch with it takes less than that
// without it and the product alone.
#include "passes/affine/explain.h"
#include "passes/affine/nest_graph.h"
#include "passes/affine/product_variants_gpu.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

#include <math.h>

typedef strata_product_variants_t variants_t;
typedef strata_varying_product_t product_t;

typedef struct {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  const strata_calls_t *calls;
  strata_variant_budget_t *budget;
} joiner_t;

static strata_variant_offer_t *offer_of(const joiner_t *j, MlirOperation func) {
  for (size_t i = 0; i < j->budget->offers.count; i++)
    if (mlirOperationEqual(j->budget->offers.data[i].called.func, func))
      return &j->budget->offers.data[i];
  return NULL;
}

// The product by itself, if it may be one of a launch: its calls are in launches, none of a single row, which is likely
// and summed up otherwise.
static variants_t *variants_of(const joiner_t *j, const strata_called_kernel_t *called) {
  const strata_variant_offer_t *offer = offer_of(j, called->func);
  bool may_share = offer && strata_product_variants_are(offer);
  for (size_t i = 0; i < called->calls.count; i++)
    may_share &= strata_parallel_launch(called->calls.data[i]) >= 0;
  variants_t *v = may_share ? offer->user : NULL;
  return v && !v->is_single_likely ? v : NULL;
}

// True if both sizes are as many times a number, whatever it is.
static bool are_proportional(strata_size_t a, strata_size_t b) {
  return a.divisor > 0 && b.divisor > 0 &&
         strata_size_equal(strata_size_product(a, strata_size_constant(b.divisor)),
                           strata_size_product(b, strata_size_constant(a.divisor)));
}

//===-- A launch -------------------------------------------------------------------------------------------------===//

// Longest reductions first, as parallel.c has the calls.
static void insert(variants_t *v, variants_t *alone, int64_t n_calls) {
  enum { OPERANDS = 2 };
  int at = v->n_products++;
  for (; at > 0 && v->products[at - 1].problem.steps < alone->products[0].problem.steps; at--) {
    v->products[at] = v->products[at - 1];
    v->alone[at] = v->alone[at - 1];
  }
  product_t *product = &v->products[at];
  *product = alone->products[0];
  product->n_calls = n_calls;
  product->size.min = alone->has_single ? alone->least : product->size.min;
  product->problem.shares_launch = true;
  product->problem.n_calls = n_calls;
  product->problem.n_operands = OPERANDS * n_calls;
  v->alone[at] = alone;
}

static variants_t *with(const joiner_t *j, const variants_t *launch, variants_t *alone, int64_t n_calls) {
  variants_t *v = strata_arena_new(j->compile->arena, variants_t);
  v->device = j->device;
  for (int i = 0; launch && i < launch->n_products; i++)
    insert(v, launch->alone[i], launch->products[i].n_calls);
  insert(v, alone, n_calls);
  return v;
}

// The size of what |alone| is by itself, where that of the launch's first product is |size|.
static int64_t own_size(const variants_t *launch, const variants_t *alone, int64_t size) {
  int i = 0;
  while (launch->alone[i] != alone)
    i++;
  return strata_product_variants_size(launch, i, size);
}

// What |launch| takes beside |before|, where it is not null, and |alone|'s calls: by the mean logarithm over the sizes.
// Infinite where it cannot be at one of them.
static double mean_ratio(variants_t *launch, variants_t *before, variants_t *alone, int64_t n_calls) {
  double sum = 0, weights = 0;
  for (int i = 0; i < launch->n_sizes; i++) {
    int64_t size = launch->sizes[i];
    double apart = (double)n_calls * strata_product_variants_best(alone, own_size(launch, alone, size));
    if (before)
      apart += strata_product_variants_best(before, own_size(launch, before->alone[0], size));
    sum += launch->weights[i] * log(launch->best[i] / apart);
    weights += launch->weights[i];
  }
  return exp(sum / weights);
}

static void explain(const joiner_t *j, const variants_t *launch, const strata_called_kernel_t *leader,
                    const strata_called_kernel_t *called, double ratio) {
  MlirStringRef name = strata_attr_str(leader->func, "sym_name"), own = strata_attr_str(called->func, "sym_name");
  bool is_faster = ratio < j->device->costs->margins.together;
  strata_explain(j->compile, "product %.*s: with %.*s: %.2f of the time that it takes apart, the mean of %d sizes%s",
                 (int)name.length, name.data, (int)own.length, own.data, ratio, launch->n_sizes,
                 is_faster ? "" : ", left apart");
}

// Makes |launch|, null at first, the one with |member|, where that is faster; one call is itself.
static bool try_member(const joiner_t *j, const strata_called_kernel_t *leader, const strata_parallel_member_t *member,
                       variants_t **launch, strata_variant_offer_t *offer) {
  variants_t *before = *launch, *alone = variants_of(j, member->called);
  if (!alone || (before && !are_proportional(before->products[0].size, alone->products[0].size)))
    return false;
  if (!before && member->n_calls == 1) {
    *launch = alone;
    return true;
  }
  variants_t *v = with(j, before, alone, member->n_calls);
  strata_variant_offer_t own = strata_product_variants_ask(j->compile, v);
  double ratio = mean_ratio(v, before, alone, member->n_calls);
  explain(j, v, leader, member->called, ratio);
  bool is_faster = ratio < j->device->costs->margins.together;
  if (is_faster) {
    *launch = v;
    *offer = own;
  }
  return is_faster;
}

//===-- The budget -----------------------------------------------------------------------------------------------===//

static double plan_nothing(void *user, double price, double share) {
  (void)user, (void)price, (void)share;
  return 0;
}

static strata_status_t take_nothing(void *user) {
  (void)user;
  return NULL;
}

// The launch's plan is the leader's; the others are part of it.
static void replace_offers(const joiner_t *j, const strata_called_kernel_t *leader, const variants_t *launch,
                           const strata_variant_offer_t *offer, int64_t n_calls) {
  for (int i = 0; i < launch->n_products; i++) {
    strata_variant_offer_t *own = offer_of(j, launch->products[i].kernel->called->func);
    own->seconds = own->alone = 0;
    own->plan = plan_nothing;
    own->take = take_nothing;
  }
  strata_variant_offer_t *own = offer_of(j, leader->func);
  own->seconds = offer->seconds / (double)n_calls; // a launch has so many of the calls
  own->alone = offer->alone;
  own->plan = offer->plan;
  own->take = offer->take;
  own->user = offer->user;
}

static strata_status_t join(const joiner_t *j, const strata_called_kernel_t *leader) {
  strata_parallel_member_t members[STRATA_MAX_TOGETHER];
  variants_t *launch = NULL;
  strata_variant_offer_t offer = {.seconds = 0};
  int n;
  STRATA_TRY(strata_parallel_members(j->compile, j->calls, leader, members, &n));
  if (!try_member(j, leader, &members[0], &launch, &offer)) {
    strata_parallel_leave(leader); // not even its own calls: the others have another leader
    return NULL;
  }
  for (int i = 1; i < n; i++)
    if (!try_member(j, leader, &members[i], &launch, &offer))
      strata_parallel_reject(j->compile, members[i].called);
  if (!launch->products[0].problem.shares_launch)
    strata_parallel_leave(leader);
  else
    replace_offers(j, leader, launch, &offer, members[0].n_calls);
  return NULL;
}

static bool varies(MlirOperation func) {
  MlirBlock body = strata_func_body(func);
  bool varies = false;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    varies |= strata_type_is_symbolic(mlirValueGetType(mlirBlockGetArgument(body, i)));
  return varies;
}

// Those that a launch rejects may share one of their own, as may those that have lost their leader: one that has no
// variants to choose from.
strata_status_t strata_gpu_product_launches(strata_compile_t *compile, const strata_gpu_device_t *device,
                                            const strata_calls_t *calls, strata_variant_budget_t *budget) {
  const joiner_t j = {compile, device, calls, budget};
  const strata_called_kernel_t *leader;
  bool is_main, *are_done = strata_arena_array(compile->arena, bool, calls->kernels.count + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < calls->kernels.count; i++) {
      STRATA_TRY(strata_parallel_leader(compile, calls, &calls->kernels.data[i], &leader, &is_main));
      size_t at = (size_t)(leader - calls->kernels.data);
      if (are_done[at] || !varies(leader->func))
        continue;
      are_done[at] = changed = true;
      STRATA_TRY(join(&j, leader));
    }
  }
  return NULL;
}
