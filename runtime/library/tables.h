// The tables of an emitted library that are alike on every target: launches, their arguments, and the constants.
//
// targets/library writes them as LLVM IR, field by field; everything is constant and shared by all threads.
#ifndef STRATA_RUNTIME_TABLES_H
#define STRATA_RUNTIME_TABLES_H

#include "runtime/include/strata/runtime.h"

// Numbers in the tables of a call, of bytes, tasks and the like: one from 0 on is itself, a negative one is -1 - k,
// value k of the call. In a library whose sizes do not vary there are no values.
static inline int64_t strata_rt_number(int64_t number, const int64_t *values) {
  return number >= 0 ? number : values[-1 - number];
}

// What a value must be, else the sizes of the call are refused.
typedef struct {
  uint64_t value;
  int64_t min, max, multiple;
  const char *text; // what it is
} strata_rt_check_t;

// The values of a call: its sizes, as the description has them, and what is computed from them.
typedef struct {
  uint64_t n_values;                 // the sizes among them
  const strata_value_info_t *values; // of those behind the sizes
  uint64_t n_checks;
  const strata_rt_check_t *checks; // of values behind the sizes
  const int64_t *tensor_sizes;     // bytes of each tensor, as numbers
} strata_rt_sizes_t;

enum { STRATA_RT_MAX_VALUES = 1 << 15 }; // they lie on the caller's stack

enum { STRATA_RT_ALIGNMENT = 256 }; // of the pool and the weights, and of every buffer in the pool
static inline size_t strata_rt_round_up(size_t size, size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

typedef enum {
  STRATA_RT_TENSOR,   // the call's tensor |index|: inputs, then outputs
  STRATA_RT_CONSTANT, // constant |index|
  STRATA_RT_PREPARED, // constant |index|, which the preparation computes: this launch may write it
  STRATA_RT_POOL,     // the pool
  STRATA_RT_SIZE,     // no buffer, but the number |offset| itself
} strata_rt_arg_kind_t;

// A buffer that a launch is given: a place and an offset into it, in bytes. In the body of a loop the tensors are the
// loop's arguments, and the pool is the last of them.
typedef struct {
  uint32_t kind; // strata_rt_arg_kind_t
  uint32_t index;
  int64_t offset; // a number
} strata_rt_arg_t;

typedef struct {
  uint32_t kernel; // of the program's kernels
  uint16_t n_args;
  uint8_t stream;     // on a GPU: 0: the call's; else one of its side streams
  uint8_t order;      // STRATA_RT_JOIN, then STRATA_RT_FORK, in front of it
  uint64_t first_arg; // of the list's args
  int64_t size; // bytes, of a GPU's copy (STRATA_RT_COPY), a number; which loop it is; which one is picked; else 0
} strata_rt_launch_t;

enum {
  STRATA_RT_FORK = 1, // the side streams may go on from here
  STRATA_RT_JOIN = 2, // the call's stream waits for all of them; so it does at the end of a list
};

// As the kernel of a launch: a loop of the list, whose body is launched so many times.
#define STRATA_RT_LOOP (UINT32_MAX - 1)

// As the kernel of a launch: one of several, of which |first_arg| is the first in the list and |size| the number of the
// one that the sizes of the call pick.
#define STRATA_RT_PICK (UINT32_MAX - 2)

typedef struct {
  int64_t count;                     // iterations, a number; of an open loop, at most
  uint64_t first_launch, n_launches; // of the list's: the body
  uint64_t first_step;               // of the list's: one for each argument of the loop
  // Arguments that decide when an open loop ends; STRATA_RT_NO_ARG: there is none.
  uint64_t condition; // a state of one byte: an iteration begins if it is not 0
  uint64_t limit;     // an int64_t: no more iterations than that
  int64_t flags;      // of an open loop on a GPU: where they begin in the loop's last argument, a number
  uint64_t n_flags;   // how many iterations have one; there is one more
} strata_rt_loop_t;

#define STRATA_RT_NO_ARG UINT64_MAX

// Of a flag: the first byte is 0 where the iteration does not run (lowering/guard_launches.c).
enum { STRATA_RT_FLAG_BYTES = 16 };

typedef enum {
  STRATA_RT_ROW,        // the argument, and so many bytes more in each iteration
  STRATA_RT_STATE,      // the argument at first, then what the iteration before wrote
  STRATA_RT_NEXT_STATE, // the argument at last, until then two buffers in turn
} strata_rt_step_kind_t;

// Added to the kind: stride, offset and size are numbers of values, -1 - k.
#define STRATA_RT_STEP_VARIES UINT64_C(256)

// How an argument of a loop moves.
typedef struct {
  uint64_t kind;   // strata_rt_step_kind_t
  int64_t stride;  // bytes; from one buffer of a state to the other
  uint64_t offset; // of a state's buffers in the loop's last argument
  uint64_t size;   // of a state, bytes
} strata_rt_step_t;

enum { STRATA_RT_MAX_LOOP_ARGS = 129 };

typedef struct {
  const strata_rt_launch_t *launches; // those of a call, then those of the loops' bodies and those that are picked
  uint64_t n_launches;                // the former
  const strata_rt_arg_t *args;
  uint64_t n_in_loops; // the latter
  const strata_rt_loop_t *loops;
  const strata_rt_step_t *steps;
} strata_rt_list_t;

// Which of the launches that the launch stands for is carried out at the sizes of a call; *out_pick is its number among
// them, 0 where it stands for itself.
static inline const strata_rt_launch_t *strata_rt_picked(const strata_rt_list_t *list, const strata_rt_launch_t *launch,
                                                         const int64_t *values, uint32_t *out_pick) {
  *out_pick = launch->kernel == STRATA_RT_PICK ? (uint32_t)strata_rt_number(launch->size, values) : 0;
  return launch->kernel == STRATA_RT_PICK ? &list->launches[launch->first_arg + *out_pick] : launch;
}

// As offset: the constant has no place, and gets memory of its own when it is needed. On the cpu the offset of what is
// not present is not looked at.
#define STRATA_RT_UNPLACED UINT64_MAX

typedef struct {
  uint64_t offset; // in the weights; on a GPU in the memory for constants, also where it is not present
  uint64_t size;
  uint64_t is_present; // its bytes are in the weights
} strata_rt_constant_t;

#endif
