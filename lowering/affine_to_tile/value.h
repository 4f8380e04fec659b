// Block-level values: what a nest computes, evaluated at a tile of points.
//
// A *tile space* names the points: up to STRATA_TILE_RANK vector dims with static sizes, and symbols (loop counters,
// task numbers) bound to index values. A coordinate is an affine expression over both: dims 0.. are the vector dims,
// dims STRATA_TILE_RANK.. the symbols, each with an extent so that maps simplify; where it
// varies, sizes are symbols of maps as well (dialects/affine/symbols.h).
//
// strata_tile_load evaluates a buffer at coordinates. A buffer that another nest of the kernel produces is computed
// there and then by composing maps (the store is injective, so it can be inverted): that is all that fusion is. Values
// already computed at the same point of the code are reused.
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_VALUE_H
#define STRATA_LOWERING_AFFINE_TO_TILE_VALUE_H

#include "dialects/affine/kernel.h"
#include "dialects/affine/schedule.h"
#include "dialects/affine/symbols.h"
#include "lowering/emit/emit.h"

enum { STRATA_TILE_RANK = 4, STRATA_TILE_SYMBOLS = 28, STRATA_TILE_DIMS = STRATA_TILE_RANK + STRATA_TILE_SYMBOLS };
enum { STRATA_TILE_BOUNDS = STRATA_TILE_RANK };

typedef struct {
  int n_vector, n_symbols;
  int64_t extents[STRATA_TILE_RANK]; // of vector dims
  strata_size_t counts[STRATA_TILE_SYMBOLS];
  MlirValue symbols[STRATA_TILE_SYMBOLS];
} strata_tile_space_t;

// A value that varies along the vector dims in |dims| (a mask): a vector of their sizes in order, a scalar if none.
typedef struct {
  MlirValue value;
  uint32_t dims;
} strata_tile_value_t;

// A value known at some coordinates of a buffer: a reduction's result, an accumulator, a copy in scratch memory.
typedef struct strata_tile_known {
  MlirValue buffer;
  int rank;
  MlirAffineExpr coordinates[STRATA_MAX_DIMS];
  strata_tile_value_t value;
  bool in_guard; // known where a guard holds: elements beyond are anything
  struct strata_tile_known *next;
} strata_tile_known_t;

// A buffer of the kernel kept in other memory for the time being: reads of |buffer| at (c...) are reads of |memory| at
// map(c...), which is over the same tile dims.
typedef struct strata_tile_moved {
  MlirValue buffer, memory;
  int rank; // of memory
  // Which coordinate of |buffer| indexes each dim of |memory|.
  int coordinate[STRATA_MAX_DIMS];
  struct strata_tile_moved *next;
} strata_tile_moved_t;

typedef struct {
  strata_emitter_t e;
  strata_compile_t *compile;
  const strata_kernel_t *kernel;
  strata_size_symbols_t sizes; // of the module, where the kernel uses them
  strata_schedule_t schedule;
  strata_tile_space_t space;
  strata_tile_known_t *known;
  strata_tile_moved_t *moved;
  // What holds for the points that exist, of tiles that hang over an edge: each expression is >= 0 there. Loads and
  // stores are masked by those that depend on one of their vector dims.
  int n_bounds;
  MlirAffineExpr bounds[STRATA_TILE_BOUNDS];
  int depth;              // producers being computed for one another; more than there are nests would be a cycle
  int guard_depth;        // inside a guard, reads may fall outside their buffers
  bool reads_beyond;      // what does not exist may be anything: no mask where it lies in memory all the same
  bool tails_hold;        // where guards marked strata.tail are known to hold
  bool widens_choices;    // what is chosen among rounded values is chosen before they are rounded, if it is widened
  strata_status_t status; // the first error; everything after it is meaningless
} strata_tile_builder_t;

// Adds a symbol in [0, extent) bound to |value|; returns its coordinate expression.
MlirAffineExpr strata_tile_symbol(strata_tile_builder_t *b, MlirValue value, int64_t extent);
MlirAffineExpr strata_tile_counter(strata_tile_builder_t *b, MlirValue value, strata_size_t extent);
// The coordinate expression of vector dim |dim|; a constant.
MlirAffineExpr strata_tile_vector_dim(strata_tile_builder_t *b, int dim);
MlirAffineExpr strata_tile_constant(strata_tile_builder_t *b, int64_t value);
MlirAffineExpr strata_tile_simplify(strata_tile_builder_t *b, MlirAffineExpr expr);
// base + scale * expr, simplified.
MlirAffineExpr strata_tile_scaled(strata_tile_builder_t *b, MlirAffineExpr expr, int64_t scale, MlirAffineExpr base);

// The dims that expressions are over, and the sizes that vary, kept in |storage|. Vector dims and symbols that do not
// exist (yet) have one point.
const strata_space_t *strata_tile_space(const strata_tile_builder_t *b, strata_static_space_t *storage);

