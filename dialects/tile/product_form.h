// Pipelined products: the sizes that level 4 counts on, and which forms can be carried out. Whoever chooses a schedule
// asks before, and the lowering when it carries one out.
//
// A block has warp groups that multiply, side by side along the rows of an instruction's tile or across them, and
// producers that fetch both operands into a ring of slots; docs/gpu-schedules.md has the keys.
#ifndef STRATA_DIALECTS_TILE_PRODUCT_FORM_H
#define STRATA_DIALECTS_TILE_PRODUCT_FORM_H

#include "dialects/affine/space.h"
#include "dialects/integers.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  STRATA_GROUP_THREADS = 128, // of a warp group; of producers
  STRATA_GROUP_ROWS = 64,     // of an instruction
  STRATA_EIGHT = 8,           // an instruction's columns are a multiple of it
  STRATA_MAX_COLUMNS = 256,   // of an instruction
  STRATA_SPAN = 128,          // bytes of an operand's row in a slot: one step, the widest swizzle's
  STRATA_SPAN_ROWS = 8,       // after which the exchange of units repeats
  STRATA_SUM_BYTES = 4,
  STRATA_SUB_TILE = STRATA_GROUP_ROWS * STRATA_SPAN, // bytes of results that the copy engine stores at once
  STRATA_SUB_TILES = 2,                              // of a group: one is filled while the other is stored
  STRATA_MIN_SLOTS = 2,                              // one is filled while the other is read
};

//===-- Attention ------------------------------------------------------------------------------------------------===//

enum {
  STRATA_REGISTER_UNIT = 8,    // of what threads give up and get
  STRATA_MOST_REGISTERS = 240, // of a thread that gets what others give up
  STRATA_LEAST_REGISTERS = 24, // of one that fetches
};

// Registers of a thread of |groups| that multiply, of a block that has all |registers| of a processor, where the
// threads of |others| groups keep |kept| registers: the sum of one of each.
static inline int64_t strata_attention_consumer_registers(int64_t registers, int64_t groups, int64_t others,
                                                          int64_t kept) {
  int64_t all = groups + others;
  int64_t entry = registers / (all * STRATA_GROUP_THREADS) / STRATA_REGISTER_UNIT * STRATA_REGISTER_UNIT;
  int64_t most = (entry * all - kept) / groups / STRATA_REGISTER_UNIT * STRATA_REGISTER_UNIT;
  return strata_min(most, STRATA_MOST_REGISTERS);
}

// Those of a thread that hold scores, weights and sums.
static inline int64_t strata_attention_held_registers(int64_t columns, int64_t values) {
  return columns / 2 + columns / 4 + values / 2;
}

// The same with the rows' operand, and what else it needs then, as it was measured.
static inline int64_t strata_attention_registers_with_rows(int64_t columns, int64_t values, int64_t steps) {
  enum { OTHERS = 48 };
  return strata_attention_held_registers(columns, values) + steps / 4 + OTHERS;
}

//===-- Forms ----------------------------------------------------------------------------------------------------===//

typedef struct {
  bool is_crossed; // its spans lie along the side, not along the reduction
  bool is_box;     // one copy brings a step's rows of a tile
  int64_t tile;    // elements of a block's tile along the side
  int64_t slot;    // the same of a slot
} strata_product_side_t;

typedef struct {
  bool has_fragments; // of a matrix instruction; else multiply-adds
  bool is_bulk;       // the copy engine fetches both operands
  bool reads_left;    // threads read the instruction's left operand and hand it on in registers
  bool unpacks;       // as numbers of few bits, with scales
  bool swap, stream;
  bool is_joined;       // a launch with others
  bool has_whole_steps; // no step of the reduction is shorter than the others
  int64_t element_bytes;
  int64_t groups, across, teams; // across: groups beside one another along the columns
  int64_t depth;                 // groups that sum up the same tile, each every so many of its steps; 1: no such
  int64_t rows, columns;         // of the instruction's tile, of all groups, of all parts and of both of a pair
  int64_t slots, slot_bytes;
  int64_t steps;                             // of the reduction, at least, by all parts
  int64_t pair, parts, row, share[2], every; // 1: none of it
  int64_t stagger;
  strata_product_side_t sides[2]; // of the result's rows and columns
} strata_product_form_t;

// Why level 4 cannot carry out a tile so; NULL: it can.
const char *strata_product_fault(const strata_product_form_t *form);
// The same of a grid of |blocks| for |tasks|; 0: one for each.
const char *strata_product_grid_fault(const strata_product_form_t *form, strata_size_t tasks, int64_t blocks);

// True if the box in which an operand of |extent| rows ends brings no more of them than there are, by a tensor map of
// its own, unless all rows are one box: a launch of several products has no maps to spare, nor are those of a number
// that varies shared there, and a reduction that is over when the slots are full waits for the map, not for zeros. What
// is behind them in a slot is anything.
bool strata_product_clips(const strata_product_form_t *form, int side, strata_size_t extent);

// Elements along a side that a slot has of |parts| tiles of |tile|, which lie side by side in whole spans of |span|.
int64_t strata_product_slot(int64_t tile, int64_t parts, int64_t span);
// True if |pieces| blocks that need the same tile can fetch an equal part of it each: of its |boxes|, or of the |rows|
// of each box.
bool strata_product_divides(int64_t boxes, int64_t rows, bool has_window, int64_t pieces);

#endif
