// The pass affine-schedule: how each kernel is carried out. On the cpu (schedule_gpu.c is the same for GPUs):
//
//   func.func private @k0(%x: memref<128x768xf32>, %w: memref<768x768xf32>, %y: ...) { contraction }
// becomes
//   func.func private @k0(%x: ..., %w: memref<24x768x32xf32>, %y: ...)
//       attributes {strata.schedule = {kind = "contract", tile = array<i64: 14, 32>}}
//   func.func private @k0_pack(%w: memref<768x768xf32>, %p: memref<24x768x32xf32>) { one nest }   // called before @k0
//
// The kind follows from the nests. A contraction's register tile is the one with the fewest cycles by a model of the
// machine: multiply-adds, loads, latency and what a core that is shared issues. A vector side that is constant, or
// passed by often, is packed into panels of the tile's width by a kernel of its own; split-prepare takes those of
// constants out of @main. A product without a dim for registers that only one operand has, a depthwise convolution, is
// rows.
#include "dialects/affine/contraction.h"
#include "dialects/integers.h"
#include "dialects/mlir_util.h"
#include "dialects/strata/strata.h"
#include "passes/affine/pack.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/pass.h"
#include "passes/target.h"

//===-- The register tile ----------------------------------------------------------------------------------------===//

typedef struct {
  int64_t vector_bytes, registers, l1_bytes, l2_bytes;
} machine_t;

static strata_status_t machine_of(strata_compile_t *compile, machine_t *out_machine) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  *out_machine = (machine_t){device->vector_bytes, device->n_registers, device->l1_bytes, device->l2_bytes};
  return NULL;
}

// A contraction to be tiled: the extents of its tiled dims, the rows that a tile may have, the reduction's steps.
typedef struct {
  machine_t machine;
  int64_t u, v, most_rows, steps;
} tiling_t;

// Half cycles in which one vector of a panel of |bytes| comes from where the panel stays while rows pass by.
static int64_t stream_cost(const machine_t *machine, int64_t bytes) {
  enum { SECOND_LEVEL = 9, THIRD_LEVEL = 18 };
  return bytes <= machine->l1_bytes ? 0 : bytes <= machine->l2_bytes / 4 * 3 ? SECOND_LEVEL : THIRD_LEVEL;
}

// Half cycles for one reduction step of a tile of |rows| x |vectors| registers, twice: on a core of its own, which does
// two multiply-adds and two loads a cycle, and on half a core, whose other thread leaves it two operations a cycle to
// issue. No accumulator can be added to again within four cycles.
static int64_t step_cost(const tiling_t *t, int64_t rows, int64_t vectors) {
  enum { LATENCY = 8, LOOP = 2 };
  int64_t adds = rows * vectors, loads = rows + vectors, issued = adds + loads + LOOP;
  int64_t stream = vectors * stream_cost(&t->machine, t->steps * vectors * t->machine.vector_bytes);
  int64_t cost = strata_max(adds, loads);
  cost = strata_max(cost, stream);
  return strata_max(cost, LATENCY) + strata_max(issued, LATENCY);
}

static int64_t tile_cost(const tiling_t *t, int64_t rows, int64_t vectors) {
  int64_t cost = 0, lanes = t->machine.vector_bytes / 4;
  int64_t u_tail = t->u % rows, v_tail = strata_ceil_div(t->v % (vectors * lanes), lanes);
  int64_t u_full = t->u / rows, v_full = t->v / (vectors * lanes);
  cost += u_full * v_full * step_cost(t, rows, vectors);
  cost += u_tail ? v_full * step_cost(t, u_tail, vectors) : 0;
  cost += v_tail ? u_full * step_cost(t, rows, v_tail) : 0;
  cost += u_tail && v_tail ? step_cost(t, u_tail, v_tail) : 0;
  return cost;
}

static void choose_tile(const tiling_t *t, int64_t *out_tile) {
  enum { MAX_ROWS = 16, MAX_VECTORS = 8 };
  int64_t best = INT64_MAX, lanes = t->machine.vector_bytes / 4;
  for (int64_t vectors = 1; vectors <= MAX_VECTORS; vectors++) {
    for (int64_t rows = 1; rows <= MAX_ROWS; rows++) {
      bool fits = rows * vectors + vectors + 1 <= t->machine.registers;
      if (!fits || rows > t->u || rows > t->most_rows || (vectors > 1 && (vectors - 1) * lanes >= t->v))
        continue;
      int64_t cost = tile_cost(t, rows, vectors);
      if (cost < best || (cost == best && rows * vectors > out_tile[0] * out_tile[1] / lanes)) {
        best = cost;
        out_tile[0] = rows;
        out_tile[1] = vectors * lanes;
      }
    }
  }
  if (out_tile[1] > t->v)
    out_tile[1] = t->v;
}

//===-- Kinds ----------------------------------------------------------------------------------------------------===//

