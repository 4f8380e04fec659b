// See packed.h.
#include "dialects/affine/packed.h"

#include "dialects/integers.h"
#include "dialects/mlir_util.h"

bool strata_packed_read(const strata_kernel_t *kernel, MlirValue buffer, strata_packed_t *out) {
  const strata_access_t *store, **reads[] = {&out->words, &out->scales, &out->zeros};
  const strata_nest_t *nest = strata_kernel_producer(kernel, buffer, &store);
  int n = 0;
  if (!nest || !strata_str_equal(nest->name, STRATA_UNPACK))
    return false;
  *out = (strata_packed_t){.nest = nest,
                           .form = {.bits = strata_attr_i64(nest->op, "strata.bits", 0),
                                    .block = strata_attr_i64(nest->op, "strata.block", 0),
                                    .zero = strata_attr_i64(nest->op, "strata.zero", 0)}};
  for (int i = 0; i < nest->n_accesses; i++)
    if (!nest->accesses[i].is_store)
      *reads[n++] = &nest->accesses[i];
  out->form.has_zeros = n > 2;
  return true;
}

int64_t strata_packed_words(const strata_packed_form_t *form) {
  enum { WORD_BITS = 32 };
  return STRATA_PACKED_ROWS * STRATA_PACKED_STEPS * form->bits / WORD_BITS;
}

int64_t strata_packed_row_scales(const strata_packed_form_t *form) {
  return strata_max(1, STRATA_PACKED_STEPS / form->block);
}

int64_t strata_packed_scales(const strata_packed_form_t *form) {
  return STRATA_PACKED_ROWS * strata_packed_row_scales(form);
}

int64_t strata_packed_scale_steps(const strata_packed_form_t *form) {
  return strata_max(STRATA_PACKED_STEPS, form->block);
}

int64_t strata_packed_row_bytes(const strata_packed_form_t *form) {
  enum { SCALE_BYTES = 2 };
  return STRATA_PACKED_STEPS * form->bits / 8 +
         SCALE_BYTES * strata_packed_row_scales(form) * (form->has_zeros ? 2 : 1);
}
