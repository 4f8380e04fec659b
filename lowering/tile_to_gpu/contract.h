// Contractions: what the parts of their lowering share. Internal to contract*.c.
//
// The operands of a block's product pass through shared memory. It is addressed by bits: tile sizes are powers of two,
// so a register's and a thread's part of (row, step) have no bit in common, the address is linear in the bits (a XOR of
// what each contributes), and one number a thread, XORed with constants, reaches everything.
#ifndef STRATA_LOWERING_TILE_TO_GPU_CONTRACT_H
#define STRATA_LOWERING_TILE_TO_GPU_CONTRACT_H

#include "devices/gpu/mma.h"
#include "lowering/tile_to_gpu/bulk.h"

enum { STRATA_CONTRACT_SLOTS = 2, STRATA_MMA_BLOCK = 32 };
// Bytes that tile.load_crossed brings a thread; lanes that bring them one another.
enum { STRATA_CROSSED_BYTES = 8, STRATA_CROSSED_LANES = 16 };

// How an operand, |rows| x |steps| elements, lies in shared memory; the step is the reduction.
//
//   BY_ROW        [span of 128 bytes of steps][row][span], for operands contiguous along the reduction
//   ACROSS        [step][row], for the others
//   BY_STEP       [step][row], for multiply-adds
//   SPANS         [row][128 bytes of steps], as instructions read it that take operands from shared memory
//   SPANS_CROSSED [128 bytes of rows][step][128 bytes], the same for operands contiguous along the rows
//   DENSE         [step][row], as the copy engine leaves it
//
// 16-byte units are swizzled so that neither storing nor reading meets bank conflicts, but for DENSE.
typedef enum {
  STRATA_BY_ROW,
  STRATA_ACROSS,
  STRATA_BY_STEP,
  STRATA_SPANS,
  STRATA_SPANS_CROSSED,
  STRATA_DENSE
} strata_shared_form_t;

typedef struct strata_source strata_source_t; // operand.h

// Copies of a warp, which lie side by side: whose part of a tile the running thread copies, and where those of its warp
// begin in the first slot.
typedef struct {
  MlirValue thread, first;
} strata_warp_copies_t;

typedef struct {
  MlirValue value;               // the old one
  const strata_source_t *source; // how it comes into a slot, once that is found
  strata_bulk_t *bulk;           // of what the copy engine brings
  MlirType element;
  int64_t element_bytes, rows, steps;
  int64_t word; // elements along the reduction that go together: those that a thread has beside one another for
                // matrix instructions, else 1
  strata_shared_form_t form;
  bool is_turned;                 // eight lanes turn what they load among themselves: it lies across in memory alone
  strata_layout_t load;           // as it comes from memory
  strata_layout_t fragment;       // as the product reads it
  strata_layout_t matrices;       // BY_ROW: rows of 16 bytes that a thread names to tile.load_matrices
  strata_layout_t crossed;        // ACROSS: pieces of rows that a thread names to tile.load_crossed; empty: it loads
                                  // the elements of its fragments
  MlirValue memory;               // slots of rows x steps elements, once allocated
  strata_warp_copies_t by_warps;  // of copies of warps, once it is known that they come so
  const strata_registers_t *held; // in |fragment|: what threads have already, so that nothing passes through memory
} strata_shared_operand_t;

// How a contraction is carried out.
typedef struct {
  const strata_mma_t *mma; // NULL: multiply-adds
  int64_t warps[2];        // along rows and columns
  int64_t warp_tile[2];    // rows and columns of a warp
  int64_t split;           // how many warps share a tile, each with its part of every step
  int64_t together;        // instructions along the reduction whose fragments lie beside one another
  int64_t n_steps;         // of the operands' steps, those that are multiplied: what lies behind them is zero
  MlirType sum;
  strata_layout_t partial; // of the sum in the loop; with a split, of the part that a thread adds up
  strata_layout_t layout;  // of the sum
  strata_shared_operand_t operands[2];
  strata_shared_operand_t scales[2]; // bytes, one of an operand's row for every block of steps; of no value: none
} strata_product_t;

