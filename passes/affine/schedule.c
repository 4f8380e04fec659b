// The pass affine-schedule: how each kernel is carried out. On the cpu (schedule_gpu.c is the same for GPUs):
//
//   func.func private @k0(%x: memref<128x768xf32>, %w: memref<768x768xf32>, %y: ...) { contraction }
// becomes
//   func.func private @k0(%x: ..., %w: memref<24x768x32xf32>, %y: ...)
//       attributes {strata.schedule = {kind = "contract", tile = array<i64: 14, 32>}}
//   func.func private @k0_pack(%w: memref<768x768xf32>, %p: memref<24x768x32xf32>) { one nest }   // called before @k0
//
// The kind follows from the nests. A contraction's register tile is the one with the fewest cycles by a model of the
// machine: multiply-adds, loads and latency. An operand that is constant is packed into panels of the tile's width by a
// kernel of its own, which split-prepare then takes out of @main.
#include "dialects/affine/contraction.h"
#include "dialects/mlir_util.h"
#include "passes/affine/pack.h"
#include "passes/affine/schedule_gpu.h"
#include "passes/pass.h"
#include "passes/target.h"

//===-- The register tile ----------------------------------------------------------------------------------------===//

typedef struct {
  int64_t lanes; // accumulator elements a register
  int64_t registers;
} machine_t;

static strata_status_t machine_of(strata_compile_t *compile, machine_t *out_machine) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  *out_machine = (machine_t){.lanes = device->vector_bytes / 4, .registers = device->n_registers};
  return NULL;
}

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Half cycles for one reduction step of a tile of |rows| x |vectors| registers: two multiply-adds and two loads a
// cycle, and no accumulator can be added to again within four cycles.
static int64_t step_cost(int64_t rows, int64_t vectors) {
  int64_t adds = rows * vectors, loads = rows + vectors;
  int64_t cost = adds > loads ? adds : loads;
  return cost > 8 ? cost : 8;
}

static int64_t tile_cost(int64_t u, int64_t v, int64_t rows, int64_t vectors, int64_t lanes) {
  int64_t cost = 0;
  int64_t u_tail = u % rows, v_tail = ceil_div(v % (vectors * lanes), lanes);
  int64_t u_full = u / rows, v_full = v / (vectors * lanes);
  cost += u_full * v_full * step_cost(rows, vectors);
  cost += u_tail ? v_full * step_cost(u_tail, vectors) : 0;
  cost += v_tail ? u_full * step_cost(rows, v_tail) : 0;
  cost += u_tail && v_tail ? step_cost(u_tail, v_tail) : 0;
  return cost;
}

static void choose_tile(machine_t machine, int64_t u, int64_t v, int64_t *out_tile) {
  enum { MAX_ROWS = 16, MAX_VECTORS = 8 };
  int64_t best = INT64_MAX;
  for (int64_t vectors = 1; vectors <= MAX_VECTORS; vectors++) {
    for (int64_t rows = 1; rows <= MAX_ROWS; rows++) {
      bool fits = rows * vectors + vectors + 1 <= machine.registers;
      if (!fits || rows > u || (vectors > 1 && (vectors - 1) * machine.lanes >= v))
        continue;
      int64_t cost = tile_cost(u, v, rows, vectors, machine.lanes);
      if (cost < best || (cost == best && rows * vectors > out_tile[0] * out_tile[1] / machine.lanes)) {
        best = cost;
        out_tile[0] = rows;
        out_tile[1] = vectors * machine.lanes;
      }
    }
  }
  if (out_tile[1] > v)
    out_tile[1] = v;
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
  int64_t tile[2] = {1, 1};
  int u = contraction.sides[STRATA_SIDE_U].tile_dim, v = contraction.sides[STRATA_SIDE_V].tile_dim;
  choose_tile(machine, u == STRATA_NO_DIM ? 1 : contraction.nest->extents[u], contraction.nest->extents[v], tile);
  strata_set_attr(func, "strata.schedule", dictionary(compile->context, "contract", tile));
  if (!strata_contraction_is_plain(&contraction, STRATA_SIDE_V))
    return NULL;
  bool is_reused = u != STRATA_NO_DIM && contraction.nest->extents[u] >= MIN_REUSE;
  if (!is_reused && !strata_pack_is_constant(calls, called, &contraction, STRATA_SIDE_V))
    return NULL;
  return strata_pack_side(compile, called, &contraction, STRATA_SIDE_V, tile[1]);
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
