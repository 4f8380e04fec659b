// Products on a cpu: the register tile by the model (register_tile.h), which operands are packed, and the candidates of
// those whose sizes are known. Panels are made when all schedules are: strata_cpu_pack_products.
#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/candidates.h"
#include "passes/affine/pack.h"
#include "passes/affine/product_tasks.h"

//===-- Products -------------------------------------------------------------------------------------------------===//

// At least.
static int64_t side_extent(const strata_contraction_kernel_t *contraction, int side) {
  int dim = contraction->sides[side].tile_dim;
  return dim == STRATA_NO_DIM ? 1 : strata_size_min(contraction->nest->space.sizes[dim]);
}

// Rows or columns whose number varies have as large a register tile as many would; few are done by parts of it.
static int64_t tiled_extent(const strata_contraction_kernel_t *contraction, int side) {
  enum { MANY = 1024 };
  int dim = contraction->sides[side].tile_dim;
  int64_t extent;
  if (dim == STRATA_NO_DIM || strata_size_is_constant(contraction->nest->space.sizes[dim], &extent))
    return side_extent(contraction, side);
  return strata_min(MANY, strata_size_max(contraction->nest->space.sizes[dim]));
}

// The rows of a tile that are read side by side where they lie: those a multiple of a way apart share sets of the
// first-level cache, and more of them than it has ways drive each other out. A smaller tile costs less than their
// packing (1024 x 1024 x 1024 on two cores of a Zen 4: 9.9 ms by tiles of 8 x 48, 10.1 by panels of 9 rows, and at
// times, for seconds, 10.3 and 12.2).
static int64_t most_rows(const strata_machine_t *machine, const strata_contraction_kernel_t *contraction) {
  enum { WAY = 4096 }; // bytes: of caches that are looked up by the address within a page
  const strata_contraction_side_t *side = &contraction->sides[STRATA_SIDE_U];
  int64_t stride;
  if (side->tile_dim == STRATA_NO_DIM || !strata_contraction_is_plain(contraction, STRATA_SIDE_U) ||
      !strata_access_stride(contraction->nest, side->access, side->tile_dim, &stride))
    return INT64_MAX;
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(side->access->buffer));
  int64_t bytes = strata_type_storage_size(strata_type_from_mlir(element), stride);
  return bytes > 0 ? machine->l1_bytes / WAY * (WAY / strata_gcd(bytes, WAY)) : INT64_MAX;
}

// Panels have the dims of what they hold.
static bool has_known_extents(const strata_contraction_kernel_t *contraction, int side) {
  int64_t extent;
  for (int dim = 0; dim < strata_nest_n_dims(contraction->nest); dim++)
    if (contraction->sides[side].dims & 1u << dim &&
        !strata_size_is_constant(contraction->nest->space.sizes[dim], &extent))
      return false;
  return true;
}

// Of the vector side.
static bool may_pack(const strata_contraction_kernel_t *contraction) {
  return strata_contraction_is_plain(contraction, STRATA_SIDE_V) && has_known_extents(contraction, STRATA_SIDE_V);
}

static bool is_constant(const strata_calls_t *calls, const strata_called_kernel_t *called,
                        const strata_contraction_kernel_t *contraction) {
  return strata_pack_is_constant(calls, called, contraction, STRATA_SIDE_V);
}

//===-- Products element by element ------------------------------------------------------------------------------===//

// The dim along which results are contiguous, if both operands have it and one of them has no dim of its own: channels
// of a depthwise convolution. Vectors run along it, and rows do that better than a register tile across it.
static int common_dim(const strata_contraction_kernel_t *c) {
  enum { MIN_EXTENT = 8 };
  if (c->sides[STRATA_SIDE_U].tile_dim != STRATA_NO_DIM)
    return STRATA_NO_DIM;
  for (int dim = 0; dim < c->nest->n_parallel; dim++) {
    bool is_common = c->sides[STRATA_SIDE_U].dims & c->sides[STRATA_SIDE_V].dims & 1u << dim;
    int64_t stride, extent;
    if (is_common && strata_size_is_constant(c->nest->space.sizes[dim], &extent) && extent >= MIN_EXTENT &&
        strata_access_stride(c->nest, c->store, dim, &stride) && stride == 1)
      return dim;
  }
  return STRATA_NO_DIM;
}

// What is constant lies with the common dim innermost, as the results do.
static strata_status_t pack_common(const strata_scheduling_t *s, const strata_contraction_kernel_t *contraction,
                                   int dim) {
  strata_contraction_kernel_t c = *contraction;
  for (int side = STRATA_SIDE_U; side <= STRATA_SIDE_V; side++) {
    int64_t stride;
    c.sides[side].tile_dim = dim;
    bool lies = strata_access_stride(c.nest, c.sides[side].access, dim, &stride) && stride == 1;
    if (!lies && strata_contraction_is_plain(&c, side) && strata_pack_is_constant(s->calls, s->called, &c, side))
      return strata_pack_side(s->compile, s->called, &c, side, strata_nest_static_extent(c.nest, dim));
  }
  return NULL;
}

static strata_tiling_t tiling_of(const strata_machine_t *machine, const strata_contraction_kernel_t *contraction) {
  return (strata_tiling_t){*machine, tiled_extent(contraction, STRATA_SIDE_U), tiled_extent(contraction, STRATA_SIDE_V),
                           most_rows(machine, contraction), contraction->n_reduced};
}

