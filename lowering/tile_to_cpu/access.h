// How a tile.load or tile.store walks its buffer: the op's map, and what is known of it.
//
// The map's symbols are index values of the kernel, most of them loop counters with constant bounds. Replaced by
// counters with known extents, the map often simplifies: (s + d) floordiv 64 with s = 16 t and d < 16 is linear in d.
// Addresses are emitted from the map as it was given; decisions are taken on the simplified one. Sizes that vary are
// symbols of the module in both; in the simplified one they follow those that stand for values nothing is known of.
#ifndef STRATA_LOWERING_TILE_TO_CPU_ACCESS_H
#define STRATA_LOWERING_TILE_TO_CPU_ACCESS_H

#include "dialects/affine/symbols.h"
#include "lowering/tile_to_cpu/distribute.h"

enum { STRATA_ACCESS_DIMS = 40, STRATA_ACCESS_SYMBOLS = 296, STRATA_BUFFER_RANK = 24 };

typedef struct {
  int n_vector; // dims of the vector
  int n_symbols;
  MlirValue symbols[STRATA_ACCESS_DIMS]; // new values
  int rank;                              // of the buffer
  strata_size_t sizes[STRATA_BUFFER_RANK];
  MlirValue flat; // the buffer as a memref of rank 1

  // Over the vector's dims, then the symbols as dims: the coordinates and the row-major position.
  MlirAffineExpr coordinates[STRATA_BUFFER_RANK], position;
  // The same over the vector's dims, then counters; simplified with the extents of both.
  int n_known;
  int64_t extents[STRATA_ACCESS_DIMS];
  MlirAffineExpr varying[STRATA_ACCESS_DIMS]; // a counter's extent where it is no number, over known symbols; else null
  MlirAffineExpr known_coordinates[STRATA_BUFFER_RANK], known_position;

  bool is_linear;                    // the position is linear in all dims of the vector ...
  int64_t steps[STRATA_VECTOR_RANK]; // ... with these coefficients
  MlirValue base;                    // then: the position at the origin of the vector
} strata_box_t;

// Reads |op|: its buffer is operand |buffer|, its symbols follow; |vector| is the type of the value that moves.
STRATA_MUST_CHECK strata_status_t strata_box_read(strata_distribution_t *d, MlirOperation op, int buffer,
                                                  MlirType vector, strata_box_t *out_box);

// The same buffer walked with vector dim |dim| and the innermost one swapped.
strata_box_t strata_box_swap(const strata_box_t *box, int dim);

// The coefficient of the innermost dim in |known| over |length| elements from |point| on; false if it is not linear.
bool strata_box_step(const strata_box_t *box, MlirAffineExpr known, const int64_t *point, int64_t length,
                     int64_t *out_step);
// True if |known| lies in [0, size) for all of them.
bool strata_box_inside(const strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr known,
                       const int64_t *point, int64_t length, strata_size_t size);
// True if all its sizes are numbers.
bool strata_box_is_static(const strata_box_t *box);

// True if the position at |point| is a multiple of |factor|, whatever the counters.
bool strata_box_is_multiple(const strata_box_t *box, const int64_t *point, int64_t factor);

// A size of the buffer.
MlirValue strata_box_size(strata_distribution_t *d, const strata_box_t *box, int dim);
// Emits an expression over the vector's dims and the symbols at a point of the vector; the position at a point.
MlirValue strata_box_emit(strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr expr, const int64_t *point);
MlirValue strata_box_position(strata_distribution_t *d, strata_box_t *box, const int64_t *point);
// Emits the expression at |length| points along the innermost dim from |point| on, as a vector of |element|,
// a signless integer type.
MlirValue strata_box_emit_lanes(strata_distribution_t *d, const strata_box_t *box, MlirAffineExpr expr,
                                const int64_t *point, int64_t length, MlirType element);

#endif
