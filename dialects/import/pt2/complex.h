// Programs with complex numbers as programs of real ones, before anything of them is read.
#ifndef STRATA_DIALECTS_IMPORT_PT2_COMPLEX_H
#define STRATA_DIALECTS_IMPORT_PT2_COMPLEX_H

#include "dialects/import/pt2/program.h"

bool pt2_is_complex(const pt2_meta_t *meta); // NULL: it is not
// The real (0) or the imaginary (1) part of the tensor |name|, a tensor of its own.
const char *pt2_part_name(strata_arena_t *arena, const char *name, int part);
// What is stored of that part of a tensor of which |meta| is stored.
pt2_meta_t pt2_stored_part(const pt2_meta_t *meta, int part);

// Puts calls on the parts in the place of those on complex tensors, here and in the graphs inside of calls. Calls that
// complex.def does not have stay as they are.
void pt2_split_complex(strata_arena_t *arena, pt2_graph_t *graph);

#endif
