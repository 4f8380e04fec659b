// Distribution over the threads of a group: the block-level code of one kernel rewritten as what one thread does.
//
// The old body is walked once, in order, and new code is appended. A block-level value becomes *scalars*, one SSA value
// for each register its layout (layout.h) gives a thread, hanging registers included; vectors only occur at loads and
// stores. Each op has a rule (rules.def) that reads the registers of its operands and defines those of its results;
// what has no rule is arithmetic, done register by register, or structure, kept with its values replaced by registers.
// Before, assign.c chooses a layout for every value.
#ifndef STRATA_LOWERING_TILE_TO_GPU_DISTRIBUTE_H
#define STRATA_LOWERING_TILE_TO_GPU_DISTRIBUTE_H

#include "dialects/affine/symbols.h"
#include "lowering/distribute/records.h"
#include "lowering/emit/emit.h"
#include "lowering/expand/arithmetic.h"
#include "lowering/tile_to_gpu/layout.h"
#include "passes/target.h"

// What a value has become. A scalar (rank 0) is one register, the same in every thread of the group.
typedef struct {
  MlirType type; // of the block-level value
  MlirType element;
  int rank;
  int64_t sizes[STRATA_VALUE_RANK];
  strata_layout_t layout;
  int64_t count;     // registers
  MlirValue *values; // count; owned by the compile's arena
} strata_registers_t;

typedef struct strata_gpu_record strata_gpu_record_t; // what is known of an old value (values.c)
typedef struct strata_gpu_kept strata_gpu_kept_t;     // a load whose registers shared memory holds (kept.c)

typedef struct strata_gpu_moments strata_gpu_moments_t; // two sums of rows that are computed at once (moments.c)

typedef struct strata_gpu_column strata_gpu_column_t; // a vector along rows that shared memory holds (columns.c)

// How warps have combined what they hold, outside of loops and branches: each time through memory of its own.
typedef struct {
  int64_t count; // how often
  int64_t parts; // equal parts of the group that waited for nobody else; 1: all waited for all
  int64_t bytes; // of shared memory
  bool is_mixed; // the parts were not the same each time
} strata_combines_t;

// Shared memory of the block: %shared. Every allocation has one slice a group, so that each group has its own.
typedef struct {
  MlirValue memory;       // memref<N x i8, 3>
  int64_t size;           // bytes used so far, of the whole block
  int64_t exchange_size;  // bytes of a group's part for layout conversions, 0: none yet
  int64_t exchange_at;    // where that part begins
  int64_t n_exchanges;    // conversions that have gone through it
  bool is_dirty, is_read; // it was written, read since the last barrier
  bool owes_fence;        // what the copy engine has brought was loaded: a fence of "shared" before the next barrier
  bool has_met;           // the blocks of the cluster have all begun: theirs is there
  strata_combines_t combines;
} strata_shared_t;

typedef struct strata_gpu_distribution strata_gpu_distribution_t;
typedef struct strata_gpu_constants strata_gpu_constants_t; // constants.h
typedef strata_status_t (*strata_gpu_rule_t)(strata_gpu_distribution_t *d, MlirOperation op);

// What the schedule says of the launch; schedule.def has the keys.
typedef struct {
  int64_t rows;              // of a task of rows; else 1
  int64_t producers, blocks; // of a pipelined product (pipelined.h); else 0
  strata_layout_t cluster;   // its blocks, along dims of groups.h
  int64_t stagger;           // steps by which a task's reduction begins behind that of the task before
  bool stream;               // each block has an equal share of all tasks' steps
  bool dynamic;              // a block takes the next task that none has begun
  strata_size_t n_tasks;     // of the foralls
  bool has_parts;            // several foralls, each with blocks of its own (parts.c)
  strata_size_t part_blocks; // of all of these
  bool is_chain;             // these have the same block, one after the other
  bool has_many_parts;       // so many that each reads the pointers to its buffers itself
  bool has_cases;            // the same, of as many blocks each
  bool fetches_early;        // constants, before the kernel in front has ended (pipelined_early.c)
} strata_gpu_plan_t;

