// What the launches of open loops (dialects/counted_loop.h) have on a GPU, for the library that makes them.
#ifndef STRATA_LOWERING_GUARD_LAUNCHES_H
#define STRATA_LOWERING_GUARD_LAUNCHES_H

// On a kernel and its declaration: the kernel's last parameter, behind buffers and sizes, is the address of a flag.
#define STRATA_GUARDED "strata.guarded"

// Kernels that the runtime launches for an open loop; guard_launches.c says what they do.
#define STRATA_BEGIN_LOOP "begin_loop"
#define STRATA_TAKE_STATE "take_state"

#endif
