// The tile dialect: what block-level vector code needs beyond upstream. docs/architecture.md, level 3, gives the ops.
#ifndef STRATA_DIALECTS_TILE_H
#define STRATA_DIALECTS_TILE_H

#include "dialects/compile.h"

#include <mlir-c/AffineMap.h>

// Of a kernel of several task spaces on a GPU, a unit: one block carries out the tasks of one after those of the other.
#define STRATA_TILE_CHAIN "tile.chain"
// Of a kernel on a GPU, a unit: its loads are to be under way together, so threads have the registers for that where
// all blocks are on the card at once.
#define STRATA_TILE_LOADS_FIRST "tile.loads_first"
// Of the loop of an attention, an i64: rows of its tile that exist, where these are few.
#define STRATA_TILE_FEW "tile.few"
// Of an index in a task of a pipelined product, a unit: where it is 0 the task is left out. The blocks of a cluster
// have the same.
#define STRATA_TILE_WORK "tile.work"
#define STRATA_TILE_LOAD "tile.load"
// A load of pages, which lie anywhere along the buffer's first dim: the map's first result says which of them an
// element is in, and the last {pages} symbols, which it does not use, are where they lie. A page behind the buffer's
// end is zero.
#define STRATA_TILE_LOAD_PAGES "tile.load_pages"
#define STRATA_TILE_STORE "tile.store"
// A vector of one dim, running: element i of the first result is the operands' second combined with elements 0 to i of
// the first ({exclusive}: to i - 1); the second result is combined with all. {kind} as vector.multi_reduction has it.
#define STRATA_TILE_SCAN "tile.scan"
// Of the elements [first, end) of a row, as one task of a GPU: how many have each digit (dialects/digit.h); or each put
// where counts[digit] + before[digit] says, one behind the other. The buffers' elements of number i are at AT + i *
// STEP of {steps}, in their order; where that is 0 there is none, and the operand is the keys' buffer.
#define STRATA_TILE_COUNT_DIGITS "tile.count_digits"
#define STRATA_TILE_PLACE_DIGITS "tile.place_digits"
// What all lanes of the warp have, a bit each, in an i32 or i64; and a wait for them, behind which they see what each
// has stored.
#define STRATA_TILE_BALLOT "tile.ballot"
#define STRATA_TILE_WARP_BARRIER "tile.warp_barrier"
#define STRATA_TILE_MMA "tile.mma"
#define STRATA_TILE_SCALED "tile.scaled"
#define STRATA_TILE_LOAD_MATRICES "tile.load_matrices"
#define STRATA_TILE_LOAD_CROSSED "tile.load_crossed"
#define STRATA_TILE_LOAD_TURNED "tile.load_turned"
enum { STRATA_TURNED_LANES = 8 }; // that turn a square of as many elements of 16 bits
#define STRATA_TILE_UNPACK "tile.unpack"
#define STRATA_TILE_WIDEN "tile.widen"
#define STRATA_TILE_FUNNEL "tile.funnel"

// Copies that threads go on beside: docs/gpu.md.
#define STRATA_TILE_COPY_ASYNC "tile.copy_async"
#define STRATA_TILE_COPY_COMMIT "tile.copy_commit"
#define STRATA_TILE_COPY_WAIT "tile.copy_wait"

// Pipelined products: docs/gpu.md.
#define STRATA_TILE_BARRIER_INIT "tile.barrier_init"
#define STRATA_TILE_BARRIER_ARRIVE "tile.barrier_arrive"
#define STRATA_TILE_BARRIER_EXPECT "tile.barrier_expect"
#define STRATA_TILE_BARRIER_SIGNAL "tile.barrier_signal"
#define STRATA_TILE_BARRIER_WAIT "tile.barrier_wait"
#define STRATA_TILE_BULK_LOAD "tile.bulk_load"
#define STRATA_TILE_BULK_MULTICAST "tile.bulk_multicast"
#define STRATA_TILE_BULK_STORE "tile.bulk_store"
#define STRATA_TILE_BULK_COMMIT "tile.bulk_commit"
#define STRATA_TILE_BULK_WAIT "tile.bulk_wait"
#define STRATA_TILE_FENCE "tile.fence"
#define STRATA_TILE_GROUP_BARRIER "tile.group_barrier"
#define STRATA_TILE_GROUP_ARRIVE "tile.group_arrive"
#define STRATA_TILE_REGISTERS "tile.registers"
#define STRATA_TILE_MMA_FENCE "tile.mma_fence"
#define STRATA_TILE_MMA_ASYNC "tile.mma_async"
#define STRATA_TILE_MMA_REGISTERS "tile.mma_registers"
#define STRATA_TILE_MMA_LEFT "tile.mma_left"
#define STRATA_TILE_MMA_COMMIT "tile.mma_commit"
#define STRATA_TILE_MMA_WAIT "tile.mma_wait"

// Between one kernel and the next: docs/gpu.md.
#define STRATA_TILE_LAUNCH_WAIT "tile.launch_wait"
#define STRATA_TILE_LAUNCH_NEXT "tile.launch_next"
#define STRATA_TILE_LOADS_BEGUN "tile.loads_begun"
#define STRATA_TILE_AWAITED "awaited"

// What the blocks of a grid tell one another: docs/gpu.md.
#define STRATA_TILE_FLAG_RAISE "tile.flag_raise"
#define STRATA_TILE_FLAG_AWAIT "tile.flag_await"
#define STRATA_TILE_FLAG_COUNT "tile.flag_count"

// Clusters of blocks: docs/gpu.md.
#define STRATA_TILE_CLUSTER_ARRIVE "tile.cluster_arrive"
#define STRATA_TILE_CLUSTER_WAIT "tile.cluster_wait"
#define STRATA_TILE_CLUSTER_STORE "tile.cluster_store"

// Loads the dialect into a context, once. Called by strata_compile_init.
STRATA_MUST_CHECK strata_status_t strata_tile_dialect_load(MlirContext context);

// Which elements of a buffer a tile.load or tile.store moves: element (a, b...) of the vector is memref[map(a, b...)].
// The attributes are null where there are none.
typedef struct {
  MlirValue memref;
  MlirAffineMap map; // vector dims and symbols -> coordinates
  int n_symbols;
  const MlirValue *symbols; // index values; borrowed
  MlirAttribute pad;        // of a load: the value of elements outside the buffer, or outside |mask|
  int n_pages;              // of a load of such, which the last symbols are; else 0
  MlirAttribute mask;       // an integer set over the dims and symbols of |map|: elements outside it are not touched
} strata_tile_access_t;

MlirValue strata_tile_build_load(MlirBlock block, MlirLocation location, const strata_tile_access_t *access,
                                 MlirType vector_type);
void strata_tile_build_store(MlirBlock block, MlirLocation location, MlirValue vector,
                             const strata_tile_access_t *access);

// True if |op| is a tile.load or tile.load_pages; if it is one of these or a tile.store. What it moves; |symbols| has
// room for all of them.
enum { STRATA_TILE_ACCESS_SYMBOLS = 64 };
bool strata_tile_is_load(MlirOperation op);
bool strata_tile_is_access(MlirOperation op);
strata_tile_access_t strata_tile_read_access(MlirOperation op, MlirValue *symbols);

// Checks every op of the dialect in a module, and the maps of its functions: INTERNAL names the op and what does not
// fit.
STRATA_MUST_CHECK strata_status_t strata_tile_verify(strata_compile_t *compile);

#endif
