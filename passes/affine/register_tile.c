// See register_tile.h.
#include "passes/affine/register_tile.h"

#include "dialects/integers.h"
#include "passes/target.h"

enum { MAX_VECTORS = STRATA_REGISTER_TILE_VECTORS };

strata_status_t strata_machine_of(strata_compile_t *compile, strata_machine_t *out_machine) {
  const strata_cpu_device_t *device;
  STRATA_TRY(strata_cpu_device(compile, &device));
  *out_machine = (strata_machine_t){device->vector_bytes, device->n_registers, device->l1_bytes, device->l2_bytes};
  return NULL;
}

// Half cycles in which one vector of a panel of |bytes| comes from where the panel stays while rows pass by.
static int64_t stream_cost(const strata_machine_t *machine, int64_t bytes) {
  enum { SECOND_LEVEL = 9, THIRD_LEVEL = 18 };
  return bytes <= machine->l1_bytes ? 0 : bytes <= machine->l2_bytes / 4 * 3 ? SECOND_LEVEL : THIRD_LEVEL;
}

// Half cycles for one reduction step of a tile of |rows| x |vectors| registers, twice: on a core of its own, which does
// two multiply-adds and two loads a cycle, and on half a core, whose other thread leaves it two operations a cycle to
// issue. No accumulator can be added to again within four cycles.
static int64_t step_cost(const strata_tiling_t *t, int64_t rows, int64_t vectors) {
  enum { LATENCY = 8, LOOP = 2 };
  int64_t adds = rows * vectors, loads = rows + vectors, issued = adds + loads + LOOP;
  int64_t stream = vectors * stream_cost(&t->machine, t->steps * vectors * t->machine.vector_bytes);
  int64_t cost = strata_max(adds, loads);
  cost = strata_max(cost, stream);
  return strata_max(cost, LATENCY) + strata_max(issued, LATENCY);
}

static int64_t tile_cost(const strata_tiling_t *t, int64_t rows, int64_t vectors) {
  int64_t cost = 0, lanes = t->machine.vector_bytes / 4;
  int64_t u_tail = t->u % rows, v_tail = strata_ceil_div(t->v % (vectors * lanes), lanes);
  int64_t u_full = t->u / rows, v_full = t->v / (vectors * lanes);
  cost += u_full * v_full * step_cost(t, rows, vectors);
  cost += u_tail ? v_full * step_cost(t, u_tail, vectors) : 0;
  cost += v_tail ? u_full * step_cost(t, rows, v_tail) : 0;
  cost += u_tail && v_tail ? step_cost(t, u_tail, v_tail) : 0;
  return cost;
}

static bool fits(const strata_tiling_t *t, int64_t rows, int64_t vectors) {
  int64_t lanes = t->machine.vector_bytes / 4;
  return rows * vectors + vectors + 1 <= t->machine.registers && (vectors == 1 || (vectors - 1) * lanes < t->v);
}

void strata_register_tile_choose(const strata_tiling_t *t, int64_t *out_tile) {
  int64_t best = INT64_MAX, lanes = t->machine.vector_bytes / 4;
  for (int64_t vectors = 1; vectors <= MAX_VECTORS; vectors++) {
    for (int64_t rows = 1; rows <= STRATA_REGISTER_TILE_ROWS; rows++) {
      if (!fits(t, rows, vectors) || rows > t->u || rows > t->most_rows)
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

int64_t strata_register_tile_width(const strata_tiling_t *t, int64_t rows, int64_t *out_cost) {
  int64_t lanes = t->machine.vector_bytes / 4, width = 1;
  *out_cost = INT64_MAX;
  for (int64_t vectors = 1; vectors <= MAX_VECTORS; vectors++) {
    int64_t cost = fits(t, rows, vectors) ? tile_cost(t, rows, vectors) : INT64_MAX;
    if (cost <= *out_cost && cost < INT64_MAX) {
      *out_cost = cost;
      width = vectors * lanes;
    }
  }
  return strata_min(width, t->v);
}

static int64_t vectors_of(const strata_tiling_t *t, int64_t width) {
  return strata_max(1, strata_ceil_div(width, t->machine.vector_bytes / 4));
}

int64_t strata_register_tile_cost(const strata_tiling_t *t, int64_t rows, int64_t width) {
  return tile_cost(t, rows, vectors_of(t, width));
}

int64_t strata_register_tile_row_cost(const strata_tiling_t *t, int64_t rows, int64_t width) {
  strata_tiling_t one = *t;
  one.u = rows;
  return tile_cost(&one, rows, vectors_of(t, width));
}

bool strata_register_tile_fits(const strata_tiling_t *t, int64_t rows, int64_t width) {
  return fits(t, rows, vectors_of(t, width));
}