static inline bool strata_product_has_scales(const strata_product_t *product, int side) {
  return !mlirValueIsNull(product->scales[side].value);
}
static inline bool strata_product_is_scaled(const strata_product_t *product) {
  return strata_product_has_scales(product, 0) || strata_product_has_scales(product, 1);
}

// What |op|, a vector.contract of a kernel with a schedule, is; layouts included.
STRATA_MUST_CHECK strata_status_t strata_product_read(strata_gpu_distribution_t *d, MlirOperation op,
                                                      strata_product_t *out_product);

// True if its left operand is loaded into the registers that multiply it: a loop multiplies it in every iteration.
bool strata_product_holds_left(MlirOperation op, const strata_product_t *product);

// Fixes the layouts of its sum and operands.
STRATA_MUST_CHECK strata_status_t strata_product_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op);

// The same of matrix instructions, of one warp (contract_fragments.c): the sum is product->partial.
void strata_product_mma_layouts(strata_product_t *product);
// If an operand's fragments are loaded crossed; in its layout a register is a load.
bool strata_product_loads_crossed(const strata_product_t *product, int side);
// Steps that one brings, and rows that a lane names.
int64_t strata_operand_crossed(const strata_shared_operand_t *operand);
void strata_product_crossed_layout(const strata_product_t *product, int side, strata_layout_t *layout);
// Neighbours that a thread has of a row of the sum.
int64_t strata_product_sum_run(const strata_mma_t *mma);
// Steps of the fragments that a thread reads at once; instructions of a warp along rows or columns; the register of
// element |element| of a fragment of the sum, and of operand |side| for the instruction number |step| along the
// reduction.
int64_t strata_product_chunk(const strata_product_t *product);
int64_t strata_product_tiles(const strata_product_t *product, int side);
int64_t strata_product_sum_register(const strata_product_t *product, int64_t row_tile, int64_t column_tile,
                                    int64_t element);
int64_t strata_product_operand_register(const strata_product_t *product, int side, int64_t step, int64_t tile,
                                        int64_t element);
// The register of operand->crossed that has it.
int64_t strata_product_crossed_register(const strata_product_t *product, int side, int64_t step, int64_t tile,
                                        int64_t element);
// The same of the scale that a thread has of it.
int64_t strata_product_scale_register(const strata_product_t *product, int side, int64_t step, int64_t tile);

// The layouts of multiply-adds: of the sum and of the operands' fragments.
void strata_product_fma_layouts(strata_product_t *product);

// For an operand: which of its dims is contiguous in memory and how many elements along it may be loaded at once.
STRATA_MUST_CHECK strata_status_t strata_operand_source(strata_gpu_distribution_t *d, MlirValue value, int *out_dim,
                                                        int64_t *out_width);
// An operand's registers as |mma| (or NULL) wants them: rounded to tf32 if it would cut them off.
strata_registers_t strata_operand_rounded(strata_gpu_distribution_t *d, const strata_mma_t *mma,
                                          const strata_registers_t *from);
STRATA_MUST_CHECK strata_status_t strata_operand_allocate(strata_gpu_distribution_t *d,
                                                          strata_shared_operand_t *operand, int64_t slots);
// Where an element lies in a slot, in elements: what its register and what its thread contribute, which are XORed.
int64_t strata_operand_register_place(const strata_shared_operand_t *operand, const strata_layout_t *layout,
                                      int64_t reg);
int64_t strata_operand_thread_place(const strata_shared_operand_t *operand, const strata_layout_t *layout,
                                    int64_t thread);
// The XOR of columns[i] over the bits i of |value| that are set, below |n_bits|.
MlirValue strata_emit_linear(strata_emitter_t *e, MlirValue value, int n_bits, const int64_t *columns);

