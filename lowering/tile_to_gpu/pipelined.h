// Pipelined products (docs/gpu.md): what the parts of their lowering share. Internal to pipelined*.c and bulk.c.
//
// A block's tile of a result is computed by warp groups that multiply straight from shared memory, while producers
// fetch the next steps of the operands into a ring of slots. The old kernel's body is walked twice, once for each role:
// what the addresses and operands need in the producers, everything else in the consumers.
#ifndef STRATA_LOWERING_TILE_TO_GPU_PIPELINED_H
#define STRATA_LOWERING_TILE_TO_GPU_PIPELINED_H

#include "lowering/tile_to_gpu/operand.h"
#include "lowering/tile_to_gpu/ring.h"
#include "lowering/tile_to_gpu/roles.h"
#include "lowering/tile_to_gpu/shared.h"

enum { STRATA_MOST_OF_THREE = 112 }; // registers of a thread of three groups for sums and the epilogue's operands

// An operand in a ring.
typedef struct strata_ring_operand strata_ring_operand_t;
struct strata_ring_operand {
  strata_shared_operand_t shared; // ->memory: all slots
  int64_t slot;                   // elements of a slot
  int64_t tiles;                  // in a slot: those of |tiles| tasks, |stride| apart, one behind the other
  int64_t stride;
  bool is_joint;               // a slot has the tiles of all blocks of a cluster, which come as one
  strata_ring_operand_t *next; // of a list, a pair's columns: that whose tile lies behind this one's; NULL: none
  MlirOperation unpack;        // the tile.unpack whose words it is: threads make fragments of them; null: none
  strata_ring_operand_t *with; // of a list, its scales and zero points: what each slot has besides; NULL: nothing
};

// Reads |value|, of whose dims |contiguous| is that in memory: how it comes, and lies in a slot.
STRATA_MUST_CHECK strata_status_t strata_ring_operand_read(strata_gpu_distribution_t *d, MlirValue value,
                                                           const strata_operand_terms_t *terms, int contiguous,
                                                           strata_ring_operand_t *operand);

typedef struct strata_instruction strata_instruction_t; // pipelined_instruction.h

typedef struct {
  bool reads_left; // threads read the left operand, of f32 across the reduction, and hand it on in registers
  bool unpacks;    // or numbers of few bits
  const strata_instruction_t *instruction;
  const strata_mma_t *mma;
  bool swap;
  int64_t m_blocks; // instructions' rows of a group, in STRATA_GROUP_ROWS
  int64_t n;        // columns of a result's tile
  int64_t pair;     // products of a task that share the rows' operand (pipelined_pair.c); so many are the columns'
  int64_t parts;    // tiles of an instruction, side by side along its columns: those of a cluster's blocks
  int64_t steps;    // instructions a slot
  int64_t groups;   // of consumers; side by side along the instruction's rows,
  int64_t across;   // or, as many of them, along its columns: 1, or all
  int64_t depth;    // groups that sum up the same tile, each every so many steps (pipelined_depth.c); else 1
  int64_t teams;    // of a block, each with tasks of its own: 1, or 2 of one group
  int64_t slots;
  MlirType sum;
  strata_layout_t layout;            // of the sum
  strata_ring_operand_t operands[2]; // of the result's rows and columns
} strata_pipelined_t;

// A tile of an operand of the epilogue, which comes through the ring behind the steps (pipelined_epilogue.c).
typedef struct {
  MlirOperation load; // the tile.load it replaces
  int64_t bytes;      // of an element
  strata_bulk_t bulk;
} strata_epilogue_tile_t;

enum { STRATA_EPILOGUE_TILES = 2 };

// Of blocks that have shares of all tasks' steps (pipelined_stream.c): the block's steps among all, the running task's
// first one among them, and which of the task's steps are the block's.
typedef struct {
  MlirValue block, begin, end, tasks_end, task_begin, lower, upper;
  MlirValue *sums; // of those steps
  strata_loop_t branch;
} strata_stream_t;

// Where blocks take tasks of a counter (pipelined_dynamic.c): messages of which task is next.
enum { STRATA_DYNAMIC_FIELDS = 8 };
typedef struct {
  bool are_counted; // those of the loop in hand
  strata_ring_t ring;
  MlirValue message; // memref<(1 + n_fields)xi64, 3>: a task's number, and numbers of tables
  int n_fields;
  MlirOperation fields[STRATA_DYNAMIC_FIELDS]; // what reads these, in front of the loop
} strata_dynamic_t;

