// Rows whose number varies, of a contraction on a cpu: tiles of several heights, each with its own code, or all of them
// in one loop whose epilogue is there once.
#include "lowering/affine_to_tile/contract_cpu.h"

#include "lowering/expand/ops.h"

#include <string.h>

void strata_contract_cpu_plan_heights(strata_contract_cpu_t *c) {
  int64_t most = strata_size_max(c->extents[U]), least = strata_max(1, strata_size_min(c->extents[U]));
  for (int64_t rows = most; most <= c->tile[U] && rows >= least; rows--)
    c->heights[c->n_heights++] = rows;
  for (int64_t rows = c->tile[U]; most > c->tile[U] && rows > 0; rows = strata_register_tile_part(rows))
    c->heights[c->n_heights++] = rows;
}

// How many tiles |n| rows are.
static MlirValue count_tiles(strata_tile_builder_t *b, const strata_contract_cpu_t *c, MlirValue n) {
  MlirValue count = {NULL};
  for (int i = 0; i < c->n_heights; i++) {
    MlirValue height = strata_emit_index(&b->e, c->heights[i]),
              tiles = strata_emit_binary(&b->e, "arith.divui", n, height);
    count = i ? strata_emit_binary(&b->e, "arith.addi", count, tiles) : tiles;
    n = strata_emit_binary(&b->e, "arith.remui", n, height);
  }
  return count;
}

// The rows of the first tile of |left| rows.
static MlirValue next_height(strata_tile_builder_t *b, const strata_contract_cpu_t *c, MlirValue left) {
  MlirValue height = strata_emit_index(&b->e, c->heights[c->n_heights - 1]);
  for (int i = c->n_heights - 1; i-- > 0;) {
    MlirValue taller = strata_emit_index(&b->e, c->heights[i]);
    height = strata_emit_select(&b->e, strata_emit_cmpi(&b->e, STRATA_UGE, left, taller), taller, height);
  }
  return height;
}

// The sums of a tile of |rows| rows, where it is one.
static void sum_rows(strata_tile_builder_t *b, strata_contract_cpu_t *c, int64_t rows, MlirValue scratch) {
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  strata_loop_t branch =
      strata_emit_if_begin(&b->e, strata_emit_cmpi(&b->e, STRATA_EQ, c->height, strata_emit_index(&b->e, rows)));
  c->size[U] = rows;
  memset(c->ranges, 0, sizeof c->ranges);
  for (int side = U; side <= V && !strata_nest_sums_vary(c->k.nest); side++)
    strata_tile_contract_window(b, &c->k, side, c->point, c->base[side], c->size[side], c->ranges);
  strata_contract_cpu_enter_tile(b, c);
  strata_tile_value_t sums = strata_contract_cpu_sum_tile(b, c);
  if (!b->status)
    strata_contract_cpu_keep_sums(b, sums, scratch);
  strata_emit_if_end(&b->e, branch);
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

static void any_tile(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user) {
  strata_contract_cpu_t *c = user;
  strata_tile_known_t *known = b->known;
  int n_symbols = b->space.n_symbols;
  strata_contract_cpu_enter_columns(b, c, size, base);
  MlirValue scratch = strata_contract_cpu_sums(b, c, c->heights[0]);
  for (int i = 0; i < c->n_heights && !b->status; i++)
    sum_rows(b, c, c->heights[i], scratch);
  c->size[U] = 1;
  strata_contract_cpu_enter_tile(b, c);
  if (!b->status)
    strata_contract_cpu_epilogue(b, c, scratch, c->height);
  b->space.n_vector = 0;
  b->space.n_symbols = n_symbols;
  b->known = known;
}

bool strata_contract_cpu_shares_epilogue(const strata_contract_cpu_t *c) {
  return strata_contract_cpu_varies(c, U) && c->n_heights > 1 && !c->is_packed[U] &&
         strata_contract_cpu_epilogue_is_dear(c);
}

void strata_contract_cpu_heights(strata_tile_builder_t *b, strata_contract_cpu_t *c) {
  MlirValue n_tiles = count_tiles(b, c, strata_emit_binary(&b->e, "arith.subi", c->end[U], c->first[U])), row, next;
  strata_loop_t loop = strata_emit_for_begin(&b->e, strata_emit_index(&b->e, 0), n_tiles, 1, 1, &c->first[U], &row);
  c->height = next_height(b, c, strata_emit_binary(&b->e, "arith.subi", c->end[U], row));
  int n_symbols = b->space.n_symbols;
  c->base[U] = strata_tile_counter(b, row, c->extents[U]);
  strata_contract_cpu_side_tiles(b, c, V, any_tile);
  next = strata_emit_binary(&b->e, "arith.addi", row, c->height);
  strata_emit_for_end(&b->e, loop, 1, &next, &row);
  b->space.n_symbols = n_symbols;
}
