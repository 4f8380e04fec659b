// Keys and values that lie in memory as bytes, integers or floats of 8 bits: a nest of the kernel widens them, exactly,
// to what is multiplied. Scales are not on them any more (strata-delay-scales). See attention_reader.h.
#include "dialects/affine/attention_reader.h"

#include "dialects/affine/simplify.h"

enum { BYTE_BITS = 8, ROW_BYTES = 16 }; // rows that the copy engine takes are multiples of the latter

// One that no value of a byte is rounded by, whatever the order in which there are several.
static bool is_conversion(const strata_term_t *term) {
  return strata_term_is(term, "arith.extf") || strata_term_is(term, "arith.truncf") ||
         strata_term_is(term, "arith.sitofp") || strata_term_is(term, "arith.uitofp");
}

static bool is_byte(MlirType type) {
  return strata_type_is_integer(type, BYTE_BITS) || mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type);
}

static bool has_whole_rows(MlirValue buffer) {
  strata_size_t sizes[STRATA_MAX_DIMS];
  int rank = strata_memref_sizes(buffer, sizes);
  return rank > 0 && strata_size_divides(ROW_BYTES, sizes[rank - 1]);
}

bool strata_attention_read_widened(const strata_attention_reader_t *r, const strata_term_t *factor,
                                   strata_attention_operand_t *out) {
  strata_term_t term = *factor;
  const strata_access_t *store;
  term.value = out->factor;
  if (!mlirOperationIsNull(out->read->guard) || mlirAffineMapIsNull(out->read->map) || !strata_term_step(r, &term))
    return false;
  while (is_conversion(&term))
    term = strata_term_operand(&term, 0);
  const strata_access_t *load = strata_term_load(term.nest, strata_def(term.value));
  if (!load || !mlirOperationIsNull(load->guard) || mlirAffineMapIsNull(load->map) ||
      !is_byte(mlirValueGetType(load->value)) || !has_whole_rows(load->buffer))
    return false;
  out->stored = mlirValueGetType(load->value);
  if (strata_kernel_producer(r->a.kernel, load->buffer, &store))
    return strata_term_step(r, &term) && strata_attention_read_pages(r, &term, out);
  strata_space_t space = strata_attention_space(&r->a);
  out->access = load;
  out->map = strata_affine_compose(load->map, strata_term_map(r, &term), &space);
  out->dims = strata_affine_map_dims(out->map);
  return true;
}

int64_t strata_attention_stored_bytes(const strata_attention_t *a, int operand) {
  MlirType type = a->operands[operand].stored;
  return mlirTypeIsNull(type) ? (int64_t)mlirFloatTypeGetWidth(a->type) / BYTE_BITS : 1;
}

bool strata_attention_widens(const strata_attention_t *a) {
  bool widens = false;
  for (int i = 0; i < STRATA_N_ATTENTION_OPERANDS; i++)
    widens |= !mlirTypeIsNull(a->operands[i].stored);
  return widens;
}
