// Pipelined products, from within: what a candidate's tile and ring are and whether it fits (pipelined_tile.c), and how
// long it takes (pipelined_time.c). Internal to these and schedule_pipelined.c, which has the candidates; other
// pipelined kernels have their blocks' constants from here.
//
// Functions of tiles and the ring want what strata_pipelined_set_tile fills in; those of time all but |seconds| and
// |bound|.
#ifndef STRATA_PASSES_AFFINE_PIPELINED_H
#define STRATA_PASSES_AFFINE_PIPELINED_H

#include "dialects/tile/product_form.h"
#include "passes/affine/candidates.h"

enum { STRATA_PIPELINED_BARRIER_BYTES = 1 << 10 }; // of shared memory, at most

//===-- Candidates -----------------------------------------------------------------------------------------------===//

// False of products that the model never chooses it for; takes the candidate's time by corrections.def, false where it
// is never to be chosen.
bool strata_pipelined_is_tried(const strata_work_t *work);
bool strata_pipelined_correct(const strata_work_t *work, strata_pipelined_choice_t *p);
// As those of strata_ways_t: pipelined products' of all kinds.
bool strata_pipelined_predict(const strata_work_t *work, strata_candidate_t *c);
strata_schedule_t strata_pipelined_write(const strata_work_t *work, const strata_candidate_t *c);
bool strata_pipelined_admits(const strata_work_t *work, const strata_candidate_t *c, const strata_schedule_t *given);
const char *strata_pipelined_explain(strata_arena_t *arena, const strata_work_t *work, const strata_candidate_t *c);

// Cycles that a tile takes for reductions of its rows (schedule_norm.c).
double strata_norm_cycles(const strata_problem_t *problem, const strata_pipelined_choice_t *p);

//===-- Tiles ----------------------------------------------------------------------------------------------------===//

// A candidate of |shape| with one of everything: block, tile, product, neighbouring rows.
strata_pipelined_choice_t strata_pipelined_single(strata_pipelined_shape_t shape, size_t number);
// Fills in a candidate's |rows|, |columns|, |tile| and |step|.
void strata_pipelined_set_tile(const strata_problem_t *problem, strata_pipelined_choice_t *p);

// Those of whole clusters, some beyond the results: of one product, of all of the launch.
int64_t strata_pipelined_own_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p);
int64_t strata_pipelined_tiles(const strata_problem_t *problem, const strata_pipelined_choice_t *p);

// Blocks of a cluster that share operands; processors that such clusters fill.
int64_t strata_pipelined_cluster(const strata_pipelined_choice_t *p);
int64_t strata_pipelined_processors(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p);
// The blocks of a grid for any number of tiles.
int64_t strata_pipelined_most_blocks(const strata_gpu_device_t *device, const strata_pipelined_choice_t *p);

//===-- The ring -------------------------------------------------------------------------------------------------===//

// What a slot has of a side: the tiles of all blocks of a cluster along the instruction's columns, those of a pair.
int64_t strata_pipelined_slot_rows(const strata_pipelined_choice_t *p, int side);
int64_t strata_pipelined_slot_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p);
// Groups beside one another along the columns, as they have no rows of their own.
int64_t strata_pipelined_across(const strata_pipelined_choice_t *p);
// As many as there is room for.
int64_t strata_pipelined_slots(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p);
// True if a processor has room for |blocks| blocks of |slots|.
bool strata_pipelined_has_room(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p, int64_t slots, int64_t blocks);
// True if tiles whose blocks share a reduction begin within spans of an operand that lies across it.
bool strata_pipelined_splits_spans(const strata_problem_t *problem, const strata_pipelined_choice_t *p);
// The steps of a tile; of a block, where all have equal shares of all tiles' steps.
int64_t strata_pipelined_steps_of_tile(const strata_problem_t *problem, const strata_pipelined_choice_t *p);
int64_t strata_pipelined_share(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p);
// True if rows of the side's tile begin within sectors of the second-level cache.
bool strata_pipelined_straddles(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side);
// Bytes of a row's step.
int64_t strata_pipelined_row_bytes(const strata_problem_t *problem, int side);
// True if an operand's numbers are unpacked by the threads that multiply them.
bool strata_pipelined_unpacks(const strata_problem_t *problem);
// Copies of a side's tile by the copy engine; 0: it does not come in bulk.
int64_t strata_pipelined_count_boxes(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side);
// True if the last tile along a side brings no more rows of its operand than there are (strata_product_clips).
bool strata_pipelined_is_clipped(const strata_problem_t *problem, const strata_pipelined_choice_t *p, int side);
// True if threads take the left operand from shared memory themselves: its fragments need registers.
bool strata_pipelined_reads_left(const strata_problem_t *problem, const strata_pipelined_choice_t *p);
// Bytes that a slot of all blocks together brings from memory, where all tiles are under way at the same time: those of
// a cluster are at different steps.
double strata_pipelined_distinct_bytes(const strata_problem_t *problem, const strata_pipelined_choice_t *p);

bool strata_pipelined_is_legal(const strata_gpu_device_t *device, const strata_problem_t *problem,
                               const strata_pipelined_choice_t *p);

//===-- Time -----------------------------------------------------------------------------------------------------===//

// A choice's |bound| where memory decides.
extern const char strata_pipelined_memory_bound[];

// Fills in |seconds| and |bound|.
void strata_pipelined_predict_time(const strata_gpu_device_t *device, const strata_problem_t *problem,
                                   strata_pipelined_choice_t *p);

#endif
