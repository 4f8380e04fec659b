// The parts of an attention kernel on a cpu: attention_cpu.c (tasks, both products), attention_cpu_pack.c (operands
// into scratch), attention_cpu_rows.c (what lies between the products), attention_cpu_blocks.c (blocks of columns,
// where rows or columns vary).
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_ATTENTION_CPU_H
#define STRATA_LOWERING_AFFINE_TO_TILE_ATTENTION_CPU_H

#include "lowering/affine_to_tile/attention.h"

typedef struct {
  strata_tile_attention_t t;
  int64_t tile_rows; // of both products
  int64_t square;    // elements of a block that is turned in registers
  strata_tile_chunks_t rows, columns, values;
  bool packs_once, packs_values;
  uint32_t shared;                               // dims that tasks walk: neither keys nor values have them
  int64_t n_shared, batch;                       // points of those; of the others
  MlirValue queries, keys, panels, scores, sums; // scratch
  // In hand: a block of rows, a row of it, tiles.
  int64_t n_rows;
  MlirAffineExpr first_row, row, base;
  MlirValue seen; // columns that the block's rows see; null: all
  MlirValue maximum;
  // Where columns are done in blocks: sizes of the dims that tiles span, rows of a task, and scratch for each of them.
  bool is_blocked;
  strata_size_t row_size, column_size;
  int64_t run_rows;
  MlirValue results, maxima, factors;
  MlirAffineExpr block, local_row; // in hand: the block's first column; the first row, counted from the task's first
  MlirValue n_columns, row_end;    // columns of the block that are there, and that a row sees
} strata_attention_cpu_t;

int64_t strata_attention_cpu_extent(const strata_attention_cpu_t *c, int dim);
int64_t strata_attention_cpu_head(const strata_attention_cpu_t *c);

// What is emitted between the two has symbols and known values of its own.
typedef struct {
  int n_symbols;
  strata_tile_known_t *known;
} strata_attention_scope_t;

strata_attention_scope_t strata_attention_scope_begin(const strata_tile_builder_t *b);
void strata_attention_scope_end(strata_tile_builder_t *b, strata_attention_scope_t scope);

// The tile's vector dims have these sizes from here on; those of |axes| that are longer than one.
void strata_attention_cpu_axes(strata_tile_builder_t *b, int64_t rows, int64_t values, int64_t columns, int64_t heads);
uint32_t strata_attention_cpu_long_axes(const strata_tile_builder_t *b, uint32_t axes);
// |base| and the elements behind it along |axis|.
MlirAffineExpr strata_attention_cpu_along(strata_tile_builder_t *b, int axis, MlirAffineExpr base);
strata_tile_value_t strata_attention_cpu_widened(strata_tile_builder_t *b, strata_tile_value_t value);

//===-- Tiles of columns -----------------------------------------------------------------------------------------===//

// Whole tiles of columns that the block's rows see; null: all of them.
MlirValue strata_attention_cpu_seen_tiles(strata_tile_builder_t *b, const strata_attention_cpu_t *c);

typedef void (*strata_attention_columns_t)(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size,
                                           MlirValue *carried);

// |body| for whole tiles from |first| to |end|; null values: from the first to the last.
void strata_attention_cpu_tiles(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue first, MlirValue end,
                                strata_attention_columns_t body, MlirValue *carried);
// The columns behind the last whole tile, and |body| for them, seen or not.
int64_t strata_attention_cpu_tail_size(const strata_attention_cpu_t *c);
void strata_attention_cpu_tail(strata_tile_builder_t *b, strata_attention_cpu_t *c, strata_attention_columns_t body,
                               MlirValue *carried);

// |column| of the block in hand, as one of all columns.
MlirAffineExpr strata_attention_cpu_column(strata_tile_builder_t *b, const strata_attention_cpu_t *c,
                                           MlirAffineExpr column);

//===-- The products (attention_cpu.c) ---------------------------------------------------------------------------===//

// A tile of scores (a strata_attention_columns_t); one step of a tile of results, along |dims|, whose panel is |panel|;
// what is stored of a tile of sums.
void strata_attention_cpu_score(strata_tile_builder_t *b, strata_attention_cpu_t *c, int64_t size, MlirValue *unused);
void strata_attention_cpu_add(strata_tile_builder_t *b, strata_attention_cpu_t *c, uint32_t dims, MlirAffineExpr panel,
                              MlirAffineExpr column, MlirValue *sum);
void strata_attention_cpu_store(strata_tile_builder_t *b, strata_attention_cpu_t *c, strata_tile_value_t result);
MlirValue strata_attention_cpu_scratch(strata_tile_builder_t *b, int rank, const int64_t *sizes);

// Where batches vary: dims but for those of |others| at the place of |task|, of |n_tasks|, neighbours |stride| apart.
void strata_attention_cpu_place(strata_tile_builder_t *b, strata_attention_cpu_t *c, uint32_t others, MlirValue task,
                                strata_size_t stride, strata_size_t n_tasks);
// Points of batches and heads but for those of |others|.
strata_size_t strata_attention_cpu_batches(const strata_attention_cpu_t *c, uint32_t others);

//===-- Blocks of columns (attention_cpu_blocks.c) ---------------------------------------------------------------===//

STRATA_MUST_CHECK strata_status_t strata_attention_cpu_blocks(strata_tile_builder_t *b, strata_attention_cpu_t *c);

//===-- Operands (attention_cpu_pack.c) --------------------------------------------------------------------------===//

// Of the block's rows; a panel of a tile's columns (a strata_tile_chunk_body_t); panels of all values.
void strata_attention_cpu_pack_queries(strata_tile_builder_t *b, strata_attention_cpu_t *c);
void strata_attention_cpu_pack_keys(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user);
void strata_attention_cpu_pack_values(strata_tile_builder_t *b, strata_attention_cpu_t *c);

// A row of values, that of column c->base, into the panels.
void strata_attention_cpu_pack_value_row(strata_tile_builder_t *b, strata_attention_cpu_t *c);

// The number of the panel that begins at |base|.
MlirAffineExpr strata_attention_cpu_panel(strata_tile_builder_t *b, MlirAffineExpr base, int64_t tile);

//===-- Between the products (attention_cpu_rows.c) --------------------------------------------------------------===//

// Weights in place of the block's products, and the sums of their rows.
void strata_attention_cpu_weigh(strata_tile_builder_t *b, strata_attention_cpu_t *c);
// The same of a block of columns, beside what the rows have of those in front.
void strata_attention_cpu_weigh_block(strata_tile_builder_t *b, strata_attention_cpu_t *c, MlirValue n_tiles);

#endif
