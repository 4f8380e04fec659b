// --device=native: the GPU of this machine.
#ifndef STRATA_TOOLS_NATIVE_H
#define STRATA_TOOLS_NATIVE_H

#include "dialects/compile.h"

// |devices| is what --device says, with commas between. In its place each "native" of a GPU's target gets the name of
// the first GPU that the driver knows, in the arena or static; the rest stays, and so does everything on the cpu, where
// the compiler knows the name. The driver is found and asked as an emitted library does it. Errors: DEVICE where there
// is none or it does not answer; NOT_FOUND where we do not compile for that GPU. Call it in the process that will use
// the driver: it does not work in two that were forked from one another.
STRATA_MUST_CHECK strata_status_t strata_resolve_native(strata_arena_t *arena, strata_target_kind_t target,
                                                        const char *devices, const char **out_devices);

#endif