static MlirAttribute dictionary(MlirContext context, const char *kind, const int64_t *tile) {
  MlirNamedAttribute entries[2] = {
      {mlirIdentifierGet(context, strata_str("kind")), strata_str_attr(context, kind)},
  };
  if (tile)
    entries[1] =
        (MlirNamedAttribute){mlirIdentifierGet(context, strata_str("tile")), strata_i64s_attr(context, 2, tile)};
  return mlirDictionaryAttrGet(context, tile ? 2 : 1, entries);
}

static const char *kind_without_contraction(const strata_kernel_t *kernel) {
  bool has_reduction = false;
  if (kernel->n_nests == 1 && strata_nest_gathers_rows(&kernel->nests[0]))
    return "map";
  for (int i = 0; i < kernel->n_nests; i++) {
    if (!strata_nest_is_vectorizable(&kernel->nests[i]))
      return "scalar";
    has_reduction = has_reduction || kernel->nests[i].n_reduction;
  }
  return has_reduction ? "rows" : "map";
}

// Rows that pass by a panel before it pays to pack a variable operand once, in a launch of its own, rather than in each
// task that reads it.
enum { MIN_REUSE = 512 };

static int64_t side_extent(const strata_contraction_kernel_t *contraction, int side) {
  int dim = contraction->sides[side].tile_dim;
  return dim == STRATA_NO_DIM ? 1 : contraction->nest->extents[dim];
}

// The rows of a tile that are read side by side where they lie: those a multiple of a way apart share sets of the
// first-level cache, and more of them than it has ways drive each other out. A smaller tile costs less than their
// packing (1024 x 1024 x 1024 on two cores of a Zen 4: 9.9 ms by tiles of 8 x 48, 10.1 by panels of 9 rows, and at
// times, for seconds, 10.3 and 12.2).
static int64_t most_rows(const machine_t *machine, const strata_contraction_kernel_t *contraction) {
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

// Of the vector side.
static bool should_pack(const strata_calls_t *calls, const strata_called_kernel_t *called,
                        const strata_contraction_kernel_t *contraction) {
  return strata_contraction_is_plain(contraction, STRATA_SIDE_V) &&
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
    int64_t stride;
    if (is_common && c->nest->extents[dim] >= MIN_EXTENT && strata_access_stride(c->nest, c->store, dim, &stride) &&
        stride == 1)
      return dim;
  }
  return STRATA_NO_DIM;
}

// What is constant lies with the common dim innermost, as the results do.
static strata_status_t schedule_common(strata_compile_t *compile, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called,
                                       const strata_contraction_kernel_t *contraction, int dim) {
  strata_contraction_kernel_t c = *contraction;
  strata_set_attr(called->func, "strata.schedule", dictionary(compile->context, "rows", NULL));
  for (int side = STRATA_SIDE_U; side <= STRATA_SIDE_V; side++) {
    int64_t stride;
    c.sides[side].tile_dim = dim;
    bool lies = strata_access_stride(c.nest, c.sides[side].access, dim, &stride) && stride == 1;
    if (!lies && strata_contraction_is_plain(&c, side) && strata_pack_is_constant(calls, called, &c, side))
      return strata_pack_side(compile, called, &c, side, c.nest->extents[dim]);
  }
  return NULL;
}

static strata_status_t schedule_kernel(strata_compile_t *compile, machine_t machine, const strata_calls_t *calls,
                                       const strata_called_kernel_t *called) {
  MlirOperation func = called->func;
  strata_kernel_t kernel;
  strata_contraction_kernel_t contraction;
  STRATA_TRY(strata_kernel_read(compile->arena, func, &kernel));
  if (!strata_is_contraction(&kernel, &contraction)) {
    strata_set_attr(func, "strata.schedule", dictionary(compile->context, kind_without_contraction(&kernel), NULL));
    return NULL;
  }
  int common = common_dim(&contraction);
  if (common != STRATA_NO_DIM)
    return schedule_common(compile, calls, called, &contraction, common);
  int64_t tile[2] = {1, 1};
  choose_tile(&(tiling_t){machine, side_extent(&contraction, STRATA_SIDE_U), side_extent(&contraction, STRATA_SIDE_V),
                          most_rows(&machine, &contraction), contraction.n_reduced},
              tile);
  strata_set_attr(func, "strata.schedule", dictionary(compile->context, "contract", tile));
  if (!should_pack(calls, called, &contraction))
    return NULL;
  return strata_pack_side(compile, called, &contraction, STRATA_SIDE_V, tile[STRATA_SIDE_V]);
}

strata_status_t strata_pass_affine_schedule(strata_compile_t *compile) {
  if (strata_target_is_gpu(compile))
    return strata_schedule_gpu(compile);
  machine_t machine;
  strata_calls_t calls;
  STRATA_TRY(machine_of(compile, &machine));
  STRATA_TRY(strata_calls_read(compile, &calls));
  for (size_t i = 0; i < calls.kernels.count; i++)
    STRATA_TRY(schedule_kernel(compile, machine, &calls, &calls.kernels.data[i]));
  return NULL;
}
