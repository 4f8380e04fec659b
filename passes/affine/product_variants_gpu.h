// A product of which one size varies on a GPU, or several of one launch, while their variants (variants.h) are planned.
// Internal to affine-schedule.
#ifndef STRATA_PASSES_AFFINE_PRODUCT_VARIANTS_GPU_H
#define STRATA_PASSES_AFFINE_PRODUCT_VARIANTS_GPU_H

#include "passes/affine/candidates.h"
#include "passes/affine/variant_budget.h"
#include "passes/affine/variant_plan.h"
#include "passes/affine/variants.h"

enum {
  STRATA_VARYING_ROWS,
  STRATA_VARYING_COLUMNS,
  STRATA_VARYING_BATCH,
};

typedef struct {
  strata_problem_t problem; // of one call where the size is |usual|
  int axis;                 // that varies, STRATA_VARYING_...
  strata_size_t size;       // of it
  int64_t usual;
  double bytes;    // that go with the size, for each of it
  double work;     // of one result, behind the product
  int64_t n_calls; // in the launch
  const strata_scheduling_t *kernel;
} strata_varying_product_t;

typedef struct {
  const strata_ways_t *kind;
  size_t number; // of the candidate of that kind
  bool is_all;   // it takes any size
  double code;   // bytes
} strata_varying_way_t;

// The size is that of the first product; those of others of a launch are as large beside it at any sizes.
typedef struct strata_product_variants {
  const strata_gpu_device_t *device;
  int n_products;
  strata_varying_product_t products[STRATA_MAX_TOGETHER];
  struct strata_product_variants *alone[STRATA_MAX_TOGETHER]; // what each is by itself
  strata_problem_t problems[STRATA_MAX_TOGETHER];             // at the size that was last asked for, as a list
  int n_sizes, n_ways;
  int64_t sizes[STRATA_PLAN_SIZES];
  double weights[STRATA_PLAN_SIZES];
  bool is_likely[STRATA_PLAN_SIZES];
  double best[STRATA_PLAN_SIZES]; // seconds, by the best way for the size alone
  strata_varying_way_t ways[STRATA_PLAN_SIZES];
  double costs[STRATA_PLAN_SIZES * STRATA_PLAN_SIZES]; // of each size those of all ways
  double code[STRATA_PLAN_SIZES];
  bool takes_all[STRATA_PLAN_SIZES];
  bool has_single, keeps_single, is_single_likely;
  int64_t least; // size, be it a single one
  strata_variant_plan_t plan;
} strata_product_variants_t;

// Whether |offer| is of such products.
bool strata_product_variants_are(const strata_variant_offer_t *offer);
// The number that product |i| has where the first has |size|.
int64_t strata_product_variants_size(const strata_product_variants_t *v, int i, int64_t size);
// The products there, each as one of varying sizes or not.
const strata_problem_t *strata_product_variants_at(strata_product_variants_t *v, int64_t size, bool varies);
// The candidate of |way| there, be it one that is never to be chosen; false if there is none.
bool strata_product_variants_candidate(strata_product_variants_t *v, const strata_varying_way_t *way, int64_t size,
                                       strata_candidate_t *out);
// What it takes there: very long what is never to be, infinite what cannot be.
double strata_product_variants_seconds(strata_product_variants_t *v, int way, int64_t size);
// What the best way for the size alone takes.
double strata_product_variants_best(strata_product_variants_t *v, int64_t size);
// Finds sizes and ways, and what each way takes at each; an offer of them, of which |called| is missing.
strata_variant_offer_t strata_product_variants_ask(strata_compile_t *compile, strata_product_variants_t *v);
// Gives all products the schedule and the variants of the plan (product_variants_make.c).
STRATA_MUST_CHECK strata_status_t strata_product_variants_make(strata_product_variants_t *v);

#endif
