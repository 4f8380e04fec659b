// Words of host memory in which kernels say that a loop has ended; see ends.h.
#include "runtime/gpu/ends.h"

#include "runtime/gpu/driver.h"
#include "runtime/library/error.h"

#include <string.h>

_Static_assert(sizeof(_Atomic uint32_t) == sizeof(uint32_t) && ATOMIC_INT_LOCK_FREE == 2, "the device stores numbers");

enum { BYTES = STRATA_RT_ENDS_CALLS * STRATA_RT_ENDS_DEPTH * sizeof(uint32_t) };

int strata_rt_ends_create(strata_rt_ends_t *ends) {
  void *memory = NULL;
  int status = strata_rt_driver()->allocate_host(BYTES, &memory);
  if (status || !memory)
    return status;
  memset(memory, 0, BYTES);
  ends->words = memory;
  return STRATA_OK;
}

void strata_rt_ends_free(strata_rt_ends_t *ends) {
  if (ends->words)
    strata_rt_driver()->free_host((void *)ends->words);
  ends->words = NULL;
}

_Atomic uint32_t *strata_rt_ends_take(strata_rt_ends_t *ends) {
  uint64_t taken = atomic_load(&ends->taken);
  while (ends->words && ~taken) {
    int place = __builtin_ctzll(~taken);
    if (atomic_compare_exchange_weak(&ends->taken, &taken, taken | UINT64_C(1) << place))
      return ends->words + place * STRATA_RT_ENDS_DEPTH;
  }
  return NULL;
}

void strata_rt_ends_give(strata_rt_ends_t *ends, const _Atomic uint32_t *words) {
  if (words)
    atomic_fetch_and(&ends->taken, ~(UINT64_C(1) << (words - ends->words) / STRATA_RT_ENDS_DEPTH));
}