// A product with the code of another: the function's buffers that it has in the place of each of the other's; null
// where that has none.
typedef struct {
  MlirValue *buffers;
} strata_pipelined_twin_t;

// The part of the kernel being emitted: a forall, one or more of which share ring, roles and grid.
typedef struct strata_pipelined_kernel strata_pipelined_kernel_t;
typedef struct strata_scheduler strata_scheduler_t; // schedulers.h
typedef struct strata_mainloop strata_mainloop_t;   // mainloops.h
struct strata_pipelined_kernel {
  strata_pipelined_t product;
  const strata_scheduler_t *scheduler;
  const strata_mainloop_t *mainloop;
  int64_t fetchers; // producers' threads that fetch: one where all comes in bulk
  int64_t wideners; // warp groups behind the producers that widen what these fetch
  int64_t widener;  // the number of that whose code is emitted
  bool has_early;   // of operand |early| the first steps come before the wait (pipelined_early.c)
  int early;
  MlirValue is_first;           // i1: the running task is the block's first; null: it has no other
  MlirOperation loop, contract; // the old ones, of a pair the first
  strata_size_t n_steps;        // slots filled for a task, by all blocks of a cluster together
  int64_t blocks;               // of the first with a ring: those that share its tasks; 0: a block has one
  strata_ring_t ring;
  int64_t ring_at;  // where the slots begin in shared memory, bytes
  int64_t staging;  // where results on their way to memory lie
  bool is_full;     // threads have no registers to spare, as in attention's loop: no value is exchanged
  int64_t staged;   // sub-tiles emitted so far, of one task
  int64_t row_used; // bytes of the ring that results of rows have taken since
  int n_tiles;      // of the epilogue's operands, that come through the ring
  strata_epilogue_tile_t tiles[STRATA_EPILOGUE_TILES];
  MlirValue group;           // of a consumer: the number of its warp group
  MlirValue fetcher;         // of a producer: that for which it fetches, where groups share a tile's steps
  MlirValue turns;           // of teams: memref<teams x i64, 3>; phase i of a team's ends when its task i may begin
  MlirValue ordinal;         // of the running task among the block's
  strata_stream_t stream;    // of the running task
  strata_dynamic_t tasks;    // of the first
  strata_ring_place_t place; // at the end of the new code
  MlirValue parity;          // of what is fetched once a task: that of the task's number in its block
  MlirValue round;           // of that in two slots: the parity of half the number; null: it is not counted
  MlirOperation placed;      // a store whose first box's coordinates are known: |placed_at|
  MlirValue placed_at[STRATA_BULK_COORDINATES];
  MlirBlock body;                               // the old forall's
  strata_size_t n_tasks;                        // its own
  strata_pipelined_kernel_t *next;              // of the same launch and ring, NULL: none; its tasks follow
  STRATA_VECTOR(strata_pipelined_twin_t) twins; // those that follow and have the same consumers (pipelined_twins.c)
  MlirValue which, *own_buffers;    // then: the number of the running one, 0 for the first; new values of the buffers
  strata_pipelined_kernel_t *other; // of the first with a ring: that with another one, whose blocks follow
};

// What |op|, a vector.contract of a kernel with producers, is.
STRATA_MUST_CHECK strata_status_t strata_pipelined_read(strata_gpu_distribution_t *d, MlirOperation op,
                                                        strata_pipelined_t *out_product);

// UNSUPPORTED where |p| cannot be carried out in the form that the schedule asks for (pipelined_form.c).
STRATA_MUST_CHECK strata_status_t strata_pipelined_check(const strata_gpu_distribution_t *d, MlirOperation op,
                                                         const strata_pipelined_t *p);
// Where operands end within tiles nothing more comes, as strata_product_clips has it: the copy engine takes longer for
// zeros than for what there is.
void strata_pipelined_clip(strata_gpu_distribution_t *d, MlirOperation op, strata_pipelined_t *p);

// The loop of a forall's body |body| that is marked tile.pipeline; a null operation if there is none.
MlirOperation strata_pipelined_loop(MlirBlock body);

// Distributes those ops in front of the loop that |wants| is true of, for the running task.
STRATA_MUST_CHECK strata_status_t strata_pipelined_distribute(strata_gpu_distribution_t *d,
                                                              const strata_pipelined_kernel_t *k,
                                                              bool (*wants)(MlirOperation op));
