// Attention (docs/gpu.md), a main loop (mainloops.def): what the parts of its lowering share. Internal to attention*.c.
//
// The loop has two contractions: scores of a tile of rows, and sums of values that what was made of the scores weighs.
// Everything between is arithmetic on the scores' layout, and no more special here than elsewhere. The
// weights stay in registers: they lie there as the second product wants its left operand.
#ifndef STRATA_LOWERING_TILE_TO_GPU_ATTENTION_H
#define STRATA_LOWERING_TILE_TO_GPU_ATTENTION_H

#include "lowering/tile_to_gpu/mainloops.h"
#include "lowering/tile_to_gpu/pipelined_instruction.h"

// What is fetched: the rows' operand once a task, the other two for each step.
enum { STRATA_ATTENTION_ROWS, STRATA_ATTENTION_KEYS, STRATA_ATTENTION_VALUES, STRATA_ATTENTION_OPERANDS };

typedef struct {
  strata_pipelined_kernel_t kernel;                          // whose product is the second one
  MlirOperation scores, values;                              // the contractions
  int carried;                                               // which of the loop's values is the sum of the second
  int64_t columns, few;                                      // of scores; rows that exist, where these are few; else 0
  int64_t widened;                                           // slots of what bytes become
  strata_layout_t layout;                                    // of scores
  strata_ring_operand_t operands[STRATA_ATTENTION_OPERANDS]; // as instructions read them
  strata_ring_operand_t stored[STRATA_ATTENTION_OPERANDS];   // as the ring has them, where that is as bytes
  strata_ring_t rings[STRATA_ATTENTION_OPERANDS];            // of the former
  strata_ring_t stored_rings[STRATA_ATTENTION_OPERANDS];     // and the latter
  MlirValue steps;                                           // of the running task, where that differs; else null
  MlirValue rows_at; // where its rows' operand begins, where that has two slots; else null
  bool holds_rows;   // the rows' operand, too, goes into registers: its memory is free for the next task at once
  bool takes_turns;  // warp groups issue products one after the other
} strata_gpu_attention_t;

// True for a kernel of a kind that is attention.
bool strata_gpu_is_attention(const strata_gpu_distribution_t *d);
// True for a kernel's pipeline whose loop is attention's.
bool strata_gpu_attention_is_loop(const strata_gpu_distribution_t *d, MlirOperation loop);
// The loop of the running task, by consumers (attention_loop.c): defines the old loop's results.
STRATA_MUST_CHECK strata_status_t strata_gpu_attention_loop(strata_gpu_distribution_t *d, strata_gpu_attention_t *a);

// Where the running task's is in the ring of the rows' operand.
strata_ring_place_t strata_gpu_attention_rows_place(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a);
// The rows' operand as pairs, where the kernel holds it in registers (attention_product.c).
int strata_gpu_attention_load_rows(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue *out_rows);
// The products. Scores of the step whose keys are in |slot|, columns / 2 of them, of |rows| if they are in registers;
// the values in |slot| weighed by |weights|, columns / 4 pairs, added to |sums|.
void strata_gpu_attention_emit_scores(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *rows, MlirValue *out_scores);
void strata_gpu_attention_emit_values(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                      const MlirValue *weights, MlirValue *sums);
// Makes the values in |slot|, which have come, zero from column |from| on, which is not negative, by the thread's
// group.
void strata_gpu_attention_clear_values(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, MlirValue slot,
                                       MlirValue from);
// Bytes (attention_widen.c). True if |which| comes as such, which producers widen; if one does. The load that |value|,
// of 16 bits, is made of, and what its bytes are: "" if it is of 16 bits itself.
static inline bool strata_gpu_attention_is_stored(const strata_gpu_attention_t *a, int which) {
  return !mlirValueIsNull(a->stored[which].shared.value);
}
static inline bool strata_gpu_attention_widens(const strata_gpu_attention_t *a) {
  return strata_gpu_attention_is_stored(a, STRATA_ATTENTION_KEYS) ||
         strata_gpu_attention_is_stored(a, STRATA_ATTENTION_VALUES);
}
MlirValue strata_gpu_attention_loaded(MlirValue value, const char **out_from);
STRATA_MUST_CHECK strata_status_t strata_gpu_attention_read_stored(strata_gpu_attention_t *a, int which);
// By wideners: those of the step at |place|, in the ring of bytes, into the slot that this step has in the ring of what
// instructions read.
void strata_gpu_attention_widen_step(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a, int which,
                                     strata_ring_place_t place);

// Registers of the scores' layout in 16 bits as pairs, complete before what follows.
void strata_gpu_attention_emit_weights(strata_gpu_distribution_t *d, const strata_gpu_attention_t *a,
                                       const strata_registers_t *registers, MlirValue *out_weights);

// Puts the ops behind |first|, to the end of the new code, into the order in which the last of them need one another,
// so that values live shortly (attention_order.c). Does nothing where they are more than arithmetic.
void strata_gpu_sort_depth_first(strata_gpu_distribution_t *d, MlirOperation first);

#endif
