// Sorts by digits (dialects/affine/digits.h): a block has a part of a row, whose threads have a digit each.
#include "dialects/affine/digits.h"
#include "passes/affine/kinds.h"
#include "passes/affine/problem.h"

enum { WIDE_BYTES = 4, ITEMS = 16 }; // elements of a thread at a time; half of them where they are wider

strata_status_t strata_gpu_digits(const strata_scheduling_t *s, strata_schedule_t *out, bool *out_taken) {
  strata_digits_t digits;
  *out = (strata_schedule_t){0};
  *out_taken = strata_digits_read(s->kernel, &digits);
  if (!*out_taken)
    return NULL;
  int64_t threads = INT64_C(1) << digits.digit.bits;
  int64_t bytes = strata_element_bytes(strata_problem_element(digits.keys.buffer));
  int64_t items = bytes > WIDE_BYTES ? ITEMS / 2 : ITEMS;
  *out = (strata_schedule_t){.kind = STRATA_KERNEL_DIGITS, .threads = threads, .group = threads, .n_tile = 1};
  out->tile[0] = threads * items;
  *out_taken = threads >= s->device->lanes && threads <= s->device->max_threads;
  return NULL;
}