// Who carries out the code at its end, and on what: a scope (roles.h). At first all threads of the block.
typedef struct {
  int64_t threads, group; // that play it, in groups of so many, which carry out a task together
  MlirValue thread;       // number of the thread in its group, [0, group)
  MlirValue group_number; // of the group, [0, threads / group)
  MlirValue rank;         // of the block in its cluster (cluster.h)
  MlirValue task;         // number of the running task
  MlirValue active;       // i1, false in groups beyond the last task: they repeat it and store nothing; null: none is
} strata_gpu_role_t;

// scf.ifs and loops around the end of the new code.
typedef struct {
  int branches, loops;
} strata_gpu_nest_t;

// What rules of one kind remember between ops; each is its own file's, and null where there is none.
typedef struct {
  strata_gpu_kept_t *kept;
  strata_gpu_column_t *columns;
  strata_gpu_moments_t *moments;
  struct strata_rows_ahead *ahead;           // rows fetched a task ahead (rows_ahead.h)
  struct strata_pipelined_kernel *pipelined; // a pipelined kernel, once begun
} strata_gpu_state_t;

struct strata_gpu_distribution {
  strata_compile_t *compile;
  const strata_gpu_device_t *device;
  strata_gpu_rule_t rule;         // rewrites an op: strata_gpu_apply_rule
  strata_emitter_t e;             // the end of the new code
  strata_arithmetic_t arithmetic; // emits to e
  MlirOperation func;             // the old one
  strata_size_symbols_t sizes;    // of the module, where the kernel uses some
  MlirValue *symbols;             // the values of those it uses
  int64_t index_bits;             // of index values: 32 or 64
  const strata_gpu_constants_t *constants;
  strata_gpu_plan_t plan;
  strata_gpu_role_t role;
  strata_gpu_nest_t nest;
  strata_shared_t shared;
  strata_gpu_state_t state;
  STRATA_VECTOR(MlirAttribute) maps; // of the function: strata.maps
  strata_records_t values;           // what is known of old values: strata_gpu_record_t (values.h)
};

//===-- Values ---------------------------------------------------------------------------------------------------===//

// The shape of a value of |type| in |layout|: everything but values.
strata_registers_t strata_registers_shape(MlirType type, const strata_layout_t *layout);
// The registers of an old value.
const strata_registers_t *strata_registers_of(strata_gpu_distribution_t *d, MlirValue old);
// Registers for an old value in the layout chosen for it; fill ->values, then define.
strata_registers_t strata_registers_new(strata_gpu_distribution_t *d, MlirValue old);
// The same for a value of |type| in any layout, for rules that make values on the way.
strata_registers_t strata_registers_in(strata_gpu_distribution_t *d, MlirType type, const strata_layout_t *layout);
// Defines |old|; if |registers| is in another layout than the one chosen for |old|, it is kept in that one.
void strata_registers_define(strata_gpu_distribution_t *d, MlirValue old, const strata_registers_t *registers);
// The new value of an old scalar, and its definition.
MlirValue strata_new_scalar(strata_gpu_distribution_t *d, MlirValue old);
void strata_define_scalar(strata_gpu_distribution_t *d, MlirValue old, MlirValue scalar);
// Step |step| of the old loop whose body is |body| comes next: its induction variable.
void strata_define_step(strata_gpu_distribution_t *d, MlirBlock body, MlirValue step);

//===-- Layouts --------------------------------------------------------------------------------------------------===//

// For a distribution's ->values.
strata_records_t strata_gpu_records(strata_arena_t *arena);

// Chooses a layout for every vector value of the kernel (assign.c).
STRATA_MUST_CHECK strata_status_t strata_assign_layouts(strata_gpu_distribution_t *d, MlirOperation func);
// The layout chosen for a value; that of a scalar has no digits but copies.
const strata_layout_t *strata_layout_of(strata_gpu_distribution_t *d, MlirValue old);
// What assign.c works with: values that share one layout; a layout that is fixed (an accumulator's fragment).
void strata_layouts_unify(strata_gpu_distribution_t *d, MlirValue a, MlirValue b);
void strata_layout_fix(strata_gpu_distribution_t *d, MlirValue old, const strata_layout_t *layout);
// For a contraction: fixes the layouts of its accumulator and, where it wants them in registers, its operands.
STRATA_MUST_CHECK strata_status_t strata_contract_fix_layouts(strata_gpu_distribution_t *d, MlirOperation op);

