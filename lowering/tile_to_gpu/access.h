// Loads and stores of a value's registers: where in a buffer each register lies, under which conditions it is touched,
// and which neighbours go together as one vector of at most 16 bytes.
#ifndef STRATA_LOWERING_TILE_TO_GPU_ACCESS_H
#define STRATA_LOWERING_TILE_TO_GPU_ACCESS_H

#include "lowering/tile_to_gpu/index.h"

enum { STRATA_BOX_RANK = 24, STRATA_VECTOR_BYTES = 16 };

// An access as its op says it: coordinates and the row-major position over the index space.
typedef struct {
  strata_index_space_t space;
  int rank; // of the buffer, whose first dim is that of a tile.load_pages' pages
  strata_size_t sizes[STRATA_BOX_RANK];
  MlirAffineExpr coordinates[STRATA_BOX_RANK], position;
  bool is_linear;                   // the position is linear in the vector's dims ...
  int64_t steps[STRATA_VALUE_RANK]; // ... with these coefficients
} strata_gpu_box_t;

// Reads a tile.load or tile.store whose buffer is operand |buffer|; |type| is that of the value. Emits nothing, so that
// layouts can be chosen by it.
STRATA_MUST_CHECK strata_status_t strata_gpu_box_read(strata_gpu_distribution_t *d, MlirOperation op, int buffer,
                                                      MlirType type, strata_gpu_box_t *out_box);
// The dim of the vector along which neighbours lie beside one another in memory; -1 if there is none.
int strata_gpu_box_contiguous(const strata_gpu_box_t *box);
// How many elements along |dim| may be moved at once: a power of two up to |most|.
int64_t strata_gpu_box_width(const strata_gpu_box_t *box, int dim, int64_t most);

// True if some op of the kernel stores into the old |buffer|.
// True if the kernel stores to it and loads it: scratch above all goes from thread to thread, with a barrier between.
// Not so where each thread has its own lanes (STRATA_LANES).
bool strata_gpu_is_exchanged(strata_gpu_distribution_t *d, MlirValue buffer);
// True if it is an argument that none does.
bool strata_gpu_is_read_only(MlirValue buffer);
// True if |op| loads vectors of any alignment from its operand |buffer| (unaligned.c), and is aligned for few elements,
// |width|.
bool strata_gpu_is_shifted(MlirOperation op, int buffer, int64_t width);
// True if what |load| gives where its mask does not let it read, if it has one, is zero.
bool strata_gpu_has_zero_pad(MlirOperation load);

// The constraints of an access's mask (an integer set over its map's dims and symbols, or null), as expressions over
// the box's space: element (d...) is touched where all are >= 0, or == 0 where true is returned. |first_symbol|:
// operand of |op|.
intptr_t strata_gpu_mask_count(MlirAttribute mask);
bool strata_gpu_mask_constraint(strata_gpu_box_t *box, MlirOperation op, int first_symbol, intptr_t i,
                                MlirAffineExpr *out_expr);

// Moves registers between a buffer and a thread.
typedef struct {
  strata_gpu_box_t *box;
  MlirValue flat;     // the buffer as a memref of rank 1
  MlirAttribute pad;  // what elements outside read as; null: all are inside
  MlirAttribute mask; // an integer set over the map's dims and symbols, or null
  MlirOperation op;   // whose symbols |mask| has
  int first_symbol;   // operand of |op|
  bool is_streaming;  // stores go past the caches
  bool is_readonly;   // nothing in this launch writes the buffer
  bool is_turned;     // loads of whole vectors, which eight lanes turn among themselves (tile.load_turned)
  bool is_private;    // shared memory laid out for hanging elements, too: no conditions but those of copies
  int64_t *stored;    // the same: elements along each dim that are there to be loaded; null: all
} strata_transfer_t;

STRATA_MUST_CHECK strata_status_t strata_transfer_load(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                                       strata_registers_t *registers);
STRATA_MUST_CHECK strata_status_t strata_transfer_store(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                                                        const strata_registers_t *registers);

// Has registers of |shape| that are whole pieces of 16 bytes in the buffer copied elsewhere while threads go on:
// |copy| is called for each piece, by its first register, with the buffer, the position in it and whether the piece is
// inside (i1). What is not is zero.
typedef void (*strata_copy_t)(void *user, int64_t reg, MlirValue buffer, MlirValue position, MlirValue inside);
void strata_transfer_copy(strata_gpu_distribution_t *d, strata_transfer_t *transfer, const strata_registers_t *shape,
                          strata_copy_t copy, void *user);
// True if all registers are of such pieces; *out_step: from a register to that of the next element in memory. Emits
// nothing.
bool strata_transfer_is_whole(strata_gpu_distribution_t *d, strata_transfer_t *transfer,
                              const strata_registers_t *shape, int64_t *out_step);

// What the tile.load or tile.store |op| moves, whose buffer is its operand |buffer|; |flat| is the buffer itself.
strata_transfer_t strata_gpu_transfer(strata_gpu_distribution_t *d, MlirOperation op, int buffer,
                                      strata_gpu_box_t *box);

#endif
