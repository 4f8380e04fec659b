// Where in its buffers a kernel's accesses go: parts of a concat, stored by several kernels, lie apart.
#ifndef STRATA_PASSES_AFFINE_TOUCHED_H
#define STRATA_PASSES_AFFINE_TOUCHED_H

#include "dialects/affine/nest.h"
#include "dialects/pointer_map.h"

// False if no element that |a| of the nest |a_nest| stores or reads is one of |b|'s, an access of |b_nest| to the same
// buffer.
bool strata_accesses_meet(const strata_nest_t *a_nest, const strata_access_t *a, const strata_nest_t *b_nest,
                          const strata_access_t *b);

// What is known about kernels, read when it is first asked for.
typedef struct {
  strata_arena_t *arena;
  strata_pointer_map_t by_argument; // block argument -> its accesses
} strata_touched_t;

strata_touched_t strata_touched_create(strata_arena_t *arena);

// Of two kernels that have one buffer as their arguments |a| and |b|, values of their entry blocks: false if no element
// that the first one stores is one that the other reads or stores.
STRATA_MUST_CHECK strata_status_t strata_touched_meet(strata_touched_t *touched, MlirOperation writer, MlirValue a,
                                                      MlirOperation other, MlirValue b, bool *out_meet);

#endif