// The same again, out of shared memory, if that was the last conversion through it.
STRATA_MUST_CHECK strata_status_t strata_registers_again(strata_gpu_distribution_t *d, const strata_registers_t *from,
                                                         const strata_layout_t *layout, strata_registers_t *out);
// |from| in |layout|: by renaming registers where each thread has what it needs, else through shared memory (then all
// threads of the block must get here). UNSUPPORTED where neither is possible.
STRATA_MUST_CHECK strata_status_t strata_registers_convert(strata_gpu_distribution_t *d, const strata_registers_t *from,
                                                           const strata_layout_t *layout, strata_registers_t *out);
// The registers of an old value in |layout|.
STRATA_MUST_CHECK strata_status_t strata_registers_as(strata_gpu_distribution_t *d, MlirValue old,
                                                      const strata_layout_t *layout, strata_registers_t *out);

//===-- Coordinates ----------------------------------------------------------------------------------------------===//

// The part of the coordinate along |dim| that depends on the thread, as an expression over affine dim |thread|, which
// stands for the thread's number in its group; the register's part is strata_layout_reg_coordinate.
MlirAffineExpr strata_thread_coordinate(MlirContext context, const strata_layout_t *layout, int dim, int thread);
// The coordinate of register |reg| along |dim| as an index value.
MlirValue strata_emit_coordinate(strata_gpu_distribution_t *d, const strata_layout_t *layout, int64_t reg, int dim);

//===-- Shared memory --------------------------------------------------------------------------------------------===//

// Shared memory for each group, 16-byte aligned: the running group's slice as a memref of |sizes| elements in space 3;
// strata_shared_alloc is that of rank 1. UNSUPPORTED if the device has not so much.
STRATA_MUST_CHECK strata_status_t strata_shared_alloc_box(strata_gpu_distribution_t *d, MlirType element, int rank,
                                                          const int64_t *sizes, MlirValue *out_memory);
STRATA_MUST_CHECK strata_status_t strata_shared_alloc(strata_gpu_distribution_t *d, MlirType element, int64_t count,
                                                      MlirValue *out_memory);
// Waits for all threads of the block and makes what they wrote visible. Says so where barriers are not allowed.
STRATA_MUST_CHECK strata_status_t strata_emit_barrier(strata_gpu_distribution_t *d);
// The same, but that loads and stores of other memory may pass it.
STRATA_MUST_CHECK strata_status_t strata_emit_shared_barrier(strata_gpu_distribution_t *d);

//===-- Rules ----------------------------------------------------------------------------------------------------===//

STRATA_MUST_CHECK strata_status_t strata_gpu_distribute_block(strata_gpu_distribution_t *d, MlirBlock block);
STRATA_MUST_CHECK strata_status_t strata_gpu_distribute_op(strata_gpu_distribution_t *d, MlirOperation op);

// What ->rule is: chooses among all rules (rules.c).
STRATA_MUST_CHECK strata_status_t strata_gpu_apply_rule(strata_gpu_distribution_t *d, MlirOperation op);

#define RULE(name, function) STRATA_MUST_CHECK strata_status_t function(strata_gpu_distribution_t *d, MlirOperation op);
#include "lowering/tile_to_gpu/rules.def"

// True for the ops of arith and math, constants apart, and vector.fma: same meaning element by element.
bool strata_gpu_is_arithmetic(MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_rule_arithmetic(strata_gpu_distribution_t *d, MlirOperation op);
STRATA_MUST_CHECK strata_status_t strata_gpu_rule_structure(strata_gpu_distribution_t *d, MlirOperation op);
// The dim of the source behind each dim of the result of a broadcast, transpose or shape_cast; STRATA_COPIES where
// there is none. False if the op moves elements otherwise.
bool strata_movement_dims(MlirOperation op, int *out_dims);
// An scf.for around one vector.contract, marked tile.pipeline (contract_loop.c).
STRATA_MUST_CHECK strata_status_t strata_gpu_pipeline(strata_gpu_distribution_t *d, MlirOperation op);
// UNSUPPORTED: "OP: WHAT is not supported on GPUs".
STRATA_MUST_CHECK strata_status_t strata_gpu_missing(MlirOperation op, const char *what);

#endif
