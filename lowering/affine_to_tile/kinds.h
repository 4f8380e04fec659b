// The kinds of kernels of kinds.def: each function appends one scf.forall that carries out all of the
// kernel's nests. They return an error (and may leave unfinished IR, which the caller removes) where a kernel is not of
// the kind.
#ifndef STRATA_LOWERING_AFFINE_TO_TILE_KINDS_H
#define STRATA_LOWERING_AFFINE_TO_TILE_KINDS_H

#include "lowering/affine_to_tile/value.h"

#define KERNEL_KIND(id, name, gpu, cpu, work, cpu_work, build, meaning)                                                \
  STRATA_MUST_CHECK strata_status_t build(strata_tile_builder_t *b);
#include "dialects/affine/kinds.def"

// The product of tiles |left| (rows, steps) and |right| (columns, steps), added to |sum|, by the matrix instruction
// |mma|; empty: multiply-adds.
MlirValue strata_tile_emit_contract(strata_tile_builder_t *b, MlirValue left, MlirValue right, MlirValue sum,
                                    MlirStringRef mma);
// The one row of an operand without rows, over vector dim 2, as a load of all rows, vector dim 0, of the tile, which
// the copy engine brings as it is; null if it is computed.
MlirValue strata_tile_load_rows(strata_tile_builder_t *b, MlirValue row, uint32_t dims);

// Drops the arguments of |n| kernels that their level 3 has no use for, and calls for nothing but those (unread.c).
void strata_tile_drop_unread(strata_compile_t *compile, size_t n, const MlirOperation *kernels);

//===-- Walking an iteration space -------------------------------------------------------------------------------===//

// The points of some loops outside and one vectorized dim inside: |outer| has one coordinate an outer dim, |vector| is
// the coordinate of the vectorized dim (the last vector dim of the space, whose extent is the tile's size).
typedef void (*strata_tile_body_t)(strata_tile_builder_t *b, const MlirAffineExpr *outer, MlirAffineExpr vector,
                                   void *user);

// The iterations of a loop that are done; null values: all.
typedef struct {
  MlirValue first, end;
} strata_tile_range_t;

typedef struct {
  int n_outer;
  const strata_size_t *outer;        // extents
  const strata_tile_range_t *ranges; // of the loops over outer dims, where these are not NULL
  strata_size_t vector;              // extent of the vectorized dim; 1: there is none
  int64_t tile;                      // elements of a full tile along it
  int64_t work;                      // of one outer point: elements touched, which decides how many tasks there are
  int64_t cross_tile;                // if not 0: elements along outer dim |cross|, which is tiled too (a transposition)
  int cross;
} strata_tile_walk_t;

// Emits the forall over tasks and the loops in it, and |body| for full tiles and, if there is one, for the tail.
void strata_tile_walk(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body, void *user);

// strata_tile_walk on a GPU (loops_gpu.c): every tile of every outer point is a task, those along the vectorized dim
// one after the other, then those along the last outer dim. A tail is a branch on the task, which a group of threads
// takes or leaves as one; tiles of two dims are masked where they hang over an edge.
void strata_tile_walk_gpu(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body,
                          void *user);

// The same as sequential loops where the builder stands, the vectorized dim innermost.
void strata_tile_walk_here(strata_tile_builder_t *b, const strata_tile_walk_t *walk, strata_tile_body_t body,
                           void *user);

// One sequential loop over [0, extent); returns the coordinate. Close with strata_tile_loop_end.
typedef struct {
  strata_loop_t loop;
  bool is_real; // a loop of one iteration is none
  int n_symbols;
  strata_tile_known_t *known;
} strata_tile_loop_t;
strata_tile_loop_t strata_tile_loop_begin(strata_tile_builder_t *b, int64_t extent, MlirAffineExpr *out_coordinate);
strata_tile_loop_t strata_tile_loop_over(strata_tile_builder_t *b, strata_size_t extent,
                                         MlirAffineExpr *out_coordinate);
