// Contractions on GPUs: how the product is carried out. See problem.h for the ways.
//
// A constant operand that is not contiguous along any of its tiled dims (a convolution's weights as frameworks store
// them) is packed by a kernel of its own, which split-prepare then takes out of @main.
#include "dialects/mlir_util.h"
#include "passes/affine/explain.h"
#include "passes/affine/pack.h"
#include "passes/affine/parallel.h"
#include "passes/affine/problem.h"

enum { EXPLAINED = 3 }; // pipelined products that --explain tells about

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

//===-- Packing --------------------------------------------------------------------------------------------------===//

enum { VECTOR = 8 }; // elements that should lie beside one another

// True if loads along some dim that only the side has, or that is reduced, are of neighbours.
static bool is_contiguous(const strata_contraction_kernel_t *c, int side) {
  uint32_t other = c->sides[1 - side].dims;
  for (int dim = 0; dim < c->nest->n_parallel + c->nest->n_reduction; dim++) {
    bool is_tiled = dim >= c->nest->n_parallel || !(other & 1u << dim);
    int64_t stride;
    if (is_tiled && c->nest->extents[dim] % VECTOR == 0 &&
        strata_access_stride(c->nest, c->sides[side].access, dim, &stride) && stride == 1)
      return true;
  }
  return false;
}

static strata_status_t pack_constants(const strata_gpu_contraction_t *q) {
  const strata_contraction_kernel_t *c = q->contraction;
  for (int side = 0; side < 2; side++) {
    int dim = c->sides[side].tile_dim;
    if (dim == STRATA_NO_DIM || !strata_contraction_is_plain(c, side) || is_contiguous(c, side) ||
        !strata_pack_is_constant(q->calls, q->called, c, side))
      continue;
    return strata_pack_side(q->compile, q->called, c, side, ceil_div(c->nest->extents[dim], VECTOR) * VECTOR);
  }
  return NULL;
}

//===-- The choice -----------------------------------------------------------------------------------------------===//

static const char *tile_text(strata_arena_t *arena, const strata_schedule_t *s) {
  return strata_arena_printf(arena, "%lldx%lldx%lld", (long long)s->tile[0], (long long)s->tile[1],
                             (long long)s->tile[2]);
}

static void explain(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                    const strata_tiled_choice_t *tiled, const strata_pipelined_choice_t *pipelined, int n_pipelined,
                    bool is_pipelined) {
  if (!q->compile->explain)
    return;
  strata_arena_t *arena = q->compile->arena;
  MlirStringRef symbol = strata_attr_str(q->called->func, "sym_name");
  const char *name = strata_arena_printf(arena, "product %.*s:", (int)symbol.length, symbol.data);
  const char *mark[2] = {"", ", chosen"};
  strata_explain(q->compile, "%s %lld x %lld x %lld, %lld times", name, (long long)product->rows,
                 (long long)product->columns, (long long)product->steps, (long long)product->batch);
  for (int i = 0; i < n_pipelined; i++) {
    const strata_pipelined_choice_t *p = &pipelined[i];
    strata_schedule_t s = strata_pipelined_schedule(product, p);
    strata_explain(q->compile, "%s   %s %s, %lld slots, %lld tiles in %lld blocks%s: %.1f us (%s)%s", name,
                   product->async->name, tile_text(arena, &s), (long long)s.slots, (long long)p->tiles,
                   (long long)s.blocks, s.swap ? ", swapped" : "", 1e6 * p->seconds, p->bound,
                   mark[is_pipelined && i == 0]);
  }
  strata_explain(q->compile, "%s   %s %s, %lld threads: %.1f us%s", name,
                 product->mma ? product->mma->name : "multiply-adds", tile_text(arena, &tiled->schedule),
                 (long long)tiled->threads, 1e6 * tiled->seconds, mark[!is_pipelined]);
}

// |n| products like this one in one launch.
static strata_problem_t together(const strata_problem_t *product, int64_t n) {
  strata_problem_t all = *product;
  all.batch *= n;
  all.traffic *= (double)n;
  return all;
}

static void choose(const strata_gpu_contraction_t *q, const strata_problem_t *product,
                   const strata_tiled_choice_t *tiled, strata_schedule_t *out) {
  strata_pipelined_choice_t pipelined[EXPLAINED];
  int64_t n_calls = strata_parallel_count(q->called);
  strata_problem_t launch = together(product, n_calls);
  strata_tiled_choice_t apart = *tiled; // tiles that are staged share no launch
  apart.seconds *= (double)n_calls;
  int n = strata_pipelined_choose(q->device, &launch, EXPLAINED, pipelined);
  bool is_pipelined = STRATA_PIPELINED_PRODUCTS && n > 0 && pipelined[0].seconds < apart.seconds;
  *out = is_pipelined ? strata_pipelined_schedule(product, &pipelined[0]) : tiled->schedule;
  explain(q, &launch, &apart, pipelined, n, is_pipelined);
}

// Packing changes what the contraction reads.
static strata_status_t choose_packed(const strata_gpu_contraction_t *q, strata_schedule_t *out) {
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  strata_gpu_contraction_t packed = *q;
  strata_tiled_choice_t tiled;
  STRATA_TRY(strata_kernel_read(q->compile->arena, q->called->func, &kernel));
  STRATA_TRY(strata_contraction_read(&kernel, &contraction));
  packed.contraction = &contraction;
  strata_problem_t product = strata_problem_read(&packed);
  if (!strata_tiled_choose(q->device, &product, &tiled))
    return strata_error(STRATA_INTERNAL, "no tile suits a packed contraction");
  choose(&packed, &product, &tiled, out);
  return NULL;
}

strata_status_t strata_schedule_contract_gpu(const strata_gpu_contraction_t *contraction,
                                             strata_schedule_t *out_schedule, bool *out_taken) {
  strata_problem_t product = strata_problem_read(contraction);
  strata_tiled_choice_t tiled;
  *out_taken = strata_problem_has_tiles(contraction->device, &product) &&
               strata_tiled_choose(contraction->device, &product, &tiled);
  if (!*out_taken)
    return NULL;
  STRATA_TRY(pack_constants(contraction));
  return choose_packed(contraction, out_schedule);
}
