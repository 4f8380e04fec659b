// The tables of an emitted library that are alike on every target: launches, their arguments, and the constants.
//
// targets/library writes them as LLVM IR, field by field; everything is constant and shared by all threads.
#ifndef STRATA_RUNTIME_TABLES_H
#define STRATA_RUNTIME_TABLES_H

#include "runtime/include/strata/runtime.h"

enum { STRATA_RT_ALIGNMENT = 256 }; // of the pool and the weights, and of every buffer in the pool

typedef enum {
  STRATA_RT_TENSOR,   // the call's tensor |index|: inputs, then outputs
  STRATA_RT_CONSTANT, // constant |index|
  STRATA_RT_PREPARED, // constant |index|, which the preparation computes: this launch may write it
  STRATA_RT_POOL,     // the pool
} strata_rt_arg_kind_t;

// A buffer that a launch is given: a place and an offset into it, in bytes.
typedef struct {
  uint32_t kind; // strata_rt_arg_kind_t
  uint32_t index;
  uint64_t offset;
} strata_rt_arg_t;

typedef struct {
  uint32_t kernel; // of the program's kernels
  uint32_t n_args;
  uint64_t first_arg; // of the list's args
  uint64_t size;      // bytes, of a GPU's copy (STRATA_RT_COPY); else 0
} strata_rt_launch_t;

typedef struct {
  const strata_rt_launch_t *launches;
  uint64_t n_launches;
  const strata_rt_arg_t *args;
} strata_rt_list_t;

// As offset: the constant has no place, and gets memory of its own when it is needed. On the cpu the offset of what is
// not present is not looked at.
#define STRATA_RT_UNPLACED UINT64_MAX

typedef struct {
  uint64_t offset; // in the weights; on a GPU in the memory for constants, also where it is not present
  uint64_t size;
  uint64_t is_present; // its bytes are in the weights
} strata_rt_constant_t;

#endif
