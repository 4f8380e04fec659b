// A function that only calls kernels (@main or @prepare after grouping), as data: its buffers and its launches.
#ifndef STRATA_PASSES_AFFINE_LAUNCH_LIST_H
#define STRATA_PASSES_AFFINE_LAUNCH_LIST_H

#include "dialects/compile.h"

#include <mlir-c/AffineExpr.h>

typedef enum {
  STRATA_BUFFER_ARGUMENT, // of the function
  STRATA_BUFFER_GLOBAL,   // a constant
  STRATA_BUFFER_ALLOC,    // an intermediate
} strata_buffer_kind_t;

// Views of a buffer are the buffer. Several get_global of one global are one buffer.
typedef struct {
  strata_buffer_kind_t kind;
  MlirValue value;
  int64_t argument;     // STRATA_BUFFER_ARGUMENT: its number
  MlirStringRef global; // STRATA_BUFFER_GLOBAL: its symbol
  int64_t size;         // bytes; -1: |bytes| says
  MlirAffineExpr bytes; // over the module's symbols, where the size varies; else null
  // The launches between which it lives; -1: none uses it. What a region's launches use lives for all of that.
  int64_t first, last;
} strata_buffer_t;

typedef struct {
  MlirOperation call;
  MlirStringRef kernel; // symbol of the called function
  size_t n_args;
  const size_t *args; // buffers
  int64_t region;     // of launches beside one another on several streams; -1: none
  int64_t stream;     // 0: the call's
} strata_launch_t;

// On calls (streams.c).
#define STRATA_REGION "strata.region"
#define STRATA_STREAM "strata.stream"

typedef struct {
  STRATA_VECTOR(strata_buffer_t) buffers; // in the order of their definitions
  STRATA_VECTOR(strata_launch_t) launches;
} strata_launch_list_t;

// Reads a function; INTERNAL if it holds anything but allocations, globals, views and calls.
STRATA_MUST_CHECK strata_status_t strata_launch_list_read(strata_compile_t *compile, MlirOperation func,
                                                          strata_launch_list_t *out_list);

// Bytes of a memref or tensor type in storage format; -1 if they vary.
int64_t strata_memref_size(MlirType type);
// The same as an expression over the module's symbols; null where the type does not say it.
MlirAffineExpr strata_memref_size_expr(MlirType type);

#endif
