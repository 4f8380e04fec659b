// Variants of rows on a cpu: where what is dear is read more than once a row is computed into scratch memory, which has
// room for rows of a greatest length (affine_to_tile/rows_nest.c); longer ones compute it again each time.
#include "dialects/affine/row_kernel.h"
#include "passes/affine/kinds.h"
#include "passes/affine/variants.h"

// Of a member that would be kept were its rows short: the one size that varies, and its greatest value.
static bool find_length(const strata_row_member_t *member, strata_size_t *out_length, int64_t *out_most) {
  int64_t others = 1;
  int n_varying = 0;
  for (int dim = 0; dim < member->nest->n_parallel; dim++) {
    strata_size_t size = member->nest->space.sizes[dim];
    if (member->row_of[dim] != STRATA_NOT_A_ROW)
      continue;
    if (strata_size_varies(size)) {
      *out_length = size;
      n_varying++;
    } else {
      others *= strata_size_max(size);
    }
  }
  *out_most = others > 0 ? STRATA_ROW_MAX_KEPT / others : 0;
  return n_varying == 1 && out_length->min <= *out_most && out_length->max > *out_most;
}

strata_status_t strata_cpu_row_variants(const strata_scheduling_t *s, const strata_schedule_t *schedule) {
  strata_row_kernel_t rows;
  strata_status_t status = strata_row_kernel_read(s->kernel, &rows);
  if (status) { // it will be scalar
    strata_status_free(status);
    return NULL;
  }
  for (int i = 0; i < s->kernel->n_nests && rows.across == STRATA_NOT_A_ROW; i++) {
    const strata_row_member_t *member = &rows.members[i];
    strata_size_t length;
    int64_t most;
    bool is_kept = !member->takes_part && member->is_tied && strata_row_kept_store(&rows, member);
    if (is_kept && find_length(member, &length, &most))
      return strata_variant_create_for(s, length, &(strata_variant_choice_t){0, length.min, most}, schedule);
  }
  return NULL;
}