// What says where the running task's operands are, and whether there is any work.
STRATA_MUST_CHECK strata_status_t strata_pipelined_addresses(strata_gpu_distribution_t *d,
                                                             strata_pipelined_kernel_t *k);

// The whole forall and those behind it: both roles. d->state.pipelined is valid from here on.
STRATA_MUST_CHECK strata_status_t strata_pipelined_forall(strata_gpu_distribution_t *d, MlirOperation forall,
                                                          const strata_mainloop_t *mainloop);

// Tasks of |first| and those behind it (pipelined_turns.c).
strata_size_t strata_pipelined_tasks(const strata_pipelined_kernel_t *first);

// Notes the twins of |k|; the last of them, |k| if there are none. Between begin and end the running task's, one of all
// of theirs, is one of |k|'s, whose buffers are those of the twin that it is of. Stores by the map of that.
void strata_twins_find(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
strata_pipelined_kernel_t *strata_twins_last(strata_pipelined_kernel_t *k);
void strata_twins_begin(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
void strata_twins_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_twins_store(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const strata_bulk_t *bulk,
                        int64_t span, int n_operands, const MlirValue *operands);

// Of teams (pipelined_teams.c): waits until the running task may begin; lets the next one begin.
void strata_team_wait(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_team_pass(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
// The consumer's group among those of its task.
MlirValue strata_emit_own_group(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);

// Groups that share a tile's steps (pipelined_depth.c): the first step and slot of group |which|, of those of all; the
// slot of all behind them. Of others all are as they were. The group that a producer of the kernels from |first| on
// fetches for; whether it is a thread that does, where all comes in bulk.
void strata_depth_begin(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue which,
                        MlirValue *step, MlirValue *slot);
MlirValue strata_depth_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue which,
                           MlirValue slot);
void strata_depth_find_fetcher(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *first);
MlirValue strata_depth_fetches(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);

// Constants before the wait (pipelined_early.c): finds the operand that comes so. Where the steps that have come so
// end, of those from |lower| to |upper| - 1 of the running task: |lower| where it is not the block's first.
void strata_early_find(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
MlirValue strata_early_end(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue lower,
                           MlirValue upper);

// Tiles of the epilogue's operands that come through the ring (pipelined_epilogue.c): finds them; the slots that they
// take of each task; whether |op| is one's load. Producers fetch them, consumers have their values from then on.
void strata_epilogue_read(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
int64_t strata_epilogue_slots(const strata_pipelined_kernel_t *k);
bool strata_epilogue_has(const strata_pipelined_kernel_t *k, MlirOperation op);
void strata_epilogue_fetch(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);
// Until all of the running task's have come.
void strata_epilogue_await(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
void strata_epilogue_receive(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// A box of 64 rows of |span| bytes in shared memory whose 16-byte units are exchanged: |block| of a group's rows,
// columns from |column| on, elements of |bytes|.
typedef struct {
  MlirValue lane; // the thread's number in its group
  int64_t block, column, bytes, span;
} strata_sub_tile_t;
// For each of the thread's pairs of neighbours in a box that begins at element |at|: the number of the first one's
// register in the layout of the sums, and where the pair lies, |further| elements behind a value that is the same for
// several.
typedef void (*strata_pair_visit_t)(void *user, int64_t first, MlirValue at, int64_t further);
void strata_pipelined_pairs(strata_gpu_distribution_t *d, const strata_pipelined_t *p, const strata_sub_tile_t *box,
                            MlirValue at, strata_pair_visit_t visit, void *user);

// The dim of the result that the instruction's rows run along; columns of an instruction; a thread's sums of all
// instructions (pipelined_slots.c).
int strata_pipelined_left_side(const strata_pipelined_t *p);
int64_t strata_pipelined_columns(const strata_pipelined_t *p);
int64_t strata_pipelined_sums(const strata_pipelined_t *p);
// Bytes of an operand's part of a slot.
int64_t strata_ring_slot_bytes(const strata_ring_operand_t *operand);
// Of all slots.
int64_t strata_ring_bytes(const strata_pipelined_t *p);
// True if a single thread fetches everything.
bool strata_pipelined_is_bulk(const strata_pipelined_t *p);

// The number of the first task of the block's cluster.
MlirValue strata_pipelined_first_task(strata_gpu_distribution_t *d);

// Pairs (pipelined_pair.c): the products of |loop|; the op that gives its result |i|, a null operation where it is
// none; the number, among the sums of a task's instructions, of sum |i| of product |which|; the second one's result
// from those.
int64_t strata_pair_count(MlirOperation loop);
MlirOperation strata_pair_contract(MlirOperation loop, intptr_t i);
int64_t strata_pair_sum(const strata_pipelined_t *p, int64_t which, int64_t i);
void strata_pair_define_second(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, const MlirValue *sums);

//===-- Operands that the blocks of a cluster share (pipelined_share.c) ------------------------------------------===//

bool strata_pipelined_shares(const strata_gpu_distribution_t *d);
// Blocks that fetch for this one, itself among them.
int64_t strata_share_senders(const strata_gpu_distribution_t *d);
// Parts that an operand is fetched in, of which the running block fetches number ..._piece, for ..._blocks: a bit each.
int64_t strata_share_pieces(const strata_gpu_distribution_t *d, int side);
MlirValue strata_share_piece(strata_gpu_distribution_t *d, int side);
MlirValue strata_share_blocks(strata_gpu_distribution_t *d, int side);
// The operand's copies in |pieces| equal parts, as many in each; false if there are none.
bool strata_share_divide(const strata_bulk_t *bulk, int64_t pieces, strata_bulk_t *out);
// The thread's warp group has read |slot|.
void strata_pipelined_release(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k, MlirValue slot);
// Waits until nobody will arrive at the producer's barriers any more; k->place is behind the last slot.
void strata_share_drain(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// Reductions over rows that the tiles of a cluster are together (pipelined_parts.c). Producers at the end meet
// consumers, whose meetings are counted by the reductions; memory where the slots were.
void strata_row_meet(strata_gpu_distribution_t *d, const strata_pipelined_kernel_t *k);
STRATA_MUST_CHECK strata_status_t strata_row_memory(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                                    MlirValue *out);

// The instruction's first row of two that |lane| of a warp group has, as an element of the result's dim.
MlirValue strata_pipelined_lane_row(strata_gpu_distribution_t *d, const strata_pipelined_t *p, MlirValue lane);

// Where sizes vary, a consumer's tile of the result: dividing by them takes long, so it is done before a wait.
void strata_pipelined_place_store(strata_gpu_distribution_t *d, strata_pipelined_kernel_t *k);

// True of elements that pass through the staging memory, or the slots, in boxes that the copy engine moves.
bool strata_pipelined_is_staged(MlirType element);
// Bytes of shared memory for results on their way to memory.
int64_t strata_pipelined_staging_bytes(const strata_pipelined_t *p);
// A tile.store of a value in the layout of the sums, through shared memory and by the copy engine (pipelined_store.c).
// False, and nothing emitted, where that is not possible.
STRATA_MUST_CHECK strata_status_t strata_pipelined_store(strata_gpu_distribution_t *d, MlirOperation op,
                                                         bool *out_taken);
// Waits until everything the thread's warp group has staged has been read.
void strata_pipelined_drain(strata_gpu_distribution_t *d);

// Values in the layout of the sums, exchanged through the staging memory for runs of neighbours in memory
// (pipelined_runs.c). |registers|, about to be stored to |box|; false, and nothing emitted, where that is no use.
bool strata_pipelined_to_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box, strata_registers_t *registers);
// The same and stored at once, of rows that begin anywhere (pipelined_rows.c).
bool strata_pipelined_store_rows(strata_gpu_distribution_t *d, const strata_transfer_t *transfer,
                                 const strata_registers_t *registers);
// Registers for the load of what is to become |registers|, and those filled, back.
bool strata_pipelined_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box,
                           const strata_registers_t *registers, strata_registers_t *out_runs);
void strata_pipelined_from_runs(strata_gpu_distribution_t *d, const strata_gpu_box_t *box, strata_registers_t *runs,
                                strata_registers_t *registers);

//===-- Level 4's ops --------------------------------------------------------------------------------------------===//

// Between products: one of tile.mma_fence and tile.mma_wait on |count| sums; |pending| of the latter, else -1.
void strata_emit_mma_order(strata_gpu_distribution_t *d, const char *name, int64_t count, MlirValue *sums,
                           int64_t pending);

#endif
