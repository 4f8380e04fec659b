// What the host sees of loops that data end, without waiting: words of its memory in which kernels say that one has.
//
// A call has a word for each depth of loops. A loop that begins in a call gets a number, of which no other loop of the
// library's has the same for 2^32 loops, and its flags name the word and the number (lowering/guard_launches.c): the
// first kernel that finds its flag off stores the number. Calls give words back while their kernels still run; what
// these store late is no number that is looked for, and what they store over is stored again by the next kernel.
#ifndef STRATA_RUNTIME_GPU_ENDS_H
#define STRATA_RUNTIME_GPU_ENDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { STRATA_RT_ENDS_CALLS = 64, STRATA_RT_ENDS_DEPTH = 16 }; // that have words at one time; loops inside one another

typedef struct {
  _Atomic uint32_t *words;
  _Atomic uint64_t taken; // a bit for each call
  _Atomic uint32_t number;
} strata_rt_ends_t;

#pragma GCC visibility push(hidden)

// Without memory that host and device have in common there are no words. A status.
int strata_rt_ends_create(strata_rt_ends_t *ends);
void strata_rt_ends_free(strata_rt_ends_t *ends); // between cleanup_begin and _end

// A call's words; NULL: there are none left.
_Atomic uint32_t *strata_rt_ends_take(strata_rt_ends_t *ends);
void strata_rt_ends_give(strata_rt_ends_t *ends, const _Atomic uint32_t *words);

#pragma GCC visibility pop

// Never 0, which the words are at first.
static inline uint32_t strata_rt_ends_next(strata_rt_ends_t *ends) {
  uint32_t number = atomic_fetch_add(&ends->number, 1) + 1;
  return number ? number : atomic_fetch_add(&ends->number, 1) + 1;
}

#endif