// Panels that variants share are there before those.
static strata_status_t finish_varying(const strata_scheduling_t *s, const strata_contraction_kernel_t *contraction,
                                      const strata_tiling_t *tiling, const strata_schedule_t *schedule) {
  bool is_packed = may_pack(contraction) && (is_constant(s->calls, s->called, contraction) ||
                                             side_extent(contraction, STRATA_SIDE_U) >= STRATA_PRODUCT_MIN_REUSE);
  if (is_packed)
    STRATA_TRY(strata_pack_side(s->compile, s->called, contraction, STRATA_SIDE_V, schedule->tile[STRATA_SIDE_V]));
  int rows = contraction->sides[STRATA_SIDE_U].tile_dim;
  // What a task turns into panels itself costs more than another tile of rows.
  bool is_read_once =
      is_packed || strata_contraction_is_contiguous(contraction, STRATA_SIDE_V, schedule->tile[STRATA_SIDE_V]);
  return rows == STRATA_NO_DIM || !is_read_once
             ? NULL
             : strata_cpu_product_variants(s, contraction->nest->space.sizes[rows], tiling, schedule, is_packed);
}

strata_status_t strata_cpu_contract(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_contraction_kernel_t contraction;
  *out_taken = strata_is_contraction(s->kernel, &contraction);
  if (!*out_taken)
    return NULL;
  int common = common_dim(&contraction);
  *out = (strata_schedule_t){.kind = common == STRATA_NO_DIM ? STRATA_KERNEL_CONTRACT : STRATA_KERNEL_ROWS};
  if (common != STRATA_NO_DIM)
    return pack_common(s, &contraction, common);
  out->n_tile = 2;
  out->tile[0] = out->tile[1] = 1;
  const strata_tiling_t tiling = tiling_of(s->machine, &contraction);
  strata_register_tile_choose(&tiling, out->tile);
  return strata_kernel_varies(s->kernel) ? finish_varying(s, &contraction, &tiling, out) : NULL;
}

//===-- Panels ---------------------------------------------------------------------------------------------------===//

enum { PANELS = 1 }; // schedule.def

static strata_status_t pack_product(strata_compile_t *compile, const strata_calls_t *calls,
                                    const strata_called_kernel_t *called) {
  strata_schedule_t schedule = strata_schedule_read(called->func);
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  if (schedule.kind != STRATA_KERNEL_CONTRACT)
    return NULL;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  if (strata_kernel_varies(&kernel) || !strata_is_contraction(&kernel, &contraction))
    return NULL;
  strata_machine_t machine;
  STRATA_TRY(strata_machine_of(compile, &machine));
  bool is_wanted = schedule.panels ? schedule.panels == PANELS
                                   : is_constant(calls, called, &contraction) ||
                                         strata_product_wants_panels(&contraction, &schedule, machine.l2_bytes);
  bool has_panels = is_wanted && may_pack(&contraction);
  return has_panels ? strata_pack_side(compile, called, &contraction, STRATA_SIDE_V, schedule.tile[STRATA_SIDE_V])
                    : NULL;
}

strata_status_t strata_cpu_pack_products(strata_compile_t *compile, const strata_calls_t *calls) {
  for (size_t i = 0; i < calls->kernels.count; i++)
    STRATA_TRY(pack_product(compile, calls, &calls->kernels.data[i]));
  return NULL;
}

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// What depends on how often dims are gone through.
static void read_extents(strata_cpu_product_t *product) {
  const strata_contraction_kernel_t *c = &product->contraction;
  product->tiling.steps = c->n_reduced;
  product->times = 1;
  for (int side = STRATA_SIDE_U; side <= STRATA_SIDE_V; side++)
    product->extents[side] = strata_product_extent(c, side);
  for (int i = 0; i < c->n_outer; i++)
    product->times *= strata_max(1, strata_nest_likely_extent(c->nest, c->outer[i]));
}

const strata_cpu_product_t *strata_cpu_product_at(strata_arena_t *arena, const strata_cpu_product_t *product,
                                                  const int64_t *values) {
  strata_cpu_product_t *at = strata_arena_copy(arena, product, sizeof *product);
  strata_nest_t *nest = strata_arena_copy(arena, at->contraction.nest, sizeof *nest);
  nest->likely = values;
  at->contraction.nest = nest;
  at->contraction.n_reduced = 1;
  for (int i = 0; i < nest->n_reduction; i++)
    at->contraction.n_reduced *= strata_max(1, strata_nest_likely_extent(nest, nest->n_parallel + i));
  read_extents(at);
  return at;
}

strata_status_t strata_work_contract_cpu(const strata_scheduling_t *s, strata_work_t *out) {
  strata_cpu_product_t *product = strata_arena_new(s->compile->arena, strata_cpu_product_t);
  strata_contraction_kernel_t *c = &product->contraction;
  STRATA_TRY(strata_kernel_read(s->compile->arena, s->called->func, &product->kernel));
  if (!strata_is_contraction(&product->kernel, c))
    return NULL;
  strata_schedule_t schedule = strata_schedule_read(s->called->func);
  strata_product_tasks_t tasks = strata_product_tasks(c, &schedule, s->machine->l2_bytes);
  product->tiling = tiling_of(s->machine, c);
  product->varies = strata_kernel_varies(&product->kernel);
  product->is_constant = !product->varies && may_pack(c) && is_constant(s->calls, s->called, c);
  product->may_have_panels = !product->varies && strata_pack_takes(c, STRATA_SIDE_V);
  for (int side = STRATA_SIDE_U; side <= STRATA_SIDE_V; side++)
    product->are_packed[side] = tasks.is_packed[side];
  read_extents(product);
  out->cpu_product = product;
  return NULL;
}
