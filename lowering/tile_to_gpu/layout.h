// Layouts: which register of which thread of a group holds which element of a block-level value. docs/gpu.md defines
// them and gives examples. Plain data; nothing here owns anything or touches IR.
#ifndef STRATA_LOWERING_TILE_TO_GPU_LAYOUT_H
#define STRATA_LOWERING_TILE_TO_GPU_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum { STRATA_VALUE_RANK = 8, STRATA_LAYOUT_DIGITS = 24, STRATA_BLOCK_DIGITS = 5, STRATA_COPIES = -1 };

// Digit value v adds v * stride to the coordinate along |dim|; STRATA_COPIES adds nothing.
typedef struct {
  int dim;
  int64_t extent, stride;
} strata_digit_t;

// The number of a register, that of a thread in its group, and that of a block in its cluster, in mixed radix by the
// digits' extents, fastest first. Extents of thread digits are powers of two whose product is the size of the group;
// but the last is 3 where there are three warp groups.
typedef struct {
  int n_reg, n_thread, n_block;
  strata_digit_t reg[STRATA_LAYOUT_DIGITS], thread[STRATA_LAYOUT_DIGITS], block[STRATA_BLOCK_DIGITS];
} strata_layout_t;

// Registers a thread holds; threads of the group; blocks of the cluster, all or those apart along |dim|.
int64_t strata_layout_registers(const strata_layout_t *layout);
int64_t strata_layout_threads(const strata_layout_t *layout);
int64_t strata_layout_blocks(const strata_layout_t *layout);
int64_t strata_layout_blocks_along(const strata_layout_t *layout, int dim);

// What register |reg|, or thread |thread|, adds to the coordinate along |dim|: the element's coordinate is their sum.
int64_t strata_layout_reg_coordinate(const strata_layout_t *layout, int64_t reg, int dim);
int64_t strata_layout_thread_coordinate(const strata_layout_t *layout, int64_t thread, int dim);
// The largest of the latter.
int64_t strata_layout_thread_max(const strata_layout_t *layout, int dim);

// True if both place every register of every thread alike.
bool strata_layout_equal(const strata_layout_t *a, const strata_layout_t *b);
// True if every thread is at the same coordinates in both; registers may differ.
bool strata_layout_same_threads(const strata_layout_t *a, const strata_layout_t *b);

// A layout for a value of |sizes| over |threads| threads: |width| neighbours along order[0] in a thread, then threads
// along order[0], order[1], ..., then registers in the same order. |order| names every dim once; extents that are no
// powers of two leave hanging elements; threads that are left over hold copies.
strata_layout_t strata_layout_build(int rank, const int64_t *sizes, int64_t threads, const int *order, int64_t width);

// A layout for a value of rank 2 that is to be turned: a thread holds widths[0] x widths[1] neighbours, so vectors
// along both dims, neighbouring threads lie along dims[0], then along dims[1].
strata_layout_t strata_layout_build_crossing(const int64_t *sizes, int64_t threads, const int *dims,
                                             const int64_t *widths);

// |layout| of a value whose dims go elsewhere: dim i becomes to[i], STRATA_COPIES drops it. Dropped register digits
// vanish, dropped thread digits hold copies.
strata_layout_t strata_layout_map_dims(const strata_layout_t *layout, const int *to);
// The same but dropped register digits stay, as copies: the registers keep their numbers.
strata_layout_t strata_layout_map_registers(const strata_layout_t *layout, const int *to);

// |layout| of a value of rank 1 whose registers are the same in all lanes of several warps, dealt out: each of |lanes|
// holds one of them. False if it is no such layout.
bool strata_layout_deal(const strata_layout_t *layout, int64_t lanes, strata_layout_t *out_layout);

// How many neighbours along |dim| a thread holds: the extent of the register digit of stride one.
int64_t strata_layout_width(const strata_layout_t *layout, int dim);

// Appends digits; extents of one are left out, but for blocks.
void strata_layout_push_reg(strata_layout_t *layout, int dim, int64_t extent, int64_t stride);
void strata_layout_push_thread(strata_layout_t *layout, int dim, int64_t extent, int64_t stride);
void strata_layout_push_block(strata_layout_t *layout, int dim, int64_t extent);

#endif
