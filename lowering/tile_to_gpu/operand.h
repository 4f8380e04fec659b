// Operands of products, tiled and pipelined, on their way into shared memory: sources (operands.def).
//
// A source is how a tile of an operand comes into a slot. Whose turn it is, and who waits for whom, is the kernel's
// matter: a ring's (ring.h), or a loop's with barriers (contract_loop.c).
#ifndef STRATA_LOWERING_TILE_TO_GPU_OPERAND_H
#define STRATA_LOWERING_TILE_TO_GPU_OPERAND_H

#include "dialects/tile/product_form.h"
#include "lowering/tile_to_gpu/bulk.h"
#include "lowering/tile_to_gpu/contract.h"

// What a kernel can do with an operand.
typedef struct {
  bool has_boxes;   // the copy engine may fill its slots, with spans or, for multiply-adds, as |is_dense| says
  bool has_windows; // following windows, too
  bool has_copies;  // threads may wait for copies of theirs
  bool is_packed;   // it lies in whole tiles, in memory as in a slot
  bool is_dense;    // a slot's rows run across the reduction and lie one behind the other
  bool may_cross;   // spans may run across the reduction
  bool splits_rows; // as strata_bulk_limits_t has it
} strata_operand_terms_t;

// Where a tile goes. What is null a source has no use for, or does without.
typedef struct {
  MlirValue slot;
  MlirValue at;            // in bulk: the tile's first element in the operand's memory,
  MlirValue full;          // the slots' barriers, which are told of the bytes,
  MlirValue blocks;        // and bits of the blocks of the cluster that all get it
  MlirValue exists;        // copies: i1, false for zeros
  const strata_mma_t *mma; // registers: what they are rounded for
} strata_fill_t;

// Who fills a slot: the copy engine, which one thread asks and which tells the slot's barrier of its bytes; copies that
// every thread begins and waits for; threads themselves.
typedef enum { STRATA_FILLED_BY_ENGINE, STRATA_FILLED_BY_COPIES, STRATA_FILLED_BY_THREADS } strata_filler_t;

struct strata_source {
  const char *name;
  strata_filler_t by;
  // True if the operand, whose ->value, sizes and element are known, can come so. Emits nothing.
  strata_status_t (*takes)(strata_gpu_distribution_t *d, strata_shared_operand_t *operand,
                           const strata_operand_terms_t *terms, bool *out_takes);
  // What a tile counts on the slot's barrier; NULL: its threads arrive.
  int64_t (*bytes)(const strata_shared_operand_t *operand);
  strata_status_t (*fill)(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                          const strata_fill_t *to);
};

// The tile.load that the operand is, unchanged; a null operation if it is anything else.
MlirOperation strata_operand_load(const strata_shared_operand_t *operand);
// Finds ->source.
STRATA_MUST_CHECK strata_status_t strata_operand_find_source(strata_gpu_distribution_t *d,
                                                             strata_shared_operand_t *operand,
                                                             const strata_operand_terms_t *terms);
static inline bool strata_operand_is_bulk(const strata_shared_operand_t *operand) {
  return operand->source->by == STRATA_FILLED_BY_ENGINE;
}
// Elements from a tile's beginning to |row|, of the first span or of a crossed one's beginning, and |step|.
int64_t strata_operand_at(const strata_shared_operand_t *operand, int64_t row, int64_t step);
// Boxes |first| to |end| - 1 of those of |bulk|, the operand's or a division of it, in order.
void strata_boxes_copy(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, const strata_bulk_t *bulk,
                       const strata_fill_t *to, int64_t first, int64_t end);

#define STRATA_SOURCE_TAKES(name)                                                                                      \
  strata_status_t name(strata_gpu_distribution_t *d, strata_shared_operand_t *operand,                                 \
                       const strata_operand_terms_t *terms, bool *out_takes)
#define STRATA_SOURCE_FILL(name)                                                                                       \
  strata_status_t name(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand, const strata_fill_t *to)

STRATA_SOURCE_TAKES(strata_packed_takes);
STRATA_SOURCE_TAKES(strata_box_takes);
STRATA_SOURCE_TAKES(strata_window_takes);
STRATA_SOURCE_TAKES(strata_pieces_take);
STRATA_SOURCE_TAKES(strata_copies_take);
STRATA_SOURCE_TAKES(strata_registers_take);
int64_t strata_packed_bytes(const strata_shared_operand_t *operand);
STRATA_SOURCE_FILL(strata_packed_fill);
int64_t strata_boxes_bytes(const strata_shared_operand_t *operand);
STRATA_SOURCE_FILL(strata_boxes_fill);
STRATA_SOURCE_FILL(strata_copies_fill);
STRATA_SOURCE_FILL(strata_registers_fill);

#endif