// The index value of an expression without vector dims; of a size.
MlirValue strata_tile_index(strata_tile_builder_t *b, MlirAffineExpr expr);
MlirValue strata_tile_size(strata_tile_builder_t *b, strata_size_t size);
// Whether all guards of the reduction of |nest| that are marked strata.tail hold at |point|'s parallel dims, whatever
// those of the reduction are; null where there are none.
MlirValue strata_tile_tails_hold(strata_tile_builder_t *b, const strata_nest_t *nest, const MlirAffineExpr *point);
// The same of an expression over dims, which |values| are, 2 at most, and sizes; over |value| alone.
MlirValue strata_tile_index_over(strata_tile_builder_t *b, MlirAffineExpr expr, int n, const MlirValue *values);
MlirValue strata_tile_index_of(strata_tile_builder_t *b, MlirAffineExpr expr, MlirValue value);

// The points of |nest|'s parallel dims are |coordinates|; evaluates the nest's straight-line part (not its reduction)
// and returns the value it stores into |store|'s buffer.
strata_tile_value_t strata_tile_stored_value(strata_tile_builder_t *b, const strata_nest_t *nest,
                                             const strata_access_t *store, const MlirAffineExpr *coordinates);

// A bound more: |coordinate| is below |extent|.
void strata_tile_bound(strata_tile_builder_t *b, MlirAffineExpr coordinate, strata_size_t extent);
// Where all of |n| expressions, one at least, are not negative: an i1, or a vector of them.
strata_tile_value_t strata_tile_within(strata_tile_builder_t *b, int n, const MlirAffineExpr *exprs);

// The value of |buffer| at |coordinates|.
strata_tile_value_t strata_tile_load(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                     const MlirAffineExpr *coordinates);
// The same in pages, whose numbers |pages| are, of which the first coordinate says which; whatever bounds there are.
strata_tile_value_t strata_tile_load_pages(strata_tile_builder_t *b, MlirValue buffer, int rank,
                                           const MlirAffineExpr *coordinates, int n_pages, const MlirValue *pages);
// Stores |value| at |coordinates|; it is broadcast along vector dims it does not vary in.
void strata_tile_store(strata_tile_builder_t *b, strata_tile_value_t value, MlirValue buffer, int rank,
                       const MlirAffineExpr *coordinates);

// The coordinates of an access of |nest| at a point of its dims.
int strata_tile_access_coordinates(strata_tile_builder_t *b, const strata_nest_t *nest, const strata_access_t *access,
                                   const MlirAffineExpr *point, MlirAffineExpr *out_coordinates);

// Elements of |buffer| in a line of the cpu's caches.
int64_t strata_tile_line_elements(MlirValue buffer);

// A hint that |buffer| is used at |coordinates| soon, by loads or by stores: one prefetch a cache line, into the
// first-level cache or the second-level one. Some of it may lie beyond the buffer's end.
void strata_tile_prefetch(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                          int level);

// Registers what is known; it holds until the block it was emitted in ends: callers save and restore b->known.
void strata_tile_know(strata_tile_builder_t *b, MlirValue buffer, int rank, const MlirAffineExpr *coordinates,
                      strata_tile_value_t value);

// Evaluation of a nest's scalar code at a point: maps its SSA values to tile values.
typedef struct {
  MlirValue scalar;
  strata_tile_value_t value;
} strata_tile_binding_t;

// The counter of a loop inside a serial nest.
typedef struct {
  MlirValue value;
  MlirAffineExpr expr;
} strata_tile_index_t;

typedef struct {
  const strata_nest_t *nest;
  const MlirAffineExpr *point; // of all dims of the nest, reduction dims included where they are in scope
  STRATA_VECTOR(strata_tile_binding_t) values;
  STRATA_VECTOR(strata_tile_index_t) indices;
} strata_tile_frame_t;

// Binds a scalar SSA value of the nest (a carried value, a loop result).
void strata_tile_bind(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar,
                      strata_tile_value_t value);
// The tile value of a scalar SSA value, evaluating the ops it depends on.
strata_tile_value_t strata_tile_evaluate(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirValue scalar);

// The same of a read at numbers from memory (value_loops.c).
strata_tile_value_t strata_tile_row_load(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op);
// Evaluates a loop and binds its results (value_loops.c).
void strata_tile_loop(strata_tile_builder_t *b, strata_tile_frame_t *frame, MlirOperation op);

// A reduction whose results |frame| has bound: what the nest stores of them is known from here on, and stored if it is
// asked for.
void strata_tile_finish(strata_tile_builder_t *b, strata_tile_frame_t *frame);

// |value| as a vector over exactly |dims| (a superset of its own); a scalar if |dims| is empty.
MlirValue strata_tile_broadcast(strata_tile_builder_t *b, strata_tile_value_t value, uint32_t dims);
// The vector type over |dims| with element type |element|; |element| itself if |dims| is empty.
MlirType strata_tile_type(strata_tile_builder_t *b, MlirType element, uint32_t dims);

void strata_tile_fail(strata_tile_builder_t *b, const char *format, ...) STRATA_PRINTF(2, 3);

#endif
