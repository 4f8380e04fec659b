// Bulk copies: accesses whose elements are boxes of a buffer, which the copy engine moves between global and shared
// memory. docs/gpu.md, tensor maps, gives their form.
#ifndef STRATA_LOWERING_TILE_TO_GPU_BULK_H
#define STRATA_LOWERING_TILE_TO_GPU_BULK_H

#include "dialects/tile/map_limits.h"
#include "lowering/tile_to_gpu/access.h"

enum {
  STRATA_BULK_RANK = STRATA_MAP_RANK,
  STRATA_BULK_WINDOW = STRATA_MAP_WINDOW_RANK,
  STRATA_BULK_EXTENT = STRATA_MAP_MAX_BOX,
  STRATA_BULK_ALIGNMENT = STRATA_MAP_UNIT,
  STRATA_BULK_COORDINATES = STRATA_BULK_RANK + STRATA_BULK_WINDOW
};

// A map with a window: a convolution's operand. Expressions are over the access's index space.
typedef struct {
  int n_dims; // that windows move along; 0: boxes, no window
  int64_t lower[STRATA_BULK_WINDOW], upper[STRATA_BULK_WINDOW], steps[STRATA_BULK_WINDOW];
  MlirAffineExpr first[STRATA_BULK_RANK], offsets[STRATA_BULK_WINDOW]; // a copy's first pixel, its place in the window
  MlirAffineExpr row;                                                  // the first pixel's number, of |n_rows| in all;
  int64_t n_rows;                                                      // 0: not known
} strata_bulk_window_t;

typedef struct {
  strata_gpu_box_t box;
  MlirValue buffer; // the old argument; it begins at a multiple of 16 bytes
  bool is_store;
  MlirOperation pages;                  // of a tile.load_pages that; else null
  int rank;                             // of the map; its dims are innermost first
  int dims[STRATA_BULK_RANK];           // of the buffer; negative: none, of one element
  int inner;                            // dim of the vector that runs along the innermost
  int64_t extents[2];                   // of one copy's box along the vector's dims
  strata_size_t ends[STRATA_BULK_RANK]; // of the map's dims, where the mask ends them in front of the buffer's; else 0
  bool is_dense;                        // of a load: rows lie one behind the other, units unexchanged and f32 unrounded
  bool is_exact;                        // of a load: f32 unrounded
  int clipped;      // of a load: a dim of the map along which the last box ends with the buffer; 0: none
  bool may_miss;    // of such a load: boxes may lie behind the buffer's end, of which nothing comes
  bool reads_ahead; // of a load: the next step's box lies behind this one's, and may come into the cache with it
  strata_bulk_window_t window;
} strata_bulk_t;

// What a copy must be: boxes of at most |most| elements along each dim of the vector, those along the inner one filling
// |span| bytes, or the whole vector's extent where that is less. A load's last boxes may hang over the vector's end.
typedef struct {
  int64_t most[2];
  int64_t span;
  bool is_store; // nothing may be written that the access does not; a load's rows (dim 0) may hang
  // Of a load without a mask, if |every| is more than 1: of the vector's dim 1 the elements |phase|, |phase| + |every|,
  // ... alone, which a box has side by side.
  int64_t every, phase;
  bool splits_rows; // a dim of the buffer that is rows side by side, which the mask ends, may be two dims of the map
} strata_bulk_limits_t;

// True if the tile.load or tile.store whose buffer is operand |buffer| of |op| can be done so; |type|: its value's, of
// rank 2. Emits nothing.
bool strata_bulk_read(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type,
                      const strata_bulk_limits_t *limits, strata_bulk_t *out_bulk);
// The same of a load that follows windows, all of it in one copy whose rows are spans (bulk_window.c).
bool strata_bulk_read_window(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type, int64_t span,
                             strata_bulk_t *out_bulk);
// For it: what the access says; whether strides, spans and the mask suit the copy engine.
bool strata_bulk_read_box(strata_gpu_distribution_t *d, MlirOperation op, int buffer, MlirType type,
                          strata_bulk_t *bulk);
bool strata_bulk_fits(strata_bulk_t *bulk, MlirOperation op, int buffer, const strata_bulk_limits_t *limits);
// Makes a load's first dim, whose boxes are |span| elements then, |extent| long; false: they are not all boxes.
bool strata_bulk_widen(strata_bulk_t *bulk, int64_t extent, int64_t span);
// How many rows there are along the vector's, of which each of a load's boxes has all of a tile's; false: that is not
// known.
bool strata_bulk_count_rows(const strata_bulk_t *bulk, strata_size_t *out_rows);
// The box of such a load in which the rows end has no more than there are, which are no multiple of a tile's: what
// shared memory has behind them then is anything. |may_miss|: there are tasks, or divisions, behind them.
void strata_bulk_clip(strata_bulk_t *bulk, bool may_miss);
// How many rows the running task's tile has of a load that is clipped.
MlirValue strata_bulk_rows(strata_gpu_distribution_t *d, const strata_bulk_t *bulk);
// The number of the kernel's map for whole boxes of |bulk| with rows of |span| bytes.
int64_t strata_bulk_map(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, int64_t span);
// Emits the coordinates of the box at |offsets| along the vector's dims, innermost first, and behind them the offsets
// in the window; returns how many: at most STRATA_BULK_COORDINATES.
int strata_bulk_coordinates(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets,
                            MlirValue *out);
// The same from those at no offsets, |base|, unless that begins with null.
int strata_bulk_coordinates_from(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const MlirValue *base,
                                 const int64_t *offsets, MlirValue *out);

// Copies that all of |bulk| takes.
int64_t strata_bulk_copies(const strata_bulk_t *bulk);
// Where a box goes: element |at| of |memory|; slot |slot| of |barriers| is told of its bytes. |blocks|: bits of the
// blocks of the cluster that all get it, at the same place each; null: the own one alone.
typedef struct {
  MlirValue memory, at, barriers, slot, blocks;
} strata_bulk_target_t;
// By one thread: has the box at |offsets| along the vector's dims copied, its rows of |span| bytes.
void strata_bulk_load(strata_gpu_distribution_t *d, const strata_bulk_t *bulk, const int64_t *offsets, int64_t span,
                      const strata_bulk_target_t *to);

#endif
