// The parts of a contraction's kernel on a cpu: contract.c (tasks and their tiles), contract_cpu_pack.c (operands into
// scratch), contract_cpu_tile.c (a register tile and what follows it), contract_cpu_heights.c (rows whose number
// varies).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_CONTRACT_CPU_H
#define STRATA_LOWERING_AFFINE_TO_TILE_CONTRACT_CPU_H

#include "dialects/integers.h"
#include "lowering/affine_to_tile/contract.h"
#include "passes/affine/register_tile.h"

enum { U = STRATA_SIDE_U, V = STRATA_SIDE_V };

typedef struct {
  strata_contraction_kernel_t k;
  bool is_packed[2]; // into scratch, by this kernel
  int64_t square;    // elements of the blocks in which the vector side is turned; 0: it is packed vector by vector
  bool prefetches_panel, prefetches_results;
  int64_t n_segments;   // of the reduction
  MlirValue scratch[2]; // of the packed sides
  int64_t tile[2];
  strata_tile_chunks_t chunks[2];
  strata_size_t extents[2], n_runs[2]; // of the tiled dims; of tasks along them
  MlirValue first[2], end[2];          // what a task does of those that vary
  MlirAffineExpr offset;               // of the elements of a tile of the vector side in its place in scratch
  MlirValue chunk_index[2];
  int n_heights; // of tiles along rows that vary
  int64_t heights[STRATA_REGISTER_TILE_ROWS];
  // While emitting:
  MlirValue height; // of the current tile, where one loop has all of them
  MlirAffineExpr point[STRATA_MAX_DIMS];
  int64_t size[2];                             // of the current tile
  MlirAffineExpr segment;                      // the current one
  MlirAffineExpr base[2];                      // of the current tile
  strata_tile_range_t ranges[STRATA_MAX_DIMS]; // what it does of the reduction's loops
} strata_contract_cpu_t;

static inline bool strata_contract_cpu_varies(const strata_contract_cpu_t *c, int side) {
  return strata_size_varies(c->extents[side]);
}

// Tiles of a task's run.
static inline int64_t strata_contract_cpu_tiles_of_run(const strata_contract_cpu_t *c, int side) {
  return strata_contract_cpu_varies(c, side) ? strata_max(c->chunks[side].chunk, 1) : c->chunks[side].chunk;
}

// The tiles of a side that this task does.
void strata_contract_cpu_side_tiles(strata_tile_builder_t *b, strata_contract_cpu_t *c, int side,
                                    strata_tile_chunk_body_t body);

//===-- Operands (contract_cpu_pack.c) ---------------------------------------------------------------------------===//

// Memory for a side's packed elements.
MlirValue strata_contract_cpu_scratch(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int which);
// A tile of the vector side (a strata_tile_chunk_body_t); the rows of the current tile.
void strata_contract_cpu_pack_columns(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user);
void strata_contract_cpu_pack_rows(strata_tile_builder_t *b, strata_contract_cpu_t *c);
// The |size| columns from |base| on are those of the current tile.
void strata_contract_cpu_enter_columns(strata_tile_builder_t *b, strata_contract_cpu_t *c, int64_t size,
                                       MlirAffineExpr base);
// The factor of a side as a vector of its tile, read from scratch if it was packed.
strata_tile_value_t strata_contract_cpu_side(strata_tile_builder_t *b, strata_contract_cpu_t *c, int which,
                                             strata_tile_frame_t *frame, const MlirAffineExpr *counters);

//===-- The register tile (contract_cpu_tile.c) ------------------------------------------------------------------===//

// What is worth asking for ahead: a panel that does not stay in the first-level cache while rows pass by; results that
// a long sum leaves time for.
STRATA_MUST_CHECK strata_status_t strata_contract_cpu_plan_steps(strata_tile_builder_t *b, strata_contract_cpu_t *c);
// The current tile, with all that follows it.
void strata_contract_cpu_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c);

// Its parts. Emission goes on at the elements of the current tile; its sums.
void strata_contract_cpu_enter_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c);
strata_tile_value_t strata_contract_cpu_sum_tile(strata_tile_builder_t *b, strata_contract_cpu_t *c);
// Math functions in the epilogue: unrolled over a whole register tile they would be most of the code. Then the sums are
// kept in memory for up to |rows| rows, of which |n_rows| are stored one at a time.
bool strata_contract_cpu_epilogue_is_dear(const strata_contract_cpu_t *c);
MlirValue strata_contract_cpu_sums(strata_tile_builder_t *b, const strata_contract_cpu_t *c, int64_t rows);
void strata_contract_cpu_keep_sums(strata_tile_builder_t *b, strata_tile_value_t sums, MlirValue scratch);
void strata_contract_cpu_epilogue(strata_tile_builder_t *b, strata_contract_cpu_t *c, MlirValue scratch,
                                  MlirValue n_rows);

//===-- Rows of any number (contract_cpu_heights.c) --------------------------------------------------------------===//

// Rows whose number varies: whole tiles, then parts of them. Where all of them fit one tile it has just so many, as
// every tile of rows reads the whole other side.
void strata_contract_cpu_plan_heights(strata_contract_cpu_t *c);
// Whether tiles of all heights are one loop: an epilogue that is most of the code is there once.
bool strata_contract_cpu_shares_epilogue(const strata_contract_cpu_t *c);
// A loop over tiles, in which the height chooses the sums.
void strata_contract_cpu_heights(strata_tile_builder_t *b, strata_contract_cpu_t *c);

#endif
