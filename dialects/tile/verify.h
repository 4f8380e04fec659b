// The parts of strata_tile_verify.
#ifndef STRATA_DIALECTS_TILE_VERIFY_H
#define STRATA_DIALECTS_TILE_VERIFY_H

#include <mlir-c/IR.h>

// What is wrong with an op of pipelined products or of clusters, or with the maps of a function; NULL for nothing, and for other ops.
const char *strata_tile_pipelined_fault(MlirOperation op);

// What is wrong with a kernel's fences between its threads and the copy engine, and at which op; NULL for nothing.
const char *strata_tile_proxies_fault(MlirOperation func, MlirOperation *out_op);

#endif
