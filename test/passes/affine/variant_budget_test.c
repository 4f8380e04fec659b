// Which kernels of a module give up variants for the library's size.
#include "passes/affine/variant_budget.h"

#include "passes/affine/thresholds.h"
#include "test/support/check.h"

// A kernel that gains |gain|, as a logarithm, by a second schedule twice as large as the first.
typedef struct {
  double code, gain;
  int planned, taken; // schedules
} kernel_t;

static double code_of(const kernel_t *kernel, int schedules) { return (schedules == 2 ? 3 : 1) * kernel->code; }

static double plan(void *user, double price, double share) {
  CHECK(share > 0 && share <= 1);
  kernel_t *kernel = user;
  kernel->planned = kernel->gain > price * 2 * kernel->code ? 2 : 1;
  return code_of(kernel, kernel->planned);
}

static strata_status_t take(void *user) {
  kernel_t *kernel = user;
  kernel->taken = kernel->planned;
  return NULL;
}

static void spend(int n, kernel_t *kernels, const double *seconds) {
  strata_arena_t *arena = strata_arena_create();
  strata_compile_t compile = {.arena = arena};
  strata_variant_budget_t budget = {{0}};
  for (int i = 0; i < n; i++) {
    strata_variant_offer_t offer = {
        .seconds = seconds[i], .alone = kernels[i].code, .plan = plan, .take = take, .user = &kernels[i]};
    *strata_vector_push(arena, &offer.called.calls) = (MlirOperation){0};
    strata_variant_budget_add(&compile, &budget, &offer);
  }
  strata_status_t status = strata_variant_budget_spend(&compile, &budget);
  CHECK(!status);
  strata_status_free(status);
  strata_arena_destroy(arena);
}

// A small library has all that pays.
static void test_few(void) {
  kernel_t kernels[] = {{.code = 10e3, .gain = 0.01}, {.code = 10e3, .gain = 0.5}};
  spend(2, kernels, (double[]){1e-6, 1e-3});
  CHECK(kernels[0].taken == 2 && kernels[1].taken == 2);
}

// Of many kernels those have a second schedule that gain most of a call's time: the first is most of it, the last gains
// most by itself but is over soon.
static void test_many(void) {
  kernel_t kernels[] = {{.code = 100e3, .gain = 0.1},
                        {.code = 100e3, .gain = 0.1},
                        {.code = 100e3, .gain = 0.1},
                        {.code = 100e3, .gain = 0.3}};
  spend(4, kernels, (double[]){1e-3, 1e-4, 1e-4, 1e-6});
  CHECK(kernels[0].taken == 2);
  CHECK(kernels[3].taken == 1);
  double code = 0;
  for (int i = 0; i < 4; i++)
    code += code_of(&kernels[i], kernels[i].taken);
  CHECK(code <= (1 + strata_thresholds.beside_share) * 4 * 100e3);
}

// Of equal kernels, which would all have a second schedule at one price and none at the next, as many as there is room
// for have one.
static void test_rest(void) {
  enum { N = 12 };
  kernel_t kernels[N];
  double seconds[N];
  int count = 0;
  for (int i = 0; i < N; i++) {
    kernels[i] = (kernel_t){.code = 100e3, .gain = 0.1};
    seconds[i] = 1e-4;
  }
  spend(N, kernels, seconds);
  for (int i = 0; i < N; i++)
    count += kernels[i].taken == 2;
  CHECK(count == (int)(strata_thresholds.beside_share * N / 2)); // of room for so many, each twice as large as a first
}

int main(void) {
  test_few();
  test_many();
  test_rest();
  return check_result();
}
