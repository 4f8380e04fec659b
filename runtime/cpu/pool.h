// The threads of a cpu library. They run one parallel region at a time: independent tasks, whose results do not depend
// on who runs them. A caller that finds the pool busy with another call's region runs its own region alone.
#ifndef STRATA_RUNTIME_CPU_POOL_H
#define STRATA_RUNTIME_CPU_POOL_H

#include "runtime/cpu/program.h"

#include <stdbool.h>

// Starts threads until there are |n_threads| with the caller, each with |scratch_size| bytes of its own; stops those
// there were. Fewer if the system gives no more. Not to be called concurrently with itself.
void strata_rt_pool_resize(unsigned n_threads, size_t scratch_size);
unsigned strata_rt_pool_size(void); // threads, the caller included

// Runs all tasks and returns when they are done; the number of threads that could take part.
unsigned strata_rt_pool_run(strata_rt_entry_t entry, void *const *buffers, int64_t tasks, void *scratch);

// In a child after fork, where the threads do not exist: forgets them. |is_consistent|: no resize was under way.
void strata_rt_pool_forget(bool is_consistent);

// Processors this process may use.
unsigned strata_rt_pool_processors(void);

#endif