// Copies of warps (warp_copies.c): if |lanes| threads that copy side by side can bring operand->load; what is the same
// in all tiles, emitted here.
bool strata_warps_can_copy(const strata_shared_operand_t *operand, int64_t lanes);
strata_warp_copies_t strata_warp_copies(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand);

// Where a thread's registers of |layout| lie in |slot|.
typedef struct {
  const strata_shared_operand_t *operand;
  const strata_layout_t *layout;
  int64_t bits; // that threads contribute to
  MlirValue base;
} strata_operand_places_t;
strata_operand_places_t strata_operand_places(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                              const strata_layout_t *layout, MlirValue slot);
// The same of copies of warps: of each warp's first thread.
strata_operand_places_t strata_operand_copied_places(strata_gpu_distribution_t *d,
                                                     const strata_shared_operand_t *operand, MlirValue slot);
MlirValue strata_operand_place(strata_gpu_distribution_t *d, const strata_operand_places_t *places, int64_t reg);
// True if |count| registers from |reg| on, |step| apart, lie side by side there, and aligned.
bool strata_operand_is_run(const strata_shared_operand_t *operand, const strata_layout_t *layout, int64_t reg,
                           int64_t step, int64_t count);
// Stores registers, in any layout, into slot |slot|, an index value.
STRATA_MUST_CHECK strata_status_t strata_operand_store(strata_gpu_distribution_t *d,
                                                       const strata_shared_operand_t *operand, MlirValue slot,
                                                       const strata_registers_t *registers);

// Reading: the registers of operand->fragment, on demand.
typedef struct {
  const strata_shared_operand_t *operand;
  MlirValue base; // the thread's part and the slot
  const struct strata_places *places;
  MlirValue *vectors; // by register: what was loaded, null if it was not yet
  int64_t *lanes;     // the same: its place in that
} strata_operand_reader_t;
strata_operand_reader_t strata_operand_reader(strata_gpu_distribution_t *d, const strata_shared_operand_t *operand,
                                              MlirValue slot);
// The element of register |reg|, loaded with its neighbours.
MlirValue strata_operand_read(strata_gpu_distribution_t *d, strata_operand_reader_t *reader, int64_t reg);

// Adds the product of the operands in |slot| to |sums|: strata_product_sums values, of matrix instructions vectors.
int64_t strata_product_sums(const strata_product_t *product);
void strata_product_emit(strata_gpu_distribution_t *d, const strata_product_t *product, MlirValue slot,
                         MlirValue *sums);
// The same of matrix instructions in parts, for loops that read ahead: strata_product_fragments values, those of the
// first chunk in |slot|; products of all chunks but the last, whose fragments are left; products of fragments.
int64_t strata_product_fragments(const strata_product_t *product);
void strata_product_begin(strata_gpu_distribution_t *d, const strata_product_t *product, MlirValue slot,
                          MlirValue *out_fragments);
void strata_product_go_on(strata_gpu_distribution_t *d, const strata_product_t *product, MlirValue slot,
                          MlirValue *fragments, MlirValue *sums);
void strata_product_multiply(strata_gpu_distribution_t *d, const strata_product_t *product, const MlirValue *fragments,
                             MlirValue *sums);
// Stores the operands that contractions of the loop's body, which is no pipeline, have from outside
// (contract_staged.c).
STRATA_MUST_CHECK strata_status_t strata_contract_store_ahead(strata_gpu_distribution_t *d, MlirOperation loop);
// Between registers of product->partial and sums.
void strata_product_pack(strata_gpu_distribution_t *d, const strata_product_t *product,
                         const strata_registers_t *registers, MlirValue *out_sums);
void strata_product_unpack(strata_gpu_distribution_t *d, const strata_product_t *product, const MlirValue *sums,
                           strata_registers_t *out_registers);
// Adds up the parts of a split, in a fixed order, through shared memory: registers of product->layout.
STRATA_MUST_CHECK strata_status_t strata_product_combine(strata_gpu_distribution_t *d, const strata_product_t *product,
                                                         const strata_registers_t *partial,
                                                         strata_registers_t *out_registers);

#endif
