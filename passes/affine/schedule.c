// The pass affine-schedule: how each kernel is carried out. On the cpu (schedule_gpu.c is the same for GPUs):
//
//   func.func private @k0(%x: memref<128x768xf32>, %w: memref<768x768xf32>, %y: ...) { contraction }
// becomes
//   func.func private @k0(%x: ..., %w: memref<24x768x32xf32>, %y: ...)
//       attributes {strata.schedule = {kind = "contract", tile = array<i64: 14, 32>}}
//   func.func private @k0_pack(%w: memref<768x768xf32>, %p: memref<24x768x32xf32>) { one nest }   // called before @k0
//
// The kind follows from the nests (kinds.def). A contraction's register tile is the one with the fewest cycles by a
// model of the machine: multiply-adds, loads, latency and what a core that is shared issues. A vector side that is
// constant, or passed by often, is packed into panels of the tile's width by a kernel of its own; split-prepare takes
// those of constants out of @main. A product without a dim for registers that only one operand has, a depthwise
// convolution, is rows.
#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/kinds.h"
#include "passes/affine/pack.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/pass.h"
#include "passes/target.h"

//===-- Kinds ----------------------------------------------------------------------------------------------------===//

strata_status_t strata_cpu_scalar(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  (void)s;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_SCALAR};
  *out_taken = true;
  return NULL;
}

static bool is_vectorizable(const strata_kernel_t *kernel) {
  for (int i = 0; i < kernel->n_nests; i++)
    if (!strata_nest_is_vectorizable(&kernel->nests[i]))
      return false;
  return true;
}

strata_status_t strata_cpu_rows(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_ROWS};
  *out_taken = is_vectorizable(s->kernel);
  return *out_taken ? strata_cpu_row_variants(s, out) : NULL;
}

strata_status_t strata_cpu_map(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_MAP};
  *out_taken = is_vectorizable(s->kernel);
  for (int i = 0; i < s->kernel->n_nests; i++)
    *out_taken &= s->kernel->nests[i].n_reduction == 0;
  *out_taken |= s->kernel->n_nests == 1 &&
                (strata_nest_gathers_rows(&s->kernel->nests[0]) || strata_nest_loops_over_rows(&s->kernel->nests[0]));
  return NULL;
}

//===-- Products -------------------------------------------------------------------------------------------------===//

// Rows that pass by a panel before it pays to pack a variable operand once, in a launch of its own, rather than in each
// task that reads it.
enum { MIN_REUSE = 512 };

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
static bool should_pack(const strata_calls_t *calls, const strata_called_kernel_t *called,
                        const strata_contraction_kernel_t *contraction) {
  return strata_contraction_is_plain(contraction, STRATA_SIDE_V) && has_known_extents(contraction, STRATA_SIDE_V) &&
         (side_extent(contraction, STRATA_SIDE_U) >= MIN_REUSE ||
          strata_pack_is_constant(calls, called, contraction, STRATA_SIDE_V));
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
  const strata_tiling_t tiling = {*s->machine, tiled_extent(&contraction, STRATA_SIDE_U),
                                  tiled_extent(&contraction, STRATA_SIDE_V), most_rows(s->machine, &contraction),
                                  contraction.n_reduced};
  strata_register_tile_choose(&tiling, out->tile);
  bool is_packed = should_pack(s->calls, s->called, &contraction);
  if (is_packed)
    STRATA_TRY(strata_pack_side(s->compile, s->called, &contraction, STRATA_SIDE_V, out->tile[STRATA_SIDE_V]));
  int rows = contraction.sides[STRATA_SIDE_U].tile_dim;
  // What a task turns into panels itself costs more than another tile of rows.
  bool is_read_once = is_packed || strata_contraction_is_contiguous(&contraction, STRATA_SIDE_V, out->tile[1]);
  return rows == STRATA_NO_DIM || !is_read_once
             ? NULL
             : strata_cpu_product_variants(s, contraction.nest->space.sizes[rows], &tiling, out, is_packed);
}

//===-- Kernels --------------------------------------------------------------------------------------------------===//

typedef strata_status_t (*choose_t)(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken);

static const choose_t kinds[][2] = {
#define KERNEL_KIND(id, name, gpu, cpu, work, build, meaning) {gpu, cpu},
#include "dialects/affine/kinds.def"
};

strata_status_t strata_schedule_kernel(strata_compile_t *compile, const strata_gpu_device_t *device,
                                       const strata_machine_t *machine, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called, struct strata_variant_budget *budget) {
  strata_kernel_t kernel;
  strata_schedule_t schedule;
  bool is_taken = false;
  STRATA_TRY(strata_kernel_read(compile->arena, called->func, &kernel));
  strata_scheduling_t s = {
      compile,
      device,
      machine,
      calls,
      called,
      &kernel,
      strata_symbols_used_around(compile->arena, mlirBlockGetFirstOperation(kernel.body)),
      budget,
  };
  for (int kind = STRATA_N_KERNEL_KINDS; kind-- > 0 && !is_taken;)
    STRATA_TRY(kinds[kind][device ? 0 : 1](&s, &schedule, &is_taken));
  strata_schedule_write(called->func, &schedule);
  return device && s.symbols.count ? strata_gpu_variants(&s, &schedule) : NULL;
}

strata_status_t strata_pass_affine_schedule(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile))
    return strata_schedule_gpu(compile);
  strata_machine_t machine;
  strata_calls_t calls;
  STRATA_TRY(strata_machine_of(compile, &machine));
  STRATA_TRY(strata_calls_read(compile, &calls));
  for (size_t i = 0; i < calls.kernels.count; i++)
    STRATA_TRY(strata_schedule_kernel(compile, NULL, &machine, &calls, &calls.kernels.data[i], NULL));
  return NULL;
}