void strata_tile_loop_end(strata_tile_builder_t *b, strata_tile_loop_t loop);

// Nested sequential loops of |trips| iterations carrying values: |body| replaces |carried| by what it yields at the
// counters; afterwards |carried| holds the results. A trip of the last loop is |unrolled| iterations, if it has more;
// |ranges|, if that is not NULL, has what is done of the other loops.
enum { STRATA_TILE_CARRIED = 4 };
typedef void (*strata_tile_carry_body_t)(strata_tile_builder_t *b, const MlirAffineExpr *counters, MlirValue *carried,
                                         void *user);
void strata_tile_carry_over(strata_tile_builder_t *b, int n_loops, const strata_size_t *trips,
                            const strata_tile_range_t *ranges, int64_t unrolled, int n_carried, MlirValue *carried,
                            strata_tile_carry_body_t body, void *user);
void strata_tile_carry(strata_tile_builder_t *b, int n_loops, const int64_t *trips, const strata_tile_range_t *ranges,
                       int64_t unrolled, int n_carried, MlirValue *carried, strata_tile_carry_body_t body, void *user);

// Makes arguments of the function's private buffers whose sizes vary, and reads it again.
STRATA_MUST_CHECK strata_status_t strata_tile_expose(strata_compile_t *compile, MlirOperation func,
                                                     strata_kernel_t *kernel);

// Tiles of |tile| elements along [0, extent), cut into |n_chunks| runs of |chunk| full tiles of which run |index| is
// done here; the last run also does the tail. |body| gets a tile's size and first element.
typedef struct {
  int64_t extent, tile, chunk, n_chunks;
} strata_tile_chunks_t;
typedef void (*strata_tile_chunk_body_t)(strata_tile_builder_t *b, int64_t size, MlirAffineExpr base, void *user);
strata_tile_chunks_t strata_tile_chunks(int64_t extent, int64_t tile, int64_t wanted);
void strata_tile_chunk(strata_tile_builder_t *b, const strata_tile_chunks_t *chunks, MlirValue index,
                       strata_tile_chunk_body_t body, void *user);

// Tiles from |first| to |end|, of a dim of |extent|, where their number varies: as many of the first of |widths| as
// fit, then of the next, down to single elements.
enum { STRATA_TILE_WIDTHS = 5 };
int strata_tile_widths(int64_t tile, int64_t *out_widths);
void strata_tile_between(strata_tile_builder_t *b, MlirValue first, MlirValue end, strata_size_t extent, int n_widths,
                         const int64_t *widths, strata_tile_chunk_body_t body, void *user);
// Runs of |chunk| elements, a multiple of the tile's, are tasks; the bounds of run |index|.
void strata_tile_run_bounds(strata_tile_builder_t *b, MlirValue index, int64_t chunk, strata_size_t extent,
                            MlirValue *out_first, MlirValue *out_end);
// How many tiles of |width| a dim of |size| has, from |*out_start| on: part 0, those that are full; part 1, what is
// left, at most one.
strata_size_t strata_tile_parts(const strata_tile_builder_t *b, strata_size_t size, int64_t width, int part,
                                MlirAffineExpr *out_start);
// |size| divided by |divisor|, up.
strata_size_t strata_tile_ceil_quotient(const strata_tile_builder_t *b, strata_size_t size, int64_t divisor);
// The forall over a number of tasks; a part of a task's number, |expr| over it and sizes, as a value.
strata_loop_t strata_tile_tasks_begin(strata_tile_builder_t *b, strata_size_t count);
MlirValue strata_tile_task_part(strata_tile_builder_t *b, MlirAffineExpr expr, MlirValue task, strata_size_t n_tasks);

// The number of elements of a full tile along a dim of |extent|: the schedule's, or as many as registers suggest.
int64_t strata_tile_width_of(strata_tile_builder_t *b, strata_size_t extent); // the widest where it varies

#endif
